"""The generated reference is what the code says today."""

from __future__ import annotations

import pytest

from docs.generate import DOCS, generated, pages

PAGES = pages()
REMEDY = "Run: python docs/generate.py"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_not_stale(path: str) -> None:
    assert (DOCS / path).read_text(encoding="utf-8") == PAGES[path], REMEDY


def test_no_page_is_left_over() -> None:
    assert generated() == PAGES.keys(), REMEDY
