"""A public draw as anyone sees it: announced, drawn, announced again."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest

from palmares.core.canonical import canonical
from palmares.journal.commands import decisions
from palmares.journal.commands.announcements import announce, reveal
from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.journal import Journal
from palmares.tournaments.draw.announcement import read
from palmares.tournaments.draw.draw import run
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.tournaments.draw.test_draw import ROLLED, knockout
from tests.web.conftest import Client


def soon() -> str:
    """A time that is late enough for the randomness of a draw that is announced now."""
    return (datetime.now(UTC) + timedelta(minutes=2)).strftime("%Y-%m-%dT%H:%M:%SZ")


def announced(journal: Journal, players: int = 5, when: str = "", **more: str) -> tuple[int, str]:
    """The entry of an announcement of a draw of so many players, and its hash."""
    plan = knockout(players) | more
    plan["randomness"] = [plan["randomness"][0] | {"when": when or soon()}]
    content = read(canonical(plan).encode())
    action = announce("d", content.text, content.sha256, more.get("replaces"))
    entry = record_entries(journal, OFFICER, action).entries[0].sequence
    return entry, content.sha256


def revealed(journal: Journal, sha256: str, randomness: object) -> int:
    return record_entries(journal, OFFICER, reveal("d", sha256, randomness)).entries[0].sequence


def test_a_draw_waits_for_its_randomness_and_is_then_shown(
    journal: Journal, client: Client
) -> None:
    entry, sha256 = announced(journal)
    page = client.get(f"/draws/{entry}").text
    assert "The randomness is not recorded yet, so nothing is drawn." in page
    assert sha256 in page

    revealed(journal, sha256, ROLLED)
    data = client.get(f"/api/v1/draws/{entry}").json()
    content = data["announcement"].encode()
    drawn = run(content, data["recorded_at"], ROLLED)
    result = data["result"]
    assert result["places"] == list(drawn.places)
    assert result["seed"] == drawn.seed.seed
    assert result["early"] is True  # these dice fell two minutes too soon
    page = client.get(f"/draws/{entry}").text
    assert "The randomness was recorded before it was due." in page
    assert "Attempt 1 is the draw." in page


def test_randomness_that_was_undone_stays_in_sight(journal: Journal, client: Client) -> None:
    """An officer who undoes what was revealed could draw until they like the draw."""
    entry, sha256 = announced(journal)
    first = revealed(journal, sha256, ROLLED)
    undone = record_entries(journal, OFFICER, decisions.undo(first, "typed wrong")).entries[0]
    other = [{"numbers": [*ROLLED[0]["numbers"][:-1], 7 - ROLLED[0]["numbers"][-1]]}]
    revealed(journal, sha256, other)
    data = client.get(f"/api/v1/draws/{entry}").json()
    assert json.loads(data["result"]["randomness"]) == other
    [before] = data["undone"]
    assert (before["entry"], before["undone_by"]) == (first, undone.sequence)
    assert (json.loads(before["randomness"]), before["reason"]) == (ROLLED, "typed wrong")
    page = client.get(f"/draws/{entry}").text
    assert "Other randomness had been recorded on <time datetime=" in page
    assert f"What was revealed with entry {first}, and undone" in page


def test_a_draw_that_was_announced_again_leads_to_the_later_one(
    journal: Journal, client: Client
) -> None:
    first, sha256 = announced(journal)
    second, _ = announced(journal, 6, replaces=sha256, reason="a late entry")
    rows = client.get("/api/v1/draws").json()["items"]
    assert [(row["entry"], row["state"], row["replaced_by"]) for row in rows] == [
        (second, "announced", None),
        (first, "replaced", second),
    ]
    assert f'href="/draws/{second}"' in client.get(f"/draws/{first}").text
    later = client.get(f"/api/v1/draws/{second}").json()
    assert (later["replaces"], later["reason"]) == (first, "a late entry")


def test_places_have_the_names_of_players_of_the_journal(journal: Journal, client: Client) -> None:
    journal.record([say.player("p1", "Ana Novak")], OFFICER)
    entry, sha256 = announced(journal)
    revealed(journal, sha256, ROLLED)
    result = client.get(f"/api/v1/draws/{entry}").json()["result"]
    assert {"p1", "p2", None} <= set(result["places"])
    assert result["players"] == {"p1": "Ana Novak"}
    assert '<a href="/players/p1">Ana Novak</a>' in client.get(f"/draws/{entry}").text


def test_randomness_that_does_not_fit_is_said_and_draws_nothing(
    journal: Journal, client: Client
) -> None:
    entry, sha256 = announced(journal)
    revealed(journal, sha256, [{"numbers": [7] * 16}])
    data = client.get(f"/api/v1/draws/{entry}").json()
    assert data["result"] is None
    assert data["refusal"] == "source 1: 7 is not from 1 to 6"
    assert "No draw follows from what was recorded" in client.get(f"/draws/{entry}").text


@pytest.mark.parametrize("entry", [1, 2, 99])
def test_what_is_no_draw_is_not_found(journal: Journal, client: Client, entry: int) -> None:
    assert client.get(f"/draws/{entry}").status_code == 404
    assert client.get(f"/api/v1/draws/{entry}").status_code == 404


@pytest.mark.parametrize("path", ["/draws/0", "/published/0"])
def test_entry_0_is_not_found(client: Client, path: str) -> None:
    assert client.get(path, headers={"accept": "text/html"}).status_code == 404
