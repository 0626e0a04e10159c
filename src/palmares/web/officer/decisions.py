"""What officers decide, as text that was typed or sent: every decision, and the action it makes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.journal.commands import catalogue
from palmares.journal.commands.catalogue import Decision
from palmares.journal.commands.transaction import Action
from palmares.web.http.parameters import no_day
from palmares.web.services.publishing import PUBLISH
from palmares.web.shared.lists import parse_day
from palmares.web.submissions.erase import forget

Typed = Mapping[str, str]
DECISIONS: Mapping[str, Decision] = {**catalogue.DECISIONS, "publish": PUBLISH}
"""Every decision, in the order of the desk."""
_NUMBER = re.compile(r"[1-9][0-9]{0,17}", re.ASCII)


def action_of(name: str, typed: Typed) -> Action:
    """The action that a form asks for.

    Raises:
        Refused: something that must be there is not, or is no day or number.
    """
    decision = DECISIONS[name]
    told = {one.name: typed.get(one.name, "").strip() for one in decision.fields}
    missing = [one.label for one in decision.fields if one.required and not told[one.name]]
    if missing:
        raise Refused(msg("Fill in: %(fields)s.", fields=tuple(missing)))
    readers = {**_READERS, **_OF.get(name, {})}
    kinds = {one.name: one.name if one.name in readers else one.kind for one in decision.fields}
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
    return [one.strip() for one in text.splitlines() if one.strip()]


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
    "row": _row, "name": _cell, "nation": _cell, "withheld": _cell,
}  # fmt: skip
"""How a text becomes a value: by the name of its field, else by its kind."""
_OF: Mapping[str, Mapping[str, Callable[[str], Any]]] = {
    "publish": {**dict.fromkeys(("day", "since", "until"), parse_day), "nation": str},
}
"""The same of some decisions alone: lists are made of fewer days."""
_BESIDE: Mapping[str, Mapping[str, Any]] = {"erase": {"told": forget}}
"""What is done beside the journal."""
