"""A report that is corrected: what moves is seen before it is recorded, and only that."""

from __future__ import annotations

from fractions import Fraction

import pytest

from palmares.core.rounding import to_nanopoints
from palmares.journal.store.journal import Journal
from tests.journal.statements import OFFICER, player, report
from tests.web.conftest import AsRole, Client
from tests.web.seasons import fading
from tests.web.visits import JSON

WON, LOST = to_nanopoints(20 * Fraction(385, 605)), to_nanopoints(20 * Fraction(220, 605))
"""EUR 100 and two players: 10 x 2 points, shared 385 : 220."""
CYRIL = fading((WON, 47))
BEFORE, AFTER = fading((LOST, 47), (WON, 741)), fading((LOST, 47), (WON, 11))
"""Ada on 31 January 2020: 47 days after Wien; Graz was 741 days ago, and then 11."""
SAME = "Points that stay the same count from another day, or on other lists, than before."
NOBODY = "No regulation gives points for it as it stands."
TEXT = """\
[tournament]
id = "graz"
name = "graz"
discipline = "backgammon"
end_date = {day}
{more}
[[event]]
name = "Main"
kind = "championship"
entry_fee = 100

[event.main]
entrants = 2
placings = \"\"\"
1 Ada Novak (CZE)
2 Ben Ode (DEU)
\"\"\"
"""


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Entries 1 to 3 are players, 4 is Wien, 5 Graz with the day of another year."""
    people = [("P1", "Ada Novak", "CZE"), ("P2", "Ben Ode", "DEU"), ("P3", "Cyril", "FRA")]
    journal.record([player(*one) for one in people], OFFICER)
    journal.record([report("wien", {"P3": 1, "P1": 2}, day="2019-12-15")], OFFICER)
    journal.record([report("graz", {"P1": 1, "P2": 2}, day="2018-01-20")], OFFICER)
    return journal


def corrected(director: Client, day: str, more: str = "") -> str:
    """The address of a report that replaces the one of Graz."""
    text = TEXT.format(day=day, more=more)
    answer = director.post("/director/submissions", data={"text": text}, follow_redirects=False)
    address = str(answer.headers["location"])
    director.post(f"{address}/names", data={"version": "1", "replaces.5": "on"})
    return address


def first(client: Client) -> list[tuple[str, int, int]]:
    """The first two of the list of 31 January 2020."""
    rows = client.get("/rankings/wbgf/2020-01-31", headers=JSON).json()["items"]
    return [(one["player"], one["rank"], one["nanopoints"]) for one in rows[:2]]


@pytest.mark.usefixtures("season")
def test_a_day_that_is_corrected_moves_ranks(as_role: AsRole, client: Client) -> None:
    """Graz was won in 2020, not in 2018: as many points, which have not faded yet"""
    assert first(client) == [("Cyril", 1, CYRIL), ("Ada Novak", 2, BEFORE)]
    director = as_role("director")
    address = corrected(director, "2020-01-20")
    (wbgf,) = director.get(address, headers=JSON).json()["points"]
    ada, ben = wbgf["rows"]
    assert ada == {
        "player_id": "P1",
        "player": "Ada Novak",
        "tournament_id": ada["tournament_id"],
        "tournament": ada["tournament"],
        "before": WON,
        "after": WON,
        "change": 0,
        "total_before": BEFORE,
        "total_after": AFTER,
        "rank_before": 2,
        "rank_after": 1,
    }
    assert (ben["before"], ben["after"], ben["rank_before"], ben["rank_after"]) == (
        LOST,
        LOST,
        3,
        3,
    )
    assert (wbgf["counts_differently"], wbgf["rank_only"]) == (True, 1)  # Cyril, who was first
    text = director.get(address).text
    assert SAME in text
    assert NOBODY not in text
    sent = {"version": "2", "to": "submitted"}
    assert director.post(f"{address}/move", data=sent, follow_redirects=False).status_code == 303

    officer = as_role("officer")
    waiting = "/officer/submissions/" + address.rsplit("/", 1)[1]
    assert SAME in officer.get(waiting).text
    page = officer.get(waiting, headers=JSON).json()
    (change,) = page["preview"]["changes"]
    assert [
        (one["player"], one["change"], one["rank_before"], one["rank_after"])
        for one in change["rows"]
    ] == [("Ada Novak", 0, 2, 1), ("Ben Ode", 0, 3, 3)]
    seen = {"version": page["version"], "digest": page["preview"]["digest"]}
    assert officer.post(f"{waiting}/approval", data=seen, follow_redirects=False).status_code == 303
    assert first(client) == [("Ada Novak", 1, AFTER), ("Cyril", 2, CYRIL)]


@pytest.mark.usefixtures("season")
def test_a_correction_that_moves_nothing_says_so(as_role: AsRole) -> None:
    """The city was not said; the regulation sees Graz, so it is not that none did"""
    director = as_role("director")
    address = corrected(director, "2018-01-20", 'city = "Graz"')
    page = director.get(address, headers=JSON).json()
    assert (page["ready"], page["points"]) == (True, [])
    text = director.get(address).text
    assert "No points change." in text
    assert NOBODY not in text
