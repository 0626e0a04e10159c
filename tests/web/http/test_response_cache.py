"""What one visitor was sent is sent to the next, to nobody else, and not when it has changed."""

from __future__ import annotations

import json as js
from dataclasses import dataclass, replace
from datetime import date
from io import StringIO
from typing import Any

import anyio
import pytest
from litestar.types import Receive, Scope, Send

from palmares.core.errors import StoreError
from palmares.journal.store.journal import Journal, create_journal
from palmares.web.app import site
from palmares.web.http import cache
from palmares.web.http.cache import ResponseCacheMiddleware, repeatable
from palmares.web.http.state import AppState
from palmares.web.settings import Settings
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import DAY, Client, signed_in
from tests.web.seasons import winter
from tests.web.visits import JSON

Pairs = list[tuple[bytes, bytes]]


@dataclass
class Made:
    """An application that counts how often it is asked, and says so."""

    app_state: AppState
    times: int = 0
    status: int = 200
    kind: str = "repeatable"
    more: tuple[tuple[bytes, bytes], ...] = ()
    size: int = 0
    pieces: bool = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.times += 1
        if self.kind == "repeatable":
            repeatable(scope, self.app_state, self.app_state.snapshot())
        body = b"%d" % self.times + b" " * self.size
        headers: Pairs = [(b"content-length", b"%d" % len(body)), (b"etag", b'"1"'), *self.more]
        scope["route_handler"] = self  # type: ignore[arg-type]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        if self.pieces:
            await send({"type": "http.response.body", "body": b"a ", "more_body": True})
        await send({"type": "http.response.body", "body": body, "more_body": False})


@pytest.fixture
def long_fresh(settings: Settings) -> Settings:
    """The journal is looked at once, and when a test says so."""
    return replace(settings, fresh=3600)


@pytest.fixture
def its_hall(long_fresh: Settings) -> AppState:
    found: AppState = site(long_fresh).state.app_state
    found.snapshot()
    return found


@pytest.fixture
def made(its_hall: AppState) -> Made:
    return Made(its_hall)


@pytest.fixture
def asks(made: Made) -> Asks:
    return Asks(ResponseCacheMiddleware(made, made.app_state))


@dataclass
class Asks:
    """Somebody who asks."""

    site: ResponseCacheMiddleware

    def __call__(self, path: str = "/", *headers: tuple[bytes, bytes], **more: Any) -> bytes:
        """The body of the answer."""
        return self.whole(path, *headers, **more)[1]

    def whole(
        self, path: str = "/", *headers: tuple[bytes, bytes], **more: Any
    ) -> tuple[int, bytes, Pairs]:
        told: list[Any] = []
        before, _, query = path.partition("?")
        scope: Any = {
            "type": "http", "method": "GET", "scheme": "http", "path": before, "state": {},
            "raw_path": before.encode(), "query_string": query.encode(), "headers": list(headers),
        } | more  # fmt: skip

        async def send(message: Any) -> None:
            told.append(message)

        receive: Any = None  # nothing is read
        anyio.run(self.site, scope, receive, send)
        body = b"".join(one["body"] for one in told[1:])
        return told[0]["status"], body, told[0]["headers"]


def test_an_answer_is_made_once(asks: Asks) -> None:
    assert [asks(), asks(), asks()] == [b"1", b"1", b"1"]


def test_an_answer_in_pieces_is_repeated_whole(asks: Asks, made: Made) -> None:
    made.pieces = True
    assert [asks(), asks()] == [b"a 1", b"a 1"]


@pytest.mark.parametrize(
    ("path", "header"),
    [
        ("/?page=2", (b"x", b"")),
        ("/other", (b"x", b"")),
        ("/", (b"accept-encoding", b"br, gzip")),
        ("/", (b"accept-language", b"de-AT,de;q=0.9")),
        ("/", (b"cookie", b"forms=1; language=fr")),
    ],
)
def test_what_it_hangs_on_is_looked_at(asks: Asks, path: str, header: tuple[bytes, bytes]) -> None:
    assert [asks(), asks(path, header), asks(path, header), asks()] == [b"1", b"2", b"2", b"1"]


@pytest.mark.parametrize(
    "header",
    [(b"accept-language", b"en-GB"), (b"cookie", b"forms=1"), (b"user-agent", b"nobody")],
)
def test_what_it_does_not_hang_on_is_not(asks: Asks, header: tuple[bytes, bytes]) -> None:
    assert [asks(), asks("/", header)] == [b"1", b"1"]


@pytest.mark.parametrize(
    ("header", "more"),
    [
        ((b"cookie", b"language=en; palmares=0123"), {}),
        ((b"authorization", b"Bearer 0123"), {}),
        ((b"accept-language", b"en" + b" " * cache.LONG), {}),
        ((b"x", b""), {"method": "POST"}),
        ((b"x", b""), {"query_string": b"x" * cache.LONG}),
    ],
)
def test_others_are_never_given_it(
    asks: Asks, header: tuple[bytes, bytes], more: dict[str, Any]
) -> None:
    asks()
    assert [asks("/", header, **more), asks("/", header, **more)] == [b"2", b"3"]
    assert asks() == b"1"  # nor does a visitor get theirs


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "for one person"},
        {"status": 404},
        {"more": ((b"set-cookie", b"a=b"),)},
        {"size": cache.LARGEST},
    ],
)
def test_not_every_answer_is_repeated(asks: Asks, made: Made, given: dict[str, Any]) -> None:
    for name, value in given.items():
        setattr(made, name, value)
    assert [asks().strip(), asks().strip()] == [b"1", b"2"]


