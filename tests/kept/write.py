"""
Writes what every later version must still read: once for a tag, and never again for that tag.

    python -m tests.kept.write tests/kept/0.1.0
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from palmares import regulations
from tests.packages import run
from tests.regulations import melting
from tests.structure.demo_journal import demo_journal
from tests.tournaments.draw.test_draw import ROLLED, knockout

_DIXIE = "dixie-32-2018-2018-05-27"
RECORDED: tuple[tuple[str, ...], ...] = (
    ("player", "merge", "P89", "P20", "--reason", "one person"),
    ("player", "split", "P51", "--tournament", _DIXIE, "--reason", "two persons"),
    ("player", "apart", "P1", "P2", "--reason", "father and son"),
    ("player", "edit", "P42", "--name", "Raj Jansari"),
    ("member", "add", "P20", "USBGF", "--from", "2019-01-01"),
    ("journal", "rate", "DKK", "2008-03-20", "0.134", "--source", "bank"),
    ("journal", "override", _DIXIE, "events", "--row", f"event_id={_DIXIE}/dixie-32-2018",
     "--set", "entrants=66", "--reason", "counted again"),
    ("journal", "withdraw", "nordic-open-2008-2008-04-20", "--reason", "never played"),
    ("journal", "undo", "160", "--reason", "wrong file"),
    ("journal", "erase", "P85", "--reason", "they asked"),
    ("add", "examples/backgammon/2019-merit-open.toml"),
    ("fund", "decide", "open/2019", "--grant", "--by", "President", "--reason", "Prime time",
     "--day", "2019-11-02"),
    ("fund", "donate", "180", "--source", "tip-jar", "--donor", "Nell Reed", "--tournament",
     "open/2019", "--day", "2019-11-16"),
    ("fund", "streamed", "open/2019", "2019-11-15", "P1", "P2"),
    ("fund", "pay", "open/2019", "streamer", "50", "--day", "2019-11-18"),
)  # fmt: skip
"""What is recorded on top of the season of the demonstration: one of each kind."""
OFFICER = ("--author", "Otto Lind", "--role", "officer", "--yes")
PUBLISHED = (("wbgf", "2019-12-31"), ("usbgf", "2019-12-31"))
DIPLOMACY = ("examples/diplomacy", "2004-12-31")


def written(folder: Path) -> None:
    """A journal with every command in it, three publications and a regulation of others."""
    folder.mkdir()
    journal = folder / "journal.db"
    with demo_journal() as made:
        shutil.copy(made / "federation.db", journal)
    for command in RECORDED:
        _run(*command, "--journal", journal, *OFFICER)
    _draw(folder, journal)
    for regulation, day in PUBLISHED:
        manifest = folder / f"{regulation}.manifest.json"
        _run(
            "publish",
            regulation,
            "--as-of",
            day,
            "--manifest",
            manifest,
            "--journal",
            journal,
            "--with-waiting-events",
            *OFFICER,
        )
    _run("journal", "export", folder / "journal.jsonl", "--journal", journal)
    reports, day = DIPLOMACY
    _run("convert", reports, folder / "facts")
    manifest = folder / "dptr.manifest.json"
    _run("publish", "dptr", folder / "facts", "--as-of", day, "--manifest", manifest)
    for beside in folder.glob("journal.db-*"):
        if not beside.name.endswith("-head"):
            beside.unlink()
    package = folder / "plug-in"
    package.mkdir()
    (package / "club_snow.py").write_text(melting.MODULE.lstrip())
    (package / "2020.toml").write_text(melting.SHEET.lstrip())
    (package / "names.txt").write_text("".join(f"{name}\n" for name in regulations.__all__))


def _draw(folder: Path, journal: Path) -> None:
    """Announce a draw and reveal its randomness: a die, thrown in a year that is far away."""
    announcement = knockout(5)
    announcement["randomness"] = [announcement["randomness"][0] | {"when": "2098-11-21T18:00:00Z"}]
    plan, revealed = folder / "plan.json", folder / "rolled.json"
    plan.write_text(json.dumps(announcement))
    revealed.write_text(json.dumps(ROLLED))
    _run("draw", "announce", plan, "-o", plan, "--journal", journal, *OFFICER[:-1])
    _run("draw", "run", plan, revealed, "--record", "--journal", journal, *OFFICER[:-1])
    plan.unlink()
    revealed.unlink()


def _run(*arguments: str | Path) -> None:
    result = run(*arguments)
    if result.exit_code:
        sys.exit(f"{arguments}\n{result.output}")


if __name__ == "__main__":
    written(Path(sys.argv[1]))
