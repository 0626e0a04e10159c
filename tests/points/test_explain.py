"""An explanation is the computation, in the clauses' words; a calculator comes to the same."""

from __future__ import annotations

import hashlib
import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from palmares.regulations.editions import editions, rules_directory
from tests.packages import BACKGAMMON, error, rows, run, write
from tests.points.test_master_points import ladder, online

DAY = ("--as-of", "2019-11-25")
NANO = Fraction(1, 10**9)


def told(*args: object) -> Any:
    """The explanation as JSON: one object."""
    (found,) = rows("explain", *args)
    return found


def text(*args: object) -> str:
    """The explanation as text, its lines joined into one."""
    result = run("explain", *args)
    assert result.exit_code == 0, result.output
    return " ".join(result.stdout.split())


def clauses(award: Any) -> set[str]:
    return {step["clause"] for step in (*award["steps"], *award["fading"])}


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A tournament with all that the text computes."""
    return prague(tmp_path / "full")


def prague(directory: Path) -> Path:
    """A tournament with dollars, added money, ties, flights and more."""
    return write(
        directory,
        players=BACKGAMMON["players"],
        tournaments="""\
            tournament_id,name,discipline,end_date,currency
            T,Prague Open,backgammon,2019-11-16,USD
            """,
        events="""\
            event_id,tournament_id,name,kind,entry_fee,added_money,bonus_grade
            E,T,Main,championship,150,1000,0.5
            I,T,Intermediate,intermediate,80,,
            J,T,Jackpot,super_jackpot,300,,
            """,
        flights="""\
            event_id,flight,entrants
            E,main,130
            E,consolation,60
            E,last_chance,8
            I,main,31
            J,main,16
            """,
        placings="""\
            event_id,flight,player_id,rank
            E,main,a,3
            E,main,b,3
            E,consolation,a,1
            E,last_chance,c,2
            I,main,a,7
            J,main,a,2
            """,
    )


class TestEveryClause:
    """'each clause in the regulation's words and section, the numbers that went in, the number
    that came out, the reading applied where there is one'"""

    def test_wbgf(self, full: Path) -> None:
        found = told("wbgf", full, "--player", "a", *DAY)
        common = {"euro", "rank-reward", "total-reward", "tied-reward", "points", "size-scaling"}
        common |= {"grade-cap", "age", "days-left", "wr"}
        by_event = {(one["event"], one["flight"]): clauses(one) for one in found["awards"]}
        own = {
            ("Main", "main"): {"grade", "bonus-grade", "format-factor"},
            ("Main", "consolation"): {"grade", "bonus-grade", "format-factor"},
            ("Intermediate", "main"): {"intermediate"},
            ("Jackpot", "main"): {"grade", "super-jackpot"},
        }
        assert by_event == {
            key: {f"wbgf {one}" for one in common | more} for key, more in own.items()
        }

    def test_usbgf(self, tmp_path: Path) -> None:
        found = told("usbgf", ladder(tmp_path / "p"), "--player", "e")
        assert clauses(found["awards"][0]) == {
            f"usbgf {one}"
            for one in (
                "eligibility",
                "event-level",
                "event-weight",
                "division-weight",
                "combined-divisions",
                "distance",
                "event-size-factor",
                "rank-factor",
                "tied-ranks",
                "rank-points",
                "placement-master-points",
                "effective-live",
            )
        }

    def test_a_distance_is_the_player_s_own(self, tmp_path: Path) -> None:
        """Others of his flight have other distances, which are none of his explanation."""
        package = ladder(tmp_path / "p")
        awarded = {row["player_id"]: row for row in rows("award", "usbgf", package)}
        for player, row in awarded.items():
            award = told("usbgf", package, "--player", player)["awards"][0]
            steps = [step for step in award["steps"] if step["clause"] == "usbgf distance"]
            assert [step["value"] for step in steps] == [row["distance"]]

    def test_usbgf_matches(self, tmp_path: Path) -> None:
        found = told("usbgf", online(tmp_path / "p"), "--player", "a")
        match = next(one for one in found["awards"] if one["kind"] == "match")
        assert clauses(match) >= {
            "usbgf match-win",
            "usbgf match-win-points",
            "usbgf match-win-master-points",
            "usbgf effective-online",
            "usbgf eligibility",
            "usbgf event-weight",
        }

    def test_dptr(self, diplomacy: Path) -> None:
        found = told("dptr", diplomacy, "--player", "a")
        every = {"percentile", "value", "value-cap", "before-2001", "new-rating"}
        first, second = (clauses(one) for one in found["awards"])
        assert first == {f"dptr {one}" for one in every | {"initial-rating"}}
        assert second == {f"dptr {one}" for one in every}

    def test_in_the_words_of_the_edition(self, full: Path, tmp_path: Path) -> None:
        cases = (
            ("wbgf", full, "a"),
            ("usbgf", ladder(tmp_path / "p", "2018-12-31"), "a"),
            ("usbgf", ladder(tmp_path / "q", "2019-12-31"), "a"),
        )
        for name, package, player in cases:
            sheets = {one.name: one for one in editions(name)}
            found = told(name, package, "--player", player, *DAY)
            shown = text(name, package, "--player", player, *DAY)
            for award in found["awards"]:
                edition = sheets[award["edition"]]
                for step in (*award["steps"], *award["fading"]):
                    clause = edition.clauses[step["clause"].split()[1]]
                    assert (step["label"], step["says"]) == (clause.label, clause.says)
                    assert f"{clause.label} [{name} {clause.id}]: {clause.says}" in shown

    def test_the_reading_applied(self, full: Path) -> None:
        asked = ("wbgf", full, "--player", "a", *DAY)
        assert "We: count plain days and divide by 1095" in " ".join(text(*asked).split())
        chosen = text(*asked, "--reading", "W3=skip-29-feb")
        assert "29 February is not counted in the age" in " ".join(chosen.split())
        assert "reading W3 (skip-29-feb). " in chosen
        assert "reading W3. " not in chosen

    def test_what_went_in_and_what_came_out(self, full: Path) -> None:
        """USD on Saturday 2019-11-16: the bank's 1.1034 of Friday."""
        shown = text("wbgf", full, "--player", "a", *DAY)
        assert "with amount 150, eur_per_unit" in shown
        assert "source European Central Bank, 2019-11-15" in shown
        assert "with end_date 2019-11-16, as_of 2019-11-25 = 9" in shown
        assert "with age 9, days 1095 = 1086" in shown


