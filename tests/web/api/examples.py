"""
The examples of answers in the OpenAPI document: ``python -m tests.web.api.examples``.

    FILE    where they are, an operation a line; nothing in them is longer than two
    main    asks a site with something at every address, and writes them

A test holds them against their schemas: what is no longer true of an answer is noticed.
"""

from __future__ import annotations

import json
import tempfile
from datetime import date
from pathlib import Path
from typing import Any

from palmares.web.app import site
from palmares.web.settings import Settings
from tests.web.api.addresses import ADDRESSES, P, everything
from tests.web.conftest import ROOT, Client

FILE = Path(__file__).parents[3] / "src" / "palmares" / "web" / "api" / "examples.json"
LONGEST = 2


def short(told: Any) -> Any:
    """An answer of which one sees all that there is at once."""
    if isinstance(told, dict):
        return {name: short(one) for name, one in told.items()}
    return [short(one) for one in told[:LONGEST]] if isinstance(told, list) else told


def main() -> None:
    """Write the examples."""
    with tempfile.TemporaryDirectory() as folder:
        journal = str(Path(folder) / "federation.db")
        app = site(
            Settings(
                journal=journal, secret="0" * 64, public_url=ROOT, day=lambda: date(2020, 1, 31)
            )
        )
        everything(app.state.app_state.journal)
        with Client(app) as client:
            told = {name: client.get(P + ways[0]).json() for name, ways in ADDRESSES.items()}
    lines = [
        f"{json.dumps(name)}: {json.dumps(short(one), ensure_ascii=False)}"
        for name, one in told.items()
    ]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
