"""
Lines that an officer pastes into a form: a statement each, every wrong cell told with its place.

    Column      what a cell of a line is
    Row         a line: its number and its cells
    action      lines, and what each of them states  ->  one action, recorded whole or not at all
    plainly     lines as they were typed in a language  ->  days and numbers as programs write them
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from palmares.errors import FactsRejected, Problem, Refused, brief
from palmares.journal.recording import Action, Desk
from palmares.web import own_ways
from palmares.web.messages import counted, said

T = TypeVar("T")
MOST_LINES = 2000
CLAUSE = "lines"
_SO = said("nothing was recorded")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What a cell of a line is."""

    label: str
    name: str  # in the tables of facts
    kind: str = "text"  # text, day, decimal


@dataclass(frozen=True, slots=True)
class Row:
    """A line: its number, and its cells as they stand in it."""

    number: int
    cells: tuple[str, ...]
    columns: tuple[Column, ...]

    def __getitem__(self, at: int) -> str:
        """A cell; empty where the line ends before it."""
        return self.cells[at] if at < len(self.cells) else ""

    def read(self, at: int, reader: Callable[[str], T]) -> T:
        """A cell as a value.

        Raises:
            FactsRejected: it is none, with line and column.
        """
        try:
            return reader(self[at])
        except Refused as refused:
            if refused.__cause__ is not None:  # the database, not the cell
                raise
            raise FactsRejected([self.wrong(str(refused), at)], so=_SO) from None

    def wrong(self, what: str, at: int | None = None, remedy: str = "") -> Problem:
        """Something wrong with a cell, or with the whole line."""
        where = said("line %(line)s", line=str(self.number))
        if at is not None:
            where = said(
                "line %(line)s, column %(column)s (%(label)s)",
                line=str(self.number),
                column=str(at + 1),
                label=(self.columns[at].label,),
            )
        return Problem(where=where, what=what, clause=CLAUSE, remedy=remedy)

    def placed(self, problem: Problem) -> Problem:
        """A problem of the facts that this line makes, at its cell."""
        names = [one.name for one in self.columns]
        cell = problem.clause.rpartition(".")[2]
        at = names.index(cell) if cell in names else None
        return replace(
            self.wrong(problem.what, at, problem.remedy), clause=problem.clause
        )  # fmt: skip


def action(
    text: str,
    columns: tuple[Column, ...],
    *,
    least: int,
    of: Callable[[Row, Desk], Action],
) -> Action:
    """One action for all lines.

    Args:
        text: the lines.
        columns: what their cells are.
        least: cells that a line must have.
        of: what a line states.

    Raises, when it is done:
        FactsRejected: lines are wrong; every one of them is told.
    """

    def act(desk: Desk) -> None:
        problems: list[Problem] = []
        for row in rows_of(text, columns, least=least):
            try:
                of(row, desk)(desk)
            except FactsRejected as rejected:
                problems += [one if one.clause == CLAUSE else row.placed(one)
                             for one in rejected.problems]  # fmt: skip
            except Refused as refused:
                if refused.__cause__ is not None:
                    raise
                problems.append(row.wrong(str(refused)))
        if problems:
            raise FactsRejected(problems, so=_SO)

    return act


def rows_of(text: str, columns: tuple[Column, ...], *, least: int) -> list[Row]:
    """Lines with their cells, parted by tabs, semicolons or commas.

    Raises:
        Refused: there are too many lines.
        FactsRejected: a line has too few cells or too many.
    """
    rows = [Row(number, tuple(cells), columns) for number, _, cells in _parted(text) if any(cells)]
    if len(rows) > MOST_LINES:
        raise Refused(
            said(
                "%(lines)s lines are too many at once; paste %(most)s at most.",
                lines=len(rows),
                most=MOST_LINES,
            )
        )
    wrong = [row for row in rows if not least <= len(row.cells) <= len(columns)]
    if wrong:
        raise FactsRejected((_miscounted(row, least) for row in wrong), so=_SO)
    return rows


def _miscounted(row: Row, least: int) -> Problem:
    return row.wrong(
        counted(
            "%(many)s cell, and there should be %(least)s to %(most)s: %(line)s",
            "%(many)s cells, and there should be %(least)s to %(most)s: %(line)s",
            len(row.cells),
            least=least,
            most=len(row.columns),
            line=brief("; ".join(row.cells)),
        ),
        remedy=said(
            "Part these by semicolons or tabs: %(columns)s.",
            columns=tuple(one.label for one in row.columns),
        ),
    )


def plainly(text: str, columns: Sequence[Column], language: str) -> str:
    """The same lines, days and numbers in them as programs write them.

    Raises:
        FactsRejected: cells can mean two things.
    """
    lines, problems = text.splitlines(), []
    for number, mark, cells in _parted(text):
        row = Row(number, tuple(cells), tuple(columns))
        for at, one in enumerate(columns[: len(cells)]):
            if one.kind in own_ways.READ:
                try:
                    cells[at] = own_ways.READ[one.kind](language, cells[at])
                except own_ways.Unclear as unclear:
                    problems.append(row.wrong(str(unclear), at))
        lines[number - 1] = mark.join(cells)
    if problems:
        raise FactsRejected(problems, so=_SO)
    return "\n".join(lines)


def _parted(text: str) -> Iterator[tuple[int, str, list[str]]]:
    """Each line: its number, what parts its cells, and these."""
    for number, line in enumerate(text.splitlines(), 1):
        mark = next((one for one in "\t;" if one in line), ",")
        yield number, mark, [one.strip() for one in line.strip().split(mark)]
