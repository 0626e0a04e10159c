"""Bridge as people read it: standings of teams, scales to print and post, and charts of both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from html import escape
from math import ceil
from typing import Any

from msgspec.structs import replace

from palmares.bridge.results import TeamResult
from palmares.bridge.standings import (
    Standings,
    TeamStanding,
    by_round,
    crosstable,
    running,
    vp_text,
)
from palmares.bridge.vp import Scale, edition
from palmares.core.errors import Refused
from palmares.render import pdf
from palmares.render.charts import LINES, WIDTH, Chart, compose_chart
from palmares.render.tables import (
    FOR_PEOPLE,
    OutputColumn,
    OutputTable,
    html_table,
    pdf_pages,
    table_lines,
)

WIDEST = 12
"""Teams up to which the crosstable is shown unasked: on a terminal of a hundred columns."""

LIST = (
    OutputColumn("rank", kind="number"),
    OutputColumn("team"),
    OutputColumn("points", "VP", "number"),
    OutputColumn("played", kind="number"),
    OutputColumn("won", kind="number"),
    OutputColumn("drawn", kind="number"),
    OutputColumn("lost", kind="number"),
    OutputColumn("imps_for", "IMPs for", "number"),
    OutputColumn("imps_against", "against", "number"),
)
CARRIED = OutputColumn("carried", kind="number", optional=True)
PARTS = (
    OutputColumn("match_points", "matches", "number", hidden=True),
    OutputColumn("adjustments", "adjusted", "number", optional=True),
    CARRIED,
    OutputColumn("tie_break", hidden=True),
)
"""What the points of a team are made of, and how ties were broken."""
ROUNDS = OutputColumn("rounds", hidden=True)


_STYLE = """\
<style>
.palmares-standings { font-variant-numeric: tabular-nums }
.palmares-standings table { border-collapse: collapse; margin: 1em 0 }
.palmares-standings caption { font-weight: bold; text-align: left }
.palmares-standings :is(th, td) { border-bottom: 1px solid #ccc; padding: .2em .6em }
.palmares-standings :is(th, td) { font-weight: normal; text-align: left }
.palmares-standings thead th { font-weight: bold }
.palmares-standings .number { text-align: right }
</style>"""

# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────


def list_table(standings: Standings, chosen: str) -> OutputTable:
    """The list, a row for each team."""
    return OutputTable(
        rows=[team_row(team) | {"team": name_of(team, chosen)} for team in standings.teams],
        columns=[*LIST, *PARTS, *([ROUNDS] if chosen == "json" else [])],
    )


def name_of(team: TeamStanding, chosen: str) -> str:
    """The name of a team for people, its id for programs."""
    return team.name if chosen in FOR_PEOPLE else team.team


def team_row(team: TeamStanding) -> dict[str, Any]:
    """One team; IMPs and VPs are numbers."""
    return {
        "rank": team.rank,
        "team": team.team,
        "points": Decimal(vp_text(team.points)),
        "played": team.played,
        "won": team.won,
        "drawn": team.drawn,
        "lost": team.lost,
        "imps_for": imps(team.imps_for),
        "imps_against": imps(team.imps_against),
        "match_points": Decimal(vp_text(team.match_points)),
        "adjustments": Decimal(vp_text(team.adjustments)),
        "carried": Decimal(vp_text(team.carried)),
        "tie_break": team.tie_break,
        "rounds": list(map(round_row, team.results)),
    }


def round_row(result: TeamResult) -> dict[str, Any]:
    """One match of a team; a bye and a void match have no IMPs."""
    met = result.is_played
    return {
        "round": result.round,
        "opponent": result.opponent,
        "boards": result.boards,
        "imps_for": imps(result.imps_for) if met else None,
        "imps_against": imps(result.imps_against) if met else None,
        "vp": None if result.status == "void" else vp_text(result.vp),
        "status": result.status,
    }


def imps(value: Fraction) -> int | float:
    """IMPs as a plain number."""
    return value.numerator if value.denominator == 1 else float(value)


def crosstable_table(standings: Standings, chosen: str) -> OutputTable:
    """Each team against each other; columns are headed by the place in the list."""
    places = {team.team: str(place) for place, team in enumerate(standings.teams, start=1)}
    table = crosstable(standings)
    rows = [
        {
            "place": places[team.team],
            "team": name_of(team, chosen),
            **{
                places[other]: "x"
                if other == team.team
                else " / ".join(vp_text(result.vp) for result in met)
                for other, met in table[team.team].items()
            },
            "points": Decimal(vp_text(team.points)),
        }
        for team in standings.teams
    ]
    headings = [OutputColumn(place, kind="number") for place in places.values()]
    first = [OutputColumn("place", " ", "number", priority=0), OutputColumn("team", priority=0)]
    return OutputTable(
        rows=rows, columns=[*first, *headings, OutputColumn("points", "VP", "number", priority=0)]
    )


# ── Words ────────────────────────────────────────────────────────────────────────────────────────


def standings_title(standings: Standings) -> str:
    """The event, the round and the scale."""
    after = f", after round {standings.rounds[-1]}" if standings.unfinished else ""
    return f"{standings.event}{after}, {standings.scale} scale"


def lines_below(standings: Standings, room: int | None = None) -> Iterator[str]:
    """Lines below the list for people: the crosstable if it is not too wide, ties, notes.

    Args:
        standings: the standings.
        room: letters in a line; none: as many as there are.
    """
    notes = list(tie_lines(standings))
    crosstable_lines = table_lines(crosstable_table(standings, "table"))
    if len(standings.teams) <= WIDEST and (room is None or max(map(len, crosstable_lines)) <= room):
        yield from crosstable_lines
        yield from [""] if notes else []
    yield from notes


def tie_lines(standings: Standings) -> Iterator[str]:
    """How ties were broken, and what became of withdrawn teams."""
    for tie in standings.ties:
        yield f"{', '.join(tie.team_names(tie.teams))}: level on {vp_text(tie.points)} VPs"
        for step in tie.steps:
            yield f"  {step}"
        for group in tie.groups:
            if len(group) > 1:
                yield f"  {', '.join(tie.team_names(group))}: share the rank"
    yield from standings.notes


# ── HTML ─────────────────────────────────────────────────────────────────────────────────────────


def standings_html(standings: Standings) -> str:
    """Standings as one section of HTML, without script; every text is escaped.

    Whoever writes it into a file writes ASCII, so that names are right in a page of any encoding.
    """
    parts = [
        f'<section class="palmares-standings">\n{_STYLE}',
        f"<h2>{escape(standings.event)}</h2>",
    ]
    parts += [
        html_table(table, ' class="number"', "team").rstrip() for table in _every_table(standings)
    ]
    if notes := list(tie_lines(standings)):
        parts.append("<h3>Ties and notes</h3>\n<p>" + "<br>\n".join(map(escape, notes)) + "</p>")
    parts.append(
        f"<p><small>{escape(standings_title(standings))}. Made with Palmares.</small></p>\n"
        "</section>\n"
    )
    return "\n".join(parts)


def _every_table(standings: Standings) -> list[OutputTable]:
    """The list, the crosstable and the rounds, for people."""
    tables = {
        "Standings": list_table(standings, "html"),
        "Victory points of each match": crosstable_table(standings, "html"),
        "Victory points by round, adjustments included": _rounds_table(standings),
    }
    return [replace(table, title=caption) for caption, table in tables.items()]


def standings_pdf(standings: Standings, source: Sequence[pdf.Cited]) -> bytes:
    """The list, the crosstable and the rounds as PDF, with the editions that made them."""
    first, *others = _every_table(standings)
    notes = [line.strip() for line in tie_lines(standings)]
    return pdf.compile_pdf(
        pdf_pages(
            [replace(first, title=standings_title(standings), notes=notes, source=source), *others]
        )
    )


def _rounds_table(standings: Standings) -> OutputTable:
    """Each team's VPs of each round, and the total."""
    by_team = by_round(standings)
    headings = [
        OutputColumn(str(at), round_ or "all", "number")
        for at, round_ in enumerate(standings.rounds)
    ]
    rows = [
        {
            "team": team.name,
            "carried": Decimal(vp_text(team.carried)),
            "points": vp_text(team.points),
            **{
                str(at): vp_text(by_team[team.team][round_])
                for at, round_ in enumerate(standings.rounds)
                if round_ in by_team[team.team]
            },
        }
        for team in standings.teams
    ]
    columns = [OutputColumn("team"), CARRIED, *headings, OutputColumn("points", "VP", "number")]
    return OutputTable(rows=rows, columns=columns)


# ── A scale on one A4 page ────────────────────────────────────────────────────────────────────────

SHEET_HEIGHT = 640.0  # what table and notes may take of the page, in points
NOTE, LETTERS = 14.0, 110  # height of a line of the notes, and letters on it
LARGEST, SMALLEST = 24.0, 5.0  # its letters, in points; the sizes below are in such letters
LINE = 1.5  # height of a row
DIGIT = 0.65  # height of a digit
MARGIN, RANGE, GAP = 2.9, 4.3, 2.0  # width of the first column, and between blocks
DECIMAL_SCORES, INTEGER_SCORES = 5.9, 5.0  # width of both sides' scores, with two decimals or none
MOST_CORRECTIONS = 12  # corrected cells that are named one by one

Row = tuple[str, ...]


def scale_page(scales: Sequence[Scale]) -> pdf.Content:
    """A page for the template: one scale, or several of the same match side by side.

    Raises:
        Refused: the table is too long to be read on one page.
    """
    headings, rows = _ranges(scales[0]) if _of_ranges(scales) else _margins(scales)
    width = RANGE if _of_ranges(scales) else MARGIN
    width += sum(INTEGER_SCORES if scale.is_discrete else DECIMAL_SCORES for scale in scales)
    notes = tuple(note for scale in scales for note in _scale_notes(scale, several=len(scales) > 1))
    height = SHEET_HEIGHT - NOTE * sum(ceil(len(note) / LETTERS) for note in notes)
    count, size = _laid_out(len(rows), len(scales), width, height)
    if size < SMALLEST:
        raise Refused(
            f"A table of {len(rows)} rows is too long for one page. Write .xlsx or .html instead."
        )
    each = ceil(len(rows) / count)
    boards, names = scales[0].boards, " and ".join(scale.name for scale in scales)
    parts = ("WBF victory points", f"{names} scale", scales[0].parameters)
    return {
        "title": f"{boards} board{'s' * (boards != 1)}",
        "subtitle": ", ".join(filter(None, parts)),
        "flipped": False,
        "tables": [
            {
                "caption": "",
                "groups": [scale.name for scale in scales] if len(scales) > 1 else [],
                "headings": headings,
                "align": ["c", *"r" * (len(headings) - 1)],
                "strong": 0,
                "blocks": [rows[at : at + each] for at in range(0, len(rows), each)],
                "size": size,  # of the table's letters, in points
                "space": (LINE - DIGIT) / 2 * size,  # above and below them
                "gap": GAP * size,  # between the blocks
            }
        ],
        "notes": notes,
        **pdf.cites(pdf.cited([edition().edition])),
    }


def _of_ranges(scales: Sequence[Scale]) -> bool:
    return len(scales) == 1 and scales[0].is_discrete


def _ranges(scale: Scale) -> tuple[Row, list[Row]]:
    """A row for each range of margins."""
    rows: list[Row] = []
    for part in scale.ranges():
        last = "+" if part.last is None else "" if part.last == part.first else f"–{part.last}"
        rows.append((f"{part.first}{last}", str(part.winner), str(part.loser)))
    return ("IMPs", "winner", "loser"), rows


def _margins(scales: Sequence[Scale]) -> tuple[Row, list[Row]]:
    """A row for each margin; the last row holds for all larger margins."""
    last = max(len(scale.table) for scale in scales) - 1
    rows = []
    for margin in range(last + 1):
        scores = [scale.score(margin) for scale in scales]
        cells = [str(vps) for score in scores for vps in (score.winner, score.loser)]
        rows.append((f"{margin}{'+' * (margin == last)}", *cells))
    return ("IMPs", *("winner", "loser") * len(scales)), rows


def _laid_out(rows: int, headings: int, width: float, height: float) -> tuple[int, float]:
    """The number of blocks of a table, and the largest size of its letters."""

    def size(blocks: int) -> float:
        lines = ceil(rows / blocks) + headings
        wide = blocks * width + GAP * (blocks - 1)
        return min(LARGEST, height / lines / LINE, pdf.PORTRAIT / wide)

    best = max(range(1, rows + 1), key=lambda blocks: (size(blocks), -blocks))
    return best, size(best)


def _scale_notes(scale: Scale, *, several: bool) -> list[str]:
    """What was corrected, and what the text asks to report."""
    which = f"{scale.name.capitalize()} scale: c" if several else "C"
    if not scale.corrections:
        corrected = "no entry"
    elif len(scale.corrections) > MOST_CORRECTIONS:
        most = max(correction.after - correction.before for correction in scale.corrections)
        corrected = (
            f"{len(scale.corrections)} entries of {len(scale.table)}, each by at most {most}"
        )
    else:
        corrected = ", ".join(
            f"{correction.margin} IMP{'s' * (correction.margin != 1)}"
            f" from {correction.before} to {correction.after}"
            for correction in scale.corrections
        )
    return [f"{which}orrected for concavity: {corrected}."] + [
        f"{violation.score} VPs are {violation.first} to {violation.last} IMPs, and the curve"
        f" reaches them at {violation.imps:.2f}; the text lets such variations stand (Eq. 15)."
        for violation in scale.range_violations
    ]


# ── Charts ────────────────────────────────────────────────────────────────────────────────────────

CURVE_HEIGHT = 400
SCALES = ("continuous scale", "discrete scale")


def scale_chart(continuous: Scale, discrete: Scale) -> Chart:
    """Describe the winner's and the loser's VPs by margin."""
    boards = continuous.boards
    half = "half-match" if continuous.name.startswith("half-match") else ""
    counted = f"{boards} board{'s' * (boards != 1)}"
    title = filter(None, ("WBF victory points", half, counted, continuous.parameters))
    last = max(len(continuous.table), len(discrete.table)) - 1
    rows = [
        {"margin": margin, "scale": name, "side": side, "vp": float(getattr(score, side))}
        for name, scale in zip(SCALES, (continuous, discrete), strict=True)
        for margin in range(last + 1)
        for score in (scale.score(margin),)
        for side in ("winner", "loser")
    ]
    curves = {
        "x": {"field": "margin", "type": "quantitative", "title": "margin, IMPs",
              "axis": {"grid": False, "tickMinStep": 1}},
        "y": {"field": "vp", "type": "quantitative", "title": "victory points",
              "scale": {"domainMax": continuous.full / 100, "nice": False},
              "axis": {"tickMinStep": 1}},
        "color": {"field": "scale", "type": "nominal", "title": None, "sort": SCALES,
                  "scale": {"domain": SCALES, "range": LINES[:2]},
                  "legend": {"orient": "bottom"}},
        "detail": {"field": "side"},
    }  # fmt: skip
    sides = {
        "transform": [{"filter": f"datum.margin == {last // 2} && datum.scale == '{SCALES[0]}'"}],
        "mark": {"type": "text", "fontSize": 12, "dy": -20},
        "encoding": {"text": {"field": "side"}, "color": {"value": LINES[-1]}},
    }
    layers = [_line(SCALES[0], "monotone"), _line(SCALES[1], "step"), sides]
    part = {"width": WIDTH, "height": CURVE_HEIGHT, "encoding": curves, "layer": layers}
    return compose_chart(
        [part],
        rows,
        title=", ".join(title),
        description="Victory points of the winner and the loser by margin.",
    )


def _line(scale: str, interpolate: str) -> Chart:
    return {
        "transform": [{"filter": {"field": "scale", "equal": scale}}],
        "mark": {"type": "line", "interpolate": interpolate},
    }


MOST_TEAMS = 64
"""More lines cannot be distinguished."""
LEAST_HEIGHT, HEIGHT_PER_TEAM = 260, 16
_DASHES: tuple[list[int], ...] = ([], [7, 3], [2, 2])  # whole, dashed, dotted


def running_chart(standings: Standings) -> Chart:
    """Describe the total of each team after each round, relative to the average of all.

    Args:
        standings: the list; after so many teams no more are shown.
    """
    teams = [team for team in standings.teams if not team.withdrawn][:MOST_TEAMS]
    labels = [f"{team.rank} {team.name}  {vp_text(team.points)}" for team in teams]
    description = "VPs above or below the average of the field after each round."
    if standings.unfinished:
        description = f"{description} Up to round {standings.rounds[-1]}."
    rounds = ["0", *(name or "–" for name in standings.rounds)]
    chart = compose_chart(
        [_running_lines(labels)],
        _running_rows(standings, teams, labels),
        description=description,
        title=standings.event,
    )
    return {**chart, "params": [{"name": "rounds", "value": rounds}]}  # for the axis


def _running_rows(
    standings: Standings, teams: Sequence[TeamStanding], labels: Sequence[str]
) -> list[Chart]:
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


def _running_lines(labels: Sequence[str]) -> Chart:
    """A line for each team, with its own colour and dashes."""
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
