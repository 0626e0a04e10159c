"""
An officer sets cells of a report: in one row, with a reason, whatever is reported later.

    override    a row of a tournament's table and what shall stand in it  ->  an action
    IDS         the columns that cannot be set

Values are given as text and go through the checks of every cell. The override stays in force when
the tournament is reported again; where its row is gone then, the new report is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from palmares.errors import FactsRejected, Problem, Refused, brief, rejected
from palmares.facts.cells import typed_frames
from palmares.facts.tables import FILE, LINE, TABLES, Column
from palmares.facts.texts import shown
from palmares.journal.arrivals import DISCIPLINE, STATE_IT
from palmares.journal.bodies import REPORTED, WHO, Tables, changed, matching, tabled
from palmares.journal.corrections import KEYS
from palmares.journal.decisions import reasoned, report_of
from palmares.journal.entries import Draft
from palmares.journal.finding import find
from palmares.journal.projection import tables_of
from palmares.journal.recording import Action, Desk
from palmares.journal.repeats import unchanged
from palmares.journal.state import became
from palmares.sentences import said

IDS = ("tournament_id", "event_id", "match_id")
"""What an override cannot set: by these columns rows belong together."""

MOST = 10
"""Rows shown to somebody whose row was not found."""


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
        entry = desk.writer.entry(report_of(desk.projection.state, tournament))
        tables = changed(tables_of(entry), desk.projection.state.overrides(tournament))
        sought, found = (
            _value(table, _by_id(desk, table, given)) for given in (row, cells)
        )  # fmt: skip
        place = _only_row(desk, tables, table, sought, tournament)
        held = {name: _cell(tables[table], name, place) for name in known}
        key = {name: _known_by(name, held[name]) for name in KEYS[table]}
        said = {name: value for name, value in found.items() if value != held.get(name)}
        if not said:
            _refuse_or_tell(desk, tournament, {"table": table, "row": key}, found)
            return
        _refuse_no_discipline(said)
        _refuse_unfit(table, {**held, **said})
        body = {"table": table, "row": key, "set": said, "reason": why}
        desk.add(Draft(kind="override", subject=tournament, body=body))

    return act


def _refuse_or_tell(
    desk: Desk, tournament: str, row: Mapping[str, Any], cells: Mapping[str, Any]
) -> None:
    """Tell of the override that says just that; refuse one that the report itself makes idle."""
    for one in reversed(desk.projection.state.counting("overrides", tournament)):
        if row.items() <= one.body.items() and one.body["set"].items() <= cells.items():
            what = f"override of {row['table']} in {shown(tournament)}"
            desk.notices.append(unchanged(one.sequence, what))
            return
    raise Refused(said("Nothing was recorded: the row says that already."))


def _refuse_unknown(
    table: str, row: Mapping[str, str], cells: Mapping[str, str]
) -> Mapping[str, Column]:
    """The columns of a table; refuse another table, and columns that it has not."""
    if table not in REPORTED:
        raise Refused(
            said(
                "A report has no table %(table)s. It has %(tables)s.",
                table=brief(table),
                tables=", ".join(REPORTED),
            )
        )
    known = TABLES[table]
    for name in (*row, *cells):
        if name not in known:
            raise Refused(
                said(
                    "%(table)s has no column %(column)s. It has %(columns)s.",
                    table=table,
                    column=brief(name),
                    columns=", ".join(known),
                )
            )
    if not row or not cells:
        raise Refused(said("Say which row is meant, and what shall stand in it."))
    for name in cells:
        if name in IDS:
            raise Refused(
                said(
                    "%(column)s cannot be overridden: rows belong together by it. Report the"
                    " tournament again, or withdraw it.",
                    column=name,
                )
            )
    return known


def _by_id(desk: Desk, table: str, cells: Mapping[str, str]) -> dict[str, str]:
    """Cells in which players stand by id; they may be given by name."""
    people = WHO.get(table, ())
    return {
        name: find(desk.projection, text) if name in people and text.strip() else text
        for name, text in cells.items()
    }


def _value(table: str, cells: Mapping[str, str]) -> dict[str, Any]:
    """Cells given as text, as an entry keeps them.

    Raises:
        FactsRejected: a text is no value of its column.
    """
    return _kept(table, {name: text.strip() or None for name, text in cells.items()}, [*cells])


def _known_by(name: str, value: Any) -> Any:
    """A cell of a key; a flight that was not said is the Main."""
    return "main" if name == "flight" and value is None else value


def _refuse_no_discipline(cells: Mapping[str, Any]) -> None:
    """Refuse to empty a tournament's discipline: every regulation would count it."""
    if cells.get("discipline", "") is None:
        what = said("a tournament of a journal always has a discipline")
        raise rejected("tournaments discipline", what, DISCIPLINE, STATE_IT)


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
        raise FactsRejected(problems, so=said("nothing was recorded"))
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
    about = {"table": table, "tournament": shown(tournament), "rows": listed}
    if places:
        raise Refused(
            said(
                "%(many)s rows of %(table)s in %(tournament)s fit; exactly one must. These fit:"
                "%(rows)s",
                many=len(places),
                **about,
            )
        )
    if rows:
        raise Refused(
            said(
                "No row of %(table)s in %(tournament)s fits; exactly one must. There are:%(rows)s",
                **about,
            )
        )
    raise Refused(
        said(
            "No row of %(table)s in %(tournament)s fits; exactly one must. There are none.",
            **about,
        )
    )


def _row(table: Mapping[str, Sequence[Any]], place: int) -> str:
    cells = ((name, _cell(table, name, place)) for name in table)
    return ", ".join(f"{name}={shown(value)}" for name, value in cells if value is not None)
