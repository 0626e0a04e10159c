"""
Edition files: one TOML file per edition, ``rules/<regulation>/<edition>.toml``.

`read_edition` reads one and reports every fault at once; a `Rulebook` knows every edition of a
regulation and which one governs a day.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, ValidationError, convert, field
from msgspec.structs import asdict, replace

from palmares.core.errors import NotCovered, Refused, RuleError, Unreadable, did_you_mean
from palmares.core.rounding import number_text
from palmares.core.settings import SETTINGS
from palmares.core.toml import Document, ShapeFault, fault_of, parse
from palmares.core.toml import Path as Key
from palmares.regulations.tracing import tracing

Text = Annotated[str, Meta(pattern=r"\S")]
_FORMS = {r"\S": "a text between quotes"}
_MOST_CACHED = 1_000


def rules_directory() -> Path:
    """Where the edition files are: beside this file, or where the setting ``rules`` says."""
    return Path(SETTINGS["rules"].given or Path(__file__).parents[1] / "rules")


class _Entry(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An entry of an edition file; each key that it must and may have."""


class QuotedClause(_Entry, frozen=True, kw_only=True, rename={"id": "[key]"}):
    """A sentence of the text, named so that code and explanations can point at it."""

    id: str
    label: Text  # where it stands in the text: "Rank Points"
    kind: Literal["computes", "defines", "explains"]
    says: Text  # the text's own words


class Constant(_Entry, frozen=True, kw_only=True, rename={"name": "[key]", "value": "is"}):
    """A number, a row of numbers, or a table of them, that the edition fixes."""

    name: str
    value: Any  # Fraction | tuple[Fraction, ...] | mapping
    unit: Text
    clause: Text
    note: str = ""


class Reading(_Entry, frozen=True, kw_only=True):
    """Where the text is silent or contradicts itself: what we do, why, and what else one may do."""

    id: Text  # "W3"
    clause: Text
    silent: Text
    we: Text
    since: Text
    options: Mapping[str, str] = {}  # name -> what it does instead


class Example(_Entry, frozen=True, kw_only=True):
    """An example that the text itself works out; tests compute it again."""

    clause: str = ""
    given: Any = None
    prints: Any = None


class EditionHead(_Entry, frozen=True, kw_only=True):
    """What an edition file says of itself."""

    regulation: Text
    title: Text
    author: Text
    source: Text
    in_force: date | None = None
    """The first day; none: the text bears no date and covers every day."""
    selected_by: Text  # which date of an event selects the edition


TABLES: Mapping[str, type[_Entry]] = {
    "edition": EditionHead,
    "constants": Constant,
    "tables": Constant,
    "clauses": QuotedClause,
    "reading": Reading,
    "example": Example,
}
"""The tables of an edition file, and what their entries are."""
LISTS = ("reading", "example")


class Edition(EditionHead, frozen=True, kw_only=True):
    """One published edition of a regulation, as its file has it."""

    id: str  # "2019-01"; the file's name
    sha256: str  # of the file's bytes
    path: str
    clauses: Mapping[str, QuotedClause]
    constants: Mapping[str, Constant]
    tables: Mapping[str, Constant]
    readings: Mapping[str, Reading]
    examples: Sequence[Example]

    @property
    def name(self) -> str:
        """Regulation and edition, as cited: ``usbgf/2019-01``."""
        return f"{self.regulation}/{self.id}"


class Rules(Struct, frozen=True, eq=False):
    """An edition put to work on numbers of one kind, under the readings chosen."""

    edition: Edition
    number: type[float | Fraction]
    constants: Any  # the module's Constants
    tables: Mapping[str, Any]
    chosen: Mapping[str, str]  # reading id -> option
    cache: dict[Any, Any] = field(default_factory=dict)

    def in_numbers(self, exact: Any) -> Any:
        """A whole number or fraction, or a column of them, as numbers of this kind."""
        return exact.each(self.number) if hasattr(exact, "each") else self.number(exact)

    def once(self, clause: Callable[..., Any], number: Any) -> Any:
        """What a clause gives for a whole number, worked out once: a table of small fields.

        A trace sees it worked out every time; the great numbers, which are rare, are not kept. Of a
        column (`palmares.points.kernels.arrays`), what it gives for each number.
        """
        if hasattr(number, "each"):
            return number.each(lambda value: self.once(clause, value))
        if number > _MOST_CACHED or tracing():
            return clause(self.constants, number)
        key = (clause, number)
        if key not in self.cache:
            self.cache[key] = clause(self.constants, number)
        return self.cache[key]

    def reads(self, reading: str, option: str) -> bool:
        """Whether *option* was chosen for a reading; false where the edition has no such option."""
        return self.chosen.get(reading) == option


def _number(value: Any) -> Any:
    """A value of an edition file with exact numbers: 3.5 and "1/3" become fractions."""
    if isinstance(value, dict):
        return MappingProxyType({key: _number(inner) for key, inner in value.items()})
    if isinstance(value, list):
        return tuple(map(_number, value))
    try:
        return Fraction("no number" if isinstance(value, bool) else value)
    except (ValueError, TypeError, OverflowError, ZeroDivisionError):
        raise ValueError(f"{value!r} is not a number") from None


