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
from hashlib import sha256
from typing import Any

from anyio import to_thread
from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery
from litestar.status_codes import HTTP_304_NOT_MODIFIED

from palmares.journal.store import Reader
from palmares.web.downloads import packed
from palmares.web.hall import Hall, Kept, Known
from palmares.web.messages import said
from palmares.web.pages import feed as feeds
from palmares.web.pages import publications
from palmares.web.replies import Visit, answered, spoken
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
        return feeds.atom(page, wording(spoken(request)), str(request.base_url))

    content = await to_thread.run_sync(made)
    headers = {
        "ETag": f'"{sha256(content).hexdigest()[:32]}"',
        "Cache-Control": "no-cache",
        "Vary": "Accept-Language, Cookie",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(b"", status_code=HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(content, media_type="application/atom+xml", headers=headers)


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
    headers = {
        "Content-Disposition": f'attachment; filename="{name}.manifest.json"',
        "ETag": f'"{sha256(text.encode()).hexdigest()[:32]}"',
        "Cache-Control": "no-cache",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(b"", status_code=HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(text.encode(), media_type="application/json", headers=headers)


@get("/published/{entry:int}/facts", name="facts", include_in_schema=False)
async def facts(request: Visit, entry: FromPath[int]) -> Response[bytes]:
    """The facts that a published list was made of, with the names that may be shown today."""
    hall: Hall = request.app.state.hall
    known = await hall.now()
    listed = publications.one_of(known, entry)
    if listed is None:
        raise NotFoundException(_NONE)

    def made() -> Kept:
        content = packed(hall.then(f"#{listed.known}").facts)
        return Kept(content, "application/zip", f'"{sha256(content).hexdigest()[:32]}"')

    key = (known.head.hash, "facts", listed.known)
    file = hall.kept(key)
    if file is None:
        async with hall.heavy:
            file = await to_thread.run_sync(made)
        hall.keep(key, file)
    headers = {
        "Content-Disposition": f'attachment; filename="{listed.file}.facts.zip"',
        "ETag": file.etag,
        "Cache-Control": "no-cache",
    }
    if request.headers.get("if-none-match") == file.etag:
        return Response(b"", status_code=HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(file.content, media_type=file.media_type, headers=headers)


@get("/published/{entry:int}/proof", name="proof", include_in_schema=False)
async def proof(request: Visit, entry: FromPath[int]) -> Response[bytes]:
    """A published list, recomputed; one at a time, and once for each state of the journal."""
    hall: Hall = request.app.state.hall

    def build(known: Known) -> Any:
        return known.once(
            ("proof", entry),
            lambda: _read(request, lambda reader: publications.proof_page(known, reader, entry)),
        )

    async with hall.heavy:
        return await answered(request, build)


def _read(request: Visit, make: Callable[[Reader], Any]) -> Any:
    """What is made of the journal; nothing made means nothing there."""
    hall: Hall = request.app.state.hall
    with hall.journal.reading() as reader:
        found = make(reader)
    if found is None:
        raise NotFoundException(_NONE)
    return found
