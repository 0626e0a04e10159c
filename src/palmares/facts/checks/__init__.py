"""
Whether rows contradict each other; every check looks at whole tables.

A null in a column that may not be empty has its own problem already; the checks pass over it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from palmares.core.errors import Problem
from palmares.core.progress import Advance, task
from palmares.facts.checks import keys, ranks, rows
from palmares.facts.checks.ranks import placed
from palmares.facts.schema import Facts


class Checked(NamedTuple):
    """What is wrong, and what a person should know."""

    problems: list[Problem]
    notices: list[Problem]


def check(facts: Facts, incomplete: Collection[str] = ()) -> Checked:
    """Everything wrong with the rows of typed facts.

    Args:
        facts: typed facts.
        incomplete: tables that could not be read whole; what they do not hold is not missed.
    """
    placings = placed(facts)
    fields = ranks.fields(facts, placings)
    wrong = (
        keys.twice(facts, placings),
        keys.unknown(facts, incomplete),
        ranks.problems(facts, fields, incomplete),
        rows.problems(facts, incomplete),
    )
    strange = (
        keys.unknown_members(facts, incomplete),
        ranks.notices(facts, fields),
        rows.notices(facts, incomplete),
        keys.similar_players(facts),
        keys.mixed_scripts(facts),
        rows.similar_teams(facts),
    )
    with task("checks", len(wrong) + len(strange)) as step:
        return Checked(_results(wrong, step), _results(strange, step))


def check_ranks(facts: Facts) -> list[Problem]:
    """Ranks that cannot be, of facts whose keys are right."""
    return list(ranks.problems(facts, ranks.fields(facts, placed(facts)), ()))


def repeated_rows(facts: Facts) -> list[Problem]:
    """Rows that are there more than once, such as two placings of a player in a flight."""
    return list(keys.twice(facts, placed(facts)))


def arriving(facts: Facts) -> list[Problem]:
    """Problems that stop new facts, but not entries that a journal has already."""
    return list(rows.day_problems(facts))


def _results(checks: Iterable[Iterable[Problem]], step: Advance) -> list[Problem]:
    """The problems of every check; each check runs as its problems are read."""
    problems: list[Problem] = []
    for check_result in checks:
        problems += check_result
        step()
    return problems
