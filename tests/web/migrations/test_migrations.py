"""The site's tables: as the steps make them and as the code has them, in each kind of database."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from palmares.core.errors import Refused
from palmares.journal.store.journal import Journal, create_journal
from palmares.journal.store.verify import verify
from palmares.web.accounts import administration, credentials, login, store, throttle
from palmares.web.accounts.sessions import (
    authenticate_token,
    issue_token,
    read_session,
    save_session,
)
from palmares.web.database import METADATA, SCHEMA
from palmares.web.http.state import AppState
from palmares.web.migrations import ready
from palmares.web.settings import Settings
from tests.web.conftest import GOOD, NOW, Clock


@pytest.fixture
def journal(journal_url: str) -> Iterator[Journal]:
    made = create_journal(journal_url)
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


def test_tables_of_a_later_palmares_are_refused(journal: Journal) -> None:
    with journal.database.writing() as connection:
        connection.execute(sa.text("UPDATE site_version SET version_num = '9999'"))
    with pytest.raises(Refused, match="later palmares"):
        ready(journal.database)


def test_everything_of_accounts_in_each_kind_of_database(journal: Journal) -> None:
    import pyotp

    clock = Clock()
    site = AppState(journal, Settings(journal="", secret="0" * 64, clock=clock))
    first = login.first_link(site)
    ada = login.accept_link(site, str(first), "Ada", GOOD)
    secret = credentials.new_secret()
    login.set_up_codes(site, ada.id, secret, pyotp.TOTP(secret).at(NOW))
    _, token = administration.invite(site, "Dita", "director")
    dita = login.accept_link(site, token, "", GOOD)
    assert login.check_password(site, "DITA", GOOD, "::1").id == dita.id
    with pytest.raises(Refused):
        login.check_password(site, "Di\x00ta", GOOD, "::1")
    save_session(site, "number", {"account": dita.id})
    assert read_session(site, "number") == {"account": dita.id}
    issued = issue_token(journal.database, dita.id, "x", NOW)
    assert authenticate_token(journal.database, issued, NOW) == (dita.account, False)
    administration.act(site, "role", dita.id, ada.id, "officer")
    assert read_session(site, "number") == {}
    limits = throttle.login_limits(site.settings.secret, "Dita", "::1")
    with journal.database.reading() as connection:
        assert throttle.seconds_to_wait(connection, limits, NOW) == 0
        assert [one.name for one in store.list_all(connection)] == ["Ada", "Dita"]


def test_a_journal_with_a_site_still_verifies(journal: Journal) -> None:
    with journal.reading() as reader:
        assert verify(reader).head.sequence == 0
