"""
Ranks are competition ranks and lie within the field.

Tied players share the best place and the next places are skipped. A rank that nobody has belongs
to a withheld player, so gaps are in order; a rank too early is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePath
from typing import NamedTuple

import polars as pl
from msgspec import Struct

from palmares.core.errors import Problem
from palmares.core.messages import msg, plural
from palmares.facts.problems import (
    Cell,
    Row,
    Text,
    event_name,
    players,
    problems_at,
    with_event_names,
)
from palmares.facts.schema import FILE, FLIGHTS, LINE, Facts
from palmares.facts.text import printable

MAIN = FLIGHTS[0]


class PlacedFlights(NamedTuple):
    """The flights that have placings."""

    codes: pl.Series  # of each placing: the row of its flight in *flights*; null without an event
    flights: pl.DataFrame  # event_id, flight, file and line: those of its first placing; in order


def placed(facts: Facts) -> PlacedFlights:
    """Which flight each placing is of: the Main, where it names none; worked out once."""
    return facts.once(("placings", "flight of an event"), lambda: _placed(facts))


def _placed(facts: Facts) -> PlacedFlights:
    table = facts.tables["placings"]
    event, flight = facts.encoded("placings", "event_id"), facts.encoded("placings", "flight")
    main = flight.values.index_of(MAIN)
    words = len(flight.values)
    number = event.codes.cast(pl.Int64) * (words + 1) + flight.codes.fill_null(
        words if main is None else main
    )
    runs = number.rle().struct.unnest()  # the placings of a flight mostly follow each other
    runs = runs.with_columns(row=pl.col("len").cum_sum() - pl.col("len"))
    first = runs.drop_nulls("value").unique("value", keep="first", maintain_order=True)
    numbered = first.select("value", code=pl.int_range(pl.len()))
    codes = runs.join(numbered, on="value", how="left", maintain_order="left")["code"]
    flights = table.select("event_id", "flight", FILE, LINE)[first["row"]]
    return PlacedFlights(
        codes.gather(number.rle_id()), flights.with_columns(pl.col("flight").fill_null(MAIN))
    )


_FLIGHT = ("event_id", "flight")
_OF_THE_MAIN = ("diplomacy",)  # disciplines whose regulation knows a Main alone
_KINDS = ("championship", "intermediate", "super_jackpot")
_ROOM = 2**31  # more than any rank: a flight's number and a rank go into one whole number


class _Ranks(Struct, frozen=True):
    """Everyone at one rank of one flight as one row, in order of flight and rank.

    Numbers only, so that tens of millions of placings can be looked at; ids, file and line are put
    added to the few rows that are reported (`with_ids`).
    """

    groups: pl.DataFrame  # code, rank, listed, least, most, shared, last, row
    flights: pl.DataFrame  # by code: event_id, flight, entrants
    placings: pl.DataFrame

    def with_ids(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Groups with the ids of their flight, and file and line of their first placing."""
        if rows.is_empty():
            return rows
        where = self.placings.select(FILE, LINE)[rows["row"]]
        flights = self.flights.select("event_id", "flight")[rows["code"]]
        return rows.hstack(where).hstack(flights)


class Fields(Struct, frozen=True):
    """How many played in each flight."""

    placed: PlacedFlights
    entrants: pl.DataFrame  # event_id, flight, entrants
    lost: pl.DataFrame  # flights with placings whose entrants are missing


def fields(facts: Facts, placed: PlacedFlights) -> Fields:
    """How many played in each flight, and the flights whose entrants are missing."""
    entrants = _entrants(facts)
    return Fields(placed, entrants, _no_field(facts, placed.flights, entrants))


def _flight_name(row: Row) -> str:
    """A flight and its event, as a message names them."""
    flight = printable(row["flight"]).replace("_", " ")
    return msg("the %(flight)s of %(event)s", flight=(flight,), event=event_name(row))


def _places(row: Row) -> str:
    if row["rank"] > row["entrants"] or row["shared"] == 1:
        return msg("rank %(rank)s", rank=row["rank"])
    return msg(
        "%(players)s share ranks %(first)s to %(last)s",
        players=players(row["shared"]),
        first=row["rank"],
        last=row["last"],
    )


