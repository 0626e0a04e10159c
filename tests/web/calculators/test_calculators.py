"""
Calculators: what regulations make of a small report, clause by clause; what was typed is kept.

Of two players the last has the reward 1 and the first 1.75, 2.75 together. So a Main of 100 euro
gives 10 × 2 × 1.75 / 2.75 = 12.727272727 and 7.272727273 points.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from palmares.journal.store.journal import Journal
from palmares.web.calculators.views import fields_of
from palmares.web.http.state import AppState
from tests.amounts import amount
from tests.journal.statements import OFFICER, rate
from tests.web.conftest import Client
from tests.web.visits import JSON

TWO = {"entrants": "2", "day": "2019-11-15"}
MATCH = {"day": "2019-06-01", "match_length": "9", "place": ""}
PLACE = {"day": "2019-06-01", "match_length": "", "entrants": "64", "place": "1"}


def asked(client: Client, calculator: str, **typed: str) -> Any:
    """A calculator as JSON; as HTML it is there, too."""
    path = f"/calculators/{calculator}?{urlencode(typed)}"
    assert client.get(path).status_code == 200
    return client.get(path, headers=JSON).json()


def points(client: Client, calculator: str, **typed: str) -> list[str]:
    """Points of each award, to nine decimals."""
    page = asked(client, calculator, **typed)
    assert wrong(page) == {}
    return [f"{one['nanopoints'] / 10**9:.9f}" for one in page["awards"]]


def wrong(page: Any) -> dict[str, str]:
    """What is wrong, by field."""
    return {one["name"]: one["problem"] for one in page["fields"] if one["problem"]}


class TestPerformance:
    @pytest.mark.parametrize(
        ("typed", "expected"),
        [
            ({}, "12.727272727"),
            ({"place": "2"}, "7.272727273"),
            ({"tied": "2"}, "10.000000000"),  # the mean of the two
            ({"entry_fee": "50", "added_money": "100"}, "12.727272727"),  # 50 + 100/2
            ({"entry_fee": "900"}, "63.636363636"),  # a grade of 5 at most
            ({"kind": "intermediate"}, "3.818181818"),  # 0.3 of it
            ({"kind": "super_jackpot"}, "4.242424242"),  # a third of it
            ({"consolation": "2"}, "9.545454545"),  # 0.75 of it
            ({"consolation": "2", "flight": "consolation"}, "3.181818182"),  # 0.25 of it
            ({"last_chance": "2", "flight": "last_chance"}, "1.272727273"),  # a tenth
        ],
    )
    def test_sums(self, visitor: Client, typed: dict[str, str], expected: str) -> None:
        assert points(visitor, "performance", **TWO | typed) == [expected]

    def test_clause_by_clause(self, visitor: Client) -> None:
        page = asked(visitor, "performance", **TWO)
        (award,) = page["awards"]
        lines = {one["clause"]: one for one in award["lines"]}
        assert lines["wbgf grade"]["value"] == "1"
        assert lines["wbgf total-reward"]["value"] == "2.75"
        html = visitor.get(f"/calculators/performance?{urlencode(TWO)}").text
        assert lines["wbgf points"]["says"] in html
        assert 'href="/regulations/wbgf/undated#grade"' in html

    def test_worth_on_a_day(self, visitor: Client) -> None:
        """365 of 1095 days are gone: 12.727272727 × 730/1095."""
        page = asked(visitor, "performance", **TWO, as_of="2020-11-14")
        assert [one["worth"] for one in page["awards"]] == [8_484_848_485]

    def test_a_rate_of_the_journal(
        self, client: Client, app_state: AppState, journal: Journal
    ) -> None:
        journal.record([rate("CZK", "2019-11-15", "0.04")], OFFICER)
        app_state.snapshot(at_once=True)
        assert points(client, "performance", **TWO, currency="CZK", entry_fee="2500") == [
            "12.727272727"
        ]

    def test_what_is_wrong_stands_at_its_field(self, visitor: Client) -> None:
        typed = {
            "entry_fee": "1,00",
            "entrants": "x",
            "currency": "EURX",
            "as_of": "soon",
            "place": "<b>",
        }
        page = asked(visitor, "performance", **typed)
        assert set(wrong(page)) == {"as_of"}  # cells are read when days are days
        page = asked(visitor, "performance", **typed | {"as_of": ""})
        assert wrong(page) == {
            "entry_fee": "Entry fee is '1,00', not a number."
            " Write 1.00 with a point, or leave the comma out.",
            "currency": "Currency is 'EURX', which is not a currency code of ISO 4217."
            " Write its three letters, such as EUR or USD.",
            "entrants": "Entrants is 'x', not a whole number. Write digits only, such as 12.",
            "place": "Rank is '<b>', not a whole number. Write digits only, such as 12.",
        }
        html = visitor.get(f"/calculators/performance?{urlencode(typed)}").text
        assert 'value="&lt;b&gt;"' in html
        assert "<b>" not in html

    @pytest.mark.parametrize(
        ("typed", "field"),
        [
            ({"entrants": ""}, "entrants"),
            ({"entrants": "10001"}, "entrants"),
            ({"place": "3"}, "place"),
            ({"place": "2", "tied": "2"}, "place"),
            ({"flight": "consolation"}, "consolation"),
            ({"kind": "golden"}, "kind"),
            ({"currency": "XXX"}, "currency"),
            ({"entry_fee": "9" * 100}, "entry_fee"),
            ({"day": "2019-W01-1"}, "day"),
        ],
    )
    def test_one_thing_wrong(self, visitor: Client, typed: dict[str, str], field: str) -> None:
        page = asked(visitor, "performance", **TWO | typed)
        assert set(wrong(page)) == {field}
        assert page["nanopoints"] is None

    def test_nothing_typed_is_an_example(self, visitor: Client) -> None:
        assert asked(visitor, "performance")["nanopoints"] > 0

    def test_only_what_was_asked_is_warned_of(self, visitor: Client) -> None:
        """An Intermediate's grade takes the fee of a Championship of which nobody asked."""
        page = asked(visitor, "performance", kind="intermediate", entrants="16")
        (notice,) = page["remarks"]
        assert notice["what"].startswith("Intermediate: 16 players; to qualify: at least 30")

    def test_a_flight_that_earns_nothing(self, visitor: Client) -> None:
        """The notice says why; no clause that computed something for another flight does."""
        typed = {"kind": "intermediate", "flight": "consolation", "consolation": "20"}
        page = asked(visitor, "performance", **typed)
        assert (page["nanopoints"], page["no_points"]) == (0, [])
        (notice,) = page["remarks"]
        assert notice["clause"] == "wbgf format-factor, reading W12"
        html = visitor.get("/calculators/performance", params=typed).text
        assert "No points.</p>" in html
        assert "the flight consolation of Intermediate earns nothing" in html

    @pytest.mark.parametrize(
        ("typed", "sentence"),
        [
            ({"place": "65"}, "Platz 65 bei 64 Teilnehmern"),
            ({"entry_fee": "x"}, "Entry fee ist „x“"),
        ],
    )
    def test_a_problem_in_one_language(
        self, visitor: Client, typed: dict[str, str], sentence: str
    ) -> None:
        html = visitor.get(
            "/calculators/performance", params=typed, headers={"accept-language": "de"}
        ).text
        assert sentence in html
        assert " in a field of " not in html


