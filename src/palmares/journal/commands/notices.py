"""The notice of an event in the journal, and every change of it."""

from __future__ import annotations

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts.text import shown
from palmares.journal.commands.decisions import checked_reason
from palmares.journal.commands.transaction import Transaction, action, already_recorded
from palmares.journal.store.kinds import EventNotice


@action
def publish(
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
        transaction.notices.append(already_recorded(last.sequence, f"notice of {shown(event)}"))
        return
    replaces = last.body.sha256 if last is not None else None
    if seen is not None and seen != (replaces or ""):
        raise Refused(
            msg(
                "%(event)s has another notice than the one you saw. Nothing was recorded; open it"
                " and change that one.",
                event=shown(event),
            )
        )
    why = checked_reason(reason) if replaces else None
    body = EventNotice(notice=notice, sha256=sha256, replaces=replaces, reason=why)
    transaction.add(event, body)
