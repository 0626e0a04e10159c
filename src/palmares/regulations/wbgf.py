"""
WBGF Backgammon World Ranking.

Every placing earns performance points (PP): the tournament's grade, times the flight's format
factor, times a scale for the Main's size, shared out by rank. They fade over three years.

    PP for Main, Consolation, Last Chance   euro, grade, grade-cap, bonus-grade, format-factor,
                                            size-scaling, rank-reward, total-reward, tied-reward,
                                            points
    PP for Super Jackpot events             super-jackpot
    PP for Intermediate events              intermediate
    WR Points                               age, days-left, wr
    World Ranking, National Ranking         sums of WR, made in `palmares.points.rankings`

Units: money is in the tournament's currency until `euros`, then in euro; points are WR points.
Numbers the text fixes are in ``rules/wbgf/<edition>.toml``, with the readings W1 to W20.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from fractions import Fraction
from itertools import accumulate
from typing import Any, NamedTuple

from palmares.core.errors import FactsRejected, Location, rejected
from palmares.core.messages import LocalNumber, hint, msg, plural, term
from palmares.regulations.editions import Rulebook, Rules
from palmares.regulations.model import (
    CONSOLATION,
    FLIGHTS,
    LAST_CHANCE,
    MAIN,
    Advice,
    Event,
    Flight,
    Grant,
    Memberships,
    Tournament,
    Unusable,
    leap_days,
)
from palmares.regulations.protocol import Calculator, Decay, Regulation, Sum
from palmares.regulations.tracing import clause

PERFORMANCE = "performance"


class Constants(NamedTuple):
    """The numbers of an edition: its file has an entry for each field, and no other."""

    euros_per_grade: Any
    greatest_grade: Any
    k: Any
    last_reward: Any
    t: Any
    linear_to: Any
    super_jackpot_factor: Any
    intermediate_factor: Any
    days: Any


# ── Performance Points for Main, Main Consolation, and Main Last Chance ──────────────────────────


@clause("wbgf euro")
def euros(amount: Any, eur_per_unit: Any, source: str) -> Any:
    """An amount of money in euro, at the rate of the tournament's last day."""
    return amount * eur_per_unit


@clause("wbgf grade")
def grade(constants: Constants, entry_fee: Any, added_money: Any, entrants: Any) -> Any:
    """The grade G: entry fee plus added money per entrant, in hundreds of euro, capped."""
    uncapped = (entry_fee + added_money / entrants) / constants.euros_per_grade
    return capped_grade(constants, uncapped)


@clause("wbgf grade-cap")
def capped_grade(constants: Constants, uncapped: Any) -> Any:
    """No grade is above the greatest one."""
    return min(uncapped, constants.greatest_grade)


@clause("wbgf bonus-grade")
def with_bonus(capped: Any, bonus_grade: Any) -> Any:
    """A historic bonus grade comes on top of the cap."""
    return capped + bonus_grade


@clause("wbgf format-factor")
def format_factor(table: Mapping[str, Mapping[str, Any]], shape: str, flight: str) -> Any:
    """The format factor F of a flight, by the flights the primary tournament has."""
    return table[shape][flight]


@clause("wbgf size-scaling")
def size_scaling(constants: Constants, entrants: int) -> Any:
    """s(n): the number of Main entrants, growing only like a harmonic number beyond the bend."""
    if entrants <= constants.linear_to:
        return entrants
    scaled = constants.linear_to
    for n in range(int(constants.linear_to) + 1, entrants + 1):
        scaled = scaled + constants.linear_to / n
    return scaled


@clause("wbgf rank-reward")
def rank_rewards(constants: Constants, entrants: int) -> tuple[Any, ...]:
    """R(1) to R(N): the last of N earns 1, and each rank r (1 + k/r) times the rank behind it."""
    reward = constants.last_reward
    rewards = [reward]
    for rank in range(entrants - 1, 0, -1):
        reward = (1 + constants.k / rank) * reward
        rewards.append(reward)
    return tuple(reversed(rewards))


def cumulative(rewards: Sequence[Any]) -> tuple[Any, ...]:
    """Running sums, from none of the ranks to all of them, so that a tie is one subtraction."""
    return tuple(accumulate(rewards, initial=0 * rewards[0]))


