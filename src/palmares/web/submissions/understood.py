"""The placings that were read from contents, and questions about what they leave open."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from palmares.core.messages import msg
from palmares.facts.codes import countries, currencies
from palmares.facts.decoding import ReportTables, TextRow, echoed
from palmares.facts.schema import FILE, FLIGHT_NAMES, LINE, TABLES, Column
from palmares.facts.text import visible
from palmares.formats.lines import COUNTED, count_of, flight_of
from palmares.formats.sheets.headers import ABOVE, STAND_INS
from palmares.formats.titles import title_parts
from palmares.regulations import Regulation, regulations
from palmares.web.submissions import report_form

SHEET = "sheet"
"""The key of the answer that names the worksheet."""
USUAL_GAME = "usual_discipline"
"""The key of the game that is assumed where the contents name none."""
USUAL_DAY = "usual_end_date"
"""The key of the last day that is assumed where the contents say none."""
EXTRA_ANSWERS = (SHEET, USUAL_GAME, USUAL_DAY)
"""Keys of answers that are no fields of a form."""
REQUIRED = ("name", "discipline", "end_date")
"""What every tournament needs."""
OPTIONAL = ("start_date", "city", "country")
"""What is shown where the text seems to say it."""
MOST_ROWS = 2_000
"""Lines that are shown; a report of three hundred players has four hundred."""

_MAIN = "main"
_ENTRANTS = re.compile(rf"([0-9]+)(?:\)|\s+(?:{'|'.join(sorted(COUNTED))}))", re.IGNORECASE)
"""The number behind the name of a flight: ``Consolation (32)``, ``Main: 64 players``."""
_KEY = re.compile(r"(?:(?P<event>[0-9]+)\.)?(?:(?P<flight>[a-z_]+)\.)?(?P<key>[a-z_]+)")

Cell = tuple[str, int, str]
"""A table of the facts, a line, a column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedRow:
    """A line that was understood: a place and who has it."""

    line: int
    text: str  # as it stands there
    event: str
    flight: str
    rank: str  # "3", or "3–4" where the line says how many share it
    name: str
    nation: str | None
    key: str  # as it stands in `people`


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingValue:
    """A value that the contents leave open, as a field to fill in."""

    field: str  # "end_date", "0.entry_fee", "0.main.entrants": as the fields of a form are named
    asks: str  # in plain words
    event: str  # its name where there are several; else empty
    value: str
    kind: str  # of the column: date, whole, decimal, choice, text
    choices: tuple[str, ...]
    meaning: str
    asked_by: tuple[str, ...]  # titles of the regulations whose points are made of it
    required: bool
    assumed: bool  # the value is seen in the text, or usual, and nobody has confirmed it

    @property
    def unanswered(self) -> bool:
        """Whether the facts lack it: no value, or one that waits to be confirmed."""
        return not self.value or (self.assumed and self.field != "name")  # which a title gives


def is_key(key: str) -> bool:
    """Whether an answer may have this key."""
    return key in EXTRA_ANSWERS or report_form.is_field(key)


def disciplines() -> tuple[str, ...]:
    """Those that some regulation is for; a text may name any."""
    return tuple(sorted({regulation.discipline for regulation in regulations().values()}))


def words_of(key: str, asking: Collection[Regulation]) -> tuple[str, ...]:
    """The words that regulations have for a column of an event; none: it may be anything."""
    words = [regulation.choices(key) for regulation in asking if key in regulation.asks]
    return tuple(dict.fromkeys(chain(*words))) if all(words) else ()


def choices_of(key: str, column: Column) -> tuple[str, ...]:
    """The values that a column may have; none: it may be anything."""
    if key == "discipline":
        return disciplines()
    codes = {"currency": currencies, "country": countries}.get(column.kind, tuple)
    return column.choices or codes()


# ── answers ──────────────────────────────────────────────────────────────────────────


