"""``palmares standings``: what it prints and writes, and plain words where it cannot."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from openpyxl import load_workbook

from tests.bridge.team_events import text
from tests.packages import error, rows, run

LINES = """
    1: Alpha 41-21 Beta (16)
    1: Gamma bye
    2: Gamma 30-30 Alpha (16)
    2: Beta bye
    3: Beta 60-30 Gamma (16)
    3: Alpha 30-30 Delta (16)
    4: Alpha 10-40 Delta (16), void
"""
TABLES = """
[[event.team_match]]
round = "4"
home = "Gamma"
away = "Delta"
boards = 16
home_imps = 30
away_imps = 30
home_carry_imps = 0.5
home_adjust_vp = -0.5
"""


@pytest.fixture
def league(tmp_path: Path) -> Path:
    """Alpha 15 + 10 + 10, Beta 5 + 12 + 16.73, Gamma 12 + 10 + 3.27 + 10.31 - 0.50."""
    path = tmp_path / "league.toml"
    path.write_text(text(LINES, TABLES))
    return path


class TestJson:
    def test_one_object_a_team_with_the_keys_of_the_contract(self, league: Path) -> None:
        (gamma,) = [row for row in rows("standings", league) if row["team"] == "Gamma"]
        assert list(gamma) == [
            "rank", "team", "points", "played", "won", "drawn", "lost", "imps_for",
            "imps_against", "match_points", "adjustments", "carried", "tie_break", "rounds",
        ]  # fmt: skip
        assert gamma | {"rounds": []} == {
            "rank": 1, "team": "Gamma", "points": "35.08", "played": 3, "won": 1, "drawn": 1,
            "lost": 1, "imps_for": 90.5, "imps_against": 120, "match_points": "35.58",
            "adjustments": "-0.50", "carried": "0.00", "tie_break": "", "rounds": [],
        }  # fmt: skip

    def test_rounds(self, league: Path) -> None:
        (alpha,) = [row for row in rows("standings", league) if row["team"] == "Alpha"]
        assert alpha["rounds"][0] == {
            "round": "1", "opponent": "Beta", "boards": 16, "imps_for": 41, "imps_against": 21,
            "vp": "15.00", "status": "played",
        }  # fmt: skip
        void = alpha["rounds"][-1]
        assert (void["status"], void["vp"], void["imps_for"]) == ("void", None, None)
        (beta,) = [row for row in rows("standings", league) if row["team"] == "Beta"]
        bye = beta["rounds"][1]
        assert (bye["status"], bye["vp"], bye["opponent"]) == ("bye", "12.00", None)

    def test_until_a_round_with_another_bye(self, league: Path) -> None:
        made = rows("standings", league, "--round", "1", "--bye-vp", "10.5")
        assert [(row["team"], row["points"]) for row in made] == [
            ("Alpha", "15.00"), ("Gamma", "10.50"), ("Beta", "5.00"), ("Delta", "0.00"),
        ]  # fmt: skip

    def test_scale_and_tie_breaks(self, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        path.write_text(text("1: A 31-30 B (16)"))
        options = ("--scale", "discrete", "--tie-breaks", "vps-among, wins")
        first, second = rows("standings", path, *options)
        assert first["tie_break"].endswith("ahead on matches won: 1 to 0")
        assert second["tie_break"].startswith("VPs between the tied teams: level at 10.00")
        shared = rows("standings", path, "--scale", "discrete", "--tie-breaks", "")
        assert [row["rank"] for row in shared] == [1, 1]

    def test_readings_and_event(self, league: Path) -> None:
        made = rows("standings", league, "--event", "Teams", "--reading", "S7=continue")
        assert len(made) == 4


class TestForPeople:
    def test_list_crosstable_and_ties(self, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        path.write_text(text("1: Alpha 31-30 Beta (16)\n1: Cee bye\n2: Alpha bye"))
        assert (
            run("standings", path, "--scale", "discrete", "--bye-vp", "0").stdout
            == """\
Teams, discrete scale

