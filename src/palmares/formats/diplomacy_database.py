"""
A page of the World Diplomacy Database, saved or pasted: a tournament with its table of placings.

Pasting fuses the columns: the rank runs into the first name, the last name into the score. No name
has a digit in it and a score has two decimals, so both can be told apart again; a nation that runs
into a name in capitals cannot, and is refused. A saved page has its columns. A rank that is not
printed is a withheld player: no row. Lines above the page say what it does not print:
``world_championship: true``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import NamedTuple

from palmares.core.errors import Unreadable
from palmares.core.messages import LocalNumber, msg
from palmares.core.rounding import half_up
from palmares.facts.cells import FLAGS
from palmares.facts.decoding import (
    ReportTables,
    event_id_of,
    tournament_id_of,
)
from palmares.facts.names import PrintedName
from palmares.facts.text import squeezed
from palmares.formats import saved_page
from palmares.formats.days import spans_of
from palmares.formats.people import DAMAGED, is_damaged
from palmares.formats.sheets import headers
from palmares.regulations import dptr

CLAUSE = "report of the World Diplomacy Database"

# The database mixes French codes of three letters with codes of two. Only codes that can mean one
# nation alone are read; every other one is told and left out.
NATIONS = {
    "ALL": "DEU", "BEL": "BEL", "CAN": "CAN", "ESP": "ESP", "ETU": "USA", "FRA": "FRA",
    "FR": "FRA", "GRE": "GRC", "ITA": "ITA", "NOR": "NOR", "POR": "PRT", "SE": "SWE",
    "SUE": "SWE", "SUI": "CHE", "US": "USA", "USA": "USA",
}  # fmt: skip
WORLDS = ("world championship", "world dipcon")
"""Words that hint at a World Championship; they decide nothing (reading D5)."""
MOST_TITLES = 2  # a name, and the convention it was part of
MOST_DIGITS = 6  # of a number of players or rounds
SEVERAL_ROUNDS = 2  # any number above one
FEW = 3  # rows, of which more than half end with a nation: then it is no accident

_DATE = re.compile(
    r"Date\s*(?P<dates>.*?\d{4}(?:\s*[-\u2013].*?\d{4})?)(?:\s*Place\s*(?P<place>.*))?"
)
_NUMBER = re.compile(r"Number of (players|rounds|boards)\s*(\d{1,9})(?!\d)")
_COEFF = re.compile(r"Coeff\s*(\d)\s*(\d{1,3}\.\d{2}|-)(?!\d)")
_NAME = re.compile(r"First\s*Name|Last\s*Name", re.IGNORECASE)
_TITLE = "World Diplomacy Database"
_HEADER = re.compile(r"Rank\s*First\s*Name\s*Last\s*Name.*Score", re.IGNORECASE)
_ROW = re.compile(
    r"(?P<rank>[1-9][0-9]{0,5})[ \t]*(?P<name>[^\W\d_][^\d]*?[^\W\d]\.?)[ \t]*"
    r"(?P<score>\d{1,3}\.\d{2})"
)

_RANKED = re.compile(r"[1-9][0-9]{0,2}[ \t]*[^\W\d_]")
"""How a line begins that may be a placing: ``12 Ada``. A year is no rank."""


def is_page(text: str) -> bool:
    """Whether a text is a page of the database, be it too long or cut off."""
    if saved_page.is_html(text):
        try:
            lines = saved_page.lines(text)
        except Unreadable:
            return _TITLE in text
        return any(_HEADER.search(" ".join(cells)) for _, cells in lines) or (
            saved_page.is_cut_off(text) and _TITLE in text
        )
    return bool(_HEADER.search(text) or (_NUMBER.search(text) and _COEFF.search(text)))


def read(text: str, file: str) -> ReportTables:
    """Read one page.

    Args:
        text: the page.
        file: its name as the user knows it.

    Returns:
        One tournament with one event; ``printed_coeff1`` in events, ``printed_score`` in
        placings. Lines that could not be read are notices; one that may be a placing is a problem,
        as is a coefficient or a score that is not the regulation's.
    """
    findings = ReportTables(file)
    written = text.split("\n")
    above = headers.preamble(written)
    settings = [(at + 1, key, value) for at, key, value in above.settings]
    if saved_page.is_html(text):
        if saved_page.is_cut_off(text):
            findings.problem(
                len(written),
                msg("the page breaks off before its end: rows may be missing"),
                CLAUSE,
                msg("Save the page again after the browser has loaded all of it."),
            )
        try:
            parts = _of_saved(findings, saved_page.lines(text))
        except Unreadable as error:
            findings.problem(error.line, error.what, CLAUSE, error.remedy)
            return findings
        if parts is None:
            return findings
        head, placings = parts
    else:
        lines = [(number, line.strip()) for number, line in enumerate(written, 1)]
        head, rows = _parts([(number, line) for number, line in lines[above.length :] if line])
        placings = _read_rows(findings, _of_pasted(findings, rows))
    tournament, event, value_line = _head(
        findings, head, headers.values_of(settings, findings), len(placings)
    )
    _hint_at_worlds(findings, tournament, event, head)
    _enter(findings, event["event_id"] or "", placings)
    _compare_numbers(findings, tournament["end_date"], event, value_line, placings)
    return findings


Lines = list[tuple[int, str]]


class _Placing(NamedTuple):
    line: int
    rank: str
    name: str
    code: str  # of the nation, as the database writes it; empty: none
    score: str


# ── a page that was saved ────────────────────────────────────────────────────────────────────────


def _of_saved(
    findings: ReportTables, page: saved_page.Lines
) -> tuple[Lines, list[_Placing]] | None:
    """The lines above the table of a saved page, and its placings; none if it has neither."""
    texts = [(line, " ".join(filter(None, cells))) for line, cells in page]
    table = next((at for at, (_, text) in enumerate(texts) if _HEADER.search(text)), None)
    days = [at for at, (_, text) in enumerate(texts[:table]) if _DATE.fullmatch(text)]
    if table is None or not days:
        findings.problem(
            0,
            msg("this saved page shows no tournament of the World Diplomacy Database"),
            CLAUSE,
            msg(
                "Save the page of one tournament in the Dip Pouch Tournament Rating, with its date,"
                " its numbers and its table of placings. Copy other results into a sheet."
            ),
        )
        return None
    first = days[-1]
    while first and not texts[first - 1][1].endswith((".", ":")):
        first -= 1
    titles = days[-1] - first
    if not 1 <= titles <= MOST_TITLES:
        findings.problem(
            texts[days[-1]][0],
            msg("there are %(many)s lines above the date; which one is the name?", many=titles),
            CLAUSE,
            msg("Copy the page from its title on, and paste it into a text file (.txt)."),
        )
    return texts[first:table], _read_rows(findings, _of_table(page[table:]))


def _of_table(rows: saved_page.Lines) -> Iterator[tuple[int, str, _Placing | None]]:
    """The rows of a table with its header; of what is below it on the page, what may be one."""
    header = rows[0][1]
    for line, cells in rows[1:]:
        if len(cells) < len(header) or cells == header:
            if len(cells) > FEW and cells != header:
                yield line, " ".join(cells), None
            continue
        by_head = list(zip(header, cells, strict=False))
        name = squeezed(" ".join(cell for head, cell in by_head if _NAME.search(head)))
        code = next((cell for head, cell in by_head if head.startswith("Nat")), "")
        written = _ROW.fullmatch(f"{cells[0]}\t{name}\t{cells[len(header) - 1]}")
        placing = None
        if written and len(cells) == len(header):
            placing = _Placing(line, written["rank"], name, code, written["score"])
        yield line, " ".join(cells), placing


def _read_rows(
    findings: ReportTables, rows: Iterable[tuple[int, str, _Placing | None]]
) -> list[_Placing]:
    """The placings among some rows; a row that may be one is a problem, any other a notice."""
    every = list(rows)
    last = max((at for at, (_, _, placing) in enumerate(every) if placing), default=0)
    for at, (line, text, placing) in enumerate(every):
        if placing is None:
            _unread(findings, line, text, is_placing=at < last or bool(_RANKED.match(text)))
    return [placing for _, _, placing in every if placing]


# ── a page that was pasted ───────────────────────────────────────────────────────────────────────


def _parts(lines: Lines) -> tuple[Lines, Lines]:
    """The lines above the table, and its rows."""
    for at, (_, line) in enumerate(lines):
        if _HEADER.search(line):
            return lines[:at], lines[at + 1 :]
    for at, (_, line) in enumerate(lines):
        if _ROW.fullmatch(line):
            return lines[:at], lines[at:]
    return lines, []


Row = dict[str, str | None]


def _head(
    findings: ReportTables, head: Lines, given: Mapping[str, str], rows: int
) -> tuple[Row, Row, int]:
    """The tournament, its one event, and the line of the coefficient."""
    titles, printed, value_line = _above_table(findings, head)
    above, more = headers.parted(given)
    event_name = above.pop("event", None)
    key = above.pop("id", None)
    printed |= {name: value for name, value in above.items() if value}
    first = head[0][0] if head else 1
    name = printed.get("name") or (titles[0] if titles else None)
    has_size = not rows or bool(printed.get("players") or more.get("entrants"))
    _tell_what_is_missing(findings, first, name, has_day="end_date" in printed, has_size=has_size)
    key = key or tournament_id_of(name, printed.get("end_date"))
    tournament: Row = {
        "discipline": "diplomacy",
        "start_date": None,
        "end_date": None,
        "city": None,
        **{column: printed[column] for column in headers.KEYS if column in printed},
        "tournament_id": key,
        "name": name,
        "subtitle": titles[1] if len(titles) > 1 else None,
    }
    event_name = event_name or name
    event: Row = {
        "event_id": event_id_of(key, event_name),
        "tournament_id": key,
        "name": event_name,
        "entrants": printed.get("players"),
        "rounds": printed.get("rounds"),
        "boards": printed.get("boards"),
        "printed_coeff1": printed.get("coeff1", "").strip("-") or None,
        **more,
    }
    findings.add("tournaments", tournament, first)
    findings.add("events", event, first)
    return tournament, event, value_line


def _tell_what_is_missing(
    findings: ReportTables, line: int, name: str | None, *, has_day: bool, has_size: bool
) -> None:
    """A page without a name, a date or the number of players is a problem."""
    if not (name and has_day):
        what = msg("the page has no date that can be read")
        findings.problem(
            line,
            what if name else msg("the page names no tournament"),
            CLAUSE,
            msg("Paste all of it: name, 'Date August 13-15, 2004 Place ...', numbers, table."),
        )
    if not has_size:
        what = msg("the number of players is missing")
        findings.problem(line, what, CLAUSE, msg("Paste 'Number of players ...' too."))


def _hint_at_worlds(findings: ReportTables, tournament: Row, event: Row, head: Lines) -> None:
    """A name may sound like a World Championship's: where nothing else tells, it is asked."""
    words = f"{tournament['name']} {tournament['subtitle']}".casefold()
    if event["printed_coeff1"] or event.get("world_championship"):
        return
    if any(world in words for world in WORLDS):
        findings.notice(
            head[0][0] if head else 1,
            msg(
                "the name is that of a World Championship, but the page does not say whether it"
                " was one"
            ),
            "dptr value, reading D5",
            msg(
                "Put a line above the page: %(yes)s, or %(no)s.",
                yes="'world_championship: true'",
                no="'world_championship: false'",
            ),
        )


