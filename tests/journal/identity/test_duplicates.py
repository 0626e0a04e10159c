"""Names that look alike are told, best first; decisions are remembered, and can be undone."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.journal.commands.players import apart, merge, unmerge
from palmares.journal.commands.reports import POSSIBLE_DUPLICATES
from palmares.journal.identity.duplicates import (
    INITIALS,
    MIN_SCORE,
    PossibleDuplicate,
    limit_per_player,
    similarity,
    suggestions,
)
from palmares.journal.identity.register import Register
from palmares.journal.identity.resolve import NEW
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal
from tests.amounts import amount
from tests.journal.naming import done, handed_in, known_to, who
from tests.journal.statements import OFFICER, player, undo

ADA = who("Ada Novak", "CZE")


def queue(journal: Journal, least: int = MIN_SCORE) -> list[PossibleDuplicate]:
    """Who is to be decided on."""
    projection = load_projection(journal)
    with journal.reading() as reader:
        return suggestions(Register.of(projection, reader), least)


def pairs(journal: Journal, least: int = MIN_SCORE) -> list[tuple[str, str, int]]:
    """The same in short."""
    return [(one.player, one.other, one.score) for one in queue(journal, least)]


# ── how alike ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("one", "other", "score"),
    [
        ("Ada Novak", "Ada Novák", 100),  # accents
        ("Ada Novak", "NOVAK, Ada", 100),  # capitals, commas, the order of words
        ("Jean-Luc Roy", "Jean Luc Roy", 100),
        ("Søren Łuk", "Soren Luk", 100),
        ("Иван Новак", "Ivan Novák", 100),  # another script, as its letters sound
        ("Νίκος Παππάς", "Nikos Pappas", 100),
        ("李伟", "Li Wei", 100),  # a word for each syllable
        ("김민준", "Gim Min-Jun", 100),
        ("A. Novak", "Ada Novak", INITIALS),
        ("Novak A", "Ada Novak", INITIALS),
        ("A. B. Novak", "Ada Bea Novak", INITIALS),
        ("J. Roy", "Jean-Luc Roy", INITIALS),  # for both first names
        ("A. Novak", "Ada Bea Novak", INITIALS),
        ("Novak", "Ada Novak", INITIALS),  # a last name alone
        ("Ada Novak", "Ada Maria Novak", INITIALS),  # without the second first name
        ("Juan Garcia", "Juan Garcia Lopez", INITIALS),  # without the second last name
        ("Bo Bo", "Bo B.", INITIALS),  # a word twice stands for itself once
        ("Ada Novak", "Ada Nowak", 88),  # 1 of 9 letters differs: 1 - 2/18 = 0.888
        ("Ada Novak", "Ben Ode", 25),  # 2 of 16 letters in common order: 2 * 2 / 16
    ],
)
def test_how_alike_two_names_are(one: str, other: str, score: int) -> None:
    assert similarity(one, other) == similarity(other, one) == score


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("B. Novak", "Ada Novak"),  # another initial
        ("A. Novak", "Ada Horvat"),  # no word in common
        ("A. Bo Novak", "Ada Bea Cy Novak"),  # a word less, and another one
        ("Ada Novak", "Ada Novak & Ben Ode"),  # one of a pair
        ("Ada Novak", "Ada Novak and Ben Ode"),
        ("Ada Novak", "Ada Novak/Ben Ode"),
        ("Ada Novak", "Ada Novak + Ben Ode"),
        ("Ada Novak", "Ada Bea Horvat"),  # another last name
    ],
)
def test_an_initial_stands_for_a_word_that_begins_so(one: str, other: str) -> None:
    assert similarity(one, other) != INITIALS
    assert similarity(one, other) < MIN_SCORE


NAMES = st.text("abcdeéøŁ -.'", min_size=1, max_size=20)


@settings(max_examples=amount(1_000))
@given(NAMES, NAMES)
def test_likeness_has_no_direction(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 100


# ── beside new players ───────────────────────────────────────────────────────────────────────────


def test_a_new_player_is_told_beside_whom_he_may_be(journal: Journal) -> None:
    known_to(journal, ADA, who("Ben Ode", "GER"))
    (one,) = known_to(journal, who("A. Novak", "CZE")).possible_duplicates
    assert (one.player, one.other, str(one.other_form)) == ("P3", "P1", "Ada Novak (CZE)")
    assert (one.score, one.why) == (88, "similar names, same nation")


@pytest.mark.parametrize("nation", ["CZE", None])
def test_a_last_name_alone_may_be_each_who_has_it(journal: Journal, nation: str | None) -> None:
    known_to(journal, ADA, who("Ben Novak", "CZE"), who("Cy Ode", "CZE"))
    found = known_to(journal, who("Novak", nation)).possible_duplicates
    assert [str(one.other_form) for one in found] == ["Ada Novak (CZE)", "Ben Novak (CZE)"]


@pytest.mark.parametrize(
    ("nation", "score", "why"),
    [
        ("CZE", 100, "the same words, same nation"),
        (None, 97, "the same words, a nation is not known"),
        ("USA", 90, "the same words, USA and CZE"),
    ],
)
def test_another_nation_makes_it_less_likely(
    journal: Journal, nation: str | None, score: int, why: str
) -> None:
    known_to(journal, ADA)
    (one,) = known_to(journal, who("Ada Novák", nation)).possible_duplicates
    assert (one.score, one.why) == (score, why)


def test_the_same_id_elsewhere_is_told_whatever_the_names_are(journal: Journal) -> None:
    known_to(journal, who("Ada Novak", "CZE", more={"usbgf_id": "123", "wbgf_id": "5"}))
    found = known_to(
        journal,
        who("Bea Horvat", "HRV", more={"usbgf_id": "123"}),
        who("Cy Pell", more={"usbgf_id": "5"}),  # the same number of another federation
    )
    (one,) = found.possible_duplicates
    assert (one.player, one.other, one.score) == ("P2", "P1", 100)
    assert one.why == "the same usbgf id 123"


def test_who_is_new_by_an_officers_word_is_not_told_again(journal: Journal) -> None:
    known_to(journal, ADA)
    found = known_to(journal, who("A. Novak", "CZE"), ADA, chosen={"Ada Novak": NEW})
    told = [(one.player, one.other) for one in found.possible_duplicates]
    assert told == [("P2", "P1"), ("P3", "P2")]  # two new ones, of whom one was decided on
    assert pairs(journal) == [("P1", "P2", 88), ("P2", "P3", 88)]  # but never P1 and P3
    found = known_to(journal, who("Ada Nowak", "CZE"), chosen={"Ada Nowak": NEW})
    assert found.possible_duplicates == ()
    assert pairs(journal) == [("P1", "P2", 88), ("P2", "P3", 88)]
    assert [one.kind for one in found.drafts] == ["player", "apart", "apart"]  # from P1 and P3


def test_of_players_as_alike_the_oldest_record_is_first(journal: Journal) -> None:
    """However late a name was corrected: so every process of a site shows the same entries."""
    known_to(journal, ADA, who("Ada Nowak", "CZE"))
    journal.record([player("P1", "Ada Nowik", "CZE")], OFFICER)
    found = known_to(journal, who("Ada Nowek", "CZE"), chosen={"Ada Nowek": NEW})
    apart = [one.body.players for one in found.drafts if one.kind == "apart"]
    assert apart == [["P1", "P3"], ["P2", "P3"]]


def test_other_spellings_of_a_player_are_compared_too(journal: Journal) -> None:
    """Merged records and earlier names: whoever knows them by one writes it again, or nearly."""
    known_to(journal, ADA, who("A. Novotny", "CZE"))
    done(journal, merge("P2", "P1", "asked her"))
    (one,) = known_to(journal, who("A. Novotna", "CZE")).possible_duplicates
    assert (one.other, str(one.other_form), one.score) == ("P1", "Ada Novak (CZE)", 88)
    assert one.why == "also written A. Novotny (CZE): similar names, same nation"
    assert pairs(journal) == [("P1", "P3", 88)]
    assert queue(journal)[0].why == one.why


def test_an_erased_name_is_beside_nobody(journal: Journal) -> None:
    from palmares.journal.commands.decisions import erase

    known_to(journal, ADA)
    done(journal, erase("P1", "asked"))
    assert known_to(journal, who("P1 Novak", "CZE")).possible_duplicates == ()


def test_new_players_are_told_beside_each_other(journal: Journal) -> None:
    """As they come with many reports at once: whoever comes later looks like the earlier one."""
    found = known_to(journal, ADA, who("Ben Ode", "GER"), who("A. Novak", "CZE"))
    told = [(one.player, one.other, one.score) for one in found.possible_duplicates]
    assert told == [("P3", "P1", 88)] == [(b, a, score) for a, b, score in pairs(journal)]


def test_new_players_with_the_same_id_elsewhere_are_told(journal: Journal) -> None:
    same = {"usbgf_id": "1"}
    found = known_to(journal, who("Ada Novak", more=same), who("Bea Horvat", more=same))
    assert [(one.player, one.other, one.score) for one in found.possible_duplicates] == [
        ("P2", "P1", 100)
    ]
    assert pairs(journal) == [("P1", "P2", 100)]


def test_two_new_by_an_officers_word_are_two(journal: Journal) -> None:
    short = who("A. Novak", "CZE")
    said = {"Ada Novak": NEW, "A. Novak": NEW}
    assert known_to(journal, ADA, short, chosen=said).possible_duplicates == ()
    assert pairs(journal) == []


def test_of_a_common_name_the_best_are_told(journal: Journal) -> None:
    known_to(journal, *(who(f"Ada Novak{letter}", "CZE") for letter in "abcdefg"))
    found = known_to(journal, who("Ada Novak", "CZE"))
    assert len(found.possible_duplicates) == 7
    assert [one.other for one in limit_per_player(found.possible_duplicates)] == [
        "P1",
        "P2",
        "P3",
        "P4",
        "P5",
    ]


# ── who met in one event ─────────────────────────────────────────────────────────────────────────

SHORT = ("A. Novak", "CZE")


def test_two_who_met_are_never_suggested(journal: Journal) -> None:
    """They stand in one event; nobody does so twice."""
    found = handed_in(journal, ("T", "2019-11-15", [("Ada Novak", "CZE"), SHORT]))
    assert [one for one in found.notices if one.clause == POSSIBLE_DUPLICATES] == []
    assert pairs(journal) == []


def test_two_who_meet_later_are_suggested_no_more(journal: Journal) -> None:
    ada = ("Ada Novak", "CZE")
    handed_in(journal, ("T", "2019-11-15", [ada]), ("U", "2019-11-16", [SHORT]))
    assert pairs(journal) == [("P1", "P2", 88)]
    handed_in(journal, ("V", "2019-11-17", [ada, SHORT]))
    assert pairs(journal) == []


def test_a_known_player_and_a_new_one_of_one_event_are_two(journal: Journal) -> None:
    """Whatever the known one is called in it."""
    ada, horvat = ("Ada Novak", "CZE"), ("Ada Horvat", "CZE")
    handed_in(journal, ("T", "2019-11-15", [ada]))
    said = {"Ada Horvat": "P1"}
    found = handed_in(journal, ("U", "2019-11-16", [horvat, SHORT]), chosen=said)
    assert [one for one in found.notices if one.clause == POSSIBLE_DUPLICATES] == []


# ── the queue ────────────────────────────────────────────────────────────────────────────────────


def test_the_queue_has_every_pair_once_the_best_first(journal: Journal) -> None:
    known_to(journal, who("Ada Novák", "CZE"), ADA, who("A. Novak", "CZE"), who("Ben Ode", "GER"))
    assert pairs(journal) == [("P1", "P2", 100), ("P1", "P3", 88), ("P2", "P3", 88)]
    assert pairs(journal, 90) == [("P1", "P2", 100)]


def test_the_same_id_elsewhere_puts_a_pair_into_the_queue(journal: Journal) -> None:
    known_to(journal, who("Ada Novak", more={"usbgf_id": "1"}))
    known_to(journal, who("Bea Horvat", more={"usbgf_id": "1"}))
    assert pairs(journal) == [("P1", "P2", 100)]


def test_what_was_decided_leaves_the_queue_until_it_is_undone(journal: Journal) -> None:
    known_to(journal, who("Ada Novák", "CZE"), ADA)
    kept = done(journal, apart("P1", "P2", "mother and daughter")).entries[0].sequence
    assert pairs(journal) == []
    journal.record([undo(kept)], OFFICER)
    assert pairs(journal) == [("P1", "P2", 100)]
    done(journal, merge("P2", "P1", "asked her"))
    assert pairs(journal) == []
    done(journal, unmerge("P2", "it was the other one"))
    assert pairs(journal) == [("P1", "P2", 100)]


def test_who_is_kept_apart_stays_so_when_another_record_joins(journal: Journal) -> None:
    known_to(journal, who("Ada Novák", "CZE"), ADA, who("A. Novak", "CZE"))
    done(journal, apart("P1", "P2", "mother and daughter"))
    done(journal, merge("P3", "P2", "asked her"))
    assert pairs(journal) == []


def test_names_that_many_share_are_compared_by_what_is_rare(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palmares.journal.identity.duplicates.MAX_PER_NAME", 3)
    many = [who(f"Player {number:03}") for number in range(0, 200, 7)]
    known_to(journal, *many)
    known_to(journal, who("Plaier 014"))
    assert ("P3", "P30", 87) in pairs(journal)


@settings(max_examples=amount(1_000))
@given(st.lists(st.text("abé. ", min_size=1, max_size=6), min_size=1, max_size=8, unique=True))
def test_a_quick_first_look_loses_nobody(names: list[str]) -> None:
    """New names find beside themselves whom the queue finds later."""
    from palmares.journal.identity import duplicates

    frame = pl.DataFrame(
        [(f"P{number}", name, None) for number, name in enumerate(names)],
        schema={"player_id": pl.String, "name": pl.String, "nation": pl.String},
        orient="row",
    )
    frame = frame.with_columns(now="name", nation_now="nation")
    prepared = duplicates._with_plain_names(frame)
    for row in range(len(names)):
        one = duplicates._with_plain_names(frame[row : row + 1])
        few = duplicates._with_plain_names(duplicates._sharing_a_beginning(one, frame))
        every = {found.other for found in duplicates._similar_pairs(one, prepared, 90)}
        assert {found.other for found in duplicates._similar_pairs(one, few, 90)} == every


@pytest.mark.parametrize(
    ("name", "is_told"),
    [
        ("Ada Novak Graz", True),
        ("Ada Novakk Graz", True),  # one letter more, and a town
        ("Ada Novak Klagenfurt am Wörthersee", True),  # longer than the name
        ("Ada Nolan Graz", False),
        ("Ada Klagenfurt am Wörthersee", False),
    ],
)
def test_a_known_name_with_a_town_behind_it_is_told(
    journal: Journal, name: str, is_told: bool
) -> None:
    known_to(journal, ADA)
    found = known_to(journal, who(name)).possible_duplicates
    assert [one.other for one in found] == ["P1"] * is_told
