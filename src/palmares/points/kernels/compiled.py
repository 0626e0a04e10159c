"""
A regulation's clauses as machine code, for millions of rows.

A clause is compiled as it is written: the same code object, with globals in which the functions it
calls are compiled ones, and those of `palmares.core.mathx` the machine's own. Nothing is reordered
or fused, so plain Python and machine code count the same nanopoints. The loop around the clauses is
a few generated lines, kept on disk with what Numba made of them, in a file named by a hash of every
source it depends on.
"""

from __future__ import annotations

import hashlib
import math
import os
import pickle
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import getsource
from pathlib import Path
from textwrap import indent
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from palmares.core import mathx, rounding
from palmares.core.files import OWNERS, cache_folder, make_private
from palmares.core.rounding import GREATEST, UNCOUNTABLE
from palmares.core.threads import cores, share
from palmares.regulations import tracing

Kernel = Callable[..., Any]

AHEAD = 32
"""Rows ahead at which a fold asks memory for a player's points; 16 were measured to be slower."""
_TO_BE_READ = (0, 3, 1)  # for reading, to be kept at hand, data

# What reading a damaged cache, or writing to a full disk, raises.
_UNREADABLE = (OSError, EOFError, pickle.PickleError, ValueError, LookupError, AttributeError)


class KernelSpec(NamedTuple):
    """Which clauses a kernel applies to a row, and where each of their parameters comes from."""

    module: str
    derived: tuple[tuple[str, str], ...]  # (name of the value, name of the clause), in order
    formula: str | None  # the clause that gives the points; none: the derived values are wanted
    terms: tuple[str, ...] = ()  # one number an event
    tables: tuple[str, ...] = ()  # one row of numbers an event
    columns: tuple[str, ...] = ()  # one number a row
    outputs: tuple[str, ...] = ()  # which of them, and "before" of a fold, are returned
    fold: bool = False  # whether the formula takes a player's points before
    alone: bool = False  # whether every row is an event of its own, and there are no starts
    checked: bool = True  # whether to look for places outside a table; none where none can be


# ── jitted ────────────────────────────────────────────────────────────────────────────────────────


_MACHINE: dict[Any, Callable[..., float]] = {
    mathx.sqrt: math.sqrt,
    mathx.log: math.log,
    mathx.log2: math.log2,
    mathx.power: math.pow,
}


@cache
def jitted(module: ModuleType, *, checked: bool = True) -> dict[str, Any]:
    """Every function of a module, compiled by Numba at its first call, by name.

    As in Python, a division by 0 is an error and, if *checked*, a place outside a table.

    A function that is no formula (it reads dates, yields grants) is in it too; Numba refuses it
    only when it is called, and nothing calls it.
    """
    names = dict(vars(module))
    for name, value in vars(module).items():
        if isinstance(value, FunctionType) and value in _MACHINE:
            names[name] = _MACHINE[value]
    compiled = {
        name: numba.njit(
            FunctionType(plain.__code__, names, name, plain.__defaults__), boundscheck=checked
        )
        for name, plain in _plain(module).items()
    }
    names.update(compiled)
    return compiled


def _plain(module: ModuleType) -> dict[str, FunctionType]:
    """The functions a module defines, without the marks of their clauses."""
    own = {
        name: getattr(value, "__wrapped__", value)
        for name, value in vars(module).items()
        if isinstance(value, FunctionType) and value.__module__ == module.__name__
    }
    return {name: value for name, value in own.items() if isinstance(value, FunctionType)}


# ── kernels ──────────────────────────────────────────────────────────────────────────────────────


