"""Decisions of officers about entries, reports, rates, memberships and names."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date
from itertools import chain
from typing import Any

import msgspec
import polars as pl

from palmares.core.errors import Location, Problem, Refused, brief, rejected
from palmares.core.messages import LocalNumber, hint, msg
from palmares.facts.names import did_you_mean
from palmares.facts.rates import Bank
from palmares.facts.schema import KEYS, PLAYER_COLUMNS, REPORT_TABLES, TABLES, Column
from palmares.facts.text import cleaned, printable
from palmares.journal.commands.reports import (
    DISCIPLINE,
    STATE_IT,
    statement_drafts,
    statements_in_force,
    unknown_federation,
)
from palmares.journal.commands.transaction import (
    Transaction,
    action,
    already_recorded,
    checked_row,
    rate_body,
    waiting_rates,
)
from palmares.journal.commands.undo_effects import (
    refuse_unpaid,
    remaining_players,
    unchanged_nation,
    with_new_player,
    without_effect,
)
from palmares.journal.identity.register import comparable, recorded_player_id
from palmares.journal.projection.bodies import (
    cell,
    key_cell,
    matching_rows,
    plain_cell,
    row_count,
    with_overrides,
)
from palmares.journal.projection.project import State
from palmares.journal.store.entries import (
    BODIES,
    Erasure,
    Membership,
    Override,
    PersonalData,
    Rate,
    Tables,
    Undo,
    Withdrawal,
    tables_of,
)
from palmares.journal.store.events import all_event_names, event_records, put_event_names

FINAL = {
    "erasure": msg("what was erased is gone"),
    "publication": msg("what was published was seen"),
    "draw": msg("what was announced was seen; a new announcement names it in 'replaces'"),
    "notice": msg("players have read it; publish a changed notice with a reason"),
}
"""The kinds of entries that cannot be undone, and why."""


def checked_text(what: str, text: str) -> str:
    """A short text, normalized.

    Raises:
        Refused: it is empty, too long, or has invisible characters.
    """
    values, wrong = cleaned(pl.Series([text.strip() or None], dtype=pl.String))
    if wrong or values[0] is None:
        why = next(iter(wrong.values()), msg("is empty"))
        raise Refused(msg("The %(field)s %(wrong)s.", field=(what,), wrong=why))
    return str(values[0])


def checked_reason(reason: str) -> str:
    """A reason, normalized.

    Raises:
        Refused: it is empty, too long, or has invisible characters.
    """
    if not reason.strip():
        raise Refused(msg("Give a reason: it is kept with the entry for anyone who asks later."))
    return checked_text(msg("reason"), reason)


# ── undo ─────────────────────────────────────────────────────────────────────────────────────────


@action
def undo(transaction: Transaction, entry: int, reason: str) -> None:
    """Cancel an entry; the earlier version counts again.

    Args:
        transaction: where it is recorded.
        entry: its number; undoing an undo makes the entry count again.
        reason: why.

    Raises, when it is done:
        Refused: there is no such entry, it was undone, or cannot be undone.
    """
    why = checked_reason(reason)
    kind = transaction.writer.entry(entry).kind
    state = transaction.state
    if kind in FINAL:
        raise Refused(
            msg(
                "Entry %(entry)s is of the kind %(kind)s, which cannot be undone: %(why)s.",
                entry=str(entry),
                kind=(kind,),
                why=(FINAL[kind],),
            )
        )
    undos = [undo for undo in state.undos.get(entry, ()) if not state.is_undone(undo)]
    if undos:
        raise Refused(
            hint(
                "undo-the-undo",
                "Entry %(entry)s is undone already, by entry %(by)s. To let it count again, undo"
                " entry %(by)s.",
                entry=str(entry),
                by=str(undos[-1]),
            )
        )
    refuse_unpaid(state, entry)
    for sequence in with_new_player(transaction, entry):
        transaction.add(str(sequence), Undo(undoes=sequence, reason=why))
    transaction.notices += without_effect(state, entry)
    transaction.notices += remaining_players(transaction, entry)
    if kind == "merge":
        transaction.notices += unchanged_nation(transaction, entry)


# ── reports ──────────────────────────────────────────────────────────────────────────────────────


@action
def withdraw(transaction: Transaction, tournament: str, reason: str) -> None:
    """Remove a tournament's report from every list; it may be reported again.

    Raises, when it is done:
        Refused: it has no report in force.
    """
    why = checked_reason(reason)
    report_of(transaction.state, tournament)
    transaction.add(tournament, Withdrawal(reason=why))


def report_of(state: State, tournament: str) -> int:
    """The number of a tournament's report in force.

    Raises:
        Refused: there is none.
    """
    last = state.in_force("tournaments", tournament)
    if last is not None and last.kind == "report":
        return last.sequence
    if last is not None:
        raise Refused(
            msg(
                "%(tournament)s was withdrawn by entry %(entry)s: no report of it is in force.",
                tournament=printable(tournament),
                entry=str(last.sequence),
            )
        )
    from difflib import get_close_matches

    reported = [key for key, of in state.all_in_force("tournaments") if of.kind == "report"]
    close = (
        get_close_matches(tournament, reported, n=3)
        or [id_ for id_ in reported if tournament.lower() in id_.lower()][:3]
    )
    none = msg(
        "No report of a tournament %(tournament)s is in force.", tournament=printable(tournament)
    )
    raise Refused(did_you_mean(none, close))


# ── rates and memberships ────────────────────────────────────────────────────────────────────────


@action
def rate(
    transaction: Transaction, currency: str, day: date, eur_per_unit: str, source: str | None = None
) -> None:
    """Record an exchange rate: euro per unit of a currency on a day.

    Raises, when it is done:
        FactsRejected: the currency or the rate is wrong.
    """
    cells = {
        "currency": currency, "date": day.isoformat(), "eur_per_unit": eur_per_unit,
        "source": source,
    }  # fmt: skip
    row = checked_row("rates", cells, title="exchange rate")
    body = rate_body({"units_per_eur": None, "published_on": None, **row})
    _record_statement(transaction, body, body.currency)


@action
def rates_from(transaction: Transaction, bank: Bank) -> None:
    """Record the rates that tournaments wait for, if a bank's file has them.

    Args:
        transaction: where they are recorded.
        bank: the file, as `palmares.facts.rates.read_bank` reads it.
    """
    drafts, notices = waiting_rates(transaction.projection.facts, bank)
    transaction.extend(drafts)
    transaction.notices += notices


@action
def membership(
    transaction: Transaction,
    player: str,
    federation: str,
    start: date,
    end: date | None = None,
    level: str | None = None,
) -> None:
    """Record that a player is a member of a federation from a day on.

    Args:
        transaction: where it is recorded.
        player: their id, or a name that no other player has.
        federation: its name.
        start: the first day; recorded again, the later record counts.
        end: the last day, if there is one.
        level: of membership, as the federation calls it.

    Raises, when it is done:
        Refused: there is no such player.
        FactsRejected: the end is before the start.
    """
    player = recorded_player_id(transaction.projection, player)
    cells = {
        "player_id": player, "federation": federation, "level": level,
        "start": start.isoformat(), "end": end.isoformat() if end else None,
    }  # fmt: skip
    row = checked_row("memberships", cells, title="membership")
    body = Membership(**{name: row[name] for name in Membership.__struct_fields__})
    transaction.notices += unknown_federation(transaction, body.federation)
    _record_statement(transaction, body, player)


@action
def end_membership(transaction: Transaction, player: str, federation: str, day: date) -> None:
    """End the membership that a player has on a day.

    Raises, when it is done:
        Refused: no membership, or more than one, goes on after that day.
    """
    player = recorded_player_id(transaction.projection, player)
    held: list[Membership] = [
        statement.body
        for _, statement in transaction.state.all_in_force("memberships")
        if player
        in (
            statement.body.player_id,
            transaction.register.canonical_id(statement.body.player_id),
        )
    ]
    memberships = [each for each in held if each.federation.casefold() == federation.casefold()]
    open_then = [
        membership
        for membership in memberships
        if membership.start <= day and (membership.end is None or membership.end > day)
    ]
    own = [membership for membership in open_then if membership.player_id == player]
    open_then = own or open_then  # rather than those of merged records
    if len(open_then) != 1:
        periods = "".join(
            f"\n    {membership.federation}: {membership.start} to {membership.end or 'now'}"
            for membership in open_then or memberships or held
        )
        raise Refused(
            msg(
                "%(player)s holds %(many)s memberships of %(federation)s on %(day)s that go on"
                " after it; exactly one can be ended.%(listed)s",
                player=printable(player),
                many=len(open_then),
                federation=printable(federation),
                day=LocalNumber(day.isoformat()),
                listed=periods,
            )
        )
    body = msgspec.structs.replace(open_then[0], end=day)
    transaction.extend(statement_drafts(transaction, body))


def _record_statement(transaction: Transaction, body: Membership | Rate, subject: str) -> None:
    """Record a membership or a rate, or add the notice that it is recorded already."""
    drafts = statement_drafts(transaction, body)
    if not drafts:
        in_force = statements_in_force(transaction, body)
        last = in_force.get(subject) or next(iter(in_force.values()))
        transaction.notices.append(
            already_recorded(last.sequence, f"{last.kind} of {printable(subject)}")
        )
    transaction.extend(drafts)


# ── erasure ──────────────────────────────────────────────────────────────────────────────────────


OnErase = Callable[[Transaction, Sequence[str], Sequence[PersonalData]], None]
"""Called with the ids of a player's records, and the persons about to be erased."""


