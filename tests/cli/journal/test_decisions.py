"""What is recorded is shown first, with the points it awards; somebody agrees."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from palmares.journal.store.journal import create_journal, open_journal
from tests.databases import CopyOf
from tests.journal.reports import T, prague
from tests.packages import error, rows, run
from tests.processes import on_terminal, plain

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture
def journal(copy_url: CopyOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty journal that every command uses, in each kind of database."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    url = copy_url(create_journal)
    monkeypatch.setenv("PALMARES_JOURNAL", url)
    monkeypatch.setenv("PALMARES_AUTHOR", "Otto Officer")
    return url


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The report of the Prague Open, and a journal in a file that has it: entries 1 to 5."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PALMARES_JOURNAL", str(tmp_path / "prague.db"))
    monkeypatch.setenv("PALMARES_AUTHOR", "Otto Officer")
    create_journal(str(tmp_path / "prague.db")).close()
    run("add", prague(tmp_path), "--yes")
    return tmp_path / "prague.toml"


def printed(*args: object) -> str:
    """What a command that must work prints."""
    result = run(*args)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def head(url: str) -> int:
    found = open_journal(url)
    try:
        return found.head().sequence
    finally:
        found.close()


class TestAdd:
    def test_it_shows_entries_and_points_and_records(self, journal: str, tmp_path: Path) -> None:
        """40 points in the ratio of 385, 220, 144 and 144 to 893; see `POINTS`"""
        assert printed("add", prague(tmp_path), "--yes") == (
            "Recorded: 1 report, 4 players.\n"
            "\n"
            "kind    subject                 what\n"
            f"report  {T}  reported Prague Open, 2019-11-15: 1 event, 4 placings\n"
            "player  P1                      Ada Novak [P1] (CZE)\n"
            "player  P2                      Ben Ode [P2] (DEU)\n"
            "player  P3                      Cy Pell [P3]\n"
            "player  P4                      Dee Rix [P4] (DEU)\n"
            "\n"
            "WBGF Backgammon World Ranking: points\n"
            "\n"
            "player     points\n"
            "Ada Novak   17.25\n"
            "Ben Ode      9.85\n"
            "Cy Pell      6.45\n"
            "Dee Rix      6.45\n"
            "\n"
            "Recorded as entries 1 to 5: reported Prague Open, 2019-11-15: 1 event, 4 placings;"
            " 4 players.\n"
        )
        assert head(journal) == 5
        assert [one["player"] for one in rows("rank", "wbgf", "--as-of", "2019-11-15")] == [
            "Ada Novak", "Ben Ode", "Cy Pell", "Dee Rix"
        ]  # fmt: skip

    def test_the_same_again(self, journal: str, tmp_path: Path) -> None:
        printed("add", prague(tmp_path), "--yes", "--key", "k")
        for more in ((), ("--key", "k"), ("--yes",)):
            assert printed("add", tmp_path / "prague.toml", *more) == (
                f"entry 5: this report of {T} is here already; nothing was added for it.\n"
                "Nothing to record.\n"
            )
        assert head(journal) == 5

    def test_nobody_to_ask(self, file: Path, tmp_path: Path) -> None:
        brno = prague(tmp_path, "brno.toml", Prague="Brno")
        result = run("add", brno)
        assert result.exit_code == 1
        assert result.stdout.startswith("To be recorded: 1 report.\n")
        assert result.stderr.endswith(
            "Error: Nothing was recorded: this needs a yes, and input is not a terminal. Add --yes"
            " to go on.\n"
        )
        assert head(str(tmp_path / "prague.db")) == 5

    @pytest.mark.parametrize(
        ("press", "status", "told"),
        [
            ("y\n", 0, "Record it? [y/N]: y"),
            ("n\n", 1, "Error: Nothing was recorded."),
            ("\n", 1, "Error: Nothing was recorded."),
            ("\x03", 130, "Interrupted; every file is whole or was not written."),
            ("\x04", 1, "Error: Nothing was recorded."),
        ],
    )
    def test_somebody_to_ask(
        self, file: Path, tmp_path: Path, press: str, status: int, told: str
    ) -> None:
        brno = prague(tmp_path, "brno.toml", Prague="Brno")
        shown = on_terminal(["-m", "palmares", "add", brno], press=press, after="[y/N]")
        assert shown.status == status
        assert told in plain(shown.text)
        assert shown.printed.startswith("To be recorded: 1 report.\n")
        assert ("\nRecorded as entry 6: reported Brno Open, " in shown.printed) is (status == 0)
        assert head(str(tmp_path / "prague.db")) == (6 if status == 0 else 5)

    def test_for_a_program(self, journal: str, tmp_path: Path) -> None:
        result = run("add", prague(tmp_path), "--yes", "--format", "json")
        first = json.loads(result.stdout)[0]
        assert first == {
            "regulation": "wbgf",
            "tournament_id": T,
            "tournament": "Prague Open",
            "player_id": "P1",
            "player": "Ada Novak",
            "before": None,
            "after": 17.245240761,  # 15400 / 893
            "change": 17.245240761,
        }
        assert "Recorded as entries 1 to 5: " in result.stderr

    def test_points_into_a_file(self, file: Path, tmp_path: Path) -> None:
        brno = prague(tmp_path, "brno.toml", Prague="Brno")
        result = run("add", brno, "--yes", "-o", tmp_path / "points.csv")
        assert result.stdout == ""
        assert "Recorded as entry 6: reported Brno Open, " in result.stderr
        assert len((tmp_path / "points.csv").read_text().splitlines()) == 5
        oslo = prague(tmp_path, "oslo.toml", Prague="Oslo")
        result = run("add", oslo, "--yes", "-o", tmp_path / "no folder" / "points.csv")
        assert result.exit_code == 1
        assert "Recorded" not in result.stderr
        assert "points.csv: there is no folder" in result.stderr

    def test_a_correction_shows_both_versions(self, file: Path, tmp_path: Path) -> None:
        """At EUR 200 the grade is 2, and all points are twice as many"""
        other = prague(tmp_path, "other.toml", **{"100": "200"})
        told = error("add", other, "--yes")
        assert f"{T} is reported otherwise in entry 5, by Otto Officer (officer) on" in told
        assert "events  prague-open-2019-11-15/main  entry_fee  100      200" in told
        assert told.endswith("--replaces 5.\nNothing was recorded.\n")
        done = printed("add", other, "--replaces", 5, "--yes").splitlines()
        assert "events  prague-open-2019-11-15/main  entry_fee  100      200" in done
        assert done[done.index("WBGF Backgammon World Ranking: points") + 2 :][:3] == [
            "player     until now   then  change",
            "Ada Novak      17.25  34.49   17.25",
            "Ben Ode         9.85  19.71    9.85",
        ]

    def test_who_somebody_is(self, file: Path, tmp_path: Path) -> None:
        brno = prague(tmp_path, "brno.toml", Prague="Brno", **{"Ada Novak": "Ada Nowak"})
        told = printed("add", brno, "--yes")
        assert "new player P5: Ada Nowak (CZE) looks like P1, Ada Novak (CZE)" in told
        assert 'If they are one player: --is "Ada Nowak (CZE)=P1".' in told
        oslo = prague(tmp_path, "oslo.toml", Prague="Oslo", **{"Ada Novak": "A. Novak"})
        told = printed("add", oslo, "--yes", "--is", "A. Novak (CZE)=P1")
        assert "merge   P6                    merged A. Novak [P6] into Ada Novak [P1]:" in told
        ranked = rows("rank", "wbgf", "--as-of", "2019-11-15")
        assert [one["points"] for one in ranked if one["player"] == "Ada Novak"] == [34.490481522]

    def test_rows_beyond_the_first(self, journal: str) -> None:
        few = run("add", EXAMPLES / "diplomacy").stdout
        assert "… and 68 more; --all shows them.\n" in few
        every = run("add", EXAMPLES / "diplomacy", "--all").stdout
        assert "more; --all shows them" not in every
        assert every.count("\nplayer  P") == 81

    def test_an_event_that_waits_for_its_rate(self, file: Path, tmp_path: Path) -> None:
        """There is no rate of the CFA franc: the report is recorded all the same"""
        money = {"end_date   = 2019-11-15": 'end_date   = 2019-11-16\ncurrency = "XAF"'}
        added = run("add", prague(tmp_path, "xaf.toml", **money), "--yes")
        waits = (
            "WBGF Backgammon World Ranking: this event will wait: Main (Prague Open, 2019-11-16)"
        )
        assert waits in added.stderr
        assert "no exchange rate from XAF to EUR on 2019-11-16" in added.stderr
        told = printed("journal", "rate", "XAF", "2019-11-16", "0.01", "--yes")
        assert "Main (Prague Open) does not wait any more." in told
        assert "Ada Novak    0.17\n" in told  # EUR 1, a hundredth of 17.25
        assert "until now" not in told

    @pytest.mark.parametrize("given", ["Ada", "=P1", "Ada="])
    def test_nobody_is_meant(self, file: Path, given: str) -> None:
        result = run("add", file, "--is", given)
        assert result.exit_code == 2
        assert "names no player; write it like 'Ada Novak (CZE)=P17'." in result.stderr


class TestDecisions:
    def points(self, day: str = "2019-11-15") -> dict[str, Any]:
        return {one["player"]: one["points"] for one in rows("rank", "wbgf", "--as-of", day)}

    def test_undo_and_back(self, file: Path) -> None:
        told = printed("journal", "undo", 5, "--reason", "wrong file", "--yes").splitlines()
        assert told[3] == "undo  5        undid entry 5: wrong file"
        assert "Ada Novak      17.25        -17.25" in told
        assert self.points() == {}
        printed("journal", "undo", 6, "--reason", "it was right", "--yes")
        assert len(self.points()) == 4

    def test_withdraw(self, file: Path) -> None:
        told = printed("journal", "withdraw", T, "--reason", "no sanction", "--yes")
        assert f"withdrawal  {T}  withdrew Prague Open [{T}]: no sanction\n" in told
        assert self.points() == {}

    def test_override(self, journal: str, tmp_path: Path) -> None:
        """At EUR 200 the grade is 2: twice 40 x 385/893, and so on"""
        printed("add", prague(tmp_path), "--yes")
        given = "events", "--row", "name=Main", "--set", "entry_fee=200", "--reason", "announced"
        told = printed("journal", "override", T, *given, "--yes").splitlines()
        assert told[3].endswith("Entry fee of Main, Prague Open: 200; announced")
        assert self.points() == {
            "Ada Novak": 34.490481523, "Ben Ode": 19.708846585, "Cy Pell": 12.900335946,
            "Dee Rix": 12.900335946,
        }  # fmt: skip

    def test_rate_twice(self, file: Path) -> None:
        told = printed("journal", "rate", "XAF", "2019-05-30", "0.0015", "--source", "B", "--yes")
        assert "rate  XAF      1 XAF = 0.0015 EUR on 2019-05-30, B\n" in told
        given = "journal", "rate", "XAF", "2019-05-30", "0.0015", "--source", "B", "--yes"
        assert printed(*given) == (
            "entry 6: this rate of XAF is here already; nothing was added for it.\n"
            "Nothing to record.\n"
        )

    def test_erase(self, file: Path) -> None:
        told = printed("journal", "erase", "Ada Novak", "--reason", "asked", "--yes")
        assert "erasure  P1       erased a name, Ada Novak [P1]: asked\n" in told
        assert self.points()["(withheld)"] == 17.245240761
        assert "Novak" not in printed("journal", "export", "-")

    def test_erase_says_that_it_is_final(self, file: Path) -> None:
        command = ["-m", "palmares", "journal", "erase", "P1", "--reason", "asked"]
        shown = on_terminal(command, press="n\n", after="[y/N]")
        assert "This cannot be undone." in plain(shown.text)
        assert shown.status == 1

    def test_a_reason_is_asked_for(self, file: Path) -> None:
        result = run("journal", "undo", 5)
        assert result.exit_code == 2
        assert "Missing option '--reason'" in result.stderr

    @pytest.mark.parametrize("cell", ["rank", "=3"])
    def test_no_cell(self, file: Path, cell: str) -> None:
        given = "--row", "player_id=P1", "--set", cell, "--reason", "x"
        result = run("journal", "override", T, "placings", *given)
        assert result.exit_code == 2
        assert "is no cell; write it like rank=3." in result.stderr


class TestMembers:
    def test_from_the_first_day_to_the_last(self, journal: str, tmp_path: Path) -> None:
        printed("add", prague(tmp_path), "--yes")
        added = printed(
            "member", "add", "Ada Novak", "usbgf", "--from", "2019-01-01", "--level", "Basic",
            "--yes",
        )  # fmt: skip
        assert "membership  P1       Ada Novak [P1]: usbgf from 2019-01-01, Basic\n" in added
        printed("member", "end", "P1", "USBGF", "--to", "2019-12-31", "--yes")
        assert rows("member", "list") == [
            {
                "player_id": "P1", "player": "Ada Novak", "nation": "CZE", "federation": "usbgf",
                "level": "Basic", "start": "2019-01-01", "end": "2019-12-31",
                "stated_in": "entry 7",
            }
        ]  # fmt: skip
        assert rows("member", "list", "--known-at", "#6")[0]["end"] is None

    def test_who_is_a_member_on_a_day(self, file: Path) -> None:
        for name, start, end in (("P1", "2019-01-01", "2019-06-30"), ("P2", "2019-06-30", None)):
            last = ("--to", end) if end else ()
            printed("member", "add", name, "usbgf", "--from", start, *last, "--yes")
        printed("member", "add", "P3", "other", "--from", "2019-01-01", "--yes")

        def on(day: str) -> list[str]:
            return [
                one["player_id"]
                for one in rows("member", "list", "--federation", "USBGF", "--on", day)
            ]

        assert [on(day) for day in ("2018-12-31", "2019-01-01", "2019-06-30", "2019-07-01")] == [
            [], ["P1"], ["P1", "P2"], ["P2"]
        ]  # fmt: skip

    def test_nobody(self, file: Path) -> None:
        told = error("member", "add", "Ada Nowak", "usbgf", "--from", "2019-01-01", "--yes")
        assert "Did you mean Ada Novak?" in told


class TestTheLastLine:
    """'a recording command's last line says who and what'"""

    def last(self, *command: object) -> str:
        return printed(*command, "--yes").splitlines()[-1]

    def because(self, *command: object) -> str:
        return self.last(*command, "--reason", "why")

    def test_of_decisions_about_players(self, file: Path, tmp_path: Path) -> None:
        """Ada Novak is P1 and Cy Pell P3; both play in Prague and Brno."""
        printed("add", prague(tmp_path, "brno.toml", Prague="Brno"), "--yes")  # entry 6
        ada, cy = "Ada Novak [P1]", "Cy Pell [P3]"
        assert self.because("player", "apart", "P1", "P3") == (
            f"Recorded as entry 7: kept {ada} and {cy} apart: why."
        )
        assert self.because("journal", "undo", 7) == (
            f"Recorded as entry 8: undid entry 7: why (kept {ada} and {cy} apart: why)."
        )
        assert self.last("player", "add", "Eve Lind", "--nation", "DNK") == (
            "Recorded as entry 9: Eve Lind [P5] (DNK)."
        )
        assert self.because("journal", "undo", 9) == (
            "Recorded as entry 10: undid entry 9: why (Eve Lind [P5] (DNK))."
        )
        last = self.because("journal", "undo", 10)
        assert last.endswith(": undid entry 10: why (undid entry 9: why).")
        assert self.last("player", "edit", "P5", "--name", "Eve Holm") == (
            "Recorded as entry 12: Eve Holm [P5] (DNK)."
        )
        assert self.because("player", "merge", "P5", "P1") == (
            f"Recorded as entry 13: merged Eve Holm [P5] into {ada}: why."
        )
        assert self.last("member", "add", "P3", "usbgf", "--from", "2019-01-01") == (
            f"Recorded as entry 14: {cy}: usbgf from 2019-01-01."
        )
        assert self.because("journal", "erase", "P3") == (
            f"Recorded as entry 15: erased a name, {cy}: why (from 2 tournaments)."
        )
        assert self.because("journal", "erase", "Ada Novak") == (
            f"Recorded as entries 16 to 17: erased a name, {ada}: why (from 2 tournaments);"
            " erased a name, Ada Novak [P5]: why (from 0 tournaments)."
        )
        assert self.because("journal", "undo", 13) == (
            "Recorded as entry 18: undid entry 13: why (merged P5 into P1: why)."
        )

    def test_of_a_namesake(self, file: Path) -> None:
        assert self.because("player", "split", "P1", "--tournament", T) == (
            "Recorded as entries 6 to 8: kept Ada Novak [P1] and Ada Novak [P5] apart: why; Ada"
            " Novak [P5] in the place of Ada Novak [P1] in Prague Open; why; 1 player."
        )

    def test_of_decisions_about_tournaments(self, file: Path) -> None:
        row = ("--row", "name=Main", "--set", "entry_fee=200")
        assert self.because("journal", "override", T, "events", *row) == (
            "Recorded as entry 6: Entry fee of Main, Prague Open: 200; why."
        )
        assert self.last("journal", "rate", "DKK", "2019-11-15", "0.134") == (
            "Recorded as entry 7: 1 DKK = 0.134 EUR on 2019-11-15."
        )
        assert self.because("journal", "withdraw", T) == (
            f"Recorded as entry 8: withdrew Prague Open [{T}]: why."
        )

    def test_of_many_counts_them(self, journal: str) -> None:
        last = self.last("add", EXAMPLES / "diplomacy")
        assert last.startswith("Recorded as entries 1 to ")
        assert re.search(r": 7 reports, [0-9]+ players\.$", last)
