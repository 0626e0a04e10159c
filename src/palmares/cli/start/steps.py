"""The steps that make a federation; each shows the commands it runs."""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palmares.cli.app import run, typed
from palmares.cli.interrupts import heed_at_questions
from palmares.cli.options import today
from palmares.cli.sources import opened
from palmares.cli.types import count_of
from palmares.core.errors import Refused
from palmares.core.extras import installed

if TYPE_CHECKING:
    from palmares.cli.start.answers import Answers
    from palmares.points.awards import Question
    from palmares.points.rankings import Selection

REVIEW = Path("duplicates.csv")
"""The review sheet: pairs of players who may be one, and a column for the decision."""
TOP = "10"
"""Ranks of a first list that are printed; all of it is in a file."""


@dataclass(frozen=True, slots=True)
class Federation:
    """A federation that is being made: its answers, and what was done."""

    ctx: click.Context
    answers: Answers
    journal: str
    in_environment: bool  # the journal: then commands need not name it
    officer: str
    regulations: list[str]
    done: list[str] = field(default_factory=list)  # commands, as they are typed

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
        agreed = ["--yes"] if self.answers.yes else []
        return self.run(*arguments, *self.where, "--author", self.officer, *agreed)


def step(title: str) -> None:
    """The heading of a step."""
    click.secho(f"\n▸ {title}", bold=True)


def make_journal(federation: Federation) -> None:
    """Make the journal, or bring it forward."""
    step("The journal: everything that is reported and decided")
    federation.run("journal", "init", *([] if federation.in_environment else [federation.journal]))


def invite_officer(federation: Federation) -> None:
    """Give the first officer an account of the site; an earlier link stays good."""
    step("The first officer, with an account of the site")
    invitation = "invite", federation.officer, "--role", "officer", *federation.where
    if not installed("site"):
        click.echo(
            f"The site is not installed: pip install 'palmares[site]'. Then:\n{typed(invitation)}"
        )
        return
    from palmares.cli.accounts import accounts_of
    from palmares.web.accounts.store import find_by_name

    with opened(federation.journal) as journal:
        accounts = accounts_of(journal)
        with accounts.database.reading() as connection:
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


# ── duplicates ───────────────────────────────────────────────────────────────────────────────────


def decide_duplicates(federation: Federation) -> None:
    """Record what the review sheet says, and write what is left to decide into a new one."""
    pairs = _possible_duplicates(federation.journal)
    if not pairs and not REVIEW.exists():
        return
    step("Possible duplicates: players who may be one")
    if REVIEW.exists():
        pairs = _review(federation)
    else:
        _write_sheet(federation)
    if pairs and not federation.answers.yes:
        heed_at_questions()
        request = f"{_counted(pairs)} in {REVIEW}. Write same, different or later into the column"
        click.echo(f"{request} decision, save it,\nand press Enter; or press Enter to do it later.")
        before = REVIEW.read_bytes()
        click.prompt("", default="", show_default=False, prompt_suffix="", err=True)
        if REVIEW.read_bytes() != before:
            pairs = _review(federation)
    if pairs:
        click.echo(
            f"{_counted(pairs)} left in {REVIEW}. Write same, different or later into its column"
            " decision,\nand run palmares start again. Until then each counts as two players."
        )


def _counted(pairs: int) -> str:
    return count_of(pairs, "possible duplicate")


def _review(federation: Federation) -> int:
    """Record the decisions of the sheet, and write it anew; how many pairs are left."""
    federation.record("player", "review", str(REVIEW))
    _write_sheet(federation)
    return _possible_duplicates(federation.journal)


def _write_sheet(federation: Federation) -> None:
    federation.run("player", "suggestions", "-o", str(REVIEW), *federation.where)


def _possible_duplicates(journal: str) -> int:
    from palmares.cli.journal.players import open_register
    from palmares.journal.identity import duplicates

    with open_register(journal) as register:
        return len(duplicates.suggestions(register))


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


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
    from palmares.points.rankings import Selection

    question = Question(regulation=regulation)
    step(f"The first list: {question.get_regulation().title}")
    as_of = _day_of_list(federation.journal, question, date.fromisoformat(day) if day else None)
    if as_of is None:
        click.echo(
            f"No player has points{f' on {day}' if day else ''}: there is no list to publish."
        )
        return
    asked = *federation.where, "--as-of", str(as_of)
    federation.run("rank", regulation, *asked, "--top", TOP)
    if printed:
        click.echo()
        federation.run("compare", regulation, printed, *asked)
    click.echo()
    if entry := _published(federation.journal, question, Selection(as_of=as_of)):
        click.echo(f"This list is published already, as entry {entry}.")
        published = f"#{entry}"
    else:
        name = _free_name(f"{regulation}-{as_of}")
        published = f"{name}.manifest.json"
        files = "--manifest", published, "-o", f"{name}.html"
        federation.record("publish", regulation, "--as-of", str(as_of), *files)
    click.echo()
    if federation.run("verify", published, *federation.where):
        raise Refused(f"{published} is not what the journal gives; see above where it differs.")


def _day_of_list(journal: str, question: Question, day: date | None) -> date | None:
    """The day of a list; none: nobody is on it.

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


def _published(journal: str, question: Question, selection: Selection) -> int | None:
    """The entry of the same list, if the journal's last one of its name is the same."""
    from palmares.journal.projection.snapshots import load_projection
    from palmares.lists import publication

    with opened(journal) as store:
        now = load_projection(store)
    made = publication.make_publication(
        question, now.facts, selection, known=now.state.head, with_waiting_events=True
    ).publication
    last = now.state.in_force("publications", made.name)
    same = last is not None and publication.announces_same(last.body, made)
    return last.sequence if last is not None and same else None


def _free_name(name: str) -> str:
    """How the files of a list begin: as its name, unless an earlier list has taken that."""
    number, free = 1, name
    while Path(f"{free}.manifest.json").exists():
        number += 1
        free = f"{name}-{number}"
    return free
