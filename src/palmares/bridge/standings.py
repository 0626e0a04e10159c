"""
Standings of a bridge event: from matches of teams to a ranked list, ties broken step by step.

VPs are whole numbers of hundredths; `vp_text` writes them. How byes, withdrawals and ties are
treated is in ``rules/wbf-standings`` (clause ties: readings S7 to S12), the scale in
``rules/wbf-vp``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import accumulate, chain, groupby
from typing import Any

from palmares.bridge.results import (
    VOID,
    TeamEvent,
    TeamResult,
    TeamStanding,
    alphabet,
    load_team_event,
)
from palmares.bridge.vp import CONTINUOUS
from palmares.core.errors import Refused
from palmares.core.messages import LocalNumber, chained, joined, msg
from palmares.facts import Facts
from palmares.regulations import wbf_standings

__all__ = [
    "TIE_BREAKS",
    "Standings",
    "TeamStanding",
    "crosstable",
    "running",
    "standings",
    "vp_text",
]

_CONTINUE = "continue"


@dataclass(frozen=True, slots=True, kw_only=True)
class TieBreakStep:
    """One step applied to teams that were level."""

    rule: str  #: one of TIE_BREAKS
    label: str  #: "VPs between the tied teams"
    names: Mapping[str, str]  #: team -> its name
    values: Mapping[str, str]  #: team -> its value; empty if the step was passed over
    groups: tuple[tuple[str, ...], ...]  #: best first; a single one if all are still level
    reason: str = ""  #: why it was passed over

    def __str__(self) -> str:
        """The step as a sentence without its full stop: a message."""
        first = self.groups[0]
        words = self.of(first[0])
        if not self.values or len(self.groups) == 1:
            return words
        return msg(
            "%(teams)s %(did)s", teams=joined([self.names[team] for team in first]), did=words
        )

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
            "others": joined([_local(other) for other in others]),
        }
        if place == 0:
            return msg("ahead on %(step)s: %(value)s to %(others)s", **given)
        if place < len(self.groups) - 1:
            return msg("in between on %(step)s: %(value)s to %(others)s", **given)
        return msg("behind on %(step)s: %(value)s to %(others)s", **given)


def _local(text: str) -> str:
    """Numbers in the reader's language; a quotient has one on each side of its stroke."""
    won, _, lost = text.partition("/")
    if not lost:
        return LocalNumber(text)
    return msg("%(won)s/%(lost)s", won=LocalNumber(won), lost=LocalNumber(lost))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tie:
    """Teams that were level on VPs, and how the tie was broken."""

    points: int
    teams: tuple[str, ...]
    names: Mapping[str, str]  #: team -> its name
    steps: tuple[TieBreakStep, ...]
    groups: tuple[tuple[str, ...], ...]  #: best first; those in one group share a rank

    def team_names(self, teams: Sequence[str]) -> tuple[str, ...]:
        """The full names of teams."""
        return tuple(self.names[team] for team in teams)

    def of(self, team: str) -> str:
        """What separated a team from the others, step by step: a message."""
        words = [step.of(team) for step in self.steps if team in chain(*step.groups)]
        group = next(group for group in self.groups if team in group)
        if others := [self.names[other] for other in group if other != team]:
            words.append(msg("shares the rank with %(teams)s", teams=joined(others)))
        return chained(words)


# ── The steps ────────────────────────────────────────────────────────────────────────────────────

Values = Mapping[str, tuple[Any, str]]  # team -> a key (more is better), and the key as text


class _PassedOver(Exception):
    """A step cannot be taken; its text says why."""


def _met_equally_often(group: Sequence[TeamStanding], others: Sequence[str]) -> bool:
    """Whether each of a group met each of some teams, all equally often."""
    times = {len(team.against([other])) for team in group for other in others if other != team.team}
    return len(times) == 1 and 0 not in times


