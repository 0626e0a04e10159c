"""The TOML report: one tournament as its director writes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, time
from difflib import get_close_matches
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from msgspec import Struct, field, structs

from palmares.core.errors import Unreadable
from palmares.core.messages import joined, msg
from palmares.core.toml import BLOCK, Document, Path, parse
from palmares.facts.codes import nation_in_column
from palmares.facts.decoding import ReportTables, decoded, event_id_of, meant, tournament_id_of
from palmares.facts.names import PrintedName
from palmares.facts.problems import Cell
from palmares.facts.schema import FLIGHTS, TABLES, cell_columns
from palmares.facts.text import squeezed
from palmares.formats.lines import SHAPES, PlacingLine, complaint, flight_of, tell_alone, tell_pairs
from palmares.formats.people import People, warn_of_name

CLAUSE = "report"
MOST_BITS = 10_000  # of a number that Python prints in decimals
Table = Mapping[str, Any]
Lines = list[tuple[int, str]]
MOST_LETTERS = 8 * 2**20
"""Of a report; one of three hundred players has twelve thousand."""
MOST_OF_A_LINE = 100_000
MOST_DOTS = 200
"""Points in a line: of each key in `a.a.a = 1` the reader copies all before it."""
_TYPING_ERROR = 0.75
"""How similar an unknown flight and a standard name are where it is a typing error."""

Row = dict[str, str | None]
BLOCKS = ("matches", "team_matches", "team_match", "teams")
TOP = ("tournament", "event", "player", "members", "member", "rate")


def _cells(*columns: str) -> dict[str, str]:
    """Keys that are named as the columns they fill."""
    return {column: column for column in columns}


KEYS: Mapping[str, Mapping[str, str]] = {
    "tournament": {**_cells("id", *cell_columns("tournaments")), "players": ""},
    "event": _cells("id", *cell_columns("events")),
    "flight": {  # the heading says which flight it is
        **_cells(*cell_columns("flights")[1:]),
        "placings": "",
        "placings_file": "",
        "matches": "",
    },
    "player": _cells("id", "name", "nation", "origin", "withheld"),
    "members": {"players": "", "except": "", "level": "level", "start": "start", "end": "end"},
    "member": _cells("player", *cell_columns("memberships")),
    "rate": _cells(*cell_columns("rates")),
    "team_match": {**_cells("id", *cell_columns("team_matches")), "board_results": ""},
    "teams": _cells(*cell_columns("teams")),
}
"""The keys of each kind of table, and the column of the facts that each fills; empty: lines."""


def read(
    content: str | bytes,
    file: str,
    *,
    encoding: str | None = None,
    folder: FilePath | None = None,
) -> ReportTables:
    """Read one report.

    Args:
        content: the report, as text or as the bytes of its file.
        file: its name as the user knows it.
        encoding: of the bytes; without it UTF-8.
        folder: where a sheet lies that ``placings_file`` names; without it, it is refused.

    Returns:
        The tables of facts as cells of text, and every problem with its line.
    """
    findings = ReportTables(file)
    text = decoded(content, findings, encoding) if isinstance(content, bytes) else content
    if text is None:
        return findings
    if _is_too_much(text, findings):
        return findings
    try:
        document = parse(text, parse_float=str)
    except Unreadable as error:
        findings.problem(error.line, error.what, "TOML", error.remedy)
        return findings

    _Reader(document, findings, People(findings), folder, encoding).read()
    for name, rows in findings.tables.items():
        for column in TABLES[name].values():
            if column.required:  # one that no row has is a problem of rows, not of the file
                rows[0].setdefault(column.name, None)
    return findings


def _is_too_much(text: str, findings: ReportTables) -> bool:
    """Whether a text would keep its reader busy for hours, or fill the memory, with a problem."""
    lines = enumerate(text.split("\n") if len(text) <= MOST_LETTERS else (), start=1)
    remedy = msg("Keep one tournament in one report, and its lines short.")
    if len(text) > MOST_LETTERS:
        what = msg("the report has %(has)s characters, and %(most)s are read",
                   has=len(text), most=MOST_LETTERS)  # fmt: skip
        findings.problem(0, what, "report", remedy)
    for number, line in lines:
        points = line.count(".")
        if len(line) > MOST_OF_A_LINE or points > MOST_DOTS:
            what = msg(
                "this line has %(has)s characters and %(points)s points; at most %(most)s and"
                " %(most_points)s are read",
                has=len(line),
                points=points,
                most=MOST_OF_A_LINE,
                most_points=MOST_DOTS,
            )
            findings.problem(number, what, "report", remedy)
            break
    return bool(findings.problems)


# ── keys and values, each with its line ──────────────────────────────────────────────────────────


class Cells(Struct):
    """A parsed report and the line of each of its keys."""

    document: Document
    findings: ReportTables

    def line(self, *path: str | int) -> int:
        """The line of a key, or of the nearest thing around it."""
        return max(self.document.line(path), 1)

    def take_headings_as_meant(self) -> None:
        """Read misspelt headings, each a problem already, so that no other follows from it."""
        values = self.document.values
        written = _misspelt(values, TOP)
        as_meant = {name: values[key] for name, key in written.items()}
        self.document = replace(self.document, values=as_meant | values, written=written)

    def report(self, path: Path, what: str, remedy: str) -> None:
        """Add a problem with what is at a path."""
        self.findings.problem(self.line(*path), what, CLAUSE, remedy)

    def check_keys(self, table: Table, keys: Iterable[str], at: Path) -> None:
        """Add a problem for every unknown key of a table."""
        expected = list(dict.fromkeys(keys))
        for key in table:
            if key not in expected:
                what = (
                    msg("%(place)s has no %(key)s", place=f"[{heading(at)}]", key=key)
                    if at
                    else msg("a report has no %(key)s", key=key)
                )
                self.report((*at, key), what, meant(key, expected))

    def table(self, path: Path, value: Any) -> Table:
        """The table at a path; anything else there is a problem."""
        if isinstance(value, Mapping):
            return value
        name = heading(path)
        self.report(
            path,
            msg("%(name)s must have a heading", name=name),
            msg("Write %(heading)s above its keys.", heading=f"[{name}]"),
        )
        return {}

    def tables(self, parent: Table, name: str, at: Path) -> Iterator[tuple[Path, Table]]:
        """The tables of an array of tables, each with its path."""
        value = parent.get(name, [])
        for number, table in enumerate(value if isinstance(value, list) else [value]):
            path = (*at, name, number) if isinstance(value, list) else (*at, name)
            if isinstance(table, Mapping):
                yield path, table
            else:
                title = heading(path)
                self.report(
                    path,
                    msg("%(name)s must have headings", name=title),
                    msg("Write %(heading)s above each.", heading=f"[[{title}]]"),
                )

    def rows(
        self, parent: Table, name: str, at: Path
    ) -> Iterator[tuple[Path, Table, int, dict[str, str | None]]]:
        """The tables of an array of tables: path, table, line and cells of each."""
        for path, table in self.tables(parent, name, at):
            yield path, table, self.line(*path), self.row(table, name, path)

    def row(
        self, table: Table, kind: str, at: Path, others: Iterable[str] = ()
    ) -> dict[str, str | None]:
        """The cells of a table by their column; a key that it cannot have is a problem.

        Args:
            table: as it was parsed.
            kind: one of `KEYS`.
            at: the path of the table.
            others: more keys that it may have, which are no cells.
        """
        self.check_keys(table, (*KEYS[kind], *others), at)
        line, row = self.line(*at), {}
        misspelt = _misspelt(table, (*KEYS[kind], *others))
        for name, column in KEYS[kind].items():
            key = misspelt.get(name, name)
            if column and key in table:
                row[column] = self.cell(table, at, key)
                self.findings.source.keys[line, column] = self.line(*at, key)
        return row

    def cell(self, table: Table, at: Path, key: str) -> str | None:
        """One value as text, as it was written."""
        value = table.get(key)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, date | time):
            return value.isoformat()
        if isinstance(value, int):
            return str(value) if value.bit_length() < MOST_BITS else hex(value)
        if value is None or isinstance(value, str):
            return value
        self.report(
            (*at, key),
            msg("%(key)s must be one value", key=key),
            msg("Write %(key)s = followed by one text, number or date.", key=key),
        )
        return None

    def names(self, table: Table, key: str, at: Path) -> list[str]:
        """A list of texts, or the lines of one text."""
        value = table.get(key, [])
        if isinstance(value, str):
            value = [line.strip() for line in value.splitlines() if line.strip()]
        if isinstance(value, list) and all(isinstance(name, str) for name in value):
            return value
        example = f'{key} = ["Ada Novak (CZE)", "Ben Olsen (DEN)"]'
        self.report(
            (*at, key),
            msg("%(key)s must be a list of names", key=key),
            msg("Write %(example)s.", example=example),
        )
        return []

    def lines(self, table: Table, key: str, at: Path) -> Lines:
        """The lines of a block of text that are not empty, each with its number."""
        value = table.get(key, "")
        if isinstance(value, str):
            lines = enumerate(value.split("\n"), self.line(*at, key, BLOCK))
            cells = ((number, map(squeezed, line.strip().split("\t"))) for number, line in lines)
            sign = "\t" if key == "placings" else " "
            return [(number, words) for number, row in cells if (words := sign.join(row).strip())]
        self.report(
            (*at, key),
            msg("%(key)s must be lines of text", key=key),
            msg(
                "Write %(begin)s, a line for each, and %(end)s below them.",
                begin=f'{key} = """',
                end='"""',
            ),
        )
        return []


