"""
Facts as lines of a TOML report, each checked by reading it again.

    Cast            everybody of a tournament: how a line names each, and who needs a table
    placing_line    3-4  Ada Novak (CZE)
    match_line      2019-01-05  9  Ada Novak > Ben Olsen
    team_line       1: Alpha 41-20 Beta (16)
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from palmares.errors import Refused
from palmares.reports.names import Nations, is_place, named, place_inside
from palmares.reports.texts import squeezed
from palmares.reports.toml_blocks import heading_of, match_parts, team_parts
from palmares.reports.toml_values import value_text

Row = Mapping[str, Any]

_PLAIN = re.compile(r"[^\W\d_][^\[\]<>/:|\\\"\x00-\x1f\x7f]*")
_ONLY_IN_TABLES = ("played_on", "home_adjust_vp", "away_adjust_vp", "home_carry_imps",
                   "away_carry_imps", "split_home_imps", "split_away_imps")  # fmt: skip
_ENDING = re.compile(r",\s*(?:bye|walkover|series|id\b|\d+\s+rounds?\s+behind)", re.IGNORECASE)


class Cast:
    """Everybody of a tournament."""

    def __init__(self, players: Sequence[Row], placings: Iterable[Row], nations: Nations) -> None:
        self.people = {row["player_id"]: row for row in players}
        self.nations = nations
        self.placed: dict[str, set[str | None]] = {}
        for row in placings:
            self.placed.setdefault(row["player_id"], set()).add(row.get("nation"))
        missing = [key for key in self.placed if key not in self.people]
        for key in [*self.people, *missing]:
            if squeezed(key) != key or not key or re.search(r"[\[\]]", key) or missing:
                raise Refused(
                    f"A report cannot name the player with the id '{key}'.\n"
                    "    Give him an id without square brackets, and a row in the players."
                )
        texts = {key: self._text(row) for key, row in self.people.items()}
        mentions = Counter(text for row in self.people.values() for text in self._mentions(row))
        self.texts = {
            key: text
            for key, text in texts.items()
            if text and mentions[text] == (text in self._mentions(self.people[key]))
        }

    def _mentions(self, row: Row) -> set[str]:
        """Every text that a report may use for somebody."""
        places = {row.get("nation") or row.get("origin"), *self.placed.get(row["player_id"], ())}
        name = row["name"] or ""
        return {row["player_id"]} | {f"{name} ({place})" if place else name for place in places}

    def _text(self, row: Row) -> str | None:
        """The text that names somebody completely, if there is one."""
        nation, origin = row.get("nation"), row.get("origin")
        key, name = row["player_id"], row["name"] or ""
        if row.get("withheld") is not None or (nation and origin):
            return None
        if self.placed.get(key, {nation}) != {nation}:
            return None
        place = nation or origin
        for text in (key, f"{name} ({place})" if place else name):
            who = named(text, self.nations)
            same = (who.name, who.nation, who.origin) == (name, nation, origin)
            same = same and not is_place(key, self.nations)
            if same and who.id is None and who.written == text and self._is_plain(text):
                return text
        return None

    def _is_plain(self, text: str) -> bool:
        who = named(text, self.nations)
        if who.unclear or who.turned or place_inside(who.name, self.nations):
            return False
        return bool(_PLAIN.fullmatch(text)) and not _ENDING.search(text)

    def short(self, key: str) -> str:
        """How a line names somebody who is known."""
        text = self.texts.get(key)
        if text is None:
            return f"[{key}]"
        return text if text == key else f"{text} [{key}]"

    def full(self, key: str, nation: str | None) -> str:
        """How a placing names somebody."""
        text = self.texts.get(key)
        if text:
            return text if text == key else f"{text} [{key}]"
        name = self.people[key]["name"] or ""
        text = f"{name} ({nation})" if nation else name
        who = named(text, self.nations)
        if (who.name, who.nation, who.id) == (name, nation, None) and self._is_plain(text):
            return f"{text} [{key}]"
        return f"({nation}) [{key}]" if nation else f"[{key}]"

    def described(self) -> Iterator[Row]:
        """Those who need a table of their own."""
        for key, row in self.people.items():
            if key not in self.texts:
                nation, origin = row.get("nation"), row.get("origin")
                yield {
                    **row,
                    "id": key,
                    "origin": origin,
                    "nation": nation or ("" if not origin else None),
                }

    def listed(self) -> list[str]:
        """Those whom no placing names and no table describes."""
        return [self.full(key, None) for key in self.texts if key not in self.placed]


def placing_line(row: Row, cast: Cast) -> str:
    """One placing."""
    rank, tied = row["rank"], row.get("tied")
    place = f"{rank}-{rank + tied - 1}" if tied else f"{rank}"
    place += "*" if row.get("designated") else ""
    behind = row.get("rounds_behind")
    ending = f", {behind} rounds behind" if behind is not None else ""
    return f"{place:<5} {cast.full(row['player_id'], row.get('nation'))}{ending}"


def heading_line(round_: str) -> str | None:
    """The heading of a round, or nothing if no line can say it."""
    line = f"Round {round_}:" if round_.isdigit() else f"{round_}:"
    return line if heading_of(line) == round_ else None


def match_line(row: Row, match_id: str | None, cast: Cast) -> str | None:
    """One match, or nothing if no line can say it."""
    if row["length"] is None or (row["round"] and not heading_line(row["round"])):
        return None
    status = None if row["status"] == "played" else row["status"]
    wins = row["series_wins"]
    names = [cast.short(row[side]) for side in ("winner_id", "loser_id") if row[side]]
    line = f"{row['played_on']}  " if row["played_on"] else ""
    line += f"{row['length']}  {' > '.join(names)}"
    line += f", {status}" if status else ""
    line += f" {wins}" if wins is not None else ""
    line += f", id {match_id}" if match_id else ""
    day = row["played_on"] and str(row["played_on"])
    meant = (day, str(row["length"]), names, status, wins and str(wins), match_id)
    return line if match_parts(line) == meant and heading_of(line) is None else None


def team_line(row: Row) -> str | None:
    """One match of teams, or nothing if no line can say it."""
    if any(row.get(one) is not None for one in _ONLY_IN_TABLES):
        return None
    meant = {one: _said(row[one]) for one in ("round", "home", "away", "boards")}
    meant |= {one: _said(row[one]) for one in ("home_imps", "away_imps")}
    meant["status"] = None if row["status"] == "played" else row["status"]
    boards = "" if row["boards"] is None else f" ({row['boards']})"
    line = f"{row['round']}: " if row["round"] else ""
    if row["status"] == "bye":
        line += f"{row['home']} bye{boards}"
    else:
        line += f"{row['home']} {meant['home_imps']}-{meant['away_imps']} {row['away']}{boards}"
        line += ", void" if row["status"] == "void" else ""
    return line if team_parts(line) == meant and "\n" not in line else None


def _said(value: Any) -> str | None:
    """A cell of a team's match as its line says it; an empty one is not said."""
    return None if value is None else value if isinstance(value, str) else value_text(value)
