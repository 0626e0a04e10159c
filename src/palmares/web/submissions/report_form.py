"""
The form of a report: what its fields are, and the same as a TOML report.

A field is named as ``name``, ``0.entry_fee``, ``0.main.placings``: so there can be any number of
events. What was typed is kept letter by letter, wrong or not.
"""

from __future__ import annotations

import json
import re
import tomllib
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


def is_field(name: str) -> bool:
    """Whether the form has a field of that name."""
    return _FIELD.fullmatch(name) is not None


def events_of(fields: Mapping[str, str]) -> list[int]:
    """The numbers of the events of which something is said; at least the first."""
    numbers = {int(name.partition(".")[0]) for name in fields if name[:1].isdigit()}
    return sorted(numbers | {0})


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


def fields_of(text: str) -> dict[str, str] | None:
    """The fields of a report, as `written` writes them; none if it says what a form cannot.

    Comments are no part of them.
    """
    try:
        document = tomllib.loads(text, parse_float=str)
    except (tomllib.TOMLDecodeError, RecursionError):
        return None
    tournament, events = document.pop("tournament", {}), document.pop("event", [])
    if document or not isinstance(tournament, dict) or not isinstance(events, list):
        return None
    texts = _plain(tournament, "")
    for number, event in enumerate(events):
        if not isinstance(event, dict):
            return None
        flights = {key: value for key, value in event.items() if isinstance(value, dict)}
        rest = {key: value for key, value in event.items() if key not in flights}
        texts |= _plain(rest, f"{number}.")
        for flight, cells in flights.items():
            texts |= _plain(cells, f"{number}.{flight}.")
    fields = {name: value for name, value in texts.items() if value is not None}
    return fields if len(fields) == len(texts) and all(map(is_field, fields)) else None


def _plain(cells: Mapping[str, Any], before: str) -> dict[str, str | None]:
    """The values of a table as text; none of one that no field holds."""
    texts: dict[str, str | None] = {}
    for key, value in cells.items():
        if isinstance(value, bool):
            texts[before + key] = str(value).lower()
        elif isinstance(value, list | dict):
            texts[before + key] = None
        else:
            texts[before + key] = str(value).removesuffix("\n") if key in TEXTS else str(value)
    return texts


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
