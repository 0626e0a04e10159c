"""Every page says where it is JSON, for whoever cannot say what he accepts."""

from __future__ import annotations

import re

import pytest

from palmares.journal.store import Journal
from tests.web.conftest import AsRole, Client
from tests.web.seasons import json, text, winter

LINK = re.compile(r'<link rel="alternate" type="application/json" href="([^"]*)">')


@pytest.mark.parametrize(
    ("address", "twin"),
    [
        ("/", "/?as=json"),
        ("/rankings/wbgf/2019-12-31?nation=DEU", "/rankings/wbgf/2019-12-31?nation=DEU&as=json"),
        ("/players/P1/wbgf?known_at=%236", "/players/P1/wbgf?known_at=%236&as=json"),
        ("/players?search=%3Cb%3E%22", "/players?search=%3Cb%3E%22&as=json"),
        ("/regulations/usbgf", "/regulations/usbgf?as=json"),
    ],
)
def test_a_page_leads_to_its_json(
    client: Client, journal: Journal, address: str, twin: str
) -> None:
    winter(journal)
    html = text(client, address)
    written = twin.replace("&", "&amp;")
    assert LINK.findall(html) == [written]
    assert f'<a href="{written}" rel="alternate nofollow" type="application/json">' in html
    answer = client.get(twin, headers={"accept": "text/html"})
    assert answer.headers["content-type"] == "application/json"
    assert answer.json() == json(client, address)
    head = client.get(address, headers={"accept": "text/html"}).headers["link"]
    assert head == f'<{twin}>; rel="alternate"; type="application/json"'
    assert "link" not in answer.headers


def test_what_is_odd_in_an_address_stays_in_it(client: Client) -> None:
    """Nothing ends the address of the header early, or is no ASCII."""
    answer = client.get("/players?search=a>;b=<\u00e9\u4e00", headers={"accept": "text/html"})
    assert answer.headers["link"].count(">") == 1
    assert answer.headers["link"].isascii()
    found = LINK.findall(answer.text)[0].replace("&amp;", "&")
    assert client.get(found).json()["search"] == "a>;b=<\u00e9\u4e00"


def test_what_is_no_page_has_none(client: Client) -> None:
    answer = client.get("/nowhere", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert "as=json" not in answer.text


def test_whoever_is_signed_in_has_it_too(as_role: AsRole) -> None:
    director = as_role("director")
    assert LINK.findall(text(director, "/director")) == ["/director?as=json"]
    assert director.get("/director?as=json").json()["submissions"] == []