def _above_table(findings: ReportTables, head: Lines) -> tuple[list[str], dict[str, str], int]:
    """The titles of a page, its other values above the table, and the coefficient's line."""
    titles: list[str] = []
    printed: dict[str, str] = {}
    value_line = 0
    for line, text in head:
        numbers = _NUMBER.findall(text)
        coefficients = _COEFF.findall(text)
        if dates := _DATE.fullmatch(text):
            printed |= _days(findings, line, dates["dates"])
            printed["city"] = squeezed(dates["place"] or "")
        elif numbers or "Coeff" in text:
            printed |= dict(numbers)
            printed |= {f"coeff{number}": value for number, value in coefficients}
            value_line = line if "Coeff" in text else value_line
            rest = squeezed(_COEFF.sub(" ", _NUMBER.sub(" ", text)))
            if "Coeff" in rest:
                findings.problem(
                    line,
                    msg("this coefficient cannot be read: '%(text)s'", text=rest[:120]),
                    CLAUSE,
                    msg("It writes Coeff 1 15.00, or Coeff 1 - where there is none."),
                )
            elif rest:
                _unread(findings, line, rest)
        elif len(titles) < MOST_TITLES and "start_date" not in printed:
            titles.append(squeezed(text))
        else:
            _unread(findings, line, text)
    return titles, printed, value_line


