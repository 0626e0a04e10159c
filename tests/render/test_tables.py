"""Rows written out and read back, with names that mean mischief."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from html.parser import HTMLParser
from pathlib import Path
from shutil import copy
from typing import Any, ClassVar

import openpyxl
import polars as pl
import pytest
from pypdf import PdfReader
from rich.cells import cell_len

from palmares.cli import cli
from palmares.core.errors import Refused
from palmares.render.tables import (
    OutputColumn,
    OutputTable,
    Rows,
    cell,
    emit,
    neutral,
    write_atomically,
)
from tests.house.rules import ROOT
from tests.packages import BACKGAMMON, error, run, write

DAY = ("--as-of", "2019-11-15")
SUFFIXES = (".csv", ".json", ".parquet", ".xlsx", ".pdf", ".html", ".md", ".txt")
PAGE = {"html", "meta", "title", "table", "caption", "thead", "tbody", "tr", "th", "td"}
KEYS = ["rank", "player_id", "player", "nation", "points"]
POINTS = [17.245240761, 9.854423292, 6.450167973, 6.450167973]  # 15400, 8800, 5760, 5760 / 893
MISCHIEF = (
    "=HYPERLINK(0)",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "[red]Ada[/red]",
    "[link=x]y",
    "<script>alert(1)</script>",
    "<b>&amp;</b>",
    'a "quoted" name',
    "a, b",
    "a | b",
    "`x` *y* _z_",
    "'apostrophe",
    "\\[bold]",
    "Žofie d’Ångström-Öz",
    "http://example.org/",
    "0012",
    "1e5",
    "TRUE",
    "{{ 7*7 }}",
    "%s %d {0}",
)


def named(directory: Path, name: str) -> Path:
    """The small package, its first player under another name."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(["a", name, "CZE"])
    players = BACKGAMMON["players"].replace("        a,Ada Novak,CZE\n", "")
    head, _, rest = players.partition("\n")
    together = head.strip() + "\n" + text.getvalue() + rest.replace("        ", "")
    return write(directory, **BACKGAMMON | {"players": together})


