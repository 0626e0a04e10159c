"""add --skip-broken: what each file was read as, and which files the journal can take."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import typed
from palmares.cli.hints import with_commands
from palmares.cli.sources import opened
from palmares.cli.types import count_of, harmless
from palmares.core.errors import FactsRejected, Location, Problem
from palmares.render.tables import Column

if TYPE_CHECKING:
    from palmares.cli.journal.confirm import RecordingOutput
    from palmares.facts import Facts
    from palmares.formats.load import FileRead
    from palmares.journal.commands.reports import Unseen
    from palmares.journal.commands.transaction import Action
    from palmares.journal.store.entries import Actor

COLUMNS = (
    Column("file", priority=0),
    Column("form", "read as"),
    Column("events", kind="number"),
    Column("placings", kind="number"),
    Column("matches", kind="number"),
    Column("outcome", priority=0),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedFiles:
    """Files: the facts of those that the journal can take, and the problems of the others."""

    files: Sequence[FileRead]
    facts: Facts
    problems: Mapping[str, Sequence[Problem]]  # by path
    recorded: frozenset[str]  # tournaments that the journal has already

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each file; a sheet that a report names is below the report."""
        for file in self.files:
            facts, counts = file.draft.facts, {}
            ids, outcome = set(facts["tournaments"]["tournament_id"]), "not read"
            if file.form:
                counts = {name: facts[name].height for name in ("events", "placings", "matches")}
                counts["matches"] += facts["team_matches"].height
                outcome = "here already" if ids and ids <= self.recorded else "in order"
            if problems := self.problems.get(file.path):
                outcome = count_of(len(problems), "problem")
            yield {"file": file.path, "form": file.form, **counts, "outcome": outcome}
            for part in file.beside:
                yield {"file": part, "outcome": f"part of {Path(file.path).name}"}


def sort_files(
    journal: str,
    actor: Actor,
    files: Sequence[FileRead],
    action: Callable[[Facts], Action],
) -> SortedFiles:
    """Find the files that a journal can take together; nothing is recorded.

    Args:
        journal: where they are to be recorded.
        actor: in whose name.
        files: what was read.
        action: what records the facts of some of them.

    Raises:
        FactsRejected: a problem is in none of the files.
        Refused: the journal refuses for another reason.
    """
    from palmares.formats.load import by_file, in_good_order
    from palmares.journal.commands.reports import Unseen
    from palmares.journal.commands.transaction import dry_run
    from palmares.journal.projection.snapshots import load_projection

    good, facts, problems = in_good_order(
        [file for file in files if file.form or file.draft.problems]
    )
    recorded = frozenset[str]()
    with opened(journal) as store:
        start = load_projection(store)
        while good:
            try:
                preview = dry_run(store, actor, action(facts), start=start)
            except FactsRejected as error:
                problems |= by_file(error, good)
            except Unseen as error:
                problems |= _unseen(error, good)
            else:
                reported = {entry.subject for entry in preview.entries if entry.kind == "report"}
                recorded = frozenset(facts["tournaments"]["tournament_id"]) - reported
                break
            good, facts, more = in_good_order([file for file in good if file.path not in problems])
            problems |= more
    return SortedFiles(files=files, facts=facts, problems=problems, recorded=recorded)


def _unseen(error: Unseen, files: Sequence[FileRead]) -> dict[str, list[Problem]]:
    """The problems of files whose report of a tournament differs from the journal's."""
    from palmares.facts.schema import FILE, LINE
    from palmares.facts.text import shown

    problems: dict[str, list[Problem]] = {}
    for file in files:
        tournaments = file.draft.facts["tournaments"].select("tournament_id", FILE, LINE)
        for tournament, name, line in tournaments.iter_rows():
            if entry := error.entries.get(tournament):
                problem = Problem(
                    at=Location(name, line),
                    what=f"{shown(tournament)} is reported otherwise in entry {entry}",
                    clause="journal reports",
                    remedy=f"See what is different: {typed(['add', file.path])}. If yours is right,"
                    f" add --replaces {entry} to that.",
                )
                problems.setdefault(file.path, []).append(problem)
    return problems


def show_files(files: SortedFiles, out: RecordingOutput) -> None:
    """One table of all files; below it, why some are left out."""
    if out.is_printed:
        rows = list(files.rows())
        has_matches = any(row.get("matches") for row in rows)
        out.emit(rows, [column for column in COLUMNS if column.key != "matches" or has_matches])
    problems = [
        problem
        for file in files.files
        for problem in (
            *files.problems.get(file.path, ()),
            *(() if file.form else file.draft.facts.notices),  # why it is not read
        )
    ]
    for problem in with_commands(problems):
        out.say(harmless(f"\n{problem}"))
    if files.problems:
        count = count_of(len(files.problems), "file")
        out.say(f"\n{count} left out. Correct what is named and add the same path again.")
    click.echo(err=not out.is_printed)
