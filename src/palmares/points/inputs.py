"""
Facts as a regulation sees them: tables in, tournaments out.

Placings stay columns: a flight's players, ranks and ties are slices of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import cached_property, lru_cache
from operator import itemgetter
from typing import Any, cast

import polars as pl
from msgspec import Struct

from palmares.core.errors import Location, Problem
from palmares.core.messages import msg
from palmares.facts import Facts
from palmares.facts.checks.ranks import placed
from palmares.facts.problems import Cell, problems_at
from palmares.facts.rates import rate
from palmares.facts.schema import FILE, FLIGHTS, LINE
from palmares.facts.text import printable
from palmares.regulations import Regulation, awarding
from palmares.regulations.model import (
    MAIN,
    Event,
    Flight,
    Match,
    Membership,
    Memberships,
    Tournament,
)


class Tables(Struct, frozen=True, eq=False, dict=True):
    """What a regulation sees of the facts; rows that belong together follow each other."""

    facts: Facts
    money: bool  # whether the regulation needs exchange rates
    tournaments: pl.DataFrame  # by end date, start date and id; ``row`` numbers them
    events: pl.DataFrame  # by tournament (its row), sequence and id; ``row`` numbers them
    left_out: pl.DataFrame  # the events of these tournaments that its officers left out
    reported: Facts  # the flights, placings and matches of these events

    @property
    def flights(self) -> pl.DataFrame:
        """The flights by event (its row), from the Main down; placings ``first`` to ``past``."""
        return self._flights[0]

    @property
    def placings(self) -> Mapping[str, Sequence[Any]]:
        """The columns of placings by flight, rank and player."""
        return self._flights[1]

    @cached_property
    def _flights(self) -> tuple[pl.DataFrame, Mapping[str, Sequence[Any]]]:
        return _flights(self.reported, self.events)

    @cached_property
    def matches(self) -> Mapping[str, Sequence[Match]]:
        """The matches by event id."""
        return _matches(self.reported)


def tables(facts: Facts, regulation: Regulation, only: Iterable[str] | None = None) -> Tables:
    """The tournaments of a regulation's discipline or of none, with all that was played there.

    Events that its officers left out (``not_counted_in``) stand apart. *only* narrows them to
    tournaments of these ids.
    """
    rows, events, left_out = _seen(facts, regulation, only)
    reported = facts
    if events.height < facts.tables["events"].height:
        # A list: to look for ids in a column of them, or to join one, takes three times as long.
        wanted = pl.col("event_id").is_in(events["event_id"].to_list())
        names = ("flights", "placings", "matches")
        reported = facts.changed(
            {name: facts.tables[name].filter(wanted) for name in names if len(facts.tables[name])}
        )
    return Tables(facts, regulation.money, rows, events, left_out, reported)


def _seen(
    facts: Facts, regulation: Regulation, only: Iterable[str] | None
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The tournaments and events of `Tables`, and the events that were left out."""
    wanted = [] if only is None else [pl.col("tournament_id").is_in(list(only))]
    rows = facts.tables["tournaments"].filter(*wanted, of_discipline(regulation))
    rows = rows.sort("end_date", pl.coalesce("start_date", "end_date"), "tournament_id")
    rows = rows.with_row_index("row").with_columns(
        pl.col("setting").fill_null("live"), pl.col("currency").fill_null("EUR")
    )
    numbers = {tournament: row for row, tournament in enumerate(rows["tournament_id"].to_list())}
    events = facts.tables["events"].filter(pl.col("tournament_id").is_in(list(numbers)))
    left_out = events.filter(left_out_of(regulation.name))
    if left_out.height:
        events = events.filter(~left_out_of(regulation.name))
    of = [numbers[tournament] for tournament in events["tournament_id"].to_list()]
    events = (
        events.hstack([pl.Series("tournament", of, rows.schema["row"])])
        .sort("tournament", "sequence", "event_id", nulls_last=False)
        .with_row_index("row")
        .with_columns(
            pl.col("kind").fill_null(""),
            pl.col("world_championship", "national_championship").fill_null(value=False),
        )
    )
    return rows, events, left_out


