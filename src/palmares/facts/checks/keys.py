"""Nothing is there twice, and every id that is used is known."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

import polars as pl

from palmares.errors import Problem
from palmares.facts.found import MOST, place, plural, problems_at
from palmares.facts.tables import FILE, LINE, Facts
from palmares.facts.texts import shown

_MANY = 2000  # ids among which a similar one is looked for
_NAMED = 5  # lines named of one thing that is there many times


class _Key(NamedTuple):
    """What may be there only once, and how to say that it is there again."""

    table: str
    columns: tuple[str, ...]
    what: str
    remedy: str


KEYS = (
    _Key("players", ("player_id",), "the player {player_id} is listed {times}", "Keep one row."),
    _Key("tournaments", ("tournament_id",), "the tournament {tournament_id} is there {times}",
         "Keep one row, or give the other an id of its own."),
    _Key("events", ("event_id",), "the event {event_id} is there {times}",
         "Keep one row, or give the other an id of its own."),
    _Key("flights", ("event_id", "flight"), "the event {event_id} has the flight {flight} {times}",
         "Keep one row: an event has one Main, one Consolation and one Last Chance."),
    _Key("placings", ("event_id", "flight", "player_id"),
         "{player_id} is placed {times} in the {flight} of {event_id}",
         "A player has one place per flight."),
    _Key("matches", ("match_id",), "the match {match_id} is there {times}",
         "Keep one row, or give the other an id of its own."),
    _Key("team_matches", ("match_id",), "the match {match_id} is there {times}",
         "Keep one row, or give the other an id of its own."),
    _Key("teams", ("event_id", "team"), "the team {team} is listed {times} in {event_id}",
         "Keep one row."),
    _Key("boards", ("match_id", "board"), "the board {board} of {match_id} is there {times}",
         "Keep one row."),
    _Key("rates", ("currency", "date"), "the rate of {currency} on {date} is there {times}",
         "Keep one row."),
)  # fmt: skip
"""What makes a row of each table the only one of its kind."""

REFERENCES = (
    ("events", "tournament_id", "tournaments", "tournament_id"),
    ("flights", "event_id", "events", "event_id"),
    ("placings", "event_id", "events", "event_id"),
    ("placings", "player_id", "players", "player_id"),
    ("matches", "event_id", "events", "event_id"),
    ("matches", "winner_id", "players", "player_id"),
    ("matches", "loser_id", "players", "player_id"),
    ("team_matches", "event_id", "events", "event_id"),
    ("boards", "match_id", "team_matches", "match_id"),
    ("teams", "event_id", "events", "event_id"),
)
"""Which column names an id of which other table."""


def twice(facts: Facts) -> Iterator[Problem]:
    """Rows that are there more than once, with the lines of all of them."""
    for key in KEYS:
        table = facts.tables[key.table]
        if "flight" in key.columns:
            table = table.with_columns(pl.col("flight").fill_null("main"))
        columns = table.select(key.columns)
        again = columns.is_duplicated()
        if again.any():
            rows = table.filter(again).select(*key.columns, FILE, LINE).drop_nulls(key.columns)
            yield from _told(key, rows)


def _told(key: _Key, rows: pl.DataFrame) -> Iterator[Problem]:
    groups = rows.group_by(key.columns, maintain_order=True).agg(FILE, LINE, pl.len())
    groups = groups.with_columns(
        pl.col(FILE).list.get(1).alias("_second"), pl.col(LINE).list.get(1).alias("_at")
    )
    for row in groups.head(MOST).iter_rows(named=True):
        values = {name: shown(row[name]) for name in key.columns}
        times = "twice" if row["len"] == len(("one", "two")) else f"{row['len']} times"
        yield Problem(
            where=f"{row['_second']}:{row['_at']}",
            what=key.what.format(**values, times=times) + f", {_lines(row)}",
            clause=f"facts {key.table}.{key.columns[-1]}",
            remedy=key.remedy,
        )
    if groups.height > MOST:
        row = groups.row(MOST, named=True)
        yield Problem(
            where=f"{row['_second']}:{row['_at']}",
            what=f"and {groups.height - MOST:,} more are there twice",
            clause=f"facts {key.table}.{key.columns[-1]}",
            remedy=key.remedy,
        )


def _lines(row: Mapping[str, list[object]]) -> str:
    """``lines 20 and 31``; with their files, if there are several."""
    files, lines = row[FILE], row[LINE]
    if len(set(files)) > 1:
        places = [f"{file}:{line}" for file, line in zip(files, lines, strict=True)]
        return " and ".join(places[:_NAMED]) + " …" * (len(places) > _NAMED)
    first = ", ".join(str(line) for line in lines[:-1][:_NAMED])
    return f"lines {first}{' …' * (len(lines) - 1 > _NAMED)} and {lines[-1]}"


def unknown(facts: Facts, incomplete: Collection[str]) -> Iterator[Problem]:
    """Ids that no row of their table has; each one told once, where it is first used."""
    for table, column, target, key in REFERENCES:
        known = facts.tables[target][key]
        if target in incomplete or known.null_count():
            continue
        lost = _lost(facts, table, column, known)
        if not lost.height:
            continue
        clause = f"facts {table}.{column}"
        if not len(known):
            yield from problems_at(
                lost.head(1), f"there is no table {target} with the ids that stand here", clause,
                f"Add {target}.csv with a row for each.",
            )  # fmt: skip
            continue
        near = _near(lost[column], known)
        yield from problems_at(
            lost,
            lambda row, column=column, target=target: (  # type: ignore[misc]
                f"{column} '{shown(row[column])}' is not in the table {target}"
                f"; {plural(row['len'], 'row')} {'name' if row['len'] > 1 else 'names'} it"
            ),
            clause,
            lambda row, column=column, near=near, target=target: (  # type: ignore[misc]
                f"Write {shown(near[row[column]])}, if that is meant; or add it to {target}."
                if row[column] in near
                else f"Correct the id, or add it to {target}."
            ),
        )


def _lost(facts: Facts, table: str, column: str, known: pl.Series) -> pl.DataFrame:
    """Ids of a column that are not known: the first row of each, and how many rows."""
    used = facts.tables[table].select(column, FILE, LINE).drop_nulls(column)
    lost = used.join(known.to_frame(column), on=column, how="anti")
    return lost.group_by(column, maintain_order=True).agg(
        pl.col(FILE).first(), pl.col(LINE).first(), pl.len()
    )


def _near(lost: pl.Series, known: pl.Series) -> dict[str, str]:
    if len(lost) > _NAMED or len(known) > _MANY:
        return {}
    candidates = known.to_list()
    near = {one: get_close_matches(one, candidates, n=1, cutoff=0.7) for one in lost}
    return {one: found[0] for one, found in near.items() if found}


def unknown_members(facts: Facts, incomplete: Collection[str]) -> Iterator[Problem]:
    """Members whom no table of players has: a federation's list may well hold more people."""
    if "players" in incomplete:
        return
    lost = _lost(facts, "memberships", "player_id", facts.tables["players"]["player_id"])
    if lost.height:
        names = ", ".join(shown(one) for one in lost["player_id"].head(_NAMED))
        yield Problem(
            where=place(lost.row(0, named=True)),
            what=f"{plural(lost.height, 'member')} of memberships in no table of players: {names}"
            + " …" * (lost.height > _NAMED),
            clause="facts memberships.player_id",
            remedy="If one of them did play, write the id of the table of players.",
        )
