"""What computes a list, apart from what explains it."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from palmares.lists.publication import code_hash, without_comments
from palmares.regulations import REGULATIONS, get_regulation

SOURCE = '''"""A club's ladder."""

MOST = 7
"""Rungs."""


def rungs(entrants, rank):
    """A rung for everybody behind you,

    up to seven.
    """
    # the last one has none
    label = "# of rungs"  # not a comment in quotes
    return min(entrants - rank, MOST), label
'''
COMPUTES = """MOST = 7
def rungs(entrants, rank):
    label = "# of rungs"
    return min(entrants - rank, MOST), label"""


SHEET = """
[edition]
regulation  = "rungs"
title       = "Rungs"
author      = "the club"
source      = "the notice board"
selected_by = "any date"

[constants]
rungs = { is = "1", unit = "rungs", clause = "rungs" }

[clauses]
rungs = { label = "Rule 1", kind = "defines", says = "One rung." }
"""


def test_words_beside_code_compute_nothing() -> None:
    assert without_comments(SOURCE) == COMPUTES
    assert without_comments(COMPUTES) == COMPUTES


def test_a_text_on_the_line_of_code_stays() -> None:
    assert without_comments('def a(): "one"\n"two"; b = 1\n') == 'def a(): "one"\n"two"; b = 1'


def test_code_of_ours_is_of_palmares() -> None:
    found = {one.name: code_hash(one) for one in REGULATIONS}
    assert {(one.package, one.version) for one in found.values()} == {
        ("palmares", version("palmares"))
    }
    assert len({one.sha256 for one in found.values()}) == len(found)


class TestOfAnotherPackage:
    @pytest.fixture
    def site(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """An installed package with a regulation, and a module that it rests on."""
        about, package = tmp_path / "rungs-2.5.dist-info", tmp_path / "rungs"
        about.mkdir()
        package.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: rungs\nVersion: 2.5\n")
        (about / "entry_points.txt").write_text(
            "[palmares.regulations]\nrungs = rungs:regulation\n"
        )
        (package / "__init__.py").write_text(
            "from pathlib import Path\n"
            "from palmares.regulations import Regulation\n"
            "from rungs.rule import Constants, award\n"
            'regulation = Regulation(name="rungs", title="Rungs", discipline="chess",'
            ' constants=Constants, award=award, kinds=("rung",),'
            ' rules_directory=Path(__file__).parent / "sheets")\n'
        )
        (package / "rule.py").write_text(
            "from typing import NamedTuple\n"
            "from rungs.table import RUNGS\n"
            "from . import more\n"
            "class Constants(NamedTuple):\n    rungs: int\n"
            "def award(rulebook, tournament, memberships):\n    return ()\n"
        )
        sheets = package / "sheets" / "rungs"
        sheets.mkdir(parents=True)
        (sheets / "2020.toml").write_text(SHEET)
        (package / "table.py").write_text("RUNGS = 7\n")
        (package / "more.py").write_text("LESS = 1\n")
        for name in [one for one in sys.modules if one.partition(".")[0] == "rungs"]:
            monkeypatch.delitem(sys.modules, name)  # of the test before
        monkeypatch.syspath_prepend(tmp_path)
        return package

    def test_its_distribution_is_named(self, site: Path) -> None:
        found = code_hash(get_regulation("rungs"))
        assert (found.package, found.version) == ("rungs", "2.5")

    @pytest.mark.parametrize("name", ["rule.py", "table.py", "more.py"])
    def test_every_module_that_it_rests_on_counts(self, name: str, site: Path) -> None:
        held = get_regulation("rungs")
        before = code_hash(held).sha256
        file = site / name
        file.write_text(file.read_text() + "# a comment\n")
        assert code_hash(held).sha256 == before
        file.write_text(file.read_text() + "MORE = 2\n")
        assert code_hash(held).sha256 != before
