"""The front page, players, tournaments and nations: what people look for."""

from __future__ import annotations

import re

import pytest

from palmares.journal.store.journal import Journal
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.seasons import FIRST, SECOND, SHARED, WINTER, fading, json, text, winter

TODAY = {player: rank for rank, player in enumerate(WINTER, start=1)}


@pytest.fixture
def season(journal: Journal) -> None:
    """A short season."""
    winter(journal)


@pytest.mark.usefixtures("season")
def test_a_player_is_found_from_every_page(client: Client) -> None:
    for address in ("/", "/rankings/wbgf", "/players/P1", "/tournaments/Autumn", "/regulations"):
        assert '<form method="get" action="/search" role="search"' in text(client, address), address
    assert 'role="search" aria-label="Search"' not in text(client, "/search")  # it has its own


@pytest.mark.usefixtures("season")
def test_the_front_page_says_whether_anybody_moved(client: Client, journal: Journal) -> None:
    unmoved = "Nobody has moved since then."
    assert (json(client, "/")["lists"][0]["changed"], unmoved in text(client, "/")) == (False, True)
    assert "Movement since 31 December 2019" in text(client, "/")
    journal.record([say.report("New", {"P3": 1, "P1": 2}, day="2020-01-20")], OFFICER)
    (one,) = json(client, "/")["lists"]
    assert one["changed"]
    assert unmoved not in text(client, "/")


def test_a_journal_of_nothing(client: Client) -> None:
    assert "No tournament has been reported yet." in text(client, "/")
    assert json(client, "/")["lists"] == []
    assert json(client, "/rankings/wbgf")["items"] == []
    assert json(client, "/players?search=a")["items"] == []
    assert json(client, "/tournaments")["items"] == []


@pytest.mark.usefixtures("season")
class TestFront:
    def test_current_lists_and_the_latest_tournaments(self, client: Client) -> None:
        page = json(client, "/")
        (one,) = page["lists"]
        assert (one["regulation"], one["as_of"], one["before"]) == (
            "wbgf",
            "2020-01-31",
            "2019-12-31",
        )
        assert [row["player_id"] for row in one["items"]] == list(WINTER)
        assert [row["name"] for row in page["tournaments"]] == ["Winter Open", "Autumn Open"]
        html = text(client, "/")
        assert 'href="/tournaments/Winter"' in html
        assert 'href="/rankings/wbgf/nations"' in html

    def test_who_moved_up(self, client: Client, journal: Journal) -> None:
        journal.record([say.report("New", {"P3": 1, "P1": 2}, day="2020-01-28")], OFFICER)

        climber = json(client, "/")["climbers"][0]
        assert (climber["player_id"], climber["up"], climber["tournament"]) == ("P3", 2, "New Open")
        assert "Biggest climbers" in text(client, "/")

    def test_the_last_list_where_all_have_faded(self, client: Client, journal: Journal) -> None:
        journal.record([say.withdrawal("Winter"), say.withdrawal("Autumn")], OFFICER)
        assert json(client, "/")["lists"] == []
        old = say.report("Old", {"P1": 1, "P2": 2}, day="2010-05-20")
        journal.record([old], OFFICER)
        (one,) = json(client, "/")["lists"]
        assert (one["as_of"], one["before"]) == ("2010-05-31", "2010-04-30")
        assert 'href="/rankings/wbgf/2010-05-31"' in text(client, "/")


