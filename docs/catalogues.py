"""
Keeps the catalogues of the site's languages up to date: ``python -m docs.catalogues``.

    messages    every message that the site says: of templates, of Python, of registries
    updated     a language  ->  its catalogue with these messages, translations kept
    main        writes the catalogues, and tells what is not translated yet

A message that is new stands in ``src/palmares/web/locale/de.po`` with an empty ``msgstr`` then. A
message that nothing says any more is gone, with its translation. A test fails until the files are
what this writes and nothing in them is empty.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from inspect import signature
from io import BytesIO
from pathlib import Path
from typing import Any

from babel.messages import Catalog, Message
from babel.messages.extract import extract_from_file
from babel.messages.pofile import read_po, write_po

from palmares.facts.schema import TABLES
from palmares.journal.commands.catalogue import Field, columns_of_reports
from palmares.regulations.tracing import EDITION_PARAMETERS
from palmares.web.http.i18n import LANGUAGES
from palmares.web.officer.decisions import DECISIONS

ROOT = Path(__file__).parents[1]
WEB = ROOT / "src" / "palmares" / "web"
LOCALE = WEB / "locale"
_WIDTH = 100
_CALLS: dict[str, Any] = {
    "_": None,
    "msg": None,
    "plural": (1, 2),
    "hint": (2,),
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
}
"""What says a message, and which of its arguments are the message."""
_HEADER = """# Messages of the site in {language}.
# Written by python -m docs.catalogues, which keeps translations and this comment."""

Key = tuple[str | tuple[str, ...], str | None]


@cache
def messages() -> dict[Key, set[str]]:
    """Every message with its context, and the files that say it."""
    found: dict[Key, set[str]] = {}
    for path, message in _said():
        found.setdefault(message, set()).add(path.relative_to(ROOT).as_posix())
    return found


def _said() -> Iterator[tuple[Path, Key]]:
    for path in sorted(set((ROOT / "src" / "palmares").rglob("*.py")) - set(WEB.rglob("*.py"))):
        says = "palmares.core.messages" in path.read_text(encoding="utf-8")
        if says or path.stem == "messages" or path.parent.name == "charts":
            yield from _of_file("python", path)
    for table in TABLES.values():
        for column in table.values():
            for text in filter(None, (column.means, column.question)):
                yield ROOT / "src" / "palmares" / "facts" / "schema.py", (text, None)
    yield from ((ROOT / "src" / "palmares" / "render" / "entries.py", (word, None))
                for word in _of_corrections())  # fmt: skip
    yield from _of_regulations(ROOT / "src" / "palmares")
    for path in sorted(WEB.rglob("*.py")):
        yield from _of_file("python", path)
    for path in sorted(WEB.glob("*/templates/*.html")):
        yield from _of_file("jinja2.ext:babel_extract", path)
    decisions = WEB / "officer" / "decisions.py"
    for one in DECISIONS.values():
        fields = [text for field in one.fields for text in _of_field(field)]
        yield from ((decisions, (text, None)) for text in (one.title, one.about, *fields) if text)


def _of_corrections() -> Iterator[str]:
    """The columns of reports and the words in them, as corrections say them."""
    for table, columns in columns_of_reports().items():
        choices = (choice for name in columns for choice in TABLES[table][name].choices)
        yield from (word.replace("_", " ") for word in (*columns, *choices))


def _of_regulations(package: Path) -> Iterator[tuple[Path, Key]]:
    """Our own words in editions, and the names of their numbers and of those in clauses."""
    for path in sorted((package / "rules").glob("*/*.toml")):
        yield from ((path, (text, None)) for text in _of_edition(path))
        yield from ((path, (name.replace("_", " "), "term")) for name in _terms_of_edition(path))
    for path in sorted((package / "regulations").glob("*.py")):
        yield from ((path, (name.replace("_", " "), "term")) for name in _terms_of_clauses(path))


