"""A report on its way as its director and officers see it, with all that it would do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from palmares.facts import Facts
from palmares.facts.decoding import ENCODED
from palmares.facts.schema import FLIGHTS, TABLES, Column
from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
from palmares.regulations import regulations
from palmares.web.http.errors import ShownProblem, as_shown
from palmares.web.http.state import Request
from palmares.web.shared.names import extended
from palmares.web.shared.notes import Note, report_messages
from palmares.web.shared.standings import ReportedStandings, reported_standings
from palmares.web.submissions import parse, report_form
from palmares.web.submissions.parse import (
    Encoding,
    ParsedReport,
    ReadReport,
    ReportProblem,
    likely,
)
from palmares.web.submissions.preview import RegulationChanges, ReportedName, ReportPreview
from palmares.web.submissions.steps import cached_preview
from palmares.web.submissions.submissions import OPEN, ReportRow, Submission, report_row
from palmares.web.submissions.understood import MissingValue, choices_of, words_of

STEPS = CHECK, NAMES, SUBMIT = ("check", "names", "submit")
"""What is done with a report, one after another, once it is brought."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """A field as it is filled in."""

    name: str
    value: str
    problems: tuple[ReportProblem, ...] = ()
    meaning: str = ""  # as the tables of the facts say it
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FormPart:
    """The form of a report as it is filled in; or an event of it; or a flight of an event."""

    name: str  # empty, the number of the event, or the flight
    fields: tuple[FormField, ...]
    rare_fields: tuple[FormField, ...]
    texts: tuple[FormField, ...]  # of several lines
    parts: tuple[FormPart, ...]  # events, the last one empty; or flights
    filled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedTournament:
    """The tournament of a report that can be read."""

    start_date: date | None
    end_date: date
    city: str | None
    country: str | None
    discipline: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionPage(ReadReport):
    """A report on its way, with all that it would do."""

    submission: ReportRow
    about: ReportedTournament | None  # none: it cannot be read yet
    version: int
    format: str
    filename: str
    editable: bool
    text: str | None  # of a form, the same as a report, which can say more; none: a workbook
    form: FormPart | None
    readable: bool  # whether there is anything to look at
    encodings: tuple[Encoding, ...]  # of a text that is not UTF-8: what it may be written in
    step: str  # that the page shows: check, names, submit; without a choice the first not done
    people: tuple[ReportedName, ...]
    unsettled_names: int  # that fit several players, or are new and look like known players
    names: Mapping[str, str]  # what was said of them: a key -> the id of a player, or "new"
    in_force: Mapping[str, int]  # tournaments that are reported already  ->  the entry in force
    replaces: tuple[int, ...]
    tournament_fields: Mapping[str, str]  # what was said beside the report, by field
    record_problems: tuple[ShownProblem, ...]  # why it cannot be recorded
    refusal: str
    hints: tuple[ShownProblem, ...]
    entry_count: int
    points: tuple[RegulationChanges, ...]
    standings: tuple[ReportedStandings, ...]  # of bridge teams
    ready: bool
    messages: tuple[Note, ...] = ()  # between its director and the officers
    problem: str | None = None
    typed_names: Mapping[str, str] = field(default_factory=dict)  # for a key: what is no player


def submission_page(
    request: Request, report: Submission, *, step: str = "", as_text: bool = False, **more: Any
) -> SubmissionPage:
    """A report on its way, with all that it would do; takes long if it is new.

    Args:
        request: of its director.
        report: saved or not.
        step: that is shown; empty: the first that is not done.
        as_text: whether contents that could be a form are shown as text.
        more: further fields of the page.
    """
    read, preview = cached_preview(request, report)
    notices = read.facts.notices if read.facts is not None else ()
    undecoded = any(each.clause == ENCODED for each in read.problems)
    return extended(
        SubmissionPage,
        read,
        submission=_titled(report_row(report), read.questions),
        about=_about(read.facts),
        version=report.version,
        format=report.format,
        filename=report.filename,
        editable=report.state in OPEN,
        text=parse.readable(report.format, report.content),
        form=None if as_text or read.form is None else form_of(read.form, read.problems),
        readable=read.facts is not None,
        encodings=likely(report.content) if undecoded else (),
        step=step or next_step(read, preview, report),
        people=preview.people,
        unsettled_names=sum(person.unsettled for person in preview.people),
        names=report.matches.names,
        in_force=preview.in_force,
        replaces=report.matches.replaces,
        tournament_fields=report.matches.tournament,
        record_problems=as_shown(preview.problems[: parse.MOST]),
        refusal=preview.refusal,
        hints=as_shown(
            each
            for each in preview.notices
            if each not in notices and each.clause != POSSIBLE_DUPLICATES
        ),
        entry_count=len(preview.entries or ()),
        points=preview.points,
        standings=reported_standings(read.facts) if read.facts is not None else (),
        ready=report.state in OPEN and preview.ready,
        messages=report_messages(request.app_state.journal.database, report.id),
        **more,
    )


def _titled(row: ReportRow, questions: Iterable[MissingValue]) -> ReportRow:
    """The row, named as a line above the placings may name the tournament."""
    names = [each.value for each in questions if each.field == "name" and each.value]
    return replace(row, title=names[-1]) if names else row


def _about(facts: Facts | None) -> ReportedTournament | None:
    if facts is None or facts["tournaments"].is_empty():
        return None
    columns = ("start_date", "end_date", "city", "country", "discipline")
    return ReportedTournament(**facts["tournaments"].select(columns).row(0, named=True))


def next_step(read: ParsedReport, preview: ReportPreview, report: Submission) -> str:
    """The first step of a report that is not done."""
    if report.state not in OPEN:
        return SUBMIT
    answers = report.matches.tournament
    if read.facts is None or any(
        each.assumed or not (each.value or each.field in answers) for each in read.questions
    ):
        return CHECK
    unsettled = any(person.unsettled for person in preview.people)
    reported = set(preview.in_force.values()) - set(report.matches.replaces)
    return NAMES if unsettled or reported or preview.entries is None else SUBMIT


# ── the form ─────────────────────────────────────────────────────────────────────────────────────


def form_of(filled: Mapping[str, str], problems: Sequence[ReportProblem] = ()) -> FormPart:
    """The form as it is filled in; problems stand beside their fields."""

    def fields(table: str, before: str, keys: Sequence[str]) -> tuple[FormField, ...]:
        return tuple(
            FormField(
                name=before + key,
                value=filled.get(before + key, ""),
                problems=tuple(problem for problem in problems if problem.field == before + key),
                meaning=column.means if (column := TABLES[table].get(key)) else "",
                choices=_choices(key, column),
            )
            for key in keys
        )

    def part(table: str, before: str, parts: Sequence[FormPart] = ()) -> FormPart:
        usual, rare, texts = report_form.KEYS[table]
        return FormPart(
            name=before.rstrip(".").rpartition(".")[2],
            fields=fields(table, before, usual),
            rare_fields=fields(table, before, rare),
            texts=fields(table, before, texts),
            parts=tuple(parts),
            filled=any(name.startswith(before) for name in filled),
        )

    numbers = report_form.events_of(filled)
    one_more = [numbers[-1] + 1] if numbers[-1] + 1 < report_form.MOST_EVENTS else []
    visible = numbers if numbers == [0] and not filled else [*numbers, *one_more]
    events = [
        part("events", f"{number}.", [part("flights", f"{number}.{flight}.") for flight in FLIGHTS])
        for number in visible
    ]
    return part("tournaments", "", events)


def _choices(key: str, column: Column | None) -> tuple[str, ...]:
    """What may be chosen in a field; nothing: anything may be typed."""
    if column is None:
        return ()
    if column.kind == "flag":
        return ("true", "false")
    return choices_of(key, column) or words_of(key, regulations().values())
