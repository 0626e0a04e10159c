"""The desk of draws: announced by a form, revealed by another, drawn as anyone can repeat."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from palmares.journal.store.journal import Journal
from palmares.tournaments.draw.announcement import read
from palmares.tournaments.draw.sources import commitment
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import AsRole, Client, Clock
from tests.web.tournaments.test_notices import EVENT, published

LATER = datetime.now(UTC) + timedelta(hours=12)
ROLLED = "3 5 1 6 2 2 4 6 1 3 5 5 2 6 4 1"


def typed(**more: str) -> dict[str, str]:
    """A form as a director fills it in."""
    return {
        "step": "check", "draw": "riga-open", "event": "Riga Open", "format": "knockout",
        "entries": "1. Ada Novak (CZE)\n2) p2\nchen\ndora\nemil", "seeds": "2", "seeding": "placed",
        "byes": "highest", "source": "dice", "dice": "16 dice", "missing": "void",
        "when": LATER.strftime("%Y-%m-%dT%H:%M"), "apart": "1 round (Riga club): chen, dora",
    } | more  # fmt: skip


@pytest.fixture
def director(journal: Journal, as_role: AsRole, clock: Clock) -> Client:
    """A director of a federation that knows Ada; the site's clock is that of the journal."""
    clock.now = int((LATER - timedelta(minutes=12)).timestamp())
    journal.record([say.player("p1", "Ada Novak", "CZE")], OFFICER)
    journal.record([say.player("p2", "Bo Lund", "DNK")], OFFICER)
    return as_role("director")


def announcement(page: str) -> str:
    from html import unescape

    return unescape(page.partition('name="file" value="')[2].partition('"')[0])


def test_a_draw_is_announced_recorded_and_revealed(
    director: Client, client: Client, clock: Clock
) -> None:
    checked = director.post("/desk/draws", data=typed())
    assert checked.status_code == 200, checked.text
    text = announcement(checked.text)
    announced = read(text.encode())
    assert announced.sha256 in checked.text
    assert announced.content.entries == ["p1", "p2", "chen", "dora", "emil"]
    assert client.get("/api/v1/draws").json()["items"] == []

    record = {"step": "record", "file": text}
    done = director.post("/desk/draws", data=record, follow_redirects=False)
    address = done.headers["location"]
    entry = address.rpartition("/")[2]
    assert "Type in the randomness" in director.get(address).text
    assert "16 dice: 16 numbers, in order" in director.get(f"/desk/draws/{entry}").text

    early = director.post(f"/desk/draws/{entry}", data={"0": ROLLED})
    assert early.status_code == 422
    assert "Wait until then." in early.text
    clock.now = int(LATER.timestamp())
    halves = director.post(f"/desk/draws/{entry}", data={"0": ROLLED.replace(" ", ".", 1)})
    assert halves.status_code == 422, "of 3.5 nobody knows whether it is one die or two"
    short = director.post(f"/desk/draws/{entry}", data={"0": "3 5"})
    assert "Compare it with the announcement" in short.text
    assert 'value="3 5"' in short.text
    director.post(f"/desk/draws/{entry}", data={"0": ROLLED})
    places = client.get(f"/api/v1/draws/{entry}").json()["result"]["places"]
    assert set(places) == {*announced.content.entries, None}
    again = director.get(f"/desk/draws/{entry}").text
    assert "The randomness is recorded, and the draw is made." in again
    assert "Record and draw" not in again


def test_a_draw_that_was_announced_needs_a_reason(director: Client, client: Client) -> None:
    text = announcement(director.post("/desk/draws", data=typed()).text)
    director.post("/desk/draws", data={"step": "record", "file": text})
    without = director.post("/desk/draws", data=typed(seeds="1"))
    assert without.status_code == 422
    assert "riga-open is announced already. Say why it is announced again" in without.text
    again = announcement(director.post("/desk/draws", data=typed(seeds="1", reason="A seed")).text)
    director.post("/desk/draws", data={"step": "record", "file": again})
    states = [row["state"] for row in client.get("/api/v1/draws").json()["items"]]
    assert states == ["announced", "replaced"]
    first = client.get("/api/v1/draws").json()["items"][1]["entry"]
    assert "This draw was announced again." in director.get(f"/desk/draws/{first}").text
    late = director.post("/desk/draws", data=typed() | {"step": "record", "file": text})
    assert (late.status_code, "riga-open is announced already" in late.text) == (422, True)
    assert "chen" in late.text.partition('name="entries"')[2].partition("</textarea>")[0]  # kept


LOTTERIES = """
palmares_draw = 1
draw = "riga-groups"
event = "Riga groups"
format = "groups"
entries = ["p1", "p2", "chen", "dora", "emil", "fay"]
groups = 3
pots = [["p1", "p2", "chen"]]
apart = [{{who = ["dora", "emil"], rounds = 1, why = "Riga club"}}]
alternates = ["gus"]
{lotteries}
"""
LOTTERY = """
[[randomness]]
kind = "numbers"
source = "lottery of {day}"
when = 2098-11-{day}T18:00:00Z
count = 6
from = 1
to = 49
repeats = false
ascending = true
"""


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("when", "2098-11-21T18:00+02:00"),  # is 16:00 in UTC
        ("when", "2098-11-21T18:00 CET"),
        ("apart", f"{'9' * 30} rounds: chen, dora"),
        ("apart", f"{'9' * 5000} rounds: chen, dora"),
    ],
)
def test_a_time_or_a_number_that_cannot_be_meant_is_refused(
    director: Client, field: str, text: str
) -> None:
    answer = director.post("/desk/draws", data=typed(**{field: text}))
    assert answer.status_code == 422
    assert text[:20] in answer.text


