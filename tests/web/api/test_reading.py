"""Every address that is read: tags, whole lists page by page, the same as the pages."""

from __future__ import annotations

import re
from typing import Any

import pytest

from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal
from palmares.web.api.description import description
from palmares.web.routes import ROUTES
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.api.addresses import ADDRESSES, ENTRY, EVENT, P, everything
from tests.web.conftest import Client
from tests.web.http.test_bodies import token_of
from tests.web.seasons import json

TEXTS = re.compile(r"(\w+_)?points")
"""The texts beside nanopoints."""
LISTED = sorted(
    one["operationId"]
    for ways in description(ROUTES)["paths"].values()
    for one in ways.values()
    if any(part["name"] == "cursor" for part in one.get("parameters", ()))
    and one["operationId"] in ADDRESSES
)


# ── what every address has ───────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ADDRESSES)
def test_it_has_a_tag_and_may_be_read_from_anywhere(reader: Client, name: str) -> None:
    address = P + ADDRESSES[name][0]
    first = reader.get(address)
    assert first.headers["access-control-allow-origin"] == "*"
    assert first.headers["cache-control"] == "no-cache"
    again = reader.get(address, headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    head = reader.head(address)
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers["etag"] == first.headers["etag"]


@pytest.mark.parametrize("name", LISTED)
def test_its_pages_together_are_the_list(reader: Client, name: str) -> None:
    for address in ADDRESSES[name]:
        asked = address.replace("limit=", "page=").partition("page=")[0].rstrip("?&")
        sign = "&" if "?" in asked else "?"
        whole = json(reader, f"{P}{asked}{sign}limit=1000")
        assert whole["next"] is None
        rows, more = [], f"{P}{asked}{sign}limit=1"
        while more:
            page = json(reader, more)
            assert len(page["items"]) <= 1
            rows += page["items"]
            more = page["next"]
        assert rows == whole["items"], address


def test_lists_that_move_are_read_to_the_end(client: Client, journal: Journal) -> None:
    """A player and a tournament that come between two pages are on the next list."""
    everything(journal)
    for address, column, new in (
        ("/players", "player_id", say.player("P0", "Aaron First")),
        ("/tournaments", "tournament_id", say.report("Zenith", {"P1": 1}, day="2025-01-01")),
    ):
        whole = [one[column] for one in json(client, f"{P}{address}?limit=1000")["items"]]
        begun = json(client, f"{P}{address}?limit=1")
        journal.record([new], OFFICER)
        rest = json(client, begun["next"].replace("limit=1&", "limit=1000&"))
        assert [one[column] for one in begun["items"] + rest["items"]] == whole, address
        assert rest["entry"] == begun["entry"]
        after = json(client, f"{P}{address}?limit=1000")
        assert after["entry"] == begun["entry"] + 1
        assert len(after["items"]) == len(whole) + 1


# ── the same as the pages ────────────────────────────────────────────────────────────────────────


def bare(told: Any) -> Any:
    """An answer without the texts of its points."""
    if isinstance(told, dict):
        return {name: bare(one) for name, one in told.items() if not TEXTS.fullmatch(name)}
    return [bare(one) for one in told] if isinstance(told, list) else told


@pytest.mark.parametrize(
    ("address", "page"),
    [
        ("/search?search=novak", "/search?search=novak"),
        (f"/players/P1/wbgf/awards/{EVENT}/main/performance?as_of=2019-12-31",
         f"/players/P1/wbgf/2019-12-31/awards/{EVENT}/main/performance"),
        ("/nations/DEU", "/nations/DEU"),
        ("/tournaments/Winter", "/tournaments/Winter"),
        (f"/publications/{ENTRY}/manifest", f"/published/{ENTRY}/manifest"),
        (f"/publications/{ENTRY}/verification", f"/published/{ENTRY}/verification"),
        ("/regulations", "/regulations"),
        ("/regulations/usbgf", "/regulations/usbgf"),
        ("/regulations/usbgf/2015-05", "/regulations/usbgf/2015-05"),
        ("/regulations/usbgf/compare?a=2015-05", "/regulations/usbgf/compare?a=2015-05"),
        ("/bridge/events/york%2Fteams?match=m1", "/events/york%2Fteams?match=m1"),
    ],
)  # fmt: skip
def test_the_data_are_those_of_the_page(reader: Client, address: str, page: str) -> None:
    told, shown = bare(json(reader, P + address)), bare(json(reader, page))
    assert {name: shown[name] for name in told} == told


def test_the_page_of_a_player_has_all_that_the_api_has(reader: Client) -> None:
    """And one page of results, and the answers to its forms, beside it."""
    told = bare(json(reader, f"{P}/players/P1/wbgf?as_of=2019-12-31"))
    shown = bare(json(reader, "/players/P1/wbgf/2019-12-31"))
    assert {name: shown[name] for name in told} == told


@pytest.mark.parametrize(
    ("address", "page", "rows"),
    [
        ("/rankings/wbgf?as_of=2019-12-31&nation=DEU", "/rankings/wbgf/2019-12-31?nation=DEU",
         "items"),
        ("/rankings/wbgf/nations?as_of=2019-12-31", "/rankings/wbgf/2019-12-31/nations", "items"),
        ("/rankings/usbgf/totals", "/rankings/usbgf/totals", "items"),
        ("/players?search=a", "/players?search=a", "items"),
        ("/tournaments?search=open", "/tournaments?search=open", "items"),
        ("/publications", "/published", "items"),
        (f"/publications/{ENTRY}", f"/published/{ENTRY}", "items"),
        ("/bridge/events", "/bridge", "items"),
    ],
)  # fmt: skip
def test_the_rows_are_those_of_the_page(reader: Client, address: str, page: str, rows: str) -> None:
    told, shown = json(reader, P + address)["items"], json(reader, page)[rows]
    assert bare(told) == bare(shown)
    assert told or "usbgf" in address


@pytest.mark.parametrize("name", ["performance", "master-points", "percentile"])
def test_calculators_calculate_the_same(reader: Client, name: str) -> None:
    told = json(reader, f"{P}/calculators/{name}?day=2019-12-31&place=2")
    shown = json(reader, f"/calculators/{name}?day=2019-12-31&place=2")
    for part in ("awards", "nanopoints", "no_points", "covered", "remarks"):
        assert bare(told[part]) == bare(shown[part])
    assert [one["value"] for one in told["fields"] if one["name"] == "place"] == ["2"]
    assert told["awards"]


# ── what is not there, or elsewhere ──────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("address", "status", "says"),
    [
        ("/players/nobody", 404, "There is no such player"),
        ("/players/nobody/wbgf", 404, "There is no such player"),
        ("/players/P1/chess", 404, "There is no such list."),
        ("/players/P1/wbgf/awards/x/main/performance", 404, "There is no such player, or no such"),
        ("/players/P1/wbgf?as_of=1700-01-01", 400, "There is no list for 1700-01-01"),
        ("/nations/XXX", 404, "There is no such nation."),
        ("/nations/FRA", 404, "Nobody plays for that nation"),
        ("/tournaments/nowhere", 404, "There is no such tournament."),
        ("/publications/999", 404, "No list was published with that entry."),
        ("/publications/x", 404, "There is nothing at this address."),
        ("/publications/999/manifest", 404, "No list was published with that entry."),
        ("/publications/1/verification", 404, "No list was published with that entry."),
        ("/regulations/chess", 404, "There is no regulation chess."),
        ("/regulations/usbgf/1066", 404, "usbgf has no edition 1066."),
        ("/calculators/chess", 404, "There is nothing at this address."),
        ("/bridge/events/Winter%2Fmain", 404, "There is no such event of bridge teams."),
        ("/bridge/events/york%2Fteams?scale=x", 400, ""),
        ("/rankings/dptr/nations", 400, ""),
    ],
)
def test_what_is_not_there(reader: Client, address: str, status: int, says: str) -> None:
    answer = reader.get(P + address)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["detail"].startswith(says)


