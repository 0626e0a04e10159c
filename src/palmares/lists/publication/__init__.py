"""
Publications: lists that were announced, with the hashes of everything they are made of.

A publication has its list, so later entries cannot change it. It has ids, ranks, nations and
points, and no names: a player who is erased later keeps their place. Facts are hashed without
names, in any order of rows, so that the list still verifies then.
"""

from __future__ import annotations

import ast
import hashlib
import io
import re
import tokenize
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from functools import cache
from importlib.metadata import entry_points, version
from typing import Any

import msgspec
import polars as pl

from palmares.core.canonical import canonical
from palmares.core.code import sources
from palmares.core.errors import Location, Problem, Refused
from palmares.core.messages import LocalNumber, hint, msg
from palmares.core.progress import task
from palmares.facts.schema import TABLES, Facts
from palmares.facts.text import cleaned
from palmares.journal.commands.transaction import Transaction, action
from palmares.journal.store.entries import (
    CodeHash,
    Count,
    Draft,
    EditionHash,
    Head,
    JournalHead,
    ListSelection,
    PublicationHead,
    Readings,
    TableHash,
)
from palmares.points.awards import Awards, Question, Waiting, award, say_waiting
from palmares.points.empty_lists import explained
from palmares.points.ledger import rank
from palmares.points.rankings import TOTAL, Ranking, Selection, refuse_nonsense
from palmares.regulations import GROUP, REGULATIONS, Regulation
from palmares.regulations.editions import Constant, Edition

NOT_HASHED: Mapping[str, tuple[str, ...]] = {"players": ("name", "withheld")}

_BATCH = 1 << 18
"""Lines hashed at a time."""
_ESCAPED = r'["\\\x00-\x1f]'
"""Characters that JSON escapes."""


def sha256_of(value: Any) -> str:
    """The sha256 of a value's canonical JSON.

    Raises:
        Refused: the value has no canonical JSON.
    """
    return hashlib.sha256(canonical(value).encode()).hexdigest()


def hash_facts(facts: Facts) -> dict[str, TableHash]:
    """The hash of each table of facts that has rows."""
    hashes = {}
    with task("rows to hash", sum(facts[name].height for name in facts)) as step:
        for name in sorted(facts):
            hashes[name] = hash_table(name, facts[name])
            step(hashes[name].rows)
    return hashes


def hash_table(name: str, table: pl.DataFrame) -> TableHash:
    """The hash of one table, independent of the order of its rows."""
    lines = _lines(name, table).sort()
    digest = hashlib.sha256()
    for start in range(0, len(lines), _BATCH):
        joined = lines.slice(start, _BATCH).str.join("\n").item()
        digest.update(joined.encode())
        digest.update(b"\n")
    return TableHash(rows=len(lines), sha256=digest.hexdigest())


def _lines(name: str, table: pl.DataFrame) -> pl.Series:
    """The rows as canonical JSON objects."""
    columns = sorted(TABLES[name].keys() - {*NOT_HASHED.get(name, ())})
    cells = [
        pl.lit(f'"{column}":') + _cell(table[column])
        for column in columns
        if not table[column].is_null().all()
    ]
    inside = pl.concat_str(cells, separator=",", ignore_nulls=True)
    return table.select(line=pl.lit("{") + inside + pl.lit("}"))["line"]


def _cell(column: pl.Series) -> pl.Expr:
    """The cells of a column in canonical JSON."""
    cell = pl.col(column.name)
    kind = column.dtype
    if kind == pl.String:
        if column.str.contains(_ESCAPED).any():
            return cell.replace_strict(
                {text: canonical(text) for text in column.unique() if text is not None},
                default=None,
                return_dtype=pl.String,
            )
        return '"' + cell + '"'
    if kind.is_decimal():
        text = cell.cast(pl.String)
        return '"' + text.str.strip_chars_end("0").str.strip_suffix(".") + '"'
    if kind == pl.Date:
        return '"' + cell.dt.to_string("%Y-%m-%d") + '"'
    return cell.cast(pl.String)


# ── editions and code ─────────────────────────────────────────────────────────────────────────────


