"""The decisions of officers as forms, the action that typed text makes, and proposed lists."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any

import msgspec
import sqlalchemy as sa

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.fund import decisions as fund
from palmares.journal.commands import catalogue, decisions
from palmares.journal.commands.catalogue import Decision, Field
from palmares.journal.commands.transaction import Action, Transaction
from palmares.lists import publication
from palmares.points.awards import Question
from palmares.points.rankings import TOTAL, Selection
from palmares.regulations import get_regulation, regulations
from palmares.web.accounts.store import LARGEST_ID
from palmares.web.database import ACCOUNTS, PROPOSALS
from palmares.web.http.parameters import lines_of
from palmares.web.http.state import awarding_regulations
from palmares.web.shared.lists import parse_day
from palmares.web.submissions.submissions import forget

Typed = Mapping[str, str]

# ── the publication of a list ────────────────────────────────────────────────────────────────────

_KINDS = {
    kind: kind
    for regulation in regulations().values()
    if len(regulation.kinds) > 1
    for kind in regulation.kinds
}
"""The kinds of points of regulations that have several."""
FIELDS = (
    Field(name="regulation", label="Regulation", kind="choice", choices=awarding_regulations(),
          choice_labels={name: get_regulation(name).title for name in awarding_regulations()}),
    Field(name="day", label="As of", kind="day"),
    Field(
        name="by", label="List of", kind="choice", required=False, choices=("player", "nation"),
        choice_labels={"player": "players", "nation": "nations"},
    ),
    Field(
        name="setting", label="Live or online", kind="choice", required=False,
        choices=("", "live", "online"),
        choice_labels={"": "live and online", "live": "live", "online": "online"},
    ),
    Field(
        name="kind", label="Kind of points", kind="choice", required=False,
        choices=("", *_KINDS), choice_labels={"": "all points", **_KINDS},
        hint="Such as match and placement points of the USBGF.",
    ),
    Field(
        name="nation", label="Only players of", required=False,
        hint="Three letters, such as GER. Nothing: of all nations.",
    ),
    Field(
        name="since", label="Only results since", kind="day", required=False,
        hint="The first day that counts. Nothing: from the beginning.",
    ),
    Field(
        name="until", label="Only results until", kind="day", required=False,
        hint="The last day that counts. Nothing: the day of the list.",
    ),
    Field(
        name="divisions", label="Only divisions", required=False,
        hint="Their numbers, such as 1 or 1, 2. Nothing: all divisions.",
    ),
    Field(
        name="waiting", label="If events wait", kind="choice", required=False,
        choices=("", "without"),
        choice_labels={"": "do not publish", "without": "publish without them"},
        hint="Such events are missing in the list until what they lack is recorded.",
    ),
    Field(name="note", label="Note", required=False, hint="Kept for good; no names."),
)  # fmt: skip


def _publish(regulation: str, day: date, **typed: Any) -> Action:
    """The action that publishes the list."""
    selection = Selection(
        as_of=day,
        since=typed.get("since"),
        until=typed.get("until"),
        setting=typed.get("setting"),
        kind=typed.get("kind", TOTAL),
        nation=typed.get("nation", "").upper() or None,
        divisions=typed.get("divisions", ()),
    )

    def act(transaction: Transaction) -> None:
        projection = transaction.projection
        filed = publication.make_publication(
            Question(regulation=regulation), projection.facts, selection,
            by=typed.get("by", "player"), head=projection.state.head, note=typed.get("note"),
            with_waiting_events=typed.get("waiting") == "without",
        )  # fmt: skip
        publication.publish_list(filed.publication)(transaction)

    return act


PUBLISH = Decision(
    entry=publication.KIND,
    title="Publish a list",
    about="The ranking of a day is announced for good, so that anyone can recompute it.",
    fields=FIELDS,
    action=_publish,
)

# ── every decision ───────────────────────────────────────────────────────────────────────────────

DECISIONS: Mapping[str, Decision] = {
    **catalogue.DECISIONS,
    "erase": replace(
        catalogue.DECISIONS["erase"], action=partial(decisions.erase, on_erase=forget)
    ),
    **fund.DECISIONS,
    "publish": PUBLISH,
}
"""Every decision, in the order of the page."""
GROUPS: Mapping[str, tuple[str, ...]] = {
    msg("Reports"): ("withdraw", "undo"),
    msg("Players"): ("player", "edit", "merge", "apart", "unmerge", "split", "erase"),
    msg("Money and members"): ("rate", "membership", "ended"),
    fund.GROUP: tuple(fund.DECISIONS),
    msg("Publish"): ("publish", "race", "levels"),
}
"""Decisions as the inbox shows them, by group; a value of a report is edited where it stands."""
_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


def action_of(name: str, typed: Typed) -> Action:
    """The action that a form asks for.

    Raises:
        Refused: a required field is empty, or a field holds no day, number or word it offers.
    """
    decision = DECISIONS[name]
    texts = {field.name: typed.get(field.name, "").strip() for field in decision.fields}
    if empty := [each.label for each in decision.fields if each.required and not texts[each.name]]:
        raise Refused(msg("Fill in: %(fields)s.", fields=tuple(empty)))
    values = {}
    for field in decision.fields:
        if text := texts[field.name]:
            if field.choices and text not in field.choices:
                raise Refused(
                    msg(
                        "%(label)s: %(text)s is none of these: %(offered)s.",
                        label=(field.label,),
                        text=brief(text),
                        offered=", ".join(filter(None, field.choices)),
                    )
                )
            read = _READERS.get(field.name) or _READERS[field.kind]
            values[field.name] = read(text)
    return decision.action(**values)


def _entry(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise Refused(msg("%(text)s is no number of an entry.", text=brief(text)))
    return int(text)


def _divisions(text: str) -> tuple[int, ...]:
    numbers = text.replace(",", " ").split()
    if not all(_NUMBER.fullmatch(number) for number in numbers):
        raise Refused(msg("%(text)s: write divisions as numbers, like 1, 2.", text=brief(text)))
    return tuple(sorted({int(number) for number in numbers}))


def _row(text: str) -> dict[str, str]:
    """The cells of ``player_id = P1``, line by line."""
    cells = {}
    for line in lines_of(text):
        name, _, value = (part.strip() for part in line.partition("="))
        if not name or "=" not in line:
            raise Refused(msg("%(line)s: write it like player_id = P1.", line=brief(line)))
        if name in cells:
            raise Refused(msg("%(name)s is there twice. Give it once.", name=brief(name)))
        cells[name] = value
    return cells


def _cell(text: str) -> str:
    """A cell of a player; a dash clears it."""
    return "" if text == "-" else text


_READERS: Mapping[str, Callable[[str], Any]] = {
    "text": str, "choice": str, "decimal": str, "day": parse_day, "number": _entry,
    "area": lines_of, "row": _row, "file": str, "name": _cell, "nation": _cell, "withheld": _cell,
    "divisions": _divisions,
}  # fmt: skip
"""How a text becomes a value: by the name of its field, else by its kind."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A list that waits for a second officer."""

    id: int
    account: int  # of the officer who proposes it
    author: str  # their name
    created: int
    title: str
    fields: Mapping[str, str]  # of the form of its publication


def propose(
    connection: sa.Connection, account: int, title: str, fields: Mapping[str, str], now: int
) -> None:
    """Keep a list for a second officer; once, however often it is proposed."""
    text = msgspec.json.encode(dict(sorted(fields.items()))).decode()
    connection.execute(sa.delete(PROPOSALS).where(PROPOSALS.c.fields == text))
    values = {"account": account, "created": now, "title": title, "fields": text}
    connection.execute(sa.insert(PROPOSALS).values(values))


def proposals(connection: sa.Connection) -> list[Proposal]:
    """Every list that waits, the newest first."""
    query = sa.select(PROPOSALS, ACCOUNTS.c.name.label("author")).join(
        ACCOUNTS, PROPOSALS.c.account == ACCOUNTS.c.id
    )
    rows = connection.execute(query.order_by(PROPOSALS.c.id.desc())).mappings()
    return [Proposal(**{**row, "fields": msgspec.json.decode(row["fields"])}) for row in rows]


def remove_proposal(connection: sa.Connection, number: int) -> bool:
    """Forget a list that was published or withdrawn; whether there was one."""
    return number <= LARGEST_ID and bool(
        connection.execute(sa.delete(PROPOSALS).where(PROPOSALS.c.id == number)).rowcount
    )
