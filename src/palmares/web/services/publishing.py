"""The publication of a list, as officers decide on it: the same as the command line does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.journal.commands.catalogue import Decision, Field
from palmares.journal.commands.transaction import Action, Transaction
from palmares.lists import publication
from palmares.points.awards import Question
from palmares.points.rankings import TOTAL, Selection
from palmares.regulations import regulation, regulations
from palmares.regulations.editions import Reading
from palmares.web.http.state import awarding_regulations

_KINDS = tuple(
    dict.fromkeys(
        kind for one in regulations().values() if len(one.kinds) > 1 for kind in one.kinds
    )
)
"""The kinds of points that stand beside others under the same regulation."""


# ── the form ─────────────────────────────────────────────────────────────────────────────────────


def _editions() -> tuple[str, ...]:
    """Editions that stand beside others of the same regulation."""
    held = [regulation(name).editions() for name in awarding_regulations()]
    return tuple(one.id for several in held if len(several) > 1 for one in several)


def _alternatives() -> Iterator[tuple[str, Reading]]:
    """Regulations and readings that have an alternative, in the words of the latest edition."""
    for name in awarding_regulations():
        held = regulation(name).editions()
        found = {one.id: one for edition in held for one in edition.readings.values()}
        yield from ((name, one) for one in found.values() if one.options)


READINGS = {f"{name}-{one.id}": (name, one) for name, one in _alternatives()}
"""The field of each reading that has an alternative; regulations may number them alike."""


def _reading(field: str) -> Field:
    name, one = READINGS[field]
    return Field(
        name=field, label=f"{name}, {one.id}: {one.silent}", kind="choice", required=False,
        choices=("", *one.options), called={"": one.we, **one.options}, seldom=True, quoted=True,
    )  # fmt: skip


FIELDS = (
    Field(name="regulation", label="Regulation", kind="choice", choices=awarding_regulations()),
    Field(name="day", label="As of", kind="day"),
    Field(
        name="by", label="List of", kind="choice", required=False, choices=("player", "nation"),
        called={"player": "player", "nation": "nation"},
    ),
    Field(
        name="setting", label="Live or online", kind="choice", required=False,
        choices=("", "live", "online"), called={"": "all", "live": "live", "online": "online"},
    ),
    Field(
        name="kind", label="Kind of points", kind="choice", required=False,
        choices=("", *_KINDS), called={"": "all", **{one: one for one in _KINDS}},
        hint="Such as match and placement points of the USBGF.",
    ),
    Field(
        name="nation", label="Only players of", required=False,
        hint="Three letters, such as GER. Nothing: of all nations.",
    ),
    Field(
        name="since", label="Only results since", kind="day", required=False,
        hint="The first day that counts. Nothing: from the beginning.",
    ),
    Field(
        name="until", label="Only results until", kind="day", required=False,
        hint="The last day that counts. Nothing: the day of the list.",
    ),
    Field(
        name="waiting", label="If events wait", kind="choice", required=False,
        choices=("", "without"), called={"": "do not publish", "without": "publish without them"},
        hint="Such events are missing in the list until what they lack is recorded.",
    ),
    Field(name="note", label="Note", required=False, hint="Kept for good; no names."),
    Field(
        name="edition", label="Edition", kind="choice", required=False, seldom=True,
        choices=("", *_editions()), called={"": "each day has its own"},
        hint="One edition for every day. Such a list never takes the place of the day’s own.",
    ),
    *map(_reading, READINGS),
)  # fmt: skip


# ── what was asked ───────────────────────────────────────────────────────────────────────────────


def _published(regulation: str, day: date, **told: Any) -> Action:
    """The action that publishes the list.

    Raises:
        Refused: an edition or a reading is none of its regulation.
    """
    question = _question(regulation, told.get("edition"), told)
    chosen = Selection(
        as_of=day,
        since=told.get("since"),
        until=told.get("until"),
        setting=told.get("setting"),
        kind=told.get("kind", TOTAL),
        nation=told["nation"].upper() if "nation" in told else None,
    )

    def act(desk: Transaction) -> None:
        known = desk.projection
        given = publication.made(
            question, known.facts, chosen,
            by=told.get("by", "player"), known=known.state.head, note=told.get("note"),
            with_waiting_events=told.get("waiting") == "without",
        )  # fmt: skip
        publication.publishing(given.publication)(desk)

    return act


def _question(name: str, edition: str | None, told: Mapping[str, Any]) -> Question:
    """The rules that were chosen; none is silently left aside."""
    if name not in awarding_regulations():
        raise Refused(msg("There is no such regulation: %(regulation)s.", regulation=brief(name)))
    chosen = {field: told[field] for field in READINGS if field in told}
    others = tuple(READINGS[one][1].id for one in chosen if READINGS[one][0] != name)
    if others:
        raise Refused(
            msg(
                "%(readings)s: no reading of %(regulation)s. Choose only among its own.",
                readings=", ".join(others),
                regulation=name,
            )
        )
    there_are = tuple(one.id for one in regulation(name).editions())
    if edition and edition not in there_are:
        raise Refused(
            msg(
                "%(regulation)s has no edition %(edition)s. There are: %(editions)s.",
                regulation=name,
                edition=brief(edition),
                editions=", ".join(there_are),
            )
        )
    options = {READINGS[field][1].id: option for field, option in chosen.items()}
    return Question(regulation=name, edition=edition, chosen=options)


PUBLISH = Decision(
    entry=publication.KIND,
    title="Publish a list",
    about="The ranking of a day is announced for good, so that anybody can recompute it.",
    fields=FIELDS,
    action=_published,
)
