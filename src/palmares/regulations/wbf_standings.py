"""
Standings of bridge teams: what surrounds the scale.

    Margin      margin, to the nearest whole IMP
    Bye         bye_cells
    Withdrawal  void_after_withdrawal
    Quotient    quotient
    Total       total

VPs are whole numbers of hundredths ("cells") throughout, as in `palmares.regulations.wbf_vp`; IMPs
are exact. Numbers and readings S1 to S12 are in ``rules/wbf-standings/<edition>.toml``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from palmares.core.rounding import half_up
from palmares.regulations.protocol import Regulation
from palmares.regulations.tracing import clause


class Constants(NamedTuple):
    """The numbers of an edition: its file has an entry for each field, and no other."""

    bye_vp: Any
    full_vp: Any
    least_share_played: Any


@clause("wbf-standings margin", plain_only=True)
def margin(won: Fraction, lost: Fraction) -> int:
    """The margin that enters the scale: to the nearest whole IMP, halves away from 0 (S3)."""
    difference = won - lost
    nearest = int(half_up(abs(difference), 0))
    return nearest if difference > 0 else -nearest


@clause("wbf-standings bye", plain_only=True)
def bye_cells(constants: Constants, full: int, set_by_director: Fraction | None) -> int:
    """The VPs of a bye in hundredths: its share of the whole, or what the director says (S1)."""
    if set_by_director is not None:
        return int(half_up(set_by_director * 100, 0))
    return int(half_up(constants.bye_vp * full / constants.full_vp, 0))


@clause("wbf-standings withdrawal", plain_only=True)
def void_after_withdrawal(constants: Constants, played: int, scheduled: int) -> bool:
    """Whether a withdrawn team's matches are all void: it played too small a share of them."""
    return bool(played < constants.least_share_played * scheduled)


@clause("wbf-standings quotient", plain_only=True)
def quotient(won: Fraction, lost: Fraction) -> tuple[int, Fraction]:
    """IMPs won by IMPs lost, as something to compare: nothing lost is above all (S10)."""
    if lost:
        return 0, won / lost
    return (1, won) if won else (0, Fraction(1))


@clause("wbf-standings total", plain_only=True)
def total(matches: int, carried: int, adjustments: int) -> int:
    """A team's VPs in hundredths: of its matches and byes, carried forward, and adjusted."""
    return matches + carried + adjustments


# ── The regulation ─────────────────────────────────────────────────────────────────────────────

REGULATION = Regulation(
    name="wbf-standings",
    title="Standings of bridge teams",
    discipline="bridge",
    constants=Constants,
)
