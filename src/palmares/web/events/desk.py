"""The desks of directors who run an event: start it, tap winners, correct, pair, report."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import unified_diff
from hashlib import sha256
from typing import Annotated, Any, TypeVar

import msgspec
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, RawBody
from litestar.status_codes import HTTP_422_UNPROCESSABLE_ENTITY
from msgspec import Meta

from palmares.core.errors import FactsRejected, PalmaresError, Refused
from palmares.core.messages import msg
from palmares.facts.text import shown, squeezed
from palmares.formats.toml.write import write
from palmares.journal.commands.announcements import recorded_draw
from palmares.journal.projection.state import key_of
from palmares.journal.store.events import EventRecord, record_event
from palmares.render.payments import payment_list
from palmares.tournaments import running as events
from palmares.tournaments.draw.draw import run
from palmares.tournaments.formats.matches import AnySetup, Match, Swiss
from palmares.tournaments.report import report
from palmares.tournaments.running import (
    Change,
    Correction,
    Drafts,
    Return,
    Running,
    Submitted,
    Withdrawal,
    describe,
)
from palmares.tournaments.setups import read_setup, setup_of_draw
from palmares.tournaments.typed_results import HOW, TypedResult, read_result
from palmares.web.api.bodies import RequestBody, Text, decode_body
from palmares.web.api.replies import private_answer
from palmares.web.events import views
from palmares.web.events.routes import EventId
from palmares.web.events.views import (
    Following,
    LiveEventRow,
    LiveEvents,
    LiveMatch,
    LivePrizes,
    LoadedEvent,
    live_match,
    row_of,
)
from palmares.web.http.parameters import field
from palmares.web.http.replies import private_page, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Visit
from palmares.web.services import context_of, create_draft
from palmares.web.shared.downloads import attached, check_format, file_of
from palmares.web.submissions import submissions

T = TypeVar("T")

CONSOLATION = {"name": "consolation", "of": "main", "rounds": [1, 2, 3]}
LAST_CHANCE = {"name": "last_chance", "of": "consolation", "rounds": [1, 2]}


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPage:
    """Every event, and a form that starts another."""

    events: LiveEvents
    draws: tuple[str, ...]  # recorded, with their randomness
    formats: Mapping[str, str]
    problem: str | None
    fields: Mapping[str, str]  # as they were typed


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchAtDesk:
    """A match at the desk."""

    match: LiveMatch
    result: str  # in words; empty: none yet
    key: str  # by which a result that is sent twice is recorded once


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskPage:
    """The desk of an event."""

    row: LiveEventRow
    sequence: int
    next: tuple[MatchAtDesk, ...]  # can start now
    done: tuple[MatchAtDesk, ...]  # with a result, the latest first
    playing: Mapping[str, str]  # who has not withdrawn: name by id
    withdrawn: Mapping[str, str]
    next_round: int | None  # of a Swiss that can be paired now
    changes: tuple[str, ...]  # what was changed by hand, in words
    today: date
    submission: int | None  # the report that was drafted of it; none: not yet
    by_hand: tuple[str, ...]  # lines of that report that are not as they were computed
    prizes: LivePrizes | None  # none: not over, or its notice states none
    problem: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePage:
    """A change by hand: a form, or what follows from it."""

    row: LiveEventRow
    match: LiveMatch | None  # none: a player withdraws or comes back
    fields: Mapping[str, str]
    following: tuple[Following, ...] | None  # none: nothing was chosen yet
    accepted: str
    problem: str | None


class SentResult(RequestBody, frozen=True, kw_only=True):
    """How a match ended."""

    match: Annotated[Text, Meta(description="Such as `main:2:1`.")]
    winner: Annotated[Text, Meta(description="An id or a name; empty: neither appeared.")] = ""
    score: Annotated[Text, Meta(description="The winner's points first, such as `11-7`.")] = ""
    how: Annotated[
        Text, Meta(description="`played`, `walkover`, `retired` or `double_no_show`.")
    ] = ""
    length: Text = ""
    table: Text = ""
    key: Annotated[
        Text | None, Meta(description="Your own; sent again, the result is recorded once.")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedResult:
    """A result that is recorded."""

    match: LiveMatch
    sequence: int  # of the last record of the event
    next: tuple[LiveMatch, ...]  # can start now


# ── loading and recording ────────────────────────────────────────────────────────────────────────


async def _load(request: Visit, event: str) -> LoadedEvent:
    snapshot = await request.app_state.now()

    def load() -> LoadedEvent:
        with request.app_state.journal.reading() as reader:
            return views.load_event(snapshot, reader, event)

    return await request.app_state.signed_in.page(load)


async def _record(
    request: Visit, event: str, make: Callable[[Running], Drafts], key: str | None = None
) -> list[EventRecord]:
    """Record what *make* gives for the event as it is; on disk when it returns."""
    names = (await _load(request, event)).running.setup.names

    def record() -> list[EventRecord]:
        return record_event(
            request.app_state.journal,
            event,
            request.user.name,
            lambda records: make(events.fold(records, names)),
            key=key or None,
        )

    return await request.app_state.signed_in.page(record)


def _words(error: PalmaresError) -> str:
    """Why nothing was recorded."""
    if not isinstance(error, FactsRejected):
        return str(error)
    problem = error.problems[0]
    return msg("%(what)s. %(remedy)s", what=problem.what, remedy=problem.remedy)


def _typed(form: Mapping[str, Any]) -> TypedResult:
    """The result that a form says."""
    texts = {name: field(form, name) for name in TypedResult._fields}
    if texts["how"] == HOW[-1]:
        texts["winner"] = ""
    return TypedResult(**texts)


# ── starting ─────────────────────────────────────────────────────────────────────────────────────


async def live_desks(request: Visit) -> Response[bytes]:
    """Every event, and a form that starts another."""
    return await _start_page(request, None, {})


async def _start_page(
    request: Visit, problem: str | None, fields: Mapping[str, str]
) -> Response[bytes]:
    snapshot = await request.app_state.now()

    def load() -> LiveEvents:
        with request.app_state.journal.reading() as reader:
            return views.live_events(snapshot, reader)

    state = snapshot.projection.state
    page = StartPage(
        events=await request.app_state.signed_in.page(load),
        draws=tuple(
            draw
            for draw, announced in state.group("draws").items()
            if announced and state.in_force("reveals", key_of(draw, announced[-1].body.sha256))
        ),
        formats=views.FORMATS,
        problem=problem,
        fields=fields,
    )
    status = HTTP_422_UNPROCESSABLE_ENTITY if problem else 200
    return await private_page(request, page, status_code=status)


async def live_start(request: Visit) -> Response[bytes]:
    """Start an event from entrants in order."""
    form = await request.form()
    fields = {name: field(form, name) for name in form}
    try:
        if fields.get("draw"):
            names: Mapping[str, str] = {}
            setup = await request.app_state.signed_in.page(_drawn, request.app_state, fields)
        else:
            setup, names = read_setup(_document(fields), msg("The form"))
        await request.app_state.signed_in.page(
            lambda: record_event(
                request.app_state.journal,
                setup.event,
                request.user.name,
                lambda records: events.start(records, setup),
                names=dict(names),
            )
        )
    except PalmaresError as error:
        return await _start_page(request, _words(error), fields)
    return redirected(to.live_desk(setup.event))


def _drawn(app_state: AppState, fields: Mapping[str, str]) -> AnySetup:
    """The setup of an event on the places of a recorded draw."""
    state = app_state.snapshot(at_once=True).projection.state
    with app_state.journal.reading() as reader:
        recorded = recorded_draw(state, reader, fields["draw"])
    if recorded.randomness is None:
        raise Refused(msg("The randomness of this draw is not recorded yet."))
    randomness = msgspec.json.decode(recorded.randomness)
    drawn = run(recorded.announcement.encode(), recorded.recorded_at, randomness)
    number = fields.get("number", "")
    setup = setup_of_draw(
        drawn.announced.content,
        drawn.places,
        drawn.announced.sha256,
        {"main": _lengths(fields)},
        int(number) if number.isdecimal() else 1,
    )
    return msgspec.structs.replace(setup, names={who: who for who in setup.places if who})


def _lengths(fields: Mapping[str, str]) -> list[int]:
    """Points of a match, round by round."""
    return [int(word) for word in fields.get("lengths", "").split() if word.isdecimal()] or [7]


def _document(fields: Mapping[str, str]) -> dict[str, Any]:
    """The setup that a form describes, as a file has it."""
    kind = fields.get("format", "")
    feeds = [
        feed
        for name, feed in (("consolation", CONSOLATION), ("last_chance", LAST_CHANCE))
        if fields.get(name)
    ]
    document: dict[str, Any] = {
        "event": fields.get("event", ""),
        "name": squeezed(fields.get("name", "")),
        "format": kind,
        "entrants": [line for line in fields.get("entrants", "").splitlines() if line.strip()],
        "flights": [{"name": "main", "lengths": _lengths(fields)}],
    }
    if kind == "knockout":
        lines = 1 << max(len(document["entrants"]) - 1, 1).bit_length()
        rounds = range(1, lines.bit_length())
        for feed in feeds:
            fed = [number for number in feed["rounds"] if number in rounds]
            document.setdefault("feeds", []).append({**feed, "rounds": fed})
    else:
        number = fields.get("number", "")
        document["groups" if kind == "groups" else "rounds"] = (
            int(number) if number.isdecimal() else 1
        )
    return document


# ── the desk ─────────────────────────────────────────────────────────────────────────────────────


async def live_desk(request: Visit, event: FromPath[str]) -> Response[bytes]:
    """The desk of an event."""
    return await _desk(request, event)


async def _desk(request: Visit, event: str, problem: str | None = None) -> Response[bytes]:
    loaded = await _load(request, event)
    done = loaded.running.submitted
    by_hand: tuple[str, ...] = ()
    if done is not None:
        by = context_of(request)
        sent = await by.accounts.ask(submissions.find, done.submission)
        if sent is not None and (by.owns(sent) or sent.state in by.others):
            text = await by.long(_report_text, request.app_state, loaded, done)
            by_hand = _changed_lines(text, sent.content.decode("utf-8", "replace"))
    page = _desk_page(loaded, request.app_state.today(), by_hand, problem)
    status = HTTP_422_UNPROCESSABLE_ENTITY if problem else 200
    return await private_page(request, page, status_code=status, template="live_desk.html")


def _desk_page(
    loaded: LoadedEvent, today: date, by_hand: tuple[str, ...], problem: str | None
) -> DeskPage:
    running = loaded.running
    key = secrets.token_hex(8)

    def at_desk(match: Match) -> MatchAtDesk:
        return MatchAtDesk(
            match=live_match(running, match),
            result=describe(running, match.outcome) if match.outcome else "",
            key=f"{key}-{match.id}",
        )

    order = {name: at for at, name in enumerate(running.progress.outcomes)}
    done = sorted(
        (match for match in running.matches if match.state == "done"),
        key=lambda match: -order.get(match.id, -1),
    )
    names, withdrawn = running.setup.names, running.progress.withdrawn
    paired = running.matches[-1].round
    ready = any(match.state == "ready" for match in running.matches)
    can_pair = isinstance(running.setup, Swiss) and not ready and paired < running.setup.rounds
    return DeskPage(
        row=row_of(loaded),
        sequence=loaded.records[-1].sequence,
        next=tuple(map(at_desk, running.next)),
        done=tuple(map(at_desk, done)),
        playing={who: name for who, name in names.items() if who not in withdrawn},
        withdrawn={who: names[who] for who in sorted(withdrawn)},
        next_round=paired + 1 if can_pair else None,
        changes=tuple(_change_words(running, change) for change in running.by_hand),
        today=today,
        submission=running.submitted.submission if running.submitted else None,
        by_hand=by_hand,
        prizes=views.live_prizes(loaded),
        problem=problem,
    )


def _change_words(running: Running, change: Change) -> str:
    """What was changed by hand."""
    if isinstance(change, Withdrawal):
        what = msg("%(player)s withdrew", player=running.name(change.player))
    elif isinstance(change, Return):
        what = msg("%(player)s plays again", player=running.name(change.player))
    elif isinstance(change, Correction) and change.outcome:
        what = describe(running, change.outcome)
    else:
        what = msg("the result was removed")
    where = change.match if isinstance(change, Correction) else ""
    return msg(
        "%(what)s (%(where)s %(reason)s)", what=what, where=where, reason=shown(change.reason)
    )


async def live_result(request: Visit, event: FromPath[str]) -> Response[bytes]:
    """The winner of a match was tapped."""
    form = await request.form()
    typed = _typed(form)
    try:
        await _record(
            request,
            event,
            lambda running: events.result(running, typed.match, read_result(running, typed)),
            field(form, "key"),
        )
    except PalmaresError as error:
        return await _desk(request, event, _words(error))
    return redirected(to.live_desk(event))


async def live_round(request: Visit, event: FromPath[str]) -> Response[bytes]:
    """Pair the next round of a Swiss."""
    text = field(await request.form(), "round")
    number = int(text) if text.isdecimal() and len(text) < len("1000") else 0
    try:
        await _record(request, event, lambda running: events.pair_round(running, number))
    except PalmaresError as error:
        return await _desk(request, event, _words(error))
    return redirected(to.live_desk(event))


# ── changes by hand ──────────────────────────────────────────────────────────────────────────────


async def live_change(request: Visit, event: FromPath[str]) -> Response[bytes]:
    """A form to correct the result of a match."""
    return await _change_page(request, event, {"match": request.query_params.get("match", "")})


async def _change_page(
    request: Visit, event: str, fields: Mapping[str, str], problem: str | None = None
) -> Response[bytes]:
    loaded = await _load(request, event)
    running = loaded.running
    match = running.match(fields["match"]) if fields.get("match") else None
    after: tuple[Following, ...] | None = None
    accepted = ""
    if fields.get("action"):
        try:
            body = _change_of(running, fields)
            events.check_change(running, body)
            after = views.following(running, body)
            accepted = events.fingerprint(events.consequences(running, body))
        except PalmaresError as error:
            problem = _words(error)
    page = ChangePage(
        row=row_of(loaded),
        match=live_match(running, match) if match else None,
        fields=fields,
        following=after,
        accepted=accepted,
        problem=problem,
    )
    status = HTTP_422_UNPROCESSABLE_ENTITY if problem else 200
    return await private_page(request, page, status_code=status, template="live_change.html")


def _change_of(running: Running, fields: Mapping[str, str]) -> Change:
    """The change that a form describes."""
    reason = squeezed(fields.get("reason", ""))
    if fields.get("action") in ("withdrawal", "return"):
        kind = Withdrawal if fields["action"] == "withdrawal" else Return
        return kind(player=fields.get("player", ""), reason=reason)
    if fields.get("how") == "none":
        return Correction(match=fields.get("match", ""), outcome=None, reason=reason)
    outcome = read_result(running, _typed(fields))
    return Correction(match=fields.get("match", ""), outcome=outcome, reason=reason)


async def live_change_send(request: Visit, event: FromPath[str]) -> Response[bytes]:
    """Show what follows from a change; record it once that is accepted."""
    form = await request.form()
    fields = {name: field(form, name) for name in form}
    accepted = fields.pop("accepted", "")
    if not accepted:
        return await _change_page(request, event, fields)
    try:
        await _record(
            request,
            event,
            lambda running: events.change(running, _change_of(running, fields), accepted),
        )
    except PalmaresError as error:
        return await _change_page(request, event, fields, _words(error))
    return redirected(to.live_desk(event))


# ── the report ───────────────────────────────────────────────────────────────────────────────────


async def live_report(request: Visit, event: FromPath[str]) -> Response[bytes]:
    """Draft the report of an event that is over; its page shows the points it gives."""
    form = await request.form()
    loaded, by = await _load(request, event), context_of(request)
    texts = {name: squeezed(field(form, name)) for name in (*_TOURNAMENT, *_EVENT)}
    body = Submitted(
        report="0" * 64,
        tournament={name: texts[name] for name in _TOURNAMENT if texts[name]},
        event={name: texts[name] for name in _EVENT if texts[name]},
        submission=0,
    )
    try:
        events.submitted(loaded.running, body)
        content = await by.long(_report_text, request.app_state, loaded, body)
        number = await create_draft(by, f"{event}.toml", "toml", content.encode())
        digest = sha256(content.encode()).hexdigest()
        body = msgspec.structs.replace(body, report=digest, submission=number)
        await _record(request, event, lambda running: events.submitted(running, body))
    except PalmaresError as error:
        return await _desk(request, event, _words(error))
    return redirected(to.submission(number))


_TOURNAMENT = ("name", "end_date", "discipline", "currency")
_EVENT = ("kind", "entry_fee", "event_type", "division_rank")


def _report_text(app_state: AppState, loaded: LoadedEvent, body: Submitted) -> str:
    """The report as it follows from the records; names of the journal's players in full."""
    rows = app_state.snapshot().facts["players"].select("player_id", "name").iter_rows()
    players = dict(rows)
    running = events.fold(loaded.records, {**players, **loaded.typed})
    ids = {who: who for who in running.setup.names if who in players and who not in loaded.typed}
    facts = report(body.tournament, [running.played(body.event, ids)])
    return write(facts.tables)


