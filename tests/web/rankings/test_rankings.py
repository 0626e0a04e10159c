"""Rankings as anyone sees them: days, movement, search, nations, files, what was known then."""

from __future__ import annotations

import csv
import io
import re
import zipfile
from dataclasses import replace

import pytest
from pypdf import PdfReader

from palmares.core.rounding import exact_text, points_text
from palmares.journal.store.journal import Journal
from palmares.web.app import site
from palmares.web.settings import Settings
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.publications.test_published_pages import publish
from tests.web.seasons import FIRST, WINTER, fading, json, masters, text, winter

LIST = "/rankings/wbgf/2019-12-31"


@pytest.fixture(autouse=True)
def season(journal: Journal) -> None:
    """A short season."""
    winter(journal)


def test_a_list_by_an_officers_sum(client: Client) -> None:
    page = json(client, LIST)
    assert [(row["rank"], row["player_id"], row["nanopoints"]) for row in page["items"]] == [
        (rank, player, WINTER[player]) for rank, player in enumerate(WINTER, start=1)
    ]
    assert (page["players"], page["page"], page["pages"]) == (4, 1, 1)


def test_movement_since_the_list_of_the_month_before(client: Client) -> None:
    page = json(client, LIST)
    assert (page["before"], page["after"]) == ("2019-11-30", "2020-01-31")
    moved = {row["player_id"]: row["moved"] for row in page["items"]}
    assert moved == {"P4": 3 - 1, "P1": 1 - 2, "P2": 2 - 3, "P3": 3 - 4}
    first = json(client, "/rankings/wbgf/2019-11-30")
    assert {row["moved"] for row in first["items"]} == {None}  # on no list before


def swap(journal: Journal) -> None:
    """The Winter is reported again: P2 won it, and P4 was second."""
    swapped = {"P2": 1, "P4": 2, "P3": 3, "P1": 4}
    journal.record([say.report("Winter", swapped, day="2019-12-20")], OFFICER)


def test_movement_since_the_last_list_as_it_was_published(client: Client, journal: Journal) -> None:
    """Whoever compares with the official list finds the movement, corrected later or not."""
    entry = publish(journal)
    published = json(client, f"/published/{entry}")["items"]
    swap(journal)
    page = json(client, "/rankings/wbgf/2020-02-29")
    assert (page["before"], page["since"]) == ("2020-01-31", "2019-12-31")
    ranks = {row["player_id"]: row["rank"] for row in published}
    moved = {row["player_id"]: row["moved"] for row in page["items"]}
    assert moved == {
        row["player_id"]: ranks[row["player_id"]] - row["rank"] for row in page["items"]
    }
    assert moved["P2"] == 3 - 1
    html = text(client, "/rankings/wbgf/2020-02-29")
    assert "As of 29 February 2020; movement since 31 December 2019" in html


def test_movement_within_a_nation_since_the_list_as_it_was_published(
    client: Client, journal: Journal
) -> None:
    """P4 was first of DEU and P2 second; today it is the other way round."""
    publish(journal)
    swap(journal)
    expected = [("P2", 1, 1), ("P4", 2, -1)]
    page = json(client, "/rankings/wbgf/2020-02-29?nation=DEU")
    (nation,) = json(client, "/nations/DEU")["lists"]
    for rows in (page["items"], nation["rows"]):
        assert [(row["player_id"], row["national_rank"], row["moved"]) for row in rows] == expected
    assert page["since"] == nation["before"] == "2019-12-31"


def test_nations_moved_since_their_list_as_it_was_published(
    client: Client, journal: Journal
) -> None:
    """Only the list of nations says where nations stood; P1 of CZE is now first by far."""
    publish(journal)
    address = "/rankings/wbgf/2020-02-29/nations"
    assert json(client, address)["since"] == "2020-01-31"
    publish(journal, by="nation")
    more = {"P1": 1, "P3": 2}
    for name in ("First", "Second", "Third"):
        journal.record([say.report(name, more, day="2019-12-19")], OFFICER)
    page = json(client, address)
    assert page["since"] == "2019-12-31"
    assert {row["nation"]: row["moved"] for row in page["items"]} == {"CZE": 1, "DEU": -1}


