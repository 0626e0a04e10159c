"""
Grants in bulk: the rows of many events as arrays, through one compiled kernel a spec.

The same work as `palmares.points.kernels.formulas`, for so many rows that loading Numba pays. What
machine code cannot hold (text, rows of unequal length, whole numbers beyond 32 bits, fractions) and
what is marked ``plain_only`` is left to plain Python, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from numba.core.errors import NumbaError

from palmares.points.kernels import compiled, formulas
from palmares.points.kernels.arrays import number_array, starts
from palmares.points.kernels.formulas import Worked, folds
from palmares.regulations.model import BEFORE, Grant, Opening, parameters

_KINDS = {"int": np.int64, "bool": np.bool_}  # what a clause says it gives; the rest are floats


def work(
    grants: Sequence[Grant], opening: Opening = None, *, unfolded: bool = False
) -> list[Worked]:
    """Every grant with its points; in the order given."""
    groups: dict[Any, list[int]] = {}
    for place, grant in enumerate(grants):
        spec = spec_of(grant, unfolded=unfolded)
        groups.setdefault((spec, id(grant.rules)), []).append(place)
    if len(groups) > 1 and not unfolded and any(folds(grant.formula) for grant in grants):
        return formulas.plain(grants, opening)  # a fold goes through all its grants in order
    done: dict[int, Worked] = {}
    for (spec, _), places in groups.items():
        chosen = [grants[place] for place in places]
        worked = run(spec, chosen, opening) if spec else None
        if worked is None:
            worked = formulas.plain(chosen, opening, unfolded=unfolded)
        done.update(zip(places, worked, strict=True))
    return [done[place] for place in range(len(grants))]


def spec_of(grant: Grant, *, unfolded: bool = False) -> compiled.KernelSpec | None:
    """How a grant's formulas are compiled, or none if they are marked as plain only."""
    shape = (tuple(grant.terms), tuple(grant.tables), tuple(grant.columns))
    formula = None if unfolded and folds(grant.formula) else grant.formula
    return _spec(formula, tuple(grant.derived.items()), *shape)


@cache
def _spec(
    formula: Callable[..., Any] | None,
    derived: tuple[tuple[str, Callable[..., Any]], ...],
    terms: tuple[str, ...],
    tables: tuple[str, ...],
    columns: tuple[str, ...],
) -> compiled.KernelSpec | None:
    functions = (*(each for _, each in derived), *([formula] if formula else []))
    modules = {function.__module__ for function in functions}
    if len(modules) != 1 or any(getattr(each, "plain_only", True) for each in functions):
        return None
    needed = {name for each in functions for name in parameters(each)}
    fold = formula is not None and folds(formula)
    return compiled.KernelSpec(
        module=modules.pop(),
        derived=tuple((name, each.__name__) for name, each in derived),
        formula=formula.__name__ if formula else None,
        terms=tuple(name for name in terms if name in needed and name not in columns),
        tables=tuple(name for name in tables if name in needed and name not in columns),
        columns=tuple(name for name in columns if name in needed),
        outputs=(*(name for name, _ in derived), *[BEFORE] * fold),
        fold=fold,
    )


def run(
    spec: compiled.KernelSpec, grants: Sequence[Grant], opening: Opening = None
) -> list[Worked] | None:
    """All grants of one spec and one edition through its kernel; none if it cannot hold them."""
    given = _given(spec, grants)
    if given is None or not all(isinstance(each, float) for each in given["constants"]):
        return None
    rows = int(given["starts"][-1])
    if spec.fold and opening is not None:
        players: dict[str, int] = {}
        everyone = chain.from_iterable(grant.players for grant in grants)
        codes = (players.setdefault(player, len(players)) for player in everyone)
        given["player_at"] = np.fromiter(codes, np.int64, rows)
        given["points_so_far"] = np.full(len(players), float(opening(grants[0].rules)))
    for name in spec.outputs:
        given[f"{name}_out"] = np.empty(rows, _kind(grants[0].derived.get(name)))
    given["nanopoints"] = np.zeros(rows, np.int64)
    try:
        compiled.run(spec, given)
    except NumbaError:  # a clause that machine code cannot hold, without its mark
        return None
    ends = given["starts"].tolist()
    return [
        Worked(
            grant,
            {name: given[f"{name}_out"][first:last] for name in spec.outputs},
            given["nanopoints"][first:last],
        )
        for grant, first, last in zip(grants, ends[:-1], ends[1:], strict=True)
    ]


def _given(spec: compiled.KernelSpec, grants: Sequence[Grant]) -> dict[str, Any] | None:
    """The arguments of a kernel by name; none if not all of them are numbers."""
    given: dict[str, Any] = {
        "constants": grants[0].rules.constants,
        "starts": starts(len(grant.players) for grant in grants),
    }
    for name in spec.terms:
        given[f"{name}_of"] = number_array([[grant.terms[name] for grant in grants]])
    for name in spec.tables:
        tables = {id(grant.tables[name]): grant.tables[name] for grant in grants}
        places = dict(zip(tables, range(len(tables)), strict=True))  # one that events share, once
        given[f"{name}_all"] = number_array(tables.values())
        given[f"{name}_starts"] = starts(map(len, tables.values()))
        given[f"{name}_number"] = np.array([places[id(grant.tables[name])] for grant in grants])
    for name in spec.columns:
        given[f"{name}_at"] = number_array(grant.columns[name] for grant in grants)
    return None if any(value is None for value in given.values()) else given


def _kind(clause: Callable[..., Any] | None) -> Any:
    """The type of the values of a clause: one that gives whole numbers says ``-> int``."""
    returned = clause.__annotations__.get("return") if clause else None
    return _KINDS.get(str(returned), np.float64)
