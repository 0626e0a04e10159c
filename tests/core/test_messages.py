"""Sentences keep what they are made of."""

from __future__ import annotations

from palmares.core.messages import begun, english, msg
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
