"""
Explanations of one thing alone: an event after a given rating, no award at all, one margin.

The first of three players has the percentile (3.5 - 1)/3 of 100, 83.333333; an event of three
players and one round has the value 3/7 + 2, 2.428571 per cent. From 50 that is
50 + 0.02428571 × 33.333333.
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import polars as pl
import pytest

from palmares.bridge.explain import explain_score
from palmares.bridge.vp import compute_again, continuous
from palmares.core.errors import Refused
from palmares.facts import Facts
from palmares.facts.frames import from_frames
from palmares.points.awards import Question
from palmares.points.explain import try_report

DAY = date(2019, 6, 1)


def facts(discipline: str, rank: int, day: date = DAY, **event: object) -> Facts:
    """One player at one rank."""
    tables = {
        "players": {"player_id": "a", "name": "Ada"},
        "tournaments": {
            "tournament_id": "T",
            "name": "Open",
            "discipline": discipline,
            "end_date": day,
        },
        "events": {"event_id": "E", "tournament_id": "T", "name": "Main", **event},
        "placings": {"event_id": "E", "player_id": "a", "rank": rank},
    }
    return from_frames({name: pl.DataFrame([row]) for name, row in tables.items()})


def test_an_event_after_a_rating() -> None:
    held = facts("diplomacy", 1, entrants=3, rounds=1)
    ((entry,), _, _) = try_report(Question(regulation="dptr"), held, "a", DAY, Fraction(50))
    assert entry.nanopoints == 50_809_523_810
    assert entry.lines[-1].clause == "dptr new-rating"
    assert dict(entry.lines[-1].inputs)["before"] == 50


def test_no_award_says_why() -> None:
    held = facts("backgammon", 9, entrants=64, event_type="ABT Main Event")
    tried = try_report(Question(regulation="usbgf"), held, "a", DAY)
    assert tried.entries == ()
    assert (tried.no_points[0].clause, tried.no_points[0].value) == ("usbgf ranked-finishers", 8)


def test_before_the_first_edition_no_clause_says_why() -> None:
    early = facts("backgammon", 9, date(2014, 6, 1), entrants=64, event_type="ABT Main Event")
    tried = try_report(Question(regulation="usbgf"), early, "a", DAY)
    assert (tried.entries, tried.no_points) == ((), ())


@pytest.mark.parametrize("margin", [0, 7, -7, 20, 99])
def test_a_margin_is_the_scale_s(margin: int) -> None:
    score, lines = explain_score(16, "continuous", margin)
    assert score == continuous(16).score(margin)
    assert [line.clause for line in lines if line.depth == 0] == [
        "wbf-vp eq2",
        "wbf-vp eq3",
        "wbf-vp eq9",
        "wbf-vp continuous-correction",
        "wbf-vp winner",
        "wbf-vp loser",
    ]
    (nearest,) = (line for line in lines if line.clause == "wbf-vp eq9")
    assert dict(nearest.inputs)["margin"] == min(abs(margin), 60)


def test_a_scale_computed_again_is_the_same() -> None:
    assert compute_again(continuous(16)) == continuous(16)
    with pytest.raises(Refused):
        explain_score(0, "continuous", 1)
