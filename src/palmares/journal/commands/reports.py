"""
Reports are ingested: facts become statements of a journal, and nothing is stated twice.

Players come first, then memberships, exchange rates, and one entry a tournament: all of it in one
transaction. By its content a report is known again as long as its players go by the same names; by
its file it is known even where a player has another name now, or none. Another report of the same
tournament must name the entry that it replaces, and that must be the one in force: so nobody
writes over what they have not seen.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path

import msgspec
import polars as pl

from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import hint, msg
from palmares.core.progress import over
from palmares.facts.bank import shipped
from palmares.facts.problems import MISSING, Cell, problems_at
from palmares.facts.schema import FILE, LINE, PLAYER_COLUMNS, TABLES, WITHHELD, Facts
from palmares.facts.subsets import appearances, played_in
from palmares.facts.text import shown
from palmares.journal.commands.rates import rate_body, rates_for
from palmares.journal.commands.transaction import Transaction, action, already_recorded
from palmares.journal.commands.versions import lost_overrides, missing_erased_players, refuse_unseen
from palmares.journal.identity.register import ReportedPlayer
from palmares.journal.identity.resolve import Resolution, resolve_players, with_nation_code
from palmares.journal.projection.bodies import by_tournament, content_digest, of_tournaments
from palmares.journal.projection.state import Statement, place_of
from palmares.journal.store.entries import Draft, Entry
from palmares.journal.store.kinds import Body, Membership, Rate, Report, Tables, draft
from palmares.journal.wording import player_names

POSSIBLE_DUPLICATES = "journal lookalikes"
"""The clause under which a new player is told who looks like a known one."""

MEMBERS = "facts memberships.player_id"
DISCIPLINE = "facts tournaments.discipline"
STATE_IT = msg("State the discipline, such as %(example)s.", example='`discipline = "backgammon"`')
AT_ONCE = 500
"""Entries handed to the database at a time."""


@action
def report(
    transaction: Transaction,
    facts: Facts,
    *,
    replaces: Collection[int] = (),
    key: str | None = None,
    chosen: Mapping[str, str] | None = None,
    sources: Mapping[str, str] | None = None,
    told: Callable[[Transaction, Resolution], None] | None = None,
) -> None:
    """Record facts: what the journal has already is told in a notice and not recorded again.

    Args:
        transaction: where they are recorded.
        facts: checked facts of one tournament or many, of players, memberships or rates.
        replaces: the entries in force that reports in these facts are to replace.
        key: a program's own for this delivery; sent again, it records nothing more.
        chosen: who somebody is: a name as written -> the id of a player, or ``new``.
        sources: the sha256 of the file by tournament, where it is one (`sources_of`).
        told: is told who everybody is, before anything is added.

    Raises, when it is done:
        FactsRejected: somebody cannot be told apart; an override would no longer find its row.
        Refused: a tournament was reported otherwise and the entry in force is not named; the key
            was used for something else.
    """
    notices = transaction.notices
    notices += (notice for notice in facts.notices if notice.clause != MEMBERS)
    notices += _ignored_columns(facts)
    earlier = None if key is None else transaction.writer.by_key(key)
    meant = _tournaments_naming(facts, chosen or {})
    alone = {one: file for one, file in (sources or {}).items() if one not in meant}
    known = _recorded_files(transaction, alone, earlier)
    replaced = frozenset(replaces) - _versions(transaction, known)
    rest = _without(facts, known)
    if earlier is None:
        notices += (already_recorded(entry, _report_of(one)) for one, entry in known.items())
    who = Resolution()
    if any(rest):
        register = transaction.register
        who = resolve_players(register, reported_players(rest), chosen or {})
        if told is not None:
            told(transaction, who)
    arrived = by_tournament(_with_journal_ids(rest, who.ids))
    silent = dict(without_discipline(rest))
    if earlier is not None:
        _answer(transaction, earlier, known, arrived)
        return
    notices += [*who.notices, *_duplicate_notices(who)]
    beside = [*_memberships(transaction, rest, who.ids), *_rates(transaction, rest)]
    names = lambda: _names(transaction, rest, who)  # noqa: E731  asked for where one is refused
    reports = list(_reports(transaction, arrived, names, silent, replaced, key, sources or {}))
    bank = transaction.bank or shipped()
    needed = rates_for(transaction.projection.facts, rest, reports, bank)
    drafts = [*who.drafts, *beside, *needed, *reports]
    for start in over(range(0, len(drafts), AT_ONCE), "entries to record"):
        transaction.extend(drafts[start : start + AT_ONCE])


def _versions(transaction: Transaction, tournaments: Iterable[str]) -> set[int]:
    """The entries that report some tournaments, in force or not."""
    found = transaction.state.group("tournaments")
    return {version.sequence for tournament in tournaments for version in found[tournament]}


def _tournaments_naming(facts: Facts, chosen: Mapping[str, str]) -> set[str]:
    """The tournaments that name somebody of whom it is said who they are."""
    if not chosen:
        return set()
    players = facts["players"]
    written = pl.format("{} ({})", "name", "nation")
    names = [*chosen, *map(with_nation_code, chosen)]
    wanted = pl.any_horizontal(
        one.is_in(names) for one in (pl.col("player_id"), pl.col("name"), written)
    )
    ids = players.filter(wanted)["player_id"].to_list()
    return played_in(facts.tables, ids)


# ── who is named ─────────────────────────────────────────────────────────────────────────────────


def reported_players(facts: Facts) -> list[ReportedPlayer]:
    """Everybody whom facts name, with all that they say of each."""
    players = facts["players"]
    beside = [
        column for column in players.columns if column not in (*TABLES["players"], FILE, LINE)
    ]
    played = {player: (day, events) for player, day, events in _played(facts).iter_rows()}
    nowhere: tuple[None, tuple[str, ...]] = None, ()
    files = {file: at for at, file in enumerate(players[FILE].unique(maintain_order=True))}
    return [
        ReportedPlayer(
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


def _duplicate_notices(who: Resolution) -> Iterator[Problem]:
    """New players who may be others."""
    new = set(who.new)
    for lookalike in who.possible_duplicates:
        merge = msg("If they are one player, merge them once they are recorded.")
        choose = hint(
            "say-so",
            "If they are one player, say so.",
            form=str(lookalike.form),
            other=lookalike.other,
        )
        yield Problem(
            at=Location(f"new player {lookalike.player}"),
            what=lookalike.text,
            clause=POSSIBLE_DUPLICATES,
            remedy=merge if lookalike.other in new else choose,
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
    return (
        appearances(facts.tables)
        .join(events.select("event_id", "end_date"), on="event_id")
        .group_by("player_id")
        .agg(pl.col("end_date").max(), pl.col("event_id").unique())
    )


def _names(transaction: Transaction, facts: Facts, who: Resolution) -> dict[str, str]:
    """Names of players by id, for messages: those of the journal, then those just reported.

    A director reads them, so a withheld name is among them only where their report says it itself.
    """
    players = facts["players"]
    written = zip(players["player_id"].to_list(), players["name"].to_list(), strict=True)
    here = {who.ids.get(one, one): name for one, name in written}
    people = transaction.projection.tables["players"]
    hidden = dict.fromkeys(people.filter("withheld")["player_id"].to_list(), WITHHELD)
    told = player_names(transaction.projection)
    return {**hidden, **here, **{one: told[one] for one in told if one not in hidden}}


def _ignored_columns(facts: Facts) -> Iterator[Problem]:
    """Columns that the contract does not know; only those of players are kept."""
    for name, table in facts.tables.items():
        unknown = (column for column in table.columns if column not in (*TABLES[name], FILE, LINE))
        beside = [one for one in unknown if table[one].null_count() < len(table)]
        if beside and name != "players":
            yield Problem(
                at=Location(str(table[FILE][0])),
                what=msg(
                    "%(table)s has columns that a journal does not keep: %(columns)s",
                    table=name,
                    columns=", ".join(shown(one) for one in beside),
                ),
                clause=f"facts {name}",
                remedy=msg("Nothing needs to be done if no rule is to read them."),
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
                at=Location(file, line, table="tournaments", key="discipline"),
                what=msg(
                    "%(tournament)s has no discipline", tournament=shown(name or "the tournament")
                ),
                clause=DISCIPLINE,
                remedy=STATE_IT,
                code=MISSING,
            ),
        )


def _with_journal_ids(facts: Facts, ids: Mapping[str, str]) -> Facts:
    """The same facts with every player under their id in the journal."""
    tables = dict(facts.tables)
    old, new = list(ids), list(ids.values())
    for name, columns in PLAYER_COLUMNS.items():
        if old and tables[name].height:
            tables[name] = tables[name].with_columns(pl.col(columns).replace(old, new))
    return Facts(tables)


def _reports(
    transaction: Transaction,
    arrived: Mapping[str, Tables],
    names: Callable[[], Mapping[str, str]],
    silent: Mapping[str, Problem],
    replaces: frozenset[int],
    key: str | None,
    sources: Mapping[str, str],
) -> Iterator[Draft]:
    """A draft for each tournament that is reported for the first time, or otherwise than before.

    Raises:
        Refused: a version in force would be replaced unseen, or is not the one that was named.
        FactsRejected: a report has no discipline; an override would no longer find its row.
    """
    state = transaction.state
    digests = {one: content_digest(tables) for one, tables in arrived.items()}
    current = {one: found for one in arrived if (found := state.report(one)) is not None}
    same = {one for one, found in current.items() if found.body.content_sha256 == digests[one]}
    unseen = {
        found.sequence: arrived[one]
        for one, found in current.items()
        if one not in same and found.sequence not in replaces
    }
    gone = replaces - {found.sequence for found in current.values()}
    gone -= _versions(transaction, same)
    if unseen or gone:
        raise refuse_unseen(transaction.writer, unseen, gone, names())
    new = {one: tables for one, tables in arrived.items() if one not in same}
    problems = [silent[one] for one in new if one in silent]
    problems += [one for each, tables in new.items() for one in lost_overrides(state, each, tables)]
    if problems:
        raise FactsRejected(problems, so=msg("nothing was recorded"))
    replaced = [found.sequence for one, found in current.items() if one not in same]
    for entry in transaction.writer.by_number(replaced):
        transaction.notices += missing_erased_players(state, entry, arrived[entry.subject])
    transaction.notices += (
        already_recorded(current[one].sequence, _report_of(one)) for one in arrived if one in same
    )
    for tournament, tables in new.items():
        before = current.get(tournament)
        body = Report(
            content_sha256=digests[tournament],
            source=sources.get(tournament),
            replaces=before.sequence if before else None,
            tables=tables,
        )
        yield draft(tournament, body, key=key)
        key = None


# ── reports that are known again ─────────────────────────────────────────────────────────────────


def sources_of(facts: Facts) -> dict[str, str]:
    """The sha256 of each tournament's file, where all of it is in one file that has no other."""
    found: dict[str, str] = {}
    alone = facts["tournaments"].filter(~pl.col(FILE).is_duplicated())
    files = dict(alone.select("tournament_id", FILE).iter_rows())
    elsewhere: set[str] = set()
    for table, of in of_tournaments(facts).values():
        there = of.replace_strict(list(files), list(files.values()), default=None)
        elsewhere |= set(of.filter(table[FILE].ne_missing(there)))
    for one, file in files.items():
        if one not in elsewhere and Path(file).is_file():
            found[one] = sha256(Path(file).read_bytes()).hexdigest()
    return found


