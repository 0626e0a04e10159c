"""
The feed of published lists (Atom, RFC 4287).

An entry's id is made of its hash: the same on every copy of the journal, wherever the site is.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from urllib.parse import urljoin
from uuid import NAMESPACE_URL, uuid5

from palmares.journal.projection.project import State
from palmares.journal.store.journal import Reader
from palmares.web.http.i18n import Wording
from palmares.web.http.state import Snapshot
from palmares.web.http.templating import ENVIRONMENT
from palmares.web.shared.lists import PublishedList, published_lists

LATEST = 50
"""So many lists are in the feed."""
_NEVER = "1970-01-01T00:00:00Z"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold, not even escaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """A published list in the feed."""

    published: PublishedList
    id: str  # urn:uuid:...
    recorded_at: str
    updated_at: str  # later than recorded_at if it was taken back


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What was published, the latest first."""

    id: str
    updated_at: str
    lists: tuple[FeedEntry, ...]


def feed(snapshot: Snapshot, reader: Reader) -> Feed:
    """The feed of the latest lists."""
    lists = published_lists(snapshot)[:LATEST]
    undos = {each.entry: _undos(snapshot.projection.state, each.entry) for each in lists}
    wanted = {1, *undos, *(by for several in undos.values() for by in several)}
    entries = {entry.sequence: entry for entry in reader.by_number(wanted)}
    rows = tuple(
        FeedEntry(
            published=each,
            id=_id(entries[each.entry].hash),
            recorded_at=entries[each.entry].recorded_at,
            updated_at=max(entries[by].recorded_at for by in (each.entry, *undos[each.entry])),
        )
        for each in lists
    )
    return Feed(
        id=_id(entries[1].hash if entries else ""),
        updated_at=max((row.updated_at for row in rows), default=_NEVER),
        lists=rows,
    )


def _undos(state: State, entry: int) -> Collection[int]:
    """The undos of an entry, and of those undos."""
    below = [entry]
    for undone in below:
        below += (by for by in state.undos.get(undone, ()) if by > undone)
    return below[1:]


def _id(text: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, text)}"


def atom(page: Feed, wording: Wording, base: str, site: str) -> bytes:
    """A feed as Atom.

    Args:
        page: the feed.
        wording: of a language.
        base: the address of the site, such as "https://ranking.example/".
        site: its name.
    """
    text = ENVIRONMENT.get_template("feed.xml").render(
        page=page,
        tag=wording.tag,
        _=wording.text,
        day=wording.day,
        at=partial(urljoin, base),
        site=site,
    )
    return _NO_XML.sub("\ufffd", text).encode() + b"\n"
