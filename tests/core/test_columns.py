"""Columns stand below each other for letters of any width."""

from __future__ import annotations

import pytest

from palmares.core.columns import align, text_width


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("", 0),
        ("Ada", 3),
        ("山田太郎", 8),
        ("김철수", 6),
        ("Žofie", 5),
        ("e\u0301", 1),
        ("ａ１", 4),
    ],
)
def test_how_many_places_a_text_takes(text: str, width: int) -> None:
    assert text_width(text) == width


def test_columns_begin_or_end_below_each_other() -> None:
    assert align([("player", "points"), ("山田", "9.50"), ("Ada Novak", "12.00")], [1]) == [
        "player     points",
        "山田         9.50",
        "Ada Novak   12.00",
    ]
