"""explain: why a player has these points."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from palmares.cli import completion
from palmares.cli.app import command
from palmares.cli.options import Output, asking, cited, printing, selecting
from palmares.cli.sources import Source, warn
from palmares.core.messages import english
from palmares.core.rounding import exact_text, number_text
from palmares.render.explanation import clauses, heading, lines
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
    out.explain(
        lines(why),
        ([as_json(why)], NESTED),
        (list(flat(why)), FLAT),
        heading(why),
        cited(question, chosen.as_of),
    )


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
            "value": exact_text(entry.worth),
        }
        yield from (head | step_row(line) for line in clauses(entry))


def step_row(line: Line) -> dict[str, str]:
    """A clause at work as cells."""
    return {
        "clause": line.clause,
        "label": line.label,
        "says": line.says,
        "inputs": ", ".join(f"{name} {number_text(value)}" for name, value in line.inputs),
        "value": number_text(line.value),
    }
