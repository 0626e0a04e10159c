"""compare: a printed list, compared with ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import command
from palmares.cli.options import Output, asking_beside, cited, printing, selecting
from palmares.cli.sources import Source, warn
from palmares.cli.types import count_of
from palmares.core.rounding import points_text
from palmares.render.explanation import wrapped
from palmares.render.tables import FOR_PEOPLE, Column

if TYPE_CHECKING:
    from palmares.lists import compare as comparing
    from palmares.lists.compare import Row
    from palmares.points.awards import Question
    from palmares.points.rankings import Selection

KINDS = {
    "line": "number",
    "their_rank": "number",
    "our_rank": "number",
    "their_points": "points",
    "our_points": "points",
    "difference": "points",
}
HEADS = {"their_points": "theirs", "our_points": "ours"}
PRIORITIES = dict.fromkeys(("status", "player", "their_points", "our_points", "cause"), 0)
PRIORITIES |= {"nation": 2, "line": 2}
ORDER = ("rank", "id", "first", "last", "name", "nation", "points")
DIFFERENT = 1  # exit status
MOST_PLACES = 9


@command()
@asking_beside
@selecting
@click.option("--nation", metavar="CODE", help="Their list is of players of this nation.")
@click.option(
    "--decimal",
    type=click.Choice(["point", "comma"]),
    help="The decimal mark in FILE, if its numbers do not show it.",
)
@click.option("--all", "everyone", is_flag=True, help="Every player, also those who are the same.")
@printing
def compare(
    source: Source,
    question: Question,
    file: str,
    chosen: Selection,
    decimal: str | None,
    everyone: bool,  # noqa: FBT001
    out: Output,
) -> None:
    """Compare FILE, a printed list, with ours, and explain the differences.

    FILE is CSV or Excel: a header row names rank, player, nation, id and points, in any order and
    in common words. Exit status 0 if the list is ours as far as it goes, 1 if anything differs.

    \b
    Example:
        palmares compare wbgf their-list.csv examples/backgammon --as-of 2005-12-31
    """
    from palmares.formats.printed_lists import read
    from palmares.lists import compare as comparing

    printed = read(Path(file), encoding=source.encoding, mark=decimal)
    comparison = comparing.compare(question, source.facts(), chosen, printed)
    warn(comparison.notices, comparison.waiting)
    _write(comparison, [row for row in comparison.rows if everyone or row.is_listed], out)
    if not comparison.agrees:
        raise click.exceptions.Exit(DIFFERENT)


def _write(comparison: comparing.Comparison, rows: Sequence[Row], out: Output) -> None:
    """Print a summary and the rows; where the rows are for a program, the summary is not."""
    from palmares.lists.compare import row_values

    title, summary, notes = _title(comparison), list(_summary(comparison)), list(_details(rows))
    if out.is_printed:
        out.print([*wrapped(title, "", "  "), "", *summary])
        if not rows:
            return
        click.echo()
        title = ""  # else a terminal shows it twice
    elif out.kind == "table":
        title = "\n".join([title, "", *summary])
    elif out.kind == "pdf":
        notes = [*filter(None, summary), *notes]
    else:
        click.echo("\n".join([title, "", *summary]), err=True)
        notes = []
    people = out.kind in FOR_PEOPLE
    out.emit(
        [_for_people(row, comparison) if people else row_values(row) for row in rows],
        _columns(comparison, people=people, details=out.kind not in ("table", "pdf")),
        title=title,
        notes=notes,
        source=cited(comparison.question, comparison.selection.as_of),
    )


# ── For people ───────────────────────────────────────────────────────────────────────────────────


def _title(comparison: comparing.Comparison) -> str:
    """The names of both lists, in one line."""
    from palmares.cli.points import describe

    ours = comparison.question.get_regulation().title
    return f"{Path(comparison.printed.file).name} beside {ours}, {describe(comparison.selection)}"


def _summary(comparison: comparing.Comparison) -> Iterator[str]:
    """How well the whole list agrees with ours."""
    printed, ours = comparison.printed, comparison.ours
    lines = count_of(len(printed.rows), "line")
    ignored = f"; not read: {', '.join(printed.ignored)}" if printed.ignored else ""
    sentences = [f"{lines}: {', '.join(k for k in ORDER if k in printed.columns)}{ignored}."]
    if ours.lines:
        points = _printed(ours.rules, printed.places)
        sentences.append(f"{ours.lines} of {lines} fit: points {points}.")
    else:
        sentences.append("Not one line has our points.")
    for sentence in sentences:
        yield from wrapped(sentence, "", "  ")
    yield ""
    yield from wrapped(_counted(comparison), "", "  ")


def _printed(rules: Sequence[str], places: int) -> str:
    """How points are printed; how ties round is left out where no tie shows it."""
    from palmares.formats.printed_lists import RULES

    if "unrounded" in rules:
        return "in full"
    way = "rounded" if {"half up", "half even"} <= set(rules) else RULES[rules[0]]
    return f"{way} to {count_of(places, 'decimal')}" if places else f"{way} to whole points"


def _counted(comparison: comparing.Comparison) -> str:
    """How many players have each status."""
    from palmares.lists import compare as comparing
    from palmares.lists.compare import FOLLOWS, HARMLESS

    counts = comparing.tally(comparison)
    parts = [
        f"{counts[key]} {text}"
        for key, text in (
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
        parts.append(f"{counts[HARMLESS]} of ours below the end of their list")
    return "Players: " + ", ".join(parts) + "."


def _details(rows: Sequence[Row]) -> Iterator[str]:
    """A sentence for each row whose difference needs one."""
    from palmares.lists.compare import FOLLOWS

    for row in rows:
        if row.detail and row.cause != FOLLOWS:
            where = f" (line {row.line})" if row.line else ""
            yield from wrapped(f"{row.player}{where}: {row.detail}.", "", "    ")


def _columns(comparison: comparing.Comparison, *, people: bool, details: bool) -> list[Column]:
    """What to write; people see no ids, and no column that is empty."""
    from palmares.lists.compare import KEYS

    shown_if = {
        "player_id": False,
        "their_rank": any(row.their_rank for row in comparison.rows),
        "nation": any(row.nation for row in comparison.rows),
        "detail": details,
    }
    kinds = dict.fromkeys(KINDS, "number") if people else KINDS
    return [
        Column(
            key,
            HEADS.get(key, ""),
            kinds.get(key, "text"),
            hidden=not shown_if.get(key, True),
            priority=PRIORITIES.get(key, 1),
        )
        for key in KEYS
    ]


def _for_people(row: Row, comparison: comparing.Comparison) -> dict[str, Any]:
    """A row whose points have the decimals that they have in print."""
    from palmares.lists.compare import row_values

    places = min(MOST_PLACES, comparison.printed.places)
    points = {
        key: None if value is None else points_text(value, places)
        for key, value in (("our_points", row.ours), ("difference", row.difference))
    }
    return row_values(row) | points | {"their_points": row.theirs.text if row.theirs else None}
