"""The notice of an event: what a director may write, and what is refused, in the file's words."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from palmares.core.canonical import is_canonical
from palmares.core.errors import Refused
from palmares.core.rounding import money_text
from palmares.tournaments.notice import hundredths, read, recorded, state

RIGA = Path(__file__).with_name("riga.toml").read_bytes()


def riga() -> dict[str, Any]:
    """The notice of an open event with Consolation, as its file says it."""
    return tomllib.loads(RIGA.decode())


def test_a_notice_is_recorded_as_canonical_json_and_read_again() -> None:
    stated = read(RIGA)
    assert is_canonical(stated.text)
    assert recorded(stated.text) == stated.notice
    assert stated.notice.end_date == date(2027, 3, 14)
    assert [division.name for division in stated.notice.divisions] == ["Open", "Intermediate"]
    assert stated.sha256 == state(riga()).sha256


def test_the_order_of_keys_changes_no_hash() -> None:
    assert state(dict(reversed(riga().items()))).sha256 == read(RIGA).sha256


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"name": ""}, None),
        ({"who": "x"}, "there is no key who. There are: event, name"),
        ({"currency": "euro"}, "currency is not a currency such as EUR"),
        ({"entry_opens": "soon"}, "entry_opens is not a day"),
        ({"end_date": date(2027, 3, 11)}, "end_date is before start_date"),
        ({"entry_opens": date(2027, 3, 15)}, "entry_opens is after end_date"),
        ({"place": "Riga\u202eagir"}, "a text holds no control characters"),
        ({"flights": []}, "the first of the flights is not main"),
        ({"feeds": []}, "each flight but main has one feed"),
        ({"format": "swiss"}, "a Swiss says how many rounds"),
        ({"format": "groups"}, "a format of groups says how many"),
        ({"regulations": ["wbgf", "wbgf"]}, "two of the regulations have the same name"),
        ({"divisions": []}, "divisions needs at least 1 items"),
        ({"prizes": {"shares": {"main": [60, 30]}}}, "the shares make 90.00 per cent together"),
        ({"prizes": {"shares": {"main": [0, 100]}}}, "nothing to the first place of main"),
        ({"prizes": {"shares": {"main": [100, 0]}}}, "the last share of a flight is 0"),
        ({"prizes": {"shares": {"main": [50], "x": [50]}}}, "shared to x, which is not among"),
        ({"prizes": {"shares": {"main": [100]}, "round_to": 0}}, "round_to is 0"),
        ({"prizes": {"shares": {"main": [100]}, "costs_percent": 101}}, "more than 100"),
        (
            {"prizes": {"shares": {"main": [12.5]}}},
            "is not an amount such as 40, or 12.50 in quotes",
        ),
    ],
)
def test_what_is_wrong_is_said_in_the_words_of_the_file(
    change: dict[str, Any], why: str | None
) -> None:
    if why is None:  # an empty name is refused as any other text that is missing
        del (changed := riga())["name"]
        why = "name is missing. Add it"
    else:
        changed = riga() | change
    with pytest.raises(Refused) as refused:
        state(changed, "riga.toml")
    assert why in str(refused.value)
    assert str(refused.value).startswith("riga.toml: ")


@pytest.mark.parametrize("content", [b"\xff", b"event = "])
def test_what_is_no_toml_is_refused(content: bytes) -> None:
    with pytest.raises(Refused, match=r"riga.toml:"):
        read(content, "riga.toml")


def test_a_division_is_named_where_there_are_several() -> None:
    notice = read(RIGA).notice
    assert notice.division("Open").entry_fee == 200
    with pytest.raises(Refused, match="Name one of the divisions: Open, Intermediate"):
        notice.division()


@pytest.mark.parametrize(
    ("amount", "cents"), [(0, 0), (40, 4000), ("12.5", 1250), ("0.05", 5), ("1234.50", 123450)]
)
def test_amounts_are_counted_in_cents(amount: int | str, cents: int) -> None:
    assert hundredths(amount) == cents
    assert money_text(123450) == "1,234.50"
