"""One formula, three ways to run it: plain floats, machine code and exact fractions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np

from palmares.points.kernels import apply, formulas
from palmares.regulations.model import Grant, Memberships, Tournament
from palmares.regulations.protocol import Regulation


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