def tournaments(
    facts: Facts, regulation: Regulation, only: Iterable[str] | None = None
) -> list[Tournament]:
    """The tournaments a regulation sees, as `tables` has them, one by one."""
    given = tables(facts, regulation, only)
    return one_by_one(given, given.tournaments["row"])


def one_by_one(given: Tables, rows: pl.Series) -> list[Tournament]:
    """Some of the tournaments of tables, by their rows, in order."""
    chosen = given.tournaments
    if len(rows) < chosen.height:
        chosen = _chosen(chosen, "row", rows)
    events = _events(given, chosen)
    left_out: dict[str, list[tuple[str, Fraction | None]]] = defaultdict(list)
    for tournament, kind, fee in given.left_out[_OF_LEFT_OUT].iter_rows():
        left_out[tournament].append((kind or "", exact(fee)))
    stated = ("tournament_id", "name", "start_date", "end_date", "setting", "date_of_record",
              "currency")  # fmt: skip
    return [
        Tournament(
            **row,
            where=Location(file, line),
            rate=rate(given.facts, row["currency"], row["end_date"], eur_per_unit)
            if given.money
            else None,
            bank_until=given.facts.bank_until,
            events=tuple(events.get(number, ())),
            left_out=tuple(left_out.get(row["tournament_id"], ())),
        )
        for row, (number, file, line, eur_per_unit) in zip(
            chosen[stated].iter_rows(named=True),
            chosen[["row", FILE, LINE, "eur_per_unit"]].iter_rows(),
            strict=True,
        )
    ]


def unplayed(facts: Facts, regulation: Regulation, tournament_id: str) -> Tournament | None:
    """A tournament as if nothing had been played in it yet; none: the regulation sees none."""
    nothing = {name: facts.tables[name].clear() for name in ("placings", "matches")}
    return next(iter(tournaments(facts.changed(nothing), regulation, [tournament_id])), None)


def first_lines(given: Tables, rows: pl.Series) -> pl.DataFrame:
    """Where the first line of each of some tournaments stands: row, file and line, in this order.

    It is the line of a tournament, or of one of its events.
    """
    lines = (
        given.tournaments.select("row", FILE, LINE),
        given.events.select(pl.col("tournament").alias("row"), FILE, LINE),
    )
    in_order = pl.concat(lines).filter(pl.col("row").is_in(rows.implode())).sort(FILE, LINE)
    return in_order.unique("row", keep="first", maintain_order=True)


def _chosen(table: pl.DataFrame, column: str, rows: pl.Series) -> pl.DataFrame:
    """The rows of a table that belong to some rows of another."""
    return table.filter(pl.col(column).is_in(rows.implode()))


def _events(given: Tables, tournaments: pl.DataFrame) -> dict[int, list[Event]]:
    table = given.events
    if tournaments.height < given.tournaments.height:
        table = _chosen(table, "tournament", tournaments["row"])
    few = all(given.reported.tables[name].height < COLUMNS_FROM for name in ("flights", "placings"))
    flights = _flights_of_rows(given.reported, table) if few else _flights_of_columns(given, table)
    events: dict[int, list[Event]] = defaultdict(list)
    for row, (tournament, file, line, ranks, entry_fee, added, bonus) in zip(
        table[_STATED].iter_rows(named=True), table[_READ].iter_rows(), strict=True
    ):
        events[tournament].append(
            Event(
                **row,
                where=Location(file, line),
                division_ranks=divisions(ranks),
                entry_fee=exact(entry_fee),
                added_money=exact(added),
                bonus_grade=exact(bonus),
                flights=tuple(flights.get(row["event_id"], ())),
                matches=tuple(given.matches.get(row["event_id"], ())),
            )
        )
    return events


