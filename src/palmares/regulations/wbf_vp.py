"""
WBF scales from IMPs to victory points (VPs).

The winner's VPs grow with the margin in IMPs, each IMP worth no more than the one before, up to
the blitz. The continuous scale has two decimals; the discrete scale gives whole VPs for ranges of
IMPs. Both are rounded first and then corrected, in whole numbers, until nothing bulges.

    §1  Introduction              loser
    §2  Theoretical Background    eq1, eq2, eq3, eq8 (eq4 to eq7 explain)
    §3  The Continuous VP Scale   eq9, eq10, continuous-correction, winner
    §4  The Discrete VP Scale     eq12, first-pass, eq13, eq14, discrete-correction, eq15

Units: margins are IMPs, scores are VPs, *cells* are hundredths of a VP, always whole numbers.
Numbers the text fixes are in ``rules/wbf-vp/<edition>.toml``, with the readings V1 to V7.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from math import ceil, floor
from typing import Any, NamedTuple

from palmares.core.mathx import log, power, settled, sqrt
from palmares.regulations.editions import Rules
from palmares.regulations.protocol import Calculator, Regulation
from palmares.regulations.tracing import clause


class Constants(NamedTuple):
    """The numbers of an edition: its file has an entry for each field, and no other."""

    draw: Any
    golden_root: Any
    golden_power: Any
    imps_per_root_board: Any
    cells_per_vp: Any
    half_a_score: Any
    score_step: Any


class ExponentialCurve(NamedTuple):
    """What makes one exponential curve: the two parameters of Eq. (1), and R."""

    draw: Any  # V0, VPs
    blitz: Any  # X, IMPs
    ratio: Any  # R


# ── 1 Introduction ───────────────────────────────────────────────────────────────────────────────


@clause("wbf-vp loser")
def loser_cells(full: int, winner: int) -> int:
    """The loser has what the winner leaves of the full score, both in cells."""
    return full - winner


def full_cells(constants: Constants, draw: Any) -> int:
    """The score of a maximum win, twice that of a draw, in cells."""
    full: int = floor(2 * draw * constants.cells_per_vp)
    return full


# ── 2 Theoretical Background ─────────────────────────────────────────────────────────────────────


@clause("wbf-vp eq1")
def vmap(margin: Any, draw: Any, blitz: Any, ratio: Any) -> Any:
    """The winner's VPs for a margin, before any rounding."""
    return draw + draw * ((1 - power(ratio, margin / blitz)) / (1 - ratio))


@clause("wbf-vp eq2")
def ratio(constants: Constants) -> Any:
    """R, the cube of the golden mean."""
    golden_mean = (sqrt(constants.golden_root) - 1) / 2
    return power(golden_mean, constants.golden_power)


@clause("wbf-vp eq3")
def blitz(constants: Constants, boards: Any) -> Any:
    """The margin X of a maximum win; exact where the number of boards is a square."""
    return constants.imps_per_root_board * sqrt(boards)


def curve(rules: Rules, boards: int, variant: str | None = None) -> ExponentialCurve:
    """The curve for a number of boards, of the text or of a variant named in the edition.

    Raises:
        KeyError: the edition names no such variant.
    """
    draw, counted = rules.constants.draw, rules.number(boards)
    if variant is not None:
        chosen = rules.tables["variants"][variant]
        draw, counted = chosen["draw"], counted * chosen["counted_per_board"]
    return ExponentialCurve(draw, blitz(rules.constants, counted), ratio(rules.constants))


@clause("wbf-vp eq8")
def imap(score: Any, draw: Any, blitz: Any, ratio: Any) -> Any:
    """The margin, seldom whole, at which the curve reaches a score of the winner."""
    return blitz * (log(1 - (1 - ratio) * (score / draw - 1)) / log(ratio))


# ── 3 The Continuous VP Scale ────────────────────────────────────────────────────────────────────


@clause("wbf-vp eq9")
def rounded_cells(constants: Constants, margin: Any, draw: Any, blitz: Any, ratio: Any) -> int:
    """The winner's cells for a margin: to the nearest cell, half up, and never above the full."""
    nearest = floor(settled(_half_a_cell_more, constants.cells_per_vp, margin, draw, blitz, ratio))
    return min(nearest, full_cells(constants, draw))


def _half_a_cell_more(cells_per_vp: Any, margin: Any, draw: Any, blitz: Any, ratio: Any) -> Any:
    """A value plus half a cell: rounded down, it is the value rounded half up."""
    return (2 * cells_per_vp * vmap(margin, draw, blitz, ratio) + 1) / 2


def rounded_table(constants: Constants, curve: ExponentialCurve) -> tuple[int, ...]:
    """The winner's cells for every margin from 0 to ceil(X), before correcting.

    Args:
        constants: of the edition, as fractions.
        curve: as fractions; ceil(X) of a whole X is X itself (reading V4).

    Returns:
        A table of shape ``(ceil(X) + 1,)``; entry ``i`` belongs to a margin of ``i`` IMPs.
    """
    last = ceil(curve.blitz)
    return tuple(rounded_cells(constants, margin, *curve) for margin in range(last + 1))


@clause("wbf-vp eq10")
def bulges(before: int, cell: int, after: int) -> bool:
    """Whether the step after a cell is larger than the step before it."""
    return after - cell > cell - before


