"""
What officers decide, whether by a form or by a program: a dry run first, then the record.

What is confirmed is what was seen: whoever confirms brings the digest of the statements that were
shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from hashlib import sha256
from itertools import islice
from typing import Any

from palmares.core.canonical import canonical
from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.journal.commands.transaction import Action, Recorded, Transaction, dry_run, recorded
from palmares.journal.store.entries import Actor, Entry
from palmares.web.http.state import AppState, Snapshot
from palmares.web.services import RequestContext

MOST_ENTRIES = 2000
"""Entries of one delivery that are compared with what was seen."""
OTHERWISE = msg(
    "The journal has changed since this was shown. Nothing was recorded; look at it again."
)
REPEATED = msg("There is nothing to record: so it is known already.")


class Repeated(Refused):
    """There is nothing to record; so nothing is wrong."""


class Otherwise(Exception):
    """It would be recorded otherwise than it was shown."""


class Delivered(Exception):
    """A program sent it before, under the same key: these are its entries."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        super().__init__(REPEATED)
        self.entries = entries


def attempted(app_state: AppState, by: Actor, action: Action) -> tuple[Recorded, Snapshot]:
    """What an action would put down, and what was known before; nothing is recorded.

    Raises:
        Repeated: there is nothing to record.
        Refused: it refuses.
        FactsRejected: it would contradict what is recorded.
    """
    snapshot = app_state.snapshot(at_once=True)
    done = dry_run(app_state.journal, by, action, start=snapshot.projection)
    if not done.entries:
        raise Repeated(REPEATED)
    return done, snapshot


def confirmed(
    app_state: AppState,
    by: Actor,
    action: Action,
    seen: str,
    *,
    key: str | None = None,
) -> Recorded:
    """Record what was seen, and show it to everybody at once.

    Args:
        app_state: of the journal.
        by: who confirms.
        action: what is done.
        seen: the digest of the statements that were shown.
        key: a program's own for this delivery; sent again, it records nothing more.

    Raises:
        Otherwise: it would be recorded otherwise now.
        Repeated: there is nothing to record.
        Delivered: it was recorded under this key before.
        Refused: the action refuses, the key stands for something else, or the database refuses.
        FactsRejected: it would contradict what is recorded.
    """

    def act(desk: Transaction) -> None:
        if key is not None:
            _refuse_delivered(desk, key, seen)
            desk.key = key
        before = len(desk.drafts)
        action(desk)
        if len(desk.drafts) == before:
            raise Repeated(REPEATED)

    def as_seen(done: Recorded) -> None:
        if digest(done.entries) != seen:
            raise Otherwise

    start = app_state.snapshot(at_once=True).projection
    done = recorded(app_state.journal, by, act, start=start, heard=as_seen)
    app_state.snapshot(at_once=True)
    return done


async def decided(
    by: RequestContext, name: str, action: Action, seen: str, *, key: str | None = None
) -> tuple[Entry, ...]:
    """The entries of a decision, which is recorded as it was seen.

    Raises:
        Otherwise, Repeated, Delivered, Refused, FactsRejected: as of `confirmed`.
    """
    done = await by.app_state.signed_in.long(
        partial(confirmed, by.app_state, by.officer, action, seen, key=key)
    )
    by.note("recorded", decision=name, entry=done.entries[-1].sequence)
    return done.entries


def _refuse_delivered(desk: Transaction, key: str, seen: str) -> None:
    """Tell what was recorded under a key; what was seen says how many entries it was."""
    first = desk.writer.keyed(key)
    if first is None:
        return
    entries = tuple(islice(desk.writer.entries(after=first.sequence - 1), MOST_ENTRIES))
    for many, one in enumerate(_digests(entries), 1):
        if one == seen:
            raise Delivered(entries[:many])
    raise Refused(
        msg(
            "The key %(key)s stands for something else: entry %(entry)s. Use a key of its own.",
            key=brief(key),
            entry=str(first.sequence),
        )
    )


# ── what was seen ────────────────────────────────────────────────────────────────────────────────


def digest(entries: Iterable[Entry]) -> str:
    """The hash of what entries state; the salted seals of names are left out."""
    found = sha256().hexdigest()
    for found in _digests(entries):  # noqa: B007  the last one is wanted
        pass
    return found


def _digests(entries: Iterable[Entry]) -> Iterator[str]:
    """The same of the first entry, of the first two, and so on."""
    found = sha256()
    for one in entries:
        body: Mapping[str, Any] = one.read()
        unsalted = {**body, "person": None} if "person" in body else body
        found.update(canonical([one.kind, one.subject, unsalted]).encode() + b"\n")
        yield found.hexdigest()
