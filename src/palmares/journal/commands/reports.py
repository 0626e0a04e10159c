"""
Record reports: facts become entries, in one transaction, and nothing is recorded twice.

A report sent again is recognized by its content, or by an idempotency key. Another report of a
tournament must name the entry in force that it replaces: unseen reports are not overwritten.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import msgspec
import polars as pl

from palmares.core.columns import align
from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import hint, msg, plural
from palmares.core.progress import over
from palmares.facts.merge import appearances
from palmares.facts.names import did_you_mean
from palmares.facts.problems import MISSING, Cell, problems_at
from palmares.facts.schema import (
    FILE,
    KEYS,
    LINE,
    PLAYER_COLUMNS,
    REPORT_TABLES,
    TABLES,
    WITHHELD,
    Facts,
)
from palmares.facts.text import printable
from palmares.journal.commands.transaction import (
    Transaction,
    action,
    already_recorded,
    rate_body,
    rates_for,
)
from palmares.journal.identity.register import ReportedPlayer
from palmares.journal.identity.resolve import Resolution, resolve_players
from palmares.journal.projection.bodies import (
    by_tournament,
    content_digest,
    key_cell,
    player_ids,
    with_players,
)
from palmares.journal.projection.project import State, Statement, canonical_ids, place_of
from palmares.journal.store.entries import (
    Draft,
    Entry,
    Membership,
    Rate,
    Report,
    Tables,
    draft,
    tables_of,
)
from palmares.regulations import regulations

POSSIBLE_DUPLICATES = "journal lookalikes"
"""The clause of notices that a new player looks like another one."""

MEMBERS = "facts memberships.player_id"
DISCIPLINE = "facts tournaments.discipline"
STATE_IT = msg("State the discipline, such as %(example)s.", example='`discipline = "backgammon"`')
BATCH = 500
"""Entries written at a time."""


@action
def report(
    transaction: Transaction,
    facts: Facts,
    *,
    replaces: Collection[int] = (),
    key: str | None = None,
    chosen: Mapping[str, str] | None = None,
    on_resolved: Callable[[Transaction, Resolution], None] | None = None,
) -> None:
    """Record facts; a notice says what the journal has already.

    Args:
        transaction: where they are recorded.
        facts: checked facts of tournaments, players, memberships or rates.
        replaces: the entries in force that these reports replace.
        key: the delivery's idempotency key; sent again, it records nothing more.
        chosen: who people are: a name as written -> the id of a player, or ``new``.
        on_resolved: called when it is known who everyone is, before anything is added.

    Raises, when it is done:
        FactsRejected: a name fits several players; an override no longer finds its row.
        Refused: the tournament has another report in force that *replaces* does not name; the key
            was used for another delivery.
    """
    notices = transaction.notices
    notices += (notice for notice in facts.notices if notice.clause != MEMBERS)
    notices += _ignored_columns(facts)
    who = Resolution()
    if any(facts):
        who = resolve_players(transaction.register, reported_players(facts), chosen or {})
        if on_resolved is not None:
            on_resolved(transaction, who)
    tables = by_tournament(_with_journal_ids(facts, who.ids))
    earlier = None if key is None else transaction.writer.by_key(key)
    if earlier is not None:
        _repeat_answer(transaction, earlier, tables)
        return
    notices += [*who.notices, *_duplicate_notices(who)]
    statements = [*_memberships(transaction, facts, who.ids), *_rates(transaction, facts)]
    reports = list(_reports(transaction, facts, tables, who, frozenset(replaces), key))
    needed = rates_for(transaction.projection.facts, facts, reports)
    drafts = [*who.drafts, *statements, *needed, *reports]
    for start in over(range(0, len(drafts), BATCH), "entries to record"):
        transaction.extend(drafts[start : start + BATCH])


# ── players ──────────────────────────────────────────────────────────────────────────────────────


def reported_players(facts: Facts) -> list[ReportedPlayer]:
    """Everyone whom facts name, with all that they say about each."""
    players = facts["players"]
    more = _additional_columns("players", players)
    days = facts["tournaments"].select("tournament_id", "end_date")
    events = facts["events"].join(days, on="tournament_id").select("event_id", "end_date")
    rows = (  # last day of the latest tournament, and events
        appearances(facts.tables)
        .join(events, on="event_id")
        .group_by("player_id")
        .agg(pl.col("end_date").max(), pl.col("event_id").unique())
    )
    played = {player: (day, events) for player, day, events in rows.iter_rows()}
    nowhere: tuple[None, tuple[str, ...]] = None, ()
    files = {file: at for at, file in enumerate(players[FILE].unique(maintain_order=True))}
    return [
        ReportedPlayer(
            key=row["player_id"],
            name=row["name"],
            nation=row["nation"],
            given=_was_given(row["player_id"], row["name"]),
            withheld=row["withheld"],
            more={column: row[column] for column in more if row[column]},
            last_day=played.get(row["player_id"], nowhere)[0],
            events=played.get(row["player_id"], nowhere)[1],
            file=files[row[FILE]],
        )
        for row in players.iter_rows(named=True)
    ]


def _duplicate_notices(who: Resolution) -> Iterator[Problem]:
    """Notices of new players who may be other players."""
    new = set(who.new)
    for pair in who.possible_duplicates:
        merge = msg("If they are one player, merge them once they are recorded.")
        choose = hint(
            "say-so",
            "If they are one player, say so.",
            form=str(pair.form),
            other=pair.other,
        )
        yield Problem(
            at=Location(f"new player {pair.player}"),
            what=pair.text,
            clause=POSSIBLE_DUPLICATES,
            remedy=merge if pair.other in new else choose,
        )


def _was_given(player_id: str, name: str) -> bool:
    """Whether an id is more than the name as written: ``Ada Novak`` or ``Ada Novak (CZE)``."""
    written = player_id.startswith(f"{name} (") and player_id.endswith(")")
    return player_id != name and not written


def _names(transaction: Transaction, facts: Facts, who: Resolution) -> dict[str, str]:
    """Names of players by id, for messages; withheld ones only if these facts have them."""
    rows = facts["players"].select("player_id", "name").iter_rows()
    reported = {who.ids.get(id_, id_): name for id_, name in rows}
    recorded = transaction.projection.tables["players"].select("player_id", "name", "withheld")
    names = {id_: WITHHELD if withheld else name for id_, name, withheld in recorded.iter_rows()}
    shown_here = {id_: reported[id_] for id_ in reported if names.get(id_, WITHHELD) == WITHHELD}
    return names | shown_here


def _ignored_columns(facts: Facts) -> Iterator[Problem]:
    """Notices of columns that are not recorded: additional ones, but for those of players."""
    for name, table in facts.tables.items():
        unknown = _additional_columns(name, table)
        ignored = [column for column in unknown if table[column].null_count() < len(table)]
        if ignored and name != "players":
            yield Problem(
                at=Location(str(table[FILE][0])),
                what=msg(
                    "%(table)s has columns that a journal does not keep: %(columns)s",
                    table=name,
                    columns=", ".join(map(printable, ignored)),
                ),
                clause=f"facts {name}",
                remedy=msg("Nothing needs to be done if no rule is to read them."),
            )


def _additional_columns(name: str, table: pl.DataFrame) -> list[str]:
    """The columns of a table that the schema does not have."""
    return [column for column in table.columns if column not in (*TABLES[name], FILE, LINE)]


# ── tournaments ──────────────────────────────────────────────────────────────────────────────────


def without_discipline(facts: Facts) -> Iterator[tuple[str, Problem]]:
    """Problems of tournaments without a discipline: every regulation would count them."""
    rows = facts["tournaments"].filter(pl.col("discipline").is_null())
    for tournament, name, file, line in rows.select(
        "tournament_id", "name", FILE, LINE
    ).iter_rows():
        yield (
            tournament,
            Problem(
                at=Location(file, line, table="tournaments", key="discipline"),
                what=msg(
                    "%(tournament)s has no discipline",
                    tournament=printable(name or "the tournament"),
                ),
                clause=DISCIPLINE,
                remedy=STATE_IT,
                code=MISSING,
            ),
        )


def _with_journal_ids(facts: Facts, ids: Mapping[str, str]) -> Facts:
    """The facts with players by their ids in the journal."""
    tables = dict(facts.tables)
    old, new = list(ids), list(ids.values())
    for name, columns in PLAYER_COLUMNS.items():
        if old and tables[name].height:
            tables[name] = tables[name].with_columns(pl.col(columns).replace(old, new))
    return Facts(tables)


def _reports(
    transaction: Transaction,
    facts: Facts,
    tables_by_tournament: Mapping[str, Tables],
    who: Resolution,
    replaces: frozenset[int],
    key: str | None,
) -> Iterator[Draft]:
    """A draft for each tournament with a new report, or another one than before.

    Raises:
        Refused: a report in force would be replaced unseen, or is not the one to be replaced.
        FactsRejected: a report has no discipline.
    """
    state = transaction.state
    digests = {t: content_digest(tables) for t, tables in tables_by_tournament.items()}
    current = {t: last for t in digests if (last := state.report(t)) is not None}
    same = {t for t, last in current.items() if last.body.content_sha256 == digests[t]}
    changed = {t: last.sequence for t, last in current.items() if t not in same}
    unseen = {
        sequence: tables_by_tournament[t]
        for t, sequence in changed.items()
        if sequence not in replaces
    }
    not_in_force = replaces - {last.sequence for last in current.values()}
    versions = state.group("tournaments")
    not_in_force -= {version.sequence for t in same for version in versions[t]}
    if unseen or not_in_force:
        raise _refuse_unseen(transaction, facts, who, unseen, not_in_force)
    new = {t: tables for t, tables in tables_by_tournament.items() if t not in same}
    if problems := [problem for t, problem in without_discipline(facts) if t in new]:
        raise FactsRejected(problems, so=msg("nothing was recorded"))
    for entry in transaction.writer.by_number(changed.values()):
        transaction.notices += missing_erased_players(state, entry, new[entry.subject])
    transaction.notices += (
        already_recorded(current[t].sequence, _report_of(t)) for t in digests if t in same
    )
    for tournament, tables in new.items():
        before = current.get(tournament)
        body = Report(
            content_sha256=digests[tournament],
            replaces=before.sequence if before else None,
            tables=tables,
        )
        yield draft(tournament, body, key=key)
        key = None


# ── reports that are recorded already ────────────────────────────────────────────────────────────


def _report_of(tournament: str) -> str:
    """How a notice names a report."""
    return f"report of {printable(tournament)}"


def _repeat_answer(
    transaction: Transaction,
    earlier: Entry,
    tables_by_tournament: Mapping[str, Tables],
) -> None:
    """Add the notices of a delivery whose key was used before.

    Raises:
        Refused: it was used for other reports.
    """
    versions = transaction.state.group("tournaments")
    recorded: dict[str, int] = {}
    for tournament, tables in tables_by_tournament.items():
        digest = content_digest(tables)
        for version in versions.get(tournament, ()):
            if version.kind == "report" and version.body.content_sha256 == digest:
                recorded[tournament] = version.sequence
    if earlier.subject not in recorded or tables_by_tournament.keys() - recorded.keys():
        raise Refused(
            f"The key {brief(earlier.key)} was used for entry {earlier.sequence}, which reports"
            f" something else: {printable(earlier.subject)}. Nothing was recorded; use a key of its"
            " own for each delivery."
        )
    transaction.notices += (already_recorded(entry, _report_of(t)) for t, entry in recorded.items())


# ── memberships and rates ────────────────────────────────────────────────────────────────────────


def _memberships(
    transaction: Transaction, facts: Facts, ids: Mapping[str, str]
) -> Iterator[Draft]:  # fmt: skip
    rows = facts["memberships"].sort("start", "player_id", "federation")
    players = transaction.state.group("players")
    unknown = [id_ for id_ in rows["player_id"].unique() if id_ not in ids and id_ not in players]
    if unknown:
        problems = problems_at(
            rows.filter(pl.col("player_id").is_in(unknown)),
            lambda row: (
                f"{printable(row['player_id'])} is no player of these facts or of the journal"
            ),
            Cell("memberships", "player_id"),
            "Add a row for this member to the table of players.",
        )
        raise FactsRejected(problems, so=msg("nothing was recorded"))
    for federation in rows["federation"].unique(maintain_order=True):
        transaction.notices += unknown_federation(transaction, federation)
    for row in rows.select(list(TABLES["memberships"])).iter_rows(named=True):
        player = ids.get(row["player_id"], row["player_id"])
        yield from statement_drafts(transaction, Membership(**{**row, "player_id": player}))


def unknown_federation(transaction: Transaction, federation: str) -> Iterator[Problem]:
    """A notice if nobody is a member of a federation, and no regulation asks for its members."""
    recorded = {of.body.federation for _, of in transaction.state.all_in_force("memberships")}
    asked_for = {each.members_of for each in regulations().values() if each.members_of}
    known = {name.casefold(): name for name in (*sorted(asked_for), *sorted(recorded))}
    if federation.casefold() in known:
        return
    near = get_close_matches(federation.casefold(), known, n=1)
    what = msg(
        "nobody is a member of %(federation)s yet, and no regulation asks for its members",
        federation=brief(federation),
    )
    yield Problem(
        at=Location("memberships"),
        what=did_you_mean(what, [known[name] for name in near]) if near else what,
        clause="facts memberships.federation",
        remedy=msg("Record it only if that is its name."),
    )


def _rates(transaction: Transaction, facts: Facts) -> Iterator[Draft]:
    for row in facts["rates"].sort("date", "currency").iter_rows(named=True):
        body = rate_body(row)
        if body.published_on and statements_in_force(transaction, body):
            continue  # the rate of that day was recorded, perhaps by an officer
        yield from statement_drafts(transaction, body)


def statement_drafts(transaction: Transaction, body: Membership | Rate) -> list[Draft]:
    """Drafts of a membership or a rate, unless the same is recorded already.

    A notice says what is replaced, which may be a membership of another record of the player.
    """
    in_force = statements_in_force(transaction, body)
    subject = _subject(body)
    if not in_force:
        return [draft(subject, body)]
    if subject in in_force and in_force[subject].body == body:
        return []
    drafts = []
    for key, old in in_force.items():
        new = msgspec.structs.replace(body, player_id=key) if key != subject else body
        if old.body != new:
            before, after = (msgspec.to_builtins(each) for each in (old.body, new))
            until_now = ", ".join(
                f"{name} {before[name] or 'empty'}" for name in after if before[name] != after[name]
            )
            transaction.notices.append(
                Problem(
                    at=Location(f"entry {old.sequence}"),
                    what=f"this {old.kind} of {printable(key)} is replaced; until now: {until_now}",
                    clause=f"journal {old.kind}s",
                    remedy="If that is wrong, leave it out, or undo it afterwards.",
                )
            )
            drafts.append(draft(key, new))
    return drafts


def statements_in_force(transaction: Transaction, body: Membership | Rate) -> dict[str, Statement]:
    """The statements in force that a membership or a rate would replace, by subject."""
    subject, cells = _subject(body), msgspec.to_builtins(body)
    kind = draft(subject, body).kind
    others = transaction.register.records(subject) if kind == "membership" else ()
    state = transaction.state
    statements = {key: state.in_force(*place_of(kind, key, cells)) for key in (subject, *others)}
    return {key: statement for key, statement in statements.items() if statement is not None}


def _subject(body: Membership | Rate) -> str:
    return body.player_id if isinstance(body, Membership) else body.currency


# ── two versions of a report ──────────────────────────────────────────────────────────────────────

MAX_SHOWN = 40
"""Differences listed in a message."""

Row = Mapping[str, Any]


def difference_lines(
    before: Tables, after: Tables, titles: tuple[str, str], names: Mapping[str, str]
) -> list[str]:
    """The differences of two versions of a report, as lines of a table.

    Args:
        before: a version.
        after: another version.
        titles: of the two versions: "entry 12", "yours".
        names: of players by id.
    """
    grid = [("table", "row", "column", *titles)]
    for table in REPORT_TABLES:
        old, new = (_rows(table, tables.get(table, {})) for tables in (before, after))
        players = PLAYER_COLUMNS.get(table, ())
        for key in sorted(old.keys() | new.keys(), key=repr):
            cells = dict(zip(KEYS[table], key, strict=True))
            row = ", ".join(_text(cells[name], name in players, names) for name in cells)
            for column, *values in _changes(old.get(key), new.get(key), cells):
                was, now = (_text(value, column in players, names) for value in values)
                grid.append((table, row, column, was, now))
    lines = align(grid[: MAX_SHOWN + 1])
    more = len(grid) - 1 - MAX_SHOWN
    return lines if more <= 0 else [*lines, f"… and {more} more."]


def _rows(table: str, columns: Mapping[str, Sequence[Any]]) -> dict[tuple[Any, ...], Row]:
    """The rows of a table by their keys."""
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return {tuple(key_cell(name, row.get(name)) for name in KEYS[table]): row for row in rows}


def _changes(old: Row | None, new: Row | None, key: Row) -> Iterator[tuple[str, Any, Any]]:
    """The columns in which two rows of one key differ, with both values; "" is the whole row."""
    if old is not None and new is not None:
        for name in dict.fromkeys((*old, *new)):
            if name not in key and old.get(name) != new.get(name):
                yield name, old.get(name), new.get(name)
        return
    before, after = (
        None
        if row is None
        else ", ".join(
            f"{name} {value}"  # "rank 1, tied 2"
            for name, value in row.items()
            if name not in key and value is not None
        )
        or "there"
        for row in (old, new)
    )
    yield "", before, after


def _text(value: Any, is_player: bool, names: Mapping[str, str]) -> str:  # noqa: FBT001
    if value is None:
        return "-"
    if is_player and names.get(value, value) != value:
        return f"{printable(names[value])} [{value}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return printable(value)


# ── reasons to refuse a later version ────────────────────────────────────────────────────────────


class Unseen(Refused):
    """Reports would replace versions in force that were not named."""

    def __init__(self, text: str, entries: Mapping[str, int]) -> None:
        super().__init__(text)
        self.entries = entries  # in force, by tournament


def _refuse_unseen(
    transaction: Transaction,
    facts: Facts,
    who: Resolution,
    unseen: Mapping[int, Tables],
    not_in_force: Collection[int],
) -> Refused:
    """The refusal to replace versions that were not named, with the differences.

    Args:
        transaction: where entries are read.
        facts: that would be recorded.
        who: the people of these facts.
        unseen: entries in force that were not named, and what would replace them.
        not_in_force: entries that were named and are not in force.
    """
    if not unseen:
        return Refused(msg("%(lines)s\nNothing was recorded.", lines=_not_in_force(not_in_force)))
    names = _names(transaction, facts, who)
    merges = [each for each in who.drafts if each.kind == "merge"]  # with these reports
    merged = canonical_ids(
        transaction.state.merges() | {each.subject: each.body.into for each in merges}
    )
    entries = list(transaction.writer.by_number(list(unseen)))
    lines = "\n".join(
        _both_versions(entry, unseen[entry.sequence], names, merged) for entry in entries
    )
    if not_in_force:
        lines = msg("%(one)s\n%(other)s", one=_not_in_force(not_in_force), other=lines)
    remedy = hint(
        "say-replaces",
        "If yours is right, say that it replaces what is there.",
        entries=sorted(unseen),
    )
    return Unseen(
        msg("%(lines)s\n%(remedy)s\nNothing was recorded.", lines=lines, remedy=remedy),
        {entry.subject: entry.sequence for entry in entries},
    )


def _not_in_force(entries: Collection[int]) -> str:
    """The sentence about entries that cannot be replaced, since they are not in force."""
    numbers = sorted(entries)
    return msg(
        "%(one)s %(other)s",
        one=plural(
            "Entry %(entries)s is not the report in force of any tournament in these facts.",
            "Entries %(entries)s are not the reports in force of any tournaments in these facts.",
            len(numbers),
            entries=", ".join(map(str, numbers)),
        ),
        other=hint("replace-no-longer", "Do not name it as replaced.", entries=numbers),
    )


def _both_versions(
    entry: Entry, tables: Tables, names: Mapping[str, str], merged: Mapping[str, str]
) -> str:
    """The differences of an entry and a new version, as lines; by whom players are in the end."""
    by = f"by {entry.author} ({entry.role}) on {entry.recorded_at[:16].replace('T', ' ')} UTC"
    titles = f"entry {entry.sequence}", "yours"
    before, after = (with_players(each, merged) for each in (tables_of(entry), tables))
    lines = difference_lines(before, after, titles, names)
    head = f"{printable(entry.subject)} is reported otherwise in entry {entry.sequence}, {by}:"
    return "\n".join([head, "", *lines, ""])


def missing_erased_players(state: State, entry: Entry, tables: Tables) -> Iterator[Problem]:
    """Notices of erased players who are missing in a new version.

    A report that still has the erased name makes a new player of it, since it is unknown now.
    """
    for player in sorted(player_ids(tables_of(entry)) - player_ids(tables)):
        if state.in_force("erasures", player) is not None:
            yield Problem(
                at=Location(f"player {printable(player)}"),
                what=msg(
                    "they are in entry %(entry)s, their name was erased, and this version of"
                    " %(tournament)s is without them",
                    entry=str(entry.sequence),
                    tournament=printable(entry.subject),
                ),
                clause="journal erasures",
                remedy=msg(
                    "If it still has the name, write the id behind it: Name [%(player)s]. The name"
                    " is not kept then.",
                    player=printable(player),
                ),
            )
