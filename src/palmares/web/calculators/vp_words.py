"""
A margin's victory points in one sentence, with the numbers that the clauses put into it.

    sentence    a scale, a margin and its worked clauses  ->  the sum, or the ends of its range
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from palmares.bridge.vp import Range, Scale, Score
from palmares.core.messages import LocalNumber, joined, msg, plural
from palmares.core.rounding import written
from palmares.regulations.words import Line


def sentence(held: Scale, score: Score, lines: Sequence[Line]) -> str:
    """How a margin comes to its VPs, so that it can be reckoned.

    Args:
        held: the scale.
        score: both sides' VPs for the margin.
        lines: the clauses at work, as `palmares.bridge.explain.explain_score` has them.
    """
    loser = msg(
        "the loser has %(full)s − %(winner)s = %(loser)s",
        full=LocalNumber(held.full // 100),
        winner=LocalNumber(score.winner),
        loser=LocalNumber(score.loser),
    )
    won = _range(held, score, lines) if held.is_discrete else _sum(score, lines)
    return msg("%(won)s; %(loser)s", won=won, loser=loser)


# ── the continuous scale: the formula, rounded, perhaps corrected ────────────────────────────────


def _sum(score: Score, lines: Sequence[Line]) -> str:
    """The formula of Eq. (1) with its numbers, and what rounding and correction made of it."""
    (mapped,), (cell,) = _of("wbf-vp eq1", lines), _of("wbf-vp eq9", lines)
    given = dict(mapped.inputs)
    numbers = {
        name: LocalNumber(written(given[name])) for name in ("draw", "margin", "blitz", "ratio")
    }
    made = msg(
        "%(draw)s + %(draw)s × (1 − %(ratio)s^(%(margin)s/%(blitz)s)) / (1 − %(ratio)s)"
        " ≈ %(value)s",
        value=LocalNumber(_hundredths(mapped.value)),
        **numbers,
    )
    if _hundredths(mapped.value) != _hundredths(Fraction(cell.value) / 100):
        made = msg("%(made)s, but at most %(most)s", made=made, most=LocalNumber(score.winner))
    elif _hundredths(mapped.value) != str(score.winner):
        made = msg(
            "%(made)s, by the concavity correction %(winner)s",
            made=made,
            winner=LocalNumber(score.winner),
        )
    last = int(given["margin"])
    if abs(score.margin) > last:
        return msg("%(last)s IMPs win all that can be won: %(made)s", last=last, made=made)
    return made


def _hundredths(value: Any) -> str:
    """Half up, as the clause rounds."""
    return str(Decimal(int(Fraction(value) * 100 + Fraction(1, 2))).scaleb(-2))


# ── a discrete scale: between which IMPs the formula reaches the half points ─────────────────────


def _range(held: Scale, score: Score, lines: Sequence[Line]) -> str:
    """The range that the margin lies in, and the IMPs by the formula that bound it."""
    its = next(one for one in held.ranges() if one.winner == score.winner)
    ends = [(dict(one.inputs)["score"], one.value) for one in _of("wbf-vp eq8", lines)]
    reached = [
        msg(
            "%(vps)s VPs at %(imps)s IMPs",
            vps=LocalNumber(written(vps)),
            imps=LocalNumber(_hundredths(imps)),
        )
        for vps, imps in ends
    ]
    made = msg(
        "The formula reaches %(ends)s: %(winner)s VPs for %(range)s",
        ends=joined(reached),
        range=_imps(its),
        winner=LocalNumber(score.winner),
    )
    below = [int(imps) for vps, imps in ends if vps < score.winner]
    above = [int(imps) for vps, imps in ends if vps > score.winner]
    plain = (below[0] + 1 if below else 0, above[0] if above else None)
    if plain == (its.first, its.last):
        return made
    return msg("%(made)s, by the concavity correction", made=made)


def _imps(one: Range) -> str:
    if one.last is None:
        return msg("%(first)s IMPs or more", first=one.first)
    if one.first == one.last:
        return plural("%(many)s IMP alone", "%(many)s IMPs alone", one.first)
    return msg("%(first)s to %(last)s IMPs", first=one.first, last=one.last)


def _of(clause: str, lines: Sequence[Line]) -> list[Line]:
    return [line for line in lines if line.clause == clause]
