"""
The pictures of the site in docs/images: ``python -m docs.pictures``.

Each is a page of the demonstration, taken by Chromium in light colours, as wide as on a laptop and
on a phone. Take them again when a page that they show looks different.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import FLAGS, chromium
from tests.browser.sites import Served, served
from tests.browser.visits import visiting

PLACE = Path(__file__).parent / "images"
WIDTHS = {"": 1280, "-phone": 390}


@dataclass(frozen=True, slots=True)
class Picture:
    """A page, from its top or from a heading, with some of it opened."""

    name: str
    address: str
    role: str | None = None
    start: str | None = None  # the heading at the top; none: the top of the page
    opened: str | None = None  # the part of a line that is clicked
    height: int = 800
    widths: tuple[str, ...] = tuple(WIDTHS)  # by their suffixes


PICTURES = (
    Picture("list", "/rankings/wbgf/2005-12-31"),
    Picture("player", "/players/P20/wbgf/2005-12-31", start="Results", opened="26th Chicago Open"),
    Picture("director", "/director/submissions/1", role="director"),
    Picture("officer", "/officer/submissions/1", role="officer"),
    Picture("event-desk", "/director/live/club-night", role="director", widths=("-phone",)),
    Picture("event-live", "/live/club-night", height=900, widths=("-phone",)),
)


def take(browser: Browser, site: Served, pictures: Sequence[Picture], place: Path) -> list[Path]:
    """Take pictures into a folder.

    Args:
        browser: Chromium.
        site: the demonstration.
        pictures: which.
        place: an existing folder.

    Returns:
        Their files.
    """
    taken = []
    for picture in pictures:
        for suffix in picture.widths:
            size = {"width": WIDTHS[suffix], "height": picture.height}
            with visiting(browser, site, picture.role, viewport=size, locale="en-GB") as visit:
                page = visit.page
                page.goto(picture.address, wait_until="networkidle")
                if picture.opened:
                    page.locator("summary", has_text=picture.opened).first.click()
                if picture.start:
                    heading = page.get_by_role("heading", name=picture.start, exact=True)
                    heading.evaluate("(one) => scrollTo(0, one.offsetTop - 16)")
                taken.append(place / f"{picture.name}{suffix}.png")
                page.locator(".htmx-request").first.wait_for(state="detached")
                # to hide the caret, a style would be put on a field that is just being replaced
                page.screenshot(path=taken[-1], animations="disabled", caret="initial")
    return taken


def main() -> None:
    """Take every picture."""
    PLACE.mkdir(exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        served(Path(folder)) as site,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
        for path in take(browser, site, PICTURES, PLACE):
            print(f"{path.name}: {path.stat().st_size // 1000} kB")
        browser.close()


if __name__ == "__main__":
    main()
