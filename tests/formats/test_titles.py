"""A title says the name, and what stands plainly beside it."""

from __future__ import annotations

import pytest

from palmares.formats.titles import title_parts


@pytest.mark.parametrize(
    ("title", "name", "days", "place", "entrants"),
    [
        ("Graz Open", "Graz Open", "", "", ""),
        ("*Graz Open 2020*", "Graz Open 2020", "", "", ""),
        ("Graz Open, 17-19 January 2020", "Graz Open", "2020-01-17 2020-01-19", "", ""),
        ("17-19 January 2020: Graz Open", "Graz Open", "2020-01-17 2020-01-19", "", ""),
        ("Graz Open (17.-19.1.2020)", "Graz Open", "2020-01-17 2020-01-19", "", ""),
        ("Graz Open, Graz (AUT), 19 January 2020", "Graz Open", "2020-01-19", "Graz AUT", ""),
        ("Graz Open, Graz, Austria", "Graz Open", "", "Graz AUT", ""),
        ("Graz Open, Bled (SLO), 64 players", "Graz Open", "", "Bled SVN", "64"),
        ("Graz Open (64 players)", "Graz Open", "", "", "64"),
        ("Open, Atlanta, Georgia", "Open, Atlanta, Georgia", "", "", ""),  # which may be two
        ("Graz Open, Austria", "Graz Open, Austria", "", "", ""),
        ("Ada Novak Memorial (CZE)", "Ada Novak Memorial (CZE)", "", "", ""),
        ("Graz Open, Main (ABC)", "Graz Open, Main (ABC)", "", "", ""),
        ("Graz Open 05/06/2011", "Graz Open 05/06/2011", "", "", ""),  # may be two days
        ("17-19 January 2020", "17-19 January 2020", "2020-01-17 2020-01-19", "", ""),
    ],
)
def test_titles(title: str, name: str, days: str, place: str, entrants: str) -> None:
    parts = title_parts(title)
    written = " ".join(dict.fromkeys(day.isoformat() for day in parts.days or ()))
    assert (parts.name, written, parts.entrants) == (name, days, entrants)
    assert f"{parts.city} {parts.country}".strip() == place
