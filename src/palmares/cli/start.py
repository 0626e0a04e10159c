"""start: ask questions, then run the commands that set up a federation."""

from __future__ import annotations

import sys
from calendar import monthrange
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click
from click.core import ParameterSource

from palmares.cli.app import DAY, Typed, command, pair, run, typed
from palmares.cli.options import F, login
from palmares.cli.serve import open_site
from palmares.cli.sources import JOURNAL, opened
from palmares.cli.terminal import count_of, interrupt_questions, set_last_words
from palmares.core.clock import today
from palmares.core.errors import Refused, brief
from palmares.core.extras import installed, needs

if TYPE_CHECKING:
    from palmares.points import awards

STOPPED = "Interrupted. What is recorded stays."
SECRET = "federation-secret"  # noqa: S105  the name of a file
RESULTS = "results"
NONE = "none"
"""The answer to a question where there is nothing."""
REVIEW = Path("duplicates.csv")
"""The review sheet: possible duplicates, and a column for the decision."""
TOP = "10"
"""Ranks of a first list that are printed; all of it is in a file."""
LONGEST_NAME = 100


class Question(click.Option):
    """An option that is asked for where it is not given; with --yes, its default is the answer.

    Click asks on standard output, which may go to a file.
    """

    def prompt_for_value(self, ctx: click.Context) -> Any:
        """What is typed, asked for until it is valid."""
        if ctx.params["yes"]:
            return self.get_default(ctx)
        interrupt_questions()
        return click.prompt(
            str(self.prompt),
            default=self.get_default(ctx),
            show_default=self.show_default or True,
            value_proc=lambda text: self.process_value(ctx, text),
            err=True,
        )


# ── what answers are ─────────────────────────────────────────────────────────────────────────────


def _items(text: str) -> list[str]:
    """Several answers with commas between them; none if the answer is "none"."""
    return [item for part in text.split(",") if (item := part.strip()) and item != NONE]


def _name(text: str) -> str:
    name = " ".join(text.split())
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable():
        raise Refused(f"A name has 1 to {LONGEST_NAME} visible characters.")
    return name


def _regulations(text: str) -> list[str]:
    from palmares.regulations import get_regulation

    names = list(dict.fromkeys(_items(text)))
    if not names:
        raise Refused(f"Name at least one of {_all_regulations()}.")
    return [get_regulation(name, awards=True).name for name in names]


def _all_regulations() -> str:
    from palmares.regulations import awarding

    return ", ".join(awarding())


def _refuse_password(ctx: click.Context, param: click.Parameter, value: str) -> str:
    """Refuse a password that was typed; commands and a file would show it."""
    typed_here = ctx.get_parameter_source(str(param.name)) is not ParameterSource.ENVIRONMENT
    try:
        if typed_here and urlsplit(value).password:
            raise click.BadParameter(
                "the password would appear in commands and in a file. Put the whole URL into the"
                f" variable {JOURNAL.variable}, or the password into PGPASSWORD or ~/.pgpass."
            )
    except ValueError as error:
        raise click.BadParameter(f"{brief(value)}: {error}.") from None
    return value


def _file(text: str) -> str:
    if not Path(text).exists():
        raise Refused(f"There is no {brief(text)}.")
    return text


def _results(text: str) -> str:
    path = "" if text == NONE else _file(text.strip())
    if path and Path.cwd().is_relative_to(Path(path).resolve()):
        raise Refused(
            "That folder is this one, or above it, and this one is for the federation's own files."
            " Start in a folder of its own, and give the path of the results from there."
        )
    return path


def _printed_lists(text: str) -> dict[str, str]:
    """The files of printed lists, by regulation."""
    files = {}
    for item in _items(text):
        regulation, file = pair(item, empty=False)
        (name,) = _regulations(regulation)
        if name in files:
            raise Refused(f"Two lists of {name}; give one, and compare the other later.")
        files[name] = _file(file)
    return files


def _day(text: str) -> date | None:
    return DAY.read(text) if text else None


def _begin(_ctx: click.Context, _param: click.Parameter, yes: bool) -> bool:  # noqa: FBT001
    """Check, before the first question, that the extra is installed and input is a terminal."""
    needs("journal", "A journal")
    if not yes and not sys.stdin.isatty():
        raise click.UsageError(
            "There is no terminal to ask on. Give the answers as options, and --yes for the"
            " defaults of the rest."
        )
    set_last_words(STOPPED)
    return yes


def _question(name: str, prompt: str, answer: Typed | None = None, **more: Any) -> Callable[[F], F]:
    return click.option(name, cls=Question, prompt=prompt, type=answer, **more)


