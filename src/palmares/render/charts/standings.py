"""
The running totals of a bridge event as a chart.

Every total grows by some ten VPs a round, so that lines of totals lie on each other. Each line
shows how far a team is above or below the average of the field.
"""

from __future__ import annotations

from collections.abc import Sequence

from palmares.bridge.standings import Standing, Standings, running, vp_text
from palmares.render.charts.style import LINES, WIDTH, Chart, Language, styled

MOST_TEAMS = 64
"""Nobody can tell more lines apart."""
LEAST_HEIGHT, HEIGHT_PER_TEAM = 260, 16
_DASHES: tuple[list[int], ...] = ([], [7, 3], [2, 2])  # whole, dashed, dotted


def running_chart(
    made: Standings, theme: str, language: Language, *, is_file: bool = False
) -> Chart:
    """Describe each team's total after each round, against the average of those in the list.

    Args:
        made: the list; after so many teams no more are shown.
        theme: of `THEMES`.
        language: of all words.
        is_file: it stands alone: with the event's name, and the totals in its legend.
    """
    teams = [team for team in made.teams if not team.withdrawn][:MOST_TEAMS]
    labels = [_label(team, with_total=is_file) for team in teams]
    _ = language.text
    description = _("VPs above or below the average of the field after each round.")
    if made.unfinished:
        description = f"{description} {_('Up to round %s.') % made.rounds[-1]}"
    rounds = ["0", *(name or "–" for name in made.rounds)]
    chart = styled(
        [_lines(labels, theme, language, is_file=is_file)],
        _rows(made, teams, labels, language),
        theme,
        language,
        description=description,
        title=made.event if is_file else "",
    )
    return {**chart, "params": [{"name": "rounds", "value": rounds}]}  # for the axis


def _label(team: Standing, *, with_total: bool) -> str:
    label = f"{team.rank} {team.name}"
    return f"{label}  {vp_text(team.points)}" if with_total else label


def _rows(
    made: Standings, teams: Sequence[Standing], labels: Sequence[str], language: Language
) -> list[Chart]:
    """A row for each team at the start and after each round."""
    totals = running(made)
    rounds = ["0", *(name or "–" for name in made.rounds)]
    average = [
        sum(column) / len(teams)
        for column in zip(*(totals[team.team] for team in teams), strict=True)
    ]
    return [
        {
            "team": label,
            "at": at,
            "round": rounds[at],
            "above": (total - average[at]) / 100,
            "total": language.figures(vp_text(total)),
        }
        for label, team in zip(labels, teams, strict=True)
        for at, total in enumerate(totals[team.team])
    ]


def _lines(labels: Sequence[str], theme: str, language: Language, *, is_file: bool) -> Chart:
    """A line for each team, told apart by colour and form."""
    _ = language.text
    colours = LINES[theme]
    paint = [colours[n % len(colours)] for n in range(len(labels))]
    dashes = [_DASHES[n // len(colours) % len(_DASHES)] for n in range(len(labels))]
    place = {"orient": "right"} if is_file else {"orient": "bottom", "columns": 2,
                                                 "labelLimit": 140}  # fmt: skip
    legend = {"title": None, "symbolType": "stroke", "symbolSize": 300, **place}
    team = {"field": "team", "type": "nominal", "sort": None, "legend": legend}
    return {
        "width": WIDTH,
        "height": max(LEAST_HEIGHT, HEIGHT_PER_TEAM * len(labels)),
        "mark": {"type": "line", "strokeWidth": 2, "point": {"size": 22}},
        "encoding": {
            "x": {
                "field": "at",
                "type": "quantitative",
                "title": _("round"),
                "axis": {"grid": False, "tickMinStep": 1, "labelExpr": "rounds[datum.value]"},
            },
            "y": {
                "field": "above",
                "type": "quantitative",
                "title": _("VPs above or below the average"),
            },
            "color": team | {"scale": {"domain": labels, "range": paint}},
            "strokeDash": team | {"scale": {"domain": labels, "range": dashes}},
            "tooltip": [
                {"field": "team", "type": "nominal", "title": _("team")},
                {"field": "round", "type": "nominal", "title": _("round")},
                {"field": "total", "type": "nominal", "title": _("VPs")},
            ],
        },
    }
