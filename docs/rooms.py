"""A picture of the rooms of the package and of what they import, drawn from the sources."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "palmares"
WIDTH, HEIGHT = 960, 76  # of the picture; of a floor
BOX = 48  # the height of a room
GAP = 24


def floors() -> list[list[str]]:
    """The rooms by floor, from the highest, as the import contract names them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    return [re.findall(r"\w+", layer) for layer in layers if layer != "(__main__)"]


def imports() -> Mapping[str, set[str]]:
    """Which rooms on lower floors each room imports."""
    found: dict[str, set[str]] = {}
    levels = floors()
    for level, rooms in enumerate(levels):
        lower = {room for floor in levels[level + 1 :] for room in floor}
        for room in rooms:
            paths = (PACKAGE / room).rglob("*.py")
            found[room] = lower & {name for path in paths for name in _imported(path)}
    return found


def _imported(path: Path) -> Iterator[str]:
    """The rooms that a module names in its imports."""
    for node in _statements(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "palmares":
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("palmares."):
            yield str(node.module).split(".")[1]


def _statements(within: ast.AST) -> Iterator[ast.AST]:
    """Every statement; what is in expressions, most of a module, imports nothing."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for node in getattr(within, part, None) or ():
            yield node
            yield from _statements(node)


def shortest(arrows: Mapping[str, set[str]]) -> Mapping[str, set[str]]:
    """The arrows that no way through other rooms replaces."""

    def reach(room: str) -> set[str]:
        return arrows[room].union(*(reach(below) for below in arrows[room]))

    return {
        room: below - set().union(*(reach(other) for other in below))
        for room, below in arrows.items()
    }


def picture() -> str:
    """The rooms on their floors with their idea, and an arrow for each import, as SVG."""
    levels = floors()
    places = {}
    for level, rooms in enumerate(levels):
        width = (WIDTH - GAP * (len(rooms) + 1)) / len(rooms)
        width = min(width, 440)
        start = (WIDTH - len(rooms) * width - (len(rooms) - 1) * GAP) / 2
        for index, room in enumerate(rooms):
            places[room] = (start + index * (width + GAP), 20 + level * HEIGHT, width)
    lines = [_arrow(places[a], places[b]) for a, below in sorted(shortest(imports()).items())
             for b in sorted(below)]  # fmt: skip
    height = 20 + HEIGHT * len(levels)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        ' font-family="system-ui, sans-serif" font-size="13">\n'
        "<title>The rooms of Palmares; an arrow means that a room imports the one below</title>\n"
        '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7"'
        ' markerHeight="7" orient="auto"><path d="M0 0 L10 5 L0 10 z" fill="#44546a"/></marker>'
        f'</defs>\n<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
    )
    boxes = [_box(room, place) for room, place in places.items()]
    return "\n".join([head, *lines, *boxes, "</svg>"])


def _box(room: str, place: tuple[float, float, float]) -> str:
    left, top, width = place
    middle = left + width / 2
    idea = str(ast.get_docstring(ast.parse((PACKAGE / room / "__init__.py").read_text("utf-8"))))
    idea = idea.partition("\n")[0].partition(":")[0].rstrip(".").replace("``", "")
    longest = int(width / 6.6)
    idea = idea if len(idea) <= longest else idea[: longest - 1].rsplit(" ", 1)[0] + " …"
    return (
        f'<rect x="{left:.0f}" y="{top}" width="{width:.0f}" height="{BOX}" rx="6"'
        ' fill="#f5f7fa" stroke="#44546a"/>\n'
        f'<text x="{middle:.0f}" y="{top + 20}" text-anchor="middle" font-weight="bold"'
        f' fill="#1f2a37">{room}</text>\n'
        f'<text x="{middle:.0f}" y="{top + 38}" text-anchor="middle" fill="#44546a"'
        f' font-size="11">{escape(idea)}</text>'
    )


def _arrow(above: tuple[float, float, float], below: tuple[float, float, float]) -> str:
    (left, top, width), (under, foot, wide) = above, below
    return (
        f'<path d="M{left + width / 2:.0f} {top + BOX} L{under + wide / 2:.0f} {foot}"'
        ' stroke="#9aa5b1" fill="none" marker-end="url(#tip)"/>'
    )
