"""The house rules hold for this project, and an offence against each is noticed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from palmares.testing import numbers_of_an_edition
from tests.databases import STORE
from tests.house.rules import (
    LOCKS,
    REGULATIONS,
    ROOT,
    RULES,
    SRC,
    TESTS,
    addresses_in_lock,
    clauses_at_odds,
    complaints,
    files_under,
    is_public,
    left_out_tests,
    misplaced_tests,
    published_files,
    regulation_modules,
    regulation_sheets,
    text_of,
    too_long_files,
    too_long_functions,
    undocumented,
    unfit_to_publish,
)
from tests.running import FIRST

# ── this project keeps them ──────────────────────────────────────────────────────────────────────


def test_no_file_has_more_than_700_lines() -> None:
    looked_up = (".po", ".json")  # nobody reads those from the beginning
    read = [path for path in files_under(SRC, TESTS) if path.suffix not in looked_up]
    assert too_long_files(read) == []


def test_functions_fit_on_a_screen() -> None:
    assert complaints(too_long_functions, files_under(SRC, suffix=".py")) == {}


def test_public_names_are_documented() -> None:
    public = [path for path in files_under(SRC, suffix=".py") if is_public(path)]
    assert complaints(undocumented, public) == {}


def test_no_number_of_an_edition_stands_in_code() -> None:
    assert complaints(numbers_of_an_edition, list(regulation_modules(REGULATIONS).values())) == {}


def test_modules_and_sheets_know_the_same_clauses() -> None:
    assert clauses_at_odds(regulation_modules(REGULATIONS), regulation_sheets(RULES)) == []


def test_tracked_files_are_fit_to_publish() -> None:
    unfit = {str(path): unfit_to_publish(text_of(path)) for path in published_files(ROOT)}
    assert {path: found for path, found in unfit.items() if found} == {}


def test_lock_files_hold_names_and_hashes_only() -> None:
    assert [addresses_in_lock(text_of(path)) for path in LOCKS] == [[], []]


def test_no_test_is_left_out() -> None:
    assert complaints(left_out_tests, files_under(TESTS, suffix=".py")) == {}


def test_tests_lie_as_the_source_lies() -> None:
    assert misplaced_tests(TESTS, SRC / "palmares") == []


def test_files_of_tests_that_are_named_are_there() -> None:
    assert [file for file in (*FIRST, *STORE) if not (TESTS / file).is_file()] == []


# ── an offence against each is noticed ───────────────────────────────────────────────────────────


def lines(count: int) -> str:
    """Text of so many lines."""
    return "x = 1\n" * count


def written(path: Path, text: str) -> Path:
    """A file with that text, its folder made on the way."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_of_701_lines_is_too_long(tmp_path: Path) -> None:
    written(tmp_path / "longest.toml", lines(700))
    written(tmp_path / "inner" / "too_long.toml", lines(701))
    written(tmp_path / "__pycache__" / "cache.toml", lines(701))
    assert too_long_files(files_under(tmp_path)) == ["too_long.toml"]


def test_a_function_of_41_lines_beside_its_docstring_is_too_long() -> None:
    body = '    """Two\n    lines."""\n'
    body += "".join(f"    {line}\n" for line in lines(39).splitlines())
    assert too_long_functions(ast.parse(f"@mark\ndef longest():\n{body}")) == []
    assert too_long_functions(ast.parse(f"async def f():\n{body}    return x\n")) == ["line 1: f"]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 1", ["room"]),
        ("'Doc.'\ndef f(): ...", ["room.f"]),
        ("'Doc.'\nclass A:\n  'Doc.'\n  def f(self): ...", ["room.A.f"]),
        ("'Doc.'\nclass A: ...", ["room.A"]),
        ("'Doc.'\ntry:\n  def f(): ...\nexcept E:\n  def g(): 'Doc.'", ["room.f"]),
        ("'Doc.'\ndef _f(): ...\nclass _A:\n  def f(self): ...", []),
        ("'Doc.'\ndef f():\n  'Doc.'\n  def inner(): ...", []),
        ("'Doc.'\n@overload\ndef f(): ...\ndef f(): 'Doc.'", []),
    ],
)
def test_a_public_name_without_a_docstring_is_noticed(source: str, found: list[str]) -> None:
    assert undocumented(ast.parse(source), "room") == found


@pytest.mark.parametrize(
    ("path", "public"),
    [
        ("palmares/core/rounding.py", True),
        ("palmares/__init__.py", True),
        ("palmares/_room.py", False),
        ("palmares/_room/table.py", False),
    ],
)
def test_a_leading_underscore_makes_a_module_private(path: str, *, public: bool) -> None:
    assert is_public(SRC / path) is public


@pytest.mark.parametrize(
    "number",
    ["3", "0.5", "1095", "1_095", "1e9", "3j", "'0.75'", "'7/2'", "' 15 '", "date(2001, 1, 1)"],
)
def test_a_number_of_an_edition_is_noticed(number: str) -> None:
    assert len(numbers_of_an_edition(ast.parse(f"def f(x):\n  return x * {number}"))) == 1


@pytest.mark.parametrize(
    "code", ["-1", "x[0]", "2.0", "100", "True", "'1/2'", "'main'", "f'{x:.9f}'"]
)
def test_a_number_of_no_edition_may_stand_in_code(code: str) -> None:
    assert numbers_of_an_edition(ast.parse(f"'In 2019.'\ndef f(x):\n  '15'\n  return {code}")) == []


