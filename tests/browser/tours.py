"""
Every page of the site, and how somebody comes to it.

    VISITS      pages that an address shows, by who sees them
    TOURS       pages that something has to be done for
    Tour        a function that stops at each page, and says which it is
    seen        the classes of all pages that are come to
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

import pyotp
from playwright.sync_api import Page

from palmares.cli.demo import season
from palmares.web.accounts.routes import (
    AccountPage,
    AdministratorPage,
    FormPage,
    SetUpPage,
    SignInPage,
    WelcomePage,
)
from palmares.web.api.description import GuidePage
from palmares.web.bridge.views import BridgeEventPage, BridgeEvents
from palmares.web.calculators.views import CalculatedPoints, Calculators, VictoryPoints
from palmares.web.director.routes import DirectorPage
from palmares.web.federation.views import FederationPage
from palmares.web.fund.views import FundPage, FundTournamentPage
from palmares.web.http.errors import ProblemDocument
from palmares.web.officer.decisions import DECISIONS
from palmares.web.officer.recording import Entries, JournalEntry
from palmares.web.officer.routes import MistakePage
from palmares.web.officer.views import (
    CellsPage,
    DecisionPage,
    DuplicatesPage,
    OfficerPage,
    WaitingPage,
)
from palmares.web.players.corrections import PlayerCorrections
from palmares.web.players.search import PlayersList, SearchPage
from palmares.web.players.views import AwardPage, CurvePage, PlayerListPage, UnawardedPage
from palmares.web.publications.views import PublicationList, Publications, PublicationVerification
from palmares.web.rankings.changes import ChangedList, PrintedForm
from palmares.web.rankings.front import FrontPage
from palmares.web.rankings.nations import NationPage
from palmares.web.rankings.views import NationsList, RankingList, TotalsList
from palmares.web.recognition.views import LevelsPage, RacePage, Races
from palmares.web.regulations.glossary import GlossaryPage
from palmares.web.regulations.views import EditionsPage, RegulationPage, RegulationsPage
from palmares.web.submissions.report_page import SubmissionPage
from palmares.web.tournaments.draws import AnnouncementForm, DrawPage, Draws, RevealPage
from palmares.web.tournaments.live import LiveEvent, LiveEvents
from palmares.web.tournaments.live_desk import ChangePage, DirectorEventPage, StartPage
from palmares.web.tournaments.notices import NoticeFormPage, NoticePage, Notices
from palmares.web.tournaments.views import TournamentPage, TournamentsList
from tests.browser.sites import GOOD, Served

Tour = Callable[[Page, Served], Iterator[type]]

OPEN: tuple[tuple[type, str], ...] = (
    (FrontPage, "/"),
    (RankingList, "/rankings/wbgf/2011-05-31"),
    (RankingList, "/rankings/dptr/2018-12-31?page=2"),
    (RankingList, "/rankings/wbgf/1999-12-31"),
    (RankingList, "/rankings/wbgf/2011-05-31?open=P42"),
    (ChangedList, "/rankings/wbgf/2005-12-31/changes?since=2005-09-30"),
    (PrintedForm, "/rankings/wbgf/2011-05-31/printed"),
    (NationsList, "/rankings/wbgf/2011-05-31/nations"),
    (TotalsList, "/rankings/usbgf/2019-12-31/totals"),
    (NationPage, "/nations/BIH"),
    (NationPage, "/nations/CAN?known_at=2999-12-31"),
    (FundPage, "/fund?days=2"),
    (FundTournamentPage, "/fund/open/2019"),
    (Draws, "/draws"),
    (DrawPage, "/draws/169"),
    (Races, "/races"),
    (RacePage, "/races/points-2019?as_of=2019-12-31"),
    (LevelsPage, "/levels/usbgf"),
    (Notices, "/notices"),
    (NoticePage, "/notices/riga-open-2027"),
    (LiveEvents, "/live"),
    (LiveEvent, "/live/club-night"),
    (GlossaryPage, "/glossary"),
    (GuidePage, "/api"),
    (UnawardedPage, "/players/P20/usbgf/without-points"),
    (MistakePage, "/mistakes?about=/players/P20"),
    (CurvePage, "/players/P20/wbgf/2005-12-31/curve"),
    (PlayerCorrections, "/players/P20/wbgf/corrections"),
    (PlayersList, "/players"),
    (PlayersList, "/players?search=an"),
    (SearchPage, "/search?search=open"),
    (TournamentsList, "/tournaments"),
    (TournamentPage, "/tournaments/26th-chicago-open-2005-05-30"),
    (TournamentPage, "/tournaments/usbgf-advanced-divisional-lxxv-2019-11-24"),
    (Publications, "/published"),
    (ProblemDocument, "/nowhere"),
    (SignInPage, "/sign-in"),
    (RegulationsPage, "/regulations"),
    (RegulationPage, "/regulations/wbgf"),
    (RegulationPage, "/regulations/wbf-vp"),
    (EditionsPage, "/regulations/usbgf/compare"),
    (BridgeEvents, "/bridge"),
    (BridgeEventPage, "/events/water-birds-league-2024-03-05/open-teams"),
    (Calculators, "/calculators"),
    (CalculatedPoints, "/calculators/performance"),
    (CalculatedPoints, "/calculators/performance?entry_fee=100&entrants=64&place=3"),
    (CalculatedPoints, "/calculators/master-points"),
    (CalculatedPoints, "/calculators/percentile"),
    (VictoryPoints, "/calculators/victory-points?boards=16&margin=7"),
)  # fmt: skip
"""What anyone sees."""

VISITS: Mapping[str | None, tuple[tuple[type, str], ...]] = {
    None: OPEN,
    "director": (
        (DirectorPage, "/director"),
        (AnnouncementForm, "/desk/draws"),
        (RevealPage, "/desk/draws/169"),
        (NoticeFormPage, "/desk/notices?event=riga-open-2027"),
        (StartPage, "/director/live"),
        (DirectorEventPage, "/director/live/club-night"),
        (ChangePage, "/director/live/club-night/change?match=main:1:2"),
        (AccountPage, "/account"),
        (FrontPage, "/"),
    ),
    "officer": (
        (OfficerPage, "/officer"),
        (Entries, "/officer/log"),
        (Entries, "/officer/log?kind=rate"),
        (JournalEntry, "/officer/log/1"),
        (JournalEntry, "/officer/log/140"),
        (DuplicatesPage, "/officer/players"),
        (CellsPage, "/officer/reports/26th-chicago-open-2005-05-30"),
        *((DecisionPage, f"/officer/decisions/{name}") for name in DECISIONS),
        (AccountPage, "/account"),
        (TournamentPage, "/tournaments/26th-chicago-open-2005-05-30"),
    ),
    "administrator": (
        (AdministratorPage, "/administrator"),
        (FederationPage, "/administrator/federation"),
        (AccountPage, "/account"),
    ),
}
"""Pages that an address shows, by who sees them."""

TOML = """\
[tournament]
name = "Brno Open"
discipline = "backgammon"
end_date = 2011-05-29

