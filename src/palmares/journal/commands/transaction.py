"""
Actions in a transaction: all their entries are recorded, or none.

An action looks at the facts and adds entries, or refuses. The exchange rates that its reports need
are added, and the facts it leads to are checked before anything is committed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec

import msgspec
import polars as pl

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import LocalNumber, hint, msg
from palmares.facts import arriving, check
from palmares.facts.cells import parse_frames
from palmares.facts.merge import appearances, subset, with_people
from palmares.facts.rates import LOOK_BACK, Bank, Needed, bank_rows, rates_needed, shipped
from palmares.facts.schema import FILE, LINE, TABLES, Facts, schema
from palmares.facts.text import printable
from palmares.journal.identity.register import Register
from palmares.journal.projection.bodies import matching_rows, plain_cell, player_ids, with_overrides
from palmares.journal.projection.project import (
    Delta,
    Projection,
    State,
    apply_entries,
    canonical_ids,
    place_of,
    subject_of,
)
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import (
    Actor,
    Body,
    Draft,
    Entry,
    Override,
    Rate,
    Sealed,
    Tables,
    draft,
    tables_of,
    timestamp,
)
from palmares.journal.store.journal import Journal, Reader, Writer
from palmares.regulations import money_disciplines

ALREADY_RECORDED = "journal reports"
"""The clause of notices that an entry says something already."""


@dataclass
class Transaction:
    """Where an action adds its entries; no other writes meanwhile."""

    writer: Writer
    projection: Projection  # everything recorded before
    notices: list[Problem] = field(default_factory=list)  # for the person who records
    drafts: list[Draft] = field(default_factory=list)
    key: str | None = None  # idempotency key of the first entry that is added

    @property
    def state(self) -> State:
        """The state before the action."""
        return self.projection.state

    @cached_property
    def register(self) -> Register:
        """The players before the action."""
        return Register.of(self.projection, self.writer)

    def add(self, subject: str, body: Body, sealed: Sequence[Sealed] = ()) -> Entry:
        """Add an entry; it is recorded if the whole action succeeds."""
        return self.extend([draft(subject, body, sealed=sealed)])[0]

    def extend(self, drafts: Sequence[Draft]) -> list[Entry]:
        """Add many entries, in order."""
        if self.key is not None and not self.drafts and drafts:
            drafts = [replace(drafts[0], key=self.key), *drafts[1:]]
        self.drafts.extend(drafts)
        return self.writer.extend(drafts)


def already_recorded(sequence: int, what: str) -> Problem:
    """The notice that an entry says this already."""
    return Problem(
        at=Location(f"entry {sequence}"),
        what=msg("this %(what)s is here already; nothing was added for it", what=(what,)),
        clause=ALREADY_RECORDED,
        remedy=msg("Nothing needs to be done."),
    )


Action = Callable[[Transaction], None]
Arguments = ParamSpec("Arguments")


def action(
    does: Callable[Concatenate[Transaction, Arguments], None],
) -> Callable[Arguments, Action]:
    """Decorate a function of a transaction: called without the transaction, it gives the action."""

    @wraps(does)
    def with_arguments(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Action:
        return lambda transaction: does(transaction, *args, **kwargs)

    return with_arguments


@dataclass(frozen=True, slots=True, eq=False)
class ActionResult:
    """What an action recorded, or would record."""

    entries: tuple[Entry, ...]  # none: nothing had to change
    delta: Delta
    notices: tuple[Problem, ...]
    names: Mapping[str, str] = field(default_factory=dict)  # new: of players by id, else by seal
    bank_rates: int = 0  # how many of the entries, at their end, are rates that the others need

    @property
    def last(self) -> Entry:
        """The last entry of the action itself."""
        return self.entries[-1 - self.bank_rates]

    def comparable(self) -> list[str]:
        """What every entry states and follows on, without seals of names: they always differ."""
        return [*comparable(self.delta.before.state, self.entries)]


def comparable(before: State, entries: Iterable[Entry]) -> Iterator[str]:
    """Kind, subject and body of entries, with the entries of the state before that they follow on.

    The seals of names, always different, are left out.
    """
    for entry in entries:
        body = {key: value for key, value in entry.read().items() if key != "person"}
        yield canonical([entry.kind, entry.subject, body, _followed(before, entry, body)])


def _followed(before: State, entry: Entry, body: Mapping[str, Any]) -> list[int]:
    """The entries in force that an entry replaces, corrects or undoes.

    Where they are others than the person who decides saw, somebody decided meanwhile.
    """
    if entry.kind == "undo":
        roots = {*before.roots([body["undoes"]])}
        places = {place for place, _ in before.places_of(roots)}
    else:
        places = {place_of(entry.kind, entry.subject, body)}
    of_tournaments = ("tournaments", "overrides")
    places |= {(of, key) for group, key in places if group in of_tournaments
               for of in of_tournaments}  # fmt: skip
    last = (before.in_force(group, key) for group, key in places)
    return sorted(statement.sequence for statement in last if statement is not None)


class _DryRun(Exception):
    """The action succeeded; roll it back."""


def record_entries(
    journal: Journal,
    by: Actor,
    action: Action,
    *,
    start: Projection | None = None,
    preview: ActionResult | None = None,
    check: Callable[[ActionResult], None] | None = None,
) -> ActionResult:
    """Do an action and record its entries, in one transaction.

    Args:
        journal: where to record.
        by: who records, in which role.
        action: looks at the facts, and adds entries or refuses.
        start: the facts at an earlier entry, if at hand.
        preview: what the person who confirmed was shown.
        check: called with the outcome before it is committed; it may refuse.

    Raises:
        FactsRejected: the facts would contradict each other; names every contradiction.
        Refused: the action or the database refuses, or the outcome is not that of the preview.
    """
    start = load_projection(journal) if start is None else start
    with journal.writing(by) as writer:
        outcome = _run(writer, action, start)
        if preview is not None and preview.comparable() != outcome.comparable():
            raise Refused(
                msg(
                    "The journal has changed since you opened this, so the result would be"
                    " different now. Nothing was recorded; check it again."
                )
            )
        if check is not None:
            check(outcome)
        return outcome


def dry_run(
    journal: Journal,
    by: Actor,
    action: Action,
    *,
    start: Projection | None = None,
) -> ActionResult:
    """Do an action and roll it back; raises what `record_entries` would."""
    start = load_projection(journal) if start is None else start
    with suppress(_DryRun), journal.writing(by) as writer:
        outcome = _run(writer, action, start)
        raise _DryRun
    return outcome


def _run(writer: Writer, action: Action, start: Projection) -> ActionResult:
    before = apply_entries(start, writer).after
    transaction = Transaction(writer, before)
    action(transaction)
    delta = apply_entries(before, writer)
    rates, notices = missing_rates(delta)
    if rates:
        transaction.extend(rates)
        delta = apply_entries(before, writer)
    problems = [*contradictions(delta), *lost_overrides(delta, writer)]
    if problems:
        raise FactsRejected(problems, so=msg("nothing was recorded"))
    entries = tuple(writer.entries(before.state.sequence)) if transaction.drafts else ()
    notices = [
        *transaction.notices, *notices, *_still_to_come(delta, entries, writer.clock().date()),
        *_wrong_clocks(before.state, writer),
    ]  # fmt: skip
    names = {
        draft.subject if draft.kind == "player" else sealed.commitment: person.name
        for draft in transaction.drafts
        for sealed in draft.sealed
        if (person := sealed.person()) is not None
    }
    return ActionResult(entries, delta, tuple(dict.fromkeys(notices)), names, len(rates))


def _still_to_come(delta: Delta, entries: Iterable[Entry], today: date) -> Iterator[Problem]:
    """A notice for each tournament of some entries that is not over: on no list before."""
    ids = {entry.subject for entry in entries if entry.kind in ("report", "override")}
    tournaments = delta.after.tables["tournaments"]
    to_come = pl.col("tournament_id").is_in(ids) & (pl.col("end_date") > today)
    for name, day in tournaments.filter(to_come).select("name", "end_date").iter_rows():
        yield Problem(
            at=Location(printable(name)),
            what=msg(
                "it ends on %(day)s, after today, and is on no list until then",
                day=LocalNumber(day.isoformat()),
            ),
            clause="facts tournaments.end_date",
            remedy=msg("If the day is wrong, correct end_date."),
        )


def _wrong_clocks(before: State, writer: Writer) -> Iterator[Problem]:
    """A notice that the last entry comes from the future, so that later ones must, too."""
    now = writer.clock()
    last = datetime.fromisoformat(before.recorded_at) if before.sequence else now
    if last - now > timedelta(days=1):
        yield Problem(
            at=Location(f"entry {before.sequence}"),
            what=msg(
                "it has the time %(then)s, and this computer's clock says %(now)s; every later"
                " entry gets a later time",
                then=before.recorded_at[:19],
                now=timestamp(now)[:19],
            ),
            clause="journal clock",
            remedy=msg(
                "If this computer's clock is wrong, set it and try again. If the entry's is, ask"
                " what was known with an entry such as #%(entry)s, not on a day.",
                entry=str(before.sequence),
            ),
        )


# ── one row, given as text ───────────────────────────────────────────────────────────────────────


def checked_row(
    table: str,
    cells: Mapping[str, str | None],
    *,
    title: str = "",
    only: Collection[str] | None = None,
) -> dict[str, Any]:
    """A row of a table given as text, typed and checked; empty text is no value.

    Args:
        table: its name.
        cells: the text of its cells.
        title: the row's name in problems; by default, its table's.
        only: the columns to check; by default all, and the row has to be valid on its own.

    Raises:
        FactsRejected: a cell is wrong.
    """
    texts = {name: (text or "").strip() or None for name, text in cells.items()}
    frame = pl.DataFrame(
        {**{name: [text] for name, text in texts.items()}, FILE: [title or table], LINE: [0]},
        schema={**dict.fromkeys(texts, pl.String), FILE: pl.String, LINE: pl.UInt32},
    )
    draft = parse_frames({table: frame})
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


# ── contradictions ───────────────────────────────────────────────────────────────────────────────


def contradictions(delta: Delta) -> Iterator[Problem]:
    """Everything wrong with the facts that some entries change, and was not wrong before.

    So what was recorded under less strict checks can still be corrected, merged and withdrawn.
    """
    if circles := list(_circular_merges(delta)):  # other problems would only follow from them
        yield from circles
        return
    players = delta.players | _members(delta)
    facts = Facts(with_people(delta.rows, delta.after.tables, players))
    if problems := check(facts).problems:
        before = Facts(subset(delta.before.tables, delta.tournaments, players))
        yield from _new_problems(problems, check(before).problems)
    if overridden := {key for group, key in delta.places if group == "overrides"}:
        before, after = (
            Facts(subset(projection.tables, overridden))
            for projection in (delta.before, delta.after)
        )  # what is looked for when a report is read
        yield from _new_problems(arriving(after), arriving(before))
    yield from _unknown_players(delta, facts)
    yield from _duplicate_ids(delta, facts, "events", "event_id", "an event")
    yield from _duplicate_ids(delta, facts, "matches", "match_id", "a match")
    yield from _merged_though_apart(delta)


def _new_problems(after: Iterable[Problem], before: Iterable[Problem]) -> Iterator[Problem]:
    """Problems of places that had no problem with that clause before."""
    old = {(problem.where, problem.clause) for problem in before}
    return (problem for problem in after if (problem.where, problem.clause) not in old)


def _members(delta: Delta) -> set[str]:
    """The players whose memberships some entries state, by their ids after merges."""
    members = {subject_of(key) for group, key in delta.places if group == "memberships"}
    merged = canonical_ids(delta.after.state.merges()) if members else {}
    return {merged.get(member, member) for member in members}


def _unknown_players(delta: Delta, facts: Facts) -> Iterator[Problem]:
    """Ids of players in reports, memberships or merges that no player has."""
    existing = set(facts["players"]["player_id"])
    unknown = set(appearances(facts.tables)["player_id"]) - existing
    merges = delta.after.state.merges()
    gone = (delta.players | _members(delta)) - existing - merges.keys()
    if gone:
        tables = delta.after.tables
        members = tables["memberships"]["player_id"]
        unknown |= set(appearances(tables, gone)["player_id"])
        unknown |= gone & {*members, *merges.values()}
    for player in sorted(unknown):
        yield Problem(
            at=Location(f"player {printable(player)}"),
            what=msg("this player is named, and there is none of this id"),
            clause="journal players",
            remedy=msg("Record the player first; undo what names them before the player."),
        )


def _duplicate_ids(
    delta: Delta, facts: Facts, table: str, key: str, what: str
) -> Iterator[Problem]:
    """Ids in the changed tournaments that another tournament has, too."""
    changed = facts[table]
    all_rows = delta.after.tables[table]
    if changed.is_empty() or len(all_rows) == len(changed):
        return
    ids = pl.col(key).is_in(changed[key].to_list())
    others = all_rows.filter(ids).join(changed, on=[key, FILE, LINE], how="anti")
    places = {
        id_: Location(file, line) for id_, file, line in changed.select(key, FILE, LINE).iter_rows()
    }
    for row in others.sort(FILE, LINE).iter_rows(named=True):
        yield Problem(
            at=places[row[key]],
            what=msg(
                "%(what)s with the id %(id)s is in %(file)s already, of another tournament",
                what=(what,),
                id=printable(row[key]),
                file=row[FILE],
            ),
            clause=f"facts {table}",
            remedy=msg("Give it an id of its own, or report it under that tournament."),
        )


def _circular_merges(delta: Delta) -> Iterator[Problem]:
    """Records that are merged into each other."""
    if not any(group == "merges" for group, _ in delta.places):
        return
    merges = delta.after.state.merges()
    circles = set()
    for start, end in canonical_ids(merges).items():
        if start == end:  # in a circle
            circle = [start]
            while (into := merges[circle[-1]]) != start:
                circle.append(into)
            circles.add(tuple(sorted(circle)))
    for players in sorted(circles):
        yield Problem(
            at=Location(f"player {printable(players[0])}"),
            what=msg(
                "they would be merged, in the end, into themselves: %(players)s",
                players=", ".join(players),
            ),
            clause="journal merges",
            remedy=msg("Undo the merge that is wrong first."),
        )


def _merged_though_apart(delta: Delta) -> Iterator[Problem]:
    """Decisions that two records are two players, where they become one."""
    if not any(group in ("merges", "apart") for group, _ in delta.places):
        return
    then, now = (_apart_in_one(projection.state) for projection in (delta.before, delta.after))
    for entry, players in now.items() - then.items():
        yield Problem(
            at=Location(f"entry {entry}"),
            what=msg(
                "it says that %(players)s are two players, and they would be one",
                players=" and ".join(map(printable, players)),
            ),
            clause="journal merges",
            remedy=msg("Undo what is wrong first: this entry, or the merge."),
        )


def _apart_in_one(state: State) -> dict[int, tuple[str, ...]]:
    """The entries that keep apart two records that are merged, with these."""
    ids = canonical_ids(state.merges())
    return {
        statement.sequence: tuple(players)
        for _, statement in state.all_in_force("apart")
        for players in [statement.body.players]
        if len({ids.get(each, each) for each in players}) == 1
    }


def lost_overrides(delta: Delta, source: Reader) -> Iterator[Problem]:
    """Problems of overrides that do not find their row in a changed report."""
    state = delta.after.state
    changed = {key for group, key in delta.places if group in ("tournaments", "overrides")}
    reports = [state.report(tournament) for tournament in changed if state.overrides(tournament)]
    for entry in source.by_number([report.sequence for report in reports if report is not None]):
        tables = tables_of(entry)
        for override in state.not_undone("overrides", entry.subject):
            if row := _missing_row(tables, override.body):
                yield Problem(
                    at=Location(f"entry {override.sequence}"),
                    what=msg(
                        "the row that this override of %(tournament)s changes is gone: %(row)s",
                        tournament=printable(entry.subject),
                        row=row,
                    ),
                    clause="journal overrides",
                    remedy=hint(
                        "undo-if-unneeded",
                        "If it is no longer needed, undo entry %(entry)s first.",
                        entry=str(override.sequence),
                    ),
                )
            tables = with_overrides(tables, [override.body])


def _missing_row(tables: Tables, override: Override) -> str:
    """The row that an override does not find, in words; empty if it finds it."""
    if override.player is not None:
        before = override.player.before
        return "" if before in player_ids(tables) else f"player {before}"
    if matching_rows(tables.get(override.table, {}), override.row):
        return ""
    row = ", ".join(f"{name} {printable(value)}" for name, value in override.row.items())
    return f"{override.table}, {row}"


# ── exchange rates, recorded with the reports that need them ──────────────────────────────────────


def rate_body(row: Mapping[str, Any]) -> Rate:
    """The body of an entry for a row of the table of rates."""
    return msgspec.convert({name: plain_cell(row[name]) for name in TABLES["rates"]}, Rate)


def stated_rates(keys: Iterable[str]) -> pl.DataFrame:
    """Currencies and days of rates, given the keys of their statements."""
    pairs = [msgspec.json.decode(key) for key in keys]
    frame = pl.DataFrame(pairs, {"currency": pl.String, "date": pl.String}, orient="row")
    return frame.with_columns(pl.col("date").str.to_date("%Y-%m-%d"))


def rates_for(facts: Facts, arrived: Facts, reports: Iterable[Draft]) -> list[Draft]:
    """The bank's rates that reports need, to be recorded before them."""
    mine = pl.col("tournament_id").is_in([report.subject for report in reports])
    rates = pl.concat(
        [tables["rates"].select(list(schema("rates"))) for tables in (facts, arrived)]
    )
    needing = Facts({"tournaments": arrived["tournaments"].filter(mine), "rates": rates})
    return waiting_rates(needing)[0]


