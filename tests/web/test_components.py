"""Pages are built from the components of one stylesheet, and a first visit is small."""

from __future__ import annotations

import gzip
import re
from importlib.resources import files
from pathlib import Path

from palmares.journal.store.journal import Journal
from palmares.web.http.templating import contents
from tests.web.conftest import Client
from tests.web.seasons import text, winter

WEB = Path(str(files("palmares.web")))
FIRST_VISIT = 60_000
"""Bytes of a first visit, as they are sent."""
COMPUTED = {"depth-1", "depth-2", "depth-3", "sum", "version", "approved", "rejected", "returned",
            "depth-", "flag", "icon"}  # fmt: skip
"""What words, numbers and functions of a page make."""


def style() -> set[str]:
    """The classes that the stylesheet knows."""
    rules = re.sub(
        r"/\*.*?\*/|\"[^\"]*\"", "", contents()["palmares.css"].decode(), flags=re.DOTALL
    )
    selectors = re.sub(r"\{[^{}]*\}", " ", rules)
    return set(re.findall(r"\.([a-zA-Z][\w-]*)", selectors))


def used() -> set[str]:
    """The classes that templates write, whole words of their text."""
    found = set()
    for path in WEB.glob("*/templates/*.html"):
        written = r'(?:class|shape)="((?:\{\{.*?\}\}|\{%.*?%\}|[^"])*)"'
        for words in re.findall(written, path.read_text()):
            literal = " ".join(re.findall(r'"([\w -]*)"', words))
            found |= set((re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", words) + " " + literal).split())
    return found


def test_templates_use_the_classes_of_the_stylesheet() -> None:
    hooks = {"explained"}  # that htmx fills
    assert used() - style() - hooks - COMPUTED == set()


def test_the_stylesheet_has_no_class_that_nothing_uses() -> None:
    assert style() - used() - COMPUTED == set()


def test_the_design_names_every_class_and_component() -> None:
    text = Path("docs/explanation/design.md").read_text()
    named = set(re.findall(r"[\w-]+", " ".join(re.findall(r"`([^`]*)`", text))))
    macros = re.findall(r"macro (\w+)\(", (WEB / "shared/templates/components.html").read_text())
    assert style() - named - COMPUTED == set()
    assert set(macros) - named == set()


def test_a_first_visit_is_small(client: Client, journal: Journal) -> None:
    winter(journal)
    page = text(client, "/")
    asked = set(re.findall(r'(?:href|src)="(/(?:assets|federation)[^"#]*)', page))
    assert any("htmx" in one for one in asked)
    sent = [page.encode(), *(client.get(one).content for one in sorted(asked))]
    assert sum(len(gzip.compress(one)) for one in sent) < FIRST_VISIT


def test_the_icons_are_those_that_templates_name() -> None:
    symbols = set(re.findall(r'<symbol id="([\w-]+)"', contents()["icons.svg"].decode()))
    pages = " ".join(path.read_text() for path in WEB.glob("*/templates/*.html"))
    assert set(re.findall(r'\bicon\("([\w-]+)"', pages)) <= symbols
    assert {one for one in symbols if f'"{one}"' not in pages} == set()
