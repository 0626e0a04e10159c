"""The desks of directors who run an event: start it, tap winners, correct, pair, report."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from difflib import unified_diff
from hashlib import sha256
from typing import Any

import msgspec
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

from palmares.core.errors import PalmaresError, Refused
from palmares.core.messages import msg
from palmares.facts.schema import TABLES
from palmares.facts.text import printable, squeezed
from palmares.formats.toml.write import write
from palmares.journal.commands.announcements import recorded_draw
from palmares.journal.projection.project import State, key_of
from palmares.journal.store.events import EventRecord, record_event
from palmares.regulations import regulations
from palmares.render.event import payment_list
from palmares.tournaments import prizes
from palmares.tournaments import running as events
from palmares.tournaments.notice import recorded
from palmares.tournaments.prizes import report_defaults
from palmares.tournaments.report import PlayedEvent, report
from palmares.tournaments.running import (
    Drafted,
    Drafts,
    ManualChange,
    PlayerWithdrawal,
    ResultCorrection,
    Return,
    Running,
    describe,
)
from palmares.tournaments.systems.groups import ties
from palmares.tournaments.systems.matches import AnySetup, Groups, Match, Swiss
from palmares.tournaments.typed_results import (
    HOW,
    TypedResult,
    read_result,
    read_setup,
    setup_of_draw,
)
from palmares.web.http.errors import reason_of
from palmares.web.http.parameters import field, lines_of, whole_number
from palmares.web.http.replies import private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request
from palmares.web.shared.downloads import FORMATS, attached, check_format, file_content
from palmares.web.shared.names import extended
from palmares.web.submissions import submissions
from palmares.web.submissions.steps import create_draft, sees
from palmares.web.submissions.understood import words_of
from palmares.web.tournaments import live
from palmares.web.tournaments.live import (
    Following,
    LiveEvent,
    LiveEvents,
    LoadedEvent,
)

CONSOLATION = {"name": "consolation", "of": "main", "rounds": [1, 2, 3]}
AMOUNT = "amount."  # and the id of a player: a field of the form
LAST_CHANCE = {"name": "last_chance", "of": "consolation", "rounds": [1, 2]}
_LONGEST_MATCH = 4_096  # points, as a setup allows
REPORT = (
    "name", "end_date", "discipline", "currency", "kind", "entry_fee", "event_type",
    "division_rank",
)  # fmt: skip
"""What a director may say of the report; empty fields are as the notice has them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StartPage:
    """Every event, and a form that starts another."""

    events: LiveEvents
    draws: tuple[str, ...]  # recorded, with their randomness, and not started
    divisions: Mapping[str, str]  # in words, of notices with several; see `_divisions`
    formats: Mapping[str, str]
    problem: str | None
    fields: Mapping[str, str]  # as they were typed


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorEventPage(LiveEvent):
    """The page on which a director runs an event."""

    key: str  # with the id of a match: by which a result that is sent twice is recorded once
    done: tuple[Match, ...]  # with a result, the latest first
    results: Mapping[str, str]  # in words, by match
    playing: Mapping[str, str]  # who has not withdrawn: name by id
    withdrawn: Mapping[str, str]
    next_round: int | None  # of a Swiss that can be paired now
    ties: tuple[tuple[str, ...], ...]  # names that only a lot can order
    changes: tuple[str, ...]  # what was changed by hand, in words
    submission: int | None  # the report that was drafted of it; none: not yet
    is_submitted: bool  # whether that report was submitted
    by_hand: tuple[str, ...]  # lines of that report that are not as they were computed
    report: Mapping[str, str]  # fields of the form that drafts it
    event_types: tuple[str, ...]  # that it may have, in the words of the regulations
    problem: str | None
    typed: Mapping[str, str]  # the fields of a form that was refused, as they were typed


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePage(LiveEvent):
    """A change by hand: a form, or what follows from it."""

    match: Match | None  # none: a player withdraws or comes back
    fields: Mapping[str, str]
    following: tuple[Following, ...] | None  # none: nothing was chosen yet
    accepted: str
    problem: str | None


# ── loading and recording ────────────────────────────────────────────────────────────────────────


