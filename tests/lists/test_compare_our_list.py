"""Our list as somebody prints it, whatever the season."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from palmares.facts import Facts
from palmares.formats.load import read
from palmares.formats.printed_lists import PrintedList, PrintedPoints, PrintedRow
from palmares.lists.compare import compare, our_list
from palmares.points.awards import Question, award
from palmares.points.rankings import Selection
from tests.amounts import amount
from tests.formats.printing import printed
from tests.points.random_awards import seasons, selections
from tests.points.slow import rank
from tests.points.test_rankings import alone
from tests.season import season, written

# The text adds bonus grades after the cap and sets no limit: they make any points a test needs.
pytestmark = pytest.mark.filterwarnings("ignore:.*bonus_grade of .* is unusual")

DAY = date(2019, 1, 1)
ASKED = Selection(as_of=DAY)
WBGF = Question(regulation="wbgf")
ROUNDING = st.sampled_from(["half up", "half even", "cut off"])


def listed(rows: Iterable[tuple[int, str, int, int]]) -> PrintedList:
    """A list of ranks, ids, units and decimals."""
    return PrintedList(
        file="list.csv",
        rows=tuple(
            PrintedRow(line=line, rank=place, name=player, id=player,
                       points=PrintedPoints("", units, places))
            for line, (place, player, units, places) in enumerate(rows, start=2)
        ),
        columns=("rank", "id", "points"),
        ignored=(),
    )  # fmt: skip


def ours(facts: Facts, question: Question, selection: Selection, places: int = 2) -> PrintedList:
    """Our own list, as somebody prints it."""
    frame = rank(award(question, facts), selection).frame
    rows = frame.select("rank", "player_id", "nanopoints").iter_rows()
    return listed(
        (place, player, printed(nanopoints, 1, places, "half up"), places)
        for place, player, nanopoints in rows
    )


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Facts:
    """A season that all regulations look at."""
    return read(str(written(season(7, 60), tmp_path_factory.mktemp("season") / "s")))


def test_a_rating_after_an_earlier_event(made_up: Facts) -> None:
    question, asked = Question(regulation="dptr"), Selection(as_of=date(2020, 12, 31))
    given = award(question, made_up)
    theirs = ours(made_up, question, asked, 4)
    often = given.frame.group_by("player_id").len().sort("len")["player_id"][-1]
    ratings = given.frame.filter(player_id=often).sort("order")
    rows = [
        replace(row, points=PrintedPoints("", ratings["nanopoints"][-2] // 10**5, 4))
        if row.id == often
        else row
        for row in theirs.rows
    ]
    found = compare(question, made_up, asked, replace(theirs, rows=tuple(rows)))
    (row,) = [row for row in found.rows if row.matters and row.player_id == often]
    assert row.cause in {"award missing", "rounding"}


# ── whatever the season ──────────────────────────────────────────────────────────────────────────


@drawn(data=st.data(), places=st.integers(0, 9), rule=ROUNDING)
def test_every_line_of_our_list_fits_as_it_was_printed(
    data: st.DataObject, places: int, rule: str
) -> None:
    given = data.draw(seasons())
    selection = data.draw(selections(given.question))
    held = our_list(given, selection, [], places)
    lines = [
        (player, PrintedRow(line=line, rank=None, name=player, id=player, points=points))
        for line, (player, points) in enumerate(
            (player, PrintedPoints("", printed(weight, held.parts, places, rule), places))
            for player, weight in held.weights.items()
        )
    ]
    found = our_list(given, selection, lines, places)
    assert found.lines == len(lines)
    assert rule in found.rules


POINTS = st.integers(1_000, 900_000).map(lambda value: f"{value / 1000:.3f}")
RESULTS = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 1000), POINTS), min_size=1, max_size=8
)


@settings(max_examples=amount(500))
@drawn(results=RESULTS, places=st.integers(0, 4), rule=ROUNDING)
def test_a_list_printed_from_ours_is_the_same(
    results: list[tuple[str, int, str]], places: int, rule: str
) -> None:
    with TemporaryDirectory() as folder:
        rows = [(one, str(DAY - timedelta(days=age)), value) for one, age, value in results]
        facts = read(str(alone(Path(folder) / "p", rows)))
        ranking = rank(award(WBGF, facts), ASKED).frame
        lines = ranking.select("rank", "player_id", "nanopoints").iter_rows()
        theirs = listed((r, p, printed(n, 1, places, rule), places) for r, p, n in lines)
        found = compare(WBGF, facts, ASKED, theirs)
    assert found.agrees
    assert rule in found.ours.rules
    assert {row.status for row in found.rows} == {"same"}


@settings(max_examples=amount(500))
@drawn(
    values=st.lists(st.integers(1_000, 900_000), min_size=2, max_size=6, unique=True),
    others=st.lists(st.integers(1_000, 900_000), min_size=2, max_size=4),
    data=st.data(),
)
def test_an_award_taken_away_is_named(
    values: list[int], others: list[int], data: st.DataObject
) -> None:
    """In thousandths, so that three decimals show all there is."""
    gone = data.draw(st.integers(0, len(values) - 1))
    rows = [("a", str(DAY), f"{value / 1000:.3f}") for value in values]
    rows += [(f"z{n}", str(DAY), f"{value / 1000:.3f}") for n, value in enumerate(others)]
    with TemporaryDirectory() as folder:
        facts = read(str(alone(Path(folder) / "p", rows)))
        theirs = listed(
            [(0, "a", sum(values) - values[gone], 3)]
            + [(0, f"z{n}", value, 3) for n, value in enumerate(others)]
        )
        found = compare(WBGF, facts, ASKED, theirs)
    row = found.rows[0]
    assert row.cause == "award missing"
    assert row.detail == f"without Event {gone} of Cup {gone} (main: {values[gone] / 1000:.3f})"