def _between(group: Sequence[TeamStanding]) -> dict[str, list[TeamResult]]:
    tied = [team.team for team in group]
    if not _met_equally_often(group, tied):
        raise _PassedOver(msg("they have not all met equally often"))
    return {team.team: team.against(tied) for team in group}


def _vps_among(group: Sequence[TeamStanding], _teams: Sequence[TeamStanding]) -> Values:
    sums = {team: sum(result.vp for result in results) for team, results in _between(group).items()}
    return {team: (vp, vp_text(vp)) for team, vp in sums.items()}


def _imps_among(group: Sequence[TeamStanding], _teams: Sequence[TeamStanding]) -> Values:
    sums = {
        team: sum((result.imps_for - result.imps_against for result in results), Fraction())
        for team, results in _between(group).items()
    }
    return {team: (imps, f"{shown_imps(imps, sign='+')}") for team, imps in sums.items()}


def _quotient(group: Sequence[TeamStanding], _teams: Sequence[TeamStanding]) -> Values:
    values = {}
    for team in group:
        won, lost = team.imps_for, team.imps_against
        text = f"{shown_imps(won)}/{shown_imps(lost)}"
        text += f" = {float(won / lost):.4f}" if lost else ""
        values[team.team] = wbf_standings.quotient(won, lost), text
    return values


def _common_opponent(group: Sequence[TeamStanding], teams: Sequence[TeamStanding]) -> Values:
    opponent = common_opponent(group, teams)
    sums = {team.team: sum(match.vp for match in team.against([opponent])) for team in group}
    return {team: (vp, vp_text(vp)) for team, vp in sums.items()}


def common_opponent(group: Sequence[TeamStanding], teams: Sequence[TeamStanding]) -> str:
    """The team with most VPs, outside the tie, that all of a group met equally often (S9)."""
    tied = {team.team for team in group}
    for team in sorted(teams, key=lambda team: (-team.points, *alphabet(team.team))):
        if team.team not in tied and not team.withdrawn and _met_equally_often(group, [team.team]):
            return team.team
    raise _PassedOver(msg("no other team has met all of them equally often"))


def _wins(group: Sequence[TeamStanding], _teams: Sequence[TeamStanding]) -> Values:
    return {team.team: (team.won, str(team.won)) for team in group}


def _lot(group: Sequence[TeamStanding], _teams: Sequence[TeamStanding]) -> Values:
    missing = [team.name for team in group if team.lot is None]
    if missing:
        raise _PassedOver(msg("no lot was entered for %(teams)s", teams=joined(missing)))
    return {team.team: (-(team.lot or 0), str(team.lot)) for team in group}


TIE_BREAKS: Mapping[
    str, tuple[str, Callable[[Sequence[TeamStanding], Sequence[TeamStanding]], Values]]
] = {
    "vps-among": (msg("VPs between the tied teams"), _vps_among),
    "imps-among": (msg("IMPs between the tied teams"), _imps_among),
    "quotient": (msg("IMP quotient"), _quotient),
    "common-opponent": (msg("VPs against the highest-ranked common opponent"), _common_opponent),
    "wins": (msg("matches won"), _wins),
    "lot": (msg("the drawn lot"), _lot),
}


def check_tie_breaks(names: Sequence[str]) -> tuple[str, ...]:
    """The names of steps, if each exists and none is given twice.

    Raises:
        Refused: an unknown step, or one named twice; says which there are.
    """
    unknown = [name for name in names if name not in TIE_BREAKS]
    if unknown or len(set(names)) < len(names):
        what = f"no tie-break {', '.join(unknown)}" if unknown else "no use in a tie-break twice"
        raise Refused(f"There is {what}. There are: {', '.join(TIE_BREAKS)} [wbf-standings ties].")
    return tuple(names)


# ── Taking them in order ─────────────────────────────────────────────────────────────────────────


