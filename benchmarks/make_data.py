"""
Made-up facts for the benchmarks, the same at every run.

    season(directory, ...)      a package of CSV tables: tournaments of one event with two flights
    report(path, players)       one tournament as a director's TOML report

Usage: python benchmarks/make_data.py DIRECTORY
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path

SEED = 2019
FIRST_DAY = date(2019, 1, 1)
NATIONS = ("CZE", "DEU", "DNK", "ESP", "FRA", "GBR", "GRC", "ISR", "ITA", "JPN", "ROU", "USA")
SYLLABLES = ("an", "be", "dor", "el", "fi", "gar", "ha", "il", "ko", "lu", "mar", "no", "pe", "ri")


def season(directory: Path, tournaments: int = 1_000, placings: int = 50_000) -> None:
    """A package: so many tournaments over three years, so many placings, a tenth as many players.

    Each tournament is one Championship whose Main holds about two thirds of its placings; those
    of the Consolation are players of the Main. Ranks are those of a bracket: 1, 2, 3, 3, 5, ...
    """
    rng = random.Random(SEED)
    directory.mkdir(parents=True, exist_ok=True)
    people = [f"p{number:05}" for number in range(placings // 10)]
    write(
        directory / "players.csv",
        ("player_id", "name", "nation"),
        ((player, name(rng), rng.choice(NATIONS)) for player in people),
    )
    heads, events, flights, rows = [], [], [], []
    sizes = shares(rng, tournaments, placings)
    for number, size in enumerate(sizes):
        tournament, event = f"t{number:05}", f"e{number:05}"
        start = FIRST_DAY + timedelta(days=number * 3 * 365 // tournaments)
        end = start + timedelta(days=2)
        heads.append((tournament, f"Open {number}", "backgammon", start, end, "live", "EUR"))
        fee, added = rng.randrange(20, 400, 10), rng.randrange(0, 3_000, 100)
        events.append((event, tournament, "Championship", "championship", fee, added, 7))
        consolation = size // 3
        field = rng.sample(people, size - consolation)
        for flight, players in (("main", field), ("consolation", field[-consolation:])):
            flights.append((event, flight, len(players)))
            ranks = bracket(len(players))
            rows += [(event, flight, *one) for one in zip(players, ranks, strict=True)]
    columns = ("tournament_id", "name", "discipline", "start_date", "end_date", "setting")
    write(directory / "tournaments.csv", (*columns, "currency"), heads)
    columns = ("event_id", "tournament_id", "name", "kind", "entry_fee", "added_money", "rounds")
    write(directory / "events.csv", columns, events)
    write(directory / "flights.csv", ("event_id", "flight", "entrants"), flights)
    write(directory / "placings.csv", ("event_id", "flight", "player_id", "rank"), rows)


def report(path: Path, players: int = 500) -> None:
    """One tournament as a TOML report, its placings as plain lines."""
    rng = random.Random(SEED)
    names = {f"{name(rng)} {number}": rng.choice(NATIONS) for number in range(players)}
    ranks = bracket(players)
    shared = {rank for rank in ranks if ranks.count(rank) > 1}
    lines = [
        f"{rank}{'=' * (rank in shared)} {who} ({nation})"
        for rank, (who, nation) in zip(ranks, names.items(), strict=True)
    ]
    listed = "\n".join(lines)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"""\
[tournament]
name = "Great Open"
discipline = "backgammon"
start_date = 2019-05-03
end_date = 2019-05-05

[[event]]
name = "Championship"
kind = "championship"
entry_fee = 200
added_money = 5000

[event.main]
entrants = {players}
placings = \"\"\"
{listed}
\"\"\"
""",
        encoding="utf-8",
    )


def bracket(players: int) -> list[int]:
    """The ranks of a knockout: 1, 2, then two share 3, four share 5, and so on."""
    ranks = [1]
    while len(ranks) < players:
        ranks += [len(ranks) + 1] * len(ranks)
    return ranks[:players]


def shares(rng: random.Random, parts: int, total: int) -> list[int]:
    """A total in so many whole parts of at least 6, uneven as tournaments are."""
    weights = [rng.paretovariate(1.5) for _ in range(parts)]
    scale = (total - 6 * parts) / sum(weights)
    found = [6 + int(weight * scale) for weight in weights]
    found[0] += total - sum(found)
    return found


def name(rng: random.Random) -> str:
    """A name nobody has."""
    return " ".join(
        "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(2, 3))).title() for _ in range(2)
    )


def write(path: Path, header: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """One table as CSV."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(header)
        table.writerows(rows)


if __name__ == "__main__":
    where = Path(sys.argv[1])
    season(where / "season")
    report(where / "report.toml")
