"""The director's desk: a result is brought, read, matched, rehearsed, handed in and followed."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState
from palmares.web.submissions import parse, submissions
from palmares.web.submissions import report_form as form
from palmares.web.submissions.preview import agreed
from palmares.web.submissions.submissions import Stale
from tests.formats.sheets.test_workbook import workbook
from tests.journal.statements import OFFICER, player
from tests.web.conftest import AsRole, Client
from tests.web.seasons import prague
from tests.web.visits import JSON

OPEN = """\
[tournament]
name = "Graz Open"
discipline = "backgammon"
end_date = 2020-01-19

[[event]]
name = "Main"
kind = "championship"
entry_fee = 100

[event.main]
entrants = 16
placings = \"\"\"
1    Ada Novak (CZE)
2    Ben Frost (DEN)
3-4  Eva Kos (SLO)
3-4  Dag Lie (NOR)
\"\"\"
"""

DOUBTFUL = OPEN.replace("Ben Frost", "Ben Olson")
"""A new name that looks like Ben Olsen, whom the journal knows."""


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Three players and a tournament that is over: entries 1 to 4."""
    return prague(journal)


def paste(client: Client, text: str) -> str:
    """Bring a text; the address of the report."""
    answer = client.post("/director/submissions", data={"text": text}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def look(client: Client, address: str) -> dict[str, Any]:
    found: dict[str, Any] = client.get(address, headers=JSON).json()
    assert client.get(address).status_code == 200
    return found


def save(client: Client, address: str, text: str) -> None:
    version = str(look(client, address)["version"])
    answer = client.post(
        address, data={"text": text, "version": version}, follow_redirects=False
    )  # fmt: skip
    assert answer.status_code == 303


def move(client: Client, address: str, to: str, version: int | None = None) -> int:
    version = version or look(client, address)["version"]
    fields = {"to": to, "version": str(version)}
    answer = client.post(f"{address}/move", data=fields, headers=JSON, follow_redirects=False)
    return int(answer.status_code)


def test_points_and_ranks_before_it_is_handed_in(season: Journal, as_role: AsRole) -> None:
    """Prague, 3 of the points: the winner of the Main is first; so is whoever wins in Graz."""
    dita = as_role("director")
    page = look(dita, paste(dita, OPEN))
    assert page["problems"] == []
    assert page["ready"]
    (points,) = page["points"]
    rows = {row["player"]: row for row in points["rows"]}
    assert set(rows) == {"Ada Novak", "Ben Frost", "Eva Kos", "Dag Lie"}
    ada = rows["Ada Novak"]
    assert (ada["rank_before"], ada["rank_after"]) == (3, 1)
    assert ada["before"] is None
    assert rows["Eva Kos"]["after"] == rows["Dag Lie"]["after"]
    assert rows["Eva Kos"]["rank_before"] is None
    assert points["rank_only"] >= 1  # Carla was first
    assert page["entry_count"] == 4  # three new players and the report
    assert season.head().sequence == 4  # nothing was recorded


def test_what_is_shown_is_what_is_recorded(
    season: Journal, app_state: AppState, as_role: AsRole
) -> None:
    dita = as_role("director")
    address = paste(dita, OPEN)
    page = look(dita, address)
    shown = {row["player_id"]: row for row in page["points"][0]["rows"]}
    assert move(dita, address, "submitted") == 303
    number = int(address.rpartition("/")[2])
    with season.database.reading() as connection:
        one = submissions.find(connection, number)
    assert one is not None
    facts = parse.read(one.format, one.content).facts
    assert facts is not None
    action = submissions.approving(agreed(facts, one), number, one.version, 0)
    record_entries(season, OFFICER, action)
    ranking = dita.get("/rankings/wbgf/2020-01-31", headers=JSON).json()
    for row in ranking["items"]:
        if row["player_id"] in shown:
            seen = shown[row["player_id"]]
            assert (seen["rank_after"], seen["total_after"]) == (row["rank"], row["nanopoints"])
    after = look(dita, address)
    assert after["submission"]["state"] == "approved"
    assert after["submission"]["entry"] == season.head().sequence
    assert "as entry 8" in dita.get("/director").text


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("\ufeffGraz Open, 18-19 January 2020\n\n1. Ada Novak (CZE)\n", "Graz Open"),
        ("1. Ada Novak (CZE)\n2. Ben Frost (DEN)\n", "Report without a name"),
        ("Rank;Name\n1;Ada Novak\n", "Report without a name"),
    ],
)
def test_a_pasted_list_is_called_by_its_first_line_among_reports(
    season: Journal, as_role: AsRole, text: str, title: str
) -> None:
    dita = as_role("director")
    paste(dita, text)
    assert f">{title}</a>" in dita.get("/director").text


