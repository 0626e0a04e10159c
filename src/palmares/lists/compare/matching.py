"""Match the lines of a printed list to our players, by exact ids and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from palmares.facts import Facts
from palmares.facts.text import squeezed
from palmares.formats.printed_lists import PrintedRow


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """The player of a line, or why they are unknown."""

    player_id: str | None = None
    how: str = ""  # one of `WAYS`
    several: tuple[str, ...] = ()  # ids of players it may be
    lines: tuple[int, ...] = ()  # other lines of the same player


class _Identity(NamedTuple):
    """What is compared of a player and of a line."""

    id: str | None
    name: str | None  # none: withheld
    nation: str | None


MATCH_KEYS: Mapping[str, Callable[[_Identity], object]] = {
    "id": lambda who: who.id,
    "name and nation": lambda who: (who.name, who.nation) if who.name and who.nation else None,
    "name": lambda who: who.name,
    "name in other letters": lambda who: who.name.casefold() if who.name else None,
}
"""How lines are matched, the surest way first; each must fit exactly one player."""


def match_rows(
    rows: Sequence[PrintedRow], facts: Facts, awarded: Collection[str]
) -> tuple[Match, ...]:
    """Match each line to a player.

    Args:
        rows: of a printed list.
        facts: with our players; withheld names are not compared.
        awarded: ids of players with awards; others are compared if none of these fits.
    """
    people = _people(facts)
    pools = (
        [person for person in people if person.id in awarded],
        [person for person in people if person.id not in awarded],
    )
    matches: list[Match | None] = [None] * len(rows)
    row_of: dict[str, int] = {}  # by player
    for pool in pools:
        for how, key in MATCH_KEYS.items():
            _match_by(how, key, rows, pool, matches, row_of)
    return tuple(match or Match() for match in matches)


def _people(facts: Facts) -> list[_Identity]:
    columns = ("player_id", "name", "nation", "withheld")
    return [
        _Identity(player, None if withheld else squeezed(name), nation)
        for player, name, nation, withheld in facts.tables["players"].select(columns).iter_rows()
    ]


def _match_by(
    how: str,
    key: Callable[[_Identity], object],
    rows: Sequence[PrintedRow],
    pool: Iterable[_Identity],
    matches: list[Match | None],
    row_of: dict[str, int],
) -> None:
    """Match the lines that have no player yet by one key."""
    players: dict[object, list[str]] = {}
    for person in pool:
        if (value := key(person)) is not None:
            players.setdefault(value, []).append(str(person.id))
    proposed: dict[int, str] = {}
    for number, row in enumerate(rows):
        fits = players.get(key(_Identity(row.id, squeezed(row.name), row.nation)), [])
        if matches[number] is not None or not fits:
            continue
        if len(fits) > 1:
            matches[number] = Match(several=tuple(sorted(fits)))
        elif fits[0] in row_of:
            matches[number] = Match(several=(fits[0],), lines=(rows[row_of[fits[0]]].line,))
        else:
            proposed[number] = fits[0]
    often = Counter(proposed.values())
    for number, player in proposed.items():
        if often[player] == 1:
            matches[number] = Match(player_id=player, how=how)
            row_of[player] = number
            continue
        others = (
            rows[other].line for other in proposed if proposed[other] == player and other != number
        )
        matches[number] = Match(several=(player,), lines=tuple(others))
