"""Routes of the site itself: health checks, metrics, robots.txt, redirects."""

from __future__ import annotations

from typing import Any

from anyio import to_thread
from litestar import Response
from prometheus_client import CONTENT_TYPE_LATEST

from palmares.facts.rates import shipped
from palmares.web.http.logs import Log
from palmares.web.http.replies import with_etag
from palmares.web.http.state import Request

UNKEPT = {"Cache-Control": "no-store"}


async def health() -> Response[dict[str, str]]:
    """Whether the process lives; it does not ask the database, which may be slow."""
    return Response({"status": "ok"}, headers=UNKEPT)


async def ready(request: Request) -> Response[dict[str, Any]]:
    """Whether the database answers and the journal is read, else 503; how far rates reach."""
    app_state = request.app_state
    await to_thread.run_sync(app_state.journal.head)
    rates = (await app_state.now()).projection.tables["rates"]
    answer = {
        "status": "ok",
        "bank_rates_until": shipped().until,  # those of palmares, which new reports take from
        "recorded_rates_until": max(rates["date"], default=None),
    }
    return Response(answer, headers=UNKEPT)


async def metrics(request: Request) -> Response[bytes]:
    """Numbers for Prometheus.

    They need the token of an administrator: behind a proxy all requests come from one address.
    """
    log: Log = request.app.state.log
    return Response(
        log.numbers(),
        headers={"Content-Type": CONTENT_TYPE_LATEST, **UNKEPT},
    )


# ── robots ───────────────────────────────────────────────────────────────────────────────────────

CLOSED = (
    "/*?*known",  # as known then: so many lists as there are days and entries
    "/*?*format=",
    "/rankings/*/*-*-*",  # every day has a list; the current one is without a day
    "/players/*/*/*-*-*",
    "/players/*/*/corrections",  # the lists before and after each are made
    "/nations/*/*/*-*-*",
    "/published/*/verification",  # recomputed on the spot
    "/published/*/facts",
    "/published/*/manifest",
    "/api/",
    "/director",
    "/officer",
    "/administrator",
    "/account",
    "/sign-in",
    "/welcome/",
)
"""Addresses without an end, those that take long, and those of people who are signed in."""
_RULES = "".join(["User-agent: *\n", *(f"Disallow: {path}\n" for path in CLOSED)]).encode()


async def robots() -> Response[bytes]:
    """The rules for crawlers."""
    return with_etag(_RULES, "text/plain", {"Cache-Control": "public, max-age=86400"})
