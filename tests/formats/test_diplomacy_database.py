"""A page pasted from the World Diplomacy Database, its printed scores recomputed."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.formats import diplomacy_database as wdd
from tests.formats.reading import column, places, rows

EXAMPLES = Path(__file__).parents[2] / "examples"
PAGE = (EXAMPLES / "diplomacy" / "2004-tempest-in-a-teapot.txt").read_text(encoding="utf-8")


def page(*lines: str, date: str = "June 1, 1996") -> str:
    head = ["A Tournament", f"Date {date} Place Columbus"]
    head += ["Number of players88 Number of rounds3 Number of boards24"]
    return "\n".join([*head, "Coeff 120.00 Coeff 2- Coeff 3-", "", *lines])


class TestTempestInATeapot:
    """'53 rows, each printed score recomputed.'"""

    raw = wdd.read(PAGE, "tempest.txt")

    def test_the_head(self) -> None:
        (tournament,), (event,) = rows(self.raw, "tournaments"), rows(self.raw, "events")
        assert tournament["name"] == event["name"] == "Tempest in a teapot VI 2004"
        assert tournament["subtitle"] == "World Boardgaming Championships"
        assert (tournament["start_date"], tournament["end_date"]) == ("2004-08-13", "2004-08-15")
        assert tournament["city"] == "Hunts Valley"
        assert (event["entrants"], event["rounds"], event["boards"]) == ("56", "3", "18")
        assert event["printed_coeff1"] == "15.00"

    def test_53_rows_and_the_three_that_are_withheld(self) -> None:
        ranks = [int(rank or 0) for rank in column(self.raw, "placings", "rank")]
        assert len(ranks) == 53
        assert set(range(1, 57)) - set(ranks) == {24, 30, 39}
        assert self.raw.problems == self.raw.notices == []

    def test_each_printed_score_is_the_percentile(self) -> None:
        """(([Number of Players in the event]+0.5-[Placement])/[Number of Players])*100."""
        for row in rows(self.raw, "placings"):
            exact = (56 + Fraction(1, 2) - int(row["rank"])) / 56 * 100
            shown = Decimal(exact.numerator) / Decimal(exact.denominator)
            assert str(shown.quantize(Decimal("0.01"), ROUND_HALF_UP)) == row["printed_score"]

    @pytest.mark.parametrize(
        ("rank", "name"),
        [
            ("1", "Andy BARTALONE"),
            ("10", "Michael MC MILLIE"),
            ("41", "Jean-François GAGNE"),
            ("56", "Nicholas BENEDICT"),
        ],
    )
    def test_names_as_printed(self, rank: str, name: str) -> None:
        (row,) = [row for row in rows(self.raw, "placings") if row["rank"] == rank]
        assert row["player_id"] == name


@pytest.mark.parametrize(
    ("line", "rank", "name", "score"),
    [
        ("3Björn VON KNORRING97.16", "3", "Björn VON KNORRING", "97.16"),
        ("2Louis Clément AZAIS94.23", "2", "Louis Clément AZAIS", "94.23"),
        ("12J. P. O'NEIL100.00", "12", "J. P. O'NEIL", "100.00"),
        ("3\tBjörn\tVON KNORRING\t97.16", "3", "Björn VON KNORRING", "97.16"),
    ],
)
def test_rank_name_and_score_are_told_apart(line: str, rank: str, name: str, score: str) -> None:
    (row,) = rows(wdd.read(page(line), "x"), "placings")
    assert (row["rank"], row["player_id"], row["printed_score"]) == (rank, name, score)


def test_a_row_that_is_cut_off_is_refused() -> None:
    raw = wdd.read(page("6Frédéric CHAPART78.85", "7Emmanuel DU PONTAVICE75.0"), "x")
    assert column(raw, "placings", "rank") == ["6"]
    assert "7Emmanuel DU PONTAVICE75.0" in raw.problems[0].what


@pytest.mark.parametrize(
    ("printed", "first", "last"),
    [
        ("August 13-15, 2004", "2004-08-13", "2004-08-15"),
        ("June 1, 1996", "1996-06-01", "1996-06-01"),
        ("May 30 - June 1, 2004", "2004-05-30", "2004-06-01"),
        ("December 30, 2004 - January 2, 2005", "2004-12-30", "2005-01-02"),
    ],
)
def test_dates(printed: str, first: str, last: str) -> None:
    (row,) = rows(wdd.read(page(date=printed), "x"), "tournaments")
    assert (row["start_date"], row["end_date"]) == (first, last)


@pytest.mark.parametrize("printed", ["February 30, 2004", "Juky 1, 2004", "13-15, 2004"])
def test_a_date_nobody_knows_is_a_problem(printed: str) -> None:
    assert places(wdd.read(page(date=printed), "x")) == ["x:2", "x:1"]


def test_a_nation_in_a_column_of_its_own_is_looked_up() -> None:
    raw = wdd.read(page("1\tA\tBEE\tALL\t99.00", "2\tC\tDEE\tAUS\t98.00"), "x")
    assert column(raw, "placings", "nation") == ["DEU", None]
    assert "'AUS' may mean more than one nation" in raw.notices[0].what


def test_nations_that_run_into_the_names_are_refused() -> None:
    fused = page("1Ann BEEUSA99.00", "2Bob CEEFRA98.00", "3Cy DEEUSA97.00")
    assert "seem to end with the code of a nation" in wdd.read(fused, "x").problems[0].what


@given(st.text(alphabet="Date Placefs Number0123456789.,-\t\nRankUSA(é", max_size=300))
def test_no_page_is_too_odd(text: str) -> None:
    wdd.read(text, "x")