def _of_edition(path: Path) -> Iterator[str]:
    """Our own words in an edition file: its readings, and which date selects it."""
    edition = tomllib.loads(path.read_text(encoding="utf-8"))
    yield edition["edition"]["selected_by"]
    for reading in edition["reading"]:
        yield from (reading["silent"], reading["we"], reading["since"])
        yield from reading.get("options", {}).values()


def _terms_of_edition(path: Path) -> Iterator[str]:
    """The names and units of its numbers."""
    edition = tomllib.loads(path.read_text(encoding="utf-8"))
    names: set[str] = set()
    for name, number in (*edition["constants"].items(), *edition.get("tables", {}).items()):
        names |= {name, number["unit"]}
        if isinstance(number["is"], dict):
            names |= {row for row in number["is"] if "_" in row}  # the others are the text's own
            inner = (row for row in number["is"].values() if isinstance(row, dict))
            names |= {key for row in inner for key in row if key.islower()}
    yield from (name for name in sorted(names) if re.search("[a-z]{2}", name))


def _terms_of_clauses(path: Path) -> Iterator[str]:
    """What goes into the clauses of a regulation's module, and what its calculator shows."""
    module = import_module(f"palmares.regulations.{path.stem}")
    calculator = getattr(getattr(module, "REGULATION", None), "calculator", None)
    yield from (name.replace("-", "_") for name in (calculator.figures if calculator else ()))
    for function in vars(module).values():
        if isinstance(getattr(function, "clause", None), str):
            yield from signature(function).parameters.keys() - set(EDITION_PARAMETERS)


def _of_field(field: Field) -> tuple[str, ...]:
    """What a field says in the language of its reader, which the words of a regulation are not."""
    return () if field.verbatim else (field.label, field.hint, *field.choice_labels.values())


def _of_file(method: str, path: Path) -> Iterator[tuple[Path, Key]]:
    options = {"trimmed": "true", "silent": "false"} if path.suffix == ".html" else {}
    for _, message, _, context in extract_from_file(method, str(path), _CALLS, (), options):
        if message:
            yield path, (message, context)


def held(language: str) -> Catalog:
    """The catalogue of a language as it is on disk."""
    path = LOCALE / f"{language}.po"
    return read_po(BytesIO(path.read_bytes()) if path.exists() else BytesIO(), locale=language)


def updated(language: str) -> bytes:
    """The catalogue of a language with every message, translations kept."""
    before = held(language)
    made = Catalog(locale=language, charset="utf-8", fuzzy=False)
    made.header_comment = before.header_comment or _HEADER.format(language=LANGUAGES[language])
    for (text, context), paths in sorted(messages().items(), key=_order):
        kept = before.get(text, context)
        made.add(
            text,
            kept.string if kept and kept.id == text else "",
            locations=[(path, 0) for path in sorted(paths)],
            context=context,
        )
    file = BytesIO()
    write_po(file, made, width=_WIDTH, include_lineno=False, omit_header=False)
    return _quiet(file.getvalue())


def _order(one: tuple[Key, set[str]]) -> tuple[str, str, str]:
    (text, context), paths = one
    return min(paths), text if isinstance(text, str) else text[0], context or ""


def _quiet(content: bytes) -> bytes:
    """Without days and people: the history of the file has them."""
    loud = (b'"POT-Creation-Date', b'"PO-Revision-Date', b'"Last-Translator', b'"Language-Team',
            b'"Project-Id-Version', b'"Report-Msgid-Bugs-To', b'"Generated-By')  # fmt: skip
    return b"".join(one for one in content.splitlines(keepends=True) if not one.startswith(loud))


def main() -> None:
    """Write the catalogues."""
    for language in LANGUAGES:
        if language == "en":
            continue
        content = updated(language)
        (LOCALE / f"{language}.po").write_bytes(content)
        empty = [one for one in held(language) if one.id and not _whole(one)]
        print(f"{language}.po: {len(messages())} messages, {len(empty)} not translated")


def _whole(one: Message) -> bool:
    """Whether a message is translated, in every form."""
    return bool(one.string) if isinstance(one.string, str) else all(one.string or ("",))


if __name__ == "__main__":
    main()
