"""What is wrong with a document whose shape msgspec checks, in the words of its file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from msgspec import inspect

from palmares.core.errors import brief, did_you_mean
from palmares.core.messages import msg
from palmares.core.toml import Document, Path

_WHERE = re.compile(r"(.*?)(?: - at `\$(.*)`)?", re.DOTALL)
_PART = re.compile(r"\.([^.\[\]]+)|\[([0-9]+|\.\.\.)\]")
_FIELD = re.compile(r"Object (?:missing required|contains unknown) field `(.*)`")
_TYPES = re.compile(r"Expected `(.*)`, got `.*`")
_NAMES = {
    "object": msg("a table"), "array": msg("a list"), "str": msg("a text"),
    "int": msg("a whole number"), "float": msg("a number"), "bool": msg("true or false"),
    "date": msg("a day such as 2027-03-12"),
}  # fmt: skip
_AGAIN = msg("Correct it and try again.")
_MESSAGES = (
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
    error: Exception, kind: Any, text: str | None, forms: Mapping[str, str] | None = None
) -> ShapeFault:
    """What is wrong with a document.

    Args:
        error: what msgspec raised.
        kind: the type that was asked for.
        text: the TOML that it came from, if it did.
        forms: how texts of a pattern are written, by pattern.
    """
    what, where = _WHERE.fullmatch(str(error)).groups("")  # type: ignore[union-attr]
    parts = [int(at) if at.isdecimal() else key or at for key, at in _PART.findall(where)]
    path: Path = (*parts, *_FIELD.findall(what))
    return ShapeFault(Document({}, text).line(path), *_in_words(what, path, kind, forms or {}))


def _in_words(what: str, path: Path, kind: Any, forms: Mapping[str, str]) -> tuple[str, str]:
    """What is wrong at a path, and what to do."""
    names = [part for part in path if isinstance(part, str) and part != "..."]
    key = ".".join(names) or msg("the file")
    if "unknown field" in what:
        known = [field.encode_name for each in _types_at(kind, path[:-1])
                 if isinstance(each, inspect.StructType) for field in each.fields]  # fmt: skip
        meant = did_you_mean(str(path[-1]), known).strip()
        remedy = meant or msg("There are: %(known)s.", known=", ".join(dict.fromkeys(known)))
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
        not_one = msg("%(key)s is not one of its words", key=key)
        return not_one, msg("Write one of these: %(words)s.", words=", ".join(choices))
    for theirs, ours, remedy in _MESSAGES:
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
