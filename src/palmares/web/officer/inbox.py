"""The officers' inbox: what waits for a decision, newest first, and what each needs."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from palmares.core.errors import FactsRejected, Refused
from palmares.core.messages import msg, plural
from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
from palmares.journal.identity.duplicates import PossibleDuplicate, suggestions
from palmares.journal.identity.register import Register
from palmares.web.http.routing import to
from palmares.web.http.state import AppState
from palmares.web.officer.preview import Preview, preview
from palmares.web.officer.proposals import proposals
from palmares.web.services import RequestContext
from palmares.web.shared.notes import open_notes
from palmares.web.submissions import submissions
from palmares.web.submissions.preview import agreed
from palmares.web.submissions.submissions import Submission
from palmares.web.tables import day_of

LOOKED_AT = 10
"""So many reports of the inbox are tried for its page; the others when they are opened."""
_NOTE = 80
"""Letters of a note that the inbox shows."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """What a report would do, or what keeps it from being recorded."""

    preview: Preview | None
    names: int = 0  # to settle first
    problem: str = ""  # anything else; empty: nothing


def glance(by: RequestContext, one: Submission) -> Glance:
    """What a report would do. Kept until the journal grows."""

    def look() -> Glance:
        facts = submissions.read_submission(one).facts
        if facts is None:
            return Glance(preview=None, problem=msg("cannot be read"))
        try:
            return Glance(preview=preview(by.app_state, by.officer, agreed(facts, one)))
        except FactsRejected as rejected:
            names = sum(problem.clause == POSSIBLE_DUPLICATES for problem in rejected.problems)
            return Glance(preview=None, names=names, problem=msg("cannot be recorded yet"))
        except Refused:
            return Glance(preview=None, problem=msg("cannot be recorded yet"))

    snapshot = by.app_state.snapshot(at_once=True)
    return snapshot.once(("what a report would do", one.id, one.version), look)


def inbox(by: RequestContext) -> tuple[InboxItem, ...]:
    """All that waits, by group, the newest first."""
    with by.app_state.journal.database.reading() as connection:
        waiting = submissions.waiting_reports(connection)[::-1]
        notes = open_notes(connection)[::-1]
        proposed = proposals(connection)
    reports = [_report(by, one, tried=at < LOOKED_AT) for at, one in enumerate(waiting)]
    mistakes = [
        InboxItem(
            group="players" if one.submission is None else "reports",
            title=msg("Mistake reported") if one.submission is None else msg("Message"),
            address=to.notes() if one.submission is None else to.queued_report(one.submission),
            sender=one.author or "",
            needs=(one.text[:_NOTE],),
            since=day_of(one.created),
            many=None,
        )
        for one in notes
    ]
    lists = [
        InboxItem(
            group="publish",
            title=one.title,
            address=to.decision("publish", proposal=one.id),
            sender=one.author,
            needs=(
                msg("Waits for another officer")
                if one.account == by.account.id
                else msg("Needs your approval"),
            ),
            since=day_of(one.created),
            many=None,
        )
        for one in proposed
    ]
    return (*reports, *_duplicates(by.app_state), *mistakes, *lists)


def _report(by: RequestContext, one: Submission, *, tried: bool) -> InboxItem:
    return InboxItem(
        group="reports",
        title=submissions.row_fields(one)["title"],
        address=to.queued_report(one.id),
        sender=one.author,
        needs=_needs(glance(by, one)) if tried else (),
        since=day_of(one.updated),
        many=None,
    )


def _needs(found: Glance) -> tuple[str, ...]:
    """What an officer has to do about a report, or what it would do."""
    if found.names:
        return (plural("%(many)s name to settle", "%(many)s names to settle", found.names),)
    if found.preview is None:
        return (found.problem,)
    waits = any(change.waiting for change in found.preview.changes)
    players = {row.player_id for change in found.preview.changes for row in change.rows}
    points = (
        plural("points for %(many)s player", "points for %(many)s players", len(players))
        if players
        else msg("no points")
    )
    return (points, msg("an event will wait")) if waits else (points,)


def _duplicates(app_state: AppState) -> list[InboxItem]:
    found = possible_duplicates(app_state)
    if not found:
        return []
    names = (str(found[0].form), str(found[0].other_form))
    return [
        InboxItem(
            group="players",
            title=msg("Possible duplicates"),
            address=to.duplicates(),
            sender="",
            needs=(msg("%(one)s, %(other)s", one=names[0], other=names[1]),),
            since=None,
            many=len(found),
        )
    ]


def possible_duplicates(app_state: AppState) -> list[PossibleDuplicate]:
    """Pairs that are neither merged nor kept apart; the likeliest first."""
    snapshot = app_state.snapshot(at_once=True)

    def look() -> list[PossibleDuplicate]:
        with app_state.journal.reading() as reader:
            return suggestions(Register.of(snapshot.projection, reader))

    return snapshot.once("possible duplicates", look)
