"""A draw in the journal: its announcement, recorded before its randomness, and then that."""

from __future__ import annotations

from dataclasses import dataclass

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts.text import shown
from palmares.journal.commands.transaction import Transaction, action, already_recorded
from palmares.journal.projection.state import State, key_of
from palmares.journal.store.journal import Reader
from palmares.journal.store.kinds import DrawAnnouncement, DrawReveal


@action
def announce(transaction: Transaction, draw: str, announcement: DrawAnnouncement) -> None:
    """Record the announcement of a draw; a later one names the one it replaces.

    Args:
        transaction: where it is recorded.
        draw: its id.
        announcement: checked before.

    Raises, when it is done:
        Refused: the draw was announced, and the announcement does not name the last one.
    """
    last = transaction.state.in_force("draws", draw)
    if last is not None and last.body.sha256 == announcement.sha256:
        transaction.notices.append(
            already_recorded(last.sequence, f"announcement of {shown(draw)}")
        )
        return
    if last is None and announcement.replaces is not None:
        raise Refused(
            msg(
                "The draw %(draw)s was never announced here, so there is nothing to replace. Leave"
                " out 'replaces' and 'reason', or record the first announcement.",
                draw=shown(draw),
            )
        )
    if last is not None and announcement.replaces != last.body.sha256:
        raise Refused(
            msg(
                "The draw %(draw)s is announced already. To announce it again, set 'replaces' to"
                " %(hash)s and give a 'reason'; the first stays visible.",
                draw=shown(draw),
                hash=last.body.sha256,
            )
        )
    transaction.add(draw, announcement)


@action
def reveal(transaction: Transaction, draw: str, revealed: DrawReveal) -> None:
    """Record what the randomness of an announced draw came to.

    Args:
        transaction: where it is recorded.
        draw: the id of the draw.
        revealed: checked against the announcement before.

    Raises, when it is done:
        Refused: the draw has no such announcement, a later one replaced it, or other randomness is
            recorded for it.
    """
    last = transaction.state.in_force("draws", draw)
    if last is None or last.body.sha256 != revealed.announcement:
        raise Refused(
            msg(
                "The announcement in force of the draw %(draw)s is another one. Reveal the"
                " randomness of that one, or announce the draw again.",
                draw=shown(draw),
            )
        )
    key = key_of(draw, revealed.announcement)
    recorded = transaction.state.in_force("reveals", key)
    if recorded is None:
        transaction.add(draw, revealed)
    elif recorded.body.randomness == revealed.randomness:
        transaction.notices.append(
            already_recorded(recorded.sequence, f"randomness of {shown(draw)}")
        )
    else:
        raise Refused(
            msg(
                "Entry %(entry)s has other randomness for the draw %(draw)s. If that is wrong, undo"
                " the entry with a reason; both stay visible.",
                entry=str(recorded.sequence),
                draw=shown(draw),
            )
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDraw:
    """The announcement of a draw that is in force, and its randomness."""

    announcement: str  # canonical JSON
    recorded_at: str  # to the second, as announcements write it
    randomness: str | None  # JSON; none: not recorded yet


def recorded_draw(state: State, reader: Reader, draw: str) -> RecordedDraw:
    """A draw as the journal has it.

    Raises:
        Refused: it was never announced.
    """
    announced = state.in_force("draws", draw)
    if announced is None:
        raise Refused(
            msg(
                "No draw %(draw)s was announced in this journal. Check its id in the list of"
                " draws.",
                draw=shown(draw),
            )
        )
    revealed = state.in_force("reveals", key_of(draw, announced.body.sha256))
    return RecordedDraw(
        announcement=announced.body.announcement,
        recorded_at=f"{reader.entry(announced.sequence).recorded_at[:19]}Z",
        randomness=revealed.body.randomness if revealed else None,
    )