class TestEditionAndHash:
    """'the edition and its hash'"""

    @pytest.mark.parametrize(
        ("record", "edition"), [("2018-12-31", "2015-05"), ("2019-12-31", "2019-01")]
    )
    def test_they_are_the_sheets(self, tmp_path: Path, record: str, edition: str) -> None:
        sheet = rules_directory() / "usbgf" / f"{edition}.toml"
        digest = hashlib.sha256(sheet.read_bytes()).hexdigest()
        package = ladder(tmp_path / "p", record)
        award = told("usbgf", package, "--player", "a")["awards"][0]
        assert (award["edition"], award["sha256"]) == (f"usbgf/{edition}", digest)
        shown = text("usbgf", package, "--player", "a")
        assert f"effective {record}, under usbgf/{edition} (sha256 {digest[:12]})" in shown


class TestTheNumbersAgree:
    """'It is the trace of the computation itself'; an officer checks it with a calculator"""

    def packages(self, full: Path, diplomacy: Path, tmp_path: Path) -> list[tuple[str, Path]]:
        return [
            ("wbgf", full),
            ("usbgf", ladder(tmp_path / "live")),
            ("usbgf", online(tmp_path / "online")),
            ("dptr", diplomacy),
        ]

    def test_the_last_step_is_the_award(self, full: Path, diplomacy: Path, tmp_path: Path) -> None:
        for name, package in self.packages(full, diplomacy, tmp_path):
            given = rows("award", name, package)
            for player in {row["player_id"] for row in given}:
                explained = told(name, package, "--player", player, *DAY)["awards"]
                theirs = [row for row in given if row["player_id"] == player]
                assert len(explained) == len(theirs)
                for award, row in zip(explained, theirs, strict=True):
                    final = award["steps"][-1]
                    exact = Fraction(final["exact"] or final["value"])
                    assert abs(exact - Fraction(str(row["points"]))) <= NANO
                    assert award["points"] == row["points"]
                    keys = ("event_id", "event", "flight", "kind", "effective")
                    assert [award[key] for key in keys] == [row[key] for key in keys]

    def test_terms_stand_in_the_order_of_the_text(
        self, full: Path, diplomacy: Path, tmp_path: Path
    ) -> None:
        """Last is the formula that takes them all, as an officer writes a sum."""
        for name, package in self.packages(full, diplomacy, tmp_path):
            texts = [list(one.clauses) for one in editions(name)]
            for player in {row["player_id"] for row in rows("award", name, package)}:
                for award in told(name, package, "--player", player, *DAY)["awards"]:
                    for steps in (award["steps"][:-1], award["fading"]):
                        terms = [one["clause"].partition(" ")[2] for one in steps
                                 if one["depth"] == 0]  # fmt: skip
                        text = next(one for one in texts if set(terms) <= set(one))
                        assert terms == sorted(terms, key=text.index)

    def test_grade_before_format_factor_and_s_before_r(self, full: Path) -> None:
        """'Let G be …', 'Let F be …', 's(n)', 'R(r)', 'This is normalised by …', 'if m …', 'PP'."""
        shown = text("wbgf", full, "--player", "a", *DAY).split("2. Prague")[0]
        names = ("euro", "bonus-grade", "format-factor", "size-scaling", "rank-reward",
                 "total-reward", "tied-reward", "points", "age", "days-left", "wr")  # fmt: skip
        places = [shown.index(f"[wbgf {name}]") for name in names]
        assert places == sorted(places)

    def test_the_total_is_that_of_the_ranking(
        self, full: Path, diplomacy: Path, tmp_path: Path
    ) -> None:
        for name, package in self.packages(full, diplomacy, tmp_path):
            ranking = rows("rank", name, package, *DAY)
            for row in ranking:
                found = told(name, package, "--player", row["player_id"], *DAY)
                assert {key: found[key] for key in row} == row
                assert found["ranked"] == len(ranking)
                assert (found["regulation"], found["as_of"]) == (name, DAY[1])

    def test_the_sum_adds_up(self, full: Path) -> None:
        """Points times days left over 1095, line by line, and their exact sum rounded once."""
        shown = run("explain", "wbgf", full, "--player", "a", *DAY).stdout
        _, _, sums = shown.rpartition("\nSum\n")
        terms = re.findall(r"^ +([\d.]+)  .*: ([\d.]+) × (\d+)/1095$", sums, re.MULTILINE)
        assert len(terms) == 4
        exact = Fraction(0)
        for worth, points, left in terms:
            product = Fraction(points) * int(left) / 1095
            assert abs(Fraction(worth) - product) <= NANO / 2
            exact += product
        (total,) = re.findall(r"^ +([\d.]+)  total", sums, re.MULTILINE)
        assert abs(Fraction(total) - exact) <= NANO / 2
        assert told("wbgf", full, "--player", "a", *DAY)["points"] == float(total)

    def test_master_points_add_up_as_they_are(self, tmp_path: Path) -> None:
        shown = run("explain", "usbgf", online(tmp_path / "p"), "--player", "a").stdout
        _, _, sums = shown.rpartition("\nSum\n")
        assert [line.split()[0] for line in sums.splitlines()] == ["0.4", "0.6", "1.08", "2.08"]

    def test_what_does_not_count_is_shown_as_such(self, tmp_path: Path) -> None:
        asked = ("usbgf", online(tmp_path / "p"), "--player", "a", "--kind", "match")
        found = told(*asked)
        assert [one["counts"] for one in found["awards"]] == [True, True, False]
        assert found["points"] == 1
        assert "– Monthly, main, placement (does not count" in text(*asked)

    def test_a_result_that_has_faded(self, backgammon: Path) -> None:
        found = told("wbgf", backgammon, "--player", "a", "--as-of", "2022-11-14")
        assert (found["points"], found["rank"]) == (0, None)
        assert [one["worth"] for one in found["awards"]] == [0]
        shown = text("wbgf", backgammon, "--player", "a", "--as-of", "2022-11-14")
        assert shown.startswith("Ada Novak (CZE): 0.00 points, not on the list")

    def test_the_rating_says_where_it_comes_from(self, diplomacy: Path) -> None:
        shown = text("dptr", diplomacy, "--player", "a")
        rating = rows("rank", "dptr", diplomacy)[0]["points"]
        assert shown.endswith(f"The rating is the one after the last event: {rating}")


