"""
Overrides: an officer sets cells in one row of a report.

An override stays in force when the tournament is reported again; a new report without the row is
refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from palmares.core.errors import Refused, brief, rejected
from palmares.core.messages import msg
from palmares.facts.schema import KEYS, PLAYER_COLUMNS, REPORT_TABLES, TABLES, Column
from palmares.facts.text import shown
from palmares.journal.commands.decisions import checked_reason, report_of
from palmares.journal.commands.reports import DISCIPLINE, STATE_IT
from palmares.journal.commands.transaction import Transaction, action, already_recorded, checked_row
from palmares.journal.identity.register import find_player_id
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
        Refused: there is no report in force; no row, or several, fit; nothing would change.
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
        _no_change(transaction, tournament, table, key, values)
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


def _no_change(
    transaction: Transaction,
    tournament: str,
    table: str,
    row: Mapping[str, Any],
    cells: Mapping[str, Any],
) -> None:
    """Add the notice that an override sets this already, or refuse if the report says it."""
    for statement in reversed(transaction.state.not_undone("overrides", tournament)):
        body: Override = statement.body
        if (body.table, body.row) == (table, row) and body.cells.items() <= cells.items():
            transaction.notices.append(
                already_recorded(statement.sequence, f"override of {table} in {shown(tournament)}")
            )
            return
    raise Refused(msg("Nothing was recorded: the row says that already."))


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
    return known


def _by_id(transaction: Transaction, table: str, cells: Mapping[str, str]) -> dict[str, str]:
    """Cells with players by id; they may be given by name."""
    player_columns = PLAYER_COLUMNS.get(table, ())
    return {
        name: find_player_id(transaction.projection, text)
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
        "tournament": shown(tournament),
        "rows": "".join(f"\n    {line}" for line in lines),
    }
    if places:
        raise Refused(
            msg(
                "%(many)s rows of %(table)s in %(tournament)s fit; exactly one must. These fit:"
                "%(rows)s",
                many=len(places),
                **about,
            )
        )
    raise Refused(
        msg(
            "No row of %(table)s in %(tournament)s fits; exactly one must. There are:%(rows)s",
            **{**about, "rows": about["rows"] or " none."},
        )
    )


def _row(table: Mapping[str, Sequence[Any]], place: int) -> str:
    cells = ((name, cell(table, name, place)) for name in table)
    return ", ".join(f"{name}={shown(value)}" for name, value in cells if value is not None)
