"""USEBIO files of team events, in and out; what is dangerous in them is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from defusedxml import ElementTree
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.bridge.standings import standings
from palmares.core.errors import FactsRejected, Refused
from palmares.facts import Facts, check_facts, parse_cells
from palmares.formats import SUFFIXES, read_report, usebio
from tests.amounts import amount
from tests.bridge.team_events import league, total
from tests.bridge.team_events import text as text_of
from tests.packages import error, rows, run

DATA = Path(__file__).parents[1] / "data/wbf_vp.json"
PUBLISHED = [one for one in json.loads(DATA.read_text())["matches"] if "imps" in one]
TEAMS = '<TEAM TEAM_ID="1" TEAM_NAME="Heron"/>\n<TEAM TEAM_ID="2" TEAM_NAME="Plover"/>'


def match(scores: str, first: str = "1", last: str | None = "16", other: str = "2") -> str:
    """One match of team 1."""
    end = f"<END_BOARD_NUMBER>{last}</END_BOARD_NUMBER>" if last else ""
    opponent = f"<OPPOSING_TEAM>{other}</OPPOSING_TEAM>" if other else ""
    return (
        f"<MATCH><ROUND_NUMBER>1</ROUND_NUMBER><TEAM>1</TEAM>{opponent}"
        f"<START_BOARD_NUMBER>{first}</START_BOARD_NUMBER>{end}{scores}</MATCH>"
    )


def scores(own: object, other: object) -> str:
    return f"<TEAM_SCORE>{own}</TEAM_SCORE><OPPOSING_TEAM_SCORE>{other}</OPPOSING_TEAM_SCORE>"


def boards(*imps: object) -> str:
    return "".join(f"<BOARD><BOARD_NUMBER>{n}</BOARD_NUMBER><IMPS>{one}</IMPS></BOARD>"
                   for n, one in enumerate(imps, start=1))  # fmt: skip


def document(
    matches: str,
    *,
    method: str = "IMPS",
    teams: str = TEAMS,
    version: str = "1.2",
    date: str = "<DATE>05/03/2024</DATE>",
    kind: str = "SWISS_TEAMS",
    more: str = "",
) -> str:
    """A file of one event."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE USEBIO SYSTEM "http://www.ebu.co.uk/usebio/usebio_v1_2.dtd">
