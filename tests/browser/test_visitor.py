"""A visitor with a browser finds a player, opens an explanation, prints, and changes nothing."""

from __future__ import annotations

import re
from io import BytesIO
from math import log2
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect
from pypdf import PdfReader

from docs.pictures import PICTURES, PLACE, WIDTHS, take
from palmares.cli.demo import season
from palmares.web.http.routing import Right
from palmares.web.http.security import CONTENT_SECURITY
from palmares.web.routes import ROUTES
from tests.amounts import some
from tests.browser.sites import Served
from tests.browser.visits import visiting

NAME = "Name, or parts of it"
POINTS = f"{1 * 1 * 0.6 * log2(36):.2f}"
"""Ed O'Laughlin was first of 36: level 5 and the top division weigh 1, 0.6 log2(36) rank points."""


def found(page: Page) -> None:
    """Ed O'Laughlin's page, found by a part of his name among two of that name."""
    expect(page.get_by_role("table", name="2 players found")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="USBGF Master Points: rank 1, ")
    row.get_by_role("link", name="USBGF Master Points").click()
    expect(page.get_by_role("heading", level=1, name="Ed O'Laughlin")).to_be_visible()


@pytest.mark.parametrize("script", [True, False])
def test_the_card_of_a_visitor_s_player(browser: Browser, site: Served, *, script: bool) -> None:
    with visiting(browser, site, java_script_enabled=script) as visit:
        page, card = visit.page, visit.page.get_by_role("region", name="Your card")
        page.goto("/search?search=laughlin")
        page.get_by_role("link", name="Ed O'Laughlin").first.click()
        page.get_by_role("link", name="This is me").click()
        page.goto("/?regulation=usbgf")
        expect(card).to_contain_text("Ed O'Laughlin")
        card.get_by_role("link", name="Remove").click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        expect(card).to_have_count(0)


def test_a_federation_s_own_face(browser: Browser, site: Served) -> None:
    """Every page has its name and colour, also a phone's; black on yellow by the contrast."""
    with visiting(browser, site, "administrator") as visit:
        page = visit.page
        for name, colour, text in (
            ("Internationale Liga der Backgammon- und Diplomacy-Vereine", "#ffe600", "black"),
            ("", "#0f5c78", "white"),
        ):
            page.goto("/administrator/federation")
            page.get_by_label("Name").fill(name)
            page.get_by_label("Colour").fill(colour)
            page.get_by_role("button", name="Save").click()
            expect(page.get_by_role("status")).to_contain_text("Saved")
            expect(page.get_by_role("main")).to_contain_text(f"Text on this colour is {text}")
            expect(page.locator("a.brand")).to_contain_text(name or "Palmares")
            page.set_viewport_size({"width": 390, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth") == 390
            page.set_viewport_size({"width": 1280, "height": 900})


def test_a_visitor_finds_a_player_and_opens_an_explanation_in_place(
    browser: Browser, site: Served
) -> None:
    with visiting(browser, site) as visit:
        page = visit.page
        page.goto("/")
        page.get_by_role("link", name="Players", exact=True).click()
        page.wait_for_load_state()  # the script that looks while somebody types
        page.get_by_role("searchbox", name=NAME).fill("laughlin")  # nobody presses a button
        found(page)
        where = page.url
        result = page.get_by_role("listitem").filter(has_text="Hope 'n Open weekend").first
        result.locator("summary").click()
        expect(result).to_contain_text(POINTS)
        expect(result).to_contain_text("usbgf rank-points")
        expect(result).to_contain_text("Computed again from the report for this page.")
        assert page.url == where


def test_the_same_without_script(browser: Browser, site: Served) -> None:
    with visiting(browser, site, java_script_enabled=False) as visit:
        page = visit.page
        page.goto("/")
        page.get_by_role("link", name="Players", exact=True).click()
        page.get_by_role("searchbox", name=NAME).fill("laughlin")
        page.get_by_role("button", name="Show").click()
        found(page)
        result = page.get_by_role("listitem").filter(has_text="Hope 'n Open weekend").first
        result.locator("summary").click()
        result.get_by_role("link", name="How it came about").click()
        expect(page.get_by_role("main")).to_contain_text("usbgf rank-points")
        expect(page.get_by_role("main")).to_contain_text(POINTS)


def test_the_same_by_keyboard_alone(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visit:
        page = visit.page
        page.goto("/players?search=laughlin")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="To the contents")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_role("searchbox", name=NAME)).to_be_focused()
        tab_to(page, "USBGF Master Points")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1, name="Ed O'Laughlin")).to_be_visible()
        tab_to(page, "Hope 'n Open weekend", "summary")
        page.keyboard.press("Enter")
        expect(page.get_by_text("usbgf rank-points")).to_be_visible()