def _days(findings: ReportTables, line: int, text: str) -> dict[str, str]:
    """First and last day as the page prints them: ``August 13-15, 2004``."""
    spans = spans_of(text)
    if len(spans) == 1:
        first, last = spans[0]
        return {"start_date": first.isoformat(), "end_date": last.isoformat()}
    findings.problem(
        line,
        msg("'%(text)s' is not a date as the database writes it", text=text),
        CLAUSE,
        msg("It writes August 13-15, 2004, or June 1, 1996, or May 30 - June 1, 2004."),
    )
    return {}


def _of_pasted(findings: ReportTables, rows: Lines) -> Iterator[tuple[int, str, _Placing | None]]:
    """Lines whose columns run into each other, and their placings."""
    fused = []
    for line, text in rows:
        written = _ROW.fullmatch(text)
        if not written:
            yield line, text, None
            continue
        cells = [cell.strip() for cell in written["name"].split("\t") if cell.strip()]
        code = cells.pop() if len(cells) > len(("first", "last")) else ""
        name = squeezed(" ".join(cells[:2]))
        if name.endswith(tuple(code for code in NATIONS if len(code) > len("FR"))):
            fused.append(line)
        yield line, text, _Placing(line, written["rank"], name, code, written["score"])
    if len(fused) >= FEW and 2 * len(fused) > len(rows):
        findings.problem(
            fused[0],
            msg(
                "%(some)s of %(all)s names seem to end with the code of a nation",
                some=len(fused),
                all=len(rows),
            ),
            CLAUSE,
            msg("It is unclear where this name ends: paste the table with tabs between columns."),
        )


