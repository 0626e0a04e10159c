"""A full disk: a plain message, exit status 1, and a journal that is as it was before."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from palmares.journal.store.journal import create_journal, open_journal
from palmares.journal.store.verify import verify
from palmares.journal.transfer import export
from tests.journal.filled import DIRECTOR, report
from tests.journal.programs import heard, limited, started

KILOBYTE = 1024
UNLIMITED = 1 << 40


@contextmanager
def small_disk(place: Path, kilobytes: int) -> Iterator[int]:
    """A disk of so many kilobytes at a place; where none can be made, how far files may grow."""
    place.mkdir()
    mounted = did("mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", place)
    try:
        yield UNLIMITED if mounted else kilobytes * KILOBYTE
    finally:
        if mounted:
            assert did("umount", place)


def enlarged(place: Path) -> None:
    """Make room on a disk; where it is none of its own, there is room."""
    did("mount", "-o", "remount,size=64m", place)


def did(*command: object) -> bool:
    """Whether a command of the system could do what it was to do."""
    try:
        done = subprocess.run([*map(str, command)], check=False, capture_output=True)
    except FileNotFoundError:
        return False
    return done.returncode == 0


def palmares(*given: object, grow: int) -> subprocess.CompletedProcess[str]:
    """Our own command, whose files may grow to so many bytes."""
    command = shlex.join([sys.executable, "-m", "palmares", *map(str, given)])
    limit = "unlimited" if grow == UNLIMITED else str(grow // 512)
    shell = f"ulimit -f {limit}; exec {command}"
    return subprocess.run(["/bin/sh", "-c", shell], check=False, capture_output=True, text=True)


@pytest.fixture(params=["a small disk", "a limit"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """A place where half a megabyte can be written, and how far files may grow there."""
    place = tmp_path / "disk"
    if request.param == "a limit":
        place.mkdir()
        yield place, 512 * KILOBYTE
        return
    with small_disk(place, 512) as grow:
        yield place, grow


def last(path: Path) -> int:
    journal = open_journal(str(path))
    with journal.reading() as reader:
        found = verify(reader).head.sequence
    journal.close()
    return found


def test_a_program_that_reports_until_nothing_more_goes_in(disk: tuple[Path, int]) -> None:
    place, grow = disk
    path = place / "federation.db"
    create_journal(str(path)).close()

    process, hear = started(limited, str(path), 1, grow)
    *said, told = heard(hear)
    process.join()
    assert process.exitcode == 0
    assert said == list(range(4, 1 + 4 * len(said), 4))
    assert len(said) > 10
    assert told.startswith(f"{path}: the disk ")
    assert told.endswith("Nothing was recorded.")

    enlarged(place)
    assert last(path) == said[-1]
    journal = open_journal(str(path))
    journal.record(report(10_000), DIRECTOR)
    journal.close()
    assert last(path) == said[-1] + 3


def test_an_import_that_does_not_go_in(disk: tuple[Path, int], tmp_path: Path) -> None:
    place, grow = disk
    path = place / "federation.db"
    create_journal(str(path)).close()
    large = create_journal(str(tmp_path / "large.db"))
    for number in range(40):
        large.record(report(number, [f"p{one}" for one in range(25)]), DIRECTOR)
    with large.reading() as reader:
        export(reader, tmp_path / "large.jsonl")
    large.close()

    done = palmares("journal", "import", tmp_path / "large.jsonl", "--journal", path, grow=grow)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith(f"Error: {path}: the disk ")
    assert done.stderr.endswith("Nothing was recorded.\n")
    assert done.stderr.count("\n") == 1

    enlarged(place)
    assert last(path) == 0
    done = palmares(
        "journal", "import", tmp_path / "large.jsonl", "--journal", path, grow=UNLIMITED
    )
    assert done.returncode == 0
    assert last(path) == 1040


def test_an_export_that_does_not_go_in(disk: tuple[Path, int], tmp_path: Path) -> None:
    place, grow = disk
    large = create_journal(str(tmp_path / "large.db"))
    for number in range(60):
        large.record(report(number, [f"p{one}" for one in range(30)]), DIRECTOR)
    large.close()

    target = place / "all.jsonl"
    done = palmares("journal", "export", target, "--journal", tmp_path / "large.db", grow=grow)
    assert done.returncode == 1
    assert done.stderr.startswith(f"Error: {target}: cannot be written (")
    assert done.stderr.endswith("Nothing was written.\n")
    assert list(place.iterdir()) == []
