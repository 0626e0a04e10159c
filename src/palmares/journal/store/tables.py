"""
The tables of a journal in its database, as the present schema has them.

`palmares.journal.store.migrations` makes them; a test compares the two.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Column,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

METADATA = MetaData()
_COUNT = BigInteger().with_variant(Integer(), "sqlite")

ENTRIES = Table(
    "entries",
    METADATA,
    Column("sequence", _COUNT, primary_key=True, autoincrement=False),
    Column("recorded_at", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("subject", Text, nullable=False, index=True),
    Column("key", Text, unique=True),
    Column("body", Text, nullable=False),
    Column("previous", Text, nullable=False, unique=True),  # two after the same one: never
    Column("hash", Text, nullable=False, unique=True),
)

PERSONS = Table(
    "persons",
    METADATA,
    Column("commitment", Text, primary_key=True),
    Column("sequence", _COUNT, ForeignKey("entries.sequence"), nullable=False, index=True),
    Column("salt", Text),
    Column("record", Text),
)

EVENT_RECORDS = Table(  # what happens while an event is played: a chain for each event
    "event_records",
    METADATA,
    Column("event", Text, primary_key=True),
    Column("sequence", _COUNT, primary_key=True, autoincrement=False),
    Column("recorded_at", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("key", Text),
    Column("body", Text, nullable=False),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    UniqueConstraint("event", "key"),
)

EVENT_NAMES = Table(  # outside the chain, so that a name can be erased
    "event_names",
    METADATA,
    Column("event", Text, primary_key=True),
    Column("entrant", Text, primary_key=True),
    Column("name", Text, nullable=False),
)

SCHEMA = "0001"
"""The revision of `palmares.journal.store.migrations` that makes these tables."""
