"""
What ``import palmares`` offers: plain functions on facts, frames back.

Notices are issued as `palmares.core.errors.PalmaresWarning`; problems raise
`palmares.core.errors.PalmaresError` with every place named.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, fields
from datetime import date, datetime
from typing import Any, TypeGuard, cast

import msgspec
import polars as pl

from palmares import engines
from palmares.core.clock import today
from palmares.core.errors import PalmaresWarning, Problem, Refused, brief_repr
from palmares.core.extras import needs
from palmares.engines import Engine
from palmares.facts import Facts
from palmares.facts.frames import from_frames
from palmares.facts.rates import with_bank_rates
from palmares.formats.load import paths_of, read
from palmares.library import answers
from palmares.points import explain as explanations
from palmares.points import history as histories
from palmares.points import rankings
from palmares.points.awards import Question, Waiting, say_waiting
from palmares.regulations import money_disciplines
from palmares.render import explanation

__all__ = ["award", "engine", "expiries", "explain", "history", "rank", "read", "read_journal"]

Tables = Facts | Mapping[str, Any]
Day = date | str
"""A day, or how ISO 8601 writes it: "2019-12-31"."""
_ISO = re.compile(r"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation(explanations.PlayerExplanation):
    """Every award of one player and the sum that makes the total; prints as the command."""

    def __str__(self) -> str:
        """The explanation as text."""
        return "\n".join(explanation.lines(self))

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return explanation.page(self)


def read_journal(url: str, *, known_at: date | datetime | str | None = None) -> Facts:
    """The facts of a journal, as they are known now or were known at some time.

    Args:
        url: a file such as ``federation.db``, or ``postgresql://user@host/name``.
        known_at: a day (its end, UTC), a moment with its offset, or ``"#41"`` for an entry.

    Raises:
        Refused: there is no such journal, or no such time.
    """
    from palmares.journal.projection import snapshots
    from palmares.journal.store import journal as store

    check_arguments(url=url)
    when = parse_moment(known_at)
    with closing(store.open_journal(url)) as journal:
        return snapshots.load_projection(journal, when).facts


@contextmanager
def engine(name: str, *paths: str | os.PathLike[str], **settings: Any) -> Iterator[Engine]:
    """An engine for facts larger than memory or on a cluster; `award` and `rank` take it.

    Args:
        name: "duckdb" or "spark"; without an engine, `read` takes facts into memory.
        paths: reports, packages, or addresses such as ``s3://bucket/season``.
        settings: the fields of `palmares.engines.EngineSettings`, such as ``memory="4GB"``.

    Raises:
        Refused: there is no such engine or setting, or a library that it needs is not installed.
    """
    unknown = set(settings) - set(engines.EngineSettings.__struct_fields__)
    if unknown:
        raise Refused(f"An engine has no setting {', '.join(sorted(unknown))}.")
    check_arguments(name=name)
    try:
        wanted = msgspec.convert(settings, engines.EngineSettings)
    except msgspec.ValidationError as error:
        raise Refused(f"A setting of the engine is of another type: {error}.") from None
    with closing(engines.engine(name, paths_of(paths), wanted)) as started:
        yield started


def award(
    regulation: str,
    facts: Tables | Engine,
    *,
    edition: str | None = None,
    readings: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Every award of a regulation.

    Args:
        regulation: "wbgf", "usbgf" or "dptr".
        facts: what `read` returns, tables by name, or an `engine`.
        edition: one edition for every date.
        readings: named alternatives, by reading id: ``{"W3": "skip-29-feb"}``.

    Returns:
        One row per player, event, flight and kind of points, with player_id, player, event_id,
        event, flight, kind, points, effective, edition, then the terms by name.
    """
    rules = make_question(regulation, edition, readings)
    valid = facts if answers.is_engine(facts) else checked_facts(facts)
    given = answers.award(rules, valid)
    issue_warnings((*given.notices, *given.empty), given.waiting)
    return as_given(facts, given.published())