def test_narrowed_lists_move_from_the_list_before_as_it_is_known_now(
    client: Client, journal: Journal
) -> None:
    """No list of live results alone was published."""
    publish(journal)
    swap(journal)
    page = json(client, "/rankings/wbgf/2020-02-29?setting=live")
    assert page["since"] == "2020-01-31"
    assert {row["moved"] for row in page["items"]} == {0}


def test_who_was_merged_since_did_not_come_anew(client: Client, journal: Journal) -> None:
    """P3 was third of the official list; P5 is the record that stays."""
    journal.record([say.player("P5", "Eva Doe")], OFFICER)
    publish(journal)
    journal.record([say.merge("P3", "P5")], OFFICER)
    moved = {row["player_id"]: row["moved"] for row in json(client, "/rankings/wbgf")["items"]}
    assert moved["P5"] == 0


def test_html_says_what_json_says(client: Client) -> None:
    page, html = json(client, LIST), text(client, LIST)
    for row in page["items"]:
        assert f">{row['player']}</a>" in html
        assert f">{points_text(row['nanopoints'])}</td>" in html
    assert "As of 31 December 2019; movement since 30 November 2019" in html
    assert 'href="/rankings/wbgf/2019-11-30"' in html
    assert 'href="/rankings/wbgf/2020-01-31"' in html


def test_a_list_leads_to_its_players_on_its_day(client: Client) -> None:
    assert 'href="/players/P1/wbgf/2019-12-31"' in text(client, LIST)
    assert 'href="/players/P1/wbgf"' in text(client, "/rankings/wbgf")  # today's
    assert 'href="/players/P1/wbgf/2020-02-29"' in text(client, "/rankings/wbgf/2020-02-29")


def test_days_in_the_readers_language(client: Client) -> None:
    assert "31. Dezember 2019" in client.get(LIST, headers={"accept-language": "de"}).text


def test_a_form_sends_the_day(client: Client) -> None:
    asked = "/rankings/wbgf?list=wbgf&as_of=2019-12-31&search=ode&nation=&setting=&kind="
    assert json(client, asked) == json(client, f"{LIST}?search=ode")


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("novak", ["P1"]),
        ("NOVÁK ada", ["P1"]),
        ("lukasz ore", ["P4"]),
        ("o", ["P4", "P1", "P2"]),
        ("1+1", ["P3"]),
        ("nobody", []),
        ("!?", []),
    ],
)
def test_search_without_accents(client: Client, typed: str, found: list[str]) -> None:
    page = json(client, str(client.build_request("GET", LIST, params={"search": typed}).url))
    assert [row["player_id"] for row in page["items"]] == found
    assert {row["rank"] for row in page["items"]} == {
        list(WINTER).index(one) + 1 for one in found
    }  # of the whole list


def test_the_players_of_a_nation(client: Client, journal: Journal) -> None:
    journal.record([say.player("P9", "Zoé", "FRA")], OFFICER)  # who has not played
    page = json(client, f"{LIST}?nation=GER")
    assert [(row["rank"], row["player_id"]) for row in page["items"]] == [(1, "P4"), (2, "P2")]
    assert page["nations"] == ["CZE", "DEU"]
    assert '<option value="DEU" selected>Germany</option>' in text(client, f"{LIST}?nation=GER")
    nobody = f"{LIST}?nation=FRA"
    assert json(client, nobody)["items"] == []
    assert '<option value="FRA" selected>France</option>' in text(
        client, nobody
    )  # what is asked stays asked


def test_a_nation_stands_beside_a_name_with_its_flag(client: Client) -> None:
    page = text(client, f"{LIST}?search=novak")
    row = json(client, f"{LIST}?search=novak")["items"][0]
    assert row["nation"] == "CZE"
    assert "/assets/vendor/flags/CZ.svg?v=" in page
    assert '<a class="code" href="/nations/CZE">CZE</a>' in page
    alone = f"{LIST}?search=1%2B1"
    assert [row["player_id"] for row in json(client, alone)["items"]] == ["P3"]
    assert "flags/" not in text(client, alone)


