"""
A Swiss: players of equal scores meet, and nobody twice.

Players are ranked by wins, byes and walkovers included; those with as many wins by the wins of all
their opponents together (a bye adds nothing); who is equal then shares the rank. A bye goes to the
lowest in this ranking who has had none, of equals to the later place; if the others cannot be
paired then, to the next one up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest

from palmares.core.errors import Refused
from palmares.core.extras import needs
from palmares.core.messages import msg
from palmares.tournaments.systems.matches import (
    MAIN,
    NOBODY,
    Fixture,
    Match,
    Pairs,
    Placing,
    Progress,
    Standing,
    Swiss,
    finishers,
    play,
    with_ranks,
)

_FEW = 8  # neighbours in the ranking whom a player may meet; twice as many if that pairs not all


def matches(setup: Swiss, progress: Progress) -> tuple[Match, ...]:
    """All matches of the rounds that are paired; the first round is paired by the draw."""
    return tuple(play(setup, progress, _fixtures(setup, progress)).values())


def _fixtures(setup: Swiss, progress: Progress) -> Iterator[Fixture]:
    source = {who: f"P:{number}" for number, who in enumerate(setup.places, 1) if who}
    for round_number in range(1, setup.rounds + 1):
        pairs = progress.pairings.get(round_number)
        if pairs is None and round_number == 1:
            pairs = first_pairs(setup)
        if pairs is None:
            return
        for number, (first, second) in enumerate(pairs, 1):
            sides = (source[first], source[second] if second else NOBODY)
            yield Fixture(MAIN, round_number, number, sides)


def first_pairs(setup: Swiss) -> Pairs:
    """The first round: neighbours of the draw, or the order halved; the last one has the bye."""
    entrants = [who for who in setup.places if who]
    if setup.first == "places":
        return list(zip_longest(entrants[::2], entrants[1::2]))
    half = len(entrants) // 2
    pairs: list[tuple[str, str | None]] = [*zip(entrants[:half], entrants[half:], strict=False)]
    return pairs + [(entrants[-1], None)] * (len(entrants) % 2)


def standings(setup: Swiss, played: Sequence[Match]) -> tuple[Standing, ...]:
    """Where everybody stands."""
    wins = Counter(match.winner for match in played)
    matches_of = Counter(who for m in played if m.state == "done" for who in m.players)
    opponents: Counter[str] = Counter()
    for match in played:
        first, second = match.players
        if first and second and match.state == "done":
            opponents[first] += wins[second]
            opponents[second] += wins[first]
    keys = {who: (wins[who], opponents[who]) for who in setup.places if who}
    return tuple(
        Standing(
            flight=MAIN,
            player=who,
            rank=rank,
            played=matches_of[who],
            wins=wins[who],
            tie_breaks=(opponents[who],),
        )
        for who, rank in with_ranks(keys).items()
    )


def placings(setup: Swiss, played: Sequence[Match]) -> tuple[Placing, ...]:
    """Who finished where, once the last round is over."""
    unfinished = any(match.state == "ready" for match in played)
    if unfinished or played[-1].round < setup.rounds:
        return ()
    return finishers(setup, MAIN, {row.player: row.rank for row in standings(setup, played)})


# ── the next round ───────────────────────────────────────────────────────────────────────────────


def pair_next(setup: Swiss, progress: Progress) -> Pairs:
    """Who meets whom in the next round, from the top of the ranking; last the bye.

    Raises:
        Refused: a match of the round before is not played, it was the last round, or no pairing is
            left in which nobody meets twice.
    """
    played = matches(setup, progress)
    if any(match.state == "ready" for match in played):
        raise Refused(msg("The round is not over. Enter the results of all its matches first."))
    if played[-1].round >= setup.rounds:
        raise Refused(msg("The last round is paired already."))
    needs("events", "Pairing a Swiss")
    table = standings(setup, played)
    active = [each for each in table if each.player not in progress.withdrawn]
    order = [each.player for each in active]
    wins = {each.player: each.wins for each in active}
    met = {frozenset(match.players) for match in played}
    had_bye = {match.players[0] for match in played if None in match.players}
    free = [None] if len(order) % 2 == 0 else [w for w in reversed(order) if w not in had_bye]
    for bye in free:
        if pairs := _pairs([who for who in order if who != bye], wins, met):
            return [*pairs, (bye, None)] if bye else pairs
    raise Refused(
        msg(
            "So many players have withdrawn that no round is left in which nobody meets twice and"
            " nobody has two byes. Report the event from its table."
        )
    )


def _pairs(
    order: Sequence[str], wins: Mapping[str, int], met: set[frozenset[str | None]]
) -> list[tuple[str, str | None]]:
    """The best pairs of an even number of players; empty where some cannot be paired.

    Differences in wins are as small as they can be, then each group of equals is halved, its first
    player against the first of the lower half. A matching among neighbours of the ranking is much
    faster than one among all; more neighbours count where that pairs not all.
    """
    from networkx import Graph, max_weight_matching

    place = {who: at for at, who in enumerate(order)}
    groups = Counter(wins[who] for who in order)
    reach = _FEW
    while True:
        graph = Graph()
        graph.add_nodes_from(order)
        for at, who in enumerate(order):
            half = groups[wins[who]] // 2
            near = {*range(at + 1, at + reach + 1), *range(at + half - reach, at + half + reach)}
            for other in (order[other] for other in sorted(near) if at < other < len(order)):
                if frozenset((who, other)) not in met:
                    apart = (wins[who] - wins[other]) ** 2 * len(order) ** 2
                    graph.add_edge(who, other, weight=-apart - abs(place[other] - at - half))
        matching = max_weight_matching(graph, maxcardinality=True)
        if 2 * len(matching) == len(order):
            ordered = (sorted(pair, key=place.__getitem__) for pair in matching)
            return [(a, b) for a, b in sorted(ordered, key=lambda pair: place[pair[0]])]
        if reach >= len(order):
            return []
        reach *= 2
