"""Prizes by the rule of a notice, exact to the cent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from palmares.core.errors import Refused
from palmares.core.messages import LocalNumber, msg, term
from palmares.core.rounding import money_text
from palmares.facts.text import printable
from palmares.tournaments.notice import (
    HUNDRED_PERCENT,
    Division,
    Notice,
    Prizes,
    event_cells,
    hundredths,
    is_money,
    tournament_cells,
)
from palmares.tournaments.report import flight_entrants
from palmares.tournaments.running import Drafts, PrizeSplit, Running, check_over
from palmares.tournaments.systems.matches import MAIN, AnySetup, Knockout, Placing


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """What is shared out in a division, in cents."""

    total: int  #: fees less costs plus added money
    why: str  #: in a sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class Prize:
    """What a player is paid, in cents."""

    flight: str
    rank: int  #: the first of the places
    player: str
    cents: int
    why: str  #: in a sentence
    agreed: bool = False  #: players agreed on it, in place of the rule's


def _money(cents: int) -> LocalNumber:
    return LocalNumber(money_text(cents))


def _percent(share: int) -> LocalNumber:
    """Hundredths of a per cent, without zeros that say nothing."""
    return LocalNumber(money_text(share).removesuffix("0").removesuffix(".0"))


def pool(rule: Prizes, division: Division, entrants: int) -> Pool:
    """The pool of a division.

    Args:
        rule: of the notice.
        division: whose fees and added money it is.
        entrants: how many paid.

    Raises:
        Refused: the costs are more than the fees.
    """
    fees = hundredths(division.entry_fee) * entrants
    costs = (
        hundredths(rule.costs_per_entrant) * entrants
        + hundredths(rule.costs)
        + fees * hundredths(rule.costs_percent) // HUNDRED_PERCENT
    )
    added = hundredths(division.added_money)
    if costs > fees:
        raise Refused(
            msg(
                "The costs of %(division)s are %(costs)s, and its %(entrants)s entry fees make"
                " %(fees)s. Correct the costs in the notice.",
                division=division.name,
                costs=_money(costs),
                entrants=entrants,
                fees=_money(fees),
            )
        )
    total = fees - costs + added
    why = msg(
        "%(entrants)s entry fees of %(fee)s make %(fees)s; less costs of %(costs)s, plus added"
        " money of %(added)s: %(total)s.",
        entrants=entrants,
        fee=_money(hundredths(division.entry_fee)),
        fees=_money(fees),
        costs=_money(costs),
        added=_money(added),
        total=_money(total),
    )
    return Pool(total=total, why=why)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tie:
    """The players on one rank of a flight, and the shares of the places that they take."""

    flight: str
    rank: int
    players: tuple[str, ...]
    shares: tuple[int, ...]  # hundredths of a per cent


def prizes(
    rule: Prizes,
    total: int,
    placings: Sequence[Placing],
    entrants: Mapping[str, int],
    agreed: Mapping[str, int] | None = None,
) -> list[Prize]:
    """What every paid player gets; it sums exactly to the pool.

    A place that no one could take, as the flight had fewer entrants, leaves its share to all others
    in proportion.

    Args:
        rule: of the notice.
        total: the pool, in cents.
        placings: of all flights; every player on a paid place.
        entrants: how many played in each flight.
        agreed: a split that players agreed on: cents by player.

    Raises:
        Refused: a paid place has no player, the ranks of a flight do not fit its ties, its
            entrants are not known, or an agreed split comes to another sum.
    """
    ties = [tie for flight in rule.paid_flights for tie in _ties(rule, flight, placings, entrants)]
    paid = sum(sum(tie.shares) for tie in ties)
    unit = hundredths(rule.round_to)
    amounts = [
        floor(Fraction(total * sum(tie.shares), paid * len(tie.players) * unit)) * unit
        for tie in ties
    ]
    left = total - sum(amount * len(tie.players) for tie, amount in zip(ties, amounts, strict=True))
    mains = [tie for tie in ties if tie.flight == MAIN]
    favoured = mains[0 if rule.remainder == "first" else -1]
    paid_out: list[Prize] = []
    for tie, amount in zip(ties, amounts, strict=True):
        extra = left if tie is favoured else 0
        paid_out += _paid(tie, amount, extra, total, paid)
    return _with_agreement(paid_out, agreed or {})


def _ties(
    rule: Prizes, flight: str, placings: Sequence[Placing], entrants: Mapping[str, int]
) -> list[_Tie]:
    """The paid ranks of a flight, the best first."""
    by_rank: dict[int, list[str]] = {}
    for placing in placings:
        if placing.flight == flight:
            by_rank.setdefault(placing.rank, []).append(placing.player)
    field = entrants.get(flight) or 0
    _refuse_wrong_field(flight, field, sum(map(len, by_rank.values())))
    shares = [hundredths(share) for share in rule.shares[flight]][:field]
    ties, place = [], 1
    while place <= len(shares):
        players = by_rank.get(place)
        if not players:
            raise Refused(
                msg(
                    "No player stands on place %(place)s of %(flight)s, which is paid. Add them to"
                    " the placings.",
                    place=place,
                    flight=term(flight),
                )
            )
        ties.append(
            _Tie(
                flight=flight,
                rank=place,
                players=tuple(players),
                shares=tuple(shares[place - 1 : place - 1 + len(players)]),
            )
        )
        _refuse_rank_inside_tie(ties[-1], by_rank)
        place += len(players)
    return ties


def _refuse_wrong_field(flight: str, entrants: int, placed: int) -> None:
    """Refuse a flight whose entrants are not known, or fewer than its placed players."""
    words = term(flight)
    if not entrants and (placed or flight == MAIN):
        raise Refused(
            msg("How many entered the %(flight)s? Give the number of its entrants.", flight=words)
        )
    if entrants < placed:
        raise Refused(
            msg(
                "%(placed)s players are placed in the %(flight)s, which %(entrants)s entered."
                " Correct the number of its entrants.",
                placed=placed,
                flight=words,
                entrants=entrants,
            )
        )


def _refuse_rank_inside_tie(tie: _Tie, ranks: Iterable[int]) -> None:
    """Refuse a rank that the players of a tie take up."""
    after = tie.rank + len(tie.players)
    if crossed := [rank for rank in ranks if tie.rank < rank < after]:
        raise Refused(
            msg(
                "%(many)s players share rank %(place)s of %(flight)s, so no player stands on"
                " rank %(crossed)s. Correct the ranks: the next is %(next)s.",
                many=len(tie.players),
                place=tie.rank,
                flight=term(tie.flight),
                crossed=min(crossed),
                next=after,
            )
        )


def _paid(tie: _Tie, amount: int, extra: int, total: int, paid: int) -> list[Prize]:
    """The prizes of one rank; the first players get the last cents that rounding leaves."""
    each, cents = divmod(extra, len(tie.players))
    prizes = []
    for place, player in enumerate(tie.players):
        more = each + (place < cents)
        prizes.append(
            Prize(
                flight=tie.flight,
                rank=tie.rank,
                player=player,
                cents=amount + more,
                why=_why(tie, amount, more, total, paid),
            )
        )
    return prizes


def _why(tie: _Tie, amount: int, more: int, total: int, paid: int) -> str:
    many = len(tie.players)
    share = sum(tie.shares)
    exact = floor(Fraction(total * share, paid * many))
    values = {
        "flight": term(tie.flight),
        "rank": tie.rank,
        "last": tie.rank + many - 1,
        "many": many,
        "share": _percent(share),
        "of": _percent(paid),
        "pool": _money(total),
        "each": _money(exact),
        "amount": _money(amount),
        "more": _money(more),
    }
    if many > 1:
        text = msg(
            "Places %(rank)s to %(last)s of %(flight)s, shared by %(many)s players: their shares"
            " make %(share)s %% of %(pool)s, each gets %(each)s",
            **values,
        )
    else:
        text = msg("Place %(rank)s of %(flight)s: %(share)s %% of %(pool)s is %(each)s", **values)
    if paid != HUNDRED_PERCENT:
        text = msg(
            "%(text)s (%(of)s %% of the shares could be won and take all)", text=text, **values
        )
    if amount != exact:
        text = msg("%(text)s, rounded down to %(amount)s", text=text, **values)
    if more:
        text = msg("%(text)s, and %(more)s that rounding left", text=text, **values)
    return msg("%(text)s.", text=text)


def totals(paid: Sequence[Prize]) -> Counter[str]:
    """What each player gets in all, in cents."""
    cents: Counter[str] = Counter()
    for prize in paid:
        cents[prize.player] += prize.cents
    return cents


def _with_agreement(paid: Sequence[Prize], agreed: Mapping[str, int]) -> list[Prize]:
    """The prizes with a split that players agreed on in place of the rule's.

    Of a player with several prizes the first one changes, so that all come to what was agreed.
    """
    by_rule = totals(paid)
    if unknown := agreed.keys() - by_rule.keys():
        raise Refused(
            msg(
                "%(player)s has no prize, so they cannot be part of the agreed split.",
                player=min(unknown),
            )
        )
    if (before := sum(by_rule[player] for player in agreed)) != sum(agreed.values()):
        raise Refused(
            msg(
                "The agreed split comes to %(agreed)s, and these players get %(rule)s together"
                " by the rule. Agree on amounts with that sum.",
                agreed=_money(sum(agreed.values())),
                rule=_money(before),
            )
        )
    more = {player: cents - by_rule[player] for player, cents in agreed.items()}
    return [
        _agreed(prize, more.pop(prize.player)) if prize.player in more else prize for prize in paid
    ]


def _agreed(prize: Prize, more: int) -> Prize:
    """A prize with what was agreed on top of it, or taken from it."""
    cents = prize.cents + more
    if cents < 0:
        raise Refused(
            msg(
                "%(player)s would get less than their other prizes. Agree on another amount.",
                player=prize.player,
            )
        )
    why = msg(
        "Agreed among the players: %(agreed)s in place of %(rule)s. %(why)s",
        agreed=_money(cents),
        rule=_money(prize.cents),
        why=prize.why,
    )
    return replace(prize, cents=cents, agreed=True, why=why)


def rule_in_words(notice: Notice) -> list[str]:
    """The prize rule of a notice as sentences; nothing if it has none."""
    rule = notice.prizes
    if rule is None:
        return []
    sentences = [
        msg("The prizes of a division are its entry fees, less costs, plus its added money."),
        *_costs_in_words(rule, notice.currency),
    ]
    for flight in rule.paid_flights:
        shares = rule.shares[flight]
        percents = ", ".join(_percent(hundredths(share)) for share in shares)
        sentences.append(
            msg("Of the pool, places 1 to %(last)s of %(flight)s get %(percents)s per cent.",
                last=len(shares), flight=term(flight), percents=percents)
            if len(shares) > 1
            else msg("Of the pool, the first place of %(flight)s gets %(percents)s per cent.",
                     flight=term(flight), percents=percents)
        )  # fmt: skip
    first = rule.remainder == "first"
    sentences += [
        msg("Players who share a rank share the sum of its places equally."),
        msg(
            "Every prize is rounded down to a multiple of %(unit)s %(currency)s.",
            unit=_money(hundredths(rule.round_to)),
            currency=notice.currency,
        ),
        msg("The first place of main gets what rounding leaves.")
        if first
        else msg("The last paid place of main gets what rounding leaves."),
    ]
    return sentences


def _costs_in_words(rule: Prizes, currency: str) -> list[str]:
    costs = (
        (rule.costs_per_entrant, _money, msg("Costs are %(amount)s %(currency)s an entrant.")),
        (rule.costs_percent, _percent,
         msg("Costs are %(percent)s per cent of the entry fees, rounded down to the cent.")),
        (rule.costs, _money, msg("Costs are %(amount)s %(currency)s a division.")),
    )  # fmt: skip
    return [
        msg(text, amount=number, percent=number, currency=currency)
        for cost, written, text in costs
        if hundredths(cost) and (number := written(hundredths(cost)))
    ] or [msg("There are no costs.")]


def example(notice: Notice, entrants: int) -> tuple[Pool, list[Prize]]:
    """The prizes of the first division, if so many players enter and its knockout is played."""
    assert notice.prizes is not None  # noqa: S101  the caller looked
    field = pool(notice.prizes, notice.divisions[0], entrants)
    places = {
        flight: entrants if flight == MAIN else len(shares)
        for flight, shares in notice.prizes.shares.items()
    }
    placings = [
        Placing(flight=flight, player=f"{flight} {rank}", rank=rank, rounds_behind=None,
                designated=False)
        for flight, many in places.items()
        for rank in range(1, min(many, len(notice.prizes.shares[flight])) + 1)
    ]  # fmt: skip
    return field, prizes(notice.prizes, field.total, placings, places)


# ── of an event that was played here ─────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Payout:
    """The prizes of a division, and the pool they come from."""

    notice: Notice
    division: Division
    pool: Pool
    prizes: Sequence[Prize]  #: the main first, the best first


def event_payout(
    running: Running, notice: Notice, agreed: Mapping[str, int] | None = None
) -> Payout:
    """The prizes of an event that is over; every entrant paid the fee of its division.

    Args:
        running: the event.
        notice: of the event, with a rule of prizes.
        agreed: the split; by default, the one that is recorded.

    Raises:
        Refused: it is not clear which division was played, the notice pays a flight that the event
            does not have, the recorded split does not fit, or as `pool` and `prizes` do.
    """
    assert notice.prizes is not None  # noqa: S101  the caller looked
    setup = running.setup
    division = event_division(notice, setup)
    _check_flights(notice, setup)
    payers = sum(who is not None for who in setup.places)
    entrants = flight_entrants(setup, running.matches) | {MAIN: payers}
    shared = pool(notice.prizes, division, payers)
    split = running.agreed if agreed is None else agreed
    paid = prizes(notice.prizes, shared.total, running.placings, entrants, split)
    return Payout(notice=notice, division=division, pool=shared, prizes=paid)


def event_division(notice: Notice, setup: AnySetup) -> Division:
    """The division that an event is: the only one of its notice, or the one of its name.

    Raises:
        Refused: none has its name.
    """
    names = [division.name for division in notice.divisions]
    if len(names) > 1 and setup.name not in names:
        raise Refused(
            msg(
                "The notice has several divisions: %(names)s. The event's name is none of them, so"
                " its entry fee is not known. Compute the prizes from the report of the event.",
                names=", ".join(names),
            )
        )
    return notice.division(setup.name if len(names) > 1 else "")


def report_defaults(
    notice: Notice | None, setup: AnySetup
) -> tuple[dict[str, str], dict[str, str]]:
    """What the report of an event takes from its notice: columns of the tournament, of the event.

    Empty columns are left out. Without a notice, or if none of its divisions is the event, the
    event's are empty.
    """
    if notice is None:
        return {}, {}
    try:
        of_event = event_cells(notice, event_division(notice, setup))
    except Refused:
        of_event = {}
    return (
        {name: value for name, value in tournament_cells(notice).items() if value},
        {name: value for name, value in of_event.items() if value},
    )


def _check_flights(notice: Notice, setup: AnySetup) -> None:
    feeds = setup.feeds if isinstance(setup, Knockout) and not setup.final_again else []
    flights = {MAIN, *(feed.name for feed in feeds)}
    for flight in notice.prizes.paid_flights if notice.prizes else ():
        if flight not in flights:
            raise Refused(
                msg(
                    "The notice pays prizes in %(flight)s, and the event has no such flight."
                    " Correct the shares in the notice, with a reason.",
                    flight=term(flight),
                )
            )


def _cents_by_player(running: Running, amounts: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Amounts as they were typed, in cents by player.

    Raises:
        Refused: an amount is none, a player is unknown, or there twice.
    """
    cents: dict[str, int] = {}
    for name, amount in amounts:
        if not is_money(amount):
            raise Refused(
                msg(
                    "%(amount)s is no amount. Write it like 900 or 900.50.",
                    amount=printable(amount),
                )
            )
        player = running.player(name)
        if player in cents:
            raise Refused(msg("%(name)s is there twice. Give it once.", name=printable(name)))
        cents[player] = hundredths(amount)
    return cents


def split(running: Running, notice: Notice | None, amounts: Iterable[tuple[str, str]]) -> Drafts:
    """The record of a split that players agreed on; none if it is recorded already.

    Args:
        running: the event, which is over.
        notice: in force.
        amounts: each with its player, by id or name; empty: the rule of the notice again.

    Raises:
        FactsRejected: the event is not over, or a player is unknown.
        Refused: the notice has no prizes, an amount is none, a player is there twice, or the
            sum is another.
    """
    check_over(running)
    if notice is None or notice.prizes is None:
        raise Refused(msg("The event has no notice with prizes, so there is nothing to split."))
    cents = _cents_by_player(running, amounts)
    by_rule = totals(event_payout(running, notice, {}).prizes)
    if without := [running.name(player) for player in cents if player not in by_rule]:
        raise Refused(
            msg(
                "%(player)s has no prize, so they cannot be part of the agreed split.",
                player=without[0],
            )
        )
    cents = {player: amount for player, amount in cents.items() if amount != by_rule[player]}
    event_payout(running, notice, cents)
    return () if cents == running.agreed else [("split", PrizeSplit(cents=cents))]
