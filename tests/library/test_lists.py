"""``palmares.publish``, ``verify``, ``diff``, ``compare``: what the commands do, as functions."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

import palmares
from palmares.core.errors import PalmaresWarning, Refused
from palmares.journal.store.journal import Journal, create_journal
from tests.databases import CopyOf
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.lists.differing import alone
from tests.lists.published import started
from tests.packages import rows, run

pytestmark = pytest.mark.filterwarnings("ignore::palmares.core.errors.PalmaresWarning")

DAY = date(2019, 11, 15)
DAY_10, DAY_15 = date(2019, 11, 25), date(2019, 11, 30)
RITA: dict[str, Any] = {"author": "Rita Officer"}


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty directory to work in, and snapshots of the test's own."""
    (tmp_path / "desk").mkdir()
    monkeypatch.chdir(tmp_path / "desk")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("PALMARES_JOURNAL", raising=False)


@pytest.fixture
def url(copy_url: CopyOf) -> str:
    """A journal of four players and their tournament: entries 1 to 5."""
    return copy_url(started)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    """Ada and Ben: Ada's 10.95 points (entry 3) become 21.90 (4), Ben has 10.95 (5)."""
    found = create_journal(str(tmp_path / "x.db"))
    found.record([say.player("P1", "Ada"), say.player("P2", "Ben"), alone("T")], OFFICER)
    found.record([alone("T", points="21.9"), alone("U", "P2")], OFFICER)
    yield found
    found.close()


class TestPublish:
    def test_from_files_as_the_command_does(self, backgammon: Path) -> None:
        found = palmares.publish("wbgf", palmares.read(backgammon), as_of=DAY)
        listed = rows("publish", "wbgf", backgammon, "--as-of", DAY)
        assert found.list.to_dicts() == listed
        assert (found.name, found.entry, found.new) == ("wbgf 2019-11-15", None, True)
        assert found.manifest == Path("wbgf-2019-11-15.manifest.json").read_bytes()

    def test_in_a_journal(self, url: str) -> None:
        """First of four: 40 x 385/893 = 17.2452407614…"""
        found = palmares.publish("wbgf", journal=url, as_of=DAY, note="provisional", **RITA)
        assert (found.entry, found.new) == (6, True)
        assert found.list["points"][0] == 17.245240761
        (held,) = rows("journal", "log", "--kind", "publication", "--journal", url)
        assert held["author"] == "Rita Officer"
        assert "provisional" in held["what"]
        again = palmares.publish("wbgf", journal=url, as_of=DAY, author="Otto")
        assert (again.entry, again.new, again.manifest) == (6, False, found.manifest)

    def test_what_was_known_then_by_nation(self, url: str) -> None:
        found = palmares.publish(
            "wbgf",
            journal=url,
            as_of=DAY,
            known_at="#4",
            by="nation",
            author="Otto",
            role="director",
        )
        assert found.list.is_empty()
        assert found.list.columns == ["rank", "nation", "points", "players"]
        entry = json.loads(found.manifest)["entry"]
        assert (entry["sequence"], entry["author"], entry["role"]) == (6, "Otto", "director")

    def test_what_a_person_should_know(self, backgammon: Path) -> None:
        facts = palmares.read(backgammon)
        facts.tables["events"].drop_in_place("national_championship")
        with pytest.warns(PalmaresWarning, match="to qualify") as caught:
            palmares.publish("wbgf", {**facts.tables}, as_of=DAY)
        assert {Path(one.filename).name for one in caught} == {Path(__file__).name}

    @pytest.mark.parametrize(
        ("given", "told"),
        [
            ({}, "Give facts or name a journal"),
            ({"facts": {}, "journal": "x.db"}, "Give facts or name a journal"),
            ({"journal": "x.db"}, "Say who publishes"),
            ({"facts": {}, "author": "Rita"}, "are for a journal"),
            ({"facts": {}, "known_at": "#4"}, "are for a journal"),
            ({"facts": {}, "as_of": "15.11.2019"}, "A day is a date"),
            ({"facts": {}, "by": "club"}, "club"),
            ({"facts": {}, "note": 5}, "note is a text, not 5"),
            ({"journal": Path("x.db"), "author": "Rita"}, "journal is a text, not "),
            ({"facts": {}, "as_of": "2199-12-31"}, "2199-12-31 is more than a year away"),
        ],
    )
    def test_what_is_refused(self, given: dict[str, Any], told: str) -> None:
        with pytest.raises(Refused, match=told):
            palmares.publish("wbgf", **given)


