"""
Worked grants as one table: a row for each player, event, flight and kind of points.

Many rows stay arrays; a few, worked out in plain Python, come as lists. Names are joined to rows
only where they are needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any, NamedTuple, cast

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from palmares.core.rounding import NANO, to_nanopoints
from palmares.facts import Facts
from palmares.facts.schema import WITHHELD
from palmares.points.kernels.formulas import Worked
from palmares.regulations.model import BEFORE, Tournament

SCHEMA = pl.Schema(
    {
        "player_id": pl.String(),
        "player": pl.String(),
        "event_id": pl.String(),
        "event": pl.String(),
        "flight": pl.String(),
        "kind": pl.String(),
        "nanopoints": pl.Int64(),
        "effective": pl.Date(),
        "edition": pl.String(),
        "tournament_id": pl.String(),
        "setting": pl.String(),
        "division": pl.Int64(),
        "nation_now": pl.String(),
        "order": pl.Int64(),
    }
)
"""
What every row has; ``nation`` and the terms follow.

``division`` is the highest of those that played as one, 1 where an event has no divisions.
"""

CHANGE = "change"
"""A term of folds: what an event added to a player's points."""

PUBLIC_NAME = (
    pl.when(pl.col("withheld").fill_null(value=False))
    .then(pl.lit(WITHHELD))
    .otherwise("name")
    .alias("player")
)
"""The name of a player as it may be shown."""

OF_PEOPLE = ("player_id", "player", "nation_now")
OF_ROWS = ("player", "grant", "nanopoints")
OF_GRANTS = tuple(name for name in SCHEMA if name not in (*OF_PEOPLE, "nanopoints"))


class Numbered(Struct, frozen=True, kw_only=True, eq=False):
    """Awards as numbers; the column ``order`` of grants has the order of time."""

    rows: pl.DataFrame  # `OF_ROWS`; the terms; ``nation`` if placings name those at events
    people: pl.DataFrame  # `OF_PEOPLE`; row n is player n
    grants: pl.DataFrame  # `OF_GRANTS`; row n is grant n

    def frame(self) -> pl.DataFrame:
        """The columns of `SCHEMA`, ``nation`` and one column a term, in the order of time.

        The rows of a grant are in the order of ranks, or of players.
        """
        rows = self._in_order()
        frame = pl.concat(
            [
                self.grants.select(pl.all().gather(rows["grant"])),
                self.people.select(pl.all().gather(rows["player"])),
                rows.drop("player", "grant"),
            ],
            how="horizontal",
        )
        terms = [name for name in rows.columns if name not in (*OF_ROWS, "nation")]
        names = [name for name in SCHEMA.names() if name in frame.columns]
        return frame.select(*names, self.nations(rows), *terms)

    def nations(self, rows: pl.DataFrame) -> pl.Series:
        """The nation of each of some rows: the one held at the event, else the one held now."""
        now = self.people["nation_now"].gather(rows["player"]).alias("nation")
        return rows["nation"].fill_null(now) if "nation" in rows.columns else now

    def _in_order(self) -> pl.DataFrame:
        order = self.grants["order"].gather(self.rows["grant"])
        if order.is_sorted():
            return self.rows
        return self.rows.sort(pl.lit(order), maintain_order=True)

    def until(self, day: date) -> Numbered:
        """The awards that count on a day or earlier."""
        counts = (self.grants["effective"] <= day).gather(self.rows["grant"])
        return replace(self, rows=self.rows.filter(counts))


