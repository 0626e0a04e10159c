"""Awards by player: the same lists as `palmares.points.rankings` makes, to the last byte."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.errors import Refused
from palmares.points import ledger
from palmares.points.awards import Awards, Question, award
from palmares.points.rankings import Selection
from tests import season
from tests.packages import rated
from tests.points import slow
from tests.points.random_awards import NAMES, QUESTIONS, START, Row, awards, seasons, selections

M = 10**6  # nanopoints: a thousandth of a point
WBGF = QUESTIONS[0]
DPTR = QUESTIONS[3]
AT_EVENT = Question(regulation="wbgf", chosen={"W17": "at-event"})


def alike(made: Awards, selection: Selection, top: int | None = None) -> None:
    found = ledger.ranking(ledger.ledger(made), selection, top)
    expected = slow.rank(made, selection, top=top)
    assert found.frame.equals(expected.frame, null_equal=True)
    assert found.frame.schema == expected.frame.schema
    assert (found.question, found.selection, found.by, found.notices) == (
        expected.question,
        expected.selection,
        expected.by,
        expected.notices,
    )


class TestOneAfterAnother:
    """A ledger keeps the totals of its latest list."""

    @given(st.data(), seasons())
    def test_lists_of_any_days(self, data: st.DataObject, made: Awards) -> None:
        book = ledger.ledger(made)
        for selection in data.draw(st.lists(selections(made.question), min_size=2, max_size=5)):
            for _ in range(2):
                found = ledger.ranking(book, selection).frame
                assert found.equals(slow.rank(made, selection).frame, null_equal=True)

    @given(st.data(), seasons())
    def test_ranks_by_number_are_those_of_the_list(self, data: st.DataObject, made: Awards) -> None:
        book, selection = ledger.ledger(made), data.draw(selections(made.question))
        by_number = ledger.ranks_by_number(book, selection).tolist()
        found = dict(zip(book.players["player_id"], by_number, strict=True))
        expected = slow.rank(made, selection).frame.select("player_id", "rank").iter_rows()
        assert {player: rank for player, rank in found.items() if rank} == dict(expected)

    def test_a_class_more_and_totals_too_great_for_64_bits(self) -> None:
        columns = {"player": [0, 1, 1], "award_class": [0, 0, 1], "nanopoints": [7, 2, 3]}
        kept = ledger.player_rows(np.arange(2), pl.DataFrame(columns))
        for weights, reach, expected in (
            ([1, 2], 9, [7, 8]),
            ([1, 2, 5], 9, [7, 8]),  # the class 2 is of other players
            ([1, 2], 2**62, [7, 8]),
            ([1, 0], 9, [7, 2]),
        ):
            found = kept.totals(np.array(weights), latest=False, reach=reach)
            assert found.tolist() == expected
            assert (found.dtype == object) == (reach == 2**62)


class TestTheSameList:
    @given(st.data(), seasons(), st.none() | st.integers(0, 4))
    def test_of_any_awards(self, data: st.DataObject, made: Awards, top: int | None) -> None:
        alike(made, data.draw(selections(made.question)), top)

    @given(st.data(), seasons((*QUESTIONS[:3], AT_EVENT)), st.none() | st.integers(0, 4))
    def test_of_nations(self, data: st.DataObject, made: Awards, top: int | None) -> None:
        """Points move with the player, or stay with the nation that they were won under (W17)."""
        selection = data.draw(selections(made.question))
        found = ledger.rank(made, selection, by="nation", top=top)
        expected = slow.rank(made, selection, by="nation", top=top)
        assert found.frame.sort("nation").equals(expected.frame.sort("nation"), null_equal=True)
        assert found.notices == expected.notices
        alike(made, selection, top)

    @pytest.mark.parametrize("regulation", ["wbgf", "usbgf", "dptr"])
    @pytest.mark.parametrize("day", ["2018-06-30", "2020-02-29", "2021-12-31"])
    def test_of_a_season(self, tmp_path: Path, regulation: str, day: str) -> None:
        facts = rated(season.written(season.season(4), tmp_path / "p"))
        made = award(Question(regulation=regulation), facts)
        alike(made, Selection(as_of=date.fromisoformat(day)))


class TestSortedByPlayer:
    """By player, then by class; of a rating, a player's rows in the order given."""

    @pytest.mark.parametrize("question", [WBGF, DPTR])
    @pytest.mark.parametrize(("players", "classes"), [(1, 1), (37, 11), (3000, 700)])
    def test_as_python_sorts(self, question: Question, players: int, classes: int) -> None:
        rng = np.random.default_rng(players)
        rows = pl.DataFrame(
            {
                "player": rng.integers(0, players, 2000, np.uint32),
                "award_class": rng.integers(0, classes, 2000, np.uint32),
                "nanopoints": rng.integers(-M, M, 2000),
            }
        )
        for given_rows in (rows, rows.sort("award_class"), rows[:0]):
            found = ledger.sorted_by_player(question, given_rows, players)
            key = itemgetter(0) if question.aggregate.latest else itemgetter(0, 1)
            expected = sorted(given_rows.rows(), key=key)
            assert found.frame.rows() == expected
            assert found.frame.schema == given_rows.schema
            most = max(
                (sum(abs(each) for *_, each in group)
                 for _, group in groupby(expected, key=itemgetter(0))),
                default=0,
            )  # fmt: skip
            assert most <= found.reach <= most * 1.00001 + 2
            assert found.players.tolist() == list(range(players))


