"""
Awards by player, sorted once, and the list of any one day; which awards count is in `rankings`.

What many awards have in common is their class: the day they count from, edition, setting and kind.
A day gives each award class a weight (the days left of it; 0 if it does not count), and a player's
total is the sum of nanopoints times weight: whole numbers, so that no order of rows can change it.
How results fade is the regulation's affair alone. `palmares.points.sweeps` goes over many days.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from palmares.core.errors import Problem, Refused
from palmares.facts import codes
from palmares.facts.schema import WITHHELD
from palmares.points import rankings
from palmares.points.awards import Awards, Question, Waiting
from palmares.points.kernels import sums
from palmares.points.kernels.rows import Array, Rows
from palmares.points.rankings import (
    Ranking,
    Selection,
    by_event,
    entering,
    rank_columns,
    refuse_nonsense,
)

AWARD_CLASS = ("effective", "edition", "setting", "kind")
_SMALL = 2**16
PLACES = ("player_id", "rank", "nanopoints")
People = Callable[[Array], pl.DataFrame]
"""Given numbers, the name, nation and withheld of each of these players, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlayerRows:
    """The awards of some players, each player's together."""

    players: Array  # their numbers, ascending
    arrays: Rows  # entry p is of players[p]
    reach: int  # no player's absolute nanopoints come to more
    frame: pl.DataFrame | None = None  # the same rows with their events, where they may change

    @property
    def held(self) -> pl.DataFrame:
        """The rows with their events."""
        if self.frame is None:
            raise TypeError("these rows were made for good")
        return self.frame

    def of(self, players: Array) -> pl.DataFrame:
        """The rows of those of some players who are here."""
        places = np.searchsorted(self.players, players)
        places = places[np.append(self.players, -1)[places] == players]
        begin, end = self.arrays.begin[places], self.arrays.end[places]
        sizes = end - begin
        ends = np.cumsum(sizes)
        wanted = np.arange(sizes.sum()) + np.repeat(begin - (ends - sizes), sizes)
        return self.held.select(pl.all().gather(wanted))

    def touched(self, events: Array) -> Array:
        """Whose rows are of some events, given a flag an event."""
        found = self.held["player"].to_numpy()[events[self.held["event"].to_numpy()]]
        return np.unique(found)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ledger:
    """Awards by player; player p is row p of ``players``, class c row c of ``award_classes``."""

    question: Question
    players: pl.DataFrame | int  # player_id, player, nation, by name and id; or how many there are
    award_classes: pl.DataFrame  # by `AWARD_CLASS`; and ``nation`` where a nation keeps its points
    base: PlayerRows  # of players from 0 on; by class, or in the order of time if the latest counts
    newer: PlayerRows | None = None  # of those whose rows have changed since, instead of the others
    people: People | None = None  # who players are now, if ``players`` says only their ids
    notices: tuple[Problem, ...] = ()
    waiting: tuple[Waiting, ...] = ()

    @property
    def latest(self) -> bool:
        """Whether a player's latest award replaces those before."""
        return self.question.aggregate.latest

    @property
    def rows(self) -> Rows:
        """The rows of a ledger that has not changed since it was made."""
        return self.base.arrays

    @property
    def reach(self) -> int:
        """No player's absolute nanopoints come to more."""
        return max(self.base.reach, self.newer.reach if self.newer else 0)

    @property
    def compiled(self) -> bool:
        """Whether compiled loops put players in order; a ledger read from disk loads none."""
        return len(self.rows.nanopoints) >= sums.COMPILED_FROM and "numba" in sys.modules

    @property
    def many(self) -> int:
        """How many players there are."""
        return self.players if isinstance(self.players, int) else len(self.players)

    def code(self, player_id: str) -> int:
        """The number of a player.

        Raises:
            Refused: they have no awards, or the ledger knows no players.
        """
        known = None if isinstance(self.players, int) else self.players["player_id"]
        found = None if known is None else known.index_of(player_id)
        if found is None:
            raise Refused(f"{player_id} has no awards under {self.question.regulation}.")
        return found

    def named(self, numbers: Array) -> pl.DataFrame:
        """player_id, player and nation of some players, by their numbers, in the order given."""
        found = player_names(self)[numbers]
        if self.people is None:
            return found
        shown = self.people(numbers).select(
            pl.when(pl.col("withheld").fill_null(value=False))
            .then(pl.lit(WITHHELD))
            .otherwise("name")
            .alias("player"),
            "nation",
        )
        return found.hstack(shown)

    def of_nation(self, nation: str) -> Array:
        """A flag a player: whether they are of a nation now."""
        if self.people is None:
            return (player_names(self)["nation"] == nation).fill_null(value=False).to_numpy()
        nations = self.people(np.arange(self.many))["nation"]
        return (nations == nation).fill_null(value=False).to_numpy()


