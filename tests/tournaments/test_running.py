"""The records of an event: whatever desks send, in whatever order, one event follows."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import msgspec
import pytest

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected
from palmares.tournaments import running as events
from palmares.tournaments.running import (
    Drafts,
    ManualChange,
    PlayerWithdrawal,
    ResultCorrection,
    Return,
    Running,
    change,
    consequences,
    drafted,
    fingerprint,
    fold,
    pair_round,
    result,
    start,
    submitted,
)
from palmares.tournaments.systems.event import matches
from palmares.tournaments.systems.matches import AnySetup, Outcome, Swiss
from tests.amounts import amount
from tests.tournaments.systems.events import MAIN, knockout, players, won

ROUNDS = amount(30)
DRAFT = events.Drafted(report="0" * 64, tournament={}, event={}, submission=7)
CONSOLATION = [("consolation", "main", [1, 2, 3]), ("last", "consolation", [1, 2])]


@dataclass
class Record:
    kind: str
    body: str


class Chain:
    """An event's records, without a database."""

    def __init__(self, setup: AnySetup) -> None:
        self.records: list[Record] = []
        self.add(start(self.records, setup))

    def add(self, drafts: Drafts) -> int:
        new = [Record(kind, canonical(msgspec.to_builtins(body))) for kind, body in drafts]
        self.records += new
        return len(new)

    @property
    def now(self) -> Running:
        return fold(self.records)

    def change(self, body: ManualChange) -> int:
        following = consequences(self.now, body)
        return self.add(change(self.now, body, fingerprint(following)))


def codes(refused: pytest.ExceptionInfo[FactsRejected]) -> set[str]:
    return {problem.code for problem in refused.value.problems}


def swiss(many: int, rounds: int) -> Swiss:
    names = {who: who for who in players(many)}
    return Swiss(event="s", name="S", places=[*names], flights=MAIN, names=names, rounds=rounds)


def play_out(chain: Chain, chance: Random) -> None:
    while not chain.now.is_over:
        for match in chain.now.next:
            chain.add(result(chain.now, match.id, won(chance.choice(match.players) or "")))
        if isinstance(chain.now.setup, Swiss) and not chain.now.is_over:
            chain.add(pair_round(chain.now, chain.now.matches[-1].round + 1))


# ── two desks ────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_taps_of_two_desks_lead_to_one_event(seed: int) -> None:
    """Each desk taps what it saw a while ago, some twice: one winner a match, nothing lost."""
    chance = Random(seed)  # noqa: S311
    chain = Chain(knockout(chance.randint(2, 24), CONSOLATION if chance.random() < 0.5 else ()))
    if len(chain.now.setup.places) < 16:
        chain = Chain(knockout(chance.randint(2, 8)))
    confirmed: dict[str, Outcome] = {}
    desks: list[list[tuple[str, Outcome]]] = [[], []]
    while not chain.now.is_over or any(desks):
        seen = chain.now
        for desk in desks:
            desk += [
                (match.id, won(chance.choice(match.players) or ""))
                for match in seen.next
                if chance.random() < 0.6
            ]
        desk = chance.choice(desks)
        for _ in range(chance.randint(0, len(desk))):
            name, outcome = desk.pop(chance.randrange(len(desk)))
            for _ in range(chance.randint(1, 2)):  # the phone sends it again
                try:
                    chain.add(result(chain.now, name, outcome))
                except FactsRejected:
                    assert confirmed[name] != outcome
                else:
                    assert confirmed.setdefault(name, outcome) == outcome
    assert chain.now.progress.outcomes == confirmed
    assert len(chain.records) == 1 + len(confirmed)
    assert {match.id for match in chain.now.matches if match.state == "done"} == {*confirmed}


def test_two_winners_of_one_match() -> None:
    chain = Chain(knockout(4))
    assert chain.add(result(chain.now, "main:1:1", won("p1"))) == 1
    assert chain.add(result(chain.now, "main:1:1", won("p1"))) == 0
    with pytest.raises(FactsRejected, match="another result already: P1 won") as refused:
        result(fold(chain.records, {"p1": "P1"}), "main:1:1", won("p4"))
    assert codes(refused) == {"decided"}


