"""palmares player: find, suggestions, merge, apart, split, add, edit."""

from __future__ import annotations

import json
from typing import Any

import pytest
from click.testing import Result

from palmares.journal.store.entries import Entry
from palmares.journal.store.journal import Journal, create_journal, open_journal
from tests.databases import CopyOf
from tests.journal.naming import handed_in
from tests.packages import run

ADA, SHORT, BEN = ("Ada Novak", "CZE"), ("A. Novak", "CZE"), ("Ben Ode", None)


def two_championships(url: str) -> Journal:
    """Of EUR 100; P1 Ada Novak, P2 Ben Ode, P3 A. Novak: entries 1 to 5."""
    journal = create_journal(url)
    handed_in(journal, ("T", "2019-11-15", [ADA, BEN]), ("U", "2019-12-15", [SHORT, BEN]))
    return journal


@pytest.fixture
def url(copy_url: CopyOf, monkeypatch: pytest.MonkeyPatch) -> str:
    """The two championships, in each kind of database."""
    url = copy_url(two_championships)
    monkeypatch.setenv("PALMARES_JOURNAL", url)
    monkeypatch.setenv("PALMARES_AUTHOR", "Otto Officer")
    return url


def player(*given: object) -> Result:
    return run("player", *given)


def last(url: str) -> Entry:
    """The last entry."""
    journal = open_journal(url)
    try:
        with journal.reading() as reader:
            return reader.entry(reader.head().sequence)
    finally:
        journal.close()


def found(*given: object) -> list[dict[str, Any]]:
    """The rows of a list as JSON."""
    result = player(*given, "--format", "json")
    assert result.exit_code == 0, result.output
    rows: list[dict[str, Any]] = json.loads(result.stdout)
    return rows


# ── looking ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "by"),
    [
        ("P1", [("P1", "id")]),
        ("Ada Novak", [("P1", "name"), ("P3", "similar name")]),
        ("nova", [("P3", "part of the name"), ("P1", "part of the name")]),
        ("ova", [("P3", "part of the name"), ("P1", "part of the name")]),
        ("NOVÁK", [("P3", "part of the name"), ("P1", "part of the name")]),
        ("Adda Novack", [("P1", "similar name"), ("P3", "similar name")]),
    ],
)
def test_who_is_found_and_by_what(url: str, text: str, by: list[tuple[str, str]]) -> None:
    del url
    assert [(row["player_id"], row["by"]) for row in found("find", text)] == by


def test_what_is_told_of_a_player(url: str) -> None:
    del url
    run("member", "add", "P1", "usbgf", "--from", "2019-01-01", "--level", "Basic", "--yes")
    player("edit", "P1", "--id", "usbgf=17", "--withheld", "--yes")
    player("merge", "P3", "P1", "--reason", "asked her", "--yes")
    (row,) = found("find", "17")
    assert row == {
        "player_id": "P1",
        "name": "Ada Novak (withheld)",
        "nation": "CZE",
        "ids": "usbgf=17",
        "tournaments": 2,
        "first_day": "2019-11-15",
        "last_day": "2019-12-15",
        "memberships": "usbgf Basic from 2019-01-01",
        "merged": "P3",
        "by": "usbgf id",
    }
    assert [row["by"] for row in found("find", "P3")] == ["id of P3, merged into them"]
    assert [row["by"] for row in found("find", "A. Novak")] == ["name of P3, merged into them"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("77", ["P1", "P3"]),
        ("usbgf=77", ["P1"]),
        ("USBGF = 77", ["P1"]),
        ("wbgf=77", ["P3"]),
        ("a=b", ["P2"]),  # an id that has the sign itself
        ("wbgf=a=b", ["P2"]),
    ],
)
def test_an_id_elsewhere(url: str, text: str, ids: list[str]) -> None:
    del url
    player("edit", "P1", "--id", "usbgf=77", "--yes")
    player("edit", "P3", "--id", "wbgf=77", "--yes")
    player("edit", "P2", "--id", "wbgf=a=b", "--yes")
    assert [row["player_id"] for row in found("find", text)] == ids


def test_nobody_has_that_id_of_that_federation(url: str) -> None:
    del url
    player("edit", "P1", "--id", "usbgf=77", "--yes")
    assert player("find", "dptr=77").exit_code == 1


def test_what_was_known_before(url: str) -> None:
    del url
    player("edit", "P1", "--name", "Ada Horvat", "--yes")
    assert found("find", "Ada Novak")[0]["by"] == "earlier name"
    assert found("find", "Ada Novak", "--known-at", "#5")[0]["name"] == "Ada Novak"


def test_nobody_is_found(url: str) -> None:
    del url
    result = player("find", "Zoe Quist")
    assert (result.exit_code, result.output) == (
        1, "Error: No player has an id or a name like Zoe Quist.\n",
    )  # fmt: skip


