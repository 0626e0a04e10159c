"""Join the facts of several reports and packages, or take those of some tournaments."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Literal

import polars as pl

from palmares.core.errors import Location, Problem
from palmares.facts.schema import FILE, KEYS, LINE, OWNERS, PLAYER_COLUMNS, TABLES, Facts
from palmares.facts.text import printable

_OF_A_TABLE = pl.col(FILE).str.contains(r"(^|/)players(\.[a-z]+)?(/.*\.parquet)?$")
"""Rows of a package's table of players, which describes players for all reports."""


def concat(several: Iterable[Facts]) -> Facts:
    """Facts of several sources as one.

    Two sources that describe a player in the same way have one row; an empty cell fits any value.
    A table of players (a file named ``players``) wins over what reports say of the same id.
    Where reports give an id different nations, the one of their latest tournament is the nation
    held now, with a notice; each placing keeps its own (reading W17 of the WBGF).
    """
    sources = list(several)
    tables = {
        name: pl.concat([source.tables[name] for source in sources], how="diagonal")
        for name in TABLES
        if sources
    }
    notices = [notice for source in sources for notice in source.notices]
    if len(sources) > 1:
        players, moved = _nation_now(tables)
        tables["players"] = _one_row_each(players)
        notices += moved
    for name, table in tables.items():
        columns = dict.fromkeys((*TABLES[name], *table.drop(FILE, LINE).columns, FILE, LINE))
        tables[name] = table[list(columns)]  # by name: to select(), `*` is a pattern
    return Facts(tables, tuple(dict.fromkeys(notices)))


def _nation_now(tables: Mapping[str, pl.DataFrame]) -> tuple[pl.DataFrame, list[Problem]]:
    """Players of reports, with the nation of their latest tournament where reports differ."""
    players = tables["players"]
    differ = (
        players.filter(pl.col("nation").is_not_null() & ~_OF_A_TABLE)
        .group_by("player_id", maintain_order=True)
        .agg(pl.col("nation").unique(maintain_order=True), pl.col(FILE, LINE).last())
        .filter(pl.col("nation").list.len() > 1)
    )
    if differ.is_empty():
        return players, []
    days = tables["events"].join(
        tables["tournaments"].select("tournament_id", "end_date"), on="tournament_id", how="inner"
    )
    latest = (
        tables["placings"]
        .select("event_id", "player_id", "nation")  # an unknown column may be named end_date
        .filter(pl.col("nation").is_not_null())
        .join(differ.select("player_id"), on="player_id", how="semi")
        .join(days.select("event_id", "end_date", "tournament_id"), on="event_id", how="inner")
        .sort("end_date", "tournament_id", "event_id")
        .group_by("player_id", maintain_order=True)
        .agg(pl.col("nation").last().alias("_now"), _of=pl.col("tournament_id").last())
    )
    moved = differ.join(latest, on="player_id", how="inner", maintain_order="left")
    notices = [
        Problem(
            at=Location(row[FILE], row[LINE]),
            what=f"{printable(row['player_id'])} is {' and '.join(row['nation'])} in different"
            f" reports; {row['_now']}, of the latest tournament, {printable(row['_of'])}, is taken"
            " as the nation held now",
            clause="facts players.nation",
            remedy="If these are two people, give each an id of their own.",
        )
        for row in moved.iter_rows(named=True)
    ]
    nation = pl.when(_OF_A_TABLE).then("nation").otherwise(pl.coalesce("_now", "nation"))
    joined = players.join(latest, on="player_id", how="left", maintain_order="left")
    return joined.with_columns(nation.alias("nation")).drop("_now", "_of"), notices