@pytest.mark.parametrize(
    ("day", "nearest"),
    [
        ("2023-06-30", "2019-12-31"),  # all have faded: the month of the last result
        ("2019-10-31", "2019-11-30"),  # nobody has played: that of the first
        ("2019-12-31", None),
    ],
)
def test_an_empty_list_leads_to_one_with_players(
    client: Client, day: str, nearest: str | None
) -> None:
    address = f"/rankings/wbgf/{day}"
    assert json(client, address)["nearest_day"] == nearest
    assert json(client, f"{address}?search=nobody")["nearest_day"] == nearest
    link = f'<a href="/rankings/wbgf/{nearest}">The nearest with players: '
    assert (link in text(client, address)) == (nearest is not None)
    if nearest:
        assert json(client, f"/rankings/wbgf/{nearest}")["items"]


def test_a_day_ahead_says_so(client: Client) -> None:
    page = json(client, "/rankings/wbgf/2020-02-29")
    assert page["in_future"]
    assert (page["before"], page["after"]) == ("2020-01-31", "2020-03-31")
    assert "This day lies ahead" in text(client, "/rankings/wbgf/2020-02-29")
    assert "This day lies ahead" not in text(client, LIST)


def test_as_it_was_known_then(client: Client, journal: Journal) -> None:
    journal.record([say.withdrawal("Winter")], OFFICER)
    left = [row["nanopoints"] for row in json(client, LIST)["items"]]
    assert left[0] == fading((FIRST, 46))
    page = json(client, f"{LIST}?known_at=%236")
    assert {row["player_id"]: row["nanopoints"] for row in page["items"]} == WINTER
    assert "As it was known at #6" in text(client, f"{LIST}?known_at=%236")
    assert json(client, f"{LIST}?known_at=2019-12-31")["items"] == []  # nothing was recorded yet
    assert json(client, f"{LIST}?known_at=2999-12-31")["items"] == json(client, LIST)["items"]


def test_names_of_those_who_are_withheld_are_not_found(client: Client, journal: Journal) -> None:
    seen = say.player("P1", "Ada Novák", "CZE")
    journal.record([replace(seen, body={**seen.body, "withheld": True})], OFFICER)
    assert [row["player"] for row in json(client, LIST)["items"]][1] == "(withheld)"
    assert json(client, f"{LIST}?search=novak")["items"] == []
    assert json(client, f"{LIST}?search=withheld")["items"] == []
    assert "Novák" not in text(client, f"{LIST}?known_at=%236")  # nor as it was known before


def test_an_exact_id_finds_its_player(client: Client, journal: Journal) -> None:
    """Whoever is withheld stays hidden, under their id too; part of an id is none."""
    for address, rows in ((LIST, "items"), ("/players", "items"), ("/search", "players")):
        for typed, found in (("P2", ["P2"]), (" P2 ", ["P2"]), ("P", []), ("p2", []), ("P9", [])):
            page = json(client, f"{address}?search={typed}")
            assert [row["player_id"] for row in page[rows]] == found, (address, typed)
    journal.record([say.player("P2", "Ben Ode", "DEU", withheld=True)], OFFICER)
    assert json(client, f"{LIST}?search=P2")["items"] == []


# ── nations, totals ──────────────────────────────────────────────────────────────────────────────


def test_nations(client: Client) -> None:
    page = json(client, f"{LIST}/nations")
    rows = [(row["rank"], row["nation"], row["players"]) for row in page["items"]]
    assert rows == [(1, "DEU", 2), (2, "CZE", 1)]
    assert abs(page["items"][0]["nanopoints"] - (WINTER["P4"] + WINTER["P2"])) <= 1
    assert page["items"][1]["nanopoints"] == WINTER["P1"]
    assert page["without_nation"] == "1 ranked player has no nation and counts for none"
    html = client.get("/rankings/wbgf/2019-12-31/nations", headers={"accept-language": "de"}).text
    assert "1 Spieler der Rangliste hat keine Nation und zählt für keine" in html
    html = text(client, f"{LIST}/nations")
    assert "Germany" in html
    assert page["without_nation"] in html
    (row,) = json(client, f"{LIST}/nations?search=Чехия")["items"]
    assert (row["rank"], row["nation"]) == (2, "CZE")
    html = text(client, f"{LIST}/nations?search=nowhere")
    assert "Nobody of that name." in html


