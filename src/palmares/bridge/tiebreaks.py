"""
Parting teams that are level on VPs, step by step, in words.

    TIE_BREAKS      the steps by name, in the order in which they are taken
    part            teams level on points  ->  Tie: in which order they stand, and why
    Contender       what the steps need to know of a team
    Step            one step at work: whom it parted, or why it did not

    vps-among           VPs in the matches between the tied teams
    imps-among          IMPs won less IMPs lost in those matches
    quotient            IMPs won divided by IMPs lost, in all matches
    common-opponent     VPs against the highest-ranked common opponent
    wins                matches won
    lot                 the lot that the director drew

Clause wbf-standings ties, readings S7 to S12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from itertools import groupby
from typing import Any

from palmares.bridge.results import Result, alphabet
from palmares.core.errors import Refused
from palmares.core.messages import LocalNumber, msg
from palmares.regulations import wbf_standings

_CONTINUE = "continue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """What the steps need to know of a team."""

    team: str  # as its matches name it
    name: str  # in full
    points: int  # hundredths of a VP
    results: Sequence[Result]
    lot: int | None
    withdrawn: bool = False

    @property
    def imps_for(self) -> Fraction:
        """IMPs won in all matches."""
        return sum((result.imps_for for result in self.results), Fraction())

    @property
    def imps_against(self) -> Fraction:
        """IMPs lost in all matches."""
        return sum((result.imps_against for result in self.results), Fraction())

    @property
    def wins(self) -> int:
        """Matches won."""
        return sum(result.is_played and result.margin > 0 for result in self.results)

    def against(self, others: Sequence[str]) -> list[Result]:
        """The matches played against some teams."""
        return [result for result in self.results if result.is_played and result.opponent in others]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step at work on some teams that were level."""

    rule: str  #: one of TIE_BREAKS
    label: str  #: "VPs between the tied teams"
    names: Mapping[str, str]  #: team -> its name
    values: Mapping[str, str]  #: team -> what it has; empty if the step was passed over
    groups: tuple[tuple[str, ...], ...]  #: best first; it parted nobody if there is one
    reason: str = ""  #: why it was passed over

    @property
    def teams(self) -> tuple[str, ...]:
        """Whom it was asked about."""
        return tuple(team for group in self.groups for team in group)

    @property
    def ahead(self) -> tuple[str, ...]:
        """The names of those whom it put first."""
        return tuple(self.names[team] for team in self.groups[0])

    def __str__(self) -> str:
        """The step as a sentence without its full stop: a message."""
        words = self.of(self.groups[0][0])
        if not self.values or len(self.groups) == 1:
            return words
        return msg("%(teams)s %(did)s", teams=listed(self.ahead), did=words)

    def of(self, team: str) -> str:
        """What the step did to one team, a message: ``ahead on ...: 27.31 to 12.69``."""
        if not self.values:
            return msg("%(step)s: passed over, %(why)s", step=(self.label,), why=(self.reason,))
        value = _local(self.values[team])
        if len(self.groups) == 1:
            return msg("%(step)s: level at %(value)s", step=(self.label,), value=value)
        place = next(at for at, group in enumerate(self.groups) if team in group)
        others = [self.values[group[0]] for at, group in enumerate(self.groups) if at != place]
        given = {
            "step": (self.label,),
            "value": value,
            "others": listed([_local(one) for one in others]),
        }
        if place == 0:
            return msg("ahead on %(step)s: %(value)s to %(others)s", **given)
        if place < len(self.groups) - 1:
            return msg("in between on %(step)s: %(value)s to %(others)s", **given)
        return msg("behind on %(step)s: %(value)s to %(others)s", **given)


def _local(text: str) -> str:
    """Numbers; those of a quotient stand on both sides of its stroke."""
    won, _, lost = text.partition("/")
    if not lost:
        return LocalNumber(text)
    return msg("%(won)s/%(lost)s", won=LocalNumber(won), lost=LocalNumber(lost))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """Teams that were level on VPs, and how they were parted."""

    points: int
    teams: tuple[str, ...]
    names: Mapping[str, str]  #: team -> its name
    steps: tuple[Step, ...]
    groups: tuple[tuple[str, ...], ...]  #: best first; those in one group share a rank

    def named(self, teams: Sequence[str]) -> tuple[str, ...]:
        """Teams by their names."""
        return tuple(self.names[team] for team in teams)

    def sharing(self, team: str) -> tuple[str, ...]:
        """The names of those with whom a team shares its rank."""
        group = next(group for group in self.groups if team in group)
        return self.named([one for one in group if one != team])

    def of(self, team: str) -> str:
        """What parted a team from the others, step by step: a message."""
        told = [step.of(team) for step in self.steps if team in step.teams]
        if others := self.sharing(team):
            told.append(msg("shares the rank with %(teams)s", teams=listed(others)))
        return reduce(lambda first, then: msg("%(first)s; %(then)s", first=first, then=then), told)


