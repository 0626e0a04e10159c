"""Official lists as anyone sees them: as announced, their manifests, made once more."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import replace
from datetime import date
from hashlib import sha256
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from pypdf import PdfReader

from palmares.core.errors import Refused
from palmares.core.rounding import points_text
from palmares.journal.commands.transaction import record_entries
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal
from palmares.lists.publication import make_publication, publish_list
from palmares.lists.publication.manifests import parse_manifest
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.web.http.state import AppState, Snapshot
from palmares.web.settings import Settings
from tests.amounts import some
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.seasons import WINTER, json, masters, text, winter

LIST = "/rankings/wbgf/2019-12-31"
LEAP = {"W3": "skip-29-feb"}


def publish(
    journal: Journal,
    day: date = date(2019, 12, 31),
    by: str = "player",
    question: Question = Question(regulation="wbgf"),  # noqa: B008  it is frozen
    **asked: Any,
) -> int:
    """Publish a list; the number of its entry."""
    now = load_projection(journal)
    given = make_publication(
        question,
        now.facts,
        Selection(as_of=day, **asked),
        by=by,
        head=now.state.head,
        note="The year's last",
    )
    return record_entries(journal, OFFICER, publish_list(given.publication)).entries[-1].sequence


@pytest.fixture
def entry(journal: Journal) -> int:
    """The entry of the list of the year's end."""
    winter(journal)
    return publish(journal)


def test_nothing_is_published_yet(client: Client) -> None:
    assert json(client, "/published")["items"] == []
    assert "No list has been published yet." in text(client, "/published")


def test_what_was_published(client: Client, entry: int) -> None:
    (one,) = json(client, "/published")["items"]
    assert (one["entry"], one["name"], one["last_entry"]) == (entry, "wbgf 2019-12-31", 6)
    assert (one["as_of"], one["by"], one["note"]) == ("2019-12-31", "player", "The year's last")
    html = text(client, "/published")
    assert f'href="/published/{entry}"' in html
    assert f'href="/published/{entry}/manifest"' in html
    assert f'href="/published/{entry}"' in text(client, "/")
    assert f'href="/published/{entry}"' in text(client, LIST)
    assert f'href="/published/{entry}"' not in text(client, f"{LIST}?nation=DEU")


def test_a_published_list_stays(client: Client, journal: Journal, entry: int) -> None:
    journal.record([say.withdrawal("Winter")], OFFICER)
    page = json(client, f"/published/{entry}")
    assert {row["player_id"]: row["nanopoints"] for row in page["items"]} == WINTER
    html = text(client, f"/published/{entry}")
    for row in page["items"]:
        assert row["player"] in html
        assert f">{points_text(row['nanopoints'])}</td>" in html
    assert json(client, LIST)["items"][0]["nanopoints"] != page["items"][0]["nanopoints"]


def test_its_rows_say_what_points_come_from(client: Client, journal: Journal, entry: int) -> None:
    """As the list of the day does, but for players whose points are others since."""
    live = {row["player_id"]: row["figures"] for row in json(client, LIST)["items"]}
    page = json(client, f"/published/{entry}")
    assert {row["player_id"]: row["figures"] for row in page["items"]} == live
    assert all(live.values())
    best = f'{live["P1"]["best"]["tournament"]} <span class="quiet">place '
    assert best in text(client, f"/published/{entry}")
    assert 'class="quiet">Corrected since<' not in text(client, f"/published/{entry}")
    journal.record([say.withdrawal("Winter")], OFFICER)
    page = json(client, f"/published/{entry}")
    assert [row["figures"] for row in page["items"]] == [None] * 4
    journal.record([say.withdrawal("Autumn")], OFFICER)  # nobody has a result any more
    assert [row["figures"] for row in json(client, f"/published/{entry}")["items"]] == [None] * 4


