"""
Bridge events as pages, from the league of the examples and one whose boards are known.

Over 16 boards 38 IMPs are 17.85; Heron and Kingfisher have 64.87 VPs each, and Kingfisher won their
match 15.74 to 4.26. 420 to 450 is 1 IMP for the visitors; 620 to 100 is 11 for the home side.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from typing import Any, ClassVar

import pytest

from palmares.journal.store.journal import Journal
from tests.journal.statements import OFFICER, report, withdrawal
from tests.web.conftest import Client
from tests.web.leagues import BOARDS, LEAGUE, recorded
from tests.web.visits import JSON

EVENT = "/events/water-birds-league-2024-03-05%2Fopen-teams"
YORK = "/events/york%2Fteams"


@pytest.fixture
def league(journal: Journal) -> None:
    """Both events are in the journal."""
    recorded(journal, LEAGUE)
    recorded(journal, BOARDS)


def asked(client: Client, path: str) -> Any:
    """A page as JSON; as HTML it is there, too."""
    assert client.get(path).status_code == 200
    return client.get(path, headers=JSON).json()


def drawn(client: Client, path: str) -> list[str]:
    """The line of each team on a page."""
    return re.findall(r'<polyline class="line" points="([^"]*)"', client.get(path).text)


@pytest.mark.usefixtures("league")
class TestEvent:
    def test_the_list(self, client: Client) -> None:
        page = asked(client, EVENT)
        assert [(one["rank"], one["name"], one["points"]) for one in page["teams"]] == [
            (1, "Kingfisher", "64.87"),
            (2, "Heron", "64.87"),
            (3, "Lapwing", "57.18"),
            (4, "Nightjar", "44.02"),
            (5, "Plover", "38.70"),
            (6, "Osprey", "29.86"),
        ]
        nightjar = page["teams"][3]
        assert (nightjar["match_points"], nightjar["adjustments"]) == ("44.52", "-0.50")
        html = client.get(EVENT).text
        assert "\u22120.50" in html
        assert "-0.50" not in html
        for one in page["teams"]:
            assert one["points"] in html

    def test_ties_in_words(self, client: Client) -> None:
        (tie,) = asked(client, EVENT)["ties"]
        assert tie["steps"] == ["Kingfisher ahead on VPs between the tied teams: 15.74 to 4.26"]
        assert tie["order"] == ["Kingfisher", "Heron"]

    def test_crosstable_and_totals(self, client: Client) -> None:
        page = asked(client, EVENT)
        first = page["crosstable"][0]
        assert first["cells"][:2] == [[], ["15.74"]]
        heron = page["running_totals"][1]
        assert heron == ["0.00", "17.85", "35.02", "46.22", "60.61", "64.87"]

    def test_another_scale_after_a_round(self, client: Client) -> None:
        page = asked(client, f"{EVENT}?scale=discrete&until=1")
        assert page["more_rounds"]
        assert page["running_rounds"] == ["1"]
        assert page["teams"][0]["points"] == "18.00"  # 38 IMPs are 18 of the discrete scale

    def test_why(self, client: Client) -> None:
        why = asked(client, f"{EVENT}?team=Heron")["explanation"]
        assert why["points"] == "64.87"
        assert [part["points"] for part in why["parts"]] == [
            "17.85", "17.17", "11.20", "14.39", "4.26",
        ]  # fmt: skip
        first = {one["clause"]: one["value"] for one in why["parts"][0]["lines"]}
        assert first == {"wbf-standings margin": "38", "wbf-vp winner": "1785"}
        html = client.get(f"{EVENT}?team=Heron").text
        assert "round 1, against Plover, 16 boards" in html

    def test_boards(self, client: Client) -> None:
        page = asked(client, f"{YORK}?match=m1")
        boards = page["boards"]
        assert [(one["home_imps"], one["away_imps"]) for one in boards["rows"]] == [(0, 1), (11, 0)]
        assert (boards["home_imps"], boards["away_imps"]) == (11, 1)
        (first, second) = page["matches_by_round"]
        assert first[0]["by_boards"]
        assert not second[0]["by_boards"]

    def test_names_are_escaped(self, client: Client) -> None:
        html = client.get(YORK).text
        assert "<Teams>" not in html
        assert "Open &lt;Teams&gt;" in html

    @pytest.mark.parametrize("query", ["scale=x", "until=9", "team=Nobody", "match=m2"])
    def test_what_is_not_there(self, client: Client, query: str) -> None:
        answer = client.get(f"{YORK}?{query}", headers=JSON)
        assert answer.status_code == 400
        assert "Traceback" not in answer.text

    def test_every_event_is_listed(self, client: Client) -> None:
        listed = asked(client, "/bridge")["items"]
        assert [(one["event"], one["teams"], one["matches"]) for one in listed] == [
            ("Open <Teams>", 2, 2),
            ("Open Teams", 6, 15),
        ]

    def test_its_lines(self, client: Client) -> None:
        """Two teams: one is as far above their average as the other is below it."""
        page = asked(client, YORK)
        heron, coot = drawn(client, YORK)
        assert page["running_totals"] == [
            ["0.00", "16.46", "26.46"],
            ["0.00", "3.54", "13.54"],
        ]
        assert (heron, coot) == ("0,12 50,2 100,2", "0,12 50,22 100,22")
        assert client.get(YORK).text.count('<svg class="spark"') == 2

    def test_its_lines_after_a_round(self, client: Client) -> None:
        lines = drawn(client, f"{EVENT}?until=2")
        assert [len(line.split()) for line in lines] == [3] * 6


def test_other_events_have_no_page_of_their_own(client: Client, journal: Journal) -> None:
    journal.record([report("Oslo", {"a": 1, "b": 2})], OFFICER)
    for name in ("Oslo%2Fmain", "nothing"):
        answer = client.get(f"/events/{name}")
        assert answer.status_code == 404
        assert "There is no such event of bridge teams." in answer.text
    assert client.get("/bridge", headers=JSON).json()["items"] == []


class TestNames:
    """Teams that the matches call 1, 2 and 3; the first two drew, and have 10 VPs each."""

    DRAWN = """
