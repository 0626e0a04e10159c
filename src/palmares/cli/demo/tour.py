"""demo: a tour of commands on the example reports, or a site with a made-up season."""

from __future__ import annotations

import shlex
import sys
from contextlib import closing, redirect_stderr
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from palmares.cli.app import command, run
from palmares.cli.serve import answer, listen, prepare_polars, site_secret
from palmares.cli.terminal import count_of
from palmares.core.clock import today
from palmares.core.errors import Refused
from palmares.core.extras import needs

HOST, PORT = "127.0.0.1", 8000
NAME = "Demonstration"
"""Heads every page, so that visitors do not take the site for a real one."""
STOPS = (
    (
        "A world ranking: backgammon reports in, the WBGF list as of a day out.",
        "rank wbgf {examples}/backgammon --as-of 2005-12-31 --top 10",
    ),
    (
        "A national ranking: the points of all its players make a country's.",
        "rank wbgf {examples}/backgammon --as-of 2011-12-31 --by nation",
    ),
    (
        "Master points: who was a member, who placed where, who won which match, live and online.",
        "totals usbgf {examples}/usbgf --as-of 2019-12-31 --top 8",
    ),
    (
        "A rating list: the Dip Pouch Tournament Rating, moved by each event in turn.",
        "rank dptr {examples}/diplomacy --as-of 2018-12-31 --top 10",
    ),
    (
        "Bridge: a table of victory points to post on the wall.",
        "vp --boards 16 --scale discrete",
    ),
    (
        "The standings of a team event, with every tie explained (its teams are made up).",
        "standings {examples}/bridge",
    ),
    (
        "And why: each clause in its words, the numbers that went in, the number that came out.",
        'explain dptr {examples}/diplomacy --player "David MILLER" --as-of 2018-12-31',
    ),
)


def examples() -> Path:
    """The folder of the example reports, in the installed package or in the repository.

    Raises:
        Refused: they were not installed.
    """
    package = Path(__file__).parents[2]
    for place in (package / "examples", package.parents[1] / "examples"):
        if place.is_dir():
            return place
    raise Refused("The example reports were not installed. Run the tour from a clone: make demo")


@command()
@click.option("--serve", is_flag=True, help="A site with a made-up season, for you to look at.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help=f"With --serve: where to listen (default {PORT}).",
)
@click.pass_context
def demo(
    ctx: click.Context,
    serve: bool,  # noqa: FBT001  a flag of the command line
    port: int | None,
) -> None:
    """The tour: real reports in, rankings out, explained.

    With --serve it is a site: the same reports, and a made-up season of three years up to today,
    with its lists, corrections and reports that wait for an officer. On this machine you sign in as
    a director or an officer with one click; it also prints links for them and an administrator.
    Ctrl-C ends it, and nothing is kept.

    \b
    Examples:
        palmares demo
        palmares demo --serve
    """
    if serve:
        _serve(examples(), port or PORT)
        return
    if port is not None:
        raise click.UsageError("--port is of the site: say --serve, too.")
    place = examples()
    where = "examples" if place == Path.cwd() / "examples" else str(place)
    for title, line in STOPS:
        typed = line.format(examples=shlex.quote(where))
        click.secho(f"\n▸ {title}", bold=True)
        click.secho(f"  $ palmares {typed}\n", fg="cyan")
        warnings = _run(ctx, typed)
        if warnings:
            counted = count_of(warnings, "warning")
            click.secho(
                f"\n({counted} about these reports, which the command shows when you run it.)",
                dim=True,
            )
    click.secho(
        "\n▸ Next: palmares demo --serve (a site with a made-up season), palmares start (your own"
        " federation), palmares --help.",
        bold=True,
    )


def _run(ctx: click.Context, typed: str) -> int:
    """Run a command as if it had been typed; its warnings are counted, not shown."""
    with redirect_stderr(StringIO()) as errors:
        run(ctx, shlex.split(typed))
    return sum(line.startswith("Warning: ") for line in errors.getvalue().splitlines())


# ── the site ─────────────────────────────────────────────────────────────────────────────────────


def _serve(examples: Path, port: int) -> None:
    """Serve the demonstration until it is ended.

    Args:
        examples: where the example reports are.
        port: where to listen on this machine.

    Raises:
        Refused: the port is taken.
    """
    needs("site", "The site")
    prepare_polars()
    from palmares.cli.demo import season
    from palmares.journal.store.journal import create_journal
    from palmares.web.app import site
    from palmares.web.http.routing import link
    from palmares.web.settings import Settings, address

    listener = listen(HOST, port)
    with listener, TemporaryDirectory(prefix="palmares-demo-") as folder:
        place = str(Path(folder) / "demo.db")
        click.echo("Recording the example reports and a made-up season ...", err=True)
        clock, day = season.Clock(), today()
        with closing(create_journal(place, clock)) as store:
            season.record_all(store, examples, clock, day)
        settings = Settings(
            journal=place,
            secret=site_secret(place, None),
            public_url=address(None, HOST, port),
            log=sys.stderr,
            requests=False,
            name=NAME,
            one_click=season.ONE_CLICK,
        )
        app = site(settings)
        waiting = season.waiting_reports(day)
        tokens = season.add_people(app.state.app_state, examples, waiting)
        root = settings.public_url
        click.echo(f"\n{root} (Ctrl-C ends it, and nothing is kept)\n")
        names = " or ".join(f"{name} ({role})" for role, name in season.ONE_CLICK.items())
        click.echo(f"Sign in with one click, as {names}: {root}/sign-in")
        click.echo("Or choose a password, as on a real site:")
        for role, token in tokens.items():
            click.echo(f"  {season.PEOPLE[role]}, {role}: {link(root, token)}")
        click.echo("Officers and administrators then set up one-time codes, as on a real site.")
        sys.stdout.flush()
        answer(app, listener)