def test_nations_live_and_online(client: Client, journal: Journal) -> None:
    """Level 5 weighs 1, log2(64) = 6, from 2019 times 0.6: who wins a live event has it all."""
    masters(journal)
    address = "/rankings/usbgf/2019-12-31/nations"
    every = {one["nation"]: one["nanopoints"] for one in json(client, address)["items"]}
    assert every["CZE"] == 6 * 600_000_000
    assert sorted(every) == ["CZE", "DEU"]
    for more, nations in (
        ("setting=live", ["CZE"]),
        ("setting=online&kind=placement", ["DEU"]),
        ("kind=match", []),
    ):
        rows = json(client, f"{address}?{more}")["items"]
        assert [(one["nation"], one["nanopoints"]) for one in rows] == [
            (one, every[one]) for one in nations
        ]
        api = f"/api/v1/rankings/usbgf/nations?as_of=2019-12-31&{more}"
        assert [one["nation"] for one in json(client, api)["items"]] == nations
        filed = client.get(f"{address}?{more}&format=json")
        assert [one["nation"] for one in filed.json()] == nations
    html = text(client, f"{address}?setting=live&kind=placement")
    assert '<option value="live" selected>live</option>' in html
    assert '<option value="placement" selected>of placements</option>' in html
    players = "/rankings/usbgf/2019-12-31?setting=live&amp;kind=placement&amp;nation=CZE"
    assert f'<a href="{players}">1</a>' in html
    assert f'href="{address}?setting=live&amp;kind=placement&amp;format=csv"' in html


def test_a_form_of_nations_sends_the_day(client: Client) -> None:
    asked = "/rankings/usbgf/nations?as_of=2019-12-31&setting=live&kind=&known_at="
    assert json(client, asked) == json(client, "/rankings/usbgf/2019-12-31/nations?setting=live")


def test_four_totals(client: Client, journal: Journal) -> None:
    """Level 5 weighs 1, log2(4) = 2, from 2019 times 0.6; the winner has it all."""
    found = say.tables("Masters", {"P1": 1}, day="2019-12-01")
    found["events"] |= {"event_type": ["ABT Main Event"], "entrants": [64]}
    found["placings"]["designated"] = [True]
    journal.record([say.reported("Masters", found), say.membership("P1", "2010-01-01")], OFFICER)
    page = json(client, "/rankings/usbgf/2019-12-31/totals")
    (row,) = page["items"]
    assert row["live_placement"] == row["total"] == 3_600_000_000
    assert (row["live_match"], row["online_match"], row["online_placement"]) == (0, 0, 0)
    assert page["own"] is None
    client.get("/pin/P1")
    html = text(client, "/rankings/usbgf/2019-12-31/totals")
    assert 'href="/rankings/usbgf/2019-12-31/totals#me"' in html
    assert html.count('class="me" id="me"') == 1
    assert '<td class="r points" role="cell">3.60</td>' in html
    live = json(client, "/rankings/usbgf/2019-12-31?setting=live&kind=placement")
    assert [one["nanopoints"] for one in live["items"]] == [3_600_000_000]
    assert json(client, "/rankings/usbgf/2019-12-31?setting=online")["items"] == []


# ── files ────────────────────────────────────────────────────────────────────────────────────────


def test_a_list_as_csv(client: Client) -> None:
    answer = client.get(f"{LIST}?format=csv")
    name = 'attachment; filename="wbgf-2019-12-31.csv"'
    assert answer.headers["content-disposition"] == name
    rows = list(csv.DictReader(io.StringIO(answer.text)))
    assert list(rows[0]) == ["rank", "player_id", "player", "nation", "points"]
    assert [row["points"] for row in rows] == [exact_text(one) for one in WINTER.values()]
    assert rows[3]["player"] == "'=1+1"  # no formula


