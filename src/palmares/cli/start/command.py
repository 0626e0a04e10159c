"""start: an interview, then the commands that make a federation, one after the other."""

from __future__ import annotations

import click

from palmares.cli.app import command, pair, typed
from palmares.cli.sources import JOURNAL
from palmares.cli.start import steps
from palmares.cli.start.answers import ask_all, refuse_without_terminal
from palmares.cli.start.steps import Federation, step
from palmares.cli.terminal import end_with, heed_at_questions
from palmares.core.extras import installed, needs

STOPPED = "Interrupted. What is recorded stays."
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

    It asks what it needs and shows each command it runs. Started again in the same folder, it asks
    anew; a report that is recorded already is recognised.

    \b
    Examples:
        palmares start
        palmares start --name "Lakes Federation" --regulations wbgf --results results --yes
    """
    needs("journal", "A journal")
    refuse_without_terminal(yes=yes)
    end_with(STOPPED)
    journal = JOURNAL.given if given["database"] is None else None
    known = {"database": str(journal)} if journal else {}
    options = {name: None if value == () else value for name, value in given.items()}
    answers = ask_all(options, known, yes=yes)
    ctx.obj = {""}  # warnings that were shown
    federation = Federation(ctx, answers, in_environment=bool(journal), yes=yes)
    steps.make_journal(federation)
    steps.invite_officer(federation, port)
    in_order = steps.record_results(federation, answers["results"])
    steps.decide_duplicates(federation)
    printed = dict(map(pair, answers["printed"]))
    for regulation in answers["regulations"]:
        steps.publish_list(federation, regulation, answers["as_of"], printed.get(regulation, ""))
    serving = _serving(federation, port)
    step(f"{answers['name']}: done, by these commands; the last starts the site")
    click.echo("\n".join([*federation.done, typed(serving)]))
    if not in_order:
        click.echo("\nFiles were left out. Correct them as described above, then add them again.")
    if _is_wanted(serve, yes=yes):
        federation.run(*serving)


def _serving(federation: Federation, port: int | None) -> list[str]:
    """The command that starts the site, with the lists that were chosen."""
    from palmares.regulations import awarding

    command = ["serve", *federation.where, "--name", federation.answers["name"]]
    if set(federation.answers["regulations"]) != set(awarding()):
        command += ["--regulations", ",".join(federation.answers["regulations"])]
    if "://" in federation.journal.removeprefix("sqlite:///"):
        command += ["--secret-file", SECRET]
    return command if port is None else [*command, "--port", str(port)]


def _is_wanted(serve: bool | None, *, yes: bool) -> bool:  # noqa: FBT001
    """Whether to start the site; where it is not installed, only if an option says so."""
    if serve is not None or not installed("site"):
        return bool(serve)
    heed_at_questions()
    return yes or click.confirm("\nStart the site now?", default=True, err=True)
