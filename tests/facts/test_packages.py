"""Packages on disk: read, refused, written, and read back."""

from __future__ import annotations

import shutil
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent
from typing import Literal

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.cli.hints import HINTS
from palmares.core.errors import FactsRejected, Refused
from palmares.core.messages import reworded
from palmares.facts import (
    TABLES,
    Facts,
    check_facts,
    is_package,
    read_package,
    read_typed,
    write_package,
)
from palmares.facts.csv import read_sheet
from palmares.facts.decoding import possible_encodings
from palmares.facts.frames import from_frames
from palmares.facts.schema import FILE
from palmares.facts.text import cleaned
from tests.amounts import amount
from tests.facts.packs import SOUND, facts, package, place, rejected, told
from tests.packages import BACKGAMMON, rows

PLAYERS = SOUND["players"].encode()
TOO_LONG = (
    "players.csv:2: a quotation mark opens here and is never closed, or a cell has more than"
    " 131,072 characters"
)


@pytest.mark.parametrize(
    ("why", "data"),
    [
        ("byte order mark",       b"\xef\xbb\xbf" + PLAYERS),
        ("CRLF",                  PLAYERS.replace(b"\n", b"\r\n")),
        ("CR",                    PLAYERS.replace(b"\n", b"\r")),
        ("no line end",           PLAYERS.rstrip(b"\n")),
        ("blank lines",           PLAYERS.replace(b"\n", b"\n\n")),
        ("rows of commas",        PLAYERS + b",,\n,,\n"),
        ("header in capitals",    PLAYERS.replace(b"player_id", b" Player ID ")),
        ("everything quoted",
         b'"' + PLAYERS.replace(b",", b'","').replace(b"\n", b'"\n"')[:-1]),
        ("a column of nothing",   PLAYERS.replace(b"\n", b",\n")),
    ],
)  # fmt: skip
def test_csv_as_programs_write_it(tmp_path: Path, why: str, data: bytes) -> None:
    players = facts(tmp_path, players=data)["players"]
    assert players["name"].to_list() == ["Ada Novak", "Bob Stone", "Cyd Rossi", "Dan Meyer"], why


def test_lines_are_true_after_quoted_line_breaks_and_blank_lines(tmp_path: Path) -> None:
    text = 'player_id,name,note\nada,Ada,"one\ntwo\r\nthree"\n\nbob,"Bo\nb",\n'
    assert told(tmp_path, players=text, placings=None) == [
        "players.csv:6: name 'Bo\\nb' contains a line break"
    ]