@pytest.mark.parametrize(
    ("marked", "stated", "found"),
    [
        ("a-cup p1", "p1 = { kind = 'computes' }", []),
        ("a-cup p1", "p1 = { kind = 'computes' }\np3 = { kind = 'defines' }", []),
        ("a-cup p2", "p1 = { kind = 'defines' }", ["a-cup: no edition has a-cup p2"]),
        (
            "a-cup p1",
            "p1 = { kind = 'defines' }\np2 = { kind = 'computes' }",
            ["2019.toml: no function is marked a-cup p2"],
        ),
        (
            "b-cup p1",
            "p1 = { kind = 'computes' }",
            ["2019.toml: no function is marked a-cup p1", "a-cup: no edition has b-cup p1"],
        ),
    ],
)
def test_a_clause_that_only_one_side_knows_is_noticed(
    tmp_path: Path, marked: str, stated: str, found: list[str]
) -> None:
    written(tmp_path / "regulations" / "a_cup.py", f"@clause({marked!r})\ndef f(x): return x")
    written(tmp_path / "regulations" / "__init__.py", "")
    written(tmp_path / "rules" / "a-cup" / "2019.toml", f"[clauses]\n{stated}")
    modules = regulation_modules(tmp_path / "regulations")
    sheets = regulation_sheets(tmp_path / "rules")
    assert clauses_at_odds(modules, sheets) == found


def test_a_clause_may_leave_with_an_edition_but_not_its_function(tmp_path: Path) -> None:
    module = written(tmp_path / "a_cup.py", "@clause('a-cup p1')\ndef f(x): return x")
    old = written(tmp_path / "2015.toml", "[clauses]\np1 = { kind = 'computes' }")
    new = written(tmp_path / "2019.toml", "[clauses]\np2 = { kind = 'explains' }")
    assert clauses_at_odds({"a-cup": module}, {"a-cup": [old, new]}) == []
    assert clauses_at_odds({}, {"a-cup": [old]}) == ["2015.toml: no function is marked a-cup p1"]
    assert clauses_at_odds({"a-cup": module}, {}) == ["a-cup: no edition has a-cup p1"]


@pytest.mark.parametrize(
    "text",
    [
        "https://" + "pypi" + ".org/simple",
        "files.python" + "hosted.org",
        "see /" + "home/ada/notes",
        "'/" + "Users/ada'",
        "/" + "root/notes",
        "C:" + "\\Users\\ada",
        "Ada \u202e kavoN",
        "Ada\u2066",
    ],
)
def test_what_is_unfit_to_publish_is_noticed(tmp_path: Path, text: str) -> None:
    assert len(unfit_to_publish(text)) == 1
    assert len(unfit_to_publish(text_of(written(tmp_path / "notes.md", text)))) == 1


def test_ordinary_text_and_bytes_are_fit_to_publish(tmp_path: Path) -> None:
    assert unfit_to_publish("https://example.com/home/ranking, ~/notes, Ada Nováková") == []
    (tmp_path / "chart.png").write_bytes(b"\xff\xe2\x80\xae")
    assert unfit_to_publish(text_of(tmp_path / "chart.png")) == []


def test_without_git_every_file_is_looked_at(tmp_path: Path) -> None:
    notes = written(tmp_path / "notes.md", "")
    written(tmp_path / ".venv" / "notes.md", "")
    assert published_files(tmp_path) == [notes]


@pytest.mark.parametrize(
    "line", ["--index-url x", "--find-links x", "a @ file:///a.whl", "# from https://a"]
)
def test_an_address_in_a_lock_file_is_noticed(line: str) -> None:
    assert addresses_in_lock(f"click==8.5.1 \\\n    --hash=sha256:00\n{line}\n") == [line]


@pytest.mark.parametrize(
    "source",
    [
        "@pytest.mark.skip\ndef test(): ...",
        "@pytest.mark.skipif(True, reason='')\ndef test(): ...",
        "@mark.xfail(strict=True)\ndef test(): ...",
        "pytest.importorskip('numba')",
        "from pytest import skip",
        "self.skipTest('later')",
    ],
)
def test_a_test_left_out_is_noticed(source: str) -> None:
    assert len(left_out_tests(ast.parse(source))) == 1


def test_other_things_may_be_skipped() -> None:
    assert (
        left_out_tests(
            ast.parse("'pytest.mark.skip'\nrows.skip(1)\n@pytest.mark.slow\ndef f(): ...")
        )
        == []
    )


@pytest.mark.parametrize(
    ("test", "misplaced"),
    [
        ("cup/test_points.py", []),
        ("cup/draw/test_places.py", []),
        ("cup/test_draw.py", []),
        ("cup/draw/test_draw_twice.py", []),
        ("cup/random_places.py", []),
        ("house/test_places.py", []),
        ("cup/test_places.py", ["cup/test_places.py"]),
        ("cup/draw/test_points.py", ["cup/draw/test_points.py"]),
        ("cup/lots/test_lots_drawn.py", ["cup/lots/test_lots_drawn.py"]),
        ("league/test_table.py", ["league/test_table.py"]),
    ],
)
def test_a_test_that_lies_elsewhere_is_noticed(
    tmp_path: Path, test: str, misplaced: list[str]
) -> None:
    for module in ("__init__.py", "points.py", "draw/__init__.py", "draw/places.py"):
        written(tmp_path / "source" / "cup" / module, "")
    written(tmp_path / "tests" / test, "")
    assert misplaced_tests(tmp_path / "tests", tmp_path / "source") == misplaced
