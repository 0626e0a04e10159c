"""Rankings for programs: the same as the pages, in pages of their own."""

from __future__ import annotations

from datetime import date

import pytest

from palmares.core.rounding import points_text
from palmares.journal.store.journal import Journal
from palmares.web.app import site
from palmares.web.settings import Settings
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.http.test_errors import changed
from tests.web.seasons import WINTER, json, winter

LIST = "/api/v1/rankings/wbgf?as_of=2019-12-31"


def test_a_ranking_is_the_one_of_the_page(client: Client, journal: Journal) -> None:
    winter(journal)
    told = json(client, LIST)
    page = json(client, "/rankings/wbgf/2019-12-31")["items"]
    for row, shown in zip(told["items"], page, strict=True):
        figures, shown_figures = row.pop("figures"), shown.pop("figures")
        assert (figures["results"], figures["counting"]) == (2, 2)
        assert figures["trend"] == shown_figures["trend"]
        assert figures["trend"][-1] == row["nanopoints"]
        assert figures["trend_points"][-1] == row["points"]
        assert figures["last"]["tournament_id"] == "Winter"
    assert told["items"] == [
        {"rank": rank, "world_rank": rank, "national_rank": national, "player_id": one,
             "player": name, "nation": nation,
         "nanopoints": WINTER[one], "points": points_text(WINTER[one]), "moved": moved}
        for rank, national, one, name, nation, moved in (
            (1, 1, "P4", "Łukasz Øre", "DEU", 2), (2, 1, "P1", "Ada Novák", "CZE", -1),
            (3, 2, "P2", "Ben Ode", "DEU", -1), (4, None, "P3", "=1+1", None, -1),
        )
    ]  # fmt: skip
    assert told["items"] == [one | {"points": points_text(one["nanopoints"])} for one in page]
    assert (told["players"], told["entry"], told["next"]) == (4, 6, None)


def test_what_is_asked_for(client: Client, journal: Journal) -> None:
    winter(journal)
    for more, ids in (
        ("&nation=DEU", ["P4", "P2"]),
        ("&search=novak", ["P1"]),
        ("&known_at=%235", ["P1", "P2", "P3", "P4"]),
        ("&limit=1", ["P4"]),
    ):
        assert [one["player_id"] for one in json(client, LIST + more)["items"]] == ids, more
    assert json(client, "/api/v1/rankings/wbgf")["as_of"] == "2020-01-31"


def walk(client: Client, address: str) -> list[str]:
    """The ids of a whole list, page by page."""
    found: list[str] = []
    while address:
        told = json(client, address)
        found += [one["player_id"] for one in told["items"]]
        address = told["next"]
    return found


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5])
def test_all_pages_together_are_the_list(client: Client, journal: Journal, limit: int) -> None:
    winter(journal)
    assert walk(client, f"{LIST}&limit={limit}") == ["P4", "P1", "P2", "P3"]


def test_all_pages_are_of_one_list(client: Client, journal: Journal) -> None:
    """What is recorded between two pages is on the list that is begun after it."""
    winter(journal)
    first = json(client, f"{LIST}&limit=2")
    late = {"P3": 1, "P1": 2, "P2": 3, "P4": 4}
    journal.record([say.report("Late", late, day="2019-12-30")], OFFICER)
    second = json(client, first["next"])
    assert [one["player_id"] for one in first["items"] + second["items"]] == [
        "P4", "P1", "P2", "P3",
    ]  # fmt: skip
    assert (first["entry"], second["entry"], second["next"]) == (6, 6, None)
    assert [one["nanopoints"] for one in second["items"]] == [WINTER["P2"], WINTER["P3"]]
    assert walk(client, f"{LIST}&limit=2") == ["P1", "P3", "P4", "P2"]


def test_a_list_that_was_begun_before_midnight_is_of_that_day(settings: Settings) -> None:
    days = [date(2020, 1, 31)]
    with Client(site(changed(settings, day=lambda: days[0]))) as client:
        winter(client.app.state.app_state.journal)
        first = json(client, "/api/v1/rankings/wbgf?limit=2")
        days[0] = date(2020, 2, 1)
        second = json(client, first["next"])
        assert (first["as_of"], second["as_of"]) == ("2020-01-31", "2020-01-31")
        assert json(client, "/api/v1/rankings/wbgf")["as_of"] == "2020-02-01"