Entries = dict[str, dict[Any, Any]]
"""The entries of an edition file by table, each by its key, or by its number."""


def _read_entries(document: Document) -> tuple[Entries, list[ShapeFault]]:
    """The entries of an edition file, and what is wrong with any of them."""
    entries: Entries = {table: {} for table in TABLES}
    faults: list[ShapeFault] = []
    for table, content in {"edition": {}, **document.values}.items():
        if not isinstance(content, list if table in LISTS else dict) or table not in TABLES:
            line = document.line((table, 0) if isinstance(content, list) else (table,))
            form = f"[[{table}]]" if table in LISTS else f"[{table}]"
            what = f"{table} is not written as {form}"
            what = what if table in TABLES else f"there is no table {table}"
            faults.append(ShapeFault(line, what, f"There are: {', '.join(TABLES)}."))
            continue
        parts: dict[Key, Any] = {(table,): content}
        if table in LISTS:
            parts = {(table, number): entry for number, entry in enumerate(content)}
        elif isinstance(content, dict) and table != "edition":
            parts = {
                (table, key): {**entry, "[key]": key} if isinstance(entry, dict) else entry
                for key, entry in content.items()
            }
        for at, entry in parts.items():
            try:
                entries[table][at[-1]] = convert(entry, TABLES[table], builtin_types=(date,))
            except ValidationError as error:
                faults.append(fault_of(error, TABLES[table], document.text, _FORMS, at))
    return entries, faults


def _faults_of_content(entries: Entries, regulation: str) -> Iterator[tuple[Key, str]]:
    """What is wrong with the entries of an edition file, whose keys are right."""
    if entries["edition"]["edition"].regulation != regulation:
        yield ("edition", "regulation"), f"the folder is that of {regulation}"
    ids: set[str] = set()
    for number, reading in entries["reading"].items():
        if reading.id in ids:
            yield ("reading", number, "id"), f"reading {reading.id} stands there twice"
        ids.add(reading.id)
    for table in ("constants", "tables", "reading"):
        for key, entry in entries[table].items():
            name = entry.id if table == "reading" else key
            try:
                _number([] if table == "reading" else entry.value)
            except ValueError as error:
                yield (table, key), f"constant {name}: {error}"
            if entry.clause not in entries["clauses"]:
                fault = f"clause {entry.clause!r}, cited for {name}, is not among [clauses]"
                yield (table, key, "clause"), fault


def read_edition(path: Path) -> Edition:
    """One edition file as an `Edition`.

    Raises:
        RuleError: the file is not as it must be; names every fault found.
    """
    content = path.read_bytes()
    try:
        document = parse(content.decode("utf-8"), parse_float=Decimal)
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise RuleError(f"{path}:{line}: {error}") from error
    except Unreadable as error:
        raise RuleError(f"{path}:{error.line}: {error.what}. {error.remedy}") from error
    entries, faults = _read_entries(document)
    lines = [f"{path}:{fault.line}: {fault.what}. {fault.remedy}" for fault in faults]
    if lines := lines or [
        f"{path}:{document.line(at)}: {fault}"
        for at, fault in _faults_of_content(entries, path.parent.name)
    ]:
        raise RuleError("\n".join(lines))
    constants, tables = (
        {key: replace(each, value=_number(each.value)) for key, each in entries[table].items()}
        for table in ("constants", "tables")
    )
    return Edition(
        **asdict(entries["edition"]["edition"]),
        id=path.stem,
        sha256=hashlib.sha256(content).hexdigest(),
        path=f"rules/{path.parent.name}/{path.name}",
        clauses=MappingProxyType(entries["clauses"]),
        constants=MappingProxyType(constants),
        tables=MappingProxyType(tables),
        readings=MappingProxyType({each.id: each for each in entries["reading"].values()}),
        examples=tuple(entries["example"].values()),
    )


@cache
def editions(regulation: str, directory: Path | None = None) -> tuple[Edition, ...]:
    """Every edition held of a regulation, the earliest first.

    Raises:
        RuleError: there is none, one is not what an edition file must be, or two are of one day.
    """
    folder = (directory or rules_directory()) / regulation
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise RuleError(f"rules/{regulation}: there is no edition file")
    by_day: dict[date | None, Path] = {}
    all_editions = []
    for path in paths:
        edition = read_edition(path)
        if edition.in_force in by_day:
            line = parse(path.read_text("utf-8")).line(("edition", "in_force"))
            day = edition.in_force or "every day"
            other = by_day[edition.in_force].name
            raise RuleError(f"{path}:{line}: it is in force from {day}, and so is {other}")
        by_day[edition.in_force] = path
        all_editions.append(edition)
    return tuple(
        sorted(all_editions, key=lambda edition: (edition.in_force or date.min, edition.id))
    )


def as_printed(value: Any) -> str:
    """A number as its edition file writes it: thirds as fractions, which are clearer than 0.333."""
    if isinstance(value, Fraction) and value.denominator == 3:  # noqa: PLR2004
        return str(value)
    return number_text(value)


