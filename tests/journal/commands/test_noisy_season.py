"""A season of reports by forty clubs, brought in by commands: nobody is there twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.journal import Journal, create_journal
from tests.journal.noisy_season import ONE_BY_ONE, REPORTS, Season, decide, mistakes, season
from tests.journal.reports import arrived
from tests.journal.statements import OFFICER

MOST_TWINS = 2


@pytest.fixture(scope="module")
def noisy() -> Season:
    return season(14)


@pytest.fixture
def empty(tmp_path: Path) -> Journal:
    return create_journal(str(tmp_path / "season.db"))


@pytest.fixture
def folder(noisy: Season, tmp_path: Path) -> Path:
    """All reports as files of one folder, by day."""
    found = tmp_path / "season"
    found.mkdir()
    for one in noisy.reports:
        (found / one.file).write_text(one.text, encoding="utf-8")
    return found


def check(journal: Journal, noisy: Season) -> None:
    """At most two people are two players, and no player is two people."""
    twins, merged = mistakes(journal, noisy)
    assert merged == []
    assert len(twins) <= MOST_TWINS, twins


def test_a_folder_at_once(empty: Journal, noisy: Season, folder: Path) -> None:
    told = [
        one
        for one in record_entries(empty, OFFICER, arrived(folder)).notices
        if one.clause == POSSIBLE_DUPLICATES
    ]
    twins, merged = mistakes(empty, noisy)
    assert len(twins) > 3 * REPORTS  # as many records to merge as forty clubs make of 400 people
    assert merged == []  # nobody is merged by guess
    assert decide(empty, noisy) == len(told) > len(twins)
    check(empty, noisy)


def test_one_by_one(empty: Journal, noisy: Season, folder: Path) -> None:
    """The officer looks at the pairs after each round of the clubs."""
    for number, file in enumerate(sorted(folder.iterdir())[:ONE_BY_ONE], 1):
        record_entries(empty, OFFICER, arrived(file))
        if number % 10 == 0:
            decide(empty, noisy)
    decide(empty, noisy)
    check(empty, noisy)
