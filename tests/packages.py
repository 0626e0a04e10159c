"""
Packages of facts written from literal CSV text, and the command line to run on them.

    write       tables as CSV text  ->  a directory
    run         arguments  ->  what the command line did
    rows        arguments  ->  the JSON it printed; it must have worked
"""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent
from typing import Any

from click.testing import CliRunner, Result

from palmares.cli import cli
from palmares.facts import Facts, read_package
from palmares.facts.rates import with_bank_rates
from palmares.regulations import money_disciplines

BACKGAMMON = {
    "players": """\
        player_id,name,nation
        a,Ada Novak,CZE
        b,Ben Ode,GER
        c,Cy Pell,
        d,Dee Rix,GER
        """,
    "tournaments": """\
        tournament_id,name,discipline,end_date
        T,Prague Open,backgammon,2019-11-15
        """,
    "events": """\
        event_id,tournament_id,name,kind,entrants,entry_fee,national_championship
        E,T,Prague Main,championship,4,100,yes
        """,
    "placings": """\
        event_id,player_id,rank
        E,a,1
        E,b,2
        E,c,3
        E,d,3
        """,
}
"""Four players, EUR 100: G = F = 1; R = 385/128, 220/128, 160/128, 1, in all 893/128."""

DIPLOMACY = {
    "players": """\
        player_id,name,nation
        a,Ada Novak,CZE
        b,Ben Ode,GER
        """,
    "tournaments": """\
        tournament_id,name,discipline,end_date
        T,Tempest,diplomacy,2019-05-05
        U,Dixie,diplomacy,2019-06-06
        """,
    "events": """\
        event_id,tournament_id,name,entrants,rounds
        E,T,Tempest,30,3
        F,U,Dixie,65,2
        """,
    "placings": """\
        event_id,player_id,rank
        E,a,7
        E,b,1
        F,a,8
        """,
}
"""Ada is 7th of 30, then 8th of 65; Ben wins the first."""


def write(directory: Path, **tables: str) -> Path:
    """A package: each table's text, evened out, in a file of its name."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in tables.items():
        (directory / f"{name}.csv").write_text(dedent(text), encoding="utf-8", newline="")
    return directory


def rated(directory: Path) -> Facts:
    """The facts of a package, with the rates of the bank that they need."""
    return with_bank_rates(read_package(directory), money_disciplines)


def run(*args: object) -> Result:
    """The command line on these arguments; an exception that is no plain error is raised."""
    return CliRunner().invoke(cli, [str(one) for one in args], catch_exceptions=False)


def rows(*args: object) -> Any:
    """What a command that must work prints as JSON."""
    result = run(*args, "--format", "json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


def error(*args: object) -> str:
    """What a command that must refuse says: one message on standard error and nothing else."""
    result = run(*args)
    assert result.exit_code == 1, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("Error: ")
    assert "Traceback" not in result.stderr
    return result.stderr
