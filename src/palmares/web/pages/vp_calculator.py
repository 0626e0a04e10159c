"""
Victory points: the table of a scale, a margin looked up in it, and VPs looked up in it.

    victory_points      boards, scale, margin or VPs  ->  VpPage
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from palmares.errors import Refused
from palmares.team_explanations import scored
from palmares.vp import CONTINUOUS, SCALES, Scale, checked_margin, scale_of
from palmares.web.messages import said
from palmares.web.pages.forms import Field, Filled, Sent, filled
from palmares.web.pages.vp_words import sentence
from palmares.web.pages.working import WorkedLine, worked

MOST_BOARDS = 200
"""Longer matches are not played."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_POINTS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class VpRow:
    """Margins that give the same: one margin of a continuous scale, a range of a discrete one."""

    first: int  # IMPs
    last: int | None  # none: no end
    winner: str
    loser: str
    here: bool  # it holds the margin that was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class VpFound:
    """A margin and what it gives."""

    margin: int  # negative: IMPs lost by
    winner: str
    loser: str
    summary: str  # the sum, in one sentence
    lines: tuple[WorkedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VpPage:
    """A scale, and what was looked up in it."""

    calculator: str
    regulation: str
    fields: tuple[Field, ...]
    scale: str
    boards: int | None  # none: the form is wrong
    found: VpFound | None  # of the margin
    reached: VpFound | None  # of the smallest margin that reaches the VPs
    wanted: str  # those VPs
    corrections: int  # margins that the concavity correction changed
    range_violations: int
    rows: tuple[VpRow, ...]


def victory_points(given: Sent) -> VpPage:
    """The table of a scale, and what is looked up in it.

    Args:
        given: what was typed, by field; what is missing has its default.
    """
    form = filled(
        given,
        Field.number("boards", "16", required=True, most=MOST_BOARDS),
        Field.choice("scale", CONTINUOUS, SCALES),
        Field.number("margin", "7" if "points" not in given.fields else ""),
        Field.number("points", ""),
    )
    form = _judged(form)
    held: Scale | None = None
    found: VpFound | None = None
    reached: VpFound | None = None
    if form.good:
        held = scale_of(int(form["boards"]), form["scale"] or CONTINUOUS)
        told: set[str] = set()
        if form["margin"]:
            found = _found(held, int(form["margin"]), told)
        if form["points"]:
            try:
                reached = _found(held, held.margin_for(Decimal(form["points"])), told)
            except Refused as refused:
                form = form.wrong("points", str(refused))
    return VpPage(
        calculator="victory-points",
        regulation="wbf-vp",
        fields=form.fields,
        scale=form["scale"] or CONTINUOUS,
        boards=held.boards if held else None,
        found=found,
        reached=reached,
        wanted=form["points"],
        corrections=len(held.corrections) if held else 0,
        range_violations=len(held.range_violations) if held else 0,
        rows=_rows(held, abs(found.margin) if found else None) if held else (),
    )


def _judged(form: Filled) -> Filled:
    """The form with what is wrong with its numbers."""
    boards, margin, points = form["boards"], form["margin"], form["points"]
    if not _WHOLE.fullmatch(boards) or int(boards) < 1:
        form = form.wrong(
            "boards", said("A whole number of boards, please: 1 to %(most)s.", most=MOST_BOARDS)
        )
    if margin:
        try:
            checked_margin(int(margin) if _WHOLE.fullmatch(margin) else margin)  # type: ignore[arg-type]
        except Refused as refused:
            form = form.wrong("margin", str(refused))
    if points and not _POINTS.fullmatch(points):
        form = form.wrong("points", said("VPs are a number such as 15 or 12.5."))
    return form


def _found(held: Scale, margin: int, told: set[str]) -> VpFound:
    score, lines = scored(held.boards, held.name, margin)
    return VpFound(
        margin=margin,
        winner=str(score.winner),
        loser=str(score.loser),
        summary=sentence(held, score, lines),
        lines=worked(lines, told),
    )


def _rows(held: Scale, margin: int | None) -> tuple[VpRow, ...]:
    if not held.is_discrete:
        last = len(held.cells) - 1
        here = None if margin is None else min(margin, last)
        return tuple(
            VpRow(
                first=one.margin,
                last=None if one.margin == last else one.margin,
                winner=str(one.winner),
                loser=str(one.loser),
                here=one.margin == here,
            )
            for one in held.scores()
        )
    return tuple(
        VpRow(
            first=one.first,
            last=one.last,
            winner=str(one.winner),
            loser=str(one.loser),
            here=margin is not None
            and one.first <= margin
            and (one.last is None or margin <= one.last),
        )
        for one in held.ranges()
    )
