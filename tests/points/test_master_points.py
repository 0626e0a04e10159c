"""Master points from end to end: editions, days, membership, four totals, levels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.packages import BACKGAMMON, error, rows, run, write

NAMES = "abcdefgh"
PLAYERS = "player_id,name\n" + "".join(f"{one},Player {one}\n" for one in NAMES)
MEMBERS = "player_id,federation,level,start,end\n" + "".join(
    f"{one},usbgf,Basic,2010-01-01,\n" for one in NAMES
)
LADDER = """\
    event_id,flight,player_id,rank,designated
    E,main,a,1,yes
    E,main,b,2,yes
    E,main,c,3,yes
    E,main,d,3,yes
    E,consolation,e,1,yes
    E,consolation,f,2,yes
    E,last_chance,g,1,yes
    E,main,h,5,
    """
FLIGHTS = """\
    event_id,flight,entrants
    E,main,64
    E,consolation,32
    E,last_chance,16
    """
EIGHT = {"players": PLAYERS, "memberships": MEMBERS}


def ladder(directory: Path, record: str = "2019-06-01", **tables: str) -> Path:
    """The text's own example: 4 of the Main, 2 of the Consolation, 1 of the Last Chance."""
    tournaments = (
        "tournament_id,name,discipline,end_date,date_of_record\n"
        f"T,Open,backgammon,2019-05-30,{record}\n"
    )
    events = "event_id,tournament_id,name,event_type,entrants\nE,T,Main,ABT Main Event,64\n"
    package = {"tournaments": tournaments, "events": events, "placings": LADDER}
    return write(directory, **EIGHT | package | {"flights": FLIGHTS} | tables)


def online(directory: Path, **tables: str) -> Path:
    """A monthly: two matches to 9 on both sides of New Year, completed in January."""
    package = {
        "tournaments": """\
            tournament_id,name,discipline,setting,end_date
            O,Monthly,backgammon,online,2019-01-20
            """,
        "events": """\
            event_id,tournament_id,name,event_type,entrants,completed_on
            F,O,Monthly,Circuit Monthly,8,2019-01-20
            """,
        "placings": "event_id,player_id,rank\nF,a,1\nF,b,2\n",
        "matches": """\
            match_id,event_id,flight,played_on,length,winner_id,loser_id
            m1,F,main,2018-12-31,9,a,c
            m2,F,main,2019-01-01,9,a,b
            """,
    }
    return write(directory, **EIGHT | package | tables)


def points(package: Path, *more: object) -> dict[tuple[str, str], float]:
    """Points by player and kind."""
    found: dict[tuple[str, str], float] = {}
    for row in rows("award", "usbgf", package, *more):
        key = row["player_id"], row["kind"]
        found[key] = found.get(key, 0) + row["points"]
    return found


def placement(package: Path, *more: object) -> dict[str, float]:
    return {who: earned for (who, kind), earned in points(package, *more).items()
            if kind == "placement"}  # fmt: skip


