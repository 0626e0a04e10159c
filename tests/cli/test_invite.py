"""invite: an account of the site without the site."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from palmares.cli.serve import open_site
from palmares.core.errors import Refused
from palmares.journal.store.journal import create_journal, open_journal
from palmares.web.accounts import store
from tests.packages import run


@pytest.fixture
def journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An empty journal that every command uses; no site was ever made on it."""
    monkeypatch.setenv("PALMARES_JOURNAL", str(tmp_path / "federation.db"))
    monkeypatch.delenv("PALMARES_PUBLIC_URL", raising=False)
    create_journal(str(tmp_path / "federation.db")).close()
    return str(tmp_path / "federation.db")


def invited(journal: str, printed: str) -> store.AccountRecord | None:
    """Whom the link in a printed line is for; none is refused."""
    token = re.findall(r"/welcome/(\S{43})\n", printed)[0]
    found = open_journal(journal)
    try:
        accounts = open_site(found)
        with accounts.database.reading() as connection:
            return store.invitee(connection, token, accounts.clock())
    finally:
        found.close()


def test_a_link_for_a_new_account(journal: str) -> None:
    result = run("invite", "Otto Lind")
    assert result.exit_code == 0
    assert result.stdout.startswith("Otto Lind, officer: http://127.0.0.1:8000/welcome/")
    person = invited(journal, result.stdout)
    assert person is not None
    assert (person.name, person.role, person.password) == ("Otto Lind", "officer", None)


def test_the_link_leads_to_the_port_of_the_site(
    journal: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "http://127.0.0.1:8080/welcome/" in run("invite", "Otto Lind", "--port", "8080").stdout
    monkeypatch.setenv("PALMARES_PORT", "8090")
    assert "http://127.0.0.1:8090/welcome/" in run("invite", "Otto Lind").stdout


def test_another_link_ends_the_first(journal: str) -> None:
    first = run("invite", "Otto Lind").stdout
    second = run("invite", "OTTO lind", "--public-url", "https://rankings.example")
    assert "OTTO lind, officer: https://rankings.example/welcome/" in second.stdout
    person = invited(journal, second.stdout)
    assert person is not None
    assert person.name == "Otto Lind"
    with pytest.raises(Refused):
        invited(journal, first)


def test_what_is_refused(journal: str) -> None:
    run("invite", "Dita Marek", "--role", "director")
    other = run("invite", "Dita Marek")
    assert other.exit_code == 1
    assert "Dita Marek has an account as director." in other.stderr
    assert "that can be seen" in run("invite", " ").stderr
    nowhere = run("invite", "Otto Lind", "--journal", "nowhere.db")
    assert nowhere.exit_code == 1
    assert "There is no journal at nowhere.db" in nowhere.stderr
