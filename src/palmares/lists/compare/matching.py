"""Match the lines of a printed list to our players, by exact ids and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import polars as pl

from palmares.facts import Facts
from palmares.facts.text import squeezed
from palmares.formats.printed_lists import PrintedRow

NEAREST = 3
LIKE = 75  # of 100: below it, two names have little in common


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """Whose line it is, or why nobody knows."""

    player_id: str | None = None
    how: str = ""  # one of `WAYS`
    several: tuple[str, ...] = ()  # ids of ours it may be
    lines: tuple[int, ...] = ()  # other lines that are the same player's


class _Who(NamedTuple):
    """What of a player, or of a line, is compared."""

    id: str | None
    name: str | None  # none: withheld
    nation: str | None


MATCH_KEYS: Mapping[str, Callable[[_Who], object]] = {
    "id": lambda who: who.id,
    "name and nation": lambda who: (who.name, who.nation) if who.name and who.nation else None,
    "name": lambda who: who.name,
    "name in other letters": lambda who: who.name.casefold() if who.name else None,
}
"""How a line finds its player: what must be the same, and of one player of ours only."""


def match_rows(
    rows: Sequence[PrintedRow], facts: Facts, awarded: Collection[str]
) -> tuple[Match, ...]:
    """Whose each line is.

    Args:
        rows: of a printed list.
        facts: who our players are; withheld names are not compared.
        awarded: ids of those who have awards; others are looked at if none of these fits.
    """
    people = _people(facts)
    pools = (
        [person for person in people if person.id in awarded],
        [person for person in people if person.id not in awarded],
    )
    found: list[Match | None] = [None] * len(rows)
    held: dict[str, int] = {}  # whose line has been found
    for pool in pools:
        for how, key in MATCH_KEYS.items():
            _by(how, key, rows, pool, found, held)
    return tuple(one or Match() for one in found)


def _people(facts: Facts) -> list[_Who]:
    columns = ("player_id", "name", "nation", "withheld")
    return [
        _Who(player, None if withheld else squeezed(name), nation)
        for player, name, nation, withheld in facts.tables["players"].select(columns).iter_rows()
    ]


def _by(
    how: str,
    key: Callable[[_Who], object],
    rows: Sequence[PrintedRow],
    pool: Iterable[_Who],
    found: list[Match | None],
    held: dict[str, int],
) -> None:
    """Find the players of lines that have none yet, in one way."""
    known: dict[object, list[str]] = {}
    for one in pool:
        if (value := key(one)) is not None:
            known.setdefault(value, []).append(str(one.id))
    proposed: dict[int, str] = {}
    for at, row in enumerate(rows):
        fits = known.get(key(_Who(row.id, squeezed(row.name), row.nation)), [])
        if found[at] is not None or not fits:
            continue
        if len(fits) > 1:
            found[at] = Match(several=tuple(sorted(fits)))
        elif fits[0] in held:
            found[at] = Match(several=(fits[0],), lines=(rows[held[fits[0]]].line,))
        else:
            proposed[at] = fits[0]
    often = Counter(proposed.values())
    for at, player in proposed.items():
        if often[player] > 1:
            others = (rows[one].line for one in proposed if proposed[one] == player and one != at)
            found[at] = Match(several=(player,), lines=tuple(others))
        else:
            found[at] = Match(player_id=player, how=how)
            held[player] = at


def simplified_names(people: Mapping[str, str]) -> dict[str, str]:
    """Names by id or line, without capitals and signs, as `near` looks through them."""
    from rapidfuzz.utils import default_process

    return {one: default_process(name) for one, name in people.items()}


def nearest_names(name: str, people: Mapping[str, str]) -> list[str]:
    """Those whose names are most like a name, the nearest first.

    Args:
        name: as it was printed.
        people: names by id or line, as `bare` gives them.
    """
    from rapidfuzz import fuzz, process
    from rapidfuzz.utils import default_process

    found = process.extract(
        default_process(name),
        people,
        scorer=fuzz.token_sort_ratio,  # "Novak, Ada" is near to "Ada Novak"
        limit=NEAREST,
        score_cutoff=LIKE,
    )
    return [str(one) for _, _, one in found]


def visible_names(facts: Facts) -> dict[str, str]:
    """The names by id that may be shown."""
    open_ones = facts.tables["players"].filter(~pl.col("withheld").fill_null(value=False))
    return dict(open_ones.select("player_id", "name").iter_rows())
