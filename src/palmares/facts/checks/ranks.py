"""
Ranks are competition ranks and lie within the field.

Tied players share the best place and the next places are skipped. A rank that nobody has belongs
to a withheld player, so gaps are in order; a rank too early is not.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

import polars as pl

from palmares.errors import Problem
from palmares.facts.found import Row, plural, problems_at
from palmares.facts.tables import FILE, FLIGHTS, LINE, Facts
from palmares.facts.texts import shown

MAIN = FLIGHTS[0]
_FLIGHT = ("event_id", "flight")
_KINDS = ("championship", "intermediate", "super_jackpot")
_OR_THE_EVENT = "; or fill in the event's entrants (above a sheet, a line such as entrants: 64)."


_ROOM = 2**31  # more than any rank: a flight's number and a rank go into one whole number


@dataclass(frozen=True, slots=True)
class _Ranks:
    """Everyone at one rank of one flight as one row, in order of flight and rank.

    Numbers only, so that tens of millions of placings can be looked at; ids, file and line are put
    beside the few rows that are told (`named`).
    """

    groups: pl.DataFrame  # code, rank, listed, least, most, shared, last, row
    flights: pl.DataFrame  # code, event_id, flight, entrants
    placed: pl.DataFrame  # one row a placing; row counts them

    def named(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Groups with the ids of their flight, and file and line of their first placing."""
        where = self.placed.select(FILE, LINE)[rows["row"].to_list()]
        flights = self.flights.select("event_id", "flight")[rows["code"].to_list()]
        return rows.hstack(where).hstack(flights)


def problems(facts: Facts, incomplete: Collection[str]) -> Iterator[Problem]:
    """Ranks that cannot be, flight by flight."""
    ranks = _ranks(facts)
    if not ranks.groups.height:
        return
    yield from _tied(ranks)
    yield from _too_early(ranks)
    yield from _beyond(ranks)
    if not {"flights", "events"}.intersection(incomplete):
        yield from _no_field(facts, decides=True)


