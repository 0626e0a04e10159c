"""``palmares event``: an event from its start to its report."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec import structs

from palmares.cli import cli
from palmares.journal.store.events import record_event
from palmares.journal.store.journal import open_journal
from palmares.tournaments import running
from palmares.tournaments.running import start
from palmares.tournaments.typed_results import read_setup
from tests.journal.statements import OFFICER, player

NIGHT = """
event = "night"
name = "Club night"
format = "knockout"
entrants = ["Ada Novák", "Ben Ost", "Cy Dee", "Dan Poe", "Eve Fox"]
flights = [{name = "main", lengths = [7, 9]}, {name = "consolation", lengths = [5]}]
feeds = [{name = "consolation", of = "main", rounds = [1, 2]}]
"""
SWISS = """
event = "swiss"
name = "Swiss"
format = "swiss"
rounds = 2
entrants = ["Ada", "Ben", "Cy", "Dan"]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PALMARES_JOURNAL", "federation.db")
    assert CliRunner().invoke(cli, ["journal", "init"]).exit_code == 0
    (tmp_path / "night.toml").write_text(NIGHT, encoding="utf-8")
    (tmp_path / "swiss.toml").write_text(SWISS, encoding="utf-8")
    return tmp_path


def say(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["event", *map(str, arguments)])


def rows(*arguments: str) -> list[dict[str, object]]:
    shown = say("show", *arguments, "--format", "json")
    assert shown.exit_code == 0, shown.output
    found: list[dict[str, object]] = json.loads(shown.stdout)
    return found


@pytest.fixture
def night(folder: Path) -> Path:
    assert say("start", "night.toml").output == "night: started, 5 entrants.\n"
    return folder


def test_a_bracket_is_written_to_be_printed(night: Path) -> None:
    assert say("bracket", "night", "-o", "b.svg", "--paper", "A3").output == "b.svg: written.\n"
    assert "Ada Novák" in (night / "b.svg").read_text(encoding="utf-8")
    say("start", "swiss.toml")
    assert say("bracket", "swiss", "-o", "s.svg").exit_code == 0
    assert "Rounds" in (night / "s.svg").read_text(encoding="utf-8")


def test_byes_go_to_the_first_and_the_others_keep_their_order(night: Path) -> None:
    del night
    first = [row for row in rows("night", "--all") if str(row["match"]).startswith("main:1")]
    assert [(row["player_1"], row["player_2"], row["state"]) for row in first] == [
        ("Ada Novák", "bye", "bye"), ("Ben Ost", "Cy Dee", "ready"),
        ("Dan Poe", "bye", "bye"), ("bye", "Eve Fox", "bye"),
    ]  # fmt: skip
    assert say("start", "night.toml").output == "night: was started already, 5 entrants.\n"
    assert say("show", "night").output.startswith("Club night: these matches can start\n")


def test_an_event_is_played_to_its_end(night: Path) -> None:
    done = say("result", "night", "main:1:2", "cy dee", "--score", "7-3", "--table", "4")
    assert done.output == (
        "main:1:2: Cy Dee won 7-3.\n"
        "Next: main:2:2, Dan Poe against Eve Fox.\n"
        "Next: main:2:1, Ada Novák against Cy Dee.\n"
    )
    again = say("result", "night", "main:1:2", "3", "--score", "7-3", "--table", "4")
    assert again.output.startswith("main:1:2: Cy Dee won 7-3. It was recorded already.")
    (night / "sheet.csv").write_text(
        "match,winner,score,how\n"
        "main:3:1,Cy Dee,9-8,\n"  # in any order
        "main:2:1,Cy Dee,9:1,\n"
        "main:2:2,Eve Fox,,walkover\n"
        "main:1:2,Cy Dee,7-3,\n",
        encoding="utf-8",
    )
    assert say("enter", "night", "sheet.csv").exit_code == 1  # another table than before
    sheet = (night / "sheet.csv").read_text("utf-8").replace("main:1:2,Cy Dee,7-3,\n", "")
    (night / "sheet.csv").write_text(sheet, encoding="utf-8")
    assert say("enter", "night", "sheet.csv").output.startswith("Recorded 3 results.\n")
    assert say("enter", "night", "sheet.csv").output.startswith(
        "Recorded 0 results. 3 results recorded already.\n"
    )
    placings = json.loads(say("show", "night", "--placings", "--format", "json").stdout)
    assert [(row["rank"], row["player"]) for row in placings if row["flight"] == "main"] == [
        (1, "Cy Dee"), (2, "Eve Fox"), (3, "Ada Novák"), (3, "Dan Poe"), (5, "Ben Ost"),
    ]  # fmt: skip
    listed = json.loads(say("list", "--format", "json").stdout)
    assert (listed[0]["event"], listed[0]["entrants"], listed[0]["played"]) == ("night", 5, 4)
    assert "Valid: 5 records" in say("verify", "night").output


