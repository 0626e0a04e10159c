"""
The databases of journals: SQLite in a file, or PostgreSQL.

Writers take turns: by a queue of file locks in SQLite, by an advisory lock in PostgreSQL.
Committed entries survive a loss of power in both. Beside an SQLite file, a head file names the last
entry, by which a lost end is noticed.
"""

from __future__ import annotations

import os
import re
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa
from filelock import FileLock
from sqlalchemy.exc import DBAPIError, NoSuchModuleError

from palmares.core.errors import Refused, StoreError, brief
from palmares.core.extras import needs
from palmares.core.files import OWNERS
from palmares.core.messages import hint

SQLITE, POSTGRESQL = "sqlite", "postgresql"
LOCK = 0x70616C6D61726573  # "palmares"
PATIENCE = 60_000
"""Milliseconds that a writer waits for SQLite's own lock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """A database of a journal."""

    engine: sa.Engine
    safe_url: str  # its URL without a password
    file: Path | None  # of SQLite
    read_only: bool = False  # an SQLite file that we may not write

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that reads one state.

        Raises:
            StoreError: the database cannot be read.
        """
        with _store_errors(self, ""), self.engine.connect() as connection:
            if self.file is None:
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def writing(self, after: Callable[[], None] = lambda: None) -> Iterator[sa.Connection]:
        """A transaction during which others cannot write.

        Args:
            after: called after the commit, before others write; SQLite only.

        Raises:
            Refused: the database may not be written to.
            StoreError: it cannot be written to, and nothing was; or the connection was lost during
                the commit, and the outcome is unknown.
        """
        if self.read_only:
            raise Refused(
                f"{self.safe_url} is read-only here: the file or its folder may not be written to."
                " Nothing was recorded. Ask the journal's administrator, or copy it to a folder of"
                " yours."
            )
        with _store_errors(self, " Nothing was recorded."):
            if self.file is None:
                with self.engine.connect() as connection, connection.begin() as transaction:
                    connection.execute(sa.select(sa.func.pg_advisory_xact_lock(LOCK)))
                    yield connection
                    self._commit(transaction)
                return
            with _write_turn(self.file), self.engine.connect() as connection:
                connection.execution_options(palmares_writes=True)
                with connection.begin():
                    yield connection
                after()

    def _commit(self, transaction: sa.RootTransaction) -> None:
        """Commit; if the connection is lost meanwhile, the outcome is unknown."""
        try:
            transaction.commit()
        except DBAPIError as error:
            if not error.connection_invalidated:
                raise
            raise StoreError(
                hint(
                    "look-into-the-log",
                    "%(journal)s: the connection was lost while this was being recorded. Look in"
                    " the journal to see whether it is there.",
                    journal=self.safe_url,
                )
            ) from error

    def empty_log(self) -> None:
        """Move SQLite's log into the file and empty it, unless others still read it."""
        if self.file is None or self.read_only:
            return
        connection = self.engine.raw_connection()
        try:
            with suppress(sqlite3.Error):  # all is recorded; the next writer empties it
                connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)").close()
        finally:
            connection.close()

    def close(self) -> None:
        """Close every connection."""
        self.engine.dispose()


# ── by URL ───────────────────────────────────────────────────────────────────────────────────────


def connect(url: str, *, create: bool = False) -> Database:
    """Connect to the database at a URL, or in the SQLite file at a path.

    Args:
        url: ``federation.db``, ``sqlite:///federation.db`` or ``postgresql://user@host/name``.
        create: make the SQLite file if there is none.

    Raises:
        Refused: the URL is wrong, or there is no such file.
    """
    parsed = _parsed(url)
    if parsed.get_backend_name() == POSTGRESQL:
        needs("postgres", "A journal in PostgreSQL")
        safe_url = parsed.set(drivername=POSTGRESQL).render_as_string(hide_password=True)
        parsed = parsed.set(drivername="postgresql+psycopg")
        engine = sa.create_engine(parsed, pool_pre_ping=True)
        return Database(engine=engine, safe_url=safe_url, file=None)
    file = Path(parsed.database or "")
    try:
        exists = file.is_file()
    except OSError as error:  # too long a name, or an unreadable folder
        raise Refused(f"{brief(file)}: {error.strerror}.") from None
    if file.is_dir():
        raise Refused(f"{brief(file)} is a folder. Name a file, such as federation.db in it.")
    if not create and not exists:
        raise Refused(
            hint("make-a-journal", "There is no journal at %(journal)s.", journal=brief(file))
        )
    if file.is_file() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)):
        return _read_only(file)
    if create:  # only its owner can read it; SQLite gives its other files the same rights
        with suppress(OSError):  # it exists, or SQLite says why it cannot
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNERS))
    engine = _sqlite(parsed.set(drivername="sqlite+pysqlite"), _TO_WRITE)
    return Database(engine=engine, safe_url=str(file), file=file.resolve())


