"""What is sent to the API: JSON of the right shape, or a problem that says what is wrong."""

from __future__ import annotations

from typing import Any

import pytest
from litestar import Litestar, Response

from palmares.web.accounts import sessions, store
from palmares.web.app import site
from palmares.web.http.routing import API, Right, Route
from palmares.web.http.state import AppState, Request
from palmares.web.routes import GET, POST, ROUTES
from palmares.web.settings import Settings
from palmares.web.shared.parameters import RequestBody, Text, decode_body
from tests.web import visits
from tests.web.conftest import GOOD, NOW, Client
from tests.web.http.test_errors import changed

JSON = "application/json"


class Named(RequestBody, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a route of the test takes."""

    name: Text
    rank: int = 1


async def sent_back(request: Request) -> Response[Named]:
    """What came in goes out."""
    return Response(decode_body(await request.body(), Named))


async def broken(request: Request) -> Response[Named]:
    """Something goes wrong here."""
    raise ValueError("Ada Novak is no number")


@pytest.fixture
def taking(settings: Settings) -> Litestar:
    """A site with a route that takes JSON of 2 kB at most."""
    rows = (
        Route("api_sent", POST, API + "/sent", Right.OFFICER, sent_back),
        Route("api_broken", GET, API + "/broken", Right.ANYONE, broken),
    )
    return site(changed(settings, upload=2000), (*ROUTES, *rows))


def token_of(app_state: AppState, role: str, *, writes: bool = True) -> str:
    """The token of somebody new in that role."""
    with app_state.journal.database.writing() as connection:
        account = store.add(connection, f"Some {role}", role, NOW)
    return sessions.issue_token(app_state.journal.database, account, "test", NOW, writes=writes)


@pytest.mark.parametrize(
    ("content", "kind", "status", "detail", "places"),
    [
        (b'{"name": "a"}', JSON, 201, "", []),
        (b'{"name": "a"}', f"{JSON}; charset=utf-8", 201, "", []),
        (b'{"name": ', JSON, 400, "What was sent cannot be read.", [""]),
        (b'{"name": "\xff"}', JSON, 400, "What was sent cannot be read.", [""]),
        (b"", JSON, 400, "What was sent cannot be read.", [""]),
        (b"[" * 1500, JSON, 400, "What was sent cannot be read.", [""]),
        (b'{"name": "\\u0000"}', JSON, 400, "What was sent cannot be read.", ["name"]),
        (b'{"name": 1}', JSON, 400, "What was sent cannot be read.", ["name"]),
        (b'{"name": "a", "rank": "x"}', JSON, 400, "What was sent cannot be read.", ["rank"]),
        (b'{"name": "a"}', "text/plain", 415, "This address takes application/json.", []),
        (b"name=a", "application/x-www-form-urlencoded", 415, "This address takes", []),
        (b'{"name": "' + b"a" * 2000 + b'"}', JSON, 413, "What was sent is too large.", []),
    ],
)  # fmt: skip
def test_what_is_sent(
    taking: Litestar, content: bytes, kind: str, status: int, detail: str, places: list[str]
) -> None:
    with Client(taking) as client:
        headers = {
            "authorization": f"Bearer {token_of(taking.state.app_state, 'officer')}",
            "content-type": kind,
        }
        answer = client.post("/api/v1/sent", content=content, headers=headers)
    told: Any = answer.json()
    assert answer.status_code == status
    if status != 201:
        assert answer.headers["content-type"] == "application/problem+json"
        assert told["detail"].startswith(detail)
        assert [one["where"] for one in told["problems"]] == places


def test_a_visitor_is_refused_before_anything_is_read(taking: Litestar) -> None:
    with Client(taking) as client:
        for sent_as in (JSON, "text/plain"):
            headers = {"content-type": sent_as}
            assert client.post("/api/v1/sent", content=b"{", headers=headers).status_code == 401


def test_what_goes_wrong_here_is_no_concern_of_theirs(taking: Litestar) -> None:
    with Client(taking, raise_server_exceptions=False) as client:
        answer = client.get("/api/v1/broken")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"] == "Something went wrong here. It was written down."
    assert "Ada" not in answer.text


# ── tokens ───────────────────────────────────────────────────────────────────────────────────────


def enter(client: Client, name: str) -> Any:
    return visits.enter(client, name, GOOD)


def tried(client: Client, token: str) -> Any:
    return client.get("/api/v1", headers={"authorization": f"Bearer {token}"})


def test_whoever_sends_wrong_tokens_has_to_wait(
    client: Client, app_state: AppState, clock: Any, the_site: Any, director: store.AccountRecord
) -> None:
    """Thirty in a quarter of an hour; a good one is taken, and people sign in meanwhile."""
    good = token_of(app_state, "officer")
    for _ in range(30):
        assert tried(client, "palmares_wrong").status_code == 401
        clock.now += 1
    answer = tried(client, "palmares_wrong")
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == str(15 * 60 - 30)
    assert answer.headers["content-type"] == "application/problem+json"
    assert tried(client, good).status_code == 200
    assert enter(client, director.name).status_code == 303
    clock.now += 15 * 60
    assert tried(client, "palmares_wrong").status_code == 401
