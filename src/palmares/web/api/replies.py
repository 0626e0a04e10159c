"""From data to an answer of the API, in JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from litestar import Response
from litestar.status_codes import HTTP_200_OK

from palmares.web.http.replies import (
    JSON,
    answered,
    encoded,
    finished,
    handed_out,
    is_api,
    private_page,
)
from palmares.web.http.state import Snapshot, Visit
from palmares.web.shared.paging import Cut

T = TypeVar("T")


async def listed(
    request: Visit,
    build: Callable[[Snapshot, Cut], T],
    rows: Cut,
    known_at: str = "",
    *,
    heavy: bool = False,
) -> Response[T]:
    """Some rows of a list: a page, or those that follow a cursor in the list that was begun.

    Args:
        request: whose answer it is.
        build: what makes it from what was known, and the rows that are asked for.
        rows: which of them.
        known_at: a day, a moment or an entry; empty: now.
        heavy: long work, which is done one after another.
    """
    now = await request.app_state.now()
    wanted = known_at if rows.entry is None else f"#{rows.entry}"
    if not wanted or rows.entry == now.head.sequence:
        return await answered(request, lambda snapshot: build(snapshot, rows), heavy=heavy)
    return await answered(
        request, lambda now: build(request.app_state.at(now, wanted), rows), heavy=True
    )


async def private_answer(
    request: Visit,
    data: T,
    *,
    status_code: int = HTTP_200_OK,
    headers: Mapping[str, str] | None = None,
) -> Response[T]:
    """Data for one person alone, as JSON or as its page: who is signed in. Nobody keeps it."""
    if not is_api(request):
        page: Any = await private_page(request, data, status_code=status_code, headers=headers)
        return cast("Response[T]", page)
    content = await request.app_state.signed_in.page(encoded, data)
    private = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Cookie"}
    if status_code == HTTP_200_OK and request.method == "GET":
        return handed_out(finished(content, JSON), private | dict(headers or {}))
    return Response(
        cast("Any", content),
        media_type=JSON,
        status_code=status_code,
        headers={"Cache-Control": "no-store"} | dict(headers or {}),
    )


async def private_answer_at(
    request: Visit, known_at: str, build: Callable[[Snapshot], T]
) -> Response[T]:
    """Data of what was known then, or is known now, for whoever is signed in."""
    now = await request.app_state.now()
    if not known_at:
        return await private_answer(request, await request.app_state.signed_in.page(build, now))
    return await private_answer(
        request,
        await request.app_state.signed_in.long(lambda: build(request.app_state.at(now, known_at))),
    )