@action
def erase(
    transaction: Transaction, player: str, reason: str, on_erase: OnErase | None = None
) -> None:
    """Erase a player's name from all their records; rank and place stay.

    Args:
        transaction: where it is recorded.
        player: their id, or a name that no other player has.
        reason: why.
        on_erase: erases the name from what is stored outside the journal.

    Raises, when it is done:
        Refused: there is no such player, the name was erased already, or the reason has it.
    """
    why = checked_reason(reason)
    state = transaction.state
    player = recorded_player_id(transaction.projection, player)
    versions = state.group("players")
    seals_by_record = {  # of all versions, undone ones included
        record: [*dict.fromkeys(v.body.person for v in versions.get(record, ()) if v.body.person)]
        for record in transaction.register.records(player)
    }
    seals = [seal for of_record in seals_by_record.values() for seal in of_record]
    records = transaction.writer.records(seals)
    if not records:
        raise Refused(
            msg(
                "%(player)s was erased already; no name of theirs is left.",
                player=printable(player),
            )
        )
    for record, of_record in seals_by_record.items():
        transaction.add(record, Erasure(reason=why, persons=of_record))
    persons = list(map(PersonalData.read, records.values()))
    check_reasons(transaction, why, persons)
    if on_erase is not None:
        on_erase(transaction, [*seals_by_record], persons)
    _erase_at_events(transaction, {comparable(person.name) for person in persons})
    transaction.writer.erase(seals)


