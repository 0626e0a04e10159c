"""palmares alone greets, and names three commands that there are."""

from __future__ import annotations

import shlex

import click
import pytest

from palmares.cli import NEXT, cli
from tests.packages import run


def test_palmares_alone_names_three_next_steps() -> None:
    greeting = run()
    assert greeting.exit_code == 0
    lines = greeting.output.splitlines()
    assert lines[0].startswith("Palmares: the rulebook engine")
    assert [line.split("  ")[1] for line in lines if line.startswith("  ")] == [
        f"palmares {typed}" for typed, _ in NEXT
    ]
    assert len(NEXT) == 3
    assert lines[-1] == "All commands: palmares --help"
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize("group", ["journal", "player", "event"])
def test_a_group_alone_prints_its_help_once(group: str) -> None:
    alone = run(group)
    assert alone.exit_code == 2
    assert alone.output.count("Usage:") == 1
    assert "Error" not in alone.output


@pytest.mark.parametrize("typed", [typed for typed, _ in NEXT])
def test_a_next_step_can_be_typed(typed: str) -> None:
    """Click knows its words; it runs nothing and asks nothing."""
    group: click.Command = cli
    words = shlex.split(typed)
    while isinstance(group, click.Group):
        command = group.get_command(click.Context(group), words.pop(0))
        assert command is not None
        group = command
    context = click.Context(group, parent=click.Context(cli, **cli.context_settings))  # has -h
    _, unknown, _ = group.make_parser(context).parse_args(words)
    assert unknown == []