@pytest.mark.usefixtures("season")
class TestFinding:
    def test_a_player_on_every_list(self, client: Client) -> None:
        page = json(client, "/players?search=LUKASZ")
        (row,) = page["items"]
        assert row["player"] == "Łukasz Øre"
        (standing,) = row["standings"]
        assert (standing["regulation"], standing["rank"]) == ("wbgf", TODAY["P4"])
        html = text(client, "/players?search=LUKASZ")
        assert 'href="/players/P4"' in html
        assert 'href="/players/P4/wbgf"' in html  # today's list

    def test_a_rank_of_the_last_list_leads_to_that_list(
        self, client: Client, journal: Journal
    ) -> None:
        assert 'href="/players/P1/wbgf"' in text(client, "/players?search=novak")  # today's
        journal.record([say.withdrawal("Winter"), say.withdrawal("Autumn")], OFFICER)
        journal.record([say.report("Old", {"P1": 1, "P2": 2}, day="2010-05-20")], OFFICER)
        (standing,) = json(client, "/players?search=novak")["items"][0]["standings"]
        address = "/players/P1/wbgf/2010-05-31"
        assert f'href="{address}"' in text(client, "/players?search=novak")
        there = json(client, address)
        for name in ("as_of", "rank", "nanopoints"):
            assert there[name] == standing[name]

    def test_nobody(self, client: Client) -> None:
        assert "Nobody of that name." in text(client, "/players?search=zzz")
        assert "There are 4 players." in text(client, "/players")

    @pytest.mark.parametrize(
        ("typed", "player"),
        [
            ("novka", "P1"),
            ("nowak", "P1"),
            ("lukas ore", "P4"),
            ("Новак", "P1"),
            ("nvak", "P1"),
            ("adanovak", "P1"),
        ],
    )
    def test_one_letter_wrong_and_other_scripts(
        self, client: Client, typed: str, player: str
    ) -> None:
        """Two letters in the wrong order are one mistake."""
        found = json(client, f"/api/v1/players?search={typed}")["items"]
        assert [row["player_id"] for row in found] == [player]

    @pytest.mark.parametrize("typed", ["wintr", "Wïnter", "автумн"])
    def test_tournaments_are_found_as_players_are(self, client: Client, typed: str) -> None:
        names = {"w": "Winter Open", "W": "Winter Open", "а": "Autumn Open"}
        found = json(client, f"/api/v1/tournaments?search={typed}")["items"]
        assert [row["name"] for row in found] == [names[typed[0]]]

    @pytest.mark.parametrize("typed", ["adb", "navok", "zzzz"])
    def test_two_letters_wrong_or_a_short_word_find_nobody(
        self, client: Client, typed: str
    ) -> None:
        assert json(client, f"/players?search={typed}")["items"] == []

    def test_who_stands_higher_is_found_first(self, client: Client) -> None:
        found = json(client, "/players?search=o")["items"]
        assert [row["player_id"] for row in found] == ["P4", "P1", "P2"]

    def test_by_nation_letter_and_year(self, client: Client, journal: Journal) -> None:
        more = [say.player("P8", "Zoé Nagy", "HUN"), say.player("P9", "Zoé Novák", "FRA")]
        journal.record(more, OFFICER)  # who have not played
        for asked, players in (
            ("nation=GER", ["P2", "P4"]),
            ("letter=n", ["P8", "P1", "P9"]),  # by family name
            ("letter=Ñ", ["P8", "P1", "P9"]),
            ("letter=N&year=2019", ["P1"]),
            ("year=2018", []),
            ("nation=FRA&search=nowak", ["P9"]),
        ):
            page = json(client, f"/players?{asked}")
            assert [row["player_id"] for row in page["items"]] == players, asked
            assert [
                row["player_id"] for row in json(client, f"/api/v1/players?{asked}")["items"]
            ] == players, asked
        page = json(client, "/players?nation=ger&letter=o")
        assert (page["nation"], page["letter"]) == ("DEU", "O")  # as the form has them
        assert "No such player." in text(client, "/players?nation=FRA&year=2019")
        page = json(client, "/players")
        assert page["letters"] == ["N", "O"]  # and one name of signs
        assert page["years"] == [2019]
        assert client.get("/players?year=many").status_code == 400

    @pytest.mark.parametrize(
        ("name", "typed"),
        [
            ("Jeppe Holm", "ЖЕППЕ"), ("Jeppe Holm", "Йеппе"), ("John Major", "Джон"),
            ("Jan Nowak", "Ян"), ("Hans Schmidt", "Шмидт"), ("Hans Maier", "Ханс"),
            ("Jürgen Müller", "Мюллер"), ("Julia Wagner", "Вагнер"), ("Karel Čapek", "Чапек"),
            ("Георги Иванов", "Georgi Ivanoff"), ("Юлия Щука", "Julia"),
            ("Giorgos Papadopoulos", "Παπαδόπουλος"), ("Χρήστος Κώστας", "Hristos"),
            ("İpek Işık", "isik"), ("Ipek Isik", "ışık"), ("Bea Gołąb", "GOLAB"),
            ("Anna Strauß", "STRAUSS"), ("Søren Bæk", "Soeren"),
            ("Onur Gölgesöğüt", "Goelgesoeguet"), ("Delphine Driftmoor", "Дельфина Дрифтмур"),
            ("Ольга Кузьмина", "Olga"), ("Mohammed Ali", "محمد"), ("Ahmed Ali", "أحمد"),
        ],
    )  # fmt: skip
    def test_a_name_in_other_letters(
        self, client: Client, journal: Journal, name: str, typed: str
    ) -> None:
        journal.record([say.player("P9", name, None)], OFFICER)
        found = json(client, f"/players?search={typed}")["items"]
        assert [row["player"] for row in found] == [name]

    @pytest.mark.parametrize(
        ("typed", "code"),
        [("UK", "ENG"), ("great  britain", "ENG"), ("Holland", "NLD"), ("Нидерланды", "NLD")],
    )
    def test_a_nation_by_another_name(
        self, client: Client, journal: Journal, typed: str, code: str
    ) -> None:
        journal.record([say.player("P8", "Ida", "ENG"), say.player("P9", "Jan", "NLD")], OFFICER)
        nations = json(client, f"/api/v1/search?search={typed}")["nations"]
        assert [nation["nation"] for nation in nations] == [code]

    @pytest.mark.parametrize("typed", ["Ellas", "Ελλάδα", "Greece", "Griechenland", "GRC"])
    def test_a_nation_by_its_own_name(self, client: Client, journal: Journal, typed: str) -> None:
        journal.record([say.player("P9", "Ada Kosta", "GRC")], OFFICER)
        nations = json(client, f"/api/v1/search?search={typed}")["nations"]
        assert [nation["nation"] for nation in nations] == ["GRC"]

    @pytest.mark.parametrize(
        ("typed", "names"),
        [
            ("日本", []),
            ("日", []),
            ("𗀀", []),  # Tangut: its letters have no names
            ("王小明", ["Wang Xiaoming", "王小明"]),
            ("小明", ["Wang Xiaoming", "王小明"]),
            ("김민준", ["김민준"]),
            ("민", ["김민준"]),
            ("やま", ["Yamada Taro"]),
            ("علي", []),
            ("محمد", ["Mohammed Aziz"]),
            ("ЛИ", ["Ben Li"]),
            ("Κώστας", ["Kostas Elia"]),
            ("דוד", ["David Katz"]),
        ],
    )
    def test_other_scripts_find_whole_beginnings(
        self, client: Client, journal: Journal, typed: str, names: list[str]
    ) -> None:
        """日本 is ri ben in Latin letters, ЛИ is li, علي is ly: many names have these."""
        others = ["Ben Friesen", "Henri Bennett", "Jocelyn Minardi", "Bahman Zandi (MD)", "Ben Li",
                  "Wang Xiaoming", "王小明", "김민준", "Yamada Taro", "Ali Reza", "Mohammed Aziz",
                  "Kostas Elia", "David Katz"]  # fmt: skip
        journal.record(
            [say.player(f"Q{at}", name, None) for at, name in enumerate(others)], OFFICER
        )
        found = json(client, f"/api/v1/players?search={typed}")["items"]
        assert sorted(row["player"] for row in found) == names

    def test_a_year_in_which_nobody_was_placed_is_no_choice(
        self, client: Client, journal: Journal
    ) -> None:
        tables = say.tables("Old", {"P1": 1, "P2": 2}, "1998-05-01")
        del tables["placings"]
        journal.record([say.reported("Old", tables)], OFFICER)
        assert json(client, "/players")["years"] == [2019]
        assert "<option>1998" not in text(client, "/players?year=2019")
        assert "<option selected>1998" in text(client, "/players?year=1998")
        assert json(client, "/tournaments")["years"] == [2019, 1998]
        assert '<option value="FRA" selected>France' in text(client, "/players?nation=FRA")

    def test_one_search_for_everything(self, client: Client) -> None:
        page = json(client, "/search?search=wintre")
        assert [row["tournament_id"] for row in page["tournaments"]] == ["Winter"]
        assert (page["players"], page["nations"]) == ([], [])
        page = json(client, "/api/v1/search?search=Deutschland")
        assert page["nations"] == [{"nation": "DEU", "name": "Germany", "players": 2}]
        html = text(client, "/search?search=ode")
        assert 'href="/players/P2"' in html
        assert "Nothing of that name." in text(client, "/search?search=zzzz")
        assert "Nothing of that name." not in text(client, "/search")

    def test_the_id_of_a_merged_record_finds_its_player(
        self, client: Client, journal: Journal
    ) -> None:
        journal.record([say.merge("P3", into="P1")], OFFICER)
        for address in ("/search", "/players", "/rankings/wbgf", "/api/v1/players"):
            page = json(client, f"{address}?search=P3")
            found = page["players"] if address == "/search" else page["items"]
            assert [row["player_id"] for row in found] == ["P1"], address

    def test_markup_that_is_typed_is_text(self, client: Client) -> None:
        html = text(client, "/players?search=%22%3E%3Cscript%3Ealert(1)%3C/script%3E")
        assert "<script>alert" not in html
        assert "&lt;script&gt;" in html

    def test_tournaments_of_a_country_whatever_places_are_called(
        self, client: Client, journal: Journal
    ) -> None:
        for name, city, country in (("A", "Lausanne", "CHE"), ("B", "Chicago", "USA")):
            found = say.tables(name, {"P1": 1, "P2": 2}, "2020-01-10")
            found["tournaments"] |= {"city": [city], "country": [country]}
            journal.record([say.reported(name, found), say.player("P9", "Zoé", "USA")], OFFICER)
        html = text(client, "/nations/USA")
        assert '<a href="/tournaments?country=USA">All tournaments there</a>' in html
        for address in ("/tournaments", "/api/v1/tournaments"):
            for country, there in (("USA", ["B"]), ("SUI", ["A"]), ("FRA", []), ("no", [])):
                page = json(client, f"{address}?country={country}")
                assert [one["tournament_id"] for one in page["items"]] == there, country
            assert json(client, f"{address}?country=SUI")["country"] == "CHE"
        for address in ("/tournaments", "/api/v1/tournaments"):
            page = json(client, f"{address}?letter=b")
            assert [one["tournament_id"] for one in page["items"]] == ["B"]
            assert page["letter"] == "B"
            assert {"A", "B"} <= set(page["letters"])
        assert json(client, "/tournaments?country=FRA")["countries"] == ["CHE", "FRA", "USA"]
        html = text(client, "/tournaments?country=USA&search=chicago")
        assert '<option value="USA" selected>United States</option>' in html
        assert "Chicago (USA)" in html
        assert "No such tournament." in text(client, "/tournaments?country=FRA")

    def test_tournaments_by_name_and_year(self, client: Client) -> None:
        def found(query: str) -> list[str]:
            return [row["tournament_id"] for row in json(client, f"/tournaments{query}")["items"]]

        assert found("") == ["Winter", "Autumn"]
        assert found("?search=wintér") == ["Winter"]
        assert found("?search=open+aut") == ["Autumn"]
        assert found("?year=2019") == ["Winter", "Autumn"]
        assert found("?year=2018") == []
        assert client.get("/tournaments?year=never").status_code == 400
        assert 'href="/tournaments/Autumn"' in text(client, "/tournaments")