def _changed_lines(computed: str, sent: str) -> tuple[str, ...]:
    """The lines of a report that are not as they were computed, each after + or -."""
    lines = unified_diff(computed.splitlines(), sent.splitlines(), n=0, lineterm="")
    return tuple(line for line in lines if not line.startswith(("---", "+++", "@@")))


# ── the payments ─────────────────────────────────────────────────────────────────────────────────


async def live_payments(
    request: Visit,
    event: FromPath[str],
    format: FromPath[str],  # noqa: A002
) -> Response[bytes]:
    """The list of payments of an event that is over, as a file.

    Raises:
        NotFoundException: no prizes follow from its notice.
    """
    check_format(format)
    loaded = await _load(request, event)
    payout = views.payout_of(loaded)
    if payout is None:
        raise NotFoundException(msg("This event has no prizes to pay."))
    table = payment_list(payout, loaded.running.setup.names)
    file = await context_of(request).long(file_of, table, format)
    return Response(
        file.content,
        media_type=file.media_type,
        headers={"Cache-Control": "no-store", **attached(f"{event}-payments.{format}")},
    )


# ── by programs ──────────────────────────────────────────────────────────────────────────────────


async def api_live_result(
    request: Visit, event: EventId, body: RawBody
) -> Response[RecordedResult]:
    """Enter the result of a match.

    It is on disk when it is answered. Sent again with the same `key`, or as the same result, it is
    recorded once and answered the same.
    """
    sent = decode_body(body, SentResult)
    fields = msgspec.structs.asdict(sent)
    key = fields.pop("key")
    typed = TypedResult(**fields)
    await _record(
        request,
        event,
        lambda running: events.result(running, typed.match, read_result(running, typed)),
        key,
    )
    loaded = await _load(request, event)
    running = loaded.running
    answer = RecordedResult(
        match=live_match(running, running.match(typed.match)),
        sequence=loaded.records[-1].sequence,
        next=tuple(live_match(running, match) for match in running.next),
    )
    return await private_answer(request, answer)
