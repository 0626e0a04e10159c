"""
The made-up season in a journal, as a federation records one: month by month, list by list.

An entry bears the moment at which an officer would have recorded it, so that lists can be asked for
as they were known then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import groupby
from pathlib import Path

from palmares.cli.demo import calendar, season
from palmares.cli.demo.calendar import WEEK, Tournament
from palmares.cli.demo.people import WITHHELD
from palmares.core.canonical import canonical
from palmares.facts.schema import Facts
from palmares.facts.subsets import subset
from palmares.formats.toml.write import write
from palmares.journal.commands import announcements
from palmares.journal.commands.decisions import report_of
from palmares.journal.commands.overrides import override
from palmares.journal.commands.players import edit_player
from palmares.journal.commands.reports import report
from palmares.journal.commands.transaction import Action, Transaction, record_entries
from palmares.journal.projection.project import Projection
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Actor
from palmares.journal.store.journal import Journal
from palmares.journal.store.kinds import DrawAnnouncement, DrawReveal
from palmares.lists import publication
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.tournaments.draw.announcement import read

EVERY = {"wbgf": 1, "usbgf": 3, "dptr": 12}
"""The lists that are announced, and after how many months."""
RECENT = 365
"""Days in which each month is recorded on its own; before, six at a time, which is quicker."""
SWAPPED = ((55 * WEEK, 300), (14 * WEEK, 40))
"""Days since a tournament, and since its correction: two places were the wrong way round."""
CHANGED_FEE = (6 * WEEK, 3)
"""The same of a tournament whose entry fee was wrong."""
HOUR = time(18, tzinfo=UTC)
DRAW = "club-night"
DICE = (3, 5, 1, 6, 2, 2, 4, 6, 1, 3, 5, 5, 2, 6, 4, 1)
DRAWN = 13
"""A public draw of so many players, and what the dice showed."""


@dataclass(slots=True)
class Clock:
    """What time it is in the journal of a demonstration; now, if nothing is set."""

    moment: datetime | None = None

    def __call__(self) -> datetime:
        """The moment that an entry bears."""
        return self.moment or datetime.now(UTC)

    def set(self, day: date) -> None:
        """Evening of a day."""
        self.moment = datetime.combine(day, HOUR)


@dataclass(frozen=True, slots=True)
class _Step:
    """What an officer does on a day; several of one day in the order of rank."""

    day: date
    rank: int
    does: Callable[[Projection], Action]


def beginning(today: date) -> date:
    """A day before all that is recorded."""
    return today - timedelta(days=calendar.YEARS * 365 + WEEK)


def record_all(journal: Journal, examples: Path, clock: Clock, today: date) -> None:
    """Record the example reports in an empty journal, then the season up to a day."""
    clock.set(beginning(today))
    season.filled(journal, examples)
    record_season(journal, Actor(season.PEOPLE["officer"], "officer"), clock, today)


def record_season(journal: Journal, officer: Actor, clock: Clock, today: date) -> None:
    """Record the season up to a day, with its corrections and its lists.

    Args:
        journal: with other entries or none, all of them earlier.
        officer: who records.
        clock: of the journal; it tells the time again afterwards.
        today: the day.
    """
    now = load_projection(journal)
    for step in sorted(_steps(today), key=lambda one: (one.day, one.rank)):
        clock.set(step.day)
        now = record_entries(journal, officer, step.does(now), start=now).delta.after
    clock.moment = None


def waiting_reports(today: date) -> dict[str, bytes]:
    """The reports of the last days as their directors send them, by the names of files."""
    return {
        f"{one.key}.toml": write(calendar.facts([one]).tables).encode()
        for one in calendar.waiting(today)
    }


def _steps(today: date) -> Iterator[_Step]:
    """All that is recorded, in no order: the present month week by week."""
    played = calendar.season(today)
    whole = calendar.facts(played)
    for after, some in groupby(played, lambda one: _period(one.end, today)):
        if after <= today:
            yield _Step(after, 0, partial(_reported, whole, tuple(some)))
            yield _Step(after, 1, partial(_announced, after - timedelta(days=1)))
        else:
            for end, late in groupby(some, lambda one: one.end):
                day = min(end + timedelta(days=1), today)
                yield _Step(day, 2, partial(_reported, whole, tuple(late)))
    for ago, corrected in SWAPPED:
        one = _latest(played, today - timedelta(days=ago))
        yield _Step(today - timedelta(days=corrected), 3, partial(_replaced, one))
    ago, corrected = CHANGED_FEE
    one = _latest(played, today - timedelta(days=ago))
    yield _Step(today - timedelta(days=corrected), 3, partial(_fee_changed, one))
    yield _Step(today - timedelta(days=corrected), 4, _name_withheld)
    rolled = today - timedelta(days=2)
    yield _Step(rolled - timedelta(days=1), 5, partial(_draw_announced, rolled))
    yield _Step(rolled, 5, _draw_revealed)


def _period(day: date, today: date) -> date:
    """The first day after the month, or after the half of a year, with which a day is recorded."""
    half = date(day.year, (day.month - 1) // 6 * 6 + 1, 1)
    months = 1 if (today - half).days < RECENT else 6
    number = (day.year * 12 + day.month - 1) // months * months + months
    return date(number // 12, number % 12 + 1, 1)


def _latest(played: Sequence[Tournament], day: date) -> Tournament:
    """The last open tournament that ended by a day."""
    return [one for one in played if one.end <= day and "entry_fee" in one.event][-1]


# ── what an officer does ─────────────────────────────────────────────────────────────────────────


def _reported(whole: Facts, tournaments: Sequence[Tournament], _: Projection) -> Action:
    return report(Facts(subset(whole.tables, [one.key for one in tournaments])))


def _replaced(one: Tournament, now: Projection) -> Action:
    return report(calendar.facts([one.swapped()]), replaces=[report_of(now.state, one.key)])


def _fee_changed(one: Tournament, _: Projection) -> Action:
    fee = one.event["entry_fee"] * 3 // 2
    reason = "The fee in the report was that of early entry; the invitation says the full one."
    return override(one.key, "events", {"name": one.event["name"]}, {"entry_fee": str(fee)}, reason)


def _name_withheld(_: Projection) -> Action:
    return edit_player(WITHHELD, withheld="yes")


def _announced(day: date, now: Projection) -> Action:
    """The lists of a day, as the federation's own rules give them."""
    given = [
        publication.make_publication(
            Question(regulation=name), now.facts, Selection(as_of=day), known=now.state.head
        ).publication
        for name, months in EVERY.items()
        if day.month % months == 0
    ]

    def announce(transaction: Transaction) -> None:
        for one in given:
            publication.publish_list(one)(transaction)

    return announce


