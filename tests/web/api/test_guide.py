"""The page on which people read what the API has."""

from __future__ import annotations

from html import unescape

from palmares.web.api.description import description
from tests.web.conftest import Client
from tests.web.seasons import json, text


def test_every_address_is_there(client: Client) -> None:
    html = unescape(text(client, "/api"))
    for path, ways in description()["paths"].items():
        for method, one in ways.items():
            assert f"<code>{method.upper()} {path}</code>" in html
            assert one["summary"].partition("`")[0] in html
    assert 'href="/api/v1/openapi.json"' in html


def test_as_json(client: Client) -> None:
    groups = {one["name"]: one["addresses"] for one in json(client, "/api")["groups"]}
    (about,) = groups["About"]
    assert (about["method"], about["address"], about["token"]) == ("GET", "/api/v1", False)
    (ranking,) = [one for one in groups["Rankings"] if one["says"].startswith("A ranking of play")]
    assert [one["name"] for one in ranking["parameters"]][:3] == ["regulation", "as_of", "known_at"]


def test_every_page_leads_there(client: Client) -> None:
    assert 'href="/api"' in text(client, "/")
