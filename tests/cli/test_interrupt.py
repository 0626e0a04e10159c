"""Ctrl-C at any time: status 130, one plain line, and every file is whole, old, or not there."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.amounts import some
from tests.packages import BACKGAMMON, write
from tests.processes import on_terminal, plain

NOTHING = "Interrupted; every file is whole or was not written.\n"

AT = """
import os, signal, sys
from contextlib import contextmanager
import palmares.cli as command
from palmares.core.progress import heard_by
chosen, after = sys.argv[1], int(sys.argv[2])
del sys.argv[1:3]
@contextmanager
def told(what, total):
    left = after
    def step(done=1):
        nonlocal left
        left -= done
        if chosen in what and left <= 0:
            os.kill(os.getpid(), signal.SIGINT)
    step(0)
    yield step
command.showing_progress = lambda: heard_by(told)
command.main()
"""
"""The command line, interrupted after so many steps of the work that is named."""

AT_PLACING = """
import os, signal
from palmares.cli import main
replace = os.replace
def interrupted(*paths):
    if "WHEN" == "after":
        replace(*paths)
    os.kill(os.getpid(), signal.SIGINT)
os.replace = interrupted
main()
"""
"""The command line, interrupted as a file is about to take its place, or just has."""


def listing(folder: Path) -> dict[str, bytes]:
    """Everything below a folder."""
    return {
        str(one.relative_to(folder)): one.read_bytes() if one.is_file() else b""
        for one in folder.rglob("*")
    }


def run(code: str, *arguments: object) -> tuple[int, str, str]:
    """Exit status, output and errors of a program."""
    process = started("-c", code, *arguments)
    out, said = process.communicate()
    return process.returncode, out, said


def started(*command: object, ignored: bool = False) -> subprocess.Popen[str]:
    """A process with pipes."""
    return subprocess.Popen(
        [*(("nohup",) if ignored else ()), sys.executable, *map(str, command)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def does(process: subprocess.Popen[str], what: str, number: signal.Signals) -> bool:
    """Whether a process catches (`SigCgt`) or ignores (`SigIgn`) a signal."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    mask = re.search(rf"{what}:\s+(\w+)", status)
    return mask is not None and bool(int(mask[1], 16) & 1 << (number - 1))


