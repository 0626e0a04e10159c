"""
TOML as people write it: the line of each key, and what is wrong with a text or with its keys.

``tomllib`` knows neither the lines of keys nor what the writer meant; msgspec checks the shape of
a document, TOML or JSON, and says in its own words what is wrong.
"""

from __future__ import annotations

import pathlib
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from msgspec import inspect

from palmares.core.errors import Refused, Unreadable, brief, did_you_mean
from palmares.core.messages import msg

Path = tuple[str | int, ...]
"""Keys and, in lists of tables, numbers from 0."""

_NAME = r"""(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([A-Za-z0-9_-]+))"""
_KEY_PART = re.compile(_NAME)
_KEY = re.compile(rf"\s*{_NAME}(?:\s*\.\s*{_NAME})*")
TOKEN = re.compile(
    r'"""(?:[^\\]|\\.)*?"""(?:"{0,2})'
    r"|'''.*?'''(?:'{0,2})"
    r'|"""|\'\'\''
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|'[^'\n]*'"
    r"|\#[^\n]*"
    r"|[^\"'\#\[\]{}\n]+"
    r"|.",
    re.DOTALL,
)
"""A part of a TOML text; a quotation mark that stands alone is never closed."""
BLOCK = "\n"
_BLOCK = re.compile(r"""\s*=[ \t]*(?:\"{3}|'{3})\n""")


@dataclass(frozen=True)
class Document:
    """What a text says, and the line of each of its keys."""

    values: dict[str, Any]
    text: str | None = None
    written: Mapping[str, str] = field(default_factory=dict)  # of a key that was meant: as written

    @cached_property
    def lines(self) -> Mapping[Path, int]:
        """The line of every key and table header; none of a document that is no TOML."""
        return {} if self.text is None else positions(self.text)

    def line(self, path: Path) -> int:
        """The line of a key, or of the nearest thing around it; 0 in a document without lines."""
        path = tuple(self.written.get(str(part), part) for part in path[:1]) + path[1:]
        ends = (
            place
            for end in range(len(path), 0, -1)
            for place in (path[:end], (*path[:end], 0))  # of a list of tables, its first
        )
        return next(
            (self.lines[end] for end in ends if end in self.lines), int(self.text is not None)
        )


