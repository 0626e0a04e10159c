"""A director pastes a result at midnight, on a phone: how many clicks it takes until it waits."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.sites import Served
from tests.browser.visits import visiting

MOST_CLICKS = 8
KNOWN = ("Tom Duggan (ENG)", "Damjan Plesec (SLO)", "Hakija Zolic (BiH)")
FIRST = ("Anke", "Bela", "Carlo", "Dora", "Emil", "Fania", "Goran", "Hedda")
LAST = ("Quist", "Rowan", "Szabo", "Tveit", "Ulmer", "Vance", "Wenck", "Yilmaz")
NAMES = [*KNOWN, *(f"{first} {last} (NOR)" for first in FIRST for last in LAST)][:64]


@pytest.mark.parametrize("script", [True, False])
def test_sixty_four_names_without_a_problem(browser: Browser, site: Served, script: bool) -> None:
    """A click for each button, and one into the first field of each page; Tab leads on."""
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    name = f"{'Quick' if script else 'Slow'} Open"
    with visiting(browser, site, "director", java_script_enabled=script, **phone) as director:
        page = director.page
        page.goto("/director")
        lines = "\n".join(f"{rank}. {who}" for rank, who in enumerate(NAMES, 1))
        clicks = filled_in(page, {"Paste the result": f"{name}\n\n{lines}\n"})
        expect(page.get_by_role("list", name="Steps")).to_contain_text("64 lines read")
        expect(page.get_by_label("What is the tournament called?")).to_have_value(name)
        assert fits(page)
        entrants = "How many players entered the main event?"
        page.get_by_label("Which game was played?").select_option("backgammon")
        clicks += filled_in(page, {"What was its last day?": "2011-05-29", entrants: "64"})
        page.get_by_label("What kind of event was it?").select_option("championship")
        clicks += filled_in(page, {"What was the entry fee, without registration?": "100"})
        given = page.get_by_role("region", name="What it would give")
        expect(given.first).to_contain_text("Tom Duggan")
        assert fits(page)
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("main")).to_contain_text("waits for an officer")
        assert clicks + 1 <= MOST_CLICKS


def filled_in(page: Page, fields: dict[str, str]) -> int:
    """Fill in fields and go on; how many clicks that takes."""
    for label, text in fields.items():
        page.get_by_label(label).fill(text)
    page.get_by_role("button", name="Continue").click()
    return len(("into the first field", "Continue"))


def fits(page: Page) -> bool:
    """Whether nothing scrolls the page sideways."""
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width <= 390
