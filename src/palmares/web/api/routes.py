"""
The API as routes.

    ROUTES      every handler of it, literally; the document describes them
    PATH        where they are
"""

from __future__ import annotations

from typing import Any

from palmares.web.api import about, rankings

PATH = "/api/v1"

ROUTES: tuple[Any, ...] = (
    about.about,
    rankings.rankings,
    rankings.ranking,
    rankings.nations,
    rankings.totals,
)
"""Every handler of the API; who may use it says `palmares.web.rights`, as of every other."""
