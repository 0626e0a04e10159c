"""invite: an account of the site, from the command line."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import click

from palmares.cli.app import command
from palmares.cli.options import in_journal, setting
from palmares.core.extras import needs
from palmares.core.settings import SETTINGS

if TYPE_CHECKING:
    from palmares.journal.store.journal import Journal
    from palmares.web.http.state import AppState


@command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(("director", "officer", "administrator")),
    default="officer",
    show_default=True,
    help="What NAME may do on the site.",
)
@in_journal
@setting("public-url", metavar="URL")
@setting("port", type=click.IntRange(1, 65535))
def invite(name: str, role: str, journal: str, public_url: str | None, port: int) -> None:
    """Give NAME an account of the site, and print the link to choose a password with.

    The link is good once, for three days. Asked again, it prints another link for the same account,
    and the earlier one is good no longer.

    \b
    Example:
        palmares invite "Otto Lind" --role officer --journal federation.db
    """
    needs("site", "The site")
    from palmares.journal.store.journal import open_journal
    from palmares.web.accounts.admin import link_of
    from palmares.web.http.routing import link
    from palmares.web.settings import address

    root = address(public_url, SETTINGS["host"].default, port)
    with closing(open_journal(journal)) as store:
        token = link_of(site_of(store), name, role)
    click.echo(f"{name}, {role}: {link(root, token)}\n(good once, for three days)")


def site_of(journal: Journal) -> AppState:
    """The site on a journal, with its tables, which are made if they are not there."""
    from palmares.web.http.state import AppState
    from palmares.web.migrations import ready
    from palmares.web.settings import Settings

    ready(journal.database)
    return AppState(journal, Settings(journal="", secret=""))  # neither is asked for
