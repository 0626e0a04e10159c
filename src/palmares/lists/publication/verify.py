"""
Is a published list still what its facts and rules give? Everything is recomputed and compared.

    in_journal      a manifest and a journal  ->  Verification, from the entries it was made of
    with_facts      a manifest and facts  ->  Verification
    Verification    every part that was compared, and the rows that differ
    Part            one thing: as published, as it is now

In a journal nothing is taken from what palmares keeps to be fast: every entry up to the one that
the list was made at is held against its hash and read again. What was recorded later counts for
nothing, except that names erased since are not shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import msgspec
import polars as pl

from palmares.core.progress import over
from palmares.core.rounding import plain
from palmares.facts import Facts
from palmares.facts.bank import with_bank_rates, without_bank_rates
from palmares.journal.projection.project import EMPTY, apply_entries
from palmares.journal.store.entries import START, Head
from palmares.journal.store.journal import Reader
from palmares.journal.store.verify import entry_faults
from palmares.lists.publication import Publication, make_publication, published_rows, table_hashes
from palmares.lists.publication.digests import sha256_of
from palmares.lists.publication.manifest import Manifest, entry_hash
from palmares.lists.publication.record import Names, names_today
from palmares.points.inputs import people
from palmares.regulations import money_disciplines

NOTHING_THERE = "none"
EXPLAINS = ("version", "sheet", "reading")
"""Parts that compute nothing: that they are others is reported, and is no difference."""
WAITING = "waiting events"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Something of a publication, as published and as it is now."""

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
        """Whether the list is what was published, from the same facts by the same rules."""
        return not self.different()

    def different(self) -> list[str]:
        """The kinds of parts that differ, in order."""
        return [one for one in self._other() if one not in EXPLAINS]

    def explained_otherwise(self) -> list[str]:
        """The kinds of parts that are others and make no difference, in order."""
        return [one for one in self._other() if one in EXPLAINS]

    def _other(self) -> dict[str, None]:
        return dict.fromkeys(part.part for part in self.parts if not part.identical)


def verify_with_facts(manifest: Manifest, facts: Facts) -> Verification:
    """Hold a publication against the facts it is said to be made of.

    Where they hold the rates that were published, no bank is asked for others.

    Args:
        manifest: what was published.
        facts: checked facts, with or without the bank's rates that they need.

    Raises:
        FactsRejected, NotCovered, Refused: the rules say nothing on them any more.
    """
    given = without_bank_rates(facts)
    rates = table_hashes(manifest.publication.question(), Facts({"rates": given["rates"]}))
    if rates.get("rates") != manifest.publication.facts.get("rates"):
        given = with_bank_rates(given, money_disciplines)
    known = {one: name for one, (name, _) in people(given).items()}
    recomputed = _recomputed(manifest.publication, given, lambda _: known)
    return Verification(manifest=manifest, parts=(*_itself(manifest), *recomputed))


def verify_in_journal(manifest: Manifest, reader: Reader) -> Verification:
    """Hold a publication against the entries that it was made of.

    Args:
        manifest: what was published.
        reader: one state of the journal.

    Raises:
        FactsRejected, NotCovered, Refused: the rules say nothing on them any more.
    """
    parts = [*_itself(manifest), *_recorded(manifest, reader)]
    known = manifest.publication.head
    last = min(known.sequence if known else 0, reader.head().sequence)
    broken = list(_broken(reader, last))
    made_here = all(part.identical for part in parts if part.part == "head")
    if not broken and made_here:
        facts = apply_entries(EMPTY, reader, last).after.facts
        parts += _recomputed(manifest.publication, facts, names_today(reader))
    return Verification(manifest=manifest, parts=(*parts, *broken))


# ── the manifest alone ───────────────────────────────────────────────────────────────────────────


def _itself(manifest: Manifest) -> Iterator[Part]:
    """Whether a manifest's own hashes are of what it says."""
    given = manifest.publication
    for of, said, found in (
        ("list", given.list_sha256, sha256_of(msgspec.to_builtins(given.rows))),
        ("facts", given.facts_sha256, sha256_of(msgspec.to_builtins(given.facts))),
    ):
        yield Part(part="manifest", name=of, published=said, now=found)
    if manifest.entry is not None:
        found = entry_hash(manifest) or ""
        yield Part(part="manifest", name="entry", published=manifest.entry.hash, now=found)


# ── its place in a journal ───────────────────────────────────────────────────────────────────────


