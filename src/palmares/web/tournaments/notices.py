"""Notices of events: the list, one with its points at stake, and the form that publishes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import Annotated, Any
from urllib.parse import urlencode

from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromQuery, PathParameter

from palmares.core.errors import Refused
from palmares.core.messages import LocalNumber, begun, msg, plural, term
from palmares.core.rounding import Nanopoints
from palmares.facts.schema import FLIGHTS
from palmares.journal.commands.announcements import publish_notice
from palmares.journal.projection.project import Statement
from palmares.journal.store.journal import Reader
from palmares.lists.stakes import FACTS_FORMATS, SIZES, Stake, check_regulations, stakes
from palmares.regulations import get_regulation
from palmares.regulations.protocol import Sum
from palmares.tournaments.notice import Notice, hundredths, plain_money, recorded, state
from palmares.tournaments.prizes import Prize, example, rule_in_words
from palmares.tournaments.systems.matches import MAIN, Flight
from palmares.web.http.parameters import field, lines_of, text_of
from palmares.web.http.replies import private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request, Snapshot, awarding_regulations, cached

EXAMPLE = 32
"""Entrants of the field whose prizes are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRow:
    """An event whose notice was published."""

    entry: int  # of the journal: the notice in force
    changes: int  # since the first notice
    notice: Notice


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """Every event whose notice was published, the latest event first."""

    items: tuple[NoticeRow, ...]


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
class NoticeContent:
    """What a notice states, and what follows from it."""

    notice: Notice
    fees: tuple[tuple[int, ...], ...]  # of each division: entry, registration, added money in cents
    format: tuple[str, ...]  # in sentences
    stakes: tuple[StakeTable, ...]
    stake_problems: tuple[str, ...]  # why there are no points, or what is not known yet
    prize_rule: tuple[str, ...]  # in sentences; empty: no rule
    example_entrants: int
    example_pool: str  # how the pool comes about with so many entrants; empty: no rule
    example_prizes: tuple[Prize, ...]  # in cents


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticePage:
    """The notice of an event as it is in force, and every change of it."""

    content: NoticeContent
    changes: tuple[NoticeChange, ...]  # the latest first


def notices(snapshot: Snapshot) -> Notices:
    """Every event whose notice was published, the latest event first."""
    rows = [
        NoticeRow(
            entry=published[-1].sequence,
            changes=len(published) - 1,
            notice=recorded(published[-1].body.notice),
        )
        for published in snapshot.projection.state.group("notices").values()
    ]
    latest_first = sorted(
        rows, key=lambda row: (-row.notice.end_date.toordinal(), row.notice.event)
    )
    return Notices(items=tuple(latest_first))


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
        content=content_of(recorded(statements[-1].body.notice)),
        changes=tuple(_change(reader, statement) for statement in reversed(statements)),
    )


def _change(reader: Reader, statement: Statement) -> NoticeChange:
    entry, body = reader.entry(statement.sequence), statement.body
    opens = recorded(body.notice).entry_opens
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
    return NoticeContent(
        notice=notice,
        fees=tuple(
            tuple(map(hundredths, (each.entry_fee, each.registration, each.added_money)))
            for each in notice.divisions
        ),
        format=tuple(_format(notice)),
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
                begun(msg("%(flight)s is for the losers of %(of)s in rounds %(rounds)s.",
                          flight=term(flight.name), of=term(feed.of),
                          rounds=", ".join(map(str, feed.rounds))))
            )  # fmt: skip
        sentences.append(_lengths(flight))
        if flight.designated:
            sentences.append(
                msg("The first %(many)s of %(flight)s are ranked.",
                    many=flight.designated, flight=term(flight.name))
            )  # fmt: skip
    return sentences + ([notice.format_note] if notice.format_note else [])


def _lengths(flight: Flight) -> str:
    lengths = ", ".join(map(str, flight.lengths))
    if flight.best_of > 1:
        return msg("Matches of %(flight)s go to %(lengths)s points, round by round, best of"
                   " %(best)s.", flight=term(flight.name), lengths=LocalNumber(lengths),
                   best=flight.best_of)  # fmt: skip
    return msg("Matches of %(flight)s go to %(lengths)s points, round by round.",
               flight=term(flight.name), lengths=LocalNumber(lengths))  # fmt: skip


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


