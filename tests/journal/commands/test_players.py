"""Merges, splits and records of players: decided with a reason, and undone."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from palmares.core.errors import FactsRejected, Refused
from palmares.facts.schema import FILE
from palmares.journal.commands.decisions import erase, membership
from palmares.journal.commands.decisions import undo as undone
from palmares.journal.commands.players import add_player, apart, edit_player, merge, split, unmerge
from palmares.journal.commands.transaction import Action
from palmares.journal.identity.resolve import NEW
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal, create_journal
from palmares.render.entries import player_names, words_of_row
from tests.amounts import amount, some
from tests.databases import KINDS, Fresh
from tests.journal.naming import day, done, handed_in, known_to, names, who
from tests.journal.statements import OFFICER, placed, undo

ADA, BEN = ("Ada Novak", "CZE"), ("Ben Ode", None)
SHORT = ("A. Novak", "CZE")

TWO = (("T", "2019-11-15", [ADA, BEN]), ("U", "2019-12-15", [BEN, SHORT]))
"""P1 is Ada Novak, P2 Ben Ode, P3 A. Novak: entries 1 to 3; the reports are 4 and 5."""


def refused(journal: Journal, action: Action, told: str) -> None:
    """An action is refused, and nothing is recorded."""
    head = journal.head()
    with pytest.raises((Refused, FactsRejected), match=told):
        done(journal, action)
    assert journal.head() == head


# ── merge ────────────────────────────────────────────────────────────────────────────────────────


def test_a_merged_record_has_the_name_of_its_player(journal: Journal) -> None:
    """Reports keep the ids that they name, and overrides of their rows have them, too."""
    handed_in(journal, *TWO)
    done(journal, merge("P3", "P1", "initials"))
    names = player_names(load_projection(journal))
    words = words_of_row("U", "placings", {"player_id": "P3"}, {"rank": 1}, names)
    assert words == "Rank of Ada Novak, U: 1"


def test_results_of_a_merged_record_count_for_the_other(journal: Journal) -> None:
    handed_in(journal, *TWO)
    before = placed(load_projection(journal))
    assert before == [("T/main", "P1", 1), ("T/main", "P2", 2), ("U/main", "P2", 1),
                      ("U/main", "P3", 2)]  # fmt: skip
    (entry,) = done(journal, merge("A. Novak", "P1", "asked her")).entries
    assert entry.read() == {"player_id": "P3", "into": "P1", "reason": "asked her"}
    assert ("U/main", "P1", 2) in placed(load_projection(journal))
    assert names(journal) == {"P1": "Ada Novak", "P2": "Ben Ode"}
    done(journal, unmerge("P3", "it was her sister"))
    assert placed(load_projection(journal)) == before


def test_what_cannot_be_merged(journal: Journal) -> None:
    handed_in(journal, *TWO)
    refused(journal, merge("P1", "P2", "x"), "P1 .* twice|twice|placed")
    refused(journal, merge("P1", "P1", "x"), "P1 is one record")
    refused(journal, merge("P1", "P9", "x"), "No player has the id or the name P9")
    refused(journal, merge("P3", "P1", " "), "Give a reason")
    done(journal, merge("P3", "P1", "asked her"))
    refused(journal, merge("P3", "P1", "x"), "P3 was merged into P1")
    refused(journal, merge("P1", "P3", "x"), "P3 was merged into P1")
    refused(journal, unmerge("P2", "x"), "P2 was not merged into another")
    refused(journal, unmerge("P1", "x"), "P1 was not merged into another. Say which .*: P3")


def test_who_is_kept_apart_is_not_merged(journal: Journal) -> None:
    handed_in(journal, *TWO)
    (entry,) = done(journal, apart("P3", "P1", "mother and daughter")).entries
    assert entry.read() == {"players": ["P1", "P3"], "reason": "mother and daughter"}
    refused(journal, merge("P3", "P1", "x"), "Entry 6 says that P3 and P1 are two players")
    again = done(journal, apart("P1", "P3", "x"))
    assert again.entries == ()
    assert [(one.where, one.what.partition(";")[0]) for one in again.notices] == [
        ("entry 6", "this decision that P1 and P3 are two players is here already")
    ]
    refused(journal, apart("P1", "P1", "x"), "P1 is one record")
    journal.record([undo(6)], OFFICER)
    done(journal, merge("P3", "P1", "asked her"))


def test_an_undo_does_not_merge_who_is_kept_apart(journal: Journal) -> None:
    handed_in(journal, *TWO)
    done(journal, merge("P3", "P1", "initials"))  # 6
    done(journal, unmerge("P3", "sisters"))  # 7
    done(journal, apart("P3", "P1", "asked them"))  # 8
    refused(journal, undone(7, "one after all"), "entry 8: .*P1 and P3 are two players")
    done(journal, undone(8, "one after all"))  # 9
    done(journal, undone(7, "one after all"))  # 10
    refused(journal, undone(9, "sisters"), "entry 8: .*P1 and P3 are two players")


def test_an_undo_of_an_undo_that_changes_nothing_tells_so(journal: Journal) -> None:
    handed_in(journal, *TWO, ("V", "2020-01-15", [("Cy Dee", None)]))
    first = done(journal, merge("P3", "P1", "initials")).last.sequence
    back = done(journal, unmerge("P3", "no")).last.sequence
    second = done(journal, merge("P3", "P4", "she is Cy")).last.sequence
    notices = done(journal, undone(back, "yes")).notices
    assert [notice.what for notice in notices] == [
        f"entry {second} has replaced it, so nothing changes now"
    ]
    done(journal, unmerge("P3", "neither of them"))
    assert load_projection(journal).state.merges() == {}
    assert first < second


def test_a_nation_from_the_results_of_a_merged_record_stays_and_is_told(journal: Journal) -> None:
    """The report has P3's id: as it counts for P1, their nation changes (W17)."""
    handed_in(journal, *TWO)
    done(journal, merge("P3", "P1", "initials"))
    known_to(journal, who("A. Novak", "HRV", key="P3", last_day=day("2020-01-15")))
    (notice,) = done(journal, unmerge("P3", "her sister")).notices
    assert (str(notice.at), notice.what) == (
        "player P1",
        "the nation was CZE before the merge and is HRV since entry 7; it stays",
    )


