"""
Grants in bulk: the rows of many events as arrays, through one compiled kernel a recipe.

The same work as `palmares.engines.inprocess`, for so many rows that loading Numba pays. What
machine code cannot hold (ragged columns, roundings on text) is left to plain Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from palmares import compiled
from palmares.engines import inprocess
from palmares.placings import Grant

Worked = inprocess.Worked


def work(grants: Sequence[Grant], opening: Callable[..., Any] | None) -> list[Worked]:
    """Every grant with its points; in the order given."""
    recipes = [recipe_of(grant) for grant in grants]
    if any(recipe and recipe.fold for recipe in recipes) and len(set(recipes)) > 1:
        return inprocess.plain(grants, opening)
    done: dict[int, Worked] = {}
    groups: dict[Any, list[int]] = {}
    for place, (grant, recipe) in enumerate(zip(grants, recipes, strict=True)):
        groups.setdefault((recipe, grant.rules.constants), []).append(place)
    for (recipe, _), places in groups.items():
        chosen = [grants[place] for place in places]
        worked = inprocess.plain(chosen, opening) if recipe is None else run(recipe, chosen, opening)
        done.update(zip(places, worked, strict=True))
    return [done[place] for place in range(len(grants))]


def recipe_of(grant: Grant) -> compiled.Recipe | None:
    """How a grant's formulas are compiled, or none if they cannot be."""
    functions = (*grant.derived.values(), grant.formula)
    modules = {function.__module__ for function in functions}
    clauses = [function.__name__ for function in functions]
    if len(modules) > 1 or any(getattr(one, "plain_only", False) for one in functions):
        return None
    needed = {name for one in functions for name in inprocess.parameters(one)}
    columns = tuple(name for name in grant.columns if name in needed)
    terms = tuple(name for name in grant.terms if name in needed and name not in columns)
    numbers = [grant.terms[name] for name in terms]
    numbers += [column[0] for name in columns for column in [grant.columns[name]] if len(column)]
    if not compiled.supported(numbers):
        return None
    return compiled.Recipe(
        module=modules.pop(),
        derived=tuple(zip(grant.derived, clauses[:-1], strict=True)),
        formula=clauses[-1],
        terms=terms,
        tables=tuple(name for name in grant.tables if name in needed),
        columns=columns,
        fold="before" in inprocess.parameters(grant.formula),
    )


def run(
    recipe: compiled.Recipe, grants: Sequence[Grant], opening: Callable[..., Any] | None
) -> list[Worked]:
    """All grants of one recipe and one edition through its kernel."""
    starts = _starts([len(grant.players) for grant in grants])
    rows = int(starts[-1])
    given: dict[str, Any] = {"constants": grants[0].rules.constants, "starts": starts}
    for name in recipe.terms:
        given[f"{name}_of"] = np.array([grant.terms[name] for grant in grants])
    for name in recipe.tables:
        tables = [grant.tables[name] for grant in grants]
        given[f"{name}_starts"] = _starts([len(table) for table in tables])
        given[f"{name}_all"] = np.concatenate([np.asarray(table, float) for table in tables])
    for name in recipe.columns:
        given[f"{name}_at"] = np.concatenate([np.asarray(g.columns[name]) for g in grants])
    if recipe.fold and opening is not None:
        codes, players = _codes(grants, rows)
        given["player_at"] = codes
        given["points_so_far"] = np.full(players, float(opening(grants[0].rules)))
        given["before_out"] = np.empty(rows)
    for name, _ in recipe.derived:
        given[f"{name}_out"] = np.empty(rows)
    given["nanopoints"] = np.empty(rows, np.int64)
    compiled.kernel(recipe)(*(given[name] for name in compiled.arguments(recipe)))
    made = [name for name, _ in recipe.derived] + ["before"] * recipe.fold
    return [
        Worked(
            grant,
            {name: given[f"{name}_out"][first:last] for name in made},
            given["nanopoints"][first:last].tolist(),
        )
        for grant, first, last in zip(grants, starts[:-1], starts[1:], strict=True)
    ]


def _starts(sizes: Sequence[int]) -> Any:
    return np.fromiter(accumulate(sizes, initial=0), np.int64, len(sizes) + 1)


def _codes(grants: Sequence[Grant], rows: int) -> tuple[Any, int]:
    """Every row's player as a dense number, in the order of first appearance."""
    codes: dict[str, int] = {}
    found = np.fromiter(
        (codes.setdefault(player, len(codes)) for grant in grants for player in grant.players),
        np.int64,
        rows,
    )
    return found, len(codes)
