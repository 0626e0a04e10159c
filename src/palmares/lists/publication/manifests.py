"""
Manifests: a publication as a JSON file, from which anyone can verify it, or as a journal has it.

A manifest has the fields of its entry and the body, so the hash of the entry can be checked. To
verify one, its list and hashes are computed again; in a journal, every entry up to the head of the
list is verified and read again, without a cache.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec
import polars as pl

from palmares.core.canonical import canonical
from palmares.core.errors import Refused
from palmares.core.messages import msg, plural
from palmares.core.progress import over
from palmares.core.rounding import exact_text
from palmares.core.toml import fault_of
from palmares.facts import Facts
from palmares.facts.rates import with_bank_rates, without_bank_rates
from palmares.facts.schema import WITHHELD
from palmares.journal.commands.transaction import record_entries
from palmares.journal.projection.project import (
    EMPTY,
    Projection,
    State,
    apply_entries,
    player_rows,
    withheld_players,
)
from palmares.journal.projection.snapshots import from_snapshot
from palmares.journal.store.entries import START, Actor, Entry, EntryHead, Head, body_of
from palmares.journal.store.journal import ENTRIES, IN_ORDER, Journal, Reader
from palmares.journal.store.verify import entry_faults
from palmares.lists.publication import (
    KIND,
    Publication,
    make_publication,
    publish_list,
    published_rows,
    sha256_of,
    table_hashes,
)
from palmares.points.award_table import people
from palmares.regulations import money_disciplines

MOST_BYTES = 100 * 2**20
"""Of a manifest: a place in a list takes about 40."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An official list, and the entry that recorded it."""

    format: Literal["palmares manifest 1"] = "palmares manifest 1"
    entry: EntryHead | None = None  # none: it was made from files
    publication: Publication

    def recorded_entry(self) -> EntryHead:
        """The entry that recorded it.

        Raises:
            Refused: it was made from files.
        """
        if self.entry is None:
            raise Refused(f"{self.publication.name} was made from files; no journal has it.")
        return self.entry


def manifest_of_entry(entry: Entry) -> Manifest:
    """The manifest of a publication in a journal.

    Raises:
        Refused: it is an entry of another kind.
    """
    if entry.kind != KIND:
        raise Refused(f"Entry {entry.sequence} is no publication: it is of the kind {entry.kind}.")
    recorded = msgspec.convert(entry, EntryHead, from_attributes=True)
    return Manifest(entry=recorded, publication=body_of(entry, Publication))


def entry_hash(manifest: Manifest) -> str | None:
    """The hash of the entry's fields and the publication; None without an entry."""
    if manifest.entry is None:
        return None
    fields = msgspec.structs.asdict(manifest.entry)
    return Entry(**fields, body=canonical(msgspec.to_builtins(manifest.publication))).digest()


# ── as a file ────────────────────────────────────────────────────────────────────────────────────


def manifest_text(manifest: Manifest) -> str:
    """A manifest as its file holds it: canonical JSON on one line."""
    return canonical(msgspec.to_builtins(manifest)) + "\n"


def parse_manifest(content: bytes, name: str) -> Manifest:
    """The manifest in a file's content.

    Args:
        content: of the file.
        name: what to call it in messages.

    Raises:
        Refused: it is not a manifest, or one of a later version.
    """
    try:
        manifest = msgspec.json.decode(content, type=Manifest)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        is_json = isinstance(error, msgspec.ValidationError)
        why = fault_of(error, Manifest, None).what if is_json else msg("it is not JSON")
        raise Refused(
            msg(
                "%(name)s: this is no manifest of a list, it is damaged, or a later palmares wrote"
                " it: %(why)s.",
                name=name,
                why=why,
            )
        ) from None
    columns = msgspec.to_builtins(manifest.publication.rows)
    wanted = "player_id" if manifest.publication.selection.by == "player" else "players"
    if wanted not in columns or len(columns) != 4 or len({*map(len, columns.values())}) != 1:  # noqa: PLR2004
        raise Refused(f"{name}: this manifest is damaged: its list is no table by rank.")
    return manifest


def read_manifest(name: str) -> Manifest:
    """The manifest in a file.

    Raises:
        Refused: it cannot be read, is not a manifest, or is one of a later version.
    """
    try:
        with Path(name).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Refused(f"{name}: cannot be read ({error.strerror}).") from None
    if len(content) > MOST_BYTES:
        raise Refused(f"{name}: more than {MOST_BYTES:,} bytes are too many for a manifest.")
    return parse_manifest(content, name)


# ── in a journal ──────────────────────────────────────────────────────────────────────────────────

Names = Callable[[Collection[str]], Mapping[str, str]]


