"""
Standings of a bridge event: from matches of teams to a ranked list.

VPs are whole numbers of hundredths; `vp_text` writes them. How byes, withdrawals and ties are
treated is in ``rules/wbf-standings``, the scale in ``rules/wbf-vp``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import accumulate, groupby

from palmares.bridge.results import (
    VOID,
    Result,
    Standing,
    TeamEvent,
    alphabet,
    load_team_event,
)
from palmares.bridge.tiebreaks import TIE_BREAKS, Tie, break_tie, check_tie_breaks, vp_text
from palmares.bridge.vp import CONTINUOUS
from palmares.core.messages import msg
from palmares.facts import Facts

__all__ = ["TIE_BREAKS", "Standing", "Standings", "crosstable", "running", "standings", "vp_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """The list of an event."""

    event_id: str
    event: str
    scale: str
    tie_breaks: tuple[str, ...]
    rounds: tuple[str | None, ...]  #: those that count
    unfinished: bool  #: there are rounds after these
    teams: tuple[Standing, ...]  #: in order
    ties: tuple[Tie, ...]
    notes: tuple[str, ...]  #: messages to a reader of the list

    def team(self, name: str) -> Standing | None:
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
    teams = [event.standing(team, rounds) for team in event.entries]
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
    """What became of the matches of withdrawn teams."""
    clause = "wbf-standings withdrawal, S6"
    for team, entry in event.entries.items():
        if entry.withdrawn and team in event.voided:
            yield msg(
                "%(team)s withdrew: its matches are void [%(clause)s].",
                team=entry.name,
                clause=clause,
            )
        elif entry.withdrawn:
            yield msg(
                "%(team)s withdrew: its matches stand [%(clause)s].",
                team=entry.name,
                clause=clause,
            )


# ── Other views of the same list ─────────────────────────────────────────────────────────────────


def crosstable(ranked: Standings) -> dict[str, dict[str, tuple[Result, ...]]]:
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
