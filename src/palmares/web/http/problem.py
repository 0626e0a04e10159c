"""What a page says when it could not be given: as a page, or as a problem document (RFC 9457)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus

from palmares.core import errors
from palmares.core.errors import Refused
from palmares.web.http.messages import plural


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing wrong, or to be looked at, as pages and programs are told of it."""

    where: str
    what: str
    clause: str
    remedy: str


def as_shown(problems: Iterable[errors.Problem | Problem]) -> tuple[Problem, ...]:
    """Problems as pages and programs are told of them."""
    return tuple(
        Problem(where=one.where, what=one.what, clause=one.clause, remedy=one.remedy)
        for one in problems
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ProblemPage:
    """A problem document: ``type``, ``title``, ``status``, ``detail``, ``instance`` of RFC 9457."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str  # urn:request:…, as in our log
    instead: str = ""  # an address that there is
    problems: tuple[Problem, ...] = ()


def problem_page(
    status: int,
    detail: str,
    request: str,
    problems: Iterable[errors.Problem | Problem] = (),
    instead: str = "",
) -> ProblemPage:
    """The page of a problem; what it says is for people."""
    return ProblemPage(
        title=HTTPStatus(status).phrase,
        status=status,
        detail=detail,
        instance=f"urn:request:{request}",
        instead=instead,
        problems=as_shown(problems),
    )


class NoSuchPage(Refused):
    """A page after the last one."""

    def __init__(self, page: int, pages: int) -> None:
        self.pages = pages
        super().__init__(
            plural(
                "There is no page %(page)s: the list has %(many)s page.",
                "There is no page %(page)s: the list has %(many)s pages.",
                pages,
                page=page,
            )
        )
