"""
The texts of reports in which an erased name stands: they are thrown away with it.

What is decided has said what it had to say: the journal holds the facts. What is still on its way
is its director's, so an officer is told where the name stands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import polars as pl
import sqlalchemy as sa

from palmares.core.errors import Location, Problem
from palmares.core.messages import msg
from palmares.facts.text import plain
from palmares.journal.commands.transaction import Transaction
from palmares.journal.projection.bodies import named_in
from palmares.journal.store.kinds import tables_of
from palmares.journal.store.persons import Person
from palmares.web.submissions import parse, report_form, submissions
from palmares.web.submissions.parse import BOOK, FORM, GONE
from palmares.web.submissions.submissions import Submission
from palmares.web.tables import SUBMISSIONS

DECIDED = frozenset({"approved", "returned", "withdrawn"})
_AT_ONCE = 50
_MARKS = ("\\", "&")
"""What a letter may be written with, in TOML and XML."""


def forget(desk: Transaction, records: Sequence[str], persons: Sequence[Person]) -> None:
    """Throw away the texts in which an erased person stands; tell of those on their way.

    Args:
        desk: of the erasure, which was put down.
        records: ids of the player.
        persons: what was known of them.
    """
    connection = desk.writer.connection
    if not sa.inspect(connection).has_table(SUBMISSIONS.name):
        return  # there is no site on this journal
    entry = desk.projection.state.sequence + len(desk.drafts)
    names = sorted({words for one in persons if (words := _words(one.name))})
    for one in _all(connection):
        if not (_names_him(desk, one, records) or holds(one, names)):
            continue
        if one.state in DECIDED:
            _throw_away(connection, one, names, entry)
            what = msg("its text is thrown away with the name: the report is decided")
            remedy = msg("What it reported stays in the journal.")
        else:
            what = msg("the name stands in its text, which is still on its way")
            remedy = msg("Ask its director to withdraw it, or return it before the name is erased.")
        desk.notices.append(
            Problem(
                at=Location(f"report {one.id}"), what=what, clause="journal erasure", remedy=remedy
            )
        )


def holds(one: Submission, names: Collection[tuple[str, ...]]) -> bool:
    """Whether a line of a submission has all the words of one of some names, as `plain` has them.

    What cannot be read, as a broken workbook, counts as having them.
    """
    told = one.matches.tournament.values()
    beside = [one.filename, one.reason or "", *one.matches.names, *told]
    if one.format == GONE:
        return _have(beside, names)
    if one.format == FORM:
        text = "\n".join(report_form.decoded(one.content).values())
    else:
        text = "" if one.format == BOOK else one.content.decode("utf-8", "replace")
    if _have([*beside, *text.splitlines()], names):
        return True
    if one.format != BOOK and not any(mark in text for mark in _MARKS):
        return False
    facts = parse.read(one.format, one.content, one.matches.tournament).facts
    return facts is None or _have(facts["players"]["name"].to_list(), names)


def _have(lines: Sequence[str | None], names: Collection[tuple[str, ...]]) -> bool:
    """Whether a line has all the words of a name."""
    texts = pl.Series([one or "" for one in lines], dtype=pl.String)
    there = [frozenset(one.split()) for one in plain(texts)]
    return any(words.issuperset(name) for name in names for words in there)


def _words(name: str) -> tuple[str, ...]:
    return tuple(plain(pl.Series([name]))[0].split())


def _names_him(desk: Transaction, one: Submission, records: Sequence[str]) -> bool:
    """Whether its matches, or the entry that it became, name one of some players."""
    if set(one.matches.names.values()) & set(records):
        return True
    if one.entry is None:
        return False
    return not named_in(tables_of(desk.writer.entry(one.entry))).isdisjoint(records)


def _all(connection: sa.Connection) -> Iterator[Submission]:
    """Every submission; a few at a time, because each brings its contents."""
    last = 0
    while True:
        found = submissions.after(connection, last, _AT_ONCE)
        yield from found
        if len(found) < _AT_ONCE:
            return
        last = found[-1].id


def _throw_away(
    connection: sa.Connection, one: Submission, names: Collection[tuple[str, ...]], entry: int
) -> None:
    """Leave of a submission what says nothing of anybody: its title, and which entry erased it."""
    title = submissions.called(one)
    reason = one.reason
    connection.execute(
        sa.update(SUBMISSIONS)
        .where(SUBMISSIONS.c.id == one.id)
        .values(
            content=str(entry).encode(),
            format=GONE,
            filename="" if _have([title], names) else title,
            matches="{}",
            reason=None if reason is None else "–" if _have([reason], names) else reason,
            version=one.version + 1,
        )
    )
