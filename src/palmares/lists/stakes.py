"""Points at stake in an event that is still to come: fields of some sizes, awarded as any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from palmares.core.errors import FactsRejected, Problem, Refused
from palmares.core.messages import msg
from palmares.core.rounding import Nanopoints
from palmares.facts import Facts, ReportTables, check_facts, parse_cells
from palmares.facts.rates import shipped, with_bank_rates
from palmares.points.awards import Question, award
from palmares.regulations import Regulation, get_regulation, money_disciplines
from palmares.regulations.protocol import Sum
from palmares.tournaments.draw.places import bracket_size, fed_brackets, wrong_feeds
from palmares.tournaments.notice import Division, Notice, event_cells, tournament_cells
from palmares.tournaments.systems.matches import MAIN

SIZES = (8, 16, 32, 64)
"""Entrants of the fields that are tried."""
EACH_PLACE = 8
"""Places that are shown where a format has no rounds to share them by."""
FACTS_FORMATS = {"groups": "round_robin"}
"""A notice's word for a format, and the word of facts where it is another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stake:
    """Points for a place, or for a match won."""

    regulation: str
    division: str
    entrants: int  # of the main
    flight: str
    flight_entrants: int
    kind: str  # of points
    first: int | None  # place; none: a match won
    last: int | None
    length: int | None  # of the match won
    nanopoints: Nanopoints


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """What is at stake in an event."""

    rows: tuple[Stake, ...]
    days: Mapping[str, date]  # of each regulation: as if the event ended on that day
    problems: tuple[str, ...]  # why there are no points, or what is not known yet


def check_regulations(notice: Notice) -> None:
    """Refuse a regulation that is unknown, or adds no points up.

    Raises:
        Refused: it names those there are.
    """
    for name in notice.regulations:
        regulation = get_regulation(name, awards=True)
        if not isinstance(regulation.aggregate, Sum):
            raise Refused(
                msg("%(regulation)s makes ratings, and no points are at stake under it. Leave it"
                    " out of the notice's regulations.", regulation=name)
            )  # fmt: skip


def stakes(notice: Notice, sizes: Sequence[int] = SIZES) -> Stakes:
    """The points at stake under each regulation of a notice, for fields of some sizes."""
    rows: list[Stake] = []
    days: dict[str, date] = {}
    problems: list[str] = []
    for name in notice.regulations:
        regulation = get_regulation(name, awards=True)
        days[name] = _day(notice, regulation)
        if days[name] != notice.end_date:
            problems.append(
                msg(
                    "%(regulation)s: the exchange rate on the last day is not known yet; these"
                    " points use that of %(day)s.",
                    regulation=regulation.title,
                    day=days[name].isoformat(),
                )
            )
        try:
            fresh, more = _stakes(notice, regulation, sizes, days[name])
        except FactsRejected as rejected:
            problems += [
                msg("%(regulation)s: %(why)s", regulation=regulation.title, why=problem.sentences)
                for problem in dict.fromkeys(rejected.problems)
            ]
            continue
        rows += fresh
        problems += more
        if not fresh:
            why = msg("%(regulation)s: this event awards no points.", regulation=regulation.title)
            problems.append(why)
    return Stakes(rows=tuple(rows), days=days, problems=tuple(dict.fromkeys(problems)))


def _day(notice: Notice, regulation: Regulation) -> date:
    """The last day of the event; where its exchange rate is unknown, the last that has one."""
    until = shipped().until
    abroad = regulation.money and notice.currency != "EUR" and until is not None
    return min(notice.end_date, until) if abroad and until else notice.end_date


Fields = dict[tuple[str, str], tuple[Division, int, int]]
"""Division, entrants of the main and of the flight, by event and flight."""


def _supposed(notice: Notice, sizes: Sequence[int], day: date) -> tuple[ReportTables, Fields]:
    """A report as if the event had been played, once with each size of field."""
    report = ReportTables("notice")
    fields: Fields = {}
    for size in sizes:
        flights = _flight_sizes(notice, size)
        if not flights:
            continue
        tournament = tournament_cells(notice) | {
            "tournament_id": str(size), "discipline": "backgammon", "start_date": "",
            "end_date": day.isoformat(),
        }  # fmt: skip
        _add(report, "tournaments", **tournament)
        for division in notice.divisions:
            cells = event_cells(notice, division)
            event = f"{size}/{cells['division_rank']}"
            _add(
                report, "events",
                event_id=event, tournament_id=str(size), name=division.name, entrants=str(size),
                **cells,
            )  # fmt: skip
            for flight, entrants in flights.items():
                _flight(report, notice, event, flight, entrants)
                fields[event, flight] = (division, size, entrants)
    return report, fields