class TestFilesThatCannotBeRead:
    @pytest.mark.parametrize(
        ("data", "found"),
        [
            (b"player_id;name\nada;Ada\n",
             "1: the columns are separated by semicolons, not by commas"),
            (b"player_id\tname\nada\tAda\n",
             "1: the columns are separated by tabs, not by commas"),
            (b'player_id,name\nada,Ada\nbob,"Bo\ncyd,C\n',
             "3: a quotation mark opens here and is never closed: the file breaks off"),
            (b'player_id,name\nada,"A"da\n',
             "2: a closing quotation mark is followed by more text"),
            (b"player_id,name\nada,Ada\nbo",
             "3: the row has 1 cells, the header 2: name missing"),
            (b"player_id,name\nada,Novak, Ada\n",    "2: the row has 3 cells, the header only 2"),
            (b"player_id,name,name\nada,Ada,A\n",    "1: the column 'name' is there 2 times"),
            (b"player_id,name,\nada,Ada,\nbob,Bob,x\n",
             "3: column 3 has cells but no name in the header"),
            (b"player_id,name,_line\nada,Ada,1\n",   "1: the name _line is our own"),
            (b"player_id,name\nada,A\0a\n",
             "2: this line holds a zero byte, which no text file has"),
        ],
    )  # fmt: skip
    def test_told_with_file_and_line(self, tmp_path: Path, data: bytes, found: str) -> None:
        assert told(tmp_path, players=data, placings=None) == [f"players.csv:{found}"]

    @pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
    def test_an_empty_file(self, tmp_path: Path, data: bytes) -> None:
        assert told(tmp_path, players=data, placings=None) == ["players.csv: the file is empty"]

    def test_a_quotation_mark_never_closed_in_a_long_file(self, tmp_path: Path) -> None:
        text = 'player_id,name\nada,"Ada\n' + "bob,Bob\n" * 50_000
        assert told(tmp_path, players=text, placings=None) == [TOO_LONG]

    def test_a_cell_that_is_too_long(self, tmp_path: Path) -> None:
        assert told(tmp_path, players="player_id,name\nada," + "A" * 131_073, placings=None) == [
            TOO_LONG
        ]

    def test_more_columns_than_any_table_has(self, tmp_path: Path) -> None:
        """10 MB of names kept it busy for hours."""
        header = "player_id,name," + ",".join(f"c{number}" for number in range(1_000_000))
        assert told(tmp_path, players=f"{header}\n", placings=None) == [
            "players.csv:1: the header has 1,000,002 columns, and 512 are read"
        ]

    def test_very_many_short_rows_are_counted(self, tmp_path: Path) -> None:
        problems = told(tmp_path, players="player_id,name\n" + "ada\n" * 250, placings=None)
        assert len(problems) == 100 + 1
        assert problems[-1] == "players.csv:1: 250 rows in all do not have 2 cells"

    def test_a_header_without_rows_is_an_empty_table(self, tmp_path: Path) -> None:
        assert facts(tmp_path, placings="event_id,player_id,rank\n")["placings"].height == 0


class TestEncodings:
    TEXT = "player_id,name\nada,Jiří Novák\nbob,Søren\n"

    def test_another_encoding_is_told_with_what_it_may_be(self, tmp_path: Path) -> None:
        (problem,) = rejected(
            tmp_path, players=self.TEXT.encode("cp1250", "replace"), placings=None
        )
        assert place(problem) == "players.csv:2"
        assert problem.what == "this is not UTF-8 text"
        remedy = reworded(problem.remedy, HINTS)
        assert "cp1250 reads 'ada,Jiří Novák'" in remedy
        assert "give --encoding: " in remedy

    def test_utf_16_has_zero_bytes_and_is_asked_about(self, tmp_path: Path) -> None:
        text = "player_id,name\nada,Ada\n"
        (problem,) = rejected(tmp_path, players=text.encode("utf-16-le"), placings=None)
        assert problem.what == "this is not UTF-8 text"
        assert "utf_16 reads 'player_id,name'" in reworded(problem.remedy, HINTS)

    def test_a_zero_byte_is_no_question_of_the_encoding(self, tmp_path: Path) -> None:
        (problem,) = rejected(tmp_path, players=b"player_id,name\nada,A\0a\n", placings=None)
        assert place(problem) == "players.csv:2"
        assert problem.clause == "report"
        assert problem.remedy == (
            "Export the file again: a sheet as CSV in UTF-8, or as an Excel workbook (.xlsx)."
        )

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "cp1250", "utf-8-sig"])
    def test_the_encoding_asked_for(self, tmp_path: Path, encoding: str) -> None:
        text = self.TEXT.replace("ø", "ö")
        package(tmp_path, placings=None, **dict.fromkeys(("players",), text.encode(encoding)))
        for name in ("tournaments", "events", "flights"):
            (tmp_path / f"{name}.csv").write_bytes(SOUND[name].encode(encoding))
        found = read_package(tmp_path, encoding)["players"]["name"].to_list()
        assert found == ["Jiří Novák", "Sören"]

    def test_utf_16_is_not_offered_without_a_zero_byte(self) -> None:
        """Any even number of bytes is UTF-16, as signs that nobody wrote."""
        names = [name for name, _ in possible_encodings("name\n10,Zoë\n".encode("cp1252"))]
        assert "cp1252" in names
        assert "utf_16" not in names
        assert "utf_16" in dict(possible_encodings("name\n10,Zoë\n".encode("utf-16")))

    def test_utf_16_is_recognised(self, tmp_path: Path) -> None:
        (problem,) = rejected(tmp_path, players=self.TEXT.encode("utf-16"), placings=None)
        assert "utf_16 reads 'player_id,name" in reworded(problem.remedy, HINTS)

    def test_an_encoding_that_does_not_exist(self, tmp_path: Path) -> None:
        with pytest.raises(FactsRejected, match="there is no encoding klingon"):
            read_package(package(tmp_path), "klingon")