@clause("wbgf total-reward")
def total_reward(rewards: Sequence[Any]) -> Any:
    """The sum of R(r) over all ranks, by which the points are normalised."""
    return cumulative(rewards)[-1]


@clause("wbgf tied-reward")
def tied_reward(cumulated: Sequence[Any], rank: int, tied: int) -> Any:
    """The mean of R over the ranks that *tied* players at a rank cover.

    The text takes the mean of the provisional points; they are R times a number that is the same
    for the whole flight, so the mean of R comes to the same.
    """
    return (cumulated[rank + tied - 1] - cumulated[rank - 1]) / tied


@clause("wbgf points")
def performance_points(
    constants: Constants,
    grade: Any,
    format_factor: Any,
    size_scaling: Any,
    reward: Any,
    total_reward: Any,
) -> Any:
    """The performance points PP of one player: G F t s(N_main) R / sum of R."""
    return grade * format_factor * constants.t * size_scaling * reward / total_reward


# ── Performance Points for Super Jackpot and Intermediate Events ─────────────────────────────────


@clause("wbgf super-jackpot")
def super_jackpot_factor(constants: Constants) -> Any:
    """F of a Super Jackpot, whose grade comes from its own fee, field and added money."""
    return constants.super_jackpot_factor


@clause("wbgf intermediate")
def intermediate_grade(constants: Constants, main_entry_fee: Any) -> Any:
    """The grade of an Intermediate: the Championship Main's fee, added money disregarded."""
    return capped_grade(constants, main_entry_fee / constants.euros_per_grade)


@clause("wbgf intermediate")
def intermediate_factor(constants: Constants) -> Any:
    """F of an Intermediate's Main."""
    return constants.intermediate_factor


# ── WR Points ────────────────────────────────────────────────────────────────────────────────────


@clause("wbgf age")
def age(end_date: date, as_of: date) -> int:
    """Days from the last day of the tournament to the day of the ranking."""
    return (as_of - end_date).days


@clause("wbgf age")
def age_without_29_february(end_date: date, as_of: date) -> int:
    """The same, 29 February not counted (reading W3, skip-29-feb)."""
    return (as_of - end_date).days - leap_days(end_date, as_of)


@clause("wbgf days-left")
def days_left(constants: Constants, age: int) -> Any:
    """Days until a result of that age counts no more: none is left after three years."""
    return max(0, constants.days - age)


@clause("wbgf wr")
def wr(constants: Constants, points: Any, days_left: Any) -> Any:
    """WR = PP max(0, 1 - age/1095), written with the days that are left."""
    return points * days_left / constants.days


def fade(rules: Rules, effective: date, as_of: date) -> tuple[int, int]:
    """Of how many days a result has how many left on a day (clauses age and days-left)."""
    count = age_without_29_february if rules.reads("W3", "skip-29-feb") else age
    left = days_left(rules.constants, count(effective, as_of))
    return int(left), int(rules.constants.days)


def worth(rules: Rules, points: Any, left: int) -> Any:
    """What points are worth with so many days left (clause wr)."""
    return wr(rules.constants, points, left)


def nation_at_event(rules: Rules) -> bool:
    """Whether a nation counts the points won under it, and not those of its players (W17)."""
    return rules.reads("W17", "at-event")


# ── From a tournament to its awards ──────────────────────────────────────────────────────────────


def award(
    rulebook: Rulebook, tournament: Tournament, memberships: Memberships
) -> Iterator[Grant | Advice | Unusable]:
    """The performance points of every flight of a tournament, and what officers should look at.

    An event is unusable if a fee, a field or an exchange rate is missing that the formula needs.
    """
    rules = rulebook.on(tournament.end_date)
    if rules is None:
        return
    for event in tournament.events:
        if event.kind not in AWARDED:
            continue
        try:
            yield from AWARDED[event.kind](rules, tournament, event)
        except FactsRejected as refused:
            day = tournament.end_date
            yield Unusable(event=event, first=day, last=day, problems=refused.problems)


def championship(rules: Rules, tournament: Tournament, event: Event) -> Iterator[Grant | Advice]:
    """Main, Consolation and Last Chance of a Championship."""
    main = field_of(event)
    for flight in event.flights:
        if flight.name not in FLIGHTS:
            yield not_in_the_table(event, flight)
        elif flight.entrants:
            factor = format_factor(rules.tables["format_factors"], shape(event), flight.name)
            grade = own_grade(rules, tournament, event)
            yield granted(rules, tournament, event, flight, grade, factor, main.entrants)


