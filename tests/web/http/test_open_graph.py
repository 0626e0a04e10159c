"""What a page says of itself to whoever shows a link to it, and the sign beside its address."""

from __future__ import annotations

import struct
from dataclasses import replace
from html.parser import HTMLParser

from palmares.journal.store.journal import Journal
from palmares.web.app import site
from palmares.web.settings import Settings
from tests.web.conftest import AsRole, Client
from tests.web.seasons import winter

ROOT = "http://testserver.local"


class Tags(HTMLParser):
    """The Open Graph tags of a page, and its title."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: dict[str, str | None] = {}
        self.title = ""
        self._in_title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if name := given.get("property"):
            self.found[name] = given["content"]
        self._in_title = tag == "title" and not self.title

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data

    def handle_endtag(self, tag: str) -> None:
        self._in_title = False


def test_a_page_has_title_sort_picture_and_address(client: Client, journal: Journal) -> None:
    """The four that https://ogp.me requires."""
    winter(journal)
    page = Tags(client.get("/rankings/wbgf/2020-12-31?search=%22ada").text)
    assert page.title.startswith("WBGF Backgammon World Ranking, ")
    assert page.found["og:title"] == page.title
    assert page.found["og:type"] == "website"
    assert str(page.found["og:description"]).startswith("First: Ada Novák, ")
    assert page.found["og:url"] == f"{ROOT}/rankings/wbgf/2020-12-31"
    picture = page.found["og:image"]
    assert picture is not None
    answer = client.get(picture.removeprefix(ROOT))
    assert answer.headers["content-type"] == "image/png"
    assert answer.content.startswith(b"\x89PNG\r\n\x1a\n")


def test_what_nobody_else_may_open_has_no_address(client: Client, as_role: AsRole) -> None:
    """A link of an invitation is good once, and is nobody else's; nor is there a page of a desk."""
    for text in (client.get("/welcome/x").text, client.get("/nowhere").text,
                 as_role("director").get("/director").text):  # fmt: skip
        page = Tags(text)
        assert page.found["og:title"] == page.title
        assert "og:url" not in page.found


def test_a_browser_finds_the_sign_without_reading_a_page(client: Client) -> None:
    """ICO: reserved 0, kind 1, one picture of 32 by 32, which is the rest of the file."""
    answer = client.get("/favicon.ico")
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/x-icon")
    assert struct.unpack_from("<HHHBB", answer.content) == (0, 1, 1, 32, 32)
    size, start = struct.unpack_from("<II", answer.content, 14)
    assert (size + start, answer.content[start : start + 4]) == (len(answer.content), b"\x89PNG")
    tag = {"if-none-match": answer.headers["etag"]}
    assert client.get("/favicon.ico", headers=tag).status_code == 304


def test_a_federation_has_its_colour(client: Client, settings: Settings) -> None:
    assert client.get("/federation.css").text == ":root { --accent: #0c5a78; }\n"
    with Client(site(replace(settings, accent="#f0b400"))) as theirs:
        answer = theirs.get("/federation.css")
        assert answer.headers["content-type"].startswith("text/css")
        assert answer.text == ":root { --accent: #f0b400; }\n"
