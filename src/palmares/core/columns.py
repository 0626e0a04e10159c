"""Text in aligned columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def text_width(text: str) -> int:
    """How many places a text takes: letters of East Asia two, marks on others none."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


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
