"""demo: the tour, real commands on the real reports kept in examples/."""

from __future__ import annotations

import shlex
from pathlib import Path

import click

from palmares.errors import Refused

STOPS = (
    (
        "A world ranking: backgammon reports in, the WBGF list as of a day out.",
        "rank wbgf {examples}/backgammon --as-of 2019-12-31 --top 10",
    ),
    (
        "The same results by nation.",
        "rank wbgf {examples}/backgammon --as-of 2019-12-31 --by nation",
    ),
    (
        "Master Points: who is a member, where he placed, which matches he won.",
        "totals usbgf {examples}/usbgf --as-of 2019-12-31 --top 10",
    ),
    (
        "A rating list: the Dip Pouch Tournament Rating, event by event.",
        "rank dptr {examples}/diplomacy --as-of 2018-12-31 --top 10",
    ),
    (
        "Bridge: a victory point table to post on the wall.",
        "vp --boards 16 --scale discrete",
    ),
    (
        "And why: every clause, the numbers that went in, the number that came out.",
        'explain dptr {examples}/diplomacy --player "Hudson DEFOE" --as-of 2018-12-31',
    ),
)


def examples() -> Path:
    """Where the example reports are: in the installed package, or beside its sources.

    Raises:
        Refused: they were not installed.
    """
    package = Path(__file__).parents[1]
    for place in (package / "examples", package.parents[1] / "examples"):
        if place.is_dir():
            return place
    raise Refused("The example reports were not installed. Run the tour from a clone: make demo")


@click.command()
@click.pass_context
def demo(ctx: click.Context) -> None:
    """The tour: real reports in, rankings out, explained."""
    place = examples()
    where = "examples" if place == Path.cwd() / "examples" else str(place)
    for told, line in STOPS:
        typed = line.format(examples=where)
        click.secho(f"\n▸ {told}", bold=True)
        click.secho(f"  $ palmares {typed}\n", fg="cyan")
        group = ctx.find_root().command
        group.main(shlex.split(typed), prog_name="palmares", standalone_mode=False)
    click.secho("\n▸ Next: palmares --help, and docs/tutorial.md.", bold=True)
