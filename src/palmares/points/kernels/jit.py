"""
Plain loops over arrays as machine code.

A loop is a plain Python function over arrays. Those whose names begin with an underscore are parts
of the others. None holds the lock, so that each core may take a piece of the arrays.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from inspect import getsource, isfunction
from types import SimpleNamespace
from typing import Any

from palmares.core.extras import installed
from palmares.points.kernels import rows


@cache
def compiled(name: str) -> Any:
    """The loops of the module of that name, as attributes; compiled at their first call.

    Without Numba (the extra ``fast``) they run as the Python they are: slow, and the same.
    """
    if not installed("fast"):
        return import_module(name)
    import numba  # loads only where it pays

    from palmares.points.kernels.compiled import cached, kept_as

    module = import_module(name)
    source = getsource(module)
    path = kept_as(source, [name, source, getsource(rows)])
    names: dict[str, Any] = {"__name__": __name__}
    exec(compile(source, str(path or "<loops>"), "exec"), names)  # noqa: S102  (our own lines)
    options: dict[str, Any] = {"nogil": True}
    functions = {key: value for key, value in names.items() if isfunction(value)}
    parts = {key: value for key, value in functions.items() if key.startswith("_")}
    names.update({key: numba.njit(part, **options) for key, part in parts.items()})
    whole = {
        key: cached(functions[key], path, **options) for key in functions.keys() - parts.keys()
    }
    return SimpleNamespace(**whole)
