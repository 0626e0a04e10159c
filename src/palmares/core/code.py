"""The source of modules and of all that they import: what must be the same to compute the same."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cache
from importlib.machinery import all_suffixes
from importlib.util import find_spec, resolve_name
from pathlib import Path


def sources(modules: Iterable[str], within: tuple[str, ...]) -> dict[str, Path]:
    """The files of modules and of every module they import, by name.

    Args:
        modules: where to begin.
        within: how the names of imported modules begin that are followed, such as ``palmares.``.
    """
    files: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        file = None if name in files else _file(name)
        if file is None:
            continue
        files[name] = file
        if file.suffix == ".py":
            package = name if file.name == "__init__.py" else name.rpartition(".")[0]
            imported = _imported(package, file.read_bytes())
            waiting += [module for module in imported if module.startswith(within)]
    return dict(sorted(files.items()))


def package_files(name: str) -> list[Path]:
    """The files of a package's own modules, or the file of a module."""
    spec = find_spec(name)
    if spec is None:
        return []
    if spec.submodule_search_locations is None:
        return [Path(spec.origin)] if spec.origin else []
    suffixes = tuple(all_suffixes())
    files = (file for top in spec.submodule_search_locations for file in Path(top).rglob("*"))
    return sorted(file for file in files if file.name.endswith(suffixes) and file.suffix != ".pyc")


def _file(name: str) -> Path | None:
    """The file of a module; none if the name is of something in a module."""
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:
        return None
    return Path(spec.origin) if spec and spec.origin else None


@cache
def _imported(package: str, content: bytes) -> tuple[str, ...]:
    """What a module imports, by absolute names, the packages above them, and names in modules."""
    names: list[str] = []
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            of = "." * node.level + (node.module or "")
            module = resolve_name(of, package) if node.level else of
            names += [f"{module}.{alias.name}" for alias in node.names]
    every = (name.split(".") for name in names)
    return (*{".".join(parts[:end]): None for parts in every for end in range(1, len(parts) + 1)},)
