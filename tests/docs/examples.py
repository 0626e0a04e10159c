"""
The examples of README.md and docs/: which blocks a page has, and what running them prints.

    blocks      a page  ->  its fenced blocks, in order, with the line each starts on
    run         one command of a console block  ->  what it prints on both streams
    matches     what was promised  ->  whether it was printed
    NOT_RUN     the pattern of commands that no test can run  ->  why
    unknown     a command  ->  what of it `palmares` does not know

``<!-- file: report.toml -->`` above a block saves it under that name (``report.toml in cp1252``: in
that encoding) before the page goes on. In a promise, ``...`` stands for any text of a line, and
alone on a line for any number of lines.
"""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

import click
from click.testing import CliRunner

from palmares.cli import cli
from tests.docs.served import curl

ROOT = Path(__file__).parents[2]
SHELL = ("cat", "cmp", "cp", "head", "ls", "mkdir", "mv")
NOT_RUN = {
    "pip install *": "it fetches from a package index",
    "make demo": "it installs what this test runs with, then runs the tour: test_demo.py",
    "make test": "this test is part of it",
    "palmares journal verify --journal federation.db --head 3f49*": "each journal has its own head",
    "palmares completion *": "it writes into a shell's own file; test_completion.py runs it",
    "palmares rank wbgf s3://*": "it needs an object store; tests/engines has one",
    "palmares rank wbgf season * --engine spark *": "tests/engines runs it",
    "palmares serve --journal postgresql://palmares@db/*": "its host is made up",
    "palmares start": "it asks; tests/cli/test_start.py answers",
    "python3.11 -m venv *": "it fetches from a package index",
    "env/bin/venv-pack *": "it packs what was fetched",
    "export PYSPARK_PYTHON=*": "it is for a cluster",
    "spark-submit *": "it needs a cluster",
    "RUN pip install *": "it is a line of a Dockerfile",
    "/opt/palmares/bin/pip install *": "it fetches from a package index",
    "python3 -m venv /opt/palmares": "it is for a server; tests/deploy makes what follows from it",
    "useradd *": "it makes an account of the system",
    "cp palmares.service *": "it is for a server; tests/deploy runs the unit's command",
    "systemctl *": "it needs systemd",
    "journalctl *": "it needs systemd",
    "runuser *": "it needs the account of the server",
    "echo *.env": "it is for Docker; tests/deploy reads the file that it is for",
    "docker compose *": "it needs Docker",
    "pg_dump *": "its database is made up",
}
"""The commands that the pages show and no test runs, as patterns of fnmatch, and why."""
_BLOCK = re.compile(
    r"(?:^<!-- file: (?P<file>[\w./-]+)(?: in (?P<encoding>[\w-]+))? -->\n)?"
    r"^```(?P<kind>[\w{}-]*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    kind: str  # console, python, toml, ...
    text: str
    file: str | None
    encoding: str
    line: int

    def save(self, folder: Path) -> None:
        """Write the file that the block is, if it is one."""
        if self.file:
            (folder / self.file).parent.mkdir(parents=True, exist_ok=True)
            (folder / self.file).write_text(self.text, encoding=self.encoding)


def pages() -> list[Path]:
    """Every page with examples, as a path below the project."""
    found = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path.relative_to(ROOT) for path in found]


def blocks(page: Path) -> list[Block]:
    """The fenced blocks of a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return [
        Block(
            kind=one["kind"],
            text=one["text"],
            file=one["file"],
            encoding=one["encoding"] or "utf-8",
            line=text.count("\n", 0, one.start("text")) + 1,
        )
        for one in _BLOCK.finditer(text)
    ]


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """Each command of a block for a shell and what it promises to print."""
    text = re.sub(r"\\\n\s*", "", block.text)  # a command on several lines
    if block.kind == "sh":
        text = re.sub(r"^", "$ ", text.strip(), flags=re.MULTILINE)
    _, *parts = re.split(r"^\$ ", text, flags=re.MULTILINE)
    for part in parts:
        typed, _, promised = part.partition("\n")
        yield typed.split("  # ")[0].split("   #")[0].strip(), promised.strip("\n")


def why_not_run(typed: str) -> str | None:
    """The pattern of a command that no test can run; none: it is run."""
    return next((pattern for pattern in NOT_RUN if fnmatchcase(typed, pattern)), None)


def unknown(typed: str) -> list[str]:
    """The command or the options that there are not; files and values are not looked at."""
    _, *words = shlex.split(typed)
    command: click.Command | None = cli
    while isinstance(command, click.Group) and words and words[0][0] != "-":
        command = command.get_command(click.Context(command), word := words.pop(0))
        if command is None:
            return [word]
    assert command is not None
    known = {"--help", "--version", "-"}.union(*(one.opts for one in command.params))
    known = known.union(*(one.secondary_opts for one in command.params))
    return [word for word in words if word.startswith("-") and word.split("=")[0] not in known]


def run(typed: str) -> str:
    """What a command prints; a bug shows its traceback."""
    program, *given = shlex.split(typed)
    if program == "palmares":
        return CliRunner().invoke(cli, given, prog_name="palmares", catch_exceptions=False).output
    if program == "curl":
        return curl(given)
    assert program in SHELL, f"the examples run no {program}"
    done = subprocess.run([program, *given], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def matches(promised: str, printed: str) -> bool:
    """Whether what was printed is what the page promises, spaces at the ends of lines apart."""
    pattern = ""
    for line in promised.splitlines():
        if line.strip() == "...":
            pattern += r"(?:.*\n)*?"
        else:
            pattern += re.escape(line.rstrip()).replace(r"\.\.\.", ".*?") + "\n"
    lines = [line.rstrip() for line in printed.strip("\n").splitlines()]
    return re.fullmatch(pattern, "\n".join(lines) + "\n") is not None
