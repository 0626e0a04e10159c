"""A regulation of another package whose results fade, that says what it must and no more."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.packages import BACKGAMMON

MODULE = '''
"""A club's snowmen: they melt in ten days."""

from pathlib import Path
from typing import Any, NamedTuple

from palmares.regulations import Decay, Grant, Regulation, Sum, clause


class Constants(NamedTuple):
    snow: Any
    days: Any


@clause("snow size")
def size(constants, entrants):
    return constants.snow * entrants


@clause("snow share")
def share(size, rank):
    return size / rank


@clause("snow melting")
def days_left(constants, age):
    return max(0, constants.days - age)


def fade(rules, effective, as_of):
    return int(days_left(rules.constants, (as_of - effective).days)), int(rules.constants.days)


def award(rulebook, tournament, memberships):
    for event in tournament.events:
        flight = event.flight("main")
        rules = rulebook.on(tournament.end_date)
        yield Grant(
            event=event,
            flight="main",
            kind="snow",
            effective=tournament.end_date,
            rules=rules,
            formula=share,
            terms={"size": size(rules.constants, flight.entrants)},
            players=flight.players,
            columns={"rank": flight.ranks},
        )


snow = Regulation(
    name="snow",
    title="A club's snowmen",
    discipline="backgammon",
    constants=Constants,
    award=award,
    aggregate=Sum(decay=Decay(left=fade)),
    kinds=("snow",),
    rules_directory=Path(__file__).parent / "sheets",
)
'''
SHEET = """
[edition]
regulation  = "snow"
title       = "A club's snowmen"
author      = "the club"
source      = "the notice board"
selected_by = "any date"

[constants]
snow = { is = 3, unit = "heaps", clause = "size" }
days = { is = 10, unit = "days", clause = "melting" }

[clauses]
share   = { label = "Rule 1", kind = "computes", says = "The snow is shared by rank." }
size    = { label = "Rule 2", kind = "computes", says = "Three heaps for each who came." }
melting = { label = "Rule 3", kind = "computes", says = "It melts in ten days." }
"""
PACKAGE = BACKGAMMON


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: str = MODULE, sheet: str = SHEET
) -> None:
    """Put the package on the path."""
    monkeypatch.delitem(sys.modules, "club_snow", raising=False)
    site = folder / "snow-site"
    about, sheets = site / "club_snow-1.0.dist-info", site / "sheets" / "snow"
    about.mkdir(parents=True)
    sheets.mkdir(parents=True)
    (site / "club_snow.py").write_text(module)
    (sheets / "2020.toml").write_text(sheet)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: club-snow\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[palmares.regulations]\nsnow = club_snow:snow\n")
    monkeypatch.syspath_prepend(site)
