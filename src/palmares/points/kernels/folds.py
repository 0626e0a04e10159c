"""
Folds by player: ratings after every event, for rows of which each player's are in order of time.

    folded      a formula, players, its parameters  ->  points before and after, counted

The same formula as in `palmares.points.kernels.formulas`, which folds through whole events in order
of time; here every row brings what the formula takes. So rows may be gathered by player first, on
however many machines.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from palmares.core.rounding import GREATEST, UNCOUNTABLE, counted_or_not
from palmares.points.kernels.formulas import BEFORE, compiles, parameters

Array = npt.NDArray[Any]
CONSTANTS = "constants"


class Folded(NamedTuple):
    """Nanopoints of every row: after its event, and before it."""

    after: Array
    before: Array


def taken(formula: Callable[..., Any]) -> tuple[str, ...]:
    """What a fold's formula takes of every row: its parameters, in order.

    Without the points before, and without the constants of an edition, which are not of a row.
    """
    return tuple(name for name in parameters(formula) if name not in (BEFORE, CONSTANTS))


def folded(
    formula: Callable[..., Any],
    constants: Sequence[Any],
    edition: Array,
    opening: Array,
    player: Array,
    given: Mapping[str, Array],
) -> Folded:
    """The points of every row, each from those of the player's row before it.

    Args:
        formula: with a parameter ``before``.
        constants: of each edition.
        edition: which edition's constants a row takes.
        opening: what a player starts from, an entry a player.
        player: of each row, as a number from 0; rows are sorted by player, and those of a player
            by time.
        given: what else the formula takes, a float a row.
    """
    alone = len(constants) == 1 or CONSTANTS not in parameters(formula)
    if alone and compiles(len(player)):
        return _compiled(formula, constants[0], opening, player, given)
    last = opening.tolist()
    takes = [given[name].tolist() for name in taken(formula)]
    fixed = CONSTANTS in parameters(formula)
    names = taken(formula)
    before, after = [], []
    for one, which, *values in zip(player.tolist(), edition.tolist(), *takes, strict=True):
        more = dict(zip(names, values, strict=True)) | (
            {CONSTANTS: constants[which]} if fixed else {}
        )
        before.append(counted_or_not(last[one]))
        last[one] = formula(before=last[one], **more)
        after.append(counted_or_not(last[one]))
    return Folded(np.array(after, np.int64), np.array(before, np.int64))


def _compiled(
    formula: Callable[..., Any],
    constants: Any,
    opening: Array,
    player: Array,
    given: Mapping[str, Array],
) -> Folded:
    """The same by the compiled twin of the formula."""
    from palmares.points.kernels import compiled, threads

    recipe = compiled.KernelSpec(
        module=formula.__module__,
        derived=(),
        formula=formula.__name__,
        columns=taken(formula),
        kept=(BEFORE,),
        fold=True,
        alone=True,
        checked=False,  # no table is looked up
    )
    rows = len(player)
    arrays: dict[str, Any] = {f"{name}_at": given[name] for name in taken(formula)}
    arrays |= {"constants": constants, "player_at": player, "points_so_far": opening.copy()}
    arrays |= {"before_out": np.empty(rows), "nanopoints": np.empty(rows, np.int64)}
    threads.run(recipe, arrays, players=np.searchsorted(player, np.arange(len(opening) + 1)))
    points = arrays["before_out"]
    fits = np.abs(points) < GREATEST  # of what does not, the row before is marked already
    before = np.floor(np.where(fits, points, 0) * 1e9 + 0.5).astype(np.int64)
    before[~fits] = UNCOUNTABLE
    return Folded(arrays["nanopoints"], before)
