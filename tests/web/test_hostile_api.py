"""Forty hostile names through every address of the API: the same texts, in JSON alone."""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import quote

import pytest

from palmares.web.http.routing import Right
from tests.web.hostile_season import TEXTS, Place
from tests.web.hostile_visits import standing
from tests.web.ways import RIGHTS, WAYS

ADDRESSES = sorted(name for name in RIGHTS if name.startswith("api_"))
IDS = frozenset({"player_id", "tournament_id", "tournament", "event_id", "event", "rival"})
WHO = {
    Right.ANYONE: "visitor",
    Right.SIGNED_IN: "director",
    Right.DIRECTOR: "director",
    Right.OFFICER: "officer",
    Right.ADMINISTRATOR: "administrator",
}
PARTS = {"race": "hostile",
         "regulation": "wbgf", "edition": "undated", "code": "CZE", "flight": "main",
         "kind": "performance", "entry": "115", "number": "1", "sequence": "100",
         "name": "rate"}  # fmt: skip
KINDS = ("application/json", "application/problem+json", "application/vnd.oai.openapi+json")


def filled(path: str, text: str) -> str:
    """An address with a text in the place of every id."""

    def part(found: re.Match[str]) -> str:
        return quote(text if found[1] in IDS else PARTS[found[1]], safe="")

    return re.sub(r"\{(\w+):\w+\}", part, path)


def asked(place: Place, address: str, who: str = "visitor", **headers: str) -> Any:
    """What it answers, to a program that would take a page as well."""
    return place.people[who].get(address, headers={"accept": "text/html,*/*", **headers})


@pytest.mark.parametrize("name", ADDRESSES)
def test_it_is_json_whatever_is_asked(hostile_place: Place, name: str) -> None:
    ways = dict(WAYS[name])
    if "GET" not in ways:  # what is sent; what writes brings a token
        ((method, path),) = ways.items()
        answer = hostile_place.people["visitor"].request(method, filled(path, TEXTS[0]))
        assert answer.status_code == (400 if RIGHTS[name] is Right.ANYONE else 401)  # no body
        assert answer.headers["content-type"].partition(";")[0] in KINDS
        return
    for number, text in enumerate(TEXTS):
        search = f"?search={quote(text)}&known_at={quote(text)}&nation={quote(text)}"
        for query in ("", search) if number % 6 == 0 else ("",) if "_id:" in ways["GET"] else ():
            answer = asked(hostile_place, filled(ways["GET"], text) + query, WHO[RIGHTS[name]])
            assert answer.status_code in (200, 400, 404, 422), answer.text
            assert answer.headers["content-type"].partition(";")[0] in KINDS
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert json.loads(answer.content) is not None
            assert "Traceback" not in answer.text


def texts_of(value: Any) -> set[str]:
    """Every text in some JSON."""
    if isinstance(value, dict):
        return {one for inner in value.values() for one in texts_of(inner)}
    if isinstance(value, list):
        return {one for inner in value for one in texts_of(inner)}
    return {value} if isinstance(value, str) else set()


def test_names_and_ids_come_as_they_are(hostile_place: Place) -> None:
    for text in standing(hostile_place):
        for kind in ("players", "tournaments"):
            answer = asked(hostile_place, f"/api/v1/{kind}/{quote(text, safe='')}")
            assert answer.status_code == 200, answer.text
            assert text in texts_of(answer.json()), kind
    live = texts_of(asked(hostile_place, "/api/v1/live/club-night").json())
    assert set(TEXTS) <= live
    rows = asked(hostile_place, "/api/v1/rankings/wbgf?limit=100").json()
    assert set(TEXTS) <= texts_of(rows)
