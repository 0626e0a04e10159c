"""
The tables of facts: their columns, keys and references, and the frames that hold them.

A column is read as one of ten kinds, of which `palmares.facts.cells` says what they accept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cache
from typing import Any, Literal, TypeVar, cast

import polars as pl
from msgspec import Struct

from palmares.core.errors import Problem
from palmares.core.messages import msg


class Encoded(Struct, frozen=True):
    """Texts by number: those of row n are ``values[codes[n]]``."""

    codes: pl.Series  # UInt32; null where there is no text
    values: pl.Series  # String: each different text once, in any order


def encoded(texts: pl.Series) -> Encoded:
    """The dictionary of a String column.

    A categorical of its own numbers its texts from 0 without a gap.
    """
    words = texts.alias("").cast(pl.Categorical(pl.Categories.random()))
    codes = words.to_physical()
    most = cast("int | None", codes.max())
    numbers = pl.int_range(0 if most is None else most + 1, dtype=pl.UInt32, eager=True).alias("")
    return Encoded(codes, numbers.cat.to(words.dtype).cast(pl.String))


Kind = Literal[
    "id", "text", "whole", "decimal", "date", "flag", "choice", "nation", "country", "currency"
]

T = TypeVar("T")

WITHHELD = "(withheld)"
"""What is shown in place of a name that is not."""

FILE, LINE = "_file", "_line"
"""Where a row comes from: the file as the user named it, the line (or row) counted from 1."""

SCALE = 12
MONEY = pl.Decimal(38, SCALE)
TYPES: Mapping[Kind, Any] = {
    "id": pl.String(),
    "text": pl.String(),
    "whole": pl.Int64(),
    "decimal": MONEY,
    "date": pl.Date(),
    "flag": pl.Boolean(),
    "choice": pl.String(),
    "nation": pl.String(),
    "country": pl.String(),
    "currency": pl.String(),
}


class Column(Struct, frozen=True, kw_only=True):
    """One column of a table."""

    name: str
    kind: Kind
    means: str
    required: bool = False
    choices: tuple[str, ...] = ()
    question: str = ""  # in plain words, where it is missing
    others: bool = False  # a choice that may also be some other word
    minimum: int | None = None
    maximum: int | None = None
    usual: int | None = None  # more is a slip of the pen far more often than not
    above_zero: bool = False
    money: bool = False  # an amount of money
    key: bool = False  # one of the columns that tell a row of the table from every other
    refers_to: str = ""  # the table whose id it holds

    @property
    def type(self) -> Any:
        """How Polars holds it."""
        return TYPES[self.kind]


def _column(name: str, kind: Kind, means: str, **more: Any) -> Column:
    """A column whose name, where it ends in a star, is required."""
    return Column(
        name=name.rstrip("*"), kind=kind, means=means, required=name.endswith("*"), **more
    )


def _table(*columns: Column) -> Mapping[str, Column]:
    return {column.name: column for column in columns}


MOST_ENTRANTS = 10_000_000
"""A formula may need every rank of a field: a slip of the pen must not fill the memory."""
FLIGHTS = ("main", "consolation", "last_chance")
FLIGHT_NAMES = {
    "main": msg("the main event"),
    "consolation": msg("the consolation"),
    "last_chance": msg("the last chance"),
}
"""What flights are called in a question."""

# fmt: off
TABLES: Mapping[str, Mapping[str, Column]] = {
    "players": _table(
        _column("player_id*", "id", "the player's id, any text", key=True),
        _column("name*", "text", "the name as it is shown"),
        _column("nation", "nation", "the nation held now: ISO 3166-1 alpha-3, or a sport code"),
        _column("withheld", "flag", "the name is not shown; place and points stay"),
    ),
    "memberships": _table(
        _column("player_id*", "id", "who is a member", refers_to="players"),
        _column("federation*", "text", "of which federation"),
        _column("level", "text", "the level of membership, in the federation's word"),
        _column("start*", "date", "the first day"),
        _column("end", "date", "the last day; empty: still a member"),
    ),
    "tournaments": _table(
        _column("tournament_id*", "id", "the tournament's id, any text", key=True),
        _column("name*", "text", "its name", question="What is the tournament called?"),
        _column("discipline", "text", "backgammon, bridge, diplomacy, ...; empty: any",
                question="Which game was played?"),
        _column("start_date", "date", "its first day", question="What was its first day?"),
        _column("end_date*", "date", "its last day", question="What was its last day?"),
        _column("city", "text", "where it was held",
                question="In which city was it held?"),
        _column("country", "country", "in which country",
                question="In which country was it held?"),
        _column("setting", "choice", "live or online; empty: live", choices=("live", "online"),
                question="Was it played live or online?"),
        _column("currency", "currency", "of its fees, ISO 4217; empty: EUR",
                question="In which currency were its fees?"),
        _column("eur_per_unit", "decimal", "euro per unit of that currency, as the report says",
                above_zero=True, usual=20),
        _column("date_of_record", "date", "the day that chooses the edition"),
    ),
    "events": _table(
        _column("event_id*", "id", "the event's id, any text", key=True),
        _column("tournament_id*", "id", "the tournament it belongs to", refers_to="tournaments"),
        _column("name*", "text", "its name"),
        _column("kind", "choice", "what it is to the wbgf; empty: other",
                choices=("championship", "intermediate", "super_jackpot", "other"),
                question="What kind of event was it?"),
        _column("event_type", "text", "its name in USBGF Appendix A",
                question="Which type of event was it?"),
        _column("division_rank", "text",
                "1 for the highest; 1+2 for two combined; empty: no skill divisions"),
        _column("entrants", "whole", "unique players, listed or not",
                minimum=0, maximum=MOST_ENTRANTS, usual=10_000),
        _column("entry_fee", "decimal", "the entry fee alone, without registration", minimum=0,
                money=True, usual=1_000_000,
                question="What was the entry fee, without registration?"),
        _column("added_money", "decimal", "money added by the organiser", minimum=0, money=True,
                usual=10_000_000),
        _column("bonus_grade", "decimal", "added to the grade after its cap", minimum=0, usual=10),
        _column("rounds", "whole", "rounds played", minimum=1,
                question="How many rounds were played?", usual=100),
        _column("world_championship", "flag", "it was the World Championship"),
        _column("national_championship", "flag", "it was a national championship"),
        _column("team", "flag", "teams played, not players"),
        _column("event_level", "whole", "an officer's level for a type not in the table",
                minimum=0, maximum=6),
        _column("date_of_record", "date", "wins over the tournament's"),
        _column("completed_on", "date", "the day of its last match; empty: the last played_on"),
        _column("sequence", "whole", "its order among events of the same dates", minimum=0),
        _column("not_counted_in", "text", "regulations whose officers left it out, with spaces"),
    ),
    "flights": _table(
        _column("event_id*", "id", "the event it belongs to", key=True, refers_to="events"),
        _column("flight*", "choice", "which flight", choices=FLIGHTS, others=True, key=True),
        _column("entrants*", "whole", "unique players, listed or not",
                minimum=0, maximum=MOST_ENTRANTS,
                question="How many players entered %(flight)s?", usual=10_000),
        _column("format", "choice", "how it was played; empty: nobody says",
                choices=("knockout", "double_knockout", "swiss", "round_robin")),
        _column("match_length", "whole", "points of its matches", minimum=1, usual=99),
    ),
    "placings": _table(
        _column("event_id*", "id", "the event", key=True, refers_to="events"),
        _column("flight", "choice", "the flight; empty: main", choices=FLIGHTS, others=True,
                key=True),
        _column("player_id*", "id", "who was placed", key=True, refers_to="players"),
        _column("rank*", "whole",
                "competition rank: 1, 2, 3, 3, 5; leave out rows of players who are not named",
                minimum=1),
        _column("tied", "whole", "how many share the rank, unlisted players included", minimum=1),
        _column("designated", "flag", "a ranked finisher by the director's word"),
        _column("rounds_behind", "whole", "rounds behind the flight's winner", minimum=0, usual=40),
        _column("nation", "nation", "the nation held at the event"),
    ),
    "matches": _table(
        _column("match_id*", "id", "the match's id, any text", key=True),
        _column("event_id*", "id", "the event", refers_to="events"),
        _column("flight", "choice", "the flight; empty: main", choices=FLIGHTS, others=True),
        _column("round", "text", "the round, in the director's word"),
        _column("played_on", "date", "the day it was played"),
        _column("length*", "whole", "points to win it", minimum=0, usual=99),
        _column("winner_id*", "id", "who won", refers_to="players"),
        _column("loser_id", "id", "who lost; empty for a bye", refers_to="players"),
        _column("status", "choice", "empty: played",
                choices=("played", "bye", "walkover", "series")),
        _column("series_wins", "whole", "matches that win the series", minimum=1, usual=20),
    ),
    "team_matches": _table(
        _column("match_id*", "id", "the match's id, any text", key=True),
        _column("event_id*", "id", "the event", refers_to="events"),
        _column("round", "text", "the round, in the director's word"),
        _column("home*", "text", "one team"),
        _column("away", "text", "the other team; empty or any word in a bye"),
        _column("boards", "whole", "boards played; a bye or a void match may have 0 or nothing",
                minimum=0, maximum=1_000_000, usual=1_000),
        _column("home_imps", "decimal", "whole IMPs of the one; none in a bye", minimum=0,
                usual=1_000),
        _column("away_imps", "decimal", "whole IMPs of the other", minimum=0,
                usual=1_000),
        _column("played_on", "date", "the day it was played"),
        _column("home_adjust_vp", "decimal", "VPs given to the one, or taken: -0.5", usual=60),
        _column("away_adjust_vp", "decimal", "VPs given to the other, or taken", usual=60),
        _column("status", "choice", "empty: played", choices=("played", "bye", "void")),
        _column("home_carry_imps", "decimal", "IMPs the one carried in; fractions are allowed",
                minimum=0),
        _column("away_carry_imps", "decimal", "IMPs the other carried in", minimum=0),
        _column("split_home_imps", "decimal", "the one's IMPs in the score that counts for the "
                "other, where the director split it; fractions are allowed", minimum=0),
        _column("split_away_imps", "decimal", "the other's IMPs in that score", minimum=0),
    ),
    "boards": _table(
        _column("match_id*", "id", "the match of teams", key=True, refers_to="team_matches"),
        _column("board*", "whole", "the board's number", minimum=1, key=True),
        _column("home_points*", "whole", "points of the one where it sat North-South; negative: "
                "it lost them"),
        _column("away_points", "whole", "points of the other where that sat North-South; empty: "
                "home_points is the difference already"),
    ),
    "teams": _table(
        _column("event_id*", "id", "the event", key=True, refers_to="events"),
        _column("team*", "text", "the team, as its matches name it", key=True),
        _column("name", "text", "its full name, if longer"),
        _column("carried_vp", "decimal", "VPs carried forward from an earlier stage", usual=1_000),
        _column("withdrawn", "flag", "the team withdrew"),
        _column("lot", "whole", "the lot the director drew to part a tie: 1 is best", minimum=1),
    ),
    "rates": _table(
        _column("currency*", "currency", "ISO 4217", key=True),
        _column("date*", "date", "the day of the rate", key=True),
        _column("eur_per_unit", "decimal", "euro per unit",
                above_zero=True, usual=20),
        _column("units_per_eur", "decimal", "units per euro, as the European Central Bank prints "
                "it; in place of eur_per_unit", above_zero=True),
        _column("source", "text", "whose rate it is"),
        _column("published_on", "date", "of a bank's rate that was looked up for this one day: "
                "the day of the bank's figure"),
    ),
}
# fmt: on

KEYS: Mapping[str, tuple[str, ...]] = {
    name: tuple(column.name for column in columns.values() if column.key)
    for name, columns in TABLES.items()
}
"""The columns that tell a row of each table from every other."""
OWNERS: Mapping[str, tuple[str, str]] = {
    name: (column.name, column.refers_to)
    for name, columns in TABLES.items()
    for column in reversed([*columns.values()])
    if column.refers_to not in ("", "players")
}
"""The tables of a report below its tournament: the column that leads up, and to which table."""
REPORT_TABLES = ("tournaments", *OWNERS)
SHARED_TABLES = tuple(name for name in TABLES if name not in REPORT_TABLES)
"""The tables that no tournament owns: players, memberships and rates."""
PLAYER_COLUMNS: Mapping[str, tuple[str, ...]] = {
    name: columns
    for name in REPORT_TABLES
    if (
        columns := tuple(
            column.name for column in TABLES[name].values() if column.refers_to == "players"
        )
    )
}
"""Where a report names players."""
REFERENCES = tuple(
    (table, column.name, column.refers_to, KEYS[column.refers_to][0])
    for table in REPORT_TABLES
    for column in TABLES[table].values()
    if column.refers_to
)
"""Which column of a report names an id of which other table."""


def cell_columns(name: str) -> tuple[str, ...]:
    """The columns of a table that are no ids: what a report writes under their names."""
    return tuple(column.name for column in TABLES[name].values() if column.kind != "id")


def schema(name: str) -> dict[str, Any]:
    """Column names of a table and how Polars holds them, with file and line at the end."""
    columns = {column.name: column.type for column in TABLES[name].values()}
    return {**columns, FILE: pl.String(), LINE: pl.UInt32()}


def empty(name: str) -> pl.DataFrame:
    """A table without rows: a frame of its own, for callers may add rows in place."""
    return _empty_tables(name).clone()


@cache
def _empty_tables(name: str) -> pl.DataFrame:
    return pl.DataFrame(schema=schema(name))


@dataclass(frozen=True, eq=False, repr=False)
class Facts:
    """Everything known of some tournaments, table by table.

    Every table of ``TABLES`` is there, with every column of it, typed: text and choices as String,
    whole numbers as Int64, decimals as Decimal(38, 12), dates as Date, flags as Boolean. Columns
    we do not know follow as String, then ``_file`` and ``_line``.
    """

    tables: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    notices: tuple[Problem, ...] = ()  #: to be shown; they stop nothing
    bank_until: date | None = None  #: the last day of the bank's data that rates were taken from
    may_wait: bool = False  #: in a journal, an event that a regulation cannot use is left out
    derived: dict[tuple[str, str], Any] = field(default_factory=dict, init=False)
    """What `once` made, by table and name; facts with another table make their own."""

    def __post_init__(self) -> None:
        given = self.tables
        tables = {name: given[name] if name in given else empty(name) for name in TABLES}
        object.__setattr__(self, "tables", tables)

    def __getitem__(self, name: str) -> pl.DataFrame:
        """The table of that name."""
        return self.tables[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the tables that have rows."""
        return (name for name, table in self.tables.items() if table.height)

    def __repr__(self) -> str:
        """How many rows each table has: ``<Facts: players 4, events 1>``."""
        return f"<Facts: {', '.join(f'{name} {self[name].height:,}' for name in self)}>"

    def _repr_html_(self) -> str:
        """What a notebook shows: how many rows each table has, and how much deserves a look."""
        rows = "".join(
            f'<tr><td>{name}</td><td style="text-align:right">{self[name].height:,}</td></tr>'
            for name in self
        )
        head = f"<caption>Facts, {len(self.notices)} notices</caption><tr><th>table</th>"
        return f"<table>{head}<th>rows</th></tr>{rows}</table>"

    def encoded(self, table: str, column: str) -> Encoded:
        """A column of texts as a dictionary, made once."""
        return self.once((table, column), lambda: encoded(self.tables[table][column]))

    def once(self, key: tuple[str, str], make: Callable[[], T]) -> T:
        """What follows from one table alone, by the table and a name for it; made once."""
        if key not in self.derived:
            self.derived[key] = make()
        return cast("T", self.derived[key])

    def noting(self, notices: Iterable[Problem]) -> Facts:
        """The same facts with more notices."""
        return self.changed(notices=tuple(dict.fromkeys((*self.notices, *notices))))

    def changed(self, tables: Mapping[str, pl.DataFrame] | None = None, **fields: Any) -> Facts:
        """Facts with some other tables and fields; of tables that stay, `once` keeps all."""
        changed = replace(self, tables={**self.tables, **(tables or {})}, **fields)
        changed.derived.update(
            (key, each)
            for key, each in self.derived.items()
            if changed.tables[key[0]] is self.tables[key[0]]
        )
        return changed
