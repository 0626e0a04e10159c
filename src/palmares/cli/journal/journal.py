"""journal init, log, show, verify, export, import: the journal itself; `record` has the rest."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from palmares.cli.app import Lazy
from palmares.cli.journal.acting import Acting, EntryNumber, Held, acting, holding
from palmares.cli.options import writing
from palmares.cli.sources import WHERE
from palmares.cli.types import harmless

if TYPE_CHECKING:
    from palmares.journal.store.entries import Entry
    from palmares.journal.store.journal import Reader

SUBCOMMANDS = {  # name: (module and function, one line of help)
    "init": ("palmares.cli.journal.journal:init", "Make a journal, or bring an older one forward."),
    "log": ("palmares.cli.journal.journal:log", "What was recorded, by whom, the newest first."),
    "show": ("palmares.cli.journal.journal:show", "One entry, with all it says."),
    "verify": ("palmares.cli.journal.journal:verify", "Whether the journal is whole."),
    "export": ("palmares.cli.journal.journal:export", "All of it as one file of lines."),
    "import": (
        "palmares.cli.journal.journal:import_",
        "What such a file has and the journal has not.",
    ),
    "add": ("palmares.cli.journal.add:add", "Record reports, showing what they award."),
    "undo": ("palmares.cli.journal.decisions:undo", "Let an entry count no longer."),
    "withdraw": (
        "palmares.cli.journal.decisions:withdraw",
        "Let a tournament's report count no longer.",
    ),
    "override": ("palmares.cli.journal.decisions:override", "Set cells in one row of a report."),
    "rate": ("palmares.cli.journal.decisions:rate", "State an exchange rate."),
    "rates": ("palmares.cli.journal.add:rates", "Take the rates that tournaments wait for."),
    "erase": (
        "palmares.cli.journal.decisions:erase",
        "Throw away a player's name; rank and place stay.",
    ),
}

_HASH = re.compile(r"[0-9a-f]{64}")


@click.group(cls=Lazy, subcommands=SUBCOMMANDS)
def journal() -> None:
    """A federation's journal: what was recorded, by whom, and whether it is whole.

    A journal is only ever added to. Every entry has its author and the hash of the entry before.
    """


@click.command()
@click.argument("url", required=False)
@click.option("--journal", metavar="URL", envvar="PALMARES_JOURNAL", help=WHERE)
def init(url: str | None, journal: str | None) -> None:
    """Make a journal at URL, or bring one of an earlier palmares forward.

    URL is a file such as federation.db, or postgresql://user@host/name. Entries that are there
    stay as they are.

    \b
    Examples:
        palmares journal init federation.db
        palmares journal init postgresql://palmares@localhost/federation
    """
    from palmares.journal.store.journal import created

    source = click.get_current_context().get_parameter_source("journal")
    if url and journal not in (None, url) and source is ParameterSource.COMMANDLINE:
        raise click.UsageError("Name a URL or a --journal, not both.")
    where = url or journal
    if where is None:
        raise click.UsageError("Say where: palmares journal init federation.db")
    made = created(where)
    try:
        head = made.head()
    finally:
        made.close()
    told = f"{_counted(head.sequence, 'entry', 'entries')}" if head.sequence else "no entries yet"
    click.echo(f"{made.url}: a journal, {told}.")


# ── looking ──────────────────────────────────────────────────────────────────────────────────────


@click.command()
@holding
@click.option("--kind", metavar="KIND", help="Only entries of this kind, such as report.")
@click.option("--subject", metavar="ID", help="Only about this tournament, player or currency.")
@click.option("--author", metavar="NAME", help="Only by this author.")
@click.option("--since", metavar="WHEN", help="From this day, moment or entry (#41) on.")
@click.option("--until", metavar="WHEN", help="Up to the end of this day, moment or entry (#41).")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="At most.")
@writing
def log(
    held: Held,
    kind: str | None,
    subject: str | None,
    author: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    format: str,  # noqa: A002
    output: str | None,
) -> None:
    """What was recorded, by whom, the newest first.

    \b
    Examples:
        palmares journal log --journal federation.db
        palmares journal log --journal federation.db --kind report --since 2026-01-01
    """
    from palmares.core.errors import Refused, brief
    from palmares.journal.log import LogQuery, names, newest
    from palmares.journal.store.entries import KINDS
    from palmares.render.tables import Column, emit

    if kind is not None and kind not in KINDS:
        raise Refused(f"There is no entry of the kind {brief(kind)}: {', '.join(KINDS)}.")
    asked = LogQuery(
        kind=kind, subject=subject, author=author, since=since, until=until, limit=limit + 1
    )
    with held.opened() as journal, journal.reading() as reader:
        found = newest(reader, asked)
        shown, more = found[:limit], found[limit:]
        known = names(reader, shown)
    emit(
        [_row(entry, known) for entry in shown],
        [
            Column("sequence", "entry", "number"),
            Column("recorded_at", "recorded"),
            Column("author"),
            Column("role"),
            Column("kind"),
            Column("subject"),
            Column("what"),
        ],
        format=format,
        output=output,
        notes=["There are earlier entries: --limit shows more."] if more else [],
    )


def _row(entry: Entry, names: dict[str, str]) -> dict[str, Any]:
    return {
        "sequence": entry.sequence,
        "recorded_at": entry.recorded_at,
        "author": entry.author,
        "role": entry.role,
        "kind": entry.kind,
        "subject": entry.subject,
        "what": _said(entry, names),
    }


def _said(entry: Entry, names: dict[str, str]) -> str:
    """What an entry states; what its kind states where the body is another program's."""
    from palmares.journal.store.entries import KINDS
    from palmares.journal.wording import said

    with suppress(LookupError, TypeError, AttributeError):
        return said(entry, names)
    return KINDS.get(entry.kind, "")


