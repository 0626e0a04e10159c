"""
Calculators: small facts from a form, awarded and explained as any others.

There is no second formula here: whatever a regulation does with reports is what is shown.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

from palmares.bridge.explain import explain_score
from palmares.bridge.vp import CONTINUOUS, SCALES, Range, Scale, checked_margin, scale_of
from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints, written
from palmares.facts import Facts
from palmares.points.awards import Question, award
from palmares.points.explain import Entry, continued, explain, passed_by
from palmares.points.rankings import Selection
from palmares.regulations import Calculator, Regulation, regulations
from palmares.web.calculators.forms import (
    CalculatorField,
    CalculatorInput,
    FieldProblem,
    Filled,
    blamed,
    facts_of,
    filled,
)
from palmares.web.calculators.vp_words import sentence
from palmares.web.http.state import Snapshot
from palmares.web.shared.working import WorkedAward, WorkedLine, WorkedNumber, worked

YOU = "you"
MOST_ENTRANTS = 10_000
"""Larger fields take long, and nobody plays in them."""
FLIGHTS = ("main", "consolation", "last_chance")
MOST_BOARDS = 200
"""Longer matches are not played."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")
_POINTS = re.compile(r"[0-9]{1,3}(\.[0-9]{1,9})?")
_HELPER = "the Championship"
"""Where an event is made up of which nothing was asked but its fee."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatedAward(WorkedAward):
    """One award, and how it came about."""

    kind: str  # performance | match | placement | rating
    flight: str
    nanopoints: Nanopoints
    figures: tuple[WorkedNumber, ...]
    worth: Nanopoints | None  # nanopoints on the day that was asked for, where points fade


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """A calculator: what was asked of it, the points that it gives, and how they come about."""

    calculator: str
    regulation: str
    title: str  # of the regulation
    inputs: tuple[CalculatorInput, ...]
    awards: tuple[CalculatedAward, ...]
    nanopoints: Nanopoints | None  # of all awards together; none: no edition covers the day
    as_of: date | None  # the day on which points that fade are valued; none: not asked
    no_points: tuple[WorkedLine, ...]  # where there is no award: the clauses that say why
    covered: bool  # an edition was in force
    edition: str | None  # that was in force, "2015-05"
    fields: tuple[CalculatorField, ...]
    problems: tuple[FieldProblem, ...]  # that belong to no field
    remarks: tuple[FieldProblem, ...]  # the notices: what officers would look at, or why no points
    notices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculators:
    """The calculators that there are."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorForm:
    """A calculator of awards: its form, and the facts that it makes of it."""

    fields: Callable[
        [date], tuple[CalculatorField, ...]
    ]  # by the day of a tournament of which none is said
    facts: Callable[[Filled, Facts], Facts]  # of a form, with the exchange rates of a journal
    judged: Callable[[Filled], Filled] = lambda form: form  # what is wrong with fields together


# ── WBGF: performance points ─────────────────────────────────────────────────────────────────────


def _performance_fields(today: date) -> tuple[CalculatorField, ...]:
    kinds = ("championship", "intermediate", "super_jackpot")
    return (
        CalculatorField(name="kind", value="championship", kind="choice", choices=kinds),
        CalculatorField(name="entry_fee", value="100", required=True),
        CalculatorField(name="currency", value="EUR", kind="text", required=True),
        CalculatorField(name="added_money", value=""),
        CalculatorField(name="entrants", value="64", required=True, maximum=MOST_ENTRANTS),
        CalculatorField(name="consolation", value="", maximum=MOST_ENTRANTS),
        CalculatorField(name="last_chance", value="", maximum=MOST_ENTRANTS),
        CalculatorField(name="flight", value="main", kind="choice", choices=FLIGHTS),
        CalculatorField(name="place", value="1", required=True),
        CalculatorField(name="tied", value="1"),
        CalculatorField(name="day", value=str(today), kind="date", required=True),
        CalculatorField(name="as_of", value="", kind="date"),
    )


def _performance_judged(form: Filled) -> Filled:
    if form["flight"] in FLIGHTS[1:] and not form[form["flight"]]:
        return form.wrong(form["flight"], msg("Fill this in: a place is one among so many."))
    return form


