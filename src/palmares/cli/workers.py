"""
Several workers behind one door, each a process of its own.

    supervised  workers that answer until somebody ends it; one that dies is replaced
    worker      what each of them does first

They share the database and the door, and no memory: each has its own facts and pages, as much as a
site of one worker. Accounts, sessions and attempts are rows of the database, so they hold for all;
numbers for Prometheus lie in a folder, and `/metrics` of any worker has the sums.
"""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import replace
from functools import partial
from multiprocessing import connection, parent_process
from socket import socket
from tempfile import TemporaryDirectory
from threading import Thread
from typing import TYPE_CHECKING

import click

from palmares.cli.interrupts import end_with
from palmares.cli.memory import modest
from palmares.cli.serve import ENDED, behind, configured, made
from palmares.errors import PalmaresError, Refused

if TYPE_CHECKING:
    from litestar import Litestar

    from palmares.web.settings import Settings

NUMBERS = "PROMETHEUS_MULTIPROC_DIR"
"""Where the library of Prometheus is told, before it is loaded, where processes add up."""
PATIENCE = 15
"""Seconds without a sign of life after which a worker is replaced."""


def supervised(settings: Settings, door: socket, proxy: str | None, workers: int) -> None:
    """Have workers answer whoever comes to a door, until somebody ends it.

    Args:
        settings: of the site; what it has to say goes to standard error.
        door: where to listen.
        proxy: whose word on who asks is believed.
        workers: so many.

    Raises:
        Refused: no worker can start.
    """
    from uvicorn.config import STARTUP_FAILURE
    from uvicorn.supervisors import Multiprocess

    end_with(ENDED)
    made = partial(worker, replace(settings, log=None))  # a stream cannot be sent
    config = configured(
        made, proxy, factory=True, workers=workers, timeout_worker_healthcheck=PATIENCE
    )
    with TemporaryDirectory(prefix="palmares-numbers-") as folder, door:
        os.environ[NUMBERS] = folder
        supervisor = Multiprocess(config, [door])
        supervisor.run()
    if any(one.exitcode == STARTUP_FAILURE for one in supervisor.processes):
        raise Refused("No worker could start.")


def worker(settings: Settings) -> Litestar:
    """The site in a worker, which ends with whoever started it."""
    from uvicorn.config import STARTUP_FAILURE

    modest()
    Thread(target=_outlived, daemon=True).start()
    try:
        app = made(replace(settings, log=sys.stderr))
    except PalmaresError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(STARTUP_FAILURE)
    behind(app)
    return app


def _outlived() -> None:
    """End when whoever started this has ended, in whatever way."""
    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)
