"""An official list: what it says, what its hashes are of, and that nothing changes it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.core.errors import Refused
from palmares.core.rounding import to_nanopoints
from palmares.facts import Facts, write_package
from palmares.facts.frames import from_frames
from palmares.facts.schema import TABLES
from palmares.formats.load import gathered, read
from palmares.journal.commands.transaction import record_entries
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal, create_journal, open_journal
from palmares.lists.publication import (
    NOT_HASHED,
    announces_same,
    hash_facts,
    hash_table,
    make_publication,
    publish_list,
)
from palmares.lists.publication.manifests import (
    list_with_names,
    manifest_of_entry,
    names_today,
)
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.regulations.editions import rules_directory
from tests.amounts import amount
from tests.databases import CopyOf
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.lists.published import DAY, POINTS, list_of, publish, started
from tests.season import season, shuffled, written


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


def digest(value: Any) -> str:
    """What anybody forms: the sha256 of canonical JSON."""
    return hashlib.sha256(rfc8785.dumps(value)).hexdigest()


def table_digest(name: str, table: pl.DataFrame) -> str:
    """The same of a table, cell by cell: lines sorted, without names and empty cells."""
    lines = []
    for row in table.select(list(TABLES[name])).iter_rows(named=True):
        cells = {
            key: f"{value.normalize():f}" if isinstance(value, Decimal) else value
            for key, value in row.items()
            if value is not None and key not in NOT_HASHED.get(name, ())
        }
        cells = {key: str(one) if isinstance(one, date) else one for key, one in cells.items()}
        lines.append(rfc8785.dumps(cells) + b"\n")
    return hashlib.sha256(b"".join(sorted(lines))).hexdigest()


class TestStatement:
    def test_the_list_is_ids_ranks_nations_and_nanopoints(self, journal: Journal) -> None:
        body = msgspec.to_builtins(publish(journal).publication)
        assert body["list"] == {
            "rank": [1, 2, 3, 3],
            "player_id": ["P1", "P2", "P3", "P4"],  # the tie by id: names decide nothing
            "nation": ["CZE", "DEU", None, "DEU"],
            "nanopoints": list(POINTS.values()),
        }

    def test_the_hashes_are_of_canonical_json(self, journal: Journal) -> None:
        body = msgspec.to_builtins(publish(journal).publication)
        assert body["list_sha256"] == digest(body["list"])
        assert body["facts_sha256"] == digest(body["facts"])
        tables = load_projection(journal).tables
        assert body["facts"] == {
            name: {"rows": tables[name].height, "sha256": table_digest(name, tables[name])}
            for name in ("events", "placings", "players", "tournaments")
        }

    def test_the_sheet_and_its_readings(self, journal: Journal) -> None:
        body = msgspec.to_builtins(publish(journal).publication)
        sheet = (rules_directory() / "wbgf" / "undated.toml").read_bytes()
        assert body["editions"]["undated"]["sha256"] == hashlib.sha256(sheet).hexdigest()
        code = body["code"]
        assert (code["package"], code["version"]) == ("palmares", version("palmares"))
        said = {
            "id": "W3",
            "clause": "days-left",
            "silent": "What 'Leap days are ignored' does to the age.",
            "we": "count plain days and divide by 1095",
            "since": "three years without leap days are 1095 days",
            "options": {"skip-29-feb": "29 February is not counted in the age"},
        }
        assert body["readings"]["in_force"]["undated"]["W3"] == digest(said)
        assert body["readings"]["chosen"] == {}

    def test_it_says_what_was_asked_and_what_was_known(self, journal: Journal) -> None:
        head = journal.head()
        body = msgspec.to_builtins(publish(journal, by="nation", note="final").publication)
        assert body["head"] == {"sequence": 5, "hash": head.hash}
        assert body["selection"] == {
            "as_of": "2019-11-15", "since": None, "until": None, "setting": None, "kind": "total",
            "nation": None, "by": "nation",
        }  # fmt: skip
        assert body["note"] == "final"
        assert body["list"]["nation"] == ["CZE", "DEU"]
        assert body["list"]["players"] == [1, 2]
        assert body["list"]["nanopoints"] == [POINTS["P1"], POINTS["P2"] + POINTS["P4"]]

    def test_no_name_is_in_it(self, journal: Journal) -> None:
        entry = publish(journal).entry
        assert entry is not None
        with journal.reading() as reader:
            body = reader.entry(entry.sequence).body
        assert [one for one in ("Novak", "Ode", "Pell", "Rix") if one in body] == []

    @pytest.mark.parametrize(
        ("more", "name"),
        [
            ({}, "wbgf 2019-11-15"),
            ({"since": date(2019, 1, 1)}, "wbgf 2019-11-15 since 2019-01-01"),
            ({"until": DAY, "setting": "live"}, "wbgf 2019-11-15 until 2019-11-15 live"),
            ({"nation": "DEU", "kind": "performance"}, "wbgf 2019-11-15 performance of DEU"),
        ],
    )
    def test_each_list_of_a_day_has_a_name(self, more: Any, name: str) -> None:
        asked = Question(regulation="wbgf")
        assert (
            make_publication(asked, Facts(), Selection(as_of=DAY, **more)).publication.name == name
        )

    def test_only_the_editions_that_can_speak(self) -> None:
        """The usbgf text of 2019 is not in force on the last day of 2018."""
        asked = Question(regulation="usbgf")
        for day, editions in (("2018-12-31", ["2015-05"]), ("2019-01-01", ["2015-05", "2019-01"])):
            found = make_publication(
                asked, Facts(), Selection(as_of=date.fromisoformat(day))
            ).publication
            assert list(found.editions) == editions
        forced = Question(regulation="usbgf", edition="2019-01")
        assert list(
            make_publication(forced, Facts(), Selection(as_of=DAY)).publication.editions
        ) == ["2019-01"]


class TestRecording:
    def test_the_same_list_is_published_once(self, journal: Journal) -> None:
        publish(journal)
        assert (
            record_entries(journal, OFFICER, publish_list(list_of(journal).publication)).entries
            == ()
        )

    def test_another_list_of_the_day_is_another_publication(self, journal: Journal) -> None:
        publish(journal)
        journal.record([say.override("T", entry_fee="200")], OFFICER)
        second = publish(journal).publication
        doubled = (to_nanopoints(80 * Fraction(one, 893)) for one in (385, 220, 144, 144))
        assert second.rows.nanopoints == list(doubled)
        journal.record([say.undo(7)], OFFICER)
        third = publish(journal)
        with journal.reading() as reader:
            found = list(reader.of_kinds(["publication"]))
            first = manifest_of_entry(reader.entry(6)).publication
        assert [one.sequence for one in found] == [6, 8, 10]
        assert {one.subject for one in found} == {"wbgf 2019-11-15"}
        assert announces_same(first, third.publication)

    def test_a_list_of_another_journal(self, journal: Journal, tmp_path: Path) -> None:
        other = started(str(tmp_path / "other.db"))
        with pytest.raises(Refused, match="Entry 5 of this journal is not the one"):
            record_entries(journal, OFFICER, publish_list(list_of(other).publication))
        other.close()

    def test_a_list_of_files(self, journal: Journal) -> None:
        found = make_publication(
            Question(regulation="wbgf"), load_projection(journal).facts, Selection(as_of=DAY)
        )
        with pytest.raises(Refused, match="without a journal"):
            record_entries(journal, OFFICER, publish_list(found.publication))

    def test_a_list_of_nothing(self, tmp_path: Path) -> None:
        journal = create_journal(str(tmp_path / "empty.db"))
        found = publish(journal).publication
        assert found.head is not None
        assert (found.head.sequence, found.rows.rank) == (0, [])
        journal.close()

    def test_an_entry_that_is_no_publication(self, journal: Journal) -> None:
        with journal.reading() as reader, pytest.raises(Refused, match="it is of the kind report"):
            manifest_of_entry(reader.entry(5))


class TestNames:
    def test_a_list_has_the_names_of_today(self, journal: Journal) -> None:
        found = publish(journal).publication
        journal.record([say.merge("P2", "P1"), say.player("P3", "Dee Roe")], OFFICER)
        with journal.reading() as reader:
            frame = list_with_names(found, names_today(reader))
        assert frame["player"].to_list() == ["Ada Novak", "Ben Ode", "Dee Roe", "Cy Pell"]
        assert frame["nanopoints"].to_list() == list(POINTS.values())

    def test_an_erased_name_is_withheld(self, journal: Journal) -> None:
        found = publish(journal).publication
        erase(journal, "P2")
        with journal.reading() as reader:
            assert list_with_names(found, names_today(reader)).row(1)[:4] == (
                2,
                "P2",
                "(withheld)",
                "DEU",
            )

    def test_a_name_withheld_since(self, journal: Journal) -> None:
        found = publish(journal).publication
        draft = say.player("P1", "Ada Novak", "CZE")
        draft.body["withheld"] = True
        journal.record([draft, say.undo(4)], OFFICER)
        with journal.reading() as reader:
            shown = list_with_names(found, names_today(reader))["player"].to_list()
        assert shown == ["(withheld)", "Ben Ode", "Dee Rix", "(withheld)"]


def erase(journal: Journal, player: str) -> None:
    """Throw a player's name away."""
    from palmares.journal.store.entries import Draft

    commitment = load_projection(journal).state.group("players")[player][-1].body.person
    with journal.writing(OFFICER) as writer:
        body = {"reason": "asked for it", "persons": [commitment]}
        writer.extend([Draft(kind="erasure", subject=player, body=body)])
        writer.erase([commitment])


