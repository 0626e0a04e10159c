"""
Memory of a process that goes on for weeks.

    modest      have free memory given back; to be said before Polars is loaded
    making      no cycles of objects are looked for
    settled     what is there now stays: they are looked for among what comes later
"""

from __future__ import annotations

import ctypes
import gc
import os
from contextlib import suppress

_VARIABLE = "_RJEM_MALLOC_CONF"
_MODEST = "dirty_decay_ms:0,muzzy_decay_ms:0,narenas:1"
_M_TRIM_THRESHOLD, _M_ARENA_MAX = -1, -8
_KEPT = 256 * 2**10
_ARENAS = 1


def modest() -> None:
    """Have free memory given back; to be said before Polars is loaded.

    What Polars allocates with keeps free memory for the next ten seconds of work, and longer where
    there is none; and it has heaps for every processor, as the C library has for every thread, each
    with gaps of its own. Together that is a third of what a site takes, and lists are made no
    sooner with it. Where there are other libraries, nothing is changed.
    """
    given = os.environ.get(_VARIABLE)  # by a Polars that we were started from, for instance
    os.environ[_VARIABLE] = f"{given},{_MODEST}" if given else _MODEST  # the last word counts
    with suppress(OSError, AttributeError):  # not the GNU C library
        library = ctypes.CDLL(None)
        library.mallopt(_M_TRIM_THRESHOLD, _KEPT)
        library.mallopt(_M_ARENA_MAX, _ARENAS)


def making() -> None:
    """A site is made now: until it is settled, Python looks for no cycles of objects."""
    gc.disable()


def settled() -> None:
    """What is there now stays; cycles are looked for among what comes later.

    To look through modules, routes and the statements of a journal again and again takes a tenth of
    a start, once at its end a tenth of a second in which nobody is answered; all that is found are
    0.2 MB.
    """
    gc.freeze()
    gc.enable()
