"""Keys: rows that are there twice, unknown ids, players who may be one person, odd letters."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from difflib import get_close_matches

import polars as pl

from palmares.core.errors import Problem
from palmares.core.messages import joined, msg, plural
from palmares.facts.checks.ranks import PlacedFlights
from palmares.facts.problems import Cell, Row, event_name, problems_at, with_event_names
from palmares.facts.schema import FILE, KEYS, LINE, REFERENCES, Facts
from palmares.facts.text import plain, printable

_MOST_IDS = 2000  # ids among which a similar one is looked for
_PAIRS_FOR_NUMPY = 500_000  # numbers that NumPy sorts in less time than Polars takes to count them
_MOST_IN_MESSAGE = 5  # lines named of one thing that is there many times


_KEEP_FIRST = msg("Keep one of them.")
_KEEP_OR_GIVE_ID = msg("Keep one of them, or give the other an id of its own.")
_AGAIN = {
    "players": (msg("the player %(player_id)s is listed %(times)s"), _KEEP_FIRST),
    "tournaments": (msg("the tournament %(tournament_id)s is there %(times)s"), _KEEP_OR_GIVE_ID),
    "events": (msg("the event %(event_id)s is there %(times)s"), _KEEP_OR_GIVE_ID),
    "flights": (msg("the event %(event_id)s has the flight %(flight)s %(times)s"),
                msg("Keep one: an event has one Main, one Consolation and one Last Chance.")),
    "placings": (msg("%(player_id)s is placed %(times)s in the %(flight)s of %(event_id)s"),
                 msg("Keep one of them: a player has one place per flight. Two people of one name"
                     " need an id each.")),
    "matches": (msg("the match %(match_id)s is there %(times)s"), _KEEP_OR_GIVE_ID),
    "team_matches": (msg("the match %(match_id)s is there %(times)s"), _KEEP_OR_GIVE_ID),
    "teams": (msg("the team %(team)s is listed %(times)s in %(event_id)s"), _KEEP_FIRST),
    "boards": (msg("the board %(board)s of %(match_id)s is there %(times)s"), _KEEP_FIRST),
    "rates": (msg("the rate of %(currency)s on %(date)s is there %(times)s"), _KEEP_FIRST),
}  # fmt: skip
"""How to say that a row of a table is there again, and what to do."""


def twice(facts: Facts, placings: PlacedFlights) -> Iterator[Problem]:
    """Rows that are there more than once, with the lines of all of them."""
    for name in _AGAIN:
        if name == "placings" and not _placed_twice(facts, placings):
            continue
        table, key = facts.tables[name], KEYS[name]
        if "flight" in key:
            table = table.with_columns(pl.col("flight").fill_null("main"))
        if (again := table.select(key).is_duplicated()).any():
            rows = table.filter(again).select(*key, FILE, LINE).drop_nulls(key)
            yield from _repeated(name, rows, facts)


def _placed_twice(facts: Facts, placings: PlacedFlights) -> bool:
    """Whether a player has two places in one flight: numbers are compared, not texts."""
    player = facts.encoded("placings", "player_id")
    pairs = (placings.codes * len(player.values) + player.codes).drop_nulls()
    if len(pairs) < _PAIRS_FOR_NUMPY:
        return pairs.n_unique() < len(pairs)
    import numpy as np  # it pays here, and lists of so many load it anyway

    numbers = np.sort(pairs.to_numpy())
    return bool((numbers[1:] == numbers[:-1]).any())


def _repeated(name: str, rows: pl.DataFrame, facts: Facts) -> Iterator[Problem]:
    (what, remedy), key = _AGAIN[name], KEYS[name]

    def text_of(row: Row) -> str:
        values = {column: printable(row[column]) for column in key}
        if "_event" in row:
            values["event_id"] = event_name(row)
        often = plural("%(many)s time", "%(many)s times", row["len"])
        times = (msg("twice") if row["len"] == len(("one", "two")) else often,)
        lines = _lines(row["files"], row["lines"])
        return msg("%(what)s, %(lines)s", what=msg(what, **values, times=times), lines=lines)

    groups = rows.group_by(key, maintain_order=True).agg(
        pl.len(), files=pl.col(FILE), lines=pl.col(LINE)
    )
    second = groups.with_columns(
        pl.col("files").list.get(1).alias(FILE), pl.col("lines").list.get(1).alias(LINE)
    )
    if "event_id" in key and name != "events":
        second = with_event_names(second, facts)
    yield from problems_at(second, text_of, Cell(name, key[-1]), remedy)


def _lines(files: Sequence[str], lines: Sequence[int]) -> str:
    """``lines 20 and 31``; with their files, if there are several."""
    if len(set(files)) > 1:
        places = [f"{file}:{line}" for file, line in zip(files, lines, strict=True)]
        several = joined(places[:_MOST_IN_MESSAGE])
        return several if len(places) <= _MOST_IN_MESSAGE else msg("%(places)s …", places=several)
    first = ", ".join(str(line) for line in lines[:-1][:_MOST_IN_MESSAGE])
    more = " …" * (len(lines) - 1 > _MOST_IN_MESSAGE)
    return msg("lines %(first)s and %(last)s", first=first + more, last=str(lines[-1]))


def unknown(facts: Facts, incomplete: Collection[str]) -> Iterator[Problem]:
    """Ids that no row of their table has; each reported once, where it is first used."""
    for table, column, target, key in REFERENCES:
        ids_of_target = facts.tables[target][key]
        if facts.tables[table].is_empty() or target in incomplete or ids_of_target.null_count():
            continue
        lost = _lost(facts, table, column, ids_of_target)
        cell = Cell(table, column)
        if not len(ids_of_target):
            yield from problems_at(
                lost.head(1),
                msg("these ids refer to a table %(table)s that is missing", table=target),
                cell,
                msg("Add %(file)s with a row for each.", file=f"{target}.csv"),
            )
            continue
        near = _near(lost[column], ids_of_target)
        yield from problems_at(
            lost,
            lambda row, column=column, target=target: plural(  # type: ignore[misc]
                "%(column)s '%(id)s' is not among the %(table)s; it is named once",
                "%(column)s '%(id)s' is not among the %(table)s; it is named %(many)s times",
                row["len"],
                column=column,
                id=printable(row[column]),
                table=target,
            ),
            cell,
            lambda row, column=column, near=near, target=target: (  # type: ignore[misc]
                msg(
                    "Write %(near)s, if that is meant; or add it to %(table)s.",
                    near=printable(near[row[column]]),
                    table=target,
                )
                if row[column] in near
                else msg("Correct the id, or add it to %(table)s.", table=target)
            ),
        )


def _lost(facts: Facts, table: str, column: str, ids_of_target: pl.Series) -> pl.DataFrame:
    """Ids of a column that are not known: the first row of each, and how many rows."""
    ids = facts.encoded(table, column).values.to_frame(column)
    lost = ids.join(ids_of_target.to_frame(column), on=column, how="anti")
    if lost.is_empty():
        return lost
    used = facts.tables[table].select(column, FILE, LINE)
    rows = used.join(lost, on=column, how="semi", maintain_order="left")
    return rows.group_by(column, maintain_order=True).agg(
        pl.col(FILE).first(), pl.col(LINE).first(), pl.len()
    )


def _near(lost: pl.Series, ids_of_target: pl.Series) -> dict[str, str]:
    if len(lost) > _MOST_IN_MESSAGE or len(ids_of_target) > _MOST_IDS:
        return {}
    candidates = ids_of_target.to_list()
    near = {key: get_close_matches(key, candidates, n=1, cutoff=0.7) for key in lost}
    return {key: close[0] for key, close in near.items() if close}


def unknown_members(facts: Facts, incomplete: Collection[str]) -> Iterator[Problem]:
    """Members without a row of players: a federation's list may hold more people."""
    if "players" in incomplete:
        return
    lost = _lost(facts, "memberships", "player_id", facts.tables["players"]["player_id"])
    if lost.height:
        cell = Cell("memberships", "player_id")
        names = ", ".join(printable(player) for player in lost["player_id"].head(_MOST_IN_MESSAGE))
        yield Problem(
            at=cell.at(lost.row(0, named=True)),
            what=plural(
                "%(many)s member is not among the players: %(names)s",
                "%(many)s members are not among the players: %(names)s",
                lost.height,
                names=names + " …" * (lost.height > _MOST_IN_MESSAGE),
            ),
            clause=cell.clause,
            remedy=msg("If one of them did play, write the id that the players have."),
        )


