"""
The formulas of grants applied to their rows, and the points counted.

A formula takes values by the names of its parameters. Row by row in plain Python; where there are
enough rows to pay for it, by the same functions compiled (see
`palmares.points.kernels.apply`). Both do the same operations on the same doubles in the same order,
so both count the same points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

from msgspec import Struct

from palmares.core.errors import Problem, RuleError
from palmares.core.extras import pays
from palmares.core.messages import msg
from palmares.core.rounding import GREATEST, UNCOUNTABLE, countable_nanopoints
from palmares.regulations.model import BEFORE, Grant, Opening, parameters

COMPILED_FROM = 1_000_000
"""Rows from which loading Numba pays for every regulation, as ``make bench`` measured it.

A fold (dptr) breaks even at some 600,000 rows, a product (wbgf) at a million.
"""
COMPILED_FROM_ONCE_LOADED = 20_000
"""Rows from which compiling pays in a process that has Numba loaded, as after a shard before this.

Machine code took 4 ms for so many rows of wbgf and plain Python 17; of dptr, 9 and 23.
"""


class Worked(Struct, frozen=True):
    """A grant with what its formulas gave, one entry a row: in lists, or in NumPy's arrays."""

    grant: Grant
    columns: dict[str, Sequence[Any]]  # derived values, and "before" of a fold
    nanopoints: Sequence[int]


def compiles(rows: int) -> bool:
    """Whether so many rows are enough for compiling to pay."""
    return pays(rows, COMPILED_FROM, COMPILED_FROM_ONCE_LOADED)


def apply(
    function: Callable[..., Any], grant: Grant, columns: dict[str, Sequence[Any]]
) -> list[Any]:
    """One formula on every row of a grant."""
    rows = len(grant.players)
    common = {"constants": grant.rules.constants, **grant.terms, **grant.tables}
    given = [
        columns[name] if name in columns else repeat(common[name], rows)
        for name in parameters(function)
    ]
    values = list(map(function, *given)) if given else [function() for _ in range(rows)]
    if len(values) != rows:
        raise RuleError(f"{grant.kind} of {grant.event.name}: a column has not {rows} rows")
    return values


def plain(grants: Sequence[Grant], opening: Opening, *, unfolded: bool = False) -> list[Worked]:
    """Every grant with its points, in plain Python."""
    last: dict[str, Any] = {}
    return [_worked(grant, opening, last, unfolded=unfolded) for grant in grants]


def folds(formula: Callable[..., Any]) -> bool:
    """Whether a formula takes a player's points before."""
    return BEFORE in parameters(formula)


def _worked(
    grant: Grant, opening: Opening, last: dict[str, Any], *, unfolded: bool = False
) -> Worked:
    """One grant's points; *last* holds each player's points so far, for a fold."""
    columns: dict[str, Sequence[Any]] = dict(grant.columns)
    derived: dict[str, Sequence[Any]] = {}
    for name, function in grant.derived.items():
        derived[name] = columns[name] = apply(function, grant, columns)
    if unfolded and folds(grant.formula):
        return Worked(grant, derived, [0] * len(grant.players))
    if folds(grant.formula) and opening is not None:
        start = opening(grant.rules)
        derived[BEFORE] = columns[BEFORE] = [last.get(player, start) for player in grant.players]
    points = apply(grant.formula, grant, columns)
    if BEFORE in derived:
        last.update(zip(grant.players, points, strict=True))
    return Worked(grant, derived, [countable_nanopoints(each) for each in points])


def uncountable(
    worked: Sequence[Worked], ids: Sequence[str] | Mapping[str, str]
) -> Iterator[tuple[Grant, Problem]]:
    """Every grant with points that cannot be counted, and its problem.

    Args:
        worked: grants with their points.
        ids: of players, by the numbers or ids that they have in the grants.
    """
    for each in worked:
        if UNCOUNTABLE in each.nanopoints:
            grant = each.grant
            number: Any = grant.players[list(each.nanopoints).index(UNCOUNTABLE)]
            regulation = grant.rules.edition.regulation
            terms = ", ".join(f"{name} {value}" for name, value in grant.terms.items())
            problem = Problem(
                at=grant.event.where,
                what=msg(
                    "the %(kind)s points of %(player)s in %(event)s come to no number below"
                    " %(greatest)s",
                    kind=(grant.kind,),
                    player=ids[number],
                    event=grant.event.name,
                    greatest=GREATEST,
                ),
                clause=f"{regulation} {getattr(grant.formula, 'clause', grant.formula.__name__)}",
                remedy=msg(
                    "Look for a number far too large in the report: %(terms)s.", terms=terms
                ),
            )
            yield grant, problem
