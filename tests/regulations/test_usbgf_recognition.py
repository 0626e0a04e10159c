"""Sheets of recognition levels: the one we show, and every way to get one wrong."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from palmares.core.errors import FactsRejected, Refused
from palmares.regulations import usbgf
from palmares.regulations.levels import read_levels

F = Fraction

EXAMPLE = Path(__file__).parents[2] / "examples" / "recognition-levels.toml.example"
HEAD = '[levels]\nregulation = "usbgf"\ntitle = "T"\nsource = "S"\n'


def level(name: str, points: str) -> str:
    return f'[[level]]\nname = "{name}"\npoints = {points}\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "levels.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_example_says_that_it_is_one() -> None:
    levels = read_levels(EXAMPLE, "usbgf")
    assert usbgf.recognition_level(levels, F(500)) == "Life Master"
    assert EXAMPLE.read_text(encoding="utf-8").startswith(
        "# An example, not published by the federation"
    )


def test_the_lowest_comes_first(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD + level("Life Master", "500") + level("Club", "0.5"))
    assert list(read_levels(str(path), "usbgf").items()) == [
        ("Club", F(1, 2)),
        ("Life Master", F(500)),
    ]


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    assert read_levels(written(tmp_path, "\ufeff" + HEAD + level("Club", "5")), "usbgf") == {
        "Club": 5
    }


# fmt: off
WRONG = [
    ("not TOML",          "levels",                                      "toml:1: this line"),
    ("too deep",          "x = " + "[" * 5000,                           "brackets without end"),
    ("nothing",           "",                                            "there is no [[level]]"),
    ("no head",           level("Club", "5"),                            "[levels] has no title"),
    ("head is no table",  "levels = 5\n" + level("Club", "5"),           "[levels] has no source"),
    ("another's",         HEAD.replace("usbgf", "wbgf") + level("C", "5"), "only usbgf has levels"),
    ("levels no list",    "level = 5\n" + HEAD,                          "there is no [[level]]"),
    ("level no table",    "level = [5]\n" + HEAD,                        "level 1: it is no table"),
    ("no name",           HEAD + "[[level]]\npoints = 5\n",              "level 1: it has no name"),
    ("an empty name",     HEAD + level(" ", "5"),                        "level 1: it has no name"),
    ("no points",         HEAD + '[[level]]\nname = "Club"\n',           "Club are no number"),
    ("points as text",    HEAD + level("Club", '"5"'),                   "Club are no number"),
    ("a truth",           HEAD + level("Club", "true"),                  "Club are no number"),
    ("negative",          HEAD + level("Club", "-1"),                    "not between 0 and"),
    ("not a number",      HEAD + level("Club", "nan"),                   "not between 0 and"),
    ("infinite",          HEAD + level("Club", "inf"),                   "not between 0 and"),
    ("enormous",          HEAD + level("Club", "1e999999999"),           "not between 0 and"),
    ("tiny",              HEAD + level("Club", "1e-999999999"),          "not between 0 and"),
    ("name twice",        HEAD + level("Club", "5") + level("Club", "6"), "level 2: Club"),
    ("points twice",      HEAD + level("Club", "5") + level("Life", "5"), "level 2: Life"),
]
# fmt: on


@pytest.mark.parametrize(("why", "text", "words"), WRONG, ids=[row[0] for row in WRONG])
def test_a_wrong_sheet_is_refused(tmp_path: Path, why: str, text: str, words: str) -> None:
    with pytest.raises(FactsRejected) as refused:
        read_levels(written(tmp_path, text), "usbgf")
    assert words in str(refused.value), why
    assert "levels.toml" in str(refused.value)


def test_all_faults_at_once(tmp_path: Path) -> None:
    with pytest.raises(FactsRejected) as refused:
        read_levels(written(tmp_path, level("Club", "-1") + level("", "5")), "usbgf")
    assert len(refused.value.problems) == 5


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="cannot be read"):
        read_levels(tmp_path / "none.toml", "usbgf")
