"""
Awards on disk, beside the snapshot of the facts they are of; thrown away, they are made again.

    held    a journal, a question, and what was known when  ->  Awarded, from the nearest snapshot
    beside  a question and facts as they grew from a snapshot  ->  the same
    key     a question  ->  what its awards depend on beside the facts, as a digest

No name is on the disk: they are read from the journal with the facts. What was made under another
sheet, another reading or other code has another key, and what is damaged is made again.
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
from palmares.journal.projection.cached_tables import Damaged, open_tables, write_tables
from palmares.journal.projection.project import Projection
from palmares.journal.projection.snapshots import (
    FromSnapshot,
    from_snapshot_lazily,
    last_known_entry,
)
from palmares.journal.store.journal import Journal
from palmares.lists.live.grow import Awarded, Noticed, awarded, grown, nothing
from palmares.points.awards import Question, Waiting
from palmares.points.ledger import player_rows
from palmares.points.ledger_rows import EVENTS, NOBODY, Names, schema

AWARDING = ("core", "facts", "regulations", "points", "lists.live")
"""The rooms that make awards of facts; what a journal's facts are is kept with a key of its own."""


@contextmanager
def held(journal: Journal, question: Question, known_at: str | None = None) -> Iterator[Awarded]:
    """The awards of a question as a journal knows them now, or knew them then.

    Facts are read when they are asked for, as long as the context lasts.

    Args:
        journal: the journal.
        question: the regulation, and the edition and readings chosen if any.
        known_at: a day, a moment, or ``#41`` for an entry.

    Raises:
        FactsRejected: a fold comes to no number.
        Refused: *known_at* is none; the journal cannot be read; no such regulation.
    """
    with journal.reading() as reader:
        yield beside(question, from_snapshot_lazily(reader, last_known_entry(reader, known_at)))


def beside(question: Question, snapshot: FromSnapshot) -> Awarded:
    """The same for facts that were read already.

    Raises:
        FactsRejected: a fold comes to no number.
        Refused: no such regulation.
    """
    delta = snapshot.delta
    if snapshot.folder is None:
        return awarded(question, delta.after)
    place = snapshot.folder / f"awards-{key(question)[:32]}"
    start = _loaded(question, delta.before, place)
    if start is None:
        start = awarded(question, delta.before)
        _keep(start, place)
    return grown(start, delta)


# ── on disk ──────────────────────────────────────────────────────────────────────────────────────


def key(question: Question) -> str:
    """A digest of all that awards depend on beside the facts."""
    regulation = question.get_regulation()
    parts: list[object] = [
        _code(*regulation.modules),
        [(edition.id, edition.sha256) for edition in regulation.editions()],
        (question.regulation, question.edition, sorted((question.chosen or {}).items())),
        [list(each.items()) for each in (schema(question), EVENTS)],
    ]
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@cache
def _code(*regulation: str) -> str:
    """A digest of the code that makes awards, a regulation's modules among it.

    Whole rooms and packages are taken: to follow what each module imports took longer than to make
    a list.
    """
    own, *_ = __name__.partition(".")
    others = {each.partition(".")[0] for each in regulation} - {own}
    digest = hashlib.sha256()
    for package in (*(f"{own}.{room}" for room in AWARDING), *sorted(others)):
        for file in package_files(package):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _keep(given: Awarded, place: Path) -> None:
    """Write awards in the place of what was damaged."""
    names = given.names
    tables = {
        "rows": given.rows.frame,
        "players": names.players,
        "award_classes": names.award_classes,
        "events": names.events,
    }
    shutil.rmtree(place, ignore_errors=True)
    write_tables(place, tables, (given.noticed, given.waiting), {})


def _loaded(question: Question, projection: Projection, place: Path) -> Awarded | None:
    """The awards that were kept there, if they are whole."""
    schemas = {
        "rows": schema(question),
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
    return Awarded(
        question=question,
        projection=projection,
        names=names,
        rows=player_rows(np.arange(len(names.players)), rows),
        newer=nothing(question),
        noticed=noticed,
        waiting=waiting,
    )
