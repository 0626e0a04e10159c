"""
Routes for whoever runs the site: whether it is well, and its numbers.

    health      for whoever watches over it; says nothing else
    metrics     for Prometheus, with the token of an administrator
"""

from __future__ import annotations

from anyio import to_thread
from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST

from palmares.web.hall import Hall
from palmares.web.logs import Written
from palmares.web.replies import Visit


@get("/health", name="health", include_in_schema=False)
async def health(request: Visit) -> Response[dict[str, str]]:
    """Whether the database answers; refused with 503 if it does not."""
    hall: Hall = request.app.state.hall
    await to_thread.run_sync(hall.journal.head)
    return Response({"status": "ok"}, headers={"Cache-Control": "no-store"})


@get("/metrics", name="metrics", include_in_schema=False)
async def metrics(request: Visit) -> Response[bytes]:
    """Numbers for Prometheus.

    With the token of an administrator, from wherever: behind a proxy, everybody comes from the same
    machine.
    """
    written: Written = request.app.state.written
    return Response(
        written.numbers(),
        headers={"Content-Type": CONTENT_TYPE_LATEST, "Cache-Control": "no-store"},
    )
