"""The policy of a streaming fund: its edition files, and the one currency of its amounts."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

from palmares.core.errors import RuleError
from palmares.core.settings import SETTINGS
from palmares.facts.codes import currency
from palmares.regulations.editions import Edition, Rulebook, Rules, rulebook, rules_directory
from palmares.regulations.usbgf_streaming import REGULATION, Constants

CLAUSES = ("expenses", "decision", "guarantee", "baggage", "donors", "carried-over")
"""What a policy must have, apart from a clause for each source of donations."""
CENTS = 100


@dataclass(frozen=True, slots=True)
class Policy:
    """Every edition of a fund's policy, ready for work."""

    rulebook: Rulebook
    currency: str  # ISO 4217; of every amount

    @property
    def latest(self) -> Rules:
        """The last edition."""
        return self.rulebook.all[-1]

    def words(self, prefix: str) -> tuple[str, ...]:
        """What the clauses of a kind name: of ``source``, ``letter-before`` and so on."""
        start = f"{prefix}-"
        return tuple(
            name.removeprefix(start)
            for name in self.latest.edition.clauses
            if name.startswith(start)
        )


def policy() -> Policy:
    """The policy of the setting ``fund``, or that of the USBGF.

    Raises:
        RuleError: an edition file is not as it must be.
    """
    folder = Path(SETTINGS["fund"].given or rules_directory() / REGULATION.name)
    return _policy(folder.resolve())


@cache
def _policy(folder: Path) -> Policy:
    book = rulebook(folder.name, Constants, number=Fraction, directory=folder.parent)
    faults = [fault for rules in book.all for fault in _faults(rules.edition)]
    currencies = sorted({_currency(rules.edition) for rules in book.all})
    if not faults and len(currencies) > 1:
        faults.append(f"{folder}: a fund has one currency, and its editions {currencies}")
    if faults:
        raise RuleError("\n".join(faults))
    return Policy(book, currencies[0])


def _currency(edition: Edition) -> str:
    return edition.constants["streaming_day"].unit.split()[0]


def _faults(edition: Edition) -> list[str]:
    path, clauses = edition.path, edition.clauses
    faults = [f"{path}: there is no clause {name}" for name in CLAUSES if name not in clauses]
    if not any(name.startswith("source-") for name in clauses):
        faults.append(f"{path}: there is no clause source-… for where donations come from")
    for name, constant in edition.constants.items():
        code = constant.unit.split()[0]
        if currency(code) != code:
            faults.append(f"{path}: constant {name}: its unit begins with {code}, and no currency")
        elif code != _currency(edition):
            faults.append(f"{path}: constant {name} is in {code}, others in {_currency(edition)}")
        if constant.value < 0 or (constant.value * CENTS).denominator != 1:
            faults.append(f"{path}: constant {name} is no amount in whole cents")
    return faults
