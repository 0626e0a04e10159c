"""
Lists of awards that are kept.

    ranking     the list of a day; the same as of all awards at once
    places      the same without names: who has which rank
    nation_list the list of nations; the same
    effective   the days from which awards count
    by_event    whether lists of nations need more than is kept
"""

from __future__ import annotations

import numpy as np
import polars as pl

from palmares import awards, ledgers, rankings
from palmares.award_rows import SCHEMA
from palmares.awarded import Awarded
from palmares.awarded_rows import is_fold, summed
from palmares.awards import Question
from palmares.empty_lists import evidence
from palmares.facts import nations
from palmares.kernels import sums
from palmares.kernels.rows import Array
from palmares.rankings import PLAYER_KEYS, Ranking, Selection
from palmares.results import WITHHELD

PLACES = ("player_id", "rank", "nanopoints")


def ranking(given: Awarded, selection: Selection, top: int | None = None) -> Ranking:
    """Players ranked by what their awards are worth on a day.

    Args:
        given: of one regulation.
        selection: the day and what else decides which awards count.
        top: only ranks up to this one.

    Raises:
        Refused: the regulation has no such kind of points.
    """
    question = given.question
    rankings.refuse_nonsense(question, selection, "player")
    if selection.nation and by_event(question):
        whole = awards.award(question, given.projection.facts, terms=False)
        return rankings.rank(whole, selection, top=top)
    numbers, totals, parts = _those_who_count(given, selection, top)
    theirs, frame = _by_name(given, numbers, totals)
    order, ranks, nanopoints = sums.ordered(
        theirs, parts, latest=is_fold(given.question), compiled=False
    )
    frame = frame[order].with_columns(rankings.ranked(ranks, nanopoints))
    if top is not None:
        frame = frame.filter(pl.col("rank") <= top)
    return Ranking(
        question=question,
        selection=selection,
        by="player",
        frame=frame,
        notices=given.notices,
        waiting=rankings.entering(question, selection, given.waiting),
    )


def places(given: Awarded, selection: Selection) -> pl.DataFrame:
    """The ranks of everybody on a list; whoever shares one stands in no order.

    Args:
        given: of one regulation.
        selection: the day and what else decides which awards count.

    Returns:
        player_id, rank and nanopoints (Int64), as `ranking` has them.

    Raises:
        Refused: the regulation has no such kind of points.
    """
    if selection.nation and by_event(given.question):
        return ranking(given, selection).frame.select(PLACES)
    rankings.refuse_nonsense(given.question, selection, "player")
    numbers, totals, parts = _those_who_count(given, selection, None)
    order, ranks, nanopoints = sums.ordered(
        totals, parts, latest=is_fold(given.question), compiled=False
    )
    ids = given.names.players["player_id"].gather(numbers[order])
    return pl.DataFrame([ids, *rankings.ranked(ranks, nanopoints)])


def nation_list(given: Awarded, selection: Selection, top: int | None = None) -> Ranking:
    """Nations ranked by what the awards of their players are worth on a day.

    Args:
        given: of one regulation.
        selection: the day and what else decides which awards count.
        top: only ranks up to this one.

    Raises:
        Refused: the regulation has no such kind of points, or makes no sums over a nation.
    """
    question = given.question
    rankings.refuse_nonsense(question, selection, "nation")
    if by_event(question):
        whole = awards.award(question, given.projection.facts, terms=False)
        return rankings.rank(whole, selection, by="nation", top=top)
    numbers, sums_of_all, parts = _those_who_count(given, selection, None)
    theirs, frame = _by_name(given, numbers, sums_of_all)
    totals = frame.with_columns(
        pl.Series("weight", theirs.tolist(), dtype=pl.Int128),
        pl.lit(parts, pl.Int64).alias("parts"),
    )
    return rankings.listed(
        question,
        selection,
        totals,
        by="nation",
        top=top,
        notices=given.notices,
        waiting=given.waiting,
    )


def effective(given: Awarded) -> pl.Series:
    """The days from which awards put somebody on a list, each once."""
    rows = _rows(given)
    if not is_fold(given.question):  # 0 points put nobody on a list
        rows = rows.filter(pl.col("nanopoints") > 0)
    return _stamps(given, rows)["effective"].unique()


def found_evidence(given: Awarded) -> pl.DataFrame:
    """What `palmares.empty_lists` looks at, of awards that are kept."""
    return evidence(given.question, given.projection.facts, _stamps(given, _rows(given)))


def _rows(given: Awarded) -> pl.DataFrame:
    """Stamp and nanopoints of every award in force."""
    newer = pl.Series(given.newer.players)
    below = given.rows.rows.filter(~pl.col("player").is_in(newer.implode()))
    return pl.concat([one.select("stamp", "nanopoints") for one in (below, given.newer.rows)])


def _stamps(given: Awarded, rows: pl.DataFrame) -> pl.DataFrame:
    """What some awards have in common, each once; stamps of what was withdrawn are no awards."""
    return given.names.stamps.select(pl.all().gather(rows["stamp"].unique()))


def by_event(question: Question) -> bool:
    """Whether a nation keeps the points that were won under it, which only the facts tell."""
    at_event = getattr(question.held().load(), "nation_at_event", None)
    return at_event is not None and at_event(question.rulebook().all[-1])


def _those_who_count(
    given: Awarded, selection: Selection, top: int | None
) -> tuple[Array, Array, int]:
    """The numbers of players, their totals, and over how many parts; beyond *top* not all."""
    book = ledgers.Ledger(
        question=given.question,
        players=None,
        stamps=given.names.stamps,
        rows=given.rows.arrays,
        reach=given.rows.reach,
    )
    weights, parts = ledgers.weights(book, selection)
    many = len(given.names.players)
    totals = summed(given.rows, given.newer, many, weights, latest=book.latest)
    counting = totals != sums.absent(totals)
    if selection.nation:
        people = given.projection.tables["players"]
        own = people.filter(pl.col("nation") == nations.nation(selection.nation))
        counting &= given.names.players["player_id"].is_in(own["player_id"].implode()).to_numpy()
    numbers = np.flatnonzero(counting)
    theirs = totals[numbers]
    if top is not None and top < len(theirs):
        least = -np.partition(-theirs, top - 1)[top - 1] - sums.tied(theirs, parts)
        numbers, theirs = numbers[theirs >= least], theirs[theirs >= least]
    return numbers, theirs, parts


def _by_name(given: Awarded, numbers: Array, theirs: Array) -> tuple[Array, pl.DataFrame]:
    """Totals by name and id, and whose they are."""
    shown = given.projection.tables["players"].select(
        "player_id",
        pl.when(pl.col("withheld").fill_null(value=False))
        .then(pl.lit(WITHHELD))
        .otherwise("name")
        .alias("player"),
        "nation",
    )
    frame = (
        given.names.players[numbers]
        .with_row_index("place")
        .join(shown, on="player_id", how="left", maintain_order="left")
        .sort("player", "player_id")
    )
    columns = [name for name in PLAYER_KEYS if name in SCHEMA or name == "nation"]
    return theirs[frame["place"].to_numpy()], frame.select(columns)
