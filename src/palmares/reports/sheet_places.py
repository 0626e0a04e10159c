"""
Which cell of a sheet a problem with the facts is about.

    of_columns      what each column was taken for  ->  clauses of problems, and the columns
    of_values       where values stand above the header row  ->  clauses of problems, and the places
    cells_above     the rows above the header row  ->  the cell of each value
    lines_above     the lines above it in a text  ->  the line of each value

The facts know their rows, and no columns: a problem names its rule, and the rule its column.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from palmares.facts.raw import letters
from palmares.reports import heads

_PERSON = ("facts players.name", "facts placings.player_id", "report players")
_MEANT = {
    "rank": ("facts placings.rank", "facts placings.tied", "report placings"),
    "name": _PERSON, "last": _PERSON, "first": _PERSON,
    "nation": ("facts players.nation", "facts placings.nation"),
    "origin": ("facts players.origin",),
    "id": ("facts players.player_id",),
    "designated": ("facts placings.designated",),
    "rounds_behind": ("facts placings.rounds_behind",),
    "flight": ("facts placings.flight", "facts flights.flight"),
    "event": ("facts events.name", "facts events.event_id"),
}  # fmt: skip
"""The clauses of problems that each column of a sheet can have."""


def of_columns(taken: Mapping[str, int], left: int) -> dict[str, str]:
    """The column, such as "C", of each clause.

    Args:
        taken: what was taken for what, and where, counted from 0.
        left: the number of the first column in the workbook.
    """
    found: dict[str, str] = {}
    for name, at in taken.items():
        for clause in _MEANT[name]:
            found.setdefault(clause, letters(left + at))
    return found


def of_values(places: Mapping[str, str]) -> dict[str, str]:
    """The place of each clause, by the places of the keys above the header row."""
    return {clause: place for key, place in places.items() for clause in _clauses(key)}


def _clauses(key: str) -> list[str]:
    if key == "event":
        return ["facts events.name"]
    tables = ["tournaments"] if key in heads.KEYS else ["events"]
    return [f"facts {table}.{key}" for table in [*tables, *["flights"] * (key == "entrants")]]


def cells_above(
    rows: Sequence[tuple[int, list[str]]], left: int, keys: Collection[str]
) -> dict[str, str]:
    """The cell of each value: the second of its row, or the one that holds both."""
    found = {}
    for number, row in rows:
        full = [at for at, cell in enumerate(row) if cell.strip()]
        if pair := heads.told(": ".join(row[at] for at in full), keys):
            found[pair[0]] = f"{letters(left + full[min(1, len(full) - 1)])}{number}"
    return found


def lines_above(lines: Sequence[str], keys: Collection[str]) -> dict[str, str]:
    """The line of each value."""
    pairs = ((number, heads.told(line, keys)) for number, line in enumerate(lines, 1))
    return {pair[0]: str(number) for number, pair in pairs if pair}
