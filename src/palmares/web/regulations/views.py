"""Regulations: their editions, one in the text's order and words, and two of them side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from difflib import SequenceMatcher
from fractions import Fraction
from importlib import import_module
from typing import Any, TypeVar

from litestar.exceptions import NotFoundException

from palmares.core.messages import msg
from palmares.core.rounding import written as digits
from palmares.regulations import Regulation, regulations
from palmares.regulations.editions import Clause, Constant, Edition, Reading
from palmares.regulations.tracing import Written, written

T = TypeVar("T")

SAME, CHANGED, NEW, GONE = "same", "changed", "new", "gone"
WIDEST = 4
"""Columns up to which a table of tables stands side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionHead:
    """An edition among others."""

    edition: str
    title: str
    in_force: date | None  # none: the text bears no date and covers every day
    until: date | None  # the last day; none: there is no later edition
    now: bool  # it governs today


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationHead:
    """A regulation among others."""

    regulation: str
    title: str
    discipline: str
    kinds: tuple[str, ...]  # of points; none: it awards nothing to players
    calculator: str | None
    editions: tuple[EditionHead, ...]  # the latest first


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationsPage:
    """Every regulation that we hold."""

    as_of: date
    regulations: tuple[RegulationHead, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantText:
    """A number that the edition fixes."""

    name: str
    value: str
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row of a printed table."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TableText:
    """A printed table."""

    name: str
    unit: str
    columns: tuple[str, ...]  # one without a name where a row has one number
    rows: tuple[TableRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionText:
    """A named alternative of a reading."""

    name: str
    does: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingText:
    """Where the text is silent or contradicts itself."""

    reading: str  # "W3"
    silent: str
    we: str
    since: str
    options: tuple[OptionText, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseText:
    """A clause with the numbers it fixes, the readings it needs and the functions that apply it."""

    clause: str
    label: str
    kind: str  # computes | defines | explains
    says: str
    constants: tuple[ConstantText, ...]
    tables: tuple[TableText, ...]
    readings: tuple[ReadingText, ...]
    functions: tuple[Written, ...]  # as they run; none where a clause only defines or explains


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationPage:
    """One edition of a regulation."""

    regulation: str
    name: str  # of the regulation
    discipline: str
    kinds: tuple[str, ...]
    calculator: str | None
    edition: str
    title: str
    author: str
    source: str
    selected_by: str
    sha256: str  # of the sheet
    path: str
    in_force: date | None
    until: date | None
    editions: tuple[EditionHead, ...]  # all, the latest first
    clauses: tuple[ClauseText, ...]


def regulations_page(today: date) -> RegulationsPage:
    """Every regulation, and which edition governs a day."""
    return RegulationsPage(
        as_of=today,
        regulations=tuple(
            RegulationHead(
                regulation=one.name,
                title=one.title,
                discipline=one.discipline,
                kinds=one.kinds,
                calculator=one.calculator.name if one.calculator else None,
                editions=edition_heads(one, today),
            )
            for one in regulations().values()
        ),
    )


def regulation_page(name: str, edition: str | None, today: date) -> RegulationPage:
    """One edition; without its name the one that governs the day, else the latest.

    Raises:
        NotFoundException: there is no such regulation or edition.
    """
    one = held(name)
    heads = edition_heads(one, today)
    shown = edition or next((head.edition for head in heads if head.now), heads[0].edition)
    sheet = edition_of(one, shown)
    head = next(head for head in heads if head.edition == sheet.id)
    return RegulationPage(
        regulation=one.name,
        name=one.title,
        discipline=one.discipline,
        kinds=one.kinds,
        calculator=one.calculator.name if one.calculator else None,
        edition=sheet.id,
        title=sheet.title,
        author=sheet.author,
        source=sheet.source,
        selected_by=sheet.selected_by,
        sha256=sheet.sha256,
        path=sheet.path,
        in_force=sheet.in_force,
        until=head.until,
        editions=heads,
        clauses=tuple(clause_texts(sheet, written(import_module(one.module)))),
    )


def held(name: str) -> Regulation:
    """A regulation by name.

    Raises:
        NotFoundException: there is none.
    """
    found = regulations().get(name)
    if found is None:
        raise NotFoundException(msg("There is no regulation %(name)s.", name=name[:40]))
    return found


def edition_of(regulation: Regulation, edition: str) -> Edition:
    """An edition by its id.

    Raises:
        NotFoundException: there is none; says which there are.
    """
    every = regulation.editions()
    for one in every:
        if one.id == edition:
            return one
    there_are = ", ".join(one.id for one in every)
    raise NotFoundException(
        msg(
            "%(regulation)s has no edition %(edition)s. There are: %(editions)s.",
            regulation=regulation.name,
            edition=edition[:40],
            editions=there_are,
        )
    )


def edition_heads(regulation: Regulation, today: date) -> tuple[EditionHead, ...]:
    """Every edition and the days it governs, the latest first."""
    every = regulation.editions()
    following: list[date | None] = [one.in_force for one in every[1:]]
    heads = []
    for one, after in zip(every, [*following, None], strict=True):
        until = after - timedelta(days=1) if after else None
        begun = one.in_force is None or one.in_force <= today
        heads.append(
            EditionHead(
                edition=one.id,
                title=one.title,
                in_force=one.in_force,
                until=until,
                now=begun and (until is None or today <= until),
            )
        )
    return tuple(reversed(heads))


def clause_texts(
    edition: Edition, functions: Mapping[str, tuple[Written, ...]]
) -> Iterator[ClauseText]:
    """The clauses in the text's order, each with what the sheet says of it and what applies it."""
    for clause in edition.clauses.values():
        yield ClauseText(
            clause=clause.id,
            label=clause.label,
            kind=clause.kind,
            says=clause.says,
            constants=tuple(constant_text(one) for one in _of(edition.constants, clause)),
            tables=tuple(table_text(one) for one in _of(edition.tables, clause)),
            readings=tuple(
                ReadingText(
                    reading=one.id,
                    silent=one.silent,
                    we=one.we,
                    since=one.since,
                    options=tuple(
                        OptionText(name=name, does=does) for name, does in one.options.items()
                    ),
                )
                for one in edition.readings.values()
                if one.clause == clause.id
            ),
            functions=functions.get(clause.id, ()),
        )


def _of(numbers: Mapping[str, Constant], clause: Clause) -> list[Constant]:
    return [one for one in numbers.values() if one.clause == clause.id]


def constant_text(one: Constant) -> ConstantText:
    """A constant as text."""
    return ConstantText(name=one.name, value=number_text(one.value), unit=one.unit)


def number_text(value: Any) -> str:
    """A sheet's number as the sheet writes it: thirds as fractions."""
    if isinstance(value, Fraction) and value.denominator == 3:  # noqa: PLR2004
        return str(value)
    return digits(value)


def table_text(one: Constant) -> TableText:
    """A printed table: side by side where it is a table of small tables, else row by row."""
    columns, rows = _cells(one.value)
    return TableText(name=one.name, unit=one.unit, columns=columns, rows=tuple(rows))


def _cells(value: Any) -> tuple[tuple[str, ...], list[TableRow]]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    pairs = [(str(key), inner) for key, inner in items]
    if not all(isinstance(inner, Mapping) for _, inner in pairs):
        return ("",), [TableRow(name=key, cells=(number_text(one),)) for key, one in pairs]
    columns = tuple(dict.fromkeys(str(name) for _, inner in pairs for name in inner))
    if len(columns) <= WIDEST:
        return columns, [
            TableRow(
                name=key,
                cells=tuple(number_text(inner[one]) if one in inner else "" for one in columns),
            )
            for key, inner in pairs
        ]
    return ("",), [
        TableRow(name=f"{key}: {name}", cells=(number_text(one),))
        for key, inner in pairs
        for name, one in inner.items()
    ]


# ── two editions side by side ────────────────────────────────────────────────────────────────────


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
            yield replace(row, numbers=numbers, readings=readings)


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