def similar_players(facts: Facts) -> Iterator[Problem]:
    """Players whose names have the same words, if one of them has no id of their own.

    Capitals, accents, hyphens, points and the order of words make no difference.
    """
    players = facts.tables["players"].select("player_id", "name", FILE, LINE).drop_nulls()
    by_name = (pl.col("player_id") == pl.col("name")) | pl.col("player_id").str.starts_with(
        pl.col("name") + " ("
    )
    players = players.with_columns(_by_name=by_name).unique(
        "player_id", keep="first", maintain_order=True
    )
    if not players["_by_name"].any():
        return
    duplicates = (
        players.with_columns(_key=pl.col("name").map_batches(_words, pl.String))
        .filter(pl.col("_key") != "", pl.col("_by_name").any().over("_key"))
        .filter(pl.col("_key").is_duplicated())
        .group_by("_key", maintain_order=True)
        .agg("player_id", "name", "_by_name", pl.col(FILE).last(), pl.col(LINE).last())
    )
    yield from problems_at(
        duplicates,
        lambda row: msg(
            "%(names)s: possibly one person",
            names=joined(
                [
                    printable(key if alone else f"{name} [{key}]")
                    for key, name, alone in zip(
                        row["player_id"], row["name"], row["_by_name"], strict=True
                    )
                ]
            ),
        ),
        Cell("players", "player_id"),
        msg("If so, give both the same id in square brackets; if not, give each an id of its own."),
    )


