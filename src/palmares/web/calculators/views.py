"""
Calculators: small facts from a form, awarded and explained as any others.

    calculators_page    every calculator
    performance         WBGF: fee, field and place  ->  performance points
    master_points       USBGF: a match won, a place  ->  master points
    percentile          DPTR: place, field and rounds  ->  percentile and rating
    CALCULATORS         the three of them by name

There is no second formula here: whatever a regulation does with reports is what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction

from palmares.awards import Question, award
from palmares.errors import FactsRejected, Problem, Refused
from palmares.explanations import Entry, continued, explain, passed_by
from palmares.facts import Facts
from palmares.rankings import Selection
from palmares.regulations import regulation
from palmares.rounding import written
from palmares.web.hall import Known
from palmares.web.messages import said
from palmares.web.pages.forms import (
    Field,
    FieldProblem,
    Filled,
    Sent,
    blamed,
    facts_of,
    filled,
)
from palmares.web.pages.working import WorkedLine, worked

YOU = "you"
MOST_ENTRANTS = 10_000
"""Larger fields take long, and nobody plays in them."""
FLIGHTS = ("main", "consolation", "last_chance")
WORDS = ("performance", "master-points", "percentile", "victory-points")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number that an award comes with, by the name of its term."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculated:
    """One award, and how it came about."""

    kind: str  # performance | match | placement | rating
    flight: str
    nanopoints: int
    edition: str  # "wbgf/undated"
    sha256: str
    figures: tuple[Figure, ...]
    summary: str  # "Place 2 of 48: 1.5 × 0.75 × … ≈ 54.76"; its worth, if a day was asked for
    formula: str  # "grade × format factor × …", the terms of that sum; empty: no arithmetic
    lines: tuple[WorkedLine, ...]
    worth: int | None  # nanopoints on the day that was asked for, where points fade
    fading: tuple[WorkedLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorPage:
    """A calculator, what was asked of it, and what came out."""

    calculator: str
    regulation: str
    title: str  # of the regulation
    fields: tuple[Field, ...]
    problems: tuple[FieldProblem, ...]  # that belong to no field
    awards: tuple[Calculated, ...]
    nanopoints: int | None  # of all awards together; none: nothing was computed
    on: date | None  # the day on which points that fade are valued; none: not asked
    nothing: tuple[WorkedLine, ...]  # where there is no award: the clauses that say why
    covered: bool  # an edition was in force
    edition: str | None  # that edition, "2015-05"
    notices: tuple[FieldProblem, ...]  # what officers would look at, or why there are no points


@dataclass(frozen=True, slots=True, kw_only=True)
class CalculatorsPage:
    """Every calculator."""

    calculators: tuple[str, ...] = WORDS


def calculators_page() -> CalculatorsPage:
    """Every calculator."""
    return CalculatorsPage()


Given = Sent


# ── WBGF: performance points ─────────────────────────────────────────────────────────────────────


def performance(known: Known, given: Given, today: date) -> CalculatorPage:
    """The performance points of a place.

    Args:
        known: whose exchange rates are looked at.
        given: what was typed, by field; what is missing has its default.
        today: the day of a tournament of which no other is said.
    """
    form = filled(
        given,
        Field.choice("kind", "championship", ("championship", "intermediate", "super_jackpot")),
        Field.number("fee", "100", required=True),
        Field.text("currency", "EUR", required=True),
        Field.number("added", ""),
        Field.number("entrants", "64", required=True, most=MOST_ENTRANTS),
        Field.number("consolation", "", most=MOST_ENTRANTS),
        Field.number("last_chance", "", most=MOST_ENTRANTS),
        Field.choice("flight", "main", FLIGHTS),
        Field.number("place", "1", required=True),
        Field.number("tied", "1"),
        Field.day("day", str(today), required=True),
        Field.day("on", ""),
    )
    if form["flight"] in FLIGHTS[1:] and not form[form["flight"]]:
        form = form.wrong(form["flight"], said("Fill this in: a place is one among so many."))
    return _calculated(known, "performance", "wbgf", form, _performance_facts)


_HELPER = "the Championship"
"""Where an event is made up of which nothing was asked but its fee."""


def _performance_facts(form: Filled, rates: Facts) -> Facts:
    kind, flight = form["kind"], form["flight"]
    event = {
        "event_id": "this event",
        "tournament_id": "this tournament",
        "name": kind.replace("_", " ").title(),
        "kind": kind,
        "entry_fee": form["fee"],
        "added_money": form["added"],
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


def event_types() -> tuple[str, ...]:
    """Every event type of Appendix A, in whatever edition and setting."""
    tables = (one.tables["event_levels"].value for one in regulation("usbgf").editions())
    return tuple(
        dict.fromkeys(name for table in tables for names in table.values() for name in names)
    )


def master_points(known: Known, given: Given, today: date) -> CalculatorPage:
    """The master points of a match won, of a place, or of both; the day chooses the edition."""
    form = filled(
        given,
        Field.day("day", str(today), required=True),
        Field.choice("setting", "live", ("live", "online")),
        Field.choice("type", "ABT Main Event", ("", *event_types())),
        Field.number("level", ""),
        Field.text("division", "1"),
        Field.number("length", "9"),
        Field.number("entrants", "64", most=MOST_ENTRANTS),
        Field.choice("format", "knockout", ("knockout", "double_knockout", "swiss", "round_robin")),
        Field.number("place", "1"),
        Field.number("tied", "1"),
    )
    if not form["length"] and not form["place"]:
        form = form.wrong("place", said("Give the length of a match that was won, or a place."))
    if form["place"] and not form["entrants"]:
        form = form.wrong("entrants", said("Fill this in: a place is one among so many."))
    return _calculated(known, "master-points", "usbgf", form, _master_facts)


def _master_facts(form: Filled, rates: Facts) -> Facts:
    here = {"event_id": "this event"}
    event = here | {
        "tournament_id": "this tournament",
        "name": form["type"] or "This event",
        "event_type": form["type"],
        "event_level": form["level"],
        "division_rank": form["division"],
        "entrants": form["entrants"],
    }
    flight = here | {"flight": "main", "entrants": form["entrants"], "from": "entrants"}
    placing = here | {"player_id": YOU, "rank": form["place"], "tied": form["tied"]}
    match = here | {"match_id": "this match", "length": form["length"], "winner_id": YOU}
    member = {"player_id": YOU, "federation": "usbgf", "level": "Basic", "start": "1990-01-01"}
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
        matches=[match] if form["length"] else [],
    )


# ── DPTR: percentile and rating ──────────────────────────────────────────────────────────────────


def percentile(known: Known, given: Given, today: date) -> CalculatorPage:
    """The percentile of a place, and what it makes of a rating."""
    form = filled(
        given,
        Field.number("entrants", "49", required=True, most=MOST_ENTRANTS),
        Field.number("place", "1", required=True),
        Field.number("rounds", "3"),
        Field.choice("worlds", "no", ("no", "yes")),
        Field.day("day", str(today), required=True),
        Field.number("before", "", highest=100, decimals=True),
    )
    return _calculated(known, "percentile", "dptr", form, _percentile_facts)


def _percentile_facts(form: Filled, rates: Facts) -> Facts:
    event = {
        "event_id": "this event",
        "tournament_id": "this tournament",
        "name": "This event",
        "entrants": form["entrants"],
        "rounds": form["rounds"],
        "world_championship": form["worlds"],
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


CALCULATORS: Mapping[str, Callable[[Known, Given, date], CalculatorPage]] = {
    "performance": performance,
    "master-points": master_points,
    "percentile": percentile,
}
"""Calculators of awards; the one of victory points is `palmares.web.pages.vp_calculator`."""


# ── from facts to a page ─────────────────────────────────────────────────────────────────────────


def _calculated(
    known: Known, name: str, wanted: str, form: Filled, build: Callable[[Filled, Facts], Facts]
) -> CalculatorPage:
    """The page: problems at their fields, or awards and their explanation."""
    question = Question(regulation=wanted)
    day = on = None
    entries: tuple[Entry, ...] = ()
    nothing: tuple[WorkedLine, ...] = ()
    notices: tuple[Problem, ...] = ()
    if form.good:
        try:
            facts = build(form, known.facts)
            day = facts["tournaments"]["end_date"][0]
            on = date.fromisoformat(form["on"]) if form.get("on") else None
            entries, notices = _entries(question, facts, on or day)
            if form.get("before") and entries:
                before = Fraction(Decimal(form["before"]))
                entries = (continued(question, facts, YOU, before),)
            if not entries:
                nothing = worked(passed_by(question, facts, YOU, day))
        except FactsRejected as rejected:
            form = blamed(form, rejected.problems)
    done = form.good and day is not None
    rules = None if day is None else question.rulebook().on(day)
    told: set[str] = set()
    return CalculatorPage(
        calculator=name,
        regulation=wanted,
        title=regulation(wanted).title,
        fields=form.fields,
        problems=form.problems,
        awards=tuple(_award(one, told, valued=on is not None) for one in entries),
        nanopoints=sum(one.nanopoints for one in entries) if done else None,
        on=on if done else None,
        nothing=nothing,
        covered=not done or rules is not None,
        edition=None if rules is None else rules.edition.id,
        notices=tuple(
            FieldProblem(what=one.what, remedy=one.remedy, clause=one.clause)
            for one in notices
            if not one.where.startswith(_HELPER)
        ),
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


_FIGURES = {"percentile", "value", "grade", "format-factor", "size-scaling", "tied-reward",
            "event-weight", "division-weight", "event-size-factor", "tied-ranks"}  # fmt: skip


def _award(entry: Entry, told: set[str], *, valued: bool) -> Calculated:
    figures = {
        line.clause.partition(" ")[2]: Figure(
            name=line.clause.partition(" ")[2], text=written(line.value)
        )
        for line in entry.lines
        if line.depth == 0
        and not isinstance(line.value, tuple | list)
        and line.clause.partition(" ")[2] in _FIGURES
    }
    fades = valued and entry.parts > 1
    return Calculated(
        kind=entry.kind,
        flight=entry.flight,
        nanopoints=entry.nanopoints,
        edition=entry.edition,
        sha256=entry.sha256,
        figures=tuple(figures.values()),
        summary=entry.summary.sentence if fades else entry.summary.points,
        formula=entry.summary.formula,
        lines=worked(entry.lines, told),
        worth=entry.worth if fades else None,
        fading=worked(entry.fading, told) if fades else (),
    )