def listed(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``: a message."""
    if len(words) == 1:
        return words[0]
    first = words[0]
    for word in words[1:-1]:
        first = msg("%(first)s, %(then)s", first=first, then=word)
    return msg("%(first)s and %(last)s", first=first, last=words[-1])


# ── The steps ────────────────────────────────────────────────────────────────────────────────────

Judged = Mapping[str, tuple[Any, str]]  # team -> a key (more is better), and the key as text


class _PassedOver(Exception):
    """A step cannot be taken; its text says why."""


def _met_alike(group: Sequence[Contender], others: Sequence[str]) -> bool:
    """Whether each of a group met each of some teams, all equally often."""
    times = {
        sum(result.opponent == other for result in contender.against(others))
        for contender in group
        for other in others
        if other != contender.team
    }
    return len(times) == 1 and 0 not in times


def _between(group: Sequence[Contender]) -> dict[str, list[Result]]:
    """Each team's matches against the others of the group."""
    teams = [contender.team for contender in group]
    if not _met_alike(group, teams):
        raise _PassedOver(msg("they have not all met equally often"))
    return {contender.team: contender.against(teams) for contender in group}


def _vps_among(group: Sequence[Contender], _everybody: Sequence[Contender]) -> Judged:
    sums = {team: sum(result.vp for result in results) for team, results in _between(group).items()}
    return {team: (vp, vp_text(vp)) for team, vp in sums.items()}


def _imps_among(group: Sequence[Contender], _everybody: Sequence[Contender]) -> Judged:
    sums = {
        team: sum((result.imps_for - result.imps_against for result in results), Fraction())
        for team, results in _between(group).items()
    }
    return {team: (imps, f"{shown_imps(imps, sign='+')}") for team, imps in sums.items()}


def _quotient(group: Sequence[Contender], _everybody: Sequence[Contender]) -> Judged:
    return {
        contender.team: _quotient_of(contender.imps_for, contender.imps_against)
        for contender in group
    }


def _quotient_of(won: Fraction, lost: Fraction) -> tuple[Any, str]:
    """A quotient and its text, which shows what was divided by what."""
    key = wbf_standings.quotient(won, lost)
    text = f"{shown_imps(won)}/{shown_imps(lost)}"
    return key, f"{text} = {float(won / lost):.4f}" if lost else text


def _common_opponent(group: Sequence[Contender], everybody: Sequence[Contender]) -> Judged:
    opponent = common_opponent(group, everybody)
    sums = {
        contender.team: sum(match.vp for match in contender.against([opponent]))
        for contender in group
    }
    return {team: (vp, vp_text(vp)) for team, vp in sums.items()}


def common_opponent(group: Sequence[Contender], everybody: Sequence[Contender]) -> str:
    """The team with most VPs, outside the tie, that all of a group met equally often (S9)."""
    tied = {contender.team for contender in group}
    ranked = sorted(everybody, key=lambda one: (-one.points, *alphabet(one.team)))
    for one in ranked:
        if one.team not in tied and not one.withdrawn and _met_alike(group, [one.team]):
            return one.team
    raise _PassedOver(msg("no other team has met all of them equally often"))


def _wins(group: Sequence[Contender], _everybody: Sequence[Contender]) -> Judged:
    return {contender.team: (contender.wins, str(contender.wins)) for contender in group}


def _lot(group: Sequence[Contender], _everybody: Sequence[Contender]) -> Judged:
    missing = [contender.name for contender in group if contender.lot is None]
    if missing:
        raise _PassedOver(msg("no lot was entered for %(teams)s", teams=listed(missing)))
    return {contender.team: (-(contender.lot or 0), str(contender.lot)) for contender in group}


TIE_BREAKS: Mapping[
    str, tuple[str, Callable[[Sequence[Contender], Sequence[Contender]], Judged]]
] = {
    "vps-among": (msg("VPs between the tied teams"), _vps_among),
    "imps-among": (msg("IMPs between the tied teams"), _imps_among),
    "quotient": (msg("IMP quotient"), _quotient),
    "common-opponent": (msg("VPs against the highest-ranked common opponent"), _common_opponent),
    "wins": (msg("matches won"), _wins),
    "lot": (msg("the drawn lot"), _lot),
}


def checked(names: Sequence[str]) -> tuple[str, ...]:
    """The steps asked for, if there are such.

    Raises:
        Refused: an unknown step, or one named twice; says which there are.
    """
    unknown = [name for name in names if name not in TIE_BREAKS]
    if unknown or len(set(names)) < len(names):
        what = f"no tie-break {', '.join(unknown)}" if unknown else "no use in a tie-break twice"
        raise Refused(f"There is {what}. There are: {', '.join(TIE_BREAKS)} [wbf-standings ties].")
    return tuple(names)


# ── Taking them in order ─────────────────────────────────────────────────────────────────────────


def part(
    group: Sequence[Contender],
    everybody: Sequence[Contender],
    names: Sequence[str],
    reading: str | None = None,
) -> Tie:
    """Part teams that are level on VPs.

    Args:
        group: those who are level, two or more.
        everybody: all teams of the event.
        names: of the steps, in order.
        reading: the option chosen for S7; without it, those still level start again.
    """
    steps: list[Step] = []
    ordered = sorted(group, key=lambda one: alphabet(one.team))
    groups = tuple(_parted(ordered, everybody, names, reading, steps, 0))
    return Tie(
        points=ordered[0].points,
        teams=tuple(contender.team for contender in ordered),
        names={contender.team: contender.name for contender in ordered},
        steps=tuple(steps),
        groups=groups,
    )


def _parted(
    group: Sequence[Contender],
    everybody: Sequence[Contender],
    names: Sequence[str],
    reading: str | None,
    steps: list[Step],
    start: int,
) -> Iterator[tuple[str, ...]]:
    """The group in the order that the steps give, those still level together."""
    for at, name in enumerate(names[start:], start):
        step, parts = _taken(name, group, everybody)
        steps.append(step)
        if len(parts) > 1:
            again = at + 1 if reading == _CONTINUE else 0
            for one in parts:
                if len(one) > 1:
                    yield from _parted(one, everybody, names, reading, steps, again)
                else:
                    yield (one[0].team,)
            return
    yield tuple(contender.team for contender in group)


def _taken(
    name: str, group: Sequence[Contender], everybody: Sequence[Contender]
) -> tuple[Step, list[list[Contender]]]:
    """One step, and the group in parts, best first."""
    label, judge = TIE_BREAKS[name]
    teams = tuple(contender.team for contender in group)
    names = {contender.team: contender.name for contender in everybody}
    asked = {team: names[team] for team in teams}
    try:
        judged = judge(group, everybody)
    except _PassedOver as reason:
        passed = Step(
            rule=name, label=label, names=asked, values={}, groups=(teams,), reason=str(reason)
        )
        return passed, [list(group)]
    if name == "common-opponent":
        opponent = names[common_opponent(group, everybody)]
        label = msg("VPs against %(team)s, the highest common opponent", team=opponent)
    ordered = sorted(group, key=lambda one: judged[one.team][0], reverse=True)
    parts = [list(same) for _, same in groupby(ordered, key=lambda one: judged[one.team][0])]
    step = Step(
        rule=name,
        label=label,
        names=asked,
        values={team: text for team, (_, text) in judged.items()},
        groups=tuple(tuple(one.team for one in same) for same in parts),
    )
    return step, parts


# ── Numbers as text ──────────────────────────────────────────────────────────────────────────────


def vp_text(vp: int) -> str:
    """Hundredths as VPs: 2731 is ``27.31``."""
    sign = "-" if vp < 0 else ""
    return f"{sign}{abs(vp) // 100}.{abs(vp) % 100:02d}"


def shown_imps(imps: Fraction, sign: str = "-") -> str:
    """IMPs as they are written; exact, since they come as decimals. *sign* "+": always signed."""
    if imps.denominator == 1:
        return f"{imps.numerator:{sign}d}"
    return f"{Decimal(imps.numerator) / imps.denominator:{sign}f}"
