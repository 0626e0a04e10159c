"""The differences between two lists in words, and as rows; loaded once there are some."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
import polars as pl

from palmares.cli.types import count_of
from palmares.core.rounding import plain, shown
from palmares.lists.diff import CAUSES, Change, Differences, Part
from palmares.lists.diff.rows import OF_A_CHANGE, OF_A_PART, head, of_part
from palmares.render.tables import Column

COLUMNS = (
    Column("rank_a", "rank A", "number"),
    Column("rank_b", "rank B", "number"),
    Column("player"),
    Column("points_a", "points A", "points"),
    Column("points_b", "points B", "points"),
    Column("change", "", "points"),
    Column("why"),
)
"""The columns of the table for people."""
_KINDS = dict.fromkeys(("points_a", "points_b", "change", "part"), "points")
_KINDS |= dict.fromkeys(("rank_a", "rank_b", "entry"), "number") | {"recorded": "date"}
FLAT = tuple(Column(key, "", _KINDS.get(key, "text")) for key in (*OF_A_CHANGE, *OF_A_PART))
"""The columns of a row a part."""
NESTED = (*FLAT[: len(OF_A_CHANGE)], Column("parts"))
"""The keys of a change."""
GATHERED = ("decay", "rating chain", "edition")
"""Causes that touch many results of a player at once; the table tells their sum."""


# ── For people ───────────────────────────────────────────────────────────────────────────────────


def summary(found: Differences) -> Iterator[str]:
    """How many players moved where, and how much each cause did."""
    a, b = pl.col("rank_a"), pl.col("rank_b")
    counts = {
        "new": a.is_null() & b.is_not_null(),
        "up": b < a,
        "down": b > a,
        "gone": a.is_not_null() & b.is_null(),
        "with other points at the same rank": (a == b) & (pl.col("change") != 0),
    }
    said = [f"{many} {word}" for word, test in counts.items()
            if (many := found.changes.filter(test).height)]  # fmt: skip
    total = found.players
    yield f"{count_of(total, 'player')}: {', '.join(said) or 'none moved'}."
    causes = found.parts.group_by("cause", maintain_order=True).agg(
        pl.col("nanopoints").sum(), pl.col("tournament_id").count(), pl.len().alias("players")
    )
    by_name = {row[0]: row[1:] for row in causes.iter_rows()}
    totals = [_total(cause, *by_name[cause]) for cause in CAUSES if cause in by_name]
    if totals:
        yield f"Causes: {', '.join(totals)}."


def _total(cause: str, nanopoints: int, results: int, players: int) -> str:
    if cause in ("others moved", "name"):
        return f"{cause} ({players})"
    return f"{cause} {signed(shown(nanopoints))} ({count_of(results, 'result')})"


def signed(text: str) -> str:
    """A number with its sign."""
    return text if text.startswith("-") else f"+{text}"


def in_full(found: Differences, changes: Sequence[Change]) -> Iterator[str]:
    """Changes with every part, or that there is none."""
    if not changes:
        yield "No difference." if found.changes.is_empty() else "Nothing changed for this player."
    for one in changes:
        a, b = (
            f"rank {rank}, {plain(points)} points" if rank else "not on the list"
            for rank, points in ((one.rank_a, one.nanopoints_a), (one.rank_b, one.nanopoints_b))
        )
        yield f"{one.player}: {a} on A; {b} on B"
        yield ""
        width = max((len(signed(plain(part.nanopoints))) for part in one.parts), default=0)
        width = max(width, len(signed(plain(one.nanopoints))))
        for part in one.parts:
            yield f"   {signed(plain(part.nanopoints)):>{width}}  {about(part, found)}"
        yield f"   {signed(plain(one.nanopoints)):>{width}}  change"


def about(part: Part, found: Differences, number: str = "") -> str:
    """A part in words; its number, if it is wanted, behind them."""
    where = [part.tournament] if part.tournament else []
    where += [part.event] if part.event and part.event != part.tournament else []
    where += [part.flight] if part.flight not in (None, "", "main") else []
    kinds = found.a.question.held().kinds
    where += [part.kind] if part.kind and part.tournament and len(kinds) > 1 else []
    text = ", ".join(filter(None, [*where, part.note]))
    return " ".join(filter(None, [f"{part.cause}:", text, number, _behind(part)]))


def _behind(part: Part) -> str:
    """The entries behind a part: who recorded the last one, and the numbers of the others."""
    if not part.said:
        return ""
    *others, last = part.said
    text = f"entry {last.sequence}, by {last.author}, {last.day}"
    if others:
        numbers = ", ".join(str(one.sequence) for one in others)
        text += f"; also {numbers}"
    return f"({text})"


def why(change: Change, found: Differences) -> str:
    """All parts of a change in one line; what came of many results at once is told as a sum."""
    said = []
    for part in change.parts:
        alike = [one for one in change.parts if one.cause == part.cause]
        number = signed(shown(part.nanopoints))
        if part.cause in ("others moved", "name"):
            said.append(about(part, found))
        elif part.cause not in GATHERED or len(alike) == 1:
            said.append(about(part, found, number))
        elif part is alike[0]:
            total = signed(shown(sum(one.nanopoints for one in alike)))
            said.append(f"{part.cause}: {len(alike)} results {total}")
    return "; ".join(said)


def row(change: Change, found: Differences) -> dict[str, Any]:
    """A change as the table has it."""
    return {**head(change), "why": why(change, found)}


# ── For programs ─────────────────────────────────────────────────────────────────────────────────


def as_json(change: Change) -> dict[str, Any]:
    """A change and its parts as plain values; points are numbers with at most nine decimals."""
    parts = [
        {
            **of_part(part),
            "part": msgspec.Raw(plain(part.nanopoints).encode()),
            "entries": [
                {"entry": one.sequence, "author": one.author, "recorded": one.day}
                for one in part.said
            ],
        }
        for part in change.parts
    ]
    for one in parts:
        for gone in ("entry", "author", "recorded"):
            del one[gone]
    return {**head(change), "parts": parts}
