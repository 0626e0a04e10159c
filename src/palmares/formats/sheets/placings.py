"""
Placings in a CSV or Excel sheet with a header row in any common wording, or as pasted lines.

    Place,First name,Last name,Country,Points
    1,Ada,Novak,CZE,120
    3/4,Ben,Olsen,DEN,60
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from palmares.core.columns import align
from palmares.core.errors import Refused
from palmares.core.messages import joined, msg
from palmares.facts.codes import currency, nation_in_column
from palmares.facts.decoding import ReportTables, event_id_of
from palmares.facts.names import PrintedName, parse_name
from palmares.facts.problems import Cell
from palmares.facts.schema import TABLES
from palmares.facts.text import squeezed
from palmares.formats.lines import (
    FLIGHT_WORDS,
    Rank,
    complaint,
    count_of,
    flight_of,
    rank_of,
    tell_alone,
    tell_pairs,
    tell_ranks,
)
from palmares.formats.people import People
from palmares.formats.sheets import headers
from palmares.formats.sheets.grid import (
    CLAUSE,
    COPY_SEEN,
    NAMES,
    ONE_A_LINE,
    Book,
    Grid,
    grid_of,
    is_header,
)

UNPLACED = frozenset({
    "", "-", "--", "\u2013", "dnf", "dns", "dq", "dsq", "wd", "w/d", "ret", "abs", "n/a", "np",
    "nc", "withdrew", "withdrawn", "retired", "disqualified",
})  # fmt: skip
TOTALS = frozenset({
    "total", "totals", "sum", "average", "mean", "summe", "gesamt", "durchschnitt", "schnitt",
    "somme", "moyenne", "suma", "media", "totale", "somma",
})  # fmt: skip
"""What stands at the head of a row below the placings."""
OTHERS = frozenset({".toml", ".txt", ".md", ".xml", ".html", ".htm"})  # reports that are no sheets
PREVIEWED_ROWS = 5
_ONE_LINE = msg("Give each player a row of their own, and write the name on one line of its cell.")
_LEFT_OUT = msg("It was left out.")
_WRITE_RANK = msg(
    "Write the rank in the cell, 3-4 where two share it; or a dash if the player was not placed. In"
    " place of a heading, name the flight or the event in a column of its own."
)
_AGAIN = msg("the places begin again at 1")
_ANOTHER_LIST = msg(
    "Write Main, Consolation or Last Chance on a line above each list, and another event in a"
    " column of its own, event. If both share the first place, write 1-2."
)
_ONE_HEADER = msg(
    "Keep one header row, such as: rank, first name, last name, nation. Where another event or"
    " flight begins, name them in a column of their own."
)
_HEADING = msg(
    "Write a rank and a name in each row. Where there are several flights or events, name them in a"
    " column of their own, flight or event."
)


def read(
    content: bytes,
    file: str,
    *,
    tournament: Mapping[str, str] | None = None,
    encoding: str | None = None,
    book: Book | None = None,
    among: bool = False,
) -> ReportTables:
    """Read one sheet, or lines of ranks and names, as the placings of one tournament.

    Args:
        content: the file as it is.
        file: its name as the user knows it.
        tournament: columns of the tournament that stand nowhere in the file.
        encoding: of a CSV file; without it UTF-8.
        book: it must be a workbook; without it, its first bytes tell.
        among: it lies in a directory of reports; one of no tournament is a notice, not a problem.

    Returns:
        The placings. Several events or flights need columns of their own; what each column was
        taken for is a notice, an unclear header a problem.
    """
    findings = ReportTables(file)
    grid = grid_of(content, findings, encoding, book=book, among=among)
    mapping = _mapped(grid, findings)
    if grid is None or mapping is None or _is_other_part(grid, mapping, findings):
        return findings
    _refuse_other_currency(grid, findings)
    findings.title = grid.title
    titled = {"name": grid.title} if grid.title else {}
    head, event = headers.parted({**titled, **(tournament or {}), **grid.settings})
    single = head.pop("event", None) or head.get("name") or headers.STAND_INS["name"]
    key = headers.tournament(findings, head, msg("the sheet"), grid.at.get(headers.DAY, (1, ""))[0])
    more = event if "event" not in mapping.taken else {}
    ids: dict[str, str] = {}

    def event_of(name: str, line: int) -> str:
        name = squeezed(name) or single
        if (plain_name := name.casefold()) not in ids:
            ids[plain_name] = event_id_of(key, name)
            row = {"event_id": ids[plain_name], "tournament_id": key, "name": name, **more}
            findings.add("events", row, line)
        return ids[plain_name]

    if event and "event" in mapping.taken:
        what = msg("%(keys)s cannot apply to a sheet with several events", keys=", ".join(event))
        findings.problem(1, what, CLAUSE, msg("Write a TOML report, where each event has its own."))
    if "entrants" in event:
        field = {"event_id": event_of("", 1), "flight": "main", "entrants": event["entrants"]}
        findings.add("flights", field, 1)
    _placings(grid, mapping, people := People(findings), event_of, None)
    people.write()
    return findings


def preview(content: bytes, findings: ReportTables, encoding: str | None = None) -> list[str]:
    """What each column of a sheet is taken for, the first rows, and what is unclear.

    Raises:
        Refused: by its suffix the file is no sheet.
    """
    if Path(findings.file).suffix.lower() in OTHERS:
        raise Refused(
            f"{findings.file} is no CSV or Excel sheet: it is read as a report, without a preview."
        )
    grid = grid_of(content, findings, encoding)
    if grid is None:
        return []
    mapping = headers.map_header(grid.header[1])
    columns = mapping.taken
    lines = [f"  {mapping.header[at] or '(empty)'}  ->  {name}" for name, at in columns.items()]
    lines += [f"  ignored: {', '.join(mapping.ignored)}"] if mapping.ignored else []
    lines += [f"  ? {point}" for point in mapping.unclear]
    rows = [row for _, row in grid.rows[:PREVIEWED_ROWS]]
    cells = [[row[at] if at < len(row) else "" for at in columns.values()] for row in rows]
    return lines + align([[*columns], *cells])


def read_placings_file(
    path: Path, line: int, event_id: str, flight: str | None, people: People, encoding: str | None
) -> None:
    """Read the placings of a flight from a sheet that a report names on a line."""
    findings = people.findings
    try:
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or "it cannot be read"
        remedy = msg("Put the file beside the report.")
        findings.problem(line, f"{path.name}: {words}", CLAUSE, remedy)
        return
    inner = replace(findings, file=str(Path(findings.file).with_name(path.name)))
    findings.attached.append(inner.file)
    grid = grid_of(content, inner, encoding)
    mapping = _mapped(grid, inner)
    if grid is None or mapping is None:
        return
    if not _is_other_part(grid, mapping, inner, flight or "main", is_of_event=True):
        if grid.settings:
            inner.notice(
                min(line for line, _ in grid.at.values()),
                msg("the report says this, and not the sheet: %(keys)s",
                    keys=", ".join(grid.settings)),
                CLAUSE,
                msg("If it matters, write it into the report."),
            )  # fmt: skip
        _placings(
            grid, mapping, replace(people, findings=inner), lambda _name, _line: event_id, flight
        )


def _mapped(grid: Grid | None, findings: ReportTables) -> headers.HeaderMap | None:
    """What the header row means; an unclear one is a problem."""
    if grid is None:
        return None
    line, header = grid.header
    mapping = headers.map_header(header)
    if mapping.unclear and not grid.has_header:
        _tell_of_words(grid, findings)
        return None
    if not mapping.taken:
        findings.problem(line, msg("no places and names begin here"), CLAUSE, ONE_A_LINE)
        return None
    for point in mapping.unclear:
        findings.problem(
            line, point, CLAUSE, msg("Name the columns rank, name, nation, and others.")
        )
    if beside := grid.words_beside_names(mapping):
        findings.problem(
            line,
            msg("%(column)s stands beside the names, and nothing above it says what it is",
                column=(beside,)),
            CLAUSE,
            msg("Write its head, such as last name or nation; or delete the column."),
        )  # fmt: skip
    if mapping.unclear or beside:
        return None
    _tell_of_columns(grid, mapping, findings)
    findings.seen[findings.file] = grid.seen_as(mapping)
    return mapping


def _tell_of_words(grid: Grid, findings: ReportTables) -> None:
    """Add a problem of several columns of words: of their rows, where most have one of them only.

    As of two spaces inside a single name.
    """
    line, header = grid.header
    first, *others = [at for at, head in enumerate(header) if head == "name"]
    apart = [
        (number, row[first].strip(), " ".join(filter(None, map(str.strip, row[first + 1 :]))))
        for number, row in grid.rows
        if any(at < len(row) and row[at].strip() for at in others)
    ]
    for number, name, text in apart if 2 * len(apart) < len(grid.rows) else ():
        what = msg("'%(text)s' stands apart from '%(name)s'", text=text, name=name)
        remedy = msg("Write one space between them if both are the name; if not, put it in"
                     " brackets, or take it away.")  # fmt: skip
        findings.problem(number, what, CLAUSE, remedy)
    if 2 * len(apart) >= len(grid.rows):
        what = msg("columns %(columns)s all hold words; which is the name?",
                   columns=joined([f"{at + 1}" for at in (first, *others)]))  # fmt: skip
        remedy = msg("Put a header row above them, such as: rank, first name, last name, nation.")
        findings.problem(line, what, CLAUSE, remedy)


def _tell_of_columns(grid: Grid, mapping: headers.HeaderMap, findings: ReportTables) -> None:
    """Give a notice of what the columns are taken for, and of those that are hidden."""
    line, header = grid.header
    hidden = grid.page.hidden_columns if grid.page else ()
    for name, at in mapping.taken.items():
        if (column := grid.column(at)) in hidden:
            what = msg("column %(letters)s is hidden in the sheet, and is read as the %(column)s",
                       letters=column, column=headers.TITLES.get(name, name))  # fmt: skip
            findings.notice(line, what, CLAUSE, COPY_SEEN)
    if grid.has_header:
        taken = tuple(
            msg(
                "'%(cell)s' is the %(column)s",
                cell=header[at].strip(),
                column=headers.TITLES.get(name, name),
            )
            for name, at in mapping.taken.items()
        )
        ignored = (*mapping.ignored, *grid.columns_without_heads())
        what = (
            msg("%(columns)s", columns=taken)
            if not ignored
            else msg("%(columns)s; ignored: %(ignored)s", columns=taken, ignored=ignored)
        )
        findings.notice(line, what, CLAUSE, msg("If that is wrong, rename the column."))
        head = header[mapping.taken.get("name", 0)].strip()
        if headers.bare(head) in headers.LAST_NAME_FIRST:
            what = msg("names under '%(head)s' are kept as they are written", head=head)
            remedy = msg("If the last name stands first, put a comma behind it: Novak, Ada.")
            findings.notice(line, what, CLAUSE, remedy)
    elif mapping.ignored:
        findings.notice(
            line,
            msg("numbers beside the names are not read"),
            CLAUSE,
            msg("If they matter, put a header row above the placings."),
        )


_MONEY = frozenset(column.name for column in TABLES["events"].values() if column.money)
_CURRENCIES = {"\u20ac": "EUR", "\u00a3": "GBP"}
"""Signs of one currency only."""


def _refuse_other_currency(grid: Grid, findings: ReportTables) -> None:
    """Refuse an amount that is shown in a currency other than what the sheet states."""
    stated = grid.settings.get("currency", "").upper()
    for key in _MONEY.intersection(grid.at):
        sign = grid.page.money.get(grid.at[key], "") if grid.page else ""
        shown_currency = _CURRENCIES.get(sign, sign.upper())
        if (
            sign
            and shown_currency != (stated or "EUR")
            and (not stated or currency(shown_currency))
        ):
            line, column = grid.at[key]
            findings.problem(
                line,
                msg("%(key)s is shown with '%(sign)s', and its currency is %(currency)s",
                    key=key, sign=sign, currency=stated or "EUR"),
                Cell("tournaments", "currency"),
                msg("Write its currency above the placings, such as %(example)s; or show the"
                    " amount without it.", example="currency: USD"),
                column=column,
            )  # fmt: skip


SIDE_EVENTS = frozenset({
    "side pool", "side pools", "side event", "side events", "doubles", "consultation doubles",
    "jackpot", "jackpots", "super jackpot", "warm-up", "warmup", "blitz", "teams", "juniors",
    "seniors", "ladies", "doppel", "jugend", "damen", "senioren", "dobles", "doppio", "dames",
})  # fmt: skip
"""What worksheets of an event beside the main one are called."""


def _is_other_part(
    grid: Grid,
    mapping: headers.HeaderMap,
    findings: ReportTables,
    flight: str = "main",
    *,
    is_of_event: bool = False,
) -> bool:
    """Whether what stands above the placings names another flight or event than they would be of.

    Args:
        grid: the sheet.
        mapping: its header row.
        findings: where the problem goes.
        flight: of the placings, without a column that names it.
        is_of_event: the event is stated elsewhere.
    """
    is_of_event = is_of_event or "event" in mapping.taken or "event" in grid.settings
    for line, heading in grid.headings:
        for text in heading if "flight" not in mapping.taken else ():
            if flight_of(text) not in (None, flight):
                what = msg("'%(text)s' is a flight, and the placings have no column that names it",
                           text=squeezed(text))  # fmt: skip
                remedy = msg("Put it on a line of its own above the placings: %(text)s.",
                             text=squeezed(text))  # fmt: skip
                findings.problem(line, what, CLAUSE, remedy)
                return True
        if not is_of_event and headers.bare("".join(heading)) in SIDE_EVENTS:
            text = squeezed("".join(heading))
            what = msg("'%(text)s' names another event than the main one", text=text)
            remedy = msg("Write the event above the placings: %(example)s.",
                         example=f"event: {text}")  # fmt: skip
            findings.problem(line, what, CLAUSE, remedy)
            return True
    return False


# ── from the grid to placings ────────────────────────────────────────────────────────────────────


def _placings(
    grid: Grid,
    mapping: headers.HeaderMap,
    people: People,
    event_of: Callable[[str, int], str],
    flight: str | None,
) -> None:
    """Every row that has a rank and a name."""
    findings = people.findings
    empty: dict[tuple[str, str], list[tuple[int, str]]] = {}
    players_by_flight: dict[tuple[str, str], list[tuple[int, str]]] = {}
    ranked: dict[tuple[str, str], list[tuple[int, Rank]]] = {}
    column = grid.column(mapping.taken["rank"])
    player_rows = list(_player_rows(grid, mapping, people, flight))
    if not player_rows and not findings.problems:
        findings.problem(grid.header[0], msg("no row has a rank and a name"), CLAUSE, _HEADING)
    for line, cells, who in player_rows:
        player = people.enter(who, line)
        rank = _rank(findings, cells["rank"], who.name, line, column)
        name = cells.get("flight", "")
        place = (cells.get("event", ""), name)
        above = empty.setdefault(place, [])
        if rank or not cells["rank"]:
            players_by_flight.setdefault(place, []).append((line, who.name))
        if not cells["rank"]:
            above.append((line, who.name))
        if rank is None or player is None:
            continue
        _tell_empty(findings, above, rank, column)
        above.clear()
        where = flight or (FLIGHT_WORDS.get(headers.bare(name), name) if name else "main")
        placing = {"event_id": event_of(place[0], line), "flight": where, "player_id": player}
        of_flight = ranked.setdefault((placing["event_id"], where), [])
        if _begin_again(of_flight, rank):
            findings.problem(line, _AGAIN, CLAUSE, _ANOTHER_LIST, column=column)
            break
        of_flight.append((line, rank))
        rest = {key: cells.get(key) for key in ("designated", "rounds_behind")}
        rest |= {"rank": rank.rank, "tied": rank.tied, "nation": who.nation}
        findings.add("placings", {**placing, **rest}, line)
    _tell(findings, ranked, players_by_flight.values())


def _begin_again(above: Sequence[tuple[int, Rank]], rank: Rank) -> bool:
    """Whether a first place that nobody shares stands below other places of a list that has one."""
    is_first = rank == Rank(rank="1") and bool(above) and above[-1][1].rank != "1"
    return is_first and any(each.rank == "1" for _, each in above)


def _tell_empty(
    findings: ReportTables, empty: Iterable[tuple[int, str]], rank: Rank, column: str
) -> None:
    """Add a problem of each row without a rank above one that has it.

    It may share the rank above, have the next one, or be the head of what follows.
    """
    for line, name in empty:
        what = msg("the rank of %(name)s is empty, above rank %(rank)s",
                   name=name, rank=int(rank.rank))  # fmt: skip
        findings.problem(line, what, CLAUSE, _WRITE_RANK, column=column)


def _tell(
    findings: ReportTables,
    ranked: Mapping[tuple[str, str], Sequence[tuple[int, Rank]]],
    players_by_flight: Iterable[Sequence[tuple[int, str]]],
) -> None:
    """Tell what is doubtful of the ranks of each flight, and of the names of each."""
    shared: dict[tuple[str, str, str], list[int]] = {}
    for place, ranks in ranked.items():
        for line, rank in ranks:
            if rank.shared and rank.tied is None:
                shared.setdefault((*place, rank.rank), []).append(line)
    tell_alone(findings, ((rank, lines) for (_, _, rank), lines in shared.items()))
    for (_, where), ranks in ranked.items():
        tell_ranks(findings, ranks, where)
    for players in players_by_flight:
        tell_pairs(findings, players)


def _rows_of_flights(
    grid: Grid, findings: ReportTables, flight: str | None
) -> Iterator[tuple[int, list[str], str]]:
    """Each row with the flight whose heading is above it; no header row repeated below a heading.

    Args:
        grid: the sheet.
        findings: where problems go.
        flight: of all the placings, where the report states it.
    """
    heading = named = ""
    for line, row in grid.rows:
        is_header_again = bool(named) and row == grid.header[1]
        text = " ".join(row)
        named = flight_of(text) or ""
        if named and flight not in {None, named}:
            what, remedy = complaint("placings", text, in_toml=True)
            findings.problem(line, what, CLAUSE, remedy)
            return
        heading = named or heading
        if not named and not is_header_again:
            yield line, row, heading


def _player_rows(
    grid: Grid, mapping: headers.HeaderMap, people: People, flight: str | None
) -> Iterator[tuple[int, dict[str, str], PrintedName]]:
    """Each row that names a player: its line, its cells, the player."""
    findings = people.findings
    for line, row, heading in _rows_of_flights(grid, findings, flight):
        cells = headers.cells_of(row, mapping, findings, line, CLAUSE)
        if cells is None:
            continue
        text = " | ".join(cell for cell in row if cell.strip())[:120]
        rank = cells["rank"]
        if not TOTALS.isdisjoint(map(headers.bare, (rank, _name(cells)))):
            what = msg("no placing in this row: %(row)s", row=text)
            findings.notice(line, what, CLAUSE, _LEFT_OUT)
            continue
        if rank_of(rank) is None and is_header(row, least=2):
            what = msg("there is another header row: %(row)s", row=text)
            findings.problem(line, what, CLAUSE, _ONE_HEADER)
            continue
        who = _person(cells, people, line)
        if who and (rank or not any(map(str.isdigit, who.name))):
            people.know_id(who)
            yield line, {**cells, "flight": cells.get("flight") or heading}, who
            continue
        if who:  # "Total: 64 players"
            findings.notice(line, msg("no rank in this row: %(row)s", row=text), CLAUSE, _LEFT_OUT)
            continue
        column = grid.column(mapping.taken.get("name", mapping.taken.get("last", 0)))
        what = msg("no name in this row: %(row)s", row=text)
        if rank_of(rank) or count_of(rank) or rank.casefold() in UNPLACED:
            findings.notice(line, what, CLAUSE, _LEFT_OUT, column=column)
        else:
            findings.problem(line, what, CLAUSE, _HEADING, column=column)


def _rank(findings: ReportTables, text: str, name: str, line: int, column: str) -> Rank | None:
    """The rank of a row; none and a notice if it is empty, none and a problem if it is no rank."""
    rank = rank_of(text)
    if rank is None and text.casefold().rstrip(".") in UNPLACED:
        findings.notice(
            line,
            msg("%(name)s has no rank", name=name),
            CLAUSE,
            msg("A player of the event, not placed."),
            column=column,
        )
    elif rank is None:
        findings.problem(
            line,
            msg("'%(text)s' is not a rank", text=text),
            CLAUSE,
            msg("Write 3, or 3-4 if two share the place."),
            column=column,
        )
    return rank


def _filled(cell: str | None) -> str | None:
    """The text of a cell; none if it is empty, a dash or a question mark."""
    return cell if cell and cell.casefold() != "n/a" and cell.strip(" -\u2013\u2014?./") else None


def _name(cells: Mapping[str, str]) -> str:
    name = squeezed(" ".join(cells.get(key, "") for key in NAMES))
    return name if any(map(str.isalnum, name)) else ""


def _person(cells: Mapping[str, str], people: People, line: int) -> PrintedName | None:
    name = _name(cells)
    if not name:
        return None
    if any("\n" in cells.get(key, "") for key in NAMES):
        what = msg("the name in this row has several lines: %(name)s", name=name)
        people.findings.problem(line, what, CLAUSE, _ONE_LINE)
    nation, origin, key = (_filled(cells.get(column)) for column in ("nation", "origin", "id"))
    code = nation and nation_in_column(nation)
    plain = parse_name(name)
    if code and not (plain.nation_behind and plain.nation != code):  # but Mei Ling MAC, of TPE
        place: str | None = ""
    else:
        place = "" if name.endswith(")") else nation or origin
    who = people.parse(f"{name} ({place})" if place else name, line)
    if code and who.nation not in {None, code}:
        people.findings.problem(
            line,
            msg("%(name)s is of %(nation)s in another column", name=who.name, nation=nation),
            CLAUSE,
            msg("Write the nation once."),
        )
    return replace(
        who,
        nation=code or who.nation,
        id=key or who.id,
        origin=who.origin or origin or (None if code else nation) or None,
    )
