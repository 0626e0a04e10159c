"""
Two editions of a regulation side by side: what changed, clause by clause, number by number.

    editions_page   a regulation and two editions  ->  EditionsPage
    pieces          two texts  ->  what they share, what went out, what came in
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import SequenceMatcher
from typing import Any, TypeVar

from palmares.editions import Clause, Constant, Edition, Reading
from palmares.web.pages.regulation import (
    EditionHead,
    edition_heads,
    edition_of,
    held,
    number_text,
    table_text,
)

T = TypeVar("T")

SAME, CHANGED, NEW, GONE = "same", "changed", "new", "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text: in both, or only in the older (out) or the newer one (in)."""

    kind: str  # same | out | in
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something that both editions have, or only one."""

    what: str  # the name: of a constant, a row of a table, a reading
    change: str  # same | changed | new | gone
    before: str | None
    after: str | None
    unit: str
    pieces: tuple[Piece, ...]  # of words; none for numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseDifference:
    """A clause in both editions."""

    clause: str
    label: str
    change: str  # of its words; "same" where only numbers or readings differ
    pieces: tuple[Piece, ...]
    numbers: tuple[Difference, ...]  # constants and rows of tables
    readings: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionsPage:
    """Two editions side by side."""

    regulation: str
    title: str
    editions: tuple[EditionHead, ...]  # all, the latest first
    before: EditionHead
    after: EditionHead
    whole: bool  # what is the same, too
    words: int  # clauses whose words differ, or that only one has
    numbers: int
    readings: int
    clauses: tuple[ClauseDifference, ...]


def editions_page(
    name: str, a: str | None, b: str | None, today: date, *, whole: bool = False
) -> EditionsPage:
    """Two editions side by side; without their names the last two.

    Args:
        name: of the regulation.
        a: the edition on the left.
        b: the edition on the right.
        today: which edition governs it is told.
        whole: show what is the same, too.

    Raises:
        NotFoundException: there is no such regulation or edition.
    """
    one = held(name)
    heads = {head.edition: head for head in edition_heads(one, today)}
    latest = list(heads)
    left = edition_of(one, a or latest[min(1, len(latest) - 1)])
    right = edition_of(one, b or latest[0])
    every = tuple(_clauses(left, right))
    return EditionsPage(
        regulation=one.name,
        title=one.title,
        editions=tuple(heads.values()),
        before=heads[left.id],
        after=heads[right.id],
        whole=whole,
        words=sum(row.change != SAME for row in every),
        numbers=sum(not_same(row.numbers) for row in every),
        readings=sum(not_same(row.readings) for row in every),
        clauses=every if whole else tuple(_only_differences(every)),
    )


def not_same(rows: tuple[Difference, ...]) -> int:
    """How many differ."""
    return sum(row.change != SAME for row in rows)


def _only_differences(every: tuple[ClauseDifference, ...]) -> Iterator[ClauseDifference]:
    for row in every:
        numbers = tuple(one for one in row.numbers if one.change != SAME)
        readings = tuple(one for one in row.readings if one.change != SAME)
        if row.change != SAME or numbers or readings:
            yield ClauseDifference(
                clause=row.clause,
                label=row.label,
                change=row.change,
                pieces=row.pieces,
                numbers=numbers,
                readings=readings,
            )


def _clauses(left: Edition, right: Edition) -> Iterator[ClauseDifference]:
    for name in _order(left.clauses, right.clauses):
        before, after = left.clauses.get(name), right.clauses.get(name)
        there = after or before
        assert there is not None  # noqa: S101  (one of the two has it)
        yield ClauseDifference(
            clause=name,
            label=there.label,
            change=_change(before, after, _told),
            pieces=pieces(_says(before), _says(after)),
            numbers=tuple(_numbers(left, right, name)),
            readings=tuple(
                _difference(key, one, other, _reading)
                for key, one, other in _pairs(left.readings, right.readings, name)
            ),
        )


def _order(left: Mapping[str, Any], right: Mapping[str, Any]) -> list[str]:
    """The names of both in the order of the right; those only in the left where they stood."""
    order = list(right)
    for at, name in enumerate(left):
        if name not in right:
            before = next((one for one in reversed(list(left)[:at]) if one in order), None)
            order.insert(order.index(before) + 1 if before else 0, name)
    return order


def _told(clause: Clause) -> tuple[str, str]:
    return clause.label, clause.says


def _says(clause: Clause | None) -> str:
    return clause.says if clause else ""


def _change(before: T | None, after: T | None, told: Callable[[T], Any]) -> str:
    if before is None or after is None:
        return NEW if before is None else GONE
    return SAME if told(before) == told(after) else CHANGED


def _pairs(
    left: Mapping[str, T], right: Mapping[str, T], clause: str
) -> Iterator[tuple[str, T | None, T | None]]:
    """What either has of a clause: by name, on the left, on the right."""
    mine = {key: one for key, one in left.items() if one.clause == clause}  # type: ignore[attr-defined]
    theirs = {key: one for key, one in right.items() if one.clause == clause}  # type: ignore[attr-defined]
    for key in _order(mine, theirs):
        yield key, mine.get(key), theirs.get(key)


def _numbers(left: Edition, right: Edition, clause: str) -> Iterator[Difference]:
    """Constants, then tables row by row."""
    for name, one, other in _pairs(left.constants, right.constants, clause):
        there = other or one
        yield _difference(name, one, other, _constant, unit=there.unit if there else "")
    for name, one, other in _pairs(left.tables, right.tables, clause):
        there = other or one
        mine, theirs = _rows(one), _rows(other)
        for row in _order(mine, theirs):
            yield _difference(
                f"{name}, {row}",
                mine.get(row),
                theirs.get(row),
                str,
                unit=there.unit if there else "",
            )


def _rows(table: Constant | None) -> dict[str, str]:
    """The numbers of a table by the names of row and column."""
    if table is None:
        return {}
    shown = table_text(table)
    return {
        f"{row.name}, {column}" if column else row.name: cell
        for row in shown.rows
        for column, cell in zip(shown.columns, row.cells, strict=True)
        if cell
    }


def _constant(one: Constant) -> str:
    return number_text(one.value)


def _reading(one: Reading) -> str:
    """A reading in one paragraph."""
    options = "".join(f" {name}: {does}." for name, does in one.options.items())
    return f"{one.silent} We: {one.we} (since {one.since}).{options}"


def _difference(
    what: str, before: T | None, after: T | None, told: Callable[[T], str], unit: str = ""
) -> Difference:
    one = None if before is None else told(before)
    other = None if after is None else told(after)
    return Difference(
        what=what,
        change=_change(before, after, told),
        before=one,
        after=other,
        unit=unit,
        pieces=pieces(one or "", other or "") if told is _reading else (),
    )


def pieces(before: str, after: str) -> tuple[Piece, ...]:
    """Two texts as what they share, what went out and what came in, word by word."""
    old, new = (re.findall(r"\S+\s*", text) for text in (before, after))
    found = []
    same = SequenceMatcher(a=[one.strip() for one in old], b=[one.strip() for one in new],
                           autojunk=False)  # fmt: skip
    for kind, i, j, k, m in same.get_opcodes():
        if kind == "equal":
            found.append(Piece(kind="same", text="".join(new[k:m])))
            continue
        if i < j:
            found.append(Piece(kind="out", text="".join(old[i:j])))
        if k < m:
            found.append(Piece(kind="in", text="".join(new[k:m])))
    return tuple(found)
