"""What a journal keeps is its owner's alone; what somebody writes by name, their umask decides."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from palmares.journal.store.journal import create_journal, open_journal
from tests.journal.reports import prague
from tests.packages import run

OWNERS, FOLDER = 0o600, 0o700


@pytest.fixture(params=[0o022, 0o077], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    """What new files may not be, by the will of whoever works here."""
    before = os.umask(request.param)
    yield int(request.param)
    os.umask(before)


@pytest.fixture
def place(tmp_path: Path, umask: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a journal, whose caches lie in it."""
    del umask
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PALMARES_JOURNAL", str(tmp_path / "federation.db"))
    monkeypatch.setenv("PALMARES_AUTHOR", "Otto Officer")
    assert run("journal", "init", tmp_path / "federation.db").exit_code == 0
    assert run("add", prague(tmp_path), "--yes").exit_code == 0
    return tmp_path


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_database_and_the_files_beside_it(place: Path) -> None:
    journal = open_journal(str(place / "federation.db"))
    with journal.reading() as reader:  # SQLite's own files are there
        assert reader.head().sequence == 5
        files = {one.name: mode(one) for one in place.glob("federation.db*")}
    journal.close()
    assert set(files) == {
        f"federation.db{end}" for end in ("", "-wal", "-shm", "-turn", "-door", "-head")
    }  # fmt: skip
    assert set(files.values()) == {OWNERS}


def test_snapshots_and_kept_awards(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palmares.journal.projection.snapshots.SNAPSHOT_EVERY", 0)  # keep every one
    journal = str(place / "federation.db")
    answer = run("rank", "wbgf", "--journal", journal, "--as-of", "2019-12-31")
    assert answer.exit_code == 0, answer.output
    caches = [one for one in (place / "cache").rglob("*") if "kernels" not in one.parts]
    assert len([one for one in caches if one.is_file()]) > 3
    assert {mode(one) for one in caches if one.is_file()} == {OWNERS}
    assert {mode(one) for one in caches if one.is_dir()} == {FOLDER}


def test_whom_an_officer_lets_in_may_write(place: Path, umask: int) -> None:
    """A journal that its owner opens to a group is open with all that lies beside it."""
    file = place / "shared.db"
    create_journal(str(file)).close()
    for one in place.glob("shared.db-*"):
        one.unlink()
    file.chmod(0o660)
    journal = open_journal(str(file))
    with journal.database.writing():
        files = {one.name: mode(one) for one in place.glob("shared.db*")}
    journal.close()
    assert umask in (0o022, 0o077)
    assert set(files.values()) == {0o660}


def test_what_is_written_by_name_is_as_the_umask_says(place: Path, umask: int) -> None:
    journal = str(place / "federation.db")
    when = ("--as-of", "2019-12-31")
    run("rank", "wbgf", "--journal", journal, *when, "-o", place / "list.csv")
    run("player", "suggestions", "-o", place / "pairs.xlsx")
    run("journal", "export", place / "all.jsonl")
    run(
        "publish",
        "wbgf",
        "--journal",
        journal,
        *when,
        "--manifest",
        place / "manifest.json",
        "--yes",
    )
    named = [place / one for one in ("list.csv", "pairs.xlsx", "all.jsonl", "manifest.json")]
    assert [mode(one) for one in named] == [0o666 & ~umask] * 4
