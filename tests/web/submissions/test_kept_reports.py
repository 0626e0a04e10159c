"""What of a director's reports is kept in the database, and what is not."""

from __future__ import annotations

import pytest

from palmares.journal.store.journal import Journal
from tests.web.conftest import AsRole, Clock
from tests.web.director.test_director import OPEN, look, move, paste, save
from tests.web.seasons import prague
from tests.web.submissions.test_encodings import send


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Three players and a tournament that is over: entries 1 to 4."""
    return prague(journal)


@pytest.mark.usefixtures("season")
def test_what_is_too_large_to_be_read_is_not_kept(as_role: AsRole) -> None:
    dita = as_role("director")
    large = "rank,name\n" + "1,Ada Novak\n" * 50_000  # 12 * 50,000 + 10 bytes: 585 KiB
    words = "this has 585 KB, and at most 512 KB are read"
    file = {"file": ("placings.csv", large.encode())}
    told = dita.post("/director/submissions", files=file)
    assert (told.status_code, words in told.text) == (422, True)
    told = dita.post("/director/submissions", data={"text": large})
    assert (told.status_code, words in told.text) == (422, True)
    assert look(dita, "/director")["submissions"] == []
    address = paste(dita, OPEN)
    assert dita.post(address, data={"version": "1"}, files=file).status_code == 422
    assert look(dita, address)["version"] == 1


@pytest.mark.usefixtures("season")
def test_a_second_click_makes_no_second_draft(as_role: AsRole, clock: Clock) -> None:
    dita = as_role("director")
    first = paste(dita, OPEN)
    assert paste(dita, OPEN) == first
    assert paste(dita, OPEN.replace("Graz", "Linz")) != first
    save(dita, first, OPEN.replace("Graz", "Wels"))
    save(dita, first, OPEN)
    second = paste(dita, OPEN)
    assert second != first  # the first was worked on
    clock.now += 301
    assert paste(dita, OPEN) not in (first, second)


@pytest.mark.usefixtures("season")
def test_what_is_said_beside_a_sheet_comes_with_the_draft(as_role: AsRole) -> None:
    dita, sheet = as_role("director"), b"Place,Name\n1,Ada Novak\n"
    graz = {"tournament.name": "Graz Open", "tournament.end_date": "2020-01-19"}
    first = send(dita, sheet, **graz).headers["location"]
    assert send(dita, sheet, **graz).headers["location"] == first  # a second click
    linz = send(dita, sheet, **{**graz, "tournament.name": "Linz Open"}).headers["location"]
    nothing = send(dita, sheet).headers["location"]
    assert len({first, linz, nothing}) == 3
    assert look(dita, first)["version"] == 1
    assert look(dita, first)["tournament_fields"] == {"name": "Graz Open", "end_date": "2020-01-19"}


@pytest.mark.usefixtures("season")
def test_a_tournament_that_has_not_ended_is_remarked(as_role: AsRole) -> None:
    dita, otto = as_role("director"), as_role("officer")
    assert "has not come" not in dita.get(paste(dita, OPEN)).text
    address = paste(dita, OPEN.replace("2020-01-19", "2062-11-01"))
    words = "it ends on 1 November 2062, which has not come; lists count it from that day on"
    assert words in dita.get(address).text
    assert move(dita, address, "submitted") == 303
    assert words in otto.get(address.replace("director", "officer")).text
