"""Placings by numbers, so that tens of millions can be looked at: which flight each is of."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from palmares.facts.schema import FILE, FLIGHTS, LINE, Facts

MAIN = FLIGHTS[0]


class Placed(NamedTuple):
    """The flights that have placings."""

    codes: pl.Series  # of each placing: the row of its flight in *flights*; null without an event
    flights: pl.DataFrame  # event_id, flight, file and line: those of its first placing; in order


def placed(facts: Facts) -> Placed:
    """Which flight each placing is of: the Main, where it names none; worked out once."""
    return facts.once(("placings", "flight of an event"), lambda: _placed(facts))


def _placed(facts: Facts) -> Placed:
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
    return Placed(
        codes.gather(number.rle_id()), flights.with_columns(pl.col("flight").fill_null(MAIN))
    )