class TestDirectories:
    def test_a_directory_without_facts(self, tmp_path: Path) -> None:
        (tmp_path / "notes.txt").write_text("none", encoding="utf-8")
        assert not is_package(tmp_path)
        with pytest.raises(FactsRejected, match="there are no facts in it"):
            read_package(tmp_path)

    def test_a_directory_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(FactsRejected, match="there is no such directory"):
            read_package(tmp_path / "none")

    def test_a_table_in_two_forms(self, tmp_path: Path) -> None:
        package(tmp_path)
        pl.DataFrame({"a": [1]}).write_parquet(tmp_path / "placings.parquet")
        with pytest.raises(FactsRejected, match=r"both placings\.csv and placings\.parquet"):
            read_package(tmp_path)

    def test_a_directory_in_the_place_of_a_file(self, tmp_path: Path) -> None:
        (package(tmp_path, placings=None) / "placings.csv").mkdir()
        with pytest.raises(FactsRejected, match="the file cannot be read"):
            read_package(tmp_path)

    @pytest.mark.parametrize("name", ["placings.parquet", "placings.csv", "placings/1.parquet"])
    def test_a_link_to_nothing_is_no_empty_table(self, tmp_path: Path, name: str) -> None:
        """Without its placings the package would be read as one where nobody was placed."""
        file = package(tmp_path, placings=None) / name
        file.parent.mkdir(exist_ok=True)
        file.symlink_to(tmp_path / "nowhere")
        with pytest.raises(FactsRejected) as raised:
            read_package(tmp_path)
        assert [problem.at.file for problem in raised.value.problems] == [str(file)]

    def test_a_folder_of_no_parts_is_no_empty_table(self, tmp_path: Path) -> None:
        folder = package(tmp_path, placings=None) / "placings.parquet"
        folder.mkdir()
        (folder / "_SUCCESS").touch()
        with pytest.raises(FactsRejected, match="there is no Parquet file in it"):
            read_package(tmp_path)

    def test_a_parquet_file_that_is_none(self, tmp_path: Path) -> None:
        (package(tmp_path, placings=None) / "placings.parquet").write_bytes(b"PAR1 and then not")
        with pytest.raises(FactsRejected, match="this is not a Parquet file, or it is incomplete"):
            read_package(tmp_path)


class TestParquet:
    def test_a_folder_of_parts(self, tmp_path: Path) -> None:
        sound = facts(tmp_path / "csv")
        package(tmp_path / "parts", placings=None)
        folder = tmp_path / "parts" / "placings.parquet"
        folder.mkdir()
        rows = sound["placings"].drop("_file", "_line")
        rows[:3].write_parquet(folder / "part-0.parquet")
        rows[3:].write_parquet(folder / "part-1.parquet")
        read = read_package(tmp_path / "parts")["placings"]
        assert read.drop("_file", "_line").equals(rows)
        assert [Path(file).name for file in read["_file"]] == ["part-0.parquet"] * 3 + [
            "part-1.parquet"
        ]
        assert read["_line"].to_list() == [1, 2, 3, 1]

    def test_cells_of_other_types_are_judged_like_text(self, tmp_path: Path) -> None:
        package(tmp_path, placings=None)
        pl.DataFrame(
            {
                "event_id": ["main"] * 4,
                "player_id": ["ada", "bob", "cyd", "dan"],
                "rank": [1.0, 2.0, 2.5, float("nan")],
                "notes": [["a"], None, [], ["b"]],
            }
        ).write_parquet(tmp_path / "placings.parquet")
        with pytest.raises(FactsRejected) as raised:
            read_package(tmp_path)
        assert [f"{place(one)}: {one.what}" for one in raised.value.problems] == [
            "placings.parquet:3: rank is '2.5', not a whole number",
            "placings.parquet:4: rank is 'NaN', not a whole number",
        ]


