"""
Many tournaments of one shape, awarded as one: the clauses of events run on columns.

Tournaments have one shape if they have the same flights and leave the same cells empty. A
regulation gets one `Tournament` for all of them, with columns for numbers and days. Where it needs
a single value, refuses the facts or has a notice, they are awarded one by one: the result is the
same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any, cast

import numpy as np
import polars as pl
from msgspec import Struct

from palmares.core.errors import PalmaresError
from palmares.core.rounding import UNCOUNTABLE, ExchangeRate
from palmares.facts.rates import rate
from palmares.points.award_table import OF_GRANTS, SCHEMA, row_numbers
from palmares.points.inputs import Tables, divisions, exact
from palmares.points.kernels import arrays
from palmares.points.kernels.arrays import EncodedColumn, SingleValueNeeded, TwoAnswers, Unknown
from palmares.points.kernels.sums import Array, places_of
from palmares.regulations.editions import Rulebook
from palmares.regulations.model import Event, Flight, Grant, Memberships, Tournament
from palmares.regulations.protocol import Regulation

FEWEST = 50
"""Tournaments in a batch: fewer are awarded one by one as quickly."""
MOST_SPLITS = 100
"""How often batches are split; after that, tournaments go one by one."""

_NOT_TOGETHER = (SingleValueNeeded, PalmaresError, TypeError)
"""What a regulation raises that needs a single value, refuses a tournament, or calls a function
that takes no column; any other error is one of its own, or of ours."""
_UNKNOWN: Any = Unknown()


class RowNumbers(Unknown):
    """The ids of events of many tournaments, as rows of the table of events."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows


class Placings(Unknown):
    """A column of placings of one flight of many tournaments: rows *first* to *past* of each."""

    def __init__(self, column: Any, first: Array, past: Array) -> None:
        self.column, self.first, self.past = column, first, past


class Block(Struct, frozen=True, eq=False):
    """The awards of one flight of many tournaments, event after event."""

    grant: Grant  # terms may be columns with a value for each event
    events: Array  # rows of the table of events
    sizes: Array  # how many awards each event makes
    players: Array
    nanopoints: Array
    columns: dict[str, Array]  # the other columns of rows, if terms are wanted


class Batches(Struct, frozen=True, eq=False):
    """What was awarded in batches; tournaments are rows of their table."""

    blocks: list[Block]
    left: list[int]  # those to be awarded one by one
    advised: list[int]  # those that may have something that officers should look at

    def joined(
        self, tables: Tables, grants: pl.DataFrame, rows: pl.DataFrame, *, terms: bool
    ) -> tuple[pl.DataFrame, pl.DataFrame]:
        """All grants and their rows; column ``order`` of grants has the order of time.

        Args:
            tables: the tables that were awarded.
            grants: those that were made one by one, as `palmares.points.award_table` has them.
            rows: of these grants.
            terms: whether rows have terms.
        """
        all_grants, all_rows, many = [grants], [rows], len(grants)
        for block in self.blocks:
            all_grants.append(_grants(block, tables))
            all_rows.append(_rows(block, many, terms=terms))
            many += len(block.sizes)
        every = pl.concat(all_grants)
        return _timed(every, tables), pl.concat(all_rows, how="diagonal_relaxed")


def award(regulation: Regulation, rules: Rulebook, tables: Tables, *, terms: bool) -> Batches:
    """Award tournaments in batches.

    Args:
        regulation: the regulation.
        rules: its editions.
        tables: what it sees.
        terms: whether the terms of awards are wanted.
    """
    shapes = _Shapes(tables)
    blocks: list[Block] = []
    left: list[Array] = []
    for rows, outcomes in shapes.results(
        lambda batch: regulation.award(rules, batch, cast("Memberships", Unknown()))
    ):
        new_blocks = None if outcomes is None else _blocks(outcomes, terms=terms)
        if new_blocks is None:
            left.append(rows)
        else:
            blocks += new_blocks
    advised: list[Array] = []
    if advice := regulation.advice:
        results = shapes.results(lambda batch: advice(rules, batch))
        advised = [rows for rows, notices in results if notices is None or notices]
    return Batches(blocks, *(sorted(chain.from_iterable(each)) for each in (left, advised)))


def _blocks(outcomes: Iterable[Any], *, terms: bool) -> list[Block] | None:
    """The grants of a batch with their points; none if it must go one by one."""
    blocks = []
    for outcome in outcomes:
        if not isinstance(outcome, Grant) or not isinstance(outcome.players, Placings):
            return None
        try:
            blocks.append(_block(outcome, terms=terms))
        except SingleValueNeeded:
            return None
    return None if any((each.nanopoints == UNCOUNTABLE).any() for each in blocks) else blocks


