"""
USBGF Master Points.

Members earn points for every match they win and for the places an event ranks, more in weightier
events and stronger divisions. Points are never lost.

    Recognition, Eligibility         recognition, eligibility
    Master Point Awards              match-win, match-win-master-points, placement-master-points
    Event Weight                     event-weight
    Division Weight                  division-weight, combined-divisions, quick-reference
    Match Win Points                 match-win-points, series
    Rank Points                      ranked-finishers, tied-ranks, distance, rank-points
    Event Size Factor, Rank Factor   event-size-factor, rank-factor
    Effective Dates                  effective-online, effective-live
    Separation and Aggregation       sums, made in `palmares.points.rankings`
    Appendix A                       event-level

Units: match lengths are in points of the game; everything else is in Master Points or a factor.
Numbers the text fixes are in ``rules/usbgf/<edition>.toml``, with the readings U1 to U35.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import accumulate
from math import floor
from operator import le, lt
from typing import Any, NamedTuple

from palmares.core.errors import FactsRejected, rejected
from palmares.core.mathx import log2, sorted_sum, sqrt
from palmares.core.messages import LocalNumber, msg, term
from palmares.core.rounding import reaches
from palmares.regulations.editions import Rulebook, Rules, table_key
from palmares.regulations.model import (
    END_OF_TOURNAMENT,
    FLIGHTS,
    MAIN,
    Advice,
    Dated,
    Event,
    Grant,
    Match,
    Memberships,
    Ranked,
    Tournament,
    Unusable,
    chosen_finishers,
    day_of_completion,
    day_of_effect,
    day_of_match,
    days_of_effect,
    designated_places,
    levels_held,
    number_of_players,
    once,
    played_matches,
    series_wins,
    sharing,
    steps_apart,
)
from palmares.regulations.protocol import Calculator, Regulation
from palmares.regulations.tracing import clause

MATCH, PLACEMENT = "match", "placement"
BRACKETS = ("", "knockout")
"""Formats of standard elimination brackets; empty: nobody says (reading U34)."""
SECOND = 2
SERIES, SIZE = "usbgf series", "usbgf event-size-factor, reading U5"


class Constants(NamedTuple):
    """The numbers of an edition: its file has an entry for each field, and no other."""

    top_division_weight: Any
    second_division_weight: Any
    third_division_weight: Any
    first_division_by_formula: Any
    match_win_divisor: Any
    ranked_share: Any
    first_rank_factor: Any
    second_rank_factor: Any
    first_rank_by_formula: Any
    rank_points_weight: Any


# ── Recognition, Eligibility, Master Point Awards ────────────────────────────────────────────────


@clause("usbgf recognition")
def recognition_level(table: Mapping[str, Any], lifetime_points: Any) -> str | None:
    """The level with the greatest threshold that lifetime points reach (U17); none if none."""
    reached = [(least, name) for name, least in table.items() if reaches(lifetime_points, least)]
    return max(reached)[1] if reached else None


@clause("usbgf eligibility")
def eligible(player: str, day: date, levels: Sequence[str]) -> bool:
    """Whether a player had, on the day of play, any membership that is Basic or higher."""
    return len(levels) > 0


@clause("usbgf match-win")
def match_win(constants: Constants, player: str, match: str, length: Any, wins: int) -> Any:
    """The match win points of a match won, or of a series of which only the winner is known."""
    return match_win_points(constants, series_length(length, wins) if wins > 1 else length)


@clause("usbgf match-win-master-points")
def match_win_master_points(event_weight: Any, division_weight: Any, match_win_points: Any) -> Any:
    """Event weight, division weight and match win points, multiplied."""
    return event_weight * division_weight * match_win_points


@clause("usbgf placement-master-points")
def placement_master_points(event_weight: Any, division_weight: Any, rank_points: Any) -> Any:
    """Event weight, division weight and rank points, multiplied."""
    return event_weight * division_weight * rank_points


# ── Event Weight, Division Weight, Match Win Points ──────────────────────────────────────────────


@clause("usbgf event-weight")
def event_weight(table: Mapping[str, Any], event_level: int) -> Any:
    """The weight of an event level."""
    return table[f"Level {event_level}"]


@clause("usbgf division-weight")
def division_weight(constants: Constants, division_rank: Any) -> Any:
    """The weight of a division by its rank among those defined, the strongest being 1."""
    if division_rank >= constants.first_division_by_formula:
        return 1 / (division_rank - 1)
    if division_rank == 1:
        return constants.top_division_weight
    second = division_rank == SECOND
    return constants.second_division_weight if second else constants.third_division_weight


@clause("usbgf combined-divisions")
def highest_division(division_ranks: Sequence[int]) -> int:
    """The rank of the highest of the divisions played in one bracket; 1 if there are none."""
    return min(division_ranks, default=1)


@clause("usbgf quick-reference")
def division_weight_quick_reference(constants: Constants, division_rank: Any) -> Any:
    """The weight of a division by the quick reference (reading U1, quick-reference)."""
    if division_rank > SECOND:
        return constants.third_division_weight
    return division_weight(constants, division_rank)


@clause("usbgf match-win-points")
def match_win_points(constants: Constants, match_length: Any) -> Any:
    """The points of a match won: they grow with the square root of its length."""
    return sqrt(match_length) / constants.match_win_divisor


@clause("usbgf series")
def series_length(match_length: Any, wins: int) -> Any:
    """The length of the single match that a series of several wins equals (reading U13)."""
    return (match_length + 1) * wins


# ── Rank Points ──────────────────────────────────────────────────────────────────────────────────


@clause("usbgf ranked-finishers")
def ranked_in_bracket(constants: Constants, players: int, smaller: bool) -> int:
    """How many the round nearest to the ranked share leaves; of two, the larger (reading U6)."""
    share, left = constants.ranked_share * players, 1
    nearer = lt if smaller else le
    while nearer(abs(2 * left - share), abs(left - share)):
        left = 2 * left
    return left


@clause("usbgf ranked-finishers")
def ranked_without_bracket(constants: Constants, players: int) -> int:
    """The ranked share of the players, to the nearest, half up, at least 1 (reading U7, U21)."""
    nearest: int = floor((2 * constants.ranked_share * players + 1) / 2)
    return max(1, nearest)


@clause("usbgf tied-ranks")
def cumulated_rank_factors(constants: Constants, ranks: Sequence[Any]) -> tuple[Any, ...]:
    """Running sums of the factors of ranks from the first on: of none, of one, … of all."""
    factors = [rank_factor(constants, rank) for rank in ranks]
    return tuple(accumulate(factors, initial=0 * constants.first_rank_factor))


@clause("usbgf tied-ranks")
def split_rank_factor(cumulated: Sequence[Any], rank: int, tied: int) -> Any:
    """The mean of the factors of the ranks that *tied* players split, the first being *rank*."""
    return (cumulated[rank + tied - 1] - cumulated[rank - 1]) / tied


@clause("usbgf distance")
def distance(rounds_behind: int, flights_down: int) -> int:
    """Distance from first place: rounds behind the flight's winner, and flights down."""
    return rounds_behind + flights_down