@pytest.mark.parametrize(
    ("match", "winner", "code"),
    [
        ("main:9:1", "p1", "no_match"),
        ("main:2:1", "p1", "not_ready"),
        ("main:1:1", "p2", "winner"),
        ("main:1:1", "nobody", "winner"),
        ("main:1:1", None, "how"),
    ],
)
def test_what_cannot_be(match: str, winner: str | None, code: str) -> None:
    with pytest.raises(FactsRejected, match="nothing was recorded") as refused:
        result(Chain(knockout(4)).now, match, Outcome(winner=winner))
    assert codes(refused) == {code}


@pytest.mark.parametrize(
    ("match", "words"),
    [("main:9:1", "there is no match main:9:1"), ("", "no match is named")],
)
def test_a_match_that_is_not_there_is_said_in_words(match: str, words: str) -> None:
    with pytest.raises(FactsRejected, match="nothing was recorded") as refused:
        Chain(knockout(4)).now.match(match)
    (problem,) = refused.value.problems
    assert problem.what == words


# ── changes by hand ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(ROUNDS))
def test_a_correction_leaves_what_a_right_result_would_have_left(seed: int) -> None:
    """After it no result stands of a match between others; all else is as if never wrong."""
    chance = Random(seed)  # noqa: S311
    setup = knockout(chance.randint(8, 20), CONSOLATION[:1])
    chain = Chain(setup)
    play_out(chain, chance)
    match = chance.choice([match for match in chain.now.matches if match.state == "done"])
    other = next(who for who in match.players if who != match.winner)
    chain.change(ResultCorrection(match=match.id, outcome=won(other or ""), reason="wrong"))
    now = chain.now
    assert now.match(match.id).winner == other
    for name, outcome in now.progress.outcomes.items():
        assert outcome.winner in now.match(name).players
    assert now.matches == matches(now.setup, now.progress)
    play_out(chain, chance)
    assert chain.now.is_over
    assert chain.now.by_hand[0].reason == "wrong"


def test_what_follows_must_be_accepted_as_shown() -> None:
    chain = Chain(knockout(4))
    for match, winner in (("main:1:1", "p1"), ("main:1:2", "p2"), ("main:2:1", "p1")):
        chain.add(result(chain.now, match, won(winner)))
    correction = ResultCorrection(match="main:1:1", outcome=won("p4"), reason="misread")
    shown = fingerprint(consequences(chain.now, correction))
    for accepted in ("", "0" * 16):
        with pytest.raises(FactsRejected) as refused:
            change(chain.now, correction, accepted)
        assert codes(refused) == {"consequences"}
    chain.change(ResultCorrection(match="main:2:1", outcome=None, reason="not over"))
    with pytest.raises(FactsRejected) as refused:
        change(chain.now, correction, shown)
    assert codes(refused) == {"consequences"}
    chain.change(correction)
    assert chain.change(correction) == 0
    assert chain.now.match("main:2:1").players == ("p4", "p2")
    with pytest.raises(FactsRejected) as refused:
        chain.change(ResultCorrection(match="main:1:1", outcome=None, reason=" "))
    assert codes(refused) == {"reason"}


def test_a_withdrawal_and_back() -> None:
    chain = Chain(knockout(4))
    chain.change(PlayerWithdrawal(player="p1", reason="ill"))
    assert chain.now.match("main:1:1").winner == "p4"
    assert chain.change(PlayerWithdrawal(player="p1", reason="ill")) == 0
    with pytest.raises(FactsRejected, match="by walkover"):
        result(chain.now, "main:1:1", won("p1"))
    chain.change(Return(player="p1", reason="well"))
    assert chain.now.match("main:1:1").state == "ready"
    with pytest.raises(FactsRejected) as refused:
        chain.change(PlayerWithdrawal(player="p9", reason="ill"))
    assert codes(refused) == {"player"}


@pytest.mark.parametrize("kind", [PlayerWithdrawal, Return])
@pytest.mark.parametrize("reason", ["", " ", "a\u202eb"])
def test_a_withdrawal_needs_a_reason(kind: type[PlayerWithdrawal | Return], reason: str) -> None:
    chain = Chain(knockout(4))
    with pytest.raises(FactsRejected) as refused:
        chain.change(kind(player="p1", reason=reason))
    assert codes(refused) == {"reason"}


