"""palmares journal: init, log, show, verify, export, import."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import Result

from palmares.journal.store.journal import open_journal
from tests.databases import Fresh
from tests.journal.filled import filled
from tests.packages import run as ran


@pytest.fixture
def url(journal_url: str) -> str:
    """A journal of ten entries, once in each kind of database."""
    filled(journal_url).close()
    return journal_url


@pytest.fixture
def file(fresh_url: Fresh) -> str:
    """The same in a file of SQLite."""
    path = fresh_url("sqlite")
    filled(path).close()
    return path


def journal(command: str, *given: object) -> Result:
    return ran("journal", command, *given)


def head(url: str) -> str:
    found = open_journal(url)
    try:
        return found.head().hash
    finally:
        found.close()


# ── init ─────────────────────────────────────────────────────────────────────────────────────────


def test_init_makes_a_journal_once(journal_url: str) -> None:
    assert journal("init", journal_url).output.endswith(": a journal, no entries yet.\n")
    filled(journal_url).close()
    again = journal("init", journal_url)
    assert again.exit_code == 0
    assert again.output.endswith(": a journal, 10 entries.\n")


def test_init_asks_where(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PALMARES_JOURNAL", raising=False)
    result = journal("init")
    assert result.exit_code == 2
    assert "Missing argument 'URL'" in result.output
    assert "PALMARES_JOURNAL" in result.output


def test_init_makes_the_journal_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    monkeypatch.setenv("PALMARES_JOURNAL", str(two))
    assert journal("init", one).exit_code == 0
    assert (one.exists(), two.exists()) == (True, False)


def test_the_environment_names_the_journal(file: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PALMARES_JOURNAL", file)
    for command in ("init", "log", "verify"):
        assert journal(command).exit_code == 0


@pytest.mark.parametrize("command", ["log", "verify", "show 1", "export x.jsonl", "import x.jsonl"])
def test_where_there_is_no_journal(command: str, tmp_path: Path) -> None:
    result = ran("journal", *command.split(), "--journal", tmp_path / "none.db")
    assert result.exit_code == 1
    assert result.output.startswith("Error: There is no journal at ")
    assert list(tmp_path.iterdir()) == []


def test_where_nothing_can_be_made(tmp_path: Path) -> None:
    result = journal("init", tmp_path / "no" / "such" / "folder.db")
    assert result.exit_code == 1
    assert "No such file or directory. Nothing was recorded." in result.output


# ── log and show ─────────────────────────────────────────────────────────────────────────────────


def logged(url: str, *given: object) -> list[int]:
    result = journal("log", "--journal", url, "--format", "json", *given)
    assert result.exit_code == 0, result.output
    return [row["sequence"] for row in json.loads(result.stdout)]


def test_log_shows_the_newest_first(url: str) -> None:
    assert logged(url) == [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]
    assert logged(url, "--limit", 2) == [10, 9]
    assert logged(url, "--limit", 10**30) == list(range(10, 0, -1))
    assert logged(url, "--kind", "report") == [9, 3]
    assert logged(url, "--subject", "T1-b") == [5, 2]
    assert logged(url, "--author", "Otto Officer") == [5, 4]
    assert logged(url, "--since", "#3", "--until", "#5") == [5, 4, 3]
    assert logged(url, "--until", "1999-12-31") == []
    assert logged(url, "--since", "2199-12-31") == []
    assert logged(url, "--since", "1999-12-31", "--until", "2199-12-31T00:00:00Z")[0] == 10
    assert logged(url, "--kind", "merge") == []


def test_log_says_who(url: str) -> None:
    result = journal("log", "--journal", url)
    lines = result.stdout.splitlines()
    assert lines[0].split() == [
        "entry", "recorded", "(UTC)", "author", "role", "kind", "subject", "what",
    ]  # fmt: skip
    assert lines[4].endswith("T2-b     Ünal b of 2 [T2-b] (CZE)")
    assert lines[6].endswith("T1-b     Ünal b of 1 [T1-b] (GER)")
    assert lines[1].endswith("asked")
    assert "Ünal a of 1" not in result.output


def test_log_tells_that_there_is_more(file: str) -> None:
    more = "There are earlier entries: --limit shows more."
    assert more in journal("log", "--journal", file, "--limit", 9).output
    assert more not in journal("log", "--journal", file, "--limit", 10).output


@pytest.mark.parametrize("option", ["--since", "--until"])
@pytest.mark.parametrize("when", ["yesterday", "2019-02-30", "#0", "#11", "2019-01-01T00:00"])
def test_log_of_no_day(file: str, option: str, when: str) -> None:
    result = journal("log", "--journal", file, option, when)
    assert result.exit_code == 1
    assert result.output.startswith("Error: ")


def test_log_of_no_kind(file: str) -> None:
    result = journal("log", "--journal", file, "--kind", "gossip")
    assert result.exit_code == 1
    assert "There is no entry of the kind gossip: report, withdrawal" in result.output


def test_show_has_all_an_entry_says(url: str) -> None:
    told = journal("show", 7, "--journal", url).output
    assert told.startswith("Entry 7: Ünal b of 2 [T2-b] (CZE)\n")
    assert "\nauthor    Dita Ředitelka, director\n" in told
    assert "\nname      Ünal b of 2 (seal " in told
    assert '\n  "player_id": "T2-b",\n' in told


def test_show_of_somebody_erased(url: str) -> None:
    for entry in (1, 10):
        told = journal("show", entry, "--journal", url).output
        assert "\nname      not here (seal " in told
        assert "Ünal" not in told


def test_show_spells_out_what_a_terminal_would_act_on(url: str) -> None:
    told = journal("show", 9, "--journal", url).output
    assert "Пражский Open 𝔓 \\u2028" in told
    assert "\u2028" not in told


def test_an_entry_is_named_with_its_sign_too(file: str) -> None:
    assert (
        journal("show", "#7", "--journal", file).output
        == journal("show", "7", "--journal", file).output
    )


@pytest.mark.parametrize("entry", ["0", "#", "#x", "abc", "1" * 30])
def test_what_is_no_number_of_an_entry(file: str, entry: str) -> None:
    result = journal("show", entry, "--journal", file)
    assert result.exit_code == 2
    assert f"'{entry}' is not the number of an entry; write it like 57 or '#57'." in result.output


def test_show_of_no_entry(file: str) -> None:
    result = journal("show", 11, "--journal", file)
    assert result.exit_code == 1
    assert result.output == "Error: There is no entry 11 in this journal.\n"


# ── verify ───────────────────────────────────────────────────────────────────────────────────────


def test_verify_says_what_it_found(url: str) -> None:
    result = journal("verify", "--journal", url, "--head", head(url))
    assert result.exit_code == 0
    first, names, last = result.output.splitlines()
    assert first.endswith(" is intact: 10 entries.")
    assert names == "Names: 4 as they were sealed, 1 erased."
    assert last == f"Head: {head(url)}"


def test_verify_lists_every_fault(file: str) -> None:
    connection = sqlite3.connect(file)
    connection.execute("DROP TRIGGER entries_no_update")
    connection.execute("UPDATE entries SET author = 'Somebody Else' WHERE sequence IN (2, 4)")
    connection.commit()
    connection.close()
    result = journal("verify", "--journal", file)
    assert result.exit_code == 1
    told = [line.split(": ")[0] for line in result.stdout.splitlines() if line[0] != " "]
    assert told == ["database", "entry 2", "entry 4"]
    assert f"Error: 3 faults: {file} is damaged.\n" in result.output


def test_verify_asks_for_a_head(file: str) -> None:
    assert journal("verify", "--journal", file, "--head", "f" * 64).exit_code == 1
    result = journal("verify", "--journal", file, "--head", "3f49")
    assert result.exit_code == 2
    assert "a head has 64 characters 0-9a-f" in result.output


# ── a journal that was changed by other means ────────────────────────────────────────────────────

NORDIC = "examples/backgammon/2008-nordic-open.toml"
CHANGES = {
    "a report": "UPDATE entries SET body = replace(body, '2008', '2007') WHERE kind = 'report'",
    "an author": "UPDATE entries SET author = 'Somebody Else' WHERE sequence = 3",
    "a name": "UPDATE persons SET record = replace(record, 'Tassilo', 'Tassili')",
    "names gone": "DELETE FROM persons",
    "the first gone": "DELETE FROM entries WHERE sequence = 1",
    "one gone": "DELETE FROM entries WHERE sequence = 3",
    "the last gone": "DELETE FROM entries WHERE sequence = 4",
    "all gone": "DELETE FROM entries",
}
ASKED = (
    ("rank", "wbgf", "--as-of", "2009-01-01"),
    ("explain", "wbgf", "--player", "P1", "--as-of", "2009-01-01"),
    ("journal", "log"),
    ("player", "find", "Rzymann"),
    ("add", "examples/backgammon/2011-dubrovnik-open.toml", "--author", "Ada", "--yes"),
    ("publish", "wbgf", "--as-of", "2010-01-01", "--author", "Ada", "--yes"),
    ("journal", "undo", "3", "--reason", "mistaken", "--author", "Ada", "--yes"),
    ("journal", "export", "-"),
)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a journal of four entries: two players, a report, a rate."""
    folder = tmp_path_factory.mktemp("recorded")
    by = ("--journal", folder / "f.db", "--author", "Ada", "--yes")
    journal("init", folder / "f.db")
    assert ran("add", NORDIC, *by).exit_code == 0
    assert journal("rate", "XAF", "2008-01-01", "0.7", *by).exit_code == 0
    return folder