# ── writing ──────────────────────────────────────────────────────────────────────────────────────

Form = Literal["csv", "parquet"]


def same(one: Facts, other: Facts) -> bool:
    """Whether two facts say the same, wherever they were read."""
    return all(
        one[name].drop("_file", "_line").equals(other[name].drop("_file", "_line"))
        for name in TABLES
    )


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_package_is_written_and_read_back(tmp_path: Path, form: Form) -> None:
    sound = facts(tmp_path / "in")
    write_package(sound, tmp_path / "deep" / "out", form)
    assert same(sound, read_package(tmp_path / "deep" / "out"))
    assert [one.name for one in (tmp_path / "deep").iterdir()] == ["out"]


def test_a_directory_that_holds_something_is_left_alone(tmp_path: Path) -> None:
    sound = facts(tmp_path / "in")
    with pytest.raises(Refused, match=r"exists\. Name a directory that does not"):
        write_package(sound, tmp_path / "in")
    assert same(sound, read_package(tmp_path / "in"))
    (tmp_path / "empty").mkdir()
    write_package(sound, tmp_path / "empty")
    assert same(sound, read_package(tmp_path / "empty"))


def test_nothing_is_left_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = facts(tmp_path / "in")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pl.DataFrame, "write_parquet", full)
    with pytest.raises(Refused, match="out cannot be written: No space left on device"):
        write_package(sound, tmp_path / "out", "parquet")
    assert [one.name for one in tmp_path.iterdir()] == ["in"]


def test_facts_without_rows_are_still_a_package(tmp_path: Path) -> None:
    write_package(Facts(), tmp_path / "none")
    assert same(Facts(), read_package(tmp_path / "none"))


def test_no_cell_is_a_formula(tmp_path: Path) -> None:
    """'Cells that start with =, +, -, @ are neutralised', and come back as they were."""
    names = ["=1+1", "+1", "-1", "@SUM(A1)", "'=1", "''=1", "'s-Hertogenbosch", "'", "plain"]
    players = pl.DataFrame({"player_id": names, "name": names, "=note": names})
    given = from_frames({"players": players})
    write_package(given, tmp_path / "out")
    lines = (tmp_path / "out" / "players.csv").read_text(encoding="utf-8").splitlines()
    cells = [cell for line in lines for cell in line.split(",")]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert "'s-Hertogenbosch" in cells
    read = read_package(tmp_path / "out")
    assert read["players"]["name"].to_list() == names
    assert read["players"]["=note"].to_list() == names


def acceptable(text: str) -> str | None:
    """Text as a name in the one spelling, or nothing."""
    return cleaned(pl.Series([text.strip()], dtype=pl.String))[0][0] or None


NAMES = st.text(min_size=1, max_size=12).map(acceptable).filter(bool)


