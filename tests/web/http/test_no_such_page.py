"""A page after the last one, and a day that no calendar has: said plainly, with a way on."""

from __future__ import annotations

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
    "path",
    [
        "/rankings/wbgf/2020-01-31?page=99",
        "/players?page=99&search=somebody",
        "/tournaments?page=99",
    ],
)
@pytest.mark.usefixtures("season")
def test_a_page_after_the_last(client: Client, path: str) -> None:
    answer = client.get(path, headers=JSON)
    assert answer.status_code == 404
    assert answer.json()["detail"].startswith("There is no page 99: the list has ")


@pytest.mark.usefixtures("season")
def test_the_last_page_is_there(client: Client) -> None:
    page = client.get("/rankings/wbgf/2020-01-31?page=3", headers=JSON)
    assert (page.status_code, page.json()["page"], page.json()["pages"]) == (200, 3, 3)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/rankings/wbgf/2026-02-30", "There is no day 2026-02-30."),
        ("/rankings/wbgf/2024-02-30", "There is no day 2024-02-30."),
        ("/rankings/wbgf/2026-13-01", "There is no day 2026-13-01."),
        (
            "/rankings/wbgf/2026-02-30/nations",
            "There is no day 2026-02-30.",
        ),
        ("/api/v1/rankings/wbgf/2026-02-30", "There is no day 2026-02-30."),
        ("/rankings/wbgf/2026-02-3", "There is nothing at this address."),
        ("/nothing/2026-02-28", "There is nothing at this address."),
    ],
)
def test_a_day_in_an_address(client: Client, path: str, words: str) -> None:
    answer = client.get(path, headers=JSON)
    assert (answer.status_code, answer.json()["detail"]) == (404, words)


def test_a_day_that_a_form_or_a_program_sends(client: Client) -> None:
    words = "There is no day 2026-02-30."
    for address in ("/rankings/wbgf", "/api/v1/rankings/wbgf"):
        answer = client.get(f"{address}?as_of=2026-02-30", headers=JSON)
        assert answer.status_code == 400
        assert [problem["what"] for problem in answer.json()["problems"]] == [words]
