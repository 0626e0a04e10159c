"""Which files of a directory are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmares.errors import FactsRejected, PalmaresWarning
from palmares.reading import read

PLAYERS = "player_id,name\na,Ada Novak\n"
REPORT = '[tournament]\nname = "Open"\ndiscipline = "backgammon"\nend_date = 2020-01-05\n'


def test_a_directory_of_reports_and_packages(tmp_path: Path) -> None:
    (tmp_path / "season").mkdir()
    (tmp_path / "season" / "players.csv").write_text(PLAYERS)
    (tmp_path / "open.toml").write_text(REPORT)

    facts = read(tmp_path)

    assert facts["players"]["player_id"].to_list() == ["a"]
    assert facts["tournaments"]["name"].to_list() == ["Open"]


def test_a_report_inside_a_package_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "players.csv").write_text(PLAYERS)
    (tmp_path / "open.toml").write_text(REPORT)

    with pytest.warns(PalmaresWarning, match=r"open\.toml: this is not read"):
        facts = read(tmp_path)

    assert facts["tournaments"].is_empty()


def test_a_directory_with_neither(tmp_path: Path) -> None:
    (tmp_path / "notes.doc").write_text("nothing")

    with pytest.raises(FactsRejected, match="neither a table of facts nor a report"):
        read(tmp_path)


def test_no_such_path(tmp_path: Path) -> None:
    with pytest.raises(FactsRejected, match="there is no such file or directory"):
        read(tmp_path / "nowhere")
