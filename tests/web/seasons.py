"""
A short season in the journal of a site, whose lists are short sums.

    winter      two tournaments of four players
    fading      what points are worth some days later
    masters     master points of one player live, of another online
    prague      one tournament of three players, of another January
    WINTER      the list of 31 December 2019
    json, text  what an address answers: its page as JSON, its HTML
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from palmares.core.rounding import divided_half_up, to_nanopoints
from palmares.journal.store.journal import Journal
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client

FIRST, SECOND = to_nanopoints(40 * Fraction(385, 893)), to_nanopoints(40 * Fraction(220, 893))
THIRD, SHARED = (
    to_nanopoints(40 * Fraction(160, 893)),
    to_nanopoints(40 * Fraction(160 + 128, 2 * 893)),
)
LAST = to_nanopoints(40 * Fraction(128, 893))
"""EUR 100 and four players: 10 x 4 points, shared 385 : 220 : 160 : 128, as the text has it."""


def fading(*results: tuple[int, int]) -> int:
    """What results come to: nanopoints, and the days that have gone of three years."""
    return divided_half_up(sum(points * (1095 - gone) for points, gone in results), 1095)


WINTER = {
    "P4": fading((SHARED, 46), (FIRST, 11)),
    "P1": fading((FIRST, 46), (LAST, 11)),
    "P2": fading((SECOND, 46), (SECOND, 11)),
    "P3": fading((SHARED, 46), (THIRD, 11)),
}
"""By id: 46 days after the first tournament, 11 after the second."""


def winter(journal: Journal) -> None:
    """Entries 1 to 4 are players, 5 the Autumn of 15 November, 6 the Winter of 20 December."""
    people = [("P1", "Ada Novák", "CZE"), ("P2", "Ben Ode", "DEU"), ("P3", "=1+1", None)]
    journal.record([say.player(*one) for one in people], OFFICER)
    journal.record([say.player("P4", "Łukasz Øre", "DEU")], OFFICER)
    journal.record([say.report("Autumn", {"P1": 1, "P2": 2, "P3": 3, "P4": 3})], OFFICER)
    after = {"P4": 1, "P2": 2, "P3": 3, "P1": 4}
    journal.record([say.report("Winter", after, day="2019-12-20")], OFFICER)


def masters(
    journal: Journal,
    won: tuple[tuple[str, str, str], ...] = (
        ("P1", "live", "ABT Main Event"),
        ("P2", "online", "Nations Cup"),
    ),
) -> None:
    """Ada of CZE won a live event of 64, Ben of DEU one online: master points of placements."""
    people = [say.player("P1", "Ada Novák", "CZE"), say.player("P2", "Ben Ode", "DEU")]
    members = [say.membership(one, "2010-01-01") for one in ("P1", "P2")]
    journal.record([*people, *members], OFFICER)
    for player, setting, kind in won:
        name = f"Masters {setting}"
        found = say.tables(name, {player: 1}, day="2019-12-01")
        found["tournaments"]["setting"] = [setting]
        found["events"] |= {"event_type": [kind], "entrants": [64]}
        found["placings"]["designated"] = [True]
        journal.record([say.reported(name, found)], OFFICER)


def json(client: Client, address: str) -> Any:
    """The page at an address as JSON."""
    answer = client.get(address, headers={"accept": "application/json"})
    assert answer.status_code == 200, answer.text
    return answer.json()


def text(client: Client, address: str) -> str:
    """The page at an address as HTML."""
    answer = client.get(address, headers={"accept": "text/html"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].startswith("text/html")
    return answer.text


def prague(journal: Journal) -> Journal:
    """Carla won, Ben was second, Ada third: entries 1 to 4."""
    people = [
        say.player("P1", "Ada Novak", "CZE"),
        say.player("P2", "Ben Olsen", "DNK"),
        say.player("P3", "Carla Rossi", "ITA"),
    ]
    first = say.report("prague", {"P3": 1, "P2": 2, "P1": 3}, day="2020-01-05")
    journal.record([*people, first], OFFICER)
    return journal