@cache
def kernel(spec: KernelSpec) -> Kernel:
    """The compiled loop of a spec; it is called with what `arguments` names.

    ========================  ==================================================================
    ``constants``             the edition's named tuple, of floats
    ``starts``                rows of event e are ``starts[e]`` to ``starts[e + 1]``
    ``<term>_of``             an entry an event
    ``<table>_all``           the numbers of all tables laid end to end
    ``<table>_starts``        table k is ``<table>_starts[k]`` to ``<table>_starts[k + 1]`` of it
    ``<table>_number``        which table an event has; an entry an event
    ``<column>_at``           an entry a row
    ``player_at``             of a fold: each row's player as a number from 0
    ``points_so_far``         of a fold: by player; changed in place
    ``<kept>_out``            of each value kept: filled, an entry a row
    ``nanopoints``            filled with each row's points counted, int64; ``UNCOUNTABLE`` where
                              they are no number or too many
    ========================  ==================================================================

    It holds no lock, so that threads may share the events of anything but a fold.
    """
    source = _source(spec)
    compiled = jitted(import_module(spec.module), checked=spec.checked)
    called = [clause for _, clause in spec.derived] + [spec.formula] * bool(spec.formula)
    names: dict[str, Any] = {
        "__name__": __name__,
        "floor": math.floor,
        "unsigned": np.uint64,
        "fetch": _fetch,
    }
    names.update({f"f_{clause}": compiled[str(clause)] for clause in called})
    path = _kernel_file(spec, source)
    exec(compile(source, str(path or "<kernel>"), "exec"), names)  # noqa: S102  (our own lines)
    return cached(names["kernel"], path, nogil=True, boundscheck=spec.checked)


def arguments(spec: KernelSpec) -> list[str]:
    """The names of a kernel's arguments, in order."""
    names = ["constants", *["starts"] * (not spec.alone)]
    names += [f"{name}_of" for name in spec.terms]
    for name in spec.tables:
        names += [f"{name}_all", f"{name}_starts", f"{name}_number"]
    names += [f"{name}_at" for name in spec.columns]
    if spec.fold:
        names += ["player_at", "points_so_far"]
    names += [f"{name}_out" for name in spec.outputs]
    return names + ["nanopoints"] * bool(spec.formula)


def _source(spec: KernelSpec) -> str:
    plain = _plain(import_module(spec.module))

    def call(clause: str) -> str:
        code = plain[clause].__code__
        return f"f_{clause}({', '.join(code.co_varnames[: code.co_argcount])})"

    first = [
        f"{name}_tables = [{name}_all[{name}_starts[k] : {name}_starts[k + 1]]"
        f" for k in range(len({name}_starts) - 1)]"
        for name in spec.tables
    ]
    event = [f"{name} = {name}_of[e]" for name in spec.terms]
    event += [f"{name} = {name}_tables[{name}_number[e]]" for name in spec.tables]
    row = [f"{name} = {name}_at[i]" for name in spec.columns]
    row += [f"{name} = {call(clause)}" for name, clause in spec.derived]
    first += ["who, points = -1, 0.0"] * spec.fold
    row += _before(spec)
    row += [f"{name}_out[i] = {name}" for name in spec.outputs]
    if spec.formula:
        row.append(f"points = {call(spec.formula)}")
        fits = f"abs(points) < {GREATEST}"
        row.append(f"nanopoints[i] = floor(points * 1e9 + 0.5) if {fits} else {UNCOUNTABLE}")
    if spec.alone:
        rows = f"range(len({arguments(spec)[-1]}))"
        loops = [f"for i in {rows}:", "    e = i", indent("\n".join(event + row), " " * 4)]
    else:
        loops = ["for e in range(len(starts) - 1):", indent("\n".join(event), " " * 4)]
        # Unsigned places tell Numba that none is below 0: a quarter of the time of a look-up.
        loops += ["    for i in range(unsigned(starts[e]), unsigned(starts[e + 1])):"]
        loops += [indent("\n".join(row), " " * 8)]
    last = ["if who >= 0:", "    points_so_far[who] = points"] * spec.fold
    body = indent("\n".join(first + loops + last), " " * 4)
    return f"def kernel({', '.join(arguments(spec))}):\n{body}\n"


def _before(spec: KernelSpec) -> list[str]:
    """A fold's points before: at hand while a player's rows follow each other, else from memory.

    Memory is asked some rows ahead: in the order of time, each row is another player's, and a loop
    that waits for a player's points when it comes to them waits most of the time.
    """
    if not spec.fold:
        return []
    return [
        f"ahead = i + unsigned({AHEAD})",
        "if ahead < len(player_at):",
        "    fetch(points_so_far, player_at[ahead])",
        "if player_at[i] != who:",
        "    if who >= 0:",
        "        points_so_far[who] = points",
        "    who = player_at[i]",
        "    points = points_so_far[who]",
        "before = points",
    ]


