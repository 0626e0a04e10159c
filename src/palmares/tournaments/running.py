"""An event while it is played: what is recorded of it, what follows, what may be recorded next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Annotated, Literal, Protocol

import msgspec
from msgspec import Meta

from palmares.core.canonical import canonical
from palmares.core.errors import FactsRejected, Location, brief, rejected
from palmares.core.messages import msg
from palmares.core.toml import fault_of
from palmares.facts.text import printable, squeezed
from palmares.tournaments.draw.announcement import Hash, Id
from palmares.tournaments.systems import swiss
from palmares.tournaments.systems.checks import (
    REMEDIES,
    check_lot,
    check_outcome,
    check_setup,
    text_fault,
)
from palmares.tournaments.systems.event import (
    Consequences,
    changes,
    is_finished,
    matches,
    next_matches,
    placings,
    standings,
)
from palmares.tournaments.systems.matches import (
    AnySetup,
    Match,
    Outcome,
    Placing,
    Progress,
    Standing,
    Swiss,
)

NOTHING_RECORDED = msg("nothing was recorded")


class Recorded(Protocol):
    """A record of an event's chain."""

    @property
    def kind(self) -> str:
        """Which struct of `KINDS` its body is."""

    @property
    def body(self) -> str:
        """JSON."""


class RecordBody(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of a record."""


class Start(RecordBody, frozen=True, kw_only=True):
    """The event begins. Names are kept apart, so that they can be erased."""

    setup: AnySetup


class MatchResult(RecordBody, frozen=True, kw_only=True):
    """A match ended."""

    match: str
    outcome: Outcome


class ManualChange(RecordBody, frozen=True, kw_only=True):
    """A correction, by hand, of what was recorded."""

    reason: str = ""
    dropped: list[str] = []  # matches whose results fall away, since others meet now


class ResultCorrection(ManualChange, frozen=True, kw_only=True):
    """A match ended otherwise than was recorded."""

    match: str
    outcome: Outcome | None  # none: it has not ended


class PlayerWithdrawal(ManualChange, frozen=True, kw_only=True):
    """A player plays no more."""

    player: Id


class Return(ManualChange, frozen=True, kw_only=True):
    """A withdrawal was a mistake."""

    player: Id


class Pairing(RecordBody, frozen=True, kw_only=True):
    """Who meets whom in a round of a Swiss, as it was computed."""

    round: int
    pairs: list[tuple[Id, Id | None]]


class Lot(RecordBody, frozen=True, kw_only=True):
    """The order that a lot gave tied players of a group."""

    players: list[Id]


class PrizeSplit(RecordBody, frozen=True, kw_only=True):
    """Players agreed to split their prizes otherwise than by the rule of the notice."""

    cents: dict[Id, Annotated[int, Meta(ge=0)]]  # by player; empty: by the rule again


class Drafted(RecordBody, frozen=True, kw_only=True):
    """The report of the event was drafted on the site."""

    report: Hash  # of the report as it was computed
    tournament: dict[str, str]  # what the director said of the tournament
    event: dict[str, str]  # and of the event, by columns of the facts
    submission: int  # its number on the site


class Submitted(RecordBody, frozen=True, kw_only=True):
    """The report of the event was submitted to the officers."""

    report: Hash  # of the report as it was submitted
    submission: int  # its number on the site


KINDS: Mapping[str, type[RecordBody]] = {
    "start": Start,
    "result": MatchResult,
    "correction": ResultCorrection,
    "withdrawal": PlayerWithdrawal,
    "return": Return,
    "pairing": Pairing,
    "lot": Lot,
    "split": PrizeSplit,
    "drafted": Drafted,
    "submitted": Submitted,
}
_NAMES = {struct: kind for kind, struct in KINDS.items()}

Drafts = Sequence[tuple[str, RecordBody]]
"""Records about to be added: kind and body."""


@dataclass(frozen=True, kw_only=True)
class Running:
    """An event as its records have it."""

    setup: AnySetup
    progress: Progress
    drafted: Drafted | None = None  # the report; none: not yet, or something changed since
    submitted: Submitted | None = None  # likewise
    agreed: Mapping[str, int] = field(default_factory=dict)  # prizes that were split: cents
    by_hand: tuple[ManualChange, ...] = ()  # what was corrected

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """All matches so far."""
        return matches(self.setup, self.progress)

    @cached_property
    def next(self) -> tuple[Match, ...]:
        """The matches that can start now."""
        return next_matches(self.matches, self.progress)

    @cached_property
    def placings(self) -> tuple[Placing, ...]:
        """Who finished where, in each flight that is over."""
        return placings(self.setup, self.matches)

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """Where players of groups and of a Swiss stand now."""
        return standings(self.setup, self.matches)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play."""
        return is_finished(self.setup, self.matches)

    @property
    def state(self) -> Literal["running", "finished", "reported"]:
        """How far the event is."""
        if not self.is_over:
            return "running"
        return "reported" if self.submitted else "finished"

    def meant(self, text: str, among: Iterable[str]) -> list[str]:
        """Those of some players that an id or a name can mean."""
        wanted, players = squeezed(text), list(among)
        return [who for who in players if who == wanted] or [
            who for who in players if is_name(wanted, who) or is_name(wanted, self.name(who))
        ]

    def player(self, text: str) -> str:
        """The id of the player with an id or a name.

        Raises:
            FactsRejected: there is none, or several.
        """
        meant = self.meant(text, self.setup.names)
        if len(meant) == 1:
            return meant[0]
        what = msg("several players have the name %(player)s", player=printable(text))
        if not meant:
            what = msg("%(player)s does not play in this event", player=printable(text))
        raise _refused(
            "player", what, msg("Write the id of a player of the event."), self.setup.event
        )

    def name(self, player: str | None) -> str:
        """A player as they are shown."""
        return self.setup.names.get(player or "", player or "")

    def match(self, match_id: str, at: Location | None = None) -> Match:
        """A match by its id; *at* is where it is named.

        Raises:
            FactsRejected: there is none.
        """
        for match in self.matches:
            if match.id == match_id:
                return match
        raise _refused(
            "no_match",
            msg("there is no match %(match)s", match=brief(match_id))
            if match_id
            else msg("no match is named"),
            REMEDIES["no_match"],
            at or self.setup.event,
        )


def is_name(typed: str, name: str) -> bool:
    """Whether a name is meant: in small or capital letters, with or without the (nation)."""
    wanted, full_name = squeezed(typed).casefold(), name.casefold()
    return wanted in (full_name, squeezed(full_name.split(" (")[0]))


def fold(records: Iterable[Recorded], names: Mapping[str, str] | None = None) -> Running:
    """The event that records lead to.

    Args:
        records: of one event, from its start.
        names: of entrants, by id; an id without one is shown itself.

    Raises:
        FactsRejected: there are none, or this palmares cannot read one of them.
    """
    running: Running | None = None
    for record in records:
        body = _read(record)
        if isinstance(body, Start):
            every = {who: (names or {}).get(who, who) for who in body.setup.places if who}
            setup = msgspec.structs.replace(body.setup, names=every)
            running = Running(setup=setup, progress=Progress())
        elif running is not None:
            running = after(running, body)
    if running is None:
        raise _refused(
            "no_event",
            msg("no such event was started"),
            msg("Start it, or check its id in the list of events."),
        )
    return running


def _read(record: Recorded) -> RecordBody:
    try:
        return msgspec.json.decode(record.body, type=KINDS[record.kind])
    except (KeyError, msgspec.MsgspecError) as error:
        what = msg("this palmares cannot read a record of the kind %(kind)s: %(why)s",
                   kind=brief(record.kind), why=str(error))  # fmt: skip
        remedy = msg("If a later palmares recorded it, install that version.")
        raise _refused("unreadable", what, remedy) from None


def after(running: Running, body: RecordBody) -> Running:
    """The event after one more record."""
    progress = running.progress
    if isinstance(body, Submitted):
        return replace(running, submitted=body)
    if isinstance(body, Drafted):
        return replace(running, drafted=body, submitted=None)
    if isinstance(body, PrizeSplit):
        return replace(running, agreed=body.cents)
    if isinstance(body, MatchResult):
        progress = replace(progress, outcomes={**progress.outcomes, body.match: body.outcome})
    elif isinstance(body, Pairing):
        progress = replace(progress, pairings={**progress.pairings, body.round: body.pairs})
    elif isinstance(body, Lot):
        progress = replace(progress, lots=[*progress.lots, body.players])
    elif isinstance(body, ManualChange):
        return replace(
            running,
            progress=_changed(running, body, body.dropped),
            drafted=None,  # the report is another one now
            submitted=None,
            by_hand=(*running.by_hand, body),
        )
    return replace(running, progress=progress)


def _changed(running: Running, body: ManualChange, dropped: Sequence[str] = ()) -> Progress:
    progress = running.progress
    outcomes = {key: end for key, end in progress.outcomes.items() if key not in dropped}
    withdrawn, walkovers = progress.withdrawn, dict(progress.walkovers)
    if isinstance(body, ResultCorrection):
        if body.outcome is None:
            outcomes.pop(body.match, None)
        else:
            outcomes[body.match] = body.outcome
    elif isinstance(body, PlayerWithdrawal):
        withdrawn |= {body.player}
        walkovers |= {
            match.id: (body.player, match.loser)
            for match in running.matches
            if match.winner == body.player and match.loser and match.id not in progress.outcomes
        }
    elif isinstance(body, Return):
        withdrawn -= {body.player}
        walkovers = {key: pair for key, pair in walkovers.items() if pair[1] != body.player}
    return replace(progress, outcomes=outcomes, withdrawn=withdrawn, walkovers=walkovers)


# ── what may be recorded ─────────────────────────────────────────────────────────────────────────


def start(records: Sequence[Recorded], setup: AnySetup) -> Drafts:
    """The record that starts an event; none if it was started the same.

    Raises:
        FactsRejected: it cannot be set up so, or was started otherwise.
    """
    if problems := check_setup(setup):
        raise FactsRejected(problems, so=NOTHING_RECORDED)
    body = Start(setup=msgspec.structs.replace(setup, names={}))
    if not records:
        return _drafts(body)
    if canonical(msgspec.to_builtins(body)) == records[0].body:
        return ()
    raise _refused(
        "started",
        msg("another event with this id was started already"),
        msg("Choose another id for this event."),
        setup.event,
    )


def result(running: Running, match_id: str, outcome: Outcome) -> Drafts:
    """The record of a result; none if it is recorded already.

    Raises:
        FactsRejected: the match is not ready, cannot have ended so, or ended otherwise.
    """
    match = running.match(match_id)
    if problems := check_outcome(running.setup, running.matches, match, outcome):
        raise FactsRejected(problems, so=NOTHING_RECORDED)
    if match.outcome is None:
        return _drafts(MatchResult(match=match_id, outcome=outcome))
    if match.outcome == outcome:
        return ()
    raise _refused(
        "decided",
        msg(
            "this match has another result already: %(result)s",
            result=describe(running, match.outcome),
        ),
        msg("If that is wrong, correct the result: what follows from it is shown first."),
        match_id,
    )


def new_name(running: Running, player: str, name: str) -> str:
    """Another name of an entrant, with single spaces.

    Raises:
        FactsRejected: it cannot be a name, or another entrant has it.
    """
    wanted = squeezed(name)
    fault = text_fault(wanted)
    others = {squeezed(running.name(who)) for who in running.setup.names if who != player}
    if wanted in others:
        fault = msg("is another entrant's")
    if fault:
        what = msg("the name “%(name)s” %(wrong)s", name=wanted and printable(wanted), wrong=fault)
        raise _refused("names", what, REMEDIES["names"], running.setup.event)
    return wanted


def describe(running: Running, outcome: Outcome) -> str:
    """How a match ended, in words."""
    if outcome.winner is None:
        return msg("neither player appeared")
    winner = running.name(outcome.winner)
    if outcome.how == "walkover":
        return msg("%(winner)s won by walkover", winner=winner)
    pair = outcome.score or outcome.wins
    score = f" {pair[0]}-{pair[1]}" if pair else ""
    if outcome.how == "retired":
        return msg("%(winner)s won%(score)s, the opponent retired", winner=winner, score=score)
    return msg("%(winner)s won%(score)s", winner=winner, score=score)


def consequences(running: Running, body: ManualChange) -> Consequences:
    """What follows from a change by hand."""
    return changes(running.setup, running.progress, _changed(running, body))


def followers(running: Running, body: ManualChange) -> tuple[Running, dict[str, Outcome | None]]:
    """The event after a change by hand, and the matches that change with it.

    Returns:
        The event; by match, the result that falls away, or none. First come the matches, with the
        same players, that a withdrawal or the end of one decides.
    """
    following = consequences(running, body)
    then = replace(running, progress=following.progress)
    matches: dict[str, Outcome | None] = {}
    if running.progress.withdrawn != then.progress.withdrawn:
        before = {match.id: match for match in running.matches}
        matches |= {
            match.id: None
            for match in then.matches
            if match.players == before[match.id].players
            and match.outcome != before[match.id].outcome
        }
    return then, matches | {match.id: match.dropped for match in following.changed}


def fingerprint(following: Consequences) -> str:
    """A text by which what follows is accepted as it was shown."""
    return sha256(canonical(msgspec.to_builtins(following.changed)).encode()).hexdigest()[:16]


def change(running: Running, body: ManualChange, accepted: str = "") -> Drafts:
    """The record of a change by hand; none if it changes nothing.

    Args:
        running: the event.
        body: the change.
        accepted: the fingerprint of what follows, as it was shown.

    Raises:
        FactsRejected: it cannot be so, or something else follows than was accepted.
    """
    check_change(running, body)
    following = consequences(running, body)
    if _changed(running, body) == running.progress:
        return ()
    if following.changed and accepted != fingerprint(following):
        raise _refused(
            "consequences",
            msg("other matches change with it, and not as was shown before"),
            msg("Look at what follows now, and confirm it."),
            running.setup.event,
        )
    dropped = [match.id for match in following.changed if match.dropped is not None]
    return _drafts(msgspec.structs.replace(body, dropped=dropped))


def check_change(running: Running, body: ManualChange) -> None:
    """Refuse a change by hand that cannot be.

    Raises:
        FactsRejected: the match, the player or the result cannot be so, or the reason is missing.
    """
    if not isinstance(body, ResultCorrection):
        player = getattr(body, "player", "")
        if player not in running.setup.places:
            raise _refused(
                "player",
                msg("%(player)s does not play in this event", player=player),
                msg("Choose a player of the event."),
                running.setup.event,
            )
    if fault := text_fault(body.reason):
        raise _refused(
            "reason",
            msg("the reason %(wrong)s", wrong=fault),
            msg("Write why this is changed."),
            getattr(body, "match", running.setup.event),
        )
    if not isinstance(body, ResultCorrection):
        return
    match = running.match(body.match)
    if body.outcome is not None:
        problems = check_outcome(running.setup, running.matches, match, body.outcome)
        if problems:
            raise FactsRejected(problems, so=NOTHING_RECORDED)


def pair_round(running: Running, number: int) -> Drafts:
    """The record of who meets whom in a round of a Swiss; none if it is paired already.

    Raises:
        Refused: it is no Swiss, the round before is not over, or nobody can be paired.
    """
    if not isinstance(running.setup, Swiss):
        raise _refused(
            "format",
            msg("only a Swiss is paired round by round"),
            msg("Enter results: the next matches follow from them."),
            running.setup.event,
        )
    paired = running.matches[-1].round
    if number <= paired:
        return ()
    if number > paired + 1:
        raise _refused(
            "round",
            msg("round %(number)s comes after round %(next)s", number=number, next=paired + 1),
            msg("Pair the rounds in order."),
            running.setup.event,
        )
    pairs = swiss.pair_next(running.setup, running.progress)
    return _drafts(Pairing(round=number, pairs=list(pairs)))


def lot(running: Running, players: Sequence[str]) -> Drafts:
    """The record of the order that a lot gave tied players; none if it is recorded already.

    Raises:
        FactsRejected: these are not the players of a tie that only a lot can decide.
    """
    order = [running.player(player) for player in players]
    if order in [list(drawn) for drawn in running.progress.lots]:
        return ()
    if problems := check_lot(running.setup, running.matches, running.progress, order):
        raise FactsRejected(problems, so=NOTHING_RECORDED)
    return _drafts(Lot(players=order))


def submitted(running: Running, submission: int, report: str) -> Drafts:
    """The record that the drafted report was submitted; none if it is recorded already.

    Args:
        running: the event.
        submission: number of the report on the site; one that is outdated is not recorded.
        report: the hash of its contents.
    """
    body = Submitted(submission=submission, report=report)
    if running.drafted is None or running.drafted.submission != submission:
        return ()
    return () if running.submitted == body else _drafts(body)


def drafted(running: Running, body: Drafted) -> Drafts:
    """The record that the report was drafted.

    Raises:
        FactsRejected: something is left to play.
    """
    check_over(running)
    return _drafts(body)


def check_over(running: Running) -> None:
    """Refuse an event of which something is left to play.

    Raises:
        FactsRejected: it is not over.
    """
    if not running.is_over:
        raise _refused(
            "not_over",
            msg("%(many)s matches are not played yet",
                many=sum(match.state in ("waiting", "ready") for match in running.matches)),
            msg("Enter their results first."),
            running.setup.event,
        )  # fmt: skip


def _drafts(body: RecordBody) -> Drafts:
    """The record of a body that will be read again: no later one can correct one that is not."""
    try:
        msgspec.convert(msgspec.to_builtins(body), type(body))
    except msgspec.ValidationError as error:
        _, what, remedy = fault_of(error, type(body), None)
        raise _refused("shape", what, remedy) from None
    return [(_NAMES[type(body)], body)]


def _refused(code: str, what: str, remedy: str, at: Location | str = "event") -> FactsRejected:
    return rejected(at, what, "event", remedy, code=code, so=NOTHING_RECORDED)
