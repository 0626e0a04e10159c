"""What results are worth on a day, summed exactly; sums as an officer writes them."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.rounding import divided_half_up
from palmares.points import rankings
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from tests.packages import BACKGAMMON, error, rows, run, write

DAYS = 1095
END = date(2019, 1, 1)


def alone(directory: Path, results: list[tuple[str, str, str]], **players: str) -> Path:
    """A package of events with one entrant each: (player, last day, points).

    The one entrant of a free event with a bonus grade B earns 10 B points, so that the points can
    be chosen: the bonus is a tenth of them.
    """
    people = {player: players.get(player, "") for player, *_ in results} | players
    events = [
        f"E{number},T{number},Event {number},championship,1,0,{Decimal(points) / 10:.12f}"
        for number, (_, _, points) in enumerate(results)
    ]
    return write(
        directory,
        players="player_id,name,nation\n"
        + "".join(f"{one},Player {one},{nation}\n" for one, nation in people.items()),
        tournaments="tournament_id,name,discipline,end_date\n"
        + "".join(f"T{n},Cup {n},backgammon,{day}\n" for n, (_, day, _) in enumerate(results)),
        events="event_id,tournament_id,name,kind,entrants,entry_fee,bonus_grade\n"
        + "".join(f"{event}\n" for event in events),
        placings="event_id,player_id,rank\n"
        + "".join(f"E{number},{player},1\n" for number, (player, _, _) in enumerate(results)),
    )


def ranked(package: Path, as_of: date | str, *more: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = rows("rank", "wbgf", package, "--as-of", as_of, *more)
    return found


class TestDecline:
    """'declines linearly over the course of 3 years, starting from the final date of the event,
    halting at zero'; WR = PP · max(0, 1 − age/1095)"""

    @pytest.mark.parametrize(
        ("age", "points"),
        [  # 10.95 points lose 0.01 a day
            (0, 10.95),
            (1, 10.94),
            (95, 10.00),
            (365, 7.30),
            (547, 5.48),
            (1000, 0.95),
            (1094, 0.01),
        ],
    )
    def test_by_age(self, tmp_path: Path, age: int, points: float) -> None:
        package = alone(tmp_path / "p", [("a", str(END), "10.95")])
        (row,) = ranked(package, END + timedelta(days=age))
        assert row["points"] == points

    @pytest.mark.parametrize("age", [-1, 1095, 1096, 5000])
    def test_before_the_last_day_and_after_three_years_nobody_is_listed(
        self, tmp_path: Path, age: int
    ) -> None:
        package = alone(tmp_path / "p", [("a", str(END), "10.95")])
        assert ranked(package, END + timedelta(days=age)) == []

    def test_it_starts_on_the_tournaments_last_day(self, tmp_path: Path) -> None:
        """W2: 'of the tournament', not the first day, nor the day an event was completed."""
        package = alone(tmp_path / "p", [("a", "2019-01-10", "10.95")])
        write(
            package,
            tournaments="""\
                tournament_id,name,discipline,start_date,end_date,date_of_record
                T0,Cup,backgammon,2019-01-01,2019-01-10,2019-02-02
                """,
        )
        assert ranked(package, "2019-01-09") == []
        assert ranked(package, "2019-01-11")[0]["points"] == 10.94


class TestLeapDays:
    """W3: 'Leap days are ignored': plain days / 1095; skip-29-feb: it is not counted in the age"""

    @pytest.mark.parametrize(
        ("as_of", "plain", "skipping"),
        [
            ("2020-02-28", "10.94", "10.94"),
            ("2020-02-29", "10.93", "10.94"),
            ("2020-03-01", "10.92", "10.93"),
            ("2023-02-26", "0", "0.01"),
        ],
    )
    def test_both(self, tmp_path: Path, as_of: str, plain: str, skipping: str) -> None:
        package = alone(tmp_path / "p", [("a", "2020-02-27", "10.95")])
        given_plain = ranked(package, as_of)
        assert sum(row["points"] for row in given_plain) == float(plain)
        (skipped,) = ranked(package, as_of, "--reading", "W3=skip-29-feb")
        assert skipped["points"] == float(skipping)

    def test_three_calendar_years_with_a_leap_day(self, tmp_path: Path) -> None:
        """2019-06-01 to 2022-06-01 is 1096 days, of which one is 29 February 2020."""
        package = alone(tmp_path / "p", [("a", "2019-06-01", "10.95")])
        assert len(ranked(package, "2022-05-30")) == 1
        assert ranked(package, "2022-05-31") == []
        assert len(ranked(package, "2022-05-31", "--reading", "W3=skip-29-feb")) == 1
        assert ranked(package, "2022-06-01", "--reading", "W3=skip-29-feb") == []