def _block(grant: Grant, *, terms: bool) -> Block:
    """One grant of a batch with its points; events without placings make no awards."""
    players, event = cast("Any", grant.players), cast("Any", grant.event.event_id)
    sizes = players.past - players.first
    places = places_of(players.first, sizes)
    columns = {name: column.column[places] for name, column in cast("Any", grant.columns).items()}
    derived, nanopoints = arrays.worked(grant, columns, sizes)
    return Block(
        grant=grant,
        events=event.rows,
        sizes=sizes,
        players=players.column[places],
        nanopoints=nanopoints,
        columns=columns | derived if terms else {},
    )


# ── the table of awards ──────────────────────────────────────────────────────────────────────────


def _rows(block: Block, first: int, *, terms: bool) -> pl.DataFrame:
    """The awards of a block, whose grants are numbered from *first* on."""
    events = np.repeat(np.arange(len(block.sizes)), block.sizes)
    common = {name: _spread(value, events) for name, value in block.grant.terms.items() if terms}
    numbers = {
        "player": pl.Series(block.players).cast(pl.UInt32),
        "grant": pl.Series(events + first, dtype=pl.UInt32),
        "nanopoints": block.nanopoints,
    }
    return pl.DataFrame(numbers | common | block.columns)


def _grants(block: Block, tables: Tables) -> pl.DataFrame:
    events = tables.events[block.events]
    columns = {
        "event_id": events["event_id"],
        "event": events["name"],
        "flight": block.grant.flight,
        "kind": block.grant.kind,
        "effective": _spread(block.grant.effective, np.arange(len(events))),
        "edition": block.grant.rules.edition.id,
        "tournament_id": events["tournament_id"],
        "setting": tables.tournaments["setting"].gather(events["tournament"]),
        "division": _highest_divisions(events["division_rank"]),
        "order": 0,
    }
    return pl.DataFrame(columns, {name: SCHEMA[name] for name in OF_GRANTS})


def _highest_divisions(ranks: pl.Series) -> pl.Series:
    """The highest division of each event; 1 where there are none."""
    different = ranks.unique().drop_nulls().to_list()
    highest = {text: min(divisions(text), default=1) for text in different}
    return ranks.replace_strict(highest, default=1, return_dtype=pl.Int64)


def _spread(value: Any, events: Array) -> pl.Series:
    """The value of each of some events of a block."""
    if isinstance(value, EncodedColumn):
        return pl.Series(value.values, strict=False).gather(value.codes[events])
    return pl.Series([value]).new_from_index(0, len(events))


def _timed(grants: pl.DataFrame, tables: Tables) -> pl.DataFrame:
    start = pl.coalesce("start_date", "end_date")
    days = tables.tournaments.select("end_date", start.alias("_start"), tournament="row")
    events = (
        tables.events.join(days, on="tournament")
        .sort("end_date", "_start", pl.col("sequence").fill_null(-1), "event_id")
        .select("event_id")
    )
    moments = row_numbers(grants.select("event_id"), events)
    places = np.empty(len(grants), np.int64)
    places[np.argsort(moments.to_numpy(), kind="stable")] = np.arange(len(grants))
    return grants.with_columns(pl.Series("order", places))


# ── tournaments as columns ───────────────────────────────────────────────────────────────────────

_OF_A_TOURNAMENT = ("start_date", "end_date", "setting", "date_of_record")
_OF_AN_EVENT = ("kind", "event_type", "entrants", "entry_fee", "added_money", "bonus_grade",
                "rounds", "world_championship", "national_championship", "team", "event_level",
                "date_of_record", "completed_on", "sequence", "division_rank")  # fmt: skip
_OF_A_FLIGHT = ("format", "entrants", "match_length")
"""The cells that are columns; tournaments of one shape leave the same of them empty."""


