"""
Routes to a player: on every list, under one regulation, why he has some points, and his charts.

    player      /players/ID[/REGULATION[/DAY]][/awards/EVENT/FLIGHT/KIND | /CHART.FORM]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import date
from typing import Any

from litestar import Response, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery

from palmares.web import addresses
from palmares.web.charts import FORMS, THEMES, Chart, history_chart, points_chart, sent
from palmares.web.hall import Hall, Known, awarding_regulations
from palmares.web.messages import said
from palmares.web.pages.courses import merged_into
from palmares.web.pages.days import chosen, listable
from palmares.web.pages.explanation import AskedOfAward, award_page
from palmares.web.pages.player import person, player_list_page, player_page
from palmares.web.pages.publications import PublishedList, one_of
from palmares.web.replies import Visit, answered_at, moved, redirected
from palmares.web.routes.paths import parts
from palmares.web.wording import Wording

CHARTS: Mapping[str, Callable[[Known, str, str, date, str, Wording], Chart]] = {
    "history": history_chart,
    "points": points_chart,
}
_NOBODY = said("There is no such player, or no such result of his.")
_AWARD = 4  # "awards", an event, a flight, a kind


@get("/players/{rest:path}", name="player", include_in_schema=False)
async def player(
    request: Visit,
    rest: FromPath[str],
    known_at: FromQuery[str] = "",
    published: FromQuery[str] = "",
    on: FromQuery[str] = "",
    effective: FromQuery[str] = "",
    theme: FromQuery[str] = "",
    size: FromQuery[str] = "",
) -> Response[bytes]:
    """A player, and what belongs to him.

    ``on`` is the day as a form sends it; ``effective`` a day of play, where a flight has several;
    ``published`` the entry of a list whose rules answer, with what was known when it was made.
    """
    del rest  # ids may hold slashes: the address is read as it was sent
    hall: Hall = request.app.state.hall
    player_id, *more = parts(request, "/players/")
    now = await hall.now()
    into = None if known_at or published else merged_into(now).get(player_id)
    if into is not None:
        return moved(addresses.player(into, *more, **request.query_params))
    today = hall.today()
    if not more:
        return await _found(
            request, known_at, lambda now: player_page(now, player_id, today, known_at)
        )
    regulation, *more = more
    if regulation not in awarding_regulations():
        raise NotFoundException(said("There is no such list."))
    day, more = _day(more, today)
    if not more and on:
        asked = {"known_at": known_at, "published": published}
        return redirected(addresses.player(player_id, regulation, chosen(on), **asked))
    listed = _published(now, published, regulation) if published else None
    known_at = f"#{listed.known}" if listed else known_at
    rules = listed.question if listed else None
    if not more:
        return await _found(
            request,
            known_at,
            lambda then: player_list_page(
                then.under(rules), player_id, regulation, day, today, known_at, listed
            ),
        )
    if len(more) == _AWARD and more[0] == "awards":
        award = AskedOfAward(
            player_id=player_id, regulation=regulation, day=day,
            event_id=more[1], flight=more[2], kind=more[3], known_at=known_at,
            effective=chosen(effective) if effective else None, published=listed,
        )  # fmt: skip
        return await _found(request, known_at, lambda then: award_page(then.under(rules), award))
    name, _, form = more[0].partition(".")
    if len(more) == 1 and name in CHARTS and form in FORMS:
        of = (player_id, regulation, min(day, today))
        return await _chart(request, name, form, of, known_at, listed, theme, size)
    raise NotFoundException(said("There is no such page."))


def _day(more: list[str], today: date) -> tuple[date, list[str]]:
    """The day of an address, and what follows it; today if it names none."""
    with suppress(ValueError, IndexError):
        day = date.fromisoformat(more[0])
        if str(day) == more[0]:
            if not listable(day):
                raise NotFoundException(said("There is no list for that day."))
            return day, more[1:]
    return today, more


def _published(now: Known, entry: str, regulation: str) -> PublishedList:
    """The list whose rules answer: it is published by other rules than those in force."""
    found = one_of(now, int(entry))
    if found is None or found.question is None or found.regulation != regulation:
        raise NotFoundException(said("There is no such list."))
    return found


async def _found(request: Visit, known_at: str, make: Callable[[Known], Any]) -> Response[bytes]:
    """The page that is made; nothing made means nothing there."""

    def build(known: Known) -> Any:
        page = make(known)
        if page is None:
            raise NotFoundException(_NOBODY)
        return page

    return await answered_at(request, known_at, build)


async def _chart(
    request: Visit,
    name: str,
    form: str,
    of: tuple[str, str, date],
    known_at: str,
    listed: PublishedList | None,
    theme: str,
    size: str,
) -> Response[bytes]:
    """A chart of a player under a regulation, up to a day, as a picture or its description."""
    hall: Hall = request.app.state.hall
    now = await hall.now()
    theme = theme if theme in THEMES else THEMES[0]

    def make(said: Wording) -> Chart:
        known = hall.at(now, known_at).under(listed.question if listed else None)
        if person(known, of[0]) is None:
            raise NotFoundException(_NOBODY)
        return CHARTS[name](known, *of, theme, said)

    return await sent(
        request,
        now,
        (name, *of, known_at, listed.entry if listed else None),
        make,
        form,
        theme,
        size,
    )