def check_reasons(transaction: Transaction, reason: str, persons: Iterable[PersonalData]) -> None:
    """Refuse a reason with an erased name; notices name earlier ones, and announced texts, with it.

    Raises:
        Refused: the name would stay in the reason.
    """
    names = {comparable(person.name) for person in persons}
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)")
    if pattern.search(comparable(reason)):
        raise Refused(msg("The reason is kept, and has the name. Give a reason without it."))
    reasons = {kind for kind, body in BODIES.items() if "reason" in body.__struct_fields__}
    entries = transaction.writer.of_kinds([*reasons, "draw", "notice"])
    of_journal = ((f"entry {entry.sequence}", entry.read()) for entry in entries)
    of_events = (
        (f"event {printable(record.event)}, record {record.sequence}", json.loads(record.body))
        for record in event_records(transaction.writer)
    )
    transaction.notices += [
        Problem(
            at=Location(where),
            what=msg("its reason has this name, and stays as it is")
            if pattern.search(comparable(body.get("reason") or ""))
            else msg("its text has this name, and stays as it is"),
            clause="journal erasures",
            remedy=msg("No entry can be changed. Answer the player who asks with this."),
        )
        for where, body in (*of_journal, *of_events)
        if any(pattern.search(comparable(text)) for text in _texts_in(body))
    ]


