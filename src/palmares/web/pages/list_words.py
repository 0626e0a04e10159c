"""
What sets a published list apart, in words.

    narrowed    a list  ->  which results it counts, and the rules that were chosen for it
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from palmares.web.pages.officer_publishing import Coming
    from palmares.web.pages.publications import PublishedList


def narrowed(
    one: PublishedList | Coming, _: Callable[[str], str], day: Callable[[date], str]
) -> tuple[str, ...]:
    """What sets a list apart from the whole list of its day by the rules in force.

    Args:
        one: the list, published or about to be.
        _: messages of a language.
        day: days in words.
    """
    found = [one.of] if one.of else []
    found += [_(one.setting)] if one.setting else []
    found += [_(one.kind)] if one.kind != "total" else []
    found += [_("since %s") % day(one.since)] if one.since else []
    found += [_("until %s") % day(one.until)] if one.until else []
    found += [_("edition %s for every day") % one.edition] if one.edition else []
    found += [_("reading %s: %s") % chosen for chosen in sorted(one.chosen.items())]
    return tuple(found)
