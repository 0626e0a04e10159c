"""From the director's desk over the officer's to the public list and back; clicks are counted."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from playwright.sync_api import Browser, Locator, Page, expect

from palmares.web.database import SESSIONS
from tests.browser.sites import Served
from tests.browser.visits import sign_in, visiting

REPORT = """\
[tournament]
name = "{name}"
discipline = "backgammon"
end_date = 2011-05-{day}

[[event]]
name = "Main"
kind = "championship"
entry_fee = 500

[event.main]
entrants = 2
placings = \"\"\"
1 Hakija Zolic (BiH)
2 Nobody of {name} (HRV)
\"\"\"
"""
LIST = "/rankings/wbgf/2011-05-31"
POINTS = f"{5 * 1 * 10 * 2 * 1.75 / (1.75 + 1):.2f}"
"""Grade 5, format factor 1, t 10, s(2) = 2; R(1) = 1.75 of 1.75 + 1."""


@pytest.mark.parametrize(("script", "name"), [(True, "Graz Open"), (False, "Linz Open")])
def test_a_result_is_entered_approved_seen_and_undone(
    browser: Browser, site: Served, script: bool, name: str
) -> None:
    how: dict[str, Any] = {"java_script_enabled": script}
    with (
        visiting(browser, site, **how) as visitor,
        visiting(browser, site, "director", **how) as director,
        visiting(browser, site, "officer", **how) as officer,
    ):
        assert leaders(visitor.page) == ["Tom Duggan", "Damjan Plesec", "Hakija Zolic"]

        page = director.page
        page.goto("/director")
        page.get_by_label("Paste the result").fill(REPORT.format(name=name, day=32))
        page.get_by_role("button", name="The result says it").click()
        expect(page.get_by_role("heading", name="1 problem")).to_be_visible()
        expect(page.get_by_role("alert")).to_contain_text("Line 4")
        page.get_by_label("Text").fill(REPORT.format(name=name, day=29))
        page.get_by_role("button", name="Continue").click()
        given = page.get_by_role("region", name="What it would give").get_by_role("row")
        winner = given.filter(has_text="Hakija Zolic").get_by_role("cell")
        expect(winner.first).to_have_text(POINTS)
        expect(winner.last).to_have_text("3 → 1")
        expect(page.get_by_role("region", name="What it would give")).to_contain_text(
            "other players change rank."
        )
        expect(page.get_by_role("region", name="Points of this report")).to_have_count(1)
        page.get_by_role("button", name="Submit").click()
        expect(page.get_by_role("main")).to_contain_text("waits for an officer")

        assert leaders(visitor.page)[0] == "Tom Duggan"  # nothing counts before it is approved

        page = officer.page
        page.goto("/officer")
        page.get_by_role("navigation", name="Inbox").get_by_role("link", name=name).click()
        moved = page.get_by_role("region", name="What it will move").get_by_role("row")
        expect(moved.filter(has_text="Hakija Zolic")).to_contain_text("3 → 1")
        page.get_by_role("button", name=re.compile("Approve and (next|record)")).click()
        expect(page.get_by_role("status")).to_contain_text(re.compile(r"Recorded as entry \d+"))
        page.get_by_role("link", name="The entry").click()
        expect(page.get_by_role("heading", level=1)).to_have_text(re.compile(r"Entry \d+"))
        entry = page.url

        director.page.goto("/director")
        row = director.page.get_by_role("row").filter(has_text=name)
        expect(row).to_contain_text("approved as entry")

        assert leaders(visitor.page) == ["Hakija Zolic", "Tom Duggan", f"Nobody of {name}"]

        page = officer.page
        page.goto(entry)
        page.get_by_role("link", name="Undo this entry").click()
        page.get_by_label("Reason").fill("it was a friendly game")
        page.get_by_role("button", name="See what it would do").click()
        moved = page.get_by_role("region", name="What it will move").get_by_role("row")
        expect(moved.filter(has_text="Hakija Zolic")).to_contain_text("1 → 3")
        page.get_by_role("button", name="Record this").click()
        expect(page.get_by_role("main")).to_contain_text("it was a friendly game")

        assert leaders(visitor.page) == ["Tom Duggan", "Damjan Plesec", "Hakija Zolic"]


def leaders(page: Page) -> list[str]:
    """The first three of the list: what was recorded through this site is seen at once."""
    page.goto(LIST)
    return page.get_by_role("rowheader").locator("a:not(.code)").all_inner_texts()[:3]


def test_whoever_was_away_too_long_signs_in_again_and_goes_on(
    browser: Browser, site: Served
) -> None:
    """What was pasted is sent again when its page is reloaded."""
    with visiting(browser, site) as visit:
        page = visit.page
        sign_in(page, site, "director")
        page.goto("/director")
        page.get_by_label("Paste the result").fill(REPORT.format(name="Late Open", day=29))
        an_hour_passes(site)
        page.get_by_role("button", name="The result says it").click()
        expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
        expect(page.get_by_role("main")).to_contain_text("reload this page")
        visit.forgiven("401")
        with page.expect_popup() as popup:
            page.get_by_role("main").get_by_role("link", name="Sign in").click()
        sign_in(popup.value, site, "director")
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_have_text("Late Open")


def an_hour_passes(site: Served) -> None:
    """Nobody has done anything for an hour."""
    with site.accounts.database.writing() as connection:
        connection.execute(
            sa.update(SESSIONS).values(seen=SESSIONS.c.seen - site.accounts.settings.idle)
        )
    site.signed_in.clear()


def test_whoever_signs_out_is_out(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visit:
        sign_in(visit.page, site, "director")
        visit.page.get_by_role("button", name="Sign out").click()
        expect(visit.page.get_by_role("link", name="Sign in")).to_be_visible()
        visit.page.goto("/director")
        expect(visit.page.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_note_about_a_page_is_done_with(browser: Browser, site: Served) -> None:
    with visiting(browser, site) as visitor, visiting(browser, site, "officer") as officer:
        page = visitor.page
        page.goto("/mistakes?about=/rankings/wbgf")
        page.get_by_label("What is wrong").fill("The second is missing")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("main")).to_contain_text("The officers have your note")

        page = officer.page
        page.goto("/officer/notes")
        note = page.get_by_role("listitem").filter(has_text="The second is missing")
        note.get_by_role("button", name="Done").click(timeout=10_000)
        expect(note).to_have_count(0)
        expect(page.get_by_role("heading", level=1)).to_have_text("Mistakes that readers report")


# ── at midnight, on a phone ──────────────────────────────────────────────────────────────────────

MOST_TAPS = 8
SUNDAY = 7
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
KNOWN = ("Tom Duggan (ENG)", "Damjan Plesec (SLO)", "Hakija Zolic (BiH)")
FIRST = ("Anke", "Bela", "Carlo", "Dora", "Emil", "Fania", "Goran", "Hedda")
LAST = ("Quist", "Rowan", "Szabo", "Tveit", "Ulmer", "Vance", "Wenck", "Yilmaz")
NAMES = [*KNOWN, *(f"{first} {last} (NOR)" for first in FIRST for last in LAST)][:64]


@dataclass
class Finger:
    """Whoever has only a finger: each field, choice, button and link is touched, and counted."""

    page: Page
    taps: int = 0

    def tap(self, what: Locator) -> None:
        """Touch a button, a link, a radio button."""
        what.tap()
        self.taps += 1

    def type(self, label: str, text: str) -> None:
        """Touch a field, and type or paste into it."""
        box = self.page.get_by_label(label)
        self.tap(box)
        expect(box).to_be_focused()
        box.fill(text)

    def press(self, name: str) -> None:
        """Touch a button."""
        self.tap(self.page.get_by_role("button", name=name, exact=True))

    def choose(self, question: str, answer: str) -> None:
        """Touch a radio button."""
        self.tap(self.page.get_by_role("group", name=question).get_by_label(answer, exact=True))


@pytest.mark.parametrize("script", [True, False])
def test_sixty_four_names_without_a_problem(browser: Browser, site: Served, script: bool) -> None:
    name = f"{'Quick' if script else 'Slow'} Open"
    with visiting(browser, site, "director", java_script_enabled=script, **PHONE) as director:
        # a game is chosen for the first report; for the next one it is assumed
        assert taps_of_a_report(director.page, f"{name} 1", "Backgammon") <= MOST_TAPS
        assert taps_of_a_report(director.page, f"{name} 2", "Continue") <= MOST_TAPS
        assert taps_of_a_report(director.page, f"{name} 3", "Continue", titled=False) <= MOST_TAPS


def taps_of_a_report(page: Page, name: str, first: str, *, titled: bool = True) -> int:
    """The taps from the empty desk to a report of sixty-four players that is submitted."""
    finger = Finger(page)
    page.goto("/director")
    lines = "\n".join(f"{rank}. {who}" for rank, who in enumerate(NAMES, 1))
    finger.type("Paste the result", f"{name}\n\n{lines}\n" if titled else lines)
    finger.press(first)
    expect(page.get_by_role("list", name="Steps")).to_contain_text("64 lines read")
    assert fits(page)
    if titled:
        expect(page.get_by_label("What is the tournament called?")).to_have_value(name)
        finger.type("What was its last day?", "2011-05-29")
    else:  # the last Sunday is assumed
        finger.type("What is the tournament called?", name)
        day = page.get_by_label("What was its last day?").input_value()
        assert date.fromisoformat(day).isoweekday() == SUNDAY
    finger.type("How many players entered the main event?", "64")
    finger.choose("What kind of event was it?", "championship")
    finger.type("What was the entry fee, without registration?", "100")
    finger.press("Continue")
    given = page.get_by_role("region", name="What it would give")
    expect(given.first).to_contain_text("Tom Duggan")
    assert fits(page)
    finger.press("Submit")
    expect(page.get_by_role("main")).to_contain_text("waits for an officer")
    return finger.taps


@pytest.mark.parametrize("script", [True, False])
def test_what_was_typed_goes_along_with_every_step(
    browser: Browser, site: Served, script: bool
) -> None:
    with visiting(browser, site, "director", java_script_enabled=script, **PHONE) as director:
        page = director.page
        finger = Finger(page)
        page.goto("/director")
        finger.type("Paste the result", "1. Tom Duggan (ENG)\n2. Nobody Known (HRV)\n")
        finger.press("Diplomacy")
        expect(page.get_by_label("What is the tournament called?")).to_be_focused()
        finger.type("What is the tournament called?", f"Steps {script}")
        finger.press("Check")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Steps {script}")
        finger.type("How many players entered the main event?", "20")
        finger.press("Back")
        finger.tap(page.get_by_role("link", name=f"Steps {script}"))
        entrants = page.get_by_label("How many players entered the main event?")
        expect(entrants).to_have_value("20")
        finger.type("How many rounds were played?", "3")
        finger.type("What was its last day?", "2011-05-29")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="What it would give")).to_be_visible()


def fits(page: Page) -> bool:
    """Whether nothing scrolls the page sideways."""
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width <= 390


def test_a_file_is_dropped_on_the_box(browser: Browser, site: Served, tmp_path: Path) -> None:
    file = tmp_path / "result.csv"
    file.write_text("Place,Name,Country\n1,Tom Duggan,ENG\n2,Damjan Plesec,SLO\n")
    with visiting(browser, site, "director") as director:
        page = director.page
        page.goto("/director")
        box = page.get_by_label("Paste the result").bounding_box()
        assert box
        at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
        devtools = page.context.new_cdp_session(page)
        for kind in ("dragEnter", "dragOver", "drop"):
            devtools.send("Input.dispatchDragEvent", {"type": kind, "data": data, **at})
        page.get_by_role("button", name="Backgammon").click()
        expect(page.get_by_role("list", name="Steps")).to_contain_text("2 lines read")
