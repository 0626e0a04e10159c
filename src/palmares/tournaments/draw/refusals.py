"""Why no draw is made: one code for each rule of ``docs/reference/draw.md``."""

from __future__ import annotations

from collections.abc import Mapping

from palmares.core.errors import FactsRejected, Location, Problem
from palmares.core.messages import msg

REMEDIES: Mapping[str, tuple[str, str]] = {  # code: (section of the specification, what to do)
    "shape": (
        "1",
        msg("Correct the file, then announce again."),
    ),
    "entries": ("1", msg("Correct the list of entries, then announce again.")),
    "seeds": ("1", msg("Correct the list of seeds, then announce again.")),
    "apart": ("1", msg("Correct who is kept apart and for how many rounds, then announce again.")),
    "feeds": ("5", msg("Correct the rounds whose losers are fed, then announce again.")),
    "randomness": ("2", msg("Choose another source or a later time, then announce again.")),
    "impossible": ("4", msg("Keep fewer players apart, or for fewer rounds.")),
    "too_tight": ("4", msg("Ask for fewer rounds or smaller sets.")),
    "reveal": ("2", msg("Compare it with the announcement, correct it and try again.")),
    "void": (
        "2",
        msg("Announce again with 'replaces', a reason and new randomness."),
    ),
}
"""What to do about each refusal."""


class DrawRefused(FactsRejected):
    """No draw is made: one rule is broken."""

    def __init__(self, problem: Problem) -> None:
        super().__init__([problem], so=msg("nothing was drawn"))
        self.problem = problem  #: its code is that of the specification

    @property
    def code(self) -> str:
        """The code of the rule, such as ``seeds``."""
        return self.problem.code

    def __reduce__(self) -> tuple[type[DrawRefused], tuple[Problem]]:  # type: ignore[override]
        """How it travels to another process: as its problem."""
        return type(self), (self.problem,)


def refusal(code: str, what: str, file: str = "announcement") -> DrawRefused:
    """The refusal with a code.

    Args:
        code: one of `REMEDIES`.
        what: what is wrong, with the key and the values in question.
        file: as the user named it.
    """
    section, remedy = REMEDIES[code]
    problem = Problem(
        at=Location(file), what=what, clause=f"draw {section}", remedy=remedy, code=code
    )
    return DrawRefused(problem)
