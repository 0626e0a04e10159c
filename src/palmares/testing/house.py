"""Rules that the module of a regulation and its edition files keep, found by reading them."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from importlib import import_module
from inspect import getsource

from palmares.regulations.protocol import Regulation

NUMBERS_OF_NO_EDITION = {0, 1, 2, 100}


def house_rules(regulation: Regulation) -> list[str]:
    """Numbers that belong in an edition file, and clauses that only it or only the module knows."""
    tree = ast.parse(getsource(import_module(regulation.module)))
    stated = {
        edition.path: {clause.id: clause.kind for clause in edition.clauses.values()}
        for edition in regulation.editions()
    }
    return numbers_of_an_edition(tree) + clauses_at_odds(
        regulation.name, clauses_marked(tree), stated
    )


def numbers_in(value: object) -> list[complex]:
    """The numbers a constant stands for: itself, or what text such as "7/2" spells."""
    if isinstance(value, int | float | complex) and not isinstance(value, bool):
        return [value]
    try:
        return [float(part) for part in value.split("/")] if isinstance(value, str) else []
    except ValueError:
        return []


def numbers_of_an_edition(tree: ast.Module) -> list[str]:
    """Numbers in code, also as text, that belong in an edition file."""
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        f"line {node.lineno}: {node.value!r}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node not in docstrings
        if not NUMBERS_OF_NO_EDITION.issuperset(numbers_in(node.value))
    ]


def clauses_marked(tree: ast.Module) -> list[str]:
    """The reference of every ``@clause("...")`` in a module."""
    return [
        ast.literal_eval(decorator.args[0])
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for decorator in node.decorator_list
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("clause")
    ]


def clauses_at_odds(
    name: str, marked: Sequence[str], stated: Mapping[str, Mapping[str, str]]
) -> list[str]:
    """Clauses that only the module or only an edition file knows.

    Args:
        name: of the regulation.
        marked: the clauses that functions of the module are marked with.
        stated: for each edition file its clauses, and their kinds.
    """
    computed = [
        (file, f"{name} {clause}")
        for file, clauses in stated.items()
        for clause, kind in clauses.items()
        if kind == "computes"
    ]
    references = {f"{name} {clause}" for clauses in stated.values() for clause in clauses}
    faults = [f"{path}: no function is marked {ref}" for path, ref in computed if ref not in marked]
    return faults + [f"{name}: no edition has {ref}" for ref in marked if ref not in references]
