"""
What authors of a regulation test theirs with; `palmares.testing.witness` tests their tests.

    def test_house_rules(): assert house_rules(ladder) == []
    def test_three_ways(): assert three_ways(ladder, [tournament]) == []
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from inspect import getsource
from typing import Any

import numpy as np

from palmares.points.kernels import apply, formulas
from palmares.regulations.model import Grant, Memberships, Tournament
from palmares.regulations.protocol import Regulation

__all__ = ["house_rules", "three_ways"]

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


# ── one formula, three ways to run it: plain floats, machine code and exact fractions ─────────────


def three_ways(
    regulation: Regulation, season: Iterable[Tournament], memberships: Memberships | None = None
) -> list[str]:
    """Where the three ways differ: plain and compiled in anything, fractions by over a nanopoint.

    Args:
        regulation: the regulation.
        season: tournaments that it sees.
        memberships: of their players.
    """
    in_time = sorted(season, key=lambda tournament: (tournament.end_date, tournament.tournament_id))
    floats = granted(regulation, in_time, memberships or {})
    exact = granted(regulation, in_time, memberships or {}, Fraction)
    plain = formulas.plain(floats, regulation.aggregate.opening)
    machine = apply.work(floats, regulation.aggregate.opening)
    proof = formulas.plain(exact, regulation.aggregate.opening)
    faults = []
    for tournament, other, proved in zip(plain, machine, proof, strict=True):
        name = f"{tournament.grant.event.name}, {tournament.grant.flight}, {tournament.grant.kind}"
        if _values(tournament) != _values(other):
            faults.append(f"{name}: plain {_values(tournament)}, compiled {_values(other)}")
        pairs = zip(tournament.nanopoints, proved.nanopoints, strict=True)
        if any(abs(float_ - fraction) > 1 for float_, fraction in pairs):
            faults.append(f"{name}: floats {tournament.nanopoints}, fractions {proved.nanopoints}")
    return faults


def granted(
    regulation: Regulation,
    season: Iterable[Tournament],
    memberships: Memberships,
    number: type[float | Fraction] = float,
) -> list[Grant]:
    """What a regulation grants for a season, on numbers of one kind."""
    rules = regulation.rulebook(number=number)
    grants = (
        grant for tournament in season for grant in regulation.award(rules, tournament, memberships)
    )
    return [grant for grant in grants if isinstance(grant, Grant)]


def _values(worked: formulas.Worked) -> tuple[Any, ...]:
    """Points and derived values, and of which types these are."""
    columns = {name: _as_list(column) for name, column in worked.columns.items()}
    kinds = [[type(value) for value in column] for column in columns.values()]
    return _as_list(worked.nanopoints), columns, kinds


def _as_list(column: Any) -> list[Any]:
    """A column as Python's numbers."""
    return list(column.tolist()) if isinstance(column, np.ndarray) else list(column)
