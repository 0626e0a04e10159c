"""
From a page to a response: HTML or JSON at the same address, kept until the journal grows.

    answered    a request and what makes its page  ->  a response
    answered_at the same of what was known at a day, a moment or an entry
    shown       a page for one person alone  ->  a response that nobody keeps
    finished    bytes  ->  what is kept of them
    handed_out  what is kept  ->  a response; 304 for whoever has it already
    made_once   what takes long to make: kept, or made one after another
    redirected  the answer that leads to another page of ours
    moved       the answer that leads to another address
    TEMPLATES   the template of every page, by its class
    rendered    a page  ->  HTML
    Reader      who reads a page, the token of the forms on it, and where it is said otherwise

A page is a frozen dataclass. Its JSON is the dataclass itself; its HTML is its template. Which one
is sent is what the request accepts first; browsers get HTML.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.status_codes import (
    HTTP_200_OK,
    HTTP_303_SEE_OTHER,
    HTTP_304_NOT_MODIFIED,
    HTTP_308_PERMANENT_REDIRECT,
)
from litestar.types import Empty
from litestar.utils.scope.state import ScopeState
from markupsafe import Markup

from palmares.web.accounts import Account
from palmares.web.accounts.csrf import FIELD
from palmares.web.hall import Hall, Kept, Known
from palmares.web.languages import COOKIE, asking, offered
from palmares.web.messages import plain
from palmares.web.pages.administrator import AdministratorPage
from palmares.web.pages.bridge_event import BridgeEventPage, BridgePage
from palmares.web.pages.calculators import CalculatorPage, CalculatorsPage
from palmares.web.pages.editions import EditionsPage
from palmares.web.pages.explanation import AwardPage
from palmares.web.pages.finding import PlayersPage
from palmares.web.pages.front import FrontPage
from palmares.web.pages.guide import GuidePage
from palmares.web.pages.nation import NationPage
from palmares.web.pages.nation_course import NationCoursePage
from palmares.web.pages.nation_list import NationListPage
from palmares.web.pages.officer import (
    AlikePage,
    CellsPage,
    DecisionPage,
    EntryPage,
    LogPage,
    OfficerPage,
    VerifiedPage,
)
from palmares.web.pages.officer_queue import QueuePage, WaitingPage
from palmares.web.pages.player import PlayerListPage, PlayerPage
from palmares.web.pages.problem import ProblemPage
from palmares.web.pages.publications import ProofPage, PublicationPage, PublishedPage
from palmares.web.pages.ranking import RankingPage
from palmares.web.pages.regulation import RegulationPage, RegulationsPage
from palmares.web.pages.sign_in import (
    AccountPage,
    CodePage,
    RecoveryPage,
    SetUpPage,
    SignInPage,
    WelcomePage,
)
from palmares.web.pages.submission import DirectorPage, StalePage, SubmissionPage
from palmares.web.pages.totals import TotalsPage
from palmares.web.pages.tournament import TournamentPage
from palmares.web.pages.tournaments import TournamentsPage
from palmares.web.pages.vp_calculator import VpPage
from palmares.web.repeats import among, repeatable
from palmares.web.templating import ENVIRONMENT
from palmares.web.wording import chosen, wording

HTML, JSON = "text/html", "application/json"
_TWIN = "as=json"
"""What is added to an address where it is to be JSON, and a browser asks."""

TEMPLATES: Mapping[type, str] = {
    FrontPage: "front.html",
    RankingPage: "ranking.html",
    NationListPage: "nation_list.html",
    TotalsPage: "totals.html",
    NationPage: "nation.html",
    NationCoursePage: "nation_course.html",
    PlayersPage: "players.html",
    PlayerPage: "player.html",
    PlayerListPage: "player_list.html",
    AwardPage: "award.html",
    TournamentsPage: "tournaments.html",
    TournamentPage: "tournament.html",
    PublishedPage: "published.html",
    PublicationPage: "publication.html",
    ProofPage: "proof.html",
    ProblemPage: "problem.html",
    SignInPage: "sign_in.html",
    CodePage: "code.html",
    SetUpPage: "set_up.html",
    RecoveryPage: "recovery.html",
    WelcomePage: "welcome.html",
    AccountPage: "account.html",
    AdministratorPage: "administrator.html",
    DirectorPage: "director.html",
    SubmissionPage: "submission.html",
    StalePage: "stale.html",
    OfficerPage: "officer.html",
    DecisionPage: "officer_decision.html",
    LogPage: "officer_log.html",
    EntryPage: "officer_entry.html",
    VerifiedPage: "officer_verified.html",
    AlikePage: "officer_alike.html",
    CellsPage: "officer_cells.html",
    QueuePage: "officer_queue.html",
    WaitingPage: "officer_waiting.html",
    RegulationsPage: "regulations.html",
    RegulationPage: "regulation.html",
    EditionsPage: "editions.html",
    BridgePage: "bridge.html",
    BridgeEventPage: "bridge_event.html",
    CalculatorsPage: "calculators.html",
    CalculatorPage: "calculator.html",
    VpPage: "vp_calculator.html",
    GuidePage: "guide.html",
}
"""Every page, and its template."""

Visit = Request[Any, Any, Any]
Build = Callable[[Known], Any]


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a page, the token of its forms, and its addresses: in each language, as JSON."""

    account: Account | None = None
    token: str = ""
    languages: Mapping[str, str] = field(default_factory=offered)
    twin: str = ""  # where the page is JSON; empty: it is none of an address

    def csrf_input(self) -> Markup:
        """What every form has that writes."""
        return Markup('<input type="hidden" name="{}" value="{}">').format(FIELD, self.token)