@st.composite
def some_facts(draw: st.DrawFn) -> Facts:
    """Players with any names and events with any numbers, all of them sound."""
    names = draw(st.lists(NAMES, max_size=4, unique=True))
    money = st.none() | st.decimals(0, 10**15 - 1, places=12) | st.integers(0, 999).map(Decimal)
    events = [
        {
            "event_id": f"e{number}",
            "tournament_id": "t",
            "name": draw(NAMES),
            "entry_fee": draw(money),
            "entrants": draw(st.none() | st.integers(0, 10**7)),
            "team": draw(st.none() | st.booleans()),
            "completed_on": draw(st.none() | st.dates(date(1900, 1, 1), date(2200, 12, 31))),
        }
        for number in range(draw(st.integers(0, 3)))
    ]
    tournament = {"tournament_id": "t", "name": "T", "end_date": date(2200, 12, 31)}
    people = {"player_id": names, "name": names, "withheld": [draw(st.booleans()) for _ in names]}
    return from_frames(
        {
            "players": pl.DataFrame(people, schema_overrides={"withheld": pl.Boolean}),
            "tournaments": pl.DataFrame([tournament]),
            "events": pl.DataFrame(
                events,
                schema={
                    "event_id": pl.String,
                    "tournament_id": pl.String,
                    "name": pl.String,
                    "entry_fee": pl.Decimal(38, 12),
                    "entrants": pl.Int64,
                    "team": pl.Boolean,
                    "completed_on": pl.Date,
                },
            ),
        }
    )


@settings(max_examples=amount(1_000), deadline=None)
@given(given_facts=some_facts(), form=st.sampled_from(["csv", "parquet"]))
def test_whatever_is_written_is_read_back(given_facts: Facts, form: Form) -> None:
    with TemporaryDirectory() as directory:
        write_package(given_facts, Path(directory) / "out", form)
        assert same(given_facts, read_package(Path(directory) / "out"))


# ── several packages ─────────────────────────────────────────────────────────────────────────────


def test_two_packages_name_the_same_players(tmp_path: Path) -> None:
    one = read_typed(package(tmp_path / "one"))
    other = package(tmp_path / "other", tournaments=None, events=None, flights=None, placings=None)
    assert check_facts(one, read_typed(other))["players"].height == len(
        ["ada", "bob", "cyd", "dan"]
    )


def test_two_packages_that_disagree_on_a_player(tmp_path: Path) -> None:
    one = read_typed(package(tmp_path / "one"))
    other = tmp_path / "other"
    other.mkdir()
    (other / "players.csv").write_text("player_id,name\nada,Eva Novak\n", encoding="utf-8")
    with pytest.raises(FactsRejected, match="the player ada is listed twice"):
        check_facts(one, read_typed(other))


def test_a_package_can_be_moved(tmp_path: Path) -> None:
    sound = facts(tmp_path / "in")
    shutil.move(tmp_path / "in", tmp_path / "moved")
    assert same(sound, read_package(tmp_path / "moved"))


def test_a_table_without_rows_must_have_its_columns_all_the_same(tmp_path: Path) -> None:
    """A rank column lost on the way must not look like an event without placings."""
    directory = package(tmp_path / "in")
    (directory / "placings.csv").write_text("event_id,player_id\n", encoding="utf-8")
    with pytest.raises(FactsRejected, match=r"placings\.csv:1: there is no column rank"):
        read_package(directory)


PATTERNS = ["*", "^.*$", "^(.*$", "^player_id$", "a.b", "`x`", '"q"', "player_id.x"]
"""Names that mean many columns, or none, to Polars, DuckDB or Spark."""