def test_a_file_of_a_day_to_come_says_so(client: Client) -> None:
    """The client's day is 31 January 2020."""
    for day, ahead in (("2020-02-29", True), ("2020-01-31", False)):
        excel = client.get(f"/rankings/wbgf/{day}?format=xlsx")
        with zipfile.ZipFile(io.BytesIO(excel.content)) as book:
            said = book.read("xl/sharedStrings.xml").decode()
        assert ("Projected: the list if nothing more is reported." in said) is ahead
        (page, *_) = PdfReader(
            io.BytesIO(client.get(f"/rankings/wbgf/{day}?format=pdf").content)
        ).pages
        head = " ".join(page.extract_text().split())
        assert head.startswith(
            f"WBGF Backgammon World Ranking, as of {day}{', projected' if ahead else ''} Regulation"
        )


def test_as_excel_and_json(client: Client) -> None:
    excel = client.get(f"{LIST}?format=xlsx")
    with zipfile.ZipFile(io.BytesIO(excel.content)) as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in sheet  # no formula
        notes = book.read("xl/worksheets/sheet2.xml").decode()
        assert notes.count("<row") == 4  # what list, which day, known at which entry, how rounded
        said = book.read("xl/sharedStrings.xml").decode()
        assert "As of: 2019-12-31" in said
        assert "Known at: entry 6 of the journal, " in said
        assert "&apos;=1+1" in book.read("xl/sharedStrings.xml").decode().replace("'", "&apos;")
    narrowed = client.get(f"{LIST}?format=xlsx&nation=DEU&known_at=%235")
    assert 'filename="wbgf-2019-12-31-DEU-known-5.xlsx"' in narrowed.headers["content-disposition"]
    with zipfile.ZipFile(io.BytesIO(narrowed.content)) as book:
        said = book.read("xl/sharedStrings.xml").decode()
    for note in ("Known at: entry 5 of", "Asked for as known at: #5", "Only: DEU"):
        assert note in said
    rows = client.get(f"{LIST}?format=json").json()
    assert [(row["rank"], row["player_id"]) for row in rows] == [
        (rank, one) for rank, one in enumerate(WINTER, start=1)
    ]


def test_on_paper(client: Client) -> None:
    """With the names, no ids, rounded points, what the list is, and its edition on every page."""
    answer = client.get(f"{LIST}/nations?format=pdf")
    assert answer.headers["content-type"] == "application/pdf"
    answer = client.get(f"{LIST}?format=pdf")
    name = 'attachment; filename="wbgf-2019-12-31.pdf"'
    assert answer.headers["content-disposition"] == name
    (page,) = PdfReader(io.BytesIO(answer.content)).pages
    told = " ".join(page.extract_text().split())
    head = "WBGF Backgammon World Ranking, as of 2019-12-31 Regulation wbgf, edition undated"
    assert told.startswith(f"{head} rank player nation")
    for rank, points in enumerate(WINTER.values(), start=1):
        assert re.search(rf"\b{rank} [^.]+ {re.escape(points_text(points))}\b", told)
    assert "=1+1" in told
    assert not [player for player in WINTER if re.search(rf"\b{player}\b", told)]
    assert "Known at: entry 6 of the journal" in told
    assert "wbgf/undated,editionfilesha256" in told.replace(" ", "")
    assert "not rounded" not in told
    assert f'href="{LIST}?format=pdf"' in text(client, LIST)


@pytest.mark.parametrize(
    ("address", "name", "head"),
    [
        ("/nations?format=csv", "wbgf-2019-12-31-nations.csv", "rank,nation,points,players"),
        (
            "?nation=DEU&format=csv",
            "wbgf-2019-12-31-DEU.csv",
            "national_rank,world_rank,player_id,player,nation",
        ),
        ("?search=../a&format=csv", "wbgf-2019-12-31-a.csv", "rank,player_id,player,nation"),
    ],
)
def test_files_are_named_after_what_is_in_them(
    client: Client, address: str, name: str, head: str
) -> None:
    answer = client.get(LIST + address)
    assert answer.headers["content-disposition"] == f'attachment; filename="{name}"'
    assert answer.text.startswith(head)


