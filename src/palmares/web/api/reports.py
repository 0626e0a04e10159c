"""What addresses about reports have in common: their number, their version."""

from __future__ import annotations

from typing import Annotated

from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter
from msgspec import Meta

LATEST = 2**62
"""Behind the number of any report or entry."""


Number = Annotated[
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


SeenVersion = Annotated[int, Meta(ge=1, description="The version that was seen.")]
