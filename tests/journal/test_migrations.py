"""Journals of every earlier schema are brought forward, on both databases, without a loss."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from palmares.core.errors import Refused, StoreError
from palmares.journal.store.databases import Database, connected
from palmares.journal.store.journal import Journal, created, opened
from palmares.journal.store.migrations import revision, upgraded
from palmares.journal.store.tables import METADATA, SCHEMA
from palmares.journal.store.verify import verify
from tests.databases import Fresh
from tests.journal.filled import OFFICER, dumped, filled, report

EARLIER = ["0001"]
"""Every schema but the present one: whoever adds a step adds the one before here."""

ENTRY = (
    "INSERT INTO entries (sequence, recorded_at, author, role, kind, subject, key, body, previous,"
    " hash) VALUES (:a, :b, :c, :d, :e, :f, :g, :h, :i, :j)"
)
PERSON = "INSERT INTO persons (commitment, sequence, salt, record) VALUES (:a, :b, :c, :d)"
FILL = {"0001": (ENTRY, PERSON)}
"""The SQL of each time."""


def rows(journal: Journal) -> dict[str, list[tuple[object, ...]]]:
    with journal.reading() as reader:
        return dumped(reader.connection)


@pytest.fixture
def present(fresh_url: Fresh) -> Iterator[Journal]:
    """What the old journal shall hold."""
    journal = filled(fresh_url("sqlite"))
    yield journal
    journal.close()


def made(url: str, schema: str, content: dict[str, list[tuple[object, ...]]]) -> Database:
    """A journal as an earlier palmares made and filled it."""
    database = connected(url, create=True)
    with database.writing() as connection:
        upgraded(connection, schema)
        for statement, rows in zip(FILL[schema], content.values(), strict=True):
            for row in rows:
                connection.execute(sa.text(statement), dict(zip("abcdefghij", row, strict=False)))
    return database


@pytest.mark.parametrize("schema", EARLIER)
def test_a_journal_is_brought_forward_with_every_entry(
    schema: str, present: Journal, journal_url: str
) -> None:
    made(journal_url, schema, rows(present)).close()
    with pytest.raises(Refused, match=f"an earlier palmares \\(schema {schema}; now {SCHEMA}\\)"):
        opened(journal_url)

    journal = created(journal_url)
    assert rows(journal) == rows(present)
    with journal.reading() as reader:
        assert revision(reader.connection) == SCHEMA
        assert verify(reader).head == present.head()
    with (
        pytest.raises(StoreError, match="a journal is only ever added to"),
        journal.writing(OFFICER) as writer,
    ):
        writer.connection.execute(sa.text("DELETE FROM entries"))
    journal.record(report(3), OFFICER)
    journal.close()
    opened(journal_url).close()


@pytest.mark.parametrize("schema", EARLIER)
def test_a_step_that_fails_changes_nothing(schema: str, present: Journal, journal_url: str) -> None:
    """Something of the same name is in the way of the second half of a step."""
    database = made(journal_url, schema, rows(present))
    with database.writing() as connection:
        connection.execute(sa.text("CREATE INDEX ix_persons_sequence ON persons (salt)"))
    with pytest.raises(StoreError, match="Nothing was recorded"):
        created(journal_url)
    with database.reading() as connection:
        assert revision(connection) == schema
        assert dumped(connection) == rows(present)
        found = {str(one["name"]) for one in sa.inspect(connection).get_indexes("entries")}
        assert "ix_entries_subject" not in found
    database.close()


def test_every_earlier_schema_is_tried() -> None:
    assert [f"{number:04}" for number in range(1, int(SCHEMA))] == EARLIER == [*FILL]


def test_the_steps_make_the_tables_that_the_code_has(journal: Journal) -> None:
    with journal.reading() as reader:
        context = MigrationContext.configure(reader.connection)
        differences = compare_metadata(context, METADATA)
    names = [str(one) for one in differences if "alembic_version" not in str(one)]
    assert names == []


@pytest.mark.parametrize("make", [opened, created])
def test_a_later_palmares_made_it(journal: Journal, journal_url: str, make: object) -> None:
    assert callable(make)
    with journal.writing(OFFICER) as writer:
        writer.connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Refused, match=r"a later palmares .* Install the newer version"):
        make(journal_url)