def rank(
    regulation: str,
    facts: Tables | Engine,
    *,
    as_of: Day | None = None,
    by: str = "player",
    setting: str | None = None,
    kind: str = rankings.TOTAL,
    since: Day | None = None,
    until: Day | None = None,
    nation: str | None = None,
    top: int | None = None,
    edition: str | None = None,
    readings: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """The ranking of a regulation as of a day (default: today, UTC).

    Args:
        regulation: "wbgf", "usbgf" or "dptr".
        facts: what `read` returns, tables by name, or an `engine`.
        as_of: the day of the list.
        by: "player" or "nation".
        setting: "live" or "online" results only.
        kind: "match", "placement" or "total" points.
        since: only results that count from this day on.
        until: only results that count up to this day.
        nation: only players of this nation.
        top: only ranks up to this one.
        edition: one edition for every date.
        readings: named alternatives, by reading id.

    Returns:
        One row a player, with rank, player_id, player, nation, points; or one row a nation, with
        rank, nation, points, players.

    Raises:
        Refused: *top* is not a whole number from 1, or another argument is none of those named.
    """
    if top is not None and (type(top) is not int or top < 1):
        raise Refused(f"top is {top!r}. Write a whole number from 1.")
    rules = make_question(regulation, edition, readings)
    selection = make_selection(as_of, since, until, setting=setting, kind=kind, nation=nation)
    rankings.refuse_nonsense(rules, selection, by)
    valid = facts if answers.is_engine(facts) else checked_facts(facts)
    ranking = answers.rank(rules, valid, selection, by=by, top=top)
    issue_warnings((*ranking.notices, *ranking.empty), ranking.waiting)
    return as_given(facts, ranking.published())


def explain(
    regulation: str,
    facts: Tables,
    *,
    player: str,
    as_of: Day | None = None,
    edition: str | None = None,
    readings: Mapping[str, str] | None = None,
) -> Explanation:
    """Why a player, given by id or name, has these points as of a day."""
    rules = make_question(regulation, edition, readings)
    check_arguments(player=player)
    why = explanations.explain(rules, checked_facts(facts), player, make_selection(as_of))
    issue_warnings(why.notices, why.waiting)
    return Explanation(**{field.name: getattr(why, field.name) for field in fields(why)})


def history(
    regulation: str,
    facts: Tables,
    *,
    player: str | Sequence[str],
    every: str = "month",
    since: Day | None = None,
    until: Day | None = None,
    ahead: Day | None = None,
    edition: str | None = None,
    readings: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Points and rank of one player or several at the end of each day, week or month.

    Args:
        regulation: "wbgf", "usbgf" or "dptr".
        facts: what `read` returns, or tables by name.
        player: id or name, or several.
        every: "day", "week" (Sundays), "month" (its last day) or "result" (each day on which
            results change the points).
        since: first day; by default the day of a player's first result.
        until: last day (default: today, UTC).
        ahead: go on to this day, as if nobody played any more.
        edition: one edition for every date.
        readings: named alternatives, by reading id.

    Returns:
        player_id, player, day, points, rank, results and expired (the tournaments whose results
        began and ceased to count since the row before), projected (whether the day is ahead); with
        every="result" also change, of the points on that day.
    """
    rules = make_question(regulation, edition, readings)
    period = histories.Period(
        every=every,
        since=parse_day(since),
        until=parse_day(until) or today(),
        ahead=parse_day(ahead),
    )
    careers = histories.careers(rules, checked_facts(facts), _player_list(player), period)
    issue_warnings(careers.notices, careers.waiting)
    return as_given(facts, histories.published(histories.history(careers).frame))


def expiries(
    regulation: str,
    facts: Tables,
    *,
    player: str | Sequence[str],
    until: Day | None = None,
    ahead: Day | None = None,
    edition: str | None = None,
    readings: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """Which results of one player or several stop counting when, after a last day (default: today).

    Returns:
        player_id, player, day (the first on which it no longer counts), tournament, event, points
        (what it is worth on the last day), rank (on that day, if nobody plays).
    """
    rules = make_question(regulation, edition, readings)
    period = histories.Period(until=parse_day(until) or today(), ahead=parse_day(ahead))
    careers = histories.careers(rules, checked_facts(facts), _player_list(player), period)
    issue_warnings(careers.notices, careers.waiting)
    return as_given(facts, histories.published(histories.expiries(careers)))


def checked_facts(facts: Tables | Engine) -> Facts:
    """Facts; tables of another library are converted and checked.

    Raises:
        FactsRejected: the tables are wrong; carries every problem.
        Refused: they are no tables by name at all, but a path, say.
    """
    if isinstance(facts, Facts):
        return facts
    if answers.is_engine(facts):
        raise Refused("An engine answers award and rank alone: for this, take palmares.read(path).")
    if not isinstance(facts, Mapping):
        raise Refused(
            "Facts are what palmares.read(path) returns, or tables by name, not"
            f" {brief_repr(facts)}."
        )
    taken = with_bank_rates(from_frames(facts), money_disciplines)
    issue_warnings(taken.notices)
    return taken


def make_question(
    regulation: str, edition: str | None = None, readings: Mapping[str, str] | None = None
) -> Question:
    """Which rules to apply.

    Raises:
        Refused: a name is no text, or the readings are no mapping.
    """
    check_arguments(regulation=regulation, edition=edition, readings=readings)
    return Question(regulation=regulation, edition=edition, chosen=readings)


def parse_moment(known_at: date | str | None) -> str | None:
    """A time for a journal: a day, a moment, or ``#41``.

    Raises:
        Refused: it is something else.
    """
    check_arguments(known_at=known_at)
    return known_at.isoformat() if isinstance(known_at, date) else known_at


_ARGUMENTS: Mapping[str, tuple[Any, str]] = {
    "regulation": (str, 'A regulation is a text such as "wbgf"'),
    "edition": (str | None, 'An edition is a text such as "2019-01"'),
    "readings": (Mapping | None, 'Readings are a mapping such as {"W3": "skip-29-feb"}'),
    "nation": (str | None, 'A nation is a code such as "CZE"'),
    "player": (str, "A player is an id or a name"),
    "url": (str, 'A journal is a text such as "federation.db"'),
    "known_at": (date | str | None, 'known_at is a day, a moment or an entry such as "#41"'),
}
"""The types of arguments by name, in words; any other one is a text, or left out."""


def check_arguments(**given: object) -> None:
    """Check the types of arguments by their names.

    Raises:
        Refused: one of them is something else.
    """
    for name, value in given.items():
        kind, words = _ARGUMENTS.get(name, (str | None, f"{name} is a text"))
        if not isinstance(value, kind):
            raise Refused(f"{words}, not {brief_repr(value)}.")


def _player_list(player: str | Sequence[str]) -> Sequence[str]:
    """The players asked for, as a list."""
    players: list[str] = list(player) if isinstance(player, list | tuple) else [cast("str", player)]
    for name in players:
        check_arguments(player=name)
    return players


def make_selection(
    as_of: Day | None, since: Day | None = None, until: Day | None = None, **more: Any
) -> rankings.Selection:
    """The selection of a list; its day is today by default."""
    check_arguments(nation=more.get("nation"))
    return rankings.Selection(
        as_of=parse_day(as_of) or today(), since=parse_day(since), until=parse_day(until), **more
    )


def parse_day(given: Day | None) -> date | None:
    """A day as it was given: a date, a moment of it, or a text of ISO 8601; none if none was.

    Raises:
        Refused: it is something else.
    """
    if isinstance(given, datetime):
        return given.date()
    if given is None or isinstance(given, date):
        return given
    if is_day(given):
        with suppress(ValueError):
            return date.fromisoformat(given)
    raise Refused(f'A day is a date, or a text such as "2019-12-31", not {brief_repr(given)}.')


def is_day(given: object) -> TypeGuard[str]:
    """Whether something is a text that is written as a day."""
    return isinstance(given, str) and _ISO.fullmatch(given) is not None


def as_given(facts: object, frame: pl.DataFrame) -> pl.DataFrame:
    """A frame of pandas if the given tables are; else of Polars.

    Raises:
        Refused: the tables are of pandas, and PyArrow is missing.
    """
    if not isinstance(facts, Mapping) or not facts:
        return frame
    from narwhals import to_native
    from narwhals.dependencies import is_pandas_dataframe

    given = (to_native(table, pass_through=True) for table in facts.values())
    if not all(map(is_pandas_dataframe, given)):
        return frame
    needs("pandas", "A frame of pandas")
    return cast("pl.DataFrame", frame.to_pandas())


def issue_warnings(notices: Iterable[Problem], waiting: Sequence[Waiting] = ()) -> None:
    """Warn of notices and waiting events, at the line that called the library."""
    for notice in notices:
        warnings.warn(str(notice), PalmaresWarning, stacklevel=3)
    if lines := say_waiting(waiting):
        warnings.warn("\n    ".join(lines), PalmaresWarning, stacklevel=3)