def test_a_walkover_stays_when_its_winner_withdraws_later() -> None:
    """p4 beat p1 by walkover and gives up later: p4 lost the final, not the first round."""
    chain = Chain(knockout(4))
    chain.change(PlayerWithdrawal(player="p1", reason="ill"))
    chain.change(PlayerWithdrawal(player="p4", reason="a train"))
    assert chain.now.match("main:1:1").winner == "p4"
    chain.add(result(chain.now, "main:1:2", won("p2")))
    assert chain.now.match("main:2:1").players == ("p4", "p2")
    assert chain.now.match("main:2:1").winner == "p2"
    assert chain.change(PlayerWithdrawal(player="p4", reason="a train")) == 0
    chain.change(Return(player="p1", reason="well"))
    assert chain.now.match("main:1:1").winner == "p1"


# ── rounds, start, report ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("many", "rounds"), [(7, 3), (8, 4), (12, 5)])
def test_a_swiss_is_paired_once_a_round(many: int, rounds: int) -> None:
    chain = Chain(swiss(many, rounds))
    with pytest.raises(Exception, match="not over"):
        pair_round(chain.now, 2)
    play_out(chain, Random(many))  # noqa: S311
    assert chain.now.matches[-1].round == rounds
    assert pair_round(chain.now, rounds) == ()
    with pytest.raises(FactsRejected) as refused:
        pair_round(chain.now, rounds + 2)
    assert codes(refused) == {"round"}
    assert {placing.player for placing in chain.now.placings} == {*players(many)}
    with pytest.raises(FactsRejected) as refused:
        pair_round(Chain(knockout(4)).now, 2)
    assert codes(refused) == {"format"}


def test_an_event_starts_once() -> None:
    chain = Chain(knockout(4))
    assert chain.add(start(chain.records, knockout(4))) == 0
    with pytest.raises(FactsRejected) as refused:
        start(chain.records, knockout(5))
    assert codes(refused) == {"started"}
    with pytest.raises(FactsRejected, match="no such event"):
        fold([])


def test_names_are_no_part_of_the_records() -> None:
    chain = Chain(knockout(2))
    assert "P1" not in chain.records[0].body
    assert fold(chain.records, {"p1": "Ana"}).setup.names == {"p1": "Ana", "p2": "p2"}


def test_a_report_is_submitted_after_the_last_match() -> None:
    chain = Chain(knockout(2))
    with pytest.raises(FactsRejected, match="not played yet"):
        drafted(chain.now, DRAFT)
    play_out(chain, Random(1))  # noqa: S311
    assert chain.now.state == "finished"
    chain.add(drafted(chain.now, DRAFT))
    assert chain.now.state == "finished"
    assert submitted(chain.now, 8, "1" * 64) == ()  # another report
    chain.add(submitted(chain.now, 7, "1" * 64))
    assert (chain.now.state, events.KINDS["submitted"]) == ("reported", events.Submitted)
    assert submitted(chain.now, 7, "1" * 64) == ()


def test_a_correction_after_the_report_needs_another() -> None:
    chain = Chain(knockout(2))
    play_out(chain, Random(1))  # noqa: S311
    chain.add(drafted(chain.now, DRAFT))
    chain.add(submitted(chain.now, 7, "1" * 64))
    match = chain.now.match("main:1:1")
    assert match.loser
    chain.change(ResultCorrection(match=match.id, outcome=won(match.loser), reason="misread"))
    assert chain.now.state == "finished"


@pytest.mark.parametrize(("kind", "body"), [("result", '{"match":5}'), ("paused", "{}")])
def test_a_record_of_a_later_palmares_is_refused(kind: str, body: str) -> None:
    chain = Chain(knockout(4))
    with pytest.raises(FactsRejected, match=f"cannot read a record of the kind {kind}"):
        fold([*chain.records, Record(kind, body)])


def test_what_could_not_be_read_again_is_not_recorded() -> None:
    chain = Chain(knockout(4))
    match = chain.now.next[0]
    unreadable = Outcome(winner=match.players[0], score=(1_500, 2), length=1_500)
    with pytest.raises(FactsRejected, match=r"outcome\.score is more than 1000"):
        result(chain.now, match.id, unreadable)
    setup = knockout(4)
    flight = msgspec.structs.replace(setup.flights[0], lengths=[-3])
    with pytest.raises(FactsRejected, match=r"setup\.flights\.lengths is less than 1"):
        start([], msgspec.structs.replace(setup, flights=[flight]))