def test_two_names_of_one_player_in_a_flight_are_told_by_their_lines(
    season: Journal, as_role: AsRole
) -> None:
    dita = as_role("director")
    text = "Graz Open\n\n1. NOVAK Ada (CZE)\n2. Ben Frost (DEN)\n3. Ada Novak (CZE)\n"
    address = paste(dita, f"discipline: backgammon\nend_date: 2020-01-19\n{text}")
    chosen(dita, address, NOVAK="P1")
    (problem,) = look(dita, address)["record_problems"]
    assert problem["where"] == "Ada Novak"
    assert problem["what"] == (
        "several names in the main are this player:"
        " NOVAK Ada (CZE) on line 5 and Ada Novak (CZE) on line 7"
    )
    assert "delete the line" in problem["remedy"]


def chosen(client: Client, address: str, **who: str) -> None:
    """Say under Names who somebody is, by the first word of the name."""
    page = look(client, address)
    keys = {one["written"].split()[0]: one["key"] for one in page["people"]}
    fields = {"version": str(page["version"])}
    for number, (name, player_id) in enumerate(who.items()):
        fields |= {f"name.{number}": keys[name], f"who.{number}": player_id}
    assert client.post(f"{address}/names", data=fields).status_code == 200


def test_names_that_look_like_others(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    address = paste(dita, DOUBTFUL)
    page = look(dita, address)
    people = {one["written"]: one for one in page["people"]}
    assert people["Ada Novak (CZE)"]["state"] == "known"
    assert people["Ada Novak (CZE)"]["player"]["player_id"] == "P1"
    assert people["Ada Novak (CZE)"]["player"]["last"] == "prague Open"
    ben = people["Ben Olson (DNK)"]
    assert ben["state"] == "new"
    assert [one["player_id"] for one in ben["candidates"]] == ["P2"]
    assert people["Eva Kos (SVN)"]["candidates"] == []
    assert page["unsettled_names"] == 1
    chosen(dita, address, Ben="P2")
    page = look(dita, address)
    ben = next(one for one in page["people"] if one["written"] == "Ben Olson (DNK)")
    assert (ben["state"], ben["player"]["player_id"]) == ("known", "P2")
    rows = {row["player_id"]: row for row in page["points"][0]["rows"]}
    assert rows["P2"]["rank_before"] == 2
    assert page["unsettled_names"] == 0


@pytest.mark.usefixtures("season")
def test_a_report_as_a_form_shows_the_form(as_role: AsRole) -> None:
    """Even where nothing is left to answer."""
    dita = as_role("director")
    address = paste(dita, OPEN)
    fields = {"version": str(look(dita, address)["version"]), "as_form": "1"}
    page = dita.post(address, data=fields).text
    assert 'name="0.main.placings"' in page


def test_doubtful_names_stand_in_the_order_of_the_report(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    text = DOUBTFUL.replace("Ada Novak", "Carlo Rossi").replace("CZE", "ITA")
    text = text.replace("Eva Kos (SLO)", "Adda Novak (CZE)")
    page = look(dita, paste(dita, text))
    doubtful = [one["written"] for one in page["people"] if one["candidates"]]
    assert doubtful == ["Carlo Rossi (ITA)", "Ben Olson (DNK)", "Adda Novak (CZE)"]


def test_who_looks_like_a_known_player_is_decided_before_it_is_handed_in(
    season: Journal, as_role: AsRole
) -> None:
    """Each name by its own choice; until then the report is kept, and waits for nobody."""
    season.record([player("P4", "Dag Lyng", "NOR")], OFFICER)
    dita = as_role("director")
    address = paste(dita, DOUBTFUL.replace("Dag Lie", "Dag Lynge"))
    page = look(dita, address)
    assert (page["unsettled_names"], page["ready"]) == (2, False)
    assert move(dita, address, "submitted") == 422
    assert "Submit</button>" not in dita.get(f"{address}?step=submit").text
    chosen(dita, address, Ben="P2")
    assert (look(dita, address)["unsettled_names"], move(dita, address, "submitted")) == (1, 422)
    chosen(dita, address, Ben="P2", Dag="new")
    assert (look(dita, address)["unsettled_names"], move(dita, address, "submitted")) == (0, 303)


def test_a_name_that_is_one_players_alone_is_that_player(season: Journal, as_role: AsRole) -> None:
    """A sheet without nations: three of its names are known, the fourth is new."""
    dita = as_role("director")
    sheet = (
        "discipline: backgammon\nrank,name\n1,Ada Novak\n2,Ben Olsen\n3,Carla Rossi\n4,Eva Kos\n"
    )
    fields = {"text": sheet, "tournament.name": "Graz Open", "tournament.end_date": "2020-01-19"}
    answer = dita.post("/director/submissions", data=fields, follow_redirects=False)
    page = look(dita, answer.headers["location"])
    states = {one["written"]: (one["state"], one["chosen"]) for one in page["people"]}
    assert states == {
        "Ada Novak": ("known", "P1"),
        "Ben Olsen": ("known", "P2"),
        "Carla Rossi": ("known", "P3"),
        "Eva Kos": ("new", ""),
    }
    assert (page["unsettled_names"], page["record_problems"], page["refusal"], page["ready"]) == (
        0,
        [],
        "",
        True,
    )
    names = dita.get(f"{answer.headers['location']}?step=names").text
    assert "3 of 4 names match a player exactly." in names
    chosen(dita, answer.headers["location"], Ben="new")  # if they are somebody else
    ben = next(one for one in look(dita, answer.headers["location"])["people"])
    assert (ben["written"], ben["state"], ben["chosen"]) == ("Ben Olsen", "new", "new")


@pytest.mark.parametrize("written", ["Eva Kos", "Eva Kos (SLO)"])
def test_a_known_player_without_a_nation_is_that_player(
    season: Journal, as_role: AsRole, written: str
) -> None:
    season.record([player("P4", "Eva Kos", None)], OFFICER)
    dita = as_role("director")
    page = look(dita, paste(dita, OPEN.replace("Eva Kos (SLO)", written)))
    eva = next(one for one in page["people"] if one["written"].startswith("Eva"))
    assert (eva["state"], eva["player"]["player_id"]) == ("known", "P4")


def test_of_two_players_of_a_name_none_is_presumed(season: Journal, as_role: AsRole) -> None:
    season.record([player("P4", "Ada Novak", "USA")], OFFICER)
    dita = as_role("director")
    page = look(dita, paste(dita, OPEN.replace("Ada Novak (CZE)", "Ada Novak")))
    ada = next(one for one in page["people"] if one["written"] == "Ada Novak")
    assert (ada["state"], ada["chosen"]) == ("new", "")
    assert {one["player_id"] for one in ada["candidates"]} == {"P1", "P4"}
    assert not page["ready"]


def test_a_player_of_another_nation_is_not_presumed(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    page = look(dita, paste(dita, OPEN.replace("Ada Novak (CZE)", "Ada Novak (USA)")))
    ada = next(one for one in page["people"] if one["written"] == "Ada Novak (USA)")
    assert (ada["state"], ada["chosen"], page["unsettled_names"]) == ("new", "", 1)


def test_a_report_that_nobody_could_approve_is_not_handed_in(
    season: Journal, as_role: AsRole
) -> None:
    """Two of its names are said to be one player, who cannot be there twice."""
    dita = as_role("director")
    address = paste(dita, OPEN)
    people = {one["written"]: one["key"] for one in look(dita, address)["people"]}
    ben = {"name.1": people["Ben Frost (DNK)"], "other.1": "P1"}
    dita.post(f"{address}/names", data={"version": "1", **ben})
    page = look(dita, address)
    assert not page["ready"]
    (problem,) = page["record_problems"]
    assert dita.get(address).text.count(problem["remedy"]) == 1
    assert move(dita, address, "submitted") == 422
    dita.post(f"{address}/names", data={"version": "2", **ben, "other.1": "new"})
    assert move(dita, address, "submitted") == 303


def test_two_of_one_name_have_to_be_told_apart(season: Journal, as_role: AsRole) -> None:
    season.record([player("P4", "Ada Novak", "CZE")], OFFICER)
    dita = as_role("director")
    address = paste(dita, OPEN)
    page = look(dita, address)
    assert not page["ready"]
    assert page["unsettled_names"] == 1
    ada = page["people"][0]
    assert ada["state"] == "unclear"
    assert {one["player_id"] for one in ada["candidates"]} == {"P1", "P4"}
    assert move(dita, address, "submitted") == 422
    dita.post(f"{address}/names", data={"version": "1", "name.1": ada["key"], "other.1": "P4"})
    page = look(dita, address)
    assert page["ready"]
    assert page["unsettled_names"] == 0


def test_every_problem_at_its_place(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    text = OPEN.replace("= 100", '= "much"').replace("3-4  Dag", "third Dag")
    address = paste(dita, text)
    page = look(dita, address)
    assert not page["ready"]
    assert page["text"] == text  # nothing that was typed is lost
    assert [(one["line"], one["column"], one["text"]) for one in page["problems"]] == [
        (9, 14, 'entry_fee = "much"'),
        (17, 1, "third Dag Lie (NOR)"),
    ]
    html = dita.get(address).text
    assert "2 problems" in html
    assert "Line 17" in html
    save(dita, address, OPEN)
    assert look(dita, address)["ready"]


def test_a_form_has_its_problems_beside_its_fields(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    answer = dita.post("/director/submissions", data={"form": "1"}, follow_redirects=False)
    address = answer.headers["location"]
    page = look(dita, address)
    assert (page["problems"], page["ready"]) == ([], False)  # nobody has typed anything yet
    assert "nothing would be added" not in dita.get(address).text
    dita.post(address, data={"0.main.placings": "1 Ada Novak (CZE)", "version": "1"})
    page = look(dita, address)
    assert {one["field"] for one in page["problems"]} == {
        "name",
        "discipline",
        "end_date",
        "0.name",
    }
    assert {one["what"] for one in page["problems"]} == {"this is empty"}
    fields = {
        "name": "Graz Open",
        "discipline": "backgammon",
        "end_date": "January 2020",
        "0.name": "Main",
        "0.kind": "championship",
        "0.entry_fee": "100",
        "0.main.entrants": "16",
        "0.main.placings": '1 Ada Novak (CZE)\r\n2 Eva "E" Kos (SLO)\r\nthree',
    }
    dita.post(address, data={**fields, "version": "2", "evil": "x", "40.name": "x"})
    page = look(dita, address)
    assert page["submission"]["title"] == "Graz Open"
    assert [(one["field"], one["line"], one["text"]) for one in page["problems"]] == [
        ("end_date", None, ""),
        ("0.main.placings", 3, "three"),
    ]
    assert "January 2020" in dita.get(address).text
    right = {"end_date": "2020-01-19", "0.main.placings": '1 Ada Novak (CZE)\n2 Eva "E" Kos (SLO)'}
    dita.post(address, data={**fields, **right, "version": "3"})
    page = look(dita, address)
    assert page["ready"]
    assert {one["written"] for one in page["people"]} == {"Ada Novak (CZE)", 'Eva "E" Kos (SVN)'}
    assert len(page["form"]["parts"]) == 2  # one more to fill in
    assert move(dita, address, "submitted") == 303
    assert look(dita, address)["submission"]["state"] == "submitted"


def test_a_stale_edit_is_refused_with_what_was_typed(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    address = paste(dita, OPEN)
    save(dita, address, OPEN.replace("Graz", "Linz"))
    assert look(dita, address)["problems"] == []
    wrong = {"text": OPEN.replace("name = ", "nam = ", 1), "version": "1"}
    answer = dita.post(address, data=wrong, headers=JSON)
    assert answer.json()["problems"]  # of what was typed
    assert look(dita, address)["problems"] == []  # of what is saved
    mine = {"text": OPEN.replace("Graz", "Wien"), "version": "1"}
    answer = dita.post(address, data=mine, headers=JSON)
    assert answer.status_code == 409
    assert "Wien" in answer.json()["text"]
    assert "nothing was saved over it" in answer.json()["problem"]
    html = dita.post(address, data=mine)
    assert html.status_code == 409
    assert "Wien" in html.text
    assert "Linz" in look(dita, address)["text"]
    assert move(dita, address, "submitted", version=1) == 409
    again = {**mine, "version": str(answer.json()["version"])}
    dita.post(address, data=again)
    assert "Wien" in look(dita, address)["text"]


def test_its_states(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    address = paste(dita, OPEN)
    assert move(dita, address, "approved") == 422
    assert move(dita, address, "submitted") == 303
    assert move(dita, address, "submitted", 1) == 303  # a second click
    fields = {"text": "x", "version": "2"}
    assert dita.post(address, data=fields, headers=JSON).status_code == 422  # handed in
    assert move(dita, address, "draft") == 303
    assert move(dita, address, "submitted") == 303
    number = int(address.rpartition("/")[2])
    version = look(dita, address)["version"]
    with season.database.writing() as connection:
        submissions.move(connection, number, version, 0, "returned", reason="Fee in which money?")
    assert "Fee in which money?" in dita.get(address).text
    assert look(dita, address)["editable"]
    assert move(dita, address, "withdrawn") == 303
    assert move(dita, address, "submitted") == 422
    assert look(dita, address)["submission"]["state"] == "withdrawn"
    with season.database.reading() as connection:
        left = submissions.find(connection, number)
    assert left is not None
    assert (left.content, left.filename, dict(left.matches.names)) == (b"", "Graz Open", {})
    assert "Its text was thrown away when it was withdrawn." in dita.get(address).text


def test_another_report_of_a_tournament_says_what_it_replaces(
    season: Journal, as_role: AsRole
) -> None:
    dita = as_role("director")
    text = OPEN.replace('name = "Graz Open"', 'name = "Prague"\nid = "prague"')
    address = paste(dita, text)
    page = look(dita, address)
    assert not page["ready"]
    assert page["refusal"]
    assert page["in_force"] == {"prague": 4}
    dita.post(f"{address}/names", data={"version": "1", "replaces.4": "on"})
    page = look(dita, address)
    assert page["ready"]
    rows = {row["player"]: row for row in page["points"][0]["rows"]}
    assert rows["Carla Rossi"]["after"] is None  # she is not in it


def test_reports_are_nobody_elses(season: Journal, as_role: AsRole) -> None:
    address = paste(as_role("director"), OPEN)
    rita = as_role("officer")
    assert rita.get(address).status_code == 404
    assert rita.post(address, data={"text": "x", "version": "1"}).status_code == 404
    assert rita.post(f"{address}/move", data={"to": "withdrawn"}).status_code == 404
    assert rita.post(f"{address}/names", data={"version": "1"}).status_code == 404
    assert look(rita, "/director")["submissions"] == []


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "placings.csv"])
def test_no_file_beside_is_read(
    season: Journal, as_role: AsRole, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "placings.csv").write_text("rank,name\n1,Ada Novak\n")
    dita = as_role("director")
    head = OPEN.partition("placings")[0]
    page = look(dita, paste(dita, f"{head}placings_file = '{name}'\n"))
    (problem,) = page["problems"]
    assert problem["what"] == f"{name} cannot be looked up from here"
    assert page["people"] == []


def test_every_kind_of_file(season: Journal, as_role: AsRole) -> None:
    root = Path(__file__).parents[3]
    dita = as_role("director")
    for name in (
        "examples/backgammon/2011-dubrovnik-open.toml",
        "examples/formats/2011-dubrovnik-open.csv",
        "examples/formats/chicago-point.txt",
        "examples/diplomacy/2004-tempest-in-a-teapot.txt",
        "tests/formats/saved_wdd.html",
    ):
        content = (root / name).read_bytes()
        answer = dita.post(
            "/director/submissions",
            files={"file": (f"C:\\{name}", content)},
            follow_redirects=False,
        )
        page = look(dita, answer.headers["location"])
        assert page["problems"] == [], name
        assert page["filename"] == Path(name).name
        assert page["people"], name
        text = content.decode("cp1252" if name.endswith(".html") else "utf-8")
        assert parse.kind_of(text) == page["format"]


PAGE = """<html><body>name: Graz Open<table>
<tr><th>Rank</th><th>Name</th><th>Nation</th></tr>
<tr><td>1</td><td>Ada Novak</td><td>CZE</td></tr>
<tr><td>2</td><td>Ben Olsen</td><td>DEN</td></tr></table></body></html>"""


@pytest.mark.parametrize("suffix", ["xls", "csv", "html"])
def test_a_web_page_by_any_suffix(season: Journal, as_role: AsRole, suffix: str) -> None:
    """Programs of tournaments export tables of HTML as .xls, and spreadsheets open them."""
    dita = as_role("director")
    answer = dita.post(
        "/director/submissions",
        files={"file": (f"graz.{suffix}", PAGE.encode())},
        follow_redirects=False,
    )
    page = look(dita, answer.headers["location"])
    assert page["format"] == "txt"
    assert [row["name"] for row in page["rows"]] == ["Ada Novak", "Ben Olsen"]


def test_a_workbook_by_the_suffix_of_a_text(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    content = workbook([["Rank", "Name"], [1, "Ada Novak"]])
    answer = dita.post(
        "/director/submissions", files={"file": ("graz.csv", content)}, follow_redirects=False
    )
    page = look(dita, answer.headers["location"])
    assert page["format"] == "xlsx"
    assert [row["name"] for row in page["rows"]] == ["Ada Novak"]


def test_what_is_no_report(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    for data, files in (
        ({"text": "  "}, None),
        ({}, {"file": ("report.exe", b"MZ\0")}),
    ):
        answer = dita.post("/director/submissions", data=data, files=files, headers=JSON)
        assert answer.status_code == 422
        assert answer.json()["problem"]
    bad = {
        "a.xlsx": b"PK\x03\x04broken",
        "b.toml": b"\xff\xfe\x00",
        "c.xml": b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>',
        "d.csv": b"",
        "e.txt": b"PK\x03\x04",
    }
    for name, content in bad.items():
        answer = dita.post(
            "/director/submissions", files={"file": (name, content)}, follow_redirects=False
        )
        page = look(dita, answer.headers["location"])
        assert page["problems"], name
        assert not page["ready"]


def test_hostile_names_are_text(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    text = OPEN.replace("Dag Lie (NOR)", "<script>alert(1)</script>").replace(
        "Graz Open", "</textarea><script>x</script>"
    )
    address = paste(dita, text)
    html = dita.get(address).text + dita.get("/director").text
    assert "<script>alert" not in html
    assert "<script>x" not in html


def test_two_changes_of_one_version(season: Journal, as_role: AsRole) -> None:
    dita = as_role("director")
    number = int(paste(dita, OPEN).rpartition("/")[2])
    with season.database.writing() as connection:
        report = submissions.find(connection, number)
        assert report is not None
        submissions.save(connection, report, 1, 5)  # the same
        submissions.save(connection, replace(report, content=b"x"), 1, 5)
        with pytest.raises(Stale) as stale:
            submissions.save(connection, replace(report, content=b"y"), 1, 5)
    assert (stale.value.now.version, stale.value.now.content) == (2, b"x")


def test_no_field_of_a_form_is_read_as_another() -> None:
    fields = {"name": "\x07", "end_date": "2020-01-19", "0.name": "\x07", "0.main.placings": "\x07"}
    found = parse.read("toml", form.written(fields).text.encode())
    assert {one.field for one in found.problems} >= {"name", "0.name", "0.main.placings"}


def test_what_would_keep_a_reader_busy() -> None:
    parts = b"a." * 100_000
    for kind, content in (("toml", parts + b"b = 1"), ("toml", b"a = " + b"[" * 100_000)):
        assert len(parse.read(kind, content).problems) == 1
    lines = form.written({"name": "x", "0.main.placings": "foo\n" * 20_000}).text.encode()
    found = parse.read("toml", lines)
    assert len(found.problems) == parse.MOST
    assert found.more_problems > 19_000


def test_someone_else_is_said_by_name(season: Journal, as_role: AsRole) -> None:
    director = as_role("director")
    address = paste(director, DOUBTFUL)
    seen = look(director, address)
    assert seen["about"]["end_date"] == "2020-01-19"
    (key,) = (one["key"] for one in seen["people"] if one["written"].startswith("Ben Olson"))
    form = {"version": seen["version"], "name.1": key, "other.1": "nobody at all"}
    answer = director.post(f"{address}/names", data=form, headers=JSON)
    assert answer.status_code == 422
    assert "No player has the id or the name" in answer.json()["problem"]
    assert answer.json()["step"] == "names"
    assert answer.json()["typed_names"] == {key: "nobody at all"}
    form["version"] = look(director, address)["version"]
    assert 'value="nobody at all"' in director.post(f"{address}/names", data=form).text
    form |= {"version": look(director, address)["version"], "other.1": "ben OLSEN"}
    assert director.post(f"{address}/names", data=form).status_code == 200
    (chosen,) = look(director, address)["names"].values()
    (player_id,) = (
        one["player_id"]
        for person in seen["people"]
        for one in person["candidates"]
        if one["name"] == "Ben Olsen"
    )
    assert chosen == player_id


@pytest.mark.usefixtures("season")
def test_a_number_that_no_entry_can_have_is_passed_over(as_role: AsRole) -> None:
    director = as_role("director")
    fields = {"version": "1", f"replaces.{'9' * 5_000}": "on"}
    address = f"{paste(director, OPEN)}/names"
    answer = director.post(address, data=fields, follow_redirects=False)
    assert answer.status_code == 303, answer.text
