"""The key of kept awards: one line more in whatever makes them, and it is another key."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import palmares

TESTS = Path(__file__).parents[2]
AWARDING = {"wbgf", "usbgf", "dptr"}
"""The regulations that award points."""
JOURNAL = ("core/canonical.py",)
"""What the journal loads, and awards do not need."""
PROGRAM = """
import json, os, sys
from pathlib import Path
import palmares
from palmares.lists.live import key, open_awards
from palmares.points.awards import Question

ABOVE = Path(palmares.__file__).parent
NAMES = ("wbgf", "usbgf", "dptr")


def apart(work):  # in a process of its own, so that nothing is kept from before
    reading, writing = os.pipe()
    if os.fork() == 0:
        os.write(writing, json.dumps(work()).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        found = json.load(pipe)
    assert os.wait()[1] == 0
    return found


def loaded():  # by making awards and keeping them
    from palmares.journal.store.journal import create_journal
    from tests.journal import statements as say

    journal = create_journal("federation.db")
    journal.record([say.player("P1"), say.player("P2")], say.OFFICER)
    journal.record([say.report("T", {"P1": 1, "P2": 2})], say.OFFICER)
    for name in NAMES:
        open_awards(journal, Question(regulation=name))
    rooms = tuple(f"palmares.{room}" for room in ("core", "regulations", "points", "lists.live"))
    return [one.__file__ for name, one in sys.modules.items() if name.startswith(rooms)]


def keys():
    return [key(Question(regulation=name)) for name in NAMES]


files = sorted({*apart(loaded), *map(str, ABOVE.glob("rules/*/*.toml"))})
before, changed = apart(keys), {}
for file in map(Path, files):
    text = file.read_bytes()
    file.write_bytes(text + b"# one line more\\n")
    now = apart(keys)
    file.write_bytes(text)
    named = [name for name, one, other in zip(NAMES, before, now) if one != other]
    changed[str(file.relative_to(ABOVE))] = named
print(json.dumps(changed))
"""


def test_one_line_more_in_whatever_makes_awards_is_another_key(tmp_path: Path) -> None:
    shutil.copytree(Path(palmares.__file__).parent, tmp_path / "palmares")
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{TESTS}", "XDG_CACHE_HOME": "."},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    changed = json.loads(ended.stdout)
    assert {"core/rounding.py", "points/awards.py", "regulations/model.py"} <= changed.keys()
    missed = {one: names for one, names in changed.items() if not concerned(one) <= {*names}}
    assert missed == {}
    for file, names in changed.items():
        assert {*names} == concerned(file) or not file.startswith("rules/"), file


def concerned(file: str) -> set[str]:
    """The regulations whose awards depend on a file, whatever else is made again with them."""
    parts = file.split("/")
    if parts[0] == "rules":
        return {parts[1]} & AWARDING  # the others' numbers are in no award
    if file.startswith(("regulations/wbf_", "regulations/usbgf_streaming")) or file in JOURNAL:
        return set()
    own = {name for name in AWARDING if file.startswith(f"regulations/{name}")}
    return own or AWARDING
