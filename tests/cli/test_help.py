"""Help of a command is there at once: nothing heavy is loaded for it."""

from __future__ import annotations

import re
import subprocess
import sys

import click
import pytest
from click.testing import CliRunner

from palmares.bridge.standings import TIE_BREAKS
from palmares.cli import cli

SCRIPT = """
import sys
for name in ("polars", "numpy", "litestar", "rich", "importlib.metadata", "palmares.regulations"):
    sys.modules[name] = None  # whoever imports it fails

import click
from click.testing import CliRunner
from palmares.cli import cli

def helped(group, before):
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from helped(command, before + [name])
        else:
            yield CliRunner().invoke(cli, [*before, name, "--help"])

answers = list(helped(cli, []))
print(len(answers), {answer.exit_code for answer in answers})
"""


def test_help_loads_neither_tables_nor_a_server() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    many, codes = ended.stdout.split(" ", 1)
    assert int(many) > 30
    assert codes.strip() == "{0}"


def help_of(*command: str) -> str:
    return CliRunner().invoke(cli, [*command, "--help"], terminal_width=80).output


def headings(text: str) -> list[str]:
    return [line.removesuffix(":") for line in text.splitlines() if re.fullmatch(r"\S.*:", line)]


class TestSections:
    def test_commands_stand_below_who_uses_them(self) -> None:
        text = help_of()
        assert headings(text) == [
            "Options",
            "Start here",
            "Players",
            "Directors",
            "Officers",
            "Administrators and developers",
        ]
        players = text.partition("\nPlayers:")[2].partition("\nDirectors:")[0]
        assert "  explain " in players
        assert "  serve " not in players

    def test_own_options_first_and_those_of_engines_last(self) -> None:
        text = help_of("rank")
        assert headings(text)[0] == "Options"
        assert headings(text)[-1].startswith("Engine options")
        own = text.partition("\nOptions:")[2].partition("\nOutput:")[0]
        engines = text.partition("\nEngine options")[2]
        assert "--top" in own
        assert "--help" in own
        assert "--engine" not in own
        assert all(f"--{name}" in engines for name in ("engine", "memory", "workers", "scratch"))

    def test_a_required_journal_is_an_option_like_others(self) -> None:
        assert "--journal" in help_of("journal", "erase").partition("\nOutput:")[0]

    def test_every_option_stands_once(self) -> None:
        text = help_of("publish")
        publish = cli.get_command(click.Context(cli), "publish")
        assert publish is not None
        for param in publish.params:
            if isinstance(param, click.Option):
                assert len(re.findall(rf"^  (-\w, )?{param.opts[-1]} ", text, re.MULTILINE)) == 1

    def test_help_of_standings_names_every_tie_break(self) -> None:
        words = re.sub(r"\s+", "", help_of("standings"))
        assert f"allofthem:{','.join(TIE_BREAKS)}." in words


class TestDidYouMean:
    @pytest.mark.parametrize(
        ("typed", "meant"),
        [
            (("rnak",), "No such command 'rnak'. Did you mean 'rank'?"),
            (("journal", "undoo"), "No such command 'undoo'. Did you mean 'undo'?"),
            (("merge", "P1"), "No such command 'merge'. Did you mean 'cli player merge'?"),
            (("undo", "5"), "No such command 'undo'. Did you mean 'cli journal undo'?"),
            (
                ("list",),
                "Did you mean 'cli event list' or 'cli member list'?",
            ),
            (
                ("member", "add", "P1", "usbgf", "--start", "2019-01-01"),
                "No such option '--start'. Did you mean '--from'?",
            ),
            (
                ("member", "add", "P1", "usbgf", "--end", "2019-01-01"),
                "No such option '--end'. Did you mean '--to'?",
            ),
            (("rank", "--asof", "x"), "No such option '--asof'. Did you mean '--as-of'?"),
            (
                ("rank", "usbfg", "examples/usbgf"),
                "There is no regulation usbfg. Did you mean usbgf? There are: wbgf, usbgf,",
            ),
            (
                ("rank", "usbgf-streaming", "examples/usbgf"),
                "usbgf-streaming awards nothing to players. Those that award points: wbgf, usbgf,",
            ),
            (("rank", "DPTR", "examples/usbgf"), "Did you mean dptr?"),
            (
                ("rank", "usbgf", "examples/usbgf", "--edition", "2019"),
                "usbgf has no edition 2019. Did you mean 2019-01? There are: 2015-05, 2019-01.",
            ),
            (
                ("regulations", "usbgf", "--edition", "219-01"),
                "usbgf has no edition 219-01. Did you mean 2019-01?",
            ),
            (
                ("explain", "usbgf", "examples/usbgf", "--player", "Alan Grunwold"),
                "No player has the id or the name Alan Grunwold. Did you mean Alan Grunwald",
            ),
        ],
    )
    def test_what_is_alike_is_named(self, typed: tuple[str, ...], meant: str) -> None:
        result = CliRunner().invoke(cli, typed)
        assert result.exit_code != 0
        assert meant in result.output

    def test_an_edition_that_is_not_there_ends_every_command_alike(self) -> None:
        for words in (["regulations", "usbgf"], ["award", "usbgf", "examples/usbgf"]):
            assert CliRunner().invoke(cli, [*words, "--edition", "2019"]).exit_code == 1

    def test_nothing_is_guessed_where_nothing_is_alike(self) -> None:
        assert "Did you mean" not in CliRunner().invoke(cli, ["xyzzy"]).output


WITHOUT_JOURNAL = """
import sys
sys.modules["sqlalchemy"] = None  # palmares[journal] is not installed

from click.testing import CliRunner
from palmares.cli import cli

for command in (["publish"], ["verify"], ["publication"], ["publication", "show"]):
    print(CliRunner().invoke(cli, [*command, "--help"]).output.splitlines()[0])
"""


def test_help_of_published_lists_needs_no_extra() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", WITHOUT_JOURNAL], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert [line.split(" [")[0] for line in ended.stdout.splitlines()] == [
        "Usage: cli publish",
        "Usage: cli verify",
        "Usage: cli publication",
        "Usage: cli publication show",
    ]
