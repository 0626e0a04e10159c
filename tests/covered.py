"""
Branch coverage of all of ``src``, room by room: ``make coverage``, or ``python -m tests.covered``.

``make test`` measures regulations alone, by their own tests. Here every test counts, and so does
every process that tests start; it takes half as long again. Files named behind the command are
the only tests that are run; ``--report`` runs none and reads what the last run left in
``build/coverage``.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from coverage import Coverage

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "palmares"
RESULTS = ROOT / "build" / "coverage"
SETTINGS = f"""\
[run]
branch = true
parallel = true
data_file = {RESULTS}/data
include = {PACKAGE}/*
concurrency = thread, multiprocessing
patch = subprocess, _exit
sigterm = true
disable_warnings = no-data-collected, module-not-measured, trace-changed

[report]
exclude_also =
    if TYPE_CHECKING:
    @overload
"""
PYTEST = "-m pytest --no-cov --quiet -n 3 --dist=loadfile -p no:cacheprovider"
COUNTS = "num_statements", "covered_lines", "num_branches", "covered_branches"
SHOWN = 20


def main(arguments: list[str]) -> None:
    """Run the tests, then print the coverage of each room and the files that lack most."""
    settings = RESULTS / "coveragerc"
    if arguments != ["--report"]:
        shutil.rmtree(RESULTS, ignore_errors=True)
        RESULTS.mkdir(parents=True)
        settings.write_text(SETTINGS)
        run = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}"]
        subprocess.run([*run, *PYTEST.split(), *arguments], cwd=ROOT, check=False)
    measured = Coverage(config_file=str(settings))
    measured.combine(keep=True)
    measured.get_data().touch_files([str(file) for file in PACKAGE.rglob("*.py")])
    measured.json_report(outfile=str(RESULTS / "coverage.json"))
    files = json.loads((RESULTS / "coverage.json").read_text())["files"]
    _print({Path(file): facts["summary"] for file, facts in files.items()})


def _print(files: dict[Path, dict[str, int]]) -> None:
    """Print a line for each room, and one for each of the files that lack most."""
    rooms: dict[str, list[int]] = defaultdict(lambda: [0] * len(COUNTS))
    lacking = {}
    for file, summary in files.items():
        inside = (ROOT / file).relative_to(PACKAGE)
        counts = [summary[name] for name in COUNTS]
        room = inside.parts[0] if len(inside.parts) > 1 else "(top)"
        for sums in rooms[room], rooms["all"]:
            sums[:] = [before + more for before, more in zip(sums, counts, strict=True)]
        lacking[str(inside)] = counts
    for room in sorted(rooms, key=lambda name: (name == "all", name)):
        print(_line(room, rooms[room]))
    print("\nFiles that lack most:")
    for name in sorted(lacking, key=lambda name: _missing(lacking[name]))[: -SHOWN - 1 : -1]:
        print(_line(name, lacking[name]))


def _missing(counts: list[int]) -> int:
    """How many lines and branches no test runs."""
    return counts[0] - counts[1] + counts[2] - counts[3]


def _line(name: str, counts: list[int]) -> str:
    """One line: lines and branches run, out of how many, and the share of both together."""
    lines, run, branches, taken = counts
    share = 100 * (run + taken) / max(lines + branches, 1)
    both = f"{run:6} of {lines:6} lines  {taken:6} of {branches:6} branches"
    return f"{name:48} {both}  {share:6.1f}%"


if __name__ == "__main__":
    main(sys.argv[1:])
