"""demo --serve: the site on a journal of the example reports, with people at its desks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from palmares.cli.memory import modest
from palmares.cli.serve import answered, listening, secret_of

if TYPE_CHECKING:
    from litestar import Litestar

    from palmares.demo import Invited

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
    modest()
    from palmares.web import addresses

    door = listening(HOST, port)
    with door, _somewhere(journal) as place:
        click.echo("Recording the example reports ...", err=True)
        app, people = _made(examples, place, port)
        root = app.state.hall.settings.public_url
        click.echo(f"\n{root} (Ctrl-C ends it{'' if journal else ', and nothing is kept'})\n")
        click.echo("One-time links to choose a password with:")
        for one in people:
            click.echo(f"  {one.name}, {one.role}: {addresses.link(root, one.token)}")
        click.echo("Officers and administrators then set up one-time codes, as on a real site.")
        sys.stdout.flush()
        answered(app, door)


def _made(examples: Path, journal: str, port: int) -> tuple[Litestar, list[Invited]]:
    """The site, and who is invited."""
    from palmares import demo
    from palmares.journal.store import created
    from palmares.web.accounts.entering import Site
    from palmares.web.app import site
    from palmares.web.public_url import address
    from palmares.web.settings import Settings

    made = created(journal)
    try:
        demo.refuse_others(made, journal)
        if made.head().sequence == 0:
            demo.filled(made, examples)
    finally:
        made.close()
    settings = Settings(
        journal=journal,
        secret=secret_of(journal, None),
        public_url=address(None, HOST, port),
        log=sys.stderr,
        requests=False,
    )
    app = site(settings)
    return app, demo.staffed(Site(app.state.hall.journal.database, settings), examples)


@contextmanager
def _somewhere(journal: str | None) -> Iterator[str]:
    """Where the journal lies: where it is to be kept, else in a folder that is gone in the end."""
    if journal is not None:
        yield journal
        return
    with TemporaryDirectory(prefix="palmares-demo-") as folder:
        yield str(Path(folder) / "demo.db")
