"""
The feed of published lists, for whoever wants to hear of new ones (Atom, RFC 4287).

    Feed        what was published, and when
    feed        a journal  ->  the Feed of its latest lists
    atom        a Feed in a language, and where the site is  ->  Atom

An entry's id is made of its hash: the same on every copy of the journal, wherever the site is.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import urljoin
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from palmares.journal.state import State
from palmares.journal.store import Reader
from palmares.web import addresses
from palmares.web.hall import Known
from palmares.web.pages.list_words import narrowed
from palmares.web.pages.publications import PublishedList, published_lists
from palmares.web.wording import Wording

LATEST = 50
"""So many lists are in the feed."""
ATOM = "http://www.w3.org/2005/Atom"
_NEVER = "1970-01-01T00:00:00Z"
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What no XML may hold, not even escaped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A published list, as the feed tells of it."""

    published: PublishedList
    id: str  # urn:uuid:...
    recorded_at: str
    updated_at: str  # later than recorded_at if it was taken back


@dataclass(frozen=True, slots=True, kw_only=True)
class Feed:
    """What was published, the latest first."""

    id: str
    updated_at: str
    lists: tuple[Told, ...]


def feed(known: Known, reader: Reader) -> Feed:
    """The feed of the latest lists."""
    state = known.projection.state
    lists = published_lists(known)[:LATEST]
    undos = {one.entry: _undos(state, one.entry) for one in lists}
    wanted = {1, *undos, *(by for several in undos.values() for by in several)}
    found = {one.sequence: one for one in reader.those(wanted)}
    told = tuple(
        Told(
            published=one,
            id=_id(found[one.entry].hash),
            recorded_at=found[one.entry].recorded_at,
            updated_at=max(found[by].recorded_at for by in (one.entry, *undos[one.entry])),
        )
        for one in lists
    )
    return Feed(
        id=_id(found[1].hash if found else ""),
        updated_at=max((one.updated_at for one in told), default=_NEVER),
        lists=told,
    )


def _undos(state: State, entry: int) -> Collection[int]:
    """The undos of an entry, and of those undos."""
    below = [entry]
    for one in below:
        below += (by for by in state.undos.get(one, ()) if by > one)
    return below[1:]


def _id(text: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, text)}"


# ── as Atom ──────────────────────────────────────────────────────────────────────────────────────


def atom(page: Feed, said: Wording, base: str) -> bytes:
    """A feed as Atom.

    Args:
        page: what it tells.
        said: the language it tells it in.
        base: the address of the site, such as "https://ranking.example/".
    """
    _ = said.text
    root = ET.Element("feed", {"xmlns": ATOM, "xml:lang": said.tag})
    _text(root, "id", page.id)
    _text(root, "title", f"Palmares: {_('Published lists')}")
    _text(root, "updated", page.updated_at)
    _text(ET.SubElement(root, "author"), "name", "Palmares")
    _link(root, "self", urljoin(base, addresses.feed()), "application/atom+xml")
    _link(root, "alternate", urljoin(base, addresses.published()), "text/html")
    for one in page.lists:
        listed = one.published
        entry = ET.SubElement(root, "entry")
        _text(entry, "id", one.id)
        _text(entry, "title", _titled(listed, said))
        _text(entry, "published", one.recorded_at)
        _text(entry, "updated", one.updated_at)
        page_at = urljoin(base, addresses.published(listed.entry))
        _link(entry, "alternate", page_at, "text/html")
        manifest = urljoin(base, addresses.manifest(listed.entry))
        _link(entry, "related", manifest, "application/json", _("Manifest"))
        proof = urljoin(base, addresses.proof(listed.entry))
        _link(entry, "related", proof, "text/html", _("Recompute"))
        if listed.note:
            _text(entry, "summary", listed.note)
    ET.indent(root)
    content: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return content + b"\n"


def _titled(listed: PublishedList, said: Wording) -> str:
    """What a list is called: "WBGF ranking: nations, 31 December 2019"."""
    _ = said.text
    by = (_("nations"),) if listed.by == "nation" else ()
    more = (*by, *narrowed(listed, _, said.day))
    title = f"{listed.title}: {', '.join(more)}" if more else listed.title
    taken = f" ({_('taken back')})" if listed.undone else ""
    return f"{title}, {said.day(listed.as_of)}{taken}"


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = _fit(text)


def _link(parent: ET.Element, rel: str, href: str, kind: str, title: str = "") -> None:
    titled = {"title": _fit(title)} if title else {}
    ET.SubElement(parent, "link", {"rel": rel, "href": _fit(href), "type": kind, **titled})


def _fit(text: str) -> str:
    """Text that an XML document may hold."""
    return _NO_XML.sub("\ufffd", text)
