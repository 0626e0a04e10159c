"""Messages about a report: a director asks, an officer answers; nobody else reads them."""

from __future__ import annotations

import pytest

from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState
from tests.journal.statements import OFFICER, player
from tests.web.conftest import AsRole, Client
from tests.web.officer.test_officer import decide
from tests.web.officer.test_officer_queue import handed_in, page
from tests.web.visits import JSON

HERE = "/director/submissions"


def send(client: Client, number: int, text: str) -> int:
    """A message by the form; the status of the answer."""
    address = f"{HERE}/{number}/messages"
    return client.post(address, data={"text": text}, follow_redirects=False).status_code


def inbox(officer: Client) -> str:
    return officer.get("/officer").text


@pytest.fixture
def number(journal: Journal, app_state: AppState) -> int:
    """A report that waits for an officer; Ada Novak is P1."""
    journal.record([player("P1", "Ada Novak", "CZE")], OFFICER)
    return handed_in(app_state, "Winter")


def test_an_officer_asks_and_the_director_answers(as_role: AsRole, number: int) -> None:
    officer = as_role("officer")
    assert send(officer, number, "Is the fee with the dinner?") == 303
    assert "Is the fee" not in inbox(officer)  # an officer wrote it
    director = as_role("director")
    assert "Is the fee with the dinner?" in director.get(f"{HERE}/{number}").text
    assert send(director, number, "Without.\nThe dinner was paid apart.") == 303
    assert "The dinner was paid apart." in inbox(officer)
    messages = page(officer, number)["messages"]
    assert [(one["author"], one["text"].split()[0]) for one in messages] == [
        ("Test Officer", "Is"), ("Test Director", "Without."),
    ]  # fmt: skip
    assert send(officer, number, "Thank you.") == 303
    assert "The dinner was paid apart." not in inbox(officer)  # answered


def test_a_returned_report_leaves_no_message_open(as_role: AsRole, number: int) -> None:
    director, officer = as_role("director"), as_role("officer")
    send(director, number, "The last name is a guess.")
    assert "The last name is a guess." in inbox(officer)
    given = {"version": page(officer, number)["version"], "reason": "Ask the player."}
    officer.post(f"/officer/submissions/{number}/return", data=given)
    assert "The last name is a guess." not in inbox(officer)
    assert send(director, number, "They said so.") == 303
    assert "They said so." in inbox(officer)


@pytest.mark.parametrize("text", ["", "  ", "x" * 2001, "turned \u202e round"])
def test_what_is_no_message_is_refused(as_role: AsRole, number: int, text: str) -> None:
    director = as_role("director")
    assert send(director, number, text) == 422
    assert director.get(f"{HERE}/{number}", headers=JSON).json()["messages"] == []


def test_officers_see_no_draft_and_get_no_message_about_it(as_role: AsRole, number: int) -> None:
    director, officer = as_role("director"), as_role("officer")
    version = director.get(f"{HERE}/{number}", headers=JSON).json()["version"]
    director.post(f"{HERE}/{number}/move", data={"version": version, "to": "draft"})
    assert send(director, number, "Soon.") == 422
    assert send(officer, number, "When?") == 404


def test_an_erased_name_is_in_no_message(as_role: AsRole, number: int) -> None:
    director, officer = as_role("director"), as_role("officer")
    send(director, number, "Ada Novak gave up.")
    send(director, number, "The hall was cold.")
    decide(officer, "erase", player="P1", reason="asked to be forgotten")
    messages = page(officer, number)["messages"]
    assert [one["text"] for one in messages] == ["The hall was cold."]
