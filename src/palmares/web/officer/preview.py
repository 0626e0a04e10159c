"""What an action would record, move and publish, as an officer sees it before it is recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from palmares.core.rounding import Nanopoints
from palmares.facts import Facts
from palmares.facts.rates import rates_needed
from palmares.journal.commands.transaction import Action, dry_run
from palmares.journal.projection.project import Delta
from palmares.journal.store.entries import Actor
from palmares.journal.store.journal import Reader
from palmares.lists import publication as publications
from palmares.lists.impact import effects
from palmares.lists.publication import KIND, Publication, manifests
from palmares.regulations import get_regulation, money_disciplines
from palmares.render.entries import player_names
from palmares.web.http.errors import Problem, as_shown
from palmares.web.http.state import AppState, Snapshot
from palmares.web.officer.log import LogRow, log_row
from palmares.web.services import NOTHING_TO_RECORD, NothingToRecord, digest
from palmares.web.shared.lists import (
    ListChanges,
    ListOfRecord,
    PublicationRow,
    fields_of,
    list_step,
    publication_rows,
)
from palmares.web.submissions.preview import PlayerChange, RegulationOutcome, outcome_of

FIRST = 10
"""Rows that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationPreviewRow:
    """A row of a list that would be published."""

    row: PublicationRow
    previous_rank: int | None  # the rank on the list before; none: not on it, or there is none


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationPreview(ListOfRecord):
    """A list that would be published."""

    known_at: str  # when that was recorded
    total_rows: int
    rows: tuple[PublicationPreviewRow, ...]  # the first of them
    previous_entry: int | None  # of the last published list of the same kind, up to that day
    previous_as_of: date | None
    changes: ListChanges | None  # from that list to this one
    warnings: tuple[Problem, ...]


def _publication_preview(
    given: Publication, snapshot: Snapshot, reader: Reader, today: date
) -> PublicationPreview:
    """A list that an action would publish, beside the last one of its kind."""
    state, frame = snapshot.projection.state, given.frame()
    similar = [
        (statement.body.selection.as_of, statement.sequence)
        for _, statement in state.all_in_force("publications")
        if _kind_of_list(statement.body) == _kind_of_list(given)
        and statement.body.selection.as_of <= given.selection.as_of
    ]
    previous_as_of, previous = max(similar, default=(None, None))
    changes, ranks = None, dict[str, int]()
    key = "player_id" if given.selection.by == "player" else "nation"
    if previous is not None:
        before = manifests.recorded_manifest(reader, previous).publication.frame()
        changes, ranks = list_step(before, frame), dict(before.select(key, "rank").iter_rows())
    return PublicationPreview(
        **fields_of(given),
        name=given.name,
        last_entry=snapshot.head.sequence,
        known_at=state.recorded_at,
        total_rows=len(frame),
        rows=tuple(
            PublicationPreviewRow(row=row, previous_rank=ranks.get(getattr(row, key) or ""))
            for row in publication_rows(snapshot, reader, frame.head(FIRST))
        ),
        previous_entry=previous,
        previous_as_of=previous_as_of,
        changes=changes,
        warnings=as_shown(publications.publish_warnings(given, today)),
    )


def _kind_of_list(body: Any) -> tuple[object, ...]:
    """What two lists of the same kind have in common."""
    selection = body.selection
    return (
        body.regulation,
        body.edition,
        body.readings.chosen,
        *(getattr(selection, name) for name in ("by", "setting", "kind", "nation", "divisions")),
        *(getattr(selection, name) is None for name in ("since", "until")),
    )


MOST_CHANGES = 500
"""Rows of points that a preview shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentChange(PlayerChange):
    """A player's points of a tournament."""

    tournament_id: str | None  # none: of a rating, which goes on
    tournament: str | None
    change: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationChanges(RegulationOutcome):
    """What one regulation makes of it, tournament by tournament."""

    title: str
    no_longer_waiting: tuple[str, ...]  # events that waited until now and will not
    rows: tuple[TournamentChange, ...]
    more: int  # rows that are not shown
    change: int  # what all rows come to, in nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingRate:
    """An exchange rate that is not recorded."""

    currency: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What would be recorded, and what it moves."""

    entries: tuple[LogRow, ...]
    changes: tuple[RegulationChanges, ...]
    missing_rates: tuple[MissingRate, ...]  # that have to be recorded before a regulation can say
    notices: tuple[Problem, ...]
    digest: str  # the digest of the statements
    lists: tuple[PublicationPreview, ...] = ()  # that would be published


NOTHING = Preview(entries=(), changes=(), missing_rates=(), notices=(), digest=digest(()))
"""Where there is nothing to record."""


def preview(app_state: AppState, by: Actor, action: Action) -> Preview:
    """What an action would put down, in words, and the points and ranks that it would move.

    Raises:
        NothingToRecord: there is nothing to record.
        Refused: the action refuses.
        FactsRejected: it would contradict what is recorded.
    """
    snapshot = app_state.snapshot(at_once=True)
    done = dry_run(app_state.journal, by, action, start=snapshot.projection)
    if not done.entries:
        raise NothingToRecord(NOTHING_TO_RECORD)
    names = {**player_names(done.delta.before), **player_names(done.delta.after), **done.names}
    today = app_state.today()
    changes = tuple(_changes(done.delta, snapshot, today))
    missing_rates: list[tuple[str, date]] = []
    if any(change.waiting for change in changes):
        reports = {**done.delta.rows, "rates": done.delta.after.tables["rates"]}
        missing_rates = rates_needed(Facts(reports), money_disciplines)
    lists: list[PublicationPreview] = []
    for entry in done.entries:
        if entry.kind == KIND:
            given = manifests.manifest_of_entry(entry).publication
            with app_state.journal.reading() as reader:
                lists.append(_publication_preview(given, snapshot, reader, today))
    return Preview(
        entries=tuple(log_row(entry, names) for entry in done.entries),
        changes=changes,
        missing_rates=tuple(
            MissingRate(currency=currency, day=day) for currency, day in missing_rates
        ),
        notices=as_shown(done.notices),
        digest=digest(done.entries),
        lists=tuple(lists),
    )


def _changes(delta: Delta, snapshot: Snapshot, today: date) -> Iterator[RegulationChanges]:
    """The points that every regulation changes, tournament by tournament."""
    for effect in effects(delta):
        outcome, ranks = outcome_of(effect, delta, snapshot, today)
        rows = effect.frame.head(MOST_CHANGES).drop("regulation")
        ranks = ranks.select("player_id", "rank_before", "rank_after")
        rows = rows.join(ranks, on="player_id", how="left", maintain_order="left")
        yield RegulationChanges(
            **outcome,
            title=get_regulation(effect.question.regulation).title,
            no_longer_waiting=tuple(f"{wait.event} ({wait.tournament})" for wait in effect.mended),
            rows=tuple(TournamentChange(**row) for row in rows.iter_rows(named=True)),
            more=max(0, effect.frame.height - MOST_CHANGES),
            change=int(effect.frame["change"].sum()),
        )
