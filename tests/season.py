"""
A made-up season that all three regulations look at, its rows in any order.

    season      a number  ->  tables: header and rows; the same number gives the same season
    shuffled    tables, a number  ->  the same tables, rows in another order
    written     tables  ->  a package
"""

from __future__ import annotations

import csv
from datetime import date, timedelta
from pathlib import Path
from random import Random

Table = list[list[str]]
PLAYERS = [f"p{number:02}" for number in range(40)]
NATIONS = ("CZE", "GER", "USA", "DEN", "JPN", "")
LIVE, ONLINE = ("ABT Main Event", "ABT Major Jackpot", ""), ("Circuit Monthly", "Divisional")
HEADERS = {
    "players": "player_id name nation",
    "memberships": "player_id federation level start end",
    "tournaments": "tournament_id name discipline start_date end_date setting currency",
    "events": "event_id tournament_id name kind event_type division_rank entrants entry_fee"
    " added_money rounds world_championship completed_on sequence",
    "flights": "event_id flight entrants",
    "placings": "event_id flight player_id rank designated nation",
    "matches": "match_id event_id flight played_on length winner_id loser_id status series_wins",
}


def season(number: int, tournaments: int = 30) -> dict[str, Table]:
    """A season of so many tournaments: backgammon live and online, and diplomacy."""
    chance = Random(number)  # noqa: S311  made-up facts need no cryptography
    tables: dict[str, Table] = {name: [header.split()] for name, header in HEADERS.items()}
    for player in PLAYERS:
        name = f"Player {int(player[1:]) % 37}"  # some share a name
        tables["players"].append([player, name, chance.choice(NATIONS)])
        if chance.random() < 0.9:
            tables["memberships"].append([player, "usbgf", "Basic", "2014-01-01", ""])
    for at in range(tournaments):
        last = date(2017, 1, 15) + timedelta(days=chance.randrange(1400))
        shape = chance.choice(["backgammon", "backgammon", "online", "diplomacy"])
        setting = "online" if shape == "online" else "live"
        discipline = "diplomacy" if shape == "diplomacy" else "backgammon"
        start = str(last - timedelta(days=chance.randrange(4)))
        money = chance.choice(["EUR", "USD", "DKK", "JPY"])
        tables["tournaments"].append(
            [f"T{at:02}", f"Cup {at}", discipline, start, str(last), setting, money]
        )
        for kind in ("championship", "intermediate", "super_jackpot")[: chance.randrange(1, 4)]:
            _event(tables, chance, f"T{at:02}", kind, shape, str(last))
    return tables


def _event(
    tables: dict[str, Table], chance: Random, tournament: str, kind: str, shape: str, last: str
) -> None:
    event, listed = f"{tournament}-{kind}", chance.sample(PLAYERS, chance.randrange(3, 12))
    entrants = len(listed) + chance.randrange(40)
    types = ONLINE if shape == "online" else LIVE
    fee, added = chance.choice(["50", "120.5", "333.33"]), chance.choice(["", "1000", "77.7"])
    tables["events"].append(
        [event, tournament, event.title(), kind, chance.choice(types), chance.choice("123"),
         str(entrants), fee, added, chance.choice("123"), chance.choice(["", "", "yes"]),
         last if shape == "online" else "", chance.choice(["", "1", "2"])]
    )  # fmt: skip
    flights = ["main"]
    if kind == "championship" and shape == "backgammon":
        flights += chance.choice([[], ["consolation"], ["consolation", "last_chance"]])
    for down, flight in enumerate(flights):
        tables["flights"].append([event, flight, str(max(len(listed), entrants >> down))])
        rank = 1
        for place, player in enumerate(chance.sample(listed, len(listed)), start=1):
            rank = rank if place > 2 and chance.random() < 0.3 else place
            named = "yes" if len(flights) > 1 and rank < 4 else ""
            tables["placings"].append(
                [event, flight, player, str(rank), named, chance.choice(["", "", "SWE"])]
            )
    for game in range(chance.randrange(6)):
        winner, loser = chance.sample(listed, 2)
        status, wins = chance.choice([("played", ""), ("series", "2"), ("walkover", "")])
        length = chance.choice(["3", "5", "7", "9", "11"])
        tables["matches"].append(
            [f"{event}-{game}", event, "main", last, length, winner, loser, status, wins]
        )


def shuffled(tables: dict[str, Table], number: int) -> dict[str, Table]:
    """The same rows in another order, and the columns too."""
    chance = Random(number)  # noqa: S311  made-up facts need no cryptography
    mixed = {}
    for name, (header, *body) in tables.items():
        order = chance.sample(range(len(header)), len(header))
        rows = [header, *chance.sample(body, len(body))]
        mixed[name] = [[row[place] for place in order] for row in rows]
    return mixed


def written(tables: dict[str, Table], directory: Path) -> Path:
    """The tables as a package of CSV files."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, table in tables.items():
        with (directory / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(table)
    return directory
