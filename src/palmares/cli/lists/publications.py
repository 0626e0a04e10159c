"""publish, verify, publication: announce lists, and check that they still hold."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palmares.cli.app import ENTRY, ENTRY_OF_JOURNAL, LazyGroup, command
from palmares.cli.options import (
    Output,
    asking,
    gathered,
    in_journal,
    in_race,
    printing,
    ranked_options,
    selecting,
    signing,
    top_option,
    yes_option,
)
from palmares.cli.sources import Source, encoding, every_warning, from_journal, opened, warn
from palmares.cli.terminal import ask, need_terminal
from palmares.core.clock import today
from palmares.core.errors import Refused
from palmares.render.pdf import cited_file
from palmares.render.tables import OutputColumn, print_text, write_atomically

if TYPE_CHECKING:
    from palmares.journal.projection.project import Projection
    from palmares.journal.store.entries import Actor
    from palmares.lists import publication as publications
    from palmares.lists.publication import manifests
    from palmares.points.awards import Question
    from palmares.points.rankings import Selection

SUFFIX = ".manifest.json"
NOTHING = "Nothing was published"
MEANS = {
    "manifest": "The manifest was changed after it was written: its hashes are not of what it says",
    "entry": "The journal does not have this list: it is another journal, or it was cut off",
    "head": "This is not the journal that the list was made from, or its past was changed",
    "chain": "The journal was changed by other means than palmares",
    "edition": "An edition has other numbers, tables or dates, or there is one more",
    "code": "The code of the regulation is another one",
}
_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{52}\b")
SUBCOMMANDS = {  # name: (module and function, one line of help)
    "show": ("lists.publications:show", "Show a list as it was published."),
    "manifest": ("lists.publications:manifest", "Write the manifest of a list again."),
}
_ENTRY = click.argument("entry", metavar="ENTRY", type=ENTRY)


@command()
@asking
@selecting
@ranked_options
@click.option(
    "--manifest",
    type=click.Path(dir_okay=False),
    help="The manifest (default: named after the list: wbgf-2005-12-31.manifest.json).",
)
@click.option(
    "--note", metavar="TEXT", help="A note on the list. It is kept for good: write no names."
)
@click.option(
    "--with-waiting-events",
    is_flag=True,
    help="Publish the list without the events that wait for something.",
)
@yes_option
@signing
@printing
def publish(
    *,
    source: Source,
    question: Question,
    chosen: Selection,
    by: str,
    race: str | None,
    manifest: str | None,
    note: str | None,
    with_waiting_events: bool,
    yes: bool,
    actor: Actor,
    out: Output,
) -> None:
    """Publish the ranking of REGULATION as of a day, so that anyone can recompute it.

    The list is printed, and a manifest is written: the list with the hashes of its facts, editions
    and readings. With --journal, both are also recorded there.

    \b
    Examples:
        palmares publish wbgf examples/backgammon --as-of 2005-12-31
        palmares publish wbgf --journal federation.db --as-of 2005-12-31
    """
    from palmares.lists import publication as publications
    from palmares.points.rankings import refuse_nonsense

    chosen = in_race(race, question, chosen)
    refuse_nonsense(question, chosen, by)
    name = publications.list_name(question, publications.list_selection(chosen, by))
    place = Path(manifest or publications.file_stem(name) + SUFFIX)
    must_confirm = source.journal is not None and not yes
    if must_confirm:
        need_terminal(NOTHING)
    if source.journal is not None:
        _refuse_to_overwrite(place)
    projection = source.projection()
    facts, head = (projection.facts, projection.state.head) if projection else (None, None)
    new = publications.make_publication(
        question, facts or source.facts(), chosen, by=by, head=head, note=note,
        with_waiting_events=with_waiting_events,
    )  # fmt: skip
    warn(publications.publish_warnings(new.publication, today()))
    warn((*new.ranking.notices, *new.ranking.empty), new.ranking.waiting)
    _show_and_record(source, new, projection, place, actor, out, must_confirm=must_confirm)


def _show_and_record(
    source: Source,
    new: publications.NewPublication,
    projection: Projection | None,
    place: Path,
    actor: Actor,
    out: Output,
    *,
    must_confirm: bool,
) -> None:
    """Publish a list that was made, and print it; on a terminal it is shown before the question."""
    from palmares.cli.lists.points import emit_list

    is_shown = must_confirm and out.output is None
    if is_shown:
        emit_list(new.ranking, out)
    if must_confirm and (head := new.publication.head):
        ask(
            f"{new.publication.name}, made at entry {head.sequence}. Publish it, for good?", NOTHING
        )
    lines = _record(source, new.publication, actor, projection, place)
    try:
        if not is_shown:
            emit_list(new.ranking, out)
        sys.stdout.flush()
    finally:
        click.echo("\n".join(lines), err=True)


def _record(
    source: Source,
    given: publications.Publication,
    by: Actor,
    projection: Projection | None,
    place: Path,
) -> list[str]:
    """Write the manifest of a list; before that, record it in the journal that it was made from.

    Returns:
        What was done, in words.
    """
    from palmares.lists.publication import manifests

    if projection is None:
        content = manifests.manifest_text(manifests.Manifest(publication=given)).encode()
        _refuse_to_overwrite(place, content)
        write_atomically(place, content)
        return [f"{place}: written."]
    with source.opened() as journal:
        manifest, is_new = manifests.record_publication(journal, given, by, projection)
    entry = manifest.recorded_entry()
    try:
        write_atomically(place, manifests.manifest_text(manifest).encode())
    except Refused as error:
        raise Refused(
            f"{error} The list is published all the same: 'palmares publication manifest"
            f" {entry.sequence}' writes its manifest."
        ) from None
    done = f"this list is published already, as entry {entry.sequence}"
    if is_new:
        done = f"published as entry {entry.sequence} ({entry.hash})"
    return [f"{place}: written.", f"{entry.subject}: {done}."]


def _refuse_to_overwrite(place: Path, content: bytes | None = None) -> None:
    """Refuse to replace a file that differs: it may be the manifest of an earlier list."""
    try:
        is_another = place.is_file() and place.read_bytes() != content
    except OSError as error:
        raise Refused(
            f"{place}: cannot be read ({error.strerror}). Nothing was published."
        ) from None
    if is_another:
        raise Refused(
            f"{place}: is there already, and no manifest is written over. Nothing was published."
            " Name another file with --manifest, or move this one away."
        )


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
    """Recompute the list of a manifest, and show where the result differs.

    FILE is a manifest, or the number of a publication in the journal, such as '#57'. The list is
    made again from the reports at PATH, or from the entries of the journal that it was made of.
    The exit status is 0 if all is identical, else 1.

    \b
    Examples:
        palmares verify wbgf-2005-12-31.manifest.json examples/backgammon
        palmares verify '#57' --journal federation.db
    """
    from palmares.library import lists

    number = ENTRY_OF_JOURNAL.fullmatch(file)
    if number and source.journal is None:
        raise click.UsageError(f"{file} is an entry of a journal: name it with --journal.")
    facts = None if source.journal else source.read()
    warn(facts.notices if facts else ())
    manifest = int(number[1]) if number else file
    result = lists.verify(manifest, facts, journal=source.journal)
    _report(result, out)
    if not result.identical:
        raise click.exceptions.Exit(1)


def _report(result: manifests.Verification, out: Output) -> None:
    """Print what differs; for programs every part."""
    if out.kind != "table":
        keys = ("part", "name", "player", "identical", "published", "now")
        parts = [
            asdict(part) | {"player": part.player or None, "identical": part.identical}
            for part in result.parts
        ]
        out.emit(parts, [OutputColumn(key) for key in keys])
        return
    different = result.different()
    if not different:
        out.print(_notes(result))
        return
    rows = [
        {
            "part": part.part,
            "name": f"{part.name} {part.player}".rstrip(),
            "published": _HASH.sub(r"\1…", part.published),
            "now": _HASH.sub(r"\1…", part.now),
        }
        for part in result.parts
        if part.part in different and not part.identical
    ]
    title = f"{_title(result)}: where it differs"
    out.emit(rows, list(map(OutputColumn, rows[0])), title=title, notes=_notes(result))


def _title(result: manifests.Verification) -> str:
    given = result.manifest
    where = f", entry {given.entry.sequence} ({given.entry.hash})" if given.entry else ""
    return given.publication.name + where


def _notes(result: manifests.Verification) -> list[str]:
    """What was compared, what a difference means, and which differences change nothing."""
    from palmares.lists.publication import manifests

    different, parts = result.different(), dict.fromkeys(part.part for part in result.parts)
    not_identical = {*different, *result.different(explaining=True), "version", "row"}
    identical = ", ".join(part for part in parts if part not in not_identical)
    other = [
        part for part in result.parts if part.part in manifests.EXPLAINS and not part.identical
    ]
    words = ", ".join(f"{part.part} {part.name}" for part in other if part.part != "version")
    lines = (
        "" if different else f"{_title(result)}: identical.",
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
        identical and f"Identical: {identical}.",
        f"Not identical: {', '.join(different)}." if different else "",
    )
    return [line for line in lines if line]


# ── publication ──────────────────────────────────────────────────────────────────────────────────


@click.group(cls=LazyGroup, sections={"Commands": SUBCOMMANDS})
def publication() -> None:
    """Show the official lists of a journal.

    ENTRY is the number of its entry: palmares journal log --kind publication lists them.
    """


@command()
@_ENTRY
@top_option
@in_journal
@printing
def show(entry: int, top: int | None, journal: str, out: Output) -> None:
    """Show the list that ENTRY published, with the names that may be shown today.

    \b
    Example:
        palmares publication show 57 --journal federation.db
    """
    from palmares.cli.lists.points import columns, rows
    from palmares.lists.publication import manifests

    with opened(journal) as store, store.reading() as reader:
        manifest = manifests.manifest_of_entry(reader.entry(entry))
        frame = manifests.list_with_names(manifest.publication, manifests.names_today(reader))
    given, filed = manifest.publication, manifest.recorded_entry()
    if top is not None:
        frame = frame.filter(frame["rank"] <= top)
    notes = (
        f"Published as entry {entry} by {filed.author}, {filed.recorded_at}.",
        f"Its hash: {filed.hash}.",
        given.head and f"Made at entry {given.head.sequence} ({given.head.hash}).",
        given.note,
    )
    frame = frame.rename({"nanopoints": "points"})
    out.emit(
        rows(frame),
        columns(frame.columns, hidden=("player_id",)),
        title=given.name,
        notes=[note for note in notes if note],
        source=[
            cited_file(f"{given.regulation}/{edition}", file.sha256)
            for edition, file in given.editions.items()
        ],
    )


@command()
@_ENTRY
@in_journal
@click.option("-o", "--output", type=click.Path(dir_okay=False), help="Write a file.")
def manifest(entry: int, journal: str, output: str | None) -> None:
    """Write the manifest of the list that ENTRY published, as 'palmares publish' does.

    \b
    Example:
        palmares publication manifest 57 --journal federation.db -o list.manifest.json
    """
    from palmares.lists.publication import manifests

    with opened(journal) as store, store.reading() as reader:
        content = manifests.manifest_text(manifests.manifest_of_entry(reader.entry(entry)))
    print_text([content.rstrip("\n")], output)
