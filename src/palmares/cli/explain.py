"""explain: why a player has these points."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from palmares.cli import completion
from palmares.cli.app import command
from palmares.cli.options import Output, asking, printing, selecting
from palmares.cli.sources import Source, headed, warn
from palmares.cli.types import wrapped
from palmares.core.messages import plain as english
from palmares.core.rounding import plain, shown, written
from palmares.render.tables import Column, exact_points

if TYPE_CHECKING:
    from palmares.points import explain as explanations
    from palmares.points.awards import Question
    from palmares.points.rankings import Selection
    from palmares.regulations.words import Line

NESTED = (
    *map(Column, ("regulation", "player_id", "player", "nation", "as_of", "rank", "ranked")),
    Column("points", kind="points"),
    Column("awards"),
)
FLAT = tuple(map(Column, ("event", "flight", "kind", "clause", "label", "says", "inputs", "value")))


@command()
@asking
@click.option(
    "--player",
    required=True,
    shell_complete=completion.players,
    metavar="ID_OR_NAME",
    help="Whose points.",
)
@selecting
@printing
def explain(
    source: Source,
    question: Question,
    player: str,
    chosen: Selection,
    out: Output,
) -> None:
    """Why PLAYER has these points: every clause, the numbers in, the number out.

    \b
    Example:
        palmares explain wbgf examples/backgammon --player "Todd Obadal" --as-of 2005-12-31
    """
    from palmares.points import explain as explanations
    from palmares.points.rankings import refuse_nonsense

    refuse_nonsense(question, chosen, "player")
    why = explanations.explain(question, source.facts(), player, chosen)
    warn(why.notices, why.waiting)
    out.explain(lines(why), ([as_json(why)], NESTED), (list(flat(why)), FLAT), heading(why))


# ── For people ───────────────────────────────────────────────────────────────────────────────────


def heading(why: explanations.Explanation) -> str:
    """One line: who, how many points, which place, as of when."""
    name = why.player + (f" ({why.nation})" if why.nation else "")
    place = f"rank {why.rank} of {why.ranked}" if why.rank else "not on the list"
    title = f"{name}: {shown(why.nanopoints)} points, {place}, {why.title} as of {why.as_of}"
    return headed(title, why.waiting)


def lines(why: explanations.Explanation) -> Iterator[str]:
    """The whole explanation as text."""
    yield heading(why)
    quoted: set[str] = set()
    for number, entry in enumerate(why.entries, start=1):
        yield ""
        yield from _entry(number, entry, quoted)
    yield ""
    yield from _sum(why)


def _entry(number: int, entry: explanations.Entry, quoted: set[str]) -> Iterator[str]:
    yield f"{number}. {entry.tournament}, {entry.event}: {entry.flight}, {entry.kind}"
    yield from wrapped(english(entry.summary.sentence), "   ", "       ")
    if entry.summary.formula:
        yield from wrapped(entry.summary.formula, "       ", "       ")
    yield (
        f"   {plain(entry.nanopoints)} points, effective {entry.effective},"
        f" under {entry.edition} (sha256 {entry.sha256[:12]})"
    )
    for line in _clauses(entry):
        yield from clause_lines(line, quoted)


def _clauses(entry: explanations.Entry) -> tuple[Line, ...]:
    """The clauses that made an award, and what it is worth on the day."""
    return (*entry.lines, *entry.fading) if entry.parts > 1 else entry.lines


def clause_lines(line: Line, quoted: set[str]) -> Iterator[str]:
    """A clause: where it stands, its words, the numbers in and out; words and readings once."""
    pad = "   " + "  " * line.depth
    head = f"{line.label} [{line.clause}]"
    given = ", ".join(f"{name} {written(value)}" for name, value in line.inputs)
    if line.says in quoted:
        text = f"{head}, again with {given} = {written(line.value)}"
        yield from wrapped(text, pad, pad + "    ")
    else:
        quoted.add(line.says)
        yield ""
        yield from wrapped(f"{head}: {line.says}", pad, pad + "    ")
        yield from wrapped(f"with {given}", pad + "    ", pad + "         ")
        yield f"{pad}    = {written(line.value)}"
    for reading in line.readings:
        if reading not in quoted:
            quoted.add(reading)
            yield from wrapped(f"reading {reading}", pad + "    ", pad + "        ")


def _sum(why: explanations.Explanation) -> Iterator[str]:
    """The sum that makes the total, as one would write it on paper."""
    if why.total == "latest":
        yield f"The rating is the one after the last event: {plain(why.nanopoints)}"
        return
    yield "Sum"
    for entry in why.entries:
        value, label = plain(entry.worth), f"{entry.event}, {entry.flight}, {entry.kind}"
        if not entry.counts:
            value, label = "–", f"{label} (does not count on {why.as_of})"
        elif entry.parts > 1:
            left = entry.weight // entry.nanopoints if entry.nanopoints else entry.parts
            label += f": {plain(entry.nanopoints)} × {left}/{entry.parts}"
        yield f"   {value:>16}  {label}"
    faded = any(entry.counts and entry.parts > 1 for entry in why.entries)
    yield f"   {plain(why.nanopoints):>16}  total{', summed before it is rounded' * faded}"


# ── For programs ─────────────────────────────────────────────────────────────────────────────────


def as_json(why: explanations.Explanation) -> dict[str, Any]:
    """The whole explanation as plain values; points are numbers with at most nine decimals."""
    awards = [
        {
            "event_id": entry.event_id,
            "event": entry.event,
            "tournament": entry.tournament,
            "flight": entry.flight,
            "kind": entry.kind,
            "effective": entry.effective,
            "edition": entry.edition,
            "sha256": entry.sha256,
            "points": exact_points(entry.nanopoints),
            "counts": entry.counts,
            "worth": exact_points(entry.worth),
            "summary": english(entry.summary.sentence),
            "formula": entry.summary.formula,
            "steps": [step_values(line) for line in entry.lines],
            "fading": [step_values(line) for line in entry.fading] if entry.parts > 1 else [],
        }
        for entry in why.entries
    ]
    return {
        "regulation": why.regulation,
        "player_id": why.player_id,
        "player": why.player,
        "nation": why.nation,
        "as_of": why.as_of,
        "rank": why.rank,
        "ranked": why.ranked,
        "points": why.nanopoints,
        "awards": awards,
    }


def step_values(line: Line) -> dict[str, Any]:
    """A clause at work as plain values."""
    return {
        "clause": line.clause,
        "label": line.label,
        "says": line.says,
        "inputs": dict(line.inputs),
        "value": line.value,
        "exact": str(line.value) if isinstance(line.value, Fraction) else None,
        "readings": line.readings,
        "depth": line.depth,
    }


def flat(why: explanations.Explanation) -> Iterator[dict[str, Any]]:
    """One row an award that says it in one sentence, then one a clause, for spreadsheets."""
    for entry in why.entries:
        head = {"event": entry.event, "flight": entry.flight, "kind": entry.kind}
        yield head | {
            "label": "In short",
            "says": english(entry.summary.sentence),
            "inputs": entry.summary.formula,
            "value": plain(entry.worth),
        }
        yield from (head | step_row(line) for line in _clauses(entry))


def step_row(line: Line) -> dict[str, str]:
    """A clause at work as cells."""
    return {
        "clause": line.clause,
        "label": line.label,
        "says": line.says,
        "inputs": ", ".join(f"{name} {written(value)}" for name, value in line.inputs),
        "value": written(line.value),
    }
