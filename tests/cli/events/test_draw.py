"""``palmares draw``: an announcement, a draw, a check, in files and in a journal."""

from __future__ import annotations

import json
import stat
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from palmares.cli import cli
from palmares.core.canonical import canonical
from palmares.tournaments.draw.announcement import moment
from palmares.tournaments.draw.sources import commitment
from tests.tournaments.draw.test_draw import ROLLED, knockout

NO_TIME = '{"recorded_at": 5, "announcement": {}, "randomness": [], "result": {}}'
LATER = {"when": "2098-11-21T18:00:00Z"}


def say(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, ["draw", *map(str, arguments)])


@pytest.fixture
def files(tmp_path: Path) -> Path:
    announcement = knockout(5)
    announcement["randomness"] = [announcement["randomness"][0] | LATER]
    (tmp_path / "plan.json").write_text(json.dumps(announcement, indent=2), "utf-8")
    (tmp_path / "rolled.json").write_text(json.dumps(ROLLED), "utf-8")
    return tmp_path


def test_a_changed_draw_is_named_place_by_place(files: Path) -> None:
    assert say("announce", files / "plan.json", "-o", files / "a.json").exit_code == 0
    drawn = say(
        "run", files / "a.json", files / "rolled.json", "--save", files / "draw.json",
        "--recorded-at", "2026-11-20T18:00:00Z",
    )  # fmt: skip
    assert drawn.exit_code == 0
    same = say("check", files / "draw.json", "--explain")
    assert "Attempt 1 is the draw." in same.stderr
    assert same.stdout.startswith("Identical: 8 places")

    changed = json.loads((files / "draw.json").read_text("utf-8"))
    first, third = changed["result"]["places"][0], changed["result"]["places"][2]
    changed["result"]["places"][0] = third
    (files / "draw.json").write_text(json.dumps(changed), "utf-8")
    checked = say("check", files / "draw.json")
    assert checked.exit_code == 1
    assert checked.output == f"Different: places.\n  place 1: {first}, and not {third}\n"

    changed["result"]["places"] = 5
    (files / "draw.json").write_text(json.dumps(changed), "utf-8")
    checked = say("check", files / "draw.json")
    assert (checked.exit_code, checked.output) == (1, "Different: places.\n")


def test_a_refusal_names_the_code_of_its_rule(files: Path) -> None:
    """'Must rules have a refusal code in brackets'"""
    announcement = json.loads((files / "plan.json").read_text("utf-8"))
    twice = announcement | {"entries": ["ana", "ana"]}
    (files / "plan.json").write_text(json.dumps(twice), "utf-8")
    refused = say("announce", files / "plan.json", "-o", files / "a.json")
    assert refused.exit_code == 1
    assert "[draw 1, entries]" in refused.output


def test_a_journal_holds_every_announcement(files: Path) -> None:
    journal = files / "federation.db"
    assert CliRunner().invoke(cli, ["journal", "init", str(journal)]).exit_code == 0
    kept = ("-o", files / "a.json", "--journal", journal, "--author", "ada", "--role", "officer")
    assert "Recorded at: " in say("announce", files / "plan.json", *kept).output
    drawn = say("run", files / "a.json", files / "rolled.json", "--journal", journal)
    assert drawn.exit_code == 0, drawn.output

    plan = json.loads((files / "plan.json").read_text("utf-8")) | {"event": "Another"}
    (files / "plan.json").write_text(json.dumps(plan), "utf-8")
    first = (files / "a.json").read_bytes()
    refused = say("announce", files / "plan.json", *kept)
    assert refused.exit_code == 1
    assert "set 'replaces' to" in refused.output
    assert (files / "a.json").read_bytes() == first


def test_a_journal_records_what_was_revealed_once(files: Path) -> None:
    journal = files / "federation.db"
    CliRunner().invoke(cli, ["journal", "init", str(journal)])
    signed = ("--journal", journal, "--author", "ada", "--role", "officer")
    say("announce", files / "plan.json", "-o", files / "a.json", *signed)
    run = ("run", files / "a.json", files / "rolled.json", "--record", *signed)
    first = say(*run)
    assert first.exit_code == 0, first.output
    assert "Recorded as entry 2: d." in first.output
    assert "before 2098-11-21T18:00:00Z, when the randomness is due" in first.output
    assert "Recorded as" not in say(*run).output

    other = [{"numbers": [1, *ROLLED[0]["numbers"][1:]]}]
    (files / "rolled.json").write_text(json.dumps(other), "utf-8")
    refused = say(*run)
    assert refused.exit_code == 1
    assert "Entry 2 has other randomness for the draw d." in refused.output