def test_a_merge_tells_where_two_records_are_at_odds(journal: Journal) -> None:
    known_to(
        journal,
        who("Ada Novak", "CZE", more={"usbgf_id": "1"}, withheld=True),
        who("A. Novak", "USA", more={"usbgf_id": "2"}),
    )
    told = [one.what for one in done(journal, merge("P1", "P2", "asked her")).notices]
    assert told == [
        "the name is withheld, and that of P2 is not: the results will show it",
        "the nation is CZE; USA, of P2, stays",
        "the usbgf id is 1, that of P2 is 2",
    ]


def test_a_merge_of_an_erased_player_tells_that_results_get_a_name(journal: Journal) -> None:
    known_to(journal, who("Ada Novak", "CZE"), who("Ben Ode", "CZE"), who("Cy Pell", "CZE"))
    done(journal, erase("P1", "asked"))
    told = [one.what for one in done(journal, merge("P1", "P2", "asked him")).notices]
    assert told == ["the name was erased, and that of P2 is not: the results will show it"]
    done(journal, erase("P2", "asked"))
    assert done(journal, merge("P2", "P3", "asked him")).notices[0].what.startswith("the name was")
    done(journal, erase("P3", "asked"))
    known_to(journal, who("Dee Rix", "CZE"))
    done(journal, erase("P4", "asked"))
    assert done(journal, merge("P4", "P3", "one")).notices == ()


# ── split ────────────────────────────────────────────────────────────────────────────────────────


