"""The players of one report. Two of them are the same person only if the report says so."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct, field

from palmares.core.messages import msg
from palmares.facts import codes
from palmares.facts.decoding import ReportTables, meant
from palmares.facts.names import (
    PARTICLES,
    STATES,
    PrintedName,
    is_place,
    parse_name,
    place_inside,
    printed_nation,
)
from palmares.facts.problems import Cell
from palmares.facts.text import as_id
from palmares.formats.lines import COUNTED, PLACE_WORDS

CLAUSE = "report players"
NOBODY = msg("nobody")
_LIST = "[tournament] players = '''one name a line'''"
_BRACKETS = re.compile(r"[(\[][^)\]]*$|^[^(\[]*[)\]]")  # one opens or closes, the other never does
_DASH = re.compile(r"\s[-\u2010-\u2015]\s")
_TWO_NAMES = re.compile(
    r"\s[^\W\d_]{2,}\s*;\s*[^\W\d_]{2}"
    r"|\s(?:/|\+|\u2022|and|und|et|vs\.?|d\.|bt\.?|def\.?|beats?|over|gegen|contre|contra)\s"
    r"|;\s*[0-9]|[^\W\d_]{2,}\s[0-9]+[.)]?(?:\s+[^\W\d_]{2,}){2}|\s[0-9]+[.)]\s*[^\W\d_]{2}",
    re.IGNORECASE,
)
_NUMBER = re.compile(  # a word of digits, or a mark of a footnote
    r"(?<![^\s(])[0-9][0-9.,:/\u2013\u00bd\u00bc\u00be-]*(?![^\s)])|(?<=\s)[^\W\d_]+[0-9]$"
    r"|(?<!\w)[^\W\d_]*[0-9][^\W\d_]{2}"  # N0vak
)
_RANK_WORD = re.compile(rf"(?:{PLACE_WORDS})\s", re.IGNORECASE)
_TITLE = re.compile(
    r"(?:(?:dr|prof|mag|ing|dipl|sir|mrs?|ms)\b\.?|miss|herr|frau|mme|mlle|monsieur|madame"
    r"|(?-i:W?[GIF]M))\s"
    r"|.*\sph\.?d\.?$",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"(?:^|\W)(?:DN[FS]|DS?Q|WD|W/D|withdrew|withdrawn|retired|ret\.|forfeit(?:ed)?|disqualified"
    r"|dropped|no[ -]show"
    r"|ex[ -]?(?:ae|\u00e6)quo|tied?)\W*$",
    re.IGNORECASE,
)
_MORE = re.compile(  # an address, a line through, dots, another name, a score, an amount
    r"\w@\w[\w-]*\.\w|://|www\.|~~|<br\W*>|\.{3}|\u2026|\s(?:a\.?k\.?a\.?|alias|geb\.|n\u00e9e)\s"
    r"|(?<![^\s(])[0-9]+\s?[-:/\u2013\u2212]\s?[0-9]+(?![^\s)])"
    r"|\(\W*[0-9][\W0-9]*(?:st|nd|rd|th|p(?:oin)?ts?|pkt|punkte|wins?|eur|usd)?\W*\)",
    re.IGNORECASE,
)
_MEMBERS = re.compile(  # of a team, in brackets behind its name: two names of two words
    r"[^\W\d_]\S*\s+[^\W\d_]\S+\s*(?:[,;/&+]|\s(?:and|und|et)\s)\s*[^\W\d_]\S*\s+[^\W\d_]\S+"
)
_FEWEST_CAPITALS = 3
"""Letters of a last name in capitals: JJ Novak is none."""
_SUFFIXES = PARTICLES | {"jr", "sr", "jun", "sen", "junior", "senior"}
_BEFORE_NAMES, _BEHIND_NAMES = "'\u2018\u2019(", ".'\u2019)]"
"""Signs that names may begin and end with."""
_NEVER_IN_NAMES = re.compile(
    r"[@#/|{}\]<>:;?!~^_=\\\u2013\u2014\u00b9\u00b2\u00b3\u2020\u2021\u00bd\u00bc\u00be]"
)
_DAMAGED = re.compile(r"[\ufffd\ufb00-\ufb06\u00a8\u02c6\u02dc\u00b8]|&#?\w{2,8};|\w\?\w")
"""What encodings and PDF files leave of letters: "Waf\ufb01", "M\u00a8uller"."""
_NO_PLAYERS = COUNTED | {
    "bye", "freilos", "spielfrei", "exempt", "free", "riposa", "true", "false", "wahr", "falsch",
    "vrai", "faux", "null", "n.n", "n. n", "nn", "tba", "tbd", "unknown", "unbekannt", "inconnu",
    "desconocido", "sconosciuto", "anonymous", "anonym", "anonyme", "withheld", "name withheld",
}  # fmt: skip
"""What stands for nobody: a bye, a cell of a program, and a count below the placings."""
_DIGITS_OF_SEEDS = 2
_OF_PROGRAMS = frozenset({"nan", "NaN", "None"})
"""What programs write for an empty cell."""


def _is_nobody(name: str) -> bool:
    """Whether a name is that of no player: a bye with its number, a dash, a cell of a program."""
    words = name.casefold().strip(" .*()[]-0123456789")
    halves = words.split()
    is_word = words in _NO_PLAYERS or (len(set(halves)) == 1 and halves[0] in _NO_PLAYERS)
    return is_word or name in _OF_PROGRAMS or (bool(name) and not any(map(str.isalnum, name)))


DAMAGED = msg("letters of '%(text)s' were damaged on the way")


def is_damaged(name: str) -> bool:
    """Whether letters were lost or changed by a wrong encoding on the way."""
    if _DAMAGED.search(name):
        return True
    try:
        return not name.isascii() and name.encode("cp1252").decode() != name
    except UnicodeError:
        return False


def _has_signs(name: str) -> bool:
    """Whether a name has signs that are in none, or begins or ends with one as none does."""
    ends = ((name[:1], _BEFORE_NAMES), (name[-1:], _BEHIND_NAMES))
    return bool(_NEVER_IN_NAMES.search(name)) or any(
        sign and sign not in usual and unicodedata.category(sign)[0] in "PS" for sign, usual in ends
    )


def _begins_in_capitals(name: str) -> bool:
    """Whether a name begins in capitals and does not end so: NOVAK Ada."""
    first, _, others = name.partition(" ")
    is_last_name = first.isupper() and len(first) >= _FEWEST_CAPITALS
    return is_last_name and bool(others) and not others.isupper()


def _place_at_the_end(name: str) -> str | None:
    """The last of three words, if it is the code or the name of a nation, or of a state.

    Or in small letters, as no last name is: ``Ada Novak cze``.
    """
    *words, last = name.split() or [""]
    before, dash, code = last.rpartition("-")
    if dash and code.isupper() and not before.isupper():
        words, last = [*words, before], code
    if last.islower():
        is_word = name[0].isupper() and last.strip(".") not in _SUFFIXES
        return last if len(words) > 1 and is_word else None
    if len(last) == len("CZ"):
        is_place = last.isupper() and not name.isupper() and (last in STATES or codes.country(last))
    else:
        is_word = last.isupper() if len(last) == len("CZE") else last.istitle()
        is_nation = printed_nation(last) or last in codes.AMBIGUOUS
        is_place = is_word and len(last) >= len("CZE") and is_nation
    return last if len(words) > 1 and is_place else None


def _begins_small(name: str) -> bool:
    """Whether a name begins with a word in small letters, and not as names do: ``joint Ada``."""
    first, _, last = name.partition(" ")
    return first.isalpha() and first.islower() and first not in PARTICLES and last.istitle()


_LAST_WORD = msg("the last word of '%(name)s' is taken for a part of the name")
_IN_BRACKETS = msg("If it is a nation or a town, put it in brackets: Ada Novak (CZE).")
_STATE = msg("(%(state)s) is taken for a state of the United States, and %(name)s has no nation")
_SMALL = msg("'%(name)s' is in small letters, and is taken for a player")
_NO_PLAYER = msg("If it is no player, take the line away.")
_IF_NATION = msg("If it is a nation, write its three-letter code, such as CRO.")


_POWERS = {"AUT", "DEU", "ENG", "FRA", "ITA", "RUS", "TUR"}
_FEWEST_POWERS = 3
_ALL_POWERS = msg("each nation is also a power of Diplomacy, and is taken for the player's nation")
_NATIONS_OF_PLAYERS = msg("If it is the power that they played, take it away from every name.")


class _Doubt(NamedTuple):
    kind: str  # "problem": of each line; a notice: "once", or once of each "written" or "origin"
    applies: Callable[[PrintedName], object]
    what: str
    rule: str | Cell
    remedy: str

    def words(self, who: PrintedName, text: str) -> str:
        """What is doubtful of a name as it was written."""
        return msg(
            self.what,
            text=text,
            name=who.name,
            written=who.written,
            origin=who.origin,
            code=who.nation,
            id=who.id,
            inside=place_inside(who.name),
        )


_DOUBTS = (
    _Doubt(
        "problem",
        lambda who: who.unclear,
        msg("'%(text)s' has a comma that may mean several things"),
        CLAUSE,
        msg(
            "Write the first name first, one player on a line, and the nation in brackets:"
            " %(example)s.",
            example="Ada Novak (CZE)",
        ),
    ),
    _Doubt(
        "once",
        lambda who: who.last_name_first,
        msg(
            "'%(text)s' is read as %(name)s, last name and first name turned round, and so are"
            " others like it"
        ),
        CLAUSE,
        msg("If that is wrong, write the names without a comma."),
    ),
    _Doubt(
        "problem",
        lambda who: place_inside(who.name),
        msg("(%(inside)s) is in the middle of '%(name)s'"),
        CLAUSE,
        msg(
            "Write the nation or the state once, behind the name: %(example)s.",
            example="Ada Novak (CZE)",
        ),
    ),
    _Doubt(
        "problem",
        lambda who: _TWO_NAMES.search(who.name) or _MEMBERS.search(who.origin or ""),
        msg("two names on one line: '%(text)s'"),
        CLAUSE,
        msg("Give each of them a line; write a pair as Ada Novak & Ben Olsen."),
    ),
    _Doubt(
        "problem",
        lambda who: _is_nobody(who.name),
        msg("'%(name)s' is not a player"),
        CLAUSE,
        msg("Take the line away."),
    ),
    _Doubt(
        "problem",
        lambda who: is_damaged(who.written),
        DAMAGED,
        CLAUSE,
        msg("Export the list again as UTF-8, or write the name as it should be."),
    ),
    _Doubt(
        "problem",
        lambda who: (
            _STATUS.search(who.origin or "")
            or _STATUS.search(who.name)
            or _MORE.search(f"{who.name} ({who.origin})")
        ),
        msg("'%(text)s' says more than a name"),
        CLAUSE,
        msg(
            "If the rank is right, take the words behind the name away; if they were not placed,"
            " take the line away."
        ),
    ),
    _Doubt(
        "once",
        lambda who: _NUMBER.search(who.name),
        msg("the number in '%(name)s' is taken for a part of the name"),
        CLAUSE,
        msg("If it is none, take it away, also from other names like it."),
    ),
    _Doubt(
        "once",
        lambda who: _RANK_WORD.match(who.name) or _begins_small(who.name),
        msg("the first word in '%(name)s' is taken for a part of the name"),
        CLAUSE,
        msg("If it belongs to the rank, take it away, also from other names like it."),
    ),
    _Doubt(
        "once",
        lambda who: _has_signs(who.name),
        msg("the signs in '%(name)s' are taken for a part of the name"),
        CLAUSE,
        msg("If they do not belong to it, remove them, also from other names like it."),
    ),
    _Doubt(
        "once",
        lambda who: who.with_pictures,
        msg("pictures and marks beside names are left out, as at '%(name)s'"),
        CLAUSE,
        msg("If that is wrong, write the name in letters."),
    ),
    _Doubt(
        "once",
        lambda who: _TITLE.match(who.name),
        msg("the title in '%(name)s' is taken for a part of the name"),
        CLAUSE,
        msg("If the player is known without it, take it away, also from other names like it."),
    ),
    _Doubt(
        "once",
        lambda who: not who.nation and _place_at_the_end(who.name),
        _LAST_WORD,
        CLAUSE,
        _IN_BRACKETS,
    ),
    _Doubt(
        "once",
        lambda who: _begins_in_capitals(who.name),
        msg("'%(name)s' is kept as it is written, with the last name first"),
        CLAUSE,
        msg("For a new player write the first name first: Ada Novak; also for others like it."),
    ),
    _Doubt(
        "once",
        lambda who: _DASH.search(who.name),
        msg("'%(name)s' is taken for one name, with its dash"),
        CLAUSE,
        msg("Write a pair as Ada Novak & Ben Olsen; take away what is no name."),
    ),
    _Doubt(
        "once",
        lambda who: who.nation_behind,
        msg("'%(code)s' beside a name is read as the nation"),
        CLAUSE,
        msg("If it is a part of the name, put the nation behind it: Ada Novak BEN (CZE)."),
    ),
    _Doubt(
        "once",
        lambda who: who.id and who.id.isdecimal() and len(who.id) <= _DIGITS_OF_SEEDS,
        msg("[%(id)s] is taken for the id of %(name)s"),
        CLAUSE,
        msg("If it is a seed, take it away, also from others like it."),
    ),
    _Doubt(
        "written",
        lambda who: _BRACKETS.search(who.name),
        msg("a bracket is not closed: %(written)s is taken for a name"),
        CLAUSE,
        msg("Close it if it holds a nation or an id: Ada Novak (CZE) [n17]."),
    ),
    _Doubt(
        "origin",
        lambda who: who.origin and who.origin not in STATES,
        msg("(%(origin)s) is not a known nation; kept as the origin of %(name)s"),
        Cell("players", "nation"),
        _IF_NATION,
    ),
)


def is_refused(who: PrintedName) -> bool:
    """Whether a list that names a player so is refused; a table [[player]] may name anyone."""
    return any(doubt.kind == "problem" and doubt.applies(who) for doubt in _DOUBTS)


def warn_of_name(findings: ReportTables, text: str, line: int = 0) -> None:
    """Give a notice of a name in a table [[player]] with which a list would be refused."""
    who = parse_name(text)
    for doubt in _DOUBTS:
        if doubt.kind == "problem" and doubt.applies(who):
            remedy = msg("If it is a player's name, leave it; if not, correct it.")
            findings.notice(line, doubt.words(who, text), doubt.rule, remedy)


class _Player(Struct):
    name: str
    nation: str | None
    origin: str | None
    file: str
    line: int
    more: Mapping[str, str | None] | None = None  # said by a table that describes them


class People(Struct):
    """The players of a report, by id and by every way in which it writes them."""

    findings: ReportTables
    players: dict[str, _Player] = field(default_factory=dict)
    written: dict[str, list[str]] = field(default_factory=dict)  # "Ada Novak (CZE)" -> ids
    names: dict[str, list[str]] = field(default_factory=dict)  # "Ada Novak" -> ids
    reported: set[tuple[int, str]] = field(default_factory=set)  # doubts

    def parse(self, text: str, line: int) -> PrintedName:
        """A name as printed; what is doubtful is a problem of its line, or a notice told once."""
        who = parse_name(text)
        for at, doubt in enumerate(_DOUBTS):
            if not doubt.applies(who):
                continue
            stops = doubt.kind == "problem"
            key = f"{line}: {text}" if stops else getattr(who, doubt.kind, "")
            if (at, key) not in self.reported:
                self.reported.add((at, key))
                report = self.findings.problem if stops else self.findings.notice
                remedy = doubt.remedy
                if doubt.kind == "origin":
                    remedy = codes.AMBIGUOUS.get(str(who.origin).upper(), remedy)
                report(line, doubt.words(who, text), doubt.rule, remedy)
        return who

    def _is_no_id(self, who: PrintedName, line: int) -> bool:
        """Add a problem if the brackets of an id hold a nation; whether they do."""
        key = who.id or ""
        earlier = self.players.get(key)
        if not is_place(key) or (earlier is not None and earlier.more is not None):
            return False
        self.findings.problem(
            line,
            msg("[%(id)s] is a nation or a state, and no id of a player", id=key),
            CLAUSE,
            msg(
                "Write it in round brackets: %(example)s. An id is what the federation gave, such"
                " as %(id)s.",
                example=f"{who.name or 'Ada Novak'} ({key})",
                id="[n17]",
            ),
        )
        return True

    def know_id(self, who: PrintedName) -> None:
        """Register an id before the first player is entered."""
        if who.id and who.name:
            ids = self.written.setdefault(who.written, [])
            if who.id not in ids:
                ids.append(who.id)

    def enter(
        self, who: PrintedName, line: int, more: Mapping[str, str | None] | None = None
    ) -> str | None:
        """Enter a player; the id, or None and a problem if it is unclear who they are."""
        if more is None and self._is_no_id(who, line):
            return None
        if who.id and not who.name:
            return self._by_id(who.id, line)
        ids = self.written.get(who.written, [])
        if not who.id and len(ids) > 1:
            self._unclear(who, ids, line)
            return None
        key = who.id or (ids[0] if ids else as_id(who.written))
        earlier = self.players.get(key)
        if earlier is None:
            self.players[key] = _Player(
                who.name, who.nation, who.origin, self.findings.file, line, more
            )
            self.written.setdefault(who.written, [key])
            self.names.setdefault(who.name, []).append(key)
        elif earlier.name != who.name or (
            # who is described by a table may have had another nation
            earlier.more is None and who.nation and earlier.nation not in {None, who.nation}
        ):
            self.findings.problem(
                line,
                msg(
                    "[%(id)s] is %(here)s here and %(there)s on line %(line)s",
                    id=key,
                    here=who.written,
                    there=f"{earlier.name} ({earlier.nation})" if earlier.nation else earlier.name,
                    line=str(earlier.line),
                ),
                CLAUSE,
                msg("An id belongs to one person: write the name the same way, or correct the id."),
            )
        elif earlier.more is None:
            earlier.nation = earlier.nation or who.nation
            earlier.origin = earlier.origin or who.origin
        return key

    def find(self, text: str, line: int) -> str | None:
        """The id of a player entered earlier; the nation may be left out."""
        who = self.parse(text, line)
        if who.id:
            key = self._by_id(who.id, line)
            is_other = key and who.name and self.players[key].name != who.name
            return self.enter(who, line) if is_other else key
        ids = self.written.get(who.written) or []
        if not ids and who.nation is None and who.origin is None:
            ids = self.names.get(who.name) or []
        if len(ids) == 1:
            return ids[0]
        if ids:
            self._unclear(who, ids, line)
            return None
        self.findings.problem(
            line,
            msg(
                "%(name)s is in no placing and in no list of players of this report",
                name=who.written or (NOBODY,),
            ),
            CLAUSE,
            meant(who.written, sorted(self.written)[:2000])
            if self.written
            else msg("List the players: %(example)s.", example=_LIST),
        )
        return None

    def _by_id(self, key: str, line: int) -> str | None:
        if key in self.players:
            return key
        self.findings.problem(
            line,
            msg("no player in this report has the id [%(id)s]", id=key),
            CLAUSE,
            msg("Write the name before it, or add a [[player]] with this id."),
        )
        return None

    def _unclear(self, who: PrintedName, ids: list[str], line: int) -> None:
        self.findings.problem(
            line,
            msg(
                "%(name)s may be any of %(ids)s",
                name=who.written,
                ids=", ".join(f"[{key}]" for key in ids[:5]),
            ),
            CLAUSE,
            msg("Write the nation or the id: %(name)s.", name=f"{who.written} [{ids[0]}]"),
        )

    def _doubts_of_all(self) -> Iterator[tuple[_Player, str, str | Cell, str]]:
        """What is doubtful beside the other players: the player, what, its rule, what to do."""
        alone = [player for player in self.players.values() if player.more is None]
        tournaments = self.findings.table("tournaments")
        names = [player.name.split() for player in self.players.values()]
        # what ends two names of three words may be a town
        ends = Counter(words[-1] for words in names if len(words) > len(("first", "last")))
        towns = {word for word, many in ends.items() if many > 1}
        towns.update(filter(None, (player.origin for player in self.players.values())))
        towns.update(filter(None, (row.get("city") for row in tournaments)))
        for player in alone:
            *words, last = player.name.split()
            if len(words) > 1 and last in towns:
                yield player, msg(_LAST_WORD, name=player.name), CLAUSE, _IN_BRACKETS
                break
        small = [player for player in alone if player.name.islower()]
        for player in small if len(small) < len(alone) else ():  # 3 hours played
            yield player, msg(_SMALL, name=player.name), CLAUSE, _NO_PLAYER
        of_nations = [player for player in alone if player.nation]
        nations = {player.nation for player in of_nations}
        games = {row.get("discipline") for row in tournaments}
        if "diplomacy" in games and len(nations) >= _FEWEST_POWERS and nations <= _POWERS:
            yield of_nations[0], _ALL_POWERS, CLAUSE, _NATIONS_OF_PLAYERS
        states: dict[str, _Player] = {}
        for player in alone:
            if player.origin in STATES:
                states.setdefault(player.origin, player)
        countries = {codes.country(row.get("country") or "") for row in tournaments}
        # (DE), (CA), (IL), unless it was in the United States, or another state is there: (TX)
        if "USA" not in countries and all(map(codes.country, states)):
            for state, player in states.items():
                what = msg(_STATE, state=state, name=player.name)
                yield player, what, Cell("players", "nation"), _IF_NATION

    def write(self) -> None:
        """Add all as rows of the table of players."""
        for doubtful, what, rule, remedy in list(self._doubts_of_all()):
            self.findings.notice(doubtful.line, what, rule, remedy)
        for key, player in self.players.items():
            row = {
                "player_id": key,
                "name": player.name,
                "nation": player.nation,
                "origin": player.origin,
            }
            self.findings.add("players", {**row, **(player.more or {})}, player.line, player.file)
