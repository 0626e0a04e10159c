"""The registry: ours, and those of installed packages."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path

import pytest
from msgspec.structs import replace

import palmares
from palmares import regulations as registry
from palmares.core.errors import Refused
from palmares.regulations import (
    REGULATIONS,
    Advice,
    Latest,
    broken_regulations,
    get_regulation,
    regulations,
)
from palmares.regulations.guard import guarded
from tests.packages import BACKGAMMON, rows, run, write
from tests.regulations import melting

LADDER = '''
"""A club's ladder: a rung for everybody behind you."""

from pathlib import Path
from typing import Any, NamedTuple

from palmares.regulations import Grant, Regulation, clause


class Constants(NamedTuple):
    rungs_a_player: Any


@clause("ladder rungs")
def rungs(constants, entrants, rank):
    return constants.rungs_a_player * (entrants - rank)


def award(rulebook, tournament, memberships):
    for event in tournament.events:
        flight = event.flight("main")
        yield Grant(
            event=event,
            flight="main",
            kind="rung",
            effective=tournament.end_date,
            rules=rulebook.on(tournament.end_date),
            formula=rungs,
            terms={"entrants": flight.entrants},
            players=flight.players,
            columns={"rank": flight.ranks},
        )


ladder = Regulation(
    name="ladder",
    title="A club's ladder",
    discipline="backgammon",
    constants=Constants,
    award=award,
    kinds=("rung",),
    rules_directory=Path(__file__).parent / "sheets",
)
shadow = Regulation(name="wbgf", title="Not ours", discipline="chess", constants=Constants)
'''
SHEET = """
[edition]
regulation  = "ladder"
title       = "A club's ladder"
author      = "the club"
source      = "the notice board"
selected_by = "any date"

[constants]
rungs_a_player = { is = "5/2", unit = "rungs", clause = "rungs" }

[clauses]
rungs = { label = "Rule 1", kind = "computes", says = "Two and a half rungs for each behind you." }
"""
ENTRY_POINTS = """
[palmares.regulations]
ladder = club_ladder:ladder
shadow = club_ladder:shadow
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that registers two regulations, as an installer leaves it."""
    monkeypatch.delitem(sys.modules, "club_ladder", raising=False)
    site = tmp_path / "site"
    about, sheets = site / "club_ladder-1.0.dist-info", site / "sheets" / "ladder"
    about.mkdir(parents=True)
    sheets.mkdir(parents=True)
    (site / "club_ladder.py").write_text(LADDER)
    (sheets / "2020.toml").write_text(SHEET)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: club-ladder\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(ENTRY_POINTS)
    monkeypatch.syspath_prepend(site)
    return write(tmp_path / "season", **BACKGAMMON)


class TestThirdParties:
    """'Third parties register theirs through the entry-point group palmares.regulations.'"""

    def test_its_points_are_awarded_and_ranked(self, installed: Path) -> None:
        """Four players: 5/2 x 3 for the first, 5/2 x 2, and 5/2 x 1 for both on rank 3."""
        found = rows("rank", "ladder", installed, "--as-of", "2020-01-01")
        assert [(one["rank"], one["points"]) for one in found] == [
            (1, 7.5),
            (2, 5),
            (3, 2.5),
            (3, 2.5),
        ]

    def test_they_are_explained_in_its_words(self, installed: Path) -> None:
        shown = run("explain", "ladder", installed, "--player", "a").stdout
        assert "Rule 1 [ladder rungs]: Two and a half rungs for each behind you." in shown
        assert "with entrants 4, rank 1, rungs_a_player 2.5\n" in shown

    @pytest.mark.usefixtures("installed")
    def test_its_sheet_is_shown(self) -> None:
        assert "rungs_a_player = 2.5" in run("regulations", "ladder").stdout
        assert "A club's ladder" in run("regulations").stdout

    @pytest.mark.usefixtures("installed")
    def test_it_cannot_take_the_name_of_one_of_ours(self) -> None:
        assert regulations()["wbgf"].title == "WBGF Backgammon World Ranking"
        said = "The regulation shadow of club-ladder cannot be used (club_ladder:shadow): another"
        assert broken_regulations()["shadow"] == f"{said} one has the name wbgf."

    def test_without_it_there_are_ours_alone(self) -> None:
        assert list(regulations()) == [one.name for one in REGULATIONS]


class TestBrokenPackages:
    """One that cannot be used says so under its own name, and harms no other."""

    @pytest.fixture
    def several(self, installed: Path, tmp_path: Path) -> Path:
        """Beside the ladder: one that does not load, one that is none, one at odds with itself."""
        site = tmp_path / "site"
        about = site / "club_ladder-1.0.dist-info" / "entry_points.txt"
        more = ("gone = club_gone:gone", "none = club_odd:SHEETS", "odd = club_odd:odd",
                "rungs = club_ladder:ladder")  # fmt: skip
        about.write_text(ENTRY_POINTS + "\n".join(more))
        odd = (
            LADDER.replace("rungs_a_player: Any", "rungs: Any")
            + "odd = ladder\nSHEETS = 'no regulation'\n"
        )
        (site / "club_odd.py").write_text(odd)
        return installed

    def test_others_are_there(self, several: Path) -> None:
        assert "ladder" in regulations()
        assert set(broken_regulations()) == {"gone", "none", "odd", "rungs", "shadow"}
        assert len(rows("rank", "ladder", several, "--as-of", "2020-01-01")) == 4

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("gone", r"club_gone:gone\): ModuleNotFoundError"),
            ("none", r"club_odd:SHEETS\): 'no regulation' is no palmares"),
            ("odd", r"club_odd:odd\): .*the module needs \['rungs'\], the file has no such entry"),
            ("rungs", r"club_ladder:ladder\): another one has the name ladder"),
        ],
    )
    @pytest.mark.usefixtures("several")
    def test_it_is_named(self, name: str, why: str) -> None:
        said = rf"The regulation {name} of club-ladder cannot be used \({why}"
        with pytest.raises(Refused, match=said):
            get_regulation(name)
        assert f"The regulation {name} of club-ladder" in run("regulations").stdout


class TestOneThatFails:
    """In files it is refused under its own name; every place at which it failed is named."""

    @pytest.mark.parametrize(
        ("right", "wrong", "why"),
        [
            ('event.flight("main")', 'event.ladder("main")', "AttributeError: "),
            ('kind="rung"', 'kind="step"', "ValueError: it has no kind 'step'"),
            ("effective=tournament.end_date", "effective=None", "TypeError: a grant needs a day"),
            ("rules=rulebook.on(tournament.end_date)", "rules=None", "TypeError: a grant needs"),
            ("yield Grant(", 'yield "rungs" or Grant(', "TypeError: award gave 'rungs'"),
            ('{"entrants": flight.entrants}', "{}", "KeyError: 'entrants'"),
            ('"rank": flight.ranks', '"rank": flight.ranks[1:]', "rung of Prague Main: a column"),
        ],
    )
    def test_why(self, installed: Path, right: str, wrong: str, why: str) -> None:
        module = installed.parent / "site" / "club_ladder.py"
        module.write_text(LADDER.replace(right, wrong))
        refused = run("rank", "ladder", installed, "--as-of", "2020-01-01")
        assert refused.exit_code == 1
        assert f"the regulation ladder failed: {why}" in refused.output
        assert "Traceback" not in refused.output

    def test_its_advice(self, installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def advice(*_: object) -> list[Advice]:
            raise LookupError("no rung")

        ladder = guarded(replace(get_regulation("ladder"), advice=advice))
        monkeypatch.setattr(registry, "_installed", lambda _: ((ladder,), {}))
        ranked = run("rank", "ladder", installed, "--as-of", "2020-01-01")
        assert ranked.exit_code == 0
        assert "the regulation ladder failed: LookupError: no rung" in ranked.output


class TestOneWhoseLatestResultStands:
    """Its formula takes no points from before, so that it says of nothing where they start."""

    def test_its_lists_differ(self, installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Four players: 5/2 x 3 for the first, who was on no list on the day before."""
        standing = replace(get_regulation("ladder"), aggregate=Latest())
        monkeypatch.setattr(registry, "_installed", lambda _: ((standing,), {}))
        shown = run("diff", "ladder", "2019-11-14", "2019-11-15", installed).stdout
        assert "Ada Novak" in shown
        assert "7.50" in shown


class TestOneThatFades:
    """It has `fade` and nothing that explains what is left: the days left do."""

    @pytest.fixture
    def snow(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        """The package installed, and four players of 15 November 2019: 3 x 4 heaps by rank."""
        melting.install(tmp_path, monkeypatch)
        return write(tmp_path / "season", **melting.PACKAGE)

    def test_on_the_command_line(self, snow: Path) -> None:
        """Second of four: 12 / 2 = 6, of which 7 of 10 days are left: 4.2."""
        day = ("--player", "b", "--as-of", "2019-11-18")
        shown = " ".join(run("explain", "snow", snow, *day).stdout.split())
        assert "Rule 3 [snow melting]: It melts in ten days. with age 3, days 10 = 7" in shown
        assert "4.2 Prague Main, main, snow: 6 × 7/10" in shown
        (told,) = rows("explain", "snow", snow, *day)
        (award,) = told["awards"]
        assert [one["clause"] for one in award["fading"]] == ["snow melting"]
        assert (award["worth"], told["points"]) == (4.2, 4.2)

    def test_in_python(self, snow: Path) -> None:
        why = palmares.explain("snow", palmares.read(snow), player="b", as_of=date(2019, 11, 18))
        (entry,) = why.entries
        assert [(line.clause, line.value) for line in entry.fading] == [("snow melting", 7)]
        assert entry.worth == 4_200_000_000


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(Refused, match=r"no regulation elo\. There are: wbgf, usbgf, dptr, wbf-vp"):
        get_regulation("elo")


def test_one_that_awards_nothing_is_refused_where_points_are_asked_for() -> None:
    with pytest.raises(Refused, match="awards nothing to players"):
        get_regulation("wbf-vp", awards=True)
