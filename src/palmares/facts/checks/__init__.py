"""
Do rows contradict each other? Every check looks at whole tables, however many rows they have.

    keys        nothing twice, no unknown id
    ranks       competition ranks within the field
    rows        dates, rates, matches: cells of one row against each other
    days        days of matches against the ends of their events and tournaments
    teams       matches of teams
    people      names that look like one person's

A null in a column that may not be empty has its own problem already; the checks pass over it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from palmares.errors import Problem
from palmares.facts.checks import days, keys, people, ranks, rows, teams
from palmares.facts.tables import Facts
from palmares.progress import Step, task


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
    fields = ranks.fields(facts)
    wrong = (
        keys.twice(facts),
        keys.unknown(facts, incomplete),
        ranks.problems(facts, fields, incomplete),
        rows.problems(facts),
        teams.problems(facts, incomplete),
    )
    strange = (
        keys.unknown_members(facts, incomplete),
        ranks.notices(facts, fields),
        rows.notices(facts),
        people.lookalikes(facts),
        teams.lookalikes(facts),
    )
    with task("checks", len(wrong) + len(strange)) as step:
        return Checked(_told(wrong, step), _told(strange, step))


def arriving(facts: Facts) -> list[Problem]:
    """What facts may not say when they arrive; entries of a journal that say it stay in force."""
    return list(days.problems(facts))


def _told(checks: Iterable[Iterable[Problem]], step: Step) -> list[Problem]:
    """What every check finds; a check works while it is asked."""
    found: list[Problem] = []
    for one in checks:
        found += one
        step()
    return found