class TestSums:
    """'nanopoints x days left, exact integer sums, divided by 1095 and rounded half up once'"""

    def test_the_sum_is_rounded_once(self, tmp_path: Path) -> None:
        """Three times 1 nanopoint with 500 of 1095 days left: 1500/1095 = 1.37, not 0 + 0 + 0."""
        day = str(END)
        package = alone(tmp_path / "p", [("a", day, "0.000000001")] * 3)
        (row,) = ranked(package, END + timedelta(days=595))
        assert row["points"] == 1e-9

    @pytest.mark.parametrize(
        ("results", "age", "nanopoints"),
        [  # (days ago, nanopoints) each; the sum of points times days left, over 1095
            ([(0, 1095), (0, 2190)], 0, 3285),
            ([(0, 1095), (10, 1095)], 0, 1095 + 1085),
            ([(1094, 547)], 0, 0),  # 547/1095 < 1/2
            ([(1094, 548)], 0, 1),  # 548/1095 > 1/2
            ([(1094, 547), (1094, 1)], 0, 1),
            ([(1000, 7), (500, 11), (1, 13)], 0, 20),  # (7·95 + 11·595 + 13·1094)/1095 = 19.57
            ([(1000, 7), (500, 11), (1, 13)], 95, 17),  # (0 + 11·500 + 13·999)/1095 = 16.88
        ],
    )
    def test_sums(
        self, tmp_path: Path, results: list[tuple[int, int]], age: int, nanopoints: int
    ) -> None:
        package = alone(
            tmp_path / "p",
            [
                ("a", str(END - timedelta(days=ago)), f"{Decimal(nano) / 10**9:.9f}")
                for ago, nano in results
            ],
        )
        (row,) = ranked(package, END + timedelta(days=age))
        assert row["points"] == nanopoints / 10**9

    @given(
        st.lists(st.tuples(st.integers(0, 10**15), st.integers(1, DAYS)), min_size=1, max_size=9)
    )
    def test_shared_is_the_nearest_whole_number(self, parts: list[tuple[int, int]]) -> None:
        total = sum(nano * left for nano, left in parts)
        exact = Fraction(total, DAYS)
        assert abs(divided_half_up(total, DAYS) - exact) < Fraction(
            1, 2
        )  # 1095 is odd: never half-way

    @pytest.mark.parametrize(
        ("whole", "parts", "share"), [(1, 2, 1), (3, 2, 2), (-1, 2, 0), (-3, 2, -1), (5, 3, 2)]
    )
    def test_shared_rounds_half_up(self, whole: int, parts: int, share: int) -> None:
        assert divided_half_up(whole, parts) == share


class TestSeveralResults:
    """W15: 'One player in several flights or events: all are summed'"""

    def test_flights_and_events_are_summed(self, tmp_path: Path) -> None:
        """Main of one, G = 1, F = 0.7: 7; Consolation F = 0.2 of one: 2; Jackpot G = 3: 10."""
        package = write(
            tmp_path / "p",
            players="player_id,name\na,Ada\n",
            tournaments=BACKGAMMON["tournaments"],
            events="""\
                event_id,tournament_id,name,kind,entry_fee
                E,T,Main,championship,100
                J,T,Jackpot,super_jackpot,300
                """,
            flights="""\
                event_id,flight,entrants
                E,main,1
                E,consolation,1
                E,last_chance,1
                J,main,1
                """,
            placings="""\
                event_id,flight,player_id,rank
                E,main,a,1
                E,consolation,a,1
                J,,a,1
                """,
        )
        (row,) = ranked(package, "2019-11-15")
        assert row["points"] == 7 + 2 + 10