def _texts_in(value: Any) -> Iterator[str]:
    """Every text in a body; the file of a draw or of a notice is JSON in a text."""
    if isinstance(value, str):
        with suppress(ValueError):
            value = json.loads(value) if value.startswith("{") else value
    if isinstance(value, str):
        yield value
    for each in chain(value.keys(), value.values()) if isinstance(value, dict) else ():
        yield from _texts_in(each)
    for each in value if isinstance(value, list) else ():
        yield from _texts_in(each)


def _erase_at_events(transaction: Transaction, names: Collection[str]) -> None:
    """Erase names that were typed in at events; a notice says where."""
    for event, entrant, name in all_event_names(transaction.writer):
        if comparable(name) in names:
            put_event_names(transaction.writer.connection, event, {entrant: None})
            transaction.notices.append(
                Problem(
                    at=Location(f"event {printable(event)}"),
                    what=msg(
                        "this name was typed in for entrant %(entrant)s; it is erased there, too",
                        entrant=printable(entrant),
                    ),
                    clause="journal erasures",
                    remedy=msg("If the entrant is someone else, give them their name again."),
                )
            )


# ── corrections of reports ────────────────────────────────────────────────────────────────────────

IDS = ("tournament_id", "event_id", "match_id")
"""Columns that an override cannot set: they connect rows."""

MAX_ROWS = 10
"""Rows listed in a message."""


@action
def override(
    transaction: Transaction,
    tournament: str,
    table: str,
    row: Mapping[str, str],
    cells: Mapping[str, str],
    reason: str,
) -> None:
    """Set cells of one row of a tournament's report.

    Args:
        transaction: where it is recorded.
        tournament: its id.
        table: of the tables of reports: events, placings, ...
        row: cells, as text, by which exactly one row is found.
        cells: the new values, as text; an empty text empties a cell.
        reason: why.

    Raises, when it is done:
        Refused: there is no report in force; no row, or several, fit.
        FactsRejected: a value is wrong for its column.
    """
    why = checked_reason(reason)
    columns = _refuse_unknown(table, row, cells)
    entry = transaction.writer.entry(report_of(transaction.state, tournament))
    tables = with_overrides(tables_of(entry), transaction.state.overrides(tournament))
    sought, values = (
        _typed(table, _by_id(transaction, table, given)) for given in (row, cells)
    )  # fmt: skip
    place = _only_row(transaction, tables, table, sought, tournament)
    now = {name: cell(tables[table], name, place) for name in columns}
    key = {name: key_cell(name, now[name]) for name in KEYS[table]}
    changes = {name: value for name, value in values.items() if value != now.get(name)}
    if not changes:
        transaction.notices.append(
            already_recorded(
                _set_by(transaction, tournament, table, key, values) or entry.sequence,
                f"row of {table} in {printable(tournament)}",
            )
        )
        return
    if changes.get("discipline", "") is None:  # every regulation would count the tournament
        what = msg("a tournament of a journal always has a discipline")
        raise rejected("tournaments discipline", what, DISCIPLINE, STATE_IT)
    words = {True: "yes", False: "no", None: None}
    texts = {
        name: words[value] if value is None or isinstance(value, bool) else str(value)
        for name, value in {**now, **changes}.items()
    }
    checked_row(table, texts, only=columns)  # no required cell is empty
    transaction.add(tournament, Override(table=table, row=key, cells=changes, reason=why))
    transaction.notices += _rate_of_another_currency(tournament, now, changes)


def _rate_of_another_currency(
    tournament: str, now: Mapping[str, Any], changes: Mapping[str, Any]
) -> Iterator[Problem]:
    """A notice if the currency changes, and the rate that the report states for it does not."""
    stated = now.get("eur_per_unit")
    if stated is None or "currency" not in changes or "eur_per_unit" in changes:
        return
    yield Problem(
        at=Location(f"tournaments {printable(tournament)}"),
        what=msg(
            "the report states %(rate)s euro per unit of %(before)s; that number stays, and counts"
            " for %(now)s now",
            rate=LocalNumber(str(stated)),
            before=now.get("currency") or (msg("none"),),
            now=changes["currency"] or (msg("none"),),
        ),
        clause="facts tournaments.eur_per_unit",
        remedy=msg("Correct eur_per_unit too, or clear it: then the bank's rate counts."),
    )


