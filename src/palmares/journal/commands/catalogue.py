"""
What officers decide, as forms: their fields, and the action that each makes of what was typed.

    DECISIONS   every decision by name
    Decision    its title, its fields, and what makes the action
    Typed       what was typed, by field
    action_of   a decision, and what was typed  ->  the action
    plainly     what was typed in a language  ->  numbers and days as programs write them
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from palmares.errors import Refused, brief
from palmares.facts.tables import TABLES
from palmares.journal import decisions, naming, overriding, players
from palmares.journal.bodies import REPORTED
from palmares.journal.finding import find
from palmares.journal.recording import Action, Desk
from palmares.web import own_ways
from palmares.web.forgetting import forget
from palmares.web.messages import said
from palmares.web.own_ways import date_of
from palmares.web.pages import pasted_lines, publishing_asked
from palmares.web.pages.officer_fields import Field
from palmares.web.pages.pasted_lines import Column, Row

Typed = Mapping[str, str]
_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Something that an officer decides."""

    title: str
    about: str
    fields: tuple[Field, ...]
    action: Callable[[Typed], Action]
    kinds: Callable[[Typed], Mapping[str, str]] = lambda _: {}  # of fields, by what others say


def action_of(name: str, typed: Typed) -> Action:
    """The action that a form asks for.

    Raises:
        Refused: something that must be there is not, or is no day or number.
    """
    decision = DECISIONS[name]
    missing = [
        one.label for one in decision.fields if one.required and not typed.get(one.name, "").strip()
    ]
    if missing:
        raise Refused(said("Fill in: %(fields)s.", fields=tuple(missing)))
    return decision.action({one.name: typed.get(one.name, "").strip() for one in decision.fields})


def plainly(name: str, typed: Typed, language: str) -> Typed:
    """What was typed, numbers and days as programs write them.

    Raises:
        Unclear: one of them can mean two things.
        FactsRejected: the same in lines that were pasted.
    """
    found, kinds = dict(typed), DECISIONS[name].kinds(typed)
    for one in DECISIONS[name].fields:
        text, kind = typed.get(one.name, ""), kinds.get(one.name, one.kind)
        if kind in own_ways.READ:
            found[one.name] = own_ways.READ[kind](language, text)
        elif one.columns:
            found[one.name] = pasted_lines.plainly(text, one.columns, language)
    return found


# ── what was typed ───────────────────────────────────────────────────────────────────────────────


