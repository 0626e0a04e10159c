"""Verifying an official list: identical whatever was recorded since, and where it is not."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.core.rounding import exact_text, to_nanopoints
from palmares.facts import write_package
from palmares.formats.load import gathered
from palmares.journal.commands.transaction import record_entries
from palmares.journal.projection.project import Projection
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import ENTRIES, Journal, Reader, create_journal, open_journal
from palmares.lists.publication import publish_list
from palmares.lists.publication.manifests import (
    Manifest,
    Verification,
    list_with_names,
    manifest_of_entry,
    manifest_text,
    names_today,
    parse_manifest,
    verify_in_journal,
    verify_with_facts,
)
from palmares.regulations.editions import editions, rules_directory
from tests.amounts import amount
from tests.databases import CopyOf
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.journal.tampering import tampered
from tests.lists.published import POINTS, list_of, publish, started

ALL = ["manifest", "entry", "head", "facts", "edition", "code", "edition file", "reading",
       "version", "list"]  # fmt: skip


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


def verified(published: Manifest, journal: Journal) -> Verification:
    """What a journal says of a list."""
    with journal.reading() as reader:
        return verify_in_journal(published, reader)


def differ(found: Verification, part: str) -> list[tuple[str, str, str]]:
    """What differs of a part: which, as published, as it is now."""
    assert not found.identical
    return [
        (f"{one.name} {one.player}".rstrip(), one.published, one.now)
        for one in found.parts
        if one.part == part and not one.identical
    ]


def as_file(published: Manifest) -> Manifest:
    """A manifest written and read again."""
    return parse_manifest(manifest_text(published).encode(), "list.json")


def changed(published: Manifest, **more: Any) -> Manifest:
    """A manifest in which somebody changed something of the statement."""
    values = msgspec.to_builtins(published)
    values["publication"].update(more)
    return msgspec.convert(values, Manifest)


# ── whatever was recorded since ──────────────────────────────────────────────────────────────────


def test_every_part_is_compared(journal: Journal) -> None:
    found = verified(as_file(publish(journal)), journal)
    assert list(dict.fromkeys(one.part for one in found.parts)) == ALL
    assert [one for one in found.parts if not one.identical] == []
    assert found.identical


def test_a_list_stays_what_it_was(journal: Journal) -> None:
    """A correction, a merge, a withdrawal, an erasure, a name said anew, and an undo."""
    published = publish(journal)
    stated = [say.report("T", {"P2": 1}), say.merge("P4", "P3"), say.player("P1", "Eve", "USA")]
    journal.record([*stated, say.withdrawal("T"), say.undo(4), say.undo(10)], OFFICER)
    erase(journal, "P2")
    assert verified(published, journal).identical
    with journal.reading() as reader:
        assert manifest_of_entry(reader.entry(6)) == published
    assert list_of(journal).publication.rows.rank == [1]


def test_a_list_of_nothing(tmp_path: Path) -> None:
    """Before the first entry there is a list, too: an empty one."""
    journal = create_journal(str(tmp_path / "empty.db"))
    published = publish(journal)
    journal.record([say.player("P1")], OFFICER)
    assert verified(published, journal).identical
    journal.close()


def test_nothing_is_taken_from_snapshots(journal: Journal, monkeypatch: Any) -> None:
    """They may be wrong, or gone."""
    from palmares.journal.projection import snapshots

    published = publish(journal)
    monkeypatch.setattr(snapshots, "SNAPSHOT_EVERY", 0)
    load_projection(journal)
    with journal.reading() as reader:
        place = snapshots.snapshot_folder(reader)
    right = load_projection(journal)
    shutil.rmtree(place)
    ranks = right.tables["placings"].with_columns(rank=pl.lit(7, pl.Int64))
    snapshots._write(Projection(right.state, {**right.tables, "placings": ranks}), place)
    assert set(load_projection(journal).tables["placings"]["rank"]) == {7}
    assert verified(published, journal).identical


def erase(journal: Journal, player: str) -> None:
    """Throw a player's names away."""
    said = load_projection(journal).state.group("players")[player]
    commitments = [one.body.person for one in said]
    with journal.writing(OFFICER) as writer:
        body = {"reason": "asked for it", "persons": commitments}
        writer.extend([Draft(kind="erasure", subject=player, body=body)])
        writer.erase(commitments)


