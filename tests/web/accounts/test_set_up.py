"""One-time codes: the picture of a new key."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

import pyotp
import segno
from defusedxml.ElementTree import fromstring

from palmares.web.accounts import credentials, login
from palmares.web.http.state import AppState
from tests.web.conftest import GOOD, Client
from tests.web.visits import JSON, send

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
