"""The site's tables: as the steps make them and as the code has them, in each kind of database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from palmares.errors import Refused
from palmares.journal.chain import verify
from palmares.journal.store import Journal, created
from palmares.web.accounts import attempts, codes, entering, keeping, people, tokens
from palmares.web.accounts.entering import Site
from palmares.web.accounts.sessions import Sessions, hashed
from palmares.web.migrations import ready, upgraded
from palmares.web.settings import Settings
from palmares.web.tables import METADATA, SCHEMA
from tests.web.conftest import GOOD, NOW, Clock


@pytest.fixture
def journal(journal_url: str) -> Iterator[Journal]:
    made = created(journal_url)
    ready(made.database)
    yield made
    made.close()


def ours(thing: object, name: str | None, kind: str, *rest: object) -> bool:
    """Whether a table is the site's."""
    return kind != "table" or (str(name).startswith("site_") and name != "site_version")


def test_steps_and_tables_agree(journal: Journal) -> None:
    with journal.database.reading() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": "site_version", "include_object": ours}
        )
        assert compare_metadata(context, METADATA) == []


def test_made_twice_is_made_once(journal: Journal) -> None:
    ready(journal.database)
    with journal.database.reading() as connection:
        found = connection.execute(sa.text("SELECT version_num FROM site_version")).scalar()
    assert found == SCHEMA


def test_tokens_that_there_were_read_only(journal_url: str) -> None:
    """Whoever made one before did not say that it may write."""
    journal = created(journal_url)
    with journal.database.writing() as connection:
        upgraded(connection, "0001")
        account = people.add(connection, "Dita", "director", NOW)
        connection.execute(
            sa.text(
                "INSERT INTO site_tokens (hash, account, label, created, expires)"
                " VALUES (:hash, :account, 'old', 0, :later)"
            ),
            {"hash": hashed(f"{tokens.PREFIX}old"), "account": account, "later": NOW + 1},
        )
    ready(journal.database)
    found = tokens.account_of(journal.database, f"{tokens.PREFIX}old", NOW)
    assert found is not None
    assert (found[0].name, found[1]) == ("Dita", False)
    journal.close()


def test_tables_of_a_later_palmares_are_refused(journal: Journal) -> None:
    with journal.database.writing() as connection:
        connection.execute(sa.text("UPDATE site_version SET version_num = '9999'"))
    with pytest.raises(Refused, match="later palmares"):
        ready(journal.database)


def test_everything_of_accounts_in_each_kind_of_database(journal: Journal) -> None:
    import pyotp

    clock = Clock()
    site = Site(journal.database, Settings(journal="", secret="0" * 64, clock=clock))
    first = entering.first_link(site)
    ada = entering.welcome(site, str(first), "Ada", GOOD)
    secret = codes.fresh()
    assert len(entering.begin_codes(site, ada.id, secret, pyotp.TOTP(secret).at(NOW))) == 10
    _, token = keeping.invite(site, "Dita", "director")
    dita = entering.welcome(site, token, "", GOOD)
    assert entering.password(site, "DITA", GOOD, "::1").id == dita.id
    with pytest.raises(entering.Failed):
        entering.password(site, "Di\x00ta", GOOD, "::1")
    sessions = Sessions(journal.database, site.settings)
    sessions.put("number", b'{"account":%d}' % dita.id)
    assert sessions.read("number") == b'{"account":%d}' % dita.id
    issued = tokens.issued(journal.database, dita.id, "x", NOW)
    assert tokens.account_of(journal.database, issued, NOW) == (people.account_of(dita), False)
    keeping.assign(site, dita.id, ada.id, "officer")
    assert sessions.read("number") is None
    with journal.database.reading() as connection:
        assert attempts.wait(connection, site.settings.secret, "Dita", "::1", NOW) == 0
        assert [one.name for one in people.everybody(connection)] == ["Ada", "Dita"]


def test_a_journal_with_a_site_still_verifies(journal: Journal) -> None:
    with journal.reading() as reader:
        assert verify(reader).head.sequence == 0
