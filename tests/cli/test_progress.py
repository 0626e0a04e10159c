"""Long work is shown on a terminal after two seconds, with rate and time left; nowhere else."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.progress import ProgressSample, Task, TaskID

from palmares.cli.terminal import words
from tests.packages import BACKGAMMON, write
from tests.processes import on_terminal, plain

WORK = """
import sys, time
from palmares.cli.terminal import showing_progress
from palmares.core.progress import over
started = time.monotonic()
with showing_progress():
    for _ in over(range(320), "tournaments"):
        time.sleep(0.01)
print("worked", time.monotonic() - started)
"""
AT_ONCE = """
from palmares.cli import terminal as progress
progress.PATIENCE = progress._BRIEF = 0.0
""" + WORK.replace("0.01", "0.001")
IMPATIENT = """
from palmares.cli import main
from palmares.cli import terminal as progress
progress.PATIENCE = progress._BRIEF = 0.0
progress._LOOKS = 1000
main()
"""
BAR = re.compile(r"tournaments +[━╸╺]+ +(\d+)/320 +(\d+)/s +0:00:(\d\d) left")


def test_a_bar_comes_after_two_seconds_and_goes() -> None:
    shown = on_terminal(["-c", WORK])
    assert shown.status == 0
    assert shown.printed.startswith("worked")  # and no bar among it
    drawn = [BAR.search(line) for line in plain(shown.text).splitlines() if line.strip()]
    assert len(drawn) > 2
    done, rate, left = map(int, drawn[0].groups()) if drawn[0] else (0, 0, 0)
    assert done < 300  # of 320, one in ten milliseconds or longer
    assert 0 < rate <= 110
    assert left >= 1
    assert shown.pieces[0][0] > 2
    assert shown.text.endswith("\x1b[2K\x1b[?25h\r")  # line and cursor as they were


def test_nothing_goes_into_a_pipe() -> None:
    done = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("worked")
    assert float(done.stdout.split()[1]) > 3
    assert done.stderr == ""


@pytest.mark.parametrize("kind", ["dumb", "unknown"])
def test_nothing_on_a_terminal_that_cannot_take_it_back(kind: str) -> None:
    assert on_terminal(["-c", AT_ONCE], {"TERM": kind}).text == ""


def test_no_colours_where_none_are_wanted() -> None:
    assert re.search(r"\x1b\[[\d;]*[1-9]\d*m", on_terminal(["-c", AT_ONCE]).text)
    bare = on_terminal(["-c", AT_ONCE], {"NO_COLOR": "1"}).text
    assert "/320" in bare
    assert not re.search(r"\x1b\[[\d;]*[1-9]\d*m", bare)


def test_nothing_for_a_quick_command(tmp_path: Path) -> None:
    package = write(tmp_path / "p", **BACKGAMMON)
    shown = on_terminal(["-m", "palmares", "award", "wbgf", package])
    assert (shown.status, shown.text) == (0, "")
    assert "Ada Novak" in shown.printed


def test_a_command_shows_what_it_reads_and_writes(tmp_path: Path) -> None:
    """The real commands on 120,000 rows, with a display that does not wait."""
    players = 120_000
    package = write(tmp_path / "p", **BACKGAMMON)
    with (package / "players.csv").open("a") as file:
        file.write('"x","Somebody, quoted",\n')  # a file without such marks is cut at once
        file.writelines(f"x{number},Somebody {number},\n" for number in range(players - 1))
    shown = on_terminal(["-c", IMPATIENT, "convert", package, tmp_path / "out"])
    assert shown.status == 0
    told = plain(shown.text)
    assert re.search(
        r"lines of players\.csv .* (50|100),000/120,005 +[\d,]+/s +\d+:\d\d:\d\d left", told
    )
    assert re.search(r"checks +[━╸╺]+ +\d+/10", told)
    assert re.search(r"rows of players\.csv .* [\d,]+/120,004 +[\d,]+/s +\d+:\d\d:\d\d left", told)
    assert shown.printed == f"{tmp_path / 'out'}: written.\n"


@pytest.mark.parametrize(
    ("done", "total", "seconds", "text"),
    [
        (0, None, 3.0, ""),
        (0, 12, 3.0, "0/12"),
        (6, 12, 3.0, "6/12  2.0/s  0:00:03 left"),
        (12, 12, 3.0, "12/12  4.0/s  0:00:00 left"),
        (13, 12, 3.0, "13/12  4.3/s  0:00:00 left"),
        (30_000, 7_230_000, 3.0, "30,000/7,230,000  10,000/s  0:12:00 left"),
        (1234, None, 2.0, "1,234  617/s"),
    ],
)
def test_what_is_told(done: int, total: int | None, seconds: float, text: str) -> None:
    task = Task(TaskID(0), "rows", total, 0, _get_time=lambda: 100.0 + seconds)
    task.start_time = 100.0
    task._progress.extend([ProgressSample(100.0, 0), ProgressSample(100.0 + seconds, done)])
    task.completed = done
    assert words(task) == text


def test_help_loads_neither_rich_nor_polars() -> None:
    """Rich is loaded when a bar is first drawn."""
    code = (
        "import sys; from palmares.cli import cli; cli(['--help'], standalone_mode=False); "
        "print(sorted({'rich', 'polars'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
