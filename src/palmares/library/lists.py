"""
What ``import palmares`` offers for lists: announced, verified, compared.

A journal is named by its URL: a file such as ``federation.db``, or ``postgresql://user@host/name``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

import polars as pl
from msgspec.structs import replace

from palmares.core.clock import today
from palmares.core.errors import Refused, brief_repr
from palmares.facts import Facts
from palmares.formats import printed_lists
from palmares.formats.load import paths_of
from palmares.journal.projection import snapshots
from palmares.journal.store import journal as store
from palmares.journal.store.entries import Actor
from palmares.library.points import (
    Day,
    Tables,
    as_given,
    check_arguments,
    checked_facts,
    is_day,
    issue_warnings,
    make_question,
    make_selection,
    parse_day,
    parse_moment,
)
from palmares.lists import publication
from palmares.lists.compare import Comparison
from palmares.lists.compare import compare as compared
from palmares.lists.diff import Change, Differences, changes_frame, diff_lists
from palmares.lists.diff.list_ref import (
    ListRef,
    ListSource,
    listed_player_id,
    refusal_of,
    resolve_lists,
)
from palmares.lists.publication import manifests
from palmares.lists.publication.manifests import Verification
from palmares.points import rankings
from palmares.points.awards import Question

__all__ = ["PublishResult", "compare", "diff", "publish", "verify"]

Path_ = str | os.PathLike[str]
When = Day | tuple[Day, date | str] | int
"""A list: a day; a day and what was known when; a publication by its entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishResult:
    """A list that was published.

    Its manifest is the content of a file; ``entry`` is the number it has in the journal, none for
    a list of files; ``new`` says whether it was recorded now, or was there already.
    """

    name: str  #: "wbgf 2005-12-31"
    list: pl.DataFrame  #: rank, player_id, player, nation, points; or rank, nation, points, players
    manifest: bytes
    entry: int | None
    new: bool


def publish(
    regulation: str,
    facts: Tables | None = None,
    *,
    journal: str | None = None,
    author: str | None = None,
    role: str = "officer",
    known_at: date | str | None = None,
    as_of: Day | None = None,
    by: str = "player",
    setting: str | None = None,
    kind: str = rankings.TOTAL,
    since: Day | None = None,
    until: Day | None = None,
    nation: str | None = None,
    edition: str | None = None,
    readings: Mapping[str, str] | None = None,
    note: str | None = None,
    with_waiting_events: bool = False,
) -> PublishResult:
    """Announce the ranking of a day, with the hashes of all that it rests on.

    *facts* is what `read` returns, or tables by name. Or else *journal* is where the facts are:
    there the list is recorded for good, in the name of *author* (in the role of "officer",
    "administrator" or "director"), with what is known now, or was at *known_at*, as
    `read_journal` takes it. A *note* is kept with the list: write no names there. A list from
    which events are missing, because they wait, is made only *with_waiting_events*. All else is as
    `rank` takes it.

    Raises:
        Refused: events wait that would be in the list; its day is more than a year away; neither
            facts nor a journal were named, or both; nobody is the author.
    """
    rules = make_question(regulation, edition, readings)
    selection = make_selection(as_of, since, until, setting=setting, kind=kind, nation=nation)
    check_arguments(journal=journal, author=author, role=role, note=note)
    _check_source(facts, journal)
    if journal is None:
        publication.refuse_far_days(selection.as_of, today())
    make = partial(publication.make_publication, rules, selection=selection, by=by, note=note,
                   with_waiting_events=with_waiting_events)  # fmt: skip
    created, manifest, new = _record(facts, journal, known_at, (author, role), make)
    issue_warnings(created.ranking.notices, created.ranking.waiting)
    return PublishResult(
        name=created.publication.name,
        list=created.ranking.published(),
        manifest=manifests.manifest_text(manifest).encode(),
        entry=manifest.entry.sequence if manifest.entry else None,
        new=new,
    )


