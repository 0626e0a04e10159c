"""The officer's desk: decisions that are seen before they are recorded, and the log of them."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from html import escape, unescape
from typing import Any

import pytest

from palmares.journal.commands.transaction import Transaction, record_entries
from palmares.journal.store.journal import Journal
from palmares.lists import publication
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.web.http.state import AppState
from palmares.web.officer.decisions import DECISIONS
from palmares.web.officer.recording import digest
from tests.journal.statements import OFFICER, player, report
from tests.web.conftest import AsRole, Client
from tests.web.visits import JSON

A, B, C = (
    player("P1", "Ada Novak", "CZE"),
    player("P2", "Ada Nowak", "CZE"),
    player("P3", "Cyril <b>", "GER"),
)
FIRST = report("T1", {"P1": 1, "P3": 2})


def desk(journal: Journal, as_role: AsRole, *more: Any) -> Client:
    """An officer, before a journal with three players and a tournament: entries 1 to 4."""
    journal.record([A, B, C, FIRST, *more], OFFICER)
    return as_role("officer")


def shown(officer: Client, what: str, /, **typed: Any) -> Any:
    """What a decision would do, as JSON."""
    answer = officer.post(f"/officer/decisions/{what}", data=typed, headers=JSON)
    assert answer.status_code == 200, answer.text
    return answer.json()["preview"]


def confirm(officer: Client, what: str, seen: str, /, **typed: Any) -> Any:
    """Confirm what was seen."""
    form = {**typed, "digest": seen}
    return officer.post(
        f"/officer/decisions/{what}", data=form, headers=JSON, follow_redirects=False
    )


def decide(officer: Client, what: str, /, **typed: Any) -> Any:
    """See what a decision would do, and confirm it; the last entry, which the next page tells."""
    answer = confirm(officer, what, shown(officer, what, **typed)["digest"], **typed)
    assert answer.status_code == 303, answer.text
    return officer.get(answer.headers["location"], headers=JSON).json()["outcome"][-1]


def publish(officer: Client, /, **typed: Any) -> Any:
    """Publish a list; its page."""
    entry = decide(officer, "publish", **typed)["sequence"]
    return officer.get(f"/published/{entry}", headers=JSON).json()


def names(client: Client) -> list[str]:
    """Who is on the list, by name."""
    rows = client.get("/rankings/wbgf/2019-12-31", headers=JSON).json()["items"]
    return sorted(one["player"] for one in rows)


def test_an_undone_split_can_be_redone_from_its_message(
    journal: Journal, as_role: AsRole, client: Client
) -> None:
    officer = desk(journal, as_role)
    split = {"player": "P3", "tournaments": "T1", "name": "Dora Lee", "reason": "her sister"}
    entry = decide(officer, "split", **split)["sequence"]
    assert names(client) == ["Ada Novak", "Dora Lee"]
    undo = decide(officer, "undo", entry=str(entry), reason="no")
    assert (undo["subject"], names(client)) == (str(entry), ["Ada Novak", "Cyril <b>"])
    assert "Dora" not in client.get("/players").text
    redo = decide(officer, "undo", entry=str(undo["sequence"]), reason="yes")
    assert (redo["subject"], names(client)) == (str(undo["sequence"]), ["Ada Novak", "Dora Lee"])


def test_each_entry_of_a_decision_is_named_and_can_be_undone(
    journal: Journal, as_role: AsRole
) -> None:
    officer = desk(journal, as_role, report("T2", {"P1": 1, "P3": 2}))
    split = {"player": "P3", "tournaments": "T1\nT2", "name": "Dora Lee", "reason": "her sister"}
    seen = shown(officer, "split", **split)["digest"]
    address = confirm(officer, "split", seen, **split).headers["location"]
    assert address == "/officer?done=9&first=8"  # not the new player, entry 6, for herself
    done = officer.get(address, headers=JSON).json()["outcome"]
    assert [one["subject"] for one in done] == ["T1", "T2"]
    text = officer.get(address).text
    for one in done:
        assert escape(one["words"]) in text
        assert f'href="/officer/decisions/undo?entry={one["sequence"]}"' in text
    assert officer.get("/officer?done=9&first=99", headers=JSON).json()["outcome"] == done[1:]


def test_an_undo_moves_points_and_can_be_undone(
    journal: Journal, as_role: AsRole, client: Client
) -> None:
    officer = desk(journal, as_role)
    assert names(client) == ["Ada Novak", "Cyril <b>"]
    seen = shown(officer, "undo", entry="4", reason="twice")
    assert [one["kind"] for one in seen["entries"]] == ["undo"]
    (wbgf,) = (one for one in seen["changes"] if one["regulation"] == "wbgf")
    assert [(one["player"], one["after"]) for one in wbgf["rows"]] == [
        ("Ada Novak", None),
        ("Cyril <b>", None),
    ]
    assert all(one["change"] == -one["before"] for one in wbgf["rows"])
    assert journal.head().sequence == 4  # it was only looked at
    found = decide(officer, "undo", entry="4", reason="twice")
    assert found["author"] == "Test Officer"
    assert found["role"] == "officer"
    assert found["words"] == seen["entries"][0]["words"]
    assert found["words"].startswith("undid entry 4: twice (reported ")
    assert names(client) == []
    decide(officer, "undo", entry="5", reason="once, after all")
    assert names(client) == ["Ada Novak", "Cyril <b>"]


def test_a_withdrawal(journal: Journal, as_role: AsRole, client: Client) -> None:
    officer = desk(journal, as_role)
    found = decide(officer, "withdraw", tournament="T1", reason="never played")
    assert (found["kind"], found["subject"]) == ("withdrawal", "T1")
    assert names(client) == []


def test_players_who_may_be_one(journal: Journal, as_role: AsRole, client: Client) -> None:
    officer = desk(journal, as_role, report("T2", {"P2": 1, "P3": 2}))
    (pair,) = officer.get("/officer/players", headers=JSON).json()["pairs"]
    assert (pair["player"], pair["other"]) == ("P1", "P2")
    assert names(client) == ["Ada Novak", "Ada Nowak", "Cyril <b>"]
    slip = {"player": "P2", "into": "Ada Novak", "reason": "a slip of the pen"}
    page = officer.post("/officer/decisions/merge", data=slip).text
    assert 'Ada Nowak <span class="code">P2</span></th>' in page
    decide(officer, "merge", **slip)
    assert names(client) == ["Ada Novak", "Cyril <b>"]
    assert officer.get("/officer/players", headers=JSON).json()["pairs"] == []
    decide(officer, "unmerge", player="P2", reason="two after all")
    decide(officer, "apart", player="P2", other="P1", reason="seen both")
    assert officer.get("/officer/players", headers=JSON).json()["pairs"] == []
    assert names(client) == ["Ada Novak", "Ada Nowak", "Cyril <b>"]


def test_cells_stand_as_a_report_has_them(journal: Journal, as_role: AsRole) -> None:
    placings = FIRST.body["tables"]["placings"] | {"designated": [True, False]}
    tables = FIRST.body["tables"] | {"placings": placings}
    journal.record([A, C, replace(FIRST, body={**FIRST.body, "tables": tables})], OFFICER)
    (shown,) = (
        one
        for one in as_role("officer").get("/officer/reports/T1", headers=JSON).json()["tables"]
        if one["table"] == "placings"
    )
    at = shown["columns"].index("designated")
    assert [row["cells"][at] for row in shown["rows"]] == ["true", "false"]


def test_a_cell_is_corrected(journal: Journal, as_role: AsRole, client: Client) -> None:
    officer = desk(journal, as_role)
    page = officer.get("/officer/reports/T1").text
    assert '<td>P3 <span class="quiet">Cyril &lt;b&gt;</span></td>' in page
    links = [unescape(one) for one in re.findall(r'href="(/officer/decisions/override[^"]+)', page)]
    of_cyril = next(one for one in links if "P3" in one and "column=rank" in one)
    typed = officer.get(of_cyril, headers=JSON).json()["values"]
    assert typed["row"] == "event_id = T1/main\nplayer_id = P3"
    decide(officer, "override", **{**typed, "value": "1", "reason": "a tie"})
    (first, second) = client.get("/rankings/wbgf/2019-12-31", headers=JSON).json()["items"]
    assert first["rank"] == second["rank"] == 1


def test_a_cell_that_is_named_twice_corrects_nothing(journal: Journal, as_role: AsRole) -> None:
    typed = {"tournament": "T1", "table": "placings", "row": "player_id = P3\nplayer_id = P1",
             "column": "rank", "value": "1", "reason": "a tie"}  # fmt: skip
    answer = desk(journal, as_role).post("/officer/decisions/override", data=typed)
    assert answer.status_code == 422
    assert "player_id is there twice" in answer.text


def test_beside_each_value_of_a_tournament_an_officer_finds_edit(
    journal: Journal, as_role: AsRole, client: Client
) -> None:
    officer = desk(journal, as_role)
    assert "/officer/decisions/override" not in client.get("/tournaments/T1").text
    page = officer.get("/tournaments/T1").text
    links = [unescape(one) for one in re.findall(r'href="(/officer/decisions/override[^"]+)', page)]
    of_cyril = next(one for one in links if "P3" in one and "column=rank" in one)
    form = officer.get(of_cyril, headers=JSON).json()
    assert form["edited"]["value"] == "2"
    assert form["edited"]["row"] == "Main, main, Cyril <b>"
    assert form["edited"]["kind"] == "whole"
    typed = form["values"]
    found = decide(officer, "override", **{**typed, "value": "1", "reason": "a tie"})
    assert (found["kind"], found["subject"]) == ("override", "T1")
    of_name = next(one for one in links if "table=tournaments" in one and "column=name" in one)
    shown_form = officer.get(of_name).text
    assert 'type="hidden" name="row" value="tournament_id = T1"' in shown_form
    assert "Edit a value" in shown_form


@pytest.mark.parametrize(
    ("page", "what", "typed"),
    [
        ("/tournaments/T1", "withdraw", {"tournament": "T1"}),
        ("/players/P1/wbgf", "edit", {"player": "P1"}),
        ("/players/P1/wbgf", "merge", {"player": "P1"}),
    ],
)
def test_a_page_leads_to_the_decisions_about_it(
    journal: Journal, as_role: AsRole, client: Client, page: str, what: str, typed: dict[str, str]
) -> None:
    officer = desk(journal, as_role)
    (link,) = re.findall(rf'href="(/officer/decisions/{what}[^"]*)"', officer.get(page).text)
    values = officer.get(unescape(link), headers=JSON).json()["values"]
    assert {name: value for name, value in values.items() if value} == typed
    assert "/officer/decisions" not in client.get(page).text


def test_members_rates_and_players(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    for name, typed, words in (
        ("Ada Novak", {"start": "2019-01-01", "level": "Premium"}, "from 2019-01-01, Premium"),
        ("P3", {"start": "2019-02-01", "end": "2019-12-31"}, "from 2019-02-01 to 2019-12-31"),
    ):
        found = decide(officer, "membership", player=name, federation="usbgf", **typed)
        assert found["words"].endswith(f": usbgf {words}")
    typed = {"player": "P1", "federation": "usbgf"}
    ended = decide(officer, "ended", **typed, day="2019-06-30")
    assert ended["words"] == "Ada Novak [P1]: usbgf from 2019-01-01 to 2019-06-30, Premium"
    found = decide(officer, "membership", **typed, start="2020-01-01")
    assert found["words"] == "Ada Novak [P1]: usbgf from 2020-01-01"
    rate = {"currency": "CZK", "day": "2019-12-01", "eur_per_unit": "0.04", "source": "CNB"}
    found = decide(officer, "rate", **rate)
    assert found["words"] == "1 CZK = 0.04 EUR on 2019-12-01, CNB"
    found = decide(officer, "rate", currency="PLN", day="2019-12-01", eur_per_unit="0.25")
    assert found["words"] == "1 PLN = 0.25 EUR on 2019-12-01"
    found = decide(officer, "player", name="Dora <i>", nation="FRA")
    assert found["words"].startswith("Dora <i> [P")
    found = decide(officer, "edit", player="P3", nation="-", withheld="true")
    assert found["words"].endswith(", withheld")
    found = decide(officer, "erase", player="P2", reason="asked to be forgotten")
    assert found["kind"] == "erasure"
    assert found["can_undo"] is False


def test_a_column_that_there_is_not(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    typed = {"tournament": "T1", "table": "placings", "row": "player_id = P3",
             "column": "entrants", "value": "1", "reason": "a slip"}  # fmt: skip
    answer = officer.post("/officer/decisions/override", data=typed, headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["problem"].startswith("placings has no column entrants. It has event_id,")


def test_somebody_else_played(journal: Journal, as_role: AsRole, client: Client) -> None:
    officer = desk(journal, as_role)
    decide(
        officer, "split", player="P1", tournaments="T1", into="P2", name="", reason="seen"
    )  # fmt: skip
    assert names(client) == ["Ada Nowak", "Cyril <b>"]


def test_a_list_is_published(journal: Journal, as_role: AsRole, client: Client) -> None:
    officer = desk(journal, as_role)
    typed = {"regulation": "wbgf", "day": "2019-12-31", "note": ""}
    decide(officer, "publish", **typed)
    assert client.get("/published/5", headers=JSON).status_code == 200
    answer = officer.post("/officer/decisions/publish", data=typed, headers=JSON)
    assert answer.status_code == 200
    assert answer.json()["problem"] == "There is nothing to record: so it is known already."


def test_what_the_command_line_publishes_the_desk_publishes(
    journal: Journal, as_role: AsRole, client: Client
) -> None:
    """The live list of the players of a nation, of one month."""
    officer = desk(journal, as_role, report("T2", {"P2": 1, "P1": 2}, day="2019-12-20"))
    typed = {
        "regulation": "wbgf", "day": "2019-12-31", "by": "player", "setting": "live",
        "nation": "cze", "since": "2019-12-01", "until": "2019-12-30",
    }  # fmt: skip
    (found,) = shown(officer, "publish", **typed)["lists"]
    asked = {"by": "player", "setting": "live", "nation": "CZE"}
    asked |= {"since": "2019-12-01", "until": "2019-12-30", "as_of": "2019-12-31"}
    assert {name: found[name] for name in asked} == asked
    assert [one["player_id"] for one in found["rows"]] == ["P2", "P1"]  # of T2 alone
    assert found["total_rows"] == 2
    page = publish(officer, **typed)
    name = "wbgf 2019-12-31 since 2019-12-01 until 2019-12-30 live of CZE"
    assert page["published"]["name"] == name
    nations = {"regulation": "wbgf", "day": "2019-12-31", "by": "nation"}
    decide(officer, "publish", **nations)
    rows = client.get("/published/7", headers=JSON).json()["items"]
    assert [(one["nation"], one["players"]) for one in rows] == [("CZE", 2), ("GER", 1)]


def test_a_list_by_another_reading_is_no_list_of_the_day(
    journal: Journal, as_role: AsRole, client: Client
) -> None:
    """By W3=skip-29-feb, 29 February 2020 is not counted: results are a day younger."""
    officer = desk(journal, as_role)
    decide(officer, "publish", regulation="wbgf", day="2020-03-31")
    publish_by_rules(journal, Question(regulation="wbgf", chosen={"W3": "skip-29-feb"}))
    found = client.get("/published/6", headers=JSON).json()
    a_day_before = client.get("/rankings/wbgf/2020-03-30", headers=JSON).json()
    points = [one["nanopoints"] for one in a_day_before["items"]]
    assert [one["nanopoints"] for one in found["items"]] == points
    assert client.get("/published/5", headers=JSON).json()["published"]["replaced"] is None
    assert client.get("/rankings/wbgf/2020-03-31", headers=JSON).json()["publication"] == 5


def test_one_edition_for_every_day(journal: Journal, as_role: AsRole, client: Client) -> None:
    desk(journal, as_role)
    publish_by_rules(journal, Question(regulation="usbgf", edition="2015-05"))
    page = client.get("/published/5", headers=JSON).json()
    assert [*page["editions"]] == ["2015-05"]


def publish_by_rules(journal: Journal, question: Question) -> None:
    """Publish the list of 31 March 2020 by chosen rules, as the command line does."""

    def act(transaction: Transaction) -> None:
        projection = transaction.projection
        filed = publication.make_publication(
            question, projection.facts, Selection(as_of=date(2020, 3, 31)),
            head=projection.state.head,
        )  # fmt: skip
        publication.publish_list(filed.publication)(transaction)

    record_entries(journal, OFFICER, act)


def test_a_regulation_that_there_is_not(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    form = {"regulation": "chess", "day": "2019-12-31"}
    answer = officer.post("/officer/decisions/publish", data=form, headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["problem"] == ("Regulation: chess is none of these: wbgf, usbgf, dptr.")


def test_what_no_list_has_is_no_list(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    for typed in ({"kind": "match"}, {"setting": "somewhere"}, {"nation": "XXX"}, {"by": "age"},
                  {"since": "soon"}, {"divisions": "one"}):  # fmt: skip
        form = {"regulation": "wbgf", "day": "2019-12-31", **typed}
        assert officer.post("/officer/decisions/publish", data=form).status_code == 422
    assert journal.head().sequence == 4


def test_a_list_of_some_divisions_says_so(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    form = {"regulation": "wbgf", "day": "2019-11-30", "divisions": "2, 1"}
    page = publish(officer, **form)
    assert page["published"]["divisions"] == [1, 2]
    address = f"/published/{page['published']['entry']}"
    assert ", division 1, 2" in officer.get(address).text
    whole = officer.get("/rankings/wbgf/2019-11-30", headers=JSON).json()
    assert whole["publication"] is None


def test_a_list_is_seen_before_it_is_published(journal: Journal, as_role: AsRole) -> None:
    """In November Ada led Cyril; in December Ada Nowak came first, and Cyril never again."""
    officer = desk(journal, as_role)
    november = {"regulation": "wbgf", "day": "2019-11-30"}
    (found,) = shown(officer, "publish", **november)["lists"]
    assert (found["last_entry"], found["total_rows"], found["previous_entry"]) == (4, 2, None)
    assert (found["changes"], found["warnings"]) == (None, [])
    page = officer.post("/officer/decisions/publish", data=november).text
    assert "2 players; made of all that was recorded up to entry 4" in page
    assert "&lt;time" not in page
    assert "No points change." not in page
    decide(officer, "publish", **november)
    journal.record([report("T2", {"P2": 1, "P1": 2, "P3": 3}, day="2019-12-20")], OFFICER)
    december = {"regulation": "wbgf", "day": "2019-12-31"}
    (found,) = shown(officer, "publish", **december)["lists"]
    assert (found["previous_entry"], found["previous_as_of"]) == (5, "2019-11-30")
    rows = list(zip(found["rows"], found["previous_ranks"], strict=True))
    was = [(one["player_id"], rank) for one, rank in rows]
    assert sorted(was) == [("P1", 1), ("P2", None), ("P3", 2)]
    moved = sum(rank not in (None, one["rank"]) for one, rank in rows)
    assert found["changes"] == {"new": 1, "gone": 0, "moved": moved, "revalued": 2, "regrouped": 0}
    page = officer.post("/officer/decisions/publish", data=december).text
    ranks = f"{moved} has another rank" if moved == 1 else f"{moved} have another rank"
    assert f"1 is new, {ranks}, 2 have other points." in page
    live = {**december, "setting": "live"}
    (found,) = shown(officer, "publish", **live)["lists"]
    assert found["previous_entry"] is None  # none of that kind


@pytest.mark.parametrize(
    ("day", "words"),
    [
        ("1900-01-01", ["The list is empty: no player has points that count in it."]),
        ("2020-01-31", []),  # today
        ("2020-02-01", ["Its day has not come: what is reported until then is not in it."]),
    ],
)  # fmt: skip
def test_an_odd_day_is_told(journal: Journal, as_role: AsRole, day: str, words: list[str]) -> None:
    officer = desk(journal, as_role)
    typed = {"regulation": "wbgf", "day": day}
    (found,) = shown(officer, "publish", **typed)["lists"]
    assert [one["what"] for one in found["warnings"]] == words
    page = officer.post("/officer/decisions/publish", data=typed).text
    assert all(one in page for one in words)


@pytest.mark.parametrize(
    ("day", "why"),
    [
        (
            "2021-02-01",
            (
                "2021-02-01 is more than a year away: what is reported until then is not in the"
                " list. Check the year, and publish the list when its day has come."
            ),
        ),
        ("0001-01-01", "There is no list for 0001-01-01: only from 1900-01-01 to 2199-12-31."),
        ("9999-12-31", "There is no list for 9999-12-31: only from 1900-01-01 to 2199-12-31."),
        ("soon", "soon is no day such as 2019-12-31."),
    ],
)
def test_no_list_of_no_day_is_published(
    journal: Journal, as_role: AsRole, day: str, why: str
) -> None:
    typed = {"regulation": "wbgf", "day": day, "note": ""}
    answer = desk(journal, as_role).post("/officer/decisions/publish", data=typed, headers=JSON)
    assert answer.status_code == 422
    assert answer.json()["problem"] == why


def test_no_list_of_results_after_its_day(journal: Journal, as_role: AsRole) -> None:
    typed = {"regulation": "wbgf", "day": "2020-01-31", "since": "2020-03-01"}
    answer = desk(journal, as_role).post("/officer/decisions/publish", data=typed)
    assert answer.status_code == 422
    words = "Only results since 1 March 2020 count, and the list is of 31 January 2020"
    assert words in answer.text
    assert 'value="2020-03-01"' in answer.text  # to be changed where it stands
    assert "Record this" not in answer.text


def test_a_name_that_is_edited_stands_with_the_one_before(
    journal: Journal, as_role: AsRole
) -> None:
    officer = desk(journal, as_role)
    typed = {"tournament": "T1", "table": "tournaments", "row": "tournament_id = T1"}
    name = {"column": "name", "value": "Prague Masters", "reason": "the flyer"}
    (entry,) = shown(officer, "override", **typed, **name)["entries"]
    assert entry["words"] == "Name of T1 Open: Prague Masters; the flyer"
    page = officer.post("/officer/decisions/edit", data={"player": "P1", "name": "Ada Green"}).text
    recorded = page[page.index("What it will record") :]
    assert recorded.count("[P1]") == 1
    assert "P1</bdi>: <bdi>Ada Green [P1]" not in recorded


@pytest.mark.parametrize("seen", ["", digest([])])
def test_what_is_stated_already_is_no_mistake(journal: Journal, as_role: AsRole, seen: str) -> None:
    """Whoever sends the digest of nothing records nothing."""
    officer = desk(journal, as_role)
    typed = {"currency": "PLN", "day": "2019-12-01", "eur_per_unit": "0.25"}
    decide(officer, "rate", **typed)
    head = journal.head()
    answer = officer.post("/officer/decisions/rate", data={**typed, "digest": seen}, headers=JSON)
    assert answer.status_code == 200
    assert answer.json()["problem"] == "There is nothing to record: so it is known already."
    assert journal.head() == head


def test_what_would_be_recorded_otherwise_is_not(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    typed = {"regulation": "wbgf", "day": "2019-12-31", "note": ""}
    seen = shown(officer, "publish", **typed)["digest"]
    journal.record([report("T2", {"P3": 1, "P1": 2})], OFFICER)
    answer = confirm(officer, "publish", seen, **typed)
    assert answer.status_code == 409
    assert answer.json()["problem"].startswith("The journal has changed since")
    assert answer.json()["preview"]["digest"] != seen
    assert journal.head().sequence == 5
    assert (
        confirm(officer, "publish", answer.json()["preview"]["digest"], **typed).status_code == 303
    )


def test_a_list_is_of_today_unless_said_otherwise(
    journal: Journal, as_role: AsRole, app_state: AppState
) -> None:
    officer = desk(journal, as_role)
    for query, day in (("", app_state.today().isoformat()), ("?day=2019-12-31", "2019-12-31")):
        form = officer.get(f"/officer/decisions/publish{query}", headers=JSON).json()
        assert form["values"]["day"] == day


def test_what_is_refused_says_why(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    for name, typed, words in (
        ("undo", {"entry": "4"}, "Fill in: Reason."),
        ("undo", {"entry": "99", "reason": "x"}, "There is no entry 99 in this journal."),
        ("undo", {"entry": "four", "reason": "x"}, "four is no number of an entry."),
        ("rate", {"currency": "CZK", "day": "soon", "eur_per_unit": "1"},
         "soon is no day such as 2019-12-31."),
        ("rate", {"currency": "CZK", "day": "2019-02-30", "eur_per_unit": "1"},
         "There is no day 2019-02-30."),
    ):  # fmt: skip
        answer = officer.post(f"/officer/decisions/{name}", data=typed, headers=JSON)
        assert (answer.status_code, answer.json()["problem"]) == (422, words)
    both = {"player": "P1", "into": "P3", "reason": "x"}
    answer = officer.post("/officer/decisions/merge", data=both, headers=JSON)
    assert answer.status_code == 422  # somebody would be twice in one flight
    assert answer.json()["problems"]
    assert journal.head().sequence == 4


def test_the_log(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role, *(report(f"X{one:02}", {"P1": 1}) for one in range(60)))
    first = officer.get("/officer/log?limit=50", headers=JSON).json()
    assert [one["sequence"] for one in first["items"]] == list(range(64, 14, -1))
    second = officer.get(first["next"], headers=JSON).json()
    assert [one["sequence"] for one in second["items"]] == list(range(14, 0, -1))
    assert second["next"] is None
    for query, found in (
        ("kind=player", [3, 2, 1]),
        ("subject=T1", [4]),
        ("author=Rita+Officer&kind=player&until=%232", [2, 1]),
        ("author=nobody", []),
        ("until=1999-12-31", []),
    ):
        rows = officer.get(f"/officer/log?{query}", headers=JSON).json()["items"]
        assert [one["sequence"] for one in rows] == found
    assert officer.get("/officer/log?before=x", headers=JSON).status_code == 400
    assert officer.get("/officer/log/99", headers=JSON).status_code == 404
    assert officer.get("/officer/reports/nobody", headers=JSON).status_code == 404
    assert officer.get("/officer/decisions/nobody", headers=JSON).status_code == 404


def test_pages_are_whole_and_escaped(journal: Journal, as_role: AsRole) -> None:
    officer = desk(journal, as_role)
    for path in ("", "/log", "/log/3", "/log/4", "/players", "/reports/T1"):
        answer = officer.get(f"/officer{path}")
        assert answer.status_code == 200
        assert "Cyril <b>" not in answer.text
    typed = {"entry": "4", "reason": "<script>"}
    page = officer.post("/officer/decisions/undo", data=typed).text
    assert "Cyril &lt;b&gt;" in page
    assert "<script>" not in page
    assert 'name="digest"' in page


def test_decisions_stand_in_groups(journal: Journal, as_role: AsRole) -> None:
    groups = desk(journal, as_role).get("/officer", headers=JSON).json()["groups"]
    assert list(groups) == [
        "Reports",
        "Players",
        "Money and members",
        "Streaming fund",
        "Publish",
    ]
    named = [decision["name"] for group in groups.values() for decision in group]
    assert sorted([*named, "override"]) == sorted(DECISIONS)  # which stands beside each value


def test_a_race_and_levels_are_recorded_from_pasted_files(
    journal: Journal, as_role: AsRole
) -> None:
    officer = desk(journal, as_role)
    race = 'race = "open-2019"\nname = "Open 2019"\nregulation = "usbgf"'
    levels = (
        '[levels]\nregulation = "usbgf"\ntitle = "Ours"\nsource = "Board"\n'
        '[[level]]\nname = "Club"\npoints = 3'
    )
    assert decide(officer, "race", file=race)["kind"] == "race"
    assert decide(officer, "levels", regulation="usbgf", file=levels)["kind"] == "levels"
    assert "Open 2019" in officer.get("/races").text


def test_duplicates_are_decided_one_by_one_with_the_evidence(
    journal: Journal, as_role: AsRole
) -> None:
    officer = desk(journal, as_role, report("T2", {"P2": 1, "P3": 1}))
    page = officer.get("/officer/players", headers=JSON).json()
    assert page["number"] == 1
    first, second = page["evidence"]
    assert (first["player"]["player_id"], first["player"]["tournaments"]) == ("P1", 1)
    assert [(one["tournament_id"], one["rank"]) for one in second["latest"]] == [("T2", 1)]
    html = officer.get("/officer/players").text
    assert "Merge into Ada Novak (CZE) P1" in html
    assert "place 1–2" in html
    for one in ("player-1 code-1", "player-2 code-2"):  # of two alike, the code tells which
        assert f'aria-labelledby="{one}"' in html
    assert html.count('id="code-') == 2
    form = {"player": "P2", "other": "P1", "reason": "seen both"}
    seen = shown(officer, "apart", **form)
    answer = confirm(officer, "apart", seen["digest"], **form)
    assert answer.headers["location"] == "/officer/players?done=6"
    assert officer.get("/officer/players", headers=JSON).json()["pairs"] == []


@pytest.mark.parametrize("number", ["0", "9" * 30, "9" * 5000, "x"])
def test_a_proposal_that_is_none_is_not_found(as_role: AsRole, number: str) -> None:
    officer = as_role("officer")
    assert officer.get(f"/officer/decisions/publish?proposal={number}").status_code == 404
    form = {"proposal": number}
    assert officer.post("/officer/decisions/publish", data=form).status_code == 404