class TestColumnsWhoseNamesArePatterns:
    """'a column named `*` or `^.*$` in a CSV package: traceback'"""

    def package(self, directory: Path, form: Form, *names: str) -> Path:
        directory.mkdir()
        for table, text in BACKGAMMON.items():
            rows = pl.read_csv(dedent(text).encode(), infer_schema=False)
            rows = rows.with_columns(pl.lit("v").alias(name) for name in names)
            if form == "csv":
                rows.write_csv(directory / f"{table}.csv")
            else:
                rows.write_parquet(directory / f"{table}.parquet")
        return directory

    @pytest.mark.parametrize("form", ["csv", "parquet"])
    @pytest.mark.parametrize("name", PATTERNS)
    def test_they_are_kept_and_ignored(self, tmp_path: Path, name: str, form: Form) -> None:
        odd = self.package(tmp_path / "odd", form, name)
        plain = self.package(tmp_path / "plain", form)
        facts = read_package(odd)
        assert facts["placings"][name].to_list() == ["v"] * 4
        ranked = [rows("rank", "wbgf", one, "--as-of", "2019-11-15") for one in (odd, plain)]
        assert ranked[0] == ranked[1]
        write_package(facts, tmp_path / "again", form)
        assert read_package(tmp_path / "again")["placings"][name].to_list() == ["v"] * 4

    @pytest.mark.parametrize("name", PATTERNS)
    def test_whatever_is_in_them(self, name: str) -> None:
        for cells in (
            pl.lit(date(2019, 5, 1)),
            pl.lit(datetime(2019, 5, 1, tzinfo=UTC)),
            pl.lit(b"x"),
            pl.concat_list(pl.lit("x")),
            pl.lit(0.5),
            pl.duration(days=1),
        ):
            frame = pl.DataFrame(SOUND_TOURNAMENT).with_columns(
                pl.lit(date(2019, 5, 1)).alias("end_date"), cells.alias(name)
            )
            kept = from_frames({"tournaments": frame})["tournaments"][name]
            assert kept.dtype == pl.String
            assert kept.null_count() == 0

    def test_out_of_core_too(self, tmp_path: Path) -> None:
        package = self.package(tmp_path / "odd", "parquet", *PATTERNS)
        asked = ("rank", "wbgf", package, "--as-of", "2019-11-15")
        assert rows(*asked, "--engine", "duckdb") == rows(*asked)


SOUND_TOURNAMENT = {"tournament_id": ["T"], "name": ["Open"], "discipline": ["backgammon"]}


def test_days_and_moments_that_no_calendar_has() -> None:
    """Polars panics where it shall write them; as problems they are numbers."""
    for day in (
        pl.Series("end_date", [2**31 - 1], dtype=pl.Int32).cast(pl.Date),
        pl.Series("end_date", [2**62]).cast(pl.Datetime("ms")),
    ):
        frame = pl.DataFrame(SOUND_TOURNAMENT).with_columns(
            day, pl.duration(days=1).alias("lasted")
        )
        with pytest.raises(FactsRejected, match=r"tournaments:1: end_date is '\d+', not a date"):
            from_frames({"tournaments": frame})


def test_a_column_of_ours_in_a_frame_of_somebody_else() -> None:
    frame = pl.DataFrame(SOUND_TOURNAMENT).with_columns(
        pl.lit("2019-11-15").alias("end_date"), pl.lit(7).alias("_file"), pl.lit("x").alias("_line")
    )
    facts = from_frames({"tournaments": frame})
    assert facts["tournaments"]["_line"].to_list() == [1]


@pytest.mark.parametrize(
    "lines",
    [
        ("player_id,name,", "p1, Ada ,", "p2,'=1+1,", "p3,'tis,", "", ",,", "p4,,", "p5,Zo\u00eb,"),
        ("name", "Ada", "'-5", "", "Bea"),
        ("player_id,name",),
        ("", "player_id,name,", "p1,Ada,x"),
    ],
)
def test_a_file_without_quotation_marks_is_read_as_one_with(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    """It is cut at its line ends and commas, not read letter by letter."""
    plain, quoted = tmp_path / "plain" / "players.csv", tmp_path / "quoted" / "players.csv"
    for path in (plain, quoted):
        path.parent.mkdir()
    marked = [",".join(f'"{cell}"' for cell in line.split(",")) if line else "" for line in lines]
    plain.write_text("\n".join(lines) + "\n", encoding="utf-8")
    quoted.write_text("\n".join(marked) + "\n", encoding="utf-8")
    one, other = (read_sheet(path, TABLES["players"]) for path in (plain, quoted))
    assert one.frame is not None
    assert other.frame is not None
    assert one.frame.drop(FILE).equals(other.frame.drop(FILE))
    assert [(problem.at.line, problem.what) for problem in one.problems] == [
        (problem.at.line, problem.what) for problem in other.problems
    ]