@clause("usbgf rank-points")
def rank_points(constants: Constants, event_size_factor: Any, rank_factor: Any) -> Any:
    """The edition's weight, the event size factor and the rank factor, multiplied."""
    return constants.rank_points_weight * event_size_factor * rank_factor


@clause("usbgf event-size-factor")
def event_size_factor(number_of_players: Any) -> Any:
    """The rounds of a bracket of so many players: the logarithm to base two."""
    return log2(number_of_players)


@clause("usbgf rank-factor")
def rank_factor(constants: Constants, rank: Any) -> Any:
    """The share of the winner's points that a rank earns."""
    if rank >= constants.first_rank_by_formula:
        return 1 / (rank - 1)
    return constants.first_rank_factor if rank == 1 else constants.second_rank_factor


# ── Effective Dates for Master Points ────────────────────────────────────────────────────────────


@clause("usbgf effective-online")
def online_effective(day_of_play: date, taken_from: str) -> date:
    """Online, points count from the day of play; which day that is, `day_of_effect` finds (U16)."""
    return day_of_play


@clause("usbgf effective-live")
def live_effective(date_of_record: date, taken_from: str) -> date:
    """Live, all points of an event count from its date of record."""
    return date_of_record


EFFECTIVE: dict[str, Any] = {"online": online_effective, "live": live_effective}


