"""The queue: what a director handed in is seen, approved or returned, and the ranking moves."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from html import unescape
from threading import Event
from typing import Any

import pytest

from palmares.journal.commands import decisions
from palmares.journal.commands.transaction import Transaction, record_entries
from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState
from palmares.web.submissions import submissions
from palmares.web.submissions.parse import read
from palmares.web.submissions.preview import agreed
from palmares.web.submissions.submissions import Matches, Submission
from tests.journal.statements import OFFICER, player, report
from tests.web.conftest import NOW, AsRole, Client, signed_in
from tests.web.visits import JSON

TEXT = """\
[tournament]
name = "{name}"
discipline = "backgammon"
end_date = 2019-12-15

[[event]]
name = "Main"
kind = "championship"
entry_fee = 100

[event.main]
entrants = 2
placings = \"\"\"
1 Ada Novak (CZE)
2 Dora <b> (FRA)
\"\"\"
"""
POOR = TEXT.replace("\n[[event]]", 'currency = "ARS"\n\n[[event]]')
"""No bank knows its rate."""


@pytest.fixture
def season(journal: Journal) -> Journal:
    """Cyril won once; entries 1 to 3."""
    ada, cyril = player("P1", "Ada Novak", "CZE"), player("P3", "Cyril", "GER")
    journal.record([ada, cyril, report("T1", {"P3": 1, "P1": 2})], OFFICER)
    return journal


def handed_in(
    app_state: AppState, name: str, text: str = TEXT, now: int = NOW, role: str = "director"
) -> int:
    """The number of a report that a director handed in, or an officer."""
    account = int(signed_in(app_state, role))
    with app_state.journal.database.writing() as connection:
        content = text.format(name=name).encode()
        number = submissions.create(connection, account, "", "toml", content, now)
        submissions.move(connection, number, 1, now, "submitted")
    return number


def stored(app_state: AppState, number: int) -> Submission:
    with app_state.journal.database.reading() as connection:
        found = submissions.find(connection, number)
    assert found is not None
    return found


def page(officer: Client, number: int) -> Any:
    return officer.get(f"/officer/submissions/{number}", headers=JSON).json()


def send(officer: Client, number: int, what: str, **form: Any) -> Any:
    address = f"/officer/submissions/{number}/{what}"
    return officer.post(address, data=form, headers=JSON, follow_redirects=False)


def names(client: Client) -> list[str]:
    rows = client.get("/rankings/wbgf/2019-12-31", headers=JSON).json()["items"]
    return sorted(one["player"] for one in rows)


@pytest.mark.usefixtures("season")
def test_who_looks_like_a_known_player_is_decided_before_it_is_approved(
    app_state: AppState, as_role: AsRole
) -> None:
    """Whatever was approved since it was handed in: it goes back to its director."""
    officer = as_role("officer")
    number = handed_in(app_state, "Graz", TEXT.replace("Ada Novak", "Ada Nowak"))
    seen = page(officer, number)
    assert seen["preview"] is None
    person = seen["people"][0]
    assert (person["written"], person["state"]) == ("Ada Nowak (CZE)", "new")
    assert [one["player_id"] for one in person["candidates"]] == ["P1"]
    (row,) = officer.get("/officer", headers=JSON).json()["inbox"]
    assert row["needs"] == ["1 name to settle"]
    assert "Approve and record" not in officer.get(f"/officer/submissions/{number}").text
    before = app_state.journal.head().sequence
    answer = send(officer, number, "approval", version=seen["version"], digest="0" * 64)
    assert (answer.status_code, app_state.journal.head().sequence) == (422, before)
    assert stored(app_state, number).state == "submitted"
    assert send(officer, number, "return", version=2, reason="Who is Ada Nowak?").status_code == 303


@pytest.mark.usefixtures("season")
def test_an_officer_settles_names_inside_the_review(
    app_state: AppState, as_role: AsRole, client: Client
) -> None:
    officer = as_role("officer")
    number = handed_in(app_state, "Graz", TEXT.replace("Ada Novak", "Ada Nowak"))
    person = page(officer, number)["people"][0]
    form = {"version": "2", "name.1": person["key"], "other.1": "nobody at all"}
    answer = send(officer, number, "names", **form)
    assert (answer.status_code, stored(app_state, number).state) == (422, "submitted")
    assert "No player has the id or the name" in answer.json()["problem"]
    assert answer.json()["typed_names"] == {person["key"]: "nobody at all"}
    form |= {"version": "3", "other.1": "ada NOVÁK"}
    answer = send(officer, number, "names", **form)
    assert answer.status_code == 303, answer.text
    seen = page(officer, number)
    assert next(iter(seen["names"].values())) == "P1"
    kinds = [one["kind"] for one in seen["preview"]["entries"]]
    assert kinds == ["player", "merge", "player", "report"]  # Ada Nowak is a name of Ada Novak
    approval = {"version": seen["version"], "digest": seen["preview"]["digest"]}
    assert send(officer, number, "approval", **approval).headers["location"] == "/officer?done=7"
    assert names(client) == ["Ada Novak", "Cyril", "Dora <b>"]
    assert send(officer, number, "names", **form).status_code == 409


@pytest.mark.usefixtures("season")
def test_an_officer_says_that_an_assumed_new_player_is_a_known_one(
    app_state: AppState, as_role: AsRole, client: Client
) -> None:
    officer = as_role("officer")
    number = handed_in(app_state, "Graz")
    seen = page(officer, number)
    assert [(each["written"], each["state"]) for each in seen["people"]] == [
        ("Dora <b> (FRA)", "new"),
        ("Ada Novak (CZE)", "known"),
    ]
    html = officer.get(f"/officer/submissions/{number}").text
    (field, key), _ = re.findall(r'name="(name\.[0-9]+)" value="(.*?)"', html)
    assert f'name="{field.replace("name", "other")}"' in html
    form = {"version": "2", field: unescape(key), field.replace("name", "other"): "Cyril"}
    unsaved = send(officer, number, "approval", digest=seen["preview"]["digest"], **form)
    assert (unsaved.status_code, unsaved.json()["typed_names"]) == (422, {unescape(key): "P3"})
    assert send(officer, number, "names", **form).status_code == 303
    seen = page(officer, number)
    settled = [each for each in seen["people"] if each["key"] in seen["names"]]
    assert [each["player"]["player_id"] for each in settled] == ["P3"]
    approval = {"version": seen["version"], "digest": seen["preview"]["digest"]}
    assert send(officer, number, "approval", **approval).status_code == 303
    assert names(client) == ["Ada Novak", "Cyril"]


@pytest.mark.usefixtures("season")
def test_what_waits_next_is_offered_after_a_decision(app_state: AppState, as_role: AsRole) -> None:
    officer = as_role("officer")
    number = handed_in(app_state, "Graz")
    next_link = f'<a class="button" href="/officer/submissions/{number}">Next: '
    assert next_link in officer.get("/officer?done=3").text
    assert next_link in officer.get("/officer?note=proposed").text
    assert next_link not in officer.get("/officer").text


@pytest.mark.usefixtures("season")
def test_a_report_is_approved_and_the_ranking_moves(
    app_state: AppState, as_role: AsRole, client: Client
) -> None:
    officer = as_role("officer")
    later, first = handed_in(app_state, "Later", now=NOW + 9), handed_in(app_state, "Graz")
    rows = officer.get("/officer", headers=JSON).json()["inbox"]
    assert [(one["group"], one["title"]) for one in rows] == [
        ("reports", "Later"),
        ("reports", "Graz"),
    ]
    assert rows[0]["needs"] == ["points for 2 players"]
    seen = page(officer, first)
    assert seen["needs"] == ["points for 2 players"]
    assert seen["submission"]["author"] == "Test Director"
    assert [one["kind"] for one in seen["preview"]["entries"]] == ["player", "report"]
    given = seen["preview"]["changes"][0]["rows"]
    assert [one["player"] for one in given] == ["Ada Novak", "Dora <b>"]
    assert [(one["rank_before"], one["rank_after"]) for one in given] == [(2, 1), (None, 3)]
    assert seen["preview"]["changes"][0]["rank_only"] == 1  # Cyril was first
    assert names(client) == ["Ada Novak", "Cyril"]
    form = {"version": seen["version"], "digest": seen["preview"]["digest"]}
    answer = send(officer, first, "approval", **form)
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"] == f"/officer/submissions/{later}?done=5"
    after = officer.get(answer.headers["location"], headers=JSON).json()
    words = officer.get(answer.headers["location"]).text
    assert "Recorded as entry 5</b>:" in words
    assert "Next: Later" in words
    entry = after["outcome"][-1]
    assert (entry["kind"], entry["author"], entry["role"]) == ("report", "Test Officer", "officer")
    found = stored(app_state, first)
    assert (found.state, found.entry, found.author) == ("approved", 5, "Test Director")
    assert names(client) == ["Ada Novak", "Cyril", "Dora <b>"]
    again = send(officer, first, "approval", **form)
    assert again.status_code == 422
    assert again.json()["problem"] == (
        "Test Officer has approved it as entry 5; nothing more was recorded."
    )
    assert page(officer, first)["submission"]["entry"] == 5


def test_the_queue_counts_whom_a_preview_does_not_show(
    app_state: AppState, as_role: AsRole
) -> None:
    """Five hundred and one players share all places: each has as much as any other."""
    lines = "\n".join(f"1-501 Player {number}" for number in range(1, 502))
    text = TEXT.replace("entrants = 2", "entrants = 501").partition("1 Ada")[0] + lines + '\n"""\n'
    officer, number = as_role("officer"), handed_in(app_state, "Graz", text)
    seen = page(officer, number)
    (change,) = seen["preview"]["changes"]
    each = change["rows"][0]["after"]
    assert (len(change["rows"]), change["more"]) == (500, 1)
    assert (seen["needs"], change["change"]) == (["points for 501 players"], 501 * each)


