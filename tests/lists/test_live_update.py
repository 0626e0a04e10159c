"""Awards kept at hand: whatever was recorded, in whatever steps, they are those of the facts."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.journal.commands.transaction import Transaction, record_entries
from palmares.journal.projection.project import EMPTY, Delta, Projection, apply_entries
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal, create_journal
from palmares.lists import live
from palmares.lists.live import JournalAwards
from palmares.points import awards, ledger
from palmares.points.awards import Awards, Question
from palmares.points.rankings import Ranking, Selection
from tests.amounts import amount
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.points import slow

WBGF, USBGF, DPTR = (Question(regulation=name) for name in ("wbgf", "usbgf", "dptr"))
QUESTIONS = (WBGF, USBGF, DPTR)
END_OF_2019 = Selection(as_of=date(2019, 12, 31))


def told(
    tournament: str,
    ranks: say.Ranks,
    day: str = "2019-11-15",
    *,
    fee: str | None = "100",
    currency: str | None = None,
    rounds: int = 3,
) -> Draft:
    """A tournament that every regulation sees, the best of it in a match."""
    tables = say.seen_by_all(tournament, ranks, day, fee, rounds)
    event = f"{tournament}/main"
    tables["tournaments"]["currency"] = [currency]
    first, *others = ranks
    tables["matches"] = {
        "match_id": [f"{tournament}/{one}" for one in others],
        "event_id": [event] * len(others),
        "length": [7] * len(others),
        "winner_id": [first] * len(others),
        "loser_id": others,
    }
    return say.reported(tournament, tables)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """Four players, all members: entries 1 to 8."""
    found = create_journal(str(tmp_path / "federation.db"))
    players = [say.player(f"P{number}", nation="CZE") for number in range(1, 5)]
    members = [say.membership(f"P{number}", "2015-01-01") for number in range(1, 5)]
    found.record([*players, *members], OFFICER)
    yield found
    found.close()


def delta(journal: Journal, before: Projection = EMPTY) -> Delta:
    """How the facts grew up to now."""
    with journal.reading() as reader:
        return apply_entries(before, reader)


def every_award(question: Question, projection: Projection) -> Awards:
    """All awards."""
    return awards.award(question, projection.facts, terms=False)


def at_once(question: Question, projection: Projection, selection: Selection) -> Ranking:
    """The list from all awards."""
    return slow.rank(every_award(question, projection), selection)


def nations_too(found: JournalAwards, selection: Selection, given: Awards | None = None) -> None:
    """Refuse a list of nations that differs from that of all awards."""
    if not found.question.aggregate.latest:
        given = given if given is not None else every_award(found.question, found.projection)
        expected = slow.rank(given, selection, by="nation")
        same(live.ranking(found, selection, by="nation"), expected)


def places_too(found: JournalAwards, selection: Selection) -> None:
    """Refuse ranks that differ from those of the list with names."""
    expected = live.ranking(found, selection).frame.select(ledger.PLACES)
    places = live.places(found, selection)
    assert places.schema == expected.schema
    assert sorted(places.rows()) == sorted(expected.rows())


def same(found: Ranking, expected: Ranking) -> None:
    """Refuse lists that differ in anything."""
    assert found.frame.schema == expected.frame.schema
    assert found.frame.rows() == expected.frame.rows()
    assert found.notices == expected.notices


def each_tournament(found: JournalAwards) -> None:
    """Refuse awards of a tournament, out of those that are kept, that differ from all awards."""
    every = every_award(found.question, found.projection).frame
    for tournament in (*every["tournament_id"].unique(), "no such tournament"):
        expected = every.filter(pl.col("tournament_id") == tournament)
        own = live.of_tournament(found, tournament)
        columns = [name for name in live.AWARDS if name in expected.columns]
        assert own.select(columns).sort(pl.all()).equals(expected.select(columns).sort(pl.all()))


def follow(journal: Journal, question: Question, *steps: list[Draft]) -> JournalAwards:
    """Awards that grew by each step, compared with those of all facts after each."""
    found = live.award_all(question, delta(journal).after)
    for drafts in steps:
        journal.record(drafts, OFFICER)
        step = delta(journal, found.projection)
        found = live.apply_delta(found, step)
        same(
            live.ranking(found, END_OF_2019),
            at_once(question, found.projection, END_OF_2019),
        )
        nations_too(found, END_OF_2019)
        each_tournament(found)
    return found


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: str(one.regulation))
class TestEachStep:
    def test_a_report_and_its_correction(self, journal: Journal, question: Question) -> None:
        first, second = told("T", {"P1": 1, "P2": 2}), told("T", {"P2": 1, "P3": 2})
        found = follow(journal, question, [first], [told("U", {"P1": 1, "P3": 2})], [second])
        assert set(live.ranking(found, END_OF_2019).frame["player_id"]) >= {"P1", "P2"}

    def test_reports_that_were_there_before(self, journal: Journal, question: Question) -> None:
        """What is made anew lies over what was awarded at once."""
        before = [told("T", {"P1": 1, "P2": 2}), told("U", {"P1": 1, "P3": 2}, "2019-11-20")]
        journal.record(before, OFFICER)
        correction = told("T", {"P2": 1, "P1": 2})
        found = follow(journal, question, [correction], [told("V", {"P3": 1, "P2": 2})])
        assert len(found.rows.frame)
        assert len(found.newer.frame)

    def test_a_withdrawal_and_its_undoing(self, journal: Journal, question: Question) -> None:
        found = follow(journal, question, [told("T", {"P1": 1, "P2": 2})], [say.withdrawal("T")])
        assert live.ranking(found, END_OF_2019).frame.is_empty()
        found = follow(journal, question, [say.undo(10)])
        assert not live.ranking(found, END_OF_2019).frame.is_empty()

    def test_merged_and_parted(self, journal: Journal, question: Question) -> None:
        reports = [told("T", {"P1": 1, "P2": 2}), told("U", {"P3": 1, "P2": 2}, "2019-11-20")]
        found = follow(journal, question, reports, [say.merge("P3", "P1")], [say.undo(11)])
        assert "P3" in live.ranking(found, END_OF_2019).frame["player_id"]

    def test_an_event_long_ago(self, journal: Journal, question: Question) -> None:
        """A rating goes on from what is earlier in time, whatever is recorded first."""
        follow(
            journal,
            question,
            [told("U", {"P1": 1, "P2": 2}, "2019-11-20")],
            [told("T", {"P2": 1, "P1": 2}, "2019-02-20")],
        )

    def test_two_on_one_day(self, journal: Journal, question: Question) -> None:
        found = follow(
            journal,
            question,
            [told("U", {"P1": 1, "P2": 2})],
            [told("T", {"P2": 1, "P1": 2})],
            [told("T", {"P2": 1, "P1": 2}, "2019-11-16")],
            [told("T", {"P2": 1, "P1": 2})],
        )
        said = [one for one in found.notices if "same dates" in one.what]
        assert len(said) == (1 if question is DPTR else 0)

    def test_names_and_nations(self, journal: Journal, question: Question) -> None:
        found = follow(
            journal,
            question,
            [told("T", {"P1": 1, "P2": 1})],
            [say.player("P2", "Aaron", "DEU")],
        )
        germans = Selection(as_of=date(2019, 12, 31), nation="GER")
        same(live.ranking(found, germans), at_once(question, found.projection, germans))


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: str(one.regulation))
def test_names_of_many(
    journal: Journal, question: Question, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a name stands is kept: a new player is looked for, and everybody after a new name."""
    monkeypatch.setattr(live, "FEW_PEOPLE", 0)
    follow(
        journal,
        question,
        [told("T", {"P1": 1, "P2": 1})],
        [told("U", {"P3": 1, "P1": 2})],
        [say.player("P2", "Aaron", "DEU")],
        [told("V", {"P4": 1, "P2": 2})],
    )


