"""
Facts as a regulation sees them: tables in, tournaments out.

    tournaments     the tournaments of one regulation, in the order of time
    memberships     every membership by player
    people          names and nations by player, as they may be shown
    coded           the same facts with players numbered, for many rows

Placings stay columns: a flight's players, ranks and ties are stretches cut out of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl

from palmares.core.errors import Location
from palmares.facts import Facts
from palmares.facts.checks.placed import placed
from palmares.facts.rates import rate
from palmares.facts.schema import WITHHELD
from palmares.regulations import Regulation
from palmares.regulations.model import Event, Flight, Match, Membership, Memberships, Tournament


class Person(NamedTuple):
    """A player as shown."""

    name: str
    nation: str | None


def tournaments(
    facts: Facts, regulation: Regulation, only: Iterable[str] | None = None
) -> list[Tournament]:
    """The tournaments a regulation sees, by end date, start date and id.

    Those of its discipline or of none; without the events its officers left out
    (``not_counted_in``). *only* narrows them to tournaments of these ids.
    """
    rows = facts.tables["tournaments"].filter(
        pl.col("discipline").is_null()
        | (pl.col("discipline").str.to_lowercase() == regulation.discipline)
    )
    if only is not None:
        rows = rows.filter(pl.col("tournament_id").is_in(list(only)))
    events = _events(facts, rows, regulation.name)
    stated = ("tournament_id", "name", "start_date", "end_date", "date_of_record")
    found = [
        Tournament(
            **row,
            where=Location(file, line),
            setting=setting or "live",
            currency=currency or "EUR",
            rate=rate(facts, currency or "EUR", row["end_date"], eur_per_unit)
            if regulation.money
            else None,
            bank_until=facts.bank_until,
            events=tuple(events.get(row["tournament_id"], ())),
        )
        for row, (file, line, setting, currency, eur_per_unit) in zip(
            rows.select(stated).iter_rows(named=True),
            rows.select("_file", "_line", "setting", "currency", "eur_per_unit").iter_rows(),
            strict=True,
        )
    ]
    return sorted(
        found, key=lambda one: (one.end_date, one.start_date or one.end_date, one.tournament_id)
    )


def _events(facts: Facts, rows: pl.DataFrame, name: str) -> dict[str, list[Event]]:
    table = (
        facts.tables["events"]
        .join(rows.select("tournament_id"), on="tournament_id", how="semi")
        .filter(~_left_out_of(name))
        .sort("tournament_id", "sequence", "event_id", nulls_last=False)
    )
    flights = _flights(facts, table)
    matches = _matches(facts, table)
    found: dict[str, list[Event]] = defaultdict(list)
    for row, (tournament_id, file, line, kind, divisions, entry_fee, added, bonus) in zip(
        table.select(_STATED).iter_rows(named=True), table.select(_READ).iter_rows(), strict=True
    ):
        key = row["event_id"]
        found[tournament_id].append(
            Event(
                **row,
                where=Location(file, line),
                kind=kind or "other",
                division_ranks=_divisions(divisions),
                entry_fee=_exact(entry_fee),
                added_money=_exact(added),
                bonus_grade=_exact(bonus),
                flights=tuple(flights.get(key, ())) or _alone(row),
                matches=tuple(matches.get(key, ())),
            )
        )
    return found


_STATED = (
    "event_id",
    "name",
    "event_type",
    "entrants",
    "rounds",
    pl.col("world_championship").fill_null(value=False),
    pl.col("national_championship").fill_null(value=False),
    "team",
    "event_level",
    "date_of_record",
    "completed_on",
    "sequence",
)
"""What a regulation sees of an event as the table has it."""
_READ = ("tournament_id", "_file", "_line", "kind", "division_rank", "entry_fee", "added_money",
         "bonus_grade")  # fmt: skip
"""And what is read in another way."""


def _left_out_of(name: str) -> pl.Expr:
    """Whether the officers of a regulation left an event out."""
    named = pl.col("not_counted_in").str.extract_all(r"\S+").list.contains(name)
    return named.fill_null(value=False)


@lru_cache(maxsize=4096)
def _exact(value: Any) -> Fraction | None:
    return None if value is None else Fraction(value)


def _divisions(text: str | None) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("+")) if text else ()


def _alone(row: Mapping[str, Any]) -> tuple[Flight, ...]:
    """An event of which only the number of entrants is known has one flight, without placings."""
    return (Flight(name="main", entrants=row["entrants"]),) if row["entrants"] else ()


_OF_A_PLACING = ("player_id", "rank", "tied", "designated", "rounds_behind")
_FLIGHT_ORDER = {"main": 0, "consolation": 1, "last_chance": 2}


def _flights(facts: Facts, events: pl.DataFrame) -> dict[str, list[Flight]]:
    """Flights by event; a Main that has no row of its own takes the event's entrants."""
    key = ["event_id", "flight"]
    ids = events.select("event_id", pl.col("entrants").alias("of_event"))
    listed = facts.tables["placings"]
    if events.height < facts.tables["events"].height:
        listed = listed.join(ids, on="event_id", how="semi")
        facts = replace(facts, tables={**facts.tables, "placings": listed})
    codes, flights = placed(facts)
    table = (
        facts.tables["flights"]
        .select(*key, "entrants", "format", "match_length")
        .join(flights.select(*key, pl.int_range(pl.len()).alias("code")),
              on=key, how="full", coalesce=True)
        .join(ids, on="event_id", how="inner")
        .sort(key)
        .with_row_index("number")
    )  # fmt: skip
    numbers = flights.select(pl.int_range(pl.len()).alias("code")).join(
        table.select("code", "number"), on="code", how="left", maintain_order="left"
    )
    rows = (
        listed.select(_OF_A_PLACING)
        .with_columns(numbers["number"].gather(codes).alias("number"))
        .drop_nulls("number")
    )
    rows = rows.sort(_order(rows))
    starts = np.searchsorted(rows["number"].to_numpy(), np.arange(table.height + 1)).tolist()
    columns = _placings(rows)
    found: dict[str, list[Flight]] = defaultdict(list)
    main = pl.col("flight") == "main"
    stated = table.select(
        pl.col("flight").alias("name"),
        pl.coalesce("entrants", pl.when(main).then("of_event"), 0).alias("entrants"),
        pl.col("format").fill_null("knockout"),
        "match_length",
    )
    for event_id, row, first, last in zip(
        table["event_id"], stated.iter_rows(named=True), starts[:-1], starts[1:], strict=True
    ):
        here: dict[str, Any] = {name: column[first:last] for name, column in columns.items()}
        found[event_id].append(Flight(**row, **here))
    for those in found.values():
        those.sort(key=lambda one: (_FLIGHT_ORDER.get(one.name, len(_FLIGHT_ORDER)), one.name))
    return found


