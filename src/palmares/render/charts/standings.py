"""
The running totals of a bridge event as a picture.

    running_chart   a list  ->  the bytes of an SVG or PNG

Every total grows by some ten VPs a round, so that lines of totals lie on each other. Each line
shows how far a team is above or below the average of the field; its label says its total.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from palmares.bridge.standings import Standing, Standings, running
from palmares.bridge.tiebreaks import shown_cells
from palmares.core.errors import Refused
from palmares.render.charts.style import COLOURS, GREY, INK, blank, drawn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FORMS = ("solid", (0, (5, 1.5)), (0, (1.5, 1.2)))  # whole, dashed, dotted
TOLD_APART = len(COLOURS) * len(FORMS)
MOST_TEAMS = 64
INCHES_PER_TEAM = 0.26
LEAST_INCHES = 5.0
MOST_TICKS = 16


def running_chart(made: Standings, suffix: str) -> bytes:
    """Each team's total after each round, against the average of those in the list.

    Colour and form of line tell teams apart; beyond as many as that the rest is grey.

    Raises:
        Refused: there are no rounds, or more teams than one can see; or no such suffix.
    """
    teams = [one for one in made.teams if not one.withdrawn]
    if not teams or not made.rounds or len(teams) > MOST_TEAMS:
        raise Refused(
            f"A picture shows 1 to {MOST_TEAMS} teams and at least one round; here are"
            f" {len(teams)} teams and {len(made.rounds)} rounds."
        )
    figure, axes = blank("round", "VPs above or below the average", title=made.event)
    figure.set_figheight(max(LEAST_INCHES, INCHES_PER_TEAM * len(teams)))
    above = _above_average(teams, running(made))
    for place, one in enumerate(teams):
        colour, form = _look(place)
        axes.plot(above[one.team], color=colour, linestyle=form, linewidth=1.8, zorder=100 - place)
    axes.axhline(0, color=GREY, linewidth=0.8, zorder=0)
    _label(axes, teams, above)
    rounds = ["0", *(round_ or "" for round_ in made.rounds)]
    step = -(-len(rounds) // MOST_TICKS)
    axes.set_xticks(range(0, len(rounds), step), rounds[::step])
    axes.set_xlim(0, len(made.rounds) * 1.01)
    axes.grid(visible=False, axis="x")
    return drawn(figure, suffix)


def _above_average(
    teams: Sequence[Standing], totals: Mapping[str, Sequence[int]]
) -> dict[str, list[float]]:
    """VPs above the average of the teams, at the start and after each round."""
    columns = zip(*(totals[one.team] for one in teams), strict=True)
    average = [sum(column) / len(teams) for column in columns]
    return {
        one.team: [
            (total - mean) / 100 for total, mean in zip(totals[one.team], average, strict=True)
        ]
        for one in teams
    }


def _look(place: int) -> tuple[str, str | tuple[int, tuple[float, ...]]]:
    """Colour and form of the line of the team at a place."""
    if place >= TOLD_APART:
        return "#B0B0B0", "solid"
    form = FORMS[place // len(COLOURS)]
    return COLOURS[place % len(COLOURS)], form if isinstance(form, str) else (form[0], form[1])


def _label(axes: Axes, teams: Sequence[Standing], above: Mapping[str, Sequence[float]]) -> None:
    """Names and totals at the right ends of the lines, moved apart where they would overlap."""
    low, high = axes.get_ylim()
    last = len(above[teams[0].team]) - 1
    ends = [above[one.team][-1] for one in teams]
    gap = (high - low) / max(len(teams) * 1.05, 18)
    for place, (one, end, at) in enumerate(zip(teams, ends, apart(ends, gap), strict=True)):
        colour, form = _look(place)
        axes.plot(
            [last, last * 1.02, last * 1.04],
            [end, at, at],
            color=colour,
            linestyle=form,
            linewidth=1.2,
            clip_on=False,
        )
        axes.annotate(
            f"{one.rank}  {one.name}  {shown_cells(one.points)}",
            (last * 1.05, at),
            annotation_clip=False,
            parse_math=False,  # a name may hold dollars
            va="center",
            fontsize=10,
            color=INK,
        )


def apart(ends: Sequence[float], gap: float) -> list[float]:
    """Heights of labels for lines that end, from the top down, at these heights.

    Labels are at least *gap* apart and keep their order; a crowd is spread around its middle.
    """
    crowds: list[list[float]] = []
    for end in ends:
        crowds.append([end])
        while len(crowds) > 1 and _lowest(crowds[-2], gap) - _highest(crowds[-1], gap) < gap:
            last = crowds.pop()
            crowds[-1] += last
    return [_highest(crowd, gap) - gap * at for crowd in crowds for at in range(len(crowd))]


def _highest(crowd: Sequence[float], gap: float) -> float:
    return sum(crowd) / len(crowd) + gap * (len(crowd) - 1) / 2


def _lowest(crowd: Sequence[float], gap: float) -> float:
    return sum(crowd) / len(crowd) - gap * (len(crowd) - 1) / 2
