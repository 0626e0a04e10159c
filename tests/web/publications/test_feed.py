"""The feed of official lists."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest
from defusedxml.ElementTree import fromstring
from litestar import Litestar

from palmares.core.errors import Refused
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal
from palmares.lists.publication import make_publication
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.web.app import site
from palmares.web.http.i18n import wording
from palmares.web.publications.views import FeedEntry, PublicationFeed
from palmares.web.settings import Settings
from palmares.web.shared.downloads import atom
from palmares.web.shared.lists import published_lists
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import DAY, Client
from tests.web.publications.test_published_pages import publish
from tests.web.seasons import text, winter

A = "{http://www.w3.org/2005/Atom}"
ADDRESS = "/published.atom"


def read(client: Client) -> Any:
    """The feed, parsed."""
    answer = client.get(ADDRESS)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/atom+xml"
    return fromstring(answer.content)


def links(element: Any) -> list[tuple[str, str, str]]:
    """The links of a feed or an entry: relation, address, media type."""
    found = element.findall(f"{A}link")
    return [(one.get("rel"), one.get("href"), one.get("type")) for one in found]


@pytest.fixture
def entry(journal: Journal) -> int:
    """The entry of the list of the year's end."""
    winter(journal)
    return publish(journal)


def test_nothing_is_published_yet(client: Client) -> None:
    root = read(client)
    assert root.tag == f"{A}feed"
    assert root.findall(f"{A}entry") == []
    assert root.findtext(f"{A}updated") == "1970-01-01T00:00:00Z"


def test_what_was_published(client: Client, journal: Journal, entry: int) -> None:
    root = read(client)
    assert root.findtext(f"{A}title") == "Palmares: Official lists"
    assert root.findtext(f"{A}author/{A}name") == "Palmares"
    assert links(root) == [
        ("self", "http://testserver.local/published.atom", "application/atom+xml"),
        ("alternate", "http://testserver.local/published", "text/html"),
    ]
    (one,) = root.findall(f"{A}entry")
    assert one.findtext(f"{A}title").endswith(", 31 December 2019")
    assert one.findtext(f"{A}summary") == "The year's last"
    assert one.findtext(f"{A}published") == journal.head().recorded_at
    assert one.findtext(f"{A}updated") == journal.head().recorded_at
    assert root.findtext(f"{A}updated") == journal.head().recorded_at
    at = f"http://testserver.local/published/{entry}"
    assert links(one) == [
        ("alternate", at, "text/html"),
        ("related", f"{at}/manifest", "application/json"),
        ("related", f"{at}/verification", "text/html"),
    ]
    for _, href, _ in links(one):
        assert client.get(href).status_code == 200


def test_its_ids_stay_wherever_the_site_is(settings: Settings, client: Client, entry: int) -> None:
    moved = site(replace(settings, public_url="https://ranking.example"))
    elsewhere: Client = Client(moved, base_url="https://ranking.example")
    here, there = read(client), read(elsewhere)
    assert there.find(f"{A}link").get("href") == "https://ranking.example/published.atom"
    for path in (f"{A}id", f"{A}entry/{A}id"):
        assert here.findtext(path) == there.findtext(path)
        assert here.findtext(path).startswith("urn:uuid:")
    assert here.findtext(f"{A}id") != here.findtext(f"{A}entry/{A}id")


def test_the_latest_first_and_what_was_taken_back(
    client: Client, journal: Journal, entry: int
) -> None:
    (before,) = read(client).findall(f"{A}entry")
    publish(journal, by="nation")
    journal.record([say.undo(entry)], OFFICER)
    root = read(client)
    nations, players = root.findall(f"{A}entry")
    assert ": nations, 31 December 2019" in nations.findtext(f"{A}title")
    assert players.findtext(f"{A}title").endswith("31 December 2019 (taken back)")
    assert players.findtext(f"{A}id") == before.findtext(f"{A}id")
    assert players.findtext(f"{A}published") == before.findtext(f"{A}published")
    assert players.findtext(f"{A}updated") == journal.head().recorded_at
    assert root.findtext(f"{A}updated") == journal.head().recorded_at


def test_a_reader_that_has_it_is_told_so(client: Client, journal: Journal, entry: int) -> None:
    etag = client.get(ADDRESS).headers["etag"]
    again = client.get(ADDRESS, headers={"if-none-match": etag})
    assert (again.status_code, again.content) == (304, b"")
    publish(journal, by="nation")
    assert client.get(ADDRESS, headers={"if-none-match": etag}).status_code == 200


def test_a_site_has_the_name_of_its_federation(settings: Settings, journal: Journal) -> None:
    """On every page, in its title, and in the feed; what it is called stands escaped."""
    with Client(site(replace(settings, name="Lakes & <Rivers>"))) as client:
        page = text(client, "/")
        feed = read(client)
    assert "Lakes &amp; &lt;Rivers&gt;</a>" in page
    assert "<title>Lakes &amp; &lt;Rivers&gt;</title>" in page
    assert feed.findtext(f"{A}title") == "Lakes & <Rivers>: Official lists"
    assert feed.findtext(f"{A}author/{A}name") == "Lakes & <Rivers>"


def test_pages_lead_to_it(client: Client) -> None:
    for page in ("/", "/published"):
        assert 'type="application/atom+xml" title="Official lists" href="/published.atom"' in text(
            client, page
        )


def test_whatever_a_note_says_it_is_xml(client: Client, entry: int, app: Litestar) -> None:
    (listed,) = published_lists(app.state.app_state.snapshot())
    note = "]]></summary><script>x</script>&\x00\x1b[2J\ud800\ufffe \U0001f3b2"
    told = FeedEntry(
        published=replace(listed, note=note),
        id="urn:uuid:1",
        recorded_at="2020-01-01T00:00:00Z",
        updated_at="2020-01-01T00:00:00Z",
    )
    given = PublicationFeed(id="urn:uuid:0", updated_at="2020-01-01T00:00:00Z", lists=(told,))
    text = atom("feed.xml", given, wording("en"), 'http://"><script>', "A & <B>")
    root = fromstring(text)
    (one,) = root.findall(f"{A}entry")
    assert one.findtext(f"{A}summary") == (
        "]]></summary><script>x</script>&\ufffd\ufffd[2J\ufffd\ufffd \U0001f3b2"
    )
    assert {element.tag.removeprefix(A) for element in root.iter()} == {
        "feed", "id", "title", "updated", "author", "name", "link", "entry", "published", "summary"
    }  # fmt: skip


def test_a_note_that_cannot_be_seen_is_refused(client: Client, journal: Journal) -> None:
    winter(journal)
    facts = load_projection(journal).facts
    for note, why in (("a\u202eb", "U+202E"), ("a\nb", "a line break"), ("x" * 201, "201 char")):
        with pytest.raises(Refused, match=r"^The note .*" + re.escape(why)):
            make_publication(Question(regulation="wbgf"), facts, Selection(as_of=DAY), note=note)
    noted = make_publication(
        Question(regulation="wbgf"), facts, Selection(as_of=DAY), note=" a\u0301 "
    )
    assert noted.publication.note == "\u00e1"
