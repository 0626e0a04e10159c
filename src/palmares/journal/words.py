"""
Entries in words: one line each, for whoever looks at a journal or is about to record.

    said        an entry  ->  what it states
    counts      entries  ->  "2 players, 1 report"
    named       a player's id  ->  "Ada Novak [P1]"
    names_in    a projection  ->  the names of all its players
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from palmares.facts.texts import shown
from palmares.journal.entries import KINDS, Entry
from palmares.journal.projection import Projection

Names = Mapping[str, str]


def said(entry: Entry, names: Names) -> str:
    """What an entry states, in a line.

    Args:
        entry: of any kind.
        names: of players, by id.
    """
    return _SAID[entry.kind](entry.subject, entry.read(), names)


def counts(entries: Iterable[Entry]) -> str:
    """How many entries of each kind there are."""
    found = Counter(entry.kind for entry in entries)
    return ", ".join(
        f"{found[kind]:,} {_PLURALS.get(kind, f'{kind}s') if found[kind] != 1 else kind}"
        for kind in KINDS
        if found[kind]
    )


_PLURALS = {"apart": "apart", "override": "overrides"}


def named(player: str, names: Names) -> str:
    """A player by name and id; by id alone where there is no name."""
    name = names.get(player, player)
    return shown(player) if name == player else f"{shown(name)} [{player}]"


def names_in(projection: Projection) -> dict[str, str]:
    """The names of all players, by id; of somebody erased, his id."""
    players = projection.tables["players"]
    return dict(zip(players["player_id"].to_list(), players["name"].to_list(), strict=True))


def _report(subject: str, body: Mapping[str, Any], names: Names) -> str:
    del subject, names
    tables = body["tables"]
    head = tables["tournaments"]
    rows = ", ".join(
        counted(_rows(table), name)
        for name, table in tables.items()
        if name not in ("tournaments", "flights")
    )
    again = f"; replaces entry {body['replaces']}" if body["replaces"] else ""
    return f"{shown(head['name'][0])}, {head['end_date'][0]}: {rows}{again}"


def counted(rows: int, table: str) -> str:
    """``1 event``, ``2 team matches``."""
    words = table.replace("_", " ")
    one = words.removesuffix("es") if words.endswith("matches") else words.removesuffix("s")
    return f"{rows:,} {one if rows == 1 else words}"


def _rows(table: Mapping[str, Any]) -> int:
    return max((len(column) for column in table.values()), default=0)


def _withdrawal(subject: str, body: Mapping[str, Any], names: Names) -> str:
    del names
    return f"the report of {shown(subject)} counts no longer: {shown(body['reason'])}"


def _reason(subject: str, body: Mapping[str, Any], names: Names) -> str:
    del subject, names
    return shown(body["reason"])


def _player(subject: str, body: Mapping[str, Any], names: Names) -> str:
    nation = f" ({body['nation']})" if body["nation"] else ""
    now = names.get(subject, subject)  # the name this entry brought, where it is known by its seal
    name = shown(names.get(body.get("person") or "", now))
    return f"{name}{nation}{', withheld' * bool(body['withheld'])}"


def _membership(subject: str, body: Mapping[str, Any], names: Names) -> str:
    level = f", {shown(body['level'])}" if body["level"] else ""
    until = f" to {body['end']}" if body["end"] else ""
    who = shown(names.get(subject, subject))
    return f"{who}: {shown(body['federation'])} from {body['start']}{until}{level}"


def _merge(subject: str, body: Mapping[str, Any], names: Names) -> str:
    return f"{named(subject, names)} is {named(body['into'], names)}: {shown(body['reason'])}"


def _apart(subject: str, body: Mapping[str, Any], names: Names) -> str:
    del subject
    both = " and ".join(named(one, names) for one in body["players"])
    return f"{both} are two players: {shown(body['reason'])}"


def _rate(subject: str, body: Mapping[str, Any], names: Names) -> str:
    del names
    stated = (
        f"1 {subject} = {body['eur_per_unit']} EUR"
        if body["eur_per_unit"]
        else f"1 EUR = {body['units_per_eur']} {subject}"
    )
    source = f", {shown(body['source'])}" if body["source"] else ""
    published = f", {body['published_on']}" if body["published_on"] else ""
    return f"{stated} on {body['date']}{source}{published}"


def _override(subject: str, body: Mapping[str, Any], names: Names) -> str:
    del subject
    if "player" in body:
        both = [named(body["player"][one], names) for one in ("from", "to")]
        return f"{both[1]} in the place of {both[0]}: {shown(body['reason'])}"
    row = ", ".join(f"{name} {shown(value)}" for name, value in body["row"].items())
    cells = ", ".join(
        f"{name} {'empty' if value is None else shown(value)}"
        for name, value in body["set"].items()
    )
    return f"{body['table']} {row}: {cells}; {shown(body['reason'])}"


def _undo(subject: str, body: Mapping[str, Any], names: Names) -> str:
    del subject, names
    return f"entry {body['undoes']} counts no longer: {shown(body['reason'])}"


def _publication(subject: str, body: Mapping[str, Any], names: Names) -> str:
    del names
    rows = len(body["list"]["rank"])
    told = [
        f"{shown(subject)}: {rows:,} {'place' if rows == 1 else 'places'}",
        f"as of {body['selection']['as_of']}",
        f"result {body['result_sha256'][:12]}",
        f"made at entry {body['known']['sequence']}" if body["known"] else "made of files",
    ]
    note = f"; {shown(body['note'])}" if body["note"] else ""
    return ", ".join(told) + note


_SAID: Mapping[str, Callable[[str, Mapping[str, Any], Names], str]] = {
    "report": _report,
    "withdrawal": _withdrawal,
    "player": _player,
    "erasure": _reason,
    "membership": _membership,
    "merge": _merge,
    "apart": _apart,
    "rate": _rate,
    "override": _override,
    "undo": _undo,
    "publication": _publication,
}
