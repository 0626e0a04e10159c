"""Make problems, with file and line, from the rows of a table that are wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from palmares.core.errors import Location, Problem
from palmares.core.messages import msg, plural
from palmares.facts.schema import FILE, LINE, Facts
from palmares.facts.text import printable

MOST = 1000  # problems of one kind that are listed; the others are counted

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


MISSING, EMPTY, NO_TITLE, NO_RESULTS = "missing", "empty", "no-title", "no-results"
"""Codes of problems that are looked for: a column or a cell that is not filled in; a sheet or a
text without the name or the last day of its tournament; an event without results."""


def problems_at(
    rows: pl.DataFrame, what: Text, cell: Cell, remedy: Text, *, code: str = ""
) -> Iterator[Problem]:
    """A problem for each row, with its file and line; after `MOST`, how many more there are.

    Args:
        rows: with ``_file`` and ``_line``, and whatever the words need.
        what: what is wrong, or how to say it of a row.
        cell: which column it is about.
        remedy: what to do, or how to say it of a row.
        code: the kind of problem, if a page asks for it.
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
            remedy=msg("Correct the ones above first; the rest need the same."),
        )


def with_event_names(rows: pl.DataFrame, facts: Facts) -> pl.DataFrame:
    """Rows with ``_event``: the name of their event, then of its tournament in brackets."""
    if rows.is_empty():
        return rows
    events = facts.tables["events"].select("event_id", "tournament_id", event="name")
    tournaments = facts.tables["tournaments"].select("tournament_id", tournament="name")
    names = (
        events.join(rows, on="event_id", how="semi")
        .unique("event_id", keep="first")
        .join(tournaments.drop_nulls().unique("tournament_id"), on="tournament_id", how="left")
    )
    event, tournament = pl.coalesce("event", "event_id"), pl.col("tournament")
    is_inside = event.str.contains(tournament, literal=True).fill_null(value=True)
    name = pl.when(is_inside).then(event).otherwise(pl.format("{} ({})", event, tournament))
    names = names.select("event_id", _event=name)
    return rows.join(names, on="event_id", how="left", maintain_order="left")


def event_name(row: Row) -> str:
    """An event as a message names it."""
    return printable(row["_event"] or row["event_id"])


def _text_of(words: Text, row: Row) -> str:
    return words if isinstance(words, str) else words(row)


def players(count: int) -> str:
    """``1 player``, ``2 players``."""
    return plural("%(many)s player", "%(many)s players", count)
