"""
Records of an event that is being played: a chain of hashes for each event.

A record is on disk before it is confirmed, and a record sent twice is recorded once. The caller
checks what the bodies say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.journal.store.entries import (
    FIRST,
    START,
    Head,
    Link,
    chain_faults,
    link,
    refuse_invisible,
)
from palmares.journal.store.journal import (
    EVENT_NAMES,
    EVENT_RECORDS,
    Journal,
    Reader,
    changed_since,
)

_COLUMNS = EVENT_RECORDS.c


EventDraft = tuple[str, Any]
"""A record about to be added: its kind, and its body as a struct or plain values."""


class EventRecord(Link, frozen=True, kw_only=True):
    """One record of an event's chain."""

    event: str
    body: str  # canonical JSON


# ── reading ──────────────────────────────────────────────────────────────────────────────────────


def event_records(
    reader: Reader, event: str | None = None, kind: str | None = None
) -> list[EventRecord]:
    """The records of an event and of a kind, or of all, in order.

    Raises:
        StoreError: one of the event was changed by other means; of all, `event_faults` says so.
    """
    query = sa.select(EVENT_RECORDS).order_by(_COLUMNS.event, _COLUMNS.sequence)
    if event is not None:
        query = query.where(_COLUMNS.event == event)
    if kind is not None:
        query = query.where(_COLUMNS.kind == kind)
    records = [EventRecord(**row) for row in reader.connection.execute(query).mappings()]
    previous = FIRST if kind is None else None
    for record in records if event is not None else ():
        if not record.is_unchanged or previous not in (None, record.previous):
            raise changed_since(f"Record {record.sequence} of the event {event}, or one before it,")
        previous = previous and record.hash
    return records


def event_head(reader: Reader, event: str) -> EventRecord | None:
    """The last record of an event; none: it was not started."""
    query = sa.select(EVENT_RECORDS).where(_COLUMNS.event == event)
    query = query.order_by(_COLUMNS.sequence.desc()).limit(1)
    row = reader.connection.execute(query).mappings().one_or_none()
    return None if row is None else EventRecord(**row)


def event_ids(reader: Reader) -> list[str]:
    """The ids of all events, the one that started last first."""
    started = sa.func.min(_COLUMNS.recorded_at)
    query = sa.select(_COLUMNS.event).group_by(_COLUMNS.event)
    query = query.order_by(started.desc(), _COLUMNS.event)
    return list(reader.connection.execute(query).scalars())


def event_names(reader: Reader, event: str) -> dict[str, str]:
    """The names of entrants that were typed in, by their ids."""
    columns = EVENT_NAMES.c
    query = sa.select(columns.entrant, columns.name).where(columns.event == event)
    return {row[0]: row[1] for row in reader.connection.execute(query)}


def all_event_names(reader: Reader) -> list[tuple[str, str, str]]:
    """Event, entrant and name of every name that was typed in."""
    rows = reader.connection.execute(sa.select(EVENT_NAMES))
    return [(event, entrant, name) for event, entrant, name in rows]


# ── recording ────────────────────────────────────────────────────────────────────────────────────


def record_event(
    journal: Journal,
    event: str,
    author: str,
    make: Callable[[Sequence[EventRecord]], Sequence[EventDraft]],
    *,
    key: str | None = None,
    names: Mapping[str, str] | None = None,
) -> list[EventRecord]:
    """Add records to an event, all of them or none; others wait meanwhile.

    Args:
        journal: where to record.
        event: its id.
        author: who records.
        make: given the records so far, checks and gives the new ones, or refuses.
        key: idempotency key of the first record that is added.
        names: of entrants, by id; stored with what is added, not if nothing is.

    Returns:
        What was added; with a key that was recorded before, the records of that time.

    Raises:
        Refused: *make* or the database refuses, or the key belongs to another record.
    """
    refuse_invisible("id of the event", event)
    refuse_invisible("name of an author", author)
    with journal.appending(event) as reader:
        records = event_records(reader, event)
        earlier = next((record for record in records if key and record.key == key), None)
        drafts = make(records if earlier is None else records[: earlier.sequence - 1])
        last = records[-1].head if records else START
        chained: list[EventRecord] = []
        for kind, body in drafts:
            head = chained[-1].head if chained else last
            of_first = None if chained else key
            chained.append(
                link(EventRecord, head, journal.clock(), body,
                     event=event, author=author, kind=kind, key=of_first)
            )  # fmt: skip
        if earlier is not None:
            same = records[earlier.sequence - 1 : earlier.sequence - 1 + len(drafts)]
            if [(record.kind, record.body) for record in same] != [
                (record.kind, record.body) for record in chained
            ]:
                raise Refused(
                    msg("Something else was recorded with this key. Reload the page and try again.")
                )
            return same
        if chained:
            put_event_records(reader, chained)
            put_event_names(reader.connection, event, names or {})
    return chained


def rename_entrant(journal: Journal, event: str, entrant: str, name: str | None) -> None:
    """Store the name of an entrant in the place of an earlier one; none: erase it for good."""
    with journal.database.writing() as connection:
        put_event_names(connection, event, {entrant: name})
    if name is None:
        journal.database.empty_log()  # it still has the name


def put_event_records(reader: Reader, records: Sequence[EventRecord]) -> None:
    """Store chained records as they are."""
    if records:
        rows = [msgspec.structs.asdict(record) for record in records]
        reader.connection.execute(sa.insert(EVENT_RECORDS), rows)
    reader.new_ends.update((record.event, (record.sequence, record.hash)) for record in records)


def put_event_names(connection: sa.Connection, event: str, names: Mapping[str, str | None]) -> None:
    """Store the names of entrants in the place of earlier ones; none: only erase those."""
    columns = EVENT_NAMES.c
    for entrant, name in names.items():
        connection.execute(
            sa.delete(EVENT_NAMES).where(columns.event == event, columns.entrant == entrant)
        )
        if name is not None:
            row = {"event": event, "entrant": entrant, "name": name}
            connection.execute(sa.insert(EVENT_NAMES), [row])


# ── verifying ────────────────────────────────────────────────────────────────────────────────────


def event_faults(records: Iterable[EventRecord]) -> Iterator[tuple[EventRecord, str]]:
    """What is wrong with the chains of events, each with the record it is in."""
    last: dict[str, Head] = {}
    for record in records:
        try:
            msgspec.convert(msgspec.structs.asdict(record), EventRecord)
        except msgspec.ValidationError as error:
            yield record, f"It is no record: {error}."
        else:
            faults = chain_faults(record, last.get(record.event, START))
            yield from ((record, fault.what) for fault in faults)
        last[record.event] = record.head