def _words(names: pl.Series) -> pl.Series:
    """The words of each name in small plain letters, sorted."""
    return plain(names).str.split(" ").list.sort().list.join(" ")


def mixed_scripts(facts: Facts) -> Iterator[Problem]:
    """Names that have a letter of another script among their letters, such as a Cyrillic A."""
    name = pl.col("name")
    several = name.str.contains(r"[\p{Cyrillic}\p{Greek}]") & name.str.contains(r"\p{Latin}")
    rows = facts.tables["players"].filter(several)
    letters = rows["name"].map_elements(_odd_letter, pl.String)
    yield from problems_at(
        rows.with_columns(_letter=letters).filter(pl.col("_letter") != ""),
        lambda row: msg(
            "'%(name)s' has a letter of another script: %(letter)s",
            name=printable(row["name"]),
            letter=row["_letter"],
        ),
        Cell("players", "name"),
        msg("It may look the same, but makes another name. Type it again, unless it is meant."),
    )


def _odd_letter(name: str) -> str:
    """The rarer letter in a word of two scripts, or in a word of one letter; else nothing."""
    script = {char: unicodedata.name(char, "").split(" ")[0] for char in name if char.isalpha()}
    usual = Counter(script[char] for char in name if char in script).most_common(1)[0][0]
    for word in re.findall(r"[^\W\d_]+", name):
        scripts = Counter(script[char] for char in word)
        main = usual if len(word) == 1 else scripts.most_common(1)[0][0]
        if odd := next((char for char in word if script[char] != main), ""):
            return f"U+{ord(odd):04X} {unicodedata.name(odd)}"
    return ""
