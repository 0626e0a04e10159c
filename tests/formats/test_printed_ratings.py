"""The coefficient and the scores that a page prints, against those that the regulation gives."""

from __future__ import annotations

import calendar
import json
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import Problem
from palmares.facts.decoding import ReportTables
from palmares.formats import diplomacy_database as wdd
from palmares.web.submissions import parse
from tests.formats.reading import column
from tests.packages import error, rows, run

EVENTS = json.loads((Path(__file__).parents[1] / "data" / "dptr.json").read_text(encoding="utf-8"))[
    "events"
]
SCORES = ((1, "98.08"), (2, "94.23"), (7, "75.00"))
"""(26 + 0.5 - 1) / 26 x 100 = 98.076..., of 2 it is 94.230..., of 7 exactly 75."""


def page(
    rows: Sequence[tuple[int, str]],
    coeff: str = "9.43",
    players: int = 26,
    rounds: int | None = 3,
    day: str = "June 1, 2006",
    name: str = "A Tournament",
    above: str = "",
) -> str:
    """A page as it is pasted."""
    numbers = f"Number of players{players}"
    numbers += f" Number of rounds{rounds}" if rounds else ""
    return "\n".join(
        [
            *([above, ""] if above else []),
            name,
            f"Date {day} Place Oakland",
            numbers,
            f"Coeff 1{coeff} Coeff 2- Coeff 3-",
            "RankFirstName LastNameLoc.Nat.Score",
            *(f"{rank}Player {'ABCDEFGHIJ'[at % 10]}{'x' * at}{score}"
              for at, (rank, score) in enumerate(rows)),
        ]
    )  # fmt: skip


def read(text: str) -> ReportTables:
    return wdd.read(text, "page.txt")


def only(text: str) -> Problem:
    """The one problem of a page."""
    (problem,) = read(text).problems
    return problem


def as_pasted(event: dict[str, Any], above: str = "") -> str:
    year, month, day = (int(part) for part in event["end_date"].split("-"))
    return page(
        [(rank, score) for rank, score in event["rows"]],
        coeff=event["coeff1"],
        players=event["players"],
        rounds=event["rounds"],
        day=f"{calendar.month_name[month]} {day}, {year}",
        name=event["name"],
        above=above,
    )


class TestPublishedPages:
    """'The printed coefficient and score of each row are held against what we compute.'"""

    @pytest.mark.parametrize("event", EVENTS, ids=[one["name"] for one in EVENTS])
    def test_no_published_page_is_refused(self, event: dict[str, Any]) -> None:
        worlds = event["world_championship"]
        raw = read(as_pasted(event, "world_championship: true" if worlds else ""))
        assert raw.problems == []
        assert raw.notices == []

    @pytest.mark.parametrize(
        "event", [one for one in EVENTS if one["world_championship"]], ids=lambda one: one["name"]
    )
    def test_a_world_championship_of_old_is_not_worth_nothing(self, event: dict[str, Any]) -> None:
        """Before 2001 other events have the value 0, and 20.00 is printed."""
        problem = only(as_pasted(event))
        assert problem.what == (
            "the page prints the coefficient 20.00, and the value of the event is 0.00"
        )
        assert "world_championship: true" in problem.remedy
        assert problem.where == "page.txt:4"

    @given(players=st.integers(1, 500), rank=st.integers(1, 500))
    def test_every_score_of_two_decimals_is_taken(self, players: int, rank: int) -> None:
        rank = min(rank, players)
        exact = (players + Fraction(1, 2) - rank) / players * 100
        score = (Decimal(exact.numerator) / exact.denominator).quantize(
            Decimal("0.01"), ROUND_HALF_UP
        )
        assert read(page([(rank, str(score))], "-", players)).problems == []