def _stakes(
    notice: Notice, regulation: Regulation, sizes: Sequence[int], day: date
) -> tuple[list[Stake], list[str]]:
    report, fields = _supposed(notice, sizes, day)
    facts = _checked(report, regulation)
    awards = award(Question(regulation=regulation.name), facts, terms=False)
    rows = []
    columns = ("event_id", "flight", "kind", "player_id", "nanopoints")
    for event, flight, kind, player, nanopoints in awards.frame.select(columns).iter_rows():
        division, size, entrants = fields[event, flight]
        first, last, length = (int(part) or None for part in player.split("/")[1:])
        rows.append(
            Stake(
                regulation=regulation.name, division=division.name, entrants=size, flight=flight,
                flight_entrants=entrants, kind=kind, first=first, last=last, length=length,
                nanopoints=nanopoints,
            )
        )  # fmt: skip
    kinds: dict[str, Problem] = {}
    for advice in awards.notices:
        kinds.setdefault(advice.several or advice.what, advice)
    notices = [
        msg("%(regulation)s: %(why)s", regulation=regulation.title, why=advice.what)
        for advice in kinds.values()
    ]
    return _in_order(rows, notice, regulation), notices


def _in_order(rows: list[Stake], notice: Notice, regulation: Regulation) -> list[Stake]:
    """By division, field, flight, kind of points, then place or length."""
    divisions = [division.name for division in notice.divisions]
    flights = [flight.name for flight in notice.flights]
    return sorted(
        rows,
        key=lambda row: (
            divisions.index(row.division),
            row.entrants,
            flights.index(row.flight),
            regulation.kinds.index(row.kind),
            row.first or row.length or 0,
        ),
    )


def _flight_sizes(notice: Notice, entrants: int) -> dict[str, int]:
    """How many play in each flight if so many enter; nothing where a feed has too few losers."""
    lines = bracket_size(entrants)
    if next(wrong_feeds(lines, notice.feeds), None):
        return {}
    losers = {
        name: sum(player.startswith("L:") for matches in rounds for match in matches
                  for player in match)
        for name, rounds in fed_brackets(lines, notice.feeds).items()
    }  # fmt: skip
    return {MAIN: entrants, **losers}


def _flight(report: ReportTables, notice: Notice, event: str, flight: str, entrants: int) -> None:
    """A flight: who takes each place, and who wins a match of each length."""
    style = FACTS_FORMATS.get(notice.format, notice.format) if flight == MAIN else "knockout"
    _add(report, "flights", event_id=event, flight=flight, entrants=str(entrants), format=style)
    plan = next(each for each in notice.flights if each.name == flight)
    for first, last in _places(notice, flight, entrants):
        _add(
            report, "placings",
            event_id=event, flight=flight, player_id=f"{flight}/{first}/{last}/0", rank=str(first),
            tied=str(last - first + 1),
            designated="yes" if plan.designated and first <= plan.designated else "",
        )  # fmt: skip
    for length in dict.fromkeys(plan.lengths):
        _add(
            report, "matches",
            match_id=f"{event}/{flight}/{length}", event_id=event, flight=flight,
            length=str(length), winner_id=f"{flight}/0/0/{length}",
        )  # fmt: skip


def _places(notice: Notice, flight: str, entrants: int) -> Iterator[tuple[int, int]]:
    """The places of a flight: shared by the losers of a round, or one by one."""
    if flight == MAIN and notice.format in ("groups", "swiss") and not notice.advance:
        yield from ((place, place) for place in range(1, min(entrants, EACH_PLACE) + 1))
        return
    yield 1, 1
    place = 1
    while place < entrants:
        yield place + 1, min(2 * place, entrants)
        place *= 2


def _checked(report: ReportTables, regulation: Regulation) -> Facts:
    """The facts of the fields, whose players are members of the federation that asks for it."""
    players = {
        player
        for table, column in (("placings", "player_id"), ("matches", "winner_id"))
        for row in report.table(table)
        if (player := row.get(column))
    }
    for player in sorted(players):
        _add(report, "players", player_id=player, name=player)
        if regulation.members_of:
            _add(
                report, "memberships",
                player_id=player, federation=regulation.members_of, level="Basic",
                start="1990-01-01",
            )  # fmt: skip
    return with_bank_rates(check_facts(parse_cells(report)), money_disciplines)


def _add(report: ReportTables, table: str, **cells: str) -> None:
    report.add(table, cells, 1)
