"""The picture of running totals: labels apart and in order, teams told apart, plain refusals."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.bridge.standings import Standings
from palmares.core.errors import Refused
from palmares.render.charts.standings import TOLD_APART, apart, running_chart
from tests.team_events import listed

HEIGHTS = st.lists(st.floats(-1000, 1000), min_size=1, max_size=40).map(
    lambda ends: sorted(ends, reverse=True)
)


class TestLabels:
    @given(HEIGHTS, st.floats(0.01, 50))
    def test_apart_and_in_order(self, ends: list[float], gap: float) -> None:
        at = apart(ends, gap)
        assert len(at) == len(ends)
        assert all(upper - lower >= gap * 0.999 for upper, lower in pairwise(at))

    def test_where_there_is_room_they_stay_at_their_lines(self) -> None:
        assert apart([10.0, 5.0, 0.0], 2) == [10, 5, 0]

    def test_a_crowd_spreads_around_its_middle(self) -> None:
        assert apart([10.0, 1.0, 1.0, 1.0], 2) == [10, 3, 1, -1]


def field(count: int) -> Standings:
    """So many teams, each with a bye."""
    return listed("\n".join(f"1: Team {number} bye" for number in range(count)))


def words(svg: bytes) -> str:
    """The text of a picture."""
    return " ".join("".join(one.itertext()) for one in ET.fromstring(svg).iter() if one.text)  # noqa: S314


def test_names_and_totals_stand_at_the_lines() -> None:
    made = listed("1: Alpha 41-21 Beta (16)\nFinal: Alpha 30-30 Beta (16)")
    told = words(running_chart(made, ".svg"))
    assert "1  Alpha  25.00" in told
    assert "2  Beta  15.00" in told
    assert "Final" in told


def test_a_name_is_no_formula() -> None:
    made = listed("1: $Cash$ 41-21 Beta (16)")
    assert "1  $Cash$  15.00" in words(running_chart(made, ".svg"))


def test_withdrawn_teams_are_left_out() -> None:
    tables = "".join(f"[[event.teams]]\nteam = '{one}'\n" for one in "AB")
    made = listed("1: A 30-30 B (16)", f"{tables}[[event.teams]]\nteam = 'Z'\nwithdrawn = true\n")
    assert "Z" not in words(running_chart(made, ".svg"))


def test_more_teams_than_looks() -> None:
    told = words(running_chart(field(TOLD_APART + 2), ".svg"))
    assert "Team 22" in told


def test_more_teams_than_one_can_see() -> None:
    with pytest.raises(Refused, match="A picture shows 1 to 64 teams and at least one round"):
        running_chart(field(65), ".svg")
