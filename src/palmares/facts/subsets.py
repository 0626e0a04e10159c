"""The facts of some tournaments, and who is named in them; read off what the schema refers to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Literal

import polars as pl

from palmares.facts.schema import KEYS, OWNERS, PLAYER_COLUMNS

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
    return with_people(_of_tournaments(tables, tournaments, "semi"), tables, players)


def without_tournaments(tables: Tables, tournaments: Collection[str]) -> dict[str, pl.DataFrame]:
    """The tables of reports, without the rows of some tournaments."""
    return _of_tournaments(tables, tournaments, "anti")


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


def _of_tournaments(
    tables: Tables, tournaments: Collection[str], how: Literal["semi", "anti"]
) -> dict[str, pl.DataFrame]:
    """The rows of reports that belong to some tournaments ("semi"), or that do not ("anti")."""
    ids = {"tournaments": _ids("tournament_id", tournaments)}
    for name in ("events", "team_matches"):
        column, owner = OWNERS[name]
        ids[name] = tables[name].join(ids[owner], on=column, how="semi").select(KEYS[name])
    leads = {"tournaments": ("tournament_id", "tournaments"), **OWNERS}
    return {
        name: tables[name].join(ids[owner], on=column, how=how, maintain_order="left")
        for name, (column, owner) in leads.items()
    }


def _ids(column: str, ids: Collection[str]) -> pl.DataFrame:
    return pl.DataFrame({column: list(ids)}, schema={column: pl.String})
