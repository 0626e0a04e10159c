"""demo --serve: the site on a journal of the example reports, with people at its desks."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from palmares.cli.memory import modest
from palmares.cli.serve import answer, listen, secret_of
from palmares.core.extras import needs

if TYPE_CHECKING:
    from litestar import Litestar

    from palmares.cli.demo.season import Invited

HOST = "127.0.0.1"


def demonstrated(examples: Path, journal: str | None, port: int) -> None:
    """Serve the demonstration until somebody ends it.

    Args:
        examples: where the example reports are.
        journal: the file that keeps its journal; none: it is gone in the end.
        port: where to listen on this machine.

    Raises:
        Refused: the port is taken, or the journal is somebody's.
    """
    needs("site", "The site")
    modest()
    from palmares.web.http.routing import link

    listener = listen(HOST, port)
    with listener, TemporaryDirectory(prefix="palmares-demo-") as folder:
        place = journal or str(Path(folder) / "demo.db")
        click.echo("Recording the example reports ...", err=True)
        app, people = _made(examples, place, port)
        root = app.state.app_state.settings.public_url
        click.echo(f"\n{root} (Ctrl-C ends it{'' if journal else ', and nothing is kept'})\n")
        click.echo("One-time links to choose a password with:")
        for one in people:
            click.echo(f"  {one.name}, {one.role}: {link(root, one.token)}")
        click.echo("Officers and administrators then set up one-time codes, as on a real site.")
        sys.stdout.flush()
        answer(app, listener)


def _made(examples: Path, journal: str, port: int) -> tuple[Litestar, list[Invited]]:
    """The site, and who is invited."""
    from palmares.cli.demo import season
    from palmares.journal.store.journal import created
    from palmares.web.accounts.store import AccountStore
    from palmares.web.app import site
    from palmares.web.settings import Settings, address

    with closing(created(journal)) as made:
        season.refuse_others(made, journal)
        if made.head().sequence == 0:
            season.filled(made, examples)
    settings = Settings(
        journal=journal,
        secret=secret_of(journal, None),
        public_url=address(None, HOST, port),
        log=sys.stderr,
        requests=False,
    )
    app = site(settings)
    return app, season.staffed(
        AccountStore(app.state.app_state.journal.database, settings), examples
    )
