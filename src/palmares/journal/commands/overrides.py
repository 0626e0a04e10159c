"""
An officer sets cells of a report: in one row, with a reason, whatever is reported later.

Values are given as text and go through the checks of every cell. The override stays in force when
the tournament is reported again; where its row is gone then, the new report is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from palmares.core.errors import Refused, brief, rejected
from palmares.core.messages import msg
from palmares.facts.schema import KEYS, PLAYER_COLUMNS, REPORT_TABLES, TABLES, Column
from palmares.facts.text import shown
from palmares.journal.commands.decisions import checked_reason, report_of
from palmares.journal.commands.reports import DISCIPLINE, STATE_IT
from palmares.journal.commands.transaction import Transaction, action, already_recorded, checked_row
from palmares.journal.identity.search import find_player_id
from palmares.journal.projection.bodies import (
    cell,
    key_cell,
    matching_rows,
    plain_cell,
    row_count,
    with_overrides,
)
from palmares.journal.store.kinds import Override, Tables, tables_of

IDS = ("tournament_id", "event_id", "match_id")
"""What an override cannot set: by these columns rows belong together."""

MOST = 10
"""Rows shown to somebody whose row was not found."""


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
        cells: what shall stand in the row, as text; empty text empties a cell.
        reason: why.

    Raises, when it is done:
        Refused: no report counts; not exactly one row is found; nothing would change.
        FactsRejected: a value is none that the column takes.
    """
    why = checked_reason(reason)
    known = _refuse_unknown(table, row, cells)
    entry = transaction.writer.entry(report_of(transaction.state, tournament))
    tables = with_overrides(tables_of(entry), transaction.state.overrides(tournament))
    sought, found = (
        _typed(table, _by_id(transaction, table, given)) for given in (row, cells)
    )  # fmt: skip
    place = _only_row(transaction, tables, table, sought, tournament)
    held = {name: cell(tables[table], name, place) for name in known}
    key = {name: key_cell(name, held[name]) for name in KEYS[table]}
    said = {name: value for name, value in found.items() if value != held.get(name)}
    if not said:
        _refuse_or_tell(transaction, tournament, table, key, found)
        return
    _refuse_no_discipline(said)
    _refuse_unfit(table, {**held, **said})
    transaction.add(tournament, Override(table=table, row=key, cells=said, reason=why))


def _refuse_or_tell(
    transaction: Transaction,
    tournament: str,
    table: str,
    row: Mapping[str, Any],
    cells: Mapping[str, Any],
) -> None:
    """Tell of the override that says just that; refuse one that the report itself makes idle."""
    for one in reversed(transaction.state.not_undone("overrides", tournament)):
        body: Override = one.body
        if (body.table, body.row) == (table, row) and body.cells.items() <= cells.items():
            transaction.notices.append(
                already_recorded(one.sequence, f"override of {table} in {shown(tournament)}")
            )
            return
    raise Refused(msg("Nothing was recorded: the row says that already."))


def _refuse_unknown(
    table: str, row: Mapping[str, str], cells: Mapping[str, str]
) -> Mapping[str, Column]:
    """The columns of a table; refuse another table, and columns that it has not."""
    if table not in REPORT_TABLES:
        raise Refused(
            msg(
                "A report has no table %(table)s. It has %(tables)s.",
                table=brief(table),
                tables=", ".join(REPORT_TABLES),
            )
        )
    known = TABLES[table]
    for name in (*row, *cells):
        if name not in known:
            raise Refused(
                msg(
                    "%(table)s has no column %(column)s. It has %(columns)s.",
                    table=table,
                    column=brief(name),
                    columns=", ".join(known),
                )
            )
    if not row or not cells:
        raise Refused(msg("Say which row is meant, and what shall stand in it."))
    for name in cells:
        if name in IDS:
            raise Refused(
                msg(
                    "%(column)s cannot be overridden: rows belong together by it. Report the"
                    " tournament again, or withdraw it.",
                    column=name,
                )
            )
    return known


def _by_id(transaction: Transaction, table: str, cells: Mapping[str, str]) -> dict[str, str]:
    """Cells in which players stand by id; they may be given by name."""
    people = PLAYER_COLUMNS.get(table, ())
    return {
        name: find_player_id(transaction.projection, text)
        if name in people and text.strip()
        else text
        for name, text in cells.items()
    }


def _typed(
    table: str, cells: Mapping[str, str | None], asked: Collection[str] | None = None
) -> dict[str, Any]:
    """Cells given as text, as an entry keeps them: those that are asked for, or all.

    Raises:
        FactsRejected: a text is no value of its column.
    """
    asked = cells if asked is None else asked
    row = checked_row(table, cells, only=asked)
    return {name: plain_cell(row.get(name)) for name in asked}


def _refuse_no_discipline(cells: Mapping[str, Any]) -> None:
    """Refuse to empty a tournament's discipline: every regulation would count it."""
    if cells.get("discipline", "") is None:
        what = msg("a tournament of a journal always has a discipline")
        raise rejected("tournaments discipline", what, DISCIPLINE, STATE_IT)


def _refuse_unfit(table: str, row: Mapping[str, Any]) -> None:
    """Refuse a row that no report could have: a required cell is empty."""
    texts = {name: None if value is None else _text(value) for name, value in row.items()}
    _typed(table, texts, TABLES[table])


def _text(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)


def _only_row(
    transaction: Transaction, tables: Tables, table: str, sought: Mapping[str, Any], tournament: str
) -> int:
    """The one row that is meant; a player may be named by the record they are part of now."""
    register, whole = transaction.register, tables.get(table, {})
    for name in PLAYER_COLUMNS.get(table, ()):
        if name in sought and name in whole:
            whole = {**whole, name: [register.canonical_id(player) for player in whole[name]]}
            sought = {**sought, name: register.canonical_id(sought[name])}
    places = matching_rows(whole, sought)
    if len(places) == 1:
        return places[0]
    told = places or list(range(row_count(whole)))
    rows = [_row(whole, place) for place in told[:MOST]]
    rows += [f"… and {len(told) - MOST} more"] * (len(told) > MOST)
    listed = "".join(f"\n    {row}" for row in rows)
    about = {"table": table, "tournament": shown(tournament), "rows": listed}
    if places:
        raise Refused(
            msg(
                "%(many)s rows of %(table)s in %(tournament)s fit; exactly one must. These fit:"
                "%(rows)s",
                many=len(places),
                **about,
            )
        )
    if rows:
        raise Refused(
            msg(
                "No row of %(table)s in %(tournament)s fits; exactly one must. There are:%(rows)s",
                **about,
            )
        )
    raise Refused(
        msg(
            "No row of %(table)s in %(tournament)s fits; exactly one must. There are none.",
            **about,
        )
    )


def _row(table: Mapping[str, Sequence[Any]], place: int) -> str:
    cells = ((name, cell(table, name, place)) for name in table)
    return ", ".join(f"{name}={shown(value)}" for name, value in cells if value is not None)
