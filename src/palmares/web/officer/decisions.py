"""What officers decide, as text that was typed or sent: every decision, and the action it makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.fund import decisions as fund
from palmares.journal.commands import catalogue
from palmares.journal.commands.catalogue import Decision, Field
from palmares.journal.commands.transaction import Action, Transaction
from palmares.lists import publication
from palmares.points.awards import Question
from palmares.points.rankings import TOTAL, Selection
from palmares.regulations import get_regulation, regulations
from palmares.web.http.parameters import no_day
from palmares.web.http.state import awarding_regulations
from palmares.web.shared.lists import parse_day
from palmares.web.submissions.submissions import forget

Typed = Mapping[str, str]

# ── the publication of a list, the same as the command line does ─────────────────────────────────

_KINDS = tuple(
    dict.fromkeys(
        kind for one in regulations().values() if len(one.kinds) > 1 for kind in one.kinds
    )
)
"""The kinds of points that stand beside others under the same regulation."""


_EDITIONS = {name: get_regulation(name).editions() for name in awarding_regulations()}
_READINGS = {
    (name, reading.id): reading  # in the words of the latest edition
    for name, editions in _EDITIONS.items()
    for edition in editions
    for reading in edition.readings.values()
}
READINGS = {f"{name}-{key}": (name, one) for (name, key), one in _READINGS.items() if one.options}
"""The field of each reading that has an alternative; regulations may number them alike."""


_BESIDE_OTHERS = tuple(
    one.id for editions in _EDITIONS.values() if len(editions) > 1 for one in editions
)


def _reading(field: str) -> Field:
    name, one = READINGS[field]
    return Field(
        name=field, label=f"{name}, {one.id}: {one.silent}", kind="choice", required=False,
        choices=("", *one.options), choice_labels={"": one.we, **one.options},
        advanced=True, verbatim=True,
    )  # fmt: skip


FIELDS = (
    Field(name="regulation", label="Regulation", kind="choice", choices=awarding_regulations()),
    Field(name="day", label="As of", kind="day"),
    Field(
        name="by", label="List of", kind="choice", required=False, choices=("player", "nation"),
        choice_labels={"player": "player", "nation": "nation"},
    ),
    Field(
        name="setting", label="Live or online", kind="choice", required=False,
        choices=("", "live", "online"),
        choice_labels={"": "all", "live": "live", "online": "online"},
    ),
    Field(
        name="kind", label="Kind of points", kind="choice", required=False,
        choices=("", *_KINDS), choice_labels={"": "all", **{one: one for one in _KINDS}},
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
        name="waiting", label="If events wait", kind="choice", required=False,
        choices=("", "without"),
        choice_labels={"": "do not publish", "without": "publish without them"},
        hint="Such events are missing in the list until what they lack is recorded.",
    ),
    Field(name="note", label="Note", required=False, hint="Kept for good; no names."),
    Field(
        name="edition", label="Edition", kind="choice", required=False, advanced=True,
        choices=("", *_BESIDE_OTHERS), choice_labels={"": "each day has its own"},
        hint="One edition for every day. Such a list never takes the place of the day’s own.",
    ),
    *map(_reading, READINGS),
)  # fmt: skip


def _published(regulation: str, day: date, **told: Any) -> Action:
    """The action that publishes the list.

    Raises:
        Refused: an edition or a reading is none of its regulation.
    """
    question = _question(regulation, told.get("edition"), told)
    chosen = Selection(
        as_of=day,
        since=told.get("since"),
        until=told.get("until"),
        setting=told.get("setting"),
        kind=told.get("kind", TOTAL),
        nation=told["nation"].upper() if "nation" in told else None,
    )

    def act(transaction: Transaction) -> None:
        known = transaction.projection
        given = publication.make_publication(
            question, known.facts, chosen,
            by=told.get("by", "player"), known=known.state.head, note=told.get("note"),
            with_waiting_events=told.get("waiting") == "without",
        )  # fmt: skip
        publication.publish_list(given.publication)(transaction)

    return act


def _question(name: str, edition: str | None, told: Mapping[str, Any]) -> Question:
    """The rules that were chosen; none is silently left aside."""
    if name not in awarding_regulations():
        raise Refused(msg("There is no such regulation: %(regulation)s.", regulation=brief(name)))
    chosen = {field: told[field] for field in READINGS if field in told}
    others = tuple(READINGS[one][1].id for one in chosen if READINGS[one][0] != name)
    if others:
        raise Refused(
            msg(
                "%(readings)s: no reading of %(regulation)s. Choose only among its own.",
                readings=", ".join(others),
                regulation=name,
            )
        )
    there_are = tuple(one.id for one in _EDITIONS[name])
    if edition and edition not in there_are:
        raise Refused(
            msg(
                "%(regulation)s has no edition %(edition)s. There are: %(editions)s.",
                regulation=name,
                edition=brief(edition),
                editions=", ".join(there_are),
            )
        )
    options = {READINGS[field][1].id: option for field, option in chosen.items()}
    return Question(regulation=name, edition=edition, chosen=options)


PUBLISH = Decision(
    entry=publication.KIND,
    title="Publish a list",
    about="The ranking of a day is announced for good, so that anyone can recompute it.",
    fields=FIELDS,
    action=_published,
)

# ── every decision ───────────────────────────────────────────────────────────────────────────────

DECISIONS: Mapping[str, Decision] = {
    **catalogue.DECISIONS,
    **fund.DECISIONS,
    "publish": PUBLISH,
}
"""Every decision, in the order of the desk."""
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
        Refused: something that must be there is not, or is no day or number.
    """
    decision = DECISIONS[name]
    told = {field.name: typed.get(field.name, "").strip() for field in decision.fields}
    missing = [field.label for field in decision.fields if field.required and not told[field.name]]
    if missing:
        raise Refused(msg("Fill in: %(fields)s.", fields=tuple(missing)))
    readers = {**_READERS, **_OF.get(name, {})}
    kinds = {
        field.name: field.name if field.name in readers else field.kind for field in decision.fields
    }
    values = {one: readers[kinds[one]](text) for one, text in told.items() if text}
    return decision.action(**values, **_BESIDE.get(name, {}))


def _date(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        told = no_day(text)
    raise Refused(
        told or msg("%(text)s is no day; write it like 2019-12-31.", text=brief(text))
    )  # fmt: skip


def _entry(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise Refused(msg("%(text)s is no number of an entry.", text=brief(text)))
    return int(text)


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def _row(text: str) -> dict[str, str]:
    """``player_id = P1``, line by line."""
    found = {}
    for line in _lines(text):
        name, sign, value = (one.strip() for one in line.partition("="))
        if not (name and sign):
            raise Refused(msg("%(line)s: write it like player_id = P1.", line=brief(line)))
        found[name] = value
    return found


def _cell(text: str) -> str:
    """A cell of a player; a dash empties it."""
    return "" if text == "-" else text


_READERS: Mapping[str, Callable[[str], Any]] = {
    "text": str, "choice": str, "decimal": str, "day": _date, "number": _entry, "area": _lines,
    "row": _row, "file": str, "name": _cell, "nation": _cell, "withheld": _cell,
}  # fmt: skip
"""How a text becomes a value: by the name of its field, else by its kind."""
_OF: Mapping[str, Mapping[str, Callable[[str], Any]]] = {
    "publish": {**dict.fromkeys(("day", "since", "until"), parse_day), "nation": str},
}
"""The same of some decisions alone: lists are made of fewer days."""
_BESIDE: Mapping[str, Mapping[str, Any]] = {"erase": {"on_erase": forget}}
"""What is done beside the journal."""
