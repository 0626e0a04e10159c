"""
International Matchpoints: the difference in points on a board, as IMPs.

    Law 78B    scale

Units: differences are points of Law 77, always whole numbers. The numbers the text fixes are in
``rules/wbf-imps/<edition>.toml``, with the readings I1 to I3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from palmares.regulations.protocol import Regulation
from palmares.regulations.tracing import clause


class Constants(NamedTuple):
    """The numbers of an edition: its file has an entry for each field, and no other."""

    points_step: Any


@clause("wbf-imps scale")
def imps(table: Sequence[Any], difference: Any) -> int:
    """The IMPs of a difference, 0 or more: so many ranges of the scale begin above the first."""
    begun = 0
    for first in table:
        if difference >= first:
            begun += 1
    return begun - 1


def is_of_two_scores(constants: Constants, difference: Any) -> bool:
    """Whether two scores can differ by so much (reading I1)."""
    return bool(difference % constants.points_step == 0)


def match(table: Sequence[Any], differences: Iterable[Any]) -> tuple[int, int]:
    """The IMPs of both sides of a match, board by board (reading I2).

    Args:
        table: the scale of an edition.
        differences: one a board; negative: the other side's score was better.
    """
    side = other = 0
    for difference in differences:
        won = imps(table, abs(difference))
        if difference > 0:
            side += won
        else:
            other += won
    return side, other


# ── The regulation ─────────────────────────────────────────────────────────────────────────────

REGULATION = Regulation(
    name="wbf-imps",
    title="International Matchpoints",
    discipline="bridge",
    constants=Constants,
)
