"""
Calculators of points: a small report from a form, awarded and explained as any other.

There is no second formula here: whatever a regulation does with reports is what is shown.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import polars as pl

from palmares.bridge.explain import explain_score
from palmares.bridge.vp import CONTINUOUS, SCALES, Range, Scale, checked_margin, scale_of
from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import Message, begun, capital, changed, msg
from palmares.core.rounding import Nanopoints, number_text
from palmares.facts.cells import parse_row
from palmares.facts.checks import check_ranks, rows
from palmares.facts.rates import with_bank_rates
from palmares.facts.schema import FILE, LINE, Facts, schema
from palmares.points.awards import Question
from palmares.points.explain import ExplainedAward, try_report
from palmares.regulations import Calculator, Regulation, money_disciplines, regulations
from palmares.web.http.errors import ShownProblem, as_shown
from palmares.web.http.state import Snapshot
from palmares.web.shared.results import WorkedAward, WorkedLine, worked

LONGEST = 60
"""Characters of a field."""
EMPTY = msg("Fill this in.")
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}")
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
_FIELD_OF_CELL = {cell: field for field, cell in _CELLS.items()}
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
class FilledForm:
    """All fields of a form, and what is wrong with them."""

    fields: tuple[CalculatorField, ...]
    problems: tuple[Problem, ...] = ()  # that belong to no field

    @property
    def valid(self) -> bool:
        """Whether no problem was found so far."""
        return not self.problems and all(field.problem is None for field in self.fields)

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
    fields: Iterable[CalculatorField], problems: Iterable[ShownProblem] = ()
) -> None:
    """Refuse a form that has problems.

    Raises:
        FactsRejected: every problem, by the name of its field.
    """
    located = [(field.name, field.problem, "query", "") for field in fields if field.problem]
    located += [(each.where, each.what, each.clause, each.remedy) for each in problems]
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
        return msg("At most %(most)s characters, please.", most=LONGEST)
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
    if field.maximum is not None and _INTEGER.fullmatch(value) and int(value) > field.maximum:
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
    """A form as the report of one event in which one player is placed, without problems.

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
    typed: dict[str, dict[str, Any]] = defaultdict(dict)
    problems: list[Problem] = []
    for table, cells in filled.items():
        typed[table], wrong = parse_row(table, cells, _FILE)
        problems += wrong
    entrants = {"main": typed["events"].get("entrants")}
    for flight in ("consolation", "last_chance"):
        if form[flight]:
            row, wrong = parse_row("flights", {"entrants": form[flight]}, flight)
            entrants[flight] = row["entrants"]
            problems += wrong
    tables = _rows(form, regulation, typed, entrants)
    facts = Facts(
        {
            name: pl.DataFrame([{FILE: _FILE, LINE: 1, **row} for row in given], schema(name))
            for name, given in tables.items()
        }
    )
    if problems or not _fits(typed["placings"], entrants):  # else no rank can be wrong
        problems += check_ranks(facts)
    problems += rows.problems(facts)
    if problems:
        raise FactsRejected(problems)
    return with_bank_rates(facts.changed({"rates": journal["rates"]}), money_disciplines)


def _fits(placing: Mapping[str, Any], entrants: Mapping[str, int | None]) -> bool:
    """Whether a place, if there is one, lies within its field."""
    last: int = placing.get("rank", 0) + placing.get("tied", 1) - 1
    return last <= (entrants.get(placing.get("flight", "main")) or 0)


def _rows(
    form: FilledForm,
    regulation: Regulation,
    typed: Mapping[str, Mapping[str, Any]],
    entrants: Mapping[str, int | None],
) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """The tables of the report of a form.

    Args:
        form: as it was sent.
        regulation: that sees the report.
        typed: the values of the fields, by table.
        entrants: of each flight.
    """
    tournament, event = {"tournament_id": "this tournament"}, {"event_id": "this event"}
    name = form["event_type"] or form["kind"].replace("_", " ").title() or "This event"
    events = [{**event, **tournament, "name": name, **typed["events"]}]
    if form["kind"] == "intermediate":  # its grade takes the fee of the Championship's Main
        main = {"event_id": HELPER, "name": "Championship", "kind": "championship", FILE: HELPER}
        events.append({**events[0], **main})
    member = {"player_id": YOU, "federation": regulation.members_of, "level": "Basic"}
    return {
        "players": [{"player_id": YOU, "name": "You"}],
        "memberships": [{**member, "start": date(1990, 1, 1)}] if regulation.members_of else [],
        "tournaments": [
            {
                **tournament,
                "name": name,
                "discipline": regulation.discipline,
                **typed["tournaments"],
            }
        ],
        "events": events,
        "flights": [
            {**event, "flight": flight, "entrants": many, **typed["flights"]}
            for flight, many in entrants.items()
            if form[FLIGHTS[flight]]
        ],
        "placings": [{**event, "player_id": YOU, **typed["placings"]}] if form["place"] else [],
        "matches": [{**event, "match_id": "this match", "winner_id": YOU, **typed["matches"]}]
        if form["match_length"]
        else [],
    }


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
            others.append(replace(problem, at=Location(""), what=what))
    return replace(form, problems=tuple(others) if form.valid else ())


