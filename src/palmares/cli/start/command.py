"""start: an interview, then the commands that make a federation, one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from palmares.cli.app import command, typed
from palmares.cli.interrupts import end_with, heed_at_questions
from palmares.cli.sources import JOURNAL
from palmares.cli.start import steps
from palmares.cli.start.answers import Answers, earlier, refuse_nobody
from palmares.cli.start.steps import Federation, step
from palmares.cli.types import pair
from palmares.core.errors import PalmaresError
from palmares.core.extras import installed, needs

GO_ON = "What is recorded stays. To go on: palmares start"
SECRET = "federation-secret"  # noqa: S105  the name of a file


@command()
@click.option("--name", metavar="NAME", help="Of the federation.")
@click.option(
    "--regulations",
    metavar="NAMES",
    help="Whose lists it publishes, with commas between them: wbgf,dptr.",
)
@click.option(
    "--database",
    metavar="URL",
    help=JOURNAL.help,
)
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
    """Make a federation: from its results to a first published list and the site.

    It asks what it needs and shows each command it runs. Answers are kept in federation.toml:
    stopped at any time, it continues from there, and nothing is recorded twice.

    \b
    Examples:
        palmares start
        palmares start --name "Lakes Federation" --regulations wbgf --results results --yes
    """
    needs("journal", "A journal")
    refuse_nobody(yes=yes)
    end_with(f"Interrupted. {GO_ON}")
    options = {key: None if value == () else value for key, value in given.items()}
    answers = Answers(options, yes, earlier(options))
    with _resumable():
        federation = _interview(ctx, answers)
        steps.make_journal(federation)
        steps.invite_officer(federation)
        in_order = steps.record_results(federation, answers.known["results"])
        steps.decide_duplicates(federation)
        printed = dict(map(pair, answers.known["printed"]))
        for regulation in federation.regulations:
            steps.publish_list(
                federation, regulation, answers.known["as_of"], printed.get(regulation, "")
            )
        serving = _serving(federation, port)
        _tell(federation, serving, in_order=in_order)
        serve = _is_wanted(answers, serve)
    if serve:
        federation.run(*serving)


@contextmanager
def _resumable() -> Iterator[None]:
    """Say how to go on where a step fails, is declined, or cannot ask."""
    try:
        yield
    except (click.ClickException, click.Abort, PalmaresError):
        click.echo(f"\n{GO_ON}", err=True)
        raise


def _interview(ctx: click.Context, answers: Answers) -> Federation:
    """Ask what is not known yet; what the environment says of the journal is not asked or kept."""
    answers.ask("name")
    regulations = answers.ask("regulations")
    journal = JOURNAL.given if answers.given["database"] is None else None
    is_set = bool(journal) and "database" not in answers.known
    database = str(journal) if is_set else answers.ask("database")
    officer = answers.ask("officer")
    for name in ("results", "printed", "as_of"):
        answers.ask(name)
    return Federation(ctx, answers, database, is_set, officer, regulations)


def _tell(federation: Federation, serving: list[str], *, in_order: bool) -> None:
    """What was done, and what is left to do."""
    step(f"{federation.answers.known['name']}: done, by these commands; the last starts the site")
    click.echo("\n".join([*federation.done, typed(serving)]))
    if not in_order:
        click.echo("\nFiles were left out. Correct them as said above, then: palmares start")


def _serving(federation: Federation, port: int | None) -> list[str]:
    """The command that starts the site, with the lists that were chosen."""
    from palmares.regulations import awarding

    command = ["serve", *federation.where, "--name", federation.answers.known["name"]]
    if set(federation.regulations) != set(awarding()):
        command += ["--regulations", ",".join(federation.regulations)]
    if "://" in federation.journal.removeprefix("sqlite:///"):
        command += ["--secret-file", SECRET]
    return command if port is None else [*command, "--port", str(port)]


def _is_wanted(answers: Answers, serve: bool | None) -> bool:  # noqa: FBT001
    """Whether the site is to be started; where it is not installed, only if an option says so."""
    if serve is not None or not installed("site"):
        return bool(serve)
    heed_at_questions()
    return answers.yes or click.confirm("\nStart the site now?", default=True, err=True)
