"""Processes that take the shards of one step."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from types import ModuleType
from typing import Any

from palmares.core.errors import Refused
from palmares.core.progress import Step

_THREADS = ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS")


def each(
    job: Callable[..., Any],
    jobs: Sequence[tuple[Any, ...]],
    processes: int,
    threads: int,
    step: Step,
) -> list[Any]:
    """What *job* gives for each set of arguments, in their order.

    Args:
        job: a function of a module.
        jobs: the arguments of each.
        processes: how many work at once; they start from nothing and end with this call.
        threads: of each of them.
        step: called after each.

    Raises:
        Refused: a process ended, most likely because memory ran out.
    """
    context = get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(processes, context, initializer=_ready, initargs=(reader,))
    answers = []
    try:
        with _inherited(threads):
            coming = pool.map(job, *zip(*jobs, strict=True))
        for answer in coming:
            answers.append(answer)
            step()
    except (BrokenProcessPool, MemoryError) as error:
        raise Refused(
            "A process that worked on the facts ended. Most likely the memory ran out: give it"
            " more, or let fewer processes work at once."
        ) from error
    finally:
        writer.close()  # on which they end, whatever they do
        reader.close()
        pool.shutdown(cancel_futures=True)
    return answers


@contextmanager
def _inherited(threads: int) -> Iterator[None]:
    """Within it, processes begin with so many threads, and Ctrl-C is for this one alone.

    Nor do they run the program that starts them, which may be a script without a guard: of a main
    module without a file, `multiprocessing` runs nothing.
    """
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    before = {name: os.environ.get(name) for name in _THREADS}
    masks = hasattr(signal, "pthread_sigmask")  # not on Windows
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT}) if masks else ()
    os.environ.update(dict.fromkeys(_THREADS, str(threads)))
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        for name, value in before.items():
            del os.environ[name]
            os.environ.update({} if value is None else {name: value})
        if masks:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _ready(parent: Connection) -> None:
    """Begin in a new process: watch the one that started it."""
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Connection) -> None:
    """End when the other side of a pipe is closed, or its process is gone."""
    with suppress(EOFError, OSError):
        parent.recv()
    os._exit(1)