_ids, _places = st.sampled_from(list(POINTS)), st.sampled_from(["T", "U"])
SINCE = st.lists(
    st.one_of(
        st.builds(say.report, _places, st.dictionaries(_ids, st.integers(1, 3), min_size=1)),
        st.builds(say.withdrawal, _places),
        st.builds(say.override, _places, entry_fee=st.sampled_from(["1", "2.5"])),
        st.builds(say.instead, _places, _ids, _ids),
        st.builds(say.merge, st.sampled_from(["P3", "P4"]), st.sampled_from(["P1", "P2"])),
        st.builds(say.player, _ids, st.sampled_from(["Eve", "Flo"]), st.sampled_from(["USA"])),
        st.builds(say.rate, st.just("USD"), st.just("2019-11-15"), st.just("0.5")),
        st.integers(1, 20),
        _ids,
    ),
    max_size=12,
)


@settings(max_examples=amount(1_000))
@given(SINCE)
def test_whatever_is_recorded_the_list_is_identical(stated: list[Draft | int | str]) -> None:
    """A number is an entry undone, an id a name erased."""
    with tempfile.TemporaryDirectory() as folder:
        journal = started(f"{folder}/journal.db")
        published = publish(journal)
        for one in stated:
            if isinstance(one, str):
                erase(journal, one)
            elif isinstance(one, Draft):
                journal.record([one], OFFICER)
            elif one != 6:  # a publication cannot be undone
                journal.record([say.undo(min(one, journal.head().sequence))], OFFICER)
        assert verified(published, journal).identical
        with journal.reading() as reader:
            assert manifest_of_entry(reader.entry(6)) == published
            frame = list_with_names(published.publication, names_today(reader))
        assert dict(frame.select("player_id", "nanopoints").iter_rows()) == POINTS
        journal.close()


# ── where it is not ──────────────────────────────────────────────────────────────────────────────


class TestManifest:
    def test_a_list_that_was_changed(self, journal: Journal) -> None:
        """P2 would like to have won."""
        published = publish(journal)
        rows = msgspec.to_builtins(published.publication.rows)
        rows["rank"][:2] = [2, 1]
        found = verified(changed(published, list=rows), journal)
        assert [of for of, _, _ in differ(found, "manifest")] == ["list", "entry"]
        points = {one: exact_text(POINTS[one]) for one in ("P1", "P2")}
        assert differ(found, "row") == [
            ("P1 Ada Novak", *(f"rank {n}, {points['P1']} points, CZE" for n in (2, 1))),
            ("P2 Ben Ode", *(f"rank {n}, {points['P2']} points, DEU" for n in (1, 2))),
        ]

    def test_a_list_that_was_changed_with_its_hash(self, journal: Journal) -> None:
        """The hash of the entry gives it away."""
        published = publish(journal)
        journal.record([say.report("T", {"P2": 1, "P1": 2, "P3": 3, "P4": 3})], OFFICER)
        other = list_of(journal).publication
        swapped = changed(
            published,
            list=msgspec.to_builtins(other.rows),
            list_sha256=other.list_sha256,
        )
        found = verified(swapped, journal)
        assert [of for of, _, _ in differ(found, "manifest")] == ["entry"]
        assert found.different() == ["manifest", "list", "row"]

    def test_hashes_of_facts_that_were_changed(self, journal: Journal) -> None:
        facts = {"placings": {"rows": 4, "sha256": "0" * 64}}
        found = verified(changed(publish(journal), facts=facts), journal)
        assert [of for of, _, _ in differ(found, "manifest")] == ["facts", "entry"]
        assert {of for of, _, _ in differ(found, "facts")} == {
            "events", "placings", "players", "tournaments",
        }  # fmt: skip