def _recorded(manifest: Manifest, reader: Reader) -> Iterator[Part]:
    """Whether the journal has the entry of the list, and the one that it was made at."""
    if manifest.entry is not None:
        yield _hash_at("entry", manifest.entry.sequence, manifest.entry.hash, reader)
    known = manifest.publication.head
    if known is None:
        yield Part(part="head", name="", published="of files", now="of a journal")
    elif known.sequence:
        yield _hash_at("head", known.sequence, known.hash, reader)


def _hash_at(part: str, sequence: int, published: str, reader: Reader) -> Part:
    found = next(reader.entries(sequence - 1, sequence), None)
    now = NOTHING_THERE if found is None else found.hash
    return Part(part=part, name=f"entry {sequence}", published=published, now=now)


def _broken(reader: Reader, last: int) -> Iterator[Part]:
    """What is wrong with the chain up to an entry, fault by fault."""
    before: Head = START
    for entry in over(reader.entries(until=last), "entries to verify", last):
        for fault in entry_faults(entry, before):
            of = f"entry {entry.sequence}"
            yield Part(part="chain", name=of, published="whole", now=fault.what)
        before = entry.head


# ── what it was made of, and what came of it ─────────────────────────────────────────────────────


def _recomputed(given: Publication, facts: Facts, names: Names) -> Iterator[Part]:
    """Every hash that the same question comes to now, beside what was published."""
    of_a_journal = given.head is not None or given.waiting_events > 0  # or files of its facts
    facts = replace(facts, may_wait=of_a_journal)
    again = make_publication(
        given.question(),
        facts,
        given.chosen_results(),
        by=given.selection.by,
        with_waiting_events=True,
    )
    now = again.publication
    yield from _each("facts", *(_tables(one) for one in (given, now)))
    yield from _each("edition", *(_sheets(one, "computed_sha256") for one in (given, now)))
    yield Part(
        part="code", name=given.code.package, published=given.code.sha256, now=now.code.sha256
    )
    yield from _each("sheet", *(_sheets(one, "sha256") for one in (given, now)))
    yield from _each("reading", _flat(given), _flat(now))
    yield from _each("version", _versions(given), _versions(now))
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


def _each(part: str, published: Mapping[str, str], now: Mapping[str, str]) -> Iterator[Part]:
    """Everything that one side or the other has."""
    for of in sorted(published.keys() | now.keys()):
        yield Part(
            part=part,
            name=of,
            published=published.get(of, NOTHING_THERE),
            now=now.get(of, NOTHING_THERE),
        )


def _flat(publication: Publication) -> dict[str, str]:
    return {
        f"{edition} {reading}": digest
        for edition, readings in publication.readings.in_force.items()
        for reading, digest in readings.items()
    }


def _tables(publication: Publication) -> dict[str, str]:
    return {name: f"{one.rows} rows, {one.sha256}" for name, one in publication.facts.items()}


def _sheets(publication: Publication, what: str) -> dict[str, str]:
    return {edition: getattr(one, what) for edition, one in publication.editions.items()}


def _versions(publication: Publication) -> dict[str, str]:
    return {publication.code.package: publication.code.version, "palmares": publication.palmares}


def _rows(given: Publication, now: Publication, names: Names) -> Iterator[Part]:
    """The rows that differ: rank, points and whatever else a list says of one player or nation."""
    key = "player_id" if given.selection.by == "player" else "nation"
    sides = [one.frame().select(key, _row(one)) for one in (given, now)]
    both = sides[0].join(sides[1], on=key, how="full", coalesce=True, nulls_equal=True)
    differ = both.filter(pl.col("row").ne_missing(pl.col("row_right"))).sort(key)
    known = names(differ[key].to_list()) if key == "player_id" and len(differ) else {}
    for of, published, found in differ.iter_rows():
        yield Part(
            part="row",
            name=of,
            player=known.get(of, ""),
            published=published or NOTHING_THERE,
            now=found or NOTHING_THERE,
        )


def _row(publication: Publication) -> pl.Series:
    """Every row in words: "rank 3, 17.5 points, GER"."""
    frame = publication.frame()
    rest = "nation" if "player_id" in frame.columns else "players"
    return pl.Series(
        "row",
        [
            f"rank {rank}, {plain(nanopoints)} points" + (f", {more}" if more is not None else "")
            for rank, nanopoints, more in frame.select("rank", "nanopoints", rest).iter_rows()
        ],
        dtype=pl.String,
    )
