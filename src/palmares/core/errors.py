"""
Everything that can go wrong, in one picture.

    PalmaresError
    ├── RuleError        our own files are wrong: fix the sheet or the module
    ├── NotCovered       a date, a shape or a name for which we hold no rule
    ├── FactsRejected    the reports or tables are wrong: carries every Problem found
    └── Refused          the question cannot be answered as it was put

    PalmaresWarning      a Problem that does not stop the work

A `Problem` is a value, not an exception: reading collects all of them before anything is raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from palmares.sentences import changed, counted, said

LONGEST = 40  # letters of a value shown in a message
LONGEST_LINE = 1_000  # of a problem, whoever wrote it; then its values are cut
LONGEST_VALUE = 300  # of such a line


class PalmaresError(Exception):
    """Something a person can mend; its text says what, where, by which clause, and how."""


class RuleError(PalmaresError):
    """A sheet disagrees with itself or with its module."""


class NotCovered(PalmaresError):
    """No rule we hold covers what was asked."""


class Refused(PalmaresError):
    """The question cannot be answered as it was put."""


class PalmaresWarning(UserWarning):
    """Something a person should look at; the work went on."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Problem:
    """One thing wrong with one place of what was handed in."""

    where: str  # "results/placings.csv:14"
    what: str  # what is wrong, with the values in question
    clause: str  # the rule that says so: "wbgf W14", "facts placings.rank"
    remedy: str  # what to do next

    def __post_init__(self) -> None:
        """Cut what is longer than anybody reads: what was sent may be as long as a book."""
        for name in ("where", "what", "remedy"):
            text = getattr(self, name)
            if len(text) > LONGEST_LINE:
                cut = changed(text, lambda one: brief(one, LONGEST_VALUE))
                object.__setattr__(self, name, cut)

    def __str__(self) -> str:
        return f"{self.where}: {self.what} [{self.clause}]\n    {self.remedy}"


class FactsRejected(PalmaresError):
    """The facts are wrong in one or more places; nothing was computed from them."""

    def __init__(
        self, problems: Iterable[Problem], shown: int = 50, so: str = said("nothing was computed")
    ) -> None:
        self.problems: Sequence[Problem] = tuple(dict.fromkeys(problems))
        self.so = so
        count = len(self.problems)
        self.summary = counted("%(many)s problem, %(so)s.", "%(many)s problems, %(so)s.", count,
                               so=(so,))  # fmt: skip
        lines = [self.summary]
        lines += [str(problem) for problem in self.problems[:shown]]
        if count > shown:
            lines.append(f"… and {count - shown} more.")
        super().__init__("\n".join(lines))


def rejected(where: str, what: str, clause: str, remedy: str) -> FactsRejected:
    """The exception that carries one problem."""
    return FactsRejected([Problem(where=where, what=what, clause=clause, remedy=remedy)])


def brief(value: object, longest: int = LONGEST) -> str:
    """A value as a message may show it: cut where a line would overflow."""
    try:
        text = str(value)
    except ValueError:  # Python prints no number of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= longest else f"{text[: longest - 3]}…"
