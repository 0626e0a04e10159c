"""Section 5 of the issue: each wrong thing gets a plain error that names its place."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.packages import BACKGAMMON, error, rows, run, write

WITH_MATCHES = BACKGAMMON | {
    "flights": "event_id,flight,entrants\nE,main,4\n",
    "memberships": "player_id,federation,start,end\na,usbgf,2019-01-01,2019-12-31\n",
    "matches": "match_id,event_id,length,winner_id,loser_id,status\nm,E,9,a,b,played\n",
    "rates": "currency,date,eur_per_unit\nUSD,2019-11-15,0.9\n",
}

WRONG = [  # table, what is there, what is written instead, the place, a word of the message
    ("placings", "E,b,2", "E,b,5", "placings.csv:3", "rank 5 in a field of 4"),
    ("placings", "E,b,2", "E,b,0", "placings.csv:3", "rank is 0"),
    ("placings", "E,b,2", "E,b,-2", "placings.csv:3", "rank is -2"),
    ("placings", "E,b,2", "E,b,2.5", "placings.csv:3", "rank is '2.5'"),
    ("placings", "E,b,2", "E,b,", "placings.csv:3", "rank is missing"),
    ("placings", "E,b,2", "E,b,2nd", "placings.csv:3", "rank is '2nd'"),
    ("placings", "E,c,3", "E,c,2", "placings.csv:5", "rank 3 follows 2 players at rank 2"),
    ("placings", "E,d,3", "E,d,4", "", ""),  # no fault: 1, 2, 3, 4
    (
        "placings",
        "E,b,2",
        "E,a,2",
        "placings.csv:3",
        "a is placed twice in the main of Prague Main",
    ),
    ("placings", "E,b,2", "E,zz,2", "placings.csv:3", "zz"),
    ("placings", "E,b,2", "X,b,1", "placings.csv:3", "X"),
    ("placings", "E,b,2", ",b,2", "placings.csv:3", "event_id is missing"),
    ("placings", "E,b,2", "E,b,2,9", "placings.csv:3", "4 cells"),
    ("placings", "E,b,2", "E,b", "placings.csv:3", "2 cells"),
    ("placings", "E,b,2", "E,b,1e999999999", "placings.csv:3", "1e999999999"),
    ("placings", "E,b,2", "E,b," + "9" * 400, "placings.csv:3", "rank"),
    ("placings", "rank", "place", "placings.csv:1", "rank"),
    ("placings", "player_id,rank", "rank,rank", "placings.csv:1", "rank"),
    ("events", ",100,", ",-100,", "events.csv:2", "entry_fee is -100"),
    ("events", ",100,", ",NaN,", "events.csv:2", "entry_fee is 'NaN'"),
    ("events", ",100,", ",Infinity,", "events.csv:2", "entry_fee is 'Infinity'"),
    ("events", ",100,", ",-inf,", "events.csv:2", "entry_fee is '-inf'"),
    ("events", ",100,", ",1e999999999,", "events.csv:2", "entry_fee is '1e999999999'"),
    ("events", ",100,", ",1e3,", "events.csv:2", "entry_fee is '1e3'"),
    ("events", ",100,", ",€100,", "events.csv:2", "entry_fee is '€100'"),
    ("events", ",100,", ',"1,000",', "events.csv:2", "entry_fee is '1,000'"),
    ("events", ",100,", ",0x10,", "events.csv:2", "entry_fee is '0x10'"),
    ("events", ",100,", ",1_000,", "events.csv:2", "entry_fee is '1_000'"),
    ("events", ",100,", ",١٠٠,", "events.csv:2", "entry_fee is '١٠٠'"),
    ("events", ",4,", ",0,", "", "entrants"),
    ("events", ",4,", ",-4,", "events.csv:2", "entrants is -4"),
    ("events", ",4,", ",3,", "placings.csv", "field of 3"),
    ("events", "championship,4", "final,4", "events.csv:2", "kind is 'final'"),
    ("events", "E,T,", "E,Q,", "events.csv:2", "Q"),
    ("events", ",yes", ",maybe", "events.csv:2", "maybe"),
    ("tournaments", "2019-11-15", "2019-02-29", "tournaments.csv:2", "2019-02-29"),
    ("tournaments", "2019-11-15", "15/11/2019", "tournaments.csv:2", "15/11/2019"),
    ("tournaments", "2019-11-15", "0000-00-00", "tournaments.csv:2", "0000-00-00"),
    ("tournaments", "2019-11-15", "9999-12-31", "tournaments.csv:2", "9999-12-31"),
    ("tournaments", "2019-11-15", "", "tournaments.csv:2", "end_date is missing"),
    ("players", "a,Ada Novak", "a,", "players.csv:2", "name is missing"),
    ("players", "Ada Novak", "Ada\u202eNovak", "players.csv:2", "U+202E"),
    ("players", "Ada Novak", "A\u2067da\u2069", "players.csv:2", "U+2067"),
    ("players", "Ada Novak", "\u200b", "players.csv:2", "name"),
    ("players", "Ada Novak", "x" * 201, "players.csv:2", "201 characters"),
    ("players", "CZE", "XYZ", "players.csv:2", "XYZ"),
    ("players", "b,Ben", "a,Ben", "players.csv:3", "the player a is listed twice"),
    ("flights", "E,main,4", "E,main,4\nE,main,4", "flights.csv:3", "twice"),
    ("flights", "E,main,4", "E,main,4\nE,Main,5", "flights.csv:3", "twice"),
    ("flights", "E,main,4", "E,main,", "flights.csv:2", "entrants is missing"),
    ("flights", "E,main,4", "Z,main,4", "flights.csv:2", "Z"),
    ("matches", "m,E,9", "m,E,0", "matches.csv:2", "length is 0"),
    ("matches", ",a,b,", ",a,a,", "matches.csv:2", "plays against"),
    ("matches", ",a,b,", ",zz,b,", "matches.csv:2", "zz"),
    ("matches", ",played", ",series", "matches.csv:2", "series_wins"),
    ("matches", ",played", ",won", "matches.csv:2", "status is 'won'"),
    ("memberships", "2019-12-31", "2018-12-31", "memberships.csv:2", "before the start"),
    ("rates", "0.9", "0", "rates.csv:2", "not above 0"),
    ("rates", "0.9", "-1", "rates.csv:2", "not above 0"),
    ("rates", "USD", "ZZZ", "rates.csv:2", "ZZZ"),
]


@pytest.mark.parametrize(("table", "right", "wrong", "place", "word"), WRONG)
def test_a_wrong_cell(
    tmp_path: Path, table: str, right: str, wrong: str, place: str, word: str
) -> None:
    tables = {name: dedent(text) for name, text in WITH_MATCHES.items()}
    if table == "events" and right == ",4,":
        del tables["flights"]
    assert right in tables[table]
    tables[table] = tables[table].replace(right, wrong, 1)
    package = write(tmp_path / "p", **tables)
    result = run("check", package)
    if not place and not word:
        assert result.exit_code == 0, result.output
        return
    said = error("award", "wbgf", package)
    for told in (said, result.stdout):
        assert place in told
        assert word in told
    assert result.exit_code == 1
    assert "\n    " in said  # what to do stands below each problem


def test_dense_ranks(tmp_path: Path) -> None:
    """W14: '(1, 2, 3, 3, 5); dense ranks (1, 2, 3, 3, 4) are rejected'"""
    tables = BACKGAMMON | {
        "players": BACKGAMMON["players"] + "        e,Eve,\n",
        "events": BACKGAMMON["events"].replace(",4,", ",5,"),
    }
    dense = write(
        tmp_path / "d", **tables | {"placings": BACKGAMMON["placings"] + "        E,e,4\n"}
    )
    said = error("award", "wbgf", dense)
    assert "placings.csv:6: rank 4 follows 2 players at rank 3 in the main of Prague Main" in said
    assert "the next place is 5" in said
    right = write(
        tmp_path / "r", **tables | {"placings": BACKGAMMON["placings"] + "        E,e,5\n"}
    )
    assert len(rows("award", "wbgf", right)) == 5


class TestTournaments:
    HEAD = "tournament_id,name,discipline,start_date,end_date,currency,eur_per_unit\n"

    @pytest.mark.parametrize(
        ("row", "word"),
        [
            ("T,Open,backgammon,2019-11-16,2019-11-15,,", "before the start"),
            ("T,Open,backgammon,,2019-11-15,XQZ,", "currency is 'XQZ'"),
            ("T,Open,backgammon,,2019-11-15,USD,-1", "eur_per_unit is -1"),
            ("T,Open,backgammon,,2019-11-15,USD,0", "eur_per_unit is 0"),
            ("T,Open,backgammon,,2019-11-15,USD,nan", "eur_per_unit is 'nan'"),
            ("T,Open,backgammon,,2019-11-15,EUR,2", "eur_per_unit is 2 for EUR"),
            ("T,Open,backgammon,,1850-01-01,,", "1850-01-01"),
        ],
    )
    def test_a_wrong_row(self, tmp_path: Path, row: str, word: str) -> None:
        package = write(tmp_path / "p", **BACKGAMMON | {"tournaments": f"{self.HEAD}{row}\n"})
        said = error("award", "wbgf", package)
        assert "tournaments.csv:2: " in said
        assert word in said


class TestBytes:
    """'wrong encodings, a UTF-8 BOM, CRLF, an empty file, a truncated file'"""

    def replaced(self, package: Path, table: str, content: bytes) -> Path:
        (package / f"{table}.csv").write_bytes(content)
        return package

    def bytes_of(self, package: Path, table: str) -> bytes:
        return (package / f"{table}.csv").read_bytes()

    def test_a_byte_order_mark_and_crlf_change_nothing(self, backgammon: Path) -> None:
        expected = rows("award", "wbgf", backgammon)
        for table in BACKGAMMON:
            text = self.bytes_of(backgammon, table)
            self.replaced(backgammon, table, b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
        assert rows("award", "wbgf", backgammon) == expected

    def test_neither_do_blank_lines_quotes_and_no_newline_at_the_end(
        self, backgammon: Path
    ) -> None:
        expected = rows("award", "wbgf", backgammon)
        text = self.bytes_of(backgammon, "placings")
        text = text.replace(b"E,b,2\n", b'\n"E","b","2"\n,,\n').rstrip(b"\n")
        assert rows("award", "wbgf", self.replaced(backgammon, "placings", text)) == expected

    @pytest.mark.parametrize("encoding", ["cp1252", "cp1250", "utf-16", "latin-1"])
    def test_another_encoding_is_asked_for(self, backgammon: Path, encoding: str) -> None:
        text = self.bytes_of(backgammon, "players").decode().replace("Ben Ode", "Béla Öde")
        for table in BACKGAMMON:
            self.replaced(
                backgammon, table, self.bytes_of(backgammon, table).decode().encode(encoding)
            )
        self.replaced(backgammon, "players", text.encode(encoding))
        said = error("award", "wbgf", backgammon)
        assert "players.csv:" in said
        assert "--encoding" in said
        found = rows("award", "wbgf", backgammon, "--encoding", encoding)
        assert found[1]["player"] == "Béla Öde"

    def test_an_encoding_there_is_not(self, backgammon: Path) -> None:
        assert "no encoding klingon" in error("award", "wbgf", backgammon, "--encoding", "klingon")

    @pytest.mark.parametrize("encoding", ["rot13", "hex", "zip", "undefined", "base64"])
    def test_a_codec_that_is_no_encoding_of_text(self, backgammon: Path, encoding: str) -> None:
        error("award", "wbgf", backgammon, "--encoding", encoding)

    @pytest.mark.parametrize("table", list(BACKGAMMON))
    def test_an_empty_file(self, backgammon: Path, table: str) -> None:
        said = error("award", "wbgf", self.replaced(backgammon, table, b""))
        assert f"{table}.csv: the file is empty" in said

    @pytest.mark.parametrize("table", list(BACKGAMMON))
    def test_a_file_that_breaks_off(self, backgammon: Path, table: str) -> None:
        whole = self.bytes_of(backgammon, table)
        for size in range(0, len(whole), 5):
            self.replaced(backgammon, table, whole[:size])
            result = run("award", "wbgf", backgammon)
            assert result.exit_code in (0, 1)
            if result.exit_code:
                assert result.stdout == ""
                assert ".csv:" in result.stderr

    def test_a_quotation_that_is_never_closed(self, backgammon: Path) -> None:
        text = self.bytes_of(backgammon, "players").replace(b"b,Ben", b'b,"Ben')
        said = error("award", "wbgf", self.replaced(backgammon, "players", text))
        assert "players.csv:3: a quotation mark opens here and is never closed" in said

    @pytest.mark.parametrize(
        "content", [b"\0" * 64, b"PK\x03\x04" + b"\0" * 64, b"\x89PNG\r\n\x1a\n"]
    )
    def test_what_is_no_text(self, backgammon: Path, content: bytes) -> None:
        assert "players.csv:" in error(
            "award", "wbgf", self.replaced(backgammon, "players", content)
        )

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\0" * 99 + b"PAR1"])
    def test_what_is_no_parquet(self, backgammon: Path, content: bytes) -> None:
        (backgammon / "players.csv").unlink()
        (backgammon / "players.parquet").write_bytes(content)
        assert "players.parquet" in error("award", "wbgf", backgammon)

    def test_semicolons(self, backgammon: Path) -> None:
        text = self.bytes_of(backgammon, "players").replace(b",", b";")
        said = error("award", "wbgf", self.replaced(backgammon, "players", text))
        assert "players.csv:1: the columns are separated by semicolons" in said


class TestDirectories:
    """'a directory without facts'"""

    def test_an_empty_one(self, tmp_path: Path) -> None:
        assert "neither a table of facts nor a report" in error("award", "wbgf", tmp_path)

    def test_one_with_other_things(self, tmp_path: Path) -> None:
        (tmp_path / "notes.pdf").write_bytes(b"%PDF")
        (tmp_path / ".hidden").mkdir()
        assert "neither a table of facts nor a report" in error("award", "wbgf", tmp_path)

    def test_a_table_that_is_a_directory(self, backgammon: Path) -> None:
        (backgammon / "players.csv").unlink()
        (backgammon / "players.csv").mkdir()
        assert "players.csv" in error("award", "wbgf", backgammon)

    def test_both_kinds_of_a_table(self, backgammon: Path) -> None:
        (backgammon / "players.parquet").write_bytes(b"PAR1")
        assert "there are both players.csv and players.parquet" in error(
            "award", "wbgf", backgammon
        )

    def test_one_that_contains_itself(self, backgammon: Path, tmp_path: Path) -> None:
        loop = tmp_path / "season"
        loop.mkdir()
        (loop / "again").symlink_to(loop)
        result = run("award", "wbgf", loop)
        assert result.exit_code == 1
        assert "Traceback" not in result.stderr


class TestProcess:
    """What only a process of its own shows."""

    def start(self, *args: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "palmares", *map(str, args)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    def test_a_reader_that_goes_away(self, tmp_path: Path) -> None:
        """palmares award … | head -1"""
        count = 5000
        package = write(
            tmp_path / "p",
            **BACKGAMMON
            | {
                "players": "player_id,name\n" + "".join(f"p{n},P {n}\n" for n in range(count)),
                "events": BACKGAMMON["events"].replace(",4,", f",{count},"),
                "placings": "event_id,player_id,rank\n"
                + "".join(f"E,p{n},{n + 1}\n" for n in range(count)),
            },
        )
        command = [sys.executable, "-m", "palmares", "award", "wbgf", str(package)]
        for form in ("json", "csv", "table"):
            with subprocess.Popen(
                [*command, "--format", form], stdout=subprocess.PIPE, stderr=subprocess.PIPE
            ) as process:
                assert process.stdout
                assert process.stderr
                process.stdout.read(1)
                process.stdout.close()
                said = process.stderr.read().decode()
            assert "Traceback" not in said
            assert "Exception" not in said
            assert "BrokenPipe" not in said

    def test_names_come_through_any_locale(self, backgammon: Path) -> None:
        write(backgammon, players=BACKGAMMON["players"].replace("Ben Ode", "Žofie Ωδή"))
        environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""}
        command = [sys.executable, "-m", "palmares", "award", "wbgf", str(backgammon)]
        done = subprocess.run(command, capture_output=True, check=True, env=environment)
        assert "Žofie Ωδή" in done.stdout.decode("utf-8")

    def test_warnings_of_libraries_are_not_ours(self, backgammon: Path) -> None:
        done = self.start("award", "wbgf", backgammon)
        assert (done.returncode, done.stderr) == (0, "")

    def test_no_file_descriptor_is_fed_what_it_must_not_get(self, backgammon: Path) -> None:
        done = self.start("award", "wbgf", backgammon / "players.csv.gone")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("Error: 1 problem, nothing was computed.")


class TestMessyArguments:
    """What a tired user types: nothing is read, written or computed in silence."""

    def test_an_empty_path_is_not_this_folder(
        self, backgammon: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """``palmares rank wbgf "$REPORTS"`` with the variable unset."""
        monkeypatch.chdir(backgammon)
        assert "A path is empty" in error("rank", "wbgf", "")
        assert "A path is empty" in error("check", "")

    @pytest.mark.parametrize("name", ["season.csv", "season.xlsx", "report.PDF", "season.json"])
    def test_a_package_is_no_file(self, backgammon: Path, tmp_path: Path, name: str) -> None:
        result = run("convert", backgammon, tmp_path / name)
        assert result.exit_code == 2
        assert "a report (.toml), a USEBIO file (.xml) or a folder" in result.stderr
        assert not (tmp_path / name).exists()

    def test_a_name_that_no_list_may_have_is_told(self, backgammon: Path, tmp_path: Path) -> None:
        players = backgammon / "players.csv"
        players.write_text("player_id,name,nation\na,Bye,CZE\nb,Ben,\nc,Cy,\nd,Dee,\n", "utf-8")
        for source, target in ((backgammon, "one.toml"), (tmp_path / "one.toml", "two.toml")):
            result = run("convert", source, tmp_path / target)
            assert result.exit_code == 0
            assert "'Bye' is not a player" in result.stderr

    def test_a_player_without_a_name(self, backgammon: Path) -> None:
        assert "Name a player" in error("explain", "wbgf", backgammon, "--player", " ")

    def test_an_event_that_was_not_started(self, tmp_path: Path) -> None:
        journal = tmp_path / "federation.db"
        run("journal", "init", journal)
        for command in ("show", "prizes", "verify"):
            said = error("event", command, "club-night", "--journal", journal)
            assert "has no event club-night. See 'palmares event list'." in said


def test_what_is_passed_over_beside_a_problem(tmp_path: Path) -> None:
    """A file that is not read may be the one that is missed."""
    (tmp_path / "bad.toml").write_text("[tournament]\n")
    (tmp_path / "photo.jpg").write_bytes(b"x")
    (tmp_path / "list.csv").write_text("rank,name\n1,Ada\n")
    done = run("check", tmp_path)
    assert done.exit_code == 1
    assert "bad.toml:1: name is missing" in done.stdout
    assert "photo.jpg: this file is not read: it is no report" in done.stdout
    assert "list.csv: this file is not read: no line above its header row names" in done.stdout
    assert "2 warnings." in done.stdout


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ("rank,name\n1,Ada,lost,more\n", ":2: more cells than the header row has"),
        ("rank,name\n-1,Ada\n", ":2: '-1' is not a rank"),
        ("rank,name,name\n1,Ada,Novak\n", ":1: 'name' and 'name' both look like the name"),
    ],
)
def test_a_preview_says_what_is_wrong(tmp_path: Path, rows: str, wrong: str) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text(rows)
    done = run("preview", sheet)
    assert done.exit_code == 1
    assert f"{sheet}{wrong}" in done.stderr


def test_a_preview_of_a_sheet_that_cannot_be_read(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_bytes("Räng\n".encode("cp1252"))
    assert f"{sheet}" in error("preview", sheet)


@pytest.mark.parametrize("arguments", [["--help"], ["check", "r.csv"]])
def test_output_to_a_full_disk_is_one_line(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "r.csv").write_text("name: Graz Open\nend_date: 2020-01-19\nrank,name\n1,Ada\n")
    command = [sys.executable, "-m", "palmares", *arguments]
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                              cwd=tmp_path)  # fmt: skip
    assert done.returncode == 1
    assert done.stderr.endswith(
        "Error: The output cannot be written (No space left on device). It is not complete.\n"
    )
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "command",
    [
        ("rank", "usbgf", "{package}", "--race", "{file}"),
        ("totals", "usbgf", "{package}", "--levels", "{file}"),
        ("journal", "race", "{file}", "--journal", "{journal}", "--yes"),
        ("journal", "levels", "usbgf", "{file}", "--journal", "{journal}", "--yes"),
    ],
)
def test_every_file_of_a_race_or_of_levels_is_read_the_same_way(
    tmp_path: Path, command: tuple[str, ...]
) -> None:
    package, file, journal = tmp_path / "package", tmp_path / "f.toml", tmp_path / "federation.db"
    write(package, **BACKGAMMON)
    run("journal", "init", journal)

    def refusal(content: bytes | None) -> str:
        if content is not None:
            file.write_bytes(content)
        places = {"package": package, "file": file, "journal": journal}
        return error(*(word.format(**places) for word in command))

    missing = f"Error: {file}: cannot be read (No such file or directory). Check the path.\n"
    assert refusal(None) == missing
    latin = f"Error: {file}: this is not UTF-8 text. Save it as UTF-8 and try again.\n"
    assert refusal("# für Zürich\n".encode("cp1252")) == latin
    rejected = refusal(b"# a remark\nrace points\n")
    assert f"{file}:2: this line is neither a key with a value nor a heading" in rejected
    done = "recorded" if command[0] == "journal" else "computed"
    assert rejected.startswith(f"Error: 1 problem, nothing was {done}.\n")


def test_a_report_that_is_not_added_was_not_recorded(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text("[tournament]\n")
    run("journal", "init", tmp_path / "federation.db")
    said = error("add", tmp_path / "r.toml", "--journal", tmp_path / "federation.db", "--yes")
    assert said.startswith("Error: 2 problems, nothing was recorded.\n")


def test_a_report_is_no_event_to_start_and_no_json(tmp_path: Path) -> None:
    (tmp_path / "r.toml").write_text("[tournament]\nname = Prague\n")
    run("journal", "init", tmp_path / "federation.db")
    said = error("event", "start", tmp_path / "r.toml", "--journal", tmp_path / "federation.db")
    assert "r.toml:2: name is 'Prague', a text without quotes" in said


def test_convert_to_nowhere(tmp_path: Path) -> None:
    said = run("convert", tmp_path / "a.toml").stderr
    assert "Error: Name IN and OUT; or --journal and OUT.\n" in said