def record_publication(
    journal: Journal, publication: Publication, by: Actor, start: Projection | None = None
) -> tuple[Manifest, bool]:
    """Record a publication, unless the last one of its name is the same.

    Args:
        journal: that it was made from.
        publication: the list.
        by: who publishes.
        start: the facts at an earlier entry, if at hand.

    Returns:
        The manifest, and whether it was recorded now.

    Raises:
        Refused: the list was not made from this journal, or the database refuses.
    """
    done = record_entries(journal, by, publish_list(publication), start=start)
    if done.entries:
        return manifest_of_entry(done.entries[0]), True
    last = done.delta.after.state.in_force("publications", publication.name)
    with journal.reading() as reader:
        return manifest_of_entry(reader.entry(last.sequence if last else 0)), False


def list_with_names(publication: Publication, names: Names) -> pl.DataFrame:
    """An official list: rank, player_id, player, nation, nanopoints; or of nations."""
    frame = publication.frame()
    if "player_id" not in frame.columns:
        return frame.select("rank", "nation", "nanopoints", "players")
    visible = names(frame["player_id"])
    players = [visible.get(id_, WITHHELD) for id_ in frame["player_id"]]
    return frame.with_columns(pl.Series("player", players, pl.String)).select(
        "rank", "player_id", "player", "nation", "nanopoints"
    )


def names_today(reader: Reader) -> Names:
    """A function that gives the names a journal may show today, by id."""

    def visible(ids: Collection[str]) -> dict[str, str]:
        return visible_names(from_snapshot(reader).delta.after.state, reader, ids)

    return visible


def visible_names(state: State, reader: Reader, ids: Collection[str]) -> dict[str, str]:
    """The names of some players that may be shown; merged records have their own names."""
    recorded = [player for player in ids if player in state.group("players")]
    rows = player_rows(state, {}, recorded, reader)
    nameless = withheld_players(state, recorded)
    return {
        player: WITHHELD if hidden or player in nameless else name
        for player, name, hidden in rows.select("player_id", "name", "withheld").iter_rows()
    }


# ── verify ────────────────────────────────────────────────────────────────────────────────────────