class TestTheTextsExample:
    """'(1) Main winner; (2,3 split) Main finalist, Consolation winner; (4,5,6,7 split) …'

    Level 5 weighs 1, log2(64) = 6, from 2019 times 0.6; the factors are 1, (0.7 + 0.5)/2 = 3/5
    and (1/3 + 1/4 + 1/5 + 1/6)/4 = 19/80.
    """

    NEW = {"a": 3.6, "b": 2.16, "e": 2.16} | dict.fromkeys("cdfg", 0.855)
    OLD = {"a": 6.0, "b": 3.6, "e": 3.6} | dict.fromkeys("cdfg", 1.425)

    @pytest.mark.parametrize(
        ("record", "edition", "expected"),
        [
            ("2018-12-31", "2015-05", OLD),
            ("2019-01-01", "2019-01", NEW),
            ("2015-05-01", "2015-05", OLD),
            ("", "2019-01", NEW),  # without one, the last day of the tournament
        ],
    )
    def test_the_edition_is_that_of_the_date_of_record(
        self, tmp_path: Path, record: str, edition: str, expected: dict[str, float]
    ) -> None:
        package = ladder(tmp_path / "p", record)
        assert placement(package) == expected
        found = rows("award", "usbgf", package)
        assert {row["edition"] for row in found} == {edition}
        assert {row["effective"] for row in found} == {record or "2019-05-30"}

    def test_an_events_date_of_record_wins_over_its_tournaments(self, tmp_path: Path) -> None:
        events = """\
            event_id,tournament_id,name,event_type,entrants,date_of_record
            E,T,Main,ABT Main Event,64,2018-12-31
            """
        assert placement(ladder(tmp_path / "p", "2019-06-01", events=events)) == self.OLD

    def test_an_edition_asked_for_governs_every_date(self, tmp_path: Path) -> None:
        package = ladder(tmp_path / "p", "2019-06-01")
        assert placement(package, "--edition", "2015-05") == self.OLD

    def test_fees_and_currencies_are_nothing_to_it(self, tmp_path: Path) -> None:
        """A currency without any exchange rate, and a fee without a sense."""
        package = ladder(
            tmp_path / "p",
            tournaments="tournament_id,name,discipline,end_date,currency\n"
            "T,Open,backgammon,2019-06-01,ARS\n",
            events="event_id,tournament_id,name,event_type,entrants,entry_fee\n"
            "E,T,Main,ABT Main Event,64,12345\n",
        )
        assert placement(package) == self.NEW

    @pytest.mark.parametrize(
        ("division", "weight"), [("1", 1), ("2", 0.7), ("3", 0.5), ("2+3", 0.7), ("4", 1 / 3)]
    )
    def test_divisions(self, tmp_path: Path, division: str, weight: float) -> None:
        events = (
            "event_id,tournament_id,name,event_type,entrants,division_rank\n"
            f"E,T,Main,ABT Main Event,64,{division}\n"
        )
        package = ladder(tmp_path / "p", events=events)
        assert placement(package)["a"] == pytest.approx(3.6 * weight, abs=1e-9)

    def test_a_team_event_ranks_nobody(self, tmp_path: Path) -> None:
        """'For team events in which the entire team advances as a unit, no rank points …'"""
        events = (
            "event_id,tournament_id,name,event_type,entrants,team\nE,T,Main,ABT Main Event,64,yes\n"
        )
        assert points(ladder(tmp_path / "p", events=events)) == {}


class TestOnline:
    """'Match Points take effect immediately upon the recording of each match result; Rank points
    take effect upon the completion of the event'"""

    def test_each_match_under_the_edition_of_its_day(self, tmp_path: Path) -> None:
        """Circuit Monthly: level 2, weight 0.4, and from 2019 level 3, 0.6; sqrt(9)/3 = 1."""
        found = [
            (row["effective"], row["edition"], row["points"])
            for row in rows("award", "usbgf", online(tmp_path / "p"))
            if row["kind"] == "match"
        ]
        assert found == [("2018-12-31", "2015-05", 0.4), ("2019-01-01", "2019-01", 0.6)]

    def test_rank_points_from_the_day_of_completion(self, tmp_path: Path) -> None:
        """1/8 of 8 is the winner alone: 0.6 x 0.6 x log2(8) = 1.08"""
        found = [
            (row["effective"], row["edition"], row["player_id"], row["points"])
            for row in rows("award", "usbgf", online(tmp_path / "p"))
            if row["kind"] == "placement"
        ]
        assert found == [("2019-01-20", "2019-01", "a", 1.08)]


class TestMembership:
    """'Only players who are USBGF Basic members (or higher) at the time an event is played'"""

    @pytest.mark.parametrize(
        ("membership", "earns"),
        [
            ("a,usbgf,Basic,2019-05-30,2019-05-30", True),
            ("a,USBGF,Premium,2010-01-01,", True),
            ("a,usbgf,,2010-01-01,", True),
            ("a,usbgf,Basic,2010-01-01,2019-05-29", False),
            ("a,usbgf,Basic,2019-05-31,", False),
            ("a,wbgf,Basic,2010-01-01,", False),
            ("a,usbgf,guest,2010-01-01,", False),
            ("a,usbgf,None,2010-01-01,", False),
        ],
    )
    def test_on_the_day_of_play(self, tmp_path: Path, membership: str, earns: bool) -> None:
        package = ladder(
            tmp_path / "p",
            memberships=f"player_id,federation,level,start,end\n{membership}\n"
            "b,usbgf,Basic,2010-01-01,\n",
        )
        expected = {"a": 3.6, "b": 2.16} if earns else {"b": 2.16}
        assert placement(package) == expected  # forfeited, not redistributed: b stays at 2.16

    def test_an_event_of_which_everything_is_forfeited_is_named(self, tmp_path: Path) -> None:
        package = ladder(tmp_path / "p", memberships="player_id,federation,start\n")
        result = run("award", "usbgf", package)
        assert result.exit_code == 0
        assert "all points of Main are forfeited" in result.stderr


