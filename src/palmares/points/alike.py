"""
Tournaments that are alike, awarded together: clauses of events run on columns.

    awarded     what a regulation grants to tournaments that it takes together, and who is left
    Together    both
    Block       the awards of one flight of many tournaments, with their points

Tournaments are alike that have the same kinds of events and flights and leave the same cells
empty. The regulation is given one `Tournament` for all of them, whose numbers and days are columns
(`palmares.points.kernels.columns`); where it cannot go on with columns, or has something to say,
they are left to be awarded one by one, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, cast

import numpy as np
import polars as pl

from palmares.core.errors import PalmaresError
from palmares.core.money import Rate
from palmares.core.rounding import UNCOUNTABLE
from palmares.facts.rates import rate
from palmares.points.award_table import OF_GRANTS, SCHEMA
from palmares.points.inputs import Tables, divisions, exact
from palmares.points.kernels import arrays
from palmares.points.kernels.columns import Column, OneByOne, Split, Unknown
from palmares.points.kernels.rows import Array
from palmares.regulations.editions import Rulebook
from palmares.regulations.model import Event, Flight, Grant, Memberships, Tournament
from palmares.regulations.protocol import Outcome, Regulation

FEW = 50
"""So many that are alike are awarded one by one as quickly as together."""
MOST_SPLITS = 100
"""A regulation that goes more ways than this goes through tournaments one by one."""

# What a clause raises that a column, or one value of many, is nothing for.
_NOT_TOGETHER = (OneByOne, PalmaresError, ArithmeticError, TypeError, ValueError, LookupError)


_UNKNOWN: Any = Unknown()


class RowNumbers(Unknown):
    """Ids of events of many tournaments: their rows in the table of events."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows


class Placings(Unknown):
    """A column of the placings of a flight of many tournaments: that of all, and which of them."""

    def __init__(self, whole: Any, first: Array, past: Array) -> None:
        self.whole, self.first, self.past = whole, first, past


@dataclass(frozen=True, slots=True, eq=False)
class Block:
    """The awards of one flight of many tournaments; their rows follow each other."""

    grant: Grant  # terms may be columns with a value for each event
    events: Array  # rows of the table of events
    sizes: Array  # how many awards each event makes
    players: Array
    nanopoints: Array
    columns: dict[str, Array]  # the other columns of rows, if terms are wanted


@dataclass(frozen=True, slots=True, eq=False)
class Together:
    """What could be done with many tournaments at once; tournaments are rows of their table."""

    blocks: list[Block]
    left: list[int]  # those to be awarded one by one
    advised: list[int]  # those to be looked at one by one for what officers should know


def awarded(held: Regulation, rules: Rulebook, given: Tables, *, terms: bool) -> Together:
    """The awards of tournaments that are alike.

    Args:
        held: the regulation.
        rules: its editions.
        given: what it sees.
        terms: whether the terms of awards are wanted.
    """
    kept = _Columns(given)
    blocks: list[Block] = []
    left: list[Array] = []
    for rows, outcomes in kept.asked(
        lambda one: held.award(rules, one, cast("Memberships", Unknown()))
    ):
        made = None if outcomes is None else _blocks(outcomes, terms=terms)
        left += [rows] if made is None else []
        blocks += made or []
    advised: list[int] = []
    if held.advice:
        advice = held.advice
        advised = _all(
            rows
            for rows, said in kept.asked(lambda one: advice(rules, one))
            if said is None or said
        )
    return Together(blocks, _all(left), advised)


def _all(rows: Iterable[Array]) -> list[int]:
    return sorted(chain.from_iterable(one.tolist() for one in rows))


# ── awards ───────────────────────────────────────────────────────────────────────────────────────