class TestMasterPoints:
    def test_a_match_of_nine_points_is_one(self, visitor: Client) -> None:
        assert points(visitor, "master-points", **MATCH) == ["1.000000000"]

    def test_editions_differ(self, visitor: Client) -> None:
        """log2 64 is 6; the edition of 2019 takes 0.6 of it."""
        assert points(visitor, "master-points", **PLACE) == ["3.600000000"]
        before = PLACE | {"day": "2018-06-01"}
        assert points(visitor, "master-points", **before) == ["6.000000000"]
        page = asked(visitor, "master-points", **before)
        assert page["awards"][0]["edition"] == "usbgf/2015-05"

    def test_both(self, visitor: Client) -> None:
        page = asked(visitor, "master-points", **PLACE | {"match_length": "9"})
        assert [one["kind"] for one in page["awards"]] == ["match", "placement"]
        assert page["nanopoints"] == 4_600_000_000

    def test_online_type_and_division(self, visitor: Client) -> None:
        """0.6 for a Circuit Monthly of 2019, 0.7 for the second division."""
        online = {"setting": "online", "event_type": "Circuit Monthly", "division_rank": "2"}
        assert points(visitor, "master-points", **MATCH | online) == ["0.420000000"]

    def test_a_place_that_is_not_ranked_says_why(self, visitor: Client) -> None:
        page = asked(visitor, "master-points", **PLACE | {"place": "9"})
        assert (page["awards"], page["nanopoints"]) == ([], 0)
        first = page["no_points"][0]
        assert (first["clause"], first["value"]) == ("usbgf ranked-finishers", "8")
        html = visitor.get("/calculators/master-points", params=PLACE | {"place": "9"}).text
        assert f'href="/regulations/usbgf/{page["edition"]}#ranked-finishers"' in html

    def test_before_the_first_edition(self, visitor: Client) -> None:
        page = asked(visitor, "master-points", **MATCH | {"day": "2014-06-01"})
        assert (page["covered"], page["nanopoints"]) == (False, 0)

    def test_neither_match_nor_place(self, visitor: Client) -> None:
        assert set(wrong(asked(visitor, "master-points", match_length="", place=""))) == {"place"}
        assert set(wrong(asked(visitor, "master-points", entrants=""))) == {"entrants"}
        assert set(wrong(asked(visitor, "master-points", event_type="", event_level="9"))) == {
            "event_level"
        }


