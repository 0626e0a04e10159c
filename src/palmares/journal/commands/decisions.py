"""
What officers decide: each of these is an action, and each is an entry with a reason.

    undo        an entry counts no longer
    withdraw    a tournament's report counts no longer
    rate        an exchange rate
    membership  a player is a member of a federation
    ended       a membership has a last day
    of_player   an action about a player, who is found by id or name when it is done
    erase       a player's name is thrown away; rank and place stay
    report_of   a tournament  ->  the entry that is its report in force
    reasoned    a reason as it was given  ->  the same, or a refusal
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import polars as pl

from palmares.errors import FactsRejected, Problem, Refused
from palmares.facts import check
from palmares.facts.cells import typed_frames
from palmares.facts.tables import FILE, LINE, TABLES
from palmares.facts.texts import cleaned, shown
from palmares.journal.arrivals import standing_of, stated
from palmares.journal.entries import Draft
from palmares.journal.finding import find
from palmares.journal.people import Person
from palmares.journal.rates import plain
from palmares.journal.recording import Action, Desk
from palmares.journal.repeats import unchanged
from palmares.journal.state import State, became, together
from palmares.sentences import Figures, either, said

FINAL = {
    "erasure": said("what was erased is gone"),
    "publication": said("what was published was seen"),
}
"""Kinds of entries that cannot be undone, and why."""


def reasoned(reason: str) -> str:
    """A reason in one spelling.

    Raises:
        Refused: there is none, it is too long, or something in it cannot be seen.
    """
    values, wrong = cleaned(pl.Series([reason.strip() or None], dtype=pl.String))
    if wrong:
        raise Refused(said("The reason %(wrong)s.", wrong=next(iter(wrong.values()))))
    if values[0] is None:
        raise Refused(said("Say why: it stays beside the entry for whoever asks later."))
    return str(values[0])


# ── undo ─────────────────────────────────────────────────────────────────────────────────────────


def undo(sequence: int, reason: str) -> Action:
    """Let an entry count no longer; what it had replaced counts again.

    Args:
        sequence: the number of the entry; that of an undo brings back what it undid.
        reason: why.

    Raises, when it is done:
        Refused: there is no such entry, it is undone already, or cannot be undone.
    """

    def act(desk: Desk) -> None:
        why = reasoned(reason)
        entry = desk.writer.entry(sequence)
        state = desk.projection.state
        if entry.kind in FINAL:
            raise Refused(
                said(
                    "Entry %(entry)s is of the kind %(kind)s, which cannot be undone: %(why)s.",
                    entry=str(sequence),
                    kind=(entry.kind,),
                    why=(FINAL[entry.kind],),
                )
            )
        by = [one for one in state.undos.get(sequence, ()) if not state.undone(one)]
        if by:
            raise Refused(
                either(
                    f"Entry {sequence} is undone already, by entry {by[-1]}. To let it count again,"
                    f" undo that one: palmares journal undo {by[-1]}.",
                    said(
                        "Entry %(entry)s is undone already, by entry %(by)s. To let it count again,"
                        " undo entry %(by)s.",
                        entry=str(sequence),
                        by=str(by[-1]),
                    ),
                )
            )
        desk.add(
            Draft(kind="undo", subject=str(sequence), body={"undoes": sequence, "reason": why})
        )
        desk.notices += _without_effect(state, sequence)

    return act


def _without_effect(state: State, sequence: int) -> list[Problem]:
    """A notice where the entry was replaced by a later one, so that nothing changes now."""
    found = state.place_of(sequence)
    if found is None:
        return []
    (group, key), _ = found
    standing = state.standing(group, key)
    if group in ("overrides", "erasures") or standing is None or standing.sequence == sequence:
        return []
    return [
        Problem(
            where=f"entry {sequence}",
            what=said(
                "entry %(entry)s has replaced it, so that nothing changes now",
                entry=str(standing.sequence),
            ),
            clause="journal undo",
            remedy=said(
                "To let neither of them count, undo entry %(entry)s too.",
                entry=str(standing.sequence),
            ),
        )
    ]


# ── reports ──────────────────────────────────────────────────────────────────────────────────────


def withdraw(tournament: str, reason: str) -> Action:
    """Let a tournament's report count no longer; it may be reported anew.

    Raises, when it is done:
        Refused: no report of it counts.
    """

    def act(desk: Desk) -> None:
        why = reasoned(reason)
        report_of(desk.projection.state, tournament)
        desk.add(Draft(kind="withdrawal", subject=tournament, body={"reason": why}))

    return act


def report_of(state: State, tournament: str) -> int:
    """The entry that is a tournament's report in force."""
    found = state.standing("tournaments", tournament)
    if found is not None and found.kind == "report":
        return found.sequence
    if found is not None:
        raise Refused(
            said(
                "%(tournament)s was withdrawn by entry %(entry)s: no report of it is in force.",
                tournament=shown(tournament),
                entry=str(found.sequence),
            )
        )
    from difflib import get_close_matches

    known = [one for one, _ in state.reports()]
    close = (
        get_close_matches(tournament, known, n=3)
        or [one for one in known if tournament.lower() in one.lower()][:3]
    )
    none = said(
        "No report of a tournament %(tournament)s is in force.", tournament=shown(tournament)
    )
    if not close:
        raise Refused(none)
    names = ", ".join(shown(one) for one in close)
    raise Refused(
        said("%(one)s %(other)s", one=none, other=said("Did you mean %(word)s?", word=names))
    )