def test_a_file_is_not_sent_twice(client: Client) -> None:
    first = client.get(f"{LIST}?format=csv")
    again = client.get(f"{LIST}?format=csv", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/rankings/nothing", 404),
        ("/rankings/wbf-vp", 404),
        ("/rankings/wbgf/0001-01-01", 400),
        ("/rankings/wbgf/9999-12-31", 400),
        ("/rankings/wbgf/yesterday", 404),
        ("/rankings/wbgf?as_of=yesterday", 400),
        ("/rankings/wbgf?format=exe", 400),
        ("/rankings/wbgf?kind=match", 400),
        ("/rankings/wbgf?setting=nowhere", 400),
        ("/rankings/wbgf?nation=nowhere", 400),
        ("/rankings/wbgf?known_at=yesterday", 400),
        ("/rankings/wbgf?known_at=%2399", 400),
        ("/rankings/wbgf/totals", 400),
        ("/rankings/dptr/nations", 400),
        ("/rankings/wbgf/nations?kind=match", 400),
        ("/rankings/wbgf/nations?setting=nowhere", 400),
    ],
)
def test_what_makes_no_list(client: Client, address: str, status: int) -> None:
    answer = client.get(address, follow_redirects=False)
    assert answer.status_code == status
    assert "Traceback" not in answer.text


def test_what_is_no_page_is_refused(client: Client) -> None:
    assert len(json(client, f"{LIST}?page=")["items"]) == 4
    for page in ("-1", "many", "9" * 400):
        assert client.get(f"{LIST}?page={page}").status_code == 400
    assert client.get(f"{LIST}?page=99").status_code == 404


def test_fifty_to_a_page(client: Client, journal: Journal) -> None:
    many = {f"Q{number:03}": number + 1 for number in range(120)}
    journal.record([say.player(one) for one in many], OFFICER)
    journal.record([say.report("Crowd", many, day="2019-12-28")], OFFICER)
    first, second = json(client, LIST), json(client, f"{LIST}?page=2")
    assert (first["players"], first["pages"]) == (124, 3)
    assert (len(first["items"]), len(second["items"])) == (50, 50)
    html = text(client, f"{LIST}?page=2&nation=")
    assert re.search(r'<a href="[^"]*page=2" aria-current="page">2</a>', html)


def test_the_front_page_says_when_a_day_ends(client: Client) -> None:
    assert "A day of these lists begins and ends at midnight UTC." in text(client, "/")


def test_a_list_of_one_nation_has_both_ranks(client: Client) -> None:
    """Of the four, Łukasz of DEU is first, and Ben of DEU third, after Ada of CZE."""
    order = sorted(WINTER, key=lambda one: -WINTER[one])
    world = {one: order.index(one) + 1 for one in ("P4", "P2")}
    page = json(client, f"{LIST}?nation=DEU")
    assert [
        (one["player_id"], one["national_rank"], one["world_rank"]) for one in page["items"]
    ] == [
        ("P4", 1, world["P4"]),
        ("P2", 2, world["P2"]),
    ]
    html = text(client, f"{LIST}?nation=DEU")
    heads = re.findall(r'<th scope="col"[^>]*>(National rank|Overall rank|Rank)</th>', html)
    assert heads == ["National rank", "Overall rank"]
    found = json(client, f"{LIST}?nation=DEU&search=ben")["items"]
    assert [(one["national_rank"], one["world_rank"]) for one in found] == [(2, world["P2"])]
    told = client.get("/api/v1/rankings/wbgf?as_of=2019-12-31&nation=DEU").json()["items"]
    assert [(one["national_rank"], one["world_rank"]) for one in told] == [
        (1, world["P4"]), (2, world["P2"]),
    ]  # fmt: skip


def test_the_list_of_all_has_both_ranks(client: Client) -> None:
    """Łukasz and Ben are of DEU, Ada is of CZE, and one has no nation."""
    rows = json(client, LIST)["items"]
    assert [(one["player_id"], one["world_rank"], one["national_rank"]) for one in rows] == [
        ("P4", 1, 1),
        ("P1", 2, 1),
        ("P2", 3, 2),
        ("P3", 4, None),
    ]
    heads = re.findall(
        r'<th scope="col"[^>]*>(Rank|Overall rank|In nation)</th>', text(client, LIST)
    )
    assert heads == ["Rank", "In nation"]