# ── Appendix A ────────────────────────────────────────────────────────────────────────────────────


@clause("usbgf event-level")
def level_of_type(table: Mapping[str, Any], event_type: str) -> int:
    """The level that Appendix A assigns to an event type."""
    return int(table[event_type])


# ── From a tournament to its awards ──────────────────────────────────────────────────────────────


def award(
    rulebook: Rulebook, tournament: Tournament, memberships: Memberships
) -> Iterator[Grant | Advice | Unusable]:
    """The match win and the placement points of every event.

    An event is unusable if a number of players or the wins of a series is missing, or its level is
    not printed.
    """
    for event in tournament.events:
        given: list[Grant] = []
        try:
            for grants in (match_grants, placement_grants):
                for grant in grants(rulebook, tournament, event, memberships):
                    given.append(grant)
                    yield grant
        except FactsRejected as refused:
            days = days_of_effect(tournament, event)
            yield Unusable(event=event, first=days[0], last=days[-1], problems=refused.problems)
            continue
        if given and not any(grant.players for grant in given):
            yield Advice.of(
                event.where,
                msg(
                    "all points of %(event)s are forfeited: nobody who won any was a member",
                    event=event.name,
                ),
                "usbgf eligibility, reading U11",
                msg("Add their memberships: federation (usbgf), level, first and last day."),
                "events whose points are forfeited",
            )


def match_grants(
    rulebook: Rulebook, tournament: Tournament, event: Event, memberships: Memberships
) -> Iterator[Grant]:
    """One grant for each flight and day on which match points take effect."""
    completed = day_of_completion(tournament, event)
    lots: dict[tuple[date, str], list[tuple[Match, Dated, Dated]]] = {}
    for match in played_matches(event):
        played = day_of_match(match, completed)
        effect = day_of_effect(tournament, event, played)
        lots.setdefault((effect.day, match.flight), []).append((match, played, effect))
    for (day, flight), lot in sorted(lots.items()):
        rules = governing(rulebook, tournament, event, day)
        if rules is None:
            continue
        won: dict[str, list[Any]] = {}
        for match, played, _ in lot:
            player = match.winner
            if is_eligible(rules, memberships, player, played.day):
                length, wins = rules.number(match.length), series_wins(event, match, SERIES)
                points = match_win(rules.constants, player, match.match_id, length, wins)
                won.setdefault(player, []).append(points)
        wins_of = [won[player] for player in sorted(won)]
        taken_from = ", ".join(dict.fromkeys(effect.taken_from for *_, effect in lot))
        yield Grant(
            event=event,
            flight=flight,
            kind=MATCH,
            effective=EFFECTIVE[tournament.setting](day, taken_from),
            rules=rules,
            formula=match_win_master_points,
            terms=weights(rules, tournament, event),
            players=sorted(won),
            columns={
                "matches": [len(wins) for wins in wins_of],
                "match_win_points": [sorted_sum(wins) for wins in wins_of],
            },
        )


def placement_grants(
    rulebook: Rulebook, tournament: Tournament, event: Event, memberships: Memberships
) -> Iterator[Grant]:
    """One grant for each flight in which a ranked place was won."""
    played = day_of_completion(tournament, event)
    day = day_of_effect(tournament, event, played)
    rules = governing(rulebook, tournament, event, day.day)
    if rules is None or event.team:
        return
    finishers = sorted(ranked(rules, event), key=lambda finisher: (finisher.rank, finisher.player))
    for flight in dict.fromkeys(finisher.flight for finisher in finishers):
        own = [finisher for finisher in finishers if finisher.flight == flight]
        counted = [
            finisher
            for finisher in own
            if is_eligible(rules, memberships, finisher.player, played.day)
        ]
        columns = {
            "rank": [finisher.rank for finisher in counted],
            "tied": [finisher.tied for finisher in counted],
        }
        far = steps_apart(counted)
        past = max(finisher.rank + finisher.tied for finisher in own)
        ranks = [rules.number(r) for r in range(1, past)]
        players = number_of_players(event, SIZE)
        size = event_size_factor(rules.number(players))
        yield Grant(
            event=event,
            flight=flight,
            kind=PLACEMENT,
            effective=EFFECTIVE[tournament.setting](*day),
            rules=rules,
            formula=placement_master_points,
            terms=weights(rules, tournament, event)
            | {"number_of_players": players, "event_size_factor": size},
            tables={"cumulated": cumulated_rank_factors(rules.constants, ranks)},
            players=[finisher.player for finisher in counted],
            columns=columns | far,
            derived=({"distance": distance} if far else {})
            | {"rank_factor": split_rank_factor, "rank_points": rank_points},
        )


