"""The interview: its questions, earlier answers, and the file that keeps them."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click

from palmares.cli.hints import error_text
from palmares.cli.interrupts import heed_at_questions
from palmares.cli.options import login
from palmares.cli.sources import JOURNAL
from palmares.cli.types import DAY, pair
from palmares.core.errors import PalmaresError, Refused, brief
from palmares.render.tables import write_whole

FILE = Path("federation.toml")
"""What was answered, in the directory that a federation is made in."""
HEAD = "# Your answers to 'palmares start'. To go on, or after a change here: palmares start\n\n"
MOST = 100
"""Letters of a name."""
RESULTS = "results"


class Question(NamedTuple):
    """One question of the interview."""

    text: str
    check: Callable[[Any], Any]  # an answer, typed or kept -> its value
    default: Callable[[], str] = str  # what Enter means
    empty: str = ""  # what no answer means; without it, something has to be said


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers so far; asks for the others."""

    given: Mapping[str, Any]  # by options; none: not given
    yes: bool  # take the defaults, ask nothing
    known: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse options that are no answers, all at once."""
        wrong = []
        for name, given in self.given.items():
            try:
                if given is not None:
                    QUESTIONS[name].check(given)
            except click.UsageError as error:
                wrong.append(f"{_option(name)}: {error.message}")
        if wrong:
            raise click.UsageError("\n".join(wrong))

    def ask(self, name: str) -> Any:
        """The answer to a question: as an option says, as it was before, or as it is now.

        Raises:
            click.UsageError: a default that nobody was asked about is no answer.
        """
        question = QUESTIONS[name]
        given = self.given.get(name)
        if given is None and name in self.known:
            click.echo(f"{question.text}: {_text(self.known[name]) or question.empty}")
            return self.known[name]
        if given is None and not self.yes:
            answer = _prompt(question)
        else:
            try:
                answer = question.check(question.default() if given is None else given)
            except click.UsageError as error:
                raise click.UsageError(f"{_option(name)}: {error.message}") from None
        self.known[name] = answer
        self._write()
        return answer

    def _write(self) -> None:
        """Keep the answers; an empty one is asked again the next time."""
        from palmares.formats.toml.write import value_text

        lines = [f"{key} = {value_text(value)}\n" for key, value in self.known.items() if value]
        write_whole(FILE, (HEAD + "".join(lines)).encode())


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


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


def earlier(given: Mapping[str, Any]) -> dict[str, Any]:
    """The answers kept in this directory, but those that options replace now.

    Raises:
        Refused: the file is not as it was written; what is wrong with it.
    """
    if not FILE.exists():
        return {}
    try:
        kept_answers = tomllib.loads(FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"{FILE}: {error}. Correct it, or delete it to be asked again.") from None
    answers: dict[str, Any] = {}
    for key, value in kept_answers.items():
        if key not in QUESTIONS:
            raise Refused(f"{FILE}: there is no {brief(key)}. There are: {', '.join(QUESTIONS)}.")
        try:
            if given.get(key) is None:
                answers[key] = QUESTIONS[key].check(value)
        except click.UsageError as error:
            raise Refused(f"{FILE}: {key}: {error.message}") from None
    return answers


def _text(value: object) -> str:
    """An answer as people read it."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


# ── what is an answer ────────────────────────────────────────────────────────────────────────────


def _items(value: Any) -> list[str]:
    """Several answers: as they are, or with commas between them."""
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
"""Every question, in the order in which they are asked; the names are keys of `FILE`."""


def refuse_nobody(*, yes: bool) -> None:
    """Refuse to ask where nobody can answer."""
    if not yes and not sys.stdin.isatty():
        raise click.UsageError(
            "There is no terminal to ask on. Give the answers as options, and --yes for the"
            " defaults of the rest."
        )
