"""Errors as they travel from a worker process to the one that shows them."""

from __future__ import annotations

import pickle

from palmares.core.errors import FactsRejected, Location, Problem


def test_a_refusal_of_another_process_says_the_same() -> None:
    """That nothing was recorded, and which files were passed over, too."""
    wrong, passed = (
        Problem(at=Location(file), what=what, clause="facts", remedy="Correct it.")
        for file, what in (("a.toml", "no name"), ("b.doc", "is passed over"))
    )
    refused = FactsRejected([wrong], so="nothing was recorded", notices=[passed])
    arrived = pickle.loads(pickle.dumps(refused))  # noqa: S301  our own bytes
    assert str(arrived) == str(refused)
    assert (arrived.problems, list(arrived.notices)) == ((wrong,), [passed])
