"""From facts to points, through the command line: folds, editions, exchange rates."""

from __future__ import annotations

import shutil
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.packages import BACKGAMMON, DIPLOMACY, error, rows, run, write

NANO = Decimal("0.000000001")


def nearest(value: Fraction | float) -> float:
    """Rounded half up to a billionth."""
    return float((int(Fraction(value) * 10**9 * 2) + 1) // 2 / Decimal(10**9))


class TestTheRatingsExamples:
    """'a player with a rating of 55 … 8th of 65 … 60.019'; '40, 7th of 30: 9251/210'"""

    def test_from_40(self, diplomacy: Path) -> None:
        """(30 + 1/2 - 7)/30 = 235/3; value 30/3.5 + 2 = 74/7; 40 + 74/700 (235/3 - 40)"""
        first = rows("award", "dptr", diplomacy)[1]
        assert first["player_id"] == "a"
        assert first["points"] == nearest(Fraction(9251, 210))
        assert first["percentile"] == pytest.approx(235 / 3)
        assert first["value"] == pytest.approx(30 / 3.5 + 2)
        assert first["before"] == 40
        assert first["change"] == nearest(Fraction(9251, 210) - 40)

    def test_the_terms_of_the_contract(self, diplomacy: Path) -> None:
        for row in rows("award", "dptr", diplomacy):
            assert {"percentile", "value", "before", "change"} <= set(row)
            assert Decimal(str(row["before"])) + Decimal(str(row["change"])) == Decimal(
                str(row["points"])
            )

    def test_the_rating_before_is_the_rating_after_the_event_before(self, diplomacy: Path) -> None:
        """(65 + 1/2 - 8)/65 = 1150/13 and the value is capped at 15."""
        ada = [row for row in rows("award", "dptr", diplomacy) if row["player_id"] == "a"]
        assert ada[1]["before"] == ada[0]["points"]
        before = Fraction(9251, 210)
        after = before + Fraction(15, 100) * (Fraction(1150, 13) - before)
        assert ada[1]["points"] == nearest(after)

    def test_the_rating_is_the_last_one(self, diplomacy: Path) -> None:
        found = rows("rank", "dptr", diplomacy, "--as-of", "2019-12-31")
        assert [row["player_id"] for row in found] == ["a", "b"]
        assert found[0]["points"] == rows("award", "dptr", diplomacy)[2]["points"]

    def test_published_inputs(self, diplomacy: Path) -> None:
        """D1: 78.33 and 10.57: 40 + 0.1057 x 38.33 = 44.051481"""
        found = rows("award", "dptr", diplomacy, "--reading", "D1=published-inputs")
        assert found[1]["points"] == nearest(40 + Fraction("0.1057") * Fraction("38.33"))


def fold(directory: Path, *events: tuple[str, str, str]) -> Path:
    """Ada's events: (start, end, sequence); she is 1st of 35, then last, then 1st, …"""
    tournaments = "".join(
        f"T{n},Cup {n},diplomacy,{start},{end}\n" for n, (start, end, _) in enumerate(events)
    )
    return write(
        directory,
        players="player_id,name\na,Ada\n",
        tournaments="tournament_id,name,discipline,start_date,end_date\n" + tournaments,
        events="event_id,tournament_id,name,entrants,rounds,sequence\n"
        + "".join(f"E{n},T{n},Cup {n},35,2,{order}\n" for n, (*_, order) in enumerate(events)),
        placings="event_id,player_id,rank\n"
        + "".join(f"E{n},a,{1 + 34 * (n % 2)}\n" for n in range(len(events))),
    )


class TestOrderOfEvents:
    """D7: 'end date, then start date, then sequence; equal ones give a warning'"""

    @pytest.mark.parametrize(
        ("events", "order"),
        [
            ([("2019-01-02", "2019-01-02", ""), ("2019-01-01", "2019-01-01", "")], [1, 0]),
            ([("2019-01-01", "2019-01-09", ""), ("2019-01-02", "2019-01-08", "")], [1, 0]),
            ([("2019-01-05", "2019-01-09", ""), ("2019-01-04", "2019-01-09", "")], [1, 0]),
            ([("2019-01-05", "2019-01-09", "2"), ("2019-01-05", "2019-01-09", "1")], [1, 0]),
            ([("2019-01-05", "2019-01-09", "10"), ("2019-01-05", "2019-01-09", "9")], [1, 0]),
            ([("2019-01-05", "2019-01-09", "1"), ("2019-01-05", "2019-01-09", "2")], [0, 1]),
        ],
    )
    def test_order(
        self, tmp_path: Path, events: list[tuple[str, str, str]], order: list[int]
    ) -> None:
        package = fold(tmp_path / "p", *events)
        result = run("award", "dptr", package)
        assert result.stderr == ""
        found = rows("award", "dptr", package)
        assert [row["event_id"] for row in found] == [f"E{n}" for n in order]
        assert found[0]["before"] == 40
        assert found[1]["before"] == found[0]["points"]

    @pytest.mark.parametrize("second", ["", "2"])
    def test_equal_ones_give_a_warning(self, tmp_path: Path, second: str) -> None:
        """Where only one has a number, nothing says whether it came first."""
        package = fold(
            tmp_path / "p", ("2019-01-05", "2019-01-09", ""), ("2019-01-05", "2019-01-09", second)
        )
        result = run("award", "dptr", package)
        assert result.exit_code == 0
        assert "reading D7" in result.stderr
        assert "Cup 0" in result.stderr
        assert "Cup 1" in result.stderr

    def test_equal_ones_of_different_players_do_not(self, tmp_path: Path) -> None:
        package = fold(
            tmp_path / "p", ("2019-01-05", "2019-01-09", ""), ("2019-01-05", "2019-01-09", "")
        )
        write(package, players="player_id,name\na,Ada\nb,Ben\n")
        write(package, placings="event_id,player_id,rank\nE0,a,1\nE1,b,1\n")
        assert run("award", "dptr", package).stderr == ""

    def test_the_order_matters(self, tmp_path: Path) -> None:
        """First and then last of 35, value 12: 40 -> 47.03 -> 41.56; last, then first: 41.6…"""
        one = fold(tmp_path / "1", ("", "2019-01-01", ""), ("", "2019-01-02", ""))
        other = fold(tmp_path / "2", ("", "2019-01-02", ""), ("", "2019-01-01", ""))
        win, loss, value = Fraction(69, 70) * 100, Fraction(1, 70) * 100, Fraction(12, 100)
        up = 40 + value * (win - 40)
        down = 40 + value * (loss - 40)
        assert rows("rank", "dptr", one)[0]["points"] == nearest(up + value * (loss - up))
        assert rows("rank", "dptr", other)[0]["points"] == nearest(down + value * (win - down))


class TestLateResults:
    """D10: 'a late or corrected result: replayed from there on'"""

    def test_an_earlier_event_that_comes_late_moves_all_after_it(self, tmp_path: Path) -> None:
        package = fold(tmp_path / "p", ("", "2019-05-01", ""), ("", "2019-06-01", ""))
        before = rows("award", "dptr", package)
        late = write(
            tmp_path / "late",
            tournaments=("tournament_id,name,discipline,end_date\nL,Late,diplomacy,2019-04-01\n"),
            events="event_id,tournament_id,name,entrants,rounds\nL,L,Late,7,1\n",
            placings="event_id,player_id,rank\nL,a,1\n",
        )
        after = rows("award", "dptr", package, late)
        assert [row["event_id"] for row in after] == ["L", "E0", "E1"]
        assert after[0]["before"] == 40
        assert after[1]["before"] == after[0]["points"]
        assert [row["points"] for row in after[1:]] != [row["points"] for row in before]

    def test_an_event_after_the_day_of_the_list_changes_nothing_on_it(self, tmp_path: Path) -> None:
        package = fold(tmp_path / "p", ("", "2019-05-01", ""), ("", "2019-06-01", ""))
        listed = rows("rank", "dptr", package, "--as-of", "2019-05-31")
        assert [row["points"] for row in listed] == [rows("award", "dptr", package)[0]["points"]]


class TestYearAndNationalLists:
    """'year lists; national list'"""

    def test_a_year_list_has_those_who_played_in_the_year(self, diplomacy: Path) -> None:
        year = ("--since", "2019-06-01", "--as-of", "2019-12-31")
        found = rows("rank", "dptr", diplomacy, *year)
        whole = rows("rank", "dptr", diplomacy, "--as-of", "2019-12-31")
        assert [(row["rank"], row["player_id"]) for row in found] == [(1, "a")]
        assert found[0]["points"] == whole[0]["points"]

    def test_the_national_list_is_of_players(self, diplomacy: Path) -> None:
        found = rows("rank", "dptr", diplomacy, "--nation", "GER")
        assert [(row["rank"], row["player"]) for row in found] == [(1, "Ben Ode")]

    def test_ratings_are_not_summed_over_a_nation(self, diplomacy: Path) -> None:
        said = error("rank", "dptr", diplomacy, "--by", "nation")
        assert "--nation CODE" in said

    def test_nobody_without_an_event_has_a_rating(self, diplomacy: Path) -> None:
        """D9"""
        assert rows("rank", "dptr", diplomacy, "--as-of", "2019-05-04") == []

    def test_an_event_of_no_value_is_shown(self, tmp_path: Path) -> None:
        """D6: 'other events before 2001: value 0: shown, without effect'"""
        package = fold(tmp_path / "p", ("", "2000-12-31", ""), ("", "2001-01-01", ""))
        first, second = rows("award", "dptr", package)
        assert (first["value"], first["points"], first["change"]) == (0, 40, 0)
        assert second["value"] == 12


class TestExchangeRates:
    """'tournaments.eur_per_unit wins; then rates; then the European Central Bank's'"""

    def package(
        self, directory: Path, day: str, own: str = "", rates: str = "", currency: str = "USD"
    ) -> Path:
        return write(
            directory,
            **BACKGAMMON
            | {
                "tournaments": "tournament_id,name,discipline,end_date,currency,eur_per_unit\n"
                f"T,Open,backgammon,{day},{currency},{own}\n",
                "rates": "currency,date,eur_per_unit,source\n" + rates,
            },
        )

    def grade(self, package: Path) -> Any:
        return rows("award", "wbgf", package)[0]["grade"]

    def source(self, package: Path) -> str:
        (told,) = rows("explain", "wbgf", package, "--player", "a", "--as-of", "2019-12-31")
        steps = told["awards"][0]["steps"]
        return str(next(one for one in steps if one["clause"] == "wbgf euro")["inputs"]["source"])

    def test_the_report_wins(self, tmp_path: Path) -> None:
        package = self.package(tmp_path, "2019-11-15", "0.5", "USD,2019-11-15,0.25,ours\n")
        assert self.grade(package) == 0.5
        assert "report" in self.source(package)

    def test_then_the_table(self, tmp_path: Path) -> None:
        package = self.package(tmp_path, "2019-11-15", "", "USD,2019-11-15,0.25,ours\n")
        assert self.grade(package) == 0.25
        assert self.source(package) == "ours, 2019-11-15"

    def test_then_the_bank(self, tmp_path: Path) -> None:
        """The bank published 1 EUR = 1.1034 USD on 2019-11-15."""
        package = self.package(tmp_path, "2019-11-15")
        assert self.grade(package) == pytest.approx(1 / 1.1034, rel=1e-15)
        assert self.source(package) == "European Central Bank, 2019-11-15"

    @pytest.mark.parametrize("day", ["2019-11-16", "2019-11-17"])
    def test_on_a_weekend_the_friday_before(self, tmp_path: Path, day: str) -> None:
        package = self.package(tmp_path, day)
        assert self.grade(package) == pytest.approx(1 / 1.1034, rel=1e-15)
        assert self.source(package) == "European Central Bank, 2019-11-15"

    @pytest.mark.parametrize("day", ["2019-11-15", "2019-11-18", "2019-11-22"])
    def test_a_table_s_rate_holds_for_seven_days(self, tmp_path: Path, day: str) -> None:
        rate = "ARS,2019-11-15,0.25,\nARS,2019-11-23,0.75,\n"
        package = self.package(tmp_path, day, "", rate, "ARS")
        assert self.grade(package) == 0.25

    @pytest.mark.parametrize("day", ["2019-11-14", "2019-11-23"])
    def test_no_rate_in_seven_days_is_an_error(self, tmp_path: Path, day: str) -> None:
        package = self.package(tmp_path, day, "", "ARS,2019-11-15,0.25,\n", "ARS")
        said = error("award", "wbgf", package)
        assert f"no exchange rate from ARS to EUR on {day} or the 7 days before" in said
        assert "tournaments.csv:2" in said
        assert "W10" in said

    def test_a_rate_older_than_seven_days_gives_way_to_the_bank(self, tmp_path: Path) -> None:
        package = self.package(tmp_path, "2019-11-15", "", "USD,2019-11-07,0.25,ours\n")
        assert self.source(package) == "European Central Bank, 2019-11-15"

    def test_a_free_event_needs_no_rate(self, tmp_path: Path) -> None:
        package = self.package(tmp_path, "2019-11-15", "", "", "ARS")
        write(package, events=BACKGAMMON["events"].replace(",100,", ",0,"))
        assert self.grade(package) == 0

    def test_a_euro_is_a_euro(self, backgammon: Path) -> None:
        assert self.grade(backgammon) == 1

    def test_before_the_euro(self, tmp_path: Path) -> None:
        said = error("award", "wbgf", self.package(tmp_path, "1998-12-30"))
        assert "no exchange rate from USD" in said


class TestWhichEvents:
    def test_not_counted_in(self, backgammon: Path) -> None:
        """'names regulations (separated by spaces) whose officers left the event out'"""
        events = BACKGAMMON["events"].replace("entry_fee,", "entry_fee,not_counted_in,")
        for left_out, seen in (("wbgf", 0), ("usbgf wbgf", 0), ("usbgf", 4), ('"USBGF, WBGF"', 0)):
            write(backgammon, events=events.replace("4,100,", f"4,100,{left_out},"))
            assert len(rows("award", "wbgf", backgammon)) == seen

    @pytest.mark.parametrize("again", ["", "C,T,Cup,championship,4,90,wbgf\n"])
    def test_an_intermediate_of_a_championship_that_was_left_out(
        self, backgammon: Path, again: str
    ) -> None:
        """W6: the Main's fee makes the grade, whether or not its own result counts."""
        head = "event_id,tournament_id,name,kind,entrants,entry_fee,not_counted_in\n"
        events = f"{head}M,T,Main,championship,4,200,wbgf\nE,T,Small,intermediate,4,100,\n"
        write(backgammon, events=events + again)
        if again:
            told = error("award", "wbgf", backgammon)
            assert "needs the entry fee of the Championship Main" in told
            assert "has 2 championship events" in told
        else:
            assert {row["grade"] for row in rows("award", "wbgf", backgammon)} == {2}

    def test_not_counted_in_what_is_no_regulation(self, backgammon: Path) -> None:
        """A slip of the pen counts the event, and says so."""
        events = BACKGAMMON["events"].replace("entry_fee,", "entry_fee,not_counted_in,")
        write(backgammon, events=events.replace("4,100,", "4,100,usbgf wbgff,"))
        result = run("award", "wbgf", backgammon)
        assert result.exit_code == 0
        assert "is left out of 'wbgff', which is no regulation" in result.stderr
        assert "'usbgf'" not in result.stderr

    def test_an_event_of_another_kind_earns_nothing(self, backgammon: Path) -> None:
        for kind in ("", "other"):
            write(backgammon, events=BACKGAMMON["events"].replace("championship,4", f"{kind},4"))
            assert rows("award", "wbgf", backgammon) == []

    def test_a_flight_of_another_shape_earns_nothing_and_a_warning(self, backgammon: Path) -> None:
        """W12"""
        write(
            backgammon,
            flights="event_id,flight,entrants\nE,main,4\nE,lucky loser,2\n",
            placings=BACKGAMMON["placings"].replace("player_id,rank", "player_id,rank,flight")
            + "        E,c,1,lucky loser\n",
        )
        text = (backgammon / "placings.csv").read_text()
        lines = [line + "," if line.startswith("E,") and line.count(",") == 2 else line
                 for line in text.splitlines()]  # fmt: skip
        (backgammon / "placings.csv").write_text("\n".join(lines) + "\n")
        result = run("award", "wbgf", backgammon)
        assert result.exit_code == 0
        assert "W12" in result.stderr
        assert len(rows("award", "wbgf", backgammon)) == 4

    def test_a_flight_nobody_entered_is_not_there(self, backgammon: Path) -> None:
        """W13: the Main alone then has F = 1"""
        write(backgammon, flights="event_id,flight,entrants\nE,main,4\nE,consolation,0\n")
        assert rows("award", "wbgf", backgammon)[0]["format_factor"] == 1
        write(backgammon, flights="event_id,flight,entrants\nE,main,4\nE,consolation,2\n")
        assert rows("award", "wbgf", backgammon)[0]["format_factor"] == 0.75

    def test_a_missing_fee_is_an_error_that_names_the_event(self, backgammon: Path) -> None:
        write(backgammon, events=BACKGAMMON["events"].replace(",100,", ",,"))
        said = error("award", "wbgf", backgammon)
        assert "events.csv:2: Prague Main has no entry fee [wbgf grade]" in said

    def test_missing_rounds_are_an_error_that_names_the_event(self, diplomacy: Path) -> None:
        write(diplomacy, events=DIPLOMACY["events"].replace(",30,3", ",30,"))
        said = error("award", "dptr", diplomacy)
        assert "events.csv:2: Tempest does not say how many rounds" in said

    def test_a_tournament_without_events_and_a_package_without_placings(
        self, backgammon: Path
    ) -> None:
        (backgammon / "placings.csv").unlink()
        assert rows("award", "wbgf", backgammon) == []
        (backgammon / "events.csv").unlink()
        assert rows("award", "wbgf", backgammon) == []

    def test_parquet_and_csv_are_the_same_facts(self, backgammon: Path, tmp_path: Path) -> None:
        copy = tmp_path / "parquet"
        assert run("convert", backgammon, copy, "--format", "parquet").exit_code == 0
        assert sorted(one.suffix for one in copy.iterdir()) == [".parquet"] * 4
        assert rows("award", "wbgf", copy) == rows("award", "wbgf", backgammon)
        shutil.rmtree(copy)
        assert run("convert", backgammon, copy).exit_code == 0
        assert rows("award", "wbgf", copy) == rows("award", "wbgf", backgammon)