def table_key(table: Mapping[str, Any], wanted: str | None) -> str | None:
    """The key of a printed table that *wanted* means, as a person copies it.

    Case, apostrophes, spaces, a last semicolon and printed examples make no difference.
    """
    return {_plain(key): key for key in table}.get(_plain(wanted or ""))


def _plain(name: str) -> str:
    name = re.sub(r"\s*\(e\.g\.[^()]*\)[\s;]*$", "", name)
    return " ".join(name.replace("’", "'").rstrip(" ;").split()).casefold()


def _as(number: Callable[[Fraction], Any], value: Any) -> Any:
    if isinstance(value, Mapping):
        return MappingProxyType({key: _as(number, item) for key, item in value.items()})
    if isinstance(value, tuple):
        return tuple(_as(number, item) for item in value)
    return number(value)


def rules(
    edition: Edition,
    constants: Any,
    number: type[float | Fraction] = float,
    chosen: Mapping[str, str] | None = None,
) -> Rules:
    """Put an edition to work.

    Args:
        edition: the one to put to work.
        constants: the module's ``Constants``, a named tuple with a field per constant.
        number: float for work, Fraction for proof.
        chosen: options by reading id; those this edition does not offer are left aside.

    Raises:
        RuleError: the edition and the module do not name the same constants. One that has a default
            in ``Constants`` may be absent: older texts did not know it.
    """
    fields, given = set(constants._fields), set(edition.constants)
    absent = {name: number(value) for name, value in constants._field_defaults.items()}
    needed, faults = fields - set(absent), []
    if needed - given:
        faults.append(f"the module needs {sorted(needed - given)}, the file has no such entry")
    if given - fields:
        faults.append(f"{sorted(given - fields)} is in the file but no clause uses it")
    if faults:
        raise RuleError("\n".join(f"{edition.path}: {fault}" for fault in faults))
    values = absent | {name: _as(number, entry.value) for name, entry in edition.constants.items()}
    return Rules(
        edition=edition,
        number=number,
        constants=constants(**values),
        tables=MappingProxyType({k: _as(number, v.value) for k, v in edition.tables.items()}),
        chosen=MappingProxyType(
            {
                reading: option
                for reading, option in (chosen or {}).items()
                if reading in edition.readings and option in edition.readings[reading].options
            }
        ),
    )


def checked_choices(
    all_editions: Sequence[Edition], chosen: Mapping[str, str]
) -> Mapping[str, str]:
    """The readings chosen, if each is an option that some edition offers.

    Raises:
        Refused: a reading or an option that no edition has; says which there are.
    """
    offers = sorted(
        {f"{choice.id}={name}" for edition in all_editions for choice in edition.readings.values()
         for name in choice.options}
    )  # fmt: skip
    wanted = [f"{reading}={option}" for reading, option in chosen.items()]
    faults = [
        f"{all_editions[0].regulation} has no reading {choice}."
        f" There are: {', '.join(offers) or 'none'}."
        for choice in wanted
        if choice not in offers
    ]
    if faults:
        raise Refused("\n".join(faults))
    return MappingProxyType(dict(chosen))


class Rulebook(Struct, frozen=True):
    """Every edition of a regulation ready for work, and which one governs a day."""

    regulation: str
    all: tuple[Rules, ...]  # the earliest first
    forced: str | None = None  # an edition's id that governs every day

    def on(self, day: date) -> Rules | None:
        """The rules in force on a day, or none: nobody had published any."""
        if self.forced:
            return next(rules for rules in self.all if rules.edition.id == self.forced)
        for each in reversed(self.all):
            if each.edition.in_force is None or each.edition.in_force <= day:
                return each
        return None

    def by(self, day: date) -> list[Edition]:
        """The editions that were in force on a day or before."""
        all_editions = [rules.edition for rules in self.all]
        if self.forced:
            return [edition for edition in all_editions if edition.id == self.forced]
        return [edition for edition in all_editions if (edition.in_force or day) <= day]


def rulebook(
    regulation: str,
    constants: Any,
    *,
    number: type[float | Fraction] = float,
    chosen: Mapping[str, str] | None = None,
    edition: str | None = None,
    directory: Path | None = None,
) -> Rulebook:
    """The rulebook of a regulation.

    Args:
        regulation: its name.
        constants: the module's ``Constants``.
        number: float for work, Fraction for proof.
        chosen: options by reading id.
        edition: the one edition that shall govern every day; else each day has its own.
        directory: where the folder of its edition files is, if they are not ours.

    Raises:
        NotCovered: there is no such edition.
        Refused: there is no such reading or option.
    """
    all_editions = editions(regulation, directory)
    choices = checked_choices(all_editions, chosen or {})
    ids = [each.id for each in all_editions]
    if edition is not None and edition not in ids:
        raise NotCovered(
            f"{regulation} has no edition {edition}.{did_you_mean(edition, ids)}"
            f" There are: {', '.join(ids)}."
        )
    return Rulebook(
        regulation, tuple(rules(each, constants, number, choices) for each in all_editions), edition
    )
