"""Brackets on paper."""

from __future__ import annotations

import re
from random import Random
from xml.etree import ElementTree as ET

import msgspec
import pytest

from palmares.render.event import LINES, SIZES, Paper, bracket_pages
from palmares.tournaments.systems.event import columns, matches
from palmares.tournaments.systems.matches import AnySetup, Outcome, Progress
from tests.tournaments.systems.events import groups, knockout, play_on, swiss

SVG = "{http://www.w3.org/2000/svg}"
TWO_FEEDS = [("consolation", "main", [1, 2, 3]), ("last_chance", "consolation", [1, 2])]


def pages(setup: AnySetup, progress: Progress, paper: Paper = "A4") -> list[ET.Element]:
    return [ET.fromstring(page)  # noqa: S314  our own
            for page in bracket_pages(setup, matches(setup, progress), paper)]  # fmt: skip


def texts(page: ET.Element) -> list[str]:
    return [element.text or "" for element in page.iter(f"{SVG}text")]


def test_all_flights_of_16_on_one_page() -> None:
    setup = knockout(13, TWO_FEEDS)
    (page,) = pages(setup, Progress())
    written = texts(page)
    assert (page.get("width"), page.get("height")) == ("210mm", "297mm")
    assert {"Main", "Consolation", "Last Chance", "Round of 16", "Semi-finals"} <= {*written}
    assert [who for who in setup.names.values() if who not in written] == []
    assert written.count("bye") == 3 + 3  # in the main, and no losers of those matches
    assert "loser of 2.4, Main" in written


def test_scores_and_the_winner_stand_there() -> None:
    setup = knockout(2)
    progress = Progress(outcomes={"main:1:1": Outcome(winner="p2", score=(7, 5))})
    (page,) = pages(setup, progress)
    bold = [e.text for e in page.iter(f"{SVG}text") if e.get("font-weight") == "bold"]
    assert texts(page)[3:] == ["5", "P1", "7", "P2", "1.1", "P2"]
    assert bold == ["Open, page 1 of 1", "Main", "P2", "P2"]


@pytest.mark.parametrize(("many", "paper", "count"), [(64, "A4", 1), (128, "A3", 3), (65, "A4", 3)])
def test_large_fields_are_split(many: int, paper: Paper, count: int) -> None:
    setup = knockout(many)
    made = pages(setup, Progress(), paper)
    assert len(made) == count
    names = [text for page in made for text in texts(page) if re.fullmatch("P[0-9]+", text)]
    first = [match for match in matches(setup, Progress()) if match.round == 1]
    byes = sum(match.state == "bye" for match in first)
    assert len(names) == many + byes  # who has a bye stands in the second round too
    assert len({*names}) == many
    if count > 1:
        assert "Main, section 2 of 2" in texts(made[1])
        assert "winner of 6.1" in texts(made[2])


def test_nothing_leaves_the_page() -> None:
    setup = knockout(64, [("consolation", "main", [1, 2, 3, 4, 5])])
    long = dict.fromkeys(setup.names, "Bartholomäus Freiherr von Hohenstein " * 2)
    setup = msgspec.structs.replace(setup, names=long)
    progress = play_on(setup, Random(1))  # noqa: S311  made-up results
    for paper, (width, height) in SIZES.items():
        for page in pages(setup, progress, paper):
            for element in page.iter(f"{SVG}text"):
                font, x = float(element.get("font-size", "")), float(element.get("x", ""))
                length = 0.5 * font * len(element.text or "")
                at_end = element.get("text-anchor") == "end"
                assert (x - length if at_end else x) > 0
                assert (x if at_end else x + length) < width
                assert 0 < float(element.get("y", "")) < height - 5
            lines = [e for e in page.iter(f"{SVG}text") if (e.text or "").startswith("Barth")]
            assert all(len(e.text or "") < 40 for e in lines)


