"""Day by day: the lists that `palmares.points.rankings` makes of each day, to the last byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from itertools import product
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palmares import regulations as registry
from palmares.core.errors import Refused
from palmares.points import ledger, sweeps
from palmares.points.awards import Awards, Question
from palmares.points.kernels import sums
from palmares.points.kernels import sweeps as kernels
from palmares.points.rankings import Selection
from palmares.regulations import Decay, Sum, wbgf
from tests import slow
from tests.amounts import amount
from tests.random_awards import DAYS, QUESTIONS, START, Row, awards, seasons, selections

WBGF, SKIPPING, USBGF, DPTR = QUESTIONS


def day(after: int) -> date:
    return START + timedelta(days=after)


@pytest.fixture
def by_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything through compiled loops, in blocks of a few days."""
    monkeypatch.setattr(sums, "COMPILED_FROM", 0)
    monkeypatch.setattr(sums, "ADDED_FROM_ONCE_LOADED", 0)
    monkeypatch.setattr(kernels, "COMPILED_FROM", 0)
    monkeypatch.setattr(kernels, "WIDEST", 3)
    monkeypatch.setattr(kernels, "DAYS_AT_ONCE", 5)


def expected(made: Awards, course: sweeps.Sweep) -> Iterator[pl.DataFrame]:
    """Each day's list as rankings make it."""
    for one in course.days:
        asked = Selection(
            as_of=one,
            since=course.selection.since,
            until=course.selection.until,
            setting=course.selection.setting,
            kind=course.selection.kind,
            nation=course.selection.nation,
        )
        yield slow.rank(made, asked).frame


def alike(made: Awards, selection: Selection, days: int, top: int) -> None:
    """All four ways to look at a sweep say what each day's ranking says."""
    book = ledger.ledger(made)
    course = sweeps.sweep(book, selection.as_of, selection.as_of + timedelta(days), selection)
    whole, best, everybody = [], [], []
    names = ledger.player_names(book)["player_id"]
    for one, frame in zip(course.days, expected(made, course), strict=True):
        rows = [
            (one, rank, names.index_of(player), nanopoints)
            for rank, player, nanopoints in frame.select(
                "rank", "player_id", "nanopoints"
            ).iter_rows()
        ]
        whole.append(rows)
        best += [row for row in rows if row[1] <= top]
        of = {player: (one, player, points, rank) for _, rank, player, points in rows}
        everybody += [of.get(code, (one, code, 0, None)) for code in range(len(names))]
    for (one, found), rows in zip(sweeps.lists(course), whole, strict=True):
        players, ranks, points = (cells.tolist() for cells in found)
        listed = list(zip([one] * len(ranks), ranks, players, points, strict=True))
        assert listed == rows
    assert sweeps.tops(course, top).rows() == best
    assert sweeps.places(course, range(len(names))).rows() == everybody
    for block in sweeps.totals(course):
        assert block.totals.shape == (len(block.days), len(names))


