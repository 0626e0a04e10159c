"""
How ties were broken, in words that every language has.

    step_words  a step of a tie-break  ->  what it did, as a message
    team_words  a team and its ties    ->  what parted it from teams with as many VPs

In English they are the words of `palmares.tiebreaks`, letter by letter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from palmares.tiebreaks import Step, Tie, listed
from palmares.web.messages import Figures, said

_LABELS: Mapping[str, str] = {
    "vps-among": said("VPs between the tied teams"),
    "imps-among": said("IMPs between the tied teams"),
    "quotient": said("IMP quotient"),
    "common-opponent": said("VPs against the highest-ranked common opponent"),
    "wins": said("matches won"),
    "lot": said("the drawn lot"),
}


def step_words(step: Step) -> str:
    """What a step did, as a sentence without its full stop."""
    if not step.values:
        return _passed_over(step)
    if len(step.groups) == 1:
        return _level(step)
    did = _did(step, step.groups[0][0])
    return said("%(teams)s %(did)s", teams=listed(step.ahead), did=did)


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
        told.append(said("shares the rank with %(teams)s", teams=listed(others)))
    words = told[0]
    for more in told[1:]:
        words = said("%(first)s; %(then)s", first=words, then=more)
    return words


def _of(step: Step, team: str) -> str:
    if not step.values:
        return _passed_over(step)
    return _level(step) if len(step.groups) == 1 else _did(step, team)


def _passed_over(step: Step) -> str:
    return said("%(step)s: passed over, %(why)s", step=(_label(step),), why=(step.reason,))


def _level(step: Step) -> str:
    value = _value(step.values[step.groups[0][0]])
    return said("%(step)s: level at %(value)s", step=(_label(step),), value=value)


def _did(step: Step, team: str) -> str:
    place = next(at for at, group in enumerate(step.groups) if team in group)
    others = [step.values[group[0]] for at, group in enumerate(step.groups) if at != place]
    given = {
        "step": (_label(step),),
        "value": _value(step.values[team]),
        "others": listed([_value(one) for one in others]),
    }
    if place == 0:
        return said("ahead on %(step)s: %(value)s to %(others)s", **given)
    if place < len(step.groups) - 1:
        return said("in between on %(step)s: %(value)s to %(others)s", **given)
    return said("behind on %(step)s: %(value)s to %(others)s", **given)


def _value(text: str) -> str:
    """Numbers; those of a quotient stand on both sides of its stroke."""
    won, _, lost = text.partition("/")
    if not lost:
        return Figures(text)
    return said("%(won)s/%(lost)s", won=Figures(won), lost=Figures(lost))


def _label(step: Step) -> str:
    label = _LABELS[step.rule]
    if step.label == label:
        return label
    opponent = step.label.removeprefix("VPs against ").removesuffix(", the highest common opponent")
    return said("VPs against %(team)s, the highest common opponent", team=opponent)
