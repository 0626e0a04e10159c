"""Files of every kind that is read, changed at random but always in the same way."""

from __future__ import annotations

import io
import random
import shutil
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import polars as pl
import xlsxwriter

from palmares.facts import check_facts, parse_cells
from palmares.formats import printed_lists, read_report
from palmares.formats.load import gathered
from palmares.journal import transfer
from palmares.journal.store.journal import open_journal
from palmares.journal.store.verify import verify
from palmares.journal.transfer import ExportFile
from palmares.lists.publication import manifests
from tests.cli.test_corrupted import SEASON
from tests.journal.filled import DIRECTOR, filled, report
from tests.packages import BACKGAMMON, run, write

EXAMPLES = Path(__file__).parents[2] / "examples"
WORDS = (
    "*", "^.*$", "a" * 5000, "9" * 4400, "1e999999999", "-1", "0", "NaN", "\x00", "\ufeff",
    "\u202e", "é", "💥", "[", "]" * 50, "{", '"', '"""', "'", "=1+1", ",", ";", "\t", "\r\n",
    "\n\n", ".", "a." * 300, "<", "&lt;", "<!DOCTYPE x>", "&a;", "%s", "{x}", "9999-99-99",
    "2019-02-30", "null", "true", "../../etc/passwd", "(CZE)", "3-4", "1=", "--",
    "$1,000,000,000,000", "(", ")", ":",
)  # fmt: skip
"""What stands in files of people who try."""
MOST = 200_000
"""Bytes that a file grows to."""

USEBIO = """<?xml version="1.0"?>
<USEBIO Version="1.2"><CLUB><CLUB_NAME>Water Birds</CLUB_NAME></CLUB>
<EVENT EVENT_TYPE="SWISS_TEAMS"><EVENT_DESCRIPTION>League</EVENT_DESCRIPTION>
<DATE>05/03/2024</DATE><MATCH_SCORING_METHOD>IMPS</MATCH_SCORING_METHOD>
<PARTICIPANTS><TEAM TEAM_ID="1" TEAM_NAME="Heron"/>
<TEAM TEAM_ID="2" TEAM_NAME="Coot"/></PARTICIPANTS>
<MATCH><ROUND_NUMBER>1</ROUND_NUMBER><TEAM>1</TEAM><OPPOSING_TEAM>2</OPPOSING_TEAM>
<START_BOARD_NUMBER>1</START_BOARD_NUMBER><END_BOARD_NUMBER>24</END_BOARD_NUMBER>
<TEAM_SCORE>40</TEAM_SCORE><OPPOSING_TEAM_SCORE>20</OPPOSING_TEAM_SCORE></MATCH>
</EVENT></USEBIO>
"""
BESIDE_A_WORKBOOK = """\
[tournament]
name = "Open"
end_date = 2019-01-01

[[event]]
name = "Main"

[event.main]
entrants = 4
placings_file = "open.xlsx"
"""
PRINTED = """\
Rank,Player,Nation,Points
1,Ada Novak,CZE,30.08
2,Ben Ode,GER,17.19
3,Cy Pell,,12.50
3,Dee Rix,GER,12.50
"""


# ── whole files ──────────────────────────────────────────────────────────────────────────────────


def seeds(folder: Path) -> Mapping[str, list[Path]]:
    """Whole files of every kind, in a folder that is theirs."""
    season = write(folder / "season", **SEASON)
    parquet = folder / "parquet"
    run("convert", season, parquet, "--format", "parquet")
    usebio, workbook, printed = (folder / one for one in ("league.xml", "open.xlsx", "printed.csv"))
    printed.write_text(PRINTED, encoding="utf-8")
    usebio.write_text(USEBIO, encoding="utf-8")
    workbook.write_bytes(_workbook())
    return {
        "report": [
            *sorted(EXAMPLES.rglob("*.toml")),
            *sorted(EXAMPLES.rglob("*.txt")),
            *sorted(EXAMPLES.rglob("*.csv")),
            usebio,
        ],
        "workbook": [workbook],
        "table": sorted(season.glob("*.csv")),
        "parquet": sorted(parquet.glob("*.parquet")),
        "list": [printed],
        **_of_a_journal(folder),
    }


def _workbook() -> bytes:
    content = io.BytesIO()
    with xlsxwriter.Workbook(content) as book:
        sheet = book.add_worksheet()
        for line, row in enumerate([("rank", "name", "nation"), (1, "Ada Novak", "CZE")]):
            sheet.write_row(line, 0, row)
    return content.getvalue()