def test_an_event_of_a_later_palmares_hides_no_other(
    night: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del night
    assert say("start", "swiss.toml").exit_code == 0
    assert say("result", "night", "main:1:2", "cy dee", "--score", "7-3").exit_code == 0
    monkeypatch.delitem(running.KINDS, "result")
    listed = say("list", "--format", "json")
    assert "cannot read a record of the kind result" in listed.stderr
    assert {row["event"]: (row["state"], row["entrants"]) for row in json.loads(listed.stdout)} == {
        "night": ("unreadable", None), "swiss": ("running", 4),
    }  # fmt: skip


def test_a_withheld_name_is_in_no_bracket(folder: Path) -> None:
    """P1 was typed in under the name, too; the report has it."""
    journal = open_journal("federation.db")
    journal.record([player("P1", "Ada Novák"), player("P2", "Ben Ost")], OFFICER)
    setup, _ = read_setup(
        {"event": "night", "name": "Night", "format": "knockout", "entrants": ["Ada", "Ben"]}, ""
    )
    setup = structs.replace(setup, places=["P1", "P2"], names={"P1": "P1", "P2": "P2"})
    record_event(journal, "night", "O", lambda past: start(past, setup), names={"P1": "Ada N."})
    journal.record([player("P1", "Ada Novák", withheld=True)], OFFICER)
    journal.close()
    assert rows("night", "--all")[0]["player_1"] == "(withheld)"
    assert say("bracket", "night", "-o", "b.svg").exit_code == 0
    drawn = (folder / "b.svg").read_text(encoding="utf-8")
    assert ("Ada" in drawn, "Ben Ost" in drawn) == (False, True)
    say("result", "night", "main:1:1", "P1")
    assert "Ada N." in say("report", "night", "--end-date", "2026-11-21").output


def test_an_entrant_without_an_id_is_withheld_with_the_player_of_their_name(folder: Path) -> None:
    """Ada Novák is the name, Ada Nová an earlier one; P3 of the journal has it too and is shown."""
    journal = open_journal("federation.db")
    journal.record(
        [player("P1", "Ada Nová"), player("P1", "Ada Novák", withheld=True),
         player("P3", "Ada Novák")], OFFICER,
    )  # fmt: skip
    setup, _ = read_setup(
        {"event": "night", "name": "Night", "format": "knockout", "entrants": ["A", "B", "C", "D"]},
        "",
    )
    setup = structs.replace(setup, places=["1", "2", "P3", "4"],
                            names={"1": "A", "2": "B", "P3": "C", "4": "D"})  # fmt: skip
    names = {"1": "ada  NOVÁK", "2": "Ada Nová", "P3": "Ada Novák", "4": "Ada Nováková"}
    record_event(journal, "night", "O", lambda past: start(past, setup), names=names)
    journal.close()
    shown = [
        str(row[side]) for row in rows("night", "--all")[:2] for side in ("player_1", "player_2")
    ]
    assert sorted(shown) == ["(withheld)", "(withheld)", "Ada Novák", "Ada Nováková"]


def test_two_players_of_one_name_are_told_apart_by_id(folder: Path) -> None:
    entrants = 'event = "club"\nname = "C"\nformat = "knockout"\nentrants = ["Ada", "ada"]\n'
    (folder / "club.toml").write_text(entrants, encoding="utf-8")
    say("start", "club.toml")
    refused = say("result", "club", "main:1:1", "Ada", "--score", "7-3")
    assert refused.exit_code == 1
    assert "both players are called Ada" in refused.output
    assert "Write the id of the winner: 1 (Ada), 2 (ada)." in refused.output
    assert "ada won 7-3." in say("result", "club", "main:1:1", "2", "--score", "7-3").output


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("main:1:2", "Zoe"), "Zoe does not play this match"),
        (("main:9:9", "Ada Novák"), "there is no match main:9:9"),
        (("main:2:1", "Ada Novák"), "the players of this match are not known yet"),
        (("main:1:1", "Ada Novák"), "nobody plays this match"),
        (("main:1:2", "Cy Dee", "--score", "many"), "'many' is no score"),
        (("main:1:2", "Cy Dee", "--score", "3-7"), "the loser has 7; 7 would have won"),
        (("main:1:2", "Cy Dee", "--score", "1001-2"), "'1001-2' is no score"),
        (("main:1:2", "Cy Dee", "--table", "\u202e4"), "contains the invisible character U+202E"),
        (("main:1:2", "Cy Dee", "--table", "y" * 201), "is 201 characters long"),
        (("main:1:2", "Cy Dee", "--length", "x"), "'x' is no length of a match"),
        (("main:1:2", "Cy Dee", "--length", "0"), "'0' is no length of a match"),
        (("main:1:2", "Cy Dee", "--length", "4097"), "'4097' is no length of a match"),
        (("main:1:2",), "Name the WINNER"),
        (("main:1:2", "Cy Dee", "--how", "double_no_show"), "double_no_show or open there is none"),
    ],
)
def test_what_cannot_be_is_refused(night: Path, arguments: tuple[str, ...], why: str) -> None:
    del night
    refused = say("result", "night", *arguments)
    assert refused.exit_code != 0
    assert why in refused.output
    assert "Valid: 1 record," in say("verify", "night").output


