"""
Values as TOML writes them.

    table_text      a heading and its keys, one line each
    block           a key with lines of text
    key_text        a bare or a quoted key
    value_text      text, a number, a date, a flag, a list of texts
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def table_text(heading: str, columns: Mapping[str, str], row: Mapping[str, Any]) -> str:
    """A table: its heading, and a line for each key whose cell is not empty."""
    cells = {key: row.get(key, row.get(column)) for key, column in columns.items()}
    said = {key: value for key, value in cells.items() if value is not None}
    width = max(map(len, said), default=0)
    lines = [f"{key:<{width}} = {value_text(value)}" for key, value in said.items()]
    return "\n".join([heading, *lines, ""])


def block(key: str, lines: Iterable[str]) -> str:
    """A key with lines of text between three quotes."""
    safe = (line.replace("\\", "\\\\").replace('"""', '""\\"') for line in lines)
    return "\n".join([f'{key} = """', *safe, '"""', ""])


def key_text(key: str) -> str:
    """A key, in quotes where it needs them."""
    return key if _BARE.fullmatch(key) else value_text(key)


def value_text(value: Any) -> str:
    """One value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        text = f"{value:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return "[" + ", ".join(value_text(one) for one in value) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007F")
