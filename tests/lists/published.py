"""
A journal whose list is short sums, and what tests publish of it.

    DAY         the day of the list
    POINTS      what each player has on it
    started     a database  ->  a journal of four players and the tournament that they played
    publish     a journal  ->  the list of the day recorded in it, as a manifest
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from typing import Any

from palmares.core.rounding import to_nanopoints
from palmares.journal.commands.transaction import record_entries
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.journal import Journal, create_journal
from palmares.lists.publication import NewPublication, make_publication, publish_list
from palmares.lists.publication.manifests import Manifest, manifest_of_entry
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from tests.journal import statements as say
from tests.journal.statements import OFFICER

DAY = date(2019, 11, 15)
POINTS = {
    "P1": to_nanopoints(40 * Fraction(385, 893)),
    "P2": to_nanopoints(40 * Fraction(220, 893)),
    "P3": to_nanopoints(40 * Fraction(160 + 128, 2 * 893)),
    "P4": to_nanopoints(40 * Fraction(160 + 128, 2 * 893)),
}
"""EUR 100 and four players: 10 x 4 points, shared 385 : 220 : 160 : 128, as the text has it."""


def started(url: str) -> Journal:
    """Entries 1 to 4 are players, 5 is the report: P1 won, P3 and P4 share the third place."""
    found = create_journal(url)
    people = [("P1", "Ada Novak", "CZE"), ("P2", "Ben Ode", "DEU"), ("P3", "Dee Rix", None)]
    found.record([say.player(*one) for one in people], OFFICER)
    found.record([say.player("P4", "Cy Pell", "DEU")], OFFICER)
    found.record([say.report("T", {"P1": 1, "P2": 2, "P3": 3, "P4": 3})], OFFICER)
    return found


def list_of(journal: Journal, **more: Any) -> NewPublication:
    """The wbgf list of the day, not recorded yet."""
    start = load_projection(journal)
    head = start.state.head
    return make_publication(
        Question(regulation="wbgf"), start.facts, Selection(as_of=DAY), head=head, **more
    )


def publish(journal: Journal, **more: Any) -> Manifest:
    """The wbgf list of the day, recorded."""
    done = record_entries(journal, OFFICER, publish_list(list_of(journal, **more).publication))
    return manifest_of_entry(done.entries[-1])
