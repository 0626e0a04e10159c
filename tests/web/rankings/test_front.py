"""The front page: the official list beside today's, corrections, a pinned player."""

from __future__ import annotations

from datetime import date

import pytest

from palmares.journal.store.journal import Journal
from palmares.web.http.state import AppState, write_site_settings
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.publications.test_published_pages import publish
from tests.web.seasons import SHARED, WINTER, fading, json, masters, text, winter


@pytest.fixture
def entry(journal: Journal) -> int:
    """The list of the year's end, published."""
    winter(journal)
    return publish(journal)


def test_the_published_list_stands_as_it_was_published(client: Client, entry: int) -> None:
    official = json(client, "/")["official"]
    assert (official["entry"], official["as_of"], official["players"]) == (entry, "2019-12-31", 4)
    assert [(row["rank"], row["player_id"], row["nanopoints"]) for row in official["items"]] == [
        (rank, player, WINTER[player]) for rank, player in enumerate(WINTER, 1)
    ]
    assert [len(row["trend"]) for row in official["items"]] == [12, 12, 12, 0]
    assert official["items"][0]["trend"][-3:] == [0, fading((SHARED, 15)), WINTER["P4"]]
    assert f'<a class="badge good" href="/published/{entry}">' in text(client, "/")


def test_a_merged_record_has_a_name_on_it(client: Client, journal: Journal, entry: int) -> None:
    """P1 is a part of P5, who has all their points; nothing was corrected."""
    assert entry
    journal.record([say.player("P5", "Eva Doe", "CZE"), say.merge("P1", "P5")], OFFICER)
    row = json(client, "/")["official"]["items"][1]
    assert (row["player_id"], row["player"], row["nation"]) == ("P1", "Eva Doe", "CZE")
    assert (row["trend"][-1], json(client, "/")["corrections"]) == (WINTER["P1"], [])


def test_who_was_on_a_list_beside_a_record_has_not_its_rank(
    client: Client, journal: Journal
) -> None:
    """P5, who was new on the second list, had not moved from the rank of P1 on the first."""
    winter(journal)
    publish(journal, date(2019, 11, 30))
    more = say.report("More", {"P5": 1, "P2": 2}, day="2019-12-10")
    journal.record([say.player("P5", "Eva Doe"), more], OFFICER)
    entry = publish(journal)

    def moved() -> list[dict[str, int | None]]:
        lists = json(client, f"/published/{entry}"), json(client, "/")["official"]
        return [{row["player_id"]: row["moved"] for row in each["items"]} for each in lists]

    before = moved()
    assert [each["P5"] for each in before] == [None, None]
    journal.record([say.merge("P1", "P5")], OFFICER)
    assert moved() == before
    (correction,) = json(client, "/")["corrections"]
    assert {row["player"] for row in correction["items"]} == {"Eva Doe"}


def test_the_latest_winners(client: Client, entry: int) -> None:
    assert entry
    found = json(client, "/")["winners"]
    assert [(one["tournament"], one["player_id"]) for one in found] == [
        ("Winter Open", "P4"),
        ("Autumn Open", "P1"),
    ]


def test_a_correction_says_whom_it_moved(client: Client, journal: Journal, entry: int) -> None:
    assert json(client, "/")["corrections"] == []
    swapped = {"P2": 1, "P4": 2, "P3": 3, "P1": 4}
    journal.record([say.report("Winter", swapped, day="2019-12-20")], OFFICER)
    page = json(client, "/")
    assert page["official"]["changes"] == 2
    (corrected,) = page["corrections"]
    assert (corrected["tournament_id"], corrected["players"]) == ("Winter", 2)
    moved = {one["player_id"]: (one["rank_before"], one["rank"]) for one in corrected["items"]}
    assert moved == {"P2": (3, 1), "P4": (1, 3)}
    assert f'<a class="badge warn" href="/published/{entry}">' in text(client, "/")
    assert "Winter Open was reported again." in text(client, "/")


def test_a_climber_was_lifted_by_what_gave_points(client: Client, journal: Journal) -> None:
    """P1 won less than days took and passed P2; P4 won nothing, and P5 lost twice as much."""
    journal.record(
        [
            *(say.player(f"P{number}") for number in range(1, 7)),
            say.report("A", {"P1": 1, "P3": 2}, day="2019-05-20"),
            say.report("B", {"P2": 1, "P3": 2}, day="2019-05-20", fee="101"),
            say.report("C", {"P4": 1, "P6": 2}, day="2019-10-31", fee="30"),
            say.report("D", {"P5": 1, "P6": 2}, day="2018-05-12", fee="60"),
        ],
        OFFICER,
    )
    publish(journal, date(2019, 10, 31))
    journal.record([say.report("New", {"P1": 1, "P6": 2}, day="2020-01-20", fee="5")], OFFICER)
    causes = json(client, "/api/v1/players/P1/wbgf")["figures"]["movement"]["causes"]
    assert [each["cause"] for each in causes] == ["decay", "new result"]
    climbers = {each["player_id"]: each for each in json(client, "/")["climbers"]}
    assert (climbers["P1"]["tournament"], climbers["P1"]["up"]) == ("New Open", 1)
    assert (climbers["P4"]["cause"], climbers["P4"]["nanopoints"]) == ("decay", 0)
    assert text(client, "/").count("Others lost more points.") == 1


