"""Operations of the API for directors who run an event: what the desk does by forms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import msgspec
from litestar import Response
from litestar.params import RawBody
from msgspec import Meta

from palmares.tournaments import prizes
from palmares.tournaments import running as events
from palmares.tournaments.running import Drafts, Running
from palmares.tournaments.typed_results import TypedResult, read_result
from palmares.web.events import views
from palmares.web.events.recording import change_of, draft_report, load, record
from palmares.web.events.routes import EventId
from palmares.web.events.views import Following, LiveMatch, LivePrizes, live_match
from palmares.web.http.bodies import RequestBody, Text, decode_body
from palmares.web.http.replies import private_answer
from palmares.web.http.state import Request


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


_Accepted = Annotated[
    Text,
    Meta(
        description="`accepted` of the answer before, once what follows was looked at; empty: only"
        " show what follows."
    ),
]


class SentCorrection(RequestBody, frozen=True, kw_only=True):
    """A match ended otherwise than was recorded."""

    match: Annotated[Text, Meta(description="Such as `main:2:1`.")]
    reason: Text
    winner: Annotated[Text, Meta(description="An id or a name; empty: neither appeared.")] = ""
    score: Text = ""
    how: Annotated[
        Text, Meta(description="As of a result, or `none`: the match has not ended.")
    ] = ""
    length: Text = ""
    table: Text = ""
    accepted: _Accepted = ""


class SentWithdrawal(RequestBody, frozen=True, kw_only=True):
    """A player plays no more, or plays again."""

    player: Annotated[Text, Meta(description="The id of the entrant.")]
    back: Annotated[bool, Meta(description="The withdrawal was a mistake.")] = False
    reason: Text = ""
    accepted: _Accepted = ""


class SentRound(RequestBody, frozen=True, kw_only=True):
    """The round of a Swiss to be paired."""

    round: int


class SentSplit(RequestBody, frozen=True, kw_only=True):
    """The prizes that players agreed on; they sum to their prizes by the rule of the notice."""

    amounts: Annotated[
        dict[str, Text],
        Meta(description="Such as `900.50`, by id or name; empty: by the rule again."),
    ]


class SentReport(RequestBody, frozen=True, kw_only=True):
    """What the report says; empty fields are as the notice of the event has them."""

    name: Annotated[Text, Meta(description="Of the tournament.")] = ""
    end_date: Text = ""
    discipline: Text = ""
    currency: Text = ""
    kind: Text = ""
    entry_fee: Text = ""
    event_type: Text = ""
    division_rank: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedResult:
    """A result that is recorded."""

    match: LiveMatch
    sequence: int  # of the last record of the event
    next: tuple[LiveMatch, ...]  # can start now


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedChange:
    """What follows from a change by hand, and whether it is recorded."""

    recorded: bool
    accepted: str  # to be sent with the same change to record it; empty: recorded
    following: tuple[Following, ...]  # matches that change with it
    sequence: int  # of the last record of the event


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedRound:
    """A round of a Swiss that is paired."""

    matches: tuple[LiveMatch, ...]
    sequence: int  # of the last record of the event


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedSplit:
    """The prizes after a split was recorded."""

    prizes: LivePrizes | None
    sequence: int  # of the last record of the event


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftedReport:
    """The report of an event that was drafted."""

    submission: int  # its number among the submissions, where it is previewed and submitted


async def api_live_result(
    request: Request, event: EventId, body: RawBody
) -> Response[RecordedResult]:
    """Enter the result of a match.

    It is on disk when it is answered. Sent again with the same `key`, or as the same result, it is
    recorded once and answered the same.
    """
    sent = decode_body(body, SentResult)
    fields = msgspec.structs.asdict(sent)
    key = fields.pop("key")
    typed = TypedResult(**fields)
    await record(
        request,
        event,
        lambda running: events.result(running, typed.match, read_result(running, typed)),
        key,
    )
    loaded = await load(request, event)
    running = loaded.running
    answer = RecordedResult(
        match=live_match(running, running.match(typed.match)),
        sequence=loaded.records[-1].sequence,
        next=tuple(live_match(running, match) for match in running.next),
    )
    return await private_answer(request, answer)


async def api_live_correction(
    request: Request, event: EventId, body: RawBody
) -> Response[RecordedChange]:
    """Correct the result of a match: what follows is shown first, and recorded once accepted.

    Send it without `accepted` to see what follows; then again with `accepted` of the answer.
    """
    fields = msgspec.structs.asdict(decode_body(body, SentCorrection))
    return await _change(request, event, fields | {"action": "correction"})


async def api_live_withdrawal(
    request: Request, event: EventId, body: RawBody
) -> Response[RecordedChange]:
    """Let a player play no more, or play again: what follows is shown first.

    Opponents win by walkover. Send it without `accepted` to see what follows; then again with
    `accepted` of the answer.
    """
    fields = msgspec.structs.asdict(decode_body(body, SentWithdrawal))
    action = "return" if fields.pop("back") else "withdrawal"
    return await _change(request, event, fields | {"action": action})


async def _change(request: Request, event: str, fields: dict[str, str]) -> Response[RecordedChange]:
    accepted = fields.pop("accepted")
    before = (await load(request, event)).running
    change = change_of(before, fields)
    events.check_change(before, change)
    following = views.following(before, change)
    if accepted:
        await record(request, event, lambda running: events.change(running, change, accepted))
    answer = RecordedChange(
        recorded=bool(accepted),
        accepted="" if accepted else events.fingerprint(events.consequences(before, change)),
        following=following,
        sequence=(await load(request, event)).records[-1].sequence,
    )
    return await private_answer(request, answer)


async def api_live_round(
    request: Request, event: EventId, body: RawBody
) -> Response[RecordedRound]:
    """Pair the next round of a Swiss. A round that is paired already is answered the same."""
    number = decode_body(body, SentRound).round

    def make(running: Running) -> Drafts:
        return events.pair_round(running, number)

    await record(request, event, make)
    loaded = await load(request, event)
    matches = (match for match in loaded.running.matches if match.round == number)
    answer = RecordedRound(
        matches=tuple(live_match(loaded.running, match) for match in matches),
        sequence=loaded.records[-1].sequence,
    )
    return await private_answer(request, answer)


async def api_live_split(
    request: Request, event: EventId, body: RawBody
) -> Response[RecordedSplit]:
    """Record the split of prizes that players of an event that is over agreed on."""
    sent = decode_body(body, SentSplit)
    notice = (await load(request, event)).notice
    await record(
        request, event, lambda running: prizes.split(running, notice, sent.amounts.items())
    )
    loaded = await load(request, event)
    answer = RecordedSplit(prizes=views.live_prizes(loaded), sequence=loaded.records[-1].sequence)
    return await private_answer(request, answer)


async def api_live_report(
    request: Request, event: EventId, body: RawBody
) -> Response[DraftedReport]:
    """Draft the report of an event that is over; preview and submit it among the submissions."""
    sent = msgspec.structs.asdict(decode_body(body, SentReport))
    given = {name: text for name, text in sent.items() if text}
    number = await draft_report(request, event, given)
    return await private_answer(request, DraftedReport(submission=number))
