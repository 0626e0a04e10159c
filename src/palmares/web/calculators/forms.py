"""Forms of calculators: typed text with its problems, and the small report that it makes."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from palmares.core.errors import FactsRejected, Location, Problem, brief
from palmares.core.messages import Message, begun, capital, changed, msg
from palmares.facts import Facts, ReportTables, check_facts, parse_cells
from palmares.facts.bank import with_bank_rates
from palmares.regulations import Regulation, money_disciplines

LONGEST = 60
"""Letters of a field."""
EMPTY = msg("Fill this in.")
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_FILE = "calculator"
YOU = "you"
HELPER = "the Championship"
"""The file name of an event that is made up to have a fee."""
_CELLS: Mapping[str, str] = {
    "day": "tournaments.end_date",
    "currency": "tournaments.currency",
    "setting": "tournaments.setting",
    "kind": "events.kind",
    "entry_fee": "events.entry_fee",
    "added_money": "events.added_money",
    "entrants": "events.entrants",
    "rounds": "events.rounds",
    "division_rank": "events.division_rank",
    "event_level": "events.event_level",
    "event_type": "events.event_type",
    "world_championship": "events.world_championship",
    "format": "flights.format",
    "place": "placings.rank",
    "tied": "placings.tied",
    "flight": "placings.flight",
    "match_length": "matches.length",
}
"""The cell of the report that each field fills."""
_FIELDS = {cell: field for field, cell in _CELLS.items()}
FLIGHTS = {"main": "entrants", "consolation": "consolation", "last_chance": "last_chance"}
"""The field of the entrants of each flight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorField:
    """One field of a form."""

    name: str
    value: str  # as it was typed, or the default
    kind: str = "number"  # text | number | date | choice
    required: bool = False
    choices: tuple[str, ...] = ()
    problem: str | None = None
    maximum: int | None = None  # a whole number up to it
    decimal_maximum: int | None = None  # a number from 0 to it, with decimals


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorInput:
    """The value of a field: as it was sent, or its default."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldProblem:
    """A problem that belongs to no field."""

    what: str
    remedy: str
    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledForm:
    """All fields of a form, and what is wrong with them."""

    fields: tuple[CalculatorField, ...]
    problems: tuple[FieldProblem, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether no problem was found so far."""
        return not self.problems and all(field.problem is None for field in self.fields)

    @property
    def inputs(self) -> tuple[CalculatorInput, ...]:
        """The values of all fields."""
        return tuple(CalculatorInput(name=field.name, value=field.value) for field in self.fields)

    def __getitem__(self, name: str) -> str:
        """The value of a field; empty if there is no such field."""
        return next((field.value for field in self.fields if field.name == name), "")

    def with_problem(self, name: str, problem: str) -> FilledForm:
        """The form with a problem at a field; one that the field has already stays."""
        return replace(
            self,
            fields=tuple(
                replace(field, problem=problem)
                if field.name == name and field.problem is None
                else field
                for field in self.fields
            ),
        )


def fill(fields: Iterable[CalculatorField], typed: Mapping[str, str]) -> FilledForm:
    """A form with what was typed; a field that was not sent has its default."""
    values = {field: typed.get(field.name, field.value).strip() for field in fields}
    return FilledForm(
        fields=tuple(
            replace(field, value=value[:LONGEST], problem=_problem(field, value))
            for field, value in values.items()
        )
    )


def refuse_problems(
    fields: Iterable[CalculatorField], problems: Iterable[FieldProblem] = ()
) -> None:
    """Refuse a form that has problems.

    Raises:
        FactsRejected: every problem, by the name of its field.
    """
    located = [(field.name, field.problem, "query", "") for field in fields if field.problem]
    located += [("", problem.what, problem.clause, problem.remedy) for problem in problems]
    if located:
        raise FactsRejected(
            Problem(at=Location(name), what=what, clause=clause, remedy=remedy)
            for name, what, clause, remedy in located
        )


def _problem(field: CalculatorField, value: str) -> str | None:
    """What is wrong with a field by itself; the kinds of cells judge the rest."""
    if not value and field.required:
        return EMPTY
    if len(value) > LONGEST:
        return msg("At most %(most)s letters, please.", most=LONGEST)
    return _kind_problem(field, value) if value else None