# ── beside reports ───────────────────────────────────────────────────────────────────────────────


def rate(currency: str, day: date, eur_per_unit: str, source: str = "") -> Action:
    """State an exchange rate: euro per unit of a currency on a day.

    Raises, when it is done:
        FactsRejected: it is no currency, or no rate.
    """

    def act(desk: Desk) -> None:
        cells = {
            "currency": currency, "date": day.isoformat(), "eur_per_unit": eur_per_unit,
            "source": source or None,
        }  # fmt: skip
        body = _beside("rates", cells)
        _put(desk, "rate", body["currency"], body)

    return act


def membership(
    player: str, federation: str, start: date, end: date | None = None, level: str = ""
) -> Action:
    """State that a player is a member of a federation from a day on.

    Args:
        player: his id.
        federation: its name.
        start: the first day; stated again, the later statement counts.
        end: the last day, if there is one.
        level: of membership, in the federation's word.

    Raises, when it is done:
        Refused: there is no such player.
        FactsRejected: the end is before the start.
    """

    def act(desk: Desk) -> None:
        _refuse_nobody(desk.projection.state, player)
        cells = {
            "player_id": player, "federation": federation, "level": level or None,
            "start": start.isoformat(), "end": end.isoformat() if end else None,
        }  # fmt: skip
        body = _beside("memberships", cells)
        _put(desk, "membership", player, body)

    return act


def ended(player: str, federation: str, day: date) -> Action:
    """State the last day of the membership that a player holds on it.

    Raises, when it is done:
        Refused: he holds none on that day that goes on after it, or more than one.
    """

    def act(desk: Desk) -> None:
        state = desk.projection.state
        _refuse_nobody(state, player)
        merged = became(state.merges())
        found = [
            one.body
            for _, one in state.all_standing("memberships")
            if player in (one.body["player_id"], merged.get(one.body["player_id"]))
            and one.body["federation"] == federation
        ]
        last = day.isoformat()
        open_then = [
            one for one in found
            if one["start"] <= last and (one["end"] is None or one["end"] > last)
        ]  # fmt: skip
        own = [one for one in open_then if one["player_id"] == player]
        open_then = own or open_then  # before those of records that are part of his
        if len(open_then) != 1:
            listed = "".join(
                f"\n    {one['start']} to {one['end'] or 'now'}" for one in open_then or found
            )
            raise Refused(_not_one(player, federation, last, len(open_then), listed))
        body = {**open_then[0], "end": last}
        for draft in stated(desk, "membership", body["player_id"], body):
            desk.add(draft)

    return act


