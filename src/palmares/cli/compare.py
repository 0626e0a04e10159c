"""compare: somebody else's printed list beside ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.explain import wrapped
from palmares.cli.options import Asked, Output, Selected, asking_beside, printing, selecting
from palmares.cli.points import describe
from palmares.cli.sources import warn, warn_of_waiting
from palmares.cli.types import count_of
from palmares.core.rounding import shown
from palmares.render.tables import Column

if TYPE_CHECKING:
    from palmares.lists.compare import Comparison
    from palmares.lists.compare.rows import Row

KINDS = {
    "line": "number",
    "their_rank": "number",
    "our_rank": "number",
    "their_points": "points",
    "our_points": "points",
    "difference": "points",
}
HEADS = {"their_points": "theirs", "our_points": "ours"}
ORDER = ("rank", "id", "first", "last", "name", "nation", "points")
FOR_PEOPLE = ("table", "md", "html")
TOLD_ABOVE = ("rank follows", "ties counted otherwise")  # causes of many rows, told once
DIFFERENT = 1  # exit status
MOST_PLACES = 9


@click.command()
@asking_beside
@selecting
@click.option("--nation", metavar="CODE", help="Their list is of players of this nation.")
@click.option(
    "--decimal",
    type=click.Choice(["point", "comma"]),
    help="What stands before decimals in FILE, where its numbers do not show it.",
)
@click.option("--all", "everyone", is_flag=True, help="Every player, also those who are the same.")
@printing
def compare(
    asked: Asked,
    file: str,
    selected: Selected,
    nation: str | None,
    decimal: str | None,
    everyone: bool,  # noqa: FBT001
    out: Output,
) -> None:
    """FILE, somebody else's printed list, beside ours: each difference explained where it can be.

    FILE is CSV or Excel: a header row names rank, player, nation, id and points, in any order and
    in common words. Exit status 0 if the list is ours as far as it goes, 1 if anything differs.

    \b
    Example:
        palmares compare wbgf their-list.csv examples/backgammon --as-of 2005-12-31
    """
    from palmares.formats.printed_lists import read
    from palmares.lists.compare import compare as compared

    question = asked.question()
    chosen = selected.selection(nation)
    printed = read(Path(file), encoding=asked.encoding, mark=decimal)
    found = compared(question, asked.facts(), chosen, printed)
    warn(found.notices)
    warn_of_waiting(found.waiting)
    _write(found, everyone=everyone, out=out)
    if not found.agrees:
        raise click.exceptions.Exit(DIFFERENT)


def _write(found: Comparison, *, everyone: bool, out: Output) -> None:
    from palmares.lists.compare.rows import values

    chosen = out.kind
    rows = [row for row in found.rows if everyone or row.tells]
    summary = list(_summary(found))
    if chosen == "table" and not rows:
        out.print(summary)
        return
    if chosen != "table":
        for line in summary:
            click.echo(line, err=True)
    people = chosen in FOR_PEOPLE
    title = _title(found)
    if chosen == "table":
        title = "\n".join(summary)
        if out.output is None:  # a terminal would print all of a title in bold
            out.print([*summary, ""])
            title = ""
    out.emit(
        [_for_people(row, found) if people else values(row) for row in rows],
        _columns(found, people=people, details=chosen != "table"),
        title=title,
        notes=list(_details(rows)) if chosen == "table" else (),
    )


# ── For people ───────────────────────────────────────────────────────────────────────────────────


def _title(found: Comparison) -> str:
    """One line: which list beside which."""
    held = found.question.held().title
    return f"{Path(found.printed.file).name} beside {held}, {describe(found.selection)}"


def _summary(found: Comparison) -> Iterator[str]:
    """What is to be said of the list as a whole."""
    from palmares.lists.compare.ranks import words

    yield _title(found)
    yield ""
    yield from wrapped(_read_as(found), "", "  ")
    yield from wrapped(_fits_as(found), "", "  ")
    if found.ours.lines and _counted_otherwise(found):
        yield from wrapped(f"Their ranks go {words(found.counting)}.", "", "  ")
    yield ""
    yield from wrapped(_counted(found), "", "  ")


def _read_as(found: Comparison) -> str:
    """What was read of their file."""
    printed = found.printed
    ignored = f"; not read: {', '.join(printed.ignored)}" if printed.ignored else ""
    columns = ", ".join(key for key in ORDER if key in printed.columns)
    return f"{count_of(len(printed.rows), 'line')}: {columns}{ignored}."


def _fits_as(found: Comparison) -> str:
    """How many of their points are ours, and by which rule they are printed."""
    ours, lines = found.ours, len(found.printed.rows)
    if not ours.lines:
        return "Not one line has our points."
    printed = _printed(ours.rules, found.printed.places)
    return f"{ours.lines} of {count_of(lines, 'line')} fit: points {printed}."


def _printed(rules: Sequence[str], places: int) -> str:
    """How points are printed: where there is no tie to tell, nothing is said of ties."""
    from palmares.formats.printed_lists import RULES

    if "unrounded" in rules:
        return "in full"
    way = "rounded" if {"half up", "half even"} <= set(rules) else RULES[rules[0]]
    return f"{way} to {count_of(places, 'decimal')}" if places else f"{way} to whole points"


def _counted_otherwise(found: Comparison) -> bool:
    return (found.counting.way, found.counting.basis) != ("competition", "exact")


def _counted(found: Comparison) -> str:
    """How many players have each status."""
    from palmares.lists.compare import tally
    from palmares.lists.compare.causes import FOLLOWS, HARMLESS

    counts = tally(found)
    told = [
        f"{counts[key]} {words}"
        for key, words in (
            ("same", "the same"),
            (FOLLOWS, "with our points and another rank"),
            ("differs", "different"),
            ("unclear", "unclear"),
            ("only theirs", "only on theirs"),
            ("only ours", "only on ours"),
        )
        if counts[key] or key == "same"
    ]
    if counts[HARMLESS]:
        told.append(f"{counts[HARMLESS]} of ours below the end of their list")
    return "Players: " + ", ".join(told) + "."


def _details(rows: Sequence[Row]) -> Iterator[str]:
    """A sentence for each row that has something to say."""
    for row in rows:
        if row.detail and row.cause not in TOLD_ABOVE:
            where = f" (line {row.line})" if row.line else ""
            yield from wrapped(f"{row.player}{where}: {row.detail}.", "", "    ")


def _columns(found: Comparison, *, people: bool, details: bool) -> list[Column]:
    """What to write; people see no ids, and no column that is empty."""
    from palmares.lists.compare.rows import KEYS

    hidden = {"player_id"}
    hidden |= {
        key
        for key, held in (
            ("their_rank", any(row.their_rank for row in found.rows)),
            ("nation", any(row.nation for row in found.rows)),
            ("detail", details),
        )
        if not held
    }
    kinds = dict.fromkeys(KINDS, "number") if people else KINDS
    return [Column(key, HEADS.get(key, ""), kinds.get(key, "text"), key in hidden) for key in KEYS]


def _for_people(row: Row, found: Comparison) -> dict[str, Any]:
    """A row whose points have the decimals that they have in print."""
    from palmares.lists.compare.rows import values

    places = min(MOST_PLACES, found.printed.places)
    points = {
        key: None if value is None else shown(value, places)
        for key, value in (("our_points", row.ours), ("difference", row.difference))
    }
    return values(row) | points | {"their_points": row.theirs.text if row.theirs else None}