[[event]]
name = "Main"
kind = "championship"
entry_fee = 100

[event.main]
entrants = 4
placings = \"\"\"
1 Hakija Zolic (BiH)
2 Damjan Plesek (SLO)
3-4 Ada Novak (CZE)
3-4 Ben Olsen (DEN)
\"\"\"
"""


def results(page: Page, site: Served) -> Iterator[type]:
    """From a list to a player, with a result opened, and how it came about."""
    page.goto("/rankings/wbgf/2011-05-31")
    page.get_by_role("link", name="Tom Duggan", exact=True).click()
    page.locator(".results summary").first.click()
    page.locator(".explained .working").first.wait_for()
    yield PlayerListPage
    page.goto(page.locator("details[hx-get]").first.get_attribute("hx-get") or "")
    yield AwardPage
    page.get_by_role("link", name="All results of the player").click()
    page.goto("/rankings/dptr/2018-12-31")
    page.get_by_role("link", name="Tom KOBRIN", exact=True).click()
    page.get_by_text("The same as a table").click()
    yield PlayerListPage


def announced(page: Page, site: Served) -> Iterator[type]:
    """A list that was published, and made once more."""
    page.goto("/published")
    page.get_by_role("rowheader").get_by_role("link").last.click()
    yield PublicationList
    page.goto(f"{page.url}/verification")
    yield PublicationVerification


def codes_asked(page: Page, site: Served) -> Iterator[type]:
    """An officer signs in, half way."""
    page.goto("/sign-in")
    page.get_by_label("Name").fill(season.PEOPLE["officer"])
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    yield SignInPage
    page.get_by_label("Password").fill(GOOD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_label("six digits").wait_for()
    yield FormPage


def handed_in(page: Page, site: Served) -> Iterator[type]:
    """A director's report: wrong, right, changed elsewhere, submitted; a paste, and a form."""
    page.goto("/director")
    page.get_by_label("Paste the result").fill(TOML.replace("05-29", "05-32"))
    page.get_by_role("button", name="The result says it").click()
    page.get_by_role("heading", name="1 problem").wait_for()
    yield SubmissionPage
    address = page.url
    page.get_by_label("Text").fill(TOML)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Who is this?").wait_for()
    yield SubmissionPage
    page.goto(f"{address}?step=check")
    other = page.context.new_page()
    other.goto(f"{address}?step=check")
    _edited(page, TOML.replace("Ben", "Bert"))
    page.get_by_role("heading", name="Who is this?").wait_for()
    page.close()
    page = other
    _edited(page, TOML)
    page.get_by_text("This report was changed elsewhere").wait_for()
    yield SubmissionPage
    page.goto(address)
    page.get_by_role("radio").first.check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="What it would give").wait_for()
    yield SubmissionPage
    page.get_by_role("button", name="Submit").click()
    page.get_by_text("waits for an officer").wait_for()
    yield SubmissionPage
    page.goto("/director")
    page.get_by_label("Paste the result").fill("Brno Open\n\n1. Hakija Zolic (BiH)\n2 Somebody\n")
    page.get_by_role("button", name="The result says it").click()
    page.get_by_label("How many players entered the main event?").wait_for()
    yield SubmissionPage
    page.goto("/director")
    page.get_by_role("button", name="Fill in a form instead").click()
    page.get_by_role("heading", name="The report").wait_for()
    yield SubmissionPage


