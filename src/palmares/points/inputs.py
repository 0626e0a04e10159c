"""
Facts as a regulation sees them: tables in, tournaments out.

Placings stay columns: a flight's players, ranks and ties are slices of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Any, cast

import polars as pl
from msgspec import Struct

from palmares.core.errors import Location
from palmares.facts import Facts
from palmares.facts.checks.ranks import placed
from palmares.facts.rates import rate
from palmares.facts.schema import FILE, LINE
from palmares.regulations import Regulation
from palmares.regulations.model import Event, Flight, Match, Membership, Memberships, Tournament


class Tables(Struct, frozen=True, eq=False):
    """What a regulation sees of the facts; rows that belong together follow each other."""

    facts: Facts
    money: bool  # whether the regulation needs exchange rates
    tournaments: pl.DataFrame  # by end date, start date and id; ``row`` numbers them
    events: pl.DataFrame  # by tournament (its row), sequence and id; ``row`` numbers them
    flights: pl.DataFrame  # by event (its row), from the Main down; placings ``first`` to ``past``
    placings: Mapping[str, Sequence[Any]]  # by flight, rank and player
    matches: Mapping[str, Sequence[Match]]  # by event id


def tables(facts: Facts, regulation: Regulation, only: Iterable[str] | None = None) -> Tables:
    """The tournaments of a regulation's discipline or of none, with all that was played there.

    Events that its officers left out (``not_counted_in``) are not among them. *only* narrows them
    to tournaments of these ids.
    """
    rows, events = _seen(facts, regulation, only)
    flights, placings = _flights(facts, events)
    matches = _matches(facts, events)
    return Tables(facts, regulation.money, rows, events, flights, placings, matches)


def _seen(
    facts: Facts, regulation: Regulation, only: Iterable[str] | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The tournaments and events of `Tables`."""
    wanted = [] if only is None else [pl.col("tournament_id").is_in(list(only))]
    rows = facts.tables["tournaments"].filter(of_discipline(regulation), *wanted)
    rows = rows.sort(
        "end_date", pl.coalesce("start_date", "end_date"), "tournament_id"
    ).with_row_index("row")
    rows = rows.with_columns(
        pl.col("setting").fill_null("live"), pl.col("currency").fill_null("EUR")
    )
    events = (
        facts.tables["events"]
        .join(rows.select("tournament_id", tournament="row"), on="tournament_id", how="inner")
        .filter(~left_out_of(regulation.name))
        .sort("tournament", "sequence", "event_id", nulls_last=False)
        .with_row_index("row")
        .with_columns(
            pl.col("kind").fill_null(""),
            pl.col("world_championship", "national_championship").fill_null(value=False),
        )
    )
    return rows, events


def tournaments(
    facts: Facts, regulation: Regulation, only: Iterable[str] | None = None
) -> list[Tournament]:
    """The tournaments a regulation sees, as `tables` has them, one by one."""
    given = tables(facts, regulation, only)
    return one_by_one(given, given.tournaments["row"])


def one_by_one(given: Tables, rows: pl.Series) -> list[Tournament]:
    """Some of the tournaments of tables, by their rows, in order."""
    chosen = given.tournaments.filter(pl.col("row").is_in(rows.implode()))
    events = _events(given, chosen)
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
        )
        for row, (number, file, line, eur_per_unit) in zip(
            chosen.select(stated).iter_rows(named=True),
            chosen.select("row", FILE, LINE, "eur_per_unit").iter_rows(),
            strict=True,
        )
    ]


def unplayed(facts: Facts, regulation: Regulation, tournament_id: str) -> Tournament | None:
    """A tournament as if nothing had been played in it yet; none: the regulation sees none."""
    rows, events = _seen(facts, regulation, [tournament_id])
    flights = (
        events.select("event_id", event="row", of_event="entrants")
        .join(facts.tables["flights"], on="event_id", how="left")
        .filter(pl.col("flight").is_not_null() | (pl.col("of_event") > 0))
        .with_columns(pl.col("flight").fill_null("main"))
        .select(*_flight_columns(), first=0, past=0)
        .sort("event", _in_flight_order("name"))
    )
    given = Tables(facts, regulation.money, rows, events, flights, {}, {})
    return next(iter(one_by_one(given, rows["row"])), None)


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


def _events(given: Tables, tournaments: pl.DataFrame) -> dict[int, list[Event]]:
    table = given.events.join(tournaments.select(tournament="row"), on="tournament", how="semi",
                              maintain_order="left")  # fmt: skip
    flights: dict[int, list[Flight]] = defaultdict(list)
    of = given.flights.join(table.select(event="row"), on="event", how="semi",
                            maintain_order="left")  # fmt: skip
    for (event, first, past), row in zip(
        of.select("event", "first", "past").iter_rows(),
        of.select(_OF_A_FLIGHT).iter_rows(named=True),
        strict=True,
    ):
        here: dict[str, Any] = {key: column[first:past] for key, column in given.placings.items()}
        flights[event].append(Flight(**row, **here))
    events: dict[int, list[Event]] = defaultdict(list)
    for row, (number, tournament, file, line, ranks, entry_fee, added, bonus) in zip(
        table.select(_STATED).iter_rows(named=True), table.select(_READ).iter_rows(), strict=True
    ):
        events[tournament].append(
            Event(
                **row,
                where=Location(file, line),
                division_ranks=divisions(ranks),
                entry_fee=exact(entry_fee),
                added_money=exact(added),
                bonus_grade=exact(bonus),
                flights=tuple(flights.get(number, ())),
                matches=tuple(given.matches.get(row["event_id"], ())),
            )
        )
    return events


