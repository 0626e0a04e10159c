"""The made-up players of the demonstration: names that nobody bears, by nation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import tau
from random import Random

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
class Player:
    """A made-up player; strength has a mean of 0 and a deviation of 1."""

    name: str
    nation: str
    strength: float
    swing: float  # how far their strength goes up and down
    phase: float  # where in that they are
    keen: float  # how often they travel, compared with others

    @property
    def key(self) -> str:
        """The id in reports: the name as a director writes it, with the nation."""
        return f"{self.name} ({self.nation})"


@cache
def players() -> Sequence[Player]:
    """Every made-up player, always the same."""
    made_up = []
    for nation, (given, family) in NAMES.items():
        first, last = given.split(), family.split()
        for number in range(EACH):
            draw = Random(f"{nation} {number}")
            name = first[number % len(first)]
            surname = last[(number * 3 + number // len(first)) % len(last)]
            made_up.append(
                Player(
                    name=f"{name} {surname}",
                    nation=nation,
                    strength=draw.gauss(),
                    swing=draw.uniform(0, 0.8),
                    phase=draw.uniform(0, tau),
                    keen=draw.uniform(0.2, 1) ** 2,
                )
            )
    return tuple(made_up)
