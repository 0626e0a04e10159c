"""Thirty seeded defects: does a test notice each? ``make defects``, or ``python -m tests.defects``.

Each is put into a copy of the source tree, and only the tests named beside it are run. The old
text must stand exactly once in ``src/palmares``, in whatever file: whoever changes such a line
changes it here, too. Exit status 1 if a defect is not noticed. Run it where ``make test`` passes.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = Path("src") / "palmares"
COPIED = ("src", "tests", "examples", "docs", "pyproject.toml", "README.md")
LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*")
FAILED = 1  # the exit status of pytest when a test failed, and nothing worse


class Defect(NamedTuple):
    """One line made wrong, and the tests of which one must fail."""

    room: str
    what: str
    right: str
    wrong: str
    tests: str  # files under tests/, separated by spaces


DEFECTS = (
    Defect(
        "core", "totals a tie apart rank apart",
        "return total - other > tie_margin(parts)",
        "return total - other >= margin(parts)",
        "core/test_rounding.py",
    ),
    Defect(
        "core", "a draft stays behind where the work fails",
        "                draft.unlink()",
        "                pass",
        "core/test_files.py",
    ),
    Defect(
        "facts", "a rank may be the last place of those before it",
        '(pl.col("rank") <= pl.col("until"))',
        '(pl.col("rank") < pl.col("until"))',
        "facts/checks/test_checks.py",
    ),
    Defect(
        "facts", "0 passes where a number is above 0",
        "(_beyond(values, 0, greatest) | (values == 0))",
        "_beyond(values, 0, greatest)",
        "facts/checks/test_checks.py facts/test_cells.py",
    ),
    Defect(
        "facts", "a rate of 7 days ago is too old",
        "if day - recorded_on <= timedelta(days=LOOK_BACK):",
        "if day - recorded_on < timedelta(days=LOOK_BACK):",
        "facts/test_rates.py",
    ),
    Defect(
        "formats", "3-4 is one player",
        "tied=str(last - first + 1), shared",
        "tied=str(last - first), shared",
        "formats/test_spellings.py formats/sheets/test_sheets.py",
    ),
    Defect(
        "formats", "boards 1 to 16 are 15",
        "int(ends[1]) - int(ends[0]) + 1",
        "int(ends[1]) - int(ends[0])",
        "formats/test_usebio.py",
    ),
    Defect(
        "formats", "two nations of one name pass",
        "if who.nation and nation and who.nation != nation:",
        "if who.nation and nation and who.nation == nation:",
        "facts/test_names.py formats/test_spellings.py",
    ),
    Defect(
        "regulations", "wbgf: rewards grow by the rank behind",
        "reward = (1 + constants.k / rank) * reward",
        "reward = (1 + constants.k / (rank + 1)) * reward",
        "regulations/test_wbgf.py",
    ),
    Defect(
        "regulations", "usbgf: ranked finishers are rounded down",
        "floor((2 * constants.ranked_share * players + 1) / 2)",
        "floor((2 * constants.ranked_share * players) / 2)",
        "regulations/test_usbgf_ranks.py regulations/test_usbgf_clauses.py",
    ),
    Defect(
        "regulations", "dptr: two rounds count as one",
        "constants.players_per_point_one_round if rounds == 1 else",
        "constants.players_per_point_one_round if rounds <= 2 else",
        "regulations/test_dptr.py",
    ),
    Defect(
        "regulations", "wbf-vp: nobody wins by the last entry of the table",
        "return cells[min(abs(margin), len(cells) - 1)]",
        "return cells[min(abs(margin), len(cells) - 2)]",
        "regulations/test_wbf_vp.py",
    ),
    Defect(
        "points", "many totals: a tie apart ranks apart",
        "np.flatnonzero(theirs[:-1] - theirs[1:] <= apart) + 1",
        "np.flatnonzero(theirs[:-1] - theirs[1:] < apart) + 1",
        "points/kernels/test_sums.py",
    ),
    Defect(
        "points", "many totals: half a nanopoint is rounded down",
        "(2 * (per_player - down * parts) >= parts)",
        "(2 * (per_player - down * parts) > parts)",
        "points/kernels/test_sums.py",
    ),
    Defect(
        "points", "lifetime points end with the window of a race",
        "replace(selection, since=None, until=None)",
        "replace(selection, since=None)",
        "points/test_master_points.py",
    ),
    Defect(
        "points", "the first day of a window does not count",
        'counts &= pl.col("effective") >= self.since',
        'counts &= pl.col("effective") > self.since',
        "cli/test_contract.py",
    ),
    Defect(
        "bridge", "a draw is lost, too",
        "lost=sum(margin < 0 for margin in margins)",
        "lost=sum(margin <= 0 for margin in margins)",
        "bridge/test_standings.py",
    ),
    Defect(
        "bridge", "teams still level do not start again",
        "again = at + 1 if reading == _CONTINUE else 0",
        "again = at + 1",
        "bridge/test_standings_ties.py",
    ),
    Defect(
        "journal", "two entries of one moment",
        "    if moment > before:",
        "    if moment >= before:",
        "journal/store/test_journal.py journal/store/test_entries.py",
    ),
    Defect(
        "journal", "the seal of a name can be guessed",
        "sha256(bytes.fromhex(salt) + record.encode())",
        "sha256(record.encode())",
        "journal/store/test_verify.py journal/store/test_journal.py "
        "journal/projection/test_bodies.py",
    ),
    Defect(
        "journal", "who was erased is shown",
        "if version.body.withheld or version.body.person in erased",
        "if version.body.withheld",
        "journal/projection/test_withheld.py",
    ),
    Defect(
        "journal", "an entry may follow another one",
        "elif link.previous != before.hash:",
        "elif link.previous == link.hash:",
        "journal/store/test_verify.py",
    ),
    Defect(
        "lists", "the hash of facts depends on their order",
        "lines = _lines(name, table).sort()",
        "lines = _lines(name, table)",
        "lists/publication/test_publication.py lists/publication/test_rules.py",
    ),
    Defect(
        "lists", "parts of a change add up to more",
        "(-(parts[key].weight % of), key))[:missing]:",
        "(-(parts[key].weight % of), key))[: missing + 1]:",
        "lists/diff/test_differences.py",
    ),
    Defect(
        "engines", "a shard that is just full is cut",
        "if shards and size + count > rows:",
        "if shards and size + count >= rows:",
        "engines/test_cuts.py",
    ),
    Defect(
        "engines", "rows that lead to no day are left out",
        "lost = count",
        "lost = 0",
        "engines/test_outofcore_wrong.py",
    ),
    Defect(
        "render", "a name is a formula in CSV",
        "return neutral(text) if isinstance(value, str) else text",
        "return text",
        "render/test_tables.py",
    ),
    Defect(
        "cli", "a list that differs ends with status 0",
        "    if not comparison.agrees:\n        raise click.exceptions.Exit(DIFFERENT)",
        "    if comparison.agrees is None:\n        raise click.exceptions.Exit(DIFFERENT)",
        "cli/lists/test_compare.py",
    ),
    Defect(
        "web", "directors may look at what waits for officers",
        '*_page("queued_report", "/officer/submissions/{number:int}", OFFICER,',
        '*_page("queued_report", "/officer/submissions/{number:int}", DIRECTOR,',
        "structure/test_structure.py",
    ),
    Defect(
        "web", "a token that has expired is good",
        "TOKENS.c.expires > now, ~ACCOUNTS.c.disabled)",
        "~ACCOUNTS.c.disabled)",
        "web/accounts/test_administrator.py",
    ),
)  # fmt: skip


def place_of(text: str, root: Path) -> Path:
    """The one file of the source in which a text stands once.

    Raises:
        SystemExit: it stands nowhere, or more than once.
    """
    found = [
        path
        for path in sorted((root / PACKAGE).rglob("*.py"))
        for _ in range(path.read_text(encoding="utf-8").count(text))
    ]
    if len(found) != 1:
        where = ", ".join(str(path.relative_to(root)) for path in found) or "nowhere"
        sys.exit(f"This stands {where}, and must stand once; change tests/defects.py:\n{text}")
    return found[0]


def asked(defect: Defect) -> list[str]:
    """The files of tests that a defect names.

    Raises:
        SystemExit: there is no such file.
    """
    paths = [f"tests/{name}" for name in defect.tests.split()]
    missing = [path for path in paths if not (ROOT / path).is_file()]
    if missing:
        sys.exit(f"There is no {', '.join(missing)}; change tests/defects.py.")
    return paths


def tested(root: Path, paths: list[str]) -> tuple[int, str]:
    """The exit status of tests on a copy, and the first that failed."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *paths]
    settings = {"PYTHONPATH": str(root / "src"), "PYTHONDONTWRITEBYTECODE": "1"}
    ended = subprocess.run(
        command, cwd=root, env=os.environ | settings, capture_output=True, text=True, check=False
    )
    said = [line for line in ended.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return ended.returncode, said[0][:150] if said else ended.stdout[-300:]


def tried(defect: Defect, root: Path) -> bool:
    """Whether a test notices a defect."""
    path = place_of(defect.right, root)
    text = path.read_text(encoding="utf-8")
    began = time.monotonic()
    path.write_text(text.replace(defect.right, defect.wrong), encoding="utf-8")
    try:
        status, said = tested(root, asked(defect))
    finally:
        path.write_text(text, encoding="utf-8")
    noticed = "noticed" if status == FAILED else "NOT NOTICED"
    seconds = f"{time.monotonic() - began:.0f} s"
    print(f"{defect.room}: {defect.what}: {noticed}, {seconds}\n    {said}", flush=True)
    return status == FAILED


def main(rooms: list[str]) -> int:
    """Try the defects of the rooms named, or all; 1 if one is not noticed."""
    chosen = [one for one in DEFECTS if not rooms or one.room in rooms]
    with TemporaryDirectory(prefix="palmares-defects-") as name:
        root = Path(name)
        for one in COPIED:
            source = ROOT / one
            if source.is_dir():
                shutil.copytree(source, root / one, ignore=LEFT_OUT)
            else:
                shutil.copy(source, root / one)
        for defect in chosen:
            asked(defect)
            place_of(defect.right, root)
        missed = [one for one in chosen if not tried(one, root)]
    print(f"\n{len(chosen) - len(missed)} of {len(chosen)} defects are noticed.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