def fill(raw: ReportTables, answers: Mapping[str, str]) -> dict[Cell, str]:
    """Put answers into the empty cells that they are about.

    Args:
        raw: the tables of cells; those of events and flights are filled.
        answers: by the name of the field of a form.

    Returns:
        The field of each cell that was filled, and of those of the tournament.
    """
    filled: dict[Cell, str] = {
        ("tournaments", row[LINE], key): key
        for row in raw.table("tournaments")[:1]
        for key, cell in row.items()
        if cell and answers.get(key) == cell
    }
    for tournament in raw.table("tournaments")[:1]:
        for key in REQUIRED:
            if tournament.get(key) and answers.get(key, "") not in ("", tournament[key]):
                what = msg("the result says %(said)s itself; the answer %(answer)s is not used",
                           said=tournament[key], answer=answers[key])  # fmt: skip
                remedy = msg("If the result is wrong, edit it.")
                raw.notice(tournament[LINE], what, "report", remedy)
    events = raw.table("events")
    for field, value in answers.items():
        parts = _KEY.fullmatch(field)
        if not (value and parts and parts["event"]) or int(parts["event"]) >= len(events):
            continue
        event = events[int(parts["event"])]
        flight = parts["flight"]
        table = "flights" if flight else "events"
        row = _flight_row(raw, event["event_id"], flight) if flight else event
        if row is not None and not row.get(parts["key"]):
            row[parts["key"]] = value
            filled[table, row[LINE], parts["key"]] = field
    return filled


def _flight_row(raw: ReportTables, event_id: str, flight: str) -> TextRow | None:
    """The row of a flight, made where it has placings and no row; none where it has neither."""
    flights = raw.table("flights")
    for row in flights:
        if row["event_id"] == event_id and row["flight"] == flight:
            return row
    for row in raw.table("placings"):
        if row["event_id"] == event_id and (row.get("flight") or _MAIN) == flight:
            raw.add("flights", {"event_id": event_id, "flight": flight}, row[LINE], row[FILE])
            return flights[-1]
    return None


# ── what was understood ──────────────────────────────────────────────────────────────────────────


def placed_rows(raw: ReportTables, lines: Sequence[str]) -> tuple[PlacedRow, ...]:
    """The lines that were understood, in their order.

    Args:
        raw: the tables of cells.
        lines: of a text; of a workbook there are none.
    """
    players = {row["player_id"]: row for row in raw.table("players")}
    events = {row["event_id"]: row["name"] or "" for row in raw.table("events")}
    sheets = {file: seen.rows for file, seen in raw.seen.items()}
    rows = []
    for row in raw.table("placings"):
        line = row[LINE]
        player = players.get(row["player_id"], {})
        cells = sheets.get(row[FILE], {}).get(line, [])
        of_line = lines[line - 1] if line <= len(lines) else " ".join(filter(None, cells))
        rows.append(
            PlacedRow(
                line=line,
                text=echoed(of_line.strip()),
                event=visible(events.get(row["event_id"], "")),
                flight=visible(row.get("flight") or _MAIN),
                rank=_rank(row["rank"] or "", row.get("tied")),
                name=visible(player.get("name") or ""),
                nation=visible(row.get("nation") or player.get("nation") or "") or None,
                key=row["player_id"] or "",
            )
        )
    return tuple(sorted(rows, key=lambda row: row.line)[:MOST_ROWS])


def _rank(rank: str, tied: str | None) -> str:
    shared = tied is not None and tied.isdecimal() and rank.isdecimal() and int(tied) > 1
    return f"{rank}–{int(rank) + int(tied or 1) - 1}" if shared else rank


# ── what is missing ──────────────────────────────────────────────────────────────────────────────


def seen_above(
    raw: ReportTables, lines: Sequence[str], answers: Mapping[str, str]
) -> dict[str, str]:
    """Values found in the lines above the placings: name, days, place, number of players.

    Nothing follows from it until a director confirms it. The usual day is assumed only where no
    number stands above, which may be part of another day.

    Args:
        raw: the tables of cells.
        lines: of a text; of a workbook there are none.
        answers: with the usual game and day.
    """
    first = min((row[LINE] for row in raw.table("placings")), default=1)
    rows = raw.source.rows
    above = lines[: first - 1] or [" ".join(rows[line]) for line in sorted(rows) if line < first]
    seen = {"discipline": answers.get(USUAL_GAME, "")}
    if raw.title:
        title = title_parts(raw.title)
        seen |= {"name": title.name, "city": title.city, "country": title.country}
    every = lines or [" ".join(row) for row in rows.values()]
    for line in every:
        if (flight := flight_of(line)) and (number := _ENTRANTS.search(line)):
            seen[f"0.{flight}.entrants"] = number[1]
    for line in (raw.title, *above[:ABOVE]):
        parts = title_parts(line)
        if count := parts.entrants or count_of(line):
            seen.setdefault(f"0.{_MAIN}.entrants", count)
        if parts.days and "end_date" not in seen:
            first_day, last_day = (day.isoformat() for day in parts.days)
            seen |= {"end_date": last_day, "start_date": first_day if first_day < last_day else ""}
    usual_day = answers.get(USUAL_DAY, "")
    if not any(map(str.isdigit, " ".join((raw.title, *above)).replace(usual_day[:4], ""))):
        seen.setdefault("end_date", usual_day)
    return {key: value for key, value in seen.items() if value}