def governing(rulebook: Rulebook, tournament: Tournament, event: Event, day: date) -> Rules | None:
    """The rules by which an event awards points on a day; none if it awards none (U16, U19)."""
    rules = rulebook.on(day)
    has_level = rules and level(rules, tournament, event, level_of_type.__wrapped__)
    return rules if has_level else None


def level(rules: Rules, tournament: Tournament, event: Event, by_type: Any) -> int:
    """The level of an event: of its type in Appendix A, else an officer's, else 0 (reading U19)."""
    levels_of_types = rules.tables["event_levels"][tournament.setting]
    if (name := table_key(levels_of_types, event.event_type)) is not None:
        return int(by_type(levels_of_types, name))
    if f"Level {event.event_level or 0}" in rules.tables["event_weights"]:
        return event.event_level or 0
    raise rejected(
        event.where,
        msg(
            "%(event)s has the event_level %(level)s",
            event=event.name,
            level=str(event.event_level),
        ),
        "usbgf event-weight",
        msg("There are %(levels)s.", levels=", ".join(sorted(rules.tables["event_weights"]))),
    )


def weights(rules: Rules, tournament: Tournament, event: Event) -> dict[str, Any]:
    """What all points of an event have in common."""
    event_level = level(rules, tournament, event, level_of_type)
    division = highest_division(event.division_ranks)
    quick = rules.reads("U1", "quick-reference")
    weigh = division_weight_quick_reference if quick else division_weight
    return {
        "event_level": event_level,
        "event_weight": event_weight(rules.tables["event_weights"], event_level),
        "division_rank": division,
        "division_weight": weigh(rules.constants, rules.number(division)),
    }


def is_eligible(rules: Rules, memberships: Memberships, player: str, day: date) -> bool:
    """Whether a player's memberships on a day let them have the points they won (reading U25)."""
    levels = levels_held(memberships, player, "usbgf", day)
    basic = rules.tables["membership_levels"]
    return eligible(player, day, [name for name in levels if basic.get(name.casefold(), True)])


def ranked(rules: Rules, event: Event) -> Sequence[Ranked]:
    """The ranked finishers: the designated ones, or else the top of the Main (reading U22)."""
    ladder = designated_places(event)
    names = [name for name, chosen_places in ladder.items() if chosen_places]
    flight = event.placed_flight(names[0] if names else MAIN)
    if flight is None:
        return ()
    if not names:
        constants, players = rules.constants, number_of_players(event, SIZE)
        if flight.format in BRACKETS:
            cut = ranked_in_bracket(constants, players, rules.reads("U6", "smaller"))
        else:
            cut = ranked_without_bracket(constants, players)
        return chosen_finishers(flight, [rank <= cut for rank in flight.ranks])
    if len(names) == 1:
        return chosen_finishers(flight, flight.designated)
    finishers = sharing(ladder, distance.__wrapped__, exclusive=rules.reads("U9", "exclusive"))
    return finishers if rules.reads("U10", "sum") else once(finishers)


# ── What officers should look at ──────────────────────────────────────────────────────────────────
# Events award Master Points if the Event Weight Table of the day lists their type.


