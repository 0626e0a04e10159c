"""Points at stake: what the regulations award to made-up fields of an event to come."""

from __future__ import annotations

from datetime import date
from math import log2, sqrt
from typing import Any

import pytest

from palmares.core.errors import Refused
from palmares.lists.stakes import Stake, check_regulations, stakes
from palmares.tournaments.notice import Notice, state
from tests.tournaments.test_notice import riga


def notice(**more: Any) -> Notice:
    return state(riga() | more).notice


def points(rows: tuple[Stake, ...], **wanted: Any) -> list[float]:
    return [
        row.nanopoints / 1e9
        for row in rows
        if all(getattr(row, name) == value for name, value in wanted.items())
    ]


def test_a_match_won_and_a_place_earn_master_points() -> None:
    """An ABT Main Event has the weight 1, the second division 0.7; a match to 9 is sqrt(9) / 3.

    The text: "Match Win Master Points = Event Weight * Division Weight * Match Win Points"; a
    winner's points grow with "Event Size Factor = Log2( Number of Players )".
    """
    rows = stakes(notice(regulations=["usbgf"]), [32]).rows
    assert points(rows, division="Open", flight="main", length=9) == [sqrt(9) / 3]
    (lower,) = points(rows, division="Intermediate", flight="main", length=11)
    assert lower == pytest.approx(0.7 * sqrt(11) / 3)
    (first,) = points(rows, division="Open", flight="main", first=1)
    (second,) = points(rows, division="Intermediate", flight="main", first=1)
    assert second == pytest.approx(0.7 * first)
    (larger,) = points(stakes(notice(regulations=["usbgf"]), [64]).rows,
                       division="Open", flight="main", first=1)  # fmt: skip
    assert larger / first == pytest.approx(log2(64) / log2(32))


def test_every_place_of_a_bracket_is_shown_once() -> None:
    rows = stakes(notice(regulations=["wbgf"]), [16]).rows
    places = [
        (row.first, row.last) for row in rows if (row.division, row.flight) == ("Open", "main")
    ]
    assert places == [(1, 1), (2, 2), (3, 4), (5, 8), (9, 16)]
    # rounds 1 and 2 feed the Consolation: 8 and 4 losers
    assert {row.flight_entrants for row in rows if row.flight == "consolation"} == {12}


def test_a_field_too_small_for_the_feeds_is_left_out() -> None:
    feeds = [{"name": "consolation", "of": "main", "rounds": [1, 2, 3, 4]}]
    at_stake = stakes(notice(regulations=["usbgf"], feeds=feeds), [8, 16])
    assert {row.entrants for row in at_stake.rows} == {16}


def test_an_event_that_earns_nothing_says_so() -> None:
    at_stake = stakes(notice(regulations=["usbgf"], event_type="Club night"))
    assert at_stake.rows == ()
    assert "USBGF Master Points: this event awards no points." in at_stake.problems


def test_a_rate_of_the_future_is_taken_from_the_last_day_known() -> None:
    at_stake = stakes(notice(regulations=["wbgf"], currency="USD"), [32])
    assert at_stake.days["wbgf"] < date(2027, 3, 14)
    assert at_stake.problems[0].startswith(
        "WBGF Backgammon World Ranking: the exchange rate on the last day is not known"
    )
    assert at_stake.rows


def test_what_a_regulation_lacks_is_said() -> None:
    divisions = [riga()["divisions"][1]]  # an Intermediate without its Championship
    at_stake = stakes(notice(regulations=["wbgf"], divisions=divisions), [32])
    assert at_stake.rows == ()
    assert "needs the entry fee of the Championship Main" in at_stake.problems[0]


@pytest.mark.parametrize(
    ("name", "why"), [("dptr", "makes ratings"), ("fide", "no regulation fide")]
)
def test_a_regulation_without_points_is_refused(name: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        check_regulations(notice(regulations=[name]))


def test_places_of_a_swiss_are_shown_one_by_one() -> None:
    swiss = {"format": "swiss", "rounds": 5, "feeds": [], "flights": riga()["flights"][:1]}
    prizes = {"shares": {"main": [100]}}
    rows = stakes(notice(regulations=["wbgf"], prizes=prizes, **swiss), [16]).rows
    assert [(row.first, row.last) for row in rows if row.division == "Open"] == [
        (place, place) for place in range(1, 9)
    ]
