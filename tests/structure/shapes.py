"""What data is made of: every key's types, and a digest of its values."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

_ACCIDENT = re.compile(r"20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)|urn:request:\w+")
"""What is another one each time: the moment of an entry recorded by a test, a request's number."""
_IDENTIFIER = re.compile(r"[A-Z]{3}|[\w#.@:/%+-]*\d[\w#.@:/%+-]*")
"""A text that names something, in no language: P42, 2019-12-31, CZE, a digest."""


_MOVING = ("clauses[].functions[].line",)
"""Numbers that every line more in a file of ours changes."""


def shape(data: Any) -> dict[str, str]:
    """Every path of keys in JSON data: types, number of values, and their digest.

    The items of a list share one path. A list or an object without items is a value itself.
    """
    values: dict[str, list[Any]] = defaultdict(list)
    for path, value in _leaves(data, ""):
        values[path].append(value)
    return {
        path: _described([] if path in _MOVING else values[path]) for path in sorted(values)
    }  # fmt: skip


def digest(value: Any) -> str:
    """The first digits of the digest of a value, what changes by accident left out."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return sha256(_ACCIDENT.sub("", text).encode()).hexdigest()[:10]


def _leaves(data: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict) and data:
        for key, value in data.items():
            yield from _leaves(value, f"{path}.{key}" if path else key)
    elif isinstance(data, list) and data:
        for value in data:
            yield from _leaves(value, f"{path}[]")
    else:
        yield path, data


def _described(values: list[Any]) -> str:
    kinds = "|".join(sorted({_kind(value) for value in values}))
    return f"{kinds} {len(values)} {digest(values)}"


def _kind(value: Any) -> str:
    if isinstance(value, str) and not _IDENTIFIER.fullmatch(value):
        return "text"
    return "id" if isinstance(value, str) else type(value).__name__