class TestJsonIsTheSameContent:
    """'the same content as JSON'"""

    def test_every_number_and_word_of_the_text(self, full: Path, tmp_path: Path) -> None:
        for name, package in (("wbgf", full), ("usbgf", ladder(tmp_path / "p"))):
            found = told(name, package, "--player", "a", *DAY)
            shown = text(name, package, "--player", "a", *DAY)
            for award in found["awards"]:
                assert f"{award['tournament']}, {award['event']}: {award['flight']}" in shown
                for step in (*award["steps"], *award["fading"]):
                    for key, value in step["inputs"].items():
                        assert key in shown
                        if isinstance(value, str):
                            assert f"{key} {value}" in shown
                    for reading in step["readings"]:
                        assert f"reading {reading}" in shown

    def test_as_many_steps_as_the_text_has(self, full: Path) -> None:
        found = told("wbgf", full, "--player", "a", *DAY)
        steps = sum(len(one["steps"]) + len(one["fading"]) for one in found["awards"])
        shown = run("explain", "wbgf", full, "--player", "a", *DAY).stdout
        assert len(re.findall(r"(?:^ +|again )with ", shown, re.MULTILINE)) == steps

    def test_a_row_a_clause_for_spreadsheets(self, full: Path) -> None:
        found = told("wbgf", full, "--player", "a", *DAY)
        steps = sum(len(one["steps"]) + len(one["fading"]) for one in found["awards"])
        result = run("explain", "wbgf", full, "--player", "a", *DAY, "--format", "csv")
        header, *lines = result.stdout.splitlines()
        assert header == "event,flight,kind,clause,label,says,inputs,value"
        assert len(lines) == steps + len(found["awards"])


