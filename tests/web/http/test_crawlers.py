"""What crawlers may read, as the standard library's reader of robots.txt and RFC 9309 have it."""

from __future__ import annotations

import re

import pytest

from tests.web.conftest import Client


def closed(client: Client, address: str) -> bool:
    """Whether a rule stands against an address: a star is anything (RFC 9309, 2.2.3)."""
    answer = client.get("/robots.txt")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    first, *rules = answer.text.splitlines()
    assert first == "User-agent: *"
    paths = [one.removeprefix("Disallow: ") for one in rules]
    return any(re.match(".*".join(map(re.escape, one.split("*"))), address) for one in paths)


@pytest.mark.parametrize(
    "address",
    ["/", "/rankings/wbgf", "/rankings/wbgf/nations", "/players/P1", "/players/P1/wbgf",
     "/nations/GER", "/tournaments/T1", "/published", "/published/7", "/regulations/wbgf"],
)  # fmt: skip
def test_current_pages_are_open(visitor: Client, address: str) -> None:
    assert not closed(visitor, address)


@pytest.mark.parametrize(
    "address",
    ["/rankings/wbgf/2019-12-31", "/rankings/wbgf/2019-12-31/nations", "/rankings/wbgf?known=2019",
     "/rankings/wbgf?format=csv", "/players/P1/wbgf/2019-12-31",
     "/published/7/verification", "/published/7/facts",
     "/api/v1/rankings", "/officer", "/sign-in"],
)  # fmt: skip
def test_what_has_no_end_or_takes_long_is_closed(visitor: Client, address: str) -> None:
    assert closed(visitor, address)
