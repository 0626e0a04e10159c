"""Before anything is recorded, it is shown; whoever records says yes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from palmares.cli.journal.acting import Acting
from palmares.cli.options import Output, gathered, together, writing
from palmares.cli.sources import warn
from palmares.cli.types import harmless
from palmares.core.errors import Refused
from palmares.render.tables import Column, emit

if TYPE_CHECKING:
    from palmares.core.errors import Problem
    from palmares.journal.commands.transaction import Action, Recorded
    from palmares.journal.store.entries import Entry
    from palmares.journal.store.journal import Journal
    from palmares.lists.impact import Effect
MOST = 20
"""Rows of a table that are shown without --all."""
FEW = 3
"""Warnings of one regulation that are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding(Output):
    """How somebody wants to be asked and told."""

    yes: bool
    all: bool

    def tell(self, text: str) -> None:
        """A line for whoever records; beside points for a program, on standard error."""
        click.echo(text, err=not self.is_printed)


deciding = gathered(
    "deciding",
    Deciding,
    together(
        click.option("--yes", is_flag=True, help="Record without being asked, as scripts do."),
        click.option("--all", is_flag=True, help="Show every row, not only the first ones."),
        writing,
    ),
)
"""The options --yes, --all, --format and --output, as `Deciding`."""


def decided(acting: Acting, action: Action, deciding: Deciding, final: str = "") -> Recorded:
    """Show what an action would record and what it does to points; record it if that is agreed.

    Args:
        acting: the journal, and in whose name.
        action: what to do.
        deciding: whether to ask, and how to print.
        final: what cannot be undone about it, told before the question.

    Returns:
        What was recorded; without entries if nothing had to change.

    Raises:
        Refused: the action refuses, nobody agreed, or nobody is there to ask.
    """
    from palmares.journal.commands.transaction import dry_run, recorded
    from palmares.journal.projection.snapshots import known

    actor = acting.actor
    with acting.opened() as journal:
        start = known(journal)
        if deciding.yes:
            done = recorded(journal, actor, action, start=start)
            try:
                show(journal, done, deciding, "Recorded")
            finally:  # even where a file of points cannot be written
                _tell_numbers(done, deciding)
            return done
        rehearsal = dry_run(journal, actor, action, start=start)
        show(journal, rehearsal, deciding, "To be recorded")
        if not rehearsal.entries:
            return rehearsal
        _ask(final)
        done = recorded(journal, actor, action, start=start, seen=rehearsal)
        _tell_numbers(done, deciding)
        return done


def _tell_numbers(done: Recorded, deciding: Deciding) -> None:
    from palmares.journal.commands.reports import ALIKE

    if not done.entries:
        return
    deciding.tell(f"Recorded as {numbers(done.entries)}.")
    pairs = sum(one.clause == ALIKE for one in done.notices)
    if pairs:
        many = f"{pairs:,} possible duplicate{'s' * (pairs > 1)}"
        deciding.tell(f"{many}. To decide on them: palmares player suggestions -o pairs.xlsx")


def _ask(final: str) -> None:
    """Go on only if somebody says yes."""
    if not sys.stdin.isatty():
        raise Refused("Nothing was recorded: there is nobody to ask. Say --yes to record it.")
    if final:
        click.echo(final, err=True)
    if hasattr(signal, "siginterrupt"):  # Polars lets a read go on after Ctrl-C
        signal.siginterrupt(signal.SIGINT, True)  # noqa: FBT003
    if not click.confirm("Record it?", default=False, err=True):
        raise Refused("Nothing was recorded.")


def numbers(entries: Sequence[Entry]) -> str:
    """``entry 57``, ``entries 57 to 60``."""
    first, last = entries[0].sequence, entries[-1].sequence
    return f"entry {first}" if first == last else f"entries {first} to {last}"


# ── showing ──────────────────────────────────────────────────────────────────────────────────────


def show(journal: Journal, found: Recorded, deciding: Deciding, word: str) -> None:
    """What is recorded, what deserves a look, and whose points are others."""
    from palmares.cli.hints import with_commands
    from palmares.journal.commands.reports import ALIKE
    from palmares.journal.commands.transaction import KNOWN
    from palmares.journal.wording import names_in
    from palmares.lists.impact import effects

    notices = with_commands(found.notices)
    _listed([one for one in notices if one.clause == KNOWN], deciding)
    warn([one for one in found.notices if one.clause not in (KNOWN, ALIKE)])
    if not found.entries:
        deciding.tell("Nothing to record.")
        return
    names = {**found.names, **names_in(found.growth.before), **names_in(found.growth.after)}
    _show_entries(found.entries, names, deciding, word)
    _show_corrections(journal, found.entries, names, deciding)
    _show_alike([one for one in notices if one.clause == ALIKE], deciding)
    told = effects(found.growth)
    if deciding.is_printed:
        for effect in told:
            _show_effect(effect, deciding)
    else:
        _emit(told, deciding)


