"""
Sheets quote the texts to the letter.

`texts/` has the passages of each text that its sheet quotes, as they are printed. Spaces, shapes of
quotation marks and of letters, and marks of type (bold, mathematics) make no difference. What is a
formula or a table in the text is written in one line, and named here.
"""

from __future__ import annotations

import re
from pathlib import Path
from unicodedata import normalize

import pytest

from palmares.regulations.editions import Edition, editions

TEXTS = Path(__file__).parent / "texts"
SHAPES = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "−": "-"})
IN_ONE_LINE = {
    "usbgf-2015-05": {"rank-factor"},
    "usbgf-2019-01": {"quick-reference", "match-win-points", "rank-points", "event-size-factor",
                      "rank-factor"},
    "wbgf-undated": {"grade", "format-factor", "size-scaling", "rank-reward", "rank-reward-solved",
                     "total-reward", "total-reward-solved", "points", "full-formula",
                     "full-formula-without-ties", "wr"},
    "dptr-2019-10": set(),
    "usbgf-streaming-2015-04": set(),
}  # fmt: skip
"""Clauses of which a part is a formula or a table."""
FROM_ELSEWHERE = {"wbgf-undated": {"qualifying"}}
"""Quoted from a page beside the text."""
HELD = [one for name in ("usbgf", "usbgf-streaming", "wbgf", "dptr") for one in editions(name)]


def letters(text: str) -> str:
    plain = re.sub(r"[$\\*_]|<[^>]*>", "", normalize("NFKC", text).translate(SHAPES))
    return "".join(plain.split()).strip(".")


def unquoted(edition: Edition) -> dict[str, list[str]]:
    """The parts of quotes that the text does not have, by clause."""
    text = letters((TEXTS / f"{edition.regulation}-{edition.id}.txt").read_text("utf-8"))
    parts = {name: clause.says.split("…") for name, clause in edition.clauses.items()}
    missing = {
        name: [part for part in these if letters(part) not in text] for name, these in parts.items()
    }
    return {name: these for name, these in missing.items() if these}


@pytest.mark.parametrize("edition", HELD, ids=lambda one: one.name)
def test_every_quote_is_exact(edition: Edition) -> None:
    name = f"{edition.regulation}-{edition.id}"
    assert set(unquoted(edition)) == IN_ONE_LINE[name] | FROM_ELSEWHERE.get(name, set())


# fmt: off
TICKED = [
    ("usbgf", "Only the rank of skill division matters, not the descriptive name given to it"),
    ("usbgf", "based on the number of skill levels defined, not the number of skill divisions"),
    ("usbgf", "If players are exclusively assigned a final rank, they will receive the points"),
    ("usbgf", "those matches that finished before the end of that calendar period will be"),
    ("usbgf", "Levels assignments may be changed and new event types will be assigned a Level"),
    ("usbgf", "the group result will not factor into the awarding of points"),
    ("usbgf", "immediately upon the recording of each match result"),
    ("usbgf", "reaching published lifetime point thresholds"),
    ("wbgf",  "The solution of this recurrence relation is"),
    ("wbgf",  "a sum that can be shown to be equal to"),
    ("wbgf",  "the full formula for the Performance Points"),
    ("wbgf",  "This simplifies in the case m = 1 to"),
    ("dptr",  "The theory is that results be based only on the last ten years of"),
]
# fmt: on


@pytest.mark.parametrize(("regulation", "sentence"), TICKED)
def test_what_an_officer_ticks_is_there(regulation: str, sentence: str) -> None:
    for edition in editions(regulation):
        assert any(sentence in clause.says for clause in edition.clauses.values())


@pytest.mark.parametrize(
    ("regulation", "reading"), [("usbgf", "U29"), ("usbgf", "U30"), ("dptr", "D11")]
)
def test_what_the_text_leaves_open_is_a_reading(regulation: str, reading: str) -> None:
    assert all(reading in edition.readings for edition in editions(regulation))