def frames(
    tournaments: Sequence[Tournament], worked: Sequence[Worked], *, terms: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Grants, the columns of `OF_GRANTS`, and their rows: `OF_ROWS` and, if wanted, the terms.

    Args:
        tournaments: of each grant.
        worked: grants whose players are numbers, in the order of time.
        terms: whether to give them, too.
    """
    sizes = [len(each.grant.players) for each in worked]
    grants = pl.int_range(len(sizes), dtype=pl.UInt32, eager=True)
    of = grants.repeat_by(pl.Series(sizes, dtype=pl.UInt32)).explode().alias("grant")
    players = _column([each.grant.players for each in worked]).cast(pl.UInt32)
    nanopoints = _column([each.nanopoints for each in worked])
    rows = pl.DataFrame([players.alias("player"), of, nanopoints.alias("nanopoints")])
    names = _terms(worked) if terms else []
    columns = [_term(worked, name, of).alias(name) for name in names]
    return of_grants(tournaments, worked), rows.with_columns(columns)


def numbered(grants: pl.DataFrame, rows: pl.DataFrame, facts: Facts, ids: pl.Series) -> Numbered:
    """Awards as numbers, with who their players are.

    Args:
        grants: as `frames` gives them.
        rows: of these grants.
        facts: who the players are, and the nations they held at the events.
        ids: of the players, by their numbers.
    """
    return _nation_at_event(Numbered(rows=rows, people=_people(facts, ids), grants=grants), facts)


def of_frame(frame: pl.DataFrame) -> Numbered:
    """Awards that are one table already: each row is a grant of its own."""
    people = frame.select(OF_PEOPLE).unique("player_id", keep="first").sort("player_id")
    numbers = frame["player_id"].cast(pl.Enum(people["player_id"])).to_physical()
    of_grants = [name for name in OF_GRANTS if name in frame.columns]
    return Numbered(
        rows=frame.drop(*of_grants, *OF_PEOPLE).with_columns(
            numbers.cast(pl.UInt32).alias("player"),
            pl.int_range(pl.len(), dtype=pl.UInt32).alias("grant"),
        ),
        people=people,
        grants=frame.select(of_grants),
    )


def of_grants(tournaments: Sequence[Tournament], worked: Sequence[Worked]) -> pl.DataFrame:
    """The columns of `OF_GRANTS`, a row for each grant."""
    grants = [each.grant for each in worked]
    columns = {
        "event_id": [grant.event.event_id for grant in grants],
        "event": [grant.event.name for grant in grants],
        "flight": [grant.flight for grant in grants],
        "kind": [grant.kind for grant in grants],
        "effective": [grant.effective for grant in grants],
        "edition": [grant.rules.edition.id for grant in grants],
        "tournament_id": [tournament.tournament_id for tournament in tournaments],
        "setting": [tournament.setting for tournament in tournaments],
        "division": [min(grant.event.division_ranks, default=1) for grant in grants],
        "order": range(len(grants)),
    }
    return pl.DataFrame(columns, {name: SCHEMA[name] for name in OF_GRANTS})


def row_numbers(rows: pl.DataFrame, different: pl.DataFrame) -> pl.Series:
    """The number of each row: that of the equal row of a table of different ones."""
    on = different.columns
    numbers = different.with_row_index("_number").join(rows, on=on, how="semi", nulls_equal=True)
    joined = rows.join(numbers, on=on, how="left", maintain_order="left", nulls_equal=True)
    return joined["_number"]


def public_players(facts: Facts) -> pl.DataFrame:
    """The players as they may be shown: `OF_PEOPLE`."""
    return facts.tables["players"].select("player_id", PUBLIC_NAME, nation_now="nation")


class PublicPlayer(NamedTuple):
    """A player as they may be shown."""

    name: str
    nation: str | None


def people(facts: Facts) -> dict[str, PublicPlayer]:
    """The players as they may be shown, by id."""
    rows = public_players(facts).iter_rows()
    return {player: PublicPlayer(name, nation) for player, name, nation in rows}


def _people(facts: Facts, ids: pl.Series) -> pl.DataFrame:
    """Id, name and nation of every player, in the order of their numbers."""
    wanted = ids.alias("player_id").cast(pl.String).to_frame()
    return wanted.join(public_players(facts), on="player_id", how="left", maintain_order="left")


# ── terms ────────────────────────────────────────────────────────────────────────────────────────


def _terms(worked: Sequence[Worked]) -> list[str]:
    """The names of all terms, in the order in which formulas give them."""
    names: dict[str, None] = {}
    for each in worked:
        names.update(dict.fromkeys((*each.grant.terms, *each.grant.columns, *each.columns)))
        if BEFORE in each.columns:
            names[CHANGE] = None
    return list(names)


def _term(worked: Sequence[Worked], name: str, of: pl.Series) -> pl.Series:
    """One term of every row: null where a row has no such term."""
    if name in (BEFORE, CHANGE) and any(BEFORE in each.columns for each in worked):
        before = _column([_before(each) for each in worked])
        if name == BEFORE:
            return in_points(before)
        return in_points(_column([each.nanopoints for each in worked]) - before)
    if any(name in each.columns or name in each.grant.columns for each in worked):
        return _column([_cells(each, name) for each in worked])
    common = [each.grant.terms.get(name) for each in worked]
    return _column([common]).gather(of)


def _before(each: Worked) -> Sequence[Any]:
    """Nanopoints before the event; null where a grant is not of a fold."""
    points = each.columns.get(BEFORE)
    if _is_array(points):
        import numpy as np  # it is loaded already: a report of each tournament does without

        return cast("Sequence[int]", np.floor(cast("Any", points) * 1e9 + 0.5).astype(np.int64))
    return (
        [None] * len(each.grant.players)
        if points is None
        else [to_nanopoints(each) for each in points]
    )


def _cells(each: Worked, name: str) -> Sequence[Any]:
    if name in each.columns:
        return each.columns[name]
    if name in each.grant.columns:
        return each.grant.columns[name]
    return [each.grant.terms.get(name)] * len(each.grant.players)


def _column(pieces: Sequence[Sequence[Any]]) -> pl.Series:
    """Numbers laid end to end: Float64 if any of them is not a whole number, else Int64."""
    if pieces and all(map(_is_array, pieces)):
        import numpy as np

        array = np.concatenate([np.asarray(each) for each in pieces])
        return pl.Series(array, dtype=pl.Float64 if array.dtype.kind == "f" else pl.Int64)
    cells = [cell for each in pieces for cell in _plain(each)]
    dtype = pl.Float64 if any(isinstance(cell, float) for cell in cells) else pl.Int64
    return pl.Series(cells, dtype=dtype)


def _plain(values: Sequence[Any]) -> Sequence[Any]:
    return cast("Any", values).tolist() if _is_array(values) else values


def _is_array(values: Any) -> bool:
    """Whether it is an array of NumPy, or its memory."""
    return isinstance(values, memoryview) or hasattr(values, "dtype")


def in_points(nanopoints: pl.Series) -> pl.Series:
    """Nanopoints as points, each the nearest float there is, so that 41.585714286 shows as it is.

    Polars multiplies by the reciprocal where a column is divided by one number, which misses the
    nearest float in two cases of five; NumPy divides.
    """
    import numpy as np  # before Polars does: interrupted there, it would end in a panic of Rust

    missing = nanopoints.is_null()
    points = pl.Series(nanopoints.name, np.divide(nanopoints.fill_null(0).to_numpy(), NANO))
    return points.set(missing, None) if missing.any() else points


POINTS = pl.col("nanopoints").map_batches(in_points, return_dtype=pl.Float64).alias("points")
"""The column ``points`` of a frame that has nanopoints."""


# ── nations ──────────────────────────────────────────────────────────────────────────────────────


def _nation_at_event(awards: Numbered, facts: Facts) -> Numbered:
    """Awards with the nation that a placing states, if it does (reading W17)."""
    key = ("event_id", "flight", "player_id")
    placings = facts.tables["placings"]
    if placings["nation"].null_count() == len(placings):
        return awards
    stated = placings.filter(pl.col("nation").is_not_null()).select(
        "event_id", pl.col("flight").fill_null("main"), "player_id", "nation"
    )
    rows = awards.grants.select(pl.col("event_id", "flight").gather(awards.rows["grant"]))
    rows = rows.with_columns(awards.people["player_id"].gather(awards.rows["player"]))
    nations = rows.join(stated, on=key, how="left", maintain_order="left")["nation"]
    return replace(awards, rows=awards.rows.with_columns(nations))