class Cells(HTMLParser):
    """The text of the cells of an HTML table, and every tag there was."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        if tag in ("td", "th", "caption"):
            self.cells.append("")

    def handle_data(self, data: str) -> None:
        if self.cells:
            self.cells[-1] += data


class TestEverySuffix:
    """'-o FILE writes a file, whose suffix chooses the format'"""

    @pytest.fixture
    def written(self, backgammon: Path, tmp_path: Path) -> dict[str, Path]:
        files = {suffix: tmp_path / f"list{suffix}" for suffix in SUFFIXES}
        for file in files.values():
            result = run("rank", "wbgf", backgammon, *DAY, "-o", file)
            assert (result.exit_code, result.output) == (0, "")
        return files

    def test_csv(self, written: dict[str, Path]) -> None:
        text = written[".csv"].read_text(encoding="utf-8")
        assert text.splitlines()[:2] == [",".join(KEYS), "1,a,Ada Novak,CZE,17.245240761"]
        assert "\r" not in text

    def test_json_is_what_is_printed(self, written: dict[str, Path], backgammon: Path) -> None:
        printed = run("rank", "wbgf", backgammon, *DAY, "--format", "json").stdout
        assert written[".json"].read_text(encoding="utf-8") == printed
        assert [row["points"] for row in json.loads(printed)] == POINTS

    def test_parquet(self, written: dict[str, Path]) -> None:
        table = pl.read_parquet(written[".parquet"])
        assert table.columns == KEYS
        assert table["points"].to_list() == POINTS
        assert table["rank"].to_list() == [1, 2, 3, 3]
        assert table["nation"].to_list() == ["CZE", "DEU", None, "DEU"]

    def test_xlsx(self, written: dict[str, Path]) -> None:
        sheet = openpyxl.load_workbook(written[".xlsx"]).active
        assert sheet is not None
        found = [list(row) for row in sheet.iter_rows(values_only=True)]
        assert found[0] == KEYS
        assert [row[4] for row in found[1:]] == POINTS
        assert found[1][:4] == [1, "a", "Ada Novak", "CZE"]

    def test_html(self, written: dict[str, Path]) -> None:
        found = Cells(written[".html"].read_text(encoding="utf-8"))
        assert [text.strip() for text in found.cells][5:9] == ["1", "Ada Novak", "CZE", "17.25"]
        assert "caption" in found.tags
        assert '<meta charset="utf-8">' in written[".html"].read_text(encoding="utf-8")

    def test_md(self, written: dict[str, Path]) -> None:
        lines = written[".md"].read_text(encoding="utf-8").splitlines()
        assert "| 1 | Ada Novak | CZE | 17.25 |" in lines

    def test_txt_is_the_table_that_is_printed(
        self, written: dict[str, Path], backgammon: Path
    ) -> None:
        printed = run("rank", "wbgf", backgammon, *DAY).stdout
        assert written[".txt"].read_text(encoding="utf-8") == printed
        assert re.search(r"^ +1  Ada Novak +CZE +17\.25$", printed, re.MULTILINE)

    def test_nothing_else_is_left_behind(self, written: dict[str, Path], tmp_path: Path) -> None:
        left = {path.name for path in tmp_path.iterdir() if path.is_file()}
        assert left == {file.name for file in written.values()}

    @pytest.mark.parametrize("command", ["award", "totals", "explain", "history", "regulations"])
    @pytest.mark.parametrize("suffix", SUFFIXES)
    def test_every_command_writes_every_format(
        self, backgammon: Path, tmp_path: Path, command: str, suffix: str
    ) -> None:
        asked: dict[str, list[object]] = {
            "award": ["wbgf", backgammon],
            "totals": ["usbgf", backgammon],
            "explain": ["wbgf", backgammon, "--player", "a", *DAY],
            "history": ["wbgf", backgammon, "--player", "a", "--until", "2020-01-31"],
            "regulations": ["wbgf"],
        }
        file = tmp_path / f"out{suffix}"
        result = run(command, *asked[command], "-o", file)
        assert (result.exit_code, result.stdout) == (0, ""), result.output
        content = file.read_bytes()
        if suffix == ".parquet":
            assert pl.read_parquet(file).columns
        elif suffix == ".xlsx":
            assert openpyxl.load_workbook(file).active is not None
        elif suffix == ".json":
            assert isinstance(json.loads(content), list)
        elif suffix == ".pdf":
            assert PdfReader(file).pages[0].extract_text()
        else:
            assert content.endswith(b"\n")

    def test_an_empty_list_in_every_format(self, backgammon: Path, tmp_path: Path) -> None:
        for suffix in SUFFIXES:
            file = tmp_path / f"none{suffix}"
            result = run("rank", "wbgf", backgammon, "--as-of", "2000-01-01", "-o", file)
            assert result.exit_code == 0
            assert file.stat().st_size
        assert pl.read_parquet(tmp_path / "none.parquet").columns == KEYS

    def test_types_of_a_parquet_list_do_not_depend_on_its_rows(
        self, backgammon: Path, tmp_path: Path
    ) -> None:
        """Somebody stacks the lists of several days: the columns must fit together."""
        for day in ("2000-01-01", "2019-11-15"):
            run("rank", "wbgf", backgammon, "--as-of", day, "-o", tmp_path / f"{day}.parquet")
        none, some = (
            pl.read_parquet(tmp_path / f"{day}.parquet") for day in ("2000-01-01", "2019-11-15")
        )
        assert none.schema == some.schema

    def test_capitals_in_a_suffix(self, backgammon: Path, tmp_path: Path) -> None:
        file = tmp_path / "LIST.JSON"
        assert run("rank", "wbgf", backgammon, *DAY, "-o", file).exit_code == 0
        assert len(json.loads(file.read_bytes())) == 4
        why = tmp_path / "WHY.JSON"
        run("explain", "wbgf", backgammon, "--player", "a", "-o", why)
        assert json.loads(why.read_bytes())[0]["player"] == "Ada Novak"


class TestMischief:
    """'Cells that start with =, +, -, @ are neutralised in CSV and Excel output'"""

    @pytest.mark.parametrize("name", MISCHIEF)
    def test_csv(self, tmp_path: Path, name: str) -> None:
        package = named(tmp_path / "p", name)
        printed = run("rank", "wbgf", package, *DAY, "--format", "csv").stdout
        found = list(csv.reader(io.StringIO(printed)))[1][2]
        assert found in (name, "'" + name)
        assert not found.startswith(("=", "+", "-", "@"))

    @pytest.mark.parametrize("name", MISCHIEF)
    def test_xlsx(self, tmp_path: Path, name: str) -> None:
        package = named(tmp_path / "p", name)
        file = tmp_path / "list.xlsx"
        assert run("rank", "wbgf", package, *DAY, "-o", file).exit_code == 0
        sheet = openpyxl.load_workbook(file).active
        assert sheet is not None
        held = sheet.cell(2, 3)
        assert held.data_type == "s"
        assert held.hyperlink is None
        assert held.value in (name, "'" + name)
        assert not str(held.value).startswith(("=", "+", "-", "@"))

    def test_what_we_neutralised_is_itself_again_when_we_read_it(self, tmp_path: Path) -> None:
        package = named(tmp_path / "p", "'=1+1")
        printed = run("rank", "wbgf", package, *DAY, "--format", "json").stdout
        assert json.loads(printed)[0]["player"] == "=1+1"

    @pytest.mark.parametrize("name", MISCHIEF)
    def test_json_and_parquet_hold_the_name_itself(self, tmp_path: Path, name: str) -> None:
        package = named(tmp_path / "p", name)
        printed = run("rank", "wbgf", package, *DAY, "--format", "json").stdout
        assert json.loads(printed)[0]["player"] == name
        file = tmp_path / "list.parquet"
        run("rank", "wbgf", package, *DAY, "-o", file)
        assert pl.read_parquet(file)["player"][0] == name

    @pytest.mark.parametrize("name", MISCHIEF)
    def test_html_shows_the_name_and_obeys_nothing(self, tmp_path: Path, name: str) -> None:
        package = named(tmp_path / "p", name)
        page = run("rank", "wbgf", package, *DAY, "--format", "html").stdout
        found = Cells(page)
        assert name in found.cells
        assert set(found.tags) <= PAGE
        title = run("explain", "wbgf", package, *DAY, "--player", "a", "--format", "html").stdout
        assert set(Cells(title).tags) == set(found.tags)

    @pytest.mark.parametrize("name", MISCHIEF)
    def test_markdown_keeps_its_columns(self, tmp_path: Path, name: str) -> None:
        package = named(tmp_path / "p", name)
        page = run("rank", "wbgf", package, *DAY, "--format", "md").stdout
        row = next(line for line in page.splitlines() if line.startswith("| 1 |"))
        assert len(re.findall(r"(?<!\\)\|", row)) == 5
        assert not re.search(r"(?<!\\)<", row)
        assert re.sub(r"\\(.)", r"\1", row.split(" | ", 1)[1]).startswith(name)

    @pytest.mark.parametrize("name", MISCHIEF)
    def test_tables_and_explanations_show_the_name_as_it_is(
        self, tmp_path: Path, name: str
    ) -> None:
        package = named(tmp_path / "p", name)
        assert name in run("rank", "wbgf", package, *DAY).stdout
        told = run("explain", "wbgf", package, *DAY, "--player", name)
        assert told.exit_code == 0
        assert told.stdout.startswith(f"{name} (CZE): 17.25 points, rank 1 of 4")

    @pytest.mark.parametrize("name", ["Ada\u202e Novak", "A\u2066da", "A\x1b[31mda", "A\x07da"])
    def test_what_cannot_be_seen_is_refused_and_not_shown(self, tmp_path: Path, name: str) -> None:
        package = named(tmp_path / "p", name)
        said = error("rank", "wbgf", package)
        assert "players.csv:2: name" in said
        assert not set(said) & set("\u202e\u2066\x1b\x07")

    def test_a_terminal_gets_no_colours_from_names(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Rich reads [red]; on a terminal the name must come out as it is written."""

        for name in ("[red]Ada[/red]", "[link=file:///]x", ":smiley:"):
            screen = Terminal()
            monkeypatch.setattr("sys.stdout", screen)
            emit(
                OutputTable(
                    rows=[{"player": name}],
                    columns=[OutputColumn("player")],
                    title="[bold]T",
                    notes=["[blink]n"],
                )
            )
            monkeypatch.undo()
            shown = screen.getvalue()
            assert all(text in shown for text in (name, "[bold]T", "[blink]n"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def emitted(
    monkeypatch: pytest.MonkeyPatch, room: int, rows: Rows, columns: list[OutputColumn], **more: Any
) -> list[str]:
    """The lines of a table that a terminal of so many columns shows."""
    return _on_terminal(
        monkeypatch, room, lambda: emit(OutputTable(rows=rows, columns=columns, **more))
    )


def on_terminal(monkeypatch: pytest.MonkeyPatch, room: int, *command: str) -> list[str]:
    """The lines that a command shows on a terminal of so many columns."""

    def invoke() -> None:
        with suppress(SystemExit):
            cli.main(list(command), prog_name="palmares")

    return _on_terminal(monkeypatch, room, invoke)


def _on_terminal(
    monkeypatch: pytest.MonkeyPatch, room: int, write: Callable[[], None]
) -> list[str]:
    monkeypatch.setenv("COLUMNS", str(room))
    screen = Terminal()
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdout", screen)
        patched.setattr("sys.stderr", screen)
        write()
    return [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", screen.getvalue()).splitlines()]


class TestOnATerminal:
    """'tables fit 80 columns (columns by priority, numbers never cut, --wide for all)'"""

    COLUMNS: ClassVar = [
        OutputColumn("player"),
        OutputColumn("id", hidden=True),
        OutputColumn("event"),
        OutputColumn("entrants", kind="number"),
        OutputColumn("points", kind="points", priority=0),
        OutputColumn("day", kind="date", priority=2),
    ]
    ROWS: ClassVar = [
        {"player": "Ada Novak", "id": "P7", "event": "Main of the Winter Cup in Prague",
         "entrants": 1_000_000, "points": 123_456_789_010_000_000, "day": date(2019, 12, 31)},
        {"player": "Bo Lind", "id": "P8", "event": "Main", "entrants": 8, "points": 0},
    ]  # fmt: skip

    def shown(self, monkeypatch: pytest.MonkeyPatch, room: int, **more: Any) -> list[str]:
        more.setdefault("remedy", "--wide shows every column")  # as the command line says it
        return emitted(monkeypatch, room, self.ROWS, self.COLUMNS, **more)

    @pytest.mark.parametrize("room", [12, 20, 30, 40, 50, 60, 80])
    def test_no_line_is_wider_and_no_number_is_cut(
        self, monkeypatch: pytest.MonkeyPatch, room: int
    ) -> None:
        lines = self.shown(monkeypatch, room, notes=["a note"])
        assert max(map(len, lines)) <= room
        assert any(line.endswith("123456789.01") or "123456789.01 " in line for line in lines)
        assert "…" not in "".join(lines)

    def test_everything_where_there_is_room(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert self.shown(monkeypatch, 80) == [
            "player     event                             entrants        points  day",
            "─" * 79,
            "Ada Novak  Main of the Winter Cup in Prague   1000000  123456789.01  2019-12-31",
            "Bo Lind    Main                                     8          0.00",
        ]

    def test_words_are_broken_before_a_column_goes(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = self.shown(monkeypatch, 70)
        assert "Ada Novak  Main of the Winter Cup    1000000" in lines[2]
        assert lines[3].split() == ["in", "Prague"]

    def test_columns_go_by_priority_and_are_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lines = self.shown(monkeypatch, 55)
        assert lines[0].split() == ["player", "event", "entrants", "points"]
        assert lines[-1] == "No room for day: --wide shows every column."
        assert self.shown(monkeypatch, 25)[0].split() == ["player", "points"]

    def test_what_says_the_same_in_every_row_goes_first(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        rows = [{"flight": "main", "player": name} for name in ("Ada Novak", "Bo Lind")]
        lines = emitted(monkeypatch, 12, rows, [OutputColumn("flight"), OutputColumn("player")])
        assert lines[0] == "player"
        assert " ".join(lines).endswith("No room for flight.")

    def test_wide_has_ids_too_wherever_it_goes(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        lines = self.shown(monkeypatch, 20, wide=True)
        assert lines[0].split() == ["player", "id", "event", "entrants", "points", "day"]
        table = OutputTable(rows=self.ROWS, columns=self.COLUMNS, wide=True)
        emit(table, output=tmp_path / "list.txt")
        assert (tmp_path / "list.txt").read_text().splitlines() == lines

    def test_wide_characters_count_twice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = [{"player": "松本" * 10, "points": 10**9}]
        lines = emitted(
            monkeypatch, 30, rows, [OutputColumn("player"), OutputColumn("points", kind="points")]
        )
        assert max(map(cell_len, lines)) <= 30
        assert lines[2].endswith("1.00")

    def test_columns_of_a_file_are_straight(self, tmp_path: Path) -> None:
        rows = [{"player": "松本", "points": 10**9}, {"player": "Ada Novak", "points": 0}]
        columns = [OutputColumn("player"), OutputColumn("points", kind="points")]
        emit(OutputTable(rows=rows, columns=columns), output=tmp_path / "a.txt")
        widths = {cell_len(line) for line in (tmp_path / "a.txt").read_text().splitlines()}
        assert widths == {len("Ada Novak    0.00")}

    @pytest.mark.parametrize("room", [40, 80])
    def test_commands_keep_what_matters(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, room: int
    ) -> None:
        """The outcome of a file, what an entry states, and no line that is wider."""
        season = tmp_path / "season"
        season.mkdir()
        (season / "ending.toml").write_text("name = [")
        copy(ROOT / "examples/backgammon/2019-merit-open.toml", season)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PALMARES_JOURNAL", "f.db")
        run("journal", "init")
        added = on_terminal(
            monkeypatch, room, "add", "season", "--skip-broken", "--author", "Rita", "--yes"
        )
        assert any(line.endswith("in order") for line in added)
        assert any("1 problem" in line for line in added)
        logged = on_terminal(monkeypatch, room, "journal", "log")
        assert "entry" in logged[0]
        assert "what" in logged[0]
        assert any("7th Merit Open" in line for line in logged)
        assert not any(re.search(r"\d\d:\d\d:\d\d", line) for line in logged)
        why = on_terminal(monkeypatch, 80, "explain", "wbgf", "--player", "Harald Johanni",
                          "--as-of", "2019-12-31")  # fmt: skip
        assert max(map(len, logged)) <= room
        assert any(line.startswith("Harald Johanni") for line in why)
        assert max(map(len, why)) <= 80

    def test_a_comparison_keeps_the_points_of_both_lists(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, backgammon: Path
    ) -> None:
        theirs = tmp_path / "theirs.csv"
        theirs.write_text("rank,player,nation,points\n1,Ada Novak,CZE,99\n2,Ben Ode,GER,9.85\n")
        shown = on_terminal(monkeypatch, 66, "compare", "wbgf", str(theirs), str(backgammon), *DAY)
        assert any(line.startswith("differs") and "99" in line for line in shown)
        assert any("theirs" in line and "ours" in line and "cause" in line for line in shown)
        assert max(map(len, shown)) <= 66

    def test_a_difference_keeps_its_cause(
        self, monkeypatch: pytest.MonkeyPatch, backgammon: Path
    ) -> None:
        shown = on_terminal(monkeypatch, 56, "diff", "wbgf", "2019-01-01", DAY[1], str(backgammon))
        assert any(line.endswith("why") for line in shown)

    def test_entries_have_moments_in_minutes(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, backgammon: Path
    ) -> None:
        monkeypatch.chdir(tmp_path)
        run("journal", "init", "f.db")
        monkeypatch.setenv("PALMARES_JOURNAL", "f.db")
        run("add", backgammon, "--author", "Rita", "--yes")
        shown = on_terminal(monkeypatch, 80, "journal", "log")
        assert any(re.search(r" \d{4}-\d\d-\d\d \d\d:\d\d ", line) for line in shown)


class TestWholeOrNotAtAll:
    """'nothing half-written'"""

    def test_a_directory_that_is_not_there(self, backgammon: Path, tmp_path: Path) -> None:
        file = tmp_path / "no" / "list.csv"
        said = error("rank", "wbgf", backgammon, *DAY, "-o", file)
        assert str(file) in said
        assert "Nothing was written" in said
        assert not file.parent.exists()

    def test_a_directory_in_its_place(self, backgammon: Path, tmp_path: Path) -> None:
        result = run("rank", "wbgf", backgammon, *DAY, "-o", tmp_path)
        assert result.exit_code == 2
        assert result.stdout == ""

    def test_a_place_that_takes_no_file(self, backgammon: Path) -> None:
        """Even root may write no file there."""
        assert "Nothing was written" in error(
            "rank", "wbgf", backgammon, *DAY, "-o", "/proc/self/list.csv"
        )

    @pytest.mark.parametrize("suffix", [".ps", ".xls", ".csv.gz", ".jsonl", ".toml"])
    def test_a_suffix_we_do_not_write(self, backgammon: Path, tmp_path: Path, suffix: str) -> None:
        before = sorted(tmp_path.iterdir())
        said = error("rank", "wbgf", backgammon, *DAY, "-o", tmp_path / f"list{suffix}")
        assert ".csv" in said
        slow = error("rank", "wbgf", tmp_path / "nothing", *DAY, "-o", tmp_path / f"list{suffix}")
        assert slow == said  # before any work
        assert sorted(tmp_path.iterdir()) == before

    @pytest.mark.parametrize("suffix", SUFFIXES)
    def test_an_error_leaves_the_old_file(self, tmp_path: Path, suffix: str) -> None:
        placings = BACKGAMMON["placings"].replace("E,d,3", "E,d,5")
        package = write(tmp_path / "p", **BACKGAMMON | {"placings": placings})
        file = tmp_path / f"list{suffix}"
        file.write_bytes(b"old")
        error("rank", "wbgf", package, "-o", file)
        assert file.read_bytes() == b"old"
        assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["p", file.name])

    def test_a_failure_while_writing_leaves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(source: object, target: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "replace", full)
        file = tmp_path / "list.csv"
        file.write_bytes(b"old")
        with pytest.raises(Refused, match="No space left on device"):
            write_atomically(file, b"new")
        assert [path.name for path in tmp_path.iterdir()] == ["list.csv"]
        assert file.read_bytes() == b"old"

    def test_a_pipe_is_written_into_and_stays(self, tmp_path: Path) -> None:
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        write_atomically(pipe, b"list")
        assert os.read(reader, 10) == b"list"
        os.close(reader)
        assert pipe.is_fifo()

    def test_a_link_still_leads_to_the_file(self, tmp_path: Path) -> None:
        file = tmp_path / "list.csv"
        (tmp_path / "link").symlink_to(file)
        write_atomically(tmp_path / "link", b"list")
        assert file.read_bytes() == b"list"

    def test_a_new_file_has_the_permissions_of_any_new_file(self, tmp_path: Path) -> None:
        write_atomically(tmp_path / "ours", b"")
        (tmp_path / "any").touch()
        assert (tmp_path / "ours").stat().st_mode == (tmp_path / "any").stat().st_mode


class TestCells:
    @pytest.mark.parametrize(
        ("text", "safe"),
        [
            ("=1", "'=1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@x", "'@x"),
            ("\tx", "'\tx"),
            ("\rx", "'\rx"),
            ("x=1", "x=1"),
            ("", ""),
        ],
    )
    def test_neutral(self, text: str, safe: str) -> None:
        assert neutral(text) == safe

    @pytest.mark.parametrize(
        ("nanopoints", "exact", "shown"),
        [
            (17_245_240_761, "17.245240761", "17.25"),
            (1, "0.000000001", "0.00"),
            (-1, "-0.000000001", "0.00"),
            (-5_000_000, "-0.005", "-0.01"),
            (5_000_000, "0.005", "0.01"),
            (4_999_999, "0.004999999", "0.00"),
            (10**18, "1000000000", "1000000000.00"),
            (0, "0", "0.00"),
        ],
    )
    def test_points(self, nanopoints: int, exact: str, shown: str) -> None:
        column = OutputColumn("points", kind="points")
        assert cell(nanopoints, column) == exact
        assert cell(nanopoints, column, 2) == shown

    def test_a_negative_number_is_a_number_in_csv(self, capsys: pytest.CaptureFixture[str]) -> None:
        """A change of rating may be -1.5; an apostrophe would make it text."""
        columns = [OutputColumn("change", kind="number"), OutputColumn("n")]
        emit(OutputTable(rows=[{"change": -1.5, "n": "-1.5"}], columns=columns), "csv")
        assert capsys.readouterr().out == "change,n\n-1.5,'-1.5\n"

    def test_pages_have_a_minus_where_files_for_programs_have_a_hyphen(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        columns = [
            OutputColumn("vp", kind="number"),
            OutputColumn("id"),
            OutputColumn("day", "", "date"),
        ]
        rows = [{"vp": "-0.50 / 12.00", "id": "a -1", "day": date(2019, 1, 2)}]
        emit(OutputTable(rows=rows, columns=columns), "html")
        html = capsys.readouterr().out
        assert ">\u22120.50 / 12.00<" in html
        assert ">a -1<" in html
        assert ">2019-01-02<" in html

    def test_a_format_that_needs_a_file(self) -> None:
        with pytest.raises(Refused, match=r"needs a file: -o FILE\.xlsx"):
            emit(OutputTable(rows=[], columns=[OutputColumn("a")]), "xlsx")