def test_another_winner_needs_a_correction(night: Path) -> None:
    del night
    say("result", "night", "main:1:2", "Cy Dee")
    other = say("result", "night", "main:1:2", "Ben Ost")
    assert "this match has another result already: Cy Dee won" in other.output
    say("result", "night", "main:2:1", "Cy Dee", "--score", "9-2")
    say("result", "night", "main:2:2", "Dan Poe")
    unseen = say("correct", "night", "main:1:2", "Ben Ost", "--reason", "\u202e")
    assert "the reason contains the invisible character" in unseen.output
    correction = ("correct", "night", "main:1:2", "Ben Ost", "--reason", "tapped wrong")
    assert "Add --yes" in say(*correction).output
    assert say(*correction, "--yes").output.splitlines()[:3] == [
        (
            "main:2:1: Ada Novák against Ben Ost, before Ada Novák against Cy Dee."
            " The result 'Cy Dee won 9-2' is removed."
        ),
        "main:3:1: ? against Dan Poe, before Cy Dee against Dan Poe.",
        "consolation:1:1: bye against Cy Dee, before bye against Ben Ost.",
    ]
    assert rows("night")[0]["match"] == "main:2:1"
    cleared = say(
        "correct", "night", "main:1:2", "--how", "open", "--reason", "not played", "--yes"
    )
    assert cleared.exit_code == 0


@pytest.mark.parametrize("extra", [("--score", "7-3"), ("--length", "7"), ("--table", "4")])
def test_an_open_match_takes_nothing_of_a_result(night: Path, extra: tuple[str, str]) -> None:
    del night
    say("result", "night", "main:1:2", "Cy Dee")
    cleared = ("correct", "night", "main:1:2", "--how", "open", "--reason", "not played", "--yes")
    refused = say(*cleared, *extra)
    assert refused.exit_code == 2
    assert f"With --how open there is no {extra[0]}" in refused.output
    assert "Valid: 2 records," in say("verify", "night").output


def test_a_player_withdraws_and_comes_back(night: Path) -> None:
    del night
    gone = say("withdraw", "night", "Ben Ost", "--reason", "ill", "--yes")
    assert "Recorded.\n" in gone.output
    assert {row["match"] for row in rows("night")} == {"main:2:1", "main:2:2"}
    assert (
        "Recorded.\n"
        in say("withdraw", "night", "Ben Ost", "--back", "--reason", "not ill", "--yes").output
    )
    assert "main:1:2" in [row["match"] for row in rows("night")]
    assert "Zoe does not play" in say("withdraw", "night", "Zoe", "--reason", "x").output