def begun(process: subprocess.Popen[str]) -> float:
    """Wait until the command line has begun, and catches SIGTERM; how long that took."""
    before = time.monotonic()
    while process.poll() is None and not does(process, "SigCgt", signal.SIGTERM):
        time.sleep(0.002)
    return time.monotonic() - before


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package of 600 tournaments of 60 players: a second of work."""
    tournaments, field = range(600), range(60)
    names = BACKGAMMON["players"].split("\n", 1)[0]
    return write(
        tmp_path_factory.mktemp("large") / "package",
        players=f"{names}\n" + "".join(f"        p{one},Player {one},\n" for one in range(500)),
        tournaments="tournament_id,name,discipline,end_date\n"
        + "".join(f"T{one},Open {one},diplomacy,{2000 + one // 50}-01-31\n" for one in tournaments),
        events="event_id,tournament_id,name,entrants,rounds,sequence\n"
        + "".join(f"E{one},T{one},Main,60,3,{one}\n" for one in tournaments),
        placings="event_id,player_id,rank\n"
        + "".join(
            f"E{one},p{(one * 60 + two) % 500},{two + 1}\n" for one in tournaments for two in field
        ),
    )


@pytest.mark.parametrize(
    ("what", "after", "command", "old"),
    [
        ("lines of placings.csv", 0, ("award", "wbgf", "{}", "-o", "{out}.csv"), False),
        ("checks", 4, ("award", "wbgf", "{}", "-o", "{out}.csv"), True),
        ("rows to write", 2, ("award", "wbgf", "{}", "-o", "{out}.csv"), True),
        ("rows to write", 2, ("award", "wbgf", "{}", "-o", "{out}.json"), False),
        ("rows to write", 2, ("award", "wbgf", "{}", "-o", "{out}.xlsx"), True),
        ("workbook to pack", 0, ("award", "wbgf", "{}", "-o", "{out}.xlsx"), False),
        ("rows to write", 2, ("award", "wbgf", "{}", "--format", "html"), False),
        ("rows of players.csv", 2, ("convert", "{}", "{out}"), True),
        ("rows of placings.csv", 1, ("convert", "{}", "{out}/deep/deeper"), False),
    ],
)
def test_at_a_given_place(
    backgammon: Path, tmp_path: Path, what: str, after: int, command: tuple[str, ...], old: bool
) -> None:
    out = tmp_path / "out"
    given = [one.replace("{out}", str(out)).replace("{}", str(backgammon)) for one in command]
    if old:
        place = Path(given[-1])
        place.write_bytes(b"old") if place.suffix else place.mkdir(parents=True)
    before = listing(tmp_path)
    assert run(AT, what, after, *given) == (130, "", NOTHING)
    assert listing(tmp_path) == before


@pytest.mark.parametrize("command", [("award", "wbgf", "{}", "-o"), ("convert", "{}")])
def test_as_a_file_takes_its_place(backgammon: Path, tmp_path: Path, command: tuple[str]) -> None:
    place = tmp_path / ("out.csv" if command[0] == "award" else "out")
    given = [one.replace("{}", str(backgammon)) for one in command]
    before = listing(tmp_path)
    for when in ("before", "after"):
        assert run(AT_PLACING.replace("WHEN", when), *given, place) == (130, "", NOTHING)
        assert (when == "after") == (listing(tmp_path) != before)
    assert [one for one in tmp_path.iterdir() if one.name.startswith(".")] == []


LONG = (
    ("convert", "{}", "{out}", "--format", "parquet"),
    ("award", "dptr", "{}", "-o", "{out}.csv"),
)


@pytest.mark.parametrize("command", some(LONG, len(LONG)))
def test_at_any_time(large: Path, tmp_path: Path, command: tuple[str, ...]) -> None:
    """At four moments between the beginning and the end of a command that takes a while."""
    given = [
        one.replace("{out}", str(tmp_path / "out")).replace("{}", str(large)) for one in command
    ]
    process = started("-m", "palmares", *given)
    begun(process)
    before = time.monotonic()
    process.communicate()
    assert process.returncode == 0
    takes = time.monotonic() - before
    whole = listing(tmp_path)
    stopped = 0
    for moment in range(4):
        for name in sorted(listing(tmp_path), reverse=True):
            one = tmp_path / name
            one.rmdir() if one.is_dir() else one.unlink()
        process = started("-m", "palmares", *given)
        begun(process)
        time.sleep(takes * moment / 4)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
        if process.returncode == 130:
            stopped += 1
            assert said == NOTHING
        else:  # it was ready, or leaving
            assert (process.returncode in (0, -signal.SIGINT), said) == (True, "")
            assert listing(tmp_path) == whole
        assert listing(tmp_path) in ({}, whole)
    assert stopped


@pytest.mark.parametrize(("number", "status"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_other_ways_to_stop(
    large: Path, tmp_path: Path, number: signal.Signals, status: int
) -> None:
    process = started("-m", "palmares", "award", "dptr", large, "-o", tmp_path / "out.csv")
    begun(process)
    process.send_signal(number)
    assert process.communicate() == ("", NOTHING)
    assert process.returncode == status
    assert listing(tmp_path) == {}


def test_while_it_is_loaded_it_ends_without_a_word() -> None:
    code = (
        "import builtins, os, signal\nfrom palmares.__main__ import main\n"
        "load = builtins.__import__\n"
        "def stop(name, *rest):\n"
        "    if name == 'palmares.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "    return load(name, *rest)\n"
        "builtins.__import__ = stop\nmain()\n"
    )
    assert run(code) == (-signal.SIGINT, "", "")


def test_pressed_twice_it_is_one_request(backgammon: Path, tmp_path: Path) -> None:
    """The second comes while a folder is being removed, which goes on."""
    code = AT_PLACING.replace("WHEN", "before").replace(
        "main()\n",
        "import shutil\nremove = shutil.rmtree\n"
        "def again(*given, **named):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    remove(*given, **named)\n"
        "shutil.rmtree = again\nmain()\n",
    )
    before = listing(tmp_path)
    assert run(code, "convert", backgammon, tmp_path / "out") == (130, "", NOTHING)
    assert listing(tmp_path) == before


def test_a_signal_that_is_ignored_stays_so(backgammon: Path, tmp_path: Path) -> None:
    """As under nohup, when the terminal is closed."""
    place = tmp_path / "out.csv"
    process = started("-m", "palmares", "award", "wbgf", backgammon, "-o", place, ignored=True)
    # Until then the signal would stop nohup itself.
    while process.poll() is None and not does(process, "SigIgn", signal.SIGHUP):
        time.sleep(0.002)
    while process.poll() is None:
        process.send_signal(signal.SIGHUP)
        time.sleep(0.01)
    assert (process.communicate(), process.returncode) == (("", ""), 0)
    assert place.exists()


@pytest.mark.parametrize("error", ["RuntimeError('Query interrupted')", "KeyboardInterrupt"])
def test_a_library_that_answers_in_its_own_way(
    backgammon: Path, tmp_path: Path, error: str
) -> None:
    """DuckDB loses what the signal raised, and raises an error of its own."""
    code = AT_PLACING.replace("WHEN", "before").replace(
        "    os.kill(os.getpid(), signal.SIGINT)\n",
        "    try: os.kill(os.getpid(), signal.SIGINT)\n"
        f"    except BaseException: pass\n    raise {error}\n",
    )
    before = listing(tmp_path)
    assert run(code, "convert", backgammon, tmp_path / "out") == (130, "", NOTHING)
    assert listing(tmp_path) == before


@pytest.mark.parametrize(
    "holder",
    [
        "class One:\n        __del__ = stop\n    One()",
        "class One: ...\n    one = One()\n    ref = weakref.ref(one, stop)\n    del one",
    ],
)
def test_as_an_object_is_cleared_away(backgammon: Path, tmp_path: Path, holder: str) -> None:
    """Python drops what is raised there, and prints it with a traceback."""
    code = AT_PLACING.replace("WHEN", "before").replace(
        "    os.kill(os.getpid(), signal.SIGINT)\n",
        "    def stop(_):\n        os.kill(os.getpid(), signal.SIGINT)\n        time.sleep(0)\n"
        f"    {holder}\n    time.sleep(60)\n",
    )
    before = listing(tmp_path)
    given = ("convert", backgammon, tmp_path / "out")
    assert run(f"import time, weakref\n{code}", *given) == (130, "", NOTHING)
    assert listing(tmp_path) == before


SLOW = """
import sys, time
from palmares import cli
from palmares.core.progress import over
{}
cli.terminal.PATIENCE = cli.terminal._BRIEF = 0.1
cli.cli.command("slow")(slow)
cli.Main.get_command = lambda self, ctx, name: self.commands[name]
sys.argv[1:] = ["slow"]
cli.main()
"""


def test_the_key_on_a_terminal_takes_the_bar_away() -> None:
    work = "def slow():\n    for _ in over(range(10_000), 'days'): time.sleep(0.01)"
    shown = on_terminal(["-c", SLOW.format(work)], press="\x03", after="left")
    assert shown.status == 130
    assert "days" in plain(shown.text)
    assert shown.text.endswith(
        "\x1b[2K\x1b[?25h\rInterrupted; every file is whole or was not written.\r\n"
    )
    assert "Traceback" not in shown.text


def test_the_key_is_for_the_command_alone_and_not_for_its_workers() -> None:
    """They would show tracebacks, most of all while they are being loaded."""
    work = (
        "from threading import Thread\n"
        "from multiprocessing import active_children\n"
        "from palmares.engines.duckdb import each\n"
        "def tell():\n"
        "    while len(active_children()) < 2: time.sleep(0.001)\n"
        "    time.sleep(0.05)\n"
        "    print('begun', end='', file=sys.stderr, flush=True)\n"
        "def slow():\n"
        "    Thread(target=tell, daemon=True).start()\n"
        "    each(time.sleep, [(60,), (60,)], 2, 1, print)"
    )
    shown = on_terminal(["-c", SLOW.format(work)], press="\x03", after="begun")
    assert shown.status == 130
    assert (
        shown.text.replace("^C", "")
        == "begunInterrupted; every file is whole or was not written.\r\n"
    )
