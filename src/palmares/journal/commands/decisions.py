"""What officers decide: each of these is an action, and each is an entry with a reason."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

import msgspec
import polars as pl

from palmares.core.errors import Location, Problem, Refused
from palmares.core.messages import LocalNumber, hint, msg
from palmares.facts.bank import Bank
from palmares.facts.text import cleaned, shown
from palmares.journal.commands.rates import rate_body, waiting_rates
from palmares.journal.commands.reports import statement_drafts, statements_in_force
from palmares.journal.commands.transaction import Transaction, action, already_recorded, checked_row
from palmares.journal.identity.search import find_player_id
from palmares.journal.projection.state import State
from palmares.journal.store.kinds import Erasure, Membership, Rate, Undo, Withdrawal
from palmares.journal.store.persons import Person

FINAL = {
    "erasure": msg("what was erased is gone"),
    "publication": msg("what was published was seen"),
    "draw": msg("what was announced was seen; a new announcement names it in 'replaces'"),
}
"""Kinds of entries that cannot be undone, and why."""


def checked_reason(reason: str) -> str:
    """A reason in one spelling.

    Raises:
        Refused: there is none, it is too long, or something in it cannot be seen.
    """
    values, wrong = cleaned(pl.Series([reason.strip() or None], dtype=pl.String))
    if wrong:
        raise Refused(msg("The reason %(wrong)s.", wrong=next(iter(wrong.values()))))
    if values[0] is None:
        raise Refused(msg("Say why: it stays beside the entry for whoever asks later."))
    return str(values[0])


# ── undo ─────────────────────────────────────────────────────────────────────────────────────────


@action
def undo(transaction: Transaction, entry: int, reason: str) -> None:
    """Cancel an entry; the earlier version counts again.

    Args:
        transaction: where it is recorded.
        entry: its number; that of an undo brings back what it undid.
        reason: why.

    Raises, when it is done:
        Refused: there is no such entry, it is undone already, or cannot be undone.
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
    by = [one for one in state.undos.get(entry, ()) if not state.is_undone(one)]
    if by:
        raise Refused(
            hint(
                "undo-the-undo",
                "Entry %(entry)s is undone already, by entry %(by)s. To let it count again, undo"
                " entry %(by)s.",
                entry=str(entry),
                by=str(by[-1]),
            )
        )
    transaction.add(str(entry), Undo(undoes=entry, reason=why))
    transaction.notices += _without_effect(state, entry)


def _without_effect(state: State, sequence: int) -> list[Problem]:
    """A notice where the entry was replaced by a later one, so that nothing changes now."""
    found = next(state.places_of({sequence}), None)
    if found is None:
        return []
    (group, key), _ = found
    current = state.in_force(group, key)
    if group in ("overrides", "erasures") or current is None or current.sequence == sequence:
        return []
    return [
        Problem(
            at=Location(f"entry {sequence}"),
            what=msg(
                "entry %(entry)s has replaced it, so that nothing changes now",
                entry=str(current.sequence),
            ),
            clause="journal undo",
            remedy=msg(
                "To let neither of them count, undo entry %(entry)s too.",
                entry=str(current.sequence),
            ),
        )
    ]


# ── reports ──────────────────────────────────────────────────────────────────────────────────────


@action
def withdraw(transaction: Transaction, tournament: str, reason: str) -> None:
    """Remove a tournament's report from every list; it may be reported again.

    Raises, when it is done:
        Refused: no report of it counts.
    """
    why = checked_reason(reason)
    report_of(transaction.state, tournament)
    transaction.add(tournament, Withdrawal(reason=why))


def report_of(state: State, tournament: str) -> int:
    """The entry that is a tournament's report in force."""
    found = state.in_force("tournaments", tournament)
    if found is not None and found.kind == "report":
        return found.sequence
    if found is not None:
        raise Refused(
            msg(
                "%(tournament)s was withdrawn by entry %(entry)s: no report of it is in force.",
                tournament=shown(tournament),
                entry=str(found.sequence),
            )
        )
    from difflib import get_close_matches

    known = [key for key, of in state.all_in_force("tournaments") if of.kind == "report"]
    close = (
        get_close_matches(tournament, known, n=3)
        or [one for one in known if tournament.lower() in one.lower()][:3]
    )
    none = msg(
        "No report of a tournament %(tournament)s is in force.", tournament=shown(tournament)
    )
    if not close:
        raise Refused(none)
    names = ", ".join(shown(one) for one in close)
    raise Refused(
        msg("%(one)s %(other)s", one=none, other=msg("Did you mean %(word)s?", word=names))
    )


# ── beside reports ───────────────────────────────────────────────────────────────────────────────


@action
def rate(
    transaction: Transaction, currency: str, day: date, eur_per_unit: str, source: str | None = None
) -> None:
    """State an exchange rate: euro per unit of a currency on a day.

    Raises, when it is done:
        FactsRejected: it is no currency, or no rate.
    """
    cells = {
        "currency": currency, "date": day.isoformat(), "eur_per_unit": eur_per_unit,
        "source": source,
    }  # fmt: skip
    row = checked_row("rates", cells, title="exchange rate")
    body = rate_body({"units_per_eur": None, "published_on": None, **row})
    _state(transaction, body, body.currency)


