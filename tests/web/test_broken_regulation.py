"""A regulation of another package that fails: its list says so, and the site goes on."""

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
from tests.web.test_installed_regulation import REPORT

RATED = melting.MODULE.replace("Decay, ", "Latest, ").replace(
    "Sum(decay=Decay(left=fade))", "Latest(opening=lambda rules: 5, step=share)"
)
FAILING = {
    "award": melting.MODULE.replace("flight = event.flight", "{}['snow']; flight = event.flight"),
    "formula": melting.MODULE.replace("return size / rank", "return {}['snow']"),
    "left": melting.MODULE.replace(
        "    return int(", "    effective.year == 2020 and {}['snow']\n    return int("
    ),
    "step": RATED.replace("def share(size, rank)", "def share(before, size, rank)").replace(
        "return size / rank", "return before + {}['snow']"
    ),
}


@pytest.fixture(autouse=True, params=FAILING)
def prague(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    journal: Journal,
) -> Iterator[None]:
    """The package installed, and a tournament that it fails to award."""
    melting.install(tmp_path, monkeypatch, FAILING[request.param])
    awarding_regulations.cache_clear()
    journal.record([say.player("A", "Ada Novak"), say.player("B", "Ben Ode")], OFFICER)
    recorded(journal, REPORT)
    yield
    awarding_regulations.cache_clear()


def test_its_list_says_so(client: Client) -> None:
    (event,) = json(client, "/rankings/snow/2020-01-31")["waiting"]
    assert "the regulation snow failed: KeyError: 'snow'" in event["why"]


def test_other_pages_are_there_and_follow_the_journal(client: Client, journal: Journal) -> None:
    for address in ("/", "/rankings/wbgf/2020-01-31", "/players/B", "/tournaments/prague"):
        assert text(client, address)
    recorded(journal, REPORT.replace("prague", "vienna").replace("Prague", "Vienna"))
    assert "Vienna Open" in text(client, "/tournaments/vienna")
