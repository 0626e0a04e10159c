"""
The WBF scales worked out a second time, with nothing of palmares in it.

Powers are repeated products in 60-digit decimals; the corrected continuous table is the running sum
of its first differences in descending order; the discrete one follows the printed loop to the
letter, with first differences of first differences.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from itertools import accumulate, count, pairwise
from math import floor

DIGITS = 60
HAIR = Decimal("1e-40")  # a whole number must not be missed by the digits after


def rounded(boards: int, draw: int = 10, halves: int = 1) -> list[int]:
    """The continuous table in hundredths as rounded; a board counts one *halves*-th in X."""
    with localcontext(prec=DIGITS):
        blitz = 15 * (Decimal(boards) / halves).sqrt()
        base = Decimal(5).sqrt() - 2
        factor = (base.ln() / blitz).exp()
        table, power = [], Decimal(1)
        for margin in count():
            points = draw + draw * (1 - power) / (1 - base)
            table.append(min(int((100 * points).quantize(Decimal(1), ROUND_HALF_UP)), 200 * draw))
            if margin >= blitz - HAIR:
                return table
            power *= factor
    raise AssertionError


def continuous(boards: int, draw: int = 10, halves: int = 1) -> list[int]:
    """The continuous table in hundredths, corrected."""
    table = rounded(boards, draw, halves)
    steps = sorted((after - before for before, after in pairwise(table)), reverse=True)
    return list(accumulate(steps, initial=table[0]))


def curve_reaches(score: Decimal, boards: int, draw: int = 10, halves: int = 1) -> Decimal:
    """Eq. (8): the margin at which the curve reaches a score, to 40 decimals."""
    with localcontext(prec=DIGITS):
        base = Decimal(5).sqrt() - 2
        blitz = 15 * (Decimal(boards) / halves).sqrt()
        margin = blitz * (1 - (1 - base) * (score / draw - 1)).ln() / base.ln()
        return margin.quantize(HAIR)


def first_pass(boards: int, draw: int = 10, halves: int = 1) -> list[int]:
    """I1 to In of the discrete scale before correcting."""
    scores = [draw + Decimal(k) + Decimal("0.5") for k in range(draw)]
    return [floor(curve_reaches(score, boards, draw, halves)) for score in scores]


def discrete(boards: int, draw: int = 10, halves: int = 1) -> list[int]:
    """I1 to In of the discrete scale, corrected."""
    cusps = first_pass(boards, draw, halves)
    while True:
        vector = [-(cusps[0] + 1), *cusps]
        second = differences(differences(vector))
        negative = [place for place, value in enumerate(second) if value < 0]
        if not negative:
            return cusps
        cusps[negative[0]] -= 1


def printed_loop(table: list[int]) -> list[tuple[int, list[int]]]:
    """The continuous correction as printed, every ddV recomputed: (margin raised, table after)."""
    values = list(table)
    trace: list[tuple[int, list[int]]] = []
    while True:
        second = [0, 0, *differences(differences(values))]
        positive = [place for place, value in enumerate(second) if value > 0]
        if not positive:
            return trace
        middle = positive[0] - 1
        values[middle] += 1
        trace.append((middle, list(values)))


def range_violations(boards: int) -> list[int]:
    """The scores from 11 to 19 whose discrete range does not hold their margin on the curve."""
    cusps = discrete(boards)
    return [
        10 + k
        for k in range(1, 10)
        if not cusps[k - 1] + 1 <= curve_reaches(Decimal(10 + k), boards) <= cusps[k]
    ]


def differences(values: list[int]) -> list[int]:
    """The operator Diff of the text."""
    return [after - before for before, after in pairwise(values)]
