"""
From the matches of a team event to what each team has from each of them.

    TeamEvent       one event: its teams, its matches in order, the rules they are scored by
    desk            facts and an event  ->  TeamEvent
    Entry           one team as it entered: its name, what it carried forward, its lot
    Result          one team's side of one match: IMPs for and against, VPs, adjustment

VPs are whole numbers of hundredths ("cells"), IMPs are exact fractions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl

from palmares.bridge.board_results import imps_of_matches
from palmares.bridge.vp import CONTINUOUS, Scale, scale_of
from palmares.core.errors import Refused, brief
from palmares.core.messages import msg
from palmares.core.rounding import half_up
from palmares.facts import Facts
from palmares.regulations import wbf_standings, wbf_vp
from palmares.regulations.editions import Rules, checked_choices, editions, rules

Row = Mapping[str, Any]

REGULATION = "wbf-standings"
PLAYED, BYE, VOID = "played", "bye", "void"
_RESULTS_STAND, _ALL_VOID = "results-stand", "all-void"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One team as it entered the event."""

    team: str  # as its matches name it
    name: str  # in full
    carried: int  # hundredths of a VP, from an earlier stage
    withdrawn: bool
    lot: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One team's side of one match."""

    match_id: str
    round: str | None
    opponent: str | None  #: None for a bye
    boards: int | None
    status: str  #: played | bye | void
    imps_for: Fraction  #: of the score that counts for this team, carried IMPs included
    imps_against: Fraction
    margin: int  #: that entered the scale
    vp: int  #: hundredths; none in a void match
    adjustment: int  #: hundredths

    @property
    def is_played(self) -> bool:
        """Whether it counts as a match."""
        return self.status == PLAYED


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamEvent:
    """Everything needed to score one event."""

    event_id: str
    event: str
    rules: Rules
    scale: str
    bye_vp: Fraction | None  # of the director; none: the sheet's
    entries: Mapping[str, Entry]
    rows: Sequence[Row]  # in the order of rounds
    dropped: frozenset[str]  # teams whose matches are void since they withdrew

    @property
    def rounds(self) -> tuple[str | None, ...]:
        """The rounds, 2 before 10, words after numbers."""
        return tuple(dict.fromkeys(row["round"] for row in self.rows))

    def until(self, last: str | None) -> tuple[str | None, ...]:
        """The rounds up to one of them, or all.

        Raises:
            Refused: there is no such round.
        """
        if last is None:
            return self.rounds
        if last not in self.rounds:
            there_are = ", ".join(str(one) for one in self.rounds if one is not None)
            none = msg("no rounds")
            raise Refused(
                msg(
                    "%(event)s has no round %(round)s. There are: %(rounds)s.",
                    event=self.event,
                    round=brief(last),
                    rounds=there_are or (none,),
                )
            )
        return self.rounds[: self.rounds.index(last) + 1]

    def scale_for(self, boards: int) -> Scale:
        """The scale of a match of so many boards."""
        return scale_of(boards, self.scale)

    @property
    def full(self) -> int:
        """The VPs of both sides of a match together, in hundredths."""
        return self.scale_for(1).full

    def results(self, team: str) -> Iterator[Result]:
        """What a team has from each of its matches, in order."""
        for row in self.rows:
            side = side_of(row, team)
            if side is not None:
                yield self.result(row, *side)

    def result(self, row: Row, side: str, other: str) -> Result:
        """One side of one match."""
        status = self._status(row)
        own, theirs = self._imps(row, side, other) if status == PLAYED else (Fraction(), Fraction())
        won_by = wbf_standings.margin(own, theirs) if status == PLAYED else 0
        return Result(
            match_id=row["match_id"],
            round=row["round"],
            opponent=None if row["status"] == BYE else row[other],
            boards=row["boards"],
            status=status,
            imps_for=own,
            imps_against=theirs,
            margin=won_by,
            vp=self._vp(status, row["boards"], won_by),
            adjustment=cells(row[f"{side}_adjust_vp"]),
        )

    def _status(self, row: Row) -> str:
        status: str = row["status"] or PLAYED
        is_dropped = status == PLAYED and self.dropped.intersection((row["home"], row["away"]))
        return VOID if is_dropped else status

    def _imps(self, row: Row, side: str, other: str) -> tuple[Fraction, Fraction]:
        """IMPs for and against in the score that counts for a side (reading S2)."""
        is_split = side == "away" and row["split_home_imps"] is not None
        name = "split_{}_imps" if is_split else "{}_imps"
        carry = "{}_carry_imps"
        own, theirs = (
            Fraction(row[name.format(one)]) + Fraction(row[carry.format(one)] or 0)
            for one in (side, other)
        )
        return own, theirs

    def _vp(self, status: str, boards: int, won_by: int) -> int:
        """Hundredths for a margin of so many IMPs, or for a bye."""
        if status == BYE:
            return wbf_standings.bye_cells(self.rules.constants, self.full, self.bye_vp)
        if status == VOID:
            return 0
        held = self.scale_for(boards)
        winner = wbf_vp.winner_cells(held.cells, won_by)
        return winner if won_by >= 0 else wbf_vp.loser_cells(held.full, winner)


