"""Dip Pouch Tournament Rating: events one after the other, against the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.core.errors import Location
from palmares.core.rounding import NANO
from palmares.points import awards
from palmares.points.kernels.formulas import Worked, plain
from palmares.regulations import dptr
from palmares.regulations.editions import Rulebook, rulebook
from palmares.regulations.model import Event, Flight, Grant, Tournament
from tests.amounts import amount
from tests.regulations import oracle_dptr as oracle

F = Fraction
PLAYERS = ("Ada", "Bo", "Cy", "Di", "Ed")


def book(number: type[float | Fraction] = F, **chosen: str) -> Rulebook:
    return rulebook("dptr", dptr.Constants, number=number, chosen=chosen)


def tournament(one: oracle.Event) -> Tournament:
    """The tournament of an oracle's event."""
    ranks = sorted(one.places.items(), key=lambda item: (item[1], item[0]))
    main = Flight(
        name="main",
        entrants=one.players,
        players=tuple(player for player, _ in ranks),
        ranks=tuple(rank for _, rank in ranks),
        tied=(1,) * len(ranks),
    )
    event = Event(
        event_id="e",
        name="e",
        where=Location("events.csv", 2),
        entrants=one.players,
        rounds=one.rounds,
        world_championship=one.worlds,
        flights=(main,),
    )
    return Tournament(
        tournament_id="t",
        name="t",
        where=Location("t.csv", 2),
        end_date=date(one.year, 7, 1),
        events=(event,),
    )


def folded(events: Sequence[oracle.Event], rules: Rulebook) -> list[Worked]:
    given = [grant for one in events for grant in dptr.award(rules, tournament(one), {})]
    return plain([grant for grant in given if isinstance(grant, Grant)], dptr.opening)


def nanopoints(worked: Sequence[Worked]) -> list[dict[str, int]]:
    return [dict(zip(one.grant.players, one.nanopoints, strict=True)) for one in worked]


@st.composite
def events(draw: st.DrawFn) -> oracle.Event:
    players = draw(st.integers(1, 200))
    taking_part = draw(st.sets(st.sampled_from(PLAYERS), min_size=1))
    return oracle.Event(
        players=players,
        rounds=draw(st.integers(1, 4)),
        year=draw(st.integers(1998, 2004)),
        worlds=draw(st.booleans()),
        places={player: draw(st.integers(1, players)) for player in sorted(taking_part)},
    )


class TestFold:
    """'After each event, a player's final placement is converted to a percentile score.'"""

    FIRST = oracle.Event(30, 2, 2016, False, {"Ada": 7, "Bo": 1})
    SECOND = oracle.Event(65, 2, 2017, False, {"Ada": 8})
    BEFORE_2001 = oracle.Event(30, 2, 2000, False, {"Ada": 30})
    WORLDS = oracle.Event(7, 1, 1996, True, {"Bo": 1})

    def test_written_out(self) -> None:
        """Bo wins the Worlds of 1996; Ada plays in 2000, in vain; then come 2016 and 2017."""
        worked = folded([self.WORLDS, self.BEFORE_2001, self.FIRST, self.SECOND], book())
        bo = 40 + F(20, 100) * (F("6.5") / 7 * 100 - 40)
        of_30 = (30 / F("3.5") + 2) / 100
        ada = 40 + of_30 * (F("23.5") / 30 * 100 - 40)
        assert ada == F(9251, 210)
        expected = [
            {"Bo": bo},
            {"Ada": F(40)},  # 'no effect on ratings'
            {"Ada": ada, "Bo": bo + of_30 * (F("29.5") / 30 * 100 - bo)},
            {"Ada": ada + F(15, 100) * (F("57.5") / 65 * 100 - ada)},
        ]
        found = nanopoints(worked)
        for ours, theirs in zip(found, expected, strict=True):
            assert ours == {player: round(rating * NANO) for player, rating in theirs.items()}
        assert worked[3].columns["before"] == [ada]

    def test_by_the_formula_of_a_single_event(self) -> None:
        """Ada is 7th of 30 and has no rating yet."""
        start = dptr.opening(book().all[0])
        assert dptr.new_rating(start, 30 / F("3.5") + 2, F("23.5") / 30 * 100) == F(9251, 210)

    def test_a_late_result_is_replayed(self) -> None:
        """Reading D10: what came after is worked out again from the new rating."""
        without = nanopoints(folded([self.SECOND], book()))[-1]["Ada"]
        late = nanopoints(folded([self.FIRST, self.SECOND], book()))[-1]["Ada"]
        assert late - without == round(F(85, 100) * (F(9251, 210) - 40) * NANO)

    def test_a_swap_can_move_a_rating_by_2_2(self) -> None:
        """Reading D7: two events of value 15, first and last of 100: 15 % of 15 % of 99."""
        won = oracle.Event(100, 2, 2016, False, {"Ada": 1})
        lost = oracle.Event(100, 2, 2016, False, {"Ada": 100})
        ratings = [
            nanopoints(folded(held, book()))[-1]["Ada"] for held in ((lost, won), (won, lost))
        ]
        assert ratings[0] - ratings[1] == F("0.15") * F("0.15") * (F("99.5") - F("0.5")) * NANO


