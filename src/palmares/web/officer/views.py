"""What officers see: the inbox, a report in review, a decision, rows of reports, duplicates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Annotated, Any

import msgspec
import polars as pl
from litestar.exceptions import NotFoundException
from litestar.params import QueryParameter

from palmares.core.errors import Refused
from palmares.core.messages import msg, plural
from palmares.facts.schema import KEYS, REPORT_TABLES, TABLES
from palmares.journal import log
from palmares.journal.commands.catalogue import Field
from palmares.journal.commands.decisions import report_of
from palmares.journal.identity.duplicates import PossibleDuplicate, suggestions
from palmares.journal.identity.register import Register, SearchResult, search_players
from palmares.journal.projection.bodies import cell, matching_rows, player_ids, with_overrides
from palmares.journal.projection.project import Projection
from palmares.journal.store.entries import Tables, tables_of, timestamp
from palmares.journal.store.journal import Reader
from palmares.lists.figures.rows import shared_places
from palmares.render.entries import all_names, player_names
from palmares.web.database import day_of
from palmares.web.http.errors import ShownProblem
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request, Snapshot, cached
from palmares.web.officer.decisions import DECISIONS, GROUPS, Proposal, Typed, proposals
from palmares.web.officer.recording import (
    NO_SUCH_REPORT,
    JournalEntry,
    LogRow,
    Preview,
    as_officer,
    for_officers,
    log_rows,
    outcome,
    preview_of,
    problem_for_officers,
)
from palmares.web.shared.names import extended
from palmares.web.shared.notes import Note, open_notes
from palmares.web.shared.parameters import TournamentId
from palmares.web.submissions import parse, submissions
from palmares.web.submissions.parse import ParsedReport
from palmares.web.submissions.preview import ReportPreview
from palmares.web.submissions.report_page import SubmissionPage, submission_page
from palmares.web.submissions.steps import (
    NOTHING_TO_RECORD,
    SUBMITTED_STATES,
    cached_preview,
    owns,
    preview_key,
)
from palmares.web.submissions.submissions import Submission, report_row

MOST_TRIED = 10
"""Reports that are tried for the inbox; the others are tried when they are opened."""
_NOTE = 80
"""Characters of a note that the inbox shows."""


# ── what a report would do ───────────────────────────────────────────────────────────────────────


Tried = tuple[ParsedReport, ReportPreview, Preview | None]
"""A report as it is read, what it would do, and the same to approve; none: it cannot be."""


def try_report(request: Request, report: Submission) -> Tried:
    """A dry run of recording a report; cached until the journal grows."""
    app_state, by = request.app_state, as_officer(request)
    snapshot = app_state.snapshot()

    def make() -> Tried:
        reading, report_preview = cached_preview(request, report)
        preview = None
        if report_preview.entries and report_preview.ready:
            names = {**all_names(snapshot.projection), **report_preview.names}
            own = [msgspec.structs.replace(entry, author=by.name, role=by.role)
                   for entry in report_preview.entries]  # fmt: skip
            preview = preview_of(
                app_state, own, names, report_preview.notices, report_preview.points,
                snapshot.projection.state,
            )  # fmt: skip
        elif report_preview.entries is not None and not report_preview.entries:
            report_preview = replace(report_preview, refusal=NOTHING_TO_RECORD)
        return reading, report_preview, preview

    return snapshot.once(("tried report", *preview_key(request, report), by), make)


# ── the inbox ────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxItem:
    """Something that waits for an officer."""

    group: str  # reports, players, publish
    title: str
    address: str
    sender: str  # empty: the site itself
    needs: tuple[str, ...]  # what there is to know or to do
    since: date | None
    many: int | None  # of what there are several behind it


def inbox(request: Request) -> tuple[InboxItem, ...]:
    """Everything that waits, by group, the newest first."""
    with request.app_state.database.reading() as connection:
        waiting = submissions.waiting_reports(connection)[::-1]
        notes = open_notes(connection)[::-1]
        proposed = proposals(connection)
    reports = [
        InboxItem(
            group="reports",
            title=row.title,
            address=to.queued_report(row.id),
            sender=row.author,
            needs=_needs(*try_report(request, report)) if at < MOST_TRIED else (),
            since=row.updated,
            many=None,
        )
        for at, report in enumerate(waiting)
        for row in (report_row(report),)
    ]
    own, others = msg("Waits for another officer"), msg("Needs your approval")
    lists = [
        InboxItem(
            group="publish",
            title=proposal.title,
            address=to.decision("publish", proposal=proposal.id),
            sender=proposal.author,
            needs=(own if proposal.account == request.user.id else others,),
            since=day_of(proposal.created),
            many=None,
        )
        for proposal in proposed
    ]
    return (*reports, *_duplicates(request.app_state), *map(_written, notes), *lists)


def _written(note: Note) -> InboxItem:
    """A mistake that a reader reported, or a message about a report."""
    about = note.submission
    return InboxItem(
        group="players" if about is None else "reports",
        title=msg("Mistake reported") if about is None else msg("Message"),
        address=to.notes() if about is None else to.queued_report(about),
        sender=note.author or "",
        needs=(note.text[:_NOTE],),
        since=date.fromisoformat(note.at[:10]),
        many=None,
    )


def _needs(
    reading: ParsedReport, report_preview: ReportPreview, preview: Preview | None
) -> tuple[str, ...]:
    """What an officer has to do about a report, or what it would do."""
    if reading.facts is None:
        return (msg("cannot be read"),)
    if names := sum(person.unsettled for person in report_preview.people):
        return (plural("%(many)s name to settle", "%(many)s names to settle", names),)
    if preview is None:
        return (msg("cannot be recorded yet"),)
    shown = {row.player_id for change in preview.changes for row in change.rows}
    players = len(shown) + sum(change.more for change in preview.changes)
    points = (
        plural("points for %(many)s player", "points for %(many)s players", players)
        if players
        else msg("no points")
    )
    waits = any(change.waiting for change in preview.changes)
    return (points, msg("an event will wait")) if waits else (points,)


def _duplicates(app_state: AppState) -> list[InboxItem]:
    pairs = possible_duplicates(app_state.snapshot(), app_state)
    return [
        InboxItem(
            group="players",
            title=msg("Possible duplicates"),
            address=to.duplicates(),
            sender="",
            needs=(msg("%(one)s, %(other)s", one=str(pair.form), other=str(pair.other_form)),),
            since=None,
            many=len(pairs),
        )
        for pair in pairs[:1]
    ]


@cached
def possible_duplicates(snapshot: Snapshot, app_state: AppState) -> list[PossibleDuplicate]:
    """Pairs that are neither merged nor kept apart; the likeliest first."""
    return app_state.read(lambda reader: suggestions(Register.of(snapshot.projection, reader)))


# ── the queue and the review ─────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingPage(SubmissionPage):
    """A report as an officer sees it, with all that it would do."""

    needs: tuple[str, ...]  # what it would do, or what there is to do; none: it does not wait
    erased: int | None  # the entry with whose erasure its text was thrown away
    reason: str | None  # why it was returned or rejected
    preview: Preview | None  # what would be recorded; none: it does not wait, or cannot be approved
    own_report: bool  # the officer who sees it submitted it
    inbox: tuple[InboxItem, ...]
    outcome: tuple[JournalEntry, ...]  # what the decision before recorded
    note: str = ""  # what was done before without an entry: returned, rejected


def review_page(
    request: Request,
    report: Submission,
    *,
    done: int | None = None,
    with_inbox: bool = True,
    **more: Any,
) -> WaitingPage:
    """A report as an officer sees it, with all that it would do and *more* fields.

    Raises:
        NotFoundException: its director took it back meanwhile.
    """
    if report.state not in SUBMITTED_STATES:
        raise NotFoundException(NO_SUCH_REPORT)
    page = submission_page(request, report)
    tried = try_report(request, report) if report.state == "submitted" else None
    preview = tried[2] if tried else None
    if preview is not None:
        preview = replace(preview, notices=tuple(map(problem_for_officers, preview.notices)))
    return extended(
        WaitingPage,
        page,
        record_problems=tuple(map(problem_for_officers, page.record_problems)),
        refusal=for_officers(tried[1].refusal) if tried else "",
        needs=_needs(*tried) if tried else (),
        erased=parse.erased_by(report.format, report.content),
        preview=preview,
        own_report=owns(request, report),
        inbox=inbox(request) if with_inbox else (),
        outcome=outcome(request.app_state, done),
        **{"reason": report.reason, **more},
    )


LATEST = 5
"""Entries that the desk shows."""

Done = Annotated[
    int | None,
    QueryParameter(description="The last entry of a decision: what it did is said.", ge=1),
]
FirstDone = Annotated[
    int | None,
    QueryParameter(description="The first entry of that decision, where it has several.", ge=1),
]
AboutNote = Annotated[
    str, QueryParameter(description="What was done before without an entry: it is said.")
]
PairNumber = Annotated[
    int, QueryParameter(description="Which pair is shown with evidence, from 1.", ge=1)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionForm:
    """Something that an officer decides, and its fields."""

    name: str
    title: str
    about: str
    fields: tuple[Field, ...]


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
class DecisionPage(DecisionForm):
    """A form; what it would record, once it is filled in."""

    values: Typed  # as they were typed, by field
    preview: Preview | None = None
    problem: str | None = None
    problems: tuple[ShownProblem, ...] = ()
    edited: EditedValue | None = None  # where one value of a report is edited
    second: bool = False  # whether a second officer has to approve it
    proposal: Proposal | None = None  # of another officer, or of one's own
    own_proposal: bool = False
    changed_since: str = ""  # when it was proposed, where entries were recorded since


@dataclass(frozen=True, slots=True, kw_only=True)
class OfficerPage:
    """The inbox, every decision by group, and what was recorded last."""

    inbox: tuple[InboxItem, ...]
    groups: Mapping[str, tuple[DecisionForm, ...]]  # by title
    latest: tuple[LogRow, ...]
    outcome: tuple[JournalEntry, ...]  # what the decision before recorded
    note: str  # what was done just now without an entry: proposed, withdrawn, returned, rejected


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


def officer_page(
    request: Request, done: Done = None, first: FirstDone = None, note: AboutNote = ""
) -> OfficerPage:
    """What waits for an officer, by group, the decisions there are, and the latest entries."""
    return OfficerPage(
        inbox=inbox(request),
        groups={
            title: tuple(extended(DecisionForm, DECISIONS[name], name=name) for name in names)
            for title, names in GROUPS.items()
        },
        latest=log_rows(request.app_state, log.LogQuery(limit=LATEST)),
        outcome=outcome(request.app_state, done, first),
        note=note,
    )


def decision_page(app_state: AppState, name: str, typed: Typed, **more: Any) -> DecisionPage:
    """The form of a decision as it is filled in; `more` are further fields of the page."""
    decision = DECISIONS[name]
    return extended(
        DecisionPage,
        decision,
        name=name,
        values={field.name: typed.get(field.name, "") for field in decision.fields},
        edited=_edited_value(app_state, typed) if name == "override" else None,
        changed_since=_changed_since(app_state, more.get("proposal")),
        **more,
    )


def _changed_since(app_state: AppState, proposal: Proposal | None) -> str:
    """When a list was proposed, where entries were recorded since; empty: none were."""
    if proposal is None:
        return ""
    second = proposal.created + 1  # proposals know whole seconds only
    proposed = timestamp(datetime.fromtimestamp(second, UTC))
    return proposed if app_state.snapshot().projection.state.recorded_at > proposed else ""


def _edited_value(app_state: AppState, typed: Typed) -> EditedValue | None:
    """The value that the table, the row and the column of a form name; none if they name none."""
    projection = app_state.snapshot().projection
    tournament, table, column = (typed.get(key, "") for key in ("tournament", "table", "column"))
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
    names = all_names(projection)
    about = TABLES[table][column]
    return EditedValue(
        tournament=tables["tournaments"]["name"][0],
        row=", ".join(names.get(text, text) for text in cells.values() if text != tournament),
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
    overrides = projection.state.overrides(tournament)
    return with_overrides(tables_of(app_state.read(Reader.entry, sequence)), overrides)


# ── rows of a report ─────────────────────────────────────────────────────────────────────────────


def cells_page(app_state: AppState, tournament: TournamentId) -> CellsPage:
    """The rows of a tournament's report, as they count now.

    A row's `key` is how an `override` names it.

    Raises:
        NotFoundException: there is no report of it.
    """
    projection = app_state.snapshot().projection
    try:
        tables = _tables_of(app_state, projection, tournament)
    except Refused as error:
        raise NotFoundException(str(error)) from None
    names = player_names(projection)
    return CellsPage(
        tournament=tournament,
        tables=tuple(_table(name, columns) for name, columns in tables.items() if columns),
        names={id_: names[id_] for id_ in sorted(player_ids(tables)) if id_ in names},
    )


def _table(name: str, columns: Mapping[str, Sequence[Any]]) -> CellTable:
    rows = []
    for values in zip(*columns.values(), strict=True):
        cells = dict(zip(columns, values, strict=True))
        key = [f"{column} = {cells[column]}" for column in KEYS[name] if column in cells]
        rows.append(CellRow(key="\n".join(key), cells=tuple(map(_cell, values))))
    return CellTable(table=name, columns=tuple(columns), rows=tuple(rows))


def _cell(value: Any) -> str:
    """A cell as a report would have it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