class _Shapes:
    """Tables as columns, and the tournaments of each shape."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        tournaments, events, flights = tables.tournaments, tables.events, tables.flights
        self.of_tournaments = _columns(tournaments, _OF_A_TOURNAMENT)
        self.of_events = _columns(events, _OF_AN_EVENT)
        self.of_flights = _columns(flights, _OF_A_FLIGHT)
        self.rates = _rates(tables)
        self.first_event = np.searchsorted(events["tournament"], np.arange(len(tournaments) + 1))
        self.first_flight = np.searchsorted(flights["event"], np.arange(len(events) + 1))
        self.placings = {name: np.asarray(column) for name, column in tables.placings.items()}
        self.batches = self._batches()

    def _batches(self) -> list[Array]:
        matches = pl.col("event_id").is_in(list(self.tables.matches)).alias("has matches")
        rated = pl.Series([rate is not None for rate in self.rates.values], dtype=pl.Boolean)
        flight = pl.struct("name", *_empty(_OF_A_FLIGHT)).alias("flights")
        event = pl.struct("flights", matches, *_empty(_OF_AN_EVENT)).alias("events")
        flights = self.tables.flights.group_by(row="event").agg(flight)
        events = self.tables.events.join(flights, on="row", how="left", maintain_order="left")
        events = events.group_by(row="tournament").agg(event)
        shapes = self.tables.tournaments.join(events, on="row", how="left", maintain_order="left")
        shapes = shapes.select(
            "row",
            "events",
            *_empty(_OF_A_TOURNAMENT),
            rated.gather(self.rates.codes).alias("rated"),
        )
        batches = shapes.group_by(pl.exclude("row"), maintain_order=True).agg("row")
        return [rows.to_numpy() for rows in batches["row"]]

    def results(
        self, work: Callable[[Tournament], Iterable[Any]]
    ) -> Iterator[tuple[Array, list[Any] | None]]:
        """What work gives for each batch; none if its tournaments must go one by one."""
        todo, splits = list(self.batches), 0
        while todo:
            rows, result = todo.pop(), None
            if len(rows) >= FEWEST and splits < MOST_SPLITS:
                together = self.tournament(rows)
                try:
                    result = list(work(together))
                except TwoAnswers as split:
                    splits += 1
                    todo += [rows[split.holds], rows[~split.holds]]
                    continue
                except _NOT_TOGETHER:
                    pass
            yield rows, result

    def tournament(self, rows: Array) -> Tournament:
        """Some tournaments of one shape, as one."""
        rates: Any = self.rates.of(rows).used()
        many = self.first_event[rows[0] + 1] - self.first_event[rows[0]]
        return Tournament(
            tournament_id=_UNKNOWN,
            name=_UNKNOWN,
            where=_UNKNOWN,
            currency=_UNKNOWN,
            rate=None
            if None in rates.values
            else ExchangeRate(
                eur_per_unit=rates.each(lambda rate: rate.eur_per_unit),
                source=rates.each(lambda rate: rate.source),
            ),
            bank_until=self.tables.facts.bank_until,
            events=tuple(self._event(self.first_event[rows] + number) for number in range(many)),
            **_cells(self.of_tournaments, rows),
        )

    def _event(self, rows: Array) -> Event:
        first_id, cells = self.tables.events["event_id"][int(rows[0])], _cells(self.of_events, rows)
        ranks = cells.pop("division_rank")
        many = self.first_flight[rows[0] + 1] - self.first_flight[rows[0]]
        return Event(
            event_id=cast("Any", RowNumbers(rows)),
            name=_UNKNOWN,
            where=_UNKNOWN,
            division_ranks=() if ranks is None else ranks.each(divisions),
            flights=tuple(self._flight(self.first_flight[rows] + number) for number in range(many)),
            matches=_UNKNOWN if first_id in self.tables.matches else (),
            **cells,
        )

    def _flight(self, rows: Array) -> Flight:
        flights = self.tables.flights
        first, past = (flights[name].to_numpy()[rows] for name in ("first", "past"))
        placings = {name: Placings(each, first, past) for name, each in self.placings.items()}
        cells = _cells(self.of_flights, rows)
        return Flight(name=flights["name"][int(rows[0])], **cells, **cast("Any", placings))


def _columns(frame: pl.DataFrame, names: Iterable[str]) -> dict[str, tuple[EncodedColumn, Array]]:
    columns = {}
    for name in names:
        cells = frame[name]
        empty = cells.is_null()
        if empty.all():
            columns[name] = EncodedColumn([], np.zeros(len(cells), np.int64)), empty.to_numpy()
            continue
        values = cells.drop_nulls().unique().sort().to_list()
        if cells.dtype.is_decimal():
            values = [exact(value) for value in values]
        codes = (cells.rank("dense").fill_null(1) - 1).to_numpy().astype(np.int64)
        columns[name] = EncodedColumn(values, codes), empty.to_numpy()
    return columns


def _cells(columns: Mapping[str, tuple[EncodedColumn, Array]], rows: Array) -> dict[str, Any]:
    """Cells of some rows of one shape: a column each, or none where they are empty."""
    return {
        name: None if empty[rows[0]] else column.of(rows)
        for name, (column, empty) in columns.items()
    }


def _empty(names: Iterable[str]) -> list[pl.Expr]:
    return [pl.col(name).is_null().cast(pl.Int8).alias(f"{name} is empty") for name in names]


def _rates(tables: Tables) -> EncodedColumn:
    """The exchange rate of each tournament, if the regulation asks for rates."""
    if not tables.money:
        return EncodedColumn([None], np.zeros(tables.tournaments.height, np.int64))
    day = pl.when(pl.col("currency") != "EUR").then("end_date").alias("day")
    wanted = tables.tournaments.select("currency", day, "eur_per_unit")
    different = wanted.unique(maintain_order=True)
    rates = [rate(tables.facts, *row) for row in different.iter_rows()]
    return EncodedColumn(rates, row_numbers(wanted, different).to_numpy().astype(np.int64))
