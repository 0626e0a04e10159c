"""add --skip-broken: what each file was read as, and which of them a journal can take."""

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
    from palmares.cli.journal.confirm import Deciding
    from palmares.facts import Facts
    from palmares.formats.load import FileRead
    from palmares.journal.commands.transaction import Action
    from palmares.journal.commands.versions import Unseen
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
    """Files, the facts of those that a journal can take, and what stands against the others."""

    files: Sequence[FileRead]
    facts: Facts
    problems: Mapping[str, Sequence[Problem]]  # by path
    known: frozenset[str]  # the tournaments that the journal has already

    def rows(self) -> Iterator[dict[str, Any]]:
        """A row for each file, in their order; a sheet that a report names is below it."""
        for file in self.files:
            yield {
                "file": file.path,
                "form": file.form,
                **(_counts(file.draft.facts) if file.form else {}),
                "outcome": self._outcome(file),
            }
            within = f"part of {Path(file.path).name}"
            yield from ({"file": part, "outcome": within} for part in file.beside)

    def _outcome(self, file: FileRead) -> str:
        if problems := self.problems.get(file.path):
            return count_of(len(problems), "problem")
        if not file.form:
            return "not read"
        ids = set(file.draft.facts["tournaments"]["tournament_id"])
        return "here already" if ids and ids <= self.known else "in order"

    def told(self) -> list[Problem]:
        """Why files are left out: every problem, and why a file is not read."""
        return [
            problem
            for file in self.files
            for problem in (*self.problems.get(file.path, ()), *_unread(file))
        ]


def _counts(facts: Facts) -> dict[str, int]:
    """How much was read: of pairs and of teams, matches together."""
    matches = facts["matches"].height + facts["team_matches"].height
    return {
        "events": facts["events"].height,
        "placings": facts["placings"].height,
        "matches": matches,
    }


def _unread(file: FileRead) -> Sequence[Problem]:
    return () if file.form else file.draft.facts.notices


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
    from palmares.journal.commands.transaction import dry_run
    from palmares.journal.commands.versions import Unseen
    from palmares.journal.projection.snapshots import known

    good, facts, problems = in_good_order([file for file in files if file.form])
    with opened(journal) as store:
        start = known(store)
        while good:
            try:
                done = dry_run(store, actor, action(facts), start=start)
            except FactsRejected as error:
                problems |= by_file(error, good)
            except Unseen as error:
                problems |= _unseen(error, good)
            else:
                reported = {entry.subject for entry in done.entries if entry.kind == "report"}
                here = frozenset(facts["tournaments"]["tournament_id"]) - reported
                return SortedFiles(files=files, facts=facts, problems=problems, known=here)
            left = [file for file in good if file.path not in problems]
            good, facts, more = in_good_order(left)
            problems |= more
    return SortedFiles(files=files, facts=facts, problems=problems, known=frozenset())


def _unseen(error: Unseen, files: Sequence[FileRead]) -> dict[str, list[Problem]]:
    """The problems of files that report a tournament otherwise than the journal has it."""
    from palmares.facts.schema import FILE, LINE
    from palmares.facts.text import shown

    found: dict[str, list[Problem]] = {}
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
                found.setdefault(file.path, []).append(problem)
    return found


def show_files(found: SortedFiles, deciding: Deciding) -> None:
    """One table of all files; below it, why some are left out."""
    rows = list(found.rows())
    if deciding.is_printed:
        has_matches = any(row.get("matches") for row in rows)
        columns = [one for one in COLUMNS if one.key != "matches" or has_matches]
        deciding.emit(rows, columns)
    told = found.told()
    for problem in with_commands(told):
        deciding.tell(harmless(f"\n{problem}"))
    if found.problems:
        count = count_of(len(found.problems), "file")
        deciding.tell(f"\n{count} left out. Correct what is named and add the same path again.")
    click.echo(err=not deciding.is_printed)