[tournament]
id = "x"
name = "X Cup"
discipline = "bridge"
end_date = 2024-04-05
[[event]]
id = "x/t"
name = "Teams"
team_matches = "1: 1 140-140 2 (16)"
teams = [{team = "1", name = "Alpha"}, {team = "2", name = "Bravo"}, {team = "3", name = "Cee"}]
"""

    def test_ties_and_why(self, client: Client, journal: Journal) -> None:
        recorded(journal, self.DRAWN)
        page = asked(client, "/events/x%2Ft?team=1")
        (tie,) = page["ties"]
        assert (tie["teams"], tie["order"]) == (["Alpha", "Bravo"], ["Alpha = Bravo"])
        assert tie["steps"][-1].endswith("no lot was entered for Alpha and Bravo")
        assert page["teams"][1]["tie_break"].endswith("shares the rank with Alpha")
        assert page["explanation"]["heading"].endswith("shares the rank with Bravo")
        assert [one["what"] for one in page["explanation"]["parts"]] == [
            "round 1, against Bravo, 16 boards"
        ]


class TestLanguages:
    """Alpha and Bravo drew twice, with 2.5 IMPs carried by each at last, and had a bye: 32 VPs."""

    LEVEL = """
[tournament]
id = "x"
name = "X Cup"
discipline = "bridge"
end_date = 2024-04-05
[[event]]
id = "x/t"
name = "Teams"
team_matches = "1: 1 30-30 2 (16)"
teams = [{team = "1", name = "Alpha"}, {team = "2", name = "Bravo"},
         {team = "3", name = "Cee", withdrawn = true}]
