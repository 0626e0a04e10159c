"""Names that are withheld now are in no list of then, and what was published still verifies."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Sequence
from inspect import GEN_CLOSED, getgeneratorstate
from pathlib import Path
from typing import Any

import pytest

import palmares
from palmares.core.errors import PalmaresWarning
from palmares.facts import Facts
from palmares.journal.projection import project
from palmares.journal.projection.snapshots import SNAPSHOT_EVERY, load_projection
from palmares.journal.store.entries import Draft, Entry
from palmares.journal.store.journal import Journal, Reader, open_journal
from palmares.lists.publication import manifests
from palmares.points.award_table import people
from tests.databases import CopyOf
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.lists.published import DAY, POINTS, publish, started
from tests.packages import rows, run

THEN = "#5"
"""Four players and their tournament; nobody is withheld yet."""


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def journal(copy_url: CopyOf) -> Iterator[Journal]:
    """Four players and their tournament: entries 1 to 5."""
    found = open_journal(copy_url(started))
    yield found
    found.close()


def shown(journal: Journal, known_at: str = THEN) -> list[str]:
    """Everybody's name as it is shown of what was known then, by id."""
    found = people(load_projection(journal, known_at).facts)
    return [person.name for _, person in sorted(found.items())]


HIDE = say.player("P1", "Ada Novak", "CZE", withheld=True)
SHOW = say.player("P1", "Ada Novak", "CZE")

SINCE: dict[str, tuple[Sequence[Draft], str]] = {
    "nothing": ([], "Ada Novak"),
    "his own word": ([HIDE], "(withheld)"),
    "his own word, under another name": (
        [say.player("P1", "Ada Roe", withheld=True)],
        "(withheld)",
    ),
    "his own word, and then otherwise": ([HIDE, SHOW], "Ada Novak"),
    "his own word, undone": ([HIDE, say.undo(6)], "Ada Novak"),
    "the undo of it, undone": ([HIDE, say.undo(6), say.undo(7)], "(withheld)"),
    "the word of the record he is part of": (
        [say.merge("P1", "P2"), say.player("P2", "Ada Ode", "DEU", withheld=True)],
        "(withheld)",
    ),
    "the same, and parted again": (
        [say.merge("P1", "P2"), say.player("P2", "Ada Ode", "DEU", withheld=True), say.undo(6)],
        "Ada Novak",
    ),
    "his own word, before he became part of another": (
        [HIDE, say.merge("P1", "P2")],
        "(withheld)",
    ),
    "another name": ([say.player("P1", "Ada Roe", "CZE")], "Ada Novak"),
}


@pytest.mark.parametrize(("since", "name"), SINCE.values(), ids=list(SINCE))
def test_what_was_said_since_decides(journal: Journal, since: Sequence[Draft], name: str) -> None:
    journal.record(since, OFFICER)
    assert shown(journal)[0] == name
    assert shown(journal)[2:] == ["Dee Rix", "Cy Pell"]