def advice(rulebook: Rulebook, tournament: Tournament) -> Iterator[Advice]:
    """Everything that keeps an event with matches or placings from awarding points."""
    for event in tournament.events:
        completed = day_of_completion(tournament, event)
        played = [day_of_match(match, completed) for match in played_matches(event)]
        if any(flight.players for flight in event.flights):
            played.append(completed)
        effects = {day_of_effect(tournament, event, day) for day in played}
        days = {effect.day for effect in effects}
        editions = {rules.edition.id: rules for rules in map(rulebook.on, days) if rules}
        if any(rulebook.on(day) is None for day in days):
            yield before_the_first_edition(rulebook, event)
        for _, rules in sorted(editions.items()):
            yield from not_eligible(rules, tournament, event)
            yield from no_day_known(rules, tournament, event, effects)
            yield from perhaps_of_teams(rules, event)
            if level_of(rules, tournament, event):
                yield from perhaps_of_a_lower_division(rules, event)
                yield from perhaps_without_bracket(rules, event)
        if editions and not event.team:
            yield from unknown_flights(event)


def not_eligible(rules: Rules, tournament: Tournament, event: Event) -> Iterator[Advice]:
    """Why an edition gives an event no points, or not those of its officer's level."""
    levels = rules.tables["event_levels"][tournament.setting]
    name, stated = table_key(levels, event.event_type), event.event_level
    level = level_of(rules, tournament, event)
    if name is not None and stated not in (None, level):
        yield Advice.of(
            event.where,
            msg(
                "%(event)s: event_level %(stated)s is left aside, %(type)s has level %(level)s",
                event=event.name,
                stated=str(stated),
                type=name,
                level=str(level),
            ),
            "usbgf event-level, reading U19",
            msg(
                "Appendix A of %(edition)s governs. Leave event_level empty.",
                edition=rules.edition.id,
            ),
            "events whose event_level is left aside",
        )
    if level is None:
        yield of_no_type(rules, tournament, event, ", ".join(levels))
    if level == 0:
        yield Advice.of(
            event.where,
            msg("%(event)s earns no Master Points: it is of level 0", event=event.name),
            "usbgf event-weight",
            msg("Correct event_type or event_level if it is of another level."),
            "events of level 0",
        )


def of_no_type(rules: Rules, tournament: Tournament, event: Event, types: str) -> Advice:
    """An event whose type Appendix A does not have, and to which no officer gave a level."""
    why = (
        msg(
            "%(event)s earns no Master Points: its type %(type)s is not in Appendix A of"
            " %(edition)s for %(setting)s events",
            event=event.name,
            type=event.event_type,
            edition=rules.edition.id,
            setting=(tournament.setting,),
        )
        if event.event_type
        else msg("%(event)s earns no Master Points: it has no event_type", event=event.name)
    )
    return Advice.of(
        event.where,
        why,
        "usbgf eligible-events, reading U19",
        msg(
            "If it is one of these, fill in event_type: %(types)s. For a type that the"
            " federation has added since, fill in event_level.",
            types=types,
        ),
        "events of no type in Appendix A, which earn no Master Points",
    )


def before_the_first_edition(rulebook: Rulebook, event: Event) -> Advice:
    """Nothing can be awarded for a day on which no edition was in force."""
    first = rulebook.all[0].edition
    return Advice.of(
        event.where,
        msg(
            "%(event)s earns no Master Points for days before %(day)s",
            event=event.name,
            day=LocalNumber(f"{first.in_force}"),
        ),
        "usbgf effective-live, reading U16",
        msg(
            "The first edition, %(edition)s, is in force from then on. Correct a wrong date.",
            edition=first.id,
        ),
        f"events before {first.in_force}, which earn no Master Points",
    )


def level_of(rules: Rules, tournament: Tournament, event: Event) -> int | None:
    """The level of an event: of its type in Appendix A, or else an officer's, if there is one."""
    levels = rules.tables["event_levels"][tournament.setting]
    name = table_key(levels, event.event_type)
    return event.event_level if name is None else int(levels[name])


def no_day_known(
    rules: Rules, tournament: Tournament, event: Event, effects: set[Dated]
) -> Iterator[Advice]:
    """Online, the last day of the tournament is taken if the day of the last match is missing."""
    guessed = Dated(tournament.end_date, END_OF_TOURNAMENT) in effects
    if tournament.setting == "online" and guessed and level_of(rules, tournament, event):
        yield Advice.of(
            event.where,
            msg(
                "the day of the last match of %(event)s is not known; its points count from"
                " %(day)s, the last day of its tournament",
                event=event.name,
                day=LocalNumber(f"{tournament.end_date}"),
            ),
            "usbgf effective-online, reading U16",
            msg("Fill in completed_on of the event, or played_on of its matches."),
            "online events without the day of their last match",
        )


