"""The table of settings is the one place where variables are named."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import click
import pytest

from palmares.cli import cli
from palmares.core.settings import PREFIX, SETTINGS, unknown_variables
from tests.docs.test_reference import commands
from tests.house.rules import SRC, files_under, tree_of

TABLE = SRC / "palmares" / "core" / "settings.py"


def test_no_other_file_names_a_variable() -> None:
    """Docstrings and help may; what is read must be in the table."""
    variables = {one.variable for one in SETTINGS.values()}
    for path in files_under(SRC, suffix=".py"):
        if not any(variable in path.read_text("utf-8") for variable in variables):
            continue
        texts = {node.value for node in ast.walk(tree_of(path)) if isinstance(node, ast.Constant)}
        assert path == TABLE or not variables & texts, path


def options() -> Iterator[tuple[str, click.Option]]:
    """Every option of every command, and the command."""
    for path, command in commands(cli, ""):
        for one in command.params:
            if isinstance(one, click.Option):
                yield path, one


def test_an_option_with_a_variable_is_a_setting_and_has_its_default() -> None:
    read = {}
    for path, one in options():
        if one.envvar is None:
            continue
        name = one.opts[0].removeprefix("--")
        row = SETTINGS["journal" if name == "database" else name]  # the journal start makes
        assert one.envvar == row.variable, path
        if not one.is_flag and row.default:
            assert one.default == row.default, path
        read[row.name] = one
    assert SETTINGS.keys() - read.keys() == {"secret", "rules", "fund", "cache"}


def test_every_option_of_the_site_is_a_setting() -> None:
    assert not [one.opts[0] for path, one in options() if path == " serve" and one.envvar is None]


def test_a_variable_that_says_nothing_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALMARES_RULES", "")
    assert SETTINGS["rules"].given is None


def test_a_misspelt_variable_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = unknown_variables()
    monkeypatch.setenv(f"{PREFIX}PUBLICURL", "https://rankings.example")
    assert set(unknown_variables()) - set(before) == {"PALMARES_PUBLICURL"}
