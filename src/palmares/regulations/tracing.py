"""
Marking a function as a clause of a regulation, and watching clauses at work.

A clause is a plain function of numbers. `@clause("usbgf rank-factor")` adds nothing to what it
computes. Inside ``with traced() as steps:`` each clause that runs leaves a `TraceStep`: which
clause, the numbers that went in (those of the edition among them), the number that came out, and
the clauses it called on the way. An explanation is these steps and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache, wraps
from inspect import getsourcelines, signature
from types import ModuleType
from typing import Any, ParamSpec, Protocol, TypeVar, cast

from msgspec import Struct

P = ParamSpec("P")
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

EDITION_PARAMETERS = ("constants", "table")
"""Parameters that carry an edition's numbers; what a clause reads of them is traced by name."""


class TraceStep(Struct, frozen=True, kw_only=True):
    """One clause at work."""

    clause: str  # "grade", as in [clauses] of the edition file
    inputs: tuple[tuple[str, Any], ...]  # name and number, the edition's own numbers last
    value: Any
    because: tuple[TraceStep, ...] = ()  # the clauses called on the way, in order


class Clause(Protocol[P, T_co]):
    """A function marked as a clause: it still is the function, and knows its reference."""

    clause: str
    plain_only: bool
    __wrapped__: Callable[..., Any]
    __name__: str

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T_co:
        """Apply the clause."""


_steps: ContextVar[list[TraceStep] | None] = ContextVar("steps", default=None)


class _Watched:
    """An edition's numbers that remember which of them were read.

    Its own names end in an underscore, which no number of an edition does.
    """

    def __init__(self, numbers: Any) -> None:
        self.numbers_ = numbers
        self.read_: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        self.read_[name] = value = getattr(self.numbers_, name)
        return value

    def __getitem__(self, name: str) -> Any:
        self.read_[name] = value = self.numbers_[name]
        return value


def clause(ref: str, *, plain_only: bool = False) -> Callable[[Callable[P, T]], Clause[P, T]]:
    """Mark a function as the implementation of clause *ref*: ``"usbgf rank-factor"``.

    A parameter named ``player`` tells whose step it is, also where the formula does not use it: an
    explanation leaves out the steps of others.

    *plain_only* says that machine code cannot hold it (it rounds on decimal text, say).
    """
    name = ref.split(" ", 1)[1]

    def mark(function: Callable[P, T]) -> Clause[P, T]:
        @wraps(function)
        def applied(*args: P.args, **kwargs: P.kwargs) -> T:
            outer = _steps.get()
            if outer is None:
                return function(*args, **kwargs)
            bound = _parameters(function).bind(*args, **kwargs).arguments
            watched = []
            for parameter in EDITION_PARAMETERS:
                if parameter in bound:
                    given = bound[parameter]
                    bound[parameter] = _Watched(
                        given.numbers_ if isinstance(given, _Watched) else given
                    )
                    watched.append(bound[parameter])
            inner: list[TraceStep] = []
            token = _steps.set(inner)
            try:
                value = function(**bound)  # type: ignore[call-arg]
            finally:
                _steps.reset(token)
            facts = [(k, v) for k, v in bound.items() if k not in EDITION_PARAMETERS]
            fixed = [item for numbers in watched for item in numbers.read_.items()]
            outer.append(
                TraceStep(
                    clause=name, inputs=tuple(facts + fixed), value=value, because=tuple(inner)
                )
            )
            return value

        applied.clause = name  # type: ignore[attr-defined]
        applied.plain_only = plain_only  # type: ignore[attr-defined]
        return cast("Clause[P, T]", applied)

    return mark


_parameters = cache(signature)  # asked by traces alone


def tracing() -> bool:
    """Whether the steps of clauses are being collected."""
    return _steps.get() is not None


@contextmanager
def traced() -> Iterator[Sequence[TraceStep]]:
    """Collect the steps of every clause applied inside the block."""
    steps: list[TraceStep] = []
    token = _steps.set(steps)
    try:
        yield steps
    finally:
        _steps.reset(token)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClauseFunction:
    """A function that implements a clause, as it is written."""

    name: str
    module: str  # "palmares.regulations.wbgf"
    line: int  # of the module, where it begins
    code: str


@lru_cache(maxsize=64)
def clause_functions(module: ModuleType) -> Mapping[str, tuple[ClauseFunction, ...]]:
    """The functions of a module that implement each clause, in the module's order.

    A clause whose code is not at hand (a module without its source) has none.
    """
    functions_by_clause: dict[str, list[ClauseFunction]] = {}
    for function in vars(module).values():
        name = getattr(function, "clause", None)
        if not isinstance(name, str) or getattr(function, "__module__", "") != module.__name__:
            continue
        try:
            lines, first = getsourcelines(function)
        except OSError:
            continue
        functions_by_clause.setdefault(name, []).append(
            ClauseFunction(
                name=function.__name__, module=module.__name__, line=first, code="".join(lines)
            )
        )
    return {name: tuple(functions) for name, functions in functions_by_clause.items()}
