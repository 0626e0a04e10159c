"""
What was measured, as Markdown.

    table       rows of text  ->  a table, its columns aligned
    limits      results of `measure.side_by_side`  ->  a table, a row a way
    ranking     what limits_ranking.py prints  ->  three tables
    history     what limits_history.py prints  ->  a table
    journal     what limits_journal.py prints  ->  a table
    site        what limits_site.py prints  ->  three tables
    event       what limits_events.py prints  ->  a table
    shown, much seconds and bytes as a person reads them
    machine     what it was measured on
    replaced    a page  ->  its parts, some of them made anew
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from measure import copy_rates, cores

LIBRARIES = ("numba", "numpy", "polars", "duckdb", "pandas", "click")


def table(*header: str, rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table, its columns aligned."""
    whole = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*whole, strict=True)]
    lines = ["| " + " | ".join(map(str.ljust, row, widths)) + " |" for row in whole]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def limits(found: Sequence[Mapping[str, Any]]) -> str:
    """Ways side by side; the first is ours, the second the loop by hand it is compared with."""
    ours = found[0]["seconds"]
    rows = [
        [
            one["way"],
            shown(one["seconds"]) + (f" (of {one['runs']})" if one["runs"] < 5 else ""),
            f"{one['seconds'] / ours:.2f}",
            shown(one["cpu"]),
            f"{one['copies']:.1f}",
            much(one["memory"]),
        ]
        for one in found
    ]
    header = ("way", "time", "times ours", "CPU time", "copies of the input", "memory beyond it")
    return table(*header, rows=rows)


RANKING = {
    "ours": "ours: palmares.points.ledger",
    "by_hand": "Numba by hand",
    "numpy": "NumPy",
    "polars": "Polars",
    "duckdb": "DuckDB",
    "pandas": "pandas",
}


def ranking(found: Sequence[Mapping[str, Any]]) -> str:
    """Sorting by player, once; then the list of a day in every way, ours first."""
    few, whole, day = found
    sorting = table(
        "set-up, once",
        "rows",
        "ours",
        "numpy.argsort",
        "copies of the input",
        rows=[
            [
                "sort by player",
                f"{one['rows']:,}",
                shown(one["ours"]),
                shown(one["numpy"]) if "numpy" in one else "",
                f"{one['ours'] / one['copy']:.1f}",
            ]
            for one in (few, whole)
        ],
    )
    rows = [
        [
            name,
            shown(day[key]),
            f"{day[key] / day['ours']:.2f}",
            f"{day[key] / day['copy']:.1f}",
            f"{day['bytes_per_row'][key]:.2f}",
        ]
        for key, name in RANKING.items()
    ]
    header = ("way", "time", "times ours", "copies of the input", "bytes a row beyond it")
    return f"{sorting}\n\n{day['rows']:,} awards\n\n{table(*header, rows=rows)}"


def history(found: Sequence[Mapping[str, Any]]) -> str:
    """What a sweep takes, and each day by itself."""
    each = next(one for one in found if "recomputing_each_day_extrapolated" in one)
    days = each["recomputing_each_day_extrapolated"]
    rows = [[one["name"].removeprefix("history: "), shown(one["ours"])] for one in found]
    rows.append([f"each day by itself (from {each['days_measured']} days)", shown(days)])
    return f"{each['rows']:,} awards; one run each\n\n{table('work', 'ours', rows=rows)}"


def journal(found: Sequence[Mapping[str, Any]]) -> str:
    """What a journal takes, and the same by hand."""
    rows = [
        [
            one["work"],
            shown(one["ours"]),
            one.get("goal", ""),
            shown(one["cpu"]) if "cpu" in one else "",
            much(one["memory"]) if "memory" in one else "",
            f"{one['beside']}: {shown(one['other'])}" if one.get("beside") else "",
        ]
        for one in found
    ]
    many = found[0]["tournaments"]
    header = ("work", "ours", "goal", "CPU time", "peak memory", "by hand")
    return f"{many:,} tournaments of 50.\n\n{table(*header, rows=rows)}"


