"""
What was made by an earlier version: every later one reads it and comes to the same lists.

A folder a tag, written by ``python -m tests.kept.write`` on the day of the tag and never again.
"""

from __future__ import annotations

import json
import shutil
from importlib.metadata import version
from pathlib import Path

import pytest

from palmares import regulations
from palmares.journal.store.entries import KINDS
from palmares.regulations import get_regulation
from palmares.testing import house_rules, three_ways
from tests.packages import run
from tests.regulations import melting
from tests.testing.test_testing import CUP

TAGS = sorted(path for path in Path(__file__).parent.iterdir() if path.name[0].isdigit())
MAY_DIFFER = {"code", "edition", "edition file", "reading", "version"}
"""Parts of a publication that a later version may word or compute from otherwise; no figure."""


@pytest.fixture(params=TAGS, ids=lambda path: path.name)
def tag(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of what one tag left."""
    return Path(shutil.copytree(request.param, tmp_path / "kept"))


def test_the_journal_is_whole(tag: Path) -> None:
    head = (tag / "journal.db-head").read_text().split()[1]
    brought_forward = run("journal", "init", tag / "journal.db")
    checked = run("journal", "verify", "--journal", tag / "journal.db")
    assert (brought_forward.exit_code, checked.exit_code) == (0, 0), checked.output
    assert head in checked.stdout


def test_the_journal_of_this_version_has_every_kind_of_entry() -> None:
    """Until the tag; a kind that a later version adds is in the folder of its own tag."""
    lines = (TAGS[-1] / "journal.jsonl").read_text("utf-8").splitlines()
    kinds = {json.loads(line).get("kind") for line in lines}
    assert TAGS[-1].name != version("palmares") or kinds - {None} == KINDS.keys()
    assert any(line.startswith('{"event_record"') for line in lines)


def test_its_lines_are_the_same_and_make_the_same_journal(tag: Path) -> None:
    again = tag / "again.jsonl"
    run("journal", "export", again, "--journal", tag / "journal.db")
    assert again.read_bytes() == (tag / "journal.jsonl").read_bytes()
    run("journal", "init", tag / "new.db")
    run("journal", "import", tag / "journal.jsonl", "--journal", tag / "new.db")
    run("journal", "export", again, "--journal", tag / "new.db")
    assert again.read_bytes() == (tag / "journal.jsonl").read_bytes()


@pytest.mark.parametrize("regulation", ["wbgf", "usbgf", "dptr"])
def test_a_publication_is_made_again(tag: Path, regulation: str) -> None:
    facts = [tag / "facts"] if regulation == "dptr" else ["--journal", tag / "journal.db"]
    manifest = tag / f"{regulation}.manifest.json"
    parts = json.loads(run("verify", manifest, *facts, "--format", "json").stdout)
    assert {part["part"] for part in parts} > {"manifest", "facts", "list"}
    assert [p for p in parts if not p["identical"] and p["part"] not in MAY_DIFFER] == []


def test_what_a_regulation_of_others_may_import_is_still_offered(tag: Path) -> None:
    names = (tag / "plug-in" / "names.txt").read_text().split()
    assert set(names) - set(regulations.__all__) == set()
    assert TAGS[-1].name != version("palmares") or sorted(names) == sorted(regulations.__all__)


def test_a_regulation_of_others_still_awards(
    tag: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, sheet = ((tag / "plug-in" / name).read_text() for name in ("club_snow.py", "2020.toml"))
    melting.install(tmp_path, monkeypatch, module, sheet)
    snow = get_regulation("snow")
    assert (house_rules(snow), three_ways(snow, [CUP])) == ([], [])
