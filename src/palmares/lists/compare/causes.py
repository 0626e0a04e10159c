"""Why the points of a printed line differ, if one award or another rounding explains it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

import polars as pl

from palmares.core.rounding import exact_text, shared
from palmares.facts import Facts
from palmares.formats.printed_lists import RULES, PrintedRow
from palmares.lists.compare.our_list import OurList
from palmares.points.awards import Awards
from palmares.points.rankings import Selection, award_worths

MISSING, EXTRA = "award missing", "award extra"
HARMLESS = "below their list"
FOLLOWS = "rank follows"

CAUSES = {
    "rounding": "the number is ours, printed by another rule than the rest of the list",
    MISSING: "without one award, our number is theirs",
    EXTRA: "with one award that we do not count, or count once, our number is theirs",
    "ties counted otherwise": "the points are ours; equal points are ranked in another way",
    FOLLOWS: "the points are ours; the rank is that of the points on their own list",
    "rank alone": "the points are ours; the rank follows neither from our points nor from theirs",
    "unknown player": "we have no player with this name or id",
    "unclear player": "the name fits several of our players, or two of their lines fit one of our"
    " players",
    "nothing counts": "the player is known, but has no award that counts",
    "not on their list": "we list the player, they do not",
    HARMLESS: "we list the player, with fewer points than anyone on their list",
    "unexplained": "neither another rounding nor one award makes the number fit",
}
"""Every cause of a difference."""

MAX_AWARDS = 8  # listed for a line that stays unexplained
GRACE = timedelta(days=31)  # results so long after the day of a list may be on theirs


class Cause(NamedTuple):
    """Why a line differs: one of `CAUSES`, and a sentence."""

    key: str
    detail: str


class PlayerAward(NamedTuple):
    """An award of a player, in nanopoints times parts."""

    event: str
    where: str  # the flight, and the kind if there are several
    tournament: str
    effective: date
    weight: int  # on the day; in full if it has faded, or does not count yet
    why: str  # why it does not count; empty if it does

    def text(self, ours: OurList) -> str:
        """The award in words."""
        more = f", {self.why}" if self.why else ""
        return f"{self.event} of {self.tournament} ({self.where}: {ours.points(self.weight)}{more})"


def awards_of(
    awards: Awards, facts: Facts, selection: Selection, ours: OurList, players: Sequence[str]
) -> dict[str, list[PlayerAward]]:
    """All awards of some players, whether they count or not, in the order of time."""
    soon = pl.col("effective") <= selection.as_of + GRACE
    theirs = awards.frame.filter(pl.col("player_id").is_in(players), soon).sort("order")
    theirs = theirs.with_row_index("row")
    left = award_worths(awards.question, theirs, Selection(as_of=selection.as_of))
    left = left.select("row", "weight", parts_of="parts")
    rows = theirs.with_columns(selection.counts().alias("counts")).join(left, on="row", how="left")
    names = dict(facts.tables["tournaments"].select("tournament_id", "name").iter_rows())
    several = len(awards.question.get_regulation().kinds) > 1
    awards_by_player: dict[str, list[PlayerAward]] = {player: [] for player in players}
    for row in rows.sort("row").iter_rows(named=True):
        weight = row["nanopoints"] * ours.parts
        if row["weight"] is not None:
            weight = row["weight"] * ours.parts // row["parts_of"]
        words = (row["flight"], row["kind"] if several else "")
        awards_by_player[row["player_id"]].append(
            PlayerAward(
                event=row["event"],
                where=", ".join(word for word in words if word),
                tournament=names.get(row["tournament_id"], row["tournament_id"]),
                effective=row["effective"],
                weight=weight,
                why=_why(row, selection, latest=ours.latest),
            )
        )
    return awards_by_player


def _why(row: Mapping[str, Any], selection: Selection, *, latest: bool) -> str:
    """Why an award does not count; empty if it does."""
    if row["effective"] > selection.as_of:
        return f"which counts from {row['effective']} only"
    if not row["counts"]:
        return "which was not asked for"
    return "" if latest or row["weight"] is not None else "in full, though nothing of it is left"


def cause_of(ours: OurList, awards: Sequence[PlayerAward], player: str, row: PrintedRow) -> Cause:
    """Why the points of a line are not those of its player."""
    find = _earlier_rating if ours.latest else _one_award
    return (
        _rounding(ours, player, row)
        or find(ours, awards, player, row)
        or Cause(
            "unexplained" if player in ours.weights else "nothing counts",
            _awards_in_words(ours, awards),
        )
    )


def _rounding(ours: OurList, player: str, row: PrintedRow) -> Cause | None:
    """Their number is ours under another rounding rule."""
    if player not in ours.weights:
        return None
    weight = ours.weights[player]
    for rule, words in RULES.items():
        low, high = ours.bounds(player, row, rule)
        if low <= weight <= high:
            exact = exact_text(shared(weight, ours.parts))
            usual = RULES[ours.rule]
            return Cause("rounding", f"{exact} is {words} here; most of the list is {usual}")
    return None


def _earlier_rating(
    ours: OurList, awards: Sequence[PlayerAward], player: str, row: PrintedRow
) -> Cause | None:
    """Their number is the rating after another event."""
    low, high = ours.bounds(player, row)
    fits = [award for award in awards if low <= award.weight <= high]
    if not fits:
        return None
    last = fits[-1]
    after = "which does not count here" if last.why else "what came later is missing"
    return Cause(
        EXTRA if last.why else MISSING,
        f"their rating is the one after {last.event} ({last.effective}); {after}",
    )


def _one_award(
    ours: OurList, awards: Sequence[PlayerAward], player: str, row: PrintedRow
) -> Cause | None:
    """Their number is ours with one more award, or without one."""
    if not ours.places:  # in whole numbers, some award fits by chance
        return None
    low, high = ours.bounds(player, row)
    weight = ours.weights.get(player, 0)
    causes = []
    for award in awards:
        text = award.text(ours)
        if low <= weight + award.weight <= high:
            again = "" if award.why else " counted twice"
            causes.append(Cause(EXTRA, f"with {text}{again}"))
        if not award.why and low <= weight - award.weight <= high:
            causes.append(Cause(MISSING, f"without {text}"))
    return causes[0] if len(causes) == 1 else None


def _awards_in_words(ours: OurList, awards: Sequence[PlayerAward]) -> str:
    """The awards that we have, for a person to check."""
    counted = [award for award in awards if not award.why]
    if not awards:
        return "no award of this player is among our facts"
    if not counted:
        return f"we have: {'; '.join(award.text(ours) for award in awards[-MAX_AWARDS:])}"
    if ours.latest:
        return f"our number is the one after {counted[-1].text(ours)}"
    counted.sort(key=lambda award: -abs(award.weight))
    more = f"; and {len(counted) - MAX_AWARDS} more" if len(counted) > MAX_AWARDS else ""
    return f"we have {'; '.join(award.text(ours) for award in counted[:MAX_AWARDS])}{more}"