async def load(request: Request, event: str) -> LoadedEvent:
    """The event as it is now.

    Raises:
        NotFoundException: there is none.
    """
    snapshot = await request.app_state.now()
    read = request.app_state.read
    return await request.app_state.signed_in.page(read, live.load_event, snapshot, event)


async def record(
    request: Request, event: str, make: Callable[[Running], Drafts], key: str | None = None
) -> list[EventRecord]:
    """Record what *make* gives for the event as it is; on disk when it returns."""
    names = (await load(request, event)).running.setup.names
    return await request.app_state.signed_in.page(
        lambda: record_event(
            request.app_state.journal,
            event,
            request.user.name,
            lambda records: make(events.fold(records, names)),
            key=key or None,
        )
    )


def typed_result(fields: Mapping[str, str]) -> TypedResult:
    """The result that fields describe; if neither player appeared there is no winner."""
    texts = {name: fields.get(name, "") for name in TypedResult._fields}
    return TypedResult(**texts | ({"winner": ""} if texts["how"] == HOW[-1] else {}))


def change_of(running: Running, fields: Mapping[str, str]) -> ManualChange:
    """The change by hand that fields describe.

    Raises:
        FactsRejected: the match or its result cannot be so.
    """
    reason = squeezed(fields.get("reason", ""))
    if fields.get("action") in ("withdrawal", "return"):
        kind = PlayerWithdrawal if fields["action"] == "withdrawal" else Return
        return kind(player=fields.get("player", ""), reason=reason)
    is_open = fields.get("how") == "none"
    outcome = None if is_open else read_result(running, typed_result(fields))
    return ResultCorrection(match=fields.get("match", ""), outcome=outcome, reason=reason)


# ── starting ─────────────────────────────────────────────────────────────────────────────────────


async def live_desks(request: Request) -> Response[bytes]:
    """Every event, and a form that starts another."""
    return await _start_page(request, None, {})


async def _start_page(
    request: Request, problem: str | None, fields: Mapping[str, str]
) -> Response[bytes]:
    snapshot, app_state = await request.app_state.now(), request.app_state
    state = snapshot.projection.state
    started = await app_state.signed_in.page(app_state.read, live.started_events, snapshot)
    page = StartPage(
        events=started,
        draws=tuple(
            draw
            for draw, announced in state.group("draws").items()
            if announced
            and state.in_force("reveals", key_of(draw, announced[-1].body.sha256))
            and draw not in {row.event for row in started.items}
        ),
        divisions=_divisions(state),
        formats=live.FORMATS,
        problem=problem,
        fields=fields,
    )
    return await private_answer(request, page)


def _divisions(state: State) -> dict[str, str]:
    """The divisions of notices with several, by the hash of the notice and their name."""
    notices = [
        (stated.body.sha256, recorded(stated.body.notice))
        for _, stated in state.all_in_force("notices")
    ]
    return {
        f"{sha256} {division.name}": f"{notice.name}: {division.name}"
        for sha256, notice in notices
        if len(notice.divisions) > 1
        for division in notice.divisions
    }


async def live_start(request: Request) -> Response[bytes]:
    """Start an event from entrants in order."""
    fields = await _fields(request)
    try:
        if fields.get("draw"):
            names: Mapping[str, str] = {}
            setup = await request.app_state.signed_in.page(_drawn, request.app_state, fields)
        else:
            setup, names = read_setup(_document(fields), msg("The form"))
        if choice := fields.get("division"):
            if choice not in _divisions((await request.app_state.now()).projection.state):
                raise Refused(msg("Choose a division of a published notice."))
            notice, _, name = choice.partition(" ")
            setup = msgspec.structs.replace(setup, notice=notice, name=name)
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
        return await _start_page(request, reason_of(error), fields)
    return redirected(to.live_desk(setup.event))


def _drawn(app_state: AppState, fields: Mapping[str, str]) -> AnySetup:
    state = app_state.snapshot(at_once=True).projection.state
    recorded = app_state.read(lambda reader: recorded_draw(state, reader, fields["draw"]))
    rounds = _number(fields) if fields.get("number") else 1
    return setup_of_draw(**asdict(recorded), lengths={"main": _lengths(fields)}, rounds=rounds)


