"""What README.md and docs/ show is what happens."""

from __future__ import annotations

import doctest
import pkgutil
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from docs.generate import MARK
from palmares.cli import cli
from tests.databases import Fresh
from tests.docs.examples import (
    NOT_RUN,
    ROOT,
    Block,
    blocks,
    commands,
    matches,
    pages,
    run,
    unknown,
    why_not_run,
)
from tests.docs.served import DATABASE, SERVES, Served

PAGES = [page for page in pages() if any(one.kind in {"console", "python"} for one in blocks(page))]
_COMMAND = re.compile(r"^(?:\$ )?(?:palmares|pip|curl|make|python3?|docker) .*", re.MULTILINE)
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
def test_the_examples_of_a_page_are_true(
    page: Path, desk: Path, request: pytest.FixtureRequest
) -> None:
    names: dict[str, Any] = {}
    wrong = []
    database = DATABASE
    if any(DATABASE in one.text for one in blocks(page)):
        fresh: Fresh = request.getfixturevalue("fresh_url")
        database = fresh("postgresql")
    with Served(database) as served:
        for block in blocks(page):
            block.save(desk)
            if block.kind == "console":
                wrong += untrue(page, block, served)
            elif block.kind == "python":
                told = failures(served.there(block.text), names)
                wrong += [f"{page}:{block.line}\n{one}" for one in told]
    assert not wrong, "\n\n".join(wrong)


def untrue(page: Path, block: Block, served: Served) -> list[str]:
    """Commands that print something else than the page says; a site goes on."""
    found = []
    for typed, promised in commands(block):
        if why_not_run(typed):
            continue
        begin = served.begin if SERVES.match(typed) else run
        printed = served.back(begin(served.there(typed)))
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
def test_a_command_is_run_or_the_table_says_why_not(page: Path) -> None:
    """A block for a shell is run: ``console``. One that is not run is ``sh``, and in the table."""
    shown = [typed for block in blocks(page) if block.kind == "sh" for typed in commands(block)]
    assert [typed for typed, _ in shown if not why_not_run(typed)] == []
    others = [one.text for one in blocks(page) if one.kind not in ("console", "sh")]
    if not (ROOT / page).read_text(encoding="utf-8").startswith(MARK):
        assert [one for text in others for one in _COMMAND.findall(text)] == []


def test_every_row_of_that_table_is_shown_somewhere() -> None:
    shown = {
        why_not_run(typed)
        for page in pages()
        for block in blocks(page)
        if block.kind in ("console", "sh")
        for typed, _ in commands(block)
    }
    assert NOT_RUN.keys() - shown == set()


@pytest.mark.parametrize("page", pages(), ids=str)
def test_a_command_that_is_only_named_has_these_options(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = [
        *re.findall(r"`(palmares [^`]+)`", text),
        *(typed for one in blocks(page) for typed, _ in commands(one) if why_not_run(typed)),
    ]
    wrong = {one: unknown(one) for one in named if one.startswith("palmares ")}
    assert {one: why for one, why in wrong.items() if why} == {}


def test_the_examples_of_the_help_are_true(desk: Path) -> None:
    """Those of the example reports are run; of the others, the options are looked up."""
    text = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    shown = re.findall(r"^ {6}(palmares .*)$", re.sub(r"\\\n\s*", "", text), re.MULTILINE)
    assert len(shown) > 50
    wrong = {}
    for typed in dict.fromkeys(shown):
        _, *given = shlex.split(typed)
        if found := unknown(typed):
            wrong[typed] = str(found)
        elif re.search("examples/|--boards|^palmares regulations", typed) and "their-" not in typed:
            done = CliRunner().invoke(cli, given, prog_name="palmares", catch_exceptions=False)
            if done.exit_code:
                wrong[typed] = done.output
    assert wrong == {}


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


@pytest.mark.parametrize("page", pages(), ids=str)
def test_a_piece_of_toml_can_be_read(page: Path) -> None:
    """Pieces that no command reads; those of a report have keys that reports have."""
    known = (ROOT / "docs/reference/report-keys.md").read_text(encoding="utf-8")
    for block in blocks(page):
        if block.kind == "toml" and not block.file:
            piece = tomllib.loads(block.text)
            if page.name in ("report.md", "master-points.md"):
                assert [key for key in keys_of(piece) if f"`{key}`" not in known] == []


def keys_of(piece: Any) -> Iterator[str]:
    """The keys of a piece of TOML but those of members, which are federations."""
    if isinstance(piece, list):
        for part in piece:
            yield from keys_of(part)
    elif isinstance(piece, dict):
        for key, value in piece.items():
            if key != "members":
                yield from () if isinstance(value, dict | list) else (key,)
                yield from keys_of(value)


@pytest.mark.parametrize("page", pages(), ids=str)
def test_modules_and_functions_that_a_page_names_are_there(page: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    names = set(re.findall(r"`(palmares(?:\.\w+){2,})`", text))
    missing = []
    for name in sorted(names):
        try:
            pkgutil.resolve_name(name)
        except (ImportError, AttributeError):
            missing.append(name)
    assert missing == []


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


def test_what_a_program_for_a_cluster_imports_is_there() -> None:
    """``py`` blocks are not run: they need one."""
    programs = [one for page in pages() for one in blocks(page) if one.kind == "py"]
    assert [one.text for one in programs if "SparkSession" not in one.text] == []
    for program in programs:
        exec("\n".join(re.findall(r"^(?:from|import) .*", program.text, re.MULTILINE)), {})  # noqa: S102
