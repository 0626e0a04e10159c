"""
An award in one sentence: the place, the sum that makes the points, and their worth on the day.

    summary     a grant, a player, what makes the points  ->  Summary
    Valued      what becomes of the points on the day
    Summary     "Place 2 of 48: 1.9 × 0.7 × … ≈ 54.76", "746 of 1,095 days are left: 37.31"

The sum is the regulation's last formula with its numbers filled in (`palmares.points.arithmetic`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from palmares.core.messages import LocalNumber, msg, plural
from palmares.core.rounding import points_text, shared
from palmares.points.arithmetic import grouped, summed
from palmares.points.kernels.formulas import parameters
from palmares.regulations.model import Grant


@dataclass(frozen=True, slots=True, kw_only=True)
class Valued:
    """What becomes of points on a day."""

    nanopoints: int
    counts: bool
    replaced: bool  # by a later one of a rating
    left: int  # days of them that are left
    parts: int  # days in all; 1: they do not fade
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """An award in one sentence, and the formula behind it in the regulation's terms."""

    points: str  #: "Place 2 of 48", with the sum; a message
    then: str  #: "746 of 1,095 days are left", with their worth; empty where points do not fade
    formula: str  #: as "grade × format factor"; empty for more than arithmetic

    @property
    def sentence(self) -> str:
        """Both halves of the sentence."""
        if not self.then:
            return self.points
        return msg("%(points)s; %(then)s", points=self.points, then=self.then)


def summary(grant: Grant, player: str, values: Mapping[str, Any], valued: Valued) -> Summary:
    """An award in one sentence.

    Args:
        grant: with the formula of the points.
        player: one of its players.
        values: what the formula takes, by name.
        valued: the points, and what becomes of them.
    """
    given = {name: values[name] for name in parameters(grant.formula)}
    left, parts = (valued.left, valued.parts) if valued.counts else (1, 1)
    formula = summed(grant.formula, given, valued.nanopoints, left, parts)
    won = _won(grant, player, values)
    points = LocalNumber(formula.numbers)
    return Summary(
        points=msg("%(won)s: %(points)s", won=won, points=points)
        if won
        else msg("%(points)s", points=points),
        then=_then(grant, valued),
        formula=formula.names,
    )


def _won(grant: Grant, player: str, values: Mapping[str, Any]) -> str:
    """The place in the flight as reported, or how many matches; empty where it is neither."""
    if "matches" in grant.columns:
        return plural("%(many)s match won", "%(many)s matches won", values["matches"])
    flight = grant.event.listed(grant.flight)
    if "rank" not in grant.columns or flight is None:
        return ""
    row = list(flight.players).index(player)
    first, tied = flight.ranks[row], flight.tied[row]
    if tied == 1:
        if flight.entrants:
            return msg("Place %(place)s of %(entrants)s", place=first, entrants=flight.entrants)
        return msg("Place %(place)s", place=first)
    last = first + tied - 1
    if flight.entrants:
        return msg(
            "Places %(first)s to %(last)s of %(entrants)s, shared",
            first=first,
            last=last,
            entrants=flight.entrants,
        )
    return msg("Places %(first)s to %(last)s, shared", first=first, last=last)


def _then(grant: Grant, valued: Valued) -> str:
    """What becomes of the points on the day; empty: nothing."""
    day = LocalNumber(valued.day.isoformat())
    if not valued.counts:
        if grant.effective > valued.day:
            return msg("it does not count yet on %(day)s", day=day)
        return msg("it does not count on %(day)s", day=day)
    if valued.replaced:
        return msg("a later event has replaced it since")
    if valued.parts == 1:
        return ""
    return plural(
        "%(many)s of %(parts)s days is left: %(worth)s",
        "%(many)s of %(parts)s days are left: %(worth)s",
        valued.left,
        parts=valued.parts,
        worth=LocalNumber(
            grouped(points_text(shared(valued.nanopoints * valued.left, valued.parts)))
        ),
    )
