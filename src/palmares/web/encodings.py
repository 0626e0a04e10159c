"""
Texts that are not UTF-8, such as the CSV files that Excel saves on Windows: nothing is guessed.

    ENCODINGS   what a text may be written in, and what people call it
    named       a name as programs write it  ->  its name here
    as_utf8     a text in one of them  ->  the same in UTF-8
    likely      a text that is not UTF-8  ->  what its first odd line would read as in each
    Encoding    one of them, and that line
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping
from dataclasses import dataclass

from palmares.errors import Refused
from palmares.facts.texts import visible
from palmares.reports.texts import readable
from palmares.web.messages import said

ENCODINGS: Mapping[str, str] = {
    "cp1252": "Windows-1252", "iso8859-1": "ISO 8859-1", "iso8859-15": "ISO 8859-15",
    "cp1250": "Windows-1250", "cp850": "DOS (850)", "mac-roman": "Macintosh", "utf-16": "UTF-16",
}  # fmt: skip
"""What a text may be written in, if not in UTF-8, and what people call it."""
UTF8 = "utf-8"
_DECLARED = re.compile(r"""\A(\s*<\?xml[^>]*?)\s+encoding\s*=\s*(["'])[^"'>]*\2""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """One of them, and what the first odd line would be in it."""

    name: str  # as it is asked for: cp1252
    title: str
    text: str


def named(name: str) -> str:
    """The name here of an encoding: "cp1252" for "windows-1252"; empty if we do not read it."""
    try:
        found = codecs.lookup(name).name
    except (LookupError, ValueError):  # a NUL in it
        return ""
    found = {"ascii": UTF8, "utf-8-sig": UTF8}.get(found, found)
    return found if found == UTF8 or found in ENCODINGS else ""


def as_utf8(content: bytes, encoding: str) -> bytes:
    """The same text in UTF-8; what begins with the mark of UTF-8 is that already.

    Raises:
        Refused: it is no text in this encoding, or we do not read it.
    """
    name = named(encoding)
    if not name:
        known = ", ".join(ENCODINGS)
        raise Refused(
            said("Texts are read in UTF-8, or in one of %(known)s, if you say so.", known=known)
        )
    if name == UTF8 or content.startswith(codecs.BOM_UTF8):
        return content
    try:
        text = content.decode(name)
    except UnicodeError:
        title = ENCODINGS[name]
        raise Refused(
            said("This is not %(encoding)s text. Choose another one.", encoding=title)
        ) from None
    return _DECLARED.sub(r"\1", text).encode("utf-8", "replace")


def likely(content: bytes) -> tuple[Encoding, ...]:
    """What the first odd line would read as."""
    return tuple(
        Encoding(name=name, title=ENCODINGS[name], text=visible(text, "\t"))
        for one, text in readable(content)
        if (name := named(one))
    )