TEXTS = (
    "event", "name", "tournament", "start_date", "end_date", "place", "setting", "entry_opens",
    "entry", "currency", "event_type", "format", "format_note", "accommodations",
)  # fmt: skip
NUMBERS = ("event_level", "groups", "advance", "rounds")
RULE = ("costs_per_entrant", "costs_percent", "costs", "round_to", "remainder")
FIELDS = (*TEXTS, *NUMBERS, *RULE, "departures")
"""Fields of the form that are there once."""
DIVISION = ("name", "may_enter", "entry_fee", "registration", "added_money", "kind")
FLIGHT = ("name", "lengths", "of", "rounds", "best_of", "designated", "shares")
"""Fields of each row of the form's tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeForm:
    """The form of a notice as it is filled in."""

    fields: Mapping[str, str]
    divisions: tuple[Mapping[str, str], ...]
    flights: tuple[Mapping[str, str], ...]
    regulations: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """The values of the notice, as its file would have them."""
        document: dict[str, Any] = {name: self.fields[name] for name in TEXTS if self.fields[name]}
        document |= {name: _number(self.fields[name]) for name in NUMBERS if self.fields[name]}
        document |= {"currency": self.fields["currency"].upper()} if self.fields["currency"] else {}
        document |= {
            "flights": [
                {"name": _flight_name(row["name"]), "lengths": _numbers(row["lengths"])}
                | {name: _number(row[name]) for name in ("best_of", "designated") if row[name]}
                for row in self.flights
            ],
            "feeds": [
                {
                    "name": _flight_name(row["name"]),
                    "of": _flight_name(row["of"]),
                    "rounds": _numbers(row["rounds"]),
                }
                for row in self.flights
                if row["of"] or row["rounds"]
            ],
            "regulations": list(self.regulations),
            "departures": lines_of(self.fields["departures"]),
            "divisions": [
                {name: _number(value) for name, value in division.items() if value}
                for division in self.divisions
            ],
        }
        shares = {_flight_name(row["name"]): _numbers(row["shares"])
                  for row in self.flights if row["shares"]}  # fmt: skip
        if shares:
            rule = {name: _number(self.fields[name]) for name in RULE if self.fields[name]}
            document["prizes"] = rule | {"shares": shares}
        return document


def form_of(notice: Notice) -> NoticeForm:
    """The form of a notice that is there."""
    rule, feeds = notice.prizes, {feed.name: feed for feed in notice.feeds}
    fields = {name: str(getattr(notice, name)) for name in TEXTS}
    fields |= {name: str(getattr(notice, name) or "") for name in NUMBERS}
    fields |= {name: str(getattr(rule, name, "")) for name in RULE}
    flights = []
    for flight in notice.flights:
        feed = feeds.get(flight.name)
        row = {
            "name": flight.name,
            "lengths": flight.lengths,
            "of": feed and feed.of,
            "rounds": feed and feed.rounds,
            "best_of": flight.best_of if flight.best_of > 1 else None,
            "designated": flight.designated,
            "shares": rule and rule.shares.get(flight.name),
        }
        flights.append({name: _typed(value) for name, value in row.items()})
    return NoticeForm(
        fields=fields | {"departures": "\n".join(notice.departures)},
        divisions=tuple(
            {name: _typed(getattr(division, name)) for name in DIVISION}
            for division in notice.divisions
        ),
        flights=tuple(flights),
        regulations=tuple(notice.regulations),
    )


def _typed(value: Any) -> str:
    """A value as it is typed: numbers with spaces between them, nothing for 0 and none."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value or "")


EMPTY = NoticeForm(
    fields=dict.fromkeys(FIELDS, "")
    | {"setting": "live", "currency": "EUR", "format": "knockout", "remainder": "first",
       "round_to": "1"},
    divisions=(),
    flights=(dict.fromkeys(FLIGHT, "") | {"name": "main", "lengths": "9 11 13"},),
    regulations=(),
)  # fmt: skip
"""A form that nobody has filled in."""