@pytest.mark.usefixtures("season")
def test_everybody_sees_that_an_event_will_wait(app_state: AppState, as_role: AsRole) -> None:
    officer = as_role("officer")
    words = "this event will wait. Lists are made without it until what is missing is recorded."
    number = handed_in(app_state, "Lima", POOR)
    whole = officer.get(f"/officer/submissions/{number}").text
    assert words in whole
    assert "Approve and record" in whole
    assert "an event will wait" in officer.get("/officer").text
    assert words not in officer.get(f"/officer/submissions/{handed_in(app_state, 'Graz')}").text
    director = as_role("director").get(f"/director/submissions/{number}").text
    assert words in director
    told = (
        "no exchange rate from ARS to EUR on 15 December 2019 or the 7 days before."
        " Fill in the tournament&#39;s eur_per_unit, or add the rate of that day."
    )
    assert told in whole
    assert told in director
    assert not re.search(r"entry \d+:\d", whole + director)  # there is no such entry yet


def test_an_officer_brings_reports_too(as_role: AsRole) -> None:
    assert 'href="/director"' in as_role("officer").get("/officer").text


def test_an_event_that_waits_is_approved_and_mended_later(
    season: Journal, app_state: AppState, as_role: AsRole, client: Client
) -> None:
    officer = as_role("officer")
    number = handed_in(app_state, "Lima", POOR)
    seen = page(officer, number)["preview"]
    form = {"version": 2, "digest": seen["digest"]}
    assert send(officer, number, "approval", **form).status_code == 303
    assert names(client) == ["Ada Novak", "Cyril"]
    assert len(app_state.snapshot().awards("wbgf").waiting) == 1
    with season.writing(OFFICER) as writer:
        decisions.rate("ARS", date(2019, 12, 13), "0.015")(
            Transaction(writer, app_state.snapshot().projection)
        )
    assert app_state.snapshot(at_once=True).awards("wbgf").waiting == ()
    assert names(client) == ["Ada Novak", "Cyril", "Dora <b>"]


