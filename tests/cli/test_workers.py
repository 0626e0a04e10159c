"""serve --workers: several processes behind one door, which end together."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from palmares.journal.store.journal import create_journal
from palmares.web.accounts import sessions, store
from palmares.web.migrations import ready
from palmares.web.settings import second
from tests.processes import free_port

WORKERS, VISITS = 2, 40


@contextmanager
def serving(journal: Path, port: int) -> Iterator[psutil.Process]:
    """The site, when it answers."""
    command = [sys.executable, "-m", "palmares", "serve", "--journal", str(journal)]
    with subprocess.Popen(
        [*command, "--port", str(port), "--workers", str(WORKERS), "--quiet"],
        stdout=subprocess.DEVNULL,
    ) as running:
        try:
            until(lambda: len(workers(psutil.Process(running.pid))) == WORKERS)
            until(lambda: answers(port))
            yield psutil.Process(running.pid)
        finally:
            running.kill()


def until(so: Callable[[], bool]) -> None:
    for _ in range(1_200):
        if so():
            return
        time.sleep(0.05)
    raise AssertionError("it was never so")


def answers(port: int) -> bool:
    try:
        return visit(port, "/health") == b'{"status":"ok"}'
    except OSError:
        return False


def visit(port: int, path: str, token: str = "") -> bytes:
    """Each visit is a connection of its own, which either worker may take."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"http://127.0.0.1:{port}{path}"
    request = urllib.request.Request(url, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
        found: bytes = answer.read()
    return found


def workers(site: psutil.Process) -> dict[int, psutil.Process]:
    """Those that are alive; one child more keeps account of what they share."""
    found = {}
    for one in site.children():
        try:
            if "spawn_main" in " ".join(one.cmdline()):
                found[one.pid] = one
        except psutil.Error:
            pass
    return found


def administrators_token(journal: Path) -> str:
    opened = create_journal(str(journal))
    ready(opened.database)
    with opened.database.writing() as connection:
        number = store.add(connection, "Ada", "administrator", second())
    token = sessions.issue_token(opened.database, number, "Prometheus", second())
    opened.close()
    return token


def test_workers_count_together_are_replaced_and_end_together(tmp_path: Path) -> None:
    journal, port = tmp_path / "federation.db", free_port()
    token = administrators_token(journal)
    with serving(journal, port) as site:
        for _ in range(VISITS):
            visit(port, "/published")
        told = visit(port, "/metrics", token).decode()
        counted = re.search(r'palmares_requests_total{.*route="published".*} (\S+)', told)
        assert counted is not None
        assert float(counted[1]) == VISITS

        first = workers(site)
        fallen = first[min(first)]
        fallen.kill()
        until(lambda: fallen.pid not in workers(site) and len(workers(site)) == WORKERS)
        until(lambda: answers(port))

        last = workers(site)
        site.send_signal(signal.SIGTERM)
        assert site.wait(60) == 0
        assert psutil.wait_procs(last.values(), 60)[1] == []


def test_workers_end_with_whoever_started_them(tmp_path: Path) -> None:
    with serving(tmp_path / "federation.db", free_port()) as site:
        last = workers(site)
        site.kill()
        assert psutil.wait_procs(last.values(), 60)[1] == []