def _performance_facts(form: Filled, rates: Facts) -> Facts:
    kind, flight = form["kind"], form["flight"]
    event = {
        "event_id": "this event",
        "tournament_id": "this tournament",
        "name": kind.replace("_", " ").title(),
        "kind": kind,
        "entry_fee": form["entry_fee"],
        "added_money": form["added_money"],
        "entrants": form["entrants"],
    }
    events = [event]
    if kind == "intermediate":  # its grade takes the fee of the Championship's Main
        main = {"event_id": "the Championship", "name": "Championship", "kind": "championship"}
        events.append({**event, **main, "from": _HELPER})
    flights = [
        {"event_id": "this event", "flight": name, "entrants": form[field], "from": field}
        for name, field in (
            ("main", "entrants"),
            ("consolation", "consolation"),
            ("last_chance", "last_chance"),
        )
        if form[field]
    ]
    placing = {"event_id": "this event", "flight": flight, "player_id": YOU}
    return facts_of(
        rates,
        players=[{"player_id": YOU, "name": "You"}],
        tournaments=[
            {
                "tournament_id": "this tournament",
                "name": "This tournament",
                "discipline": "backgammon",
                "end_date": form["day"],
                "currency": form["currency"],
            }
        ],
        events=events,
        flights=flights,
        placings=[{**placing, "rank": form["place"], "tied": form["tied"]}],
    )


# ── USBGF: master points ─────────────────────────────────────────────────────────────────────────


def _master_fields(today: date) -> tuple[CalculatorField, ...]:
    formats = ("knockout", "double_knockout", "swiss", "round_robin")
    levels = (
        edition.tables["event_levels"].value for edition in tried("master-points")[0].editions()
    )
    types = dict.fromkeys(
        name for table in levels for names in table.values() for name in names
    )  # of Appendix A, in whatever edition and setting
    return (
        CalculatorField(name="day", value=str(today), kind="date", required=True),
        CalculatorField(name="setting", value="live", kind="choice", choices=("live", "online")),
        CalculatorField(
            name="event_type", value="ABT Main Event", kind="choice", choices=("", *types)
        ),
        CalculatorField(name="event_level", value=""),
        CalculatorField(name="division_rank", value="1", kind="text"),
        CalculatorField(name="match_length", value="9"),
        CalculatorField(name="entrants", value="64", maximum=MOST_ENTRANTS),
        CalculatorField(name="format", value="knockout", kind="choice", choices=formats),
        CalculatorField(name="place", value="1"),
        CalculatorField(name="tied", value="1"),
    )


def _master_judged(form: Filled) -> Filled:
    if not form["match_length"] and not form["place"]:
        form = form.wrong("place", msg("Give the length of a match that was won, or a place."))
    if form["place"] and not form["entrants"]:
        form = form.wrong("entrants", msg("Fill this in: a place is one among so many."))
    return form


def _master_facts(form: Filled, rates: Facts) -> Facts:
    here = {"event_id": "this event"}
    event = here | {
        "tournament_id": "this tournament",
        "name": form["event_type"] or "This event",
        "event_type": form["event_type"],
        "event_level": form["event_level"],
        "division_rank": form["division_rank"],
        "entrants": form["entrants"],
    }
    flight = here | {"flight": "main", "entrants": form["entrants"], "from": "entrants"}
    placing = here | {"player_id": YOU, "rank": form["place"], "tied": form["tied"]}
    match = here | {"match_id": "this match", "length": form["match_length"], "winner_id": YOU}
    federation = tried("master-points")[0].members_of
    member = {"player_id": YOU, "federation": federation, "level": "Basic", "start": "1990-01-01"}
    return facts_of(
        rates,
        players=[{"player_id": YOU, "name": "You"}],
        memberships=[member],
        tournaments=[
            {
                "tournament_id": "this tournament",
                "name": "This tournament",
                "discipline": "backgammon",
                "end_date": form["day"],
                "setting": form["setting"],
            }
        ],
        events=[event],
        flights=[flight | {"format": form["format"]}] if form["entrants"] else [],
        placings=[placing] if form["place"] else [],
        matches=[match] if form["match_length"] else [],
    )


# ── DPTR: percentile and rating ──────────────────────────────────────────────────────────────────


