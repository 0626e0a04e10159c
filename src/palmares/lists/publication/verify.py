"""
Verify a publication: compute its list and hashes again, and compare.

In a journal no cache is used: every entry up to the head of the list is verified and read again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import msgspec
import polars as pl

from palmares.core.progress import over
from palmares.core.rounding import exact_text
from palmares.facts import Facts
from palmares.facts.bank import with_bank_rates, without_bank_rates
from palmares.journal.projection.project import EMPTY, apply_entries
from palmares.journal.store.entries import START, Head
from palmares.journal.store.journal import Reader
from palmares.journal.store.verify import entry_faults
from palmares.lists.publication import Publication, make_publication, published_rows, table_hashes
from palmares.lists.publication.hashes import sha256_of
from palmares.lists.publication.manifests import Manifest, Names, entry_hash, names_today
from palmares.points.inputs import people
from palmares.regulations import money_disciplines

NOTHING_THERE = "none"
EXPLAINS = ("version", "sheet", "reading")
"""Parts that only explain: if they differ, the list is still identical."""
WAITING = "waiting events"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
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
    parts: tuple[Part, ...]

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
    made_here = all(part.identical for part in parts if part.part == "head")
    if not broken and made_here:
        facts = apply_entries(EMPTY, reader, last).after.facts
        parts += _recomputed(manifest.publication, facts, names_today(reader))
    return Verification(manifest=manifest, parts=(*parts, *broken))


# ── the manifest alone ───────────────────────────────────────────────────────────────────────────


def _itself(manifest: Manifest) -> Iterator[Part]:
    """The hashes in a manifest, compared with its content."""
    given = manifest.publication
    for name, stated, computed in (
        ("list", given.list_sha256, sha256_of(msgspec.to_builtins(given.rows))),
        ("facts", given.facts_sha256, sha256_of(msgspec.to_builtins(given.facts))),
    ):
        yield Part(part="manifest", name=name, published=stated, now=computed)
    if manifest.entry is not None:
        computed = entry_hash(manifest) or ""
        yield Part(part="manifest", name="entry", published=manifest.entry.hash, now=computed)


# ── its place in a journal ───────────────────────────────────────────────────────────────────────


def _recorded(manifest: Manifest, reader: Reader) -> Iterator[Part]:
    """The entry of the list and the head it was made from, compared with the journal."""
    if manifest.entry is not None:
        yield _hash_at("entry", manifest.entry.sequence, manifest.entry.hash, reader)
    head = manifest.publication.head
    if head is None:
        yield Part(part="head", name="", published="of files", now="of a journal")
    elif head.sequence:
        yield _hash_at("head", head.sequence, head.hash, reader)


def _hash_at(part: str, sequence: int, published: str, reader: Reader) -> Part:
    entry = next(reader.entries(sequence - 1, sequence), None)
    now = NOTHING_THERE if entry is None else entry.hash
    return Part(part=part, name=f"entry {sequence}", published=published, now=now)


def _broken(reader: Reader, last: int) -> Iterator[Part]:
    """The faults of the chain up to an entry."""
    before: Head = START
    for entry in over(reader.entries(until=last), "entries to verify", last):
        for fault in entry_faults(entry, before):
            of = f"entry {entry.sequence}"
            yield Part(part="chain", name=of, published="whole", now=fault.what)
        before = entry.head


# ── computed again ───────────────────────────────────────────────────────────────────────────────


def _recomputed(given: Publication, facts: Facts, names: Names) -> Iterator[Part]:
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
        for name in sorted(was[part].keys() | is_now[part].keys()):
            yield Part(
                part=part,
                name=name,
                published=was[part].get(name, NOTHING_THERE),
                now=is_now[part].get(name, NOTHING_THERE),
            )
    waiting = str(given.waiting_events), str(now.waiting_events)
    if waiting != ("0", "0"):
        yield Part(part=WAITING, name="", published=waiting[0], now=waiting[1])
    yield Part(
        part="list",
        name=f"{len(given.rows.rank)} rows",
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
            name: f"{table.rows} rows, {table.sha256}" for name, table in publication.facts.items()
        },
        "edition": {id_: edition.computed_sha256 for id_, edition in editions},
        "code": {code.package: code.sha256},
        "sheet": {id_: edition.sha256 for id_, edition in editions},
        "reading": {
            f"{edition} {reading}": digest
            for edition, digests in readings
            for reading, digest in digests.items()
        },
        "version": {code.package: code.version, "palmares": publication.palmares},
    }


def _rows(given: Publication, now: Publication, names: Names) -> Iterator[Part]:
    """The rows that differ."""
    key = "player_id" if given.selection.by == "player" else "nation"
    was, is_now = (each.frame().select(key, _row(each)) for each in (given, now))
    both = was.join(is_now, on=key, how="full", coalesce=True, nulls_equal=True)
    differ = both.filter(pl.col("row").ne_missing(pl.col("row_right"))).sort(key)
    visible = names(differ[key].to_list()) if key == "player_id" and len(differ) else {}
    for id_, published, computed in differ.iter_rows():
        yield Part(
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
