"""What is found on an official list: names, nations, the reader's own row, merged records."""

from __future__ import annotations

from datetime import date

import pytest

from palmares.journal.store.journal import Journal
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.publications.test_published_pages import publish
from tests.web.seasons import json, text, winter


@pytest.fixture
def entry(journal: Journal) -> int:
    """The entry of the list of the year's end."""
    winter(journal)
    return publish(journal)


def test_names_and_nations_are_looked_for_on_it(
    client: Client, journal: Journal, entry: int
) -> None:
    """Whoever is withheld stays hidden; ranks are those of the whole list."""

    def found(query: str) -> list[tuple[int, str]]:
        page = json(client, f"/published/{entry}?{query}")
        assert page["rows"] == 4
        return [(row["rank"], row["player_id"]) for row in page["items"]]

    assert found("search=NOVAK") == found("nation=CZE") == found("search=P1") == [(2, "P1")]
    assert found("nation=DEU") == [(1, "P4"), (3, "P2")]
    assert found("nation=DEU&search=lukasz") == [(1, "P4")]
    assert found("search=nobody") == []
    html = text(client, f"/published/{entry}?search=o&nation=DEU")
    assert 'type="search" name="search" value="o"' in html
    assert '<option value="DEU" selected>' in html
    assert f'href="/published/{entry}?nation=DEU&amp;search=o&amp;open=P2#open-2"' in html
    assert "Nobody of that name." in text(client, f"/published/{entry}?search=nobody")
    data = client.get(f"/api/v1/publications/{entry}?search=novak").json()
    assert [row["player_id"] for row in data["items"]] == ["P1"]
    journal.record([say.player("P1", "Ada Novák", "CZE", withheld=True)], OFFICER)
    assert found("search=NOVAK") == found("search=withheld") == found("search=P1") == []


def test_a_visitor_jumps_to_their_own_row_of_it(
    client: Client, journal: Journal, entry: int
) -> None:
    """P5 is the record that stays of P3, the last of the list."""
    client.get("/pin/P2", headers={"accept": "text/html"})
    html = text(client, f"/published/{entry}")
    assert f'href="/published/{entry}#me"' in html
    assert '<tr role="row" class="me" id="me">' in html
    assert json(client, f"/published/{entry}")["own"]["rank"] == 3
    journal.record([say.player("P5", "Eva Doe"), say.merge("P3", "P5")], OFFICER)
    client.get("/pin/P5", headers={"accept": "text/html"})
    own = json(client, f"/published/{entry}")["own"]
    assert (own["player_id"], own["rank"]) == ("P3", 4)


def test_its_line_leads_to_other_official_lists(
    client: Client, journal: Journal, entry: int
) -> None:
    """Of another day, and of nations; a player who is looked for goes along to lists of players."""
    first = publish(journal, date(2019, 11, 30))
    nations = publish(journal, by="nation")
    lists = json(client, f"/published/{entry}")["lists"]
    assert [(one["entry"], one["by"]) for one in lists] == [(nations, "nation"), (entry, "player")]
    for asked, there in (
        ("on=2019-12-15&search=ada", f"/published/{first}?search=ada"),
        ("on=2010-01-01", f"/published/{first}"),
        (f"list={nations}&on=2019-12-31&nation=DEU&search=ada", f"/published/{nations}"),
    ):
        answer = client.get(f"/published/{entry}?{asked}", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, there), asked
    asked = f"/published/{nations}?list={entry}&on=2019-12-15&search=germany"  # both at once
    answer = client.get(asked, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/published/{first}")
    html = text(client, f"/published/{entry}?list={entry}&on=2020-01-31&search=ada&nation=")
    assert '<input type="date" name="on" value="2019-12-31"' in html
    html = text(client, f"/published/{nations}")
    assert f'<option value="{nations}" selected>' in html
    assert f'<option value="{entry}">' in html
    assert 'aria-label="Nation"' not in html
    assert client.get(f"/published/{entry}?on=soon").status_code == 400
    assert client.get(f"/published/{entry}?list=999999").status_code == 404


def test_a_merged_record_is_found_by_its_player(
    client: Client, journal: Journal, entry: int
) -> None:
    journal.record([say.player("P5", "Eva Doe"), say.merge("P3", "P5")], OFFICER)
    for typed in ("eva", "P5", "P3"):
        page = json(client, f"/published/{entry}?search={typed}")
        assert [row["player_id"] for row in page["items"]] == ["P3"], typed


def test_an_open_row_shows_nobody_another_visitor_s_own_row(client: Client, entry: int) -> None:
    """It is long work, made once for all who ask: but not with what one of them has pinned."""
    address = f"/published/{entry}?open=P2"
    client.get("/pin/P1", headers={"accept": "text/html"})
    assert 'id="me"' in text(client, address)
    client.cookies.clear()
    assert 'id="me"' not in text(client, address)


def test_a_merged_record_is_found_by_its_name_of_then(
    client: Client, journal: Journal, entry: int
) -> None:
    journal.record([say.player("P5", "Eva Doe"), say.merge("P1", "P5")], OFFICER)
    page = json(client, f"/published/{entry}?search=novak")
    assert [row["player_id"] for row in page["items"]] == ["P1"]


def test_a_record_that_was_merged_since_has_its_own_name(client: Client, journal: Journal) -> None:
    """Eva stood on the list beside Ben, whose record hers became."""
    winter(journal)
    journal.record(
        [
            say.player("P5", "Eva Doe", "DEU"),
            say.report("Cup", {"P5": 1, "P1": 2}, day="2019-12-22"),
        ],
        OFFICER,
    )
    entry = publish(journal)
    journal.record([say.merge("P5", "P2")], OFFICER)
    rows = {row["player_id"]: row for row in json(client, f"/published/{entry}")["corrections"]}
    assert {player: row["player"] for player, row in rows.items()} == {
        "P5": "Eva Doe", "P2": "Ben Ode",
    }  # fmt: skip
    assert rows["P5"]["change"] == -rows["P2"]["change"]
