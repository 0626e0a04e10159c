"""add, and the decisions of officers: what is recorded is shown first."""

from __future__ import annotations

from typing import Any

import click

from palmares.cli.acting import Acting, acting
from palmares.cli.deciding import Deciding, decided, deciding
from palmares.cli.sources import encoding


class Who(click.ParamType[tuple[str, str]]):
    """Who somebody is: NAME=ID."""

    name = "name=id"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Name and id, or a usage error."""
        if isinstance(value, tuple):
            return value
        name, sign, found = (one.strip() for one in value.rpartition("="))
        if not (name and sign and found):
            self.fail(f"{value!r} is nobody; write it like 'Ada Novak (CZE)=P17'.", param, ctx)
        return name, found


@click.command()
@click.argument("path", nargs=-1, required=True, type=click.Path())
@acting
@click.option(
    "--replaces",
    type=click.IntRange(min=1),
    multiple=True,
    metavar="ENTRY",
    help="The entry in force that this is to replace; may be repeated.",
)
@click.option("--key", metavar="KEY", help="A program's own: sent again, it records nothing more.")
@click.option(
    "--is",
    "chosen",
    type=Who(),
    multiple=True,
    metavar="NAME=ID",
    help="Who somebody is: the id of a player, or 'new'; may be repeated.",
)
@encoding
@deciding
def add(
    path: tuple[str, ...],
    acting: Acting,
    replaces: tuple[int, ...],
    key: str | None,
    chosen: tuple[tuple[str, str], ...],
    encoding: str | None,
    deciding: Deciding,
) -> None:
    """Record the reports at PATH in a journal, after showing what they award.

    What the journal has already is recognised by its content and not recorded again. With
    --format csv or json, standard output has the points alone.

    \b
    Examples:
        palmares add report.toml --journal federation.db
        palmares add season/ --journal federation.db --yes
        palmares add corrected.toml --journal federation.db --replaces 57
    """
    from palmares.journal.arrivals import report, source_of
    from palmares.reading import gathered

    facts = gathered(*path, encoding=encoding)
    source = source_of(path[0], facts) if len(path) == 1 and encoding is None else None
    action = report(
        facts, replaces=frozenset(replaces), key=key, chosen=dict(chosen), source=source
    )
    decided(acting, action, deciding)