def test_a_name_is_changed_and_erased(night: Path) -> None:
    del night
    assert say("name", "night", "Ben Ost", "Ben Osten").output == "2: Ben Osten.\n"
    assert rows("night")[0]["player_1"] == "Ben Osten"
    assert say("name", "night", "Ben Osten", "--erase").output == "2: the name was erased.\n"
    assert rows("night")[0]["player_1"] == "2"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "the name “” is empty"),
        ("Ben\u202eOst", "the name “Ben\\u202eOst” contains the invisible character U+202E"),
        ("y" * 201, "is 201 characters long; 200 is the limit"),
        ("Ada  Novák", "the name “Ada Novák” is another entrant's"),
    ],
)
def test_a_name_that_cannot_be_is_refused(night: Path, name: str, why: str) -> None:
    refused = say("name", "night", "2", name)
    assert refused.exit_code == 1
    assert why in refused.output
    assert rows("night")[0]["player_1"] == "Ben Ost"
    if name and "Ada" not in name:
        changed = NIGHT.replace("Ben Ost", name).replace('"night"', '"other"')
        (night / "other.toml").write_text(changed, encoding="utf-8")
        assert why in say("start", "other.toml").output


def test_an_event_has_a_name(folder: Path) -> None:
    (folder / "x.toml").write_text(NIGHT.replace("Club night", " "), encoding="utf-8")
    assert "the name of the event is empty" in say("start", "x.toml").output


@pytest.mark.parametrize("match", ["1.2", "1:2", "Main 1.2", " main:1:2"])
def test_a_match_is_named_as_the_printed_bracket_has_it(night: Path, match: str) -> None:
    assert say("result", "night", match, "cy dee").output.startswith("main:1:2: Cy Dee won.")
    (night / "sheet.csv").write_text(f"match,winner\n{match},Cy Dee\n", encoding="utf-8")
    assert "1 result recorded already" in say("enter", "night", "sheet.csv").output
    assert (
        "there is no match consolation:9:1" in say("result", "night", "consolation 9.1", "x").output
    )


def test_a_name_may_be_written_without_its_nation(folder: Path) -> None:
    text = NIGHT.replace("Ben Ost", "Ben Ost (GER)")
    (folder / "night.toml").write_text(text, encoding="utf-8")
    say("start", "night.toml")
    assert (
        "Ben Ost (GER) won 7-3" in say("result", "night", "1.2", "ben ost", "--score", "7-3").output
    )
    assert "Ben Ost (GER)" in say("withdraw", "night", "Ben Ost", "--reason", "ill", "--yes").output


def test_a_name_that_is_there_twice_is_refused_at_the_start(folder: Path) -> None:
    """Else the report would be refused, when all is played."""
    (folder / "night.toml").write_text(NIGHT.replace("Ben Ost", "Cy  Dee"), encoding="utf-8")
    refused = say("start", "night.toml")
    assert refused.exit_code == 1
    assert "two entrants have the name Cy Dee" in refused.output


def test_all_problems_of_a_sheet_at_once(night: Path) -> None:
    (night / "sheet.csv").write_text(
        "match,winner,score\nmain:1:2,Zoe,7-1\nmain:2:2,Dan Poe,x\nmain:9:1,Ada,\n"
        "main:2:2,Dan Poe,9-1\n",
        encoding="utf-8",
    )
    refused = say("enter", "night", "sheet.csv")
    assert refused.exit_code == 1
    for place in ("sheet.csv:2", "sheet.csv:3", "sheet.csv:4", "sheet.csv:5"):
        assert place in refused.output
    assert "Valid: 1 record," in say("verify", "night").output
    (night / "sheet.csv").write_text("spiel,sieger\nmain:1:2,Zoe\n", encoding="utf-8")
    refused = say("enter", "night", "sheet.csv")
    assert "none of the first 20 lines names the columns; the first is: spiel | sieger" in (
        " ".join(refused.output.split())
    )