@action
def rates_from(transaction: Transaction, bank: Bank) -> None:
    """Record the rates that tournaments of the journal wait for, as far as a bank's file has them.

    Args:
        transaction: where they are recorded.
        bank: the file, as `palmares.facts.bank.read` reads it.
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
    """State that a player is a member of a federation from a day on.

    Args:
        transaction: where it is recorded.
        player: their id, or a name that is only theirs.
        federation: its name.
        start: the first day; stated again, the later statement counts.
        end: the last day, if there is one.
        level: of membership, in the federation's word.

    Raises, when it is done:
        Refused: there is no such player.
        FactsRejected: the end is before the start.
    """
    player = find_player_id(transaction.projection, player)
    cells = {
        "player_id": player, "federation": federation, "level": level,
        "start": start.isoformat(), "end": end.isoformat() if end else None,
    }  # fmt: skip
    row = checked_row("memberships", cells, title="membership")
    body = Membership(**{name: row[name] for name in Membership.__struct_fields__})
    _state(transaction, body, player)


@action
def end_membership(transaction: Transaction, player: str, federation: str, day: date) -> None:
    """State the last day of the membership that a player holds on it.

    Raises, when it is done:
        Refused: they hold none on that day that goes on after it, or more than one.
    """
    state = transaction.state
    player = find_player_id(transaction.projection, player)
    found: list[Membership] = [
        one.body
        for _, one in state.all_in_force("memberships")
        if player in (one.body.player_id, transaction.register.canonical_id(one.body.player_id))
        and one.body.federation == federation
    ]
    open_then = [
        one for one in found if one.start <= day and (one.end is None or one.end > day)
    ]  # fmt: skip
    own = [one for one in open_then if one.player_id == player]
    open_then = own or open_then  # before those of records that are part of theirs
    if len(open_then) != 1:
        listed = "".join(f"\n    {one.start} to {one.end or 'now'}" for one in open_then or found)
        raise Refused(
            _not_one_membership(player, federation, day.isoformat(), len(open_then), listed)
        )
    body = msgspec.structs.replace(open_then[0], end=day)
    transaction.extend(statement_drafts(transaction, body))


def _state(transaction: Transaction, body: Membership | Rate, subject: str) -> None:
    """State a membership or a rate; where the same is stated already, only a notice says so."""
    drafts = statement_drafts(transaction, body)
    if not drafts:
        found = statements_in_force(transaction, body)
        last = found.get(subject) or next(iter(found.values()))
        transaction.notices.append(
            already_recorded(last.sequence, f"{last.kind} of {shown(subject)}")
        )
    transaction.extend(drafts)


def _not_one_membership(player: str, federation: str, last: str, many: int, listed: str) -> str:
    """Why no membership can be ended, with those that there are."""
    about = {"player": shown(player), "federation": shown(federation), "day": LocalNumber(last)}
    told = (
        msg(
            "%(player)s holds %(many)s memberships of %(federation)s on %(day)s that go on after"
            " it; exactly one can be ended.",
            many=many,
            **about,
        )
        if many
        else msg(
            "%(player)s holds no memberships of %(federation)s on %(day)s that go on after it;"
            " exactly one can be ended.",
            **about,
        )
    )
    if not listed:
        return told
    return msg("%(told)s There are:%(listed)s", told=told, listed=listed)


# ── erasure ──────────────────────────────────────────────────────────────────────────────────────


Erased = Callable[[Transaction, Sequence[str], Sequence[Person]], None]
"""What hears of an erasure: ids of the player, and what is known of them until it is done."""


@action
def erase(transaction: Transaction, player: str, reason: str, told: Erased | None = None) -> None:
    """Throw away a player's name, of every record that is theirs; rank and place stay.

    Args:
        transaction: where it is recorded.
        player: their id, or a name that is only theirs; records merged with it are erased, too.
        reason: why.
        told: throws away what lies beside the journal.

    Raises, when it is done:
        Refused: there is no such player, or they were erased already.
    """
    why = checked_reason(reason)
    state = transaction.state
    player = find_player_id(transaction.projection, player)
    versions = state.group("players")
    names = {  # of every version, undone ones too
        record: [*dict.fromkeys(v.body.person for v in versions.get(record, ()) if v.body.person)]
        for record in transaction.register.records(player)
    }
    left = transaction.writer.records([seal for found in names.values() for seal in found])
    if not left:
        raise Refused(
            msg("%(player)s was erased already; no name of theirs is left.", player=shown(player))
        )
    for one, seals in names.items():
        transaction.add(one, Erasure(reason=why, persons=seals))
    if told is not None:
        told(transaction, [*names], [Person.read(one) for one in left.values()])
    transaction.writer.erase([seal for found in names.values() for seal in found])
