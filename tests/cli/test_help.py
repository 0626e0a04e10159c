"""Help of a command is there at once: nothing heavy is loaded for it."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import sys
for name in ("polars", "numpy", "litestar"):
    sys.modules[name] = None  # whoever imports it fails

import click
from click.testing import CliRunner
from palmares.cli import cli

def helped(group, before):
    context = click.Context(group)
    for name in group.list_commands(context):
        if before + [name] == ["standings"]:  # its help names the steps of its tie-breaks
            continue
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
