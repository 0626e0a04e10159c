"""
What is sent to the API: JSON of a shape that is described, or the contents of a report.

Shapes are strict: a number that is sent as text, or an unknown field, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, TypeVar

import msgspec
from litestar.exceptions import ValidationException
from litestar.params import QueryParameter

from palmares.core.errors import LONGEST_VALUE, Refused, brief
from palmares.facts.text import printable
from palmares.web.http.errors import Problem
from palmares.web.http.parameters import field, version
from palmares.web.http.replies import is_api
from palmares.web.http.state import Request
from palmares.web.submissions import parse
from palmares.web.submissions.parse import BOOK, as_utf8

_LONGEST = 200
_CHARSET = re.compile(r'charset\s*=\s*"?([^";\s]*)', re.IGNORECASE)
_WHERE = re.compile(r"(.*) - at `\$\.?(.*)`", re.DOTALL)

REPORTS: Mapping[str, str] = {
    "application/toml": "toml",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "application/xml": "xml",
    "text/xml": "xml",
    "text/plain": "",  # what stands in it tells
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": BOOK,
    "application/vnd.ms-excel.sheet.macroenabled.12": BOOK,
    "application/vnd.ms-excel": BOOK,
}
_SUFFIXES = {"toml": ".toml", "csv": ".csv", "xml": ".xml", "txt": ".txt", BOOK: ".xlsx"}

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
FileName = Annotated[
    str,
    QueryParameter(
        description="What the file is called; it stands in lists where the report has no name.",
        max_length=_LONGEST,
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
        wrong = Problem(where=where, what=brief(what, LONGEST_VALUE), clause="body", remedy="")
        raise ValidationException(extra=[wrong]) from None


async def body_or_form(request: Request, shape: type[Shape]) -> Shape:
    """What a program sends as JSON, or a person in a form, whose texts are checked later."""
    if is_api(request):
        return decode_body(await request.body(), shape)
    form = await request.form()
    texts = {name: field(form, name) for name in shape.__struct_fields__ if name != "version"}
    numbers = {"version": version(form)} if "version" in shape.__struct_fields__ else {}
    return shape(**texts, **numbers)


def read_upload(request: Request, content: bytes, name: str) -> tuple[str, str, bytes]:
    """The name, kind and bytes of a report that a program sends.

    Raises:
        Refused: there is nothing, or it is in no encoding that is read.
    """
    header = request.headers.get("content-type", "")
    kind = REPORTS.get(header.partition(";")[0].strip().lower(), "")
    charset = _CHARSET.search(header)
    if not content.strip():
        raise Refused("Send a report: there is nothing in what was sent.")
    if kind != BOOK and charset and charset[1]:
        content = as_utf8(content, charset[1])
    kind = kind or parse.kind_of(content.decode("utf-8", "replace"))
    called = printable(name.replace("\\", "/").rpartition("/")[2])[:_LONGEST]
    return called or f"report{_SUFFIXES[kind]}", kind, content
