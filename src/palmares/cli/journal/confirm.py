"""Show what a command would record, and record it once the user agrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import click

from palmares.cli.app import command
from palmares.cli.hints import with_commands
from palmares.cli.options import F, Output, acting, gathered, together, writing, yes_option
from palmares.cli.sources import every_warning, opened, warn
from palmares.cli.terminal import ask, count_of, folded, harmless
from palmares.core.errors import FactsRejected, Problem
from palmares.core.messages import msg
from palmares.core.toml import read_text
from palmares.journal.store.entries import Actor, Entry, Erasure, body_of, tables_of
from palmares.render.tables import OutputColumn

if TYPE_CHECKING:
    from palmares.journal.commands.transaction import Action, ActionResult
    from palmares.journal.store.journal import Journal
    from palmares.lists.impact import Effect

Item = TypeVar("Item")
MOST_ROWS = 20
"""Rows of a table that are shown without --all."""
MOST_CORRECTIONS = 3
"""Reports that replace others whose differences are shown."""
MOST_IN_WORDS = 3
"""Entries that the last line names; of more, the number of each kind."""
COUNTED = ("player", "rate")
"""Kinds of entries that are only counted where they came with others."""


class RecordingOutput(Output, frozen=True, kw_only=True):
    """How a command that records asks and prints."""

    yes: bool
    all: bool

    def say(self, text: str) -> None:
        """Print a line; on standard error where standard output is for a program."""
        err = not self.is_printed
        click.echo(folded(text, err=err), err=err)

    def first(self, items: Sequence[Item], most: int = MOST_ROWS) -> Sequence[Item]:
        """The first items, or all of them with --all."""
        return items if self.all else items[:most]

    def left_out(self, items: Sequence[object]) -> list[str]:
        """A note on the items that are not shown."""
        left = len(items) - len(self.first(items))
        return [f"… and {left:,} more; --all shows them."] if left else []

    def list_notices(self, notices: Sequence[Problem]) -> None:
        """Print notices of one kind, a line each."""
        lines = [f"{notice.where}: {notice.what}." for notice in self.first(notices)]
        for line in (*lines, *self.left_out(notices)):
            self.say(line)


def _nothing_recorded(function: F) -> F:
    """Let a file that a command rejects say that nothing was recorded."""

    @wraps(function)
    def recorded(**given: Any) -> Any:
        try:
            return function(**given)
        except FactsRejected as rejected:
            raise FactsRejected(
                rejected.problems, so=msg("nothing was recorded"), notices=rejected.notices
            ) from None

    return cast("F", recorded)


recording = together(
    yes_option,
    click.option("--all", is_flag=True, help="Show every row, not only the first ones."),
    every_warning,
    writing,
    _nothing_recorded,
    gathered(out=RecordingOutput),
)
"""The options --yes, --all, --format and --output, as ``out``."""


def confirm_and_record(
    journal: str, actor: Actor, action: Action, out: RecordingOutput, final: str = ""
) -> None:
    """Show what an action would record and how points change; record it if the user agrees.

    Args:
        journal: where to record.
        actor: in whose name.
        action: what to do.
        out: whether to ask, and how to print.
        final: what cannot be undone, shown before the question.

    Raises:
        Refused: the action refuses, the user declined, or there is no terminal to ask on.
    """
    from palmares.journal.commands.transaction import dry_run, record_entries
    from palmares.journal.projection.snapshots import load_projection

    with opened(journal) as store:
        start, preview = load_projection(store), None
        if not out.yes:
            preview = dry_run(store, actor, action, start=start)
            _show(store, preview, out, "To be recorded")
            if not preview.entries:
                return
            if final:
                click.echo(final, err=True)
            ask("Record it?", "Nothing was recorded")
        done = record_entries(store, actor, action, start=start, preview=preview)
        try:
            if out.yes:
                _show(store, done, out, "Recorded")
        finally:  # even where a file of points cannot be written
            if done.entries:
                _summarize(store, done, out)


def _summarize(store: Journal, done: ActionResult, out: RecordingOutput) -> None:
    """Name possible duplicates; the last line says what was recorded, and about whom."""
    from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
    from palmares.journal.log import undone_entries
    from palmares.render.entries import count_by_kind

    if pairs := sum(notice.clause == POSSIBLE_DUPLICATES for notice in done.notices):
        many = count_of(pairs, "possible duplicate")
        out.say(f"{many}. To decide on them: palmares player suggestions -o pairs.xlsx")
    with store.reading() as reader:
        undone = undone_entries(reader, done.entries)
    first, last = done.entries[0].sequence, done.entries[-1].sequence
    numbered = f"entry {first}" if first == last else f"entries {first} to {last}"
    single = [entry for entry in done.entries if entry.kind not in COUNTED] or done.entries
    if len(single) > MOST_IN_WORDS:
        single = ()
    parts = [_what_was_done(entry, done, undone) for entry in single]
    if rest := count_by_kind(entry for entry in done.entries if entry not in single):
        parts.append(rest)
    out.say(f"Recorded as {numbered}: {'; '.join(parts)}.")


def _what_was_done(entry: Entry, done: ActionResult, undone: Mapping[int, Entry]) -> str:
    """An entry in words, with what an undo cancelled and where an erased player played."""
    from palmares.facts.merge import appearances
    from palmares.render.entries import describe_entry

    text, before = describe_entry(entry, _names(done), undone), done.delta.before
    if isinstance(body_of(entry), Erasure) and entry.subject in before.state.group("players"):
        events = before.tables["events"].select("event_id", "tournament_id")
        played = appearances(before.tables, [entry.subject]).join(events, on="event_id")
        return f"{text} (from {count_of(played['tournament_id'].n_unique(), 'tournament')})"
    return text


def _names(done: ActionResult) -> Mapping[str, str]:
    from palmares.render.entries import names_around

    return {**names_around(done.delta), **done.names}


def decision_command(
    decision: str, *parameters: Any, text: str, name: str = "", final: str = ""
) -> click.Command:
    """The command of a decision; its parameters have the names of the decision's fields."""

    @acting
    @recording
    def run(journal: str, actor: Actor, out: RecordingOutput, **given: Any) -> None:
        from palmares.fund import decisions as of_fund
        from palmares.journal.commands import catalogue

        if decision == "erase":
            from palmares.web.submissions.submissions import forget

            given["on_erase"] = forget
        if "file" in given:
            given = {**given, "file": read_text(given["file"]), "where": given["file"]}
        action = {**catalogue.DECISIONS, **of_fund.DECISIONS}[decision].action(**given)
        confirm_and_record(journal, actor, action, out, final)

    for parameter in reversed(parameters):
        run = parameter(run)
    return command(name or decision, help=text)(run)


