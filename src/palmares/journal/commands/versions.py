"""Compare two versions of a tournament's report; reasons to refuse the later one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from palmares.core.errors import Location, Problem, Refused
from palmares.core.messages import hint, msg, plural
from palmares.facts.schema import KEYS, PLAYER_COLUMNS, REPORT_TABLES
from palmares.facts.text import shown
from palmares.journal.projection.bodies import key_cell, matching_rows, player_ids, with_overrides
from palmares.journal.projection.project import Delta, State
from palmares.journal.store.entries import Entry, Override, Tables, tables_of
from palmares.journal.store.journal import Reader

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
    widths = [max(map(len, texts)) for texts in zip(*grid[: MAX_SHOWN + 1], strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(texts, widths, strict=True)).rstrip()
        for texts in grid[: MAX_SHOWN + 1]
    ]
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
        return f"{shown(names[value])} [{value}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return shown(value)


# ── reasons to refuse a later version ────────────────────────────────────────────────────────────


class Unseen(Refused):
    """Reports would replace versions in force that were not named."""

    def __init__(self, text: str, entries: Mapping[str, int]) -> None:
        super().__init__(text)
        self.entries = entries  # in force, by tournament


def refuse_unseen(
    source: Reader,
    unseen: Mapping[int, Tables],
    not_in_force: Collection[int],
    names: Mapping[str, str],
) -> Refused:
    """The refusal to replace versions that were not named, with the differences.

    Args:
        source: where entries are read.
        unseen: entries in force that were not named, and what would replace them.
        not_in_force: entries that were named and are not in force.
        names: of players by id.
    """
    if not unseen:
        return Refused(msg("%(lines)s\nNothing was recorded.", lines=_not_in_force(not_in_force)))
    entries = list(source.by_number(list(unseen)))
    lines = "\n".join(_both_versions(entry, unseen[entry.sequence], names) for entry in entries)
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


def _both_versions(entry: Entry, tables: Tables, names: Mapping[str, str]) -> str:
    """The differences of an entry and a new version, as lines."""
    by = f"by {entry.author} ({entry.role}) on {entry.recorded_at[:16].replace('T', ' ')} UTC"
    titles = f"entry {entry.sequence}", "yours"
    lines = difference_lines(tables_of(entry), tables, titles, names)
    head = f"{shown(entry.subject)} is reported otherwise in entry {entry.sequence}, {by}:"
    return "\n".join([head, "", *lines, ""])


def lost_overrides(delta: Delta, source: Reader) -> Iterator[Problem]:
    """Problems of overrides that do not find their row in a changed report."""
    state = delta.after.state
    changed = {key for group, key in delta.places if group in ("tournaments", "overrides")}
    reports = [state.report(tournament) for tournament in changed if state.overrides(tournament)]
    for entry in source.by_number([report.sequence for report in reports if report is not None]):
        tables = tables_of(entry)
        for override in state.not_undone("overrides", entry.subject):
            if row := _missing_row(tables, override.body):
                yield Problem(
                    at=Location(f"entry {override.sequence}"),
                    what=msg(
                        "the row that this override of %(tournament)s changes is gone: %(row)s",
                        tournament=shown(entry.subject),
                        row=row,
                    ),
                    clause="journal overrides",
                    remedy=hint(
                        "undo-if-unneeded",
                        "If it is no longer needed, undo entry %(entry)s first.",
                        entry=str(override.sequence),
                    ),
                )
            tables = with_overrides(tables, [override.body])


def missing_erased_players(state: State, entry: Entry, tables: Tables) -> Iterator[Problem]:
    """Notices of erased players who are missing in a new version.

    A report that still has the erased name makes a new player of it, since it is unknown now.
    """
    for player in sorted(player_ids(tables_of(entry)) - player_ids(tables)):
        if state.in_force("erasures", player) is not None:
            yield Problem(
                at=Location(f"player {shown(player)}"),
                what=msg(
                    "they are in entry %(entry)s, their name was erased, and this version of"
                    " %(tournament)s is without them",
                    entry=str(entry.sequence),
                    tournament=shown(entry.subject),
                ),
                clause="journal erasures",
                remedy=msg(
                    "If it still has the name, write the id behind it: Name [%(player)s]. The name"
                    " is not kept then.",
                    player=shown(player),
                ),
            )


def _missing_row(tables: Tables, override: Override) -> str:
    """The row that an override does not find, in words; empty if it finds it."""
    if override.player is not None:
        before = override.player.before
        return "" if before in player_ids(tables) else f"player {before}"
    if matching_rows(tables.get(override.table, {}), override.row):
        return ""
    row = ", ".join(f"{name} {shown(value)}" for name, value in override.row.items())
    return f"{override.table}, {row}"
