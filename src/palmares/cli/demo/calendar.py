"""
The made-up players and tournaments of the demonstration: a calendar that repeats each year.

What is drawn for a week depends on the week alone. So a demonstration of the next day is the same
one, a day longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from math import sin, tau
from random import Random
from typing import Any

import polars as pl

from palmares.facts.decoding import slug
from palmares.facts.frames import from_frames
from palmares.facts.schema import TABLES, Facts

# ── the players ──────────────────────────────────────────────────────────────────────────────────

EACH = 24
"""Players of every nation."""
MEMBERS = "USBGF"
"""The federation whose members the players of its nation are."""
ITS_NATION = "USA"
VARIANTS: Mapping[str, str] = {
    "Hanna Birkenfels": "Hannah Birkenfels",
    "Clément Vaucendre": "Clement Vaucendré",
    "Orla Fenwhistle": "Orla Fennwhistle",
}
"""How a director spelled some players once: possible duplicates for an officer."""
WITHHELD = "Kerttu Hallamaisto"
"""Who asked for their name to be withheld."""

NAMES: Mapping[str, tuple[str, str]] = {
    "CZE": (
        "Jitka Ondra Lenka Vojta Zdena Radim Blanka Kryštof Alena Bohumil Věra Štěpán",
        "Bukovárek Jedlinský Kopretka Lískovan Modřínek Olšavec Rákosník Smrčina Vrbatský Žitomír",
    ),
    "DEU": (
        "Hanna Jost Merle Volker Antje Ruben Silke Henning Wiebke Lorenz Gesa Till",
        "Birkenfels Lindwasser Moorhagen Nebelkamp Ostertal Rabenwinkel Sandbrook Tannenlohe",
    ),
    "DNK": (
        "Signe Asger Maren Torkil Ditte Esben Karla Jeppe Inger Malthe Ronja Villads",
        "Bøgesvang Egeborre Fjordhede Havtorne Klitgrav Pilevad Rugmark Sivkær Strandløv Tågebjerg",
    ),
    "ENG": (
        "Orla Edmund Tamsin Rufus Imogen Barnaby Nell Gideon Posy Alaric Hester Jocelyn",
        "Fenwhistle Ashmarrow Brackenlow Cloverstone Dunmarsh Elderpike Furzedale Gorsewick",
    ),
    "FIN": (
        "Kerttu Onni Helmi Urho Aino Tarmo Impi Veikko Saima Otso Lumi Eero",
        "Hallamaisto Järvenlaulu Kaarnavuo Lehtipolku Marjakanto Niittyharju Pihkamäki Ruskavaara",
    ),
    "FRA": (
        "Clément Solène Bastien Maëlle Thibaut Apolline Gaspard Noémie Lazare Capucine Théo Irène",
        "Vaucendre Aubeclair Boisrameau Chantebrume Fontorage Grivelande Hautessaule Landeverte",
    ),
    "GRC": (
        "Danae Aris Ioanna Fotis Myrto Stelios Kalliope Manos Zoe Lefteris Thalia Pavlos",
        "Anemopetris Dafnolimnis Elaiokastros Galazoulis Lithopetalos Orvokis Pevkodasis",
    ),
    "ITA": (
        "Ginevra Ettore Fiamma Ruggero Lavinia Tancredi Ornella Baldo Perla Duccio Mirta Elio",
        "Acquaserena Collinverdi Duefontane Erbalunga Fogliadoro Girasolari Marebianchi Nevechiara",
    ),
    "JPN": (
        "Akari Shun Hinata Kenzo Mio Ren Sayo Takumi Yuna Goro Chika Minato",
        "Hoshinami Kazesora Yukizora Umikaze Hanamizu Natsuhoshi Akikawara Midorinami",
    ),
    "TUR": (
        "Defne Baran Elif Kaan Nehir Onur Sevgi Tolga Yaprak Rüzgar Ceren Deniz",
        "Akçınarlı Bulutdağı Çamsakızı Derinırmak Gölgesöğüt Ilgazlıoba Karanfildere Mavikıyı",
    ),
    "USA": (
        "Marlowe Delphine Wyatt June Amos Odessa Clay Loretta Silas Winona Beau Maxine",
        "Cottonridge Bluestemmer Cedarhollow Driftmoor Flintcreek Juniperson Maplethorn",
    ),
}
"""By nation, given names and family names."""


@dataclass(frozen=True, slots=True)
class DemoPlayer:
    """A made-up player; strength has a mean of 0 and a deviation of 1."""

    name: str
    nation: str
    strength: float
    swing: float  # how far their strength goes up and down
    phase: float  # where in that they are
    keen: float  # how often they travel: a weight

    @property
    def key(self) -> str:
        """The id in reports: the name as a director writes it, with the nation."""
        return f"{self.name} ({self.nation})"

    @property
    def misspelled(self) -> str:
        """The id in the report of a director who misspells the name."""
        return f"{VARIANTS.get(self.name, self.name)} ({self.nation})"


@cache
def players() -> Sequence[DemoPlayer]:
    """Every made-up player, always the same."""
    every_player = []
    for nation, (given, family) in NAMES.items():
        first, last = given.split(), family.split()
        for number in range(EACH):
            draw = Random(f"{nation} {number}")
            name = first[number % len(first)]
            surname = last[(number * 3 + number // len(first)) % len(last)]
            every_player.append(
                DemoPlayer(
                    name=f"{name} {surname}",
                    nation=nation,
                    strength=draw.gauss(),
                    swing=draw.uniform(0, 0.8),
                    phase=draw.uniform(0, tau),
                    keen=draw.uniform(0.2, 1) ** 2,
                )
            )
    return tuple(every_player)


# ── the tournaments ──────────────────────────────────────────────────────────────────────────────

WEEK = 7
YEARS = 3
REPORTED_PLACES = 16
"""Places of a field that a report lists."""
ROUNDS = {8: "Round of 16", 4: "Quarter-finals", 2: "Semi-finals", 1: "Final"}
"""By number of matches."""
MEMBER_SINCE = date(2019, 1, 1)
"""The day on which every player of its nation joined the federation."""
EURO: Mapping[str, str] = {"DKK": "0.134", "GBP": "1.16", "USD": "0.92"}
"""Euro per unit of a currency, as the made-up reports say it."""


@dataclass(frozen=True, slots=True)
class Venue:
    """Where a tournament is held every year."""

    name: str
    city: str
    nation: str
    fee: int
    currency: str = "EUR"


OPENS = (
    Venue("Harbour Lights Open", "Hamburg", "DEU", 200),
    Venue("Olive Grove Cup", "Kalamata", "GRC", 150),
    Venue("Two Rivers Open", "Lyon", "FRA", 180),
    Venue("Amber Week", "Ostrava", "CZE", 120),
    Venue("North Sea Trophy", "Esbjerg", "DNK", 1200, "DKK"),
    Venue("Bosphorus Ferry Open", "Istanbul", "TUR", 250),
    Venue("Lantern Festival Cup", "Nagasaki", "JPN", 220),
    Venue("Moorland Masters", "York", "ENG", 160, "GBP"),
    Venue("Lagoon Open", "Chioggia", "ITA", 200),
    Venue("Midsummer Open", "Tampere", "FIN", 140),
    Venue("Hops and Dice", "Plzeň", "CZE", 100),
    Venue("Pine Island Open", "Thasos", "GRC", 300),
    Venue("Old Mint Cup", "Limoges", "FRA", 120),
)
ABROAD = (
    Venue("Cactus Bloom Open", "Tucson", ITS_NATION, 250, "USD"),
    Venue("Lake Effect Open", "Duluth", ITS_NATION, 200, "USD"),
    Venue("Riverboat Invitational", "Memphis", ITS_NATION, 350, "USD"),
    Venue("Pier Nine Open", "Portland", ITS_NATION, 220, "USD"),
    Venue("Peach Tree Weekend", "Macon", ITS_NATION, 180, "USD"),
    Venue("High Plains Cup", "Laramie", ITS_NATION, 150, "USD"),
)
CONGRESSES = (
    Venue("Black Sea Congress", "Trabzon", "TUR", 0),
    Venue("Entente Weekend", "Reims", "FRA", 0),
    Venue("Fjord Diplomats", "Ribe", "DNK", 0),
    Venue("Stab in the Park", "Leeds", "ENG", 0),
)
CLUBS = (
    Venue("Blue Door Club Cup", "Brno", "CZE", 60),
    Venue("Station Café Evening", "Bremen", "DEU", 50),
)
"""Whose reports wait for an officer."""


Placed = Sequence[tuple[int, DemoPlayer]]
"""Who was placed in a flight, by rank."""


@dataclass(frozen=True, slots=True)
class DemoTournament:
    """A made-up tournament of one event: its id, its last day, and the rows of its report."""

    key: str
    end: date
    rows: Mapping[str, Sequence[dict[str, Any]]]  # by table, without those of players

    @property
    def event(self) -> Mapping[str, Any]:
        """The row of the event."""
        return self.rows["events"][0]

    def swapped(self) -> DemoTournament:
        """The tournament with the second and third place of the main flight exchanged."""
        first, second, third, *rest = self.rows["placings"]
        two = second | {"player_id": third["player_id"]}
        three = third | {"player_id": second["player_id"]}
        return replace(self, rows={**self.rows, "placings": (first, two, three, *rest)})


# ── the calendar ─────────────────────────────────────────────────────────────────────────────────


def season(today: date) -> Sequence[DemoTournament]:
    """The tournaments of the years up to a day, the earliest first; it ends with Sunday."""
    first, last = (today.toordinal() - YEARS * 365) // WEEK + 1, today.toordinal() // WEEK
    return [each for week in range(first, last + 1) for each in of_week(week)]


def of_week(week: int) -> Iterator[DemoTournament]:
    """The tournaments that end on the Sunday of a week, counted from the year 1."""
    turn = week // 4
    if week % 2 == 0:
        yield _open(week, OPENS[week // 2 % len(OPENS)])
    elif turn * 4 + 1 == week:
        yield _open(week, ABROAD[turn % len(ABROAD)])
    else:
        yield _online(week)
    if week % 8 == 3:  # noqa: PLR2004
        yield _diplomacy(week, CONGRESSES[turn // 2 % len(CONGRESSES)])


def waiting(today: date) -> Sequence[DemoTournament]:
    """Club tournaments of the last days, whose reports wait for an officer."""
    week = today.toordinal() // WEEK
    evenings = []
    for number, place in enumerate(CLUBS):
        end = today - timedelta(days=number + 1)
        evenings.append(_open(week, place, f"{end:%B %Y}", end))
    return evenings


# ── how they were played ─────────────────────────────────────────────────────────────────────────


def _open(week: int, place: Venue, when: str = "", evening: date | None = None) -> DemoTournament:
    """A live tournament of one division, with a main flight and a consolation."""
    draw, end = Random(f"{place.name} {week}"), evening or date.fromordinal(week * WEEK)
    entrants = draw.randrange(32, 73)
    field = _field(draw, REPORTED_PLACES, place.nation)
    main, beaten = _knockout(draw, week, field)
    consolation, _ = _knockout(draw, week, beaten)
    event = {"kind": "championship", "entry_fee": place.fee, "division_rank": "1"}
    if place.nation == ITS_NATION:
        event["event_type"] = "ABT Main Event"
    else:
        event["not_counted_in"] = MEMBERS.lower()
    return _reported(
        f"{place.name}, {when}" if when else f"{place.name} {end.year}",
        "backgammon",
        end,
        {"name": "Championship", **event},
        [("main", entrants, 11, main), ("consolation", entrants * 3 // 4, 9, consolation[:4])],
        place=place,
        misspelled=evening is not None or week % 16 == 0,
    )


def _online(week: int) -> DemoTournament:
    """A monthly tournament of the federation's members, each match of it reported."""
    draw, end = Random(f"online {week}"), date.fromordinal(week * WEEK)
    field = _field(draw, REPORTED_PLACES, ITS_NATION, only=True)
    matches: list[dict[str, Any]] = []
    main, _ = _knockout(draw, week, field, matches)
    event = {"event_type": "Circuit Monthly", "division_rank": "1", "not_counted_in": "wbgf"}
    return _reported(
        f"Fireside Circuit {end.year}, week {end.isocalendar().week}",
        "backgammon",
        end,
        {"name": "Circuit", **event},
        [("main", REPORTED_PLACES, 9, main)],
        matches=matches,
    )


