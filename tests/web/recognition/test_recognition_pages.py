"""Races and levels as anyone sees them: standings, finals, who reached which level."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from palmares.formats.load import gathered
from palmares.journal.commands.announcements import declare_race, parse_race, set_levels
from palmares.journal.commands.reports import report
from palmares.journal.commands.transaction import record_entries
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal
from palmares.lists.publication import make_publication
from palmares.lists.publication.manifests import record_publication
from palmares.lists.races import race_selection
from palmares.points.awards import Question
from tests.journal.statements import OFFICER
from tests.web.conftest import Client

EXAMPLES = Path(__file__).parents[3] / "examples"
RACE = (EXAMPLES / "race-2019.toml.example").read_text(encoding="utf-8")
LEVELS = (EXAMPLES / "recognition-levels.toml.example").read_text(encoding="utf-8")


@pytest.fixture
def season(journal: Journal) -> Journal:
    """The published results of a weekend and of an online divisional, both of 2019."""
    record_entries(journal, OFFICER, report(gathered(str(EXAMPLES / "usbgf"))))
    record_entries(journal, OFFICER, declare_race(RACE))
    record_entries(journal, OFFICER, set_levels("usbgf", LEVELS))
    return journal


def test_a_race_has_standings_as_of_any_day(season: Journal, client: Client) -> None:
    assert "Points race 2019" in client.get("/races").text
    data = client.get("/api/v1/races/points-2019?as_of=2019-12-31&limit=2").json()
    assert [(row["rank"], row["player"]) for row in data["items"]] == [
        (1, "Ed O'Laughlin"),
        (2, "Alan Grunwald"),
    ]
    assert data["race"]["final"] is True
    assert client.get("/api/v1/races/points-2019?as_of=2019-01-31").json()["items"] == []
    page = client.get("/races/points-2019?as_of=2019-12-31").text
    assert "Ed O&#39;Laughlin" in page
    assert "division 1, 2" in page


def test_standings_are_files_too(season: Journal, client: Client) -> None:
    """The same places as the API gives, with points to their last digit."""
    address = "/races/points-2019?as_of=2019-12-31"
    page = client.get(address).text
    items = client.get(f"/api/v1{address}").json()["items"]
    wanted = [[str(row["rank"]), row["player"]] for row in items]
    assert wanted[:1] == [["1", "Ed O'Laughlin"]]
    answer = client.get(f"{address}&format=csv")
    rows = [row.split(",") for row in answer.text.splitlines() if row[:1].isdigit()]
    assert [[row[0], row[2]] for row in rows] == wanted
    assert [Decimal(row[4]) for row in rows] == [
        Decimal(row["nanopoints"]).scaleb(-9) for row in items
    ]
    assert answer.headers["Content-Disposition"] == (
        'attachment; filename="points-2019-2019-12-31.csv"'
    )
    for form, begin in {"xlsx": b"PK", "pdf": b"%PDF", "json": b"["}.items():
        assert f"format={form}" in page
        assert client.get(f"{address}&format={form}").content.startswith(begin)
    assert client.get(f"{address}&format=ods").status_code == 400
    assert client.get("/races/none?format=csv").status_code == 404


def test_a_day_without_a_list_is_refused(season: Journal, client: Client) -> None:
    """There is no week before the first day of all."""
    for day in ("0001-01-01", "9999-12-31"):
        assert client.get(f"/races/points-2019?as_of={day}").status_code == 400


def test_what_was_won_in_the_last_week(season: Journal, client: Client) -> None:
    """The weekend ended on 17 March: all of it on the 20th, nothing a week later."""
    for day, gains in (("2019-03-20", True), ("2019-03-27", False)):
        data = client.get(f"/api/v1/races/points-2019?as_of={day}").json()
        assert [row["gained"] != 0 for row in data["items"]] == [gains] * len(data["items"])
    html = client.get("/races/points-2019?as_of=2019-03-20").text
    assert "since 13 March 2019, as known now" in html


def test_a_race_has_the_line_of_a_list(season: Journal, client: Client) -> None:
    """A name, a nation, the reader's own row, and rows that open to what counts in the race."""
    address = "/races/points-2019?as_of=2019-12-31"
    everyone = client.get(f"/api/v1{address}").json()["items"]
    who = everyone[1]
    assert who["player"] == "Alan Grunwald"
    data = client.get(f"/api/v1{address}&search=grunwald").json()
    assert [row["player_id"] for row in data["items"]] == [who["player_id"]]
    assert data["items"][0]["rank"] == 2
    assert client.get(f"/api/v1{address}&nation=CZE").json()["items"] == []
    client.get(f"/pin/{who['player_id']}", headers={"accept": "text/html"})
    page = client.get(f"{address}&open={who['player_id']}").text
    assert '<tr role="row" class="me" id="me">' in page
    assert 'aria-expanded="true" aria-label="Best results of Alan Grunwald"' in page
    assert "The list has other points" not in page
    asked = client.get(f"{address}&open={who['player_id']}", headers={"accept": "application/json"})
    opened = asked.json()["opened"]
    assert abs(opened["together"] - who["nanopoints"]) <= opened["results"]
    assert client.get(f"{address}&open=nobody").status_code == 404


def test_a_published_final_is_named(season: Journal, client: Client) -> None:
    projection = load_projection(season)
    selection = race_selection(parse_race(RACE), date(2020, 2, 2))
    made = make_publication(
        Question(regulation="usbgf"), projection.facts, selection, head=projection.state.head
    )
    published, _ = record_publication(season, made.publication, OFFICER)
    entry = published.recorded_entry().sequence
    data = client.get("/api/v1/races/points-2019").json()
    assert data["published"] == [{"entry": entry, "as_of": "2019-12-31"}]
    assert f"/published/{entry}" in client.get("/races/points-2019").text


def test_a_list_under_chosen_rules_is_no_final(season: Journal, client: Client) -> None:
    projection = load_projection(season)
    made = make_publication(
        Question(regulation="usbgf", chosen={"U10": "sum"}),
        projection.facts,
        race_selection(parse_race(RACE), date(2020, 2, 2)),
        head=projection.state.head,
    )
    record_publication(season, made.publication, OFFICER)
    assert client.get("/api/v1/races/points-2019").json()["published"] == []


def test_who_reached_which_level(season: Journal, client: Client) -> None:
    data = client.get("/api/v1/levels/usbgf").json()
    assert [(level["level"], level["players"]) for level in data["levels"]] == [
        ("Club Master", 1),
        ("Regional Master", 0),
        ("National Master", 0),
        ("Life Master", 0),
    ]
    (row,) = data["items"]
    assert (row["player"], row["level"], row["effective"]) == (
        "Ed O'Laughlin", "Club Master", "2019-03-17",
    )  # fmt: skip
    assert "Club Master" in client.get("/levels/usbgf").text
    assert "Club Master" in client.get(f"/players/{row['player_id']}/usbgf").text
    assert "Club Master" in client.get("/rankings/usbgf/2019-12-31/totals").text


def test_the_feed_of_levels(season: Journal, client: Client) -> None:
    titles = re.findall("<title>(.*)</title>", client.get("/levels/usbgf/feed.atom").text)
    assert titles[1:] == ["Ed O&#39;Laughlin: Club Master"]


@pytest.mark.parametrize("path", ["/races/none", "/levels/wbgf", "/levels/usbgf/feed.atom"])
def test_what_is_not_there(journal: Journal, client: Client, path: str) -> None:
    assert client.get(path).status_code == 404
