"""Published lists: which there are, one as it was announced, and one made once more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date

import polars as pl
from litestar.exceptions import NotFoundException

from palmares.core.errors import FactsRejected, NotCovered, Refused
from palmares.core.rounding import Nanopoints
from palmares.facts.schema import WITHHELD
from palmares.journal.projection.state import Statement
from palmares.journal.store.journal import Reader
from palmares.lists import publication
from palmares.lists.publication import Publication, manifest
from palmares.lists.publication import record as publication_lists
from palmares.lists.publication import verify as publication_checks
from palmares.points.awards import Question
from palmares.points.rankings import TOTAL
from palmares.regulations import regulations
from palmares.web.http.messages import msg
from palmares.web.http.state import Known
from palmares.web.shared.paging import Cut, PageNumber, Slice, extended

ROWS = 100
DIFFERENCES = 200
"""So many parts that differ are shown; the command line shows all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedList:
    """A published list without its rows."""

    entry: int
    name: str  # "wbgf 2005-12-31 by nation"
    file: str  # the same as files begin
    regulation: str
    title: str
    as_of: date
    by: str  # player | nation
    of: str | None  # a nation, if it is of its players only
    setting: str | None
    kind: str
    since: date | None  # only results that count from this day on
    until: date | None
    edition: str | None  # it was made under; none: each day has its own
    chosen: Mapping[str, str]  # readings and what was chosen instead
    note: str | None
    known: int  # the entry that it was made at
    waiting_events: int  # that are not in it: something is missing in each
    result_sha256: str
    replaced: int | None  # the later entry that published the list of that name anew
    undone: bool  # whether its publication was taken back

    @property
    def plain(self) -> bool:
        """Whether a page shows the list of that day as it is known now."""
        one_nation = self.by == "nation" and self.of
        return not (self.since or self.until or one_nation or self.question)

    @property
    def question(self) -> Question | None:
        """The rules that were chosen for it; none: those in force."""
        if not (self.edition or self.chosen):
            return None
        return Question(
            regulation=self.regulation, edition=self.edition, chosen=self.chosen or None
        )

    @property
    def of_all(self) -> bool:
        """Whether all results counted, as they do on the pages of players."""
        return not (self.since or self.until or self.setting or self.kind != TOTAL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publications(Slice):
    """Every list that was announced, the latest first."""

    lists: int
    items: tuple[PublishedList, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationRow:
    """One row of a published list."""

    rank: int
    player_id: str | None  # none: it is a list of nations
    player: str | None
    nation: str | None
    nanopoints: Nanopoints
    players: int | None  # who counted for a nation
    linked: bool  # whether the player has a page


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A sheet of an edition that was in force."""

    edition: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListStep:
    """How many rows of a list differ from those of another."""

    new: int  # only on the later one
    gone: int  # only on the earlier one
    moved: int  # on both, with another rank
    revalued: int  # on both, with other points
    regrouped: int  # on both, with another nation; of nations, with another number of players

    def same(self) -> bool:
        """Whether nothing differs."""
        return not (self.new or self.gone or self.moved or self.revalued or self.regrouped)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationList:
    """A list as it was announced, whatever was recorded later."""

    published: PublishedList
    day: date  # it was recorded
    author: str
    hash: str  # of its entry
    facts_sha256: str
    palmares: str  # the version that computed it
    editions: tuple[Sheet, ...]
    since: ListStep | None  # to the list of that day as it is known now; none: it cannot be said
    rows: int  # on the whole list
    items: tuple[PublicationRow, ...]
    next: str | None  # the address of the next rows; none: these are the last


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationPage(PublicationList):
    """A page of a list as it was announced."""

    page: int  # from 1
    pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofPart:
    """Something of a list, as published and as it comes out now."""

    part: str
    of: str
    player: str
    published: str
    now: str
    identical: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofPage:
    """A published list made once more, from every entry up to the one it was made at."""

    published: PublishedList
    identical: bool
    refused: str  # why it could not be made again; empty: it could
    compared: int
    different: int
    parts: tuple[ProofPart, ...]  # rows that are the same are left out


# ── which there are ──────────────────────────────────────────────────────────────────────────────


def publications(known: Known, rows: Cut) -> Publications:
    """Every published list, the latest first."""
    found, entry = published_lists(known), known.head.sequence
    here, following = rows.cut(found, "entry", entry)
    return Publications(entry=entry, lists=len(found), items=here, next=following)


def published_lists(known: Known) -> tuple[PublishedList, ...]:
    """Every published list, the latest first."""

    def make() -> tuple[PublishedList, ...]:
        state = known.projection.state
        found = []
        for name, statements in state.group("publications").items():
            last = state.in_force("publications", name)
            for one in statements:
                undone = state.undone(one.sequence)
                replaced = last is not None and last.sequence > one.sequence and not undone
                later = last.sequence if last is not None and replaced else None
                found.append(_light(name, one, replaced=later, undone=undone))
        return tuple(sorted(found, key=lambda one: -one.entry))

    return known.once("published lists", make)


def _light(name: str, statement: Statement, *, replaced: int | None, undone: bool) -> PublishedList:
    body = statement.body
    asked, regulation = body.selection, body.regulation
    held = regulations().get(regulation)
    return PublishedList(
        entry=statement.sequence,
        name=name,
        file=publication.filed(name),
        regulation=regulation,
        title=held.title if held else regulation,
        as_of=asked.as_of,
        by=asked.by,
        of=asked.nation,
        setting=asked.setting,
        kind=asked.kind,
        since=asked.since,
        until=asked.until,
        edition=body.edition,
        chosen=body.readings.chosen,
        note=body.note,
        known=body.known.sequence if body.known else 0,
        waiting_events=body.waiting_events,
        result_sha256=body.result_sha256,
        replaced=replaced,
        undone=undone,
    )


def published_list(known: Known, entry: int) -> PublishedList:
    """A published list by its entry.

    Raises:
        NotFoundException: that entry published none.
    """
    for one in published_lists(known):
        if one.entry == entry:
            return one
    raise NotFoundException(msg("No list was published with that entry."))


def narrowed_words(
    one: PublishedList, _: Callable[[str], str], day: Callable[[date], str]
) -> tuple[str, ...]:
    """What sets a list apart from the whole list of its day by the rules in force.

    Args:
        one: the list, or one that is about to be published.
        _: messages of a language.
        day: days in words.
    """
    found = [one.of] if one.of else []
    found += [_(one.setting)] if one.setting else []
    found += [_(one.kind)] if one.kind != TOTAL else []
    found += [_("since %s") % day(one.since)] if one.since else []
    found += [_("until %s") % day(one.until)] if one.until else []
    found += [_("edition %s for every day") % one.edition] if one.edition else []
    found += [_("reading %s: %s") % chosen for chosen in sorted(one.chosen.items())]
    return tuple(found)


# ── one of them ──────────────────────────────────────────────────────────────────────────────────


def publication_list(known: Known, reader: Reader, entry: int, rows: Cut) -> PublicationList:
    """A list as it was announced, with the names that may be shown today.

    Raises:
        NotFoundException: that entry published none.
    """
    published = published_list(known, entry)
    found = known.once(("manifest", entry), lambda: publication_lists.manifest(reader, entry))
    given, filed = found.publication, found.entry
    assert filed is not None  # noqa: S101  a list of a journal has an entry
    frame = given.frame()
    key = "player_id" if "player_id" in frame.columns else "nation"
    here, following = rows.cut(frame, key, known.head.sequence)
    return PublicationList(
        published=published,
        day=date.fromisoformat(filed.recorded_at[:10]),
        author=filed.author,
        hash=filed.hash,
        facts_sha256=given.facts_sha256,
        palmares=given.palmares,
        editions=tuple(Sheet(edition=one, sha256=of.sha256) for one, of in given.editions.items()),
        since=since_published(known, entry, given),
        rows=len(frame),
        items=publication_rows(known, reader, here),
        next=following,
    )


def publication_page(known: Known, reader: Reader, entry: int, page: int = 1) -> PublicationPage:
    """A page of a list as it was announced.

    Raises:
        NotFoundException: that entry published none.
    """
    rows = PageNumber(page, ROWS)
    view = publication_list(known, reader, entry, rows)
    return extended(PublicationPage, view, page=page, pages=rows.pages(view.rows))


def publication_rows(
    known: Known, reader: Reader, frame: pl.DataFrame
) -> tuple[PublicationRow, ...]:
    """Rows with the names that may be shown today; merged records have their own."""
    by_player = "player_id" in frame.columns
    ids = frame["player_id"].to_list() if by_player else []
    names = publication_lists.names_of(known.projection.state, reader, ids)
    return tuple(
        PublicationRow(
            rank=row["rank"],
            player_id=row.get("player_id"),
            player=names.get(row["player_id"], WITHHELD) if by_player else None,
            nation=row["nation"],
            nanopoints=row["nanopoints"],
            players=row.get("players"),
            linked=row.get("player_id") in names,
        )
        for row in frame.iter_rows(named=True)
    )


def since_published(known: Known, entry: int, given: Publication) -> ListStep | None:
    """How the list of that day came to be another one; counted once for each head.

    Returns:
        None where it cannot be said: an edition or reading was chosen for it, or the list cannot be
        made of what is known now.
    """

    def make() -> ListStep | None:
        with suppress(FactsRejected, NotCovered, Refused):
            listed = known.nations if given.selection.by == "nation" else known.ranking
            now = listed(given.regulation, given.selection.selection())
            return list_step(given.frame(), now.frame)
        return None

    if given.edition is not None or given.readings.chosen:
        return None
    return known.once(("since published", entry), make)


def list_step(earlier: pl.DataFrame, later: pl.DataFrame) -> ListStep:
    """How one list became another.

    Args:
        earlier: rank, nanopoints, and player_id with nation or nation with players.
        later: the same of the other list.
    """
    by_player = "player_id" in earlier.columns
    key, group = ("player_id", "nation") if by_player else ("nation", "players")
    one, other = (each.select(key, "rank", "nanopoints", group) for each in (earlier, later))
    both = one.join(other, on=key, how="inner", nulls_equal=True)

    def differing(column: str) -> int:
        return len(both.filter(pl.col(column).ne_missing(pl.col(f"{column}_right"))))

    return ListStep(
        new=len(other) - len(both),
        gone=len(one) - len(both),
        moved=differing("rank"),
        revalued=differing("nanopoints"),
        regrouped=differing(group),
    )


def manifest_text(known: Known, reader: Reader, entry: int) -> str:
    """The manifest of a published list as its file has it.

    Raises:
        NotFoundException: that entry published none.
    """
    published_list(known, entry)
    return manifest.text(publication_lists.manifest(reader, entry))


# ── made once more ───────────────────────────────────────────────────────────────────────────────


def proof_page(known: Known, reader: Reader, entry: int) -> ProofPage:
    """A published list recomputed from every entry up to the one it was made at.

    Raises:
        NotFoundException: that entry published none.
    """
    published = published_list(known, entry)
    try:
        checked = publication_checks.in_journal(publication_lists.manifest(reader, entry), reader)
    except (FactsRejected, Refused) as error:
        return ProofPage(
            published=published, identical=False, refused=str(error), compared=0, different=0,
            parts=(),
        )  # fmt: skip
    parts = checked.parts
    differ = [one for one in parts if not one.identical and one.part == "row"]
    shown = [one for one in parts if one.part != "row"] + differ[:DIFFERENCES]
    return ProofPage(
        published=published,
        identical=checked.identical,
        refused="",
        compared=len(parts),
        different=len([one for one in parts if not one.identical and one.part != "version"]),
        parts=tuple(
            ProofPart(
                part=one.part,
                of=one.of,
                player=one.player,
                published=one.published,
                now=one.now,
                identical=one.identical,
            )
            for one in shown
        ),
    )