class TestWhatElseTouches:
    def test_a_membership(self, journal: Journal) -> None:
        """P1 was no member after 2018: his points are forfeited, and those of T alone are asked."""
        reports = [told("T", {"P1": 1, "P2": 2}), told("U", {"P3": 1, "P4": 2})]
        before = follow(journal, USBGF, reports)
        journal.record([say.membership("P1", "2015-01-01", "2018-12-31")], OFFICER)
        ended = delta(journal, before.projection)
        assert live.affected_tournaments(ended) == {"T"}
        found = live.ranking(live.apply_delta(before, ended), END_OF_2019)
        same(found, at_once(USBGF, ended.after, END_OF_2019))
        assert "P1" not in found.frame["player_id"]

    def test_a_membership_that_comes_with_a_merge(self, journal: Journal) -> None:
        journal.record([say.player("P5"), told("T", {"P5": 1, "P2": 2})], OFFICER)
        found = follow(journal, USBGF, [say.merge("P1", "P5")])
        assert "P5" in live.ranking(found, END_OF_2019).frame["player_id"]

    def test_a_rate(self, journal: Journal) -> None:
        """At 0.5 euro a dollar a grade is half as much; tournaments in euro are not looked at."""
        reports = [
            say.rate("USD", "2019-11-15", "0.9"),
            told("T", {"P1": 1, "P2": 2}, currency="USD"),
            told("U", {"P1": 1, "P2": 2}),
        ]
        before = follow(journal, WBGF, reports)
        journal.record([say.rate("USD", "2019-11-15", "0.5")], OFFICER)
        after = delta(journal, before.projection)
        assert live.affected_tournaments(after) == {"T"}
        assert live.affected_tournaments(after, money=False) == set()
        found = live.ranking(live.apply_delta(before, after), END_OF_2019)
        same(found, at_once(WBGF, after.after, END_OF_2019))

    def test_a_rate_that_a_regulation_without_money_does_not_look_at(
        self, journal: Journal
    ) -> None:
        """A preview looks at T and U, awards of the usbgf at U alone: T is not counted twice."""
        dollars = told("T", {"P1": 1, "P2": 2}, currency="USD")
        more = [say.rate("USD", "2019-11-15", "0.5"), told("U", {"P1": 1, "P2": 2})]
        follow(journal, USBGF, [dollars], more)


