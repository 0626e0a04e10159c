"""
A journal's awards, kept in memory: a new entry costs what it touches.

A report touches its tournament; a membership those in which its player was placed; an exchange rate
those in its currency that state none. Where a rating is made from the one before, all tournaments
that end on the same day are awarded again, for what is said of simultaneous events.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from operator import itemgetter
from typing import Any, NamedTuple
from weakref import ref

import numpy as np
import polars as pl

from palmares.core.errors import FactsRejected, Problem
from palmares.facts import Facts
from palmares.facts.merge import named_players, played_in, subset, with_people
from palmares.facts.rates import priced_by
from palmares.facts.schema import FILE, LINE
from palmares.journal.projection.project import LOOKUP_LIMIT as FEW_PEOPLE
from palmares.journal.projection.project import Delta, Projection, updated
from palmares.points import awards
from palmares.points.awards import Awards, Question, Waiting, in_order
from palmares.points.kernels.rows import Array
from palmares.points.ledger import Ledger, PlayerRows, player_rows
from palmares.points.ledger_rows import (
    NOBODY,
    Names,
    number_awards,
    overlaid,
    row_schema,
    rows_of_players,
)

AT_ONCE = 1_000_000
"""Placings that are awarded at once: enough for batches, and little in memory."""
NEWER = 8
"""Newer rows are merged into the others once they are one in so many of them."""
FEW = 10_000
"""How many newer rows are kept apart in any case."""
MOST = 4
"""All tournaments are awarded where more than one in so many is touched."""


class Noticed(NamedTuple):
    """A notice, and the tournament it is about."""

    end_date: date
    start_date: date
    tournament_id: str
    problem: Problem


class Places:
    """The row of each player in the table of players, kept while awards grow.

    To join 150,000 ids anew took as long as to add up five million awards. The table has names in
    it, so this does not keep it alive.
    """

    def __init__(self) -> None:
        self._kept: tuple[ref[pl.DataFrame] | None, pl.Series] = None, pl.Series(dtype=pl.UInt32)

    def of(self, players: pl.DataFrame, people: pl.DataFrame) -> pl.Series:
        """The row of each player, by number; null if they are not in the table."""
        table, rows = self._kept
        if table is None or table() is not people:
            rows = rows.clear()
        if len(rows) < len(players):
            fresh = players[len(rows) :]
            ids = people.select("player_id").with_row_index("row")
            if len(rows):
                ids = ids.filter(pl.col("player_id").is_in(fresh["player_id"].implode()))
            more = fresh.join(ids, on="player_id", how="left", maintain_order="left")["row"]
            rows = pl.concat([rows, more])
            self._kept = ref(people), rows
        return rows


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class KeptAwards:
    """The awards of a question for the facts of a journal."""

    question: Question
    projection: Projection
    names: Names
    rows: PlayerRows  # of every player
    newer: PlayerRows  # of players whose rows have changed since: these replace the others
    noticed: tuple[Noticed, ...]
    waiting: tuple[Waiting, ...] = ()
    places: Places = field(default_factory=Places)

    def people(self, numbers: Array) -> pl.DataFrame:
        """Name, nation and withheld of some players, by their numbers, in the order given."""
        ids, columns = self.names.players[numbers], ("name", "nation", "withheld")
        lookup = self.projection.lookup
        if lookup is not None and len(ids) <= FEW_PEOPLE:
            some = lookup(ids["player_id"].to_list())
            return ids.join(some, on="player_id", how="left", maintain_order="left").select(columns)
        people = self.projection.tables["players"]
        rows = self.places.of(self.names.players, people)[numbers]
        return people.select(pl.col(columns).gather(rows))

    def of(self, players: Array) -> pl.DataFrame:
        """The rows of some players, given their numbers."""
        below = np.setdiff1d(players, self.newer.players)
        return pl.concat([self.rows.of(below), self.newer.of(players)])

    def in_force(self) -> pl.DataFrame:
        """Award class and nanopoints of every award in force."""
        newer = pl.Series(self.newer.players)
        below = self.rows.frame.filter(~pl.col("player").is_in(newer.implode()))
        return pl.concat(
            [each.select("award_class", "nanopoints") for each in (below, self.newer.frame)]
        )

    @property
    def ledger(self) -> Ledger:
        """The ledger that lists are made from."""
        return Ledger(
            question=self.question,
            players=self.names.players,
            award_classes=self.names.award_classes,
            base=self.rows,
            newer=self.newer if len(self.newer.players) else None,
            people=self.people,
            notices=self.notices,
            waiting=self.waiting,
        )

    @property
    def notices(self) -> tuple[Problem, ...]:
        """What a person should know, in the order of awards."""
        return tuple(noticed.problem for noticed in self.noticed)


class Given(NamedTuple):
    """The awards of some tournaments of a journal; never of a fold."""

    tournaments: frozenset[str]
    awards: Awards


# ── awarding ─────────────────────────────────────────────────────────────────────────────────────


def award_all(question: Question, projection: Projection) -> KeptAwards:
    """Award every tournament of a projection.

    Raises:
        FactsRejected: a fold comes to no number.
        NotCovered, Refused: no such regulation, edition or reading.
    """
    names, made_of = NOBODY, [pl.DataFrame(schema=row_schema(question))]
    noticed: list[Noticed] = []
    waiting: list[Waiting] = []
    for facts in _portions(question, projection):
        names, rows, given = _awarded(question, facts, names)
        made_of.append(rows)
        noticed += _noticed(given.notices, facts)
        waiting += given.waiting
    everybody = np.arange(len(names.players))
    return KeptAwards(
        question=question,
        projection=projection,
        names=names,
        rows=_rows_by_player(question, projection, names, everybody, pl.concat(made_of)),
        newer=nothing(question),
        noticed=tuple(sorted(noticed, key=_moment(question))),
        waiting=in_order(waiting),
    )


def nothing(question: Question) -> PlayerRows:
    """Rows of no player."""
    return player_rows(np.arange(0), pl.DataFrame(schema=row_schema(question)))


def _portions(question: Question, projection: Projection) -> Iterator[Facts]:
    """The facts in portions; whole if awards of one tournament depend on another."""
    tables = projection.tables
    rows = tables["placings"].height + tables["matches"].height
    portions = 1 if question.aggregate.latest else rows // AT_ONCE
    if portions <= 1:
        yield projection.facts
        return
    tournaments = tables["tournaments"]["tournament_id"]
    cuts = np.linspace(0, len(tournaments), portions + 1).astype(int).tolist()
    for start, end in pairwise(cuts):
        yield Facts(subset(tables, tournaments[start:end].to_list()), may_wait=True)


def _awarded(question: Question, facts: Facts, names: Names) -> tuple[Names, pl.DataFrame, Awards]:
    """The rows of some tournaments, not folded yet, and their awards."""
    fold = question.aggregate.step is not None
    given = awards.award(question, facts, terms=fold, unfolded=fold)
    names, rows = number_awards(given, facts, names)
    return names, rows, given


def _noticed(notices: Collection[Problem], facts: Facts) -> list[Noticed]:
    """Notices with the tournaments whose entries they name."""
    if not notices:
        return []
    start = pl.col("start_date").fill_null(pl.col("end_date"))
    table = facts.tables["tournaments"].select(FILE, "end_date", start, "tournament_id")
    of = {entry: (end, start, tournament) for entry, end, start, tournament in table.iter_rows()}
    none = (date.min, date.min, "")  # of what names no entry
    return [Noticed(*of.get(notice.at.file, none), notice) for notice in notices]


def _moment(question: Question) -> Callable[[Noticed], Any]:
    """The key that sorts notices: tournaments in the order of time; in a fold, days."""
    return itemgetter(0) if question.aggregate.latest else itemgetter(0, 1, 2)


def _rows_by_player(
    question: Question, projection: Projection, names: Names, players: Array, rows: pl.DataFrame
) -> PlayerRows:
    """Rows by player; where a fold comes to no number, awarding all says which event."""
    try:
        return rows_of_players(question, names, players, rows)
    except FactsRejected:
        awards.award(question, projection.facts)
        raise


# ── after more entries ────────────────────────────────────────────────────────────────────────────


def apply_delta(before: KeptAwards, delta: Delta, given: Given | None = None) -> KeptAwards:
    """The awards after some entries.

    Args:
        before: awards of the facts before.
        delta: the entries since, and the facts after them.
        given: the awards of the tournaments that they touch, if they were made already.

    Raises:
        FactsRejected: as `awarded` does.
        ValueError: the entries do not follow the facts that were awarded.
    """
    if delta.before.state.head != before.projection.state.head:
        raise ValueError("the entries do not follow the facts that were awarded")
    question, projection = before.question, delta.after
    tournaments = affected_tournaments(delta, money=question.get_regulation().money)
    if not tournaments:
        return replace(before, projection=projection)
    if question.aggregate.latest:
        tournaments = _same_days(delta.before.tables, projection.tables, tournaments)
    if len(tournaments) > max(MOST, projection.tables["tournaments"].height // MOST):
        return award_all(question, projection)
    gone = before.names.events["tournament_id"].is_in(list(tournaments)).to_numpy()
    same = tournaments == delta.tournaments
    tables = projection.tables
    own = _reported(delta) if same else subset(tables, tournaments)
    facts = Facts(own, may_wait=True)
    if given is not None and given.tournaments == tournaments:
        names, fresh = number_awards(given.awards, facts, before.names)
        anew = given.awards
    else:
        names, fresh, anew = _awarded(question, facts, before.names)
    players = _players_touched(before, gone, fresh)
    above = before.newer.players
    theirs = before.of(players)
    kept_rows = theirs.filter(pl.Series(~gone[theirs["event"].to_numpy()]))
    changed = _rows_by_player(question, projection, names, players, pl.concat([kept_rows, fresh]))
    newer = overlaid(before.newer, changed, np.union1d(above, players))
    noticed = [each for each in before.noticed if each.tournament_id not in tournaments]
    waiting = [each for each in before.waiting if each.tournament_id not in tournaments]
    for each in _noticed(anew.notices, facts):
        insort(noticed, each, key=_moment(question))
    rows = before.rows
    if len(newer.frame) > max(FEW, len(rows.frame) // NEWER):
        rows = overlaid(rows, newer, np.arange(len(names.players)))
        newer = nothing(question)
    return KeptAwards(
        question=question,
        projection=projection,
        names=names,
        rows=rows,
        newer=newer,
        noticed=tuple(noticed),
        waiting=in_order([*waiting, *anew.waiting]),
        places=before.places,
    )


def _reported(delta: Delta) -> dict[str, pl.DataFrame]:
    """The facts of reports, with the players whom they name and no others."""
    projection = delta.after
    named = projection.people(named_players(delta.rows)["player_id"])
    return with_people(delta.rows, updated(projection.tables, {"players": lambda: named}))


def _players_touched(before: KeptAwards, gone: Array, fresh: pl.DataFrame) -> Array:
    """The players with rows of events that are made anew, before or after."""
    players = [fresh["player"].unique().to_numpy()]
    if gone.any():
        players += [before.rows.touched(gone), before.newer.touched(gone)]
    return np.unique(np.concatenate(players)).astype(np.int64)


def affected_tournaments(delta: Delta, *, money: bool = True) -> set[str]:
    """The tournaments whose awards some entries may have changed.

    Those that they report; those in which somebody played whose membership they state; and, where
    money counts, those whose fees a rate of theirs may turn into euro.
    """
    if not delta.places:
        return set()
    before, after = delta.before.tables, delta.after.tables
    members = _differing(before["memberships"], after["memberships"])["player_id"]
    affected = delta.tournaments | (played_in(after, set(members)) if len(members) else set())
    if money:
        affected |= priced_by(_differing(before["rates"], after["rates"]), after["tournaments"])
    return set(affected)


def _differing(before: pl.DataFrame, after: pl.DataFrame) -> pl.DataFrame:
    """The rows that only one of two tables has."""
    if before is after:
        return before.clear()
    columns = [name for name in before.columns if name not in (FILE, LINE)]
    return pl.concat(
        each.join(other, on=columns, how="anti", nulls_equal=True)
        for each, other in ((before, after), (after, before))
    )


def _same_days(
    before: Mapping[str, pl.DataFrame], after: Mapping[str, pl.DataFrame], tournaments: set[str]
) -> set[str]:
    """Some tournaments, and all that end on their days."""
    both = [each["tournaments"].select("tournament_id", "end_date") for each in (before, after)]
    wanted = pl.col("tournament_id").is_in(list(tournaments))
    days = {day for each in both for day in each.filter(wanted)["end_date"]}
    more = (each.filter(pl.col("end_date").is_in(list(days)))["tournament_id"] for each in both)
    return tournaments.union(*more)
