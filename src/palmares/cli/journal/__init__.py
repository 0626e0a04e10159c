"""journal: make one, see what was recorded, verify, export, import."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palmares.cli.app import ENTRY, LazyGroup, Typed, command, pattern, refuse_overwriting
from palmares.cli.options import Output, acting, in_journal, printing
from palmares.cli.sources import opened
from palmares.cli.terminal import count_of, harmless
from palmares.core.errors import FactsRejected, Refused, brief
from palmares.core.settings import SETTINGS
from palmares.journal.store.entries import KINDS, Actor, Entry, PersonalData
from palmares.render.tables import OutputColumn

if TYPE_CHECKING:
    from palmares.journal.store.journal import Reader


SUBCOMMANDS = {  # name: (module and function, one line of help)
    "init": ("journal:init", "Make a journal, or bring an older one forward."),
    "log": ("journal:log", "List the entries, the newest first."),
    "show": ("journal:show", "Show one entry in full."),
    "verify": ("journal:verify", "Check that the journal is intact."),
    "export": ("journal:export", "Write all entries to a file."),
    "import": (
        "journal:import_",
        "Import an export into an empty journal.",
    ),
    "add": ("journal.decisions:add", "Record reports."),
    "undo": ("journal.decisions:undo", "Cancel an entry."),
    "withdraw": (
        "journal.decisions:withdraw",
        "Remove a tournament's report from every list.",
    ),
    "override": ("journal.decisions:override", "Set cells in one row of a report."),
    "rate": ("journal.decisions:rate", "State an exchange rate."),
    "rates": (
        "journal.decisions:rates",
        "Record the bank's rates that tournaments wait for.",
    ),
    "race": (
        "journal.decisions:race",
        "Declare a race, which gets a page of the site.",
    ),
    "levels": ("journal.decisions:levels", "Set the recognition levels."),
    "erase": (
        "journal.decisions:erase",
        "Delete a player's name for good; rank and place stay.",
    ),
}


@click.group(cls=LazyGroup, sections={"Commands": SUBCOMMANDS})
def journal() -> None:
    """Make a journal, look at its entries, verify, export and import it.

    Entries are added to a journal and never changed. Each has its author and the hash of the entry
    before.
    """


@command()
@click.argument("url", envvar=SETTINGS["journal"].variable)
def init(url: str) -> None:
    """Make a journal at URL, or bring one of an earlier palmares forward.

    URL is a file such as federation.db, or postgresql://user@host/name. Entries that are there
    stay as they are.

    \b
    Examples:
        palmares journal init federation.db
        palmares journal init postgresql://palmares@localhost/federation
    """
    from palmares.journal.store.journal import create_journal

    with closing(create_journal(url)) as store:
        entries = store.head().sequence
        count = count_of(entries, "entry", "entries") if entries else "no entries yet"
        click.echo(f"{store.url}: a journal, {count}.")


# ── looking ──────────────────────────────────────────────────────────────────────────────────────


@command()
@in_journal
@click.option("--kind", metavar="KIND", help="Only entries of this kind, such as report.")
@click.option("--subject", metavar="ID", help="Only about this tournament, player or currency.")
@click.option("--author", metavar="NAME", help="Only by this author.")
@click.option("--since", metavar="WHEN", help="From this day, moment or entry (#41) on.")
@click.option("--until", metavar="WHEN", help="Up to the end of this day, moment or entry (#41).")
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="At most.")
@printing
def log(
    journal: str,
    kind: str | None,
    subject: str | None,
    author: str | None,
    since: str | None,
    until: str | None,
    limit: int,
    out: Output,
) -> None:
    """List the entries: what was recorded, by whom, the newest first.

    \b
    Examples:
        palmares journal log --journal federation.db
        palmares journal log --journal federation.db --kind report --since 2026-01-01
    """
    from palmares.journal.log import LogQuery, names_in_entries, newest_entries

    if kind is not None and kind not in KINDS:
        raise Refused(f"There is no entry of the kind {brief(kind)}: {', '.join(KINDS)}.")
    query = LogQuery(
        kind=kind, subject=subject, author=author, since=since, until=until, limit=limit + 1
    )
    with opened(journal) as store, store.reading() as reader:
        entries = newest_entries(reader, query)
        page = entries[:limit]
        names_by_id = names_in_entries(reader, page)
    keys = ("sequence", "recorded_at", "author", "role", "kind", "subject")
    columns = [
        OutputColumn("sequence", "entry", "number", priority=0),
        OutputColumn("recorded_at", "recorded (UTC)", "moment"),
        *(OutputColumn(key, priority=2 if key in ("role", "subject") else 1) for key in keys[2:]),
        OutputColumn("what", priority=0),
    ]
    out.emit(
        [
            {key: getattr(entry, key) for key in keys} | {"what": _in_words(entry, names_by_id)}
            for entry in page
        ],
        columns,
        notes=["There are earlier entries: --limit shows more."]
        if entries[limit:]
        else []
        if entries
        else ["No entry fits."],
    )


def _in_words(entry: Entry, names: dict[str, str]) -> str:
    """An entry in words; where another program wrote its body, only its kind."""
    from palmares.render.entries import describe_entry

    with suppress(LookupError, TypeError, AttributeError):
        return describe_entry(entry, names)
    return KINDS.get(entry.kind, "")


@command()
@click.argument("sequence", metavar="ENTRY", type=ENTRY)
@in_journal
def show(sequence: int, journal: str) -> None:
    """Show one entry in full, with the names that belong to it.

    \b
    Example:
        palmares journal show 57 --journal federation.db
    """
    with opened(journal) as store, store.reading() as reader:
        entry = reader.entry(sequence)
        lines = list(_lines(entry, reader))
    click.echo("\n".join(lines))


def _lines(entry: Entry, reader: Reader) -> Iterator[str]:
    """An entry, the names that it has seals of, and its body; control characters are escaped."""
    from palmares.facts.text import printable, visible
    from palmares.journal.log import names_in_entries
    from palmares.journal.store.verify import seals_in

    yield f"Entry {entry.sequence}: {_in_words(entry, names_in_entries(reader, [entry]))}"
    yield ""
    facts = {
        "kind": entry.kind,
        "subject": printable(entry.subject),
        "author": f"{printable(entry.author)}, {entry.role}",
        "recorded": entry.recorded_at,
        "key": "" if entry.key is None else printable(entry.key),
        "previous": entry.previous,
        "hash": entry.hash,
    }
    yield from (f"{name:<10}{text}" for name, text in facts.items() if text)
    with suppress(Refused):
        seals = seals_in(entry)
        records = reader.records(seals)
        for seal in seals:
            name = (
                printable(PersonalData.read(records[seal]).name) if seal in records else "not here"
            )
            yield f"{'name':<10}{name} (seal {seal[:12]})"
    yield ""
    yield visible(json.dumps(entry.read(), ensure_ascii=False, indent=2), keep="\n")


# ── whole or not ─────────────────────────────────────────────────────────────────────────────────


HEAD = Typed(
    "hash",
    pattern("([0-9a-f]{64})", str),
    "{}: a head has 64 characters 0-9a-f, as 'verify' prints it.",
)


@command()
@in_journal
@click.option("--head", type=HEAD, metavar="HASH", help="The hash of an entry that must be there.")
def verify(journal: str, head: str | None) -> None:
    """Check that every entry, and every name, is as it was recorded.

    The exit status is 1 if not; every fault is listed with its entry. Entries that are missing at
    the end show where a journal in SQLite has its head in a file beside it, or with --head.

    \b
    Examples:
        palmares journal verify --journal federation.db
        palmares journal verify --journal federation.db --head 3f49...
    """
    from palmares.journal.store.verify import verify as verify_chain

    with opened(journal) as store, store.reading() as reader:
        url, in_a_file = store.url, store.database.file is not None
        try:
            verified, head_file = verify_chain(reader, head), reader.head_file
        except FactsRejected as rejected:
            for problem in rejected.problems:
                click.echo(harmless(str(problem)))
            count = count_of(len(rejected.problems), "fault")
            raise click.ClickException(f"{count}: {url} is damaged.") from None
    click.echo(f"{url} is intact: {count_of(verified.head.sequence, 'entry', 'entries')}.")
    click.echo(f"Names: {verified.names} as they were sealed, {verified.erased} erased.")
    if verified.absent:
        click.echo(f"Not here: {verified.absent} names, as after an import without names.")
    if in_a_file and not (head_file or head):
        click.echo(
            "No head is kept beside it: entries lost at its end would not be noticed. Give --head."
        )
    click.echo(f"Head: {verified.head.hash}")


@command()
@click.argument("file", type=click.Path(dir_okay=False, allow_dash=True))
@in_journal
@click.option("--without-names", is_flag=True, help="Leave the names out, for auditors.")
def export(file: str, journal: str, without_names: bool) -> None:  # noqa: FBT001
    """Write all entries of a journal into FILE, a line of JSON each; - is standard output.

    The file has the names of players, unless --without-names.

    \b
    Examples:
        palmares journal export backup.jsonl --journal federation.db
        palmares journal export - --journal federation.db --without-names
    """
    from palmares.journal import transfer

    refuse_overwriting(file, [journal])
    names = not without_names
    with opened(journal) as store, store.reading() as reader:
        if file == "-":
            sys.stdout.buffer.writelines(transfer.export_lines(reader, names=names))
            return
        head = transfer.export(reader, Path(file), names=names)
    click.echo(f"{file}: {count_of(head.sequence, 'entry', 'entries')}. Head: {head.hash}")


@command("import")
@click.argument("file", type=click.Path())
@acting
def import_(file: str, journal: str, actor: Actor) -> None:
    """Record in an empty journal the entries of FILE, which 'journal export' wrote.

    Authors and times stay. Everything is checked first; a name that was erased stays erased. The
    same file again changes nothing.

    \b
    Example:
        palmares journal import backup.jsonl --journal postgresql://palmares@localhost/federation
    """
    from palmares.journal import transfer

    with opened(journal) as store:
        imported = transfer.import_journal(store, Path(file), actor)
    entries = count_of(imported.head.sequence, "entry", "entries")
    added = f"Added {entries} and {count_of(imported.names, 'name')}."
    click.echo(added if imported.is_new else f"Nothing to add: all {entries} are there already.")
    click.echo(f"Head: {imported.head.hash}")
