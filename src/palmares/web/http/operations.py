"""
Routes for whoever runs the site: whether it is well, and its numbers.

    health      for whoever watches over it
    metrics     for Prometheus, with the token of an administrator
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from anyio import to_thread
from litestar import Response, get
from prometheus_client import CONTENT_TYPE_LATEST

from palmares.facts.bank import shipped
from palmares.web.hall import Hall
from palmares.web.logs import Written
from palmares.web.replies import Visit


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Whether the site is well, and how far exchange rates reach."""

    status: str
    bank_rates_until: date | None  # of those that come with palmares; new reports take from them
    recorded_rates_until: date | None  # the last day of which the journal has a rate


@get("/health", name="health", include_in_schema=False)
async def health(request: Visit) -> Response[Health]:
    """Whether the database answers, and how far exchange rates reach; else refused with 503."""
    hall: Hall = request.app.state.hall
    found = await to_thread.run_sync(_health, hall)
    return Response(found, headers={"Cache-Control": "no-store"})


def _health(hall: Hall) -> Health:
    hall.journal.head()
    return Health(
        status="ok",
        bank_rates_until=shipped().until,
        recorded_rates_until=max(hall.known().projection.tables["rates"]["date"], default=None),
    )


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
