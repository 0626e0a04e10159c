"""
How statements come into a journal: rehearsed, looked at, then recorded whole or not at all.

    Desk        what is known while nobody else writes, and where statements are put down
    recorded    an action at the desk  ->  Recorded; everything it put down is in the journal
    rehearsed   the same, and nothing is
    Recorded    the entries, and how the facts grew by them

An action is a function that looks at the facts, adds drafts, or refuses. What it put down is
projected, brings the bank's rates along that its reports need, and is checked before it is
committed, by the checks that packages of tables go through: so
no merge puts somebody twice into a flight, no undo leaves a placing without its player, and no two
tournaments have an event of one id. Drafts are made while nobody else writes, so they are never
stale; what was shown to a person before is compared with what is recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec
import polars as pl

from palmares.errors import FactsRejected, Problem, Refused
from palmares.facts import arriving, check
from palmares.facts.bank import Bank
from palmares.facts.tables import FILE, LINE, Facts
from palmares.facts.texts import shown
from palmares.journal.bodies import REPORTED, WHO
from palmares.journal.corrections import orphaned
from palmares.journal.entries import Actor, Draft, Entry, canonical
from palmares.journal.projection import Growth, Projection, grown
from palmares.journal.rates import bring_rates
from palmares.journal.snapshots import known
from palmares.journal.state import became
from palmares.journal.store import Journal, Writer
from palmares.sentences import said


@dataclass(slots=True)
class Desk:
    """Where an action puts its statements down; nobody else writes meanwhile."""

    writer: Writer
    projection: Projection  # all that was known before
    notices: list[Problem] = field(default_factory=list)  # what whoever records should see
    drafts: list[Draft] = field(default_factory=list)
    key: str | None = None  # a program's own, for the first statement that is put down
    bank: Bank | None = None  # whose rates reports bring along; none: those shipped with palmares

    def add(self, draft: Draft) -> Entry:
        """Put a statement down; it is recorded if all of the action goes well."""
        return self.extend([draft])[0]

    def extend(self, drafts: Sequence[Draft]) -> list[Entry]:
        """Put many statements down, in order."""
        if self.key is not None and not self.drafts and drafts:
            drafts = [replace(drafts[0], key=self.key), *drafts[1:]]
        self.drafts.extend(drafts)
        return self.writer.extend(drafts)


Action = Callable[[Desk], None]


@dataclass(frozen=True, slots=True, eq=False)
class Recorded:
    """What an action put down."""

    entries: tuple[Entry, ...]  # none: nothing had to change
    growth: Growth
    notices: tuple[Problem, ...]
    names: Mapping[str, str] = field(default_factory=dict)  # of players whom the entries bring
    brought: int = 0  # how many of the entries are rates that the others need

    @property
    def last(self) -> Entry:
        """The last entry that the action put down; rates that it brought along come after it."""
        return self.entries[-1 - self.brought]

    def statements(self) -> list[tuple[str, str, str]]:
        """Kind, subject and body of every entry, without the salted seals of names."""
        return [(one.kind, one.subject, _unsalted(one)) for one in self.entries]


def _unsalted(entry: Entry) -> str:
    body = entry.read()
    return canonical({**body, "person": None} if "person" in body else body)


class _Rehearsed(Exception):
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
                said(
                    "The journal has changed since this was shown, and it would be recorded"
                    " otherwise now. Nothing was recorded; look at it again."
                )
            )
        if heard is not None:
            heard(done)
        return done


def rehearsed(
    journal: Journal,
    by: Actor,
    action: Action,
    *,
    start: Projection | None = None,
    bank: Bank | None = None,
) -> Recorded:
    """Do an action and forget what it put down; raises what `recorded` would."""
    start = known(journal) if start is None else start
    found: list[Recorded] = []
    try:
        with journal.writing(by) as writer:
            found.append(_done(writer, action, start, bank))
            raise _Rehearsed  # noqa: TRY301  so that the transaction is rolled back
    except _Rehearsed:
        return found[0]


def _done(writer: Writer, action: Action, start: Projection, bank: Bank | None) -> Recorded:
    before = grown(start, writer).after
    desk = Desk(writer, before, bank=bank)
    action(desk)
    growth = grown(before, writer)
    brought = bring_rates(desk, growth)
    if brought:
        growth = grown(before, writer)
    problems = [*contradictions(growth), *orphaned(growth, writer)]
    if problems:
        raise FactsRejected(problems, so=said("nothing was recorded"))
    entries = tuple(writer.entries(before.state.sequence)) if desk.drafts else ()
    notices = tuple(dict.fromkeys(desk.notices))
    return Recorded(entries, growth, notices, _names(desk.drafts), brought)


def _names(drafts: Sequence[Draft]) -> dict[str, str]:
    """Names that are laid beside the chain, by the ids of their players."""
    return {
        draft.subject: person.name
        for draft in drafts
        for one in draft.sealed
        if (person := one.person()) is not None
    }


# ── what contradicts what is recorded ────────────────────────────────────────────────────────────


def contradictions(growth: Growth) -> Iterator[Problem]:
    """Everything wrong with the facts that some entries touched, and was not wrong before.

    What was recorded when checks were less strict can still be corrected, merged and withdrawn.
    """
    facts = touched(growth)
    if problems := check(facts).problems:
        old = {(one.where, one.clause) for one in check(_before(growth)).problems}
        yield from (one for one in problems if (one.where, one.clause) not in old)
    yield from _of_overrides(growth)
    yield from _nobody(growth, facts)
    yield from _taken(growth, facts, "events", "event_id", "an event")
    yield from _taken(growth, facts, "matches", "match_id", "a match")
    yield from _circles(growth)


def _of_overrides(growth: Growth) -> Iterator[Problem]:
    """What an override says that no report may say when it arrives, and that was not said before.

    Reports were looked at when they were read; what older entries say is no reason to refuse.
    """
    tournaments = {key for group, key in growth.places if group == "overrides"}
    if not tournaments:
        return
    before, after = (
        arriving(Facts(part(one.tables, tournaments))) for one in (growth.before, growth.after)
    )
    known = {(one.where, one.clause) for one in before}
    yield from (one for one in after if (one.where, one.clause) not in known)


def touched(growth: Growth) -> Facts:
    """The facts that some entries touched, as they are after them: few, however many there are."""
    players = growth.players | _members(growth)
    return _with_people(growth.rows, players, growth.after)


def _before(growth: Growth) -> Facts:
    """The same facts as they were before."""
    rows = part(growth.before.tables, growth.tournaments)
    return _with_people(rows, growth.players | _members(growth), growth.before)


def _with_people(
    rows: Mapping[str, pl.DataFrame], players: Collection[str], projection: Projection
) -> Facts:
    """Some rows of reports with the players that they name, and some more."""
    whole, wanted = projection.tables, list({*players, *_named(rows)})
    tables = dict(rows)
    for name in ("players", "memberships"):
        tables[name] = whole[name].filter(pl.col("player_id").is_in(wanted))
    tables["rates"] = whole["rates"]
    return Facts(tables)


def _members(growth: Growth) -> set[str]:
    """The players whose memberships some entries state, as they are called after them."""
    said = [key for group, key in growth.places if group == "memberships"]
    merged = became(growth.after.state.merges()) if said else {}
    return {merged.get(one, one) for one in (msgspec.json.decode(key)[0] for key in said)}


def part(tables: Mapping[str, pl.DataFrame], tournaments: Any) -> dict[str, pl.DataFrame]:
    """The rows of some tournaments in the tables of reports."""
    mine = tables["tournaments"].filter(pl.col("tournament_id").is_in(list(tournaments)))
    events = tables["events"].join(mine, on="tournament_id", how="semi")
    in_them = pl.col("event_id").is_in(events["event_id"].to_list())
    found = {
        name: tables[name].filter(in_them)
        for name in REPORTED
        if name not in ("tournaments", "events", "boards")
    }
    matches = found["team_matches"]["match_id"].to_list()
    boards = tables["boards"].filter(pl.col("match_id").is_in(matches))
    return {**found, "tournaments": mine, "events": events, "boards": boards}


def _named(tables: Mapping[str, pl.DataFrame]) -> set[str]:
    """Everybody whom some tables name."""
    found = (tables[name][column] for name, columns in WHO.items() for column in columns)
    return {one for column in found for one in column.unique().to_list() if one is not None}


def _nobody(growth: Growth, facts: Facts) -> Iterator[Problem]:
    """Players who are named, or whom somebody was merged into, and who are none."""
    named = _named(facts.tables) - set(facts["players"]["player_id"])
    gone = (growth.players | _members(growth)) - set(facts["players"]["player_id"])
    merges = growth.after.state.merges()
    gone -= merges.keys()
    if gone:
        wanted = list(gone)
        for table, columns in (*WHO.items(), ("memberships", ("player_id",))):
            for column in columns:
                found = growth.after.tables[table].filter(pl.col(column).is_in(wanted))[column]
                named |= set(found)
        named |= gone & set(merges.values())
    for one in sorted(named):
        yield Problem(
            where=f"player {shown(one)}",
            what="this player is named, and there is none of this id",
            clause="journal players",
            remedy="Record the player first; undo what names him before the player himself.",
        )


def _taken(growth: Growth, facts: Facts, table: str, key: str, what: str) -> Iterator[Problem]:
    """Ids that a tournament not touched has already."""
    mine = facts[table]
    all_of_it = growth.after.tables[table]
    if mine.is_empty() or len(all_of_it) == len(mine):
        return
    ids = pl.col(key).is_in(mine[key].to_list())
    others = all_of_it.filter(ids).join(mine, on=[key, FILE, LINE], how="anti")
    where = dict(mine.select(key, pl.format("{}:{}", FILE, LINE)).iter_rows())
    for row in others.sort(FILE, LINE).iter_rows(named=True):
        yield Problem(
            where=where[row[key]],
            what=f"{what} with the id {shown(row[key])} is in {row[FILE]} already,"
            " of another tournament",
            clause=f"facts {table}",
            remedy="Give it an id of its own, or report it under that tournament.",
        )


def _circles(growth: Growth) -> Iterator[Problem]:
    """Records merged into each other."""
    if not any(group == "merges" for group, _ in growth.places):
        return
    merges = growth.after.state.merges()
    for start in merges:
        seen, at = {start}, merges[start]
        while at in merges and at not in seen:
            seen.add(at)
            at = merges[at]
        if at == start:
            yield Problem(
                where=f"player {shown(start)}",
                what=said(
                    "he would be merged, in the end, into himself: %(players)s",
                    players=", ".join(sorted(seen)),
                ),
                clause="journal merges",
                remedy=said("Undo the merge that is wrong first."),
            )
