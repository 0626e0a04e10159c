"""The structure that a user meets stays as it is: commands, keys, values, routes, rights.

What changed on purpose is renewed with ``python -m tests.structure.renew`` and read in the diff.
"""

from __future__ import annotations

import json

import pytest

from tests.structure.demo_site import unasked
from tests.structure.renew import SNAPSHOTS, kept, written

NO_PAGES = [
    "/api/v1/openapi.json",
    "/assets/{file_path:path}",
    "/director/result.csv",
    "/favicon.ico",
    "/federation.css",
    "/metrics",
    "/pin",
    "/pin/{player_id:str}",
    "/players/{player_id:str}/{regulation:str}/awards/{event_id:str}/{flight:str}/{kind:str}",
]
"""The last is the same page as that of a day."""


@pytest.mark.parametrize("name", SNAPSHOTS)
def test_structure_is_as_it_was(name: str) -> None:
    now = json.loads(written(SNAPSHOTS[name]()))
    assert now == json.loads(kept(name).read_text(encoding="utf-8"))


def test_every_page_is_asked_for() -> None:
    """What is no page: a file, the document that has a snapshot of its own."""
    assert unasked() == NO_PAGES