def _ranks(facts: Facts) -> _Ranks:
    """The placings by flight and rank.

    ``listed`` is how many placings there are, ``shared`` how many have the rank, ``last`` the
    last of the places they cover.
    """
    flight = pl.col("flight").fill_null(MAIN)
    placed = (
        facts.tables["placings"]
        .select("event_id", flight, "rank", "tied", FILE, LINE)
        .drop_nulls(["event_id", "rank"])
        .with_row_index("row")
    )
    flights = (
        placed.select(_FLIGHT)
        .unique(maintain_order=True)
        .with_row_index("code")
        .join(_fields(facts), on=_FLIGHT, how="left", maintain_order="left")
    )
    coded = placed.join(flights, on=_FLIGHT, how="left", maintain_order="left")
    groups = (
        coded.select("tied", "row", key=pl.col("code").cast(pl.Int64) * _ROOM + pl.col("rank"))
        .group_by("key")
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
    return _Ranks(groups=groups, flights=flights, placed=placed)


def _of(row: Row) -> str:
    """``the main of E1``."""
    return f"the {shown(row['flight'])} of {shown(row['event_id'])}"


def _tied(ranks: _Ranks) -> Iterator[Problem]:
    clause = "facts placings.tied"
    yield from problems_at(
        ranks.named(ranks.groups.filter(pl.col("least") != pl.col("most"))),
        lambda row: f"tied is {row['least']} and {row['most']} at rank {row['rank']} of {_of(row)}",
        clause,
        "Write the same number for all who share a rank: how many they are.",
    )
    yield from problems_at(
        ranks.named(ranks.groups.filter(pl.col("most") < pl.col("listed"))),
        lambda row: (
            f"tied is {row['most']} at rank {row['rank']} of {_of(row)},"
            f" where {plural(row['listed'], 'player')} stand"
        ),
        clause,
        lambda row: f"Write at least {row['listed']}: all who share the rank, listed or not.",
    )


def _too_early(ranks: _Ranks) -> Iterator[Problem]:
    """The first rank of each flight that lies among the places of the players before it."""
    before = (
        pl.col(name).shift(1).alias(alias)
        for name, alias in (("code", "of"), ("last", "until"), ("rank", "before"))
    )
    early = ranks.groups.with_columns(*before, sharing=pl.col("shared").shift(1)).filter(
        (pl.col("code") == pl.col("of")) & (pl.col("rank") <= pl.col("until"))
    )
    yield from problems_at(
        ranks.named(early.unique("code", keep="first", maintain_order=True)),
        lambda row: (
            f"rank {row['rank']} follows {plural(row['sharing'], 'player')} at rank"
            f" {row['before']} in {_of(row)}; the next place is {row['until'] + 1}"
        ),
        "facts placings.rank, reading W14",
        "Players who tie share the best place and the next places are skipped: 1, 2, 3, 3, 5."
        " Correct the ranks from here on.",
    )


def _fields(facts: Facts) -> pl.DataFrame:
    """How many played in each flight; a Main without a row of its own has the event's entrants."""
    said = facts.tables["flights"].select(*_FLIGHT, "entrants").drop_nulls(_FLIGHT)
    events = (
        facts.tables["events"]
        .select("event_id", pl.lit(MAIN).alias("flight"), "entrants")
        .drop_nulls()
    )
    mains = events.join(said.select(_FLIGHT), on=_FLIGHT, how="anti")
    return pl.concat([said, mains]).unique(list(_FLIGHT), keep="first", maintain_order=True)


def _no_field(facts: Facts, *, decides: bool) -> Iterator[Problem]:
    """Flights with placings of which nobody says how many entered.

    Where the number is part of every award (the kinds of event that the wbgf knows), it must be
    there; elsewhere a regulation that needs it asks for it.
    """
    flight = pl.col("flight").fill_null(MAIN)
    placed = facts.tables["placings"].select("event_id", flight, FILE, LINE).drop_nulls("event_id")
    first = placed.unique(list(_FLIGHT), keep="first", maintain_order=True)
    kinds = facts.tables["events"].select("event_id", kind=pl.col("kind").is_in(_KINDS))
    lost = (
        first.filter(pl.col("flight").is_in(FLIGHTS))
        .join(_fields(facts), on=_FLIGHT, how="anti", maintain_order="left")
        .join(kinds.drop_nulls("event_id"), on="event_id", how="inner", maintain_order="left")
        .filter(pl.col("kind").fill_null(value=False) == decides)
    )
    yield from problems_at(
        lost,
        lambda row: f"{_of(row)} has placings, and nobody says how many entered it",
        "facts flights.entrants",
        lambda row: (
            f"Add a row to flights: event {shown(row['event_id'])}, flight {row['flight']}, and its"
            " entrants, listed or not" + (_OR_THE_EVENT if row["flight"] == MAIN else ".")
        ),
    )


def _beyond(ranks: _Ranks) -> Iterator[Problem]:
    """Places and players beyond the field."""
    clause = "facts placings.rank"
    entrants = ranks.flights["entrants"].gather(ranks.groups["code"])
    table = ranks.groups.with_columns(entrants)
    yield from problems_at(
        ranks.named(table.filter(pl.col("last") > pl.col("entrants"))),
        lambda row: f"{_places(row)} in a field of {row['entrants']}, {_of(row)}",
        clause,
        "Ranks run from 1 to the number of entrants. Correct the rank, or the entrants.",
    )
    listed = table.group_by("code").agg(
        pl.col("listed").sum(), pl.col("entrants").first(), pl.col("row").min()
    )
    yield from problems_at(
        ranks.named(listed.filter(pl.col("listed") > pl.col("entrants")).sort("code")),
        lambda row: (
            f"{plural(row['listed'], 'player')} are placed in a field of {row['entrants']},"
            f" {_of(row)}"
        ),
        clause,
        "Entrants are all who played, listed or not. Correct them, or remove placings.",
    )


def _places(row: Row) -> str:
    if row["rank"] > row["entrants"] or row["shared"] == 1:
        return f"rank {row['rank']}"
    return f"{plural(row['shared'], 'player')} share ranks {row['rank']} to {row['last']}"


def notices(facts: Facts) -> Iterator[Problem]:
    """Flights and fields that a person should look at."""
    yield from _no_field(facts, decides=False)
    flights = facts.tables["flights"]
    yield from problems_at(
        flights.filter(pl.col("entrants") == 0),
        lambda row: f"{_of(row)} has no entrants and is taken as not played",
        "facts flights.entrants, reading W13",
        "Correct the entrants if somebody played in it.",
    )
    used = [facts.tables[name].select(*_FLIGHT, FILE, LINE) for name in ("flights", "placings")]
    other = pl.concat(used).filter(~pl.col("flight").is_in(FLIGHTS))
    yield from problems_at(
        other.unique(list(_FLIGHT), keep="first", maintain_order=True),
        lambda row: f"{_of(row)} is no flight that a regulation knows; it earns nothing",
        "facts flights.flight, reading W12",
        f"If it was one of {', '.join(FLIGHTS)}, write that.",
    )
    events = facts.tables["events"].select("event_id", pl.col("entrants").alias("whole"))
    counted = flights.select(*_FLIGHT, "entrants", FILE, LINE)
    mains = counted.filter(pl.col("flight") == MAIN).join(events, on="event_id", how="inner")
    yield from problems_at(
        mains.filter(pl.col("entrants") != pl.col("whole")),
        lambda row: (
            f"{_of(row)} has {row['entrants']} entrants, its row in events says {row['whole']}"
        ),
        "facts events.entrants",
        "Both are unique players. Correct the one that is wrong.",
    )