def _diplomacy(week: int, place: Venue) -> DemoTournament:
    """A Diplomacy tournament: three rounds on boards of seven."""
    draw, end = Random(f"{place.name} {week}"), date.fromordinal(week * WEEK)
    entrants = 7 * draw.randrange(3, 7)
    field = _field(draw, entrants, place.nation)
    score = {player.key: _strength(player, week) + draw.gauss() for player in field}
    ranked = sorted(field, key=lambda player: -score[player.key])[:REPORTED_PLACES]
    return _reported(
        f"{place.name} {end.year}",
        "diplomacy",
        end,
        {"name": "Tournament", "rounds": 3},
        [("main", entrants, None, tuple(enumerate(ranked, start=1)))],
        place=place,
    )


def _strength(player: DemoPlayer, week: int) -> float:
    """The strength of a player in a week: all have better and worse years."""
    return player.strength + player.swing * sin(week / 52 + player.phase)


def _field(draw: Random, size: int, nation: str, *, only: bool = False) -> list[DemoPlayer]:
    """The entrants: players who live near, and those who travel."""

    def chance(player: DemoPlayer) -> float:
        weight = player.keen * (3 if player.nation == nation else 1)
        return -float(draw.random() ** (1 / weight))

    eligible = [player for player in players() if player.nation == nation or not only]
    return sorted(eligible, key=chance)[:size]


