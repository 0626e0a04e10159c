"""The interview: its questions, and what is a valid answer."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click

from palmares.cli.app import DAY, pair
from palmares.cli.hints import error_text
from palmares.cli.options import login
from palmares.cli.sources import JOURNAL
from palmares.cli.terminal import heed_at_questions
from palmares.core.errors import PalmaresError, brief

MOST = 100
"""Letters of a name."""
RESULTS = "results"


class Question(NamedTuple):
    """One question of the interview."""

    text: str
    check: Callable[[Any], Any]  # text -> value
    default: Callable[[], str] = str  # what Enter means
    empty: str = ""  # what no answer means; without it, an answer is required


def ask_all(given: Mapping[str, Any], known: Mapping[str, Any], *, yes: bool) -> dict[str, Any]:
    """The answer to every question.

    Args:
        given: answers by options; None: not given.
        known: answers that need neither a question nor a check.
        yes: take the defaults, ask nothing.

    Raises:
        click.UsageError: an option, or a default that is taken unasked, is no valid answer.
    """
    answers = {name: _checked(name, value) for name, value in given.items() if value is not None}
    answers |= known
    for name, question in QUESTIONS.items():
        if name not in answers:
            answers[name] = _checked(name, question.default()) if yes else _prompt(question)
    return answers


def _checked(name: str, value: Any) -> Any:
    try:
        return QUESTIONS[name].check(value)
    except click.UsageError as error:
        raise click.UsageError(f"--{name.replace('_', '-')}: {error.message}") from None


def _prompt(question: Question) -> Any:
    """Ask on the terminal until the answer is valid."""
    heed_at_questions()
    default = question.default()
    return click.prompt(
        question.text + f" (Enter: {question.empty})" * bool(question.empty and not default),
        default=default or ("" if question.empty else None),
        show_default=bool(default),
        value_proc=question.check,
        err=True,
    )


# ── what is an answer ────────────────────────────────────────────────────────────────────────────


def _items(value: Any) -> list[str]:
    """Several answers: a list of them, or one text with commas between them."""
    items = value.split(",") if isinstance(value, str) else map(str, value)
    return [item for text in items if (item := text.strip())]


def _name(value: Any) -> str:
    name = " ".join(str(value).split())
    if not 0 < len(name) <= MOST or not name.isprintable():
        raise click.UsageError(f"a name has 1 to {MOST} letters that can be seen.")
    return name


def _regulations(value: Any) -> list[str]:
    from palmares.regulations import get_regulation

    names = list(dict.fromkeys(_items(value)))
    if not names:
        raise click.UsageError(f"name at least one of {_all_regulations()}.")
    try:
        return [get_regulation(name, awards=True).name for name in names]
    except PalmaresError as error:
        raise click.UsageError(error_text(error)) from None


def _all_regulations() -> str:
    from palmares.regulations import awarding

    return ", ".join(awarding())


def _database(value: Any) -> str:
    try:
        has_password = bool(urlsplit(str(value)).password)
    except ValueError as error:
        raise click.UsageError(f"{brief(value)}: {error}.") from None
    if has_password:
        raise click.UsageError(
            "the password would appear in commands and in a file. Put the whole URL into the"
            f" variable {JOURNAL.variable}, or the password into PGPASSWORD or ~/.pgpass."
        )
    return _name(value)


def _file(value: Any) -> str:
    path = str(value).strip()
    if path and not Path(path).exists():
        raise click.UsageError(f"there is no {brief(path)}.")
    return path


def _results(value: Any) -> str:
    path = _file(value)
    if path and Path.cwd().is_relative_to(Path(path).resolve()):
        raise click.UsageError(
            "that folder is this one, or above it, and this one is for the federation's own files."
            " Start in a folder of its own, and give the path of the results from there."
        )
    return path


def _printed(value: Any) -> list[str]:
    for text in (items := _items(value)):
        try:
            regulation, file = pair(text, empty=False)
        except ValueError:
            raise click.UsageError(f"{brief(text)}: write it like wbgf=list.csv.") from None
        _regulations(regulation)
        _file(file)
    return items


def _day(value: Any) -> str:
    """A day, or nothing."""
    try:
        return str(DAY.convert(str(value), None, None)) if value else ""
    except click.UsageError as error:
        raise click.UsageError(error.message) from None


QUESTIONS: Mapping[str, Question] = {
    "name": Question("Name of the federation", _name, lambda: Path.cwd().name),
    "regulations": Question(
        "Regulations whose lists it publishes", _regulations, _all_regulations
    ),
    "database": Question(
        "Database, a file or postgresql://user@host/name", _database, lambda: "federation.db"
    ),
    "officer": Question("Name of its first officer", _name, login),
    "results": Question(
        "Its results, a folder or a file", _results,
        lambda: RESULTS if Path(RESULTS).exists() else "", "none yet",
    ),
    "printed": Question("Its printed lists, like wbgf=list.csv", _printed, str, "none"),
    "as_of": Question(
        "Day of the first lists", _day, str, "the end of the month of the last result that counts"
    ),
}  # fmt: skip
"""Every question, in the order in which they are asked."""


def refuse_without_terminal(*, yes: bool) -> None:
    """Refuse to ask where there is no terminal."""
    if not yes and not sys.stdin.isatty():
        raise click.UsageError(
            "There is no terminal to ask on. Give the answers as options, and --yes for the"
            " defaults of the rest."
        )
