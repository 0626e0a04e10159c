"""
From the matches of teams to VPs, and to each team's results and total in an event.

VPs are whole numbers of hundredths; IMPs are exact fractions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import polars as pl

from palmares.bridge.vp import CONTINUOUS, Scale, board_imps, scale_of
from palmares.core.errors import FactsRejected, Location, Problem, Refused, brief
from palmares.core.messages import msg
from palmares.core.rounding import half_up
from palmares.facts import Facts
from palmares.regulations import wbf_standings, wbf_vp
from palmares.regulations.editions import Rules, rulebook

Row = Mapping[str, Any]

REGULATION = "wbf-standings"
PLAYED, BYE, VOID = "played", "bye", "void"
_RESULTS_STAND, _ALL_VOID = "results-stand", "all-void"


@dataclass(frozen=True, slots=True, kw_only=True)
class Team:
    """One team as it entered the event."""

    team: str  # as its matches name it
    name: str  # in full
    carried: int  # hundredths of a VP, from an earlier stage
    withdrawn: bool
    lot: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamResult:
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
class TeamStanding:
    """One team in the list."""

    rank: int | None = None  #: None for a team that withdrew
    team: str  #: as its matches name it
    name: str  #: in full
    points: int  #: in hundredths of a VP, with what was carried forward and adjusted
    match_points: int  #: of matches and byes
    carried: int
    adjustments: int
    played: int
    won: int
    drawn: int
    lost: int
    imps_for: Fraction
    imps_against: Fraction
    tie_break: str = ""  #: what separated it from teams with as many VPs
    withdrawn: bool
    lot: int | None
    results: tuple[TeamResult, ...]

    def against(self, opponents: Sequence[str]) -> list[TeamResult]:
        """Its matches against some teams, void ones left out."""
        return [match for match in self.results if match.is_played and match.opponent in opponents]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamEvent:
    """An event with the rules that it is scored by."""

    event_id: str
    event: str
    rules: Rules
    scale: str
    bye_vp: Fraction | None  # set by the director; none: the edition file's
    teams: Mapping[str, Team]
    rows: Sequence[Row]  # matches in the order of rounds
    voided: frozenset[str]  # teams whose matches are void since they withdrew

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
            rounds = ", ".join(str(round_) for round_ in self.rounds if round_ is not None)
            raise Refused(
                msg(
                    "%(event)s has no round %(round)s. There are: %(rounds)s.",
                    event=self.event,
                    round=brief(last),
                    rounds=rounds or (msg("no rounds"),),
                )
            )
        return self.rounds[: self.rounds.index(last) + 1]

    @property
    def full(self) -> int:
        """The VPs of both sides of a match together, in hundredths."""
        return scale_of(1, self.scale).full

    def standing(self, team: str, rounds: Sequence[str | None]) -> TeamStanding:
        """A team with its matches of some rounds and its total, before teams are ranked."""
        entered = self.teams[team]
        results = tuple(
            self.result(row, *side)
            for row in self.rows
            if row["round"] in rounds and (side := side_of(row, team))
        )
        margins = [result.margin for result in results if result.is_played]
        match_points = sum(result.vp for result in results)
        adjustments = sum(result.adjustment for result in results)
        return TeamStanding(
            team=team,
            name=entered.name,
            points=wbf_standings.total(match_points, entered.carried, adjustments),
            match_points=match_points,
            carried=entered.carried,
            adjustments=adjustments,
            played=len(margins),
            won=sum(margin > 0 for margin in margins),
            drawn=margins.count(0),
            lost=sum(margin < 0 for margin in margins),
            imps_for=sum((result.imps_for for result in results), Fraction()),
            imps_against=sum((result.imps_against for result in results), Fraction()),
            withdrawn=entered.withdrawn,
            lot=entered.lot,
            results=results,
        )

    def result(self, row: Row, side: str, other: str) -> TeamResult:
        """One side of one match."""
        status = self._status(row)
        own, theirs = side_imps(row, side, other) if status == PLAYED else (Fraction(), Fraction())
        won_by = wbf_standings.margin(own, theirs) if status == PLAYED else 0
        return TeamResult(
            match_id=row["match_id"],
            round=row["round"],
            opponent=None if row["status"] == BYE else row[other],
            boards=row["boards"],
            status=status,
            imps_for=own,
            imps_against=theirs,
            margin=won_by,
            vp=self._vp(status, row["boards"], won_by),
            adjustment=centi_vp(row[f"{side}_adjust_vp"]),
        )

    def _status(self, row: Row) -> str:
        status: str = row["status"] or PLAYED
        is_voided = status == PLAYED and self.voided.intersection((row["home"], row["away"]))
        return VOID if is_voided else status

    def _vp(self, status: str, boards: int, won_by: int) -> int:
        """Hundredths for a margin of so many IMPs, or for a bye."""
        if status == BYE:
            return wbf_standings.bye_cells(self.rules.constants, self.full, self.bye_vp)
        if status == VOID:
            return 0
        return side_vp(scale_of(boards, self.scale), won_by)


def side_imps(row: Row, side: str, other: str) -> tuple[Fraction, Fraction]:
    """IMPs for and against in the score that counts for a side (reading S2)."""
    is_split = side == "away" and row["split_home_imps"] is not None
    name = "split_{}_imps" if is_split else "{}_imps"
    own, theirs = (
        Fraction(row[name.format(of)]) + Fraction(row[f"{of}_carry_imps"] or 0)
        for of in (side, other)
    )
    return own, theirs


def side_vp(scale: Scale, won_by: int) -> int:
    """Hundredths of a VP of the side that won, or lost, by so many IMPs."""
    winner = wbf_vp.winner_cells(scale.table, won_by)
    return winner if won_by >= 0 else wbf_vp.loser_cells(scale.full, winner)


def side_of(row: Row, team: str) -> tuple[str, str] | None:
    """A team's side of a match and the other side; none if the team did not play it."""
    if row["home"] == team:
        return "home", "away"
    return ("away", "home") if row["away"] == team and row["status"] != BYE else None