def _entry(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise Refused(said("%(text)s is no number of an entry.", text=brief(text)))
    return int(text)


def _words(text: str) -> list[str]:
    return [one.strip() for one in text.splitlines() if one.strip()]


def _cells(typed: Typed, *names: str) -> dict[str, str]:
    """The cells that something was typed in; a dash empties one."""
    return {name: "" if typed[name] == "-" else typed[name] for name in names if typed[name]}


def _row(text: str) -> dict[str, str]:
    """``player_id = P1``, line by line."""
    found = {}
    for line in _words(text):
        name, sign, value = (one.strip() for one in line.partition("="))
        if not (name and sign):
            raise Refused(said("%(line)s: write it like player_id = P1.", line=brief(line)))
        found[name] = value
    return found


# ── forms to actions ─────────────────────────────────────────────────────────────────────────────


def _split(typed: Typed) -> Action:
    cells = _cells(typed, "name", "nation")
    return players.split(
        typed["player"],
        _words(typed["tournaments"]),
        typed["reason"],
        into=typed["into"] or None,
        cells=cells or None,
    )


def _edit(typed: Typed) -> Action:
    return naming.edited(typed["player"], _cells(typed, "name", "nation", "withheld"))


def _override(typed: Typed) -> Action:
    value = {typed["column"]: typed["value"]}
    return overriding.override(
        typed["tournament"], typed["table"], _row(typed["row"]), value, typed["reason"]
    )


def _value(typed: Typed) -> dict[str, str]:
    """The new value of a cell is of the kind of its column."""
    column = TABLES.get(typed.get("table", ""), {}).get(typed.get("column", ""))
    return {"value": column.kind} if column else {}


def _membership(typed: Typed) -> Action:
    first, last = date_of(typed["start"]), date_of(typed["end"]) if typed["end"] else None
    return decisions.of_player(
        typed["player"],
        lambda one: decisions.membership(one, typed["federation"], first, last, typed["level"]),
    )


def _ended(typed: Typed) -> Action:
    day = date_of(typed["day"])
    return decisions.of_player(
        typed["player"], lambda found: decisions.ended(found, typed["federation"], day)
    )


def _memberships(typed: Typed) -> Action:
    def of(row: Row, desk: Desk) -> Action:
        player = row.read(0, lambda text: find(desk.projection, text))
        first, last = row.read(2, date_of), row.read(3, date_of) if row[3] else None
        return decisions.membership(player, row[1], first, last, row[4])

    return pasted_lines.action(typed["lines"], _MEMBERSHIPS, least=3, of=of)


def _rates(typed: Typed) -> Action:
    def of(row: Row, _: Desk) -> Action:
        return decisions.rate(row[0], row.read(1, date_of), row[2], row[3])

    return pasted_lines.action(typed["lines"], _RATES, least=3, of=of)


def columns_of_reports() -> dict[str, tuple[str, ...]]:
    """The columns that can be corrected, by their tables."""
    return {
        table: tuple(name for name in TABLES[table] if name not in overriding.IDS)
        for table in REPORTED
    }


COLUMNS = tuple(dict.fromkeys(one for some in columns_of_reports().values() for one in some))
_MEMBERSHIPS = (
    Column(label="Player", name="player_id"),
    Column(label="Federation", name="federation"),
    Column(label="First day", name="start", kind="day"),
    Column(label="Last day", name="end", kind="day"),
    Column(label="Level", name="level"),
)
_RATES = (
    Column(label="Currency", name="currency"),
    Column(label="Day", name="date", kind="day"),
    Column(label="Euro per unit", name="eur_per_unit", kind="decimal"),
    Column(label="Source", name="source"),
)
REASON = Field(name="reason", label="Reason", hint="It stays beside the entry; write no names.")
PLAYER = Field(name="player", label="Player", hint="An id, or a name that is only his.")
FEDERATION = Field(name="federation", label="Federation")
NATION = Field(name="nation", label="Nation", required=False, hint="Three letters, such as GER.")
TOURNAMENT = Field(
    name="tournament", label="Tournament", hint="Its id: the last part of its page’s address."
)

DECISIONS: Mapping[str, Decision] = {
    "undo": Decision(
        title="Undo an entry",
        about="It counts no longer; what it had replaced counts again. An undo can be undone.",
        fields=(Field(name="entry", label="Entry", kind="number"), REASON),
        action=lambda typed: decisions.undo(_entry(typed["entry"]), typed["reason"]),
    ),
    "withdraw": Decision(
        title="Withdraw a tournament",
        about="Its report counts no longer; it may be reported anew.",
        fields=(TOURNAMENT, REASON),
        action=lambda typed: decisions.withdraw(typed["tournament"], typed["reason"]),
    ),
    "override": Decision(
        title="Correct a report",
        about="One cell of a report is set, whatever is reported later. Its entry in the log leads"
        " to its cells.",
        fields=(
            TOURNAMENT,
            Field(name="table", label="Table", kind="choice", choices=tuple(REPORTED)),
            Field(name="row", label="Row", kind="area", hint="Cells by which one row is found."),
            Field(name="column", label="Column", kind="choice", choices=COLUMNS),
            Field(name="value", label="New value", required=False, hint="Nothing empties it."),
            REASON,
        ),
        action=_override,
        kinds=_value,
    ),
    "merge": Decision(
        title="Merge two players",
        about="Two records are one player. Nothing is moved, so it can be undone without a trace.",
        fields=(
            PLAYER,
            Field(name="into", label="Into", hint="Whose record stays, with name and nation."),
            REASON,
        ),
        action=lambda typed: players.merge(typed["player"], typed["into"], typed["reason"]),
    ),
    "apart": Decision(
        title="Keep two players apart",
        about="Two players who look alike are two, and are not suggested again.",
        fields=(PLAYER, Field(name="other", label="The other one"), REASON),
        action=lambda typed: players.apart(typed["player"], typed["other"], typed["reason"]),
    ),
    "unmerge": Decision(
        title="Undo a merge",
        about="A record that was merged is somebody of his own again.",
        fields=(PLAYER, REASON),
        action=lambda typed: players.unmerge(typed["player"], typed["reason"]),
    ),
    "split": Decision(
        title="Somebody else played",
        about="Another player takes somebody’s place in some tournaments.",
        fields=(
            PLAYER,
            Field(name="tournaments", label="Tournaments", kind="area", hint="An id a line."),
            Field(name="into", label="Who it was", required=False, hint="Nobody: a new player."),
            Field(name="name", label="Name of the new player", required=False),
            NATION,
            REASON,
        ),
        action=_split,
    ),
    "player": Decision(
        title="Add a player",
        about="Somebody nobody has reported yet.",
        fields=(Field(name="name", label="Name"), NATION),
        action=lambda typed: naming.added(_cells(typed, "name", "nation")),
    ),
    "edit": Decision(
        title="Edit a player",
        about="Another name or nation; a name withheld, or shown again. Empty stays as it is.",
        fields=(
            PLAYER,
            Field(name="name", label="New name", required=False),
            Field(name="nation", label="New nation", required=False, hint="A dash: none."),
            Field(
                name="withheld", label="Name withheld", kind="choice", required=False,
                choices=("", "true", "false"),
                called={"": "as it is", "true": "withheld", "false": "shown"},
            ),
        ),
        action=_edit,
    ),
    "erase": Decision(
        title="Erase a player’s name",
        about="Thrown away for good, with the texts of decided reports in which it stands; rank and"
        " place stay. This cannot be undone.",
        fields=(PLAYER, REASON),
        action=lambda typed: decisions.of_player(
            typed["player"], lambda found: decisions.erase(found, typed["reason"], forget)
        ),
    ),
    "membership": Decision(
        title="Record a membership",
        about="A player is a member of a federation from a day on.",
        fields=(
            PLAYER,
            FEDERATION,
            Field(name="start", label="First day", kind="day"),
            Field(name="end", label="Last day", kind="day", required=False),
            Field(name="level", label="Level", required=False),
        ),
        action=_membership,
    ),
    "ended": Decision(
        title="End a membership",
        about="The membership that a player holds on a day ends on it.",
        fields=(PLAYER, FEDERATION, Field(name="day", label="Last day", kind="day")),
        action=_ended,
    ),
    "memberships": Decision(
        title="Paste memberships",
        about="A line each: player; federation; first day; last day; level.",
        fields=(Field(name="lines", label="Lines", kind="area", columns=_MEMBERSHIPS),),
        action=_memberships,
    ),
    "rate": Decision(
        title="Record an exchange rate",
        about="Euro per unit of a currency on a day.",
        fields=(
            Field(name="currency", label="Currency", hint="Three letters, such as CZK."),
            Field(name="day", label="Day", kind="day"),
            Field(name="eur_per_unit", label="Euro per unit", kind="decimal"),
            Field(name="source", label="Source", required=False),
        ),
        action=lambda typed: decisions.rate(
            typed["currency"], date_of(typed["day"]), typed["eur_per_unit"], typed["source"]
        ),
    ),
    "rates": Decision(
        title="Paste exchange rates",
        about="A line each: currency; day; euro per unit; source.",
        fields=(Field(name="lines", label="Lines", kind="area", columns=_RATES),),
        action=_rates,
    ),
    "publish": Decision(
        title="Publish a list",
        about="The ranking of a day is announced for good, so that anybody can recompute it.",
        fields=publishing_asked.FIELDS,
        action=publishing_asked.action,
    ),
}  # fmt: skip
"""Every decision, in the order of the desk."""
