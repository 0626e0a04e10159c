"""The head kept beside a journal in SQLite: an end that was lost is missed by default."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from palmares.core.errors import FactsRejected, StoreError
from palmares.journal.store.journal import create_journal, open_journal
from palmares.journal.store.verify import verify
from tests.databases import Fresh
from tests.journal.filled import DIRECTOR, filled, report
from tests.packages import run


@pytest.fixture
def left(fresh_url: Fresh, tmp_path: Path) -> Path:
    """The files of a journal whose last entries are in its log, as a crash leaves them."""
    source, copy = Path(fresh_url("sqlite")), tmp_path / "left.db"
    filled(str(source)).close()
    journal = open_journal(str(source))
    for number in range(3, 9):
        journal.record(report(number), DIRECTOR)
    for end in ("", "-wal", "-head"):
        shutil.copyfile(f"{source}{end}", f"{copy}{end}")
    journal.close()
    return copy


def log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def head_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-head")


def complaint(path: Path) -> str:
    """What verifying says; nothing if all is well."""
    journal = open_journal(str(path))
    try:
        with journal.reading() as reader:
            verify(reader)
    except FactsRejected as rejected:
        return str(rejected)
    finally:
        journal.close()
    return ""


def length(path: Path) -> int:
    journal = open_journal(str(path))
    try:
        return journal.head().sequence
    finally:
        journal.close()


def test_after_each_record_it_is_the_last_entry(fresh_url: Fresh) -> None:
    path = Path(fresh_url("sqlite"))
    journal = filled(str(path))
    path.chmod(0o640)
    for number in range(3, 6):
        last = journal.record(report(number), DIRECTOR)[-1]
        assert head_of(path).read_text(encoding="ascii") == f"{last.sequence} {last.hash}\n"
    assert head_of(path).stat().st_mode & 0o777 == 0o640
    journal.close()
    assert complaint(path) == ""


def test_a_log_that_was_cut_off(left: Path) -> None:
    """'A cut, flipped or foreign -wal makes verify say "whole" with entries missing'"""
    whole, content = length_of_copy(left), log_of(left).read_bytes()
    assert whole == 28
    chance = random.Random("cut")  # noqa: S311
    for number, at in enumerate([0, *chance.sample(range(len(content)), 20)]):
        copy = copied(left, f"cut-{number}.db")
        log_of(copy).write_bytes(content[:at])
        told = complaint(copy)
        assert bool(told) == (length(copy) < whole)
        if told:
            assert "Entry 28 was recorded here with the hash " in told
            assert "import the latest export" in told


def test_a_log_of_which_a_bit_is_another(left: Path) -> None:
    whole, content = length_of_copy(left), log_of(left).read_bytes()
    chance = random.Random("flipped")  # noqa: S311
    shorter = 0
    for number, at in enumerate(chance.sample(range(len(content)), 30)):
        copy = copied(left, f"flipped-{number}.db")
        changed = bytearray(content)
        changed[at] ^= 1 << chance.randrange(8)
        log_of(copy).write_bytes(changed)
        told = complaint(copy)
        assert bool(told) == (length(copy) < whole)
        shorter += bool(told)
    assert shorter > 10


def test_no_log_and_the_log_of_another_journal(left: Path, fresh_url: Fresh) -> None:
    other = Path(fresh_url("sqlite"))
    journal = filled(str(other))
    journal.record(report(99), DIRECTOR)
    strange = log_of(other).read_bytes()
    journal.close()
    lost, foreign = copied(left, "lost.db"), copied(left, "foreign.db")
    log_of(lost).unlink()
    log_of(foreign).write_bytes(strange)
    for one in (lost, foreign):
        assert "Entry 28 was recorded here" in complaint(one)
        assert "fault: " in run("journal", "verify", "--journal", one).stderr


def test_nothing_is_recorded_behind_an_end_that_was_lost(left: Path) -> None:
    log_of(left).unlink()
    journal = open_journal(str(left))
    with pytest.raises(StoreError, match=r"Nothing was recorded\. The end of the journal was lost"):
        journal.record(report(77), DIRECTOR)
    journal.close()
    with pytest.raises(StoreError, match="Entry 28 was recorded here"):
        create_journal(str(left))
    head_of(left).unlink()  # as the message says, if it is meant as it is
    journal = open_journal(str(left))
    last = journal.record(report(77), DIRECTOR)[-1]
    journal.close()
    assert complaint(left) == ""
    assert last.hash in head_of(left).read_text(encoding="ascii")


def test_one_that_is_behind_is_no_fault(left: Path) -> None:
    """A crash between the commit and the head; the next record brings it forward."""
    journal = open_journal(str(left))
    with journal.reading() as reader:
        early = reader.entry(20)
    head_of(left).write_text(f"{early.sequence} {early.hash}\n", encoding="ascii")
    last = journal.record(report(77), DIRECTOR)[-1]
    journal.close()
    assert complaint(left) == ""
    assert head_of(left).read_text(encoding="ascii") == f"{last.sequence} {last.hash}\n"


def test_one_that_is_missing_is_no_fault_and_said(left: Path) -> None:
    head_of(left).unlink()
    assert complaint(left) == ""
    printed = run("journal", "verify", "--journal", left)
    assert printed.exit_code == 0
    assert "No head is kept beside it" in printed.stdout


@pytest.mark.parametrize("junk", [b"", b"28 \xff\n", b"28 " + b"0" * 64, b"x" * 1_000_000])
def test_one_that_is_damaged(left: Path, junk: bytes) -> None:
    head_of(left).write_bytes(junk)
    assert f"{head_of(left)} is damaged." in complaint(left)


@pytest.mark.parametrize("is_emptied", [False, True])
def test_a_new_journal_where_another_one_was(left: Path, is_emptied: bool) -> None:
    """A site that starts again after its disk was lost does not begin anew unseen."""
    for one in (left, log_of(left)):
        one.unlink()
    if is_emptied:
        left.touch()
    for _ in range(2):
        with pytest.raises(StoreError, match=r"Entry 28 was recorded here.* is not in the journal"):
            create_journal(str(left))
    head_of(left).unlink()  # as the message says
    create_journal(str(left)).close()
    assert not head_of(left).exists()
    assert complaint(left) == ""


def copied(path: Path, name: str) -> Path:
    copy = path.with_name(name)
    for end in ("", "-wal", "-head"):
        shutil.copyfile(f"{path}{end}", f"{copy}{end}")
    return copy


def length_of_copy(path: Path) -> int:
    """How long it is, read from a copy: reading empties the log."""
    return length(copied(path, "measured.db"))