def centi_vp(vp: Any) -> int:
    """VPs as whole hundredths; none is 0."""
    return int(half_up(Fraction(vp or 0) * 100, 0))


def load_team_event(
    facts: Facts,
    event: str | None = None,
    *,
    scale: str = CONTINUOUS,
    bye_vp: Fraction | None = None,
    chosen: Mapping[str, str] | None = None,
) -> TeamEvent:
    """An event ready to be scored.

    Args:
        facts: checked facts.
        event: its id or its name; without it, the one event with matches of teams.
        scale: one of `palmares.bridge.vp.SCALES`.
        bye_vp: the VPs of a bye; without it the edition file's.
        chosen: options by reading id.

    Raises:
        Refused: no such event, or several; a bye of more than the scale gives; no such reading.
    """
    row = _find_event(facts, event)
    board_imps = imps_of_matches(facts)
    rows = [
        row | {"round": row["round"] or None} | board_imps.get(row["match_id"], {})
        for row in facts["team_matches"]
        .filter(pl.col("event_id") == row["event_id"])
        .iter_rows(named=True)
    ]
    rows.sort(key=lambda row: (natural(row["round"]), row["home"], row["away"] or "",
                               row["match_id"]))  # fmt: skip
    rules = rulebook(REGULATION, wbf_standings.Constants, number=Fraction, chosen=chosen).all[-1]
    teams = _teams(facts, row["event_id"], rows)
    loaded = TeamEvent(
        event_id=row["event_id"],
        event=row["name"],
        rules=rules,
        scale=scale,
        bye_vp=bye_vp,
        teams=teams,
        rows=rows,
        voided=frozenset(_voided(rules, teams, rows)),
    )
    if bye_vp is not None and not 0 <= bye_vp * 100 <= loaded.full:
        raise Refused(
            f"A bye is worth 0 to {loaded.full // 100} VPs on the {scale} scale, not "
            f"{float(bye_vp):g} [{REGULATION} bye, S1]."
        )
    return loaded


