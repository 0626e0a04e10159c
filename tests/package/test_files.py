"""The files beside the code that an archive must have, and what they say of one another."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import yaml

import palmares
from tests.house.rules import ROOT


def test_the_code_that_is_tested_lies_beside_the_tests() -> None:
    """Also in an unpacked archive: the one that is said, if one is."""
    assert Path(palmares.__file__).is_relative_to(ROOT / "src")
    assert Path(os.environ.get("EXPECTED_HOME", ROOT)).samefile(ROOT)


def test_the_citation_says_what_the_project_says() -> None:
    """The keys that the Citation File Format 1.2.0 requires, and those that change."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert cited["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= cited.keys()
    assert (cited["version"], cited["license"]) == (project["version"], project["license"])
    assert cited["keywords"] == project["keywords"]
    assert [one["name"] for one in cited["authors"]] == [one["name"] for one in project["authors"]]