def test_what_mends_an_event_says_so(season: Journal, app_state: AppState, as_role: AsRole) -> None:
    """Recorded from the command line, which records reports before their rates."""
    one = handed_in(app_state, "Lima", POOR)
    action = agreed(read("toml", stored(app_state, one).content).facts, stored(app_state, one))  # type: ignore[arg-type]
    entry = record_entries(season, OFFICER, action).entries[-1].sequence
    officer = as_role("officer")
    undo = {"entry": entry, "reason": "a wrong currency"}
    rate = {"currency": "ARS", "day": "2019-12-15", "eur_per_unit": "0.015"}
    for name, typed in (("undo", undo), ("rate", rate)):
        told = officer.post(f"/officer/decisions/{name}", data=typed)
        assert "Main (Lima) does not wait any more." in told.text
        assert "No points change" not in told.text
    more = handed_in(app_state, "Rosario", POOR)
    action = agreed(read("toml", stored(app_state, more).content).facts, stored(app_state, more))  # type: ignore[arg-type]
    record_entries(season, OFFICER, action)
    told = officer.post("/officer/decisions/undo", data=undo)  # the other one still waits
    assert "Main (Lima) does not wait any more." in told.text
    assert "Rosario) does not wait" not in told.text


@pytest.mark.usefixtures("season")
def test_a_report_is_returned_with_a_reason(app_state: AppState, as_role: AsRole) -> None:
    officer, number = as_role("officer"), handed_in(app_state, "Graz")
    answer = send(officer, number, "return", version=2, reason=" ")
    assert answer.status_code == 422
    assert answer.json()["problem"].startswith("Give a reason")
    late = send(officer, number, "return", version=1, reason="The fee is wrong.")
    assert (late.status_code, late.json()["reason"]) == (409, "The fee is wrong.")  # it is kept
    lines = "The fee is 50,\r\nnot 5"
    answer = send(officer, number, "return", version=2, reason=lines)
    assert answer.status_code == 303
    words = "The report went back to its director, with your reason."
    assert words in officer.get(answer.headers["location"]).text
    found = stored(app_state, number)
    assert (found.state, found.reason) == ("returned", "The fee is 50, not 5")
    assert page(officer, number)["reason"] == "The fee is 50, not 5"
    assert officer.get("/officer", headers=JSON).json()["inbox"] == []


