"""
Awards by player, sorted once, and the list of any one day; which awards count is in `rankings`.

What many awards have in common is their class: the day they count from, edition, setting and kind.
A day gives each award class a weight (the days left of it; 0 if it does not count), and a player's
total is the sum of nanopoints times weight: whole numbers, so that no order of rows can change it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from fractions import Fraction
from math import floor, lcm
from typing import ClassVar, NamedTuple

import numpy as np
import polars as pl
from msgspec import Struct, field

from palmares.core.errors import Problem, Refused
from palmares.core.rounding import TIE, divided_half_up
from palmares.facts import codes
from palmares.points import rankings
from palmares.points.award_table import PUBLIC_NAME, row_numbers
from palmares.points.awards import Awards, Question, Waiting
from palmares.points.kernels import sums
from palmares.points.kernels.sums import Array, AwardRows
from palmares.points.rankings import (
    Ranking,
    Selection,
    by_event,
    entering,
    rank_columns,
    refuse_nonsense,
)

AWARD_CLASS = ("effective", "edition", "setting", "kind", "division")
ROW_COLUMNS = ("player", "award_class", "nanopoints")
PLACES = ("player_id", "rank", "nanopoints")
People = Callable[[Array], pl.DataFrame]
"""Given numbers, the name, nation and withheld of each of these players, in this order."""


class PlayerRows(Struct, frozen=True, kw_only=True, eq=False):
    """The awards of some players, each player's together."""

    players: Array  # their numbers, ascending
    frame: pl.DataFrame  # player, award_class, nanopoints; where awards may change, their events
    arrays: AwardRows  # of the frame; entry p is of players[p]
    reach: int  # no player's absolute nanopoints come to more
    latest_totals: list[tuple[Array, Array]] = field(default_factory=list)
    """The weights of the latest list, and each player's total: at most one pair."""

    def totals(self, weights: Array, *, latest: bool, reach: int) -> Array:
        """Each player's total, see `sums.totals`; those of the same weights are added up once.

        Most lists are of one day, and a report changes the awards of few players. Award classes
        that were added since belong to none of these rows.
        """
        wide = sums.is_wide(weights, reach)
        for latest_weights, totals in self.latest_totals:
            same = np.array_equal(latest_weights, weights[: len(latest_weights)])
            if same and wide == (totals.dtype == object):
                return totals
        totals = sums.totals(self.arrays, weights, latest=latest, reach=reach)
        self.latest_totals[:] = [(weights, totals)]
        return totals

    def of(self, players: Array) -> pl.DataFrame:
        """The rows of some players; players without rows are left out."""
        places = np.searchsorted(self.players, players)
        places = places[np.append(self.players, -1)[places] == players]
        begin, end = self.arrays.begin[places], self.arrays.end[places]
        return self.frame[self.arrays._replace(begin=begin, end=end).places()]

    def touched(self, events: Array) -> Array:
        """The players with rows of some events, given a flag for each event."""
        players = self.frame["player"].to_numpy()[events[self.frame["event"].to_numpy()]]
        return np.unique(players)


def player_rows(players: Array, frame: pl.DataFrame) -> PlayerRows:
    """The rows of some players, which are sorted by player."""
    frame = frame.rechunk()
    sizes = np.bincount(frame["player"], minlength=players.max(initial=-1) + 1)[players]
    ends = np.cumsum(sizes)
    numbers = (frame[name].to_numpy() for name in ("award_class", "nanopoints"))
    rows = AwardRows(ends - sizes, ends, *numbers)
    return PlayerRows(players=players, frame=frame, arrays=rows, reach=sums.reach(rows))