def test_where_some_were_corrected_their_rows_say_so(client: Client, journal: Journal) -> None:
    winter(journal)
    entry = publish(journal)
    journal.record([say.report("Late", {"P3": 1, "P1": 2}, day="2019-12-20")], OFFICER)
    rows = {row["player_id"]: row for row in json(client, f"/published/{entry}")["items"]}
    assert {one for one, row in rows.items() if row["figures"] is None} == {"P1", "P3"}
    assert text(client, f"/published/{entry}").count('class="quiet">Corrected since<') == 2


def test_its_rows_say_who_moved_since_the_list_before(client: Client, journal: Journal) -> None:
    winter(journal)
    first = publish(journal, date(2019, 11, 30))
    before = {row["player_id"]: row["rank"] for row in json(client, f"/published/{first}")["items"]}
    entry = publish(journal)
    page = json(client, f"/published/{entry}")
    assert page["before"] == "2019-11-30"
    for row in page["items"]:
        was = before.get(row["player_id"])
        assert row["moved"] == (None if was is None else was - row["rank"])
    assert any(row["moved"] for row in page["items"])
    assert page["before_entry"] == first
    assert "± since the official list of 30 November 2019" in text(client, f"/published/{entry}")
    page = json(client, f"/published/{first}")  # none was published before
    assert (page["before"], page["before_entry"]) == ("2019-10-31", None)
    assert {row["moved"] for row in page["items"]} == {None}
    assert "± since 31 October 2019, as known now" in text(client, f"/published/{first}")


def test_nations_on_it_moved_since_their_list_before(client: Client, journal: Journal) -> None:
    """P4 and P2 of Germany came in December; P1 of Czechia led before."""
    winter(journal)
    first = publish(journal, date(2019, 11, 30), by="nation")
    before = {row["nation"]: row["rank"] for row in json(client, f"/published/{first}")["items"]}
    entry = publish(journal, by="nation")
    page = json(client, f"/published/{entry}")
    assert (page["before"], page["before_entry"]) == ("2019-11-30", first)
    now = {row["nation"]: (row["rank"], row["moved"]) for row in page["items"]}
    assert now == {
        nation: (rank, before[nation] - rank if nation in before else None)
        for nation, (rank, _) in now.items()
    }
    html = text(client, f"/published/{entry}")
    assert "± since the official list of 30 November 2019" in html
    assert "Download the whole list" in html
    (row,) = json(client, f"/published/{entry}?search=Allemagne")["items"]
    assert row["nation"] == "DEU"
    assert json(client, f"/published/{entry}?search=Novak")["items"] == []


def test_its_rows_have_national_ranks(client: Client, entry: int) -> None:
    """By its order P4 of DEU, P1 of CZE, P2 of DEU, P3 of no nation."""
    rows = json(client, f"/published/{entry}")["items"]
    assert [(row["player_id"], row["national_rank"]) for row in rows] == [
        ("P4", 1),
        ("P1", 1),
        ("P2", 2),
        ("P3", None),
    ]
    html = text(client, f"/published/{entry}")
    assert '<td class="r" role="cell" data-label="in DEU">2</td>' in html


def test_nations_that_keep_their_points_rank_nobody(client: Client, journal: Journal) -> None:
    """W17 at-event: a nation ranks its players by what they won for it."""
    winter(journal)
    at_event = Question(regulation="wbgf", chosen={"W17": "at-event"})
    entry = publish(journal, question=at_event)
    rows = json(client, f"/published/{entry}")["items"]
    assert [row["national_rank"] for row in rows] == [None] * 4


