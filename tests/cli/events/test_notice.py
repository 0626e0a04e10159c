"""``palmares notice``: check and record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from palmares.cli import cli
from tests.tournaments.test_notice import RIGA


def say(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["notice", *map(str, arguments)])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "riga.toml").write_bytes(RIGA)
    return tmp_path


def test_a_notice_is_checked_and_its_points_shown(files: Path) -> None:
    shown = say("check", files / "riga.toml", "--entrants", "32", "--format", "json")
    rows = json.loads(shown.stdout)
    assert {row["regulation"] for row in rows} == {"wbgf", "usbgf"}
    assert {"division": "Open", "for": "a match to 9", "points": 1} in [
        {name: row[name] for name in ("division", "for", "points")} for row in rows
    ]
    warning = (
        "WBGF Backgammon World Ranking: Riga Open 2027: the flight consolation of Intermediate"
        " earns nothing"
    )
    assert f"Warning: {warning}" in shown.stderr
    table = say("check", files / "riga.toml").stdout
    assert "Every prize is rounded down to a multiple of 10.00 EUR." in table


def test_a_journal_holds_every_notice_and_why_it_changed(files: Path) -> None:
    journal = files / "federation.db"
    assert CliRunner().invoke(cli, ["journal", "init", str(journal)]).exit_code == 0
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
    log = CliRunner().invoke(cli, ["journal", "log", "--journal", str(journal)]).stdout
    assert "The hotel is full" in log
    undone = CliRunner().invoke(
        cli, ["journal", "undo", "2", "--reason", "x", "--journal", str(journal), "--yes"]
    )
    assert "publish a changed notice with a reason" in undone.stderr