class RankedRows(NamedTuple):
    """A ranked list as arrays, an entry a player."""

    players: Array  # their numbers
    ranks: Array
    nanopoints: Array


# ── making one ───────────────────────────────────────────────────────────────────────────────────


def ledger(awards: Awards) -> Ledger:
    """Awards by player, sorted once; players by name and id."""
    rows, grants = awards.numbered.rows, awards.numbered.grants
    if awards.question.aggregate.latest:
        order = grants["order"].gather(rows["grant"])
        rows = rows if order.is_sorted() else rows[order.arg_sort()]
    people = (
        awards.numbered.people.with_row_index("number")
        .filter(
            pl.Series(
                np.bincount(rows["player"].to_numpy(), minlength=len(awards.numbered.people)) > 0
            )
        )
        .sort("player", "player_id")
    )
    codes = np.zeros(len(awards.numbered.people), np.uint32)
    codes[people["number"].to_numpy()] = np.arange(len(people))
    if by_event(awards.question):
        award_classes, award_class = _award_classes(awards.frame.select(*AWARD_CLASS, "nation"))
    else:
        award_classes, of_grant = _award_classes(grants.select(AWARD_CLASS))
        award_class = of_grant.gather(rows["grant"])
    book = from_codes(
        awards.question,
        award_classes,
        codes[rows["player"].to_numpy()],
        award_class.to_numpy(),
        rows["nanopoints"].to_numpy(),
        players=people.select("player_id", "player", pl.col("nation_now").alias("nation")),
    )
    return replace(book, notices=awards.notices, waiting=awards.waiting)


