"""The corrections that touched a player, and what each of them moved."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Actor
from palmares.journal.store.journal import Journal
from palmares.lists.diff import Change, Listing, diff_lists
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.seasons import json, text

FIRST = 6
"""The entry that follows the season."""
DIRECTOR = Actor("Dita Director", "director")
TODAY = datetime.now(UTC).date()
MAY, AUTUMN = (str(TODAY - timedelta(days=ago)) for ago in (200, 30))
"""Corrections are measured on the day on which they are recorded, by the clock of the machine."""


@pytest.fixture
def season(journal: Journal) -> Journal:
    """P1 won in May and was third in Autumn; P2 won then."""
    journal.record(
        [
            *(say.player(one, nation="CZE") for one in ("P1", "P2")),
            say.player("P3", "Cy Far"),
            say.report("May", {"P1": 1, "P3": 2}, day=MAY),
            say.report("Autumn", {"P2": 1, "P3": 2, "P1": 3}, day=AUTUMN),
        ],
        OFFICER,
    )
    return journal


def page(player: str) -> str:
    return f"/players/{player}/wbgf/corrections"


def corrections(client: Client, player: str) -> Any:
    return json(client, f"/api/v1{page(player)}")["items"]


def change(journal: Journal, player: str, day: str, entry: int) -> Change:
    """As `palmares diff` says it: the list of a day, known up to an entry and the one before."""
    with journal.reading() as reader:
        lists = [
            Listing(
                question=Question(regulation="wbgf"),
                projection=load_projection(journal, f"#{known}"),
                selection=Selection(as_of=date.fromisoformat(day)),
            )
            for known in (entry - 1, entry)
        ]
        (found,) = diff_lists(lists[0], lists[1], reader).of_players([player])
    return found


@pytest.mark.parametrize("player", ["P1", "P3"])
def test_each_says_who_when_what_why_and_how_far(
    client: Client, season: Journal, player: str
) -> None:
    assert corrections(client, player) == []
    assert "No correction has touched this player" in text(client, page(player))
    season.record([say.override("May", entry_fee="150")], OFFICER)
    (found,) = corrections(client, player)
    with season.reading() as reader:
        recorded = reader.entry(FIRST)
    day = recorded.recorded_at[:10]
    assert (found["tournament_id"], found["kind"], found["entry"]) == ("May", "override", FIRST)
    assert (found["day"], found["role"], found["reason"]) == (day, "officer", "a slip")
    assert found["what"] == ["Entry fee of Main, May Open: 100 → 150"]
    expected = change(season, player, found["as_of"], FIRST)
    assert (found["rank_before"], found["rank"]) == (expected.rank_a, expected.rank_b)
    assert found["nanopoints_before"] == expected.nanopoints_a
    assert found["nanopoints"] == expected.nanopoints_b
    assert found["change"] == expected.nanopoints != 0
    seen = text(client, page(player))
    assert "Reason: a slip" in seen
    assert f"Points {found['nanopoints_before_points']} → {found['points']}, rank" in seen


def test_a_correction_of_an_expired_result_says_that_it_had_expired(
    client: Client, season: Journal
) -> None:
    words = "This result had expired by then, so its correction moved no points."
    season.record([say.report("Old", {"P1": 1, "P3": 2}, day="2015-05-20")], OFFICER)
    season.record([say.override("Old", entry_fee="150")], OFFICER)
    (found,) = corrections(client, "P1")
    assert (found["change"], found["expired"]) == (0, True)
    assert words in text(client, page("P1"))
    season.record([say.override("May", entry_fee="150")], OFFICER)
    (found, _) = corrections(client, "P1")
    assert found["expired"] is False
    assert text(client, page("P1")).count(words) == 1


def test_an_early_correction_is_measured_when_the_tournament_counts(
    client: Client, season: Journal
) -> None:
    """A report recorded and mended before its last day gives points on that day."""
    days = {"day": "2031-05-20"}
    season.record([say.report("Spring", {"P1": 1, "P2": 2}, **days)], OFFICER)
    season.record([say.report("Spring", {"P2": 1, "P1": 2}, **days)], DIRECTOR)
    (found,) = corrections(client, "P1")
    assert (found["kind"], found["role"], found["as_of"]) == ("report", "director", "2031-05-20")
    assert found["what"] == ["Rank of Player P1, Main, Spring Open: 1 → 2"]
    assert found["change"] < 0
    assert "\N{MINUS SIGN}" in text(client, page("P1"))


def test_who_is_in_the_report_no_longer_sees_it(client: Client, season: Journal) -> None:
    season.record([say.report("Autumn", {"P2": 1, "P1": 2}, day=AUTUMN)], OFFICER)
    season.record([say.instead("May", "P3", "P2")], OFFICER)
    season.record([say.withdrawal("May")], OFFICER)
    found = corrections(client, "P3")
    assert [(one["entry"], one["kind"]) for one in found] == [
        (FIRST + 1, "override"), (FIRST, "report"),
    ]  # fmt: skip
    assert found[1]["what"] == [
        "Entrants of Main, Autumn Open: 3 → 2", "Cy Far, Main, Autumn Open: removed",
    ]  # fmt: skip
    assert "in the place of Cy Far [P3]" in found[0]["what"][0]
    assert all(one["change"] < 0 for one in found)
    assert found[0]["rank"] is None
    (last, *_) = corrections(client, "P1")
    assert (last["kind"], last["reason"]) == ("withdrawal", "never played")
    assert "was withdrawn" in last["what"][0]


def test_rows_of_others_are_told_by_the_report_alone(client: Client, season: Journal) -> None:
    """P1 stays third with the same points; P3, now first there, passes P1."""
    season.record([say.report("Autumn", {"P3": 1, "P2": 2, "P1": 3}, day=AUTUMN)], OFFICER)
    (found,) = corrections(client, "P1")
    assert found["what"] == ["Autumn Open was reported again"]
    assert (found["rank_before"], found["rank"], found["change"]) == (1, 2, 0)
    (other,) = corrections(client, "P3")
    assert other["what"] == ["Rank of Cy Far, Main, Autumn Open: 2 → 1"]


@pytest.mark.usefixtures("season")
def test_the_page_of_the_player_leads_there(client: Client) -> None:
    assert f'href="{page("P1")}"' in client.get("/players/P1/wbgf").text
    assert client.get("/players/P9/wbgf/corrections").status_code == 404


def test_a_merged_record_has_the_name_of_its_player(client: Client, season: Journal) -> None:
    season.record([say.instead("May", "P3", "P2"), say.player("P4", "Di Old")], OFFICER)
    season.record([say.merge("P3", "P4")], OFFICER)
    (found,) = [one for one in corrections(client, "P2") if one["kind"] == "override"]
    assert found["what"][0].endswith("in the place of Di Old [P3] in May Open")


def test_a_correction_before_a_merge_is_the_players(client: Client, season: Journal) -> None:
    """P3 became a part of P4 after the correction that moved P3."""
    season.record([say.report("Autumn", {"P3": 1, "P2": 2, "P1": 3}, day=AUTUMN)], DIRECTOR)
    (before,) = corrections(client, "P3")
    season.record([say.player("P4", "Cy Farr"), say.merge("P3", "P4")], OFFICER)
    (found,) = corrections(client, "P4")
    assert found["entry"] == before["entry"]
    assert (found["rank"], found["change"]) == (before["rank"], before["change"])
    assert found["what"] == [each.replace("Cy Far", "Cy Farr") for each in before["what"]]