class Ledger(Struct, frozen=True, kw_only=True, eq=False):
    """Awards by player; player p is row p of ``players``, class c row c of ``award_classes``."""

    question: Question
    players: pl.DataFrame  # player_id, player, nation, by name and id
    award_classes: pl.DataFrame  # by `AWARD_CLASS`; and ``nation`` where a nation keeps its points
    base: PlayerRows  # of players from 0 on; by class, or in the order of time if the latest counts
    newer: PlayerRows | None = None  # of players whose rows changed; those in base are void
    people: People | None = None  # who players are now, if ``players`` says only their ids
    notices: tuple[Problem, ...] = ()
    waiting: tuple[Waiting, ...] = ()

    @property
    def latest(self) -> bool:
        """Whether a player's latest award replaces those before."""
        return self.question.aggregate.latest

    @property
    def rows(self) -> AwardRows:
        """The rows of a ledger that has not changed since it was made.

        Raises:
            ValueError: it has, and *base* alone would leave out what is newer.
        """
        if self.newer is not None:
            raise ValueError("the ledger has newer rows")
        return self.base.arrays

    @property
    def reach(self) -> int:
        """No player's absolute nanopoints come to more."""
        return max(self.base.reach, self.newer.reach if self.newer else 0)

    def code(self, player_id: str) -> int:
        """The number of a player.

        Raises:
            Refused: they have no awards.
        """
        number = self.players["player_id"].index_of(player_id)
        if number is None:
            raise Refused(f"{player_id} has no awards under {self.question.regulation}.")
        return number

    def with_names(self, numbers: Array) -> pl.DataFrame:
        """player_id, player and nation of some players, by their numbers, in the order given."""
        ids = self.players[numbers]
        if self.people is None:
            return ids
        return ids.hstack(self.people(numbers).select(PUBLIC_NAME, "nation"))

    def of_nation(self, nation: str) -> Array:
        """A flag for each player: whether they are of a nation now."""
        people = self.people(np.arange(len(self.players))) if self.people else self.players
        return (people["nation"] == nation).fill_null(value=False).to_numpy()


class RankedRows(NamedTuple):
    """A ranked list as arrays, an entry a player."""

    players: Array  # their numbers
    ranks: Array
    nanopoints: Array


class DayTotals(Struct, frozen=True, kw_only=True, eq=False):
    """The total of every player on a day, by their numbers in the ledger; exact.

    A day to come has the totals that there will be if nothing is added.
    """

    day: date
    exact: Array  # each total, in nanopoints times ``parts``
    parts: int
    latest: bool
    last_entry: ClassVar[None] = None  # see `palmares.lists.figures.movement.EarlierList`

    @property
    def on_list(self) -> Array:
        """A flag a player: whether they are on the list of the day."""
        on_list: Array = self.exact > sums.floor(self.exact, latest=self.latest)
        return on_list

    def total(self, number: int | None) -> Fraction | None:
        """A player's exact nanopoints; none: not on the list."""
        if number is None or not self.exact[number] > sums.floor(self.exact, latest=self.latest):
            return None
        return Fraction(int(self.exact[number]), self.parts)

    def base(self, number: int | None) -> Fraction:
        """What more points are added to: a player's exact total, 0 if nothing of theirs counts."""
        if number is None or self.exact[number] == sums.absent(self.exact):
            return Fraction()
        return Fraction(int(self.exact[number]), self.parts)

    def nanopoints(self, number: int | None) -> int | None:
        """A player's nanopoints, rounded half up as lists show it."""
        total = self.total(number)
        return None if total is None else divided_half_up(total.numerator, total.denominator)

    def higher(self, total: Fraction) -> Array:
        """The numbers of the players whose totals outrank one, in nanopoints."""
        return np.flatnonzero(self.exact > floor((total + TIE) * self.parts))

    def rank_with(self, total: Fraction, number: int | None) -> int:
        """The rank that a total, in nanopoints, has among those of everybody but a player."""
        return 1 + int(np.count_nonzero(self.higher(total) != number))

    def rank(self, number: int | None) -> int | None:
        """A player's rank; none: not on the list."""
        total = self.total(number)
        return None if total is None else 1 + len(self.higher(total))

    def place(self, number: int | None) -> tuple[int, int] | None:
        """A player's rank and nanopoints; none: not on the list."""
        rank = self.rank(number)
        return None if rank is None else (rank, self.nanopoints(number) or 0)

    def above(self, number: int) -> Array:
        """The players next above another: of the lowest total that outranks theirs."""
        total = self.total(number)
        higher = np.arange(0) if total is None else self.higher(total)
        theirs = self.exact[higher]
        return higher[theirs == theirs.min()] if higher.size else higher


# ── making one ───────────────────────────────────────────────────────────────────────────────────


