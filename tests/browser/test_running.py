"""An event on a phone, from the notice to points and prizes; a visitor's phone follows it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.sites import Served, served
from tests.browser.visits import visiting

PHONE = {"width": 390, "height": 800}
NAMES = (
    "Ana Novak", "Ben Ost", "Cy Dee", "Dan Poe", "Eve Fox", "Flo Grau", "Gus Hill", "Hal Ito",
    "Ida Jung", "Jan Kral", "Kim Lund", "Lea Moor", "Max Nagy", "Nia Otto", "Ole Petersen",
    "Pia Quist",
)  # fmt: skip
MATCHES = 15 + 13  # of the main, and of the Consolation: 8 + 4 + 2 losers enter it
SMALLEST = 44  # pixels that a finger needs


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("bare"), lambda _: {}) as found:
        yield found


def publish_notice(page: Page) -> None:
    """Publish the notice of a club night with prizes, after a look at it."""
    page.goto("/director")
    page.get_by_role("link", name="Publish a notice").click()
    for label, text in {
        "Event": "Club night",
        "ID in addresses": "club-night",
        "Tournament": "Club night",
        "First day": "2030-01-30",
        "Last day": "2030-01-30",
        "Entry opens": "2030-01-02",
        "Place": "The club",
        "Currency": "EUR",
        "Prizes are multiples of": "10",
        "Costs an entrant": "10",
    }.items():
        page.get_by_label(label, exact=True).fill(text)
    main, consolation = (page.get_by_role("group", name=f"Flight {number}") for number in (1, 2))
    main.get_by_label("Points of the matches").fill("5 7")
    main.get_by_label("Shares of the prizes").fill("50 30")
    page.get_by_text("Another flight").first.click()
    consolation.get_by_label("Flight").fill("Consolation")
    consolation.get_by_label("Points of the matches").fill("5")
    consolation.get_by_label("Takes losers of").fill("Main")
    consolation.get_by_label("From rounds").fill("1 2 3")
    consolation.get_by_label("Shares of the prizes").fill("20")
    division = page.get_by_role("group", name="Division 1")
    division.get_by_label("Division").fill("Open")
    division.get_by_label("Who may enter").fill("anyone")
    division.get_by_label("Entry fee").fill("100")
    division.get_by_label("Added money").fill("200")
    division.get_by_label("Kind of event").select_option("championship")
    page.get_by_label("World Ranking").check()
    page.get_by_role("button", name="Preview").click()
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("Performance points")
    page.get_by_role("button", name="Publish").click()
    page.wait_for_url(re.compile("/notices/club-night$"))


def check_prizes(page: Page, first: str, consolation: str) -> None:
    """16 x 100 - 16 x 10 + 200 = 1,640: 820, 492 and 328; in tens 820, 490, 320, and 10 left."""
    prizes = page.get_by_role("region", name="Prizes").get_by_role("row")
    expect(prizes.nth(0)).to_contain_text(first)
    expect(prizes.nth(0)).to_contain_text("830.00")
    expect(prizes.nth(1)).to_contain_text("490.00")
    expect(prizes.nth(2)).to_contain_text(consolation)
    expect(prizes.nth(2)).to_contain_text("320.00")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_sixteen_play_to_points_and_prizes(browser: Browser, bare: Served) -> None:
    with (
        visiting(browser, bare, "director", viewport=PHONE) as director,
        visiting(browser, bare, viewport=PHONE) as visitor,
    ):
        page = director.page
        publish_notice(page)
        page.goto("/director")
        page.get_by_role("link", name="Run an event").click()
        page.get_by_label("Name", exact=True).fill("Club night")
        page.get_by_label("ID in addresses").fill("club-night")
        page.get_by_label("Entrants in the order").fill("\n".join(NAMES))
        page.get_by_label("Match length in points").fill("5 7")
        page.get_by_label("Consolation, for losers").check()
        page.get_by_role("button", name="Start the event").click()
        expect(page.get_by_role("button", name="Ana Novak won")).to_be_visible()
        for button in page.locator("button.tap").all():
            box = button.bounding_box()
            assert box
            assert min(box["height"], box["width"]) >= SMALLEST

        phone = visitor.page
        phone.goto("/live/club-night")
        expect(phone.get_by_role("region", name="Next matches")).to_contain_text("Ana Novak")
        page.get_by_role("button", name="Ana Novak won").click()
        expect(phone.locator("#m-main-1-1 .won")).to_contain_text("Ana Novak")  # by itself
        wide = phone.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE["width"]

        for number in range(MATCHES - 1):
            taps = page.locator("button.tap")
            expect(taps.first).to_be_visible()
            with page.expect_navigation():
                taps.nth(number % 2).click()
        expect(page.get_by_text("All matches are played.")).to_be_visible()
        expect(phone.get_by_text("All matches are played.")).to_be_visible()
        final = phone.locator("#m-main-4-1 .won .who").inner_text()
        consolation = phone.locator("#f-consolation").locator("../..").locator(".match .won .who")
        check_prizes(page, final, consolation.last.inner_text())
        check_prizes(phone, final, consolation.last.inner_text())

        with page.expect_download() as download:
            page.get_by_role("link", name="PDF").click()
        assert download.value.path().read_bytes().startswith(b"%PDF")
        page.get_by_label("Kind").select_option("championship")
        page.get_by_label("Entry fee").fill("100")
        page.get_by_label("Currency of the fees").fill("EUR")
        page.get_by_role("button", name="Make the report").click()
        page.wait_for_url(re.compile("/director/submissions/"))
        gives = page.get_by_role("region", name="What it would give").get_by_role("row")
        expect(gives.filter(has_text=final).first).to_be_visible()
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("main")).to_contain_text("waits for an officer")
