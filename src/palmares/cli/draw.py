"""``palmares draw``: announce a draw, make it, check it."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import Lazy, command
from palmares.cli.options import Output, actor, printing, setting, signing
from palmares.cli.sources import opened
from palmares.cli.types import Typed
from palmares.core.errors import Refused
from palmares.core.files import write_secret
from palmares.render.tables import Column, write_whole

if TYPE_CHECKING:
    from palmares.journal.store.entries import Actor
    from palmares.tournaments.draw.announcement import Announced
    from palmares.tournaments.draw.draw import Drawn

SUBCOMMANDS = {  # name: (module and function, one line of help)
    "announce": (
        "palmares.cli.draw:announce",
        "Check an announcement, write it in canonical form, record it.",
    ),
    "secret": ("palmares.cli.draw:secret", "A secret for a draw, and the hash to announce."),
    "run": ("palmares.cli.draw:run", "Make the draw from the randomness that appeared."),
    "check": ("palmares.cli.draw:check", "Repeat a draw: identical, or where not."),
}
COLUMNS = (Column("place", kind="number"), Column("entry"))


def _moment(text: str) -> str:
    from palmares.tournaments.draw.announcement import moment

    moment(text)
    return text


MOMENT = Typed("time", _moment, "{} is no time in UTC, such as 2026-11-20T18:00:00Z.")
_journal = setting("journal", metavar="URL")


@click.group(cls=Lazy, sections={"Commands": SUBCOMMANDS})
def draw() -> None:
    """A draw that anyone can check: announced first, drawn by randomness that no one controls.

    \b
    Example, in order:
        palmares draw announce club-night.toml -o announcement.json
        palmares draw run announcement.json rolled.json --recorded-at TIME --save draw.json
        palmares draw check draw.json
    """


@command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    help="The announcement in canonical form: the file to publish, byte for byte.",
)
@_journal
@signing
def announce(file: str, output: str, journal: str | None, author: str, role: str) -> None:
    """Check the announcement in FILE (TOML or JSON) and write the form that is published.

    Every rule is checked, and the draw is rehearsed. Publish the file that is written, or its hash,
    before the randomness exists. With --journal it is recorded there, with the time; announcing
    again needs 'replaces' and a reason, and hides nothing.

    \b
    Examples:
        palmares draw announce club-night.toml -o announcement.json
        palmares draw announce club-night.toml -o announcement.json --journal federation.db
    """
    from palmares.core.canonical import canonical
    from palmares.tournaments.draw import draw as draws
    from palmares.tournaments.draw.announcement import read
    from palmares.tournaments.draw.draw import choosers

    announced = read(canonical(document(file)).encode(), file)
    draws.check_now(announced, _now)
    recorded_at = _now()
    if journal is not None:
        recorded_at = _record(announced, journal, author, role)
    write_whole(Path(output), announced.text.encode())
    click.echo(f"Announcement hash: {announced.sha256}")
    click.echo(f"{'Recorded' if journal else 'Written'} at: {recorded_at}")
    for sentence in choosers(announced):
        click.echo(sentence)


def document(file: str) -> Any:
    """What a file says, as JSON has it."""
    from palmares.tournaments.draw.announcement import parse_document

    return parse_document(Path(file).read_bytes(), file)


def _now() -> str:
    from palmares.tournaments.draw.announcement import time_text

    return time_text(datetime.now(UTC))


def _record(announced: Announced, journal: str, author: str, role: str) -> str:
    """Record an announcement; when it was recorded."""
    from palmares.journal.commands.announcements import announce as announcing
    from palmares.journal.commands.transaction import record_entries
    from palmares.journal.store.entries import DrawAnnouncement

    content = announced.content
    body = DrawAnnouncement(
        announcement=announced.text,
        sha256=announced.sha256,
        replaces=content.replaces or None,
    )
    with opened(journal) as store:
        record_entries(store, actor(author, role), announcing(content.draw, body))
    return _recorded_at(announced, journal)


def _recorded_at(announced: Announced, journal: str) -> str:
    """When a journal recorded an announcement."""
    from palmares.journal.log import LogQuery, newest_entries
    from palmares.journal.store.entries import body_of

    with opened(journal) as store, store.reading() as reader:
        for entry in newest_entries(reader, LogQuery(kind="draw", subject=announced.content.draw)):
            if body_of(entry).sha256 == announced.sha256:
                return f"{entry.recorded_at[:19]}Z"
    raise Refused(
        f"{journal} has no announcement {announced.sha256}. Record it with 'palmares draw announce"
        " --journal', or name another journal."
    )


@command()
@click.argument("draw_id", metavar="DRAW")
@click.argument("person", metavar="ID")
@click.option(
    "-o", "--output", required=True, type=click.Path(dir_okay=False), help="Where to keep it."
)
def secret(draw_id: str, person: str, output: str) -> None:
    """Make a secret of the person ID for the draw DRAW, and print its commitment.

    Announce the commitment; keep the file to yourself until the draw, then reveal it. A secret
    serves one announcement only.

    \b
    Example:
        palmares draw secret masters-8 ana -o my-secret.txt
    """
    from palmares.tournaments.draw.sources import commitment

    made = secrets.token_hex(32)
    try:
        write_secret(output, made)
    except FileExistsError:
        raise Refused(f"{output} is there already, and stays. Name another file.") from None
    except OSError as error:
        raise Refused(f"{output}: {error.strerror}.") from None
    click.echo(f"Commitment of {person}: {commitment(draw_id, person, made)}")


@command()
@click.argument("announcement", type=click.Path(exists=True, dir_okay=False))
@click.argument("revealed", type=click.Path(exists=True, dir_okay=False))
@click.option("--recorded-at", type=MOMENT, metavar="TIME", help="When it was announced, in UTC.")
@_journal
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    help="Write all of the draw to a file that 'palmares draw check' reads.",
)
@click.option(
    "--record", is_flag=True, help="Record the randomness in --journal: the site shows the draw."
)
@click.option("--explain", is_flag=True, help="Describe each step in words, on standard error.")
@signing
@printing
def run(
    *,
    announcement: str,
    revealed: str,
    recorded_at: str | None,
    journal: str | None,
    save: str | None,
    record: bool,
    explain: bool,
    author: str,
    role: str,
    out: Output,
) -> None:
    """Make the draw that ANNOUNCEMENT and the randomness REVEALED lead to.

    REVEALED is a JSON list with an object for each source, such as [{"numbers": [3, 5]}],
    {"secrets": {"ana": "…"}} or {"signature": "…"}. The time of the announcement is that of its
    entry in --journal, or --recorded-at.

    \b
    Examples:
        palmares draw run announcement.json rolled.json --recorded-at 2026-11-20T18:00:00Z
        palmares draw run announcement.json rolled.json --journal federation.db --record
    """
    from palmares.tournaments.draw import draw as draws
    from palmares.tournaments.draw.announcement import read

    if (recorded_at is None) == (journal is None):
        raise click.UsageError("Say when it was announced: --recorded-at TIME or --journal URL.")
    if record and journal is None:
        raise click.UsageError("--record needs the journal to record in: --journal URL.")
    announced = read(Path(announcement).read_bytes(), announcement)
    since = recorded_at or _recorded_at(announced, journal or "")
    reveals = document(revealed)
    drawn = draws.run(announced.text.encode(), since, reveals, announcement)
    if record:
        _reveal(announced, reveals, str(journal), actor(author, role))
    if save:
        write_whole(Path(save), _draw_file(drawn, since, reveals))
    if explain:
        _tell(drawn)
    rows = [{"place": place, "entry": who} for place, who in enumerate(drawn.places, 1)]
    out.emit(rows, COLUMNS, title=announced.content.event)


def _reveal(announced: Announced, reveals: Any, journal: str, by: Actor) -> None:
    """Record what the sources revealed; warn if that is before they were due."""
    from palmares.core.canonical import canonical
    from palmares.journal.commands.announcements import reveal
    from palmares.journal.commands.transaction import record_entries
    from palmares.journal.store.entries import DrawReveal

    due = max(source.when for source in announced.content.randomness)
    if _now() < due:
        click.echo(f"Warning: this is recorded before {due}, when the randomness is due.", err=True)
    body = DrawReveal(announcement=announced.sha256, randomness=canonical(reveals))
    with opened(journal) as store:
        done = record_entries(store, by, reveal(announced.content.draw, body))
    for entry in done.entries:
        click.echo(f"Recorded as entry {entry.sequence}: {announced.content.draw}.", err=True)


def _draw_file(drawn: Drawn, recorded_at: str, reveals: Sequence[Any]) -> bytes:
    """Everything about a draw, as its specification's vectors have it."""
    from palmares.tournaments.draw.draw import result

    whole = {
        "recorded_at": recorded_at,
        "announcement": json.loads(drawn.announced.text),
        "randomness": reveals,
        "seed_text": drawn.seed.text,
        "result": result(drawn),
    }
    return (json.dumps(whole, ensure_ascii=False, indent=1) + "\n").encode()


