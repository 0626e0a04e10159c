"""Routes to the front page and to lists: of players, nations and totals; as pages, files, API."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from typing import Annotated, Literal
from urllib.parse import quote

import msgspec
import polars as pl
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_422_UNPROCESSABLE_ENTITY

from palmares.core.messages import msg
from palmares.points.awards import Question, count_waiting
from palmares.points.rankings import TOTAL
from palmares.render.pdf import cited
from palmares.web.http.parameters import field
from palmares.web.http.replies import (
    PIN,
    private_answer,
    redirected,
)
from palmares.web.http.routing import to
from palmares.web.http.state import Request, Snapshot
from palmares.web.rankings import changes
from palmares.web.rankings.changes import (
    ChangedList,
    ChangesQuery,
    PrintedComparison,
    PrintedQuery,
)
from palmares.web.rankings.views import ListQuery, Lists, all_ranked, list_query
from palmares.web.shared.downloads import SavedList
from palmares.web.shared.lists import (
    awarding,
    list_options,
    listable_day,
    ranked_regulations,
)
from palmares.web.shared.names import shown_row
from palmares.web.shared.parameters import (
    AsOf,
    KnownAt,
    ListedNation,
    RegulationName,
    RequestBody,
    RequestedRows,
    Text,
    answer_rows,
    decode_body,
)

PRINTED = 512 * 2**10
"""The most bytes of a pasted printed list."""
Rows = Callable[[Snapshot, ListQuery], pl.DataFrame]

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


async def pin(request: Request, player_id: FromPath[str]) -> Response[bytes]:
    """Pin a player: their card stands on the front page in this browser, for a year.

    Raises:
        NotFoundException: there is no such player, or their name is withheld.
    """
    row = shown_row(await request.app_state.now(), player_id)
    if row is None or row[-1]:
        raise NotFoundException(msg("There is no such player, or their name is withheld."))
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


def all_lists() -> Lists:
    """The lists that there are."""
    return Lists(items=tuple(list_options(regulation.name) for regulation in ranked_regulations()))


def other_list(
    regulation: str,
    list: str,  # noqa: A002  the name in the address
    as_of: date | None,
    known_at: str = "",
    nation: str | None = None,
    search: str = "",
) -> str:
    """The address of the list that the form chose: another one has other settings and kinds."""
    if list in ("", regulation):
        return ""
    return to.ranking(
        awarding(list), as_of, nation=nation, search=search.strip(), known_at=known_at
    )


def other_nation_list(
    regulation: str,
    list: str,  # noqa: A002  the same
    as_of: date | None,
    known_at: str = "",
    search: str = "",
) -> str:
    """The same of a list of nations: that of the other list, or its players where it has none."""
    if list in ("", regulation):
        return ""
    if not list_options(awarding(list)).by_nation:
        return to.ranking(list, as_of, known_at=known_at)
    return to.nation_list(list, as_of, search=search.strip(), known_at=known_at)


def saved(
    snapshot: Snapshot,
    today: date,
    regulation: str,
    as_of: date | None,
    known_at: str,
    setting: str | None = None,
    kind: str = TOTAL,
    nation: str | None = None,
    search: str = "",
    all_rows: Rows = all_ranked,
    name: str = "",
) -> SavedList:
    """A list as a file: what it is, for whoever finds it later."""
    query = list_query(today, regulation, as_of, search, setting, kind, nation)
    narrowed = [word for word in (name, setting, kind, nation, query.search) if word]
    narrowed = [word for word in narrowed if word != TOTAL]
    known = [f"known-{known_at}"] if known_at else []
    title = list_options(regulation).title
    conditions = ["projected"] if query.as_of > today else []
    conditions += [f"as known at {known_at}"] if known_at else []
    waiting = snapshot.ranking(regulation, query.selection()).waiting
    notes = [
        f"List: {title} ({regulation})",
        f"As of: {query.as_of}",
        f"Known at: entry {snapshot.head.sequence} of the journal, {snapshot.head.hash}",
        *([f"Asked for as known at: {known_at}"] if known_at else []),
        *([f"Only: {', '.join(narrowed)}"] if narrowed else []),
        *(["Projected: the list if nothing more is reported."] if query.as_of > today else []),
        *([f"{count_waiting(waiting)}."] if waiting else []),
    ]
    return SavedList(
        name=_file_name([regulation, str(query.as_of), *narrowed, *known]),
        title=", ".join([title, f"as of {query.as_of}", *conditions, *narrowed]),
        frame=all_rows(snapshot, query),
        notes=notes,
        source=cited(Question(regulation=regulation).rulebook().by(query.as_of)),
    )


def _file_name(parts: Iterable[str]) -> str:
    """What a file is called: "wbgf-2019-12-31-nations"."""
    safe = (
        "".join(c for c in part if c.isascii() and (c.isalnum() or c in "-_")) for part in parts
    )
    return "-".join(filter(None, safe))


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
    request: Request,
    regulation: RegulationName,
    as_of: AsOf = None,
    known_at: KnownAt = "",
    nation: ListedNation = None,
) -> Response[PrintedComparison]:
    """A printed list beside the list of a day: who differs, and why.

    It changes nothing, and nothing that is sent is kept.
    """
    printed = decode_body(await request.body(), PrintedText)
    query = PrintedQuery(
        regulation=awarding(regulation),
        as_of=listable_day(as_of, request.app_state.today()),
        text=printed.text,
        decimal=printed.decimal,
        nation=nation,
        known_at=known_at,
    )
    app_state = request.app_state
    comparison = await request.run_long(
        changes.printed_comparison, app_state, await app_state.now(), query
    )
    return await private_answer(request, comparison)


async def printed_list(
    request: Request,
    regulation: FromPath[str],
    as_of: AsOf = None,
    known_at: KnownAt = "",
    nation: ListedNation = None,
) -> Response[bytes]:
    """A printed list that was sent, beside our list of a day; it is not stored."""
    form, app_state = await request.form(), request.app_state
    is_sent = request.method == "POST"
    query = PrintedQuery(
        regulation=awarding(regulation),
        as_of=listable_day(as_of, app_state.today()),
        text=field(form, "text"),
        decimal=field(form, "decimal"),
        nation=(field(form, "nation") if is_sent else nation) or None,
        known_at=field(form, "known_at") if is_sent else known_at,
    )
    page = await request.run_long(changes.printed_form, app_state, await app_state.now(), query)
    if is_sent and not page.text.strip():
        page = replace(page, problems=(msg("Paste a list first."),))
    status = HTTP_422_UNPROCESSABLE_ENTITY if page.problems else HTTP_200_OK
    return await private_answer(request, page, status_code=status)