def _knockout(
    draw: Random,
    week: int,
    field: Sequence[DemoPlayer],
    matches: list[dict[str, Any]] | None = None,
) -> tuple[Placed, list[DemoPlayer]]:
    """Draw and play a knockout.

    Args:
        draw: chance.
        week: when it is played.
        field: a power of two.
        matches: where to add the rows of matches; none: nowhere.

    Returns:
        All players with their ranks, and those who lost in the first round.
    """
    left, first = list(field), list[DemoPlayer]()
    placed: list[tuple[int, DemoPlayer]] = []
    draw.shuffle(left)
    while len(left) > 1:
        pairs = list(zip(left[::2], left[1::2], strict=True))
        left, beaten = [], []
        for pair in pairs:
            edge = _strength(pair[0], week) - _strength(pair[1], week)
            won, lost = pair if draw.random() < 1 / (1 + 2.5**-edge) else pair[::-1]
            left.append(won)
            beaten.append(lost)
            if matches is not None:
                day = date.fromordinal(week * WEEK - len(pairs) + 1)
                matches.append({
                    "round": ROUNDS[len(pairs)], "played_on": day, "length": 9,
                    "winner_id": won.key, "loser_id": lost.key,
                })  # fmt: skip
        placed = [(len(left) + 1, player) for player in beaten] + placed
        first = first or beaten
    return ((1, left[0]), *placed), first


