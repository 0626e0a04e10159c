"""What players ask of their own page: figures, an event to come, a rival."""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from palmares.core.rounding import to_nanopoints
from palmares.journal.store.journal import Journal
from palmares.points.awards import Question
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.publications.test_published_pages import publish

API = "/api/v1/players/P1/wbgf"
PAGE = "/players/P1/wbgf"


@pytest.fixture
def season(journal: Journal) -> Journal:
    """P1 won in May 2019 and was third in November; P2 won then. The day is 2020-01-31."""
    journal.record(
        [
            *(say.player(one, nation="CZE") for one in ("P1", "P2")),
            say.player("P3", "Cy Far"),
            say.report("May", {"P1": 1, "P3": 2}, day="2019-05-20"),
            say.report("Autumn", {"P2": 1, "P3": 2, "P1": 3}, day="2019-11-15"),
        ],
        OFFICER,
    )
    return journal


def json(client: Client, address: str) -> Any:
    answer = client.get(address, headers={"Accept": "application/json"})
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.mark.usefixtures("season")
class TestFigures:
    def test_losses_the_next_above_and_the_peak(self, client: Client) -> None:
        """The first result ends 1,095 days after 2019-05-20; the days left shrink by 30."""
        page = json(client, API)
        figures = page["figures"]
        assert [one["day"] for one in figures["losses"]] == [
            "2020-03-01", "2020-04-30", "2021-01-30",
        ]  # fmt: skip
        first = figures["losses"][0]
        assert first["left"] == page["nanopoints"] - first["lost"]
        assert figures["next_expiry"]["day"] == "2022-05-19"
        assert figures["peak"]["day"] == "2019-11-15"
        assert (figures["best_rank"]["day"], figures["best_rank"]["rank"]) == ("2019-05-31", 1)
        assert figures["national_rank"] in (1, 2)
        if page["rank"] > 1:
            assert figures["above"]["gap"] > 0

    def test_without_a_published_list_movement_is_that_of_its_list(self, client: Client) -> None:
        movement = json(client, API)["figures"]["movement"]
        assert (movement["since"], movement["day"]) == ("2019-12-31", "2020-01-31")
        assert [one["cause"] for one in movement["causes"]] == ["decay"]


