"""publish, verify, publication: lists that are announced, and whether they still hold."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palmares.cli.app import Lazy, command
from palmares.cli.interrupts import heed_at_questions
from palmares.cli.options import (
    Output,
    asking,
    gathered,
    in_journal,
    printing,
    selecting,
    signing,
    today,
)
from palmares.cli.sources import Source, encoding, every_warning, from_journal, opened, warn
from palmares.cli.types import ENTRY
from palmares.core.errors import Refused
from palmares.render.pdf import edition_file
from palmares.render.tables import Column, print_text, write_whole

if TYPE_CHECKING:
    from palmares.journal.projection.project import Projection
    from palmares.journal.store.entries import Actor
    from palmares.lists import publication as publications
    from palmares.lists.publication import verify as checks
    from palmares.lists.publication.manifest import Manifest
    from palmares.points.awards import Question
    from palmares.points.rankings import Selection

SUFFIX = ".manifest.json"
MEANS = {
    "manifest": "The manifest was changed after it was written: its hashes are not of what it says",
    "entry": "The journal does not have this list: it is another journal, or it was cut off",
    "head": "This is not the journal that the list was made from, or its past was changed",
    "chain": "The journal was changed by other means than palmares",
    "edition": "A sheet has other numbers, tables or dates, or there is one more",
    "code": "The code of the regulation is another one",
}
_NUMBER = re.compile(r"#([1-9][0-9]{0,17})")
_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
SUBCOMMANDS = {  # name: (module and function, one line of help)
    "list": ("palmares.cli.publications:announced", "Every list that was published."),
    "show": ("palmares.cli.publications:show", "A list as it was published."),
    "manifest": ("palmares.cli.publications:manifest", "The manifest of a list, once more."),
}
_ENTRY = click.argument("entry", metavar="ENTRY", type=ENTRY)


@command()
@asking
@selecting
@click.option("--by", type=click.Choice(["player", "nation"]), default="player", show_default=True)
@click.option("--nation", metavar="CODE", help="Only players of this nation, such as GER.")
@click.option(
    "--manifest",
    type=click.Path(dir_okay=False),
    help="The manifest (default: named after the list: wbgf-2005-12-31.manifest.json).",
)
@click.option("--note", metavar="TEXT", help="A word on it, kept for good: write no names.")
@click.option(
    "--with-waiting-events",
    is_flag=True,
    help="Publish even if events wait, and are missing in the list.",
)
@click.option("--yes", is_flag=True, help="Record without being asked, as scripts do.")
@signing
@printing
def publish(
    *,
    source: Source,
    question: Question,
    chosen: Selection,
    by: str,
    manifest: str | None,
    note: str | None,
    with_waiting_events: bool,
    yes: bool,
    author: str,
    role: str,
    out: Output,
) -> None:
    """Announce the ranking of REGULATION as of a day, so that anybody can recompute it.

    The list is printed, and a manifest written: the list, with the hashes of the facts, the sheets
    and the readings that it rests on. With --journal both are recorded there, too.

    \b
    Examples:
        palmares publish wbgf examples/backgammon --as-of 2005-12-31
        palmares publish wbgf --journal federation.db --as-of 2005-12-31
    """
    from palmares.cli.points import emit_list
    from palmares.journal.store.entries import Actor
    from palmares.lists import publication as publications
    from palmares.points.rankings import refuse_nonsense

    refuse_nonsense(question, chosen, by)
    place = Path(manifest or _named(question, chosen, by))
    if source.journal is not None:
        _refuse_another(place)
        if not yes and not sys.stdin.isatty():
            raise Refused("Nothing was published: there is nobody to ask. Say --yes to publish.")
    known = source.projection()
    made = publications.made(
        question,
        source.facts() if known is None else known.facts,
        chosen,
        by=by,
        known=None if known is None else known.state.head,
        note=note,
        with_waiting_events=with_waiting_events,
    )
    given, ranking = made.publication, made.ranking
    warn((*publications.doubts(given, today()), *ranking.notices, *ranking.empty), ranking.waiting)
    to_ask = known is not None and not yes
    if to_ask:
        if out.output is None:
            emit_list(ranking, out)
        _ask(given)
    lines = _announced(source, given, Actor(author, role), known, place)
    try:
        if not to_ask or out.output is not None:
            emit_list(ranking, out)
        sys.stdout.flush()
    finally:
        click.echo("\n".join(lines), err=True)


def _named(question: Question, chosen: Selection, by: str) -> str:
    """The file of a manifest, after its list."""
    from palmares.lists import publication as publications

    name = publications.named(question, publications.asked_of(chosen, by))
    return publications.filed(name) + SUFFIX


def _ask(given: publications.Publication) -> None:
    """Go on only if somebody says yes."""
    known = given.head.sequence if given.head else 0
    heed_at_questions()
    if not click.confirm(
        f"{given.name}, made at entry {known}. Publish it, for good?", default=False, err=True
    ):
        raise Refused("Nothing was published.")


def _announced(
    source: Source,
    given: publications.Publication,
    actor: Actor,
    known: Projection | None,
    place: Path,
) -> list[str]:
    """Record a list, if there is a journal, and write its manifest; what to say of both."""
    from palmares.lists.publication.manifest import Manifest

    if known is None:
        manifest = Manifest(publication=given)
        _refuse_another(place, manifest)
        return [_written(manifest, place)]
    manifest, done = _recorded(source, given, actor, known)
    return [_written(manifest, place), done]


def _recorded(
    source: Source, given: publications.Publication, actor: Actor, known: Projection
) -> tuple[Manifest, str]:
    """The manifest of a list as the journal has it, recorded now or before; what to say of it."""
    from palmares.lists.publication import record

    with source.opened() as journal:
        announced, new = record.published(journal, given, actor, known)
    filed = announced.filed()
    if new:
        done = f"published as entry {filed.sequence} ({filed.hash})"
    else:
        done = f"this list is published already, as entry {filed.sequence}"
    return announced, f"{filed.subject}: {done}."


def _refuse_another(place: Path, manifest: Manifest | None = None) -> None:
    """Refuse to write over a file that says anything else: it may be of a list announced before."""
    from palmares.lists.publication.manifest import text

    if not place.exists() or not place.is_file():
        return
    if manifest is None or place.read_bytes() != text(manifest).encode():
        raise Refused(
            f"{place}: is there already, and no manifest is written over. Nothing was published."
            " Name another file with --manifest, or move this one away."
        )


def _written(manifest: Manifest, place: Path) -> str:
    """Write a manifest; where that fails, a journal has it all the same."""
    from palmares.lists.publication.manifest import text

    try:
        write_whole(place, text(manifest).encode())
    except Refused as error:
        if manifest.entry is None:
            raise
        number = manifest.entry.sequence
        raise Refused(
            f"{error} The list is published all the same: 'palmares publication manifest {number}'"
            " writes its manifest."
        ) from None
    return f"{place}: written."


# ── verify ───────────────────────────────────────────────────────────────────────────────────────


@command()
@click.argument("file")
@click.argument("path", nargs=-1, type=click.Path())
@from_journal
@encoding
@every_warning
@gathered(source=Source)
@printing
def verify(
    file: str,
    source: Source,
    out: Output,
) -> None:
    """Recompute the list of a manifest, and say whether it is identical or where it is not.

    FILE is a manifest, or the number of a publication in the journal, such as '#57'. The list is
    made again from the reports at PATH, or from the entries of the journal that it was made of.
    Exit status 0 if all is identical, else 1.

    \b
    Examples:
        palmares verify wbgf-2005-12-31.manifest.json examples/backgammon
        palmares verify '#57' --journal federation.db
    """
    from palmares.lists.publication import record
    from palmares.lists.publication import verify as checks
    from palmares.lists.publication.manifest import read_file

    number = _NUMBER.fullmatch(file)
    if source.journal is None:
        if number:
            raise click.UsageError(f"{file} is an entry of a journal: name it with --journal.")
        facts = source.read()
        warn(facts.notices)
        found = checks.with_facts(read_file(file), facts)
    else:
        with source.opened() as journal, journal.reading() as reader:
            given = record.manifest(reader, int(number[1])) if number else read_file(file)
            found = checks.in_journal(given, reader)
    _report(found, out)
    if not found.identical:
        raise click.exceptions.Exit(1)


def _report(found: checks.Verification, out: Output) -> None:
    """For people only what differs; for programs every part."""
    if out.kind != "table":
        keys = ("part", "name", "player", "identical", "published", "now")
        parts = [
            asdict(part) | {"player": part.player or None, "identical": part.identical}
            for part in found.parts
        ]
        out.emit(parts, [Column(key) for key in keys])
        return
    notes, different = _notes(found), found.different()
    if not different:
        out.print(notes)
        return
    out.emit(
        [_in_short(part) for part in found.parts if part.part in different and not part.identical],
        [Column(key) for key in ("part", "name", "published", "now")],
        title=f"{_title(found)}: where it differs",
        notes=notes,
    )


def _in_short(part: checks.Part) -> dict[str, str]:
    """A part for people: a player with their name, the first digits of a hash."""
    published, now = (_HASH.sub(r"\1…", one) for one in (part.published, part.now))
    of = f"{part.name} {part.player}".rstrip()
    return {"part": part.part, "name": of, "published": published, "now": now}


def _title(found: checks.Verification) -> str:
    given = found.manifest
    where = f", entry {given.entry.sequence} ({given.entry.hash})" if given.entry else ""
    return given.publication.name + where


def _notes(found: checks.Verification) -> list[str]:
    """What was compared, what it means, and what makes no difference."""
    from palmares.lists.publication import verify as checks

    different, parts = found.different(), dict.fromkeys(part.part for part in found.parts)
    untold = {*different, *found.explained_otherwise(), "version", "row"}
    alike = ", ".join(part for part in parts if part not in untold)
    other = [part for part in found.parts if part.part in checks.EXPLAINS and not part.identical]
    words = ", ".join(f"{part.part} {part.name}" for part in other if part.part != "version")
    lines = (
        "" if different else f"{_title(found)}: identical.",
        *(f"{MEANS[part]}." for part in different if part in MEANS),
        "These are not the facts that it was made of; they give the same list."
        if different == ["facts"]
        else "",
        "" if "list" in parts else "So the list was not made again.",
        *(
            f"Published with {part.name} {part.published}; this is {part.now}."
            for part in other
            if part.part == "version"
        ),
        words and f"Other words, which compute nothing: {words}.",
        alike and f"Identical: {alike}.",
        f"Not identical: {', '.join(different)}." if different else "",
    )
    return [line for line in lines if line]


# ── publication ──────────────────────────────────────────────────────────────────────────────────


@click.group(cls=Lazy, sections={"Commands": SUBCOMMANDS})
def publication() -> None:
    """The lists that a journal holds, as they were published."""


@command("list")
@in_journal
@printing
def announced(journal: str, out: Output) -> None:
    """Every list that was published, the earliest first.

    \b
    Example:
        palmares publication list --journal federation.db
    """
    from palmares.lists.publication import record

    with opened(journal) as store, store.reading() as reader:
        rows = [asdict(one) for one in record.announced(reader)]
    out.emit(
        rows,
        [
            Column("entry", kind="number"),
            Column("published", kind="date"),
            Column("author"),
            Column("list"),
            Column("last_entry", "made at entry", "number"),
            Column("list_sha256", hidden=True),
            Column("note"),
        ],
        title="Published lists",
    )


@command()
@_ENTRY
@click.option("--top", type=click.IntRange(min=1), help="Only ranks up to this one.")
@in_journal
@printing
def show(entry: int, top: int | None, journal: str, out: Output) -> None:
    """The list that ENTRY published, with the names that may be shown today.

    \b
    Example:
        palmares publication show 57 --journal federation.db
    """
    from palmares.cli.points import columns, rows
    from palmares.lists.publication import record

    with opened(journal) as store, store.reading() as reader:
        found = record.manifest(reader, entry)
        frame = record.listed(found.publication, record.names(reader))
    if top is not None:
        frame = frame.filter(frame["rank"] <= top)
    filed, known = found.entry, found.publication.head
    notes = (
        filed and f"Published as entry {entry} by {filed.author}, {filed.recorded_at}.",
        filed and f"Its hash: {filed.hash}.",
        known and f"Made at entry {known.sequence} ({known.hash}).",
        found.publication.note,
    )
    out.emit(
        rows(frame),
        columns(
            [{"nanopoints": "points"}.get(column, column) for column in frame.columns],
            hidden=("player_id",),
        ),
        title=found.publication.name,
        notes=[note for note in notes if note],
        source=[
            edition_file(f"{found.publication.regulation}/{edition}", held.sha256)
            for edition, held in found.publication.editions.items()
        ],
    )


@command()
@_ENTRY
@in_journal
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write a file.")
def manifest(entry: int, journal: str, output: str | None) -> None:
    """The manifest of the list that ENTRY published, as 'palmares publish' writes it.

    \b
    Example:
        palmares publication manifest 57 --journal federation.db -o list.manifest.json
    """
    from palmares.lists.publication import record
    from palmares.lists.publication.manifest import text

    with opened(journal) as store, store.reading() as reader:
        found = record.manifest(reader, entry)
    print_text([text(found).rstrip("\n")], output)
