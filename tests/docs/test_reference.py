"""The generated reference is what the code says today."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from docs.generate import DOCS, generated, pages
from palmares.cli import cli
from palmares.regulations import REGULATIONS
from palmares.regulations.editions import editions

PAGES = pages()
REMEDY = "Run: python -m docs.generate"


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_not_stale(path: str) -> None:
    assert (DOCS / path).read_text(encoding="utf-8") == PAGES[path], REMEDY


def test_no_page_is_left_over() -> None:
    assert generated() == {one for one in PAGES if one.endswith(".md")}, REMEDY


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