def _flights_of_columns(given: Tables, events: pl.DataFrame) -> dict[str, list[Flight]]:
    """The flights of some events, by event id: each a slice of the columns of placings."""
    of = given.flights
    if events.height < given.events.height:
        of = _chosen(of, "event", events["row"])
    flights: dict[str, list[Flight]] = defaultdict(list)
    for (event, first, past), row in zip(
        of[["event_id", "first", "past"]].iter_rows(),
        of[_OF_A_FLIGHT].iter_rows(named=True),
        strict=True,
    ):
        here: dict[str, Any] = {key: column[first:past] for key, column in given.placings.items()}
        flights[event].append(Flight(**row, **here))
    return flights


def _flights_of_rows(reported: Facts, events: pl.DataFrame) -> dict[str, list[Flight]]:
    """What `_flights_of_columns` gives, made row by row.

    For a few rows, each of the twenty calls of Polars takes longer than all of this.
    """
    cells: dict[str, dict[str, Sequence[Any]]] = defaultdict(dict)
    for event, flight, *stated in reported.tables["flights"][_FLIGHT_COLUMNS].iter_rows():
        cells[event][flight] = stated
    placings: dict[tuple[str, str], list[Sequence[Any]]] = defaultdict(list)
    behind = reported.tables["placings"]["rounds_behind"].count() > 0
    for event, flight, *placing in reported.tables["placings"][_PLACING_COLUMNS].iter_rows():
        cells[event].setdefault(flight or MAIN, _NOTHING)
        placings[event, flight or MAIN].append(placing)
    flights = {}
    for event, of_event in events[["event_id", "entrants"]].iter_rows():
        here = cells.get(event) or ({MAIN: _NOTHING} if of_event else {})
        flights[event] = [
            _flight(name, of_event, here[name], placings[event, name], behind=behind)
            for name in sorted(
                here, key=lambda name: (*(name != flight_name for flight_name in FLIGHTS), name)
            )
        ]
    return flights


def _flight(
    name: str,
    of_event: int | None,
    cells: Sequence[Any],
    placings: Sequence[Sequence[Any]],
    *,
    behind: bool,
) -> Flight:
    """A flight from rows of few placings."""
    entrants, form, length = cells
    if entrants is None:
        entrants = of_event if name == MAIN else None
    rows = sorted(placings, key=itemgetter(0, 1))
    ranks = [rank for rank, *_ in rows]
    sharing = Counter(ranks)
    return Flight(
        name=name,
        entrants=entrants or 0,
        format=form or "",
        match_length=length,
        players=[row[1] for row in rows],
        ranks=ranks,
        tied=[sharing[row[0]] if row[2] is None else row[2] for row in rows],
        designated=[bool(row[3]) for row in rows],
        rounds_behind=[row[4] for row in rows] if behind else [],
    )


_STATED = ("event_id", "name", "kind", "event_type", "entrants", "rounds", "world_championship",
           "national_championship", "team", "event_level", "date_of_record", "completed_on",
           "sequence")  # fmt: skip
"""What a regulation sees of an event as the table has it."""
_OF_LEFT_OUT = ("tournament_id", "kind", "entry_fee")
_READ = ("tournament", FILE, LINE, "division_rank", "entry_fee", "added_money",
         "bonus_grade")  # fmt: skip
"""What is read of an event in another form than its cell has."""


def of_discipline(regulation: Regulation) -> pl.Expr:
    """Whether a tournament is of the regulation's discipline, or names none."""
    discipline = pl.col("discipline")
    return discipline.is_null() | (discipline.str.to_lowercase() == regulation.discipline)


_LEFT_OUT = pl.col("not_counted_in").str.to_lowercase().str.extract_all(r"[^\s,;]+")
"""The regulations that an event is left out of; officers also write commas and capitals."""


def left_out_of(name: str) -> pl.Expr:
    """Whether the officers of a regulation left an event out."""
    return _LEFT_OUT.list.contains(name).fill_null(value=False)


