"""Compare two versions of a tournament's report; reasons to refuse the later one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palmares.core.errors import Location, Problem, Refused
from palmares.core.messages import hint, msg, plural
from palmares.facts.schema import KEYS, PLAYER_COLUMNS, REPORT_TABLES
from palmares.facts.text import shown
from palmares.journal.projection.bodies import key_cell, matching_rows, player_ids, with_overrides
from palmares.journal.projection.project import Delta
from palmares.journal.projection.state import State
from palmares.journal.store.entries import Entry
from palmares.journal.store.journal import Reader
from palmares.journal.store.kinds import Override, Tables, tables_of

MAX_SHOWN = 40
"""Differences listed in a message."""

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A cell that differs, or a row that only one version has."""

    table: str
    row: Mapping[str, Any]  # its key
    column: str  # empty: the whole row
    before: Any  # None: no value, or no row
    after: Any

    def cells(self, names: Mapping[str, str]) -> tuple[str, str, str, str, str]:
        """Table, row, column, before and after as text; players by name and id."""
        player_columns = PLAYER_COLUMNS.get(self.table, ())
        row = ", ".join(
            _text(value, name in player_columns, names) for name, value in self.row.items()
        )
        before, after = (
            "-" if value is None else _text(value, self.column in player_columns, names)
            for value in (self.before, self.after)
        )
        return self.table, row, self.column, before, after


def _text(value: Any, is_player: bool, names: Mapping[str, str]) -> str:  # noqa: FBT001
    if is_player and names.get(value, value) != value:
        return f"{shown(names[value])} [{value}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return shown(value)


def differences(before: Tables, after: Tables) -> list[Difference]:
    """The differences of two versions of a report."""
    found: list[Difference] = []
    for table in REPORT_TABLES:
        old, new = (_rows(table, tables.get(table, {})) for tables in (before, after))
        for key in sorted(old.keys() | new.keys(), key=repr):
            found += _row_differences(table, key, old.get(key), new.get(key))
    return found


def _rows(table: str, columns: Mapping[str, Sequence[Any]]) -> dict[tuple[Any, ...], Row]:
    """The rows of a table by their keys."""
    if not columns:
        return {}
    names = list(columns)
    rows = (
        dict(zip(names, cells, strict=True)) for cells in zip(*columns.values(), strict=True)
    )  # fmt: skip
    return {tuple(key_cell(name, row.get(name)) for name in KEYS[table]): row for row in rows}


def _row_differences(
    table: str, key: tuple[Any, ...], old: Row | None, new: Row | None
) -> Iterator[Difference]:
    row = dict(zip(KEYS[table], key, strict=True))
    if old is None or new is None:
        before, after = (None if cells is None else _rest(cells, row) for cells in (old, new))
        yield Difference(table=table, row=row, column="", before=before, after=after)
        return
    for name in dict.fromkeys((*old, *new)):
        if name not in row and old.get(name) != new.get(name):
            yield Difference(
                table=table, row=row, column=name, before=old.get(name), after=new.get(name)
            )


def _rest(row: Row, key: Mapping[str, Any]) -> str:
    """A row without its key: "rank 1, tied 2"."""
    rest = ((name, value) for name, value in row.items() if name not in key)
    return ", ".join(f"{name} {value}" for name, value in rest if value is not None) or "there"


def table_lines(
    found: Sequence[Difference], titles: tuple[str, str], names: Mapping[str, str]
) -> list[str]:
    """Differences as lines of a table.

    Args:
        found: the differences.
        titles: of the two versions: "entry 12", "yours".
        names: of players by id.
    """
    grid = [("table", "row", "column", *titles)]
    grid += [difference.cells(names) for difference in found[:MAX_SHOWN]]
    widths = [max(map(len, texts)) for texts in zip(*grid, strict=True)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(texts, widths, strict=True)).rstrip()
        for texts in grid
    ]
    return lines if len(found) <= MAX_SHOWN else [*lines, f"… and {len(found) - MAX_SHOWN} more."]


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
    lines = "\n".join(
        line for entry in entries for line in _both_versions(entry, unseen[entry.sequence], names)
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


def _both_versions(entry: Entry, tables: Tables, names: Mapping[str, str]) -> list[str]:
    """The differences of an entry and a new version, as lines."""
    by = f"by {entry.author} ({entry.role}) on {entry.recorded_at[:16].replace('T', ' ')} UTC"
    found = differences(tables_of(entry), tables)
    return [
        f"{shown(entry.subject)} is reported otherwise in entry {entry.sequence}, {by}:",
        "",
        *table_lines(found, (f"entry {entry.sequence}", "yours"), names),
        "",
    ]


def lost_overrides(state: State, tournament: str, tables: Tables) -> Iterator[Problem]:
    """Problems of a tournament's overrides whose row the new version does not have."""
    for override in state.not_undone("overrides", tournament):
        if row := _missing_row(tables, override.body):
            yield Problem(
                at=Location(f"entry {override.sequence}"),
                what=msg(
                    "the row that this override of %(tournament)s changes is gone: %(row)s",
                    tournament=shown(tournament),
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


def newly_lost_overrides(delta: Delta, source: Reader) -> Iterator[Problem]:
    """Problems of overrides that found their row before some entries, and no longer do."""
    before, after = delta.before.state, delta.after.state
    changed = (key for group, key in delta.places if group in ("tournaments", "overrides"))
    for tournament in dict.fromkeys(changed):
        if after.overrides(tournament):
            old = {problem.where for problem in _lost_in(before, tournament, source)}
            lost = _lost_in(after, tournament, source)
            yield from (problem for problem in lost if problem.where not in old)


def _lost_in(state: State, tournament: str, source: Reader) -> Iterator[Problem]:
    """Problems of overrides that do not find their row in the report in force."""
    report = state.report(tournament)
    for entry in source.by_number([report.sequence] if report is not None else []):
        yield from lost_overrides(state, tournament, tables_of(entry))


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