def _set_by(
    transaction: Transaction,
    tournament: str,
    table: str,
    row: Mapping[str, Any],
    cells: Mapping[str, Any],
) -> int | None:
    """The last override of a row that set one of these cells; none if the report says them all."""
    for statement in reversed(transaction.state.not_undone("overrides", tournament)):
        body: Override = statement.body
        if (body.table, body.row) == (table, row) and not cells.keys().isdisjoint(body.cells):
            return statement.sequence
    return None


def _refuse_unknown(
    table: str, row: Mapping[str, str], cells: Mapping[str, str]
) -> Mapping[str, Column]:
    """The columns of a table; refuse unknown tables and columns."""
    if table not in REPORT_TABLES:
        raise Refused(
            msg(
                "A report has no table %(table)s. It has %(tables)s.",
                table=brief(table),
                tables=", ".join(REPORT_TABLES),
            )
        )
    existing = TABLES[table]
    for name in (*row, *cells):
        if name not in existing:
            raise Refused(
                msg(
                    "%(table)s has no column %(column)s. It has %(columns)s.",
                    table=table,
                    column=brief(name),
                    columns=", ".join(existing),
                )
            )
    if not row or not cells:
        raise Refused(msg("Name the row, and the new values of its cells."))
    for name in cells:
        if name in IDS:
            raise Refused(
                msg(
                    "%(column)s cannot be overridden: rows belong together by it. Report the"
                    " tournament again, or withdraw it.",
                    column=name,
                )
            )
    return existing


def _by_id(transaction: Transaction, table: str, cells: Mapping[str, str]) -> dict[str, str]:
    """Cells with players by id; they may be given by name."""
    player_columns = PLAYER_COLUMNS.get(table, ())
    return {
        name: recorded_player_id(transaction.projection, text)
        if name in player_columns and text.strip()
        else text
        for name, text in cells.items()
    }


def _typed(table: str, cells: Mapping[str, str]) -> dict[str, Any]:
    """Cells given as text, as an entry holds them.

    Raises:
        FactsRejected: a text is wrong for its column.
    """
    row = checked_row(table, cells, only=cells)
    return {name: plain_cell(row.get(name)) for name in cells}


def _only_row(
    transaction: Transaction, tables: Tables, table: str, sought: Mapping[str, Any], tournament: str
) -> int:
    """The number of the row that fits; players are compared by their canonical ids."""
    register, rows = transaction.register, tables.get(table, {})
    for name in PLAYER_COLUMNS.get(table, ()):
        if name in sought and name in rows:
            rows = {**rows, name: [register.canonical_id(player) for player in rows[name]]}
            sought = {**sought, name: register.canonical_id(sought[name])}
    places = matching_rows(rows, sought)
    if len(places) == 1:
        return places[0]
    candidates = places or list(range(row_count(rows)))
    lines = [_row(rows, place) for place in candidates[:MAX_ROWS]]
    lines += [f"… and {len(candidates) - MAX_ROWS} more"] * (len(candidates) > MAX_ROWS)
    about = {
        "table": table,
        "tournament": printable(tournament),
        "rows": "".join(f"\n    {line}" for line in lines) or msg(" none."),
    }
    if not places:
        raise Refused(
            msg(
                "No row of %(table)s in %(tournament)s fits; exactly one must. There are:%(rows)s",
                **about,
            )
        )
    raise Refused(
        msg(
            "%(many)s rows of %(table)s in %(tournament)s fit; exactly one must. These fit:"
            "%(rows)s",
            many=len(places),
            **about,
        )
    )


def _row(table: Mapping[str, Sequence[Any]], place: int) -> str:
    cells = ((name, cell(table, name, place)) for name in table)
    return ", ".join(f"{name}={printable(value)}" for name, value in cells if value is not None)
