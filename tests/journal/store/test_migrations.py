"""The tables of a journal, on both databases; journals of earlier tags: tests/kept."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from palmares.core.errors import Refused, StoreError
from palmares.journal.store.databases import connect
from palmares.journal.store.journal import (
    ENTRIES,
    EVENT_NAMES,
    EVENT_RECORDS,
    PERSONS,
    Journal,
    create_journal,
    open_journal,
)
from palmares.journal.store.migrations import revision
from tests.journal.filled import OFFICER


def test_a_step_that_fails_changes_nothing(journal_url: str) -> None:
    """Something of the same name is in the way of the second half of the first step."""
    database = connect(journal_url, create=True)
    with database.writing() as connection:
        connection.execute(sa.text("CREATE VIEW ix_entries_subject AS SELECT 1"))
    with pytest.raises(StoreError, match="Nothing was recorded"):
        create_journal(journal_url)
    with database.reading() as connection:
        assert revision(connection) is None
        assert not sa.inspect(connection).get_table_names()
    database.close()


def test_the_steps_make_the_tables_that_the_code_has(journal: Journal) -> None:
    with journal.reading() as reader:
        database = sa.inspect(reader.connection)
        for table in (ENTRIES, PERSONS, EVENT_RECORDS, EVENT_NAMES):
            columns = {
                column["name"]: column["type"] for column in database.get_columns(table.name)
            }
            assert sorted(columns) == sorted(table.c.keys())
            texts = {name for name, kind in columns.items() if isinstance(kind, sa.Text)}
            assert texts == {column.name for column in table.c if isinstance(column.type, sa.Text)}


def test_an_earlier_palmares_made_it(journal: Journal) -> None:
    with journal.writing(OFFICER) as writer:
        writer.connection.execute(sa.text("UPDATE alembic_version SET version_num = '0000'"))
    with pytest.raises(Refused, match=r"tables of an earlier palmares \(schema 0000; now 0001\)"):
        open_journal(journal.url)


@pytest.mark.parametrize("make", [open_journal, create_journal])
def test_a_later_palmares_made_it(journal: Journal, make: object) -> None:
    assert callable(make)
    with journal.writing(OFFICER) as writer:
        writer.connection.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(Refused, match=r"a later palmares .* Install the newer version"):
        make(journal.url)