class TestTheCoefficient:
    """'Coeff 1 of 20 means a World Championship.'"""

    def test_a_world_championship_of_today_is_not_worth_15(self) -> None:
        """min(70 / 3.5 + 2, 15) = 15, and 20.00 is printed."""
        scores = [(1, "99.29"), (2, "97.86")]  # 69.5 / 70 and 68.5 / 70
        worlds = page(scores, "20.00", players=70, day="May 25-27, 2018")
        assert only(worlds).what == (
            "the page prints the coefficient 20.00, and the value of the event is 15.00"
        )
        assert only(worlds).remedy.startswith("Check whether it was a World Championship,")
        assert "lines above the page: 'world_championship: true'" in only(worlds).remedy
        raw = read("world_championship: true\n" + worlds)
        assert raw.problems == []
        assert column(raw, "events", "world_championship") == ["true"]
        assert column(raw, "placings", "rank") == ["1", "2"]

    def test_a_flag_that_is_wrong(self) -> None:
        """26 / 3.5 + 2 = 9.428..."""
        flagged = "world_championship: yes\n" + page(SCORES)
        assert "is 20.00" in only(flagged).what
        assert "whether it was a World Championship" in only(flagged).remedy

    def test_another_number_of_rounds(self) -> None:
        """26 / 7 + 2 = 5.714...: an event of one round"""
        assert "the number of rounds" in only(page(SCORES, "5.71")).remedy
        assert read("rounds: 1\n" + page(SCORES, "5.71")).problems == []
        assert "the number of rounds" in only(page(SCORES, "9.43", rounds=1)).remedy

    def test_rounds_that_the_page_does_not_print(self) -> None:
        assert read(page(SCORES, "9.43", rounds=None)).problems == []
        assert "World Championship" in only(page(SCORES, "20.00", rounds=None)).remedy

    @pytest.mark.parametrize("written", ["20", "20,00", " : 20.00", "", "20.000"])
    def test_one_that_cannot_be_read_is_not_passed_by(self, written: str) -> None:
        """A World Championship would count 15 without a word."""
        wrong = only(page(SCORES, written))
        assert wrong.where == "page.txt:4"
        assert wrong.what == f"this coefficient cannot be read: '{f'Coeff 1{written}'.strip()}'"
        assert wrong.remedy == "It writes Coeff 1 15.00, or Coeff 1 - where there is none."

    def test_a_number_that_cannot_be_read_is_told(self) -> None:
        read_page = read(page(SCORES, "9.43").replace("rounds3", "roundsthree"))
        assert [one.what for one in read_page.notices] == [
            "this line could not be read: 'Number of roundsthree'"
        ]

    def test_a_coefficient_that_is_nobodys(self) -> None:
        assert "number of players" in only(page(SCORES, "11.00")).remedy

    def test_events_before_2001_are_worth_nothing(self) -> None:
        assert read(page(SCORES, "0.00", day="June 1, 2000")).problems == []
        assert "is 0.00" in only(page(SCORES, "9.43", day="June 1, 2000")).what

    @pytest.mark.parametrize("name", ["World DipCon XXVIII", "The 30th World Championship"])
    def test_a_name_is_a_hint_and_no_decision(self, name: str) -> None:
        (notice,) = read(page(SCORES, "-", name=name)).notices
        assert "does not say whether it was one" in notice.what
        assert read(page(SCORES, "9.43", name=name)).notices == []
        said = "world_championship: false\n" + page(SCORES, "-", name=name)
        assert read(said).notices == []


class TestTheScores:
    def test_a_number_of_players_that_is_wrong(self) -> None:
        problems = read(page(SCORES, "-", players=62)).problems
        assert [problem.where for problem in problems] == ["page.txt:6", "page.txt:7", "page.txt:8"]
        assert all("the number of players" in problem.remedy for problem in problems)
        assert read("entrants: 26\n" + page(SCORES, "-", players=62)).problems == []

    def test_a_rank_that_is_wrong(self) -> None:
        """(26 + 0.5 - 4) / 26 x 100 = 86.538...; 75.00 is the score of the 7th"""
        problem = only(page([*SCORES[:2], (4, "75.00")]))
        assert problem.where == "page.txt:8"
        assert problem.what == ("rank 4 of 26 players scores 86.54, and the page prints 75.00")
        assert problem.remedy.startswith("Correct the rank, the score or the number of players")

    def test_a_score_that_is_nobodys(self) -> None:
        assert "another rating" in only(page([*SCORES[:2], (7, "76.00")])).remedy

    def test_all_of_another_rating(self) -> None:
        problems = read(page([(1, "12.00"), (2, "11.00"), (3, "4.50")])).problems
        assert [one.where for one in problems] == ["page.txt:6", "page.txt:7", "page.txt:8"]


@given(
    st.lists(st.tuples(st.integers(1, 999_999), st.decimals(0, 999, places=2)), max_size=5),
    st.integers(0, 999_999_999),
    st.decimals(0, 999, places=2),
    st.sampled_from([None, 1, 2, 999_999_999]),
)
def test_no_number_is_too_odd(
    rows: list[tuple[int, Decimal]], players: int, coeff: Decimal, rounds: int | None
) -> None:
    read(page([(rank, f"{score:.2f}") for rank, score in rows], f"{coeff:.2f}", players, rounds))


class TestOnTheCommandLine:
    def test_a_world_championship_is_refused_until_it_is_said(self, tmp_path: Path) -> None:
        """40 moved by 20 per cent towards 99.286 is 51.857: more than by 15, 48.893"""
        file = tmp_path / "worlds.txt"
        worlds = page([(1, "99.29"), (2, "97.86")], "20.00", 70, day="May 25-27, 2018")
        file.write_text(worlds, encoding="utf-8")
        assert "world_championship: true" in error("rank", "dptr", file)
        checked = run("check", file)
        assert (checked.exit_code, "world_championship: true" in checked.stdout) == (1, True)
        file.write_text("world_championship: true\n" + worlds, encoding="utf-8")
        assert run("check", file).exit_code == 0
        first, _ = rows("award", "dptr", file)
        assert first["value"] == 20
        assert round(first["points"], 3) == 51.857


def test_pasted_into_the_site() -> None:
    worlds = page([(1, "99.29"), (2, "97.86")], "20.00", 70, day="May 25-27, 2018")
    said = f"world_championship: true\n{worlds}"
    assert [parse.kind_of(one) for one in (worlds, said)] == ["txt", "txt"]
    (spot,) = parse.read("txt", worlds.encode()).problems
    assert (spot.line, "world_championship: true" in spot.remedy) == (4, True)
    found = parse.read("txt", said.encode())
    assert found.problems == ()
    assert found.facts is not None
    assert found.facts["events"]["world_championship"].to_list() == [True]