class TestJournal:
    def test_another_journal(self, journal: Journal, tmp_path: Path) -> None:
        """Its entries are as many, and say the same of other seals."""
        published = publish(journal)
        other = started(str(tmp_path / "other.db"))
        publish(other)
        found = verified(published, other)
        assert found.different() == ["entry", "head"]
        with journal.reading() as mine, other.reading() as theirs:
            hashes = mine.entry(5).hash, theirs.entry(5).hash
        assert differ(found, "head") == [("entry 5", *hashes)]
        other.close()

    def test_a_journal_cut_off(self, journal: Journal, tmp_path: Path) -> None:
        published = publish(journal)
        other = started(str(tmp_path / "other.db"))
        assert differ(verified(published, other), "entry")[0][2] == "none"
        assert published.entry is not None
        later = changed(published, head={"sequence": 9, "hash": "0" * 64})
        assert differ(verified(later, journal), "head") == [("entry 9", "0" * 64, "none")]
        other.close()

    def test_an_entry_changed_behind_its_back(self, journal: Journal) -> None:
        """Its hash is not touched, nor any later one; so the head alone would not tell."""
        published = publish(journal)
        with tampered(journal) as connection:
            mine = ENTRIES.c.sequence == 5
            body = connection.execute(sa.select(ENTRIES.c.body).where(mine)).scalar_one()
            body = body.replace('"rank":[1,2,3,3]', '"rank":[2,1,3,3]')
            connection.execute(sa.update(ENTRIES).where(mine).values(body=body))
            found = verify_in_journal(published, Reader(connection))
        assert found.different() == ["chain"]
        assert differ(found, "chain")[0][0] == "entry 5"
        assert "list" not in {one.part for one in found.parts}

    def test_a_body_that_cannot_be_read(self, journal: Journal) -> None:
        published = publish(journal)
        with tampered(journal) as connection:
            mine = ENTRIES.c.sequence == 5
            connection.execute(sa.update(ENTRIES).where(mine).values(body='{"tables":'))
            found = verify_in_journal(published, Reader(connection))
        assert differ(found, "chain")[0][2] == "Its body is no canonical JSON."


class TestFiles:
    @pytest.fixture
    def package(self, journal: Journal, tmp_path: Path) -> Path:
        """The journal as a package, as anybody may have it."""
        write_package(load_projection(journal).facts, tmp_path / "package")
        return tmp_path / "package"

    def test_the_same_facts(self, journal: Journal, package: Path) -> None:
        found = verify_with_facts(publish(journal), gathered(package))
        assert found.identical
        assert "head" not in {one.part for one in found.parts}

    def test_one_placing_is_another(self, journal: Journal, package: Path) -> None:
        """P3 alone is third, P4 fourth: the two share no longer."""
        published = publish(journal)
        file = package / "placings.csv"
        file.write_text(file.read_text().replace("P4,3", "P4,4"))
        found = verify_with_facts(published, gathered(package))
        assert found.different() == ["facts", "list", "row"]
        assert [of for of, _, _ in differ(found, "facts")] == ["placings"]
        share, third, fourth = (
            exact_text(to_nanopoints(40 * Fraction(one, 893))) for one in (144, 160, 128)
        )
        assert differ(found, "row") == [
            ("P3 Dee Rix", f"rank 3, {share} points", f"rank 3, {third} points"),
            ("P4 Cy Pell", f"rank 3, {share} points, DEU", f"rank 4, {fourth} points, DEU"),
        ]

    def test_somebody_is_missing_and_somebody_new(self, journal: Journal, package: Path) -> None:
        published = publish(journal)
        for name in ("players", "placings"):
            file = package / f"{name}.csv"
            file.write_text(file.read_text().replace("P4", "P9"))
        rows = differ(verify_with_facts(published, gathered(package)), "row")
        share = f"rank 3, {exact_text(POINTS['P4'])} points, DEU"
        assert rows == [("P4", share, "none"), ("P9 Cy Pell", "none", share)]

    def test_other_facts_that_give_the_same_list(self, journal: Journal, package: Path) -> None:
        file = package / "tournaments.csv"
        file.write_text(file.read_text().replace("T Open", "T Cup"))
        found = verify_with_facts(publish(journal), gathered(package))
        assert found.different() == ["facts"]

    def test_a_nation_that_is_missing(self, journal: Journal, package: Path) -> None:
        published = publish(journal, by="nation")
        file = package / "players.csv"
        file.write_text(file.read_text().replace("DEU", ""))
        points = exact_text(POINTS["P2"] + POINTS["P4"])
        assert differ(verify_with_facts(published, gathered(package)), "row") == [
            ("DEU", f"rank 2, {points} points, 2", "none")
        ]

    def test_a_list_of_files_is_of_no_journal(self, journal: Journal, package: Path) -> None:
        published = Manifest(publication=list_of(journal).publication)
        found = verified(changed(published, head=None), journal)
        assert differ(found, "head") == [("", "of files", "of a journal")]