def test_somebody_else_played(journal: Journal) -> None:
    handed_in(journal, *TWO)
    found = done(journal, split("Ben Ode", ["U"], "his namesake"))
    assert [(one.kind, one.subject) for one in found.entries] == [
        ("player", "P4"), ("apart", "P2"), ("override", "U"),
    ]  # fmt: skip
    assert placed(load_projection(journal))[2:] == [("U/main", "P3", 2), ("U/main", "P4", 1)]
    assert names(journal)["P4"] == "Ben Ode"
    again = handed_in(journal, TWO[1], chosen={"Ben Ode": "P2"})
    assert again.entries == ()  # and it stays so when the report comes again


def test_an_undone_split_leaves_no_new_player(journal: Journal) -> None:
    handed_in(journal, *TWO)
    before = facts(journal)
    done(journal, split("P2", ["U"], "his namesake"))
    split_facts = facts(journal)
    refused(journal, undone(6, "x"), "P4")  # the new player, while in a report
    found = done(journal, undone(8, "it was he"))
    assert ([each.read()["undoes"] for each in found.entries], found.notices) == ([8, 7, 6], ())
    assert facts(journal) == before
    found = done(journal, undone(9, "it was not"))  # and comes back with the decision
    assert [each.read()["undoes"] for each in found.entries] == [11, 10, 9]
    assert facts(journal) == split_facts


def test_a_new_player_whom_another_entry_names_stays(journal: Journal) -> None:
    handed_in(journal, *TWO)
    before = facts(journal)
    done(journal, split("P2", ["T", "U"], "his namesake"))
    found = done(journal, undone(9, "U was he"))
    assert [each.read()["undoes"] for each in found.entries] == [9]
    assert "entry 8 names them" in str(found.notices[0])
    assert "undo entry 6" in str(found.notices[0])
    assert len(done(journal, undone(8, "T, too")).entries) == 3
    assert facts(journal) == before


def test_an_undone_report_tells_who_stays(journal: Journal) -> None:
    handed_in(journal, *TWO)
    (notice,) = done(journal, undone(5, "twice")).notices
    assert "1 player of this report has no other tournament and stays" in str(notice)
    assert names(journal)["P3"] == "A. Novak"
    assert done(journal, undone(6, "once")).notices == ()
    handed_in(journal, ("U", "2019-12-15", [SHORT, BEN]), replaces=[5])
    assert done(journal, undone(8, "as before")).notices == ()  # entry 5 counts again


def test_it_was_a_player_who_is_known(journal: Journal) -> None:
    handed_in(journal, *TWO)
    refused(journal, split("P2", ["U"], "x", into="P3"), "twice|placed")
    done(journal, split("P2", ["U"], "it was Ada", into="Ada Novak"))
    assert placed(load_projection(journal))[2:] == [("U/main", "P1", 1), ("U/main", "P3", 2)]


def test_a_record_that_was_merged_is_split_off_under_its_own_id(journal: Journal) -> None:
    handed_in(journal, *TWO)
    done(journal, merge("P3", "P1", "asked her"))
    cells = {"name": "Anna Novak", "nation": "SVK"}
    found = done(journal, split("P1", ["U"], "her sister", **cells))
    assert found.entries[-1].read()["player"] == {"from": "P3", "to": "P4"}
    assert names(journal)["P4"] == "Anna Novak"


def test_what_cannot_be_split(journal: Journal) -> None:
    handed_in(journal, *TWO)
    refused(journal, split("P1", ["U"], "x"), "P1 is not in the report of U")
    refused(journal, split("P1", ["V"], "x"), "No report of a tournament V is in force")
    refused(journal, split("P1", ["T"], "x", into="P1"), "P1 is one record")
    refused(journal, split("P1", ["T"], "x", nation="XYZ"), "XYZ")


# ── records ──────────────────────────────────────────────────────────────────────────────────────


