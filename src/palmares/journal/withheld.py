"""
Whose names are not shown: what is known now decides, however long ago a list was known.

    withheld    a state  ->  the ids of all whose names are not shown
    latest      a state, the journal  ->  the state as it is now, as far as names go
    discreet    a projection of then, a state of now  ->  the same, without names withheld since

Somebody is withheld if his own record says so, or the record that it is part of now: whoever asked
not to be named asked it of every list.
"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from palmares.journal.projection import Projection
from palmares.journal.state import State, became, folded
from palmares.journal.store import Reader

ABOUT_NAMES = ("player", "merge", "erasure", "undo")
"""The kinds of entries that decide whose names are shown."""


def withheld(state: State) -> frozenset[str]:
    """The ids of all whose names are not shown, records that are part of others among them."""
    erased = {
        seal
        for statements in state.group("erasures").values()
        for one in statements
        for seal in one.body["persons"]
    }
    own = {
        player
        for player, found in state.all_standing("players")
        for body in (found.body,)
        if body["withheld"] or body["person"] in erased
    }
    parts = {one for one, into in became(state.merges()).items() if into in own}
    return frozenset(own | parts)


def latest(state: State, reader: Reader) -> State:
    """A state and what was said of names since; all else in it is of then."""
    after, _ = folded(state, reader.of_kinds(ABOUT_NAMES, after=state.sequence))
    return after


def discreet(then: Projection, now: State) -> Projection:
    """What was known then, without the names that are withheld now."""
    gone = withheld(now)
    if not gone:
        return then
    found = pl.col("player_id").is_in(list(gone))
    hidden = pl.col("withheld").fill_null(value=False) | found
    players = then.tables["players"].with_columns(hidden.alias("withheld"))
    return replace(then, tables={**then.tables, "players": players})
