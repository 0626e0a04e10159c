"""Every page of the site: axe finds nothing, light or dark, on a phone or a desk."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import is_dataclass
from hashlib import sha256
from pathlib import Path

import pytest
from playwright.sync_api import Browser

import palmares.web.app
from tests.browser.inspection import cut, inspected, toured
from tests.browser.sites import Served
from tests.browser.tours import TOURS, VISITS, Tour, seen
from tests.browser.visits import Visit, visiting

VENDOR = Path(__file__).parent / "vendor"
PAGES = [(role, address) for role, visits in VISITS.items() for _, address in visits]


def test_every_page_is_come_to() -> None:
    modules = [one for name, one in sys.modules.items() if name.startswith("palmares.web.")]
    classes = {one for module in modules for _, one in inspect.getmembers(module, inspect.isclass)}
    assert palmares.web.app in modules
    assert {one for one in classes if one.__name__.endswith("Page") and is_dataclass(one)} <= seen()


@pytest.mark.parametrize(("role", "address"), PAGES)
def test_axe_finds_nothing_on_a_page(
    page_of: Callable[[str | None], Visit], role: str | None, address: str
) -> None:
    inspected(page_of(role), address)


@pytest.mark.parametrize(("role", "tour", "pages"), TOURS)
def test_axe_finds_nothing_on_pages_of_a_tour(
    browser: Browser, site: Served, role: str | None, tour: Tour, pages: tuple[type, ...]
) -> None:
    toured(browser, site, role, tour, pages)


def test_long_words_of_a_language_cut_no_number(browser: Browser, site: Served) -> None:
    with visiting(browser, site, locale="de-DE", viewport={"width": 1280, "height": 900}) as visit:
        visit.page.goto("/players/P20/wbgf/2005-12-31?rival=P21&ask=yes")
        assert cut(visit.page) == []


def test_axe_is_as_it_was_published() -> None:
    content = (VENDOR / "axe.min.js").read_bytes()
    assert sha256(content).hexdigest() in (VENDOR / "README.md").read_text()
