"""
Groups: everybody meets everybody, and the best of each group may go on to a bracket.

Players of a group are ranked by wins; among those with as many wins by their wins against each
other, then by points won less points lost in all matches of the group (wins less losses where
matches are series). Who is equal then shares the rank. Where such a tie decides who goes on, a lot
decides, an `order` draw announced after the tie is known; the bracket waits for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from palmares.tournaments.draw.places import bracket_size, group_sizes, group_starts, line_numbers
from palmares.tournaments.systems.knockout import bracket, ranked, stages
from palmares.tournaments.systems.matches import (
    MAIN,
    NOBODY,
    Fixture,
    Groups,
    Match,
    Placing,
    Progress,
    Standing,
    finishers,
    is_over,
    play,
    with_ranks,
)


def matches(setup: Groups, progress: Progress) -> tuple[Match, ...]:
    """All matches: group by group, then the bracket of those who go on."""
    played = play(setup, progress, _fixtures(setup))
    if setup.advance:
        qualified = _qualified(setup, tuple(played.values()), progress)
        sources = _seeded(setup.groups, setup.advance)
        played = play(setup, progress, bracket(sources), played, qualified)
    return tuple(played.values())


def group_name(number: int) -> str:
    """The flight of a group's matches."""
    return f"group-{number}"


def _fixtures(setup: Groups) -> Iterator[Fixture]:
    many = len(setup.places)
    starts, sizes = group_starts(many, setup.groups), group_sizes(many, setup.groups)
    for group, (start, size) in enumerate(zip(starts, sizes, strict=True), 1):
        for round_number, pairs in enumerate(berger(size), 1):
            for number, (first, second) in enumerate(pairs, 1):
                sides = (f"P:{start + first}", f"P:{start + second}")
                yield Fixture(group_name(group), round_number, number, sides)


@cache
def berger(many: int) -> tuple[tuple[tuple[int, int], ...], ...]:
    """FIDE's Berger tables: who meets whom in each round, by numbers from 1.

    Numbers i and j below n meet in round r where i + j - r - 1 is divisible by n - 1; the one left
    over meets n, which nobody has where the number of players is odd.
    """
    last = many + many % 2
    rounds = []
    for round_number in range(1, last):
        pairs = []
        for first in range(1, last):
            second = (round_number + 1 - first) % (last - 1) or last - 1
            if second == first and many == last:
                pairs.append((first, last) if first <= last // 2 else (last, first))
            elif second > first:
                pairs.append((first, second) if (first + second) % 2 else (second, first))
        rounds.append(tuple(pairs))
    return tuple(rounds)


# ── standings ────────────────────────────────────────────────────────────────────────────────────


def standings(played: Sequence[Match]) -> tuple[Standing, ...]:
    """Where the players of each group stand."""
    of_group: dict[str, list[Match]] = {}
    for match in played:
        if match.flight != MAIN:
            of_group.setdefault(match.flight, []).append(match)
    return tuple(
        row for name, in_group in of_group.items() for row in _group_standings(name, in_group)
    )


def _group_standings(name: str, in_group: Sequence[Match]) -> Iterator[Standing]:
    done = [match for match in in_group if match.state == "done"]
    players = list(dict.fromkeys(who for match in in_group for who in match.players if who))
    wins = Counter(match.winner for match in done)
    between = Counter(m.winner for m in done if wins[m.winner] == wins[m.loser])
    difference: Counter[str | None] = Counter()
    for match in done:
        points = match.outcome and (match.outcome.wins or match.outcome.score)
        if points:
            difference[match.winner] += points[0] - points[1]
            difference[match.loser] -= points[0] - points[1]
    keys = {who: (wins[who], between[who], difference[who]) for who in players}
    matches_of = Counter(who for match in done for who in match.players)
    for who, rank in with_ranks(keys).items():
        yield Standing(
            flight=name,
            player=who,
            rank=rank,
            played=matches_of[who],
            wins=wins[who],
            tie_breaks=keys[who][1:],
        )


def ties(setup: Groups, played: Sequence[Match], progress: Progress) -> tuple[tuple[str, ...], ...]:
    """The players of each tie in which only a lot can say who goes on."""
    if not setup.advance:
        return ()
    return tuple(
        tied
        for _, group in _finished(setup, played)
        if (tied := _tie(group, setup.advance)) and _lot(tied, progress) is None
    )


def _finished(setup: Groups, played: Sequence[Match]) -> Iterator[tuple[int, list[Standing]]]:
    """The numbers of the groups that are over, and how their players stand."""
    ranking = standings(played)
    for number in range(1, setup.groups + 1):
        if is_over(played, group_name(number)):
            yield number, [row for row in ranking if row.flight == group_name(number)]


def _tie(group: Sequence[Standing], advance: int) -> tuple[str, ...]:
    """The players who share the rank at which only some go on."""
    last, following = group[advance - 1], group[advance]
    if last.rank != following.rank:
        return ()
    return tuple(row.player for row in group if row.rank == last.rank)


def _lot(tied: Sequence[str], progress: Progress) -> Sequence[str] | None:
    """The order that a lot gave to tied players; none: not drawn."""
    return next((lot for lot in progress.lots if {*lot} == {*tied}), None)


# ── the bracket ──────────────────────────────────────────────────────────────────────────────────


def _qualified(setup: Groups, played: Sequence[Match], progress: Progress) -> dict[str, str | None]:
    """Who goes on from each group that is over, by source: ``G:3:1`` is the first of group 3."""
    qualified: dict[str, str | None] = {}
    for number, group in _finished(setup, played):
        order = [row.player for row in group]
        if tied := _tie(group, setup.advance):
            first = order.index(tied[0])
            order[first:] = _lot(tied, progress) or ()
        for place, who in enumerate(order[: setup.advance], 1):
            qualified[f"G:{number}:{place}"] = who
    return qualified


@cache
def _seeded(groups: int, advance: int) -> tuple[str, ...]:
    """The lines of the bracket: winners of groups have the first numbers, then the seconds, ...

    Each number takes the first group whose players it can meet last: with two of each group they
    stand in different halves. The lowest numbers have the byes.
    """
    size = bracket_size(groups * advance)
    line = {number: at for at, number in enumerate(line_numbers(size))}
    sources = [NOBODY] * size
    lines_of: dict[int, list[int]] = {group: [] for group in range(1, groups + 1)}
    for place in range(1, advance + 1):
        waiting = list(lines_of)
        for number in range((place - 1) * groups + 1, place * groups + 1):
            at = line[number]
            group = max(
                waiting,
                key=lambda group, at=at: min(  # type: ignore[misc]
                    ((at ^ other).bit_length() for other in lines_of[group]), default=0
                ),
            )
            waiting.remove(group)
            lines_of[group].append(at)
            sources[at] = f"G:{group}:{place}"
    return tuple(sources)


# ── placings ─────────────────────────────────────────────────────────────────────────────────────


def placings(setup: Groups, played: Sequence[Match]) -> tuple[Placing, ...]:
    """Who finished where, once all is over: those of the bracket, then the others.

    Others share the rank of all who had their place in a group; so do the first of each group where
    there is no bracket.
    """
    if not all(match.state not in ("waiting", "ready") for match in played):
        return ()
    placed = ranked(setup, MAIN, stages(match for match in played if match.flight == MAIN))
    ahead = {placing.player for placing in placed}
    in_group = {row.player: -row.rank for row in standings(played) if row.player not in ahead}
    others = {who: len(ahead) + rank for who, rank in with_ranks(in_group).items()}
    return placed + finishers(setup, MAIN, others)
