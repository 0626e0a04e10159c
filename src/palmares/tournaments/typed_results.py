"""An event as people type it: its setup, a result, or the sheet of a printed bracket."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, TypedDict, get_args

import msgspec

from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import msg
from palmares.core.toml import fault_of, refused
from palmares.facts.text import printable, squeezed
from palmares.tournaments.draw import announcement as draws
from palmares.tournaments.draw.announcement import FORMS, read
from palmares.tournaments.draw.draw import run
from palmares.tournaments.draw.places import line_numbers
from palmares.tournaments.running import (
    NOTHING_RECORDED,
    Drafts,
    RecordBody,
    Running,
    after,
    result,
)
from palmares.tournaments.systems.checks import text_fault
from palmares.tournaments.systems.matches import (
    MAIN,
    MOST_IN_ALL,
    MOST_POINTS,
    AnySetup,
    Flight,
    Groups,
    Knockout,
    Match,
    Outcome,
    Swiss,
    flight_named,
)

COLUMNS = ("match", "winner", "score", "how", "length", "table")
"""Columns of a sheet of results; match and winner are needed."""
How = Literal["played", "walkover", "retired", "double_no_show"]
HOW: tuple[How, ...] = get_args(How)
_SCORE = re.compile(r"([0-9]{1,4}) ?[-–:] ?([0-9]{1,4})")
_LENGTH = re.compile("[1-9][0-9]{0,3}")


class TypedResult(NamedTuple):
    """A result as it was typed; what was left out is empty."""

    match: str
    winner: str = ""  # an id or a name
    score: str = ""
    how: str = ""
    length: str = ""
    table: str = ""


def read_match_id(text: str) -> str:
    """The id of a match as people write it: 2.1 is main:2:1, Consolation 1.2 consolation:1:2."""
    parts = re.findall(r"[^\s.:]+", text)
    if text.count(":") > 1 or len(parts) < 2:  # noqa: PLR2004  round and number
        return text.strip()
    flight = "_".join(parts[:-2]).casefold() or MAIN
    return ":".join((flight, *parts[-2:]))


def read_result(running: Running, typed: TypedResult, at: Location | None = None) -> Outcome:
    """How a match ended, from what was typed.

    Raises:
        FactsRejected: no player or score is meant by it; carries every problem.
    """
    at = at or Location(typed.match)
    match = running.match(typed.match, at)
    problems: list[Problem] = []

    def wrong(code: str, what: str, remedy: str) -> None:
        problems.append(Problem(at=at, what=what, clause="event", remedy=remedy, code=code))

    how = next((how for how in HOW if how == (typed.how.strip() or HOW[0])), None)
    if how is None:
        wrong("how", msg("'%(how)s' does not say how a match ended", how=printable(typed.how)),
              msg("Write played, walkover, retired or double_no_show."))  # fmt: skip
    winner = _winner(running, match, typed.winner, wrong)
    score = _SCORE.fullmatch(squeezed(typed.score))
    pair = (int(score[1]), int(score[2])) if score else None
    if typed.score.strip() and not (pair and max(pair) <= MOST_POINTS):
        wrong("score", msg("'%(score)s' is no score", score=printable(typed.score)),
              msg("Write the winner's points first, such as 11-7."))  # fmt: skip
    length = int(typed.length) if _LENGTH.fullmatch(typed.length.strip()) else None
    if typed.length.strip() and not (length and length <= MOST_IN_ALL):
        wrong("length", msg("'%(length)s' is no length of a match", length=printable(typed.length)),
              msg("Write the points to be won, such as 11."))  # fmt: skip
    table = squeezed(typed.table)
    if table and (fault := text_fault(table)):
        wrong("table", msg("the table “%(table)s” %(wrong)s", table=printable(table), wrong=fault),
              msg("Write where it was played, such as 4."))  # fmt: skip
    if problems or how is None:
        raise FactsRejected(problems, so=NOTHING_RECORDED)
    is_series = flight_named(running.setup, match.flight).best_of > 1
    return Outcome(
        winner=winner,
        how=how,
        score=None if is_series else pair,
        wins=pair if is_series else None,
        length=length,
        table=table or None,
    )


def _winner(
    running: Running, match: Match, text: str, wrong: Callable[[str, str, str], None]
) -> str | None:
    """The id of the player who is meant; none, and perhaps a problem, where it is not one."""
    if match.state not in ("ready", "done"):
        return text  # the match takes no result yet
    players = list(filter(None, match.players))
    meant = running.meant(text, players)
    if len(meant) > 1:
        ids = ", ".join(f"{who} ({running.name(who)})" for who in meant)
        wrong("winner", msg("both players are called %(winner)s", winner=printable(text)),
              msg("Write the id of the winner: %(ids)s.", ids=ids))  # fmt: skip
    elif text.strip() and not meant:
        wrong("winner", msg("%(winner)s does not play this match", winner=printable(text)),
              msg("Write the id or the name of one of its two players: %(players)s.",
                  players=", ".join(map(running.name, players))))  # fmt: skip
    return meant[0] if len(meant) == 1 else None


def enter_sheet(running: Running, rows: Sequence[tuple[Location, TypedResult]]) -> Drafts:
    """The records of all results of a sheet, in whatever order its rows are.

    Raises:
        FactsRejected: something is wrong; carries every problem. Nothing is to be recorded.
    """
    drafts: list[tuple[str, RecordBody]] = []
    problems: list[Problem] = []
    pending: dict[str, tuple[Location, TypedResult]] = {}
    for at, typed in rows:
        if typed.match in pending:
            problems.append(
                Problem(
                    at=at,
                    what=msg("another row has a result of this match already"),
                    clause="event",
                    remedy=msg("Leave the row that counts."),
                    code="decided",
                )
            )
        pending.setdefault(typed.match, (at, typed))
    while pending:
        waiting = {match.id for match in running.matches if match.state == "waiting"}
        ready = {name: row for name, row in pending.items() if name not in waiting}
        if not ready and problems:
            break  # what they wait for is wrong
        checked: list[tuple[str, RecordBody]] = []
        for at, typed in (ready or pending).values():
            try:
                outcome = read_result(running, typed, at)
                checked += result(running, typed.match, outcome)
            except FactsRejected as error:
                problems += [replace(problem, at=at) for problem in error.problems]
        for _, body in checked:
            running = after(running, body)
        drafts += checked
        pending = {name: row for name, row in pending.items() if name in waiting and ready}
    if problems:
        raise FactsRejected(sorted(problems), so=NOTHING_RECORDED)
    return drafts


# ── setups ────────────────────────────────────────────────────────────────────────────────────────


BYES = ("", "-", "bye")
"""Words for a place without a player."""
LENGTHS = [7]
"""Points of a match where nothing else is said."""


class _Entrants(TypedDict, total=False):
    """Who plays, by names in order or on which places."""

    entrants: list[str]
    places: list[str | None]


def read_setup(values: Any, file: str, text: str | None = None) -> tuple[AnySetup, dict[str, str]]:
    """The setup that a file describes, and the names of entrants it gives.

    The file has the keys of a setup. Instead of ``places`` and ``names`` it may have ``entrants``,
    a list of names in order.

    Args:
        values: what the file says.
        file: as the user named it.
        text: of the file, if it is TOML.

    Raises:
        Refused: a key is missing or wrong.
    """
    try:
        content = msgspec.convert(values, dict[str, Any])
        entered = msgspec.convert(content, _Entrants)
        places = [None if (who or "").casefold() in BYES else who
                  for who in entered.get("places", ())]  # fmt: skip
        names = content.get("names", {})
        if entrants := content.pop("entrants", None):
            for other in content.keys() & {"places", "names"}:
                what = msg("entrants and %(other)s are both there", other=other)
                raise refused(file, 0, what, msg("Leave one of them out and try again."))
            knockout = content.get("format") == "knockout"
            places, names = placed(entrants, bracket=knockout)
        lengths = {"flights": [{"name": MAIN, "lengths": LENGTHS}]}
        content = lengths | content | {"places": places, "names": names}
        setup: AnySetup = msgspec.convert(content, AnySetup)
    except msgspec.ValidationError as error:
        raise refused(file, *fault_of(error, AnySetup, text, FORMS)) from None
    return setup, setup.names


def placed(entrants: Sequence[str], *, bracket: bool) -> tuple[list[str | None], dict[str, str]]:
    """Places and names of entrants in order, with ids 1, 2, 3, ...

    Args:
        entrants: names; an empty one, ``-`` or ``bye`` is a place that nobody has.
        bracket: of a bracket; what is missing to 2, 4, 8, ... places become byes of the places with
            the lowest numbers, and the others keep their order.
    """
    entrant_names = [
        None if squeezed(name).casefold() in BYES else squeezed(name) for name in entrants
    ]
    names = {str(number): name for number, name in enumerate(filter(None, entrant_names), 1)}
    ids = iter(names)
    places = [next(ids) if name else None for name in entrant_names]
    lines = 1 << (len(places) - 1).bit_length() if places else 0
    if bracket and len(places) < lines:
        numbers = line_numbers(lines)
        byes = {numbers.index(number) ^ 1 for number in range(1, lines - len(places) + 1)}
        rest = iter(places)
        places = [None if line in byes else next(rest) for line in range(lines)]
    return places, names


def setup_of_draw(
    *,
    announcement: str,
    recorded_at: str,
    randomness: Any,
    bracket: str,
    lengths: Mapping[str, list[int]],
    rounds: int,
) -> AnySetup:
    """The setup of an event on the places of a draw.

    Args:
        announcement: of the draw.
        recorded_at: when it was announced.
        randomness: what each of its sources revealed.
        bracket: the announcement that states the feeds; of late entries that of the bracket they
            join, of others their own.
        lengths: points of a match by flight, round by round.
        rounds: of a Swiss.

    Raises:
        Refused: there is no flight of some name in *lengths*.
    """
    drawn = run(announcement.encode(), recorded_at, randomness)
    draw, stated = drawn.announced.content, read(bracket.encode()).content
    feeds = list(stated.feeds or ()) if isinstance(stated, draws.KnockoutDraw) else []
    names = [MAIN, *(feed.name for feed in feeds)]
    if unknown := lengths.keys() - names:
        raise Refused(
            msg(
                "The draw %(draw)s has no flight %(flight)s. It has %(flights)s.",
                draw=draw.draw,
                flight=printable(min(unknown)),
                flights=", ".join(names),
            )
        )
    flights = [
        Flight(name=name, lengths=lengths.get(name, lengths.get(MAIN, LENGTHS))) for name in names
    ]
    common: dict[str, Any] = {
        "event": draw.draw, "name": draw.event, "places": list(drawn.places), "flights": flights,
        "names": {who: who for who in drawn.places if who}, "draw": drawn.announced.sha256,
    }  # fmt: skip
    if isinstance(draw, draws.KnockoutDraw | draws.Late):
        return Knockout(**common, feeds=feeds)
    if isinstance(draw, draws.Pairs):
        return Swiss(**common, rounds=rounds)
    return Groups(**common, groups=draw.groups if isinstance(draw, draws.GroupsDraw) else 1)
