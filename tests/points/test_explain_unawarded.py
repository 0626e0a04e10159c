"""Each reason of the regulations for which a result gives no points is told with the result."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages import error, rows, run, write

PLAYERS = """\
    player_id,name
    member,Ada Member
    lapsed,Ben Lapsed
    later,Cy Later
    guest,Dan Guest
    stranger,Eve Stranger
    low,Fay Low
    winner,Gil Winner
    """
MEMBERSHIPS = """\
    player_id,federation,level,start,end
    member,usbgf,Basic,2010-01-01,
    lapsed,usbgf,Basic,2015-01-01,2019-03-01
    later,usbgf,Basic,2019-06-01,
    guest,usbgf,Guest,2015-01-01,
    low,usbgf,Basic,2010-01-01,
    winner,usbgf,Basic,2010-01-01,
    """
TOURNAMENTS = """\
    tournament_id,name,discipline,end_date
    T,Open,backgammon,2019-05-05
    V,Early Cup,backgammon,2014-05-06
    """
EVENTS = """\
    event_id,tournament_id,name,kind,entrants,entry_fee,event_type,not_counted_in
    main,T,Main,championship,32,100,ABT Main Event,
    night,T,Night,other,32,100,Club Night,
    zero,T,Zero,other,32,100,,
    left,T,Left,championship,32,100,ABT Main Event,usbgf wbgf
    side,T,Side,other,32,100,Club Night,wbgf
    early,V,Early,championship,32,100,ABT Main Event,
    """
PLACINGS = """\
    event_id,player_id,rank,designated
    main,member,1,yes
    main,lapsed,2,yes
    main,later,3,yes
    main,guest,3,yes
    main,stranger,5,yes
    main,low,6,
    night,winner,1,
    zero,winner,1,
    left,winner,1,
    side,winner,1,
    side,guest,2,
    early,winner,1,
    """


@pytest.fixture
def package(tmp_path: Path) -> Path:
    write(tmp_path, players=PLAYERS, memberships=MEMBERSHIPS, tournaments=TOURNAMENTS,
          events=EVENTS, placings=PLACINGS)  # fmt: skip
    return tmp_path


@pytest.mark.parametrize("player", ["lapsed", "later", "guest", "stranger"])
def test_who_was_no_member_that_day(package: Path, player: str) -> None:
    """'Only players who are USBGF Basic members (or higher) at the time an event is played'"""
    said = error("explain", "usbgf", package, "--player", player)
    assert "Main (Open, 2019-05-05): Eligibility: no. Only players who are USBGF Basic" in said


def test_a_place_below_those_that_earn(package: Path) -> None:
    said = error("explain", "usbgf", package, "--player", "low")
    assert "Main (Open, 2019-05-05): place 6 earns no points in it" in said


@pytest.mark.parametrize(
    ("places", "why"),
    [
        (["main,low,6,,main", "main,low,1,,consolation"], "place 6 earns no points in it"),
        (["main,low,1,,consolation"], "place 1 of the consolation earns no points in it"),
    ],
)
def test_who_won_a_consolation_did_not_win_the_event(
    package: Path, places: list[str], why: str
) -> None:
    head, *rest = PLACINGS.replace("main,low,6,", "").split()
    placings = [f"{head},flight", *(f"{line},main" for line in rest), *places]
    flights = "event_id,flight,entrants\nmain,consolation,16\n"
    write(package, placings="\n".join(placings), flights=flights)
    assert f"Main (Open, 2019-05-05): {why}" in error(
        "explain", "usbgf", package, "--player", "low"
    )


def test_events_that_give_nobody_points(package: Path) -> None:
    lines = error("explain", "usbgf", package, "--player", "winner").splitlines()
    reasons = dict(line.split(": ", 1) for line in lines if line.endswith(WHY))
    assert reasons == {
        "Zero (Open, 2019-05-05)": "Zero earns no Master Points: it has no event_type",
        "Side (Open, 2019-05-05)": "Side earns no Master Points: its type Club Night is not in"
        " Appendix A of 2019-01 for live events",
        "Night (Open, 2019-05-05)": "Night earns no Master Points: its type Club Night is not in"
        " Appendix A of 2019-01 for live events",
        "Left (Open, 2019-05-05)": "officers left the event out of this list",
        "Early (Early Cup, 2014-05-06)": "Early earns no Master Points for days before 2015-05-01",
    }


WHY = ("event_type", "live events", "out of this list", "2015-05-01")


def test_they_stand_below_the_results_with_points(package: Path) -> None:
    why = rows("explain", "wbgf", package, "--player", "winner", "--as-of", "2019-12-31")[0]
    assert [award["event"] for award in why["awards"]] == ["Early"]
    assert [(each["event"], each["why"]) for each in why["unawarded"]] == [
        ("Zero", "events of its kind earn no points"),
        ("Side", "officers left the event out of this list; events of its kind earn no points"),
        ("Night", "events of its kind earn no points"),
        ("Left", "officers left the event out of this list"),
    ]


def test_every_reason_is_given(package: Path) -> None:
    """Who mends one must not find the next one afterwards."""
    lines = error("explain", "usbgf", package, "--player", "guest").splitlines()
    (why,) = (line for line in lines if line.startswith("Side"))
    assert "its type Club Night is not in Appendix A" in why
    assert "; Eligibility: no. Only players who are USBGF Basic members" in why


def test_what_is_missing_is_the_reason_alone(tmp_path: Path) -> None:
    """In a journal the event waits; that it is small, too, does not matter."""
    report, url = tmp_path / "report.toml", tmp_path / "x.db"
    report.write_text(
        '[tournament]\nname = "Open"\ndiscipline = "backgammon"\nend_date = 2019-05-05\n'
        '[[event]]\nname = "Main"\nkind = "championship"\n'
        '[event.main]\nentrants = 8\nplacings = """\n1 Ada Novak\n"""\n'
        '[[event]]\nname = "Side"\n[event.main]\nentrants = 8\nplacings = """\n1 Ada Novak\n"""\n',
        encoding="utf-8",
    )
    run("journal", "init", url)
    assert run("add", report, "--journal", url, "--author", "Ada", "--yes").exit_code == 0
    said = error("explain", "wbgf", "--journal", url, "--player", "Ada Novak").splitlines()
    assert said[1] == (
        "Side (Open, 2019-05-05): Side earns nothing: the report does not say what kind of event it"
        " is"
    )
    assert said[2] == (
        "Main (Open, 2019-05-05): Main has no entry fee. Fill in entry_fee: the entry fee alone,"
        " without registration; 0 if it was free."
    )