class TestWarnings:
    def test_before_may_2015(self, tmp_path: Path) -> None:
        """'before May 2015 none is in force': no points, a warning, and all is well"""
        for record, warned in (("2015-04-30", True), ("2015-05-01", False)):
            package = ladder(tmp_path / record, record)
            result = run("award", "usbgf", package, "--format", "csv")
            assert result.exit_code == 0
            assert ("U16" in result.stderr) is warned
            assert (result.stdout.count("\n") == 1) is warned

    def test_check_lets_it_pass(self, tmp_path: Path) -> None:
        assert run("check", ladder(tmp_path / "p", "2015-04-30")).exit_code == 0

    @pytest.mark.parametrize("kind", ["", "Masters of Nothing", "Circuit Monthly"])
    def test_a_type_that_is_not_listed(self, tmp_path: Path, kind: str) -> None:
        """U19; Circuit Monthly is an online event, and this one is live."""
        events = f"event_id,tournament_id,name,event_type,entrants\nE,T,Main,{kind},64\n"
        result = run("award", "usbgf", ladder(tmp_path / "p", events=events), "--format", "csv")
        assert result.exit_code == 0
        assert "reading U19" in result.stderr
        assert result.stdout.count("\n") == 1

    def test_an_officers_level_for_such_a_type(self, tmp_path: Path) -> None:
        """'event_level is an officer's level for an event type that is not in the table'"""
        events = (
            "event_id,tournament_id,name,event_type,entrants,event_level\nE,T,Main,New Cup,64,3\n"
        )
        found = placement(ladder(tmp_path / "p", events=events))
        assert found["a"] == pytest.approx(3.6 * 0.6, abs=1e-9)