def test_names_are_no_markup() -> None:
    setup = knockout(2)
    setup = msgspec.structs.replace(
        setup, name="A & B", names={"p1": "<b>&", "p2": "\u5c71\u7530" * 20}
    )
    (page,) = pages(setup, Progress())
    assert "<b>&" in texts(page)
    assert any(text.endswith("…") and len(text) < 20 for text in texts(page))


def test_4096_entrants() -> None:
    setup = knockout(4096)
    made = pages(setup, Progress())
    assert len(made) == 64 + 1
    heads = [texts(page)[2:14] for page in made]
    assert "Round of 4,096" in heads[0]
    assert LINES == 64


def test_groups_have_cross_tables_above_the_bracket() -> None:
    """In the group of p1, p2, p3: p2 beats p3, who does not appear against p1."""
    setup = groups(6, 2, 1)
    outcomes = {"group-1:1:1": Outcome(winner="p2", score=(7, 3)),
                "group-1:3:1": Outcome(winner="p1", how="walkover")}  # fmt: skip
    written = texts(pages(setup, Progress(outcomes=outcomes))[0])
    players = {match.id: match.players for match in matches(setup, Progress())}
    assert players["group-1:1:1"] == ("p2", "p3")
    assert players["group-1:3:1"] == ("p3", "p1")
    names = [setup.names[f"p{number}"] for number in (1, 2, 3)]
    start = written.index("Group 1")
    assert written[start : start + 6] == ["Group 1", "1", "2", "3", "Wins", "Place"]
    rows = ["1", names[0], "×", "", "+", "1", "2",
            "2", names[1], "", "×", "+ 7:3", "1", "1",
            "3", names[2], "−", "− 3:7", "×", "0", "3"]  # fmt: skip
    assert written[start + 6 : start + 6 + len(rows)] == rows
    assert "Group 2" in written
    assert "group 1, place 1" in written


def test_a_swiss_has_a_row_for_each_player() -> None:
    setup = swiss(5, 2)
    outcomes = {"main:1:1": Outcome(winner="p2", score=(9, 8))}
    written = texts(pages(setup, Progress(outcomes=outcomes))[0])
    heads = written.index("Rounds")
    assert written[heads + 1 : heads + 5] == ["1", "2", "Wins", "Place"]
    first, last = (written.index(setup.names[who]) for who in ("p1", "p5"))
    assert written[first + 1 : first + 5] == ["2 − 8:9", "", "0", "3"]
    assert written[last + 1 : last + 5] == ["+", "", "1", "1"]  # a bye
    assert len(pages(swiss(70, 3), Progress())) == 3


def test_in_another_language() -> None:
    setup = knockout(4)
    (page,) = bracket_pages(setup, matches(setup, Progress()), "A4", lambda text: f"<{text}>")
    assert "&lt;Semi-finals&gt;" in page
    assert "&lt;Open, page 1 of 1&gt;" in page


def test_the_second_final_is_drawn_if_it_is_played() -> None:
    setup = knockout(4, [("second", "main", [1, 2])], final_again=True)
    unbeaten = {"main:1:1": Outcome(winner="p1"), "main:1:2": Outcome(winner="p2"),
                "main:2:1": Outcome(winner="p1"), "second:1:1": Outcome(winner="p4"),
                "second:2:1": Outcome(winner="p4")}  # fmt: skip
    for winner, rounds in (("p1", 1), ("p4", 2)):
        progress = Progress(outcomes={**unbeaten, "final:1:1": Outcome(winner=winner)})
        shown = columns(setup, matches(setup, progress))
        assert [(flight.title, len(flight.rounds)) for flight in shown] == [
            ("Main", 2), ("Second", 2), ("Final", rounds)
        ]  # fmt: skip


def test_columns_of_rounds() -> None:
    shown = columns(groups(8, 2, 2), matches(groups(8, 2, 2), Progress()))
    assert [(f.title, f.is_bracket, [r.title for r in f.rounds]) for f in shown] == [
        ("Group 1", False, ["Round 1", "Round 2", "Round 3"]),
        ("Group 2", False, ["Round 1", "Round 2", "Round 3"]),
        ("Main", True, ["Semi-finals", "Final"]),
    ]
