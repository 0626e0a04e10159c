"""Official lists: which there are, one as it was announced or made once more, and their feed."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Annotated, Any
from uuid import NAMESPACE_URL, uuid5

import polars as pl
from anyio import to_thread
from litestar import Response
from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import FromPath, FromQuery, PathParameter

from palmares.core.errors import FactsRejected, NotCovered, Refused
from palmares.core.messages import msg
from palmares.facts import codes
from palmares.journal.projection.project import State
from palmares.journal.store.journal import Reader
from palmares.lists.figures import movement
from palmares.lists.figures.players import number_of
from palmares.lists.figures.rows import RowFigures
from palmares.lists.publication import Publication, manifests
from palmares.lists.publication.manifests import ComparedPart, Manifest
from palmares.points.rankings import Selection
from palmares.render.pdf import cited_file
from palmares.web.http.replies import (
    JSON,
    OPEN,
    is_api,
    pinned_player,
    redirected,
    shared_response,
    with_etag,
)
from palmares.web.http.routing import to
from palmares.web.http.state import AppState, Request, Snapshot, cached
from palmares.web.shared.downloads import SavedList, attached, packed, sent, sent_feed
from palmares.web.shared.history import (
    CorrectedPlayer,
    corrected_players,
    earlier,
    figures_of,
    nation_ranks,
    numbers_of,
    published_manifest,
)
from palmares.web.shared.lists import (
    ListChanges,
    PublicationRow,
    PublishedList,
    list_step,
    moved_since,
    parse_day,
    publication_rows,
    published_list,
    published_lists,
    with_national_ranks,
)
from palmares.web.shared.names import (
    matching_nations,
    matching_players,
    merged_into,
    shown_player,
)
from palmares.web.shared.parameters import (
    ListedNation,
    PageOfList,
    RequestedRows,
    Search,
    Slice,
    answer_rows,
)
from palmares.web.shared.results import (
    BestResults,
    OwnPlace,
    best_results,
    own_place,
)

ROWS, CORRECTIONS = 50, 10
DIFFERENCES = 200
"""So many parts that differ are shown; the command line shows all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Publications(Slice):
    """Every list that was announced, the latest first."""

    lists: int
    items: tuple[PublishedList, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationList(Slice):
    """A list as it was announced, whatever was recorded later."""

    published: PublishedList
    day: date  # it was recorded
    author: str
    hash: str  # of its entry
    facts_sha256: str
    palmares: str  # the version that computed it
    editions: Mapping[str, str]  # that were in force, with the hashes of their files
    later_changes: (
        ListChanges | None
    )  # to the list of that day as it is known now; none: it cannot be said
    corrected: int  # players with other points today; 0 of nations, and under chosen rules
    corrections: tuple[CorrectedPlayer, ...]  # the first of them, the largest change first
    lists: tuple[
        PublishedList, ...
    ]  # one of each scope: of this day if there is one, else the last
    rows: int  # on the whole list
    before: date | None  # the day of the list that movement is measured from; none: there is none
    before_entry: int | None  # that published it; none: it is that list as it is known now
    nation: str | None  # whose players alone are shown; none: all
    nations: tuple[str, ...]  # of the players on the list
    search: str
    own: OwnPlace | None = (
        None  # of the visitor's player; none: nobody is pinned, or not on the list
    )
    opened: BestResults | None = None  # of the player who is asked for; none: nobody is
    not_opened: str = ""  # why these cannot be shown; empty: they are, or nobody is asked for
    items: tuple[PublicationRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationVerification:
    """An official list made once more, from every entry up to the one it was made at."""

    published: PublishedList
    identical: bool
    refusal: str  # why it could not be made again; empty: it could
    different: int
    parts: tuple[ComparedPart, ...]  # rows that are the same are left out


# ── which there are ──────────────────────────────────────────────────────────────────────────────


def publications(snapshot: Snapshot, rows: PageOfList) -> Publications:
    """Every official list, the latest first."""
    every = published_lists(snapshot)
    here, part = rows.cut(every, "entry", snapshot.head.sequence)
    return Publications(**part, lists=len(every), items=here)


# ── one of them ──────────────────────────────────────────────────────────────────────────────────


def publication_list(
    snapshot: Snapshot,
    app_state: AppState,
    entry: EntryNumber,
    rows: PageOfList,
    nation: ListedNation = None,
    search: Search = "",
) -> PublicationList:
    """A list as it was announced, whatever was recorded later.

    The names are those that may be shown today.

    Raises:
        NotFoundException: that entry published none.
    """
    published = published_list(snapshot, entry)
    manifest = published_manifest(snapshot, app_state.journal, entry)
    publication, recorded = manifest.publication, manifest.recorded_entry()
    frame = _rows_of(snapshot, app_state, entry)
    key = "nation" if published.by == "nation" else "player_id"
    narrowed_rows = _narrowed(snapshot, app_state, frame, nation, search)
    here, part = rows.cut(narrowed_rows, key, snapshot.head.sequence, ROWS)
    corrected = _corrected(snapshot, app_state, entry)
    regulation, day, by = published.regulation, published.as_of, published.by
    before = moved_since(snapshot, regulation, day, day, by) if published.whole else (None, None)
    return PublicationList(
        **part,
        published=published,
        day=date.fromisoformat(recorded.recorded_at[:10]),
        author=recorded.author,
        hash=recorded.hash,
        facts_sha256=publication.facts_sha256,
        palmares=publication.palmares,
        editions={edition: file.sha256 for edition, file in publication.editions.items()},
        later_changes=since_published(snapshot, app_state, entry),
        corrected=len(corrected),
        corrections=corrected[:CORRECTIONS],
        lists=_list_of_each_scope(snapshot, published),
        rows=len(frame),
        before=before[0],
        before_entry=before[1],
        nation=nation and (codes.nation(nation) or nation),
        nations=() if key == "nation" else tuple(sorted(filter(None, frame["nation"].unique()))),
        search=search,
        items=_rows(snapshot, app_state, published, publication, here),
    )


def _list_scope(published: PublishedList) -> tuple[str, ...]:
    """Which results an official list counts, but for its day: lists of one scope follow another."""
    return (published.regulation, published.by, *published.words(str, str))


def _list_of_each_scope(snapshot: Snapshot, published: PublishedList) -> tuple[PublishedList, ...]:
    """One official list of each scope: of the day of this one if there is one, else the last."""
    day = published.as_of
    in_force = [each for each in published_lists(snapshot) if not (each.undone or each.replaced)]
    latest = sorted(in_force, key=lambda each: (each.as_of == day, each.as_of))
    chosen = {_list_scope(each): each for each in latest} | {_list_scope(published): published}
    return tuple(sorted(chosen.values(), key=_list_scope))


def _list_of_day(snapshot: Snapshot, published: PublishedList, day: date) -> int:
    """The entry of the last official list of the same scope until a day, else of the first."""
    days = {
        each.as_of: each.entry
        for each in reversed(published_lists(snapshot))
        if _list_scope(each) == _list_scope(published) and not (each.undone or each.replaced)
    }
    until = [each for each in days if each <= day]
    return days[max(until) if until else min(days)] if days else published.entry


def _narrowed(
    snapshot: Snapshot, app_state: AppState, frame: pl.DataFrame, nation: str | None, search: str
) -> pl.DataFrame:
    """The rows of a nation and of a search; merged records are found by their own names, too."""
    if nation:
        frame = frame.filter(pl.col("nation") == (codes.nation(nation) or nation))
    if not search.strip():
        return frame
    if "player_id" not in frame.columns:
        return matching_nations(frame, search)
    merged, state = merged_into(snapshot), snapshot.projection.state
    records = [player for player in frame["player_id"] if player in merged]
    names = app_state.read(lambda reader: manifests.visible_names(state, reader, records))
    matching = matching_players(snapshot, search, names)["player_id"].implode()
    of_record, of_player = (
        ids.is_in(matching) for ids in (frame["player_id"], frame["player_id"].replace(merged))
    )
    return frame.filter(of_record | of_player)


def _rows(
    snapshot: Snapshot,
    app_state: AppState,
    published: PublishedList,
    given: Publication,
    here: pl.DataFrame,
) -> tuple[PublicationRow, ...]:
    """Rows of a list; of players with their movement, and with figures where these agree."""
    rows = publication_rows(snapshot, partial(app_state.read, _names, snapshot), here)
    if published.by == "nation":
        return _with_movement(app_state, snapshot, published, rows) if published.whole else rows
    regulation, as_of = published.regulation, published.as_of
    before = None
    if published.complete:
        before = earlier(app_state.journal, snapshot, regulation, as_of, as_of)
    merged, figures = merged_into(snapshot), dict[str, RowFigures]()
    together = _then(snapshot, app_state, published.entry).places
    if not published.rules_chosen:
        numbers = numbers_of(
            snapshot.awards(regulation),
            pl.Series([merged.get(player, player) for player in here["player_id"]]),
        )
        figures |= figures_of(snapshot, regulation, given.chosen_results(), numbers)

    def extended(row: PublicationRow) -> PublicationRow:
        player = row.player_id or ""
        now = merged.get(player, player)
        known, was = figures.get(now), None
        if before is not None:
            by_number = not isinstance(before, movement.EarlierList)
            number = number_of(snapshot.awards(regulation), now) if by_number else None
            was = movement.place_on(before, player, number, together)
        agrees = known is not None and known.trend[-1] == row.nanopoints
        return replace(
            row,
            moved=was[0] - row.rank if was else None,
            figures=known if agrees else None,
            part_of=shown_player(snapshot, now).player if now != player else None,
        )

    return tuple(map(extended, rows))


def _with_movement(
    app_state: AppState,
    snapshot: Snapshot,
    published: PublishedList,
    rows: tuple[PublicationRow, ...],
) -> tuple[PublicationRow, ...]:
    """Rows of a list of nations, with their movement since the one before."""
    regulation, day = published.regulation, published.as_of
    since, entry = moved_since(snapshot, regulation, day, day, "nation")
    selection = Selection(as_of=since)
    was = nation_ranks(app_state.journal, snapshot, regulation, selection, entry)
    ranks = (was.get(row.nation or "") for row in rows)
    return tuple(
        replace(row, moved=rank and rank - row.rank) for row, rank in zip(rows, ranks, strict=True)
    )


@cached
def _rows_of(snapshot: Snapshot, app_state: AppState, entry: int) -> pl.DataFrame:
    """The whole list; of all players with their national ranks."""
    given = published_manifest(snapshot, app_state.journal, entry).publication
    frame = given.frame()
    if given.selection.by == "nation" or given.selection.nation:
        return frame
    return with_national_ranks(frame, given.question())


def _for_visitor(
    snapshot: Snapshot,
    app_state: AppState,
    entry: int,
    rows: PageOfList,
    narrowed: tuple[str | None, str],
    *,
    opened: str,
    pinned: str,
) -> PublicationList:
    """The list with the visitor's own place, and with a row that is open.

    Args:
        snapshot: the facts.
        app_state: of the journal.
        entry: that published the list.
        rows: which rows are asked for.
        narrowed: the nation and the search that the list is narrowed to.
        opened: the player whose best results are shown below their row; empty: none.
        pinned: the visitor's own player; empty: none.

    Raises:
        NotFoundException: that entry published none, or nobody of that id is on it.
    """
    if published_list(snapshot, entry).by == "nation":
        if opened:
            raise NotFoundException(msg("A list of nations has no players to open."))
        return publication_list(snapshot, app_state, entry, rows, *narrowed)
    every = _narrowed(snapshot, app_state, _rows_of(snapshot, app_state, entry), *narrowed)
    rows = rows.turned_to(every, opened, ROWS)
    page = publication_list(snapshot, app_state, entry, rows, *narrowed)
    page = replace(page, own=own_place(snapshot, pinned, every[["rank", "player_id"]], ROWS))
    return _with_best(snapshot, app_state, page, opened) if opened else page


def _with_best(
    snapshot: Snapshot, app_state: AppState, page: PublicationList, player_id: str
) -> PublicationList:
    """The same with a player's best results, as they were known when the list was made.

    Raises:
        NotFoundException: nobody of that id is on it.
    """
    given = published_manifest(snapshot, app_state.journal, page.published.entry).publication
    ranked = given.frame()
    try:
        then = app_state.at(snapshot, f"#{page.published.last_entry}")
        if page.published.rules_chosen:
            then = Snapshot(then.projection, then.nearest, given.question())
        best = best_results(then, given.regulation, given.chosen_results(), ranked, player_id)
    except (FactsRejected, NotCovered, Refused) as error:
        return replace(page, not_opened=str(error))
    return replace(page, opened=best)


@cached
def _corrected(snapshot: Snapshot, app_state: AppState, entry: int) -> tuple[CorrectedPlayer, ...]:
    """Whose points on a list of players would be others today."""
    published = published_list(snapshot, entry)
    if published.by == "nation" or published.rules_chosen:
        return ()
    since = since_published(snapshot, app_state, entry)
    if since is not None and since.same():
        return ()
    given = published_manifest(snapshot, app_state.journal, entry).publication
    frame = snapshot.ranking(published.regulation, given.chosen_results()).frame
    now = movement.published_list(frame, published.as_of, snapshot.head.sequence)
    then = _then(snapshot, app_state, entry)
    rows = corrected_players(app_state.journal, snapshot, published.regulation, then, now)
    records = [row.player_id for row in rows if row.player_id in merged_into(snapshot)]
    names = app_state.read(_names, snapshot, records) if records else {}
    return tuple(replace(row, player=names.get(row.player_id, row.player)) for row in rows)


@cached
def _then(snapshot: Snapshot, app_state: AppState, entry: int) -> movement.EarlierList:
    """A list of players as it was published, with the records that were merged since."""
    published = published_list(snapshot, entry)
    ranked, merged = _rows_of(snapshot, app_state, entry), merged_into(snapshot)
    return movement.published_list(ranked, published.as_of, published.last_entry, merged)


def _names(reader: Reader, snapshot: Snapshot, ids: Collection[str]) -> Mapping[str, str]:
    """The names of players that may be shown today."""
    return manifests.visible_names(snapshot.projection.state, reader, ids)


def saved_list(reader: Reader, snapshot: Snapshot, entry: int) -> SavedList:
    """A list as it was announced, for a file, with the names that may be shown today.

    Raises:
        NotFoundException: that entry published none.
    """
    published = published_list(snapshot, entry)
    manifest = manifests.manifest_of_entry(reader.entry(entry))
    given, filed = manifest.publication, manifest.recorded_entry()
    words = published.words(str, str)
    by_nation = ["by nation"] if published.by == "nation" else []
    undone = "This publication was taken back."
    replaced = f"This list was published anew, as entry {published.replaced}."
    return SavedList(
        name=f"{published.file}-published-{entry}",
        title=", ".join(
            (published.title, f"official list as of {published.as_of}", *by_nation, *words)
        ),
        frame=manifests.list_with_names(given, partial(_names, reader, snapshot)),
        notes=[
            f"List: {published.title} ({published.regulation})",
            f"As of: {published.as_of}",
            *([f"Only: {', '.join([*by_nation, *words])}"] if by_nation or words else []),
            f"Published as entry {entry} of the journal by {filed.author}, {filed.recorded_at}.",
            f"Hash of the entry: {filed.hash}",
            f"Hash of the list: {given.list_sha256}",
            *([undone] if published.undone else []),
            *([replaced] if published.replaced else []),
            *([given.note] if given.note else []),
        ],
        source=[
            cited_file(f"{given.regulation}/{edition}", file.sha256)
            for edition, file in given.editions.items()
        ],
    )


@cached
def since_published(snapshot: Snapshot, app_state: AppState, entry: int) -> ListChanges | None:
    """How the list of that day came to be another one.

    Returns:
        None where it cannot be said: an edition or reading was chosen for it, or the list cannot be
        made of what is known now.
    """
    given = published_manifest(snapshot, app_state.journal, entry).publication
    if given.edition is not None or given.readings.chosen:
        return None
    with suppress(FactsRejected, NotCovered, Refused):
        now = snapshot.ranking(given.regulation, given.chosen_results(), by=given.selection.by)
        frame = _rows_of(snapshot, app_state, entry)
        if given.selection.by == "player":  # a record that was merged is the player it is part of
            merged = _then(snapshot, app_state, entry).merged
            today = {record: into for into, record in merged.items()}
            frame = frame.with_columns(pl.col("player_id").replace(today)) if today else frame
        return list_step(frame, now.frame)
    return None


# ── made once more ───────────────────────────────────────────────────────────────────────────────


def _verify(reader: Reader, snapshot: Snapshot, entry: int) -> PublicationVerification:
    published = published_list(snapshot, entry)
    try:
        checked = manifests.verify_in_journal(
            manifests.manifest_of_entry(reader.entry(entry)), reader
        )
    except (FactsRejected, Refused) as error:
        return PublicationVerification(
            published=published, identical=False, refusal=str(error), different=0,
            parts=(),
        )  # fmt: skip
    parts = checked.parts
    different_rows = [part for part in parts if not part.identical and part.part == "row"]
    parts_sent = [part for part in parts if part.part != "row"] + different_rows[:DIFFERENCES]
    return PublicationVerification(
        published=published,
        identical=checked.identical,
        refusal="",
        different=len([part for part in parts if not part.identical and part.part != "version"]),
        parts=tuple(parts_sent),
    )


FEED_LISTS = 50
"""So many lists are in the feed."""
_NEVER = "1970-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """An official list in the feed."""

    published: PublishedList
    id: str  # urn:uuid:...
    recorded_at: str
    updated_at: str  # later than recorded_at if it was taken back


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationFeed:
    """What was published, the latest first."""

    id: str
    updated_at: str
    lists: tuple[FeedEntry, ...]


def make_feed(reader: Reader, snapshot: Snapshot) -> PublicationFeed:
    """The feed of the latest lists."""
    lists = published_lists(snapshot)[:FEED_LISTS]
    undos = {each.entry: _undos(snapshot.projection.state, each.entry) for each in lists}
    wanted = {1, *undos, *(by for several in undos.values() for by in several)}
    entries = {entry.sequence: entry for entry in reader.by_number(wanted)}
    rows = tuple(
        FeedEntry(
            published=each,
            id=_id(entries[each.entry].hash),
            recorded_at=entries[each.entry].recorded_at,
            updated_at=max(entries[by].recorded_at for by in (each.entry, *undos[each.entry])),
        )
        for each in lists
    )
    return PublicationFeed(
        id=_id(entries[1].hash if entries else ""),
        updated_at=max((row.updated_at for row in rows), default=_NEVER),
        lists=rows,
    )


def _undos(state: State, entry: int) -> Collection[int]:
    """The undos of an entry, and of those undos."""
    below = [entry]
    for undone in below:
        below += (by for by in state.undos.get(undone, ()) if by > undone)
    return below[1:]


def _id(text: str) -> str:
    return f"urn:uuid:{uuid5(NAMESPACE_URL, text)}"


EntryNumber = Annotated[
    int,
    PathParameter(
        description="The entry of the journal in which the list was announced.",
        examples=[Example(value=41)],
    ),
]


# ── the API ──────────────────────────────────────────────────────────────────────────────────────


async def manifest(request: Request, entry: EntryNumber) -> Response[Manifest]:
    """The manifest of a list, as its file has it.

    `palmares verify` recomputes the list from it, byte for byte.
    """
    snapshot = await request.app_state.now()

    def make(reader: Reader) -> tuple[PublishedList, str]:
        published = published_list(snapshot, entry)
        return published, manifests.manifest_text(manifests.manifest_of_entry(reader.entry(entry)))

    published, text = await to_thread.run_sync(request.app_state.read, make)
    headers = OPEN if is_api(request) else attached(f"{published.file}.manifest.json")
    return with_etag(text.encode(), JSON, headers)


@cached
def verification(
    snapshot: Snapshot, app_state: AppState, entry: EntryNumber
) -> PublicationVerification:
    """A list recomputed here and now, from every entry up to the one it was made at.

    Raises:
        NotFoundException: that entry published none.
    """
    return app_state.read(_verify, snapshot, entry)


# ── pages and files ──────────────────────────────────────────────────────────────────────────────


async def feed(request: Request) -> Response[bytes]:
    """The latest official lists, as Atom."""
    read = request.app_state.read
    return await sent_feed(
        request,
        "feed.xml",
        lambda snapshot: snapshot.once("feed", lambda: read(make_feed, snapshot)),
    )


async def publication(
    request: Request,
    entry: EntryNumber,
    rows: RequestedRows,
    format: FromQuery[str] = "",  # noqa: A002  the name in the address
    open: FromQuery[str] = "",  # noqa: A002  the same
    nation: ListedNation = None,
    search: Search = "",
    list: FromQuery[str] = "",  # noqa: A002  the same
    on: FromQuery[str] = "",
) -> Response[Any]:
    """A list as it was published, as a page or as a file; another one, if a form chose it."""
    app_state, snapshot = request.app_state, await request.app_state.now()
    address = await to_thread.run_sync(
        _chosen, snapshot, entry, int(list) if list.isdecimal() else entry, on, nation, search
    )
    if address:
        return redirected(address)
    if format:
        return await sent(request, lambda now: app_state.read(saved_list, now, entry), format)
    visitor = {"opened": open, "pinned": pinned_player(request)}
    return await answer_rows(
        request,
        lambda snapshot, rows: _for_visitor(
            snapshot, app_state, entry, rows, (nation, search), **visitor
        ),
        rows,
        heavy=bool(open),
    )


def _chosen(
    snapshot: Snapshot, entry: int, chosen: int, on: str, nation: str | None, search: str
) -> str:
    """The address of the list and day that the form on an official list chose; empty: this one.

    Raises:
        NotFoundException, Refused: there is no such list or day.
    """
    published, other = published_list(snapshot, entry), published_list(snapshot, chosen)
    if on and (day := parse_day(on)) != published.as_of:
        chosen = _list_of_day(snapshot, other, day)
    if chosen == entry:
        return ""
    if (other.by, published.by) != ("player", "player"):  # nations have no nation to choose
        nation, search = None, search if other.by == published.by else ""
    return to.publication(chosen, nation=nation, search=search)


async def facts(request: Request, entry: FromPath[int]) -> Response[bytes]:
    """The facts that an official list was made of, with the names that may be shown today."""
    snapshot = await request.app_state.now()
    published = await to_thread.run_sync(published_list, snapshot, entry)

    def make() -> Response[bytes]:
        content = packed(request.app_state.at(snapshot, f"#{published.last_entry}").facts)
        return with_etag(content, "application/zip", attached(f"{published.file}.facts.zip"))

    return await shared_response(request, snapshot, make, heavy=True)