def _record(
    facts: Tables | None,
    journal: str | None,
    known_at: date | str | None,
    signed: tuple[str | None, str],
    make: Callable[..., publication.NewPublication],
) -> tuple[publication.NewPublication, manifests.Manifest, bool]:
    """Make a list of facts, or of a journal and record it there; return whether it is new, too."""
    author, role = signed
    if journal is None:
        if author is not None or known_at is not None:
            raise Refused("An author and what was known when are for a journal.")
        created = make(facts=checked_facts(facts or {}))
        return created, manifests.Manifest(publication=created.publication), True
    if not author:
        raise Refused('Say who publishes, such as author="Rita Officer".')
    by = Actor(author, role)
    with closing(store.open_journal(journal)) as opened:
        projection = snapshots.load_projection(opened, parse_moment(known_at))
        created = make(facts=projection.facts, head=projection.state.head)
        manifest, new = manifests.record_publication(opened, created.publication, by, projection)
    return created, manifest, new


def verify(
    published: Path_ | bytes | int | PublishResult,
    facts: Tables | None = None,
    *,
    journal: str | None = None,
) -> Verification:
    """Recompute an official list, and say whether it is identical, or where it is not.

    Args:
        published: what `publish` returns, the file of a manifest, its content, or the number of
            its entry in a journal.
        facts: what `read` returns, or tables by name; or else name a journal.
        journal: the list is made again from the entries that it was made of.

    Raises:
        Refused: it is no manifest; neither facts nor a journal were named, or both.
        FactsRejected, NotCovered: the rules say nothing on these facts any more.
    """
    check_arguments(journal=journal)
    _check_source(facts, journal)
    if isinstance(published, PublishResult):
        published = published.manifest
    if journal is None:
        if isinstance(published, int):
            raise Refused(f"{published} is an entry of a journal: name the journal.")
        return manifests.verify_with_facts(_manifest(published), checked_facts(facts or {}))
    with closing(store.open_journal(journal)) as opened, opened.reading() as reader:
        if isinstance(published, int):
            return manifests.verify_in_journal(
                manifests.manifest_of_entry(reader.entry(published)), reader
            )
        return manifests.verify_in_journal(_manifest(published), reader)


def diff(
    regulation: str,
    a: When,
    b: When,
    facts: Tables | None = None,
    *,
    journal: str | None = None,
    player: str | None = None,
    setting: str | None = None,
    kind: str = rankings.TOTAL,
    since: Day | None = None,
    until: Day | None = None,
    edition: str | None = None,
    readings: Mapping[str, str] | None = None,
    edition_b: str | None = None,
    readings_b: Mapping[str, str] | None = None,
) -> pl.DataFrame:
    """What changed from one list to another, and why; the parts of a change add up.

    A list, *a* or *b*, is a day; with a journal also ``(day, known_at)``, as `read_journal` takes
    it, or the number of a publication. *facts* is what `read` returns, or tables by name; or else
    *journal* is where the facts are. *player* is one player alone, by id or name. *edition_b* and
    *readings_b* are of the second list alone; all else is as `rank` takes it, and of both.

    Returns:
        One row for each part, with rank_a, rank_b, player_id, player, points_a, points_b, change,
        cause, tournament_id, tournament, event, flight, kind, part, note, and the last entry
        behind it with its author and the day it was recorded.

    Raises:
        Refused: there is no such list; neither facts nor a journal were named, or both.
    """
    first = make_question(regulation, edition, readings)
    make_question(regulation, edition_b, readings_b)
    second = replace(
        first, edition=edition_b or edition, chosen={**(readings or {}), **(readings_b or {})}
    )
    since, until = parse_day(since), parse_day(until)
    ends = _list_ref(a), _list_ref(b)
    check_arguments(journal=journal)
    if player is not None:
        check_arguments(player=player)
    _check_source(facts, journal)
    chosen = (edition, readings, edition_b, readings_b, setting, since, until, kind != "total")
    if wrong := refusal_of(ends, in_journal=journal is not None, chosen=any(chosen)):
        raise Refused(wrong)

    counted = partial(make_selection, since=since, until=until, setting=setting, kind=kind)
    valid = None if facts is None else checked_facts(facts)
    differences, changes = find_differences(ends, (first, second), counted, valid, journal, player)
    issue_warnings((), differences.waiting)
    return as_given(facts, changes_frame(changes))