def _read_only(file: Path) -> Database:
    """An SQLite file that we may not write, as on a backup medium.

    While another program has it open, SQLite can read it normally. Otherwise SQLite must treat it
    as immutable.

    Raises:
        Refused: it has a log, which SQLite reads only if it may write.
    """
    log, shared = (file.with_name(f"{file.name}{end}") for end in ("-wal", "-shm"))
    engine = _reading_only(file, "mode=ro")
    if not (shared.exists() and _readable(engine)):
        if log.exists() and log.stat().st_size:
            raise Refused(
                f"{file}: entries are in {log.name}, which can be read only in a folder that may be"
                " written to. Copy both files to a folder of yours."
            )
        engine = _reading_only(file, "immutable=1")
    return Database(engine=engine, safe_url=str(file), file=file.resolve(), read_only=True)


def _reading_only(file: Path, how: str) -> sa.Engine:
    address = f"sqlite+pysqlite:///file:{quote(str(file.resolve()))}?{how}&uri=true"
    return _sqlite(address.replace("%", "%25"), _TO_READ)


def _readable(engine: sa.Engine) -> bool:
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("SELECT count(*) FROM sqlite_schema")
    except DBAPIError:
        engine.dispose()
        return False
    return True


def _parsed(url: str) -> sa.URL:
    if "://" not in url:
        return sa.URL.create(SQLITE, database=url)
    try:
        parsed = sa.make_url(url)
        backend = parsed.get_backend_name()
    except (sa.exc.ArgumentError, NoSuchModuleError, ValueError):
        backend = ""
    if backend not in (SQLITE, POSTGRESQL) or (backend == SQLITE and not parsed.database):
        raise Refused(
            "A journal is a file, such as federation.db, or at a URL such as"
            " postgresql://user@host/federation."
        )
    return parsed


_TO_READ = ("busy_timeout = 5000", "trusted_schema = OFF")
_TO_WRITE = (
    "trusted_schema = OFF",
    f"busy_timeout = {PATIENCE}",
    "synchronous = FULL",
    "foreign_keys = ON",
    "secure_delete = ON",  # erased names are overwritten
)


def _sqlite(url: sa.URL | str, pragmas: Sequence[str]) -> sa.Engine:
    """An engine for an SQLite file, each connection of which is set up by pragmas."""

    def set_up(connection: Any, _record: Any) -> None:
        connection.isolation_level = None  # `_begin` starts transactions
        try:
            for pragma in pragmas:
                connection.execute(f"PRAGMA {pragma}").close()
        except UnicodeDecodeError as error:  # in SQLite's message about damaged tables
            raise sqlite3.DatabaseError(f"malformed tables: {error}") from None

    engine = sa.create_engine(url)
    sa.event.listen(engine, "connect", set_up)
    sa.event.listen(engine, "begin", _begin)
    return engine


