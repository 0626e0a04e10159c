"""
What officers decide: each of these is an action, and each is an entry with a reason.

    undo        an entry counts no longer
    withdraw    a tournament's report counts no longer
    override    a cell of a report is something else
    rate        an exchange rate
    membership  a player is a member of a federation
    erase       a player's name is thrown away; rank and place stay
    reasoned    a reason as it was given  ->  the same, or a refusal
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import polars as pl

from palmares.errors import FactsRejected, Problem, Refused, brief
from palmares.facts.cells import typed_frames
from palmares.facts.tables import FILE, LINE, TABLES, Column
from palmares.facts.texts import cleaned, shown
from palmares.journal.arrivals import stated
from palmares.journal.bodies import REPORTED, WHO, Tables, changed, matching, tabled
from palmares.journal.entries import Draft
from palmares.journal.projection import tables_of
from palmares.journal.recording import Action, Desk
from palmares.journal.state import State, became

FINAL = {
    "erasure": "what was erased is gone",
    "publication": "what was published was seen",
}
"""Kinds of entries that cannot be undone, and why."""

IDS = ("tournament_id", "event_id", "match_id")
"""What an override cannot set: by these columns rows belong together."""

MOST = 10


def reasoned(reason: str) -> str:
    """A reason in one spelling.

    Raises:
        Refused: there is none, it is too long, or something in it cannot be seen.
    """
    values, wrong = cleaned(pl.Series([reason.strip() or None], dtype=pl.String))
    if wrong:
        raise Refused(f"The reason {next(iter(wrong.values()))}.")
    if values[0] is None:
        raise Refused("Say why: it stays beside the entry for whoever asks later.")
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
                f"Entry {sequence} is of the kind {entry.kind}, which cannot be undone:"
                f" {FINAL[entry.kind]}."
            )
        by = [one for one in state.undos.get(sequence, ()) if not state.undone(one)]
        if by:
            raise Refused(
                f"Entry {sequence} is undone already, by entry {by[-1]}. To let it count again,"
                f" undo that one: palmares journal undo {by[-1]}."
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
            what=f"entry {standing.sequence} has replaced it, so that nothing changes now",
            clause="journal undo",
            remedy=f"To let neither of them count, undo entry {standing.sequence} too.",
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
        _report_of(desk.projection.state, tournament)
        desk.add(Draft(kind="withdrawal", subject=tournament, body={"reason": why}))

    return act


def _report_of(state: State, tournament: str) -> int:
    """The entry that is a tournament's report in force."""
    found = state.standing("tournaments", tournament)
    if found is not None and found.kind == "report":
        return found.sequence
    if found is not None:
        raise Refused(f"{shown(tournament)} was withdrawn already, by entry {found.sequence}.")
    from difflib import get_close_matches

    close = get_close_matches(tournament, state.group("tournaments"), n=3)
    hint = f" Did you mean {', '.join(shown(one) for one in close)}?" if close else ""
    raise Refused(f"No report of a tournament {shown(tournament)} is in force.{hint}")


def override(
    tournament: str, table: str, row: Mapping[str, str], cells: Mapping[str, str], reason: str
) -> Action:
    """Set cells of one row of a tournament's report.

    Args:
        tournament: its id.
        table: of the tables of reports: events, placings, ...
        row: cells, as text, by which exactly one row is found.
        cells: what shall stand in the row, as text; empty text empties a cell.
        reason: why.

    Raises, when it is done:
        Refused: no report counts; not exactly one row is found; nothing would change.
        FactsRejected: a value is none that the column takes.
    """

    def act(desk: Desk) -> None:
        why = reasoned(reason)
        known = _refuse_unknown(table, row, cells)
        entry = desk.writer.entry(_report_of(desk.projection.state, tournament))
        tables = changed(tables_of(entry), desk.projection.state.overrides(tournament))
        sought, found = _value(table, row), _value(table, cells)
        place = _only_row(desk, tables, table, sought, tournament)
        held = {name: _cell(tables[table], name, place) for name in known}
        key = {**sought, **{name: held[name] for name in WHO.get(table, ()) if name in sought}}
        said = {name: value for name, value in found.items() if value != held.get(name)}
        if not said:
            raise Refused("Nothing was recorded: the row says that already.")
        _refuse_unfit(table, {**held, **said})
        body = {"table": table, "row": key, "set": said, "reason": why}
        desk.add(Draft(kind="override", subject=tournament, body=body))

    return act


def _refuse_unknown(
    table: str, row: Mapping[str, str], cells: Mapping[str, str]
) -> Mapping[str, Column]:
    """The columns of a table; refuse another table, and columns that it has not."""
    if table not in REPORTED:
        raise Refused(f"A report has no table {brief(table)}. It has {', '.join(REPORTED)}.")
    known = TABLES[table]
    for name in (*row, *cells):
        if name not in known:
            raise Refused(f"{table} has no column {brief(name)}. It has {', '.join(known)}.")
    if not row or not cells:
        raise Refused("Say which row is meant, and what shall stand in it.")
    for name in cells:
        if name in IDS:
            raise Refused(
                f"{name} cannot be overridden: rows belong together by it. Report the tournament"
                " again, or withdraw it."
            )
    return known


