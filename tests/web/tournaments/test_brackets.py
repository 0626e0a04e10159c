"""The bracket of a knockout is made of its matches; where they do not fit there is none."""

from __future__ import annotations

from itertools import pairwise

from palmares.web.shared.names import ShownPlayer
from palmares.web.tournaments.views import MOST_ROUNDS, bracket

COLUMNS = ("round", "winner_id", "loser_id", "length")
Match = tuple[str | None, str, str | None]


def drawn(*matches: Match) -> list[tuple[str, list[tuple[str, str] | None]]]:
    """Each round by its name, with winner and loser of each match; a bye has no loser: ""."""
    rows = [dict(zip(COLUMNS, (*match, 9), strict=True)) for match in matches]
    ids = {player for _, *both in matches for player in both if player}
    players = {one: ShownPlayer(player_id=one, player=one.upper(), nation=None) for one in ids}
    return [
        (
            one.round,
            [
                (match.winner.player_id, match.loser.player_id if match.loser else "")
                if match
                else None
                for match in one.matches
            ],
        )
        for one in bracket(rows, players)
    ]


def test_each_match_stands_between_those_that_led_to_it() -> None:
    found = drawn(
        ("Quarter", "d", "h"), ("Quarter", "a", "e"), ("Quarter", "c", "g"), ("Quarter", "b", "f"),
        ("Semi", "b", "d"), ("Semi", "a", "c"),
        ("Final", "a", "b"),
    )  # fmt: skip
    assert found == [
        ("Quarter", [("a", "e"), ("c", "g"), ("b", "f"), ("d", "h")]),
        ("Semi", [("a", "c"), ("b", "d")]),
        ("Final", [("a", "b")]),
    ]


def test_the_matches_of_a_series_are_one_place() -> None:
    """Who won the last of them went on."""
    found = drawn(
        ("Semi", "c", "a"), ("Semi", "a", "c"), ("Semi", "a", "c"), ("Semi", "b", "d"),
        ("Final", "b", "a"), ("Final", "a", "b"), ("Final", "a", "b"),
    )  # fmt: skip
    assert found == [("Semi", [("a", "c"), ("b", "d")]), ("Final", [("a", "b")])]


def test_a_place_where_no_match_was_reported_stays_empty() -> None:
    found = drawn(
        ("Last 8", "c", "g"), ("Last 8", "b", None), ("Last 8", "d", "h"),
        ("Last 4", "a", "c"), ("Last 4", "b", "d"),
        ("Last 2", "a", "b"),
    )  # fmt: skip
    assert found[0] == ("Last 8", [None, ("c", "g"), ("b", ""), ("d", "h")])


def test_matches_that_lead_to_no_final_make_no_bracket() -> None:
    assert drawn() == []
    assert drawn(("Final", "a", "b")) == []  # a single match is no bracket
    assert drawn((None, "a", "b"), (None, "c", "d")) == []
    assert drawn(("Semi", "a", "c"), ("Semi", "b", "d"), ("Final", "a", "e")) == []
    robin = [("1", "a", "b"), ("1", "c", "d"), ("2", "a", "c"), ("2", "b", "d")]
    assert drawn(*robin) == []


def test_a_large_field_begins_with_the_round_of_16() -> None:
    left = [f"p{number:02}" for number in range(64)]
    matches: list[Match] = []
    while len(left) > 1:
        matches += [(f"Last {len(left)}", a, b) for a, b in list(pairwise(left))[::2]]
        left = left[::2]
    found = drawn(*matches)
    assert [name for name, _ in found] == ["Last 16", "Last 8", "Last 4", "Last 2"]
    assert [len(round_) for _, round_ in found] == [8, 4, 2, 1]
    assert len(found) == MOST_ROUNDS


def test_of_two_rounds_with_as_many_matches_the_later_is_nearer_the_final() -> None:
    found = drawn(
        ("Prelim", "a", "x"), ("Prelim", "b", "y"),
        ("Semi", "a", "c"), ("Semi", "b", "d"),
        ("Final", "a", "b"),
    )  # fmt: skip
    assert found == [
        ("Prelim", [("a", "x"), None, ("b", "y"), None]),
        ("Semi", [("a", "c"), ("b", "d")]),
        ("Final", [("a", "b")]),
    ]
