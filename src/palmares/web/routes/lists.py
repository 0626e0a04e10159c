"""
Routes to what anyone sees: the front page and the lists.

    front           the current lists
    ranking         a list as of a day, as a page or as a file
    nation_list     the same by nation
    totals          the four totals of master points
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

import polars as pl
from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath
from litestar.status_codes import HTTP_303_SEE_OTHER

from palmares.rankings import TOTAL
from palmares.regulations import regulation as held
from palmares.web import addresses
from palmares.web.downloads import sent
from palmares.web.hall import Hall, Known, awarding_regulations
from palmares.web.messages import said
from palmares.web.pages import nation_list as nation_lists
from palmares.web.pages import ranking as rankings
from palmares.web.pages import totals as all_totals
from palmares.web.pages.days import chosen, listable
from palmares.web.pages.front import front_page
from palmares.web.pages.names import LONGEST
from palmares.web.pages.ranking import Asked
from palmares.web.replies import Visit, answered, answered_at

_LONG = 10


@get("/", name="front", include_in_schema=False)
async def front(request: Visit) -> Response[bytes]:
    """The front page."""
    hall: Hall = request.app.state.hall
    return await answered(request, lambda known: front_page(known, hall.today()))


@get(
    ["/rankings/{regulation:str}", "/rankings/{regulation:str}/{day:date}"],
    name="ranking",
    include_in_schema=False,
)
async def ranking(
    request: Visit, regulation: FromPath[str], day: FromPath[date | None] = None
) -> Response[bytes]:
    """A ranking as of a day."""
    asked = _asked(request, regulation, day)
    kind = "" if asked.kind == TOTAL else asked.kind
    query = {"setting": asked.setting, "kind": kind, "nation": asked.nation,
             "search": asked.search, "known_at": asked.known_at}  # fmt: skip
    return await _answered(
        request,
        asked,
        _List(
            page=rankings.ranking_page,
            rows=rankings.whole,
            address=addresses.ranking(regulation, asked.as_of, **query),
            name=(asked.setting or "", kind, asked.nation or ""),
        ),
    )


@get(
    ["/rankings/{regulation:str}/nations", "/rankings/{regulation:str}/{day:date}/nations"],
    name="nation_list",
    include_in_schema=False,
)
async def nation_list(
    request: Visit, regulation: FromPath[str], day: FromPath[date | None] = None
) -> Response[bytes]:
    """A ranking of nations as of a day."""
    given = _asked(request, regulation, day)
    asked = Asked(
        regulation=regulation,
        as_of=given.as_of,
        setting=given.setting,
        kind=given.kind,
        known_at=given.known_at,
    )
    kind = "" if asked.kind == TOTAL else asked.kind
    query = {"setting": asked.setting, "kind": kind, "known_at": asked.known_at}
    return await _answered(
        request,
        asked,
        _List(
            page=nation_lists.nation_list_page,
            rows=nation_lists.whole,
            address=addresses.nation_list(regulation, asked.as_of, **query),
            name=("nations", asked.setting or "", kind),
        ),
    )


@get(
    ["/rankings/{regulation:str}/totals", "/rankings/{regulation:str}/{day:date}/totals"],
    name="totals",
    include_in_schema=False,
)
async def totals(
    request: Visit, regulation: FromPath[str], day: FromPath[date | None] = None
) -> Response[bytes]:
    """The four totals of master points as of a day."""
    given = _asked(request, regulation, day)
    asked = Asked(
        regulation=regulation,
        as_of=given.as_of,
        search=given.search,
        known_at=given.known_at,
        page=given.page,
    )
    return await _answered(
        request,
        asked,
        _List(
            page=all_totals.totals_page,
            rows=all_totals.whole,
            address=addresses.totals(
                regulation, asked.as_of, search=asked.search, known_at=asked.known_at
            ),
            name=("totals",),
        ),
    )


# ── what is asked ────────────────────────────────────────────────────────────────────────────────


def _asked(request: Visit, regulation: str, day: date | None) -> Asked:
    """What the address asks for; ``on`` is the day as a form sends it."""
    hall: Hall = request.app.state.hall
    query = {name: str(value).strip() for name, value in request.query_params.items()}
    page = query.get("page", "")
    return Asked(
        regulation=_awarding(regulation),
        as_of=_day(hall, day, query.get("on", "")),
        setting=query.get("setting") or None,
        kind=query.get("kind") or TOTAL,
        nation=query.get("nation") or None,
        search=query.get("search", "")[:LONGEST],
        known_at=query.get("known_at", ""),
        page=max(1, int(page[:_LONG])) if page.isascii() and page.isdigit() else 1,
    )


def _awarding(regulation: str) -> str:
    """A regulation that makes lists."""
    if regulation not in awarding_regulations():
        raise NotFoundException(said("There is no such list."))
    return regulation


def _day(hall: Hall, day: date | None, on: str) -> date:
    """The day that was asked for, in the address or in the form."""
    if on:
        return chosen(on)
    if day is not None and not listable(day):
        raise NotFoundException(said("There is no list for that day."))
    return day or hall.today()


def _name(asked: Asked, more: tuple[str, ...]) -> str:
    """What a file is called: "wbgf-2019-12-31-nations"."""
    known = f"known-{asked.known_at}" if asked.known_at else ""
    parts = [asked.regulation, str(asked.as_of), *more, asked.search, known]
    safe = ("".join(c for c in one if c.isascii() and (c.isalnum() or c in "-_")) for one in parts)
    return "-".join(one for one in safe if one)


def _notes(known: Known, asked: Asked, more: tuple[str, ...]) -> list[str]:
    """What a list is, for whoever finds the file later."""
    narrowed = ", ".join(one for one in (*more, asked.search) if one)
    return [
        f"List: {held(asked.regulation).title} ({asked.regulation})",
        f"As of: {asked.as_of}",
        f"Known at: entry {known.head.sequence} of the journal, {known.head.hash}",
        *([f"Asked for as known at: {asked.known_at}"] if asked.known_at else []),
        *([f"Only: {narrowed}"] if narrowed else []),
        "Points are as they were counted, not rounded.",
    ]


# ── how it is answered ───────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class _List:
    """What makes a list."""

    page: Callable[[Known, Asked, date], Any]
    rows: Callable[[Known, Asked], pl.DataFrame]
    address: str  # where it is
    name: tuple[str, ...]  # of the file, beside regulation and day


async def _answered(request: Visit, asked: Asked, given: _List) -> Response[bytes]:
    """A list as a page or as a file; what was known then is made when it is its turn."""
    hall: Hall = request.app.state.hall
    if request.query_params.get("on"):  # a form chose the day: it has an address of its own
        return Response(b"", status_code=HTTP_303_SEE_OTHER, headers={"Location": given.address})

    format = str(request.query_params.get("format", ""))  # noqa: A001
    if format:
        return await sent(
            request,
            lambda now: given.rows(hall.at(now, asked.known_at), asked),
            _name(asked, given.name),
            format,
            lambda now: _notes(hall.at(now, asked.known_at), asked, given.name),
        )
    return await answered_at(
        request, asked.known_at, lambda known: given.page(known, asked, hall.today())
    )
