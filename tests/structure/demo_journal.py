"""The journal of the demonstration, the same byte for byte whenever it is made."""

from __future__ import annotations

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from unittest import mock

from palmares.cli.demo import season
from palmares.cli.demo.tour import examples
from palmares.fund import actions as fund
from palmares.journal.commands.announcements import declare_race, set_levels
from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.journal import create_journal
from tests.journal.statements import OFFICER
from tests.web.api.addresses import start_event
from tests.web.recognition.test_recognition_pages import LEVELS, RACE
from tests.web.tournaments.test_notices import published as noticed

RECORDED = datetime(2020, 1, 30, 12, tzinfo=UTC)


@contextmanager
def demo_journal() -> Iterator[Path]:
    """A folder with a copy of it, ``federation.db``."""
    with tempfile.TemporaryDirectory(prefix="palmares-structure-") as folder:
        shutil.copytree(_made().name, folder, dirs_exist_ok=True)
        yield Path(folder)


@cache
def _made() -> tempfile.TemporaryDirectory[str]:
    """Made once; the salts of names are no accident here, nor is the moment of recording."""
    folder = tempfile.TemporaryDirectory(prefix="palmares-structure-")
    place = str(Path(folder.name) / "federation.db")
    with (
        mock.patch("secrets.token_hex", lambda length: "5a" * length),
        closing(create_journal(place, lambda: RECORDED)) as journal,
    ):
        season.record_examples(journal, examples())
        start_event(journal)
        noticed(journal)
        for action in (
            declare_race(RACE),
            set_levels("usbgf", LEVELS),
            fund.ask("open/2019", ["2019-11-15"], date(2019, 11, 1), name="Open 2019",
                     start=date(2019, 11, 15), end=date(2019, 11, 17)),
        ):  # fmt: skip
            record_entries(journal, OFFICER, action)
    return folder


def steady(text: str) -> str:
    """A text without the digests that every change of a regulation's code makes others."""
    for digest in _unsteady():
        text = text.replace(digest, "")
    return text


@cache
def _unsteady() -> tuple[str, ...]:
    """The digests of code in publications, and the hashes of entries from the first one on."""
    found: dict[str, None] = {}
    with closing(sqlite3.connect(Path(_made().name) / "federation.db")) as database:
        query = "SELECT kind, hash, body FROM entries ORDER BY sequence"
        for kind, its_hash, body in database.execute(query):
            if kind == "publication":
                found[json.loads(body)["code"]["sha256"]] = None
            if found:
                found[its_hash] = None
    return (*found,)
