"""draw, notice: what is announced before an event."""

from __future__ import annotations

import json
import secrets
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import LazyGroup, Typed, command, pattern
from palmares.cli.options import Output, acting, printing, setting, signing
from palmares.cli.sources import opened, warn
from palmares.core.canonical import canonical
from palmares.core.errors import Refused
from palmares.core.files import write_secret
from palmares.core.toml import content_of
from palmares.render.tables import OutputColumn, write_atomically
from palmares.tournaments.draw.announcement import (
    ID_FORM,
    Announced,
    moment,
    parse_document,
    time_text,
)
from palmares.tournaments.draw.announcement import (
    read as read_announcement,
)
from palmares.tournaments.draw.sources import commitment
from palmares.tournaments.notice import Stated
from palmares.tournaments.notice import read as read_notice

if TYPE_CHECKING:
    from palmares.journal.store.entries import Actor


OF_DRAWS = {  # name: (module and function, one line of help)
    "announce": (
        "events.announcements:announce",
        "Check an announcement, write it, record it.",
    ),
    "secret": (
        "events.announcements:secret",
        "Make a secret for a draw, and the hash to announce.",
    ),
    "run": ("events.announcements:run", "Make the draw, from published randomness."),
    "check": ("events.announcements:check_draw", "Repeat a draw and compare."),
}
COLUMNS = (OutputColumn("place", kind="number"), OutputColumn("entry"))


def _moment(text: str) -> str:
    moment(text)
    return text


MOMENT = Typed("time", _moment, "{} is no time in UTC, such as 2026-11-20T18:00:00Z.")
ANNOUNCED_ID = Typed(
    "id",
    pattern(f"({ID_FORM})", str),
    "{} is no id: letters, digits, points and hyphens, no spaces, at most 64.",
)
_journal = setting("journal", metavar="URL")


