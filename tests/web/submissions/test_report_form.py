"""The form of a report says what a report in TOML says, and goes on as one where it cannot."""

from __future__ import annotations

import re
from typing import Any

import pytest

from palmares.formats.toml import read
from palmares.journal.store.journal import Journal
from palmares.web.submissions import parse
from palmares.web.submissions import report_form as form
from palmares.web.submissions.report_form import KEYS
from tests.web.conftest import AsRole, Client
from tests.web.seasons import prague
from tests.web.visits import JSON

LEAGUE = {
    "name": "Friday League",
    "discipline": "bridge",
    "end_date": "2024-04-12",
    "0.name": "Teams",
    "0.team_matches": "1: Ash 41-21 Birch (16)\n1: Cedar bye\n",
}
RARE = {
    "name": "Worlds",
    "discipline": "backgammon",
    "end_date": "2019-08-10",
    "currency": "CHF",
    "eur_per_unit": "0.9",
    "date_of_record": "2019-08-01",
    "players": "Ada Novak (CZE)\nBen Olson (DEN)",
    "0.name": "Main",
    "0.entrants": "40",
    "0.rounds": "6",
    "0.bonus_grade": "0.5",
    "0.event_level": "3",
    "0.world_championship": "true",
    "0.national_championship": "false",
    "0.team": "false",
    "0.completed_on": "2019-08-10",
    "0.date_of_record": "2019-08-02",
    "0.sequence": "1",
    "0.not_counted_in": "usbgf",
    "0.main.format": "double_knockout",
    "0.main.placings": "1 Ada Novak (CZE)",
}


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Three players and a tournament that is over."""
    return prague(journal)


def empty(client: Client) -> str:
    """Begin a form; its address."""
    answer = client.post("/director/submissions", data={"form": "1"}, follow_redirects=False)
    return str(answer.headers["location"])


def test_the_form_has_every_key_of_a_report_but_ids_and_files() -> None:
    keys = {table: {*usual, *rare, *texts} for table, (usual, rare, texts) in KEYS.items()}
    assert keys["tournaments"] == {*read.KEYS["tournament"]} - {"id"}
    matches = {"matches", "team_matches"}
    assert keys["events"] == ({*read.KEYS["event"]} - {"id"}) | matches
    assert keys["flights"] == {*read.KEYS["flight"]} - {"placings_file", "matches"}
    assert matches < {*read.BLOCKS}  # the others are tables: as text


def test_what_is_rare_arrives_in_the_facts() -> None:
    facts = parse.read("toml", form.written(RARE).text.encode()).facts
    assert facts is not None
    (tournament,), (event,), (flight,) = (
        facts.tables[name].to_dicts() for name in ("tournaments", "events", "flights")
    )
    assert str(tournament["eur_per_unit"]).rstrip("0") == "0.9"
    assert str(tournament["date_of_record"]) == "2019-08-01"
    told = ("entrants", "rounds", "event_level", "sequence")
    assert [event[key] for key in told] == [40, 6, 3, 1]
    flags = ("world_championship", "national_championship", "team")
    assert [event[key] for key in flags] == [True, False, False]
    assert float(event["bonus_grade"]) == 0.5
    assert str(event["date_of_record"]) == "2019-08-02"
    assert (str(event["completed_on"]), event["not_counted_in"]) == ("2019-08-10", "usbgf")
    assert flight["format"] == "double_knockout"
    assert facts.tables["players"].height == 2


def test_matches_of_teams_are_entered(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    address = empty(dita)
    wrong = LEAGUE | {"0.team_matches": "1: Ash 41-21 Birch (16)\n1: Cedar beat nobody\n"}
    dita.post(address, data={**wrong, "version": "1"})
    (problem,) = dita.get(address, headers=JSON).json()["problems"]
    assert (problem["field"], problem["line"]) == ("0.team_matches", 2)
    dita.post(address, data={**LEAGUE, "version": "2"})
    page = dita.get(address, headers=JSON).json()
    assert (page["problems"], page["ready"]) == ([], True)
    (made,) = page["standings"]
    assert [(one["rank"], one["name"], one["points"]) for one in made["teams"]] == [
        (1, "Ash", "15.00"),  # 20 IMPs over 16 boards; a bye is worth 12 of 20
        (2, "Cedar", "12.00"),
        (3, "Birch", "5.00"),
    ]
    assert "Standings by the continuous scale" in dita.get(address).text
    handed_in = {"version": str(page["version"]), "to": "submitted"}
    assert dita.post(f"{address}/move", data=handed_in).status_code == 200
    queue = as_role("officer").get(f"/officer/submissions/{address.rpartition('/')[2]}").text
    assert "Standings by the continuous scale" in queue
    shown = dita.get(address).text
    assert "Cedar bye" in shown
    assert re.findall(r'<textarea name="([^"]*)"', shown) == ["text"]  # of a message; no form


def test_a_form_goes_on_as_text(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    address = empty(dita)
    dita.post(address, data={**LEAGUE, "version": "1"})
    text = dita.get(address, headers=JSON).json()["text"]
    table = '[[event.teams]]\nteam = "Ash"\nlot = 1\n[[event.teams]]\nteam = "Birch"\n'
    more = f'{text}{table}[[event.teams]]\nteam = "Cedar"\n'
    dita.post(address, data={"text": more, "version": "2"})
    page = dita.get(address, headers=JSON).json()
    assert (page["format"], page["form"], page["problems"]) == ("toml", None, [])
    assert page["text"] == more
    late = dita.post(address, data={**LEAGUE, "name": "Monday", "version": "2"}, headers=JSON)
    assert late.status_code == 409  # typed in another window
    assert 'name = "Monday"' in late.json()["text"]
    assert dita.get(address, headers=JSON).json()["text"] == more


PASTED = "Graz Open\n\n1. Ada Novak (CZE)\n2. Ben Olsen (DEN)\n"
ANSWERS = {"tournament.discipline": "backgammon", "tournament.end_date": "2020-01-19",
           "tournament.0.main.entrants": "2"}  # fmt: skip


def test_what_is_typed_goes_with_it_from_paste_to_form_and_back(
    season: Journal, as_role: AsRole
) -> None:
    """Typed and not saved before: by the buttons of the page itself."""
    dita = as_role("director")
    answer = dita.post("/director/submissions", data={"text": PASTED}, follow_redirects=False)
    address = answer.headers["location"]
    assert 'name="as_form"' not in dita.get(address).text  # its last day is missing
    dita.post(address, data={"text": PASTED, **ANSWERS, "version": "1"})
    page = dita.get(f"{address}?step=check").text
    whole_form = page[page.index('enctype="multipart') : page.index('name="as_form"')]
    assert 'name="text"' in whole_form
    assert "</form>" not in whole_form
    typed = PASTED + "3. Eva Kos (SLO)\n"
    more = {**ANSWERS, "tournament.0.main.entrants": "3"}
    dita.post(address, data={"text": typed, **more, "as_form": "1", "version": "2"})
    fields = shown_fields(dita, address)
    assert fields["0.main.placings"].splitlines()[-1].split() == ["3", "Eva", "Kos", "(SVN)"]
    assert fields["0.main.entrants"] == "3"
    fields["city"] = "Graz"
    answer = dita.post(address, data={**fields, "as_text": "1", "version": "3"})
    page = answer.text
    assert 'name="city"' not in page
    assert 'city = "Graz"' in re.sub("&#34;", '"', page)
    text = dita.get(address, headers=JSON).json()["text"]
    dita.post(address, data={"text": text, "as_form": "1", "version": "4"})
    assert shown_fields(dita, address) == fields


def shown_fields(client: Client, address: str) -> dict[str, str]:
    """The fields of a report's form that are filled in."""

    def values(part: dict[str, Any]) -> dict[str, str]:
        own = [*part["fields"], *part["rare_fields"], *part["texts"]]
        filled = {one["name"]: one["value"] for one in own if one["value"]}
        for each in part["parts"]:
            filled |= values(each)
        return filled

    return values(client.get(address, headers=JSON).json()["form"])


