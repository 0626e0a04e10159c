"""The rules an announcement must keep, in the order of the specification; whether a draw exists."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise

from palmares.core.messages import msg
from palmares.tournaments.draw import sources
from palmares.tournaments.draw.announcement import (
    Announced,
    AnyDraw,
    GroupsDraw,
    KnockoutDraw,
    Late,
    Order,
    refusal,
)
from palmares.tournaments.draw.attempts import members_twice_in_a_block
from palmares.tournaments.draw.places import (
    ApartSet,
    Board,
    bracket_size,
    highest_byes,
    label,
    standing,
    wrong_feeds,
)

MOST_ENTRIES = 4096
_LAYOUT_SIZES = {2**power for power in range(1, 13)}


def check(announced: Announced, recorded_at: str) -> None:
    """Refuse an announcement that breaks a rule.

    Raises:
        DrawRefused: ``entries``, ``seeds``, ``apart``, ``feeds`` or ``randomness``, the first.
        ValueError: *recorded_at* is no time.
    """
    draw = announced.content
    for code, why in (
        ("entries", _entries),
        ("seeds", _seeds),
        ("apart", _apart),
        ("feeds", _feeds),
    ):
        if what := next(why(draw), ""):
            raise refusal(code, what, announced.file)
    sources.check(announced, recorded_at)


def _entries(draw: AnyDraw) -> Iterator[str]:
    least = 1 if isinstance(draw, Late) else 2
    many = len(draw.entries)
    if not least <= many <= MOST_ENTRIES:
        yield msg("%(many)s entries; there are %(least)s to 4,096", many=many, least=least)
    if twice := _repeated(draw.entries):
        yield msg("%(who)s stands in entries twice", who=twice)
    if isinstance(draw, GroupsDraw) and many < 2 * draw.groups:
        yield msg(
            "%(many)s entries are fewer than two for each of %(groups)s groups",
            many=many,
            groups=draw.groups,
        )
    if isinstance(draw, KnockoutDraw | GroupsDraw):
        alternates = draw.alternates or []
        if twice := _repeated([*draw.entries, *alternates]):
            yield msg("%(who)s stands in alternates, and stands elsewhere too", who=twice)
    if isinstance(draw, Late):
        yield from _layout(draw)


def _layout(draw: Late) -> Iterator[str]:
    if len(draw.layout) not in _LAYOUT_SIZES:
        yield msg("layout has %(many)s places, no power of two", many=len(draw.layout))
    placed = [who for who in draw.layout if who not in "+-"]
    if twice := _repeated([*placed, *draw.entries]):
        yield msg("%(who)s stands in layout, and stands elsewhere too", who=twice)
    free = draw.layout.count("+")
    if free < len(draw.entries):
        yield msg(
            "layout has %(free)s free places for %(many)s entries",
            free=free,
            many=len(draw.entries),
        )


def _seeds(draw: AnyDraw) -> Iterator[str]:
    if not isinstance(draw, KnockoutDraw | GroupsDraw):
        return
    seeds, entered = draw.seeds or [], set(draw.entries)
    if unknown := next((who for who in seeds if who not in entered), ""):
        yield msg("%(who)s is seeded and not entered", who=unknown)
    if twice := _repeated(seeds):
        yield msg("%(who)s stands in seeds twice", who=twice)
    if isinstance(draw, GroupsDraw):
        most = draw.groups
    elif (draw.seeding, draw.byes) == ("placed", "highest"):
        most = len(draw.entries)
    else:
        most = bracket_size(len(draw.entries)) // 2
    if len(seeds) > most:
        yield msg("%(many)s seeds; this draw has at most %(most)s", many=len(seeds), most=most)


def _apart(draw: AnyDraw) -> Iterator[str]:
    if isinstance(draw, Order):
        return
    entered = {*draw.entries}
    if isinstance(draw, Late):
        entered |= {who for who in draw.layout if who not in "+-"}
    pots = (draw.pots or []) if isinstance(draw, GroupsDraw) else []
    if not all(pots):
        yield msg("a pot is empty")
    if twice := _repeated([who for pot in pots for who in pot]):
        yield msg("%(who)s stands in pots twice", who=twice)
    parts = draw.apart or []
    if unknown := next(
        (who for some in (*pots, *(part.who for part in parts)) for who in some
         if who not in entered), "",
    ):  # fmt: skip
        yield msg("%(who)s is kept apart and not entered", who=unknown)
    most = _most_rounds(draw)
    for part in parts:
        if twice := _repeated(part.who):
            yield msg("%(who)s stands twice in a set that is kept apart", who=twice)
        if len(part.who) < 2:  # noqa: PLR2004  two players
            yield msg("a set that is kept apart has fewer than two players")
        if part.rounds > most:
            yield msg(
                "%(why)s: apart for %(rounds)s rounds; this draw allows %(most)s",
                why=part.why,
                rounds=part.rounds,
                most=most,
            )


def _feeds(draw: AnyDraw) -> Iterator[str]:
    if isinstance(draw, KnockoutDraw):
        yield from wrong_feeds(bracket_size(len(draw.entries)), draw.feeds or [])


def _most_rounds(draw: AnyDraw) -> int:
    """Rounds for which players can be kept apart; the final cannot be forbidden."""
    if isinstance(draw, KnockoutDraw | Late):
        lines = len(draw.layout) if isinstance(draw, Late) else bracket_size(len(draw.entries))
        return lines.bit_length() - 2
    return 1


def _repeated(items: Iterable[str]) -> str:
    seen: set[str] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return ""


# ── whether a draw is possible ────────────────────────────────────────────────────────────────────


def too_large(board: Board) -> str:
    """The refusal of a set larger than its number of blocks; empty where there is none."""
    for apart in board.sets:
        if len(apart.members) > apart.block_count:
            return msg(
                "%(why)s: %(many)s players are kept apart in %(blocks)s sections",
                why=label(apart.why),
                many=len(apart.members),
                blocks=apart.block_count,
            )
    return ""


def fixed(draw: AnyDraw, board: Board) -> tuple[dict[int, str], set[int]]:
    """Who stands on which place, and which places stay empty, before anything is drawn."""
    shuffled = {n for first in board.bands for n in range(first, 2 * first - 1)}
    lines = {n: place for place, n in enumerate(board.numbers) if n not in shuffled}
    return standing(draw, board, lines), {*board.closed, *highest_byes(draw, board, lines)}


def impossible(draw: AnyDraw, board: Board) -> str:
    """Why no draw can keep all sets apart; empty where nothing proves it."""
    places, closed = fixed(draw, board)
    if apart := members_twice_in_a_block(board, places):
        return msg("%(why)s: two players already stand in one section", why=label(apart.why))
    placed = {*places.values()}
    capacity: _Capacities = defaultdict(dict)
    wanted = 0
    laminar = _laminar(board.sets)
    for at, apart in enumerate(laminar):
        inside = {who for other in laminar[:at] if {*other.members} <= {*apart.members}
                  for who in other.members}  # fmt: skip
        own = [who for who in apart.members if who not in placed and who not in inside]
        wanted += len(own)
        _connect(capacity, laminar, at, len(own), places)
    _add_places(capacity, laminar, board, closed | places.keys())
    if _greatest_flow(capacity, "source", "sink") < wanted:
        return msg(
            "there are not enough places to keep %(sets)s apart",
            sets=tuple(dict.fromkeys(label(apart.why) for apart in laminar)),
        )
    return ""


def _laminar(sets: Sequence[ApartSet]) -> list[ApartSet]:
    """Sets of which any two are nested or disjoint, in step order."""
    members = [frozenset(apart.members) for apart in sets]
    by_member: dict[str, set[int]] = defaultdict(set)
    for at, who in enumerate(members):
        for member in who:
            by_member[member].add(at)

    def implied(at: int) -> bool:
        return any(
            other != at
            and members[at] <= members[other]
            and (sets[other].rounds, at) >= (sets[at].rounds, other)
            and (members[at] < members[other] or sets[other].rounds > sets[at].rounds or other < at)
            for other in by_member[next(iter(members[at]))]
        )

    chosen: list[int] = []
    for at in (at for at in range(len(sets)) if not implied(at)):
        touching = {other for member in members[at] for other in by_member[member]} & {*chosen}
        if all(members[at] <= members[o] or members[o] <= members[at] for o in touching):
            chosen.append(at)
    return [sets[at] for at in chosen]


def _connect(
    capacity: _Capacities,
    laminar: Sequence[ApartSet],
    at: int,
    own: int,
    places: dict[int, str],
) -> None:
    """Connect the members of a set to its blocks, then to those of the next larger set."""
    apart = laminar[at]
    where = {who: place for place, who in places.items()}
    shut = {apart.blocks[where[who]] for who in apart.members if who in where}
    outer = next(
        (other for other in range(at + 1, len(laminar))
         if {*apart.members} <= {*laminar[other].members}), None,
    )  # fmt: skip
    capacity["source"][at, "set"] = own
    for block in set(apart.blocks) - shut:
        capacity[at, "set"][at, "in", block] = 1
        capacity[at, "in", block][at, "out", block] = 1
        if outer is None:
            capacity[at, "out", block][apart.rounds, block] = 1
    if outer is not None:
        inner_outer = set(zip(apart.blocks, laminar[outer].blocks, strict=True))
        for block, smaller in inner_outer:
            if block not in shut:
                capacity[at, "out", block][outer, "in", smaller] = 1


def _add_places(
    capacity: _Capacities,
    laminar: Sequence[ApartSet],
    board: Board,
    taken: set[int] | frozenset[int],
) -> None:
    """From blocks of fewer rounds into those of more, never more than the free places in each."""
    by_rounds = {apart.rounds: apart.blocks for apart in laminar}
    levels = sorted(by_rounds)
    for level, above in zip(levels, [*levels[1:], 0], strict=True):
        blocks = by_rounds[level]
        free: dict[int, int] = defaultdict(int)
        into: dict[int, Hashable] = {}
        for place in range(board.size):
            if place not in taken:
                free[blocks[place]] += 1
                into[blocks[place]] = (above, by_rounds[above][place]) if above else "sink"
        for block, count in free.items():
            capacity[level, block][into[block]] = count


_Capacities = defaultdict[Hashable, dict[Hashable, int]]
"""A network: by node, how much may still flow to each of its neighbours."""


def _greatest_flow(capacity: _Capacities, source: Hashable, sink: Hashable) -> int:
    """The greatest flow through a network (Dinic); *capacity* keeps what is left."""
    total = 0
    while sink in (levels := _levels(capacity, source)):
        ahead = {
            node: [other for other in capacity[node] if levels.get(other) == level + 1]
            for node, level in levels.items()
        }
        path = [source]
        while path:
            node = path[-1]
            if node == sink:
                amount = min(capacity[start][end] for start, end in pairwise(path))
                for start, end in pairwise(path):
                    capacity[start][end] -= amount
                    capacity[end][start] = capacity[end].get(start, 0) + amount
                total += amount
                path = [source]
            elif not ahead[node]:  # a dead end
                path.pop()
                if path:
                    ahead[path[-1]].pop()
            elif capacity[node][ahead[node][-1]]:
                path.append(ahead[node][-1])
            else:
                ahead[node].pop()
    return total


def _levels(capacity: _Capacities, source: Hashable) -> dict[Hashable, int]:
    """How many edges with capacity lead to each node that can be reached."""
    levels = {source: 0}
    waiting = deque([source])
    while waiting:
        node = waiting.popleft()
        for other, left in capacity[node].items():
            if left and other not in levels:
                levels[other] = levels[node] + 1
                waiting.append(other)
    return levels
