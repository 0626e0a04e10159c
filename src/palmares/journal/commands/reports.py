"""
Reports arrive: facts become statements of a journal, and nothing is stated twice.

    report      checked facts  ->  an action that records what is new in them
    stated      a membership or a rate  ->  its draft, unless the same is stated already
    standing_of what such a draft would replace
    without_discipline  facts  ->  a problem for each tournament that is not said to be of any
    ALIKE       the clause under which a new player is told who looks like a known one

Players come first, then memberships, exchange rates, and one entry a tournament: all of it in one
transaction. What is here already is known again (`palmares.journal.repeats`). Another report of the
same tournament must name the entry that it replaces, and that must be the one in force: so nobody
writes over what he has not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from palmares.errors import FactsRejected, Problem
from palmares.facts.found import problems_at
from palmares.facts.tables import FILE, LINE, TABLES, Facts
from palmares.facts.texts import shown
from palmares.journal.advice import SAY_SO
from palmares.journal.bodies import WHO, Tables, by_tournament, content, of_tournaments
from palmares.journal.corrections import forgotten, lost, stale
from palmares.journal.entries import Draft
from palmares.journal.identity import Reported, Resolution, resolved, spelled
from palmares.journal.lookalikes import looks_like
from palmares.journal.rates import body_of, rates_for
from palmares.journal.recording import Action, Desk
from palmares.journal.repeats import answer, known_files, report_of, unchanged, without
from palmares.journal.state import Statement, key_of, together
from palmares.journal.words import names_in
from palmares.progress import over
from palmares.results import WITHHELD
from palmares.sentences import either, said

ALIKE = "journal lookalikes"
MEMBERS = "facts memberships.player_id"
DISCIPLINE = "facts tournaments.discipline"
STATE_IT = said("State the discipline, such as %(example)s.", example='`discipline = "backgammon"`')
AT_ONCE = 500
"""Entries handed to the database at a time."""


def report(
    facts: Facts,
    *,
    replaces: Collection[int] = (),
    key: str | None = None,
    chosen: Mapping[str, str] | None = None,
    sources: Mapping[str, str] | None = None,
    told: Callable[[Desk, Resolution], None] | None = None,
) -> Action:
    """Record facts: what the journal has already is told in a notice and not recorded again.

    Args:
        facts: checked facts of one tournament or many, of players, memberships or rates.
        replaces: the entries in force that reports in these facts are to replace.
        key: a program's own for this delivery; sent again, it records nothing more.
        chosen: who somebody is: a name as written -> the id of a player, or ``new``.
        sources: the sha256 of the file by tournament, where it is one (`repeats.sources_of`).
        told: is told who everybody is, before anything is put down.

    Raises, when it is done:
        FactsRejected: somebody cannot be told apart; an override would no longer find its row.
        Refused: a tournament was reported otherwise and the entry in force is not named; the key
            was used for something else.
    """

    def arrive(desk: Desk) -> None:
        desk.notices += (one for one in facts.notices if one.clause != MEMBERS)
        desk.notices += _left_aside(facts)
        earlier = None if key is None else desk.writer.keyed(key)
        meant = _with(facts, chosen or {})
        alone = {one: file for one, file in (sources or {}).items() if one not in meant}
        known = known_files(desk, alone, earlier)
        sent = _Sent(frozenset(replaces) - _versions(desk, known), key, sources or {})
        rest = without(facts, known)
        if earlier is None:
            desk.notices += (unchanged(found, report_of(one)) for one, found in known.items())
        if not any(rest):
            who = Resolution(ids={}, drafts=(), new=(), notices=(), lookalikes=())
        else:
            who = resolved(desk, reported(rest), chosen or {})
            if told is not None:
                told(desk, who)
        arrived = by_tournament(_named_by_id(rest, who.ids))
        silent = dict(without_discipline(rest))
        if earlier is not None:
            answer(desk, earlier, known, arrived)
            return
        desk.notices += [*who.notices, *_alike(who)]
        drafts = [*who.drafts, *_memberships(desk, rest, who.ids), *_rates(desk, rest)]
        reports = list(_reports(desk, arrived, sent, lambda: _names(desk, rest, who), silent))
        drafts += [*rates_for(desk, rest, reports), *reports]
        for start in over(range(0, len(drafts), AT_ONCE), "entries to record"):
            desk.extend(drafts[start : start + AT_ONCE])

    return arrive


@dataclass(frozen=True, slots=True)
class _Sent:
    """What came with the reports."""

    replaces: frozenset[int]
    key: str | None
    sources: Mapping[str, str]


def _versions(desk: Desk, tournaments: Iterable[str]) -> set[int]:
    """The entries that report some tournaments, in force or not."""
    found = desk.projection.state.group("tournaments")
    return {version.sequence for one in tournaments for version in found[one]}


def _with(facts: Facts, chosen: Mapping[str, str]) -> set[str]:
    """The tournaments that name somebody of whom it is said who he is."""
    if not chosen:
        return set()
    players = facts["players"]
    written = pl.format("{} ({})", "name", "nation")
    names = [*chosen, *map(spelled, chosen)]
    wanted = pl.any_horizontal(
        one.is_in(names) for one in (pl.col("player_id"), pl.col("name"), written)
    )
    ids = players.filter(wanted)["player_id"].to_list()
    return {
        one
        for name, (table, of) in of_tournaments(facts).items()
        if name in WHO
        for one in of.filter(table.select(pl.any_horizontal(pl.col(WHO[name]).is_in(ids)))
                             .to_series().fill_null(value=False))
    }  # fmt: skip


# ── who is named ─────────────────────────────────────────────────────────────────────────────────


def reported(facts: Facts) -> list[Reported]:
    """Everybody whom facts name, with all that they say of him."""
    players = facts["players"]
    beside = [one for one in players.columns if one not in (*TABLES["players"], FILE, LINE)]
    played = {player: (day, events) for player, day, events in _played(facts).iter_rows()}
    nowhere: tuple[None, tuple[str, ...]] = None, ()
    files = {file: at for at, file in enumerate(players[FILE].unique(maintain_order=True))}
    return [
        Reported(
            key=row["player_id"],
            name=row["name"],
            nation=row["nation"],
            given=_was_given(row["player_id"], row["name"]),
            withheld=row["withheld"],
            more={one: row[one] for one in beside if row[one]},
            last_day=played.get(row["player_id"], nowhere)[0],
            events=played.get(row["player_id"], nowhere)[1],
            file=files[row[FILE]],
        )
        for row in players.iter_rows(named=True)
    ]


def _alike(who: Resolution) -> Iterator[Problem]:
    """New players who may be others."""
    new = set(who.new)
    for one in who.lookalikes:
        merge = said("If they are one player, merge them once they are recorded.")
        choose = either(
            f'If they are one player: --is "{one.form}={one.other}".',
            SAY_SO,
        )
        yield Problem(
            where=f"new player {one.player}",
            what=looks_like(one),
            clause=ALIKE,
            remedy=merge if one.other in new else choose,
        )


def _was_given(player_id: str, name: str) -> bool:
    """Whether an id is more than the name as written: ``Ada Novak`` or ``Ada Novak (CZE)``."""
    written = player_id.startswith(f"{name} (") and player_id.endswith(")")
    return player_id != name and not written


def _played(facts: Facts) -> pl.DataFrame:
    """The last day of the latest tournament in which each player appears, and their events."""
    events = facts["events"].join(
        facts["tournaments"].select("tournament_id", "end_date"), on="tournament_id"
    )
    named = pl.concat(
        facts[table].select("event_id", pl.col(column).alias("player_id"))
        for table, columns in WHO.items()
        for column in columns
    )
    return (
        named.filter(pl.col("player_id").is_not_null())
        .join(events.select("event_id", "end_date"), on="event_id")
        .group_by("player_id")
        .agg(pl.col("end_date").max(), pl.col("event_id").unique())
    )


def _names(desk: Desk, facts: Facts, who: Resolution) -> dict[str, str]:
    """Names of players by id, for messages: those of the journal, then those just reported.

    A director reads them, so a withheld name is among them only where his report says it itself.
    """
    players = facts["players"]
    written = zip(players["player_id"].to_list(), players["name"].to_list(), strict=True)
    here = {who.ids.get(one, one): name for one, name in written}
    people = desk.projection.tables["players"]
    hidden = dict.fromkeys(people.filter("withheld")["player_id"].to_list(), WITHHELD)
    told = names_in(desk.projection)
    return {**hidden, **here, **{one: told[one] for one in told if one not in hidden}}


def _left_aside(facts: Facts) -> Iterator[Problem]:
    """Columns that the contract does not know; only those of players are kept."""
    for name, table in facts.tables.items():
        unknown = (one for one in table.columns if one not in (*TABLES[name], FILE, LINE))
        beside = [one for one in unknown if table[one].null_count() < len(table)]
        if beside and name != "players":
            yield Problem(
                where=str(table[FILE][0]),
                what=said(
                    "%(table)s has columns that a journal does not keep: %(columns)s",
                    table=name,
                    columns=", ".join(shown(one) for one in beside),
                ),
                clause=f"facts {name}",
                remedy=said("Nothing needs to be done if no rule is to read them."),
            )


# ── tournaments one by one ───────────────────────────────────────────────────────────────────────


def without_discipline(facts: Facts) -> Iterator[tuple[str, Problem]]:
    """The tournaments that do not say their discipline: every regulation would count them."""
    rows = facts["tournaments"].filter(pl.col("discipline").is_null())
    for tournament, name, file, line in rows.select(
        "tournament_id", "name", FILE, LINE
    ).iter_rows():
        yield (
            tournament,
            Problem(
                where=f"{file}:{line}",
                what=said(
                    "%(tournament)s has no discipline", tournament=shown(name or "the tournament")
                ),
                clause=DISCIPLINE,
                remedy=STATE_IT,
            ),
        )


def _named_by_id(facts: Facts, ids: Mapping[str, str]) -> Facts:
    """The same facts with every player under his id in the journal."""
    tables = dict(facts.tables)
    old, new = list(ids), list(ids.values())
    for name, columns in WHO.items():
        if old and tables[name].height:
            tables[name] = tables[name].with_columns(pl.col(columns).replace(old, new))
    return Facts(tables)


def _reports(
    desk: Desk,
    arrived: Mapping[str, Tables],
    sent: _Sent,
    names: Callable[[], Mapping[str, str]],
    silent: Mapping[str, Problem],
) -> Iterator[Draft]:
    """A draft for each tournament that is reported for the first time, or otherwise than before.

    Raises:
        Refused: a version in force would be replaced unseen, or is not the one that was named.
        FactsRejected: a report has no discipline; an override would no longer find its row.
    """
    state = desk.projection.state
    digests = {one: content(tables) for one, tables in arrived.items()}
    standing = {one: found for one in arrived if (found := state.report(one)) is not None}
    same = {one for one, found in standing.items() if found.body["content"] == digests[one]}
    unseen = {
        found.sequence: arrived[one]
        for one, found in standing.items()
        if one not in same and found.sequence not in sent.replaces
    }
    gone = sent.replaces - {found.sequence for found in standing.values()}
    gone -= _versions(desk, same)
    if unseen or gone:
        raise stale(desk.writer, unseen, gone, names())
    new = {one: tables for one, tables in arrived.items() if one not in same}
    problems = [silent[one] for one in new if one in silent]
    problems += [one for each, tables in new.items() for one in lost(state, each, tables)]
    if problems:
        raise FactsRejected(problems, so=said("nothing was recorded"))
    replaced = [found.sequence for one, found in standing.items() if one not in same]
    for entry in desk.writer.those(replaced):
        desk.notices += forgotten(state, entry, arrived[entry.subject])
    key = sent.key
    desk.notices += (
        unchanged(standing[one].sequence, report_of(one)) for one in arrived if one in same
    )
    for tournament, tables in new.items():
        before = standing.get(tournament)
        body = {
            "content": digests[tournament],
            "source": sent.sources.get(tournament),
            "replaces": before.sequence if before else None,
            "tables": tables,
        }
        yield Draft(kind="report", subject=tournament, body=body, key=key)
        key = None


# ── what stands beside reports ───────────────────────────────────────────────────────────────────


def _memberships(desk: Desk, facts: Facts, ids: Mapping[str, str]) -> Iterator[Draft]:
    rows = facts["memberships"].sort("start", "player_id", "federation")
    state = desk.projection.state
    here, records = state.group("players"), together(state.merges())
    nobody = [one for one in rows["player_id"].unique() if one not in ids and one not in here]
    if nobody:
        raise FactsRejected(_nobodies(rows, nobody), so=said("nothing was recorded"))
    for row in rows.iter_rows(named=True):
        body = {
            "player_id": ids.get(row["player_id"], row["player_id"]),
            "federation": row["federation"],
            "level": row["level"],
            "start": row["start"].isoformat(),
            "end": row["end"].isoformat() if row["end"] else None,
        }
        player = body["player_id"]
        yield from stated(desk, "membership", player, body, records.get(player, ()))


def _nobodies(rows: pl.DataFrame, nobody: Collection[str]) -> Iterator[Problem]:
    return problems_at(
        rows.filter(pl.col("player_id").is_in(list(nobody))),
        lambda row: f"{shown(row['player_id'])} is no player of these facts or of the journal",
        MEMBERS,
        "Add a row for this member to the table of players.",
    )


def _rates(desk: Desk, facts: Facts) -> Iterator[Draft]:
    for row in facts["rates"].sort("date", "currency").iter_rows(named=True):
        body = body_of(row)
        if row["published_on"] and standing_of(desk, "rate", [row["currency"]], body):
            continue  # what is recorded of that day, perhaps by an officer, is no worse
        yield from stated(desk, "rate", row["currency"], body)


_KEYED = {"membership": ("memberships", ("federation", "start")), "rate": ("rates", ("date",))}


def stated(
    desk: Desk,
    kind: str,
    subject: str,
    body: Mapping[str, Any],
    records: Collection[str] = (),
) -> list[Draft]:
    """Drafts of a membership or a rate, unless the same is stated already.

    Args:
        desk: is told in a notice what is replaced.
        kind: ``membership`` or ``rate``.
        subject: whose.
        body: what is stated.
        records: of a membership: all records of a player who has several. What was stated of
            one of them, of the same federation and first day, is replaced where it stands.
    """
    found = standing_of(desk, kind, (subject, *records), body)
    if not found:
        return [Draft(kind=kind, subject=subject, body=body)]
    if subject in found and found[subject].body == body:
        return []
    drafts = []
    for one, old in found.items():
        new = {**body, "player_id": one} if records else body
        if old.body != new:
            desk.notices.append(_replaced(old, new, one))
            drafts.append(Draft(kind=kind, subject=one, body=new))
    return drafts


def standing_of(
    desk: Desk, kind: str, subjects: Iterable[str], body: Mapping[str, Any]
) -> dict[str, Statement]:
    """The statements in force that another one of their key would replace, by subject."""
    group, more = _KEYED[kind]
    state, rest = desk.projection.state, [body[one] for one in more]
    found = {one: state.standing(group, key_of(one, *rest)) for one in subjects}
    return {one: statement for one, statement in found.items() if statement is not None}


def _replaced(found: Statement, body: Mapping[str, Any], subject: str) -> Problem:
    old = ", ".join(
        f"{name} {found.body[name] or 'empty'}" for name in body if found.body[name] != body[name]
    )
    return Problem(
        where=f"entry {found.sequence}",
        what=f"this {found.kind} of {shown(subject)} is replaced; until now: {old}",
        clause=f"journal {found.kind}s",
        remedy="If that is wrong, leave it out, or undo it afterwards.",
    )
