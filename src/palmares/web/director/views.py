"""The director's pages: reports on their way, and one of them with all that it would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from palmares.facts import Facts
from palmares.facts.decoding import ENCODED
from palmares.facts.schema import TABLES, Column
from palmares.regulations import get_regulation
from palmares.web.database import day_of
from palmares.web.http.errors import ShownProblem, as_shown
from palmares.web.http.state import Request
from palmares.web.shared.names import extended
from palmares.web.shared.notes import ReportMessage, report_messages
from palmares.web.shared.standings import ReportedStandings, reported_standings
from palmares.web.submissions import parse, report_form
from palmares.web.submissions.parse import (
    ENCODINGS,
    FORM,
    Encoding,
    Reading,
    ReadReport,
    ReportProblem,
    likely,
)
from palmares.web.submissions.preview import RegulationMoves, ReportedName, ReportPreview
from palmares.web.submissions.steps import read_and_preview
from palmares.web.submissions.submissions import OPEN, ReportRow, Submission, row_fields
from palmares.web.submissions.understood import disciplines

STEPS = CHECK, NAMES, SUBMIT = ("check", "names", "submit")
"""What is done with a report, one after another, once it is brought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionRow(ReportRow):
    """A report on its way."""

    updated: date
    reason: str | None
    entry: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorPage:
    """The reports of whoever is signed in, the latest first."""

    submissions: tuple[SubmissionRow, ...]
    suffixes: tuple[str, ...]  # of files that are read
    encodings: Mapping[str, str]  # what a text may be written in, if not in UTF-8
    problem: str | None = None
    text: str = ""  # what was pasted, and could not be kept


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A field as it is filled in."""

    name: str
    value: str
    problems: tuple[ReportProblem, ...] = ()
    meaning: str = ""  # as the tables of the facts say it
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFlight:
    """A flight of an event."""

    flight: str
    fields: tuple[FormField, ...]
    placings: FormField
    filled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FormEvent:
    """An event."""

    number: int
    fields: tuple[FormField, ...]
    rare_fields: tuple[FormField, ...]
    flights: tuple[FormFlight, ...]
    matches: FormField
    team_matches: FormField
    filled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportForm:
    """The form as it is filled in, with one more event that is empty."""

    fields: tuple[FormField, ...]
    rare_fields: tuple[FormField, ...]
    players: FormField
    events: tuple[FormEvent, ...]
    text: str  # the same as a report, which can say more


@dataclass(frozen=True, slots=True, kw_only=True)
class PointsPreview:
    """What a regulation makes of a report."""

    title: str
    moves: RegulationMoves


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedTournament:
    """The tournament of a report, as far as it was understood."""

    start_date: date | None
    end_date: date
    city: str | None
    country: str | None
    discipline: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPage(ReadReport):
    """A report on its way, with all that it would do."""

    submission: SubmissionRow
    about: ReportedTournament | None  # none: it cannot be read yet
    version: int
    format: str
    filename: str
    editable: bool
    text: str | None  # none: a workbook, or a form
    form: ReportForm | None
    readable: bool  # whether there is anything to look at
    encodings: tuple[Encoding, ...]  # of a text that is not UTF-8: what it may be written in
    step: str  # that the page shows: check, names, submit; without a choice the first not done
    people: tuple[ReportedName, ...]
    unclear_names: int  # names that fit several players
    doubtful_names: int  # new names that look like known players
    names: Mapping[str, str]  # what was said of them: a key -> the id of a player, or "new"
    in_force: Mapping[str, int]  # tournaments that are reported already  ->  the entry in force
    replaces: tuple[int, ...]
    tournament_fields: Mapping[str, str]  # what was said beside the report, by field
    record_problems: tuple[ShownProblem, ...]  # why it cannot be recorded
    refusal: str
    hints: tuple[ShownProblem, ...]
    entry_count: int
    points: tuple[PointsPreview, ...]
    standings: tuple[ReportedStandings, ...]  # of bridge teams
    ready: bool
    messages: tuple[ReportMessage, ...] = ()  # between its director and the officers
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StalePage:
    """What was typed, and what was saved meanwhile from elsewhere."""

    id: int
    title: str
    version: int  # the one that is saved
    format: str
    open: bool  # whether it can still be changed
    state: str
    yours: str
    theirs: str
    fields: tuple[FormField, ...]  # of a form as it was typed, to be sent again


def director_page(
    own: Sequence[Submission], problem: str | None = None, text: str = ""
) -> DirectorPage:
    """The reports of one director."""
    return DirectorPage(
        submissions=tuple(row_of(submission) for submission in own),
        suffixes=tuple(parse.FORMATS),
        encodings=ENCODINGS,
        problem=problem,
        text=text,
    )


def row_of(report: Submission) -> SubmissionRow:
    """A report as lists show it."""
    return SubmissionRow(
        **row_fields(report),
        updated=day_of(report.updated),
        reason=report.reason,
        entry=report.entry,
    )


def submission_page(
    request: Request, report: Submission, *, problem: str | None = None, step: str = ""
) -> SubmissionPage:
    """A report on its way, with all that it would do; takes long."""
    read, preview = read_and_preview(request, report)
    filled = report_form.decoded(report.content) if report.format == FORM else None
    people = preview.people
    notices = read.facts.notices if read.facts is not None else ()
    undecoded = any(each.clause == ENCODED for each in read.problems)
    row = row_of(report)
    for question in read.questions:
        if question.field == "name" and question.value:  # of a line above the placings
            row = replace(row, title=question.value)
    return extended(
        SubmissionPage,
        read,
        submission=row,
        about=_about(read.facts),
        version=report.version,
        format=report.format,
        filename=report.filename,
        editable=report.state in OPEN,
        text=parse.as_text(report.format, report.content),
        form=None if filled is None else form_of(filled, read.problems),
        readable=read.facts is not None,
        encodings=likely(report.content) if undecoded else (),
        step=step or next_step(read, preview, report),
        people=people,
        unclear_names=sum(person.state == "unclear" for person in people),
        doubtful_names=sum(person.undecided for person in people),
        names=report.matches.names,
        in_force=preview.in_force,
        replaces=report.matches.replaces,
        tournament_fields=report.matches.tournament,
        record_problems=as_shown(preview.problems[: parse.MOST]),
        refusal=preview.refusal,
        hints=as_shown([each for each in preview.notices if each not in notices]),
        entry_count=preview.entries,
        points=tuple(
            PointsPreview(title=get_regulation(move.regulation, awards=True).title, moves=move)
            for move in preview.moves
        ),
        standings=reported_standings(read.facts) if read.facts is not None else (),
        ready=report.state in OPEN and preview.ready,
        messages=report_messages(request.app_state.journal.database, report.id),
        problem=problem,
    )


def _about(facts: Facts | None) -> ReportedTournament | None:
    if facts is None or facts["tournaments"].is_empty():
        return None
    columns = ("start_date", "end_date", "city", "country", "discipline")
    return ReportedTournament(**facts["tournaments"].select(columns).row(0, named=True))


def next_step(read: Reading, preview: ReportPreview, report: Submission) -> str:
    """The first step of a report that is not done."""
    if report.state not in OPEN:
        return SUBMIT
    answers = report.matches.tournament
    if read.facts is None or any(
        not (each.value or each.field in answers) for each in read.questions
    ):
        return CHECK
    unsettled = any(person.undecided or person.state == "unclear" for person in preview.people)
    reported = set(preview.in_force.values()) - set(report.matches.replaces)
    settled = not (unsettled or reported or preview.problems or preview.refusal)
    return SUBMIT if settled else NAMES


def stale_page(now: Submission, kind: str, yours: bytes) -> StalePage:
    """Both versions, whole."""
    filled = report_form.decoded(yours) if kind == FORM else {}
    return StalePage(
        id=now.id,
        title=row_of(now).title,
        version=now.version,
        format=kind,
        open=now.state in OPEN,
        state=now.state,
        yours=parse.readable(kind, yours) or "",
        theirs=parse.readable(now.format, now.content) or "",
        fields=tuple(FormField(name=name, value=value) for name, value in filled.items()),
    )


# ── the form ─────────────────────────────────────────────────────────────────────────────────────


def form_of(filled: Mapping[str, str], problems: Sequence[ReportProblem] = ()) -> ReportForm:
    """The form as it is filled in; problems stand beside their fields."""

    def field(table: str, before: str, key: str) -> FormField:
        name = before + key
        column = TABLES[table].get(key)
        return FormField(
            name=name,
            value=filled.get(name, ""),
            problems=tuple(problem for problem in problems if problem.field == name),
            meaning=column.means if column else "",
            choices=_choices(key, column),
        )

    def fields(table: str, before: str, keys: Sequence[str]) -> tuple[FormField, ...]:
        return tuple(field(table, before, key) for key in keys)

    def flight(before: str, name: str) -> FormFlight:
        own = f"{before}{name}."
        return FormFlight(
            flight=name,
            fields=fields("flights", own, report_form.FLIGHT),
            placings=field("placings", own, report_form.PLACINGS),
            filled=any(name.startswith(own) for name in filled),
        )

    def event(number: int) -> FormEvent:
        before = f"{number}."
        return FormEvent(
            number=number,
            fields=fields("events", before, report_form.EVENT),
            rare_fields=fields("events", before, report_form.RARE_OF_EVENT),
            flights=tuple(flight(before, name) for name in report_form.FLIGHTS),
            matches=field("matches", before, report_form.MATCHES),
            team_matches=field("team_matches", before, report_form.TEAM_MATCHES),
            filled=any(name.startswith(before) for name in filled),
        )

    numbers = report_form.events_of(filled)
    one_more = [numbers[-1] + 1] if numbers[-1] + 1 < report_form.MOST_EVENTS else []
    visible = numbers if numbers == [0] and not filled else [*numbers, *one_more]
    return ReportForm(
        fields=fields("tournaments", "", report_form.TOURNAMENT),
        rare_fields=fields("tournaments", "", report_form.RARE_OF_TOURNAMENT),
        players=field("players", "", report_form.PLAYERS),
        events=tuple(event(number) for number in visible),
        text=report_form.written(filled).text,
    )


def _choices(key: str, column: Column | None) -> tuple[str, ...]:
    """What may be chosen in a field; nothing: anything may be typed."""
    if key == "discipline":
        return disciplines()
    if column is None:
        return ()
    return ("true", "false") if column.kind == "flag" else column.choices
