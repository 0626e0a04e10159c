"""Before anything is recorded, it is shown; whoever records says yes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import click

from palmares.cli.hints import with_commands
from palmares.cli.interrupts import heed_at_questions
from palmares.cli.options import Output, gathered, together, writing
from palmares.cli.sources import every_warning, opened, warn
from palmares.cli.types import count_of, folded, harmless
from palmares.core.errors import Problem, Refused
from palmares.journal.store.entries import Actor, Entry
from palmares.journal.store.kinds import body_of, tables_of
from palmares.render.tables import Column

if TYPE_CHECKING:
    from palmares.journal.commands.transaction import Action, Recorded
    from palmares.journal.store.journal import Journal
    from palmares.lists.impact import Effect

Item = TypeVar("Item")
MOST = 20
"""Rows of a table that are shown without --all."""
FEW = 3
"""Reports that replace others whose differences are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding(Output):
    """How somebody wants to be asked and told."""

    yes: bool
    all: bool

    def tell(self, text: str) -> None:
        """A line for whoever records; beside points for a program, on standard error."""
        err = not self.is_printed
        click.echo(folded(text, err=err), err=err)

    def first(self, items: Sequence[Item], most: int = MOST) -> Sequence[Item]:
        """The first of some things, or all of them."""
        return items if self.all else items[:most]

    def left_out(self, items: Sequence[object]) -> list[str]:
        """How many are not among the first."""
        left = len(items) - len(self.first(items))
        return [f"… and {left:,} more; --all shows them."] if left else []


deciding = together(
    click.option("--yes", is_flag=True, help="Record without being asked, as scripts do."),
    click.option("--all", is_flag=True, help="Show every row, not only the first ones."),
    every_warning,
    writing,
    gathered(deciding=Deciding),
)
"""The options --yes, --all, --format and --output, as `Deciding`."""


def decided(
    journal: str, actor: Actor, action: Action, deciding: Deciding, final: str = ""
) -> None:
    """Show what an action would record and what it does to points; record it if that is agreed.

    Args:
        journal: where to record.
        actor: in whose name.
        action: what to do.
        deciding: whether to ask, and how to print.
        final: what cannot be undone about it, told before the question.

    Raises:
        Refused: the action refuses, nobody agreed, or nobody is there to ask.
    """
    from palmares.journal.commands.transaction import dry_run, recorded
    from palmares.journal.projection.snapshots import known

    with opened(journal) as store:
        start = known(store)
        if deciding.yes:
            done = recorded(store, actor, action, start=start)
            try:
                show(store, done, deciding, "Recorded")
            finally:  # even where a file of points cannot be written
                _tell(store, done, deciding)
            return
        preview = dry_run(store, actor, action, start=start)
        show(store, preview, deciding, "To be recorded")
        if preview.entries:
            _ask(final)
            done = recorded(store, actor, action, start=start, seen=preview)
            _tell(store, done, deciding)


def _tell(store: Journal, done: Recorded, deciding: Deciding) -> None:
    """Possible duplicates, then the last line: by which entries what was recorded, about whom."""
    from palmares.cli.journal.summary import Summary
    from palmares.journal.commands.reports import ALIKE

    if not done.entries:
        return
    pairs = sum(notice.clause == ALIKE for notice in done.notices)
    if pairs:
        many = count_of(pairs, "possible duplicate")
        deciding.tell(f"{many}. To decide on them: palmares player suggestions -o pairs.xlsx")
    with store.reading() as reader:
        numbers = [body_of(entry).undoes for entry in done.entries if entry.kind == "undo"]
        undone = {entry.sequence: entry for entry in reader.those(numbers)}
    told = Summary(before=done.delta.before, after=done.delta.after, undone=undone).of(done)
    first, last = done.entries[0].sequence, done.entries[-1].sequence
    entries = f"entry {first}" if first == last else f"entries {first} to {last}"
    deciding.tell(f"Recorded as {entries}: {told}.")


def _ask(final: str) -> None:
    """Go on only if somebody says yes."""
    if not sys.stdin.isatty():
        raise Refused("Nothing was recorded: there is nobody to ask. Say --yes to record it.")
    if final:
        click.echo(final, err=True)
    heed_at_questions()
    if not click.confirm("Record it?", default=False, err=True):
        raise Refused("Nothing was recorded.")


# ── showing ──────────────────────────────────────────────────────────────────────────────────────