class TestByHand:
    """Three results of 1.095, 0.73 and 0.365 points, 0, 365 and 1000 days ago."""

    BOOK = ledger.ledger(
        awards(
            WBGF,
            [Row(0, 1000, 1095 * M), Row(1, 635, 730 * M), Row(1, 0, 365 * M), Row(2, 1001, 9)],
        )
    )

    def test_what_is_left(self) -> None:
        found = ledger.rank_rows(self.BOOK, Selection(as_of=START + timedelta(days=1000)))
        left = (730 * 730 + 365 * 95) * M / 1095  # 0.51833 points
        assert found.players.tolist() == [0, 1]
        assert found.ranks.tolist() == [1, 2]
        assert found.nanopoints.tolist() == [1095 * M, round(left)]

    def test_nothing_won_is_no_place(self) -> None:
        """W20; what is more than nothing is one, even if it is shown as nothing."""
        book = ledger.ledger(awards(WBGF, [Row(0, 0, 0), Row(1, 0, 1), Row(2, 9, 5)]))
        for after, nanopoints in ((0, 1), (1094, 0)):
            asked = Selection(as_of=START + timedelta(days=after), until=START)
            found = ledger.rank_rows(book, asked)
            assert [one.tolist() for one in found] == [[1], [1], [nanopoints]]

    def test_a_rating_of_nothing_is_a_place(self) -> None:
        """D9: whoever has a rating is on the list."""
        book = ledger.ledger(awards(DPTR, [Row(0, 0, 0, "2019-10"), Row(1, 9, 9, "2019-10")]))
        found = ledger.rank_rows(book, Selection(as_of=START))
        assert [one.tolist() for one in found] == [[0], [1], [0]]

    def test_a_rating_replaces_the_one_before(self) -> None:
        book = ledger.ledger(
            awards(
                DPTR,
                [Row(0, 0, 50, "2019-10"), Row(0, 9, 40, "2019-10"), Row(1, 1, 45, "2019-10")],
            )
        )
        lists = [ledger.rank_rows(book, Selection(as_of=START + timedelta(n))) for n in (0, 8, 9)]
        assert [one.players.tolist() for one in lists] == [[0], [0, 1], [1, 0]]
        assert [one.nanopoints.tolist() for one in lists] == [[50], [50, 45], [45, 40]]

    def test_players_stand_by_name_and_id(self) -> None:
        book = ledger.ledger(awards(WBGF, [Row(n, 0, 7) for n in (4, 2, 1, 0)]))
        assert book.players["player_id"].to_list() == ["p0", "p1", "p2", "p4"]
        assert book.code("p2") == 2

    def test_of_no_awards(self) -> None:
        book = ledger.ledger(awards(WBGF, []))
        assert ledger.ranking(book, Selection(as_of=START)).frame.is_empty()


class TestGreatSums:
    """Where nanopoints times days left come to more than 64 bits hold."""

    @pytest.mark.parametrize("question", QUESTIONS)
    def test_they_are_exact(self, question: Question) -> None:
        edition, kind = {"wbgf": ("undated", "performance"), "dptr": ("2019-10", "rating")}.get(
            question.regulation, ("2019-01", "match")
        )
        great = 10**18
        rows = [Row(n % 3, n, great + n, edition, "live", kind) for n in range(6)]
        rows += [Row(3, 2, -great, edition, "live", kind), Row(4, 2, 0, edition, "live", kind)]
        alike(awards(question, rows), Selection(as_of=START + timedelta(days=5)))


class TestRows:
    def test_a_player_s_rows_come_by_time(self) -> None:
        book = ledger.ledger(awards(WBGF, [Row(1, 10, 10), Row(0, 0, 20), Row(1, 0, 30)]))
        assert book.rows.begin.tolist() == [0, 1]
        assert book.rows.end.tolist() == [1, 3]
        assert book.rows.award_classes.tolist() == [0, 0, 1]
        assert book.rows.nanopoints.tolist() == [20, 30, 10]


class TestRefused:
    BOOK = ledger.ledger(awards(WBGF, [Row(0, 0, 1)]))

    def test_what_the_regulation_does_not_have(self) -> None:
        for asked in (
            Selection(as_of=START, kind="match"),
            Selection(as_of=START, setting="indoor"),
            Selection(as_of=START, nation="XYZ"),
        ):
            with pytest.raises(Refused):
                ledger.rank_rows(self.BOOK, asked)

    def test_a_player_without_awards(self) -> None:
        with pytest.raises(Refused, match="pq has no awards under wbgf"):
            self.BOOK.code("pq")


def test_the_made_up_players_are_known_to_the_tests() -> None:
    made = awards(WBGF, [Row(n, 0, 1) for n in range(len(NAMES))])
    assert len(ledger.ledger(made).players) == len(NAMES)
