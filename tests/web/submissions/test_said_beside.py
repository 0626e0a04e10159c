"""A sheet that does not say its tournament: name and last day stand beside it."""

from __future__ import annotations

import re
from typing import Any

from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState
from palmares.web.submissions.understood import disciplines
from tests.formats.sheets.test_workbook import workbook
from tests.web.api.programs import program
from tests.web.conftest import AsRole, Client
from tests.web.director.test_director import look, move
from tests.web.submissions.test_encodings import send
from tests.web.submissions.test_understood import worksheets

SHEET = b"Place,Name,Country\n1,Ada Novak,CZE\n"
TOLD = {"tournament.name": "Graz Open", "tournament.end_date": "2020-01-19"}


def test_said_with_the_file(as_role: AsRole) -> None:
    dita = as_role("director")
    book = workbook([["Place", "Name"], [1, "Ada Novak"]])
    for name, content in (("a.csv", SHEET), ("a.xlsx", book)):
        page = look(dita, send(dita, content, name, **TOLD).headers["location"])
        assert "does not give" not in str(page["problems"])
        assert page["tournament_fields"] == {"name": "Graz Open", "end_date": "2020-01-19"}


def test_said_afterwards_and_kept(as_role: AsRole) -> None:
    dita = as_role("director")
    address = send(dita, SHEET).headers["location"]
    before = str(look(dita, address)["problems"])
    assert "does not give the tournament's name and end_date" in before
    dita.post(address, data={"version": "1", "text": SHEET.decode(), **TOLD})
    assert "does not give" not in str(look(dita, address)["problems"])
    dita.post(f"{address}/names", data={"version": "2"})
    assert look(dita, address)["tournament_fields"]["name"] == "Graz Open"


def test_the_game_is_chosen_with_the_paste(as_role: AsRole) -> None:
    dita = as_role("director")
    desk = dita.get("/director").text
    games = re.findall(r'<button [^>]*name="tournament.discipline" value="(\w+)"', desk)
    assert games == ["backgammon", "bridge", "diplomacy"]
    said = {"text": SHEET.decode(), "tournament.discipline": "diplomacy"}
    page = look(dita, dita.post("/director/submissions", data=said).url.path)
    assert "0.rounds" in [each["field"] for each in page["questions"]]


def test_the_game_of_the_last_report_is_assumed(as_role: AsRole) -> None:
    dita = as_role("director")
    assert ">The result says it " in dita.get("/director").text
    text = "Graz Open\n\n1. Ada Novak (CZE)\n"
    said = {"text": text, "tournament.discipline": "diplomacy", "tournament.0.rounds": "3"}
    said |= {"tournament.end_date": "2020-01-19", "tournament.0.main.entrants": "20"}
    first = dita.post("/director/submissions", data={**said, "tournament.name": "Graz"}).url.path
    assert move(dita, first, "submitted") == 303
    desk = dita.get("/director").text
    assert "diplomacy is assumed where the result does not say it" in desk
    assert ">The result says it " not in desk
    address = dita.post("/director/submissions", data={"text": text}).url.path
    page = look(dita, address)
    game = next(each for each in page["questions"] if each["field"] == "discipline")
    assert (game["value"], game["assumed"]) == ("diplomacy", True)
    shown = {f"tournament.{each['field']}": each["value"] for each in page["questions"]}
    assert "tournament.0.rounds" in shown  # asked at once, not after the game is confirmed
    dita.post(address, data={"version": "1", "text": text, **said, **shown})
    assert look(dita, address)["tournament_fields"]["discipline"] == "diplomacy"


