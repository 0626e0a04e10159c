"""Languages: every message can be said in each, and is said in the one that was asked for."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import msgspec
import pytest

from docs.catalogues import WEB
from palmares.errors import Refused
from palmares.web.messages import counted, plain, said
from palmares.web.pages.problem import problem_page
from palmares.web.wording import Wording

TOLD = {"Refused", "Failed", "wrong", "Conflict"}
"""What people are told by; and whatever is called an exception."""

GERMAN = Wording(
    "de",
    {
        "At most %(most)s letters, please.": "Höchstens %(most)s Zeichen, bitte.",
        "Fill in: %(fields)s.": "Bitte ausfüllen: %(fields)s.",
        "Player": "Spieler",
        "Reason": "Grund",
        ("Wait %(many)s minute.", "Wait %(many)s minutes."): (
            "%(many)s Minute warten.",
            "%(many)s Minuten warten.",
        ),
    },
)


def unmarked(path: Path) -> list[str]:
    """Words for people that no catalogue will have: they are not said."""
    found = []
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(call, ast.Call):
            continue
        name = getattr(call.func, "id", getattr(call.func, "attr", ""))
        if name not in TOLD and not name.endswith("Exception"):
            continue
        words = [
            part
            for part in call.args
            if isinstance(part, ast.JoinedStr)
            or (isinstance(part, ast.Constant) and " " in str(part.value))
        ]
        found += [f"{path.name}:{one.lineno}" for one in words]
    return found


class TestMessages:
    def test_what_people_are_told_is_marked(self) -> None:
        startup = {WEB / "app.py", WEB / "migrations" / "__init__.py"}  # in the operator's terminal
        files = set(WEB.rglob("*.py")) - startup
        assert {one.name: unmarked(one) for one in files if unmarked(one)} == {}

    def test_a_sentence_that_is_not_marked_is_found(self, tmp_path: Path) -> None:
        path = tmp_path / "one.py"
        path.write_text('raise Refused("No such list.")\nform.wrong("day", f"{day} is none")\n')
        assert unmarked(path) == ["one.py:1", "one.py:2"]

    def test_english_is_the_text_itself(self) -> None:
        assert said("There is no such list.") == "There is no such list."
        assert said("At most %(most)s letters, please.", most=2000) == (
            "At most 2,000 letters, please."
        )

    def test_a_message_remembers_its_values(self) -> None:
        told = said("At most %(most)s letters, please.", most=2000)
        assert GERMAN.text(told) == "Höchstens 2.000 Zeichen, bitte."

    def test_an_exception_does_not_forget_them(self) -> None:
        told = str(Refused(said("At most %(most)s letters, please.", most=15)))
        assert GERMAN.text(told) == "Höchstens 15 Zeichen, bitte."

    def test_words_of_ours_among_the_values_are_translated(self) -> None:
        told = said("Fill in: %(fields)s.", fields=("Player", "Reason"))
        assert told == "Fill in: Player, Reason."
        assert GERMAN.text(told) == "Bitte ausfüllen: Spieler, Grund."

    def test_words_of_others_are_not(self) -> None:
        told = said("Fill in: %(fields)s.", fields="Player")
        assert GERMAN.text(told) == "Bitte ausfüllen: Player."

    @pytest.mark.parametrize(
        ("many", "english", "german"),
        [(1, "Wait 1 minute.", "1 Minute warten."), (2, "Wait 2 minutes.", "2 Minuten warten.")],
    )
    def test_one_or_several(self, many: int, english: str, german: str) -> None:
        told = counted("Wait %(many)s minute.", "Wait %(many)s minutes.", many)
        assert (told, GERMAN.text(told)) == (english, german)

    def test_json_has_the_english_text(self) -> None:
        page = problem_page(422, said("At most %(most)s letters, please.", most=15), "1")
        found = json.loads(msgspec.json.encode(page, enc_hook=plain))
        assert found["detail"] == "At most 15 letters, please."
