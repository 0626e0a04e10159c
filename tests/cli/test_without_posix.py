"""What runs on a director's laptop imports and calls nothing that Windows has not."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.docs.examples import ROOT
from tests.processes import at_the_end, free_port

DUBROVNIK = str(ROOT / "examples" / "backgammon" / "2011-dubrovnik-open.toml")
WARNING = "ignore:only soft file lock"  # filelock's, of a Linux without fcntl


@pytest.fixture
def laptop(tmp_path: Path) -> dict[str, str]:
    """The environment of a process in which POSIX is gone."""
    shutil.copy(Path(__file__).with_name("without_posix.py"), tmp_path / "sitecustomize.py")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    given = {"PYTHONPATH": path, "HOME": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    return os.environ | given | {"PYTHONWARNINGS": WARNING, "XDG_CACHE_HOME": str(tmp_path / "c")}


def test_the_blocker_blocks(laptop: dict[str, str]) -> None:
    code = (
        "import os\n"
        "for name in ('fcntl', 'resource', 'pwd'):\n"
        "    try: __import__(name)\n"
        "    except ImportError: print('no', name)\n"
        "print([hasattr(os, name) for name in ('geteuid', 'fork')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=laptop, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines() == ["no fcntl", "no resource", "no pwd", "[False, False]"]


COMMANDS = (
    ("check", DUBROVNIK),
    ("rank", "wbgf", DUBROVNIK, "--as-of", "2011-12-31", "--top", "2"),
    ("explain", "wbgf", DUBROVNIK, "--player", "Tom Duggan", "--as-of", "2011-12-31"),
    ("preview", "placings.xlsx"),
    ("journal", "init", "federation.db"),
    ("add", DUBROVNIK, "--journal", "federation.db", "--author", "Otto", "--yes"),
    ("journal", "verify", "--journal", "federation.db"),
    (
        "start",
        "--results",
        DUBROVNIK,
        "--regulations",
        "wbgf",
        "--officer",
        "Otto",
        "--database",
        "started.db",
        "--yes",
        "--no-serve",
    ),
)
"""Run one after another by one process: to start Python for each takes a second."""
RUN = (
    "import json, sys; from click.testing import CliRunner; from palmares.cli import cli\n"
    "for given in json.loads(sys.argv[1]):\n"
    "    done = CliRunner().invoke(cli, given, prog_name='palmares', catch_exceptions=False)\n"
    "    print(json.dumps([done.exit_code, done.output]))\n"
)


def test_check_rank_explain_add_start_and_serve(laptop: dict[str, str], tmp_path: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(tmp_path / "placings.xlsx") as workbook:
        sheet = workbook.add_worksheet()
        for number, row in enumerate([("rank", "name"), (1, "Ada Novak"), (2, "Bo Lind")]):
            sheet.write_row(number, 0, row)
    command = [sys.executable, "-c", RUN, json.dumps(COMMANDS)]
    done = subprocess.run(
        command, env=laptop, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [code for code, _ in told] == [0] * len(COMMANDS), told
    check, rank, explain, preview, _, add, verify, start = (text for _, text in told)
    assert check.startswith("No problems. 7 players, 1 tournament")
    assert "Tom Duggan     ENG      49.62" in rank
    assert "49.618572062" in explain
    assert "Ada Novak" in preview
    assert "Recorded as entries 1 to 8: " in add
    assert "federation.db is intact: 8 entries." in verify
    assert ": identical." in start
    assert served(laptop, tmp_path)["status"] == "ok"


def served(laptop: dict[str, str], place: Path) -> dict[str, str]:
    """What the site on the journal says of itself; it has a list, too."""
    port = free_port()
    given = ["serve", "--journal", "federation.db", "--port", str(port), "--quiet"]
    with at_the_end(
        subprocess.Popen(
            [sys.executable, "-m", "palmares", *given],
            env=laptop,
            cwd=place,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        first = running.stdout.readline()
        assert re.fullmatch(rf"http://127\.0\.0\.1:{port} .*\n", first), running.stderr.read()
        here = f"http://127.0.0.1:{port}"
        with urllib.request.urlopen(f"{here}/ready", timeout=60) as answer:  # noqa: S310
            found: dict[str, str] = json.load(answer)
        with urllib.request.urlopen(f"{here}/rankings/wbgf/2011-12-31", timeout=60) as answer:  # noqa: S310
            assert b"Tom Duggan" in answer.read()
        running.send_signal(signal.SIGINT)
        assert running.wait(60) == 128 + signal.SIGINT
        assert running.stderr.read() == "The site has stopped.\n"
    return found