class TestWhom:
    """'--player ID_OR_NAME'"""

    @pytest.mark.parametrize("wanted", ["a", "Ada Novak", "ada novak", "ADA NOVAK"])
    def test_by_id_or_name(self, backgammon: Path, wanted: str) -> None:
        assert told("wbgf", backgammon, "--player", wanted)["player_id"] == "a"

    def test_a_name_nobody_has(self, backgammon: Path) -> None:
        said = error("explain", "wbgf", backgammon, "--player", "Ada Nowak")
        assert "No player has the id or the name Ada Nowak. Did you mean Ada Novak?" in said
        assert "Did you mean" not in error("explain", "wbgf", backgammon, "--player", "Zzz")

    def test_a_name_that_two_have(self, backgammon: Path) -> None:
        players = BACKGAMMON["players"].replace("Dee Rix", "Ada Novak")
        write(backgammon, players=players)
        said = error("explain", "wbgf", backgammon, "--player", "Ada Novak")
        assert "2 players are called Ada Novak" in said
        assert "a  Ada Novak (CZE)" in said
        assert "d  Ada Novak (DEU)" in said

    def test_an_id_wins_over_a_name(self, backgammon: Path) -> None:
        write(backgammon, players=BACKGAMMON["players"].replace("Dee Rix", "a"))
        assert told("wbgf", backgammon, "--player", "a")["player_id"] == "a"

    def test_letters_written_another_way(self, backgammon: Path) -> None:
        """é as one letter or as e with an accent is the same name."""
        write(backgammon, players=BACKGAMMON["players"].replace("Ada Novak", "Ren\u00e9e"))
        assert told("wbgf", backgammon, "--player", "Rene\u0301e")["player_id"] == "a"

    def test_a_player_without_points(self, backgammon: Path) -> None:
        write(backgammon, players=BACKGAMMON["players"] + "        z,Zoe,\n")
        said = error("explain", "wbgf", backgammon, "--player", "z")
        assert "Zoe (z) has no points under wbgf.\nNo placing and no match names them." in said