# ── showing ──────────────────────────────────────────────────────────────────────────────────────


def _show(journal: Journal, done: ActionResult, out: RecordingOutput, heading: str) -> None:
    """Show what is recorded, the notices on it, and whose points change."""
    from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
    from palmares.journal.commands.transaction import ALREADY_RECORDED
    from palmares.lists.impact import effects

    notices = with_commands(done.notices)
    out.list_notices([notice for notice in notices if notice.clause == ALREADY_RECORDED])
    warn(
        [
            notice
            for notice in done.notices
            if notice.clause not in (ALREADY_RECORDED, POSSIBLE_DUPLICATES)
        ]
    )
    if not done.entries:
        out.say("Nothing to record.")
        return
    names = _names(done)
    _show_entries(done.entries, names, out, heading)
    _show_corrections(journal, done.entries, names, out)
    if duplicates := [notice for notice in notices if notice.clause == POSSIBLE_DUPLICATES]:
        out.list_notices(duplicates)
        out.say(f"{duplicates[0].remedy}\n")
    changed = effects(done.delta)
    for effect in changed:
        _show_effect(effect, out)
    if not out.is_printed:
        out.emit([row for effect in changed for row in effect.frame.to_dicts()], _columns())


def _show_entries(
    entries: Sequence[Entry], names: Mapping[str, str], out: RecordingOutput, heading: str
) -> None:
    """A table of the entries; new players come last."""
    from palmares.render.entries import count_by_kind, describe_entry

    order = sorted(entries, key=lambda entry: (entry.kind == "player", entry.sequence))
    out.say(f"{heading}: {count_by_kind(entries)}.\n")
    if out.is_printed:
        rows = [
            {"kind": entry.kind, "subject": entry.subject, "what": describe_entry(entry, names)}
            for entry in out.first(order)
        ]
        columns = [
            OutputColumn("kind"),
            OutputColumn("subject", priority=2),
            OutputColumn("what", priority=0),
        ]
        out.emit(rows, columns, notes=out.left_out(order))
        click.echo()


def _show_corrections(
    journal: Journal, entries: Sequence[Entry], names: Mapping[str, str], out: RecordingOutput
) -> None:
    """The differences between reports and the ones that they replace."""
    from palmares.journal.commands.reports import difference_lines

    new = {body_of(entry).replaces: entry for entry in entries if entry.kind == "report"}
    with journal.reading() as reader:
        old = list(reader.by_number([number for number in new if number]))
    for before in out.first(old, MOST_CORRECTIONS):
        after = new[before.sequence]
        titles = f"entry {before.sequence}", "then"
        lines = difference_lines(tables_of(before), tables_of(after), titles, names)
        out.say("\n".join([f"What is different in {after.subject}:", "", *lines, ""]))


def _show_effect(effect: Effect, out: RecordingOutput) -> None:
    """Show whose points change under one regulation; for a program, only warnings."""
    title, notices = effect.question.get_regulation().title, effect.notices
    if out.is_printed:
        for event in effect.mended:
            out.say(f"{title}: {event.event} ({event.tournament}) does not wait any more.\n")
        notices = notices if effect.frame.height else ()
    for event in effect.waits:
        text = f"Warning: {title}: this event will wait: {event.why}"
        click.echo(harmless(text), err=True)
    warn(notices)
    if not out.is_printed or effect.frame.is_empty():
        return
    rows = effect.frame.to_dicts()
    if effect.frame["tournament_id"].n_unique() > 1:
        rows.sort(key=lambda row: -abs(row["change"]))
    notes = out.left_out(rows)
    if effect.counts_otherwise:
        notes.append(
            "Points that stay the same count from another day, or on other lists, than before."
        )
    out.emit(out.first(rows), _columns(effect), title=f"{title}: points", notes=notes)
    click.echo()


def _columns(effect: Effect | None = None) -> list[OutputColumn]:
    """The columns of changed points; a column with one value in all rows is hidden."""
    from palmares.lists.impact import EFFECT

    hidden = {"regulation", "tournament_id", "player_id"}
    headings = {"before": "until now", "after": "then"}
    if effect is not None:
        frame = effect.frame
        if frame.select("tournament_id", "player").is_duplicated().any():
            hidden -= {"player_id"}
            headings["player_id"] = "id"
        if frame["tournament"].n_unique() == 1 or frame["tournament_id"].null_count():
            hidden |= {"tournament"}
        if frame["before"].null_count() == len(frame):
            hidden |= {"before", "change"}
            headings["after"] = "points"
    points = ("before", "after", "change")
    return [
        OutputColumn(
            key, headings.get(key, ""), "points" if key in points else "text", key in hidden
        )
        for key in EFFECT
    ]
