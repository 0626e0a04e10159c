"""
The API as routes.

    ROUTES      every handler of it, literally; the document describes them
    PATH        where they are
"""

from __future__ import annotations

from typing import Any

from palmares.web.api import (
    about,
    bridge,
    calculators,
    nations,
    players,
    publications,
    rankings,
    regulations,
    tournaments,
)

PATH = "/api/v1"

ROUTES: tuple[Any, ...] = (
    about.about,
    rankings.rankings,
    rankings.ranking,
    rankings.nations,
    rankings.totals,
    players.players,
    players.player,
    players.standing,
    players.awards,
    players.award,
    players.history,
    players.expiries,
    nations.nations,
    nations.nation,
    tournaments.tournaments,
    tournaments.tournament,
    publications.publications,
    publications.publication,
    publications.manifest,
    publications.proof,
    regulations.regulations,
    regulations.regulation,
    regulations.edition,
    regulations.editions,
    calculators.calculators,
    calculators.performance,
    calculators.master_points,
    calculators.percentile,
    calculators.victory_points,
    bridge.events,
    bridge.event,
)
"""Every handler of the API; who may use it says `palmares.web.rights`, as of every other."""
