"""Sentences keep what they are made of."""

from __future__ import annotations

import msgspec

from palmares.core.messages import (
    LocalNumber,
    begun,
    english,
    message_values,
    msg,
    plural,
    restored,
    stored,
)
from palmares.web.http.i18n import wording


def test_a_sentence_begins_with_a_capital_in_every_language() -> None:
    """Its own first letter, whatever value stands there; and for a program as well."""
    found = begun(msg("%(column)s is '%(text)s'", column="place", text="x"))
    assert found == "Place is 'x'"
    assert english(found) == "Place is 'x'"
    assert wording("de").text(found) == "Place ist „x“"
    assert begun("plain text") == "Plain text"
    inside = msg("%(what)s. %(remedy)s", what=(found,), remedy=("Look.",))
    assert inside == "Place is 'x'. Look."
    assert english(inside) == inside


def test_a_message_from_a_file_is_said_in_every_language() -> None:
    """With its values: numbers, words and messages within it."""
    inner = plural("%(many)s player", "%(many)s players", 2)
    text = begun(
        msg("%(a)s, %(b)s, %(c)s, %(d)s", a=inner, b=LocalNumber("15.74"), c=("Ada", "Ben"), d=3)
    )
    packed = msgspec.msgpack.encode({"what": [text, "plain"]}, enc_hook=stored)
    found = msgspec.msgpack.decode(packed, ext_hook=restored)["what"]
    assert found == [text, "plain"]
    assert message_values(found[0]) == message_values(text)
    assert [wording("de").text(each) for each in found] == [wording("de").text(text), "plain"]
