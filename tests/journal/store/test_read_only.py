"""
A journal that may only be read: a file 0444, a folder 0555, a backup medium.

Permissions do not hold root back, so what reads runs in a process that gave up such rights.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest

from palmares.journal.store.journal import open_journal
from tests.journal.filled import DIRECTOR, report
from tests.packages import run

REPORT = """\
[tournament]
name = "Prague Open"
end_date = 2019-11-15
discipline = "backgammon"

[[event]]
name = "Main"
kind = "championship"
entry_fee = 100
national_championship = true

[event.main]
entrants = 4
placings = \"\"\"
1 Ada Novak (CZE)
2 Ben Ode (GER)
3-4 Cy Pell (FRA)
3-4 Dee Rix (GER)
\"\"\"
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may look into, unlike those of pytest."""
    found = Path(mkdtemp(prefix="palmares-read-only-"))
    found.chmod(0o755)
    yield found
    for one in (found, *found.iterdir()):
        one.chmod(0o755)
    shutil.rmtree(found)


@pytest.fixture
def journal(folder: Path) -> Path:
    path, source = folder / "league #1.db", folder / "open.toml"
    source.write_text(REPORT, encoding="utf-8")
    assert run("journal", "init", path).exit_code == 0
    added = run("add", source, "--journal", path, "--author", "Ada", "--yes")
    assert added.exit_code == 0, added.stderr
    return path


def locked(folder: Path, mode: int = 0o555) -> None:
    """Take everybody's right to write, of the folder and of the files in it."""
    for one in folder.iterdir():
        one.chmod(0o444)
    folder.chmod(mode)


WITHOUT_RIGHTS = """\
import ctypes, sys
version = (ctypes.c_uint32 * 2)(0x20080522, 0)
assert not ctypes.CDLL(None).capset(version, (ctypes.c_uint32 * 6)())
from palmares.__main__ import main
sys.argv[0] = "palmares"
main()
"""
"""Gives up what root may do beyond its files' permissions; nobody else has any of it."""


def asked(*args: object) -> subprocess.CompletedProcess[str]:
    """The command line in a process whom permissions hold back."""
    command = [sys.executable, "-c", WITHOUT_RIGHTS, *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def all_answers(journal: Path) -> list[subprocess.CompletedProcess[str]]:
    return [
        asked("journal", "verify", "--journal", journal),
        asked("journal", "log", "--journal", journal),
        asked("rank", "wbgf", "--journal", journal, "--as-of", "2019-11-15"),
        asked("journal", "export", "-", "--journal", journal),
    ]


@pytest.mark.parametrize("mode", [0o555, 0o755])
def test_it_is_read_verified_ranked_and_exported(folder: Path, journal: Path, mode: int) -> None:
    """'A read-only journal (0444, read-only folder, backup medium)', and of somebody else"""
    locked(folder, mode)
    before = sorted(folder.iterdir())
    verified, log, ranking, export = all_answers(journal)
    assert [one.stderr for one in (verified, log, ranking, export)] == [""] * 4
    assert "is intact: 5 entries." in verified.stdout
    assert "Prague Open" in log.stdout
    assert "Ada Novak" in ranking.stdout
    assert export.stdout.endswith("}\n")
    assert sorted(folder.iterdir()) == before


def test_writing_is_refused_plainly(folder: Path, journal: Path) -> None:
    locked(folder)
    added = asked("add", folder / "open.toml", "--journal", journal, "--author", "Ada", "--yes")
    erased = asked("journal", "undo", "5", "--journal", journal, "--author", "Ada",
                   "--reason", "twice", "--role", "officer", "--yes")  # fmt: skip
    served = asked("serve", "--journal", journal, "--port", "8999")
    assert f"{journal} is read-only here" in erased.stderr
    assert "Nothing was recorded." in erased.stderr
    for one in (added, erased, served):
        assert "Traceback" not in one.stderr
    assert (erased.returncode, served.returncode) == (1, 1)
    assert "Error: " in served.stderr


def test_entries_in_its_log_are_not_passed_over(folder: Path, journal: Path) -> None:
    """Both files copied to a medium while somebody wrote."""
    medium = folder / "medium.db"
    held = open_journal(str(journal))
    held.record(report(7), DIRECTOR)
    shutil.copyfile(journal, medium)
    shutil.copyfile(f"{journal}-wal", f"{medium}-wal")
    held.close()
    locked(folder)
    verified = asked("journal", "verify", "--journal", medium)
    assert verified.returncode == 1
    assert "entries are in medium.db-wal" in verified.stderr
    assert "Copy both files to a folder of yours." in verified.stderr
    folder.chmod(0o755)
    for one in folder.iterdir():
        one.chmod(0o644)
    verified = asked("journal", "verify", "--journal", medium)
    assert "is intact: 8 entries." in verified.stdout, verified.stderr


def test_while_its_keeper_writes(folder: Path, journal: Path) -> None:
    """Somebody without rights reads what others have open."""
    held = open_journal(str(journal))
    held.record(report(7), DIRECTOR)
    verified = asked("journal", "verify", "--journal", journal)
    assert "is intact: 8 entries." in verified.stdout, verified.stderr
    held.record(report(8), DIRECTOR)
    held.close()


def test_one_that_is_damaged(folder: Path, journal: Path) -> None:
    content = journal.read_bytes()
    journal.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    locked(folder)
    found = asked("journal", "verify", "--journal", journal)
    assert found.returncode == 1
    assert "damaged" in found.stdout + found.stderr
    assert "Traceback" not in found.stderr
