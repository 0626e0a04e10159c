"""The desk of draws: from a form to an announcement, and from what was typed to its randomness."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from palmares.core.canonical import canonical
from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.tournaments.draw import drand
from palmares.tournaments.draw.announcement import Announced, Numbers, Secrets, read
from palmares.tournaments.notice import Notice
from palmares.web.http.state import Snapshot
from palmares.web.shared.names import shown_players

FIELDS = (
    "draw", "event", "notice", "format", "entries", "seeds", "seeding", "byes", "groups", "apart",
    "source", "dice", "when", "commitments", "missing", "reason",
)  # fmt: skip
DICE = 16
"""So many dice have more than 2^40 outcomes."""
_NUMBERED = re.compile(r"^[0-9]+[.)] *")
_APART = re.compile(r"(?P<rounds>[0-9]+) rounds?(?:\s*\((?P<why>[^)]*)\))?\s*:\s*(?P<who>.+)")
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MINUTES = "%Y-%m-%dT%H:%M"


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawForm:
    """What stands in the form of an announcement."""

    fields: Mapping[str, str]

    def __getitem__(self, name: str) -> str:
        """What was typed into a field."""
        return self.fields[name]

    def announce(
        self, snapshot: Snapshot, notice: Notice | None, replaces: str | None
    ) -> Announced:
        """The announcement that was typed.

        Args:
            snapshot: whose players may be named.
            notice: of the event; its feeds are announced.
            replaces: hash of the announcement in force of this draw.

        Raises:
            Refused: a line cannot be read, or a rule of the specification is broken.
        """
        players = _Players(snapshot)
        entries = [players.id_of(line) for line in _lines(self["entries"])]
        plan: dict[str, Any] = {
            "palmares_draw": 1,
            "draw": self["draw"],
            "event": self["event"],
            "format": self["format"],
            "entries": entries,
            "randomness": [self._source()],
        }
        if self["format"] in ("knockout", "groups") and self["seeds"]:
            plan["seeds"] = entries[: _whole(self["seeds"], msg("Seeds"))]
        if self["format"] == "knockout":
            plan |= {"seeding": self["seeding"], "byes": self["byes"]}
            if notice is not None and notice.feeds:
                plan["feeds"] = [
                    {"name": feed.name, "of": feed.of, "rounds": feed.rounds}
                    for feed in notice.feeds
                ]
        if self["format"] == "groups":
            plan["groups"] = _whole(self["groups"], msg("Groups"))
        if self["apart"]:
            plan["apart"] = [_apart(line, players) for line in _lines(self["apart"])]
        if replaces is not None:
            plan |= {"replaces": replaces, "reason": self["reason"]}
        return read(canonical(plan).encode(), msg("The announcement"))

    def _source(self) -> dict[str, Any]:
        when = _moment(self["when"])
        if self["source"] == "drand":
            number = drand.round_at(int(when.timestamp()))
            due = datetime.fromtimestamp(drand.time_of(number), UTC)
            return {
                "kind": "drand", "chain": drand.CHAIN, "round": number, "when": _text(due),
            }  # fmt: skip
        if self["source"] == "secrets":
            commitments = [_commitment(line) for line in _lines(self["commitments"])]
            return {
                "kind": "secrets", "commitments": commitments, "when": _text(when),
                "missing": self["missing"],
            }  # fmt: skip
        return {
            "kind": "numbers", "source": self["dice"], "when": _text(when), "count": DICE,
            "from": 1, "to": 6, "repeats": True, "ascending": False,
        }  # fmt: skip


def empty_form(now: datetime) -> DrawForm:
    """A form that nobody has filled in: dice in an hour."""
    soon = (now + timedelta(hours=1)).replace(minute=0, second=0)
    return DrawForm(
        fields=dict.fromkeys(FIELDS, "")
        | {"format": "knockout", "seeding": "bands", "byes": "highest", "source": "dice",
           "dice": "16 dice, rolled at the club one after the other", "missing": "void",
           "when": soon.strftime(_MINUTES)}
    )  # fmt: skip


class _Players:
    """Players by id and by name, as they may be shown."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.known = shown_players(snapshot).select("player_id", "player", "nation")

    def id_of(self, line: str) -> str:
        """The id of a player by id or exact name; another id as it was typed.

        Raises:
            Refused: it is a name of none or of several.
        """
        typed = _NUMBERED.sub("", line).strip()
        if self.known["player_id"].eq(typed).any():
            return typed
        name = re.sub(r" *\([A-Z]{3}\)$", "", typed)
        own = self.known.filter(pl.col("player").str.to_lowercase() == name.lower())
        ids = own["player_id"].to_list()
        if len(ids) == 1:
            return str(ids[0])
        if not ids and _ID.fullmatch(typed):
            return typed
        several = msg("%(name)s is %(ids)s. Write one of these IDs.", name=brief(typed),
                      ids=", ".join(ids))  # fmt: skip
        none = msg("%(name)s is no player here. Write the player's ID, or an ID of your own without"
                   " spaces, such as ada-novak.", name=brief(typed))  # fmt: skip
        raise Refused(several if ids else none)


def _apart(line: str, players: _Players) -> dict[str, Any]:
    found = _APART.fullmatch(line)
    if found is None:
        raise Refused(
            msg(
                "Kept apart: %(line)s cannot be read. Write a line such as '2 rounds (Riga club):"
                " ada, bo, chen'.",
                line=brief(line),
            )
        )
    who = [players.id_of(name) for name in found["who"].split(",") if name.strip()]
    return {"who": who, "rounds": int(found["rounds"]), "why": found["why"] or "kept apart"}


def _commitment(line: str) -> dict[str, str]:
    who, _, digest = line.partition(" ")
    return {"id": who, "sha256": digest.strip()}


def _whole(text: str, label: str) -> int:
    if not re.fullmatch("[0-9]{1,4}", text):
        raise Refused(msg("%(label)s: write a whole number.", label=(label,)))
    return int(text)


def _moment(text: str) -> datetime:
    try:
        return datetime.strptime(text[:16], _MINUTES).replace(tzinfo=UTC)
    except ValueError:
        raise Refused(
            msg("%(text)s is no time. Write a time in UTC such as 2026-11-21T18:00.",
                text=brief(text))
        ) from None  # fmt: skip


def _text(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


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