_EARLY = pl.col("early")
"""A rank that lies among the places of the players before it; the first of each flight is shown."""
_CHECKS: Sequence[tuple[pl.Expr, Text, Cell, Text]] = (
    (
        pl.col("least") != pl.col("most"),
        lambda row: msg(
            "tied is %(least)s and %(most)s at rank %(rank)s of %(flight)s",
            least=row["least"],
            most=row["most"],
            rank=row["rank"],
            flight=_flight_name(row),
        ),
        Cell("placings", "tied"),
        msg("Write the same number for all who share a rank: how many they are."),
    ),
    (
        pl.col("most") < pl.col("listed"),
        lambda row: msg(
            "tied is %(most)s at rank %(rank)s of %(flight)s, but %(players)s are listed there",
            most=row["most"],
            rank=row["rank"],
            flight=_flight_name(row),
            players=players(row["listed"]),
        ),
        Cell("placings", "tied"),
        lambda row: msg(
            "Write at least %(listed)s: all who share the rank, listed or not.",
            listed=row["listed"],
        ),
    ),
    (
        _EARLY,
        lambda row: msg(
            "rank %(rank)s follows %(players)s at rank %(before)s in %(flight)s; the next place"
            " is %(next)s",
            rank=row["rank"],
            players=players(row["sharing"]),
            before=row["before"],
            flight=_flight_name(row),
            next=row["until"] + 1,
        ),
        Cell("placings", "rank", "reading W14"),
        msg(
            "Players who tie share the best place and the next places are skipped:"
            " 1, 2, 3, 3, 5. Correct the ranks from here on."
        ),
    ),
    (
        pl.col("last") > pl.col("entrants"),
        lambda row: msg(
            "%(places)s in a field of %(entrants)s, %(flight)s",
            places=_places(row),
            entrants=row["entrants"],
            flight=_flight_name(row),
        ),
        Cell("placings", "rank"),
        msg("Ranks run from 1 to the number of entrants. Correct the rank, or the entrants."),
    ),
)
"""Of everyone at a rank of a flight: what is wrong, how to say it, the cell, what to do."""


def problems(facts: Facts, given: Fields, incomplete: Collection[str]) -> Iterator[Problem]:
    """Ranks that cannot be, flight by flight."""
    ranks = _ranks(facts, given)
    before = (
        pl.col(name).shift(1).alias(alias)
        for name, alias in (("code", "of"), ("last", "until"), ("rank", "before"))
    )
    early = (pl.col("code") == pl.col("of")) & (pl.col("rank") <= pl.col("until"))
    groups = ranks.groups.with_columns(
        *before,
        sharing=pl.col("shared").shift(1),
        entrants=ranks.flights["entrants"].gather(ranks.groups["code"]),
    )
    groups = groups.with_columns(early=early.fill_null(value=False))
    first = groups.filter("early").unique("code", keep="first", maintain_order=True)
    for wrong, what, cell, remedy in _CHECKS:
        rows = ranks.with_ids(first if wrong is _EARLY else groups.filter(wrong))
        yield from problems_at(with_event_names(rows, facts), what, cell, remedy)
    placed_players = groups.group_by("code").agg(
        pl.col("listed").sum(), pl.col("entrants").first(), pl.col("row").min()
    )
    too_many = placed_players.filter(pl.col("listed") > pl.col("entrants")).sort("code")
    yield from problems_at(
        with_event_names(ranks.with_ids(too_many), facts),
        lambda row: plural(
            "%(many)s player is placed in a field of %(entrants)s, %(flight)s",
            "%(many)s players are placed in a field of %(entrants)s, %(flight)s",
            row["listed"],
            entrants=row["entrants"],
            flight=_flight_name(row),
        ),
        Cell("placings", "rank"),
        msg("Entrants are all who played, listed or not. Correct them, or remove placings."),
    )
    if not {"flights", "events"}.intersection(incomplete):
        yield from _unknown_fields(with_event_names(given.lost, facts), decides=True)


def _ranks(facts: Facts, given: Fields) -> _Ranks:
    """The placings by flight and rank.

    ``listed`` is how many placings there are, ``shared`` how many have the rank, ``last`` the
    last of the places they cover.
    """
    placings = facts.tables["placings"]
    key = given.placed.codes * _ROOM + placings["rank"]
    rows = placings.select("tied", key=key).with_row_index("row").drop_nulls("key")
    if rows["key"].is_sorted():  # as a report lists them: then groups are stretches
        rows = rows.with_columns(pl.col("key").set_sorted())
    groups = (
        rows.group_by("key")
        .agg(
            pl.len().cast(pl.Int64).alias("listed"),
            pl.col("tied").min().alias("least"),
            pl.col("tied").max().alias("most"),
            pl.col("row").min(),
        )
        .sort("key")
        .with_columns(
            code=pl.col("key") // _ROOM,
            rank=pl.col("key") % _ROOM,
            shared=pl.max_horizontal("listed", "most"),
        )
        .with_columns(last=pl.col("rank") + pl.col("shared") - 1)
    )
    flights = given.placed.flights.join(
        given.entrants, on=_FLIGHT, how="left", maintain_order="left"
    )
    return _Ranks(groups=groups, flights=flights, placings=placings)


def _entrants(facts: Facts) -> pl.DataFrame:
    """How many played in each flight; a Main without a row of its own has the event's entrants."""
    stated = facts.tables["flights"].select(*_FLIGHT, "entrants").drop_nulls(_FLIGHT)
    events = (
        facts.tables["events"]
        .select("event_id", pl.lit(MAIN).alias("flight"), "entrants")
        .drop_nulls()
    )
    mains = events.join(stated.select(_FLIGHT), on=_FLIGHT, how="anti")
    return pl.concat([stated, mains]).unique(list(_FLIGHT), keep="first", maintain_order=True)