def _tell(drawn: Drawn) -> None:
    from palmares.tournaments.draw.draw import choosers, explanation

    for sentence in (*choosers(drawn.announced), *explanation(drawn)):
        click.echo(sentence, err=True)


@command()
@click.argument("file", metavar="DRAW", type=click.Path(exists=True, dir_okay=False))
@click.option("--explain", is_flag=True, help="Describe each step in words, on standard error.")
def check(file: str, *, explain: bool) -> None:
    """Repeat the draw in the file DRAW and compare: identical, or what is different.

    The file is one that 'palmares draw run --save' wrote, or that a site published. Exit status 1
    where anything is different.

    \b
    Example:
        palmares draw check draw.json
    """
    from palmares.core.canonical import canonical
    from palmares.tournaments.draw import draw as draws

    given = document(file)
    missing = [key for key in ("recorded_at", "announcement", "randomness", "result")
               if not isinstance(given, dict) or key not in given]  # fmt: skip
    if missing:
        raise Refused(f"{file}: no {missing[0]}. It is no file that 'palmares draw run' wrote.")
    content = canonical(given["announcement"]).encode()
    recorded_at = str(given["recorded_at"])
    try:
        _moment(recorded_at)
    except ValueError as error:
        raise Refused(f"{file}: recorded_at: {error}.") from None
    drawn = draws.run(content, recorded_at, given["randomness"], file)
    ours = draws.result(drawn)
    if explain:
        _tell(drawn)
    theirs = given["result"] if isinstance(given["result"], dict) else {}
    other = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
    if given.get("seed_text", drawn.seed.text) != drawn.seed.text:
        other.insert(0, "seed_text")
    if not other:
        click.echo(f"Identical: {len(drawn.places)} places, announcement {ours['announcement']}.")
        return
    click.echo(f"Different: {', '.join(other)}.")
    for place, (our, their) in enumerate(zip(drawn.places, theirs.get("places") or ()), 1):  # noqa: B905
        if our != their:
            click.echo(f"  place {place}: {our or 'bye'}, and not {their or 'bye'}")
    sys.exit(1)