class TestTies:
    """W16: 'a rank is one more than the number of those whose total is higher by more than a
    millionth, so that equal results share it; rounded for show'"""

    def test_equal_sums_from_different_results_share_a_rank(self, tmp_path: Path) -> None:
        """2 x 1085 = 1 x 1085 + 1 x 1085, and 4 is next."""
        ten_days_ago = str(END - timedelta(days=10))
        package = alone(
            tmp_path / "p",
            [
                ("c", ten_days_ago, "1"),
                ("a", ten_days_ago, "2"),
                ("b", ten_days_ago, "1"),
                ("b", ten_days_ago, "1"),
                ("d", str(END), "5"),
            ],
        )
        found = [(row["rank"], row["player_id"]) for row in ranked(package, END)]
        assert found == [(1, "d"), (2, "a"), (2, "b"), (4, "c")]

    def test_up_to_a_millionth_they_share(self, tmp_path: Path) -> None:
        """The first has a millionth of a point more than the second, and 1.001 than the third."""
        package = alone(
            tmp_path / "p",
            [("c", str(END), "1"), ("b", str(END), "1.000000001"), ("a", str(END), "1.000001001")],
        )
        found = [(row["rank"], row["player_id"]) for row in ranked(package, END)]
        assert found == [(1, "a"), (1, "b"), (2, "c")]

    def test_the_millionth_is_of_what_is_left_before_rounding(self, tmp_path: Path) -> None:
        """1001 nanopoints more; a day later 1001 x 1094 / 1095 = 1000.09, then 999.17."""
        package = alone(tmp_path / "p", [("b", str(END), "1"), ("a", str(END), "1.000001001")])
        for age, rank in ((0, 2), (1, 2), (2, 1)):
            listed = ranked(package, END + timedelta(days=age))
            assert [row["rank"] for row in listed] == [1, rank]

    def test_those_who_share_stand_by_name(self, backgammon: Path) -> None:
        found = [row["player"] for row in ranked(backgammon, "2019-11-15")]
        assert found == ["Ada Novak", "Ben Ode", "Cy Pell", "Dee Rix"]

    def test_nations_share_ranks_too(self, tmp_path: Path) -> None:
        package = alone(
            tmp_path / "p",
            [("a", str(END), "2"), ("b", str(END), "1"), ("c", str(END), "1")],
            a="SWE",
            b="AUT",
            c="AUT",
        )
        found = [(row["rank"], row["nation"]) for row in ranked(package, END, "--by", "nation")]
        assert found == [(1, "AUT"), (1, "SWE")]


class TestNations:
    """'The national ranking of a country is the sum of WR for all players from that country.'"""

    PLAYERS = """\
        player_id,name,nation
        a,Ada,ENG
        b,Ben,GBR
        c,Cy,
        d,Dee,
        """

    def test_players_without_a_nation_count_for_none_and_that_is_said(self, tmp_path: Path) -> None:
        package = write(tmp_path / "p", **BACKGAMMON | {"players": self.PLAYERS})
        result = run("rank", "wbgf", package, "--as-of", "2019-11-15", "--by", "nation")
        assert "2 ranked players have no nation and count for none" in result.stderr
        found = ranked(package, "2019-11-15", "--by", "nation")
        assert [(row["nation"], row["players"]) for row in found] == [("ENG", 1), ("GBR", 1)]

    def test_a_country_counts_a_player_once(self, tmp_path: Path) -> None:
        package = alone(tmp_path / "p", [("a", str(END), "1")] * 3, a="CZE")
        assert ranked(package, END, "--by", "nation") == [
            {"rank": 1, "nation": "CZE", "points": 3, "players": 1}
        ]

    def test_nobody_who_no_longer_counts(self, tmp_path: Path) -> None:
        long_ago = str(END - timedelta(days=1095))
        package = alone(
            tmp_path / "p", [("a", long_ago, "9"), ("b", str(END), "1")], a="CZE", b="CZE"
        )
        assert ranked(package, END, "--by", "nation")[0] == {
            "rank": 1,
            "nation": "CZE",
            "points": 1,
            "players": 1,
        }

    def test_top(self, backgammon: Path) -> None:
        found = ranked(backgammon, "2019-11-15", "--by", "nation", "--top", "1")
        assert [row["nation"] for row in found] == ["CZE"]


