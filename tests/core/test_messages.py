"""Sentences keep what they are made of."""

from __future__ import annotations

from palmares.core.messages import begun, changed, either, elsewhere, msg
from palmares.web.http.i18n import wording

UNDO = either("Undo it: palmares journal undo 4.", msg("Undo entry %(entry)s.", entry=4))


def test_commands_for_those_who_type_them() -> None:
    assert UNDO == "Undo it: palmares journal undo 4."
    assert elsewhere(UNDO) == "Undo entry 4."
    inside = msg("%(one)s %(two)s", one=UNDO, two=("a", UNDO))
    assert inside == f"{UNDO} a, {UNDO}"
    assert elsewhere(inside) == "Undo entry 4. a, Undo entry 4."


def test_both_are_changed() -> None:
    found = changed(either("Ask <b>.", msg("See %(who)s.", who="<b>")), str.upper)
    assert (found, elsewhere(found)) == ("ASK <B>.", "See <B>.")


def test_a_sentence_begins_with_a_capital_in_every_language() -> None:
    """Its own first letter, whatever value stands there; and for a program as well."""
    found = begun(msg("%(column)s is '%(text)s'", column="place", text="x"))
    assert found == "Place is 'x'"
    assert elsewhere(found) == "Place is 'x'"
    assert wording("de").text(found) == "Place ist „x“"
    assert begun("plain text") == "Plain text"
    inside = msg("%(what)s. %(remedy)s", what=(found,), remedy=("Look.",))
    assert inside == "Place is 'x'. Look."
    assert elsewhere(inside) == inside