def super_jackpot(rules: Rules, tournament: Tournament, event: Event) -> Iterator[Grant | Advice]:
    """The one flight of a Super Jackpot, with its own fee and field."""
    grade = own_grade(rules, tournament, event)
    yield from main_alone(rules, tournament, event, grade, super_jackpot_factor(rules.constants))


def intermediate(rules: Rules, tournament: Tournament, event: Event) -> Iterator[Grant | Advice]:
    """The Main flight of an Intermediate."""
    field_of(event)
    fee = in_euro(tournament, intermediate_fee(rules, tournament, event))
    grade = intermediate_grade(rules.constants, rules.in_numbers(fee))
    if event.bonus_grade:
        grade = with_bonus(grade, rules.in_numbers(event.bonus_grade))
    yield from main_alone(rules, tournament, event, grade, intermediate_factor(rules.constants))


def main_alone(
    rules: Rules, tournament: Tournament, event: Event, grade: Any, factor: Any
) -> Iterator[Grant | Advice]:
    """The Main of an event of which nothing else counts, as N and as N_main."""
    main = field_of(event)
    yield from (not_in_the_table(event, flight) for flight in event.flights if flight.name != MAIN)
    yield granted(rules, tournament, event, main, grade, factor, main.entrants)


# The functions are named as the kinds of events are in the facts.
AWARDED = {kind.__name__: kind for kind in (championship, super_jackpot, intermediate)}


def granted(
    rules: Rules,
    tournament: Tournament,
    event: Event,
    flight: Flight,
    grade: Any,
    factor: Any,
    main_entrants: int,
) -> Grant:
    """The awards of one flight: what all its players have in common, and each one's rank."""
    cumulated, total = rules.once(shares, flight.entrants)
    return Grant(
        event=event,
        flight=flight.name,
        kind=PERFORMANCE,
        effective=tournament.end_date,
        rules=rules,
        formula=performance_points,
        terms={
            "grade": grade,
            "format_factor": factor,
            "size_scaling": rules.in_numbers(rules.once(size_scaling, main_entrants)),
            "entrants": flight.entrants,
            "total_reward": total,
        },
        tables={"cumulated": cumulated},
        players=flight.players,
        columns={"rank": flight.ranks, "tied": flight.tied},
        derived={"reward": tied_reward},
    )


def shares(constants: Constants, entrants: int) -> tuple[Sequence[Any], Any]:
    """What a flight of so many shares out: the rewards summed from the first rank on, and all."""
    rewards = rank_rewards(constants, entrants)
    return cumulative(rewards), total_reward(rewards)


def own_grade(rules: Rules, tournament: Tournament, event: Event) -> Any:
    """The grade from an event's own fee, field and added money, with its bonus if it has one."""
    fee = in_euro(tournament, fee_of(event))
    added = in_euro(tournament, event.added_money or Fraction(0))
    entrants = field_of(event).entrants
    result = grade(rules.constants, rules.in_numbers(fee), rules.in_numbers(added), entrants)
    return with_bonus(result, rules.in_numbers(event.bonus_grade)) if event.bonus_grade else result


def in_euro(tournament: Tournament, amount: Fraction) -> Fraction:
    """An amount in euro; nothing is nothing in every currency, at whatever rate."""
    return euros(amount, *rate_of(tournament)) if amount else Fraction(0)


def shape(event: Event) -> str:
    """The row of the format table: which flights the primary tournament has (reading W13)."""
    consolation, last_chance = event.flight(CONSOLATION), event.flight(LAST_CHANCE)
    if consolation and last_chance:
        return "Main, Consolation, and Last Chance"
    if consolation:
        return "Main and Consolation only"
    if last_chance:
        return "Main and Last Chance only"
    return "only Main"


