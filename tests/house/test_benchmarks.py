"""Benchmarks run by hand: what they import of ours must be there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def imported(source: str) -> Iterator[tuple[str, str]]:
    """Modules of ours, and the names taken from them."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("palmares."):
            yield from ((str(node.module), alias.name) for alias in node.names)


@pytest.mark.parametrize("path", sorted(BENCHMARKS.glob("*.py")), ids=lambda path: path.stem)
def test_what_a_benchmark_imports_is_there(path: Path) -> None:
    for module, name in imported(path.read_text(encoding="utf-8")):
        if not hasattr(import_module(module), name):
            import_module(f"{module}.{name}")
