"""Whether an event can be set up so, and whether a match can have ended so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from palmares.core.errors import Location, Problem
from palmares.core.messages import msg
from palmares.facts.text import cleaned, printable, squeezed
from palmares.tournaments.draw.places import wrong_feeds
from palmares.tournaments.systems.groups import ties
from palmares.tournaments.systems.matches import (
    FINAL,
    GROUPS,
    MAIN,
    AnySetup,
    Groups,
    Knockout,
    Match,
    Outcome,
    Progress,
    Swiss,
    flight_named,
    is_final,
)

MOST_ENTRANTS = 4_096
MOST_IN_A_SWISS = 512
MOST_IN_A_GROUP = 64
MOST_GOING_ON = 512  # from groups to the bracket

REMEDIES: Mapping[str, str] = {
    "entrants": msg("Correct who plays on which place."),
    "name": msg("Give the event a name of up to 200 visible letters."),
    "names": msg("Give every entrant a name of their own, such as Ada Novak (CZE)."),
    "flights": msg("Correct the flights."),
    "feeds": msg("Correct the rounds whose losers are fed."),
    "groups": msg("Choose another number of groups, or of players who go on."),
    "rounds": msg("Play fewer rounds, or a round robin."),
    "best_of": msg("Play the best of 1, 3, 5 or another odd number of matches."),
    "no_match": msg("Write flight, round and number, such as main:2:1."),
    "not_ready": msg("Enter the results of the matches before it first."),
    "winner": msg("Choose one of the two players of this match."),
    "how": msg("Choose the winner, or say that neither player appeared."),
    "final": msg("Choose who is ranked first, as a walkover."),
    "lot": msg("Name every player of the tie once, the winner of the lot first."),
    "score": msg("Correct the score or the length of the match, or leave the score out."),
}
"""What to do about each problem, by its code."""


def _problem(code: str, where: str, what: str) -> Problem:
    return Problem(at=Location(where), what=what, clause="draw 5", remedy=REMEDIES[code], code=code)


def check_setup(setup: AnySetup) -> tuple[Problem, ...]:
    """Why an event cannot be set up so; empty if it can."""
    wrong = [*_entrants(setup), *_format(setup), *_flights(setup)]
    if fault := text_fault(setup.name):
        wrong.insert(0, ("name", msg("the name of the event %(wrong)s", wrong=fault)))
    return tuple(_problem(code, setup.event, what) for code, what in wrong)


def text_fault(text: str) -> str:
    """Why a name, a reason or another short text cannot be so; empty if it can."""
    if not text.strip():
        return msg("is empty")
    _, wrong = cleaned(pl.Series([text]))
    return next(iter(wrong.values()), "")


def _entrants(setup: AnySetup) -> Iterator[tuple[str, str]]:
    entrants = [who for who in setup.places if who]
    twice = [who for who, count in Counter(entrants).items() if count > 1]
    if twice:
        yield "entrants", msg("%(who)s has two places", who=twice[0])
    if not 2 <= len(entrants) <= MOST_ENTRANTS:  # noqa: PLR2004  players of a match
        yield "entrants", msg("%(many)s entrants; there are 2 to 4,096", many=len(entrants))
    if nameless := [who for who in entrants if not setup.names.get(who, "").strip()]:
        yield "names", msg("%(who)s has no name", who=nameless[0])
    names = Counter(squeezed(setup.names.get(who, who)) for who in entrants)
    if same := [name for name, count in names.items() if count > 1 and name]:
        yield "names", msg("two entrants have the name %(name)s", name=printable(same[0]))
    _, wrong = cleaned(pl.Series([name or None for name in names], dtype=pl.String))
    for name, why in wrong.items():
        yield (
            "names",
            msg("the name “%(name)s” %(wrong)s", name=name and printable(name), wrong=why),
        )


def _format(setup: AnySetup) -> Iterator[tuple[str, str]]:
    lines = len(setup.places)
    if isinstance(setup, Knockout):
        if lines & (lines - 1):
            yield "entrants", msg("a bracket has 2, 4, 8, ... places, not %(many)s", many=lines)
        else:
            yield from _feeds(setup)
    elif isinstance(setup, Groups):
        yield from _groups(setup)
    else:
        yield from _swiss(setup)


def _groups(setup: Groups) -> Iterator[tuple[str, str]]:
    smallest = len(setup.places) // setup.groups
    if None in setup.places:
        yield "entrants", msg("groups have no places without a player")
    if smallest < 2 or len(setup.places) > setup.groups * MOST_IN_A_GROUP:  # noqa: PLR2004
        yield "groups", msg("%(groups)s groups for %(many)s entrants; a group has 2 to 64 players",
                            groups=setup.groups, many=len(setup.places))  # fmt: skip
    if not 0 <= setup.advance < max(smallest, 1):
        yield "groups", msg("%(many)s of a group go on; a group has %(players)s players",
                            many=setup.advance, players=smallest)  # fmt: skip
    if setup.advance and not 2 <= setup.groups * setup.advance <= MOST_GOING_ON:  # noqa: PLR2004
        yield "groups", msg("%(many)s players go on to the bracket; it takes 2 to 512",
                            many=setup.groups * setup.advance)  # fmt: skip


def _swiss(setup: Swiss) -> Iterator[tuple[str, str]]:
    many = sum(who is not None for who in setup.places)
    if many > MOST_IN_A_SWISS:
        yield "entrants", msg("%(many)s entrants; a Swiss has at most 512", many=many)
    if setup.rounds > many // 2:  # in so many there is always a pairing; in more, not always
        yield (
            "rounds",
            msg(
                "%(rounds)s rounds for %(many)s players; after %(most)s there may be no pairs left"
                " that have not met",
                rounds=setup.rounds,
                many=many,
                most=many // 2,
            ),
        )


def _flights(setup: AnySetup) -> Iterator[tuple[str, str]]:
    names = [flight.name for flight in setup.flights]
    if not names or names[0] != MAIN:
        yield "flights", msg("the first flight must be main")
    if len({*names}) < len(names):
        yield "flights", msg("two flights have the same name")
    allowed = {MAIN}
    if isinstance(setup, Knockout):
        allowed |= {feed.name for feed in setup.feeds} | ({FINAL} if setup.final_again else set())
    if isinstance(setup, Groups) and setup.advance:
        allowed.add(GROUPS)
    if unknown := [name for name in names if name not in allowed]:
        yield "flights", msg("no matches belong to the flight %(name)s", name=unknown[0])
    for flight in setup.flights:
        if flight.best_of % 2 == 0:
            yield "best_of", msg("%(name)s: a series of an even number of matches may have no"
                                 " winner", name=flight.name)  # fmt: skip


def _feeds(setup: Knockout) -> Iterator[tuple[str, str]]:
    lines = len(setup.places)
    if why := next(wrong_feeds(lines, setup.feeds), ""):
        yield "feeds", why
    elif any(feed.name == FINAL for feed in setup.feeds):
        yield "feeds", msg("no flight can have the name final: a second bracket's final has it")
    if setup.final_again:
        every = list(range(1, lines.bit_length()))
        if [feed.rounds for feed in setup.feeds] != [every]:
            yield (
                "feeds",
                msg("a double knockout has one second bracket, fed by every round of the main"),
            )


def check_outcome(
    setup: AnySetup, played: Sequence[Match], match: Match, outcome: Outcome
) -> tuple[Problem, ...]:
    """Why a match cannot have ended so; empty if it can.

    Args:
        setup: the event.
        played: its matches as they stand.
        match: one of them.
        outcome: how it is said to have ended.
    """
    wrong = [*_ready(match)] or [*_winner(setup, played, match, outcome)]
    if not wrong and outcome.winner is not None:
        wrong = [*_score(match, outcome, flight_named(setup, match.flight).best_of)]
    return tuple(_problem(code, match.id, what) for code, what in wrong)


def _ready(match: Match) -> Iterator[tuple[str, str]]:
    if match.state == "waiting":
        yield "not_ready", msg("the players of this match are not known yet")
    if match.state in ("bye", "empty"):
        yield "no_match", msg("nobody plays this match: it has fewer than two players")


def _winner(
    setup: AnySetup, played: Sequence[Match], match: Match, outcome: Outcome
) -> Iterator[tuple[str, str]]:
    if outcome.how == "double_no_show":
        if outcome.winner or outcome.score or outcome.wins:
            yield "how", msg("where neither player appeared there is no winner and no score")
        if is_final(setup, played, match):
            yield "final", msg("a final needs a winner")
    elif outcome.winner is None:
        yield "how", msg("the winner is missing")
    elif outcome.winner not in match.players:
        who = setup.names.get(outcome.winner, outcome.winner)
        yield "winner", msg("%(who)s does not play this match", who=who)


def _score(match: Match, outcome: Outcome, best_of: int) -> Iterator[tuple[str, str]]:
    length = outcome.length or match.length
    needed = best_of // 2 + 1
    if outcome.how == "walkover" and (outcome.score or outcome.wins):
        yield "score", msg("a walkover has no score")
        return
    if outcome.wins and best_of == 1:
        yield "score", msg("this match is no series")
    if outcome.score and best_of > 1:
        yield "score", msg("a series has wins, not points")
    for result, target in ((outcome.score, length), (outcome.wins, needed)):
        if result is None:
            continue
        won, lost = result
        if lost >= target:
            yield "score", msg("the loser has %(lost)s; %(target)s would have won",
                               lost=lost, target=target)  # fmt: skip
        if outcome.how == "played" and won < target:
            yield "score", msg("the winner has %(won)s of %(target)s", won=won, target=target)
        if outcome.how == "retired" and won >= target:
            yield "score", msg("the winner has all %(target)s already: the match was played",
                               target=target)  # fmt: skip


def check_lot(
    setup: AnySetup, played: Sequence[Match], progress: Progress, lot: Sequence[str]
) -> tuple[Problem, ...]:
    """Why a lot does not order the players of a tie; empty if it does."""
    open_ties = ties(setup, played, progress) if isinstance(setup, Groups) else ()
    if any(sorted(lot) == sorted(tied) for tied in open_ties):
        return ()
    what = msg("no tie that decides who goes on is between these players")
    return (_problem("lot", setup.event, what),)