def _percentile_fields(today: date) -> tuple[CalculatorField, ...]:
    return (
        CalculatorField(name="entrants", value="49", required=True, maximum=MOST_ENTRANTS),
        CalculatorField(name="place", value="1", required=True),
        CalculatorField(name="rounds", value="3"),
        CalculatorField(
            name="world_championship", value="no", kind="choice", choices=("no", "yes")
        ),
        CalculatorField(name="day", value=str(today), kind="date", required=True),
        CalculatorField(name="rating_before", value="", decimal_maximum=100),
    )


def _percentile_facts(form: Filled, rates: Facts) -> Facts:
    event = {
        "event_id": "this event",
        "tournament_id": "this tournament",
        "name": "This event",
        "entrants": form["entrants"],
        "rounds": form["rounds"],
        "world_championship": form["world_championship"],
    }
    return facts_of(
        rates,
        players=[{"player_id": YOU, "name": "You"}],
        tournaments=[
            {
                "tournament_id": "this tournament",
                "name": "This tournament",
                "discipline": "diplomacy",
                "end_date": form["day"],
            }
        ],
        events=[event],
        placings=[{"event_id": "this event", "player_id": YOU, "rank": form["place"]}],
    )


CALCULATORS: Mapping[str, CalculatorForm] = {
    "performance": CalculatorForm(
        fields=_performance_fields, facts=_performance_facts, judged=_performance_judged
    ),
    "master-points": CalculatorForm(
        fields=_master_fields, facts=_master_facts, judged=_master_judged
    ),
    "percentile": CalculatorForm(fields=_percentile_fields, facts=_percentile_facts),
}
"""Calculators of awards."""
VICTORY_POINTS = "victory-points"
NAMES = (*CALCULATORS, VICTORY_POINTS)


def tried(name: str) -> tuple[Regulation, Calculator]:
    """The regulation that a calculator tries out, and what it says of it."""
    return next(
        (regulation, regulation.calculator)
        for regulation in regulations().values()
        if regulation.calculator and regulation.calculator.name == name
    )


def fields_of(name: str) -> tuple[str, ...]:
    """The names of a calculator's fields."""
    day = date.min
    fields = CALCULATORS[name].fields(day) if name in CALCULATORS else _vp_fields({})
    return tuple(field.name for field in fields)


# ── from facts to a page ─────────────────────────────────────────────────────────────────────────


