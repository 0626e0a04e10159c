"""Renew the snapshots: ``python -m tests.structure.renew [NAME...]``; Git shows what changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.structure import command_line, demo_site, interface

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
    """A snapshot as its file has it."""
    return json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name in sys.argv[1:] or SNAPSHOTS:
        kept(name).write_text(written(SNAPSHOTS[name]()), encoding="utf-8")
        print(kept(name))
