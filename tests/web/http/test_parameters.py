"""Pages answer what was asked: a parameter that a page does not use is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urljoin, urlsplit

import pytest

from palmares.cli.demo import season as demo
from palmares.cli.demo.tour import examples
from palmares.journal.store.journal import Journal
from palmares.points.awards import Question
from palmares.web.app import site
from palmares.web.calculators.views import NAMES, fields_of
from palmares.web.http.state import AppState
from palmares.web.settings import Settings
from tests.amounts import amount
from tests.web.conftest import DAY, ROOT, AsRole, Client, signed_in
from tests.web.hostile_visits import shape
from tests.web.publications.test_published_pages import publish
from tests.web.seasons import json, winter

JSON = {"accept": "application/json"}


def problem(client: Client, address: str, **headers: str) -> str:
    """What is said of an address that is refused."""
    answer = client.get(address, headers={**JSON, **headers}, follow_redirects=False)
    assert answer.status_code == 400, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    return str(answer.json()["detail"])


@pytest.mark.parametrize("name", NAMES)
def test_a_calculator_takes_its_fields(reader: Client, name: str) -> None:
    fields = [one["name"] for one in json(reader, f"/calculators/{name}")["fields"]]
    assert sorted(fields) == sorted(field.name for field in fields_of(name))


def test_another_edition_is_not_passed_over(client: Client) -> None:
    assert problem(client, "/rankings/usbgf?edition=2015-05") == (
        "edition is no parameter of this address. There are:"
        " as_of, format, kind, known_at, list, nation, open, page, search, setting."
    )


def test_it_is_said_as_the_api_says_it_and_in_the_language_of_the_reader(client: Client) -> None:
    told = problem(client, "/api/v1/regulations?x=1")
    assert (
        told
        == problem(client, "/health?x")
        == ("x is no parameter of this address. It takes none.")
    )
    page = client.get("/calculators?x=1", headers={"accept": "text/html", "accept-language": "de"})
    assert page.status_code == 400
    assert page.headers["content-type"].startswith("text/html")
    assert "x ist kein Parameter dieser Adresse. Sie nimmt keine." in page.text


@pytest.mark.parametrize(
    "address",
    [
        "/?utm_source=mail", "/rankings/wbgf?fbclid=x", "/rankings/wbgf/nations?nation=CZE",
        "/rankings/usbgf/totals?setting=live", "/players?known_at=%235",
        "/players/P1?on=2019-12-31",
        "/players/P1/wbgf?effective=2019-12-20", "/players/P1/wbgf?theme=dark",
        "/?as=json",
        "/tournaments/Winter?page=2",
        "/nations/CZE?nation=DEU", "/published.atom?as=json", "/health?x",
        "/calculators/percentile?entry_fee=1",
        "/regulations/usbgf?edition=2015-05", "/robots.txt?x=1",
        "/rankings/wbgf?format=csv&page=2", "/rankings/wbgf?nation=CZE&nation=DEU",
        "/sign-in?back=/", "/events/york%2Fteams?round=2", "/assets/palmares.css?version=1",
    ],
)  # fmt: skip
def test_what_a_page_does_not_use_is_refused(reader: Client, address: str) -> None:
    told = problem(reader, address)
    assert "parameter of this address" in told or told == "nation is there twice. Give it once."


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/rankings/wbgf?page=0", "page=0 cannot be used here. Write a number from 1."),
        ("/rankings/wbgf?page=two", "page=two cannot be used here. Write a number from 1."),
        ("/players?page=-1", "page=-1 cannot be used here. Write a number from 1."),
        ("/players/P1/wbgf?page=x", "page=x cannot be used here. Write a number from 1."),
        ("/?language=xx", "There is no language xx. There are: en, de, fr."),
    ],
)  # fmt: skip
def test_nor_is_a_value_passed_over(reader: Client, address: str, words: str) -> None:
    assert problem(reader, address) == words


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("/players?year=x", "Write what fits ^([0-9]{4})?$."),
        ("/players?search=" + "a" * 3000, "At most 200 characters, please."),
        ("/players?page=05", "Write it as 5."),
        ("/players/P1/wbgf?which=all", "There are: counting, expired."),
        ("/players/P1/wbgf?sort=name", "There are: latest, worth, won, expiring."),
        (
            "/players/P1/wbgf?format=league&ask=yes",
            "There are: knockout, double_knockout, swiss, round_robin.",
        ),
        ("/rankings/usbgf/changes?published=05", "Write it as 5."),
        ("/rankings/usbgf/changes?published=%2B5", "Write it as 5."),
        ("/rankings/usbgf/changes?published=1.5", "This is not a whole number."),
        ("/rankings/usbgf/changes?published=-1", "At least 0 here."),
        ("/api/v1/players?limit=" + "9" * 30, "At most 1,000 here."),
    ],
)
def test_what_is_wrong_with_a_value_is_said(client: Client, address: str, words: str) -> None:
    answer = client.get(address, headers=JSON)
    assert answer.status_code == 400, answer.text
    assert [one["what"] for one in answer.json()["problems"]] == [words]


@pytest.mark.parametrize("number", [2**63, 10**30])
def test_a_number_that_no_database_has(as_role: AsRole, number: int) -> None:
    for role, address in (
        ("officer", "/officer/log"),
        ("officer", "/api/v1/entries"),
        ("director", "/api/v1/submissions"),
    ):
        answer = as_role(role).get(f"{address}?before={number}", headers=JSON)
        assert answer.status_code == 400, answer.text
        (found,) = answer.json()["problems"]
        assert found["what"] == "At most 4,611,686,018,427,387,904 here."


@pytest.mark.parametrize(
    ("asked", "german", "french"),
    [
        ("setting=x", "Gespielt wird live oder online", "Le mode de jeu est live ou online"),
        ("kind=match", "wbgf hat keine Punkte der Art match. Es gibt: performance, total.",
         "wbgf n’a pas de points du genre match. Il y a : performance, total."),
        ("nation=XYZ", "XYZ ist kein Code einer Nation. Schreiben Sie die drei Buchstaben",
         "XYZ n’est pas le code d’une nation. Écrivez les trois lettres"),
        ("nation=CZ", "Nation. Schreiben Sie CZE.", "nation. Écrivez CZE."),
    ],
)  # fmt: skip
def test_readers_are_told_in_their_language(
    client: Client, asked: str, german: str, french: str
) -> None:
    for language, words in (("de", german), ("fr", french)):
        told = client.get(f"/rankings/wbgf?{asked}", headers={"accept-language": language})
        assert told.status_code == 400
        assert words in told.text


def test_what_is_left_empty_is_not_asked(client: Client, journal: Journal) -> None:
    """As forms send it."""
    winter(journal)
    empty = "setting=&kind=&nation=&search=&known_at="
    whole = client.get("/rankings/wbgf/2019-12-31").text
    assert "Ada" in whole
    assert client.get(f"/rankings/wbgf/2019-12-31?{empty}").text == whole


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/rankings/wbgf?setting=",
        "/api/v1/rankings/wbgf/changes?since=null",
        "/rankings/wbgf/changes?since=Null",
    ],
)
def test_no_value_is_none_that_was_chosen(client: Client, address: str) -> None:
    """A program that forgot a value would get the list of another day."""
    name = address.partition("?")[2].partition("=")[0]
    assert problem(client, address) == f"{name} has no value. Give it one, or leave it out."


def test_officers_and_directors_are_told_too(as_role: AsRole) -> None:
    officer = as_role("officer")
    for address in ("/officer?x=1", "/officer/log?entry=1", "/officer/decisions/merge?x=1"):
        assert "x is no" in problem(officer, address) or "entry is no" in problem(officer, address)
    assert officer.get("/officer/decisions/nothing?x=1").status_code == 404
    refused = officer.post("/officer/decisions/merge?x=1", data={}, headers=JSON)
    assert refused.json()["detail"] == "x is no parameter of this address. It takes none."


# ── the site's own links ─────────────────────────────────────────────────────────────────────────

DESKS = ("director", "officer", "administrator", "sign-out")
EACH = amount(100)
"""So many addresses of one form are asked for: one, in ``make torture`` a hundred."""
OF_A_DESK = 2


@pytest.fixture(scope="module")
def season(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A visitor of the demonstration's season; one more list is by an edition of its own."""
    place = str(tmp_path_factory.mktemp("season") / "federation.db")
    settings = Settings(journal=place, secret="0" * 64, public_url=ROOT, day=lambda: DAY, fresh=600)
    app = site(settings)
    journal = app.state.app_state.journal
    demo.record_examples(journal, examples())
    publish(journal, question=Question(regulation="usbgf", edition="2015-05"))
    demo.add_people(AppState(journal, settings), examples())
    with Client(app) as client:
        yield client


