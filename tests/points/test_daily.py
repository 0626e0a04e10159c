"""Day by day: the lists that `palmares.points.rankings` makes of each day, to the last byte."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from palmares import regulations as registry
from palmares.points import history, ledger
from palmares.points.awards import Awards, Question
from palmares.points.kernels import sums
from palmares.points.rankings import Selection
from palmares.regulations import Decay, Sum, wbgf
from tests.amounts import amount
from tests.points import slow
from tests.points.random_awards import QUESTIONS, START, Row, awards, seasons, selections

WBGF, SKIPPING, USBGF, DPTR = QUESTIONS


def daily_lists(
    book: ledger.Ledger,
    days: list[date],
    top: int | None = None,
    selection: Selection | None = None,
) -> list[tuple[date, ledger.RankedRows]]:
    """The list of each day, or its top, from the totals that move on."""
    return [
        (totals.day, ledger.order_totals(totals.exact, totals.parts, top, latest=book.latest))
        for totals in history.daily_totals(book, days, selection)
    ]


def day(after: int) -> date:
    return START + timedelta(days=after)


def expected(made: Awards, days: Sequence[date], selection: Selection) -> Iterator[pl.DataFrame]:
    """Each day's list as rankings make it."""
    for one in days:
        yield slow.rank(made, replace(selection, as_of=one)).frame


def alike(made: Awards, selection: Selection, many: int, top: int, step: int = 1) -> None:
    """Lists, tops and places of a sweep are those of each day's ranking."""
    book = ledger.ledger(made)
    days = [selection.as_of + timedelta(after) for after in range(0, many + 1, step)]
    whole, everybody = [], []
    names = book.players["player_id"]
    for one, frame in zip(days, expected(made, days, selection), strict=True):
        rows = [
            (one, rank, names.index_of(player), nanopoints)
            for rank, player, nanopoints in frame.select(
                "rank", "player_id", "nanopoints"
            ).iter_rows()
        ]
        whole.append(rows)
        of = {player: (one, player, points, rank) for _, rank, player, points in rows}
        everybody += [of.get(code, (one, code, 0, None)) for code in range(len(names))]
    for least in (None, top):
        for (one, found), rows in zip(
            daily_lists(book, days, least, selection), whole, strict=True
        ):
            players, ranks, points = (cells.tolist() for cells in found)
            listed = list(zip([one] * len(ranks), ranks, players, points, strict=True))
            assert listed == [row for row in rows if least is None or row[1] <= least]
    assert history.daily_ranks(book, days, range(len(names)), selection).rows() == everybody
    assert [found.day for found in history.daily_totals(book, days, selection)] == days


class TestTheSameLists:
    @given(st.data(), seasons(), st.integers(0, 8), st.integers(0, 4), st.integers(1, 3))
    @settings(max_examples=amount(500))
    def test_of_any_awards(
        self, data: st.DataObject, made: Awards, days: int, top: int, step: int
    ) -> None:
        alike(made, data.draw(selections(made.question)), days, top, step)

    @pytest.mark.parametrize("question", [WBGF, SKIPPING])
    def test_over_a_leap_day_and_the_last_days_of_results(self, question: Question) -> None:
        rows = [Row(n % 3, n, 10**9 + n) for n in range(20)]
        for start in (0, 1085):
            alike(awards(question, rows), Selection(as_of=day(start)), 30, 2)


def between(first: date, last: date) -> list[date]:
    """All days from a first to a last one."""
    return [first + timedelta(after) for after in range((last - first).days + 1)]


def revalued(book: ledger.Ledger, days: Sequence[date], monkeypatch: pytest.MonkeyPatch) -> int:
    """On how many of some days all awards are valued anew."""
    calls: list[object] = []

    def counted(*given: Any, **more: Any) -> Any:
        calls.append(given)
        return totals(*given, **more)

    totals = sums.totals
    monkeypatch.setattr(sums, "totals", counted)
    list(history.daily_totals(book, days))
    return len(calls) // 2  # totals and slopes


def fading(monkeypatch: pytest.MonkeyPatch, fade: Any) -> None:
    """Let results of the wbgf fade otherwise."""
    changed = replace(wbgf.REGULATION, aggregate=Sum(decay=Decay(left=fade)))
    others = [one for one in registry.REGULATIONS if one.name != "wbgf"]
    monkeypatch.setattr(registry, "REGULATIONS", (changed, *others))