class TestOracle:
    """Any events, in exact fractions and in floats."""

    @given(held=st.lists(events(), max_size=6))
    @settings(max_examples=amount(2_000), deadline=None)
    def test_floats_are_within_a_nanopoint(self, held: list[oracle.Event]) -> None:
        for ours, exact in zip(
            nanopoints(folded(held, book(float))), oracle.ratings(held), strict=True
        ):
            assert ours.keys() == exact.keys()
            assert all(abs(ours[player] - exact[player] * NANO) <= 1 for player in exact)

    @pytest.mark.parametrize("number", [float, F])
    @given(held=st.lists(events(), max_size=6))
    @settings(max_examples=amount(1_000), deadline=None)
    def test_published_inputs_too(
        self, held: list[oracle.Event], number: type[float | Fraction]
    ) -> None:
        rules = book(number, D1="published-inputs")
        for ours, exact in zip(
            nanopoints(folded(held, rules)),
            oracle.ratings(held, published_inputs=True),
            strict=True,
        ):
            assert all(abs(ours[player] - exact[player] * NANO) <= 1 for player in exact)

    @given(held=st.lists(events(), max_size=6))
    @settings(max_examples=amount(1_000), deadline=None)
    def test_a_rating_stays_among_percentiles(self, held: list[oracle.Event]) -> None:
        for after in nanopoints(folded(held, book(float))):
            assert all(0 < rating < 100 * NANO for rating in after.values())


class TestOrderOfEvents:
    """Reading D7: end date, then start date, then 'sequence'."""

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            ((date(2016, 3, 1), None, None), (date(2016, 3, 2), None, None)),
            ((date(2016, 3, 2), date(2016, 3, 1), 2), (date(2016, 3, 2), date(2016, 3, 2), 1)),
            ((date(2016, 3, 2), date(2016, 3, 1), None), (date(2016, 3, 2), None, None)),
            ((date(2016, 3, 2), None, 1), (date(2016, 3, 2), None, 2)),
        ],
    )
    def test_by_dates_and_sequence(
        self,
        first: tuple[date, date | None, int | None],
        second: tuple[date, date | None, int | None],
    ) -> None:
        (grant,) = folded([oracle.Event(7, 1, 2016, False, {"Ada": 1})], book())
        keys = []
        for end, start, sequence in (first, second):
            held = Tournament(
                tournament_id="t", name="t", where=Location("t"), end_date=end, start_date=start
            )
            one = Event(event_id="e", name="e", where=Location("e"), sequence=sequence)
            keys.append(awards.time_order(held, _with(grant.grant, one)))
        assert keys[0] < keys[1]


def _with(grant: Grant, event: Event) -> Grant:
    return Grant(
        event=event,
        flight=grant.flight,
        kind=grant.kind,
        effective=grant.effective,
        rules=grant.rules,
        formula=grant.formula,
    )
