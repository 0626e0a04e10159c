"""
The running totals of a bridge event as a chart.

Every total grows by some ten VPs a round, so that lines of totals lie on each other. Each line
shows how far a team is above or below the average of the field.
"""

from __future__ import annotations

from collections.abc import Sequence

from palmares.bridge.standings import Standing, Standings, running, vp_text
from palmares.render.charts.style import LINES, WIDTH, Chart, styled

MOST_TEAMS = 64
"""Nobody can tell more lines apart."""
LEAST_HEIGHT, HEIGHT_PER_TEAM = 260, 16
_DASHES: tuple[list[int], ...] = ([], [7, 3], [2, 2])  # whole, dashed, dotted


def running_chart(standings: Standings) -> Chart:
    """Describe each team's total after each round, against the average of those in the list.

    Args:
        standings: the list; after so many teams no more are shown.
    """
    teams = [team for team in standings.teams if not team.withdrawn][:MOST_TEAMS]
    labels = [f"{team.rank} {team.name}  {vp_text(team.points)}" for team in teams]
    description = "VPs above or below the average of the field after each round."
    if standings.unfinished:
        description = f"{description} Up to round {standings.rounds[-1]}."
    rounds = ["0", *(name or "–" for name in standings.rounds)]
    chart = styled(
        [_lines(labels)],
        _rows(standings, teams, labels),
        description=description,
        title=standings.event,
    )
    return {**chart, "params": [{"name": "rounds", "value": rounds}]}  # for the axis


def _rows(standings: Standings, teams: Sequence[Standing], labels: Sequence[str]) -> list[Chart]:
    """A row for each team at the start and after each round."""
    totals = running(standings)
    average = [
        sum(column) / len(teams)
        for column in zip(*(totals[team.team] for team in teams), strict=True)
    ]
    return [
        {
            "team": label,
            "at": at,
            "above": (total - average[at]) / 100,
        }
        for label, team in zip(labels, teams, strict=True)
        for at, total in enumerate(totals[team.team])
    ]


def _lines(labels: Sequence[str]) -> Chart:
    """A line for each team, told apart by colour and form."""
    paint = [LINES[n % len(LINES)] for n in range(len(labels))]
    dashes = [_DASHES[n // len(LINES) % len(_DASHES)] for n in range(len(labels))]
    legend = {"title": None, "symbolType": "stroke", "symbolSize": 300, "orient": "right"}
    team = {"field": "team", "type": "nominal", "sort": None, "legend": legend}
    return {
        "width": WIDTH,
        "height": max(LEAST_HEIGHT, HEIGHT_PER_TEAM * len(labels)),
        "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 22}},
        "encoding": {
            "x": {
                "field": "at",
                "type": "quantitative",
                "title": "round",
                "axis": {"grid": False, "tickMinStep": 1, "labelExpr": "rounds[datum.value]"},
            },
            "y": {
                "field": "above",
                "type": "quantitative",
                "title": "VPs above or below the average",
            },
            "color": team | {"scale": {"domain": labels, "range": paint}},
            "strokeDash": team | {"scale": {"domain": labels, "range": dashes}},
        },
    }
