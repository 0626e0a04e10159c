"""What a regulation says of itself; whatever asks about points asks this object, by these names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

from msgspec import Struct, field

from palmares.regulations.editions import Edition, Rulebook, Rules, editions, rulebook
from palmares.regulations.model import Advice, Grant, Memberships, Tournament, Unusable

Outcome = Grant | Advice | Unusable
"""What awarding a tournament gives, one after another."""


class Decay(Struct, frozen=True, kw_only=True):
    """How results lose their points as days go by."""

    left: Callable[[Rules, date, date], tuple[int, int]]
    """Days left, and days in all, given the day a result counts from and the day asked for.

    Once nothing is left of a result, nothing is left on any later day."""
    worth: Callable[[Rules, Any, int], Any] | None = None
    """What points are worth with so many days left, by the clause that says so, if one does."""


NATION_CLAUSE = "facts players.nation"
"""What says that players without a nation add to none, where a text does not."""


class Sum(Struct, frozen=True, kw_only=True):
    """A total is the sum of the awards that count, of a player or of a nation's players."""

    decay: Decay | None = None  # none: results never lose anything
    nation_at_event: Callable[[Rules], bool] | None = None
    """Whether a nation keeps the points won under it; without it, points move with the player."""
    nation_clause: str = NATION_CLAUSE

    word: ClassVar[str] = "sum"
    latest: ClassVar[bool] = False
    opening: ClassVar[None] = None
    step: ClassVar[None] = None

    def left(self, rules: Rules, effective: date, as_of: date) -> tuple[int, int]:
        """Days left of a result, and days in all: 1 of 1 where results never fade."""
        return self.decay.left(rules, effective, as_of) if self.decay else (1, 1)

    def by_event(self, rules: Rules) -> bool:
        """Whether a nation keeps the points won under it, whatever nation the player has now."""
        return self.nation_at_event is not None and self.nation_at_event(rules)


class Latest(Struct, frozen=True, kw_only=True):
    """A total is the latest award alone: a rating.

    Each may be made from the one before: *step*, a formula with a parameter ``before``, makes it,
    and *opening* is what it takes for a player's first event. Without a step awards just replace
    each other.
    """

    opening: Callable[[Rules], Any] | None = None
    step: Callable[..., Any] | None = None
    order_clause: str = "facts events.sequence"  # what says which of two events came first

    word: ClassVar[str] = "latest"
    latest: ClassVar[bool] = True
    decay: ClassVar[None] = None
    nation_clause: ClassVar[str] = NATION_CLAUSE

    def left(self, _rules: Rules, _effective: date, _as_of: date) -> tuple[int, int]:
        """A rating stands until the next: 1 day of 1 is left."""
        return 1, 1

    def by_event(self, _rules: Rules) -> bool:
        """A rating belongs to the player, never to a nation."""
        return False


Aggregate = Sum | Latest
"""How a player's awards make a total."""


class Calculator(Struct, frozen=True, kw_only=True):
    """The form on the site by which a regulation may be tried out."""

    name: str  # of the form
    figures: Sequence[str] = ()  # clauses whose values are shown beside the points
    fields: Mapping[str, str] = field(default_factory=dict)  # clause -> field that it complains of


def no_awards(
    rulebook: Rulebook, tournament: Tournament, memberships: Memberships
) -> Iterable[Outcome]:
    """A regulation that converts scores and awards nothing to players."""
    return ()


class Regulation(Struct, frozen=True, kw_only=True):
    """A text of a federation as code: its name, its numbers, and what it makes of a tournament."""

    name: str  # as typed: "wbgf"
    title: str
    discipline: str  # the tournaments it sees
    constants: Any  # a named tuple: a field for each [constants] entry of its editions
    award: Callable[[Rulebook, Tournament, Memberships], Iterable[Outcome]] = no_awards
    aggregate: Aggregate = Sum()
    kinds: tuple[str, ...] = ()  # of points; none: it awards nothing to players
    asks: tuple[str, ...] = ()  # columns of an event that points are made of: directors are asked
    words: Mapping[str, str] = field(default_factory=dict)
    """The table of an edition that has the words of a column of an event, by setting."""
    event_kinds: tuple[str, ...] = ()  # that earn points; none: events of any kind
    settings: tuple[str, ...] = ()  # whose results it keeps apart; none: one list of all
    members_of: str = ""  # the federation whose members alone earn points; none: anybody
    money: bool = False  # whether it needs exchange rates
    together: bool = False
    """Whether *award* and *advice* may get one tournament for many of one shape: cells that are not
    empty are columns (`palmares.points.kernels.arrays`), with which clauses calculate and compare,
    and whose types no clause asks for."""
    advice: Callable[[Rulebook, Tournament], Iterable[Advice]] | None = None
    """What officers should look at in a tournament."""
    level: Callable[[Mapping[str, Any], Any], str | None] | None = None
    """The recognition level that lifetime points reach, given thresholds by level."""
    calculator: Calculator | None = None
    rules_directory: Path | None = None  # where the folder of its edition files is; none: ours

    @property
    def module(self) -> str:
        """The module that its clauses are in."""
        return str(self.constants.__module__)

    @property
    def modules(self) -> tuple[str, ...]:
        """Every module that its awards depend on."""
        given = (self.constants, self.award, self.advice, self.aggregate.opening,
                 self.aggregate.step)  # fmt: skip
        return tuple(
            dict.fromkeys(function.__module__ for function in given if function is not None)
        )

    def editions(self) -> tuple[Edition, ...]:
        """Its editions, the earliest first."""
        return editions(self.name, self.rules_directory)

    def choices(self, column: str) -> tuple[str, ...]:
        """The words of all its editions for a column of an event; none: it may be anything."""
        name = self.words.get(column)
        tables = [edition.tables[name].value for edition in self.editions()] if name else []
        every = (words for table in tables for words in table.values())
        return tuple(dict.fromkeys(word for words in every for word in words))

    def rulebook(self, **chosen: Any) -> Rulebook:
        """Its editions ready for work; see `palmares.regulations.editions.rulebook`."""
        return rulebook(self.name, self.constants, directory=self.rules_directory, **chosen)