def _lengths(fields: Mapping[str, str]) -> list[int]:
    words = fields.get("lengths", "").replace(",", " ").split()
    lengths = [whole_number({"length": word}, "length") for word in words]
    if not all(0 < length <= _LONGEST_MATCH for length in lengths):
        raise Refused(
            msg("A match length must be a whole number above 0. Write them as in 7 7 9, or only 7.")
        )
    return lengths or [7]


def _number(fields: Mapping[str, str]) -> int:
    number = whole_number(fields, "number")
    if not number:
        raise Refused(msg("Say how many rounds or groups there are: a whole number above 0."))
    return number


def _document(fields: Mapping[str, str]) -> dict[str, Any]:
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
        "entrants": lines_of(fields.get("entrants", "")),
        "flights": [{"name": "main", "lengths": _lengths(fields)}],
    }
    if kind == "knockout":
        lines = 1 << max(len(document["entrants"]) - 1, 1).bit_length()
        rounds = range(1, lines.bit_length())
        for feed in feeds:
            fed = [number for number in feed["rounds"] if number in rounds]
            document.setdefault("feeds", []).append({**feed, "rounds": fed})
    else:
        key = "groups" if kind == "groups" else "rounds"
        document[key] = _number(fields)
    return document


# ── the desk ─────────────────────────────────────────────────────────────────────────────────────


async def live_desk(request: Request, event: FromPath[str]) -> Response[bytes]:
    """The page on which a director runs an event."""
    return await _event_answer(request, event)


async def _event_answer(
    request: Request, event: str, problem: str | None = None, typed: Mapping[str, str] | None = None
) -> Response[Any]:
    """The page of a running event, with a problem and the fields of a form as they were typed."""
    loaded = await load(request, event)
    done, submission = loaded.running.drafted, None
    by_hand: tuple[str, ...] = ()
    if done is not None:
        sent = await request.app_state.ask(submissions.find, done.submission)
        if sent is not None and sent.state not in ("rejected", "withdrawn"):
            submission = done.submission
            if sees(request, sent):
                text = await request.run_long(report_text, request.app_state, loaded, done)
                by_hand = _changed_lines(text, sent.content.decode("utf-8", "replace"))
    report = report_fields(loaded, request.app_state)
    page = _event_page(loaded, submission, by_hand, report, problem, typed or {})
    return await private_answer(request, page, template="live_desk.html")


def _event_page(
    loaded: LoadedEvent,
    submission: int | None,
    by_hand: tuple[str, ...],
    report: Mapping[str, str],
    problem: str | None,
    typed: Mapping[str, str],
) -> DirectorEventPage:
    running = loaded.running
    done = _last_recorded_first(running)
    names, withdrawn = running.setup.names, running.progress.withdrawn
    paired = running.matches[-1].round
    ready = any(match.state == "ready" for match in running.matches)
    fields, types = {**report, **typed}, words_of("event_type", regulations().values())
    can_pair = isinstance(running.setup, Swiss) and not ready and paired < running.setup.rounds
    return extended(
        DirectorEventPage,
        live.event_page(loaded),
        key=secrets.token_hex(8),
        done=done,
        results={match.id: describe(running, match.outcome) for match in done if match.outcome},
        playing={who: name for who, name in names.items() if who not in withdrawn},
        withdrawn={who: names[who] for who in sorted(withdrawn)},
        next_round=paired + 1 if can_pair else None,
        ties=_ties(running),
        changes=tuple(_change_words(running, change) for change in running.by_hand),
        submission=submission,
        is_submitted=running.submitted is not None,
        by_hand=by_hand,
        report=fields,
        event_types=tuple(dict.fromkeys(filter(None, (fields.get("event_type"), *types)))),
        problem=problem,
        typed=typed,
    )


def _last_recorded_first(running: Running) -> tuple[Match, ...]:
    """The matches that are over."""
    order = {name: at for at, name in enumerate(running.progress.outcomes)}
    done = (match for match in running.matches if match.state == "done")
    return tuple(sorted(done, key=lambda match: -order.get(match.id, -1)))