def violations(cells: Sequence[int]) -> tuple[int, ...]:
    """The margins whose cell is the middle of three that violate the Concavity Rule."""
    return tuple(i for i in range(1, len(cells) - 1) if bulges(*cells[i - 1 : i + 2]))


@clause("wbf-vp continuous-correction")
def concave(cells: Sequence[int]) -> tuple[int, ...]:
    """The table corrected: raise the middle of the first violation by a cell until none is left.

    The printed loop looks for the first violation from the start after every raise. A raise makes
    none but beside it, so that looking on from the cell before finds the same one.
    """
    raised = list(cells)
    middle = 1
    while middle < len(raised) - 1:
        if raised[middle + 1] - raised[middle] > raised[middle] - raised[middle - 1]:
            raised[middle] += 1
            middle = max(middle - 1, 1)
        else:
            middle += 1
    return tuple(raised)


@clause("wbf-vp winner")
def winner_cells(cells: Sequence[int], margin: int) -> int:
    """The winner's cells: the entry of the margin, and beyond the table its last entry."""
    return cells[min(abs(margin), len(cells) - 1)]


def margin_reaching(cells: Sequence[int], wanted: int) -> int:
    """The smallest margin whose cells are at least as many as wanted.

    Raises:
        ValueError: the scale ends below.
    """
    if wanted > cells[-1]:
        raise ValueError(f"{wanted} cells are more than the {cells[-1]} of the last entry")
    return bisect_left(cells, wanted)


# ── 4 The Discrete VP Scale ──────────────────────────────────────────────────────────────────────


@clause("wbf-vp eq12")
def mid_scores(constants: Constants, draw: Any) -> tuple[Any, ...]:
    """The scores half-way between two whole ones, from the draw's to the full score's."""
    first = draw + constants.half_a_score
    last = 2 * draw - constants.half_a_score
    count = floor((last - first) / constants.score_step) + 1
    return tuple(first + step * constants.score_step for step in range(count))


@clause("wbf-vp first-pass")
def cusp(score: Any, draw: Any, blitz: Any, ratio: Any) -> int:
    """The last margin below a mid-score, where the range of the score under it ends."""
    return floor(settled(imap, score, draw, blitz, ratio))


def cusps(constants: Constants, curve: ExponentialCurve) -> tuple[int, ...]:
    """The last margin of every score but the full one, before correcting: I1 to In of the text."""
    return tuple(cusp(score, *curve) for score in mid_scores(constants, curve.draw))


@clause("wbf-vp eq13")
def second_range_is_as_wide(first: int, second: int) -> bool:
    """Whether the range after the draw's is at least as wide as the draw's, -I1 to I1."""
    return second - first >= 2 * first + 1


@clause("wbf-vp eq14")
def range_is_as_wide(before_last: int, last: int, this: int) -> bool:
    """Whether a range is at least as wide as the one before it."""
    return this - last >= last - before_last


def too_wide(cusps: Sequence[int]) -> tuple[int, ...]:
    """The places, from 0, of cusps whose own range is wider than the next one."""
    first = () if second_range_is_as_wide(cusps[0], cusps[1]) else (0,)
    rest = range(1, len(cusps) - 1)
    return (*first, *(k for k in rest if not range_is_as_wide(*cusps[k - 1 : k + 2])))


@clause("wbf-vp discrete-correction")
def widening(cusps: Sequence[int]) -> tuple[int, ...]:
    """The cusps corrected: lower the first violating one by an IMP until none is left."""
    lowered = list(cusps)
    while wide := too_wide(lowered):
        lowered[wide[0]] -= 1
    return tuple(lowered)


def discrete_table(constants: Constants, draw: Any, cusps: Sequence[int]) -> tuple[int, ...]:
    """The winner's cells for every margin from 0 to the first that earns the full score.

    Returns:
        A table of shape ``(In + 2,)``; it is looked up like the continuous one.
    """
    cells = constants.cells_per_vp
    return tuple(
        floor(cells * (draw + constants.score_step * bisect_left(cusps, margin)))
        for margin in range(cusps[-1] + 2)
    )


@clause("wbf-vp eq15")
def bracketed(last_below: int, imps: Any, last: int) -> Any:
    """Whether the range of a score holds the margin at which the curve reaches it."""
    return last_below + 1 <= imps <= last


class RangeViolation(NamedTuple):
    """A score whose range does not hold the margin at which the curve reaches it."""

    score: Any  # VPs
    first: int  # IMPs
    last: int
    imps: float  # where the curve reaches the score


def range_violations(
    constants: Constants, curve: ExponentialCurve, cusps: Sequence[int]
) -> Iterator[RangeViolation]:
    """Every range violation of a corrected scale; they are kept (reading V5)."""
    for place in range(1, len(cusps)):
        score = curve.draw + place * constants.score_step
        imps = settled(imap, score, *curve)
        if not bracketed(cusps[place - 1], imps, cusps[place]):
            yield RangeViolation(score, cusps[place - 1] + 1, cusps[place], float(imps))


# ── The regulation ─────────────────────────────────────────────────────────────────────────────

REGULATION = Regulation(
    name="wbf-vp",
    title="WBF victory points",
    discipline="bridge",
    constants=Constants,
    calculator=Calculator(name="victory-points"),
)
