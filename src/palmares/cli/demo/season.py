"""
The journal and the people of the demonstration: the example reports, then the made-up season.

An entry bears the moment at which an officer would have recorded it, so that lists can be asked for
as they were known then. Two examples are not recorded: one waits in the officer's queue, one is the
director's draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from palmares.cli.demo import calendar
from palmares.cli.demo.calendar import WEEK, WITHHELD, DemoTournament
from palmares.core.canonical import canonical
from palmares.facts.merge import subset
from palmares.facts.schema import Facts
from palmares.formats import SUFFIXES
from palmares.formats.load import gathered
from palmares.formats.toml.write import write
from palmares.journal.commands import announcements
from palmares.journal.commands.decisions import override, report_of
from palmares.journal.commands.players import edit_player
from palmares.journal.commands.reports import report
from palmares.journal.commands.transaction import Action, Transaction, record_entries
from palmares.journal.projection.project import Projection
from palmares.journal.projection.snapshots import load_projection
from palmares.journal.store.entries import Actor
from palmares.journal.store.events import record_event
from palmares.journal.store.journal import Journal
from palmares.lists import publication
from palmares.points.awards import Question
from palmares.points.rankings import Selection
from palmares.tournaments import running
from palmares.tournaments.draw.announcement import read
from palmares.tournaments.notice import state
from palmares.tournaments.systems.matches import Outcome
from palmares.tournaments.typed_results import setup_of_draw
from palmares.web.accounts import store
from palmares.web.http.state import AppState
from palmares.web.submissions import parse, submissions

PEOPLE: Mapping[str, str] = {
    "administrator": "Rita Hale",
    "officer": "Otto Lind",
    "director": "Dita Marek",
}
"""Who signs in, by role; they are made up."""
ONE_CLICK = {role: PEOPLE[role] for role in ("director", "officer")}
"""Who may be signed in as without a password."""
FOLDERS = ("backgammon", "usbgf", "diplomacy", "bridge")
WAITING = "backgammon/2019-merit-open.toml"
"""Waits in the officer's queue."""
DRAFT = "diplomacy/2004-tempest-in-a-teapot.txt"
"""The director has begun it."""
PUBLISHED = (("wbgf", date(2005, 12, 31)), ("usbgf", date(2019, 12, 31)))
"""Lists that are announced."""
EVERY = {"wbgf": 1, "usbgf": 3, "dptr": 12}
"""The lists that are announced, and after how many months."""
RECENT = 365
"""Days in which each month is recorded on its own; before, six at a time, which is quicker."""
SWAPPED = ((55 * WEEK, 300), (14 * WEEK, 40))
"""Days since a tournament, and since the correction that exchanged two of its places."""
CHANGED_FEE = (6 * WEEK, 3)
"""Days since a tournament whose entry fee was wrong, and since its correction."""
RACE = """\
race       = "race-{year}"
name       = "Race of {year}"
regulation = "wbgf"
since      = {year}-01-01
until      = {year}-12-31
"""
LEVELS = "recognition-levels.toml.example"
HOUR = time(18, tzinfo=UTC)
DRAW = "club-night"
DICE = [3, 5, 1, 6, 2, 2, 4, 6, 1, 3, 5, 5, 2, 6, 4, 1]
DRAWN = 13
"""The number of players of the public draw; `DICE` are its numbers."""
FLIGHTS: list[dict[str, Any]] = [
    {"name": "main", "lengths": [5, 7]}, {"name": "consolation", "lengths": [5]},
]  # fmt: skip
FEEDS = [{"name": "consolation", "of": "main", "rounds": [1, 2]}]
PLAYED = 8
"""The event that is drawn so: its flights, and how many of its matches are played."""


@dataclass(slots=True)
class Clock:
    """The clock of the demonstration's journal: the time that was set, or now."""

    moment: datetime | None = None

    def __call__(self) -> datetime:
        """The time that an entry gets."""
        return self.moment or datetime.now(UTC)

    def set(self, day: date) -> None:
        """Evening of a day; now, if that is still ahead."""
        self.moment = min(datetime.combine(day, HOUR), datetime.now(UTC))


Step = tuple[date, int, Callable[[Projection], Action]]
"""What an officer does on a day; several of one day in the order of the number."""


def first_day(today: date) -> date:
    """A day before the first entry of the season."""
    return today - timedelta(days=calendar.YEARS * 365 + WEEK)