def _recorded_files(
    transaction: Transaction, sources: Mapping[str, str], earlier: Entry | None
) -> dict[str, int]:
    """Tournaments whose report in force was read from this very file, each with its entry.

    Whom the file names was decided then. Where its delivery is answered again, any version counts.
    """
    state, found = transaction.state, {}
    for one, source in sources.items():
        current = state.report(one)
        versions = state.group("tournaments").get(one, ()) if earlier else [current]
        for version in versions:
            if version and version.kind == "report" and version.body.source == source:
                found[one] = version.sequence
    return found


def _without(facts: Facts, known: Collection[str]) -> Facts:
    """Facts without all that the files of some tournaments say; whoever else is named stays."""
    if not known:
        return facts
    gone = facts["tournaments"].filter(pl.col("tournament_id").is_in(list(known)))[FILE].to_list()
    here = ~pl.col(FILE).is_in(gone)
    tables = {name: table.filter(here) for name, table in facts.tables.items()}
    named = {*appearances(tables)["player_id"], *tables["memberships"]["player_id"]}
    tables["players"] = facts["players"].filter(here | pl.col("player_id").is_in(list(named)))
    return Facts(tables)


def _report_of(tournament: str) -> str:
    """What a notice calls the report of a tournament."""
    return f"report of {shown(tournament)}"