def missing_rates(delta: Delta) -> tuple[list[Draft], list[Problem]]:
    """The bank's rates that changed reports still need, and notices of those it does not have.

    Only the rates of tournaments in which somebody paid are missed.
    """
    changed = [key for group, key in delta.places if group in ("tournaments", "overrides")]
    tournaments = delta.rows["tournaments"].filter(pl.col("tournament_id").is_in(changed))
    reported = Facts({"tournaments": tournaments, "rates": delta.after.tables["rates"]})
    paid = delta.rows["events"].filter((pl.col("entry_fee") > 0) | (pl.col("added_money") > 0))
    missed = tournaments.join(paid, on="tournament_id", how="semi")
    return waiting_rates(reported, missed=set(missed.select("currency", "end_date").iter_rows()))


def waiting_rates(
    facts: Facts, bank: Bank | None = None, missed: Collection[Needed] | None = None
) -> tuple[list[Draft], list[Problem]]:
    """The bank's rates that tournaments wait for, and notices of those it does not have.

    Args:
        facts: the tournaments, and the rates that are recorded.
        bank: by default, the one that is shipped.
        missed: of which currencies and days a notice says so; by default, of all.
    """
    needed = rates_needed(facts, money_disciplines)
    if not needed:
        return [], []
    bank = bank or shipped()
    drafts = [draft(row["currency"], rate_body(row)) for row in bank_rows(needed, bank)]
    with_rate = {(draft.subject, draft.body.date) for draft in drafts}
    return drafts, [
        Problem(
            at=Location(currency),
            what=_unknown(currency, day, bank),
            clause="journal rates",
            remedy=hint(
                "take-newer-rates",
                "Record the exchange rate, or state the tournament's euro per unit.",
            ),
        )
        for currency, day in needed
        if (currency, day) not in with_rate and (missed is None or (currency, day) in missed)
    ]


def _unknown(currency: str, day: date, bank: Bank) -> str:
    about = {"currency": currency, "day": LocalNumber(day.isoformat())}
    if bank.until is None or bank.reaches(day):
        return msg(
            "no rate of %(currency)s on %(day)s or the %(days)s days before",
            days=str(LOOK_BACK),
            **about,
        )
    return msg(
        "no rate of %(currency)s on %(day)s: the bank's rates end on %(until)s",
        until=LocalNumber(bank.until.isoformat()),
        **about,
    )
