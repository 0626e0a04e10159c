"""
The form of a report: another view of a TOML report that has a text for every field.

A field is named as ``name``, ``0.entry_fee``, ``0.main.placings``: so there can be any number of
events. What was typed is kept, wrong or not.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from palmares.core.errors import Unreadable
from palmares.core.toml import parse
from palmares.facts.schema import FLIGHTS, cell_columns
from palmares.web.http.parameters import text_of

USUAL: Mapping[str, tuple[str, ...]] = {
    "tournaments": ("name", "discipline", "start_date", "end_date", "city", "country", "setting",
                    "currency"),
    "events": ("name", "kind", "event_type", "division_rank", "entry_fee", "added_money"),
    "flights": ("entrants", "match_length", "format"),
}  # fmt: skip
_TEXTS = {
    "tournaments": ("players",), "events": ("matches", "team_matches"), "flights": ("placings",),
}  # fmt: skip
KEYS = {
    table: (
        usual,
        tuple(key for key in cell_columns(table) if key not in (*usual, "flight")),
        _TEXTS[table],
    )
    for table, usual in USUAL.items()
}
"""The fields of a tournament, an event and a flight: usual ones, rare ones, those of many lines."""
TEXTS = tuple(key for *_, texts in KEYS.values() for key in texts)
MOST_EVENTS = 40
_FIRST = "[tournament]"

_ANY = {table: "|".join(chain(*keys)) for table, keys in KEYS.items()}
_FIELD = re.compile(
    rf"(?:{_ANY['tournaments']})|(?:[0-9]|[1-3][0-9])\."
    rf"(?:{_ANY['events']}|(?:{'|'.join(FLIGHTS)})\.(?:{_ANY['flights']}))"
)


@dataclass(frozen=True, slots=True)
class WrittenForm:
    """A form that is filled in, and the TOML report with the same values."""

    values: Mapping[str, str]  # by field
    text: str
    fields: tuple[str, ...]  # the field of each line of the text


def taken(sent: Mapping[str, Any]) -> dict[str, str]:
    """The fields of a form among what was sent; lines end as everywhere."""
    return {
        name: text
        for name, value in sent.items()
        if _FIELD.fullmatch(name) and (text := text_of(value)).strip()
    }


def is_field(name: str) -> bool:
    """Whether the form has a field of that name."""
    return _FIELD.fullmatch(name) is not None


def events_of(fields: Mapping[str, str]) -> list[int]:
    """The numbers of the events that have a filled field; at least the first."""
    numbers = {
        int(name.partition(".")[0]) for name in fields if name[:1].isdigit() and is_field(name)
    }
    return sorted(numbers | {0})


def written(fields: Mapping[str, str]) -> WrittenForm:
    """The TOML report of a form, with the field of each line."""
    lines = [(_FIRST, "name"), *_lines(fields, "tournaments", "")]
    for number in events_of(fields):
        before = f"{number}."
        lines += [("[[event]]", f"{before}name"), *_lines(fields, "events", before)]
        for flight in FLIGHTS:
            own = f"{before}{flight}."
            if inside := list(_lines(fields, "flights", own)):
                lines += [(f"[event.{flight}]", f"{own}entrants"), *inside]
    text = "".join(f"{line}\n" for line, _ in lines)
    return WrittenForm(fields, text, tuple(field for _, field in lines))


def form_of_text(text: str) -> WrittenForm | None:
    """The form that wrote a report; none if it was written otherwise."""
    fields = fields_of(text) if text.startswith(_FIRST) else None
    form = None if fields is None else written(fields)
    return form if form is not None and form.text == text else None


def fields_of(text: str) -> dict[str, str] | None:
    """The fields of a report, as `written` writes them; none if it says what a form cannot.

    Comments are no part of them.
    """
    try:
        document = parse(text, parse_float=str).values
    except Unreadable:
        return None
    fields = {}
    for name, value in _values(document):
        table, _, field = name.partition(".")
        if table not in ("tournament", "event") or not is_field(field):
            return None
        fields[field] = value
    return fields


def _values(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    """Every value of a report as text, by its keys: ``event.0.main.entrants``."""
    if isinstance(value, list | dict):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _values(inner, f"{name}.{key}".lstrip("."))
    elif isinstance(value, bool):
        yield name, str(value).lower()
    else:
        several = name.rpartition(".")[2] in TEXTS
        yield name, str(value).removesuffix("\n") if several else str(value)


def _lines(fields: Mapping[str, str], table: str, before: str) -> Iterator[tuple[str, str]]:
    """The lines of a table, with the field of each."""
    for key in chain(*KEYS[table]):
        field = before + key
        text = fields.get(field, "").rstrip() if key in TEXTS else fields.get(field, "").strip()
        if text and key not in TEXTS:
            yield f"{key} = {_quoted(text)}", field
        elif text:
            inside = [_quoted(line)[1:-1] for line in text.split("\n")]
            yield from ((line, field) for line in (f'{key} = """', *inside, '"""'))


def _quoted(text: str) -> str:
    """A text as TOML writes it on one line."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007F")
