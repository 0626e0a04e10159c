"""Every page whose data the API has leads there, for programs and for browsers."""

from __future__ import annotations

import re

import pytest

from palmares.journal.store.journal import Journal
from palmares.web.routes import ROUTES
from tests.web.conftest import AsRole, Client
from tests.web.seasons import text, winter

LINK = re.compile(r'<link rel="alternate" type="application/json" href="([^"]*)">')
API = "/api/v1"


@pytest.mark.parametrize(
    ("address", "api"),
    [
        ("/rankings/wbgf", "/rankings/wbgf"),
        ("/rankings/wbgf/2019-12-31?nation=DEU&page=1",
         "/rankings/wbgf?as_of=2019-12-31&nation=DEU"),
        ("/players/P1/wbgf?known_at=%236", "/players/P1/wbgf?known_at=%236"),
        ("/players?search=%3Cb%3E%22", "/players?search=%3Cb%3E%22"),
        ("/regulations/usbgf", "/regulations/usbgf"),
        ("/players/P1/wbgf/2019-12-31/awards/Winter%2Fmain/main/performance",
         "/players/P1/wbgf/awards/Winter%2Fmain/main/performance?as_of=2019-12-31"),
    ],
)  # fmt: skip
def test_a_page_leads_to_the_api(client: Client, journal: Journal, address: str, api: str) -> None:
    winter(journal)
    html = text(client, address)
    written = (API + api).replace("&", "&amp;")
    assert LINK.findall(html) == [written]
    assert f'<a href="{written}" rel="alternate nofollow" type="application/json">' in html
    answer = client.get(API + api)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"


def test_what_is_odd_in_an_address_stays_in_it(client: Client) -> None:
    answer = client.get("/players?search=a>;b=<\u00e9\u4e00", headers={"accept": "text/html"})
    found = LINK.findall(answer.text)[0].replace("&amp;", "&")
    assert client.get(found).json()["search"] == "a>;b=<\u00e9\u4e00"


@pytest.mark.parametrize("address", ["/", "/regulations/usbgf/2015-05", "/calculators/percentile"])
def test_a_page_that_the_api_has_not_leads_nowhere(client: Client, address: str) -> None:
    answer = client.get(address, headers={"accept": "text/html"})
    assert answer.status_code == 200
    assert LINK.findall(answer.text) == []


def test_what_is_no_page_has_none(client: Client) -> None:
    answer = client.get("/nowhere", headers={"accept": "text/html"})
    assert answer.status_code == 404
    assert LINK.findall(answer.text) == []


def test_whoever_is_signed_in_has_it_too(as_role: AsRole) -> None:
    director = as_role("director")
    assert LINK.findall(text(director, "/director")) == [f"{API}/submissions"]
    assert director.get(f"{API}/submissions").json()["items"] == []


def test_every_alternate_is_in_the_table() -> None:
    assert {row.api for row in ROUTES} - {""} <= {row.name for row in ROUTES if row.tag}