def record_all(journal: Journal, examples: Path, clock: Clock, today: date) -> None:
    """Record the example reports in an empty journal, then the season up to a day.

    Args:
        journal: an empty one.
        examples: where the example reports are.
        clock: of the journal; set back to the present at the end.
        today: the day.
    """
    clock.set(first_day(today))
    record_examples(journal, examples)
    officer = Actor(PEOPLE["officer"], "officer")
    record_entries(journal, officer, announcements.declare_race(RACE.format(year=today.year)))
    levels = (examples / LEVELS).read_text(encoding="utf-8")
    record_entries(journal, officer, announcements.set_levels("usbgf", levels))
    now = load_projection(journal)
    for day, _, decide in sorted(_steps(today), key=itemgetter(0, 1)):
        clock.set(day)
        now = record_entries(journal, officer, decide(now), start=now).delta.after
    clock.set(today - timedelta(days=1))
    _play_event(journal, now)
    clock.moment = None


def waiting_reports(today: date) -> dict[str, bytes]:
    """The reports of the last days as their directors send them, by the names of files."""
    return {
        f"{tournament.key}.toml": write(calendar.facts([tournament]).tables).encode()
        for tournament in calendar.waiting(today)
    }


def _steps(today: date) -> Iterator[Step]:
    """Everything that is recorded, in no order; the present month week by week."""
    played = calendar.season(today)
    facts = calendar.facts(played)
    for after, of_period in groupby(played, lambda tournament: _period(tournament.end, today)):
        if after <= today:
            yield (after, 0, partial(_report, facts, tuple(of_period)))
            yield (after, 1, partial(_publish_lists, after - timedelta(days=1)))
        else:
            for end, of_day in groupby(of_period, lambda tournament: tournament.end):
                day = min(end + timedelta(days=1), today)
                yield (day, 2, partial(_report, facts, tuple(of_day)))
    for ago, corrected in SWAPPED:
        swapped = _latest(played, today - timedelta(days=ago))
        yield (today - timedelta(days=corrected), 3, partial(_swap_places, swapped))
    ago, corrected = CHANGED_FEE
    cheap = _latest(played, today - timedelta(days=ago))
    yield (today - timedelta(days=corrected), 3, partial(_change_fee, cheap))
    yield (today - timedelta(days=corrected), 4, lambda _: edit_player(WITHHELD, withheld="yes"))
    rolled = today - timedelta(days=2)
    yield (rolled - timedelta(days=8), 5, partial(_publish_notice, rolled))
    yield (rolled - timedelta(days=1), 5, partial(_announce_draw, rolled))
    yield (rolled, 5, _reveal_draw)