def break_tie(
    level: Sequence[TeamStanding],
    teams: Sequence[TeamStanding],
    names: Sequence[str],
    reading: str | None = None,
) -> Tie:
    """Separate teams that are level on VPs.

    Args:
        level: those teams, two or more.
        teams: all teams of the event.
        names: of the steps, in order.
        reading: the option chosen for S7; without it, those still level start again.
    """
    steps: list[TieBreakStep] = []
    ordered = sorted(level, key=lambda team: alphabet(team.team))
    groups = tuple(_separate(ordered, teams, names, reading, steps, 0))
    return Tie(
        points=ordered[0].points,
        teams=tuple(team.team for team in ordered),
        names={team.team: team.name for team in ordered},
        steps=tuple(steps),
        groups=groups,
    )


def _separate(
    level: Sequence[TeamStanding],
    teams: Sequence[TeamStanding],
    names: Sequence[str],
    reading: str | None,
    steps: list[TieBreakStep],
    start: int,
) -> Iterator[tuple[str, ...]]:
    """The teams in the order that the steps give, those still level together."""
    for at, name in enumerate(names[start:], start):
        step = _take_step(name, level, teams)
        steps.append(step)
        if len(step.groups) == 1:
            continue
        again = at + 1 if reading == _CONTINUE else 0
        for group in step.groups:
            if len(group) == 1:
                yield group
                continue
            still_level = [team for team in level if team.team in group]
            yield from _separate(still_level, teams, names, reading, steps, again)
        return
    yield tuple(team.team for team in level)


def _take_step(
    name: str, level: Sequence[TeamStanding], teams: Sequence[TeamStanding]
) -> TieBreakStep:
    """One step, with the teams in groups, best first."""
    label, judge = TIE_BREAKS[name]
    names = {team.team: team.name for team in teams}
    step = TieBreakStep(
        rule=name,
        label=label,
        names={team.team: team.name for team in level},
        values={},
        groups=(tuple(team.team for team in level),),
    )
    try:
        values = judge(level, teams)
    except _PassedOver as reason:
        return replace(step, reason=str(reason))
    if name == "common-opponent":
        opponent = names[common_opponent(level, teams)]
        label = msg("VPs against %(team)s, the highest common opponent", team=opponent)
    best_first = sorted(values, key=lambda team: values[team][0], reverse=True)
    return replace(
        step,
        label=label,
        values={team: text for team, (_, text) in values.items()},
        groups=tuple(
            tuple(group) for _, group in groupby(best_first, key=lambda team: values[team][0])
        ),
    )


# ── Numbers as text ──────────────────────────────────────────────────────────────────────────────


def vp_text(vp: int) -> str:
    """Hundredths as VPs: 2731 is ``27.31``."""
    sign = "-" if vp < 0 else ""
    return f"{sign}{abs(vp) // 100}.{abs(vp) % 100:02d}"


def shown_imps(imps: Fraction, sign: str = "-") -> str:
    """IMPs as a decimal number; *sign* "+": always signed."""
    if imps.denominator == 1:
        return f"{imps.numerator:{sign}d}"
    return f"{Decimal(imps.numerator) / imps.denominator:{sign}f}"


# ── the list ──────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """The list of an event."""

    event_id: str
    event: str
    scale: str
    tie_breaks: tuple[str, ...]
    rounds: tuple[str | None, ...]  #: those that count
    unfinished: bool  #: there are rounds after these
    teams: tuple[TeamStanding, ...]  #: in order
    ties: tuple[Tie, ...]
    notes: tuple[str, ...]  #: messages to a reader of the list

    def team(self, name: str) -> TeamStanding | None:
        """A team by the name its matches give it, or its full name."""
        wanted = name.strip().casefold()
        for team in self.teams:
            if wanted in (team.team.casefold(), team.name.casefold()):
                return team
        return None


