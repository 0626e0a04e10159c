"""
Points in JSON: counted exactly, and beside that as lists show them.

    told    a page  ->  the same in plain values, points in both forms
    TWINS   which fields are nanopoints, and what the text beside each is called

A program that adds or compares takes the integers: they are what is ranked, and no JSON reader
rounds them. One that prints takes the texts, and shows what every list shows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date
from typing import Any

from palmares.rounding import shown
from palmares.web.api.calculations import Calculation
from palmares.web.pages.calculators import Calculated
from palmares.web.pages.courses import CourseRow
from palmares.web.pages.explanation import AwardPage, OtherDay
from palmares.web.pages.finding import Standing
from palmares.web.pages.nation import Compatriot, NationStanding
from palmares.web.pages.nation_list import NationRow
from palmares.web.pages.officer_changes import Change
from palmares.web.pages.officer_queue import Given
from palmares.web.pages.player import AheadRow, OnList, PlayerListPage, ResultRow
from palmares.web.pages.publications import PublicationRow
from palmares.web.pages.ranking import RankingRow
from palmares.web.pages.totals import TotalsRow
from palmares.web.pages.tournament import PlacingRow
from palmares.web.rehearsals import Move

POINTS = {"nanopoints": "points"}
WORTH = {**POINTS, "worth": "worth_points"}
TWINS: Mapping[type, Mapping[str, str]] = {
    RankingRow: POINTS,
    NationRow: POINTS,
    TotalsRow: {
        name: f"{name}_points"
        for name in ("live_match", "live_placement", "online_match", "online_placement", "total")
    },
    Standing: POINTS,
    OnList: POINTS,
    PlayerListPage: POINTS,
    ResultRow: WORTH,
    AheadRow: {**POINTS, "to_defend": "to_defend_points"},
    CourseRow: POINTS,
    AwardPage: WORTH,
    OtherDay: POINTS,
    Compatriot: POINTS,
    NationStanding: POINTS,
    PlacingRow: POINTS,
    PublicationRow: POINTS,
    Calculated: WORTH,
    Calculation: POINTS,
    Change: {name: f"{name}_points" for name in ("before", "after", "change")},
    Given: {"change": "change_points"},
    Move: {name: f"{name}_points" for name in ("before", "after", "total_before", "total_after")},
}
"""The fields that are nanopoints, and the name of the text beside each."""


def told(value: Any) -> Any:
    """A page in plain values; beside nanopoints the points as lists show them."""
    if isinstance(value, (str, int, float, date, bytes)) or value is None:
        return value
    if isinstance(value, Mapping):
        return {name: told(one) for name, one in value.items()}
    if not is_dataclass(value):
        return [told(one) for one in value]
    twins = TWINS.get(type(value), {})
    found: dict[str, Any] = {}
    for field in fields(value):
        one = found[field.name] = told(getattr(value, field.name))
        if field.name in twins:
            found[twins[field.name]] = _text(one)
    return found


def _text(nanopoints: Any) -> Any:
    """One number or several as text; none where there are none."""
    if isinstance(nanopoints, list):
        return [_text(one) for one in nanopoints]
    return None if nanopoints is None else shown(nanopoints)
