"""The state of the site: made once, kept within bounds, grown with the journal, never half seen."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from threading import Barrier

from palmares.journal.store.journal import Journal
from palmares.points import awards
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.web.http.state import THINGS, AppState, SingleFlightCache
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.points import slow
from tests.web.seasons import WINTER, winter

DAY = Selection(as_of=date(2019, 12, 31))


def test_a_thing_is_made_once_for_all_who_ask_together() -> None:
    shelf, made, together = SingleFlightCache(2), [], Barrier(8)

    def make() -> int:
        made.append(1)
        return len(made)

    def ask(_: int) -> int:
        together.wait()
        return shelf.once("key", make)

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(ask, range(8))) == {1}
    assert len(made) == 1


def test_the_oldest_go() -> None:
    shelf = SingleFlightCache(2)
    for number in range(3):
        shelf.once(number, lambda number=number: number)  # type: ignore[misc]
    assert [shelf.cached(number) for number in range(3)] == [None, 1, 2]
    assert shelf.once(0, lambda: 10) == 10


def test_what_fails_is_tried_again() -> None:
    shelf = SingleFlightCache(2)

    def fail() -> int:
        raise ValueError

    for _ in range(2):
        try:
            shelf.once("key", fail)
        except ValueError:
            continue
    assert shelf.once("key", lambda: 1) == 1


def test_awards_grow_with_the_journal(app_state: AppState, journal: Journal) -> None:
    winter(journal)
    before = app_state.snapshot(at_once=True)
    first = before.ranking("wbgf", DAY).frame
    assert dict(first.select("player_id", "nanopoints").iter_rows()) == WINTER
    journal.record([say.withdrawal("Winter"), say.player("P9")], OFFICER)
    journal.record([say.report("More", {"P9": 1, "P3": 2}, day="2019-12-24")], OFFICER)
    after = app_state.snapshot(at_once=True)
    whole = slow.rank(awards.award(Question(regulation="wbgf"), after.facts), DAY).frame
    found = after.ranking("wbgf", DAY).frame
    assert found.select(whole.columns).equals(whole)
    assert after.awarded.cached("wbgf") is not None
    assert before.ranking("wbgf", DAY).frame.equals(first)  # whoever looks on sees no change


def test_awards_stay_however_much_is_cached(app_state: AppState, journal: Journal) -> None:
    """Ranks and totals are cached by the players' numbers, which awards made anew may change."""
    winter(journal)
    snapshot = app_state.snapshot(at_once=True)
    given = snapshot.awards("wbgf")
    for number in range(THINGS):
        snapshot.once(number, lambda: None)
    assert snapshot.awards("wbgf") is given


def test_what_cannot_be_awarded_stops_nobody_else(app_state: AppState, journal: Journal) -> None:
    winter(journal)
    assert app_state.snapshot(at_once=True).ranking("wbgf", DAY).frame.height == 4
    found = say.tables("Abroad", {"P1": 1, "P2": 2})
    found["tournaments"]["currency"] = ["ARS"]  # no bank knows its rate
    report = say.report("Abroad", {"P1": 1, "P2": 2})
    report.body["tables"].update(found)
    journal.record([report], OFFICER)
    known = app_state.snapshot(at_once=True)
    assert known.head == journal.head()
    listed = known.ranking("wbgf", DAY)
    assert listed.frame.height == 4
    assert ["ARS" in one.why for one in listed.waiting] == [True]
    journal.record([say.rate("ARS", "2019-11-14", "0.02")], OFFICER)
    assert app_state.snapshot(at_once=True).ranking("wbgf", DAY).frame.height == 4


def test_nations_are_what_rankings_make_of_them(app_state: AppState, journal: Journal) -> None:
    winter(journal)
    known = app_state.snapshot(at_once=True)
    whole = slow.rank(awards.award(Question(regulation="wbgf"), known.facts), DAY, by="nation")
    found = known.ranking("wbgf", DAY, by="nation")
    assert found.frame.select(whole.frame.columns).equals(whole.frame)
    assert found.notices == whole.notices
