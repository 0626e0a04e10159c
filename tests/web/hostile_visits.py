"""
Every address that shows texts, and who looks at it.

    VISITS      each route by GET: who asks, and addresses of a Place
    shape       HTML  ->  its elements with the names of their attributes, and what leads elsewhere
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import count
from typing import Any
from urllib.parse import urlencode

from palmares.web.calculators.views import NAMES, fields_of
from palmares.web.http.routing import to
from palmares.web.http.templating import asset
from palmares.web.officer.decisions import DECISIONS
from tests.amounts import some
from tests.web.conftest import DAY, Client
from tests.web.hostile_season import WITHDRAWN, Place
from tests.web.tournaments.test_notices import EVENT

Visits = Callable[[Place], list[str]]
AS_OF = DAY.replace(year=2019, month=12, day=31)


ONE_IN = 8
"""A page is asked for with five of the forty names; with all of them in ``make torture``."""
_offsets = count()


def _each(make: Callable[[str], str]) -> Visits:
    """A visit for each name, other names than those of the route before."""
    offset = next(_offsets)
    return lambda place: [make(one) for one in some(place.texts, ONE_IN, offset)]


def standing(place: Place) -> list[str]:
    """The tournaments that were not withdrawn."""
    return [one for one in place.texts if one != place.texts[WITHDRAWN]]


def _lists(place: Place) -> list[str]:
    found = [to.ranking(one) for one in ("wbgf", "usbgf", "dptr")]
    found += [
        to.ranking("wbgf", AS_OF, search=place.texts[0], known_at="#100"),
        to.ranking("wbgf", nation="CZE"),
    ]
    return found + [to.ranking("wbgf", AS_OF, format=one) for one in ("csv", "json")]


def _awards(place: Place) -> list[str]:
    found = []
    for number, one in some([*enumerate(place.texts)], ONE_IN):
        other = place.texts[(number + 4) % len(place.texts)]
        if other == place.texts[WITHDRAWN]:
            other = one
        found.append(to.award(one, "wbgf", DAY, f"{other}/main", "main", "performance"))
    return found


def _player_lists(place: Place) -> list[str]:
    found = [to.player_list(one, "wbgf") for one in place.texts[::5]]
    one = place.texts[0]
    asked = [to.player_list(one, "wbgf", ask="yes", rival=other) for other in place.texts[1:4]]
    return [*found, to.player_list(one, "usbgf", AS_OF), to.player_list(one, "dptr"), *asked]


def _reports(place: Place) -> list[int]:
    """Reports on their way: draft, submitted, returned, approved, wrong."""
    return list(place.submissions.values())


def _log(place: Place) -> list[str]:
    """The log, and what is in it of somebody."""
    return [to.log(), to.log(before=60), *(to.log(subject=one) for one in place.texts[:6])]


def _entries(place: Place) -> list[str]:
    """Some of each kind, and all of the last."""
    head = place.app_state.journal.head().sequence
    return [to.entry(one) for one in (*range(1, 100, 4), *range(100, head + 1))]


def _league(place: Place) -> list[str]:
    event = place.texts[10]
    more = [{}, {"until": "2"}, *({"team": one} for one in place.texts[4:8])]
    boards = to.event(f"{place.texts[11]} boards", match=place.texts[4])
    return [boards, *(to.event(event, **one) for one in more)]


def _decisions(place: Place) -> list[str]:
    typed = {
        name: {one.name: place.texts[7] for one in every.fields}
        for name, every in DECISIONS.items()
    }
    return [f"{to.decision(name)}?{urlencode(fields)}" for name, fields in typed.items()]


def _nations(place: Place) -> list[str]:
    del place
    return [to.nation_list("wbgf"), to.nation_list("wbgf", format="csv")]


def _tournaments(place: Place) -> list[str]:
    return [to.tournaments(), *(to.tournaments(search=one) for one in some(place.texts, ONE_IN, 1))]


def _calculators(place: Place) -> list[str]:
    return [
        to.calculator(name, **{field.name: one for field in fields_of(name)})
        for name in NAMES
        for one in place.texts[:3]
    ]


def _sign_in(place: Place) -> list[str]:
    return [to.sign_in(), *(to.sign_in(next=f"/{one}") for one in some(place.texts, ONE_IN, 2))]


VISITS: Mapping[str, tuple[str, Visits]] = {
    "front": ("visitor", lambda _: [to.front()]),
    "ranking": ("visitor", _lists),
    "nation_list": ("visitor", _nations),
    "list_changes": (
        "visitor",
        lambda _: [to.list_changes("wbgf", AS_OF, since="2018-12-31"), to.list_changes("dptr")],
    ),
    "printed_list": ("visitor", lambda _: [to.printed_list("wbgf")]),
    "totals": ("visitor", lambda _: [to.totals("usbgf"), to.totals("usbgf", format="json")]),
    "players": ("visitor", _each(lambda one: to.players(search=one))),
    "search": ("visitor", _each(lambda one: to.search(search=one))),
    "player_list": ("visitor", _player_lists),
    "player_curve": ("visitor", lambda place: [to.player_curve(place.texts[0], "wbgf")]),
    "player_corrections": (
        "visitor", lambda place: [to.player_corrections(one, "wbgf") for one in place.texts[::10]]
    ),
    "player_unawarded": (
        "visitor", lambda place: [to.player_unawarded(one, "usbgf") for one in place.texts[::10]]
    ),
    "mistake": ("visitor", _each(lambda one: to.mistake(about=one))),
    "award": ("visitor", _awards),
    "tournaments": ("visitor", _tournaments),
    "tournament": (
        "visitor", lambda place: [to.tournament(one) for one in some(standing(place), ONE_IN, 3)]
    ),
    "nation": ("visitor", lambda _: [to.nation("CZE"), to.nation("CZE", known_at="#100")]),
    "published": ("visitor", lambda _: [to.published()]),
    "feed": ("visitor", lambda _: [to.feed()]),
    "publication": ("visitor", lambda place: [to.publication(one) for one in place.published]),
    "manifest": ("visitor", lambda place: [to.manifest(one) for one in place.published]),
    "publication_verification": (
        "visitor", lambda place: [to.publication_verification(one) for one in place.published]
    ),
    "races": ("visitor", lambda _: [to.races()]),
    "race": ("visitor", lambda _: [to.race("hostile")]),
    "levels": ("visitor", lambda _: [to.levels("usbgf")]),
    "levels_feed": ("visitor", lambda _: [to.levels_feed("usbgf")]),
    "fund": ("visitor", lambda _: [to.fund(), to.fund(days=2)]),
    "fund_tournament": ("visitor", lambda _: [to.fund_tournament("streamed")]),
    "draws": ("visitor", lambda _: [to.draws()]),
    "draw": ("visitor", lambda place: [to.draw(place.draw)]),
    "live_events": ("visitor", lambda _: [to.live_events()]),
    "live_event": ("visitor", lambda _: [to.live_event("club-night")]),
    "live_bracket": ("visitor", lambda _: [to.live_bracket("club-night", 1)]),
    "notices": ("visitor", lambda _: [to.notices()]),
    "notice": ("visitor", lambda _: [to.notice(EVENT)]),
    "facts": ("visitor", lambda place: [to.facts(one) for one in place.published]),
    "glossary": ("visitor", lambda _: [to.glossary()]),
    "guide": ("visitor", lambda _: [to.guide()]),
    "regulations": ("visitor", lambda _: [to.regulations()]),
    "regulation": ("visitor", lambda _: [to.regulation("usbgf")]),
    "compare_editions": ("visitor", lambda _: [to.compare_editions("usbgf")]),
    "bridge": ("visitor", lambda _: [to.bridge()]),
    "event": ("visitor", _league),
    "calculators": ("visitor", lambda _: [to.calculators()]),
    "calculator": ("visitor", _calculators),
    "sign_in": ("visitor", _sign_in),
    "health": ("visitor", lambda _: ["/health"]),
    "ready": ("visitor", lambda _: ["/ready"]),
    "federation_style": ("visitor", lambda _: ["/federation.css"]),
    "favicon": ("visitor", lambda _: ["/favicon.ico"]),
    "robots": ("visitor", lambda _: ["/robots.txt"]),
    "assets": ("visitor", lambda _: [asset("palmares.css")]),
    "account": ("director", lambda _: [to.account()]),
    "director": ("director", lambda _: [to.director()]),
    "live_desks": ("director", lambda _: [to.live_desks()]),
    "live_desk": ("director", lambda _: [to.live_desk("club-night")]),
    "live_change": ("director", lambda _: [to.live_change("club-night", match="main:1:2")]),
    "live_payments": ("director", lambda _: [to.live_payments("paid", "csv")]),
    "draw_desk": ("director", lambda _: [to.draw_desk()]),
    "draw_reveal": ("director", lambda place: [to.draw_reveal(place.draw)]),
    "notice_desk": ("director", lambda _: [to.notice_desk(), to.notice_desk(event=EVENT)]),
    "submission_template": ("director", lambda _: ["/director/result.csv"]),
    "submission": ("director", lambda place: [to.submission(n) for n in _reports(place)]),
    "officer": ("officer", lambda _: [to.officer()]),
    "log": ("officer", _log),
    "entry": ("officer", _entries),
    "duplicates": ("officer", lambda _: [to.duplicates()]),
    "report_cells": (
        "officer", lambda place: [to.report_cells(one) for one in some(standing(place), ONE_IN)]
    ),
    "decision": ("officer", _decisions),
    "notes": ("officer", lambda _: [to.notes()]),
    "queued_report": ("officer", lambda place: [to.queued_report(n) for n in _reports(place)[1:4]]),
    "administrator": ("administrator", lambda _: [to.administrator()]),
    "federation_face": ("administrator", lambda _: [to.federation_face()]),
    "metrics": ("administrator", lambda _: ["/metrics"]),
}  # fmt: skip
"""Each route by GET, except what only comes after another page: those are in the tests."""


# ── what a page is made of ───────────────────────────────────────────────────────────────────────

LEADS = frozenset({"href", "src", "action", "formaction", "hx-get", "hx-post", "data"})


@dataclass
class Shape(HTMLParser):
    """The elements of a page, whatever its texts are."""

    elements: list[tuple[str, ...]] = field(default_factory=list)
    leads: list[str] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    typed: list[str] = field(default_factory=list)
    scripts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        held = dict(attrs)
        self.elements.append((tag, *(name for name, _ in attrs), str(held.get("class", ""))))
        self.leads += [str(value) for name, value in attrs if name in LEADS]
        told = [(name, str(value)) for name, value in attrs if name not in LEADS]
        self.words += [value for name, value in told if name != "value"]
        self.typed += [value for name, value in told if name == "value"]

    def handle_endtag(self, tag: str) -> None:
        self.elements.append(("/" + tag,))

    def handle_data(self, data: str) -> None:
        opener = self.elements[-1][0] if self.elements else ""
        where = {"script": self.scripts, "textarea": self.typed}.get(opener, self.words)
        where.append(data)

    def handle_comment(self, data: str) -> None:
        self.elements.append(("comment", data))

    def handle_decl(self, decl: str) -> None:
        self.elements.append(("declaration", decl))

    def unknown_decl(self, data: str) -> None:
        self.elements.append(("section", data))

    def handle_pi(self, data: str) -> None:
        self.elements.append(("instruction", data))


def shape(html: str) -> Shape:
    """The elements of a page, what it leads to, and its words."""
    found = Shape()
    found.feed(html)
    found.close()
    return found


def seen(somebody: Client, address: str, **headers: Any) -> Any:
    """What an address answers, as a browser asks."""
    return somebody.get(
        address, headers={"accept": "text/html", **headers}, follow_redirects=False
    )  # fmt: skip