@command()
@_question(
    "--name",
    "Name of the federation",
    Typed("name", _name, ""),
    metavar="NAME",
    default=lambda: Path.cwd().name,
    help="Of the federation.",
)
@_question(
    "--regulations",
    "Regulations whose lists it publishes",
    Typed("names", _regulations, ""),
    metavar="NAMES",
    default=_all_regulations,
    help="Whose lists it publishes, with commas between them: wbgf,dptr.",
)
@_question(
    "--database",
    "Database, a file or postgresql://user@host/name",
    metavar="URL",
    envvar=JOURNAL.variable,
    default="federation.db",
    callback=_refuse_password,
    help=JOURNAL.help,
)
@_question(
    "--officer",
    "Name of its first officer",
    Typed("name", _name, ""),
    metavar="NAME",
    default=login,
    help="The first officer, who records and publishes.",
)
@_question(
    "--results",
    "Its results, a folder or a file",
    Typed("path", _results, ""),
    metavar="PATH",
    default=lambda: RESULTS if Path(RESULTS).exists() else NONE,
    help="A folder of reports and sheets, or one of them.",
)
@_question(
    "--printed",
    "Its printed lists, like wbgf=list.csv",
    Typed("lists", _printed_lists, "{} is no list; write it like wbgf=list.csv."),
    metavar="REGULATION=FILE",
    default=NONE,
    help="Lists the federation has printed, to compare, with commas between them.",
)
@_question(
    "--as-of",
    "Day of the first lists",
    Typed("date", _day, DAY.wrong),
    metavar="DAY",
    default="",
    show_default="the end of the month of the last result that counts",
    help="The day of the first lists.",
)
@click.option("--serve/--no-serve", default=None, help="Start the site in the end, or do not.")
@click.option("--port", type=click.IntRange(1, 65535), help="Where the site listens.")
@click.option(
    "--yes",
    is_flag=True,
    is_eager=True,
    callback=_begin,
    help="Ask nothing: take defaults and record, as scripts do.",
)
@click.pass_context
def start(
    ctx: click.Context, /, *, serve: bool | None, port: int | None, yes: bool, **answers: Any
) -> None:
    """Make a federation: from its results to a first official list and the site.

    It asks what it needs and shows each command it runs. Started again in the same folder, it asks
    anew; a report that is recorded already is recognised.

    \b
    Examples:
        palmares start
        palmares start --name "Lakes Federation" --regulations wbgf --results results --yes
    """
    if others := [name for name in answers["printed"] if name not in answers["regulations"]]:
        raise click.UsageError(f"--printed: {others[0]} is none of the lists it publishes.")
    ctx.obj = {""}  # warnings that were shown
    in_environment = ctx.get_parameter_source("database") is ParameterSource.ENVIRONMENT
    federation = NewFederation(
        ctx,
        answers,
        where=[] if in_environment else ["--journal", answers["database"]],
        at_port=[] if port is None else ["--port", str(port)],
        yes=yes,
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
    if serve is None and installed("site"):
        interrupt_questions()
        serve = yes or click.confirm("\nStart the site now?", default=True, err=True)
    if serve:
        federation.run(*federation.serving)


# ── the steps ────────────────────────────────────────────────────────────────────────────────────


def _step(title: str) -> None:
    """The heading of a step."""
    click.secho(f"\n▸ {title}", bold=True)


@dataclass(frozen=True, slots=True)
class NewFederation:
    """A federation that is being made: its answers, and the commands that were run."""

    ctx: click.Context
    answers: Mapping[str, Any]
    where: Sequence[str]  # the option that names the journal, unless the environment does
    at_port: Sequence[str]  # the option that names the port of the site
    yes: bool  # record without asking
    done: list[str] = field(default_factory=list)  # commands, as they are typed

    @property
    def serving(self) -> list[str]:
        """The command that starts the site, with the lists that were chosen."""
        from palmares.regulations import awarding

        command = ["serve", *self.where, "--name", self.answers["name"]]
        if set(self.answers["regulations"]) != set(awarding()):
            command += ["--regulations", ",".join(self.answers["regulations"])]
        if "://" in self.answers["database"].removeprefix("sqlite:///"):
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
        self.run("journal", "init", *self.where[1:])

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
        from palmares.web.accounts.store import find_by_name

        site_of = self.answers["database"]
        with opened(site_of) as journal, open_site(journal).database.reading() as connection:
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
        from palmares.cli.journal.players import open_register
        from palmares.journal.identity import duplicates

        if REVIEW.exists():
            _step("Possible duplicates: the decisions of the review sheet")
            self.record("player", "review", str(REVIEW))
        with open_register(self.answers["database"]) as register:
            pairs = len(duplicates.suggestions(register))
        if not pairs:
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
        as_of = _day_of_list(self.answers["database"], question, day)
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


def _day_of_list(journal: str, question: awards.Question, day: date | None) -> date | None:
    """The day of a list; None: the list is empty.

    Args:
        journal: whose list it is.
        question: under which rules.
        day: as asked for; none: the end of the month in which the last result began to count,
            today at the latest.
    """
    from palmares.lists import live
    from palmares.points.rankings import Selection

    with opened(journal) as store, live.open_awards(store, question) as awards_of_journal:
        if day is None:
            days = live.effective(awards_of_journal)
            last = days.filter(days <= today()).max()
            if not isinstance(last, date):
                return None
            day = min(last.replace(day=monthrange(last.year, last.month)[1]), today())
        is_empty = live.ranking(awards_of_journal, Selection(as_of=day), top=1).frame.is_empty()
    return None if is_empty else day
