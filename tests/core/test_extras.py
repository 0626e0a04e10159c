"""Without the libraries of an extra: all else goes on, and what needs them says what to install."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from importlib.metadata import packages_distributions
from pathlib import Path

from palmares.core.extras import EXTRAS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PLAIN = {re.split(r"[<>=\[]", one)[0].lower() for one in PROJECT["dependencies"]}
BELOW = {"markdown-it-py", "mdurl", "polars-runtime-32", "pygments"}
"""What those of the plain package bring along."""
BLOCKED = sorted(
    module
    for module, packages in packages_distributions().items()
    if not {one.lower() for one in packages} & (PLAIN | BELOW | {"palmares"})
)
PROGRAM = """
import json, sys
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
from click.testing import CliRunner
from palmares.cli import cli
done = [CliRunner().invoke(cli, words) for words in json.loads(sys.argv[2])]
print(json.dumps([(one.exit_code, one.output) for one in done]))
"""
WORKS = (
    "rank wbgf examples/backgammon --as-of 2005-12-31",
    "check examples/usbgf",
    "award dptr examples/diplomacy",
    "totals usbgf examples/usbgf",
    "standings examples/bridge",
    "history dptr examples/diplomacy --player 'David MILLER'",
    "history wbgf examples/backgammon --player 'Tom Duggan' --until 2012-12-31",
    "vp --boards 16",
    "preview examples/formats/2011-dubrovnik-open.csv",
    "regulations",
)
NEEDS = {
    "rank wbgf --journal x.db": "A journal needs SQLAlchemy, which is not installed:"
    " pip install 'palmares[journal]'.",
    "serve --journal x.db": "The site needs Litestar, which is not installed:"
    " pip install 'palmares[site]'.",
    "rank wbgf examples/backgammon --engine spark": "The engine spark needs PySpark, which is not"
    " installed: pip install 'palmares[spark]'.",
    "rank wbgf examples/backgammon --engine duckdb": "The engine duckdb needs DuckDB, which is not"
    " installed: pip install 'palmares[duckdb]'.",
    "vp --boards 16 -o vp.xlsx": "An Excel file needs python-calamine, which is not installed:"
    " pip install 'palmares[excel]'.",
    "rank wbgf examples/backgammon -o list.pdf": "A PDF needs Typst, which is not installed:"
    " pip install 'palmares[print]'.",
    "vp --boards 16 -o vp.pdf": "A PDF needs Typst, which is not installed:"
    " pip install 'palmares[print]'.",
}


def ran(blocked: Sequence[str], commands: Sequence[str]) -> list[tuple[int, str]]:
    """Exit status and output of each command where some modules cannot be imported."""
    words = json.dumps([shlex.split(one) for one in commands])
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, json.dumps(blocked), words],
        capture_output=True,
        cwd=ROOT,
        check=True,
    )
    return [(status, text) for status, text in json.loads(done.stdout)]


def test_the_plain_package_does_the_same() -> None:
    plain, all_of_it = ran(BLOCKED, WORKS), ran([], WORKS)
    assert plain == all_of_it
    assert [text for _, text in plain if len(text) < 40] == []


def test_what_needs_more_says_so() -> None:
    for (command, line), (status, text) in zip(NEEDS.items(), ran(BLOCKED, [*NEEDS]), strict=True):
        assert (command, status, text.splitlines()[-1]) == (command, 1, f"Error: {line}")


def test_each_extra_is_one_of_the_package() -> None:
    assert {*EXTRAS, "testing", "all"} == {*PROJECT["optional-dependencies"]}


def test_every_library_has_a_floor() -> None:
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    libraries = [one for group in groups for one in group if not one.startswith("palmares[")]
    assert [one for one in libraries if ">=" not in one] == []
