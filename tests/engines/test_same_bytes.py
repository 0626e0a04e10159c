"""
The whole example season on every engine: the same bytes as without one.

Every question of the command line that an engine answers, on the reports of examples/, in each
format; facts are cut into shards of a few rows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.amounts import ALL, PERCENT
from tests.packages import run, write
from tests.points import equal_results
from tests.season import season, written

EXAMPLES = Path("examples")
DAY = ("--as-of", "2019-12-31")
QUESTIONS = [
    ("award", "wbgf", "backgammon"),
    ("award", "usbgf", "usbgf"),
    ("award", "dptr", "diplomacy"),
    ("rank", "wbgf", "backgammon", "--as-of", "2005-12-31"),
    ("rank", "wbgf", "backgammon", "--as-of", "2005-12-31", "--by", "nation"),
    ("rank", "wbgf", "backgammon", "--as-of", "2005-12-31", "--by", "nation", "--reading",
     "W17=at-event"),
    ("rank", "wbgf", "backgammon", "--as-of", "2005-12-31", "--nation", "CAN"),
    ("rank", "usbgf", "usbgf", *DAY, "--setting", "live", "--kind", "placement", "--top", "5"),
    ("rank", "dptr", "diplomacy", *DAY),
    ("rank", "dptr", "diplomacy", *DAY, "--since", "2017-01-01"),
    ("totals", "usbgf", "usbgf", "--since", "2019-01-01", "--until", "2019-12-31"),
]  # fmt: skip
FORMATS = ("json", "csv", "table")
ENGINES = {
    "inprocess": (),
    "duckdb": ("--workers", "1", "--memory", "1GB", "--shard-rows", "40"),
    "spark": ("--master", "local[2]", "--shard-rows", "120"),
}


@pytest.fixture(scope="module", params=ENGINES)
def engine(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The options of an engine; Spark runs for all tests together."""
    if request.param == "spark":
        request.getfixturevalue("spark")
    return ("--engine", request.param, *ENGINES[request.param])


def printed(*arguments: object) -> bytes:
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout_bytes


@cache
def without(*arguments: object) -> bytes:
    """What is printed without an engine: once for all engines."""
    return printed(*arguments)


def on_engines(name: str, values: Sequence[Any], on_spark: Sequence[Any]) -> pytest.MarkDecorator:
    """Each engine with each value; Spark, which takes seconds, with all only in ``make torture``.

    What it is given in ``make test`` has each command, regulation and way of counting in it once,
    from reports and from a package of CSV; what is Spark's own has
    `tests/engines/spark/test_engine.py`.
    """
    pairs = [
        pytest.param(engine, value, id=f"{engine}-{' '.join(value)}")
        for engine in ENGINES
        for value in values
        if engine != "spark" or PERCENT >= ALL or value in on_spark
    ]
    return pytest.mark.parametrize(("engine", name), pairs, indirect=["engine"])


@on_engines("question", QUESTIONS, [QUESTIONS[at] for at in (1, 5, 8)])
def test_the_example_season(engine: tuple[str, ...], question: tuple[str, ...]) -> None:
    command, regulation, folder, *options = question
    asked = (command, regulation, EXAMPLES / folder, *options)
    assert without(*asked, "--format", "json").count(b"\n") > 2
    name = FORMATS[QUESTIONS.index(question) % len(FORMATS)]
    assert printed(*asked, *engine, "--format", name) == without(*asked, "--format", name)


def test_a_made_up_season(engine: tuple[str, ...], tmp_path: Path) -> None:
    """Ties, shared names and withheld ones."""
    tables = season(2019)
    for number, row in enumerate(tables["players"]):
        row.append("yes" if number % 5 == 1 else "" if number else "withheld")
    package = written(tables, tmp_path / "season")
    asked = ("rank", "usbgf", package, "--as-of", "2020-06-30", "--format", "json")
    whole = printed(*asked)
    assert b'"player":"(withheld)"' in whole
    assert printed(*asked, *engine) == whole


EQUAL = [("rank",), ("rank", "--top", "1"), ("totals",), ("totals", "--top", "1")]


@on_engines("asked", EQUAL, [EQUAL[3]])
def test_equal_results(engine: tuple[str, ...], tmp_path: Path, asked: tuple[str, ...]) -> None:
    """Two wins of one award or of two share rank 1."""
    package = equal_results.written(tmp_path / "orlando")
    command = (asked[0], "usbgf", package, *asked[1:], "--format", "csv")
    whole = printed(*command)
    assert [line.split(b",")[:2] for line in whole.splitlines()[1:3]] == [
        [b"1", b"a"],
        [b"1", b"b"],
    ]
    assert printed(*command, *engine) == whole


