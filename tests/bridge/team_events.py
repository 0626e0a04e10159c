"""
Bridge events written as a director writes them.

    league      lines of matches (and tables after them)  ->  checked facts
    problems    the same, wrong  ->  what is told, each with its line
    listed      lines  ->  their standings
    total       a list  ->  the VPs of each team, as text

The VPs of margins over 16 boards, printed for the European Championships 2014 (tests/data):
1 is 10.31, 3 is 10.91, 19 is 14.80, 20 is 15.00, 30 is 16.73, 33 is 17.17, 39 is 17.97, 62 is 20.
"""

from __future__ import annotations

from typing import Any

import pytest

from palmares.bridge.standings import Standings, standings, vp_text
from palmares.core.errors import FactsRejected
from palmares.facts import Facts, check_facts, parse_cells
from palmares.formats.toml import read

HEAD = '[tournament]\nname = "League"\nend_date = 2024-03-05\n[[event]]\nname = "Teams"\n'


def text(lines: str, tables: str = "") -> str:
    """The report of an event."""
    rows = "\n".join(line.strip() for line in lines.strip().splitlines())
    return f'{HEAD}team_matches = """\n{rows}\n"""\n{tables}'


def league(lines: str, tables: str = "") -> Facts:
    """The facts of an event."""
    return check_facts(parse_cells(read.read(text(lines, tables), "league.toml")))


def problems(lines: str, tables: str = "") -> list[str]:
    """What is wrong with an event: ``7: ...``."""
    with pytest.raises(FactsRejected) as rejected:
        league(lines, tables)
    return [f"{one.where.rpartition(':')[2]}: {one.what}" for one in rejected.value.problems]


def listed(lines: str, tables: str = "", **options: Any) -> Standings:
    """The standings of an event."""
    return standings(league(lines, tables), **options)


def total(made: Standings) -> dict[str, str]:
    """Each team's VPs, in the order of the list."""
    return {one.team: vp_text(one.points) for one in made.teams}


def ranks(made: Standings) -> dict[str, int | None]:
    """Each team's rank, in the order of the list."""
    return {one.team: one.rank for one in made.teams}
