"""USBGF: each sentence that computes, on numbers an officer can check."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.regulations import usbgf
from palmares.regulations.tracing import traced
from tests.regulations.usbgf_events import rules

F = Fraction

EDITIONS = ("2015-05", "2019-01")
both = pytest.mark.parametrize("edition", EDITIONS)


def constants(edition: str) -> usbgf.Constants:
    held = rules(edition).constants
    assert isinstance(held, usbgf.Constants)
    return held


class TestEventWeight:
    """'The Event Weight is determined from the Event Level.'"""

    @both
    @pytest.mark.parametrize(
        ("level", "weight"),
        [(6, "1.2"), (5, "1.0"), (4, "0.8"), (3, "0.6"), (2, "0.4"), (1, "0.2"), (0, "0.0")],
    )
    def test_as_printed(self, edition: str, level: int, weight: str) -> None:
        assert usbgf.event_weight(rules(edition).tables["event_weights"], level) == F(weight)


# fmt: off
APPENDIX = [  # setting, type, level in 2015, level in 2019
    ("live",   "USBGF National Championship", 6, 6),
    ("live",   "USBGF Blitz",                 3, 3),
    ("live",   "ABT Major Jackpot",           6, 6),
    ("live",   "ABT Main Event",              5, 5),
    ("online", "National Championship",       6, 6),
    ("online", "Federation Cup",              6, 6),
    ("online", "Nations Cup",                 5, 5),
    ("online", "Team Tournaments",            4, 4),
    ("online", "Tournament of Champions",     4, 4),
    ("online", "Circuit Monthly",             2, 3),
    ("online", "Director's Cup",              3, 3),
    ("online", "Divisional",                  3, 2),
    ("online", "Collegiate",                  1, 1),
    ("online", "Membership Jackpot",          1, 1),
]
# fmt: on


class TestEventLevel:
    """'Event types reflect Level assignments as of this writing.'"""

    @pytest.mark.parametrize(("setting", "name", "then", "now"), APPENDIX)
    def test_as_printed(self, setting: str, name: str, then: int, now: int) -> None:
        levels = [
            usbgf.level_of_type(rules(edition).tables["event_levels"][setting], name)
            for edition in EDITIONS
        ]
        assert levels == [then, now]

    @both
    def test_nothing_else_is_listed(self, edition: str) -> None:
        held = rules(edition).tables["event_levels"]
        listed = {(setting, name) for setting, types in held.items() for name in types}
        assert listed == {(setting, name) for setting, name, _, _ in APPENDIX}


# fmt: off
DIVISIONS = [
    ("Open, Championship, Masters",                1, F("1.0")),
    ("Advanced, Intermediate, Limited",            2, F("0.7")),
    ("Novice, Beginner",                           3, F("0.5")),
    ("4 or more: 1 / (R - 1)",                     4, F(1) / (4 - 1)),
    ("the fifth of five",                          5, F(1) / (5 - 1)),
]
# fmt: on


class TestDivisionWeight:
    """'If there are more than 3 skill divisions, the division with rank R … 1/(R-1).'"""

    @both
    @pytest.mark.parametrize(("why", "rank", "weight"), DIVISIONS)
    def test_as_printed(self, edition: str, why: str, rank: int, weight: F) -> None:
        assert usbgf.division_weight(constants(edition), F(rank)) == weight, why

    @both
    def test_the_formula_starts_at_rank_4(self, edition: str) -> None:
        """Reading U2: literally, the top division would have 1/0."""
        assert usbgf.division_weight(constants(edition), F(1)) == 1

    @pytest.mark.parametrize(
        ("rank", "weight"), [(1, "1"), (2, "0.7"), (3, "0.5"), (4, "0.5"), (9, "0.5")]
    )
    def test_the_quick_reference_of_2019(self, rank: int, weight: str) -> None:
        """Reading U1, quick-reference: 0.5 from rank 3 on."""
        held = constants("2019-01")
        assert usbgf.division_weight_quick_reference(held, F(rank)) == F(weight)

    @both
    def test_a_stronger_division_never_weighs_less(self, edition: str) -> None:
        weights = [usbgf.division_weight(constants(edition), F(rank)) for rank in range(1, 12)]
        assert all(better > worse for better, worse in pairwise(weights))


class TestCombinedDivisions:
    """'… the weight that would have been assigned to the highest of the combined divisions.'"""

    @pytest.mark.parametrize(
        ("ranks", "highest"), [((1,), 1), ((1, 2), 1), ((3, 2), 2), ((2,), 2), ((), 1)]
    )
    def test_highest(self, ranks: tuple[int, ...], highest: int) -> None:
        assert usbgf.highest_division(ranks) == highest


class TestMatchWinPoints:
    """'Thus, a 9-point match win earns 1 point.'"""

    @both
    @pytest.mark.parametrize(
        ("length", "points"), [(9, F(1)), (1, F(1) / 3), (25, F(5) / 3), (36, F(6) / 3)]
    )
    def test_square_root_over_three(self, edition: str, length: int, points: F) -> None:
        assert usbgf.match_win_points(constants(edition), F(length)) == points

    @pytest.mark.parametrize(("length", "square"), [(5, F(5, 9)), (7, F(7, 9)), (11, F(11, 9))])
    def test_a_root_that_is_no_fraction(self, length: int, square: F) -> None:
        points = usbgf.match_win_points(constants("2019-01"), F(length))
        assert abs(points**2 - square) < F(1, 10**50)


class TestSeries:
    """'… equating the series to a single match of length: (L+1)*W'"""

    @pytest.mark.parametrize(
        ("why", "length", "wins", "equals"),
        [
            ("best of three 5-point matches", 5, 2, (5 + 1) * 2),
            ("best of five 3-point matches", 3, 3, (3 + 1) * 3),
        ],
    )
    def test_length(self, why: str, length: int, wins: int, equals: int) -> None:
        assert usbgf.series_length(F(length), wins) == equals, why

    def test_its_points(self) -> None:
        """Best of three 17-point matches: a match of 36 points, sqrt(36) / 3 = 2."""
        won = usbgf.match_win(constants("2019-01"), "ada", "m1", F(17), 2)
        assert won == 2

    def test_one_win_is_a_match(self) -> None:
        """Reading U13."""
        won = usbgf.match_win(constants("2019-01"), "ada", "m1", F(9), 1)
        assert won == 1


class TestMatchWin:
    """'… awarded to players each time they win a match in an eligible event.'"""

    def test_says_whose_and_which_match(self) -> None:
        with traced() as steps:
            usbgf.match_win(constants("2019-01"), "ada", "m1", F(9), 1)
        [step] = steps
        assert dict(step.inputs)["player"] == "ada"
        assert [(inner.clause, inner.value) for inner in step.because] == [
            ("match-win-points", 1),
        ]


class TestMasterPoints:
    """'Match Win Master Points = Event Weight * Division Weight * Match Win Points'"""

    def test_match_win(self) -> None:
        assert usbgf.match_win_master_points(F("1.2"), F("0.7"), F(1)) == F("0.84")

    def test_placement(self) -> None:
        """'Placement Master Points = Event Weight * Division Weight * Rank Points'"""
        assert usbgf.placement_master_points(F("0.6"), F("0.5"), F(3)) == F("0.9")


# fmt: off
NEAREST = [  # players, ranked, ranked under 'smaller'
    ("the text: 110 / 8 = 13.75, closer to 16 than to 8", 110, 16, 16),
    ("95 / 8 = 11.875 is closer to 8",                     95,  8,  8),
    ("96 / 8 = 12 is half-way between 8 and 16",           96, 16,  8),
    ("97 / 8 = 12.125 is closer to 16",                    97, 16, 16),
    ("128 / 8 = 16",                                      128, 16, 16),
    ("11 / 8 = 1.375 is closer to 1",                      11,  1,  1),
    ("12 / 8 = 1.5 is half-way between 1 and 2",           12,  2,  1),
    ("13 / 8 = 1.625 is closer to 2",                      13,  2,  2),
    ("3 / 8 is closest to the winner alone",                3,  1,  1),
    ("one player",                                          1,  1,  1),
]
ROUNDED = [  # players, N/8 to the nearest, at least 1
    ("1 / 8",               1, 1),
    ("11 / 8 = 1.375",     11, 1),
    ("12 / 8 = 1.5",       12, 2),
    ("19 / 8 = 2.375",     19, 2),
    ("20 / 8 = 2.5",       20, 3),
    ("110 / 8 = 13.75",   110, 14),
]
# fmt: on


class TestRankedFinishers:
    """'… whatever round that leaves the number of players remaining closest to 1/8 …'"""

    @both
    @pytest.mark.parametrize(("why", "players", "larger", "smaller"), NEAREST)
    def test_in_a_bracket(
        self, edition: str, why: str, players: int, larger: int, smaller: int
    ) -> None:
        held = constants(edition)
        assert usbgf.ranked_in_bracket(held, players, False) == larger, why
        assert usbgf.ranked_in_bracket(held, players, True) == smaller, why

    @both
    @pytest.mark.parametrize(("why", "players", "count"), ROUNDED)
    def test_without_a_bracket(self, edition: str, why: str, players: int, count: int) -> None:
        """Reading U7."""
        assert usbgf.ranked_without_bracket(constants(edition), players) == count, why

    @given(players=st.integers(1, 3000))
    def test_no_round_is_nearer(self, players: int) -> None:
        held = constants("2019-01")
        rounds = [2**k for k in range(12)]
        nearest = min(abs(F(players, 8) - left) for left in rounds)
        fits = [left for left in rounds if abs(F(players, 8) - left) == nearest]
        assert usbgf.ranked_in_bracket(held, players, False) == max(fits)
        assert usbgf.ranked_in_bracket(held, players, True) == min(fits)


class TestDistance:
    """'Winning the next flight down also has a distance of 1 from the winner … above.'"""

    @pytest.mark.parametrize(
        ("who", "behind", "down", "far"),
        [
            ("Main winner", 0, 0, 0),
            ("Main finalist", 1, 0, 1),
            ("Consolation winner", 0, 1, 1),
            ("Main semifinalist", 2, 0, 2),
            ("Consolation finalist", 1, 1, 2),
            ("Last Chance winner", 0, 2, 2),
        ],
    )
    def test_as_in_the_example(self, who: str, behind: int, down: int, far: int) -> None:
        assert usbgf.distance(behind, down) == far, who


class TestEventSizeFactor:
    """'Event Size Factor = Log2(Number of Players)'"""

    @pytest.mark.parametrize(
        ("players", "factor"), [(16, 4), (32, 5), (64, 6), (128, 7), (256, 8), (1, 0)]
    )
    def test_as_printed(self, players: int, factor: int) -> None:
        assert usbgf.event_size_factor(F(players)) == factor

    def test_between_the_printed_rows(self) -> None:
        assert abs(2 ** float(usbgf.event_size_factor(F(110))) - 110) < 1e-9


class TestRankFactor:
    """'All other ranks are awarded points as a fraction of the points awarded to first place.'"""

    @both
    @pytest.mark.parametrize(
        ("rank", "factor", "printed"),
        [
            (1, F(1), "1.000"),
            (2, F("0.7"), "0.700"),
            (3, F(1) / (3 - 1), "0.500"),
            (4, F(1) / (4 - 1), "0.333"),
            (5, F(1) / (5 - 1), "0.250"),
            (6, F(1) / (6 - 1), "0.200"),
            (7, F(1) / (7 - 1), "0.167"),
            (8, F(1) / (8 - 1), "0.143"),
            (9, F(1) / (9 - 1), "0.125"),
            (10, F(1) / (10 - 1), "0.111"),
        ],
    )
    def test_as_printed(self, edition: str, rank: int, factor: F, printed: str) -> None:
        """Reading U3: exactly 1/(R-1); the printed table is its rounding."""
        assert usbgf.rank_factor(constants(edition), F(rank)) == factor
        assert f"{float(factor):.3f}" == printed

    @both
    def test_a_better_rank_never_earns_less(self, edition: str) -> None:
        held = constants(edition)
        earned = [usbgf.rank_factor(held, F(rank)) for rank in range(1, 60)]
        assert all(better > worse for better, worse in pairwise(earned))


class TestTiedRanks:
    """'… those players will equally split the total points for the set of ranks …'"""

    @pytest.mark.parametrize(
        ("who", "rank", "tied", "factor"),
        [
            ("(1)", 1, 1, F(1)),
            ("(2,3 split)", 2, 2, (F("0.7") + F(1, 2)) / 2),
            ("(4,5,6,7 split)", 4, 4, (F(1, 3) + F(1, 4) + F(1, 5) + F(1, 6)) / 4),
        ],
    )
    def test_as_in_the_example(self, who: str, rank: int, tied: int, factor: F) -> None:
        sums = usbgf.cumulated_rank_factors(constants("2019-01"), [F(r) for r in range(1, 8)])
        assert usbgf.split_rank_factor(sums, rank, tied) == factor, who

    @given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=9))
    def test_nothing_is_lost_in_splitting(self, sizes: list[int]) -> None:
        held = constants("2019-01")
        ranks = [F(rank) for rank in range(1, sum(sizes) + 1)]
        sums = usbgf.cumulated_rank_factors(held, ranks)
        rank, shared, factors = 1, F(0), []
        for size in sizes:
            factors.append(usbgf.split_rank_factor(sums, rank, size))
            shared += size * factors[-1]
            rank += size
        assert shared == sum(usbgf.rank_factor(held, rank) for rank in ranks)
        assert factors == sorted(factors, reverse=True)


class TestRankPoints:
    """'Rank Points = 0.6 * Event Size Factor * Player's Rank Factor'"""

    @pytest.mark.parametrize(
        ("edition", "points"),
        [("2015-05", 5 * F("0.7")), ("2019-01", F("0.6") * 5 * F("0.7"))],
    )
    def test_second_of_thirty_two(self, edition: str, points: F) -> None:
        assert usbgf.rank_points(constants(edition), F(5), F("0.7")) == points


class TestRecognition:
    """'… reaching published lifetime point thresholds …'"""

    LEVELS: ClassVar[dict[str, Any]] = {"Club": F(5), "Life Master": F(500), "Regional": F(50)}

    @pytest.mark.parametrize(
        ("points", "level"),
        [
            (F("4.999998999"), None),
            (F("4.999999"), "Club"),  # U17: 'from a millionth below it'
            (F(5), "Club"),
            (F("49.999998999"), "Club"),
            (F("49.999999"), "Regional"),
            (F(50), "Regional"),
            (F("499.999998999"), "Regional"),
            (F(500), "Life Master"),
            (F(9999), "Life Master"),
        ],
    )
    def test_the_greatest_that_is_reached(self, points: F, level: str | None) -> None:
        assert usbgf.recognition_level(self.LEVELS, points) == level
        floats = {name: float(least) for name, least in self.LEVELS.items()}
        assert usbgf.recognition_level(floats, float(points)) == level
        with traced() as steps:
            usbgf.recognition_level(self.LEVELS, points)
        assert [step.value for step in steps] == [level]

    def test_no_levels(self) -> None:
        assert usbgf.recognition_level({}, F(1)) is None