def _answer(
    transaction: Transaction,
    earlier: Entry,
    known: Mapping[str, int],
    arrived: Mapping[str, Tables],
) -> None:
    """Say what was recorded under a key.

    Raises:
        Refused: it was something else.
    """
    versions = transaction.state.group("tournaments")
    told = dict(known)
    for tournament, tables in arrived.items():
        digest = content_digest(tables)
        for one in versions.get(tournament, ()):
            if one.kind == "report" and one.body.content_sha256 == digest:
                told[tournament] = one.sequence
    if earlier.subject not in told or arrived.keys() - told.keys():
        raise Refused(
            f"The key {brief(earlier.key)} was used for entry {earlier.sequence}, which reports"
            f" something else: {shown(earlier.subject)}. Nothing was recorded; use a key of its"
            " own for each delivery."
        )
    transaction.notices += (already_recorded(found, _report_of(one)) for one, found in told.items())


# ── what stands beside reports ───────────────────────────────────────────────────────────────────


def _memberships(
    transaction: Transaction, facts: Facts, ids: Mapping[str, str]
) -> Iterator[Draft]:  # fmt: skip
    rows = facts["memberships"].sort("start", "player_id", "federation")
    here = transaction.state.group("players")
    nobody = [one for one in rows["player_id"].unique() if one not in ids and one not in here]
    if nobody:
        problems = problems_at(
            rows.filter(pl.col("player_id").is_in(nobody)),
            lambda row: f"{shown(row['player_id'])} is no player of these facts or of the journal",
            Cell("memberships", "player_id"),
            "Add a row for this member to the table of players.",
        )
        raise FactsRejected(problems, so=msg("nothing was recorded"))
    for row in rows.select(list(TABLES["memberships"])).iter_rows(named=True):
        player = ids.get(row["player_id"], row["player_id"])
        yield from statement_drafts(transaction, Membership(**{**row, "player_id": player}))


