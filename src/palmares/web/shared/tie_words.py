"""
How ties were broken, in words that every language has.

    step_words  a step of a tie-break  ->  what it did, as a message
    team_words  a team and its ties    ->  what parted it from teams with as many VPs

In English they are the words of `palmares.bridge.tiebreaks`, letter by letter.
"""

from __future__ import annotations

from collections.abc import Iterable

from palmares.bridge.tiebreaks import Step, Tie, listed
from palmares.core.messages import LocalNumber, msg


def step_words(step: Step) -> str:
    """What a step did, as a sentence without its full stop."""
    if not step.values:
        return _passed_over(step)
    if len(step.groups) == 1:
        return _level(step)
    did = _did(step, step.groups[0][0])
    return msg("%(teams)s %(did)s", teams=listed(step.ahead), did=did)


def team_words(team: str, ties: Iterable[Tie]) -> str:
    """What parted a team from others, step by step; empty where nothing had to."""
    for tie in ties:
        if team in tie.teams:
            return _parted(team, tie)
    return ""


def _parted(team: str, tie: Tie) -> str:
    told = [_of(step, team) for step in tie.steps if team in step.teams]
    others = tie.sharing(team)
    if others:
        told.append(msg("shares the rank with %(teams)s", teams=listed(others)))
    words = told[0]
    for more in told[1:]:
        words = msg("%(first)s; %(then)s", first=words, then=more)
    return words


def _of(step: Step, team: str) -> str:
    if not step.values:
        return _passed_over(step)
    return _level(step) if len(step.groups) == 1 else _did(step, team)


def _passed_over(step: Step) -> str:
    return msg("%(step)s: passed over, %(why)s", step=(step.label,), why=(step.reason,))


def _level(step: Step) -> str:
    value = _value(step.values[step.groups[0][0]])
    return msg("%(step)s: level at %(value)s", step=(step.label,), value=value)


def _did(step: Step, team: str) -> str:
    place = next(at for at, group in enumerate(step.groups) if team in group)
    others = [step.values[group[0]] for at, group in enumerate(step.groups) if at != place]
    given = {
        "step": (step.label,),
        "value": _value(step.values[team]),
        "others": listed([_value(one) for one in others]),
    }
    if place == 0:
        return msg("ahead on %(step)s: %(value)s to %(others)s", **given)
    if place < len(step.groups) - 1:
        return msg("in between on %(step)s: %(value)s to %(others)s", **given)
    return msg("behind on %(step)s: %(value)s to %(others)s", **given)


def _value(text: str) -> str:
    """Numbers; those of a quotient stand on both sides of its stroke."""
    won, _, lost = text.partition("/")
    if not lost:
        return LocalNumber(text)
    return msg("%(won)s/%(lost)s", won=LocalNumber(won), lost=LocalNumber(lost))
