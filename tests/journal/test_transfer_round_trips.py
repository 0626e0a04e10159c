"""Any journal, exported, imported into the other database and exported again, is the same file."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.journal.store.entries import (
    ERASING,
    KINDS,
    ROLES,
    SEALING,
    Actor,
    Draft,
    PersonalData,
    seal,
)
from palmares.journal.store.journal import Journal, create_journal
from palmares.journal.store.verify import verify
from palmares.journal.transfer import export, import_journal
from tests.amounts import amount
from tests.databases import Fresh

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
SHOWN = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=9)
NAMES = SHOWN.filter(str.strip)
LEAVES = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | TEXT
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES | st.floats(-1e15, 1e15),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
ACTORS = st.builds(Actor, NAMES, st.sampled_from(list(ROLES)))
PEOPLE = st.builds(
    PersonalData, name=TEXT, ids=st.dictionaries(TEXT, TEXT, max_size=2), more=st.just({})
)
READ = ("report", "withdrawal", "override", "merge", "undo")
"""Whose bodies an import reads: no player is placed twice."""
OTHERS = st.builds(
    Draft,
    kind=st.sampled_from([kind for kind in KINDS if kind not in (*SEALING, ERASING, *READ)]),
    subject=SHOWN,
    body=st.dictionaries(TEXT, VALUES, max_size=3),
)
SEALED: dict[str, dict[str, Any]] = {
    "player": {"player_id": "P"},
    "transfer": {"flow": "donation", "day": "2019-11-15", "what": "tip-jar", "cents": 1,
                 "currency": "USD"},
}  # fmt: skip
"""A body of each kind that has the seal of a new name, but for the seal."""
THINGS = st.lists(PEOPLE | OTHERS | st.just(ERASING), max_size=4)
STEPS = st.lists(st.tuples(ACTORS, THINGS), max_size=4)


def played(journal: Journal, steps: list[tuple[Actor, list[Any]]]) -> None:
    """Record what was drawn: people, other statements, the erasure of whoever came last."""
    last: list[str] = []
    for actor, things in steps:
        with journal.writing(actor) as writer:
            for thing in things:
                if isinstance(thing, PersonalData):
                    sealed = seal(thing)
                    last = [sealed.commitment]
                    kind = "transfer" if thing.ids else "player"  # a donor, or a player
                    body = {**SEALED[kind], "person": sealed.commitment}
                    writer.extend([Draft(kind=kind, subject="P", body=body, sealed=(sealed,))])
                elif thing == ERASING:
                    writer.extend(
                        [Draft(kind=ERASING, subject="P", body={"persons": last, "reason": "wish"})]
                    )
                    writer.erase(last)
                else:
                    writer.extend([thing])


def exported(journal: Journal, path: Path, names: bool) -> bytes:
    with journal.reading() as reader:
        export(reader, path, names=names)
    return path.read_bytes()


@pytest.fixture
def emptied(fresh_url: Fresh) -> Iterator[Callable[[], Journal]]:
    """A journal in PostgreSQL, empty each time one asks."""
    with closing(create_journal(fresh_url("postgresql"))) as journal:

        def empty() -> Journal:
            with journal.database.engine.begin() as connection:
                connection.execute(sa.text("ALTER TABLE entries DISABLE TRIGGER ALL"))
                connection.execute(sa.text("TRUNCATE entries, persons"))
                connection.execute(sa.text("ALTER TABLE entries ENABLE TRIGGER ALL"))
            return journal

        yield empty


def test_any_journal(emptied: Callable[[], Journal]) -> None:
    @settings(max_examples=amount(500))
    @given(steps=STEPS, names=st.booleans())
    def holds(steps: list[tuple[Actor, list[Any]]], names: bool) -> None:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            first = stack.enter_context(closing(create_journal(str(folder / "first.db"))))
            back = stack.enter_context(closing(create_journal(str(folder / "back.db"))))
            there = emptied()
            played(first, steps)
            lines = exported(first, folder / "first.jsonl", names)
            by = Actor("Ada", "administrator")
            import_journal(there, folder / "first.jsonl", by)
            assert exported(there, folder / "there.jsonl", names) == lines
            import_journal(back, folder / "there.jsonl", by)
            assert exported(back, folder / "back.jsonl", names) == lines
            with there.reading() as reader:
                verify(reader, first.head().hash)

    holds()
