"""
Where an entry of the log leads: the list, the tournament, the player or the entry that it is about.

    LogLink     a place, and what it is called
    links_of    an entry  ->  its places
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from palmares.journal.entries import Entry
from palmares.rankings import TOTAL
from palmares.web import addresses
from palmares.web.messages import said


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLink:
    """A place that an entry is about."""

    label: str
    address: str


def links_of(entry: Entry) -> tuple[LogLink, ...]:
    """The places that an entry is about; none for what has no page of its own."""
    subject = entry.subject
    if entry.kind == "publication":
        return _of_publication(entry.sequence, entry.read())
    if entry.kind in ("report", "withdrawal", "override"):
        label, address = said("the tournament"), addresses.tournament(subject)
    elif entry.kind in ("player", "membership", "merge"):
        label, address = said("the player"), addresses.player(subject)
    elif entry.kind == "undo":
        undone = entry.read()["undoes"]
        label, address = said("entry %(entry)s", entry=str(undone)), addresses.entry(undone)
    else:
        return ()
    return (LogLink(label=label, address=address),)


def _of_publication(sequence: int, body: Mapping[str, Any]) -> tuple[LogLink, ...]:
    """The list as it was published; the same as it is now, where it has a page."""
    found = [LogLink(label=said("the list as published"), address=addresses.published(sequence))]
    asked = body["selection"]
    if asked["by"] == "player" and asked["kind"] == TOTAL:
        day = date.fromisoformat(asked["as_of"])
        address = addresses.ranking(body["regulation"], day)
        found.append(LogLink(label=said("the list as it is now"), address=address))
    return tuple(found)