def test_its_rows_open_to_the_best_results_of_then(
    client: Client, journal: Journal, entry: int
) -> None:
    then = json(client, "/players/P1/wbgf/2019-12-31")["results"]
    journal.record([say.withdrawal("Winter")], OFFICER)
    opened = json(client, f"/published/{entry}?open=P1")["opened"]
    worth = sorted((one["worth"] for one in then), reverse=True)
    assert len(worth) == 2  # today there is one
    assert [one["worth"] for one in opened["items"]] == worth
    assert (opened["player_id"], opened["nanopoints"]) == ("P1", WINTER["P1"])
    assert abs(opened["together"] - WINTER["P1"]) <= len(worth)
    html = text(client, f"/published/{entry}?open=P1")
    assert 'aria-expanded="true" aria-label="Best results of Ada Novák"' in html
    assert f">{points_text(worth[0])}</span>" in html
    assert "The list has other points" not in html
    answer = client.get(f"/published/{entry}?open=nobody")
    assert answer.status_code == 404
    assert "Nobody with the ID nobody is on this list." in answer.text


@pytest.mark.parametrize("chosen", [{"W17": "at-event"}, LEAP])
def test_they_do_under_chosen_rules_too(
    client: Client, journal: Journal, chosen: dict[str, str]
) -> None:
    winter(journal)
    entry = publish(journal, question=Question(regulation="wbgf", chosen=chosen))
    page = json(client, f"/published/{entry}?open=P1")
    (row,) = (row for row in page["items"] if row["player_id"] == "P1")
    assert len(page["opened"]["items"]) == 2
    assert abs(page["opened"]["together"] - row["nanopoints"]) <= 2
    assert page["not_opened"] == ""


def test_only_results_that_a_list_counts_are_opened(client: Client, journal: Journal) -> None:
    """A list of results from December on: of the Winter alone."""
    winter(journal)
    entry = publish(journal, since=date(2019, 12, 1))
    opened = json(client, f"/published/{entry}?open=P1")["opened"]
    assert [one["tournament_id"] for one in opened["items"]] == ["Winter"]
    assert abs(opened["together"] - opened["nanopoints"]) <= 1


