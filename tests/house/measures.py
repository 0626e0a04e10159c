"""Measure the house: ``make house``, or ``python -m tests.house.measures [ROOT]``."""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import grimp

from tests.house.rules import ROOT, files_under

PACKAGE = "palmares"
PRIVATE: Mapping[str, str] = {
    "hall": "AppState", "known": "Snapshot", "shelf": "SingleFlightCache",
    "kept": "CachedResponse", "repeats": "ResponseCacheMiddleware, idempotency",
    "bounded": "RequestGuard", "door": "AuthMiddleware", "turns": "ThreadPools, queue of writers",
    "easel": "ChartRenderer", "drawing_child": "worker", "desk": "services, Transaction, TeamEvent",
    "desks": "services", "caller": "Request", "rehearsed": "dry_run",
    "rehearsal": "Preview", "own_ways": "localized_input", "complaints": "parameter_errors",
    "both": "ranking_before_after", "twin": "alternate representation", "turned": "paginate",
    "turning": "pagination", "course": "rank_history", "courses": "rank_history",
    "posters": "vp_sheet", "instead": "atomic_path", "whole": "all_rows, canonical_id, merged_into",
    "unsought": "gc_paused", "said": "msg", "told": "ShardResult, messages", "figures":
    "LocalNumber", "either": "(dies)", "heads": "preamble, http_guard", "held": "regulations",
    "advice": "hints", "guards": "integrity", "lookalikes": "duplicate candidates",
    "likeness": "similarity", "naming": "profiles", "arrivals": "ingest", "growth": "Delta",
    "grown": "apply", "awarded": "incremental awards", "stretch": "PlayerIndex, DateRange",
    "stamp": "award class", "stamps": "award classes", "station": "Step", "way": "path",
    "ways": "paths", "cuts": "shards", "noticed": "DatedWarning", "noted": "TracedNumber",
    "recipe": "KernelSpec", "standing": "in force", "crawlers": "robots", "trimmed": "redirects",
    "operations": "health, metrics", "asked": "(say what)", "found": "(say what)",
    "one": "(say which)", "made": "(say what)", "named": "(say what)", "listed": "(say what)",
    "shown": "(say what)", "beside": "(say what)", "alike": "duplicates",
}  # fmt: skip
"""Private words, as parts of names, and what the field says instead."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

Arrows = Mapping[str, set[str]]


def statements(path: Path) -> int:
    """The statements of a Python file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return sum(isinstance(node, ast.stmt) for node in ast.walk(tree))


def lines(paths: Iterable[Path]) -> int:
    """The lines of files."""
    return sum(path.read_bytes().count(b"\n") for path in paths)


def private_words(paths: Iterable[Path]) -> Counter[str]:
    """How often each private word stands in a name, wherever the name stands."""
    names: Counter[str] = Counter()
    for path in paths:
        names[path.stem] += 1
        for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
            if token.type == tokenize.NAME:
                names[token.string] += 1
    found: Counter[str] = Counter()
    for name, times in names.items():
        parts = [part.lower() for part in _PART.findall(name)]
        for word in PRIVATE:
            if word in parts or ("_" in word and word in name):
                found[word] += times
    return found


# ── rooms ────────────────────────────────────────────────────────────────────────────────────────


def siblings(graph: grimp.ImportGraph, folder: str) -> Arrows:
    """Which children of a folder import which others."""
    children = graph.find_children(folder)
    return {
        one: {other for other in children - {one} if _imports(graph, one, other)}
        for one in children
    }  # fmt: skip


def _imports(graph: grimp.ImportGraph, one: str, other: str) -> bool:
    return graph.direct_import_exists(importer=one, imported=other, as_packages=True)


def circles(arrows: Arrows) -> list[frozenset[str]]:
    """The groups of siblings in which each leads to each."""
    reached = {one: _reached(arrows, one) for one in arrows}
    together = {
        frozenset(other for other in reached[one] if one in reached[other]) for one in arrows
    }
    return sorted((group for group in together if len(group) > 1), key=sorted)


def _reached(arrows: Arrows, start: str) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        new = arrows[waiting.pop()] - reached
        reached |= new
        waiting += new
    return reached


def floors(arrows: Arrows) -> int:
    """How many boxes stand on one another; a circle is one box."""
    reached = {one: _reached(arrows, one) for one in arrows}

    @cache
    def height(one: str) -> int:
        below = {other for other in reached[one] if one not in reached[other]}
        return 1 + max((height(other) for other in below), default=0)

    return max(height(one) for one in arrows)


def measured(root: Path) -> Iterator[str]:
    """The measures of a source tree, a line each."""
    src = root / "src" / PACKAGE
    python = files_under(src, suffix=".py")
    scripts = [one for one in files_under(src, suffix=".js") if "vendor" not in one.parts]
    words = private_words(python)
    sys.path.insert(0, str(src.parent))
    graph = grimp.build_graph(PACKAGE, cache_dir=None)
    top = siblings(graph, PACKAGE)
    folders = sorted(one for one in graph.modules if graph.find_children(one))
    around = [circle for folder in folders for circle in circles(siblings(graph, folder))]
    loose = [one.stem for one in src.glob("*.py") if not one.stem.startswith("__")]
    yield f"{sum(map(statements, python)):7,} statements in {len(python)} modules"
    yield f"{lines(python):7,} lines of Python"
    yield f"{lines(files_under(src, suffix='.html')):7,} lines of templates"
    yield f"{lines(scripts):7,} lines of JavaScript"
    yield f"{sum(not one.endswith('__main__') for one in top) - len(loose):7} rooms"
    yield f"{len(loose):7} loose modules"
    yield f"{floors(top):7} floors, {sum(map(len, top.values()))} arrows"
    yield f"{len(around):7} circles"
    yield from (f"          {', '.join(sorted(circle))}" for circle in around)
    yield f"{words.total():7,} private words in names"
    yield "          " + ", ".join(f"{word} {times}" for word, times in words.most_common())


if __name__ == "__main__":
    for line in measured(Path(sys.argv[1]) if sys.argv[1:] else ROOT):
        print(line)