def _value(table: str, cells: Mapping[str, str]) -> dict[str, Any]:
    """Cells given as text, as an entry keeps them.

    Raises:
        FactsRejected: a text is no value of its column.
    """
    return _kept(table, {name: text.strip() or None for name, text in cells.items()}, [*cells])


def _refuse_unfit(table: str, row: Mapping[str, Any]) -> None:
    """Refuse a row that no report could have: a required cell is empty."""
    texts = {name: None if value is None else _text(value) for name, value in row.items()}
    _kept(table, texts, [*TABLES[table]])


def _text(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _kept(table: str, cells: Mapping[str, str | None], asked: Sequence[str]) -> dict[str, Any]:
    """A row of text through the checks of cells, and what an entry makes of it."""
    frame = pl.DataFrame(
        {**{name: [text] for name, text in cells.items()}, FILE: ["override"], LINE: [1]},
        schema={**dict.fromkeys(cells, pl.String), FILE: pl.String, LINE: pl.UInt32},
    )
    draft = typed_frames({table: frame})
    clauses = {f"facts {table}.{name}": name for name in asked}
    problems = [
        Problem(where=f"{table} {clauses[one.clause]}", what=one.what, clause=one.clause,
                remedy=one.remedy)
        for one in draft.problems
        if one.clause in clauses
    ]  # fmt: skip
    if problems:
        raise FactsRejected(problems, so="nothing was recorded")
    found = tabled(draft.facts).get(table, {})
    return {name: found[name][0] if name in found else None for name in asked}


def _cell(table: Mapping[str, Sequence[Any]], name: str, place: int) -> Any:
    return table[name][place] if name in table else None


def _only_row(
    desk: Desk, tables: Tables, table: str, sought: Mapping[str, Any], tournament: str
) -> int:
    """The one row that is meant; a player may be named by the record he is part of now."""
    merged = became(desk.projection.state.merges())
    whole = tables.get(table, {})
    for name in WHO.get(table, ()):
        if name in sought and name in whole:
            whole = {**whole, name: [merged.get(one, one) for one in whole[name]]}
            sought = {**sought, name: merged.get(sought[name], sought[name])}
    places = matching({table: whole}, {"table": table, "row": sought})
    if len(places) == 1:
        return places[0]
    size = max((len(column) for column in whole.values()), default=0)
    told = places or list(range(size))
    rows = [_row(whole, place) for place in told[:MOST]]
    rows += [f"… and {len(told) - MOST} more"] * (len(told) > MOST)
    listed = "".join(f"\n    {one}" for one in rows)
    many = f"{len(places)} rows" if places else "no row"
    raise Refused(
        f"{many.capitalize()} of {table} in {shown(tournament)} fit"
        f"{'s' * (not places)}; exactly one must. "
        + (f"{'These fit' if places else 'There are'}:{listed}" if rows else "There are none.")
    )


def _row(table: Mapping[str, Sequence[Any]], place: int) -> str:
    cells = ((name, _cell(table, name, place)) for name in table)
    return ", ".join(f"{name}={shown(value)}" for name, value in cells if value is not None)


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
        drafts = list(stated(desk, "rate", body["currency"], body))
        _put(desk, drafts, "rate")

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
        drafts = list(stated(desk, "membership", player, body))
        _put(desk, drafts, "membership")

    return act


def _put(desk: Desk, drafts: Sequence[Draft], what: str) -> None:
    if not drafts:
        raise Refused(f"Nothing was recorded: this {what} is stated already.")
    for draft in drafts:
        desk.add(draft)


def _beside(table: str, cells: Mapping[str, str | None]) -> dict[str, Any]:
    """A row of a table beside reports, checked and as an entry keeps it."""
    frame = pl.DataFrame(
        {**{name: [text] for name, text in cells.items()}, FILE: [table], LINE: [1]},
        schema={**dict.fromkeys(cells, pl.String), FILE: pl.String, LINE: pl.UInt32},
    )
    draft = typed_frames({table: frame})
    if draft.problems:
        raise FactsRejected(draft.problems, so="nothing was recorded")
    row = draft.facts[table].select(list(TABLES[table])).row(0, named=True)
    return {name: _json(value) for name, value in row.items()}


def _json(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return value if value is None or isinstance(value, str) else f"{value.normalize():f}"


def _refuse_nobody(state: State, player: str) -> None:
    if state.standing("players", player) is None:
        raise Refused(f"There is no player {shown(player)} in this journal.")


# ── erasure ──────────────────────────────────────────────────────────────────────────────────────


def erase(player: str, reason: str) -> Action:
    """Throw away a player's name, of every record that is his; rank and place stay.

    Args:
        player: his id; records that were merged with it are erased too.
        reason: why.

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
            raise Refused(f"{shown(player)} was erased already; no name of his is left.")
        for one in records:
            body = {"reason": why, "persons": names[one]}
            desk.add(Draft(kind="erasure", subject=one, body=body))
        desk.writer.erase([seal for found in names.values() for seal in found])

    return act


def _seals(state: State, player: str) -> list[str]:
    """Every seal of a name that a record ever had, undone ones too."""
    found = (one.body["person"] for one in state.group("players").get(player, ()))
    return list(dict.fromkeys(one for one in found if one))
