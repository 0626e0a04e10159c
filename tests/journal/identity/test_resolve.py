"""Who is who: an id joins, exactly one name and nation joins, and nothing else does."""

from __future__ import annotations

import polars as pl
import pytest

from palmares.cli.hints import error_text as with_hints
from palmares.core.errors import FactsRejected, Refused
from palmares.journal.commands.decisions import erase
from palmares.journal.commands.players import edit_player, merge
from palmares.journal.identity.register import ReportedPlayer, recorded_player_id
from palmares.journal.identity.resolve import NEW
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal
from tests.journal.naming import day, done, handed_in, known_to, names, who
from tests.journal.statements import OFFICER, undo

ADA = who("Ada Novak", "CZE")


def nations(journal: Journal) -> dict[str, str | None]:
    """The nation held now, by id."""
    return dict(
        load_projection(journal).tables["players"].select("player_id", "nation").iter_rows()
    )


# ── by name ──────────────────────────────────────────────────────────────────────────────────────


def test_new_players_get_the_next_numbers(journal: Journal) -> None:
    known_to(journal, ADA, who("Ben Ode"))
    found = known_to(journal, who("Cy Pell", "GER"), ADA, who("Dee Rix"))
    assert found.ids == {"Cy Pell (GER)": "P3", "Ada Novak (CZE)": "P1", "Dee Rix": "P4"}
    assert found.new == ("P3", "P4")


def test_a_number_of_a_record_that_was_undone_is_not_given_again(journal: Journal) -> None:
    known_to(journal, ADA)
    journal.record([undo(1)], OFFICER)
    assert known_to(journal, ADA).ids == {"Ada Novak (CZE)": "P2"}


def test_the_same_name_and_nation_is_the_same_player(journal: Journal) -> None:
    known_to(journal, ADA)
    found = known_to(journal, ADA)
    assert (found.ids, found.new, found.drafts) == ({"Ada Novak (CZE)": "P1"}, (), ())


@pytest.mark.parametrize(
    "other",
    [
        who("Ada Novak"),
        who("Ada Novak", "USA"),
        who("ada novak", "CZE"),
        who("A. Novak", "CZE"),
        who("Ada Novák", "CZE"),
        who("Novak Ada", "CZE"),
        who("Ada Novak", None, more={"origin": "NC"}),
    ],
)
def test_nothing_else_is_the_same_player(journal: Journal, other: ReportedPlayer) -> None:
    known_to(journal, ADA)
    assert list(known_to(journal, other).ids.values()) == ["P2"]


def test_what_stands_in_the_brackets_beside_a_nation_tells_players_apart(
    journal: Journal,
) -> None:
    north = who("Ben Elliot", key=None, more={"origin": "NC"})
    texas = who("Ben Elliot", key=None, more={"origin": "TX"})
    known_to(journal, north)
    assert known_to(journal, texas).new == ("P2",)
    assert known_to(journal, north).ids == {"Ben Elliot": "P1"}


def test_homonyms_stay_apart_by_id(journal: Journal) -> None:
    known_to(journal, ADA)
    second = known_to(journal, ADA, chosen={"Ada Novak": NEW})
    assert second.ids == {"Ada Novak (CZE)": "P2"}
    with pytest.raises(FactsRejected) as refused:
        known_to(journal, ADA)
    assert "P1 (CZE, in no tournament yet) or P2" in str(refused.value)
    assert '--is "Ada Novak (CZE)=ID"' in with_hints(refused.value)
    assert known_to(journal, ADA, chosen={"Ada Novak (CZE)": "P2"}).ids["Ada Novak (CZE)"] == "P2"
    assert known_to(journal, who("Ada Novak", "CZE", key="P1")).ids == {"P1": "P1"}


def test_candidates_are_told_with_their_last_tournament(journal: Journal) -> None:
    handed_in(journal, ("T", "2019-11-15", [("Ada Novak", "CZE")]))
    known_to(journal, ADA, chosen={"Ada Novak": NEW})
    with pytest.raises(FactsRejected, match=r"P1 \(CZE, last in T Open, 2019-11-15\) or P2"):
        known_to(journal, ADA)


def test_an_earlier_name_and_nation_still_mean_the_same_player(journal: Journal) -> None:
    known_to(journal, ADA)
    done(journal, edit_player("P1", name="Ada Horvat", nation="HRV"))
    assert known_to(journal, ADA).ids == {"Ada Novak (CZE)": "P1"}
    assert known_to(journal, who("Ada Horvat", "HRV")).ids == {"Ada Horvat (HRV)": "P1"}
    assert names(journal) == {"P1": "Ada Horvat"}


