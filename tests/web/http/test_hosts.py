"""The site knows its own address: links are made from it, and other hosts are refused."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from litestar import Litestar

from palmares.core.errors import Refused
from palmares.web.http.security import RequestGuard
from palmares.web.settings import address, public_url
from tests.web.conftest import AsRole, Client

Headers = list[tuple[bytes, bytes]]


def asked(app: Any, *hosts: str, path: str = "/") -> int:
    """The status of a request with these hosts; clients would send one in any case."""
    found: list[int] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        found.append(message.get("status", 0))

    headers: Headers = [(b"host", one.encode()) for one in hosts]
    scope: Any = {"type": "http", "method": "GET", "scheme": "http", "headers": headers,
                  "path": path, "raw_path": path.encode(), "query_string": b"",
                  "state": {}}  # fmt: skip
    anyio.run(app, scope, receive, send)
    return found[0]


def answering(url: str) -> RequestGuard:
    """A site at an address that answers everything."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    return RequestGuard(app, url)


@pytest.mark.parametrize("host", ["evil.test", "testserver.local.evil.test", "127.0.0.1", "x"])
@pytest.mark.parametrize("path", ["/", "/published.atom", "/administrator", "/api/v1/rankings"])
def test_other_hosts_are_refused(client: Client, host: str, path: str) -> None:
    answer = client.get(path, headers={"host": host}, follow_redirects=False)
    assert answer.status_code == 421
    assert "This site is at http://testserver.local, not here." in answer.text
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert host not in answer.text.replace("testserver.local", "")


@pytest.mark.parametrize("path", ["/health", "/ready"])
def test_whoever_watches_asks_by_any_name(client: Client, path: str) -> None:
    """A container's health check knows the machine, and not what browsers call the site."""
    answer = client.get(path, headers={"host": "10.0.0.7:8000"})
    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert client.get(path + "/x", headers={"host": "10.0.0.7:8000"}).status_code == 421


def test_an_invitation_never_names_another_host(as_role: AsRole) -> None:
    ada = as_role("administrator")
    form = {"name": "Wilma", "role": "officer"}
    refused = ada.post("/administrator/invitations", data=form, headers={"host": "evil.test"})
    assert refused.status_code == 421
    assert "Wilma" not in ada.get("/administrator").text
    for headers in ({"x-forwarded-host": "evil.test"}, {"forwarded": "host=evil.test"}):
        form = {"name": f"Eve {len(headers)}{next(iter(headers))}", "role": "officer"}
        accept = {"accept": "application/json"}
        told = ada.post("/administrator/invitations", data=form, headers=headers | accept).json()
        assert told["link"].startswith("http://testserver.local/welcome/")


@pytest.mark.parametrize("hosts", [(), ("",), ("testserver.local", "testserver.local"),
                                   ("testserver.local", "evil.test")])  # fmt: skip
def test_a_missing_or_doubled_host_is_refused(app: Litestar, hosts: tuple[str, ...]) -> None:
    assert asked(app.asgi_handler, *hosts) == 400


@pytest.mark.parametrize(
    ("url", "good", "bad"),
    [
        ("https://rankings.example", ["rankings.example", "RANKINGS.example:443"],
         ["rankings.example:80", "rankings.example.", "localhost", "127.0.0.1:8000"]),
        ("http://rankings.example:8080", ["rankings.example:8080"],
         ["rankings.example", "rankings.example:80"]),
        ("http://127.0.0.1:8000", ["127.0.0.1:8000", "localhost:8000", "[::1]:8000"],
         ["127.0.0.1", "127.0.0.1:8001", "evil.test:8000", "127.0.0.1.evil.test:8000"]),
        ("http://[::1]:8000", ["[::1]:8000", "localhost:8000"], ["::1", "[::2]:8000"]),
    ],
)  # fmt: skip
def test_the_hosts_of_an_address(url: str, good: list[str], bad: list[str]) -> None:
    site = answering(url)
    assert [asked(site, one) for one in good] == [200] * len(good)
    assert [asked(site, one) for one in bad] == [421] * len(bad)


@given(st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1))
def test_no_other_text_is_a_host(host: str) -> None:
    good = host.lower() in ("rankings.example", "rankings.example:443")
    assert asked(answering("https://rankings.example"), host) == (200 if good else 421)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("https://Rankings.Example/", "https://rankings.example"),
        ("https://rankings.example:443", "https://rankings.example"),
        ("http://rankings.example:8080/", "http://rankings.example:8080"),
        (" http://[::1]:8000 ", "http://[::1]:8000"),
    ],
)
def test_an_address_is_kept_in_one_form(given: str, kept: str) -> None:
    assert public_url(given) == kept


@pytest.mark.parametrize(
    "given",
    ["", "rankings.example", "ftp://rankings.example", "https://", "https://a b", "https://a:b",
     "https://eve@rankings.example", "https://rankings.example/cup", "https://rankings.example?x",
     "https://rankings.example:99999", "https://[::1", "https://x" + "y" * 5000 + "/z"],
)  # fmt: skip
def test_what_is_no_address_is_refused(given: str) -> None:
    with pytest.raises(Refused, match="like https://rankings") as refused:
        public_url(given)
    assert len(str(refused.value)) < 200


@pytest.mark.parametrize(
    ("host", "found"),
    [("127.0.0.1", "http://127.0.0.1:8000"), ("localhost", "http://localhost:8000"),
     ("::1", "http://[::1]:8000")],
)  # fmt: skip
def test_without_an_address_it_is_where_the_site_listens(host: str, found: str) -> None:
    assert address(None, host, 8000) == found


@pytest.mark.parametrize("host", ["::", "192.0.2.1", "rankings.example"])
def test_which_other_machines_must_not_reach(host: str) -> None:
    with pytest.raises(Refused, match="Add --public-url URL"):
        address(None, host, 8000)
    assert address("https://rankings.example", host, 8000) == "https://rankings.example"