def _field_of(problem: Problem, form: FilledForm, by_clause: Mapping[str, str]) -> str:
    at = problem.at
    if at.file != _FILE:
        return at.file
    if at.cell == "flights.entrants":
        return FLIGHTS[form["flight"] or "main"]
    return _FIELD_OF_CELL.get(at.cell) or by_clause.get(problem.clause, "")


def _sentence(text: str) -> str:
    """What is wrong as a sentence; names of columns are written as words."""
    if not isinstance(text, Message):
        return capital(text)
    column = text.values.get("column")
    return begun(changed(text, lambda word: word.replace("_", " ") if word == column else word))


# ── calculators ───────────────────────────────────────────────────────────────────────────────

MOST_ENTRANTS = 10_000
"""Larger fields take long, and nobody plays in them."""
MOST_BOARDS = 200
"""Longer matches are not played."""
VICTORY_POINTS = "victory-points"


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatedAward(WorkedAward):
    """One award with its explanation."""

    kind: str  # performance | match | placement | rating
    flight: str
    nanopoints: Nanopoints
    figures: Mapping[str, str]  # the terms that it is made of, by name
    worth: Nanopoints | None  # nanopoints on the day that was asked for, where points fade


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorView:
    """A calculator with its fields as they were filled in."""

    calculator: str
    regulation: str
    title: str  # of the regulation
    fields: tuple[CalculatorField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatedPoints(CalculatorView):
    """The points that a calculator gives, with their explanation."""

    awards: tuple[CalculatedAward, ...]
    nanopoints: Nanopoints | None  # of all awards together; none: no edition covers the day
    as_of: date | None  # the day on which points that fade are valued; none: not asked
    no_points: tuple[WorkedLine, ...]  # where there is no award: the clauses that say why
    covered: bool  # an edition was in force
    edition: str | None  # that was in force, "2015-05"
    problems: tuple[ShownProblem, ...]  # that belong to no field
    remarks: tuple[ShownProblem, ...]  # the notices: what officers would look at, or why no points


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
    types = regulation_of(name)[0].choices("event_type")
    return tuple(
        replace(field, choices=("", *types)) if field.name == "event_type" else field
        for field in _FIELDS[name]
    )


def regulation_of(name: str) -> tuple[Regulation, Calculator]:
    """The regulation of a calculator, and its description of the calculator."""
    return next(
        (regulation, regulation.calculator)
        for regulation in regulations().values()
        if regulation.calculator and regulation.calculator.name == name
    )


def _check_together(form: FilledForm) -> FilledForm:
    """The form with problems that fields have only together."""
    needs_field = msg("Fill this in: a place is one among so many.")
    entrants = FLIGHTS.get(form["flight"] or "main", "entrants")
    if form["place"] and not form[entrants]:
        form = form.with_problem(entrants, needs_field)
    if not form["match_length"] and not form["place"]:
        words = msg("Give the length of a match that was won, or a place.")
        form = form.with_problem("place", words)
    return form


# ── from a form to a page ────────────────────────────────────────────────────────────────────────


def calculator_page(
    snapshot: Snapshot, name: str, typed: Mapping[str, str], today: date
) -> CalculatedPoints:
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
    entries: tuple[ExplainedAward, ...] = ()
    no_points: tuple[WorkedLine, ...] = ()
    notices: tuple[Problem, ...] = ()
    if form.valid:
        try:
            facts = report_of(form, regulation, snapshot.facts)
            day = facts["tournaments"]["end_date"][0]
            as_of = date.fromisoformat(form["as_of"]) if form["as_of"] else None
            before = Fraction(Decimal(form["rating_before"])) if form["rating_before"] else None
            entries, lines, notices = try_report(question, facts, YOU, as_of or day, before)
            no_points = worked(lines)
        except FactsRejected as rejected:
            form = place_problems(form, rejected.problems, calculator.fields)
    done = form.valid and day is not None
    rules = None if day is None else question.rulebook().on(day)
    seen: set[str] = set()
    return CalculatedPoints(
        calculator=name,
        regulation=regulation.name,
        title=regulation.title,
        fields=form.fields,
        problems=as_shown(form.problems),
        awards=tuple(
            _award(entry, seen, calculator.figures, valued=as_of is not None) for entry in entries
        ),
        nanopoints=sum(entry.nanopoints for entry in entries) if done else None,
        as_of=as_of if done else None,
        no_points=no_points,
        covered=not done or rules is not None,
        edition=None if rules is None else rules.edition.id,
        remarks=as_shown(each for each in notices if not each.at.file.startswith(HELPER)),
    )


def _award(
    entry: ExplainedAward, seen: set[str], clauses: Sequence[str], *, valued: bool
) -> CalculatedAward:
    names = ((line, line.clause.partition(" ")[2]) for line in entry.lines)
    figures = {
        name: number_text(line.value)
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
        figures=figures,
        summary=entry.summary.sentence if fades else entry.summary.points,
        formula=entry.summary.formula,
        lines=worked(entry.lines, seen),
        worth=entry.worth if fades else None,
        fading=worked(entry.fading, seen) if fades else (),
    )


# ── victory points ───────────────────────────────────────────────────────────────────────────────

_POINTS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class VpRow:
    """Margins that give the same: one margin of a continuous scale, a range of a discrete one."""

    first: int  # IMPs
    last: int | None  # none: no end
    winner: str
    loser: str
    selected: bool  # it holds the margin that was asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class VpResult:
    """A margin and what it gives."""

    margin: int  # negative: IMPs lost by
    winner: str
    loser: str
    lines: tuple[WorkedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VictoryPoints(CalculatorView):
    """A scale of victory points, and what was looked up in it."""

    points: str  # VPs to reach
    scale: str  # continuous | discrete
    boards: int | None  # none: the form is wrong
    for_margin: VpResult | None  # of the margin
    for_points: VpResult | None  # of the smallest margin that reaches the VPs
    corrections: int  # margins that the concavity correction changed
    range_violations: int
    rows: tuple[VpRow, ...]


def victory_points_page(typed: Mapping[str, str]) -> VictoryPoints:
    """The table of a scale, and what is looked up in it.

    Args:
        typed: the values that were sent, by field; what is missing has its default.
    """
    form = _check_vp_form(
        fill(fields_of(VICTORY_POINTS), {"margin": "", **typed} if "points" in typed else typed)
    )
    regulation, _ = regulation_of(VICTORY_POINTS)
    name = form["scale"] or CONTINUOUS
    scale = scale_of(int(form["boards"]), name) if form.valid else None
    for_margin = for_points = None
    if scale is not None:
        seen: set[str] = set()
        if form["margin"]:
            for_margin = _vp_result(scale, int(form["margin"]), seen)
        if form["points"]:
            try:
                margin = scale.margin_for(Decimal(form["points"]))
                for_points = _vp_result(scale, margin, seen)
            except Refused as refused:
                form = form.with_problem("points", str(refused))
    return VictoryPoints(
        calculator=VICTORY_POINTS,
        regulation=regulation.name,
        title=regulation.title,
        fields=form.fields,
        points=form["points"],
        scale=name,
        boards=scale.boards if scale else None,
        for_margin=for_margin,
        for_points=for_points,
        corrections=len(scale.corrections) if scale else 0,
        range_violations=len(scale.range_violations) if scale else 0,
        rows=tuple(_scale_rows(scale, for_margin.margin if for_margin else None)) if scale else (),
    )


def _check_vp_form(form: FilledForm) -> FilledForm:
    """The form with problems of its numbers."""
    boards, margin, points = form["boards"], form["margin"], form["points"]
    if not _INTEGER.fullmatch(boards) or int(boards) < 1:
        form = form.with_problem(
            "boards", msg("A whole number of boards, please: 1 to %(most)s.", most=MOST_BOARDS)
        )
    if margin:
        try:
            checked_margin(int(margin) if _INTEGER.fullmatch(margin) else margin)  # type: ignore[arg-type]
        except Refused as refused:
            form = form.with_problem("margin", str(refused))
    if points and not _POINTS.fullmatch(points):
        form = form.with_problem("points", msg("VPs are a number such as 15 or 12.5."))
    return form


def _vp_result(scale: Scale, margin: int, seen: set[str]) -> VpResult:
    score, lines = explain_score(scale.boards, scale.name, margin)
    return VpResult(
        margin=margin,
        winner=str(score.winner),
        loser=str(score.loser),
        lines=worked(lines, seen),
    )


def _scale_rows(scale: Scale, margin: int | None) -> Iterator[VpRow]:
    """The margins that give the same; beyond the last one of a continuous scale all do."""
    imps = -1 if margin is None else abs(margin)
    if scale.is_discrete:
        ranges = list(scale.ranges())
    else:
        ranges = [
            Range(first=each.margin, last=each.margin, winner=each.winner, loser=each.loser)
            for each in scale.scores()
        ]
        ranges[-1] = replace(ranges[-1], last=None)
    for each in ranges:
        yield VpRow(
            first=each.first,
            last=each.last,
            winner=str(each.winner),
            loser=str(each.loser),
            selected=each.first <= imps <= (imps if each.last is None else each.last),
        )
