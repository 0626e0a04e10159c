"""Routes to the front page and to lists: of players, nations and totals; as pages, files, API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Annotated, Any, Literal
from urllib.parse import quote

import msgspec
import polars as pl
from litestar import Response
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_422_UNPROCESSABLE_ENTITY

from palmares.core.messages import msg
from palmares.journal.store.journal import Journal
from palmares.points.awards import Question, count_waiting
from palmares.points.rankings import TOTAL
from palmares.render.pdf import cited
from palmares.web.http.bodies import RequestBody, Text, decode_body
from palmares.web.http.parameters import field
from palmares.web.http.replies import (
    PIN,
    answered,
    is_api,
    pinned_player,
    private_answer,
    redirected,
)
from palmares.web.http.routing import row_of, to
from palmares.web.http.state import Request, Snapshot
from palmares.web.rankings import changes, views
from palmares.web.rankings.changes import ChangedList, ChangesQuery, PrintedComparison
from palmares.web.rankings.front import front_page
from palmares.web.rankings.views import ListQuery, Lists, NationsList, RankingList, TotalsList
from palmares.web.shared.downloads import SavedList, sent
from palmares.web.shared.lists import (
    awarding,
    list_options,
    listable_day,
    parse_day,
    ranked_regulations,
)
from palmares.web.shared.parameters import (
    AsOf,
    KnownAt,
    ListedNation,
    PageOfList,
    RegulationName,
    RequestedRows,
    Search,
    answer_rows,
)

PRINTED = 512 * 2**10
"""The most bytes of a pasted printed list."""
View = Callable[[Journal, Snapshot, ListQuery, date, PageOfList], Any]
Rows = Callable[[Snapshot, ListQuery], pl.DataFrame]

Setting = Annotated[
    str | None,
    QueryParameter(
        description="Only results of this setting, where a regulation keeps them apart.",
        examples=[Example(value="live"), Example(value="online")],
    ),
]
Kind = Annotated[
    str,
    QueryParameter(
        description="Only points of this kind, such as `match` or `placement`; `total`: all.",
        examples=[Example(value=TOTAL)],
    ),
]

Since = Annotated[
    date | None,
    QueryParameter(
        description="The day of the other list. The list day before, if nothing is said of the"
        " other list; else the same day.",
        examples=[Example(value="2018-12-31")],
    ),
]
OtherEdition = Annotated[
    str,
    QueryParameter(
        description="The edition that the other list is made under. Each day's own, if it is not"
        " given.",
        max_length=100,
    ),
]
PublishedEntry = Annotated[
    int,
    QueryParameter(description="The entry of the journal that published the other list.", ge=0),
]


# ── the front page ───────────────────────────────────────────────────────────────────────────────


_YEAR = 365 * 24 * 60 * 60


async def front(request: Request, regulation: FromQuery[str] = "") -> Response[bytes]:
    """The front page: of one regulation, with the player whom the visitor has pinned."""
    state = request.app_state
    pinned = pinned_player(request)
    return await answered(
        request,
        lambda snapshot: front_page(state.journal, snapshot, state.today(), regulation, pinned),
    )


async def pin(request: Request, player_id: FromPath[str]) -> Response[bytes]:
    """Pin a player: their card stands on the front page in this browser, for a year."""
    return _pinned(request, player_id, _YEAR)


async def unpin(request: Request) -> Response[bytes]:
    """Take the card away."""
    return _pinned(request, "", 0)


def _pinned(request: Request, player: str, seconds: int) -> Response[bytes]:
    settings = request.app_state.settings
    answer = redirected(to.front())
    answer.set_cookie(
        key=settings.cookie(PIN), value=quote(player, safe=""), max_age=seconds, path="/",
        secure=settings.secure, httponly=True, samesite="lax",
    )  # fmt: skip
    return answer


# ── lists ────────────────────────────────────────────────────────────────────────────────────────


async def api_rankings(request: Request) -> Response[Lists]:
    """The lists that there are."""
    return await answered(
        request,
        lambda _: Lists(
            items=tuple(list_options(regulation.name) for regulation in ranked_regulations())
        ),
    )


async def ranking(
    request: Request,
    regulation: RegulationName,
    rows: RequestedRows,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    setting: Setting = None,
    kind: Kind = TOTAL,
    nation: ListedNation = None,
    search: Search = "",
) -> Response[RankingList]:
    """A ranking of players as of a day.

    Best first; players with equal results share a rank.
    """
    query = ListQuery(
        regulation=awarding(regulation), as_of=listable_day(as_of, rows.day), setting=setting,
        kind=kind, nation=nation, search=search.strip(), known_at=known_at,
    )  # fmt: skip
    return await _answer(request, query, rows, views.ranking, views.all_ranked)


async def nation_list(
    request: Request,
    regulation: RegulationName,
    rows: RequestedRows,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    setting: Setting = None,
    kind: Kind = TOTAL,
) -> Response[NationsList]:
    """A ranking of nations as of a day."""
    query = ListQuery(
        regulation=awarding(regulation), as_of=listable_day(as_of, rows.day), setting=setting,
        kind=kind, known_at=known_at,
    )  # fmt: skip
    return await _answer(request, query, rows, views.nation_list, views.all_nations, "nations")


async def totals(
    request: Request,
    regulation: RegulationName,
    rows: RequestedRows,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    search: Search = "",
) -> Response[TotalsList]:
    """The four totals of master points as of a day.

    Live and online, match and placement points of every player, and their sum.
    """
    query = ListQuery(
        regulation=awarding(regulation), as_of=listable_day(as_of, rows.day),
        search=search.strip(), known_at=known_at,
    )  # fmt: skip
    return await _answer(request, query, rows, views.totals, views.all_totals, "totals")


async def _answer(
    request: Request, query: ListQuery, rows: PageOfList, view: View, all_rows: Rows, name: str = ""
) -> Response[Any]:
    """A list as a page, as a file, or as data for programs.

    Args:
        request: whose answer it is.
        query: which list.
        rows: of the list.
        view: what makes the page.
        all_rows: what makes all rows, for a file.
        name: of the kind of list, in the name of a file.
    """
    asked = {} if is_api(request) else request.query_params
    on, chosen = asked.get("on"), asked.get("list", query.regulation)
    if on:
        query = replace(query, as_of=parse_day(on))
    if chosen != query.regulation:  # another list has other settings and kinds
        return redirected(to.ranking(awarding(chosen), query.as_of, search=query.search))
    if on:  # a form chose the day: its list has its own address
        address: Callable[..., str] = getattr(to, row_of(request.scope).name)
        return redirected(address(query.regulation, query.as_of, **_narrowing(query)))
    if form := asked.get("format"):
        at = request.app_state.at
        return await sent(
            request,
            lambda now: _saved(at(now, query.known_at), query, name, all_rows, rows.day),
            _file_name(query, name),
            form,
        )
    if not is_api(request):
        pinned = "" if query.known_at else pinned_player(request)
        query = replace(query, opened=asked.get("open", ""), pinned=pinned)
    journal = request.app_state.journal
    return await answer_rows(
        request,
        lambda snapshot, rows: view(journal, snapshot, query, rows.day, rows),
        rows,
        query.known_at,
    )


def _narrowing(query: ListQuery) -> dict[str, str | None]:
    """What an address asks for beside the day."""
    return {
        "setting": query.setting,
        "kind": "" if query.kind == TOTAL else query.kind,
        "nation": query.nation,
        "search": query.search,
        "known_at": query.known_at,
    }


def _narrowed_to(query: ListQuery, name: str) -> list[str]:
    """What sets a file apart from the whole list of its day."""
    given = _narrowing(query) | {"known_at": ""}
    return [word for word in (name, *given.values()) if word]


def _file_name(query: ListQuery, name: str) -> str:
    """What a file is called: "wbgf-2019-12-31-nations"."""
    known = [f"known-{query.known_at}"] if query.known_at else []
    parts = [query.regulation, str(query.as_of), *_narrowed_to(query, name), *known]
    safe = (
        "".join(c for c in part if c.isascii() and (c.isalnum() or c in "-_")) for part in parts
    )
    return "-".join(one for one in safe if one)


def _saved(snapshot: Snapshot, query: ListQuery, name: str, rows: Rows, today: date) -> SavedList:
    """A list as a file: what it is, for whoever finds it later."""
    narrowed = ", ".join(_narrowed_to(query, name))
    title = list_options(query.regulation).title
    waiting = snapshot.ranking(query.regulation, query.selection()).waiting
    notes = [
        f"List: {title} ({query.regulation})",
        f"As of: {query.as_of}",
        f"Known at: entry {snapshot.head.sequence} of the journal, {snapshot.head.hash}",
        *([f"Asked for as known at: {query.known_at}"] if query.known_at else []),
        *([f"Only: {narrowed}"] if narrowed else []),
        *(["Projected: the list if nothing more is reported."] if query.as_of > today else []),
        *([f"{count_waiting(waiting)}."] if waiting else []),
    ]
    question = Question(regulation=query.regulation)
    return SavedList(
        title=", ".join(filter(None, (title, f"as of {query.as_of}", narrowed))),
        frame=rows(snapshot, query),
        notes=notes,
        source=cited(question.rulebook().by(query.as_of)),
    )


# ── one list beside another ──────────────────────────────────────────────────────────────────────


async def list_changes(
    request: Request,
    regulation: RegulationName,
    rows: RequestedRows,
    as_of: AsOf = None,
    since: Since = None,
    known_at: KnownAt = "",
    edition: OtherEdition = "",
    published: PublishedEntry = 0,
) -> Response[ChangedList]:
    """What changed from another list to the list of a day, and why.

    The other list is of another day, as it was known at `known_at`, made under another edition, or
    one that was published. The parts of each change add up to it.
    """
    query = ChangesQuery(
        regulation=awarding(regulation), as_of=listable_day(as_of, rows.day),
        since=since and listable_day(since, rows.day), known_at=known_at, edition=edition,
        published=published,
    )  # fmt: skip
    return await answer_rows(
        request,
        lambda now, rows: changes.list_changes(request.app_state, now, query, rows.day, rows),
        rows,
        heavy=True,
    )


class PrintedText(RequestBody, frozen=True, kw_only=True):
    """A printed list, as text."""

    text: Annotated[
        Text,
        msgspec.Meta(
            min_length=1,
            description="Its lines, columns separated by commas, semicolons or tabs, below a row of"
            " headings: rank, player, nation, points.",
        ),
    ]
    decimal: Annotated[
        Literal["", "point", "comma"],
        msgspec.Meta(description="What stands before decimals; empty: the numbers show it."),
    ] = ""


async def api_printed_list(
    request: Request, regulation: RegulationName, as_of: AsOf = None
) -> Response[PrintedComparison]:
    """A printed list beside the list of a day: who differs, and why.

    It changes nothing, and nothing that is sent is kept.
    """
    printed = decode_body(await request.body(), PrintedText)
    pools = request.app_state.visitors if request.user is None else request.app_state.signed_in
    comparison = await pools.long(
        changes.printed_comparison,
        await request.app_state.now(),
        awarding(regulation),
        listable_day(as_of, request.app_state.today()),
        printed.text,
        printed.decimal,
    )
    return await private_answer(request, comparison)


async def printed_list(
    request: Request, regulation: FromPath[str], as_of: AsOf = None
) -> Response[bytes]:
    """A printed list that was sent, beside our list of a day; it is not stored."""
    form = await request.form()
    pools = request.app_state.visitors if request.user is None else request.app_state.signed_in
    page = await pools.long(
        changes.printed_form,
        await request.app_state.now(),
        awarding(regulation),
        listable_day(as_of, request.app_state.today()),
        field(form, "text"),
        field(form, "decimal"),
    )
    if request.method == "POST" and not page.text.strip():
        page = replace(page, problems=(msg("Paste a list first."),))
    status = HTTP_422_UNPROCESSABLE_ENTITY if page.problems else HTTP_200_OK
    return await private_answer(request, page, status_code=status)
