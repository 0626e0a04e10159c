"""The documentation builds without a warning, and leads on."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import palmares
from palmares import vp
from tests.docs.examples import ROOT

FUNCTIONS = [
    *(name for name in palmares.__all__ if name != "vp"),
    *(f"vp.{name}" for name in vp.__all__ if name not in ("SCALES", "edition")),
]
MOST = 150_000
"""Bytes of a picture."""
_LINK = re.compile(r'<a\b[^>]*\bhref="([^"#]+\.html)')
_LOADED = re.compile(r'<(?:script|img|link)\b[^>]*\b(?:src|href)="([^"]+)"')


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation as HTML; a warning is an error.

    In a plain theme: half the time of a build goes into the sidebar that Furo makes of each page.
    """
    place = tmp_path_factory.mktemp("docs")
    left_out = shutil.ignore_patterns("__pycache__", "python")  # pages that an earlier build made
    shutil.copytree(ROOT / "docs", place / "docs", ignore=left_out)
    with (place / "docs" / "conf.py").open("a", encoding="utf-8") as conf:
        conf.write('html_theme, html_theme_options = "basic", {}\n')
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-b", "html", "docs", "html"],
        cwd=place, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return place / "html"


def test_every_picture_is_shown_and_small(site: Path) -> None:
    pictures = list((ROOT / "docs" / "images").iterdir())
    assert {one.name for one in pictures} == {one.name for one in (site / "_images").glob("*.png")}
    assert [one.name for one in pictures if one.stat().st_size > MOST] == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_has_a_page(site: Path, name: str) -> None:
    page = (site / "reference" / "python" / f"palmares.{name}.html").read_text(encoding="utf-8")
    assert f'id="palmares.{name}"' in page


def test_types_of_others_are_links(site: Path) -> None:
    page = (site / "reference/python/palmares.rank.html").read_text(encoding="utf-8")
    assert 'href="https://docs.python.org/3/library/datetime.html#datetime.date"' in page
    assert 'href="https://docs.pola.rs/api/python/stable/reference/dataframe/' in page
    assert 'href="palmares.facts.Facts.html#palmares.facts.Facts"' in page


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        loaded = _LOADED.findall(page.read_text(encoding="utf-8"))
        assert [one for one in loaded if "//" in one] == [], page


def test_a_guide_is_two_clicks_away(site: Path) -> None:
    """By the links in the text alone; the sidebar has them all."""
    at_once = set(linked(site / "index.html"))
    two = at_once.union(*(linked(page) for page in at_once))
    folders = ("for", "how-to", "explanation", "reference")
    guides = {page for folder in folders for page in (site / folder).glob("*.html")}
    assert guides - two == set()


def linked(page: Path) -> Iterator[Path]:
    """The pages that the text of a page links to."""
    text = page.read_text(encoding="utf-8")
    for link in _LINK.findall(
        text[text.index('role="main"') : text.index('class="sphinxsidebar"')]
    ):
        if "://" not in link:
            yield (page.parent / link).resolve()