[[event.team_match]]
round = "2"
home = "1"
away = "2"
boards = 16
home_imps = 30
away_imps = 30
home_carry_imps = 2.5
away_carry_imps = 2.5
away_adjust_vp = 1.5
[[event.team_match]]
round = "2"
home = "2"
away = "3"
status = "void"
boards = 1
home_adjust_vp = -1.5
[[event.team_match]]
round = "3"
home = "1"
status = "bye"
[[event.team_match]]
round = "3"
home = "2"
status = "bye"
"""

    @pytest.fixture
    def told(self, client: Client, journal: Journal) -> Callable[[str], str]:
        """The words of a page of Bravo's total in a language."""
        recorded(journal, self.LEVEL)

        def in_a_language(tag: str) -> str:
            headers = {"Accept": "text/html", "Accept-Language": tag}
            html = client.get("/events/x%2Ft?team=2", headers=headers).text
            return re.sub(r"\s*\n\s*", " ", unescape(re.sub(r"<[^>]+>", "", html)))

        return in_a_language

    def test_english(self, told: Callable[[str], str], client: Client) -> None:
        words = told("en")
        assert "Bravo: 32.00 VPs, rank 1 in Teams; VPs between the tied teams: level at" in words
        for part in (
            "round 1, against Alpha, 16 boards",
            "round 2, adjustment",
            "round 2, against Cee, 1 board: void",
            "round 3, bye",
        ):
            assert part in words
        assert "62.5–62.5" in words
        why = asked(client, "/events/x%2Ft?team=2")["explanation"]
        (bye,) = why["parts"][-1]["lines"]
        given = bye["inputs"]
        assert given["set_by_director"] == "–"

    @pytest.mark.parametrize(
        ("tag", "expected"),
        [
            ("de", (
                "Bravo: 32,00 VP, Rang 1 in Teams; VP im direkten Vergleich: gleich mit 20,00; ",
                "IMP-Quotient: gleich mit 62,5/62,5 = 1,0000; ",
                "für Alpha und Bravo wurde kein Los eingetragen; teilt den Rang mit Alpha",
                "Runde 1, gegen Alpha, 16 Boards", "Runde 2, Korrektur",
                "Runde 2, gegen Cee, 1 Board: ungültig", "Runde 3, Freilos",
                "62,5–62,5", "32,5–32,5", "Bravo: \u22121,50 VP",
                "Cee ist ausgeschieden: Seine Matches sind ungültig",
            )),
            ("fr", (
                "Bravo\u00a0: 32,00 PV, rang 1 dans Teams\u202f; PV entre les équipes à égalité",
                "62,5/62,5 = 1,0000",
                "aucun tirage au sort n’a été saisi pour Alpha et Bravo",
                "tour 1, contre Alpha, 16 donnes", "tour 2, ajustement",
                "tour 2, contre Cee, 1 donne\u00a0: annulé", "tour 3, exempt",
                "62,5–62,5", "32,5–32,5", "Bravo\u00a0: \u22121,50 PV",
                "Cee s’est retirée\u00a0: ses matchs sont annulés",
            )),
        ],
        ids=["German", "French"],
    )  # fmt: skip
    def test_others(self, told: Callable[[str], str], tag: str, expected: tuple[str, ...]) -> None:
        words = told(tag)
        assert [one for one in expected if one not in words] == []

    def test_what_is_not_there(self, told: Callable[[str], str], client: Client) -> None:
        told("de")
        headers = {"Accept": "text/html", "Accept-Language": "de"}
        for query, words in (
            ("until=9", "Teams hat keine Runde 9. Es gibt: 1, 2, 3."),
            ("team=Z", "Es gibt kein Team Z. Es gibt: Alpha, Bravo, Cee."),
        ):
            assert words in client.get(f"/events/x%2Ft?{query}", headers=headers).text


class TestAsItWasKnown:
    """
    In round 5 Lapwing beat Plover by 46 to 9, 17.72 to 2.28, as was reported first (entry 1). A
    correction had it the other way round (2); at last the tournament was withdrawn (3).
    """

    TOURNAMENT = EVENT.partition("%2F")[0].replace("/events/", "/tournaments/")
    FIRST: ClassVar = {"Lapwing": "57.18", "Plover": "38.70"}
    CORRECTED: ClassVar = {"Lapwing": "41.74", "Plover": "54.14"}  # 15.44 = 17.72 - 2.28 less, more

    @pytest.fixture(autouse=True)
    def _reports(self, journal: Journal) -> None:
        recorded(journal, LEAGUE)
        recorded(journal, LEAGUE.replace("5: Lapwing 46-9 Plover", "5: Lapwing 9-46 Plover"))
        journal.record([withdrawal(self.TOURNAMENT.removeprefix("/tournaments/"))], OFFICER)

    @staticmethod
    def points(page: Any) -> dict[str, str]:
        found = {one["name"]: one["points"] for one in page["teams"]}
        return {name: found[name] for name in ("Lapwing", "Plover")}

    def test_the_list(self, client: Client) -> None:
        assert self.points(asked(client, f"{EVENT}?known_at=%231")) == self.FIRST
        assert self.points(asked(client, f"{EVENT}?known_at=%232")) == self.CORRECTED
        told = asked(client, f"/api/v1/bridge{EVENT}?known_at=%231")
        assert (told["known_at"], self.points(told)) == ("#1", self.FIRST)
        for address in (EVENT, f"{EVENT}?known_at=%233", f"/api/v1/bridge{EVENT}"):
            assert client.get(address).status_code == 404
        assert client.get(f"{EVENT}?known_at=%2399").status_code == 400

    def test_its_links_stay_there(self, client: Client) -> None:
        then = client.get(f"{self.TOURNAMENT}?known_at=%231").text
        assert f'href="{EVENT}?known_at=%231"' in then
        html = client.get(f"{EVENT}?known_at=%231&scale=discrete&until=4").text
        assert "As it was known at #1" in html
        assert f'href="{EVENT}?scale=discrete">As it is known now' in html
        assert f'href="{self.TOURNAMENT}?known_at=%231"' in html
        assert '<input type="hidden" name="known_at" value="#1">' in html
        (lapwing,) = {
            one for one in re.findall(r'(?:href|hx-get)="([^"#]+)', html) if "team=Lapwing" in one
        }
        why = asked(client, unescape(lapwing))
        assert (why["known_at"], why["until"], why["explanation"]["name"]) == ("#1", "4", "Lapwing")
