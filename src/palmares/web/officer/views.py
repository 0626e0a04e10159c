"""
The officer's desk: what is decided, seen before it is recorded, and the log of all of it.

    officer_page    reports that wait, and what can be decided  ->  OfficerPage
    decision_page   a form, and what it would record  ->  DecisionPage
    preview         what an action put down  ->  Preview
    digest          statements  ->  the hash by which whoever confirms says what he saw
    log_page        entries  ->  LogPage
    entry_page      one entry  ->  EntryPage
    alike_page      pairs of players who may be one  ->  AlikePage
    cells_page      the rows of a tournament's report  ->  CellsPage
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from typing import Any

import msgspec

from palmares.bank_rates import missing
from palmares.errors import Problem
from palmares.facts import Facts
from palmares.journal.bodies import WHO
from palmares.journal.corrections import KEYS
from palmares.journal.entries import KINDS, Entry, canonical
from palmares.journal.lookalikes import Lookalike
from palmares.journal.recording import Recorded
from palmares.journal.words import Names, names_in, said
from palmares.web.hall import Known
from palmares.web.pages.log_links import LogLink, links_of
from palmares.web.pages.officer_changes import Changes, changes
from palmares.web.pages.officer_decisions import DECISIONS, Typed, columns_of_reports
from palmares.web.pages.officer_fields import Field
from palmares.web.pages.officer_publishing import Coming

Statement = tuple[str, str, Mapping[str, Any]]
"""The kind, subject and body of an entry."""
ENTRIES = 50
"""Entries on a page of the log."""
PAIRS = 50
"""Pairs on the page of those who may be one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """An entry in a line."""

    sequence: int
    recorded_at: str
    author: str
    role: str
    kind: str
    subject: str
    words: str
    links: tuple[LogLink, ...]  # what it is about


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingRate:
    """An exchange rate that nobody has recorded."""

    currency: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would be recorded, and what it moves."""

    statements: tuple[LogRow, ...]
    changes: tuple[Changes, ...]
    rates: tuple[MissingRate, ...]  # that have to be recorded before a regulation can say
    notices: tuple[Problem, ...]
    seen: str  # the digest of the statements
    lists: tuple[Coming, ...] = ()  # that would be published

    @property
    def said(self) -> str:
        """The statements in words, a line each."""
        return "\n".join(f"{one.kind} {one.subject}: {one.words}" for one in self.statements)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledField:
    """A field as it is filled in."""

    field: Field
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionPage:
    """A form; what it would record, once it is filled in."""

    name: str
    title: str
    about: str
    fields: tuple[FilledField, ...]
    preview: Preview | None = None
    problem: str | None = None
    problems: tuple[Problem, ...] = ()
    shown: str | None = None  # what was shown before, where it would be otherwise now
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of a report, by table


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A decision that can be taken."""

    name: str
    title: str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficerPage:
    """The desk."""

    waiting: int  # reports that wait
    decisions: tuple[Choice, ...]
    latest: tuple[LogRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage:
    """Entries, the newest first."""

    entries: tuple[LogRow, ...]
    kinds: tuple[str, ...]
    asked: Mapping[str, str]  # the filter
    older: int | None  # the entry up to which the next page goes


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPage:
    """One entry, whole."""

    entry: LogRow
    key: str | None
    body: str  # as canonical JSON, indented
    previous: str
    hash: str
    can_undo: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedPage:
    """Whether the chain holds."""

    entries: int
    head: str
    names: int
    erased: int
    absent: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two players who may be one; the first came first."""

    player_id: str
    player: str
    other_id: str
    other: str
    score: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AlikePage:
    """Pairs that nobody has merged or kept apart, best first."""

    pairs: tuple[Pair, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRow:
    """A row of a report: how it is found again, and its cells."""

    key: str  # "event_id = e1", line by line
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTable:
    """A table of a report."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[CellRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellsPage:
    """The report of a tournament, as it counts now."""

    tournament: str
    tables: tuple[CellTable, ...]
    names: Mapping[str, str]  # of the players in it, by id


def officer_page(waiting: int, latest: Iterable[Entry], names: Names) -> OfficerPage:
    """The desk of an officer."""
    return OfficerPage(
        waiting=waiting,
        decisions=tuple(
            Choice(name=name, title=one.title, about=one.about) for name, one in DECISIONS.items()
        ),
        latest=tuple(log_row(one, names) for one in latest),
    )


def decision_page(name: str, typed: Typed, **more: Any) -> DecisionPage:
    """A form as it is filled in, and what is said of it."""
    one = DECISIONS[name]
    filled = tuple(FilledField(field=each, value=typed.get(each.name, "")) for each in one.fields)
    chooses = any(each.name == "column" for each in one.fields)
    columns = columns_of_reports() if chooses else {}
    return DecisionPage(
        name=name, title=one.title, about=one.about, fields=filled, columns=columns, **more
    )


# ── what would be recorded ───────────────────────────────────────────────────────────────────────


def preview(done: Recorded, known: Known, day: date) -> Preview:
    """What an action put down, in words, and the points and ranks that it moves.

    Args:
        done: what it put down.
        known: what is known, for lists that were made already.
        day: of the lists whose ranks are looked at.
    """
    before = known if known.head == done.growth.before.state.head else Known(done.growth.before)
    names = {**names_in(done.growth.before), **names_in(done.growth.after), **done.names}
    found = tuple(changes(done, before, day))
    reports = {**done.growth.rows, "rates": done.growth.after.tables["rates"]}
    lacking = missing(Facts(reports)) if any(one.waits for one in found) else []
    return Preview(
        statements=tuple(log_row(one, names) for one in done.entries),
        changes=found,
        rates=tuple(MissingRate(currency=one, day=its_day) for one, its_day in lacking),
        notices=done.notices,
        seen=digest((one.kind, one.subject, one.read()) for one in done.entries),
    )


def digest(statements: Iterable[Statement]) -> str:
    """The hash of kinds, subjects and bodies; the salted seals of names are left out."""
    found = sha256().hexdigest()
    for found in digests(statements):  # noqa: B007  the last one is wanted
        pass
    return found


def digests(statements: Iterable[Statement]) -> Iterator[str]:
    """The same of the first statement, of the first two, and so on."""
    found = sha256()
    for kind, subject, body in statements:
        unsalted = {**body, "person": None} if "person" in body else body
        found.update(canonical([kind, subject, unsalted]).encode() + b"\n")
        yield found.hexdigest()


# ── the log ──────────────────────────────────────────────────────────────────────────────────────


def log_row(entry: Entry, names: Names) -> LogRow:
    """An entry in a line."""
    return LogRow(
        sequence=entry.sequence,
        recorded_at=entry.recorded_at,
        author=entry.author,
        role=entry.role,
        kind=entry.kind,
        subject=entry.subject,
        words=said(entry, names),
        links=links_of(entry),
    )


def log_page(entries: Sequence[Entry], names: Names, asked: Mapping[str, str]) -> LogPage:
    """A page of the log; one entry more than it shows says that there are older ones."""
    return LogPage(
        entries=tuple(log_row(one, names) for one in entries[:ENTRIES]),
        kinds=tuple(KINDS),
        asked=dict(asked),
        older=entries[ENTRIES].sequence if len(entries) > ENTRIES else None,
    )


def entry_page(entry: Entry, names: Names, *, can_undo: bool) -> EntryPage:
    """One entry, whole."""
    body = json.dumps(msgspec.json.decode(entry.body), ensure_ascii=False, indent=1)
    return EntryPage(
        entry=log_row(entry, names),
        key=entry.key,
        body=body,
        previous=entry.previous,
        hash=entry.hash,
        can_undo=can_undo,
    )


# ── players who may be one; rows of a report ─────────────────────────────────────────────────────


def alike_page(found: Sequence[Lookalike]) -> AlikePage:
    """Pairs of players who may be one."""
    return AlikePage(
        pairs=tuple(
            Pair(
                player_id=one.player,
                player=str(one.form),
                other_id=one.other,
                other=str(one.other_form),
                score=one.score,
                why=one.why,
            )
            for one in found[:PAIRS]
        ),
        more=max(0, len(found) - PAIRS),
    )


def cells_page(
    tournament: str, tables: Mapping[str, Mapping[str, Sequence[Any]]], names: Names
) -> CellsPage:
    """The rows of a report, each with the cells by which it is found again."""
    who = {
        one
        for name, columns in WHO.items()
        for column in columns
        for one in tables.get(name, {}).get(column, ())
        if one in names
    }
    return CellsPage(
        tournament=tournament,
        tables=tuple(_table(name, columns) for name, columns in tables.items() if columns),
        names={one: names[one] for one in sorted(who)},
    )


def _table(name: str, columns: Mapping[str, Sequence[Any]]) -> CellTable:
    length = max(len(one) for one in columns.values())
    rows = []
    for place in range(length):
        cells = {each: column[place] for each, column in columns.items()}
        key = [
            f"{each} = {cells[each]}" for each in KEYS[name] if cells.get(each) is not None
        ]  # fmt: skip
        rows.append(CellRow(key="\n".join(key), cells=tuple(map(_cell, cells.values()))))
    return CellTable(table=name, columns=tuple(columns), rows=tuple(rows))


def _cell(value: Any) -> str:
    """A cell as a report would have it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)
