"""start: an interview, then the commands that make a federation, one after the other."""

from __future__ import annotations

import sys
from calendar import monthrange
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

import click

from palmares.cli.app import DAY, command, pair, run, typed
from palmares.cli.hints import error_text
from palmares.cli.options import login, today
from palmares.cli.sources import JOURNAL, opened
from palmares.cli.terminal import count_of, interrupt_questions, set_last_words
from palmares.core.errors import PalmaresError, Refused, brief
from palmares.core.extras import installed, needs

if TYPE_CHECKING:
    from palmares.points import awards

STOPPED = "Interrupted. What is recorded stays."
SECRET = "federation-secret"  # noqa: S105  the name of a file
RESULTS = "results"
REVIEW = Path("duplicates.csv")
"""The review sheet: possible duplicates, and a column for the decision."""
TOP = "10"
"""Ranks of a first list that are printed; all of it is in a file."""
LONGEST_NAME = 100


@command()
@click.option("--name", metavar="NAME", help="Of the federation.")
@click.option(
    "--regulations",
    metavar="NAMES",
    help="Whose lists it publishes, with commas between them: wbgf,dptr.",
)
@click.option("--database", metavar="URL", help=JOURNAL.help)
@click.option("--officer", metavar="NAME", help="The first officer, who records and publishes.")
@click.option("--results", metavar="PATH", help="A folder of reports and sheets, or one of them.")
@click.option(
    "--printed",
    multiple=True,
    metavar="REGULATION=FILE",
    help="A list the federation has printed, to compare; may be repeated.",
)
@click.option("--as-of", metavar="DAY", help="The day of the first lists.")
@click.option("--serve/--no-serve", default=None, help="Start the site in the end, or do not.")
@click.option("--port", type=click.IntRange(1, 65535), help="Where the site listens.")
@click.option("--yes", is_flag=True, help="Ask nothing: take defaults and record, as scripts do.")
@click.pass_context
def start(
    ctx: click.Context,
    /,
    *,
    serve: bool | None,
    port: int | None,
    yes: bool,
    **given: str | tuple[str, ...] | None,
) -> None:
    """Make a federation: from its results to a first official list and the site.

    It asks what it needs and shows each command it runs. Started again in the same folder, it asks
    anew; a report that is recorded already is recognised.

    \b
    Examples:
        palmares start
        palmares start --name "Lakes Federation" --regulations wbgf --results results --yes
    """
    needs("journal", "A journal")
    if not yes and not sys.stdin.isatty():
        raise click.UsageError(
            "There is no terminal to ask on. Give the answers as options, and --yes for the"
            " defaults of the rest."
        )
    set_last_words(STOPPED)
    from_environment = JOURNAL.given if given["database"] is None else None
    answers = _ask_all(given, from_environment, yes=yes)
    ctx.obj = {""}  # warnings that were shown
    federation = NewFederation(
        ctx, answers, in_environment=bool(from_environment), port=port, yes=yes
    )
    federation.make_journal()
    federation.invite_officer()
    in_order = federation.record_results()
    federation.decide_duplicates()
    for regulation in answers["regulations"]:
        federation.publish_list(regulation)
    _step(f"{answers['name']}: done, by these commands; the last starts the site")
    click.echo("\n".join([*federation.done, typed(federation.serving)]))
    if not in_order:
        click.echo("\nFiles were left out. Correct them as described above, then add them again.")
    if _is_site_wanted(serve, yes=yes):
        federation.run(*federation.serving)


def _is_site_wanted(serve: bool | None, *, yes: bool) -> bool:  # noqa: FBT001
    """Whether to start the site; where it is not installed, only if an option says so."""
    if serve is not None or not installed("site"):
        return bool(serve)
    interrupt_questions()
    return yes or click.confirm("\nStart the site now?", default=True, err=True)


# ── the questions ────────────────────────────────────────────────────────────────────────────────


class Prompt(NamedTuple):
    """One question of the interview."""

    text: str
    check: Callable[[Any], Any]  # text -> value
    default: Callable[[], str] = str  # what Enter means
    empty: str = ""  # what no answer means; without it, an answer is required


def _ask_all(options: Mapping[str, Any], journal: str | None, *, yes: bool) -> dict[str, Any]:
    """The answer to every question.

    Args:
        options: answers by options; None and (): not given.
        journal: the database that the environment names, with its password, if it does.
        yes: take the defaults, ask nothing.

    Raises:
        click.UsageError: an option, or a default that is taken unasked, is no valid answer.
    """
    answers = {
        name: _check(name, value) for name, value in options.items() if value not in (None, ())
    }
    if journal:
        answers["database"] = journal
    for name, prompt in PROMPTS.items():
        if name not in answers:
            answers[name] = _check(name, prompt.default()) if yes else _prompt(prompt)
    if others := [name for name in answers["printed"] if name not in answers["regulations"]]:
        raise click.UsageError(f"--printed: {others[0]} is none of the lists it publishes.")
    return answers


def _check(name: str, value: Any) -> Any:
    try:
        return PROMPTS[name].check(value)
    except click.UsageError as error:
        raise click.UsageError(f"--{name.replace('_', '-')}: {error.message}") from None


