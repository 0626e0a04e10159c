"""Parameters of the API that many addresses share, with what the OpenAPI document says of them."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter
from msgspec import Meta

from palmares.facts.text import LONGEST

_NAME = 100
MOST, USUAL = 1000, 100
"""Rows of an answer: at most, and where nothing is said."""

Regulation = Annotated[
    str,
    PathParameter(
        description="The name of a regulation, such as `wbgf`, `usbgf` or `dptr`.",
        examples=[Example(value="wbgf")],
    ),
]
AsOf = Annotated[
    date | None,
    QueryParameter(
        description="The day on which results are valued: what each still counts then. Today, if"
        " it is not given.",
        examples=[Example(value="2019-12-31")],
    ),
]
KnownAt = Annotated[
    str,
    QueryParameter(
        description="As it was known then: at the end of a day (UTC), at a moment with its offset,"
        " or at an entry of the journal, such as `#41`. Now, if it is not given.",
        max_length=_NAME,
        examples=[Example(value="#41")],
    ),
]
Limit = Annotated[
    int,
    QueryParameter(
        description=f"So many rows at most, {USUAL} if it is not given.",
        ge=1,
        le=MOST,
        examples=[Example(value=USUAL)],
    ),
]
Cursor = Annotated[
    str,
    QueryParameter(
        description="Where the list was left off: as it stands in the address `next` of the page"
        " before. All pages of one list show the journal as it was when its first was asked for.",
        max_length=1000,
    ),
]
Page = Annotated[int, QueryParameter(ge=1, le=10**9)]
"""Of a list on the site."""
Search = Annotated[
    str,
    QueryParameter(
        description="Words that the name has, all of them; capitals and accents mean nothing.",
        max_length=LONGEST,
    ),
]
PlayerId = Annotated[
    str,
    PathParameter(
        description="The id of a player; a slash in it is sent as `%2F`.",
        examples=[Example(value="P1")],
    ),
]
TournamentId = Annotated[
    str,
    PathParameter(
        description="The id of a tournament; a slash in it is sent as `%2F`.",
        examples=[Example(value="winter")],
    ),
]
EventId = Annotated[
    str,
    PathParameter(
        description="The id of an event; a slash in it is sent as `%2F`.",
        examples=[Example(value="winter%2Fmain")],
    ),
]
ReportNumber = Annotated[
    int, PathParameter(description="The number of a report.", ge=1, examples=[Example(value=1)])
]
Before = Annotated[
    int | None,
    QueryParameter(
        description="Only what has a lower number: as it stands in the address `next` of the page"
        " before.",
        ge=1,
    ),
]
LATEST = 2**62
"""Behind the number of any report or entry."""
SeenVersion = Annotated[int, Meta(ge=1, description="The version that was seen.")]
Flight = Annotated[str, PathParameter(description="A flight.", examples=[Example(value="main")])]
