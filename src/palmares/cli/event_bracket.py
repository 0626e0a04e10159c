"""``palmares event bracket``: the bracket of an event, to print."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from palmares.cli.app import command
from palmares.cli.event import running_event
from palmares.cli.options import in_journal
from palmares.cli.sources import opened
from palmares.core.errors import Refused
from palmares.render.tables import write_whole

if TYPE_CHECKING:
    from palmares.render.bracket import Paper


@command()
@click.argument("event_id", metavar="EVENT")
@click.option("--paper", type=click.Choice(["A4", "A3"]), default="A4", show_default=True)
@click.option("-o", "--output", type=click.Path(dir_okay=False, path_type=Path), required=True,
              help="The file, such as b.svg; of several pages, b-1.svg and so on.")  # fmt: skip
@in_journal
def bracket(*, event_id: str, paper: Paper, output: Path, journal: str) -> None:
    """Write the bracket of EVENT as SVG, 64 lines a page.

    \b
    Example:
        palmares event bracket club-night --paper A3 -o bracket.svg --journal federation.db
    """
    from palmares.render.bracket import bracket_pages

    with opened(journal) as store:
        running = running_event(store, event_id)
    pages = bracket_pages(running.setup, running.matches, paper)
    if not pages:
        raise Refused(f"{event_id} has no bracket to print. 'palmares event show' has its matches.")
    for number, page in enumerate(pages, 1):
        name = f"{output.stem}-{number}{output.suffix}" if len(pages) > 1 else output.name
        write_whole(output.with_name(name), page.encode())
        click.echo(f"{output.with_name(name)}: written.")
