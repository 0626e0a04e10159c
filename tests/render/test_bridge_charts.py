"""The picture of running totals: names and totals, teams told apart."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from palmares.bridge.standings import Standings
from palmares.render.bridge import MOST_TEAMS, running_chart
from palmares.render.charts import draw
from tests.bridge.team_events import listed


def field(count: int) -> Standings:
    """So many teams, each with a bye."""
    return listed("\n".join(f"1: Team {number} bye" for number in range(count)))


def words(made: Standings) -> str:
    """The text of a picture."""
    svg = draw(running_chart(made), "svg")
    return " ".join("".join(one.itertext()) for one in ET.fromstring(svg).iter() if one.text)  # noqa: S314


def test_names_and_totals_stand_at_the_lines() -> None:
    made = listed("1: Alpha 41-21 Beta (16)\nFinal: Alpha 30-30 Beta (16)")
    told = words(made)
    assert "1 Alpha  25.00" in told
    assert "2 Beta  15.00" in told
    assert "Final" in told


def test_a_name_is_no_formula() -> None:
    made = listed("1: $Cash$ 41-21 Beta (16)")
    assert "1 $Cash$  15.00" in words(made)


def test_withdrawn_teams_are_left_out() -> None:
    tables = "".join(f"[[event.teams]]\nteam = '{one}'\n" for one in "AB")
    made = listed("1: A 30-30 B (16)", f"{tables}[[event.teams]]\nteam = 'Z'\nwithdrawn = true\n")
    assert "Z" not in words(made)


def test_no_two_teams_look_the_same() -> None:
    chart = running_chart(field(21))
    encoding = chart["vconcat"][0]["encoding"]
    looks = zip(*(encoding[one]["scale"]["range"] for one in ("color", "strokeDash")), strict=True)
    assert len({str(look) for look in looks}) == 21


def test_more_teams_than_one_can_see() -> None:
    """The command line refuses them; see tests/cli/test_standings.py."""
    chart = running_chart(field(MOST_TEAMS + 1))
    assert len({row["team"] for row in chart["data"]["values"]}) == MOST_TEAMS
