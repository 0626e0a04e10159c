"""
Calculators of points: a small report from a form, awarded and explained as any other.

There is no second formula here: whatever a regulation does with reports is what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction

from palmares.bridge.vp import CONTINUOUS, SCALES
from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints, number_text
from palmares.facts import Facts
from palmares.points.awards import Question, award
from palmares.points.explain import Entry, continued, explain, passed_by
from palmares.points.rankings import Selection
from palmares.regulations import Calculator, Regulation, regulations
from palmares.web.calculators.forms import (
    FLIGHTS,
    HELPER,
    YOU,
    CalculatorField,
    CalculatorInput,
    FieldProblem,
    FilledForm,
    fill,
    place_problems,
    report_of,
)
from palmares.web.http.state import Snapshot
from palmares.web.shared.working import WorkedAward, WorkedLine, WorkedNumber, worked

MOST_ENTRANTS = 10_000
"""Larger fields take long, and nobody plays in them."""
MOST_BOARDS = 200
"""Longer matches are not played."""
VICTORY_POINTS = "victory-points"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatedAward(WorkedAward):
    """One award, and how it came about."""

    kind: str  # performance | match | placement | rating
    flight: str
    nanopoints: Nanopoints
    figures: tuple[WorkedNumber, ...]
    worth: Nanopoints | None  # nanopoints on the day that was asked for, where points fade


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorView:
    """A calculator, and what was asked of it."""

    calculator: str
    regulation: str
    inputs: tuple[CalculatorInput, ...]
    fields: tuple[CalculatorField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation(CalculatorView):
    """The points that a calculator gives, and how they come about."""

    title: str  # of the regulation
    awards: tuple[CalculatedAward, ...]
    nanopoints: Nanopoints | None  # of all awards together; none: no edition covers the day
    as_of: date | None  # the day on which points that fade are valued; none: not asked
    no_points: tuple[WorkedLine, ...]  # where there is no award: the clauses that say why
    covered: bool  # an edition was in force
    edition: str | None  # that was in force, "2015-05"
    problems: tuple[FieldProblem, ...]  # that belong to no field
    remarks: tuple[FieldProblem, ...]  # the notices: what officers would look at, or why no points
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculators:
    """The calculators that there are."""

    items: tuple[str, ...]


# ── the forms ────────────────────────────────────────────────────────────────────────────────────

_DAY = CalculatorField(name="day", value="", kind="date", required=True)
_ENTRANTS = CalculatorField(name="entrants", value="64", required=True, maximum=MOST_ENTRANTS)
_PLACE = CalculatorField(name="place", value="1", required=True)
_TIED = CalculatorField(name="tied", value="1")
_KINDS = ("championship", "intermediate", "super_jackpot")
_FORMATS = ("knockout", "double_knockout", "swiss", "round_robin")
_FIELDS: Mapping[str, tuple[CalculatorField, ...]] = {
    "performance": (
        CalculatorField(name="kind", value="championship", kind="choice", choices=_KINDS),
        CalculatorField(name="entry_fee", value="100", required=True),
        CalculatorField(name="currency", value="EUR", kind="text", required=True),
        CalculatorField(name="added_money", value=""),
        _ENTRANTS,
        CalculatorField(name="consolation", value="", maximum=MOST_ENTRANTS),
        CalculatorField(name="last_chance", value="", maximum=MOST_ENTRANTS),
        CalculatorField(name="flight", value="main", kind="choice", choices=tuple(FLIGHTS)),
        _PLACE,
        _TIED,
        _DAY,
        CalculatorField(name="as_of", value="", kind="date"),
    ),
    "master-points": (
        _DAY,
        CalculatorField(name="setting", value="live", kind="choice", choices=("live", "online")),
        CalculatorField(name="event_type", value="ABT Main Event", kind="choice"),
        CalculatorField(name="event_level", value=""),
        CalculatorField(name="division_rank", value="1", kind="text"),
        CalculatorField(name="match_length", value="9"),
        replace(_ENTRANTS, required=False),
        CalculatorField(name="format", value="knockout", kind="choice", choices=_FORMATS),
        replace(_PLACE, required=False),
        _TIED,
    ),
    "percentile": (
        replace(_ENTRANTS, value="49"),
        _PLACE,
        CalculatorField(name="rounds", value="3"),
        CalculatorField(
            name="world_championship", value="no", kind="choice", choices=("no", "yes")
        ),
        _DAY,
        CalculatorField(name="rating_before", value="", decimal_maximum=100),
    ),
    VICTORY_POINTS: (
        CalculatorField(name="boards", value="16", required=True, maximum=MOST_BOARDS),
        CalculatorField(name="scale", value=CONTINUOUS, kind="choice", choices=SCALES),
        CalculatorField(name="margin", value="7"),
        CalculatorField(name="points", value=""),
    ),
}
NAMES = tuple(_FIELDS)


def fields_of(name: str) -> tuple[CalculatorField, ...]:
    """The fields of a calculator; event types are those of all editions."""
    if name != "master-points":
        return _FIELDS[name]
    levels = [edition.tables["event_levels"].value for edition in regulation_of(name)[0].editions()]
    types = dict.fromkeys(
        event_type for table in levels for several in table.values() for event_type in several
    )
    return tuple(
        replace(field, choices=("", *types)) if field.name == "event_type" else field
        for field in _FIELDS[name]
    )


def regulation_of(name: str) -> tuple[Regulation, Calculator]:
    """The regulation that a calculator tries out, and what it says of the calculator."""
    return next(
        (regulation, regulation.calculator)
        for regulation in regulations().values()
        if regulation.calculator and regulation.calculator.name == name
    )


def _check_together(form: FilledForm) -> FilledForm:
    """The form with problems that fields have only together."""
    one_among = msg("Fill this in: a place is one among so many.")
    entrants = FLIGHTS.get(form["flight"] or "main", "entrants")
    if form["place"] and not form[entrants]:
        form = form.with_problem(entrants, one_among)
    if not form["match_length"] and not form["place"]:
        words = msg("Give the length of a match that was won, or a place.")
        form = form.with_problem("place", words)
    return form


# ── from a form to a page ────────────────────────────────────────────────────────────────────────


def calculator_page(
    snapshot: Snapshot, name: str, typed: Mapping[str, str], today: date
) -> Calculation:
    """The page of a calculator: problems at their fields, or awards and their explanation.

    Args:
        snapshot: whose exchange rates are looked at.
        name: of a calculator of points.
        typed: the values that were sent, by field; what is missing has its default.
        today: the default day of the tournament.
    """
    regulation, calculator = regulation_of(name)
    form = _check_together(fill(fields_of(name), {"day": str(today), **typed}))
    question = Question(regulation=regulation.name)
    day = as_of = None
    entries: tuple[Entry, ...] = ()
    no_points: tuple[WorkedLine, ...] = ()
    notices: tuple[Problem, ...] = ()
    if form.valid:
        try:
            facts = report_of(form, regulation, snapshot.facts)
            day = facts["tournaments"]["end_date"][0]
            as_of = date.fromisoformat(form["as_of"]) if form["as_of"] else None
            entries, notices = _entries(question, facts, as_of or day)
            if form["rating_before"] and entries:
                before = Fraction(Decimal(form["rating_before"]))
                entries = (continued(question, facts, YOU, before),)
            if not entries:
                no_points = worked(passed_by(question, facts, YOU, day))
        except FactsRejected as rejected:
            form = place_problems(form, rejected.problems, calculator.fields)
    done = form.valid and day is not None
    rules = None if day is None else question.rulebook().on(day)
    seen: set[str] = set()
    remarks = tuple(
        FieldProblem(what=notice.what, remedy=notice.remedy, clause=notice.clause)
        for notice in notices
        if not notice.at.file.startswith(HELPER)
    )
    return Calculation(
        calculator=name,
        regulation=regulation.name,
        title=regulation.title,
        inputs=form.inputs,
        fields=form.fields,
        problems=form.problems,
        awards=tuple(
            _award(entry, seen, calculator.figures, valued=as_of is not None) for entry in entries
        ),
        nanopoints=sum(entry.nanopoints for entry in entries) if done else None,
        as_of=as_of if done else None,
        no_points=no_points,
        covered=not done or rules is not None,
        edition=None if rules is None else rules.edition.id,
        remarks=remarks,
        notices=tuple(f"{remark.what} [{remark.clause}]" for remark in remarks),
    )


def _entries(
    question: Question, facts: Facts, day: date
) -> tuple[tuple[Entry, ...], tuple[Problem, ...]]:
    """Every award there is, explained, and what officers should look at."""
    try:
        why = explain(question, facts, YOU, Selection(as_of=day))
    except Refused:  # there is no award
        return (), award(question, facts).notices
    return why.entries, why.notices


def _award(
    entry: Entry, seen: set[str], clauses: Sequence[str], *, valued: bool
) -> CalculatedAward:
    names = ((line, line.clause.partition(" ")[2]) for line in entry.lines)
    figures = {
        name: WorkedNumber(name=name, text=number_text(line.value))
        for line, name in names
        if line.depth == 0 and not isinstance(line.value, tuple | list) and name in clauses
    }
    fades = valued and entry.parts > 1
    return CalculatedAward(
        kind=entry.kind,
        flight=entry.flight,
        nanopoints=entry.nanopoints,
        edition=entry.edition,
        sha256=entry.sha256,
        figures=tuple(figures.values()),
        summary=entry.summary.sentence if fades else entry.summary.points,
        formula=entry.summary.formula,
        lines=worked(entry.lines, seen),
        worth=entry.worth if fades else None,
        fading=worked(entry.fading, seen) if fades else (),
    )
