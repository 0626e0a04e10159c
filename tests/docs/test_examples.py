"""What README.md and docs/ show is what happens."""

from __future__ import annotations

import doctest
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.docs.examples import ROOT, Block, blocks, commands, matches, pages, run
from tests.docs.served import Served

PAGES = [page for page in pages() if any(one.kind in {"console", "python"} for one in blocks(page))]
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory to work in, with the examples beside."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("POLARS_TABLE_WIDTH", "100")
    return tmp_path


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_the_examples_of_a_page_are_true(page: Path, desk: Path) -> None:
    names: dict[str, Any] = {}
    wrong = []
    with Served() as served:
        for block in blocks(page):
            block.save(desk)
            if block.kind == "console":
                wrong += untrue(page, block, served)
            elif block.kind == "python":
                told = failures(served.there(block.text), names)
                wrong += [f"{page}:{block.line}\n{one}" for one in told]
    assert not wrong, "\n\n".join(wrong)


def untrue(page: Path, block: Block, served: Served) -> list[str]:
    """Commands that print something else than the page says; those that end in & go on."""
    found = []
    for typed, promised in commands(block):
        if typed.endswith("&"):
            served.begin(typed)
            continue
        printed = served.back(run(served.there(typed)))
        if promised and not matches(promised, printed):
            found.append(f"{page}:{block.line}: $ {typed}\n{printed}")
    return found


def failures(text: str, names: dict[str, Any]) -> list[str]:
    """What goes wrong when Python runs a block; with prompts, what prints something else."""
    if ">>>" not in text:
        exec(text, names)  # noqa: S102
        return []
    held = doctest.DocTestParser().get_doctest(text, names, "block", None, 0)
    told: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags).run(held, out=told.append, clear_globs=False)
    names.update(held.globs)
    return told


@pytest.mark.parametrize("page", pages(), ids=str)
def test_links_lead_somewhere(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    lost = []
    for link in (found[1] or found[2] for found in _LINK.finditer(text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize(
    ("promised", "printed", "kept"),
    [
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a\nc\n", False),
        ("a\n...\nd", "a\nb\nc\nd\n", True),
        ("a\n...\nd", "a\nd\n", True),
        ("a\n...", "b\nc\n", False),
        ("sha256 ...)", "sha256 12ab)\n", True),
        ("1.5", "1x5\n", False),
        ("a", "a\nb\n", False),
    ],
)
def test_a_promise_that_is_not_kept_is_noticed(promised: str, printed: str, kept: bool) -> None:
    assert matches(promised, printed) is kept


def test_python_that_prints_something_else_is_noticed() -> None:
    assert failures(">>> 1 + 1\n2\n", {}) == []
    assert len(failures(">>> 1 + 1\n3\n", {})) == 1
