"""A page after the last one, and a day that no calendar has: said plainly, with a way on."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from palmares.journal.store.journal import Journal
from tests.journal.statements import OFFICER, player, report
from tests.web.conftest import Client
from tests.web.visits import JSON


@pytest.fixture
def season(journal: Journal) -> None:
    """A list of 101 players, which has three pages; a tournament."""
    names = [f"P{number:03}" for number in range(101)]
    people = [player(one, f"Somebody {one}", "CZE") for one in names]
    placed = {one: rank for rank, one in enumerate(names, 1)}
    journal.record([*people, report("prague", placed, day="2020-01-05")], OFFICER)


@pytest.mark.parametrize(
    ("path", "last"),
    [
        ("/rankings/wbgf/2020-01-31?page=99", "/rankings/wbgf/2020-01-31?page=3"),
        ("/rankings/wbgf/2020-01-31?page=99&search=some",
         "/rankings/wbgf/2020-01-31?page=3&search=some"),
        ("/players?page=99&search=somebody", "/players?page=3&search=somebody"),
        ("/tournaments?page=2", "/tournaments?page=1"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("season")
def test_a_page_after_the_last(client: Client, path: str, last: str) -> None:
    answer = client.get(path, headers=JSON)
    assert answer.status_code == 404
    told = answer.json()
    assert told["detail"].startswith(
        f"There is no page {path.partition('page=')[2][:2].strip('&')}"
    )
    assert client.get(told["alternative"], headers=JSON).status_code == 200
    assert sorted(told["alternative"].split("?")[1].split("&")) == sorted(
        last.split("?")[1].split("&")
    )
    page = client.get(path)
    assert page.status_code == 404
    assert "Go to the last page" in page.text


@pytest.mark.usefixtures("season")
def test_the_last_page_is_there(client: Client) -> None:
    page = client.get("/rankings/wbgf/2020-01-31?page=3", headers=JSON)
    assert (page.status_code, page.json()["page"], page.json()["pages"]) == (200, 3, 3)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/rankings/wbgf/2026-02-30", "There is no day 2026-02-30: that month has 28 days."),
        ("/rankings/wbgf/2024-02-30", "There is no day 2024-02-30: that month has 29 days."),
        ("/rankings/wbgf/2026-13-01", "There is no day 2026-13-01: a year has 12 months."),
        (
            "/rankings/wbgf/2026-02-30/nations",
            "There is no day 2026-02-30: that month has 28 days.",
        ),
        ("/api/v1/rankings/wbgf/2026-02-30", "There is no day 2026-02-30: that month has 28 days."),
        ("/rankings/wbgf/2026-02-3", "There is nothing at this address."),
        ("/nothing/2026-02-28", "There is nothing at this address."),
    ],
)
def test_a_day_in_an_address(client: Client, path: str, words: str) -> None:
    answer = client.get(path, headers=JSON)
    assert (answer.status_code, answer.json()["detail"]) == (404, words)


def test_a_day_that_a_form_or_a_program_sends(client: Client) -> None:
    words = "There is no day 2026-02-30: that month has 28 days."
    form = client.get("/rankings/wbgf?on=2026-02-30", headers=JSON)
    assert (form.status_code, form.json()["detail"]) == (400, words)
    page = client.get(f"/rankings/wbgf?on={quote('2026-02-30')}", headers={"accept-language": "de"})
    assert "Den Tag 2026-02-30 gibt es nicht: Dieser Monat hat 28 Tage." in page.text
    api = client.get("/api/v1/rankings/wbgf?as_of=2026-02-30")
    assert api.status_code == 400
    assert [one["what"] for one in api.json()["problems"]] == [words]
