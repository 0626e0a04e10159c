"""
Sites that tests of this folder ask.

    journal     an empty journal; tests record into it (tests/journal/statements.py)
    app_state   the state of the site on it
    app         the site
    client      somebody who asks it: a visitor
    visitor     the same on an empty site, one for all tests of a module that record nothing
    reader      the same on a site with something at every address (tests/web/api/addresses.py)
    as_role     a role  ->  somebody who is signed in with it
    DAY         the day it is
    ROOT        where browsers reach the site, as clients of Litestar do
    NOW         the second it is, unless a test moves the clock
    GOOD        the password of director and officer
    director    a director with a password
    officer     an officer with a password and one-time codes
    the_site    the accounts
    empty_site      the file of a journal without entries, with the site's tables
    hostile_place   a site whose every text attacks (tests/web/hostile_season.py)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from shutil import copyfile, copytree
from typing import Any

import pyotp
import pytest
from litestar import Litestar

from palmares.journal.store.journal import Journal
from palmares.web.accounts import credentials, login, store
from palmares.web.accounts.sessions import end_sessions, save_session
from palmares.web.app import site
from palmares.web.http.state import AppState
from palmares.web.settings import Settings
from tests.web import registration
from tests.web.clients import Client as Client  # noqa: PLC0414  of all tests here

registration.install()

DAY = date(2020, 1, 31)
NOW = 1_580_428_800
ROOT = "http://testserver.local"
GOOD = "seven green lamps in Brno"

AsRole = Callable[[str], Client]


@dataclass
class Clock:
    """A clock that tests move."""

    now: int = NOW

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    """The clock of the site."""
    return Clock()


@pytest.fixture(scope="session")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of an empty journal with the tables of the site, to be copied."""
    file = tmp_path_factory.mktemp("empty") / "federation.db"
    journal = site(Settings(journal=str(file), secret="0" * 64)).state.app_state.journal
    journal.database.empty_log()
    journal.close()
    return file


@pytest.fixture
def settings(tmp_path: Path, clock: Clock, empty_site: Path) -> Settings:
    """What the site is started with; the head of the journal is looked at with every request."""
    copyfile(empty_site, tmp_path / empty_site.name)
    return Settings(
        journal=str(tmp_path / empty_site.name),
        secret="0" * 64,
        public_url=ROOT,
        day=lambda: DAY,
        clock=clock,
        fresh=0,
    )


@pytest.fixture
def app(settings: Settings) -> Litestar:
    """The site."""
    return site(settings)


@pytest.fixture
def app_state(app: Litestar) -> AppState:
    """What its requests look at."""
    found: AppState = app.state.app_state
    return found


@pytest.fixture
def journal(app_state: AppState) -> Journal:
    """The journal of the site."""
    return app_state.journal


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    """What is closed after the test."""
    with ExitStack() as found:
        yield found


@pytest.fixture
def client(app: Litestar, stack: ExitStack) -> Client:
    """A visitor."""
    return stack.enter_context(Client(app))


@contextmanager
def _site(folder: Path, fill: Callable[[Journal], None] = lambda _: None) -> Iterator[Client]:
    """A client of a site that all tests of a module share."""
    file = str(folder / "federation.db")
    secret, day, clock = "0" * 64, lambda: DAY, lambda: NOW
    app = site(
        Settings(journal=file, secret=secret, public_url=ROOT, day=day, clock=clock, fresh=0)
    )
    fill(app.state.app_state.journal)
    with Client(app) as client:
        yield client


@pytest.fixture(scope="module")
def _empty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with _site(tmp_path_factory.mktemp("empty")) as client:
        yield client


@pytest.fixture(scope="session")
def _everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a site with something at every address, to be copied."""
    from tests.web.api.addresses import everything

    folder = tmp_path_factory.mktemp("everything")
    with _site(folder, everything):
        return folder


@pytest.fixture(scope="module")
def _read(_everything: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with _site(copytree(_everything, tmp_path_factory.mktemp("read") / "site")) as client:
        yield client


@pytest.fixture
def visitor(_empty: Client) -> Client:
    """A visitor of an empty site, for tests that record nothing."""
    _empty.cookies.clear()
    return _empty


@pytest.fixture
def reader(_read: Client) -> Client:
    """A visitor of a site with something at every address, for tests that record nothing."""
    _read.cookies.clear()
    return _read


@pytest.fixture
def as_role(app: Litestar, app_state: AppState, client: Client) -> AsRole:
    """Somebody who is signed in: "director", "officer" or "administrator"."""

    def entered(role: str) -> Client:
        number = signed_in(app_state, role)
        somebody: Client = Client(app)
        somebody.cookies.set("palmares", number)
        return somebody

    return entered


def signed_in(app_state: AppState, role: str, name: str | None = None) -> str:
    """The number of a session of a new account, or of the one of that role that there is."""
    called = name or f"Test {role.capitalize()}"
    with app_state.journal.database.writing() as connection:
        known = store.find_by_name(connection, called)
        account = known.id if known else store.add(connection, called, role, NOW)
        end_sessions(connection, account)
    number = f"{account:064d}"
    save_session(app_state, number, {"account": account})
    return number


@pytest.fixture
def the_site(journal: Journal, settings: Settings) -> AppState:
    """The accounts of the site."""
    return AppState(journal, settings)


@pytest.fixture
def director(the_site: AppState) -> store.AccountRecord:
    """A director with a password."""
    with the_site.database.writing() as connection:
        number = store.add(connection, "Dita Ředitelka", "director", NOW)
        token = store.create_link(connection, number, NOW)
    return login.accept_link(the_site, token, "", GOOD)


@pytest.fixture
def officer(the_site: AppState) -> store.AccountRecord:
    """An officer with a password and one-time codes."""
    with the_site.database.writing() as connection:
        number = store.add(connection, "Otto Officer", "officer", NOW)
        token = store.create_link(connection, number, NOW)
    login.accept_link(the_site, token, "", GOOD)
    secret = credentials.new_secret()
    login.set_up_codes(the_site, number, secret, pyotp.TOTP(secret).at(NOW))
    with the_site.database.reading() as connection:
        found = store.find(connection, number)
    assert found is not None
    return replace(found, secret=secret)  # as the authenticator has it


@pytest.fixture(scope="module")
def hostile_place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A site whose every text attacks, with a season in its journal."""
    from tests.web.hostile_season import TEXTS, opened

    place = opened(tmp_path_factory.mktemp("hostile"), TEXTS)
    yield place
    place.app_state.journal.close()