def _blocks(outcomes: list[Outcome], *, terms: bool) -> list[Block] | None:
    """The grants of a group with their points; none if the group must go one by one."""
    found = []
    for one in outcomes:
        if not isinstance(one, Grant) or not isinstance(one.players, Placings):
            return None
        try:
            found.append(_block(one, terms=terms))
        except _NOT_TOGETHER:
            return None
    return None if any((one.nanopoints == UNCOUNTABLE).any() for one in found) else found


def _block(grant: Grant, *, terms: bool) -> Block:
    """One grant of a group with its points; events without placings make no awards."""
    players, event = cast("Any", grant.players), cast("Any", grant.event.event_id)
    sizes = players.past - players.first
    at = np.repeat(players.first - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    columns = {name: column.whole[at] for name, column in cast("Any", grant.columns).items()}
    derived, nanopoints = arrays.worked(grant, columns, sizes)
    return Block(
        grant=grant,
        events=event.rows,
        sizes=sizes,
        players=players.whole[at],
        nanopoints=nanopoints,
        columns=columns | derived if terms else {},
    )


# ── the table of awards ──────────────────────────────────────────────────────────────────────────


def joined(
    blocks: Sequence[Block],
    given: Tables,
    grants: pl.DataFrame,
    rows: pl.DataFrame,
    *,
    terms: bool,
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Grants and rows as `palmares.points.award_table.Numbered` has them, with those of blocks.

    Args:
        blocks: awards that were made together.
        given: the tables that they are of.
        grants: those that were made one by one, in the order of time.
        rows: of these grants.
        terms: whether rows have terms.

    Returns:
        All grants and their rows, in the order of time.
    """
    heads, parts, many = [grants], [rows], len(grants)
    for block in blocks:
        heads.append(_heads(block, given))
        parts.append(_rows(block, many, terms=terms))
        many += len(block.sizes)
    return _in_time(pl.concat(heads), pl.concat(parts, how="diagonal_relaxed"), given)


def _rows(block: Block, first: int, *, terms: bool) -> pl.DataFrame:
    """The awards of a block, whose grants are numbered from *first* on."""
    events = np.repeat(np.arange(len(block.sizes)), block.sizes)
    common = block.grant.terms if terms else {}
    return pl.DataFrame(
        {
            "player": pl.Series(block.players).cast(pl.UInt32),
            "grant": pl.Series(events + first, dtype=pl.UInt32),
            "nanopoints": block.nanopoints,
        }
    ).with_columns(
        pl.Series(name, values)
        for name, values in (
            {name: _spread(value, events) for name, value in common.items()} | block.columns
        ).items()
    )


def _heads(block: Block, given: Tables) -> pl.DataFrame:
    """What all rows of a grant have in common, a row an event of a block."""
    events = given.events[block.events]
    every = np.arange(len(events))
    columns = {
        "event_id": events["event_id"],
        "event": events["name"],
        "flight": block.grant.flight,
        "kind": block.grant.kind,
        "effective": _spread(block.grant.effective, every),
        "edition": block.grant.rules.edition.id,
        "tournament_id": events["tournament_id"],
        "setting": given.tournaments["setting"].gather(events["tournament"]).fill_null("live"),
        "order": 0,
    }
    return pl.DataFrame(columns, {name: SCHEMA[name] for name in OF_GRANTS})


def _spread(value: Any, events: Array) -> pl.Series:
    """A value that all events of a block have in common, or each its own, for some of them."""
    if isinstance(value, Column):
        return pl.Series(value.values, strict=False).gather(value.codes[events])
    return pl.Series([value]).new_from_index(0, len(events))


def _in_time(
    grants: pl.DataFrame, rows: pl.DataFrame, given: Tables
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Grants, each with its rows, in the order of time."""
    start = pl.coalesce("start_date", "end_date")
    moments = (
        given.events.join(
            given.tournaments.select("end_date", start.alias("_start"), tournament="row"),
            on="tournament",
        )
        .sort("end_date", "_start", pl.col("sequence").fill_null(-1), "event_id")
        .select("event_id", pl.int_range(pl.len()).alias("_moment"))
    )
    moment = grants.join(moments, on="event_id", how="left", maintain_order="left")["_moment"]
    order = np.argsort(moment.to_numpy(), kind="stable")
    grants = grants[order].with_columns(order=pl.int_range(pl.len()))
    sizes = np.bincount(rows["grant"].to_numpy(), minlength=len(grants))
    first, sizes = (np.cumsum(sizes) - sizes)[order], sizes[order]
    at = np.repeat(first - (np.cumsum(sizes) - sizes), sizes) + np.arange(sizes.sum())
    of = pl.Series("grant", np.repeat(np.arange(len(sizes)), sizes), dtype=pl.UInt32)
    return grants, rows[at].with_columns(of)


# ── tournaments as columns ───────────────────────────────────────────────────────────────────────

_OF_A_TOURNAMENT = ("start_date", "end_date", "setting", "date_of_record")
_OF_AN_EVENT = ("kind", "event_type", "entrants", "entry_fee", "added_money", "bonus_grade",
                "rounds", "world_championship", "national_championship", "team", "event_level",
                "date_of_record", "completed_on", "sequence", "division_rank")  # fmt: skip
_OF_A_FLIGHT = ("format", "entrants", "match_length")
"""The cells that are columns; tournaments that are alike leave the same of them empty."""


class _Columns:
    """Tables as columns, and which tournaments are alike."""

    def __init__(self, given: Tables) -> None:
        self.given = given
        tournaments, events, flights = given.tournaments, given.events, given.flights
        self.of_tournaments = _coded(tournaments, _OF_A_TOURNAMENT)
        self.of_events = _coded(events, _OF_AN_EVENT)
        self.of_flights = _coded(flights, _OF_A_FLIGHT)
        self.rates = (
            _rates(given) if given.money else Column([None], np.zeros(len(tournaments), int))
        )
        self.first_event = np.searchsorted(events["tournament"], np.arange(len(tournaments) + 1))
        self.first_flight = np.searchsorted(flights["event"], np.arange(len(events) + 1))
        self.placings = {name: np.asarray(one) for name, one in given.placings.items()}
        self.groups = self._groups()

    def _groups(self) -> list[Array]:
        """The rows of tournaments that are alike."""
        given = self.given
        of_flights = _kinds(given.flights.select("name", *_empty(_OF_A_FLIGHT)))
        of_events = _kinds(
            given.events.select(
                *_empty(_OF_AN_EVENT),
                pl.col("event_id").is_in(list(given.matches)).alias("_matches"),
                *_following(of_flights, self.first_flight),
            )
        )
        known = pl.Series([one is not None for one in self.rates.values], dtype=pl.Boolean)
        kinds = _kinds(
            given.tournaments.select(
                *_empty(_OF_A_TOURNAMENT),
                known.gather(self.rates.codes).alias("_rate"),
                *_following(of_events, self.first_event),
            )
        ).to_numpy()
        order = np.argsort(kinds, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(kinds[order])) + 1)

    def asked(
        self, work: Callable[[Tournament], Iterable[Any]]
    ) -> Iterator[tuple[Array, list[Any] | None]]:
        """What work gives for tournaments that are alike; none if they must go one by one."""
        todo, splits = list(self.groups), 0
        while todo:
            rows, found = todo.pop(), None
            try:
                if len(rows) >= FEW and splits < MOST_SPLITS:
                    found = list(work(self.tournament(rows)))
            except Split as split:
                splits += 1
                todo += [rows[split.holds], rows[~split.holds]]
                continue
            except _NOT_TOGETHER:
                pass
            yield rows, found

    def tournament(self, rows: Array) -> Tournament:
        """Some tournaments that are alike, as one."""
        given, like = self.given, int(rows[0])
        rates: Any = self.rates.of(rows).used()
        events = range(self.first_event[like + 1] - self.first_event[like])
        return Tournament(
            tournament_id=_UNKNOWN,
            name=_UNKNOWN,
            where=_UNKNOWN,
            currency=_UNKNOWN,
            rate=None
            if None in rates.values
            else Rate(
                eur_per_unit=rates.each(lambda one: one.eur_per_unit),
                source=rates.each(lambda one: one.source),
            ),
            bank_until=given.facts.bank_until,
            events=tuple(self._event(self.first_event[rows] + number) for number in events),
            **_cells(self.of_tournaments, rows),
        )

    def _event(self, rows: Array) -> Event:
        like, cells = self.given.events["event_id"][int(rows[0])], _cells(self.of_events, rows)
        ranks = cells.pop("division_rank")
        first, past = self.first_flight[rows[0] : rows[0] + 2]
        return Event(
            event_id=cast("Any", RowNumbers(rows)),
            name=_UNKNOWN,
            where=_UNKNOWN,
            division_ranks=() if ranks is None else ranks.each(divisions),
            flights=tuple(
                self._flight(self.first_flight[rows] + number) for number in range(past - first)
            ),
            matches=_UNKNOWN if like in self.given.matches else (),
            **cells,
        )

    def _flight(self, rows: Array) -> Flight:
        flights = self.given.flights
        first, past = (flights[name].to_numpy()[rows] for name in ("first", "past"))
        cells = _cells(self.of_flights, rows)
        for name, whole in self.placings.items():
            cells[name] = Placings(whole, first, past)
        return Flight(name=flights["name"][int(rows[0])], **cells)


def _coded(frame: pl.DataFrame, names: Iterable[str]) -> dict[str, tuple[Column, Array]]:
    """Columns of a table, and where each is empty."""
    found = {}
    for name in names:
        empty = frame[name].is_null().to_numpy()
        values = frame[name].drop_nulls().unique().sort().to_list()
        if frame[name].dtype.is_decimal():
            values = [exact(value) for value in values]
        codes = (frame[name].rank("dense").fill_null(1) - 1).to_numpy().astype(np.int64)
        found[name] = Column(values, codes), empty
    return found


def _cells(columns: Mapping[str, tuple[Column, Array]], rows: Array) -> dict[str, Any]:
    """Cells of some rows that are alike: a column each, or none where they are empty."""
    return {
        name: None if empty[rows[0]] else column.of(rows)
        for name, (column, empty) in columns.items()
    }


def _empty(names: Iterable[str]) -> list[pl.Expr]:
    return [pl.col(name).is_null() for name in names]


def _kinds(frame: pl.DataFrame) -> pl.Series:
    """A number for each row: equal rows have the same."""
    different = frame.unique(maintain_order=True).with_row_index("_kind")
    return frame.join(
        different, on=frame.columns, how="left", maintain_order="left", nulls_equal=True
    )["_kind"]


def _following(kinds: pl.Series, first: Array) -> list[pl.Series]:
    """How many rows belong to each of others, and a number: equal if these are of equal kinds."""
    of, many = kinds.to_numpy().astype(np.int64), np.diff(first)
    found = np.zeros(len(many), np.int64)
    for at in range(int(many.max(initial=0))):
        here = np.flatnonzero(many > at)
        pairs = found[here] * (len(of) + 1) + of[first[here] + at]
        found[here] = np.unique(pairs, return_inverse=True)[1]
    return [pl.Series("_many", many), pl.Series("_kinds", found)]


def _rates(given: Tables) -> Column:
    """The exchange rate of each tournament, if rates are asked for."""
    if not given.money:
        return Column([None], np.zeros(given.tournaments.height, np.int64))
    day = pl.when(pl.col("currency") != "EUR").then("end_date").alias("day")
    asked = given.tournaments.select("currency", day, "eur_per_unit")
    different = asked.unique(maintain_order=True)
    rates = [rate(given.facts, *one) for one in different.iter_rows()]
    return Column(rates, _kinds(asked).to_numpy().astype(np.int64))
