"""
Killed at any moment, a program leaves a whole journal: all it said was recorded, nothing half.

SIGKILL is not a loss of power. What SQLite and PostgreSQL do for that is their own: the journal
asks SQLite for ``synchronous=FULL``, and leaves PostgreSQL's defaults. ``make torture`` runs ten
times as many rounds.
"""

from __future__ import annotations

import random
import re
import string
import subprocess
import sys
import time
from pathlib import Path

import pytest
import sqlalchemy as sa

from palmares.core.errors import StoreError
from palmares.journal.store.journal import Journal, create_journal, open_journal
from palmares.journal.store.verify import verify
from palmares.journal.transfer import export
from tests.amounts import amount
from tests.databases import KINDS, Fresh, served, stopped_and_started
from tests.journal.filled import DIRECTOR, OFFICER, player, report
from tests.journal.programs import PLAYERS, heard, importing, reporting, started

ROUNDS = amount(500)
ENTRIES = len(PLAYERS) + 1
"""Of a report and its players, in one transaction."""


@pytest.fixture
def chance() -> random.Random:
    """Moments to kill at."""
    return random.Random("crashes")  # noqa: S311


def settled(journal: Journal) -> None:
    """Wait until PostgreSQL has noticed who was killed: a COMMIT that he sent may still be done."""
    if journal.database.engine.dialect.name != "postgresql":
        return
    at_work = sa.text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND pid <> pg_backend_pid() AND state <> 'idle'"
    )
    with journal.database.engine.connect() as connection:
        while connection.execute(at_work).scalar():
            connection.rollback()  # what a transaction has seen of others stays as it was
            time.sleep(0.01)


def test_a_program_that_reports_is_killed(journal: Journal, chance: random.Random) -> None:
    before = 0
    acknowledged = 0
    for number in range(ROUNDS):
        process, hear = started(reporting, journal.url, 1000 * number)
        first = hear.recv()
        time.sleep(chance.expovariate(1 / 0.03))
        process.kill()
        said = [first, *heard(hear)]
        process.join()
        settled(journal)
        with journal.reading() as reader:
            after = verify(reader).head.sequence
        assert said == list(range(before + ENTRIES, said[-1] + 1, ENTRIES))
        assert after in (said[-1], said[-1] + ENTRIES)  # the last may not have been able to say so
        before = after
        acknowledged += len(said)
    assert acknowledged >= ROUNDS


REPORT = """
[tournament]
name = "Open {number}"
discipline = "backgammon"
end_date = 2019-11-10

[[event]]
name = "Championship"
kind = "championship"
entry_fee = 100
national_championship = true

[event.main]
entrants = 8
placings = \"\"\"
1    Ada {word} (CZE)
2    Ben {word} (GER)
3    Cy {word} (SWE)
\"\"\"
"""
RECORDED = re.compile("Recorded as entries ([0-9]+) to ([0-9]+)")


def test_the_command_that_adds_is_killed(
    journal: Journal, tmp_path: Path, chance: random.Random
) -> None:
    """Killed while it starts, reads, records, or just behind; then it is said once more."""
    before = 0
    for number in range(max(1, ROUNDS // 4)):
        path = tmp_path / f"{number}.toml"
        word = "".join(chance.choices(string.ascii_lowercase, k=12)).title()
        path.write_text(REPORT.format(number=number, word=word), encoding="utf-8")
        command = [sys.executable, "-m", "palmares", "add", str(path), "--yes"]
        command += ["--journal", journal.url, "--author", "Ada"]
        told = killed(command, chance.uniform(0, 2))
        with journal.reading() as reader:
            after = verify(reader).head.sequence
        assert after in (before, before + 4)
        if found := RECORDED.search(told):
            assert [int(found[1]), int(found[2]), after] == [before + 1, before + 4, before + 4]

        subprocess.run(command, check=True, capture_output=True)
        with journal.reading() as reader:
            before += 4
            assert verify(reader).head.sequence == before


def killed(command: list[str], after: float) -> str:
    """What a program said until it was killed, or had ended."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        try:
            told, _ = process.communicate(timeout=after)
        except subprocess.TimeoutExpired:
            process.kill()
            told, _ = process.communicate()
    return told.decode(errors="replace")


@pytest.fixture(scope="module")
def export_of_many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of 900 entries with names."""
    folder = tmp_path_factory.mktemp("export")
    journal = create_journal(str(folder / "many.db"))
    journal.record([player(f"P{number}", f"N{number}") for number in range(300)], OFFICER)
    for number in range(150):
        journal.record(report(number), DIRECTOR)
    with journal.reading() as reader:
        export(reader, folder / "many.jsonl")
    journal.close()
    return folder / "many.jsonl"


@pytest.mark.parametrize("kind", KINDS)
def test_an_import_is_killed(fresh_url: Fresh, kind: str, export_of_many: Path) -> None:
    """It takes a third of a second or so: some are killed before, some behind the commit."""
    url = fresh_url(kind)
    journal = create_journal(url)
    outcomes = []
    for number in range(ROUNDS):
        process, hear = started(importing, url, export_of_many)
        hear.recv()
        time.sleep(0.5 * number / ROUNDS)
        process.kill()
        said = heard(hear)
        process.join()
        with journal.reading() as reader:
            found = verify(reader)
        assert found.head.sequence in ((750,) if said else (0, 750))
        assert found.names == {0: 0, 750: 600}[found.head.sequence]
        outcomes.append(found.head.sequence)
        if found.head.sequence:
            journal.close()
            url = fresh_url(kind)
            journal = create_journal(url)
    journal.close()
    assert 0 in outcomes


# ── the server goes away ─────────────────────────────────────────────────────────────────────────


def test_postgresql_itself_is_stopped_at_once(chance: random.Random) -> None:
    """It loses its processes and its memory; when it starts again, it reads its log."""
    with served() as server:
        url = server.get_uri()
        create_journal(url).close()
        before = 0
        for number in range(max(2, ROUNDS // 10)):
            process, hear = started(reporting, url, 1000 * number)
            first = hear.recv()
            time.sleep(chance.expovariate(1 / 0.05))
            stopped_and_started(server, mode="immediate")
            said = [first, *heard(hear)]
            process.join()
            assert process.exitcode == 1
            journal = open_journal(url)
            with journal.reading() as reader:
                after = verify(reader).head.sequence
            journal.close()
            assert said == list(range(before + ENTRIES, said[-1] + 1, ENTRIES))
            assert after in (said[-1], said[-1] + ENTRIES)
            before = after


def test_a_connection_that_was_cut(fresh_url: Fresh) -> None:
    """By an administrator, or by the network: nothing is half there, and the next one goes in."""
    journal = create_journal(fresh_url("postgresql"))
    journal.record(report(1), DIRECTOR)

    def cut(*, goes_on: bool) -> None:
        with journal.writing(OFFICER) as writer:
            writer.extend(report(2))
            number = writer.connection.exec_driver_sql("SELECT pg_backend_pid()").scalar()
            with journal.database.engine.connect() as other:
                other.exec_driver_sql(f"SELECT pg_terminate_backend({number})")
            if goes_on:
                writer.extend(report(3))

    with pytest.raises(StoreError, match="Nothing was recorded"):
        cut(goes_on=True)
    with pytest.raises(StoreError, match=r"See whether it is there|Look in the journal"):
        cut(goes_on=False)
    assert journal.head().sequence == 3
    journal.record(report(4), DIRECTOR)
    with journal.reading() as reader:
        assert verify(reader).head.sequence == 6
    journal.close()