def _kind_problem(field: CalculatorField, value: str) -> str | None:
    """What is wrong with a value of the kind of its field."""
    if field.kind == "choice" and value not in field.choices:
        return msg("'%(value)s' is none of the choices.", value=brief(value))
    if field.kind == "date" and not _is_iso_date(value):
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


def _is_iso_date(value: str) -> bool:
    try:
        return len(date.fromisoformat(value).isoformat()) == len(value)
    except ValueError:
        return False


# ── from a form to a small report ────────────────────────────────────────────────────────────────


def report_of(form: FilledForm, regulation: Regulation, journal: Facts) -> Facts:
    """A form as the report of one event in which one player is placed, checked as any other.

    Args:
        form: without problems.
        regulation: that sees the report.
        journal: has the exchange rates.

    Raises:
        FactsRejected: something is wrong, as it would be in a report.
    """
    filled: dict[str, dict[str, str]] = defaultdict(dict)
    for field in form.fields:
        if field.value and field.name in _CELLS:
            table, _, column = _CELLS[field.name].partition(".")
            filled[table][column] = field.value
    tournament, event = {"tournament_id": "this tournament"}, {"event_id": "this event"}
    name = form["event_type"] or form["kind"].replace("_", " ").title() or "This event"
    events = [{**event, **tournament, "name": name, **filled["events"]}]
    if form["kind"] == "intermediate":  # its grade takes the fee of the Championship's Main
        main = {"event_id": HELPER, "name": "Championship", "kind": "championship"}
        events.append({**events[0], **main, "from": HELPER})
    flights = [
        {**event, "flight": flight, "entrants": form[field], "from": field, **filled["flights"]}
        for flight, field in FLIGHTS.items()
        if form[field]
    ]
    federation = regulation.members_of
    member = {"player_id": YOU, "federation": federation, "level": "Basic", "start": "1990-01-01"}
    placed, won = filled["placings"].get("rank"), filled["matches"]
    tables: Mapping[str, Sequence[Mapping[str, str]]] = {
        "players": [{"player_id": YOU, "name": "You"}],
        "memberships": [member] if federation else [],
        "tournaments": [
            {
                **tournament,
                "name": "This tournament",
                "discipline": regulation.discipline,
                **filled["tournaments"],
            }
        ],
        "events": events,
        "flights": flights,
        "placings": [{**event, "player_id": YOU, **filled["placings"]}] if placed else [],
        "matches": [{**event, "match_id": "this match", "winner_id": YOU, **won}] if won else [],
    }
    raw = ReportTables()
    for name, rows in tables.items():
        for row in rows:
            cells = {key: value for key, value in row.items() if key != "from"}
            raw.add(name, cells, row.get("from", _FILE), 1)
    facts = check_facts(parse_cells(raw))
    rated = Facts({**facts.tables, "rates": journal["rates"]}, facts.notices)
    return with_bank_rates(rated, money_disciplines)


def place_problems(
    form: FilledForm, problems: Iterable[Problem], by_clause: Mapping[str, str]
) -> FilledForm:
    """The form with every problem of its report at the field that it comes from.

    Args:
        form: as it was sent.
        problems: of the report.
        by_clause: the field that a clause complains of.
    """
    others = []
    for problem in problems:
        field = _field_of(problem, form, by_clause)
        what = _sentence(problem.what)
        if field in {each.name for each in form.fields}:
            words = msg("%(what)s. %(remedy)s", what=(what,), remedy=(problem.remedy,))
            form = form.with_problem(field, words)
        else:
            others.append(FieldProblem(what=what, remedy=problem.remedy, clause=problem.clause))
    return replace(form, problems=tuple(others) if form.valid else ())


def _field_of(problem: Problem, form: FilledForm, by_clause: Mapping[str, str]) -> str:
    at = problem.at
    if at.file != _FILE:
        return at.file
    if at.cell == "flights.entrants":
        return FLIGHTS[form["flight"] or "main"]
    return _FIELDS.get(at.cell) or by_clause.get(problem.clause, "")


def _sentence(text: str) -> str:
    """What is wrong as a sentence; names of columns are written as words."""
    if not isinstance(text, Message):
        return capital(text)
    column = text.values.get("column")
    return begun(changed(text, lambda word: word.replace("_", " ") if word == column else word))
