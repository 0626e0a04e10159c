"""Whether a draw that keeps everybody apart can exist at all."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from palmares.core.messages import msg
from palmares.tournaments.draw.announcement import AnyDraw, Groups, Knockout
from palmares.tournaments.draw.attempts import members_twice_in_a_block
from palmares.tournaments.draw.places import POT, Board, KeptApart, group_starts


def too_large(board: Board) -> str:
    """The refusal of a set larger than its number of blocks; empty where there is none."""
    for kept in board.sets:
        if len(kept.members) > kept.block_count:
            return msg(
                "%(why)s: %(many)s players are kept apart in %(blocks)s sections",
                why=_label(kept),
                many=len(kept.members),
                blocks=kept.block_count,
            )
    return ""


def fixed(draw: AnyDraw, board: Board) -> tuple[dict[int, str], set[int]]:
    """Who stands on which place, and which places nobody takes, before anything is drawn."""
    places, closed = dict(board.layout), set(board.closed)
    if isinstance(draw, Groups):
        starts = group_starts(len(draw.entries), draw.groups)
        places = dict(zip(starts, draw.seeds or (), strict=False))
    if isinstance(draw, Knockout):
        shuffled = {n for first in board.bands for n in range(first, 2 * first - 1)}
        lines = {number: place for place, number in enumerate(board.numbers)}
        seeds = enumerate(draw.seeds or (), 1)
        places = {lines[number]: who for number, who in seeds if number not in shuffled}
        if draw.byes == "highest":
            byes = range(1, board.size - len(draw.entries) + 1)
            closed = {lines[number] ^ 1 for number in byes if number not in shuffled}
    return places, closed


def impossible(draw: AnyDraw, board: Board) -> str:
    """Why no draw can keep everybody apart; empty where nothing proves it."""
    places, closed = fixed(draw, board)
    if kept := members_twice_in_a_block(board, places):
        return msg("%(why)s: two players already stand in one section", why=_label(kept))
    standing = {*places.values()}
    flow = _Flow()
    wanted = 0
    laminar = _laminar(board.sets)
    for at, kept in enumerate(laminar):
        inside = {who for other in laminar[:at] if {*other.members} <= {*kept.members}
                  for who in other.members}  # fmt: skip
        own = [who for who in kept.members if who not in standing and who not in inside]
        wanted += len(own)
        _connect(flow, laminar, at, len(own), places)
    _add_places(flow, laminar, board, closed | places.keys())
    if flow.most("source", "sink") < wanted:
        return msg("there are not enough places to keep %(sets)s apart", sets=_labels(laminar))
    return ""


def _label(kept: KeptApart) -> str:
    return msg("a pot") if kept.why == POT else kept.why


def _labels(sets: Sequence[KeptApart]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_label(kept) for kept in sets))


def _laminar(sets: Sequence[KeptApart]) -> list[KeptApart]:
    """Sets of which any two are nested or disjoint, in step order."""
    members = [frozenset(kept.members) for kept in sets]
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

    kept: list[int] = []
    for at in (at for at in range(len(sets)) if not implied(at)):
        touching = {other for member in members[at] for other in by_member[member]} & {*kept}
        if all(members[at] <= members[o] or members[o] <= members[at] for o in touching):
            kept.append(at)
    return [sets[at] for at in kept]


def _connect(
    flow: _Flow,
    laminar: Sequence[KeptApart],
    at: int,
    own: int,
    places: dict[int, str],
) -> None:
    """Let the members of a set flow through its blocks, then through those of the next larger."""
    kept = laminar[at]
    where = {who: place for place, who in places.items()}
    shut = {kept.blocks[where[who]] for who in kept.members if who in where}
    outer = next(
        (other for other in range(at + 1, len(laminar))
         if {*kept.members} <= {*laminar[other].members}), None,
    )  # fmt: skip
    flow.add("source", (at, "set"), own)
    for block in set(kept.blocks) - shut:
        flow.add((at, "set"), (at, "in", block), 1)
        flow.add((at, "in", block), (at, "out", block), 1)
        if outer is None:
            flow.add((at, "out", block), (kept.rounds, block), 1)
    if outer is not None:
        inner_outer = set(zip(kept.blocks, laminar[outer].blocks, strict=True))
        for block, smaller in inner_outer:
            if block not in shut:
                flow.add((at, "out", block), (outer, "in", smaller), 1)


def _add_places(
    flow: _Flow, laminar: Sequence[KeptApart], board: Board, taken: set[int] | frozenset[int]
) -> None:
    """From blocks of fewer rounds into those of more, never more than the free places in each."""
    by_rounds = {kept.rounds: kept.blocks for kept in laminar}
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
            flow.add((level, block), into[block], count)


@dataclass(slots=True)
class _Edge:
    to: Hashable
    capacity: int
    back: _Edge | None = None


class _Flow:
    """A network and its greatest flow (Dinic)."""

    def __init__(self) -> None:
        self.edges: dict[Hashable, list[_Edge]] = defaultdict(list)

    def add(self, start: Hashable, end: Hashable, capacity: int) -> None:
        """An edge."""
        edge, back = _Edge(end, capacity), _Edge(start, 0)
        edge.back, back.back = back, edge
        self.edges[start].append(edge)
        self.edges[end].append(back)

    def most(self, source: Hashable, sink: Hashable) -> int:
        """The greatest flow."""
        total = 0
        while True:
            level = self._levels(source)
            if sink not in level:
                return total
            tried: dict[Hashable, int] = defaultdict(int)
            while pushed := self._push(source, sink, level, tried):
                total += pushed

    def _levels(self, source: Hashable) -> dict[Hashable, int]:
        level = {source: 0}
        waiting = deque([source])
        while waiting:
            node = waiting.popleft()
            for edge in self.edges[node]:
                if edge.capacity and edge.to not in level:
                    level[edge.to] = level[node] + 1
                    waiting.append(edge.to)
        return level

    def _push(
        self,
        source: Hashable,
        sink: Hashable,
        level: dict[Hashable, int],
        tried: dict[Hashable, int],
    ) -> int:
        """One path of the level graph, filled; 0 where there is none left."""
        path: list[_Edge] = []
        node = source
        while node != sink:
            edges = self.edges[node]
            while tried[node] < len(edges):
                edge = edges[tried[node]]
                if edge.capacity and level.get(edge.to) == level[node] + 1:
                    break
                tried[node] += 1
            else:
                if not path:
                    return 0
                last = path.pop()
                node = last.back.to if last.back else source
                tried[node] += 1
                continue
            path.append(edge)
            node = edge.to
        amount = min(edge.capacity for edge in path)
        for edge in path:
            edge.capacity -= amount
            if edge.back:
                edge.back.capacity += amount
        return amount
