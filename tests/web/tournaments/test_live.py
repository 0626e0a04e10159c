"""Live events on the site: seen by anyone, run by directors, by forms."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import re
from decimal import Decimal
from typing import Any

import msgspec
import pytest

from palmares.journal.store.events import event_records, record_event
from palmares.journal.store.journal import Journal
from palmares.tournaments.running import start
from palmares.tournaments.typed_results import read_setup
from palmares.web.tournaments import live
from palmares.web.tournaments.live import Watcher
from tests.journal.statements import OFFICER, player
from tests.tournaments.draw.test_draw import ROLLED
from tests.tournaments.test_notice import riga
from tests.web.conftest import AsRole, Client
from tests.web.tournaments.test_draw_pages import announced, revealed
from tests.web.tournaments.test_notices import published
from tests.web.visits import send

NAMES = "Ana Novak\nBen Ost\nCy Dee\nbye"
DESK = "/director/live/night"


def started(client: Client, **more: str) -> Any:
    fields = {"name": "Club night", "event": "night", "format": "knockout", "entrants": NAMES,
              "lengths": "5 7", "consolation": "1"}  # fmt: skip
    return send(client, "/director/live", **fields | more)


@pytest.fixture
def desk(as_role: AsRole) -> Client:
    client = as_role("director")
    assert started(client).status_code == 303
    return client


def tap(client: Client, match: str, winner: str, **more: str) -> Any:
    return send(client, f"{DESK}/results", match=match, winner=winner, **more)


def count(journal: Journal) -> int:
    with journal.reading() as reader:
        return len(event_records(reader, "night"))


@pytest.mark.usefixtures("desk")
def test_lines_lead_to_a_round_of_half_as_many_matches_alone(client: Client) -> None:
    """In the Consolation who lost the second round joins the one who won the first: no lines."""
    main, consolation = client.get("/live/night").text.split('aria-labelledby="f-')[1:]
    assert main.count('<section class="joined">') == 1
    assert consolation.count("<section>") == 2
    assert "joined" not in consolation


def test_the_bracket_can_be_printed(desk: Client, client: Client) -> None:
    assert 'href="/live/night/bracket/1?paper=A3"' in client.get("/live/night").text
    for paper, width in (("A4", 210), ("A3", 297)):
        drawn = client.get(f"/live/night/bracket/1?paper={paper}")
        assert drawn.headers["content-type"].startswith("image/svg+xml")
        assert f'width="{width}mm"' in drawn.text
        assert "Ana Novak" in drawn.text
    for missing in ("2", "0", "1?paper=A9"):
        assert client.get(f"/live/night/bracket/{missing}").status_code == 404


def test_a_visitor_sees_what_a_director_taps(desk: Client, client: Client) -> None:
    page = client.get("/live/night").text
    assert "Club night" in page
    assert "Ana Novak – Ben Ost" in page
    assert client.get("/live").text.count('href="/live/night"') == 1
    before = client.get("/live/night").headers["etag"]

    answer = tap(desk, "main:1:1", "1", score="5-2", key="k1")
    assert (answer.status_code, answer.headers["location"]) == (303, DESK)
    data = client.get("/api/v1/live/night").json()
    assert [match["id"] for match in data["next"]] == ["main:2:1"]
    main, consolation = data["flights"]
    first = main["rounds"][0][0]
    assert (first["players"], first["winner"], first["outcome"]["score"]) == (
        ["1", "2"],
        "1",
        [5, 2],
    )
    assert (first["state"], consolation["flight"]) == ("done", "consolation")
    after = client.get("/live/night", headers={"if-none-match": before})
    assert after.status_code == 200
    assert after.headers["etag"] != before
    assert "5–2" in after.text
    again = client.get("/live/night", headers={"if-none-match": after.headers["etag"]})
    assert again.status_code == 304


def test_the_same_tap_twice_and_another_winner(desk: Client, journal: Journal) -> None:
    assert tap(desk, "main:1:1", "1", key="k1").status_code == 303
    assert tap(desk, "main:1:1", "1", key="k1").status_code == 303
    assert tap(desk, "main:1:1", "1", key="k2").status_code == 303
    assert count(journal) == 2
    other = tap(desk, "main:1:1", "2", key="k3")
    assert other.status_code == 422
    assert "this match has another result already: Ana Novak won" in other.text
    assert count(journal) == 2


@pytest.mark.parametrize(
    ("match", "winner", "more", "why"),
    [
        ("main:7:1", "1", {}, "there is no match main:7:1"),
        ("main:2:1", "1", {}, "the players of this match are not known yet"),
        ("main:1:1", "3", {}, "3 does not play this match"),
        ("main:1:1", "1", {"score": "2-5"}, "the loser has 5"),
        ("main:1:1", "1", {"score": f"{'9' * 5000}-1"}, "999"),
        ("main:1:1", "1", {"length": "9" * 5000}, "999"),
    ],
)
def test_what_cannot_be(desk: Client, match: str, winner: str, more: Any, why: str) -> None:
    answer = tap(desk, match, winner, **more)
    assert answer.status_code == 422
    assert why in answer.text


def test_what_was_typed_stays_when_a_result_is_refused(desk: Client) -> None:
    html = tap(desk, "main:1:1", "1", score="2-5", table="7", length="9", how="walkover").text
    for kept in ('value="2-5"', 'value="7"', 'value="9"', 'value="walkover" checked'):
        assert kept in html
    assert "<details open>" in html
    assert "<details open>" not in desk.get(DESK).text


def first_button(page: str, action: str) -> str:
    """The button that Enter in a field of a form takes: the first that sends it."""
    form = page[page.index(f'action="{action}"') :]
    found = re.search("<button[^>]*>", form[: form.index("</form>")])
    assert found is not None
    return found[0]


def test_enter_in_the_score_names_no_winner(desk: Client) -> None:
    """A browser sends nothing where the first button is disabled."""
    assert first_button(desk.get(DESK).text, f"{DESK}/results") == "<button disabled hidden>"


def test_a_correction_shows_what_follows_first(
    desk: Client, client: Client, journal: Journal
) -> None:
    tap(desk, "main:1:1", "1")
    tap(desk, "main:2:1", "1")
    assert "Correct" in desk.get(DESK).text
    assert "Ana Novak" in desk.get(f"{DESK}/change?match=main:1:1").text
    fields = {"action": "correction", "match": "main:1:1", "winner": "2", "how": "played",
              "reason": "tapped the wrong one"}  # fmt: skip
    shown = send(desk, f"{DESK}/change", **fields)
    assert "This result is removed: Ana Novak won" in shown.text
    accepted = re.search('name="accepted" value="([0-9a-f]{16})"', shown.text)
    assert accepted
    assert count(journal) == 3
    wrong = send(desk, f"{DESK}/change", **fields, accepted="0" * 16)
    assert (wrong.status_code, count(journal)) == (422, 3)
    no_reason = send(desk, f"{DESK}/change", **fields | {"reason": " "})
    assert "the reason is empty" in no_reason.text
    done = send(desk, f"{DESK}/change", **fields, accepted=accepted[1])
    assert (done.status_code, count(journal)) == (303, 4)
    assert [match["id"] for match in client.get("/api/v1/live/night").json()["next"]] == [
        "main:2:1"
    ]
    assert "tapped the wrong one" in desk.get(DESK).text


def test_a_player_withdraws(desk: Client, client: Client) -> None:
    shown = send(desk, f"{DESK}/change", action="withdrawal", player="1", reason="ill")
    assert "by walkover" in shown.text
    accepted = re.search('name="accepted" value="([0-9a-f]{16})"', shown.text)
    assert accepted
    send(desk, f"{DESK}/change", action="withdrawal", player="1", reason="ill",
         accepted=accepted[1])  # fmt: skip
    assert "by walkover" in client.get("/live/night").text
    assert "Ana Novak withdrew" in desk.get(DESK).text
    back = send(desk, f"{DESK}/change", action="return", player="1", reason="a mistake")
    accepted = re.search('name="accepted" value="([0-9a-f]{16})"', back.text)
    assert accepted
    send(desk, f"{DESK}/change", action="return", player="1", reason="a mistake",
         accepted=accepted[1])  # fmt: skip
    assert "by walkover" not in client.get("/live/night").text


def test_a_start_that_cannot_be_keeps_what_was_typed(as_role: AsRole) -> None:
    client = as_role("director")
    answer = started(client, event="not an id")
    assert answer.status_code == 422
    assert "Ben Ost" in answer.text
    assert started(client, entrants="Ana").status_code == 422


def test_lengths_and_numbers_that_cannot_be_read_start_nothing(as_role: AsRole) -> None:
    client = as_role("director")
    for wrong in ("x", "7 x 9", "5-7", "0", "7.5", "٧", "9" * 5_000, "4097"):
        answer = started(client, lengths=wrong)
        assert answer.status_code == 422, wrong
        assert "match length" in answer.text
    for wrong in ("", "0", "two", "-1"):
        assert started(client, format="swiss", number=wrong).status_code == 422, wrong
    assert started(client, lengths="5, 7,9").status_code == 303
    flight = client.get("/api/v1/live/night").json()["flights"][0]
    assert [one[0]["length"] for one in flight["rounds"]] == [5, 7]


def test_a_swiss_is_paired_at_the_desk(as_role: AsRole) -> None:
    client = as_role("director")
    started(client, format="swiss", number="2", entrants="Ana\nBen\nCy\nDan")
    early = send(client, f"{DESK}/rounds", round="2")
    assert "not over" in early.text
    tap(client, "main:1:1", "1")
    tap(client, "main:1:2", "3")
    assert "Pair round 2" in client.get(DESK).text
    assert send(client, f"{DESK}/rounds", round="2").status_code == 303
    assert send(client, f"{DESK}/rounds", round="2").status_code == 303
    assert len(client.get("/api/v1/live/night").json()["flights"][0]["rounds"]) == 2


def test_an_event_of_a_later_palmares_hides_no_other(
    desk: Client, client: Client, journal: Journal
) -> None:
    started(desk, name="Sunday Swiss", event="sunday", format="swiss", number="2",
            entrants="Ana\nBen\nCy\nDan")  # fmt: skip
    record_event(journal, "night", "Dita", lambda _: [("tomorrow", {})])
    items = {one["event"]: one for one in client.get("/api/v1/live").json()["items"]}
    assert {event: (one["state"], one["entrants"]) for event, one in items.items()} == {
        "sunday": ("running", 4), "night": ("unreadable", None),
    }  # fmt: skip
    page = client.get("/live").text
    assert "Sunday Swiss" in page
    assert "A later palmares recorded it" in page


def test_an_event_starts_from_a_recorded_draw(as_role: AsRole, journal: Journal) -> None:
    _, sha256 = announced(journal)
    client = as_role("director")
    refused = send(client, "/director/live", draw="d", lengths="5")
    assert (refused.status_code, "not recorded yet" in refused.text) == (422, True)
    revealed(journal, sha256, ROLLED)
    assert "<option>d</option>" in client.get("/director/live").text
    done = send(client, "/director/live", draw="d", lengths="5")
    assert (done.status_code, done.headers["location"]) == (303, "/director/live/d")
    data = client.get("/api/v1/live/d").json()
    assert (data["row"]["entrants"], data["row"]["format"]) == (5, "knockout")
    assert data["flights"][0]["rounds"][0][0]["length"] == 5


def test_an_event_starts_as_a_division_of_a_notice(as_role: AsRole, journal: Journal) -> None:
    """The Limited costs 20, the Open 60: the event is the Limited, whatever its id."""
    limited = DIVISION | {"name": "Limited", "entry_fee": 20}
    with_notice(journal, "riga", name="Riga", divisions=[DIVISION | {"entry_fee": 60}, limited])
    client = as_role("director")
    values = re.findall('<option value="([0-9a-f]{64} [^"]+)">', client.get("/director/live").text)
    assert [value.partition(" ")[2] for value in values[:2]] == ["Open", "Limited"]
    assert started(client, division=f"{'0' * 64} Limited").status_code == 422
    assert started(client, division=values[1]).status_code == 303
    assert client.get("/api/v1/live/night").json()["row"]["name"] == "Limited"
    play_to_the_end(client)
    page = client.get(DESK).text
    assert 'value="20.00"' in page
    assert "3 entry fees of 20.00 make 60.00" in page


def test_only_directors_and_officers_run_events(desk: Client, client: Client) -> None:
    assert desk.get(DESK).status_code == 200
    assert client.get(DESK, follow_redirects=False).status_code == 303
    assert client.get("/live/nothing").status_code == 404
    assert client.get("/live/nothing/stream").status_code == 404


# ── the report ───────────────────────────────────────────────────────────────────────────────────


def test_the_report_stands_there_and_changes_by_hand_are_marked(desk: Client) -> None:
    facts = {"name": "Club night", "end_date": "2020-01-30", "discipline": "backgammon",
             "kind": "championship", "entry_fee": "20", "currency": "EUR"}  # fmt: skip
    early = send(desk, f"{DESK}/report", **facts)
    assert (early.status_code, "not played yet" in early.text) == (422, True)
    for match, winner in (("main:1:1", "1"), ("main:2:1", "3"), ("consolation:2:1", "1")):
        tap(desk, match, winner)
    for match in desk.get("/api/v1/live/night").json()["next"]:
        tap(desk, match["id"], match["players"][0])
    assert "All matches are played." in desk.get(DESK).text
    made = send(desk, f"{DESK}/report", **facts)
    assert made.status_code == 303
    page = desk.get(made.headers["location"])
    assert "Cy Dee" in page.text
    assert "It is as it was computed from the matches." in desk.get(DESK).text

    number = made.headers["location"].rpartition("/")[2]
    assert desk.get("/api/v1/live/night").json()["row"]["state"] == "finished"  # a draft
    data = desk.get(f"/api/v1/submissions/{number}").json()
    text = data["text"].replace("Ben Ost", "Ben Osten")
    send(desk, made.headers["location"], version=str(data["version"]), text=text)
    assert "+2" in (marked := desk.get(DESK).text) or "Ben Osten" in marked
    assert "Changed by hand after it was computed" in marked

    version = desk.get(f"/api/v1/submissions/{number}").json()["version"]
    moved = send(desk, f"{made.headers['location']}/move", version=str(version), to="submitted")
    assert moved.status_code == 303
    assert desk.get("/api/v1/live/night").json()["row"]["state"] == "reported"
    assert "It is submitted" in desk.get(DESK).text


def test_the_report_takes_from_the_notice_and_keeps_what_was_typed(
    desk: Client, journal: Journal
) -> None:
    division = DIVISION | {"kind": "championship", "added_money": "60.50"}
    with_notice(journal, divisions=[division], currency="DKK", start_date="2020-01-29",
                end_date="2020-01-30", entry_opens="2020-01-01")  # fmt: skip
    play_to_the_end(desk)
    page = desk.get(DESK).text
    for field in ('value="championship" selected', 'value="20.00"', 'value="DKK"',
                  'value="2020-01-30"', '<option value="USBGF Blitz">'):  # fmt: skip
        assert field in page
    wrong = send(desk, f"{DESK}/report", name="Open", end_date="2020-01-30",
                 discipline="backgammon", currency="XXQ", kind="other", entry_fee="25",
                 event_type="A type of its own")  # fmt: skip
    assert (wrong.status_code, "XXQ" in wrong.text) == (422, True)
    assert 'value="other" selected' in wrong.text
    assert '<option value="A type of its own" selected>' in wrong.text
    made = send(desk, f"{DESK}/report", name="Open", end_date="2020-01-30",
                discipline="backgammon", currency="DKK", kind="championship",
                entry_fee="20.00")  # fmt: skip
    number = made.headers["location"].rpartition("/")[2]
    text = re.sub(" +", " ", desk.get(f"/api/v1/submissions/{number}").json()["text"])
    for line in ("start_date = 2020-01-29", "added_money = 60.5\n", 'currency = "DKK"'):
        assert line in text


def test_a_withdrawn_report_can_be_made_again(desk: Client) -> None:
    play_to_the_end(desk)
    facts = {"name": "Club night", "end_date": "2020-01-30", "discipline": "backgammon"}
    made = send(desk, f"{DESK}/report", **facts).headers["location"]
    assert "Make the report" not in desk.get(DESK).text
    send(desk, f"{made}/move", version="1", to="withdrawn")
    assert "Make the report" in desk.get(DESK).text


def test_a_report_from_before_a_correction_is_refused(desk: Client) -> None:
    play_to_the_end(desk)
    facts = {"name": "Club night", "end_date": "2020-01-30", "discipline": "backgammon"}
    made = send(desk, f"{DESK}/report", **facts).headers["location"]
    correction = {"action": "correction", "match": "main:2:1", "winner": "1",
                  "reason": "tapped the wrong one"}  # fmt: skip
    accepted = re.search('name="accepted" value="([0-9a-f]{16})"',
                         send(desk, f"{DESK}/change", **correction).text)  # fmt: skip
    assert accepted
    assert send(desk, f"{DESK}/change", **correction, accepted=accepted[1]).status_code == 303
    outdated = send(desk, f"{made}/move", version="1", to="submitted")
    assert (outdated.status_code, "outdated" in outdated.text) == (422, True)
    while left := desk.get("/api/v1/live/night").json()["next"]:
        tap(desk, left[0]["id"], left[0]["players"][0])
    again = send(desk, f"{DESK}/report", **facts).headers["location"]
    assert again != made
    assert send(desk, f"{again}/move", version="1", to="submitted").status_code == 303
    assert desk.get("/api/v1/live/night").json()["row"]["state"] == "reported"


# ── the prizes ───────────────────────────────────────────────────────────────────────────────────

RULE = {"costs_per_entrant": 2, "round_to": 5, "shares": {"main": [60, 20], "consolation": [20]}}
DIVISION = {"name": "Open", "may_enter": "anyone", "entry_fee": 20, "added_money": 60}


def with_notice(journal: Journal, event: str = "night", **more: Any) -> None:
    fields = {"event": event, "divisions": [DIVISION], "prizes": RULE, "regulations": []}
    published(journal, **fields | more)


def play_to_the_end(desk: Client) -> None:
    """Cy Dee beats Ana Novak in the final; she wins the Consolation, which she enters last."""
    for match, winner in (("main:1:1", "1"), ("main:2:1", "3")):
        tap(desk, match, winner)
    while left := desk.get("/api/v1/live/night").json()["next"]:
        tap(desk, left[0]["id"], left[0]["players"][1])


def test_prizes_follow_from_the_notice(desk: Client, client: Client, journal: Journal) -> None:
    """3 x 20 - 3 x 2 + 60 = 114; 60, 20, 20 % are 68.40, 22.80, 22.80: 65, 20, 20, and 9 left."""
    with_notice(journal)
    assert client.get("/api/v1/live/night").json()["prizes"] is None
    assert desk.get(f"{DESK}/payments/csv").status_code == 404
    play_to_the_end(desk)
    data = client.get("/api/v1/live/night").json()
    winners = {each["flight"]: each["placings"][0]["player"] for each in data["flights"]}
    prizes = data["prizes"]
    assert (data["names"]["1"], data["names"]["3"]) == ("Ana Novak", "Cy Dee")
    assert [(each["player"], each["cents"]) for each in prizes["items"]] == [
        ("3", 7400), ("1", 2000), (winners["consolation"], 2000),
    ]  # fmt: skip
    assert prizes["pool"] == (
        "3 entry fees of 20.00 make 60.00; less costs of 6.00, plus added money of 60.00: 114.00."
    )
    why = "Place 1 of main: 60 % of 114.00 is 68.40, rounded down to 65.00, and 9.00 that rounding"
    page = client.get("/live/night").text
    assert why in page
    assert "payments" not in page
    assert f'href="{DESK}/payments/pdf"' in desk.get(DESK).text
    assert client.get(f"{DESK}/payments/csv", follow_redirects=False).status_code == 303


def test_the_payments_come_as_files(desk: Client, journal: Journal) -> None:
    with_notice(journal)
    play_to_the_end(desk)
    file = desk.get(f"{DESK}/payments/csv")
    assert file.headers["content-disposition"] == 'attachment; filename="night-payments.csv"'
    rows = list(csv.DictReader(io.StringIO(file.text)))
    assert [row["player"] for row in rows[:2]] == ["Cy Dee", "Ana Novak"]
    assert [Decimal(row["amount"]) for row in rows] == [74, 20, 20]
    assert desk.get(f"{DESK}/payments/xlsx").content.startswith(b"PK")
    assert desk.get(f"{DESK}/payments/odt").status_code == 400


def test_a_changed_notice_changes_the_prizes(
    desk: Client, client: Client, journal: Journal
) -> None:
    with_notice(journal)
    play_to_the_end(desk)
    with_notice(journal, prizes={"shares": {"main": [100]}}, reason="The club pays the hall")
    prizes = client.get("/api/v1/live/night").json()["prizes"]
    assert [each["cents"] for each in prizes["items"]] == [12000]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"prizes": {"shares": {"main": [50], "last_chance": [50]}}}, "has no such flight"),
        ({"prizes": RULE | {"costs": 500}}, "The costs of Open are 506.00"),
        ({"divisions": [DIVISION, DIVISION | {"name": "Novice"}]}, "divisions: Open, Novice"),
    ],
)
def test_prizes_that_do_not_follow_say_why(
    desk: Client, client: Client, journal: Journal, more: Any, why: str
) -> None:
    flights = [*riga()["flights"], {"name": "last_chance", "lengths": [5]}]
    feeds = [*riga()["feeds"], {"name": "last_chance", "of": "consolation", "rounds": [1]}]
    with_notice(journal, flights=flights, feeds=feeds, **more)
    play_to_the_end(desk)
    prizes = client.get("/api/v1/live/night").json()["prizes"]
    assert why in prizes["problem"]
    assert prizes["items"] == []
    assert why in client.get("/live/night").text
    file = desk.get(f"{DESK}/payments/csv")
    assert (file.status_code, why in file.text) == (400, True)


def test_an_event_names_its_notice_by_the_hash(
    as_role: AsRole, client: Client, journal: Journal
) -> None:
    """4 fees of 20 less 4 x 2, plus 60: 132; 75 and 25 per cent of it."""
    rule = {"costs_per_entrant": 2, "shares": {"main": [75, 25]}}
    with_notice(journal, event="riga", prizes=rule)
    with journal.reading() as reader:
        sha256 = json.loads(reader.entry(1).body)["sha256"]
    with_notice(journal, event="riga", prizes=rule, place="Liepaja", reason="The hall is shut")
    document = {"event": "night", "name": "Club night", "format": "groups", "groups": 1,
                "entrants": [*NAMES.splitlines()[:3], "Dan Poe"], "notice": sha256}  # fmt: skip
    setup, _ = read_setup(document, "night.toml")
    record_event(journal, "night", "Dita", lambda records: start(records, setup))
    desk = as_role("director")
    while left := client.get("/api/v1/live/night").json()["next"]:
        best = min(left[0]["players"])
        tap(desk, left[0]["id"], best)
    prizes = client.get("/api/v1/live/night").json()["prizes"]
    assert prizes["notice"] == "riga"
    assert [(each["player"], each["cents"]) for each in prizes["items"]] == [
        ("1", 9900), ("2", 3300),
    ]  # fmt: skip


def test_without_a_notice_or_a_rule_nothing_is_shown(
    desk: Client, client: Client, journal: Journal
) -> None:
    with_notice(journal, event="another-night")
    play_to_the_end(desk)
    assert client.get("/api/v1/live/night").json()["prizes"] is None
    assert "Prizes" not in client.get("/live/night").text
    with_notice(journal, prizes=None)
    assert client.get("/api/v1/live/night").json()["prizes"] is None


def test_a_split_that_was_agreed_is_recorded_and_marked(
    desk: Client, client: Client, journal: Journal
) -> None:
    """By the rule 74, and 20 + 20 for Ana Novak, as above; they agree on 50 and 64."""
    with_notice(journal)
    play_to_the_end(desk)
    before = count(journal)
    page = desk.get(DESK).text
    assert 'name="amount.3" value="74.00"' in page
    assert first_button(page, f"{DESK}/split") == '<button class="primary">'  # not: by the rule
    short = send(desk, f"{DESK}/split", **{"amount.3": "50", "amount.1": "63.99"})
    assert short.status_code == 422
    assert "The agreed split comes to 113.99, and these players get 114.00" in short.text
    for typed in ("half", "9" * 5000):
        odd = send(desk, f"{DESK}/split", **{"amount.3": typed})
        assert (odd.status_code, "is no amount" in odd.text) == (422, True)
    assert count(journal) == before
    sent = {"amount.3": "50", "amount.1": "64.00"}
    for _ in range(2):
        assert send(desk, f"{DESK}/split", **sent).status_code == 303
    assert count(journal) == before + 1
    with journal.reading() as reader:
        last = event_records(reader, "night")[-1]
    assert (last.kind, json.loads(last.body)) == ("split", {"cents": {"1": 6400, "3": 5000}})
    prizes = client.get("/api/v1/live/night").json()["prizes"]["items"]
    assert [(each["cents"], each["agreed"]) for each in prizes] == [
        (5000, True), (4400, True), (2000, False),
    ]  # fmt: skip
    assert "Agreed among the players: 50.00 in place of 74.00." in client.get("/live/night").text
    rows = list(csv.DictReader(io.StringIO(desk.get(f"{DESK}/payments/csv").text)))
    assert [row["agreed"] for row in rows] == ["agreed", "agreed", ""]
    send(desk, f"{DESK}/split", cancel="1", **sent)
    prizes = client.get("/api/v1/live/night").json()["prizes"]["items"]
    assert [each["cents"] for each in prizes] == [7400, 2000, 2000]


def test_a_name_that_was_typed_in_is_withheld_with_the_players(
    client: Client, journal: Journal
) -> None:
    setup, _ = read_setup(
        {"event": "night", "name": "Night", "format": "knockout", "entrants": ["Ana", "Ben"]}, ""
    )
    setup = msgspec.structs.replace(setup, places=["P77", "2"], names={"P77": "A", "2": "B"})
    names = {"P77": "Ana Unusual", "2": "Ben Ost"}
    record_event(journal, "night", "Dita", lambda records: start(records, setup), names=names)
    assert "Ana Unusual" in client.get("/live/night").text
    journal.record([player("P77", "Ana Unusual", withheld=True)], OFFICER)
    page = client.get("/live/night").text
    assert ("Ana Unusual" in page, "Ben Ost" in page) == (False, True)
    journal.record([player("P78", "Ben Ost", withheld=True)], OFFICER)  # who may be entrant 2
    assert "Ben Ost" not in client.get("/live/night").text


def test_a_notice_that_is_not_published_is_said(client: Client, journal: Journal) -> None:
    setup, _ = read_setup(
        {"event": "night", "name": "Night", "format": "knockout", "entrants": ["Ana", "Ben"],
         "notice": "5" * 64}, "night.toml",
    )  # fmt: skip
    record_event(journal, "night", "Dita", lambda records: start(records, setup))
    page = client.get("/live/night").text
    assert "with the notice 555555555555…, which is not published here" in page


def test_a_tie_in_a_group_is_decided_at_the_desk(as_role: AsRole, journal: Journal) -> None:
    """Each of three beats another: all are equal, and one goes on to meet the other group's."""
    document = {"event": "night", "name": "Night", "format": "groups", "groups": 2, "advance": 1,
                "entrants": ["Ana", "Ben", "Cy", "Dan", "Eve", "Flo"]}  # fmt: skip
    setup, names = read_setup(document, "night.toml")
    record_event(journal, "night", "Dita", lambda records: start(records, setup), names=names)
    desk = as_role("director")
    beats = {("1", "2"), ("2", "3"), ("3", "1"), ("4", "5"), ("4", "6"), ("5", "6")}
    while left := desk.get("/api/v1/live/night").json()["next"]:
        one, other = left[0]["players"]
        tap(desk, left[0]["id"], one if (one, other) in beats else other)
    page = desk.get(DESK).text
    assert "a lot decides who goes on" in page
    assert "Nothing can start now." not in page
    wrong = send(desk, f"{DESK}/lots", players="Cy\nZoe")
    assert (wrong.status_code, "Zoe does not play in this event" in wrong.text) == (422, True)
    assert send(desk, f"{DESK}/lots", players="Cy\r\nAna\r\nBen").status_code == 303
    final = desk.get("/api/v1/live/night").json()["next"][0]
    assert set(final["players"]) == {"3", "4"}