def _award_classes(given: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """The different rows, by effective; and the number of each row among them."""
    award_classes = given.unique().sort(given.columns)
    numbers = award_classes.with_row_index("award_class")
    found = given.join(
        numbers, on=given.columns, how="left", maintain_order="left", nulls_equal=True
    )
    return award_classes, found["award_class"]


def from_codes(
    question: Question,
    award_classes: pl.DataFrame,
    codes: Any,
    award_class: Any,
    nanopoints: Any,
    *,
    players: pl.DataFrame | int,
) -> Ledger:
    """Awards by player from arrays that need no text.

    Args:
        question: the regulation, and what was chosen.
        award_classes: the columns of `AWARD_CLASS`, by effective.
        codes: whose each award is: a row of *players*, from 0.
        award_class: a row of *award_classes* for each award.
        nanopoints: what each award is worth when it is new. Where only the latest award counts,
            awards come in the order of time; else in any.
        players: player_id, player and nation, in the order in which those of equal totals stand; or
            how many there are, if nobody asks for names.

    Raises:
        Refused: a number is out of range, or award classes are in no order of time.
    """
    many = players if isinstance(players, int) else len(players)
    if not award_classes["effective"].is_sorted():
        raise Refused("The award classes of a ledger go by the days from which they count.")
    if not len(codes) == len(award_class) == len(nanopoints):
        raise Refused("The arrays of a ledger have one entry an award each.")
    for name, numbers, past in (
        ("code", codes, many),
        ("award_class", award_class, len(award_classes)),
    ):
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < past:
            raise Refused(f"A {name} of a ledger is not from 0 to {past - 1}.")
    small = np.uint16 if len(award_classes) <= _SMALL else np.uint32
    given = Rows(
        codes[:0],
        codes[:0],
        np.asarray(award_class).astype(small, copy=False),
        np.asarray(nanopoints).astype(np.int64, copy=False),
    )
    timed = not question.aggregate.latest
    rows, reach = sums.by_player(np.asarray(codes), given, many, timed=timed)
    base = PlayerRows(players=np.arange(many), arrays=rows, reach=reach)
    return Ledger(question=question, players=players, award_classes=award_classes, base=base)


# ── as of a day ──────────────────────────────────────────────────────────────────────────────────


class Weights(NamedTuple):
    """What one nanopoint of each award class is worth on a day, in parts."""

    weights: Array
    parts: int


def weights(book: Ledger, selection: Selection) -> Weights:
    """The days left of each award class; 0 of those that do not count."""
    found = np.zeros(len(book.award_classes), np.int64)
    kept = selection.apply(book.award_classes.with_row_index("award_class"))
    if selection.nation and "nation" in kept.columns:
        kept = kept.filter(pl.col("nation") == codes.nation(selection.nation))
    fade = book.question.days_left()
    pairs = list(zip(kept["effective"].to_list(), kept["edition"].to_list(), strict=True))
    days = {one: fade(*one, selection.as_of) for one in dict.fromkeys(pairs)}
    common = lcm(*(parts for _, parts in days.values()))
    left = {one: max(0, now) * (common // parts) for one, (now, parts) in days.items()}
    found[kept["award_class"].to_numpy()] = [left[pair] for pair in pairs]
    return Weights(found, common)


def totals(book: Ledger, selection: Selection) -> tuple[Array, int]:
    """The total of each player who may be on a list, in parts; `sums.absent` of all others.

    Raises:
        Refused: the regulation has nothing of the kind, or the ledger does not know its players.
    """
    worth, parts = weights(book, selection)
    some = (book.base, *([book.newer] if book.newer else []))
    made = [sums.totals(one.arrays, worth, latest=book.latest, reach=book.reach) for one in some]
    found = made[0]
    if book.newer:
        found = np.full(book.many, sums.absent(made[0]), made[0].dtype)
        for one, theirs in zip(some, made, strict=True):
            found[one.players] = theirs
    nation = selection.nation and codes.nation(selection.nation)  # or the table is read for nobody
    if nation and "nation" not in book.award_classes.columns:
        found[~book.of_nation(nation)] = sums.absent(found)
    return found, parts


def player_names(book: Ledger) -> pl.DataFrame:
    """The players of a ledger.

    Raises:
        Refused: it does not know them.
    """
    if isinstance(book.players, int):
        raise Refused("This ledger knows its players by number only; give it their names.")
    return book.players


def rank_rows(book: Ledger, selection: Selection, top: int | None = None) -> RankedRows:
    """The ranked list of a day as arrays; players of equal totals by their numbers.

    Raises:
        Refused: as `ranking` does.
    """
    refuse_nonsense(book.question, selection, "player")
    found, parts = totals(book, selection)
    return order_totals(found, parts, top, latest=book.latest, compiled=book.compiled)


def order_totals(
    found: Array, parts: int, top: int | None = None, *, latest: bool, compiled: bool
) -> RankedRows:
    """The ranked list of some totals."""
    whole = RankedRows(*sums.ordered(found, parts, latest=latest, compiled=compiled))
    if top is None:
        return whole
    past = int(np.searchsorted(whole.ranks, top, side="right"))
    return RankedRows(*(one[:past] for one in whole))


def ranking(
    book: Ledger, selection: Selection, top: int | None = None, *, by: str = "player"
) -> Ranking:
    """Players, or nations, ranked by what awards are worth on a day.

    Args:
        book: of one regulation.
        selection: the day and what else decides which awards count.
        top: only ranks up to this one.
        by: "player" or "nation".

    Raises:
        Refused: the regulation has no such kind of points, or makes no sums over a nation; or the
            ledger does not know its players.
    """
    refuse_nonsense(book.question, selection, by)
    if by == "nation":
        return rankings.rank_totals(
            book.question,
            selection,
            _by_nation(book, selection),
            by=by,
            top=top,
            notices=book.notices,
            waiting=book.waiting,
        )
    return Ranking(
        question=book.question,
        selection=selection,
        by=by,
        frame=_of_players(book, selection, top),
        notices=book.notices,
        waiting=entering(book.question, selection, book.waiting),
    )


def places(book: Ledger, selection: Selection) -> pl.DataFrame:
    """The ranks of everybody on a list; whoever shares one stands in no order.

    Returns:
        player_id, rank and nanopoints (Int64), as `ranking` has them.

    Raises:
        Refused: as `ranking` does.
    """
    numbers, ranks, nanopoints = rank_rows(book, selection)
    ids = player_names(book)["player_id"].gather(numbers)
    return pl.DataFrame([ids, *rank_columns(ranks, nanopoints)])


def rank(
    awards: Awards, selection: Selection, *, by: str = "player", top: int | None = None
) -> Ranking:
    """The list of a day from awards; see `ranking`."""
    refuse_nonsense(awards.question, selection, by)
    return ranking(ledger(awards), selection, top, by=by)


def _of_players(book: Ledger, selection: Selection, top: int | None) -> pl.DataFrame:
    """The rows of a list of players; only those who may be among the first are named."""
    found, parts = totals(book, selection)
    numbers = np.flatnonzero(found > sums.floor(found, latest=book.latest))
    theirs = found[numbers]
    if top is not None and top < len(theirs):
        least = -np.partition(-theirs, top - 1)[top - 1] - sums.tied(theirs, parts)
        numbers, theirs = numbers[theirs >= least], theirs[theirs >= least]
    order, ranks, nanopoints = sums.ordered(
        theirs, parts, latest=book.latest, compiled=book.compiled
    )
    frame = book.named(numbers[order])
    if book.people is not None:  # else their numbers go by name already
        frame = _equal_by_name(frame, theirs[order])
    listed = frame.with_columns(rank_columns(ranks, nanopoints))
    return listed if top is None else listed.filter(pl.col("rank") <= top)


def _equal_by_name(frame: pl.DataFrame, found: Array) -> pl.DataFrame:
    """The rows of a list, those of equal totals, which stand together, by name and id."""
    same = found[1:] == found[:-1]
    equal = np.flatnonzero(np.append(same, False) | np.append(False, same))
    if not equal.size:
        return frame
    group = pl.Series("group", np.cumsum(np.append(False, ~same))[equal])
    tied = frame[equal].with_columns(group, pl.Series("place", equal))
    order = np.arange(len(frame))
    order[equal] = tied.sort("group", "player", "player_id")["place"].to_numpy()
    return frame[order]


def _by_nation(book: Ledger, selection: Selection) -> pl.DataFrame:
    """What each player's awards are worth, and for which nation, for `rankings.rank_totals`."""
    if "nation" not in book.award_classes.columns:
        found, parts = totals(book, selection)
        numbers = np.flatnonzero(found != sums.absent(found))
        worth = pl.Series("weight", found[numbers].tolist(), dtype=pl.Int128)
        return book.named(numbers).with_columns(worth, pl.lit(parts, pl.Int64).alias("parts"))
    worths, parts = weights(book, selection)
    rows = book.rows
    of = pl.Series("player", np.repeat(np.arange(book.many), rows.end - rows.begin))
    return (
        pl.DataFrame({"left": worths[rows.award_classes], "nanopoints": rows.nanopoints})
        .with_columns(
            player_names(book)["player_id"].gather(of).alias("player_id"),
            book.award_classes["nation"]
            .gather(rows.award_classes.astype(np.int64))
            .alias("nation"),
            (pl.col("nanopoints").cast(pl.Int128) * pl.col("left")).alias("weight"),
            pl.lit(parts, pl.Int64).alias("parts"),
        )
        .filter(pl.col("left") > 0)
    )