class TestVerify:
    def test_files(self, backgammon: Path) -> None:
        facts = palmares.read(backgammon)
        given = palmares.publish("wbgf", facts, as_of=DAY).manifest
        Path("list.json").write_bytes(given)
        for published in (given, "list.json", Path("list.json")):
            found = palmares.verify(published, facts)
            assert found.identical
            assert found.different() == []

    def test_where_it_differs(self, backgammon: Path) -> None:
        """Places 2 and 3 are shared now, and 4 is last: every player but the first has others."""
        given = palmares.publish("wbgf", palmares.read(backgammon), as_of=DAY).manifest
        file = backgammon / "placings.csv"
        file.write_text(file.read_text().replace("E,c,3", "E,c,2").replace("E,d,3", "E,d,4"))
        found = palmares.verify(given, palmares.read(backgammon))
        assert not found.identical
        assert found.different() == ["facts", "list", "row"]
        assert [one.player for one in found.parts if one.part == "row"] == [
            "Ben Ode", "Cy Pell", "Dee Rix",
        ]  # fmt: skip

    def test_in_a_journal(self, url: str) -> None:
        given = palmares.publish("wbgf", journal=url, as_of=DAY, **RITA)
        assert palmares.verify(6, journal=url).identical
        assert palmares.verify(given.manifest, journal=url).identical
        assert palmares.verify(given, journal=url).identical

    def test_what_is_refused(self, url: str) -> None:
        with pytest.raises(Refused, match="6 is an entry of a journal: name the journal"):
            palmares.verify(6, {})
        with pytest.raises(Refused, match="Entry 5 is no publication"):
            palmares.verify(5, journal=url)
        with pytest.raises(Refused, match="the manifest: this is no manifest"):
            palmares.verify(b"{}", {})
        with pytest.raises(Refused, match="cannot be read"):
            palmares.verify("none.json", {})


