"""
A made-up season of many clubs, each with its own way of writing names, and an officer who knows.

    season      a number  ->  reports, each with who really played; the same number gives the same
    decide      a journal and its season  ->  every possible duplicate decided, as by an officer
    mistakes    a journal and its season  ->  people who are two players, players who are two people

Clubs leave out nations and accents, write capitals, initials, the last name first or Cyrillic, and
mistype a letter now and then. No two people of the season are ever written alike, for whoever is
written like somebody else cannot be told from them, by nobody.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random
from unicodedata import combining, normalize

from palmares.core.errors import Location
from palmares.journal.commands.players import DIFFERENT, SAME, DecidedPair, review
from palmares.journal.commands.transaction import record_entries
from palmares.journal.identity.duplicates import suggestions
from palmares.journal.identity.register import Register
from palmares.journal.projection.project import Projection
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal
from tests.amounts import amount
from tests.journal.statements import OFFICER

ONE_BY_ONE = amount(300, at_least=25)
"""So many reports are brought in one by one; ``make torture`` takes all of them."""
CLUBS, REPORTS, PEOPLE = 40, amount(300, at_least=100), 400
FIRST_DAY = date(2019, 1, 6)

NAMES: Mapping[str, tuple[str, str]] = {
    "CZE": (
        "Jana Petr Věra Tomáš Lenka Ondřej Hana Zdeněk Radka Miloš",
        "Novák Dvořák Černý Procházka Kučera Veselý Horák Němec Pokorný Hájek Růžička Beneš",
    ),
    "DEU": (
        "Jürgen Sabine Karl-Heinz Ute Björn Heike Günter Anke Rolf Dörte",
        "Müller Schröder Weiß Köhler Krüger Schäfer Lehmann Vogel Böhm Jäger Winkler Groß",
    ),
    "DNK": (
        "Søren Mette Jørgen Kirsten Bjarne Inge Rasmus Lærke Anders Bodil",
        "Sørensen Mikkelsen Østergaard Kjær Bæk Lindholm Nørgaard Holm Brandt Friis Dahl Toft",
    ),
    "FRA": (
        "Jean-Luc Hélène François Chloé Étienne Maëlle Rémi Solène Benoît Zoé",
        "Lefèvre Mercier Gauthier Périer Chevalier Rousseau Bérard Moulin Garnier Lacroix Noël",
    ),
    "USA": (
        "Dale Peggy Warren Lorraine Curtis Marge Floyd Ellen Roger Nadine",
        "Whitaker O'Connell Baxter Hollis Pruitt McAllister Draper Stroud Ferris Yates Lockwood",
    ),
    "BGR": (
        "Иван Мария Георги Елена Димитър Стефка Николай Радка Пламен Весела",
        "Иванов Петров Колев Тодоров Маринов Стоянов Ангелов Христов Желев Попов Дончев",
    ),
}  # fmt: skip
LETTERS = "а б в г д е ж з и й к л м н о п р с т у ф х ц ч ш щ ъ ь ю я"
LATIN_LETTERS = "a b v g d e zh z i y k l m n o p r s t u f h ts ch sh sht a y yu ya"
LATIN = str.maketrans(dict(zip(LETTERS.split(), LATIN_LETTERS.split(), strict=True)))
"""As passports of the country write it, which is not as letters are transcribed one by one."""

PLAIN = str.maketrans({ord("ø"): "o", ord("Ø"): "O", ord("æ"): "ae", ord("ß"): "ss"})
OTHERWISE = {"DEU": "GER", "DNK": "DEN", "CZE": "cz", "BGR": "BUL"}
"""Nations as some clubs write them."""


@dataclass(frozen=True)
class Human:
    """Somebody who plays."""

    name: str
    nation: str

    @property
    def written(self) -> str:
        """The name as somebody writes it who knows them."""
        return latin(self.name)


@dataclass(frozen=True)
class Report:
    """A report as a club sends it, and who really played, in order."""

    name: str
    day: date
    text: str
    players: tuple[Human, ...]

    @property
    def file(self) -> str:
        """What the club calls its file."""
        return f"{self.day}-{self.name.lower().replace(' ', '-')}.toml"


@dataclass(frozen=True)
class Season:
    """All reports, the earliest first."""

    reports: tuple[Report, ...]

    def people(self, event_of: Mapping[str, str]) -> dict[tuple[str, int], Human]:
        """Who really played, by event and rank."""
        return {
            (event_of[report.name], rank): one
            for report in self.reports
            if report.name in event_of
            for rank, one in enumerate(report.players, 1)
        }


def as_is(name: str) -> str:
    """A name as it is."""
    return name


def latin(name: str) -> str:
    """A name in Latin letters; accents stay."""
    return name.lower().translate(LATIN).title() if name[0] in "ИМГЕДСНРПВ" else name


def bare(name: str) -> str:
    """A name without accents."""
    plain = name.translate(PLAIN)
    return "".join(one for one in normalize("NFKD", plain) if not combining(one))


def turned(name: str) -> str:
    """The last name first, in capitals, as lists of results have it."""
    first, _, last = name.partition(" ")
    return f"{last.upper()} {first}"


def short(name: str) -> str:
    """An initial for the first name."""
    first, _, last = name.partition(" ")
    return f"{first[0]}. {last}"


def mistyped(chance: Random, name: str) -> str:
    """A letter left out, doubled, exchanged with the next one, or another one."""
    at = chance.choice([n for n in range(1, len(name) - 1) if name[n : n + 2].isalpha()])
    before, one, after = name[:at], name[at], name[at + 1 :]
    return chance.choice(
        [
            before + after,
            before + one + one + after,
            before + after[0] + one + after[1:],
            before + chance.choice("aeinorst") + after,
        ]
    )


class _Forms:
    """How everybody was written; nobody ever as somebody else."""

    def __init__(self, everybody: Iterable[Human]) -> None:
        self.of: dict[tuple[str, str], Human] = {}
        for one in everybody:
            for name in {one.name, one.written, bare(one.written)}:
                for nation in (one.nation, ""):
                    if (name, nation) in self.of:
                        raise ValueError(f"two are called {name}")
                    self.of[name, nation] = one

    def taken(self, one: Human, name: str, nation: str) -> bool:
        return self.of.setdefault((name, nation), one) != one


def season(number: int, reports: int = REPORTS) -> Season:
    """A season of so many reports by forty clubs."""
    chance = Random(number)  # noqa: S311  made-up facts need no cryptography
    everybody = _everybody(chance)
    forms = _Forms(everybody)
    clubs = [_Club(chance, place, everybody) for place in range(CLUBS)]
    found = []
    for at in range(reports):
        club, day = clubs[at % CLUBS], FIRST_DAY + timedelta(days=at)
        players = chance.sample(club.members, chance.randint(8, 20))
        lines = [f"{rank} {club.line(chance, forms, one)}" for rank, one in enumerate(players, 1)]
        name = f"{club.name} {at // CLUBS + 1}"
        text = REPORT.format(name=name, day=day, entrants=len(players), lines="\n".join(lines))
        found.append(Report(name, day, text, tuple(players)))
    return Season(tuple(found))


def _everybody(chance: Random) -> list[Human]:
    """Everybody who plays: no two are written alike, but some nearly."""
    found: dict[str, Human] = {}
    while len(found) < PEOPLE:
        nation = chance.choice(list(NAMES))
        first, last = (chance.choice(names.split()) for names in NAMES[nation])
        one = Human(f"{first} {last}", nation)
        found.setdefault(bare(one.written), one)
    return list(found.values())


class _Club:
    """A club, its players, and how it writes them."""

    def __init__(self, chance: Random, place: int, everybody: Sequence[Human]) -> None:
        self.name = f"Club {chr(ord('A') + place // 10)}{place % 10} Open"
        nation = chance.choice(list(NAMES))
        at_home = [one for one in everybody if one.nation == nation]
        visitors = chance.sample(everybody, 25)
        self.members = list(dict.fromkeys([*at_home[:30], *visitors]))
        self.nations = chance.choice(["own", "own", "otherwise", "none"])
        self.ways: list[Callable[[str], str]] = [
            chance.choice([latin, latin, as_is]),
            chance.choice([as_is, bare]),
            chance.choice([as_is, as_is, as_is, turned]),
        ]

    def line(self, chance: Random, forms: _Forms, one: Human) -> str:
        """Somebody as this club writes them today."""
        nation = {
            "own": one.nation,
            "otherwise": OTHERWISE.get(one.nation, one.nation),
            "none": "",
        }[self.nations]
        name = one.name
        for way in self.ways:
            name = way(name)
        noise = chance.random()
        if noise < 0.04:
            name = mistyped(chance, name)
        elif noise < 0.06:
            name = short(one.written)
        elif noise < 0.08:
            nation = ""
        if forms.taken(one, name, one.nation if nation else ""):
            name, nation = one.name, one.nation
        return f"{name} ({nation})" if nation else name


REPORT = """\
[tournament]
name = "{name}"
discipline = "backgammon"
end_date = {day}

