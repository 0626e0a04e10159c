"""What the desk and the API of an event share: loading, recording, changes, the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from hashlib import sha256

import msgspec

from palmares.facts.schema import TABLES
from palmares.facts.text import squeezed
from palmares.formats.toml.write import write
from palmares.journal.store.events import EventRecord, record_event
from palmares.tournaments import running as events
from palmares.tournaments.prizes import report_defaults
from palmares.tournaments.report import PlayedEvent, report
from palmares.tournaments.running import (
    Drafted,
    Drafts,
    ManualChange,
    ResultCorrection,
    Return,
    Running,
)
from palmares.tournaments.running import PlayerWithdrawal as Withdrawn
from palmares.tournaments.typed_results import HOW, TypedResult, read_result
from palmares.web.events import views
from palmares.web.events.views import LoadedEvent
from palmares.web.http.state import AppState, Request
from palmares.web.submissions.steps import create_draft


async def load(request: Request, event: str) -> LoadedEvent:
    """The event as it is now.

    Raises:
        NotFoundException: there is none.
    """
    snapshot = await request.app_state.now()
    read = request.app_state.read
    return await request.app_state.signed_in.page(read, views.load_event, snapshot, event)


async def record(
    request: Request, event: str, make: Callable[[Running], Drafts], key: str | None = None
) -> list[EventRecord]:
    """Record what *make* gives for the event as it is; on disk when it returns."""
    names = (await load(request, event)).running.setup.names

    def write_records() -> list[EventRecord]:
        return record_event(
            request.app_state.journal,
            event,
            request.user.name,
            lambda records: make(events.fold(records, names)),
            key=key or None,
        )

    return await request.app_state.signed_in.page(write_records)


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
        kind = Withdrawn if fields["action"] == "withdrawal" else Return
        return kind(player=fields.get("player", ""), reason=reason)
    is_open = fields.get("how") == "none"
    outcome = None if is_open else read_result(running, typed_result(fields))
    return ResultCorrection(match=fields.get("match", ""), outcome=outcome, reason=reason)


# ── the report ───────────────────────────────────────────────────────────────────────────────────


def report_fields(loaded: LoadedEvent, app_state: AppState) -> dict[str, str]:
    """What the report says of the tournament and the event at first: as the notice has it."""
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