rank  team      VP  played  won  drawn  lost  IMPs for  against
   1  Alpha  10.00       1    1      0     0        31       30
   2  Beta   10.00       1    0      0     1        30       31
   3  Cee     0.00       0    0      0     0         0        0

   team       1      2  3     VP
1  Alpha      x  10.00     10.00
2  Beta   10.00      x     10.00
3  Cee                  x   0.00

Alpha, Beta: level on 10.00 VPs
  VPs between the tied teams: level at 10.00
  Alpha ahead on IMPs between the tied teams: +1 to -1
"""
        )

    def test_columns_that_say_something(self, league: Path) -> None:
        printed = run("standings", league).stdout
        head = printed.splitlines()[2]
        assert head.split()[-2:] == ["against", "adjusted"]
        assert "carried" not in head

    def test_the_crosstable_alone(self, league: Path) -> None:
        printed = run("standings", league, "--crosstable").stdout
        assert "played" not in printed
        assert len(rows("standings", league, "--crosstable")) == 4

    def test_a_wide_crosstable_is_shown_only_when_asked_for(self, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        path.write_text(text("\n".join(f"1: A{n} 30-30 B{n} (16)" for n in range(7))))
        assert "   14     VP" not in run("standings", path).stdout
        assert "   14     VP" in run("standings", path, "--crosstable").stdout

    def test_shared_ranks_and_withdrawn_teams_are_told(self, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        tables = "[[event.teams]]\nteam = 'Z'\nwithdrawn = true\n" + "".join(
            f"[[event.teams]]\nteam = '{one}'\n" for one in "AB"
        )
        path.write_text(text("1: A 30-30 B (16)\n2: A 30-30 B (16)", tables))
        printed = run("standings", path).stdout
        assert "A, B: share the rank" in printed
        assert "Z withdrew: its matches are void [wbf-standings withdrawal, S6]." in printed

    def test_after_a_round(self, league: Path) -> None:
        printed = run("standings", league, "--round", "2").stdout
        assert printed.startswith("Teams, after round 2, continuous scale\n")


class TestNames:
    """Teams that the matches call 1 and 2, both at 10 VPs."""

    NAMES = "".join(
        f"[[event.teams]]\nteam = '{team}'\nname = '{name}'\n"
        for team, name in {"1": "Alpha", "2": "Bravo"}.items()
    )

    @pytest.fixture
    def named(self, tmp_path: Path) -> Path:
        path = tmp_path / "named.toml"
        path.write_text(text("1: 1 30-30 2 (16)", self.NAMES))
        return path

    def test_for_people(self, named: Path) -> None:
        printed = run("standings", named).stdout
        assert "   1  Alpha  10.00" in printed
        assert "1  Alpha      x  10.00  10.00" in printed
        assert "Alpha, Bravo: level on 10.00 VPs" in printed
        assert "  Alpha, Bravo: share the rank" in printed
        assert "| Alpha" in run("standings", named, "--format", "md").stdout
        page = run("standings", named, "--format", "html").stdout
        assert page.count('<th scope="row">Alpha</th>') == 3

    def test_why(self, named: Path) -> None:
        printed = run("standings", named, "--explain", "2").stdout
        assert printed.startswith("Bravo: 10.00 VPs, rank 1 in Teams; ")
        assert "1. round 1, against Alpha, 16 boards: 10.00" in printed
        assert "There are: Alpha, Bravo." in error("standings", named, "--explain", "Omega")

    def test_for_programs_as_matches_name_them(self, named: Path) -> None:
        for more in ((), ("--crosstable",)):
            assert [one["team"] for one in rows("standings", named, *more)] == ["1", "2"]
        (first, _) = rows("standings", named)
        assert first["rounds"][0]["opponent"] == "2"
        assert first["tie_break"].endswith("; shares the rank with Bravo")


class TestFiles:
    def test_csv_has_no_nested_rounds(self, league: Path, tmp_path: Path) -> None:
        run("standings", league, "-o", tmp_path / "a.csv")
        head, first, *_ = (tmp_path / "a.csv").read_text().splitlines()
        assert head.endswith("match_points,adjustments,carried,tie_break")
        assert first == "1,Gamma,35.08,3,1,1,1,90.5,120,35.58,-0.50,0.00,"

    def test_vps_are_numbers_in_a_workbook(self, league: Path, tmp_path: Path) -> None:
        run("standings", league, "-o", tmp_path / "a.xlsx")
        sheet = load_workbook(tmp_path / "a.xlsx").active
        assert sheet is not None
        (head, first, *_) = sheet.iter_rows(values_only=True)
        assert dict(zip(head, first, strict=True)) | {"tie_break": None} == {
            "rank": 1, "team": "Gamma", "points": 35.08, "played": 3, "won": 1, "drawn": 1,
            "lost": 1, "imps_for": 90.5, "imps_against": 120, "match_points": 35.58,
            "adjustments": -0.5, "carried": 0, "tie_break": None,
        }  # fmt: skip

    @pytest.mark.parametrize("suffix", ["xlsx", "parquet", "md", "txt", "json"])
    def test_every_format(self, league: Path, tmp_path: Path, suffix: str) -> None:
        for more in ((), ("--crosstable",)):
            path = tmp_path / f"a.{suffix}"
            assert run("standings", league, *more, "-o", path).exit_code == 0
            assert path.stat().st_size > 100

    @pytest.mark.parametrize(("suffix", "start"), [("svg", b"<svg"), ("png", b"\x89PNG")])
    def test_the_picture(self, league: Path, tmp_path: Path, suffix: str, start: bytes) -> None:
        path = tmp_path / f"a.{suffix}"
        assert run("standings", league, "--chart", path).exit_code == 0
        content = path.read_bytes()
        assert content.startswith(start)
        run("standings", league, "--chart", path)
        assert path.read_bytes() == content, "the same bytes at every run"

    def test_no_other_picture(self, league: Path, tmp_path: Path) -> None:
        told = error("standings", league, "--chart", tmp_path / "a.jpg")
        assert "A picture is .svg or .png, not .jpg." in told
        assert not (tmp_path / "a.jpg").exists()

    def test_more_teams_than_one_can_see(self, tmp_path: Path) -> None:
        lines = "\n".join(f"1: Team {number} bye" for number in range(65))
        report = tmp_path / "field.toml"
        report.write_text(text(lines))
        told = error("standings", report, "--chart", tmp_path / "a.svg")
        assert "A picture shows 1 to 64 teams and at least one round; here are 65 teams" in told


class Checker(HTMLParser):
    """Every element is closed in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        assert not any(name.startswith("on") or name in {"src", "href"} for name, _ in attrs)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


