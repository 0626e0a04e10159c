"""
Reports that a journal has already are known again, and nothing is added for them.

    sources_of  facts  ->  the sha256 of each tournament's file, where it is one
    known_files tournaments whose report in force was read from the very same file
    without     facts without all that the files of some tournaments say
    answer      what was recorded under a key, when its delivery comes again
    unchanged   the notice of what is here already: a report, or a decision of an officer
    report_of   a tournament  ->  what such a notice calls its report
    KNOWN       the clause of that notice

By its content a report is known as long as its players go by the same names. By its file it is
known even where a player has another name now, or none.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path

import polars as pl

from palmares.errors import Problem, Refused, brief
from palmares.facts.tables import FILE, Facts
from palmares.facts.texts import shown
from palmares.journal.bodies import WHO, Tables, content, of_tournaments
from palmares.journal.entries import Entry
from palmares.journal.recording import Desk

KNOWN = "journal reports"


def sources_of(facts: Facts) -> dict[str, str]:
    """The sha256 of each tournament's file, where all of it is in one file that has no other."""
    found: dict[str, str] = {}
    alone = facts["tournaments"].filter(~pl.col(FILE).is_duplicated())
    files = dict(alone.select("tournament_id", FILE).iter_rows())
    elsewhere: set[str] = set()
    for table, of in of_tournaments(facts).values():
        there = of.replace_strict(list(files), list(files.values()), default=None)
        elsewhere |= set(of.filter(table[FILE].ne_missing(there)))
    for one, file in files.items():
        if one not in elsewhere and Path(file).is_file():
            found[one] = sha256(Path(file).read_bytes()).hexdigest()
    return found


def known_files(desk: Desk, sources: Mapping[str, str], earlier: Entry | None) -> dict[str, int]:
    """Tournaments whose report in force was read from this very file, each with its entry.

    Whom the file names was decided then. Where its delivery is answered again, any version counts.
    """
    state, found = desk.projection.state, {}
    for one, source in sources.items():
        standing = state.report(one)
        versions = state.group("tournaments").get(one, ()) if earlier else [standing]
        for version in versions:
            if version is not None and version.body.get("source") == source:
                found[one] = version.sequence
    return found


def without(facts: Facts, known: Collection[str]) -> Facts:
    """Facts without all that the files of some tournaments say; whoever else is named stays."""
    if not known:
        return facts
    gone = facts["tournaments"].filter(pl.col("tournament_id").is_in(list(known)))[FILE].to_list()
    here = ~pl.col(FILE).is_in(gone)
    tables = {name: table.filter(here) for name, table in facts.tables.items()}
    named = [tables[name][one] for name, columns in WHO.items() for one in columns]
    named.append(tables["memberships"]["player_id"])
    wanted = pl.concat(named).drop_nulls().unique().to_list()
    tables["players"] = facts["players"].filter(here | pl.col("player_id").is_in(wanted))
    return Facts(tables)


def unchanged(sequence: int, what: str) -> Problem:
    """The notice of something that an entry has already, such as ``report of T``."""
    return Problem(
        where=f"entry {sequence}",
        what=f"this {what} is here already; nothing was added for it",
        clause=KNOWN,
        remedy="Nothing needs to be done.",
    )


def report_of(tournament: str) -> str:
    """What a notice calls the report of a tournament."""
    return f"report of {shown(tournament)}"


def answer(
    desk: Desk, earlier: Entry, known: Mapping[str, int], arrived: Mapping[str, Tables]
) -> None:
    """Say what was recorded under a key.

    Raises:
        Refused: it was something else.
    """
    versions = desk.projection.state.group("tournaments")
    told = dict(known)
    for tournament, tables in arrived.items():
        digest = content(tables)
        for one in versions.get(tournament, ()):
            if one.body.get("content") == digest:
                told[tournament] = one.sequence
    if earlier.subject not in told or arrived.keys() - told.keys():
        raise Refused(
            f"The key {brief(earlier.key)} was used for entry {earlier.sequence}, which reports"
            f" something else: {shown(earlier.subject)}. Nothing was recorded; use a key of its"
            " own for each delivery."
        )
    desk.notices += (unchanged(found, report_of(one)) for one, found in told.items())
