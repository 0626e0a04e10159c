"""
How statements come into a journal: tried, looked at, then recorded whole or not at all.

An action is a function that looks at the facts, adds statements, or refuses. What it added is
projected, brings the bank's rates along that its reports need, and is checked before it is
committed, as packages of tables are. Nobody else writes meanwhile, so statements are never stale;
what was shown to a person before is compared with what is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any, Concatenate, ParamSpec

import polars as pl

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import msg
from palmares.facts import arriving, check
from palmares.facts.bank import Bank
from palmares.facts.cells import typed_frames
from palmares.facts.schema import FILE, LINE, Facts
from palmares.facts.subsets import appearances, subset, with_people
from palmares.facts.text import shown
from palmares.journal.commands.rates import missing_rates
from palmares.journal.commands.versions import orphaned
from palmares.journal.projection.project import Delta, Projection, apply_entries
from palmares.journal.projection.snapshots import known
from palmares.journal.projection.state import State, became, subject_of
from palmares.journal.store.entries import Actor, Draft, Entry
from palmares.journal.store.journal import Journal, Writer
from palmares.journal.store.kinds import Body, draft
from palmares.journal.store.persons import Sealed

KNOWN = "journal reports"
"""The clause of the notice that something is here already."""


@dataclass(slots=True)
class Transaction:
    """Where an action adds its statements; nobody else writes meanwhile."""

    writer: Writer
    projection: Projection  # all that was known before
    notices: list[Problem] = field(default_factory=list)  # what whoever records should see
    drafts: list[Draft] = field(default_factory=list)
    key: str | None = None  # a program's own, for the first statement that is added
    bank: Bank | None = None  # whose rates reports bring along; none: those shipped with palmares
    _merged: Mapping[str, str] | None = None

    @property
    def state(self) -> State:
        """The statements that were recorded before."""
        return self.projection.state

    def records(self, player: str) -> list[str]:
        """All records of a player, whichever of them is named."""
        if self._merged is None:
            self._merged = became(self.state.merges())
        whole = self._merged.get(player, player)
        return sorted({whole, *(one for one, into in self._merged.items() if into == whole)})

    def add(self, subject: str, body: Body, sealed: Sequence[Sealed] = ()) -> Entry:
        """Add a statement; it is recorded if all of the action goes well."""
        return self.extend([draft(subject, body, sealed=sealed)])[0]

    def extend(self, drafts: Sequence[Draft]) -> list[Entry]:
        """Add many statements, in order."""
        if self.key is not None and not self.drafts and drafts:
            drafts = [replace(drafts[0], key=self.key), *drafts[1:]]
        self.drafts.extend(drafts)
        return self.writer.extend(drafts)


def unchanged(sequence: int, what: str) -> Problem:
    """The notice of something that an entry has already."""
    return Problem(
        at=Location(f"entry {sequence}"),
        what=f"this {what} is here already; nothing was added for it",
        clause=KNOWN,
        remedy="Nothing needs to be done.",
    )


Action = Callable[[Transaction], None]
Asked = ParamSpec("Asked")


def action(does: Callable[Concatenate[Transaction, Asked], None]) -> Callable[Asked, Action]:
    """A function of a transaction and of what is asked  ->  one that gives the action."""

    @wraps(does)
    def asked(*args: Asked.args, **kwargs: Asked.kwargs) -> Action:
        return lambda transaction: does(transaction, *args, **kwargs)

    return asked


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """What an action put down."""

    entries: tuple[Entry, ...]  # none: nothing had to change
    delta: Delta
    notices: tuple[Problem, ...]
    names: Mapping[str, str] = field(default_factory=dict)  # of players whom the entries bring
    brought: int = 0  # how many of the entries are rates that the others need

    @property
    def last(self) -> Entry:
        """The last entry that the action put down; rates that it brought along come after it."""
        return self.entries[-1 - self.brought]

    def statements(self) -> list[tuple[str, str, str]]:
        """Kind, subject and body of every entry, without the salted seals of names."""
        return [(entry.kind, entry.subject, _unsalted(entry)) for entry in self.entries]


def _unsalted(entry: Entry) -> str:
    body = entry.read()
    return canonical({**body, "person": None} if "person" in body else body)


class _DryRun(Exception):
    """Everything went well; now forget it."""


def recorded(
    journal: Journal,
    by: Actor,
    action: Action,
    *,
    start: Projection | None = None,
    seen: Recorded | None = None,
    heard: Callable[[Recorded], None] | None = None,
    bank: Bank | None = None,
) -> Recorded:
    """Do an action and record what it puts down, in one transaction.

    Args:
        journal: where to record.
        by: who records, in which role.
        action: looks at the facts, and adds drafts or refuses.
        start: the facts at some earlier head, if they are at hand.
        seen: what was shown to whoever agreed to it.
        heard: looks at what would be recorded, and refuses; nobody else writes meanwhile.
        bank: whose rates the reports bring along; without it, those that come with palmares.

    Raises:
        FactsRejected: it would contradict what is recorded; every contradiction is named.
        Refused: the action refuses, the database does, or it is no longer what was shown.
    """
    start = known(journal) if start is None else start
    with journal.writing(by) as writer:
        done = _done(writer, action, start, bank)
        if seen is not None and seen.statements() != done.statements():
            raise Refused(
                msg(
                    "The journal has changed since this was shown, and it would be recorded"
                    " otherwise now. Nothing was recorded; look at it again."
                )
            )
        if heard is not None:
            heard(done)
        return done


def dry_run(
    journal: Journal,
    by: Actor,
    action: Action,
    *,
    start: Projection | None = None,
    bank: Bank | None = None,
) -> Recorded:
    """Do an action and forget what it put down; raises what `recorded` would."""
    found: list[Recorded] = []

    def forget(done: Recorded) -> None:
        found.append(done)
        raise _DryRun  # so that the transaction is rolled back

    with suppress(_DryRun):
        recorded(journal, by, action, start=start, heard=forget, bank=bank)
    return found[0]


def _done(writer: Writer, action: Action, start: Projection, bank: Bank | None) -> Recorded:
    before = apply_entries(start, writer).after
    transaction = Transaction(writer, before, bank=bank)
    action(transaction)
    delta = apply_entries(before, writer)
    rates, notices = missing_rates(delta, bank)
    if rates:
        transaction.extend(rates)
        delta = apply_entries(before, writer)
    problems = [*contradictions(delta), *orphaned(delta, writer)]
    if problems:
        raise FactsRejected(problems, so=msg("nothing was recorded"))
    entries = tuple(writer.entries(before.state.sequence)) if transaction.drafts else ()
    notices = [*transaction.notices, *notices]
    names = _names(transaction.drafts)
    return Recorded(entries, delta, tuple(dict.fromkeys(notices)), names, len(rates))


def _names(drafts: Sequence[Draft]) -> dict[str, str]:
    """Names that are laid beside the chain, by the ids of their players."""
    return {
        statement.subject: person.name
        for statement in drafts
        for sealed in statement.sealed
        if (person := sealed.person()) is not None
    }


# ── a row that an officer states ─────────────────────────────────────────────────────────────────


def checked_row(
    table: str,
    cells: Mapping[str, str | None],
    *,
    named: str = "",
    only: Collection[str] | None = None,
) -> dict[str, Any]:
    """A row of a table given as text, typed and checked; empty text is no value.

    Args:
        table: its name.
        cells: the text of its cells.
        named: what problems call it, if not by its table.
        only: the columns that are looked at, of a row that has no others yet; without it, all,
            and the row has to be valid on its own.

    Raises:
        FactsRejected: a cell is wrong.
    """
    texts = {name: (text or "").strip() or None for name, text in cells.items()}
    frame = pl.DataFrame(
        {**{name: [text] for name, text in texts.items()}, FILE: [named or table], LINE: [0]},
        schema={**dict.fromkeys(texts, pl.String), FILE: pl.String, LINE: pl.UInt32},
    )
    draft = typed_frames({table: frame})
    if only is None:
        problems = draft.problems or check(draft.facts).problems
    else:
        problems = tuple(
            replace(problem, at=replace(problem.at, file=f"{table} {problem.at.key}", line=0))
            for problem in draft.problems
            if problem.at.key in only
        )
    if problems:
        raise FactsRejected(problems, so=msg("nothing was recorded"))
    return draft.facts[table].row(0, named=True)


# ── what contradicts what is recorded ────────────────────────────────────────────────────────────


def contradictions(delta: Delta) -> Iterator[Problem]:
    """Everything wrong with the facts that some entries touched, and was not wrong before.

    What was recorded when checks were less strict can still be corrected, merged and withdrawn.
    """
    players = delta.players | _members(delta)
    facts = Facts(with_people(delta.rows, delta.after.tables, players))
    if problems := check(facts).problems:
        before = Facts(subset(delta.before.tables, delta.tournaments, players))
        old = {(problem.where, problem.clause) for problem in check(before).problems}
        yield from (problem for problem in problems if (problem.where, problem.clause) not in old)
    yield from _of_overrides(delta)
    yield from _nobody(delta, facts)
    yield from _taken(delta, facts, "events", "event_id", "an event")
    yield from _taken(delta, facts, "matches", "match_id", "a match")
    yield from _circles(delta)


def _of_overrides(delta: Delta) -> Iterator[Problem]:
    """What an override says that no report may say when it arrives, and that was not said before.

    Reports were looked at when they were read; what older entries say is no reason to refuse.
    """
    tournaments = {key for group, key in delta.places if group == "overrides"}
    if not tournaments:
        return
    before, after = (
        arriving(Facts(subset(one.tables, tournaments))) for one in (delta.before, delta.after)
    )
    known = {(one.where, one.clause) for one in before}
    yield from (one for one in after if (one.where, one.clause) not in known)


def _members(delta: Delta) -> set[str]:
    """The players whose memberships some entries state, as they are called after them."""
    members = {subject_of(key) for group, key in delta.places if group == "memberships"}
    merged = became(delta.after.state.merges()) if members else {}
    return {merged.get(member, member) for member in members}


def _nobody(delta: Delta, facts: Facts) -> Iterator[Problem]:
    """Players who are named, or whom somebody was merged into, and who are none."""
    there = set(facts["players"]["player_id"])
    named = set(appearances(facts.tables)["player_id"]) - there
    merges = delta.after.state.merges()
    gone = (delta.players | _members(delta)) - there - merges.keys()
    if gone:
        tables = delta.after.tables
        members = tables["memberships"]["player_id"]
        named |= set(appearances(tables, gone)["player_id"]) | (gone & {*members, *merges.values()})
    for one in sorted(named):
        yield Problem(
            at=Location(f"player {shown(one)}"),
            what="this player is named, and there is none of this id",
            clause="journal players",
            remedy="Record the player first; undo what names them before the player.",
        )


def _taken(delta: Delta, facts: Facts, table: str, key: str, what: str) -> Iterator[Problem]:
    """Ids that a tournament not touched has already."""
    mine = facts[table]
    all_of_it = delta.after.tables[table]
    if mine.is_empty() or len(all_of_it) == len(mine):
        return
    ids = pl.col(key).is_in(mine[key].to_list())
    others = all_of_it.filter(ids).join(mine, on=[key, FILE, LINE], how="anti")
    places = {
        one: Location(file, line) for one, file, line in mine.select(key, FILE, LINE).iter_rows()
    }
    for row in others.sort(FILE, LINE).iter_rows(named=True):
        yield Problem(
            at=places[row[key]],
            what=f"{what} with the id {shown(row[key])} is in {row[FILE]} already,"
            " of another tournament",
            clause=f"facts {table}",
            remedy="Give it an id of its own, or report it under that tournament.",
        )


def _circles(delta: Delta) -> Iterator[Problem]:
    """Records merged into each other."""
    if not any(group == "merges" for group, _ in delta.places):
        return
    merges = delta.after.state.merges()
    for start, end in became(merges).items():
        if start == end:  # in a circle
            around = [start]
            while (into := merges[around[-1]]) != start:
                around.append(into)
            yield Problem(
                at=Location(f"player {shown(start)}"),
                what=msg(
                    "they would be merged, in the end, into themselves: %(players)s",
                    players=", ".join(sorted(around)),
                ),
                clause="journal merges",
                remedy=msg("Undo the merge that is wrong first."),
            )