def _one_row_each(players: pl.DataFrame) -> pl.DataFrame:
    """Players without the rows that say nothing else than a row of the same id elsewhere."""
    stated = players.with_columns(_table=_OF_A_TABLE).filter(
        pl.col("_table") | ~pl.col("_table").any().over("player_id")
    )
    columns_compared = ("name", "nation", "withheld")
    agree = pl.all_horizontal(
        pl.col(column).drop_nulls().n_unique().over("player_id") <= 1 for column in columns_compared
    )
    filled = [
        pl.when(agree).then(pl.col(column).drop_nulls().first().over("player_id")).otherwise(column)
        for column in columns_compared
    ]
    first = pl.int_range(pl.len()).over("player_id") == 0
    elsewhere = pl.col(FILE) != pl.col(FILE).first().over("player_id")
    return (
        stated.with_columns(
            *(value.alias(column) for column, value in zip(columns_compared, filled, strict=True))
        )
        .with_columns(_keep=first | ~agree | ~elsewhere)
        .filter("_keep")
        .drop("_table", "_keep")
    )


Tables = Mapping[str, pl.DataFrame]


def subset(
    tables: Tables, tournaments: Collection[str], players: Collection[str] = ()
) -> dict[str, pl.DataFrame]:
    """The facts of some tournaments, with all that their awards depend on.

    Args:
        tables: every table of `TABLES`.
        tournaments: their ids.
        players: who is wanted beside those whom the tournaments name.
    """
    return with_people(of_tournaments(tables, tournaments), tables, players)


def without_tournaments(tables: Tables, tournaments: Collection[str]) -> dict[str, pl.DataFrame]:
    """The tables of reports, without the rows of some tournaments."""
    return of_tournaments(tables, tournaments, "anti")


def with_people(
    rows: Tables, tables: Tables, players: Collection[str] = ()
) -> dict[str, pl.DataFrame]:
    """The tables of some reports with the players whom they name, their memberships, all rates."""
    wanted = pl.concat([named_players(rows), _ids("player_id", players)])
    people = {
        name: tables[name].join(wanted, on="player_id", how="semi", maintain_order="left")
        for name in ("players", "memberships")
    }
    return {**rows, **people, "rates": tables["rates"]}


def played_in(tables: Tables, players: Collection[str]) -> set[str]:
    """The tournaments in whose placings or matches some players appear."""
    events = tables["events"].join(appearances(tables, players), on="event_id", how="semi")
    return set(events["tournament_id"])


def appearances(tables: Tables, players: Collection[str] | None = None) -> pl.DataFrame:
    """The events in which some players appear, or all, once for each row: player_id, event_id."""
    wanted = True if players is None else pl.col("player_id").is_in(list(players))
    return pl.concat(
        tables[name].select(pl.col(column).alias("player_id"), "event_id").filter(wanted)
        for name, columns in PLAYER_COLUMNS.items()
        for column in columns
    ).drop_nulls("player_id")


def named_players(tables: Tables) -> pl.DataFrame:
    """Every player that reports name, once: player_id."""
    columns = (tables[name][column] for name, names in PLAYER_COLUMNS.items() for column in names)
    return (
        pl.concat(column.unique().rename("player_id") for column in columns)
        .unique()
        .drop_nulls()
        .to_frame()
    )


def of_tournaments(
    tables: Tables, tournaments: Collection[str], how: Literal["semi", "anti"] = "semi"
) -> dict[str, pl.DataFrame]:
    """The rows of reports that belong to some tournaments ("semi"), or that do not ("anti")."""
    ids = {"tournaments": _ids("tournament_id", tournaments)}
    for name in ("events", "team_matches"):
        column, owner = OWNERS[name]
        ids[name] = tables[name].join(ids[owner], on=column, how="semi").select(KEYS[name])
    leads = {"tournaments": ("tournament_id", "tournaments"), **OWNERS}
    return {
        name: tables[name].join(ids[owner], on=column, how=how, maintain_order="left")
        if len(tables[name])
        else tables[name]
        for name, (column, owner) in leads.items()
    }


def _ids(column: str, ids: Collection[str]) -> pl.DataFrame:
    return pl.DataFrame({column: list(ids)}, schema={column: pl.String})