def _ties(running: Running) -> tuple[tuple[str, ...], ...]:
    if not isinstance(running.setup, Groups):
        return ()
    tied = ties(running.setup, running.matches, running.progress)
    return tuple(tuple(map(running.name, players)) for players in tied)


def _changed_lines(computed: str, sent: str) -> tuple[str, ...]:
    """The lines of a report that are not as they were computed, each after + or -."""
    lines = unified_diff(computed.splitlines(), sent.splitlines(), n=0, lineterm="")
    return tuple(line for line in lines if not line.startswith(("---", "+++", "@@")))


def _change_words(running: Running, change: ManualChange) -> str:
    if isinstance(change, PlayerWithdrawal):
        what = msg("%(player)s withdrew", player=running.name(change.player))
    elif isinstance(change, Return):
        what = msg("%(player)s plays again", player=running.name(change.player))
    elif isinstance(change, ResultCorrection) and change.outcome:
        what = describe(running, change.outcome)
    else:
        what = msg("the result was removed")
    where = change.match if isinstance(change, ResultCorrection) else ""
    return msg(
        "%(what)s (%(where)s %(reason)s)", what=what, where=where, reason=printable(change.reason)
    )


async def _fields(request: Request) -> dict[str, str]:
    """The fields of a form."""
    form = await request.form()
    return {name: field(form, name) for name in form}


async def _recorded(
    request: Request,
    event: str,
    make: Callable[[Running], Drafts],
    key: str | None = None,
) -> Response[Any]:
    """Record, and show the page of the event; with the reason, if nothing was recorded."""
    try:
        await record(request, event, make, key)
    except PalmaresError as error:
        return await _event_answer(request, event, reason_of(error), await _fields(request))
    return redirected(to.live_desk(event))


async def live_result(request: Request, event: FromPath[str]) -> Response[bytes]:
    """Enter the result of a match, which is on disk when this is answered.

    Sent again with the same `key`, or as the same result, it is recorded once.
    """
    fields = await _fields(request)
    typed = typed_result(fields)
    return await _recorded(
        request,
        event,
        lambda running: events.result(running, typed.match, read_result(running, typed)),
        fields.get("key"),
    )


async def live_round(request: Request, event: FromPath[str]) -> Response[bytes]:
    """Pair the next round of a Swiss; nothing is done if it is paired already."""
    number = whole_number(await request.form(), "round")
    return await _recorded(request, event, lambda running: events.pair_round(running, number))


async def live_lot(request: Request, event: FromPath[str]) -> Response[bytes]:
    """Record the order that a lot gave tied players, a name a line."""
    order = [squeezed(player) for player in lines_of(field(await request.form(), "players"))]
    return await _recorded(request, event, lambda running: events.lot(running, order))


async def live_split(request: Request, event: FromPath[str]) -> Response[bytes]:
    """Record the split of prizes that players of an event that is over agreed on."""
    fields = await _fields(request)
    amounts = {
        name.removeprefix(AMOUNT): amount.strip()
        for name, amount in fields.items()
        if name.startswith(AMOUNT) and amount.strip() and not fields.get("cancel")
    }
    notice = (await load(request, event)).notice
    return await _recorded(
        request, event, lambda running: prizes.split(running, notice, amounts.items())
    )


# ── changes by hand ──────────────────────────────────────────────────────────────────────────────


async def live_change(request: Request, event: FromPath[str]) -> Response[bytes]:
    """The form that corrects the result of a match; without a match, the page of the event."""
    match = request.query_params.get("match", "")
    if not match:
        return redirected(to.live_desk(event))
    return await _change_page(request, event, {"match": match})


async def _change_page(
    request: Request, event: str, fields: Mapping[str, str], problem: str | None = None
) -> Response[bytes]:
    loaded = await load(request, event)
    running = loaded.running
    match = running.match(fields["match"]) if fields.get("match") else None
    after: tuple[Following, ...] | None = None
    accepted = ""
    if fields.get("action"):
        try:
            body = change_of(running, fields)
            events.check_change(running, body)
            after = live.following(running, body)
            accepted = events.fingerprint(events.consequences(running, body))
        except PalmaresError as error:
            problem = reason_of(error)
    page = extended(
        ChangePage,
        live.event_page(loaded),
        match=match,
        fields=fields,
        following=after,
        accepted=accepted,
        problem=problem,
    )
    return await private_answer(request, page, template="live_change.html")


