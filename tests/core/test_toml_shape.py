"""A document of a wrong shape is refused in the words of its file."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

import msgspec
import pytest
from msgspec import Meta

from palmares.core.toml import fault_of, read_document

ID = r"^[a-z]+\Z"


class Part(msgspec.Struct, forbid_unknown_fields=True):
    """A part."""

    lengths: Annotated[list[Annotated[int, Meta(ge=1, le=99)]], Meta(min_length=1, max_length=2)]
    fee: int | str = 0


class One(msgspec.Struct, tag="one", tag_field="format", forbid_unknown_fields=True):
    """A document."""

    name: Annotated[str, Meta(pattern=ID)]
    on: date | None = None
    setting: Literal["live", "online"] = "live"
    parts: list[Part] = []
    shares: dict[str, list[int]] = {}

    def __post_init__(self) -> None:
        if self.name == "nobody":
            raise ValueError("nobody has this name")


class Two(msgspec.Struct, tag="two", tag_field="format"):
    """Another document."""


HEAD = 'format = "one"\nname = "a"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('format = "one"\n', "1: name is missing. Add it and try again."),
        ("", "1: format is missing. Add it and try again."),
        ('format = "three"\n', "1: format is not one of its words. Write one of these: one, two."),
        (HEAD + "nam = 1\n", "3: there is no key nam. Did you mean name?"),
        (HEAD + "[[parts]]\nx = 1\n", "4: there is no key parts.x. There are: lengths, fee."),
        (HEAD + "[[parts]]\n", "3: parts.lengths is missing. "),
        (HEAD + "[[parts]]\nlengths = [0]\n", "4: parts.lengths is less than 1. "),
        (HEAD + "[[parts]]\nlengths = [100]\n", "4: parts.lengths is more than 99. "),
        (HEAD + "[[parts]]\nlengths = []\n", "4: parts.lengths needs at least 1 items. "),
        (HEAD + "[[parts]]\nlengths = [1, 1, 1]", "4: parts.lengths has more than 2 items. "),
        (HEAD + "[[parts]]\nlengths = 5", "4: parts.lengths is not a list. "),
        (HEAD + "[[parts]]\nlengths = [5]\nfee = []",
         "5: parts.fee is not a whole number or a text. "),
        (HEAD + "parts = 3", "3: parts is not a list. "),
        (HEAD + "[shares]\nmain = ['a']", "3: shares is not a whole number. "),
        (HEAD + 'on = "soon"', "3: on is not a day. Write it like 2027-03-12."),
        (HEAD + "on = 3", "3: on is not a day such as 2027-03-12. "),
        (HEAD + 'setting = "lve"', "3: setting is not one of its words. Write one of these: live"),
        ('format = "one"\nname = "A"', "2: name is not an id in small letters. "),
        ('format = "one"\nname = "nobody"', "1: nobody has this name. Correct it and try again."),
    ],
)  # fmt: skip
def test_what_is_wrong(text: str, said: str) -> None:
    document = read_document(text.encode(), "x.toml")
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert(document.values, One | Two)
    fault = fault_of(error.value, One | Two, document.text, {ID: "an id in small letters"})
    told = f"{fault.line}: {fault.what}. {fault.remedy}"
    assert told.startswith(said)
    assert "`" not in told


def test_without_lines_or_forms() -> None:
    """What was filled in on a page has no lines."""
    with pytest.raises(msgspec.ValidationError) as error:
        msgspec.convert({"format": "one", "name": "A"}, One)
    what, remedy = "name is not written as it must be", "Correct it and try again."
    assert fault_of(error.value, One, None) == (0, what, remedy)
