"""A tournament: its places, the points they gave, and what was reported."""

from __future__ import annotations

import pytest

from palmares.journal.store.journal import Journal
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import AsRole, Client
from tests.web.seasons import FIRST, SECOND, SHARED, json, text, winter

MANY = 501


@pytest.fixture
def season(journal: Journal) -> None:
    """A short season."""
    winter(journal)


@pytest.mark.usefixtures("season")
class TestTournament:
    def test_places_and_points(self, client: Client) -> None:
        page = json(client, "/tournaments/Autumn")
        assert (page["name"], page["end_date"]) == ("Autumn Open", "2019-11-15")
        (event,) = page["events"]
        (flight,) = event["flights"]
        assert [(one["regulation"], one["kind"]) for one in flight["columns"]] == [
            ("wbgf", "performance")
        ]
        assert [(row["rank"], row["player_id"], row["nanopoints"]) for row in flight["rows"]] == [
            (1, "P1", [FIRST]),
            (2, "P2", [SECOND]),
            (3, "P3", [SHARED]),
            (3, "P4", [SHARED]),
        ]
        assert flight["bracket"] == []
        html = text(client, "/tournaments/Autumn")
        assert 'content="15 November 2019. Winner: Ada Novák"' in html
        assert 'href="/players/P1/wbgf/2020-01-31/awards/Autumn%2Fmain/main/performance"' in html

    def test_events_that_gave_points_stand_first(self, client: Client, journal: Journal) -> None:
        """By their ids a side event would: it is none of those that the regulation knows."""
        found = say.tables("York", {"P1": 1, "P2": 2}, "2020-01-20")
        for column, value in (("event_id", "York/a"), ("name", "A side event"), ("kind", "other")):
            found["events"][column].append(value)
        for column in ("tournament_id", "entrants", "entry_fee"):
            found["events"][column] *= 2
        found["placings"] = {
            "event_id": ["York/main", "York/main", "York/a", "York/a"],
            "player_id": ["P1", "P2"] * 2,
            "rank": [1, 2] * 2,
        }
        journal.record([say.reported("York", found)], OFFICER)
        events = json(client, "/tournaments/York")["events"]
        assert [one["event"] for one in events] == ["Main", "A side event"]
        assert [bool(one["flights"][0]["columns"]) for one in events] == [True, False]

    def test_versions_and_who_recorded_them(
        self, client: Client, journal: Journal, as_role: AsRole
    ) -> None:
        journal.record([say.report("Autumn", {"P1": 2, "P2": 1})], OFFICER)
        journal.record([say.override("Autumn", entry_fee="200")], OFFICER)
        journal.record([say.undo(8)], OFFICER)
        found = json(client, "/tournaments/Autumn")["versions"]
        assert [(one["entry"], one["kind"], one["counts"], one["undone"]) for one in found] == [
            (8, "override", False, True),
            (7, "report", True, False),
            (5, "report", False, False),
        ]
        journal.record([say.override("Autumn", entry_fee="200")], OFFICER)
        journal.record([say.override("Autumn", entry_fee="300")], OFFICER)
        page = json(client, "/tournaments/Autumn")
        assert page["events"][0]["entry_fee"] == "300"
        assert [(one["entry"], one["counts"]) for one in page["versions"]] == [
            (11, True), (10, False), (8, False), (7, True), (5, False)
        ]  # fmt: skip
        assert "Rita Officer" not in text(client, "/tournaments/Autumn")
        assert "corrected later" in text(client, "/tournaments/Autumn")
        assert "Rita Officer" in text(as_role("director"), "/tournaments/Autumn")

    def test_as_it_was_known_then(self, client: Client, journal: Journal) -> None:
        journal.record([say.report("Autumn", {"P1": 2, "P2": 1})], OFFICER)
        now, then = json(client, "/tournaments/Autumn"), "/tournaments/Autumn?known_at=%236"
        page = json(client, then)
        first = [one["events"][0]["flights"][0]["rows"][0]["player_id"] for one in (now, page)]
        assert first == ["P2", "P1"]
        assert [one["entry"] for one in page["versions"]] == [5]
        html = text(client, then)
        award = "/players/P1/wbgf/2020-01-31/awards/Autumn%2Fmain/main/performance?known_at=%236"
        assert f'href="{award}"' in html
        assert '<a href="/tournaments/Autumn">As it is known now</a>' in html

    def test_all_places_stand_on_the_page(self, client: Client, journal: Journal) -> None:
        ids = [f"Q{number:03}" for number in range(1, MANY + 1)]
        journal.record([say.player(one, f"Player {one}") for one in ids], OFFICER)
        ranks = {one: rank for rank, one in enumerate(ids, start=1)}
        journal.record([say.report("Big", ranks, day="2020-01-20")], OFFICER)
        (flight,) = json(client, "/tournaments/Big")["events"][0]["flights"]
        assert [row["rank"] for row in flight["rows"]] == list(range(1, MANY + 1))
        assert f"Player {ids[-1]}" in text(client, "/tournaments/Big")

    def test_ratings_after_an_event_are_those_of_all_awards(
        self, client: Client, journal: Journal
    ) -> None:
        for name, day, ranks in (
            ("One", "2020-01-10", ("P1", "P2")),
            ("Two", "2020-01-20", ("P2", "P1")),
        ):
            found = say.tables(name, {one: rank for rank, one in enumerate(ranks, start=1)}, day)
            found["tournaments"]["discipline"] = ["diplomacy"]
            found["events"]["rounds"] = [1]
            journal.record([say.reported(name, found)], OFFICER)
        rated = {
            name: {
                row["player_id"]: row["nanopoints"][0]
                for row in json(client, f"/tournaments/{name}")["events"][0]["flights"][0]["rows"]
            }
            for name in ("One", "Two")
        }
        for player in ("P1", "P2"):
            two, one = json(client, f"/players/{player}/dptr")["results"]
            assert (rated["One"][player], rated["Two"][player]) == (
                one["nanopoints"],
                two["nanopoints"],
            )
        assert rated["One"]["P1"] > rated["One"]["P2"]

    def test_one_that_was_withdrawn_or_never_was(self, client: Client, journal: Journal) -> None:
        journal.record([say.withdrawal("Autumn")], OFFICER)
        gone = client.get("/tournaments/Autumn", headers={"accept": "text/html"})
        assert gone.status_code == 404
        assert "withdrawn" in gone.text
        assert client.get("/tournaments/none").status_code == 404