# ── possible duplicates ──────────────────────────────────────────────────────────────────────────

PAIRS = 50
"""Pairs that are listed."""
LATEST_RESULTS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerResult:
    """A player's place in a tournament."""

    tournament_id: str
    tournament: str
    day: date
    rank: int | None
    tied: int  # who share the place, with them


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerEvidence:
    """One of the two players of a possible duplicate."""

    player: SearchResult
    latest: tuple[PlayerResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DuplicatesPage:
    """Pairs that are neither merged nor kept apart; the likeliest first."""

    pairs: tuple[PossibleDuplicate, ...]
    more: int
    number: int = 0  # of the pair that is shown side by side, from 1; 0: there is none
    evidence: tuple[PlayerEvidence, ...] = ()  # of the two
    outcome: tuple[JournalEntry, ...] = ()  # what the decision before recorded


def duplicates_page(app_state: AppState, pair: PairNumber = 1, done: Done = None) -> DuplicatesPage:
    """Possible duplicates that are neither merged nor kept apart; the likeliest first.

    Of one pair, the first where there are not so many, `evidence` says what is known of both
    players.
    """
    snapshot = app_state.snapshot()
    every = possible_duplicates(snapshot, app_state)
    pairs = tuple(every[:PAIRS])
    if not pairs:
        return DuplicatesPage(pairs=(), more=0, outcome=outcome(app_state, done))
    number = pair if pair <= len(pairs) else 1
    ids = (pairs[number - 1].player, pairs[number - 1].other)
    with app_state.journal.reading() as reader:
        register = Register.of(snapshot.projection, reader)
        players = [search_players(register, id_, limit=1)[0] for id_ in ids]
    return DuplicatesPage(
        pairs=pairs,
        more=max(0, len(every) - PAIRS),
        number=number,
        evidence=tuple(
            PlayerEvidence(player=player, latest=_latest(snapshot, player.player_id))
            for player in players
        ),
        outcome=outcome(app_state, done),
    )


def _latest(snapshot: Snapshot, player: str) -> tuple[PlayerResult, ...]:
    """A player's last places, the latest first."""
    facts = snapshot.facts
    tournaments = facts["tournaments"].select(
        "tournament_id", pl.col("name").alias("tournament"), pl.col("end_date").alias("day")
    )
    rows = (
        facts["placings"]
        .filter(pl.col("player_id") == player)
        .join(facts["events"].select("event_id", "tournament_id"), on="event_id")
        .join(tournaments, on="tournament_id")
        .sort("day", "tournament_id", descending=[True, False])
        .head(LATEST_RESULTS)
    )
    places = shared_places(facts["placings"], rows["event_id"], {player})
    flights = rows.select("event_id", pl.col("flight").fill_null("main")).rows()
    return tuple(
        PlayerResult(**row, tied=places[player, *flight][1])
        for row, flight in zip(
            rows.select("tournament_id", "tournament", "day", "rank").iter_rows(named=True),
            flights,
            strict=True,
        )
    )
