"""What others have come in by: forms held open, links elsewhere, old tokens, odd spellings."""

from __future__ import annotations

import subprocess
import sys
import unicodedata
from collections.abc import AsyncIterator
from typing import Any, cast

import anyio
import httpx
import pytest
from litestar import Litestar
from litestar.connection import ASGIConnection

from palmares.core.errors import Refused
from palmares.web.accounts import credentials, login, sessions, store, throttle
from palmares.web.app import site
from palmares.web.http.parameters import inside
from palmares.web.http.state import AppState
from palmares.web.settings import Settings
from tests.hostile import NAMES
from tests.web.conftest import GOOD, NOW, ROOT, Client
from tests.web.http.test_errors import changed
from tests.web.visits import enter, send


def sent(app: Litestar, body: AsyncIterator[bytes]) -> int:
    """The status of a form that is sent bit by bit."""

    async def ask() -> int:
        transport = httpx.ASGITransport(cast("Any", app))
        async with httpx.AsyncClient(transport=transport, base_url=ROOT) as client:
            kind = {"content-type": "application/x-www-form-urlencoded"}
            answer = await client.post("/sign-in", content=body, headers=kind)
            return answer.status_code

    return anyio.run(ask)


def test_a_form_that_never_ends_is_not_waited_for(settings: Settings) -> None:
    async def never() -> AsyncIterator[bytes]:
        yield b"name="
        await anyio.sleep_forever()

    assert sent(site(changed(settings, patience=0.05)), never()) == 408


def test_one_that_comes_in_pieces_is_read(app: Litestar) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for piece in (b"name=", b"Ada", b"&password=x"):
            yield piece

    assert sent(app, pieces()) == 422  # nobody of that name


def test_a_way_back_of_any_letters(client: Client, director: store.AccountRecord) -> None:
    answer = enter(client, director.name, next="/players?search=\u0645\u062d\u0645\u062f&x=%20#a")
    there = "/players?search=%D9%85%D8%AD%D9%85%D8%AF&x=%20#a"
    assert (answer.status_code, answer.headers["location"]) == (303, there)


@pytest.mark.parametrize("text", [one.text for one in NAMES])
def test_a_way_back_leads_nowhere_else(text: str) -> None:
    for address in (text, f"/{text}", f"//{text}", f"/\\{text}", f"https:{text}", f"/\t/{text}"):
        found = inside(address)
        assert found.isascii()
        assert found.isprintable()
        assert not found or (found[0] == "/" and found[1:2] not in ("/", "\\"))


@pytest.mark.parametrize(
    "address",
    ["////evil.test", "/\u2028/evil.test", "http:///evil.test", "/\x00/evil.test", "///evil.test",
     "\\/evil.test", "/\u200b/evil.test", "\u2215\u2215evil.test", "/\r/evil.test",
     "/\n/evil.test"],
)  # fmt: skip
def test_nor_do_these(address: str) -> None:
    assert inside(address) == ""


def test_a_link_for_a_new_password_ends_tokens(
    the_site: AppState, director: store.AccountRecord
) -> None:
    """Whoever had the account may have made himself a token."""
    token = sessions.issue_token(the_site.database, director.id, "spare", NOW)
    assert sessions.authenticate_token(the_site.database, token, NOW) is not None
    with the_site.database.writing() as connection:
        link = store.create_link(connection, director.id, NOW)
    assert (
        sessions.authenticate_token(the_site.database, token, NOW) is not None
    )  # until it is used
    login.accept_link(the_site, link, "", f"{GOOD} again")
    assert sessions.authenticate_token(the_site.database, token, NOW) is None


@pytest.mark.parametrize(("ticked", "left"), [({"tokens": "end"}, []), ({}, ["spare"])])
def test_another_password_ends_links_and_tokens_if_one_likes(
    the_site: AppState,
    client: Client,
    director: store.AccountRecord,
    ticked: dict[str, str],
    left: list[str],
) -> None:
    sessions.issue_token(the_site.database, director.id, "spare", NOW)
    with the_site.database.writing() as connection:
        link = store.create_link(connection, director.id, NOW)
    enter(client, director.name)
    better = f"{GOOD} again"
    fields = {"old": GOOD, "password": better, "again": better, **ticked}
    assert send(client, "/account/password", **fields).status_code == 303
    with the_site.database.reading() as connection:
        assert [one.label for one in sessions.list_tokens(connection, director.id)] == left
    assert client.get(f"/welcome/{link}").status_code == 410