NOTHING_THERE = "none"
EXPLAINS = ("version", "edition file", "reading")
"""Parts that only explain: if they differ, the list is still identical."""
WAITING = "waiting events"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedPart:
    """A part of a publication, as published and as it is now."""

    # manifest | entry | head | chain | facts | edition | code | waiting events | list | row, or
    # one of `EXPLAINS`
    part: str
    name: str  #: which one, where there are several
    published: str
    now: str
    player: str = ""  #: the name of a row that may be shown

    @property
    def identical(self) -> bool:
        """Whether it is the same."""
        return self.published == self.now


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What was compared."""

    manifest: Manifest
    parts: tuple[ComparedPart, ...]

    @property
    def identical(self) -> bool:
        """Whether list, facts and rules are what was published."""
        return not self.different()

    def different(self, *, explaining: bool = False) -> list[str]:
        """The kinds of parts that differ, in order: those that compute, or that only explain."""
        kinds = dict.fromkeys(part.part for part in self.parts if not part.identical)
        return [kind for kind in kinds if (kind in EXPLAINS) is explaining]


def verify_with_facts(manifest: Manifest, facts: Facts) -> Verification:
    """Verify a publication from facts; published rates among them are used as they are.

    Args:
        manifest: what was published.
        facts: checked facts, with or without the bank's rates that they need.

    Raises:
        FactsRejected, NotCovered, Refused: the list cannot be computed any more.
    """
    given = without_bank_rates(facts)
    rates = table_hashes(manifest.publication.question(), Facts({"rates": given["rates"]}))
    if rates.get("rates") != manifest.publication.facts.get("rates"):
        given = with_bank_rates(given, money_disciplines)
    names = {player: name for player, (name, _) in people(given).items()}
    recomputed = _recomputed(manifest.publication, given, lambda _: names)
    return Verification(manifest=manifest, parts=(*_itself(manifest), *recomputed))


def verify_in_journal(manifest: Manifest, reader: Reader) -> Verification:
    """Verify a publication from the entries of its journal.

    Args:
        manifest: what was published.
        reader: the journal.

    Raises:
        FactsRejected, NotCovered, Refused: the list cannot be computed any more.
    """
    parts = [*_itself(manifest), *_recorded(manifest, reader)]
    head = manifest.publication.head
    last = min(head.sequence if head else 0, reader.head().sequence)
    broken = list(_broken(reader, last))
    is_of_journal = all(part.identical for part in parts if part.part == "head")
    if not broken and is_of_journal:
        facts = apply_entries(EMPTY, reader, last).after.facts
        parts += _recomputed(manifest.publication, facts, names_today(reader))
    return Verification(manifest=manifest, parts=(*parts, *broken))


# ── the manifest alone ───────────────────────────────────────────────────────────────────────────


def _itself(manifest: Manifest) -> Iterator[ComparedPart]:
    """The hashes in a manifest, compared with its content."""
    given = manifest.publication
    for name, stated, computed in (
        ("list", given.list_sha256, sha256_of(msgspec.to_builtins(given.rows))),
        ("facts", given.facts_sha256, sha256_of(msgspec.to_builtins(given.facts))),
    ):
        yield ComparedPart(part="manifest", name=name, published=stated, now=computed)
    if manifest.entry is not None:
        computed = entry_hash(manifest) or ""
        yield ComparedPart(
            part="manifest", name="entry", published=manifest.entry.hash, now=computed
        )


# ── its place in a journal ───────────────────────────────────────────────────────────────────────


def _recorded(manifest: Manifest, reader: Reader) -> Iterator[ComparedPart]:
    """The entry of the list and the head it was made from, compared with the journal."""
    if manifest.entry is not None:
        yield _hash_at("entry", manifest.entry.sequence, manifest.entry.hash, reader)
    head = manifest.publication.head
    if head is None:
        yield ComparedPart(part="head", name="", published="of files", now="of a journal")
    elif head.sequence:
        yield _hash_at("head", head.sequence, head.hash, reader)


def _hash_at(part: str, sequence: int, published: str, reader: Reader) -> ComparedPart:
    entry = next(reader.stored(IN_ORDER.where(ENTRIES.c.sequence == sequence)), None)
    now = NOTHING_THERE if entry is None else entry.hash
    return ComparedPart(part=part, name=f"entry {sequence}", published=published, now=now)


def _broken(reader: Reader, last: int) -> Iterator[ComparedPart]:
    """The faults of the chain up to an entry."""
    before: Head = START
    stored = reader.stored(IN_ORDER.where(ENTRIES.c.sequence <= last))
    for entry in over(stored, "entries to verify", last):
        for fault in entry_faults(entry, before):
            of = f"entry {entry.sequence}"
            yield ComparedPart(part="chain", name=of, published="whole", now=fault.what)
        before = entry.head


# ── computed again ───────────────────────────────────────────────────────────────────────────────


def _recomputed(given: Publication, facts: Facts, names: Names) -> Iterator[ComparedPart]:
    """Everything that was published, compared with the same list computed now."""
    may_wait = given.head is not None or given.waiting_events > 0  # of a journal, or its files
    facts = replace(facts, may_wait=may_wait)
    again = make_publication(
        given.question(),
        facts,
        given.chosen_results(),
        by=given.selection.by,
        with_waiting_events=True,
    )
    now = again.publication
    was, is_now = _hashes(given), _hashes(now)
    for part in was:
        for name in was[part] | is_now[part]:
            yield ComparedPart(
                part=part,
                name=name,
                published=was[part].get(name, NOTHING_THERE),
                now=is_now[part].get(name, NOTHING_THERE),
            )
    waiting = str(given.waiting_events), str(now.waiting_events)
    if waiting != ("0", "0"):
        yield ComparedPart(part=WAITING, name="", published=waiting[0], now=waiting[1])
    yield ComparedPart(
        part="list",
        name=plural("%(many)s row", "%(many)s rows", len(given.rows.rank)),
        published=sha256_of(msgspec.to_builtins(given.rows)),
        now=sha256_of(msgspec.to_builtins(published_rows(again.ranking))),
    )
    yield from _rows(given, now, names)


def _hashes(publication: Publication) -> dict[str, dict[str, str]]:
    """What a list was made of and by: by part and name."""
    editions, readings = publication.editions.items(), publication.readings.in_force.items()
    code = publication.code
    return {
        "facts": {
            name: plural(
                "%(many)s row, %(sha256)s",
                "%(many)s rows, %(sha256)s",
                table.rows,
                sha256=table.sha256,
            )
            for name, table in publication.facts.items()
        },
        "edition": {id_: edition.computed_sha256 for id_, edition in editions},
        "code": {code.package: code.sha256},
        "edition file": {id_: edition.sha256 for id_, edition in editions},
        "reading": {
            f"{edition} {reading}": digest
            for edition, digests in readings
            for reading, digest in sorted(digests.items(), key=lambda each: (len(each[0]), each[0]))
        },
        "version": {code.package: code.version, "palmares": publication.palmares},
    }


def _rows(given: Publication, now: Publication, names: Names) -> Iterator[ComparedPart]:
    """The rows that differ."""
    key = "player_id" if given.selection.by == "player" else "nation"
    was, is_now = (each.frame().select(key, _row(each)) for each in (given, now))
    joined = was.join(is_now, on=key, how="full", coalesce=True, nulls_equal=True)
    differ = joined.filter(pl.col("row").ne_missing(pl.col("row_right"))).sort(key)
    visible = names(differ[key].to_list()) if key == "player_id" and len(differ) else {}
    for id_, published, computed in differ.iter_rows():
        yield ComparedPart(
            part="row",
            name=id_,
            player=visible.get(id_, ""),
            published=published or NOTHING_THERE,
            now=computed or NOTHING_THERE,
        )


def _row(publication: Publication) -> pl.Series:
    """Every row in words: "rank 3, 17.5 points, GER"."""
    frame = publication.frame()
    rest = "nation" if "player_id" in frame.columns else "players"
    return pl.Series(
        "row",
        [
            f"rank {rank}, {exact_text(nanopoints)} points"
            + (f", {more}" if more is not None else "")
            for rank, nanopoints, more in frame.select("rank", "nanopoints", rest).iter_rows()
        ],
        dtype=pl.String,
    )