def test_a_column_of_results_that_is_not_read_is_named(night: Path) -> None:
    """Else its scores would be lost without a word."""
    (night / "sheet.csv").write_text("match,winner,scores\nmain:1:2,Cy Dee,7-3\n", encoding="utf-8")
    done = say("enter", "night", "sheet.csv")
    assert "Recorded 1 result.\n" in done.output
    assert "sheet.csv:1: columns that are not read: scores" in done.stderr


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_a_sheet_as_spreadsheets_save_it(night: Path, separator: str) -> None:
    lines = (("Club night", "", ""), ("Winner", "MATCH ", "Score"), ("Cy Dee", "main:1:2", "7-3"))
    text = "\r\n".join(separator.join(line) for line in lines)
    (night / "sheet.csv").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert say("enter", "night", "sheet.csv").output.startswith("Recorded 1 result.\n")


def test_a_swiss_is_paired_round_by_round(folder: Path) -> None:
    del folder
    say("start", "swiss.toml")
    assert "not over" in say("next-round", "swiss").output
    say("result", "swiss", "main:1:1", "Ada")
    say("result", "swiss", "main:1:2", "Cy")
    paired = say("next-round", "swiss").output
    assert "main:2:1: Ada against Cy" in paired
    assert "main:2:2: Ben against Dan" in paired


def test_a_lot_orders_those_who_are_tied(folder: Path) -> None:
    groups = 'event = "g"\nname = "G"\nformat = "groups"\ngroups = 1\nadvance = 2\n'
    (folder / "g.toml").write_text(groups + 'entrants = ["Ada", "Ben", "Cy"]\n', "utf-8")
    assert say("start", "g.toml").exit_code == 0
    beats = {frozenset("12"): "1", frozenset("23"): "2", frozenset("13"): "3"}
    while ready := rows("g"):
        match = ready[0]
        winner = beats[frozenset([str(match["player_1_id"]), str(match["player_2_id"])])]
        say("result", "g", str(match["match"]), winner)
    assert "All matches are played" not in say("show", "g").output
    refused = say("lot", "g", "Ada", "Ada")
    assert "no tie that decides who goes on is between these players" in refused.output
    assert say("lot", "g", "Cy", "Ada", "Ben").output.startswith("Recorded.\nNext: main:1:1")
    assert say("lot", "g", "Cy", "Ada", "Ben").output.startswith("This was recorded already.")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ('event = "night"', ":1: event is missing. Add it"),
        ('format = "knockout"', ":1: format is missing. Add it"),
        ('entrants = ["Ada"]\nx = 1', ": there is no key x. There are: event, name"),
        ('entrants = [1, "Ada"]\n', ": entrants is not a text."),
        ('format = "knokout"\n', ": format is not one of its words. Write one of these: knockout"),
        ("places = 5\n", ": places is not a list."),
        ('places = "abcd"\n', ": places is not a list."),
        ('places = ["1"]\n', ": entrants and places are both there. Leave one of them out"),
        ('names = {1 = "Ada"}\n', ": entrants and names are both there. Leave one of them out"),
        ('name = "x\n', ": what begins here with '\"' has no end. Close it"),
    ],
)
def test_a_file_that_is_wrong(folder: Path, change: str, why: str) -> None:
    key = change.split("=", maxsplit=1)[0]
    lines = [line for line in NIGHT.splitlines() if not line.startswith(key)]
    wrong = [change] if "\n" in change else []
    (folder / "wrong.toml").write_text("\n".join([*lines, *wrong]), encoding="utf-8")
    refused = say("start", "wrong.toml")
    assert refused.exit_code == 1
    assert why in refused.output
    assert "wrong.toml:" in refused.output


def test_the_report_of_an_event(night: Path) -> None:
    early = say("report", "night", "--end-date", "2026-11-21")
    assert "Club night is not over" in early.output
    while ready := rows("night"):
        say("result", "night", str(ready[0]["match"]), str(ready[0]["player_1_id"]))
    done = say("report", "night", "--end-date", "2026-11-21", "--set", "kind=championship",
               "--set", "entry_fee=20", "-o", "report.toml")  # fmt: skip
    assert done.output.startswith("report.toml: written.")
    checked = CliRunner().invoke(cli, ["check", "report.toml"])
    assert checked.exit_code == 0, checked.output
    text = (night / "report.toml").read_text("utf-8")
    assert "Ada Novák" in text
    assert "[event.consolation]" in text
    added = CliRunner().invoke(cli, ["add", "report.toml", "--yes"])
    assert added.exit_code == 0, added.output