def test_a_duplicate_is_rejected_for_good(app_state: AppState, as_role: AsRole) -> None:
    officer, number = as_role("officer"), handed_in(app_state, "Graz")
    assert send(officer, number, "return", version=2, to="rejected", reason=" ").status_code == 422
    form = {"version": 2, "to": "rejected", "reason": "Reported already."}
    answer = send(officer, number, "return", **form)
    assert "The report is rejected." in officer.get(answer.headers["location"]).text
    assert officer.get("/officer", headers=JSON).json()["inbox"] == []
    assert send(officer, number, "return", **form | {"version": 3}).status_code == 422
    director = as_role("director")
    assert "Reported already." in director.get(f"/director/submissions/{number}").text
    move = {"version": 3, "to": "submitted"}
    again = director.post(f"/director/submissions/{number}/move", data=move)
    assert (again.status_code, stored(app_state, number).state) == (422, "rejected")


def test_what_was_not_seen_is_not_approved(
    season: Journal, app_state: AppState, as_role: AsRole
) -> None:
    officer, number = as_role("officer"), handed_in(app_state, "Graz")
    seen = page(officer, number)["preview"]
    season.record([player("P9", "Dora <b>", "FRA")], OFFICER)  # she is known now
    form = {"version": 2, "digest": seen["digest"]}
    answer = send(officer, number, "approval", **form)
    assert answer.status_code == 409
    assert answer.json()["problem"].startswith("The journal has changed since")
    assert [one["kind"] for one in answer.json()["preview"]["entries"]] == ["report"]
    assert season.head().sequence == 4
    with app_state.journal.database.writing() as connection:
        submissions.move(connection, number, 2, NOW, "draft")
        draft = submissions.find(connection, number)
        assert draft is not None
        matches = Matches(names={"x": "new"})
        submissions.save(connection, replace(draft, matches=matches), 3, NOW)
    assert officer.get(f"/officer/submissions/{number}", headers=JSON).status_code == 404
    with app_state.journal.database.writing() as connection:
        submissions.move(connection, number, 4, NOW, "submitted")
    form["digest"] = page(officer, number)["preview"]["digest"]
    assert send(officer, number, "approval", **form).status_code == 409  # of another version
    assert stored(app_state, number).state == "submitted"


