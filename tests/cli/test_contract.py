"""Section 4 of the design, key by key: what others rely on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmares.cli import cli
from palmares.regulations import REGULATIONS
from tests.packages import BACKGAMMON, DIPLOMACY, error, rows, run, write

DAY = ("--as-of", "2019-11-15")


@pytest.mark.parametrize("command", cli.places)
def test_the_examples_of_a_help_name_files_that_are_there(command: str) -> None:
    words = run(command, "--help").stdout.split()
    assert [one for one in words if one.startswith("examples/") and not Path(one).exists()] == []


class TestJson:
    """'json: one array of objects, full precision, stable key order'"""

    def test_award_has_the_keys_of_the_contract_then_the_terms(self, backgammon: Path) -> None:
        first = rows("award", "wbgf", backgammon)[0]
        keys = ["player_id", "player", "event_id", "event", "flight", "kind", "points"]
        assert list(first)[:9] == [*keys, "effective", "edition"]
        assert set(list(first)[9:]) >= {"grade", "format_factor", "size_scaling", "rank"}

    def test_award_has_full_precision(self, backgammon: Path) -> None:
        """1 x 1 x 10 x 4 x (385/128) / (893/128) = 15400/893 = 17.245240761478…"""
        result = run("award", "wbgf", backgammon, "--format", "json")
        assert '"points":17.245240761,' in result.stdout
        first = json.loads(result.stdout)[0]
        assert first == first | {
            "player_id": "a",
            "player": "Ada Novak",
            "event_id": "E",
            "event": "Prague Main",
            "flight": "main",
            "kind": "performance",
            "effective": "2019-11-15",
            "edition": "undated",
            "rank": 1,
            "grade": 1,
        }

    def test_every_award_has_the_same_keys_in_the_same_order(self, tmp_path: Path) -> None:
        """A super jackpot has no Consolation and a fold has no event before: the keys stay."""
        package = write(
            tmp_path / "p",
            **BACKGAMMON
            | {
                "events": """\
                    event_id,tournament_id,name,kind,entrants,entry_fee
                    E,T,Main,championship,4,100
                    J,T,Jackpot,super_jackpot,2,300
                    """,
                "placings": "event_id,player_id,rank\nE,a,1\nJ,b,1\n",
            },
        )
        found = rows("award", "wbgf", package)
        assert len(found) == 2
        assert list(found[0]) == list(found[1])

    def test_rank(self, backgammon: Path) -> None:
        found = rows("rank", "wbgf", backgammon, *DAY)
        assert [list(row) for row in found] == [
            ["rank", "player_id", "player", "nation", "points"]
        ] * 4
        assert found[0] == {
            "rank": 1,
            "player_id": "a",
            "player": "Ada Novak",
            "nation": "CZE",
            "points": 17.245240761,
        }
        assert found[2]["nation"] is None
        assert [row["rank"] for row in found] == [1, 2, 3, 3]

    def test_rank_by_nation(self, backgammon: Path) -> None:
        """Ben 8800/893 and Dee (160 + 128)/2 x 40/893: 5760/893; together 14560/893."""
        found = rows("rank", "wbgf", backgammon, *DAY, "--by", "nation")
        assert found == [
            {"rank": 1, "nation": "CZE", "points": 17.245240761, "players": 1},
            {"rank": 2, "nation": "DEU", "points": 16.304591265, "players": 2},
        ]
        assert list(found[0]) == ["rank", "nation", "points", "players"]

    def test_totals(self, backgammon: Path) -> None:
        names = ["live_match", "live_placement", "online_match", "online_placement", "total"]
        found = run("totals", "usbgf", backgammon, *DAY, "--format", "csv").stdout
        assert found == ",".join(["rank", "player_id", "player", "nation", *names, "level"]) + "\n"

    def test_history(self, backgammon: Path) -> None:
        found = rows("history", "wbgf", backgammon, "--player", "a", "--until", "2019-11-30")
        assert {"day", "points", "rank"} < {*found[0]}

    def test_nothing_to_show_is_an_empty_array(self, backgammon: Path) -> None:
        assert rows("rank", "wbgf", backgammon, "--as-of", "2019-11-14") == []


class TestNamesOfKinds:
    """'Kinds of points: performance (wbgf), match and placement (usbgf), rating (dptr)'"""

    def test_dptr(self, diplomacy: Path) -> None:
        assert {row["kind"] for row in rows("award", "dptr", diplomacy)} == {"rating"}

    @pytest.mark.parametrize("kind", ["performance", "total"])
    def test_wbgf(self, backgammon: Path, kind: str) -> None:
        assert len(rows("rank", "wbgf", backgammon, *DAY, "--kind", kind)) == 4

    def test_a_kind_of_another_regulation_is_refused(self, backgammon: Path) -> None:
        said = error("rank", "wbgf", backgammon, "--kind", "match")
        assert "wbgf has no points of the kind match" in said
        assert "performance, total" in said


class TestDays:
    """'A ranking date before the tournament ends: the result does not count yet' (W4)"""

    def test_as_of_includes_the_day(self, backgammon: Path) -> None:
        assert len(rows("rank", "wbgf", backgammon, "--as-of", "2019-11-15")) == 4
        assert rows("rank", "wbgf", backgammon, "--as-of", "2019-11-14") == []

    @pytest.mark.parametrize(
        ("window", "players"),
        [
            (("--since", "2019-11-15"), 4),
            (("--since", "2019-11-16"), 0),
            (("--until", "2019-11-15"), 4),
            (("--until", "2019-11-14"), 0),
            (("--since", "2019-11-15", "--until", "2019-11-15"), 4),
        ],
    )
    def test_since_and_until_include_their_days(
        self, backgammon: Path, window: tuple[str, ...], players: int
    ) -> None:
        assert len(rows("rank", "wbgf", backgammon, "--as-of", "2019-12-31", *window)) == players

    @pytest.mark.parametrize("day", ["2019-02-30", "15.11.2019", "20191115", "2019-W46-5", "", "x"])
    def test_what_is_no_date_is_a_usage_error(self, backgammon: Path, day: str) -> None:
        result = run("rank", "wbgf", backgammon, "--as-of", day)
        assert result.exit_code == 2
        assert "is not a date" in result.stderr

    @pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
    def test_the_first_and_the_last_day_of_the_calendar(self, backgammon: Path, day: str) -> None:
        assert rows("rank", "wbgf", backgammon, "--as-of", day) == []


class TestSettingAndTop:
    @pytest.mark.parametrize(("setting", "players"), [("live", 4), ("online", 0)])
    def test_setting(self, backgammon: Path, setting: str, players: int) -> None:
        assert len(rows("rank", "wbgf", backgammon, *DAY, "--setting", setting)) == players

    @pytest.mark.parametrize(("top", "players"), [(1, 1), (2, 2), (3, 4), (4, 4), (99, 4)])
    def test_top_keeps_all_who_share_the_last_rank(
        self, backgammon: Path, top: int, players: int
    ) -> None:
        assert len(rows("rank", "wbgf", backgammon, *DAY, "--top", top)) == players

    @pytest.mark.parametrize("top", ["0", "-1", "x", "1.5"])
    def test_top_is_a_whole_number_from_1(self, backgammon: Path, top: str) -> None:
        assert run("rank", "wbgf", backgammon, "--top", top).exit_code == 2


class TestNation:
    """A national list: the players of one nation, ranked among themselves."""

    @pytest.mark.parametrize("code", ["DEU", "GER", "ger"])
    def test_codes_mean_what_they_mean_in_the_facts(self, backgammon: Path, code: str) -> None:
        found = rows("rank", "wbgf", backgammon, *DAY, "--nation", code)
        assert [(row["rank"], row["player"]) for row in found] == [(1, "Ben Ode"), (2, "Dee Rix")]

    def test_an_unknown_code_is_refused(self, backgammon: Path) -> None:
        assert "XQX" in error("rank", "wbgf", backgammon, *DAY, "--nation", "XQX")


class TestEditionAndReading:
    """'--edition, --reading on award, rank, explain, history'"""

    COMMANDS = (
        ("award", ()),
        ("rank", ()),
        ("explain", ("--player", "a")),
        ("history", ("--player", "a")),
    )

    @pytest.mark.parametrize(("command", "more"), COMMANDS)
    def test_the_edition_there_is(
        self, backgammon: Path, command: str, more: tuple[str, ...]
    ) -> None:
        rows(command, "wbgf", backgammon, *more, "--edition", "undated")

    @pytest.mark.parametrize(("command", "more"), COMMANDS)
    def test_an_edition_there_is_not(
        self, backgammon: Path, command: str, more: tuple[str, ...]
    ) -> None:
        said = error(command, "wbgf", backgammon, *more, "--edition", "2099")
        assert "wbgf has no edition 2099. There are: undated." in said

    @pytest.mark.parametrize(("command", "more"), COMMANDS)
    @pytest.mark.parametrize("choice", ["W3=no-such", "W99=skip-29-feb", "U6=smaller"])
    def test_a_reading_there_is_not(
        self, backgammon: Path, command: str, more: tuple[str, ...], choice: str
    ) -> None:
        said = error(command, "wbgf", backgammon, *more, "--reading", choice)
        assert f"wbgf has no reading {choice}" in said
        assert "W3=skip-29-feb" in said

    @pytest.mark.parametrize("choice", ["W3", "=x", "W3=", ""])
    def test_a_reading_that_is_not_written_as_one(self, backgammon: Path, choice: str) -> None:
        assert run("award", "wbgf", backgammon, "--reading", choice).exit_code == 2

    def test_every_option_of_every_sheet_is_accepted(self, tmp_path: Path) -> None:
        from palmares.regulations.editions import editions

        package = write(tmp_path / "both", **BACKGAMMON)
        awarding = [one.name for one in REGULATIONS if one.kinds]
        offered = [
            (name, f"{reading.id}={option}")
            for name in awarding
            for edition in editions(name)
            for reading in edition.readings.values()
            for option in reading.options
        ]
        assert {("wbgf", "W17=at-event"), ("usbgf", "U10=sum")} <= set(offered)
        for name, choice in offered:
            rows("award", name, package, "--reading", choice)


class TestStatusAndStreams:
    """'Errors: one plain message on stderr, exit status 1; usage errors 2; nothing half-written'"""

    def test_warnings_are_on_standard_error_and_the_status_is_0(self, tmp_path: Path) -> None:
        events = BACKGAMMON["events"].replace(",yes", ",no")
        package = write(tmp_path / "p", **BACKGAMMON | {"events": events})
        result = run("award", "wbgf", package, "--format", "json")
        assert result.exit_code == 0
        assert len(json.loads(result.stdout)) == 4
        assert (
            "events.csv:2: Prague Open: Prague Main: 4 players; to qualify: at least 30"
            in result.stderr
        )

    def test_no_warning_where_all_is_well(self, backgammon: Path) -> None:
        assert run("award", "wbgf", backgammon).stderr == ""

    def test_all_problems_at_once(self, tmp_path: Path) -> None:
        package = write(
            tmp_path / "p",
            **BACKGAMMON
            | {
                "events": BACKGAMMON["events"].replace(",100,", ",-100,"),
                "placings": BACKGAMMON["placings"].replace("E,a,1", "E,zz,9"),
            },
        )
        said = error("award", "wbgf", package)
        assert "events.csv:2: entry_fee is -100" in said
        assert "placings.csv:2: rank 9 in a field of 4" in said
        assert "zz" in said
        assert "3 problems, nothing was computed." in said

    @pytest.mark.parametrize("name", ["elo", "", "WBGF ", "../wbgf", "wbgf/undated"])
    def test_an_unknown_regulation(self, backgammon: Path, name: str) -> None:
        said = error("award", name, backgammon)
        assert "wbgf, usbgf, dptr" in said

    def test_a_regulation_that_awards_nothing(self, backgammon: Path) -> None:
        assert "wbf-vp" in error("award", "wbf-vp", backgammon)

    @pytest.mark.parametrize("command", ["award", "rank", "check", "explain", "history", "totals"])
    def test_without_arguments(self, command: str) -> None:
        assert run(command).exit_code == 2

    def test_an_unknown_command(self) -> None:
        assert run("awards").exit_code == 2

    def test_a_path_that_is_not_there(self, tmp_path: Path) -> None:
        assert "there is no such file or directory" in error("award", "wbgf", tmp_path / "no")


class TestPaths:
    """'PATH is a report file, a facts package, or a directory of either'"""

    def test_two_packages_are_one_set_of_facts(self, tmp_path: Path) -> None:
        other = {name: BACKGAMMON[name] for name in ("players", "placings")}
        rest = {name: BACKGAMMON[name] for name in ("tournaments", "events")}
        first, second = write(tmp_path / "1", **other), write(tmp_path / "2", **rest)
        together = rows("award", "wbgf", first, second)
        assert together == rows("award", "wbgf", second, first)
        assert len(together) == 4

    def test_a_directory_of_packages(self, tmp_path: Path) -> None:
        write(tmp_path / "all" / "backgammon", **BACKGAMMON)
        players = DIPLOMACY["players"].replace("\na,", "\nx,").replace("\nb,", "\ny,")
        players = players.replace("        a,", "        x,").replace("        b,", "        y,")
        placings = DIPLOMACY["placings"].replace(",a,", ",x,").replace(",b,", ",y,")
        placings = placings.replace("E,", "G,").replace("F,", "H,")
        events = DIPLOMACY["events"].replace("E,T,", "G,V,").replace("F,U,", "H,U,")
        tournaments = DIPLOMACY["tournaments"].replace("T,Tempest", "V,Tempest")
        write(
            tmp_path / "all" / "diplomacy",
            players=players,
            placings=placings,
            events=events,
            tournaments=tournaments,
        )
        assert len(rows("award", "wbgf", tmp_path / "all")) == 4
        assert len(rows("award", "dptr", tmp_path / "all")) == 3

    def test_a_regulation_sees_its_own_discipline_and_none(self, tmp_path: Path) -> None:
        """'A regulation sees the tournaments of its own discipline; an empty one means any.'"""
        for discipline, seen in (("backgammon", 4), ("", 4), ("diplomacy", 0), ("Backgammon", 4)):
            tournaments = BACKGAMMON["tournaments"].replace("backgammon", discipline)
            package = write(
                tmp_path / f"p-{discipline}", **BACKGAMMON | {"tournaments": tournaments}
            )
            assert len(rows("award", "wbgf", package)) == seen


class TestCheckFor:
    """What one regulation would warn of or refuse, before any points are asked for."""

    def test_its_warnings(self, tmp_path: Path) -> None:
        tables = dict(BACKGAMMON)
        tables["events"] = tables["events"].replace(",4,100,yes", ",4,100,")
        package = write(tmp_path / "p", **tables)

        result = run("check", package, "--for", "wbgf")

        assert result.exit_code == 0
        assert "Prague Main: 4 players; to qualify: at least 30" in result.stdout
        assert "Prague Main: 4 players" not in run("check", package).stdout

    def test_what_it_refuses(self, tmp_path: Path) -> None:
        tables = dict(BACKGAMMON)
        tables["events"] = tables["events"].replace(",4,100,yes", ",4,,yes")
        package = write(tmp_path / "p", **tables)

        result = run("check", package, "--for", "wbgf")

        assert result.exit_code == 1
        assert "events.csv:2: Prague Main has no entry fee [wbgf grade]" in result.stdout
