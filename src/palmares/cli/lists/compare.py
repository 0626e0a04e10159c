"""diff, compare: compare two lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from msgspec.structs import replace

from palmares.cli.app import (
    CHOICE,
    DAY,
    ENTRY_OF_JOURNAL,
    Typed,
    command,
    complete_awarding,
    complete_editions,
    complete_players,
    to_mapping,
)
from palmares.cli.options import (
    Output,
    asking_with,
    cited,
    counting,
    gathered,
    printing,
    question,
    rules_options,
    selecting,
    selection,
)
from palmares.cli.sources import Source, encoding, from_journal, warn
from palmares.cli.terminal import count_of
from palmares.core.rounding import exact_text, points_text
from palmares.render.explanation import wrapped
from palmares.render.tables import FOR_PEOPLE, OutputColumn

if TYPE_CHECKING:
    from palmares.lists import compare as comparing
    from palmares.lists.compare import Row
    from palmares.lists.diff import Change, Differences, Part
    from palmares.lists.diff.list_ref import ListRef
    from palmares.points.awards import Question
    from palmares.points.rankings import Selection


_DAY = re.compile(r"[0-9-]+")
COLUMNS = (
    OutputColumn("rank_a", "rank A", "number"),
    OutputColumn("rank_b", "rank B", "number"),
    OutputColumn("player"),
    OutputColumn("points_a", "points A", "points", priority=2),
    OutputColumn("points_b", "points B", "points", priority=2),
    OutputColumn("change", "", "points"),
    OutputColumn("why"),
)
"""The columns of the table for people."""
_KINDS = dict.fromkeys(("points_a", "points_b", "change", "part"), "points")
_KINDS |= dict.fromkeys(("rank_a", "rank_b", "entry"), "number") | {"recorded": "date"}
GATHERED = ("decay", "rating chain", "edition")
"""Causes that affect many results of a player; the table shows their sum."""
OTHERS_MOVED = "others moved"
"""The cause that changes no points."""


def _list_ref(text: str) -> ListRef:
    """Read the name of a list: a day, or a publication."""
    from palmares.lists.diff.list_ref import ListRef

    if number := ENTRY_OF_JOURNAL.fullmatch(text):
        return ListRef(text=text, entry=int(number[1]))
    day, at, known_at = text.partition("@")
    if at and not known_at:
        raise click.BadParameter(f"{text!r} does not say when: write DATE@DATE or DATE@#41.")
    if at or _DAY.fullmatch(text):
        return ListRef(text=text, day=DAY.convert(day, None, None), known_at=known_at or None)
    raise ValueError(text)


END = Typed(
    "list",
    _list_ref,
    "{} is no day such as 2019-12-31, and no official list such as '#57'.",
)


@command()
@click.argument("regulation", shell_complete=complete_awarding)
@click.argument("a", type=END)
@click.argument("b", type=END)
@click.argument("path", nargs=-1, type=click.Path())
@rules_options
@click.option(
    "--edition-b",
    metavar="ID",
    shell_complete=complete_editions,
    help="Another edition for list B.",
)
@click.option(
    "--reading-b",
    "readings_b",
    type=CHOICE,
    multiple=True,
    metavar="ID=CHOICE",
    help="An alternative for list B; may be repeated.",
)
@counting
@from_journal
@encoding
@gathered(source=Source, chosen=selection)
@click.option(
    "--player",
    metavar="ID_OR_NAME",
    shell_complete=complete_players,
    help="Every part of the change of one player.",
)
@printing
def diff(
    source: Source,
    regulation: str,
    a: ListRef,
    b: ListRef,
    edition: str | None,
    readings: tuple[tuple[str, str], ...],
    edition_b: str | None,
    readings_b: tuple[tuple[str, str], ...],
    chosen: Selection,
    player: str | None,
    out: Output,
) -> None:
    """Show what changed from list A to list B of REGULATION, and why.

    A and B are days. With --journal, DATE@WHEN is the list of a day with what was known at the end
    of another day, at a moment (2019-12-31T18:00Z), or with an entry (#41); without @WHEN, now.
    A list that was published is named by its entry ('#57'). Every change of rank or points is
    split by its causes, and the parts add up.

    \b
    Examples:
        palmares diff wbgf 2005-09-30 2005-12-31 examples/backgammon
        palmares diff wbgf 2005-12-31@2006-01-02 2005-12-31 --journal federation.db
        palmares diff wbgf '#57' 2005-12-31 --journal federation.db
    """
    from palmares.library.lists import find_differences
    from palmares.lists.diff.list_ref import refusal_of
    from palmares.points.rankings import TOTAL

    rules = (edition, readings, edition_b, readings_b, chosen.setting, chosen.since, chosen.until)
    any_chosen = any(rules) or chosen.kind != TOTAL
    if wrong := refusal_of((a, b), in_journal=source.journal is not None, chosen=any_chosen):
        raise click.UsageError(wrong)
    of_b = (to_mapping(readings) | to_mapping(readings_b)).items()
    questions = (
        question(regulation, edition, readings),
        question(regulation, edition_b or edition, of_b),
    )
    differences, changes = find_differences(
        (a, b),
        questions,
        lambda day: replace(chosen, as_of=day),
        None if source.journal else source.facts(),
        source.journal,
        player,
    )
    warn((), differences.waiting)
    first, second = differences.a, differences.b
    days = (a.in_words(first.selection.as_of), b.in_words(second.selection.as_of))
    title = f"{first.question.get_regulation().title}, A: {days[0]}; B: {days[1]}"
    _write_changes(differences, changes, title, out, in_full=player is not None)


def _write_changes(
    differences: Differences, changes: Sequence[Change], title: str, out: Output, *, in_full: bool
) -> None:
    """Write a line for each player, or every part of a change; programs get every part."""
    from palmares.lists.diff import CHANGE_COLUMNS, PART_COLUMNS, change_rows, change_values

    if out.kind == "table" and (in_full or not changes):
        out.print([title, "", *_in_full(differences, changes)])
    elif out.kind in FOR_PEOPLE:
        summary = list(_summarize_changes(differences))
        lists = differences.a, differences.b
        editions = [of for each in lists for of in cited(each.question, each.selection.as_of)]
        rows = [
            change_values(change) | {"why": _all_parts_text(change, differences)}
            for change in changes
        ]
        if out.kind == "table":
            title, summary = "\n".join([title, *summary]), []
        out.emit(rows, COLUMNS, title=title, notes=summary, source=list(dict.fromkeys(editions)))
    else:
        keys = (*CHANGE_COLUMNS, *PART_COLUMNS)
        columns = [OutputColumn(key, "", _KINDS.get(key, "text")) for key in keys]
        out.emit([row for change in changes for row in change_rows(change)], columns, title=title)


# ── For people ───────────────────────────────────────────────────────────────────────────────────


def _summarize_changes(differences: Differences) -> Iterator[str]:
    """How many players moved where, and how much each cause did."""
    from palmares.lists.diff.reasons import CAUSES

    counts = Counter(map(_movement, differences.changes))
    moved = ", ".join(f"{counts[word]} {word}" for word in MOVEMENTS if counts[word])
    yield f"{count_of(differences.players, 'player')}: {moved or 'none moved'}."
    causes: dict[str, list[Part]] = {cause: [] for cause in CAUSES}
    for change in differences.changes:
        for part in change.parts:
            causes[part.cause].append(part)
    totals = [_total_text(cause, parts) for cause, parts in causes.items() if parts]
    if totals:
        yield f"Causes: {', '.join(totals)}."


MOVEMENTS = ("new", "up", "down", "gone", "with other points at the same rank")


def _movement(change: Change) -> str | None:
    """How a player moved, one of `MOVEMENTS`; none: only their exact points differ."""
    a, b = change.rank_a, change.rank_b
    if a is None or b is None:
        return "gone" if b is None else "new"
    if a != b:
        return "up" if b < a else "down"
    return "with other points at the same rank" if change.nanopoints else None


def _total_text(cause: str, parts: Sequence[Part]) -> str:
    """How much a cause did in all."""
    if cause == OTHERS_MOVED:
        return f"{cause} ({len(parts)})"
    results = sum(part.tournament_id is not None for part in parts)
    total = _signed(points_text(sum(part.nanopoints for part in parts)))
    return f"{cause} {total} ({count_of(results, 'result')})"


def _signed(text: str) -> str:
    """A number with its sign."""
    return text if text.startswith("-") else f"+{text}"


def _in_full(differences: Differences, changes: Sequence[Change]) -> Iterator[str]:
    """The lines of changes with every part."""
    if not changes:
        yield ("No difference." if not differences.changes else "Nothing changed for this player.")
    for change in changes:
        a, b = (
            f"rank {rank}, {exact_text(points)} points" if rank else "not on the list"
            for rank, points in (
                (change.rank_a, change.nanopoints_a),
                (change.rank_b, change.nanopoints_b),
            )
        )
        yield f"{change.player}: {a} on A; {b} on B"
        yield ""
        lines = [(part.nanopoints, _part_text(part, differences)) for part in change.parts]
        numbers = [_signed(exact_text(points)) for points, _ in (*lines, (change.nanopoints, ""))]
        width = max(map(len, numbers))
        for number, (_, text) in zip(numbers, (*lines, (0, "change")), strict=True):
            yield f"   {number:>{width}}  {text}"


def _part_text(part: Part, differences: Differences, number: str = "") -> str:
    """A part in words, with its number if one is given."""
    kinds = differences.a.question.get_regulation().kinds
    where = (
        part.tournament,
        part.event if part.event != part.tournament else None,
        part.flight if part.flight != "main" else None,
        part.kind if part.tournament and len(kinds) > 1 else None,
        part.note,
    )
    text = ", ".join(filter(None, where))
    cause = f"{part.cause}:" if text or number else part.cause
    return " ".join(filter(None, [cause, text, number, _entries_text(part)]))


def _entries_text(part: Part) -> str:
    """The entries behind a part: who recorded the last one, and the numbers of the others."""
    if not part.entries:
        return ""
    *others, last = part.entries
    numbers = ", ".join(str(entry.sequence) for entry in others)
    also = f"; also {numbers}" if others else ""
    return f"(entry {last.sequence}, by {last.author}, {last.day}{also})"


def _all_parts_text(change: Change, differences: Differences) -> str:
    """All parts of a change in one line; causes that touch many results are summed."""
    words: dict[str | int, str] = {}
    for place, part in enumerate(change.parts):
        same_cause = [other for other in change.parts if other.cause == part.cause]
        if part.cause in GATHERED and len(same_cause) > 1:
            total = _signed(points_text(sum(other.nanopoints for other in same_cause)))
            words[part.cause] = f"{part.cause}: {len(same_cause)} results {total}"
        else:
            number = "" if part.cause == OTHERS_MOVED else _signed(points_text(part.nanopoints))
            words[place] = _part_text(part, differences, number)
    return "; ".join(words.values())


COMPARED = (
    OutputColumn("status", priority=0),
    OutputColumn("player_id", hidden=True),
    OutputColumn("player", priority=0),
    OutputColumn("nation", priority=2, optional=True),
    OutputColumn("line", kind="number", priority=2),
    OutputColumn("their_rank", kind="number", optional=True),
    OutputColumn("our_rank", kind="number"),
    OutputColumn("their_points", "theirs", "points", priority=0),
    OutputColumn("our_points", "ours", "points", priority=0),
    OutputColumn("difference", kind="points"),
    OutputColumn("cause", priority=0),
    OutputColumn("detail"),
)
ORDER = ("rank", "id", "first", "last", "name", "nation", "points")
DIFFERENT = 1  # exit status
MOST_PLACES = 9


@command()
@asking_with(click.argument("file", type=click.Path()))
@selecting
@click.option("--nation", metavar="CODE", help="Their list is of players of this nation.")
@click.option(
    "--decimal",
    type=click.Choice(["point", "comma"]),
    help="The decimal mark in FILE, if its numbers do not show it.",
)
@click.option("--all", "everyone", is_flag=True, help="Also the players who are the same on both.")
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
    in common words. Without one, each line has the rank first and the points last. Exit status 0 if
    the list is ours as far as it goes, 1 if anything differs.

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
    from palmares.cli.lists.points import describe
    from palmares.lists.compare import row_values

    people, theirs = out.kind in FOR_PEOPLE, Path(comparison.printed.file).name
    ours = comparison.question.get_regulation().title
    title = f"{theirs} beside {ours}, {describe(comparison.selection)}"
    summary, notes = list(_summary(comparison)), list(_details(rows))
    in_notes = out.kind in ("table", "pdf")
    if out.is_printed:
        click.echo("\n".join([*wrapped(title, "", "  "), "", *summary, *([""] if rows else [])]))
        title = ""
    elif in_notes:
        notes = [*filter(None, summary), *notes]
    else:
        click.echo("\n".join([title, "", *summary]), err=True)
        notes = []
    if rows or not out.is_printed:
        out.emit(
            [_for_people(row, comparison) if people else row_values(row) for row in rows],
            COMPARED[:-1] if in_notes else COMPARED,
            title=title,
            notes=notes,
            source=cited(comparison.question, comparison.selection.as_of),
        )


# ── For people ───────────────────────────────────────────────────────────────────────────────────


def _summary(comparison: comparing.Comparison) -> Iterator[str]:
    """How well the whole list agrees with ours."""
    printed, ours = comparison.printed, comparison.ours
    lines = count_of(len(printed.rows), "line")
    ignored = f"; not read: {', '.join(printed.ignored)}" if printed.ignored else ""
    sentences = [f"{lines}: {', '.join(k for k in ORDER if k in printed.columns)}{ignored}."]
    if ours.lines:
        points = _rounding_text(ours.rules, printed.places)
        sentences.append(f"{ours.lines} of {lines} fit: points {points}.")
    else:
        sentences.append("Not one line has our points.")
    for sentence in sentences:
        yield from wrapped(sentence, "", "  ")
    yield ""
    yield from wrapped(_status_counts(comparison), "", "  ")


def _rounding_text(rules: Sequence[str], places: int) -> str:
    """How their points are rounded; how ties round only where a tie shows it."""
    from palmares.formats.printed_lists import RULES

    if "unrounded" in rules:
        return "in full"
    rounding = "rounded" if {"half up", "half even"} <= set(rules) else RULES[rules[0]]
    return (
        f"{rounding} to {count_of(places, 'decimal')}" if places else f"{rounding} to whole points"
    )


def _status_counts(comparison: comparing.Comparison) -> str:
    """How many players have each status."""
    from palmares.lists.compare import FOLLOWS, HARMLESS, tally

    counts = tally(comparison)
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


def _for_people(row: Row, comparison: comparing.Comparison) -> dict[str, Any]:
    """A row whose points have the decimals that they have in print."""
    from palmares.lists.compare import row_values

    places = min(MOST_PLACES, comparison.printed.places)
    points = {
        key: None if value is None else points_text(value, places)
        for key, value in (("our_points", row.our_points), ("difference", row.difference))
    }
    return row_values(row) | points | {"their_points": row.theirs.text if row.theirs else None}
