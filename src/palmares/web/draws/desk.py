"""The desk of draws: from a form to an announcement, and from what was typed to its randomness."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from palmares.core.canonical import canonical
from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.journal.commands.announcements import recorded_draw
from palmares.tournaments.draw import drand
from palmares.tournaments.draw.announcement import (
    Announced,
    Numbers,
    Secrets,
    parse_document,
    read,
    time_text,
)
from palmares.tournaments.draw.draw import run
from palmares.tournaments.notice import recorded
from palmares.web.http.state import AppState, Snapshot
from palmares.web.shared.names import shown_players

FIELDS = (
    "draw", "event", "notice", "format", "groups", "joins", "entries", "seeds", "seeding", "byes",
    "apart", "alternates", "source", "dice", "when", "commitments", "missing", "reason", "file",
)  # fmt: skip
DICE = 16
"""So many dice have more than 2^40 outcomes."""
_NUMBERED = re.compile(r"^[0-9]+[.)] *")
_APART = re.compile(r"(?P<rounds>[0-9]+) rounds?(?:\s*\((?P<why>[^)]*)\))?\s*:\s*(?P<who>.+)")
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
        document = parse_document(fields["file"].strip().encode(), name)
    else:
        document = _document(app_state, fields)
    return read(canonical(document).encode(), name)


def _document(app_state: AppState, fields: Mapping[str, str]) -> dict[str, Any]:
    """The announcement that fields describe."""
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
        document["apart"] = [_apart(line, players) for line in _lines(fields["apart"])]
    last = state.in_force("draws", fields["draw"])
    if last is not None:
        document |= {"replaces": last.body.sha256, "reason": fields["reason"]}
    return document


def _bracket(app_state: AppState, draw: str) -> dict[str, Any]:
    """The bracket of a draw, whose byes late entries may take."""
    if not draw:
        raise Refused(msg("Choose the draw that the late entries join."))
    state = app_state.snapshot(at_once=True).projection.state
    with app_state.journal.reading() as reader:
        joined = recorded_draw(state, reader, draw)
    drawn = run(joined.announcement.encode(), joined.recorded_at, joined.randomness)
    return {"of": drawn.announced.sha256, "layout": [who or "+" for who in drawn.places]}


def _source(fields: Mapping[str, str]) -> dict[str, Any]:
    try:
        when = datetime.strptime(fields["when"][:16], _MINUTES).replace(tzinfo=UTC)
    except ValueError:
        raise Refused(
            msg("%(text)s is no time. Write a time in UTC such as 2026-11-21T18:00.",
                text=brief(fields["when"]))
        ) from None  # fmt: skip
    if fields["source"] == "drand":
        number = drand.round_at(int(when.timestamp()))
        due = datetime.fromtimestamp(drand.time_of(number), UTC)
        return {"kind": "drand", "chain": drand.CHAIN, "round": number, "when": time_text(due)}
    if fields["source"] == "secrets":
        lines = (line.partition(" ") for line in _lines(fields["commitments"]))
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
        ids = [self.id_of(line) for line in _lines(text)]
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


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


# ── what the sources revealed ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealField:
    """Where what a source revealed is typed."""

    name: str
    kind: str  # numbers | secret | drand
    about: str  # the source, or who keeps the secret
    when: str  # it is due, in UTC
    count: int  # of numbers


def reveal_fields(announced: Announced) -> Iterator[RevealField]:
    """The fields of an announcement's sources."""
    for number, source in enumerate(announced.content.randomness):
        if isinstance(source, Numbers):
            yield RevealField(name=f"{number}", kind="numbers", about=source.source,
                              when=source.when, count=source.count)  # fmt: skip
        elif isinstance(source, Secrets):
            for commitment in source.commitments:
                yield RevealField(name=f"{number}.{commitment.id}", kind="secret",
                                  about=commitment.id, when=source.when, count=0)  # fmt: skip
        else:
            yield RevealField(name=f"{number}", kind="drand", about=str(source.round),
                              when=source.when, count=0)  # fmt: skip


def reveals(announced: Announced, typed: Mapping[str, str]) -> Sequence[Any]:
    """What the sources revealed, as the specification writes it."""
    revealed: list[Any] = []
    for number, source in enumerate(announced.content.randomness):
        text = typed.get(f"{number}", "").strip()
        if isinstance(source, Numbers):
            numbers = re.findall("[0-9]{1,6}", text)
            revealed.append({"numbers": [int(each) for each in numbers]})
        elif isinstance(source, Secrets):
            revealed.append(
                {"secrets": {each.id: typed.get(f"{number}.{each.id}", "").strip() or "-"
                             for each in source.commitments}}
            )  # fmt: skip
        else:
            revealed.append({"signature": text})
    return revealed
