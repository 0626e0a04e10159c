"""Text in aligned columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from unicodedata import category, east_asian_width


def letter_width(letter: str) -> int:
    """How many places a letter takes: two in East Asia, none if it is a mark on another."""
    if east_asian_width(letter) in "WF":
        return 2
    return 0 if category(letter) in ("Mn", "Me", "Cf") else 1


def text_width(text: str) -> int:
    """How many places a text takes."""
    return len(text) if text.isascii() else sum(map(letter_width, text))


def align(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """A line for each row, its cells in columns of equal width.

    Args:
        rows: one or more, each with as many cells.
        right: the columns, by place, whose cells end below each other.
    """
    padded = []
    for place, cells in enumerate(zip(*rows, strict=True)):
        widths = list(map(text_width, cells))
        widest = max(widths)
        spaces = [" " * (widest - width) for width in widths]
        pairs = (
            zip(spaces, cells, strict=True) if place in right else zip(cells, spaces, strict=True)
        )
        padded.append(map("".join, pairs))
    return ["  ".join(cells).rstrip() for cells in zip(*padded, strict=True)]
