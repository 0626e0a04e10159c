"""
Lists that were published: which there are, one as it was announced, and one made once more.

    published_page      all of them  ->  PublishedPage
    published_lists     the same, the latest first
    publication_page    one of them  ->  PublicationPage
    proof_page          one of them recomputed now  ->  ProofPage
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date

import polars as pl

from palmares import publication
from palmares.awards import Question
from palmares.errors import FactsRejected, Refused
from palmares.journal.state import Statement
from palmares.journal.store import Reader
from palmares.publication import checks as publication_checks
from palmares.publication import lists as publication_lists
from palmares.publication import manifest as manifests
from palmares.publication.manifest import Manifest
from palmares.rankings import TOTAL
from palmares.regulations import regulations
from palmares.results import WITHHELD
from palmares.web.hall import Known
from palmares.web.pages.list_steps import ListStep
from palmares.web.pages.published_since import since
from palmares.web.pages.turning import turned

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
class PublishedPage:
    """Every list that was published, the latest first."""

    lists: tuple[PublishedList, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationRow:
    """One row of a published list."""

    rank: int
    player_id: str | None  # none: it is a list of nations
    player: str | None
    nation: str | None
    nanopoints: int
    players: int | None  # who counted for a nation
    linked: bool  # whether the player has a page


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationPage:
    """A list as it was published, whatever was recorded later."""

    published: PublishedList
    day: date  # it was recorded
    author: str
    hash: str  # of its entry
    facts_sha256: str
    palmares: str  # the version that computed it
    editions: tuple[tuple[str, str], ...]  # in force, with the sha256 of each sheet
    since: ListStep | None  # to the list of that day as it is known now; none: it cannot be said
    rows_in_all: int
    page: int  # from 1
    pages: int
    rows: tuple[PublicationRow, ...]


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


def published_page(known: Known) -> PublishedPage:
    """Every published list."""
    return PublishedPage(lists=published_lists(known))


def published_lists(known: Known) -> tuple[PublishedList, ...]:
    """Every published list, the latest first."""
    return known.once("published lists", lambda: _lists(known))


def _lists(known: Known) -> tuple[PublishedList, ...]:
    state = known.projection.state
    found = []
    for name, statements in state.group("publications").items():
        last = state.standing("publications", name)
        for one in statements:
            undone = state.undone(one.sequence)
            replaced = last is not None and last.sequence > one.sequence and not undone
            later = last.sequence if last is not None and replaced else None
            found.append(_light(name, one, replaced=later, undone=undone))
    return tuple(sorted(found, key=lambda one: -one.entry))


def _light(name: str, statement: Statement, *, replaced: int | None, undone: bool) -> PublishedList:
    body = statement.body
    asked, regulation = body["selection"], body["regulation"]
    held = regulations().get(regulation)
    return PublishedList(
        entry=statement.sequence,
        name=name,
        file=publication.filed(name),
        regulation=regulation,
        title=held.title if held else regulation,
        as_of=date.fromisoformat(asked["as_of"]),
        by=asked["by"],
        of=asked["nation"],
        setting=asked["setting"],
        kind=asked["kind"],
        since=_day(asked["since"]),
        until=_day(asked["until"]),
        edition=body["edition"],
        chosen=body["readings"]["chosen"],
        note=body["note"],
        known=(body["known"] or {}).get("sequence", 0),
        waiting_events=body["waiting_events"],
        result_sha256=body["result_sha256"],
        replaced=replaced,
        undone=undone,
    )


def one_of(known: Known, entry: int) -> PublishedList | None:
    """A published list by its entry."""
    return next((one for one in published_lists(known) if one.entry == entry), None)


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


# ── one of them ──────────────────────────────────────────────────────────────────────────────────


def publication_page(
    known: Known, reader: Reader, entry: int, page: int = 1
) -> PublicationPage | None:
    """A list as it was published; none if that entry is no publication."""
    published = one_of(known, entry)
    if published is None:
        return None
    found = manifest_of(known, reader, entry)
    frame = found.publication.frame()
    page, pages = turned(page, len(frame), ROWS)
    filed = found.entry
    assert filed is not None  # noqa: S101  of_entry fills it in
    return PublicationPage(
        published=published,
        day=date.fromisoformat(filed.recorded_at[:10]),
        author=filed.author,
        hash=filed.hash,
        facts_sha256=found.publication.facts_sha256,
        palmares=found.publication.palmares,
        editions=tuple((one, of.sha256) for one, of in found.publication.editions.items()),
        since=since(known, entry, found.publication),
        rows_in_all=len(frame),
        page=page,
        pages=pages,
        rows=rows(known, reader, frame.slice((page - 1) * ROWS, ROWS)),
    )


def manifest_of(known: Known, reader: Reader, entry: int) -> Manifest:
    """The manifest of a published list."""
    return known.once(("manifest", entry), lambda: publication_lists.manifest(reader, entry))


def rows(known: Known, reader: Reader, frame: pl.DataFrame) -> tuple[PublicationRow, ...]:
    """Rows with the names that may be shown today."""
    ids = frame["player_id"].to_list() if "player_id" in frame.columns else []
    names = names_of(known, reader, ids)
    return tuple(
        PublicationRow(
            rank=row["rank"],
            player_id=row.get("player_id"),
            player=names.get(row["player_id"], WITHHELD) if "player_id" in row else None,
            nation=row["nation"],
            nanopoints=row["nanopoints"],
            players=row.get("players"),
            linked=row.get("player_id") in names,
        )
        for row in frame.iter_rows(named=True)
    )


def names_of(known: Known, reader: Reader, ids: Collection[str]) -> dict[str, str]:
    """The names of some players as they may be shown today, merged records with their own."""
    return publication_lists.names_of(known.projection.state, reader, ids)


def text_of(known: Known, reader: Reader, entry: int) -> str | None:
    """The manifest of a published list as its file has it; none if the entry is none."""
    if one_of(known, entry) is None:
        return None
    return manifests.text(publication_lists.manifest(reader, entry))


# ── made once more ───────────────────────────────────────────────────────────────────────────────


def proof_page(known: Known, reader: Reader, entry: int) -> ProofPage | None:
    """A published list recomputed from every entry up to the one it was made at."""
    published = one_of(known, entry)
    if published is None:
        return None
    found: Manifest = publication_lists.manifest(reader, entry)
    try:
        checked = publication_checks.in_journal(found, reader)
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
