"""
A regulation as pages show it: its editions, and one edition in the text's order and words.

    regulations_page    every regulation and its editions
    regulation_page     one edition: clauses, each with its numbers and readings
    clause_texts        an edition, functions  ->  its clauses, as they stand on the page
    table_text          a printed table  ->  rows and columns
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

from litestar.exceptions import NotFoundException

from palmares.clauses import Written, written
from palmares.editions import Clause, Constant, Edition
from palmares.regulations import Regulation, regulations
from palmares.rounding import written as digits
from palmares.web.messages import said

WIDEST = 4
"""Columns up to which a table of tables stands side by side."""
CALCULATORS: Mapping[str, str] = {
    "wbgf": "performance",
    "usbgf": "master-points",
    "dptr": "percentile",
    "wbf-vp": "victory-points",
}
"""Regulations that one may try out, and where."""


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
                calculator=CALCULATORS.get(one.name),
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
        calculator=CALCULATORS.get(one.name),
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
        clauses=tuple(clause_texts(sheet, written(one.load()))),
    )


def held(name: str) -> Regulation:
    """A regulation by name.

    Raises:
        NotFoundException: there is none.
    """
    found = regulations().get(name)
    if found is None:
        raise NotFoundException(said("There is no regulation %(name)s.", name=name[:40]))
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
        said(
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