class TestSheets:
    @pytest.fixture
    def sheet(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
        """The wbgf sheet, to be edited."""
        shutil.copytree(rules_directory(), tmp_path / "rules")
        monkeypatch.setenv("PALMARES_RULES", str(tmp_path / "rules"))
        editions.cache_clear()
        yield tmp_path / "rules" / "wbgf" / "undated.toml"
        editions.cache_clear()

    @pytest.mark.parametrize(
        ("why", "before", "after", "explained"),
        [
            ("a comment", "", "# signed\n", ["edition file"]),
            ("a quote", "with any added money disregarded", "without added money",
             ["edition file"]),
            ("a reading's words", "take it for an erratum", "take it for a slip",
             ["edition file", "reading"]),
        ],
    )  # fmt: skip
    def test_words_that_were_corrected(
        self, why: str, before: str, after: str, explained: list[str], journal: Journal,
        sheet: Path,
    ) -> None:  # fmt: skip
        published = publish(journal)
        edited(sheet, before, after)
        found = verified(published, journal)
        assert found.identical, why
        assert found.different(explaining=True) == explained
        again = record_entries(journal, OFFICER, publish_list(list_of(journal).publication))
        assert again.entries == ()  # the same list, which is published already

    def test_a_number_that_was_edited(self, journal: Journal, sheet: Path) -> None:
        """It does not matter to this list, and would to others."""
        published = publish(journal)
        edited(sheet, "intermediate_factor = { is = 0.3,", "intermediate_factor = { is = 0.4,")
        found = verified(published, journal)
        assert found.different() == ["edition"]
        assert [of for of, _, _ in differ(found, "edition")] == ["undated"]
        assert found.different(explaining=True) == ["edition file"]

    def test_an_edition_that_came_later(self, journal: Journal, sheet: Path) -> None:
        """In force before the day of the list: it speaks on it now, with the same words."""
        published = publish(journal)
        more = sheet.with_name("2018.toml")
        head = "[edition]\nin_force = 2018-01-01\n"
        more.write_text(sheet.read_text("utf-8").replace("[edition]\n", head), "utf-8")
        editions.cache_clear()
        found = verified(published, journal)
        assert found.different() == ["edition"]
        assert [(of, said) for of, said, _ in differ(found, "edition")] == [("2018", "none")]

    def test_an_edition_of_a_later_day(self, journal: Journal, sheet: Path) -> None:
        published = publish(journal)
        head = "[edition]\nin_force = 2019-11-16\n"
        more = sheet.with_name("2019.toml")
        more.write_text(sheet.read_text("utf-8").replace("[edition]\n", head), "utf-8")
        editions.cache_clear()
        assert verified(published, journal).identical


def edited(sheet: Path, before: str, after: str) -> None:
    """Change a sheet that was published, which nobody should do."""
    said = sheet.read_text("utf-8")
    assert before in said
    sheet.write_text(said.replace(before, after, 1) if before else said + after, "utf-8")
    editions.cache_clear()


def test_another_version_that_comes_to_the_same(journal: Journal) -> None:
    publication = list_of(journal).publication
    older = msgspec.structs.replace(
        publication,
        palmares="0.0.1",
        code=msgspec.structs.replace(publication.code, version="0.0.1"),
        note="the first of them",
    )
    entry = record_entries(journal, OFFICER, publish_list(older)).entries[0]
    with journal.reading() as reader:
        found = verify_in_journal(manifest_of_entry(reader.entry(entry.sequence)), reader)
    versions = [one for one in found.parts if one.part == "version"]
    assert [(one.name, one.published) for one in versions] == [("palmares", "0.0.1")]
    assert found.identical