def event(found: Sequence[Mapping[str, Any]]) -> str:
    """What directors and phones waited for, and whether anything was lost."""
    (one,) = found
    rows = [
        ["a result until it is on disk and answered", shown(one["tap"]), shown(one["tap_95"])],
        ["until a phone hears of it", shown(one["heard"]), shown(one["heard_95"])],
        [f"the page again, {one['pages']:,} times", shown(one["page"]), shown(one["page_95"])],
    ]
    return (
        f"{one['phones']} phones, {one['taps']} taps of two directors, {one['results']} results,"
        f" {one['refused']} contradictions refused: {one['lost']} lost, {one['behind']} phones"
        f" behind in the end, {much(one['memory'])}.\n\n"
        + table("work", "median", "95 of 100", rows=rows)
        + "\n\nA draw of 4,096 entrants, kept apart for two rounds, CPU time:"
        f" {shown(one['draw_100_clubs'])} with 100 clubs of 8,"
        f" {shown(one['draw_4_nations'])} with four nations of 300 (goal 0.5 s)."
    )


def site(found: Sequence[Mapping[str, Any]]) -> str:
    """What is answered from what is kept, beside a bare handler; all the rest; pages made cold."""
    kept = [
        [
            one["work"],
            f"{one['bytes']:,}",
            f"{one['ours']:,.0f}",
            f"{one['bare']:,.0f}",
            f"{one['ratio']:.2f}",
            shown(one["cpu"]),
            shown(one["cpu_bare"]),
            f"{one['cpu_ratio']:.2f}",
        ]
        for one in found
        if "ratio" in one
    ]
    rest = [
        [
            one["work"],
            shown(one["ours"]) if "ours" in one else "",
            shown(one["most"]) if "most" in one else "",
            shown(one["cpu"]) if "cpu" in one else "",
            much(one["memory"]) if "memory" in one else "",
            much(one["own"]) if "own" in one else "",
            one["goal"],
        ]
        for one in found
        if "work" in one and "ratio" not in one
    ]
    pages = [[one["page"], shown(one["cpu"]), shown(one["most"])] for one in found if "page" in one]
    header = ("the list of 100, kept", "bytes", "ours a second", "bare handler", "ratio; goal 0.70",
              "CPU time of one", "of the bare one", "ratio")  # fmt: skip
    other = ("work", "time", "longest", "CPU time", "memory", "of its own", "goal")
    cold = ("each page of a reader, cold", "CPU time; goal 15 ms", "longest")
    tables = table(*header, rows=kept), table(*other, rows=rest), table(*cold, rows=pages)
    return "\n\n".join(tables)


def shown(value: float) -> str:
    """Seconds: three digits are enough."""
    if value < 0.1:
        return f"{value * 1000:.3g} ms"
    return f"{value:.2f} s" if value < 10 else f"{value:,.0f} s"


def much(value: float | None) -> str:
    """Bytes."""
    if value is None:
        return "not known"
    return f"{value / 2**30:.2f} GiB" if value >= 2**30 else f"{value / 2**20:.0f} MiB"


def machine() -> str:
    """What it was measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    libraries = ", ".join(f"{name} {version(name)}" for name in LIBRARIES)
    one, two = (f"{rate / 1e9:.1f}" for rate in copy_rates(1, 2))
    return (
        f"{cores()} cores, {memory:.0f} GiB, {platform.system()} {platform.machine()}; "
        f"Python {platform.python_version()}, {libraries}. Memory is copied at {one} GB/s by one "
        f"thread and {two} GB/s by two."
    )


def replaced(page: str, parts: Mapping[str, str]) -> str:
    """The page below its head, some parts made anew; one with nothing new stays as it is."""
    _, *old = re.split(r"^(?=## )", page, flags=re.MULTILINE)
    kept = {text.partition("\n")[0]: text for text in old}
    made = {title: f"{title}\n\n{text}\n\n" for title, text in parts.items() if text}
    whole = [made.get(title, kept.get(title, "")) for title in parts]
    return "".join(whole).rstrip() + "\n"
