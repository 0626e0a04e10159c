"""How something wrong with rows of a table becomes problems with file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import polars as pl

from palmares.errors import Problem
from palmares.facts.tables import FILE, LINE
from palmares.sentences import counted, said

MOST = 1000  # problems told of one kind; the rest is counted

Row = Mapping[str, Any]
Words = str | Callable[[Row], str]


def problems_at(
    rows: pl.DataFrame, what: Words, clause: str, remedy: Words, most: int = MOST
) -> Iterator[Problem]:
    """A problem for each row, with its file and line; after *most*, how many more there are.

    Args:
        rows: with ``_file`` and ``_line``, and whatever the words need.
        what: what is wrong, or how to say it of a row.
        clause: the rule that says so.
        remedy: what to do, or how to say it of a row.
        most: how many are told one by one.
    """
    if rows.is_empty():
        return
    for row in rows.head(most).iter_rows(named=True):
        yield Problem(
            where=place(row), what=_said(what, row), clause=clause, remedy=_said(remedy, row)
        )
    if rows.height > most:
        yield Problem(
            where=place(rows.row(most, named=True)),
            what=said("and %(many)s more of this kind from here on", many=rows.height - most),
            clause=clause,
            remedy=said("Mend the ones above first, in the same way."),
        )


def place(row: Row) -> str:
    """Where a row comes from: ``placings.csv:14``."""
    return f"{row[FILE]}:{row[LINE]}"


def _said(words: Words, row: Row) -> str:
    return words if isinstance(words, str) else words(row)


def players(count: int) -> str:
    """``1 player``, ``2 players``."""
    return counted("%(many)s player", "%(many)s players", count)
