"""The decisions of officers, literally: command line, site and API read this table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from palmares.facts.schema import REPORT_TABLES, TABLES
from palmares.journal.commands import announcements, decisions, players
from palmares.journal.commands.transaction import Action


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field of a decision's form."""

    name: str
    label: str
    kind: str = "text"  # text, day, number, decimal, area, choice
    required: bool = True
    choices: tuple[str, ...] = ()
    choice_labels: Mapping[str, str] = field(
        default_factory=dict
    )  # choices that have a name in words
    hint: str = ""
    verbatim: bool = False  # label and choices are words of a regulation, in its language


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Something that an officer decides."""

    entry: str  # the kind of the entries that record it
    title: str
    about: str
    fields: tuple[Field, ...]
    action: Callable[..., Action]  # takes values by the names of the fields


# ── values to actions ────────────────────────────────────────────────────────────────────────────


def _override(
    tournament: str,
    table: str,
    row: Mapping[str, str],
    reason: str,
    *,
    column: str = "",
    value: str | None = None,
    cells: Mapping[str, str] | None = None,
) -> Action:
    """Set one cell of a row, or several at once."""
    given = {column: value or ""} if cells is None else cells
    return decisions.override(tournament, table, row, given, reason)


# ── the table ────────────────────────────────────────────────────────────────────────────────────


def columns_of_reports() -> dict[str, tuple[str, ...]]:
    """The columns that can be corrected, by their tables."""
    return {
        table: tuple(name for name in TABLES[table] if name not in decisions.IDS)
        for table in REPORT_TABLES
    }


_COLUMNS = tuple(
    dict.fromkeys(column for columns in columns_of_reports().values() for column in columns)
)
REASON = Field(
    name="reason", label="Reason", hint="Everyone can read it beside the entry; write no names."
)
_PLAYER = Field(name="player", label="Player", hint="An id, or a name that is only theirs.")
_FEDERATION = Field(name="federation", label="Federation")
_NATION = Field(name="nation", label="Nation", required=False, hint="Three letters, such as GER.")
TOURNAMENT = Field(
    name="tournament", label="Tournament", hint="Its id: the last part of its page’s address."
)

DECISIONS: Mapping[str, Decision] = {
    "undo": Decision(
        entry="undo",
        title="Undo an entry",
        about="Cancel this entry; the earlier version counts again. You can redo it.",
        fields=(Field(name="entry", label="Entry", kind="number"), REASON),
        action=decisions.undo,
    ),
    "withdraw": Decision(
        entry="withdrawal",
        title="Withdraw a tournament",
        about="Remove its report from every list. You can report it again.",
        fields=(TOURNAMENT, REASON),
        action=decisions.withdraw,
    ),
    "override": Decision(
        entry="override",
        title="Correct a report",
        about="Set one cell of a report. It stays set when the tournament is reported again. The"
        " report’s entry in the log leads to its cells.",
        fields=(
            TOURNAMENT,
            Field(name="table", label="Table", kind="choice", choices=tuple(REPORT_TABLES)),
            Field(name="row", label="Row", kind="area", hint="Cells that only this row has."),
            Field(name="column", label="Column", kind="choice", choices=_COLUMNS),
            Field(
                name="value", label="New value", required=False,
                hint="Leave it blank to clear the cell.",
            ),
            REASON,
        ),
        action=_override,
    ),
    "merge": Decision(
        entry="merge",
        title="Merge two players",
        about="Two records are one player. Nothing is moved, so it can be undone.",
        fields=(
            _PLAYER,
            Field(name="into", label="Into", hint="Whose record stays, with name and nation."),
            REASON,
        ),
        action=players.merge,
    ),
    "apart": Decision(
        entry="apart",
        title="Keep two players apart",
        about="Two players who look alike are two, and are not suggested again.",
        fields=(_PLAYER, Field(name="other", label="The other one"), REASON),
        action=players.apart,
    ),
    "unmerge": Decision(
        entry="undo",
        title="Undo a merge",
        about="A merged record becomes a separate player again.",
        fields=(_PLAYER, REASON),
        action=players.unmerge,
    ),
    "split": Decision(
        entry="override",
        title="Someone else played",
        about="Another player takes this one’s place in some tournaments.",
        fields=(
            _PLAYER,
            Field(name="tournaments", label="Tournaments", kind="area", hint="An id a line."),
            Field(name="into", label="Who it was", required=False, hint="Empty: a new player."),
            Field(name="name", label="Name of the new player", required=False),
            _NATION,
            REASON,
        ),
        action=players.split,
    ),
    "player": Decision(
        entry="player",
        title="Add a player",
        about="A player who is in no report yet.",
        fields=(Field(name="name", label="Name"), _NATION),
        action=players.add_player,
    ),
    "edit": Decision(
        entry="player",
        title="Edit a player",
        about="Another name or nation; a name withheld, or shown again. Empty stays as it is.",
        fields=(
            _PLAYER,
            Field(name="name", label="New name", required=False),
            Field(name="nation", label="New nation", required=False, hint="A dash: none."),
            Field(
                name="withheld", label="Name withheld", kind="choice", required=False,
                choices=("", "true", "false"),
                choice_labels={"": "as it is", "true": "withheld", "false": "shown"},
            ),
        ),
        action=players.edit_player,
    ),
    "erase": Decision(
        entry="erasure",
        title="Erase a player’s name",
        about="Deletes the name for good, with the texts of decided reports that contain it; rank"
        " and place stay. This cannot be undone.",
        fields=(_PLAYER, REASON),
        action=decisions.erase,
    ),
    "membership": Decision(
        entry="membership",
        title="Record a membership",
        about="A player is a member of a federation from a day on.",
        fields=(
            _PLAYER,
            _FEDERATION,
            Field(name="start", label="First day", kind="day"),
            Field(name="end", label="Last day", kind="day", required=False),
            Field(name="level", label="Level", required=False),
        ),
        action=decisions.membership,
    ),
    "ended": Decision(
        entry="membership",
        title="End a membership",
        about="The membership that a player holds on a day ends on it.",
        fields=(_PLAYER, _FEDERATION, Field(name="day", label="Last day", kind="day")),
        action=decisions.end_membership,
    ),
    "rate": Decision(
        entry="rate",
        title="Record an exchange rate",
        about="Euro per unit of a currency on a day.",
        fields=(
            Field(name="currency", label="Currency", hint="Three letters, such as CZK."),
            Field(name="day", label="Day", kind="day"),
            Field(name="eur_per_unit", label="Euro per unit", kind="decimal"),
            Field(name="source", label="Source", required=False),
        ),
        action=decisions.rate,
    ),
    "race": Decision(
        entry="race",
        title="Declare a race",
        about="A ranking by the results of some days, kinds or divisions gets a page of its own."
        " Declared again, the last declaration counts.",
        fields=(
            Field(
                name="file", label="Race file", kind="area",
                hint="A line each: race, name, regulation; and where they matter kinds, setting,"
                " since, until, divisions.",
            ),
        ),
        action=announcements.declare_race,
    ),
    "levels": Decision(
        entry="levels",
        title="Set recognition levels",
        about="Who has reached which level shows on their page and on the page of levels.",
        fields=(
            Field(name="regulation", label="Regulation"),
            Field(name="file", label="Levels, as TOML", kind="area"),
        ),
        action=announcements.set_levels,
    ),
}  # fmt: skip
"""Every decision but the publication of a list, which knows more than the journal."""
