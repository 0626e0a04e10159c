"""
Plain loops over arrays as machine code, and threads to run them in.

    compiled    a module that holds nothing but loops  ->  each of them compiled, kept on disk
    in_threads  pieces of work  ->  what each gave, in order
    cores       how many threads can run at once

A loop is a plain Python function over arrays. Those whose names begin with an underscore are parts
of the others. None holds the lock, so that each core may take a piece of the arrays.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from inspect import getsource, isfunction
from types import SimpleNamespace
from typing import Any, TypeVar

from palmares.kernels import rows

T = TypeVar("T")
R = TypeVar("R")


@cache
def compiled(name: str) -> Any:
    """The loops of the module of that name, as attributes; compiled at their first call."""
    import numba  # loads only where it pays

    from palmares.compiled import cached, kept_as

    module = import_module(name)
    source = getsource(module)
    path = kept_as(source, [name, source, getsource(rows)])
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(source, str(path or "<loops>"), "exec"), names)  # noqa: S102  (our own lines)
    options: dict[str, Any] = {"nogil": True}
    found = {key: value for key, value in names.items() if isfunction(value)}
    parts = {key: value for key, value in found.items() if key.startswith("_")}
    names.update({key: numba.njit(part, **options) for key, part in parts.items()})
    whole = {key: cached(found[key], path, **options) for key in found.keys() - parts.keys()}
    return SimpleNamespace(**whole)


def cores() -> int:
    """How many threads of this process can run at once."""
    return len(os.sched_getaffinity(0))


def in_threads(work: Callable[[T], R], pieces: Iterable[T]) -> list[R]:
    """Each piece through *work*, a thread a core; what they gave, in order."""
    given = list(pieces)
    if len(given) < 2 or cores() < 2:  # noqa: PLR2004
        return [work(piece) for piece in given]
    with ThreadPoolExecutor(cores()) as pool:
        return list(pool.map(work, given))
