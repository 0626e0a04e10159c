"""The calculator of victory points: the table of a scale, and a margin or VPs looked up in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

from palmares.bridge.explain import explain_score
from palmares.bridge.vp import CONTINUOUS, Range, Scale, Score, checked_margin, scale_of
from palmares.core.errors import Refused
from palmares.core.messages import LocalNumber, joined, msg, plural
from palmares.core.rounding import number_text
from palmares.regulations.words import ClauseLine
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
    summary: str  # the sum, in one sentence
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
        summary=sentence(scale, score, lines),
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


# ── a margin's victory points in one sentence ────────────────────────────────────────────────────


def sentence(scale: Scale, score: Score, lines: Sequence[ClauseLine]) -> str:
    """How a margin comes to its VPs, so that it can be reckoned.

    Args:
        scale: the scale.
        score: both sides' VPs for the margin.
        lines: the clauses at work, as `palmares.bridge.explain.explain_score` has them.
    """
    loser = msg(
        "the loser has %(full)s − %(winner)s = %(loser)s",
        full=LocalNumber(scale.full // 100),
        winner=LocalNumber(score.winner),
        loser=LocalNumber(score.loser),
    )
    won = _range(scale, score, lines) if scale.is_discrete else _sum(score, lines)
    return msg("%(won)s; %(loser)s", won=won, loser=loser)


# ── the continuous scale: the formula, rounded, perhaps corrected ────────────────────────────────


def _sum(score: Score, lines: Sequence[ClauseLine]) -> str:
    """The formula of Eq. (1) with its numbers, and what rounding and correction made of it."""
    (mapped,), (cell,) = _of("wbf-vp eq1", lines), _of("wbf-vp eq9", lines)
    inputs = dict(mapped.inputs)
    numbers = {
        name: LocalNumber(number_text(inputs[name]))
        for name in ("draw", "margin", "blitz", "ratio")
    }
    words = msg(
        "%(draw)s + %(draw)s × (1 − %(ratio)s^(%(margin)s/%(blitz)s)) / (1 − %(ratio)s)"
        " ≈ %(value)s",
        value=LocalNumber(_hundredths(mapped.value)),
        **numbers,
    )
    if _hundredths(mapped.value) != _hundredths(Fraction(cell.value) / 100):
        words = msg("%(made)s, but at most %(most)s", made=words, most=LocalNumber(score.winner))
    elif _hundredths(mapped.value) != str(score.winner):
        words = msg(
            "%(made)s, by the concavity correction %(winner)s",
            made=words,
            winner=LocalNumber(score.winner),
        )
    last = int(inputs["margin"])
    if abs(score.margin) > last:
        return msg("%(last)s IMPs win all that can be won: %(made)s", last=last, made=words)
    return words


def _hundredths(value: Any) -> str:
    """Half up, as the clause rounds."""
    return str(Decimal(int(Fraction(value) * 100 + Fraction(1, 2))).scaleb(-2))


# ── a discrete scale: between which IMPs the formula reaches the half points ─────────────────────


def _range(scale: Scale, score: Score, lines: Sequence[ClauseLine]) -> str:
    """The range that the margin lies in, and the IMPs by the formula that bound it."""
    range_ = next(each for each in scale.ranges() if each.winner == score.winner)
    ends = [(dict(line.inputs)["score"], line.value) for line in _of("wbf-vp eq8", lines)]
    reached = [
        msg(
            "%(vps)s VPs at %(imps)s IMPs",
            vps=LocalNumber(number_text(vps)),
            imps=LocalNumber(_hundredths(imps)),
        )
        for vps, imps in ends
    ]
    words = msg(
        "The formula reaches %(ends)s: %(winner)s VPs for %(range)s",
        ends=joined(reached),
        range=_imps(range_),
        winner=LocalNumber(score.winner),
    )
    below = [int(imps) for vps, imps in ends if vps < score.winner]
    above = [int(imps) for vps, imps in ends if vps > score.winner]
    plain = (below[0] + 1 if below else 0, above[0] if above else None)
    if plain == (range_.first, range_.last):
        return words
    return msg("%(made)s, by the concavity correction", made=words)


def _imps(margins: Range) -> str:
    if margins.last is None:
        return msg("%(first)s IMPs or more", first=margins.first)
    if margins.first == margins.last:
        return plural("%(many)s IMP alone", "%(many)s IMPs alone", margins.first)
    return msg("%(first)s to %(last)s IMPs", first=margins.first, last=margins.last)


def _of(clause: str, lines: Sequence[ClauseLine]) -> list[ClauseLine]:
    return [line for line in lines if line.clause == clause]