# ── the stream ───────────────────────────────────────────────────────────────────────────────────


def test_a_stream_tells_of_each_record(
    desk: Client, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    del desk
    monkeypatch.setattr(live, "BETWEEN", 0.01)
    monkeypatch.setattr(live, "HEARTBEAT", 0.2)
    watcher = Watcher(journal)

    async def watch_twice() -> list[list[bytes]]:
        streams = [watcher.stream("night", 1) for _ in range(2)]
        lines = [[await anext(stream)] for stream in streams]
        lines[0].append(await anext(streams[0]))  # nothing happens: it is alive
        record_event(journal, "night", "Dita", lambda _: [("result", {"match": "x"})])
        for got, stream in zip(lines, streams, strict=True):
            while not got[-1].startswith(b"data: 2"):
                got.append(await anext(stream))
            await stream.aclose()
        return lines

    first, second = asyncio.run(watch_twice())
    assert first[:2] == [b"retry: 3000\ndata: 1\n\n", b": here\n\n"]
    assert first[-1] == second[-1] == b"data: 2\n\n"


def test_a_full_hall_is_told_so(
    desk: Client, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    del desk
    monkeypatch.setattr(live, "MOST", 0)
    answer = client.get("/live/night/stream")
    assert answer.status_code == 503
    assert "Too many people watch" in answer.text