def edition_hash(edition: Edition, chosen: Mapping[str, str]) -> EditionHash:
    """The hashes of an edition.

    Args:
        edition: its dates, constants and tables are hashed; its texts only explain.
        chosen: options by reading; those of the edition are hashed, too.
    """
    computing = {
        "chosen": {
            reading: option
            for reading, option in chosen.items()
            if reading in edition.readings and option in edition.readings[reading].options
        },
        "constants": _values(edition.constants),
        "in_force": str(edition.in_force) if edition.in_force else None,
        "selected_by": edition.selected_by,
        "tables": _values(edition.tables),
    }
    return EditionHash(computed_sha256=sha256_of(computing), sha256=edition.sha256)


def _values(constants: Mapping[str, Constant]) -> dict[str, Any]:
    return {name: _plain(constant.value) for name, constant in constants.items()}


def _plain(value: Any) -> Any:
    """A constant as JSON; numbers are text, so that each is written in one way."""
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, Fraction) else value


# ── code ─────────────────────────────────────────────────────────────────────────────────────────


def code_hash(regulation: Regulation) -> CodeHash:
    """The hash of a regulation's code, in palmares or the package that registers it."""
    package, of = _distribution(regulation)
    return CodeHash(package=package, version=of, sha256=sha256_of(_hashed(regulation.module)))


def _distribution(regulation: Regulation) -> tuple[str, str]:
    if regulation in REGULATIONS:
        return "palmares", version("palmares")
    for point in entry_points(group=GROUP):
        if point.dist is not None and getattr(point.load(), "name", "") == regulation.name:
            return point.dist.name, point.dist.version
    return regulation.module.partition(".")[0], ""


def _hashed(module: str) -> dict[str, str]:
    """The hash of a module and of those of its package that it imports, by name."""
    package = module.rpartition(".")[0]
    files = sources([module], (f"{package}.",) if package else ())
    computing = {
        name: without_comments(file.read_text("utf-8")).encode()
        if file.suffix == ".py"
        else file.read_bytes()
        for name, file in files.items()
    }
    return {name: hashlib.sha256(content).hexdigest() for name, content in computing.items()}


@cache  # a site publishes many lists by the same code
def without_comments(source: str) -> str:
    """Source code without comments, docstrings and blank lines."""
    lines = source.splitlines()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            _blank(lines, node)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def _blank(lines: list[str], node: ast.Expr) -> None:
    """Remove a string that is a statement of its own."""
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    after = lines[last].encode()[node.end_col_offset :].strip()
    if after or lines[first].encode()[: node.col_offset].strip():
        return
    for line in range(first, last + 1):
        lines[line] = ""


# ── publications ──────────────────────────────────────────────────────────────────────────────────

KIND = "publication"
FARTHEST = timedelta(days=366)
"""How far away the day of a list may be when it is published."""


