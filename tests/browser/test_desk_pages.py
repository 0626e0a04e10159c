"""Every page at somebody's desk: axe finds nothing serious, light or dark, on a phone or a desk."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser

from tests.browser.inspection import inspected, toured
from tests.browser.sites import Served
from tests.browser.tours import TOURS, VISITS, Tour
from tests.browser.visits import Visit

DESKS = [
    (role, address) for role, visits in VISITS.items() if role is not None for _, address in visits
]
DESK_TOURS = [one for one in TOURS if one[0] is not None]


@pytest.mark.parametrize(("role", "address"), DESKS)
def test_a_page_has_nothing_serious(
    page_of: Callable[[str | None], Visit], role: str, address: str
) -> None:
    inspected(page_of(role), address)


@pytest.mark.parametrize(("role", "tour", "pages"), DESK_TOURS)
def test_pages_on_a_way_have_nothing_serious(
    browser: Browser, site: Served, role: str, tour: Tour, pages: tuple[type, ...]
) -> None:
    toured(browser, site, role, tour, pages)
