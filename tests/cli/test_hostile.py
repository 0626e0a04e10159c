"""Forty hostile names through the commands: no terminal obeys them, and no file runs them."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

import openpyxl
import polars as pl
import pytest
from click.testing import CliRunner, Result

from palmares.cli import cli
from tests.hostile import NAMES, TAKEN

TEXTS = [one.text for one in TAKEN]
TYPED = [one.text.replace("\x00", "") for one in NAMES]  # no system hands NUL on
PACKAGE = "package"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")
"""What moves a cursor, rings, or turns letters round."""
LISTS: Sequence[Sequence[str]] = (
    ("award", "wbgf", PACKAGE),
    ("rank", "wbgf", PACKAGE, "--as-of", "2019-12-31"),
    ("explain", "wbgf", PACKAGE, "--player", TEXTS[1], "--as-of", "2019-12-31"),
    ("history", "wbgf", PACKAGE, "--player", TEXTS[1]),
    ("standings", PACKAGE),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of a backgammon event and of a bridge event; whatever is a text attacks."""
    found = tmp_path_factory.mktemp("hostile")
    (found / PACKAGE).mkdir()
    last = len(TEXTS) // 2 * 2
    pairs = [
        (number, TEXTS[at], TEXTS[(at + 1 + 2 * number) % last])
        for number in range(2)
        for at in range(0, last, 2)
    ]
    tables: dict[str, list[Sequence[object]]] = {
        "players": [("player_id", "name"), *((one, one) for one in TEXTS)],
        "tournaments": [
            ("tournament_id", "name", "discipline", "end_date", "city"),
            (TEXTS[0], TEXTS[3], "backgammon", "2019-12-15", TEXTS[5]),
            (TEXTS[1], TEXTS[30], "bridge", "2019-12-15", TEXTS[4]),
        ],
        "events": [
            ("event_id", "tournament_id", "name", "kind", "entry_fee", "team"),
            (TEXTS[1], TEXTS[0], TEXTS[2], "championship", 100, ""),
            (TEXTS[2], TEXTS[1], TEXTS[6], "other", "", "true"),
        ],
        "flights": [
            ("event_id", "flight", "entrants"), (TEXTS[1], "main", len(TEXTS)),
        ],
        "placings": [
            ("event_id", "flight", "player_id", "rank"),
            *((TEXTS[1], "main", one, at + 1) for at, one in enumerate(TEXTS)),
        ],
        "team_matches": [
            ("match_id", "event_id", "round", "home", "away", "boards", "home_imps", "away_imps"),
            *((f"M{at}", TEXTS[2], number + 1, home, away, 20, 30 + at, 10)
              for at, (number, home, away) in enumerate(pairs)),
        ],
    }  # fmt: skip
    for name, rows in tables.items():
        with (found / PACKAGE / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(rows)
    return found


@pytest.fixture
def asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """Whoever types, beside the package."""
    monkeypatch.chdir(folder)
    return CliRunner()


def told(runner: CliRunner, *arguments: str) -> Result:
    """What a command says, as it would go to a terminal."""
    done = runner.invoke(cli, arguments, color=True)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.mark.parametrize("command", LISTS, ids=[one[0] for one in LISTS])
def test_no_list_moves_the_cursor(asked: CliRunner, command: Sequence[str]) -> None:
    done = told(asked, *command)
    assert done.exit_code == 0, done.output
    assert OBEYED.findall(done.output) == []
    assert TEXTS[1][:20] in done.output


@pytest.mark.parametrize("text", TYPED, ids=[one.attacks for one in NAMES])
def test_no_message_does(asked: CliRunner, text: str) -> None:
    """What was typed is told again, and does nothing."""
    for command in (
        ("check", text),
        ("rank", text, PACKAGE),
        ("rank", "wbgf", PACKAGE, "--as-of", text),
        ("explain", "wbgf", PACKAGE, "--player", f"nobody {text}"),
    ):
        done = told(asked, *command)
        assert done.exit_code in (1, 2), done.output
        assert OBEYED.findall(done.output) == []


@pytest.mark.parametrize("command", LISTS, ids=[one[0] for one in LISTS])
def test_files_hold_names_and_run_nothing(
    asked: CliRunner, command: Sequence[str], tmp_path: Path
) -> None:
    for suffix in ("csv", "json", "md", "html", "xlsx", "parquet"):
        file = tmp_path / f"list.{suffix}"
        assert told(asked, *command, "-o", str(file)).exit_code == 0
    with (tmp_path / "list.csv").open(newline="", encoding="utf-8-sig") as opened:
        cells = [cell for row in csv.reader(opened) for cell in row]
    assert [one for one in cells if re.match(r"[=+@\t\r]|-(?![0-9.])", one)] == []
    sheets = openpyxl.load_workbook(tmp_path / "list.xlsx").worksheets
    kinds = {cell.data_type for sheet in sheets for row in sheet.iter_rows() for cell in row}
    assert kinds <= {"s", "n", "d", "b"}  # "f" is a formula
    seen: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: seen.extend(  # type: ignore[method-assign]
        [tag, *(name for name, _ in attrs)]
    )
    parser.feed((tmp_path / "list.html").read_text(encoding="utf-8"))
    assert {"script", "img", "svg", "textarea", "iframe"} & {*seen} == set()
    assert [one for one in seen if one.startswith("on")] == []
    assert pl.read_parquet(tmp_path / "list.parquet").height > 0
