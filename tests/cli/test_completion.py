"""The Tab key: what it proposes, and that Bash takes it."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from palmares.cli import cli
from tests.journal.reports import prague
from tests.packages import run, write

EXAMPLES = Path(__file__).parents[2] / "examples"
ANDY = ("history", "dptr", EXAMPLES / "diplomacy", "--player")


def proposed(*typed: object) -> list[str]:
    *before, last = map(str, typed)
    found = ShellComplete(cli, {}, "palmares", "_PALMARES_COMPLETE").get_completions(before, last)
    return [item.value for item in found]


class TestProposals:
    """'documented completion that completes regulations, editions, players'"""

    def test_commands_and_options(self) -> None:
        assert proposed("ra") == ["rank"]
        assert proposed("journal", "er") == ["erase"]
        assert "--known-at" in proposed("rank", "wbgf", "--k")

    def test_regulations(self) -> None:
        assert proposed("regulations", "D") == ["dptr"]
        assert proposed("regulations", "us") == ["usbgf", "usbgf-streaming"]

    def test_regulations_that_award_points_where_points_are_asked_for(self) -> None:
        assert proposed("rank", "w") == ["wbgf"]
        assert proposed("diff", "us") == ["usbgf"]
        assert proposed("check", EXAMPLES, "--for", "us") == ["usbgf"]
        assert proposed("journal", "levels", "us") == ["usbgf"]

    @pytest.mark.parametrize("before", [("rank", "usbgf"), ("regulations", "usbgf")])
    def test_editions_of_the_regulation_on_the_line(self, before: tuple[str, ...]) -> None:
        assert proposed(*before, "--edition", "") == ["2015-05", "2019-01"]
        assert proposed(*before, "--edition", "2019") == ["2019-01"]

    def test_editions_of_no_regulation(self) -> None:
        assert proposed("rank", "nonesuch", "--edition", "") == []

    def test_players_of_the_files_on_the_line(self) -> None:
        assert proposed(*ANDY, "and") == ["Andrew NEUMANN", "Andy BARTALONE"]
        assert proposed(*ANDY, "Andy BAR") == ["Andy BARTALONE"]
        assert proposed("explain", "dptr", "nonesuch", "--player", "A") == []
        assert proposed("explain", "dptr", "--player", "A") == []

    def test_players_of_one_name_by_their_ids(self, tmp_path: Path) -> None:
        package = write(
            tmp_path / "p",
            players="player_id,name,nation,withheld\na1,Ada Novak,CZE,\na2,Ada Novak,DEU,\n"
            "a3,Ada Lind,,\na4,Ada Secret,,yes\n",
        )
        assert proposed("explain", "wbgf", package, "--player", "a") == [
            "Ada Lind",
            "a3",
            "a1",
            "a2",
        ]

    def test_players_of_a_journal(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        journal = str(tmp_path / "prague.db")
        run("journal", "init", journal)
        run("add", prague(tmp_path), "--journal", journal, "--yes")
        assert proposed("journal", "erase", "--journal", journal, "Ada") == ["Ada Novak"]
        assert proposed("player", "merge", "--journal", journal, "P1", "B") == ["Ben Ode"]
        monkeypatch.setenv("PALMARES_JOURNAL", journal)
        assert proposed("explain", "wbgf", "--player", "P") == ["P1", "P2", "P3", "P4"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_asks_palmares(shell: str) -> None:
    printed = run("completion", shell).stdout
    assert f"_PALMARES_COMPLETE={shell}_complete" in printed
    assert "_palmares_completion" in printed


HOSTILE = "Ada $(touch x) `id` 'O\"Neil\\\\"


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_bash_gets_a_name_as_one_would_type_it(tmp_path: Path, quote: str) -> None:
    """What stands on the line afterwards is one word, the name, and nothing that is run."""
    cells = HOSTILE.replace('"', '""')
    write(tmp_path / "p", players=f'player_id,name\na,"{cells}"\n')
    palmares = tmp_path / "palmares"
    palmares.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m palmares "$@"\n')
    palmares.chmod(0o755)
    script = f"""
        eval "$(palmares completion bash)"
        COMP_WORDS=(palmares explain wbgf p --player {shlex.quote(quote + "Ada")})
        COMP_CWORD=5
        _palmares_completion palmares
        printf '%s' "${{COMPREPLY[@]}}"
    """
    found = subprocess.run(
        ["bash", "-c", script],  # noqa: S607  wherever it is
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    typed = f"{quote}{found.stdout}{quote}"
    echoed = subprocess.run(
        ["bash", "-c", f"printf '%s|' {typed}"],  # noqa: S607
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert echoed.stdout == f"{HOSTILE}|"
    assert not (tmp_path / "x").exists()
