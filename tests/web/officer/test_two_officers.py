"""Two officers: both decide at once, or the second one approves what the first one proposes."""

from __future__ import annotations

import re
import time
from html import unescape

import pytest
import sqlalchemy as sa
from litestar import Litestar

from palmares.journal.store.journal import Journal
from palmares.web.database import PROPOSALS
from palmares.web.http.state import AppState, write_site_settings
from tests.web.conftest import AsRole, Client, signed_in
from tests.web.officer.test_officer import confirm, decide, desk, shown
from tests.web.visits import JSON

ROW = {"tournament": "T1", "row": "tournament_id = T1", "reason": "counted again"}
ENTRANTS = {**ROW, "table": "events", "column": "entrants"}
CITY = {**ROW, "table": "tournaments", "column": "city"}
RATE = {"currency": "CZK", "day": "2019-12-31"}
MEMBER = {"player": "P1", "federation": "USBGF", "start": "2019-01-01"}
STALE = [
    ("edit", {"player": "P1", "name": "Ada N."}, {"player": "P1", "name": "Ada O."}),
    ("edit", {"player": "P1", "nation": "SVK"}, {"player": "P1", "name": "Ada O."}),
    ("override", {**ENTRANTS, "value": "30"}, {**ENTRANTS, "value": "20"}),
    ("override", {**ENTRANTS, "value": "30"}, {**CITY, "value": "Brno"}),
    ("rate", {**RATE, "eur_per_unit": "0.04"}, {**RATE, "eur_per_unit": "0.05"}),
    ("membership", {**MEMBER, "end": "2020-01-01"}, {**MEMBER, "end": "2021-01-01"}),
]  # fmt: skip


@pytest.mark.parametrize(("what", "first", "second"), STALE)
def test_of_two_officers_at_once_the_second_looks_again(
    journal: Journal, as_role: AsRole, what: str, first: dict[str, str], second: dict[str, str]
) -> None:
    """Whoever decides on what was decided since is shown it first, and nothing typed is lost."""
    officer = desk(journal, as_role)
    seen = shown(officer, what, **second)["digest"]
    decide(officer, what, **first)
    now = journal.head().sequence
    answer = confirm(officer, what, seen, **second)
    assert answer.status_code == 409
    again = answer.json()
    assert again["problem"].startswith("The journal has changed since this was shown.")
    assert (again["values"] | second, journal.head().sequence) == (again["values"], now)
    assert confirm(officer, what, again["preview"]["digest"], **second).status_code == 303


def test_what_has_nothing_to_do_with_a_decision_does_not_stop_it(
    journal: Journal, as_role: AsRole
) -> None:
    officer = desk(journal, as_role)
    typed = {"player": "P1", "name": "Ada O."}
    seen = shown(officer, "edit", **typed)["digest"]
    decide(officer, "edit", player="P3", nation="CZE")
    assert confirm(officer, "edit", seen, **typed).status_code == 303


def test_a_second_officer_approves_a_list(
    journal: Journal, app_state: AppState, app: Litestar, as_role: AsRole
) -> None:
    with journal.database.writing() as connection:
        write_site_settings(connection, {"two_officers": b"1"})
    officer = desk(journal, as_role)
    typed = {"regulation": "wbgf", "day": "2019-12-31"}
    seen = shown(officer, "publish", **typed)
    answer = confirm(officer, "publish", seen["digest"], **typed)
    assert "The list is proposed." in officer.get(answer.headers["location"]).text
    assert journal.head().sequence == 4
    (item,) = officer.get("/officer", headers=JSON).json()["inbox"][-1:]
    assert (item["group"], item["needs"]) == ("publish", ["Waits for another officer"])
    alone = {"proposal": "1", "digest": seen["digest"]}
    officer.post("/officer/decisions/publish", data=alone, follow_redirects=False)
    assert journal.head().sequence == 4  # nobody approves their own
    number = signed_in(app_state, "officer", "Second Officer")
    second: Client = Client(app)
    second.cookies.set("palmares", number)
    second.get("/")
    (item,) = second.get("/officer", headers=JSON).json()["inbox"][-1:]
    assert item["needs"] == ["Needs your approval"]
    page = second.get(item["address"], headers=JSON).json()
    assert page["proposal"]["author"] == "Test Officer"
    form = {"proposal": "1", "digest": page["preview"]["digest"]}
    answer = second.post("/officer/decisions/publish", data=form, follow_redirects=False)
    assert answer.headers["location"] == "/officer?done=5"
    done = second.get("/officer?done=5", headers=JSON).json()["outcome"][-1]
    assert (done["kind"], done["author"]) == ("publication", "Second Officer")
    assert second.get(item["address"]).status_code == 404


def test_who_approves_a_list_learns_that_entries_came_since(
    journal: Journal, as_role: AsRole
) -> None:
    with journal.database.writing() as connection:
        write_site_settings(connection, {"two_officers": b"1"})
    officer = desk(journal, as_role)
    typed = {"regulation": "wbgf", "day": "2019-12-31"}
    confirm(officer, "publish", shown(officer, "publish", **typed)["digest"], **typed)
    decide(officer, "edit", player="P1", name="Ada O.")
    pages = []
    for created in (int(time.time()) + 60, int(time.time()) - 60):
        with journal.database.writing() as connection:
            connection.execute(sa.update(PROPOSALS).values(created=created))
        pages.append(officer.get("/officer/decisions/publish?proposal=1").text)
    before, page = pages
    assert "Entries were recorded since it was proposed" in page
    assert "Entries were recorded since it was proposed" not in before
    (link,) = re.findall(r'href="(/officer/log\?since=[^"]+)"', page)
    rows = officer.get(unescape(link), headers=JSON).json()["items"]
    assert "Ada O." in rows[0]["words"]


def test_a_proposed_list_can_be_withdrawn(journal: Journal, as_role: AsRole) -> None:
    with journal.database.writing() as connection:
        write_site_settings(connection, {"two_officers": b"1"})
    officer = desk(journal, as_role)
    typed = {"regulation": "wbgf", "day": "2019-12-31"}
    confirm(officer, "publish", shown(officer, "publish", **typed)["digest"], **typed)
    answer = officer.post("/officer/proposals/1/withdrawal", follow_redirects=False)
    assert "The proposal is withdrawn." in officer.get(answer.headers["location"]).text
    groups = {one["group"] for one in officer.get("/officer", headers=JSON).json()["inbox"]}
    assert "publish" not in groups
    assert officer.post("/officer/proposals/1/withdrawal").status_code == 404
