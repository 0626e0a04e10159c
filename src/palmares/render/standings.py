"""Standings of teams as rows, as words, and as HTML to paste into a site."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from html import escape
from typing import Any

from palmares.bridge.results import Result
from palmares.bridge.standings import Standing, Standings, by_round, crosstable
from palmares.bridge.tiebreaks import shown_cells
from palmares.render.tables import Column, cell

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
PEOPLE = ("table", "md", "html")
"""Formats that people read; in the others a row is found by what its matches name the team."""
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


def list_rows(made: Standings, chosen: str) -> tuple[list[Column], list[dict[str, Any]]]:
    """The list: one row a team; VPs are what the format has for numbers."""
    kind = VPS_AS.get(chosen, Decimal)
    rows = [row(one, kind) | {"team": called(one, chosen)} for one in made.teams]
    return list_columns(made, chosen), rows


def list_columns(made: Standings, chosen: str) -> list[Column]:
    """The columns of the list: for people, only those that say something."""
    told = list(COLUMNS)
    if chosen in PEOPLE:
        told = [one for one in COLUMNS[1:] if any(getattr(team, one.key) for team in made.teams)]
        told = [COLUMNS[0], *told] if told else []
    return [*LIST, *told, TIE_BREAK, *([ROUNDS] if chosen == "json" else [])]


def called(one: Standing, chosen: str) -> str:
    """A team: by its name for people, for programs as its matches name it."""
    return one.name if chosen in PEOPLE else one.team


def row(one: Standing, kind: Callable[[str], Any] = str) -> dict[str, Any]:
    """One team as a row; IMPs are numbers, VPs made of their text by *kind*."""
    return {
        "rank": one.rank,
        "team": one.team,
        "points": kind(shown_cells(one.points)),
        "played": one.played,
        "won": one.won,
        "drawn": one.drawn,
        "lost": one.lost,
        "imps_for": imps(one.imps_for),
        "imps_against": imps(one.imps_against),
        "match_points": kind(shown_cells(one.match_points)),
        "adjustments": kind(shown_cells(one.adjustments)),
        "carried": kind(shown_cells(one.carried)),
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
        "vp": None if result.status == "void" else shown_cells(result.vp),
        "status": result.status,
    }


def imps(value: Fraction) -> int | float:
    """IMPs as a plain number."""
    return value.numerator if value.denominator == 1 else float(value)


def crosstable_rows(made: Standings, chosen: str) -> tuple[list[Column], list[dict[str, Any]]]:
    """Each team against each other; columns are headed by the place in the list."""
    places = {one.team: str(place) for place, one in enumerate(made.teams, start=1)}
    table = crosstable(made)
    rows = [
        {
            "place": places[one.team],
            "team": called(one, chosen),
            **{
                places[other]: "x" if other == one.team else joined(met)
                for other, met in table[one.team].items()
            },
            "points": shown_cells(one.points),
        }
        for one in made.teams
    ]
    heads = [Column(place, kind="number") for place in places.values()]
    first = [Column("place", " ", "number"), Column("team")]
    return [*first, *heads, Column("points", "VP", "number")], rows


def joined(met: Sequence[Result]) -> str:
    """The VPs of several meetings."""
    return " / ".join(shown_cells(one.vp) for one in met)


# ── Words ────────────────────────────────────────────────────────────────────────────────────────


def title(made: Standings) -> str:
    """What the list is."""
    after = f", after round {made.rounds[-1]}" if made.unfinished else ""
    return f"{made.event}{after}, {made.scale} scale"


def below(made: Standings) -> Iterator[str]:
    """What stands below the list for people: the crosstable if it is not too wide, ties, notes."""
    told = list(words(made))
    if len(made.teams) <= WIDEST:
        columns, rows = crosstable_rows(made, PEOPLE[0])
        yield from aligned(columns, rows)
        yield from [""] if told else []
    yield from told


def words(made: Standings) -> Iterator[str]:
    """How ties were broken, and what became of withdrawn teams."""
    for tie in made.ties:
        yield f"{', '.join(tie.named(tie.teams))}: level on {shown_cells(tie.points)} VPs"
        for step in tie.steps:
            yield f"  {step}"
        for group in tie.groups:
            if len(group) > 1:
                yield f"  {', '.join(tie.named(group))}: share the rank"
    yield from made.notes


def aligned(columns: Sequence[Column], rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Rows as lines of text with aligned columns."""
    grid = [[column.title for column in columns]]
    grid += [[str(row[column.key]) for column in columns] for row in rows]
    widths = [max(map(len, texts)) for texts in zip(*grid, strict=True)]
    for texts in grid:
        cells = [
            text.ljust(width) if column.is_left else text.rjust(width)
            for text, width, column in zip(texts, widths, columns, strict=True)
        ]
        yield "  ".join(cells).rstrip()


# ── HTML ─────────────────────────────────────────────────────────────────────────────────────────


Grid = tuple[Sequence[Column], Sequence[dict[str, object]]]


def fragment(made: Standings) -> str:
    """One section, with no script and nothing loaded; every text in it is escaped.

    Whoever writes it into a file writes ASCII, so that names are right in a page of any encoding.
    """
    parts = [
        f'<section class="palmares-standings">\n{_STYLE}',
        _table("Standings", _list(made)),
        _table("Victory points of each match", _crosstable(made)),
        _table("Victory points by round, adjustments included", _rounds(made)),
    ]
    told = list(words(made))
    if told:
        parts.append("<h3>Ties and notes</h3>\n<p>" + "<br>\n".join(map(escape, told)) + "</p>")
    parts.append(f"<p><small>{escape(title(made))}. Made with Palmares.</small></p>\n</section>\n")
    head = f"<h2>{escape(made.event)}</h2>"
    return "\n".join([parts[0], head, *parts[1:]])


def _list(made: Standings) -> Grid:
    rows: list[dict[str, object]] = [row(one) | {"team": called(one, "html")} for one in made.teams]
    return [one for one in list_columns(made, "html") if not one.hidden], rows


def _crosstable(made: Standings) -> Grid:
    columns, rows = crosstable_rows(made, "html")
    return columns, rows


def _rounds(made: Standings) -> Grid:
    """Each team's VPs of each round, and the total."""
    table = by_round(made)
    heads = [Column(str(at), round_ or "all", "number") for at, round_ in enumerate(made.rounds)]
    rows: list[dict[str, object]] = [
        {
            "team": one.name,
            "carried": shown_cells(one.carried),
            "points": shown_cells(one.points),
            **{
                str(at): shown_cells(table[one.team][round_])
                for at, round_ in enumerate(made.rounds)
                if round_ in table[one.team]
            },
        }
        for one in made.teams
    ]
    carried = [COLUMNS[2]] if any(one.carried for one in made.teams) else []
    return [Column("team"), *carried, *heads, Column("points", "VP", "number")], rows


def _table(caption: str, grid: Grid) -> str:
    """A table with a caption; its second column names the team of a row, else its first."""
    columns, rows = grid
    head = "".join(_cell("th", column.title, column, ' scope="col"') for column in columns)
    body = "\n".join(
        "<tr>"
        + "".join(
            _cell("th", cell(one.get("team"), column), column, ' scope="row"')
            if column.key == "team"
            else _cell("td", cell(one.get(column.key), column), column)
            for column in columns
        )
        + "</tr>"
        for one in rows
    )
    return (
        f"<table>\n<caption>{escape(caption)}</caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
    )


def _cell(tag: str, text: str, column: Column, more: str = "") -> str:
    number = "" if column.is_left else ' class="number"'
    return f"<{tag}{more}{number}>{escape(text)}</{tag}>"
