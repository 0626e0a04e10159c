"""Public draws: the list, one with its steps and places, and the forms that announce and draw."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import polars as pl
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, PathParameter

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Refused, brief
from palmares.core.messages import msg
from palmares.journal.commands.announcements import announce, recorded_draw, reveal
from palmares.journal.projection.project import State, Statement, key_of
from palmares.journal.store.entries import Undo, body_of
from palmares.journal.store.journal import Reader
from palmares.tournaments.draw import draw as drawing
from palmares.tournaments.draw import sources
from palmares.tournaments.draw.announcement import (
    Announced,
    DrawRefused,
    Numbers,
    Secrets,
    Source,
    moment,
    parse_document,
    read,
    tag_of,
    time_text,
)
from palmares.tournaments.draw.draw import check_now, choosers, explanation, run
from palmares.tournaments.notice import recorded
from palmares.web.http.errors import reason_of
from palmares.web.http.parameters import field, lines_of
from palmares.web.http.replies import private_answer, redirected
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request, Snapshot, cached
from palmares.web.shared.names import shown_players

FORMATS = {
    "knockout": msg("knockout"),
    "groups": msg("groups"),
    "pairs": msg("first round of a Swiss"),
    "order": msg("order by lot"),
    "late": msg("late entries"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRow:
    """A draw that was announced."""

    entry: int  # of the announcement
    draw: str
    event: str
    format: str  # knockout | groups | pairs | order | late
    format_name: str  # in words
    entrants: int
    state: str  # announced | drawn | replaced
    replaced_by: int | None  # the entry of the announcement that took its place


@dataclass(frozen=True, slots=True, kw_only=True)
class Draws:
    """Every draw that was announced, the latest first."""

    items: tuple[DrawRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawResult:
    """The draw that follows from the announcement and its randomness."""

    entry: int  # of the randomness
    recorded_at: str
    early: bool  # recorded before the randomness was due
    randomness: str  # as JSON
    seed_text: str
    seed: str
    attempts: int
    steps: tuple[str, ...]
    places: tuple[str | None, ...]  # the ids that were announced; none: a bye
    players: Mapping[str, str]  # names of those ids that are players of the journal


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoneReveal:
    """Randomness that was recorded for a draw and undone: another draw followed from it."""

    entry: int  # of the randomness
    recorded_at: str
    randomness: str  # as JSON
    undone_by: int  # the entry
    undone_at: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawPage:
    """A public draw: what was announced, what was revealed, and what follows."""

    row: DrawRow
    recorded_at: str  # the announcement
    author: str
    sha256: str  # of the announcement
    announcement: str  # canonical JSON
    replaces: int | None  # the entry of the announcement that it takes the place of
    reason: str
    sources: tuple[Source, ...]  # of the randomness
    choosers: tuple[str, ...]  # who can still choose among draws after the announcement
    result: DrawResult | None  # none: its randomness is not recorded yet
    refusal: str  # why no draw follows from what was recorded; empty: one does, or none is due
    undone: tuple[UndoneReveal, ...]  # the earliest first


def draws(snapshot: Snapshot) -> Draws:
    """Every draw that was announced, the latest first."""
    rows = [
        _row(snapshot, statement, following)
        for statements in snapshot.projection.state.group("draws").values()
        for statement, following in zip(statements, [*statements[1:], None], strict=True)
    ]
    return Draws(items=tuple(sorted(rows, key=lambda row: -row.entry)))


Announcement = Annotated[
    int,
    PathParameter(
        description="The entry of the journal in which the draw was announced.",
        examples=[Example(value=41)],
    ),
]


@cached
def draw_page(snapshot: Snapshot, app_state: AppState, entry: Announcement) -> DrawPage:
    """An announced draw: what decides it, each step in words, and the places.

    The draw is computed again from the announcement and the recorded randomness.

    Raises:
        NotFoundException: that entry announced no draw.
    """
    return app_state.read(_draw_page, snapshot, entry)


def _draw_page(reader: Reader, snapshot: Snapshot, entry: int) -> DrawPage:
    row = next((row for row in draws(snapshot).items if row.entry == entry), None)
    if row is None:
        raise NotFoundException(msg("There is no such draw."))
    filed = reader.entry(entry)
    announced = read(json.loads(filed.body)["announcement"].encode())
    content = announced.content
    recorded_at = f"{filed.recorded_at[:19]}Z"
    result, refusal = None, ""
    try:
        result = _result(snapshot, reader, announced, recorded_at)
    except DrawRefused as error:
        refusal = error.problems[0].what
    return DrawPage(
        row=row,
        recorded_at=recorded_at,
        author=filed.author,
        sha256=announced.sha256,
        announcement=announced.text,
        replaces=next(
            (
                statement.sequence
                for statement in snapshot.projection.state.group("draws")[row.draw]
                if statement.body.sha256 == content.replaces
            ),
            None,
        ),
        reason=content.reason or "",
        sources=tuple(content.randomness),
        choosers=tuple(choosers(announced)),
        result=result,
        refusal=refusal,
        undone=tuple(_undone_reveals(snapshot.projection.state, reader, announced)),
    )


def _undone_reveals(state: State, reader: Reader, announced: Announced) -> Iterator[UndoneReveal]:
    for statement in state.group("reveals").get(_reveal_key(announced), ()):
        if state.is_undone(statement.sequence):
            recorded = reader.entry(statement.sequence)
            undo = reader.entry(state.undos[statement.sequence][-1])
            yield UndoneReveal(
                entry=recorded.sequence,
                recorded_at=f"{recorded.recorded_at[:19]}Z",
                randomness=statement.body.randomness,
                undone_by=undo.sequence,
                undone_at=f"{undo.recorded_at[:19]}Z",
                reason=body_of(undo, Undo).reason,
            )


def _row(snapshot: Snapshot, statement: Statement, following: Statement | None) -> DrawRow:
    announcement = read(statement.body.announcement.encode())
    content = announcement.content
    revealed = _reveal(snapshot, announcement)
    state = "drawn" if revealed else "replaced" if following else "announced"
    form = tag_of(content)
    return DrawRow(
        entry=statement.sequence,
        draw=content.draw,
        event=content.event,
        format=form,
        format_name=FORMATS[form],
        entrants=len(content.entries),
        state=state,
        replaced_by=following.sequence if following else None,
    )


def _reveal(snapshot: Snapshot, announced: Announced) -> Statement | None:
    return snapshot.projection.state.in_force("reveals", _reveal_key(announced))


def _reveal_key(announced: Announced) -> str:
    return key_of(announced.content.draw, announced.sha256)


def _result(
    snapshot: Snapshot, reader: Reader, announced: Announced, recorded_at: str
) -> DrawResult | None:
    """The draw, computed again from the two entries.

    Raises:
        DrawRefused: none follows.
    """
    revealed = _reveal(snapshot, announced)
    if revealed is None:
        return None
    randomness = revealed.body.randomness
    drawn = drawing.run(announced.text.encode(), recorded_at, json.loads(randomness))
    at = f"{reader.entry(revealed.sequence).recorded_at[:19]}Z"
    players = shown_players(snapshot).filter(pl.col("player_id").is_in(drawn.places))
    names = dict(players.select("player_id", "player").iter_rows())
    return DrawResult(
        entry=revealed.sequence,
        recorded_at=at,
        early=at < max(source.when for source in announced.content.randomness),
        randomness=randomness,
        seed_text=drawn.seed.text,
        seed=drawn.seed.seed,
        attempts=len(drawn.attempts),
        steps=tuple(explanation(drawn, names)),
        places=tuple(drawn.places),
        players=names,
    )


FIELDS = (
    "draw", "event", "notice", "format", "groups", "joins", "entries", "seeds", "seeding", "byes",
    "apart", "alternates", "source", "dice", "when", "commitments", "missing", "reason", "file",
)  # fmt: skip
_NUMBER = re.compile("[0-9]{1,6}", re.ASCII)
DICE = 16
"""So many dice have more than 2^40 outcomes."""
_NUMBERED = re.compile(r"^[0-9]+[.)] *")
_APART = re.compile(r"(?P<rounds>[0-9]{1,4}) rounds?(?:\s*\((?P<why>[^)]*)\))?\s*:\s*(?P<who>.+)")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MINUTES = "%Y-%m-%dT%H:%M"


def empty_form(now: datetime) -> dict[str, str]:
    """The fields of a form that is not filled in: dice in an hour."""
    soon = (now + timedelta(hours=1)).replace(minute=0, second=0)
    return dict.fromkeys(FIELDS, "") | {
        "format": "knockout", "seeding": "bands", "byes": "highest", "source": "dice",
        "dice": "16 dice, rolled at the club one after the other", "missing": "void",
        "when": soon.strftime(_MINUTES),
    }  # fmt: skip


def announcement_of(app_state: AppState, fields: Mapping[str, str]) -> Announced:
    """The announcement that was typed, or pasted as a file.

    Raises:
        Refused: a line cannot be read, or a rule of the specification is broken.
    """
    name = msg("The announcement")
    if fields["file"].strip():
        document = parse_document(fields["file"].strip().encode(), name).values
    else:
        document = _document(app_state, fields)
    return read(canonical(document).encode(), name)


def _document(app_state: AppState, fields: Mapping[str, str]) -> dict[str, Any]:
    snapshot = app_state.snapshot(at_once=True)
    state = snapshot.projection.state
    players, form = _Players(snapshot), fields["format"]
    entries = players.ids(fields["entries"])
    document: dict[str, Any] = {
        "palmares_draw": 1, "draw": fields["draw"], "event": fields["event"], "format": form,
        "entries": entries, "randomness": [_source(fields)],
    }  # fmt: skip
    if form in ("knockout", "groups"):
        if fields["seeds"]:
            document["seeds"] = entries[: _number(fields["seeds"], msg("Seeds"))]
        if fields["alternates"]:
            document["alternates"] = players.ids(fields["alternates"])
    if form == "knockout":
        document |= {"seeding": fields["seeding"], "byes": fields["byes"]}
        notice = state.in_force("notices", fields["notice"])
        if notice is not None and (feeds := recorded(notice.body.notice).feeds):
            document["feeds"] = [
                {"name": feed.name, "of": feed.of, "rounds": feed.rounds} for feed in feeds
            ]
    if form == "groups":
        document["groups"] = _number(fields["groups"], msg("Groups"))
    if form == "late":
        document |= _bracket(app_state, fields["joins"])
    if fields["apart"]:
        document["apart"] = [_apart(line, players) for line in lines_of(fields["apart"])]
    return document | _replaced(state, fields)


def _replaced(state: State, fields: Mapping[str, str]) -> dict[str, str]:
    """The announcement that a new one of the same draw takes the place of, and why.

    Raises:
        Refused: there is one, and no reason.
    """
    last = state.in_force("draws", fields["draw"])
    if last is None:
        return {}
    if not fields["reason"]:
        raise Refused(
            msg(
                "The draw %(draw)s is announced already. Say why it is announced again; the first"
                " announcement stays visible.",
                draw=brief(fields["draw"]),
            )
        )
    return {"replaces": last.body.sha256, "reason": fields["reason"]}


def _bracket(app_state: AppState, draw: str) -> dict[str, Any]:
    """The bracket of a draw, whose byes late entries may take."""
    if not draw:
        raise Refused(msg("Choose the draw that the late entries join."))
    state = app_state.snapshot(at_once=True).projection.state
    joined = app_state.read(lambda reader: recorded_draw(state, reader, draw))
    drawn = run(joined.announcement.encode(), joined.recorded_at, joined.randomness)
    return {"of": drawn.announced.sha256, "layout": [who or "+" for who in drawn.places]}


def _source(fields: Mapping[str, str]) -> dict[str, Any]:
    try:
        when = moment(f"{fields['when']}:00Z")
    except ValueError:
        raise Refused(
            msg("%(text)s is no time. Write a time in UTC such as 2026-11-21T18:00.",
                text=brief(fields["when"]))
        ) from None  # fmt: skip
    if fields["source"] == "drand":
        number = sources.round_at(int(when.timestamp()))
        due = datetime.fromtimestamp(sources.time_of(number), UTC)
        return {"kind": "drand", "chain": sources.CHAIN, "round": number, "when": time_text(due)}
    if fields["source"] == "secrets":
        lines = (line.partition(" ") for line in lines_of(fields["commitments"]))
        return {
            "kind": "secrets", "when": time_text(when), "missing": fields["missing"],
            "commitments": [{"id": who, "sha256": digest.strip()} for who, _, digest in lines],
        }  # fmt: skip
    return {
        "kind": "numbers", "source": fields["dice"], "when": time_text(when), "count": DICE,
        "from": 1, "to": 6, "repeats": True, "ascending": False,
    }  # fmt: skip


class _Players:
    """Players by id and by name, as they may be shown."""

    def __init__(self, snapshot: Snapshot) -> None:
        rows = shown_players(snapshot).select("player_id", "player").iter_rows()
        self.names: dict[str, str] = dict(rows)
        self.by_name: dict[str, list[str]] = {}
        for player, name in self.names.items():
            self.by_name.setdefault(name.casefold(), []).append(player)

    def ids(self, text: str) -> list[str]:
        """The ids of players, one a line.

        Raises:
            Refused: a line names no player or several, or two ids differ only in capitals.
        """
        ids = [self.id_of(line) for line in lines_of(text)]
        spelled: dict[str, str] = {}
        for player in ids:
            other = spelled.setdefault(player.casefold(), player)
            if other != player:
                raise Refused(
                    msg("%(first)s and %(second)s differ only in capitals. Give one of them another"
                        " ID, such as %(first)s-2.", first=other, second=player)
                )  # fmt: skip
        return ids

    def id_of(self, line: str) -> str:
        """The id of a player by id or exact name; another id as it was typed.

        Raises:
            Refused: it is a name of none or of several.
        """
        typed = _NUMBERED.sub("", line).strip()
        if typed in self.names:
            return typed
        ids = self.by_name.get(re.sub(r" *\([A-Z]{3}\)$", "", typed).casefold(), [])
        if len(ids) == 1:
            return ids[0]
        if not ids and _ID.fullmatch(typed):
            return typed
        several = msg("%(name)s is %(ids)s. Write one of these IDs.", name=brief(typed),
                      ids=", ".join(ids))  # fmt: skip
        none = msg("%(name)s is no player here. Write the player's ID, or an ID of your own without"
                   " spaces, such as ada-novak.", name=brief(typed))  # fmt: skip
        raise Refused(several if ids else none)


def _apart(line: str, players: _Players) -> dict[str, Any]:
    parts = _APART.fullmatch(line)
    if parts is None:
        raise Refused(
            msg(
                "Kept apart: %(line)s cannot be read. Write a line such as '2 rounds (Riga club):"
                " ada, bo, chen'.",
                line=brief(line),
            )
        )
    who = [players.id_of(name) for name in parts["who"].split(",") if name.strip()]
    return {"who": who, "rounds": int(parts["rounds"]), "why": parts["why"] or "kept apart"}


def _number(text: str, label: str) -> int:
    if not re.fullmatch("[0-9]{1,4}", text):
        raise Refused(msg("%(label)s: write a whole number.", label=(label,)))
    return int(text)


# ── what the sources revealed ────────────────────────────────────────────────────────────────────


def reveals(announced: Announced, typed: Mapping[str, str]) -> Sequence[Any]:
    """What the sources revealed, as the specification writes it."""
    revealed: list[Any] = []
    for number, source in enumerate(announced.content.randomness):
        text = typed.get(f"{number}", "").strip()
        if isinstance(source, Numbers):
            numbers = text.replace(",", " ").split()
            if not all(map(_NUMBER.fullmatch, numbers)):
                numbers = []  # refused as too few: of 1.5 nobody knows whether it is one or two
            revealed.append({"numbers": [int(each) for each in numbers]})
        elif isinstance(source, Secrets):
            revealed.append(
                {"secrets": {each.id: typed.get(f"{number}.{each.id}", "").strip() or "-"
                             for each in source.commitments}}
            )  # fmt: skip
        else:
            revealed.append({"signature": text})
    return revealed


# ── the desk ─────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnouncementForm:
    """The form of a draw, and the announcement that it makes."""

    fields: Mapping[str, str]  # of the form, as they were typed
    notices: tuple[tuple[str, str], ...]  # events that have one: id and name
    brackets: tuple[tuple[str, str], ...]  # draws that late entries can join: id and event
    problem: str | None = None
    announcement: str = ""  # canonical JSON; empty: not checked yet
    sha256: str = ""
    entrants: int = 0
    choosers: tuple[str, ...] = ()  # who could still choose among draws


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealPage:
    """The form of what the sources of an announced draw revealed; none once it is drawn."""

    row: DrawRow
    sources: tuple[Source, ...]  # of the randomness
    typed: Mapping[str, str]
    problem: str | None = None


async def draw_desk(request: Request) -> Response[bytes]:
    """The form of an announcement."""
    return await _form_page(request, empty_form(_now(request)))


async def draw_send(request: Request) -> Response[Any]:
    """Check an announcement and show it, or record the one that was shown."""
    sent = await request.form()
    fields = empty_form(_now(request)) | {
        name: field(sent, name).strip() for name in FIELDS if name in sent
    }
    try:
        announced = await request.run_long(announcement_of, request.app_state, fields)
        await request.run_long(check_now, announced, lambda: time_text(_now(request)))
        if field(sent, "step") == "record":
            return redirected(to.draw(await _announce(request, announced)))
    except (Refused, FactsRejected) as refused:
        return await _form_page(request, fields, problem=reason_of(refused))
    return await _form_page(
        request, fields, announcement=announced.text, sha256=announced.sha256,
        entrants=len(announced.content.entries), choosers=tuple(choosers(announced)),
    )  # fmt: skip


async def _announce(request: Request, announced: Announced) -> int:
    draw_id = announced.content.draw
    replaces = announced.content.replaces or None
    action = announce(draw_id, announced.text, announced.sha256, replaces)
    await request.record("draw", action)
    state = (await request.app_state.now()).projection.state
    return next(
        statement.sequence
        for statement in state.group("draws")[draw_id]
        if statement.body.sha256 == announced.sha256
    )


async def _form_page(request: Request, fields: Mapping[str, str], **more: Any) -> Response[bytes]:
    snapshot = await request.app_state.now()
    notices = snapshot.projection.state.all_in_force("notices")
    page = AnnouncementForm(
        fields=fields,
        notices=tuple((event, recorded(stated.body.notice).name) for event, stated in notices),
        brackets=tuple(
            (row.draw, f"{row.event} ({row.draw})")
            for row in draws(snapshot).items
            if row.state == "drawn" and row.format in ("knockout", "late") and not row.replaced_by
        ),
        **more,
    )
    return await private_answer(request, page)


def _now(request: Request) -> datetime:
    return datetime.fromtimestamp(request.app_state.settings.clock(), UTC)


async def draw_reveal(request: Request, entry: FromPath[int]) -> Response[bytes]:
    """The form of what the sources of an announced draw revealed."""
    snapshot = await request.app_state.now()
    announced = _announced(snapshot, entry)
    return await private_answer(request, _reveal_page(snapshot, announced, entry, {}))


async def draw_reveal_send(request: Request, entry: FromPath[int]) -> Response[Any]:
    """Record what the sources revealed, if a draw follows from it."""
    sent, snapshot = await request.form(), await request.app_state.now()
    announced = _announced(snapshot, entry)
    typed = {name: field(sent, name) for name in sent}
    try:
        revealed = reveals(announced, typed)
        await request.run_long(_draw, request, announced, entry, revealed)
        action = reveal(announced.content.draw, announced.sha256, revealed)
        await request.record("randomness", action)
    except (Refused, FactsRejected) as refused:
        page = _reveal_page(snapshot, announced, entry, typed, reason_of(refused))
        return await private_answer(request, page)
    return redirected(to.draw(entry))


def _announced(snapshot: Snapshot, entry: int) -> Announced:
    """The announcement that an entry recorded.

    Raises:
        NotFoundException: it recorded none.
    """
    for statements in snapshot.projection.state.group("draws").values():
        for statement in statements:
            if statement.sequence == entry:
                return read(statement.body.announcement.encode())
    raise NotFoundException(msg("There is no such draw."))


def _draw(request: Request, announced: Announced, entry: int, revealed: Sequence[Any]) -> None:
    """Refuse what was revealed before it was due, or if no draw follows from it."""
    due = max(source.when for source in announced.content.randomness)
    if time_text(_now(request)) < due:
        raise Refused(msg("The randomness appears at %(due)s. Wait until then.", due=due))
    filed = request.app_state.read(Reader.entry, entry)
    recorded_at = f"{filed.recorded_at[:19]}Z"
    run(announced.text.encode(), recorded_at, revealed)


def _reveal_page(
    snapshot: Snapshot,
    announced: Announced,
    entry: int,
    typed: Mapping[str, str],
    problem: str | None = None,
) -> RevealPage:
    return RevealPage(
        row=next(row for row in draws(snapshot).items if row.entry == entry),
        sources=tuple(announced.content.randomness),
        typed=typed,
        problem=problem,
    )
