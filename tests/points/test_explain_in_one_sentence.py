"""Every award in one sentence: who reckons with its numbers gets its points."""

from __future__ import annotations

import csv
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from palmares.core.rounding import points_text, to_nanopoints
from tests.packages import rows, run
from tests.points.test_explain import DAY, prague, text, told
from tests.points.test_master_points import ladder, online


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """Dollars, added money, ties and three flights."""
    return prague(tmp_path / "full")


class TestInOneSentence:
    """Why 37.41, in a sentence that one can reckon: the last clause's sum, then the day's worth."""

    def reckoned(self, award: Any) -> None:
        """Whoever types the printed numbers into a calculator gets the printed results."""
        points, _, then = award["summary"].replace(",", "").partition("; ")
        asked, _, printed = re.split(": ", points)[-1].replace("=", "≈").partition(" ≈ ")
        places = len(printed.partition(".")[2])
        terms = re.sub(r"[\d.]+", lambda found: f"Fraction('{found[0]}')", asked)
        result = eval(terms.replace("×", "*").replace("−", "-"))  # noqa: S307
        assert points_text(to_nanopoints(result), places) == printed
        if award["fading"]:
            left, parts, worth = re.findall(r"[\d.]+", then)
            assert points_text(to_nanopoints(Fraction(printed) * int(left) / int(parts))) == worth
            assert float(worth) == pytest.approx(award["worth"], abs=0.005001)
        else:
            assert float(printed) == pytest.approx(award["points"], abs=0.005001)

    def test_the_printed_numbers_make_the_printed_points(
        self, full: Path, diplomacy: Path, tmp_path: Path
    ) -> None:
        packages = (
            ("wbgf", full),
            ("usbgf", ladder(tmp_path / "live")),
            ("usbgf", online(tmp_path / "online")),
            ("dptr", diplomacy),
        )
        for name, package in packages:
            for player in {row["player_id"] for row in rows("award", name, package)}:
                for award in told(name, package, "--player", player, *DAY)["awards"]:
                    self.reckoned(award)

    def test_a_place_that_is_shared_and_fades(self, full: Path) -> None:
        """Of $150 and $1,000 for 130 at 1/1.1034, and 0.5: 1.4291 + 0.5 is the grade."""
        (first, *_) = told("wbgf", full, "--player", "b", *DAY)["awards"]
        points, _, then = first["summary"].partition("; ")
        assert points.startswith("Places 3 to 4 of 130, shared: 1.929 × 0.7 × 10 × 129.977 × ")
        assert then == f"1,086 of 1,095 days are left: {first['worth']:.2f}"
        assert first["formula"] == (
            "grade × format factor × t × size scaling × reward / total reward"
        )

    def test_a_rating_and_what_replaced_it(self, diplomacy: Path) -> None:
        """10.57 per cent of the way from 40 to 78.33: 40 + 4.05."""
        first, second = told("dptr", diplomacy, "--player", "a")["awards"]
        assert first["summary"] == (
            "Place 7 of 30: 40 + 10.57 / 100 × (78.33 − 40) ≈ 44.05; "
            "a later event has replaced it since"
        )
        assert first["formula"] == "before + value / 100 × (percentile − before)"
        assert ";" not in second["summary"]

    def test_matches_won(self, tmp_path: Path) -> None:
        asked = ("usbgf", online(tmp_path / "p"), "--player", "a")
        first, second, place = (one["summary"] for one in told(*asked)["awards"])
        assert first == "1 match won: 0.4 × 1 × 1 = 0.40"
        assert second == "1 match won: 0.6 × 1 × 1 = 0.60"
        assert place.endswith(": 0.6 × 1 × 1.8 = 1.08")

    def test_a_result_that_does_not_count(self, backgammon: Path) -> None:
        for day, says in (("2022-11-14", "it does not count on"), ("2019-11-14", "yet on")):
            (award, *_) = told("wbgf", backgammon, "--player", "a", "--as-of", day)["awards"]
            assert award["summary"].endswith(f"{says} {day}")

    def test_nothing_is_valued_on_a_day_on_which_it_does_not_count(self, backgammon: Path) -> None:
        asked = ("wbgf", backgammon, "--player", "a", "--as-of")
        assert "[wbgf wr]" in text(*asked, "2020-11-14")
        assert "[wbgf wr]" not in text(*asked, "2019-11-14")

    def test_it_is_the_first_row_of_a_spreadsheet(self, full: Path) -> None:
        first = told("wbgf", full, "--player", "a", *DAY)["awards"][0]
        result = run("explain", "wbgf", full, "--player", "a", *DAY, "--format", "csv")
        row = next(csv.DictReader(result.stdout.splitlines()))
        assert (row["label"], row["says"]) == ("In short", first["summary"])
        assert (row["inputs"], float(row["value"])) == (first["formula"], first["worth"])

    def test_it_stands_first(self, full: Path) -> None:
        found = told("wbgf", full, "--player", "a", *DAY)
        full_text = text("wbgf", full, "--player", "a", *DAY)
        for number, award in enumerate(found["awards"], 1):
            head = f"{number}. Prague Open, {award['event']}: {award['flight']}, performance"
            assert f"{head} {award['summary']} {award['formula']} " in full_text
