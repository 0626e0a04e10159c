"""Any package, however corrupted, is awarded or refused: never a traceback, never half a list."""

from __future__ import annotations

import csv
import io
import json
import math
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import dedent

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.cli import cli
from tests.amounts import amount
from tests.packages import write

SEASON = {
    "players": """\
        player_id,name,nation,withheld
        a,Ada Novak,CZE,
        b,Ben Ode,GER,yes
        c,Cy Pell,,
        """,
    "memberships": """\
        player_id,federation,level,start,end
        a,usbgf,Basic,2015-01-01,
        b,usbgf,Basic,2015-01-01,2019-12-31
        """,
    "tournaments": """\
        tournament_id,name,discipline,start_date,end_date,setting,currency,eur_per_unit,date_of_record
        T,Open,backgammon,2019-01-01,2019-01-03,live,USD,,2019-01-05
        O,Monthly,backgammon,,2019-02-03,online,,,
        D,Tempest,diplomacy,2019-03-01,2019-03-03,,,,
        """,
    "events": """\
        event_id,tournament_id,name,kind,event_type,division_rank,entrants,entry_fee,added_money,rounds,world_championship,completed_on,sequence,bonus_grade
        E,T,Main,championship,ABT Main Event,1,40,100,500,,,,1,
        I,T,Intermediate,intermediate,,2,31,50,,,,,2,
        J,T,Jackpot,super_jackpot,ABT Major Jackpot,1+2,16,300,0,,,,3,0.5
        F,O,Monthly,,Circuit Monthly,,8,,,,,2019-02-03,,
        G,D,Tempest,,,,30,,,3,no,,,
        """,
    "flights": """\
        event_id,flight,entrants,format,match_length
        E,main,40,knockout,9
        E,consolation,20,knockout,7
        """,
    "placings": """\
        event_id,flight,player_id,rank,tied,designated,rounds_behind,nation
        E,main,a,1,,yes,0,SVK
        E,main,b,3,2,yes,2,
        E,consolation,c,1,,yes,,
        I,,c,1,,,,
        J,,a,2,,,,
        F,,a,1,,,,
        G,,a,7,,,,
        G,,b,1,,,,
        """,
    "matches": """\
        match_id,event_id,flight,played_on,length,winner_id,loser_id,status,series_wins
        m1,F,main,2019-01-15,9,a,b,played,
        m2,F,,2019-01-16,7,b,c,series,3
        m3,F,,,5,a,,bye,
        """,
    "rates": "currency,date,eur_per_unit,source\nUSD,2019-01-03,0.9,ours\n",
}
"""A little of everything that the three regulations look at."""

TABLES = {name: list(csv.reader(io.StringIO(dedent(text)))) for name, text in SEASON.items()}
PLACES = [
    (name, line, cell)
    for name, table in TABLES.items()
    for line, row in enumerate(table)
    for cell in range(len(row))
]
NUMBERS = (
    "0 -1 -0 1 2 1.5 1e9 1e999999999 NaN inf 1000000000 999999999999999 0.000000000001 ١٢ １２ ² ½"
)
DAYS = "2019-01-01 2019-13-01 1900-01-01 2200-12-31 0001-01-01"
WORDS = """=1+1 +1 @x ' " \u202e \ufeff é e\u0301 💥 null None true no 1+2 1+ 99+99 main consolation
    last_chance other lucky live online EUR XXX ZWL diplomacy [red] <b> | {0} %s a E T rank
    player_id Level _file points"""
SPACES = ["", " ", "\n", "\r\n", "a\tb", "\u00a0", "x" * 300, "9" * 30, "wbgf usbgf dptr"]
NASTY = st.sampled_from([*f"{NUMBERS} {DAYS} {WORDS}".split(), *SPACES])
COMMANDS = (
    ("check",),
    ("award", "wbgf"),
    ("rank", "wbgf", "--as-of", "2019-06-01", "--by", "nation"),
    ("award", "usbgf"),
    ("totals", "usbgf"),
    ("rank", "dptr"),
    ("explain", "wbgf", "--player", "a"),
    ("explain", "usbgf", "--player", "a"),
    ("explain", "dptr", "--player", "a"),
)


def outcome(package: Path) -> list[int]:
    """What every command comes to; an exception that is no plain error is raised."""
    statuses: list[int] = []
    named_so = any(b"NaN" in file.read_bytes() for file in package.glob("*.csv"))
    for command, *more in COMMANDS:
        if len(statuses) > 1 and statuses[0]:
            assert statuses == [1, 1]  # what check refuses, nothing is computed from
            break
        where = [command, *more[:1], str(package), *more[1:]]
        result = CliRunner().invoke(cli, where, catch_exceptions=False)
        assert result.exit_code in (0, 1), result.output
        assert "Traceback" not in result.output
        if result.exit_code and command != "check":
            assert result.stdout == ""
            assert result.stderr.count("Error: ") == 1
        if not result.exit_code:
            assert named_so or "NaN" not in result.stdout
            assert result.stdout
        statuses.append(result.exit_code)
    return statuses


