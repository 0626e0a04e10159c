"""
A site as people have it: `palmares serve` in a process of its own, on the demonstration's journal.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyotp

from palmares.cli.demo import season
from palmares.cli.demo.tour import examples
from palmares.journal.commands.announcements import declare_race, set_levels
from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.journal import Journal, create_journal
from palmares.web.accounts import credentials, login
from palmares.web.accounts.store import CODED
from palmares.web.http.state import AppState
from palmares.web.migrations import ready
from palmares.web.settings import Settings
from tests.journal.statements import OFFICER
from tests.processes import at_the_end, free_port
from tests.tournaments.draw.test_draw import ROLLED
from tests.web.api.addresses import start_event
from tests.web.fund.test_fund_pages import supported
from tests.web.recognition.test_recognition_pages import LEVELS, RACE
from tests.web.tournaments.test_draw_pages import announced, revealed
from tests.web.tournaments.test_notices import published

GOOD = "seven green lamps in Brno"
SECRET = "5" * 64
ENTRANTS = ("Eve Fox", "Flo Grau", "Gus Hill", "Hal Ito", "Ida Jung")


@dataclass(frozen=True, slots=True)
class Served:
    """A site that runs."""

    root: str
    accounts: AppState
    seeds: dict[str, str]  # what an authenticator knows, by role
    signed_in: dict[str, Any] = field(default_factory=dict)  # cookies, by role


def with_examples(journal: Journal) -> Mapping[str, bytes]:
    """Record the example reports, a draw, a fund and an event; no report more waits."""
    season.record_examples(journal, examples())
    _, sha256 = announced(journal)
    revealed(journal, sha256, ROLLED)
    record_entries(journal, OFFICER, declare_race(RACE))
    record_entries(journal, OFFICER, set_levels("usbgf", LEVELS))
    supported(journal)
    published(journal)
    start_event(journal, *ENTRANTS)
    return {}


@contextmanager
def served(
    folder: Path, fill: Callable[[Journal], Mapping[str, bytes]] = with_examples
) -> Iterator[Served]:
    """A site on the demonstration's journal, with passwords and codes; its log has no error.

    Args:
        folder: an empty one.
        fill: what fills the journal, and says which reports wait beside.
    """
    place = str(folder / "federation.db")
    journal = create_journal(place)
    waiting = fill(journal)
    ready(journal.database)
    accounts = AppState(journal, Settings(journal=place, secret=SECRET))
    seeds = _settled(accounts, waiting)
    port = free_port()
    log = folder / "log"
    command = [sys.executable, "-m", "palmares", "serve", "--journal", place, "--port", str(port)]
    with (
        log.open("w") as written,
        at_the_end(
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=written,
                text=True,
                env=os.environ | {"PALMARES_SECRET": SECRET, "PYTHONUNBUFFERED": "1"},
            )
        ) as running,
    ):
        try:
            assert running.stdout is not None
            said = running.stdout.readline()
            assert said == f"http://127.0.0.1:{port} (Ctrl-C ends it)\n", log.read_text()
            yield Served(said.partition(" ")[0], accounts, seeds)
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(60)
            journal.close()
    lines = [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]
    assert [one for one in lines if one["level"] not in ("debug", "info", "warning")] == []


def _settled(accounts: AppState, waiting: Mapping[str, bytes]) -> dict[str, str]:
    """Everybody has a password; whoever needs codes has an authenticator."""
    seeds = {}
    for role, token in season.add_people(accounts, examples(), waiting).items():
        person = login.accept_link(accounts, token, "", GOOD)
        if role in CODED:
            seed = credentials.new_secret()
            # so that the code of now is not used yet
            before = int(time.time()) - credentials.SECONDS
            login.set_up_codes(accounts, person.id, seed, pyotp.TOTP(seed).at(before))
            seeds[role] = seed
    return seeds