def test_a_row_opens_to_its_best_results(client: Client) -> None:
    page = json(client, f"{LIST}?open=P1")
    opened = page["opened"]
    results = json(client, "/players/P1/wbgf/2019-12-31")["results"]
    worth = sorted((one["worth"] for one in results), reverse=True)
    assert [one["worth"] for one in opened["items"]] == worth[:5]
    assert (opened["player_id"], opened["nanopoints"]) == ("P1", WINTER["P1"])
    html = text(client, f"{LIST}?open=P1")
    assert f">{points_text(worth[0])}</span>" in html
    assert 'aria-expanded="true" aria-label="Best results of Ada Novák"' in html


def test_it_says_that_nobody_of_an_id_is_on_the_list(client: Client) -> None:
    answer = client.get(f"{LIST}?open=nobody")
    assert answer.status_code == 404
    assert "Nobody with the ID nobody is on this list." in answer.text


def test_a_visitor_jumps_to_their_own_row(client: Client) -> None:
    assert json(client, LIST)["own"] is None
    client.get("/pin/P2")
    assert json(client, LIST)["own"] == {"player_id": "P2", "rank": 3, "page": 1}
    html = text(client, LIST)
    assert f'href="{LIST}#me"' in html
    assert html.count('class="me" id="me"') == 1
    assert json(client, f"{LIST}?known_at=%236")["own"] is None  # such pages are the same for all


def test_the_form_leads_to_another_list(client: Client) -> None:
    asked = "/rankings/wbgf?list=dptr&as_of=2019-12-31&kind=&nation=CZE&search=ada"
    answer = client.get(asked, follow_redirects=False)
    there = "/rankings/dptr/2019-12-31?nation=CZE&search=ada"
    assert (answer.status_code, answer.headers["location"]) == (303, there)
    assert client.get("/rankings/wbgf?list=nothing").status_code == 404


@pytest.mark.parametrize(
    ("other", "there"),
    [
        ("usbgf", "/rankings/usbgf/2019-12-31/nations?search=germany&known_at=%236"),
        ("dptr", "/rankings/dptr/2019-12-31?known_at=%236"),  # ranks no nations
    ],
)
def test_a_list_of_nations_leads_to_that_of_another(client: Client, other: str, there: str) -> None:
    asked = f"{LIST}/nations?list={other}&search=germany&known_at=%236"
    answer = client.get(asked, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, there)
    assert client.get(f"{LIST}/nations?list=nothing").status_code == 404


@pytest.mark.parametrize(("by", "address"), [("player", LIST), ("nation", f"{LIST}/nations")])
def test_a_list_corrected_since_it_was_published_is_not_called_official(
    client: Client, journal: Journal, by: str, address: str
) -> None:
    entry = publish(journal, by=by)
    assert "Official list</a>" in text(client, address)
    assert "Corrected since" not in text(client, address)
    journal.record([say.withdrawal("Winter")], OFFICER)
    assert json(client, address)["later_changes"]["revalued"] > 0
    html = text(client, address)
    assert "Official list</a>" not in html
    assert "Corrected since</a>" in html
    words = "Later reports and corrections have changed this list since it was published: "
    assert words in html
    assert f'<a href="/published/{entry}">As it was published</a>' in html
    then = f"{address}?known_at=%23{entry}"
    assert "Official list</a>" in text(client, then)


def test_a_merged_record_is_no_correction_of_whom_it_became(
    client: Client, journal: Journal
) -> None:
    """P3, alone under two numbers, stands on the official list under the one that is gone."""
    publish(journal)
    journal.record([say.player("P9", "Cy Dunn"), say.merge("P3", "P9")], OFFICER)
    assert not any(json(client, LIST)["later_changes"].values())


def test_a_list_leads_to_those_that_lie_ahead(client: Client) -> None:
    assert json(client, LIST)["projected"] == ["2020-02-29", "2020-03-31", "2020-04-30"]
    ahead = json(client, "/rankings/wbgf/2020-02-29")["items"]
    assert ahead[0]["nanopoints"] < json(client, "/rankings/wbgf")["items"][0]["nanopoints"]


