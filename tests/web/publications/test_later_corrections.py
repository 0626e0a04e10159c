"""What an official list says of corrections that are no report: merges, memberships, rates."""

from __future__ import annotations

from palmares.journal.store.journal import Journal
from palmares.points.awards import Question
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.publications.test_published_pages import publish
from tests.web.seasons import json, masters, text, winter


def ben_twice(journal: Journal) -> None:
    """The Winter, and a Spring that Ben won under a second record."""
    winter(journal)
    spring = say.report("Spring", {"P5": 1}, day="2019-04-01")
    journal.record([say.player("P5", "Ben Ode", "DEU"), spring], OFFICER)


def test_it_names_the_player_whose_records_became_one(client: Client, journal: Journal) -> None:
    ben_twice(journal)
    entry = publish(journal)
    merged = journal.record([say.merge("P5", "P2")], OFFICER)[-1].sequence
    words = "two records of Ben Ode became one (married)"
    rows = json(client, f"/published/{entry}")["corrections"]
    assert {row["player_id"]: row["what"] for row in rows} == {"P2": [words], "P5": [words]}
    assert text(client, f"/published/{entry}").count(f"{words}.") == 1
    journal.record([say.undo(merged)], OFFICER)
    assert json(client, f"/published/{entry}")["corrections"] == []


def test_a_record_that_was_merged_is_no_correction(client: Client, journal: Journal) -> None:
    """P3 is Eva Doe's now, with the same results: nobody has other points."""
    winter(journal)
    entry = publish(journal)
    journal.record([say.player("P5", "Eva Doe"), say.merge("P3", "P5")], OFFICER)
    page = json(client, f"/published/{entry}")
    assert {row["player_id"]: row["part_of"] for row in page["items"] if row["part_of"]} == {
        "P3": "Eva Doe"
    }
    assert all(row["figures"] for row in page["items"])
    assert page["corrections"] == []
    assert set(page["later_changes"].values()) == {0}
    html = text(client, f"/published/{entry}")
    assert html.count("Merged with Eva Doe") == 1
    assert "Corrected since" not in html
    assert json(client, "/")["corrections"] == []


def test_it_names_the_player_whose_records_were_parted_again(
    client: Client, journal: Journal
) -> None:
    ben_twice(journal)
    merged = journal.record([say.merge("P5", "P2")], OFFICER)[-1].sequence
    entry = publish(journal)
    journal.record([say.undo(merged)], OFFICER)
    what = {tuple(row["what"]) for row in json(client, f"/published/{entry}")["corrections"]}
    assert what == {("two records of Ben Ode became one (married): undone (wrong)",)}


def test_it_says_which_rate_was_recorded(client: Client, journal: Journal) -> None:
    """A fee of 1000 crowns: 40 euro, and 50 by the later rate."""
    winter(journal)
    tables = say.tables("Spring", {"P1": 1, "P2": 2}, "2019-04-01")
    tables["tournaments"]["currency"] = ["CZK"]
    tables["events"]["entry_fee"] = ["1000"]
    journal.record([say.rate("CZK", "2019-04-01", "0.04"), say.reported("Spring", tables)], OFFICER)
    entry = publish(journal)
    journal.record([say.rate("CZK", "2019-04-01", "0.05")], OFFICER)
    what = {tuple(row["what"]) for row in json(client, f"/published/{entry}")["corrections"]}
    assert what == {("exchange rate of 2019-04-01: 1 CZK = 0.05 EUR",)}


def test_it_says_whose_membership_was_recorded(client: Client, journal: Journal) -> None:
    """Cyd won as much as Ada, but was a member only since."""
    masters(journal)
    found = say.tables("Cup", {"P3": 1}, day="2019-12-02")
    found["tournaments"]["setting"] = ["live"]
    found["events"] |= {"event_type": ["ABT Main Event"], "entrants": [64]}
    found["placings"]["designated"] = [True]
    journal.record([say.player("P3", "Cyd", "CZE"), say.reported("Cup", found)], OFFICER)
    entry = publish(journal, question=Question(regulation="usbgf"))
    journal.record([say.membership("P3", "2010-01-01")], OFFICER)
    rows = json(client, f"/published/{entry}")["corrections"]
    words = "membership of Cyd in usbgf from 2010-01-01"
    assert {row["player_id"]: row["what"] for row in rows} == {"P3": [words]}


def test_the_front_page_says_it_too(client: Client, journal: Journal) -> None:
    ben_twice(journal)
    publish(journal)
    journal.record([say.merge("P5", "P2")], OFFICER)
    (corrected,) = json(client, "/")["corrections"]
    words = "two records of Ben Ode became one (married)"
    assert (corrected["tournament_id"], corrected["what"]) == (None, [words])
    assert f"<small>{words}.</small>" in text(client, "/")