@pytest.mark.usefixtures("season")
class TestNations:
    def test_a_nation(self, client: Client) -> None:
        page = json(client, "/nations/DEU")
        (one,) = page["lists"]
        assert (one["rank"], one["nations"], one["players"]) == (1, 2, 2)
        assert [
            (row["national_rank"], row["world_rank"], row["player_id"]) for row in one["rows"]
        ] == [
            (1, TODAY["P4"], "P4"),
            (2, TODAY["P2"], "P2"),
        ]
        html = text(client, "/nations/DEU")
        assert "Germany" in html
        assert "Deutschland" in client.get("/nations/DEU", headers={"accept-language": "de"}).text

    def test_as_it_was_known_then(self, client: Client, journal: Journal) -> None:
        """Entry 7 takes the Winter back: then P4 and P2 have the points of the Autumn alone."""
        journal.record([say.withdrawal("Winter")], OFFICER)
        autumn = fading((SHARED, 77)) + fading((SECOND, 77))
        (now,) = json(client, "/nations/DEU")["lists"]
        assert abs(now["nanopoints"] - autumn) <= 1  # each player's are rounded
        page = json(client, "/nations/DEU?known_at=%236")
        both = fading((SHARED, 77), (FIRST, 42)) + fading((SECOND, 77), (SECOND, 42))
        assert (page["known_at"], page["lists"][0]["nanopoints"]) == ("#6", both)
        html = text(client, "/nations/DEU?known_at=%236")
        assert "As it was known at #6" in html
        for link in (
            "/nations/DEU",
            "/rankings/wbgf?nation=DEU&amp;known_at=%236",
            "/rankings/wbgf/nations?known_at=%236",
            "/players/P4/wbgf?known_at=%236",
        ):
            assert f'href="{link}"' in html, link
        assert client.get("/nations/DEU?known_at=tomorrow").status_code == 400
        assert json(client, "/nations/ger?known_at=%236") == page

    def test_its_links_lead_somewhere(self, client: Client) -> None:
        links = set(re.findall(r'href="(/[^"#?]*)', text(client, "/nations/DEU")))
        assert {"/players/P2/wbgf", "/players/P4/wbgf", "/rankings/wbgf"} <= links
        assert {client.get(link).status_code for link in links} == {200}

    def test_other_codes_lead_to_ours(self, client: Client) -> None:
        assert json(client, "/nations/ger") == json(client, "/nations/DEU")

    @pytest.mark.parametrize("code", ["XYZ", "Germany", "FRA", "%C3%84%C3%84%C3%84"])
    def test_nations_of_nobody(self, client: Client, code: str) -> None:
        assert client.get(f"/nations/{code}").status_code == 404

    def test_tournaments_there(self, client: Client, journal: Journal) -> None:
        found = say.tables("Berlin", {"P1": 1, "P2": 2})
        found["tournaments"] |= {"city": ["Berlin"], "country": ["DEU"]}
        report = say.report("Berlin", {"P1": 1, "P2": 2})
        report.body["tables"].update(found)
        journal.record([report], OFFICER)
        assert [one["city"] for one in json(client, "/nations/DEU")["tournaments"]] == ["Berlin"]
        assert "Berlin (DEU)" in text(client, "/nations/DEU")
        journal.record([say.withdrawal("Berlin")], OFFICER)
        then = "/tournaments/Berlin?known_at=%237"
        assert f'href="{then}"' in text(client, "/nations/DEU?known_at=%237")
        assert json(client, then)["name"] == "Berlin Open"
        assert client.get("/tournaments/Berlin").status_code == 404