def test_it_says_why_a_row_cannot_be_opened(
    client: Client, journal: Journal, entry: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(state: AppState, now: Snapshot, known_at: str) -> Snapshot:
        if known_at:
            raise Refused("What was known at entry 6 is lost.")
        return now

    monkeypatch.setattr(AppState, "at", lost)
    page = json(client, f"/published/{entry}?open=P1")
    assert (page["opened"], page["not_opened"]) == (None, "What was known at entry 6 is lost.")
    words = "The results behind this row cannot be shown: What was known at entry 6 is lost."
    assert words in text(client, f"/published/{entry}?open=P1")


def test_a_list_of_nations_has_no_players_to_open(client: Client, journal: Journal) -> None:
    winter(journal)
    entry = publish(journal, by="nation")
    assert client.get(f"/published/{entry}?open=P1").status_code == 404
    assert client.get("/published/1?open=P1").status_code == 404


def test_it_says_when_its_day_has_another_list_now(
    client: Client, journal: Journal, entry: int
) -> None:
    """Without the Winter all four stay on the list, and nobody has the points that he had."""
    page = json(client, f"/published/{entry}")
    assert page["later_changes"] == {"new": 0, "gone": 0, "moved": 0, "revalued": 0, "regrouped": 0}
    words = "Later corrections have changed the list of that day since."
    assert words not in text(client, f"/published/{entry}")
    journal.record([say.withdrawal("Winter")], OFFICER)
    found = json(client, f"/published/{entry}")["later_changes"]
    then = {row["player_id"]: row["rank"] for row in page["items"]}
    now = {row["player_id"]: row["rank"] for row in json(client, LIST)["items"]}
    moved = sum(then[one] != now[one] for one in now)
    assert moved > 0
    assert found == {"new": 0, "gone": 0, "moved": moved, "revalued": 4, "regrouped": 0}
    assert json(client, f"/api/v1/publications/{entry}")["later_changes"] == found
    html = text(client, f"/published/{entry}")
    changes = f"{moved} have another rank, 4 have other points."
    assert f'{words} <a href="{LIST}">The current list</a>: {changes}' in html
    journal.record([say.withdrawal("Autumn")], OFFICER)
    found = json(client, f"/published/{entry}")["later_changes"]
    assert found == {"new": 0, "gone": 4, "moved": 0, "revalued": 0, "regrouped": 0}


def test_a_list_of_nations_says_so_too(client: Client, journal: Journal) -> None:
    winter(journal)
    entry = publish(journal, by="nation")
    assert json(client, f"/published/{entry}")["later_changes"]["gone"] == 0
    journal.record([say.withdrawal("Winter"), say.withdrawal("Autumn")], OFFICER)
    assert json(client, f"/published/{entry}")["later_changes"]["gone"] == 2  # CZE and DEU


def test_a_list_of_one_nation_names_whom_corrections_moved(
    client: Client, journal: Journal
) -> None:
    """Of DEU, without the Winter; Ada, of CZE, lost as much, and is not on it."""
    winter(journal)
    entry = publish(journal, nation="DEU")
    journal.record([say.withdrawal("Winter")], OFFICER)
    page = json(client, f"/published/{entry}")
    assert page["corrected"] == 2
    found = {row["player_id"]: row for row in page["corrections"]}
    assert {one: row["rank_before"] for one, row in found.items()} == {"P4": 1, "P2": 2}
    assert found["P4"]["nanopoints_before"] == WINTER["P4"]
    now = {row["player_id"]: row for row in json(client, f"{LIST}?nation=DEU")["items"]}
    assert {one: row["nanopoints"] for one, row in found.items()} == {
        one: now[one]["nanopoints"] for one in ("P4", "P2")
    }
    assert "All changes and their causes" in text(client, f"/published/{entry}")


def test_it_says_why_a_tournament_was_taken_out(
    client: Client, journal: Journal, entry: int
) -> None:
    """In the officer's words, with the name that the report gave it."""
    journal.record([say.withdrawal("Winter")], OFFICER)
    words = "Winter Open was withdrawn (never played)"
    rows = json(client, f"/published/{entry}")["corrections"]
    assert {row["player_id"]: row["what"] for row in rows} == {one: [words] for one in WINTER}
    assert {row["tournament_id"] for row in rows} == {"Winter"}
    assert text(client, f"/published/{entry}").count(f"{words}.") == 1  # not in each row


def test_it_says_why_a_value_was_set(client: Client, journal: Journal, entry: int) -> None:
    journal.record([say.override("Winter", entry_fee="375")], OFFICER)
    rows = json(client, f"/published/{entry}")["corrections"]
    assert len(rows) > 0
    for row in rows:
        (what,) = row["what"]
        assert what.startswith("Entry fee of ")
        assert what.endswith(", Winter Open: 375 (a slip)")


def test_it_says_why_an_entry_was_undone(client: Client, journal: Journal) -> None:
    winter(journal)
    set_to = journal.record([say.override("Winter", entry_fee="375")], OFFICER)[-1].sequence
    entry = publish(journal)
    journal.record([say.undo(set_to)], OFFICER)
    rows = json(client, f"/published/{entry}")["corrections"]
    assert len(rows) > 0
    words = "an entry of Winter Open was undone (wrong)"
    assert {tuple(row["what"]) for row in rows} == {(words,)}


def test_it_says_why_an_undone_report_counts_no_more(
    client: Client, journal: Journal, entry: int
) -> None:
    """Entry 6 is the Winter; a withdrawal that was undone is no reason."""
    taken = journal.record([say.withdrawal("Autumn")], OFFICER)[-1].sequence
    journal.record([say.undo(taken), say.undo(6)], OFFICER)
    rows = json(client, f"/published/{entry}")["corrections"]
    words = "an entry of Winter Open was undone (wrong)"
    assert {row["player_id"]: row["what"] for row in rows} == {one: [words] for one in WINTER}


def test_a_list_of_nations_leads_to_the_players_behind_it(client: Client, journal: Journal) -> None:
    winter(journal)
    entry = publish(journal, by="nation")
    journal.record([say.withdrawal("Winter")], OFFICER)
    page = json(client, f"/published/{entry}")
    assert (page["corrected"], page["corrections"]) == (0, [])
    address = f"{LIST}/changes?known_at=%23{page['published']['last_entry']}"
    assert f'<a href="{address}">The players behind it</a>' in text(client, f"/published/{entry}")
    assert json(client, address)["changed"] == 4


def test_a_nation_that_is_corrected_is_a_difference(
    client: Client, journal: Journal, entry: int
) -> None:
    """Ada played for Slovakia, and Ben for nobody: ranks and points stay what they were."""
    journal.record([say.player("P1", "Ada Novák", "SVK"), say.player("P2", "Ben Ode")], OFFICER)
    found = json(client, f"/published/{entry}")["later_changes"]
    assert found == {"new": 0, "gone": 0, "moved": 0, "revalued": 0, "regrouped": 2}
    html = text(client, f"/published/{entry}")
    assert "Later corrections have changed the list of that day since." in html
    assert "2 have another nation." in html


def test_so_is_a_player_more_of_a_nation(client: Client, journal: Journal) -> None:
    """A player of no nation turns out to be of DEU, whose players are three then."""
    winter(journal)
    entry = publish(journal, by="nation")
    journal.record([say.player("P3", "=1+1", "DEU")], OFFICER)
    page = json(client, f"/published/{entry}")
    then, now = page["items"], json(client, f"{LIST}/nations")["items"]
    assert [(one["nation"], one["players"]) for one in then] == [("DEU", 2), ("CZE", 1)]
    assert [(one["nation"], one["players"]) for one in now] == [("DEU", 3), ("CZE", 1)]
    assert page["later_changes"]["regrouped"] == 1
    assert "1 has another number of players." in text(client, f"/published/{entry}")


def test_it_is_a_file_too(client: Client, journal: Journal, entry: int) -> None:
    """As it was announced, whatever came later."""
    journal.record([say.withdrawal("Winter")], OFFICER)
    rows = client.get(f"/published/{entry}?format=json").json()
    assert [(row["player_id"], row["rank"]) for row in rows] == [
        (player, rank) for rank, player in enumerate(WINTER, start=1)
    ]
    answer = client.get(f"/published/{entry}?format=pdf")
    name = f'attachment; filename="wbgf-2019-12-31-published-{entry}.pdf"'
    assert answer.headers["content-disposition"] == name
    (page,) = PdfReader(BytesIO(answer.content)).pages
    told = " ".join(page.extract_text().split())
    head = "WBGF Backgammon World Ranking, official list as of 2019-12-31 Regulation wbgf, edition"
    assert told.startswith(f"{head} undated rank player nation")
    assert f"Published as entry {entry} of the journal by " in told
    assert "wbgf/undated,editionfilesha256" in told.replace(" ", "")
    assert f'href="/published/{entry}?format=pdf"' in text(client, f"/published/{entry}")
    assert client.get("/published/1?format=pdf").status_code == 404
    assert client.get(f"/published/{entry}?format=exe").status_code == 400


@pytest.mark.parametrize(
    ("asked", "nations"),
    [
        ({"setting": "live"}, ["CZE"]),
        ({"setting": "online", "kind": "placement"}, ["DEU"]),
        ({"kind": "match"}, []),
    ],
)
def test_a_list_of_nations_leads_to_the_same_list_of_now(
    client: Client, journal: Journal, asked: dict[str, Any], nations: list[str]
) -> None:
    masters(journal)
    entry = publish(journal, by="nation", question=Question(regulation="usbgf"), **asked)
    html = text(client, f"/published/{entry}")
    address = f"/rankings/usbgf/2019-12-31/nations?{urlencode(asked)}"
    assert f'<a href="{escape(address)}">The list of that day as it is known now</a>' in html
    then, now = json(client, f"/published/{entry}")["items"], json(client, address)
    assert [one["nation"] for one in then] == nations
    for name in ("rank", "nation", "nanopoints", "players"):
        assert [one[name] for one in now["items"]] == [one[name] for one in then]


def test_a_narrowed_list_of_nations_was_not_published(client: Client, journal: Journal) -> None:
    """The whole one was; and a list of one nation among nations has no page of now."""
    masters(journal)
    question = Question(regulation="usbgf")
    whole = publish(journal, by="nation", question=question)
    address = "/rankings/usbgf/2019-12-31/nations"
    for more, published in (("", whole), ("?setting=live", None), ("?kind=placement", None)):
        assert json(client, address + more)["publication"] == published
    one = publish(journal, by="nation", question=question, nation="CZE")
    assert "The list of that day as it is known now" not in text(client, f"/published/{one}")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"chosen": {"W3": "skip-29-feb"}}, "reading W3: skip-29-feb"),
        ({"edition": "undated"}, "edition undated for every day"),
    ],
)
def test_other_rules_are_said_and_replace_nothing(
    client: Client, journal: Journal, entry: int, asked: dict[str, Any], words: str
) -> None:
    """The list by the rules in force stays the one of its day."""
    other = publish(journal, question=Question(regulation="wbgf", **asked))
    latest, first = json(client, "/published")["items"]
    assert (latest["entry"], latest["replaced"], first["replaced"]) == (other, None, None)
    assert (latest["edition"], latest["readings"]) == (
        asked.get("edition"),
        asked.get("chosen", {}),
    )
    assert latest["name"].startswith("wbgf 2019-12-31 ")
    assert "=" not in latest["file"]
    html = text(client, f"/published/{other}")
    assert f"As published for 31 December 2019, {words}, " in html
    assert LIST not in html
    for page in ("/", "/published", "/published.atom"):
        assert words in client.get(page).text
    html = text(client, LIST)
    assert f'href="/published/{entry}"' in html
    assert f'href="/published/{other}"' not in html