def side_of(row: Row, team: str) -> tuple[str, str] | None:
    """Which side of a match a team is, and which the other is; none: neither."""
    if row["home"] == team:
        return "home", "away"
    return ("away", "home") if row["away"] == team and row["status"] != BYE else None


def cells(vp: Any) -> int:
    """VPs as whole hundredths; empty is none."""
    return int(half_up(Fraction(vp or 0) * 100, 0))


def desk(
    facts: Facts,
    event: str | None = None,
    *,
    scale: str = CONTINUOUS,
    bye_vp: Fraction | None = None,
    chosen: Mapping[str, str] | None = None,
) -> TeamEvent:
    """One event ready to be scored.

    Args:
        facts: checked facts.
        event: its id or its name; without it, the one event with matches of teams.
        scale: one of `palmares.bridge.vp.SCALES`.
        bye_vp: the VPs of a bye; without it the sheet's.
        chosen: options by reading id.

    Raises:
        Refused: no such event, or several; a bye of more than the scale gives; no such reading.
    """
    found = _event(facts, event)
    by_boards = imps_of_matches(facts)
    rows = [
        row | {"round": row["round"] or None} | by_boards.get(row["match_id"], {})
        for row in facts["team_matches"]
        .filter(pl.col("event_id") == found["event_id"])
        .iter_rows(named=True)
    ]
    rows.sort(key=lambda row: (natural(row["round"]), row["home"], row["away"] or "",
                               row["match_id"]))  # fmt: skip
    held = editions(REGULATION)
    put_to_work = rules(
        held[-1], wbf_standings.Constants, Fraction, checked_choices(held, chosen or {})
    )
    entries = _entries(facts, found["event_id"], rows)
    made = TeamEvent(
        event_id=found["event_id"],
        event=found["name"],
        rules=put_to_work,
        scale=scale,
        bye_vp=bye_vp,
        entries=entries,
        rows=rows,
        dropped=frozenset(_dropped(put_to_work, entries, rows)),
    )
    if bye_vp is not None and not 0 <= bye_vp * 100 <= made.full:
        raise Refused(
            f"A bye is worth 0 to {made.full // 100} VPs on the {scale} scale, not "
            f"{float(bye_vp):g} [{REGULATION} bye, S1]."
        )
    return made


def _event(facts: Facts, wanted: str | None) -> Row:
    """The event that was asked for, by id or by name."""
    with_matches = facts["team_matches"]["event_id"].unique()
    events = facts["events"].filter(pl.col("event_id").is_in(with_matches.implode()))
    rows = list(events.sort("event_id").iter_rows(named=True))
    if wanted is not None:
        rows = [row for row in rows if wanted == row["event_id"]] or [
            row for row in rows if wanted == row["name"]
        ]
    if len(rows) == 1:
        return rows[0]
    there_are = "".join(
        f"\n    {row['event_id']}  {row['name']}"
        for row in (rows or events.sort("event_id").iter_rows(named=True))
    )
    if wanted is None and not rows:
        raise Refused("There are no matches of teams here: an event needs rows in team_matches.")
    if wanted is None:
        raise Refused(f"{len(rows)} events have matches of teams. Choose one by its id:{there_are}")
    what = "Several events are" if rows else "No event with matches of teams is"
    raise Refused(f"{what} called {wanted}. Choose one by its id:{there_are or ' there is none'}")


def natural(round_: str | None) -> tuple[int, list[tuple[int, int, str]], str]:
    """A key that sorts 2 before 10 and words after numbers; no round comes last."""
    if round_ is None:
        return 2, [], ""
    pieces = [
        (0, int(one), "") if one.isdecimal() else (1, 0, one.casefold())
        for one in re.split(r"(\d+)", round_)
        if one
    ]
    return int(not round_[:1].isdecimal()), pieces, round_


def _entries(facts: Facts, event_id: str, rows: Sequence[Row]) -> dict[str, Entry]:
    """Every team, in the order of the alphabet."""
    told = {
        row["team"]: row
        for row in facts["teams"].filter(pl.col("event_id") == event_id).iter_rows(named=True)
    }
    played = {row["home"] for row in rows}
    played |= {row["away"] for row in rows if row["status"] != BYE}
    made = {}
    for team in sorted({*told, *played}, key=alphabet):
        row = told.get(team, {})
        made[team] = Entry(
            team=team,
            name=row.get("name") or team,
            carried=cells(row.get("carried_vp")),
            withdrawn=bool(row.get("withdrawn")),
            lot=row.get("lot"),
        )
    return made


def alphabet(team: str) -> tuple[str, str]:
    """A key that sorts teams by name, whatever their capitals."""
    return team.casefold(), team


def _dropped(held: Rules, entries: Mapping[str, Entry], rows: Sequence[Row]) -> Iterator[str]:
    """The withdrawn teams whose matches are void (reading S6)."""
    sides = [(row, (row["home"], row["away"])) for row in rows if row["status"] != BYE]
    listed = {team: sum(team in both for _, both in sides) for team in entries}
    for team, entry in entries.items():
        if not entry.withdrawn or held.reads("S6", _RESULTS_STAND):
            continue
        played = sum(team in both for row, both in sides if row["status"] != VOID)
        if held.reads("S6", _ALL_VOID) or wbf_standings.void_after_withdrawal(
            held.constants, played, max(listed.values())
        ):
            yield team
