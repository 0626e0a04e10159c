"""Whatever was recorded, and whichever lists are compared: the parts are the whole change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmares.journal.projection.project import rewound
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Draft
from palmares.journal.store.journal import Journal, Reader, create_journal
from palmares.lists.diff import (
    Change,
    Differences,
    Listing,
    changes_between,
    diff_lists,
)
from palmares.lists.diff.reasons import CAUSES
from palmares.lists.live import award_all
from palmares.points.awards import Question, award
from palmares.points.rankings import Selection
from tests.amounts import amount
from tests.journal import statements as say
from tests.journal.statements import OFFICER
from tests.lists.differing import DPTR, USBGF, WBGF, match_won, rated
from tests.points.slow import rank

PLAYERS = [f"P{number}" for number in range(1, 6)]
TWINS = [f"Q{number}" for number in range(1, 6)]
"""Second records of the players; no tournament has both."""
FIRST = len([*PLAYERS, *TWINS]) + 1
START = date(2018, 6, 1)
QUESTIONS: dict[str, Sequence[Question]] = {
    "wbgf": [WBGF, Question(regulation="wbgf", chosen={"W3": "skip-29-feb"})],
    "usbgf": [USBGF, Question(regulation="usbgf", edition="2015-05")],
    "dptr": [DPTR, Question(regulation="dptr", chosen={"D1": "published-inputs"})],
}


def stated(chance: Random, name: str) -> Draft:
    """Something to record that contradicts nothing; most of it is reports."""
    place = chance.choice(["T", "U", "V", "W"])
    players = chance.sample(PLAYERS if place in "TU" else TWINS, 3)
    number, day = chance.randrange(5), str(START + timedelta(chance.randrange(300)))
    others = [
        say.merge(TWINS[number], PLAYERS[number]),
        say.withdrawal(place),
        say.player(PLAYERS[number], chance.choice(["Ada", "Ben"])),
        say.membership(players[0], "2014-01-01", chance.choice([None, day])),
        say.override(place, entry_fee=chance.choice(["35", "55.5"])),
    ]
    if chance.random() < 0.5:
        return chance.choice(others)
    if name == "usbgf":
        return match_won(place, players[0], players[1], day)
    ranks = dict(
        zip(players[: 1 + number % 3], chance.choice([(1, 2, 3), (1, 2, 2)]), strict=False)
    )
    if name == "dptr":
        return rated(place, day, ranks)
    return say.report(place, ranks, day=day, fee=chance.choice(["70", "110"]))


def recorded(folder: Path, chance: Random, name: str) -> Journal:
    """A journal of some forty entries; a few of them undo another one."""
    drafts = [say.player(one) for one in (*PLAYERS, *TWINS)]
    drafts += [say.membership(one, "2015-01-01") for one in (*PLAYERS[:3], *TWINS[:3])]
    for _ in range(25):
        if chance.random() < 0.2:
            drafts.append(say.undo(chance.randrange(FIRST, len(drafts) + 1)))
        else:
            drafts.append(stated(chance, name))
    journal = create_journal(str(folder / "journal.db"))
    journal.record(drafts, OFFICER)
    return journal


@pytest.mark.parametrize("name", QUESTIONS)
@settings(max_examples=amount(500))
@given(st.integers(0, 10**9))
def test_parts_add_up(name: str, number: int) -> None:
    chance = Random(number)  # noqa: S311  made-up facts need no cryptography
    with TemporaryDirectory() as folder:
        journal = recorded(Path(folder), chance, name)
        last = journal.head().sequence
        a, b = (
            Listing(
                question=chance.choice(QUESTIONS[name]),
                projection=load_projection(journal, f"#{chance.randrange(last - most, last + 1)}"),
                selection=Selection(as_of=START + timedelta(chance.randrange(50, 1400))),
            )
            for most in (15, 5)
        )
        with journal.reading() as reader:
            found, back = diff_lists(a, b, reader), diff_lists(b, a, reader)
            kept = diff_lists(_kept(a), _kept(b), reader)
            rewinding = diff_lists(_rewound(a, b, reader), _rewound(b, a, reader), reader)
            one = chance.choice(PLAYERS)
            alone = [*changes_between(a, b, reader).of(reader, [one])]
            assert not diff_lists(a, a, reader).changes
        journal.close()
    _is_the_whole_change(found, a, b)
    assert negated(found) == told(back)
    assert told(kept) == told(rewinding) == told(found)
    assert alone == found.of_players([one])


def _kept(listing: Listing) -> Listing:
    """The list made from awards that are kept."""
    return replace(listing, kept=award_all(listing.question, listing.projection))


def _rewound(listing: Listing, other: Listing, reader: Reader) -> Listing:
    """The list made from what the other knows, if the other knows more."""
    last = listing.projection.state.sequence
    if last >= other.projection.state.sequence:
        return listing
    return replace(listing, projection=rewound(other.projection, last, reader))


def _is_the_whole_change(found: Differences, a: Listing, b: Listing) -> None:
    """The lists are those that rank gives, and the parts are what lies between them."""
    first, second = (_list(one) for one in (a, b))
    told = {one.player_id: one for one in found.changes}
    for player in first.keys() | second.keys() | told.keys():
        was, now = first.get(player, (None, 0)), second.get(player, (None, 0))
        change = told.get(player)
        if change is None:
            assert was == now
            continue
        assert (change.rank_a, change.nanopoints_a) == was
        assert (change.rank_b, change.nanopoints_b) == now
        assert sum(part.nanopoints for part in change.parts) == now[1] - was[1]
        assert change.parts
        assert {part.cause for part in change.parts} <= set(CAUSES)


def _list(listing: Listing) -> dict[str, tuple[int | None, int]]:
    """Rank and nanopoints by player, as 'palmares rank' gives them."""
    given = award(listing.question, listing.projection.facts)
    frame = rank(given, listing.selection).frame.select("player_id", "rank", "nanopoints")
    return {player: (place, points) for player, place, points in frame.iter_rows()}


def told(found: Differences) -> set[tuple[object, ...]]:
    """Every part of every change."""
    return {row for one in found.changes for row in _rows(one, 1)}


def negated(found: Differences) -> set[tuple[object, ...]]:
    """The same with the signs turned."""
    return {row for one in found.changes for row in _rows(one, -1)}


def _rows(change: Change, sign: int) -> Sequence[tuple[object, ...]]:
    return [
        (change.player_id, part.cause, part.tournament_id, part.event, part.kind, part.flight,
         sign * part.nanopoints, part.entries)
        for part in change.parts
    ]  # fmt: skip