def _period(day: date, today: date) -> date:
    """The first day after the month, or after the half of a year, with which a day is recorded."""
    half = date(day.year, (day.month - 1) // 6 * 6 + 1, 1)
    months = 1 if (today - half).days < RECENT else 6
    number = (day.year * 12 + day.month - 1) // months * months + months
    return date(number // 12, number % 12 + 1, 1)


def _latest(played: Sequence[DemoTournament], day: date) -> DemoTournament:
    """The last open tournament that ended by a day."""
    return [
        tournament
        for tournament in played
        if tournament.end <= day and "entry_fee" in tournament.event
    ][-1]


# ── what an officer does ─────────────────────────────────────────────────────────────────────────


def _report(facts: Facts, tournaments: Sequence[DemoTournament], _: Projection) -> Action:
    return report(Facts(subset(facts.tables, [tournament.key for tournament in tournaments])))


def _swap_places(tournament: DemoTournament, now: Projection) -> Action:
    facts = calendar.facts([tournament.swapped()])
    return report(facts, replaces=[report_of(now.state, tournament.key)])


def _change_fee(tournament: DemoTournament, _: Projection) -> Action:
    fee = str(tournament.event["entry_fee"] * 3 // 2)
    reason = "The fee in the report was that of early entry; the invitation says the full one."
    event = {"name": tournament.event["name"]}
    return override(tournament.key, "events", event, {"entry_fee": fee}, reason)


def _publish_list(regulation: str, day: date, now: Projection) -> Action:
    question, chosen = Question(regulation=regulation), Selection(as_of=day)
    draft = publication.make_publication(question, now.facts, chosen, head=now.state.head)
    return publication.publish_list(draft.publication)


def _publish_lists(day: date, now: Projection) -> Action:
    """The lists of a day, as the federation's own rules give them."""
    actions = [
        _publish_list(name, day, now) for name, months in EVERY.items() if day.month % months == 0
    ]

    def publish(transaction: Transaction) -> None:
        for action in actions:
            action(transaction)

    return publish


def _announce_draw(rolled: date, now: Projection) -> Action:
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
        "feeds": FEEDS,
        "randomness": [dice],
    }
    announced = read(canonical(plan).encode())
    return announcements.announce(DRAW, announced.text, announced.sha256)


def _reveal_draw(now: Projection) -> Action:
    announcement = now.state.in_force("draws", DRAW)
    assert announcement is not None  # noqa: S101  the day before
    return announcements.reveal(DRAW, announcement.body.sha256, [{"numbers": DICE}])


# ── the event that is running ────────────────────────────────────────────────────────────────────


def _publish_notice(rolled: date, _: Projection) -> Action:
    """The notice of the event that begins the day after the dice are rolled."""
    first = (rolled + timedelta(days=1)).isoformat()
    stated = state({
        "event": DRAW, "name": "Club night", "tournament": "Club night", "place": "The club",
        "start_date": first, "end_date": first,
        "entry_opens": (rolled - timedelta(days=7)).isoformat(),
        "entry": "At the club, until the day before.", "regulations": ["wbgf"],
        "format": "knockout", "flights": FLIGHTS,
        "feeds": FEEDS,
        "divisions": [{"name": "Open", "may_enter": "anyone", "entry_fee": 20,
                       "added_money": 100, "kind": "championship"}],
        "prizes": {"shares": {"main": [50, 30], "consolation": [20]}, "round_to": 5},
    })  # fmt: skip
    return announcements.publish_notice(DRAW, stated.text, stated.sha256)


def _play_event(journal: Journal, now: Projection) -> None:
    """Start the event on the places of the draw, and play its first matches."""
    with journal.reading() as reader:
        recorded = announcements.recorded_draw(now.state, reader, DRAW)
    lengths = {flight["name"]: flight["lengths"] for flight in FLIGHTS}
    setup = setup_of_draw(**asdict(recorded), lengths=lengths, rounds=1)
    director = PEOPLE["director"]
    record_event(journal, DRAW, director, lambda records: running.start(records, setup))
    for lost in range(PLAYED):

        def tap(records: Sequence[running.Recorded], lost: int = lost) -> running.Drafts:
            event = running.fold(records)
            match = event.next[0]
            outcome = Outcome(winner=match.players[lost % 2], score=(match.length, lost % 5))
            return running.result(event, match.id, outcome)

        record_event(journal, DRAW, director, tap)


# ── the examples, and the people ─────────────────────────────────────────────────────────────────


def record_examples(journal: Journal, examples: Path) -> None:
    """Record the example reports in an empty journal, and publish two lists."""
    unrecorded = {examples / WAITING, examples / DRAFT}
    reports = sorted(
        path for folder in FOLDERS for path in (examples / folder).iterdir()
        if path.suffix in SUFFIXES and path not in unrecorded
    )  # fmt: skip
    officer = Actor(PEOPLE["officer"], "officer")
    record_entries(journal, officer, report(gathered(*reports)))
    for regulation, day in PUBLISHED:
        now = load_projection(journal)
        record_entries(journal, officer, _publish_list(regulation, day, now), start=now)


def add_people(
    site: AppState, examples: Path, waiting: Mapping[str, bytes] | None = None
) -> dict[str, str]:
    """Add the people of a new site; the director submits one report and begins another.

    Args:
        site: its accounts.
        examples: where the example reports are.
        waiting: more reports that the director submits, by the names of files.

    Returns:
        By role, the token of a link that is good once.
    """
    with site.database.writing() as connection:
        now = site.clock()
        numbers = {role: store.add(connection, name, role, now) for role, name in PEOPLE.items()}
        begun, submitted = examples / DRAFT, examples / WAITING
        reports = {submitted.name: submitted.read_bytes(), **(waiting or {})}
        for name, content in {**reports, begun.name: begun.read_bytes()}.items():
            number = submissions.create(
                connection,
                numbers["director"],
                name,
                parse.kind_of_file(name, content),
                content,
                now,
            )
            if name in reports:
                submissions.move(connection, number, 1, now, "submitted")
        return {
            role: store.create_link(connection, number, now) for role, number in numbers.items()
        }
