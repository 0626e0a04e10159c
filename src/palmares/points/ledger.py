"""
Awards by player, sorted once: what they are worth on any day, and who stands where.

    ledger      awards  ->  Ledger
    from_codes  arrays: whose each award is, its stamp, its nanopoints  ->  Ledger
    ranking     the ranked list of a day: the same as `palmares.rankings.rank` makes
    listed      the same as arrays, without the names of a million players

What many awards have in common is a stamp: the day they count from, edition, setting and kind. A
day gives each stamp a weight (the days left of it; 0 if it does not count), and a player's total is
the sum of nanopoints times weight: whole numbers, so that no order of rows can change it. How
results fade is the regulation's affair alone. `palmares.sweeps` goes over many days.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lcm
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from palmares.awards import Awards, Question, Waiting
from palmares.errors import Problem, Refused
from palmares.facts import nations
from palmares.kernels import sums
from palmares.kernels.rows import Array, Rows
from palmares.rankings import Ranking, Selection, entering, faded, ranked, refuse_nonsense

STAMP = ("effective", "edition", "setting", "kind")
_SMALL = 2**16


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """Awards by player."""

    question: Question
    players: pl.DataFrame | None  # player_id, player, nation; row p is player p; none: not known
    stamps: pl.DataFrame  # the columns of `STAMP`; row s is stamp s; by effective
    rows: Rows  # each player's by stamp, or in the order of time where only the latest counts
    reach: int  # no player's absolute nanopoints come to more
    notices: tuple[Problem, ...] = ()
    waiting: tuple[Waiting, ...] = ()

    @property
    def latest(self) -> bool:
        """Whether a player's latest award replaces those before."""
        return self.question.held().total == "latest"

    def code(self, player_id: str) -> int:
        """The number of a player.

        Raises:
            Refused: he has no awards, or the ledger knows no players.
        """
        known = None if self.players is None else self.players["player_id"]
        found = None if known is None else known.index_of(player_id)
        if found is None:
            raise Refused(f"{player_id} has no awards under {self.question.regulation}.")
        return found


class Listed(NamedTuple):
    """A ranked list as arrays, an entry a player."""

    players: Array  # their numbers
    ranks: Array
    nanopoints: Array


# ── making one ───────────────────────────────────────────────────────────────────────────────────


def ledger(awards: Awards) -> Ledger:
    """Awards by player, sorted once; players by name and id."""
    frame = awards.frame
    if awards.question.held().total == "latest":
        frame = frame.sort("order", maintain_order=True)
    players = (
        frame.group_by("player_id")
        .agg(pl.col("player").first(), pl.col("nation_now").first().alias("nation"))
        .sort("player", "player_id")
    )
    stamps = frame.select(STAMP).unique().sort(STAMP)
    codes = frame.select("player_id").join(
        players.select("player_id").with_row_index("code"),
        on="player_id",
        how="left",
        maintain_order="left",
    )["code"]
    stamp = frame.select(STAMP).join(
        stamps.with_row_index("stamp"), on=STAMP, how="left", maintain_order="left"
    )["stamp"]
    book = from_codes(
        awards.question,
        stamps,
        codes.to_numpy(),
        stamp.to_numpy(),
        frame["nanopoints"].to_numpy(),
        players=players,
        notices=awards.notices,
    )
    return replace(book, waiting=awards.waiting)


def from_codes(
    question: Question,
    stamps: pl.DataFrame,
    codes: Any,
    stamp: Any,
    nanopoints: Any,
    *,
    players: pl.DataFrame | int,
    notices: Sequence[Problem] = (),
) -> Ledger:
    """Awards by player from arrays that need no text.

    Args:
        question: the regulation, and what was chosen.
        stamps: the columns of `STAMP`, by effective.
        codes: whose each award is: a row of *players*, from 0.
        stamp: a row of *stamps* for each award.
        nanopoints: what each award is worth when it is new. Where only the latest award counts,
            awards come in the order of time; else in any.
        players: player_id, player and nation, in the order in which those of equal totals stand; or
            how many there are, if nobody asks for names.
        notices: what a person should know.

    Raises:
        Refused: a number is out of range, or stamps are in no order of time.
    """
    many = players if isinstance(players, int) else len(players)
    if not stamps["effective"].is_sorted():
        raise Refused("The stamps of a ledger go by the days from which they count.")
    if not len(codes) == len(stamp) == len(nanopoints):
        raise Refused("The arrays of a ledger have one entry an award each.")
    for name, numbers, past in (("code", codes, many), ("stamp", stamp, len(stamps))):
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < past:
            raise Refused(f"A {name} of a ledger is not from 0 to {past - 1}.")
    small = np.uint16 if len(stamps) <= _SMALL else np.uint32
    given = Rows(
        codes[:0],
        codes[:0],
        np.asarray(stamp).astype(small, copy=False),
        np.asarray(nanopoints).astype(np.int64, copy=False),
    )
    timed = question.held().total != "latest"
    rows, reach = sums.by_player(np.asarray(codes), given, many, timed=timed)
    return Ledger(
        question=question,
        players=None if isinstance(players, int) else players,
        stamps=stamps,
        rows=rows,
        reach=reach,
        notices=tuple(notices),
    )


