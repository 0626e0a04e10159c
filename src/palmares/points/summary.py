"""
An award in one sentence: the place, the sum that makes the points, and their worth on the day.

The sum is the regulation's last formula, run on numbers that note what is done with them. Numbers
are shortened as far as the sum still comes out: the printed numbers give the printed result.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

from palmares.core.messages import LocalNumber, msg, plural
from palmares.core.rounding import (
    NANO,
    divided_half_up,
    exact_text,
    half_up,
    points_text,
    to_nanopoints,
)
from palmares.regulations.model import Grant, parameters

FEWEST, MOST = 2, 9
"""Decimals of a shortened number."""
FULL = 4
"""A number that has no more decimals is never shortened."""
_ALONE, _PRODUCT, _ADDITION = 3, 2, 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """A formula with its numbers filled in, and what comes out."""

    numbers: str  # "1.5 × 0.75 × 32 ≈ 36.00"; ≈ where a printed number is rounded
    names: str  # "grade × format factor × size scaling"; empty: it is more than arithmetic


class TracedNumber(Fraction):
    """A number that knows how it was written, and how it came about."""

    __slots__ = ("binds", "exact", "names", "numbers")
    numbers: str
    names: str
    exact: bool  # every number in it is written in full
    binds: int

    def __index__(self) -> int:
        """Itself, where something is looked up by it."""
        if self.denominator != 1:
            raise TypeError(f"{self.numbers} is not a whole number")
        return self.numerator


def summed(
    formula: Callable[..., Any], given: Mapping[str, Any], points: int, left: int, parts: int
) -> Calculation:
    """A formula as a sum.

    Args:
        formula: any plain function of numbers.
        given: what it takes, by name.
        points: nanopoints that it comes to.
        left: days of them that are left.
        parts: days in all; the printed points times left / parts are the worth as lists show it.
    """
    worth = points_text(divided_half_up(points * left, parts))
    places = next(
        (
            more
            for more in range(FEWEST, MOST)
            if points_text(
                divided_half_up(to_nanopoints(Fraction(points_text(points, more))) * left, parts)
            )
            == worth
        ),
        MOST,
    )
    printed = points_text(points, places)
    result = shortened = None
    for more in range(FEWEST, MOST + 1):
        result = formula(**{name: _given(name, value, more) for name, value in given.items()})
        shortened = points_text(to_nanopoints(Fraction(result)), places)
        if shortened == printed:
            break
    if not isinstance(result, TracedNumber) or result.names == result.numbers:
        return Calculation(numbers=with_thousands(printed), names="")
    equals = "=" if result.exact and Fraction(result) == Fraction(printed) else "≈"
    return Calculation(
        numbers=f"{result.numbers} {equals} {with_thousands(printed)}", names=result.names
    )


def with_thousands(text: str) -> str:
    """A decimal number with its thousands apart: ``1,095.5``."""
    digits, point, rest = text.partition(".")
    sign = "-" if digits.startswith("-") else ""
    return f"{sign}{int(digits.lstrip('-')):,}{point}{rest}"


def _given(name: str, value: Any, places: int) -> Any:
    """An argument of a formula; numbers become traced ones."""
    if name == "constants":
        return _TracedConstants(value, places)
    return _traced(value, places, name.replace("_", " ")) if _is_number(value) else value


@dataclass(frozen=True, slots=True)
class _TracedConstants:
    """The constants of an edition, each traced when the formula asks for it: it asks for few."""

    _constants: Any
    _places: int

    def __getattr__(self, name: str) -> Any:
        return _given(name, getattr(self._constants, name), self._places)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Fraction) and not isinstance(value, bool)


def _traced(value: Any, places: int, name: str = "") -> TracedNumber:
    """A number shortened to so many decimals, unless it is short."""
    exact = Fraction(value)
    full = half_up(exact, FULL) == exact
    shortened = (half_up(exact, more) for more in range(places, MOST + 1))
    short = (
        exact if full else next((number for number in shortened if number), exact)
    )  # never to nothing
    numbers = _part(with_thousands(exact_text(to_nanopoints(short))), short < 0)
    in_full = Fraction(to_nanopoints(exact), NANO) == exact and short == exact
    return _new(short, numbers, name or numbers, exact=in_full, binds=_ALONE)


def _new(value: Fraction, numbers: str, names: str, *, exact: bool, binds: int) -> TracedNumber:
    number = TracedNumber(value)
    number.numbers, number.names, number.exact, number.binds = numbers, names, exact, binds
    return number


def _operator(operate: Callable[..., Any], sign: str, binds: int, *, swapped: bool) -> Any:
    """An operator that notes what it does; *swapped* where the other number stands before it."""

    def operated(this: TracedNumber, that: Any) -> Any:
        if not _is_number(that):
            return NotImplemented
        other = that if isinstance(that, TracedNumber) else _traced(that, MOST)
        first, second = (other, this) if swapped else (this, other)
        bracketed = second.binds < binds or (second.binds == binds and sign in "−/")
        return _new(
            operate(Fraction(first), Fraction(second)),
            *(
                f"{_part(getattr(first, form), first.binds < binds)} {sign} "
                f"{_part(getattr(second, form), bracketed)}"
                for form in ("numbers", "names")
            ),
            exact=first.exact and second.exact,
            binds=binds,
        )

    return operated


def _part(text: str, bracketed: bool) -> str:  # noqa: FBT001
    return f"({text})" if bracketed else text


for _name, _operate, _sign, _binds in (
    ("add", operator.add, "+", _ADDITION),
    ("sub", operator.sub, "−", _ADDITION),
    ("mul", operator.mul, "×", _PRODUCT),
    ("truediv", operator.truediv, "/", _PRODUCT),
):
    setattr(TracedNumber, f"__{_name}__", _operator(_operate, _sign, _binds, swapped=False))
    setattr(TracedNumber, f"__r{_name}__", _operator(_operate, _sign, _binds, swapped=True))


# ── an award in a sentence ────────────────────────────────────────────────────────────────────────


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
class AwardSummary:
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


def summary(grant: Grant, player: str, values: Mapping[str, Any], valued: Valued) -> AwardSummary:
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
    return AwardSummary(
        points=msg("%(won)s: %(points)s", won=won, points=points)
        if won
        else msg("%(points)s", points=points),
        then=_then(grant, valued),
        formula=formula.names,
    )


def _won(grant: Grant, player: str, values: Mapping[str, Any]) -> str:
    """The place in the flight as reported, or how many matches were won."""
    if "matches" in grant.columns:
        return plural("%(many)s match won", "%(many)s matches won", values["matches"])
    flight = grant.event.placed_flight(grant.flight)
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
    """What becomes of the points on the day."""
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
            with_thousands(
                points_text(divided_half_up(valued.nanopoints * valued.left, valued.parts))
            )
        ),
    )