def _prompt(prompt: Prompt) -> Any:
    """Ask on the terminal until the answer is valid."""
    interrupt_questions()
    default = prompt.default()
    return click.prompt(
        prompt.text + f" (Enter: {prompt.empty})" * bool(prompt.empty and not default),
        default=default or ("" if prompt.empty else None),
        show_default=bool(default),
        value_proc=prompt.check,
        err=True,
    )


def _items(value: Any) -> list[str]:
    """Several answers: a list of them, or one text with commas between them."""
    items = value.split(",") if isinstance(value, str) else value
    return [item for text in items if (item := text.strip())]


def _name(value: str) -> str:
    name = " ".join(value.split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise click.UsageError(f"a name has 1 to {LONGEST_NAME} visible characters.")
    return name


def _regulations(value: str) -> list[str]:
    from palmares.regulations import get_regulation

    names = list(dict.fromkeys(_items(value)))
    if not names:
        raise click.UsageError(f"name at least one of {_all_regulations()}.")
    try:
        return [get_regulation(name, awards=True).name for name in names]
    except PalmaresError as error:
        raise click.UsageError(error_text(error)) from None


def _all_regulations() -> str:
    from palmares.regulations import awarding

    return ", ".join(awarding())


def _database(value: str) -> str:
    try:
        has_password = bool(urlsplit(value).password)
    except ValueError as error:
        raise click.UsageError(f"{brief(value)}: {error}.") from None
    if has_password:
        raise click.UsageError(
            "the password would appear in commands and in a file. Put the whole URL into the"
            f" variable {JOURNAL.variable}, or the password into PGPASSWORD or ~/.pgpass."
        )
    return _name(value)


def _file(value: str) -> str:
    path = value.strip()
    if path and not Path(path).exists():
        raise click.UsageError(f"there is no {brief(path)}.")
    return path


def _results(value: str) -> str:
    path = _file(value)
    if path and Path.cwd().is_relative_to(Path(path).resolve()):
        raise click.UsageError(
            "that folder is this one, or above it, and this one is for the federation's own files."
            " Start in a folder of its own, and give the path of the results from there."
        )
    return path


def _printed_lists(value: Any) -> dict[str, str]:
    """The files of printed lists, by regulation."""
    files = {}
    for text in _items(value):
        try:
            regulation, file = pair(text, empty=False)
        except ValueError:
            raise click.UsageError(f"{brief(text)}: write it like wbgf=list.csv.") from None
        (name,) = _regulations(regulation)
        if name in files:
            raise click.UsageError(f"two lists of {name}; give one, and compare the other later.")
        files[name] = _file(file)
    return files


def _day(value: str) -> date | None:
    try:
        return DAY.convert(value, None, None) if value else None
    except click.UsageError as error:
        raise click.UsageError(error.message) from None


PROMPTS: Mapping[str, Prompt] = {
    "name": Prompt("Name of the federation", _name, lambda: Path.cwd().name),
    "regulations": Prompt(
        "Regulations whose lists it publishes", _regulations, _all_regulations
    ),
    "database": Prompt(
        "Database, a file or postgresql://user@host/name", _database, lambda: "federation.db"
    ),
    "officer": Prompt("Name of its first officer", _name, login),
    "results": Prompt(
        "Its results, a folder or a file", _results,
        lambda: RESULTS if Path(RESULTS).exists() else "", "none yet",
    ),
    "printed": Prompt("Its printed lists, like wbgf=list.csv", _printed_lists, str, "none"),
    "as_of": Prompt(
        "Day of the first lists", _day, str, "the end of the month of the last result that counts"
    ),
}  # fmt: skip
"""Every question, in the order in which they are asked."""


# ── the steps ────────────────────────────────────────────────────────────────────────────────────


def _step(title: str) -> None:
    """The heading of a step."""
    click.secho(f"\n▸ {title}", bold=True)


@dataclass(frozen=True, slots=True)
class NewFederation:
    """A federation that is being made: its answers, and the commands that were run."""

    ctx: click.Context
    answers: Mapping[str, Any]
    in_environment: bool  # the journal: then commands need not name it
    port: int | None
    yes: bool  # record without asking
    done: list[str] = field(default_factory=list)  # commands, as they are typed

    @property
    def journal(self) -> str:
        """The database."""
        return str(self.answers["database"])

    @property
    def where(self) -> list[str]:
        """The option that names the journal."""
        return [] if self.in_environment else ["--journal", self.journal]

    @property
    def at_port(self) -> list[str]:
        """The option that names the port of the site."""
        return [] if self.port is None else ["--port", str(self.port)]

    @property
    def serving(self) -> list[str]:
        """The command that starts the site, with the lists that were chosen."""
        from palmares.regulations import awarding

        command = ["serve", *self.where, "--name", self.answers["name"]]
        if set(self.answers["regulations"]) != set(awarding()):
            command += ["--regulations", ",".join(self.answers["regulations"])]
        if "://" in self.journal.removeprefix("sqlite:///"):
            command += ["--secret-file", SECRET]
        return [*command, *self.at_port]

    def run(self, *arguments: str) -> int:
        """Show a command and run it; its exit status."""
        line = typed(arguments)
        click.secho(f"  $ {line}", fg="cyan")
        status = run(self.ctx, arguments)
        self.done.append(line)
        return status

    def record(self, *arguments: str) -> int:
        """Run a command that records in the officer's name; it asks, unless `yes` is set."""
        confirmed = ["--yes"] if self.yes else []
        return self.run(*arguments, *self.where, "--author", self.answers["officer"], *confirmed)

    def make_journal(self) -> None:
        """Make the journal, or bring it forward."""
        _step("The journal: everything that is reported and decided")
        self.run("journal", "init", *([] if self.in_environment else [self.journal]))

    def invite_officer(self) -> None:
        """Give the first officer an account of the site; an earlier link stays good."""
        _step("The first officer, with an account of the site")
        officer = self.answers["officer"]
        invitation = ["invite", officer, "--role", "officer", *self.where, *self.at_port]
        if not installed("site"):
            click.echo(
                "The site is not installed: pip install 'palmares[site]'. Then:"
                f"\n{typed(invitation)}"
            )
            return
        from palmares.cli.serve import open_site
        from palmares.web.accounts.store import find_by_name

        with opened(self.journal) as journal, open_site(journal).database.reading() as connection:
            person = find_by_name(connection, officer)
        if person is None:
            self.run(*invitation)
        else:
            click.echo(f"{person.name} has an account. Another link: {typed(invitation)}")

    def record_results(self) -> bool:
        """Record the files that are in order; whether all are."""
        if not self.answers["results"]:
            return True
        _step("The results: what each file is, and what is recorded of it")
        return self.record("add", self.answers["results"], "--skip-broken") == 0

    def decide_duplicates(self) -> None:
        """Record what a review sheet says, and write what is left to decide into a new one."""
        if REVIEW.exists():
            _step("Possible duplicates: the decisions of the review sheet")
            self.record("player", "review", str(REVIEW))
        if not (pairs := _possible_duplicates(self.journal)):
            return
        _step("Possible duplicates: players who may be one")
        self.run("player", "suggestions", "-o", str(REVIEW), *self.where)
        click.echo(
            f"{count_of(pairs, 'possible duplicate')} in {REVIEW}. Write same, different or later"
            " into the column decision, and save it."
        )
        review = typed(("player", "review", str(REVIEW), *self.where))
        if self.yes:
            click.echo(f"Then: {review}\nUntil then each counts as two players.")
            return
        interrupt_questions()
        before = REVIEW.read_bytes()
        click.prompt(
            f"Then press Enter; or do it later, by {review}",
            default="", show_default=False, prompt_suffix="", err=True,
        )  # fmt: skip
        if REVIEW.read_bytes() != before:
            self.record("player", "review", str(REVIEW))

    def publish_list(self, regulation: str) -> None:
        """Show the list of a regulation, compare it, publish it, and verify what was published.

        Raises:
            Refused: the official list is not what the journal gives.
        """
        from palmares.points.awards import Question

        question = Question(regulation=regulation)
        _step(f"The first list: {question.get_regulation().title}")
        day: date | None = self.answers["as_of"]
        as_of = _day_of_list(self.journal, question, day)
        if as_of is None:
            click.echo(
                f"No player has points{f' on {day}' if day else ''}: there is no list to publish."
            )
            return
        of_day = *self.where, "--as-of", str(as_of)
        self.run("rank", regulation, *of_day, "--top", TOP)
        if printed := self.answers["printed"].get(regulation):
            click.echo()
            self.run("compare", regulation, printed, *of_day)
        click.echo()
        manifest = f"{regulation}-{as_of}.manifest.json"
        if Path(manifest).exists():
            click.echo(f"The list of this day was published before: {manifest}.")
        else:
            files = "--manifest", manifest, "-o", f"{regulation}-{as_of}.html"
            self.record("publish", regulation, "--as-of", str(as_of), *files)
            click.echo()
        if self.run("verify", manifest, *self.where):
            raise Refused(
                f"{manifest} is not of this journal, or not what the journal gives: see above. If"
                " it is of an earlier journal, move it away and start again."
            )


def _possible_duplicates(journal: str) -> int:
    from palmares.cli.journal.players import open_register
    from palmares.journal.identity import duplicates

    with open_register(journal) as register:
        return len(duplicates.suggestions(register))


def _day_of_list(journal: str, question: awards.Question, day: date | None) -> date | None:
    """The day of a list; None: the list is empty.

    Args:
        journal: whose list it is.
        question: under which rules.
        day: as asked for; none: the end of the month in which the last result began to count,
            today at the latest.
    """
    from palmares.lists.live import cache, query
    from palmares.points.rankings import Selection

    with opened(journal) as store, cache.open_awards(store, question) as awarded:
        if day is None:
            days = query.effective(awarded)
            last = days.filter(days <= today()).max()
            if not isinstance(last, date):
                return None
            day = min(last.replace(day=monthrange(last.year, last.month)[1]), today())
        is_empty = query.ranking(awarded, Selection(as_of=day), top=1).frame.is_empty()
    return None if is_empty else day