class TestWaiting:
    def test_a_number_that_is_missing_and_mended(self, journal: Journal) -> None:
        """U counts all the while; T counts from its correction on."""
        journal.record([told("U", {"P1": 1})], OFFICER)
        before = live.award_all(WBGF, delta(journal).after)
        journal.record([told("T", {"P1": 1}, fee=None)], OFFICER)
        then = live.apply_delta(before, delta(journal, before.projection))
        (waiting,) = live.ranking(then, END_OF_2019).waiting
        assert "has no entry fee" in waiting.why
        then_listed, listed = (live.ranking(one, END_OF_2019) for one in (then, before))
        assert then_listed.frame.equals(listed.frame)
        journal.record([say.override("T", entry_fee="100")], OFFICER)
        after = live.apply_delta(then, delta(journal, then.projection))
        assert after.waiting == ()
        found = at_once(WBGF, after.projection, END_OF_2019)
        same(live.ranking(after, END_OF_2019), found)


class TestRefusals:
    def test_facts_that_grew_from_others(self, journal: Journal) -> None:
        found = live.award_all(WBGF, delta(journal).after)
        with pytest.raises(ValueError, match="do not follow the facts"):
            live.apply_delta(found, delta(journal))

    def test_points_of_no_such_kind(self, journal: Journal) -> None:
        found = live.award_all(WBGF, delta(journal).after)
        with pytest.raises(Refused, match="no points of the kind"):
            live.ranking(found, Selection(as_of=date(2019, 12, 31), kind="match"))


class TestTheList:
    def test_only_the_first(self, journal: Journal) -> None:
        """P2 and P3 share rank 2: both are among the first two."""
        found = follow(journal, WBGF, [told("T", {"P1": 1, "P2": 2, "P3": 2, "P4": 4})])
        first = live.ranking(found, END_OF_2019, top=2).frame
        assert first["rank"].to_list() == [1, 2, 2]
        assert live.ranking(found, END_OF_2019, top=10).frame.height == 4

    def test_points_a_nation_kept(self, journal: Journal) -> None:
        """Under W17, at-event, a Czech now who was German then is on the German list."""
        report = told("T", {"P1": 1, "P2": 2})
        report.body["tables"]["placings"]["nation"] = ["DEU", None]
        at_event = Question(regulation="wbgf", chosen={"W17": "at-event"})
        found = follow(journal, at_event, [report])
        germans = Selection(as_of=date(2019, 12, 31), nation="GER")
        assert live.ranking(found, germans).frame["player_id"].to_list() == ["P1"]
        places_too(found, germans)
        now = live.award_all(WBGF, found.projection)
        assert live.ranking(now, germans).frame.is_empty()


