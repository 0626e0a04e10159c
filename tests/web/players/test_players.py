"""A player on every list, under one regulation, and why he has some points."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date

import pytest

from palmares.journal.store.journal import Journal
from palmares.points.awards import Question
from palmares.points.history import Period, careers, history
from palmares.web.http.state import AppState
from palmares.web.shared.history import rank_history
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.web.conftest import Client
from tests.web.seasons import FIRST, LAST, WINTER, fading, json, text, winter

ADA = "/players/P1/wbgf/2019-12-31"


@pytest.fixture
def season(journal: Journal) -> None:
    """A short season."""
    winter(journal)


@pytest.mark.usefixtures("season")
class TestPlayer:
    def test_on_every_list(self, client: Client, journal: Journal) -> None:
        journal.record([say.membership("P1", "2019-01-01", "2019-12-31")], OFFICER)
        page = json(client, "/api/v1/players/P1")
        assert page["person"]["player"] == "Ada Novák"
        (one,) = page["lists"]
        assert (one["regulation"], one["rank"], one["ranked"], one["results"]) == ("wbgf", 2, 4, 2)
        # 77 days after the first tournament, 42 after the second
        assert one["nanopoints"] == fading((FIRST, 77), (LAST, 42))
        (member,) = page["memberships"]
        assert (member["federation"], member["level"]) == ("usbgf", "Basic")
        answer = client.get("/players/P1", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/players/P1/wbgf")
        assert json(client, "/players/P1/wbgf")["memberships"] == page["memberships"]
        assert "31 December 2019" in text(client, "/players/P1")

    def test_who_has_no_results_has_the_same_page(self, client: Client, journal: Journal) -> None:
        journal.record([say.player("P9", "Zoé")], OFFICER)
        page = json(client, "/players/P9")
        assert (page["person"]["player_id"], page["results"], page["rank"]) == ("P9", [], None)
        assert "No results up to this day." in text(client, "/players/P9")

    def test_an_event_that_waits_hides_no_list(self, client: Client, journal: Journal) -> None:
        found = say.tables("Dixie", {"P1": 1, "P2": 2}, "2020-01-10")
        found["tournaments"]["discipline"] = ["diplomacy"]  # and nobody says how many rounds
        journal.record([say.reported("Dixie", found)], OFFICER)
        page = json(client, "/api/v1/players/P1")
        assert [one["regulation"] for one in page["lists"]] == ["wbgf"]
        assert page["waiting"] == ["dptr"]
        assert json(client, ADA)["nanopoints"] == WINTER["P1"]
        (waiting,) = json(client, "/players/P1/dptr")["waiting"]
        assert "how many rounds" in waiting["why"]

    def test_every_result_and_what_it_is_worth(self, client: Client) -> None:
        page = json(client, ADA)
        assert page["nanopoints"] == WINTER["P1"]
        assert (page["rank"], page["ranked"], page["before"]) == (2, 4, "2019-11-30")
        second, first = page["results"]
        assert (first["tournament"], first["rank"], first["nanopoints"]) == (
            "Autumn Open",
            1,
            FIRST,
        )
        assert (first["worth"], second["worth"]) == (fading((FIRST, 46)), fading((LAST, 11)))
        # 1095 days after 15 November 2019, and 548: the first whole day with no more than half
        assert (first["expires_on"], first["halves_on"]) == ("2022-11-14", "2021-05-16")
        html = text(client, ADA)
        assert "14 November 2022" in html
        assert 'href="/players/P1/wbgf/2019-11-30"' in html

    def test_a_day_before_some_results(self, client: Client) -> None:
        page = json(client, "/players/P1/wbgf/2019-11-30")
        assert [one["tournament"] for one in page["results"]] == ["Autumn Open"]
        assert page["later_results"] == 1
        nothing = json(client, "/players/P1/wbgf/2019-10-31")
        assert (nothing["rank"], nothing["results"], nothing["later_results"]) == (None, [], 2)

    def test_his_course_is_the_history_of_the_command_line(
        self, app_state: AppState, journal: Journal
    ) -> None:
        journal.record([say.report("New", {"P3": 1, "P1": 2}, day="2020-01-20")], OFFICER)
        known, until = app_state.snapshot(at_once=True), date(2020, 1, 31)
        known.awards("wbgf")
        journal.record([say.report("Newer", {"P2": 1, "P4": 2}, day="2020-01-25")], OFFICER)
        grown = app_state.snapshot(at_once=True)
        for one in ("P1", "P2", "P3", "P4"):
            found = careers(Question(regulation="wbgf"), grown.facts, [one], Period(until=until))
            expected = history(found).frame.select("day", "nanopoints", "rank").rows()
            shown = rank_history(grown, "wbgf", one, until)
            assert [(row.day, row.nanopoints, row.rank) for row in shown] == expected

    def test_a_course_starts_where_he_is_on_the_list(
        self, app_state: AppState, journal: Journal
    ) -> None:
        """Of 240 months: the result of 1996 has expired before the first of them."""
        journal.record([say.report("Old", {"P1": 1, "P2": 2}, day="1996-01-20")], OFFICER)
        shown = rank_history(app_state.snapshot(at_once=True), "wbgf", "P1", date(2020, 1, 31))
        assert [str(row.day) for row in shown] == ["2019-11-30", "2019-12-31", "2020-01-31"]


@pytest.mark.usefixtures("season")
class TestExplanation:
    def test_clause_by_clause(self, client: Client) -> None:
        address = f"{ADA}/awards/Autumn%2Fmain/main/performance"
        assert f'hx-get="{address}"' in text(client, ADA)
        page = json(client, address)
        assert page["nanopoints"] == FIRST
        assert page["worth"] == fading((FIRST, 46))
        assert [one["clause"] for one in page["lines"]][-1] == "wbgf points"
        assert [one["clause"] for one in page["fading"]][-1] == "wbgf wr"
        html = text(client, address)
        assert '<div id="why">' in html
        short = html.partition('<div class="message stack">')[2].partition("</div>")[0]
        # 385 of 893 parts of 40 points, of which 1049 days of 1095 are left
        assert page["summary"].startswith("Place 1 of 4: 1 × 1 × 10 × 4 × ")
        assert page["summary"].endswith(" ≈ 17.245; 1,049 of 1,095 days are left: 16.52")
        assert page["summary"] in short
        assert "Points of 15 November 2019, under wbgf/undated: 17.245" in " ".join(
            re.sub(r"<[^>]*>", " ", short).split()
        )
        assert page["formula"] in html

    def test_one_sentence_in_every_language(self, client: Client) -> None:
        """10 × 4 × 385/893 is 17.245; with 1,095 - 46 days left of 1,095 it is worth 16.52."""
        address = f"{ADA}/awards/Autumn%2Fmain/main/performance"
        html = client.get(address, headers={"accept-language": "de"}).text
        assert "Platz 1 von 4: 1 × 1 × 10 × 4 × " in html
        assert " ≈ 17,245; 1.049 von 1.095 Tagen bleiben: 16,52<" in html

    def test_its_clauses_in_words(self, client: Client) -> None:
        html = text(client, f"{ADA}/awards/Autumn%2Fmain/main/performance")
        assert "normalized" in html or "normalised" in html

    def test_who_is_placed_twice_is_an_error_that_says_so(
        self, client: Client, journal: Journal
    ) -> None:
        """Commands refuse such a merge; an entry that was made by hand got in."""
        journal.record([say.merge("P2", "P1")], OFFICER)
        answer = client.get(f"{ADA}/awards/Autumn%2Fmain/main/performance")
        assert answer.status_code == 422
        assert "P1 is placed twice in the main of Main (Autumn Open)" in answer.text

    def test_what_is_not_there(self, client: Client) -> None:
        for address in (
            "/players/P9",
            "/players/P9/wbgf",
            "/players/P1/nonsense",
            f"{ADA}/awards/Autumn%2Fmain/main/nonsense",
            f"{ADA}/awards/Autumn%2Fmain",
            f"{ADA}/nonsense",
            "/players/P9/wbgf/curve",
        ):
            assert client.get(address).status_code == 404, address
        assert client.get("/players/P1/wbgf/1066-10-14").status_code == 400


@pytest.mark.usefixtures("season")
class TestNames:
    def test_a_merged_record_leads_to_the_player(self, client: Client, journal: Journal) -> None:
        journal.record([say.merge("P3", into="P1")], OFFICER)
        old, new = (json(client, f"/players/{who}/wbgf/2019-12-31") for who in ("P3", "P1"))
        assert old == new
        assert f'href="{ADA}' in text(client, "/players/P3/wbgf/2019-12-31")
        answer = client.get("/players/P3", follow_redirects=False)
        assert answer.headers["location"] == "/players/P1/wbgf"

    def test_who_is_withheld_is_named_nowhere(self, client: Client, journal: Journal) -> None:
        draft = say.player("P1", "Ada Novák", "CZE")
        draft = type(draft)(
            kind=draft.kind,
            subject=draft.subject,
            body={**draft.body, "withheld": True},
            sealed=draft.sealed,
        )
        journal.record([draft, say.membership("P1", "2019-01-01")], OFFICER)
        for address in (
            "/players/P1",
            ADA,
            f"{ADA}/awards/Autumn%2Fmain/main/performance",
            "/tournaments/Autumn",
        ):
            assert "Ada" not in text(client, address)
            assert "Ada" not in client.get(address, headers={"accept": "application/json"}).text
        assert json(client, "/api/v1/players/P1")["memberships"] == []
        assert json(client, ADA)["memberships"] == []

    def test_ids_may_hold_anything(self, client: Client, journal: Journal) -> None:
        odd = "a/b?c#d <e>"
        journal.record([say.player(odd, "<script>alert(1)</script>")], OFFICER)
        journal.record([say.report("x/y", {odd: 1, "P1": 2}, day="2020-01-20")], OFFICER)
        page = "/players/a%2Fb%3Fc%23d%20%3Ce%3E"
        assert json(client, page)["person"]["player_id"] == odd
        html = text(client, f"{page}/wbgf")
        assert "<script>alert" not in html
        assert json(client, "/tournaments/x%2Fy")["tournament_id"] == "x/y"
        assert json(client, f"{page}/wbgf/2020-01-31/awards/x%2Fy%2Fmain/main/performance")


@pytest.mark.usefixtures("season")
class TestKnownThen:
    """Entry 6 is the last of the winter; entry 7 withdraws the second tournament."""

    @pytest.fixture(autouse=True)
    def withdrawn(self, season: None, journal: Journal) -> None:
        del season
        journal.record([say.withdrawal("Winter")], OFFICER)

    def test_a_player_as_he_was_known(self, client: Client) -> None:
        assert json(client, "/api/v1/players/P1")["lists"][0]["results"] == 1
        then = json(client, "/api/v1/players/P1?known_at=%236")
        assert (then["known_at"], then["lists"][0]["results"]) == ("#6", 2)
        assert json(client, ADA)["nanopoints"] == fading((FIRST, 46))
        page = json(client, f"{ADA}?known_at=%236")
        assert (page["nanopoints"], page["rank"]) == (WINTER["P1"], 2)
        assert client.get("/players/P1?known_at=2019-12-31").status_code == 404

    def test_links_keep_both_dates(self, client: Client) -> None:
        html = text(client, f"{ADA}?known_at=%236")
        award = f"{ADA}/awards/Winter%2Fmain/main/performance"
        for link in (
            "/players/P1/wbgf/2019-11-30?known_at=%236",
            f"{award}?known_at=%236",
            "/tournaments/Winter?known_at=%236",
            f"{ADA}/curve?known_at=%236",
            "/rankings/wbgf/2019-12-31?known_at=%236",
        ):
            assert f'"{link}"' in html, link
        assert "As it was known at #6" in html
        assert f'<a href="{ADA}">As it is known now</a>' in html
        assert json(client, f"{award}?known_at=%236")["worth"] == fading((LAST, 11))
        assert client.get(award).status_code == 404
        lists = text(client, "/rankings/wbgf/2019-12-31?known_at=%236")
        assert f'href="{ADA}?known_at=%236"' in lists

    def test_a_form_chooses_both_dates(self, client: Client) -> None:
        asked = json(client, "/players/P1/wbgf?as_of=2019-12-31&known_at=%236")
        assert asked == json(client, f"{ADA}?known_at=%236")
        assert client.get("/players/P1/wbgf?as_of=tomorrow").status_code == 400
        assert client.get(f"{ADA}?known_at=tomorrow").status_code == 400

    def test_the_curve_as_it_was(self, client: Client) -> None:
        then = json(client, f"{ADA}/curve?known_at=%236")["curve"]
        now = json(client, f"{ADA}/curve")["curve"]
        assert (len(then["dots"]), len(now["dots"])) == (2, 1)

    def test_before_a_merge_and_after_it(self, client: Client, journal: Journal) -> None:
        journal.record([say.merge("P3", into="P1")], OFFICER)
        before = json(client, "/players/P3/wbgf/2019-12-31?known_at=%236")
        assert before["person"]["player_id"] == "P3"
        after = json(client, "/players/P3/wbgf/2019-12-31?known_at=%238")
        assert after["person"]["player_id"] == "P1"

    def test_who_is_withheld_now_was_never_named(self, client: Client, journal: Journal) -> None:
        draft = say.player("P1", "Ada Novák", "CZE")
        journal.record([replace(draft, body={**draft.body, "withheld": True})], OFFICER)
        for address in ("/players/P1", ADA, "/tournaments/Autumn"):
            html = text(client, f"{address}?known_at=%236")
            assert "Ada" not in html
            assert "withheld" in html


def test_an_id_with_a_slash_is_another_page(client: Client, journal: Journal) -> None:
    winter(journal)
    journal.record([say.player("P1/wbgf", "Slashed", "CZE")], OFFICER)
    assert "Slashed" not in text(client, "/players/P1/wbgf")
    assert "Slashed" in text(client, "/players/P1%2Fwbgf")
