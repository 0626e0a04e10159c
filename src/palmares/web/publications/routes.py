"""Routes to published lists: all, their feed, one with its manifest and facts, recomputed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from anyio import to_thread
from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter

from palmares.journal.store.journal import Reader
from palmares.lists.publication.manifests import Manifest
from palmares.web.http.i18n import wording
from palmares.web.http.replies import (
    JSON,
    OPEN,
    VARY,
    answered,
    is_api,
    language_of,
    shared_response,
    with_etag,
)
from palmares.web.http.state import Request, Snapshot
from palmares.web.publications import feed as feeds
from palmares.web.publications import views
from palmares.web.publications.views import PublicationList, Publications, PublicationVerification
from palmares.web.shared.downloads import attached, packed, sent
from palmares.web.shared.lists import published_list
from palmares.web.shared.paging import RequestedRows, answer_rows

T = TypeVar("T")


EntryNumber = Annotated[
    int,
    PathParameter(
        description="The entry of the journal in which the list was announced.",
        examples=[Example(value=41)],
    ),
]


# ── the API ──────────────────────────────────────────────────────────────────────────────────────


async def published(request: Request, rows: RequestedRows) -> Response[Publications]:
    """Every list that was announced, the latest first."""
    return await answer_rows(request, views.publications, rows)


async def api_publication(
    request: Request, entry: EntryNumber, rows: RequestedRows
) -> Response[PublicationList]:
    """A list as it was announced, whatever was recorded later.

    The names are those that may be shown today.
    """
    return await answer_rows(
        request,
        lambda snapshot, rows: _read(
            request, lambda reader: views.publication_list(snapshot, reader, entry, rows)
        ),
        rows,
    )


async def manifest(request: Request, entry: EntryNumber) -> Response[Manifest]:
    """The manifest of a list, as its file has it.

    `palmares verify` recomputes the list from it, byte for byte.
    """
    snapshot = await request.app_state.now()
    text = await to_thread.run_sync(
        _read, request, lambda reader: views.manifest_text(snapshot, reader, entry)
    )
    file = f"{published_list(snapshot, entry).file}.manifest.json"
    headers = OPEN if is_api(request) else attached(file)
    return with_etag(text.encode(), JSON, headers)


async def verification(request: Request, entry: EntryNumber) -> Response[PublicationVerification]:
    """A list recomputed here and now, from every entry up to the one it was made at."""

    def make(snapshot: Snapshot) -> PublicationVerification:
        return snapshot.once(
            ("verification", entry),
            lambda: _read(request, lambda reader: views.verification_page(snapshot, reader, entry)),
        )

    return await answered(request, make, heavy=True)


# ── pages and files ──────────────────────────────────────────────────────────────────────────────


async def feed(request: Request) -> Response[bytes]:
    """The latest published lists, as Atom."""
    snapshot = await request.app_state.now()

    def make() -> bytes:
        page = snapshot.once(
            "feed", lambda: _read(request, lambda reader: feeds.feed(snapshot, reader))
        )
        language, root = wording(language_of(request)), request.app_state.settings.public_url
        return feeds.atom(page, language, root, request.app_state.federation.name)

    content = await to_thread.run_sync(make)
    return with_etag(content, "application/atom+xml", VARY)


async def publication(
    request: Request,
    entry: EntryNumber,
    rows: RequestedRows,
    format: FromQuery[str] = "",  # noqa: A002  the name in the address
) -> Response[Any]:
    """A list as it was published, as a page or as a file."""
    if format:
        snapshot = await request.app_state.now()
        published = await to_thread.run_sync(published_list, snapshot, entry)
        return await sent(
            request,
            lambda now: _read(request, lambda reader: views.saved_list(now, reader, entry)),
            published.file,
            format,
        )
    return await api_publication(request, entry, rows)


async def facts(request: Request, entry: FromPath[int]) -> Response[bytes]:
    """The facts that a published list was made of, with the names that may be shown today."""
    snapshot = await request.app_state.now()
    published = await to_thread.run_sync(published_list, snapshot, entry)

    def make() -> Response[bytes]:
        content = packed(request.app_state.at(snapshot, f"#{published.last_entry}").facts)
        return with_etag(content, "application/zip", attached(f"{published.file}.facts.zip"))

    return await shared_response(request, snapshot, make, heavy=True)


def _read(request: Request, make: Callable[[Reader], T]) -> T:
    """What is made of the journal."""
    with request.app_state.journal.reading() as reader:
        return make(reader)