def _number(text: str) -> int | str:
    """A whole number; other text as it was typed, a decimal comma as a point."""
    if re.fullmatch("[0-9]{1,9},[0-9]{1,2}", text):
        return text.replace(",", ".")
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else text


def _numbers(text: str) -> list[int | str]:
    """Numbers with spaces, commas or per cent signs between them."""
    texts = re.split(r",?[\s%]+,?[\s%]*", text.strip(" ,%"))
    return [_number(each) for each in texts if each]


def _flight_name(text: str) -> str:
    """The name of a flight: Last Chance is last_chance, as the facts have it."""
    name = "_".join(text.casefold().split())
    return name if name in FLIGHTS else "_".join(text.split())


def form_from(sent: Any, regulations: Sequence[str]) -> NoticeForm:
    """The form as it was typed; empty rows are left out.

    Args:
        sent: the form's fields as they came.
        regulations: that may be chosen.
    """

    def rows(table: str, names: Sequence[str]) -> tuple[Mapping[str, str], ...]:
        columns = ([text_of(value).strip() for value in sent.getall(f"{table}.{name}", [])]
                   for name in names)  # fmt: skip
        typed = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=False))
        return tuple(row for row in typed if any(row.values()))

    chosen = {text_of(value) for value in sent.getall("regulations", [])}
    return NoticeForm(
        fields={name: field(sent, name).strip() for name in FIELDS},
        divisions=rows("division", DIVISION),
        flights=rows("flight", FLIGHT),
        regulations=tuple(name for name in regulations if name in chosen),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeFormPage:
    """The form of a notice, and a preview of what it would publish."""

    form: NoticeForm
    regulations: dict[str, str]  # that may be chosen: title by name
    event_types: tuple[str, ...]  # of the regulations that look one up
    notices: tuple[NoticeRow, ...]  # that are published
    seen: str = ""  # hash of the notice that is changed; empty: there is none
    reason: str = ""
    problem: str | None = None
    preview: NoticeContent | None = None


# ── the desk ─────────────────────────────────────────────────────────────────────────────────────


async def notice_desk(request: Request, event: FromQuery[str] = "") -> Response[bytes]:
    """The form of a new notice, or of a change of the one of an event."""
    snapshot = await request.app_state.now()
    last = snapshot.projection.state.in_force("notices", event) if event else None
    form = form_of(recorded(last.body.notice)) if last else EMPTY
    return await private_answer(
        request, _form_page(snapshot, form, seen=last.body.sha256 if last else "")
    )


async def notice_send(request: Request) -> Response[Any]:
    """Preview a notice, or publish it."""
    sent = await request.form()
    snapshot = await request.app_state.now()
    form = form_from(sent, tuple(_regulations()))
    more = {"seen": field(sent, "seen"), "reason": field(sent, "reason").strip()}
    try:
        stated = state(form.document(), msg("The notice"))
        check_regulations(stated.notice)
        if field(sent, "step") != "publish":
            preview = await request.run_long(content_of, stated.notice)
            return await private_answer(
                request, _form_page(snapshot, form, preview=preview, **more)
            )
        publishing = publish_notice(stated.notice.event, stated.text, stated.sha256, **more)
        await request.record("notice", publishing)
    except Refused as refused:
        page = _form_page(snapshot, form, problem=str(refused), **more)
        return await private_answer(request, page)
    return redirected(to.notice(stated.notice.event))


def _regulations() -> dict[str, str]:
    regulations = (get_regulation(name) for name in awarding_regulations())
    return {each.name: each.title for each in regulations if isinstance(each.aggregate, Sum)}


def _form_page(snapshot: Snapshot, form: NoticeForm, **more: Any) -> NoticeFormPage:
    types = (get_regulation(name).choices("event_type") for name in _regulations())
    return NoticeFormPage(
        form=form,
        regulations=_regulations(),
        event_types=tuple(dict.fromkeys(chain(*types))),
        notices=notices(snapshot).items,
        **more,
    )
