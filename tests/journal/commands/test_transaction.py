"""What is put down is checked before it is recorded, and recorded whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from palmares.core.errors import FactsRejected, Refused
from palmares.journal.commands.transaction import (
    Action,
    ActionResult,
    Transaction,
    dry_run,
    record_entries,
)
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal, create_journal
from tests.journal import statements as say
from tests.journal.statements import OFFICER, placed


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def journal(journal_url: str) -> Iterator[Journal]:
    """Three players and two tournaments: entries 1 to 5."""
    found = create_journal(journal_url)
    found.record([say.player(one) for one in ("P1", "P2", "P3")], OFFICER)
    found.record([say.report("T", {"P1": 1, "P2": 2}), say.report("U", {"P3": 1})], OFFICER)
    yield found
    found.close()


def put(*drafts: Draft) -> Action:
    """An action that puts down what it is given."""

    def action(desk: Transaction) -> None:
        for draft in drafts:
            desk.extend([draft])

    return action


def problem(journal: Journal, *drafts: Draft) -> str:
    """What is said against recording something; nothing is recorded."""
    head = journal.head()
    with pytest.raises(FactsRejected) as refused:
        record_entries(journal, OFFICER, put(*drafts))
    assert journal.head() == head
    return str(refused.value)


def test_what_was_recorded(journal: Journal) -> None:
    done = record_entries(journal, OFFICER, put(say.report("V", {"P1": 1}), say.withdrawal("U")))
    assert [(one.sequence, one.kind) for one in done.entries] == [(6, "report"), (7, "withdrawal")]
    assert done.delta.tournaments == {"U", "V"}
    assert placed(done.delta.after) == placed(load_projection(journal))


def test_an_entry_of_the_future_is_told(journal: Journal) -> None:
    """Whichever clock is wrong: every later entry gets a later time, and never an earlier one."""
    later = replace(journal, clock=lambda: datetime(2099, 1, 1, tzinfo=UTC))
    assert record_entries(later, OFFICER, put(say.withdrawal("U"))).notices == ()
    (notice,) = record_entries(journal, OFFICER, put(say.report("V", {"P1": 1}))).notices
    assert notice.where == "entry 6"
    assert notice.what.startswith("it has the time 2099-01-01T00:00:00, and this computer's clock")


def test_a_rehearsal_leaves_nothing(journal: Journal) -> None:
    done = dry_run(journal, OFFICER, put(say.withdrawal("U")))
    assert len(done.entries) == 1
    assert journal.head().sequence == 5
    assert len(placed(load_projection(journal))) == 3


class TestContradictions:
    def test_a_merge_that_puts_somebody_twice_into_a_flight(self, journal: Journal) -> None:
        assert "P1 is placed twice in the main of Main (T Open)" in problem(
            journal, say.merge("P2", "P1")
        )

    def test_a_player_nobody_knows(self, journal: Journal) -> None:
        assert "P9" in problem(journal, say.report("V", {"P9": 1}))

    def test_undoing_a_player_who_was_placed(self, journal: Journal) -> None:
        assert "P3" in problem(journal, say.undo(3))

    def test_an_event_of_another_tournament(self, journal: Journal) -> None:
        draft = say.report("V", {"P1": 1})
        draft.body["tables"]["events"]["event_id"] = ["T/main"]
        draft.body["tables"]["placings"]["event_id"] = ["T/main"]
        said = problem(journal, draft)
        assert "an event with the id T/main is in entry 4 already, of another tournament" in said

    def test_ranks_that_skip_nobody(self, journal: Journal) -> None:
        assert "entry 6" in problem(journal, say.report("V", {"P1": 1, "P2": 1, "P3": 2}))

    def test_a_membership_that_ends_before_it_starts(self, journal: Journal) -> None:
        assert "entry 6" in problem(journal, say.membership("P1", "2015-01-01", "2014-12-31"))

    def test_a_membership_of_nobody(self, journal: Journal) -> None:
        assert "P9" in problem(journal, say.membership("P9", "2015-01-01"))

    def test_merges_in_a_circle(self, journal: Journal) -> None:
        record_entries(journal, OFFICER, put(say.merge("P3", "P1")))
        refusal = problem(journal, say.merge("P1", "P3"))
        assert refusal.count("into themselves: P1, P3") == 1
        assert "there is none of this id" not in refusal


class TestWhatWasShown:
    def shown(self, journal: Journal, action: Action) -> ActionResult:
        return dry_run(journal, OFFICER, action)

    def test_it_is_recorded_though_others_recorded_meanwhile(self, journal: Journal) -> None:
        action = put(say.report("V", {"P1": 1}))
        seen = self.shown(journal, action)
        record_entries(journal, OFFICER, put(say.withdrawal("U")))
        done = record_entries(journal, OFFICER, action, preview=seen)
        assert [one.sequence for one in done.entries] == [7]

    def test_it_is_refused_where_it_came_to_something_else(self, journal: Journal) -> None:
        def next_player(desk: Transaction) -> None:
            many = len(desk.projection.state.group("players"))
            desk.extend([say.player(f"P{many + 1}", "Eve")])

        seen = self.shown(journal, next_player)
        record_entries(journal, OFFICER, put(say.player("P4", "Dan")))
        with pytest.raises(Refused, match="has changed since you opened this"):
            record_entries(journal, OFFICER, next_player, preview=seen)
        assert journal.head().sequence == 6