def test_a_shared_place_is_said_as_one(client: Client) -> None:
    """P3 and P4 shared the third place of four in the Autumn."""
    html = text(client, f"{LIST}?open=P3")
    assert "place 3–4 of 4" in html
    assert "place 3 of 4" in html  # alone, in the Winter
    rows = json(client, "/players/P3/wbgf/2019-12-31")["results"]
    assert {row["tournament_id"]: (row["rank"], row["tied"]) for row in rows} == {
        "Autumn": (3, 2),
        "Winter": (3, 1),
    }
    assert "place 3–4 of 4" in text(client, "/players/P3/wbgf/2019-12-31")


def test_a_shared_best_result_is_said_as_one(client: Client, journal: Journal) -> None:
    journal.record([say.report("Twins", {"P3": 1, "P2": 1}, day="2019-12-30")], OFFICER)
    rows = {row["player_id"]: row["figures"]["best"] for row in json(client, LIST)["items"]}
    assert (rows["P3"]["rank"], rows["P3"]["tied"]) == (1, 2)
    html = text(client, LIST)
    assert html.count('Twins Open <span class="quiet">place 1–2</span>') == 2
    assert "place 1</span>" in html  # of P1 and P4, alone


def test_a_row_of_ratings_opens_to_what_raised_it_most(client: Client, journal: Journal) -> None:
    """Ratings begin with 40; the best are the events that raised them, the largest first."""
    for name, ranks, day in (
        ("Spring", {"P1": 2, "P2": 1, "P3": 3}, "2018-03-01"),
        ("Summer", {"P1": 1, "P2": 2, "P3": 3}, "2018-07-01"),
        ("Fall", {"P1": 3, "P2": 1, "P3": 2}, "2018-10-01"),
    ):
        journal.record([say.reported(name, say.seen_by_all(name, ranks, day))], OFFICER)
    day = "/rankings/dptr/2019-12-31"
    (row,) = (row for row in json(client, day)["items"] if row["player_id"] == "P1")
    opened = json(client, f"{day}?open=P1")["opened"]
    results = json(client, "/players/P1/dptr/2019-12-31")["results"]
    after = [result["nanopoints"] for result in reversed(results)]
    rises = [new - old for old, new in zip([40 * 10**9, *after], after, strict=False)]
    assert len(rises) == 3
    assert opened["rises"] == sorted((rise for rise in rises if rise > 0), reverse=True)
    assert opened["together"] == opened["nanopoints"] == row["nanopoints"]
    html = text(client, f"{day}?open=P1")
    assert 'aria-label="Largest rises of Ada Novák"' in html
    assert all(f"+{points_text(rise)}</span>" in html for rise in opened["rises"])


def test_the_best_results_of_a_row_are_those_of_its_list(journal: Journal, client: Client) -> None:
    masters(journal, (("P1", "live", "ABT Main Event"), ("P1", "online", "Nations Cup")))
    for setting in ("live", "online"):
        page = json(client, f"/rankings/usbgf/2019-12-31?setting={setting}&open=P1")
        (result,) = page["opened"]["items"]
        assert result["tournament"] == f"Masters {setting} Open"
        assert result["worth"] == page["opened"]["nanopoints"]
    assert len(json(client, "/rankings/usbgf/2019-12-31?open=P1")["opened"]["items"]) == 2


def test_of_two_results_of_one_day_the_last_is_the_same_after_a_restart(
    client: Client, settings: Settings, journal: Journal
) -> None:
    """A was reported again after B; of one day, the later is B by its name."""
    for name, fee in (("A", "100"), ("B", "100"), ("A", "50")):
        journal.record([say.report(name, {"P1": 1, "P2": 2}, day="2019-12-30", fee=fee)], OFFICER)
        rows = json(client, LIST)["items"]
    (last,) = {row["figures"]["last"]["tournament_id"] for row in rows if row["player_id"] == "P1"}
    assert last == "B"
    with Client(site(settings)) as restarted:
        assert json(restarted, LIST)["items"] == rows


def test_no_list_leads_to_a_day_without_one(client: Client) -> None:
    """The first day of which there is a list is 1 January 1900."""
    for day in ("1900-01-01", "1900-01-31"):
        address = f"/rankings/wbgf/{day}"
        assert json(client, address)["before"] == "1900-01-01"
        assert "1899" not in text(client, address)
