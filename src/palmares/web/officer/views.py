"""The officer's desk: decisions as forms, the queue, the log, and what may need a decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

import msgspec
from litestar.exceptions import NotFoundException

from palmares.core.errors import FactsRejected, Refused
from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.facts.schema import KEYS, REPORT_TABLES, TABLES
from palmares.journal import log
from palmares.journal.commands.catalogue import Field, columns_of_reports
from palmares.journal.commands.decisions import FINAL, report_of
from palmares.journal.identity.duplicates import suggestions
from palmares.journal.identity.register import Register
from palmares.journal.projection.bodies import cell, matching_rows, player_ids, with_overrides
from palmares.journal.projection.project import Projection
from palmares.journal.store.entries import KINDS
from palmares.journal.store.kinds import Tables, tables_of
from palmares.journal.store.verify import verify
from palmares.render.entries import describe_entry, player_names
from palmares.web.http.errors import Problem, as_shown
from palmares.web.http.state import AppState
from palmares.web.officer.decisions import DECISIONS, Typed
from palmares.web.officer.preview import LogRow, Preview, links_of, log_row, preview
from palmares.web.services import (
    HANDED_IN,
    NONE,
    RequestContext,
    for_officers,
    problem_for_officers,
)
from palmares.web.shared.notes import count_open
from palmares.web.shared.standings import ReportedStandings, reported_standings
from palmares.web.submissions import parse, report_form, submissions
from palmares.web.submissions.parse import FORM, ReportProblem
from palmares.web.submissions.preview import agreed, to_come
from palmares.web.submissions.submissions import ReportRow, Submission, row_fields
from palmares.web.tables import day_of

LATEST = 5
"""Entries that the desk shows."""
_MOST = 2**62
PAIRS = 50
"""Pairs on the page of those who may be one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A decision that can be taken."""

    name: str
    title: str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledField:
    """A field as it is filled in."""

    field: Field
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EditedValue:
    """The value of a report that is edited."""

    tournament: str  # its name
    row: str  # the cells by which it is found, with names of players
    meaning: str  # of the column
    value: str
    kind: str  # of the column: date, whole, decimal, choice, flag, text …
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionPage(Choice):
    """A form; what it would record, once it is filled in."""

    fields: tuple[FilledField, ...]
    preview: Preview | None = None
    problem: str | None = None
    problems: tuple[Problem, ...] = ()
    shown_before: str | None = None  # what was shown before, where it would be otherwise now
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of a report, by table
    edited: EditedValue | None = None  # where one value of a report is edited


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficerPage:
    """The desk."""

    waiting: int  # reports that wait
    notes: int  # mistakes that readers report
    decisions: tuple[Choice, ...]
    latest: tuple[LogRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entries:
    """Entries of the journal, the newest first."""

    items: tuple[LogRow, ...]
    next: str | None  # the address of the next ones; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPage(Entries):
    """The same with the form that narrows them."""

    query: log.LogQuery
    kinds: tuple[str, ...] = tuple(KINDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalEntry(LogRow):
    """One entry of the journal, whole."""

    key: str | None  # of the program that sent it
    body: str  # canonical JSON (RFC 8785), as it went into the hash
    previous: str  # the hash of the entry before
    hash: str
    can_undo: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalVerification:
    """Whether the chain holds."""

    entries: int
    head: str
    names: int
    erased: int
    absent: int
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatePair:
    """Two players who may be one; the first came first."""

    player_id: str
    player: str
    other_id: str
    other: str
    score: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatesPage:
    """Pairs that nobody has merged or kept apart, best first."""

    pairs: tuple[DuplicatePair, ...]
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CellRow:
    """A row of a report: how it is found again, and its cells."""

    key: str  # "event_id = e1", line by line
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellTable:
    """A table of a report."""

    table: str
    columns: tuple[str, ...]
    rows: tuple[CellRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellsPage:
    """The report of a tournament, as it counts now."""

    tournament: str
    tables: tuple[CellTable, ...]
    names: Mapping[str, str]  # of the players in it, by id


def officer_page(app_state: AppState) -> OfficerPage:
    """The desk of an officer."""
    with app_state.journal.database.reading() as connection:
        waiting = len(submissions.waiting(connection))
        notes = count_open(connection)
    return OfficerPage(
        waiting=waiting,
        notes=notes,
        decisions=tuple(
            Choice(name=name, title=one.title, about=one.about) for name, one in DECISIONS.items()
        ),
        latest=log_rows(app_state, log.LogQuery(limit=LATEST)),
    )


def decision_page(app_state: AppState, name: str, typed: Typed, **more: Any) -> DecisionPage:
    """A form as it is filled in, and what is said of it."""
    one = DECISIONS[name]
    filled = tuple(FilledField(field=each, value=typed.get(each.name, "")) for each in one.fields)
    chooses = any(each.name == "column" for each in one.fields)
    columns = columns_of_reports() if chooses else {}
    edited = _edited_value(app_state, typed) if name == "override" else None
    return DecisionPage(
        name=name,
        title=one.title,
        about=one.about,
        fields=filled,
        columns=columns,
        edited=edited,
        **more,
    )


def _edited_value(app_state: AppState, typed: Typed) -> EditedValue | None:
    """The value that the table, the row and the column of a form name; none if they name none."""
    projection = app_state.snapshot(at_once=True).projection
    tournament, table, column = (typed.get(one, "") for one in ("tournament", "table", "column"))
    if table not in REPORT_TABLES or column not in TABLES[table] or column in KEYS[table]:
        return None
    cells = dict(line.split(" = ", 1) for line in typed["row"].splitlines() if " = " in line)
    try:
        tables = _tables_of(app_state, projection, tournament)
    except Refused:
        return None
    places = matching_rows(tables.get(table, {}), cells)
    if len(places) != 1:
        return None
    names, about = player_names(projection), TABLES[table][column]
    return EditedValue(
        tournament=tables["tournaments"]["name"][0],
        row=", ".join(names.get(one, one) for one in cells.values() if one != tournament),
        meaning=about.means,
        value=_cell(cell(tables[table], column, places[0])),
        kind=about.kind,
        choices=("true", "false") if about.kind == "flag" else about.choices,
    )


def _tables_of(app_state: AppState, projection: Projection, tournament: str) -> Tables:
    """The tables of a tournament's report, as they count now.

    Raises:
        Refused: there is no report of it.
    """
    sequence = report_of(projection.state, tournament)
    with app_state.journal.reading() as reader:
        overrides = projection.state.overrides(tournament)
        return with_overrides(tables_of(reader.entry(sequence)), overrides)


# ── the log ──────────────────────────────────────────────────────────────────────────────────────


def log_rows(app_state: AppState, asked: log.LogQuery) -> tuple[LogRow, ...]:
    """Entries of the journal, the newest first."""
    with app_state.journal.reading() as reader:
        entries = log.newest_entries(reader, asked)
        names = log.names_in_entries(reader, entries)
    return tuple(log_row(entry, names) for entry in entries)


def entry_page(app_state: AppState, sequence: int) -> JournalEntry:
    """One entry, whole.

    Raises:
        NotFoundException: there is none.
    """
    state = app_state.snapshot(at_once=True).projection.state
    with app_state.journal.reading() as reader:
        try:
            entry = reader.entry(sequence if sequence < _MOST else 0)
        except Refused:
            raise NotFoundException(
                msg("There is no entry %(sequence)s.", sequence=str(sequence))
            ) from None
        names = log.names_in_entries(reader, [entry])
    return JournalEntry(
        **msgspec.structs.asdict(entry),
        words=describe_entry(entry, names),
        links=links_of(entry),
        can_undo=entry.kind not in FINAL and not state.is_undone(entry.sequence),
    )


def verified_page(app_state: AppState) -> JournalVerification:
    """Whether the chain holds; every entry is hashed anew."""
    with app_state.journal.reading() as reader:
        head = reader.head()
        try:
            found = verify(reader)
        except FactsRejected as rejected:
            return JournalVerification(
                entries=head.sequence, head=head.hash, names=0, erased=0, absent=0,
                problems=as_shown(rejected.problems),
            )  # fmt: skip
    return JournalVerification(
        entries=found.head.sequence,
        head=found.head.hash,
        names=found.names,
        erased=found.erased,
        absent=found.absent,
    )


# ── players who may be one; rows of a report ─────────────────────────────────────────────────────


def alike_page(app_state: AppState) -> DuplicatesPage:
    """Players who may be one, and whom nobody has merged or kept apart."""
    snapshot = app_state.snapshot(at_once=True)
    with app_state.journal.reading() as reader:
        register = Register.of(snapshot.projection, reader)
        return snapshot.once("players who may be one", lambda: _pairs(register))


def _pairs(register: Register) -> DuplicatesPage:
    found = suggestions(register)
    return DuplicatesPage(
        pairs=tuple(
            DuplicatePair(
                player_id=one.player,
                player=str(one.form),
                other_id=one.other,
                other=str(one.other_form),
                score=one.score,
                why=one.why,
            )
            for one in found[:PAIRS]
        ),
        more=max(0, len(found) - PAIRS),
    )


def cells_page(app_state: AppState, tournament: str) -> CellsPage:
    """The rows of a report as they count now, each with the cells by which it is found again.

    Raises:
        NotFoundException: there is no report of it.
    """
    projection = app_state.snapshot(at_once=True).projection
    try:
        tables = _tables_of(app_state, projection, tournament)
    except Refused as error:
        raise NotFoundException(str(error)) from None
    names = player_names(projection)
    return CellsPage(
        tournament=tournament,
        tables=tuple(_table(name, columns) for name, columns in tables.items() if columns),
        names={one: names[one] for one in sorted(player_ids(tables)) if one in names},
    )


def _table(name: str, columns: Mapping[str, Sequence[Any]]) -> CellTable:
    length = max(len(one) for one in columns.values())
    rows = []
    for place in range(length):
        cells = {each: column[place] for each, column in columns.items()}
        key = [
            f"{each} = {cells[each]}" for each in KEYS[name] if cells.get(each) is not None
        ]  # fmt: skip
        rows.append(CellRow(key="\n".join(key), cells=tuple(map(_cell, cells.values()))))
    return CellTable(table=name, columns=tuple(columns), rows=tuple(rows))


def _cell(value: Any) -> str:
    """A cell as a report would have it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