def ledger(awards: Awards) -> Ledger:
    """Awards by player, sorted once; players by name and id."""
    rows, grants = awards.numbered.rows, awards.numbered.grants
    if awards.question.aggregate.latest:
        order = grants["order"].gather(rows["grant"])
        rows = rows if order.is_sorted() else rows[order.arg_sort()]
    everyone = awards.numbered.people
    has_awards = np.bincount(rows["player"].to_numpy(), minlength=len(everyone)) > 0
    people = everyone.with_row_index("number").filter(has_awards).sort("player", "player_id")
    codes = np.zeros(len(everyone), np.uint32)
    codes[people["number"].to_numpy()] = np.arange(len(people))
    if by_event(awards.question):
        of_rows = grants.select(pl.col(AWARD_CLASS).gather(rows["grant"]))
        nations = awards.numbered.nations(rows)
        award_classes, award_class = _award_classes(of_rows.with_columns(nations))
    else:
        award_classes, of_grant = _award_classes(grants.select(AWARD_CLASS))
        award_class = of_grant.gather(rows["grant"])
    columns = {
        "player": codes[rows["player"].to_numpy()],
        "award_class": award_class,
        "nanopoints": rows["nanopoints"],
    }
    return Ledger(
        question=awards.question,
        players=people.select("player_id", "player", pl.col("nation_now").alias("nation")),
        award_classes=award_classes,
        base=sorted_by_player(awards.question, pl.DataFrame(columns), len(people)),
        notices=awards.notices,
        waiting=awards.waiting,
    )


def _award_classes(given: pl.DataFrame) -> tuple[pl.DataFrame, pl.Series]:
    """The different rows, sorted, and the number of each row among them."""
    award_classes = given.unique().sort(given.columns)
    return award_classes, row_numbers(given, award_classes)


def sorted_by_player(question: Question, rows: pl.DataFrame, players: int) -> PlayerRows:
    """Awards as numbers, sorted by player.

    Args:
        question: the regulation, and what was chosen.
        rows: player, award_class, nanopoints; in the order of time if only the latest award counts.
        players: how many there are.
    """
    player, award_class = (rows[name].to_numpy() for name in ROW_COLUMNS[:2])
    keys = player.astype(np.int64)
    if not question.aggregate.latest:
        keys <<= int(award_class.max(initial=0)).bit_length()
        keys |= award_class
    order = sums.sort_order(keys)  # NumPy gathers in half the time that a frame takes
    columns = {name: rows[name].to_numpy()[order] for name in ROW_COLUMNS}
    return player_rows(np.arange(players), pl.DataFrame(columns))


# ── as of a day ──────────────────────────────────────────────────────────────────────────────────


class Weights(NamedTuple):
    """What one nanopoint of each award class is worth on a day, in parts."""

    weights: Array
    parts: int