def _misspelt(table: Table, keys: Sequence[str]) -> dict[str, str]:
    """Keys that a table lacks, each with the unknown key that was meant for it."""
    unknown = [key for key in table if key not in keys]
    close = {key: get_close_matches(key, keys, n=1) for key in unknown}
    return {names[0]: key for key, names in close.items() if names and names[0] not in table}


def heading(path: Path) -> str:
    """A path as the heading of a table writes it."""
    return ".".join(part for part in path if isinstance(part, str))


# ── the report ───────────────────────────────────────────────────────────────────────────────────


class _Part(NamedTuple):
    """An event, or a flight of one, as written."""

    path: Path
    table: Table
    row: Row
    event_id: str
    flight: str | None = None
    placings: Sequence[tuple[int, PlacingLine]] = ()


def is_flight(name: str, value: Any) -> bool:
    """A table is a flight, under whatever name; but not one that looks like a typing error."""
    names = (*FLIGHTS, *BLOCKS)
    return name in FLIGHTS or (
        isinstance(value, Mapping)
        and name not in names
        and not get_close_matches(name, names, n=1, cutoff=_TYPING_ERROR)
    )


class _Reader(Cells):
    people: People
    folder: FilePath | None
    encoding: str | None
    counts: Counter[str] = field(default_factory=Counter)

    def read(self) -> None:
        """Everything, in the order that lets a later part name the people of an earlier one."""
        path = ("tournament",)
        top = self.document.values
        if "tournament" not in top and (stray := [key for key in top if key in KEYS["tournament"]]):
            what = msg("there is no [tournament] above %(keys)s", keys=joined(stray))
            remedy = msg("Write %(heading)s above its keys.", heading="[tournament]")
            self.findings.problem(self.line(stray[0]), what, CLAUSE, remedy)
            return
        self.check_keys(self.document.values, TOP, ())
        self.take_headings_as_meant()
        document = self.document.values
        tournament = self.table(path, document.get("tournament", {}))
        if "tournament" not in document:
            self.findings.problem(
                1,
                msg("there is no [tournament]"),
                CLAUSE,
                msg("Start with [tournament], its name and its end_date."),
            )
        row = self.row(tournament, "tournament", path)
        key = row.pop("id", None) or tournament_id_of(row.get("name"), row.get("end_date"))
        key = key or "tournament"  # without a name and a day, which are problems of their own
        self.findings.add("tournaments", {"tournament_id": key, **row}, self.line(*path))
        events = list(self.events(key))
        flights = [flight for event in events for flight in self.flights(event)]
        self.players(self.lines(tournament, "players", path), flights)
        for flight in flights:
            self.placings(flight)
        for event in events:
            self.matches(event)
            self.team_matches(event)
        for flight in flights:
            self.matches(flight)
        self.members((row.get("start_date"), row.get("end_date")))
        for _, _, line, rate in self.rows(document, "rate", ()):
            self.findings.add("rates", rate, line)
        self.people.write()

    def events(self, tournament: str) -> Iterator[_Part]:
        """Enter the events; their ids are made from the tournament's id and the name."""
        ids: set[str] = set()
        for path, event in self.tables(self.document.values, "event", ()):
            flights = [name for name, value in event.items() if is_flight(name, value)]
            row = self.row(event, "event", path, (*FLIGHTS, *BLOCKS, *flights))
            stated_id = row.pop("id", None)
            event_id = stated_id or event_id_of(tournament, row.get("name"))
            line = self.line(*path)
            if event_id in ids:
                self.findings.problem(
                    line,
                    msg("two events are %(id)s", id=stated_id or row.get("name") or event_id),
                    Cell("events", "event_id"),
                    msg("Give the events different names, or this one an id of its own."),
                )
            ids.add(event_id)
            self.findings.add(
                "events", {"event_id": event_id, "tournament_id": tournament, **row}, line
            )
            yield _Part(path, event, row, event_id)

    def flights(self, event: _Part) -> Iterator[_Part]:
        """Enter the flights of an event; a Main has the event's entrants if it says none."""
        for name, value in event.table.items():
            if not is_flight(name, value):
                continue
            path = (*event.path, name)
            table = self.table(path, value)
            row = self.row(table, "flight", path)
            if row and name == "main" and "entrants" in event.row:
                row.setdefault("entrants", event.row["entrants"])
            if row:
                cells = {"event_id": event.event_id, "flight": name, **row}
                self.findings.add("flights", cells, self.line(*path))
            placings = list(self.parts(table, "placings", path))
            yield _Part(path, table, row, event.event_id, name, placings)

    def parts(self, table: Table, key: str, at: Path) -> Iterator[tuple[int, Any]]:
        """The lines of a block, in parts; one that cannot be read is a problem."""
        elsewhere = False  # below the heading of another flight
        for line, text in self.lines(table, key, at):
            parts = SHAPES[key].parts(text)
            if parts is not None:
                if not elsewhere:
                    yield line, parts
                continue
            elsewhere = elsewhere or (key == "placings" and flight_of(text) is not None)
            what, remedy = complaint(key, text, in_toml=True)
            self.findings.problem(line, what, f"report {key}", remedy)

    def number(self, event_id: str, letter: str) -> str:
        """The next id for a match without one."""
        key = f"{event_id}/{letter}"
        self.counts[key] += 1
        return f"{key}{self.counts[key]}"

    # ── people ───────────────────────────────────────────────────────────────────────────────────

    def players(self, lines: Lines, flights: list[_Part]) -> None:
        """Enter the players of [[player]] and of the tournament's list, after every id is known."""
        described = list(self.described())
        names = [(line, self.people.parse(text, line)) for line, text in lines]
        placed = (placing for flight in flights for placing in flight.placings)
        with_ids = [(line, parts.who) for line, parts in placed if "[" in parts.who]
        for who in (
            *(who for _, who, _ in described),
            *(who for _, who in names),
            *(self.people.parse(text, line) for line, text in with_ids),
        ):
            self.people.know_id(who)
        for line, who, more in described:
            if who.name:
                self.people.enter(who, line, more)
            else:
                self.findings.problem(
                    line,
                    msg("a [[player]] without name"),
                    CLAUSE,
                    msg("Add %(example)s.", example='name = "..."'),
                )
        for line, who in names:
            self.people.enter(who, line)

    def described(self) -> Iterator[tuple[int, PrintedName, Row]]:
        """Every [[player]]: its line, the person, and what else is said of them."""
        for _, _, line, row in self.rows(self.document.values, "player", ()):
            name = row.pop("name", None) or ""
            key, nation, origin = (row.pop(column, None) for column in ("id", "nation", "origin"))
            if nation is None and origin is None:
                who = self.people.parse(name, line)
            else:
                warn_of_name(self.findings, name, line)
                nation = nation and (nation_in_column(nation) or nation)
                who = PrintedName(name=squeezed(name), nation=nation or None, origin=origin or None)
            yield line, structs.replace(who, id=key or who.id), row

    def members(self, days: tuple[str | None, str | None]) -> None:
        """The memberships: of all players, of some, or one by one."""
        federations = self.document.values.get("members", {})
        for federation, value in self.table(("members",), federations).items():
            self.federation(federation, value, days)
        for _, _, line, row in self.rows(self.document.values, "member", ()):
            if player := self.people.find(row.pop("player", None) or "", line):
                self.findings.add("memberships", {"player_id": player, **row}, line)

    def federation(self, federation: str, value: Any, days: tuple[str | None, str | None]) -> None:
        """The members of one federation, by default on the days of the tournament."""
        path: Path = ("members", federation)
        line = self.line(*path)
        table = value if isinstance(value, Mapping) else {"players": value}
        first, last = days
        row = {"federation": federation, "level": "Basic", "start": first or last, "end": last}
        row |= self.row(table, "members", path)
        absent = {self.people.find(text, line) for text in self.names(table, "except", path)}
        members: list[str | None] = list(self.people.players)
        if table.get("players", "all") != "all":
            names = self.names(table, "players", path)
            members = [self.people.find(text, line) for text in names]
        for player in dict.fromkeys(members):
            if player and player not in absent:
                self.findings.add("memberships", {"player_id": player, **row}, line)

    # ── results ──────────────────────────────────────────────────────────────────────────────────

    def placings(self, flight: _Part) -> None:
        """The placings of a flight, from its lines or from the file it names."""
        alone: dict[str, list[int]] = {}
        names: list[tuple[int, str]] = []
        for line, parts in flight.placings:
            person = self.people.parse(parts.who, line)
            names.append((line, person.name))
            player = self.people.enter(person, line)
            if player is None:
                continue
            if parts.rank.shared and parts.rank.tied is None:
                alone.setdefault(parts.rank.rank, []).append(line)
            row = {
                "event_id": flight.event_id,
                "flight": flight.flight,
                "player_id": player,
                "rank": parts.rank.rank,
                "tied": parts.rank.tied,
                "designated": "true" if parts.designated else None,
                "rounds_behind": parts.behind,
                "nation": person.nation,
            }
            self.findings.add("placings", row, line)
        tell_alone(self.findings, alone.items())
        tell_pairs(self.findings, names)
        self.placings_of_sheet(flight)

    def placings_of_sheet(self, flight: _Part) -> None:
        """The placings of a flight from a sheet in the report's folder."""
        file = self.cell(flight.table, flight.path, "placings_file")
        if file is None:
            return
        path = (*flight.path, "placings_file")
        line = self.line(*path)
        if "placings" in flight.table:
            self.report(
                path, msg("placings and placings_file at once"), msg("Keep one of the two.")
            )
        if self.folder is None:
            self.findings.problem(
                line,
                msg("%(file)s cannot be looked up from here", file=file),
                "report placings_file",
                msg("Write the placings into the report."),
            )
        elif not file or FilePath(file).name != file:
            self.report(
                path,
                msg("'%(name)s' is not a file name", name=file),
                msg("Put the file beside the report, and write its name."),
            )
        else:
            from palmares.formats.sheets.placings import read_placings_file

            where = self.folder / file
            read_placings_file(
                where, line, flight.event_id, flight.flight, self.people, self.encoding
            )

    def matches(self, of: _Part) -> None:
        """The matches of an event, or of one flight."""
        round_: str | None = None
        for line, parts in self.parts(of.table, "matches", of.path):
            if isinstance(parts, str):
                round_ = parts
                continue
            winner, *loser = (self.people.find(name, line) for name in parts.pop("names"))
            if winner is None or None in loser:
                continue
            row = {
                **parts,
                "match_id": parts["match_id"] or self.number(of.event_id, "m"),
                "event_id": of.event_id,
                "flight": of.flight,
                "round": round_,
                "length": parts["length"] or of.row.get("match_length"),
                "winner_id": winner,
                "loser_id": loser[0] if loser else None,
            }
            self.findings.add("matches", row, line)

    def team_matches(self, event: _Part) -> None:
        """Teams and their matches: as lines, or as tables for what a line cannot say."""
        for _, _, line, row in self.rows(event.table, "teams", event.path):
            self.findings.add("teams", {"event_id": event.event_id, **row}, line)
        for line, cells in self.parts(event.table, "team_matches", event.path):
            ids = {"match_id": self.number(event.event_id, "t"), "event_id": event.event_id}
            self.findings.add("team_matches", {**ids, **cells}, line)
        for path, match, line, row in self.rows(event.table, "team_match", event.path):
            match_id = row.pop("id", None) or self.number(event.event_id, "t")
            ids = {"match_id": match_id, "event_id": event.event_id}
            self.findings.add("team_matches", {**ids, **row}, line)
            for at, board in self.parts(match, "board_results", path):
                self.findings.add("boards", {"match_id": match_id, **board}, at)
