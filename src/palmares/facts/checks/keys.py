"""Nothing is there twice, and every id that is used is known."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches

import polars as pl

from palmares.core.errors import Location, Problem
from palmares.core.messages import joined, msg, plural
from palmares.facts.problems import MOST, TWICE, TWICE_WITH_ID, Cell, problems_at
from palmares.facts.schema import FILE, KEYS, LINE, REFERENCES, Facts
from palmares.facts.text import shown

_MANY = 2000  # ids among which a similar one is looked for
_NAMED = 5  # lines named of one thing that is there many times


_ONE = msg("Keep one row.")
_ONE_OR_AN_ID = msg("Keep one row, or give the other an id of its own.")
_AGAIN = {
    "players": (msg("the player %(player_id)s is listed %(times)s"), _ONE),
    "tournaments": (msg("the tournament %(tournament_id)s is there %(times)s"), _ONE_OR_AN_ID),
    "events": (msg("the event %(event_id)s is there %(times)s"), _ONE_OR_AN_ID),
    "flights": (msg("the event %(event_id)s has the flight %(flight)s %(times)s"),
                msg("Keep one row: an event has one Main, one Consolation and one Last Chance.")),
    "placings": (msg("%(player_id)s is placed %(times)s in the %(flight)s of %(event_id)s"),
                 msg("A player has one place per flight.")),
    "matches": (msg("the match %(match_id)s is there %(times)s"), _ONE_OR_AN_ID),
    "team_matches": (msg("the match %(match_id)s is there %(times)s"), _ONE_OR_AN_ID),
    "teams": (msg("the team %(team)s is listed %(times)s in %(event_id)s"), _ONE),
    "boards": (msg("the board %(board)s of %(match_id)s is there %(times)s"), _ONE),
    "rates": (msg("the rate of %(currency)s on %(date)s is there %(times)s"), _ONE),
}  # fmt: skip
"""How to say that a row of a table is there again, and what to do."""
_CODES = {_ONE: TWICE, _ONE_OR_AN_ID: TWICE_WITH_ID}


def twice(facts: Facts) -> Iterator[Problem]:
    """Rows that are there more than once, with the lines of all of them."""
    for name in _AGAIN:
        table, key = facts.tables[name], KEYS[name]
        if table.is_empty():
            continue
        if "flight" in key:
            table = table.with_columns(pl.col("flight").fill_null("main"))
        again = table.select(key).is_duplicated()
        if again.any():
            rows = table.filter(again).select(*key, FILE, LINE).drop_nulls(key)
            yield from _told(name, rows)


def _told(name: str, rows: pl.DataFrame) -> Iterator[Problem]:
    (what, remedy), key = _AGAIN[name], KEYS[name]
    code = _CODES.get(remedy, "")
    groups = rows.group_by(key, maintain_order=True).agg(FILE, LINE, pl.len())
    groups = groups.with_columns(
        pl.col(FILE).list.get(1).alias("_second"), pl.col(LINE).list.get(1).alias("_at")
    )
    for row in groups.head(MOST).iter_rows(named=True):
        values = {one: shown(row[one]) for one in key}
        often = plural("%(many)s time", "%(many)s times", row["len"])
        times = (msg("twice") if row["len"] == len(("one", "two")) else often,)
        yield Problem(
            at=Location(row["_second"], row["_at"], table=name, key=key[-1]),
            what=msg(
                "%(what)s, %(lines)s", what=msg(what, **values, times=times), lines=_lines(row)
            ),
            clause=Cell(name, key[-1]).clause,
            remedy=remedy,
            code=code,
        )
    if groups.height > MOST:
        row = groups.row(MOST, named=True)
        yield Problem(
            at=Location(row["_second"], row["_at"], table=name, key=key[-1]),
            what=msg("and %(many)s more are there twice", many=groups.height - MOST),
            clause=Cell(name, key[-1]).clause,
            remedy=remedy,
            code=code,
        )


def _lines(row: Mapping[str, list[object]]) -> str:
    """``lines 20 and 31``; with their files, if there are several."""
    files, lines = row[FILE], row[LINE]
    if len(set(files)) > 1:
        places = [f"{file}:{line}" for file, line in zip(files, lines, strict=True)]
        return joined(places[:_NAMED]) if len(places) <= _NAMED else _first(places)
    first = ", ".join(str(line) for line in lines[:-1][:_NAMED])
    more = " …" * (len(lines) - 1 > _NAMED)
    return msg("lines %(first)s and %(last)s", first=first + more, last=str(lines[-1]))


def _first(places: list[str]) -> str:
    return msg("%(places)s …", places=joined(places[:_NAMED]))


def unknown(facts: Facts, incomplete: Collection[str]) -> Iterator[Problem]:
    """Ids that no row of their table has; each one told once, where it is first used."""
    for table, column, target, key in REFERENCES:
        known = facts.tables[target][key]
        if facts.tables[table].is_empty() or target in incomplete or known.null_count():
            continue
        lost = _lost(facts, table, column, known)
        if not lost.height:
            continue
        cell = Cell(table, column)
        if not len(known):
            yield from problems_at(
                lost.head(1),
                msg("there is no table %(table)s with the ids that stand here", table=target),
                cell,
                msg("Add %(file)s with a row for each.", file=f"{target}.csv"),
            )
            continue
        near = _near(lost[column], known)
        yield from problems_at(
            lost,
            lambda row, column=column, target=target: plural(  # type: ignore[misc]
                "%(column)s '%(id)s' is not in the table %(table)s; %(many)s row names it",
                "%(column)s '%(id)s' is not in the table %(table)s; %(many)s rows name it",
                row["len"],
                column=column,
                id=shown(row[column]),
                table=target,
            ),
            cell,
            lambda row, column=column, near=near, target=target: (  # type: ignore[misc]
                msg(
                    "Write %(near)s, if that is meant; or add it to %(table)s.",
                    near=shown(near[row[column]]),
                    table=target,
                )
                if row[column] in near
                else msg("Correct the id, or add it to %(table)s.", table=target)
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
        cell = Cell("memberships", "player_id")
        names = ", ".join(shown(one) for one in lost["player_id"].head(_NAMED))
        yield Problem(
            at=cell.at(lost.row(0, named=True)),
            what=plural(
                "%(many)s member of memberships in no table of players: %(names)s",
                "%(many)s members of memberships in no table of players: %(names)s",
                lost.height,
                names=names + " …" * (lost.height > _NAMED),
            ),
            clause=cell.clause,
            remedy=msg("If one of them did play, write the id of the table of players."),
        )