def unknown_left_out(events: pl.DataFrame) -> Iterator[Problem]:
    """Events left out of what is no regulation; they count."""
    words = events.filter(pl.col("not_counted_in").is_not_null())
    words = words.with_columns(_word=_LEFT_OUT).explode("_word")
    if words.is_empty():  # to look for installed regulations takes time
        return
    names = awarding()
    yield from problems_at(
        words.filter(~pl.col("_word").is_in(names)),
        lambda row: msg(
            "%(event)s is left out of '%(word)s', which is no regulation",
            event=row["name"],
            word=printable(row["_word"]),
        ),
        Cell("events", "not_counted_in"),
        msg("Write one of these words: %(words)s.", words=", ".join(names)),
    )


@lru_cache(maxsize=4096)
def exact(value: Any) -> Fraction | None:
    """A number of a table as a fraction."""
    return None if value is None else Fraction(value)


def divisions(text: str | None) -> tuple[int, ...]:
    """The divisions that ``2+3`` names."""
    return tuple(int(part) for part in text.split("+")) if text else ()


_OF_A_PLACING = ("player_id", "rank", "tied", "designated", "rounds_behind")
_OF_A_FLIGHT = ("name", "entrants", "format", "match_length")
_FLIGHT_COLUMNS = ("event_id", "flight", "entrants", "format", "match_length")
_PLACING_COLUMNS = ("event_id", "flight", "rank", "player_id", "tied", "designated",
                      "rounds_behind")  # fmt: skip
_NOTHING = (None, None, None)
"""What is stated of a flight without a row."""
COLUMNS_FROM = 10_000
"""Rows from which columns pay: where players are numbers, placings stay in place with NumPy."""


def _flights(facts: Facts, events: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, Sequence[Any]]]:
    """Flights by event, and their placings as columns that each is cut out of.

    A Main that has no row of its own takes the event's entrants; so does the one flight of an event
    of which nothing else is known.
    """
    key = ["event_id", "flight"]
    codes, flights = placed(facts)
    stated = facts.tables["flights"].join(
        flights[key].with_row_index("code"), on=key, how="full", coalesce=True
    )
    ids = events.select("event_id", event="row", of_event="entrants")
    name = pl.col("flight").fill_null(MAIN)
    of_a_main = pl.when(name == MAIN).then("of_event")
    table = (
        stated.join(ids, on="event_id", how="right")
        .filter(pl.col("flight").is_not_null() | (pl.col("of_event") > 0))
        .with_columns(
            name.alias("name"),
            pl.coalesce("entrants", of_a_main, 0),
            pl.col("format").fill_null(""),
        )
        .sort("event", *(pl.col("name") != flight_name for flight_name in FLIGHTS), "name")
        .with_row_index("number")
    )
    numbers = pl.Series("number", [None], table.schema["number"]).new_from_index(0, len(flights))
    numbered = table[["code", "number"]].drop_nulls()
    numbers.scatter(numbered["code"], numbered["number"])
    rows = facts.tables["placings"][_OF_A_PLACING].hstack([numbers[codes]])
    if rows["number"].null_count():
        rows = rows.drop_nulls("number")
    rows = _in_order(rows)
    every = pl.int_range(table.height + 1, eager=True)
    starts = rows["number"].search_sorted(every).cast(pl.Int64)
    cuts = [starts[:-1].alias("first"), starts[1:].alias("past")]
    return table[["event", "event_id", *_OF_A_FLIGHT]].hstack(cuts), _placings(rows)


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Placings by flight, rank and player; many are sorted by one number of 64 bits."""
    columns = ("number", "rank", "player_id")
    if rows["player_id"].dtype == pl.String or len(rows) < COLUMNS_FROM:
        return rows.sort(columns)
    import numpy as np  # as below: a report of each tournament does without

    from palmares.points.kernels.sums import sort_order

    flights, ranks, players = (int(most) + 1 for most in rows.select(columns).max().row(0))
    if flights * ranks * players >= 2**63:
        return rows.sort(columns)
    number, rank, player = (rows[name].to_numpy() for name in columns)
    key = number.astype(np.int64)
    for values, many in ((rank, ranks), (player, players)):
        key *= many
        key += values
    empty = [name for name in rows.columns if rows[name].null_count() == len(rows)]
    in_order = rows.drop(empty)[sort_order(key)]
    return in_order.with_columns(pl.lit(None, rows.schema[name]).alias(name) for name in empty)


def _placings(rows: pl.DataFrame) -> dict[str, Sequence[Any]]:
    """The placings of all flights, sorted, as columns that a flight is cut out of."""
    tied = pl.struct("number", "rank").rle_id()  # rows of one rank follow each other
    rows = rows.with_columns(
        pl.col("tied").fill_null(pl.len().over(tied).cast(pl.Int64)),
        pl.col("designated").fill_null(value=False),
    )
    many = rows["player_id"].dtype != pl.String and len(rows) >= COLUMNS_FROM
    cut: Callable[[pl.Series], Any] = _in_place if many else pl.Series.to_list
    behind = rows["rounds_behind"]
    return {
        "players": cut(rows["player_id"]),
        "ranks": cut(rows["rank"]),
        "tied": cut(rows["tied"]),
        "designated": cut(rows["designated"]),
        "rounds_behind": [] if behind.null_count() == len(behind) else behind.to_list(),
    }


def _in_place(column: pl.Series) -> memoryview:
    """A column of numbers, cut without a copy, that gives Python's own numbers."""
    import numpy as np  # before Polars does: interrupted there, it would end in a panic of Rust

    return memoryview(cast("Any", np.asarray(column.to_numpy())))


