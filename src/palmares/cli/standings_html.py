"""
Standings as HTML to paste into a site: one section, no script, nothing loaded from elsewhere.

    fragment        a list  ->  the list, the crosstable, the rounds, ties and notes

It is written in ASCII, so that names are right in a page of whatever encoding.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from palmares.cli.standings import COLUMNS, called, crosstable_rows, list_columns, row, title, words
from palmares.output import Column, cell
from palmares.standings import Standings, by_round
from palmares.tiebreaks import shown_cells

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

Grid = tuple[Sequence[Column], Sequence[dict[str, object]]]


def fragment(made: Standings) -> str:
    """The whole as one section; every text in it is escaped."""
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