def _edited(page: Page, text: str) -> None:
    """Another text of a report whose text is right and so is folded in."""
    page.get_by_text("Edit what you pasted").click()
    page.get_by_label("Text").fill(text)
    page.get_by_role("button", name="Continue").click()


def waiting(page: Page, site: Served) -> Iterator[type]:
    """A report in the inbox."""
    page.goto("/officer")
    page.get_by_role("link", name="7th Merit Open").click()
    page.get_by_role("heading", name="What it will move").wait_for()
    yield WaitingPage


def decided(page: Page, site: Served) -> Iterator[type]:
    """Decisions, as they are shown before they are recorded."""
    page.goto("/officer/decisions/withdraw?tournament=dubrovnik-open-2011-2011-05-15")
    page.get_by_label("Reason").fill("not sanctioned")
    yield from _previewed(page)
    page.goto("/officer/decisions/publish")
    page.get_by_label("Regulation").select_option("dptr")
    page.get_by_label("As of").fill("2018-12-31")
    yield from _previewed(page)
    page.goto("/officer/decisions/rate")
    page.get_by_label("Currency").fill("XYZ")
    page.get_by_label("Day").fill("2018-12-31")
    page.get_by_label("Euro per unit").fill("-1")
    page.get_by_role("button", name="See what it would do").click()
    page.locator(".message, .error").first.wait_for()
    yield DecisionPage


def _previewed(page: Page) -> Iterator[type]:
    page.get_by_role("button", name="See what it would do").click()
    page.get_by_role("button", name="Record this").wait_for()
    yield DecisionPage


def invited(page: Page, site: Served) -> Iterator[type]:
    """An officer is invited, chooses a password and sets up codes."""
    page.goto("/administrator")
    page.get_by_label("Name").fill("Nora Neu")
    page.get_by_label("Role").last.select_option("officer")
    page.get_by_role("button", name="Invite").click()
    link = page.get_by_text(re.compile(r"/welcome/\S+")).first
    link.wait_for()
    yield AdministratorPage
    found = re.search(r"/welcome/\S+", link.inner_text())
    assert found is not None
    page.get_by_role("button", name="Sign out").click()
    site.signed_in.clear()
    page.goto(found[0])
    yield WelcomePage
    for field in page.locator("input[type=password]").all():
        field.fill(GOOD)
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("heading", name="Set up one-time codes").wait_for()
    yield SetUpPage
    seed = "".join(page.locator(".secret").first.inner_text().split())
    page.get_by_label("Code", exact=True).fill(pyotp.TOTP(seed).now())
    page.get_by_role("button", name="Set up and sign in").click()
    page.get_by_role("button", name="Sign out").wait_for()


TOURS: tuple[tuple[str | None, Tour, tuple[type, ...]], ...] = (
    (None, results, (PlayerListPage, AwardPage)),
    (None, announced, (PublicationList, PublicationVerification)),
    (None, codes_asked, (SignInPage, FormPage)),
    ("director", handed_in, (SubmissionPage,)),
    ("officer", waiting, (WaitingPage,)),
    ("officer", decided, (DecisionPage,)),
    ("administrator", invited, (AdministratorPage, WelcomePage, SetUpPage)),
)
"""Pages that something has to be done for: who does it, how, and which are come to."""


def seen() -> set[type]:
    """The classes of all pages that are come to."""
    listed = {one for visits in VISITS.values() for one, _ in visits}
    return listed | {one for _, _, pages in TOURS for one in pages}
