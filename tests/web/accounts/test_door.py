"""The door: whose request it is, and what is kept for whom."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Any, cast
from urllib.parse import urlencode

import anyio
import httpx
import pytest
from litestar import Litestar

from palmares.journal.store.journal import Journal
from palmares.web.accounts import administration, sessions, store
from palmares.web.http.state import AppState
from tests.web.api.programs import program
from tests.web.conftest import ROOT, AsRole, Client
from tests.web.visits import enter


def test_a_visitor_brings_and_takes_no_cookie(client: Client) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert "set-cookie" not in answer.headers
    assert answer.headers["cache-control"] == "no-cache"


def test_what_the_signed_in_see_is_kept_for_nobody(
    client: Client, app_state: AppState, as_role: AsRole
) -> None:
    officer = as_role("officer")
    mine, theirs, again = officer.get("/"), client.get("/"), officer.get("/")
    assert mine.headers["cache-control"] == again.headers["cache-control"] == "no-store"
    assert "Test Officer" in mine.text
    assert "Test Officer" in again.text
    assert "Test Officer" not in theirs.text
    assert "etag" not in mine.headers


def test_a_visitors_page_is_not_answered_with_304_to_the_signed_in(
    client: Client, as_role: AsRole
) -> None:
    etag = client.get("/").headers["etag"]
    assert client.get("/", headers={"if-none-match": etag}).status_code == 304
    assert as_role("officer").get("/", headers={"if-none-match": etag}).status_code == 200


def test_a_number_that_nobody_issued_is_a_visitors(client: Client) -> None:
    client.cookies.set("palmares", "a" * 64)
    assert "Sign in" in client.get("/").text


def test_reading_on_does_not_write(
    client: Client, director: store.AccountRecord, app_state: AppState
) -> None:
    enter(client, director.name)
    client.get("/")
    answer = client.get("/")
    assert "set-cookie" not in answer.headers


FIELDS = {"currency": "CZK", "day": "2019-01-05", "eur_per_unit": "0.04"}
Ending = Callable[[AppState, int, int], Any]


def disabled(site: AppState, account: int, other: int) -> None:
    administration.act(site, "disable", account, other, "")


def assigned(site: AppState, account: int, other: int) -> None:
    administration.act(site, "role", account, other, "director")


def ended(site: AppState, account: int, other: int) -> None:
    with site.database.writing() as connection:
        sessions.end_sessions(connection, account)
        sessions.revoke_tokens(connection, account)


def nothing(site: AppState, account: int, other: int) -> None:
    """It stays as it is."""


def written(app: Litestar, path: str, headers: dict[str, str], body: bytes, then: Any) -> int:
    """The status of a writing request; something happens while it comes."""

    async def pieces() -> AsyncIterator[bytes]:
        yield body[:5]
        then()
        yield body[5:]

    async def ask() -> int:
        transport = httpx.ASGITransport(cast("Any", app))
        async with httpx.AsyncClient(transport=transport, base_url=ROOT) as client:
            return (await client.post(path, content=pieces(), headers=headers)).status_code

    return anyio.run(ask)


class TestWhoWritesSlowly:
    """A write that began in time counts only if whoever sent it may still write at its end."""

    @pytest.mark.parametrize(
        ("ending", "status", "entries"),
        [(nothing, 201, 1), (disabled, 401, 0), (assigned, 401, 0), (ended, 401, 0)],
    )
    def test_a_program(
        self, app: Litestar, client: Client, the_site: AppState, journal: Journal,
        ending: Ending, status: int, entries: int,
    ) -> None:  # fmt: skip
        otto = program(client, app.state.app_state, "officer", "Test Officer")
        seen = otto.post("/decisions/rate/preview", fields=FIELDS)["digest"]
        body = json.dumps({"fields": FIELDS, "digest": seen}).encode()
        headers = {"authorization": f"Bearer {otto.token}", "content-type": "application/json"}
        ids = numbers(the_site, "Test Officer")
        before = journal.head().sequence
        path = "/api/v1/decisions/rate"
        assert written(app, path, headers, body, lambda: ending(the_site, *ids)) == status
        assert journal.head().sequence == before + entries

    @pytest.mark.parametrize(
        ("ending", "status", "entries"),
        [(nothing, 303, 1), (disabled, 401, 0), (assigned, 401, 0), (ended, 401, 0)],
    )
    def test_a_form(
        self, app: Litestar, as_role: AsRole, the_site: AppState, journal: Journal,
        ending: Ending, status: int, entries: int,
    ) -> None:  # fmt: skip
        otto = as_role("officer")
        path = "/officer/decisions/rate"
        told = otto.post(path, data=FIELDS, headers={"accept": "application/json"}).json()
        body = urlencode({**FIELDS, "digest": told["preview"]["digest"]}).encode()
        headers = {
            "content-type": "application/x-www-form-urlencoded",
            "cookie": "; ".join(f"{name}={value}" for name, value in otto.cookies.items()),
            "origin": ROOT,
        }
        ids = numbers(the_site, "Test Officer")
        before = journal.head().sequence
        assert written(app, path, headers, body, lambda: ending(the_site, *ids)) == status
        assert journal.head().sequence == before + entries


def numbers(site: AppState, name: str) -> tuple[int, int]:
    """The numbers of an account, and of an administrator's."""
    with site.database.writing() as connection:
        person = store.find_by_name(connection, name)
        assert person is not None
        return person.id, store.add(connection, "Ada Admin", "administrator", site.clock())