def _find_event(facts: Facts, wanted: str | None) -> Row:
    with_matches = facts["team_matches"]["event_id"].unique()
    events = facts["events"].filter(pl.col("event_id").is_in(with_matches.implode()))
    rows = list(events.sort("event_id").iter_rows(named=True))
    if wanted is not None:
        rows = [row for row in rows if wanted == row["event_id"]] or [
            row for row in rows if wanted == row["name"]
        ]
    if len(rows) == 1:
        return rows[0]
    choices = "".join(
        f"\n    {row['event_id']}  {row['name']}"
        for row in (rows or events.sort("event_id").iter_rows(named=True))
    )
    if wanted is None and not rows:
        raise Refused("There are no matches of teams here. Report an event with matches of teams.")
    if wanted is None:
        raise Refused(f"{len(rows)} events have matches of teams. Choose one by its id:{choices}")
    what = "Several events are" if rows else "No event with matches of teams is"
    raise Refused(f"{what} called {wanted}. Choose one by its id:{choices or ' there is none'}")


def natural(round_: str | None) -> tuple[int, list[tuple[int, int, str]], str]:
    """A key that sorts 2 before 10 and words after numbers; no round comes last."""
    if round_ is None:
        return 2, [], ""
    pieces = [
        (0, int(piece), "") if piece.isdecimal() else (1, 0, piece.casefold())
        for piece in re.split(r"(\d+)", round_)
        if piece
    ]
    return int(not round_[:1].isdecimal()), pieces, round_


def _teams(facts: Facts, event_id: str, rows: Sequence[Row]) -> dict[str, Team]:
    """Every team, in alphabetical order."""
    teams = {
        row["team"]: row
        for row in facts["teams"].filter(pl.col("event_id") == event_id).iter_rows(named=True)
    }
    for row in rows:
        teams.setdefault(row["home"], {})
        if row["status"] != BYE:
            teams.setdefault(row["away"], {})
    return {
        team: Team(
            team=team,
            name=row.get("name") or team,
            carried=centi_vp(row.get("carried_vp")),
            withdrawn=bool(row.get("withdrawn")),
            lot=row.get("lot"),
        )
        for team, row in sorted(teams.items(), key=lambda item: alphabet(item[0]))
    }


def alphabet(team: str) -> tuple[str, str]:
    """A key that sorts teams by name, whatever their capitals."""
    return team.casefold(), team


def _voided(rules: Rules, teams: Mapping[str, Team], rows: Sequence[Row]) -> Iterator[str]:
    """The withdrawn teams whose matches are void (reading S6)."""
    if rules.reads("S6", _RESULTS_STAND):
        return
    matches = [row for row in rows if row["status"] != BYE]
    drawn = Counter(team for row in matches for team in (row["home"], row["away"]))
    for name, team in teams.items():
        if not team.withdrawn:
            continue
        played = sum(name in (row["home"], row["away"]) for row in matches if row["status"] != VOID)
        if rules.reads("S6", _ALL_VOID) or wbf_standings.void_after_withdrawal(
            rules.constants, played, max(drawn.values(), default=0)
        ):
            yield name


# ── the VPs of many matches at once ───────────────────────────────────────────────────────────────


SCHEMA = pl.Schema(
    {
        "match_id": pl.String(),
        "event_id": pl.String(),
        "round": pl.String(),
        "home": pl.String(),
        "away": pl.String(),
        "status": pl.String(),
        "boards": pl.Int64(),
        "scale": pl.String(),
        "margin": pl.Int64(),
        "home_vp": pl.String(),
        "away_vp": pl.String(),
    }
)
"""``margin``: the home side's; without one, and without VPs, in byes and void matches."""


