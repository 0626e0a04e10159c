"""publish, verify: lists that are announced, and whether they are still what they were."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.journal.acting import Signed, signing
from palmares.cli.options import (
    Asked,
    Output,
    Selected,
    asking,
    gathered,
    printing,
    selecting,
    today,
    together,
)
from palmares.cli.points import emit_list
from palmares.cli.sources import Source, encoding, from_journal, warn, warn_of_waiting
from palmares.core.errors import Refused
from palmares.render.tables import Column, write_whole

if TYPE_CHECKING:
    from palmares.cli.journal.acting import Acting
    from palmares.journal.projection.project import Projection
    from palmares.lists.publication import Made, Publication
    from palmares.lists.publication.manifest import Manifest
    from palmares.lists.publication.verify import Part, Verification
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcing:
    """How a list shall be announced."""

    manifest: str | None
    note: str | None
    with_waiting_events: bool
    yes: bool


announcing = gathered(
    "wanted",
    Announcing,
    together(
        click.option(
            "--manifest",
            type=click.Path(dir_okay=False),
            help="The manifest (default: named after the list: wbgf-2005-12-31.manifest.json).",
        ),
        click.option("--note", metavar="TEXT", help="A word on it, kept for good: write no names."),
        click.option(
            "--with-waiting-events",
            is_flag=True,
            help="Publish even if events wait, and are missing in the list.",
        ),
        click.option("--yes", is_flag=True, help="Record without being asked, as scripts do."),
    ),
)


@click.command()
@asking
@selecting
@click.option("--by", type=click.Choice(["player", "nation"]), default="player", show_default=True)
@click.option("--nation", metavar="CODE", help="Only players of this nation, such as GER.")
@announcing
@signing
@printing
def publish(
    asked: Asked,
    selected: Selected,
    by: str,
    nation: str | None,
    wanted: Announcing,
    signed: Signed,
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
    from palmares.lists import publication as publications
    from palmares.lists.publication.manifest import Manifest
    from palmares.points.rankings import refuse_nonsense

    question, chosen = asked.question(), selected.selection(nation)
    refuse_nonsense(question, chosen, by)
    listing = publications.named(question, publications.Asked.of(chosen, by))
    place = Path(wanted.manifest or publications.filed(listing) + SUFFIX)
    journal = asked.journal
    if journal is not None:
        _refuse_another(place)
        if not wanted.yes and not sys.stdin.isatty():
            raise Refused("Nothing was published: there is nobody to ask. Say --yes to publish.")
    known = asked.projection()
    given = _made(asked, known, chosen, by, wanted)
    said: list[str] = []
    if journal is None:
        found = Manifest(publication=given.publication)
        _refuse_another(place, found)
    else:
        if not wanted.yes:
            _agreed(given, out)
        found, done = _recorded(given.publication, signed.at(journal), known)
        said.append(done)
    said.append(_written(found, place))
    try:
        if journal is None or wanted.yes or out.output is not None:
            emit_list(given.ranking, out)
        sys.stdout.flush()
    finally:
        for one in said:
            click.echo(one, err=True)


def _made(
    asked: Asked, known: Projection | None, chosen: Selection, by: str, wanted: Announcing
) -> Made:
    """The list, and what whoever publishes it should know."""
    from palmares.lists.publication import doubts, made

    given = made(
        asked.question(),
        asked.facts() if known is None else known.facts,
        chosen,
        by=by,
        known=None if known is None else known.state.head,
        note=wanted.note,
        with_waiting_events=wanted.with_waiting_events,
    )
    warn((*doubts(given.publication, today()), *given.ranking.notices, *given.ranking.empty))
    warn_of_waiting(given.ranking.waiting)
    return given


def _agreed(given: Made, out: Output) -> None:
    """Show the list, and go on only if somebody says yes."""
    if out.output is None:
        emit_list(given.ranking, out)
    known = given.publication.known.sequence if given.publication.known else 0
    what = f"{given.publication.name}, made at entry {known}."
    if not click.confirm(f"{what} Publish it, for good?", default=False, err=True):
        raise Refused("Nothing was published.")


def _recorded(
    publication: Publication, acting: Acting, known: Projection | None
) -> tuple[Manifest, str]:
    """The manifest of the list, recorded unless it is there already; and what to say of it."""
    from palmares.lists.publication.record import published

    with acting.opened() as held:
        found, new = published(held, publication, acting.actor, known)
    filed = found.filed()
    said = (
        f"published as entry {filed.sequence} ({filed.hash})"
        if new
        else f"this list is published already, as entry {filed.sequence}"
    )
    return found, f"{filed.subject}: {said}."


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


@click.command()
@click.argument("file")
@click.argument("path", nargs=-1, type=click.Path())
@from_journal
@encoding
@printing
def verify(
    file: str,
    path: tuple[str, ...],
    journal: str | None,
    encoding: str | None,
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
    from palmares.lists.publication import verify as checks
    from palmares.lists.publication.manifest import read_file
    from palmares.lists.publication.record import manifest as recorded

    number = _NUMBER.fullmatch(file)
    source = Source(path=path, journal=journal, encoding=encoding)
    if source.journal is None:
        if number:
            raise click.UsageError(f"{file} is an entry of a journal: name it with --journal.")
        facts = source.read()
        warn(facts.notices)
        found = checks.with_facts(read_file(file), facts)
    else:
        with source.opened() as held, held.reading() as reader:
            given = recorded(reader, int(number[1])) if number else read_file(file)
            found = checks.in_journal(given, reader)
    _tell(found, out)
    if not found.identical:
        raise click.exceptions.Exit(1)


def _tell(found: Verification, out: Output) -> None:
    """For people only what differs; for programs every part."""
    chosen = out.kind
    if chosen != "table":
        keys = ("part", "of", "player", "identical", "published", "now")
        out.emit([_values(one) for one in found.parts], [Column(key) for key in keys])  # fmt: skip
        return
    notes = list(_notes(found))
    if found.identical:
        out.print(notes)
        return
    out.emit(
        [
            _in_short(one)
            for one in found.parts
            if one.part in found.different() and not one.identical
        ],
        [Column(key) for key in ("part", "of", "published", "now")],
        title=f"{_title(found)}: where it differs",
        notes=notes,
    )


def _values(part: Part) -> dict[str, Any]:
    """A part for programs."""
    return {**asdict(part), "player": part.player or None, "identical": part.identical}


def _in_short(part: Part) -> dict[str, str]:
    """A part for people: a player with their name, the first digits of a hash."""
    published, now = (_HASH.sub(r"\1…", one) for one in (part.published, part.now))
    of = f"{part.of} {part.player}".rstrip()
    return {"part": part.part, "of": of, "published": published, "now": now}


def _title(found: Verification) -> str:
    given = found.manifest
    where = f", entry {given.entry.sequence} ({given.entry.hash})" if given.entry else ""
    return given.publication.name + where


def _notes(found: Verification) -> list[str]:
    """What was compared, what it means, and what makes no difference."""
    from palmares.lists.publication.verify import EXPLAINS

    different = found.different()
    untold = {*different, *found.explained_otherwise(), "version", "row"}
    alike = [one for one in dict.fromkeys(part.part for part in found.parts) if one not in untold]
    lines = [] if different else [f"{_title(found)}: identical."]
    lines += [f"{MEANS[one]}." for one in different if one in MEANS]
    if different == ["facts"]:
        lines.append("These are not the facts that it was made of; they give the same list.")
    if "list" not in {one.part for one in found.parts}:
        lines.append("So the list was not made again.")
    other = [one for one in found.parts if one.part in EXPLAINS and not one.identical]
    lines += [
        f"Published with {one.of} {one.published}; this is {one.now}."
        for one in other
        if one.part == "version"
    ]
    words = [f"{one.part} {one.of}" for one in other if one.part != "version"]
    lines += [f"Other words, which compute nothing: {', '.join(words)}."] if words else []
    lines += [f"Identical: {', '.join(alike)}."] if alike else []
    lines += [f"Not identical: {', '.join(different)}."] if different else []
    return lines
