"""
Chromium, and a site for it to look at.

    browser     Chromium, for the tests of a file
    site        a site with the example reports, for the tests of a file
    page_of     a role, or none  ->  one page of somebody in it, for the tests of a file
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache

import pytest
from playwright.sync_api import Browser, expect, sync_playwright

from tests.browser.sites import Served, served
from tests.browser.visits import Visit, visiting

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
PATIENCE = 60_000
"""Milliseconds that a page may take: other tests run beside."""

expect.set_options(timeout=PATIENCE)


def chromium() -> str:
    """Where Chromium is; a test that has none fails."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.fail(
            "These tests drive Chromium, and there is none on this machine. On Debian or Ubuntu:"
            " apt-get install chromium ('make test' does it for root).",
            pytrace=False,
        )
    return found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, for the tests of a file."""
    place = chromium()
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=place, args=list(FLAGS))
        try:
            yield found
        finally:
            found.close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A site with the example reports, for the tests of a file."""
    with served(tmp_path_factory.mktemp("site")) as found:
        yield found


@pytest.fixture(scope="module")
def page_of(browser: Browser, site: Served) -> Iterator[Callable[[str | None], Visit]]:
    """One page of somebody in a role: a fresh one takes longer than most pages to show."""
    with ExitStack() as stack:
        yield cache(lambda role: stack.enter_context(visiting(browser, site, role)))
