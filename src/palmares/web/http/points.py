"""
Points in JSON: counted exactly, and beside that as lists show them.

A program that adds or compares takes the integers: they are what is ranked, and no JSON reader
rounds them. One that prints takes the texts, and shows what every list shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from functools import cache
from typing import Any, get_args, get_type_hints

from palmares.core.rounding import Nanopoints, shown


@cache
def texts_beside(cls: type) -> Mapping[str, str]:
    """The fields of a dataclass that are nanopoints, and the name of the text beside each."""
    hints = get_type_hints(cls, include_extras=True)
    return {
        name: "points" if name == "nanopoints" else f"{name}_points"
        for name, hint in hints.items()
        if _is_points(hint)
    }


def _is_points(hint: Any) -> bool:
    """Whether a field holds nanopoints: one number, several, or none."""
    return hint == Nanopoints or any(_is_points(one) for one in get_args(hint))


def told(value: Any) -> Any:
    """A page in plain values; beside nanopoints the points as lists show them."""
    if isinstance(value, (str, int, float, date, bytes)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {name: told(one) for name, one in value.items()}
    if not is_dataclass(value):
        return [told(one) for one in value]
    kind: Any = type(value)
    texts = texts_beside(kind)
    found: dict[str, Any] = {}
    for field in fields(value):
        one = found[field.name] = told(getattr(value, field.name))
        if field.name in texts:
            found[texts[field.name]] = _text(one)
    return found


def _text(nanopoints: Any) -> Any:
    """One number or several as text; none where there are none."""
    if isinstance(nanopoints, list):
        return [_text(one) for one in nanopoints]
    return None if nanopoints is None else shown(nanopoints)
