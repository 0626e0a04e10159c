"""Standings of teams as rows, as words, and as HTML to paste into a site."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from html import escape
from typing import Any

from palmares.bridge.results import Result
from palmares.bridge.standings import Standing, Standings, by_round, crosstable
from palmares.bridge.tiebreaks import vp_text
from palmares.render.pdf import Cited, compiled
from palmares.render.tables import FOR_PEOPLE, Column, Table, aligned, html_table, printed

WIDEST = 12
"""Teams up to which the crosstable is shown unasked: on a terminal of a hundred columns."""

LIST = (
    Column("rank", kind="number"),
    Column("team"),
    Column("points", "VP", "number"),
    Column("played", kind="number"),
    Column("won", kind="number"),
    Column("drawn", kind="number"),
    Column("lost", kind="number"),
    Column("imps_for", "IMPs for", "number"),
    Column("imps_against", "against", "number"),
)
COLUMNS = (
    Column("match_points", "matches", "number"),
    Column("adjustments", "adjusted", "number"),
    Column("carried", kind="number"),
)
VPS_AS: Mapping[str, Callable[[str], Any]] = {"json": str, "xlsx": float}
"""What VPs are in a format; elsewhere decimal numbers, which a spreadsheet takes for numbers."""
TIE_BREAK = Column("tie_break", hidden=True)
ROUNDS = Column("rounds", hidden=True)


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


def list_table(made: Standings, chosen: str) -> Table:
    """The list: one row a team; people see only columns that say something."""
    kind = VPS_AS.get(chosen, Decimal)
    told = list(COLUMNS)
    if chosen in FOR_PEOPLE:
        told = [
            column
            for column in COLUMNS[1:]
            if any(getattr(team, column.key) for team in made.teams)
        ]
        told = [COLUMNS[0], *told] if told else []
    return Table(
        rows=[row(one, kind) | {"team": called(one, chosen)} for one in made.teams],
        columns=[*LIST, *told, TIE_BREAK, *([ROUNDS] if chosen == "json" else [])],
    )


def called(one: Standing, chosen: str) -> str:
    """A team: by its name for people, for programs as its matches name it."""
    return one.name if chosen in FOR_PEOPLE else one.team


def row(one: Standing, kind: Callable[[str], Any]) -> dict[str, Any]:
    """One team as a row; IMPs are numbers, VPs made of their text by *kind*."""
    return {
        "rank": one.rank,
        "team": one.team,
        "points": kind(vp_text(one.points)),
        "played": one.played,
        "won": one.won,
        "drawn": one.drawn,
        "lost": one.lost,
        "imps_for": imps(one.imps_for),
        "imps_against": imps(one.imps_against),
        "match_points": kind(vp_text(one.match_points)),
        "adjustments": kind(vp_text(one.adjustments)),
        "carried": kind(vp_text(one.carried)),
        "tie_break": one.tie_break,
        "rounds": list(map(round_row, one.results)),
    }


def round_row(result: Result) -> dict[str, Any]:
    """One match of a team; what a bye or a void match has not is empty."""
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


def crosstable_table(made: Standings, chosen: str) -> Table:
    """Each team against each other; columns are headed by the place in the list."""
    places = {one.team: str(place) for place, one in enumerate(made.teams, start=1)}
    table = crosstable(made)
    rows = [
        {
            "place": places[team.team],
            "team": called(team, chosen),
            **{
                places[other]: "x" if other == team.team else joined(met)
                for other, met in table[team.team].items()
            },
            "points": vp_text(team.points),
        }
        for team in made.teams
    ]
    heads = [Column(place, kind="number") for place in places.values()]
    first = [Column("place", " ", "number", priority=0), Column("team", priority=0)]
    return Table(rows=rows, columns=[*first, *heads, Column("points", "VP", "number", priority=0)])


def joined(met: Sequence[Result]) -> str:
    """The VPs of several meetings."""
    return " / ".join(vp_text(result.vp) for result in met)


# ── Words ────────────────────────────────────────────────────────────────────────────────────────


def title(made: Standings) -> str:
    """What the list is."""
    after = f", after round {made.rounds[-1]}" if made.unfinished else ""
    return f"{made.event}{after}, {made.scale} scale"


def below(made: Standings, room: int | None = None) -> Iterator[str]:
    """What stands below the list for people: the crosstable if it is not too wide, ties, notes.

    Args:
        made: the standings.
        room: letters in a line; none: as many as there are.
    """
    told = list(words(made))
    crosstable_lines = aligned(crosstable_table(made, "table"))
    if len(made.teams) <= WIDEST and (room is None or max(map(len, crosstable_lines)) <= room):
        yield from crosstable_lines
        yield from [""] if told else []
    yield from told


def words(made: Standings) -> Iterator[str]:
    """How ties were broken, and what became of withdrawn teams."""
    for tie in made.ties:
        yield f"{', '.join(tie.team_names(tie.teams))}: level on {vp_text(tie.points)} VPs"
        for step in tie.steps:
            yield f"  {step}"
        for group in tie.groups:
            if len(group) > 1:
                yield f"  {', '.join(tie.team_names(group))}: share the rank"
    yield from made.notes


# ── HTML ─────────────────────────────────────────────────────────────────────────────────────────


def fragment(made: Standings) -> str:
    """One section, with no script and nothing loaded; every text in it is escaped.

    Whoever writes it into a file writes ASCII, so that names are right in a page of any encoding.
    """
    parts = [f'<section class="palmares-standings">\n{_STYLE}', f"<h2>{escape(made.event)}</h2>"]
    parts += [html_table(table, ' class="number"', "team").rstrip() for table in _every_table(made)]
    if told := list(words(made)):
        parts.append("<h3>Ties and notes</h3>\n<p>" + "<br>\n".join(map(escape, told)) + "</p>")
    parts.append(f"<p><small>{escape(title(made))}. Made with Palmares.</small></p>\n</section>\n")
    return "\n".join(parts)


def _every_table(made: Standings) -> list[Table]:
    """The list, the crosstable and the rounds, for people."""
    tables = {
        "Standings": list_table(made, "html"),
        "Victory points of each match": crosstable_table(made, "html"),
        "Victory points by round, adjustments included": _rounds_table(made),
    }
    return [replace(table, title=caption) for caption, table in tables.items()]


def pdf_page(made: Standings, source: Sequence[Cited]) -> bytes:
    """The list, the crosstable and the rounds to print and post, with the texts they rest on."""
    first, *others = _every_table(made)
    notes = [line.strip() for line in words(made)]
    return compiled(
        printed([replace(first, title=title(made), notes=notes, source=source), *others])
    )


def _rounds_table(made: Standings) -> Table:
    """Each team's VPs of each round, and the total."""
    by_team = by_round(made)
    heads = [Column(str(at), round_ or "all", "number") for at, round_ in enumerate(made.rounds)]
    rows = [
        {
            "team": team.name,
            "carried": vp_text(team.carried),
            "points": vp_text(team.points),
            **{
                str(at): vp_text(by_team[team.team][round_])
                for at, round_ in enumerate(made.rounds)
                if round_ in by_team[team.team]
            },
        }
        for team in made.teams
    ]
    carried = [COLUMNS[2]] if any(team.carried for team in made.teams) else []
    columns = [Column("team"), *carried, *heads, Column("points", "VP", "number")]
    return Table(rows=rows, columns=columns)
