"""Ranked lists, current and published: their options, their days, what is missing in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from typing import Any

import polars as pl
from litestar.exceptions import NotFoundException

from palmares.core.errors import Refused, brief
from palmares.core.messages import LocalNumber, msg
from palmares.core.rounding import Nanopoints
from palmares.facts.schema import WITHHELD
from palmares.journal.projection.project import Statement
from palmares.lists import live, publication
from palmares.lists.figures.rows import RowFigures
from palmares.lists.publication.manifests import Names
from palmares.points.awards import Question, Waiting
from palmares.points.empty_lists import why_empty
from palmares.points.history import days
from palmares.points.rankings import TOTAL, Ranking, Selection, by_event
from palmares.regulations import Regulation, get_regulation, regulations
from palmares.web.http.parameters import no_day
from palmares.web.http.state import Snapshot, awarding_regulations, cached
from palmares.web.shared.names import EventName, ListAsOf, shown_by_id

FIRST, LAST = date(1900, 1, 1), date(2199, 12, 31)
MONTHS_AHEAD, A_YEAR = 12, timedelta(days=400)
"""Ends of months ahead that have a list; days that hold at least as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """A regulation that makes lists."""

    regulation: str
    title: str
    discipline: str
    total: str  # sum: points are added; latest: the last rating counts
    kinds: tuple[str, ...]  # of points
    settings: tuple[str, ...]  # that it keeps apart
    by_nation: bool  # whether there is a list of nations
    totals: bool  # whether there is one of separate totals

    @property
    def editions(self) -> tuple[str, ...]:
        """The ids of the regulation's editions, the earliest first."""
        return tuple(edition.id for edition in get_regulation(self.regulation).editions())


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingEvent(EventName):
    """An event that is not in a list: something is missing that its points are made of."""

    day: date  # from which it would count
    why: str  # what is missing, and what to do


def ranked_regulations() -> tuple[Regulation, ...]:
    """The regulations whose lists the site has."""
    return tuple(regulations()[name] for name in awarding_regulations())


def list_options(name: str) -> ListOptions:
    """The options of a regulation's lists.

    Raises:
        Refused: it makes none.
    """
    rules = get_regulation(name, awards=True)
    return ListOptions(
        regulation=name,
        title=rules.title,
        discipline=rules.discipline,
        total=rules.aggregate.word,
        kinds=rules.kinds,
        settings=rules.settings,
        by_nation=not rules.aggregate.latest,
        totals=bool(rules.settings),
    )


def awarding(regulation: str) -> str:
    """A regulation that makes lists.

    Raises:
        NotFoundException: it makes none.
    """
    if regulation not in awarding_regulations():
        there_are = ", ".join(awarding_regulations())
        raise NotFoundException(
            msg("There is no such list. There are: %(there_are)s.", there_are=there_are)
        )
    return regulation


# ── what is missing ──────────────────────────────────────────────────────────────────────────────


def waiting_events(waiting: Sequence[Waiting]) -> tuple[WaitingEvent, ...]:
    """Waiting events as pages show them."""
    return tuple(
        WaitingEvent(
            tournament_id=event.tournament_id,
            tournament=event.tournament,
            event_id=event.event_id,
            event=event.event,
            day=event.first,
            why=event.missing,
        )
        for event in waiting
    )


def reason_empty(snapshot: Snapshot, ranking: Ranking) -> str:
    """Why a list is empty; an empty text if it is not."""
    if len(ranking.frame):
        return ""
    classes = live.award_classes(snapshot.awards(ranking.question.regulation))
    return why_empty(ranking, snapshot.facts, classes).what


def regulations_waiting(snapshot: Snapshot, day: date) -> tuple[str, ...]:
    """The regulations in whose lists of a day events are missing, by name."""
    selection = Selection(as_of=day)
    every = ranked_regulations()
    return tuple(
        regulation.name
        for regulation in every
        if snapshot.ranking(regulation.name, selection).waiting
    )


