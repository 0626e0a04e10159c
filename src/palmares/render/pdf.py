"""Printed pages by one template, as accessible PDF."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from palmares.core.extras import needs

if TYPE_CHECKING:
    from palmares.regulations.editions import Edition

TEMPLATE = Path(__file__).with_name("page.typ")
MOST_ROWS = 5_000
"""Of one file: a hundred pages, which take seconds and 400 MB."""

PORTRAIT, LANDSCAPE = 505.0, 750.0  # width that a table may take, in points
LARGEST, SMALL, SMALLEST = 10.0, 7.5, 6.0
"""Size of a table's letters, in points; below `SMALL` the page is turned, below `SMALLEST` columns
are left out."""
LETTER, HEAD, GUTTER = 0.48, 0.38, 0.84  # width of a letter, of one of a heading, around a cell
WRAPPED = 40
"""Letters of a cell of words after which it takes more lines."""
USUAL = 0.95
"""The share of cells of words that stand on one line; the longest may take more."""
FOOTNOTE = 150  # letters on a line of the foot
SPACE = 2.4  # points above and below a cell

_MISSING = re.compile(r"the text `\"(.+?)\"` could not be displayed")
_BETWEEN_SYLLABLES = re.compile("(?<=[\u3400-\u9fff\uac00-\ud7a3])(?=[\u3400-\u9fff\uac00-\ud7a3])")
"""Letters of Chinese and Korean are a syllable each."""
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")

Content = dict[str, Any]
"""What the template takes: words, cells and sizes."""


class Cited(NamedTuple):
    """An edition that a page cites."""

    edition: str  # "usbgf/2019-01"
    text: str  # its source, for the footer


# ── Which editions ───────────────────────────────────────────────────────────────────────────────


def cited(editions: Iterable[Edition]) -> list[Cited]:
    """The editions of a page, with the hashes of their files."""
    return [
        Cited(
            edition.name,
            f"{edition.title}, {edition.author}: {edition.source}."
            f" {_file_of(edition.name, edition.sha256)}",
        )
        for edition in editions
    ]


def cited_file(edition: str, sha256: str) -> Cited:
    """An edition of which only the name and the hash of its file are known."""
    return Cited(edition, _file_of(edition, sha256))


def _file_of(edition: str, sha256: str) -> str:
    return f"Regulation {edition}, edition file sha256 {sha256}."


def cites(source: Sequence[Cited]) -> Content:
    """The editions under the title; their texts and this program at the foot of every page."""
    from importlib.metadata import version

    editions: dict[str, list[str]] = {}
    for regulation, _, edition in (each.edition.partition("/") for each in source):
        editions.setdefault(regulation, []).append(edition)
    under = [
        f"{regulation}, edition{'s' * (len(ids) > 1)} {' and '.join(ids)}"
        for regulation, ids in editions.items()
    ]
    lines = [*(each.text for each in source), f"Made with Palmares {version('palmares')}."]
    height = sum(ceil(len(line) / FOOTNOTE) for line in lines)
    return {
        "under": f"Regulation {'; '.join(under)}" if under else "",
        "footer": lines,
        "bottom": 9 + 3.6 * height,
    }


# ── As PDF ───────────────────────────────────────────────────────────────────────────────────────


def compile_pdf(content: Content) -> bytes:
    """A page as PDF; the same bytes at every run where the fonts of Typst have all its letters.

    Other letters are taken from the fonts of this machine. Where those lack them too, texts are
    transliterated, and a note says so.
    """
    needs("print", "A PDF")
    import typst

    try:
        return _compiled(content, system_fonts=False)
    except typst.TypstError as error:
        _letters_without_font(error)
    try:
        return _compiled(content, system_fonts=True)
    except typst.TypstError as error:
        latin = _transliterated(content, _letters_without_font(error))
    return _compiled(latin, system_fonts=True)


def _compiled(content: Content, *, system_fonts: bool) -> bytes:
    """The PDF; the standard for accessible ones refuses letters that no font has."""
    import typst

    document: bytes = typst.compile(
        TEMPLATE.read_bytes(),
        format="pdf",
        sys_inputs={"page": json.dumps(content)},
        ignore_system_fonts=not system_fonts,
        pdf_standards="ua-1",
        timestamp=0,
    )
    return document


def _letters_without_font(error: Any) -> frozenset[str]:
    """The letters for which there was no font.

    Raises:
        TypstError: the same, if it is about something else.
    """
    texts = _MISSING.findall(str(error.diagnostic))
    if not texts:
        raise error
    return frozenset(_ESCAPED.sub(lambda code: chr(int(code[1], 16)), "".join(texts)))


def _transliterated(content: Content, letters: frozenset[str]) -> Content:
    """A page whose texts with any of some letters are in Latin letters, and a note that says so."""
    from anyascii import anyascii

    latin: dict[str, str] = {}

    def change(text: str) -> str:
        if letters.isdisjoint(text):
            return text
        return latin.setdefault(text, anyascii(_BETWEEN_SYLLABLES.sub(" ", text)))

    page = _changed(content, change)
    note = (
        f"Written in Latin letters here: {len(latin)} text{'s' * (len(latin) != 1)} for whose"
        " letters this computer has no font. Players may spell their names otherwise. Install a"
        " font, such as Noto, to print them as they are."
    )
    return {**page, "notes": [*page["notes"], note]}


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """A page in which every text is changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {name: _changed(part, change) for name, part in value.items()}
    if isinstance(value, Sequence):
        return [_changed(part, change) for part in value]
    return value