def of_player(wanted: str, decision: Callable[[str], Action]) -> Action:
    """An action about a player who is given by id or by a name that is only his."""

    def act(desk: Desk) -> None:
        decision(find(desk.projection, wanted))(desk)

    return act


def _put(desk: Desk, kind: str, subject: str, body: Mapping[str, Any]) -> None:
    """State a membership or a rate; where the same is stated already, only a notice says so."""
    merges = desk.projection.state.merges() if kind == "membership" else {}
    records = together(merges).get(subject, ())
    drafts = stated(desk, kind, subject, body, records)
    if not drafts:
        found = standing_of(desk, kind, (subject, *records), body)
        last = found.get(subject) or next(iter(found.values()))
        desk.notices.append(unchanged(last.sequence, f"{kind} of {shown(subject)}"))
    for draft in drafts:
        desk.add(draft)


def _beside(table: str, cells: Mapping[str, str | None]) -> dict[str, Any]:
    """A row of a table beside reports, checked and as an entry keeps it."""
    frame = pl.DataFrame(
        {**{name: [text] for name, text in cells.items()}, FILE: [table], LINE: [1]},
        schema={**dict.fromkeys(cells, pl.String), FILE: pl.String, LINE: pl.UInt32},
    )
    draft = typed_frames({table: frame})
    problems = draft.problems or check(draft.facts).problems
    if problems:
        raise FactsRejected(problems, so=said("nothing was recorded"))
    row = draft.facts[table].select(list(TABLES[table])).row(0, named=True)
    return {name: plain(value) for name, value in row.items()}


def _refuse_nobody(state: State, player: str) -> None:
    if state.standing("players", player) is None:
        raise Refused(said("There is no player %(player)s in this journal.", player=shown(player)))


def _not_one(player: str, federation: str, last: str, many: int, listed: str) -> str:
    """Why no membership can be ended, with those that there are."""
    about = {"player": shown(player), "federation": shown(federation), "day": Figures(last)}
    told = (
        said(
            "%(player)s holds %(many)s memberships of %(federation)s on %(day)s that go on after"
            " it; exactly one can be ended.",
            many=many,
            **about,
        )
        if many
        else said(
            "%(player)s holds no memberships of %(federation)s on %(day)s that go on after it;"
            " exactly one can be ended.",
            **about,
        )
    )
    if not listed:
        return told
    return said("%(told)s There are:%(listed)s", told=told, listed=listed)


# ── erasure ──────────────────────────────────────────────────────────────────────────────────────


Erased = Callable[[Desk, Sequence[str], Sequence[Person]], None]
"""What hears of an erasure: ids of the player, and what is known of him until it is done."""


def erase(player: str, reason: str, told: Erased | None = None) -> Action:
    """Throw away a player's name, of every record that is his; rank and place stay.

    Args:
        player: his id; records that were merged with it are erased too.
        reason: why.
        told: throws away what lies beside the journal.

    Raises, when it is done:
        Refused: there is no such player, or he was erased already.
    """

    def act(desk: Desk) -> None:
        why = reasoned(reason)
        state = desk.projection.state
        _refuse_nobody(state, player)
        merged = became(state.merges())
        whole = merged.get(player, player)
        records = sorted({player, whole, *(one for one, into in merged.items() if into == whole)})
        names = {one: _seals(state, one) for one in records}
        left = desk.writer.records([seal for found in names.values() for seal in found])
        if not left:
            raise Refused(
                said("%(player)s was erased already; no name of his is left.", player=shown(player))
            )
        for one in records:
            body = {"reason": why, "persons": names[one]}
            desk.add(Draft(kind="erasure", subject=one, body=body))
        if told is not None:
            told(desk, records, [Person.read(one) for one in left.values()])
        desk.writer.erase([seal for found in names.values() for seal in found])

    return act


def _seals(state: State, player: str) -> list[str]:
    """Every seal of a name that a record ever had, undone ones too."""
    found = (one.body["person"] for one in state.group("players").get(player, ()))
    return list(dict.fromkeys(one for one in found if one))
