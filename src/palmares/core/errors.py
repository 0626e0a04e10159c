"""
The errors of palmares.

    PalmaresError
    ├── RuleError        our own files are wrong: fix the edition file or the module
    ├── NotCovered       a date, a shape or a name for which we hold no rule
    ├── FactsRejected    the reports or tables are wrong: carries every Problem found
    ├── Refused          the question cannot be answered as it was put
    └── StoreError       a database fails

    Unreadable           why a file is not read; never leaves the room that reads
    PalmaresWarning      a Problem that does not stop the work

A `Problem` is a value, not an exception: reading collects all of them before anything is raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from palmares.core.messages import changed, msg, plural

LONGEST = 40  # letters of a value shown in a message
LONGEST_LINE = 1_000  # of a problem; in a longer one the values are cut
LONGEST_VALUE = 300  # of such a line


class PalmaresError(Exception):
    """Something a person can mend; its text says what, where, by which clause, and how."""


class RuleError(PalmaresError):
    """An edition file disagrees with itself or with its module."""


class NotCovered(PalmaresError):
    """No rule we hold covers what was asked."""


class Refused(PalmaresError):
    """The question cannot be answered as it was put."""


class StoreError(PalmaresError):
    """A database cannot be read or written."""


class Unreadable(Exception):
    """Why a file is not read: on which line, 0 for all of it; what is wrong; what to do."""

    def __init__(self, line: int, what: str, remedy: str) -> None:
        super().__init__(what)
        self.line, self.what, self.remedy = line, what, remedy


class PalmaresWarning(UserWarning):
    """Something a person should look at; the work went on."""


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """The place of a value: ``results/placings.csv:14``, ``list.xlsx:C7``, ``entry 12``."""

    file: str  #: as the user named it; of a journal, what of it is meant
    line: int = 0  #: or row, counted from 1; 0 for all of it
    column: str = ""  #: of a workbook, by its letters
    table: str = field(default="", compare=False)  #: of the facts that the cell is part of
    key: str = field(default="", compare=False)  #: the column of that table

    @property
    def cell(self) -> str:
        """``placings.rank``; empty where it is about no cell of the facts."""
        return f"{self.table}.{self.key}" if self.table else ""

    def __str__(self) -> str:
        return f"{self.file}:{self.column}{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Problem:
    """One thing wrong with one place of what was handed in.

    Its texts are messages that know their values: whoever shows them puts them into the language
    of the reader. Nothing is read out of a text: the code says what kind of problem it is, the
    location where it stands.
    """

    at: Location
    what: str  #: what is wrong, with the values in question
    clause: str  #: the rule that says so, as "wbgf W14" or "facts placings.rank"
    remedy: str  #: what to do next
    code: str = ""  #: which kind of problem; empty where no page asks
    several: str = field(default="", compare=False)  #: heads many, as "events under 30 players"

    def __post_init__(self) -> None:
        """Cut what is longer than anybody reads: what was sent may be as long as a book."""
        if len(self.at.file) > LONGEST_LINE:
            object.__setattr__(self, "at", replace(self.at, file=_cut(self.at.file)))
        for name in ("what", "remedy"):
            if len(text := getattr(self, name)) > LONGEST_LINE:
                object.__setattr__(self, name, _cut(text))

    @property
    def where(self) -> str:
        """Its place in a word, such as ``results/placings.csv:14``."""
        return str(self.at)

    @property
    def sentences(self) -> str:
        """What is wrong and what to do next, still translatable."""
        return msg("%(what)s. %(remedy)s", what=self.what, remedy=self.remedy)

    def __str__(self) -> str:
        return f"{self.where}: {self.what} [{self.clause}]\n    {self.remedy}"


def _cut(text: str) -> str:
    return changed(text, lambda value: brief(value, LONGEST_VALUE))


class FactsRejected(PalmaresError):
    """The facts are wrong in one or more places; nothing was computed from them."""

    def __init__(
        self,
        problems: Iterable[Problem],
        shown: int = 50,
        so: str = msg("nothing was computed"),
        notices: Sequence[Problem] = (),
    ) -> None:
        self.problems: Sequence[Problem] = tuple(dict.fromkeys(problems))  #: each of them once
        self.notices = notices  #: warnings of the reading, such as files that were skipped
        self.so, self.shown = so, shown
        count = len(self.problems)
        self.summary = plural("%(many)s problem, %(so)s.", "%(many)s problems, %(so)s.", count,
                               so=(so,))  # fmt: skip
        lines = [self.summary]
        lines += [str(problem) for problem in self.problems[:shown]]
        if count > shown:
            lines.append(f"… and {count - shown} more.")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[FactsRejected], tuple[object, ...]]:
        """How it is pickled: by what it is made from."""
        return type(self), (self.problems, self.shown, self.so, self.notices)


def rejected(
    at: Location | str,
    what: str,
    clause: str,
    remedy: str,
    *,
    code: str = "",
    so: str = msg("nothing was computed"),
) -> FactsRejected:
    """The exception that carries one problem, of a place or of all of a file.

    Args:
        at: the place.
        what: is wrong there.
        clause: the rule that says so.
        remedy: what to do next.
        code: which kind of problem it is.
        so: what was not done.
    """
    place = Location(at) if isinstance(at, str) else at
    problem = Problem(at=place, what=what, clause=clause, remedy=remedy, code=code)
    return FactsRejected([problem], so=so)


def did_you_mean(wrong: str, words: Iterable[str]) -> str:
    """`` Did you mean wbgf?``, after the sentence that refuses a word; empty if none is alike."""
    from difflib import get_close_matches

    spelled = {word.casefold(): word for word in words}
    close = get_close_matches(wrong.casefold(), spelled, n=3)
    return f" Did you mean {', '.join(spelled[word] for word in close)}?" if close else ""


def brief_repr(value: object) -> str:
    """A value as Python writes it, for an error; where that is long, its type."""
    written = repr(value)
    return written if len(written) <= LONGEST else f"an object of the type {type(value).__name__}"


def brief(value: object, longest: int = LONGEST) -> str:
    """A value as a message may show it: cut where a line would overflow."""
    try:
        text = str(value)
    except ValueError:  # Python prints no number of more than 4300 digits
        return "a number of thousands of digits"
    return text if len(text) <= longest else f"{text[: longest - 3]}…"
