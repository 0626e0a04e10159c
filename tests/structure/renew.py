"""Renew the snapshots: ``python -m tests.structure.renew [NAME...]``; Git shows what changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.structure import command_line, demo_site, interface

_LINE = 160

SNAPSHOTS: Mapping[str, Callable[[], Any]] = {
    "options": command_line.options,
    "printed": command_line.printed,
    "journalled": command_line.journalled,
    "interface": interface.interface,
    "routes": demo_site.routes,
    "document": demo_site.document,
    "api": demo_site.api,
    "pages": demo_site.pages,
    "forms": demo_site.forms,
}
"""By name, which is its file's: what is looked at."""


def kept(name: str) -> Path:
    """The file of a snapshot."""
    return Path(__file__).parent / "snapshots" / f"{name}.json"


def written(data: Any) -> str:
    """A snapshot as its file has it: what fits on a line stands on one."""
    return _block(data, "") + "\n"


def _block(data: Any, indent: str) -> str:
    """JSON whose objects and lists are opened only where they are longer than a line."""
    line = json.dumps(data, sort_keys=True, ensure_ascii=False)
    if len(indent) + len(line) <= _LINE or not isinstance(data, dict | list) or not data:
        return line
    within = indent + " "
    if isinstance(data, list):
        parts = [_block(value, within) for value in data]
        return "[\n" + ",\n".join(within + part for part in parts) + f"\n{indent}]"
    parts = [
        f"{json.dumps(key, ensure_ascii=False)}: {_block(data[key], within)}"
        for key in sorted(data)
    ]
    return "{\n" + ",\n".join(within + part for part in parts) + f"\n{indent}}}"


if __name__ == "__main__":
    for name in sys.argv[1:] or SNAPSHOTS:
        kept(name).write_text(written(SNAPSHOTS[name]()), encoding="utf-8")
        print(kept(name))