def test_what_is_wrong_with_a_calculation_is_named(reader: Client) -> None:
    answer = reader.get(f"{P}/calculators/performance?entry_fee=much&place=0")
    assert answer.status_code == 422
    assert {one["where"] for one in answer.json()["problems"]} == {"entry_fee", "place"}
    answer = reader.get(f"{P}/calculators/victory-points?boards=x")
    assert [one["where"] for one in answer.json()["problems"]] == ["boards"]


def test_a_merged_record_shows_the_other(client: Client, journal: Journal) -> None:
    everything(journal)
    journal.record([say.merge("P9", "P/9")], OFFICER)
    for more in ("", "/wbgf?as_of=2019-12-31", "/wbgf/gains", "/wbgf/against/P1"):
        assert json(client, f"{P}/players/P9{more}") == json(client, f"{P}/players/P%2F9{more}")
    assert json(client, f"{P}/players/P9?known_at=%239")["person"]["player_id"] == "P9"


def test_another_code_shows_the_nation(reader: Client) -> None:
    assert json(reader, f"{P}/nations/GER") == json(reader, f"{P}/nations/DEU")


def test_a_withdrawn_tournament_says_so(client: Client, journal: Journal) -> None:
    everything(journal)
    journal.record([say.withdrawal("Winter")], OFFICER)
    assert (
        client.get(f"{P}/tournaments/Winter").json()["detail"] == "This tournament was withdrawn."
    )
    assert json(client, f"{P}/tournaments/Winter?known_at=%236")["name"] == "Winter Open"


# ── who is who ───────────────────────────────────────────────────────────────────────────────────


def test_authors_are_named_to_accounts_alone(client: Client, journal: Journal) -> None:
    everything(journal)
    token = token_of(client.app.state.app_state, "director")
    address = f"{P}/tournaments/Winter"
    assert [one["author"] for one in json(client, address)["versions"]] == [None]
    answer = client.get(address, headers={"authorization": f"Bearer {token}"})
    assert [one["author"] for one in answer.json()["versions"]] == ["Rita Officer"]
    assert answer.headers["cache-control"] == "private, no-cache"
    assert "access-control-allow-origin" not in answer.headers
    tag = {"authorization": f"Bearer {token}", "if-none-match": answer.headers["etag"]}
    assert client.get(address, headers=tag).status_code == 304
    assert [one["author"] for one in json(client, address)["versions"]] == [None]


def test_an_erased_name_is_nowhere(client: Client, journal: Journal) -> None:
    everything(journal)
    person = load_projection(journal).state.group("players")["P1"][0].body.person
    body = {"reason": "asked for it", "persons": [person]}
    with journal.writing(OFFICER) as writer:
        writer.extend([Draft(kind="erasure", subject="P1", body=body)])
        writer.erase([person])
    for addresses in ADDRESSES.values():
        for address in addresses:
            assert "Novák" not in client.get(P + address).text, address
