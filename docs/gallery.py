"""
Pages of the demonstration as pictures, to be looked at: ``python -m docs.gallery FOLDER``.

Each page is taken at two widths, in light and in dark colours; ``index.html`` in the folder shows
them all. Pages are named by their routes, so that another face of a page changes nothing here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
from playwright.sync_api import Browser, sync_playwright

import palmares.web.routes  # noqa: F401  fills the addresses
from palmares.cli.demo import season
from palmares.cli.demo.tour import examples
from palmares.journal.store.journal import Journal
from palmares.web.http.routing import to
from tests.browser.conftest import FLAGS, chromium
from tests.browser.sites import Served, served
from tests.browser.visits import visiting

WIDTHS = (390, 1280)
THEMES = ("light", "dark")
TALLEST = 4000
"""Pixels of a page that are taken."""
REGULATION = "wbgf"

PAGES: Mapping[str, tuple[str | None, Callable[[Mapping[str, str]], str]]] = {
    "front": (None, lambda _: to.front()),
    "ranking": (None, lambda _: to.ranking(REGULATION)),
    "ranking-usbgf": (None, lambda _: to.ranking("usbgf")),
    "nation-list": (None, lambda _: to.nation_list(REGULATION)),
    "list-changes": (None, lambda _: to.list_changes(REGULATION)),
    "printed-list": (None, lambda _: to.printed_list(REGULATION)),
    "totals": (None, lambda _: to.totals("usbgf")),
    "search": (None, lambda _: to.search(search="open")),
    "players": (None, lambda _: to.players()),
    "player-list": (None, lambda it: to.player_list(it["player"], REGULATION)),
    "without-points": (None, lambda it: to.player_unawarded(it["player"], "usbgf")),
    "nation": (None, lambda it: to.nation(it["nation"])),
    "tournaments": (None, lambda _: to.tournaments()),
    "tournament": (None, lambda it: to.tournament(it["tournament"])),
    "bracket": (None, lambda it: to.tournament(it["bracket"])),
    "published": (None, lambda _: to.published()),
    "publication": (None, lambda it: to.publication(it["publication"])),
    "publication-check": (None, lambda it: to.publication_verification(it["publication"])),
    "races": (None, lambda _: to.races()),
    "race": (None, lambda it: to.race(it["race"])),
    "levels": (None, lambda _: to.levels("usbgf")),
    "fund": (None, lambda _: to.fund()),
    "draws": (None, lambda _: to.draws()),
    "draw": (None, lambda it: to.draw(it["draw"])),
    "notices": (None, lambda _: to.notices()),
    "notice": (None, lambda it: to.notice(it["notice"])),
    "live-events": (None, lambda _: to.live_events()),
    "live-event": (None, lambda it: to.live_event(it["live"])),
    "regulations": (None, lambda _: to.regulations()),
    "regulation": (None, lambda _: to.regulation(REGULATION)),
    "editions": (None, lambda _: to.compare_editions("usbgf")),
    "calculators": (None, lambda _: to.calculators()),
    "calculator": (None, lambda _: to.calculator("performance")),
    "victory-points": (None, lambda _: to.calculator("victory-points")),
    "bridge": (None, lambda _: to.bridge()),
    "event": (None, lambda it: to.event(it["event"])),
    "glossary": (None, lambda _: to.glossary()),
    "api": (None, lambda _: to.guide()),
    "sign-in": (None, lambda _: to.sign_in()),
    "problem": (None, lambda _: to.player("nobody")),
    "account": ("director", lambda _: to.account()),
    "draw-desk": ("director", lambda _: to.draw_desk()),
    "director": ("director", lambda _: to.director()),
    "submission": ("director", lambda _: to.submission("2")),
    "live-desks": ("director", lambda _: to.live_desks()),
    "live-desk": ("director", lambda it: to.live_desk(it["live"])),
    "live-change": ("director", lambda it: to.live_change(it["live"], match=it["match"])),
    "notice-desk": ("officer", lambda _: to.notice_desk()),
    "officer": ("officer", lambda _: to.officer()),
    "queued-report": ("officer", lambda _: to.queued_report("2")),
    "decision": ("officer", lambda _: to.decision("merge")),
    "duplicates": ("officer", lambda _: to.duplicates()),
    "edit-value": (
        "officer",
        lambda it: to.decision(
            "override",
            tournament=it["tournament"],
            table="tournaments",
            row=f"tournament_id = {it['tournament']}",
            column="end_date",
        ),
    ),
    "tournament-officer": ("officer", lambda it: to.tournament(it["tournament"])),
    "publish": ("officer", lambda _: to.decision("publish")),
    "log": ("officer", lambda _: to.log()),
    "entry": ("officer", lambda it: to.entry(it["publication"])),
    "notes": ("officer", lambda _: to.notes()),
    "administrator": ("administrator", lambda _: to.administrator()),
    "federation": ("administrator", lambda _: to.federation_face()),
}
"""By name: who sees it (none: a visitor), and its address, from what the demonstration holds."""


def demonstration(journal: Journal) -> Mapping[str, bytes]:
    """Fill a journal with all of the demonstration, up to today."""
    clock, today = season.Clock(), datetime.now(UTC).date()
    season.record_all(Journal(journal.database, clock), examples(), clock, today)
    return season.waiting_reports(today)


def held(root: str) -> dict[str, str]:
    """What pages are about: the leader of a list, the latest tournament, the latest list, ..."""

    def first(address: str) -> Any:
        return client.get(address).raise_for_status().json()["items"][0]

    with httpx.Client(base_url=root, timeout=60) as client:
        leader = first(to.api_ranking(REGULATION))
        live = first(to.api_live_events())["event"]
        flights = client.get(to.api_live_event(live)).raise_for_status().json()["flights"]
        return {
            "player": leader["player_id"],
            "nation": leader["nation"],
            "tournament": first(to.api_tournaments())["tournament_id"],
            "bracket": first(to.api_tournaments(search="Fireside"))["tournament_id"],
            "publication": str(first(to.api_publications())["entry"]),
            "draw": str(first(to.api_draws())["entry"]),
            "event": first(to.api_bridge_events())["event_id"],
            "race": first(to.api_races())["race"],
            "notice": first(to.api_notices())["notice"]["event"],
            "live": live,
            "match": flights[0]["rounds"][0][1]["id"],
        }


def take(browser: Browser, site: Served, names: Sequence[str], place: Path) -> None:
    """Take pictures of pages into a folder.

    Args:
        browser: Chromium.
        site: the demonstration.
        names: of pages.
        place: an existing folder.
    """
    about = held(site.root)
    for theme in THEMES:
        for width in WIDTHS:
            size = {"width": width, "height": 800}
            for role in dict.fromkeys(PAGES[name][0] for name in names):
                with visiting(
                    browser, site, role, viewport=size, color_scheme=theme, locale="en-GB"
                ) as visit:
                    for name in (one for one in names if PAGES[one][0] == role):
                        visit.page.goto(PAGES[name][1](about), wait_until="networkidle")
                        height = visit.page.evaluate("document.documentElement.scrollHeight")
                        visit.page.screenshot(
                            path=place / f"{name}-{width}-{theme}.png",
                            full_page=True,
                            clip={"x": 0, "y": 0, "width": width, "height": min(height, TALLEST)},
                            animations="disabled",
                            caret="initial",
                        )
                    visit.troubles[:] = [one for one in visit.troubles if "404" not in one]


def index(names: Sequence[str]) -> str:
    """A page that shows all pictures, a line for each page of the site."""
    lines = [
        f"<h2>{escape(name)}</h2>\n"
        + "\n".join(
            f'<a href="{name}-{width}-{theme}.png"><img src="{name}-{width}-{theme}.png"'
            f' alt="{name}, {width} px, {theme}" width="{width // 3}"></a>'
            for theme in THEMES
            for width in WIDTHS
        )
        for name in names
    ]
    return '<!doctype html>\n<meta charset="utf-8">\n<title>Pages</title>\n' + "\n".join(lines)


def main() -> None:
    """Take pictures of every page, or of those that are named, into the folder that is named."""
    if not sys.argv[1:] or any(word.startswith("-") for word in sys.argv[1:]):  # no option is known
        sys.exit(
            "Say the folder: python -m docs.gallery FOLDER [PAGE ...]\n"
            f"There are these pages: {', '.join(PAGES)}."
        )
    place, names = Path(sys.argv[1]), sys.argv[2:] or list(PAGES)
    if unknown := [name for name in names if name not in PAGES]:
        sys.exit(f"There is no page {unknown[0]}. There are: {', '.join(PAGES)}.")
    place.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        served(Path(folder), demonstration) as site,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        take(browser, site, names, place)
        browser.close()
    (place / "index.html").write_text(index(names), encoding="utf-8")
    print(f"{len(names) * len(WIDTHS) * len(THEMES)} pictures: {place / 'index.html'}")


if __name__ == "__main__":
    main()
