"""Standings of teams as rows, as words, and as HTML to paste into a site."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from html import escape
from typing import Any

from msgspec.structs import replace

from palmares.bridge.results import Result
from palmares.bridge.standings import Standing, Standings, by_round, crosstable, vp_text
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


def list_table(standings: Standings, chosen: str) -> Table:
    """The list, a row for each team; people see no empty columns."""
    kind = VPS_AS.get(chosen, Decimal)
    extra = list(COLUMNS)
    if chosen in FOR_PEOPLE:
        extra = [
            column
            for column in COLUMNS[1:]
            if any(getattr(team, column.key) for team in standings.teams)
        ]
        extra = [COLUMNS[0], *extra] if extra else []
    return Table(
        rows=[row(team, kind) | {"team": name_of(team, chosen)} for team in standings.teams],
        columns=[*LIST, *extra, TIE_BREAK, *([ROUNDS] if chosen == "json" else [])],
    )


def name_of(team: Standing, chosen: str) -> str:
    """The name of a team for people, its id for programs."""
    return team.name if chosen in FOR_PEOPLE else team.team


def row(team: Standing, kind: Callable[[str], Any]) -> dict[str, Any]:
    """One team as a row; IMPs are numbers, VPs standings of their text by *kind*."""
    return {
        "rank": team.rank,
        "team": team.team,
        "points": kind(vp_text(team.points)),
        "played": team.played,
        "won": team.won,
        "drawn": team.drawn,
        "lost": team.lost,
        "imps_for": imps(team.imps_for),
        "imps_against": imps(team.imps_against),
        "match_points": kind(vp_text(team.match_points)),
        "adjustments": kind(vp_text(team.adjustments)),
        "carried": kind(vp_text(team.carried)),
        "tie_break": team.tie_break,
        "rounds": list(map(round_row, team.results)),
    }


def round_row(result: Result) -> dict[str, Any]:
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


def crosstable_table(standings: Standings, chosen: str) -> Table:
    """Each team against each other; columns are headed by the place in the list."""
    places = {team.team: str(place) for place, team in enumerate(standings.teams, start=1)}
    table = crosstable(standings)
    rows = [
        {
            "place": places[team.team],
            "team": name_of(team, chosen),
            **{
                places[other]: "x" if other == team.team else joined(met)
                for other, met in table[team.team].items()
            },
            "points": vp_text(team.points),
        }
        for team in standings.teams
    ]
    heads = [Column(place, kind="number") for place in places.values()]
    first = [Column("place", " ", "number", priority=0), Column("team", priority=0)]
    return Table(rows=rows, columns=[*first, *heads, Column("points", "VP", "number", priority=0)])


def joined(met: Sequence[Result]) -> str:
    """The VPs of several meetings."""
    return " / ".join(vp_text(result.vp) for result in met)


# ── Words ────────────────────────────────────────────────────────────────────────────────────────


def title(standings: Standings) -> str:
    """The event, the round and the scale."""
    after = f", after round {standings.rounds[-1]}" if standings.unfinished else ""
    return f"{standings.event}{after}, {standings.scale} scale"


def below(standings: Standings, room: int | None = None) -> Iterator[str]:
    """What stands below the list for people: the crosstable if it is not too wide, ties, notes.

    Args:
        standings: the standings.
        room: letters in a line; none: as many as there are.
    """
    notes = list(words(standings))
    crosstable_lines = aligned(crosstable_table(standings, "table"))
    if len(standings.teams) <= WIDEST and (room is None or max(map(len, crosstable_lines)) <= room):
        yield from crosstable_lines
        yield from [""] if notes else []
    yield from notes


def words(standings: Standings) -> Iterator[str]:
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


def fragment(standings: Standings) -> str:
    """One section, with no script and nothing loaded; every text in it is escaped.

    Whoever writes it into a file writes ASCII, so that names are right in a page of any encoding.
    """
    parts = [
        f'<section class="palmares-standings">\n{_STYLE}',
        f"<h2>{escape(standings.event)}</h2>",
    ]
    parts += [
        html_table(table, ' class="number"', "team").rstrip() for table in _every_table(standings)
    ]
    if notes := list(words(standings)):
        parts.append("<h3>Ties and notes</h3>\n<p>" + "<br>\n".join(map(escape, notes)) + "</p>")
    parts.append(
        f"<p><small>{escape(title(standings))}. Made with Palmares.</small></p>\n</section>\n"
    )
    return "\n".join(parts)


def _every_table(standings: Standings) -> list[Table]:
    """The list, the crosstable and the rounds, for people."""
    tables = {
        "Standings": list_table(standings, "html"),
        "Victory points of each match": crosstable_table(standings, "html"),
        "Victory points by round, adjustments included": _rounds_table(standings),
    }
    return [replace(table, title=caption) for caption, table in tables.items()]


def pdf_page(standings: Standings, source: Sequence[Cited]) -> bytes:
    """The list, the crosstable and the rounds to print and post, with the texts they rest on."""
    first, *others = _every_table(standings)
    notes = [line.strip() for line in words(standings)]
    return compiled(
        printed([replace(first, title=title(standings), notes=notes, source=source), *others])
    )


def _rounds_table(standings: Standings) -> Table:
    """Each team's VPs of each round, and the total."""
    by_team = by_round(standings)
    heads = [
        Column(str(at), round_ or "all", "number") for at, round_ in enumerate(standings.rounds)
    ]
    rows = [
        {
            "team": team.name,
            "carried": vp_text(team.carried),
            "points": vp_text(team.points),
            **{
                str(at): vp_text(by_team[team.team][round_])
                for at, round_ in enumerate(standings.rounds)
                if round_ in by_team[team.team]
            },
        }
        for team in standings.teams
    ]
    carried = [COLUMNS[2]] if any(team.carried for team in standings.teams) else []
    columns = [Column("team"), *carried, *heads, Column("points", "VP", "number")]
    return Table(rows=rows, columns=columns)
