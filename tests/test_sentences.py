"""Sentences keep what they are made of."""

from __future__ import annotations

from palmares.sentences import changed, either, elsewhere, said

UNDO = either("Undo it: palmares journal undo 4.", said("Undo entry %(entry)s.", entry=4))


def test_commands_for_those_who_type_them() -> None:
    assert UNDO == "Undo it: palmares journal undo 4."
    assert elsewhere(UNDO) == "Undo entry 4."
    inside = said("%(one)s %(two)s", one=UNDO, two=("a", UNDO))
    assert inside == f"{UNDO} a, {UNDO}"
    assert elsewhere(inside) == "Undo entry 4. a, Undo entry 4."


def test_both_are_changed() -> None:
    found = changed(either("Ask <b>.", said("See %(who)s.", who="<b>")), str.upper)
    assert (found, elsewhere(found)) == ("ASK <B>.", "See <B>.")
