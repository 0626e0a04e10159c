"""explain: why a player has these points."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.options import Asked, Output, Selected, asking, printing, selecting
from palmares.cli.sources import headed, warn, warn_of_waiting
from palmares.core.messages import plain as english
from palmares.core.rounding import plain, shown, written
from palmares.render.tables import Column

if TYPE_CHECKING:
    from palmares.points.explain import Entry, Explanation
    from palmares.regulations.words import Line

WIDTH = 96
NESTED = (
    *map(Column, ("regulation", "player_id", "player", "nation", "as_of", "rank", "ranked")),
    Column("points", kind="points"),
    Column("awards"),
)
FLAT = tuple(map(Column, ("event", "flight", "kind", "clause", "label", "says", "inputs", "value")))


@click.command()
@asking
@click.option("--player", required=True, metavar="ID_OR_NAME", help="Whose points.")
@selecting
@printing
def explain(
    asked: Asked,
    player: str,
    selected: Selected,
    out: Output,
) -> None:
    """Why PLAYER has these points: every clause, the numbers in, the number out.

    \b
    Example:
        palmares explain wbgf examples/backgammon --player "Todd Obadal" --as-of 2005-12-31
    """
    from palmares.points import explain as explanations
    from palmares.points.rankings import refuse_nonsense

    question = asked.question()
    chosen = selected.selection()
    refuse_nonsense(question, chosen, "player")
    why = explanations.explain(question, asked.facts(), player, chosen)
    warn(why.notices)
    warn_of_waiting(why.waiting)
    out.explain(lines(why), ([as_json(why)], NESTED), (list(flat(why)), FLAT), heading(why))


# ── For people ───────────────────────────────────────────────────────────────────────────────────


def heading(why: Explanation) -> str:
    """One line: who, how many points, which place, as of when."""
    name = why.player + (f" ({why.nation})" if why.nation else "")
    place = f"rank {why.rank} of {why.ranked}" if why.rank else "not on the list"
    title = f"{name}: {shown(why.nanopoints)} points, {place}, {why.title} as of {why.as_of}"
    return headed(title, why.waiting)


def lines(why: Explanation) -> Iterator[str]:
    """The whole explanation as text."""
    yield heading(why)
    told: set[str] = set()
    for number, entry in enumerate(why.entries, start=1):
        yield ""
        yield from _entry(number, entry, told)
    yield ""
    yield from _sum(why)


def _entry(number: int, entry: Entry, told: set[str]) -> Iterator[str]:
    yield f"{number}. {entry.tournament}, {entry.event}: {entry.flight}, {entry.kind}"
    yield from wrapped(english(entry.summary.sentence), "   ", "       ")
    if entry.summary.formula:
        yield from wrapped(entry.summary.formula, "       ", "       ")
    yield (
        f"   {plain(entry.nanopoints)} points, effective {entry.effective},"
        f" under {entry.edition} (sha256 {entry.sha256[:12]})"
    )
    for line in entry.lines:
        yield from clause_lines(line, told)
    if entry.parts > 1:
        for line in entry.fading:
            yield from clause_lines(line, told)


def clause_lines(line: Line, told: set[str]) -> Iterator[str]:
    """A clause: where it stands, its words, the numbers in and out; words and readings once."""
    pad = "   " + "  " * line.depth
    head = f"{line.label} [{line.clause}]"
    given = ", ".join(f"{name} {written(value)}" for name, value in line.inputs)
    if line.says in told:
        text = f"{head}, again with {given} = {written(line.value)}"
        yield from wrapped(text, pad, pad + "    ")
    else:
        told.add(line.says)
        yield ""
        yield from wrapped(f"{head}: {line.says}", pad, pad + "    ")
        yield from wrapped(f"with {given}", pad + "    ", pad + "         ")
        yield f"{pad}    = {written(line.value)}"
    for reading in line.readings:
        if reading not in told:
            told.add(reading)
            yield from wrapped(f"reading {reading}", pad + "    ", pad + "        ")


def wrapped(text: str, first: str, rest: str) -> list[str]:
    """Text in lines of a readable width."""
    from textwrap import wrap

    return wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest) or [first]


def _sum(why: Explanation) -> Iterator[str]:
    """The sum that makes the total, as one would write it on paper."""
    if why.total == "latest":
        yield f"The rating is the one after the last event: {plain(why.nanopoints)}"
        return
    yield "Sum"
    parts = 1
    for entry in why.entries:
        label = f"{entry.event}, {entry.flight}, {entry.kind}"
        if not entry.counts:
            yield f"   {'–':>16}  {label} (does not count on {why.as_of})"
        elif entry.parts == 1:
            yield f"   {plain(entry.nanopoints):>16}  {label}"
        else:
            parts = entry.parts
            left = entry.weight // entry.nanopoints if entry.nanopoints else entry.parts
            yield (
                f"   {plain(entry.worth):>16}  {label}: {plain(entry.nanopoints)} × {left}/{parts}"
            )
    yield f"   {plain(why.nanopoints):>16}  total" + (
        ", summed before it is rounded" if parts > 1 else ""
    )


# ── For programs ─────────────────────────────────────────────────────────────────────────────────


def as_json(why: Explanation) -> dict[str, Any]:
    """The whole explanation as plain values; points are numbers with at most nine decimals."""
    import msgspec

    def points(nanopoints: int) -> Any:
        return msgspec.Raw(plain(nanopoints).encode())

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
            "points": points(entry.nanopoints),
            "counts": entry.counts,
            "worth": points(entry.worth),
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
        "inputs": {name: _plain(value) for name, value in line.inputs},
        "value": _plain(line.value),
        "exact": str(line.value) if isinstance(line.value, Fraction) else None,
        "readings": line.readings,
        "depth": line.depth,
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if hasattr(value, "items"):
        return {key: _plain(one) for key, one in value.items()}
    return value


def flat(why: Explanation) -> Iterator[dict[str, Any]]:
    """One row an award that says it in one sentence, then one a clause, for spreadsheets."""
    for entry in why.entries:
        fading = entry.fading if entry.parts > 1 else ()
        head = {"event": entry.event, "flight": entry.flight, "kind": entry.kind}
        yield head | {
            "label": "In short",
            "says": english(entry.summary.sentence),
            "inputs": entry.summary.formula,
            "value": plain(entry.worth),
        }
        for line in (*entry.lines, *fading):
            yield head | step_row(line)


def step_row(line: Line) -> dict[str, str]:
    """A clause at work as cells."""
    return {
        "clause": line.clause,
        "label": line.label,
        "says": line.says,
        "inputs": ", ".join(f"{name} {written(value)}" for name, value in line.inputs),
        "value": written(line.value),
    }
