"""Whose line of a printed list it is: exact, one to one, or left open."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmares.facts import Facts
from palmares.formats.load import read
from palmares.formats.printed_lists import PrintedPoints, PrintedRow
from palmares.lists.compare import PlayerMatch, match_rows
from tests.packages import BACKGAMMON, write

PLAYERS = """\
    player_id,name,nation,withheld
    a,Ada Novak,CZE,
    b,Ben Ode,GER,
    b2,Ben Ode,DEN,
    c,Cy Pell,,
    d,Dee Rix,GER,yes
    w,Cy Pell,,
    """


@pytest.fixture
def facts(tmp_path: Path) -> Facts:
    return read(str(write(tmp_path / "p", **BACKGAMMON | {"players": PLAYERS})))


def found(facts: Facts, *lines: tuple[str, str | None, str | None]) -> tuple[PlayerMatch, ...]:
    """Whose lines these are: name, nation, id. All but w have awards."""
    rows = [
        PrintedRow(line=line, name=name, nation=nation, id=key, points=PrintedPoints("1", 1, 0))
        for line, (name, nation, key) in enumerate(lines, start=2)
    ]
    return match_rows(rows, facts, {"a", "b", "b2", "c", "d"})


@pytest.mark.parametrize(
    ("name", "nation", "key", "player", "how"),
    [
        ("Somebody", None, "b", "b", "id"),
        ("Ada Novak", None, "17", "a", "name"),
        ("Ada Novak", "CZE", None, "a", "name and nation"),
        ("Ada Novak", "SVK", None, "a", "name"),
        ("Ben Ode", "DEU", None, "b", "name and nation"),
        ("ADA NOVAK", None, None, "a", "name in other letters"),
        ("Cy Pell", None, None, "c", "name"),  # the other has no awards
        ("Withheld", None, "d", "d", "id"),
        ("Dee Rix", None, None, None, ""),  # a name that is withheld is no name
        ("Ada Nowak", None, None, None, ""),
    ],
)
def test_one_line(
    facts: Facts, name: str, nation: str | None, key: str | None, player: str | None, how: str
) -> None:
    (match,) = found(facts, (name, nation, key))
    assert (match.player_id, match.how, match.several) == (player, how, ())


def test_a_name_of_two_is_left_open(facts: Facts) -> None:
    (match,) = found(facts, ("Ben Ode", None, None))
    assert match == PlayerMatch(several=("b", "b2"))


def test_two_lines_with_one_name_are_both_left_open(facts: Facts) -> None:
    assert found(facts, ("Ada Novak", None, None), ("Ada Novak", None, None)) == (
        PlayerMatch(several=("a",), lines=(3,)),
        PlayerMatch(several=("a",), lines=(2,)),
    )


def test_the_surer_of_two_lines_has_the_player(facts: Facts) -> None:
    first, second = found(facts, ("Ada Novak", "SVK", None), ("Ada Novak", "CZE", None))
    assert second.player_id == "a"
    assert first == PlayerMatch(several=("a",), lines=(3,))
