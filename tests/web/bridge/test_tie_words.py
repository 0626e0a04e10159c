"""How ties were broken, in every language."""

from __future__ import annotations

import pytest

from palmares.bridge.standings import TIE_BREAKS, Tie, TieBreakStep
from palmares.web.http.i18n import wording

UNMET = "they have not all met equally often"
LABELS = {name: label for name, (label, _) in TIE_BREAKS.items()}


NAMES = {one: f"Team {one}" for one in "ABCD"}


def step(rule: str, *groups: str, label: str = "", reason: str = "", **values: str) -> TieBreakStep:
    """A step that parted teams of one letter: ``step("wins", "A", "BC", ...)``."""
    return TieBreakStep(
        rule=rule,
        label=label or LABELS[rule],
        names=NAMES,
        values=values,
        groups=tuple(tuple(group) for group in groups),
        reason=reason,
    )


PASSED = step("vps-among", "ABC", reason=UNMET)
NO_LOT = step("lot", "AB", reason="no lot was entered for Team A and Team B")
LEVEL = step("wins", "ABC", A="3", B="3", C="3")
TWO = step("vps-among", "A", "B", A="15.74", B="4.26")
THREE = step("imps-among", "A", "B", "C", A="+20.5", B="0", C="-20.5")
SHARED = step("wins", "A", "BCD", A="4", B="3", C="3", D="3")
SECOND = step("quotient", "BC", "D", B="9/6 = 1.5000", C="9/6 = 1.5000", D="6/9 = 0.6667")
OTHER = "VPs against Heron, the highest common opponent"
COMMON = step("common-opponent", "A", "B", label=OTHER, A="12.00", B="8.00")
TIES = (
    Tie(points=100, teams=("A", "B"), names=NAMES, steps=(TWO,), groups=(("A",), ("B",))),
    Tie(
        points=90,
        teams=tuple("ABCD"),
        names=NAMES,
        steps=(SHARED, SECOND),
        groups=(("A",), ("B", "C"), ("D",)),
    ),
)


def test_teams_go_by_their_names() -> None:
    assert str(SHARED) == "Team A ahead on matches won: 4 to 3"
    assert TIES[1].of("B").endswith("; shares the rank with Team C")


def test_every_rule_has_its_words() -> None:
    for rule, label in LABELS.items():
        assert str(step(rule, "A", reason=UNMET)).startswith(label)


def test_each_step_in_english() -> None:
    assert [str(one) for one in (NO_LOT, LEVEL, THREE, COMMON)] == [
        "the drawn lot: passed over, no lot was entered for Team A and Team B",
        "matches won: level at 3",
        "Team A ahead on IMPs between the tied teams: +20.5 to 0 and -20.5",
        "Team A ahead on VPs against Heron, the highest common opponent: 12.00 to 8.00",
    ]
    assert TIES[1].of("D") == (
        "behind on matches won: 3 to 4; behind on IMP quotient: 6/9 = 0.6667 to 9/6 = 1.5000"
    )


@pytest.mark.parametrize(
    ("told", "german", "french"),
    [
        (TWO, "Team A vorn, VP im direkten Vergleich: 15,74 zu 4,26",
         "Team A devant, PV entre les équipes à égalité\u00a0: 15,74 contre 4,26"),
        (SHARED, "Team A vorn, gewonnene Matches: 4 zu 3",
         "Team A devant, matchs gagnés\u00a0: 4 contre 3"),
        (THREE, "Team A vorn, IMPs im direkten Vergleich: +20,5 zu 0 und \u221220,5",
         "Team A devant, IMP entre les équipes à égalité\u00a0: +20,5 contre 0 et \u221220,5"),
        (PASSED, ("VP im direkten Vergleich: übergangen,"
         " sie haben nicht alle gleich oft gegeneinander gespielt"),
         ("PV entre les équipes à égalité\u00a0: sans objet,"
         " elles ne se sont pas toutes rencontrées aussi souvent")),
    ],
    ids=["two", "shared", "three", "passed over"],
)  # fmt: skip
def test_in_other_languages(told: TieBreakStep, german: str, french: str) -> None:
    words = str(told)
    assert (wording("de").text(words), wording("fr").text(words)) == (german, french)
