"""USBGF Streaming Funding Policy: the sums an officer writes, from the text's own rates."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from palmares.regulations import get_regulation
from palmares.regulations.editions import Rules
from palmares.regulations.usbgf_streaming import baggage, carried_over, expenses, guarantee


@pytest.fixture
def rules() -> Rules:
    found = get_regulation("usbgf-streaming").rulebook(number=Fraction).on(date(2015, 4, 7))
    assert found is not None
    return found


class TestGuarantee:
    """'… a minimum payment to Streamer per tournament (e.g. $50 per day of streaming)'"""

    @pytest.mark.parametrize(("days", "dollars"), [(0, 0), (1, 50), (2, 100), (5, 250)])
    def test_fifty_a_day(self, rules: Rules, days: int, dollars: int) -> None:
        assert guarantee(rules.constants, days) == dollars


class TestBaggage:
    """'… baggage fees for checking streaming equipment (estimated $50 total per tournament)'"""

    def test_fifty_a_tournament(self, rules: Rules) -> None:
        assert baggage(rules.constants) == 50


class TestCarriedOver:
    """'If funds raised exceed USBGF expenses, the excess would be … carried over'"""

    @pytest.mark.parametrize(
        ("raised", "streamer", "bags", "carried"),
        [(180, 100, 50, 30), (150, 100, 50, 0), (120, 100, 50, -30)],
    )
    def test_what_exceeds_or_is_missing(
        self, raised: int, streamer: int, bags: int, carried: int
    ) -> None:
        assert carried_over(raised, expenses(streamer, bags)) == carried


def test_before_its_approval_no_edition_is_in_force() -> None:
    """'Approved by USBGF BOD – 4/7/2015'"""
    assert get_regulation("usbgf-streaming").rulebook().on(date(2015, 4, 6)) is None