def form_of(address: str) -> tuple[Any, ...]:
    """What addresses of one form have in common: their parts but ids and days, and parameters."""
    parts = urlsplit(address)
    kept = [
        one if Path(one).suffix or (one.isalpha() and one.islower()) else "*"
        for one in parts.path.split("/")
    ]
    return (*kept, *sorted({name for name, _ in parse_qsl(parts.query)}))


def linked(client: Client, address: str) -> Iterator[str]:
    """Where the page at an address leads, in links, forms, pictures and scripts."""
    accept = {"accept": "text/html,*/*;q=0.8"}
    answer = client.get(address, headers=accept, follow_redirects=True)
    if answer.status_code == 405 and client.cookies.get("palmares"):  # where a form is sent
        return
    assert answer.status_code == 200, (address, answer.status_code, answer.text[-900:])
    if not answer.headers["content-type"].startswith("text/html"):
        return
    found = shape(answer.text)
    for one in (*found.leads, *found.words):
        lead = one.split(" ")[0]
        if lead.startswith(("/", "#", "?")) and "\n" not in lead:
            yield urljoin(address, lead).partition("#")[0]


def walked(client: Client, start: str, own: tuple[str, ...] = ()) -> tuple[set[str], set[Any]]:
    """Addresses that are led to from one, and their forms; desks of others are passed over.

    Args:
        client: who asks.
        start: where they begin.
        own: their desks: of what anyone sees they only ask for what these lead to; none: of all.
    """
    seen: set[str] = set()
    forms: Counter[tuple[Any, ...]] = Counter()
    waiting = [start]
    while waiting:
        address = waiting.pop()
        if address in seen or not address.startswith("/"):
            continue
        seen.add(address)
        form = form_of(address)
        forms[form] += 1
        inside = not own or form[1] in own
        most = EACH if not own else OF_A_DESK if inside else 1
        if forms[form] <= most and form[1] not in {*DESKS} - {*own}:
            found = list(linked(client, address))
            waiting += found if inside else []
    return seen, set(forms)


def test_every_link_of_the_site_works(season: Client) -> None:
    seen, forms = walked(season, "/")
    assert len(forms) > 60
    assert len(seen) > 300


@pytest.mark.parametrize(
    ("role", "own", "there"),
    [
        ("director", ("director",), "/director/submissions/"),
        ("officer", ("officer", "director"), "/officer/decisions/"),
        ("administrator", ("administrator",), "/account"),
    ],
)
def test_so_does_every_link_of_a_desk(
    season: Client, role: str, own: tuple[str, ...], there: str
) -> None:
    """What anyone sees was walked by a visitor: of that, one of each form that is led to."""
    somebody: Client = Client(season.app)
    somebody.cookies.set("palmares", signed_in(season.app.state.app_state, role, demo.PEOPLE[role]))
    seen, forms = walked(somebody, f"/{role}", (*own, "account"))
    assert any(one.startswith(there) for one in seen)
    assert len(forms) > 5
