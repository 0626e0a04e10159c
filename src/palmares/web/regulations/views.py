"""Regulations and their editions: one in its own words and order, or two side by side."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from difflib import SequenceMatcher
from importlib import import_module
from typing import Annotated, Any

from litestar.exceptions import NotFoundException
from litestar.openapi.spec import Example
from litestar.params import PathParameter, QueryParameter

from palmares.core.messages import msg
from palmares.regulations import Regulation, regulations
from palmares.regulations.editions import Constant, Edition, Reading, as_printed
from palmares.regulations.tracing import ClauseFunction, clause_functions
from palmares.web.shared.names import extended
from palmares.web.shared.parameters import RegulationName

SAME, CHANGED, NEW, GONE = "same", "changed", "new", "gone"
WIDEST = 4
"""Columns up to which a table of tables stands side by side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionSummary:
    """An edition among others."""

    edition: str
    title: str
    in_force: date | None  # none: the text bears no date and covers every day
    until: date | None  # the last day; none: there is no later edition
    current: bool  # it governs today


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationSummary:
    """A regulation among others."""

    regulation: str
    title: str
    discipline: str
    kinds: tuple[str, ...]  # of points; none: it awards nothing to players
    calculator: str | None
    editions: tuple[EditionSummary, ...]  # the latest first


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationsPage:
    """Every regulation that is installed."""

    as_of: date
    regulations: tuple[RegulationSummary, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConstantText:
    """A number that the edition fixes."""

    name: str
    value: str
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableText:
    """A printed table."""

    name: str
    unit: str
    columns: tuple[str, ...]  # one without a name where a row has one number
    rows: Mapping[str, tuple[str, ...]]  # cells by the name of the row


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseText:
    """A clause with the numbers it fixes, the readings it needs and the functions that apply it."""

    clause: str
    label: str
    kind: str  # computes | defines | explains
    says: str
    constants: tuple[ConstantText, ...]
    tables: tuple[TableText, ...]
    readings: tuple[Reading, ...]
    functions: tuple[
        ClauseFunction, ...
    ]  # as they run; none where a clause only defines or explains


_NO_CLAUSE = ClauseText(
    clause="", label="", kind="", says="", constants=(), tables=(), readings=(), functions=()
)
"""What stands for a clause in an edition that does not have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegulationPage(RegulationSummary):
    """One edition of a regulation; ``title`` is that of the edition."""

    name: str  # of the regulation
    edition: str
    author: str
    source: str
    selected_by: str
    sha256: str  # of the edition file
    path: str
    in_force: date | None
    until: date | None
    clauses: tuple[ClauseText, ...]


def _regulation_summary(regulation: Regulation, today: date) -> RegulationSummary:
    return RegulationSummary(
        regulation=regulation.name,
        title=regulation.title,
        discipline=regulation.discipline,
        kinds=regulation.kinds,
        calculator=regulation.calculator.name if regulation.calculator else None,
        editions=edition_summaries(regulation, today),
    )


def regulation_page(
    regulation: RegulationName, today: date, edition: EditionId = None
) -> RegulationPage:
    """One edition of a regulation, in the text's order and words.

    Raises:
        NotFoundException: there is no such regulation or edition.
    """
    rules = _regulation(regulation)
    summary = _regulation_summary(rules, today)
    in_force = next(
        (each.edition for each in summary.editions if each.current), summary.editions[0].edition
    )
    wanted = edition_of(rules, edition or in_force)
    return extended(
        RegulationPage,
        summary,
        name=rules.title,
        title=wanted.title,
        edition=wanted.id,
        author=wanted.author,
        source=wanted.source,
        selected_by=wanted.selected_by,
        sha256=wanted.sha256,
        path=wanted.path,
        in_force=wanted.in_force,
        until=next(each.until for each in summary.editions if each.edition == wanted.id),
        clauses=clause_texts(wanted, clause_functions(import_module(rules.module))),
    )


def _regulation(name: str) -> Regulation:
    """A regulation by name.

    Raises:
        NotFoundException: there is none.
    """
    regulation = regulations().get(name)
    if regulation is None:
        raise NotFoundException(msg("There is no regulation %(name)s.", name=name[:40]))
    return regulation


def edition_of(regulation: Regulation, edition: str) -> Edition:
    """An edition by its id.

    Raises:
        NotFoundException: there is none; says which there are.
    """
    by_id = {each.id: each for each in regulation.editions()}
    if edition in by_id:
        return by_id[edition]
    raise NotFoundException(
        msg(
            "%(regulation)s has no edition %(edition)s. There are: %(editions)s.",
            regulation=regulation.name,
            edition=edition[:40],
            editions=", ".join(by_id),
        )
    )


def edition_summaries(regulation: Regulation, today: date) -> tuple[EditionSummary, ...]:
    """Every edition and the days it governs, the latest first."""
    summaries: list[EditionSummary] = []
    until = None
    for edition in reversed(regulation.editions()):
        has_begun = edition.in_force is None or edition.in_force <= today
        is_current = has_begun and (until is None or today <= until)
        summaries.append(
            extended(EditionSummary, edition, edition=edition.id, until=until, current=is_current)
        )
        until = edition.in_force - timedelta(days=1) if edition.in_force else None
    return tuple(summaries)


def clause_texts(
    edition: Edition, functions: Mapping[str, tuple[ClauseFunction, ...]]
) -> tuple[ClauseText, ...]:
    """The clauses in the text's order, each with its numbers, readings and functions."""
    return tuple(
        ClauseText(
            clause=clause.id,
            label=clause.label,
            kind=clause.kind,
            says=clause.says,
            constants=tuple(
                ConstantText(
                    name=constant.name, value=as_printed(constant.value), unit=constant.unit
                )
                for constant in edition.constants.values()
                if constant.clause == clause.id
            ),
            tables=tuple(
                table_text(table) for table in edition.tables.values() if table.clause == clause.id
            ),
            readings=tuple(
                reading for reading in edition.readings.values() if reading.clause == clause.id
            ),
            functions=functions.get(clause.id, ()),
        )
        for clause in edition.clauses.values()
    )


def table_text(table: Constant) -> TableText:
    """A printed table: side by side where it is a table of small tables, else row by row."""
    columns, rows = _cells(table.value)
    return TableText(name=table.name, unit=table.unit, columns=columns, rows=rows)


def _cells(value: Any) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    pairs = [(str(key), inner) for key, inner in items]
    if not all(isinstance(inner, Mapping) for _, inner in pairs):
        return ("",), {key: (as_printed(number),) for key, number in pairs}
    columns = tuple(dict.fromkeys(str(name) for _, inner in pairs for name in inner))
    if len(columns) <= WIDEST:
        return columns, {
            key: tuple(as_printed(inner[column]) if column in inner else "" for column in columns)
            for key, inner in pairs
        }
    return ("",), {
        f"{key}: {name}": (as_printed(number),)
        for key, inner in pairs
        for name, number in inner.items()
    }


# ── two editions side by side ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Some words: in both, or only in the older (out) or the newer one (in)."""

    kind: str  # same | out | in
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Something that both editions have, or only one."""

    what: str  # the name: of a constant, a row of a table, a reading
    change: str  # changed | new | gone
    before: str | None
    after: str | None
    unit: str

    def worded(self, wording: Callable[[str], str]) -> tuple[Piece, ...]:
        """The pieces of words in a reader's language."""
        return pieces(wording(self.before or ""), wording(self.after or ""))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseDifference:
    """A clause in both editions."""

    clause: str
    label: str
    change: str  # of its words; "same" where only numbers or readings differ
    pieces: tuple[Piece, ...]
    numbers: tuple[Difference, ...]  # constants and rows of tables
    readings: tuple[Difference, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditionsPage:
    """Two editions side by side."""

    regulation: str
    title: str
    editions: tuple[EditionSummary, ...]  # all, the latest first
    before: EditionSummary
    after: EditionSummary
    words: int  # clauses whose words differ, or that only one has
    numbers: int
    readings: int
    clauses: tuple[ClauseDifference, ...]


def editions_page(
    regulation: RegulationName, today: date, a: Before = None, b: After = None
) -> EditionsPage:
    """Two editions side by side: what changed, clause by clause, number by number.

    Raises:
        NotFoundException: there is no such regulation or edition.
    """
    rules = _regulation(regulation)
    summaries = {head.edition: head for head in edition_summaries(rules, today)}
    latest = list(summaries)
    left = edition_of(rules, a or latest[min(1, len(latest) - 1)])
    right = edition_of(rules, b or latest[0])
    before, after = (
        {clause.clause: clause for clause in clause_texts(each, {})} for each in (left, right)
    )
    clauses = [
        _clause_difference(clause, before.get(clause), after.get(clause))
        for clause in _order(before, after)
    ]
    return EditionsPage(
        regulation=rules.name,
        title=rules.title,
        editions=tuple(summaries.values()),
        before=summaries[left.id],
        after=summaries[right.id],
        words=sum(clause.change != SAME for clause in clauses),
        numbers=sum(len(clause.numbers) for clause in clauses),
        readings=sum(len(clause.readings) for clause in clauses),
        clauses=tuple(
            clause
            for clause in clauses
            if clause.change != SAME or clause.numbers or clause.readings
        ),
    )


def _clause_difference(
    name: str, before: ClauseText | None, after: ClauseText | None
) -> ClauseDifference:
    """A clause of either edition, or of both."""
    old, new = before or _NO_CLAUSE, after or _NO_CLAUSE
    return ClauseDifference(
        clause=name,
        label=new.label or old.label,
        change=_change(before and (old.label, old.says), after and (new.label, new.says)),
        pieces=pieces(old.says, new.says),
        numbers=_differences(_numbers(old), _numbers(new)),
        readings=_differences(_readings(old), _readings(new)),
    )


def _numbers(clause: ClauseText) -> dict[str, ConstantText]:
    """The constants of a clause, then its tables row by row, by name."""
    numbers = (
        ConstantText(
            name=f"{table.name}, {name}" + (f", {column}" if column else ""),
            value=cell,
            unit=table.unit,
        )
        for table in clause.tables
        for name, cells in table.rows.items()
        for column, cell in zip(table.columns, cells, strict=True)
        if cell
    )
    return {number.name: number for number in (*clause.constants, *numbers)}


def _readings(clause: ClauseText) -> dict[str, ConstantText]:
    """The readings of a clause, each in one paragraph, by their ids."""
    paragraphs = {}
    for reading in clause.readings:
        text = msg(
            "%(silent)s We: %(we)s (since %(since)s).",
            silent=(reading.silent,),
            we=(reading.we,),
            since=(reading.since,),
        )
        for name, does in reading.options.items():
            text = msg("%(text)s %(option)s: %(does)s.", text=text, option=name, does=(does,))
        paragraphs[reading.id] = ConstantText(name=reading.id, value=text, unit="")
    return paragraphs


def _differences(
    left: Mapping[str, ConstantText], right: Mapping[str, ConstantText]
) -> tuple[Difference, ...]:
    """The numbers or readings that two clauses do not have alike, by name."""
    pairs = ((left.get(name), right.get(name)) for name in _order(left, right))
    return tuple(
        Difference(
            what=present.name,
            change=change,
            before=before.value if before else None,
            after=after.value if after else None,
            unit=present.unit,
        )
        for before, after in pairs
        if (present := after or before)
        and (change := _change(before and before.value, after and after.value)) != SAME
    )


def _order(left: Collection[str], right: Collection[str]) -> list[str]:
    """The names of both in the order of the right; those only in the left where they stood."""
    order, last = list(right), -1
    for name in left:
        if name in right:
            last = order.index(name)
        else:
            last += 1
            order.insert(last, name)
    return order


def _change(before: object | None, after: object | None) -> str:
    if before is None or after is None:
        return NEW if before is None else GONE
    return SAME if before == after else CHANGED


def pieces(before: str, after: str) -> tuple[Piece, ...]:
    """Two texts as what they share, what went out and what came in, word by word."""
    old, new = (re.findall(r"\S+\s*", text) for text in (before, after))
    result = []
    same = SequenceMatcher(a=[word.strip() for word in old], b=[word.strip() for word in new],
                           autojunk=False)  # fmt: skip
    for kind, i, j, k, m in same.get_opcodes():
        if kind == "equal":
            result.append(Piece(kind="same", text="".join(new[k:m])))
            continue
        if i < j:
            result.append(Piece(kind="out", text="".join(old[i:j])))
        if k < m:
            result.append(Piece(kind="in", text="".join(new[k:m])))
    return tuple(result)


# ── routes ───────────────────────────────────────────────────────────────────────────────────────

EditionId = Annotated[
    str | None,
    PathParameter(description="The id of an edition.", examples=[Example(value="2019-01")]),
]
Before = Annotated[
    str | None,
    QueryParameter(
        description="The older edition; the one before the latest, if it is not given.",
        examples=[Example(value="2015-05")],
    ),
]
After = Annotated[
    str | None,
    QueryParameter(
        description="The newer edition; the latest, if it is not given.",
        examples=[Example(value="2019-01")],
    ),
]


def all_regulations(today: date) -> RegulationsPage:
    """Every regulation and its editions."""
    summaries = tuple(_regulation_summary(each, today) for each in regulations().values())
    return RegulationsPage(as_of=today, regulations=summaries)


def edition_in_force(regulation: RegulationName, today: date) -> RegulationPage:
    """The edition of a regulation that is in force, in the text's order and words."""
    return regulation_page(regulation, today)