async def answered(request: Visit, build: Build, *, heavy: bool = False) -> Response[bytes]:
    """The page of a request: from what was kept, or made now; always now for the signed-in.

    Args:
        request: whose answer it is.
        build: what makes the page from what is known.
        heavy: long work, which is done one after another; what is kept need not wait for it.
    """
    hall: Hall = request.app.state.hall
    known = await hall.now()
    if request.scope["user"] is not None:
        turn = hall.signed_in.long if heavy else hall.signed_in.page
        return await shown(request, await turn(build, known))
    day = hall.today()
    repeatable(request.scope, known, day)
    kind, language = negotiated(request), spoken(request)
    path = request.scope["raw_path"]  # as it was sent: an id may hold a slash, as %2F
    key = (known.head.hash, day, path, request.url.query, kind, language)
    twin = _twin(request)
    anyone = Reader(languages=_languages(request), twin=twin)

    def make() -> Kept:
        return finished(_told(build(known), kind, language, anyone), kind)

    kept = hall.kept(key)
    if kept is None and heavy:
        kept = await made_once(hall, key, make)
    elif kept is None:
        kept = await hall.visitors.page(make)
        hall.keep(key, kept)
    headers = {"Vary": "Accept, Accept-Language, Cookie"}
    if kind == HTML:
        headers["Link"] = f'<{twin}>; rel="alternate"; type="{JSON}"'
    return handed_out(request, kept, headers)


async def answered_at(request: Visit, known_at: str, build: Build) -> Response[bytes]:
    """The same of what was known then, one at a time; of what is known now if nothing is said."""
    hall: Hall = request.app.state.hall
    if not known_at:
        return await answered(request, build)
    return await answered(request, lambda now: build(hall.at(now, known_at)), heavy=True)


# ── bytes that are kept ──────────────────────────────────────────────────────────────────────────


def finished(content: bytes, media_type: str) -> Kept:
    """What is kept of an answer: its bytes with their tag."""
    return Kept(content, media_type, f'"{sha256(content).hexdigest()[:32]}"')


async def made_once(hall: Hall, key: Any, make: Callable[[], Kept]) -> Kept:
    """What takes long to make: kept, or made one after another, and once where many ask."""

    def made() -> Kept:
        page = hall.kept(key)  # by whoever was before us in the line
        if page is None:
            page = make()
            hall.keep(key, page)
        return page

    found = hall.kept(key)
    return found if found is not None else await hall.visitors.long(made)


