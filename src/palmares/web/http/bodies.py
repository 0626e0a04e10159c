"""
What is sent: JSON of a shape that is described, or the fields of a form.

Shapes are strict: a number that is sent as text, or an unknown field, is refused.
"""

from __future__ import annotations

import re
from typing import Annotated, Any, TypeVar

import msgspec
from litestar.exceptions import ValidationException

from palmares.core.errors import LONGEST_VALUE, Location, Problem, brief
from palmares.web.http.parameters import field, whole_number
from palmares.web.http.replies import is_api
from palmares.web.http.state import Request

_NUMBERS = ("version", "round")
"""Fields of forms that are numbers."""
_WHERE = re.compile(r"(.*) - at `\$\.?(.*)`", re.DOTALL)

Text = Annotated[str, msgspec.Meta(pattern=r"^[^\x00]*$")]
"""A text; no database takes NUL."""
Digest = Annotated[
    str,
    msgspec.Meta(
        pattern="^[0-9a-f]{64}$",
        description="What was seen: `seen` of the preview. Where it would be otherwise now, nothing"
        " is recorded (409).",
    ),
]


class RequestBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all shapes are."""


Shape = TypeVar("Shape", bound=RequestBody)


def decode_body(body: bytes, shape: type[Shape]) -> Shape:
    """The shape of a body.

    Raises:
        ValidationException: it is not of that shape; the field is named.
    """
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        match = _WHERE.fullmatch(str(error))
        what, where = (match[1], match[2]) if match else (str(error), "")
        wrong = Problem(
            at=Location(where), what=brief(what, LONGEST_VALUE), clause="body", remedy=""
        )
        raise ValidationException(extra=[wrong]) from None


async def body_or_form(request: Request, shape: type[Shape]) -> Shape:
    """What a program sends as JSON, or a person in a form, whose texts are checked later."""
    if is_api(request):
        return decode_body(await request.body(), shape)
    form = await request.form()
    values: dict[str, Any] = {
        name: whole_number(form, name) if name in _NUMBERS else field(form, name)
        for name in shape.__struct_fields__
    }
    return shape(**values)
