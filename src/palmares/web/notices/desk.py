"""The desk where directors publish notices of events."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from litestar import Response
from litestar.params import FromQuery

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.facts.schema import FLIGHTS
from palmares.journal.commands.announcements import publish_notice
from palmares.lists.stakes import check_regulations
from palmares.regulations import get_regulation
from palmares.regulations.protocol import Sum
from palmares.tournaments.notice import Notice, recorded, state
from palmares.web.http.parameters import field, lines_of, text_of
from palmares.web.http.replies import private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import Request, Snapshot, awarding_regulations
from palmares.web.notices import views
from palmares.web.notices.views import NoticeContent, NoticeRow, content_of

TEXTS = (
    "event", "name", "tournament", "start_date", "end_date", "place", "setting", "entry_opens",
    "entry", "currency", "event_type", "format", "format_note", "accommodations",
)  # fmt: skip
NUMBERS = ("event_level", "groups", "advance", "rounds")
RULE = ("costs_per_entrant", "costs_percent", "costs", "round_to", "remainder")
DIVISION = ("name", "may_enter", "entry_fee", "registration", "added_money", "kind")
FIELDS = (*TEXTS, *NUMBERS, *RULE, "flights", "shares", "departures")
"""Fields of the form that are there once."""
_NAME = r"\w[\w -]*?"
_FLIGHT = re.compile(rf"(?P<name>{_NAME})\s*:\s*(?P<lengths>[0-9 ]+)(?P<more>(?:,[^,]*)*)")
_PARTS = {
    "feed": re.compile(rf"from (?P<of>{_NAME}) (?P<rounds>[0-9 ]+)"),
    "best_of": re.compile(r"best of (?P<best_of>[0-9]+)"),
    "designated": re.compile(r"(?P<designated>[0-9]+) ranked"),
}
_SHARES = re.compile(rf"(?P<flight>{_NAME})\s*:\s*(?P<shares>[0-9., %]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeForm:
    """What stands in the form."""

    fields: Mapping[str, str]
    divisions: tuple[Mapping[str, str], ...]
    regulations: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """The values of the notice, as its file would have them.

        Raises:
            Refused: a line of flights or shares cannot be read.
        """
        document: dict[str, Any] = {name: self.fields[name] for name in TEXTS if self.fields[name]}
        document |= {name: _number(self.fields[name]) for name in NUMBERS if self.fields[name]}
        document |= {"currency": self.fields["currency"].upper()} if self.fields["currency"] else {}
        flights, feeds = _flights(self.fields["flights"])
        document |= {
            "flights": flights,
            "feeds": feeds,
            "regulations": list(self.regulations),
            "departures": lines_of(self.fields["departures"]),
            "divisions": [
                {name: _number(value) for name, value in division.items() if value}
                for division in self.divisions
                if any(division.values())
            ],
        }
        shares = _shares(self.fields["shares"])
        if shares:
            rule = {name: _number(self.fields[name]) for name in RULE if self.fields[name]}
            document["prizes"] = rule | {"shares": shares}
        return document


def form_of(notice: Notice) -> NoticeForm:
    """The form of a notice that is there."""
    feeds = {feed.name: feed for feed in notice.feeds}
    fields = {name: str(getattr(notice, name)) for name in TEXTS}
    fields |= {name: str(getattr(notice, name) or "") for name in NUMBERS}
    fields |= {name: str(getattr(notice.prizes, name, "")) for name in RULE}
    flights = []
    for flight in notice.flights:
        parts = [f"{flight.name}: {' '.join(map(str, flight.lengths))}"]
        if feed := feeds.get(flight.name):
            parts.append(f"from {feed.of} {' '.join(map(str, feed.rounds))}")
        if flight.best_of > 1:
            parts.append(f"best of {flight.best_of}")
        if flight.designated:
            parts.append(f"{flight.designated} ranked")
        flights.append(", ".join(parts))
    rule = notice.prizes
    shares = [
        f"{flight}: {' '.join(map(str, rule.shares[flight]))}"
        for flight in (rule.paid_flights if rule else ())
        if rule
    ]
    return NoticeForm(
        fields=fields
        | {
            "flights": "\n".join(flights),
            "shares": "\n".join(shares),
            "departures": "\n".join(notice.departures),
        },
        divisions=tuple(
            {name: str(getattr(division, name) or "") for name in DIVISION}
            for division in notice.divisions
        ),
        regulations=tuple(notice.regulations),
    )


EMPTY = NoticeForm(
    fields=dict.fromkeys(FIELDS, "")
    | {"setting": "live", "currency": "EUR", "format": "knockout", "flights": "main: 9 11 13",
       "remainder": "first", "round_to": "1"},
    divisions=(),
    regulations=(),
)  # fmt: skip
"""A form that nobody has filled in."""


def _number(text: str) -> int | str:
    """A whole number; other text as it was typed, a decimal comma as a point."""
    if re.fullmatch("[0-9]{1,9},[0-9]{1,2}", text):
        return text.replace(",", ".")
    return int(text) if re.fullmatch("[0-9]{1,9}", text) else text


def _flight_name(text: str) -> str:
    """The name of a flight: Last Chance is last_chance, as the facts have it."""
    name = "_".join(text.casefold().split())
    return name if name in FLIGHTS else "_".join(text.split())


def _flights(text: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    flights, feeds = [], []
    for line in lines_of(text):
        match = _FLIGHT.fullmatch(line)
        if match is None:
            raise _unreadable(line)
        flight: dict[str, Any] = {
            "name": _flight_name(match["name"]),
            "lengths": [_number(length) for length in match["lengths"].split()],
        }
        for name, values in _parts(match["more"], line):
            if name == "feed":
                rounds = [_number(number) for number in values["rounds"].split()]
                feeds.append(
                    {"name": flight["name"], "of": _flight_name(values["of"]), "rounds": rounds}
                )
            else:
                flight[name] = _number(values[name])
        flights.append(flight)
    return flights, feeds


def _parts(more: str, line: str) -> Iterator[tuple[str, Mapping[str, str]]]:
    for part in filter(None, (part.strip() for part in more.split(","))):
        matches = [(name, match.groupdict()) for name, pattern in _PARTS.items()
                   if (match := pattern.fullmatch(part))]  # fmt: skip
        if not matches:
            raise _unreadable(line)
        yield matches[0]


def _unreadable(line: str) -> Refused:
    return Refused(
        msg(
            "Flights: %(line)s cannot be read. Write a line such as 'main: 9 11 13, 4 ranked' or"
            " 'consolation: 7, from main 1 2, best of 3'.",
            line=brief(line),
        )
    )


def _shares(text: str) -> dict[str, list[int | str]]:
    shares: dict[str, list[int | str]] = {}
    for line in lines_of(text):
        match = _SHARES.fullmatch(line)
        if match is None:
            raise Refused(
                msg(
                    "Shares: %(line)s cannot be read. Write a line such as 'main: 50 30 12.5 7.5'.",
                    line=brief(line),
                )
            )
        percents = re.split(r",?[\s%]+,?[\s%]*", match["shares"].strip(" ,%"))
        shares[_flight_name(match["flight"])] = [_number(share) for share in percents]
    return shares


def form_from(sent: Any, regulations: Sequence[str]) -> NoticeForm:
    """What was typed into the form.

    Args:
        sent: the form's fields as they came.
        regulations: that may be chosen.
    """
    columns = [
        [text_of(value).strip() for value in sent.getall(f"division.{name}", [])]
        for name in DIVISION
    ]
    rows = zip(*columns, strict=False)
    chosen = {text_of(value) for value in sent.getall("regulations", [])}
    return NoticeForm(
        fields={name: field(sent, name).strip() for name in FIELDS},
        divisions=tuple(dict(zip(DIVISION, row, strict=True)) for row in rows),
        regulations=tuple(name for name in regulations if name in chosen),
    )


SPARE = 2
"""Empty rows for more divisions."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeDesk:
    """The desk of notices: the form, and what it would publish."""

    form: NoticeForm
    rows: tuple[dict[str, str], ...]  # of divisions, with empty ones
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
        request, _desk(snapshot, form, seen=last.body.sha256 if last else "")
    )