@click.group(cls=LazyGroup, sections={"Commands": OF_DRAWS})
def draw() -> None:
    """Make a draw that anyone can check: announced first, drawn from public randomness.

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
    help="Where to write the announcement, the file to publish.",
)
@_journal
@signing
def announce(file: str, output: str, journal: str | None, actor: Actor) -> None:
    """Check the announcement in FILE (TOML or JSON) and write the form that is published.

    Every rule is checked, and the draw is rehearsed. Publish the file that is written, or its hash,
    before the randomness exists. With --journal it is recorded there, with the time; announcing
    again needs 'replaces' and a reason, and hides nothing.

    \b
    Examples:
        palmares draw announce club-night.toml -o announcement.json
        palmares draw announce club-night.toml -o announcement.json --journal federation.db
    """
    from palmares.journal.commands import announcements
    from palmares.journal.commands.transaction import record_entries
    from palmares.tournaments.draw import draw as draws

    announced = read_announcement(canonical(document(file)).encode(), file)
    draws.check_now(announced, _now)
    done = f"Written at: {_now()}"
    if journal is not None:
        content = announced.content
        action = announcements.announce(
            content.draw, announced.text, announced.sha256, content.replaces or None
        )
        with opened(journal) as store:
            record_entries(store, actor, action)
        done = f"Recorded at: {_recorded_at(announced, journal)}"
    write_atomically(Path(output), announced.text.encode())
    click.echo(f"Announcement hash: {announced.sha256}\n{done}")
    for sentence in draws.choosers(announced):
        click.echo(sentence)


def document(file: str) -> Any:
    """The content of a TOML or JSON file, as JSON."""
    return parse_document(Path(file).read_bytes(), file).values


def _now() -> str:
    return time_text(datetime.now(UTC))


def _recorded_at(announced: Announced, journal: str) -> str:
    """The time at which a journal recorded an announcement."""
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
@click.argument("draw_id", metavar="DRAW", type=ANNOUNCED_ID)
@click.argument("person", metavar="ID", type=ANNOUNCED_ID)
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False),
    help="Where to write the secret.",
)
def secret(draw_id: str, person: str, output: str) -> None:
    """Make a secret of the person ID for the draw DRAW, and print its commitment.

    Announce the commitment; keep the file to yourself until the draw, then reveal it. A secret
    serves one announcement only.

    \b
    Example:
        palmares draw secret masters-8 ana -o my-secret.txt
    """
    value = secrets.token_hex(32)
    try:
        write_secret(output, value)
    except FileExistsError:
        raise Refused(f"{output} exists already. Name another file.") from None
    except OSError as error:
        why = f"{output}: cannot be written ({error.strerror}). Name another file."
        raise Refused(why) from None
    click.echo(f"Commitment of {person}: {commitment(draw_id, person, value)}")


@command()
@click.argument("announcement", type=click.Path(exists=True, dir_okay=False))
@click.argument("revealed", type=click.Path(exists=True, dir_okay=False))
@click.option("--recorded-at", type=MOMENT, metavar="TIME", help="When it was announced, in UTC.")
@_journal
@click.option(
    "--save",
    type=click.Path(dir_okay=False),
    help="Write the whole draw to a file that 'palmares draw check' reads.",
)
@click.option(
    "--record", is_flag=True, help="Record the randomness in --journal: the site shows the draw."
)
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
    actor: Actor,
    out: Output,
) -> None:
    """Make the draw of ANNOUNCEMENT from the randomness in REVEALED.

    REVEALED is a JSON list with an object for each source, such as [{"numbers": [3, 5]}],
    {"secrets": {"ana": "…"}} or {"signature": "…"}. The time of the announcement is that of its
    entry in --journal, or --recorded-at.

    \b
    Examples:
        palmares draw run announcement.json rolled.json --recorded-at 2026-11-20T18:00:00Z
        palmares draw run announcement.json rolled.json --journal federation.db --record
    """
    from palmares.tournaments.draw import draw as draws

    if (recorded_at is None) == (journal is None):
        raise click.UsageError("Say when it was announced: --recorded-at TIME or --journal URL.")
    if record and journal is None:
        raise click.UsageError("--record needs the journal to record in: --journal URL.")
    announced = read_announcement(Path(announcement).read_bytes(), announcement)
    since = recorded_at or _recorded_at(announced, journal or "")
    reveals = document(revealed)
    drawn = draws.run(announced.text.encode(), since, reveals, announcement)
    if record:
        _reveal(announced, reveals, str(journal), actor)
    if save:
        content = {  # as the vectors of the specification
            "recorded_at": since,
            "announcement": json.loads(announced.text),
            "randomness": reveals,
            "seed_text": drawn.seed.text,
            "result": draws.result(drawn),
        }
        text = json.dumps(content, ensure_ascii=False, indent=1)
        write_atomically(Path(save), f"{text}\n".encode())
    rows = [{"place": place, "entry": who} for place, who in enumerate(drawn.places, 1)]
    out.emit(rows, COLUMNS, title=announced.content.event)


def _reveal(announced: Announced, reveals: Any, journal: str, by: Actor) -> None:
    """Record what the sources revealed; warn if that is before they were due."""
    from palmares.journal.commands.announcements import reveal
    from palmares.journal.commands.transaction import record_entries

    due = max(source.when for source in announced.content.randomness)
    if _now() < due:
        click.echo(f"Warning: this is recorded before {due}, when the randomness is due.", err=True)
    with opened(journal) as store:
        action = reveal(announced.content.draw, announced.sha256, reveals)
        done = record_entries(store, by, action)
    for entry in done.entries:
        click.echo(f"Recorded as entry {entry.sequence}: {announced.content.draw}.", err=True)


@command("check")
@click.argument("file", metavar="DRAW", type=click.Path(exists=True, dir_okay=False))
@click.option("--explain", is_flag=True, help="Describe each step in words, on standard error.")
def check_draw(file: str, *, explain: bool) -> None:
    """Repeat the draw in the file DRAW, and show what is different.

    The file is one that 'palmares draw run --save' wrote, or that a site published. Exit status 1
    where anything is different.

    \b
    Example:
        palmares draw check draw.json
    """
    from palmares.tournaments.draw import draw as draws

    given = document(file)
    missing = [key for key in ("recorded_at", "announcement", "randomness", "result")
               if not isinstance(given, dict) or key not in given]  # fmt: skip
    if missing:
        raise Refused(
            f"{file}: no {missing[0]}. It is no file that 'palmares draw run --save' wrote."
        )
    content = canonical(given["announcement"]).encode()
    recorded_at = str(given["recorded_at"])
    try:
        _moment(recorded_at)
    except ValueError as error:
        raise Refused(f"{file}: recorded_at: {error}.") from None
    drawn = draws.run(content, recorded_at, given["randomness"], file)
    ours = draws.result(drawn)
    if explain:
        for sentence in (*draws.choosers(drawn.announced), *draws.explanation(drawn, {})):
            click.echo(sentence, err=True)
    theirs = given["result"] if isinstance(given["result"], dict) else {}
    other = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
    if given.get("seed_text", drawn.seed.text) != drawn.seed.text:
        other.insert(0, "seed_text")
    if not other:
        click.echo(f"Identical: {len(drawn.places)} places, announcement {ours['announcement']}.")
        return
    click.echo(f"Different: {', '.join(other)}.")
    places = theirs.get("places")
    pairs = zip(drawn.places, places if isinstance(places, list) else ())  # noqa: B905
    for place, (our, their) in enumerate(pairs, 1):
        if our != their:
            click.echo(f"  place {place}: {our or 'bye'}, and not {their or 'bye'}")
    sys.exit(1)


OF_NOTICES = {  # name: (module and function, one line of help)
    "check": (
        "events.announcements:check_notice",
        "Check the file of a notice, and see the points at stake.",
    ),
    "record": (
        "events.announcements:record",
        "Publish a notice, or a change of it with a reason.",
    ),
}
STAKES = (
    OutputColumn("regulation"),
    OutputColumn("division"),
    OutputColumn("entrants", kind="number"),
    OutputColumn("flight", priority=2),
    OutputColumn("kind", priority=2),
    OutputColumn("for"),
    OutputColumn("points", kind="points", priority=0),
)
_FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False))


@click.group(cls=LazyGroup, sections={"Commands": OF_NOTICES})
def notice() -> None:
    """Check and publish the notice of an event: format, fees, prizes, the points at stake.

    \b
    Example, in order:
        palmares notice check riga.toml
        palmares notice record riga.toml --journal federation.db
        palmares event prizes riga-open-2027 --journal federation.db
    """


def _read_notice(file: str) -> Stated:
    from palmares.lists.stakes import check_regulations

    stated = read_notice(content_of(file), file)
    check_regulations(stated.notice)
    return stated


@command("check")
@_FILE
@click.option(
    "--entrants",
    type=click.IntRange(2, 512),
    multiple=True,
    help="A number of entrants to show the points of; may be repeated (default: 8, 16, 32, 64).",
)
@printing
def check_notice(file: str, entrants: tuple[int, ...], out: Output) -> None:
    """Check the notice in FILE, and show the points at stake and the rule of the prizes.

    The points are what the regulations award to made-up fields of the event as it is announced.

    \b
    Example:
        palmares notice check riga.toml --entrants 32
    """
    from palmares.lists.stakes import SIZES, stakes
    from palmares.tournaments.prizes import rule_in_words

    stated = _read_notice(file)
    at_stake = stakes(stated.notice, entrants or SIZES)
    for problem in at_stake.problems:
        click.echo(f"Warning: {problem}", err=True)
    notes = [*rule_in_words(stated.notice), f"Hash of the notice: {stated.sha256}"]
    rows = [
        {
            "regulation": row.regulation,
            "division": row.division,
            "entrants": row.entrants,
            "flight": row.flight,
            "kind": row.kind,
            "for": (
                f"a match to {row.length}"
                if row.length
                else f"place {row.first}{f'–{row.last}' * (row.last != row.first)}"
            ),
            "points": row.nanopoints,
        }
        for row in at_stake.rows
    ]
    out.emit(rows, STAKES, title=stated.notice.name, notes=notes)


@command()
@_FILE
@click.option("--reason", default="", help="Why the notice changes; every change needs a reason.")
@acting
def record(file: str, reason: str, journal: str, actor: Actor) -> None:
    """Publish the notice in FILE: record it in --journal, where the site shows it.

    A notice that was recorded stays. A changed one takes its place, with a reason.

    \b
    Example:
        palmares notice record riga.toml --journal federation.db
        palmares notice record riga.toml --journal federation.db --reason "Later start"
    """
    from palmares.journal.commands.announcements import publish_notice
    from palmares.journal.commands.transaction import record_entries

    stated = _read_notice(file)
    event = stated.notice.event
    publishing = publish_notice(event, stated.text, stated.sha256, reason=reason)
    with opened(journal) as store:
        done = record_entries(store, actor, publishing)
    warn(done.notices)
    for entry in done.entries:
        click.echo(f"Recorded as entry {entry.sequence}: notice of {event} {stated.sha256[:12]}.")
