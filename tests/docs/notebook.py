"""Run the cells of the example notebook; ``python -m tests.docs.notebook`` renews its outputs."""

from __future__ import annotations

import ast
import io
import json
import sys
import warnings
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "docs" / "how-to" / "notebook.ipynb"


def outputs(cells: list[str]) -> list[list[dict[str, Any]]]:
    """What each cell prints and shows, in one namespace, as a notebook keeps it."""
    namespace: dict[str, Any] = {}
    found = []
    for number, source in enumerate(cells, start=1):
        parsed, last, shown = ast.parse(source), None, None
        if parsed.body and isinstance(parsed.body[-1], ast.Expr):
            last = ast.Expression(parsed.body.pop().value)  # type: ignore[attr-defined]
        with redirect_stdout(io.StringIO()) as printed:
            exec(compile(parsed, f"cell {number}", "exec"), namespace)  # noqa: S102
            if last is not None:
                shown = eval(compile(last, f"cell {number}", "eval"), namespace)  # noqa: S307
        kept: list[dict[str, Any]] = []
        if printed.getvalue():
            text = printed.getvalue().splitlines(keepends=True)
            kept.append({"output_type": "stream", "name": "stdout", "text": text})
        if shown is not None:
            kept.append(
                {
                    "output_type": "execute_result",
                    "execution_count": number,
                    "metadata": {},
                    "data": _data(shown),
                }
            )
        found.append(kept)
    return found


def _data(shown: Any) -> dict[str, list[str]]:
    """Our own objects as HTML; frames as text, as their HTML changes with their library."""
    ours = type(shown).__module__.startswith("palmares.")
    text = shown._repr_html_() if ours else str(shown)
    return {"text/html" if ours else "text/plain": text.splitlines(keepends=True)}


def code(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    """The cells of a notebook that are code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def main() -> None:
    """Print what the cells on standard input give; without ``--run``, renew the notebook."""
    warnings.simplefilter("ignore")
    if sys.argv[1:] == ["--run"]:
        sys.stdout.write(json.dumps(outputs(json.load(sys.stdin))))
        return
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    cells = code(notebook)
    made = outputs(["".join(cell["source"]) for cell in cells])
    for number, (cell, one) in enumerate(zip(cells, made, strict=True), start=1):
        cell |= {"outputs": one, "execution_count": number}
    text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    NOTEBOOK.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