def test_a_merged_record_keeps_its_own_id(journal: Journal) -> None:
    known_to(journal, ADA, who("Ada Nowak", "CZE"))
    done(journal, merge("P2", "P1", "one and the same"))
    assert known_to(journal, who("Ada Nowak", "CZE")).ids == {"Ada Nowak (CZE)": "P2"}


def test_two_records_of_one_player_and_one_name_are_no_riddle(journal: Journal) -> None:
    known_to(journal, ADA)
    known_to(journal, ADA, chosen={"Ada Novak": NEW})
    journal.record([undo(3)], OFFICER)
    done(journal, merge("P1", "P2", "one and the same"))
    assert known_to(journal, ADA).ids == {"Ada Novak (CZE)": "P1"}  # the older record


def test_an_erased_name_is_not_known_again(journal: Journal) -> None:
    known_to(journal, ADA)
    done(journal, erase("P1", "asked"))
    assert known_to(journal, ADA).ids == {"Ada Novak (CZE)": "P2"}


def test_a_withheld_name_is_known(journal: Journal) -> None:
    known_to(journal, who("Ada Novak", "CZE", withheld=True))
    assert known_to(journal, ADA).ids == {"Ada Novak (CZE)": "P1"}
    assert load_projection(journal).tables["players"]["withheld"].to_list() == [True]


# ── by id ────────────────────────────────────────────────────────────────────────────────────────


def test_an_id_that_nobody_has_is_a_new_player(journal: Journal) -> None:
    found = known_to(journal, who("Ada Novak", "CZE", key="n17"))
    assert (found.ids, found.new) == ({"n17": "n17"}, ("n17",))
    assert known_to(journal, ADA).ids == {"Ada Novak (CZE)": "n17"}


def test_in_one_delivery_too_a_name_alone_is_the_one_with_the_id(journal: Journal) -> None:
    found = known_to(journal, ADA, who("Ada Novak", "CZE", key="n17"))
    assert found.ids == {"Ada Novak (CZE)": "n17", "n17": "n17"}


def test_an_id_of_ours_that_was_never_given_is_refused(journal: Journal) -> None:
    with pytest.raises(FactsRejected, match="this journal never gave the id P7"):
        known_to(journal, who("Ada Novak", "CZE", key="P7"))


def test_an_id_joins_whatever_the_name_is_and_says_so(journal: Journal) -> None:
    known_to(journal, ADA)
    found = known_to(journal, who("Eda Novak", "CZE", key="P1"))
    assert found.ids == {"P1": "P1"}
    assert "they are Ada Novak in this journal, and Eda Novak in a report" in found.notices[0].what


def test_an_id_of_somebody_called_otherwise_altogether_is_asked_about(journal: Journal) -> None:
    known_to(journal, ADA, who("Eve Hall", withheld=True))
    other = who("Ben Ode", "GER", key="P1")
    with pytest.raises(FactsRejected, match=r"\[P1\] is Ada Novak in the journal"):
        known_to(journal, other)
    with pytest.raises(FactsRejected, match=r"\[P2\] is not called so in the journal"):
        known_to(journal, who("Ben Ode", "GER", key="P2"))
    assert known_to(journal, other, chosen={"P1": "P1"}).ids == {"P1": "P1"}


def test_a_withheld_name_is_not_told_to_who_errs(journal: Journal) -> None:
    known_to(journal, who("Ada Novak", "CZE", withheld=True))
    found = known_to(journal, who("Eda Novak", "CZE", key="P1"))
    assert "Ada" not in str(found.notices[0])


def test_a_merged_id_is_kept_as_given(journal: Journal) -> None:
    known_to(journal, ADA, who("Ada Nowak", "CZE"))
    done(journal, merge("P2", "P1", "one and the same"))
    assert known_to(journal, who("Ada Nowak", "CZE", key="P2")).ids == {"P2": "P2"}


def test_an_id_elsewhere_joins(journal: Journal) -> None:
    known_to(journal, who("Ada Novak", "CZE", more={"usbgf_id": "123", "club": "Praha"}))
    assert known_to(journal, who("Ada Novak", "USA", key="123")).ids == {"123": "P1"}


@pytest.mark.parametrize("other", ["100%", "a_b", 'a"b', "a\\b", "a/b", "Ü 1", "{'}"])
def test_an_id_elsewhere_is_any_text(journal: Journal, other: str) -> None:
    known_to(journal, who("Ada Novak", more={"usbgf_id": other}), who("Ben", more={"x_id": "axb"}))
    assert known_to(journal, who("Ada", key=other)).ids == {other: "P1"}
    assert known_to(journal, who("Cy", key=other.upper() + "A")).new == (other.upper() + "A",)