NATIONS = ("--by", "nation")


WARNED = [
    ("20", "award", "usbgf"),
    ("60", "rank", "usbgf", *DAY),
    ("60", "totals", "usbgf"),
    ("60", "award", "wbgf"),
    ("20", "rank", "wbgf", *DAY, *NATIONS),
    ("60", "rank", "dptr", *DAY),
]
"""How many events, and what is asked of them."""


@on_engines("question", WARNED, [WARNED[1]])
def test_the_same_warnings(
    engine: tuple[str, ...], tmp_path: Path, question: tuple[str, ...]
) -> None:
    """Of reading, of checks and of the regulation, in one order; more than are shown unasked."""
    events, asked = int(question[0]), question[1:]
    discipline = "diplomacy" if asked[1] == "dptr" else "backgammon"
    days = [f"T{n},Open {n},{discipline},20{18 - n % 3}-03-0{n % 5 + 1}" for n in range(10)]
    rows = [f"E{n},T{n * 7 % 10},Event {n},championship,4,10,3" for n in range(events)]
    package = write(
        tmp_path / "p",
        players="player_id,name,nation\na,Ada Novak,\nAda Nóvak,Ada Nóvak,\nNovak Ada,Novak Ada,\n",
        tournaments="\n".join(("tournament_id,name,discipline,end_date", *days)),
        events="\n".join(("event_id,tournament_id,name,kind,entrants,entry_fee,rounds", *rows)),
        flights="\n".join(
            ("event_id,flight,entrants", *(f"E{n},second_chance,2" for n in range(events)))
        ),
        placings="\n".join(
            ("event_id,player_id,rank", *(f"E{n},{one}" for n in range(events) for one in
                                          ("a,1", "Ada Nóvak,2")))
        ),
    )  # fmt: skip
    command = (asked[0], asked[1], package, *asked[2:])
    whole = run(*command, "--warnings")
    assert whole.exit_code == 0, whole.stderr
    empty = whole.stderr.count("[empty list]")  # of lists: why nobody is on them, after the rest
    assert whole.stderr.count("Warning: ") - empty > 20
    assert empty == (asked[1] != "dptr" and asked[:2] != ("award", "wbgf"))
    given = run(*command, *engine, "--warnings").stderr
    before_the_last = [text.rpartition("Warning: ")[0] if empty else text
                       for text in (given, whole.stderr)]  # fmt: skip
    assert before_the_last[0] == before_the_last[1]
    assert given.count("[empty list]") == empty


@on_engines("question", QUESTIONS[:3], [])
def test_the_same_warnings_of_the_examples(
    engine: tuple[str, ...], question: tuple[str, ...]
) -> None:
    command, regulation, folder = question
    asked = (command, regulation, EXAMPLES / folder)
    assert run(*asked, *engine).stderr == run(*asked).stderr


@on_engines("scale", [("continuous",), ("discrete",)], [])
def test_victory_points(engine: tuple[str, ...], scale: tuple[str, ...]) -> None:
    asked = ("vp", "--matches", EXAMPLES / "bridge", "--scale", *scale, "--format", "csv")
    assert printed(*asked, *engine) == without(*asked)


def test_fractions_of_imps(engine: tuple[str, ...], tmp_path: Path) -> None:
    """3.1 is 3, 3.5 is 4, less than half an IMP is a draw (wbf-standings S3)."""
    carried = ["0.1,", "0.5,", "0.9,", ",2.6", ",2.51", ",2.5", ",6.5"]
    rows = [f"M{n},E,Heron,Coot,16,23,20,{one}" for n, one in enumerate(carried)]
    head = "match_id,event_id,home,away,boards,home_imps,away_imps,home_carry_imps,away_carry_imps"
    package = write(
        tmp_path / "p",
        tournaments="tournament_id,name,discipline,end_date\nT,League,bridge,2024-03-05\n",
        events="event_id,tournament_id,name\nE,T,Teams\n",
        team_matches="\n".join((head, *rows)) + "\n",
    )
    asked = ("vp", "--matches", package, "--format", "json")
    told = printed(*asked, *engine)
    assert [row["margin"] for row in json.loads(told)] == [3, 4, 4, 0, 0, 1, -4]
    assert told == printed(*asked)
