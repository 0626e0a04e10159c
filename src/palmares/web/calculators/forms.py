"""
Fields of a form by GET: what was typed is kept, and what is wrong stands at the field.

    Sent            what somebody typed, and in which language
    Field           one field: its value, and what is wrong with it
    Filled          all fields of a form
    filled          what was typed  ->  Filled
    facts_of        rows of text  ->  checked facts, with the exchange rates of a journal
    blamed          problems of facts  ->  the same form, each problem at its field
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from palmares.bank_rates import with_bank_rates
from palmares.errors import Problem, brief
from palmares.facts import Facts, Raw, checked, typed
from palmares.web import own_ways
from palmares.web.messages import Said, begun, capital, changed, said

LONGEST = 60
"""Letters of a field."""
EMPTY = said("Fill this in.")
_READ = {"number": own_ways.number, "date": own_ways.day}
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_DECIMAL = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_FILE = "calculator"


@dataclass(frozen=True, slots=True)
class Sent:
    """What somebody typed, by field, and the language of whoever did."""

    fields: Mapping[str, str]
    language: str = ""  # none: a program, which writes as programs do


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a form."""

    name: str
    kind: str  # text | number | date | choice
    value: str  # as it was typed
    plain: str = ""  # the same as programs write it: 50.5, 2011-05-29
    required: bool = False
    choices: tuple[str, ...] = ()
    problem: str | None = None
    most: int | None = None  # a whole number up to it
    decimals: bool = False  # with highest: a number from 0 to it
    highest: int | None = None

    @classmethod
    def text(cls, name: str, value: str, *, required: bool = False) -> Field:
        """A field for text."""
        return cls(name=name, kind="text", value=value, required=required)

    @classmethod
    def number(
        cls,
        name: str,
        value: str,
        *,
        required: bool = False,
        most: int | None = None,
        highest: int | None = None,
        decimals: bool = False,
    ) -> Field:
        """A field for a number."""
        return cls(
            name=name,
            kind="number",
            value=value,
            required=required,
            most=most,
            highest=highest,
            decimals=decimals,
        )

    @classmethod
    def day(cls, name: str, value: str, *, required: bool = False) -> Field:
        """A field for a day."""
        return cls(name=name, kind="date", value=value, required=required)

    @classmethod
    def choice(cls, name: str, value: str, choices: tuple[str, ...]) -> Field:
        """A field with a few values."""
        return cls(name=name, kind="choice", value=value, choices=choices)


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldProblem:
    """Something wrong that belongs to no field."""

    what: str
    remedy: str
    clause: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """All fields of a form, and what is wrong with them."""

    fields: tuple[Field, ...]
    problems: tuple[FieldProblem, ...] = ()

    @property
    def good(self) -> bool:
        """Whether nothing is wrong so far."""
        return not self.problems and all(one.problem is None for one in self.fields)

    def __getitem__(self, name: str) -> str:
        """What was typed into a field, as programs write it."""
        return next(one.plain for one in self.fields if one.name == name)

    def get(self, name: str) -> str:
        """The same; nothing if there is no such field."""
        return next((one.plain for one in self.fields if one.name == name), "")

    def wrong(self, name: str, problem: str) -> Filled:
        """The same form with something wrong at a field; what was found first stays."""
        return replace(
            self,
            fields=tuple(
                replace(one, problem=problem) if one.name == name and one.problem is None else one
                for one in self.fields
            ),
        )


def filled(given: Sent, *fields: Field) -> Filled:
    """A form with what was typed; a field that was not sent has its default."""
    return Filled(fields=tuple(_typed(one, given) for one in fields))


def _typed(field: Field, sent: Sent) -> Field:
    given = sent.fields.get(field.name)
    value = field.value if given is None else given.strip()
    kept = replace(field, value=value[:LONGEST], plain=value[:LONGEST])
    if len(value) > LONGEST:
        return replace(kept, problem=said("At most %(most)s letters, please.", most=LONGEST))
    try:
        read = _READ.get(field.kind) if sent.language else None
        value = read(sent.language, value) if read else value
    except own_ways.Unclear as unclear:
        return replace(kept, problem=str(unclear))
    kept = replace(kept, plain=value)
    return replace(kept, problem=_problem(kept))


