"""
Whole commands: seconds, CPU time, the peak memory of all their processes, bytes read and written.

    spent       a command  ->  what it took, under a memory limit if the machine can set one
    palmares    our command line, as a command
    python      this Python, as a command
    environment a user's

The peak is the proportional set size (each shared page counted once) of the command and all its
children, looked at ten times a second: cached files do not count. The limit is a memory cgroup's,
where cached files do count but give way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import psutil

CGROUPS = Path("/sys/fs/cgroup")
OFTEN = 0.1  # seconds between two looks
BLOCK = 512  # bytes, as getrusage counts them


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a command took."""

    seconds: float
    cpu: float
    memory: int
    read: int  # bytes that came from the disk, not from its cache
    written: int
    limited: bool  # whether the limit was set
    output: str


def palmares(*arguments: object) -> list[str]:
    """The command line, as installed beside this Python or from the sources."""
    script = Path(sys.executable).with_name("palmares")
    code = "from palmares.cli import main; main()"
    ours = [str(script)] if script.exists() else [sys.executable, "-c", code]
    return [*ours, *map(str, arguments)]


def python(*arguments: object) -> list[str]:
    """This Python."""
    return [sys.executable, *map(str, arguments)]


def environment() -> dict[str, str]:
    """That of a user: Python keeps the code it has compiled, as an installed package has it."""
    return {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def spent(command: Sequence[str], limit: int | None = None) -> Spent:
    """Run a command and watch it.

    Raises:
        SystemExit: it failed.
    """
    with limited(limit) as members, TemporaryFile() as complaints:
        begun = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", _ENTER, str(members or ""), *command],
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
            env=environment(),
        )
        peak = _watched(process.pid)
        output = process.stdout.read() if process.stdout else ""
        _, status, used = os.wait4(process.pid, 0)
        took = time.perf_counter() - begun
        if status:
            complaints.seek(0)
            said = complaints.read().decode()[-2_000:]
            code = os.waitstatus_to_exitcode(status)
            raise SystemExit(f"{' '.join(command)} failed: {code}\n{said}")
    return Spent(
        seconds=took,
        cpu=used.ru_utime + used.ru_stime,
        memory=peak,
        read=used.ru_inblock * BLOCK,
        written=used.ru_oublock * BLOCK,
        limited=members is not None,
        output=output,
    )


# A process joins the cgroup before it becomes the command.
_ENTER = """
import os, sys
if sys.argv[1]:
    open(sys.argv[1], "w").write(str(os.getpid()))
os.execvp(sys.argv[2], sys.argv[2:])
"""


@contextmanager
def limited(limit: int | None) -> Iterator[Path | None]:
    """The file of a new memory cgroup to which a process writes its number; none if there is none.

    Only an administrator may make one; without, nothing holds a command to its limit.
    """
    unified = (CGROUPS / "cgroup.controllers").exists()
    group = (CGROUPS if unified else CGROUPS / "memory") / f"palmares-bench-{os.getpid()}"
    made = False
    try:
        if limit is not None:
            group.mkdir()
            made = True
            name = "memory.max" if unified else "memory.limit_in_bytes"
            (group / name).write_text(str(limit), encoding="ascii")
    except OSError:
        limit = None
    try:
        yield group / "cgroup.procs" if limit is not None else None
    finally:
        if made:
            group.rmdir()


def _watched(pid: int) -> int:
    """The greatest memory of a process and its children until it ends."""
    parent, peak = psutil.Process(pid), 0
    while True:
        try:
            if parent.status() == psutil.STATUS_ZOMBIE:
                return peak
            tree = [parent, *parent.children(recursive=True)]
        except psutil.NoSuchProcess:
            return peak
        peak = max(peak, sum(map(_held, tree)))
        time.sleep(OFTEN)


def _held(process: psutil.Process) -> int:
    try:
        return int(process.memory_full_info().pss)
    except psutil.Error:  # it has ended
        return 0
