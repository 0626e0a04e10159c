"""
Forty hostile names on pages: each is made of what it is made of with harmless ones.

Two sites have the same season; in one every text attacks. Each page is asked for in both, and must
have the same elements with the same attributes, lead to our own addresses only and run nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any
from urllib.parse import quote

import pyotp
import pytest
from jinja2 import Environment

from palmares.web.accounts import store
from palmares.web.http.routing import to
from palmares.web.http.templating import ENVIRONMENT
from palmares.web.routes import ROUTES
from tests.amounts import some
from tests.hostile import NAMES, REFUSED, TAKEN
from tests.web.conftest import GOOD, NOW, Client
from tests.web.hostile_season import TEXTS, Place, harmless, opened, page
from tests.web.hostile_visits import ONE_IN, VISITS, Shape, seen, shape, standing
from tests.web.visits import JSON, send
from tests.web.ways import WAYS

VARYING = frozenset({
    "players", "tournaments", "event", "duplicates", "submission", "queued_report", "administrator",
})  # fmt: skip
"""What is found, looks alike or stands first depends on letters: as many rows as there are."""
LATER = frozenset({"code", "set_up", "welcome"})
"""Routes by GET that follow a form; see ``test_what_forms_lead_to``."""
LEADING = frozenset(
    {
        "live_stream",
        "logo",
        "pin",
        "player",
        "unpin",
    }
)
"""Routes by GET that show nothing and lead elsewhere, whatever anybody is called."""
MARKED = frozenset({("mark", ""), ("/mark",)})
"""The part of a line that is wrong, in reports of this site alone."""
OURS = re.compile(r"(?:[/#?](?!/)|$)")
SCRIPT = ("script", "src", "defer", "")


@pytest.fixture(scope="module")
def loaded() -> Environment:
    """The templates, of which none was used yet."""
    ENVIRONMENT.cache.clear()  # type: ignore[union-attr]
    return ENVIRONMENT


@pytest.fixture(scope="module")
def attacked(loaded: Environment, hostile_place: Place) -> Place:
    """The site whose texts attack."""
    return hostile_place


@pytest.fixture(scope="module")
def peaceful(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """The same with texts that do not."""
    place = opened(tmp_path_factory.mktemp("harmless"), harmless())
    yield place
    place.app_state.journal.close()


def judged(found: Any, calm: Any, known: set[tuple[str, ...]] | None = None) -> Shape:
    """A page is as harmless as the other; the elements of it."""
    assert found.status_code == calm.status_code, found.text
    once = {"set-cookie"}  # with the first form that somebody sees
    assert set(found.headers) - once == set(calm.headers) - once
    assert found.headers["content-security-policy"] == calm.headers["content-security-policy"]
    ours, theirs = shape(found.text), shape(calm.text)
    if known is None:
        assert ours.elements == theirs.elements
    else:
        assert set(ours.elements) <= known | MARKED
        assert [one[0] for one in ours.elements].count("h1") == 1
    assert [one for one in ours.leads if not OURS.match(one)] == []
    assert "".join(ours.scripts).strip() == ""
    assert {one for one in ours.elements if one[0] == "script"} <= {SCRIPT}
    return ours


@cache
def pages(place: Place) -> dict[str, list[Any]]:
    """What every visit shows, by route."""
    return {
        route: [seen(place.people[who], address) for address in visits(place)]
        for route, (who, visits) in VISITS.items()
    }


@cache
def elements(place: Place) -> set[tuple[str, ...]]:
    """Every element on any page of a site."""
    found = (answer for answers in pages(place).values() for answer in answers)
    return {element for answer in found for element in shape(answer.text).elements}


def test_there_are_forty() -> None:
    assert len({one.text for one in NAMES}) == len(TAKEN) + len(REFUSED) == 40


def test_every_route_is_visited(attacked: Place) -> None:
    """A new route by GET needs a line in `VISITS`; it says what it shows."""
    ways = WAYS.items()
    asked = {name for name, way in ways if "GET" in dict(way)}
    asked = {name for name in asked if not name.startswith("api_")}  # test_hostile_api.py
    assert asked == VISITS.keys() | LATER | LEADING


@pytest.mark.parametrize("route", VISITS)
def test_a_page_is_made_of_what_it_is_made_of(attacked: Place, peaceful: Place, route: str) -> None:
    who, visits = VISITS[route]
    addresses = visits(attacked)
    assert addresses
    both = zip(pages(attacked)[route], pages(peaceful)[route], strict=True)
    for address, (found, other) in zip(addresses, both, strict=True):
        assert found.status_code == 200, (address, found.text)
        assert found.headers["content-type"] == other.headers["content-type"]
        if not found.headers["content-type"].startswith("text/html"):
            continue
        varies = route in VARYING or "search=" in address
        judged(found, other, elements(peaceful) if varies else None)
        told = attacked.people[who].get(address, headers=JSON)
        assert told.headers["content-type"] == "application/json"
        assert told.headers["x-content-type-options"] == "nosniff"
        assert json.loads(told.content) is not None


def words(somebody: Client, address: str) -> list[str]:
    """The texts of a page, one an element."""
    return [one.strip() for one in shape(seen(somebody, address).text).words]


def test_names_are_shown_as_they_are(attacked: Place) -> None:
    visitor = attacked.people["visitor"]
    for address in ("/rankings/wbgf", "/tournaments"):
        held = words(visitor, address)
        left = [one for one in standing(attacked) if one not in held]
        assert left == [], address
    assert TEXTS[0] in words(visitor, "/rankings/usbgf/2020-01-31/totals")
    rows = page(visitor, "/rankings/wbgf")["items"]
    assert [one["player"] for one in rows][: len(TEXTS)] == list(TEXTS)
    for text in some(TEXTS, ONE_IN):
        heading = words(visitor, to.player_list(text, "wbgf"))
        assert any(text in word for word in heading), text
        assert text in words(visitor, to.players(search=text)), text


@pytest.mark.parametrize(
    "address",
    [
        "/rankings/wbgf?nation={}", "/rankings/wbgf?known_at={}", "/rankings/wbgf?setting={}",
        "/rankings/wbgf?format={}", "/rankings/wbgf?as_of={}", "/rankings/{}", "/nations/{}",
        "/players/{}/nobody", "/players/{}/wbgf/{}", "/regulations/{}", "/regulations/usbgf/{}",
        "/regulations/usbgf/compare?a={}&b={}", "/welcome/{}", "/published/{}", "/events/{}/no",
        "/charts/running.svg?event=x{}", "/calculators/{}", "/players?page={}", "/assets/{}", "/{}",
    ],
)  # fmt: skip
def test_addresses_that_attack(attacked: Place, address: str) -> None:
    """What is not there or cannot be read is said, in a page made of our own elements."""
    visitor = attacked.people["visitor"]
    calm: set[tuple[str, ...]] = set()
    for text in ("nobody", "x" * 190, *some(TEXTS, ONE_IN, len(address))):  # two attack nothing
        asked = quote(text, safe="")
        found = seen(visitor, address.replace("{}", asked))
        assert 300 < found.status_code < 500
        if found.status_code < 400:
            assert found.headers["location"].startswith("/")
            assert not found.headers["location"].startswith(("//", "/\\"))
            continue
        made = shape(found.text)
        if text in ("nobody", "x" * 190):
            calm |= set(made.elements)
        assert set(made.elements) <= calm, text
        assert "Traceback" not in found.text


# ── pages that only a form leads to ──────────────────────────────────────────────────────────────


@cache
def led_to(place: Place) -> list[Any]:
    """Pages that forms lead to, with texts in every field."""
    return list(forms(place))


def forms(place: Place) -> Iterator[Any]:
    """The same, one form after another."""
    texts, director, officer = place.texts, place.people["director"], place.people["officer"]
    yield director.post("/account/tokens", data={"label": texts[2], "days": "9"})
    yield seen(director, "/account")
    yield director.post("/account/tokens", data={"label": texts[3] * 9, "days": texts[4]})
    admin = place.people["administrator"]
    for text in texts[5:-1]:  # the last is too long for an account
        yield admin.post("/administrator/invitations", data={"name": text, "role": "director"})
    yield admin.post("/administrator/invitations", data={"name": "x", "role": texts[6]})
    draft = f"/director/submissions/{place.submissions['draft']}"
    yield director.post(draft, data={"text": texts[7], "version": "0"})  # it is another by now
    yield director.post(f"{draft}/names", data={"name.1": texts[8], "who.1": texts[9]})
    yield director.post("/director/submissions", data={"text": texts[0]}, follow_redirects=True)
    yield director.post("/director/submissions", files={"file": (f"{texts[1]}.exe", b"x")})
    waiting = f"/officer/submissions/{place.submissions['submitted']}"
    yield officer.post(f"{waiting}/approval", data={"version": "1", "shown": texts[1]})
    yield officer.post(f"{waiting}/return", data={"version": texts[2], "reason": texts[0]})
    for text in texts[::5]:
        typed = {"entry": "80", "reason": text}
        yield officer.post("/officer/decisions/undo", data=typed)
        typed = {"player": text, "into": texts[0], "reason": text}
        yield officer.post("/officer/decisions/merge", data=typed)
    typed = {"regulation": "wbgf", "day": "2019-12-31", "note": texts[1]}
    yield officer.post(
        "/officer/decisions/publish", data={**typed, "digest": "x", "shown": texts[2]}
    )


def test_what_forms_lead_to(attacked: Place, peaceful: Place) -> None:
    known = elements(peaceful)
    pairs = list(zip(led_to(attacked), led_to(peaceful), strict=True))
    assert len(pairs) > 50
    known |= {one for _, calm in pairs for one in shape(calm.text).elements}
    for found, calm in pairs:
        assert found.headers["content-type"].startswith("text/html")
        judged(found, calm, known)


def test_coming_in(attacked: Place, peaceful: Place) -> None:
    """Welcome, set up, code: of somebody whose name attacks."""
    for number in (0, 2, 9):
        found, calm = come(attacked, number), come(peaceful, number)
        assert len(found) == 6
        for one, other in zip(found, calm, strict=True):
            judged(one, other)


@cache
def come(place: Place, number: int) -> list[Any]:
    """What somebody sees who comes for the first time and again."""

    somebody: Client = Client(place.app)
    database, name = place.app_state.journal.database, f"{place.texts[number]} too"
    with database.writing() as connection:
        account = store.add(connection, name, "officer", NOW)
        token = store.create_link(connection, account, NOW)
    path = f"/welcome/{token}"
    found = [seen(somebody, path), send(somebody, path, password=name, again=name)]
    assert found[1].status_code == 422
    assert send(somebody, path, password=GOOD, again=GOOD).status_code == 303
    found.append(seen(somebody, "/sign-in/codes"))
    secret = page(somebody, "/sign-in/codes")["secret"].replace(" ", "")
    found.append(send(somebody, "/sign-in/codes", code=pyotp.TOTP(secret).at(NOW)))
    somebody.cookies.clear()
    assert send(somebody, "/sign-in", name=name, password=GOOD).status_code == 303
    found += [seen(somebody, "/sign-in/code"), send(somebody, "/sign-in", name=name, password=name)]
    return found


def test_every_template_was_used(loaded: Environment, attacked: Place) -> None:
    """A page that no visit shows is noticed here, whichever tests ran before."""
    pages(attacked)
    led_to(attacked)
    come(attacked, 0)
    assert seen(attacked.people["visitor"], "/nowhere").status_code == 404
    used = {name for _, name in loaded.cache}  # type: ignore[union-attr]
    assert {row.template for row in ROUTES} - {""} - used == set()


def test_no_line_of_the_log_is_forged(attacked: Place) -> None:
    """One line of JSON a request, plain ASCII; nobody's name is in any."""
    pages(attacked)
    led_to(attacked)
    lines = attacked.log.getvalue().splitlines()
    assert len(lines) > 300
    names = {text for text in TEXTS if len(text) > 5}
    for line in lines:
        assert line.isascii()
        assert line.isprintable()
        told = json.loads(line)
        assert told["level"] in ("info", "warning", "error")
        assert told["event"] in ("request", "account changed", "signed in", "sign-in refused") or (
            told["event"].startswith(("report", "recorded"))
        ), told
        assert [one for one in names for value in told.values() if one in str(value)] == []