class TestPortions:
    def test_a_portion_at_a_time(self, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
        reports = [told(f"T{number}", {"P1": 1, "P2": 2}) for number in range(5)]
        journal.record(reports, OFFICER)
        projection = delta(journal).after
        monkeypatch.setattr(live, "AT_ONCE", 4)
        for question in QUESTIONS:
            found = live.award_all(question, projection)
            expected = at_once(question, projection, END_OF_2019)
            same(live.ranking(found, END_OF_2019), expected)


# ── whatever is recorded ─────────────────────────────────────────────────────────────────────────

PLAYERS = [f"P{number}" for number in range(1, 6)]
_ids, _places = st.sampled_from(PLAYERS), st.sampled_from(["T", "U", "V", "W"])
_reports = st.builds(
    told,
    _places,
    st.dictionaries(_ids, st.integers(1, 3), min_size=1),
    st.sampled_from(["2016-02-29", "2019-11-15", "2019-11-16"]),
    fee=st.sampled_from([*["100", "2.5"] * 6, None]),
    currency=st.sampled_from([None, "USD"]),
    rounds=st.integers(1, 3),
)
STATEMENTS = st.lists(
    st.one_of(
        _reports,
        _reports,
        st.builds(say.withdrawal, _places),
        st.builds(say.override, _places, entry_fee=st.sampled_from(["1", "2.5"])),
        st.builds(say.instead, _places, _ids, _ids),
        st.builds(say.merge, _ids, _ids),
        st.builds(
            say.player, _ids, st.sampled_from(["Ada", "Ben"]), st.sampled_from([None, "DEU"])
        ),
        st.builds(say.membership, _ids, st.just("2015-01-01"), st.none() | st.just("2017-01-01")),
        st.builds(
            say.rate, st.just("USD"), st.just("2019-11-14"), st.sampled_from(["1", "0.5"])
        ),
        st.integers(1, 30),
    ),
    min_size=3,
    max_size=15,
)  # fmt: skip
SELECTIONS = (
    END_OF_2019,
    Selection(as_of=date(2020, 6, 30), since=date(2019, 1, 1), nation="GER"),
    Selection(as_of=date(2019, 11, 15), setting="live"),
)


@settings(max_examples=amount(500))
@given(STATEMENTS, st.sampled_from(QUESTIONS), st.sampled_from([0, live.FEW]))
def test_grown_or_at_once(stated: list[Draft | int], question: Question, few: int) -> None:
    """Awards updated by every statement that can be recorded are those of all facts."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "FEW", few)
        patch.setattr(live, "FEW_PEOPLE", few)
        patch.setattr(live, "MOST", 100)
        journal = create_journal(f"{folder}/journal.db")
        members = [say.membership(one, "2015-01-01") for one in PLAYERS[:3]]
        journal.record([*(say.player(one) for one in PLAYERS), *members], OFFICER)
        projection = delta(journal).after
        kept: JournalAwards | tuple[Problem, ...] = live.award_all(question, projection)
        for one in stated:
            step = _recorded(journal, one, projection)
            if step is None:
                continue
            projection = step.after
            kept = _next(question, kept, step)
            given = _either(lambda: every_award(question, projection))  # noqa: B023  called at once
            for selection in SELECTIONS:
                _compare(kept, given, selection)
        journal.close()


def _recorded(journal: Journal, one: Draft | int, before: Projection) -> Delta | None:
    """How the facts grew by a statement; none if it contradicts them."""
    last = journal.head().sequence
    draft = say.undo(min(one, last)) if isinstance(one, int) else one

    def action(desk: Transaction) -> None:
        desk.extend([draft])

    try:
        return record_entries(journal, OFFICER, action, start=before).delta
    except (FactsRejected, Refused):
        return None


def _next(question: Question, kept: Any, step: Delta) -> Any:
    if isinstance(kept, JournalAwards):
        return _either(lambda: live.apply_delta(kept, step))
    return _either(lambda: live.award_all(question, step.after))


def _either(work: Callable[[], Any]) -> Any:
    """What work comes to, or what is wrong."""
    try:
        return work()
    except FactsRejected as rejected:
        return tuple(rejected.problems)


def _compare(kept: Any, given: Any, selection: Selection) -> None:
    if isinstance(kept, JournalAwards) and isinstance(given, Awards):
        expected = slow.rank(given, selection)
        assert kept.waiting == given.waiting
        same(live.ranking(kept, selection), expected)
        nations_too(kept, selection, given)
        places_too(kept, selection)
        assert live.ranking(kept, selection, top=1).frame.rows() == [
            row for row in expected.frame.rows() if row[3] <= 1
        ]
    else:
        assert kept == given