# ── its rows ─────────────────────────────────────────────────────────────────────────────────────


def _enter(findings: ReportTables, event_id: str, placings: Iterable[_Placing]) -> None:
    """Enter the placings, and the people in them."""
    entered: set[str] = set()
    for line, rank, name, code, score in placings:
        if is_damaged(name):
            findings.problem(
                line,
                msg(DAMAGED, text=name),
                CLAUSE,
                msg("Save the page again, or write the name as it should be."),
            )
        nation = NATIONS.get(code)
        if code and nation is None:
            findings.notice(
                line,
                msg("'%(code)s' may mean more than one nation, or none; it is left out", code=code),
                CLAUSE,
                msg("Add the nation to a table of players if you know it."),
            )
        player = PrintedName(name=name, nation=nation).written
        if player not in entered:
            entered.add(player)
            findings.add("players", {"player_id": player, "name": name, "nation": nation}, line)
        findings.add(
            "placings",
            {
                "event_id": event_id,
                "flight": "main",
                "player_id": player,
                "rank": rank,
                "nation": nation,
                "printed_score": score,
            },
            line,
        )


def _unread(findings: ReportTables, line: int, text: str, *, is_placing: bool = False) -> None:
    report = findings.problem if is_placing else findings.notice
    report(
        line,
        msg("this line could not be read: '%(text)s'", text=text[:120]),
        CLAUSE,
        msg("If it is a placing, complete it: rank, name, score with two decimals."),
    )


def _compare_numbers(
    findings: ReportTables,
    last_day: str | None,
    event: Mapping[str, str | None],
    value_line: int,
    placings: Iterable[_Placing],
) -> None:
    """Report each printed number that is not what the regulation gives for the page.

    Args:
        findings: where problems go.
        last_day: of the tournament.
        event: the columns of its event.
        value_line: where the value stands.
        placings: with their scores.
    """
    players, rounds = (
        int(text) if (text := event.get(key) or "").isdecimal() and len(text) <= MOST_DIGITS else 0
        for key in ("entrants", "rounds")
    )
    try:
        day = date.fromisoformat(last_day or "")
    except ValueError:
        return
    rules = dptr.REGULATION.rulebook(number=Fraction).on(day)
    if rules is None or not players:
        return
    for placing in placings:
        exact = dptr.percentile(rules.constants, players, int(placing.rank))
        if not _fits(placing.score, exact):
            findings.problem(
                placing.line,
                msg(
                    "rank %(rank)s of %(players)s players scores %(ours)s, and the page prints"
                    " %(score)s",
                    rank=int(placing.rank),
                    players=players,
                    ours=_two_decimals(exact),
                    score=_two_decimals(Fraction(placing.score)),
                ),
                "dptr percentile",
                msg(
                    "Correct the rank, the score or the number of players; a page of another"
                    " rating of the database cannot be read."
                ),
            )
    if event.get("printed_coeff1"):
        _compare_value(findings, event, value_line, rules.constants, (players, rounds, day.year))


def _compare_value(
    findings: ReportTables,
    event: Mapping[str, str | None],
    line: int,
    constants: dptr.Constants,
    size: tuple[int, int, int],
) -> None:
    """Report the printed value of an event of so many players and rounds, in a year."""
    players, rounds, year = size
    printed = event["printed_coeff1"] or ""
    worlds = FLAGS.get((event.get("world_championship") or "").lower(), False)
    values = [
        dptr.tournament_value(constants, players, several, year, worlds)
        for several in ((rounds,) if rounds else (SEVERAL_ROUNDS, 1))
    ]
    if any(_fits(printed, value) for value in values):
        return
    findings.problem(
        line,
        msg(
            "the page prints the coefficient %(printed)s, and the value of the event is %(ours)s",
            printed=_two_decimals(Fraction(printed)),
            ours=_two_decimals(values[0]),
        ),
        "dptr value",
        msg(
            "Check whether it was a World Championship, the number of players, the number of"
            " rounds and the day; put what is right in lines above the page: %(lines)s.",
            lines="'world_championship: true', 'entrants: 56', 'rounds: 3', 'end_date: 2004-08-15'",
        ),
    )


def _fits(printed: str, exact: Fraction) -> bool:
    """Whether a printed number is the exact one to two decimals, whichever way a half went."""
    return abs(Fraction(printed) - exact) <= Fraction(5, 1000)


def _two_decimals(number: Fraction) -> LocalNumber:
    exact = half_up(number, 2)
    return LocalNumber(f"{Decimal(exact.numerator) / Decimal(exact.denominator):.2f}")