def parse(text: str, parse_float: Callable[[str], Any] = float) -> Document:
    """A TOML text.

    Raises:
        Unreadable: it is none.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    try:
        return Document(tomllib.loads(text, parse_float=parse_float), text)
    except (ValueError, RecursionError) as error:
        raise Unreadable(*_why(text, error)) from None


def content_of(file: str | pathlib.Path) -> bytes:
    """The content of a file.

    Raises:
        Refused: it cannot be read.
    """
    try:
        return pathlib.Path(file).read_bytes()
    except OSError as error:
        raise Refused(f"{file}: cannot be read ({error.strerror}). Check the path.") from None


def read_text(file: str | pathlib.Path) -> str:
    """The text in a file.

    Raises:
        Refused: it cannot be read, or is not UTF-8.
    """
    return _text_of(content_of(file), str(file))


def _text_of(content: bytes, file: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeError:
        raise Refused(
            msg("%(file)s: this is not UTF-8 text. Save it as UTF-8 and try again.", file=file)
        ) from None


def read_document(content: bytes, file: str) -> Document:
    """A TOML file.

    Raises:
        Refused: it is none; says on which line, and what to do.
    """
    try:
        return parse(_text_of(content, file))
    except Unreadable as error:
        raise refused(file, error.line, error.what, error.remedy) from None


def refused(file: str, line: int, what: str, remedy: str) -> Refused:
    """The refusal of a file that is wrong on a line, or as a whole."""
    place = f"{file}:{line}" if line else (file,)
    return Refused(
        msg("%(place)s: %(what)s. %(remedy)s", place=place, what=(what,), remedy=(remedy,))
    )


def positions(text: str) -> dict[Path, int]:
    """The line of every key and table header of a sound text, counted from 1.

    Where the lines of a block of text begin has the path of its key, and `BLOCK`.
    """
    positions: dict[Path, int] = {}
    counts: dict[Path, int] = {}
    table: Path = ()
    line = 1
    for statement in _statements(text):
        content = statement.lstrip()
        bracketed = len(content) - len(content.lstrip("["))
        key = _KEY.match(content, bracketed)
        parts = [max(names) for names in _KEY_PART.findall(key[0])] if key else []
        if bracketed:
            table = _header(parts, counts, in_array=bracketed > 1)
            positions.setdefault(table, line)
        elif key:
            path = (*table, *parts)
            positions.setdefault(path, line)
            if _BLOCK.match(content, key.end()):
                positions[*path, BLOCK] = line + 1
        line += statement.count("\n") + 1
    return positions


def _statements(text: str) -> Iterator[str]:
    """Each header and each key with its value: what ends with a line, outside of brackets."""
    begin = depth = 0
    for token in TOKEN.finditer(text):
        if token[0] in "[{":
            depth += 1
        elif token[0] in "]}":
            depth -= 1
        elif token[0] == "\n" and depth == 0:
            yield text[begin : token.start()]
            begin = token.end()
    yield text[begin:]


def _header(parts: list[str], counts: dict[Path, int], *, in_array: bool) -> Path:
    """The path a table header opens; tables in arrays get the number of the latest one."""
    path: Path = ()
    for number, part in enumerate(parts, start=1):
        path = (*path, part)
        if in_array and number == len(parts):
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path


_POSITION = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)")
_SETTING = re.compile(r"""\s*([A-Za-z0-9_.-]+)\s*=\s*(.*?)(?:\s#[^"']*|\s*)""")
_QUOTES = frozenset({'"""', "'''", '"', "'"})
_NO_END = (
    msg("what begins here with '%(mark)s' has no end"),
    msg("Close it, or send the report again: its end may be missing."),
)
_VALUES = (
    (
        r"\d{4}-\d{2}-\d{2}(?:[T ].*)?",
        msg("%(column)s is '%(text)s', which is not a day in the calendar"),
        msg("Write a day that the calendar has."),
    ),
    (
        r"\d{1,4}\s*[./-]\s*\d{1,2}\s*[./-]\s*\d{1,4}",
        msg("%(column)s is '%(text)s', not a date"),
        msg("Write year, month and day, such as 2019-11-15."),
    ),
    (
        r"[+-]?\d+,\d+",
        msg("%(column)s is '%(text)s', not a number"),
        msg("Write %(number)s with a point, or leave the comma out."),
    ),
    (
        r"[\u2018-\u201f\u00ab\u00bb].*",
        msg("%(column)s is %(text)s, in curly quotes"),
        msg("Write straight quotes: %(straight)s."),
    ),
    (
        r"[+-]?0[0-9]+(?:\.[0-9]+)?",
        msg("%(column)s is '%(text)s', a number that begins with 0"),
        msg("Write %(column)s = %(short)s, or %(example)s if it is no number."),
    ),
    (
        r"'[^']*'\s*[^\s#].*'",
        msg("%(column)s is %(text)s, a text that ends at its second quotation mark"),
        msg("Put it between double quotes: %(double)s."),
    ),
    (
        r'"[^"]*"\s*[^\s#].*"',
        msg("%(column)s is %(text)s, a text that ends at its second quotation mark"),
        msg("Put it between single quotes: %(single)s."),
    ),
    (r"\"[^\"]*|'[^']*", *_NO_END),
    (
        r"[^\W\d_][^\"'\[\]{}#=]*",
        msg("%(column)s is '%(text)s', a text without quotes"),
        msg("Write %(example)s."),
    ),
)
"""Ways in which people write values, what is wrong with them, and what to do."""

_MESSAGES = (
    (
        "Cannot overwrite a value|Cannot declare .* twice|Cannot mutate .*|Duplicate .*",
        msg("this key or heading is there twice"),
        msg("Keep one of them; write a heading that repeats in double brackets: [[event]]."),
    ),
    (
        "Expected '=' after a key in a key/value pair|Invalid statement|Invalid initial.*",
        msg("this line is neither a key with a value nor a heading"),
        msg("Write a key, = and a value; begin a remark with #."),
    ),
    (
        "Expected newline or end of document after a statement",
        msg("more follows on this line"),
        msg("Remove it, or put it on a line of its own."),
    ),
    (
        r"Unescaped '\\' in a string",
        msg("a text has a backslash"),
        msg("Write it twice, or put the text between single quotes."),
    ),
    (
        "Expected ']{1,2}' at the end .*",
        msg("a heading has no closing bracket"),
        msg("Close it with as many brackets as it begins with."),
    ),
    (
        "Invalid value",
        msg("the value after = cannot be read"),
        msg("Write a number, a date, true, false or a text in quotes."),
    ),
)
"""What ``tomllib`` says, and what we say."""

Complaint = tuple[int, str, str]


def _why(text: str, error: Exception) -> Complaint:
    """Where a text stops being TOML: the line, or 0; what is wrong; what to do."""
    if isinstance(error, RecursionError):
        return 0, msg("brackets within brackets without end"), msg("Write fewer brackets.")
    position = _POSITION.search(str(error))
    words = _POSITION.sub("", str(error))
    ours = (message[1:] for message in _MESSAGES if re.fullmatch(message[0], words))
    unknown = msg("this is not TOML: %(words)s", words=words), msg("Correct this line.")
    unknown = next(ours, unknown)
    if position and position[1] is None:
        return _without_end(text) or (text.rstrip().count("\n") + 1, *unknown)
    line = int(position[1]) if position else 0
    lines = text.split("\n")
    written = _SETTING.fullmatch(lines[line - 1]) if 0 < line <= len(lines) else None
    of_value = _of_value(written[1], written[2]) if written else None
    return (line, *(of_value or unknown))


def _of_value(key: str, value: str) -> tuple[str, str] | None:
    """What is wrong with a value, and how to write it; none if it is of no known kind."""
    for pattern, what, remedy in _VALUES:
        if re.fullmatch(pattern, value):
            example = f'{key} = "{value}"'
            straight = re.sub("[\u2018-\u201f\u00ab\u00bb]", '"', f"{key} = {value}")
            return (
                msg(what, column=key, text=value, mark=value[0]),
                msg(
                    remedy,
                    column=key,
                    number=value.replace(",", "."),
                    short=re.sub(r"^([+-]?)0+(?=[0-9])", r"\1", value),
                    example=example,
                    straight=straight,
                    double=f'{key} = "{value[1:-1]}"',
                    single=f"{key} = '{value[1:-1]}'",
                ),
            )
    return None


def _without_end(text: str) -> Complaint | None:
    """The line of a quotation mark or a bracket that is not closed."""
    opened: list[re.Match[str]] = []
    for token in TOKEN.finditer(text):
        if token[0] in _QUOTES:
            opened.insert(0, token)
            break
        if token[0] in "[{":
            opened.append(token)
        elif token[0] in "]}" and opened:
            opened.pop()
    if not opened:
        return None
    what, remedy = _NO_END
    return text.count("\n", 0, opened[0].start()) + 1, msg(what, mark=opened[0][0]), remedy


# ── documents whose shape msgspec checks ─────────────────────────────────────────────────────────

_WHERE = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
_WHERE_PART = re.compile(r"\.([^.\[\]]+)|\[([0-9]+|\.\.\.)\]")
_FIELD = re.compile(r"Object (?:missing required|contains unknown) field `(.*)`")
_TYPES = re.compile(r"Expected `(.*)`, got `.*`")
_NAMES = {
    "object": msg("a table"), "array": msg("a list"), "str": msg("a text"),
    "int": msg("a whole number"), "float": msg("a number"), "bool": msg("true or false"),
    "date": msg("a day such as 2027-03-12"),
}  # fmt: skip
_AGAIN = msg("Correct it and try again.")
_SHAPE_MESSAGES = (
    (r"Object missing.*", msg("%(key)s is missing"), msg("Add it and try again.")),
    (r"Expected `\w+` of length >= (.*)", msg("%(key)s needs at least %(bound)s items"), _AGAIN),
    (r"Expected `\w+` of length <= (.*)", msg("%(key)s has more than %(bound)s items"), _AGAIN),
    (r"Expected `\w+` >= (.*)", msg("%(key)s is less than %(bound)s"), _AGAIN),
    (r"Expected `\w+` <= (.*)", msg("%(key)s is more than %(bound)s"), _AGAIN),
    (r"Expected `\w+` matching regex .*", msg("%(key)s is not written as it must be"), _AGAIN),
    (r"Invalid RFC3339 .*", msg("%(key)s is not a day"), msg("Write it like 2027-03-12.")),
)
"""What msgspec says, and what we say."""


class ShapeFault(NamedTuple):
    """What is wrong with a document: on which line, 0 for all of it, and what to do."""

    line: int
    what: str
    remedy: str


def fault_of(
    error: Exception,
    kind: Any,
    text: str | None,
    forms: Mapping[str, str] | None = None,
    at: Path = (),
) -> ShapeFault:
    """What is wrong with a document, or with a part of it.

    Args:
        error: what msgspec raised.
        kind: the type that was asked for.
        text: the TOML that it came from, if it did.
        forms: how texts of a pattern are written, by pattern.
        at: where the part stands in the document.
    """
    what, where = _WHERE.fullmatch(str(error)).groups("")  # type: ignore[union-attr]
    parts = [int(at) if at.isdecimal() else key or at for key, at in _WHERE_PART.findall(where)]
    path: Path = (*parts, *_FIELD.findall(what))
    line = Document({}, text).line((*at, *path))
    return ShapeFault(line, *_in_words(what, path, kind, forms or {}, at))


def _in_words(
    what: str, path: Path, kind: Any, forms: Mapping[str, str], at: Path
) -> tuple[str, str]:
    """What is wrong at a path, and what to do."""
    names = [part for part in (*at, *path) if isinstance(part, str) and part != "..."]
    key = ".".join(names) or msg("the file")
    if "unknown field" in what:
        keys = [field.encode_name for each in _types_at(kind, path[:-1])
                 if isinstance(each, inspect.StructType) for field in each.fields
                 if not field.encode_name.startswith("[")]  # fmt: skip
        meant = did_you_mean(str(path[-1]), keys).strip()
        remedy = meant or msg("There are: %(known)s.", known=", ".join(dict.fromkeys(keys)))
        return msg("there is no key %(key)s", key=key), remedy
    patterns = (str(getattr(each, "pattern", "")) for each in _types_at(kind, path))
    form = next((forms[pattern] for pattern in patterns if pattern in forms), None)
    if form and what.startswith("Expected"):
        return msg("%(key)s is not %(wanted)s", key=key, wanted=(form,)), _AGAIN
    if types := _TYPES.fullmatch(what):
        kinds = [_NAMES.get(each, each) for each in types[1].split(" | ") if each != "null"]
        wanted = kinds[0]
        for other in kinds[1:]:
            wanted = msg("%(one)s or %(other)s", one=(wanted,), other=(other,))
        return msg("%(key)s is not %(wanted)s", key=key, wanted=(wanted,)), _AGAIN
    if what.startswith("Invalid ") and (choices := _choices(kind, path)):
        no_such_word = msg("%(key)s is not one of its words", key=key)
        return no_such_word, msg("Write one of these: %(words)s.", words=", ".join(choices))
    for theirs, ours, remedy in _SHAPE_MESSAGES:
        if match := re.fullmatch(theirs, what):
            return msg(ours, key=key, bound="".join(match.groups())), remedy
    words = brief(what, 300)
    return (msg("%(key)s: %(what)s", key=key, what=words) if names else words), _AGAIN


def _choices(kind: Any, path: Path) -> list[str]:
    """The words that may stand at a path; of the tag of a union, its tags."""
    kinds = _types_at(kind, path)
    words = [
        value for each in kinds if isinstance(each, inspect.LiteralType) for value in each.values
    ]
    outer = [each for each in _types_at(kind, path[:-1]) if isinstance(each, inspect.StructType)]
    return [*map(str, words or [each.tag for each in outer if path[-1:] == (each.tag_field,)])]


def _types_at(kind: Any, path: Path) -> list[inspect.Type]:
    """The types that may stand at a path of a document."""
    types = _each(inspect.type_info(kind))
    for part in path:
        types = [each for outer in types for inner in _inside(outer, part) for each in _each(inner)]
    return types


def _each(kind: inspect.Type) -> list[inspect.Type]:
    return list(kind.types) if isinstance(kind, inspect.UnionType) else [kind]


def _inside(kind: inspect.Type, part: str | int) -> Iterable[inspect.Type]:
    if isinstance(kind, inspect.StructType):
        return [field.type for field in kind.fields if field.encode_name == part]
    if isinstance(kind, inspect.ListType):
        return [kind.item_type]
    return [kind.value_type] if isinstance(kind, inspect.DictType) else []