def test_whoever_has_it_is_told_so(asks: Asks) -> None:
    asks()
    for tags in (b'"1"', b'W/"1"', b'"0", W/"1"', b"*"):
        assert asks.whole("/", (b"if-none-match", tags)) == (304, b"", [(b"etag", b'"1"')])
    assert asks.whole("/", (b"if-none-match", b'"0"'))[:2] == (200, b"1")


def test_it_is_made_anew_when_the_journal_grows(asks: Asks, made: Made) -> None:
    assert [asks(), asks()] == [b"1", b"1"]
    made.app_state.journal.record([say.player("P1", "Ada", "CZE")], OFFICER)
    assert asks() == b"1"
    made.app_state.snapshot(at_once=True)
    assert [asks(), asks()] == [b"2", b"2"]


def test_it_is_made_anew_on_the_next_day(long_fresh: Settings) -> None:
    days = [DAY]
    app_state: AppState = site(replace(long_fresh, day=lambda: days[-1])).state.app_state
    app_state.snapshot()
    asks = Asks(ResponseCacheMiddleware(Made(app_state), app_state))
    assert [asks(), asks()] == [b"1", b"1"]
    days.append(date(2020, 2, 1))
    assert [asks(), asks()] == [b"2", b"2"]


def test_the_journal_is_looked_at_before_an_answer_is_repeated(settings: Settings) -> None:
    app_state: AppState = site(settings).state.app_state  # which looks with every request
    asks = Asks(ResponseCacheMiddleware(Made(app_state), app_state))
    assert [asks(), asks()] == [b"1", b"1"]
    app_state.journal.record([say.player("P1", "Ada", "CZE")], OFFICER)
    assert [asks(), asks()] == [b"2", b"2"]


def test_the_handler_says_that_the_journal_cannot_be_read(
    asks: Asks, made: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken() -> None:
        raise StoreError("the disk is full")

    assert asks() == b"1"
    monkeypatch.setattr(made.app_state, "now", broken)
    assert asks() == b"2"


def test_the_oldest_go(asks: Asks, made: Made) -> None:
    made.size = cache.LARGEST - 10
    fitting = cache.BYTES // (cache.LARGEST + 4000)
    paths = [f"/{number}" for number in range(fitting + 1)]
    for path in paths:
        asks(path)
    assert made.times == len(paths)
    for path in reversed(paths[1:]):
        asks(path)
    assert made.times == len(paths)
    asks(paths[0])
    assert made.times == len(paths) + 1


# ── on the site ──────────────────────────────────────────────────────────────────────────────────


def test_the_site_repeats_whole_answers(long_fresh: Settings) -> None:
    lines = StringIO()
    app = site(replace(long_fresh, log=lines))
    journal: Journal = app.state.app_state.journal
    winter(journal)
    page = {"accept": "text/html"}
    with Client(app) as client:
        first, second = (client.get("/rankings/wbgf", headers=page) for _ in range(2))
        assert second.content == first.content
        for answer in (first, second):
            del answer.headers["x-request-id"]
        assert second.headers == first.headers
        assert second.headers["content-encoding"] == "gzip"
        assert "frame-ancestors 'none'" in second.headers["content-security-policy"]
        bare = client.head("/rankings/wbgf", headers=page)
        assert (bare.status_code, bare.content) == (200, b"")
        assert bare.headers["content-length"] == first.headers["content-length"]
        same = client.get("/rankings/wbgf", headers=page | {"if-none-match": first.headers["etag"]})
        assert (same.status_code, same.content) == (304, b"")
    written = [js.loads(line) for line in lines.getvalue().splitlines()]
    assert [(one["route"], one["status"]) for one in written] == [
        ("ranking", 200), ("ranking", 200), ("ranking", 200), ("ranking", 304),
    ]  # fmt: skip
    assert len({one["request"] for one in written}) == len(written)


def test_who_refuses_gzip_gets_none(client: Client, journal: Journal) -> None:
    winter(journal)
    for accepted, is_compressed in (
        ("gzip", True), ("gzip;q=0", False), ("br, gzip ; Q=0.0", False), ("gzip;q=0.5", True),
        ("br;q=0, gzip", True),
    ):  # fmt: skip
        for _ in range(2):
            answer = client.get("/rankings/wbgf", headers={"accept-encoding": accepted})
            assert ("content-encoding" in answer.headers) == is_compressed, accepted
            assert "Ada" in answer.text


def test_who_signs_in_is_not_shown_a_visitors_page(long_fresh: Settings) -> None:
    lines = StringIO()
    app = site(replace(long_fresh, log=lines))
    app_state: AppState = app.state.app_state
    with Client(app) as client:
        visitors = [client.get("/", headers={"accept": "text/html"}).text for _ in range(2)]
        client.cookies.set("palmares", signed_in(app_state, "officer"))
        assert "Test Officer" in client.get("/", headers={"accept": "text/html"}).text
        client.cookies.clear()
        assert client.get("/", headers={"accept": "text/html"}).text == visitors[0] == visitors[1]
    who = [js.loads(line).get("role") for line in lines.getvalue().splitlines()]
    assert who == [None, None, "officer", None]


def test_who_signs_in_sees_what_went_through_another_worker(long_fresh: Settings) -> None:
    here, elsewhere = site(long_fresh), create_journal(long_fresh.journal)
    with Client(here) as client:

        def found() -> int:
            return int(client.get("/players?search=Ada", headers=JSON).json()["players"])

        assert found() == 0
        elsewhere.record([say.player("P1", "Ada", "CZE")], OFFICER)
        assert found() == 0
        client.cookies.set("palmares", signed_in(here.state.app_state, "officer"))
        assert found() == 1
        client.cookies.clear()
        assert found() == 1
    elsewhere.close()