def test_what_cannot_become_a_form_stays_as_it_was_typed(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    answer = dita.post("/director/submissions", data={"text": PASTED, **ANSWERS})
    address = answer.url.path
    typed = {"text": PASTED + "2x Eva Kos (SLO)\n", "tournament.city": "Graz", "version": "1"}
    refused = dita.post(address, data={**typed, "as_form": "1"})
    assert refused.status_code == 422
    assert "2x Eva Kos (SLO)" in refused.text
    picture = {"file": ("result.png", b"\x89PNG\0\0", "image/png")}
    refused = dita.post(address, data=typed, files=picture)
    assert refused.status_code == 422
    assert "2x Eva Kos (SLO)" in refused.text


def test_days_and_numbers_are_typed_as_such(season: Journal, as_role: AsRole) -> None:
    """What is wrong stays as it was typed, so that it can be seen and mended."""
    dita = as_role("director")
    address = empty(dita)
    dita.post(address, data={**LEAGUE, "0.entry_fee": "50 francs", "version": "1"})
    page = dita.get(address).text
    assert 'name="end_date" value="2024-04-12" autocomplete="off" type="date"' in page
    assert 'name="0.entry_fee" value="50 francs" autocomplete="off" aria-invalid' in page
    assert 'name="0.entrants" value="" autocomplete="off" type="number"' in page
    amount = page.partition('name="0.added_money" ')[2].partition(">")[0]
    assert "type=" not in amount  # a browser takes the comma of 12,50 out of a number