class TestChangeOfNationality:
    """W17: 'the nation held now, history kept'; at-event: the one held at the event"""

    @pytest.fixture
    def moved(self, tmp_path: Path) -> Path:
        """Ada played the first for Slovakia; the placing of the second says nothing."""
        package = alone(
            tmp_path / "p", [("a", str(END), "1"), ("a", str(END), "2")], a="CZE", b="SVK"
        )
        return write(package, placings="event_id,player_id,rank,nation\nE0,a,1,SVK\nE1,a,1,\n")

    def test_now(self, moved: Path) -> None:
        found = ranked(moved, END, "--by", "nation")
        assert [(row["nation"], row["points"]) for row in found] == [("CZE", 3)]

    def test_at_the_event(self, moved: Path) -> None:
        found = ranked(moved, END, "--by", "nation", "--reading", "W17=at-event")
        assert [(row["nation"], row["points"]) for row in found] == [("CZE", 2), ("SVK", 1)]

    def test_the_list_of_players_shows_the_nation_held_now_and_the_whole_sum(
        self, moved: Path
    ) -> None:
        for choice in ((), ("--reading", "W17=at-event")):
            found = ranked(moved, END, *choice)
            assert [(row["nation"], row["points"]) for row in found] == [("CZE", 3)]


class TestWithheld:
    """'A withheld player is shown as such and keeps place and points.'"""

    @pytest.fixture
    def package(self, tmp_path: Path) -> Path:
        players = """\
            player_id,name,nation,withheld
            a,Ada Novak,CZE,yes
            b,Ben Ode,GER,
            c,Cy Pell,,no
            d,Dee Rix,GER,
            """
        return write(tmp_path / "p", **BACKGAMMON | {"players": players})

    def test_place_and_points_stay_and_the_name_goes(self, package: Path) -> None:
        first = ranked(package, "2019-11-15")[0]
        assert first == {
            "rank": 1,
            "player_id": "a",
            "player": "(withheld)",
            "nation": "CZE",
            "points": 17.245240761,
        }

    def test_no_command_shows_the_name(self, package: Path) -> None:
        day = ("--as-of", "2019-11-15")
        for arguments in (
            ("award", "wbgf", package),
            ("rank", "wbgf", package, *day),
            ("explain", "wbgf", package, *day, "--player", "a"),
            ("explain", "wbgf", package, *day, "--player", "a", "--format", "json"),
            ("history", "wbgf", package, "--player", "a", "--until", "2020-01-01"),
        ):
            result = run(*arguments)
            assert result.exit_code == 0, result.output
            assert "Novak" not in result.output

    def test_nobody_is_found_by_a_name_that_is_withheld(self, package: Path) -> None:
        said = error("explain", "wbgf", package, "--player", "Ada Novak")
        assert "No player has the id or the name Ada Novak." in said
        assert "Did you mean" not in said

    def test_a_place_left_out_is_a_withheld_player(self, tmp_path: Path) -> None:
        """Rank 2 is missing: rank 3 is not moved up, and N is what the event says."""
        placings = BACKGAMMON["placings"].replace("E,b,2\n", "").replace("        E,b,2", "")
        package = write(tmp_path / "p", **BACKGAMMON | {"placings": placings})
        found = ranked(package, "2019-11-15")
        assert [(row["rank"], row["player_id"], row["points"]) for row in found] == [
            (1, "a", 17.245240761),
            (2, "c", 6.450167973),
            (2, "d", 6.450167973),
        ]


def test_worths_of_different_parts_are_one_total() -> None:
    """Editions of 2 and of 3 days: 1/2 + 1/3 of a nanopoint is 5/6, which rounds to 1."""
    worths = pl.DataFrame(
        {
            "player_id": ["a", "a", "b"],
            "player": ["Ada", "Ada", "Bo"],
            "nation_now": [None, None, None],
            "nation": [None, None, None],
            "weight": [1, 1, 1],
            "parts": [2, 3, 3],
        },
        schema_overrides={"weight": pl.Int128, "nation": pl.String, "nation_now": pl.String},
    )
    made = rankings.rank_totals(
        Question(regulation="wbgf"), Selection(as_of=date(2020, 1, 1)), worths
    )
    found = made.frame.select("rank", "player_id", "nanopoints").rows()
    assert found == [(1, "a", 1), (1, "b", 0)]
