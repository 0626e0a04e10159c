"""Recognition: races that are declared, and the levels of a regulation."""

from __future__ import annotations

import tomllib
from decimal import Decimal

import msgspec

from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import msg
from palmares.journal.commands.transaction import Transaction, action, already_recorded
from palmares.journal.store.kinds import Level, Levels, Race
from palmares.regulations import awarding, get_regulation
from palmares.regulations.levels import parse_levels

RACE_REMEDY = msg(
    "A race has race (its address, such as abt-2019), name and regulation; and where they matter"
    " kinds, setting, since, until and divisions. Correct the file and try again."
)


def parse_race(text: str, where: str = "race") -> Race:
    """The race that a file declares.

    Args:
        text: TOML, as ``docs/how-to/races.md`` describes it.
        where: the file, as the user named it.

    Raises:
        FactsRejected: it declares no race; every fault is named.
    """
    try:
        race = msgspec.convert(tomllib.loads(text.removeprefix("\ufeff")), Race)
    except (ValueError, RecursionError) as error:
        raise _no_race(where, brief(error, 200)) from None
    if faults := _faults(race):
        raise _no_race(where, *faults)
    return race


def _faults(race: Race) -> list[str]:
    """What is wrong with a race of the right shape."""
    if race.regulation not in awarding():
        known = ", ".join(awarding())
        return [msg("regulation: there is no %(asked)s with a ranking; there are: %(known)s",
                    asked=brief(race.regulation), known=known)]  # fmt: skip
    regulation, faults = get_regulation(race.regulation), []
    if unknown := [kind for kind in race.kinds if kind not in regulation.kinds]:
        faults.append(
            msg("kinds: %(regulation)s has no points of the kind %(kind)s; there are: %(known)s",
                regulation=regulation.name, kind=brief(unknown[0]),
                known=", ".join(regulation.kinds))
        )  # fmt: skip
    elif 1 < len(set(race.kinds)) < len(regulation.kinds):
        faults.append(msg("kinds: name one kind, or all of them"))
    if race.setting not in (None, "live", "online"):
        faults.append(msg("setting: it is live or online, not %(asked)s",
                          asked=brief(race.setting)))  # fmt: skip
    if race.since and race.until and race.since > race.until:
        faults.append(msg("since is after until: no day is between them"))
    if len(set(race.divisions)) < len(race.divisions):
        faults.append(msg("divisions: one of them stands there twice"))
    if race.divisions and regulation.aggregate.latest:
        faults.append(msg("divisions: a rating goes on from event to event, and has none"))
    return faults


def _no_race(where: str, *faults: str) -> FactsRejected:
    return FactsRejected(
        Problem(at=Location(where), what=fault, clause="race", remedy=RACE_REMEDY, code="race")
        for fault in faults
    )


@action
def declare_race(transaction: Transaction, file: str) -> None:
    """Record a race; the last declaration of it is in force.

    Args:
        transaction: where it is recorded.
        file: the text of the file that declares it.

    Raises, when it is done:
        FactsRejected: the file declares no race.
    """
    race = parse_race(file)
    last = transaction.state.in_force("races", race.race)
    if last is not None and last.body == race:
        transaction.notices.append(already_recorded(last.sequence, f"race {race.race}"))
    else:
        transaction.add(race.race, race)


@action
def set_levels(transaction: Transaction, regulation: str, file: str) -> None:
    """Record the recognition levels of a regulation; the last ones are in force.

    Args:
        transaction: where they are recorded.
        regulation: whose points they are of.
        file: the text of the sheet of levels.

    Raises, when it is done:
        FactsRejected: the file is no sheet of levels.
        Refused: the regulation has no levels.
    """
    if regulation not in awarding() or get_regulation(regulation).level is None:
        raise Refused(
            msg("%(regulation)s has no recognition levels.", regulation=brief(regulation))
        )
    sheet = parse_levels(file, regulation, "levels")
    body = Levels(
        title=sheet.title,
        source=sheet.source,
        levels=[
            Level(level, f"{Decimal(points.numerator) / points.denominator:f}")
            for level, points in sheet.thresholds.items()
        ],
    )
    last = transaction.state.in_force("levels", regulation)
    if last is not None and last.body == body:
        transaction.notices.append(already_recorded(last.sequence, f"levels of {regulation}"))
    else:
        transaction.add(regulation, body)
