"""Curves: where their numbers stand."""

from __future__ import annotations

from datetime import date

from palmares.web.shared.history import HistoryPoint, draw_curve


def test_numbers_stand_beside_their_points() -> None:
    """The box of the points goes from 8 to 190; those to come stand below a line that falls."""
    first, until, ahead = date(2020, 1, 1), date(2020, 6, 30), date(2021, 6, 30)
    history = [HistoryPoint(day=until, nanopoints=50, rank=3)]
    coming = [HistoryPoint(day=ahead, nanopoints=25, rank=4)]
    curve = draw_curve(history, {first: 100, until: 50}, until, coming)
    assert curve is not None
    assert curve.points_y == 8 + 182 * (1 - 50 / 100) - 4
    assert curve.left_y == 8 + 182 * (1 - 25 / 100) + 16
    alone = draw_curve(history, {first: 100, until: 50}, until)
    assert alone is not None
    assert (alone.left, alone.left_y) == (None, None)
