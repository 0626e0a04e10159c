"""What regulations say of a report is a message, so that every language of the site can say it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from palmares import regulations

MODULES = sorted(Path(regulations.__file__).parent.glob("*.py"))
WHAT_AND_REMEDY = (1, 3)


def texts(module: Path) -> Iterator[ast.expr]:
    """What is wrong and what to do, of each advice and each refusal."""
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Advice.of", "rejected"):
            yield from (node.args[at] for at in WHAT_AND_REMEDY)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.stem)
def test_what_a_regulation_says_is_a_message(module: Path) -> None:
    bare = (ast.Constant, ast.JoinedStr, ast.BinOp)
    assert [ast.unparse(text) for text in texts(module) if isinstance(text, bare)] == []