def test_many_ids_elsewhere_are_looked_up_at_once(journal: Journal) -> None:
    known_to(journal, *(who(f"Player {n}", more={"usbgf_id": f"u{n}"}) for n in range(120)))
    found = known_to(journal, *(who("Somebody", key=f"u{n}") for n in range(120)))
    assert found.ids == {f"u{n}": f"P{n + 1}" for n in range(120)}


def test_many_homonyms_are_told_in_short(journal: Journal) -> None:
    known_to(journal, *(who("Ada Novak", "CZE", key=f"n{n:02}") for n in range(13)))
    with pytest.raises(FactsRejected, match=r"n09 \(CZE, in no tournament yet\) or 3 more"):
        known_to(journal, ADA)


def test_an_id_elsewhere_that_two_have_is_refused(journal: Journal) -> None:
    known_to(
        journal, who("Ada Novak", more={"usbgf_id": "1"}), who("Ben Ode", more={"wbgf_id": "1"})
    )
    with pytest.raises(FactsRejected, match=r"1 is the id elsewhere of P1 .* or P2"):
        known_to(journal, who("Ada Novak", key="1"))


def test_an_id_elsewhere_that_differs_is_asked_about(journal: Journal) -> None:
    known_to(journal, who("Ada Novak", "CZE", more={"usbgf_id": "123"}))
    other = who("Ada Novak", "CZE", more={"usbgf_id": "124"})
    with pytest.raises(FactsRejected, match="P1 is called so, but their usbgf id is another"):
        known_to(journal, other)
    assert known_to(journal, other, chosen={"Ada Novak": NEW}).ids == {"Ada Novak (CZE)": "P2"}
    assert known_to(journal, other).ids == {"Ada Novak (CZE)": "P2"}  # now his id tells him apart


def test_a_new_id_elsewhere_is_kept_beside_the_name(journal: Journal) -> None:
    known_to(journal, ADA)
    again = who("Ada Novak", "CZE", more={"usbgf_id": "123"})
    assert [one.kind for one in known_to(journal, again).drafts] == ["player"]
    assert known_to(journal, again).drafts == ()
    assert known_to(journal, who("Ada Novak", key="123")).ids == {"123": "P1"}


# ── an officer's word ────────────────────────────────────────────────────────────────────────────


def test_a_word_is_remembered_and_can_be_undone(journal: Journal) -> None:
    known_to(journal, ADA)
    short = who("A. Novak", "CZE")
    assert known_to(journal, short, chosen={"A. Novak": "P1"}).new == ()
    assert known_to(journal, short).ids == {"A. Novak (CZE)": "P2"}
    assert names(journal) == {"P1": "Ada Novak"}  # P2 is part of her
    journal.record([undo(3)], OFFICER)
    assert names(journal) == {"P1": "Ada Novak", "P2": "A. Novak"}


ERASED = "the name was erased, and is not recorded again"


@pytest.mark.parametrize("named", [ADA, who("Ada Novak", "CZE", key="n17")], ids=["name", "id"])
def test_an_erased_name_is_not_recorded_again_by_a_word(
    journal: Journal, named: ReportedPlayer
) -> None:
    known_to(journal, ADA)
    done(journal, erase("P1", "asked"))
    found = known_to(journal, named, chosen={"Ada Novak": "P1"})
    assert (found.ids, found.new, found.drafts) == ({named.key: "P1"}, (), ())
    assert [one.what for one in found.notices] == [ERASED]
    assert known_to(journal, ADA).new == ("P2",)  # nobody knows it


def test_nor_by_a_word_about_a_part_of_the_player(journal: Journal) -> None:
    """Eve is part of Ada, whose own name would be a third one beside hers."""
    known_to(journal, ADA, who("Eve Hall", "CZE"))
    done(journal, erase("P1", "asked"))
    done(journal, merge("P2", "P1", "one and the same"))
    found = known_to(journal, ADA, chosen={"Ada Novak": "P2"})
    assert (found.ids, found.new, found.drafts) == ({"Ada Novak (CZE)": "P2"}, (), ())


def test_who_has_a_name_again_may_have_another(journal: Journal) -> None:
    known_to(journal, ADA)
    done(journal, erase("P1", "asked"))
    done(journal, edit_player("P1", name="A. N."))
    found = known_to(journal, ADA, chosen={"Ada Novak": "P1"})
    assert [(one.kind, one.subject) for one in found.drafts] == [("player", "P2"), ("merge", "P2")]


