"""Two lists compared: what changed and why; somebody's printed list beside ours."""

from __future__ import annotations

from typing import Any

import pytest

from palmares.core.rounding import points_text
from palmares.journal.store.journal import Journal
from palmares.render.entries import describe_entry
from palmares.web.http.state import AppState
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.http.test_bodies import token_of
from tests.web.publications.test_published_pages import publish
from tests.web.seasons import WINTER, json, text, winter

LIST = "/rankings/wbgf/2019-12-31"
CHANGES = f"{LIST}/changes"
SWAPPED = {"P2": 1, "P4": 2, "P3": 3, "P1": 4}


@pytest.fixture
def entry(journal: Journal) -> int:
    """The list of the year's end, published."""
    winter(journal)
    return publish(journal)


def causes(row: Any) -> dict[str, int]:
    """The parts of a change by cause."""
    return {part["cause"]: part["nanopoints"] for part in row["parts"]}


class TestChanges:
    def test_since_the_list_before(self, client: Client, entry: int) -> None:
        """Winter was played in between; what Autumn gave faded for a month."""
        assert entry
        page = json(client, CHANGES)
        assert (page["since"], page["as_of"]) == ("2019-11-30", "2019-12-31")
        rows = {row["player_id"]: row for row in page["items"]}
        assert list(rows) == list(WINTER)  # by rank
        for player, row in rows.items():
            assert row["nanopoints"] == WINTER[player]
            assert sum(causes(row).values()) == row["change"]
            assert row["nanopoints_before"] + row["change"] == row["nanopoints"]
        assert set(causes(rows["P4"])) == {"new result", "decay"}
        html = text(client, CHANGES)
        assert "New result" in html
        assert '<a href="/tournaments/Winter">Winter Open</a>' in html

    def test_since_a_published_list(self, client: Client, journal: Journal, entry: int) -> None:
        address = f"{CHANGES}?published={entry}"
        assert "Nothing differs." in text(client, address)
        journal.record([say.report("Winter", SWAPPED, day="2019-12-20")], OFFICER)
        page = json(client, address)
        assert page["published"]["entry"] == entry
        rows = {row["player_id"]: row for row in page["items"]}
        assert {one: row["rank_before"] for one, row in rows.items()} == {"P2": 3, "P4": 1}
        assert rows["P2"]["nanopoints_before"] == WINTER["P2"]
        (part,) = rows["P2"]["parts"]
        assert (part["cause"], part["tournament"], part["entry"]) == (
            "correction", "Winter Open", entry + 1,
        )  # fmt: skip
        seen = text(client, address)
        assert f"entry {entry + 1}, " in seen
        assert OFFICER.name not in seen  # visitors do not read who recorded it

    def test_causes_that_are_not_shown_add_up_too(self, client: Client, journal: Journal) -> None:
        """A player with six new results: four are shown, the others below, with their sum."""
        placed = {"P1": 1, "P2": 2, "P3": 3, "P4": 4}
        for month in range(1, 7):
            journal.record([say.report(f"Cup-{month}", placed, day=f"2019-{month:02}-10")], OFFICER)
        address = "/rankings/wbgf/2019-06-30/changes?since=2018-12-31"
        ada = next(row for row in json(client, address)["items"] if row["player_id"] == "P1")
        assert len(ada["parts"]) == 6
        rest = sum(part["nanopoints"] for part in ada["parts"][4:])
        html = text(client, address)
        assert f"<summary>and 2 other causes +{points_text(rest)}</summary>" in html
        assert html.count('<a href="/tournaments/Cup-1">') == 4  # in every row, shown or below

    def test_the_official_list_of_the_other_day(self, client: Client, entry: int) -> None:
        """A list of another day is compared as it is known now, the official one by its entry."""
        address = "/rankings/wbgf/2020-01-31/changes"
        plain = f"{address}?since=2019-12-31"
        assert json(client, plain)["official"] == entry
        html = text(client, plain)
        assert "From 31 December 2019, as known now, to 31 January 2020" in html
        assert f'href="{address}?published={entry}"' in html
        for other in (
            "?since=2019-11-30",
            f"?published={entry}",
            "?since=2019-12-31&known_at=%236",
        ):
            assert json(client, address + other)["official"] is None

    def test_since_what_was_known_then(self, client: Client, entry: int) -> None:
        assert entry
        page = json(client, f"{CHANGES}?known_at=%235")
        assert (page["since"], page["known_at"]) == ("2019-12-31", "#5")
        assert {cause for row in page["items"] for cause in causes(row)} == {"new result"}

    def test_a_published_list_leads_to_its_changes(
        self, client: Client, journal: Journal, entry: int
    ) -> None:
        assert json(client, f"/published/{entry}")["corrections"] == []
        journal.record([say.report("Winter", SWAPPED, day="2019-12-20")], OFFICER)
        page = json(client, f"/published/{entry}")
        assert page["corrected"] == 2
        first = page["corrections"][0]
        assert (first["nanopoints"] - first["nanopoints_before"]) == first["change"]
        assert first["tournament"] == "Winter Open"
        html = text(client, f"/published/{entry}")
        assert f'href="{CHANGES}?published={entry}"' in html
        assert "Winter Open was reported again." in html

    def test_a_published_list_says_what_was_corrected(
        self, client: Client, journal: Journal, entry: int
    ) -> None:
        slip = say.override("Winter", entry_fee="375")
        journal.record([slip], OFFICER)
        page = json(client, f"/published/{entry}")
        (what,) = page["corrections"][0]["what"]
        assert what.startswith("Entry fee of ")
        assert what.endswith("Winter Open: 375 (a slip)")
        with journal.reading() as reader:  # as the journal's page says it
            (recorded,) = reader.by_number([entry + 1])
        names = {"Winter": "Winter Open", "Winter/main": what[len("Entry fee of ") :].split(",")[0]}
        assert describe_entry(recorded, names) == what.replace(" (a slip)", "; a slip")
        for address in (f"/published/{entry}", "/"):
            seen = text(client, address)
            assert f"{what}." in seen
            assert "was corrected" not in seen

    def test_the_api_says_the_same(self, client: Client, entry: int) -> None:
        assert entry
        told = json(client, "/api/v1/rankings/wbgf/changes?as_of=2019-12-31")
        assert [row["change"] for row in told["items"]] == [
            row["change"] for row in json(client, CHANGES)["items"]
        ]

    @pytest.mark.parametrize(
        ("address", "status"),
        [
            ("/rankings/nothing/changes", 404),
            (f"{CHANGES}?published=3", 404),
            ("/rankings/dptr/2019-12-31/changes?published=7", 404),
            (f"{CHANGES}?edition=1066", 400),
            (f"{CHANGES}?since=yesterday", 400),
            (f"{CHANGES}?known_at=yesterday", 400),
            (f"{CHANGES}?page=9", 404),
        ],
    )
    def test_what_is_no_other_list(
        self, client: Client, entry: int, address: str, status: int
    ) -> None:
        assert entry
        assert client.get(address).status_code == status