def tab_to(page: Page, words: str, element: str = "a") -> None:
    """Press Tab until such an element has the focus and says these words."""
    for _ in range(60):
        page.keyboard.press("Tab")
        at = page.locator(f"{element}:focus")
        if at.count() and words in (at.text_content() or ""):
            return
    raise AssertionError(f"sixty tabs do not lead to {words}")


THEN = "/rankings/wbgf/2008-04-30?known_at=%23160"
"""Two weeks after the Nordic Open of 2008, which entry 161 reports."""
KNOWN, KNOWN_AT = "As it was known at", "As known at the end of"
AHEAD = "This day lies ahead"


def rows(page: Page) -> list[list[str]]:
    """The words of a list, row by row."""
    return [one.split() for one in page.locator("#found tbody tr").all_inner_texts()]


def test_a_search_stays_with_what_was_known_then(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visit:
        page = visit.page
        page.goto(THEN)
        first = rows(page)[0]
        name = page.get_by_role("rowheader").first.inner_text()
        page.get_by_role("searchbox", name="Find a name").press_sequentially(name)
        expect(page.locator("#found tbody tr")).to_have_count(1)
        assert rows(page) == [first]
        expect(page).to_have_url(re.compile("known_at=%23160"))
        expect(page.locator("#notes")).to_contain_text(f"{KNOWN} #160")
        page.goto(page.url.replace("%23160", "%23161"))
        assert rows(page) != [first]  # it is another list with one more tournament


def test_the_same_search_without_script(browser: Browser, site: Served) -> None:
    with visiting(browser, site, java_script_enabled=False) as visit:
        page = visit.page
        page.goto(THEN)
        first = rows(page)[0]
        name = page.get_by_role("rowheader").first.inner_text()
        page.get_by_role("searchbox", name="Find a name").fill(name)
        form = page.get_by_role("search", name="What the list shows")
        form.get_by_role("button", name="Show").click()
        expect(page.locator("#found tbody tr")).to_have_count(1)
        assert rows(page) == [first]
        expect(page.locator("#notes")).to_contain_text(f"{KNOWN} #160")


def test_a_search_says_what_its_list_is(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visit:
        page = visit.page
        page.goto("/rankings/wbgf/2005-12-31")
        told, search = (
            page.locator("#notes"),
            page.get_by_role("searchbox", name="Find a name"),
        )
        head = page.locator("#heading")
        expect(head).to_contain_text("Official list")
        page.get_by_label("Day", exact=True).fill("2150-06-30")
        search.press_sequentially("a")
        expect(told).to_contain_text(AHEAD)
        expect(head).to_contain_text("Projected")
        expect(head).not_to_contain_text("Official list")


def test_a_name_is_looked_for_on_the_official_list_that_is_shown(
    browser: Browser, site: Served
) -> None:
    """A day that was chosen and not yet shown changes nothing while a name is typed."""
    with visiting(browser, site) as visit:
        page = visit.page
        page.goto("/rankings/wbgf/2005-12-31")
        page.get_by_role("link", name="Official list", exact=True).click()
        expect(page).to_have_url(re.compile("/published/"))
        address = page.url
        names = page.locator("#found tbody tr")
        first = names.first.inner_text()
        name = page.get_by_role("rowheader").first.inner_text().split()[-2]
        page.get_by_label("Day", exact=True).fill("2150-06-30")
        page.get_by_role("searchbox", name="Find a name").press_sequentially(name)
        expect(page).to_have_url(re.compile("search="))
        assert page.url.startswith(address)
        assert "2150" not in page.url
        assert first in [one.inner_text() for one in names.all()]


def test_a_list_before_later_corrections(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visit:
        page = visit.page
        page.goto("/rankings/wbgf/2005-12-31")
        page.get_by_label(KNOWN_AT).last.fill("2150-06-30")
        page.get_by_label(KNOWN_AT).last.press("Enter")
        expect(page.locator("#notes")).to_contain_text(f"{KNOWN} the end of 30 June 2150")
        nations = page.get_by_role("navigation", name="Lists of this day").get_by_role("link")
        address = nations.filter(has_text="Nations").get_attribute("href")
        assert address == "/rankings/wbgf/2005-12-31/nations?known_at=2150-06-30"


def test_a_row_opens_in_place_and_closes(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visit:
        page = visit.page
        page.goto("/rankings/wbgf/2005-12-31")
        where = page.url
        button = page.get_by_role("link", name="Best results of").first
        button.click()
        expect(page.locator(".detail .why")).to_be_visible()
        expect(button).to_have_attribute("aria-expanded", "true")
        button.click()
        expect(page.locator(".detail")).to_have_count(0)
        assert page.url == where


def test_the_sign_of_a_row_stands_beside_its_points(browser: Browser, site: Served) -> None:
    with visiting(browser, site, viewport={"width": 1280, "height": 800}) as visit:
        visit.page.goto("/rankings/wbgf/2005-12-31")
        row = visit.page.locator("tbody tr").first
        sign, points = (
            row.locator(what).evaluate("""it => {
              const text = document.createRange()
              text.selectNodeContents(it)
              const box = text.getBoundingClientRect()
              return (box.top + box.bottom) / 2
            }""")
            for what in (".more", ".points")
        )
        assert abs(sign - points) < 2


def test_a_list_is_printed_whole_and_alone(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visit:
        visit.page.goto("/rankings/usbgf/2019-12-31")
        names = visit.page.get_by_role("rowheader").all_inner_texts()
        printed = PdfReader(BytesIO(visit.page.pdf(format="A4")))
    text = " ".join(" ".join(page.extract_text() for page in printed.pages).split())
    assert len(names) == 22
    assert [name for name in names if name not in text] == []
    assert "USBGF Master Points" in text
    assert "31 Dec 2019" in text
    navigation = ("Sign in", "Calculators", "Find", "CSV", "recomputed", "To the contents")
    assert [words for words in navigation if words in text] == []


@pytest.mark.parametrize("script", [True, False])
def test_the_curve_of_a_player(browser: Browser, site: Served, script: bool) -> None:
    """It comes when it is come to; without script a link leads to it. A dot opens its result."""
    with visiting(browser, site, java_script_enabled=script) as visit:
        visit.page.goto("/players/P93/usbgf/2019-12-31")
        curve = visit.page.locator("#curve")
        if script:
            curve.scroll_into_view_if_needed()
        else:
            curve.get_by_role("link", name="Over time").click()
        expect(curve.locator("svg.chart")).to_be_visible()
        curve.locator("a:has(circle.dot)").first.click()
        expect(visit.page.get_by_text("usbgf rank-points")).to_be_visible()


def test_every_filter_of_a_list_stays_on_one_line(browser: Browser, site: Served) -> None:
    """The USBGF's list has two filters more than others; the line stays where it is read."""
    with visiting(browser, site, viewport={"width": 1280, "height": 600}) as visit:
        visit.page.goto("/rankings/usbgf/2019-12-31")
        line = visit.page.locator(".toolbar")
        fields = line.locator("input, select, button:visible").all()
        assert len(fields) == 7
        top = "field => Math.round(field.getBoundingClientRect().y)"
        assert len({one.evaluate(top) for one in fields}) == 1
        visit.page.mouse.wheel(0, 500)
        expect(visit.page.get_by_role("row").first).not_to_be_in_viewport()
        expect(line).to_be_in_viewport()


@pytest.mark.parametrize("width", [660, 760, 980])
def test_the_line_above_a_list_hides_no_heads(browser: Browser, site: Served, width: int) -> None:
    """On a tablet, too, beside the place of whoever is pinned."""
    with visiting(browser, site, viewport={"width": width, "height": 600}) as visit:
        visit.page.goto("/rankings/dptr/2018-12-31")
        player = visit.page.locator("tbody a[href^='/players/']").first.get_attribute("href")
        assert player is not None
        visit.page.goto("/pin/" + player.split("/")[2])
        visit.page.goto("/rankings/dptr/2018-12-31")
        line, head = visit.page.locator(".toolbar"), visit.page.get_by_role("columnheader").first
        expect(line.get_by_role("link", name="Me")).to_be_visible()
        visit.page.mouse.wheel(0, 700)
        expect(head).to_be_in_viewport()
        edge = "one => ['top', 'bottom'].map(side => Math.round(one.getBoundingClientRect()[side]))"
        assert line.evaluate(edge)[1] <= head.evaluate(edge)[0] + 1


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_two_players_fit_a_phone(browser: Browser, site: Served, language: str) -> None:
    """Longer words of another language make no page wider."""
    phone: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "locale": language}
    with visiting(browser, site, **phone) as visit:
        visit.page.goto("/players/P89/usbgf/2019-12-31?rival=P90", wait_until="networkidle")
        expect(visit.page.locator("html")).to_have_attribute("lang", language)
        row = visit.page.locator("section[aria-labelledby=against] tbody tr")
        expect(row).to_contain_text("Hope 'n Open weekend")
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= 390
        assert visit.page.evaluate(LINES_OF_ONE_WORD) == [1]


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_all_totals_fit_a_tablet(browser: Browser, site: Served, language: str) -> None:
    with visiting(browser, site, locale=language) as visit:
        for width in (645, 720, 800):
            visit.page.set_viewport_size({"width": width, "height": 900})
            visit.page.goto("/rankings/usbgf/2019-12-31/totals")
            assert visit.page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_the_way_out_is_on_the_first_line(browser: Browser, site: Served, language: str) -> None:
    size: dict[str, Any] = {"viewport": {"width": 1280, "height": 900}, "locale": language}
    with visiting(browser, site, "administrator", **size) as visit:
        visit.page.goto("/")
        boxes = [one.bounding_box() for one in visit.page.locator(".nav > *").all()]
        middles = [box["y"] + box["height"] / 2 for box in boxes if box]
        assert len(middles) == len(boxes) > 6
        assert max(middles) - min(middles) < 2


LINES_OF_ONE_WORD = """
[...new Set([...document.querySelectorAll("main th")]
    .filter(head => head.checkVisibility() && /^\\S+$/.test(head.textContent.trim()))
    .map(head => {
        const range = document.createRange()
        range.selectNodeContents(head)
        return new Set([...range.getClientRects()].map(line => Math.round(line.y))).size
    }))]
"""
"""In how many lines heads of one word stand."""
LIGHT = 60_000
"""Bytes that a first visit may fetch, without charts."""


@pytest.mark.parametrize("address", ["/", "/rankings/wbgf/2011-05-31"])
def test_a_first_visit_is_light(browser: Browser, site: Served, address: str) -> None:
    with visiting(browser, site) as visit:
        fetched: list[float] = []
        network = visit.page.context.new_cdp_session(visit.page)
        network.send("Network.enable")
        network.on("Network.loadingFinished", lambda one: fetched.append(one["encodedDataLength"]))
        visit.page.goto(address, wait_until="networkidle")
        assert 5_000 < sum(fetched) < LIGHT


# ── a visitor changes nothing ────────────────────────────────────────────────────────────────────


def writes() -> list[str]:
    """Every address that takes what only some may send."""
    return sorted(
        re.sub(r"\{\w+:\w+\}", "1", address)
        for route in ROUTES
        for address in route.paths
        if route.method.value == "POST" and route.right is not Right.ANYONE
    )


def test_a_visitor_sees_no_form_that_writes(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visit:
        for address in ("/", "/rankings/wbgf", "/players", "/tournaments", "/published", "/bridge"):
            visit.page.goto(address)
            assert visit.page.locator("form[method=post]").count() == 0
        visit.page.goto("/officer")
        expect(visit.page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_what_a_visitor_sends_is_refused(browser: Browser, site: Served) -> None:
    sent: dict[str, str | float | bool] = {"entry": "1", "reason": "mischief", "text": "x"}
    assert len(writes()) > 30
    with visiting(browser, site) as visit:
        visit.page.goto("/sign-in")
        taken = {}
        for address in writes():
            by_script = visit.page.evaluate(
                """([address, sent]) => fetch(address, {method: "POST", redirect: "manual",
                   body: new URLSearchParams(sent)}).then((answer) => answer.status)""",
                [address, sent],
            )
            by_request = visit.page.request.post(address, form=sent, max_redirects=0).status
            if (by_script, by_request) != (401, 401):
                taken[address] = by_script, by_request
        assert taken == {}
        visit.forgiven("401")


def test_another_site_cannot_write_in_an_officers_name(browser: Browser, site: Served) -> None:
    with visiting(browser, site, "officer") as visit:
        visit.page.goto("/officer")
        before = visit.page.get_by_role("row").count()
        refused = visit.page.request.post(
            "/officer/decisions/undo", form={"entry": "1", "reason": "mischief"}
        )
        assert refused.status == 403
        visit.page.reload()
        assert visit.page.get_by_role("row").count() == before


def test_the_browser_holds_the_policy_and_the_cookie_is_no_scripts_business(
    browser: Browser, site: Served
) -> None:
    with visiting(browser, site, "director") as visit:
        answer = visit.page.goto("/director")
        assert answer is not None
        assert answer.headers["content-security-policy"] == CONTENT_SECURITY
        assert "palmares=" not in visit.page.evaluate("document.cookie")
        visit.page.evaluate(
            """() => {const made = document.createElement("script");
               made.textContent = "document.title = 'taken'"; document.body.append(made);}"""
        )
        assert visit.page.title() != "taken"
        visit.forgiven("forbidden: script-src", "Content Security Policy")
        expect(visit.page.get_by_text(season.PEOPLE["director"])).to_be_visible()


def test_the_pictures_of_the_documentation_can_be_taken(
    browser: Browser, site: Served, tmp_path: Path
) -> None:
    pictures = some(PICTURES, 4, 1)
    taken = take(browser, site, pictures, tmp_path)
    widths = [int.from_bytes(file.read_bytes()[16:20], "big") for file in taken]
    assert widths == [WIDTHS[suffix] for one in pictures for suffix in one.widths]
    kept = {file.name for file in PLACE.iterdir()}
    assert {file.name for file in taken} <= kept
    assert kept == {f"{one.name}{suffix}.png" for one in PICTURES for suffix in one.widths}


def test_the_browser_repeats_a_draw_with_a_second_program(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visit:
        visit.page.goto("/draws")
        visit.page.get_by_role("link", name="Open").click()
        line = visit.page.locator("#repeated")
        expect(line).to_have_attribute("data-repeated", "same")
        expect(line).to_have_text(
            "Your browser repeated the draw with a second program: it is the same."
        )


def test_a_draw_that_differs_is_said(browser: Browser, site: Served) -> None:
    def changed(route: Route) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=answer.text().replace("&#34;p1&#34;", "&#34;p9&#34;"))

    with visiting(browser, site) as visit:
        visit.page.route("**/draws/169", changed)
        visit.page.goto("/draws/169")
        expect(visit.page.locator("#repeated")).to_have_attribute("data-repeated", "other")