def calculator_page(
    snapshot: Snapshot, name: str, given: Mapping[str, str], today: date
) -> Calculation:
    """The page of a calculator: problems at their fields, or awards and their explanation.

    Args:
        snapshot: whose exchange rates are looked at.
        name: of `CALCULATORS`.
        given: what was typed, by field; what is missing has its default.
        today: the day of a tournament of which no other is said.
    """
    spec, (held, of) = CALCULATORS[name], tried(name)
    form = spec.judged(filled(spec.fields(today), given))
    question = Question(regulation=held.name)
    day = on = None
    entries: tuple[Entry, ...] = ()
    nothing: tuple[WorkedLine, ...] = ()
    notices: tuple[Problem, ...] = ()
    if form.good:
        try:
            facts = spec.facts(form, snapshot.facts)
            day = facts["tournaments"]["end_date"][0]
            on = date.fromisoformat(form["as_of"]) if form["as_of"] else None
            entries, notices = _entries(question, facts, on or day)
            if form["rating_before"] and entries:
                before = Fraction(Decimal(form["rating_before"]))
                entries = (continued(question, facts, YOU, before),)
            if not entries:
                nothing = worked(passed_by(question, facts, YOU, day))
        except FactsRejected as rejected:
            form = blamed(form, rejected.problems, of.fields)
    done = form.good and day is not None
    rules = None if day is None else question.rulebook().on(day)
    seen: set[str] = set()
    remarks = tuple(
        FieldProblem(what=notice.what, remedy=notice.remedy, clause=notice.clause)
        for notice in notices
        if not notice.at.file.startswith(_HELPER)
    )
    return Calculation(
        calculator=name,
        regulation=held.name,
        title=held.title,
        inputs=form.asked,
        fields=form.fields,
        problems=form.problems,
        awards=tuple(_award(entry, seen, of.figures, valued=on is not None) for entry in entries),
        nanopoints=sum(entry.nanopoints for entry in entries) if done else None,
        as_of=on if done else None,
        no_points=nothing,
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


def _award(entry: Entry, seen: set[str], shown: Sequence[str], *, valued: bool) -> CalculatedAward:
    names = ((line, line.clause.partition(" ")[2]) for line in entry.lines)
    figures = {
        name: WorkedNumber(name=name, text=written(one.value))
        for one, name in names
        if one.depth == 0 and not isinstance(one.value, tuple | list) and name in shown
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


# ── WBF: victory points ──────────────────────────────────────────────────────────────────────────


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
    summary: str  # the sum, in one sentence
    lines: tuple[WorkedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class VictoryPoints:
    """A scale of victory points, and what was looked up in it."""

    regulation: str
    calculator: str
    fields: tuple[CalculatorField, ...]
    inputs: tuple[CalculatorInput, ...]
    points: str  # VPs to reach
    scale: str  # continuous | discrete
    boards: int | None  # none: the form is wrong
    for_margin: VpResult | None  # of the margin
    for_points: VpResult | None  # of the smallest margin that reaches the VPs
    corrections: int  # margins that the concavity correction changed
    range_violations: int
    rows: tuple[VpRow, ...]


def _vp_fields(given: Mapping[str, str]) -> tuple[CalculatorField, ...]:
    return (
        CalculatorField(name="boards", value="16", required=True, maximum=MOST_BOARDS),
        CalculatorField(name="scale", value=CONTINUOUS, kind="choice", choices=SCALES),
        CalculatorField(name="margin", value="" if "points" in given else "7"),
        CalculatorField(name="points", value=""),
    )


def victory_points_page(given: Mapping[str, str]) -> VictoryPoints:
    """The table of a scale, and what is looked up in it.

    Args:
        given: what was typed, by field; what is missing has its default.
    """
    form = _judged(filled(_vp_fields(given), given))
    scale = form["scale"] or CONTINUOUS
    held: Scale | None = None
    found: VpResult | None = None
    reached: VpResult | None = None
    if form.good:
        held = scale_of(int(form["boards"]), scale)
        seen: set[str] = set()
        if form["margin"]:
            found = _found(held, int(form["margin"]), seen)
        if form["points"]:
            try:
                reached = _found(held, held.margin_for(Decimal(form["points"])), seen)
            except Refused as refused:
                form = form.wrong("points", str(refused))
    return VictoryPoints(
        calculator=VICTORY_POINTS,
        regulation=tried(VICTORY_POINTS)[0].name,
        inputs=form.asked,
        fields=form.fields,
        scale=scale,
        boards=held.boards if held else None,
        for_margin=found,
        for_points=reached,
        points=form["points"],
        corrections=len(held.corrections) if held else 0,
        range_violations=len(held.range_violations) if held else 0,
        rows=_rows(held, abs(found.margin) if found else None) if held else (),
    )


def _judged(form: Filled) -> Filled:
    """The form with what is wrong with its numbers."""
    boards, margin, points = form["boards"], form["margin"], form["points"]
    if not _WHOLE.fullmatch(boards) or int(boards) < 1:
        form = form.wrong(
            "boards", msg("A whole number of boards, please: 1 to %(most)s.", most=MOST_BOARDS)
        )
    if margin:
        try:
            checked_margin(int(margin) if _WHOLE.fullmatch(margin) else margin)  # type: ignore[arg-type]
        except Refused as refused:
            form = form.wrong("margin", str(refused))
    if points and not _POINTS.fullmatch(points):
        form = form.wrong("points", msg("VPs are a number such as 15 or 12.5."))
    return form


def _found(held: Scale, margin: int, seen: set[str]) -> VpResult:
    score, lines = explain_score(held.boards, held.name, margin)
    return VpResult(
        margin=margin,
        winner=str(score.winner),
        loser=str(score.loser),
        summary=sentence(held, score, lines),
        lines=worked(lines, seen),
    )


def _rows(held: Scale, margin: int | None) -> tuple[VpRow, ...]:
    return tuple(
        VpRow(
            first=one.first,
            last=one.last,
            winner=str(one.winner),
            loser=str(one.loser),
            selected=margin is not None
            and one.first <= margin
            and (one.last is None or margin <= one.last),
        )
        for one in _ranges(held)
    )


def _ranges(held: Scale) -> Iterator[Range]:
    """The margins that give the same; beyond the last one of a continuous scale all do."""
    if held.is_discrete:
        yield from held.ranges()
        return
    for score in held.scores():
        last = None if score.margin == len(held.cells) - 1 else score.margin
        yield Range(first=score.margin, last=last, winner=score.winner, loser=score.loser)