@pytest.mark.usefixtures("season")
class TestGains:
    def test_places_of_an_event_to_come(self, client: Client) -> None:
        found = json(client, f"{API}/gains?players=8&held=2020-03-01&rival=P2")
        assert found["like"]["event_id"] == "Autumn/main"
        places = [(one["first"], one["last"]) for one in found["places"]]
        assert places == [(1, 1), (2, 2), (3, 4), (5, 8)]
        assert found["places"][0]["total"] > found["nanopoints"]
        assert found["rival"]["player_id"] == "P2"
        needed = found["needed"]
        enough = [one for one in found["places"] if one["total"] > found["rival"]["nanopoints"]]
        assert needed == (enough[-1] if enough else None)

    @pytest.mark.parametrize(
        ("query", "problem"),
        [
            ("fee=much", "'much' is no amount"),
            ("held=2019-01-01", "still to come"),
            ("like=nothing", "no event to go by"),
        ],
    )
    def test_what_is_wrong_is_said(self, client: Client, query: str, problem: str) -> None:
        found = json(client, f"{API}/gains?{query}")
        assert problem in found["problems"][0]
        assert found["places"] == []

    @pytest.mark.parametrize("typed", ["many", "-3", "1.5", "9999"])
    def test_players_that_are_no_number_are_said(self, client: Client, typed: str) -> None:
        answer = client.get(PAGE, params={"ask": "yes", "players": typed})
        assert answer.status_code == 400
        assert re.search("not a whole number|At least 0|At most 1,?000", answer.text)

    def test_problems_are_in_the_readers_language(self, client: Client) -> None:
        answer = client.get(f"{PAGE}?players=many&ask=yes", headers={"accept-language": "de"})
        assert "Das ist keine ganze Zahl." in answer.text

    def test_an_event_that_was_left_out_is_none_to_go_by(
        self, client: Client, journal: Journal
    ) -> None:
        """Who has no results is offered the latest events: those that count."""
        circuit = say.tables("Circuit", {"P2": 1}, day="2020-01-10")
        circuit["events"]["not_counted_in"] = ["wbgf"]
        journal.record([say.player("P4"), say.reported("Circuit", circuit)], OFFICER)
        found = json(client, "/api/v1/players/P4/wbgf/gains")
        assert [one["tournament_id"] for one in found["events"]] == ["Autumn", "May"]
        assert found["problems"] == []
        assert len(found["places"]) > 0

    def test_another_event_to_go_by_brings_its_own_numbers(self, client: Client) -> None:
        """What was not typed is not sent with the form; what was typed is."""
        form = client.get(f"{PAGE}?ask=yes&fee=77").text.split('id="gain"')[1].split("</form>")[0]
        entrants = json(client, f"{API}/gains")["like"]["entrants"]
        assert f'max="1000" placeholder="{entrants}"' in form
        assert 'maxlength="10" value="77"' in form
        assert '<option value="" selected>Knockout' in form
        assert client.get(f"{PAGE}?ask=yes&like=nothing&format=swiss").status_code == 200

    def test_every_place_is_on_the_page(self, client: Client) -> None:
        html = client.get(f"{PAGE}?ask=yes&players=40&format=swiss").text
        card = html[html.index('id="gain"') : html.index('id="against"')]
        places = json(client, f"{API}/gains?players=40&format=swiss")["places"]
        assert len(places) == 40
        assert card.count('<th scope="row"') == 40

    def test_diplomacy_has_no_brackets(self, client: Client, journal: Journal) -> None:
        """The rating of 5th is not that of 8th; neither fee nor format changes any."""
        report = say.seen_by_all("World", {"P1": 1, "P2": 2}, "2019-12-01")
        report["tournaments"]["discipline"] = ["diplomacy"]
        journal.record([say.reported("World", report)], OFFICER)
        found = json(client, "/api/v1/players/P1/dptr/gains?format=knockout&players=8")
        assert [(one["first"], one["last"]) for one in found["places"]] == [
            (place, place) for place in range(1, 9)
        ]
        assert len({one["total"] for one in found["places"]}) == 8
        assert found["like"]["format"] == ""
        html = client.get("/players/P1/dptr?ask=yes").text
        assert 'name="players"' in html
        assert '<select name="format"' not in html
        assert 'name="fee"' not in html[: html.index('id="against"')]

    def test_who_is_no_member_hears_that_only_members_earn(
        self, client: Client, journal: Journal
    ) -> None:
        journal.record(
            [
                say.reported("US", say.seen_by_all("US", {"P1": 1, "P2": 2}, "2019-12-01")),
                say.membership("P1", "2019-01-01", "2020-02-15"),
            ],
            OFFICER,
        )
        gains, page = "/api/v1/players/{}/usbgf/gains", "/players/{}/usbgf?ask=yes"
        member, other = (json(client, gains.format(one))["members_of"] for one in ("P1", "P2"))
        assert (member, other) == ("usbgf", "usbgf")  # of P1 it ends before the event
        soon = "?held=2020-02-10"
        assert json(client, gains.format("P1") + soon)["members_of"] == ""
        words = "Only members of USBGF earn points"
        assert words in client.get(page.format("P2")).text
        assert words not in client.get(page.format("P1") + "&held=2020-02-10").text
        assert json(client, f"{API}/gains")["members_of"] == ""
        assert "Points for matches that you win come on top." in client.get(page.format("P2")).text
        assert "come on top" not in client.get(f"{PAGE}?ask=yes").text

    def test_nobody_is_no_player(self, client: Client) -> None:
        assert client.get("/api/v1/players/P9/wbgf/gains").status_code == 404
        assert client.get(f"{API}/gains?rival=P9").status_code == 404
        assert client.get(f"{API}/against/P9").status_code == 404


def test_of_two_who_are_next_above_the_first_by_id_is_named(
    client: Client, journal: Journal
) -> None:
    """Each won a tournament of three; the order of reports does not matter, nor a restart."""
    journal.record([say.player(f"P{number}") for number in range(1, 6)], OFFICER)
    for name, winner in (("A", "P4"), ("B", "P3")):
        journal.record([say.report(name, {winner: 1, "P1": 3, "P2": 2})], OFFICER)
        client.get(PAGE)
    journal.record([say.withdrawal("A")], OFFICER)
    journal.record([say.report("C", {"P4": 1, "P2": 3, "P5": 2})], OFFICER)
    assert json(client, "/api/v1/players/P2/wbgf")["figures"]["above"]["player_id"] == "P3"


