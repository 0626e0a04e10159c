"""Entries: their one spelling, their hash, and what is no entry."""

from __future__ import annotations

import json
from base64 import b64decode
from datetime import UTC, datetime, timedelta, timezone
from hashlib import sha256
from typing import Any

import msgspec
import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from palmares.core.canonical import canonical, is_canonical
from palmares.core.errors import Refused
from palmares.journal.store.entries import (
    FIRST,
    START,
    Actor,
    Draft,
    Entry,
    Head,
    chain,
    timestamp,
)

NOON = datetime(2026, 11, 21, 12, 0, 0, 5, tzinfo=UTC)
OFFICER = Actor("Otto", "officer")

EXACT = 2**53
NUMBERS = st.integers(-EXACT + 1, EXACT - 1) | st.floats(
    allow_nan=False, allow_infinity=False
).filter(lambda number: not EXACT <= abs(number) < 1e21)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=12,
)
BODIES = st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), VALUES, max_size=4)
SHOWN = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=200
).filter(str.strip)


def rate(**changed: Any) -> Draft:
    return Draft(**{"kind": "rate", "subject": "USD", "body": {"rate": "1.1"}} | changed)


def test_the_hash_of_an_entry_by_hand() -> None:
    """What an auditor does: the canonical JSON of all other fields, its sha256."""
    entry = chain(rate(key="k"), OFFICER, START, NOON)
    text = (
        '{"author":"Otto","body":{"rate":"1.1"},"key":"k","kind":"rate",'
        f'"previous":"{"0" * 64}","recorded_at":"2026-11-21T12:00:00.000005Z",'
        '"role":"officer","sequence":1,"subject":"USD"}'
    )
    assert entry.hash == sha256(text.encode()).hexdigest()
    assert entry.previous == FIRST == "0" * 64
    assert entry.head == Head(1, entry.hash, "2026-11-21T12:00:00.000005Z")


@given(body=BODIES, author=SHOWN, subject=SHOWN, key=st.none() | SHOWN)
def test_the_line_of_an_entry_is_canonical_json(
    body: dict[str, Any], author: str, subject: str, key: str | None
) -> None:
    draft = Draft(kind="rate", subject=subject, body=body, key=key)
    entry = chain(draft, Actor(author, "officer"), START, NOON)
    plain = json.loads(entry.line())
    assert rfc8785.dumps(plain) == entry.line()
    without = {name: value for name, value in plain.items() if name != "hash"}
    assert sha256(rfc8785.dumps(without)).hexdigest() == entry.hash == plain["hash"]


def test_bytes_in_place_of_a_text_are_a_change() -> None:
    """JSON writers write bytes in Base64: the bytes of "Otto" would have the same hash."""
    entry = chain(rate(), OFFICER, START, NOON)
    otto: Any = b64decode(entry.author)
    assert entry.is_unchanged
    assert not msgspec.structs.replace(entry, author=otto).is_unchanged


@given(VALUES)
def test_what_is_canonical_is_known_as_such(value: Any) -> None:
    assert is_canonical(canonical(value))


@given(VALUES, st.booleans())
def test_every_other_spelling_is_known_too(value: Any, ascii_only: bool) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, sort_keys=True, separators=(",", ":"))
    assert is_canonical(text) == (text == canonical(value))


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "nul", " 1", "1 ", '{"b":1,"a":2}', '{"a":1,"a":1}', '{"a": 1}', "1.0", "-0",
        "1e2", "9007199254740993", "NaN", '"\\u0041"', '"\\/"', '"\\ud800"', "[1,]", "01",
        '{"\U00010000":1,"\uffff":2}'.replace("\U00010000", "\uffff", 1), "[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_not_canonical(text: str) -> None:
    assert not is_canonical(text)


def test_names_are_in_the_order_of_utf16() -> None:
    """RFC 8785 §3.2.3: U+10000 is written D800 DC00, and stands before U+FFFF."""
    assert is_canonical('{"\U00010000":1,"\uffff":2}')
    assert not is_canonical('{"\uffff":2,"\U00010000":1}')


@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), 2**53, 2.0**53, 1e20, "\ud800", {1, 2}]
)
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(Refused, match="canonical JSON"):
        canonical({"a": value})


@pytest.mark.parametrize(
    "name", ["", "  ", "x" * 201, "a\nb", "a\x00b", "a\u2028b", "\x85", "\udc80"]
)
def test_a_name_that_is_none(name: str) -> None:
    with pytest.raises(Refused, match="The name of an author has 1 to 200 characters"):
        Actor(name, "officer")


@pytest.mark.parametrize("role", ["", "king", "Officer"])
def test_a_role_that_is_none(role: str) -> None:
    with pytest.raises(Refused, match="A role is administrator, officer, director"):
        Actor("Otto", role)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"kind": "gossip"}, "no entry of the kind gossip"),
        ({"subject": ""}, "subject of an entry has 1 to 200 characters"),
        ({"subject": "a\x1b[31m"}, "subject of an entry has 1 to 200 characters"),
        ({"subject": "x" * 201}, "subject of an entry has 1 to 200 characters"),
        ({"key": ""}, "key has 1 to 200 characters"),
        ({"key": "\udc80"}, "key has 1 to 200 characters"),
    ],
)
def test_what_is_no_entry(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(Refused, match=told):
        chain(rate(**changed), OFFICER, START, NOON)


def test_a_clock_that_goes_back_is_not_followed() -> None:
    first = chain(rate(), OFFICER, START, NOON)
    same = chain(rate(), OFFICER, first.head, NOON)
    earlier = chain(rate(), OFFICER, same.head, NOON - timedelta(days=400))
    later = chain(rate(), OFFICER, earlier.head, NOON + timedelta(seconds=1))
    assert [one.recorded_at for one in (first, same, earlier, later)] == [
        "2026-11-21T12:00:00.000005Z",
        "2026-11-21T12:00:00.000006Z",
        "2026-11-21T12:00:00.000007Z",
        "2026-11-21T12:00:01.000005Z",
    ]


def test_no_moment_comes_after_the_last_one() -> None:
    last = chain(rate(), OFFICER, START, datetime.max.replace(tzinfo=UTC))
    with pytest.raises(Refused, match="no time comes after it"):
        chain(rate(), OFFICER, last.head, NOON)


def test_a_moment_is_written_in_utc() -> None:
    tokyo = timezone(timedelta(hours=9))
    assert timestamp(datetime(2026, 1, 1, 8, tzinfo=tokyo)) == "2025-12-31T23:00:00.000000Z"
    assert timestamp(datetime(999, 1, 1, tzinfo=UTC)) == "0999-01-01T00:00:00.000000Z"


def test_an_entry_is_read_as_plain_values() -> None:
    entry: Entry = chain(rate(), OFFICER, START, NOON)
    assert entry.read() == {"rate": "1.1"}
