"""What to do next, where the site has a page or a section for it: hints by their code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palmares.core import messages
from palmares.core.messages import msg, reworded

HINTS: Mapping[str, str] = {
    "correct-report-or-id": msg(
        "If these are two people, correct the report; if the id is another now,"
        " tell an officer: ids elsewhere are changed by command."
    ),
    "replace-no-longer": msg("Say under Names no longer that this is replaced."),
    "say-replaces": msg("If yours is right, say under Names that it replaces what is there."),
    "say-so": msg("If they are one player, say so under Names."),
    "say-so-or-change-id": msg(
        "If they are one player, say so under Names. If not, give this one another id, or none."
    ),
    "say-which-part": msg(
        "%(player)s was not merged into anybody. Say which of these shall be"
        " somebody of his own again: %(parts)s. Or decide “Somebody else played”,"
        " and name the tournaments."
    ),
    "say-who": msg("Say who he is, under Names."),
    "write-or-say": msg(
        "Write the id into the report, %(example)s, or say who he is, under Names."
    ),
}
"""What pages say in place of a hint: Names is a section of a director's page."""

FOR_OFFICERS: Mapping[str, str] = {
    "replace-no-longer": msg(
        "Return the report: its director says no longer that this is replaced."
    ),
    "say-replaces": msg(
        "If this one is right, return the report: its director says that it replaces what is there."
    ),
    "say-so": msg("If they are one player, return the report: its director says so."),
    "say-so-or-change-id": msg(
        "If they are one player, return the report: its director says so, or gives this one another"
        " id, or none."
    ),
    "say-who": msg("Return the report: its director says who this is."),
    "write-or-say": msg(
        "Return the report: its director writes the id into it, or says who this is."
    ),
}
"""The same for an officer who looks at a report."""


def plain(text: Any) -> str:
    """English text as the site says it.

    Raises:
        NotImplementedError: it is no text.
    """
    return messages.plain(reworded(text, HINTS))