@pytest.mark.usefixtures("season")
def test_two_players_beside_each_other(client: Client) -> None:
    found = json(client, f"{API}/against/P3")
    assert found["rival"]["player"] == "Cy Far"
    assert [(one["event_id"], *(one[who]["places"][0]["rank"] for who in ("own", "theirs")))
            for one in found["events"]] == [("Autumn/main", 3, 2), ("May/main", 1, 2)]  # fmt: skip
    assert (found["ahead"], found["behind"]) == (1, 1)
    assert found["months"][-1]["day"] == "2020-01-31"
    assert found["months"][-1]["own"] == json(client, API)["nanopoints"]


@pytest.mark.usefixtures("season")
def test_the_curves_of_two_players_say_their_days(client: Client) -> None:
    """An SVG shows no element of HTML."""
    page = client.get(f"{PAGE}?rival=P3").text
    card = page.split('aria-label="Points over three years')[1].split("</section>")[0]
    drawn = card.rsplit("</svg>", 1)[0]
    assert "31 January 2020</text>" in drawn
    assert "<time" not in drawn
    assert 'value="Cy Far"' in page


def against_rows(client: Client, rival: str) -> list[list[str]]:
    """The cells of the table of common events, in words."""
    card = client.get(f"{PAGE}?rival={rival}").text.split('id="against"')[1].split("</section>")[0]
    rows = re.findall(r"<tr role=\"row\">(<th scope=\"row\".*?)</tr>", card)
    return [[re.sub("<[^>]*>", "", cell).strip() for cell in re.split("</t[hd]>", row)[:-1]]
            for row in rows]  # fmt: skip


def test_places_of_the_main_go_before_those_of_the_consolation(
    client: Client, journal: Journal
) -> None:
    """P3 won the Main, P1 was second; in the Consolation, reported first, P3 was behind P1."""
    tables = say.tables("May", {"P1": 1, "P3": 2}, "2019-05-20")
    flights = ["consolation", "consolation", "main", "main"]
    tables["placings"] = {
        "event_id": ["May/main"] * 4,
        "player_id": ["P1", "P3", "P3", "P1"],
        "rank": [1, 2, 1, 2],
        "flight": flights,
    }
    tables["flights"] = {"event_id": ["May/main"], "flight": ["consolation"], "entrants": [2]}
    journal.record([say.player(one) for one in ("P1", "P3")], OFFICER)
    journal.record([say.reported("May", tables)], OFFICER)
    found = json(client, f"{API}/against/P3")
    assert [[(place["flight"], place["rank"]) for place in found["events"][0][who]["places"]]
            for who in ("own", "theirs")] == [
        [("main", 2), ("consolation", 1)], [("main", 1), ("consolation", 2)]
    ]  # fmt: skip
    assert (found["ahead"], found["behind"]) == (0, 1)
    assert [row[:3] for row in against_rows(client, "P3")] == [
        ["May Open", "2", "1"], ["Consolation", "1", "2"]
    ]  # fmt: skip


def test_who_is_first_rated_by_a_correction_is_told_so(client: Client, journal: Journal) -> None:
    """P2 stands where P3 stood: second of two, from 40 to 39 by 2 4/7 per cent of (25 - 40)."""
    journal.record([say.player(one) for one in ("P1", "P2", "P3")], OFFICER)
    tables = say.tables("D", {"P1": 1, "P3": 2}, "2019-11-01")
    tables["tournaments"]["discipline"] = ["diplomacy"]
    tables["events"]["rounds"] = [2]
    journal.record([say.reported("D", tables)], OFFICER)
    publish(journal, date(2019, 11, 30), question=Question(regulation="dptr"))
    journal.record([say.instead("D", "P3", "P2")], OFFICER)
    movement = json(client, "/api/v1/players/P2/dptr")["figures"]["movement"]
    assert (movement["rank_before"], movement["nanopoints_before"]) == (None, 0)
    ((cause, points),) = [(one["cause"], one["nanopoints"]) for one in movement["causes"]]
    moved = Fraction(18, 7) / 100 * (25 - 40)
    assert (cause, points) == ("correction", to_nanopoints(moved))
    assert movement["nanopoints"] == to_nanopoints(40 + moved)


