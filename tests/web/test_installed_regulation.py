"""A regulation of another package on the site: results fade, and days left explain it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from palmares.journal.store.journal import Journal
from palmares.web.http.state import awarding_regulations
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.regulations import melting
from tests.web.conftest import Client
from tests.web.leagues import recorded
from tests.web.seasons import json, text

REPORT = """
[tournament]
id = "prague"
name = "Prague Open"
discipline = "backgammon"
end_date = 2020-01-28

[[player]]
id = "A"
name = "Ada Novak"
[[player]]
id = "B"
name = "Ben Ode"

[[event]]
id = "prague/main"
name = "Main"

[event.main]
entrants = 4
placings = '''
1  Ada Novak
2  Ben Ode
'''
"""


@pytest.fixture(autouse=True)
def prague(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, journal: Journal) -> Iterator[None]:
    """The package installed, and Ben second of four three days ago: 3 x 4 / 2 = 6, 7/10 left."""
    melting.install(tmp_path, monkeypatch)
    awarding_regulations.cache_clear()  # what is installed changes in tests alone
    journal.record([say.player("A", "Ada Novak"), say.player("B", "Ben Ode")], OFFICER)
    recorded(journal, REPORT)
    yield
    awarding_regulations.cache_clear()


def test_an_award_is_explained(client: Client) -> None:
    page = json(client, "/players/B/snow/2020-01-31/awards/prague%2Fmain/main/snow")
    assert page["nanopoints"] == 6_000_000_000
    assert page["worth"] == 4_200_000_000
    assert [one["clause"] for one in page["lines"]] == ["snow size", "snow share"]
    assert [(one["clause"], one["value"]) for one in page["fading"]] == [("snow melting", "7")]


@pytest.mark.parametrize(
    "address",
    [
        "/rankings/snow/2020-01-31",
        "/players/B",
        "/players/B/snow/2020-01-31",
        "/players/B/snow/2020-01-31/awards/prague%2Fmain/main/snow",
        "/tournaments/prague",
        "/regulations",
        "/regulations/snow",
    ],
)
def test_its_pages_are_there(client: Client, address: str) -> None:
    assert "snow" in text(client, address)