class PublishedRows(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """The columns of a list: of players with their ids, of nations with the number of players."""

    rank: list[Count]
    nation: list[str | None]
    nanopoints: list[Count]
    player_id: list[str] | msgspec.UnsetType = msgspec.UNSET
    players: list[Count] | msgspec.UnsetType = msgspec.UNSET


class Publication(
    PublicationHead, frozen=True, kw_only=True, forbid_unknown_fields=True, rename={"rows": "list"}
):
    """A list, which list it is, and the hashes of everything it is made of."""

    rows: PublishedRows

    @property
    def name(self) -> str:
        """The name of the list."""
        return list_name(self.question(), self.selection)

    def chosen_results(self) -> Selection:
        """Which results it counts."""
        fields = msgspec.structs.asdict(self.selection)
        del fields["by"]
        return Selection(**fields)

    def question(self) -> Question:
        """Its regulation, edition and readings."""
        return Question(
            regulation=self.regulation, edition=self.edition, chosen=self.readings.chosen
        )

    def frame(self) -> pl.DataFrame:
        """The list by rank and id: rank, player_id or players, nation, nanopoints."""
        columns: dict[str, list[Any]] = msgspec.to_builtins(self.rows)
        types = {
            name: pl.String if name in ("player_id", "nation") else pl.Int64 for name in columns
        }
        return pl.DataFrame(columns, schema=types)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPublication:
    """A publication, and its ranking with names."""

    publication: Publication
    ranking: Ranking


def make_publication(
    question: Question,
    facts: Facts,
    selection: Selection,
    *,
    by: str = "player",
    head: Head | None = None,
    note: str | None = None,
    with_waiting_events: bool = False,
) -> NewPublication:
    """Compute a list, with the hashes of everything it is made of.

    Args:
        question: the regulation, and the chosen edition and readings.
        facts: checked facts.
        selection: the day, and which results count.
        by: "player" or "nation".
        head: the head of the journal with the facts; none for files.
        note: a permanent remark, without names.
        with_waiting_events: make the list although it lacks events that wait for facts.

    Raises:
        FactsRejected, NotCovered, Refused: as `palmares.points.ledger.rank` does.
        Refused: events wait; no day is left that could count; or the note is too long or has
            invisible characters.
    """
    note = _normalized(note)
    _refuse_results_after(selection)
    refuse_nonsense(question, selection, by)
    awards = award(question, facts, terms=False)
    ranking = explained(rank(awards, selection, by=by), lambda: (facts, awards.frame))
    if ranking.waiting and not with_waiting_events:
        raise _lacks_events(ranking.waiting)
    editions = editions_in_force(awards, selection)
    rows, tables = published_rows(ranking), table_hashes(question, facts)
    publication = Publication(
        regulation=question.regulation,
        selection=list_selection(selection, by),
        edition=question.edition,
        editions={edition.id: edition_hash(edition, question.chosen or {}) for edition in editions},
        readings=_readings_under(question, editions),
        head=JournalHead(sequence=head.sequence, hash=head.hash) if head else None,
        facts=tables,
        facts_sha256=sha256_of(msgspec.to_builtins(tables)),
        waiting_events=len(ranking.waiting),
        rows=rows,
        list_sha256=sha256_of(msgspec.to_builtins(rows)),
        code=code_hash(question.get_regulation()),
        palmares=version("palmares"),
        note=note,
    )
    return NewPublication(publication=publication, ranking=ranking)


def table_hashes(question: Question, facts: Facts) -> dict[str, TableHash]:
    """The hash of each table of facts; of rates only if the regulation uses money."""
    if question.get_regulation().money:
        return hash_facts(facts)
    return hash_facts(Facts({name: facts[name] for name in facts if name != "rates"}))


def publish_warnings(given: Publication, today: date) -> tuple[Problem, ...]:
    """Warnings before a list is published: it is empty, or its day has not come.

    Raises:
        Refused: its day is too far away to be meant.
    """
    refuse_far_days(given.selection.as_of, today)
    warnings = []
    if not given.rows.rank:
        warnings.append((
            msg("The list is empty: no player has points that count in it."),
            msg("Check its day and the other choices. Once published, it stays in the journal"
                 " permanently."),
        ))  # fmt: skip
    if given.selection.as_of > today:
        warnings.append((
            msg("Its day has not come: what is reported until then is not in it."),
            msg("Publish it when that day has come."),
        ))  # fmt: skip
    return tuple(
        Problem(at=Location(given.name), what=what, clause="publish", remedy=remedy)
        for what, remedy in warnings
    )


def refuse_far_days(day: date, today: date) -> None:
    """Refuse a day that cannot be meant; a list of the end of the season may be meant."""
    if day > today + FARTHEST:
        raise Refused(
            msg(
                "%(day)s is more than a year away: what is reported until then is not in the list."
                " Check the year, and publish the list when its day has come.",
                day=LocalNumber(day.isoformat()),
            )
        )


def _refuse_results_after(selection: Selection) -> None:
    """Refuse a list whose results begin after its day, so that none can be in it."""
    if selection.since and selection.since > selection.as_of:
        raise Refused(
            msg(
                "Only results since %(since)s count, and the list is of %(day)s: no result can be"
                " in it. Choose an earlier first day, or a later day of the list.",
                since=LocalNumber(selection.since.isoformat()),
                day=LocalNumber(selection.as_of.isoformat()),
            )
        )


def _lacks_events(waiting: Sequence[Waiting]) -> Refused:
    """The refusal to publish a list that lacks events."""
    return Refused(
        hint(
            "publish-without-waiting",
            "%(why)s\nNothing was published. Record what is missing; or choose to publish the list"
            " without these events.",
            why="\n    ".join(say_waiting(waiting)),
        )
    )


def _normalized(note: str | None) -> str | None:
    """A note, normalized."""
    values, wrong = cleaned(pl.Series([(note or "").strip() or None], dtype=pl.String))
    if wrong:
        raise Refused(f"The note {next(iter(wrong.values()))}.")
    return None if values[0] is None else str(values[0])


def editions_in_force(awards: Awards, selection: Selection) -> list[Edition]:
    """The editions in force on a list's day, and those that gave its awards."""
    rulebook = awards.question.rulebook()
    by_day = rulebook.by(selection.as_of)
    used = set(selection.apply(awards.frame)["edition"].unique())
    editions = [rules.edition for rules in rulebook.all]
    return [edition for edition in editions if edition in by_day or edition.id in used]


def _readings_under(question: Question, editions: Sequence[Edition]) -> Readings:
    """The chosen readings, and the sha256 of each that is in force, by edition."""
    in_force = {
        edition.id: {
            name: sha256_of(msgspec.structs.asdict(reading) | {"options": dict(reading.options)})
            for name, reading in edition.readings.items()
        }
        for edition in editions
        if edition.readings
    }
    return Readings(chosen=dict(question.chosen or {}), in_force=in_force)


def published_rows(ranking: Ranking) -> PublishedRows:
    """The columns of a ranking, by rank and id; names do not matter."""
    key = "player_id" if ranking.by == "player" else "nation"
    frame = ranking.frame.sort("rank", key)
    names = [name for name in PublishedRows.__struct_fields__ if name in frame.columns]
    return PublishedRows(**{name: frame[name].to_list() for name in names})


# ── in a journal ─────────────────────────────────────────────────────────────────────────────────


def list_selection(selection: Selection, by: str) -> ListSelection:
    """A selection as publications hold it."""
    return ListSelection(**msgspec.structs.asdict(selection), by=by)


def list_name(question: Question, selection: ListSelection) -> str:
    """The name of a list: its regulation and day, then every other choice.

    So a list with a chosen edition or reading never replaces the federation's own list.
    """
    parts = (
        question.regulation,
        str(selection.as_of),
        f"since {selection.since}" if selection.since else "",
        f"until {selection.until}" if selection.until else "",
        selection.setting,
        selection.kind if selection.kind != TOTAL else "",
        f"of {selection.nation}" if selection.nation else "",
        f"division {'+'.join(map(str, selection.divisions))}" if selection.divisions else "",
        "by nation" if selection.by == "nation" else "",
        f"edition {question.edition}" if question.edition else "",
        *(f"{reading}={option}" for reading, option in sorted((question.chosen or {}).items())),
    )
    return " ".join(filter(None, parts))


def file_stem(name: str) -> str:
    """The file name of a list, without suffix: its name with hyphens."""
    return re.sub(r"[^\w.-]+", "-", name)


@action
def publish_list(transaction: Transaction, publication: Publication) -> None:
    """Record a publication, unless the last one of its name is the same.

    Raises, when it is done:
        Refused: it was not made from this journal, or its day is too far away to be meant.
    """
    refuse_far_days(publication.selection.as_of, transaction.writer.clock().date())
    head = publication.head
    if head is None:
        raise Refused("A list of files is published without a journal: they are not in it.")
    if head.sequence and transaction.writer.entry(head.sequence).hash != head.hash:
        raise Refused(
            f"Entry {head.sequence} of this journal is not the one that the list was made at."
        )
    last = transaction.state.in_force("publications", publication.name)
    if last is None or not announces_same(last.body, publication):
        transaction.extend([Draft(kind=KIND, subject=publication.name, body=publication)])


def announces_same(first: PublicationHead, second: PublicationHead) -> bool:
    """Whether two publications have the same list, of the same facts by the same rules."""
    one, other = (
        (
            body.regulation,
            body.selection,
            body.edition,
            body.facts_sha256,
            body.waiting_events,
            body.list_sha256,
            {edition: sheet.computed_sha256 for edition, sheet in body.editions.items()},
            body.readings.chosen,
            body.code.sha256,
        )
        for body in (first, second)
    )
    return one == other