def test_places_in_different_flights_say_so(client: Client, journal: Journal) -> None:
    """Third in the Main and first of the Consolation: nobody finished ahead."""
    tables = say.tables("May", {"P1": 3, "P2": 1}, "2019-05-20")
    tables["placings"]["flight"] = ["main", "consolation"]
    journal.record([*map(say.player, ("P1", "P2")), say.reported("May", tables)], OFFICER)
    assert [row[:3] for row in against_rows(client, "P2")] == [
        ["May Open", "3", "–"], ["Consolation", "–", "1"]
    ]  # fmt: skip
    page = " ".join(client.get(f"{PAGE}?rival=P2").text.split())
    assert "Events in which you finished ahead: 0; behind: 0." in page


@pytest.mark.usefixtures("season")
def test_another_rival_keeps_the_event_that_was_typed(client: Client) -> None:
    page = client.get(f"{PAGE}?ask=yes&players=8&fee=75&held=2020-03-01").text
    form = page.split('action="/players/P1/wbgf#against"')[1].split("</form>")[0]
    for name, value in (("players", "8"), ("fee", "75"), ("held", "2020-03-01")):
        assert f'<input type="hidden" name="{name}" value="{value}">' in form


@pytest.mark.usefixtures("season")
def test_events_to_go_by_have_their_day(client: Client) -> None:
    """Tournaments of two years may share a name."""
    page = client.get(f"{PAGE}?ask=yes").text
    assert ", 15 November 2019</option>" in page
    assert ", 20 May 2019</option>" in page


@pytest.mark.usefixtures("season")
def test_the_page_of_ones_own_player_says_so(client: Client) -> None:
    assert "This is me" in client.get(PAGE).text
    client.cookies.set("player", "P1")
    own = client.get(PAGE).text
    assert "This is me" not in own
    assert "Your card" in own
    assert "This is me" in client.get("/players/P2/wbgf").text


@pytest.mark.usefixtures("season")
def test_the_curve_of_a_day_ahead_says_what_is_today(client: Client) -> None:
    """The line goes up to today, and so do its figures; the list of the day has fewer points."""
    today = json(client, f"{PAGE}/curve")
    ahead = json(client, f"{PAGE}/2021-06-30/curve")
    assert ahead["nanopoints"] < today["nanopoints"]
    for one in (today, ahead):
        assert one["curve"]["nanopoints"] == today["nanopoints"]
        assert one["curve"]["rank"] == today["rank"]


def test_who_never_had_points_has_none_to_lose(client: Client, journal: Journal) -> None:
    """Not: nothing counts any more."""
    journal.record([say.player("P1"), say.player("P2"), say.report("May", {"P2": 1})], OFFICER)
    html = client.get(PAGE).text
    assert "There are no points to lose." in html
    assert "any more" not in html


@pytest.mark.usefixtures("season")
def test_ones_own_name_is_no_rival(client: Client) -> None:
    for typed in ("P3", "Cy Far", "Zorro"):
        html = client.get("/players/P3/wbgf", params={"rival": typed}).text
        assert "No other player of that name is known." in html


@pytest.mark.usefixtures("season")
def test_every_cause_of_a_movement_is_there(client: Client, journal: Journal) -> None:
    publish(journal)
    new = say.report("New", {"P1": 1, "P3": 2}, day="2020-01-20")
    journal.record([say.override("May", entry_fee="400"), new], OFFICER)
    causes = json(client, API)["figures"]["movement"]["causes"]
    assert {one["cause"] for one in causes} == {"new result", "decay", "correction"}
    html = client.get(PAGE).text
    tiles = html[html.index('class="tiles"') : html.index("</dl>")]
    assert "and 2 other causes" in tiles
    for words in ("New Open", "Points fade as days pass", "A correction"):
        assert words in tiles


def test_who_was_passed_by_others_reads_so(client: Client, journal: Journal) -> None:
    """A rating stays as it is where its player does not play."""
    journal.record([say.player(f"P{number}") for number in range(1, 4)], OFFICER)
    for name, ranks, day in (
        ("A", {"P1": 1, "P2": 2, "P3": 3}, "2019-11-20"),
        ("B", {"P2": 1, "P3": 2}, "2020-01-20"),
    ):
        report = say.seen_by_all(name, ranks, day)
        report["tournaments"]["discipline"] = ["diplomacy"]
        journal.record([say.reported(name, report)], OFFICER)
    movement = json(client, "/api/v1/players/P1/dptr")["figures"]["movement"]
    assert (movement["rank_before"], movement["rank"], movement["causes"]) == (1, 3, [])
    assert "Others won or lost points." in client.get("/players/P1/dptr").text