def test_suggestions_come_with_the_commands_that_decide(url: str) -> None:
    (pair,) = found("suggestions")
    assert (pair["player_id"], pair["other_id"], pair["score"]) == ("P1", "P3", 88)
    printed = player("suggestions").output
    assert "\npalmares player merge P3 P1 --reason ..." in printed
    assert "\npalmares player apart P3 P1 --reason ..." in printed
    assert found("suggestions", "--min-score", "90") == []
    assert player("apart", "P3", "P1", "--reason", "mother and daughter", "--yes").exit_code == 0
    assert last(url).read() == {"players": ["P1", "P3"], "reason": "mother and daughter"}
    assert player("suggestions").output == "There are no possible duplicates.\n"


# ── deciding ─────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_recorded_unless_somebody_agrees(url: str) -> None:
    result = player("merge", "P3", "P1", "--reason", "asked her")
    assert result.exit_code == 1
    assert "To be recorded: 1 merge." in result.output
    assert "Add --yes to go on." in result.output
    assert last(url).sequence == 5


def test_a_merge_shows_what_points_it_moves(url: str) -> None:
    """Two players, EUR 100: 10 G F = 10, and 140/11 for the first, 80/11 for the second."""
    result = player("merge", "A. Novak", "Ada Novak", "--reason", "asked her", "--yes")
    assert result.exit_code == 0
    assert "merged A. Novak [P3] into Ada Novak [P1]: asked her" in result.output
    told = [line.split() for line in result.output.splitlines() if "12.73" in line]
    assert told == [
        ["Ada", "Novak", "12.73", "12.73"], ["A.", "Novak", "12.73", "-12.73"],
    ]  # fmt: skip
    entry = last(url)
    assert (entry.author, entry.kind, entry.subject) == ("Otto Officer", "merge", "P3")


def test_a_merge_is_undone_by_a_split(url: str) -> None:
    player("merge", "P3", "P1", "--reason", "asked her", "--yes")
    assert player("split", "P3", "--reason", "it was her mother", "--yes").exit_code == 0
    assert last(url).read() == {"undoes": 6, "reason": "it was her mother"}


def test_somebody_else_played(url: str) -> None:
    given = ("--tournament", "U", "--reason", "a namesake", "--yes")
    assert player("split", "Ben Ode", *given, "--nation", "GER").exit_code == 0
    assert last(url).read()["player"] == {"from": "P2", "to": "P4"}
    rows = [(row["player_id"], row["nation"], row["tournaments"]) for row in found("find", "Ben")]
    assert rows == [("P2", None, 1), ("P4", "DEU", 1)]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (("merge", "P1", "P2", "--reason", "x", "--yes"), "is placed twice"),
        (("merge", "P1", "P9", "--reason", "x", "--yes"), "No player has the id or the name P9"),
        (("split", "P1", "--reason", "x", "--yes"), "P1 was not merged into another"),
        (("split", "P1", "--into", "P2", "--reason", "x"), "Name the tournaments"),
        (
            ("split", "P1", "--tournament", "T", "--into", "P2", "--name", "X", "--reason", "x"),
            "not both",
        ),
        (("edit", "P1", "--id", "17"), "write it like usbgf=12345"),
        (("edit", "P1", "--nation", "XYZ", "--yes"), "XYZ"),
        (("merge", "P1", "P3"), "Missing option '--reason'"),
    ],
)
def test_what_is_refused_is_told_plainly(url: str, given: tuple[str, ...], told: str) -> None:
    result = player(*given)
    assert result.exit_code in (1, 2)
    assert told in result.output
    assert "Traceback" not in result.output
    assert last(url).sequence == 5


# ── records ──────────────────────────────────────────────────────────────────────────────────────


def test_a_player_is_added_and_mended(url: str) -> None:
    assert player("add", "Dee Rix", "--nation", "GER", "--id", "wbgf=5", "--yes").exit_code == 0
    assert last(url).read()["nation"] == "DEU"
    assert player("edit", "P4", "--withheld", "--nation", "", "--yes").exit_code == 0
    body = last(url).read()
    assert (body["withheld"], body["nation"]) == (True, None)
    assert player("edit", "P4", "--shown", "--id", "wbgf=", "--yes").exit_code == 0
    (row,) = found("find", "Dee Rix")
    assert (row["name"], row["ids"]) == ("Dee Rix", "")


def test_every_command_has_a_line_of_help() -> None:
    result = player("--help")
    for name in ("find", "suggestions", "review", "merge", "apart", "split", "add", "edit"):
        assert f"  {name}" in result.output
        assert "Example" in player(name, "--help").output


@pytest.mark.usefixtures("url")
def test_a_log_tells_the_name_that_was_recorded() -> None:
    assert player("edit", "P1", "--name", "Ada Horvat", "--yes").exit_code == 0
    told = json.loads(run("journal", "log", "--subject", "P1", "--format", "json").stdout)
    assert [one["what"] for one in told] == ["Ada Horvat [P1] (CZE)", "Ada Novak [P1] (CZE)"]


@pytest.mark.usefixtures("url")
def test_nobody_is_looked_for() -> None:
    result = player("find", " ")
    assert result.exit_code == 2
    assert "Write an id, a name, or part of a name." in result.output
