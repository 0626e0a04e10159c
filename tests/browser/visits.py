"""
Somebody who looks at a site with a browser.

    visiting    a page of somebody's; at the end nothing has gone wrong on it
    Visit       the page, and what went wrong so far
    sign_in     fill in the forms, with a code where one is asked for

What goes wrong: an error in the console, an exception of a script, something that the content
security policy forbids, a request to anybody else.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyotp
from playwright.sync_api import Browser, BrowserContext, Page

from palmares.cli.demo import season
from tests.browser.sites import GOOD, Served

VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`forbidden: ${event.effectiveDirective} ${event.blockedURI} in`
    + ` ${event.target.outerHTML?.slice(0, 200)} by ${event.sourceFile}:${event.lineNumber}`));
"""


@dataclass(frozen=True, slots=True)
class Visit:
    """A page, and what went wrong on it so far."""

    page: Page
    troubles: list[str]

    def forgiven(self, *words: str) -> None:
        """What went wrong is what had to go wrong."""
        unlike = [one for one in self.troubles if not any(word in one for word in words)]
        assert self.troubles
        assert unlike == []
        self.troubles.clear()


@contextmanager
def visiting(
    browser: Browser, site: Served, role: str | None = None, **how: Any
) -> Iterator[Visit]:
    """A page of a visitor, or of somebody in a role; afterwards nothing has gone wrong on it.

    Args:
        browser: Chromium.
        site: the site.
        role: "director", "officer", "administrator"; none: a visitor.
        how: what Playwright's ``new_context`` takes.
    """
    if role is not None:
        how["storage_state"] = _entered(browser, site, role)
    context = browser.new_context(base_url=site.root, **how)
    try:
        visit = Visit(context.new_page(), _heard(context, site.root))
        yield visit
    finally:
        context.close()
    assert visit.troubles == [], visit.troubles


def _heard(context: BrowserContext, root: str) -> list[str]:
    """What goes wrong in a context, as it does."""
    troubles: list[str] = []

    def asked(url: str) -> None:
        if not url.startswith((root + "/", "data:", "blob:" + root)):
            troubles.append(f"asks {url}")

    context.add_init_script(VIOLATIONS)
    context.on("console", lambda said: troubles.append(f"{said.type}: {said.text}")
               if said.type in ("error", "warning") else None)  # fmt: skip
    context.on("weberror", lambda error: troubles.append(str(error.error)))
    context.on("request", lambda request: asked(request.url))
    return troubles


def _entered(browser: Browser, site: Served, role: str) -> Any:
    """The cookies of somebody who signed in once."""
    if role not in site.signed_in:
        with visiting(browser, site) as visit:
            sign_in(visit.page, site, role)
            site.signed_in[role] = visit.page.context.storage_state()
    return site.signed_in[role]


def sign_in(page: Page, site: Served, role: str) -> None:
    """Fill in the forms, with a code where one is asked for."""
    page.goto("/sign-in")
    page.get_by_label("Name").fill(season.PEOPLE[role])
    page.get_by_label("Password").fill(GOOD)
    page.get_by_role("button", name="Sign in").click()
    if role in site.seeds:
        page.get_by_label("six digits").fill(pyotp.TOTP(site.seeds[role]).now())
        page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Sign out").wait_for()