class TestTheSameLists:
    @given(st.data(), seasons(), st.integers(0, 8), st.integers(0, 4))
    @settings(max_examples=amount(500))
    def test_of_any_awards(self, data: st.DataObject, made: Awards, days: int, top: int) -> None:
        alike(made, data.draw(selections(made.question)), days, top)

    @given(st.data(), seasons(), st.integers(0, 8), st.integers(0, 4))
    @settings(max_examples=amount(500), suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_by_compiled_loops(
        self, by_loops: None, data: st.DataObject, made: Awards, days: int, top: int
    ) -> None:
        alike(made, data.draw(selections(made.question)), days, top)

    @pytest.mark.parametrize("question", [WBGF, SKIPPING])
    @pytest.mark.parametrize("compiled", [False, True])
    def test_over_a_leap_day_and_the_last_days_of_results(
        self, request: pytest.FixtureRequest, question: Question, compiled: bool
    ) -> None:
        if compiled:
            request.getfixturevalue("by_loops")
        rows = [Row(n % 3, n, 10**9 + n) for n in range(20)]
        for start in (0, 1085):
            alike(awards(question, rows), Selection(as_of=day(start)), 30, 2)


def moved_on(question: Question) -> bool:
    """Whether a sweep over some awards needs no day valued by itself."""
    editions = {"usbgf": "2015-05", "dptr": "2019-10"}
    kinds = {"usbgf": "match", "dptr": "rating"}
    regulation = question.regulation
    edition = editions.get(regulation, "undated")
    kind = kinds.get(regulation, "performance")
    rows = [Row(0, n, 5, edition, "live", kind) for n in (0, 7, 9, 400)]
    course = sweeps.sweep(ledger.ledger(awards(question, rows)), day(0), day(1500))
    return course.shape is not None


def fading(monkeypatch: pytest.MonkeyPatch, fade: Any) -> None:
    """Let results of the wbgf fade otherwise."""
    changed = replace(wbgf.REGULATION, aggregate=Sum(decay=Decay(left=fade)))
    others = [one for one in registry.REGULATIONS if one.name != "wbgf"]
    monkeypatch.setattr(registry, "REGULATIONS", (changed, *others))


class TestShape:
    @pytest.mark.parametrize("question", QUESTIONS)
    def test_our_regulations_are_moved_on_from_day_to_day(self, question: Question) -> None:
        assert moved_on(question)

    @pytest.mark.parametrize(
        "fade",
        [
            lambda rules, effective, day: (max(0, 9 - (day - effective).days // 2), 9),
            lambda rules, effective, day: (max(0, 9 - (day - effective).days) ** 2, 81),
            lambda rules, effective, day: (9 - (day - effective).days % 10, 9),
            lambda rules, effective, day: (5, 9 + (day - effective).days),
            lambda rules, effective, day: (2, 3) if effective.day % 2 else (1, day.day),
            lambda rules, effective, day: (
                max(0, (30 if effective == START else 5) - (day - effective).days),
                30,
            ),
        ],
        ids=[
            "every other day",
            "curved",
            "coming back",
            "parts of days",
            "parts of some",
            "shorter later",
        ],
    )
    @pytest.mark.parametrize("compiled", [False, True])
    def test_results_may_fade_otherwise(
        self, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, fade: Any,
        compiled: bool,
    ) -> None:  # fmt: skip
        if compiled:
            request.getfixturevalue("by_loops")
        fading(monkeypatch, fade)
        assert not moved_on(WBGF)
        rows = [Row(n % 3, n % 7, 10**9 + n) for n in range(9)]
        alike(awards(WBGF, rows), Selection(as_of=day(0)), 25, 2)

    def test_nothing_ends_before_it_begins_even_what_is_left_out(self) -> None:
        """A loop that looked for such a day would look outside its arrays."""
        rows = [Row(0, 5, 1, setting="online"), Row(0, 9, 1)]
        asked = Selection(as_of=day(0), setting="live")
        shape = sweeps.sweep(ledger.ledger(awards(WBGF, rows)), day(0), day(12), asked).shape
        assert shape is not None
        assert shape.counts.tolist() == [0, 1]
        assert (shape.past >= shape.first).all()

    def test_editions_may_differ_in_length(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fade(rules: Any, effective: date, day: date) -> tuple[int, int]:
            whole = 10 if effective < START + timedelta(days=3) else 5
            return max(0, whole - (day - effective).days), whole

        fading(monkeypatch, fade)
        rows = [Row(n % 3, n, 10**9 + n) for n in range(9)]
        alike(awards(WBGF, rows), Selection(as_of=day(0)), 20, 2)

    def test_a_rating_that_counts_from_later_than_the_next_one(self) -> None:
        rows = [Row(0, 9, 50, "2019-10", "live", "rating"), Row(0, 3, 40, "2019-10", kind="rating")]
        made = awards(DPTR, rows)
        assert sweeps.sweep(ledger.ledger(made), day(0), day(12)).shape is None
        alike(made, Selection(as_of=day(0)), 12, 1)

    @pytest.mark.parametrize("question", [WBGF, DPTR])
    @pytest.mark.parametrize("compiled", [False, True])
    def test_sums_too_great_to_move_on(
        self, request: pytest.FixtureRequest, question: Question, compiled: bool
    ) -> None:
        if compiled:
            request.getfixturevalue("by_loops")
        edition, kind = ("2019-10", "rating") if question is DPTR else ("undated", "performance")
        rows = [Row(n % 3, n, 3 * 10**18 - n, edition, "live", kind) for n in range(6)]
        made = awards(question, [*rows, Row(4, 2, -9, edition, "live", kind)])
        assert sweeps.sweep(ledger.ledger(made), day(0), day(9)).shape is None
        alike(made, Selection(as_of=day(0)), 9, 2)


class TestByHand:
    """Ada wins 1095 on day 0 and 2190 on day 2, Ben 1094 on day 1: each loses 1/1095 a day."""

    COURSE = sweeps.sweep(
        ledger.ledger(awards(WBGF, [Row(0, 0, 1095), Row(1, 1, 1095 * 2), Row(0, 2, 2190)])),
        day(0) - timedelta(days=1),
        day(3),
    )

    def test_totals(self) -> None:
        (block,) = sweeps.totals(self.COURSE)
        floor = block.floor
        assert [
            [one / 1095 if one > floor else None for one in row] for row in block.totals.tolist()
        ] == [
            [None, None],
            [1095, None],
            [1094, 2190],
            [1093 + 2190, 2188],
            [1092 + 2188, 2186],
        ]

    def test_places(self) -> None:
        assert sweeps.places(self.COURSE, [1]).rows() == [
            (day(-1), 1, 0, None),
            (day(0), 1, 0, None),
            (day(1), 1, 2190, 1),
            (day(2), 1, 2188, 2),
            (day(3), 1, 2186, 2),
        ]

    def test_tops(self) -> None:
        assert sweeps.tops(self.COURSE, 1).rows() == [
            (day(0), 1, 0, 1095),
            (day(1), 1, 1, 2190),
            (day(2), 1, 0, 3283),
            (day(3), 1, 0, 3280),
        ]

    def test_more_ties_than_the_top_has_places(self, by_loops: None) -> None:
        rows = [Row(n, 0, 7) for n in range(6)]
        course = sweeps.sweep(ledger.ledger(awards(WBGF, rows)), day(0), day(1))
        expected = [(day(n), 1, player, 7) for n, player in product(range(2), range(6))]
        assert sweeps.tops(course, 1).rows() == expected

    def test_nobody_is_asked_for(self) -> None:
        assert sweeps.places(self.COURSE, []).is_empty()

    def test_the_last_day_is_before_the_first(self) -> None:
        with pytest.raises(Refused, match="is after the last"):
            sweeps.sweep(self.COURSE.book, day(3), day(2))


@given(seasons((WBGF,)), DAYS)
@settings(max_examples=amount(500))
def test_blocks_hold_the_totals_of_their_days(made: Awards, start: int) -> None:
    course = sweeps.sweep(ledger.ledger(made), day(start), day(start + 9))
    blocks = list(sweeps.totals(course))
    assert tuple(one for block in blocks for one in block.days) == course.days
    assert all(block.totals.dtype in (np.int64, object) for block in blocks)