def intermediate_fee(rules: Rules, tournament: Tournament, event: Event) -> Fraction:
    """The fee that makes an Intermediate's grade (reading W6), in the tournament's currency.

    A Championship that the officers left out of the list still has a fee.
    """
    if rules.reads("W6", "own-fee"):
        return fee_of(event)
    mains = [main for main in tournament.events if main.kind == "championship"]
    left_out = [
        fee for kind, fee in tournament.left_out if kind == "championship" and fee is not None
    ]
    if len({main.entry_fee for main in mains} or {*left_out}) != 1:
        raise rejected(
            event.where,
            msg(
                "the Intermediate %(event)s needs the entry fee of the Championship Main, and"
                " %(tournament)s has %(many)s championship events",
                event=event.name,
                tournament=tournament.name,
                many=len(mains or left_out),
            ),
            "wbgf intermediate",
            msg(
                "Add the one championship event with its entry_fee, or choose the reading"
                " W6=own-fee."
            ),
        )
    return fee_of(mains[0]) if mains else left_out[0]


def field_of(event: Event) -> Flight:
    """The Main flight, whose entrants are N_main; refused where their number is not stated."""
    main = event.flight(MAIN)
    if main is None:
        raise rejected(
            event.where,
            msg("%(event)s has no number of Main entrants above 0", event=event.name),
            "wbgf size-scaling",
            msg("Give the flight 'main' (or the event) its entrants: all players, listed or not."),
        )
    return main


def fee_of(event: Event) -> Fraction:
    """The entry fee in the tournament's currency; refused where it is not given."""
    if event.entry_fee is None:
        remedy = msg(
            "Fill in entry_fee: the entry fee alone, without registration; 0 if it was free."
        )
        raise rejected(
            event.where, msg("%(event)s has no entry fee", event=event.name), "wbgf grade", remedy
        )
    return event.entry_fee


def rate_of(tournament: Tournament) -> tuple[Fraction, str]:
    """Euro per unit of the tournament's currency, and whose figure it is."""
    if tournament.rate is None:
        until = tournament.bank_until
        past = until is not None and tournament.end_date > until
        day = LocalNumber(f"{tournament.end_date}")
        asked = {"currency": tournament.currency, "day": day}
        raise rejected(
            tournament.where,
            msg(
                "no exchange rate from %(currency)s to EUR on %(day)s: the bank's rates end on"
                " %(until)s",
                until=LocalNumber(f"{until}"),
                **asked,
            )
            if past
            else msg(
                "no exchange rate from %(currency)s to EUR on %(day)s or the 7 days before", **asked
            ),
            "wbgf euro, reading W10",
            hint(
                "fill-in-the-rate",
                "Fill in the tournament's eur_per_unit, or add the rate of that day.",
            ),
        )
    return tournament.rate.eur_per_unit, tournament.rate.source


def not_in_the_table(event: Event, flight: Flight) -> Advice:
    """A flight of a shape the text does not know earns nothing (reading W12)."""
    return Advice.of(
        event.where,
        msg(
            "the flight %(flight)s of %(event)s earns nothing",
            flight=term(flight.name),
            event=event.name,
        ),
        "wbgf format-factor, reading W12",
        msg(
            "Only Main, Consolation and Last Chance of a Championship, and the Main of an"
            " Intermediate or Super Jackpot, award points."
        ),
        "flights that earn nothing",
    )


# ── What officers should look at ──────────────────────────────────────────────────────────────────
# Which tournaments qualify is no part of the formula, and the committee makes exceptions, so these
# conditions are warnings (reading W19). Their figures are in the table ``qualifying``.


KINDS = ("championship", "intermediate", "super_jackpot")


def advice(rulebook: Rulebook, tournament: Tournament) -> Iterator[Advice]:
    """Every condition of the federation that a tournament does not meet."""
    rules = rulebook.on(tournament.end_date)
    if rules is None:
        return
    limits = rules.tables["qualifying"]
    if tournament.setting != "live":
        yield condition(
            tournament.where,
            msg(
                "%(tournament)s was played online; to qualify: live events only",
                tournament=tournament.name,
            ),
            "tournaments that were played online",
        )
    of_kinds: dict[str, list[Event]] = {}
    for event in tournament.events:
        of_kinds.setdefault(event.kind, []).append(event)
        if not event.kind and event.flights:
            yield no_kind(event)
    for kind in KINDS:
        events = of_kinds.get(kind, ())
        if len(events) > 1 and kind != "super_jackpot":
            yield condition(
                events[1].where,
                msg(
                    "%(tournament)s has %(many)s %(kind)s events; to qualify: just one of each"
                    " division per tournament",
                    tournament=tournament.name,
                    many=len(events),
                    kind=kind,
                ),
                "tournaments with several events of a division",
            )
        for event in events:
            yield from event_not_qualifying(limits, tournament, event)


