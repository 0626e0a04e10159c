"""
Lists that were announced, the files they are recomputed from, and that done here.

    publications    all of them
    publication     one, row by row
    manifest        the file from which anybody can recompute it
    proof           the same recomputed here and now
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Annotated, TypeVar

from anyio import to_thread
from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter

from palmares.journal.store import Reader
from palmares.publication.manifest import Manifest
from palmares.web.api.asked import Cursor, Limit
from palmares.web.api.cursors import USUAL, Window
from palmares.web.api.replies import answered, listed, opened
from palmares.web.hall import Hall, Known
from palmares.web.pages import publications as pages
from palmares.web.pages.list_steps import ListStep
from palmares.web.pages.publications import ProofPage, PublicationRow, PublishedList
from palmares.web.pages.published_since import since
from palmares.web.replies import JSON, Visit, finished

T = TypeVar("T")

TAGS = ["Publications"]

EntryNumber = Annotated[
    int,
    PathParameter(
        description="The entry of the journal in which the list was announced.",
        examples=[Example(value=41)],
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publications:
    """Every list that was announced, the latest first."""

    entry: int  # the last entry of the journal that counts
    lists: int
    items: tuple[PublishedList, ...]
    next: str | None  # the address of the next rows; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A sheet of an edition that was in force."""

    edition: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationList:
    """A list as it was announced, whatever was recorded later."""

    published: PublishedList
    day: date  # it was recorded
    author: str
    hash: str  # of its entry
    facts_sha256: str
    palmares: str  # the version that computed it
    editions: tuple[Sheet, ...]
    since: ListStep | None  # to the list of that day as it is known now; none: it cannot be said
    rows: int  # on the whole list
    items: tuple[PublicationRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@get("/publications", name="api_publications", tags=TAGS)
async def publications(
    request: Visit, limit: Limit = USUAL, cursor: Cursor = ""
) -> Response[Publications]:
    """Every list that was announced, the latest first."""

    def build(known: Known, window: Window) -> Publications:
        found = pages.published_lists(known)
        rows, more = window.cut(found, "entry", known.head.sequence)
        return Publications(entry=known.head.sequence, lists=len(found), items=rows, next=more)

    return await listed(request, build, limit, cursor)


@get("/publications/{entry:int}", name="api_publication", tags=TAGS)
async def publication(
    request: Visit, entry: EntryNumber, limit: Limit = USUAL, cursor: Cursor = ""
) -> Response[PublicationList]:
    """A list as it was announced, whatever was recorded later.

    The names are those that may be shown today.
    """

    def build(known: Known, window: Window) -> PublicationList:
        return _read(request, lambda reader: _publication(known, reader, entry, window))

    return await listed(request, build, limit, cursor)


def _publication(
    known: Known, reader: Reader, entry: int, window: Window
) -> PublicationList | None:
    published = pages.one_of(known, entry)
    if published is None:
        return None
    found = pages.manifest_of(known, reader, entry)
    filed = found.entry
    assert filed is not None  # noqa: S101  a list of a journal has an entry
    said = found.publication
    frame = said.frame()
    identified = "player_id" if "player_id" in frame.columns else "nation"
    rows, more = window.cut(frame, identified, known.head.sequence)
    return PublicationList(
        published=published,
        day=date.fromisoformat(filed.recorded_at[:10]),
        author=filed.author,
        hash=filed.hash,
        facts_sha256=said.facts_sha256,
        palmares=said.palmares,
        editions=tuple(Sheet(edition=one, sha256=of.sha256) for one, of in said.editions.items()),
        since=since(known, entry, said),
        rows=len(frame),
        items=pages.rows(known, reader, rows),
        next=more,
    )


@get("/publications/{entry:int}/manifest", name="api_manifest", tags=TAGS)
async def manifest(request: Visit, entry: EntryNumber) -> Response[Manifest]:
    """The manifest of a list, as its file has it.

    `palmares verify` recomputes the list from it, byte for byte.
    """
    hall: Hall = request.app.state.hall
    known = await hall.now()
    text = await to_thread.run_sync(
        _read, request, lambda reader: pages.text_of(known, reader, entry)
    )
    return opened(request, finished(text.encode(), JSON))


@get("/publications/{entry:int}/proof", name="api_proof", tags=TAGS)
async def proof(request: Visit, entry: EntryNumber) -> Response[ProofPage]:
    """A list recomputed here and now, from every entry up to the one it was made at."""

    def build(known: Known) -> ProofPage:
        return known.once(
            ("proof", entry),
            lambda: _read(request, lambda reader: pages.proof_page(known, reader, entry)),
        )

    return await answered(request, build, heavy=True)


def _read(request: Visit, make: Callable[[Reader], T | None]) -> T:
    """What is made of the journal; nothing made means nothing there."""
    hall: Hall = request.app.state.hall
    with hall.journal.reading() as reader:
        found = make(reader)
    if found is None:
        raise NotFoundException("No list was published with that entry.")
    return found
