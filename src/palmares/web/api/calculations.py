"""
What calculators answer, from what their pages show.

    calculation     CalculatorPage  ->  Calculation
    looked_up       VpPage  ->  VictoryPoints
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from palmares.errors import FactsRejected, Problem
from palmares.web.pages.calculators import Calculated, CalculatorPage
from palmares.web.pages.forms import Field, FieldProblem
from palmares.web.pages.vp_calculator import VpFound, VpPage, VpRow
from palmares.web.pages.working import WorkedLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What was asked, or is taken where nothing was."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """The points of a place or match, and how they come about."""

    calculator: str
    regulation: str
    title: str  # of the regulation
    asked: tuple[Answered, ...]
    awards: tuple[Calculated, ...]
    nanopoints: int | None  # of all awards together; none: no edition covers the day
    on: date | None  # the day on which points that fade are valued; none: not asked
    nothing: tuple[WorkedLine, ...]  # where there is no award: the clauses that say why
    covered: bool  # an edition was in force
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VictoryPoints:
    """A scale of victory points, and what was looked up in it."""

    regulation: str
    asked: tuple[Answered, ...]
    scale: str  # continuous | discrete
    boards: int | None
    found: VpFound | None  # of the margin
    reached: VpFound | None  # of the smallest margin that reaches the VPs
    corrections: int  # margins that the concavity correction changed
    range_violations: int
    rows: tuple[VpRow, ...]


def calculation(page: CalculatorPage) -> Calculation:
    """The points of a place or match.

    Raises:
        FactsRejected: something that was asked is wrong; every problem is named.
    """
    return Calculation(
        calculator=page.calculator,
        regulation=page.regulation,
        title=page.title,
        asked=_good(page.fields, page.problems),
        awards=page.awards,
        nanopoints=page.nanopoints,
        on=page.on,
        nothing=page.nothing,
        covered=page.covered,
        notices=tuple(f"{one.what} [{one.clause}]" for one in page.notices),
    )


def looked_up(page: VpPage) -> VictoryPoints:
    """A scale, and what was looked up in it.

    Raises:
        FactsRejected: something that was asked is wrong; every problem is named.
    """
    return VictoryPoints(
        regulation=page.regulation,
        asked=_good(page.fields, ()),
        scale=page.scale,
        boards=page.boards,
        found=page.found,
        reached=page.reached,
        corrections=page.corrections,
        range_violations=page.range_violations,
        rows=page.rows,
    )


def _good(fields: tuple[Field, ...], more: tuple[FieldProblem, ...]) -> tuple[Answered, ...]:
    """What was asked, unless something is wrong with it.

    Raises:
        FactsRejected: every problem, by the name of its parameter.
    """
    wrong = [
        Problem(where=one.name, what=one.problem, clause="query", remedy="")
        for one in fields
        if one.problem
    ]
    wrong += [
        Problem(where="", what=one.what, clause=one.clause, remedy=one.remedy) for one in more
    ]
    if wrong:
        raise FactsRejected(wrong)
    return tuple(Answered(name=one.name, value=one.value) for one in fields)
