"""
Files of every kind, changed at random: read, or refused with a plain error, in little memory.

As many of each kind as `tests.amounts` says: `make torture` tries a thousand. What they found
lies in tests/data/mutated, named by kind and by the whole file it was made of.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from tempfile import mkdtemp

import pytest

from palmares.core.errors import PalmaresError, PalmaresWarning
from tests.amounts import amount
from tests.formats.mutations import mutated, read, seeds

MUTATIONS = amount(1_000)
SEED = os.environ.get("PALMARES_SEED", "palmares")
MOST_MEMORY = 1_000  # MiB more than before, whatever the process reads
FOUND = Path(__file__).parents[1] / "data" / "mutated"
IN_PROCESS = (
    "report", "table", "list", "export", "manifest", "database", "log", "head", "workbook"
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    return dict(seeds(tmp_path_factory.mktemp("seeds")))


def outcome(kind: str, seed: Path, content: bytes) -> bool:
    """Whether a file is read; any error but a plain one is raised, and the file is kept."""
    folder = Path(mkdtemp(prefix="palmares-mutated-"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PalmaresWarning)
            read(kind, seed, content, folder)
    except PalmaresError as error:
        assert str(error)  # noqa: PT017  any plain error will do
        return False
    finally:
        shutil.rmtree(folder)
    return True


def tried(kind: str, files: list[Path], count: int, first: int = 0) -> int:
    """How many changed files of a kind are read all the same."""
    taken = 0
    for number in range(first, count):
        chance = random.Random(f"{SEED} {kind} {number}")  # noqa: S311
        seed = chance.choice(files)
        content = mutated(seed.read_bytes(), chance)
        try:
            taken += outcome(kind, seed, content)
        except BaseException as error:
            error.add_note(f"{kind} {number} of {SEED}: {seed.name}")
            raise
    return taken


@pytest.mark.parametrize("kind", IN_PROCESS)
def test_whole_ones_are_read(whole: dict[str, list[Path]], kind: str) -> None:
    """Some: a sheet alone, for instance, does not say its tournament."""
    assert any(outcome(kind, one, one.read_bytes()) for one in whole[kind])


def mebibytes(what: str) -> int:
    """The memory of this process, as the kernel counts it."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(one.split()[1]) // 1024 for one in lines if one.startswith(f"{what}:"))


@pytest.mark.parametrize("kind", IN_PROCESS)
def test_changed_ones_are_read_or_refused(whole: dict[str, list[Path]], kind: str) -> None:
    count = MUTATIONS // 10 if kind == "workbook" else MUTATIONS
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted anew: VmHWM is VmRSS
    before = mebibytes("VmRSS")
    tried(kind, whole[kind], count)
    assert mebibytes("VmHWM") - before < MOST_MEMORY


CHILD = """\
import sys
from pathlib import Path
from tests.formats.test_mutated_files import tried
files = [Path(one) for one in sys.argv[3:]]
for number in range(int(sys.argv[1]), int(sys.argv[2])):
    print(number, flush=True)
    tried("parquet", files, number + 1, number)
"""


def test_changed_parquet_is_read_or_refused(whole: dict[str, list[Path]]) -> None:
    """
    In a process of its own: of some damage Polars asks for 2 EB, and no program outlives that.

    Rust then says so on stderr; no other end is taken.
    """
    first = 0
    while first < MUTATIONS:
        done = subprocess.run(
            [sys.executable, "-c", CHILD, str(first), str(MUTATIONS), *map(str, whole["parquet"])],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[2],
        )
        if done.returncode == 0:
            break
        assert "memory allocation of 2305843009213693" in done.stderr, done.stderr
        first = int(done.stdout.split()[-1]) + 1


@pytest.mark.parametrize("found", sorted(FOUND.iterdir()), ids=lambda one: one.name)
def test_what_was_found_before(whole: dict[str, list[Path]], found: Path) -> None:
    """``report+open.toml+1``: a kind, the file it was made of, a number."""
    kind, name, _ = found.name.split("+")
    seed = next(one for one in whole[kind] if one.name == name)
    outcome(kind, seed, found.read_bytes())