def test_a_password_is_as_long_as_it_is_spelt() -> None:
    """64 letters with marks, taken when chosen, are right when a keyboard sends them in parts."""
    chosen = "\u0159eka, most a \u017elut\u00fd k\u016f\u0148 " + "\u1e69" * 64
    credentials.refuse_weak(chosen, "Dita")
    stored = credentials.hash_password(chosen)
    parts = unicodedata.normalize("NFD", chosen)
    assert len(parts) > credentials.LONGEST >= len(chosen)
    assert credentials.verify(stored, chosen)
    assert credentials.verify(stored, parts)
    assert not credentials.verify(stored, parts + "x")
    assert not credentials.verify(stored, chosen + "x" * credentials.LONGEST)


def test_a_network_may_fail_as_often_as_ten_houses(the_site: AppState) -> None:
    """A /48 has 65,536 houses, and a university has one: 300 wrong tries lock out all of it."""
    secret = the_site.settings.secret

    def wait(address: str) -> int:
        with the_site.database.reading() as connection:
            limits = throttle.login_limits(secret, "Dita", address)
            return throttle.seconds_to_wait(connection, limits, NOW)

    with the_site.database.writing() as connection:
        for number in range(299):
            house = f"2001:db8:1:{number % 10:x}::/64"
            limits = throttle.login_limits(secret, f"name {number}", house)
            throttle.record_failure(connection, limits, NOW)
    assert wait("2001:db8:1:9::/64") == 0  # 29 tries there, 30 in each of the others
    assert wait("2001:db8:1:8::/64") == throttle.SPAN
    assert wait("2001:db8:1:abcd::/64") == 0
    with the_site.database.writing() as connection:
        limits = throttle.login_limits(secret, "another", "2001:db8:1:ffff::/64")
        throttle.record_failure(connection, limits, NOW)
    assert wait("2001:db8:1:abcd::/64") == throttle.SPAN
    assert wait("2001:db8:2:abcd::/64") == 0
    assert wait("192.0.2.1") == 0


def test_what_others_took_is_looked_up_when_a_password_is_chosen() -> None:
    """It takes memory: who only reads or signs in never loads it."""
    code = (
        "import sys, palmares.web.app, palmares.web.accounts.credentials as it\n"
        "it.verify(it.hash_password('seven green lamps'), 'seven')\n"
        "print('zxcvbn' in sys.modules); it.refuse_weak('seven green lamps', 'Dita')\n"
        "print('zxcvbn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\nTrue\n"


def test_a_password_as_long_as_may_be_is_looked_at_in_its_beginning() -> None:
    credentials.refuse_weak("seven green lamps " * 7, "Dita")
    with pytest.raises(Refused, match="easily guessed"):
        credentials.refuse_weak("drowssap" * 16, "Dita")


@pytest.mark.parametrize(
    ("told", "counted"),
    [
        ("::ffff:198.51.100.7", "198.51.100.7"),  # an IPv4 visitor, as a proxy for both says it
        ("198.51.100.7", "198.51.100.7"),
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ("somewhere", "somewhere"),
    ],
)
def test_whom_tries_are_counted_for(told: str, counted: str) -> None:
    scope: Any = {"type": "http", "client": (told, 5555)}
    assert throttle.client_address(ASGIConnection(scope)) == counted


def test_whoever_is_in_is_not_held_up_by_what_others_try(
    the_site: AppState, client: Client, director: store.AccountRecord
) -> None:
    """Thirty wrong tries of a name keep it out, from every address; who is in may go on."""
    enter(client, director.name)
    for number in range(30):
        with pytest.raises(Refused):
            login.check_password(the_site, director.name, "wrong" * 4, f"192.0.2.{number // 5}")
    with pytest.raises(login.TooManyAttempts):
        login.check_password(the_site, director.name, GOOD, "198.51.100.7")
    fields = {"password": GOOD, "label": "spare", "days": "9"}
    assert send(client, "/account/tokens", **fields).status_code == 200
    better = {"old": GOOD, "password": f"{GOOD} again", "again": f"{GOOD} again"}
    assert send(client, "/account/password", **better).status_code == 303


def test_nor_are_others_by_what_somebody_tries_who_is_in(
    the_site: AppState, director: store.AccountRecord
) -> None:
    """A session in wrong hands guesses the password thirty times at most, from anywhere."""
    for number in range(30):
        with pytest.raises(Refused):
            login.confirm_password(the_site, director.id, "wrong" * 4, f"192.0.2.{number // 5}")
    with pytest.raises(login.TooManyAttempts):
        login.confirm_password(the_site, director.id, GOOD, "198.51.100.7")
    assert login.check_password(the_site, director.name, GOOD, "192.0.2.1").id == director.id