def _matches(facts: Facts) -> dict[str, list[Match]]:
    table = facts.tables["matches"].sort("event_id", "match_id")
    matches: dict[str, list[Match]] = defaultdict(list)
    for row in table.iter_rows(named=True):
        matches[row["event_id"]].append(
            Match(
                match_id=row["match_id"],
                flight=row["flight"] or "main",
                played_on=row["played_on"],
                length=row["length"],
                winner=row["winner_id"],
                status=row["status"] or "played",
                series_wins=row["series_wins"],
            )
        )
    return matches


def memberships(facts: Facts, tournaments: Iterable[Tournament] | None = None) -> Memberships:
    """Every membership by player, the earliest first; of all, or of who played in tournaments."""
    table = facts.tables["memberships"]
    if tournaments is not None:
        events = [event for tournament in tournaments for event in tournament.events]
        played = {match.winner for event in events for match in event.matches}
        played.update(*(flight.players for event in events for flight in event.flights))
        table = table.filter(pl.col("player_id").is_in(played))
    by_player: dict[str, list[Membership]] = defaultdict(list)
    for row in table.iter_rows(named=True):
        by_player[row["player_id"]].append(
            Membership(row["federation"], row["level"] or "", row["start"], row["end"])
        )
    return {
        player: tuple(sorted(theirs, key=lambda each: (each.start, each.end or date.max)))
        for player, theirs in by_player.items()
    }


def coded(facts: Facts) -> tuple[Facts, pl.Series]:
    """Facts with numbers for player ids in placings, matches and memberships.

    Returns:
        The facts, and the ids: the player with the number n is entry n. They are sorted, so that
        numbers are in the order of ids.
    """
    wanted = (("placings", "player_id"), ("matches", "winner_id"), ("memberships", "player_id"))
    texts = {column: facts.encoded(*column) for column in wanted}
    ids = pl.concat([each.values for each in texts.values()]).unique().sort().alias("player_id")
    numbers = pl.Enum(ids)
    tables = dict(facts.tables)
    for (table, column), each in texts.items():
        number = each.values.cast(numbers).to_physical().cast(pl.Int64).gather(each.codes)
        tables[table] = tables[table].with_columns(number.alias(column))
    numbered = replace(facts, tables=tables)
    derived = {key: each for key, each in facts.derived.items() if key not in texts}
    numbered.derived.update(derived)
    return numbered, ids
