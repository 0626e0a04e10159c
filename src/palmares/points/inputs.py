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
from typing import Any, NamedTuple, cast

import numpy as np
import polars as pl

from palmares.core.errors import Location
from palmares.facts import Facts
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
    found = [
        Tournament(
            tournament_id=row["tournament_id"],
            name=row["name"],
            where=_where(row),
            start_date=row["start_date"],
            end_date=row["end_date"],
            setting=row["setting"] or "live",
            date_of_record=row["date_of_record"],
            currency=row["currency"] or "EUR",
            rate=rate(facts, row["currency"] or "EUR", row["end_date"], row["eur_per_unit"])
            if regulation.money
            else None,
            bank_until=facts.bank_until,
            events=tuple(events.get(row["tournament_id"], ())),
        )
        for row in rows.iter_rows(named=True)
    ]
    return sorted(
        found, key=lambda one: (one.end_date, one.start_date or one.end_date, one.tournament_id)
    )


def _where(row: Mapping[str, Any]) -> Location:
    return Location(row["_file"], row["_line"])


def _events(facts: Facts, rows: pl.DataFrame, name: str) -> dict[str, list[Event]]:
    table = facts.tables["events"].join(
        rows.select("tournament_id"), on="tournament_id", how="semi"
    )
    flights = _flights(facts, table)
    matches = _matches(facts, table)
    found: dict[str, list[Event]] = defaultdict(list)
    order = ["tournament_id", "sequence", "event_id"]
    for row in table.sort(order, nulls_last=False).iter_rows(named=True):
        if name in (row["not_counted_in"] or "").split():
            continue
        key = row["event_id"]
        found[row["tournament_id"]].append(
            Event(
                event_id=key,
                name=row["name"],
                where=_where(row),
                kind=row["kind"] or "other",
                event_type=row["event_type"],
                division_ranks=_divisions(row["division_rank"]),
                entrants=row["entrants"],
                entry_fee=_exact(row["entry_fee"]),
                added_money=_exact(row["added_money"]),
                bonus_grade=_exact(row["bonus_grade"]),
                rounds=row["rounds"],
                world_championship=bool(row["world_championship"]),
                national_championship=bool(row["national_championship"]),
                team=row["team"],
                event_level=row["event_level"],
                date_of_record=row["date_of_record"],
                completed_on=row["completed_on"],
                sequence=row["sequence"],
                flights=tuple(flights.get(key, ())) or _alone(row),
                matches=tuple(matches.get(key, ())),
            )
        )
    return found


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
    placed = (
        facts.tables["placings"]
        .select("event_id", pl.col("flight").fill_null("main"), *_OF_A_PLACING)
        .join(ids, on="event_id", how="semi")
    )
    table = (
        facts.tables["flights"]
        .select(*key, "entrants", "format", "match_length")
        .join(placed.select(key).unique(), on=key, how="full", coalesce=True)
        .join(ids, on="event_id", how="inner")
        .sort(key)
        .with_row_index("number")
    )
    rows = placed.join(table.select(*key, "number"), on=key, how="left").sort(
        "number", "rank", "player_id"
    )
    starts = np.searchsorted(rows["number"].to_numpy(), np.arange(table.height + 1)).tolist()
    columns = _placings(rows)
    found: dict[str, list[Flight]] = defaultdict(list)
    for row in table.iter_rows(named=True):
        entrants = row["entrants"]
        if entrants is None:
            entrants = (row["of_event"] or 0) if row["flight"] == "main" else 0
        here = slice(starts[row["number"]], starts[row["number"] + 1])
        found[row["event_id"]].append(
            Flight(
                name=row["flight"],
                entrants=entrants,
                format=row["format"] or "knockout",
                match_length=row["match_length"],
                **{name: column[here] for name, column in columns.items()},
            )
        )
    for flights in found.values():
        flights.sort(key=lambda one: (_FLIGHT_ORDER.get(one.name, len(_FLIGHT_ORDER)), one.name))
    return found


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
    used = [facts.tables[table][column].rename("player_id") for table, column in wanted]
    ids = pl.concat(used).drop_nulls().unique().sort()
    numbers = pl.Enum(ids)
    tables = dict(facts.tables)
    for table, column in wanted:
        number = pl.col(column).cast(numbers).to_physical().cast(pl.Int64)
        tables[table] = tables[table].with_columns(number.alias(column))
    return replace(facts, tables=tables), ids
