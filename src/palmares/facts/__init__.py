"""The schema of the tables, and what makes rows valid."""

from palmares.facts.cells import TypedFacts, checked, typed
from palmares.facts.checks import Checked, arriving, check
from palmares.facts.merge import concat
from palmares.facts.packages import is_package, read_package, read_typed, write_package
from palmares.facts.rates import rate
from palmares.facts.raw import Raw, RawTable
from palmares.facts.schema import TABLES, Facts, empty

__all__ = [
    "TABLES",
    "Checked",
    "Facts",
    "Raw",
    "RawTable",
    "TypedFacts",
    "arriving",
    "check",
    "checked",
    "concat",
    "empty",
    "is_package",
    "rate",
    "read_package",
    "read_typed",
    "typed",
    "write_package",
]