class TestDiff:
    def test_what_the_command_says(self, journal: Journal) -> None:
        """Ada: 21.90 for 10.95, then five days; Ben is new with 10.95, and loses 0.01 a day."""
        found = palmares.diff("wbgf", (DAY_10, "#3"), DAY_15, journal=journal.url)
        table = run(
            *("diff", "wbgf", f"{DAY_10}@#3", DAY_15, "--journal", journal.url, "--format", "csv")
        ).stdout
        printed = list(csv.DictReader(io.StringIO(table)))
        assert found.columns == list(printed[0])
        plain = [
            {key: "" if value is None else str(value) for key, value in row.items()}
            for row in found.to_dicts()
        ]
        assert plain == printed
        assert found.select("player", "change", "cause", "part", "entry").rows() == [
            ("Ada", 10.75, "correction", 10.85, 4),
            ("Ada", 10.75, "decay", -0.1, None),
            ("Ben", 10.8, "new result", 10.8, 5),
        ]

    def test_one_player(self, journal: Journal) -> None:
        found = palmares.diff("wbgf", DAY_10, DAY_15, journal=journal.url, player="Ben")
        assert found["player_id"].to_list() == ["P2"]
        assert palmares.diff("wbgf", DAY_10, DAY_10, journal=journal.url).is_empty()

    def test_two_days_of_files(self, backgammon: Path) -> None:
        facts = palmares.read(backgammon)
        found = palmares.diff("wbgf", date(2019, 11, 14), DAY, facts)
        assert set(found["cause"]) == {"new result"}
        assert found["change"].sum() == pytest.approx(40)  # all that the tournament gives

    def test_a_published_list(self, journal: Journal) -> None:
        palmares.publish("wbgf", journal=journal.url, as_of=DAY_10, **RITA)
        journal.record([say.withdrawal("U")], OFFICER)
        found = palmares.diff("wbgf", 6, DAY_10, journal=journal.url)
        assert found.select("player", "cause", "part").rows() == [("Ben", "withdrawal", -10.85)]

    def test_another_edition_for_the_second(self) -> None:
        examples = Path(__file__).parents[2] / "examples" / "usbgf"
        day = date(2019, 12, 31)
        found = palmares.diff(
            "usbgf", day, day, palmares.read(examples), edition_b="2015-05", player="Alan Grunwald"
        )
        assert found.select("cause", "part").rows() == [("edition", 1.92)]

    @pytest.mark.parametrize(
        ("ends", "more", "told"),
        [
            ((DAY, 6), {"facts": {}}, "are for a journal"),
            (((DAY, "#4"), DAY), {"facts": {}}, "are for a journal"),
            ((DAY, 6), {"journal": "j.db", "kind": "match"}, "An official list says itself"),
            ((DAY, "list.json"), {"facts": {}}, "A list is a day"),
            ((DAY, 2.5), {"facts": {}}, "A list is a day"),
            (((DAY, DAY, DAY), DAY), {"facts": {}}, "A list is a day"),
            ((DAY, DAY), {}, "Give facts or name a journal"),
        ],
    )
    def test_what_is_refused(self, ends: Any, more: dict[str, Any], told: str) -> None:
        with pytest.raises(Refused, match=told):
            palmares.diff("wbgf", *ends, **more)


class TestCompare:
    def test_what_the_command_says(self, backgammon: Path) -> None:
        """Second of four: 40 x 220/893 = 9.85; they print 9.84."""
        Path("theirs.csv").write_text("Rank,Name,Points\n1,Ada Novak,17.25\n2,Ben Ode,9.84\n")
        facts = palmares.read(backgammon)
        found = palmares.compare("wbgf", "theirs.csv", facts, as_of=DAY)
        command = ("compare", "wbgf", "theirs.csv", backgammon, "--as-of", DAY, "--all")
        result = run(*command, "--format", "json")
        assert not found.agrees
        assert found.published().to_dicts() == json.loads(result.stdout)
        assert found.published().select("player", "status", "difference").row(1) == (
            "Ben Ode", "differs", -0.014423292,
        )  # fmt: skip

    def test_a_list_that_is_ours(self, backgammon: Path) -> None:
        Path("theirs.csv").write_text("Rank;Name;Points\n1;Ada Novak;17,25\n", "utf-8")
        facts = palmares.read(backgammon)
        assert palmares.compare(
            "wbgf", Path("theirs.csv"), facts, as_of=DAY, decimal="comma"
        ).agrees


def test_what_is_no_text_is_refused() -> None:
    def refuse(told: str, call: Callable[[], object]) -> None:
        with pytest.raises(Refused, match=told):
            call()

    number: Any = 5
    refuse(
        "A player is an id or a name, not 5",
        lambda: palmares.diff("wbgf", DAY, DAY, {}, player=number),
    )
    refuse("journal is a text, not 5", lambda: palmares.diff("wbgf", DAY, DAY, journal=number))
    refuse("journal is a text, not 5", lambda: palmares.verify("x.json", journal=number))
    refuse("encoding is a text", lambda: palmares.compare("wbgf", "x.csv", {}, encoding=number))
    refuse("point", lambda: palmares.compare("wbgf", "x.csv", {}, decimal="dot"))
    refuse("An encoding is a text", lambda: palmares.read("x.csv", encoding=number))
    refuse("memory", lambda: palmares.engine("duckdb", "x", memory=number).__enter__())
    refuse("name is a text", lambda: palmares.engine([number], "x").__enter__())  # type: ignore[arg-type]