def test_a_player_is_added_before_anybody_reports_him(journal: Journal) -> None:
    done(journal, add_player(name=" Ada Novak ", nation="CZE", ids={"usbgf": "123"}))
    assert known_to(journal, who(*ADA)).new == ()
    assert known_to(journal, who("A. Novak", key="123")).ids == {"123": "P1"}
    told = done(journal, add_player(name="Ada Novák", nation="CZE")).notices
    assert "Ada Novák (CZE) looks like P1, Ada Novak (CZE)" in told[0].what


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"name": ""}, "name"),
        ({"name": "Ada\u202eNovak"}, "U\\+202E"),
        ({"name": "Ada", "nation": "XYZ"}, "XYZ"),
    ],
)
def test_what_is_no_player(journal: Journal, cells: dict[str, Any], told: str) -> None:
    refused(journal, add_player(**cells), told)


def test_a_record_is_mended(journal: Journal) -> None:
    known_to(journal, who(*ADA, more={"usbgf_id": "1", "wbgf_id": "2"}))
    done(journal, edit_player("P1", name="Ada Horvat", ids={"usbgf": "", "ecbgf": "3"}))
    with journal.reading() as reader:
        persons = [sealed.person() for _, sealed in reader.sealed()]
    assert persons[1] is not None
    assert (persons[1].name, persons[1].ids) == ("Ada Horvat", {"wbgf": "2", "ecbgf": "3"})
    again = done(journal, edit_player("P1", name="Ada Horvat"))
    assert again.entries == ()
    assert "entry 2: this record of P1 is here already" in str(again.notices[0])


def test_a_nation_or_a_wish_needs_no_new_seal(journal: Journal) -> None:
    known_to(journal, who(*ADA))
    first, second, third = (
        done(journal, action).entries[0].read()
        for action in (
            edit_player("P1", withheld="yes"),
            edit_player("P1", nation="HRV"),
            edit_player("P1", withheld="no", nation=""),
        )
    )
    assert first["person"] == second["person"] == third["person"]
    assert [(one["withheld"], one["nation"]) for one in (first, second, third)] == [
        (True, "CZE"), (True, "HRV"), (False, None),
    ]  # fmt: skip


def test_who_was_erased_has_no_name_until_one_is_given(journal: Journal) -> None:
    known_to(journal, who(*ADA))
    done(journal, erase("P1", "asked"))
    refused(journal, edit_player("P1", ids={"usbgf": "1"}), "The name of P1 was erased")
    done(journal, edit_player("P1", nation="HRV"))
    told = known_to(journal, who(*ADA, key="P1")).notices
    assert "the name was erased, and is not recorded again" in told[0].what
    assert names(journal) == {"P1": "P1"}


# ── whatever happens meanwhile ───────────────────────────────────────────────────────────────────

FOUR = (ADA, SHORT, ("Ada Novak", "USA"), BEN)
"""P1 to P4."""

meanwhile = st.lists(
    st.one_of(
        st.tuples(
            st.just("report"),
            st.sampled_from("VWXY"),
            st.lists(st.sampled_from(FOUR), min_size=1, unique=True),
        ),
        st.tuples(st.just("member"), st.sampled_from(("P1", "P2", "P3", "P4")), st.integers(1, 9)),
        st.tuples(st.just("withhold"), st.sampled_from(("P1", "P4")), st.booleans()),
    ),
    max_size=5,
)


def begun(fresh: Fresh, kind: str) -> Journal:
    """A journal that knows the four."""
    journal = create_journal(fresh(kind))
    known_to(journal, *(who(*one) for one in FOUR))
    return journal


