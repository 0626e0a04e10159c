"""
Made-up awards for tests of ledgers and sweeps: ties, nothing, several editions, settings, kinds.

    awards      a regulation, rows  ->  Awards
    seasons     any regulation and some rows of it (Hypothesis)
    selections  the day, and what else decides which awards count (Hypothesis)
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import Any, NamedTuple

import polars as pl
from hypothesis import strategies as st

from palmares.points.award_table import of_frame
from palmares.points.awards import Awards, Question
from palmares.points.rankings import TOTAL, Selection

START = date(2020, 2, 20)
NAMES = ("Ada", "Ben", "Ben", "Cy", "Dee", "Eva")  # p1 and p2 have one name
NATIONS = ("CZE", "GER", None, "CZE", "ENG", None)


class Row(NamedTuple):
    """An award, in short."""

    player: int
    day: int  # after START
    nanopoints: int
    edition: str = "undated"
    setting: str = "live"
    kind: str = "performance"
    division: int = 1


def awards(question: Question, rows: Iterable[Row]) -> Awards:
    """The awards of a regulation, in the order given."""
    cells: list[dict[str, Any]] = [
        {
            "player_id": f"p{row.player}",
            "player": NAMES[row.player],
            "kind": row.kind,
            "nanopoints": row.nanopoints,
            "effective": START + timedelta(days=row.day),
            "edition": row.edition,
            "setting": row.setting,
            "division": row.division,
            "nation_now": NATIONS[row.player],
            "nation": NATIONS[(row.player + row.day) % len(NATIONS)],  # held at the event
            "order": order,
        }
        for order, row in enumerate(rows)
    ]
    schema = {
        "player_id": pl.String,
        "player": pl.String,
        "kind": pl.String,
        "nanopoints": pl.Int64,
        "effective": pl.Date,
        "edition": pl.String,
        "setting": pl.String,
        "division": pl.Int64,
        "nation_now": pl.String,
        "nation": pl.String,
        "order": pl.Int64,
    }
    return Awards(question=question, numbered=of_frame(pl.DataFrame(cells, schema)))


QUESTIONS = (
    Question(regulation="wbgf"),
    Question(regulation="wbgf", chosen={"W3": "skip-29-feb"}),
    Question(regulation="usbgf"),
    Question(regulation="dptr"),
)
HELD = {
    "wbgf": (("undated",), ("performance",)),
    "usbgf": (("2015-05", "2019-01"), ("match", "placement")),
    "dptr": (("2019-10",), ("rating",)),
}
POINTS = st.one_of(
    st.integers(-3, 3),
    st.sampled_from([0, 1095, 10**9]),
    st.integers(10**9, 10**9 + 3000),  # within a millionth of a point, or not
    st.integers(-(10**14), 10**14),
)
DAYS = st.one_of(st.integers(0, 30), st.integers(1080, 1110), st.integers(0, 1300))


@st.composite
def seasons(draw: st.DrawFn, questions: tuple[Question, ...] = QUESTIONS) -> Awards:
    """Any regulation, and up to 30 awards of it."""
    question = draw(st.sampled_from(questions))
    editions, kinds = HELD[question.regulation]
    row = st.builds(
        Row,
        player=st.integers(0, len(NAMES) - 1),
        day=DAYS,
        nanopoints=POINTS,
        edition=st.sampled_from(editions),
        setting=st.sampled_from(["live", "online"]),
        kind=st.sampled_from(kinds),
        division=st.integers(1, 3),
    )
    return awards(question, draw(st.lists(row, max_size=30)))


@st.composite
def selections(draw: st.DrawFn, question: Question) -> Selection:
    """Any day, and any of the rest; nobody asks for a time that ends before it begins."""
    day = DAYS.map(lambda after: START + timedelta(days=after))
    latest = question.aggregate.latest  # a rating has no divisions
    as_of, since, until = draw(day), draw(st.none() | day), draw(st.none() | day)
    if since is not None and until is not None:
        since, until = sorted((since, until))
    return Selection(
        as_of=as_of,
        since=since,
        until=until,
        setting=draw(st.sampled_from([None, "live", "online"])),
        kind=draw(st.sampled_from([TOTAL, *question.get_regulation().kinds])),
        nation=draw(st.sampled_from([None, None, "CZE", "GER", "USA"])),
        divisions=() if latest else draw(st.sampled_from([(), (), (1,), (2, 3)])),
    )
