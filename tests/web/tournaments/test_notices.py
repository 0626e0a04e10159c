"""Notices as anyone sees them, and the desk where a director publishes them."""

from __future__ import annotations

from typing import Any

import pytest

from palmares.journal.commands.announcements import publish_notice
from palmares.journal.commands.transaction import record_entries
from palmares.journal.store.journal import Journal
from palmares.tournaments.notice import state
from palmares.web.tournaments.notices import EMPTY, FLIGHT, NoticeForm, form_of
from tests.journal.statements import OFFICER
from tests.tournaments.test_notice import riga
from tests.web.conftest import AsRole, Client

EVENT = "riga-open-2027"


def published(journal: Journal, reason: str = "", **more: Any) -> int:
    """The entry of a notice of the open event in Riga."""
    stated = state(riga() | more)
    action = publish_notice(stated.notice.event, stated.text, stated.sha256, reason=reason)
    return record_entries(journal, OFFICER, action).entries[0].sequence


def sent(**more: Any) -> dict[str, Any]:
    """The form of the notice of Riga as a browser sends it."""
    form = form_of(state(riga()).notice)
    tables = {"division": form.divisions, "flight": form.flights}
    rows = {
        f"{table}.{name}": [*(row[name] for row in rows), ""]
        for table, rows in tables.items()
        for name in rows[0]
    }
    return {**form.fields, **rows, "regulations": list(form.regulations)} | more


def test_a_notice_is_shown_with_its_points_prizes_and_changes(
    journal: Journal, client: Client
) -> None:
    published(journal)
    second = published(journal, "The hotel is full", place="Hotel Neiburgs, Riga")
    listed = client.get("/api/v1/notices").json()["items"]
    assert [(row["notice"]["event"], row["entry"], row["changes"]) for row in listed] == [
        (EVENT, second, 1)
    ]
    assert f'href="/notices/{EVENT}"' in client.get("/notices").text

    data = client.get(f"/api/v1/notices/{EVENT}").json()
    assert data["content"]["notice"]["place"] == "Hotel Neiburgs, Riga"
    assert [change["reason"] for change in data["changes"]] == ["The hotel is full", ""]
    page = client.get(f"/notices/{EVENT}").text
    for words in (
        "The hotel is full",
        "first notice",
        "Every prize is rounded down to a multiple of 10.00 EUR.",
        "32 entry fees of 200.00 make 6,400.00",
        "Consolation is for the losers of main in rounds 1, 2.",
        "Baffle boxes are used in every match.",
        "Step-free hall",
    ):
        assert words in page
    german = client.get(f"/notices/{EVENT}", headers={"accept-language": "de"}).text
    assert "Open: 16 Spieler; " in german
    assert "Trostturnier ist für die Verlierer aus dem Feld Hauptturnier" in german
    assert "to qualify" not in german


@pytest.mark.parametrize("digits", [30, 5000])
@pytest.mark.parametrize("name", ["lengths", "designated", "best_of"])
def test_numbers_of_flights_that_nobody_means_are_refused(
    as_role: AsRole, name: str, digits: int
) -> None:
    typed = sent(**{f"flight.{name}": ["9" * digits, "", ""]})
    assert as_role("director").post("/desk/notices", data=typed).status_code == 422


@pytest.mark.parametrize(
    ("field", "value", "place"),
    [
        ("flight.lengths", "seven", "The notice, row consolation: flights.lengths"),
        ("flight.rounds", "first", "The notice, row consolation: feeds.rounds"),
        ("flight.name", "", "The notice, row 2: flights.name"),
        ("division.entry_fee", "free", "The notice, row Intermediate: divisions.entry_fee"),
    ],
)
def test_a_fault_in_a_row_says_in_which(
    as_role: AsRole, field: str, value: str, place: str
) -> None:
    form = sent()
    row = [*form[field]]
    row[1] = value
    answer = as_role("director").post("/desk/notices", data=form | {field: row})
    assert answer.status_code == 422
    assert place in answer.text
    german = as_role("director").post(
        "/desk/notices", data=form | {field: row}, headers={"accept-language": "de"}
    )
    assert "Berichtigen Sie es und versuchen Sie es erneut." in german.text
    assert "Die Ausschreibung, Zeile " in german.text


def test_a_change_after_entry_opened_is_marked(journal: Journal, client: Client) -> None:
    published(journal, entry_opens="2020-01-01")
    assert client.get(f"/api/v1/notices/{EVENT}").json()["changes"][0]["after_opening"] is True
    assert "after entry opened" in client.get(f"/notices/{EVENT}").text


