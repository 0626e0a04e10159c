"""What changed between two lists of a regulation and why; a printed list beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from litestar.exceptions import NotFoundException

from palmares.core.errors import FactsRejected, Refused
from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.facts import codes
from palmares.formats.printed_lists import read
from palmares.journal.projection.project import rewound
from palmares.journal.projection.snapshots import last_known_entry
from palmares.journal.store.journal import Reader
from palmares.lists.compare import HARMLESS, compare
from palmares.lists.diff import Change, Changes, Listing, Part, changes_between
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.regulations import get_regulation
from palmares.web.http.state import AppState, Snapshot
from palmares.web.shared.lists import (
    PublishedList,
    day_before,
    published_days,
    published_list,
)
from palmares.web.shared.names import ListAsOf, PlayerChange, extended, shown_by_id, with_name
from palmares.web.shared.parameters import PageOfList, Slice

ROWS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangesQuery:
    """Which list another one is compared with."""

    regulation: str
    as_of: date
    since: date | None = None  # the day of the other list; none: as said beside, or the list before
    known_at: str = ""  # when the other list was known
    edition: str = ""  # that the other list is made under
    published: int = 0  # the entry that published the other list


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePart:
    """A part of a player's change; the parts of a change add up to it."""

    cause: str  # of palmares.lists.diff.reasons.CAUSES
    tournament_id: str | None
    tournament: str | None
    nanopoints: Nanopoints
    note: str
    entry: int | None  # of the journal, that made the change; none: no entry did
    day: date | None  # on which it was recorded


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedPlayer(PlayerChange):
    """A player whose rank, points or name differ, and why."""

    parts: tuple[ChangePart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedList(ListAsOf, Slice):
    """Everybody who differs between two lists of one regulation, by rank on the list of the day."""

    since: date  # the day of the other list
    known_at: str  # when the other list was known; empty: now
    edition: str  # that the other list is made under; empty: each day has its own
    published: PublishedList | None  # the other list; none: it was not chosen by its publication
    official: (
        int | None
    )  # published the list of the other day, compared as known now; none: none did
    editions: tuple[str, ...]  # to choose from
    players: int  # on either list
    changed: int
    items: tuple[ChangedPlayer, ...]


def list_changes(
    app_state: AppState, snapshot: Snapshot, query: ChangesQuery, today: date, rows: PageOfList
) -> ChangedList:
    """What changed from another list to the list of a day, and why.

    Raises:
        NotFoundException: that entry published no list of players of this regulation.
        Refused: the edition is none of the regulation, or nothing was known at such a time.
    """
    published = published_list(snapshot, query.published) if query.published else None
    since = _day_of_other(snapshot, query, published, today)
    question = Question(regulation=query.regulation)

    def make(reader: Reader) -> Changes:
        kept, now = snapshot.awards(query.regulation), snapshot.projection
        last = Listing(
            question=question, projection=now, selection=Selection(as_of=query.as_of), kept=kept
        )
        known_at = query.known_at or None
        entry = published.last_entry if published else last_known_entry(reader, known_at)
        first = Listing(
            question=Question(regulation=query.regulation, edition=query.edition or None),
            projection=now if entry is None else rewound(now, entry, reader),
            selection=Selection(as_of=since),
        )
        return changes_between(first, last, reader)

    with app_state.journal.reading() as reader:
        every = snapshot.lists.once(("changes", query, since), lambda: make(reader))
        here, part = rows.cut(every.changes, "player_id", snapshot.head.sequence, ROWS)
        shown = every.of(reader, here["player_id"]) if len(here) else ()
    return ChangedList(
        **part,
        regulation=query.regulation,
        title=get_regulation(query.regulation).title,
        as_of=query.as_of,
        since=since,
        known_at="" if published else query.known_at,
        edition=query.edition,
        published=published,
        official=_official_beside(snapshot, query, since),
        editions=tuple(rules.edition.id for rules in question.rulebook().all),
        players=every.players,
        changed=every.changes.height,
        items=tuple(_changed_players(snapshot, shown)),
    )


def _day_of_other(
    snapshot: Snapshot, query: ChangesQuery, published: PublishedList | None, today: date
) -> date:
    """The day of the list that another is compared with.

    Raises:
        NotFoundException: it is no list of players of this regulation.
    """
    if published is not None:
        if not published.complete or published.regulation != query.regulation:
            raise NotFoundException(msg("No such list was published with that entry."))
        return published.as_of
    if query.since is not None:
        return query.since
    if query.known_at or query.edition:
        return query.as_of
    return day_before(snapshot, query.regulation, query.as_of, today)


def _official_beside(snapshot: Snapshot, query: ChangesQuery, since: date) -> int | None:
    """The entry that published the other list, where it is compared as it is known now."""
    if query.published or query.known_at or query.edition:
        return None
    return published_days(snapshot, query.regulation).get(since)


def _changed_players(snapshot: Snapshot, changes: Sequence[Change]) -> Iterator[ChangedPlayer]:
    known = shown_by_id(snapshot, [change.player_id for change in changes])
    for change in changes:
        yield with_name(
            ChangedPlayer,
            snapshot,
            change,
            known,
            rank_before=change.rank_a,
            rank=change.rank_b,
            nanopoints_before=change.nanopoints_a,
            nanopoints=change.nanopoints_b,
            change=change.nanopoints,
            parts=tuple(_change_parts(change.parts)),
        )


def _change_parts(parts: Sequence[Part]) -> Iterable[ChangePart]:
    """The parts of a change, the largest first; one for each cause, tournament and entry.

    What results lose as days pass is one part, whatever their tournaments.
    """
    grouped: dict[tuple[Any, ...], list[Part]] = {}
    for part in parts:
        fades = part.cause == "decay" and not part.note
        of = None if fades else part.tournament_id
        grouped.setdefault((part.cause, of, part.note, part.entries[-1:]), []).append(part)
    rows = [
        ChangePart(
            cause=cause,
            tournament_id=tournament,
            tournament=same[0].tournament if tournament else None,
            nanopoints=sum(part.nanopoints for part in same),
            note=note,
            entry=entries[0].sequence if entries else None,
            day=entries[0].day if entries else None,
        )
        for (cause, tournament, note, entries), same in grouped.items()
    ]
    return sorted(rows, key=lambda row: -abs(row.nanopoints))


# ── a printed list ───────────────────────────────────────────────────────────────────────────────

DECIMALS: Mapping[str, str | None] = {"": None, "point": "point", "comma": "comma"}
"""What may stand before decimals; empty: the numbers show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedRow:
    """A line of a printed list beside ours, or a player whom only our list has."""

    status: str  # of palmares.lists.compare.STATUSES
    player_id: str | None
    player: str
    nation: str | None
    line: int | None
    their_rank: int | None
    our_rank: int | None
    their_points: str  # as printed
    our_points: Nanopoints | None
    difference: Nanopoints | None  # theirs less ours
    cause: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedQuery:
    """A printed list, and the list of ours that it is compared with."""

    regulation: str
    as_of: date
    text: str  # as pasted
    decimal: str = ""  # of `DECIMALS`
    nation: str | None = None  # whose players alone are on it; none: all
    known_at: str = ""  # when ours was known; empty: now

    @property
    def code(self) -> str | None:
        """The nation by its ISO code: DEU for GER."""
        return codes.nation(self.nation or "") or self.nation


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedComparison(ListAsOf):
    """A printed list beside the list of a day."""

    nation: str | None  # whose players alone are compared; none: all
    known_at: str  # when ours was known; empty: now
    lines: int  # of the printed list
    same: int  # players with our rank and points
    below: int  # players of ours who rank below the end of the printed list
    items: tuple[ComparedRow, ...]  # those who differ


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedForm(ListAsOf):
    """The form for a printed list."""

    text: str  # as pasted
    decimal: str  # of `DECIMALS`
    nation: str | None
    nations: tuple[str, ...]  # to choose from
    known_at: str  # when ours was known; empty: now
    official: str  # known_at of the official list of the day; empty: there is none
    problems: tuple[str, ...]  # why it cannot be compared
    comparison: PrintedComparison | None  # none: nothing was pasted, or it cannot be read


def printed_comparison(
    app_state: AppState, now: Snapshot, query: PrintedQuery
) -> PrintedComparison:
    """A printed list beside the list of a day.

    Raises:
        FactsRejected, Refused: the text is no list, or there is no list of the day.
    """
    with TemporaryDirectory() as folder:
        file = Path(folder) / "list.csv"
        file.write_text(query.text, encoding="utf-8")
        printed = read(file, mark=DECIMALS.get(query.decimal))
    comparison = compare(
        Question(regulation=query.regulation),
        app_state.at(now, query.known_at).facts,
        Selection(as_of=query.as_of, nation=query.code),
        printed,
    )
    return PrintedComparison(
        regulation=query.regulation,
        title=get_regulation(query.regulation).title,
        as_of=query.as_of,
        nation=query.code,
        known_at=query.known_at,
        lines=len(printed.rows),
        same=sum(row.status == "same" for row in comparison.rows),
        below=sum(row.cause == HARMLESS for row in comparison.rows),
        items=tuple(
            extended(
                ComparedRow,
                row,
                their_points=row.theirs.text if row.theirs else "",
                difference=row.difference,
            )
            for row in comparison.rows
            if row.matters
        ),
    )


def printed_form(app_state: AppState, now: Snapshot, query: PrintedQuery) -> PrintedForm:
    """The form for a printed list, with what was pasted and how it compares."""
    comparison = None
    problems: tuple[str, ...] = ()
    try:
        if query.text.strip():
            comparison = printed_comparison(app_state, now, query)
    except FactsRejected as error:
        problems = tuple(
            msg("Line %(line)s: %(what)s", line=problem.at.line, what=problem.sentences)
            if problem.at.line
            else problem.sentences
            for problem in error.problems
        )
    except Refused as error:
        problems = (str(error),)
    ranked = now.ranking(query.regulation, Selection(as_of=query.as_of)).frame
    entry = published_days(now, query.regulation).get(query.as_of)
    return PrintedForm(
        regulation=query.regulation,
        title=get_regulation(query.regulation).title,
        as_of=query.as_of,
        text=query.text,
        decimal=query.decimal,
        nation=query.code,
        nations=tuple(sorted({*ranked["nation"].drop_nulls(), *filter(None, [query.code])})),
        known_at=query.known_at,
        official=f"#{published_list(now, entry).last_entry}" if entry else "",
        problems=problems,
        comparison=comparison,
    )