def test_an_announcement_is_pasted_as_a_file(director: Client) -> None:
    file = LOTTERIES.format(lotteries="".join(LOTTERY.format(day=day) for day in (21, 24)))
    pasted = director.post("/desk/draws", data={"step": "check", "file": file})
    assert pasted.status_code == 200, pasted.text
    content: Any = read(announcement(pasted.text).encode()).content
    assert [source.source for source in content.randomness] == ["lottery of 21", "lottery of 24"]
    assert (content.pots, content.alternates) == ([["p1", "p2", "chen"]], ["gus"])

    record = {"step": "record", "file": announcement(pasted.text)}
    address = director.post("/desk/draws", data=record, follow_redirects=False).headers["location"]
    fields = director.get(address.replace("/draws/", "/desk/draws/")).text
    assert "lottery of 24: 6 numbers, in order" in fields


def test_late_entries_join_a_drawn_bracket(director: Client, client: Client, clock: Clock) -> None:
    def drawn(**more: str) -> int:
        text = announcement(director.post("/desk/draws", data=typed(**more)).text)
        done = director.post("/desk/draws", data={"step": "record", "file": text},
                             follow_redirects=False)  # fmt: skip
        clock.now += 15 * 60
        entry = int(done.headers["location"].rpartition("/")[2])
        assert director.post(f"/desk/draws/{entry}", data={"0": ROLLED}).status_code == 200
        return entry

    first = drawn()
    late = {"draw": "riga-late", "format": "late", "entries": "zoe", "apart": "",
            "when": (LATER + timedelta(minutes=15)).strftime("%Y-%m-%dT%H:%M")}  # fmt: skip
    unnamed = director.post("/desk/draws", data=typed(**late))
    assert "Choose the draw that the late entries join." in unnamed.text
    assert 'value="riga-open"' in director.get("/desk/draws").text
    second = drawn(**late, joins="riga-open")
    before, after = (
        client.get(f"/api/v1/draws/{entry}").json()["result"]["places"] for entry in (first, second)
    )
    assert after.count("zoe") == 1
    assert [who for who in after if who != "zoe"].count(None) == before.count(None) - 1
    assert [new for old, new in zip(before, after, strict=True) if old] == list(
        filter(None, before)
    )


def test_feeds_are_those_of_the_notice(director: Client, journal: Journal) -> None:
    published(journal)
    page = director.post("/desk/draws", data=typed(notice=EVENT)).text
    content: Any = read(announcement(page).encode()).content
    assert [(feed.name, feed.rounds) for feed in content.feeds] == [("consolation", [1, 2])]


def test_a_round_of_drand_and_secrets_are_announced(director: Client) -> None:
    page = director.post("/desk/draws", data=typed(source="drand", apart="")).text
    source: Any = read(announcement(page).encode()).content.randomness[0]
    assert source.round > 0
    lines = "\n".join(f"{who} {commitment('riga-open', who, '00' * 32)}" for who in ("ana", "bo"))
    page = director.post("/desk/draws", data=typed(source="secrets", commitments=lines)).text
    secrets: Any = read(announcement(page).encode()).content.randomness[0]
    assert [each.id for each in secrets.commitments] == ["ana", "bo"]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"entries": "Ada Nowak\np2"}, "Ada Nowak is no player here. Write the player"),
        ({"entries": "Dora\ndora"}, "Dora and dora differ only in capitals. Give one of them"),
        ({"file": "palmares_draw = "}, "1: the value after = cannot be read"),
        ({"entries": "p1\np1"}, "Correct the list of entries"),
        ({"apart": "chen and dora"}, "Kept apart: chen and dora cannot be read."),
        ({"apart": "9 rounds: chen, dora"}, "Correct who is kept apart"),
        ({"seeds": "all"}, "Seeds: write a whole number."),
        ({"when": "tonight"}, "tonight is no time. Write a time in UTC"),
        ({"when": "2098-1-2T3:4"}, "2098-1-2T3:4 is no time. Write a time in UTC"),
        ({"when": "2098-11-21T18:0"}, "2098-11-21T18:0 is no time. Write a time in UTC"),
        ({"when": "2020-01-01T10:00"}, "Choose another source or a later time"),
        ({"draw": "Riga Open"}, "Correct the file, then announce again"),
        ({"step": "record", "file": "{}"}, "Correct the file, then announce again"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_recorded(
    director: Client, client: Client, change: dict[str, str], why: str
) -> None:
    answer = director.post("/desk/draws", data=typed() | change)
    assert answer.status_code == 422
    assert why in answer.text
    assert client.get("/api/v1/draws").json()["items"] == []


def test_what_is_no_announcement_is_not_found(director: Client) -> None:
    assert director.get("/desk/draws/1").status_code == 404


def test_visitors_announce_nothing(client: Client) -> None:
    assert client.get("/desk/draws", follow_redirects=False).status_code in (302, 303)
