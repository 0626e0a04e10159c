"""
A large journal: opened, and ranked again after one report more; beside the same by hand.

Prints one line of JSON for each work: ours, the goal, what stands beside it.

The journal is made anew (`make_journal`), so are the snapshots; fresh processes are measured whole,
from their start to their end, by wall time, everything they read being in the system's cache. By
hand: tables without the journal's statements, arrays without names, points as floats.

Usage: python benchmarks/limits_journal.py [TOURNAMENTS]
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Any

import numpy as np
import polars as pl
from journal_by_hand import AS_OF, arrays, best, weights
from make_journal import BY, FIELD, big, people, told
from measure import HERE, RUNS
from processes import Spent, palmares, python, spent

from palmares.journal.commands.transaction import Transaction, record_entries
from palmares.journal.projection.project import Delta, apply_entries
from palmares.journal.projection.snapshots import from_snapshot, load_projection
from palmares.journal.store.journal import Journal, open_journal
from palmares.lists import live
from palmares.lists.live import JournalAwards
from palmares.points.awards import Question
from palmares.points.rankings import Selection

DATA = HERE.parent / "build" / "bench" / "journal"
TOURNAMENTS = 100_000
QUESTION = Question(regulation="wbgf")
DAY = Selection(as_of=AS_OF)


def facts(url: str) -> None:
    """All facts of a journal."""
    journal = open_journal(url)
    load_projection(journal)
    journal.close()


# ── one report more ──────────────────────────────────────────────────────────────────────────────


class Clock:
    """Seconds, and seconds of CPU time, of each of several works, run by run."""

    def __init__(self) -> None:
        self.times: dict[str, list[tuple[float, float]]] = {}

    def __call__(self, name: str, work: Callable[[], Any]) -> Any:
        """Do a work and note its time."""
        begun, busy = time.perf_counter(), time.process_time()
        found = work()
        took = time.perf_counter() - begun, time.process_time() - busy
        self.times.setdefault(name, []).append(took)
        return found

    def line(self, *names: str) -> dict[str, float]:
        """The median of a work, or of several one after another."""
        runs = zip(*(self.times[name] for name in names), strict=True)
        sums = [tuple(map(sum, zip(*run, strict=True))) for run in runs]
        ours, cpu = (median(one) for one in zip(*sums, strict=True))
        return {"ours": ours, "cpu": cpu}


def reports(url: str, tournaments: int) -> Iterator[dict[str, Any]]:
    """Report after report, each recorded and ranked; the first is not counted."""
    journal = open_journal(url)
    with journal.reading() as reader:
        kept = live.awards_at(QUESTION, from_snapshot(reader).loaded())
    rng = np.random.default_rng(tournaments)
    clock = Clock()
    for number in range(RUNS + 1):
        if number == 1:
            clock = Clock()
        field = rng.choice(people(tournaments), FIELD, replace=False).tolist()
        kept = one_more(journal, kept, told(tournaments + number, AS_OF, field, 100), clock)
    journal.close()
    yield {"work": "a report recorded: checked, and on the disk", **clock.line("recorded")}
    yield {"work": "**and everybody ranked again**", **clock.line(*AGAIN), "goal": "150 ms",
           "beside": "NumPy: bincount and argsort of all awards",
           "other": clock.line("by hand")["ours"]}  # fmt: skip
    for name in AGAIN:
        yield {"work": f"of which {name}", **clock.line(name)}


AGAIN = ("the facts", "the awards", "the list of the first 100", "the list of all")


def one_more(journal: Journal, kept: JournalAwards, draft: Any, clock: Clock) -> JournalAwards:
    """Record a report, and make the lists that follow."""

    def action(desk: Transaction) -> None:
        desk.extend([draft])

    clock("recorded", lambda: record_entries(journal, BY, action, start=kept.projection))
    delta = clock("the facts", lambda: facts_grown(journal, kept))
    kept = clock("the awards", lambda: live.apply_delta(kept, delta))
    clock("the list of the first 100", lambda: live.ranking(kept, DAY, 100))
    ours = clock("the list of all", lambda: live.ranking(kept, DAY)).frame
    held, worth = arrays(standing(kept)), weights(kept.names.award_classes["effective"])
    first = clock("by hand", lambda: best(held, worth))[:10]
    ids = kept.names.players["player_id"].gather(first).to_list()
    if ids != ours["player_id"].head(10).to_list():
        raise SystemExit("The best ten by hand are others.")
    return kept


def standing(kept: JournalAwards) -> pl.DataFrame:
    """The rows of all awards, each player's newest ones."""
    changed = pl.col("player").is_in(kept.newer.players.tolist())
    return pl.concat([kept.rows.frame.filter(~changed), kept.newer.frame]).rechunk()


def facts_grown(journal: Journal, kept: JournalAwards) -> Delta:
    """The facts after what was recorded since."""
    with journal.reading() as reader:
        return apply_entries(kept.projection, reader)


# ── all of it ────────────────────────────────────────────────────────────────────────────────────


def usual(command: Sequence[str]) -> Spent:
    """The run of the median time."""
    runs = [spent(command) for _ in range(RUNS)]
    return sorted(runs, key=lambda one: one.seconds)[RUNS // 2]


def main(tournaments: int) -> None:
    """Make the journal, measure, throw it away."""
    shutil.rmtree(DATA, ignore_errors=True)
    DATA.mkdir(parents=True)
    os.environ["XDG_CACHE_HOME"] = str(DATA / "cache")
    url = str(DATA / "journal.db")
    try:
        for one in measured(url, tournaments):
            print(json.dumps({"tournaments": tournaments, **one}), flush=True)
    finally:
        shutil.rmtree(DATA, ignore_errors=True)


def measured(url: str, tournaments: int) -> Iterator[dict[str, Any]]:
    """Everything, from no journal to the last list."""
    begun = time.perf_counter()
    big(url, tournaments).close()
    yield {"work": "written, entry by entry", "ours": time.perf_counter() - begun}
    yield whole("facts from its entries; a snapshot kept", spent(facts_of(url)))
    yield whole("awards from the facts, and kept; the best ten", spent(rank(url)))
    yield whole("**opened: facts from the snapshot**", usual(facts_of(url)), "5 s",
                "Polars and sqlite3: tables, names", usual(hand("facts", url)))  # fmt: skip
    yield whole("**ranked: `palmares rank wbgf --top 10`**", usual(rank(url)), "2.5 s",
                "NumPy: arrays, no names", usual(hand("listed", url)))  # fmt: skip
    yield from reports(url, tournaments)


def facts_of(url: str) -> list[str]:
    """All facts of a journal, in a process of its own."""
    return python(HERE / "limits_journal.py", "facts", url)


def hand(name: str, url: str) -> list[str]:
    """The same by hand."""
    return python(HERE / "journal_by_hand.py", name, url)


def rank(url: str) -> list[str]:
    """The command of a person."""
    return palmares("rank", "wbgf", "--journal", url, "--as-of", AS_OF, "--top", 10)


def whole(work: str, ours: Spent, goal: str = "", beside: str = "",
          other: Spent | None = None) -> dict[str, Any]:  # fmt: skip
    """A process as a line."""
    found = {"work": work, "ours": ours.seconds, "cpu": ours.cpu, "memory": ours.memory}
    return {**found, "goal": goal, "beside": beside, "other": other and other.seconds}


if __name__ == "__main__":
    if sys.argv[1:2] == ["facts"]:
        facts(sys.argv[2])
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else TOURNAMENTS)
