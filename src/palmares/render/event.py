"""Events on paper: brackets and cross tables as pages of SVG, and the list of payments."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate
from typing import Literal, NamedTuple

from palmares.core.columns import text_width
from palmares.core.messages import msg
from palmares.core.rounding import NANO
from palmares.render.tables import OutputColumn, OutputTable
from palmares.tournaments.prizes import Payout
from palmares.tournaments.systems.event import FlightColumns, columns, flight_title
from palmares.tournaments.systems.event import standings as compute_standings
from palmares.tournaments.systems.matches import AnySetup, Match, Swiss

Say = Callable[[str], str]
Paper = Literal["A4", "A3"]
SIZES: Mapping[Paper, tuple[float, float]] = {"A4": (210, 297), "A3": (297, 420)}  # mm

LINES = 64  # of a page
_MARGIN, _HEAD = 10.0, 8.0  # mm
_TITLE, _SPACE = 2, 1  # rows above and below a section
_HIGHEST = 8.0  # of a row, in mm
_LETTER = 0.54  # width of a letter, by the height of its font


@dataclass(frozen=True, slots=True)
class _CrossTable:
    """Players of a group or of a Swiss, a line each: number, name, a cell for each heading."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Section:
    """A part of a flight on one page."""

    title: str
    headings: tuple[str, ...]  # titles of rounds
    rounds: tuple[tuple[Match, ...], ...]


def _lines(part: _Section | _CrossTable) -> int:
    """The lines of a part: its title, two for each player or match of the start, and a space."""
    rows = part.rows if isinstance(part, _CrossTable) else part.rounds[0]
    return _TITLE + 2 * len(rows) + _SPACE


def bracket_pages(
    setup: AnySetup, played: Sequence[Match], paper: Paper = "A4", say: Say = str
) -> tuple[str, ...]:
    """The brackets and cross tables of an event, a document of SVG for each page.

    Args:
        setup: the event.
        played: its matches.
        paper: which size.
        say: puts a message into the reader's language.
    """
    pages = _pages(setup, played)
    empty = frozenset(match.id for match in played if match.state in ("bye", "empty"))
    titles = (
        msg(
            "%(event)s, page %(page)s of %(pages)s", event=setup.name, page=number, pages=len(pages)
        )
        for number in range(1, len(pages) + 1)
    )
    return tuple(
        _page(page, SIZES[paper], say(title), setup.names, empty, say)
        for page, title in zip(pages, titles, strict=True)
    )


def count_pages(setup: AnySetup, played: Sequence[Match]) -> int:
    """How many pages the brackets and cross tables of an event have."""
    return len(_pages(setup, played))


def _pages(setup: AnySetup, played: Sequence[Match]) -> list[list[_Section | _CrossTable]]:
    """The sections of each page, as many as fit."""
    pages: list[list[_Section | _CrossTable]] = []
    for flight in columns(setup, played):
        for section in _sections(flight) if flight.is_bracket else _cross_tables(setup, flight):
            lines = sum(map(_lines, pages[-1])) if pages else 0
            if not pages or lines + _lines(section) > LINES + _TITLE + _SPACE:
                pages.append([])
            pages[-1].append(section)
    return pages