def happens(journal: Journal, event: tuple[str, str, object]) -> bool:
    """Something is recorded: it is not refused, nor stated already of another of his records."""
    what, subject, more = event
    before = journal.head()
    try:
        if what == "report":
            number = "VWXY".index(subject) + 1
            handed_in(journal, (subject, f"2020-0{number}-15", more))
        elif what == "member":
            done(journal, membership(subject, "usbgf", day(f"2019-0{more}-01")))
        else:
            done(journal, edit_player(subject, withheld="yes" if more else "no"))
    except (Refused, FactsRejected):
        return False
    return journal.head() != before


def facts(journal: Journal, *without: str) -> dict[str, list[str]]:
    """The rows of every table, without the entry they come from and some columns."""
    tables = load_projection(journal).tables
    return {
        name: sorted(map(repr, table.drop(FILE, *without, strict=False).iter_rows()))
        for name, table in tables.items()
    }


@pytest.mark.parametrize("kind", some(KINDS, len(KINDS)))
@settings(max_examples=amount(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(events=meanwhile, goes=st.sampled_from(("P2", "P3")))
@example(events=[("member", "P1", 1), ("member", "P2", 1)], goes="P2")  # one player's, once
@example(events=[("report", "V", [ADA]), ("report", "W", [("Ada Novak", "USA")])], goes="P3")
def test_a_merge_that_is_undone_leaves_no_trace_but_a_nation(
    fresh_url: Fresh, kind: str, events: list[tuple[str, str, object]], goes: str
) -> None:
    """A report that named the other record gave the player its nation: a notice says so."""
    merged, never = begun(fresh_url, kind), begun(fresh_url, kind)
    done(merged, merge(goes, "P1", "asked her"))
    for event in events:
        if happens(merged, event):
            assert happens(never, event)
    told = done(merged, unmerge(goes, "it was her sister")).notices
    but = ["nation"] if any("the nation was" in notice.what for notice in told) else []
    assert facts(merged, *but) == facts(never, *but)
    merged.close()
    never.close()


@pytest.mark.parametrize("kind", some(KINDS, len(KINDS)))
@settings(max_examples=amount(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    placed_in=st.lists(
        st.lists(st.sampled_from(FOUR), min_size=1, unique=True), min_size=1, max_size=3
    ),
    merges=st.lists(st.permutations(("P1", "P2", "P3", "P4")), max_size=3),
)
def test_a_report_that_comes_twice_changes_nothing_whatever_was_merged(
    fresh_url: Fresh,
    kind: str,
    placed_in: list[list[tuple[str, str | None]]],
    merges: list[list[str]],
) -> None:
    journal = create_journal(fresh_url(kind))
    reports = [
        (f"T{number}", f"2019-0{number}-15", people) for number, people in enumerate(placed_in, 1)
    ]
    handed_in(journal, *reports)
    for goes, into, *_ in merges:
        try:
            done(journal, merge(goes, into, "asked"))
        except (Refused, FactsRejected):
            continue
    head = journal.head()
    assert handed_in(journal, *reports).entries == ()
    assert journal.head() == head
    journal.close()


@pytest.mark.parametrize("kind", some(KINDS, len(KINDS)))
@settings(max_examples=amount(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(people=st.lists(st.tuples(st.sampled_from(FOUR), st.booleans()), max_size=6))
def test_homonyms_are_never_joined(
    fresh_url: Fresh, kind: str, people: list[tuple[tuple[str, str | None], bool]]
) -> None:
    """Whoever is new by an officer's word, or called otherwise, is a player of their own."""
    journal = create_journal(fresh_url(kind))
    seen: dict[str, tuple[str, str | None]] = {}
    for form, is_new in people:
        same = [one for one, other in seen.items() if other == form]
        chosen = {form[0]: NEW} if is_new else {}
        try:
            (found,) = known_to(journal, who(*form), chosen=chosen).ids.values()
        except FactsRejected:
            assert len(same) > 1
            continue
        if is_new:
            assert found not in seen
        assert seen.setdefault(found, form) == form
    players = load_projection(journal).tables["players"]
    assert players.select(pl.col("player_id").n_unique()).item() == len(seen)
    journal.close()