def _no_field(facts: Facts, placed: pl.DataFrame, entrants: pl.DataFrame) -> pl.DataFrame:
    """Flights with placings whose entrants are missing; whether they decide there.

    Where the number is part of every award (the kinds of event that the wbgf knows), it must be
    there; elsewhere a regulation that needs it asks for it.
    """
    lost = placed.filter(pl.col("flight").is_in(FLIGHTS)).join(
        entrants, on=_FLIGHT, how="anti", maintain_order="left"
    )
    decides = pl.col("kind").is_in(_KINDS).fill_null(value=False)
    kinds = facts.tables["events"].select("event_id", decides=decides).drop_nulls("event_id")
    return lost.join(kinds, on="event_id", how="inner", maintain_order="left")


def _unknown_fields(lost: pl.DataFrame, *, decides: bool) -> Iterator[Problem]:
    """Those where it decides, or the others."""
    yield from problems_at(
        lost.filter(pl.col("decides") == decides),
        lambda row: msg("the number of entrants is missing: %(flight)s", flight=_flight_name(row)),
        Cell("flights", "entrants"),
        _say_entrants,
    )


def _say_entrants(row: Row) -> str:
    """Where the file with the placings, or one beside it, has the number of entrants."""
    key, line = f"[event.{row['flight']}]", "'entrants: 64'"
    file = PurePath(row[FILE])
    if file.suffix.lower() == ".toml":
        return msg(
            "Say how many players entered, listed or not: entrants under %(heading)s.", heading=key
        )
    if file.name.startswith("placings."):  # a package of tables
        return msg(
            "Say how many players entered, listed or not: in %(file)s, with event_id, flight"
            " (%(flight)s) and entrants.",
            file=file.name.replace("placings", "flights", 1),
            flight=printable(row["flight"]),
        )
    return msg(
        "Say how many players entered, listed or not: entrants under %(heading)s in a report,"
        " or a line such as %(example)s above a sheet.",
        heading=key,
        example=line,
    )


_NOTICES: Sequence[tuple[Text, Cell, Text]] = (
    (
        lambda row: msg(
            "%(flight)s has no entrants and is taken as not played", flight=_flight_name(row)
        ),
        Cell("flights", "entrants", "reading W13"),
        msg("Correct the entrants if anyone played in it."),
    ),
    (
        lambda row: msg("no regulation awards points for %(flight)s", flight=_flight_name(row)),
        Cell("flights", "flight", "reading W12"),
        lambda row: msg(
            "If it was one of %(flights)s, write that.",
            flights=MAIN if row["flight"] in FLIGHTS else ", ".join(FLIGHTS),
        ),
    ),
    (
        lambda row: msg(
            "%(flight)s has %(entrants)s entrants, its event has %(of_event)s",
            flight=_flight_name(row),
            entrants=row["entrants"],
            of_event=row["of_event"],
        ),
        Cell("events", "entrants"),
        msg("Both are unique players. Correct the one that is wrong."),
    ),
    (
        lambda row: msg(
            "%(flight)s has %(entrants)s entrants, the Main has %(of_main)s",
            flight=_flight_name(row),
            entrants=row["entrants"],
            of_main=row["of_main"],
        ),
        Cell("flights", "entrants", "reading W7"),
        msg("Both are unique players. Correct the one that is wrong."),
    ),
)


def notices(facts: Facts, given: Fields) -> Iterator[Problem]:
    """Flights and fields that a person should look at; each names its tournament."""
    flights, events = facts.tables["flights"], facts.tables["events"]
    yield from _unknown_fields(with_event_names(given.lost, facts), decides=False)
    used = pl.concat(
        table.select(*_FLIGHT, FILE, LINE) for table in (flights, given.placed.flights)
    )
    rated = facts.tables["tournaments"].filter(
        pl.col("discipline").str.to_lowercase().is_in(_OF_THE_MAIN)
    )
    rated_events = events.join(rated, on="tournament_id", how="semi")["event_id"]
    earning = pl.col("event_id").is_in(rated_events.implode())
    earning = (
        pl.when(earning).then(pl.col("flight") == MAIN).otherwise(pl.col("flight").is_in(FLIGHTS))
    )
    other_flights = used.filter(~earning)
    mains = flights.filter(pl.col("flight") == MAIN).join(
        events.select("event_id", of_event="entrants"), on="event_id"
    )
    of_mains = given.entrants.filter(pl.col("flight") == MAIN)
    below = flights.filter(pl.col("flight").is_in(FLIGHTS), pl.col("flight") != MAIN).join(
        of_mains.select("event_id", of_main="entrants"), on="event_id", maintain_order="left"
    )
    frames = (
        flights.filter(pl.col("entrants") == 0),
        other_flights.unique(list(_FLIGHT), keep="first", maintain_order=True),
        mains.filter(pl.col("entrants") != pl.col("of_event")),
        below.filter(pl.col("entrants") > pl.col("of_main")),
    )
    for rows, (what, cell, remedy) in zip(frames, _NOTICES, strict=True):
        yield from problems_at(with_event_names(rows, facts), what, cell, remedy)
