"""A match of teams entered by the results of its boards, from a package and from a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmares.bridge.results import imps_of_matches, load_team_event
from palmares.core.errors import FactsRejected
from palmares.facts import Facts, parse_cells, read_package, write_package
from palmares.formats.toml import read, write

BOARDS = """\
match_id,board,home_points,away_points
m1,1,420,450
m1,2,620,-100
m1,3,-50,-50
m1,4,160,
"""
"""420 for 450 is 1 IMP away, 620 for -100 is 12 home, 160 is 4 home: 16 to 1."""

MATCH = "match_id,event_id,round,home,away,boards,home_imps,away_imps\nm1,e,1,Alpha,Beta,4,{}\n"


def package(
    directory: Path, boards: str = BOARDS, imps: str = ",", match: str | None = None
) -> Path:
    directory.mkdir(exist_ok=True)
    for name, text in {
        "tournaments": "tournament_id,name,discipline,end_date\nt,Open,bridge,2019-11-17\n",
        "events": "event_id,tournament_id,name\ne,t,Teams\n",
        "team_matches": match or MATCH.format(imps),
        "boards": boards,
    }.items():
        (directory / f"{name}.csv").write_text(text, encoding="utf-8")
    return directory


def told(directory: Path) -> list[str]:
    with pytest.raises(FactsRejected) as rejected:
        imps_of_matches(read_package(directory))
    return [f"{Path(one.where).name}: {one.what}" for one in rejected.value.problems]


def scores(facts: Facts) -> list[tuple[int, int, int]]:
    """IMPs for and against, and hundredths, of both teams."""
    held = load_team_event(facts)
    found = [
        result for team in ("Alpha", "Beta") for result in held.standing(team, held.rounds).results
    ]
    return [(int(one.imps_for), int(one.imps_against), one.vp) for one in found]


class TestImps:
    def test_of_a_match(self, tmp_path: Path) -> None:
        facts = read_package(package(tmp_path))
        assert imps_of_matches(facts) == {"m1": {"home_imps": 4 + 12, "away_imps": 1}}

    def test_standings_score_it_as_if_entered_by_totals(self, tmp_path: Path) -> None:
        by_boards = scores(read_package(package(tmp_path / "boards")))
        totals = package(tmp_path / "totals", imps="16,1")
        (totals / "boards.csv").unlink()
        assert by_boards == scores(read_package(totals))
        assert by_boards[0][:2] == (16, 1)

    def test_totals_that_agree_may_stand_beside_them(self, tmp_path: Path) -> None:
        assert scores(read_package(package(tmp_path, imps="16,1")))[0][:2] == (16, 1)

    def test_no_boards_no_sums(self, tmp_path: Path) -> None:
        folder = package(tmp_path, imps="16,1")
        (folder / "boards.csv").unlink()
        assert imps_of_matches(read_package(folder)) == {}


class TestRejected:
    def test_totals_that_disagree(self, tmp_path: Path) -> None:
        assert told(package(tmp_path, imps="16,2")) == [
            "team_matches.csv:2: away_imps is 2, and the boards give 1"
        ]

    def test_scores_that_no_board_gives(self, tmp_path: Path) -> None:
        boards = BOARDS.replace("450", "455").replace("160,", "162,")
        one, other = told(package(tmp_path, boards))
        assert one.startswith("boards.csv:2: board 1: No score is 455 points")
        assert other.startswith("boards.csv:5: board 4: No score is 162 points")

    @pytest.mark.parametrize(
        ("boards", "says"),
        [
            (BOARDS[: BOARDS.index("m1,4")], "team_matches.csv:2: 4 boards and 3 board results"),
            (BOARDS + "m1,5,0,\n", "team_matches.csv:2: 4 boards and 5 board results"),
            (BOARDS.replace("m1,4", "m1,3"), "boards.csv:5: the board 3 of m1 is there twice"),
            (BOARDS.replace("m1,4", "m2,4"), "boards.csv:5: match_id 'm2' is not among the"),
            (BOARDS.replace("620", "620.5"), "boards.csv:3: home_points is '620.5'"),
            (BOARDS.replace("620", ""), "boards.csv:3: home_points is missing"),
            (BOARDS.replace("m1,3", "m1,0"), "boards.csv:4: board is 0"),
        ],
    )
    def test_rows_that_cannot_be(self, tmp_path: Path, boards: str, says: str) -> None:
        assert any(one.startswith(says) for one in told(package(tmp_path, boards)))

    def test_a_match_without_boards_still_needs_its_imps(self, tmp_path: Path) -> None:
        match = MATCH.format(",") + "m2,e,1,Gamma,Delta,4,,\n"
        assert told(package(tmp_path, match=match)) == [
            "team_matches.csv:3: home_imps is empty in a match that was played",
            "team_matches.csv:3: away_imps is empty in a match that was played",
        ]


REPORT = """\
[tournament]
name = "Open"
discipline = "bridge"
end_date = 2019-11-17

[[event]]
name = "Teams"

[[event.team_match]]
id = "m1"
round = "1"
home = "Alpha"
away = "Beta"
boards = 4
board_results = \"\"\"
1  420  450
2.  620  -100
3: -50  -50
4  +160
\"\"\"
"""


class TestReport:
    def test_lines_of_boards(self) -> None:
        draft = parse_cells(read.read(REPORT, "teams.toml"))
        assert draft.problems == ()
        assert imps_of_matches(draft.facts) == {"m1": {"home_imps": 16, "away_imps": 1}}

    @pytest.mark.parametrize("line", ["1", "1 x", "1 420 450 0", "one 420", "1 420-450", "1 4.5"])
    def test_a_line_that_is_none(self, line: str) -> None:
        raw = read.read(REPORT.replace("4  +160", line), "teams.toml")
        (problem,) = raw.problems
        assert problem.where == "teams.toml:19"
        assert problem.what == f"no result of a board in '{line}'"

    def test_written_and_read_back(self, tmp_path: Path) -> None:
        facts = read_package(package(tmp_path / "one"))
        text = write.write(facts.tables)
        again = parse_cells(read.read(text, "x.toml")).facts
        for name in ("team_matches", "boards"):
            columns = facts[name].columns[:-2]
            assert again[name].select(columns).equals(facts[name].select(columns))
        write_package(again, tmp_path / "two")
        assert (tmp_path / "two" / "boards.csv").read_text(encoding="utf-8") == BOARDS
