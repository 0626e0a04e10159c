"""
A CSV or Excel sheet of placings with a header row in any common wording.

    Place,First name,Last name,Country,Points
    1,Ada,Novak,CZE,120
    3/4,Ben,Olsen,DEN,60
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from palmares.core.errors import Refused
from palmares.core.messages import joined, msg
from palmares.facts.codes import nation_in_column
from palmares.facts.csv import BrokenRow, numbered_rows
from palmares.facts.decoding import Findings, decoded, slug
from palmares.facts.names import Nations, PrintedName, nation_table
from palmares.facts.raw import Raw, Seen, letters
from palmares.facts.text import squeezed
from palmares.formats.people import People
from palmares.formats.ranks import Rank, rank_of, tell_alone
from palmares.formats.sheets import headers
from palmares.formats.workbook.sandbox import AT_HOME, Limits, is_workbook, open_sheet

_PERSON = ("players.name", "placings.player_id", "report players")
_MEANT = {
    "rank": ("placings.rank", "placings.tied", "report placings"),
    "name": _PERSON, "last": _PERSON, "first": _PERSON,
    "nation": ("players.nation", "placings.nation"),
    "origin": ("players.origin",),
    "id": ("players.player_id",),
    "designated": ("placings.designated",),
    "rounds_behind": ("placings.rounds_behind",),
    "flight": ("placings.flight", "flights.flight"),
    "event": ("events.name", "events.event_id"),
}  # fmt: skip
"""What a problem can be about in each column of a sheet: cells of the facts, or a clause."""

Spots = dict[str, tuple[int, str]]
"""Where something stands: the line, or 0 for that of its row, and the column of a workbook."""


CLAUSE = "report sheet"
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab"}
FLIGHTS = {
    "": "main", "main": "main", "main flight": "main", "m": "main", "hauptturnier": "main",
    "consolation": "consolation", "conso": "consolation", "cons": "consolation",
    "c": "consolation", "consolante": "consolation", "trostturnier": "consolation",
    "last chance": "last_chance", "lc": "last_chance", "last_chance": "last_chance",
}  # fmt: skip
UNPLACED = frozenset({"", "-", "\u2013", "dnf", "dns", "dq", "dsq", "wd", "ret", "abs"})
OTHERS = frozenset({".toml", ".txt", ".md", ".xml", ".html", ".htm"})  # reports that are no sheets
SHOWN = 5

Rows = list[tuple[int, list[str]]]


@dataclass(frozen=True, slots=True)
class Grid:
    """A sheet as rows of text, each with its number."""

    head: dict[str, str]  # what stands above the header row
    at: Spots  # where each of it stands
    header: tuple[int, list[str]]
    rows: Rows
    left: int = 0  # the number of the first column of a workbook
    seen: dict[int, list[str]] = field(default_factory=dict)  # all rows of a workbook

    def column(self, at: int) -> str:
        """The letters of a column of a workbook; of a text nothing."""
        return letters(self.left + at) if self.left else ""

    def seen_as(self, mapping: headers.HeaderMap) -> Seen:
        """Where problems of the facts stand in it."""
        places: Spots = {}
        for key, spot in self.at.items():
            tables = ["tournaments"] if key in headers.KEYS else ["events"]
            tables += ["flights"] if key == "entrants" else []
            column = "name" if key == "event" else key
            places |= {f"{table}.{column}": spot for table in tables}
        for name, at in mapping.taken.items() if self.left else ():
            for about in _MEANT[name]:
                places.setdefault(about, (0, self.column(at)))
        return Seen(places, rows=self.seen, left=self.left or 1)


@dataclass(frozen=True, slots=True)
class Preview:
    """What a sheet would be read as."""

    mapping: headers.HeaderMap
    rows: tuple[tuple[str, ...], ...]  # the first ones: a cell for each column taken
    problems: tuple[str, ...]

    def __str__(self) -> str:
        table = [tuple(self.mapping.taken), *self.rows]
        widths = [max(len(row[at]) for row in table) for at in range(len(table[0]))]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in table
        )
        return "\n".join([str(self.mapping), *lines, *self.problems])


def read(
    content: bytes,
    file: str,
    *,
    tournament: Mapping[str, str] | None = None,
    nations: Nations | None = None,
    encoding: str | None = None,
    workbook: bool = False,
    among: bool = False,
    limits: Limits = AT_HOME,
) -> Raw:
    """Read one sheet as the placings of one tournament.

    Args:
        content: the file as it is.
        file: its name as the user knows it.
        tournament: columns of the tournament that stand nowhere in the file.
        nations: exact look-up of codes and countries' names; without it, the project's table.
        encoding: of a CSV file; without it UTF-8.
        workbook: it must be one; without it, its first bytes tell.
        among: it lies in a directory of reports; one of no tournament is a notice, not a problem.
        limits: how much a workbook may ask for.

    Returns:
        The placings. Several events or flights need columns of their own; what each column was
        taken for is a notice, an unclear header a problem.
    """
    found = Findings(file)
    grid = _grid(content, found, encoding, workbook=workbook, among=among, limits=limits)
    mapping = _mapped(grid, found)
    if grid is None or mapping is None:
        return found.raw
    head, event = headers.parted({**(tournament or {}), **grid.head})
    single = head.pop("event", None) or head.get("name") or headers.STAND_INS["name"]
    key = headers.tournament(found, head, msg("the sheet"))
    entered: dict[str, str] = {}

    def event_of(name: str, line: int) -> str:
        name = squeezed(name) or single
        if name not in entered:
            entered[name] = f"{key}/{slug(name)}"
            more = event if "event" not in mapping.taken else {}
            row = {"event_id": entered[name], "tournament_id": key, "name": name, **more}
            found.add("events", row, line)
        return entered[name]

    if event and "event" in mapping.taken:
        found.problem(
            1,
            msg("%(keys)s stand above a sheet with several events", keys=", ".join(event)),
            CLAUSE,
            msg("Write a TOML report, where each event has its own."),
        )
    if "entrants" in event:
        row = {"event_id": event_of("", 1), "flight": "main", "entrants": event["entrants"]}
        found.add("flights", row, 1)
    people = People(found, nations or nation_table())
    _placings(grid, mapping, people, event_of, None)
    people.write()
    return found.raw


def preview(
    content: bytes, file: str, *, encoding: str | None = None, sheet: str | None = None
) -> Preview:
    """What each column of a sheet is taken for, the first rows, and what is unclear.

    Raises:
        Refused: by its suffix the file is no sheet.
    """
    if Path(file).suffix.lower() in OTHERS:
        raise Refused(f"{file} is no CSV or Excel sheet: 'palmares check' reads it.")
    found = Findings(file)
    grid = _grid(content, found, encoding, sheet=sheet)
    mapping = headers.map_header(grid.header[1] if grid else [])
    rows = (
        tuple(row[at] if at < len(row) else "" for at in mapping.taken.values())
        for _, row in (grid.rows[:SHOWN] if grid else [])
    )
    return Preview(mapping, tuple(rows), tuple(str(problem) for problem in found.raw.problems))


def beside(
    folder: Path, encoding: str | None = None
) -> Callable[[str, Findings, int, str, str, People], None]:
    """A reader of the sheets that lie beside a report in a folder."""

    def placings_file(
        name: str, found: Findings, line: int, event_id: str, flight: str, people: People
    ) -> None:
        path = folder / name
        if not name or Path(name).name != name:
            found.problem(
                line,
                msg("'%(name)s' is no file name", name=name),
                CLAUSE,
                msg("Put the file beside it."),
            )
            return
        try:
            content = path.read_bytes()
        except (OSError, ValueError) as error:
            words = getattr(error, "strerror", None) or "it cannot be read"
            found.problem(line, f"{name}: {words}", CLAUSE, msg("Put the file beside the report."))
            return
        inner = Findings(str(Path(found.file).with_name(name)), found.raw)
        found.raw.beside.append(inner.file)
        grid = _grid(content, inner, encoding)
        mapping = _mapped(grid, inner)
        if grid is not None and mapping is not None:
            _placings(grid, mapping, people.elsewhere(inner), lambda _name, _line: event_id, flight)

    return placings_file


# ── the sheet as a grid ──────────────────────────────────────────────────────────────────────────


def _grid(
    content: bytes,
    found: Findings,
    encoding: str | None,
    *,
    sheet: str | None = None,
    workbook: bool = False,
    among: bool = False,
    limits: Limits = AT_HOME,
) -> Grid | None:
    """The rows of a CSV file or a workbook."""
    page, rows = None, list[tuple[int, list[str]]]()
    if workbook or is_workbook(content):
        page = open_sheet(content, found, sheet, limits)
        if page is None:
            return None
        rows = [(line, row) for line, row in page.numbered() if any(map(str.strip, row))]
        lines = [": ".join(filter(str.strip, row)) for _, row in rows]
    else:
        text = decoded(content, found, encoding)
        if text is None:
            return None
        lines = text.split("\n")
    above = headers.preamble(lines)
    if among and not above.values:
        _tell_no_tournament(found)
        return None
    if page:
        at = {
            key: (rows[place][0], letters(page.left + _value_place(rows[place][1])))
            for key, place in above.places.items()
        }
        below: Rows | None = rows[above.length :]
    else:
        at = {key: (place + 1, "") for key, place in above.places.items()}
        below = _csv(lines[above.length :], above.length, found)
    if below is None:
        return None
    if len(below) < len(("header", "row")):
        found.problem(
            0, msg("there is no row under a header row"), CLAUSE, msg("Put the placings in it.")
        )
        return None
    left = page.left if page else 0
    return Grid(above.values, at, below[0], below[1:], left, dict(rows))


def _value_place(row: Sequence[str]) -> int:
    """Where the value of a line above stands: in the second filled cell, or in the only one."""
    filled = [at for at, cell in enumerate(row) if cell.strip()]
    return filled[min(1, len(filled) - 1)]


def _tell_no_tournament(found: Findings) -> None:
    """In a directory, a sheet that says nothing of a tournament is no report."""
    found.notice(
        0,
        msg("this file is not read: no line above its header row says which tournament it is of"),
        CLAUSE,
        msg(
            "Put lines such as %(name)s and %(day)s at its top, or name it as placings_file in a"
            " TOML report beside it.",
            name="'name: 26th Chicago Open'",
            day="'end_date: 2005-05-30'",
        ),
    )


def csv_rows(text: str) -> tuple[dict[str, Rows], list[BrokenRow]]:
    """The rows that are not empty, by each delimiter that can be; and where the others break."""
    rows, errors = {}, []
    for delimiter in DELIMITERS:
        try:
            every = list(numbered_rows(text, delimiter))
        except BrokenRow as error:
            errors.append(error)
            continue
        if filled := [(line, row) for line, row in every if any(map(str.strip, row))]:
            rows[delimiter] = filled
    return rows, errors


def _csv(lines: list[str], above: int, found: Findings) -> Rows | None:
    """The rows of a CSV text, by the one delimiter that fits."""
    every, errors = csv_rows("\n".join(lines))
    fits = {
        delimiter: [(above + line, row) for line, row in rows]
        for delimiter, rows in every.items()
        if len(rows[0][1]) > 1
    }
    mapped = {one: rows for one, rows in fits.items() if not headers.map_header(rows[0][1]).unclear}
    fits = mapped or fits
    if len(fits) == 1:
        return next(iter(fits.values()))
    if errors and not fits:
        found.problem(
            above + errors[0].reached,
            msg("this is not CSV: %(words)s", words=str(errors[0])),
            CLAUSE,
            msg("Check its quotes."),
        )
    else:
        several = joined([DELIMITERS[one] for one in fits])
        found.problem(
            above + 1,
            msg("the header row can be split by %(several)s", several=several)
            if fits
            else msg("the header row is one cell"),
            CLAUSE,
            msg("Separate the columns by commas, semicolons or tabs, by one of them only."),
        )
    return None


def _mapped(grid: Grid | None, found: Findings) -> headers.HeaderMap | None:
    """What the header row means; an unclear one is a problem."""
    if grid is None:
        return None
    line, header = grid.header
    mapping = headers.map_header(header)
    for one in mapping.unclear:
        found.problem(line, one, CLAUSE, msg("Name the columns rank, name, nation, and others."))
    if mapping.unclear:
        return None
    taken = tuple(
        msg("'%(cell)s' is the %(column)s", cell=header[at].strip(), column=name)
        for name, at in mapping.taken.items()
    )
    what = msg("%(columns)s; ignored: %(ignored)s", columns=taken, ignored=mapping.ignored)
    if not mapping.ignored:
        what = msg("%(columns)s", columns=taken)
    found.notice(line, what, CLAUSE, msg("If that is wrong, rename the column."))
    found.raw.seen[found.file] = grid.seen_as(mapping)
    return mapping


# ── from the grid to placings ────────────────────────────────────────────────────────────────────


def _placings(
    grid: Grid,
    mapping: headers.HeaderMap,
    people: People,
    event_of: Callable[[str, int], str],
    flight: str | None,
) -> None:
    """Every row that has a rank and a name."""
    found = people.found
    shared: dict[tuple[str, str, str], list[int]] = {}
    read = []
    for line, row in grid.rows:
        cells = headers.cells_of(row, mapping)
        if cells is None:
            found.problem(
                line, msg("more cells than the header row has"), CLAUSE, msg("Check the commas.")
            )
            continue
        who = _person(cells, people, line)
        if who is None:
            shown = " | ".join(cell for cell in row if cell.strip())[:120]
            column = grid.column(mapping.taken.get("name", mapping.taken.get("last", 0)))
            found.notice(
                line,
                msg("no name in this row: %(row)s", row=shown),
                CLAUSE,
                msg("It was left out."),
                column=column,
            )
            continue
        people.know_id(who)
        read.append((line, cells, who))
    for line, cells, who in read:
        player = people.enter(who, line)
        column = grid.column(mapping.taken["rank"])
        rank = _rank(found, cells["rank"], who.name, line, column)
        if rank is None or player is None:
            continue
        event_id = event_of(cells.get("event", ""), line)
        where = flight or FLIGHTS.get(cells.get("flight", "").casefold(), cells.get("flight"))
        if rank.shared and rank.tied is None:
            shared.setdefault((event_id, str(where), rank.rank), []).append(line)
        placing = {
            "event_id": event_id,
            "flight": where,
            "player_id": player,
            "rank": rank.rank,
            "tied": rank.tied,
            "designated": cells.get("designated"),
            "rounds_behind": cells.get("rounds_behind"),
            "nation": who.nation,
        }
        found.add("placings", placing, line)
    tell_alone(found, ((place, lines) for (_, _, place), lines in shared.items()))


def _rank(found: Findings, text: str, name: str, line: int, column: str) -> Rank | None:
    """The rank of a row; one without any is told, something else in its place is a problem."""
    rank = rank_of(text)
    if rank is None and text.casefold() in UNPLACED:
        found.notice(
            line,
            msg("%(name)s has no rank", name=name),
            CLAUSE,
            msg("A player of the event, not placed."),
            column=column,
        )
    elif rank is None:
        found.problem(
            line,
            msg("'%(text)s' is no rank", text=text),
            CLAUSE,
            msg("Write 3, or 3-4 if two share the place."),
            column=column,
        )
    return rank


def _person(cells: Mapping[str, str], people: People, line: int) -> PrintedName | None:
    """Who stands in a row; first and last name in this order."""
    halves = (cells.get("first", ""), cells.get("last", ""))
    name = squeezed(cells["name"] if "name" in cells else " ".join(halves))
    if not name:
        return None
    nation, origin = cells.get("nation"), cells.get("origin")
    code = nation and (people.nations(nation) or nation_in_column(nation))
    place = "" if code or name.endswith(")") else nation or origin
    who = people.parse(f"{name} ({place})" if place else name, line)
    if code and who.nation not in {None, code}:
        people.found.problem(
            line,
            msg("%(name)s is of %(nation)s in another column", name=who.name, nation=nation),
            CLAUSE,
            msg("Write the nation once."),
        )
    return replace(
        who,
        nation=code or who.nation,
        id=cells.get("id") or who.id,
        origin=who.origin or origin or (None if code else nation) or None,
    )