# ── days ─────────────────────────────────────────────────────────────────────────────────────────


def listable(day: date) -> bool:
    """Whether a list can be asked for a day."""
    return FIRST <= day <= LAST


def listable_day(day: date | None, today: date) -> date:
    """The day that is asked for; today, if none is.

    Raises:
        Refused: there is no list for it.
    """
    if day is None or listable(day):
        return day or today
    raise Refused(
        msg(
            "There is no list for %(day)s: only from %(first)s to %(last)s.",
            day=LocalNumber(day.isoformat()),
            first=LocalNumber(FIRST.isoformat()),
            last=LocalNumber(LAST.isoformat()),
        )
    )


def parse_day(text: str) -> date:
    """The day that a form sends.

    Raises:
        Refused: it is none, or none of a list.
    """
    try:
        day = date.fromisoformat(text)
    except ValueError:
        words = no_day(text) or msg("%(on)s is no day such as 2019-12-31.", on=brief(text))
        raise Refused(words) from None
    return listable_day(day, day)


@cached
def current_day(snapshot: Snapshot, name: str, today: date) -> date:
    """The day of the list that is shown first.

    It is today; where all results have faded by then, the end of the month of the last one.
    """
    if len(snapshot.ranking(name, Selection(as_of=today)).frame):
        return today
    return nearest_day(snapshot, name, today, today) or today


def nearest_day(snapshot: Snapshot, name: str, day: date, today: date) -> date | None:
    """The end of the month of the last result until a day, else of the first; none: there is none.

    A list of that day, today at the latest, has players where that of the day has none.
    """
    counted_from = snapshot.once(
        ("days of results", name), lambda: live.effective(snapshot.awards(name))
    )
    nearest = counted_from.filter(counted_from <= day).max() or counted_from.min()
    if not isinstance(nearest, date) or nearest > today:
        return None
    return min(_month_end(nearest), today)


def day_before(snapshot: Snapshot, name: str, day: date, today: date) -> date:
    """The list day before a day, from which movement is measured; today for days ahead."""
    if day > today:
        return today
    month = max(FIRST, day.replace(day=1) - timedelta(days=1))
    return max([month, *(other for other in published_days(snapshot, name) if other < day)])


def moved_since(
    snapshot: Snapshot,
    name: str,
    day: date,
    today: date,
    by: str = "player",
    *,
    of_all: bool = True,
) -> tuple[date, int | None]:
    """The day of the list that movement up to a day is measured from, and what published it.

    It is the last that was published for a day before, as it was published by that entry; where
    none was, or where not all results count, the list of the list day before as it is known now.
    """
    published = published_days(snapshot, name, by) if of_all else {}
    if last := max((each for each in published if each < day), default=None):
        return last, published[last]
    return day_before(snapshot, name, day, today), None


def day_after(snapshot: Snapshot, name: str, day: date, today: date) -> date | None:
    """The next list day, or today where that comes first; none: it lies more than a year ahead."""
    if day >= today:
        return next((other for other in days_ahead(today) if other > day), None)
    month = _month_end(day + timedelta(days=1))
    return min([month, today, *(other for other in published_days(snapshot, name) if other > day)])


def days_ahead(today: date) -> tuple[date, ...]:
    """The ends of the months of the year to come."""
    return tuple(islice(days(today + timedelta(days=1), today + A_YEAR, "month"), MONTHS_AHEAD))