def class_weights(book: Ledger, selection: Selection) -> Weights:
    """The days left of each award class; 0 of those that do not count."""
    classes = book.award_classes.with_row_index("award_class")
    if selection.nation and "nation" in classes.columns:
        classes = classes.filter(pl.col("nation") == codes.nation(selection.nation))
    counted, left = selection.apply(classes), book.question.days_left()
    begun = [(first, edition) for first, edition in counted[["effective", "edition"]].rows()]
    worth = {pair: left(*pair, selection.as_of) for pair in set(begun)}
    common = lcm(*(parts for _, parts in worth.values()))
    by_class = np.zeros(len(book.award_classes), np.int64)
    by_class[counted["award_class"].to_numpy()] = [
        max(days, 0) * (common // parts) for days, parts in map(worth.__getitem__, begun)
    ]
    return Weights(by_class, common)


def player_totals(
    book: Ledger, selection: Selection, weights: Weights | None = None
) -> tuple[Array, int]:
    """The total of each player who may be on a list, in parts; `sums.absent` of all others.

    Args:
        book: of one regulation.
        selection: the day and what else decides which awards count.
        weights: as `class_weights` gives them for both, if they are known.

    Raises:
        Refused: the regulation has nothing of the kind.
    """
    worth, parts = weights or class_weights(book, selection)
    base = book.base.totals(worth, latest=book.latest, reach=book.reach)
    per_player = np.full(len(book.players), sums.absent(base), base.dtype)
    per_player[book.base.players] = base
    if book.newer:
        newer = book.newer.totals(worth, latest=book.latest, reach=book.reach)
        per_player[book.newer.players] = newer
    nation = selection.nation and codes.nation(selection.nation)
    if nation and "nation" not in book.award_classes.columns:
        per_player[~book.of_nation(nation)] = sums.absent(per_player)
    return per_player, parts


def day_totals(book: Ledger, selection: Selection) -> DayTotals:
    """The total of each player on a day; see `player_totals`."""
    exact, parts = player_totals(book, selection)
    return DayTotals(day=selection.as_of, exact=exact, parts=parts, latest=book.latest)


def rank_rows(book: Ledger, selection: Selection) -> RankedRows:
    """The ranked list of a day as arrays; players of equal totals by their numbers.

    Raises:
        Refused: as `ranking` does.
    """
    refuse_nonsense(book.question, selection, "player")
    per_player, parts = player_totals(book, selection)
    return order_totals(per_player, parts, latest=book.latest)


def order_totals(
    per_player: Array, parts: int, top: int | None = None, *, latest: bool
) -> RankedRows:
    """The ranked list of every player's total, or the ranks up to one."""
    players = np.flatnonzero(per_player > sums.floor(per_player, latest=latest))
    theirs = per_player[players]
    if top is not None and top < len(theirs):
        least = np.partition(theirs, -top)[-top] - sums.tied(theirs, parts)
        players, theirs = players[theirs >= least], theirs[theirs >= least]
    order, ranks, nanopoints = sums.ordered(theirs, parts)
    past = len(ranks) if top is None else int(np.searchsorted(ranks, top, side="right"))
    return RankedRows(players[order[:past]], ranks[:past], nanopoints[:past])


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
        Refused: the regulation has no such kind of points, or makes no sums over a nation.
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


def ranks_of_all(book: Ledger, selection: Selection) -> pl.DataFrame:
    """The ranks of everyone on a list; players of equal rank are in no order.

    Returns:
        player_id, rank and nanopoints (Int64), as `ranking` has them.

    Raises:
        Refused: as `ranking` does.
    """
    numbers, ranks, nanopoints = rank_rows(book, selection)
    ids = book.players["player_id"].gather(numbers)
    return pl.DataFrame([ids, *rank_columns(ranks, nanopoints)])


def ranks_by_number(book: Ledger, selection: Selection) -> Array:
    """The same by the numbers of players; 0: not on the list.

    Raises:
        Refused: as `ranking` does.
    """
    numbers, ranks, _ = rank_rows(book, selection)
    by_number = np.zeros(len(book.players), np.int32)
    by_number[numbers] = ranks
    return by_number


def rank(
    awards: Awards, selection: Selection, *, by: str = "player", top: int | None = None
) -> Ranking:
    """The list of a day from awards; see `ranking`."""
    refuse_nonsense(awards.question, selection, by)
    return ranking(ledger(awards), selection, top, by=by)


def _of_players(book: Ledger, selection: Selection, top: int | None) -> pl.DataFrame:
    per_player, parts = player_totals(book, selection)
    numbers, ranks, nanopoints = order_totals(per_player, parts, top, latest=book.latest)
    frame = book.with_names(numbers)
    if book.people is not None:  # else their numbers go by name already
        frame = _equal_by_name(frame, per_player[numbers])
    return frame.with_columns(rank_columns(ranks, nanopoints))


def _equal_by_name(frame: pl.DataFrame, per_player: Array) -> pl.DataFrame:
    """The rows of a list, those of equal totals sorted by name and id."""
    same = per_player[1:] == per_player[:-1]
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
        per_player, parts = player_totals(book, selection)
        numbers = np.flatnonzero(per_player != sums.absent(per_player))
        worth = pl.Series("weight", per_player[numbers].tolist(), dtype=pl.Int128)
        return book.with_names(numbers).with_columns(worth, pl.lit(parts, pl.Int64).alias("parts"))
    worths, parts = class_weights(book, selection)
    rows = book.rows
    of = pl.Series("player", np.repeat(np.arange(len(book.players)), rows.end - rows.begin))
    return (
        pl.DataFrame({"left": worths[rows.award_classes], "nanopoints": rows.nanopoints})
        .with_columns(
            book.players["player_id"].gather(of).alias("player_id"),
            book.award_classes["nation"]
            .gather(rows.award_classes.astype(np.int64))
            .alias("nation"),
            (pl.col("nanopoints").cast(pl.Int128) * pl.col("left")).alias("weight"),
            pl.lit(parts, pl.Int64).alias("parts"),
        )
        .filter(pl.col("left") > 0)
    )
