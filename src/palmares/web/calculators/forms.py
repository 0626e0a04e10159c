"""Fields of a form by GET: what was typed is kept, and what is wrong stands at the field."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from palmares.core.errors import FactsRejected, Location, Problem, brief
from palmares.core.messages import Message, begun, capital, changed, msg
from palmares.facts import Facts, ReportTables, check_facts, parse_cells
from palmares.facts.bank import with_bank_rates
from palmares.regulations import money_disciplines

LONGEST = 60
"""Letters of a field."""
EMPTY = msg("Fill this in.")
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_FILE = "calculator"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorField:
    """One field of a form."""

    name: str
    value: str  # as it was typed, or what it has at first
    kind: str = "number"  # text | number | date | choice
    required: bool = False
    choices: tuple[str, ...] = ()
    problem: str | None = None
    maximum: int | None = None  # a whole number up to it
    decimal_maximum: int | None = None  # a number from 0 to it, with decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorInput:
    """What was asked, or is taken where nothing was."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldProblem:
    """Something wrong that belongs to no field."""

    what: str
    remedy: str
    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """All fields of a form, and what is wrong with them."""

    fields: tuple[CalculatorField, ...]
    problems: tuple[FieldProblem, ...] = ()

    @property
    def good(self) -> bool:
        """Whether nothing is wrong so far."""
        return not self.problems and all(field.problem is None for field in self.fields)

    @property
    def asked(self) -> tuple[CalculatorInput, ...]:
        """What was asked."""
        return tuple(CalculatorInput(name=field.name, value=field.value) for field in self.fields)

    def __getitem__(self, name: str) -> str:
        """What was typed into a field; nothing if there is no such field."""
        return next((field.value for field in self.fields if field.name == name), "")

    def wrong(self, name: str, problem: str) -> Filled:
        """The same form with something wrong at a field; what was found first stays."""
        return replace(
            self,
            fields=tuple(
                replace(field, problem=problem)
                if field.name == name and field.problem is None
                else field
                for field in self.fields
            ),
        )


def filled(fields: Iterable[CalculatorField], given: Mapping[str, str]) -> Filled:
    """A form with what was typed; a field that was not sent has its default."""

    def fill(field: CalculatorField) -> CalculatorField:
        value = given.get(field.name, field.value).strip()
        if len(value) > LONGEST:
            problem = msg("At most %(most)s letters, please.", most=LONGEST)
            return replace(field, value=value[:LONGEST], problem=problem)
        return replace(field, value=value, problem=_problem(field, value))

    return Filled(fields=tuple(fill(one) for one in fields))


def refuse_wrong(fields: Iterable[CalculatorField], problems: Iterable[FieldProblem] = ()) -> None:
    """Refuse what was asked if something is wrong with it.

    Raises:
        FactsRejected: every problem, by the name of its field.
    """
    wrong = [
        Problem(at=Location(field.name), what=field.problem, clause="query", remedy="")
        for field in fields
        if field.problem
    ]
    wrong += [
        Problem(at=Location(""), what=problem.what, clause=problem.clause, remedy=problem.remedy)
        for problem in problems
    ]
    if wrong:
        raise FactsRejected(wrong)


def _problem(field: CalculatorField, value: str) -> str | None:
    """What is wrong with a field by itself; the kinds of cells judge the rest."""
    if not value:
        return EMPTY if field.required else None
    if field.kind == "choice" and value not in field.choices:
        return msg("'%(value)s' is none of the choices.", value=brief(value))
    if field.kind == "date" and not _is_day(value):
        return msg(
            "'%(value)s' is not a date: write year, month and day, such as 2019-11-15.",
            value=brief(value),
        )
    if field.maximum is not None and _WHOLE.fullmatch(value) and int(value) > field.maximum:
        return msg("At most %(most)s here.", most=field.maximum)
    if field.decimal_maximum is not None and not (
        _DECIMAL.fullmatch(value) and float(value) <= field.decimal_maximum
    ):
        return msg(
            "'%(value)s' is not a number from 0 to %(highest)s, such as 52.30.",
            value=brief(value),
            highest=field.decimal_maximum,
        )
    return None


def _is_day(value: str) -> bool:
    try:
        return len(date.fromisoformat(value).isoformat()) == len(value)
    except ValueError:
        return False


# ── facts from rows of text ──────────────────────────────────────────────────────────────────────

_FIELDS: Mapping[str, str] = {
    "events.entry_fee": "entry_fee",
    "events.added_money": "added_money",
    "events.entrants": "entrants",
    "events.rounds": "rounds",
    "events.division_rank": "division_rank",
    "events.event_level": "event_level",
    "events.event_type": "event_type",
    "placings.rank": "place",
    "placings.tied": "tied",
    "placings.flight": "flight",
    "tournaments.currency": "currency",
    "tournaments.end_date": "day",
    "matches.length": "match_length",
}
"""Where a problem with a cell is shown."""


def facts_of(journal: Facts, **tables: Sequence[Mapping[str, str]]) -> Facts:
    """Rows of text as checked facts; a row says in "from" which field it is made of.

    Raises:
        FactsRejected: something is wrong, as it would be in a report.
    """
    raw = ReportTables()
    for name, rows in tables.items():
        for row in rows:
            cells = {key: value for key, value in row.items() if key != "from"}
            raw.add(name, cells, row.get("from", _FILE), 1)
    found = check_facts(parse_cells(raw))
    rated = Facts({**found.tables, "rates": journal["rates"]}, found.notices)
    return with_bank_rates(rated, money_disciplines)


def blamed(
    form: Filled, problems: Iterable[Problem], of_clauses: Mapping[str, str] | None = None
) -> Filled:
    """The form with every problem of its facts at the field it comes from.

    Args:
        form: as it was sent.
        problems: of the facts.
        of_clauses: the field that a clause complains of.
    """
    fields = {**_FIELDS, **(of_clauses or {})}
    names = {one.name for one in form.fields}
    others = []
    for problem in problems:
        field = _field_of(problem, form, fields)
        if field in names:
            told = msg(
                "%(what)s. %(remedy)s", what=(_sentence(problem.what),), remedy=(problem.remedy,)
            )
            form = form.wrong(field, told)
        else:
            others.append(FieldProblem(what=_sentence(problem.what), remedy=problem.remedy,
                                       clause=problem.clause))  # fmt: skip
    return replace(form, problems=tuple(others) if form.good else ())


def _field_of(problem: Problem, form: Filled, fields: Mapping[str, str]) -> str:
    at = problem.at
    if at.file != _FILE:
        return at.file
    if at.cell == "flights.entrants":
        flight = form["flight"] or "main"
        return "entrants" if flight == "main" else flight
    return fields.get(at.cell or problem.clause, "")


def _sentence(text: str) -> str:
    """What is wrong as a sentence; names of columns are written as words."""
    if not isinstance(text, Message):
        return capital(text)
    column = text.values.get("column")
    return begun(changed(text, lambda one: one.replace("_", " ") if one == column else one))
