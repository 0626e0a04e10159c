"""
What stands above a pasted text or a sheet and says which tournament it belongs to.

    name: 26th Chicago Open
    end_date: 2005-05-30

    told        one line  ->  a key of the tournament and its value, or None
    above       the first lines of a text  ->  what they say, and how many lines they are
    parted      what they say  ->  the tournament's columns, and those of its one event
    tournament  the columns as a row; a problem if name or last day is missing
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence

from palmares.reports.texts import Found, slug, squeezed
from palmares.reports.toml_shape import EVENT, TOURNAMENT
from palmares.sentences import joined, said

_SAID = re.compile(r"[#\s]*([A-Za-z_ ]+?)\s*[:=]\s*(.*?)[\s,;]*")
STAND_INS = {"name": "unnamed", "end_date": "2000-01-01"}
"""For what is missing, so that it is told once; its problem keeps all of it from being used."""
KEYS = tuple(key for key, column in TOURNAMENT.items() if column)
OF_EVENT = tuple(key for key in EVENT if key not in {"id", "name"})
ALL = tuple(dict.fromkeys((*KEYS, "event", *OF_EVENT)))
"""Every key that may stand there where a text has one event; ``event`` is its name."""


def told(line: str, keys: Collection[str] = KEYS) -> tuple[str, str] | None:
    """A key and its value, if a line is that and nothing else."""
    written = _SAID.fullmatch(line.strip())
    if written is None:
        return None
    key = written[1].strip().lower().replace(" ", "_")
    return (key, squeezed(written[2]).strip('"')) if key in keys else None


def above(lines: Sequence[str], keys: Collection[str] = KEYS) -> tuple[dict[str, str], int]:
    """What the first lines say of the tournament, and how many they are."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines):
        pair = told(line, keys)
        if pair:
            found[pair[0]] = pair[1]
        elif line.strip(" \t#,;"):
            return found, number
    return found, len(lines)


def parted(head: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """What is said of the tournament, its event's name among it, and of the event."""
    event = {key: head[key] for key in OF_EVENT if key in head}
    return {key: value for key, value in head.items() if key not in event}, event


def tournament(found: Found, given: Mapping[str, str], what: str) -> str:
    """Enter the tournament; its id, made from name and last day if none is given."""
    row = {key: value for key, value in given.items() if value}
    missing = [column for column in STAND_INS if column not in row]
    row = {**STAND_INS, **row}
    name, day = row["name"], row["end_date"]
    key = row.pop("id", None) or row.pop("tournament_id", None)
    key = key or f"{slug(name)}-{slug(day)}"
    found.add("tournaments", {"tournament_id": key, **row}, 1)
    if missing:
        found.problem(
            1,
            said(
                "%(what)s does not tell the tournament's %(columns)s",
                what=(what,),
                columns=joined(missing),
            ),
            "report",
            said(
                "Put lines above it: %(name)s and %(day)s.",
                name="'name: 26th Chicago Open'",
                day="'end_date: 2005-05-30'",
            ),
        )
    return key
