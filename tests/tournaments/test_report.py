"""Reports of events that were played here, beside reports written by hand of the same results."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path
from random import Random

import msgspec
import pytest

import palmares
from palmares.core.errors import FactsRejected, PalmaresWarning, Refused
from palmares.facts.schema import Facts
from palmares.formats.toml.write import write
from palmares.tournaments.draw.places import group_sizes
from palmares.tournaments.report import PlayedEvent, report
from palmares.tournaments.running import Running
from palmares.tournaments.systems.event import is_finished, matches
from palmares.tournaments.systems.matches import (
    AnySetup,
    Flight,
    Groups,
    Knockout,
    Outcome,
    Progress,
)
from palmares.tournaments.systems.swiss import pair_next
from tests.amounts import amount
from tests.tournaments.systems.events import groups, knockout, play_on, players, swiss

TOURNAMENT = {"name": "Autumn Open", "start_date": "2019-05-17", "end_date": "2019-05-19",
              "discipline": "backgammon", "currency": "EUR"}  # fmt: skip
EVENT = {"kind": "championship", "entry_fee": "150", "event_type": "ABT Main Event",
         "division_rank": "1"}  # fmt: skip
MEMBERS = '[members.usbgf]\nplayers = "all"\nlevel = "Basic"\n'
EVENTS = amount(200, at_least=200)

Slot = str | None
Beats = Callable[[str, str, str], str]


# ── the same results by hand: lists of players, without the code under test ──────────────────────


class ByHand:
    """A report as a director writes it: ranks and matches of each flight, as lines."""

    def __init__(self, beats: Beats, best_of: int) -> None:
        self.beats, self.best_of = beats, best_of
        self.lines: dict[str, list[str]] = {}
        self.reached: dict[str, dict[str, int]] = {}

    def match(self, flight: str, one: Slot, other: Slot, stage: int) -> tuple[Slot, Slot]:
        """The winner and the loser of a match."""
        lines, reached = self.lines.setdefault(flight, []), self.reached.setdefault(flight, {})
        for who in filter(None, (one, other)):
            reached[who] = stage
        if one is None or other is None:
            alone = one or other
            if alone:
                lines.append(f"7 {alone}, bye")
                reached[alone] = stage + 1
            return alone, None
        winner = self.beats(one, other, flight)
        loser = other if winner == one else one
        reached[winner] = stage + 1
        series = f", series {self.best_of // 2 + 1}" if self.best_of > 1 else ""
        lines.append(f"{DAYS[0]} 7 {winner} > {loser}{series}")
        return winner, loser

    def round(
        self, flight: str, slots: Sequence[Slot], stage: int
    ) -> tuple[list[Slot], list[Slot]]:
        pairs = [(slots[at], slots[at + 1]) for at in range(0, len(slots), 2)]
        ended = [self.match(flight, one, other, stage) for one, other in pairs]
        return [winner for winner, _ in ended], [loser for _, loser in ended]

    def knockout(self, places: Sequence[Slot]) -> list[list[Slot]]:
        """The losers of each round of the main."""
        slots = list(places)
        losers: list[list[Slot]] = []
        while len(slots) > 1:
            slots, lost = self.round("main", slots, len(losers) + 1)
            losers.append(lost)
        return losers

    def feed(self, flight: str, losers: Sequence[Sequence[Slot]]) -> None:
        """A consolation, as section 5 of the specification says."""
        slots, stage = list(losers[0]), 0
        for g, fallen in enumerate(losers[1:], 1):
            while len(slots) > len(fallen):
                stage += 1
                slots, _ = self.round(flight, slots, stage)
            stage += 1
            digits = len(fallen).bit_length() - 1
            turned = int(("0" * digits + f"{g:b}")[::-1][:digits] or "0", 2)
            slots = [
                self.match(flight, slot, fallen[at ^ turned], stage)[0]
                for at, slot in enumerate(slots)
            ]
        while len(slots) > 1:
            stage += 1
            slots, _ = self.round(flight, slots, stage)

    def text(self, name: str, kind: str, designated: int) -> str:
        """The event in the report."""
        parts = [
            f"[[event]]\nname = {name!r}\nentrants = {len(self.reached['main'])}\n"
            + "".join(f"{key} = {value!r}\n" if key != "entry_fee" else f"{key} = {value}\n"
                      for key, value in EVENT.items())
        ]  # fmt: skip
        for flight, reached in self.reached.items():
            ranks = {who: 1 + sum(far > own for far in reached.values())
                     for who, own in reached.items()}  # fmt: skip
            lines = [
                f"{rank}{'*' if rank <= designated and flight == 'main' else ''} {who}"
                for who, rank in sorted(ranks.items(), key=lambda item: item[1])
            ]
            matches_ = f'matches = """\n{chr(10).join(self.lines[flight])}\n"""\n'
            parts.append(
                f"[event.{flight}]\nentrants = {len(reached)}\nformat = '{kind}'\n"
                f'match_length = 7\nplacings = """\n{chr(10).join(lines)}\n"""\n{matches_}'
            )
        return "\n".join(parts)


DAYS = [date(2019, 5, 17) + timedelta(days=more) for more in range(3)]


def points(facts: Facts, regulation: str) -> Counter[tuple[str, str, str, str, float]]:
    with warnings.catch_warnings(action="ignore", category=PalmaresWarning):
        frame = palmares.award(regulation, facts)
    return Counter(frame.select("event_id", "player", "flight", "kind", "points").iter_rows())


def played(setup: AnySetup, beats: Beats) -> Progress:
    """Enter the results of an event until it is over."""
    progress = Progress()
    while not is_finished(setup, so_far := matches(setup, progress)):
        ready = [match for match in so_far if match.state == "ready"]
        if not ready:
            number = so_far[-1].round + 1
            pairs = pair_next(setup, progress)  # type: ignore[arg-type]
            progress = replace(progress, pairings={**progress.pairings, number: pairs})
            continue
        outcomes = dict(progress.outcomes)
        for match in ready:
            one, other = match.players
            flight = "main" if match.flight.startswith("group-") else match.flight
            winner = beats(one or "", other or "", flight)
            outcomes[match.id] = Outcome(winner=winner, played_on=DAYS[0])
        progress = replace(progress, outcomes=outcomes)
    return progress


def some_setup(rng: Random) -> AnySetup:
    kind = rng.choice(["knockout", "consolation", "round_robin", "swiss", "groups"])
    many = rng.randrange(5, 40)
    if kind == "knockout":
        return knockout(many)
    if kind == "consolation":
        rounds = list(range(1, rng.randrange(2, (many - 1).bit_length()) + 1))
        return knockout(many, [("consolation", "main", rounds)])
    if kind == "swiss":
        return swiss(many, 3)
    if kind == "groups":
        return groups(max(many // 2, 6), 2, advance=2)
    return groups(many // 4 + 3, 1)


def by_hand(setup: AnySetup, progress: Progress, hand: ByHand) -> str:
    """The format in the word of a report; the results are in *hand*."""
    everybody = [who for who in setup.places if who]
    if isinstance(setup, Knockout):
        losers = hand.knockout(setup.places)
        for feed in setup.feeds:
            hand.feed(feed.name, losers[: feed.rounds[-1]])
        return "knockout"
    if isinstance(setup, Groups):
        sizes = group_sizes(len(everybody), setup.groups)
        tables = []
        for at, size in enumerate(sizes):
            group = everybody[sum(sizes[:at]) : sum(sizes[:at]) + size]
            wins = Counter(
                hand.match("main", one, other, 0)[0] for one, other in combinations(group, 2)
            )
            equal = {w: sum(hand.beats(w, v, "main") == w for v in group if v != w
                            and wins[v] == wins[w]) for w in group}  # fmt: skip
            table = {who: (wins[who], equal[who]) for who in group}
            tables.append(table)
        if not setup.advance:
            hand.reached["main"] = {
                who: sum(table[who] > other for other in table.values())
                for table in tables for who in table
            }  # fmt: skip
            return "round_robin"
        order = [sorted(table, key=table.__getitem__, reverse=True) for table in tables]
        for table in tables:
            for who in table:
                hand.reached["main"][who] = -sum(other > table[who] for other in table.values())
        (a1, a2), (b1, b2) = (group[:2] for group in order)
        hand.knockout([a1, b2, a2, b1])
        return "knockout"
    wins = Counter()
    met: dict[str, list[str]] = {who: [] for who in everybody}
    for match in matches(setup, progress):  # who met whom is the program's; the rest is by hand
        winner, _ = hand.match("main", *match.players, 0)
        wins[winner] += 1
        one, other = match.players
        if one and other:
            met[one].append(other)
            met[other].append(one)
    hand.reached["main"] = {
        who: 1000 * wins[who] + sum(wins[other] for other in met[who]) for who in everybody
    }
    return "swiss"


def needs_a_lot(setup: AnySetup, beats: Beats) -> bool:
    """Whether a tie decides who goes on from a group."""
    from palmares.tournaments.systems.groups import ties

    if not isinstance(setup, Groups) or not setup.advance:
        return False
    progress = Progress()
    ready = [m for m in matches(setup, progress) if m.state == "ready"]
    outcomes = {
        m.id: Outcome(winner=beats(m.players[0] or "", m.players[1] or "", "main")) for m in ready
    }
    progress = Progress(outcomes=outcomes)
    return bool(ties(setup, matches(setup, progress), progress))


def both_ways(seed: int) -> tuple[PlayedEvent, str] | None:
    """Play an event, and write down by hand how it went; none where a lot would have to decide."""
    rng = Random(seed)  # noqa: S311  made-up results
    setup = some_setup(rng)
    best_of, designated = rng.choice([1, 1, 3]), rng.choice([0, 0, 4])
    flight = Flight(name="main", lengths=[7], best_of=best_of, designated=designated or None)
    entrants, name = players(len(setup.places)), f"Open {seed}"
    setup = msgspec.structs.replace(
        setup, name=name, flights=[flight, *setup.flights[1:]], names={w: w for w in entrants}
    )

    def beats(one: str, other: str, where: str) -> str:
        first, second = sorted((one, other), key=entrants.index)
        return first if Random(f"{seed} {first} {second} {where}").random() < 0.6 else second  # noqa: S311

    if needs_a_lot(setup, beats):
        return None
    progress = played(setup, beats)
    event = PlayedEvent(running=Running(setup=setup, progress=progress), cells=EVENT)
    hand = ByHand(beats, best_of)
    kind = by_hand(setup, progress, hand)
    return event, hand.text(name, kind, designated)


def test_the_same_points_as_by_hand(tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    ours.mkdir()
    theirs.mkdir()
    for number in range(0, EVENTS, 20):
        some = [both for seed in range(number, number + 20) if (both := both_ways(seed))]
        tournament = {**TOURNAMENT, "name": f"Tournament {number}"}
        facts = report(tournament, [event for event, _ in some])
        (ours / f"{number}.toml").write_text(write(facts.tables) + "\n" + MEMBERS, "utf-8")
        heading = "[tournament]\n" + "".join(
            f"{key} = {value if key.endswith('date') else repr(value)}\n"
            for key, value in tournament.items()
        )
        text = "\n".join([heading, *(text for _, text in some), MEMBERS])
        (theirs / f"{number}.toml").write_text(text, "utf-8")
    by_program, by_director = palmares.read(ours), palmares.read(theirs)
    assert by_director["events"].height > 0.9 * EVENTS
    for regulation in ("wbgf", "usbgf"):
        expected = points(by_director, regulation)
        assert len({event for event, *_ in expected}) == by_director["events"].height
        assert points(by_program, regulation) == expected


def finished(setup: AnySetup, outcomes: dict[str, Outcome]) -> PlayedEvent:
    return PlayedEvent(running=Running(setup=setup, progress=Progress(outcomes=outcomes)))


FOUR = {"main:1:1": Outcome(winner="p1", how="retired"),
        "main:1:2": Outcome(winner="p2", how="walkover"),
        "main:2:1": Outcome(winner="p1", score=(9, 3), length=9)}  # fmt: skip


def test_what_is_reported_of_a_match() -> None:
    facts = report(TOURNAMENT, [finished(knockout(4), FOUR)])
    rows = facts["matches"].select("match_id", "round", "length", "winner_id", "status").rows()
    assert rows == [
        ("autumn-open-2019-05-19/open/m1", "1", 7, "P1", None),
        ("autumn-open-2019-05-19/open/m2", "1", 7, "P2", "walkover"),
        ("autumn-open-2019-05-19/open/m3", "2", 9, "P1", None),
    ]


def test_each_match_of_a_series_is_reported_if_it_is_known() -> None:
    """'Match Win points are awarded for each individual match won in the series. Thus, both players
    can receive points'; of a series known by its winner, only the winner does."""
    setup = msgspec.structs.replace(
        knockout(4), flights=[Flight(name="main", lengths=[7], best_of=5)]
    )
    outcomes = {"main:1:1": Outcome(winner="p1", wins=(3, 1)),
                "main:1:2": Outcome(winner="p2"),
                "main:2:1": Outcome(winner="p1", wins=(1, 2), how="retired")}  # fmt: skip
    facts = report(TOURNAMENT, [finished(setup, outcomes)])
    rows = facts["matches"].select("round", "winner_id", "loser_id", "status", "series_wins").rows()
    first, last = ("P1", "P4", None, None), ("P1", "P2", None, None)
    assert rows == [
        ("1", "P4", "P1", None, None), *[("1", *first)] * 3,
        ("1", "P2", "P3", "series", 3),
        *[("2", "P2", "P1", None, None)] * 2, *[("2", *last)] * 2,
    ]  # fmt: skip


