"""The source of modules and of all that they import: what must be the same to compute the same."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder, all_suffixes
from importlib.util import find_spec, resolve_name
from pathlib import Path

_BLOCKS = ("body", "orelse", "handlers", "finalbody", "cases")


def sources(modules: Iterable[str], within: tuple[str, ...]) -> dict[str, Path]:
    """The files of modules and of every module they import, by name; none is run.

    Args:
        modules: where to begin.
        within: how the names of imported modules begin that are followed, such as ``palmares.``.
    """
    specs: dict[str, ModuleSpec | None] = {}
    files: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        spec = _spec(name, specs)
        if name in files or spec is None or spec.origin is None:
            continue
        files[name] = Path(spec.origin)
        if spec.origin.endswith(".py"):
            package = name if spec.submodule_search_locations else name.rpartition(".")[0]
            imported = _imported(package, files[name].read_bytes())
            waiting += [module for module in imported if module.startswith(within)]
    return dict(sorted(files.items()))


def package_files(name: str) -> list[Path]:
    """The files of a package's own modules, or the file of a module; none is run."""
    spec = find_spec(name)
    if spec is None:
        return []
    if spec.submodule_search_locations is None:
        return [Path(spec.origin)] if spec.origin else []
    suffixes = tuple(all_suffixes())
    files = (file for top in spec.submodule_search_locations for file in Path(top).rglob("*"))
    return sorted(file for file in files if file.name.endswith(suffixes) and file.suffix != ".pyc")


def _spec(name: str, specs: dict[str, ModuleSpec | None]) -> ModuleSpec | None:
    """Where a module is; nothing if the name is of something in a module."""
    if name not in specs:
        above = name.rpartition(".")[0]
        if not above:
            specs[name] = find_spec(name)
        else:
            package = _spec(above, specs)
            folders = package.submodule_search_locations if package else None
            specs[name] = PathFinder.find_spec(name, folders) if folders else None
    return specs[name]


@cache
def _imported(package: str, content: bytes) -> tuple[str, ...]:
    """What a module imports, by absolute names, the packages above them, and names in modules."""
    names_imported: dict[str, None] = {}
    for statement in _statements(ast.parse(content)):
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            of = "." * statement.level + (statement.module or "")
            module = resolve_name(of, package) if statement.level else of
            names = [f"{module}.{alias.name}" for alias in statement.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            names_imported |= dict.fromkeys(
                ".".join(parts[:end]) for end in range(1, len(parts) + 1)
            )
    return (*names_imported,)


def _statements(node: ast.AST) -> Iterator[ast.stmt]:
    """Every statement that runs; none that only checkers of types read."""
    for block in _BLOCKS:
        for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        if block == "body" and for_types:
            continue
        inside = getattr(node, block, ())
        for statement in inside if isinstance(inside, list) else ():
            if isinstance(statement, ast.stmt):
                yield statement
            yield from _statements(statement)
