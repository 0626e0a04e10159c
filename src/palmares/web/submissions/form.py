"""
The form of a report: what its fields are, and the same as a TOML report.

    TOURNAMENT, EVENT, FLIGHT       its fields
    RARE_OF_TOURNAMENT, RARE_OF_EVENT   those that few reports need
    TEXTS       its fields of several lines
    decoded     contents  ->  fields by name
    encoded     fields  ->  contents
    taken       what a browser sent  ->  fields: those of a form, and no others
    written     fields  ->  Written: a TOML report, and the field of each of its lines
    plainly     fields as they were typed in a language  ->  numbers and days as programs write them
    events_of   fields  ->  the numbers of its events

A field is named as ``name``, ``0.entry_fee``, ``0.main.placings``: so there can be any number of
events. What was typed is kept letter by letter, wrong or not; numbers and days that are written as
the language of the typist has them are kept as programs write them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from palmares.facts.tables import TABLES
from palmares.web import own_ways

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
NOTHING: Mapping[str, str] = {}

_READ = {
    key: own_ways.READ[TABLES[table][key].kind]
    for table, keys in (
        ("tournaments", (*TOURNAMENT, *RARE_OF_TOURNAMENT)),
        ("events", (*EVENT, *RARE_OF_EVENT)),
        ("flights", FLIGHT),
    )
    for key in keys
    if TABLES[table][key].kind in own_ways.READ
}
"""How each number and day is read that somebody types in a language."""
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


def plainly(
    fields: Mapping[str, str], language: str, printed: Mapping[str, str] = NOTHING
) -> dict[str, str]:
    """The same fields, numbers and days as programs write them, whoever reads them later.

    Args:
        fields: as they were typed.
        language: of whoever typed them.
        printed: as they stood in the form; what nobody touched was read already.

    Raises:
        Unclear: one of them can mean two things.
    """
    found = {}
    for name, value in fields.items():
        read = _READ.get(name.rpartition(".")[2])
        try:
            found[name] = read(language, value) if read else value
        except own_ways.Unclear:
            if printed.get(name) != value:
                raise
            found[name] = value
    return found


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
