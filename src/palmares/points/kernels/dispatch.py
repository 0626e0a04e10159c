"""Formulas of grants, in plain Python or compiled: whichever is faster for so many rows."""

from __future__ import annotations

from collections.abc import Sequence

from palmares.points.kernels import formulas
from palmares.points.kernels.formulas import Opening, Worked
from palmares.regulations.model import Grant


def work(
    grants: Sequence[Grant], opening: Opening = None, *, unfolded: bool = False
) -> list[Worked]:
    """Every grant with its points; `uncountable` says which are none.

    Args:
        grants: in the order in which a fold must see them.
        opening: for a fold, what a player starts from, given the rules of their first event.
        unfolded: leave the formulas of folds for later: what they need of a row is worked out, and
            their points are 0.
    """
    if formulas.compiles(sum(len(grant.players) for grant in grants)):
        from palmares.points.kernels import apply  # Numba loads only where it pays

        return apply.work(grants, opening, unfolded=unfolded)
    return formulas.plain(grants, opening, unfolded=unfolded)
