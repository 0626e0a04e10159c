"""
Lines of results as people write them: placings, matches, matches of teams, results of boards.

    3-4  Carla Rossi (ITA)            a rank shared by two; also 3=, T3, 3/4, 3.-4.
    2019-01-05  9  Ada Novak > Ben Olsen, series 2
    1: Alpha 41-20 Beta (16)          round, teams, IMPs, boards
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from msgspec import Struct

from palmares.core.messages import msg, term
from palmares.facts.codes import nation_in_column
from palmares.facts.decoding import ReportTables
from palmares.facts.text import squeezed

_TH = "(?:\\.?[ºª°]|[.)]|st|nd|rd|th|i?[eè][rm]e|er|e)?"
_SHARED = (  # behind a rank
    r"(?:\s?\(?(?:ex[ -]?(?:ae|\u00e6)quo|tied?|joint|equal|eq\.?|ea|e\.a\.)\)?(?!\w))"
)
_DASHES = r"\-\u2010-\u2015\u2212"  # in a class of characters
_TO = rf"\s*(?:[{_DASHES}/]|\bto\b)\s*"
_RANGE = re.compile(rf"([0-9]{{1,9}}){_TH}{_TO}([0-9]{{1,9}}){_TH}", re.IGNORECASE)
_ALONE = re.compile(rf"(=|T-?)?([0-9]{{1,9}})(?:\.0|{_TH})(?:(=|T|{_SHARED})[.)]?)?", re.IGNORECASE)
PLACE_WORDS = (
    "place|plaats|plads|plass|plats|platz|puesto|posto|lugar|miejsce|m[ií]sto|mesto|место|sija"
)
"""What may stand behind a rank, as in "1. Platz"; parts of a pattern."""
_LINE = re.compile(
    rf"(?P<rank>(?:[=#]|[Tt]-?)?[0-9]+{_TH}(?:{_TO}[0-9]+{_TH})?(?:[=T][.)]?|{_SHARED})?)"
    rf"(?:\s+(?i:{PLACE_WORDS})(?=\s*[:{_DASHES}]))?"
    rf"(?P<star>\s*\*)?(?:(?<=[.)])(?=[^\W\d_])|\s*[:\u00b7\u2022{_DASHES}]\s+|\s+)(?P<who>\S.*)"
)
_BEHIND = re.compile(r",\s*([0-9]+)\s+rounds?\s+behind$")
COUNTED = frozenset({
    "players", "entrants", "participants", "spieler", "teilnehmer", "joueurs", "participantes",
    "jugadores", "giocatori", "partecipanti",
})  # fmt: skip
FLIGHT_WORDS = {
    **dict.fromkeys(
        ("", "m", "main", "main flight", "main event", "main draw", "main bracket", "hauptturnier",
         "hauptfeld", "principal", "tableau principal", "principale"), "main"),
    **dict.fromkeys(
        ("c", "consolation", "conso", "cons", "consol", "consolation flight", "consolation event",
         "consolation draw", "consolation bracket", "consolante", "consolacion",
         "consolación", "consolazione", "trostturnier", "trostrunde"), "consolation"),
    **dict.fromkeys(
        ("lc", "last chance", "last_chance", "last-chance", "last chance flight",
         "last chance event", "last chance draw", "last chance bracket", "letzte chance",
         "dernière chance", "derniere chance"), "last_chance"),
}  # fmt: skip
"""The flights that words name."""
_AROUND = re.compile(
    rf"^\W+|\W*(?:\([0-9]+[^()]*\)|\W[0-9]+\s+(?:{'|'.join(sorted(COUNTED))}))?\W*$",
    re.IGNORECASE,
)
"""Signs around the name of a flight, and how many play in it: ``Consolation (32):``."""
LONGEST_HEADING = 60
"""Characters of the heading of a flight, with the signs around it."""
_MEDALS = {"\U0001f947": "1", "\U0001f948": "2", "\U0001f949": "3"}
_PICTURED = re.compile(rf"([{''.join(_MEDALS)}])\s*|((?:[0-9]\ufe0f?\u20e3)+)\s*")
"""A medal, or ASCII digits in keycaps, at the head of a line. Digits of other scripts are none."""
_BEFORE_RANK = re.compile(
    rf"^\s*(?:[\u2022\u2023\u25aa\u25e6{_DASHES}]|place|platz|rang|rank|puesto|posto)\s+"
    r"(?=[0-9=#])",
    re.IGNORECASE,
)
"""A bullet or a word at the head of a line, before the rank."""
_OF_EVENTS = (
    "entries|teams?|pairs|rounds?|boards|tables|games|matches|runden|paare|partien|equipes|équipes"
    "|rondes|paires|equipos|rondas|parejas|squadre|turni|coppie"
)
_THINGS = re.compile(rf"(?:total\W*)?[0-9]{{1,7}}\s+(?i:{_OF_EVENTS})(?:\W*|\s[a-z].*)")
"""Such as ``7 rounds`` below a list; in a sentence in small letters, as a name is not."""
_LIST = 3
"""Lines that are a list: of two, both may have won."""
_COUNT = re.compile(
    rf"(?:total\W*)?([0-9]{{1,7}})\s+(?:{'|'.join(sorted(COUNTED))})(?:\W*|\s(?-i:[a-z].*))",
    re.IGNORECASE,
)


def plain_head(text: str) -> str:
    """A line or a rank that may begin with a medal or with keycaps, with digits in their place."""
    text = _BEFORE_RANK.sub("", text)
    head = _PICTURED.match(text)
    if head is None:
        return text
    rank = _MEDALS.get(head[1]) or re.sub("[^0-9]", "", head[2])
    rest = text[head.end() :]
    return rest if re.match(f"{rank}(?![0-9])", rest) else f"{rank} {rest}"


def count_of(text: str) -> str | None:
    """The number in a line such as ``64 players``; none if it is no such line."""
    count = _COUNT.fullmatch(text.strip())
    return count[1] if count else None


class Rank(Struct, frozen=True):
    """A rank as written; the best place of those who share it."""

    rank: str
    tied: str | None = None  # "3-4": two share it, listed or not
    shared: bool = False  # "3=": shared, by as many as are listed


def rank_of(text: str) -> Rank | None:
    """What a rank cell says, or None if it is no rank."""
    text = plain_head(text.strip()).strip()
    if written := _RANGE.fullmatch(text):
        first, last = int(written[1]), int(written[2])
        if not 0 < first <= last:
            return None
        return Rank(rank=str(first), tied=str(last - first + 1), shared=last > first)
    if written := _ALONE.fullmatch(text.removeprefix("#")):
        return Rank(rank=str(int(written[2])), shared=bool(written[1] or written[3]))
    return None


class PlacingLine(NamedTuple):
    """The parts of a line of placings."""

    rank: Rank
    designated: bool
    who: str
    behind: str | None
    written: str  # the rank as it stands there


def placing_parts(text: str) -> PlacingLine | None:
    """``3-4* Ada Novak (CZE), 2 rounds behind`` in parts, or None."""
    text = plain_head(text)
    line = _LINE.fullmatch(text)
    rank = rank_of(line["rank"]) if line else None
    if line is None or rank is None or count_of(text) or _THINGS.fullmatch(text):
        return None
    who = line["who"].strip()
    if any(medal in who and int(place) > int(rank.rank) for medal, place in _MEDALS.items()):
        return None  # of two placings on a line
    behind = _BEHIND.search(who)
    name = who[: behind.start()] if behind else who
    return PlacingLine(rank, bool(line["star"]), name, behind[1] if behind else None, line["rank"])


def tell_alone(findings: ReportTables, shared: Iterable[tuple[str, list[int]]]) -> None:
    """Complain of each rank written as ``3=`` that only one line has."""
    for rank, lines in shared:
        if len(lines) == 1:
            findings.problem(
                lines[0],
                msg("rank %(rank)s= is shared, but no other player has it", rank=rank),
                "report placings",
                msg(
                    "Write all the ranks they share: %(ranks)s for two players.",
                    ranks=f"{rank}-{int(rank) + 1}",
                ),
            )


def tell_ranks(findings: ReportTables, ranks: Sequence[tuple[int, Rank]], of: str) -> None:
    """Tell of ranks that may be wrong: no first place, one out of order, or the first for each.

    Args:
        findings: where notices and problems go.
        ranks: of one flight: line and rank; at least one.
        of: the flight.
    """
    line, first = min(ranks, key=lambda placing: int(placing[1].rank))
    back = [
        (at, rank.rank, above.rank)
        for (_, above), (at, rank) in pairwise(ranks)
        if int(rank.rank) < int(above.rank)
    ]
    if len(back) == 1:  # of several, the list is in another order
        ((at, rank, above),) = back
        findings.notice(
            at,
            msg("rank %(rank)s stands below rank %(above)s", rank=rank, above=above),
            "report placings",
            msg("Check both."),
        )
    flight = term(of)
    if len(ranks) >= _LIST and {rank for _, rank in ranks} == {Rank(rank="1")}:
        findings.problem(
            line,
            msg("all %(many)s players of the %(flight)s have rank 1",
                many=len(ranks), flight=flight),
            "report placings",
            msg("Number the places; if they share the first, write %(ranks)s.",
                ranks=f"1-{len(ranks)}"),
        )  # fmt: skip
    if first.rank != "1":
        findings.notice(
            line,
            msg("nobody has rank 1 in the %(flight)s: the best is rank %(rank)s",
                flight=flight, rank=first.rank),
            "report placings",
            msg("If the winner is missing, add them; if they must not be named, leave it."),
        )  # fmt: skip


def tell_pairs(findings: ReportTables, placings: Iterable[tuple[int, str]]) -> None:
    """Tell of pairs among single players: two who share a rank may stand on one line.

    Args:
        findings: where notices go.
        placings: of a flight: line and name.
    """
    names = list(placings)
    pairs = [(line, name) for line, name in names if " & " in name]
    for line, name in pairs if len(pairs) < len(names) else ():
        findings.notice(
            line,
            msg("'%(name)s' is read as a pair, and others as single players", name=name),
            "report placings",
            msg("If it is two who share the rank, give each of them a line with that rank."),
        )


_ROUND = re.compile(r"(?:round\s+)?(.+):", re.IGNORECASE)
_MATCH = re.compile(r"(?:([0-9]{4}-[0-9]{2}-[0-9]{2})\s+)?(?:([0-9]+)\s+)?(\S.*)")
_OUTSIDE = r"(?![^\[\]]*\])"  # not within the id of a player
_MATCH_ID = re.compile(rf",\s*id\s+{_OUTSIDE}(.+)$")
_BEATS = re.compile(rf"\s+>\s+{_OUTSIDE}")
_STATUS = re.compile(r",\s*(bye|walkover|series(?:\s+([0-9]+))?)$")
_TEAMS = re.compile(
    r"(?:(?P<round>[^:]+):\s*)?(?P<home>\S.*?)\s+"
    r"(?:(?P<hi>-?[0-9]+(?:\.[0-9]+)?)\s*[-:\u2013]\s*(?P<ai>-?[0-9]+(?:\.[0-9]+)?)\s+(?P<away>\S.*?)"
    r"\s*\((?P<boards>[0-9]+)\)(?P<void>,\s*void)?|(?P<bye>bye)(?:\s*\((?P<idle>[0-9]+)\))?)"
)
_BOARD = re.compile(
    r"(?P<board>[0-9]+)[.:]?\s+(?P<home_points>[+-]?[0-9]+)(?:\s+(?P<away_points>[+-]?[0-9]+))?"
)


def match_parts(text: str) -> dict[str, Any] | str | None:
    """``2019-01-05 9 Ada Novak > Ben Olsen, series 2`` as cells; of ``Final:`` the round."""
    if heading := _ROUND.fullmatch(text):
        return heading[1].strip()
    key = _MATCH_ID.search(text)
    rest = text[: key.start()] if key else text
    status = _STATUS.search(rest)
    written = _MATCH.fullmatch(rest[: status.start()] if status else rest)
    word = status[1].split()[0] if status else None
    names = _BEATS.split(written[3]) if written else []
    if written is None or len(names) not in ({1, 2} if word == "bye" else {2}):
        return None
    return {
        "match_id": key[1].strip() if key else None,
        "played_on": written[1],
        "length": written[2],
        "names": names,
        "status": word,
        "series_wins": status[2] if status else None,
    }


def team_parts(text: str) -> dict[str, str | None] | None:
    """``1: Alpha 41-20 Beta (16)`` as cells, or None."""
    written = _TEAMS.fullmatch(text)
    if written is None:
        return None
    return {
        **{name: written[name] for name in ("round", "home", "away")},
        "boards": written["boards"] or written["idle"],
        "home_imps": written["hi"],
        "away_imps": written["ai"],
        "status": "void" if written["void"] else ("bye" if written["bye"] else None),
    }


class LineShape(NamedTuple):
    """How the lines of a block are read, and what is said of one that cannot be."""

    parts: Callable[[str], Any]
    what: str
    remedy: str


def _placing_of_report(text: str) -> PlacingLine | None:
    """The parts of a line of placings; of columns behind the name one of the nation is read."""
    parts = placing_parts(text)
    if parts is None or "\t" not in parts.who:
        return parts
    name, *others = parts.who.split("\t")
    is_nation = len(others) == 1 and nation_in_column(others[0])
    return parts._replace(who=f"{name} ({others[0]})") if is_nation else None


SHAPES: Mapping[str, LineShape] = {
    "placings": LineShape(
        _placing_of_report,
        msg("no rank and name in '%(text)s'"),
        msg(
            "Write the rank, a space and the name: 1 Ada Novak (CZE), or 3-4 Ada Novak (CZE)."
            " Delete the line if it is no placing."
        ),
    ),
    "matches": LineShape(
        match_parts,
        msg("no winner > loser in '%(text)s'"),
        msg("Write: 2019-01-05 9 Ada Novak > Ben Olsen (day, match length, winner > loser)."),
    ),
    "team_matches": LineShape(
        team_parts,
        msg("no match of two teams in '%(text)s'"),
        msg(
            "Write: %(example)s (round, team, IMPs of both, team, boards).",
            example="1: Alpha 41-20 Beta (16)",
        ),
    ),
    "board_results": LineShape(
        lambda text: (line := _BOARD.fullmatch(text)) and line.groupdict(),
        msg("no result of a board in '%(text)s'"),
        msg("Write: 1 420 450 (board, points of home, points of away), or: 1 -30 (difference)."),
    ),
}
"""The blocks of lines, by their keys."""


def flight_of(text: str) -> str | None:
    """The flight that a line such as ``Consolation:`` names; none if it is no such line."""
    text = squeezed(text)
    words = _AROUND.sub("", text).casefold() if len(text) <= LONGEST_HEADING else ""
    return FLIGHT_WORDS.get(words) if len(words) > 1 else None


def complaint(key: str, text: str, *, in_toml: bool) -> tuple[str, str]:
    """What is wrong with a line of a block that cannot be read, and what to do."""
    text = squeezed(text)
    if key == "placings" and count_of(text):
        return (
            msg("'%(text)s' is the number of players, not a placing", text=text),
            msg("Remove the line, and write the number above the placings, as entrants."),
        )
    if key == "placings" and (flight := flight_of(text)):
        return (
            msg("'%(text)s' begins another flight", text=text),
            msg("Put its placings under %(table)s.", table=f"[event.{flight}]"),
        )
    shape = SHAPES[key]
    names_file = key == "placings" and in_toml and re.fullmatch(r".*\.(csv|xlsx?|ods|txt)", text)
    return msg(shape.what, text=text), (
        msg("To name a file beside the report, write placings_file = …")
        if names_file
        else shape.remedy
    )
