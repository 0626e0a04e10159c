"""Grants in bulk: what goes to machine code, what is left to Python, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Any, cast
from unittest.mock import patch

import pytest
from msgspec.structs import replace

from palmares.core import rounding
from palmares.core.errors import Location
from palmares.core.rounding import ExchangeRate
from palmares.points import awards
from palmares.points.kernels import apply, formulas
from palmares.regulations import dptr, usbgf, wbgf
from palmares.regulations.editions import rulebook
from palmares.regulations.model import Event, Flight, Grant, Tournament
from tests.points.kernels.listed import listed

EVENT = Event(event_id="e", name="Open", where=Location("events.csv", 2))
USBGF = rulebook("usbgf", usbgf.Constants).all[-1]


def tournament(number: int = 0, **event: Any) -> Tournament:
    """A tournament of three players."""
    main = Flight(name="main", entrants=3, players=["a", "b", "c"], ranks=[1, 2, 3], tied=[1, 1, 1])
    given: dict[str, Any] = {
        "event_id": f"e{number}",
        "name": f"Open {number}",
        "where": Location("events.csv", number + 2),
        "kind": "championship",
        "entry_fee": Fraction(100),
        "rounds": 2,
        "flights": (main,),
    }
    return Tournament(
        tournament_id=f"t{number}",
        name="T",
        where=Location("tournaments.csv", 2),
        end_date=date(2020, 1, 1 + number),
        rate=ExchangeRate(eur_per_unit=Fraction(1), source="euro"),
        events=(Event(**{**given, **event}),),
    )


def grants(
    module: Any, *tournaments: Tournament, number: Any = float, **chosen: str
) -> list[Grant]:
    """What a module grants for tournaments."""
    rules = rulebook(module.__name__.split(".")[-1], module.Constants, number=number, chosen=chosen)
    found = (one for each in tournaments for one in module.award(rules, each, {}))
    return [one for one in found if isinstance(one, Grant)]


def wins(points: Sequence[Any], **terms: Any) -> Grant:
    """A grant of match win points."""
    return Grant(
        event=EVENT,
        flight="main",
        kind="match",
        effective=date(2020, 1, 1),
        rules=USBGF,
        formula=usbgf.match_win_master_points,
        terms={"event_weight": 2.0, "division_weight": 1.0, **terms},
        players=cast("Sequence[str]", range(len(points))),
        columns={"match_win_points": points},
    )


def by_kernel(given: Sequence[Grant]) -> bool:
    """Whether machine code takes the grants."""
    spec = apply.spec_of(given[0])
    return spec is not None and apply.run(spec, given) is not None


class TestWhatMachineCodeTakes:
    def test_numbers(self) -> None:
        assert by_kernel([wins([1.0, 2.5])])
        assert by_kernel([wins([1, 2.5], event_level=3)])

    @pytest.mark.parametrize(
        "points",
        [
            [1.0, None],
            ["1.0", "2.0"],
            [(7, 7), (7,)],
            [(7, 7), (7, 5)],
            [Fraction(1, 3), 1.0],
            [2**31, 1],
            [2**63, 1],
            [2**70, 1],
        ],
        ids=["none", "text", "ragged", "rows", "fractions", "31 bits", "63 bits", "70 bits"],
    )
    def test_nothing_that_it_would_hold_otherwise(self, points: Sequence[Any]) -> None:
        assert not by_kernel([wins(points)])

    def test_no_exact_rules(self) -> None:
        assert not by_kernel(grants(wbgf, tournament(), number=Fraction))

    def test_no_clause_marked_as_plain_only(self) -> None:
        given = grants(dptr, tournament(), D1="published-inputs")
        assert apply.spec_of(given[0]) is None
        assert listed(apply.work(given, dptr.opening)) == formulas.plain(given, dptr.opening)

    def test_no_function_that_is_not_a_clause(self) -> None:
        assert apply.spec_of(replace(wins([1.0]), formula=lambda match_win_points: 1.0)) is None

    def test_no_clause_that_numba_cannot_hold(self) -> None:
        texts = replace(
            wins([1.0]),
            formula=usbgf.highest_division,
            terms={},
            tables={"division_ranks": [1, 2]},
        )
        assert not by_kernel([texts])
        assert listed(apply.work([texts])) == formulas.plain([texts], None)


class TestOrder:
    def test_grants_come_back_as_they_came(self) -> None:
        given = [*grants(wbgf, tournament(0)), wins([1.0]), *grants(wbgf, tournament(1))]
        given += [wins([], match_win_points=1.0), wins([Fraction(1, 2)])]
        worked = listed(apply.work(given))
        assert [one.grant for one in worked] == given
        assert worked == formulas.plain(given, None)

    def test_a_fold_under_two_editions_is_left_to_python(self) -> None:
        """Each edition's events apart would forget what lay between them."""
        first, second = grants(dptr, tournament(0)), grants(dptr, tournament(1))
        assert first[0].rules is not second[0].rules
        both = [*first, *second]
        with patch.object(apply, "run", side_effect=AssertionError("taken apart")):
            assert listed(apply.work(both, dptr.opening)) == formulas.plain(both, dptr.opening)

    def test_a_table_that_events_share_is_laid_down_once(self) -> None:
        given = grants(wbgf, tournament(0), tournament(1))
        shared = [replace(one, tables=given[0].tables) for one in given]
        spec = apply.spec_of(given[0])
        assert spec is not None
        taken = apply._given(spec, shared)
        assert taken is not None
        assert len(taken["cumulated_all"]) == 4
        assert listed(apply.work(shared)) == formulas.plain(shared, None)


@pytest.fixture(params=[0, 1_000])
def compiled_from(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled from so many rows on: all of them, or none."""
    for name in ("COMPILED_FROM", "COMPILED_FROM_ONCE_LOADED"):
        monkeypatch.setattr(formulas, name, request.param)


@pytest.mark.usefixtures("compiled_from")
class TestWhatCannotBeCounted:
    @pytest.mark.parametrize("points", [float("nan"), float("inf"), float("-inf"), 4.5e9, -4.5e9])
    def test_is_refused_with_its_event(self, points: float) -> None:
        given = [wins([1.0]), wins([1.0, points])]
        worked = awards.work(given)
        ((grant, problem),) = formulas.uncountable(worked, ["ada", "ben"])
        assert grant is given[1]
        assert str(problem) == (
            "events.csv:2: the match points of ben in Open come to no number below 9,000,000,000 "
            "[usbgf match-win-master-points]\n"
            "    Look for a number far too large in the report: "
            "event_weight 2.0, division_weight 1.0."
        )

    def test_what_is_just_below_is_counted(self) -> None:
        (worked,) = awards.work([wins([4.4999e9])])
        assert worked.nanopoints == [8_999_800_000 * rounding.NANO]

    def test_every_event_is_named(self) -> None:
        hugest = [tournament(number, bonus_grade=Fraction(10**12)) for number in range(2)]
        worked = awards.work(grants(wbgf, *hugest))
        found = formulas.uncountable(worked, cast("Sequence[str]", {"a": "Ada"}))
        assert [one.where for _, one in found] == ["events.csv:2", "events.csv:3"]

    def test_a_place_outside_a_table_is_no_garbage(self) -> None:
        (grant,) = grants(wbgf, tournament())
        outside = replace(grant, columns={**grant.columns, "rank": [1, 2, 30_000]})
        with pytest.raises(IndexError):
            awards.work([outside])
