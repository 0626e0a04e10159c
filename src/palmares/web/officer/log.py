"""The journal as officers read it: entries in words, what one did, whether the chain holds."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec
import polars as pl
from litestar.exceptions import NotFoundException

from palmares.core.errors import FactsRejected, PalmaresError, Refused
from palmares.core.messages import msg
from palmares.journal import log
from palmares.journal.commands.decisions import FINAL
from palmares.journal.store.entries import KINDS, Entry, PublicationHead, body_of
from palmares.journal.store.verify import verify
from palmares.lists.live import query
from palmares.points.rankings import TOTAL, Selection
from palmares.regulations import get_regulation
from palmares.render.entries import Names, describe_entry
from palmares.web.http.errors import Problem, as_shown
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, awarding_regulations
from palmares.web.shared.names import shown_players

_MOST = 2**62


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLink:
    """A place that an entry is about."""

    label: str
    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LogRow:
    """An entry in a line."""

    sequence: int
    recorded_at: str
    author: str
    role: str
    kind: str
    subject: str
    words: str
    links: tuple[LogLink, ...]  # what it is about


def log_row(entry: Entry, names: Names) -> LogRow:
    """An entry in a line."""
    return LogRow(
        sequence=entry.sequence,
        recorded_at=entry.recorded_at,
        author=entry.author,
        role=entry.role,
        kind=entry.kind,
        subject=entry.subject,
        words=describe_entry(entry, names),
        links=links_of(entry),
    )


def links_of(entry: Entry) -> tuple[LogLink, ...]:
    """The places that an entry is about; none for what has no page of its own."""
    subject = entry.subject
    if entry.kind == "publication":
        return _of_publication(entry.sequence, body_of(entry))
    if entry.kind in ("report", "withdrawal", "override"):
        label, address = msg("the tournament"), to.tournament(subject)
    elif entry.kind in ("player", "membership", "merge"):
        label, address = msg("the player"), to.player(subject)
    elif entry.kind == "undo":
        undone = body_of(entry).undoes
        label, address = msg("entry %(entry)s", entry=str(undone)), to.entry(undone)
    else:
        return ()
    return (LogLink(label=label, address=address),)


def _of_publication(sequence: int, body: PublicationHead) -> tuple[LogLink, ...]:
    """The list as it was published; the same as it is now, where it has a page."""
    links = [LogLink(label=msg("the list as published"), address=to.publication(sequence))]
    selection = body.selection
    if selection.by == "player" and selection.kind == TOTAL:
        address = to.ranking(body.regulation, selection.as_of)
        links.append(LogLink(label=msg("the list as it is now"), address=address))
    return tuple(links)


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


def log_rows(app_state: AppState, query: log.LogQuery) -> tuple[LogRow, ...]:
    """Entries of the journal, the newest first."""
    with app_state.journal.reading() as reader:
        entries = log.newest_entries(reader, query)
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
            verified = verify(reader)
        except FactsRejected as rejected:
            return JournalVerification(
                entries=head.sequence, head=head.hash, names=0, erased=0, absent=0,
                problems=as_shown(rejected.problems),
            )  # fmt: skip
    return JournalVerification(
        entries=verified.head.sequence,
        head=verified.head.hash,
        names=verified.names,
        erased=verified.erased,
        absent=verified.absent,
    )


# ── what a decision did ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentPoints:
    """The points of a tournament under one regulation."""

    regulation: str  # its title
    players: int  # who have points of it
    leader: str  # who has most of them
    rank: int | None  # of the leader, on the list of today; none: not on it


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an entry did."""

    entry: JournalEntry
    points: tuple[TournamentPoints, ...]  # of the tournament that was reported or corrected


def outcome(app_state: AppState, entry: int | None) -> Outcome | None:
    """What an entry did, in words; none where there is no entry to speak of."""
    if entry is None or not 0 < entry <= app_state.snapshot(at_once=True).head.sequence:
        return None
    done = entry_page(app_state, entry)
    about = done.subject if done.kind in ("report", "override") else ""
    points = (_points(app_state, name, about) for name in awarding_regulations() if about)
    return Outcome(entry=done, points=tuple(each for each in points if each is not None))


def _points(app_state: AppState, regulation: str, tournament: str) -> TournamentPoints | None:
    snapshot = app_state.snapshot()
    try:
        awards = query.of_tournament(snapshot.awards(regulation), tournament)
        ranking = snapshot.ranking(regulation, Selection(as_of=app_state.today())).frame
    except PalmaresError:  # the event waits for something that is missing
        return None
    if awards.is_empty():
        return None
    sums = awards.group_by("player_id").agg(pl.col("nanopoints").sum())
    leader = str(sums.sort("nanopoints", "player_id", descending=[True, False])["player_id"][0])
    names = shown_players(snapshot).filter(pl.col("player_id") == leader)["player"]
    rank = ranking.filter(pl.col("player_id") == leader)["rank"]
    return TournamentPoints(
        regulation=get_regulation(regulation).title,
        players=sums.height,
        leader=names[0] if len(names) else leader,
        rank=rank[0] if len(rank) else None,
    )
