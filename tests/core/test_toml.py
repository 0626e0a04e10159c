"""What is said of a text that is no TOML, and where its keys are."""

from __future__ import annotations

import pytest

from palmares.core.errors import Refused
from palmares.core.toml import read_document


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\na = 2\nb = 3", "x.toml:2: this key or heading is there twice. Keep one of them"),
        ("[a]\n[a]", "x.toml:2: this key or heading is there twice. "),
        ("a\n", "x.toml:1: this line is neither a key with a value nor a heading. "),
        ("= 1", "x.toml:1: this line is neither a key with a value nor a heading. "),
        ("a = 1\nb: 2", "x.toml:2: this line is neither a key with a value nor a heading. "),
        ("a = 1 2", "x.toml:1: more follows on this line. "),
        ("a = 50%", "x.toml:1: more follows on this line. "),
        ("a = \u20ac5", "x.toml:1: the value after = cannot be read. Write a number"),
        ("a =\n", "x.toml:1: the value after = cannot be read. "),
        ('a = "C:\\graz"', "x.toml:1: a text has a backslash. Write it twice"),
        (
            "[[event]\n",
            "x.toml:1: a heading has no closing bracket. Close it with as many brackets",
        ),
        ("[event\na = 1", "x.toml:1: a heading has no closing bracket. "),
        ("a = 12,5", "x.toml:1: a is '12,5', not a number. "),
        ("a = 08 # eight", "x.toml:1: a is '08', a number that begins with 0. Write a = 8, or "),
        ("a = -007.5", "x.toml:1: a is '-007.5', a number that begins with 0. Write a = -7.5, or "),
        (
            "a = 'Graz's'",
            (
                """x.toml:1: a is 'Graz's', a text that ends at its second quotation mark. Put it"""
                """ between double quotes: a = "Graz's"."""
            ),
        ),
        (
            'a = "Graz "Open""',
            (
                'x.toml:1: a is "Graz "Open"", a text that ends at its second quotation mark.'
                " Put it between single quotes: a = 'Graz \"Open\"'."
            ),
        ),
        ('\na = "x', "x.toml:2: what begins here with '\"' has no end. "),
        ("a = " + "[" * 9_000, "x.toml: brackets within brackets without end. "),
    ],
)
def test_what_is_wrong(text: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        read_document(text.encode(), "x.toml")
    assert str(refused.value).startswith(said)


def test_another_encoding() -> None:
    with pytest.raises(Refused, match="this is not UTF-8 text"):
        read_document("a = 'é'".encode("latin-1"), "x.toml")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_lines_of_keys(end: str) -> None:
    text = end.join(["\ufeffa = 1", "[[b]]", "c = 2", "[[b]]", 'c = "d"'])
    document = read_document(text.encode(), "x.toml")
    assert document.values == {"a": 1, "b": [{"c": 2}, {"c": "d"}]}
    assert document.lines == {("a",): 1, ("b", 0): 2, ("b", 0, "c"): 3, ("b", 1): 4,
                              ("b", 1, "c"): 5}  # fmt: skip