@click.command()
@click.argument("sequence", metavar="ENTRY", type=EntryNumber())
@holding
def show(sequence: int, held: Held) -> None:
    """One entry, with all it says and the names it has the seals of.

    \b
    Example:
        palmares journal show 57 --journal federation.db
    """
    from palmares.journal.log import names

    with held.opened() as journal, journal.reading() as reader:
        entry = reader.entry(sequence)
        lines = [*_facts(entry, names(reader, [entry])), *_sealed(reader, entry), *_body(entry)]
    click.echo("\n".join(lines))


def _facts(entry: Entry, names: dict[str, str]) -> Iterator[str]:
    from palmares.facts.text import shown

    yield f"Entry {entry.sequence}: {_said(entry, names)}"
    yield ""
    for name, text in (
        ("kind", entry.kind),
        ("subject", shown(entry.subject)),
        ("author", f"{shown(entry.author)}, {entry.role}"),
        ("recorded", entry.recorded_at),
        ("key", "" if entry.key is None else shown(entry.key)),
        ("previous", entry.previous),
        ("hash", entry.hash),
    ):
        if text:
            yield f"{name:<10}{text}"


def _sealed(reader: Reader, entry: Entry) -> Iterator[str]:
    """The names an entry has the seals of, where they are still there."""
    from palmares.core.errors import Refused
    from palmares.facts.text import shown
    from palmares.journal.store.persons import Person
    from palmares.journal.store.verify import sealed_by

    with suppress(Refused):
        seals = sealed_by(entry)
        records = reader.records(seals)
        for one in seals:
            name = shown(Person.read(records[one]).name) if one in records else "not here"
            yield f"{'name':<10}{name} (seal {one[:12]})"


def _body(entry: Entry) -> Iterator[str]:
    """The body, indented; what a terminal would act on is spelt out."""
    yield ""
    for line in json.dumps(entry.read(), ensure_ascii=False, indent=2).split("\n"):
        yield "".join(
            one if one.isprintable() else one.encode("unicode_escape").decode() for one in line
        )


# ── whole or not ─────────────────────────────────────────────────────────────────────────────────


def _head(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is not None and not _HASH.fullmatch(value):
        raise click.BadParameter("a head has 64 letters 0-9a-f, as 'verify' prints it.", ctx, param)
    return value


@click.command()
@holding
@click.option(
    "--head", metavar="HASH", callback=_head, help="An entry that must be there, as printed once."
)
def verify(held: Held, head: str | None) -> None:
    """Whether every entry is as it was recorded, and every name as it was sealed.

    Exit status 1 if not; every fault is listed with its entry. Entries that were cut off at the end
    are noticed by the head that is kept beside a journal in SQLite, or if --head names one of them.

    \b
    Examples:
        palmares journal verify --journal federation.db
        palmares journal verify --journal federation.db --head 3f49...
    """
    from palmares.core.errors import FactsRejected
    from palmares.journal.store.verify import verify as verify_chain

    try:
        with held.opened() as journal, journal.reading() as reader:
            found, kept = verify_chain(reader, head), reader.kept
    except FactsRejected as rejected:
        for problem in rejected.problems:
            click.echo(harmless(str(problem)))
        count = _counted(len(rejected.problems), "fault", "faults")
        raise click.ClickException(f"{count}: {journal.url} is not whole.") from None
    click.echo(f"{journal.url} is whole: {_counted(found.head.sequence, 'entry', 'entries')}.")
    click.echo(f"Names: {found.names} as they were sealed, {found.erased} erased.")
    if found.absent:
        click.echo(f"Not here: {found.absent} names, as after an import without names.")
    if journal.database.file is not None and not (kept or head):
        click.echo(
            "No head is kept beside it: entries lost at its end would not be noticed. Give --head."
        )
    click.echo(f"Head: {found.head.hash}")


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@holding
@click.option("--without-names", is_flag=True, help="Only their seals: for auditors.")
def export(file: str, held: Held, without_names: bool) -> None:  # noqa: FBT001
    """Write all of a journal into FILE, one line of JSON an entry; - is standard output.

    The file has the names of players, unless --without-names. It is written whole or not at all.

    \b
    Examples:
        palmares journal export backup.jsonl --journal federation.db
        palmares journal export - --journal federation.db --without-names
    """
    from palmares.journal.store import transfer

    names = not without_names
    with held.opened() as journal, journal.reading() as reader:
        if file == "-":
            sys.stdout.buffer.writelines(transfer.lines(reader, names=names))
            return
        head = transfer.export(reader, Path(file), names=names)
    click.echo(f"{file}: {_counted(head.sequence, 'entry', 'entries')}. Head: {head.hash}")


@click.command("import")
@click.argument("file", type=click.Path())
@acting
def import_(file: str, acting: Acting) -> None:
    """Add to a journal the entries of FILE, which 'journal export' wrote.

    The journal must be empty, or its entries the first of FILE; then only the rest is added.
    Authors and moments stay what they are. Everything is checked first; a name that was erased
    stays away.

    \b
    Example:
        palmares journal import backup.jsonl --journal postgresql://palmares@localhost/federation
    """
    from palmares.journal.store import transfer

    actor = acting.actor
    with acting.opened() as journal:
        found = transfer.imported(journal, Path(file), actor)
    if found.entries:
        names = _counted(found.names, "name", "names")
        click.echo(f"Added {_counted(found.entries, 'entry', 'entries')} and {names}.")
    else:
        click.echo("Nothing to add: the journal has every entry of it.")
    click.echo(f"Head: {found.head.hash}")


def _counted(many: int, one: str, more: str) -> str:
    return f"{many:,} {one if many == 1 else more}"
