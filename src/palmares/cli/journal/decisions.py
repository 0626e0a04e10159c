"""Commands that record: reports, rates and the decisions of `catalogue.DECISIONS`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from palmares.cli.app import (
    CELL,
    DAY,
    ENTRY,
    Typed,
    command,
    complete_awarding,
    complete_players,
    pair,
    to_mapping,
    typed,
)
from palmares.cli.hints import with_commands
from palmares.cli.journal.confirm import (
    RecordingOutput,
    confirm_and_record,
    decision_command,
    recording,
)
from palmares.cli.options import acting, reason_option
from palmares.cli.sources import encoding, opened
from palmares.cli.terminal import count_of, harmless
from palmares.core.errors import FactsRejected, Location, Problem
from palmares.journal.store.entries import Actor
from palmares.render.tables import OutputColumn

if TYPE_CHECKING:
    from palmares.facts import Facts
    from palmares.formats.load import FileRead
    from palmares.journal.commands.reports import Unseen
    from palmares.journal.commands.transaction import Action


# ── reports and rates ────────────────────────────────────────────────────────────────────────────

WHO = Typed(
    "name=id",
    partial(pair, last=True, empty=False),
    "{} names no player; write it like 'Ada Novak (CZE)=P17'.",
)


@command()
@click.argument("path", nargs=-1, required=True, type=click.Path())
@acting
@click.option(
    "--replaces",
    type=ENTRY,
    multiple=True,
    metavar="ENTRY",
    help="The entry that this report replaces; may be repeated.",
)
@click.option(
    "--key",
    metavar="KEY",
    help="A key of your program: sent again with it, nothing is recorded twice.",
)
@click.option(
    "--is",
    "chosen",
    type=WHO,
    multiple=True,
    metavar="NAME=ID",
    help="The player whom a name means: an id, or 'new'; may be repeated.",
)
@click.option(
    "--skip-broken",
    is_flag=True,
    help="Record the files that are in order, and list the problems of the others.",
)
@encoding
@recording
def add(
    path: tuple[str, ...],
    journal: str,
    actor: Actor,
    replaces: tuple[int, ...],
    key: str | None,
    chosen: tuple[tuple[str, str], ...],
    skip_broken: bool,  # noqa: FBT001  a flag of the command line
    encoding: str | None,
    out: RecordingOutput,
) -> None:
    """Record the reports at PATH in a journal; what they award is shown first.

    Reports that the journal has already are skipped. If anything is wrong, nothing is recorded;
    with --skip-broken, the files in order are, and the exit status is 1. With --format csv or json,
    standard output has only the points.

    \b
    Examples:
        palmares add report.toml --journal federation.db
        palmares add season/ --journal federation.db --yes
        palmares add corrected.toml --journal federation.db --replaces 57
        palmares add results/ --journal federation.db --skip-broken
    """
    from palmares.formats.load import files_read, gathered
    from palmares.journal.commands.reports import report

    def reporting(facts: Facts) -> Action:
        return report(facts, replaces=replaces, key=key, chosen=to_mapping(chosen))

    if not skip_broken:
        confirm_and_record(journal, actor, reporting(gathered(*path, encoding=encoding)), out)
        return
    files = files_read(path, encoding)
    facts, problems, recorded = sort_files(journal, actor, files, reporting)
    show_files(files, problems, recorded, out)
    confirm_and_record(journal, actor, reporting(facts), out)
    if problems:
        raise click.exceptions.Exit(1)


@command()
@click.option(
    "--from",
    "file",
    type=click.Path(),
    required=True,
    metavar="FILE",
    help="The European Central Bank's eurofxref-hist.csv, or the .zip of it.",
)
@acting
@recording
def rates(file: str, journal: str, actor: Actor, out: RecordingOutput) -> None:
    """Record the exchange rates that tournaments wait for, from the bank's published file.

    Only the days on which tournaments ended are recorded, each with the day of the bank's rate.

    \b
    Example:
        palmares journal rates --from eurofxref-hist.zip --journal federation.db
    """
    from palmares.facts import rates
    from palmares.journal.commands.decisions import rates_from

    confirm_and_record(journal, actor, rates_from(rates.read_bank(file)), out)


# ── decisions ────────────────────────────────────────────────────────────────────────────────────


def _as_mapping(
    _ctx: click.Context, _param: click.Parameter, value: Sequence[tuple[str, str]]
) -> Mapping[str, str]:
    return to_mapping(value)


def _as_cell(_ctx: click.Context, _param: click.Parameter, value: bool | None) -> str | None:  # noqa: FBT001
    return None if value is None else "yes" if value else "no"


ELSEWHERE = Typed("federation=id", pair, "{} is no id elsewhere; write it like usbgf=12345.")
PLAYER = click.argument("player", shell_complete=complete_players)
TOURNAMENT = click.argument("tournament")
FEDERATION = click.argument("federation")
IDS = click.option(
    "--id",
    "ids",
    type=ELSEWHERE,
    multiple=True,
    callback=_as_mapping,
    metavar="FEDERATION=ID",
    help="Their id in a federation, such as usbgf=12345; may be repeated.",
)


# ── of the journal ───────────────────────────────────────────────────────────────────────────────

undo = decision_command(
    "undo",
    click.argument("entry", type=ENTRY),
    reason_option,
    text="""Cancel ENTRY; the earlier version counts again.

    An undo is an entry too: undo that one, and ENTRY counts again.

    \b
    Example:
        palmares journal undo 57 --reason "wrong file" --journal federation.db
    """,
)

withdraw = decision_command(
    "withdraw",
    TOURNAMENT,
    reason_option,
    text="""Remove the report of TOURNAMENT from every list. You can report it again.

    \b
    Example:
        palmares journal withdraw prague-open-2019-11-15 --reason "not sanctioned"
    """,
)

override = decision_command(
    "override",
    TOURNAMENT,
    click.argument("table"),
    click.option(
        "--row",
        type=CELL,
        multiple=True,
        required=True,
        callback=_as_mapping,
        metavar="COLUMN=VALUE",
        help="A cell of the row to set; together they must fit one row; may be repeated.",
    ),
    click.option(
        "--set",
        "cells",
        type=CELL,
        multiple=True,
        required=True,
        callback=_as_mapping,
        metavar="COLUMN=VALUE",
        help="The new value; without a value, the cell is emptied; may be repeated.",
    ),
    reason_option,
    text="""Set cells in one row of a TABLE of a TOURNAMENT's report.

    It stays in force when the tournament is reported again. Players may be given by name.

    \b
    Examples:
        palmares journal override prague-open-2019-11-15 events \\
            --row name=Main --set entry_fee=120 --reason "as announced"
        palmares journal override prague-open-2019-11-15 placings \\
            --row player_id="Ada Novak" --set rank=2 --set tied=2 --reason "protest upheld"
    """,
)

rate = decision_command(
    "rate",
    click.argument("currency"),
    click.argument("day", metavar="DATE", type=DAY),
    click.argument("eur_per_unit"),
    click.option("--source", default="", metavar="TEXT", help="Where the rate is from."),
    text="""Record what one unit of CURRENCY was worth in euro on DATE.

    \b
    Example:
        palmares journal rate XAF 2019-05-30 0.00152449 --source "our bank"
    """,
)


race = decision_command(
    "race",
    click.argument("file", type=click.Path()),
    text="""Declare the race in FILE (TOML): a ranking by the results of some days or kinds.

    It gets a page of the site. To change it, declare it again.

    \b
    Example:
        palmares journal race race-2019.toml --journal federation.db
    """,
)

levels = decision_command(
    "levels",
    click.argument("regulation", shell_complete=complete_awarding),
    click.argument("file", type=click.Path()),
    text="""Set the recognition levels of REGULATION to those in FILE (TOML).

    The site shows who has reached which level.

    \b
    Example:
        palmares journal levels usbgf levels.toml --journal federation.db
    """,
)

FINAL = """This cannot be undone. The name is deleted; rank, place and points stay, with the id.
Copies, exports and lists made before still have the name."""


erase = decision_command(
    "erase",
    PLAYER,
    reason_option,
    final=FINAL,
    text="""Delete the name of PLAYER for good; rank, place and points stay.

    PLAYER is an id, or a name that is only one player's. The names of merged records are deleted
    too, and so are the texts of decided reports on the site that have the name. The reason is
    kept: do not write the name into it.

    \b
    Example:
        palmares journal erase P17 --reason "asked to be forgotten, 2026-11-02"
    """,
)


# ── of players ───────────────────────────────────────────────────────────────────────────────────

merge = decision_command(
    "merge",
    PLAYER,
    click.argument("into", shell_complete=complete_players),
    reason_option,
    text="""Merge PLAYER into INTO, because they are the same person.

    From now on, the results of PLAYER count for INTO, whose name and nation stay. To undo it:
    palmares player split PLAYER.

    \b
    Example:
        palmares player merge P4 "Ada Novak" --reason "asked her" --journal federation.db
    """,
)

apart = decision_command(
    "apart",
    PLAYER,
    click.argument("other", shell_complete=complete_players),
    reason_option,
    text="""Keep PLAYER and OTHER apart: two players with similar names.

    \b
    Example:
        palmares player apart P1 P4 --reason "mother and daughter" --journal federation.db
    """,
)


split = decision_command(
    "split",
    PLAYER,
    click.option(
        "--tournament", "tournaments", multiple=True, metavar="ID",
        help="A tournament that someone else played; may be repeated. Without it, a merge is"
        " undone.",
    ),
    click.option(
        "--into", metavar="PLAYER", shell_complete=complete_players,
        help="The player who played there (default: a new player).",
    ),
    click.option("--name", metavar="NAME", help="The new player's name, if it is different."),
    click.option("--nation", metavar="CODE", help="The new player's nation, if it is different."),
    reason_option,
    text="""Undo the merge of PLAYER; or, with --tournament, say that someone else played there.

    That someone is a new player, or the one that --into names. It stays so when the tournament is
    reported again.

    \b
    Examples:
        palmares player split P4 --reason "they are sisters" --journal federation.db
        palmares player split P1 --tournament prague-2019 --reason "her namesake played"
    """,
)  # fmt: skip

add_player = decision_command(
    "player",
    click.argument("name"),
    click.option("--nation", metavar="CODE", help="Their nation, such as CZE."),
    click.option("--withheld", is_flag=True, callback=_as_cell, help="Keep the name out of lists."),
    IDS,
    name="add",
    text="""Add a player who is in no report yet; reports with this name will mean them.

    \b
    Example:
        palmares player add "Ada Novak" --nation CZE --id usbgf=12345 --journal federation.db
    """,
)


edit = decision_command(
    "edit",
    PLAYER,
    click.option("--name", metavar="NAME", help="Their name now."),
    click.option("--nation", metavar="CODE", help="Their nation now; empty: none."),
    click.option(
        "--withheld/--shown",
        default=None,
        callback=_as_cell,
        help="Keep the name out of lists, or show it.",
    ),
    IDS,
    text="""Change name, nation or ids of PLAYER. An id without a value is removed: --id usbgf=.

    \b
    Examples:
        palmares player edit P4 --name "Ada Horvat" --nation HRV --journal federation.db
        palmares player edit P4 --withheld
    """,
)


# ── of members ───────────────────────────────────────────────────────────────────────────────────

add_member = decision_command(
    "membership",
    PLAYER,
    FEDERATION,
    click.option("--from", "start", type=DAY, required=True, help="The first day."),
    click.option("--to", "end", type=DAY, help="The last day (default: still a member)."),
    click.option(
        "--level", default="", metavar="WORD", help="The level, in the federation's word."
    ),
    name="add",
    text="""Add a membership of PLAYER in FEDERATION, from a day on.

    PLAYER is an id, or a name that is only one player's. Added again with the same first day,
    it replaces the earlier one.

    \b
    Example:
        palmares member add "Ada Novak" usbgf --from 2019-01-01 --level Premium
    """,
)

end_member = decision_command(
    "ended",
    PLAYER,
    FEDERATION,
    click.option("--to", "day", type=DAY, required=True, help="The last day."),
    name="end",
    text="""End the membership of PLAYER in FEDERATION on a day.

    \b
    Example:
        palmares member end "Ada Novak" usbgf --to 2020-12-31
    """,
)


# ── add --skip-broken: which files the journal can take ───────────────────────────────────────────

COLUMNS = (
    OutputColumn("file", priority=0),
    OutputColumn("form", "read as"),
    OutputColumn("events", kind="number"),
    OutputColumn("placings", kind="number"),
    OutputColumn("matches", kind="number", optional=True),
    OutputColumn("outcome", priority=0),
)


def sort_files(
    journal: str,
    actor: Actor,
    files: Sequence[FileRead],
    reporting: Callable[[Facts], Action],
) -> tuple[Facts, dict[str, list[Problem]], frozenset[str]]:
    """Find the files that a journal can record together; nothing is recorded.

    Args:
        journal: where they are to be recorded.
        actor: in whose name.
        files: what was read.
        reporting: what records the facts of some of them.

    Returns:
        The facts of these files; by path, the problems of every other file; and the tournaments
        that the journal has already.

    Raises:
        FactsRejected: a problem is in none of the files.
        Refused: the journal refuses for another reason.
    """
    from palmares.formats.load import by_file, in_good_order
    from palmares.journal.commands.reports import Unseen
    from palmares.journal.commands.transaction import dry_run
    from palmares.journal.projection.snapshots import load_projection

    good, facts, problems = in_good_order(
        [file for file in files if file.form or file.draft.problems]
    )
    recorded = frozenset[str]()
    with opened(journal) as store:
        start = load_projection(store)
        while good:
            try:
                preview = dry_run(store, actor, reporting(facts), start=start)
            except FactsRejected as error:
                problems |= by_file(error, good)
            except Unseen as error:
                problems |= _unseen(error, good)
            else:
                reported = {entry.subject for entry in preview.entries if entry.kind == "report"}
                recorded = frozenset(facts["tournaments"]["tournament_id"]) - reported
                break
            good, facts, more = in_good_order([file for file in good if file.path not in problems])
            problems |= more
    return facts, problems, recorded


def _unseen(error: Unseen, files: Sequence[FileRead]) -> dict[str, list[Problem]]:
    """The problems of files whose report of a tournament differs from the journal's."""
    from palmares.facts.schema import FILE, LINE
    from palmares.facts.text import printable

    problems: dict[str, list[Problem]] = {}
    for file in files:
        tournaments = file.draft.facts["tournaments"].select("tournament_id", FILE, LINE)
        for tournament, name, line in tournaments.iter_rows():
            if entry := error.entries.get(tournament):
                problem = Problem(
                    at=Location(name, line),
                    what=f"{printable(tournament)} is reported otherwise in entry {entry}",
                    clause="journal reports",
                    remedy=f"See what is different: {typed(['add', file.path])}. If yours is right,"
                    f" add --replaces {entry} to that.",
                )
                problems.setdefault(file.path, []).append(problem)
    return problems


