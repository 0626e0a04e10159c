"""The tour keeps what its stops promise, in figures that were published or are short sums."""

from __future__ import annotations

import re
from math import log2, sqrt

import pytest
from click.testing import CliRunner

from palmares.cli import cli
from palmares.cli.demo.tour import STOPS
from tests.docs.examples import ROOT

WORLD, NATIONS, MASTER_POINTS, RATINGS, VICTORY_POINTS, STANDINGS, WHY = range(len(STOPS))


@pytest.fixture(scope="module")
def stops() -> list[str]:
    """What each stop prints."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ROOT)
        result = CliRunner().invoke(cli, ["demo"], prog_name="palmares", catch_exceptions=False)
    assert result.exit_code == 0
    return result.output.split("\n▸ ")[1:]


def row(stop: str, name: str) -> list[str]:
    """The cells of somebody's row: at least two spaces stand between them."""
    line = next(line for line in stop.splitlines() if f"  {name}  " in line)
    return re.split(r" {2,}", line.strip())


def test_every_stop_shows_the_command_that_makes_it(stops: list[str]) -> None:
    assert [stop.splitlines()[1].strip() for stop in stops[:-1]] == [
        f"$ palmares {line.format(examples='examples')}" for _, line in STOPS
    ]


def test_no_warning_breaks_into_the_tour(stops: list[str]) -> None:
    assert not any("Warning:" in stop for stop in stops)
    assert "(1 warning about these reports" in stops[WORLD]


@pytest.mark.parametrize(
    "name",
    [
        "Ed O'Laughlin",  # won the Championship of the 26th Chicago Open
        "Todd Obadal",  # lost its final
        "George Barr",  # won its Intermediate
        "Phil Simborg",  # won the Open of the 5th Carolina Invitational
        "Carter Mattig",  # lost its final
        "Mark Rozans",  # won its Consolation
    ],
)
def test_the_world_ranking_has_those_who_won(stops: list[str], name: str) -> None:
    assert row(stops[WORLD], name)[1] == name


def test_the_national_ranking_adds_the_three_bosnians_of_dubrovnik(stops: list[str]) -> None:
    """Zolic, Alagic and Bukvic were 3rd to 5th behind Duggan of England and Plesec of Slovenia."""
    assert [row(stops[NATIONS], one)[-1] for one in ("BIH", "ENG", "SVN")] == ["3", "1", "1"]


def test_master_points_of_a_winner(stops: list[str]) -> None:
    """First of 36: level 5 and the top division weigh 1, 0.6 log2(36) rank points."""
    placement = f"{1 * 1 * 0.6 * log2(36):.2f}"
    assert row(stops[MASTER_POINTS], "Ed O'Laughlin")[-4:] == [placement, "0.00", "0.00", placement]


def test_master_points_online(stops: list[str]) -> None:
    """Level 2 weighs 0.4, the second division 0.7: won at 15 and 17 points, first of 32."""
    match, placement = 0.4 * 0.7 * (sqrt(15) + sqrt(17)) / 3, 0.4 * 0.7 * 0.6 * log2(32)
    expected = [f"{one:.2f}" for one in (match, placement, match + placement)]
    assert row(stops[MASTER_POINTS], "Kara Schultz")[-3:] == expected


def test_the_rating_list_is_led_by_players_of_three_events(stops: list[str]) -> None:
    assert [row(stops[RATINGS], one)[0] for one in ("Tom KOBRIN", "Andy BARTALONE")] == ["1", "2"]


def test_the_table_of_victory_points_is_the_published_one(stops: list[str]) -> None:
    """16 boards: the smallest margins that score 11 to 20 VPs."""
    table = [line.split() for line in stops[VICTORY_POINTS].splitlines()[6:17]]
    assert [(line[-2], line[0]) for line in table[1:]] == [
        *(("11", "2"), ("12", "5"), ("13", "9"), ("14", "13"), ("15", "18")),
        *(("16", "23"), ("17", "29"), ("18", "36"), ("19", "44"), ("20", "54")),
    ]


def test_the_standings_part_two_level_teams(stops: list[str]) -> None:
    """Both have 64.87; Kingfisher won their match 50-26, and 24 IMPs over 16 boards are 15.74."""
    assert row(stops[STANDINGS], "Kingfisher")[:3] == ["1", "Kingfisher", "64.87"]
    assert row(stops[STANDINGS], "Heron")[:3] == ["2", "Heron", "64.87"]
    assert "Kingfisher ahead on VPs between the tied teams: 15.74 to 4.26" in stops[STANDINGS]


def test_the_explanation_comes_to_the_published_figures(stops: list[str]) -> None:
    """Dixie 32, 2018: the database prints 98.78 for first of 41, and the value 13.71."""
    assert "percentile 98.780487805…" in stops[WHY]
    assert "value 13.714285714…" in stops[WHY]
    rating = 40 + (41 / 3.5 + 2) / 100 * ((41 + 0.5 - 1) / 41 * 100 - 40)
    assert (
        stops[WHY].splitlines()[3].startswith(f"David MILLER: {rating:.2f} points, rank 17 of 81")
    )


def test_the_explanation_fits_on_two_screens(stops: list[str]) -> None:
    assert len(stops[WHY].splitlines()) <= 70
