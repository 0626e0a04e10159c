"""
The running totals of a bridge event as a chart.

    running_chart   a list  ->  a description

Every total grows by some ten VPs a round, so that lines of totals lie on each other. Each line
shows how far a team is above or below the average of the field; a tip says its total.
"""

from __future__ import annotations

from collections.abc import Sequence

from palmares.bridge.standings import Standings, running, vp_text
from palmares.web.charts.history import WIDTH, Chart, styled
from palmares.web.http.i18n import Wording
from palmares.web.shared.standings import CHART_LEAST, CHART_PER_TEAM

MOST_TEAMS = 64
"""Nobody can tell more lines apart."""
_COLOURS = {
    "light": ("#0072B2", "#C24E00", "#007A5A", "#A8487F", "#8F6400"),
    "dark": ("#56B4E9", "#FF9D5C", "#3FC9A0", "#E3A0C6", "#E8C15A"),
}
_INK = {"light": "#1c2321", "dark": "#e6eae8"}
_FORMS: tuple[list[int], ...] = ([], [7, 3], [2, 2])  # whole, dashed, dotted


def running_chart(made: Standings, theme: str, said: Wording) -> Chart:
    """Each team's total after each round, against the average of those in the list.

    Args:
        made: the list.
        theme: "light" or "dark".
        said: the language.
    """
    teams = [one for one in made.teams if not one.withdrawn][:MOST_TEAMS]
    totals = running(made)
    rounds = ["0", *(one or "–" for one in made.rounds)]
    average = [sum(column) / len(teams) for column in zip(*(totals[one.team] for one in teams),
                                                          strict=True)]  # fmt: skip
    names = [f"{one.rank} {one.name}" for one in teams]
    rows = [
        {
            "team": name,
            "at": at,
            "round": rounds[at],
            "above": (total - average[at]) / 100,
            "total": said.figures(vp_text(total)),
        }
        for name, one in zip(names, teams, strict=True)
        for at, total in enumerate(totals[one.team])
    ]
    _ = said.text
    told = _("VPs above or below the average of the field after each round.")
    if made.unfinished:
        told = f"{told} {_('Up to round %s.') % made.rounds[-1]}"
    return {
        **styled(theme, said, told=told, parts=[_lines(names, theme, said)]),
        "data": {"values": rows},
    }


def _lines(names: Sequence[str], theme: str, said: Wording) -> Chart:
    """A line for each team, told apart by colour and form."""
    _ = said.text
    colours = _COLOURS[theme]
    paint = [colours[n % len(colours)] for n in range(len(names))]
    forms = [_FORMS[n // len(colours) % len(_FORMS)] for n in range(len(names))]
    legend = {
        "title": None,
        "symbolType": "stroke",
        "symbolSize": 300,
        "labelLimit": 140,
        "orient": "bottom",
        "columns": 2,
        "labelFontSize": 12,
        "labelColor": _INK[theme],
    }
    team = {"field": "team", "type": "nominal", "sort": None, "legend": legend}
    return {
        "width": WIDTH,
        "height": max(CHART_LEAST, CHART_PER_TEAM * len(names)),
        "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 22}},
        "encoding": {
            "x": {
                "field": "at",
                "type": "quantitative",
                "title": _("round"),
                "axis": {"grid": False, "tickMinStep": 1, "format": ",d"},
            },
            "y": {
                "field": "above",
                "type": "quantitative",
                "title": _("VPs above or below the average"),
            },
            "color": team | {"scale": {"domain": names, "range": paint}},
            "strokeDash": team | {"scale": {"domain": names, "range": forms}},
            "tooltip": [
                {"field": "team", "type": "nominal", "title": _("team")},
                {"field": "round", "type": "nominal", "title": _("round")},
                {"field": "total", "type": "nominal", "title": _("VPs")},
            ],
        },
    }
