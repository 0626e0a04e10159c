"""Drafts while the journal grows: what was said of them is seen again, and can be changed."""

from __future__ import annotations

import pytest

from palmares.journal.commands import decisions
from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.journal import Journal
from tests.journal.statements import OFFICER, merge, report
from tests.web.conftest import AsRole
from tests.web.director.test_director import OPEN, look, paste
from tests.web.seasons import prague


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Three players and a tournament that is over: entries 1 to 4."""
    return prague(journal)


def test_who_was_chosen_is_merged_into_somebody(season: Journal, as_role: AsRole) -> None:
    """Eva Kos was said to be Ben, P2, who turns out to be Carla, P3."""
    dita = as_role("director")
    address = paste(dita, OPEN)
    who = {"name.1": "Eva Kos (SVN)", "other.1": "P2"}
    dita.post(f"{address}/names", data={"version": "1", **who})
    season.record([merge("P2", "P3")], OFFICER)
    page = look(dita, address)
    eva = next(one for one in page["people"] if one["written"] == "Eva Kos (SVN)")
    assert (eva["state"], eva["chosen"]) == ("known", "P3")
    assert eva["player"]["player_id"] == "P3"
    assert [one["player_id"] for one in eva["candidates"]] == ["P3"]
    assert 'value="P3" checked' in dita.get(f"{address}?step=names").text  # so it is sent again


def test_what_a_draft_replaces_is_withdrawn(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    address = paste(dita, OPEN.replace('name = "Graz', 'id = "prague"\nname = "Graz', 1))
    dita.post(f"{address}/names", data={"version": "1", "replaces.4": "on"})
    assert look(dita, address)["ready"]
    record_entries(season, OFFICER, decisions.withdraw("prague", "no sanction"))
    page = look(dita, address)
    assert page["refusal"] == (
        "Entry 4 is not the report in force of any tournament in these facts."
        " Say under Names no longer that this is replaced.\nNothing was recorded."
    )
    assert 'name="replaces.4" checked' in dita.get(address).text
    dita.post(f"{address}/names", data={"version": "2"})  # the tick is taken away
    page = look(dita, address)
    assert (page["ready"], page["replaces"]) == (True, [])
    assert "replaces.4" not in dita.get(address).text


def test_what_a_draft_replaces_is_replaced_by_another(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    address = paste(dita, OPEN.replace('name = "Graz', 'id = "prague"\nname = "Graz', 1))
    dita.post(f"{address}/names", data={"version": "1", "replaces.4": "on"})
    other = report("prague", {"P2": 1, "P3": 2, "P1": 3}, day="2020-01-05")
    season.record([other], OFFICER)
    told = look(dita, address)["refusal"].splitlines()
    assert told[0].startswith("Entry 4 is not the report in force")
    assert told[1].startswith("prague is reported otherwise in entry 5")
    html = dita.get(address).text
    assert '<pre tabindex="0">table ' in html  # its columns stay columns
    for box in ('name="replaces.4" checked', 'name="replaces.5"'):
        assert box in html
    dita.post(f"{address}/names", data={"version": "2", "replaces.5": "on"})
    assert look(dita, address)["ready"]


def test_what_a_draft_replaces_is_of_another_text(season: Journal, as_role: AsRole) -> None:
    """The text is another tournament's, whose players the journal knows since it was recorded."""
    dita = as_role("director")
    first = paste(dita, OPEN)
    dita.post(f"{first}/move", data={"version": "1", "to": "submitted"})
    officer, queue = as_role("officer"), first.replace("director", "officer")
    seen = look(officer, queue)["preview"]["digest"]
    officer.post(f"{queue}/approval", data={"version": "2", "digest": seen})
    address = paste(dita, OPEN.replace("Graz", "Linz"))
    dita.post(f"{address}/names", data={"version": "1", "replaces.4": "on"})
    dita.post(address, data={"version": "2", "text": OPEN})
    page = look(dita, address)
    found = {one["written"]: (one["state"], one["player"]["player_id"]) for one in page["people"]}
    assert found == {
        "Ada Novak (CZE)": ("known", "P1"),
        "Ben Frost (DNK)": ("known", "P4"),
        "Eva Kos (SVN)": ("known", "P5"),
        "Dag Lie (NOR)": ("known", "P6"),
    }
    assert page["refusal"].startswith("Entry 4 is not the report in force of any tournament")
    assert 'name="replaces.4" checked' in dita.get(address).text


def test_a_report_again_without_nations(season: Journal, as_role: AsRole) -> None:
    """Names alone are new forms of the same players: only what differs is shown."""
    dita, officer = as_role("director"), as_role("officer")
    first = paste(dita, OPEN)
    dita.post(f"{first}/move", data={"version": "1", "to": "submitted"})
    queue = first.replace("director", "officer")
    seen = look(officer, queue)["preview"]["digest"]
    officer.post(f"{queue}/approval", data={"version": "2", "digest": seen})
    again = OPEN.replace("2    Ben Frost (DEN)", "1    Ben Frost").replace(
        "Eva Kos (SLO)", "Eva Kos"
    )
    page = look(dita, paste(dita, again))
    assert {one["state"] for one in page["people"]} == {"known"}
    rows = page["refusal"].split("\n\n")[1].splitlines()[1:]
    assert [" ".join(row.split()[2:]) for row in rows] == [
        "main, Ben Frost [P4] nation DNK -",
        "main, Ben Frost [P4] rank 2 1",
        "main, Eva Kos [P5] nation SVN -",
    ]