class TestLargeFields:
    @pytest.mark.parametrize("entrants", [1000, 1001, 5000])
    def test_the_trace_comes_to_the_award(self, backgammon: Path, entrants: int) -> None:
        """Beyond EXACT_UP_TO entrants the trace is on floats."""
        events = BACKGAMMON["events"].replace("championship,4", f"championship,{entrants}")
        write(backgammon, events=events)
        award = told("wbgf", backgammon, "--player", "a", *DAY)["awards"][0]
        final = award["steps"][-1]
        exact = Fraction(final["exact"] or final["value"])
        assert abs(exact - Fraction(str(award["points"]))) <= NANO
        assert (final["exact"] is None) is (entrants > 1000)

    def test_a_long_row_of_numbers_is_cut_in_the_text(self, backgammon: Path) -> None:
        write(backgammon, events=BACKGAMMON["events"].replace("championship,4", "championship,999"))
        shown = run("explain", "wbgf", backgammon, "--player", "a", *DAY).stdout
        assert "999 numbers)" in shown
        assert max(map(len, shown.splitlines())) <= 100
        assert json.dumps(told("wbgf", backgammon, "--player", "a", *DAY))


class TestWhereThereIsAChoice:
    """The trace follows the readings chosen, and comes to the award under each of them."""

    PLACINGS = """\
        event_id,flight,player_id,rank,designated
        E,main,a,1,yes
        E,main,b,2,yes
        E,consolation,b,1,yes
        """

    @pytest.mark.parametrize("choice", ["U10=sum", "U9=exclusive", "U1=quick-reference"])
    def test_usbgf(self, tmp_path: Path, choice: str) -> None:
        """U10: one player in two designated places."""
        package = ladder(tmp_path / "p", placings=self.PLACINGS)
        asked = ("--reading", choice)
        explained = told("usbgf", package, "--player", "b", *asked)
        given = [row for row in rows("award", "usbgf", package, *asked) if row["player_id"] == "b"]
        assert len(given) == (2 if choice == "U10=sum" else 1)
        assert [one["points"] for one in explained["awards"]] == [row["points"] for row in given]

    def test_dptr(self, diplomacy: Path) -> None:
        explained = told("dptr", diplomacy, "--player", "a", "--reading", "D1=published-inputs")
        final = explained["awards"][0]["steps"][-1]
        assert final["inputs"] == {"before": 40, "value": 10.57, "percentile": 78.33}


@pytest.mark.parametrize("bonus", ["8765432.1", "77777777.7", "123456789.012345"])
def test_points_beyond_a_float_s_ninth_decimal_are_explained(tmp_path: Path, bonus: str) -> None:
    """A bonus grade on G = 1 makes (1 + bonus) x 10 x 4 x 144/893 points: ranks 3 and 4, shared."""
    events = BACKGAMMON["events"].replace(",national_", ",bonus_grade,national_")
    events = events.replace(",100,", f",100,{bonus},")
    package = write(tmp_path / "p", **{**BACKGAMMON, "events": events})
    found = told("wbgf", package, "--player", "d", *DAY)
    mean = (160 + 128) / 2 / 893
    assert found["awards"][0]["points"] == pytest.approx((1 + float(bonus)) * 40 * mean, rel=1e-12)
