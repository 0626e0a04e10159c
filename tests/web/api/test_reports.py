"""Reports that programs bring: the steps of the director's desk and of the queue."""

from __future__ import annotations

from typing import Any

import pytest

from palmares.core.rounding import points_text
from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState
from palmares.web.submissions.parse import MEDIA_TYPES
from tests.web.api.programs import Program, program
from tests.web.conftest import AsRole, Client
from tests.web.director.test_director import DOUBTFUL, OPEN, look
from tests.web.seasons import prague

TOML = {"content-type": "application/toml"}


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Three players and a tournament that is over: entries 1 to 4."""
    return prague(journal)


@pytest.fixture
def dita(season: Journal, client: Client, app_state: AppState) -> Program:
    return program(client, app_state, "director")


@pytest.fixture
def otto(season: Journal, client: Client, app_state: AppState) -> Program:
    return program(client, app_state, "officer")


def bring(somebody: Program, text: str = OPEN, **more: Any) -> Any:
    """Send a report; its page."""
    return somebody.ask("POST", "/submissions", 201, content=text, headers=TOML, **more)


def hand_in(somebody: Program) -> int:
    """Send a report and hand it in; its number."""
    number = int(bring(somebody)["submission"]["id"])
    somebody.post(f"/submissions/{number}/state", version=1, state="submitted")
    return number


def test_points_and_ranks_before_it_is_handed_in(season: Journal, dita: Program) -> None:
    answer = dita.answer("POST", "/submissions", content=OPEN, headers=TOML)
    assert answer.status_code == 201
    where = answer.headers["location"]
    page = dita.get(where.removeprefix("/api/v1"))
    assert page == answer.json()
    assert page["ready"]
    assert page["submission"]["title"] == "Graz Open"
    (points,) = page["points"]
    ada = next(one for one in points["rows"] if one["player"] == "Ada Novak")
    assert (ada["rank_before"], ada["rank_after"]) == (3, 1)
    assert ada["after_points"] == points_text(ada["after"])
    assert ada["before_points"] is None
    assert season.head().sequence == 4  # nothing was recorded


def test_it_is_what_the_desk_shows(dita: Program, as_role: AsRole, app_state: AppState) -> None:
    somebody = as_role("director")  # of the same name as the program's account
    robot = program(dita.client, app_state, "director", "Test Director")
    number = bring(robot)["submission"]["id"]
    told, page = (
        robot.get(f"/submissions/{number}"),
        look(somebody, f"/director/submissions/{number}"),
    )
    for one in (row for each in told["points"] for row in each["rows"]):
        for name in ("before", "after", "change", "total_before", "total_after"):
            del one[f"{name}_points"]
    assert told == page


def test_what_is_wrong_is_told_with_its_place(dita: Program) -> None:
    text = OPEN.replace("3-4  Dag Lie (NOR)", "third Dag Lie").replace("end_date", "end_dat")
    page = bring(dita, text)
    assert not page["ready"]
    assert {one["line"] for one in page["problems"]} >= {4}
    number = page["submission"]["id"]
    told = dita.post(f"/submissions/{number}/state", 422, version=1, state="submitted")
    assert told["detail"].startswith("It cannot be submitted yet: see what is wrong with it")
    page = dita.ask("PUT", f"/submissions/{number}?version=1", content=OPEN, headers=TOML)
    assert (page["version"], page["ready"], page["problems"]) == (2, True, [])


@pytest.mark.parametrize(
    ("kind", "content", "read"),
    [
        ("application/toml", OPEN, "toml"),
        ("text/plain", OPEN, "toml"),
        ("text/plain; charset=utf-8", "1 Ada Novak\n2 Ben Olsen\n", "csv"),
        ("text/csv", "rank,player\n1,Ada Novak\n", "csv"),
        ("text/tab-separated-values", "rank\tplayer\n1\tAda Novak\n", "csv"),
        ("text/xml", "<USEBIO/>", "xml"),
        ("application/xml", "<USEBIO/>", "xml"),
        ("application/vnd.ms-excel", "no workbook", "xlsx"),
    ],
)
def test_contents_of_every_type(dita: Program, kind: str, content: str, read: str) -> None:
    page = dita.ask("POST", "/submissions", 201, content=content, headers={"content-type": kind})
    assert page["format"] == read
    assert page["ready"] == (content == OPEN)
    assert bool(page["problems"]) != page["ready"]
    assert set(MEDIA_TYPES.values()) == {"toml", "csv", "xml", "", "xlsx"}


@pytest.mark.parametrize(
    ("kind", "content", "status", "says"),
    [
        ("application/json", b"{}", 415, "This address takes application/toml, text/csv,"),
        ("", OPEN.encode(), 415, "This address takes application/toml"),
        ("text/plain", b" \n", 422, "Send a report: there is nothing in what was sent."),
        ("text/csv; charset=koi8-r", b"rank", 422, "Texts are read in UTF-8, or in one of cp1252,"),
        ("text/plain", b"a" * (21 * 2**20), 413, "What was sent is too large."),
    ],
)
def test_contents_that_are_not_taken(
    dita: Program, kind: str, content: bytes, status: int, says: str
) -> None:
    headers = {"content-type": kind} if kind else {}
    told = dita.ask("POST", "/submissions", status, content=content, headers=headers)
    assert told["detail"].startswith(says)


def test_who_somebody_is(dita: Program) -> None:
    """Before it is said of a new name that looks like a known player, nothing is handed in."""
    page = bring(dita, DOUBTFUL)
    number = page["submission"]["id"]
    told = dita.post(f"/submissions/{number}/state", 422, version=1, state="submitted")
    assert "whose names are not settled" in told["detail"]
    ben = next(one for one in page["people"] if one["written"] == "Ben Olson (DNK)")
    assert (ben["state"], [one["player_id"] for one in ben["candidates"]]) == ("new", ["P2"])
    page = dita.post(f"/submissions/{number}/names", version=1, names={ben["key"]: "P2"})
    ben = next(one for one in page["people"] if one["written"] == "Ben Olson (DNK)")
    assert (ben["state"], ben["player"]["player_id"], page["version"]) == ("known", "P2", 2)
    rows = {row["player_id"]: row for row in page["points"][0]["rows"]}
    assert rows["P2"]["rank_before"] == 2


def test_a_name_that_is_none_of_the_report_is_refused(dita: Program) -> None:
    """Two letters turned round, and somebody who is not in it: nothing is saved."""
    page = bring(dita, DOUBTFUL)
    number, ben = (
        page["submission"]["id"],
        next(one["key"] for one in page["people"] if one["written"] == "Ben Olson (DNK)"),
    )
    wrong = ben.replace("ls", "sl")
    names = {ben: "P2", wrong: "P2", "Zoë Zulu": "new"}
    told = dita.post(f"/submissions/{number}/names", 422, version=1, names=names)
    assert told["detail"] == "2 problems, nothing was saved."
    assert [one["where"] for one in told["problems"]] == [wrong, "Zoë Zulu"]
    after = dita.get(f"/submissions/{number}")
    assert (after["version"], after["people"]) == (1, page["people"])


def test_names_of_contents_that_cannot_be_read_are_kept(dita: Program) -> None:
    """They are looked at when there are other contents; what was said of a name stays said."""
    number = bring(dita, OPEN.replace("end_date", "end_dat"))["submission"]["id"]
    page = dita.post(f"/submissions/{number}/names", version=1, names={"Dag Lie (NOR)": "new"})
    assert page["version"] == 2
    page = dita.ask("PUT", f"/submissions/{number}?version=2", content=OPEN, headers=TOML)
    assert {one["written"]: one["chosen"] for one in page["people"]}["Dag Lie (NOR)"] == "new"


SAID = "# name: Graz Open\n"
DAY = "# end_date: 2020-01-19\n"
SHEET = "rank,player\n1,Ada Novak\n2,Carla Rossi\n"


@pytest.mark.parametrize(
    ("kind", "content", "refused"),
    [
        ("text/csv", SHEET, set()),
        ("text/csv", SAID + SHEET, {"name"}),
        ("text/csv", SAID + DAY + SHEET, {"name", "end_date"}),
        ("application/toml", OPEN, {"name", "end_date"}),
        ("application/toml", OPEN.replace("end_date", "end_dat"), {"name", "end_date"}),
        ("text/csv", SHEET.replace("rank", "runk"), set()),  # who knows what it says
    ],
)
def test_what_a_report_says_of_its_tournament_itself_is_not_told(
    dita: Program, kind: str, content: str, refused: set[str]
) -> None:
    headers = {"content-type": kind}
    page = dita.ask("POST", "/submissions", 201, content=content, headers=headers)
    path = f"/submissions/{page['submission']['id']}/names"
    told = {"name": "Linz Open", "end_date": "2020-01-20"}
    answer = dita.post(path, 422 if refused else 200, version=1, tournament=told)
    found = {one["where"] for one in answer["problems"]} if refused else set()
    assert found == {f"tournament.{one}" for one in refused}
    left = {name: text for name, text in told.items() if name not in refused}
    assert (
        dita.post(path, version=answer.get("version", 1), tournament=left)["tournament_fields"]
        == left
    )


@pytest.mark.parametrize(
    ("sent", "where"),
    [
        ({"version": "1"}, "version"),
        ({"version": 0}, "version"),
        ({}, ""),
        ({"version": 1, "name": {}}, ""),
        ({"version": 1, "names": {"Ada": 1}}, "names[...]"),
        ({"version": 1, "replaces": [0]}, "replaces[0]"),
        ([], ""),
    ],
)
def test_a_shape_is_strict(dita: Program, sent: Any, where: str) -> None:
    number = bring(dita)["submission"]["id"]
    told = dita.ask("POST", f"/submissions/{number}/names", 400, json=sent)
    assert [one["where"] for one in told["problems"]] == [where]


def test_what_somebody_else_changed_meanwhile(dita: Program) -> None:
    number = bring(dita)["submission"]["id"]
    page = dita.ask("PUT", f"/submissions/{number}?version=1", content=OPEN + "\n", headers=TOML)
    assert page["version"] == 2
    for step, more in (("state", {"state": "submitted"}), ("names", {})):
        told = dita.post(f"/submissions/{number}/{step}", 409, version=1, **more)
        assert told["detail"] == (
            "The report was changed meanwhile; nothing was done. It is draft now, at version 2."
        )
    dita.ask("PUT", f"/submissions/{number}?version=1", 409, content=OPEN, headers=TOML)
    assert dita.get(f"/submissions/{number}")["submission"]["state"] == "draft"


def test_it_is_handed_in_taken_back_and_withdrawn(dita: Program) -> None:
    number = hand_in(dita)
    told = dita.post(f"/submissions/{number}/state", 422, version=2, state="submitted")
    assert told["detail"] == "This report is submitted; it cannot become submitted."
    dita.ask("PUT", f"/submissions/{number}?version=2", 422, content=OPEN, headers=TOML)
    page = dita.post(f"/submissions/{number}/state", version=2, state="draft")
    assert (page["submission"]["state"], page["version"]) == ("draft", 3)
    page = dita.post(f"/submissions/{number}/state", version=3, state="withdrawn")
    assert (page["submission"]["state"], page["ready"]) == ("withdrawn", False)


def test_a_list_of_them_page_by_page(dita: Program, otto: Program) -> None:
    for name in ("Graz", "Linz", "Wels"):
        bring(dita, OPEN.replace("Graz", name))
    first = dita.get("/submissions?limit=2")
    assert [one["title"] for one in first["items"]] == ["Wels Open", "Linz Open"]
    second = dita.get(first["next"].removeprefix("/api/v1"))
    assert ([one["title"] for one in second["items"]], second["next"]) == (["Graz Open"], None)
    dita.post("/submissions/2/state", version=1, state="submitted")
    assert otto.get("/submissions")["items"] == []  # an officer finds it in the queue


def test_those_of_others_are_nobodys_business(
    dita: Program, otto: Program, client: Client, app_state: AppState
) -> None:
    number = hand_in(dita)
    other = program(client, app_state, "director", "Somebody Else")
    assert other.get("/submissions")["items"] == []
    other.get(f"/submissions/{number}", 404)
    other.post(f"/submissions/{number}/state", 404, version=2, state="withdrawn")
    otto.post(f"/submissions/{number}/state", 404, version=2, state="withdrawn")
    otto.get(f"/submissions/{number}", 404)
    assert otto.get(f"/queue/{number}")["submission"]["author"] == "Robot director"


# ── the queue ────────────────────────────────────────────────────────────────────────────────────


def test_an_officer_sees_what_a_report_would_do(dita: Program, otto: Program) -> None:
    number = hand_in(dita)
    page = otto.get(f"/queue/{number}")
    assert (page["submission"]["title"], page["needs"]) == ("Graz Open", ["points for 4 players"])
    assert [one["kind"] for one in page["preview"]["entries"]] == ["player"] * 3 + ["report"]
    otto.get("/queue/999", 404)
