"""An online event of several days: match points of each day are a result of their own."""

from __future__ import annotations

import pytest

from palmares.journal.store.journal import Journal
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.leagues import recorded
from tests.web.seasons import json, text

CIRCUIT = """
[tournament]
id = "circuit"
name = "Circuit"
discipline = "backgammon"
setting = "online"
end_date = 2019-11-20

[[player]]
id = "A"
name = "Ada Novak"
[[player]]
id = "B"
name = "Ben Ode"

[[event]]
id = "circuit/main"
name = "Monthly"
event_type = "Circuit Monthly"
entrants = 8
matches = '''
2019-11-01   9  Ada Novak > Ben Ode
2019-11-10   9  Ada Novak > Ben Ode
2019-11-20  16  Ada Novak > Ben Ode
'''
"""
MONTHLY = 600_000_000
"""A match of 9 points in a Circuit Monthly: 0.6 x sqrt(9) / 3; of 16 points: 0.6 x sqrt(16) / 3."""
LONG = 800_000_000
LIST = "/players/A/usbgf/2020-01-31"
AWARD = f"{LIST}/awards/circuit%2Fmain/main/match"


@pytest.fixture(autouse=True)
def circuit(journal: Journal) -> None:
    """Ada wins on three days."""
    people = [say.player("A", "Ada Novak"), say.player("B", "Ben Ode")]
    journal.record([*people, say.membership("A", "2015-01-01")], OFFICER)
    recorded(journal, CIRCUIT)


def test_the_tournament_adds_them_up(client: Client) -> None:
    """0.60 + 0.60 + 0.80 = 2.00, as on the list."""
    (event,) = json(client, "/tournaments/circuit")["events"]
    won = {one["player_id"]: one["nanopoints"] for one in event["flights"][0]["rows"]}
    assert won["A"] == [2 * MONTHLY + LONG]
    (first, *_) = json(client, "/rankings/usbgf/2020-01-31")["items"]
    assert (first["player_id"], first["nanopoints"]) == ("A", 2 * MONTHLY + LONG)


def test_each_day_is_explained(client: Client) -> None:
    html = text(client, LIST)
    for day, points, length in (
        ("2019-11-01", MONTHLY, "9"),
        ("2019-11-10", MONTHLY, "9"),
        ("2019-11-20", LONG, "16"),
    ):
        assert f'hx-get="{AWARD}?effective={day}"' in html
        page = json(client, f"{AWARD}?effective={day}")
        assert (page["effective"], page["nanopoints"]) == (day, points)
        numbers = {name: text for line in page["lines"] for name, text in line["inputs"].items()}
        assert numbers["match_length"] == length
        twin = client.get(
            f"/api/v1/players/A/usbgf/awards/circuit%2Fmain/main/match?effective={day}"
        ).json()
        assert (twin["effective"], twin["nanopoints"]) == (day, points)


def test_the_first_day_leads_to_the_others(client: Client) -> None:
    page = json(client, AWARD)
    assert page["effective"] == "2019-11-01"
    assert page["other_days"] == [
        {"effective": "2019-11-10", "nanopoints": MONTHLY},
        {"effective": "2019-11-20", "nanopoints": LONG},
    ]
    html = text(client, AWARD)
    assert f'href="{AWARD}?effective=2019-11-20"' in html
    assert 'href="/regulations/usbgf/2019-01#match-win-points"' in html
    assert "Points of 1 November 2019, under usbgf/2019-01: 0.6." in " ".join(html.split())


def test_no_such_day(client: Client) -> None:
    assert client.get(f"{AWARD}?effective=2019-11-02").status_code == 404
    assert client.get(f"{AWARD}?effective=soon").status_code == 400