@pytest.mark.parametrize("change", CHANGES)
def test_nothing_is_built_on_what_was_changed(
    recorded: Path, tmp_path: Path, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = shutil.copytree(recorded, tmp_path / "f") / "f.db"
    monkeypatch.setenv("PALMARES_JOURNAL", str(path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with sqlite3.connect(path) as connection:
        for verb in ("update", "delete"):
            connection.execute(f"DROP TRIGGER entries_no_{verb}")
        connection.execute(CHANGES[change])
    for asked in ASKED:
        result = ran(*asked)
        assert result.exit_code == 1, (asked, result.output)
        wrong = "changed by other means", "was recorded here", "the journal is not valid"
        assert any(each in result.stderr for each in wrong), (asked, result.stderr)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM entries").fetchone()[0] <= 4


# ── export and import ────────────────────────────────────────────────────────────────────────────


def test_there_and_back(url: str, fresh_url: Fresh, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    result = journal("export", path, "--journal", url)
    assert result.output == f"{path}: 10 entries. Head: {head(url)}\n"

    other = fresh_url("sqlite")
    journal("init", other)
    result = journal("import", path, "--journal", other)
    assert result.output == f"Added 10 entries and 4 names.\nHead: {head(url)}\n"
    result = journal("import", path, "--journal", other)
    assert result.exit_code == 0
    assert result.output.startswith("Nothing to add: all 10 entries are there already.\n")
    assert journal("export", "-", "--journal", other).stdout_bytes == path.read_bytes()


def test_without_names(file: str, fresh_url: Fresh, tmp_path: Path) -> None:
    told = journal("export", "-", "--journal", file, "--without-names").stdout
    (tmp_path / "chain.jsonl").write_text(told, encoding="utf-8")
    other = fresh_url("sqlite")
    journal("init", other)
    journal("import", tmp_path / "chain.jsonl", "--journal", other)
    assert journal("verify", "--journal", other).output.splitlines()[1:3] == [
        "Names: 0 as they were sealed, 1 erased.",
        "Not here: 4 names, as after an import without names.",
    ]
    assert told.count("\n") == 17
    assert "Ünal" not in told


def test_import_tells_every_problem(file: str, fresh_url: Fresh, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    journal("export", path, "--journal", file)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[:5]) + "junk\n", encoding="utf-8")
    other = fresh_url("sqlite")
    journal("init", other)
    result = journal("import", path, "--journal", other)
    assert result.exit_code == 1
    assert "Error: 2 problems, nothing was recorded." in result.output
    assert f"\n{path}:6: It is no line of an export. [journal line]\n" in result.output
    assert f"\n{path}:6: The last line is missing: the file was cut off." in result.output
    assert logged(other) == []


def test_nobody_imports_without_a_name(file: str, tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    journal("export", path, "--journal", file)
    result = journal("import", path, "--journal", file, "--author", " ")
    assert result.exit_code == 1
    assert "The name of an author has 1 to 200 characters" in result.output


def test_a_reader_who_goes_away_is_no_error(file: str) -> None:
    command = [sys.executable, "-m", "palmares", "journal", "export", "-", "--journal", file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