async def live_change_send(request: Request, event: FromPath[str]) -> Response[bytes]:
    """Show what follows from a change; record it once that is accepted."""
    fields = await _fields(request)
    accepted = fields.pop("accepted", "")
    if not accepted:
        return await _change_page(request, event, fields)
    try:
        await record(
            request,
            event,
            lambda running: events.change(running, change_of(running, fields), accepted),
        )
    except PalmaresError as error:
        return await _change_page(request, event, fields, reason_of(error))
    return redirected(to.live_desk(event))


# ── the report, the payments ─────────────────────────────────────────────────────────────────────


async def live_report(request: Request, event: FromPath[str]) -> Response[bytes]:
    """Draft the report of an event that is over; preview and submit it among the submissions."""
    form = await request.form()
    fields = {name: field(form, name) for name in REPORT}
    try:
        number = await draft_report(request, event, fields)
    except PalmaresError as error:
        return await _event_answer(request, event, reason_of(error), fields)
    return redirected(to.submission(number))


async def live_payments(
    request: Request,
    event: FromPath[str],
    format: FromPath[str],  # noqa: A002
) -> Response[bytes]:
    """The list of payments of an event that is over, as a file.

    Raises:
        NotFoundException: no prizes follow from its notice.
    """
    check_format(format)
    loaded = await load(request, event)
    paid = live.payout_of(loaded)
    if paid is None:
        raise NotFoundException(msg("This event has no prizes to pay."))
    table = payment_list(paid, loaded.running.setup.names)
    content = await request.run_long(file_content, table, format)
    return Response(
        content,
        media_type=FORMATS[format],
        headers={"Cache-Control": "no-store", **attached(f"{event}-payments.{format}")},
    )


def report_fields(loaded: LoadedEvent, app_state: AppState) -> dict[str, str]:
    """The cells of the tournament and the event before a director changes them, from the notice."""
    tournament, event = report_defaults(loaded.notice, loaded.running.setup)
    own = {
        "name": loaded.running.setup.name,
        "end_date": app_state.today().isoformat(),
        "discipline": "backgammon",
    }
    return own | tournament | event


async def draft_report(request: Request, event: str, fields: Mapping[str, str]) -> int:
    """Draft the report of an event that is over; the number of the draft.

    Args:
        request: of its director.
        event: its id.
        fields: what the director says of it; all else is as the notice has it.

    Raises:
        FactsRejected: the event is not over, or something is missing or wrong.
        Refused: the director has too many drafts.
    """
    loaded = await load(request, event)
    events.check_over(loaded.running)
    typed = {name: squeezed(text) for name, text in fields.items()}
    cells = {name: text for name, text in (report_fields(loaded, request.app_state) | typed).items()
             if text}  # fmt: skip
    of_tournament = cells.keys() & TABLES["tournaments"].keys()
    body = Drafted(
        report="0" * 64,
        tournament={name: text for name, text in cells.items() if name in of_tournament},
        event={name: text for name, text in cells.items() if name not in of_tournament},
        submission=0,
    )
    content = await request.run_long(report_text, request.app_state, loaded, body)
    number = await create_draft(request, f"{event}.toml", "toml", content.encode())
    digest = sha256(content.encode()).hexdigest()
    body = msgspec.structs.replace(body, report=digest, submission=number)
    await record(request, event, lambda running: events.drafted(running, body))
    return number


def report_text(app_state: AppState, loaded: LoadedEvent, body: Drafted) -> str:
    """The report as it follows from the records; names of the journal's players in full."""
    rows = app_state.snapshot().facts["players"].select("player_id", "name").iter_rows()
    players = dict(rows)
    running = events.fold(loaded.records, {**players, **loaded.typed})
    ids = {who: who for who in running.setup.names if who in players and who not in loaded.typed}
    facts = report(body.tournament, [PlayedEvent(running=running, cells=body.event, ids=ids)])
    return write(facts.tables)
