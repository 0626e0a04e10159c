"""
How a team's total came about, and how a scale gives the VPs of a margin.

The functions that made the list run again with every step recorded, so that an explanation cannot
differ from the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from palmares.bridge.results import VOID, TeamEvent, TeamResult, TeamStanding, side_of
from palmares.bridge.standings import Standings, vp_text
from palmares.bridge.vp import Score, compute_again, edition, scale_of
from palmares.core.errors import Refused, brief
from palmares.core.messages import LocalNumber, chained, msg, plural
from palmares.regulations.tracing import TraceStep, traced
from palmares.regulations.words import ClauseLine, in_text_order, worded


@dataclass(frozen=True, slots=True, kw_only=True)
class TotalPart:
    """A match, bye, adjustment or carried score, and the clauses that made it."""

    what: str  # "round 2, against Beta, 16 boards": a message
    vp: int  # hundredths
    lines: tuple[ClauseLine, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamExplanation:
    """A team's total, part by part."""

    standing: TeamStanding
    event: str
    parts: tuple[TotalPart, ...]
    total: tuple[ClauseLine, ...]
    editions: tuple[str, ...]  # with the hashes of their files

    @property
    def heading(self) -> str:
        """The team's points and rank, and what separated it from teams with as many VPs."""
        team = self.standing
        given = {
            "team": team.name,
            "points": LocalNumber(vp_text(team.points)),
            "event": self.event,
        }
        if team.rank:
            first = msg(
                "%(team)s: %(points)s VPs, rank %(rank)s in %(event)s", rank=team.rank, **given
            )
        else:
            first = msg(
                "%(team)s: %(points)s VPs, without a rank: it withdrew in %(event)s", **given
            )
        return chained([first, team.tie_break] if team.tie_break else [first])

    @property
    def summary(self) -> str:
        """The total in one line: ``12.03 + 7.97 − 1.00 = 19.00``."""
        terms = "".join(
            f" {'−' if part.vp < 0 else '+'} {vp_text(abs(part.vp))}" for part in self.parts
        )
        first = "−" if terms.startswith(" −") else ""
        return f"{first}{terms[3:] or '0'} = {vp_text(self.standing.points)}"


def explain_team(event: TeamEvent, ranked: Standings, team: str) -> TeamExplanation:
    """How the total of a team came about.

    Args:
        event: the event.
        ranked: its list, which says what rounds count.
        team: by the name that its matches give it, or its full name.

    Raises:
        Refused: there is no such team; says which there are.
    """
    standing = ranked.team(team)
    if standing is None:
        raise Refused(
            msg(
                "There is no team %(team)s. There are: %(teams)s.",
                team=brief(team),
                teams=", ".join(each.name for each in ranked.teams),
            )
        )
    rules = [event.rules, edition()]
    with traced() as steps:
        event.standing(standing.team, ranked.rounds)
    total = [step for step in steps if step.clause == "total"]
    return TeamExplanation(
        standing=standing,
        event=ranked.event,
        parts=tuple(_parts(event, ranked, standing)),
        total=tuple(worded(rules, total)),
        editions=tuple(
            f"{each.edition.name} (sha256 {each.edition.sha256[:12]})" for each in rules
        ),
    )


def _parts(event: TeamEvent, ranked: Standings, standing: TeamStanding) -> Iterator[TotalPart]:
    """Every match with its adjustment, and what was carried forward."""
    rules = [event.rules, edition()]
    for row in event.rows:
        side = side_of(row, standing.team)
        if side is None or row["round"] not in ranked.rounds:
            continue
        with traced() as steps:
            result = event.result(row, *side)
        match = _in_round(result, _match_words(event, result))
        yield TotalPart(what=match, vp=result.vp, lines=tuple(worded(rules, steps)))
        if result.adjustment:
            yield TotalPart(what=_in_round(result, msg("adjustment")), vp=result.adjustment)
    if standing.carried:
        yield TotalPart(what=msg("carried forward from an earlier stage"), vp=standing.carried)


def _in_round(result: TeamResult, what: str) -> str:
    """``round 2, against Beta, 16 boards``."""
    if not result.round:
        return what
    return msg("round %(round)s, %(what)s", round=result.round, what=(what,))


def _match_words(event: TeamEvent, result: TeamResult) -> str:
    """``against Beta, 16 boards``."""
    if result.opponent is None:
        return msg("bye")
    opponent = event.teams[result.opponent].name
    words = msg("against %(opponent)s", opponent=opponent)
    if result.boards:
        words = plural(
            "against %(opponent)s, %(many)s board",
            "against %(opponent)s, %(many)s boards",
            result.boards,
            opponent=opponent,
        )
    return msg("%(match)s: void", match=words) if result.status == VOID else words


_CLAUSES_OF_ALL = ("eq3", "eq2", "eq12")
_CORRECTIONS = ("continuous-correction", "discrete-correction")
_HALF = Fraction(1, 2)


def explain_score(boards: int, scale: str, margin: int) -> tuple[Score, tuple[ClauseLine, ...]]:
    """Both sides' VPs for a margin, and how the scale came to them.

    The whole scale is computed again; shown are the clauses about all of it and about this margin.

    Raises:
        Refused: there is no such scale, or no scale for so many boards.
    """
    computed = scale_of(boards, scale)
    with traced() as steps:
        compute_again(computed)
    with traced() as looking:
        score = computed.score(margin)
    entry = min(abs(margin), len(computed.table) - 1)
    relevant = [
        replace(step, because=()) if step.clause in _CORRECTIONS else step
        for step in steps
        if _is_about(step, entry, Fraction(score.winner))
    ]
    rules = [edition()]
    return score, tuple(worded(rules, [*in_text_order(rules, relevant), *looking]))


def _is_about(step: TraceStep, margin: int, winner: Fraction) -> bool:
    inputs: dict[str, Any] = dict(step.inputs)
    if step.clause == "eq9":
        return bool(inputs["margin"] == margin)
    if step.clause == "first-pass":
        return bool(abs(inputs["score"] - winner) == _HALF)
    return step.clause in (*_CLAUSES_OF_ALL, *_CORRECTIONS)
