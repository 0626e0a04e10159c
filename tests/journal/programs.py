"""
Programs that write into a journal, to be run beside a test and killed.

    PROGRAMS    started from one process that has loaded everything, so that each starts at once
    started     a function and what it is given  ->  a running process, and where it speaks
    heard       what it said before it ended
    reporting   records report after report, and says so after each
    tidying     the same for some time, with many checkpoints
    importing   imports a file, and says so
    hurrying    records as fast as it can for some time
    limited     records reports until its files may grow no further
"""

from __future__ import annotations

import multiprocessing
import resource
from collections.abc import Callable
from functools import partial
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerProcess
from multiprocessing.synchronize import Barrier
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import psycopg  # noqa: F401  loaded before any program starts
import sqlalchemy.dialects.postgresql.psycopg
import sqlalchemy.dialects.sqlite.pysqlite  # noqa: F401  see psycopg

from palmares.core.errors import StoreError
from palmares.journal.store.entries import Actor, Draft
from palmares.journal.store.events import EventDraft, record_event
from palmares.journal.store.journal import open_journal
from palmares.journal.transfer import import_journal
from tests.journal.filled import DIRECTOR, OFFICER, report

PROGRAMS = multiprocessing.get_context("forkserver")
PROGRAMS.set_forkserver_preload(["tests.journal.programs"])

PLAYERS = ("a", "b", "c")


def started(
    program: Callable[..., None], *given: object
) -> tuple[ForkServerProcess, Connection]:  # fmt: skip
    """A running program, and where it says what it has done."""
    hear, say = PROGRAMS.Pipe(duplex=False)
    process = PROGRAMS.Process(target=program, args=(say, *given), daemon=True)
    process.start()
    say.close()
    return process, hear


def heard(hear: Connection) -> list[Any]:
    """Everything that a program said before it ended."""
    found = []
    try:
        while True:
            found.append(hear.recv())
    except (EOFError, OSError):
        return found


def reporting(say: Connection, url: str, first: int) -> None:
    """Record reports, numbered from *first*; each is a transaction of four entries."""
    journal = open_journal(url)
    for number in count(first):
        say.send(journal.record(report(number, PLAYERS), DIRECTOR)[-1].sequence)


def tapping(say: Connection, url: str, desk: str) -> None:
    """Record results of an event, one after the other."""
    journal = open_journal(url)
    for number in count(1):
        taps: list[EventDraft] = [("result", {"match": f"{desk}:{number}"})]
        done = record_event(journal, "cup", desk, partial(_always, taps), key=str(number) + desk)
        say.send(done[0].hash)


def _always(taps: list[EventDraft], _so_far: object) -> list[EventDraft]:
    return taps


def tidying(say: Connection, url: str, reports: int) -> None:
    """Record some reports; move the log into the database after every few of them."""
    journal = open_journal(url)
    with journal.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_autocheckpoint = 40")  # pages; the pool keeps it
    for number in range(1, 1 + reports):
        say.send(journal.record(report(number, PLAYERS), DIRECTOR)[-1].sequence)
        sleep(0.001)


def importing(say: Connection, url: str, path: Path) -> None:
    """Import a file once."""
    journal = open_journal(url)
    say.send(0)
    say.send(import_journal(journal, path, OFFICER).head.sequence)


def hurrying(say: Connection, url: str, name: str, go: Barrier, seconds: float) -> None:
    """Record rates for some time, one a transaction; say which."""
    journal = open_journal(url)
    actor = Actor(name, "officer")
    draft = Draft(kind="rate", subject="USD", body={"rate": "1.1"})
    go.wait(60)
    until = monotonic() + seconds
    while monotonic() < until:
        say.send(journal.record([draft], actor)[0].sequence)


def limited(say: Connection, url: str, first: int, size: int) -> None:
    """Record reports until no file may grow beyond a size; say what was refused then."""
    journal = open_journal(url)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    try:
        for number in count(first):
            say.send(journal.record(report(number, PLAYERS), DIRECTOR)[-1].sequence)
    except StoreError as refused:
        say.send(str(refused))
