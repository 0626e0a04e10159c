"""Notices of events: all of them, and one with its changes, its points at stake and its prizes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Annotated
from urllib.parse import urlencode

from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter

from palmares.core.messages import LocalNumber, msg, plural
from palmares.core.rounding import Nanopoints, money_text
from palmares.journal.projection.project import Statement
from palmares.journal.store.journal import Reader
from palmares.lists.stakes import FACTS_FORMATS, SIZES, Stake, stakes
from palmares.regulations import get_regulation
from palmares.tournaments import notice as notices_of_events
from palmares.tournaments.notice import Notice, hundredths, plain_money
from palmares.tournaments.prizes import Prize, example, rule_in_words
from palmares.tournaments.systems.matches import MAIN, Flight
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Snapshot, cached
from palmares.web.shared.names import extended

EXAMPLE = 32
"""Entrants of the field whose prizes are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeHeading:
    """What an event is, where and when."""

    name: str
    tournament: str
    place: str
    start_date: date
    end_date: date
    entry_opens: date


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRow(NoticeHeading):
    """An event whose notice was published."""

    event: str  # its id
    entry: int  # of the journal: the notice in force
    changes: int  # since the first notice


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """Every event whose notice was published, the latest event first."""

    items: tuple[NoticeRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeDivision:
    """A division: who may enter it, and what that costs."""

    name: str
    may_enter: str
    entry_fee: str  # in the currency of the event
    registration: str  # the organizer's; no part of the prizes
    added_money: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StakeLine:
    """The points for a place, or for a match won, in fields of each size."""

    flight: str
    first: int | None  # place; none: a match won
    last: int | None
    length: int | None  # of the match won
    nanopoints: tuple[Nanopoints | None, ...]  # by size of the field; none: nothing
    explanations: tuple[str, ...]  # for each, where it is explained clause by clause


@dataclass(frozen=True, slots=True, kw_only=True)
class StakeTable:
    """The points of one kind at stake in one division."""

    regulation: str
    division: str
    kind: str
    sizes: tuple[int, ...]  # entrants
    lines: tuple[StakeLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeChange:
    """A notice that was published: the first one, or a change of it."""

    entry: int
    recorded_at: str
    author: str
    reason: str  # empty: the first notice
    sha256: str
    notice: str  # canonical JSON
    after_opening: bool  # published when entry was open already


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeContent(NoticeHeading):
    """What a notice states, and what follows from it."""

    setting: str  # live | online
    how_to_enter: str
    currency: str
    format: tuple[str, ...]  # in sentences
    divisions: tuple[NoticeDivision, ...]
    departures: tuple[str, ...]  # from the rules of play
    accommodations: str
    regulations: tuple[str, ...]  # whose points are at stake
    stakes: tuple[StakeTable, ...]
    stake_problems: tuple[str, ...]  # why there are no points, or what is not known yet
    prize_rule: tuple[str, ...]  # in sentences; empty: no rule
    example_entrants: int
    example_pool: str  # how the pool comes about with so many entrants; empty: no rule
    example_prizes: tuple[Prize, ...]  # in cents


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePage:
    """The notice of an event as it is in force, and every change of it."""

    event: str
    content: NoticeContent
    changes: tuple[NoticeChange, ...]  # the latest first


def notices(snapshot: Snapshot) -> Notices:
    """Every event whose notice was published, the latest event first."""
    rows = [
        _row(event, statements)
        for event, statements in snapshot.projection.state.group("notices").items()
    ]
    return Notices(
        items=tuple(sorted(rows, key=lambda row: (-row.end_date.toordinal(), row.event)))
    )


def _row(event: str, statements: Sequence[Statement]) -> NoticeRow:
    notice = notices_of_events.recorded(statements[-1].body.notice)
    return extended(
        NoticeRow,
        notice,
        event=event,
        entry=statements[-1].sequence,
        changes=len(statements) - 1,
    )


EventId = Annotated[
    str,
    PathParameter(description="The id of an event.", examples=[Example(value="riga-open-2027")]),
]


@cached
def notice_page(snapshot: Snapshot, app_state: AppState, event: EventId) -> NoticePage:
    """The notice of an event: format, divisions, fees, prizes, points at stake, and every change.

    The points at stake are what the regulations award to made-up fields of some sizes.

    Raises:
        NotFoundException: it has no notice.
    """
    return app_state.read(_notice_page, snapshot, event)


def _notice_page(reader: Reader, snapshot: Snapshot, event: str) -> NoticePage:
    statements = snapshot.projection.state.group("notices").get(event)
    if not statements:
        raise NotFoundException(msg("This event has no notice."))
    return NoticePage(
        event=event,
        content=content_of(notices_of_events.recorded(statements[-1].body.notice)),
        changes=tuple(_change(reader, statement) for statement in reversed(statements)),
    )


def _change(reader: Reader, statement: Statement) -> NoticeChange:
    entry, body = reader.entry(statement.sequence), statement.body
    opens = notices_of_events.recorded(body.notice).entry_opens
    return NoticeChange(
        entry=statement.sequence,
        recorded_at=f"{entry.recorded_at[:19]}Z",
        author=entry.author,
        reason=body.reason or "",
        sha256=body.sha256,
        notice=body.notice,
        after_opening=entry.recorded_at[:10] >= opens.isoformat(),
    )


def content_of(notice: Notice) -> NoticeContent:
    """What a notice states; points at stake are computed for fields of some sizes."""
    at_stake = stakes(notice)
    field, paid = example(notice, EXAMPLE) if notice.prizes else (None, [])
    return extended(
        NoticeContent,
        notice,
        how_to_enter=notice.entry,
        format=tuple(_format(notice)),
        divisions=tuple(
            NoticeDivision(
                name=division.name,
                may_enter=division.may_enter,
                entry_fee=money_text(hundredths(division.entry_fee)),
                registration=money_text(hundredths(division.registration)),
                added_money=money_text(hundredths(division.added_money)),
            )
            for division in notice.divisions
        ),
        departures=tuple(notice.departures),
        regulations=tuple(notice.regulations),
        stakes=tuple(_tables(notice, at_stake.rows, at_stake.days)),
        stake_problems=at_stake.problems,
        prize_rule=tuple(rule_in_words(notice)),
        example_entrants=EXAMPLE,
        example_pool=field.why if field else "",
        example_prizes=tuple(paid),
    )


# ── the format in words ──────────────────────────────────────────────────────────────────────────

_FORMATS = {
    "knockout": msg("A knockout: who loses is out of the main."),
    "double_knockout": msg("A double knockout: who loses twice is out."),
}


def _format(notice: Notice) -> list[str]:
    if notice.format == "groups":
        first = plural(
            "%(many)s group: all of a group meet each other.",
            "%(many)s groups: all of a group meet each other.",
            notice.groups or 1,
        )
    elif notice.format == "swiss":
        first = plural(
            "A Swiss of %(many)s round: players of equal scores meet, no two twice.",
            "A Swiss of %(many)s rounds: players of equal scores meet, no two twice.",
            notice.rounds or 1,
        )
    else:
        first = _FORMATS[notice.format]
    sentences = [first]
    if notice.advance:
        sentences.append(
            plural("The best of each group goes on to a knockout.",
                   "The best %(many)s of each group go on to a knockout.", notice.advance)
        )  # fmt: skip
    feeds = {feed.name: feed for feed in notice.feeds}
    for flight in notice.flights:
        if feed := feeds.get(flight.name):
            sentences.append(
                msg("%(flight)s is for the losers of %(of)s in rounds %(rounds)s.",
                    flight=_called(flight.name), of=_called(feed.of),
                    rounds=", ".join(map(str, feed.rounds)))
            )  # fmt: skip
        sentences.append(_lengths(flight))
        if flight.designated:
            sentences.append(
                msg("The first %(many)s of %(flight)s are ranked.",
                    many=flight.designated, flight=_called(flight.name))
            )  # fmt: skip
    return sentences + ([notice.format_note] if notice.format_note else [])


def _lengths(flight: Flight) -> str:
    lengths = ", ".join(map(str, flight.lengths))
    if flight.best_of > 1:
        return msg("Matches of %(flight)s go to %(lengths)s points, round by round, best of"
                   " %(best)s.", flight=_called(flight.name), lengths=LocalNumber(lengths),
                   best=flight.best_of)  # fmt: skip
    return msg("Matches of %(flight)s go to %(lengths)s points, round by round.",
               flight=_called(flight.name), lengths=LocalNumber(lengths))  # fmt: skip


def _called(flight: str) -> str:
    return flight.replace("_", " ").capitalize()


# ── points at stake ──────────────────────────────────────────────────────────────────────────────


def _tables(notice: Notice, rows: Sequence[Stake], days: Mapping[str, date]) -> list[StakeTable]:
    """The rows by regulation, division and kind; a column for each size of a field."""
    tables: dict[tuple[str, str, str], list[Stake]] = {}
    for row in rows:
        tables.setdefault((row.regulation, row.division, row.kind), []).append(row)
    return [
        StakeTable(
            regulation=regulation, division=division, kind=kind, sizes=SIZES,
            lines=tuple(_lines(notice, own, days)),
        )
        for (regulation, division, kind), own in tables.items()
    ]  # fmt: skip


def _lines(notice: Notice, rows: Sequence[Stake], days: Mapping[str, date]) -> Iterator[StakeLine]:
    lines: dict[tuple[str, int | None, int | None], dict[int, Stake]] = {}
    for row in rows:
        lines.setdefault((row.flight, row.first, row.length), {})[row.entrants] = row
    fields = {(row.entrants, row.flight): row.flight_entrants for row in rows}
    flights = [flight.name for flight in notice.flights]
    in_order = sorted(
        lines.items(), key=lambda line: (flights.index(line[0][0]), *(n or 0 for n in line[0][1:]))
    )
    for (flight, first, length), by_size in in_order:
        cells = [by_size.get(size) for size in SIZES]
        yield StakeLine(
            flight=flight,
            first=first,
            last=max((row.last for row in by_size.values() if row.last), default=None),
            length=length,
            nanopoints=tuple(row.nanopoints if row else None for row in cells),
            explanations=tuple(
                _explanation(notice, row, fields, days[row.regulation]) if row else ""
                for row in cells
            ),
        )


def _explanation(
    notice: Notice, row: Stake, fields: Mapping[tuple[int, str], int], day: date
) -> str:
    """The address where points are explained: the calculator, or else the text."""
    calculator = get_regulation(row.regulation).calculator
    query = {"entrants": str(row.entrants), "day": day.isoformat()}
    if row.first and row.last:
        query |= {"place": str(row.first), "tied": str(row.last - row.first + 1)}
    division = notice.division(row.division)
    if calculator and calculator.name == "performance":
        payers = [each for each in notice.divisions if each.kind == "championship"]
        fees = division if division.kind != "intermediate" else payers[0]
        query |= {
            "kind": division.kind or "",
            "entry_fee": plain_money(fees.entry_fee),
            "added_money": plain_money(division.added_money),
            "currency": notice.currency,
            "flight": row.flight,
            **{flight: str(many) for (size, flight), many in fields.items()
               if size == row.entrants and flight != MAIN},
        }  # fmt: skip
    elif calculator and calculator.name == "master-points" and _is_plain(notice, row):
        query |= {
            "setting": notice.setting,
            "event_type": notice.event_type,
            "event_level": "" if notice.event_level is None else str(notice.event_level),
            "division_rank": str(notice.divisions.index(division) + 1),
            "match_length": str(row.length or ""),
            "format": FACTS_FORMATS.get(notice.format, notice.format),
        }
        query = {"place": "", "tied": "1"} | query
    else:
        return to.regulation(row.regulation)
    return f"{to.calculator(calculator.name)}?{urlencode(query)}"


def _is_plain(notice: Notice, row: Stake) -> bool:
    """Whether the calculator can give the same: no finishers are designated."""
    designated = any(flight.designated for flight in notice.flights)
    return row.length is not None or (not designated and row.flight == MAIN)
