"""
Victory points of many matches between teams at once.

    match_vps   facts  ->  the margin and both sides' VPs of each match of teams

What a match gives by the scale, without penalties and awards of the director; `palmares standings`
adds those, and says what byes are worth in an event.
"""

from __future__ import annotations

from fractions import Fraction

import polars as pl

from palmares.bridge.board_results import imps_of_matches
from palmares.bridge.vp import CONTINUOUS, convert, scale_of
from palmares.facts import Facts
from palmares.regulations import wbf_standings

SCHEMA = pl.Schema(
    {
        "match_id": pl.String(),
        "event_id": pl.String(),
        "round": pl.String(),
        "home": pl.String(),
        "away": pl.String(),
        "status": pl.String(),
        "boards": pl.Int64(),
        "scale": pl.String(),
        "margin": pl.Int64(),
        "home_vp": pl.String(),
        "away_vp": pl.String(),
    }
)
"""``margin``: the home side's; without one, and without VPs, in byes and void matches."""

PLAYED = "played"


def match_vps(facts: Facts, scale: str = CONTINUOUS) -> pl.DataFrame:
    """The margin and both sides' VPs of each match, in the columns of `SCHEMA`.

    Args:
        facts: checked; a match with board results has its IMPs from them.
        scale: one of `palmares.bridge.vp.SCALES`.

    Raises:
        Refused: there is no such scale.
    """
    scale_of(1, scale)
    matches = _with_boards(facts)
    carried = [pl.col(f"{side}_carry_imps").fill_null(0) for side in ("home", "away")]
    home, away = (
        pl.col(f"{side}_imps") + carry
        for side, carry in zip(("home", "away"), carried, strict=True)
    )
    split = pl.col("split_home_imps").is_not_null()  # the score that counts for the away side
    with_scores = matches.with_columns(
        pl.col("status").fill_null(PLAYED),
        pl.lit(scale).alias("scale"),
        home.alias("_home"),
        away.alias("_away"),
        pl.when(split).then(pl.col("split_home_imps") + carried[0]).otherwise(home).alias("_for"),
        pl.when(split).then(pl.col("split_away_imps") + carried[1]).otherwise(away).alias("_own"),
        pl.int_range(pl.len()).alias("_at"),
    )
    played = with_scores.filter(pl.col("status") == PLAYED)
    played = _margins(_margins(played, "margin", "_home", "_away"), "_margin_away", "_own", "_for")
    scored = [
        part.select(
            "_at",
            "margin",
            _shown(part["margin"], boards, scale).alias("home_vp"),
            _shown(part["_margin_away"], boards, scale).alias("away_vp"),
        )
        for (boards,), part in played.group_by("boards", maintain_order=True)
    ]
    nothing = played.select("_at", "margin", *(pl.lit(None, pl.String).alias(one) for one in _VPS))
    results = pl.concat([nothing.head(0), *scored])
    joined = with_scores.join(results, on="_at", how="left", maintain_order="left")
    return joined.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


_VPS = ("home_vp", "away_vp")


def _with_boards(facts: Facts) -> pl.DataFrame:
    """The matches, with the IMPs that board results come to."""
    matches = facts["team_matches"]
    if facts["boards"].is_empty():
        return matches
    names = ("home_imps", "away_imps")
    rows = [
        (match, *(imps[name] for name in names)) for match, imps in imps_of_matches(facts).items()
    ]
    kinds = {"match_id": pl.String} | {f"_{name}": matches.schema[name] for name in names}
    scores = pl.DataFrame(rows, schema=kinds, orient="row")
    joined = matches.join(scores, on="match_id", how="left", maintain_order="left")
    return joined.with_columns(pl.coalesce(f"_{name}", name).alias(name) for name in names)


def _margins(rows: pl.DataFrame, name: str, won: str, lost: str) -> pl.DataFrame:
    """Rows with a side's margin: worked out once for every pair of scores there is."""
    pairs = rows.select(won, lost).unique()
    margins = [wbf_standings.margin(Fraction(a), Fraction(b)) for a, b in pairs.iter_rows()]
    pairs = pairs.with_columns(pl.Series(name, margins, dtype=pl.Int64))
    return rows.join(pairs, on=[won, lost], how="left", maintain_order="left")


def _shown(margins: pl.Series, boards: int, scale: str) -> pl.Series:
    """VPs as text, with the decimals the scale has."""
    cells: pl.Series = convert(margins, boards, scale)
    vp_scale = scale_of(boards, scale)
    texts = {cell: vp_scale.shown(cell) for cell in cells.unique()}
    return cells.replace_strict(texts, return_dtype=pl.String)
