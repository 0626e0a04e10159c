"""A knockout: a bracket, and flights fed by the losers of stated rounds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from palmares.tournaments.draw.places import fed_brackets
from palmares.tournaments.systems.matches import (
    FINAL,
    MAIN,
    NOBODY,
    AnySetup,
    Fixture,
    Knockout,
    Match,
    Placing,
    Progress,
    finishers,
    is_over,
    match_id,
    play,
    with_ranks,
)


def matches(setup: Knockout, progress: Progress) -> tuple[Match, ...]:
    """All matches: the main, then each feed, round by round; last a double knockout's final."""
    sources = [f"P:{number}" if who else NOBODY for number, who in enumerate(setup.places, 1)]
    played = play(setup, progress, [*bracket(sources), *_fed(setup)])
    if setup.final_again:
        rounds = {match.flight: match.round for match in played.values()}
        winners = tuple(
            f"W:{match_id(name, rounds[name], 1)}" for name in (MAIN, setup.feeds[-1].name)
        )
        played = play(setup, progress, [Fixture(FINAL, 1, 1, (winners[0], winners[1]))], played)
        first = played[match_id(FINAL, 1, 1)]
        sides = (f"L:{first.id}", f"W:{first.id}")
        if first.state not in ("waiting", "ready") and first.winner != first.players[1]:
            sides = (NOBODY, NOBODY)  # the unbeaten one won
        played = play(setup, progress, [Fixture(FINAL, 2, 1, sides)], played)
    return tuple(played.values())


def bracket(sources: Sequence[str]) -> Iterator[Fixture]:
    """The fixtures of a bracket: neighbours meet until one is left."""
    round_number = 1
    while len(sources) > 1:
        pairs = list(zip(sources[::2], sources[1::2], strict=True))
        for number, pair in enumerate(pairs, 1):
            yield Fixture(MAIN, round_number, number, pair)
        sources = [f"W:{match_id(MAIN, round_number, n)}" for n in range(1, len(pairs) + 1)]
        round_number += 1


def _fed(setup: Knockout) -> Iterator[Fixture]:
    for name, rounds in fed_brackets(len(setup.places), setup.feeds).items():
        for round_number, pairs in enumerate(rounds, 1):
            for number, (first, second) in enumerate(pairs, 1):
                sides = (_source(first, name), _source(second, name))
                yield Fixture(name, round_number, number, sides)


def _source(source: str, flight: str) -> str:
    """A source with its flight: winners in a feed are those of the feed itself."""
    return f"W:{flight}:{source[2:]}" if source.startswith("W:") else source


def placings(setup: Knockout, played: Sequence[Match]) -> tuple[Placing, ...]:
    """Who finished where in each flight that is over.

    Who lost in one round shares a rank. Of a double knockout the main alone is ranked: by the round
    of the second loss.
    """
    if setup.final_again:
        if not is_over(played, FINAL):
            return ()
        return ranked(setup, MAIN, _stages_twice(played, setup.feeds[-1].name))
    return tuple(
        placing
        for flight in (MAIN, *(feed.name for feed in setup.feeds))
        if is_over(played, flight)
        for placing in ranked(setup, flight, stages(m for m in played if m.flight == flight))
    )


def stages(played: Iterator[Match]) -> dict[str, int]:
    """How far each player of a flight came: the round of their loss, one more for the winner."""
    reached: dict[str, int] = {}
    for match in played:
        for who in filter(None, match.players):
            reached[who] = match.round + (who == match.winner)
    return reached


def _stages_twice(played: Sequence[Match], second: str) -> dict[str, int]:
    """How far each player of a double knockout came: the round of the second bracket they lost in.

    Who lost in the main and did not enter the second bracket reached the round they would have
    entered.
    """
    entered: dict[str, int] = {}
    for match in played:
        if match.flight == second:
            entered |= {source[2:]: match.round for source in match.sources if source[0] == "L"}
    reached: dict[str, int] = {}
    last = max(entered.values())
    for match in played:
        if match.flight == MAIN:
            reached |= dict.fromkeys(filter(None, match.players), entered[match.id])
        else:
            base = last if match.flight == FINAL else match.round - 1
            for who in filter(None, match.players):
                reached[who] = base + 1 + (who == match.winner)
    return reached


def ranked(setup: AnySetup, flight: str, reached: Mapping[str, int]) -> tuple[Placing, ...]:
    """Players in the order of how far they came, equals with one rank."""
    stages = sorted({*reached.values()}, reverse=True)
    behind = {who: stages.index(stage) for who, stage in reached.items()}
    return finishers(setup, flight, with_ranks(reached), behind)