def show(journal: Journal, done: Recorded, deciding: Deciding, word: str) -> None:
    """What is recorded, what deserves a look, and whose points are others."""
    from palmares.journal.commands.reports import ALIKE
    from palmares.journal.commands.transaction import KNOWN
    from palmares.journal.wording import names_in
    from palmares.lists.impact import effects

    notices = with_commands(done.notices)
    _list([notice for notice in notices if notice.clause == KNOWN], deciding)
    warn([notice for notice in done.notices if notice.clause not in (KNOWN, ALIKE)])
    if not done.entries:
        deciding.tell("Nothing to record.")
        return
    names = {**done.names, **names_in(done.delta.before), **names_in(done.delta.after)}
    _show_entries(done.entries, names, deciding, word)
    _show_corrections(journal, done.entries, names, deciding)
    if alike := [notice for notice in notices if notice.clause == ALIKE]:
        _list(alike, deciding)
        deciding.tell(f"{alike[0].remedy}\n")
    found = effects(done.delta)
    for effect in found:
        _show_effect(effect, deciding)
    if not deciding.is_printed:
        rows = [row for effect in found for row in effect.frame.to_dicts()]
        deciding.emit(rows, _columns())


def _list(notices: Sequence[Problem], deciding: Deciding) -> None:
    """Notices of one kind, a line each."""
    for notice in deciding.first(notices):
        deciding.tell(f"{notice.where}: {notice.what}.")
    if left := len(notices) - len(deciding.first(notices)):
        deciding.tell(f"… and {left:,} more of this kind.")


def _show_entries(
    entries: Sequence[Entry], names: Mapping[str, str], deciding: Deciding, word: str
) -> None:
    """A table of the entries; reports and decisions before the players that came with them."""
    from palmares.journal.wording import counts, said

    order = sorted(entries, key=lambda entry: (entry.kind == "player", entry.sequence))
    deciding.tell(f"{word}: {counts(entries)}.\n")
    rows = [
        {"kind": entry.kind, "subject": entry.subject, "what": said(entry, names)}
        for entry in deciding.first(order)
    ]
    if deciding.is_printed:
        columns = [Column("kind"), Column("subject", priority=2), Column("what", priority=0)]
        deciding.emit(rows, columns, notes=deciding.left_out(order))
        click.echo()


def _show_corrections(
    journal: Journal, entries: Sequence[Entry], names: Mapping[str, str], deciding: Deciding
) -> None:
    """What is different in reports that replace others."""
    from palmares.journal.commands.versions import differences, shown_as

    new = {body_of(entry).replaces: entry for entry in entries if entry.kind == "report"}
    with journal.reading() as reader:
        old = list(reader.those([number for number in new if number]))
    for before in deciding.first(old, FEW):
        after = new[before.sequence]
        changes = differences(tables_of(before), tables_of(after))
        lines = shown_as(changes, (f"entry {before.sequence}", "then"), names)
        deciding.tell("\n".join([f"What is different in {after.subject}:", "", *lines, ""]))


def _columns(effect: Effect | None = None) -> list[Column]:
    """The columns of points; for people without those that say the same in every row."""
    from palmares.lists.impact import EFFECT

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
    points = ("before", "after", "change")
    return [
        Column(key, heads.get(key, ""), "points" if key in points else "text", key in hidden)
        for key in EFFECT
    ]


def _show_effect(effect: Effect, deciding: Deciding) -> None:
    """Whose points are others under one regulation; for a program, only what deserves a look."""
    title, notices = effect.question.get_regulation().title, effect.notices
    if deciding.is_printed:
        for waited in effect.mended:
            deciding.tell(
                f"{title}: {waited.event} ({waited.tournament}) does not wait any more.\n"
            )
        notices = notices if effect.frame.height else ()
    for waiting in effect.waits:
        text = f"Warning: {title}: this event will wait: {waiting.why}"
        click.echo(harmless(text), err=True)
    warn(notices)
    if not deciding.is_printed or effect.frame.is_empty():
        return
    rows = effect.frame.to_dicts()
    if effect.frame["tournament_id"].n_unique() > 1:
        rows.sort(key=lambda row: -abs(row["change"]))
    notes = deciding.left_out(rows)
    if effect.counts_otherwise:
        notes.append(
            "Points that stay the same count from another day, or on other lists, than before."
        )
    columns = _columns(effect)
    deciding.emit(deciding.first(rows), columns, title=f"{title}: points", notes=notes)
    click.echo()