class TestPrinted:
    def paste(self, client: Client, **fields: str) -> Any:
        return client.post(f"{LIST}/printed", data=fields, headers={"accept": "application/json"})

    def test_a_pasted_list(self, client: Client, entry: int) -> None:
        """Łukasz and Ada as we have them, Ben with a point too many."""
        assert entry
        lines = [
            "Rank;Player;Points",
            f"1;Łukasz Øre;{points_text(WINTER['P4'])}",
            f"2;Ada Novák;{points_text(WINTER['P1'])}",
            f"3;Ben Ode;{points_text(WINTER['P2'] + 10**9)}",
        ]
        page = self.paste(client, text="\n".join(lines)).json()
        found = page["comparison"]
        assert (found["lines"], found["same"], page["problems"]) == (3, 2, [])
        (ben,) = [row for row in found["items"] if row["player_id"] == "P2"]
        assert (ben["status"], ben["their_rank"], ben["our_rank"]) == ("differs", 3, 3)
        assert points_text(ben["difference"]) == "1.00"
        answer = client.post(
            f"{LIST}/printed",
            data={"text": "\n".join(lines)},
            headers={"accept": "text/html"},
        )
        assert "Rank or points differ" in answer.text
        assert "Łukasz Øre;" in answer.text  # what was pasted stays

    def test_a_printed_list_of_one_nation(self, client: Client, entry: int) -> None:
        """Łukasz leads it, whatever his rank in the world; Ben is below its end."""
        assert entry
        lines = f"Rank;Player;Points\n1;Łukasz Øre;{points_text(WINTER['P4'])}"
        found = self.paste(client, text=lines, nation="GER").json()["comparison"]
        assert (found["nation"], found["same"], found["below"], found["items"]) == ("DEU", 1, 1, [])
        html = client.post(f"{LIST}/printed", data={"text": lines, "nation": "DEU"}).text
        assert "1 agrees with our list. 1 player of ours is below the end of it." in html
        assert '<option value="DEU" selected>' in html
        (problem,) = self.paste(client, text=lines, nation="XXX").json()["problems"]
        assert problem.startswith("XXX is not a nation code.")
        assert f'href="{LIST}/printed?nation=DEU"' in text(client, f"{LIST}?nation=DEU")
        sent, address = {"text": lines}, "/api/v1/rankings/wbgf/printed?as_of=2019-12-31&nation=DEU"
        assert client.post(address, json=sent).json() == found

    def test_a_printed_official_list(self, client: Client, journal: Journal, entry: int) -> None:
        """It agrees with the official list, not with the one that was corrected since."""
        printed = client.get(f"/published/{entry}?format=csv").text
        journal.record([say.report("Winter", SWAPPED, day="2019-12-20")], OFFICER)
        assert self.paste(client, text=printed).json()["comparison"]["same"] < 4
        assert "the official list of 31 December 2019" in text(client, f"{LIST}/printed")
        page = self.paste(client, text=printed, known_at="#6").json()
        assert (page["official"], page["comparison"]["same"], page["comparison"]["items"]) == (
            "#6", 4, [],
        )  # fmt: skip
        (problem,) = self.paste(client, text=printed, known_at="then").json()["problems"]
        assert problem.startswith("then is no day")

    def test_a_program_compares_without_an_account(
        self, client: Client, entry: int, app_state: AppState
    ) -> None:
        """With a token that only reads, too: nothing is written."""
        assert entry
        sent = {"text": f"Rank;Player;Points\n1;Ada Novák;{points_text(WINTER['P1'])}"}
        address = "/api/v1/rankings/wbgf/printed?as_of=2019-12-31"
        found = client.post(address, json=sent)
        assert found.status_code == 200
        (ada,) = [row for row in found.json()["items"] if row["player_id"] == "P1"]
        assert (ada["their_rank"], ada["our_rank"], ada["cause"]) == (1, 2, "rank follows")
        token = token_of(app_state, "director", writes=False)
        same = client.post(address, json=sent, headers={"authorization": f"Bearer {token}"})
        assert same.json() == found.json()

    @pytest.mark.parametrize(
        ("sent", "problem"),
        [
            ({"text": "Rank;Player;Points\n1;Ada Novák;many"}, "points"),
            ({"text": "Ada, 12"}, "header"),
            ({"text": ""}, "length"),
            ({"text": "Rank;Player;Points\n1;Ada;1", "decimal": "full stop"}, "decimal"),
        ],
    )
    def test_a_program_is_told_what_is_wrong(
        self, client: Client, entry: int, sent: dict[str, str], problem: str
    ) -> None:
        assert entry
        answer = client.post("/api/v1/rankings/wbgf/printed", json=sent)
        assert answer.status_code in (400, 422)
        assert answer.headers["content-type"] == "application/problem+json"
        assert problem in answer.text

    def test_what_is_no_list_says_its_line(self, client: Client, entry: int) -> None:
        assert entry
        answer = self.paste(client, text="Rank;Player;Points\n1;Ada Novák;many")
        assert answer.status_code == 422
        (problem,) = answer.json()["problems"]
        assert problem.startswith("Line 2: ")

    def test_a_list_without_a_head(self, client: Client, entry: int) -> None:
        """The rank first, the points last; a line that is none of these is named by its number."""
        assert entry
        page = self.paste(client, text="1 Ada Novák CZE 12.00").json()
        assert (page["problems"], page["comparison"]["lines"]) == ([], 1)
        (problem,) = self.paste(client, text="1 Ada Novák CZE 12.00\nBen Ode").json()["problems"]
        assert problem.startswith("Line 2: ")

    def test_a_list_is_compared_with_another_edition(self, client: Client, entry: int) -> None:
        """The WBGF has one edition, the USBGF several: only there one is chosen."""
        assert entry
        assert 'name="edition"' not in text(client, LIST)
        page = text(client, "/rankings/usbgf/2019-12-31")
        assert '<option value="">of each day</option><option>2015-05</option>' in page
        other = text(client, "/rankings/usbgf/2019-12-31/changes?edition=2015-05")
        assert "<option selected>2015-05</option>" in other

    def test_a_list_leads_to_the_form(self, client: Client, entry: int) -> None:
        assert entry
        assert f'href="{LIST}/printed"' in text(client, LIST)
        assert client.get("/rankings/nothing/printed").status_code == 404


def test_a_list_beside_itself_or_beside_nothing_says_so(client: Client, entry: int) -> None:
    assert entry
    assert "Both are the same list." in text(client, f"{CHANGES}?since=2019-12-31&known_at=")
    assert client.get(f"{CHANGES}?since=2200-01-01").status_code == 400
    assert "Paste a list first." not in text(client, f"{LIST}/printed")
    answer = client.post(f"{LIST}/printed", data={"text": " ", "decimal": ""})
    assert (answer.status_code, "Paste a list first." in answer.text) == (422, True)