def test_whole_it_gives_points_everywhere(tmp_path: Path) -> None:
    assert outcome(write(tmp_path / "p", **SEASON)) == [0] * len(COMMANDS)


@given(st.lists(st.tuples(st.sampled_from(PLACES), NASTY), min_size=1, max_size=3))
@settings(max_examples=amount(1_000), deadline=None)
def test_cells_replaced_at_random(changes: list[tuple[tuple[str, int, int], str]]) -> None:
    tables = {name: [list(row) for row in table] for name, table in TABLES.items()}
    for (name, line, place), value in changes:
        tables[name][line][place] = value
    with TemporaryDirectory() as directory:
        for name, table in tables.items():
            with (Path(directory) / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
                csv.writer(file).writerows(table)
        outcome(Path(directory))


@given(st.data())
@settings(max_examples=amount(500), deadline=None)
def test_rows_and_tables_lost_or_doubled(data: st.DataObject) -> None:
    with TemporaryDirectory() as directory:
        for name, (header, *body) in TABLES.items():
            kept = data.draw(st.lists(st.sampled_from(body), max_size=len(body) + 1), label=name)
            if data.draw(st.booleans(), label=f"{name} is there"):
                file = (Path(directory) / f"{name}.csv").open("w", encoding="utf-8", newline="")
                with file:
                    csv.writer(file).writerows([header, *(kept or body)])
        outcome(Path(directory))


@given(st.sampled_from(sorted(SEASON)), st.binary(min_size=1, max_size=6), st.integers(0, 400))
@settings(max_examples=amount(500), deadline=None)
def test_bytes_replaced_at_random(name: str, junk: bytes, at: int) -> None:
    with TemporaryDirectory() as directory:
        file = write(Path(directory), **SEASON) / f"{name}.csv"
        content = file.read_bytes()
        file.write_bytes(content[:at] + junk + content[at + len(junk) :])
        outcome(Path(directory))


COUNT = amount(1_000_000, at_least=100_000)


@pytest.fixture(scope="module")
def million(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One event with so many players, each at a rank of his own."""
    every = range(1, COUNT + 1)
    return write(
        tmp_path_factory.mktemp("million"),
        players="player_id,name\n" + "".join(f"p{n},P{n}\n" for n in every),
        tournaments="tournament_id,name,discipline,end_date\nT,Open,backgammon,2019-11-15\n",
        events="event_id,tournament_id,name,kind,entrants,entry_fee\n"
        f"E,T,Main,championship,{COUNT},100\n",
        placings="event_id,player_id,rank\n" + "".join(f"E,p{n},{n}\n" for n in every),
    )


class TestAMillionPlacings:
    """'10^6 placings in one event': valid ones are awarded, wrong ones get a plain error"""

    def ranked(self, package: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "palmares", "rank", "wbgf", str(package)]
        command += ["--as-of", "2019-11-15", "--top", "3", "--format", "json"]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)

    def test_valid_ones(self, million: Path) -> None:
        """s(N) = 128 (H_N - H_128 + 1) and R(k) = (1 + 0.75/k) R(k + 1), from R(N) = 1."""
        done = self.ranked(million)
        assert (done.returncode, done.stderr.count("Warning:")) == (0, 1)
        assert f" is {COUNT:,}; more than 10,000 is unusual" in done.stderr
        size = 128 * (1 + math.fsum(1 / n for n in range(129, COUNT + 1)))
        rewards = [1.0]
        for rank in range(COUNT - 1, 0, -1):
            rewards.append((1 + 0.75 / rank) * rewards[-1])
        per_reward = 10 * size / math.fsum(rewards)
        found = [row["points"] for row in json.loads(done.stdout)]
        assert found == pytest.approx([one * per_reward for one in rewards[:-4:-1]], rel=1e-11)

    def test_wrong_ones(self, million: Path) -> None:
        """Half the field: every rank behind it is beyond it, and the message stays short."""
        half = COUNT // 2
        events = million / "events.csv"
        right = events.read_text(encoding="utf-8")
        events.write_text(right.replace(f",{COUNT},", f",{half},"), encoding="utf-8")
        done = self.ranked(million)
        events.write_text(right, encoding="utf-8")
        assert (done.returncode, done.stdout) == (1, "")
        assert f"placings.csv:{half + 2}: rank {half + 1:,} in a field of {half:,}" in done.stderr
        assert len(done.stderr) < 50_000
        assert "Traceback" not in done.stderr
