"""
The example reports in a journal, and the people of the demonstration with reports of theirs.

Two of the examples are not recorded: one waits in the officer's queue, one is the director's draft.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from palmares.core.errors import Refused
from palmares.formats.load import gathered
from palmares.journal.commands.reports import report
from palmares.journal.commands.transaction import record_entries
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Actor
from palmares.journal.store.journal import Journal
from palmares.lists import publication
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.web.accounts import store
from palmares.web.http.state import AppState
from palmares.web.submissions import parse, submissions

PEOPLE: Mapping[str, str] = {
    "administrator": "Rita Hale",
    "officer": "Otto Lind",
    "director": "Dita Marek",
}
"""Who signs in, by role; they are made up."""
ONE_CLICK = {role: PEOPLE[role] for role in ("director", "officer")}
"""Who may be signed in as without a password."""
FOLDERS = ("backgammon", "usbgf", "diplomacy", "bridge")
WAITING = "backgammon/2019-merit-open.toml"
"""Waits in the officer's queue."""
DRAFT = "diplomacy/2004-tempest-in-a-teapot.txt"
"""The director has begun it."""
PUBLISHED = (("wbgf", date(2005, 12, 31)), ("usbgf", date(2019, 12, 31)))
"""Lists that are announced."""


@dataclass(frozen=True, slots=True)
class Invited:
    """A person with an account, and the token of a link that is good once."""

    name: str
    role: str
    token: str


def filled(journal: Journal, examples: Path) -> None:
    """Record the example reports in an empty journal, and publish two lists."""
    kept_back = {examples / WAITING, examples / DRAFT}
    found = sorted(
        path for folder in FOLDERS for path in (examples / folder).iterdir()
        if path.suffix in parse.FORMATS and path not in kept_back
    )  # fmt: skip
    officer = Actor(PEOPLE["officer"], "officer")
    record_entries(journal, officer, report(gathered(*found)))
    for regulation, day in PUBLISHED:
        now = load_projection(journal)
        given = publication.make_publication(
            Question(regulation=regulation), now.facts, Selection(as_of=day), head=now.state.head
        )
        record_entries(journal, officer, publication.publish_list(given.publication), start=now)


def staffed(
    site: AppState, examples: Path, waiting: Mapping[str, bytes] | None = None
) -> list[Invited]:
    """The people of a site, made if there are none, with what lies on their desks.

    The director submits one report and begins another.

    Args:
        site: its accounts.
        examples: where the example reports are.
        waiting: more reports that the director submits, by the names of files.

    Raises:
        Refused: the journal is in use by others.
    """
    with site.database.writing() as connection:
        now = site.clock()
        if not store.list_all(connection):
            numbers = {
                role: store.add(connection, name, role, now) for role, name in PEOPLE.items()
            }
            begun, submitted = examples / DRAFT, examples / WAITING
            reports = {submitted.name: submitted.read_bytes(), **(waiting or {})}
            for name, content in {**reports, begun.name: begun.read_bytes()}.items():
                number = submissions.create(
                    connection, numbers["director"], name, parse.kind_of_file(name), content, now
                )
                if name in reports:
                    submissions.move(connection, number, 1, now, "submitted")
        there = [(role, store.find_by_name(connection, name)) for role, name in PEOPLE.items()]
        return [
            Invited(one.name, role, store.create_link(connection, one.id, now))
            for role, one in there
            if one is not None and one.role == role and not one.disabled
        ]


def refuse_others(journal: Journal, name: str) -> None:
    """Refuse a journal that the demonstration did not make: its links would open a real one.

    Raises:
        Refused: it has entries that somebody else recorded.
    """
    if journal.head().sequence == 0:
        return
    with journal.reading() as reader:
        first = reader.entry(1)
    if first.author != PEOPLE["officer"]:
        raise Refused(
            f"{name} already holds a journal, and the demonstration makes its own. Name a new"
            " file, or leave --journal out."
        )