def show_files(
    files: Sequence[FileRead],
    problems: Mapping[str, Sequence[Problem]],
    recorded: Collection[str],
    out: RecordingOutput,
) -> None:
    """Show one table of all files, and below it why some are left out.

    Args:
        files: what was read.
        problems: of the files that are left out, by path.
        recorded: tournaments that the journal has already.
        out: how to print.
    """
    if out.is_printed:
        out.emit(list(_file_rows(files, problems, recorded)), COLUMNS)
    reasons = [
        problem
        for file in files
        for problem in (
            *problems.get(file.path, ()),
            *(() if file.form else file.draft.facts.notices),  # why it is not read
        )
    ]
    for problem in with_commands(reasons):
        out.say(harmless(f"\n{problem}"))
    if problems:
        count = count_of(len(problems), "file")
        out.say(f"\n{count} left out. Correct what is named and add the same path again.")
    click.echo(err=not out.is_printed)


def _file_rows(
    files: Sequence[FileRead],
    problems: Mapping[str, Sequence[Problem]],
    recorded: Collection[str],
) -> Iterator[dict[str, Any]]:
    """A row for each file; a sheet that a report names is below the report."""
    for file in files:
        facts, counts = file.draft.facts, {}
        ids, outcome = set(facts["tournaments"]["tournament_id"]), "not read"
        if file.form:
            counts = {name: facts[name].height for name in ("events", "placings", "matches")}
            counts["matches"] += facts["team_matches"].height
            outcome = "here already" if ids and ids.issubset(recorded) else "in order"
        if file.path in problems:
            outcome = count_of(len(problems[file.path]), "problem")
        yield {"file": file.path, "form": file.form, **counts, "outcome": outcome}
        for part in file.attached:
            yield {"file": part, "outcome": f"part of {Path(file.path).name}"}