def questions(
    raw: ReportTables, answers: Mapping[str, str], seen: Mapping[str, str]
) -> tuple[MissingValue, ...]:
    """What the contents leave open: questions that are answered, and those that are not.

    Args:
        raw: the tables of cells.
        answers: by the name of the field of a form.
        seen: what else the text seems to say, or is usual, by the same names.
    """
    (tournament,) = raw.table("tournaments")[:1] or [{}]
    if not tournament:
        return ()
    discipline = tournament.get("discipline") or seen.get("discipline")
    asking = [
        regulation
        for regulation in regulations().values()
        if regulation.kinds and regulation.discipline == discipline
    ]
    questions = []
    for key in (*REQUIRED, *(key for key in OPTIONAL if key in {**seen, **answers})):
        cell = tournament.get(key)
        from_title = key == "name" and raw.title == cell
        if from_title or cell in (None, answers.get(key), STAND_INS.get(key)):
            assumed = seen.get(key) or (cell if from_title else None)
            asked = _question("tournaments", key, key, answers, assumed, required=key in REQUIRED)
            questions.append(asked)
    if discipline and not asking:
        return tuple(questions)
    in_money = any("entry_fee" in regulation.asks for regulation in asking)
    if in_money and tournament.get("currency") in (None, answers.get("currency")):
        questions.append(_question("tournaments", "currency", "currency", answers, "EUR"))
    apart = any(regulation.settings for regulation in asking)
    if apart and tournament.get("setting") in (None, answers.get("setting")):
        questions.append(_question("tournaments", "setting", "setting", answers, "live"))
    events = raw.table("events")[: report_form.MOST_EVENTS]
    for number, row in enumerate(events):
        name = (row["name"] or "") if len(events) > 1 else ""
        questions += _of_flights(raw, answers, seen, number, row, name)
        for key in dict.fromkeys(key for regulation in asking for key in regulation.asks):
            field = f"{number}.{key}"
            if row.get(key) in (None, answers.get(field)):
                by = tuple(regulation.title for regulation in asking if key in regulation.asks)
                asked = _question("events", key, field, answers, event=name, by=by)
                questions.append(replace(asked, choices=asked.choices or words_of(key, asking)))
    return tuple(questions)


def _of_flights(
    raw: ReportTables,
    answers: Mapping[str, str],
    seen: Mapping[str, str],
    number: int,
    event: TextRow,
    name: str,
) -> Iterator[MissingValue]:
    """How many entered each flight that has placings."""
    own = [row for row in raw.table("flights") if row["event_id"] == event["event_id"]]
    entrants = {row["flight"]: row.get("entrants") for row in own}
    entrants.setdefault(_MAIN, event.get("entrants"))
    flights = [row.get("flight") or _MAIN for row in raw.table("placings")
               if row["event_id"] == event["event_id"]]  # fmt: skip
    for flight in dict.fromkeys(flights):
        field = f"{number}.{flight}.entrants"
        if flight in FLIGHT_NAMES and entrants.get(flight) in (None, answers.get(field)):
            assumed = seen.get(field)
            yield _question(
                "flights", "entrants", field, answers, assumed, event=name, flight=flight
            )


def _question(
    table: str,
    key: str,
    field: str,
    answers: Mapping[str, str],
    assumed: str | None = None,
    *,
    event: str = "",
    flight: str = "",
    by: tuple[str, ...] = (),
    required: bool = False,
) -> MissingValue:
    column = TABLES[table][key]
    asks = msg(column.question, flight=(FLIGHT_NAMES[flight],)) if flight else column.question
    return MissingValue(
        field=field,
        asks=asks,
        event=event,
        value=answers.get(field, assumed or ""),
        kind=column.kind,
        choices=choices_of(key, column),
        meaning=column.means,
        asked_by=by,
        required=required,
        assumed=bool(assumed) and field not in answers,
    )