class TestHtml:
    def test_a_section_without_script_or_anything_from_elsewhere(self, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        named = "<script>alert(1)</script> & Söhne"
        table = f"[[event.teams]]\nteam = 'A'\nname = '{named}'\ncarried_vp = 1\n"
        tables = table + "[[event.teams]]\nteam = 'B'\n"
        path.write_text(text("1: A 41-21 B (16)\nA 30-30 B (16)\n2: A bye", tables))
        run("standings", path, "-o", tmp_path / "a.html")
        page = (tmp_path / "a.html").read_bytes()
        assert page.isascii(), "it is right in a page of whatever encoding"
        checker = Checker()
        checker.feed(page.decode())
        assert checker.open == []
        assert "script" not in checker.seen
        assert {"section", "h2", "table", "caption", "th"} <= checker.seen
        assert b"&lt;script&gt;alert(1)&lt;/script&gt; &amp; S&#246;hne" in page
        assert b"15.00 / 10.00" in page
        assert run("standings", path, "--format", "html").stdout == page.decode()

    def test_ties_are_told(self, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        path.write_text(text("1: A 30-30 B (16)"))
        page = run("standings", path, "--format", "html").stdout
        assert "<h3>Ties and notes</h3>" in page
        assert "share the rank" in page


class TestExplain:
    def test_every_clause_and_the_sum(self, league: Path) -> None:
        printed = run("standings", league, "--explain", "gamma").stdout
        head, added, under, *_ = printed.splitlines()
        assert head == "Gamma: 35.08 VPs, rank 1 in Teams"
        assert added.startswith("    12.00 + ")
        assert added.endswith(" + 10.31 − 0.50 = 35.08")
        assert under.startswith("under wbf-standings/undated")
        assert "1. round 1, bye: 12.00" in printed
        assert "with full 2000, set_by_director None, bye_vp 12, full_vp 20" in printed
        assert "4. round 4, against Delta, 16 boards: 10.31" in printed
        assert "with matches 3558, carried 0, adjustments -50" in printed
        assert re.search(r"-0\.50 +round 4, adjustment", printed)
        assert printed.endswith("      35.08  total\n")

    def test_the_parts_make_the_total(self, league: Path) -> None:
        for team in ("Alpha", "Beta", "Gamma", "Delta"):
            short, *steps = rows("standings", league, "--explain", team)
            parts = {step["part"]: step["vp"] for step in steps}
            assert parts.pop("total") == short["vp"]
            total = sum(round(float(vp) * 100) for vp in parts.values())
            assert total == round(float(short["vp"]) * 100)
            terms = short["says"].replace("− ", "-").replace("+ ", "").split(" = ")[0].split()
            assert terms == list(parts.values())
            assert short["says"].endswith(f" = {short['vp']}")
            assert steps[-1]["clause"] == "wbf-standings total"

    def test_void_carried_and_withdrawn(self, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        tables = "[[event.teams]]\nteam = 'Z'\nwithdrawn = true\ncarried_vp = 3\n"
        tables += "".join(f"[[event.teams]]\nteam = '{one}'\n" for one in "AB")
        lines = "1: A 30-30 Z (16)\n2: A 30-30 B (16)\n3: A 30-30 B (16)"
        path.write_text(text(lines, tables))
        printed = run("standings", path, "--explain", "Z").stdout
        assert "Z: 3.00 VPs, without a rank: it withdrew in Teams" in printed
        assert "1. round 1, against A, 16 boards: void: 0.00" in printed
        assert "3.00  carried forward from an earlier stage" in printed

    def test_only_the_rounds_that_count(self, league: Path) -> None:
        found = rows("standings", league, "--explain", "Alpha", "--round", "2")
        assert list(dict.fromkeys(row["part"] for row in found)) == [
            "In short", "round 1, against Beta, 16 boards", "round 2, against Gamma, 16 boards",
            "total",
        ]  # fmt: skip

    @pytest.mark.parametrize("suffix", ["csv", "txt", "md"])
    def test_files(self, league: Path, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"why.{suffix}"
        run("standings", league, "--explain", "Gamma", "-o", path)
        assert "carried" in path.read_text()

    def test_a_team_that_is_not_there(self, league: Path) -> None:
        told = error("standings", league, "--explain", "Omega")
        assert "There is no team Omega. There are: Gamma, Alpha, Beta, Delta." in told


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "says"),
        [
            (["--round", "9"], "Teams has no round 9. There are: 1, 2, 3, 4."),
            (["--bye-vp", "21"], "A bye is worth 0 to 20 VPs on the continuous scale, not 21"),
            (["--event", "Pairs"], "No event with matches of teams is called Pairs"),
            (["--reading", "S7=again"], "wbf-standings has no reading S7=again"),
        ],
    )
    def test_one_plain_message(self, league: Path, options: list[str], says: str) -> None:
        assert says in error("standings", league, *options)

    def test_wrong_facts_are_told_with_their_lines(self, tmp_path: Path) -> None:
        path = tmp_path / "a.toml"
        path.write_text(text("1: A 41-21 A (16)"))
        assert f"{path}:7: A plays against itself" in error("standings", path)

    @pytest.mark.parametrize("options", [["--bye-vp", "twelve"], ["--scale", "square"], []])
    def test_usage(self, options: list[str]) -> None:
        result = run("standings", *options)
        assert (result.exit_code, result.stdout) == (2, "")

    def test_a_tie_break_that_does_not_exist(self) -> None:
        result = run("standings", "--tie-breaks", "coin")
        assert result.exit_code == 2
        assert "There is no tie-break coin" in result.stderr


def test_json_is_one_array(league: Path) -> None:
    assert len(json.loads(run("standings", league, "--format", "json").stdout)) == 4
