"""publication list, show, manifest: the lists that a journal holds."""

from __future__ import annotations

from dataclasses import asdict

import click

from palmares.cli.app import Lazy
from palmares.cli.journal.acting import EntryNumber, Held, holding
from palmares.cli.options import Output, printing
from palmares.render.tables import Column, print_text

SUBCOMMANDS = {  # name: (module and function, one line of help)
    "list": ("palmares.cli.publications:announced", "Every list that was published."),
    "show": ("palmares.cli.publications:show", "A list as it was published."),
    "manifest": ("palmares.cli.publications:manifest", "The manifest of a list, once more."),
}

_NUMBER = click.argument("entry", metavar="ENTRY", type=EntryNumber())


@click.group(cls=Lazy, subcommands=SUBCOMMANDS)
def publication() -> None:
    """The lists that a journal holds, as they were published."""


@click.command("list")
@holding
@printing
def announced(held: Held, out: Output) -> None:
    """Every list that was published, the earliest first.

    \b
    Example:
        palmares publication list --journal federation.db
    """
    from palmares.lists.publication import record

    with held.opened() as journal, journal.reading() as reader:
        rows = [asdict(one) for one in record.announced(reader)]
    out.emit(
        rows,
        [
            Column("entry", kind="number"),
            Column("published"),
            Column("author"),
            Column("list"),
            Column("known", "made at entry", "number"),
            Column("result_sha256", hidden=True),
            Column("note"),
        ],
        title="Published lists",
    )


@click.command()
@_NUMBER
@click.option("--top", type=click.IntRange(min=1), help="Only ranks up to this one.")
@holding
@printing
def show(entry: int, top: int | None, held: Held, out: Output) -> None:
    """The list that ENTRY published, with the names that may be shown today.

    \b
    Example:
        palmares publication show 57 --journal federation.db
    """
    from palmares.cli.points import columns, rows
    from palmares.lists.publication import record

    with held.opened() as journal, journal.reading() as reader:
        found = record.manifest(reader, entry)
        frame = record.listed(found.publication, record.names(reader))
    if top is not None:
        frame = frame.filter(frame["rank"] <= top)
    filed, known = found.entry, found.publication.known
    notes = []
    if filed:
        notes.append(f"Published as entry {entry} by {filed.author}, {filed.recorded_at}.")
        notes.append(f"Its hash: {filed.hash}.")
    notes += [f"Made at entry {known.sequence} ({known.hash})."] if known else []
    notes += [found.publication.note] if found.publication.note else []
    out.emit(
        rows(frame),
        columns(
            [{"nanopoints": "points"}.get(one, one) for one in frame.columns],
            hidden=("player_id",),
        ),
        title=found.publication.name,
        notes=notes,
    )


@click.command()
@_NUMBER
@holding
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write a file.")
def manifest(entry: int, held: Held, output: str | None) -> None:
    """The manifest of the list that ENTRY published, as 'palmares publish' writes it.

    \b
    Example:
        palmares publication manifest 57 --journal federation.db -o list.manifest.json
    """
    from palmares.lists.publication import record
    from palmares.lists.publication.manifest import text

    with held.opened() as journal, journal.reading() as reader:
        found = record.manifest(reader, entry)
    print_text([text(found).rstrip("\n")], output)