def test_calculators_give_the_points_that_lead_to_them(journal: Journal, client: Client) -> None:
    undesignated = [flight | {"designated": None} for flight in riga()["flights"]]
    for flight in undesignated:
        del flight["designated"]
    published(journal, flights=undesignated)
    tables = client.get(f"/api/v1/notices/{EVENT}").json()["content"]["stakes"]
    compared = set()
    for table in tables:
        for line in table["lines"]:
            nanopoints, address = line["nanopoints"][-1], line["explanations"][-1]
            if nanopoints is None or not address.startswith("/calculators/"):
                continue
            data = client.get(f"/api/v1{address}").json()
            (award,) = [each for each in data["awards"] if each["kind"] == table["kind"]]
            assert award["nanopoints"] == nanopoints, (table["division"], line)
            compared.add((table["regulation"], table["division"], table["kind"]))
    assert compared == {
        (regulation, division, kind)
        for division in ("Open", "Intermediate")
        for regulation, kind in (
            ("wbgf", "performance"),
            ("usbgf", "match"),
            ("usbgf", "placement"),
        )
    }


def test_an_event_without_a_notice_is_not_found(client: Client) -> None:
    assert client.get("/notices/other").status_code == 404
    assert client.get("/api/v1/notices/other").status_code == 404


def test_a_form_says_what_its_notice_says() -> None:
    notice = state(riga()).notice
    assert state(form_of(notice).document()).notice == notice


def test_a_form_is_read_as_people_write() -> None:
    flights = (
        {"name": "Main", "lengths": "9, 11 13", "shares": "50%, 33,3 %, 16.7"},
        {"name": "Last Chance", "lengths": "5", "of": "Main", "rounds": "1", "best_of": "3"},
        {"name": "B-2", "lengths": "3", "of": "Last Chance", "rounds": "1, 2", "designated": "4"},
    )
    form = NoticeForm(
        fields={**EMPTY.fields, "currency": "eur"},
        divisions=(),
        flights=tuple(dict.fromkeys(FLIGHT, "") | row for row in flights),
        regulations=(),
    )
    document = form.document()
    assert document["currency"] == "EUR"
    assert document["flights"] == [
        {"name": "main", "lengths": [9, 11, 13]},
        {"name": "last_chance", "lengths": [5], "best_of": 3},
        {"name": "B-2", "lengths": [3], "designated": 4},
    ]
    assert document["feeds"] == [
        {"name": "last_chance", "of": "main", "rounds": [1]},
        {"name": "B-2", "of": "last_chance", "rounds": [1, 2]},
    ]
    assert document["prizes"] == {
        "shares": {"main": [50, "33.3", "16.7"]}, "remainder": "first", "round_to": 1
    }  # fmt: skip


def test_a_director_publishes_and_changes_a_notice(as_role: AsRole, client: Client) -> None:
    director = as_role("director")
    assert client.get("/desk/notices", follow_redirects=False).status_code in (302, 303)
    assert 'value="9 11 13"' in director.get("/desk/notices").text
    preview = director.post("/desk/notices", data=sent(step="preview"))
    assert preview.status_code == 200
    assert "Points at stake" in preview.text
    assert client.get(f"/notices/{EVENT}").status_code == 404

    done = director.post("/desk/notices", data=sent(step="publish"), follow_redirects=False)
    assert done.headers["location"] == f"/notices/{EVENT}"
    data = client.get(f"/api/v1/notices/{EVENT}").json()
    assert data["content"]["fees"][0] == [20000, 4000, 100000]

    again = director.post("/desk/notices", data=sent(step="publish", name="Riga Masters"))
    assert again.status_code == 422
    assert "has another notice than the one you saw" in again.text
    change = director.get("/desk/notices", params={"event": EVENT}).text
    seen = data["changes"][0]["sha256"]
    assert f'name="seen" value="{seen}"' in change
    moved = sent(step="publish", seen=seen, place="Hotel Neiburgs, Riga")
    assert "Give a reason" in director.post("/desk/notices", data=moved).text
    director.post("/desk/notices", data=moved | {"reason": "The hotel is full"})
    assert "The hotel is full" in client.get(f"/notices/{EVENT}").text


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"flight.lengths": ["nine", "7", ""]}, "flights.lengths is not a whole number"),
        ({"flight.lengths": ["", "7", ""]}, "flights.lengths needs at least 1 items"),
        ({"flight.of": ["", "", ""]}, "feeds.of is not an id"),
        ({"flight.shares": ["half", "", ""]}, "prizes.shares is not an amount such as 40"),
        ({"flight.shares": ["50 30", "", ""]}, "the shares make 80.00 per cent together, not 100"),
        ({"name": ""}, "name is missing. Add it"),
        ({"event": "Riga Open"}, "event is not an id: letters, digits, points"),
        ({"start_date": "2027-13-01"}, "start_date is not a day. Write it like 2027-03-12"),
        ({"event_level": "high"}, "event_level is not a whole number"),
    ],
)
def test_what_is_wrong_in_the_form_is_said_and_stays(
    as_role: AsRole, change: dict[str, Any], why: str
) -> None:
    answer = as_role("director").post("/desk/notices", data=sent(step="publish") | change)
    assert answer.status_code == 422
    assert why in answer.text.replace("&#39;", "'")
    assert "Hotel Bergs, Riga" in answer.text