def _rates(transaction: Transaction, facts: Facts) -> Iterator[Draft]:
    for row in facts["rates"].sort("date", "currency").iter_rows(named=True):
        body = rate_body(row)
        if body.published_on and statements_in_force(transaction, body):
            continue  # what is recorded of that day, perhaps by an officer, is no worse
        yield from statement_drafts(transaction, body)


def statement_drafts(transaction: Transaction, body: Membership | Rate) -> list[Draft]:
    """Drafts of a membership or a rate, unless the same is stated already.

    A notice says what is replaced. What was stated of another record of the same player, of the
    same federation and first day, is replaced where it stands.
    """
    found = statements_in_force(transaction, body)
    subject = _subject(body)
    if not found:
        return [draft(subject, body)]
    if subject in found and found[subject].body == body:
        return []
    drafts = []
    for one, old in found.items():
        new = msgspec.structs.replace(body, player_id=one) if one != subject else body
        if old.body != new:
            transaction.notices.append(_replaced(old, new, one))
            drafts.append(draft(one, new))
    return drafts


def statements_in_force(transaction: Transaction, body: Membership | Rate) -> dict[str, Statement]:
    """The statements in force that a membership or a rate would replace, by subject."""
    subject, cells = _subject(body), msgspec.to_builtins(body)
    kind = draft(subject, body).kind
    others = transaction.register.records(subject) if kind == "membership" else ()
    state = transaction.state
    found = {one: state.in_force(*place_of(kind, one, cells)) for one in (subject, *others)}
    return {one: statement for one, statement in found.items() if statement is not None}


def _subject(body: Membership | Rate) -> str:
    return body.player_id if isinstance(body, Membership) else body.currency


def _replaced(found: Statement, body: Body, subject: str) -> Problem:
    before, after = (msgspec.to_builtins(one) for one in (found.body, body))
    old = ", ".join(
        f"{name} {before[name] or 'empty'}" for name in after if before[name] != after[name]
    )
    return Problem(
        at=Location(f"entry {found.sequence}"),
        what=f"this {found.kind} of {shown(subject)} is replaced; until now: {old}",
        clause=f"journal {found.kind}s",
        remedy="If that is wrong, leave it out, or undo it afterwards.",
    )
