"""The rules an announcement must keep, in the order of the specification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from palmares.core.messages import msg
from palmares.tournaments.draw import sources
from palmares.tournaments.draw.announcement import (
    Announced,
    AnyDraw,
    Groups,
    Knockout,
    Late,
    Order,
)
from palmares.tournaments.draw.feeds import wrong_feeds
from palmares.tournaments.draw.places import bracket_size
from palmares.tournaments.draw.refusals import refusal

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
    if isinstance(draw, Groups) and many < 2 * draw.groups:
        yield msg(
            "%(many)s entries are fewer than two for each of %(groups)s groups",
            many=many,
            groups=draw.groups,
        )
    if isinstance(draw, Knockout | Groups):
        alternates = draw.alternates or []
        if twice := _repeated([*draw.entries, *alternates]):
            yield msg("%(who)s stands in alternates, and stands elsewhere too", who=twice)
    if isinstance(draw, Late):
        yield from _layout(draw)


def _layout(draw: Late) -> Iterator[str]:
    if len(draw.layout) not in _LAYOUT_SIZES:
        yield msg("layout has %(many)s places, no power of two", many=len(draw.layout))
    standing = [who for who in draw.layout if who not in "+-"]
    if twice := _repeated([*standing, *draw.entries]):
        yield msg("%(who)s stands in layout, and stands elsewhere too", who=twice)
    free = draw.layout.count("+")
    if free < len(draw.entries):
        yield msg(
            "layout has %(free)s free places for %(many)s entries",
            free=free,
            many=len(draw.entries),
        )


def _seeds(draw: AnyDraw) -> Iterator[str]:
    if not isinstance(draw, Knockout | Groups):
        return
    seeds, entered = draw.seeds or [], set(draw.entries)
    if unknown := next((who for who in seeds if who not in entered), ""):
        yield msg("%(who)s is seeded and not entered", who=unknown)
    if twice := _repeated(seeds):
        yield msg("%(who)s stands in seeds twice", who=twice)
    if isinstance(draw, Groups):
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
    known = {*draw.entries}
    if isinstance(draw, Late):
        known |= {who for who in draw.layout if who not in "+-"}
    pots = (draw.pots or []) if isinstance(draw, Groups) else []
    if not all(pots):
        yield msg("a pot is empty")
    if twice := _repeated([who for pot in pots for who in pot]):
        yield msg("%(who)s stands in pots twice", who=twice)
    parts = draw.apart or []
    if unknown := next(
        (who for some in (*pots, *(part.who for part in parts)) for who in some
         if who not in known), "",
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
    if isinstance(draw, Knockout):
        yield from wrong_feeds(bracket_size(len(draw.entries)), draw.feeds or [])


def _most_rounds(draw: AnyDraw) -> int:
    """Rounds for which players can be kept apart; the final cannot be forbidden."""
    if isinstance(draw, Knockout | Late):
        lines = len(draw.layout) if isinstance(draw, Late) else bracket_size(len(draw.entries))
        return lines.bit_length() - 2
    return 1


def _repeated(items: Iterable[str]) -> str:
    """The first that stands there twice; empty if none does."""
    seen: set[str] = set()
    for item in items:
        if item in seen:
            return item
        seen.add(item)
    return ""