def handed_out(request: Visit, page: Kept, headers: Mapping[str, str]) -> Response[Any]:
    """What is kept as a response; 304 for whoever has it already."""
    headers = {"ETag": page.etag, "Cache-Control": "no-cache", **headers}
    tags = request.headers.get("if-none-match", "").encode("latin-1", "replace")
    if among(page.etag.encode(), tags):
        return Response(b"", status_code=HTTP_304_NOT_MODIFIED, headers=headers)
    return Response(page.content, media_type=page.media_type, headers=headers)


def redirected(address: str) -> Response[bytes]:
    """The answer that leads to another page of ours, after a form."""
    headers = {"Location": address, "Cache-Control": "no-store"}
    return Response(b"", status_code=HTTP_303_SEE_OTHER, headers=headers)


def moved(address: str) -> Response[bytes]:
    """The answer that leads to another address; asked for anew each time: a merge can be undone."""
    headers = {"Location": address, "Cache-Control": "no-cache"}
    return Response(b"", status_code=HTTP_308_PERMANENT_REDIRECT, headers=headers)


# ── pages ────────────────────────────────────────────────────────────────────────────────────────


async def shown(
    request: Visit,
    page: Any,
    *,
    status_code: int = HTTP_200_OK,
    headers: Mapping[str, str] | None = None,
) -> Response[bytes]:
    """A page for one person alone: whoever is signed in, or fills in a form. Nobody keeps it."""
    hall: Hall = request.app.state.hall
    turns = hall.visitors if request.scope["user"] is None else hall.signed_in
    kind = negotiated(request)
    content = await turns.page(_told, page, kind, spoken(request), reader(request))
    return Response(
        content,
        media_type=kind,
        status_code=status_code,
        headers={"Cache-Control": "no-store", "Vary": "Accept, Accept-Language, Cookie"}
        | dict(headers or {}),
    )


def reader(request: Visit) -> Reader:
    """Who reads, with the token for the forms on the page."""
    token = ScopeState.from_scope(request.scope).csrf_token
    return Reader(
        request.scope.get("user"),
        "" if token is Empty else str(token),
        _languages(request),
        _twin(request),
    )


def _languages(request: Visit) -> Mapping[str, str]:
    """Where this page is said in each language; the front page, where it answers a form."""
    return offered(request.scope if request.method == "GET" else None)


def _twin(request: Visit) -> str:
    """Where this page is JSON for whoever cannot say what he accepts; nowhere, for a form."""
    return asking(request.scope, _TWIN) if request.method == "GET" else ""


def spoken(request: Visit) -> str:
    """The language of a request."""
    return chosen(request.headers.get("accept-language", ""), request.cookies.get(COOKIE))


def negotiated(request: Visit) -> str:
    """HTML or JSON: as an address says, or what the request accepts first."""
    if _TWIN in request.url.query.split("&"):
        return JSON
    if request.headers.get("accept", "").startswith(HTML):
        return HTML
    return JSON if preferred(request, HTML, JSON) == JSON else HTML


def preferred(request: Visit, *kinds: str) -> str:
    """The first kind that a request likes best; the first of all if it does not say."""
    try:
        return request.accept.best_match(list(kinds), default=kinds[0])
    except (ValueError, OverflowError):  # a weight such as 1e999
        return kinds[0]


def _told(page: Any, kind: str, language: str, who: Reader) -> bytes:
    return (
        msgspec.json.encode(page, enc_hook=plain) if kind == JSON else rendered(page, language, who)
    )


def rendered(page: Any, language: str, who: Reader) -> bytes:
    """A page as HTML."""
    said = wording(language)
    template = ENVIRONMENT.get_template(TEMPLATES[type(page)])
    return template.render(
        page=page,
        language=language,
        person=who.account,
        csrf_input=who.csrf_input,
        spoken=who.languages,
        twin=who.twin,
        _=said.text,
        ngettext=said.texts,
        pgettext=said.text_of,
        points=said.points,
        number=said.number,
        day=said.day,
        country=said.country,
        when=said.when,
        dated=said.dated,
        moment=said.moment,
        figures=said.figures,
    ).encode()
