"""Points and ranks over time as a chart: points above, ranks below, and what changed them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import pairwise

import polars as pl

from palmares.core.errors import Refused
from palmares.core.rounding import NANO, points_text
from palmares.points.history import BETWEEN, History, lasting
from palmares.render.charts import LINES, PAINT, TIME_AXIS, WIDTH, Chart, compose_chart

MOST_PLAYERS = len(LINES)
TICKS = 5
MOST_DOTS = 60
"""The most days that have a dot each."""
LABEL_GAPS = 28
"""The days of which names stand above are at least the whole time divided by this apart."""
LONGEST_NAME = 180  # pixels
KINDS = {"sum": ("step-after", True), "fading": ("linear", True), "rating": ("step-after", False)}
"""How points go on from one day to the next, and whether their axis begins at 0."""
BEGAN, ENDED = "results begin to count", "results count no more"
_SHAPES = {BEGAN: "circle", ENDED: "triangle-down"}


Points = Sequence[tuple[date, float | None, int | None]]
"""Days with points and rank; none on a day on which a player is on no list."""


# ── of a history ─────────────────────────────────────────────────────────────────────────────────


def refuse_too_many(players: int) -> None:
    """Refuse more players than a chart has lines for.

    Raises:
        Refused: there are too many players.
    """
    if players > MOST_PLAYERS:
        raise Refused(
            f"A chart shows up to {MOST_PLAYERS} players, not {players}. Draw them in groups,"
            " or ask for the table."
        )


def players_chart(history: History) -> Chart:
    """Describe a history as a chart; days ahead are dashed, and results that began are named.

    Raises:
        Refused: there are too many players.
    """
    people = history.careers.people
    refuse_too_many(len(people))
    question, period = history.careers.question, history.careers.period
    ahead_of = period.until if period.ahead else None
    labels, rows, marks, end = list[str](), list[Chart](), list[Chart](), ""
    for player, name in people.items():
        line = history.line.filter(pl.col("player_id") == player)
        points = _points(line)
        rank = f", rank {points[-1][2]}" if points[-1][2] else ""
        end = f"{points_text(line['nanopoints'][-1])} points{rank}"
        labels.append(f"{name}: {end}")
        rows += _rows(points, {"player": labels[-1]} if len(people) > 1 else {}, ahead_of)
        marks += _marks(history, player, labels[-1], points)
    title = question.get_regulation().title
    notes = [f"dashed: after {ahead_of}, if nobody plays"] if ahead_of else []
    if len(people) == 1:
        title = f"{', '.join(people.values())}: {title}"
        notes.insert(0, f"{end} on {period.last}")
    if waiting := len(history.careers.waiting):
        wait = "event waits and is" if waiting == 1 else "events wait and are"
        notes.append(f"{waiting} {wait} not in this picture")
    kind = "rating" if question.aggregate.latest else "sum" if lasting(question) else "fading"
    chart = compose_chart(
        _parts(labels, rows, marks, ahead_of, kind),
        rows,
        description="Points above, rank below.",
        title=title,
        subtitle="; ".join(notes),
    )
    return {**chart, "resolve": {"scale": {"x": "shared"}}}


def _points(line: pl.DataFrame) -> Points:
    """A player's points and ranks; there is a gap where they are on no list."""
    points: list[tuple[date, float | None, int | None]] = []
    before = None
    for day, nanopoints, rank in line.drop("player_id").iter_rows():
        if rank is None and before is not None:  # the last rank lasts until the gap begins
            points.append((day, nanopoints / NANO, before))
        points.append((day, None if rank is None else nanopoints / NANO, rank))
        before = rank
    return points


# ── the description ──────────────────────────────────────────────────────────────────────────────


def _parts(
    labels: Sequence[str],
    rows: Sequence[Chart],
    marks: Sequence[Chart],
    ahead_of: date | None,
    kind: str,
) -> list[Chart]:
    """Points above and ranks below, of one player or several over time.

    Args:
        labels: of the players, as in the legend.
        rows: of every player's days.
        marks: of days on which results begin to count or no longer do.
        ahead_of: the last day on which anybody plays; lines are dashed after it.
        kind: of points, of `KINDS`; ranks go on in steps.
    """
    interpolate, from_zero = KINDS[kind]
    upright = {"mark": {"type": "rule", "color": PAINT["quiet"]}}  # the last day anybody plays
    turn = [{"data": {"values": [{"day": str(ahead_of)}]}, **upright}] if ahead_of else []
    ranks = [row["rank"] for row in rows if row["rank"] is not None]
    points_axis = {"title": "points", "scale": {"zero": from_zero}}
    rank_axis = {
        "title": "rank",
        "scale": {"reverse": True, "zero": False, "nice": False},
        "axis": {"values": _ticks(ranks), "format": ",d"},
    }

    def part(field: str, axis: Chart, paint_alone: str, height: int, more: list[Chart]) -> Chart:
        y = {"field": field, "type": "quantitative", **axis}
        colour = _colour(labels, PAINT[paint_alone])
        line = _line(colour, y, rows, interpolate if field == "points" else "step-after")
        layer = [line, *turn, *more, *_symbols(marks, y, colour)]
        return {"width": WIDTH, "height": height, "encoding": {"x": TIME_AXIS}, "layer": layer}

    return [
        part("points", points_axis, "accent", 200, _names(marks)),
        part("rank", rank_axis, "other", 130, []),
    ]