def _of_a_journal(folder: Path) -> Mapping[str, list[Path]]:
    """A journal with a log beside it, its export, and a manifest of a list that it published."""
    journal, left = folder / "journal.db", folder / "left" / "journal.db"
    left.parent.mkdir()
    filled(str(journal)).close()
    held = open_journal(str(journal))
    held.record(report(3), DIRECTOR)
    for end in ("", "-wal", "-head"):
        shutil.copyfile(f"{journal}{end}", f"{left}{end}")
    export = folder / "export.jsonl"
    with held.reading() as reader:
        transfer.export(reader, export)
    held.close()
    package = write(folder / "published", **BACKGAMMON)
    published = folder / "list.json"
    made = run("publish", "wbgf", package, "--as-of", "2019-11-15", "--manifest", published)
    assert made.exit_code == 0, made.output
    return {
        "export": [export],
        "manifest": [published],
        "database": [left],
        "log": [Path(f"{left}-wal")],
        "head": [Path(f"{left}-head")],
    }


# ── changed files ────────────────────────────────────────────────────────────────────────────────


def mutated(content: bytes, chance: random.Random) -> bytes:
    """A file, changed in one to four places."""
    for _ in range(chance.randint(1, 4)):
        change = chance.choice(CHANGES)
        content = change(content, chance)[:MOST]
    return content


def _place(content: bytes, chance: random.Random) -> int:
    return chance.randrange(len(content) + 1)


def _flip(content: bytes, chance: random.Random) -> bytes:
    if not content:
        return b"\x00"
    at = chance.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << chance.randrange(8))]) + content[at + 1 :]


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: _place(content, chance)]


def _drop(content: bytes, chance: random.Random) -> bytes:
    at = _place(content, chance)
    return content[:at] + content[at + chance.randint(1, 60) :]


def _insert(content: bytes, chance: random.Random) -> bytes:
    at = _place(content, chance)
    return content[:at] + chance.choice(WORDS).encode() + content[at:]


def _overwrite(content: bytes, chance: random.Random) -> bytes:
    at, word = _place(content, chance), chance.choice(WORDS).encode()
    return content[:at] + word + content[at + len(word) :]


def _repeat(content: bytes, chance: random.Random) -> bytes:
    at = _place(content, chance)
    piece = content[at : at + chance.choice([1, 10, 100, 1000])]
    return content[:at] + piece * chance.choice([2, 3, 50]) + content[at:]


def _swap_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _other_encoding(content: bytes, chance: random.Random) -> bytes:
    text = content.decode("utf-8", errors="replace")
    return text.encode(chance.choice(["utf-16", "utf-32", "cp1252", "utf-8-sig"]), errors="replace")


Change = Callable[[bytes, random.Random], bytes]
CHANGES: tuple[Change, ...] = (
    _flip, _flip, _cut, _drop, _insert, _insert, _overwrite, _repeat, _swap_lines, _other_encoding
)  # fmt: skip


# ── read as commands do ──────────────────────────────────────────────────────────────────────────


def read(kind: str, seed: Path, content: bytes, folder: Path) -> None:
    """Read a changed file in the place of a whole one.

    Raises:
        PalmaresError: something is wrong with it; nothing else may be raised.
    """
    if kind == "report":
        (folder / seed.name).write_bytes(content)
        check_facts(parse_cells(read_report(folder / seed.name)))
    elif kind == "workbook":
        (folder / seed.name).write_bytes(content)
        (folder / "open.toml").write_text(BESIDE_A_WORKBOOK, encoding="utf-8")
        check_facts(parse_cells(read_report(folder / "open.toml")))
    elif kind in ("table", "parquet"):
        for one in seed.parent.iterdir():
            shutil.copyfile(one, folder / one.name)
        (folder / seed.name).write_bytes(content)
        gathered(folder)
    elif kind == "list":
        (folder / seed.name).write_bytes(content)
        printed_lists.read(folder / seed.name)
    elif kind == "export":
        (folder / seed.name).write_bytes(content)
        for _ in ExportFile(folder / seed.name).entries():
            pass
    elif kind == "manifest":
        (folder / seed.name).write_bytes(content)
        manifests.read_manifest(str(folder / seed.name))
    else:
        _journal(seed, content, folder)


def _journal(seed: Path, content: bytes, folder: Path) -> None:
    """Verify and read a journal of which one file is changed."""
    for one in seed.parent.iterdir():
        shutil.copyfile(one, folder / one.name)
    (folder / seed.name).write_bytes(content)
    journal = open_journal(str(folder / "journal.db"))
    with ExitStack() as stack:
        stack.callback(journal.close)
        with journal.reading() as reader:
            verify(reader)
        with journal.reading() as reader:
            pl.DataFrame({"hash": [one.hash for one in reader.entries()]})
