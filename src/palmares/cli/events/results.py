"""Results of an event: entered, corrected, withdrawals, rounds of a Swiss, lots, names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from palmares.cli.app import command
from palmares.cli.events.running import (
    author_option,
    event_argument,
    player_pair,
    print_next,
    record,
    running_event,
    store_of,
)
from palmares.cli.options import in_journal, together, yes_option
from palmares.cli.sources import encoding, warn
from palmares.cli.terminal import ask, count_of
from palmares.core.errors import FactsRejected, Location

if TYPE_CHECKING:
    from palmares.tournaments.running import ManualChange, Running
    from palmares.tournaments.typed_results import TypedResult


_reason = click.option("--reason", required=True, help="Why; anyone can read it.")
_ALONE = ("double_no_show", "open")
"""Ways to end without a winner."""
_HOW = ("played", "walkover", "retired", "double_no_show")


_result_options = together(
    click.option("--score", default="", metavar="POINTS", help="The winner's first, such as 11-7."),
    click.option("--length", default="", metavar="POINTS", help="If not that of the flight."),
    click.option("--table", default="", metavar="NAME", help="Where it was played."),
)
"""The options that say how a match ended."""
_how_option = click.option(
    "--how", type=click.Choice(_HOW), default="played",
    help="walkover: the opponent did not appear; retired: gave up during the match;"
    " double_no_show: neither player appeared, no WINNER.",
)  # fmt: skip


@command()
@event_argument
@click.argument("match")
@click.argument("winner", required=False)
@_result_options
@_how_option
@in_journal
@author_option
def result(
    event_id: str, match: str, winner: str | None, journal: str, author: str, **texts: str
) -> None:
    """Enter that WINNER won MATCH of EVENT.

    \b
    Examples:
        palmares event result club-night main:1:1 "Ada Novak" --journal federation.db
        palmares event result club-night main:1:2 ben --score 7-3 --table 4
        palmares event result club-night main:1:3 --how double_no_show
    """
    from palmares.tournaments import running as events
    from palmares.tournaments.typed_results import read_result

    typed = _typed_result(match, winner, **texts)
    match = typed.match
    done, running = record(
        journal,
        event_id,
        author,
        lambda running: events.result(running, match, read_result(running, typed)),
    )
    outcome = running.match(match).outcome
    already = "" if done else " It was recorded already."
    click.echo(f"{match}: {events.describe(running, outcome) if outcome else ''}.{already}")
    print_next(running)


def _typed_result(match: str, winner: str | None, how: str, **texts: str) -> TypedResult:
    """What was typed of a result."""
    from palmares.tournaments.typed_results import TypedResult, read_match_id

    given = [f"--{name}" for name, text in texts.items() if text.strip()]
    if how == "open" and given:
        raise click.UsageError(f"With --how open there is no {' or '.join(given)}.")
    if (winner is None) != (how in _ALONE):
        raise click.UsageError(f"Name the WINNER; with --how {' or '.join(_ALONE)} there is none.")
    return TypedResult(read_match_id(match), winner or "", how=how, **texts)


@command()
@event_argument
@click.argument("sheet", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@encoding
@in_journal
@author_option
def enter(event_id: str, sheet: Path, encoding: str | None, journal: str, author: str) -> None:
    """Enter the results in SHEET, CSV or Excel, typed in from a printed bracket.

    Its columns are match, winner, score, how (played, walkover, retired, double_no_show), length,
    table; only the first two are needed. All results are recorded, or none.

    \b
    Example:
        palmares event enter club-night bracket.csv --journal federation.db
    """
    from palmares.tournaments.typed_results import enter_sheet

    rows = _sheet_rows(sheet, encoding)
    done, running = record(journal, event_id, author, lambda running: enter_sheet(running, rows))
    repeated = len(rows) - len(done)
    also = f" {count_of(repeated, 'result')} recorded already." if repeated else ""
    click.echo(f"Recorded {count_of(len(done), 'result')}.{also}")
    print_next(running)


def _sheet_rows(sheet: Path, encoding: str | None) -> list[tuple[Location, TypedResult]]:
    """The results of a sheet, each with its line."""
    from palmares.facts.decoding import ReportTables, content_of
    from palmares.formats.sheets.tables import read_table
    from palmares.tournaments.running import NOTHING_RECORDED
    from palmares.tournaments.typed_results import COLUMNS, TypedResult, read_match_id

    findings = ReportTables(str(sheet))
    content = content_of(sheet, findings)
    table = None if content is None else read_table(
        content, findings, {name: name for name in COLUMNS},
        lambda header: {"match", "winner"} <= header.taken.keys(),
        "event", ",".join(COLUMNS), encoding,
    )  # fmt: skip
    rows = [] if table is None else [
        (Location(str(sheet), line),
         TypedResult(read_match_id(cells.get("match", "")),
                     *(cells.get(column, "").strip() for column in COLUMNS[1:])))
        for line, cells in table.cells(findings, "event")
    ]  # fmt: skip
    if findings.problems:
        raise FactsRejected(findings.problems, so=NOTHING_RECORDED)
    if table is not None and table.header.ignored:
        findings.notice(
            table.line, f"columns that are not read: {', '.join(table.header.ignored)}", "event",
            f"If one matters, name it as one of these: {', '.join(COLUMNS)}.",
        )  # fmt: skip
        warn(findings.notices)
    return rows


# ── corrections ──────────────────────────────────────────────────────────────────────────────────


@command()
@event_argument
@click.argument("match")
@click.argument("winner", required=False)
@_result_options
@click.option(
    "--how", type=click.Choice((*_HOW, "open")), default="played",
    help="As of event result; open: the match has not ended, no WINNER.",
)  # fmt: skip
@_reason
@yes_option
@in_journal
@author_option
def correct(
    *,
    event_id: str,
    match: str,
    winner: str | None,
    how: str,
    reason: str,
    yes: bool,
    journal: str,
    author: str,
    **texts: str,
) -> None:
    """Correct the result of MATCH: what follows is shown, and recorded once you agree.

    \b
    Examples:
        palmares event correct club-night main:1:1 "Ben Ost" --reason "tapped the wrong player"
        palmares event correct club-night main:1:1 --how open --reason "not played yet" --yes
    """
    from palmares.tournaments.running import ResultCorrection
    from palmares.tournaments.typed_results import read_result

    typed = _typed_result(match, winner, how, **texts)
    running = running_event(journal, event_id)
    outcome = None if how == "open" else read_result(running, typed)
    body = ResultCorrection(match=typed.match, outcome=outcome, reason=reason)
    _change(journal, running, body, author=author, yes=yes)


@command()
@event_argument
@click.argument("player")
@click.option("--back", is_flag=True, help="It was a mistake: the player plays again.")
@_reason
@yes_option
@in_journal
@author_option
def withdraw(
    *, event_id: str, player: str, back: bool, reason: str, yes: bool, journal: str, author: str
) -> None:
    """Let PLAYER play no more: their opponents win by walkover.

    \b
    Example:
        palmares event withdraw club-night "Ada Novak" --reason "ill" --journal federation.db
    """
    from palmares.tournaments.running import PlayerWithdrawal, Return

    running = running_event(journal, event_id)
    body = (Return if back else PlayerWithdrawal)(player=running.player(player), reason=reason)
    _change(journal, running, body, author=author, yes=yes)


def _change(journal: str, running: Running, body: ManualChange, *, author: str, yes: bool) -> None:
    """Show what follows from a change; record it if the user agrees."""
    from palmares.tournaments import running as events

    events.check_change(running, body)
    for line in _consequences(running, body):
        click.echo(line)
    if not yes:
        ask("Record it?", "Nothing was recorded")
    accepted = events.fingerprint(events.consequences(running, body))
    done, running = record(
        journal, running.setup.event, author, lambda now: events.change(now, body, accepted)
    )
    click.echo("Recorded." if done else "This was so already; nothing was recorded.")
    print_next(running)


def _consequences(running: Running, body: ManualChange) -> Iterator[str]:
    """What follows from a change, a match a line."""
    from palmares.tournaments.running import describe, followers

    then, dropped = followers(running, body)
    if not dropped:
        yield "No other match changes."
    for match_id, outcome in dropped.items():
        before, match = running.match(match_id), then.match(match_id)
        players = " against ".join(player_pair(then, match))
        if match.players == before.players:
            result = describe(then, match.outcome) if match.outcome else "to be played"
            yield f"{match_id}: {players}: {result}."
        else:
            removed = ""
            if outcome:
                removed = f" The result '{describe(running, outcome)}' is removed."
            earlier = " against ".join(player_pair(running, before))
            yield f"{match_id}: {players}, before {earlier}.{removed}"


# ── rounds, names, the report, the chain ─────────────────────────────────────────────────────────


@command()
@event_argument
@in_journal
@author_option
def next_round(event_id: str, journal: str, author: str) -> None:
    """Pair the next round of a Swiss; the pairings are recorded as they were computed.

    \b
    Example:
        palmares event next-round club-swiss --journal federation.db
    """
    from palmares.tournaments.running import pair_round

    number = running_event(journal, event_id).matches[-1].round + 1
    _, running = record(journal, event_id, author, lambda now: pair_round(now, number))
    click.echo(f"Round {number}:")
    for match in running.matches:
        if match.round == number:
            players = " against ".join(running.name(who) or "bye" for who in match.players)
            click.echo(f"  {match.id}: {players}")


@command()
@event_argument
@click.argument("players", metavar="PLAYER...", nargs=-1, required=True)
@in_journal
@author_option
def lot(event_id: str, players: tuple[str, ...], journal: str, author: str) -> None:
    """Record the order that a lot gave the tied players of a group, the first one first.

    \b
    Example:
        palmares event lot club-groups "Ada Novak" "Ben Ost" --journal federation.db
    """
    from palmares.tournaments import running as events

    done, running = record(journal, event_id, author, lambda running: events.lot(running, players))
    click.echo("Recorded." if done else "This was recorded already.")
    print_next(running)


@command()
@event_argument
@click.argument("player")
@click.argument("new_name", metavar="NAME", required=False)
@click.option("--erase", is_flag=True, help="Show the id instead of the name; no NAME.")
@in_journal
def name(*, event_id: str, player: str, new_name: str | None, erase: bool, journal: str) -> None:
    """Show PLAYER of EVENT under the name NAME. Names are not part of the chain.

    \b
    Examples:
        palmares event name club-night 7 "Ada Novák" --journal federation.db
        palmares event name club-night 7 --erase
    """
    from palmares.journal.store.events import rename_entrant
    from palmares.tournaments.running import new_name as checked_name

    if (new_name is None) != erase:
        raise click.UsageError("Give the NAME, or --erase.")
    running = running_event(journal, event_id)
    player_id = running.player(player)
    checked = None if new_name is None else checked_name(running, player_id, new_name)
    rename_entrant(store_of(journal), event_id, player_id, checked)
    click.echo(f"{player_id}: {checked or 'the name was erased'}.")