# ── as reports ───────────────────────────────────────────────────────────────────────────────────


def _reported(
    name: str,
    discipline: str,
    end: date,
    event: Mapping[str, Any],
    flights: Sequence[tuple[str, int, int | None, Placed]],
    *,
    place: Venue | None = None,
    matches: Sequence[dict[str, Any]] = (),
    misspelled: bool = False,
) -> DemoTournament:
    """A tournament as its director reports it.

    Args:
        name: of the tournament.
        discipline: what was played.
        end: its last day.
        event: the columns of the event beside its ids.
        flights: each with its entrants, the length of a match, and who was placed.
        place: where it was held; none: online.
        matches: rows without ids.
        misspelled: whether the director misspells players who have a variant.
    """
    key, currency = f"{slug(name)}-{end}", place.currency if place else "EUR"
    event_id = f"{key}/{event['name'].lower()}"
    tournament = {
        "tournament_id": key, "name": name, "discipline": discipline,
        "start_date": end - timedelta(days=2 if place else WEEK), "end_date": end,
        "city": place.city if place else None, "country": place.nation if place else None,
        "setting": "live" if place else "online", "currency": currency,
        "eur_per_unit": EURO.get(currency),
    }  # fmt: skip
    rows = {
        "tournaments": [tournament],
        "events": [{"event_id": event_id, "tournament_id": key, **event}],
        "flights": [
            {"event_id": event_id, "flight": flight, "entrants": entrants,
             "format": "knockout" if length else None, "match_length": length}
            for flight, entrants, length, _ in flights
        ],
        "placings": [
            {"event_id": event_id, "flight": flight, "rank": rank,
             "player_id": player.misspelled if misspelled else player.key}
            for flight, _, _, placed in flights for rank, player in placed
        ],
        "matches": [
            {"match_id": f"{event_id}/m{number}", "event_id": event_id, "flight": "main", **match}
            for number, match in enumerate(matches, start=1)
        ],
    }  # fmt: skip
    return DemoTournament(key, end, rows)


def facts(tournaments: Iterable[DemoTournament]) -> Facts:
    """The facts that reports of tournaments state."""
    played = list(tournaments)
    rows = {name: [row for each in played for row in each.rows.get(name, ())] for name in TABLES}
    ids = dict.fromkeys(row["player_id"] for row in rows["placings"])  # all who played a match, too
    rows["players"] = [
        {"player_id": key, "name": key.rpartition(" (")[0], "nation": key[-4:-1]} for key in ids
    ]
    rows["memberships"] = [
        {"player_id": player["player_id"], "federation": MEMBERS, "start": MEMBER_SINCE}
        for player in rows["players"] if player["nation"] == ITS_NATION
    ]  # fmt: skip
    return from_frames({name: pl.DataFrame(table) for name, table in rows.items() if table})
