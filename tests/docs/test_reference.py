"""The generated reference is what the code says today."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import click
import pytest

from docs.generate import DOCS, generated, pages
from palmares.cli import cli
from palmares.regulations import REGULATIONS
from palmares.regulations.editions import editions

PICTURE = "explanation/architecture.svg"
REMEDY = "Run: python -m docs.generate"


@pytest.fixture(scope="module")
def made() -> Mapping[str, str]:
    """Every generated page as the code makes it today."""
    return pages()


@pytest.mark.parametrize("path", [*sorted(generated()), PICTURE])
def test_a_page_is_not_stale(made: Mapping[str, str], path: str) -> None:
    assert (DOCS / path).read_text(encoding="utf-8") == made[path], REMEDY


def test_no_page_is_left_over_or_missing(made: Mapping[str, str]) -> None:
    assert generated() | {PICTURE} == made.keys(), REMEDY


def test_readme_names_every_edition() -> None:
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    rows = {line.split("`")[1]: line for line in readme.splitlines() if line.startswith("| `")}
    for held in REGULATIONS:
        assert rows[held.name].split("|")[-2].strip().split(", ") == [
            edition.id for edition in editions(held.name)
        ]


def test_every_command_says_what_its_options_do() -> None:
    for path, command in commands(cli, ""):
        silent = [
            one.opts
            for one in command.params
            if isinstance(one, click.Option) and not one.help and not one.show_default
        ]
        assert silent == [], path


def commands(group: click.Group, path: str) -> Iterator[tuple[str, click.Command]]:
    """Every command, those of groups too, with what one types for it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield f"{path} {name}", command
        if isinstance(command, click.Group):
            yield from commands(command, f"{path} {name}")
