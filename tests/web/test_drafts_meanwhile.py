"""Drafts while the journal grows: what was said of them is seen again, and can be changed."""

from __future__ import annotations

import pytest

from palmares.journal.store import Journal
from tests.journal.statements import OFFICER, merge
from tests.web.conftest import AsRole
from tests.web.seasons import prague
from tests.web.test_director import OPEN, look, paste


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Three players and a tournament that is over: entries 1 to 4."""
    return prague(journal)


def test_who_was_chosen_is_merged_into_somebody(season: Journal, as_role: AsRole) -> None:
    """Eva Kos was said to be Ben, P2, who turns out to be Carla, P3."""
    dita = as_role("director")
    address = paste(dita, OPEN)
    who = {"name.1": "Eva Kos (SLO)", "other.1": "P2"}
    dita.post(f"{address}/names", data={"version": "1", **who})
    season.record([merge("P2", "P3")], OFFICER)
    page = look(dita, address)
    eva = next(one for one in page["people"] if one["written"] == "Eva Kos (SVN)")
    assert (eva["state"], eva["chosen"]) == ("known", "P3")
    assert eva["player"]["player_id"] == "P3"
    assert [one["player_id"] for one in eva["candidates"]] == ["P3"]
    assert '<option value="P3" selected>' in dita.get(address).text  # so it is sent again
