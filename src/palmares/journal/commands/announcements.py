"""What a federation announces: races, recognition levels, draws, notices of events."""

from __future__ import annotations

import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Location, Problem, Refused, Unreadable, brief
from palmares.core.messages import msg
from palmares.core.toml import fault_of, parse
from palmares.facts.text import printable
from palmares.journal.commands.decisions import checked_reason
from palmares.journal.commands.transaction import Transaction, action, already_recorded
from palmares.journal.projection.project import State, key_of
from palmares.journal.store.entries import (
    Body,
    DrawAnnouncement,
    DrawReveal,
    EventNotice,
    Level,
    Levels,
    Race,
)
from palmares.journal.store.journal import Reader
from palmares.regulations import awarding, get_regulation
from palmares.regulations.levels import parse_levels

RACE_REMEDY = msg(
    "A race has race (its address, such as abt-2019), name and regulation; and where they matter"
    " kinds, setting, since, until and divisions. Correct the file and try again."
)


def parse_race(text: str, where: str = "race") -> Race:
    """The race that a file declares.

    Args:
        text: TOML, as ``docs/how-to/races.md`` describes it.
        where: the file, as the user named it.

    Raises:
        FactsRejected: it declares no race; every fault is named.
    """
    try:
        document = parse(text)
        race = msgspec.convert(document.values, Race)
    except Unreadable as error:
        raise _no_race(Location(where, error.line), error.what, remedy=error.remedy) from None
    except msgspec.ValidationError as error:
        line, what, remedy = fault_of(error, Race, document.text)
        raise _no_race(Location(where, line), what, remedy=remedy) from None
    if faults := _faults(race):
        raise _no_race(Location(where), *faults)
    return race


def _faults(race: Race) -> list[str]:
    """What is wrong with a race of the right shape."""
    if race.regulation not in awarding():
        regulations = ", ".join(awarding())
        return [msg("regulation: there is no %(asked)s with a ranking; there are: %(known)s",
                    asked=brief(race.regulation), known=regulations)]  # fmt: skip
    regulation, faults = get_regulation(race.regulation), []
    if unknown := [kind for kind in race.kinds if kind not in regulation.kinds]:
        faults.append(
            msg("kinds: %(regulation)s has no points of the kind %(kind)s; there are: %(known)s",
                regulation=regulation.name, kind=brief(unknown[0]),
                known=", ".join(regulation.kinds))
        )  # fmt: skip
    elif 1 < len(set(race.kinds)) < len(regulation.kinds):
        faults.append(msg("kinds: name one kind, or all of them"))
    if race.setting not in (None, "live", "online"):
        faults.append(msg("setting: it is live or online, not %(asked)s",
                          asked=brief(race.setting)))  # fmt: skip
    if race.since and race.until and race.since > race.until:
        faults.append(msg("since is after until: no day is between them"))
    if len(set(race.divisions)) < len(race.divisions):
        faults.append(msg("divisions: one of them stands there twice"))
    if race.divisions and regulation.aggregate.latest:
        faults.append(msg("divisions: a rating goes on from event to event, and has none"))
    return faults


def _no_race(at: Location, *faults: str, remedy: str = RACE_REMEDY) -> FactsRejected:
    return FactsRejected(
        Problem(at=at, what=fault, clause="race", remedy=remedy, code="race") for fault in faults
    )


@action
def declare_race(transaction: Transaction, file: str, where: str = "race") -> None:
    """Record a race; the last declaration of it is in force.

    Args:
        transaction: where it is recorded.
        file: the text of the file that declares it.
        where: what errors call the file.

    Raises, when it is done:
        FactsRejected: the file declares no race.
    """
    race = parse_race(file, where)
    _record_once(transaction, "races", race.race, race, f"race {race.race}")


def _record_once(transaction: Transaction, group: str, key: str, body: Body, what: str) -> None:
    """Record what an entry does not say already, or add the notice that one does."""
    last = transaction.state.in_force(group, key)
    if last is not None and last.body == body:
        transaction.notices.append(already_recorded(last.sequence, what))
    else:
        transaction.add(key, body)