@pytest.mark.parametrize(
    ("chosen", "told"),
    [
        ({"Ben Ode": "P1"}, "no report names them"),
        ({"Ada Novak": "P9"}, "no player has the id P9"),
        ({"Cy Pell": "P1"}, r"this may be any of Cy Pell \(CZE\), Cy Pell \(GER\)"),
    ],
)
def test_a_word_about_nobody_is_refused(
    journal: Journal, chosen: dict[str, str], told: str
) -> None:
    known_to(journal, ADA)
    with pytest.raises(FactsRejected, match=told):
        known_to(journal, ADA, who("Cy Pell", "CZE"), who("Cy Pell", "GER"), chosen=chosen)


# ── the nation held now (wbgf reading W17) ───────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("last_day", "nation"), [("2019-11-16", "USA"), ("2019-11-15", "CZE"), ("2018-01-01", "CZE")]
)
def test_the_latest_tournament_says_the_nation_held_now(
    journal: Journal, last_day: str, nation: str
) -> None:
    handed_in(journal, ("T", "2019-11-15", [("Ada Novak", "CZE")]))
    known_to(journal, who("Ada Novak", "USA", key="P1", last_day=day(last_day)))
    assert nations(journal) == {"P1": nation}


def test_who_moved_is_known_by_both_nations(journal: Journal) -> None:
    handed_in(journal, ("T", "2019-11-15", [("Ada Novak", "CZE")]))
    known_to(journal, who("Ada Novak", "USA", key="P1", last_day=day("2020-01-01")))
    assert known_to(
        journal,
        ADA,
    ).ids == {"Ada Novak (CZE)": "P1"}
    assert known_to(journal, who("Ada Novak", "USA")).ids == {"Ada Novak (USA)": "P1"}
    assert nations(journal) == {"P1": "USA"}


def test_a_report_by_a_merged_record_is_about_the_whole_player(journal: Journal) -> None:
    moved = who("Ada Novak", "USA", last_day=day("2020-01-01"))
    handed_in(journal, ("T", "2019-11-15", [("Ada Novak", "CZE")]))
    known_to(journal, moved)
    (told,) = done(journal, merge("P2", "P1", "she moved")).notices
    assert told.what == "the nation is USA; CZE, of P1, stays"
    (told,) = known_to(journal, moved).notices
    assert told.what == "they were CZE; their nation is now USA, as in their latest tournament"
    assert nations(journal) == {"P1": "USA"}
    assert known_to(journal, moved).notices == ()


def test_a_wish_not_to_be_named_counts_under_whatever_record(journal: Journal) -> None:
    """A report by a merged record withheld only a part that no list shows."""
    known_to(journal, ADA, who("Ada Nowak", "CZE"))
    done(journal, merge("P2", "P1", "one and the same"))
    known_to(journal, who("Ada Nowak", "CZE", withheld=True))
    assert load_projection(journal).tables["players"]["withheld"].to_list() == [True]


def test_a_nation_that_was_not_known_is_taken(journal: Journal) -> None:
    known_to(journal, who("Ada Novak"))
    known_to(journal, who("Ada Novak", "CZE", key="P1"))
    assert nations(journal) == {"P1": "CZE"}


# ── find ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_player_is_found_by_id_name_or_name_and_nation(journal: Journal) -> None:
    known_to(journal, ADA, who("Ada Novak", "USA"), who("Ben Ode"))
    now = load_projection(journal)
    assert [recorded_player_id(now, one) for one in ("P2", " ben ode ", "Ada Novak (Czechia)")] == [
        "P2",
        "P3",
        "P1",
    ]
    with pytest.raises(Refused, match=r"2 players are called Ada Novak. Say the id:\n    P1"):
        recorded_player_id(now, "Ada Novak")
    with pytest.raises(Refused, match=r"No player has the id or the name Bea Ode. .* Ben Ode?"):
        recorded_player_id(now, "Bea Ode")


def test_names_are_not_in_the_chain(journal: Journal) -> None:
    known_to(journal, ADA)
    with journal.reading() as reader:
        assert all(b"Novak" not in entry.line() for entry in reader.entries())


def test_facts_have_every_player_once(journal: Journal) -> None:
    handed_in(journal, ("T", "2019-11-15", [("Ada Novak", "CZE"), ("Ben Ode", None)]))
    players = load_projection(journal).facts["players"].select("player_id", "name", "nation")
    assert players.sort("player_id").rows() == [("P1", "Ada Novak", "CZE"), ("P2", "Ben Ode", None)]
    assert players.filter(pl.col("player_id").is_duplicated()).is_empty()
