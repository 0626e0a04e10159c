"""Packages on disk for the tests: a sound one, and the same with some tables replaced."""

from __future__ import annotations

from pathlib import Path

from palmares.core.errors import FactsRejected, Problem
from palmares.facts import Facts, read_package

SOUND = {
    "players": """\
player_id,name,nation
ada,Ada Novak,CZE
bob,Bob Stone,ENG
cyd,Cyd Rossi,ITA
dan,Dan Meyer,DEU
""",
    "tournaments": """\
tournament_id,name,end_date
open,Open,2019-11-17
""",
    "events": """\
event_id,tournament_id,name,kind,entry_fee
main,open,Main,championship,100
""",
    "flights": """\
event_id,flight,entrants
main,main,4
""",
    "placings": """\
event_id,flight,player_id,rank
main,main,ada,1
main,main,bob,2
main,main,cyd,3
main,main,dan,3
""",
}


def package(directory: Path, **tables: str | bytes | None) -> Path:
    """The sound package with some tables replaced, added or (None) left out."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in {**SOUND, **tables}.items():
        if text is not None:
            data = text if isinstance(text, bytes) else text.encode()
            (directory / f"{name}.csv").write_bytes(data)
    return directory


def facts(directory: Path, **tables: str | bytes | None) -> Facts:
    """The facts of such a package."""
    return read_package(package(directory, **tables))


def told(directory: Path, **tables: str | bytes | None) -> list[str]:
    """What is wrong with such a package: ``placings.csv:3: what``."""
    return [f"{place(one)}: {one.what}" for one in rejected(directory, **tables)]


def rejected(directory: Path, **tables: str | bytes | None) -> tuple[Problem, ...]:
    """Every problem of such a package."""
    try:
        facts(directory, **tables)
    except FactsRejected as error:
        return tuple(error.problems)
    return ()


def noticed(directory: Path, **tables: str | bytes | None) -> list[str]:
    """What deserves a look in such a package, which is accepted."""
    return [f"{place(one)}: {one.what}" for one in facts(directory, **tables).notices]


def place(problem: Problem) -> str:
    """Where, without the directory of the test."""
    return problem.where.rsplit("/", 1)[-1]
