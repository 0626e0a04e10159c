"""
Rules of a ranking: which awards count, what each is worth on a day, and how totals get ranks.

Whole lists are made from a ledger (`palmares.points.ledger`); ties of a tournament's own standings
are elsewhere (`palmares.bridge.standings`).

Sums are whole numbers of nanopoints times days left, so no order of rows can change them; they are
divided by the days once, for output. A rank is one more than the number of those whose exact sum is
higher by more than a millionth of a point, so that equal results share it. On a list are those
whose exact sum is above 0, and of a rating those who have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from math import lcm

import numpy as np
import polars as pl
from msgspec import Struct

from palmares.core.errors import Location, Problem, Refused, brief
from palmares.core.messages import LocalNumber, hint, msg, plural
from palmares.facts import codes
from palmares.points.award_table import POINTS
from palmares.points.awards import Question, Waiting
from palmares.points.kernels import sums
from palmares.points.kernels.sums import Array
from palmares.regulations.protocol import Aggregate

PLAYER_KEYS = ("rank", "player_id", "player", "nation", "points")
NATION_KEYS = ("rank", "nation", "points", "players")
TOTAL = "total"


class Selection(Struct, frozen=True, kw_only=True):
    """Which awards a ranking counts."""

    as_of: date
    since: date | None = None  # effective on this day or later
    until: date | None = None  # effective on this day or earlier
    setting: str | None = None  # live | online; none: both
    kind: str = TOTAL  # one kind of points, or their sum
    nation: str | None = None  # only players of this nation
    divisions: tuple[int, ...] = ()  # of which divisions, 1 the highest; none: all

    def __post_init__(self) -> None:
        """Refuse a time that ends before it begins, in which nothing can count."""
        if self.since is not None and self.until is not None and self.since > self.until:
            raise Refused(
                msg(
                    "Since %(since)s is after until %(until)s: no day is between them. Exchange the"
                    " two, or correct one.",
                    since=LocalNumber(self.since.isoformat()),
                    until=LocalNumber(self.until.isoformat()),
                )
            )

    @property
    def last_day(self) -> date:
        """The last day of results that count."""
        return min(self.as_of, self.until) if self.until else self.as_of

    def apply(self, awards: pl.DataFrame) -> pl.DataFrame:
        """The awards that count."""
        return awards.filter(self.counts())

    def counts(self) -> pl.Expr:
        """Whether an award counts."""
        counts = pl.col("effective") <= self.last_day
        if self.since:
            counts &= pl.col("effective") >= self.since
        if self.setting:
            counts &= pl.col("setting") == self.setting
        if self.kind != TOTAL:
            counts &= pl.col("kind") == self.kind
        if self.divisions:
            counts &= pl.col("division").is_in(self.divisions)
        return counts


class RankedList(Struct, frozen=True, kw_only=True):
    """A list of a day; equal results share a rank and the next ranks are skipped."""

    question: Question
    selection: Selection
    frame: pl.DataFrame
    notices: tuple[Problem, ...] = ()
    waiting: tuple[Waiting, ...] = ()  # events that it would count if they could be used
    empty: tuple[Problem, ...] = ()  # why the list is empty


class Ranking(RankedList, frozen=True, kw_only=True):
    """A ranking of players or nations.

    ``frame`` has the columns of `PLAYER_KEYS` or `NATION_KEYS`, with ``nanopoints`` (Int64) in
    the place of ``points``.
    """

    by: str  # player | nation

    def published(self) -> pl.DataFrame:
        """The ranking as the contract names it, points as floats."""
        keys = PLAYER_KEYS if self.by == "player" else NATION_KEYS
        return self.frame.select(POINTS if key == "points" else pl.col(key) for key in keys)


def entering(
    question: Question, selection: Selection, waiting: Sequence[Waiting]
) -> tuple[Waiting, ...]:
    """The waiting events that a list would count if they could be used.

    Args:
        question: the regulation, and what was chosen.
        selection: the day of the list, and what else decides which awards count.
        waiting: every event that waits.
    """
    if not waiting:
        return ()
    return tuple(
        event
        for event in waiting
        if event.first <= selection.last_day
        and event.last >= (selection.since or event.last)
        and event.setting == (selection.setting or event.setting)
        and _may_be_left(question, event, selection.as_of)
    )


def _may_be_left(question: Question, event: Waiting, as_of: date) -> bool:
    """Whether points of a waiting event could count; also where its regulation fails to say it."""
    rulebook = question.rulebook()
    rules = rulebook.on(event.last) or rulebook.all[0]
    try:
        return question.aggregate.left(rules, event.last, as_of)[0] > 0
    except Refused:  # one of another package, for which the event waits
        return True


def award_worths(question: Question, awards: pl.DataFrame, selection: Selection) -> pl.DataFrame:
    """The awards that count on a day, each with its exact worth.

    Args:
        question: the regulation.
        awards: the frame of `Awards`, or some of its rows.
        selection: the day and what else decides which awards count.

    Returns:
        The columns of the awards, ``nation`` being the one that counts; ``weight`` (Int128) and
        ``parts`` (Int64): an award is worth weight / parts nanopoints.
    """
    if question.aggregate.latest:
        return latest(awards, selection, ["order"])
    nation = pl.col("nation" if by_event(question) else "nation_now").alias("nation")
    return counting(question, awards, selection).with_columns(WORTH, nation)


def rank_totals(
    question: Question,
    selection: Selection,
    totals: pl.DataFrame,
    *,
    by: str = "player",
    top: int | None = None,
    notices: Sequence[Problem] = (),
    waiting: Sequence[Waiting] = (),
) -> Ranking:
    """The list that worths add up to.

    Args:
        question: the regulation.
        selection: which awards were counted.
        totals: player_id, player, nation_now, nation, weight and parts of awards, as `award_worths`
            gives them, or of several added up.
        by: "player" or "nation".
        top: only ranks up to this one.
        notices: what came up on the way.
        waiting: every event that waits.
    """
    more: list[Problem] = []
    aggregate = question.aggregate
    totals = _of_common_parts(totals)
    if selection.nation:
        totals = totals.filter(pl.col("nation") == codes.nation(selection.nation))
    if by == "nation":
        totals, more = _by_nation(totals, aggregate)
    else:
        totals = totals.group_by("player_id", "parts").agg(
            pl.col("player").first(),
            pl.col("nation_now").first().alias("nation"),
            pl.col("weight").sum(),
        )
    frame = _with_ranks(totals if aggregate.latest else totals.filter(pl.col("weight") > 0))
    if top is not None:
        frame = frame.filter(pl.col("rank") <= top)
    return Ranking(
        question=question,
        selection=selection,
        by=by,
        frame=frame,
        notices=(*notices, *more),
        waiting=entering(question, selection, waiting),
    )


def _of_common_parts(totals: pl.DataFrame) -> pl.DataFrame:
    """Worths over one number of parts: editions may have different ones."""
    common = lcm(*totals["parts"].unique())
    times = pl.lit(common, pl.Int64) // pl.col("parts")
    return totals.with_columns(
        (pl.col("weight") * times).alias("weight"), pl.lit(common, pl.Int64).alias("parts")
    )


def refuse_nonsense(question: Question, selection: Selection, by: str) -> None:
    """Refuse what the regulation does not have, before any work is done."""
    regulation = question.get_regulation()
    if by not in ("player", "nation"):
        raise Refused(f"A ranking is by player or by nation, not by {by}.")
    if selection.setting not in (None, "live", "online"):
        raise Refused(
            msg("A setting is live or online, not %(asked)s.", asked=brief(selection.setting))
        )
    if regulation.aggregate.latest:
        _refuse_parts_of_rating(regulation.name, selection, by)
    if selection.kind not in (TOTAL, *regulation.kinds):
        raise Refused(
            msg(
                "%(regulation)s has no points of the kind %(asked)s. There are: %(known)s.",
                regulation=regulation.name,
                asked=brief(selection.kind),
                known=", ".join((*regulation.kinds, TOTAL)),
            )
        )
    if selection.nation and codes.nation(selection.nation) is None:
        raise Refused(
            msg(
                "%(asked)s is not a nation code. %(remedy)s",
                asked=brief(selection.nation),
                remedy=(codes.remedy(selection.nation),),
            )
        )


def _refuse_parts_of_rating(regulation: str, selection: Selection, by: str) -> None:
    """Refuse to sum ratings over a nation, and to rank a division of them."""
    if by == "nation":
        raise Refused(
            hint(
                "rank-players-of-a-nation",
                "%(regulation)s: a rating is not summed over a nation. Ask for the players of one"
                " nation.",
                regulation=regulation,
            )
        )
    if selection.divisions:
        raise Refused(
            msg(
                "%(regulation)s: a rating goes on from event to event, so no division of it can"
                " be ranked by itself. Leave out the divisions.",
                regulation=regulation,
            )
        )


def counting(question: Question, awards: pl.DataFrame, selection: Selection) -> pl.DataFrame:
    """Awards, or what many have in common, that still count: days ``left`` of so many ``parts``."""
    counted = selection.apply(awards)
    left = question.days_left()
    days = [
        (effective, edition, *left(effective, edition, selection.as_of))
        for effective, edition in counted.select("effective", "edition").unique().iter_rows()
    ]
    schema = {"effective": pl.Date, "edition": pl.String, "left": pl.Int64, "parts": pl.Int64}
    common = lcm(*(parts for *_, parts in days))
    weights = pl.DataFrame(
        [(day, edition, left * (common // parts), common) for day, edition, left, parts in days],
        schema=schema,
        orient="row",
    )
    return counted.join(weights, on=["effective", "edition"]).filter(pl.col("left") > 0)


WORTH = (pl.col("nanopoints").cast(pl.Int128) * pl.col("left")).alias("weight")
"""The exact weight of an award that has so many days left."""


def by_event(question: Question) -> bool:
    """Whether a nation keeps the points that were won under it."""
    return question.aggregate.by_event(question.rulebook().all[-1])


def latest(awards: pl.DataFrame, selection: Selection, order: Sequence[str]) -> pl.DataFrame:
    """Every player's last award up to the day, if it is not before ``since``."""
    return (
        selection.apply(awards)
        .sort(order)
        .group_by("player_id", maintain_order=True)
        .last()
        .with_columns(
            pl.col("nanopoints").cast(pl.Int128).alias("weight"),
            pl.lit(1, pl.Int64).alias("parts"),
            pl.col("nation_now").alias("nation"),
        )
    )


