"""
The lines inside a TOML report: placings, matches, matches of teams.

    1    Ada Novak (CZE)              a rank and a name
    2*   Ben Olsen (DEN) [n17]        a designated finisher; an id of one's own
    3-4  Carla Rossi (ITA)            a rank shared by two, both listed or not
    5=   Dag Lie (NOR)                a rank shared by as many as are listed
    7    Eva Kos (SLO), 4 rounds behind

    Round 1:                          the round of the matches below it
    2019-01-05  9  Ada Novak > Ben Olsen
    9  Ada Novak > Carla Rossi, walkover
    9  Ada Novak, bye
    9  Ben Olsen > Dag Lie, series 2

    1: Alpha 41-20 Beta (16)          round, teams, IMPs, boards
    1: Gamma bye (16)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from palmares.reports.people import People
from palmares.reports.ranks import Rank, rank_of, tell_alone
from palmares.reports.texts import Found

Lines = list[tuple[int, str]]

Beside = Callable[[str, Found, int, str, str, People], None]
"""Reads a file of placings: its name, where to put things, the line, event, flight, people."""

_RANK = re.compile(
    r"(?P<rank>=?\d+[.)]?(?:\s*[-/\u2010-\u2013]\s*\d+[.)]?)?=?|[Tt]-?\d+)(?P<star>\s*\*)?\s+(?P<who>\S.*)"
)
_BEHIND = re.compile(r",\s*(\d+)\s+rounds?\s+behind$")
_ROUND = re.compile(r"(?:round\s+)?(.+):", re.IGNORECASE)
_MATCH = re.compile(r"(?:(\d{4}-\d{2}-\d{2})\s+)?(?:(\d+)\s+)?(\S.*)")
_MATCH_ID = re.compile(r",\s*id\s+(.+)$")
_STATUS = re.compile(r",\s*(bye|walkover|series(?:\s+(\d+))?)$")
_TEAMS = re.compile(
    r"(?:(?P<round>[^:]+):\s*)?(?P<home>\S.*?)\s+"
    r"(?:(?P<hi>-?\d+(?:\.\d+)?)\s*[-:\u2013]\s*(?P<ai>-?\d+(?:\.\d+)?)\s+(?P<away>\S.*?)|(?P<bye>bye))"
    r"\s*\((?P<boards>\d+)\)(?P<void>,\s*void)?"
)

PLACING_REMEDY = "Write the rank, a space and the name: 1 Ada Novak (CZE), or 3-4 Ada Novak (CZE)."
MATCH_REMEDY = "Write: 2019-01-05 9 Ada Novak > Ben Olsen (day, match length, winner > loser)."
TEAM_REMEDY = "Write: 1: Alpha 41-20 Beta (16) (round: team IMPs-IMPs team (boards))."


@dataclass(slots=True)
class Blocks:
    """Reads lines for one report."""

    found: Found
    people: People
    beside: Beside | None = None
    counts: dict[str, int] = field(default_factory=dict)

    def know_ids(self, lines: Lines) -> None:
        """Learn the ids that placings write, before anybody is entered."""
        for line, text in lines:
            if written := _RANK.fullmatch(text):
                who = _BEHIND.sub("", written["who"])
                self.people.know_id(self.people.parse(who, line))

    def placings(self, lines: Lines, event_id: str, flight: str) -> None:
        """The placings of one flight."""
        alone: dict[str, list[int]] = {}
        for line, text in lines:
            written = _RANK.fullmatch(text)
            rank = rank_of(written["rank"]) if written else None
            if written is None or rank is None:
                self.found.problem(
                    line, f"no rank and name in '{text}'", "report placings", PLACING_REMEDY
                )
                continue
            who = written["who"].strip()
            behind = _BEHIND.search(who)
            who = who[: behind.start()] if behind else who
            if " / " in who:
                self.found.problem(
                    line, f"two names on one line: '{who}'", "report placings",
                    "Give each of them a line; write a pair as Ada Novak & Ben Olsen.",
                )  # fmt: skip
                continue
            person = self.people.parse(who, line)
            player = self.people.enter(person, line)
            if player is None:
                continue
            if rank.shared and rank.tied is None:
                alone.setdefault(rank.rank, []).append(line)
            self.found.add(
                "placings",
                {
                    "event_id": event_id,
                    "flight": flight,
                    "player_id": player,
                    "rank": rank.rank,
                    "tied": rank.tied,
                    "designated": "true" if written["star"] else None,
                    "rounds_behind": behind[1] if behind else None,
                    "nation": person.nation,
                },
                line,
            )
        tell_alone(self.found, alone.items())

    def placings_file(self, file: str, line: int, event_id: str, flight: str) -> None:
        """The placings of one flight, from a sheet beside the report."""
        if self.beside is None:
            self.found.problem(
                line, f"{file} cannot be looked up from here", "report placings_file",
                "Write the placings into the report.",
            )  # fmt: skip
            return
        self.beside(file, self.found, line, event_id, flight, self.people)

    def matches(self, lines: Lines, event_id: str, flight: str | None, length: str | None) -> None:
        """The matches of one flight; *length* is the flight's own."""
        round_: str | None = None
        for line, text in lines:
            if heading := _ROUND.fullmatch(text):
                round_ = heading[1].strip()
                continue
            key = _MATCH_ID.search(text)
            rest = text[: key.start()] if key else text
            status = _STATUS.search(rest)
            rest = rest[: status.start()] if status else rest
            written = _MATCH.fullmatch(rest)
            names = re.split(r"\s+>\s+", written[3]) if written else []
            bye = bool(status and status[1] == "bye")
            if written is None or len(names) not in ({1, 2} if bye else {2}):
                self.found.problem(
                    line, f"no winner > loser in '{text}'", "report matches", MATCH_REMEDY
                )
                continue
            players = [self.people.find(name, line) for name in names]
            if None in players:
                continue
            self.found.add(
                "matches",
                {
                    "match_id": key[1].strip() if key else self.number(event_id, "m"),
                    "event_id": event_id,
                    "flight": flight,
                    "round": round_,
                    "played_on": written[1],
                    "length": written[2] or length,
                    "winner_id": players[0],
                    "loser_id": players[1] if len(players) > 1 else None,
                    "status": status[1].split()[0] if status else None,
                    "series_wins": status[2] if status else None,
                },
                line,
            )

    def team_matches(self, lines: Lines, event_id: str) -> None:
        """The matches of teams of one event."""
        for line, text in lines:
            written = _TEAMS.fullmatch(text)
            if written is None:
                self.found.problem(
                    line, f"no match of two teams in '{text}'", "report team_matches", TEAM_REMEDY
                )
                continue
            self.found.add(
                "team_matches",
                {
                    "match_id": self.number(event_id, "t"),
                    "event_id": event_id,
                    "round": written["round"],
                    "home": written["home"],
                    "away": written["away"],
                    "boards": written["boards"],
                    "home_imps": written["hi"],
                    "away_imps": written["ai"],
                    "status": "void" if written["void"] else ("bye" if written["bye"] else None),
                },
                line,
            )

    def number(self, event_id: str, letter: str) -> str:
        """The next id of a match nobody gave an id."""
        key = f"{event_id}/{letter}"
        self.counts[key] = self.counts.get(key, 0) + 1
        return f"{key}{self.counts[key]}"


def same_rank(rank: Rank) -> str:
    """A rank as a line of placings writes it."""
    return rank.rank if rank.tied is None else f"{rank.rank}-{int(rank.rank) + int(rank.tied) - 1}"