def _order(rows: pl.DataFrame) -> list[pl.Expr]:
    """Flight, rank and player: as one whole number where it fits, which sorts in a third."""
    columns = [pl.col(name) for name in ("number", "rank", "player_id")]
    if rows.is_empty() or rows["player_id"].dtype != pl.Int64:
        return columns
    number, rank, player = columns
    flights, ranks, players = (int(most) + 1 for most in rows.select(columns).max().row(0))
    if flights * ranks * players >= 2**63:
        return columns
    return [(number.cast(pl.Int64) * ranks + rank) * players + player]


def _placings(rows: pl.DataFrame) -> dict[str, Sequence[Any]]:
    """The placings of all flights, sorted, as columns that a flight is cut out of."""
    tied = pl.struct("number", "rank").rle_id()  # rows of one rank follow each other
    rows = rows.with_columns(pl.col("tied").fill_null(pl.len().over(tied).cast(pl.Int64)))
    many = rows["player_id"].dtype != pl.String  # players are numbers: all columns stay in place
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
    """A column of numbers, cut without a copy; entries are Python's own numbers."""
    return memoryview(cast("Any", column.to_numpy()))


def _matches(facts: Facts, events: pl.DataFrame) -> dict[str, list[Match]]:
    table = (
        facts.tables["matches"]
        .join(events.select("event_id"), on="event_id", how="semi")
        .sort("event_id", "match_id")
    )
    found: dict[str, list[Match]] = defaultdict(list)
    for row in table.iter_rows(named=True):
        found[row["event_id"]].append(
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
    return found


def memberships(facts: Facts) -> Memberships:
    """Every membership by player, the earliest first."""
    found: dict[str, list[Membership]] = defaultdict(list)
    for row in facts.tables["memberships"].iter_rows(named=True):
        found[row["player_id"]].append(
            Membership(row["federation"], row["level"] or "", row["start"], row["end"])
        )
    return {
        player: tuple(sorted(theirs, key=lambda one: (one.start, one.end or date.max)))
        for player, theirs in found.items()
    }


def people(facts: Facts) -> dict[str, Person]:
    """Every player's name and nation as they may be shown: a withheld name is not."""
    columns: Sequence[str] = ("player_id", "name", "nation", "withheld")
    return {
        player: Person(WITHHELD if withheld else name, nation)
        for player, name, nation, withheld in facts.tables["players"].select(columns).iter_rows()
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
    kept = {key: each for key, each in facts.dictionaries.items() if key not in texts}
    numbered.dictionaries.update(kept)
    return numbered, ids
