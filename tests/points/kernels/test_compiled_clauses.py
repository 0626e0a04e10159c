"""Every clause of every regulation has a compiled form that gives the same, or a reason not to."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from palmares.points.kernels import compiled
from palmares.regulations import (
    REGULATIONS,
    dptr,
    usbgf,
    usbgf_streaming,
    wbf_imps,
    wbf_vp,
    wbgf,
)
from palmares.regulations.editions import rulebook

W, U, D, S, V = (
    rulebook(name, module.Constants).all[-1].constants
    for name, module in (
        ("wbgf", wbgf),
        ("usbgf", usbgf),
        ("dptr", dptr),
        ("usbgf-streaming", usbgf_streaming),
        ("wbf-vp", wbf_vp),
    )
)
SUMS = np.array([0.0, 3.5, 5.25, 6.25])
CELLS = np.array([1000, 1031, 1061, 1091])
CURVE = (10.0, 60.0, 0.23606797749978975)

# fmt: off
COMPILED: list[tuple[ModuleType, str, tuple[Any, ...]]] = [
    (wbgf,   "euros",                           (100.0, 0.875, "a report")),
    (wbgf,   "grade",                           (W, 200.0, 1000.0, 48)),
    (wbgf,   "capped_grade",                    (W, 7.5)),
    (wbgf,   "with_bonus",                      (5.0, 1.5)),
    (wbgf,   "size_scaling",                    (W, 48)),
    (wbgf,   "size_scaling",                    (W, 300)),
    (wbgf,   "tied_reward",                     (SUMS, 2, 2)),
    (wbgf,   "performance_points",              (W, 4.0, 0.75, 48.0, 2.5, 60.0)),
    (wbgf,   "super_jackpot_factor",            (W,)),
    (wbgf,   "intermediate_grade",              (W, 250.0)),
    (wbgf,   "intermediate_factor",             (W,)),
    (wbgf,   "days_left",                       (W, 1000)),
    (wbgf,   "days_left",                       (W, 2000)),
    (wbgf,   "wr",                              (W, 37.5, 95.0)),
    (usbgf,  "match_win_master_points",         (3.0, 0.5, 1.25)),
    (usbgf,  "placement_master_points",         (3.0, 0.5, 4.75)),
    (usbgf,  "division_weight",                 (U, 1.0)),
    (usbgf,  "division_weight",                 (U, 5.0)),
    (usbgf,  "division_weight_quick_reference", (U, 2.0)),
    (usbgf,  "division_weight_quick_reference", (U, 5.0)),
    (usbgf,  "match_win_points",                (U, 13.0)),
    (usbgf,  "series_length",                   (7.0, 2)),
    (usbgf,  "series_length",                   (7.0, 1)),
    (usbgf,  "ranked_without_bracket",          (U, 37)),
    (usbgf,  "distance",                        (2, 1)),
    (usbgf,  "split_rank_factor",               (SUMS, 1, 3)),
    (usbgf,  "rank_points",                     (U, 5.5, 0.25)),
    (usbgf,  "event_size_factor",               (37.0,)),
    (usbgf,  "rank_factor",                     (U, 2.0)),
    (usbgf,  "rank_factor",                     (U, 7.0)),
    (dptr,   "initial_rating",                  (D,)),
    (dptr,   "percentile",                      (D, 65, 8)),
    (dptr,   "tournament_value",                (D, 21, 1, 2004, False)),
    (dptr,   "tournament_value",                (D, 21, 2, 2000, True)),
    (dptr,   "capped_value",                    (D, 20.5)),
    (dptr,   "counts",                          (D, 2000, False)),
    (dptr,   "new_rating",                      (55.0, 15.0, 88.46)),
    (usbgf_streaming, "guarantee",              (S, 2.0)),
    (usbgf_streaming, "baggage",                (S,)),
    (usbgf_streaming, "expenses",               (100.0, 50.0)),
    (usbgf_streaming, "carried_over",           (180.0, 150.0)),
    (wbf_imps, "imps",                          (np.array([0.0, 20.0, 50.0]), 40.0)),
    (wbf_vp, "loser_cells",                     (2000, 1203)),
    (wbf_vp, "vmap",                            (7.0, *CURVE)),
    (wbf_vp, "ratio",                           (V,)),
    (wbf_vp, "blitz",                           (V, 20.0)),
    (wbf_vp, "imap",                            (12.5, *CURVE)),
    (wbf_vp, "bulges",                          (1000, 1031, 1063)),
    (wbf_vp, "winner_cells",                    (CELLS, -2)),
    (wbf_vp, "winner_cells",                    (CELLS, 500)),
    (wbf_vp, "second_range_is_as_wide",         (2, 7)),
    (wbf_vp, "range_is_as_wide",                (2, 7, 11)),
    (wbf_vp, "bracketed",                       (2, 2.5, 7)),
]
# fmt: on

ROW = "gives or takes a row of numbers, made once an event and then read by the row's formulas"
TEXT = "takes text"
DATE = "takes a date"
EXACT = "is settled on exact fractions, and looked up in bulk"
ONCE = "is asked once an event, and no row's formula calls it"
LEFT_TO_PYTHON = {
    wbgf: {
        "format_factor": TEXT,
        "rank_rewards": ROW,
        "total_reward": ROW,
        "age": DATE,
        "age_without_29_february": DATE,
    },
    usbgf: {
        "recognition_level": TEXT,
        "eligible": TEXT,
        "match_win": TEXT,
        "event_weight": TEXT,
        "level_of_type": TEXT,
        "highest_division": ROW,
        "cumulated_rank_factors": ROW,
        "ranked_in_bracket": ONCE,
        "online_effective": DATE,
        "live_effective": DATE,
    },
    wbf_imps: {},
    usbgf_streaming: {},
    wbf_vp: {
        "rounded_cells": EXACT,
        "cusp": EXACT,
        "concave": ROW,
        "mid_scores": ROW,
        "widening": ROW,
    },
}


@pytest.mark.parametrize(("module", "name", "given"), COMPILED)
def test_the_twin_gives_the_same(module: ModuleType, name: str, given: tuple[Any, ...]) -> None:
    machine, plain = compiled.jitted(module)[name](*given), getattr(module, name)(*given)
    assert machine == plain


@pytest.mark.parametrize("line", REGULATIONS, ids=lambda line: str(line.name))
def test_every_clause_is_compiled_or_says_why_not(line: Any) -> None:
    """What is marked as plain only says so beside its clause."""
    module = import_module(line.module)
    marks = {n: one.plain_only for n, one in vars(module).items() if hasattr(one, "plain_only")}
    jitted = {name for owner, name, _ in COMPILED if owner is module}
    left = set(LEFT_TO_PYTHON.get(module, ()))
    assert {name for name, plain_only in marks.items() if not plain_only} == jitted | left
    assert not jitted & left