def standings(
    facts: Facts,
    event: str | None = None,
    *,
    scale: str = CONTINUOUS,
    tie_breaks: Sequence[str] = tuple(TIE_BREAKS),
    bye_vp: Fraction | None = None,
    until_round: str | None = None,
    chosen: Mapping[str, str] | None = None,
) -> Standings:
    """The standings of an event.

    Args:
        facts: checked facts.
        event: its id or its name; without it, the one event with matches of teams.
        scale: one of ``palmares.vp.SCALES``.
        tie_breaks: names of steps out of ``TIE_BREAKS``, in order.
        bye_vp: the VPs of a bye; without it the edition file's.
        until_round: the last round that counts; without it all do.
        chosen: options by reading id, such as ``{"S7": "continue"}``.

    Raises:
        Refused: no such event, scale, tie-break, round or reading.
    """
    team_event = load_team_event(facts, event, scale=scale, bye_vp=bye_vp, chosen=chosen)
    return rank_teams(team_event, check_tie_breaks(tie_breaks), until_round)


def rank_teams(
    event: TeamEvent, tie_breaks: Sequence[str], until_round: str | None = None
) -> Standings:
    """The standings of an event that is ready to be scored."""
    rounds = event.until(until_round)
    teams = [event.standing(team, rounds) for team in event.teams]
    by_points = sorted(
        (team for team in teams if not team.withdrawn),
        key=lambda team: (-team.points, *alphabet(team.team)),
    )
    ties: list[Tie] = []
    ranks: dict[str, int | None] = {}
    for _, same_points in groupby(by_points, key=lambda team: team.points):
        level = list(same_points)
        groups: Sequence[Sequence[str]] = [[level[0].team]]
        if len(level) > 1:
            ties.append(break_tie(level, teams, tie_breaks, event.rules.chosen.get("S7")))
            groups = ties[-1].groups
        for group in groups:
            ranks |= dict.fromkeys(group, len(ranks) + 1)
    ranks |= dict.fromkeys(team.team for team in teams if team.withdrawn)
    by_name = {team.team: team for team in teams}
    tie_words = {team: tie.of(team) for tie in ties for team in tie.teams}
    return Standings(
        event_id=event.event_id,
        event=event.event,
        scale=event.scale,
        tie_breaks=tuple(tie_breaks),
        rounds=rounds,
        unfinished=len(rounds) < len(event.rounds),
        teams=tuple(
            replace(by_name[team], rank=rank, tie_break=tie_words.get(team, ""))
            for team, rank in ranks.items()
        ),
        ties=tuple(ties),
        notes=tuple(_notes(event)),
    )


def _notes(event: TeamEvent) -> Iterator[str]:
    clause = "wbf-standings withdrawal, S6"
    for name, team in event.teams.items():
        if team.withdrawn:
            note = (
                msg("%(team)s withdrew: its matches are void [%(clause)s].")
                if name in event.voided
                else msg("%(team)s withdrew: its matches stand [%(clause)s].")
            )
            yield msg(note, team=team.name, clause=clause)


# ── Other views of the same list ─────────────────────────────────────────────────────────────────


def crosstable(ranked: Standings) -> dict[str, dict[str, tuple[TeamResult, ...]]]:
    """Each team's matches against each other, void ones left out; both in the order of the list.

    Several meetings of a pair stand together, in the order of rounds.
    """
    return {
        team.team: {
            other.team: tuple(
                result
                for result in team.results
                if result.opponent == other.team and result.status != VOID
            )
            for other in ranked.teams
        }
        for team in ranked.teams
    }


def by_round(ranked: Standings) -> dict[str, dict[str | None, int]]:
    """Each team's VPs of each round, adjustments included; no entry where it has no match."""
    vps: dict[str, dict[str | None, int]] = {team.team: {} for team in ranked.teams}
    for team in ranked.teams:
        for result in team.results:
            so_far = vps[team.team].get(result.round, 0)
            vps[team.team][result.round] = so_far + result.vp + result.adjustment
    return vps


def running(ranked: Standings) -> dict[str, list[int]]:
    """Each team's total before the first round and after each."""
    vps = by_round(ranked)
    return {
        team.team: list(
            accumulate((vps[team.team].get(of, 0) for of in ranked.rounds), initial=team.carried)
        )
        for team in ranked.teams
    }
