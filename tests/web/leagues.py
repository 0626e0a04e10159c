"""
Events of bridge teams in a journal of a test.

    LEAGUE      the league of the examples: six teams, five rounds
    BOARDS      a match board by board, a bye, an adjustment
    recorded    a report in TOML  ->  the journal has it
"""

from __future__ import annotations

from pathlib import Path

from palmares.facts import Facts, check_facts, parse_cells
from palmares.formats.toml import read as toml_report
from palmares.journal.store.journal import Journal
from tests.journal import statements as say
from tests.journal.reports import tabled
from tests.journal.statements import OFFICER

LEAGUE = Path("examples/bridge/water-birds-league.toml").read_text(encoding="utf-8")
BOARDS = """
[tournament]
id = "york"
name = "York Teams"
discipline = "bridge"
end_date = 2024-04-05

[[event]]
id = "york/teams"
name = "Open <Teams>"
team_matches = \"\"\"
2: Heron 20-20 Coot (16)
\"\"\"

[[event.team_match]]
id = "m1"
round = "1"
home = "Heron"
away = "Coot"
boards = 2
board_results = \"\"\"
1 420 450
2 620 100
\"\"\"
"""


def read(text: str) -> Facts:
    """A report as facts."""
    return check_facts(parse_cells(toml_report.read(text, "league.toml")))


def recorded(journal: Journal, text: str) -> Facts:
    """A report in TOML is recorded as a director's."""
    facts = read(text)
    tables = tabled(facts)
    (tournament,) = facts["tournaments"]["tournament_id"]
    journal.record([say.reported(tournament, tables)], OFFICER)
    return facts