LOOKED_AT = 10
"""So many of the queue are tried for its page; the others when they are opened."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwardedPoints:
    """What a regulation would award; in nanopoints."""

    title: str
    players: int
    change: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow(ReportRow):
    """A report that waits."""

    since: date
    awards: tuple[AwardedPoints, ...] | None  # none: not looked at yet, or it cannot be recorded
    waiting: tuple[str, ...]  # regulations for which an event of it would wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """Reports that wait for an officer, the oldest first."""

    items: tuple[QueueRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPage:
    """One report, with all that it would do."""

    report: QueueRow
    version: int
    filename: str
    text: str | None  # none: a workbook, or thrown away
    erased: int | None  # the entry with whose erasure its text was thrown away
    reason: str | None  # why it was returned
    entry: int | None  # of the journal, once it is approved
    report_problems: tuple[ReportProblem, ...]  # what cannot be read
    preview: Preview | None = None
    problem: str | None = None
    problems: tuple[Problem, ...] = ()
    shown_before: str | None = None  # what was shown before, where it would be otherwise now
    standings: tuple[ReportedStandings, ...] = ()  # of bridge teams
    own_report: bool = False  # handed in by the one who looks at it


def queue_page(by: RequestContext) -> Queue:
    """All that wait, the oldest first; the first of them with what they would award."""
    with by.app_state.journal.database.reading() as connection:
        waiting = submissions.waiting(connection)
    looked = [(one, _glance(by, one)) for one in waiting[:LOOKED_AT]]
    rows = [*looked, *((one, None) for one in waiting[LOOKED_AT:])]
    return Queue(items=tuple(_row(one, found) for one, found in rows))


def _glance(by: RequestContext, one: Submission) -> Preview | None:
    """What a report would do; nothing where it cannot be recorded. Kept until the journal grows."""

    def look() -> Preview | None:
        facts = submissions.parsed(one).facts
        try:
            return None if facts is None else preview(by.app_state, by.officer, agreed(facts, one))
        except (FactsRejected, Refused):
            return None

    snapshot = by.app_state.snapshot(at_once=True)
    return snapshot.once(("what a report would do", one.id, one.version), look)


def waiting_page(
    by: RequestContext, one: Submission, problem: str | None = None, shown: str | None = None
) -> WaitingPage:
    """A report as an officer sees it, with all that it would do.

    Raises:
        NotFoundException: its director took it back meanwhile.
    """
    if one.state not in HANDED_IN:
        raise NotFoundException(NONE)
    text = parse.as_text(one.format, one.content)
    if one.format == FORM:
        text = report_form.written(report_form.decoded(one.content)).text
    page = WaitingPage(
        report=_row(one, None),
        version=one.version,
        filename=one.filename,
        text=text,
        erased=parse.erased_by(one.format, one.content),
        reason=one.reason,
        entry=one.entry,
        report_problems=(),
        problem=problem,
        shown_before=shown,
        own_report=by.owns(one),
    )
    return _tried(by, one, page) if one.state == "submitted" else page


def _tried(by: RequestContext, one: Submission, page: WaitingPage) -> WaitingPage:
    """The page with what the report would do, or what is wrong with it."""
    read = submissions.parsed(one)
    if read.facts is None:
        return replace(page, report_problems=read.problems[: parse.MOST])
    try:
        found = preview(by.app_state, by.officer, agreed(read.facts, one))
    except FactsRejected as rejected:
        problems = as_shown(map(problem_for_officers, rejected.problems[: parse.MOST]))
        return replace(page, problem=page.problem or rejected.summary, problems=problems)
    except Refused as error:
        return replace(page, problem=page.problem or for_officers(str(error)))
    ahead = to_come(read.facts, by.app_state.today())
    notices = (*as_shown(ahead), *map(problem_for_officers, found.notices))
    found = replace(found, notices=notices)
    return replace(
        page,
        report=_row(one, found),
        preview=found,
        standings=reported_standings(read.facts),
    )


def awarded(preview: Preview) -> tuple[AwardedPoints, ...]:
    """What each regulation would award."""
    return tuple(
        AwardedPoints(
            title=change.title, players=len(change.rows) + change.more, change=change.change
        )
        for change in preview.changes
        if change.rows
    )


def _row(one: Submission, preview: Preview | None) -> QueueRow:
    return QueueRow(
        **row_fields(one),
        since=day_of(one.updated),
        awards=None if preview is None else awarded(preview),
        waiting=()
        if preview is None
        else tuple(change.title for change in preview.changes if change.waiting),
    )