class TestPercentile:
    """(49.5 - 1)/49 of 100 is 98.979591837; 49/3.5 + 2 is 16, and 15 is the most."""

    def test_from_the_start(self, visitor: Client) -> None:
        """40 + 15 % of 58.979591837."""
        assert points(visitor, "percentile", entrants="49", place="1") == ["48.846938776"]

    def test_from_an_old_rating(self, visitor: Client) -> None:
        """52.5 + 15 % of 46.479591837."""
        page = asked(visitor, "percentile", entrants="49", place="1", rating_before="52.5")
        (award,) = page["awards"]
        assert award["nanopoints"] == 59_471_938_776
        assert "dptr initial-rating" not in [one["clause"] for one in award["lines"]]

    def test_a_form_is_filled_in_with_what_was_asked(self, visitor: Client) -> None:
        """Browsers show numbers and days as their reader writes them."""
        page = {"entrants": "49", "place": "1", "rating_before": "48.847", "day": "2019-11-15"}
        html = visitor.get(
            "/calculators/percentile", params=page, headers={"accept-language": "de"}
        ).text
        assert re.search(r'name="rating_before" value="48.847"[^>]* type="number" step="any"', html)
        assert re.search(r'name="day" value="2019-11-15"[^>]* type="date"', html)

    def test_a_world_championship_counts_twenty(self, visitor: Client) -> None:
        """40 + 20 % of 58.979591837."""
        typed = {"entrants": "49", "world_championship": "yes", "rounds": "", "day": "1999-06-01"}
        assert points(visitor, "percentile", **typed) == ["51.795918367"]

    def test_problems(self, visitor: Client) -> None:
        assert set(wrong(asked(visitor, "percentile", rounds=""))) == {"rounds"}
        assert set(wrong(asked(visitor, "percentile", rating_before="101"))) == {"rating_before"}
        assert set(wrong(asked(visitor, "percentile", rating_before="1e1"))) == {"rating_before"}