def test_a_bounded_list_says_so(client: Client, journal: Journal) -> None:
    winter(journal)
    entry = publish(journal, since=date(2019, 11, 1))
    for page in ("/", "/published", "/published.atom", f"/published/{entry}"):
        assert "since 1 November 2019" in client.get(page).text


def test_its_manifest_is_a_file(client: Client, journal: Journal, entry: int) -> None:
    answer = client.get(f"/published/{entry}/manifest")
    name = 'attachment; filename="wbgf-2019-12-31.manifest.json"'
    assert answer.headers["content-disposition"] == name
    again = {"if-none-match": answer.headers["etag"]}
    assert client.get(f"/published/{entry}/manifest", headers=again).status_code == 304
    found = parse_manifest(answer.content, "manifest")
    assert found.entry is not None
    assert found.entry.hash == journal.head().hash
    assert found.publication.rows.nanopoints == list(WINTER.values())


@pytest.mark.parametrize("address", ["/published.atom", "{}/manifest", "{}/facts"])
def test_a_file_is_not_sent_to_whoever_has_it(client: Client, entry: int, address: str) -> None:
    """Also where a proxy packed it, which makes its tag weak."""
    at = address.format(f"/published/{entry}")
    tag = client.get(at).headers["etag"]
    for told in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = client.get(at, headers={"if-none-match": told})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert client.get(at, headers={"if-none-match": '"other"'}).status_code == 200