@action
def set_levels(transaction: Transaction, regulation: str, file: str, where: str = "levels") -> None:
    """Record the recognition levels of a regulation; the last ones are in force.

    Args:
        transaction: where they are recorded.
        regulation: whose points they are of.
        file: the text of the file of levels.
        where: what errors call the file.

    Raises, when it is done:
        FactsRejected: it is no file of levels.
        Refused: the regulation has no levels.
    """
    if regulation not in awarding() or get_regulation(regulation).level is None:
        raise Refused(
            msg("%(regulation)s has no recognition levels.", regulation=brief(regulation))
        )
    levels = parse_levels(file, regulation, where)
    body = Levels(
        title=levels.title,
        source=levels.source,
        levels=[
            Level(level, f"{Decimal(points.numerator) / points.denominator:f}")
            for level, points in levels.thresholds.items()
        ],
    )
    _record_once(transaction, "levels", regulation, body, f"levels of {regulation}")


# ── draws ─────────────────────────────────────────────────────────────────────────────────────────


@action
def announce(
    transaction: Transaction, draw: str, announcement: str, sha256: str, replaces: str | None = None
) -> None:
    """Record the announcement of a draw; a later one names the one it replaces.

    Args:
        transaction: where it is recorded.
        draw: its id.
        announcement: checked before, as canonical JSON.
        sha256: of the announcement.
        replaces: that of the announcement it takes the place of.

    Raises, when it is done:
        Refused: the draw was announced, and the announcement does not name the last one, or has a
            commitment of an earlier one.
    """
    last = transaction.state.in_force("draws", draw)
    if last is not None and last.body.sha256 == sha256:
        transaction.notices.append(
            already_recorded(last.sequence, f"announcement of {printable(draw)}")
        )
        return
    if last is None and replaces:
        raise Refused(
            msg(
                "The draw %(draw)s was never announced here, so there is nothing to replace. Leave"
                " out 'replaces' and 'reason', or record the first announcement.",
                draw=printable(draw),
            )
        )
    if last is not None and replaces != last.body.sha256:
        raise Refused(
            msg(
                "The draw %(draw)s is announced already. To announce it again, set 'replaces' to"
                " %(hash)s and give a 'reason'; the first stays visible.",
                draw=printable(draw),
                hash=last.body.sha256,
            )
        )
    earlier = transaction.state.group("draws").get(draw, ())
    used = {sha256 for each in earlier for sha256 in _commitments(each.body.announcement)}
    if not used.isdisjoint(_commitments(announcement)):
        raise Refused(
            msg(
                "An earlier announcement of the draw %(draw)s has one of these commitments. A"
                " secret serves one announcement only: make new secrets and announce their hashes.",
                draw=printable(draw),
            )
        )
    body = DrawAnnouncement(announcement=announcement, sha256=sha256, replaces=replaces or None)
    transaction.add(draw, body)


def _commitments(announcement: str) -> set[str]:
    """The hashes of secrets in the text of an announcement."""
    return {
        commitment["sha256"]
        for source in json.loads(announcement)["randomness"]
        for commitment in source.get("commitments", ())
    }