def test_late_entries_join_a_bracket_with_its_consolation(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PALMARES_JOURNAL", str(files / "federation.db"))
    CliRunner().invoke(cli, ["journal", "init"])
    plan = json.loads((files / "plan.json").read_text("utf-8"))
    plan["feeds"] = [{"name": "consolation", "of": "main", "rounds": [1, 2]}]
    late = {key: plan[key] for key in ("palmares_draw", "event", "randomness")} | {
        "draw": "late", "format": "late", "entries": ["zoe"], "of": "0" * 64,
        "layout": ["p1", "+", "p2", "p3", "p4", "+", "+", "p5"],
    }  # fmt: skip

    def draw(plan: dict[str, Any]) -> str:
        (files / "plan.json").write_text(json.dumps(plan), "utf-8")
        announced = say("announce", files / "plan.json", "-o", files / "a.json")
        assert announced.exit_code == 0, announced.output
        assert say("run", files / "a.json", files / "rolled.json", "--record").exit_code == 0
        return sha256((files / "a.json").read_bytes()).hexdigest()

    def start() -> Result:
        return CliRunner().invoke(cli, ["event", "start", "--draw", "late"])

    draw(late)
    assert "Start the event from a file with its entrants." in start().output
    draw(late | {"of": draw(plan), "replaces": draw(late), "reason": "Another hash."})
    assert start().output == "late: started, 6 entrants.\n"
    matches = CliRunner().invoke(cli, ["event", "show", "late", "--all", "--format", "json"])
    flights = Counter(row["match"].partition(":")[0] for row in json.loads(matches.output))
    assert flights == {"main": 7, "consolation": 2 + 2 + 1}


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--lengths", "main=-3"), "'main=-3' is no flight with lengths"),
        (("--lengths", "main=0"), "'main=0' is no flight with lengths"),
        (("--lengths", "main=7,4097"), "'main=7,4097' is no flight with lengths"),
        (("--lengths", "consolaton=5"), "The draw d has no flight consolaton. It has main."),
        (("--rounds", "4"), "--rounds is for a Swiss, and the draw d is not one."),
    ],
)
def test_an_event_takes_no_lengths_or_rounds_that_its_draw_has_not(
    files: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, str], why: str
) -> None:
    monkeypatch.setenv("PALMARES_JOURNAL", str(files / "federation.db"))
    CliRunner().invoke(cli, ["journal", "init"])
    assert say("announce", files / "plan.json", "-o", files / "a.json").exit_code == 0
    assert say("run", files / "a.json", files / "rolled.json", "--record").exit_code == 0
    refused = CliRunner().invoke(cli, ["event", "start", "--draw", "d", *options])
    assert refused.exit_code in (1, 2)
    assert why in refused.output
    assert CliRunner().invoke(cli, ["event", "list", "--format", "json"]).output == "[]\n"


def test_randomness_is_recorded_in_a_journal_alone(files: Path) -> None:
    refused = say(
        "run", files / "plan.json", files / "rolled.json", "--record",
        "--recorded-at", "2026-11-20T18:00:00Z",
    )  # fmt: skip
    assert refused.exit_code == 2
    assert "--record needs the journal" in refused.output


def test_half_a_letter_is_no_json(files: Path) -> None:
    assert say("announce", files / "plan.json", "-o", files / "a.json").exit_code == 0
    (files / "rolled.json").write_text('["\\ud800"]', "utf-8")
    drawn = say(
        "run", files / "a.json", files / "rolled.json", "--recorded-at", "2026-11-20T18:00:00Z"
    )
    assert drawn.exit_code == 1
    assert "this is not JSON" in drawn.output