def test_rows_are_closed_before_the_journal_where_it_is_interrupted(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal.record([HIDE], OFFICER)
    read, light = Reader.select, project._light
    opened: list[Generator[Entry, None, None]] = []

    def kept(reader: Reader, query: Any) -> Generator[Entry, None, None]:
        opened.append(read(reader, query))
        return opened[-1]

    def interrupted(entry: Entry) -> dict[str, Any]:
        if entry.sequence > 5:
            raise KeyboardInterrupt
        return light(entry)

    monkeypatch.setattr(Reader, "select", kept)
    monkeypatch.setattr(project, "_light", interrupted)
    with pytest.raises(KeyboardInterrupt):
        load_projection(journal, THEN)
    assert {getgeneratorstate(each) for each in opened} == {GEN_CLOSED}


def test_a_record_that_is_part_of_an_erased_one(journal: Journal) -> None:
    """What is shown of then is what is shown now: nobody's name."""
    journal.record([say.merge("P1", "P2")], OFFICER)
    seals = [one.body.person for one in load_projection(journal).state.group("players")["P2"]]
    body = {"reason": "asked", "persons": seals}
    with journal.writing(OFFICER) as writer:
        writer.extend([Draft(kind="erasure", subject="P2", body=body)])
        writer.erase(seals)
    assert shown(journal)[:2] == ["(withheld)", "(withheld)"]


def test_from_a_snapshot_of_then(journal: Journal) -> None:
    journal.record([say.player(f"Q{number:03}") for number in range(SNAPSHOT_EVERY)], OFFICER)
    then = f"#{SNAPSHOT_EVERY + 5}"
    assert shown(journal, then)[0] == "Ada Novak"
    journal.record([HIDE, say.report("U", {"P1": 1})], OFFICER)
    assert shown(journal, then)[0] == "(withheld)"


class TestEveryCommand:
    @pytest.fixture
    def url(self, journal: Journal) -> str:
        """P1 is withheld now (entry 6), and so is P3, of whom P4 is part (entries 7 and 8)."""
        journal.record([HIDE, say.player("P3", "Dee Rix", withheld=True)], OFFICER)
        journal.record([say.merge("P4", "P3"), say.membership("P2", "2019-01-01")], OFFICER)
        journal.record([say.membership("P1", "2019-01-01")], OFFICER)
        return journal.url

    COMMANDS = (
        ("rank", "wbgf"),
        ("rank", "wbgf", "--engine", "inprocess"),
        ("award", "wbgf"),
        ("explain", "wbgf", "--player", "P1"),
        ("history", "wbgf", "--player", "P1", "--since", "2019-11-01", "--until", "2019-11-30"),
        ("publish", "wbgf", "--yes"),
    )

    @pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
    def test_no_list_of_then_names_them(
        self, url: str, command: Sequence[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        day = () if command[0] in ("award", "history") else ("--as-of", str(DAY))
        asked = (*command, "--journal", url, "--known-at", THEN, *day, "--format", "json")
        result = run(*asked)
        assert result.exit_code == 0, result.output
        assert "P1" in result.stdout
        assert "(withheld)" in result.stdout
        for name in ("Ada Novak", "Dee Rix", "Cy Pell"):
            assert name not in result.output

    def test_members(self, url: str) -> None:
        """It is said of both today; entry 10 says it of P1."""
        found = rows("member", "list", "--journal", url, "--known-at", "#10")
        assert {one["player_id"]: one["player"] for one in found} == {
            "P1": "(withheld)",
            "P2": "Ben Ode",
        }

    def test_who_is_looked_for_by_that_name_is_not_found(self, url: str) -> None:
        asked = ("explain", "wbgf", "--journal", url, "--known-at", THEN, "--player", "Ada Novak")
        assert run(*asked).exit_code == 1

    def test_a_difference_is_told_without_the_name(self, url: str) -> None:
        """P4 has left the list, and is not shown by the name of then.

        P3 has the points of both, 2 x 6.45, and passes P2 with 9.85.
        """
        found = rows("diff", "wbgf", f"{DAY}@{THEN}", f"{DAY}", "--journal", url)
        assert [(one["player_id"], one["player"]) for one in found] == [
            ("P3", "(withheld)"),
            ("P2", "Ben Ode"),
            ("P4", "(withheld)"),
        ]

    def test_two_ends_of_the_past(self, url: str) -> None:
        text = run("diff", "wbgf", f"{DAY}@#4", f"{DAY}@{THEN}", "--journal", url).stdout
        assert "Ben Ode" in text
        assert "Ada Novak" not in text
        assert "Cy Pell" not in text

    def test_facts_in_python(self, url: str) -> None:
        facts: Facts = palmares.read_journal(url, known_at=THEN)
        with pytest.warns(PalmaresWarning, match="to qualify"):
            found = palmares.rank("wbgf", facts, as_of=DAY)
        assert sorted(found.select("player_id", "player").iter_rows()) == [
            ("P1", "(withheld)"),
            ("P2", "Ben Ode"),
            ("P3", "(withheld)"),
            ("P4", "(withheld)"),
        ]


class TestPublished:
    def test_it_verifies_and_names_nobody(self, journal: Journal) -> None:
        """The list stands as it was, with P4, who is part of P3 now."""
        given = publish(journal)
        journal.record([say.merge("P4", "P3"), say.player("P3", "Dee Rix", withheld=True)], OFFICER)
        with journal.reading() as reader:
            assert manifests.verify_in_journal(given, reader).identical
            found = manifests.list_with_names(given.publication, manifests.names_today(reader))
        assert list(found.select("player_id", "player", "nanopoints").iter_rows()) == [
            ("P1", "Ada Novak", POINTS["P1"]),
            ("P2", "Ben Ode", POINTS["P2"]),
            ("P3", "(withheld)", POINTS["P3"]),
            ("P4", "(withheld)", POINTS["P4"]),
        ]

    def test_what_was_known_then_is_published_alike(
        self, journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Names and whether they are shown decide no hash of it."""
        monkeypatch.chdir(tmp_path)
        before = publish(journal)
        journal.record([HIDE], OFFICER)
        asked = ("publish", "wbgf", "--journal", journal.url, "--known-at", THEN)
        result = run(*asked, "--as-of", str(DAY), "--yes", "--manifest", "again.json")
        assert "is published already, as entry 6." in result.stderr
        said = json.loads(Path("again.json").read_text("utf-8"))["publication"]
        assert said["facts_sha256"] == before.publication.facts_sha256