def test_whoever_goes_back_keeps_what_they_typed(as_role: AsRole) -> None:
    dita = as_role("director")
    address = send(dita, SHEET, "a.csv").headers["location"]
    page = dita.get(address).text
    assert '<button class="back" name="step" value="desk" formnovalidate>' in page
    assert page.index(">Continue ") < page.index('class="back"')  # Enter in a field goes on
    typed = {"version": "1", "text": SHEET.decode(), "tournament.name": "Graz Open", "step": "desk"}
    answer = dita.post(address, data=typed, follow_redirects=False)
    assert answer.headers["location"] == "/director"
    assert look(dita, address)["tournament_fields"] == {
        "name": "Graz Open",
        "usual_end_date": "2020-01-26",
    }
    more = {"tournament.end_date": "2020-01-19", "tournament.discipline": "backgammon"}
    dita.post(address, data={"version": "2", **more})
    (ada,) = look(dita, address)["people"]
    chosen = {"version": "3", "name.1": ada["key"], "who.1": "new", "step": "check"}
    answer = dita.post(f"{address}/names", data=chosen, follow_redirects=False)
    assert answer.headers["location"] == f"{address}?step=check"
    assert look(dita, address)["names"] == {ada["key"]: "new"}
    steps = re.findall(r'<button class="link" form="answers" name="step" value="(\w+)"', page)
    assert steps == ["check", "check"]  # names and points are not known yet


def test_what_is_assumed_counts_only_once_the_director_goes_on(as_role: AsRole) -> None:
    dita = as_role("director")
    text = "Graz Open, 18-19 January 2020\n64 players\n\n1. Ada Novak (CZE)\n"
    game = {"tournament.discipline": "backgammon"}
    address = dita.post("/director/submissions", data={"text": text, **game}).url.path
    shown = {f"tournament.{q['field']}": q["value"] for q in look(dita, address)["questions"]}
    assert shown["tournament.0.main.entrants"] == "64"
    dita.post(address, data={"version": "1", "text": text, **shown, "step": "desk"})
    page = look(dita, address)
    assert "0.main.entrants" not in page["tournament_fields"]
    assert {q["field"] for q in page["questions"] if q["assumed"]} >= {
        "0.main.entrants",
        "end_date",
    }
    version = str(page["version"])
    dita.post(address, data={"version": version, "text": text, **shown})
    assert look(dita, address)["tournament_fields"]["0.main.entrants"] == "64"


def test_another_worksheet_is_one_click(as_role: AsRole) -> None:
    dita = as_role("director")
    rows: dict[str, list[list[Any]]] = {
        name: [["Rank", "Name"], [1, name]] for name in ("Ada Novak", "Ben Olsen")
    }
    address = send(dita, worksheets(**rows), "a.xlsx").headers["location"]
    page = dita.get(address).text
    assert '<button name="tournament.sheet" value="Ben Olsen" formnovalidate>' in page
    answer = dita.post(address, data={"version": "1", "tournament.sheet": "Ben Olsen"})
    assert answer.url.params["step"] == "check"
    assert [row["name"] for row in look(dita, address)["rows"]] == ["Ben Olsen"]


def test_said_meanwhile_and_kept(as_role: AsRole) -> None:
    dita = as_role("director")
    book = workbook([["Place", "Name"], [1, "Ada Novak"]])
    for content, name, sent in ((SHEET, "a.csv", {"text": SHEET.decode()}), (book, "a.xlsx", {})):
        address = send(dita, content, name).headers["location"]
        dita.post(address, data={"version": "1", **sent, **TOLD})
        mine = {**sent, "tournament.name": "Linz Open", "tournament.0.main.entrants": "64"}
        stale = dita.post(address, data={"version": "1", **mine})
        assert stale.status_code == 409
        again = dict(re.findall(r'name="(version|tournament[^"]+)" value="(.*?)"', stale.text))
        assert (again["version"], again["tournament.name"]) == ("2", "Linz Open")
        dita.post(address, data={**sent, **again})
        kept = look(dita, address)["tournament_fields"]
        assert (kept["name"], kept["end_date"]) == ("Linz Open", "2020-01-19")