def test_a_key_that_stands_there_twice_is_refused(files: Path) -> None:
    plan = (files / "plan.json").read_text("utf-8")
    (files / "plan.json").write_text(plan.replace("{", '{"event": "Other",', 1), "utf-8")
    refused = say("announce", files / "plan.json", "-o", files / "a.json")
    assert refused.exit_code == 1
    assert "a key stands there twice" in refused.output


def test_a_secret_serves_one_announcement_only(files: Path) -> None:
    """The draw's specification, section 2: revealed once, everyone could compute the next draw."""
    journal = files / "federation.db"
    CliRunner().invoke(cli, ["journal", "init", str(journal)])
    kept = ("-o", files / "a.json", "--journal", journal, "--author", "ada", "--role", "officer")
    people = [{"id": who, "sha256": commitment("d", who, who[0] * 64)} for who in ("ana", "ben")]
    secrets = {"kind": "secrets", "commitments": people, "missing": "void"} | LATER
    plan = json.loads((files / "plan.json").read_text("utf-8")) | {"randomness": [secrets]}
    (files / "plan.json").write_text(json.dumps(plan), "utf-8")
    assert say("announce", files / "plan.json", *kept).exit_code == 0
    plan |= {
        "event": "Another", "reason": "a new name",
        "replaces": sha256((files / "a.json").read_bytes()).hexdigest(),
    }  # fmt: skip
    (files / "plan.json").write_text(json.dumps(plan), "utf-8")
    refused = say("announce", files / "plan.json", *kept)
    assert refused.exit_code == 1
    assert "A secret serves one announcement only" in refused.output


def test_what_was_not_announced_is_not_drawn(files: Path) -> None:
    journal = files / "federation.db"
    CliRunner().invoke(cli, ["journal", "init", str(journal)])
    text = canonical(json.loads((files / "plan.json").read_text("utf-8")))
    (files / "a.json").write_text(text, "utf-8")
    refused = say("run", files / "a.json", files / "rolled.json", "--journal", journal)
    assert refused.exit_code == 1
    assert "has no announcement" in refused.output


@pytest.mark.parametrize("content", ["[", "[]", '{"result": 1}', '"x"', NO_TIME])
def test_a_file_that_is_no_draw_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "draw.json").write_text(content, "utf-8")
    for command in (["check"], ["announce", "-o", str(tmp_path / "a.json")]):
        refused = say(*command, tmp_path / "draw.json")
        assert refused.exit_code == 1
        assert refused.output.startswith("Error: ")


def test_a_secret_stays_in_its_file(tmp_path: Path) -> None:
    told = say("secret", "masters-8", "ana", "-o", tmp_path / "mine").output
    made = (tmp_path / "mine").read_text("utf-8").strip()
    assert told == f"Commitment of ana: {commitment('masters-8', 'ana', made)}\n"
    assert stat.S_IMODE((tmp_path / "mine").stat().st_mode) == 0o600


@pytest.mark.parametrize("wrong", ["", "Ana Novak", "-", "ána", "a" * 65, "ana\n"])
def test_a_secret_is_of_ids_that_an_announcement_can_hold(tmp_path: Path, wrong: str) -> None:
    """A commitment of other ids could be announced nowhere."""
    for ids in (["--", "masters-8", wrong], ["--", wrong, "ana"]):
        refused = say("secret", "-o", tmp_path / "mine", *ids)
        assert refused.exit_code == 2
        assert "is no id" in refused.output
        assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize(
    "wrong", ["2026-1-2T3:4:5Z", "2026-01-02T03:04:05", "2026-01-02 03:04:05Z", "2026-01-02T03:04Z",
              "\u0662026-01-02T03:04:05Z"]
)  # fmt: skip
def test_a_time_that_an_announcement_would_not_hold(wrong: str) -> None:
    """The text is part of what decides the draw: one time has one text."""
    with pytest.raises(ValueError, match="is no time"):
        moment(wrong)


def test_a_secret_that_was_announced_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("0" * 64, "utf-8")
    refused = say("secret", "masters-8", "ana", "-o", tmp_path / "mine")
    assert refused.exit_code == 1
    assert "Name another file." in refused.output
    assert (tmp_path / "mine").read_text("utf-8") == "0" * 64
    assert say("secret", "d", "ana", "-o", tmp_path / "no" / "mine").exit_code == 1
