"""publish, verify, publication: a list announced, held against the facts, and looked up again."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal, open_journal
from palmares.regulations.editions import editions, rules_directory
from tests.databases import CopyOf
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.lists.published import started
from tests.packages import error, rows, run
from tests.processes import on_terminal, plain

DAY = ("--as-of", "2019-11-15")
EXAMPLES = Path(__file__).parents[3] / "examples"
MANIFEST = Path("wbgf-2019-11-15.manifest.json")


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory to work in, and snapshots of the test's own."""
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PALMARES_AUTHOR", "Rita Officer")
    monkeypatch.delenv("PALMARES_JOURNAL", raising=False)
    return tmp_path / "desk"


@pytest.fixture
def url(copy_url: CopyOf) -> str:
    """A journal of four players and their tournament: entries 1 to 5."""
    return copy_url(started)


def recorded(url: str, *drafts: Any) -> None:
    """Something recorded since."""
    held: Journal = open_journal(url)
    held.record(drafts, OFFICER)
    held.close()


class TestFiles:
    @pytest.mark.parametrize(
        ("day", "words"),
        [
            ("1900-01-01", "The list is empty: no player has points that count in it."),
            (
                f"{(datetime.now(UTC) + timedelta(300)).date()}",
                "Its day has not come: what is reported until then is not in it.",
            ),
        ],
    )
    def test_an_odd_day_is_told(self, backgammon: Path, day: str, words: str) -> None:
        result = run("publish", "wbgf", backgammon, "--as-of", day)
        assert result.exit_code == 0
        assert words in result.stderr

    def test_a_day_that_cannot_be_meant_is_refused(self, backgammon: Path) -> None:
        result = run("publish", "wbgf", backgammon, "--as-of", "2199-12-31")
        assert result.exit_code == 1
        assert "2199-12-31 is more than a year away" in result.stderr
        assert not list(Path().glob("*.manifest.json"))

    def test_the_list_and_its_manifest(self, backgammon: Path) -> None:
        """First of four: 40 x 385/893 = 17.2452407614…"""
        result = run("publish", "wbgf", backgammon, *DAY, "--format", "json")
        assert result.exit_code == 0
        assert json.loads(result.stdout)[0]["points"] == 17.245240761
        assert result.stderr.endswith(f"{MANIFEST}: written.\n")
        found = json.loads(MANIFEST.read_text("utf-8"))
        assert found["entry"] is None
        assert found["publication"]["list"]["nanopoints"][0] == 17_245_240_761
        assert found["publication"]["head"] is None

    def test_it_verifies(self, backgammon: Path) -> None:
        run("publish", "wbgf", backgammon, *DAY)
        result = run("verify", MANIFEST, backgammon)
        assert result.exit_code == 0
        assert result.stdout.splitlines() == [
            "wbgf 2019-11-15: identical.",
            "Identical: manifest, facts, edition, code, edition file, reading, list.",
        ]

    def test_it_does_not(self, backgammon: Path) -> None:
        """Places 2 and 3 are shared now: (220 + 160) / 2 = 190 of 893 parts of 40."""
        run("publish", "wbgf", backgammon, *DAY)
        file = backgammon / "placings.csv"
        file.write_text(file.read_text().replace("E,c,3", "E,c,2").replace("E,d,3", "E,d,4"))
        result = run("verify", MANIFEST, backgammon)
        assert result.exit_code == 1
        lines = result.stdout.splitlines()
        assert lines[0] == "wbgf 2019-11-15: where it differs"
        cells = [line.split("  ") for line in lines if line.startswith("row")]
        told = [[one.strip() for one in line if one.strip()] for line in cells]
        half = "8.510638298 points"
        assert told == [
            ["row", "b Ben Ode", "rank 2, 9.854423292 points, DEU", f"rank 2, {half}, DEU"],
            ["row", "c Cy Pell", "rank 3, 6.450167973 points", f"rank 2, {half}"],
            ["row", "d Dee Rix", "rank 3, 6.450167973 points, DEU",
             "rank 4, 5.733482643 points, DEU"],
        ]  # fmt: skip
        assert lines[-1] == "Not identical: facts, list, row."

    def test_for_programs_every_part_is_there(self, backgammon: Path) -> None:
        run("publish", "wbgf", backgammon, *DAY)
        found = rows("verify", MANIFEST, backgammon)
        assert list(found[0]) == ["part", "name", "player", "identical", "published", "now"]
        assert {one["part"] for one in found} == {
            "manifest", "facts", "edition", "code", "edition file", "reading", "version", "list",
        }  # fmt: skip
        assert all(one["identical"] for one in found)

    def test_for_programs_a_player_has_his_id(self, backgammon: Path) -> None:
        run("publish", "wbgf", backgammon, *DAY)
        file = backgammon / "players.csv"
        file.write_text(file.read_text().replace("CZE", "USA"))
        result = run("verify", MANIFEST, backgammon, "--format", "json")
        assert result.exit_code == 1
        assert json.loads(result.stdout)[-1] == {
            "part": "row",
            "name": "a",
            "player": "Ada Novak",
            "identical": False,
            "published": "rank 1, 17.245240761 points, CZE",
            "now": "rank 1, 17.245240761 points, USA",
        }

    def test_another_version_is_told(self, backgammon: Path) -> None:
        run("publish", "wbgf", backgammon, *DAY)
        said = json.loads(MANIFEST.read_text("utf-8"))
        said["publication"]["palmares"] = "0.0.1"
        MANIFEST.write_text(json.dumps(said))
        result = run("verify", MANIFEST, backgammon)
        assert result.exit_code == 0
        assert result.stdout.splitlines()[1].startswith("Published with palmares 0.0.1; this is ")

    def test_other_facts_may_give_the_same_list(self, backgammon: Path) -> None:
        run("publish", "wbgf", backgammon, *DAY)
        file = backgammon / "tournaments.csv"
        file.write_text(file.read_text().replace("Prague Open", "Prague Cup"))
        result = run("verify", MANIFEST, backgammon)
        assert result.exit_code == 1
        assert result.stdout.splitlines()[-3:] == [
            "These are not the facts that it was made of; they give the same list.",
            "Identical: manifest, edition, code, edition file, reading, list.",
            "Not identical: facts.",
        ]

    def test_words_that_were_corrected(
        self, backgammon: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        run("publish", "wbgf", backgammon, *DAY)
        shutil.copytree(rules_directory(), tmp_path / "rules")
        monkeypatch.setenv("PALMARES_RULES", str(tmp_path / "rules"))
        sheet = tmp_path / "rules" / "wbgf" / "undated.toml"
        sheet.write_text(sheet.read_text("utf-8").replace("an erratum", "a slip"), "utf-8")
        editions.cache_clear()
        result = run("verify", MANIFEST, backgammon)
        editions.cache_clear()
        assert result.exit_code == 0
        assert result.stdout.splitlines() == [
            "wbgf 2019-11-15: identical.",
            "Other words, which compute nothing: edition file undated, reading undated W1.",
            "Identical: manifest, facts, edition, code, list.",
        ]

    def test_other_code_of_the_regulation(self, backgammon: Path) -> None:
        run("publish", "wbgf", backgammon, *DAY)
        said = json.loads(MANIFEST.read_text("utf-8"))
        said["publication"]["code"]["sha256"] = "0" * 64
        MANIFEST.write_text(json.dumps(said))
        result = run("verify", MANIFEST, backgammon)
        assert result.exit_code == 1
        assert result.stdout.splitlines()[-3:] == [
            "The code of the regulation is another one.",
            "Identical: manifest, facts, edition, edition file, reading, list.",
            "Not identical: code.",
        ]

    def test_a_choice_of_reading_is_made_again(self, backgammon: Path) -> None:
        run("publish", "wbgf", backgammon, "--as-of", "2020-03-01", "--reading", "W3=skip-29-feb")
        file = Path("wbgf-2020-03-01-W3-skip-29-feb.manifest.json")
        assert json.loads(file.read_text())["publication"]["readings"]["chosen"] == {
            "W3": "skip-29-feb"
        }
        assert run("verify", file, backgammon).exit_code == 0
        run("publish", "wbgf", backgammon, "--as-of", "2020-03-01", "--manifest", "plain.json")
        assert run("verify", "plain.json", backgammon).exit_code == 0
        lists = [
            json.loads(Path(one).read_text())["publication"]["list_sha256"]
            for one in (file, "plain.json")
        ]
        assert lists[0] != lists[1]

    def test_no_manifest_is_written_over(self, backgammon: Path) -> None:
        run("publish", "wbgf", backgammon, *DAY)
        assert run("publish", "wbgf", backgammon, *DAY).exit_code == 0  # it says the same
        before = MANIFEST.read_bytes()
        again = run("publish", "wbgf", backgammon, *DAY, "--note", "again", "-o", "list.csv")
        assert again.exit_code == 1
        assert "no manifest is written over" in again.stderr
        assert MANIFEST.read_bytes() == before
        assert not Path("list.csv").exists()

    def test_a_place_that_is_not_there(self, backgammon: Path) -> None:
        message = error("publish", "wbgf", backgammon, *DAY, "--manifest", "nowhere/list.json")
        assert "nowhere/list.json: there is no folder nowhere. Make it first" in message
        too_long = error("publish", "wbgf", backgammon, *DAY, "--manifest", "a" * 3000)
        assert "cannot be read (File name too long). Nothing was published." in too_long
        assert "cannot be written: File name too long." in error("convert", backgammon, "a" * 3000)

    def test_what_is_no_manifest(self, backgammon: Path) -> None:
        Path("list.json").write_text("[]")
        assert "list.json: this is no manifest" in error("verify", "list.json", backgammon)
        assert "cannot be read" in error("verify", "nothing.json", backgammon)
        assert run("verify", "list.json").exit_code == 2
        assert run("verify", "#5", backgammon).exit_code == 2


LISTS = [
    ("wbgf", "backgammon", "--by", "nation"),
    ("wbgf", "backgammon", "--nation", "CAN", "--as-of", "2005-12-31"),
    ("usbgf", "usbgf", "--setting", "live", "--kind", "placement"),
    ("usbgf", "usbgf", "--since", "2019-01-01", "--until", "2019-12-31", "--edition", "2019-01"),
    ("dptr", "diplomacy", "--reading", "D1=published-inputs"),
]


@pytest.mark.parametrize("asked", LISTS, ids=" ".join)
def test_any_list_verifies_from_a_package(asked: tuple[str, ...]) -> None:
    """Made from reports, held against the tables that they are converted to."""
    regulation, place, *more = asked
    examples = EXAMPLES / place
    given = run("publish", regulation, examples, "--as-of", "2019-12-31", *more, "--manifest", "m")
    assert given.exit_code == 0, given.output
    assert len(json.loads(Path("m").read_text())["publication"]["list"]["rank"]) > 0
    run("convert", examples, "package")
    assert run("verify", "m", "package").exit_code == 0


def test_a_list_verifies_without_a_bank() -> None:
    """From its facts alone: fees in dollars, on a machine that has no rates of the bank's."""
    examples = EXAMPLES / "backgammon"
    run("publish", "wbgf", examples, "--as-of", "2019-12-31", "--manifest", "m")
    run("convert", examples, "package")
    program = (
        "import sys; sys.modules['currency_converter'] = None\n"
        "from palmares.__main__ import main; main()"
    )
    done = [
        subprocess.run(
            [sys.executable, "-c", program, "verify", "m", str(place)],
            capture_output=True, text=True, check=False,
        )
        for place in ("package", examples)
    ]  # fmt: skip
    assert (done[0].returncode, done[0].stderr) == (0, "")
    assert done[1].returncode == 1
    assert "no exchange rate from USD to EUR on 2005-" in done[1].stderr


class TestJournal:
    def test_the_entry_and_its_manifest(self, url: str) -> None:
        result = run("publish", "wbgf", "--journal", url, *DAY, "--yes")
        assert result.exit_code == 0
        found = json.loads(MANIFEST.read_text("utf-8"))
        entry = found["entry"]
        assert (entry["sequence"], entry["subject"]) == (6, "wbgf 2019-11-15")
        assert (entry["author"], entry["role"]) == ("Rita Officer", "officer")
        assert result.stderr.splitlines()[-1] == (
            f"wbgf 2019-11-15: published as entry 6 ({entry['hash']})."
        )
        assert found["publication"]["head"]["sequence"] == 5
        assert found["publication"]["list"]["player_id"] == ["P1", "P2", "P3", "P4"]

    def test_it_verifies_whatever_is_recorded_since(self, url: str) -> None:
        run("publish", "wbgf", "--journal", url, *DAY, "--yes")
        recorded(url, say.withdrawal("T"), say.player("P1", "Eve"))
        for given in (MANIFEST, "#6"):
            result = run("verify", given, "--journal", url)
            assert result.exit_code == 0
            assert result.stdout.splitlines()[1] == (
                "Identical: manifest, entry, head, facts, edition, code, edition file, reading,"
                " list."
            )

    def test_a_manifest_that_was_changed(self, url: str) -> None:
        run("publish", "wbgf", "--journal", url, *DAY, "--yes")
        said = MANIFEST.read_text("utf-8")
        MANIFEST.write_text(said.replace('"rank":[1,2', '"rank":[1,1'), "utf-8")
        result = run("verify", MANIFEST, "--journal", url)
        assert result.exit_code == 1
        assert "The manifest was changed after it was written" in result.stdout
        assert result.stdout.splitlines()[-1] == "Not identical: manifest, list, row."

    def test_a_manifest_of_another_journal(self, url: str, tmp_path: Path) -> None:
        run("publish", "wbgf", "--journal", url, *DAY, "--yes")
        started(str(tmp_path / "other.db")).close()
        result = run("verify", MANIFEST, "--journal", tmp_path / "other.db")
        assert result.exit_code == 1
        assert result.stdout.splitlines()[-5:] == [
            "The journal does not have this list: it is another journal, or it was cut off.",
            "This is not the journal that the list was made from, or its past was changed.",
            "So the list was not made again.",
            "Identical: manifest.",
            "Not identical: entry, head.",
        ]

    def test_published_once(self, url: str) -> None:
        run("publish", "wbgf", "--journal", url, *DAY, "--yes")
        again = ("publish", "wbgf", "--journal", url, *DAY, "--yes")
        assert "is there already" in error(*again)
        result = run(*again, "--manifest", "again.json")
        assert "this list is published already, as entry 6." in result.stderr
        assert Path("again.json").read_bytes() == MANIFEST.read_bytes()
        assert len(rows("journal", "log", "--kind", "publication", "--journal", url)) == 1

    def test_what_was_known_then(self, url: str) -> None:
        recorded(url, say.withdrawal("T"))
        run("publish", "wbgf", "--journal", url, "--known-at", "#5", *DAY, "--yes")
        found = rows("publication", "show", 7, "--journal", url)
        assert [one["rank"] for one in found] == [1, 2, 3, 3]
        assert run("verify", "#7", "--journal", url).exit_code == 0

    def test_nobody_is_there_to_ask(self, url: str) -> None:
        message = error("publish", "wbgf", "--journal", url, *DAY)
        assert "Add --yes to go on." in message
        assert rows("journal", "log", "--kind", "publication", "--journal", url) == []
        assert not MANIFEST.exists()

    @pytest.mark.parametrize(("answer", "status", "lists"), [("y\n", 0, 1), ("n\n", 1, 0)])
    def test_somebody_is(self, url: str, answer: str, status: int, lists: int) -> None:
        command = ["-m", "palmares", "publish", "wbgf", "--journal", url, *DAY]
        done = on_terminal(command, press=answer, after="Publish it")
        assert done.status == status
        assert "wbgf 2019-11-15, made at entry 5. Publish it, for good?" in plain(done.text)
        assert len(rows("journal", "log", "--kind", "publication", "--journal", url)) == lists
        assert MANIFEST.exists() is bool(lists)


class TestPublications:
    def test_every_list(self, url: str) -> None:
        run("publish", "wbgf", "--journal", url, *DAY, "--yes")
        more = ("--by", "nation", "--note", "provisional", "--author", "Otto")
        run("publish", "wbgf", "--journal", url, *DAY, *more, "--yes")
        found = rows("journal", "log", "--kind", "publication", "--journal", url)
        assert [(one["sequence"], one["author"], one["subject"]) for one in found] == [
            (7, "Otto", "wbgf 2019-11-15 by nation"),
            (6, "Rita Officer", "wbgf 2019-11-15"),
        ]
        assert "provisional" in found[0]["what"]

    def test_one_as_it_was_published(self, url: str) -> None:
        run("publish", "wbgf", "--journal", url, *DAY, "--yes")
        recorded(url, say.withdrawal("T"), say.player("P1", "Ada Roe", "USA"))
        found = rows("publication", "show", 6, "--journal", url, "--top", 1)
        assert found == [
            {"rank": 1, "player_id": "P1", "player": "Ada Roe", "nation": "CZE",
             "points": 17.245240761}
        ]  # fmt: skip
        lines = run("publication", "show", 6, "--journal", url).stdout.splitlines()
        assert [one.split(",")[0] for one in lines[-3:]] == [
            "Published as entry 6 by Rita Officer",
            f"Its hash: {json.loads(MANIFEST.read_text())['entry']['hash']}.",
            f"Made at entry 5 ({json.loads(MANIFEST.read_text())['entry']['previous']}).",
        ]

    def test_nations(self, url: str) -> None:
        run("publish", "wbgf", "--journal", url, *DAY, "--by", "nation", "--yes")
        found = rows("publication", "show", 6, "--journal", url)
        assert [(one["nation"], one["players"]) for one in found] == [("CZE", 1), ("DEU", 2)]

    def test_its_manifest_once_more(self, url: str) -> None:
        run("publish", "wbgf", "--journal", url, *DAY, "--yes")
        run("publication", "manifest", 6, "--journal", url, "-o", "again.json")
        assert Path("again.json").read_bytes() == MANIFEST.read_bytes()
        assert run("publication", "manifest", 6, "--journal", url).stdout == MANIFEST.read_text()

    def test_a_statement_of_another_form(self, url: str) -> None:
        recorded(url, Draft(kind="publication", subject="wbgf 2019", body={"list": "P1, P2"}))
        for command in (("show", 6), ("manifest", 6)):
            message = error("publication", *command, "--journal", url)
            assert "Entry 6 is no publication that this palmares knows" in message

    def test_what_is_none(self, url: str) -> None:
        assert "There is no entry 9" in error("publication", "show", 9, "--journal", url)
        assert "is no publication" in error("publication", "manifest", 5, "--journal", url)
