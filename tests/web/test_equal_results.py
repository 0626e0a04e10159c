"""Equal results share a rank on every page, and whoever has no points is on no list."""

from __future__ import annotations

import pytest

from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.points import equal_results
from tests.web.conftest import Client
from tests.web.seasons import json

DAY = "as_of=2019-12-31"


@pytest.fixture
def orlando(journal: Journal) -> Journal:
    """Ada and Ben won two matches each, Cy won one."""
    journal.record(equal_results.drafts(), OFFICER)
    return journal


def ranks(rows: list[dict[str, object]]) -> tuple[tuple[object, object], ...]:
    return tuple((row["rank"], row["player_id"]) for row in rows)


class TestEqualResults:
    SHARED = ((1, "a"), (1, "b"), (3, "c"))

    @pytest.mark.parametrize(
        "address",
        [
            f"/api/v1/rankings/usbgf?{DAY}",
            f"/api/v1/rankings/usbgf?{DAY}&kind=match&setting=live",
            f"/api/v1/rankings/usbgf/totals?{DAY}",
        ],
    )
    def test_for_programs(self, client: Client, orlando: Journal, address: str) -> None:
        assert ranks(json(client, address)["items"]) == self.SHARED
        first = json(client, f"{address}&limit=1")
        second = json(client, f"{first['next']}")
        assert ranks(first["items"] + second["items"]) == self.SHARED[:2]

    def test_on_pages(self, client: Client, orlando: Journal) -> None:
        assert ranks(json(client, "/rankings/usbgf/2019-12-31")["items"]) == self.SHARED
        page = json(client, "/players/b/usbgf/2019-12-31")
        assert (page["rank"], page["history"][0]["rank"]) == (1, 1)

    def test_among_players_of_a_nation(self, client: Client, orlando: Journal) -> None:
        """The place within the nation goes by points, not by ranks on the whole list."""
        nation = [say.player(one, name, "CZE") for one, name in equal_results.PEOPLE.items()]
        orlando.record(nation, OFFICER)
        (standing,) = json(client, "/nations/CZE")["lists"]
        rows = [
            (row["national_rank"], row["world_rank"], row["player_id"]) for row in standing["rows"]
        ]
        assert rows == [(1, 1, "a"), (1, 1, "b"), (3, 3, "c")]


class TestFreeEntries:
    def free(self, name: str, day: str) -> Draft:
        return say.report(name, {"P1": 1}, day=day, fee="0")

    def test_their_winners_are_on_no_list(self, client: Client, journal: Journal) -> None:
        journal.record([say.player("P1"), self.free("free", "2019-11-15")], OFFICER)
        assert json(client, f"/api/v1/rankings/wbgf?{DAY}")["items"] == []
        page = json(client, "/players/P1/wbgf/2019-12-31")
        assert (page["rank"], page["nanopoints"], len(page["results"])) == (None, None, 1)

    def test_they_make_no_list_the_nearest(self, client: Client, journal: Journal) -> None:
        """Points of 2011 end in 2014; the free entry of 2016 puts nobody on a list."""
        won = say.report("won", {"P1": 1}, day="2011-05-05")
        journal.record([say.player("P1"), won, self.free("free", "2016-06-06")], OFFICER)
        page = json(client, "/rankings/wbgf/2019-12-31")
        assert (page["items"], page["nearest_day"]) == ([], "2011-05-31")