def _month_end(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOfRecord(ListAsOf):
    """What a list that is or would be published is of."""

    name: str  # "wbgf 2005-12-31 by nation"
    by: str  # player | nation
    nation: str | None  # a nation, if it is of its players only
    setting: str | None
    kind: str
    since: date | None  # only results that count from this day on
    until: date | None
    divisions: tuple[int, ...]  # only of these, 1 the highest; none: all
    edition: str | None  # it is made under; none: each day has its own
    readings: Mapping[str, str]  # readings and what is chosen instead
    last_entry: int  # the last entry that counts
    waiting_events: int  # that are not in it: something is missing in each

    def words(self, _: Callable[[str], str], day: Callable[[date], str]) -> list[str]:
        """What sets it apart from the whole list of its day by the rules in force.

        Args:
            _: messages of a language.
            day: days in words.
        """
        words = (
            self.nation,
            self.setting and _(self.setting),
            self.kind != TOTAL and _(self.kind),
            self.since and _("since %s") % day(self.since),
            self.until and _("until %s") % day(self.until),
            self.divisions and _("division %s") % ", ".join(map(str, self.divisions)),
            self.edition and _("edition %s for every day") % self.edition,
            *(_("reading %s: %s") % chosen for chosen in sorted(self.readings.items())),
        )
        return [word for word in words if word]


def fields_of(body: Any) -> dict[str, Any]:
    """The fields of a `ListOfRecord` that an announcement, or a list to be published, states."""
    selection, regulation = body.selection, regulations().get(body.regulation)
    return {
        "regulation": body.regulation,
        "title": regulation.title if regulation else body.regulation,
        "as_of": selection.as_of,
        "by": selection.by,
        "nation": selection.nation,
        "setting": selection.setting,
        "kind": selection.kind,
        "since": selection.since,
        "until": selection.until,
        "divisions": selection.divisions,
        "edition": body.edition,
        "readings": body.readings.chosen,
        "waiting_events": body.waiting_events,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedList(ListOfRecord):
    """An official list without its rows."""

    entry: int
    file: str  # the name as files begin
    note: str | None
    list_sha256: str
    replaced: int | None  # the later entry that published the list of that name anew
    undone: bool  # whether its publication was taken back

    @property
    def plain(self) -> bool:
        """Whether a page shows the list of that day as it is known now."""
        of_one_nation = self.by == "nation" and self.nation
        return not (
            self.since or self.until or self.divisions or of_one_nation or self.rules_chosen
        )

    @property
    def rating(self) -> bool:
        """Whether a player's last rating counts alone."""
        regulation = regulations().get(self.regulation)
        return regulation is not None and regulation.aggregate.latest

    @property
    def rules_chosen(self) -> bool:
        """Whether an edition or a reading was chosen for it."""
        return bool(self.edition or self.readings)

    @property
    def complete(self) -> bool:
        """Whether it is the whole list of players of its day by the rules in force."""
        return self.by == "player" and self.whole

    @property
    def whole(self) -> bool:
        """Whether it is of all players or nations of its day, by the rules in force."""
        return self.of_all and not (self.nation or self.rules_chosen)

    @property
    def of_all(self) -> bool:
        """Whether all results counted, as they do on the pages of players."""
        limits = (self.since, self.until, self.divisions, self.setting, self.kind != TOTAL)
        return not any(limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationRow:
    """One row of an official list."""

    rank: int
    player_id: str | None  # none: it is a list of nations
    player: str | None
    nation: str | None
    national_rank: int | None  # among players of the nation on this list; none: see `RankingRow`
    nanopoints: Nanopoints
    players: int | None  # who counted for a nation
    has_page: bool  # whether the player has a page
    part_of: str | None = None  # the name of the player whom the record is a part of today
    moved: int | None = None  # ranks up since the list that was published before; none: not on it
    figures: RowFigures | None = None  # as they are known now; none: the points are others now


@dataclass(frozen=True, slots=True, kw_only=True)
class ListChanges:
    """How many rows of a list differ from those of another."""

    new: int  # only on the later one
    gone: int  # only on the earlier one
    moved: int  # on both, with another rank
    revalued: int  # on both, with other points
    regrouped: int  # on both, with another nation; of nations, with another number of players

    def same(self) -> bool:
        """Whether nothing differs."""
        return not (self.new or self.gone or self.moved or self.revalued or self.regrouped)


@cached
def published_lists(snapshot: Snapshot) -> tuple[PublishedList, ...]:
    """Every official list, the latest first."""
    state = snapshot.projection.state
    lists = [
        _published(
            name,
            statement,
            state.in_force("publications", name),
            undone=state.is_undone(statement.sequence),
        )
        for name, statements in state.group("publications").items()
        for statement in statements
    ]
    return tuple(sorted(lists, key=lambda published: -published.entry))


def published_days(snapshot: Snapshot, name: str, by: str = "player") -> Mapping[date, int]:
    """The days whose whole list was published, each with the last entry that did."""
    return {
        published.as_of: published.entry
        for published in reversed(published_lists(snapshot))
        if (published.regulation, published.by) == (name, by)
        and published.whole
        and not (published.undone or published.replaced)
    }


def _published(
    name: str, statement: Statement, last: Statement | None, *, undone: bool
) -> PublishedList:
    body = statement.body
    is_replaced = last is not None and last.sequence > statement.sequence and not undone
    return PublishedList(
        **fields_of(body),
        entry=statement.sequence,
        name=name,
        file=publication.file_stem(name),
        note=body.note,
        last_entry=body.head.sequence if body.head else 0,
        list_sha256=body.list_sha256,
        replaced=last.sequence if last and is_replaced else None,
        undone=undone,
    )


def published_list(snapshot: Snapshot, entry: int) -> PublishedList:
    """An official list by its entry.

    Raises:
        NotFoundException: that entry published none.
    """
    for published in published_lists(snapshot):
        if published.entry == entry:
            return published
    raise NotFoundException(msg("No list was published with that entry."))


def publication_rows(
    snapshot: Snapshot, read_names: Names, frame: pl.DataFrame
) -> tuple[PublicationRow, ...]:
    """Rows with the names that may be shown today; merged records have their own."""
    by_player = "player_id" in frame.columns
    names = _names(snapshot, read_names, frame["player_id"]) if by_player else {}
    return tuple(
        PublicationRow(
            rank=row["rank"],
            player_id=row.get("player_id"),
            player=names.get(row["player_id"], WITHHELD) if by_player else None,
            nation=row["nation"],
            national_rank=row.get("national_rank"),
            nanopoints=row["nanopoints"],
            players=row.get("players"),
            has_page=row.get("player_id") in names,
        )
        for row in frame.iter_rows(named=True)
    )


def _names(snapshot: Snapshot, read_names: Names, ids: pl.Series) -> Mapping[str, str]:
    names = {player: shown.player for player, shown in shown_by_id(snapshot, ids).items()}
    others = [player for player in ids if player not in names]
    if others:
        names |= read_names(others)
    return names


def with_national_ranks(ranked: pl.DataFrame, question: Question) -> pl.DataFrame:
    """A list of players with ``national_rank``: among those of the same nation.

    None where a player has no nation, and where nations rank their players by the points that they
    won for them.
    """
    national = pl.col("rank").rank("min").over("nation")
    has_rank = pl.col("nation").is_not_null() & pl.lit(not by_event(question))
    return ranked.with_columns(national_rank=pl.when(has_rank).then(national))


def list_step(earlier: pl.DataFrame, later: pl.DataFrame) -> ListChanges:
    """How one list became another.

    Args:
        earlier: rank, nanopoints, and player_id with nation or nation with players.
        later: the same of the other list.
    """
    by_player = "player_id" in earlier.columns
    key, group = ("player_id", "nation") if by_player else ("nation", "players")
    old, new = (ranking[[key, "rank", "nanopoints", group]] for ranking in (earlier, later))
    if old.equals(new):
        return ListChanges(new=0, gone=0, moved=0, revalued=0, regrouped=0)
    common = old.join(new, on=key, how="inner", nulls_equal=True)

    moved, revalued, regrouped = common.select(
        pl.col(column).ne_missing(pl.col(f"{column}_right")).sum()
        for column in ("rank", "nanopoints", group)
    ).row(0)
    return ListChanges(
        new=len(new) - len(common),
        gone=len(old) - len(common),
        moved=moved,
        revalued=revalued,
        regrouped=regrouped,
    )
