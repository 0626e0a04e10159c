"""Find players by id, by name or by a similar name."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from unicodedata import normalize

import polars as pl
from rapidfuzz import fuzz, process

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts.text import plain, shown
from palmares.journal.identity.duplicates import players_with_names
from palmares.journal.identity.register import Form, Register
from palmares.journal.projection.project import Projection

SIMILAR = 75
"""The lowest similarity of names that are listed, from 0 to 100."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """A player who fits a search."""

    player_id: str
    name: str
    nation: str | None
    withheld: bool
    ids: Mapping[str, str]  # elsewhere
    tournaments: int
    first_day: date | None
    last_day: date | None
    memberships: tuple[str, ...]
    merged: tuple[str, ...]  # records merged into theirs
    by: str  # what fits


def find_player_id(projection: Projection, wanted: str) -> str:
    """The id of a player given by id, name, or name and nation.

    Raises:
        Refused: no player fits, or several; names similar ones.
    """
    wanted = normalize("NFC", wanted.strip())
    if projection.state.in_force("players", wanted) is not None:
        return wanted
    players = projection.tables["players"].select("player_id", "name", "nation")
    rows = list(players.iter_rows())
    fits = [row for row in rows if wanted in (row[1], str(Form(row[1], row[2])))]
    if len(fits) == 1:
        return str(fits[0][0])
    if fits:
        listed = "\n".join(f"    {row[0]}  {Form(row[1], row[2])}" for row in sorted(fits)[:20])
        raise Refused(
            msg(
                "%(many)s players are called %(name)s. Say the id:\n%(players)s",
                many=len(fits),
                name=shown(wanted),
                players=listed,
            )
        )
    close = process.extract(wanted, [row[1] for row in rows], limit=3, score_cutoff=60)
    unknown = msg("No player has the id or the name %(name)s.", name=shown(wanted))
    raise Refused(did_you_mean(unknown, [name for name, *_ in close]))


def did_you_mean(unknown: str, close: Sequence[str]) -> str:
    """A sentence on something unknown, and similar names if there are any."""
    if not close:
        return unknown
    question = msg("Did you mean %(word)s?", word=", ".join(map(shown, close)))
    return msg("%(one)s %(other)s", one=unknown, other=question)


def search_players(register: Register, text: str, limit: int = 20) -> list[SearchResult]:
    """The players that fit a text, the best first.

    Args:
        register: the players.
        text: an id, an id elsewhere with or without its federation (``usbgf=77``), a name, or part
            of one.
        limit: how many at most.
    """
    wanted = normalize("NFC", text.strip())
    reasons: dict[str, str] = {}
    for player, by in _matches(register, wanted):
        reasons.setdefault(player, by)
        if len(reasons) == limit:
            break
    return _search_results(register, reasons)


def _matches(register: Register, wanted: str) -> Iterator[tuple[str, str]]:
    """Players and what fits, the best first."""
    if register.in_force(wanted) is not None:
        main = register.canonical_id(wanted)
        yield main, "id" if main == wanted else f"id of {wanted}, merged into them"
    federation, _, number = (part.strip() for part in wanted.partition("="))
    elsewhere = register.by_other_id({wanted, number} - {""})
    for scheme, player in elsewhere.get(wanted, ()):
        yield register.canonical_id(player), f"{scheme} id"
    for scheme, player in elsewhere.get(number, ()):
        if scheme.casefold() == federation.casefold():
            yield register.canonical_id(player), f"{scheme} id"
    players = players_with_names(register)
    for player in players.filter(pl.col("name") == wanted)["player_id"].sort():
        yield player, "name"
    for player in register.by_name({wanted}).get(wanted, ()):
        main = register.canonical_id(player)
        yield main, "earlier name" if main == player else f"name of {player}, merged into them"
    yield from _similar_names(players, wanted)


def _similar_names(players: pl.DataFrame, wanted: str) -> Iterator[tuple[str, str]]:
    """Players whose names have all the words of a text; then similar names."""
    names = plain(players["name"])
    text = plain(pl.Series([wanted]))[0]
    if not text or players.is_empty():
        return
    words = [pl.col("plain").str.contains(word, literal=True) for word in text.split(" ")]
    begins = [
        pl.concat_str(pl.lit(" "), pl.col("plain")).str.contains(f" {word}", literal=True)
        for word in text.split(" ")
    ]
    parts = players.with_columns(plain=names).filter(words)
    order = parts.sort(~pl.all_horizontal(begins), "name", "player_id")
    for player in order["player_id"]:
        yield player, "part of the name"
    scores = process.cdist([text], names.to_list(), scorer=fuzz.token_sort_ratio)[0]
    near = players.with_columns(score=pl.Series(scores)).filter(pl.col("score") >= SIMILAR)
    for player in near.sort("score", "player_id", descending=[True, False])["player_id"]:
        yield player, "similar name"


def _search_results(register: Register, reasons: Mapping[str, str]) -> list[SearchResult]:
    """Describe the players that fit."""
    tables = register.projection.tables
    players = tables["players"].filter(pl.col("player_id").is_in(list(reasons)))
    rows = {row["player_id"]: row for row in players.iter_rows(named=True)}
    tournaments_by_player, persons = register.tournaments_of(reasons), register.persons(reasons)
    members = _memberships(tables["memberships"], reasons)
    results = []
    for player, by in reasons.items():
        if player not in rows:
            continue
        person = persons.get(player)
        tournaments = tournaments_by_player.get(player, [])
        results.append(
            SearchResult(
                player_id=player,
                name=person.name if person is not None else "(erased)",
                nation=rows[player]["nation"],
                withheld=bool(rows[player]["withheld"]),
                ids=person.ids if person is not None else {},
                tournaments=len(tournaments),
                first_day=min((played.start for played in tournaments), default=None),
                last_day=max((played.day for played in tournaments), default=None),
                memberships=tuple(members.get(player, ())),
                merged=tuple(register.parts(player)),
                by=by,
            )
        )
    return results


def _memberships(table: pl.DataFrame, players: Collection[str]) -> dict[str, list[str]]:
    """``usbgf Premium 2019-01-01 to 2020-12-31``, by player."""
    texts: dict[str, list[str]] = {}
    rows = table.filter(pl.col("player_id").is_in(list(players))).sort("federation", "start")
    for row in rows.iter_rows(named=True):
        level = f" {row['level']}" if row["level"] else ""
        end = f" to {row['end']}" if row["end"] else ""
        text = f"{row['federation']}{level} from {row['start']}{end}"
        texts.setdefault(row["player_id"], []).append(text)
    return texts
