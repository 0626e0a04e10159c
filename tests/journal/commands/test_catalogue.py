"""The table of decisions: a command and a form ask what the action of a decision takes."""

from __future__ import annotations

from inspect import Parameter, signature

import pytest

from palmares.cli.journal import decisions as commands
from palmares.journal.commands.catalogue import DECISIONS
from palmares.journal.store.entries import KINDS

COMMANDS = {
    "undo": commands.undo,
    "withdraw": commands.withdraw,
    "override": commands.override,
    "rate": commands.rate,
    "race": commands.race,
    "levels": commands.levels,
    "erase": commands.erase,
    "merge": commands.merge,
    "apart": commands.apart,
    "split": commands.split,
    "player": commands.add_player,
    "edit": commands.edit,
    "membership": commands.add_member,
    "ended": commands.end_member,
}
"""The command of each decision; that of a merge that is undone is `split`, too."""
INSTEAD = {"column": "cells", "value": "cells"}
"""What the command line asks otherwise."""


@pytest.mark.parametrize("name", DECISIONS)
def test_an_action_takes_the_fields(name: str) -> None:
    decision = DECISIONS[name]
    takes = signature(decision.action).parameters
    assert {one.name for one in decision.fields} <= {*takes}
    must = {one for one, what in takes.items() if what.default is Parameter.empty}
    must -= {"transaction"}  # which an action is given when it is done
    assert must <= {one.name for one in decision.fields if one.required}
    assert decision.entry in KINDS


def test_every_decision_has_its_command() -> None:
    assert {*COMMANDS} == {*DECISIONS} - {"unmerge"}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_asks_the_fields(name: str) -> None:
    asks = {one.name for one in COMMANDS[name].params}
    fields = {INSTEAD.get(one.name, one.name) for one in DECISIONS[name].fields}
    assert fields <= asks
