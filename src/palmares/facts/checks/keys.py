"""Nothing is there twice, and every id that is used is known."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import NamedTuple

import polars as pl

from palmares.errors import Problem
from palmares.facts.found import MOST, place, problems_at
from palmares.facts.tables import FILE, LINE, Facts
from palmares.facts.texts import shown
from palmares.sentences import counted, joined, said

_MANY = 2000  # ids among which a similar one is looked for
_NAMED = 5  # lines named of one thing that is there many times


class _Key(NamedTuple):
    """What may be there only once, and how to say that it is there again."""

    table: str
    columns: tuple[str, ...]
    what: str
    remedy: str


_ONE = said("Keep one row.")
_ONE_OR_AN_ID = said("Keep one row, or give the other an id of its own.")
KEYS = (
    _Key("players", ("player_id",), said("the player %(player_id)s is listed %(times)s"), _ONE),
    _Key("tournaments", ("tournament_id",),
         said("the tournament %(tournament_id)s is there %(times)s"), _ONE_OR_AN_ID),
    _Key("events", ("event_id",), said("the event %(event_id)s is there %(times)s"),
         _ONE_OR_AN_ID),
    _Key("flights", ("event_id", "flight"),
         said("the event %(event_id)s has the flight %(flight)s %(times)s"),
         said("Keep one row: an event has one Main, one Consolation and one Last Chance.")),
    _Key("placings", ("event_id", "flight", "player_id"),
         said("%(player_id)s is placed %(times)s in the %(flight)s of %(event_id)s"),
         said("A player has one place per flight.")),
    _Key("matches", ("match_id",), said("the match %(match_id)s is there %(times)s"),
         _ONE_OR_AN_ID),
    _Key("team_matches", ("match_id",), said("the match %(match_id)s is there %(times)s"),
         _ONE_OR_AN_ID),
    _Key("teams", ("event_id", "team"),
         said("the team %(team)s is listed %(times)s in %(event_id)s"),
         _ONE),
    _Key("boards", ("match_id", "board"),
         said("the board %(board)s of %(match_id)s is there %(times)s"),
         _ONE),
    _Key("rates", ("currency", "date"),
         said("the rate of %(currency)s on %(date)s is there %(times)s"),
         _ONE),
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
        if table.is_empty():
            continue
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
        often = counted("%(many)s time", "%(many)s times", row["len"])
        times = (said("twice") if row["len"] == len(("one", "two")) else often,)
        yield Problem(
            where=f"{row['_second']}:{row['_at']}",
            what=said(
                "%(what)s, %(lines)s", what=said(key.what, **values, times=times), lines=_lines(row)
            ),
            clause=f"facts {key.table}.{key.columns[-1]}",
            remedy=key.remedy,
        )
    if groups.height > MOST:
        row = groups.row(MOST, named=True)
        yield Problem(
            where=f"{row['_second']}:{row['_at']}",
            what=said("and %(many)s more are there twice", many=groups.height - MOST),
            clause=f"facts {key.table}.{key.columns[-1]}",
            remedy=key.remedy,
        )


def _lines(row: Mapping[str, list[object]]) -> str:
    """``lines 20 and 31``; with their files, if there are several."""
    files, lines = row[FILE], row[LINE]
    if len(set(files)) > 1:
        places = [f"{file}:{line}" for file, line in zip(files, lines, strict=True)]
        return joined(places[:_NAMED]) if len(places) <= _NAMED else _first(places)
    first = ", ".join(str(line) for line in lines[:-1][:_NAMED])
    more = " …" * (len(lines) - 1 > _NAMED)
    return said("lines %(first)s and %(last)s", first=first + more, last=str(lines[-1]))


def _first(places: list[str]) -> str:
    return said("%(places)s …", places=joined(places[:_NAMED]))


def unknown(facts: Facts, incomplete: Collection[str]) -> Iterator[Problem]:
    """Ids that no row of their table has; each one told once, where it is first used."""
    for table, column, target, key in REFERENCES:
        known = facts.tables[target][key]
        if facts.tables[table].is_empty() or target in incomplete or known.null_count():
            continue
        lost = _lost(facts, table, column, known)
        if not lost.height:
            continue
        clause = f"facts {table}.{column}"
        if not len(known):
            yield from problems_at(
                lost.head(1),
                said("there is no table %(table)s with the ids that stand here", table=target),
                clause,
                said("Add %(file)s with a row for each.", file=f"{target}.csv"),
            )
            continue
        near = _near(lost[column], known)
        yield from problems_at(
            lost,
            lambda row, column=column, target=target: counted(  # type: ignore[misc]
                "%(column)s '%(id)s' is not in the table %(table)s; %(many)s row names it",
                "%(column)s '%(id)s' is not in the table %(table)s; %(many)s rows name it",
                row["len"],
                column=column,
                id=shown(row[column]),
                table=target,
            ),
            clause,
            lambda row, column=column, near=near, target=target: (  # type: ignore[misc]
                said(
                    "Write %(near)s, if that is meant; or add it to %(table)s.",
                    near=shown(near[row[column]]),
                    table=target,
                )
                if row[column] in near
                else said("Correct the id, or add it to %(table)s.", table=target)
            ),
        )


def _lost(facts: Facts, table: str, column: str, known: pl.Series) -> pl.DataFrame:
    """Ids of a column that are not known: the first row of each, and how many rows."""
    used = facts.tables[table].select(column, FILE, LINE)
    lost = used.join(known.to_frame(column), on=column, how="anti").drop_nulls(column)
    if lost.is_empty():
        return lost
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
    if "players" in incomplete or facts.tables["memberships"].is_empty():
        return
    lost = _lost(facts, "memberships", "player_id", facts.tables["players"]["player_id"])
    if lost.height:
        names = ", ".join(shown(one) for one in lost["player_id"].head(_NAMED))
        yield Problem(
            where=place(lost.row(0, named=True)),
            what=counted(
                "%(many)s member of memberships in no table of players: %(names)s",
                "%(many)s members of memberships in no table of players: %(names)s",
                lost.height,
                names=names + " …" * (lost.height > _NAMED),
            ),
            clause="facts memberships.player_id",
            remedy=said("If one of them did play, write the id of the table of players."),
        )