def test_nobody_played_a_double_no_show() -> None:
    outcomes = {"main:1:1": Outcome(winner=None, how="double_no_show"),
                "main:1:2": Outcome(winner="p2")}  # fmt: skip
    facts = report(TOURNAMENT, [finished(knockout(4), outcomes)])
    assert facts["matches"].select("winner_id", "loser_id", "status").rows() == [
        ("P2", "P3", None), ("P2", None, "bye")
    ]  # fmt: skip
    assert facts["placings"]["rank"].to_list() == [1, 2, 2, 2]


def test_ids_and_nations() -> None:
    setup = knockout(4)
    names = {
        "p1": "Ada Novak (CZE)",
        "p2": "Ben Olsen",
        "p3": "Cy Young (Ohio)",
        "p4": "Di Ek [n7]",
    }
    event = finished(msgspec.structs.replace(setup, names=names), FOUR)
    facts = report(TOURNAMENT, [replace(event, ids={"p2": "n2"})])
    assert set(facts["players"].select("player_id", "name", "nation", "origin").rows()) == {
        ("Ada Novak (CZE)", "Ada Novak", "CZE", None), ("n2", "Ben Olsen", None, None),
        ("Cy Young (Ohio)", "Cy Young", None, "Ohio"), ("n7", "Di Ek", None, None),
    }  # fmt: skip
    twins = msgspec.structs.replace(setup, names={**names, "p4": "Ben Olsen"})
    with pytest.raises(FactsRejected, match="one player: Ben Olsen"):
        report(TOURNAMENT, [finished(twins, FOUR)])


def test_two_events_share_their_players() -> None:
    double = knockout(5, [("second", "main", [1, 2, 3])], final_again=True)
    double = msgspec.structs.replace(double, name="Double")
    progress = play_on(double, Random(1))  # noqa: S311  made-up results
    second = finished(double, dict(progress.outcomes))
    facts = report(TOURNAMENT, [finished(knockout(4), FOUR), second])
    assert facts["players"].height == 5
    assert facts["flights"].select("flight", "entrants", "format").rows() == [
        ("main", 4, "knockout"), ("main", 5, "double_knockout")
    ]  # fmt: skip
    assert sorted(facts["placings"]["rank"].tail(5)) == [1, 2, 3, 4, 5]


def test_an_event_that_is_not_over_is_not_reported() -> None:
    with pytest.raises(Refused, match="Open is not over"):
        report(TOURNAMENT, [finished(knockout(4), {})])
    with pytest.raises(FactsRejected, match="end_date"):
        report({"name": "Open"}, [finished(knockout(4), FOUR)])
