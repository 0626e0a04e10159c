"""
What an inspector with axe says of a page: light and dark, on a phone and on a desk.

In ``make test`` each page is looked at in one way, by turns; in ``make torture`` in all four.

    complaints  a page  ->  everything serious or critical, what is cut, and whatever is wider
                than a phone
    cut         a page  ->  cards and buttons whose words or numbers do not fit
    inspected   go to an address: it shows that page, and there is no complaint
    toured      go a way: it comes to those pages, and there is no complaint
    LOOKS       how a page is looked at
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import count
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, Page

from tests.amounts import some
from tests.browser.sites import Served
from tests.browser.tours import Tour
from tests.browser.visits import Visit, visiting

PHONE, DESK = 390, 1200
LOOKS: tuple[tuple[int, Literal["light", "dark"]], ...] = (
    (DESK, "light"), (DESK, "dark"), (PHONE, "dark"), (PHONE, "light"),
)  # fmt: skip
"""Widths in pixels, and colours."""
_TURNS = count()

_AXE = Path(__file__).parent / "vendor" / "axe.min.js"
_ASK = """() => axe.run(document, {resultTypes: ["violations"], preload: false})
  .then((found) => found.violations
  .flatMap((one) => one.nodes.map((node) => `${one.id}: ${one.help}: ${node.html}`)))"""
_WIDER = """() => [...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5
    && !one.parentElement.closest(".scroll, pre, .tall, .chart, .said, .skip"))
  .map((one) => one.outerHTML.slice(0, 200))"""

_CUT = """() => [...document.querySelectorAll(".card, .tiles, button, .button")]
  .filter((one) => one.clientWidth && one.scrollWidth > one.clientWidth + 1)
  .map((one) => one.outerHTML.slice(0, 200))"""

JSON = {"accept": "application/json"}


@cache
def _source() -> str:
    return _AXE.read_text(encoding="utf-8")


def cut(page: Page) -> list[str]:
    """Cards and buttons whose words or numbers do not fit."""
    return [f"it is cut: {one}" for one in page.evaluate(_CUT)]


def complaints(page: Page) -> list[str]:
    """Everything axe finds, what is cut, and whatever is wider than a phone."""
    page.evaluate(_source())
    found = []
    for width, colours in some(LOOKS, len(LOOKS), next(_TURNS)):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=colours)
        found += [f"{width}, {colours}: {one}" for one in page.evaluate(_ASK)]
        found += cut(page)
    page.set_viewport_size({"width": PHONE, "height": 900})
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        wider = page.evaluate(_WIDER)
        found.append(f"wider than {PHONE} pixels: {wider[:3]}")
    return found


def inspected(visit: Visit, address: str) -> None:
    """Go to an address: there is a page, no complaint about it, and nothing goes wrong on it."""
    visit.troubles.clear()
    width, colours = LOOKS[0]
    visit.page.set_viewport_size({"width": width, "height": 900})
    visit.page.emulate_media(color_scheme=colours)
    answer = visit.page.goto(address)
    assert answer is not None
    if answer.status == 404:
        visit.forgiven("404")
    else:
        assert answer.ok
    complained = complaints(visit.page)
    assert complained == [], complained
    assert visit.troubles == [], visit.troubles


def toured(
    browser: Browser, site: Served, role: str | None, tour: Tour, pages: Sequence[type]
) -> None:
    """Go a way: it comes to those pages, and there is no complaint."""
    come_to = set()
    with visiting(browser, site, role) as visit:
        for kind in tour(visit.page, site):
            come_to.add(kind)
            here = visit.page.context.pages[-1]
            complained = complaints(here)
            assert complained == [], (here.url, complained)
            here.set_viewport_size({"width": DESK, "height": 900})
        forms = ("409", "422")  # what is wrong with a form is told on its page
        visit.troubles[:] = [one for one in visit.troubles if not any(x in one for x in forms)]
    assert come_to == set(pages)
