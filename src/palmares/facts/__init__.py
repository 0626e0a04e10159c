"""The schema of the tables, and what makes rows valid."""

from palmares.facts.cells import ParsedFacts, check_facts, parse_cells
from palmares.facts.checks import Checked, arriving, check
from palmares.facts.decoding import ReportTables
from palmares.facts.merge import concat
from palmares.facts.packages import is_package, read_package, read_typed, write_package
from palmares.facts.rates import rate
from palmares.facts.schema import TABLES, Facts, empty

__all__ = [
    "TABLES",
    "Checked",
    "Facts",
    "ParsedFacts",
    "ReportTables",
    "arriving",
    "check",
    "check_facts",
    "concat",
    "empty",
    "is_package",
    "parse_cells",
    "rate",
    "read_package",
    "read_typed",
    "write_package",
]
