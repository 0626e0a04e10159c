"""
Routes to lists that were published.

    published       all of them
    feed            the latest of them, for readers of feeds
    publication     one, as it was announced
    manifest        the file from which anybody can recompute it
    facts           the facts it was made of, as a package of tables
    proof           the same recomputed here and now
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anyio import to_thread
from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from palmares.journal.store import Reader
from palmares.web.downloads import attached, packed
from palmares.web.hall import Hall, Kept, Known
from palmares.web.messages import said
from palmares.web.pages import feed as feeds
from palmares.web.pages import publications
from palmares.web.replies import JSON, Visit, answered, finished, handed_out, made_once, spoken
from palmares.web.wording import wording

_NONE = said("No list was published with that entry.")


@get("/published", name="published", include_in_schema=False)
async def published(request: Visit) -> Response[bytes]:
    """Every published list."""
    return await answered(request, publications.published_page)


@get("/published.atom", name="feed", include_in_schema=False)
async def feed(request: Visit) -> Response[bytes]:
    """The latest published lists, as Atom."""
    hall: Hall = request.app.state.hall
    known = await hall.now()

    def made() -> bytes:
        page = known.once("feed", lambda: _read(request, lambda reader: feeds.feed(known, reader)))
        return feeds.atom(page, wording(spoken(request)), hall.settings.public_url)

    content = finished(await to_thread.run_sync(made), "application/atom+xml")
    return handed_out(request, content, {"Vary": "Accept-Language, Cookie"})


@get("/published/{entry:int}", name="publication", include_in_schema=False)
async def publication(
    request: Visit, entry: FromPath[int], page: FromQuery[int] = 1
) -> Response[bytes]:
    """A list as it was published."""
    return await answered(
        request,
        lambda known: _read(
            request,
            lambda reader: publications.publication_page(known, reader, entry, max(1, page)),
        ),
    )


@get("/published/{entry:int}/manifest", name="manifest", include_in_schema=False)
async def manifest(request: Visit, entry: FromPath[int]) -> Response[bytes]:
    """The manifest of a published list, as a file."""
    hall: Hall = request.app.state.hall
    known = await hall.now()
    text = await to_thread.run_sync(
        _read, request, lambda reader: publications.text_of(known, reader, entry)
    )
    listed = publications.one_of(known, entry)
    name = listed.file if listed else ""
    return handed_out(request, finished(text.encode(), JSON), attached(f"{name}.manifest.json"))


@get("/published/{entry:int}/facts", name="facts", include_in_schema=False)
async def facts(request: Visit, entry: FromPath[int]) -> Response[bytes]:
    """The facts that a published list was made of, with the names that may be shown today."""
    hall: Hall = request.app.state.hall
    known = await hall.now()
    listed = await to_thread.run_sync(publications.one_of, known, entry)
    if listed is None:
        raise NotFoundException(_NONE)

    def made() -> Kept:
        return finished(packed(hall.then(f"#{listed.known}").facts), "application/zip")

    file = await made_once(hall, (known.head.hash, "facts", listed.known), made)
    return handed_out(request, file, attached(f"{listed.file}.facts.zip"))


@get("/published/{entry:int}/proof", name="proof", include_in_schema=False)
async def proof(request: Visit, entry: FromPath[int]) -> Response[bytes]:
    """A published list, recomputed; one at a time, and once for each state of the journal."""

    def build(known: Known) -> Any:
        return known.once(
            ("proof", entry),
            lambda: _read(request, lambda reader: publications.proof_page(known, reader, entry)),
        )

    return await answered(request, build, heavy=True)


def _read(request: Visit, make: Callable[[Reader], Any]) -> Any:
    """What is made of the journal; nothing made means nothing there."""
    hall: Hall = request.app.state.hall
    with hall.journal.reading() as reader:
        found = make(reader)
    if found is None:
        raise NotFoundException(_NONE)
    return found
