"""The announcement of a draw, recorded before its randomness exists."""

from __future__ import annotations

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts.text import shown
from palmares.journal.commands.transaction import Transaction, action, unchanged
from palmares.journal.store.kinds import DrawAnnouncement


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
        transaction.notices.append(unchanged(last.sequence, f"announcement of {shown(draw)}"))
        return
    expected = last.body.sha256 if last is not None else None
    if announcement.replaces != expected:
        raise Refused(_another(draw, expected))
    transaction.add(draw, announcement)


def _another(draw: str, expected: str | None) -> str:
    if expected is None:
        return msg(
            "The draw %(draw)s was never announced here, so there is nothing to replace. Leave"
            " out 'replaces' and 'reason', or record the first announcement.",
            draw=shown(draw),
        )
    return msg(
        "The draw %(draw)s is announced already. To announce it again, set 'replaces' to"
        " %(hash)s and give a 'reason'; the first stays visible.",
        draw=shown(draw),
        hash=expected,
    )
