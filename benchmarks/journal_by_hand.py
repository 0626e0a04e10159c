"""
What limits_journal.py measures, written by hand: tables without a journal's statements, arrays.

    facts       the tables of the latest snapshot, and every name
    listed      the best ten, from the rows of the awards
    best        players, the best first: floats, no names, no ranks

Usage: python benchmarks/journal_by_hand.py facts|listed JOURNAL
"""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

import numpy as np
import polars as pl

AS_OF = date(2022, 1, 1)
LASTS = 1095  # days, as the sheet has it


def facts(url: str) -> None:
    """The tables of the latest snapshot, and every name."""
    tables = [pl.read_ipc(one) for one in snapshot(url).glob("*.arrow")]
    with sqlite3.connect(url) as connection:
        records = connection.execute("SELECT record FROM persons")
        names = [json.loads(one)["name"] for (one,) in records]
    print(sum(map(len, tables)), len(names))


def listed(url: str) -> None:
    """The best ten, from the rows of the awards."""
    awards = next(snapshot(url).glob("awards-*"))
    worth = weights(pl.read_ipc(awards / "award_classes.arrow")["effective"])
    first = best(arrays(pl.read_ipc(awards / "rows.arrow")), worth)[:10]
    print(pl.read_ipc(awards / "players.arrow")["player_id"].gather(first).to_list())


def snapshot(url: str) -> Path:
    """The folder of the latest snapshot of the only journal there is."""
    return max(Path(url).with_name("cache").glob("palmares/journals/*/*"))


def weights(effective: pl.Series) -> np.ndarray:
    """What a point of each day is still worth."""
    age = (pl.Series([AS_OF] * len(effective)) - effective).dt.total_days().to_numpy()
    return np.clip(1 - age / LASTS, 0, None)


def arrays(rows: pl.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Whose each award is, its day, its points."""
    player, award_class, points = (
        rows[name].to_numpy() for name in ("player", "award_class", "nanopoints")
    )
    return player, award_class, points


def best(awards: tuple[np.ndarray, np.ndarray, np.ndarray], worth: np.ndarray) -> np.ndarray:
    """Players, the best first."""
    player, award_class, points = awards
    return np.argsort(-np.bincount(player, points * worth[award_class]), kind="stable")


MODES: Mapping[str, Callable[[str], None]] = {"facts": facts, "listed": listed}

if __name__ == "__main__":
    MODES[sys.argv[1]](sys.argv[2])