@pytest.mark.parametrize("cell", ["entrants=3", "rounds=9", "fee=20"])
def test_a_report_says_what_was_played(night: Path, cell: str) -> None:
    del night
    while ready := rows("night"):
        say("result", "night", str(ready[0]["match"]), str(ready[0]["player_1_id"]))
    refused = say("report", "night", "--end-date", "2026-11-21", "--set", cell)
    assert refused.exit_code == 1
    assert f"{cell.partition('=')[0]} cannot be set" in refused.output


def test_a_bracket_that_nobody_won_is_not_reported(folder: Path) -> None:
    text = NIGHT.split("entrants", maxsplit=1)[0] + 'entrants = ["Ada", "Ben", "Cy", "Dan"]\n'
    (folder / "night.toml").write_text(text, encoding="utf-8")
    assert say("start", "night.toml").exit_code == 0
    assert say("result", "night", "main:1:1", "--how", "double_no_show").exit_code == 0
    assert say("result", "night", "main:1:2", "--how", "double_no_show").exit_code == 0
    assert (
        "Nobody won the main of Club night"
        in say("report", "night", "--end-date", "2026-11-21").output
    )
    corrected = say(
        "correct", "night", "main:1:2", "Cy", "--how", "walkover", "--reason", "lot", "--yes"
    )
    assert corrected.exit_code == 0
    assert "1     Cy" in say("report", "night", "--end-date", "2026-11-21").output


def test_a_start_again_keeps_an_erased_name_erased(night: Path) -> None:
    del night
    assert say("name", "night", "Ben Ost", "--erase").exit_code == 0
    assert say("start", "night.toml").output == "night: was started already, 5 entrants.\n"
    assert "Ben Ost" not in say("show", "night", "--all").output


def test_a_withdrawal_says_which_matches_it_decides(night: Path) -> None:
    del night
    done = say("withdraw", "night", "Cy Dee", "--reason", "ill", "--yes")
    assert "main:1:2: Ben Ost against Cy Dee: Ben Ost won by walkover." in done.output
    assert "No other match" not in done.output


def test_placings_are_not_every_match(night: Path) -> None:
    del night
    refused = say("show", "night", "--all", "--placings")
    assert refused.exit_code == 2
    assert "Ask for --all or for --placings, not for both." in refused.output


def test_a_cell_of_the_report_is_set_once(night: Path) -> None:
    del night
    twice = ("--set", "entry_fee=20", "--set", "entry_fee=30")
    refused = say("report", "night", "--end-date", "2026-11-21", *twice)
    assert refused.exit_code == 2
    assert "entry_fee is there twice, as 20 and 30." in refused.output


def test_no_such_event(folder: Path) -> None:
    del folder
    for command in (("show", "x"), ("result", "x", "main:1:1", "Ada"), ("verify", "x")):
        refused = say(*command)
        assert refused.exit_code == 1
        assert "event" in refused.output


# ── prizes, a split, what is not over ────────────────────────────────────────────────────────────

NOTICE = """
event = "night"
name = "Club night"
tournament = "Club night 7"
start_date = 2026-11-21
end_date = 2026-11-21
entry_opens = 2026-11-01
place = "The club"
format = "knockout"
flights = [{name = "main", lengths = [7, 9]}, {name = "consolation", lengths = [5]}]
feeds = [{name = "consolation", of = "main", rounds = [1, 2]}]
divisions = [{name = "Open", may_enter = "anyone", entry_fee = "20.00", kind = "championship"}]
prizes = {shares = {main = [60, 30], consolation = [10]}}
"""


def play_out() -> None:
    while matches := rows("night"):
        assert (
            say(
                "result", "night", *(str(matches[0][key]) for key in ("match", "player_1_id"))
            ).exit_code
            == 0
        )


