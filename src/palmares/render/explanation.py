"""Explanations of points as people read them: on a terminal, in a file, in a notebook."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from textwrap import wrap
from typing import TYPE_CHECKING

from palmares.core.messages import english
from palmares.core.rounding import exact_text, number_text, points_text
from palmares.render.tables import OutputColumn, OutputTable, html_table, terminal_width

if TYPE_CHECKING:
    from palmares.points.awards import Waiting
    from palmares.points.explain import ExplainedAward, PlayerExplanation
    from palmares.regulations.words import ClauseLine

WIDTH = 96
"""Letters on a line."""


def wrapped(text: str, first: str, rest: str) -> list[str]:
    """Text in lines of a readable width, that of the terminal if it is narrower."""
    width = min(WIDTH, terminal_width() or WIDTH)
    return wrap(text, width, initial_indent=first, subsequent_indent=rest) or [first]


def headed(title: str, waiting: Sequence[Waiting]) -> str:
    """The title of a list, with how many events are missing in it."""
    from palmares.points.awards import count_waiting

    return f"{title}; {count_waiting(waiting)}" if waiting else title


def heading(why: PlayerExplanation) -> str:
    """One line: who, how many points, which place, as of when."""
    name = why.player + (f" ({why.nation})" if why.nation else "")
    place = f"rank {why.rank} of {why.ranked}" if why.rank else "not on the list"
    title = f"{name}: {points_text(why.nanopoints)} points, {place}, {why.title} as of {why.as_of}"
    return headed(title, why.waiting)


def lines(why: PlayerExplanation) -> Iterator[str]:
    """The whole explanation as text."""
    yield from wrapped(heading(why), "", "    ")
    quoted: set[str] = set()
    for number, entry in enumerate(why.entries, start=1):
        yield ""
        yield from _entry(number, entry, quoted)
    yield ""
    yield from _sum(why)
    if why.unawarded:
        yield ""
        yield "Results without points"
    for result in why.unawarded:
        yield from wrapped(english(result.sentence), "   ", "       ")


def _entry(number: int, entry: ExplainedAward, quoted: set[str]) -> Iterator[str]:
    title = f"{number}. {entry.tournament}, {entry.event}: {entry.flight}, {entry.kind}"
    yield from wrapped(title, "", "   ")
    yield from wrapped(english(entry.summary.sentence), "   ", "       ")
    if entry.summary.formula:
        yield from wrapped(entry.summary.formula, "       ", "       ")
    worth = f"{exact_text(entry.nanopoints)} points, effective {entry.effective}"
    edition = f"under {entry.edition} (sha256 {entry.sha256[:12]})"
    yield from wrapped(f"{worth}, {edition}", "   ", "       ")
    for line in clauses(entry):
        yield from clause_lines(line, quoted)


def clauses(entry: ExplainedAward) -> tuple[ClauseLine, ...]:
    """The clauses that made an award, and what it is worth on a day on which it counts."""
    return (*entry.lines, *entry.fading) if entry.parts > 1 and entry.counts else entry.lines


def clause_lines(line: ClauseLine, quoted: set[str]) -> Iterator[str]:
    """A clause as text: its place, its words and readings (once each), its numbers and result."""
    pad = "   " + "  " * line.depth
    head = f"{line.label} [{line.clause}]"
    given = ", ".join(f"{name} {number_text(value)}" for name, value in line.inputs)
    if line.says in quoted:
        text = f"{head}, again with {given} = {number_text(line.value)}"
        yield from wrapped(text, pad, pad + "    ")
    else:
        quoted.add(line.says)
        yield ""
        yield from wrapped(f"{head}: {line.says}", pad, pad + "    ")
        yield from wrapped(f"with {given}", pad + "    ", pad + "         ")
        yield f"{pad}    = {number_text(line.value)}"
    for reading in line.readings:
        if reading not in quoted:
            quoted.add(reading)
            yield from wrapped(f"reading {reading}", pad + "    ", pad + "        ")


def _sum(why: PlayerExplanation) -> Iterator[str]:
    """The sum that makes the total, as one would write it on paper."""
    if why.total == "latest":
        yield f"The rating is the one after the last event: {exact_text(why.nanopoints)}"
        return
    yield "Sum"
    for entry in why.entries:
        value, label = exact_text(entry.worth), f"{entry.event}, {entry.flight}, {entry.kind}"
        if not entry.counts:
            value, label = "–", f"{label} (does not count on {why.as_of})"
        elif entry.parts > 1:
            left = entry.weight // entry.nanopoints if entry.nanopoints else entry.parts
            label += f": {exact_text(entry.nanopoints)} × {left}/{entry.parts}"
        yield f"   {value:>16}  {label}"
    faded = any(entry.counts and entry.parts > 1 for entry in why.entries)
    yield f"   {exact_text(why.nanopoints):>16}  total{', summed before it is rounded' * faded}"


# ── In a notebook ────────────────────────────────────────────────────────────────────────────────

_AWARDS = (
    OutputColumn("tournament"),
    OutputColumn("event"),
    OutputColumn("flight"),
    OutputColumn("kind"),
    OutputColumn("effective", kind="date"),
    OutputColumn("points", kind="points"),
    OutputColumn("worth", kind="points"),
)


def page(why: PlayerExplanation) -> str:
    """The awards as a small table of HTML, and under it the whole explanation to unfold."""
    rows = [
        {column.key: getattr(entry, column.key, entry.nanopoints) for column in _AWARDS}
        for entry in why.entries
    ]
    table = OutputTable(rows=rows, columns=_AWARDS, title=heading(why))
    text = escape("\n".join(lines(why)))
    clauses_ = f"<details><summary>Clause by clause</summary><pre>{text}</pre></details>"
    return html_table(table, ' style="text-align:right"') + clauses_
