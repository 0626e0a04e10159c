"""How something wrong with rows of a table becomes problems with file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import polars as pl

from palmares.core.errors import Location, Problem
from palmares.core.messages import msg, plural, values_of
from palmares.facts.schema import FILE, LINE
from palmares.facts.text import shown

MOST = 1000  # problems told of one kind; the rest is counted

Row = Mapping[str, Any]
Text = str | Callable[[Row], str]


class Cell(NamedTuple):
    """A column of a table that a problem is about, and the rule that says so."""

    table: str
    key: str
    rule: str = ""

    @property
    def clause(self) -> str:
        """``facts placings.rank, reading W14``: what a reader can look up."""
        return f"facts {self.table}.{self.key}" + (f", {self.rule}" if self.rule else "")

    def at(self, row: Row) -> Location:
        """Where it stands in a row."""
        return Location(row[FILE], row[LINE], table=self.table, key=self.key)


class Wording(NamedTuple):
    """What a problem says to whoever wrote keys, not tables; its values are those it has."""

    what: str  # empty: the same
    remedy: str


MISSING, EMPTY, NO_ENTRANTS, ENTRANTS = "missing", "empty", "no-entrants", "entrants"
TWICE, TWICE_WITH_ID = "twice", "twice-with-id"
UNTOLD = "untold"
"""A sheet or a text does not say what its tournament is called, or when it ended."""
IN_KEYS: Mapping[str, Wording] = {
    MISSING: Wording(msg("there is no %(column)s"), msg("Add %(column)s: %(means)s.")),
    EMPTY: Wording(msg("there is no %(column)s"), msg("Add %(column)s: %(means)s.")),
    NO_ENTRANTS: Wording(
        msg("%(flight)s has placings, and nobody says how many entered it"),
        msg("Add entrants under %(heading)s: how many entered, listed or not."),
    ),
    TWICE: Wording("", msg("Keep one of them.")),
    TWICE_WITH_ID: Wording("", msg("Keep one of them, or give the other an id of its own.")),
    ENTRANTS: Wording(
        msg("%(flight)s has %(entrants)s entrants, its event says %(whole)s"),
        msg("Both are unique players. Correct the one that is wrong."),
    ),
}


def in_keys(problem: Problem, keys: Mapping[str, str]) -> Problem:
    """A problem in the words of a file that has keys, some of which are not named as columns."""
    words = IN_KEYS.get(problem.code)
    if words is None:
        return problem
    values = {**values_of(problem.remedy), **values_of(problem.what)}
    values["column"] = keys.get(problem.at.key, problem.at.key)
    what = msg(words.what, **values) if words.what else problem.what
    return replace(problem, what=what, remedy=msg(words.remedy, **values))


def problems_at(
    rows: pl.DataFrame, what: Text, cell: Cell, remedy: Text, *, code: str = ""
) -> Iterator[Problem]:
    """A problem for each row, with its file and line; after `MOST`, how many more there are.

    Args:
        rows: with ``_file`` and ``_line``, and whatever the words need.
        what: what is wrong, or how to say it of a row.
        cell: which column it is about.
        remedy: what to do, or how to say it of a row.
        code: which kind of problem, where somebody asks.
    """
    if rows.is_empty():
        return
    for row in rows.head(MOST).iter_rows(named=True):
        yield Problem(
            at=cell.at(row),
            what=_text_of(what, row),
            clause=cell.clause,
            remedy=_text_of(remedy, row),
            code=code,
        )
    if rows.height > MOST:
        yield Problem(
            at=cell.at(rows.row(MOST, named=True)),
            what=msg("and %(many)s more of this kind from here on", many=rows.height - MOST),
            clause=cell.clause,
            remedy=msg("Mend the ones above first, in the same way."),
        )


def with_event_names(rows: pl.DataFrame, events: pl.DataFrame) -> pl.DataFrame:
    """Rows with ``_event``: the event and, where its id does not begin so, the tournament."""
    if rows.is_empty():
        return rows
    event, tournament = pl.col("event_id"), pl.col("tournament_id")
    full_name = pl.format("{} ({})", event, tournament)
    name = pl.when(event.str.starts_with(tournament)).then(event).otherwise(full_name)
    names = events.select("event_id", _event=pl.coalesce(name, event)).unique("event_id")
    return rows.join(names.drop_nulls(), on="event_id", how="left", maintain_order="left")


def event_name(row: Row) -> str:
    """An event as a message names it."""
    return shown(row.get("_event") or row["event_id"])


def _text_of(words: Text, row: Row) -> str:
    return words if isinstance(words, str) else words(row)


def players(count: int) -> str:
    """``1 player``, ``2 players``."""
    return plural("%(many)s player", "%(many)s players", count)