def test_another_workbook_meanwhile_is_not_taken_for_sent(as_role: AsRole) -> None:
    """What is shown is what the next click saves: the saved one, and that nothing was done."""
    dita = as_role("director")
    books = [workbook([["Place", "Name"], [1, name]]) for name in ("Ada Novak", "Ben Ost")]
    address = send(dita, books[0], "a.xlsx").headers["location"]
    dita.post(address, data={"version": "1", **TOLD})
    answer = dita.post(address, data={"version": "1"}, files={"file": ("b.xlsx", books[1])})
    assert answer.status_code == 409
    assert "nothing was done" in answer.text
    assert ("Ada Novak" in answer.text, "Ben Ost" in answer.text) == (True, False)


def test_a_date_that_may_be_two_days_is_asked_at_its_field(as_role: AsRole) -> None:
    dita = as_role("director")
    lines = b"Graz Open\nDate | 08/12/2019\n1 Ada Novak (CZE)\n"
    address = send(dita, lines, "a.csv").headers["location"]
    asked = {one["field"]: one["what"] for one in look(dita, address)["problems"]}
    assert asked["end_date"] == "'08/12/2019' may be 2019-08-12 or 2019-12-08"
    told = {"tournament.end_date": "2019-12-08", "tournament.discipline": "backgammon"}
    dita.post(address, data={"version": "1", "text": lines.decode(), **told})
    assert look(dita, address)["problems"] == []


def test_the_sheet_has_the_last_word(as_role: AsRole) -> None:
    dita = as_role("director")
    told = b"name: Linz Open\n" + SHEET
    page = look(dita, send(dita, told, **TOLD).headers["location"])
    assert page["submission"]["title"] == "Linz Open"
    assert "does not give" not in str(page["problems"])


def test_it_is_called_so_everywhere(as_role: AsRole) -> None:
    """By the desk, the page, the queue, and by what is left of it when it is withdrawn."""
    dita, otto = as_role("director"), as_role("officer")
    head = b"# discipline: backgammon\n# kind: championship\n# entry_fee: 100\n# entrants: 2\n"
    address = send(dita, head + SHEET, "a.csv", **TOLD).headers["location"]
    page = look(dita, address)
    assert (page["ready"], page["submission"]["title"]) == (True, "Graz Open")
    move(dita, address, "submitted")
    (waits,) = look(otto, "/officer")["inbox"]
    assert waits["title"] == "Graz Open"
    move(dita, address, "withdrawn")
    (row,) = look(dita, "/director")["submissions"]
    assert (row["state"], row["title"]) == ("withdrawn", "Graz Open")


def test_the_discipline_is_asked_for_and_never_chosen_for_anybody(as_role: AsRole) -> None:
    dita = as_role("director")
    head = b"# kind: championship\n# entry_fee: 100\n# entrants: 2\n"
    address = send(dita, head + SHEET, "a.csv", **TOLD).headers["location"]
    page = look(dita, address)
    assert [one["what"] for one in page["problems"]] == ["Graz Open has no discipline"]
    radio = r'<input type="radio" name="tournament.discipline"[^>]*>'
    choices = re.findall(radio, dita.get(address).text)
    assert len(choices) == len(disciplines())
    assert all("required" in each and "checked" not in each for each in choices)
    told = {**TOLD, "tournament.discipline": "backgammon"}
    dita.post(address, data={"version": "1", "text": (head + SHEET).decode(), **told})
    page = look(dita, address)
    assert (page["ready"], page["tournament_fields"]["discipline"]) == (True, "backgammon")


def test_programs_say_it_with_the_names(
    journal: Journal, client: Client, app_state: AppState
) -> None:
    robot = program(client, app_state, "director")
    kind = {"content-type": "text/csv"}
    number = robot.ask("POST", "/submissions", 201, content=SHEET, headers=kind)["submission"]["id"]
    told = {"name": "Graz Open", "end_date": "2020-01-19"}
    page = robot.post(f"/submissions/{number}/names", version=1, tournament=told)
    assert "does not give" not in str(page["problems"])