[[event]]
name = "Main"
kind = "championship"
entry_fee = 100

[event.main]
entrants = {entrants}
placings = '''
{lines}
'''
"""


# ── the officer, and what is left ────────────────────────────────────────────────────────────────


def who_is_who(projection: Projection, of: Season) -> dict[str, set[Human]]:
    """Whom each player of a journal really stands for."""
    tables = projection.tables
    tournaments = dict(tables["tournaments"].select("tournament_id", "name").iter_rows())
    events = {
        tournaments[tournament]: event
        for event, tournament in tables["events"].select("event_id", "tournament_id").iter_rows()
    }
    really = of.people(events)
    found: defaultdict[str, set[Human]] = defaultdict(set)
    for event, rank, player in tables["placings"].select("event_id", "rank", "player_id").rows():
        found[player].add(really[event, rank])
    return dict(found)


def decide(journal: Journal, of: Season) -> int:
    """Decide on every possible duplicate until there is none; how many there were."""
    projection = load_projection(journal)
    people = who_is_who(projection, of)
    with journal.reading() as reader:
        found = suggestions(Register.of(projection, reader))
    pairs = [
        DecidedPair(
            where=Location("pairs.csv", line),
            decision=SAME if people[one.player] == people[one.other] else DIFFERENT,
            player_id=one.player,
            player=str(one.form),
            other_id=one.other,
            other=str(one.other_form),
        )
        for line, one in enumerate(found, 2)
    ]
    if not pairs:
        return 0
    record_entries(journal, OFFICER, review(pairs, "knows everybody"))
    return len(pairs) + decide(journal, of)


def mistakes(journal: Journal, of: Season) -> tuple[list[Human], list[str]]:
    """People who are two players, and players who are two people."""
    people = who_is_who(load_projection(journal), of)
    players: defaultdict[Human, list[str]] = defaultdict(list)
    for player, humans in people.items():
        for one in humans:
            players[one].append(player)
    twins = [one for one, ids in players.items() for _ in ids[1:]]
    return twins, [player for player, humans in people.items() if len(humans) > 1]
