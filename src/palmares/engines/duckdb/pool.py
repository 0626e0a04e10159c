"""
Processes that take shards of an engine one after the other.

    Workers     some processes; ``each`` hands them jobs and gives the answers in order
    serve       the other side: what a process does until its jobs end

A process is started once and takes many jobs, over its standard input and output. It ends when
that input or this process ends, so that none is left behind; Ctrl-C is for this process alone,
which then ends them. It does not run the program that started it a second time.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO, cast

from palmares.core.errors import FactsRejected, PalmaresError, Refused

_START = (
    "import pickle, sys; sys.path[:], parent = pickle.load(sys.stdin.buffer); "
    "from palmares.engines.duckdb.pool import serve; serve(parent)"
)
_THREADS = ("POLARS_MAX_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS")

Job = Callable[..., Any]


class Workers:
    """Processes that run functions of modules, each with arguments of its own."""

    def __init__(self, count: int, threads: int) -> None:
        self._count, self._threads = count, threads
        self._idle: SimpleQueue[subprocess.Popen[bytes]] = SimpleQueue()
        self._all: list[subprocess.Popen[bytes]] = []

    def each(self, job: Job, several: Iterable[tuple[Any, ...]]) -> Iterator[Any]:
        """What *job* gives for each set of arguments, in their order.

        Raises:
            Refused: a process ended, most likely because memory ran out.
        """
        if not self._all:
            self._idle = SimpleQueue()  # none of those that were ended
        for _ in range(self._count - len(self._all)):
            child = _started(self._threads)
            self._all.append(child)
            self._idle.put(child)
        asking = ThreadPoolExecutor(self._count)
        try:
            answers = [asking.submit(self._ask, job, arguments) for arguments in several]
            for answer in answers:
                yield answer.result()
        except BaseException:
            asking.shutdown(wait=False, cancel_futures=True)
            self.close()
            raise
        finally:
            asking.shutdown(wait=True, cancel_futures=True)

    def _ask(self, job: Job, arguments: tuple[Any, ...]) -> Any:
        child = self._idle.get()
        try:
            _tell(child, pickle.dumps((job, arguments)))
            done, answer = pickle.load(cast("BinaryIO", child.stdout))  # noqa: S301  our own process
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise Refused(
                f"A process that worked on the facts ended ({_ending(child)}). Most likely the "
                "memory ran out: give it more, or let fewer processes work at once."
            ) from error
        finally:
            self._idle.put(child)
        if not done:
            raise answer
        return answer

    def close(self) -> None:
        """End all processes, whatever they do."""
        for child in self._all:
            child.kill()
        for child in self._all:
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe:
                    _shut(pipe)
        self._all = []


def _started(threads: int) -> subprocess.Popen[bytes]:
    child = subprocess.Popen(  # noqa: S603  this program itself
        [sys.executable, "-c", _START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, **dict.fromkeys(_THREADS, str(threads))},
        process_group=0,  # out of reach of a terminal's Ctrl-C, also before `serve` ignores it
    )
    _tell(child, ([str(Path(one).absolute()) for one in sys.path], os.getpid()))
    return child


def _tell(child: subprocess.Popen[bytes], what: Any) -> None:
    pipe = cast("BinaryIO", child.stdin)
    pickle.dump(what, pipe)
    pipe.flush()


def _ending(child: subprocess.Popen[bytes]) -> str:
    code = child.wait()
    return f"signal {-code}" if code < 0 else f"status {code}"


def _shut(pipe: Any) -> None:
    try:
        pipe.close()
    except OSError:  # what was still to be written has no reader any more
        return


# ── the other side ───────────────────────────────────────────────────────────────────────────────


def serve(parent: int) -> None:
    """Take jobs from standard input and answer on standard output until there are no more.

    Args:
        parent: the process that started this one, and has the answers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a job prints must not be taken for an answer
    while (answer := _answer(sys.stdin.buffer)) is not None:
        answers.write(answer)
        answers.flush()


def _watch(parent: int) -> None:
    """End with the process that started this one, in the middle of a job if need be."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _answer(jobs: BinaryIO) -> bytes | None:
    try:
        told = pickle.load(jobs)  # noqa: S301  from the process that started us
    except EOFError:
        return None
    try:
        job, arguments = pickle.loads(told)  # noqa: S301
        return pickle.dumps((True, job(*arguments)))
    except Exception as error:  # noqa: BLE001  it is raised where the job was asked for
        return pickle.dumps((False, _portable(error)))


def _portable(error: Exception) -> Exception:
    """An error that can travel."""
    if isinstance(error, FactsRejected):
        return _Rejected(error)
    if isinstance(error, MemoryError):
        return Refused("Memory ran out. Give more of it, or let fewer processes work at once.")
    if isinstance(error, PalmaresError):
        return error
    import traceback

    return RuntimeError("".join(traceback.format_exception(error)))


class _Rejected(Exception):
    """Facts that were rejected, as they travel."""

    def __init__(self, error: FactsRejected) -> None:
        super().__init__(str(error))
        self.problems = error.problems

    def __reduce__(self) -> tuple[Any, ...]:
        return FactsRejected, (tuple(self.problems),)