def _listed(notices: Sequence[Problem], deciding: Deciding) -> None:
    """Notices of one kind, a line each."""
    shown = notices if deciding.all else notices[:MOST]
    for one in shown:
        deciding.tell(f"{one.where}: {one.what}.")
    if len(notices) > len(shown):
        deciding.tell(f"… and {len(notices) - len(shown):,} more of this kind.")


def _show_entries(
    recorded: Sequence[Entry], names: Mapping[str, str], deciding: Deciding, word: str
) -> None:
    """A table of the entries; reports and decisions before the players that came with them."""
    from palmares.journal.wording import counts, said

    order = sorted(recorded, key=lambda one: (one.kind == "player", one.sequence))
    entries = order if deciding.all else order[:MOST]
    rows = [{"kind": one.kind, "subject": one.subject, "what": said(one, names)} for one in entries]
    left = len(order) - len(rows)
    deciding.tell(f"{word}: {counts(recorded)}.\n")
    if deciding.is_printed:
        emit(
            rows,
            [Column("kind"), Column("subject"), Column("what")],
            notes=[f"… and {left:,} more; --all shows them."] if left else [],
        )
        click.echo()


def _show_corrections(
    journal: Journal, recorded: Sequence[Entry], names: Mapping[str, str], deciding: Deciding
) -> None:
    """What is different in reports that replace others."""
    from palmares.journal.commands.versions import differences, shown_as
    from palmares.journal.store.kinds import body_of, tables_of

    new = {body_of(one).replaces: one for one in recorded if one.kind == "report"}
    with journal.reading() as reader:
        old = list(reader.those([one for one in new if one]))
    for one in old if deciding.all else old[:FEW]:
        after = new[one.sequence]
        found = differences(tables_of(one), tables_of(after))
        lines = shown_as(found, (f"entry {one.sequence}", "then"), names)
        deciding.tell("\n".join([f"What is different in {after.subject}:", "", *lines, ""]))


def _show_alike(notices: Sequence[Problem], deciding: Deciding) -> None:
    """New players who may be known ones."""
    if notices:
        _listed(notices, deciding)
        deciding.tell(f"{notices[0].remedy}\n")


_COLUMNS = ("regulation", "tournament_id", "tournament", "player_id", "player",
            "before", "after", "change")  # fmt: skip


def _columns(effect: Effect | None = None) -> list[Column]:
    """The columns of points; for people without those that say the same in every row."""
    hidden = {"regulation", "tournament_id", "player_id"}
    heads = {"before": "until now", "after": "then"}
    if effect is not None:
        frame = effect.frame
        if frame.select("tournament_id", "player").is_duplicated().any():
            hidden -= {"player_id"}
            heads["player_id"] = "id"
        if frame["tournament"].n_unique() == 1 or frame["tournament_id"].null_count():
            hidden |= {"tournament"}
        if frame["before"].null_count() == len(frame):
            hidden |= {"before", "change"}
            heads["after"] = "points"
    points = {"before", "after", "change"}
    return [
        Column(one, heads.get(one, ""), "points" if one in points else "text", one in hidden)
        for one in _COLUMNS
    ]


def _show_effect(effect: Effect, deciding: Deciding) -> None:
    """Whose points are others under one regulation."""
    title = effect.question.held().title
    for one in effect.mended:
        deciding.tell(f"{title}: {one.event} ({one.tournament}) does not wait any more.\n")
    _warn_of_waiting(effect)
    if effect.frame.is_empty():
        return
    warn(effect.notices[:FEW])
    if len(effect.notices) > FEW:
        rest = len(effect.notices) - FEW
        click.echo(f"Warning: … and {rest} more of {effect.question.regulation}.", err=True)
    rows = effect.frame.to_dicts()
    if effect.frame["tournament_id"].n_unique() > 1:
        rows.sort(key=lambda row: -abs(row["change"]))
    shown = rows if deciding.all else rows[:MOST]
    left = len(rows) - len(shown)
    notes = [f"… and {left:,} more; --all shows them."] if left else []
    if effect.counts_otherwise:
        notes.append(
            "Points that stay the same count from another day, or on other lists, than before."
        )
    emit(shown, _columns(effect), title=f"{title}: points", notes=notes)
    click.echo()


def _warn_of_waiting(effect: Effect) -> None:
    """The events that will not be in the lists of a regulation, and why."""
    title = effect.question.held().title
    for one in effect.waits:
        click.echo(harmless(f"Warning: {title}: this event will wait: {one.why}"), err=True)


def _emit(effects: Sequence[Effect], deciding: Deciding) -> None:
    """The points of all regulations as rows for a program."""
    for one in effects:
        warn(one.notices)
        _warn_of_waiting(one)
    rows = [row for one in effects for row in one.frame.to_dicts()]
    deciding.emit(rows, _columns())
