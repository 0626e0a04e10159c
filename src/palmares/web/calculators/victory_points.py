"""The calculator of victory points: the table of a scale, and a margin or VPs looked up in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from palmares.bridge.explain import explain_score
from palmares.bridge.vp import CONTINUOUS, Range, Scale, checked_margin, scale_of
from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.web.calculators.views import (
    MOST_BOARDS,
    VICTORY_POINTS,
    CalculatorView,
    FilledForm,
    fields_of,
    fill,
    regulation_of,
)
from palmares.web.shared.working import WorkedLine, worked

_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_POINTS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class VpRow:
    """Margins that give the same: one margin of a continuous scale, a range of a discrete one."""

    first: int  # IMPs
    last: int | None  # none: no end
    winner: str
    loser: str
    selected: bool  # it holds the margin that was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class VpResult:
    """A margin and what it gives."""

    margin: int  # negative: IMPs lost by
    winner: str
    loser: str
    lines: tuple[WorkedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VictoryPoints(CalculatorView):
    """A scale of victory points, and what was looked up in it."""

    points: str  # VPs to reach
    scale: str  # continuous | discrete
    boards: int | None  # none: the form is wrong
    for_margin: VpResult | None  # of the margin
    for_points: VpResult | None  # of the smallest margin that reaches the VPs
    corrections: int  # margins that the concavity correction changed
    range_violations: int
    rows: tuple[VpRow, ...]


def victory_points_page(typed: Mapping[str, str]) -> VictoryPoints:
    """The table of a scale, and what is looked up in it.

    Args:
        typed: the values that were sent, by field; what is missing has its default.
    """
    form = _checked(
        fill(fields_of(VICTORY_POINTS), {"margin": "", **typed} if "points" in typed else typed)
    )
    regulation, _ = regulation_of(VICTORY_POINTS)
    name = form["scale"] or CONTINUOUS
    scale = scale_of(int(form["boards"]), name) if form.valid else None
    for_margin = for_points = None
    if scale is not None:
        seen: set[str] = set()
        if form["margin"]:
            for_margin = _result(scale, int(form["margin"]), seen)
        if form["points"]:
            try:
                margin = scale.margin_for(Decimal(form["points"]))
                for_points = _result(scale, margin, seen)
            except Refused as refused:
                form = form.with_problem("points", str(refused))
    return VictoryPoints(
        calculator=VICTORY_POINTS,
        regulation=regulation.name,
        title=regulation.title,
        fields=form.fields,
        points=form["points"],
        scale=name,
        boards=scale.boards if scale else None,
        for_margin=for_margin,
        for_points=for_points,
        corrections=len(scale.corrections) if scale else 0,
        range_violations=len(scale.range_violations) if scale else 0,
        rows=tuple(_rows(scale, for_margin.margin if for_margin else None)) if scale else (),
    )


def _checked(form: FilledForm) -> FilledForm:
    """The form with problems of its numbers."""
    boards, margin, points = form["boards"], form["margin"], form["points"]
    if not _WHOLE.fullmatch(boards) or int(boards) < 1:
        form = form.with_problem(
            "boards", msg("A whole number of boards, please: 1 to %(most)s.", most=MOST_BOARDS)
        )
    if margin:
        try:
            checked_margin(int(margin) if _WHOLE.fullmatch(margin) else margin)  # type: ignore[arg-type]
        except Refused as refused:
            form = form.with_problem("margin", str(refused))
    if points and not _POINTS.fullmatch(points):
        form = form.with_problem("points", msg("VPs are a number such as 15 or 12.5."))
    return form


def _result(scale: Scale, margin: int, seen: set[str]) -> VpResult:
    score, lines = explain_score(scale.boards, scale.name, margin)
    return VpResult(
        margin=margin,
        winner=str(score.winner),
        loser=str(score.loser),
        lines=worked(lines, seen),
    )


def _rows(scale: Scale, margin: int | None) -> Iterator[VpRow]:
    """The margins that give the same; beyond the last one of a continuous scale all do."""
    imps = -1 if margin is None else abs(margin)
    if scale.is_discrete:
        ranges = list(scale.ranges())
    else:
        ranges = [
            Range(first=each.margin, last=each.margin, winner=each.winner, loser=each.loser)
            for each in scale.scores()
        ]
        ranges[-1] = replace(ranges[-1], last=None)
    for each in ranges:
        yield VpRow(
            first=each.first,
            last=each.last,
            winner=str(each.winner),
            loser=str(each.loser),
            selected=each.first <= imps <= (imps if each.last is None else each.last),
        )