def _sections(flight: FlightColumns) -> Iterator[_Section]:
    """A flight in parts of at most 64 lines: the first rounds from the top, then the later ones."""
    rounds = [column.matches for column in flight.rounds]
    headings = [column.title for column in flight.rounds]
    while len(rounds[0]) > LINES // 2:
        many = len(rounds[0])
        depth = max(at for at, part in enumerate(rounds, 1) if many // len(part) <= LINES // 2)
        parts = len(rounds[depth - 1])
        for part in range(parts):
            some = tuple(
                matches[part * len(matches) // parts : (part + 1) * len(matches) // parts]
                for matches in rounds[:depth]
            )
            title = msg("%(flight)s, section %(part)s of %(parts)s", flight=(flight.title,),
                        part=part + 1, parts=parts)  # fmt: skip
            yield _Section(title, tuple(headings[:depth]), some)
        rounds, headings = rounds[depth:], headings[depth:]
        if not rounds:
            return
    yield _Section(flight.title, tuple(headings), tuple(rounds))


def _cross_tables(setup: AnySetup, flight: FlightColumns) -> Iterator[_CrossTable]:
    """A group or a Swiss, 32 players a table: for each player whom they met, and how it ended."""
    matches = [match for column in flight.rounds for match in column.matches]
    meeting = {who for match in matches for who in match.players}
    players = [who for who in setup.places if who and who in meeting]
    number = {who: at for at, who in enumerate(players, 1)}
    is_swiss = isinstance(setup, Swiss)
    cells: dict[tuple[str, int], str] = {}
    for match in matches:
        for who, opponent in (match.players, match.players[::-1]):
            if who is None:
                continue
            column = match.round if is_swiss else number.get(opponent or "", 0)
            cells[who, column] = _cell(match, who, number.get(opponent or "") if is_swiss else None)
    standings = {each.player: each for each in compute_standings(setup, matches)}
    headings = range(1, (setup.rounds if isinstance(setup, Swiss) else len(players)) + 1)
    for first in range(0, len(players), LINES // 2):
        yield _CrossTable(
            title=msg("Rounds") if is_swiss else flight.title,
            headings=(*map(str, headings), msg("Wins"), msg("Place")),
            rows=tuple(
                (
                    str(number[who]),
                    setup.names.get(who, who),
                    *(
                        "×" if at == number[who] and not is_swiss else cells.get((who, at), "")
                        for at in headings
                    ),
                    str(standings[who].wins),
                    str(standings[who].rank),
                )
                for who in players[first : first + LINES // 2]
            ),
        )


def _cell(match: Match, who: str, opponent: int | None) -> str:
    """A match from one side: the opponent's number where that is needed, won or lost, the score."""
    against = f"{opponent} " if opponent else ""
    if match.state == "bye":
        return "+"
    if match.state != "done" or match.outcome is None:
        return against.strip()
    sign = "+" if who == match.winner else "−"
    pair = match.outcome.wins or match.outcome.score
    if not pair:
        return f"{against}{sign}"
    own, other = pair if who == match.winner else pair[::-1]
    return f"{against}{sign} {own}:{other}"


class _Drawing(NamedTuple):
    """What is drawn, and the sizes of the page, in mm."""

    names: Mapping[str, str]  # of players
    empty: frozenset[str]  # ids of matches without a loser: byes
    say: Say
    width: float
    column: float
    row: float
    font: float


def _page(
    sections: Sequence[_Section | _CrossTable],
    size: tuple[float, float],
    title: str,
    names: Mapping[str, str],
    empty: frozenset[str],
    say: Say,
) -> str:
    """A page with sections one below the other."""
    width, height = size
    total = sum(map(_lines, sections))
    row = min(_HIGHEST, (height - 2 * _MARGIN - _HEAD) / total)
    brackets = [section for section in sections if isinstance(section, _Section)]
    widest = max((len(section.rounds) for section in brackets), default=3) + 1
    column = (width - 2 * _MARGIN) / max(widest, 4)
    drawing = _Drawing(names, empty, say, width, column, row, min(0.62 * row, column / 10, 4.2))
    parts = [_text(_MARGIN, _MARGIN + 4, title, 4.2, bold=True, room=width - 2 * _MARGIN)]
    tops = accumulate(map(_lines, sections), initial=0)
    for top, section in zip(tops, sections, strict=False):
        y = _MARGIN + _HEAD + top * row
        if isinstance(section, _Section):
            parts += _section(section, drawing, y)
        else:
            parts += _cross_table(section, drawing, y)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm"'
        f' viewBox="0 0 {width:g} {height:g}" role="img" font-family="sans-serif"'
        f' fill="currentColor"><title>{escape(title)}</title>{"".join(parts)}</svg>'
    )


def _section(section: _Section, drawing: _Drawing, top: float) -> Iterator[str]:
    """A section as SVG: a column for each round, and one for the winner."""
    x, font = _MARGIN, drawing.font
    yield _text(x, top + 0.7 * drawing.row, drawing.say(section.title), 1.15 * font, bold=True,
                room=drawing.width - 2 * _MARGIN)  # fmt: skip
    for at, heading in enumerate(section.headings):
        yield _text(x + at * drawing.column, top + 1.5 * drawing.row, drawing.say(heading),
                    0.8 * font, room=drawing.column)  # fmt: skip
    heights = _heights(section, drawing, top + _TITLE * drawing.row)
    strokes: list[str] = []
    for at, matches in enumerate(section.rounds):
        left = _MARGIN + at * drawing.column
        right = left + drawing.column - 1
        for match in matches:
            upper, lower = heights[match.id]
            middle = (upper + lower) / 2
            strokes.append(f"M{left:.1f} {upper:.1f}H{right:.1f}V{lower:.1f}H{left:.1f}"
                           f"M{right:.1f} {middle:.1f}h1")  # fmt: skip
            for side, y in enumerate((upper, lower)):
                is_drawn = match.sources[side][2:] in heights
                yield from _player(match, side, (left, y), drawing, is_drawn=is_drawn)
            yield _text(right + 1.4, middle + 0.45 * font, f"{match.round}.{match.number}",
                        0.5 * font, room=drawing.column)  # fmt: skip
            if at == len(section.rounds) - 1:
                strokes.append(f"M{right + 1:.1f} {middle:.1f}h{drawing.column - 1:.1f}")
                if match.winner:
                    yield _text(right + 1.5, middle - 0.25 * font,
                                drawing.names.get(match.winner, match.winner), font,
                                room=drawing.column - 1, bold=True)  # fmt: skip
    path = "".join(strokes)
    yield f'<path d="{path}" fill="none" stroke="currentColor" stroke-width=".2"/>'


def _cross_table(table: _CrossTable, drawing: _Drawing, top: float) -> Iterator[str]:
    """A cross table as SVG: number and name, then narrow columns of equal width."""
    room = drawing.width - 2 * _MARGIN
    name = max(0.2 * room, 30.0)
    column = (room - name) / len(table.headings)
    font = min(drawing.font, column / 3.4)
    lefts = [
        _MARGIN,
        _MARGIN + 6,
        *(_MARGIN + name + at * column for at in range(len(table.headings))),
    ]
    rooms = [6, name - 7, *[column] * len(table.headings)]
    y = top + 0.7 * drawing.row
    yield _text(_MARGIN, y, drawing.say(table.title), 1.15 * drawing.font, bold=True, room=room)
    for left, heading in zip(lefts[2:], table.headings, strict=True):
        yield _text(left, top + 1.6 * drawing.row, drawing.say(heading), 0.8 * font, room=column)
    for at, row in enumerate(table.rows):
        y = top + (_TITLE + 2 * at + 1.3) * drawing.row
        for number, (left, space, text) in enumerate(zip(lefts, rooms, row, strict=True)):
            size = drawing.font if number < 2 else font  # noqa: PLR2004  number and name
            yield _text(left, y, text, size, room=space)
    bottom = top + (_TITLE + 2 * len(table.rows)) * drawing.row
    ends = [top + (_TITLE + 2 * at) * drawing.row for at in range(len(table.rows) + 1)]
    path = "".join(f"M{_MARGIN:.1f} {end:.1f}h{room:.1f}" for end in ends)
    path += "".join(f"M{left - 1:.1f} {ends[0]:.1f}V{bottom:.1f}" for left in lefts[2:])
    yield f'<path d="{path}" fill="none" stroke="currentColor" stroke-width=".15"/>'


def _heights(section: _Section, drawing: _Drawing, top: float) -> dict[str, tuple[float, float]]:
    """The heights of the two lines of each match; a winner's line is in the middle of it."""
    heights: dict[str, tuple[float, float]] = {}
    for at, match in enumerate(section.rounds[0]):
        upper = top + (2 * at + 0.8) * drawing.row
        heights[match.id] = upper, upper + drawing.row
    for matches in section.rounds[1:]:
        for match in matches:
            before = [heights.get(source[2:]) if source[0] == "W" else None
                      for source in match.sources]  # fmt: skip
            first, second = (line and sum(line) / 2 for line in before)
            if first is None and second is not None:
                first = second - drawing.row
            elif first is None:
                first = top  # a final that two flights lead to
            heights[match.id] = first, first + drawing.row if second is None else second
    return heights


def _player(
    match: Match,
    side: int,
    start: tuple[float, float],
    drawing: _Drawing,
    *,
    is_drawn: bool,
) -> Iterator[str]:
    """The name on a line, with the score; where it is not known yet, who will stand there."""
    (left, y), who = start, match.players[side]
    room = drawing.column - 2
    base = y - 0.25 * drawing.font
    if who is None:
        text = _source(match, match.sources[side], drawing, is_drawn=is_drawn)
        if text:
            yield _text(
                left + 0.5, base, drawing.say(text), 0.75 * drawing.font, room=room, italic=True
            )
        return
    score = ""
    points = match.outcome and (match.outcome.wins or match.outcome.score)
    if points and match.winner:
        score = str(points[0] if who == match.winner else points[1])
        yield _text(left + drawing.column - 1.5, base, score, drawing.font, room=room, end=True)
    yield _text(left + 0.5, base, drawing.names.get(who, who), drawing.font,
                room=room - _LETTER * drawing.font * (len(score) + 1) if score else room,
                bold=who == match.winner and match.state == "done")  # fmt: skip


def _source(match: Match, source: str, drawing: _Drawing, *, is_drawn: bool) -> str:
    """Who will play here, such as "winner of 2.1"; empty if a line on the page leads here."""
    if match.state in ("bye", "empty") or source == "-":
        return msg("bye") if match.state == "bye" else ""
    kind, _, where = source.partition(":")
    flight, *numbers = where.split(":")
    if kind == "L" and where in drawing.empty:
        return msg("bye")
    if kind == "L":
        return msg("loser of %(match)s, %(flight)s", match=".".join(numbers),
                   flight=(flight_title(flight),))  # fmt: skip
    if kind == "G":
        return msg("group %(group)s, place %(place)s", group=flight, place=numbers[0])
    return "" if is_drawn else msg("winner of %(match)s", match=".".join(numbers))


def _text(
    x: float, y: float, text: str, font: float, *, room: float, bold: bool = False,
    italic: bool = False, end: bool = False,
) -> str:  # fmt: skip
    """A text, cut to the room it has."""
    style = ' font-weight="bold"' if bold else ' font-style="italic"' if italic else ""
    anchor = ' text-anchor="end"' if end else ""
    letters = int(room / (_LETTER * font * (1.06 if bold else 1)))
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{font:.2f}"{style}{anchor}>'
        f"{escape(_cut(str(text), letters))}</text>"
    )


def _cut(text: str, letters: int) -> str:
    """A text shortened to a number of letters; letters of East Asia count twice."""
    widths = list(map(text_width, text))
    if sum(widths) <= letters:
        return text
    fitting = sum(1 for wide in accumulate(widths) if wide < letters)
    return text[:fitting].rstrip() + "…"


# ── Payments ──────────────────────────────────────────────────────────────────────────────────────

PAYMENT_COLUMNS = (
    OutputColumn("flight", priority=2),
    OutputColumn("rank", kind="number", priority=0),
    OutputColumn("player_id", hidden=True),
    OutputColumn("player", priority=0),
    OutputColumn("amount", kind="points", priority=0),  # two decimals for people, as points have
    OutputColumn("currency", priority=2),
    OutputColumn("agreed", optional=True),  # of players who agreed on a split
    OutputColumn("why"),
)


def payment_list(payout: Payout, names: Mapping[str, str]) -> OutputTable:
    """The payments of a division; *names* by player."""
    return OutputTable(
        rows=[
            {
                "flight": prize.flight,
                "rank": prize.rank,
                "player_id": prize.player,
                "player": names.get(prize.player, prize.player),
                "amount": prize.cents * NANO // 100,
                "currency": payout.notice.currency,
                "agreed": "agreed" if prize.agreed else "",
                "why": prize.why,
            }
            for prize in payout.prizes
        ],
        columns=PAYMENT_COLUMNS,
        title=f"{payout.notice.name}, {payout.division.name}: prizes",
        notes=[payout.pool.why],
    )