def _draw_announced(rolled: date, now: Projection) -> Action:
    """A knockout of thirteen players, drawn by dice that are rolled on a day."""
    ids = now.facts.tables["players"]["player_id"].to_list()
    players = sorted(ids, key=lambda player: (len(player), player))[-DRAWN:]  # all made up
    dice = {
        "kind": "numbers",
        "source": "16 dice, rolled at the club one after the other",
        "when": f"{rolled}T17:00:00Z",
        "count": len(DICE),
        "from": 1,
        "to": 6,
        "repeats": True,
        "ascending": False,
    }
    plan = {
        "palmares_draw": 1,
        "draw": DRAW,
        "event": "Club night",
        "format": "knockout",
        "entries": players,
        "seeding": "placed",
        "byes": "highest",
        "seeds": players[:4],
        "randomness": [dice],
    }
    announced = read(canonical(plan).encode())
    body = DrawAnnouncement(announcement=announced.text, sha256=announced.sha256)
    return announcements.announce(DRAW, body)


def _draw_revealed(now: Projection) -> Action:
    announcement = now.state.in_force("draws", DRAW)
    assert announcement is not None  # noqa: S101  the day before
    randomness = canonical([{"numbers": list(DICE)}])
    body = DrawReveal(announcement=announcement.body.sha256, randomness=randomness)
    return announcements.reveal(DRAW, body)