@pytest.mark.usefixtures("season")
def test_what_cannot_be_recorded_says_why(app_state: AppState, as_role: AsRole) -> None:
    officer = as_role("officer")
    number = handed_in(app_state, "Graz", TEXT.replace("2019-12-15", '"<script>"'))
    found = page(officer, number)
    assert found["preview"] is None
    assert found["problems"]
    answer = send(officer, number, "approval", version=2, digest="x")
    assert answer.status_code == 422
    assert answer.json()["problem"] == "This report cannot be read. Return it, and say why."
    for path in (f"/{number}", f"/{handed_in(app_state, 'Brno <b>')}"):
        answer = officer.get(f"/officer/submissions{path}")
        assert answer.status_code == 200
        assert "<script>" not in answer.text.replace('<script src="/assets', "")
        assert "Brno <b>" not in answer.text
    for path, status in (("0", 400), ("99", 404), ("-1", 400), ("9" * 30, 404)):
        answer = officer.get(f"/officer/submissions/{path}", headers=JSON)
        assert answer.status_code == status


@pytest.mark.usefixtures("season")
def test_ranks_of_what_has_faded_are_those_of_its_last_day(
    app_state: AppState, as_role: AsRole
) -> None:
    """Three years after it a result counts no more, and today's list would have no rank."""
    text = TEXT.replace("2019-12-15", "2010-12-15").replace("Ada Novak (CZE)", "Eva Kos (SVN)")
    number = handed_in(app_state, "Old", text)
    change = page(as_role("officer"), number)["preview"]["changes"][0]
    assert change["as_of"] == "2010-12-15"
    found = {one["player"]: (one["rank_before"], one["rank_after"]) for one in change["rows"]}
    assert found == {"Eva Kos": (None, 1), "Dora <b>": (None, 2)}


@pytest.mark.usefixtures("season")
def test_an_officer_is_told_that_a_report_is_his_own(app_state: AppState, as_role: AsRole) -> None:
    officer, told = as_role("officer"), "You submitted this report yourself."
    others, mine = handed_in(app_state, "Graz"), handed_in(app_state, "Linz", role="officer")
    assert [page(officer, one)["own_report"] for one in (others, mine)] == [False, True]
    assert told in officer.get(f"/officer/submissions/{mine}").text
    assert told not in officer.get(f"/officer/submissions/{others}").text


@pytest.mark.usefixtures("season")
def test_an_officer_does_not_wait_for_what_visitors_ask_for(
    app_state: AppState, as_role: AsRole
) -> None:
    officer, number, begun, done = (
        as_role("officer"),
        handed_in(app_state, "Graz"),
        Event(),
        Event(),
    )

    def drawing() -> None:
        begun.set()
        done.wait()

    with officer.portal() as portal:
        picture = portal.start_task_soon(app_state.visitors.long, drawing)
        begun.wait()
        try:
            seen = page(officer, number)
            form = {"version": seen["version"], "digest": seen["preview"]["digest"]}
            assert send(officer, number, "approval", **form).status_code == 303
            assert not picture.done()
        finally:
            done.set()  # or a failure would hang
    assert stored(app_state, number).state == "approved"