def _by_nation(valued: pl.DataFrame, aggregate: Aggregate) -> tuple[pl.DataFrame, list[Problem]]:
    """The total of each nation, and how many of its players are on the list."""
    theirs = valued.group_by("nation", "player_id", "parts").agg(pl.col("weight").sum())
    ranked = pl.col("weight") > 0
    stateless = len(theirs.filter(ranked, pl.col("nation").is_null()))
    notices = []
    if stateless:
        notices.append(
            Problem(
                at=Location("players"),
                what=plural(
                    "%(many)s ranked player has no nation and counts for none",
                    "%(many)s ranked players have no nation and count for none",
                    stateless,
                ),
                clause=aggregate.nation_clause,
                remedy=msg("Fill in the nation of the players."),
            )
        )
    totals = (
        theirs.filter(pl.col("nation").is_not_null())
        .group_by("nation", "parts")
        .agg(pl.col("weight").sum(), ranked.sum().cast(pl.Int64).alias("players"))
    )
    return totals, notices


def _with_ranks(totals: pl.DataFrame) -> pl.DataFrame:
    """Sorted by exact total, then name and id, with ranks and nanopoints."""
    names = [name for name in ("player", "player_id", "nation") if name in totals.columns]
    ordered = totals.sort(["weight", *names], descending=[True, *[False] * len(names)])
    weights = _array(ordered["weight"])
    parts = 1 if ordered.is_empty() else ordered["parts"][0]
    return ordered.with_columns(
        *rank_columns(sums.ranks(weights, parts), sums.divided_half_up(weights, parts))
    ).drop("weight", "parts")


def _array(weights: pl.Series) -> Array:
    """Whole numbers as an array of 64 bits, or of Python's integers where they are larger."""
    if weights.is_between(-sums.LIMIT, sums.LIMIT, closed="none").all():
        return weights.cast(pl.Int64).to_numpy()
    return np.array(weights.to_list(), object)


def rank_columns(ranks: Array, nanopoints: Array) -> tuple[pl.Series, pl.Series]:
    """The columns rank and nanopoints (Int64) of a list."""
    return (
        pl.Series("rank", ranks, dtype=pl.Int64),
        pl.Series("nanopoints", nanopoints.astype(np.int64, copy=False)),
    )
