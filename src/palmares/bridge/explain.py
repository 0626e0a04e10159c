"""
How a team's total came about: the trace of the clauses that made the list.

    explained       an event, its list and a team  ->  TeamExplanation
    headed          where the team stands, as a sentence
    added_up        the total as a sum of its parts
    Part            one match, bye or column, and the clauses that made it
    scored          a margin  ->  its VPs, and the clauses that made the entry of the scale

Nothing is described a second time: the same functions run again with every step recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from palmares.bridge.results import VOID, Result, TeamEvent, side_of
from palmares.bridge.standings import Standing, Standings, contender
from palmares.bridge.tiebreaks import vp_text
from palmares.bridge.vp import Score, edition, made_anew, scale_of
from palmares.core.errors import Refused, brief
from palmares.core.messages import LocalNumber, msg, plural
from palmares.regulations.tracing import Step, traced
from palmares.regulations.words import Line, in_text_order, worded


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of a total."""

    what: str  # "round 2, against Beta, 16 boards": a message
    vp: int  # hundredths
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamExplanation:
    """A team's total, part by part."""

    standing: Standing
    event: str
    parts: tuple[Part, ...]
    total: tuple[Line, ...]
    editions: tuple[str, ...]  # with the hashes of their sheets


def explained(held: TeamEvent, made: Standings, team: str) -> TeamExplanation:
    """How the total of a team came about.

    Args:
        held: the event.
        made: its list, which says what rounds count.
        team: by the name that its matches give it, or its full name.

    Raises:
        Refused: there is no such team; says which there are.
    """
    standing = made.team(team)
    if standing is None:
        there_are = ", ".join(one.name for one in made.teams)
        raise Refused(
            msg(
                "There is no team %(team)s. There are: %(teams)s.",
                team=brief(team),
                teams=there_are,
            )
        )
    sheets = [held.rules, edition()]
    with traced() as summing:
        contender(held, standing.team, made.rounds)
    total = [step for step in summing if step.clause == "total"]
    return TeamExplanation(
        standing=standing,
        event=made.event,
        parts=tuple(_parts(held, made, standing)),
        total=tuple(worded(sheets, total)),
        editions=tuple(
            f"{sheet.edition.name} (sha256 {sheet.edition.sha256[:12]})" for sheet in sheets
        ),
    )


def _parts(held: TeamEvent, made: Standings, standing: Standing) -> Iterator[Part]:
    """Every match, and what was carried forward."""
    sheets = [held.rules, edition()]
    for row in held.rows:
        side = side_of(row, standing.team)
        if side is None or row["round"] not in made.rounds:
            continue
        with traced() as steps:
            result = held.result(row, *side)
        yield Part(what=_named(held, result), vp=result.vp, lines=tuple(worded(sheets, steps)))
        if result.adjustment:
            adjustment = _of_round(result, msg("adjustment"))
            yield Part(what=adjustment, vp=result.adjustment, lines=())
    if standing.carried:
        carried = msg("carried forward from an earlier stage")
        yield Part(what=carried, vp=standing.carried, lines=())


def _of_round(result: Result, what: str) -> str:
    if not result.round:
        return what
    return msg("round %(round)s, %(what)s", round=result.round, what=(what,))


def _named(held: TeamEvent, result: Result) -> str:
    """``round 2, against Beta, 16 boards``."""
    if result.opponent is None:
        return _of_round(result, msg("bye"))
    opponent = held.entries[result.opponent].name
    met = msg("against %(opponent)s", opponent=opponent)
    if result.boards:
        met = plural(
            "against %(opponent)s, %(many)s board",
            "against %(opponent)s, %(many)s boards",
            result.boards,
            opponent=opponent,
        )
    if result.status == VOID:
        met = msg("%(match)s: void", match=met)
    return _of_round(result, met)


def headed(made: TeamExplanation) -> str:
    """Where the team stands, and what parted it from teams with as many VPs."""
    one = made.standing
    given = {"team": one.name, "points": LocalNumber(vp_text(one.points)), "event": made.event}
    if one.rank:
        place = msg("%(team)s: %(points)s VPs, rank %(rank)s in %(event)s", rank=one.rank, **given)
    else:
        place = msg("%(team)s: %(points)s VPs, without a rank: it withdrew in %(event)s", **given)
    return msg("%(first)s; %(then)s", first=place, then=one.tie_break) if one.tie_break else place


def added_up(made: TeamExplanation) -> str:
    """The total in one line: ``12.03 + 7.97 − 1.00 = 19.00``."""
    terms = "".join(
        f" {'−' if part.vp < 0 else '+'} {vp_text(abs(part.vp))}" for part in made.parts
    )
    first = "−" if terms.startswith(" −") else ""
    return f"{first}{terms[3:] or '0'} = {vp_text(made.standing.points)}"


_OF_A_SCALE = ("eq3", "eq2", "eq12")
_CORRECTIONS = ("continuous-correction", "discrete-correction")
_HALF = Fraction(1, 2)


def scored(boards: int, scale: str, margin: int) -> tuple[Score, tuple[Line, ...]]:
    """Both sides' VPs for a margin, and how the scale came to them.

    The whole scale is made; told are the clauses about all of it and those about this margin.

    Raises:
        Refused: there is no such scale, or no scale for so many boards.
    """
    held = scale_of(boards, scale)
    with traced() as making:
        made_anew(held)
    with traced() as looking:
        score = held.score(margin)
    entry = min(abs(margin), len(held.cells) - 1)
    steps = [one for one in making if _about(one, entry, Fraction(score.winner))]
    bare = [replace(step, because=()) if step.clause in _CORRECTIONS else step for step in steps]
    return score, tuple(worded([edition()], [*in_text_order([edition()], bare), *looking]))


def _about(step: Step, margin: int, winner: Fraction) -> bool:
    """Whether a step is about the whole scale, this margin, or the ends of its range."""
    given: dict[str, Any] = dict(step.inputs)
    if step.clause == "eq9":
        return bool(given["margin"] == margin)
    if step.clause == "first-pass":
        return bool(abs(given["score"] - winner) == _HALF)
    return step.clause in (*_OF_A_SCALE, *_CORRECTIONS)
