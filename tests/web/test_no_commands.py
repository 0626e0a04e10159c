"""On the site nobody has a command line: what to do there names no command and no option."""

from __future__ import annotations

import pytest

from palmares.cli import hints
from palmares.core.errors import PalmaresError, Refused
from palmares.journal.commands import decisions, players
from palmares.journal.commands.transaction import Action, record_entries
from palmares.journal.store.journal import Journal
from palmares.regulations import get_regulation
from palmares.web.http.i18n import plain
from tests.journal.statements import OFFICER
from tests.web.conftest import AsRole
from tests.web.director.test_director import OPEN, look, paste
from tests.web.seasons import prague


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Three players and a tournament that is over: entries 1 to 4."""
    return prague(journal)


def told(season: Journal, action: Action) -> str:
    """What the site says where this is refused."""
    with pytest.raises(PalmaresError) as refused:
        record_entries(season, OFFICER, action)
    return plain(str(refused.value))


def test_two_who_are_two(season: Journal) -> None:
    record_entries(season, OFFICER, players.apart("P1", "P2", "two people"))
    assert told(season, players.merge("P1", "P2", "one")) == (
        "Entry 5 says that P1 and P2 are two players. If that was wrong, undo entry 5 first."
    )


def test_what_is_undone_already(season: Journal) -> None:
    record_entries(season, OFFICER, decisions.undo(4, "wrong"))
    assert told(season, decisions.undo(4, "wrong")) == (
        "Entry 4 is undone already, by entry 5. To let it count again, undo entry 5."
    )


def test_part_of_somebody(season: Journal) -> None:
    record_entries(season, OFFICER, players.add_player(name="Ada Nowak"))
    record_entries(season, OFFICER, players.merge("P4", "P1", "one"))
    assert told(season, players.merge("P4", "P3", "one")) == (
        "P4 was merged into P1. Name P1 instead, or undo the merge first."
    )


def test_a_report_that_is_there_already(season: Journal, as_role: AsRole) -> None:
    """Another list of the same tournament: the box that says so stands under Names."""
    dita = as_role("director")
    address = paste(dita, OPEN.replace('name = "Graz', 'id = "prague"\nname = "Graz', 1))
    refused = look(dita, address)["refusal"]
    assert refused.endswith(
        "\nIf yours is right, say under Names that it replaces what is there."
        "\nNothing was recorded."
    )
    german = dita.get(address, headers={"accept-language": "de"}).text
    assert "sagen Sie unter Namen, dass sie ersetzt, was da ist." in german
    for page in (german, dita.get(address).text):
        assert "--replaces" not in page


def test_a_regulation_without_points() -> None:
    with pytest.raises(Refused) as refused:
        get_regulation("wbf-vp", awards=True)
    assert "palmares vp" in hints.error_text(refused.value)
    assert "palmares" not in plain(str(refused.value))
