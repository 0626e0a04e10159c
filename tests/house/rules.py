"""
House rules, each kept by reading the files.

Each rule is a function from files, their text or their syntax tree to a list of complaints.
"""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from palmares import testing

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src"
TESTS = ROOT / "tests"
REGULATIONS = SRC / "palmares" / "regulations"
RULES = SRC / "palmares" / "rules"
NO_TEXTS = {"editions", "guard", "levels", "model", "protocol", "tracing"}
"""What texts lean on."""
OF_NO_ROOM = {"browser", "deploy", "docs", "house", "kept", "package", "structure"}
"""Folders of tests of the whole, not of a room."""
OF_THE_API = {"web/api/test_decisions.py", "web/api/test_rankings.py"}
"""What the API gives and takes of a slice, named as the slice."""
LOCKS = [ROOT / "requirements" / name for name in ("run.lock", "dev.lock")]

MOST_LINES_IN_A_FILE = 700
MOST_LINES_IN_A_FUNCTION = 40  # beside its docstring

LEFT_OUT = {"skip", "skipif", "skipTest", "SkipTest", "xfail", "importorskip"}

BUILT = {".git", ".venv", "build", "dist", "__pycache__", ".hypothesis"}
BUILT |= {".mypy_cache", ".pytest_cache", ".ruff_cache"}

# Written in pieces, so that this file keeps its own rule.
REGISTRY = re.compile(
    "|".join(
        re.escape(".".join(host))
        for host in [
            ("pypi", "org"),
            ("pythonhosted", "org"),
            ("anaconda", "org"),
            ("npmjs", "org"),
            ("yarnpkg", "com"),
            ("crates", "io"),
        ]
    ),
    re.IGNORECASE,
)
HOME = re.compile(r"(?<![\w.])/(home|Users)/\w|(?<![\w.])/root(?=/)|[A-Za-z]:\\Users\\")
BIDI = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

Function = ast.FunctionDef | ast.AsyncFunctionDef


# ── the files ────────────────────────────────────────────────────────────────────────────────────


def files_under(*folders: Path, suffix: str = "") -> list[Path]:
    """Every file in the folders, caches apart."""
    return sorted(
        path
        for folder in folders
        for path in folder.rglob(f"*{suffix}")
        if path.is_file() and not BUILT.intersection(path.relative_to(folder).parts)
    )


def published_files(root: Path) -> list[Path]:
    """What git tracks; in a copy without git, every file."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"],  # noqa: S607  git is where the user has it
            cwd=root,
            capture_output=True,
            check=True,
        )
    except (FileNotFoundError, subprocess.CalledProcessError):
        return files_under(root)
    names = listed.stdout.decode().split("\0")
    return [root / name for name in names if (root / name).is_file()] or files_under(root)


def text_of(path: Path) -> str:
    """A file as text; a binary file byte by byte, which finds names in it and no bidi controls."""
    content = path.read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("latin-1")


def tree_of(path: Path) -> ast.Module:
    """A Python file, parsed."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))


def functions_in(tree: ast.AST) -> Iterator[Function]:
    """Every function, nested ones too."""
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def is_public(path: Path) -> bool:
    """A module that no leading underscore, its own or its package's, hides."""
    dunder = {"__init__.py", "__main__.py"}
    return not any(
        part.startswith("_") and part not in dunder for part in path.relative_to(SRC).parts
    )


# ── the rules ────────────────────────────────────────────────────────────────────────────────────


def too_long_files(paths: list[Path]) -> list[str]:
    """Files nobody reads to the end."""
    return [path.name for path in paths if text_of(path).count("\n") > MOST_LINES_IN_A_FILE]


def too_long_functions(tree: ast.Module) -> list[str]:
    """Functions that do not fit on a screen."""
    return [
        f"line {node.lineno}: {node.name}"
        for node in functions_in(tree)
        if _lines_beside_docstring(node) > MOST_LINES_IN_A_FUNCTION
    ]


def _lines_beside_docstring(node: Function) -> int:
    said = node.body[0] if ast.get_docstring(node) is not None else None
    docstring = (said.end_lineno or said.lineno) - said.lineno + 1 if said else 0
    return (node.end_lineno or node.lineno) - node.lineno + 1 - docstring


