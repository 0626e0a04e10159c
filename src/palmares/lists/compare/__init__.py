"""Compare a printed list with ours, and explain each difference that the facts can explain."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import polars as pl

from palmares.core.errors import Problem
from palmares.facts import Facts
from palmares.formats.printed_lists import PrintedList
from palmares.lists.compare.causes import FOLLOWS, HARMLESS
from palmares.lists.compare.matching import match_rows
from palmares.lists.compare.our_list import OurList, our_list
from palmares.lists.compare.rows import Row, rows, rows_frame, side_by_side
from palmares.points.awards import Question, Waiting, award
from palmares.points.rankings import Selection, entering, refuse_nonsense


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A printed list and ours, compared."""

    question: Question  #: of our list
    selection: Selection  #: of our list
    printed: PrintedList
    ours: OurList
    rows: tuple[Row, ...]  #: their lines in order, then the players only on our list
    notices: tuple[Problem, ...]
    waiting: tuple[Waiting, ...]  #: events that are missing in our list

    def published(self) -> pl.DataFrame:
        """A row for each player: status, ranks and points of both lists, cause and detail."""
        return rows_frame(self.rows)

    @property
    def agrees(self) -> bool:
        """Whether their list is the same as ours, down to its end."""
        return not any(row.matters for row in self.rows)


def compare(
    question: Question, facts: Facts, selection: Selection, printed: PrintedList
) -> Comparison:
    """Compare a printed list with ours.

    Args:
        question: the regulation, edition and readings.
        facts: checked facts.
        selection: the day, and which awards count.
        printed: their list.

    Raises:
        Refused: the regulation has no such list.
        FactsRejected: facts are missing that a formula needs.
    """
    refuse_nonsense(question, selection, "player")
    awards = award(question, facts, terms=False)
    matches = match_rows(printed.rows, facts, set(awards.frame["player_id"]))
    lines = [
        (match.player_id, row)
        for row, match in zip(printed.rows, matches, strict=True)
        if match.player_id
    ]
    ours = our_list(awards, selection, lines, printed.places)
    sides = side_by_side(printed, matches, facts, awards, selection, ours)
    return Comparison(
        question=question,
        selection=selection,
        printed=printed,
        ours=ours,
        rows=tuple(rows(sides)),
        notices=awards.notices,
        waiting=entering(question, selection, awards.waiting),
    )


def tally(comparison: Comparison) -> Counter[str]:
    """How many players have each status; `HARMLESS` and `FOLLOWS` are counted apart."""
    return Counter(
        row.cause if row.cause in (HARMLESS, FOLLOWS) else row.status for row in comparison.rows
    )