@action
def reveal(transaction: Transaction, draw: str, sha256: str, randomness: Any) -> None:
    """Record what the randomness of an announced draw came to.

    Args:
        transaction: where it is recorded.
        draw: the id of the draw.
        sha256: of its announcement.
        randomness: what each source revealed, checked against the announcement before.

    Raises, when it is done:
        Refused: the draw has no such announcement, a later one replaced it, or other randomness is
            recorded for it.
    """
    last = transaction.state.in_force("draws", draw)
    if last is None or last.body.sha256 != sha256:
        raise Refused(
            msg(
                "The announcement in force of the draw %(draw)s is another one. Reveal the"
                " randomness of that one, or announce the draw again.",
                draw=printable(draw),
            )
        )
    revealed = DrawReveal(announcement=sha256, randomness=canonical(randomness))
    recorded = transaction.state.in_force("reveals", key_of(draw, sha256))
    if recorded is None:
        transaction.add(draw, revealed)
    elif recorded.body.randomness == revealed.randomness:
        transaction.notices.append(
            already_recorded(recorded.sequence, f"randomness of {printable(draw)}")
        )
    else:
        raise Refused(
            msg(
                "Entry %(entry)s has other randomness for the draw %(draw)s. If that is wrong, undo"
                " the entry with a reason; both stay visible.",
                entry=str(recorded.sequence),
                draw=printable(draw),
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDraw:
    """The announcement of a draw that is in force, and what its sources revealed."""

    announcement: str  # canonical JSON
    recorded_at: str  # to the second, as announcements write it
    randomness: Any  # as JSON has it
    bracket: str  # of late entries: the announcement of the bracket they join


def recorded_draw(state: State, reader: Reader, draw: str) -> RecordedDraw:
    """A draw as the journal has it.

    Raises:
        Refused: it was never announced, its randomness is not recorded, or late entries join a
            draw that was not announced here.
    """
    announced = state.in_force("draws", draw)
    if announced is None:
        raise Refused(
            msg(
                "No draw %(draw)s was announced in this journal. Check its id in the list of"
                " draws.",
                draw=printable(draw),
            )
        )
    revealed = state.in_force("reveals", key_of(draw, announced.body.sha256))
    if revealed is None:
        raise Refused(
            msg(
                "The randomness of the draw %(draw)s is not recorded yet. Record it first.",
                draw=printable(draw),
            )
        )
    return RecordedDraw(
        announcement=announced.body.announcement,
        recorded_at=f"{reader.entry(announced.sequence).recorded_at[:19]}Z",
        randomness=json.loads(revealed.body.randomness),
        bracket=_bracket(state, announced.body.announcement),
    )


def _bracket(state: State, announcement: str) -> str:
    """The announcement of the bracket that late entries join; of others their own."""
    announcements = {
        statement.body.sha256: statement.body.announcement
        for statements in state.group("draws").values()
        for statement in statements
    }
    while joined := json.loads(announcement).get("of"):
        if joined not in announcements:
            raise Refused(
                msg(
                    "These late entries join the draw with the hash %(hash)s, which was not"
                    " announced here. Start the event from a file with its entrants.",
                    hash=joined,
                )
            )
        announcement = announcements[joined]
    return announcement


# ── notices of events ─────────────────────────────────────────────────────────────────────────────


@action
def publish_notice(
    transaction: Transaction,
    event: str,
    notice: str,
    sha256: str,
    *,
    reason: str = "",
    seen: str | None = None,
) -> None:
    """Publish the notice of an event; a later one needs a reason, and names the one it replaces.

    Args:
        transaction: where it is recorded.
        event: its id.
        notice: checked before, as canonical JSON.
        sha256: of the notice.
        reason: why it was changed.
        seen: the hash of the notice that is replaced; if none is given, of the last one.

    Raises, when it is done:
        Refused: the notice has changed since it was seen, or the reason is missing.
    """
    last = transaction.state.in_force("notices", event)
    if last is not None and last.body.sha256 == sha256:
        transaction.notices.append(already_recorded(last.sequence, f"notice of {printable(event)}"))
        return
    replaces = last.body.sha256 if last is not None else None
    if seen is not None and seen != (replaces or ""):
        raise Refused(
            msg(
                "%(event)s has another notice than the one you saw. Nothing was recorded; open it"
                " and change that one.",
                event=printable(event),
            )
        )
    why = checked_reason(reason) if replaces else None
    body = EventNotice(notice=notice, sha256=sha256, replaces=replaces, reason=why)
    transaction.add(event, body)


def notice_of(state: State, event: str, sha256: str | None) -> str | None:
    """The text of the notice in force of an event; none if it has none.

    Args:
        state: of the journal.
        event: the id of the event.
        sha256: a notice that the event names, or one before it; none: the notice of its id.

    Raises:
        Refused: there is no notice with the hash.
    """
    for key, statements in state.group("notices").items():
        hashes = {statement.body.sha256 for statement in statements}
        if sha256 in hashes if sha256 else key == event:
            text: str = statements[-1].body.notice
            return text
    if sha256:
        raise Refused(
            msg(
                "The event was started with the notice %(sha256)s…, which is not published here, so"
                " no prizes follow. Publish that notice.",
                sha256=sha256[:12],
            )
        )
    return None
