"""player, member: find players, review possible duplicates, list members."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import date
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import DAY, LazyGroup, command
from palmares.cli.journal.confirm import RecordingOutput, confirm_and_record, recording
from palmares.cli.options import Output, acting, in_journal, printing
from palmares.cli.sources import encoding, known_at, opened, projection_of
from palmares.core.errors import FactsRejected, Location, Refused, brief
from palmares.core.messages import msg
from palmares.core.toml import content_of
from palmares.journal.store.entries import Actor
from palmares.render.tables import OutputColumn, restored

if TYPE_CHECKING:
    from palmares.journal.commands.players import DecidedPair
    from palmares.journal.identity import duplicates
    from palmares.journal.identity.register import PlayedTournament, Register

MOST_PAIRS = 20
"""Pairs that are printed without --limit; a file has all of them."""
MOST_TOURNAMENTS = 5
"""Tournaments that are named of each player."""
PAIRS = (
    OutputColumn("decision", optional=True),  # to be filled in in a file
    OutputColumn("score", kind="number"),
    OutputColumn("player_id", "id"),
    OutputColumn("player"),
    OutputColumn("last", "last played", "date", priority=2),
    OutputColumn("tournaments", hidden=True),
    OutputColumn("other_id", "id"),
    OutputColumn("other"),
    OutputColumn("other_last", "last played", "date", priority=2),
    OutputColumn("other_tournaments", hidden=True),
    OutputColumn("why"),
)
OF_PLAYERS = {
    "find": ("journal.players:find", "Find a player by id, name or part of it."),
    "suggestions": (
        "journal.players:suggestions",
        "List possible duplicates.",
    ),
    "review": (
        "journal.players:review",
        "Record the decisions on them from a file.",
    ),
    "merge": ("journal.decisions:merge", "Merge two records of one player."),
    "apart": ("journal.decisions:apart", "Keep two players with similar names apart."),
    "split": ("journal.decisions:split", "Undo a merge, or say who else played."),
    "add": ("journal.decisions:add_player", "Add a player who is in no report yet."),
    "edit": (
        "journal.decisions:edit",
        "Change name, nation or ids; withhold a name.",
    ),
}
OF_MEMBERS = {
    "add": ("journal.decisions:add_member", "Add a membership."),
    "end": ("journal.decisions:end_member", "End a membership."),
    "list": ("journal.players:members", "List the members."),
}


@click.group(cls=LazyGroup, sections={"Commands": OF_PLAYERS})
def player() -> None:
    """Find, merge, split and edit the players of a journal.

    PLAYER is an id, or a name that is exactly one player's: "Ada Novak", "Ada Novak (CZE)".
    """


@contextmanager
def open_register(journal: str, known_at: str | None = None) -> Iterator[Register]:
    """The players of a journal, while it is open."""
    from palmares.journal.identity.register import Register
    from palmares.journal.projection.snapshots import load_projection

    with opened(journal) as store:
        projection = load_projection(store, known_at)
        with store.reading() as reader:
            yield Register.of(projection, reader)


@command()
@click.argument("text")
@in_journal
@known_at
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True, help="Rows.")
@printing
def find(
    text: str,
    journal: str,
    known_at: str | None,
    limit: int,
    out: Output,
) -> None:
    """Find players by id, by id elsewhere, by name or part of a name.

    \b
    Examples:
        palmares player find "Ada Novak" --journal federation.db
        palmares player find nova
        palmares player find usbgf=12345
    """
    from palmares.facts.text import printable
    from palmares.journal.identity.register import search_players

    if not text.strip():
        raise click.UsageError("Write an id, a name, or part of a name.")
    with open_register(journal, known_at) as register:
        players = search_players(register, text, limit)
    if not players:
        raise Refused(f"No player has an id or a name like {printable(text)}.")
    rows = [
        asdict(player)
        | {
            "name": player.name + " (withheld)" * (player.withheld and player.name != "(erased)"),
            "ids": ", ".join(f"{scheme}={value}" for scheme, value in sorted(player.ids.items())),
            "memberships": "; ".join(player.memberships),
            "merged": ", ".join(player.merged),
        }
        for player in players
    ]
    columns = (
        OutputColumn("player_id", "id"),
        OutputColumn("name"),
        OutputColumn("nation"),
        OutputColumn("ids", "ids elsewhere", optional=True),
        OutputColumn("tournaments", kind="number"),
        OutputColumn("first_day", kind="date"),
        OutputColumn("last_day", kind="date"),
        OutputColumn("memberships", optional=True),
        OutputColumn("merged", "merged from", optional=True),
        OutputColumn("by", "found by"),
    )
    out.emit(rows, columns)


# ── possible duplicates ───────────────────────────────────────────────────────────────────────────


@command()
@in_journal
@click.option(
    "--min-score",
    "least",
    type=click.IntRange(0, 100),
    metavar="SCORE",
    help="Only pairs at least this similar, from 0 to 100 (default: 85).",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Rows (default: {MOST_PAIRS}; in a file, all).",
)
@printing
def suggestions(
    journal: str,
    least: int | None,
    limit: int | None,
    out: Output,
) -> None:
    """List pairs of players who may be the same person, why, and how to decide.

    With -o FILE, fill in its column 'decision' (same, different or later) and record it with
    'palmares player review FILE'. A pair that was merged or kept apart is not shown again,
    unless that is undone. Two players of the same event are never a pair.

    \b
    Examples:
        palmares player suggestions --min-score 90 --journal federation.db
        palmares player suggestions -o pairs.xlsx --journal federation.db
    """
    from palmares.journal.identity import duplicates

    with open_register(journal) as register:
        pairs = duplicates.suggestions(register, duplicates.MIN_SCORE if least is None else least)
        rows = _pairs(register, pairs[: limit or (MOST_PAIRS if out.output is None else None)])
    if not rows and out.is_printed:
        click.echo("There are no possible duplicates.")
        return
    notes = [row[command] for row in rows for command in ("merge", "apart")]
    if left := len(pairs) - len(rows):
        notes.append(f"… and {left:,} more pairs; --limit shows them.")
    out.emit(rows, PAIRS, notes=notes if out.output is None else ())


def _pairs(
    register: Register, pairs: Sequence[duplicates.PossibleDuplicate]
) -> list[dict[str, Any]]:
    """Pairs as rows, the older record first; a merge keeps the older one."""
    played = register.tournaments_of(
        {player for pair in pairs for player in (pair.player, pair.other)}
    )
    rows = []
    for pair in pairs:
        ids = f"{quote(pair.other)} {quote(pair.player)} --reason ..."
        theirs, others = played.get(pair.player, []), played.get(pair.other, [])
        rows.append(
            {
                "decision": "",
                "score": pair.score,
                "player_id": pair.player,
                "player": str(pair.form),
                "last": theirs[-1].day if theirs else None,
                "tournaments": _latest(theirs),
                "other_id": pair.other,
                "other": str(pair.other_form),
                "other_last": others[-1].day if others else None,
                "other_tournaments": _latest(others),
                "why": pair.why,
                "merge": f"palmares player merge {ids}",
                "apart": f"palmares player apart {ids}",
            }
        )
    return rows


def _latest(played: Sequence[PlayedTournament]) -> str:
    """The latest tournaments of a player, and how many more there are."""
    latest = [f"{last.tournament}, {last.day}" for last in reversed(played[-MOST_TOURNAMENTS:])]
    more = len(played) - MOST_TOURNAMENTS
    return "; ".join([*latest, *([f"{more} more"] if more > 0 else [])])


@command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--reason",
    metavar="TEXT",
    help="Why; it is kept (default: reviewed in FILE).",
)
@encoding
@acting
@recording
def review(
    file: str,
    reason: str | None,
    encoding: str | None,
    journal: str,
    actor: Actor,
    out: RecordingOutput,
) -> None:
    """Record what was decided in FILE, which 'palmares player suggestions -o FILE' wrote.

    The column 'decision' of each row says: same (one player; the newer record is merged into the
    older one), different (two players, who are not suggested again), later, or nothing. If the
    players of a row have changed since, the row is named and nothing is recorded.

    \b
    Example:
        palmares player review pairs.xlsx --journal federation.db
    """
    from palmares.facts.text import printable
    from palmares.journal.commands.players import review as reviewed

    pairs = read_pairs(content_of(file), file, encoding)
    why = reason or f"reviewed in {printable(Path(file).name)}"
    confirm_and_record(journal, actor, reviewed(pairs, why), out)


# ── members ───────────────────────────────────────────────────────────────────────────────────────


@click.group(cls=LazyGroup, sections={"Commands": OF_MEMBERS})
def member() -> None:
    """List memberships of federations, add and end them."""


@command("list")
@in_journal
@known_at
@click.option("--federation", metavar="NAME", help="Only the members of this federation.")
@click.option("--on", "day", type=DAY, help="Only the members on this day.")
@printing
def members(
    journal: str,
    known_at: str | None,
    federation: str | None,
    day: date | None,
    out: Output,
) -> None:
    """List who is a member of which federation, from when to when.

    \b
    Example:
        palmares member list --federation usbgf --on 2019-06-01
    """
    import polars as pl

    from palmares.facts.schema import FILE, WITHHELD

    tables = projection_of(journal, known_at).tables
    withheld = pl.col("withheld").fill_null(value=False)
    name = pl.when(withheld).then(pl.lit(WITHHELD)).otherwise("name").alias("player")
    rows = tables["memberships"].join(
        tables["players"].select("player_id", name, "nation"), on="player_id", how="left"
    )
    if federation is not None:
        rows = rows.filter(pl.col("federation").str.to_lowercase() == federation.lower())
    if day is not None:
        still = pl.col("end").is_null() | (pl.col("end") >= day)
        rows = rows.filter((pl.col("start") <= day) & still)
    rows = rows.sort("federation", "player", "player_id", "start").rename({FILE: "stated_in"})
    keys = ("player_id", "player", "nation", "federation", "level", "start", "end", "stated_in")
    days = ("start", "end")
    out.emit(
        rows.to_dicts(),
        [OutputColumn(key, "", "date" if key in days else "text") for key in keys],
        notes=["No membership fits."] if rows.is_empty() else [],
    )


# ── a file of decided pairs ───────────────────────────────────────────────────────────────────────

COLUMNS = ("decision", "player_id", "player", "other_id", "other")
"""The columns that are read; the others are information for the person who decides."""

CLAUSE = "pairs"


def read_pairs(content: bytes, file: str, encoding: str | None = None) -> list[DecidedPair]:
    """Read the pairs of a CSV or Excel file.

    Args:
        content: of the file.
        file: its name, for messages.
        encoding: of a CSV file that is not UTF-8.

    Raises:
        FactsRejected: the file cannot be read, or a decision is unknown; carries every problem.
    """
    from palmares.facts.decoding import ReportTables
    from palmares.facts.text import printable
    from palmares.formats.sheets.headers import bare
    from palmares.formats.sheets.tables import read_table
    from palmares.journal.commands.players import DIFFERENT, LATER, SAME, DecidedPair

    findings = ReportTables(file)
    table = read_table(
        content, findings, {bare(name): name for name in COLUMNS},
        lambda header: header.taken.keys() >= {*COLUMNS}, CLAUSE, ",".join(COLUMNS), encoding,
    )  # fmt: skip
    pairs = []
    for line, row in table.cells(findings, CLAUSE) if table else ():
        cells = {name: restored(row[name]) for name in COLUMNS}
        decision = cells.pop("decision").lower() or LATER
        if decision not in (SAME, DIFFERENT, LATER):
            what = f"'{printable(brief(decision))}' is no decision"
            remedy = "Write same, different or later; an empty cell means later."
            findings.problem(line, what, CLAUSE, remedy)
        elif any(cells.values()) or decision != LATER:
            pairs.append(DecidedPair(where=Location(file, line), decision=decision, **cells))
    if findings.problems:
        raise FactsRejected(findings.problems, so=msg("nothing was recorded"))
    return pairs