def match_vps(facts: Facts, scale: str = CONTINUOUS) -> pl.DataFrame:
    """The margin and both sides' VPs of each match, in the columns of `SCHEMA`.

    Args:
        facts: checked; a match with board results has its IMPs from them.
        scale: one of `palmares.bridge.vp.SCALES`.

    Raises:
        Refused: there is no such scale.
    """
    scale_of(1, scale)
    matches = _with_boards(facts).with_columns(
        pl.col("status").fill_null(PLAYED), pl.lit(scale).alias("scale")
    )
    played = matches.filter(pl.col("status") == PLAYED).select("status", *_SCORES).unique()
    vps = [_both_vps(row, scale) for row in played.iter_rows(named=True)]
    scored = played.hstack(pl.DataFrame(vps, {name: SCHEMA[name] for name in _VPS}, orient="row"))
    joined = matches.join(
        scored, on=played.columns, how="left", maintain_order="left", nulls_equal=True
    )
    return joined.select(pl.col(name).cast(kind) for name, kind in SCHEMA.items())


_SCORES = ("boards", "home_imps", "away_imps", "home_carry_imps", "away_carry_imps",
           "split_home_imps", "split_away_imps")  # fmt: skip
"""What VPs follow from: computed once for all matches that have the same."""
_VPS = ("margin", "home_vp", "away_vp")


def _both_vps(row: Row, scale: str) -> tuple[int, str, str]:
    """The margin of the home side, and the VPs of both as text."""
    vp_scale = scale_of(row["boards"], scale)
    home, away = (
        wbf_standings.margin(*side_imps(row, *sides))
        for sides in (("home", "away"), ("away", "home"))
    )
    return home, vp_scale.text(side_vp(vp_scale, home)), vp_scale.text(side_vp(vp_scale, away))


def _with_boards(facts: Facts) -> pl.DataFrame:
    """The matches, with the IMPs that board results come to."""
    matches = facts["team_matches"]
    columns = ("match_id", "home_imps", "away_imps")
    rows = [{"match_id": match, **sums} for match, sums in imps_of_matches(facts).items()]
    scores = pl.DataFrame(rows, {name: matches.schema[name] for name in columns})
    return matches.update(scores, on="match_id")


# ── IMPs of matches, from their boards ────────────────────────────────────────────────────────────

Sums = dict[str, dict[str, int]]


def imps_of_matches(facts: Facts) -> Sums:
    """Both sides' IMPs by match, of the matches that have board results.

    Raises:
        FactsRejected: a score that no board gives, or IMPs beside board results that say
            otherwise; with every place.
    """
    imps_by_match: Sums = {}
    problems: list[Problem] = []
    if facts["boards"].is_empty():
        return imps_by_match
    for row in facts["boards"].iter_rows(named=True):
        try:
            home, away = board_imps(row["home_points"], row["away_points"] or 0)
        except Refused as refused:
            what = msg("board %(board)s: %(why)s", board=row["board"], why=(refused.args[0],))
            problems.append(_board_problem(row["_file"], row["_line"], what))
            continue
        sums = imps_by_match.setdefault(row["match_id"], {"home_imps": 0, "away_imps": 0})
        sums["home_imps"] += home
        sums["away_imps"] += away
    if not problems:
        problems += _contradictions(facts, imps_by_match)
    if problems:
        raise FactsRejected(problems)
    return imps_by_match


def _board_problem(file: str, line: int, what: str) -> Problem:
    return Problem(
        at=Location(file, line),
        what=what,
        clause="wbf-imps scale",
        remedy=msg("Correct the score, or enter the match by its IMPs."),
    )


def _contradictions(facts: Facts, imps_by_match: Sums) -> Iterator[Problem]:
    """The matches whose own IMPs are not those of their boards."""
    for row in facts["team_matches"].iter_rows(named=True):
        for column, imps in imps_by_match.get(row["match_id"], {}).items():
            if row[column] is not None and row[column] != imps:
                what = msg(
                    "%(column)s is %(stated)s, and the boards give %(imps)s",
                    column=column,
                    stated=f"{row[column].normalize():f}",
                    imps=str(imps),
                )
                yield _board_problem(row["_file"], row["_line"], what)