def no_kind(event: Event) -> Advice:
    """An event of which the report does not say whether it is one that awards points."""
    return Advice.of(
        event.where,
        msg(
            "%(event)s earns nothing: the report does not say what kind of event it is",
            event=event.name,
        ),
        "wbgf qualifying",
        msg("Fill in kind: %(kinds)s; or other, if it is none of these.", kinds=", ".join(KINDS)),
        "events without a kind, which earn nothing",
    )


def event_not_qualifying(
    limits: Mapping[str, Any], tournament: Tournament, event: Event
) -> Iterator[Advice]:
    """The conditions on one event: its fee, its field and the length of its matches."""
    jackpot = event.kind == "super_jackpot"
    yield from entry_fee_too_low(limits, tournament, event, jackpot=jackpot)
    main = event.flight(MAIN)
    if main is None:
        return
    if not jackpot and not event.national_championship and main.entrants < limits["entrants"]:
        yield condition(
            event.where,
            plural(
                "%(event)s: %(many)s player; to qualify: at least %(least)s, unless a national"
                " championship",
                "%(event)s: %(many)s players; to qualify: at least %(least)s, unless a national"
                " championship",
                main.entrants,
                event=event.name,
                least=LocalNumber(f"{float(limits['entrants']):g}"),
            ),
            f"events under {float(limits['entrants']):g} players",
        )
    yield from matches_too_short(limits, event, main, jackpot=jackpot)


def entry_fee_too_low(
    limits: Mapping[str, Any], tournament: Tournament, event: Event, *, jackpot: bool
) -> Iterator[Advice]:
    """The condition on the entry fee, in euro."""
    least = limits["super_jackpot_fee" if jackpot else "entry_fee_eur"]
    if event.entry_fee is not None and (tournament.rate or not event.entry_fee):
        fee = event.entry_fee * (tournament.rate.eur_per_unit if tournament.rate else 0)
        if fee < least:
            yield condition(
                event.where,
                msg(
                    "%(event)s: entry fee EUR %(fee)s; to qualify: at least %(least)s",
                    event=event.name,
                    fee=LocalNumber(f"{float(fee):.2f}"),
                    least=LocalNumber(f"{float(least):g}"),
                ),
                f"events with an entry fee under EUR {float(least):g}",
            )


def matches_too_short(
    limits: Mapping[str, Any], event: Event, main: Flight, *, jackpot: bool
) -> Iterator[Advice]:
    """The condition on the length of matches."""
    if jackpot:
        length = limits["super_jackpot_match_length"]
    elif main.format in ("", "knockout", "double_knockout"):
        length = limits["cup_match_length"]
    else:
        length = limits["round_robin_match_length"]
    if main.match_length is not None and main.match_length < length:
        yield condition(
            event.where,
            msg(
                "%(event)s: %(length)s-point matches; to qualify: at least %(least)s",
                event=event.name,
                length=main.match_length,
                least=LocalNumber(f"{float(length):g}"),
            ),
            f"events with matches under {float(length):g} points",
        )


def condition(where: Location, what: str, several: str) -> Advice:
    """One condition that is not met, and what several events that do not meet it are."""
    return Advice.of(
        where,
        what,
        "wbgf qualifying, reading W19",
        msg("The points are shown all the same. To leave it out, write wbgf into not_counted_in."),
        several,
    )


# ── The regulation ─────────────────────────────────────────────────────────────────────────────

REGULATION = Regulation(
    name="wbgf",
    title="WBGF Backgammon World Ranking",
    discipline="backgammon",
    constants=Constants,
    award=award,
    aggregate=Sum(
        decay=Decay(left=fade, worth=worth),
        nation_at_event=nation_at_event,
        nation_clause="wbgf national-ranking",
    ),
    kinds=(PERFORMANCE,),
    asks=("kind", "entry_fee"),
    event_kinds=tuple(sorted(AWARDED)),
    advice=advice,
    calculator=Calculator(
        name="performance",
        figures=("grade", "format-factor", "size-scaling", "tied-reward"),
        fields={"wbgf euro, reading W10": "currency", "wbgf size-scaling": "entrants"},
    ),
    money=True,
    together=True,
)
