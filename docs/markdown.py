"""Small pieces of Markdown: tables, cells, code, and the words of a docstring."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

Row = Sequence[str]


def table(head: Row, rows: Iterator[Row] | Sequence[Row]) -> str:
    """A table; cells are Markdown already."""
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines)


def cell(text: object) -> str:
    """Words as they are, so that nothing in them is taken for Markdown."""
    return re.sub(r"([\\|`*_<>\[\]])", r"\\\1", str(text)).replace("\n", " ")


def code(text: object) -> str:
    """Words as code."""
    return f"`{text}`"


def words(text: str) -> str:
    """A docstring's paragraph as Markdown: its double backticks and names in single ones."""
    text = re.sub(r"``(.+?)``", r"`\1`", " ".join(text.split()))
    return re.sub(r"(?<!`)`([^`]+)`(?!`)", r"`\1`", text)
