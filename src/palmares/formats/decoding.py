"""
Bytes to text, and words about where something stands.

    Found       what a reader has found so far: facts, problems, notices, all of one file
    decoded     bytes as text: UTF-8, with or without BOM, or the encoding that was asked for
    readable    bytes that are no UTF-8  ->  encodings, and what the first odd line reads in each
    squeezed    text with its letters composed (NFC) and single spaces
    slug        a name as part of an id
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from palmares.errors import Problem, brief
from palmares.facts.raw import Raw
from palmares.sentences import changed, either, said

ENCODED = "report encoding"
"""The clause of a text that cannot be read as letters."""
LONGEST = 200
"""Letters of what stands in a report that a message shows."""
CANDIDATES = ("cp1252", "iso8859_15", "cp1250", "cp850", "mac_roman", "utf_16")


@dataclass(slots=True)
class Found:
    """What a reader has found in one file."""

    file: str
    raw: Raw = field(default_factory=Raw)

    def add(self, table: str, row: Mapping[str, str | None], line: int) -> None:
        """Add a row to a table."""
        self.raw.table(table).add(row, self.file, line)

    def problem(self, line: int | str, what: str, clause: str, remedy: str) -> None:
        """Something that stops the work, at a line or at a cell such as "C7"."""
        self.raw.problems.append(_said(self.file, line, what, clause, remedy))

    def notice(self, line: int | str, what: str, clause: str, remedy: str) -> None:
        """Something to be looked at; the work goes on."""
        self.raw.notices.append(_said(self.file, line, what, clause, remedy))


def _said(file: str, line: int | str, what: str, clause: str, remedy: str) -> Problem:
    where = f"{file}:{line}" if line else file
    return Problem(
        where=where, what=changed(what, echoed), clause=clause, remedy=changed(remedy, shown)
    )


def echoed(text: str) -> str:
    """The same, cut where nobody would read on: what was sent may be as long as a book."""
    return shown(brief(text, LONGEST))


def shown(text: str) -> str:
    """Text with its control and direction characters made visible, fit for a message."""
    return "".join(
        char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in text
    )


def decoded(content: bytes, found: Found, encoding: str | None = None) -> str | None:
    """The bytes as text with plain line ends, or None and a problem.

    Args:
        content: the file as it is.
        found: where a problem goes.
        encoding: what the file was written in; without it UTF-8, nothing is guessed.
    """
    if not content.strip(b"\xef\xbb\xbf\r\n\t \x00"):
        found.problem(
            0, said("the file is empty"), "report", said("Send the file again, with its contents.")
        )
        return None
    try:
        text = content.decode(encoding or "utf-8")
    except LookupError:
        found.problem(
            0,
            said("there is no encoding %(encoding)s", encoding=encoding),
            "report",
            said("Try utf-8, cp1252 or iso8859-15."),
        )
        return None
    except UnicodeError as error:
        at = content.count(b"\n", 0, getattr(error, "start", 0)) + 1
        found.problem(
            at,
            said("this is not %(encoding)s text", encoding=encoding or "UTF-8"),
            ENCODED,
            _candidates(content),
        )
        return None
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _candidates(content: bytes) -> str:
    """What to do with text that is not UTF-8."""
    readings = [f"{name} reads '{reading}'" for name, reading in readable(content)]
    if not readings:
        return said("Save the file as UTF-8.")
    return either(
        f"Save it as UTF-8, or give --encoding: {'; '.join(readings)}.",
        said("Choose how it was written, or save it as UTF-8."),
    )


def readable(content: bytes) -> list[tuple[str, str]]:
    """Encodings that the bytes may be in, each with what the first odd line would read as."""
    lines = [line for line in content.split(b"\n") if not line.isascii()]
    odd = (lines or [content])[0].strip()[:60]
    readings = []
    for name in CANDIDATES:
        try:
            reading = (content if name == "utf_16" else odd).decode(name)[:60].strip()
        except UnicodeError:
            continue
        if reading.isprintable():
            readings.append((name, reading))
    return readings


def squeezed(text: str) -> str:
    """Text with composed letters (NFC), without spaces around, single spaces inside."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def slug(text: str) -> str:
    """Text as part of an id: lower case, without accents, words joined by hyphens."""
    bare = "".join(
        char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char)
    )
    return re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", bare).casefold()).strip("-")


def meant(word: str, known: list[str]) -> str:
    """A suggestion for an unknown word: ``Did you mean 'entrants'?``, or what there is."""
    close = get_close_matches(word, known, n=1)
    if close:
        return said("Did you mean %(word)s?", word=close[0])
    return said("Known here: %(words)s.", words=", ".join(known))