def find_differences(
    refs: tuple[ListRef, ListRef],
    questions: tuple[Question, Question],
    select: Callable[[date], rankings.Selection],
    facts: Facts | None,
    journal: str | None,
    player: str | None,
) -> tuple[Differences, list[Change]]:
    """The differences between two lists of facts or of a journal, and the changes asked for.

    Args:
        refs: the lists.
        questions: the rules of each.
        select: which awards a list of a day counts.
        facts: checked facts; none where a *journal* has them.
        journal: the URL of a journal.
        player: an id or a name, for the change of one player.
    """
    with ExitStack() as stack:
        lists = ListSource(facts or Facts())
        if journal is not None:
            opened = stack.enter_context(closing(store.open_journal(journal)))
            lists = ListSource(reader=stack.enter_context(opened.reading()))
        a, b = resolve_lists(lists, refs, questions, select)
        players = None if player is None else [listed_player_id(player, a, b)]
        differences = diff_lists(a, b, lists.reader)
        return differences, differences.of_players(players)


def compare(
    regulation: str,
    printed: Path_,
    facts: Tables,
    *,
    as_of: Day | None = None,
    setting: str | None = None,
    kind: str = rankings.TOTAL,
    since: Day | None = None,
    until: Day | None = None,
    nation: str | None = None,
    edition: str | None = None,
    readings: Mapping[str, str] | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Comparison:
    """Compare a printed list with ours, and explain the differences.

    Args:
        regulation: "wbgf", "usbgf" or "dptr".
        printed: their list, a CSV or Excel file.
        facts: what `read` or `read_journal` returns, or tables by name.
        as_of: the day of the list (default: today, UTC).
        setting: "live" or "online" results only.
        kind: "match", "placement" or "total" points.
        since: only results that count from this day on.
        until: only results that count up to this day.
        nation: their list is of players of this nation.
        edition: one edition for every date.
        readings: named alternatives, by reading id.
        encoding: of a CSV file that is not UTF-8.
        decimal: "point" or "comma", where the numbers of their list do not show it.

    Raises:
        FactsRejected: their list cannot be read; something is missing that a formula needs.
    """
    rules = make_question(regulation, edition, readings)
    selection = make_selection(as_of, since, until, setting=setting, kind=kind, nation=nation)
    check_arguments(encoding=encoding)
    if decimal not in (None, "point", "comma"):
        raise Refused(f'decimal is "point" or "comma", not {brief_repr(decimal)}.')
    theirs = printed_lists.read(Path(*paths_of([printed])), encoding=encoding, mark=decimal)
    comparison = compared(rules, checked_facts(facts), selection, theirs)
    issue_warnings(comparison.notices, comparison.waiting)
    return comparison


# ── what was given ───────────────────────────────────────────────────────────────────────────────


def _check_source(facts: Tables | None, journal: str | None) -> None:
    if (facts is None) == (journal is None):
        raise Refused("Give facts or name a journal, one of them.")


def _manifest(published: Path_ | bytes) -> manifests.Manifest:
    if isinstance(published, bytes):
        return manifests.parse_manifest(published, "the manifest")
    return manifests.read_manifest(*paths_of([published]))


def _list_ref(given: When) -> ListRef:
    """The list that an argument names."""
    match given:
        case date() | str() if isinstance(given, date) or is_day(given):
            of_day = parse_day(given)
            return ListRef(text=f"{of_day}", day=of_day)
        case (date() | str() as first, known_at):
            of_day = parse_day(first)
            return ListRef(text=f"{of_day}@{known_at}", day=of_day, known_at=parse_moment(known_at))
        case int():
            return ListRef(text=f"#{given}", entry=given)
        case Facts() | Mapping():
            raise Refused("Facts come after both lists: palmares.diff(regulation, a, b, facts).")
    raise Refused(
        "A list is a day, such as date(2019, 12, 31), a day and what was known when, or the number"
        f" of a publication, not {brief_repr(given)}."
    )
