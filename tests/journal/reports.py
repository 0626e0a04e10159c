"""
Reports that tests hand in, as a director writes them.

    prague      a championship of four players, EUR 100, as text; what is said otherwise is replaced
    arrived     files  ->  facts, and an action that records them
    prague_journal  a database  ->  a journal with that championship: P1 to P4, then the report
    POINTS      what each of the four gets for it, in nanopoints
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from palmares.facts import Facts
from palmares.formats.load import gathered
from palmares.journal.commands.reports import report
from palmares.journal.commands.transaction import Action, record_entries
from palmares.journal.projection.bodies import by_tournament
from palmares.journal.store.entries import Actor
from palmares.journal.store.journal import Journal, create_journal
from tests.journal.filled import OFFICER

PRAGUE = """
[tournament]
name       = "Prague Open"
discipline = "backgammon"
end_date   = 2019-11-15

[[event]]
name      = "Main"
kind      = "championship"
entry_fee = 100

[event.main]
entrants = 4
placings = '''
1    Ada Novak (CZE)
2    Ben Ode (GER)
3-4  Cy Pell
3-4  Dee Rix (GER)
'''
"""

T = "prague-open-2019-11-15"
E = f"{T}/main"

POINTS = {
    "Ada Novak": 40 * 385 / 893,
    "Ben Ode": 40 * 220 / 893,
    "Cy Pell": 40 * 144 / 893,
    "Dee Rix": 40 * 144 / 893,
}
"""G = F = 1, 10 x 4 points in the ratio of 385, 220, 144 and 144 to 893."""


def prague(folder: Path, name: str = "prague.toml", **other: str) -> Path:
    """The report in a file; each keyword, found in the text, gives way to its value."""
    text = PRAGUE
    for old, new in other.items():
        assert old in text
        text = text.replace(old, new)
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def arrived(*files: Path, chosen: Mapping[str, str] | None = None, **more: Any) -> Action:
    """What records these files, as the command line does it."""
    facts = gathered(*files)
    return report(facts, chosen=chosen or {}, **more)


def prague_journal(url: str, by: Actor = OFFICER) -> Journal:
    """A journal with the championship in entries 1 to 5."""
    made = create_journal(url)
    with TemporaryDirectory() as folder:
        record_entries(made, by, arrived(prague(Path(folder))))
    return made


def tabled(facts: Facts) -> Mapping[str, Any]:
    """The tables of the only report in some facts, as an entry keeps them."""
    (tables,) = by_tournament(facts).values()
    return tables
