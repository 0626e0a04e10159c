"""``palmares notice``: check, record, show, and the prizes by its rule."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palmares.cli import cli
from tests.tournaments.test_notice import RIGA

RESULT = """
[tournament]
name = "Riga Open 2027"
discipline = "backgammon"
end_date = 2027-03-14

[[event]]
name = "Open"

[event.main]
entrants = 29
placings = '''
1 Ada Novak (CZE)
2 Bo Lund (DEN)
3= Carla Rossi (ITA)
3= Emil Zöllner (GER)
'''

[event.consolation]
entrants = 20
placings = "1 Dirk Øst (NOR)"
"""


def say(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["notice", *map(str, arguments)])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "riga.toml").write_bytes(RIGA)
    (tmp_path / "result.toml").write_text(RESULT, "utf-8")
    return tmp_path


def test_a_notice_is_checked_and_its_points_shown(files: Path) -> None:
    shown = say("check", files / "riga.toml", "--entrants", "32", "--format", "json")
    rows = json.loads(shown.stdout)
    assert {row["regulation"] for row in rows} == {"wbgf", "usbgf"}
    assert {"division": "Open", "for": "a match to 9", "points": 1} in [
        {name: row[name] for name in ("division", "for", "points")} for row in rows
    ]
    warning = "WBGF Backgammon World Ranking: the flight consolation of Intermediate earns nothing"
    assert f"Warning: {warning}" in shown.stderr
    table = say("check", files / "riga.toml").stdout
    assert "Every prize is rounded down to a multiple of 10.00 EUR." in table


def test_a_journal_holds_every_notice_and_why_it_changed(files: Path) -> None:
    journal = files / "federation.db"
    assert CliRunner().invoke(cli, ["journal", "init", "--journal", str(journal)]).exit_code == 0
    within = ("--journal", journal, "--author", "ada", "--role", "director")
    first = say("record", files / "riga.toml", *within)
    assert first.stdout.startswith("Recorded as entry 1: notice of riga-open-2027 ")
    again = say("record", files / "riga.toml", *within)
    assert "is here already; nothing was added" in again.stderr

    changed = RIGA.replace(b'place = "Hotel Bergs, Riga"', b'place = "Hotel Neiburgs, Riga"')
    (files / "riga.toml").write_bytes(changed)
    assert "Give a reason" in say("record", files / "riga.toml", *within).stderr
    moved = say("record", files / "riga.toml", *within, "--reason", "The hotel is full")
    assert moved.exit_code == 0
    shown = say("show", "riga-open-2027", "--journal", journal, "--format", "json")
    reasons = [row["reason"] for row in json.loads(shown.stdout)]
    assert reasons == ["The hotel is full", "first notice"]
    assert "has no notice of other" in say("show", "other", "--journal", journal).stderr

    log = CliRunner().invoke(cli, ["journal", "log", "--journal", str(journal)]).stdout
    assert "The hotel is full" in log
    undone = CliRunner().invoke(
        cli, ["journal", "undo", "2", "--reason", "x", "--journal", str(journal), "--yes"]
    )
    assert "publish a changed notice with a reason" in undone.stderr


def test_prizes_are_reckoned_from_a_report(files: Path) -> None:
    """29 x 200 - 29 x 10 + 1,000 = 6,510: 40 % is 2,604, in tens 2,600, and 20 that is left."""
    by = (files / "riga.toml", files / "result.toml", "--division", "Open")
    rows = list(csv.DictReader(io.StringIO(say("prizes", *by, "--format", "csv").stdout)))
    assert [(row["player"], row["amount"]) for row in rows] == [
        ("Ada Novak", "2620"), ("Bo Lund", "1620"), ("Carla Rossi", "810"),
        ("Emil Zöllner", "810"), ("Dirk Øst", "650"),
    ]  # fmt: skip
    assert sum(int(row["amount"]) for row in rows) == 29 * 200 - 290 + 1000
    split = ("--agreed", "Ada Novak=2240.50", "--agreed", "Bo Lund=1999.50")
    table = say("prizes", *by, *split).stdout
    assert "2240.50" in table
    assert "Agreed among the players: 1,999.50 in place of 1,620.00." in table
    for suffix in ("pdf", "xlsx"):
        assert say("prizes", *by, "-o", files / f"payments.{suffix}").exit_code == 0
        assert (files / f"payments.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ((), "Name one of the divisions: Open, Intermediate."),
        (("--division", "Open", "--event", "Masters"), "Name one event of"),
        (("--division", "Open", "--agreed", "Ada Novack=1"), "Did you mean Ada Novak?"),
        (("--division", "Open", "--agreed", "Ada Novak=1.234"), "1.234 is no amount"),
        (("--division", "Open", "--entrants", "0"), "0 is not in the range"),
    ],
)
def test_what_is_not_clear_is_asked(files: Path, more: tuple[str, ...], why: str) -> None:
    asked = say("prizes", files / "riga.toml", files / "result.toml", *more)
    assert asked.exit_code != 0
    assert why in asked.stderr


def test_a_notice_without_prizes_pays_none(files: Path) -> None:
    (files / "riga.toml").write_bytes(RIGA.partition(b"[prizes]")[0])
    asked = say("prizes", files / "riga.toml", files / "result.toml")
    assert "this notice has no rule of prizes" in asked.stderr
