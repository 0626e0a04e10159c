"""
The steps of a decision, whether by a form or by a program: seen first, then recorded.

    rehearsal_of    an action  ->  its preview
    confirmed       an action, and what was seen of it  ->  its entries, or `Otherwise`
    looked_at, decided      the same two as steps at the desk, one at a time
    Otherwise       it would be recorded otherwise now
    Repeated        there is nothing to record
    Delivered       a program sent it before, under the same key

What is confirmed is what was seen: whoever confirms brings the digest of the statements that were
shown.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from itertools import islice

from palmares.errors import Refused, brief
from palmares.journal.entries import Actor, Entry
from palmares.journal.recording import Action, Desk, Recorded, recorded, rehearsed
from palmares.publication import KIND
from palmares.web.desks import Caller
from palmares.web.hall import Hall
from palmares.web.messages import said
from palmares.web.pages.officer import Preview, digest, digests, preview
from palmares.web.pages.officer_publishing import coming
from palmares.web.pages.pasted_lines import MOST_LINES

OTHERWISE = said(
    "The journal has changed since this was shown. Nothing was recorded; look at it again."
)
REPEATED = said("There is nothing to record: so it is known already.")


class Repeated(Refused):
    """There is nothing to record; so nothing is wrong."""


class Otherwise(Exception):
    """It would be recorded otherwise than it was shown."""


class Delivered(Exception):
    """A program sent it before, under the same key: these are its entries."""

    def __init__(self, entries: tuple[Entry, ...]) -> None:
        super().__init__(REPEATED)
        self.entries = entries


def rehearsal_of(hall: Hall, by: Actor, action: Action) -> Preview:
    """What an action would record and move; nothing is recorded.

    Raises:
        Repeated: there is nothing to record.
        Refused: it refuses.
        FactsRejected: it would contradict what is recorded.
    """
    known = hall.known(at_once=True)
    done = rehearsed(hall.journal, by, action, start=known.projection)
    if not done.entries:
        raise Repeated(REPEATED)
    found = preview(done, known, hall.today())
    if all(one.kind != KIND for one in done.entries):
        return found
    with hall.journal.reading() as reader:
        return replace(found, lists=coming(done, known, reader, hall.today()))


def confirmed(
    hall: Hall,
    by: Actor,
    action: Action,
    seen: str,
    *,
    key: str | None = None,
) -> Recorded:
    """Record what was seen, and show it to everybody at once.

    Args:
        hall: of the journal.
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

    def act(desk: Desk) -> None:
        if key is not None:
            _refuse_delivered(desk, key, seen)
            desk.key = key
        before = len(desk.drafts)
        action(desk)
        if len(desk.drafts) == before:
            raise Repeated(REPEATED)

    def as_seen(done: Recorded) -> None:
        if digest((one.kind, one.subject, one.read()) for one in done.entries) != seen:
            raise Otherwise

    start = hall.known(at_once=True).projection
    done = recorded(hall.journal, by, act, start=start, heard=as_seen)
    hall.known(at_once=True)
    return done


async def looked_at(by: Caller, action: Action) -> Preview:
    """What an action would record and move; nothing is recorded.

    Raises:
        Repeated, Refused, FactsRejected: as of `rehearsal_of`.
    """
    return await by.hall.signed_in.long(rehearsal_of, by.hall, by.officer, action)


async def decided(
    by: Caller, name: str, action: Action, seen: str, *, key: str | None = None
) -> tuple[Entry, ...]:
    """The entries of a decision, which is recorded as it was seen.

    Raises:
        Otherwise, Repeated, Delivered, Refused, FactsRejected: as of `confirmed`.
    """
    done = await by.hall.signed_in.long(
        partial(confirmed, by.hall, by.officer, action, seen, key=key)
    )
    by.note("recorded", decision=name, entry=done.entries[-1].sequence)
    return done.entries


def _refuse_delivered(desk: Desk, key: str, seen: str) -> None:
    """Tell what was recorded under a key; what was seen says how many entries it was."""
    first = desk.writer.keyed(key)
    if first is None:
        return
    entries = tuple(islice(desk.writer.entries(after=first.sequence - 1), MOST_LINES))
    found = digests((one.kind, one.subject, one.read()) for one in entries)
    for many, one in enumerate(found, 1):
        if one == seen:
            raise Delivered(entries[:many])
    raise Refused(
        said(
            "The key %(key)s stands for something else: entry %(entry)s. Use a key of its own.",
            key=brief(key),
            entry=str(first.sequence),
        )
    )
