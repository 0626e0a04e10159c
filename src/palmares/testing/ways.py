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
    held: Regulation, season: Iterable[Tournament], memberships: Memberships | None = None
) -> list[str]:
    """Where the three ways differ: plain and compiled in anything, fractions by over a nanopoint.

    Args:
        held: the regulation.
        season: tournaments that it sees.
        memberships: of their players.
    """
    in_time = sorted(season, key=lambda one: (one.end_date, one.tournament_id))
    floats = granted(held, in_time, memberships or {})
    exact = granted(held, in_time, memberships or {}, Fraction)
    plain = formulas.plain(floats, held.aggregate.opening)
    machine = apply.work(floats, held.aggregate.opening)
    proof = formulas.plain(exact, held.aggregate.opening)
    found = []
    for one, other, proved in zip(plain, machine, proof, strict=True):
        name = f"{one.grant.event.name}, {one.grant.flight}, {one.grant.kind}"
        if _told(one) != _told(other):
            found.append(f"{name}: plain {_told(one)}, compiled {_told(other)}")
        pairs = zip(one.nanopoints, proved.nanopoints, strict=True)
        if any(abs(float_ - fraction) > 1 for float_, fraction in pairs):
            found.append(f"{name}: floats {one.nanopoints}, fractions {proved.nanopoints}")
    return found


def granted(
    held: Regulation,
    season: Iterable[Tournament],
    memberships: Memberships,
    number: type[float | Fraction] = float,
) -> list[Grant]:
    """What a regulation grants for a season, on numbers of one kind."""
    rules = held.rulebook(number=number)
    found = (one for tournament in season for one in held.award(rules, tournament, memberships))
    return [one for one in found if isinstance(one, Grant)]


def _told(worked: formulas.Worked) -> tuple[Any, ...]:
    """Points and derived values, and of which types these are."""
    columns = {name: _list(column) for name, column in worked.columns.items()}
    kinds = [[type(value) for value in column] for column in columns.values()]
    return _list(worked.nanopoints), columns, kinds


def _list(column: Any) -> list[Any]:
    """The same as Python's numbers."""
    return list(column.tolist()) if isinstance(column, np.ndarray) else list(column)
