"""
The form of a report: what its fields are, and the same as a TOML report.

A field is named as ``name``, ``0.entry_fee``, ``0.main.placings``: so there can be any number of
events. What was typed is kept letter by letter, wrong or not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

TOURNAMENT = ("name", "discipline", "start_date", "end_date", "city", "country", "setting",
              "currency")  # fmt: skip
RARE_OF_TOURNAMENT = ("eur_per_unit", "date_of_record")
EVENT = ("name", "kind", "event_type", "division_rank", "entry_fee", "added_money")
RARE_OF_EVENT = ("entrants", "rounds", "bonus_grade", "event_level", "world_championship",
                 "national_championship", "team", "completed_on", "date_of_record", "sequence",
                 "not_counted_in")  # fmt: skip
FLIGHTS = ("main", "consolation", "last_chance")
FLIGHT = ("entrants", "match_length", "format")
PLAYERS, PLACINGS, MATCHES, TEAM_MATCHES = TEXTS = ("players", "placings", "matches",
                                                    "team_matches")  # fmt: skip
MOST_EVENTS = 40

_FIELD = re.compile(
    rf"(?:{'|'.join((*TOURNAMENT, *RARE_OF_TOURNAMENT, PLAYERS))})"
    rf"|(?:[0-9]|[1-3][0-9])\.(?:{'|'.join((*EVENT, *RARE_OF_EVENT, MATCHES, TEAM_MATCHES))}"
    rf"|(?:{'|'.join(FLIGHTS)})\.(?:{'|'.join(FLIGHT)}|{PLACINGS}))"
)


@dataclass(frozen=True, slots=True)
class Written:
    """A TOML report, and the field of each of its lines."""

    text: str
    fields: tuple[str, ...]


def decoded(content: bytes) -> dict[str, str]:
    """Fields by name; none where contents are not a form's."""
    try:
        return msgspec.json.decode(content or b"{}", type=dict[str, str])
    except msgspec.MsgspecError:
        return {}


def encoded(fields: Mapping[str, str]) -> bytes:
    """Contents of a submission."""
    return msgspec.json.encode(dict(sorted(fields.items())))


def taken(sent: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form among what was sent; lines end as everywhere."""
    return {
        name: value.replace("\r\n", "\n").encode("utf-8", "replace").decode()
        for name, value in sent.items()
        if isinstance(value, str) and _FIELD.fullmatch(name) and value.strip()
    }


def events_of(fields: Mapping[str, str]) -> list[int]:
    """The numbers of the events of which something is said; at least the first."""
    found = {int(name.partition(".")[0]) for name in fields if name[:1].isdigit()}
    return sorted(found | {0})


def written(fields: Mapping[str, str]) -> Written:
    """The report that a form says, line by line."""
    lines = [("[tournament]", TOURNAMENT[0])]
    lines += _cells(fields, (*TOURNAMENT, *RARE_OF_TOURNAMENT), "")
    lines += _block(fields, PLAYERS, "")
    for number in events_of(fields):
        before = f"{number}."
        lines += [("[[event]]", before + EVENT[0])]
        lines += _cells(fields, (*EVENT, *RARE_OF_EVENT), before)
        lines += [*_block(fields, MATCHES, before), *_block(fields, TEAM_MATCHES, before)]
        for flight in FLIGHTS:
            own = f"{before}{flight}."
            inside = [*_cells(fields, FLIGHT, own), *_block(fields, PLACINGS, own)]
            if inside:
                lines += [(f"[event.{flight}]", own + FLIGHT[0]), *inside]
    return Written(
        "".join(f"{text}\n" for text, _ in lines), tuple(field for _, field in lines)
    )  # fmt: skip


def _cells(
    fields: Mapping[str, str], keys: tuple[str, ...], before: str
) -> Iterator[tuple[str, str]]:
    """Keys of which something is said, a line each."""
    for key in keys:
        if value := fields.get(before + key, "").strip():
            yield f"{key} = {_quoted(value)}", before + key


def _block(fields: Mapping[str, str], key: str, before: str) -> Iterator[tuple[str, str]]:
    """A key with lines of text."""
    field = before + key
    if text := fields.get(field, "").rstrip():
        yield f'{key} = """', field
        for line in text.split("\n"):
            yield _quoted(line)[1:-1], field
        yield '"""', field


def _quoted(text: str) -> str:
    """A text as TOML writes it on one line."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