class TestFourTotals:
    """'Separate Master Points statistics shall be maintained for Live and USBGF Online events …
    for Match Points and Rank Points'; 'the aggregate shall be calculated as: Match + Rank'"""

    @pytest.fixture
    def season(self, tmp_path: Path) -> tuple[Path, Path]:
        live = ladder(
            tmp_path / "live",
            matches="""\
                match_id,event_id,played_on,length,winner_id,loser_id,status
                n1,E,2019-05-29,9,a,b,
                n2,E,2019-05-29,16,b,c,played
                n3,E,2019-05-29,9,c,,bye
                """,
        )
        beside = online(tmp_path / "online")
        for name in EIGHT:
            (beside / f"{name}.csv").unlink()
        return live, beside

    def test_them(self, season: tuple[Path, Path]) -> None:
        found = {row["player_id"]: row for row in self.totals(season)}
        assert found["a"] == {
            "rank": 1,
            "player_id": "a",
            "player": "Player a",
            "nation": None,
            "live_match": 1,
            "live_placement": 3.6,
            "online_match": 1,
            "online_placement": 1.08,
            "total": 6.68,
            "level": None,
        }
        assert found["b"]["live_match"] == 1.333333333  # sqrt(16)/3
        assert found["b"]["total"] == 3.493333333
        assert found["c"]["live_match"] == 0

    def test_a_window_is_a_race(self, season: tuple[Path, Path]) -> None:
        window = ("--since", "2019-01-01", "--until", "2019-01-31")
        (found,) = self.totals(season, *window)
        assert (found["online_match"], found["online_placement"]) == (0.6, 1.08)
        assert found["total"] == 1.68

    def test_as_of(self, season: tuple[Path, Path]) -> None:
        (found,) = self.totals(season, "--as-of", "2018-12-31")
        assert found["total"] == 0.4

    def test_ranks_are_shared_and_top_keeps_them_together(self, season: tuple[Path, Path]) -> None:
        found = self.totals(season, "--top", "3")
        assert [(row["rank"], row["player_id"]) for row in found] == [
            (1, "a"), (2, "b"), (3, "e")]  # fmt: skip
        found = self.totals(season, "--top", "4")
        assert [row["rank"] for row in found] == [1, 2, 3, 4, 4, 4, 4]

    @pytest.mark.parametrize("setting", ["live", "online"])
    @pytest.mark.parametrize("kind", ["match", "placement"])
    def test_rank_gives_each_of_them_alone(
        self, season: tuple[Path, Path], setting: str, kind: str
    ) -> None:
        listed = rows("rank", "usbgf", *season, "--setting", setting, "--kind", kind)
        whole = {row["player_id"]: row[f"{setting}_{kind}"] for row in self.totals(season)}
        assert {row["player_id"]: row["points"] for row in listed} == {
            player: total for player, total in whole.items() if total
        }

    def test_rank_gives_their_sum(self, season: tuple[Path, Path]) -> None:
        listed = rows("rank", "usbgf", *season)
        assert {row["player_id"]: row["points"] for row in listed} == {
            row["player_id"]: row["total"] for row in self.totals(season)
        }

    def test_points_are_never_lost(self, season: tuple[Path, Path]) -> None:
        """'Once Master Points are earned, they are never lost.'"""
        assert self.totals(season, "--as-of", "2119-01-01") == self.totals(season)

    def test_another_regulation_keeps_none(self, tmp_path: Path) -> None:
        package = write(tmp_path / "p", **BACKGAMMON)
        assert "keeps no separate totals" in error("totals", "wbgf", package)

    @staticmethod
    def totals(season: tuple[Path, Path], *more: str) -> Any:
        return rows("totals", "usbgf", *season, *more)


class TestLevels:
    """'reaching published lifetime point thresholds'"""

    SHEET = """\
[levels]
regulation = "usbgf"
title = "Levels of this test"
source = "none"

[[level]]
name = "Gold"
points = 3.6

[[level]]
name = "Silver"
points = 2

[[level]]
name = "Bronze"
points = 0.9
"""

    @pytest.fixture
    def sheet(self, tmp_path: Path) -> Path:
        path = tmp_path / "levels.toml"
        path.write_text(self.SHEET, encoding="utf-8")
        return path

    def test_a_threshold_that_is_reached_exactly(self, tmp_path: Path, sheet: Path) -> None:
        found = rows("totals", "usbgf", ladder(tmp_path / "p"), "--levels", sheet)
        levels = {row["player_id"]: row["level"] for row in found}
        assert levels == {"a": "Gold", "b": "Silver", "e": "Silver"} | dict.fromkeys("cdfg")

    def test_a_level_is_for_a_lifetime_and_a_race_for_a_window(
        self, tmp_path: Path, sheet: Path
    ) -> None:
        first = ladder(tmp_path / "p")
        second = online(tmp_path / "o")
        for name in EIGHT:
            (second / f"{name}.csv").unlink()
        window = ("--until", "2019-02-01", "--since", "2019-01-01")
        (row,) = rows("totals", "usbgf", first, second, *window, "--levels", sheet)
        assert (row["total"], row["level"]) == (1.68, "Gold")  # 6.68 by now

    def test_a_level_is_not_reached_before_the_day(self, tmp_path: Path, sheet: Path) -> None:
        package = ladder(tmp_path / "p", "2019-06-01")
        assert rows("totals", "usbgf", package, "--levels", sheet, "--as-of", "2019-05-31") == []

    def test_what_is_no_sheet_of_levels(self, tmp_path: Path) -> None:
        package, wrong = ladder(tmp_path / "p"), tmp_path / "wrong.toml"
        assert "wrong.toml" in error("totals", "usbgf", package, "--levels", wrong)
        wrong.write_text("[levels]\nx = 1\n", encoding="utf-8")
        said = error("totals", "usbgf", package, "--levels", wrong)
        assert "there is no [[level]]" in said
