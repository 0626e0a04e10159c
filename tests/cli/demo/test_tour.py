"""demo --serve: a whole site in seconds, with people at its desks; nothing of it is left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from docs.gallery import PAGES, held
from palmares.cli import cli
from palmares.cli.demo import season
from palmares.cli.demo.tour import examples
from palmares.journal.store.journal import Journal, create_journal
from palmares.web.accounts import store
from palmares.web.app import site
from palmares.web.settings import Settings
from palmares.web.submissions import submissions
from tests.processes import at_the_end, free_port


def test_the_demonstration_is_served_and_leaves_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "palmares", "demo", "--serve", "--port", str(free_port())]
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    with (
        (tmp_path / "log").open("w") as log,
        at_the_end(
            subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | {"TMPDIR": str(scratch)},
            )
        ) as running,
    ):
        assert running.stdout is not None
        try:
            said = [running.stdout.readline() for _ in range(9)]
            root = said[1].partition(" ")[0]
            told = re.findall(r"  (.+), (\w+): (http://\S+/welcome/\S{43})\n", "".join(said))
            with httpx.Client(base_url=root, timeout=60) as visitor:
                rankings = visitor.get("/api/v1/rankings").json()["items"]
                shown, about = {}, held(root)
                for name, (signed_in, address) in PAGES.items():
                    if signed_in is None:
                        answer = visitor.get(address(about), follow_redirects=True)
                        shown[name] = answer.status_code
                greeted = [
                    re.findall("<h1>Welcome, (.+)</h1>", visitor.get(link).text)
                    for _, _, link in told
                ]
            assert [one.name for one in scratch.iterdir()] == [
                one.name for one in scratch.glob("palmares-demo-*")
            ]
        finally:
            running.send_signal(signal.SIGINT)
            running.wait(60)
    assert {ranking["regulation"] for ranking in rankings} == {"wbgf", "usbgf", "dptr"}
    assert {name for name, status in shown.items() if status != httpx.codes.OK} == {"problem"}
    assert [(name, role) for name, role, _ in told] == [
        (name, role) for role, name in season.PEOPLE.items()
    ]
    assert greeted == [[name] for name in season.PEOPLE.values()]
    assert list(scratch.iterdir()) == []


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Journal:
    """The journal of the demonstration, kept in a file."""
    found = create_journal(str(tmp_path_factory.mktemp("demo") / "demo.db"))
    season.record_examples(found, examples())
    return found


def test_two_lists_are_published(kept: Journal) -> None:
    with kept.reading() as reader:
        found = [one.subject for one in reader.of_kinds(["publication"])]
    assert sorted(found) == ["usbgf 2019-12-31", "wbgf 2005-12-31"]


def test_a_report_waits_and_one_is_begun(kept: Journal) -> None:
    settings = Settings(journal=kept.url, secret="0" * 64)
    accounts = site(settings).state.app_state
    tokens = season.add_people(accounts, examples())
    with kept.database.reading() as connection:
        there = store.list_all(connection)
        director = store.find_by_name(connection, season.PEOPLE["director"])
        assert director is not None
        states = {
            one.filename: one.state for one in submissions.reports_of(connection, director.id)
        }
        people = [store.invitee(connection, token, settings.clock()) for token in tokens.values()]
    assert sorted(one.name for one in there) == sorted(season.PEOPLE.values())
    assert states == {
        "2019-merit-open.toml": "submitted",
        "2004-tempest-in-a-teapot.txt": "draft",
    }
    assert None not in people


def test_a_port_alone_is_a_question() -> None:
    result = CliRunner().invoke(cli, ["demo", "--port", "8001"])
    assert result.exit_code == 2
    assert "say --serve, too" in result.output
