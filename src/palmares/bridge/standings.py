"""
Standings of a bridge event: from matches of teams to a ranked list.

    standings       facts and an event  ->  Standings
    Standings       teams in order, round by round and in total, and how ties were broken
    Standing        one team: its rank, its VPs in their columns, its matches
    crosstable      each team against each other
    running         totals after each round

VPs are whole numbers of hundredths; ``vp_text`` writes them. The policies (byes, withdrawals, ties)
are in the sheet ``rules/wbf-standings``, the scale in ``rules/wbf-vp``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from palmares.bridge.results import VOID, Result, TeamEvent, alphabet, desk
from palmares.bridge.tiebreaks import TIE_BREAKS, Contender, Tie, checked, part, vp_text
from palmares.bridge.vp import CONTINUOUS
from palmares.core.messages import msg
from palmares.facts import Facts
from palmares.regulations import wbf_standings

__all__ = ["TIE_BREAKS", "Standing", "Standings", "crosstable", "running", "standings", "vp_text"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One team in the list."""

    rank: int | None  #: None for a team that withdrew
    team: str
    name: str
    points: int  #: in hundredths of a VP, with what was carried forward and adjusted
    match_points: int  #: of matches and byes
    carried: int
    adjustments: int
    played: int
    won: int
    drawn: int
    lost: int
    imps_for: Fraction
    imps_against: Fraction
    tie_break: str  #: what parted it from teams with as many VPs
    withdrawn: bool
    results: tuple[Result, ...]


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
        for one in self.teams:
            if wanted in (one.team.casefold(), one.name.casefold()):
                return one
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
        bye_vp: the VPs of a bye; without it the sheet's.
        until_round: the last round that counts; without it all do.
        chosen: options by reading id, such as ``{"S7": "continue"}``.

    Raises:
        Refused: no such event, scale, tie-break, round or reading.
    """
    held = desk(facts, event, scale=scale, bye_vp=bye_vp, chosen=chosen)
    return ranked(held, checked(tie_breaks), until_round)


def ranked(held: TeamEvent, tie_breaks: Sequence[str], until_round: str | None = None) -> Standings:
    """The standings of an event that is ready to be scored."""
    rounds = held.until(until_round)
    contenders = {team: contender(held, team, rounds) for team in held.entries}
    everybody = list(contenders.values())
    in_order = sorted(
        (one for one in everybody if not one.withdrawn),
        key=lambda one: (-one.points, *alphabet(one.team)),
    )
    ties: list[Tie] = []
    ranks: dict[str, int | None] = {}
    for _, same in groupby(in_order, key=lambda one: one.points):
        group = list(same)
        groups: Sequence[Sequence[str]] = [[group[0].team]]
        if len(group) > 1:
            ties.append(part(group, everybody, tie_breaks, held.rules.chosen.get("S7")))
            groups = ties[-1].groups
        for level in groups:
            ranks |= dict.fromkeys(level, len(ranks) + 1)
    ranks |= dict.fromkeys(team for team, one in contenders.items() if one.withdrawn)
    words = {team: tie.of(team) for tie in ties for team in tie.teams}
    return Standings(
        event_id=held.event_id,
        event=held.event,
        scale=held.scale,
        tie_breaks=tuple(tie_breaks),
        rounds=rounds,
        unfinished=len(rounds) < len(held.rounds),
        teams=tuple(
            _standing(held, contenders[team], rank, words.get(team, ""))
            for team, rank in ranks.items()
        ),
        ties=tuple(ties),
        notes=tuple(_notes(held)),
    )


def contender(held: TeamEvent, team: str, rounds: Sequence[str | None]) -> Contender:
    """A team with its matches of some rounds and its total."""
    entry = held.entries[team]
    results = tuple(result for result in held.results(team) if result.round in rounds)
    return Contender(
        team=team,
        name=entry.name,
        points=wbf_standings.total(
            sum(result.vp for result in results),
            entry.carried,
            sum(result.adjustment for result in results),
        ),
        results=results,
        lot=entry.lot,
        withdrawn=entry.withdrawn,
    )


def _standing(held: TeamEvent, one: Contender, rank: int | None, tie_break: str) -> Standing:
    entry = held.entries[one.team]
    margins = [result.margin for result in one.results if result.is_played]
    return Standing(
        rank=rank,
        team=one.team,
        name=entry.name,
        points=one.points,
        match_points=sum(result.vp for result in one.results),
        carried=entry.carried,
        adjustments=sum(result.adjustment for result in one.results),
        played=len(margins),
        won=sum(margin > 0 for margin in margins),
        drawn=sum(margin == 0 for margin in margins),
        lost=sum(margin < 0 for margin in margins),
        imps_for=one.imps_for,
        imps_against=one.imps_against,
        tie_break=tie_break,
        withdrawn=entry.withdrawn,
        results=tuple(one.results),
    )


def _notes(held: TeamEvent) -> Iterator[str]:
    """What became of withdrawn teams."""
    clause = "wbf-standings withdrawal, S6"
    for team, entry in held.entries.items():
        if not entry.withdrawn:
            continue
        if team in held.dropped:
            yield msg(
                "%(team)s withdrew: its matches are void [%(clause)s].",
                team=entry.name,
                clause=clause,
            )
        else:
            yield msg(
                "%(team)s withdrew: its matches stand [%(clause)s].",
                team=entry.name,
                clause=clause,
            )


# ── Other views of the same list ─────────────────────────────────────────────────────────────────


def crosstable(held: Standings) -> dict[str, dict[str, tuple[Result, ...]]]:
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
            for other in held.teams
        }
        for team in held.teams
    }


def by_round(held: Standings) -> dict[str, dict[str | None, int]]:
    """Each team's VPs of each round, adjustments included; no entry where it has no row."""
    found: dict[str, dict[str | None, int]] = {}
    for team in held.teams:
        found[team.team] = {}
        for result in team.results:
            before = found[team.team].get(result.round, 0)
            found[team.team][result.round] = before + result.vp + result.adjustment
    return found


def running(held: Standings) -> dict[str, list[int]]:
    """Each team's total before the first round and after each."""
    per_round = by_round(held)
    totals = {}
    for team in held.teams:
        totals[team.team] = [team.carried]
        for round_ in held.rounds:
            totals[team.team].append(totals[team.team][-1] + per_round[team.team].get(round_, 0))
    return totals