def undocumented(node: ast.AST, name: str = "module") -> list[str]:
    """Public modules, classes and functions that say nothing of themselves."""
    found: list[str] = []
    if isinstance(node, ast.Module | ast.ClassDef | Function) and not ast.get_docstring(node):
        found.append(name)
    if isinstance(node, Function):
        return found
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.ClassDef | Function):
            overload = any(ast.unparse(d).endswith("overload") for d in child.decorator_list)
            if not child.name.startswith("_") and not overload:
                found += undocumented(child, f"{name}.{child.name}")
        elif isinstance(child, ast.If | ast.Try):
            found += undocumented(child, name)
    return found


def clauses_at_odds(modules: dict[str, Path], sheets: dict[str, list[Path]]) -> list[str]:
    """Clauses that only the module or only a sheet knows, by the regulation's name."""
    found = []
    for regulation in sorted(modules.keys() | sheets.keys()):
        module = modules.get(regulation)
        marked = testing.clauses_marked(tree_of(module)) if module else []
        stated = {
            sheet.name: {
                name: entry["kind"]
                for name, entry in tomllib.loads(text_of(sheet)).get("clauses", {}).items()
            }
            for sheet in sheets.get(regulation, [])
        }
        found += testing.clauses_at_odds(regulation, marked, stated)
    return found


def regulation_modules(folder: Path) -> dict[str, Path]:
    """The module of each regulation, by the regulation's name; advice beside a text is its own."""
    paths = [path for path in folder.glob("*.py") if not path.stem.startswith("_")]
    texts = [path for path in paths if path.stem not in NO_TEXTS]
    return {path.stem.replace("_", "-"): path for path in texts}


def regulation_sheets(folder: Path) -> dict[str, list[Path]]:
    """The sheets of each regulation, by the regulation's name."""
    sheets: dict[str, list[Path]] = {}
    for path in sorted(folder.glob("*/*.toml")):
        sheets.setdefault(path.parent.name, []).append(path)
    return sheets


def unfit_to_publish(text: str) -> list[str]:
    """A registry's address, somebody's home, or characters that make text read otherwise."""
    found = [match[0] for rule in (REGISTRY, HOME) for match in rule.finditer(text)]
    return found + [f"U+{ord(match[0]):04X}" for match in BIDI.finditer(text)]


def addresses_in_lock(text: str) -> list[str]:
    """Lines of a lock file that say where, and not only what."""
    where = ("://", "--index-url", "--extra-index-url", "--find-links", "-f ", "-i ")
    return [line for line in text.splitlines() if any(word in line for word in where)]


def left_out_tests(tree: ast.Module) -> list[str]:
    """Tests that are skipped, or expected to fail."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in LEFT_OUT:
            owner = ast.unparse(node).split(".")[0]
            if owner in {"pytest", "unittest", "mark", "self"}:
                found.append(f"line {node.lineno}: {ast.unparse(node)}")
        elif isinstance(node, ast.ImportFrom) and node.module in {"pytest", "unittest"}:
            names = [alias.name for alias in node.names if alias.name in LEFT_OUT]
            found += [f"line {node.lineno}: {name}" for name in names]
    return found


def misplaced_tests(tests: Path, source: Path) -> list[str]:
    """Tests in a folder that the source has not, or of a module that their room has elsewhere."""
    found = []
    for path in files_under(tests, suffix=".py"):
        place = path.relative_to(tests)
        is_test = path.name.startswith("test_")
        if not is_test or place.parts[0] in OF_NO_ROOM or place.as_posix() in OF_THE_API:
            continue
        subject = path.stem.removeprefix("test_")
        room, folder = source / place.parts[0], source / place.parent
        modules = {*room.rglob(f"{subject}.py"), *room.rglob(f"{subject}/__init__.py")}
        homes = {one.parent for one in modules}
        if not folder.is_dir() or (homes and not homes & {folder, folder / subject}):
            found.append(place.as_posix())
    return found


def complaints(rule: Callable[[ast.Module], list[str]], paths: list[Path]) -> dict[str, list[str]]:
    """What a rule finds in Python files, by file; nothing is an empty table."""
    found = {str(path.relative_to(ROOT)): rule(tree_of(path)) for path in paths}
    return {path: offences for path, offences in found.items() if offences}
