"""
Where each key of a TOML text stands, which ``tomllib`` does not tell.

    positions   text that tomllib has accepted  ->  Positions
    Positions   a path such as ("event", 0, "main", "placings")  ->  its line
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

Path = tuple[str | int, ...]

_KEY_PART = re.compile(r"""\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))\s*""")
_SKIPPED = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[^\"'\#\[\]{}\n]+"
    r"|.",
    re.DOTALL,
)
_FENCE = re.compile(r"\"\"\"|'''")


@dataclass(slots=True)
class Positions:
    """The line of every key and table header, counted from 1."""

    lines: dict[Path, int] = field(default_factory=dict)
    blocks: dict[Path, int] = field(default_factory=dict)  # first content line of a """ block

    def line(self, *path: str | int) -> int:
        """The line of a key, or of the nearest thing around it."""
        for end in range(len(path), 0, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return 1

    def content(self, *path: str | int) -> int:
        """The line on which the text of a value begins."""
        return self.blocks.get(path, self.line(*path))


def positions(text: str) -> Positions:
    """Find every key of a text; the text has been parsed before, so it is sound."""
    found = Positions()
    counts: dict[Path, int] = {}
    here: Path = ()
    at, line = 0, 1
    while at < len(text):
        char = text[at]
        if char in " \t\r\n":
            line += char == "\n"
            at += 1
        elif char == "#":
            at = _end_of_line(text, at)
        elif char == "[":
            double = text.startswith("[[", at)
            parts, at = _key(text, at + 1 + double)
            here = _header(parts, counts, double=double)
            found.lines.setdefault(here, line)
            at = _end_of_line(text, at)
        else:
            parts, at = _key(text, at)
            path = (*here, *parts)
            found.lines.setdefault(path, line)
            end = _value_end(text, at + 1)
            _note_block(found, path, text[at + 1 : end], line)
            line += text.count("\n", at, end)
            at = max(end, at + 1)
    return found


def _end_of_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _key(text: str, at: int) -> tuple[list[str], int]:
    """The dotted key that starts at a place, and where it ends."""
    parts: list[str] = []
    while part := _KEY_PART.match(text, at):
        parts.append(next(group for group in part.groups() if group is not None))
        at = part.end()
        if not text.startswith(".", at):
            break
        at += 1
    return parts, at


def _header(parts: list[str], counts: dict[Path, int], *, double: bool) -> Path:
    """The path a table header opens; tables in arrays get the number of the latest one."""
    path: Path = ()
    for number, part in enumerate(parts):
        path = (*path, part)
        if double and number == len(parts) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


def _value_end(text: str, at: int) -> int:
    """Where the value that starts at a place ends: a line's end outside strings and brackets."""
    depth = 0
    for piece in _SKIPPED.finditer(text, at):
        word = piece[0]
        if word in "[{":
            depth += 1
        elif word in "]}":
            depth -= 1
        elif word == "\n" and depth <= 0:
            return piece.start()
    return len(text)


def _note_block(found: Positions, path: Path, value: str, line: int) -> None:
    """Remember where the content of a block of text begins."""
    value = value.lstrip(" \t")
    fence = _FENCE.match(value)
    if fence and value[fence.end() :].startswith("\n"):
        found.blocks[path] = line + 1