<USEBIO Version="{version}">
<CLUB><CLUB_NAME>Water Birds</CLUB_NAME></CLUB>
<EVENT EVENT_TYPE="{kind}">
<MATCH_SCORING_METHOD>{method}</MATCH_SCORING_METHOD>
<EVENT_DESCRIPTION>Open Teams</EVENT_DESCRIPTION>{date}{more}
<SESSION SESSION_ID="1"><SECTION SECTION_ID="A"><PARTICIPANTS>
{teams}
</PARTICIPANTS>
{matches}
</SECTION></SESSION></EVENT></USEBIO>"""


def facts(text: str) -> Facts:
    return check_facts(parse_cells(usebio.read(text.encode(), "a.xml")))


def refused(text: str) -> list[str]:
    with pytest.raises(FactsRejected) as raised:
        facts(text)
    return [problem.what for problem in raised.value.problems]


def test_a_board_twice_does_not_count_twice() -> None:
    assert refused(document(match(boards(5, 3) + boards(5), last="3"))) == [
        "board 1 is there twice in a match"
    ]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (">41<", ">4<b>1</b><", "TEAM_SCORE is no plain text: there is <b> in it"),
        (">41<", "><b>41</b><", "TEAM_SCORE is no plain text: there is <b> in it"),
        ("<TEAM_SCORE>", "<TEAM_SCORE>3</TEAM_SCORE><TEAM_SCORE>", "TEAM_SCORE is there twice"),
        (">2</OPP", "><b>2</b></OPP", "OPPOSING_TEAM is no plain text: there is <b> in it"),
        (">41<", ">4<!-- a note -->1<", None),
    ],
)
def test_a_value_that_would_be_cut(old: str, new: str, told: str | None) -> None:
    """4<b>1</b> was read as 4, and a team in an element as no team: a bye."""
    text = document(match(scores(41, 20)))
    assert old in text, text
    changed = text.replace(old, new)
    if told:
        assert refused(changed) == [told]
    else:
        assert contents(facts(changed)) == contents(facts(text))


def test_an_event_without_its_matches() -> None:
    assert refused(document("")) == ["there is no match in this event"]


@pytest.mark.parametrize("date", ["05/03/24", "2024-03-05", ""])
def test_a_day_that_is_not_read_is_one_problem(date: str) -> None:
    text = document(match(scores(30, 20)), date=f"<DATE>{date}</DATE>")
    assert refused(text) == [f"the DATE of the event is '{date}'"]


def the_match(text: str) -> dict[str, Any]:
    """The one match of a file."""
    (row,) = facts(text)["team_matches"].iter_rows(named=True)
    return row


def told(content: str | bytes) -> list[str]:
    """Every problem, with its line."""
    raw = usebio.read(content.encode() if isinstance(content, str) else content, "a.xml")
    return [f"{one.where.removeprefix('a.xml')}: {one.what}" for one in parse_cells(raw).problems]


class TestReading:
    def test_the_event(self) -> None:
        read = facts(document(match(scores(41, 21))))
        tournament, event = (
            read["tournaments"].row(0, named=True),
            read["events"].row(0, named=True),
        )
        assert (tournament["name"], str(tournament["end_date"])) == ("Water Birds", "2024-03-05")
        assert (tournament["discipline"], event["name"]) == ("bridge", "Open Teams")
        assert read["teams"]["team"].to_list() == ["Heron", "Plover"]
        assert total(standings(read)) == {"Heron": "15.00", "Plover": "5.00"}

    def test_a_match_has_its_line(self) -> None:
        row = the_match(document(match(scores(41, 21))))
        assert (row["home"], row["away"], row["round"], row["boards"]) == (
            "Heron",
            "Plover",
            "1",
            16,
        )
        assert (row["_file"], row["_line"]) == ("a.xml", 12)

    @pytest.mark.parametrize(
        ("given_scores", "method", "imps"),
        [
            (scores(41, 21),                        "IMPS", (41, 21)),
            (scores(20, -20),                       "IMPS", (20, 0)),    # margins
            (scores(-20, 20),                       "IMPS", (0, 20)),
            (scores(0, 0),                          "IMPS", (0, 0)),
            (scores(20, 0) + boards(13, -2, 0, 9),  "IMPS", (22, 2)),
            (scores(41, 21) + boards(13, ""),       "IMPS", (41, 21)),   # but not if one is missing
        ],
    )  # fmt: skip
    def test_imps(self, given_scores: str, method: str, imps: tuple[int, int]) -> None:
        row = the_match(document(match(given_scores), method=method))
        assert (row["home_imps"], row["away_imps"]) == imps

    def test_imps_by_boards_alone(self) -> None:
        given = match(scores(15, 5) + boards(13, -2, 0, 9), last="4")
        row = the_match(document(given, method="VPS"))
        assert (row["home_imps"], row["away_imps"]) == (13 + 9, 2)

    @pytest.mark.parametrize(
        ("given_match", "more"),
        [
            (match(boards(13, -2, 0, 9)), ""),  # boards 1 to 16
            (match(boards(13, -2, 0, 9), last="3"), ""),
            (match(scores(15, 5) + boards(13, -2, 0, 9)), ""),  # VPs
            (match(boards(13, -2, 0, 9), last=None), "<BOARDS_PER_ROUND>16</BOARDS_PER_ROUND>"),
        ],
    )
    def test_not_as_many_boards_as_the_match_has(self, given_match: str, more: str) -> None:
        """Boards without a result would count as if they had been drawn."""
        (problem,) = told(document(given_match, method="VPS", more=more))
        assert "Heron against Plover has" in problem
        assert problem.endswith("boards, and the file has 4 of them")

    def test_boards_that_contradict_the_score(self) -> None:
        """The file says two things: one of them would be a wrong score."""
        (problem,) = told(document(match(scores(41, 21) + boards(13, -2))))
        assert problem.endswith("by its boards Heron against Plover is 13-2, by its scores 41-21")

    @pytest.mark.parametrize(
        ("given_match", "more", "played"),
        [
            (match(scores(1, 2), first="17", last="24"),        "", 8),
            (match(boards(1, 2, 3), last=None),                 "", 3),
            (match(scores(1, 2), last=None), "<BOARDS_PER_ROUND>20</BOARDS_PER_ROUND>", 20),
        ],
    )  # fmt: skip
    def test_boards(self, given_match: str, more: str, played: int) -> None:
        assert the_match(document(given_match, more=more))["boards"] == played

    def test_a_match_without_opponent_is_a_bye(self) -> None:
        row = the_match(document(match("", other="")))
        assert (row["status"], row["home"], row["away"]) == ("bye", "Heron", None)

    def test_teams_of_the_same_name_go_by_their_ids(self) -> None:
        row = the_match(document(match(scores(1, 2)), teams=TEAMS.replace("Plover", "Heron")))
        assert (row["home"], row["away"]) == ("1", "2")

    def test_rounds_of_several_sessions(self) -> None:
        session = f'</SECTION></SESSION><SESSION SESSION_ID="2"><SECTION>{match(scores(3, 4))}'
        read = facts(document(match(scores(1, 2)) + session))
        assert read["team_matches"]["round"].to_list() == ["1.1", "2.1"]

    def test_version_1_1_and_other_encodings(self) -> None:
        text = document(match(scores(1, 2)), version="1.1").replace("Heron", "Héron")
        content = text.replace("UTF-8", "iso-8859-1").encode("latin-1")
        assert parse_cells(usebio.read(content, "a.xml")).facts["teams"]["team"][0] == "Héron"
        wrong = text.encode("cp1252")
        assert told(wrong) == [":9: this is not XML: not well-formed (invalid token)"]
        assert usebio.read(wrong, "a.xml", encoding="cp1252").problems == []

    def test_by_its_suffix(self, tmp_path: Path) -> None:
        assert ".xml" in SUFFIXES
        (tmp_path / "A.XML").write_text(document(match(scores(1, 2))))
        assert read_report(tmp_path / "A.XML").problems == []
        assert len(rows("standings", tmp_path)) == 2, "a directory of reports may hold one"


NOT_READ = "this is not USEBIO 1.1 or 1.2: it begins with"


class TestWhatIsWrong:
    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            (document(match(scores(15, 5)), method="VPS"),
             ":12: the file does not give the IMPs of Heron against Plover"),
            (document(match(scores("x", 5))),
             ":12: the file does not give the IMPs of Heron against Plover"),
            (document(match(scores(1, 2), other="7")), ":12: a match of team '7'"),
            (document("<MATCH></MATCH>"), ":12: a match of team ''"),
            (document("", version="1.3"), f':3: {NOT_READ} <USEBIO Version="1.3">'),
            (document("", version=""), f':3: {NOT_READ} <USEBIO Version="">'),
            (document("", kind="PAIRS"), ":5: an event of type 'PAIRS'"),
            (document("", date=""), ":5: the DATE of the event is ''"),
            (document("", date="<DATE>March 5</DATE>"), ":5: the DATE of the event is 'March 5'"),
            (document("", teams=TEAMS.replace('"2"', '"1"')), ":10: two teams have the id 1"),
            ('<USEBIO Version="1.2"/>', ":1: there is no EVENT in it"),
            ("<html></html>", f':1: {NOT_READ} <html Version="">'),
            ("<USEBIO>", ":1: this is not XML: no element found"),
            ("", ":1: this is not XML: no element found"),
        ],
    )  # fmt: skip
    def test_it_is_told_with_its_line(self, text: str, problem: str) -> None:
        assert problem in told(text)

    def test_a_day_that_is_none(self) -> None:
        assert any("not a day in the calendar" in one for one in
                   told(document("", date="<DATE>31/02/2024</DATE>")))  # fmt: skip

    def test_an_unknown_encoding(self) -> None:
        raw = usebio.read(b"<USEBIO/>", "a.xml", encoding="klingon")
        assert "this is not XML" in raw.problems[0].what

    def test_board_numbers_that_cannot_be(self) -> None:
        with pytest.raises(FactsRejected, match="boards is -15, not from 0"):
            facts(document(match(scores(1, 2), first="17", last="1")))


BOMB = '<!DOCTYPE USEBIO [<!ENTITY a "haha"><!ENTITY b "&a;&a;&a;&a;">]><USEBIO>&b;</USEBIO>'


class TestDanger:
    """Refused before anything grows, is read from elsewhere, or is asked of a network."""

    @pytest.mark.parametrize(
        "text",
        [
            BOMB,
            '<!DOCTYPE USEBIO [<!ENTITY f SYSTEM "file:///etc/passwd">]><USEBIO>&f;</USEBIO>',
            '<!DOCTYPE USEBIO [<!ENTITY % p SYSTEM "http://a.example/x">%p;]><USEBIO/>',
            '<!DOCTYPE USEBIO SYSTEM "http://a.example/evil.dtd"><USEBIO/>',
            '<!DOCTYPE USEBIO SYSTEM "file:///etc/passwd"><USEBIO/>',
            '<!DOCTYPE html SYSTEM "usebio_v1_2.dtd"><USEBIO/>',
            "<!DOCTYPE USEBIO [<!ELEMENT USEBIO ANY>]><USEBIO/>",
        ],
    )
    def test_entities_and_foreign_types(self, text: str) -> None:
        assert told(text) == [
            ":1: the file declares entities, or a document type that is not USEBIO's"
        ]

    def test_a_billion_laughs_on_the_command_line(self, tmp_path: Path) -> None:
        path = tmp_path / "bomb.xml"
        path.write_text(BOMB)
        message = error("standings", path)
        assert f"{path}:1: the file declares entities" in message
        assert "Traceback" not in message

    def test_a_well_of_elements(self) -> None:
        (problem,) = told(
            "<USEBIO Version='1.2'>" + "<a>" * 100_000 + "</a>" * 100_000 + "</USEBIO>"
        )
        assert problem == ":1: there is no EVENT in it"

    def test_a_file_too_large(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(usebio, "MOST_BYTES", 2**20)
        assert told(b" " * (3 * 2**20)) == [": the file has 3 MiB, and 1 are read"]

    @settings(max_examples=amount(5_000), deadline=None)
    @given(st.binary(max_size=60), st.integers(0, 900))
    def test_whatever_the_bytes(self, noise: bytes, at: int) -> None:
        """A problem or facts, never an exception."""
        content = document(match(scores(1, 2))).encode()
        usebio.read(noise, "a.xml")
        parse_cells(usebio.read(content[:at] + noise + content[at + len(noise) :], "a.xml"))


def contents(read: Facts) -> list[Any]:
    """Everything of the matches that USEBIO can say."""
    columns = ["round", "home", "away", "boards", "home_imps", "away_imps"]
    return sorted(read["team_matches"].select(columns).rows(), key=repr)


class TestRoundTrip:
    """Facts to USEBIO and back, on real results and on any."""

    LINES = "\n".join(
        f"{number}: Us {own}-{other} Them {number} (16)"
        for number, (own, other) in enumerate((one["imps"] for one in PUBLISHED), start=1)
    )

    def test_published_matches(self) -> None:
        """52nd European Team Championships, Opatija 2014, Seniors."""
        given_facts = league(self.LINES)
        text, left_out = usebio.write(given_facts.tables)
        assert left_out == ()
        assert contents(facts(text)) == contents(given_facts)
        vps = [one.vp for one in standings(facts(text)).teams[0].results]
        assert sorted(vps) == sorted(round(float(one["vp_reported"]) * 100) for one in PUBLISHED)

    def test_names_in_full(self) -> None:
        tables = "".join(
            f"[[event.teams]]\nteam = '{one}'\nname = '{one} & <Söhne>'\n" for one in "AB"
        )
        text, _ = usebio.write(league("1: A 41-21 B (16)", tables).tables)
        assert total(standings(facts(text))) == {"A & <Söhne>": "15.00", "B & <Söhne>": "5.00"}

    def test_names_in_full_that_are_alike(self) -> None:
        tables = "".join(f"[[event.teams]]\nteam = '{one}'\nname = 'X'\n" for one in "AB")
        text, _ = usebio.write(league("1: A 41-21 B (16)", tables).tables)
        assert list(total(standings(facts(text)))) == ["A", "B"]

    @settings(max_examples=amount(1_000), deadline=None)
    @given(
        st.lists(
            st.tuples(st.sampled_from(["A", "B b", "Ç & <d>"]), st.integers(0, 99),
                      st.integers(0, 99), st.integers(1, 40)),
            min_size=1, max_size=9,
        )
    )  # fmt: skip
    def test_any_matches(self, matches: list[tuple[str, int, int, int]]) -> None:
        lines = "\n".join(
            f"{number}: Z {own}-{other} {away} ({boards})"
            for number, (away, own, other, boards) in enumerate(matches, start=1)
        )
        given_facts = league(lines)
        read = facts(usebio.write(given_facts.tables)[0])
        assert contents(read) == contents(given_facts)

    def test_what_is_left_out_is_told(self, tmp_path: Path) -> None:
        tables = (
            "[[event.teams]]\nteam = 'A'\ncarried_vp = 3\n"
            "[[event.teams]]\nteam = 'B'\nwithdrawn = true\n"
            "[[event.team_match]]\nround = '3'\nhome = 'A'\naway = 'B'\nboards = 16\n"
            "home_imps = 3\naway_imps = 4\nhome_adjust_vp = 1\naway_carry_imps = 0.5\n"
        )
        given_facts = league("1: A bye\n2: A bye\n2: A 3-4 B (16), void", tables)
        text, left_out = usebio.write(given_facts.tables)
        assert left_out == (
            "byes", "void matches", "withdrawals", "adjustments in VPs", "carried IMPs",
            "VPs carried forward",
        )  # fmt: skip
        assert facts(text)["team_matches"].height == 1
        read = ElementTree.fromstring(text)
        assert read.findtext("EVENT/EVENT_DESCRIPTION") == "Teams"

    def test_one_event_only(self) -> None:
        with pytest.raises(Refused, match="holds one event of teams, and these facts hold 0"):
            usebio.write(Facts().tables)


class TestConvert:
    def test_to_xml_and_back(self, tmp_path: Path) -> None:
        (tmp_path / "a.xml").write_text(document(match(scores(41, 21))))
        assert run("convert", tmp_path / "a.xml", tmp_path / "a.toml").exit_code == 0
        assert run("convert", tmp_path / "a.toml", tmp_path / "b.xml").exit_code == 0
        before, after = (rows("standings", tmp_path / name) for name in ("a.xml", "b.xml"))
        assert before == after

    def test_a_match_entered_board_by_board(self, tmp_path: Path) -> None:
        """420 to 450 is 30 for the visitors, 1 IMP; 620 to 100 is 520 for the home side, 11."""
        boards_of_match = (
            "[[event.team_match]]\nround = '1'\nhome = 'A'\naway = 'B'\nboards = 2\n"
            'board_results = """\n1 420 450\n2 620 100\n"""\n'
        )
        (tmp_path / "a.toml").write_text(text_of("", boards_of_match))
        assert run("convert", tmp_path / "a.toml", tmp_path / "b.xml").exit_code == 0
        (first, _) = rows("standings", tmp_path / "b.xml")
        assert (first["team"], first["imps_for"], first["imps_against"]) == ("A", 11, 1)

    def test_a_warning_says_what_is_left_out(self, tmp_path: Path) -> None:
        (tmp_path / "a.xml").write_text(document(match(scores(1, 2)) + match("", other="")))
        result = run("convert", tmp_path / "a.xml", tmp_path / "b.xml")
        assert f"Warning: {tmp_path / 'b.xml'} is without byes.\n" in result.stderr
        assert result.exit_code == 0