def test_a_stranger_recomputes_it(
    client: Client, journal: Journal, entry: int, tmp_path: Path
) -> None:
    """With two files and the commands that the page shows, in an empty directory."""
    journal.record([say.withdrawal("Winter")], OFFICER)
    seen = say.player("P1", "Ada Novák", "CZE")
    journal.record([replace(seen, body={**seen.body, "withheld": True})], OFFICER)
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    html = text(client, f"/published/{entry}")
    for link in ("manifest", "facts"):
        assert f'href="/published/{entry}/{link}"' in html
        answer = client.get(f"/published/{entry}/{link}")
        name = answer.headers["content-disposition"].partition('filename="')[2].rstrip('"')
        assert name in html
        (stranger / name).write_bytes(answer.content)
    commands = html.partition('<pre class="wrap" tabindex="0">')[2].partition("</pre>")[0]
    assert commands in text(client, f"/published/{entry}/verification")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for command in commands.splitlines():
        done = subprocess.run(
            command.split(),
            cwd=stranger,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
    assert (
        "identical.\nIdentical: manifest, facts, edition, code, edition file, reading, list."
        in done.stdout
    )
    players = (stranger / "facts" / "players.csv").read_text()
    assert "Ben Ode" in players
    assert "Novák" not in players  # she is withheld by now
    again = {"if-none-match": answer.headers["etag"]}
    assert client.get(f"/published/{entry}/facts", headers=again).status_code == 304
    assert client.get("/published/1/facts").status_code == 404


PACKED = """
import sys
from hashlib import sha256
from palmares.web.app import site
from palmares.web.shared.downloads import packed
from palmares.web.http.state import AppState, Snapshot
from palmares.web.settings import Settings
app_state = site(Settings(journal=sys.argv[1], secret="0" * 64)).state.app_state
print(sha256(packed(app_state.at(app_state.snapshot(), "#6").facts)).hexdigest())
app_state.journal.close()
"""


def test_its_facts_are_the_same_bytes_in_every_process(
    client: Client, settings: Settings, entry: int
) -> None:
    """Four players and two tournaments, in whatever order a process holds them."""
    found = {sha256(client.get(f"/published/{entry}/facts").content).hexdigest()}
    for seed in some(("1", "2", "3"), 3):
        done = subprocess.run(
            [sys.executable, "-c", PACKED, settings.journal],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        found.add(done.stdout.strip())
    assert len(found) == 1


def test_made_once_more_it_is_the_same(client: Client, journal: Journal, entry: int) -> None:
    journal.record([say.withdrawal("Winter")], OFFICER)  # what comes later counts for nothing
    page = json(client, f"/published/{entry}/verification")
    assert page["identical"]
    assert page["different"] == 0
    parts = {one["part"] for one in page["parts"]}
    rules = {"edition", "code", "edition file", "reading"}
    assert parts == {"manifest", "entry", "head", "facts", *rules, "version", "list"}
    assert all(one["published"] == one["now"] for one in page["parts"])
    assert "Identical." in text(client, f"/published/{entry}/verification")


def test_by_nation(client: Client, journal: Journal, entry: int) -> None:
    number = publish(journal, by="nation")
    page = json(client, f"/published/{number}")
    assert [(row["rank"], row["nation"], row["players"]) for row in page["items"]] == [
        (1, "DEU", 2),
        (2, "CZE", 1),
    ]
    assert "Germany" in text(client, f"/published/{number}")
    assert json(client, f"{LIST}/nations")["publication"] == number
    assert json(client, LIST)["publication"] == entry


def test_published_days_are_list_days(client: Client, journal: Journal, entry: int) -> None:
    publish(journal, date(2019, 12, 24))
    assert json(client, LIST)["before"] == "2019-12-24"
    assert json(client, "/rankings/wbgf/2019-12-24")["after"] == "2019-12-31"
    assert json(client, "/rankings/wbgf/2019-12-01")["after"] == "2019-12-24"
    assert json(client, "/rankings/dptr/2019-12-31")["before"] == "2019-11-30"


def test_published_anew_and_taken_back(client: Client, journal: Journal, entry: int) -> None:
    journal.record([say.withdrawal("Winter")], OFFICER)
    later = publish(journal)
    assert "This list was published anew." in text(client, f"/published/{entry}")
    assert json(client, LIST)["publication"] == later
    journal.record([say.undo(later)], OFFICER)
    lists = {one["entry"]: one for one in json(client, "/published")["items"]}
    assert lists[later]["undone"]
    assert lists[entry]["replaced"] is None
    assert json(client, LIST)["publication"] == entry
    assert "taken back" in text(client, f"/published/{later}")


def test_an_erased_name_is_on_no_list(client: Client, journal: Journal, entry: int) -> None:
    assert "Ben Ode" in text(client, f"/published/{entry}")
    person = load_projection(journal).state.group("players")["P2"][0].body.person
    body = {"reason": "asked for it", "persons": [person]}
    with journal.writing(OFFICER) as writer:
        writer.extend([Draft(kind="erasure", subject="P2", body=body)])
        writer.erase([person])
    pages = (f"/published/{entry}", LIST, f"{LIST}?known_at=%236", "/players?search=ode")
    for address in pages:
        assert "Ben Ode" not in text(client, address), address
    assert "Ben Ode" not in client.get(f"/published/{entry}?format=csv").text
    assert json(client, f"/published/{entry}/verification")["identical"]


def test_what_was_not_published(client: Client, entry: int) -> None:
    for address in (
        "/published/1",
        "/published/99",
        "/published/5/manifest",
        "/published/5/verification",
    ):
        answer = client.get(address)
        assert answer.status_code == 404, address
        assert "No list was published with that entry." in answer.text


def test_its_links_lead_to_the_players_as_of_that_list(
    client: Client, journal: Journal, entry: int
) -> None:
    """Whatever is reported later: the day of the list, and what was known when it was made."""
    printed = {one["player_id"]: one["nanopoints"] for one in page_of(client, entry)["items"]}
    journal.record([say.report("Late", {"P2": 1, "P3": 2}, day="2019-12-28")], OFFICER)
    html = text(client, f"/published/{entry}")
    links = re.findall(r'scope="row" [^>]*>(?:<img[^>]*>)?<a href="(/players/[^"]+)">', html)
    assert len(links) == len(printed) == 4
    for link in links:
        page = json(client, link.replace("&amp;", "&"))
        assert page["as_of"] == "2019-12-31"
        assert page["nanopoints"] == printed[page["person"]["player_id"]]


def test_it_says_that_players_follow_the_rules_in_force(client: Client, journal: Journal) -> None:
    winter(journal)
    question = Question(regulation="wbgf", chosen=LEAP)
    html = text(client, f"/published/{publish(journal, question=question)}")
    words = (
        "The pages of players follow the rules in force: points there may differ from this list."
    )
    assert words in html
    links = re.findall(r'<a href="(/players/[^"]+)">', html)
    assert {client.get(link.replace("&amp;", "&")).status_code for link in links} == {200}
    assert all("?known_at=%23" in link for link in links)


@pytest.mark.parametrize(
    ("asked", "differs"),
    [
        ({}, False),
        ({"nation": "DEU"}, False),
        ({"kind": "match"}, True),
        ({"setting": "live"}, True),
        ({"since": date(2019, 1, 1)}, True),
        ({"until": date(2019, 12, 31)}, True),
    ],
)
def test_it_says_where_players_have_more_points(
    client: Client, journal: Journal, asked: dict[str, Any], *, differs: bool
) -> None:
    masters(journal)
    number = publish(journal, question=Question(regulation="usbgf"), **asked)
    words = "The pages of players count all results: points there may differ from this list."
    assert (words in text(client, f"/published/{number}")) == differs


def test_a_list_of_one_nation_says_which_rank_it_has(client: Client, journal: Journal) -> None:
    winter(journal)
    entry = publish(journal, nation="DEU")
    html = text(client, f"/published/{entry}")
    assert re.search(r'<th scope="col"[^>]*>National rank</th>', html)


def page_of(client: Client, entry: int) -> Any:
    """An official list as JSON."""
    return json(client, f"/published/{entry}")