def _rows(points: Points, whose: Chart, ahead_of: date | None) -> Iterator[Chart]:
    """A row for each day; the day from which a line is dashed has two."""
    for day, value, rank in points:
        row = {"day": str(day), "points": value, "rank": rank, **whose}
        if ahead_of is None:
            yield row
            continue
        if day <= ahead_of:
            yield {**row, "ahead": False}
        if day >= ahead_of:
            yield {**row, "ahead": True}


def _marks(history: History, player: str, label: str, points: Points) -> Iterator[Chart]:
    """A row for each thing that happened, with the points and the rank of its day."""
    on_day = {day: (value, rank) for day, value, rank in reversed(points)}
    before = {
        day: points_before or 0
        for (day_before, points_before, _), (day, *_) in pairwise(points)
        if day_before < day
    }
    for what, frame in ((BEGAN, history.begun), (ENDED, history.ended)):
        for day, names in frame.filter(pl.col("player_id") == player).drop("player_id").iter_rows():
            value, rank = on_day[day]
            yield {"day": str(day), "points": value, "rank": rank, "player": label, "what": what,
                   "names": BETWEEN.join(names) if what == BEGAN else "",
                   "change": abs((value or 0) - before.get(day, 0))}  # fmt: skip


def _ticks(ranks: list[int]) -> list[int]:
    """Whole numbers for an axis of ranks: between two ranks there is nothing."""
    if not ranks:
        return []
    step = max(1, -(-(max(ranks) - min(ranks)) // TICKS))
    return list(range(min(ranks), max(ranks) + 1, step))


def _colour(labels: Sequence[str], alone: str) -> Chart:
    """The colour of each player; of one player, points and ranks have different colours."""
    if len(labels) == 1:
        return {"value": alone}
    return {
        "field": "player",
        "type": "nominal",
        "title": None,
        "scale": {"domain": labels, "range": LINES[: len(labels)]},
        "legend": {"orient": "bottom", "columns": 2, "symbolType": "stroke"},
    }


# ── layers ───────────────────────────────────────────────────────────────────────────────────────


def _line(colour: Chart, y: Chart, rows: Sequence[Chart], interpolate: str) -> Chart:
    mark = {"type": "line", "interpolate": interpolate, "strokeWidth": 2}
    dots = {"point": {"size": 22} if len(rows) <= MOST_DOTS else False}
    dashed = {
        "field": "ahead",
        "type": "nominal",
        "scale": {"domain": [False, True], "range": [[], [6, 3]]},
        "legend": None,
    }
    is_dashed = bool(rows) and "ahead" in rows[0]
    return {
        "mark": {**mark, **dots},
        "encoding": {"y": y, "color": colour, **({"strokeDash": dashed} if is_dashed else {})},
    }


def _symbols(marks: Sequence[Chart], y: Chart, colour: Chart) -> list[Chart]:
    """Dots where results begin to count, triangles where they no longer do."""
    kinds = [what for what in _SHAPES if any(mark["what"] == what for mark in marks)]
    if not kinds:
        return []
    shape = {
        "field": "what",
        "type": "nominal",
        "title": None,
        "scale": {"domain": kinds, "range": [_SHAPES[what] for what in kinds]},
        "legend": {"orient": "bottom", "symbolFillColor": PAINT["quiet"]},
    }
    return [
        {
            "data": {"values": marks},
            "mark": {
                "type": "point",
                "filled": True,
                "size": 60,
                "opacity": 1,
                "stroke": PAINT["paper"],
            },
            "encoding": {"y": y, "color": colour, "shape": shape},
        }
    ]


def _names(marks: Sequence[Chart]) -> list[Chart]:
    """Names above the points, of the results that changed most and are far enough apart."""
    chosen: list[Chart] = []
    days = [date.fromisoformat(mark["day"]) for mark in marks]
    apart = (max(days) - min(days)) / LABEL_GAPS if days else timedelta()
    for mark in sorted(marks, key=lambda mark: -mark["change"]):
        day = date.fromisoformat(mark["day"])
        taken = (date.fromisoformat(other["day"]) for other in chosen)
        if mark["names"] and all(abs(day - other) > apart for other in taken):
            chosen.append(mark)
    if not chosen:
        return []
    data = {"values": chosen}
    return [
        {
            "data": data,
            "mark": {"type": "rule", "color": PAINT["line"], "strokeDash": [2, 2]},
            "encoding": {"y": {"field": "points", "type": "quantitative"}, "y2": {"value": 0}},
        },
        {
            "data": data,
            "mark": {"type": "text", "align": "left", "angle": -40, "dx": 4, "dy": -2,
                     "limit": LONGEST_NAME, "color": PAINT["ink"]},
            "encoding": {"y": {"value": 0}, "text": {"field": "names"}},
        },
    ]  # fmt: skip