@intrinsic
def _fetch(_typing: Any, array: Any, place: Any) -> Any:
    """Ask memory for an entry of an array without waiting for it."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        int32, byte = ir.IntType(32), ir.IntType(8).as_pointer()
        data = context.make_array(signature.args[0])(context, builder, given[0])
        kind = ir.FunctionType(ir.VoidType(), [byte, int32, int32, int32])
        ask = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0i8")  # type: ignore[no-untyped-call]
        entry = builder.bitcast(builder.gep(data.data, [given[1]]), byte)
        builder.call(ask, [entry, *(ir.Constant(int32, each) for each in _TO_BE_READ)])
        return context.get_dummy_value()

    return types.void(array, place), code


# ── the cache on disk ────────────────────────────────────────────────────────────────────────────


def cached(function: Callable[..., Any], path: Path | None, **options: Any) -> Kernel:
    """A function of our own, compiled; Numba's code is cached next to its file, if any."""
    fresh: Kernel = numba.njit(function, **options)
    if path is None:
        return fresh
    try:
        stored: Kernel = numba.njit(function, cache=True, **options)
    except RuntimeError:  # Numba found no directory it may write to
        return fresh

    def run(*given: Any) -> Any:
        try:
            return stored(*given)
        except IndexError:  # a formula's own
            raise
        except _UNREADABLE:
            return fresh(*given)

    return run


def cache_file(source: str, depends: Sequence[str]) -> Path | None:
    """The file that holds lines of our own, named after all they depend on; none if none can be.

    Two processes may write it at once: both write the same bytes and the same date, whole.
    """
    try:
        name = hashlib.sha256("\0".join((numba.__version__, *depends)).encode()).hexdigest()[:24]
        path = cache_folder() / "kernels" / f"kernel_{name}.py"
        make_private(path.parent)
        if not path.exists():
            draft = path.with_suffix(f".{os.getpid()}")
            try:
                draft.touch(mode=OWNERS)
                draft.write_text(source)
                os.utime(draft, (0, 0))  # Numba takes a new date for a new source
                draft.replace(path)
            finally:
                draft.unlink(missing_ok=True)
    except OSError:
        return None
    return path


def _kernel_file(spec: KernelSpec, source: str) -> Path | None:
    sources = (import_module(spec.module), tracing, mathx, rounding, sys.modules[__name__])
    try:
        depends = [repr(spec), *(getsource(each) for each in sources)]
    except OSError:
        return None
    return cache_file(source, depends)


# ── threads ──────────────────────────────────────────────────────────────────────────────────────

THREADS_FROM = 1_000_000
"""Rows from which a second thread pays: below, a loop takes a few milliseconds."""


def run(
    spec: KernelSpec,
    given: Mapping[str, Any],
    threads: int | None = None,
    players: Any = None,
) -> None:
    """Call a spec's kernel with its arguments by name, its events shared out over threads.

    The result is the same whatever the number of threads: no row depends on another's.

    Args:
        spec: what is applied to each row.
        given: the arguments of `kernel`, by name; what it fills is filled.
        threads: how many; none: one for each core if there are rows enough. A fold has one: the
            events of a player need what came of those before.
        players: where each player's rows begin, and where the last one's end, if a fold's rows are
            events of their own sorted by player. Then a fold, too, is shared out: a player's rows
            are never cut.
    """
    loop, names = kernel(spec), arguments(spec)
    rows = len(given[names[-1]])
    if threads is None:
        threads = cores() if rows >= THREADS_FROM else 1
    if threads <= 1 or (spec.fold and players is None):
        loop(*(given[name] for name in names))
        return

    def part(first: int, last: int) -> None:
        if spec.fold:  # whole players
            first, last = (int(players[np.searchsorted(players, row)]) for row in (first, last))
        elif not spec.alone:  # whole events
            first, last = map(int, np.searchsorted(given["starts"], (first, last)))
        loop(*(_part(spec, name, given[name], first, last) for name in names))

    share(rows, part, threads)


def _part(spec: KernelSpec, name: str, value: Any, first: int, last: int) -> Any:
    """The part of an argument for events *first* to *last*; rows keep their numbers."""
    if name == "starts":
        return value[first : last + 1]
    by_event = name.endswith(("_of", "_number"))
    by_row = name.endswith(("_at", "_out")) or name == "nanopoints"
    return value[first:last] if by_event or (spec.alone and by_row) else value
