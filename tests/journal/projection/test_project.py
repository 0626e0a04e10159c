"""Facts from entries: what stands, what was undone, and that the way there does not matter."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from palmares.core.errors import Refused
from palmares.journal.projection.project import EMPTY, Projection, apply_entries, rewound
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Draft, chain
from palmares.journal.store.journal import Journal, create_journal
from tests.amounts import amount
from tests.journal import statements as say
from tests.journal.statements import OFFICER, as_rows, placed


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snapshots of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def journal(journal_url: str) -> Iterator[Journal]:
    """Three players in an empty journal: entries 1 to 3."""
    found = create_journal(journal_url)
    found.record([say.player("P1", "Ada", "CZE"), say.player("P2"), say.player("P3")], OFFICER)
    yield found
    found.close()


class TestWhatStands:
    def test_a_report_gives_its_rows_with_their_entry(self, journal: Journal) -> None:
        journal.record([say.report("T", {"P1": 1, "P2": 2})], OFFICER)
        facts = load_projection(journal)
        assert placed(facts) == [("T/main", "P1", 1), ("T/main", "P2", 2)]
        assert say.entry_of(facts, "placings", player_id="P2") == "entry 4:2"
        assert facts.tables["events"]["entry_fee"].to_list() == [Decimal(100)]
        assert facts.tables["tournaments"]["end_date"].to_list() == [date(2019, 11, 15)]

    def test_a_later_report_replaces_it(self, journal: Journal) -> None:
        journal.record([say.report("T", {"P1": 1, "P2": 2})], OFFICER)
        journal.record([say.report("T", {"P1": 2, "P2": 1})], OFFICER)
        assert placed(load_projection(journal)) == [("T/main", "P1", 2), ("T/main", "P2", 1)]
        assert placed(load_projection(journal, "#4")) == [("T/main", "P1", 1), ("T/main", "P2", 2)]

    def test_undoing_a_correction_brings_the_report_before_back(self, journal: Journal) -> None:
        journal.record([say.report("T", {"P1": 1}), say.report("T", {"P2": 1})], OFFICER)
        journal.record([say.undo(5)], OFFICER)
        assert placed(load_projection(journal)) == [("T/main", "P1", 1)]

    def test_undoing_an_undo(self, journal: Journal) -> None:
        journal.record([say.report("T", {"P1": 1}), say.undo(4), say.undo(5)], OFFICER)
        assert placed(load_projection(journal, "#5")) == []
        assert placed(load_projection(journal)) == [("T/main", "P1", 1)]

    def test_undoing_undos_for_ever(self, journal: Journal) -> None:
        """However often somebody changes his mind: the last word counts."""
        journal.record([say.report("T", {"P1": 1})], OFFICER)
        journal.record([say.undo(number) for number in range(4, 1505)], OFFICER)
        assert placed(load_projection(journal, "#1504")) == [("T/main", "P1", 1)]  # 1,500 undos
        assert placed(load_projection(journal)) == []

    def test_withdrawn_and_reported_again(self, journal: Journal) -> None:
        journal.record([say.report("T", {"P1": 1}), say.withdrawal("T")], OFFICER)
        assert load_projection(journal).facts["events"].is_empty()
        journal.record([say.report("T", {"P3": 1})], OFFICER)
        assert placed(load_projection(journal)) == [("T/main", "P3", 1)]

    def test_an_override_stays_over_a_correction(self, journal: Journal) -> None:
        journal.record([say.report("T", {"P1": 1}), say.override("T", entry_fee="50.5")], OFFICER)
        journal.record([say.report("T", {"P1": 1, "P2": 2}, fee="70")], OFFICER)
        assert load_projection(journal).tables["events"]["entry_fee"].to_list() == [Decimal("50.5")]
        journal.record([say.undo(5)], OFFICER)
        assert load_projection(journal).tables["events"]["entry_fee"].to_list() == [Decimal(70)]

    def test_somebody_else_in_a_place(self, journal: Journal) -> None:
        journal.record([say.report("T", {"P1": 1}), say.report("U", {"P1": 1})], OFFICER)
        journal.record([say.instead("U", "P1", "P3")], OFFICER)
        assert placed(load_projection(journal)) == [("T/main", "P1", 1), ("U/main", "P3", 1)]

    def test_merged_and_parted_again(self, journal: Journal) -> None:
        journal.record([say.report("T", {"P1": 1}), say.report("U", {"P2": 1})], OFFICER)
        journal.record([say.merge("P2", "P3"), say.merge("P3", "P1")], OFFICER)
        merged = load_projection(journal)
        assert placed(merged) == [("T/main", "P1", 1), ("U/main", "P1", 1)]
        assert merged.tables["players"]["player_id"].to_list() == ["P1"]
        journal.record([say.undo(7)], OFFICER)
        assert placed(load_projection(journal)) == [("T/main", "P1", 1), ("U/main", "P3", 1)]

    def test_a_membership_and_its_end(self, journal: Journal) -> None:
        journal.record([say.membership("P1", "2014-01-01"), say.merge("P1", "P2")], OFFICER)
        journal.record([say.membership("P1", "2014-01-01", "2019-12-31")], OFFICER)
        rows = (
            load_projection(journal)
            .tables["memberships"]
            .select("player_id", "start", "end")
            .rows()
        )
        assert rows == [("P2", date(2014, 1, 1), date(2019, 12, 31))]

    def test_a_federation_spelled_in_two_ways_is_one(self, journal: Journal) -> None:
        """As its members count: usbgf and USBGF are one federation."""
        first, again = say.membership("P1", "2014-01-01"), say.membership("P1", "2014-01-01")
        journal.record([say.player("P1", "Ada Novak"), first], OFFICER)
        body = {**again.body, "federation": again.body["federation"].upper(), "level": "Premium"}
        journal.record([replace(again, body=body)], OFFICER)
        table = load_projection(journal).tables["memberships"]
        assert table.select("federation", "level").rows() == [("USBGF", "Premium")]

    def test_the_last_rate_of_a_day(self, journal: Journal) -> None:
        journal.record(
            [say.rate("USD", "2019-11-15", "0.9"), say.rate("USD", "2019-11-15", "0.91")], OFFICER
        )
        rows = load_projection(journal).tables["rates"].select("currency", "eur_per_unit").rows()
        assert rows == [("USD", Decimal("0.91"))]


class TestALaterPalmares:
    """What a later palmares recorded is refused in words, before anything is ranked without it."""

    @pytest.mark.parametrize(
        ("kind", "body"), [("novelty", {"a": 1}), ("membership", {"player_id": "P1"})]
    )
    def test_recorded_something_else(
        self, journal: Journal, kind: str, body: Mapping[str, object]
    ) -> None:
        moment = datetime.now(UTC)
        known = chain(Draft(kind="rate", subject="Z", body=body), OFFICER, journal.head(), moment)
        entry = msgspec.structs.replace(known, kind=kind)
        with journal.writing(OFFICER) as writer:
            writer.put([msgspec.structs.replace(entry, hash=entry.digest())], [])
        with pytest.raises(Refused, match=f"Entry 4 is no {kind} .* install that version"):
            load_projection(journal)
        assert placed(load_projection(journal, "#3")) == []


class TestNames:
    def test_a_name_and_a_nation(self, journal: Journal) -> None:
        rows = load_projection(journal).tables["players"].filter(player_id="P1").rows()
        assert rows == [("P1", "Ada", "CZE", False, "entry 1", 1)]

    def test_an_erased_name_is_gone_from_every_time(self, journal: Journal) -> None:
        commitment = load_projection(journal).state.group("players")["P1"][0].body.person
        with journal.writing(OFFICER) as writer:
            writer.extend(
                [
                    Draft(
                        kind="erasure",
                        subject="P1",
                        body={"reason": "asked for it", "persons": [commitment]},
                    )
                ]
            )
            writer.erase([commitment])
        for when in (None, "#1"):
            row = load_projection(journal, when).tables["players"].filter(player_id="P1").row(0)
            assert row[:4] == ("P1", "P1", "CZE", True)

    def test_an_earlier_projection_from_a_later_one_hides_it_too(self, journal: Journal) -> None:
        body = load_projection(journal).state.group("players")["P1"][0].body
        hidden = Draft(kind="player", subject="P1", body=structs.replace(body, withheld=True))
        journal.record([hidden], OFFICER)
        with journal.reading() as reader:
            back = rewound(load_projection(journal), 1, reader)
            assert back.tables["players"].rows() == [("P1", "Ada", "CZE", True, "entry 1", 1)]


class TestWhenItWasKnown:
    def test_a_day_ends_at_midnight_utc(self, journal: Journal) -> None:
        recorded = load_projection(journal).state.recorded_at
        assert load_projection(journal, recorded[:10]).tables["players"].height == 3
        assert load_projection(journal, "2019-12-31") is EMPTY

    def test_a_moment(self, journal: Journal) -> None:
        with journal.reading() as reader:
            first = reader.entry(1).recorded_at
        assert load_projection(journal, first).tables["players"].height == 1

    @pytest.mark.parametrize(
        "when", ["yesterday", "2019-02-30", "#0", "2019-12-31T10:00", "20191231"]
    )
    def test_what_is_no_time(self, journal: Journal, when: str) -> None:
        with pytest.raises(Refused, match="no day such as"):
            load_projection(journal, when)

    def test_an_entry_that_is_not_there(self, journal: Journal) -> None:
        with pytest.raises(Refused, match="no entry 9"):
            load_projection(journal, "#9")


# ── however one got there ────────────────────────────────────────────────────────────────────────

PLAYERS = [f"P{number}" for number in range(1, 6)]
_ids, _places = st.sampled_from(PLAYERS), st.sampled_from(["T", "U", "V"])
_ranks = st.dictionaries(_ids, st.integers(1, 3), min_size=1)
STATEMENTS = st.lists(
    st.one_of(
        st.builds(say.report, _places, _ranks),
        st.builds(say.withdrawal, _places),
        st.builds(say.override, _places, entry_fee=st.sampled_from(["1", "2.5"])),
        st.builds(say.instead, _places, _ids, _ids),
        st.tuples(st.integers(0, 3), st.integers(1, 4)).map(
            lambda two: say.merge(PLAYERS[two[0]], PLAYERS[max(two[1], two[0] + 1)])
        ),
        st.builds(say.player, _ids, st.sampled_from(["Ada", "Ben"])),
        st.builds(say.membership, _ids, st.just("2014-01-01"), st.none() | st.just("2015-01-01")),
        st.builds(say.rate, st.just("USD"), st.just("2019-11-15"), st.sampled_from(["1", "0.5"])),
        st.integers(1, 30),
    ),
    max_size=25,
)


@settings(max_examples=amount(2_000))
@given(STATEMENTS, st.integers(0, 30))
def test_step_by_step_or_all_at_once(stated: list[Draft | int], pause: int) -> None:
    """Every statement alone, all of them, a pause between, or back to it: the same facts."""
    with tempfile.TemporaryDirectory() as folder:
        journal = create_journal(f"{folder}/journal.db")
        journal.record([say.player(one) for one in PLAYERS], OFFICER)
        step = EMPTY
        for one in stated:
            last = journal.head().sequence
            draft = say.undo(min(one, last)) if isinstance(one, int) else one
            journal.record([draft], OFFICER)
            step = _grown(journal, step)
        step = _grown(journal, step)
        assert as_rows(step) == as_rows(_grown(journal, EMPTY))
        paused = _grown(journal, EMPTY, min(pause, journal.head().sequence))
        assert as_rows(_grown(journal, paused)) == as_rows(step)
        with journal.reading() as reader:
            back = rewound(step, paused.state.sequence, reader)
            assert back.state == paused.state
            assert as_rows(back) == as_rows(paused)
        journal.close()


def _grown(journal: Journal, before: Projection, until: int | None = None) -> Projection:
    with journal.reading() as reader:
        return apply_entries(before, reader, until).after