def test_prizes_and_a_split_that_was_agreed(night: Path) -> None:
    """5 x 20 = 100: 60, 30 and 10; the finalists agree on 50 and 40."""
    assert "night has no notice with prizes" in say("prizes", "night").output
    (night / "notice.toml").write_text(NOTICE, encoding="utf-8")
    recorded = CliRunner().invoke(cli, ["notice", "record", "notice.toml"])
    assert recorded.exit_code == 0, recorded.output
    early = say("split", "night", "Ada Novák=50")
    assert (early.exit_code, "not played yet" in early.output) == (1, True)
    play_out()
    first, second, third = json.loads(say("prizes", "night", "--format", "json").stdout)
    assert [row["amount"] for row in (first, second, third)] == [60, 30, 10]
    agreed = [f"{first['player']}=50", f"{second['player']}=40"]
    wrong = say("split", "night", agreed[0])
    assert "The agreed split comes to 50.00, and these players get 60.00" in wrong.output
    twice = say("split", "night", f"{first['player']}=40", *agreed)
    assert f"{first['player'].partition(' (')[0]} is there twice. Give it once." in twice.output
    for arguments in ((), (*agreed, "--cancel"), ("nobody",)):
        assert say("split", "night", *arguments).exit_code == 2
    assert say("split", "night", *agreed).output == "Recorded.\n"
    assert say("split", "night", *agreed).output == "This was recorded already.\n"
    paid = json.loads(say("prizes", "night", "--format", "json").stdout)
    assert [(row["amount"], row["agreed"]) for row in paid] == [
        (50, "agreed"), (40, "agreed"), (10, ""),
    ]  # fmt: skip
    assert say("prizes", "night", "-o", "payments.pdf").exit_code == 0
    assert (night / "payments.pdf").read_bytes().startswith(b"%PDF")
    assert say("verify", "night").exit_code == 0
    say("split", "night", "--cancel")
    again = json.loads(say("prizes", "night", "--format", "json").stdout)
    assert [row["amount"] for row in again] == [60, 30, 10]


def test_the_report_takes_fees_and_days_from_the_notice(night: Path) -> None:
    play_out()
    assert "Name the last day" in say("report", "night").output
    (night / "notice.toml").write_text(NOTICE, encoding="utf-8")
    CliRunner().invoke(cli, ["notice", "record", "notice.toml"])
    text = " ".join(say("report", "night").output.split())
    for part in ('name = "Club night 7"', "end_date = 2026-11-21", 'kind = "championship"',
                 "entry_fee = 20"):  # fmt: skip
        assert part in text
    other = " ".join(
        say("report", "night", "--end-date", "2026-11-22", "--set", "entry_fee=25").output.split()
    )
    assert "end_date = 2026-11-22" in other
    assert "entry_fee = 25" in other


def test_placings_before_the_end_say_so(night: Path) -> None:
    del night
    say("start", "swiss.toml")
    say("result", "swiss", "main:1:1", "Ben")
    shown = say("show", "swiss", "--placings", "--format", "json")
    assert "Swiss is not over: 1 match to play." in shown.stderr
    assert json.loads(shown.stdout)[0] == {
        "flight": "main", "rank": 1, "player": "Ben", "player_id": "2", "rounds_behind": None,
    }  # fmt: skip
    assert "Club night is not over" in say("show", "night", "--placings").stderr


def test_a_lost_end_is_noticed(night: Path) -> None:
    """'the last entries of the table deleted'"""
    say("result", "night", "main:1:2", "cy dee")
    with sqlite3.connect(night / "federation.db") as database:
        database.execute("DROP TRIGGER event_records_no_delete")
        database.execute("DELETE FROM event_records WHERE sequence = 2")
    lost = say("verify", "night")
    assert lost.exit_code == 1
    assert "Record 2 of the event night was recorded here with the hash" in lost.output
    again = say("result", "night", "main:1:2", "ben ost")
    assert again.exit_code == 1
    assert "Nothing was recorded. The end of the journal was lost" in again.output
    assert "Record 2 of the event night" in CliRunner().invoke(cli, ["journal", "verify"]).output


def test_a_journal_without_events(folder: Path) -> None:
    assert "No event was started yet." in say("list").output