# ── as of a day ──────────────────────────────────────────────────────────────────────────────────


class Weights(NamedTuple):
    """What one nanopoint of each stamp is worth on a day, in parts."""

    weights: Array
    parts: int


def weights(book: Ledger, selection: Selection) -> Weights:
    """The days left of each stamp; 0 of those that do not count."""
    found = np.zeros(len(book.stamps), np.int64)
    kept = selection.apply(book.stamps.with_row_index("stamp"))
    if book.latest:
        found[kept["stamp"].to_numpy()] = 1
        return Weights(found, 1)
    editions = {rules.edition.id: rules for rules in book.question.rulebook().all}
    fade = faded(book.question)
    pairs = list(zip(kept["effective"].to_list(), kept["edition"].to_list(), strict=True))
    days = {one: fade(editions[one[1]], one[0], selection.as_of) for one in dict.fromkeys(pairs)}
    common = lcm(*(parts for _, parts in days.values()))
    left = {one: max(0, now) * (common // parts) for one, (now, parts) in days.items()}
    found[kept["stamp"].to_numpy()] = [left[one] for one in pairs]
    return Weights(found, common)


def those_asked_for(book: Ledger, selection: Selection) -> Rows:
    """The rows of the players who may be on the list: all, or those of one nation.

    Raises:
        Refused: the regulation has nothing of the kind, or the ledger does not know its players.
    """
    refuse_nonsense(book.question, selection, "player")
    if selection.nation is None:
        return book.rows
    held = named(book)["nation"] == nations.nation(selection.nation)
    return book.rows.only(held.fill_null(value=False).to_numpy())


def named(book: Ledger) -> pl.DataFrame:
    """The names of a ledger's players.

    Raises:
        Refused: it does not know them.
    """
    if book.players is None:
        raise Refused("This ledger knows its players by number only; give it their names.")
    return book.players


def listed(book: Ledger, selection: Selection, top: int | None = None) -> Listed:
    """The ranked list of a day as arrays.

    Raises:
        Refused: as `ranking` does.
    """
    rows = those_asked_for(book, selection)
    worth, parts = weights(book, selection)
    found = sums.totals(rows, worth, latest=book.latest, reach=book.reach)
    many = len(rows.nanopoints) >= sums.COMPILED_FROM
    return in_order(found, parts, top, latest=book.latest, compiled=many)


def in_order(
    found: Array, parts: int, top: int | None = None, *, latest: bool, compiled: bool
) -> Listed:
    """The ranked list of some totals."""
    whole = Listed(*sums.ordered(found, parts, latest=latest, compiled=compiled))
    if top is None:
        return whole
    past = int(np.searchsorted(whole.ranks, top, side="right"))
    return Listed(*(one[:past] for one in whole))


def ranking(book: Ledger, selection: Selection, top: int | None = None) -> Ranking:
    """Players ranked by what their awards are worth on a day.

    Args:
        book: of one regulation.
        selection: the day and what else decides which awards count.
        top: only ranks up to this one.

    Raises:
        Refused: the regulation has no such kind of points, or the ledger does not know its players.
    """
    players, ranks, nanopoints = listed(book, selection, top)
    frame = named(book)[players].with_columns(ranked(ranks, nanopoints))
    return Ranking(
        question=book.question,
        selection=selection,
        by="player",
        frame=frame,
        notices=book.notices,
        waiting=entering(book.question, selection, book.waiting),
    )
