"""What to do next is said for whoever types commands, and for whoever reads pages."""

from __future__ import annotations

import json
import re
from pathlib import Path

import palmares
from palmares.cli.hints import HINTS, error_text
from palmares.core.errors import FactsRejected, Location, Problem, Refused
from palmares.core.messages import hint, msg
from palmares.web.http import i18n as pages
from tests.structure.renew import kept

CODES = {
    code
    for path in Path(str(palmares.__file__)).parent.rglob("*.py")
    for code in re.findall(r'\bhint\(\s*"([a-z0-9-]+)"', path.read_text(encoding="utf-8"))
}


def test_every_hint_names_its_command() -> None:
    assert set(HINTS) == CODES
    assert len(CODES) > 20
    assert set(pages.FOR_OFFICERS) < set(pages.HINTS) < CODES


def test_every_option_that_a_hint_names_is_there() -> None:
    commands = json.loads(kept("options").read_text(encoding="utf-8"))
    options = {name for command in commands.values() for name in command}
    texts = " ".join(str(one) for one in HINTS.values() if isinstance(one, str))
    named = set(re.findall(r"--[a-z][a-z-]+", texts))
    assert named >= {"--encoding", "--with-waiting-events"}
    assert named <= options


def test_commands_stand_wherever_a_hint_does() -> None:
    undo = hint("undo-if-unneeded", "If it is no longer needed, undo entry %(entry)s.", entry="7")
    refused = Refused(msg("%(one)s %(other)s", one="It is there.", other=undo))
    typed = "If it is no longer needed, undo it first: palmares journal undo 7."
    assert error_text(refused) == f"It is there. {typed}"
    problem = Problem(at=Location("entry 7"), what="it is lost", clause="journal", remedy=undo)
    assert error_text(FactsRejected([problem])).endswith(
        f"entry 7: it is lost [journal]\n    {typed}"
    )
    assert "palmares" not in str(refused)


def test_who_somebody_is_may_be_one_of_several() -> None:
    who = hint("say-who", "Say who this is.", key="Ada (CZE)", ids=("P1", "new"))
    assert error_text(Refused(who)) == 'Say who this is: --is "Ada (CZE)=P1" or "Ada (CZE)=new".'
    assert pages.plain(who) == "Say who this is, under Names."