def test_sums_fade() -> None:
    assert fading((1095, 1)) == 1094


def test_an_event_that_waits_takes_no_list_away(client: Client, journal: Journal) -> None:
    winter(journal)
    found = say.tables("Buenos Aires", {"P1": 1, "P2": 2})
    found["tournaments"]["currency"] = ["ARS"]  # no bank knows its rate
    report = say.report("Buenos Aires", {"P1": 1, "P2": 2})
    report.body["tables"].update(found)
    journal.record([report], OFFICER)
    front = json(client, "/")
    assert [one["regulation"] for one in front["lists"]] == ["wbgf"]
    assert front["waiting"] == ["wbgf"]
    assert "No tournament has been reported yet" not in text(client, "/")
    assert 'href="/rankings/wbgf">wbgf</a>' in text(client, "/")
    assert json(client, "/players?search=ada")["players"] == 1
    whole = text(client, "/rankings/wbgf")
    assert "1 event waits and is not in this list" in whole
    assert "no exchange rate from ARS to EUR" in whole
    for address in ("/rankings/wbgf", "/rankings/wbgf/nations"):
        (waiting,) = json(client, f"/api/v1{address}")["waiting"]
        assert (waiting["tournament_id"], waiting["day"]) == ("Buenos Aires", "2019-11-15")
        assert "ARS" in waiting["why"]
    day_before = "/api/v1/rankings/wbgf?as_of=2019-11-14"
    assert json(client, day_before)["waiting"] == []
    assert "1 event waits" in text(client, "/rankings/wbgf/nations")
    assert "ARS" in text(client, "/tournaments/Buenos%20Aires")


def test_an_empty_list_says_why(client: Client, journal: Journal) -> None:
    winter(journal)
    for address, why in (
        ("/rankings/dptr", "no tournament is of the discipline diplomacy; there are: backgammon"),
        ("/rankings/wbgf?as_of=2018-12-31", "no result counts up to 2018-12-31"),
        ("/rankings/wbgf?nation=FRA", "no player of FRA has points in it"),
        ("/rankings/usbgf/totals", "usbgf has no members"),
    ):
        assert why in json(client, f"/api/v1{address}")["empty_reason"], address
        page = address.replace("?as_of=", "/")
        assert why[:20] in text(client, page), page
    assert json(client, "/api/v1/rankings/wbgf")["empty_reason"] == ""
