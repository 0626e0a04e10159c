"""
The compiled twin of a regulation: the same functions as machine code, for millions of rows.

    twins       a module  ->  its clauses compiled, each calling its callees' twins
    kernel      formulas in a row  ->  one compiled loop over events and their rows

A clause is compiled as it is written: the same code object, with globals in which the clauses it
calls are replaced by their twins and the functions of `palmares.numeric` by the machine's own.
The loop is a few generated lines, kept on disk with what Numba made of it, under a name that
changes whenever a source it depends on changes.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from inspect import getsource
from pathlib import Path
from textwrap import indent
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numba

from palmares import clauses, numeric, rounding

_MACHINE = {"sqrt": math.sqrt, "log": math.log, "log2": math.log2, "power": math.pow}


class Recipe(NamedTuple):
    """Which formulas a kernel applies, and where each of their parameters comes from."""

    module: str
    derived: tuple[tuple[str, str], ...]  # (name of the value, name of the clause), in order
    formula: str  # the clause that gives the points
    terms: tuple[str, ...]  # one number an event
    tables: tuple[str, ...]  # one row of numbers an event
    columns: tuple[str, ...]  # one number a row
    fold: bool  # whether the formula takes a player's points before


@cache
def twins(module: ModuleType) -> dict[str, Any]:
    """Every clause of a module compiled by Numba (at its first call), by name."""
    names = dict(vars(module))
    for name, function in vars(module).items():
        if getattr(function, "__module__", "") == numeric.__name__ and name in _MACHINE:
            names[name] = numba.njit(_through(_MACHINE[name]))
    compiled = {
        name: numba.njit(FunctionType(plain.__code__, names, name, plain.__defaults__))
        for name, plain in _plain_clauses(module).items()
    }
    names.update(compiled)
    return compiled


def _plain_clauses(module: ModuleType) -> dict[str, FunctionType]:
    return {
        name: function.__wrapped__
        for name, function in vars(module).items()
        if hasattr(function, "clause") and hasattr(function, "__wrapped__")
    }


def _through(function: Callable[..., float]) -> Callable[..., float]:
    """A builtin as a Python function, which is what Numba compiles."""
    if function is math.pow:
        return lambda base, exponent: math.pow(base, exponent)
    return lambda value: function(value)


@cache
def kernel(recipe: Recipe) -> Callable[..., None]:
    """The compiled loop of a recipe.

    Called with: constants; starts (rows of event e are starts[e] to starts[e+1]); an array a term;
    two arrays a table (numbers of all events, starts of each event's); an array a column; for a
    fold, player codes and the points so far by code (changed in place); an array to fill a derived
    value (and ``before`` of a fold); the nanopoints to fill.
    """
    source = _source(recipe)
    module = import_module(recipe.module)
    path = _kept(source, module)
    compiled = twins(module)
    names: dict[str, Any] = {"__name__": __name__, "floor": math.floor}
    names.update({f"f_{clause}": compiled[clause] for _, clause in recipe.derived})
    names[f"f_{recipe.formula}"] = compiled[recipe.formula]
    exec(compile(source, str(path or "<kernel>"), "exec"), names)  # noqa: S102  (our own lines)
    return numba.njit(names["kernel"], cache=path is not None, nogil=True)  # type: ignore[no-any-return]


def arguments(recipe: Recipe) -> list[str]:
    """The names of a kernel's arguments, in order."""
    found = ["constants", "starts", *(f"{name}_of" for name in recipe.terms)]
    for name in recipe.tables:
        found += [f"{name}_all", f"{name}_starts"]
    found += [f"{name}_at" for name in recipe.columns]
    if recipe.fold:
        found += ["player_at", "points_so_far", "before_out"]
    return [*found, *(f"{name}_out" for name, _ in recipe.derived), "nanopoints"]


def _source(recipe: Recipe) -> str:
    module = import_module(recipe.module)
    plain = _plain_clauses(module)

    def call(clause: str) -> str:
        code = plain[clause].__code__
        return f"f_{clause}({', '.join(code.co_varnames[: code.co_argcount])})"

    event = [f"{name} = {name}_of[e]" for name in recipe.terms]
    event += [
        f"{name} = {name}_all[{name}_starts[e] : {name}_starts[e + 1]]" for name in recipe.tables
    ]
    row = [f"{name} = {name}_at[i]" for name in recipe.columns]
    if recipe.fold:
        row += ["before = points_so_far[player_at[i]]", "before_out[i] = before"]
    for name, clause in recipe.derived:
        row += [f"{name} = {call(clause)}", f"{name}_out[i] = {name}"]
    row.append(f"points = {call(recipe.formula)}")
    if recipe.fold:
        row.append("points_so_far[player_at[i]] = points")
    row.append("nanopoints[i] = floor(points * 1e9 + 0.5)")
    return "\n".join(
        [
            f"def kernel({', '.join(arguments(recipe))}):",
            "    for e in range(len(starts) - 1):",
            indent("\n".join(event), " " * 8),
            "        for i in range(starts[e], starts[e + 1]):",
            indent("\n".join(row), " " * 12),
            "",
        ]
    )


def _kept(source: str, module: ModuleType) -> Path | None:
    """The file that holds the loop, named after everything it depends on; none if there is no room."""
    depends = [source, numba.__version__]
    depends += [getsource(one) for one in (module, clauses, numeric, rounding)]
    name = hashlib.sha256("\0".join(depends).encode()).hexdigest()[:24]
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(home) / "palmares" / "kernels" / f"kernel_{name}.py"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            draft = path.with_suffix(f".{os.getpid()}")
            draft.write_text(source)
            draft.replace(path)
    except (OSError, RuntimeError):
        return None
    return path


def supported(values: Sequence[Any]) -> bool:
    """Whether every value is a number that machine code holds exactly as Python does."""
    return all(isinstance(value, int | float) and abs(value) < 2**53 for value in values)