async def notice_send(request: Request) -> Response[Any]:
    """Show what a notice would say, or publish it."""
    sent = await request.form()
    snapshot = await request.app_state.now()
    form = form_from(sent, tuple(_regulations()))
    more = {"seen": field(sent, "seen"), "reason": field(sent, "reason").strip()}
    try:
        stated = state(form.document(), msg("The notice"))
        check_regulations(stated.notice)
        if field(sent, "step") != "publish":
            preview = await request.run_long(content_of, stated.notice)
            return await private_answer(request, _desk(snapshot, form, preview=preview, **more))
        publishing = publish_notice(stated.notice.event, stated.text, stated.sha256, **more)
        await request.record("notice", publishing)
    except Refused as refused:
        page = _desk(snapshot, form, problem=str(refused), **more)
        return await private_answer(request, page)
    return redirected(to.notice(stated.notice.event))


def _regulations() -> dict[str, str]:
    regulations = (get_regulation(name) for name in awarding_regulations())
    return {each.name: each.title for each in regulations if isinstance(each.aggregate, Sum)}


def _desk(snapshot: Snapshot, form: NoticeForm, **more: Any) -> NoticeDesk:
    empty = dict.fromkeys(DIVISION, "")
    levels = (
        edition.tables.get("event_levels")
        for name in _regulations()
        for edition in get_regulation(name).editions()
    )
    types = dict.fromkeys(
        name for each in levels if each for table in each.value.values() for name in table
    )
    return NoticeDesk(
        form=form,
        rows=(*map(dict, form.divisions), *[empty] * SPARE),
        regulations=_regulations(),
        event_types=tuple(types),
        notices=views.notices(snapshot).items,
        **more,
    )
