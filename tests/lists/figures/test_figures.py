"""What players ask: every figure is that of the lists, under every regulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmares.core.errors import Refused
from palmares.core.rounding import NANO
from palmares.journal.projection.project import EMPTY, Projection, apply_entries
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal, create_journal
from palmares.lists import live
from palmares.lists.figures.gains import NextEvent, gains
from palmares.lists.figures.movement import (
    EarlierList,
    climbers,
    corrections,
    earlier_list,
    movement,
    published_list,
    winners,
)
from palmares.lists.figures.players import (
    PERIODS,
    against,
    day_totals,
    losses,
    national_rank,
    next_above,
    next_expiry,
    number_of,
    peak,
    player_results,
    won_in,
)
from palmares.lists.figures.rows import RowFigures, row_figures
from palmares.lists.live import JournalAwards
from palmares.points.awards import Question
from palmares.points.history import Fading, days
from palmares.points.rankings import Selection
from tests.journal import statements as say
from tests.journal.statements import OFFICER

WBGF, USBGF, DPTR = (Question(regulation=name) for name in ("wbgf", "usbgf", "dptr"))
QUESTIONS = (WBGF, USBGF, DPTR)
TODAY = date(2021, 6, 30)
EVERY = pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: str(one.regulation))


def told(tournament: str, ranks: say.Ranks, day: str, tied: int = 1, fee: str = "100") -> Draft:
    """A tournament that every regulation sees."""
    tables = say.seen_by_all(tournament, ranks, day, fee)
    if tied > 1:
        tables["placings"]["tied"] = [tied] * len(ranks)
    return say.reported(tournament, tables)


SEASON = (
    told("A", {"P1": 1, "P2": 2}, "2018-09-01"),
    told("B", {"P2": 1, "P3": 2}, "2019-11-15"),
    told("C", {"P3": 1, "P1": 2}, "2020-02-10"),
    told("D", {"P3": 1, "P4": 2}, "2021-06-27"),
)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """Four players, P1 and P3 of one nation, all members, and four tournaments."""
    found = create_journal(str(tmp_path / "federation.db"))
    nations = {"P1": "CZE", "P2": "GER", "P3": "CZE", "P4": None}
    players = [say.player(one, nation=nation) for one, nation in nations.items()]
    members = [say.membership(one, "2015-01-01") for one in nations]
    found.record([*players, *members, *SEASON], OFFICER)
    yield found
    found.close()


def now(journal: Journal, before: Projection = EMPTY) -> Projection:
    with journal.reading() as reader:
        return apply_entries(before, reader).after


def of(journal: Journal, question: Question) -> JournalAwards:
    return live.award_all(question, now(journal))


def listed(given: JournalAwards, day: date, **more: Any) -> dict[str, tuple[int, int]]:
    """Rank and nanopoints by player, as the list of a day has them."""
    frame = live.ranking(given, Selection(as_of=day, **more)).frame
    return {one: (rank, points) for one, rank, points in
            frame.select("player_id", "rank", "nanopoints").iter_rows()}  # fmt: skip


@EVERY
class TestStandings:
    def test_totals_and_ranks_are_those_of_the_list(
        self, journal: Journal, question: Question
    ) -> None:
        given = of(journal, question)
        for day in (date(2018, 8, 31), date(2019, 12, 31), TODAY, TODAY + timedelta(days=300)):
            totals, expected = day_totals(given, day), listed(given, day)
            for player in ("P1", "P2", "P3", "P4"):
                number = number_of(given, player)
                rank, points = expected.get(player, (None, None))
                assert (totals.rank(number), totals.nanopoints(number)) == (rank, points)

    def test_a_national_rank_is_that_of_the_nations_list(
        self, journal: Journal, question: Question
    ) -> None:
        given = of(journal, question)
        totals, expected = day_totals(given, TODAY), listed(given, TODAY, nation="CZE")
        for player in ("P1", "P3"):
            rank = expected[player][0] if player in expected else None
            assert national_rank(player_results(given, player), totals, "CZE") == rank

    def test_the_next_above(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        expected = listed(given, TODAY)
        for player in expected:
            totals = day_totals(given, TODAY)
            assert int(totals.on_list.sum()) == len(expected)
            found = next_above(player_results(given, player), totals)
            higher = [points for rank, points in expected.values() if rank < expected[player][0]]
            assert (found.nanopoints if found else None) == min(higher, default=None)
            if found:
                assert expected[found.player_id] == (found.rank, min(higher))
                assert abs(found.gap - (min(higher) - expected[player][1])) <= 1

    def test_a_peak_is_the_highest_of_all_days(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        days = [date(2018, 8, 1) + timedelta(days=one) for one in range(1065)]
        for player in ("P1", "P3"):
            found = peak(player_results(given, player), days[-1])
            points = tuple(map(player_results(given, player).nanopoints, days))
            assert found is not None
            assert found.nanopoints == max(points)
            assert found.day == days[points.index(max(points))]


class TestLosses:
    def test_each_result_loses_its_days_and_one_ends(self, journal: Journal) -> None:
        """B and D are 1,095 days long; B began on 2019-11-15 and A on 2018-09-01.

        On 2021-06-30 A is 1,033 days old: 62 are left, so that it ends on 2021-08-31.
        """
        given = of(journal, WBGF)
        ahead = [day_totals(given, TODAY + timedelta(days=days)) for days in PERIODS]
        month, quarter, year = losses(player_results(given, "P1"), day_totals(given, TODAY), ahead)
        whole = {one.event_id: one.nanopoints for one in player_results(given, "P1").results}
        lost = {one.event_id: one for one in quarter.losses}
        assert lost["A/main"].lost == round(Fraction(whole["A/main"] * 62, 1095))
        assert lost["A/main"].expires_on == date(2021, 8, 31)
        assert lost["C/main"].lost == round(Fraction(whole["C/main"] * 90, 1095))
        assert lost["C/main"].expires_on is None
        assert [one.expires_on for one in month.losses] == [None, None]
        found = next_expiry(player_results(given, "P1"), TODAY)
        assert found is not None
        assert (found.day, found.tournament_id) == (date(2021, 8, 31), "A")
        assert found.nanopoints == lost["A/main"].lost
        assert year.day == date(2022, 6, 30)

    @EVERY
    def test_what_is_left_is_the_list_to_come(self, journal: Journal, question: Question) -> None:
        given, fades = of(journal, question), Fading(question)
        before = listed(given, TODAY)
        ahead = [day_totals(given, TODAY + timedelta(days=days)) for days in PERIODS]
        for player in before:
            for one in losses(player_results(given, player), day_totals(given, TODAY), ahead):
                rank, points = listed(given, one.day).get(player, (None, 0))
                assert (one.rank, one.left) == (rank, points)
                assert abs(before[player][1] - one.lost + one.begins - points) <= 1
                assert abs(sum(each.lost for each in one.losses) - one.lost) <= len(one.losses)
                assert not fades.lasts or (one.lost == 0 and one.losses == ())


@EVERY
class TestGains:
    """Recorded as it was made up, an event gives what was said"""

    DAY = date(2021, 9, 12)

    def test_every_place(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        event = NextEvent(like="C/main", day=self.DAY, entrants=8, entry_fee=Fraction(250))
        found = gains(player_results(given, "P1"), event)
        bracket = [(1, 1), (2, 2), (3, 4), (5, 8)]
        one_by_one = [(place, place) for place in range(1, 9)]  # no matches are played
        expected_places = one_by_one if question == DPTR else bracket
        assert [(one.first, one.last) for one in found.places] == expected_places
        assert found.earns
        expected = listed(given, found.day)["P1"]
        assert (found.rank, found.total) == expected
        before = now(journal)
        for one in found.places:
            journal.record(
                [told("N", {"P1": one.first}, str(self.DAY), one.last - one.first + 1, "250")],
                OFFICER,
            )
            real = live.award_all(question, now(journal, before))
            assert listed(real, found.day)["P1"] == (one.rank, one.total)
            assert abs(one.nanopoints - (one.total - found.total)) <= 1

    def test_the_place_that_passes_a_rival(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        event = NextEvent(like="C/main", day=self.DAY, entrants=8)
        for player, rival in (("P1", "P3"), ("P3", "P1"), ("P2", "P4")):
            found = gains(player_results(given, player), event, rival)
            theirs = listed(given, found.day).get(rival, (None, 0))
            assert (found.rival_rank, found.rival_total) == theirs
            enough = [one for one in found.places if one.total > theirs[1] + 1000]
            assert found.needed == (enough[-1] if enough else None)
            assert found.already_ahead == (found.total > theirs[1] + 1000)

    def test_who_has_no_results_may_ask(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        event = NextEvent(like="C/main", day=self.DAY, entrants=8)
        found = gains(player_results(given, "P9"), event)
        assert (found.total, found.rank) == (0, None)
        assert found.places[0].rank is not None
        start = 40 * NANO if question == DPTR else 0  # what a first rating is made from
        for one in found.places:
            assert one.nanopoints == one.total - start

    def test_no_event_to_go_by_and_no_players(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        for event in (
            NextEvent(like="X/main", day=self.DAY, entrants=8),
            NextEvent(like="C/main", day=self.DAY, entrants=0),
            NextEvent(like="C/main", day=self.DAY, entrants=10**9),
        ):
            with pytest.raises(Refused):
                gains(player_results(given, "P1"), event)


class TestUnusable:
    def test_an_event_that_cannot_be_used_says_why(self, journal: Journal) -> None:
        """Without a fee the text makes no grade."""
        tables = say.tables("E", {"P1": 1}, "2021-05-01")
        del tables["events"]["entry_fee"]
        journal.record([say.reported("E", tables)], OFFICER)
        given = of(journal, WBGF)
        event = NextEvent(like="E/main", day=date(2021, 9, 12), entrants=8)
        found = gains(player_results(given, "P1"), event)
        assert found.places == ()
        assert "fee" in found.problems[0].what


@EVERY
class TestAgainst:
    def test_common_events_and_curves(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        days = [date(2019, 12, 31), date(2020, 12, 31), TODAY]
        found = against(player_results(given, "P1"), player_results(given, "P3"), days)
        assert [
            (one.event_id, one.own.places[0].rank, one.theirs.places[0].rank)
            for one in found.events
        ] == [("C/main", 2, 1)]
        assert (found.ahead, found.behind) == (0, 1)
        for day, month in zip(days, found.months, strict=True):
            expected = listed(given, day)
            assert month.day == day
            assert month.own == expected.get("P1", (None, 0))[1]
            assert month.theirs == expected.get("P3", (None, 0))[1]


@EVERY
class TestMovement:
    SINCE = date(2020, 12, 31)

    def test_a_new_result_and_days(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        totals, then = day_totals(given, TODAY), earlier_list(given, self.SINCE)
        assert then.places == listed(given, self.SINCE)
        found = movement(player_results(given, "P3"), then, totals)
        before, after = listed(given, self.SINCE)["P3"], listed(given, TODAY)["P3"]
        assert (found.rank_before, found.rank) == (before[0], after[0])
        assert found.change == after[1] - before[1]
        assert sum(one.nanopoints for one in found.causes) == found.change
        kinds = {one.cause: one.tournament_id for one in found.causes}
        assert kinds == {"new result": "D"} | ({"decay": None} if question is WBGF else {})

    def test_a_correction_is_what_is_left(self, journal: Journal, question: Question) -> None:
        """B is reported anew: P3 won it, and P2 was second."""
        given = of(journal, question)
        frame = live.ranking(given, Selection(as_of=self.SINCE)).frame
        then = published_list(frame, self.SINCE, given.projection.state.sequence)
        assert corrections(given, then) == ()
        journal.record([told("B", {"P3": 1, "P2": 2}, "2019-11-15")], OFFICER)
        given = of(journal, question)
        found = {one.player_id: one for one in corrections(given, then)}
        expected = listed(given, self.SINCE)
        nowhere = (None, 0)
        assert {*found} == {
            one for one in then.places.keys() | expected.keys()
            if expected.get(one, nowhere)[1] != then.places.get(one, nowhere)[1]
        }  # fmt: skip
        assert {"P2", "P3"} <= {*found}
        assert found["P3"].tournaments == ("B",)
        assert (found["P3"].rank, found["P3"].nanopoints) == expected["P3"]
        moved = movement(player_results(given, "P3"), then, day_totals(given, TODAY))
        by = {one.cause: one.nanopoints for one in moved.causes}
        assert sum(by.values()) == moved.change
        assert by["correction"] != 0

    def test_a_late_report_is_a_new_result(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        frame = live.ranking(given, Selection(as_of=self.SINCE)).frame
        then = published_list(frame, self.SINCE, given.projection.state.sequence)
        journal.record([told("L", {"P1": 1, "P4": 2}, "2020-11-01")], OFFICER)
        given = of(journal, question)
        moved = movement(player_results(given, "P1"), then, day_totals(given, TODAY))
        causes = {(one.cause, one.tournament_id) for one in moved.causes}
        assert ("new result", "L") in causes
        assert ("correction", None) not in causes
        assert sum(one.nanopoints for one in moved.causes) == moved.change

    def test_who_climbs_most_comes_first(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        then = earlier_list(given, self.SINCE)
        before, after = listed(given, self.SINCE), listed(given, TODAY)
        up = {one: before[one][0] - after[one][0] for one in before.keys() & after.keys()}
        found = climbers(given, then, day_totals(given, TODAY), 3)
        assert [one.up for one in found] == sorted(one for one in up.values() if one > 0)[::-1]

    def test_the_winners_of_a_week(self, journal: Journal, question: Question) -> None:
        given = of(journal, question)
        (found,) = winners(given, TODAY - timedelta(days=7), TODAY, 6)
        assert (found.player_id, found.tournament_id, found.entrants) == ("P3", "D", 8)
        eve, day = (listed(given, date(2021, 6, one))["P3"][1] for one in (26, 27))
        assert abs(found.nanopoints - (day - eve)) <= (0.2 * NANO if question is WBGF else 0)


def test_an_expiry_is_a_cause(journal: Journal) -> None:
    """A ended on 2021-08-31, between the two lists."""
    given = of(journal, WBGF)
    then = earlier_list(given, TODAY)
    found = movement(player_results(given, "P1"), then, day_totals(given, date(2021, 9, 30)))
    causes = {(one.cause, one.tournament_id): one.nanopoints for one in found.causes}
    ending = next_expiry(player_results(given, "P1"), TODAY)
    assert ending is not None
    assert causes["expired", "A"] == -ending.nanopoints
    assert sum(causes.values()) == found.change


def test_an_empty_list_before_has_nobody(journal: Journal) -> None:
    given = of(journal, WBGF)
    then = EarlierList(day=date(2010, 1, 1), places={})
    found = movement(player_results(given, "P1"), then, day_totals(given, TODAY))
    assert (found.rank_before, found.up) == (None, None)
    assert sum(one.nanopoints for one in found.causes) == found.nanopoints


# ── beside a name on a list ──────────────────────────────────────────────────────────────────────

MONTHS = tuple(days(date(2020, 6, 30), TODAY, "month"))


def beside(given: JournalAwards, **more: Any) -> Mapping[str, RowFigures]:
    """What stands beside everybody on the list of today."""
    on = listed(given, TODAY, **more)
    numbers = sorted(number for one in on if (number := number_of(given, one)) is not None)
    selection = Selection(as_of=TODAY, **more)
    return row_figures(given, np.array(numbers), selection, MONTHS, Fading(given.question))


@EVERY
def test_what_stands_beside_a_name_is_what_the_players_page_says(
    journal: Journal, question: Question
) -> None:
    journal.record([told("E", {"P2": 1, "P4": 2}, "2021-06-28")], OFFICER)  # grown, not made anew
    given = of(journal, question)
    found = beside(given)
    assert found.keys() == listed(given, TODAY).keys()
    for one, row in found.items():
        player = player_results(given, one)
        results = [each for each in player.results if each.effective <= TODAY]
        counting = player.counting(TODAY)
        assert (row.results, row.counting) == (len(results), len(counting))
        assert row.last.tournament_id == results[-1].tournament_id
        trend = [player.nanopoints(day) if player.counting(day) else None for day in MONTHS]
        assert row.best is not None
        if player.latest:
            rises = won_in(given, results)
            best = max(results, key=lambda each: (rises[each.event_id], each.effective))
            assert row.best.nanopoints == best.nanopoints
        else:
            trend = [each or 0 for each in trend]
            best = max(counting, key=lambda each: (player.worth(each, TODAY), each.effective))
            assert abs(row.best.nanopoints - player.worth(best, TODAY)) <= Fraction(1, 2)
        assert row.best.tournament_id == best.tournament_id
        for shown, result in ((row.best, best), (row.last, results[-1])):
            placed = given.projection.tables["placings"].filter(
                player_id=one, event_id=result.event_id
            )
            assert shown.rank == placed["rank"].item()
            beside_them = given.projection.tables["placings"].filter(
                event_id=result.event_id, rank=shown.rank
            )
            assert shown.tied == len(beside_them)
        assert list(row.trend) == trend
        assert row.trend[-1] == listed(given, TODAY)[one][1]


def test_only_results_that_a_list_counts_stand_beside_a_name(journal: Journal) -> None:
    """A of 2018 counts for its three years; B is of one year before the list, C and D later."""
    given = of(journal, WBGF)
    found = beside(given, since=date(2020, 1, 1))
    assert {one: row.results for one, row in found.items()} == {"P1": 1, "P3": 2, "P4": 1}
    assert found["P3"].trend[0] < (beside(given)["P3"].trend[0] or 0)  # type: ignore[operator]


def test_an_expired_result_counts_no_more(journal: Journal) -> None:
    """A ended on 2021-08-31: of the two of P1 one is left."""
    given = of(journal, WBGF)
    day = date(2021, 9, 30)
    numbers = np.array([number_of(given, "P1")])
    found = row_figures(given, numbers, Selection(as_of=day), (day,), Fading(WBGF))
    assert (found["P1"].results, found["P1"].counting) == (2, 1)
    assert found["P1"].best is not None
    assert found["P1"].best.tournament_id == "C"
