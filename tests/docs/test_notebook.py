"""The example notebook runs from top to bottom, and shows what it shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.docs.notebook import NOTEBOOK, ROOT, code

HELD = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
CELLS = code(HELD)


def test_every_cell_gives_what_the_notebook_holds() -> None:
    """Renew it with ``python -m tests.docs.notebook``."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.docs.notebook", "--run"],
        input=json.dumps(["".join(cell["source"]) for cell in CELLS]).encode(),
        capture_output=True,
        cwd=ROOT,
        env=os.environ | {"POLARS_TABLE_WIDTH": "100"},
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert json.loads(done.stdout) == [cell["outputs"] for cell in CELLS]


def test_it_is_a_notebook_that_was_run_from_the_top() -> None:
    assert (HELD["nbformat"], HELD["nbformat_minor"]) == (4, 5)
    assert [cell["execution_count"] for cell in CELLS] == list(range(1, len(CELLS) + 1))
    ids = [cell["id"] for cell in HELD["cells"]]
    assert len(set(ids)) == len(ids)
    assert HELD["cells"][0]["cell_type"] == "markdown"
