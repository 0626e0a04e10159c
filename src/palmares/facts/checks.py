"""Do rows contradict each other?"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from palmares.errors import Problem
from palmares.facts.tables import Facts


class Checked(NamedTuple):
    """What is wrong, and what a person should know."""

    problems: list[Problem]
    notices: list[Problem]


def check(facts: Facts, incomplete: Collection[str] = ()) -> Checked:
    """Everything wrong with the rows of typed facts."""
    return Checked([], [])