_STATED = ("event_id", "name", "kind", "event_type", "entrants", "rounds", "world_championship",
           "national_championship", "team", "event_level", "date_of_record", "completed_on",
           "sequence")  # fmt: skip
"""What a regulation sees of an event as the table has it."""
_READ = ("row", "tournament", FILE, LINE, "division_rank", "entry_fee", "added_money",
         "bonus_grade")  # fmt: skip
"""What is read of an event in another form than its cell has."""


def of_discipline(regulation: Regulation) -> pl.Expr:
    """Whether a tournament is of the regulation's discipline, or names none."""
    discipline = pl.col("discipline")
    return discipline.is_null() | (discipline.str.to_lowercase() == regulation.discipline)


def left_out_of(name: str) -> pl.Expr:
    """Whether the officers of a regulation left an event out."""
    left_out = pl.col("not_counted_in").str.extract_all(r"\S+").list.contains(name)
    return left_out.fill_null(value=False)


@lru_cache(maxsize=4096)
def exact(value: Any) -> Fraction | None:
    """A number of a table as a fraction."""
    return None if value is None else Fraction(value)


def divisions(text: str | None) -> tuple[int, ...]:
    """The divisions that ``2+3`` names."""
    return tuple(int(part) for part in text.split("+")) if text else ()


_OF_A_PLACING = ("player_id", "rank", "tied", "designated", "rounds_behind")
IN_PLACE_FROM = 10_000
"""Placings from which columns stay in place, if players are numbers: fewer need no NumPy."""
_FLIGHT_ORDER = {"main": 0, "consolation": 1, "last_chance": 2}


_OF_A_FLIGHT = ("name", "entrants", "format", "match_length")


def _flights(facts: Facts, events: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, Sequence[Any]]]:
    """Flights by event, and their placings as columns that each is cut out of.

    A Main that has no row of its own takes the event's entrants; so does the one flight of an event
    of which nothing else is known.
    """
    key = ["event_id", "flight"]
    ids = events.select("event_id", event="row", of_event="entrants")
    placings = facts.tables["placings"]
    if events.height < facts.tables["events"].height:
        placings = placings.join(ids, on="event_id", how="semi")
        facts = facts.changed({"placings": placings})
    codes, flights = placed(facts)
    table = (
        facts.tables["flights"]
        .select(*key, "entrants", "format", "match_length")
        .join(flights.select(*key, pl.int_range(pl.len()).alias("code")),
              on=key, how="full", coalesce=True)
        .join(ids, on="event_id", how="right")
        .filter(pl.col("flight").is_not_null() | (pl.col("of_event") > 0))
        .with_columns(pl.col("flight").fill_null("main"))
        .sort("event", _in_flight_order("flight"), "flight")
        .with_row_index("number")
    )  # fmt: skip
    numbers = flights.select(pl.int_range(pl.len()).alias("code")).join(
        table.select("code", "number"), on="code", how="left", maintain_order="left"
    )
    rows = (
        placings.select(_OF_A_PLACING)
        .with_columns(numbers["number"].gather(codes).alias("number"))
        .drop_nulls("number")
    )
    rows = _in_order(rows)
    every = pl.int_range(table.height + 1, eager=True)
    starts = rows["number"].search_sorted(every).cast(pl.Int64)
    by_flight = table.select(*_flight_columns(), first=starts[:-1], past=starts[1:])
    return by_flight, _placings(rows)


def _flight_columns() -> tuple[pl.Expr, ...]:
    """What is known of flights, joined to their events: a Main may have the event's entrants."""
    main = pl.when(pl.col("flight") == "main").then("of_event")
    return (
        pl.col("event"),
        pl.col("flight").alias("name"),
        pl.coalesce("entrants", main, 0).alias("entrants"),
        pl.col("format").fill_null("knockout"),
        pl.col("match_length"),
    )


def _in_flight_order(column: str) -> pl.Expr:
    """The Main first, then Consolation and Last Chance."""
    return pl.col(column).replace_strict(_FLIGHT_ORDER, default=len(_FLIGHT_ORDER))


def _in_order(rows: pl.DataFrame) -> pl.DataFrame:
    """Placings by flight, rank and player; many are sorted by one number of 64 bits."""
    columns = ("number", "rank", "player_id")
    if rows["player_id"].dtype == pl.String or len(rows) < IN_PLACE_FROM:
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
    rows = rows.with_columns(pl.col("tied").fill_null(pl.len().over(tied).cast(pl.Int64)))
    many = rows["player_id"].dtype != pl.String and len(rows) >= IN_PLACE_FROM
    cut: Callable[[pl.Series], Any] = _in_place if many else pl.Series.to_list
    behind = rows["rounds_behind"]
    return {
        "players": cut(rows["player_id"]),
        "ranks": cut(rows["rank"]),
        "tied": cut(rows["tied"]),
        "designated": cut(rows["designated"].fill_null(value=False)),
        "rounds_behind": [] if behind.null_count() == len(behind) else behind.to_list(),
    }


def _in_place(column: pl.Series) -> memoryview:
    """A column of numbers, cut without a copy, that gives Python's own numbers."""
    import numpy as np  # before Polars does: interrupted there, it would end in a panic of Rust

    return memoryview(cast("Any", np.asarray(column.to_numpy())))


def _matches(facts: Facts, events: pl.DataFrame) -> dict[str, list[Match]]:
    table = (
        facts.tables["matches"]
        .join(events.select("event_id"), on="event_id", how="semi")
        .sort("event_id", "match_id")
    )
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
    """Facts whose placings, matches and memberships have numbers in the place of player ids.

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
