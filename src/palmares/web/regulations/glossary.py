"""
The glossary: words that have one meaning here.

The site shows it at ``/glossary``, and pages link a word to its line there;
``docs/reference/glossary.md`` is written from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from litestar import Response

from palmares.core.messages import msg
from palmares.web.http.replies import answered
from palmares.web.http.state import Request

GLOSSARY: Mapping[str, Mapping[str, str]] = {
    msg("Results"): {
        msg("report"): msg(
            "What a tournament director sends: one file about one tournament (TOML, CSV, Excel or "
            "a pasted list)."
        ),
        msg("facts"): msg(
            "The tables that reports become: players, tournaments, events, flights, placings, "
            "matches and so on. Points are made of them and of nothing else."
        ),
        msg("package"): msg("Facts as a folder of CSV or Parquet files, one for each table."),
        msg("tournament"): msg("One or more events in one place and on the same days."),
        msg("event"): msg("One competition within a tournament."),
        msg("flight"): msg(
            "A part of an event with its own placings: main, consolation or last chance."
        ),
        msg("placing"): msg(
            "A player’s rank in a flight. Tied players share the best place, and the next places "
            "are skipped: 1, 2, 3, 3, 5."
        ),
        msg("notice"): msg(
            "What an organizer states of an event before entry opens: format, divisions, fees, "
            "prizes, points at stake. A change is an entry of its own, with a reason."
        ),
        msg("points at stake"): msg(
            "What a regulation awards to made-up fields of an event, as its notice states it."
        ),
        msg("pool"): msg(
            "The money that the prizes of a division share: entry fees, less costs, plus added "
            "money."
        ),
        msg("entrants"): msg(
            "How many different players entered a flight, whether or not they are listed."
        ),
        msg("record of an event"): msg(
            "What was recorded while an event was played, such as a result. Each event has a "
            "chain of records of its own."
        ),
        msg("bye"): msg("A place without an opponent: the player goes on without a match."),
        msg("walkover"): msg("A match won because the opponent did not appear."),
        msg("feed"): msg(
            "A bracket that takes the losers of stated rounds of another, such as a consolation."
        ),
        msg("withheld"): msg("A player whose name is not shown. Place and points stay."),
    },
    msg("Rules"): {
        msg("regulation"): msg(
            "A federation’s text about points or scores: wbgf, usbgf, dptr, wbf-vp and so on."
        ),
        msg("edition"): msg(
            "A version of a regulation with its dates. Its numbers and words are in an edition "
            "file, which is never changed once it is published."
        ),
        msg("clause"): msg(
            "A numbered or named part of a regulation. Each clause that computes is one function."
        ),
        msg("reading"): msg(
            "How we read a place where the text is silent or contradicts itself, with the reason, "
            "and with other choices where they are sensible."
        ),
    },
    msg("Points"): {
        msg("award"): msg(
            "A player’s points for one event and kind, with every number that led to them."
        ),
        msg("kind"): msg(
            "Which points: performance (wbgf), match and placement (usbgf), rating (dptr)."
        ),
        msg("ranking"): msg("Awards valued on a day, added up and ranked."),
        msg("as of"): msg("The day a ranking is valued on."),
        msg("as known at"): msg(
            "The moment whose knowledge counts: later entries of the journal are left out."
        ),
        msg("explanation"): msg(
            "The computation itself, clause by clause, with the numbers that went in and came out."
        ),
        msg("waiting event"): msg(
            "An event that cannot be valued yet, for instance because an exchange rate is "
            "missing. Each list it would enter names it."
        ),
    },
    msg("The journal"): {
        msg("journal"): msg("The federation’s record: entries in a database, only ever added to."),
        msg("entry"): msg(
            "One line of the journal: a report, a player, a membership, a correction, a "
            "cancellation or a published list. The hash of each contains that of the one before."
        ),
        msg("version"): msg(
            "One of several reports of the same tournament. The latest that was not cancelled is "
            "in force."
        ),
        msg("head"): msg(
            "The hash of the last entry. Keep a copy elsewhere: it shows whether entries were "
            "removed later."
        ),
        msg("preview"): msg(
            "What a report or a decision would change, before anything is recorded."
        ),
        msg("merge"): msg("Two records of one person are treated as one. It can be cancelled."),
        msg("possible duplicates"): msg(
            "Players whose names or ids are so alike that an officer should look."
        ),
    },
    msg("Official lists"): {
        msg("publication"): msg("A ranking that was announced, with a manifest."),
        msg("manifest"): msg(
            "The hashes of the facts, the edition and the code of an official list, so that "
            "anyone can make it again and compare."
        ),
        msg("verify"): msg("To make an official list again and compare it."),
    },
    msg("The streaming fund"): {
        msg("streaming fund"): msg(
            "Money raised to support tournaments whose matches are streamed."
        ),
        msg("guarantee"): msg("What the fund grants the streamer of a tournament."),
        msg("contribution"): msg(
            "What a director gives the streaming at its value; no money of the fund."
        ),
        msg("carried over"): msg(
            "What was raised for a tournament less what was granted for it; negative if the fund "
            "bears more."
        ),
    },
    msg("Large data"): {
        msg("shard"): msg(
            "All tournaments that ended within a range of days, with all their rows: what one "
            "worker reads at a time."
        ),
        msg("engine"): msg(
            "Where the work is done: in process, DuckDB or Spark. All give the same bytes."
        ),
    },
}
"""What each word means, under headings."""


@dataclass(frozen=True, slots=True)
class GlossaryPage:
    """The page of the glossary."""

    sections: Mapping[str, Mapping[str, str]]  #: heading -> word -> its meaning


async def glossary(request: Request) -> Response[bytes]:
    """The glossary, as a page."""
    return await answered(request, lambda _: GlossaryPage(GLOSSARY))
