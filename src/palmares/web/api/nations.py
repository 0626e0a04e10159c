"""
Nations and their players.

    nations     those that players play for
    nation      one of them on every list
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import polars as pl
from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter

from palmares.web import addresses
from palmares.web.api.asked import Cursor, KnownAt, Limit
from palmares.web.api.cursors import USUAL, Window
from palmares.web.api.replies import answered_at, listed
from palmares.web.hall import Hall, Known
from palmares.web.pages import names
from palmares.web.pages.names import LONGEST
from palmares.web.pages.nation import NationPage, canonical, nation_page
from palmares.web.replies import Visit, moved
from palmares.web.wording import wording

TAGS = ["Nations"]

Code = Annotated[
    str,
    PathParameter(
        description="The code of a nation: ISO 3166-1 alpha-3, or one of sport such as `ENG`."
        " Other codes of it answer 308 with the address of this one.",
        examples=[Example(value="CZE")],
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class NationHead:
    """A nation that somebody plays for."""

    nation: str  # its code
    name: str  # in English
    players: int  # whom we know


@dataclass(frozen=True, slots=True, kw_only=True)
class Nations:
    """The nations that players play for, by code."""

    entry: int  # the last entry of the journal that counts
    nations: int
    items: tuple[NationHead, ...]
    next: str | None  # the address of the next rows; none: these are the last


@get("/nations", name="api_nations", tags=TAGS)
async def nations(request: Visit, limit: Limit = USUAL, cursor: Cursor = "") -> Response[Nations]:
    """The nations that players play for, by code."""

    def build(known: Known, window: Window) -> Nations:
        every = names.shown(known).select("nation").drop_nulls()
        found = every.group_by("nation").agg(pl.len().alias("players")).sort("nation")
        rows, more = window.cut(found, "nation", known.head.sequence)
        country = wording("en").country
        return Nations(
            entry=known.head.sequence,
            nations=len(found),
            items=tuple(
                NationHead(nation=code, name=country(code), players=players)
                for code, players in rows.iter_rows()
            ),
            next=more,
        )

    return await listed(request, build, limit, cursor)


@get("/nations/{code:str}", name="api_nation", tags=TAGS)
async def nation(request: Visit, code: Code, known_at: KnownAt = "") -> Response[NationPage]:
    """A nation on every list: its rank, its first players, the tournaments held there last."""
    hall: Hall = request.app.state.hall
    known_as = canonical(code[:LONGEST])
    if known_as is None:
        raise NotFoundException("There is no such nation.")
    if known_as != code:
        return moved(f"/api/v1{addresses.nation(known_as, known_at=known_at)}")  # type: ignore[return-value]

    def build(known: Known) -> NationPage:
        found = nation_page(known, known_as, hall.today(), known_at)
        if found is None:
            raise NotFoundException("Nobody plays for that nation, and nothing was held there.")
        return found

    return await answered_at(request, known_at, build)
