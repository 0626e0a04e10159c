"""
Awards on disk, beside the snapshot of the facts they are of; if deleted, they are made again.

No name is on the disk: names are read from the journal with the facts. Awards under another
edition, another reading or other code have another key, and what is damaged is made again.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import numpy as np

from palmares.core.code import package_files
from palmares.journal.projection.project import Projection
from palmares.journal.projection.snapshots import (
    Damaged,
    FromSnapshot,
    from_snapshot,
    last_known_entry,
    open_tables,
    write_tables,
)
from palmares.journal.store.journal import Journal
from palmares.lists.live.update import KeptAwards, Noticed, apply_delta, award_all, nothing
from palmares.points.awards import Question, Waiting
from palmares.points.ledger import player_rows
from palmares.points.ledger_rows import EVENTS, NOBODY, Names, row_schema

AWARDING = ("core", "facts", "regulations", "points", "lists.live")
"""The rooms that make awards from facts; the snapshot of facts has a key of its own."""


@contextmanager
def open_awards(
    journal: Journal, question: Question, known_at: str | None = None
) -> Iterator[KeptAwards]:
    """The awards of a question as a journal has them now, or had them then.

    Facts are read on demand, as long as the context lasts.

    Args:
        journal: the journal.
        question: the regulation, and the edition and readings chosen if any.
        known_at: a day, a moment, or ``#41`` for an entry.

    Raises:
        FactsRejected: a fold comes to no number.
        Refused: *known_at* is none; the journal cannot be read; no such regulation.
    """
    with journal.reading() as reader:
        yield awards_at(question, from_snapshot(reader, last_known_entry(reader, known_at)))


def awards_at(question: Question, snapshot: FromSnapshot) -> KeptAwards:
    """The awards at a snapshot and the entries since.

    Raises:
        FactsRejected: a fold comes to no number.
        Refused: no such regulation.
    """
    delta = snapshot.delta
    if snapshot.folder is None:
        return award_all(question, delta.after)
    place = snapshot.folder / f"awards-{key(question)[:32]}"
    start = _loaded(question, delta.before, place)
    if start is None:
        start = award_all(question, delta.before)
        _keep(start, place)
    return apply_delta(start, delta)


# ── on disk ──────────────────────────────────────────────────────────────────────────────────────


def key(question: Question) -> str:
    """A digest of all that awards depend on besides the facts."""
    regulation = question.get_regulation()
    parts: list[object] = [
        _code(*regulation.modules),
        [(edition.id, edition.sha256) for edition in regulation.editions()],
        (question.regulation, question.edition, sorted((question.chosen or {}).items())),
        [list(each.items()) for each in (row_schema(question), EVENTS)],
    ]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@cache
def _code(*regulation: str) -> str:
    """A digest of the code that makes awards, a regulation's modules among it.

    It covers whole rooms and packages: following imports took longer than making a list.
    """
    own, *_ = __name__.partition(".")
    others = {each.partition(".")[0] for each in regulation} - {own}
    digest = hashlib.sha256()
    for package in (*(f"{own}.{room}" for room in AWARDING), *sorted(others)):
        for file in package_files(package):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _keep(given: KeptAwards, place: Path) -> None:
    """Write awards, replacing any that are damaged."""
    names = given.names
    tables = {
        "rows": given.rows.frame,
        "players": names.players,
        "award_classes": names.award_classes,
        "events": names.events,
    }
    shutil.rmtree(place, ignore_errors=True)
    write_tables(place, tables, (given.noticed, given.waiting), {})


def _loaded(question: Question, projection: Projection, place: Path) -> KeptAwards | None:
    """The awards stored there; none if they are missing or damaged."""
    schemas = {
        "rows": row_schema(question),
        "players": NOBODY.players.schema,
        "award_classes": NOBODY.award_classes.schema,
        "events": EVENTS,
    }
    stored = open_tables(place, tuple[tuple[Noticed, ...], tuple[Waiting, ...]])
    if stored is None:
        return None
    try:
        tables = {name: stored.table(name, schema) for name, schema in schemas.items()}
    except Damaged:
        return None
    noticed, waiting = stored.details
    rows = tables.pop("rows")
    names = Names(**tables)
    return KeptAwards(
        question=question,
        projection=projection,
        names=names,
        rows=player_rows(np.arange(len(names.players)), rows),
        newer=nothing(question),
        noticed=noticed,
        waiting=waiting,
    )
