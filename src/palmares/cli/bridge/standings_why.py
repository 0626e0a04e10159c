"""``palmares standings --explain``: how a team's total came about, clause by clause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from palmares.bridge.explain import TeamExplanation, added_up, headed
from palmares.bridge.tiebreaks import shown_cells
from palmares.cli.explain import clause_lines, step_row, step_values, wrapped
from palmares.cli.options import Output
from palmares.core.messages import plain as english
from palmares.render.tables import Column

NESTED = tuple(
    map(
        Column,
        ("team", "event", "rank", "points", "tie_break", "summary", "editions", "parts", "total"),
    )
)
FLAT = tuple(map(Column, ("part", "vp", "clause", "label", "says", "inputs", "value")))


def write(why: TeamExplanation, out: Output) -> None:
    """The explanation in the format that was asked for."""
    out.explain(lines(why), ([as_json(why)], NESTED), (list(flat(why)), FLAT), heading(why))


def heading(why: TeamExplanation) -> str:
    """Where the team stands."""
    return headed(why, why.standing.tie_break)


def lines(why: TeamExplanation) -> Iterator[str]:
    """The explanation as text; words of a clause stand where it is first at work."""
    yield from wrapped(heading(why), "", "    ")
    yield from wrapped(added_up(why), "    ", "    ")
    yield f"under {' and '.join(why.editions)}; clauses count hundredths of a VP"
    told: set[str] = set()
    for number, part in enumerate(why.parts, start=1):
        yield ""
        yield f"{number}. {part.what}: {shown_cells(part.vp)}"
        for line in part.lines:
            yield from clause_lines(line, told)
    yield ""
    for line in why.total:
        yield from clause_lines(line, told)
    yield ""
    yield "Sum"
    for part in why.parts:
        yield f"   {shown_cells(part.vp):>8}  {part.what}"
    yield f"   {shown_cells(why.standing.points):>8}  total"


def as_json(why: TeamExplanation) -> dict[str, Any]:
    """The explanation as plain values."""
    return {
        "team": why.standing.team,
        "event": why.event,
        "rank": why.standing.rank,
        "points": shown_cells(why.standing.points),
        "tie_break": why.standing.tie_break,
        "summary": added_up(why),
        "editions": list(why.editions),
        "parts": [
            {
                "what": english(part.what),
                "vp": shown_cells(part.vp),
                "steps": [step_values(line) for line in part.lines],
            }
            for part in why.parts
        ],
        "total": [step_values(line) for line in why.total],
    }


def flat(why: TeamExplanation) -> Iterator[dict[str, str]]:
    """A row with the sum, then one a clause, for spreadsheets; a part without any has one too."""
    yield {"part": "In short", "vp": shown_cells(why.standing.points), "says": added_up(why)}
    for part in why.parts:
        head = {"part": english(part.what), "vp": shown_cells(part.vp)}
        yield from ([head | step_row(line) for line in part.lines] or [head])
    for line in why.total:
        yield {"part": "total", "vp": shown_cells(why.standing.points)} | step_row(line)