def _problem(field: Field) -> str | None:
    """What is wrong with a field by itself; the kinds of cells judge the rest."""
    value = field.plain
    if not value:
        return EMPTY if field.required else None
    if field.kind == "choice" and value not in field.choices:
        return said("'%(value)s' is none of the choices.", value=brief(value))
    if field.kind == "date" and not _is_day(value):
        return said(
            "'%(value)s' is not a date: write year, month and day, such as 2019-11-15.",
            value=brief(value),
        )
    if field.most is not None and _WHOLE.fullmatch(value) and int(value) > field.most:
        return said("At most %(most)s here.", most=field.most)
    if field.decimals and field.highest is not None and not _within(value, field.highest):
        return said(
            "'%(value)s' is not a number from 0 to %(highest)s, such as 52.30.",
            value=brief(value),
            highest=field.highest,
        )
    return None


def _is_day(value: str) -> bool:
    from datetime import date

    try:
        return len(date.fromisoformat(value).isoformat()) == len(value)
    except ValueError:
        return False


def _within(value: str, highest: int) -> bool:
    return _DECIMAL.fullmatch(value) is not None and float(value) <= highest


# ── facts from rows of text ──────────────────────────────────────────────────────────────────────

_FIELDS: Mapping[str, str] = {
    "facts events.entry_fee": "fee",
    "facts events.added_money": "added",
    "facts events.entrants": "entrants",
    "facts events.rounds": "rounds",
    "facts events.division_rank": "division",
    "facts events.event_level": "level",
    "facts events.event_type": "type",
    "facts placings.rank": "place",
    "facts placings.tied": "tied",
    "facts placings.flight": "flight",
    "facts tournaments.currency": "currency",
    "facts tournaments.end_date": "day",
    "facts matches.length": "length",
    "wbgf euro": "currency",
    "wbgf size-scaling": "entrants",
    "dptr percentile": "entrants",
    "dptr value": "rounds",
    "usbgf event-weight": "level",
    "usbgf event-size-factor": "entrants",
}
"""Where a problem with a cell, or of a clause, is shown."""
_FLIGHT = "facts flights.entrants"


def facts_of(journal: Facts, **tables: Sequence[Mapping[str, str]]) -> Facts:
    """Rows of text as checked facts; a row says in "from" which field it is made of.

    Raises:
        FactsRejected: something is wrong, as it would be in a report.
    """
    raw = Raw()
    for name, rows in tables.items():
        for row in rows:
            cells = {key: value for key, value in row.items() if key != "from"}
            raw.table(name).add(cells, row.get("from", _FILE), 1)
    found = checked(typed(raw))
    return with_bank_rates(Facts({**found.tables, "rates": journal["rates"]}, found.notices))


def blamed(form: Filled, problems: Iterable[Problem]) -> Filled:
    """The form with every problem of its facts at the field it comes from."""
    names = {one.name for one in form.fields}
    others = []
    for one in problems:
        field = _field_of(one, form)
        if field in names:
            told = said("%(what)s. %(remedy)s", what=(_sentence(one.what),), remedy=(one.remedy,))
            form = form.wrong(field, told)
        else:
            others.append(FieldProblem(what=_sentence(one.what), remedy=one.remedy,
                                       clause=one.clause))  # fmt: skip
    return replace(form, problems=() if not others or not form.good else tuple(others))


def _field_of(problem: Problem, form: Filled) -> str:
    made_of = problem.where.partition(":")[0]
    if made_of != _FILE:
        return made_of
    if problem.clause.startswith(_FLIGHT):
        flight = form.get("flight") or "main"
        return "entrants" if flight == "main" else flight
    return _FIELDS.get(problem.clause.partition(", ")[0], "")


def _sentence(text: str) -> str:
    """What is wrong as a sentence; names of columns are written as words."""
    if isinstance(text, Said) and "column" in text.values:
        column = text.values["column"]
        return begun(changed(text, lambda one: one.replace("_", " ") if one == column else one))
    if isinstance(text, Said):
        return begun(text)
    first, space, rest = text.partition(" ")
    return capital(first.replace("_", " ") + space + rest)