def test_todays_list_moved_since_the_list_as_it_was_published(
    client: Client, journal: Journal, entry: int
) -> None:
    """A correction after publication moves whoever it moved: both lists stand side by side."""
    assert entry
    swapped = {"P2": 1, "P4": 2, "P3": 3, "P1": 4}
    journal.record([say.report("Winter", swapped, day="2019-12-20")], OFFICER)
    page = json(client, "/")
    published = {row["player_id"]: row["rank"] for row in page["official"]["items"]}
    (today,) = page["lists"]
    assert today["since"] == page["official"]["as_of"] == page["since"]
    assert {row["player_id"]: row["moved"] for row in today["items"]} == {
        row["player_id"]: published[row["player_id"]] - row["rank"] for row in today["items"]
    }
    assert {row["player_id"]: row["moved"] for row in today["items"]}["P2"] == 3 - 1


def test_each_regulation_has_a_tab(client: Client, journal: Journal) -> None:
    winter(journal)
    masters(journal)
    assert json(client, "/")["regulation"] == "wbgf"
    assert json(client, "/?regulation=usbgf")["regulation"] == "usbgf"
    assert json(client, "/?regulation=dptr")["regulation"] == "wbgf"  # nobody is on that list
    assert client.get("/?regulation=zz").status_code == 404
    assert 'href="/?regulation=usbgf" aria-current="page"' in text(client, "/?regulation=usbgf")


def test_the_federations_words_name_and_logo(client: Client, app_state: AppState) -> None:
    assert "Rankings, with every point explained." in text(client, "/")
    with app_state.journal.database.writing() as connection:
        settings = {
            "name": b"Lakes Federation",
            "words": "Welcome <b>all</b>.\nWir zählen.".encode(),
            "logo_digest": b"abc",
        }
        write_site_settings(connection, settings)
    app_state.snapshot(at_once=True)
    page = text(client, "/")
    assert "<h1>Lakes Federation</h1>" in page
    assert '<p class="quiet breaks">Welcome &lt;b&gt;all&lt;/b&gt;.\nWir zählen.</p>' in page
    assert "every point explained" not in page
    for address in ("/", "/players"):
        assert '<img class="logo" src="/federation/logo?v=abc" alt="">' in text(client, address)
    assert "Lakes Federation" in client.get("/published.atom").text


class TestPinned:
    """A player whom a visitor pins, in a cookie and nowhere else."""

    def test_their_card_stands_on_the_front_page(self, client: Client, entry: int) -> None:
        assert entry
        assert "Your card" not in text(client, "/")
        answer = client.get("/pin/P1", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        own = json(client, "/")["pinned"]
        assert (own["player_id"], own["rank"], own["above"]) == ("P1", 2, "Łukasz Øre")
        assert "Your card" in text(client, "/")
        client.get("/pin")
        assert "Your card" not in text(client, "/")

    def test_another_visitor_does_not_see_it(self, client: Client, entry: int) -> None:
        assert entry
        client.get("/pin/P1")
        assert "Your card" in text(client, "/")
        client.cookies.clear()
        assert "Your card" not in text(client, "/")

    @pytest.mark.parametrize("player", ["nobody", "%00", "P1%3BP2"])
    def test_a_card_of_nobody_is_none(self, client: Client, entry: int, player: str) -> None:
        assert entry
        assert client.get(f"/pin/{player}").status_code in (400, 404)
        client.cookies.set("player", player)  # of an earlier day
        assert json(client, "/")["pinned"] is None

    def test_whose_name_is_withheld_has_no_card(
        self, client: Client, journal: Journal, entry: int
    ) -> None:
        assert entry
        journal.record([say.player("P1", "Ada Novak", withheld=True)], OFFICER)
        answer = client.get("/pin/P1")
        assert answer.status_code == 404
        assert "There is no such player, or their name is withheld." in answer.text


def test_every_page_says_what_movement_is_measured_from(client: Client, journal: Journal) -> None:
    """The last list that was published before; where none was, that of the month before."""
    winter(journal)
    client.get("/pin/P1")
    addresses = (
        "/",
        "/rankings/wbgf",
        "/rankings/wbgf/nations",
        "/nations/CZE",
        "/players/P1/wbgf",
    )
    for address in addresses:
        assert "since 31 December 2019, as known now" in text(client, address), address
    known = "since 31 December 2019, as known then"
    assert known in text(client, "/rankings/wbgf?known_at=%236")
    publish(journal)
    official = "since the official list of 31 December 2019"
    for address in addresses:
        by_nation = address.endswith("nations")  # nothing was published by nation
        assert (official in text(client, address)) is not by_nation, address
    assert text(client, "/").count(official) == 2  # of today's list, and of the reader's card
