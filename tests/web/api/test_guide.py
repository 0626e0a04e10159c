"""The page on which people read what the API has."""

from __future__ import annotations

import re
from html import unescape

from palmares.web.api.description import description
from palmares.web.routes import ROUTES
from tests.web.conftest import Client
from tests.web.seasons import text


def guide(client: Client) -> str:
    """The guide, with plain marks of code and plain spaces."""
    html = unescape(text(client, "/api")).replace("\xa0", " ")
    return re.sub(r"<code class=\"[^\"]*\">", "<code>", html)


def test_every_address_is_there(client: Client) -> None:
    html = guide(client)
    for path, ways in description(ROUTES)["paths"].items():
        for method, one in ways.items():
            assert f"<code>{method.upper()} {path}</code>" in html
            assert one["summary"].partition("`")[0] in html
    assert 'href="/api/v1/openapi.json"' in html


def test_it_says_what_takes_a_token_and_what_is_asked(client: Client) -> None:
    html = guide(client)
    about = html.partition("<code>GET /api/v1</code>")[2].partition("</details>")[0]
    assert "(token)" not in about
    ranking = html.partition("<code>GET /api/v1/rankings/{regulation}</code>")[2]
    asked = re.findall(r"<dt><code>(\w+)</code></dt>", ranking.partition("</details>")[0])
    assert asked[:5] == ["regulation", "limit", "cursor", "as_of", "known_at"]


def test_every_page_leads_there(client: Client) -> None:
    assert 'href="/api"' in text(client, "/")
