"""
Memory of a process that goes on for weeks.

    modest      have free memory given back; to be said before Polars is loaded
    settled     what is there now stays: no cycles of objects are looked for in it
"""

from __future__ import annotations

import ctypes
import gc
import os
from contextlib import suppress

_M_TRIM_THRESHOLD, _M_ARENA_MAX = -1, -8
_KEPT = 256 * 2**10
_ARENAS = 1


def modest() -> None:
    """Have free memory given back; to be said before Polars is loaded.

    What Polars allocates with keeps free memory for the next ten seconds of work, and longer where
    there is none. The C library has a heap for every thread, and keeps what is free. Together
    that is a quarter of what a site takes. Where there are other libraries, nothing is changed.
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:0,muzzy_decay_ms:0")
    with suppress(OSError, AttributeError):  # not the GNU C library
        library = ctypes.CDLL(None)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT)
        library.mallopt(_M_ARENA_MAX, _ARENAS)


def settled() -> None:
    """What is there now stays: no cycles of objects are looked for in it any more.

    To look through the statements of a journal takes a tenth of a second, and holds up all else.
    """
    gc.collect()
    gc.freeze()