class TestFading:
    @pytest.mark.parametrize("question", QUESTIONS)
    def test_our_regulations_are_moved_on_from_day_to_day(
        self, question: Question, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        editions = {"usbgf": "2015-05", "dptr": "2019-10"}
        kinds = {"usbgf": "match", "dptr": "rating"}
        regulation = question.regulation
        edition = editions.get(regulation, "undated")
        kind = kinds.get(regulation, "performance")
        rows = [Row(0, n, 5, edition, "live", kind) for n in (0, 7, 9, 400)]
        book = ledger.ledger(awards(question, rows))
        assert revalued(book, between(day(0), day(1500)), monkeypatch) <= (
            4 if question is DPTR else 2
        )

    @pytest.mark.parametrize(
        "fade",
        [
            lambda rules, effective, day: (max(0, 9 - (day - effective).days // 2), 9),
            lambda rules, effective, day: (max(0, 9 - (day - effective).days) ** 2, 81),
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
            "parts of days",
            "parts of some",
            "shorter later",
        ],
    )
    def test_results_may_fade_otherwise(self, monkeypatch: pytest.MonkeyPatch, fade: Any) -> None:
        fading(monkeypatch, fade)
        rows = [Row(n % 3, n % 7, 10**9 + n) for n in range(9)]
        alike(awards(WBGF, rows), Selection(as_of=day(0)), 25, 2)

    def test_editions_may_differ_in_length(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def fade(rules: Any, effective: date, day: date) -> tuple[int, int]:
            whole = 10 if effective < START + timedelta(days=3) else 5
            return max(0, whole - (day - effective).days), whole

        fading(monkeypatch, fade)
        rows = [Row(n % 3, n, 10**9 + n) for n in range(9)]
        alike(awards(WBGF, rows), Selection(as_of=day(0)), 20, 2)

    def test_a_rating_that_counts_from_later_than_the_next_one(self) -> None:
        rows = [Row(0, 9, 50, "2019-10", "live", "rating"), Row(0, 3, 40, "2019-10", kind="rating")]
        alike(awards(DPTR, rows), Selection(as_of=day(0)), 12, 1)

    @pytest.mark.parametrize("question", [WBGF, DPTR])
    def test_sums_too_great_for_64_bits(self, question: Question) -> None:
        edition, kind = ("2019-10", "rating") if question is DPTR else ("undated", "performance")
        rows = [Row(n % 3, n, 3 * 10**18 - n, edition, "live", kind) for n in range(6)]
        made = awards(question, [*rows, Row(4, 2, -9, edition, "live", kind)])
        alike(made, Selection(as_of=day(0)), 9, 2)


class TestByHand:
    """Ada wins 1095 on day 0 and 2190 on day 2, Ben 1094 on day 1: each loses 1/1095 a day."""

    BOOK = ledger.ledger(awards(WBGF, [Row(0, 0, 1095), Row(1, 1, 1095 * 2), Row(0, 2, 2190)]))
    DAYS = between(day(-1), day(3))

    def test_totals(self) -> None:
        found = [
            [total / 1095 for total in one.exact]
            for one in history.daily_totals(self.BOOK, self.DAYS)
        ]
        assert found == [
            [0, 0],
            [1095, 0],
            [1094, 2190],
            [1093 + 2190, 2188],
            [1092 + 2188, 2186],
        ]

    def test_places(self) -> None:
        assert history.daily_ranks(self.BOOK, self.DAYS, [1]).rows() == [
            (day(-1), 1, 0, None),
            (day(0), 1, 0, None),
            (day(1), 1, 2190, 1),
            (day(2), 1, 2188, 2),
            (day(3), 1, 2186, 2),
        ]

    def test_tops(self) -> None:
        found = [
            (one, *(cells.tolist() for cells in top))
            for one, top in daily_lists(self.BOOK, self.DAYS, 1)
        ]
        assert found == [
            (day(-1), [], [], []),
            (day(0), [0], [1], [1095]),
            (day(1), [1], [1], [2190]),
            (day(2), [0], [1], [3283]),
            (day(3), [0], [1], [3280]),
        ]

    def test_more_ties_than_the_top_has_places(self) -> None:
        rows = [Row(n, 0, 7) for n in range(6)]
        book, days = ledger.ledger(awards(WBGF, rows)), [day(0), day(1)]
        assert [top.players.tolist() for _, top in daily_lists(book, days, 1)] == [[*range(6)]] * 2

    def test_nobody_is_asked_for(self) -> None:
        assert history.daily_ranks(self.BOOK, self.DAYS, []).is_empty()

    def test_no_days(self) -> None:
        assert history.daily_ranks(self.BOOK, [], [1]).is_empty()