# ── hashes of facts ──────────────────────────────────────────────────────────────────────────────


@settings(max_examples=amount(500))
@given(st.integers(0, 1000), st.integers(0, 1000))
def test_the_order_of_rows_changes_no_hash(number: int, order: int) -> None:
    tables = season(number, 3)
    frames = {name: pl.DataFrame(rows[1:], rows[0], orient="row") for name, rows in tables.items()}
    mixed = {
        name: pl.DataFrame(rows[1:], rows[0], orient="row")
        for name, rows in shuffled(tables, order).items()
    }
    facts = from_frames(frames)
    assert hash_facts(facts) == hash_facts(from_frames(mixed))
    for name, found in hash_facts(facts).items():
        assert found.sha256 == table_digest(name, facts[name])


TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


@given(st.lists(st.tuples(TEXT, TEXT | st.none()), min_size=1, max_size=5))
def test_any_text_is_hashed_as_canonical_json(cells: list[tuple[str, str | None]]) -> None:
    table = pl.DataFrame(cells, {"event_id": pl.String, "team": pl.String}, orient="row")
    whole = table.with_columns(
        pl.lit(None).cast(one.type).alias(name)
        for name, one in TABLES["teams"].items()
        if name not in table.columns
    )
    assert hash_table("teams", whole).sha256 == table_digest("teams", whole)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_journal_and_its_package_have_one_hash(
    journal: Journal, tmp_path: Path, kind: Any
) -> None:
    journal.record([say.rate("USD", "2019-11-15", "0.91"), say.membership("P1", "2014-01-01")],
                   OFFICER)  # fmt: skip
    facts = load_projection(journal).facts
    write_package(facts, tmp_path / "package", format=kind)
    assert hash_facts(read(tmp_path / "package")) == hash_facts(facts)


@pytest.mark.parametrize("number", range(3))
def test_a_package_in_both_formats_has_one_hash(tmp_path: Path, number: int) -> None:
    facts = read(written(season(number), tmp_path / "csv"))
    write_package(facts, tmp_path / "parquet", format="parquet")
    assert hash_facts(read(tmp_path / "parquet")) == hash_facts(facts)


def test_reports_and_their_package_have_one_hash(tmp_path: Path) -> None:
    facts = gathered("examples/backgammon", "examples/usbgf", "examples/bridge")
    write_package(facts, tmp_path / "package")
    assert hash_facts(gathered(tmp_path / "package")) == hash_facts(facts)