class TestVictoryPoints:
    """16 boards: 7 IMPs are 12.03, 20 IMPs are 15.00; in whole VPs 18 to 22 IMPs are 15."""

    def test_a_margin(self, visitor: Client) -> None:
        page = asked(visitor, "victory-points", boards="16", margin="7")
        found = page["for_margin"]
        assert (found["winner"], found["loser"]) == ("12.03", "7.97")
        by_clause = {one["clause"]: one["value"] for one in found["lines"]}
        assert (by_clause["wbf-vp eq3"], by_clause["wbf-vp winner"]) == ("60", "1203")
        assert [one["first"] for one in page["rows"] if one["selected"]] == [7]
        assert len(page["rows"]) == 61

    def test_a_loss_and_more_than_the_table(self, visitor: Client) -> None:
        found = asked(visitor, "victory-points", boards="16", margin="-99")
        assert (found["for_margin"]["winner"], found["for_margin"]["loser"]) == ("20.00", "0.00")
        assert [one["first"] for one in found["rows"] if one["selected"]] == [60]

    def test_points_to_reach(self, visitor: Client) -> None:
        page = asked(visitor, "victory-points", boards="16", points="15")
        assert (page["for_points"]["margin"], page["for_points"]["winner"]) == (20, "15.00")
        page = asked(visitor, "victory-points", boards="16", points="15", scale="discrete")
        assert (page["for_points"]["margin"], page["for_points"]["winner"]) == (18, "15")
        assert {"first": 18, "last": 22, "winner": "15", "loser": "5", "selected": False} in page[
            "rows"
        ]

    def test_problems(self, visitor: Client) -> None:
        typed = {"boards": "0", "margin": "1.5", "points": "many"}
        page = asked(visitor, "victory-points", **typed)
        assert set(wrong(page)) == {"boards", "margin", "points"}
        assert page["rows"] == []
        assert set(wrong(asked(visitor, "victory-points", points="21"))) == {"points"}
        assert set(wrong(asked(visitor, "victory-points", boards="201"))) == {"boards"}


class TestLanguages:
    """What is asked of a calculator is written as programs write it, in every language."""

    @pytest.mark.parametrize("fee", ["1,000", "1.000", "50,5", "2.5"])
    def test_an_address_is_the_same_in_every_language(self, visitor: Client, fee: str) -> None:
        asked = {"entrants": "2", "place": "1", "day": "2019-11-15", "entry_fee": fee}
        path = f"/calculators/performance?{urlencode(asked)}"
        right = fee == "2.5"  # a comma is no sign, and 1.000 may be meant as a thousand
        for language in ("en", "de", "fr"):
            page = visitor.get(path, headers={"accept-language": language})
            assert page.status_code == 200
            assert ('id="wrong-entry_fee"' not in page.text) == right

    def test_what_is_wrong_in_the_language_of_the_form(self, visitor: Client) -> None:
        page = visitor.get(
            "/calculators/performance",
            params={"entry_fee": "viel"},
            headers={"accept-language": "de"},
        )
        assert (
            "Entry fee ist \u201eviel\u201c, keine Zahl. Schreiben Sie Ziffern und einen Punkt"
            in page.text
        )

    def test_a_field_that_is_left_empty_stays_so(self, visitor: Client) -> None:
        asked = {"boards": "16", "margin": "", "points": "12.5"}
        page = visitor.get("/calculators/victory-points", params=asked)
        assert 'name="margin" value=""' in page.text


def test_the_calculators(visitor: Client) -> None:
    html = visitor.get("/calculators").text
    for one in ("performance", "master-points", "percentile", "victory-points"):
        assert f'href="/calculators/{one}"' in html
    assert visitor.get("/calculators/luck").status_code == 404


FIELDS = ("kind", "entry_fee", "currency", "entrants", "place", "tied", "day", "as_of",
          "rating_before", "match_length", "event_level", "division_rank", "boards", "margin",
          "points", "flight", "consolation")  # fmt: skip
HOSTILE = ("<script>", "=1+1", "\u202e1", "٣", "1e9", "-1", "0", "9" * 30, "nan", "x" * 999)
ANY = st.text(st.characters(exclude_categories=["C"]), max_size=20)


@settings(
    max_examples=amount(1_000),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    calculator=st.sampled_from(["performance", "master-points", "percentile", "victory-points"]),
    typed=st.dictionaries(
        st.sampled_from(FIELDS),
        st.sampled_from(HOSTILE)
        | st.text(st.characters(exclude_categories=["C"]), max_size=20)
        | st.integers(-3, 99).map(str),
        max_size=4,
    ),
)
def test_whatever_is_typed(visitor: Client, calculator: str, typed: dict[str, str]) -> None:
    names = [field.name for field in fields_of(calculator)]
    typed = {name: text for name, text in typed.items() if name in names}
    path = f"/calculators/{calculator}?{urlencode(typed)}"
    page = visitor.get(path, headers=JSON)
    assert page.status_code == 200
    kept = {one["name"]: one["value"] for one in page.json()["fields"]}
    for name, value in typed.items():
        assert name not in kept or kept[name] == value.strip()[:60]
    html = visitor.get(path).text
    assert "<script>" not in html.replace("<script src", "")