def _begin(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get("palmares_writes")
    if writes:  # to open a file for reading must not change it, whatever it is
        connection.exec_driver_sql("PRAGMA journal_mode = WAL").close()
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


# ── errors ───────────────────────────────────────────────────────────────────────────────────────

_MEANINGS = (
    ("is full", "the disk is full"),
    ("No space left", "the disk is full"),
    ("disk I/O error", "the disk is full, or cannot be written or read"),
    ("readonly", "it may not be written to"),
    ("read-only", "it may not be written to"),
    ("unable to open", "the file cannot be opened"),
    ("not a database", "the file is no SQLite database"),
    ("malformed", "the file is damaged"),
    ("locked", "another program holds it locked"),
    ("no such table", "there is no journal in it yet"),
    ("does not exist", "there is no journal in it yet, or no such database"),
    ("only ever added to", "a journal is only ever added to"),
    ("could not connect", "no server answers there"),
    ("connection", "the connection failed"),
    ("authentication", "the name or the password is wrong"),
)


@contextmanager
def _store_errors(database: Database, so: str) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise StoreError(f"{database.safe_url}: {describe_error(error)}.{so}") from error


def describe_error(error: DBAPIError) -> str:
    """A database's error, in plain words if we know it."""
    text = str(error.orig)
    line = " ".join(text.split())[:300]
    meaning = next((meaning for part, meaning in _MEANINGS if part in text), None)
    return f"{meaning} ({line})" if meaning else line


# ── a queue of writers for an SQLite file ─────────────────────────────────────────────────────────

_POLL = 0.005  # seconds between two tries


@contextmanager
def _write_turn(journal: Path) -> Iterator[None]:
    """Wait for a turn to write into a journal's file.

    SQLite's own lock lets a busy writer starve the others. Here the next writer holds a first lock
    until the writer before releases a second one, so a writer who has just written queues behind
    those who wait. The system releases both locks when a process ends.

    Raises:
        StoreError: the directory cannot be written to.
    """
    with _lock(journal, "door") as next_in_line, _lock(journal, "turn"):
        next_in_line.release()
        yield


@contextmanager
def _lock(journal: Path, name: str) -> Iterator[FileLock]:
    """Hold a lock; its file has the rights of the journal's."""
    try:
        mode = journal.stat().st_mode & 0o666
        lock = FileLock(f"{journal}-{name}", mode=mode, poll_interval=_POLL)
        lock.acquire()
    except OSError as error:
        why = error.strerror or error
        raise StoreError(f"{journal}: {why}. Nothing was recorded.") from error
    try:
        yield lock
    finally:
        lock.release()


# ── the head file next to an SQLite journal ───────────────────────────────────────────────────────

_LINE = re.compile(r"([0-9]{1,18}) ([0-9a-f]{64})(?: (.{1,200}))?")
_MAX_BYTES = 64 << 20


Ends = Mapping[str, tuple[int, str]]
"""Number and hash of what was recorded last: by event, and of the journal under `JOURNAL`."""
JOURNAL = ""


@dataclass(frozen=True, slots=True)
class HeadFile:
    """The head file of a journal."""

    file: Path
    text: str

    def ends(self) -> Ends | None:
        """What was recorded last; none if the file is damaged."""
        lines = [_LINE.fullmatch(line) for line in self.text.split("\n")[:-1]]
        if not lines or not all(lines) or not self.text.endswith("\n"):
            return None
        return {line[3] or JOURNAL: (int(line[1]), line[2]) for line in lines if line}


def read_head_file(journal: Path | None) -> HeadFile | None:
    """The head file of a journal, if there is one."""
    if journal is None:
        return None
    file = _head_file_of(journal)
    try:
        with file.open("rb") as opened:
            return HeadFile(file, opened.read(_MAX_BYTES).decode(errors="replace"))
    except OSError:
        return None


def write_head_file(journal: Path, ends: Ends) -> None:
    """Write what was recorded into the head file, completely or not at all; other lines stay.

    It is recorded already: if this fails, the earlier head file stays.
    """
    before = read_head_file(journal)
    merged = {**((before and before.ends()) or {}), **ends}
    lines = [f"{number} {digest} {name}".rstrip() + "\n"
             for name, (number, digest) in sorted(merged.items())]  # fmt: skip
    file = _head_file_of(journal)
    draft = file.with_name(f".{file.name}-{secrets.token_hex(8)}")
    with suppress(OSError):
        try:
            mode = journal.stat().st_mode & 0o777
            number = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
            with open(number, "w", encoding="utf-8") as opened:  # noqa: PTH123  as open as that
                opened.writelines(lines)
                opened.flush()
                os.fsync(number)
            draft.chmod(mode)  # whatever the umask
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)


def _head_file_of(journal: Path) -> Path:
    return journal.with_name(f"{journal.name}-head")
