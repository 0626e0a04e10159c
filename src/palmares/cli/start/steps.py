"""The steps that make a federation; each shows the commands it runs."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import run, typed
from palmares.cli.options import today
from palmares.cli.sources import opened
from palmares.cli.terminal import count_of, heed_at_questions
from palmares.core.errors import Refused
from palmares.core.extras import installed

if TYPE_CHECKING:
    from palmares.points.awards import Question

REVIEW = Path("duplicates.csv")
"""The review sheet: possible duplicates, and a column for the decision."""
TOP = "10"
"""Ranks of a first list that are printed; all of it is in a file."""


@dataclass(frozen=True, slots=True)
class Federation:
    """A federation that is being made: its answers, and what was done."""

    ctx: click.Context
    answers: Mapping[str, Any]
    in_environment: bool  # the journal: then commands need not name it
    yes: bool  # record without asking
    done: list[str] = field(default_factory=list)  # commands, as they are typed

    @property
    def journal(self) -> str:
        """The database."""
        return str(self.answers["database"])

    @property
    def officer(self) -> str:
        """The name of the first officer."""
        return str(self.answers["officer"])

    @property
    def where(self) -> list[str]:
        """The option that names the journal."""
        return [] if self.in_environment else ["--journal", self.journal]

    def run(self, *arguments: str) -> int:
        """Show a command and run it; its exit status."""
        line = typed(arguments)
        click.secho(f"  $ {line}", fg="cyan")
        status = run(self.ctx, arguments)
        self.done.append(line)
        return status

    def record(self, *arguments: str) -> int:
        """Run a command that records in the officer's name; it asks, unless told not to."""
        agreed = ["--yes"] if self.yes else []
        return self.run(*arguments, *self.where, "--author", self.officer, *agreed)


def step(title: str) -> None:
    """The heading of a step."""
    click.secho(f"\n▸ {title}", bold=True)


def make_journal(federation: Federation) -> None:
    """Make the journal, or bring it forward."""
    step("The journal: everything that is reported and decided")
    federation.run("journal", "init", *([] if federation.in_environment else [federation.journal]))


def invite_officer(federation: Federation, port: int | None) -> None:
    """Give the first officer an account of the site; an earlier link stays good."""
    step("The first officer, with an account of the site")
    invitation = ["invite", federation.officer, "--role", "officer", *federation.where]
    invitation += [] if port is None else ["--port", str(port)]
    if not installed("site"):
        click.echo(
            f"The site is not installed: pip install 'palmares[site]'. Then:\n{typed(invitation)}"
        )
        return
    from palmares.cli.serve import site_of
    from palmares.web.accounts.store import find_by_name

    with (
        opened(federation.journal) as journal,
        site_of(journal).database.reading() as connection,
    ):
        person = find_by_name(connection, federation.officer)
    if person is None:
        federation.run(*invitation)
    else:
        click.echo(f"{person.name} has an account. Another link: {typed(invitation)}")


def record_results(federation: Federation, results: str) -> bool:
    """Record the files that are in order; whether all are."""
    if not results:
        return True
    step("The results: what each file is, and what is recorded of it")
    return federation.record("add", results, "--skip-broken") == 0


def decide_duplicates(federation: Federation) -> None:
    """Record what a review sheet says, and write what is left to decide into a new one."""
    if REVIEW.exists():
        step("Possible duplicates: the decisions of the review sheet")
        federation.record("player", "review", str(REVIEW))
    if not (pairs := _possible_duplicates(federation.journal)):
        return
    step("Possible duplicates: players who may be one")
    federation.run("player", "suggestions", "-o", str(REVIEW), *federation.where)
    click.echo(
        f"{count_of(pairs, 'possible duplicate')} in {REVIEW}. Write same, different or later into"
        " the column decision, and save it."
    )
    review = typed(("player", "review", str(REVIEW), *federation.where))
    if federation.yes:
        click.echo(f"Then: {review}\nUntil then each counts as two players.")
        return
    heed_at_questions()
    before = REVIEW.read_bytes()
    click.prompt(
        f"Then press Enter; or do it later, by {review}",
        default="", show_default=False, prompt_suffix="", err=True,
    )  # fmt: skip
    if REVIEW.read_bytes() != before:
        federation.record("player", "review", str(REVIEW))


def _possible_duplicates(journal: str) -> int:
    from palmares.cli.journal.players import open_register
    from palmares.journal.identity import duplicates

    with open_register(journal) as register:
        return len(duplicates.suggestions(register))


def publish_list(federation: Federation, regulation: str, day: str, printed: str) -> None:
    """Show the list of a regulation, compare it, publish it, and verify what was published.

    Args:
        federation: whose list it is.
        regulation: by its name.
        day: of the list, as YYYY-MM-DD; empty: the end of the month in which the last result began
            to count.
        printed: a printed list of the federation to compare; empty: there is none.

    Raises:
        Refused: the published list is not what the journal gives.
    """
    from palmares.points.awards import Question

    question = Question(regulation=regulation)
    step(f"The first list: {question.get_regulation().title}")
    as_of = _day_of_list(federation.journal, question, date.fromisoformat(day) if day else None)
    if as_of is None:
        click.echo(
            f"No player has points{f' on {day}' if day else ''}: there is no list to publish."
        )
        return
    of_day = *federation.where, "--as-of", str(as_of)
    federation.run("rank", regulation, *of_day, "--top", TOP)
    if printed:
        click.echo()
        federation.run("compare", regulation, printed, *of_day)
    click.echo()
    manifest = f"{regulation}-{as_of}.manifest.json"
    if Path(manifest).exists():
        click.echo(f"The list of this day was published before: {manifest}.")
        return
    files = "--manifest", manifest, "-o", f"{regulation}-{as_of}.html"
    federation.record("publish", regulation, "--as-of", str(as_of), *files)
    click.echo()
    if federation.run("verify", manifest, *federation.where):
        raise Refused(f"{manifest} is not what the journal gives; see above where it differs.")


def _day_of_list(journal: str, question: Question, day: date | None) -> date | None:
    """The day of a list; None: the list is empty.

    Args:
        journal: whose list it is.
        question: under which rules.
        day: as asked for; none: the end of the month in which the last result began to count,
            today at the latest.
    """
    from palmares.lists.live import cache, query
    from palmares.points.rankings import Selection

    with opened(journal) as store, cache.open_awards(store, question) as kept:
        if day is None:
            days = query.effective(kept)
            last = days.filter(days <= today()).max()
            if not isinstance(last, date):
                return None
            day = min(last.replace(day=monthrange(last.year, last.month)[1]), today())
        is_empty = query.ranking(kept, Selection(as_of=day), top=1).frame.is_empty()
    return None if is_empty else day
