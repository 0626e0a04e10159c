"""Charts of a player: points and rank over time, and what each event gave them."""

from __future__ import annotations

from datetime import date

import polars as pl

from palmares.render.charts import history
from palmares.render.charts.style import Chart
from palmares.web.http.i18n import Wording
from palmares.web.http.state import Snapshot
from palmares.web.shared.history import monthly_chart, rank_history
from palmares.web.shared.results import own_awards


def history_chart(
    snapshot: Snapshot, player_id: str, regulation: str, day: date, theme: str, said: Wording
) -> Chart:
    """A player's points and rank at the ends of months, up to a day."""
    return monthly_chart(rank_history(snapshot, regulation, player_id, day), theme, said)


def points_chart(
    snapshot: Snapshot, player_id: str, regulation: str, day: date, theme: str, said: Wording
) -> Chart:
    """What each event gave a player when it was new, up to a day."""
    awards = own_awards(snapshot, regulation, player_id).frame.filter(pl.col("effective") <= day)
    rows = awards.select("effective", "event", "nanopoints").rows()
    return history.points_chart(rows, theme, said)
