"""One-time codes: the picture of a new key, and codes that a director wants."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

import pyotp
import pytest
import segno
from defusedxml.ElementTree import fromstring
from litestar import Litestar

from palmares.core.errors import Refused
from palmares.web.accounts import credentials, login, store
from palmares.web.http.state import AppState
from tests.web.conftest import GOOD, AsRole, Client, Clock
from tests.web.visits import JSON, enter, send, who

STEP = re.compile(r"([Mmh])(-?[\d.]+)(?: (-?[\d.]+))?")


def dots(picture: str) -> tuple[int, list[tuple[int, int]]]:
    """The side of a QR code with its margin, and the places that are black in it."""
    svg: Element = fromstring(picture)
    ground, drawn = svg
    side = int(svg.attrib["viewBox"].split()[2])
    assert ground.attrib == {"fill": "#fff", "d": f"M0 0h{side}v{side}h-{side}z"}
    assert drawn.attrib.keys() == {"stroke", "d"}
    found, x, y = [], 0, 0
    for what, one, other in STEP.findall(drawn.attrib["d"]):
        if what == "h":
            found += [(x + more, y) for more in range(int(one))]
            x += int(one)
        elif what == "M":
            x, y = int(one), int(float(other) - 0.5)
        else:
            x, y = x + int(one), y + int(other)
    return side, found


def test_what_is_drawn_is_the_address_that_authenticators_read() -> None:
    address = credentials.provisioning_uri(credentials.new_secret(), "Dita Ředitelka & Söhne")
    side, black = dots(credentials.qr_code(address))
    squares = segno.make_qr(address, error="m").matrix_iter(border=4)
    expected = [(x, y) for y, row in enumerate(squares) for x, dark in enumerate(row) if dark]
    assert sorted(black) == sorted(expected)
    assert len(black) > 500
    assert side == 4 + segno.make_qr(address, error="m").symbol_size(border=0)[0] + 4


def test_the_page_draws_it_within_the_policy(client: Client, the_site: AppState) -> None:
    token = login.first_link(the_site)
    send(client, f"/welcome/{token}", name='<b>" & Co', password=GOOD, again=GOOD)
    page = client.get("/sign-in/codes", headers=JSON).json()
    secret = page["secret"].replace(" ", "")
    assert pyotp.parse_uri(page["address"]).secret == secret
    assert page["picture"] == credentials.qr_code(page["address"])
    html = client.get("/sign-in/codes", headers={"accept": "text/html"}).text
    assert page["picture"] in html
    assert 'role="img" aria-label="QR code of the key that stands below"' in html
    assert page["secret"] in html
    assert "style=" not in html


@pytest.fixture
def coded(client: Client, director: store.AccountRecord, clock: Clock) -> pyotp.TOTP:
    """A director who has set up codes, and is signed in: the authenticator."""
    enter(client, director.name)
    secret = client.get("/account/codes", headers=JSON).json()["secret"].replace(" ", "")
    found = pyotp.TOTP(secret)
    answer = send(client, "/account/codes", password=GOOD, code=found.at(clock.now))
    assert answer.status_code == 200, answer.text
    assert len(re.findall(r"<code>(?:[a-z2-7]{4}-){3}[a-z2-7]{4}</code>", answer.text)) == 10
    return found


def test_a_director_may_want_codes(
    client: Client, director: store.AccountRecord, coded: pyotp.TOTP, clock: Clock
) -> None:
    assert who(client) == director.name
    assert client.get("/account", headers=JSON).json()["has_codes"]
    assert client.get("/account/codes", follow_redirects=False).headers["location"] == "/account"
    send(client, "/sign-out")
    assert enter(client, director.name).headers["location"] == "/sign-in/code"
    assert who(client) is None
    clock.now += 30
    answer = send(client, "/sign-in/code", code=coded.at(clock.now))
    assert answer.headers["location"] == "/director"
    assert who(client) == director.name


def test_guesses_of_a_directors_code_count(
    the_site: AppState, director: store.AccountRecord, coded: pyotp.TOTP
) -> None:
    """The right password in between does not make them forgotten."""
    for _ in range(5):
        login.check_password(the_site, director.name, GOOD, "192.0.2.1")
        with pytest.raises(Refused):
            login.check_code(the_site, director.id, "12345", "192.0.2.1")
    with pytest.raises(login.TooManyAttempts):
        login.check_password(the_site, director.name, GOOD, "192.0.2.1")


def test_setting_up_signs_out_everywhere_else(
    app: Litestar, client: Client, director: store.AccountRecord, clock: Clock
) -> None:
    other: Client = Client(app)
    enter(other, director.name)
    enter(client, director.name)
    before = client.cookies["palmares"]
    secret = client.get("/account/codes", headers=JSON).json()["secret"].replace(" ", "")
    code = pyotp.TOTP(secret).at(clock.now)
    send(client, "/account/codes", password=GOOD, code=code)
    assert who(other) is None
    assert who(client) == director.name
    assert client.cookies["palmares"] != before


def test_a_session_alone_sets_up_nothing(
    client: Client, director: store.AccountRecord, clock: Clock
) -> None:
    enter(client, director.name)
    first = client.get("/account/codes", headers=JSON).json()["secret"]
    made = pyotp.TOTP(first.replace(" ", ""))
    wrong = "eleven quiet ferries"
    answer = send(client, "/account/codes", password=wrong, code=made.at(clock.now))
    assert answer.status_code == 422
    assert "That is not your password." in answer.text
    assert first in answer.text  # the key that is in the authenticator by now
    answer = send(client, "/account/codes", password=GOOD, code=made.at(clock.now + 300))
    assert answer.status_code == 422
    assert "That code is wrong" in answer.text
    assert not client.get("/account", headers=JSON).json()["has_codes"]


def test_a_director_ends_them(
    client: Client, director: store.AccountRecord, coded: pyotp.TOTP
) -> None:
    answer = send(client, "/account/codes/end", password=GOOD[:-1])
    assert answer.status_code == 422
    assert client.get("/account", headers=JSON).json()["has_codes"]
    assert send(client, "/account/codes/end", password=GOOD).headers["location"] == "/account"
    assert not client.get("/account", headers=JSON).json()["has_codes"]
    send(client, "/sign-out")
    assert enter(client, director.name).headers["location"] == "/director"


def test_an_officer_cannot(client: Client, officer: store.AccountRecord, clock: Clock) -> None:
    enter(client, officer.name)
    clock.now += 30
    send(client, "/sign-in/code", code=pyotp.TOTP(str(officer.secret)).at(clock.now))
    assert "/account/codes/end" not in client.get("/account").text
    answer = send(client, "/account/codes/end", password=GOOD)
    assert answer.status_code == 422
    assert "Your role needs one-time codes." in answer.text
    assert client.get("/account", headers=JSON).json()["has_codes"]


def test_a_first_code_without_an_offer_leads_to_one(as_role: AsRole) -> None:
    answer = as_role("director").post("/account/codes", data={}, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/account/codes")