def perhaps_of_teams(rules: Rules, event: Event) -> Iterator[Advice]:
    """The report does not say whether teams of an event type of teams advance as units."""
    of_teams = rules.tables["team_event_types"]
    name = table_key(of_teams, event.event_type)
    if name is not None and of_teams[name] and event.team is None:
        yield Advice.of(
            event.where,
            msg(
                "%(event)s is of the type %(type)s, and nobody says whether teams advanced as"
                " units",
                event=event.name,
                type=name,
            ),
            "usbgf team-ranks, reading U31",
            msg(
                "Fill in team: yes if they did, so that there are no rank points; no if each player"
                " advanced alone."
            ),
            "events of teams that may have advanced as units",
        )


def perhaps_of_a_lower_division(rules: Rules, event: Event) -> Iterator[Advice]:
    """No division is reported of an event whose name is typical of a lower one."""
    words = event.name.casefold().split()
    for name, rank in rules.tables["typical_division_names"].items():
        if not event.division_ranks and any(word.startswith(name.casefold()) for word in words):
            yield Advice.of(
                event.where,
                msg(
                    "%(event)s has no division_rank and weighs as much as the top division;"
                    " %(name)s is typical of division %(rank)s",
                    event=event.name,
                    name=name,
                    rank=LocalNumber(f"{float(rank):g}"),
                ),
                "usbgf division-weight, reading U33",
                msg(
                    "Fill in division_rank: 1 if it was the top division, or the only one; 2 for"
                    " the second."
                ),
                "events that may be of a lower division",
            )


def perhaps_without_bracket(rules: Rules, event: Event) -> Iterator[Advice]:
    """How an event was played decides how many it ranks, and nobody says it."""
    main = event.placed_flight(MAIN)
    if event.team or main is None or main.format or any(designated_places(event).values()):
        return
    players = event.entrants or main.entrants
    smaller = rules.reads("U6", "smaller")
    bracket = ranked_in_bracket.__wrapped__(rules.constants, players, smaller)
    others = ranked_without_bracket.__wrapped__(rules.constants, players)
    if players and bracket != others:
        yield Advice.of(
            event.where,
            msg(
                "nobody says how %(event)s was played; of its %(players)s players %(bracket)s are"
                " ranked as in a knockout, in another format %(others)s would be",
                event=event.name,
                players=players,
                bracket=bracket,
                others=others,
            ),
            "usbgf ranked-finishers, reading U34",
            msg("Fill in the flight's format, or mark the designated places."),
            "events of which nobody says how they were played",
        )


def unknown_flights(event: Event) -> Iterator[Advice]:
    """Designated places in a flight that has no distance from first place."""
    for flight in event.flights:
        if flight.name not in FLIGHTS and any(flight.designated):
            yield Advice.of(
                event.where,
                msg(
                    "the flight %(flight)s of %(event)s earns no rank points",
                    flight=term(flight.name),
                    event=event.name,
                ),
                "usbgf distance, reading U27",
                msg(
                    "Only these flights have a distance from first place: %(flights)s.",
                    flights=", ".join(FLIGHTS),
                ),
                "flights that earn no rank points",
            )


# ── The regulation ─────────────────────────────────────────────────────────────────────────────

REGULATION = Regulation(
    name="usbgf",
    title="USBGF Master Points",
    discipline="backgammon",
    constants=Constants,
    award=award,
    kinds=(MATCH, PLACEMENT),
    asks=("event_type",),
    words={"event_type": "event_levels"},
    settings=("live", "online"),
    members_of="usbgf",
    advice=advice,
    level=recognition_level,
    calculator=Calculator(
        name="master-points",
        figures=("event-weight", "division-weight", "event-size-factor", "tied-ranks"),
        fields={
            "usbgf event-weight": "event_level",
            "usbgf event-size-factor, reading U5": "entrants",
        },
    ),
)
