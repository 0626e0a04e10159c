"""
Names of players as printed.

``Ada Novak (CZE) [n17]`` has a nation and an id. In the last brackets stands a nation if the table
of nations has exactly that code or word; anything else, such as a state of the United States, is
kept as the *origin*, which no regulation reads. ``[n17]`` or ``(CZE) [n17]`` stands for someone
described elsewhere. A name keeps its letters, particles and suffixes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from unicodedata import normalize

import polars as pl
from msgspec import Struct
from msgspec.structs import replace

from palmares.core.errors import Refused
from palmares.core.messages import msg
from palmares.facts import codes
from palmares.facts.text import printable, squeezed

# fmt: off
STATES = frozenset({
    "AL", "AK", "AZ", "AR", "CA", "CO", "CT", "DE", "DC", "FL", "GA", "HI", "ID",
    "IL", "IN", "IA", "KS", "KY", "LA", "ME", "MD", "MA", "MI", "MN", "MS", "MO",
    "MT", "NE", "NV", "NH", "NJ", "NM", "NY", "NC", "ND", "OH", "OK", "OR", "PA",
    "RI", "SC", "SD", "TN", "TX", "UT", "VT", "VA", "WA", "WV", "WI", "WY", "PR",
})
PARTICLES = frozenset({
    "af", "al", "av", "ben", "bin", "bint", "da", "dal", "das", "de", "degli", "dei", "del",
    "della", "den", "der", "di", "do", "dos", "du", "e", "el", "en", "het", "ibn", "im",
    "in", "la", "las", "le", "les", "lo", "los", "of", "op", "san", "t", "te", "ten", "ter",
    "the", "tot", "van", "vom", "von", "vor", "y", "zu", "zum", "zur",
})
"""Words of last names that are written in small letters."""
# fmt: on

CODE_OF_A_STATE, CODE_OF_A_NATION = 2, 3
CAPITALS_OF_A_CODE = 2  # BiH is a code, Sam is a name

LONGEST_FIRST_NAMES = 3  # words
MOST_NAMESAKES = 20  # whom an error lists
LEAST_WORDS = 2  # of a name with a code behind it: XU LEE may be a name

_DASHES = ("-", "\u2013", "\u2014", "/")
_COUNTRY_BEHIND = re.compile(r"(\S+\s.*\S)\s+[-\u2013\u2014/]\s+([^\W\d_][^\d_]+)")
_PICTURES = re.compile(
    "[\u2600-\u27bf\u2b50\ufe0f\u20e3\U0001f300-\U0001f5ff\U0001f600-\U0001faff]+"
)
_MARKS = re.compile(  # of a word in bold, of a list, of a footnote
    r"(?<!\S)([*_]+)(\S.*?\S)\1(?!\S)|^\s*[\u2022\u2190-\u21ff]+(?=\s)|(?<=\s)\*+$"
)
_BLACK = "\U0001f3f4"
_FLAG = re.compile(  # of a country, by two letters of its own, or of a nation of Great Britain
    f"[\U0001f1e6-\U0001f1ff]{{2}}|{_BLACK}[\U000e0061-\U000e007a]{{5}}\U000e007f"
)
_FIRST_TAG = 0xE0000  # of the letters behind a black flag
_HOME_NATIONS = {"gbeng": "ENG", "gbsct": "SCO", "gbwls": "WAL"}
_FIRST_LETTER = 0x1F1E6  # of a flag: A
_SUFFIX = re.compile(r"(?:Jr|Sr|Esq|I{1,3}|IV|V)\.?")
_LINK = re.compile(r"\[([^\[\]]+)\]\(\w+:[^\s()]+\)")
"""A link as Markdown writes it."""
_FULL_WIDTH = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
"""Letters and brackets as they are typed in China and Japan."""
_ID = re.compile(r"\s*\[([^\[\]]+)\]$")
_INSIDE = re.compile(r"\(([^()]+)\)")
_PLACE = re.compile(r"\s*\(([^()]+)\)$")


class PrintedName(Struct, frozen=True, kw_only=True):
    """A player as a report names them."""

    name: str
    nation: str | None = None  # a code of the table of nations
    origin: str | None = None  # what else stood in the brackets: a state, a town
    id: str | None = None
    nation_behind: bool = False  # "Ada Novak CZE", "CZE Ada Novak": a code without brackets
    unclear: bool = False  # a comma that may mean several things
    last_name_first: bool = False  # the last name stood first
    with_pictures: bool = False  # medals, trophies or marks of bold letters stood beside it

    @property
    def written(self) -> str:
        """``Ada Novak (CZE)``, however it was spelled: the id of someone who was given none."""
        place = self.nation or self.origin
        return f"{self.name} ({place})".strip() if place else self.name


def parse_name(text: str) -> PrintedName:
    """The parts of a printed name; a text without brackets or comma is all name."""
    if flag := _FLAG.search(text):
        who = parse_name(_FLAG.sub(" ", text))
        nation = _nation_of_flag(flag[0])
        return replace(who, nation=nation, unclear=who.unclear or who.nation not in (None, nation))
    bare = _MARKS.sub(r"\2", _PICTURES.sub(" ", _LINK.sub(r"\1", text)))
    if bare != text and bare.strip():
        return replace(parse_name(bare), with_pictures=True)
    text = squeezed(text.translate(_FULL_WIDTH))
    given = _ID.search(text)
    if given:
        text = text[: given.start()]
    key = given[1].strip() if given else None
    if " & " in text:
        halves = [parse_name(half) for half in text.split(" & ")]
        return PrintedName(
            name=" & ".join(half.written for half in halves),
            id=key,
            unclear=any(half.unclear for half in halves),
            last_name_first=any(half.last_name_first for half in halves),
        )
    place = _PLACE.search(text)
    if not place or not (text[: place.start()] or key):
        who = _with_comma(text) if "," in text else _nation_behind(text)
        return replace(who, id=key) if key else who
    inside = place[1].strip()
    nation = printed_nation(inside) if len(inside) > CODE_OF_A_STATE else None
    town, _, land = (part.strip() for part in inside.rpartition(","))
    is_state = land == "Georgia" or len(land) <= CODE_OF_A_STATE
    if town and not is_state and not printed_nation(town):
        nation = printed_nation(land)
    who = _around_comma(text[: place.start()])
    if who.nation and nation and who.nation != nation:
        return replace(who, id=key, unclear=True)
    origin = (town or who.origin) if nation else inside
    return replace(who, nation=nation or who.nation, origin=origin, id=key)


def _nation_of_flag(flag: str) -> str | None:
    """The nation of two letters of a flag, or of the letters behind a black one."""
    if flag[0] == _BLACK:
        return _HOME_NATIONS.get("".join(chr(ord(at) - _FIRST_TAG) for at in flag[1:-1]))
    return codes.country("".join(chr(ord(at) - _FIRST_LETTER + ord("A")) for at in flag))


def _with_comma(text: str) -> PrintedName:
    """A name with a comma and without brackets; a code may stand behind it: NOVAK, Ada CZE."""
    behind = _nation_behind(text)
    inner = _around_comma(behind.name)
    if behind.nation and inner.last_name_first and not inner.nation:
        return replace(inner, nation=behind.nation)
    who = _around_comma(text)
    last = text.rsplit(maxsplit=1)[-1]
    is_code = len(last) == CODE_OF_A_NATION and last.isupper() and printed_nation(last)
    may_be_nation = bool(is_code) and who.last_name_first and not who.nation
    return replace(who, unclear=who.unclear or may_be_nation)


def _around_comma(text: str) -> PrintedName:
    """A name without brackets: what its commas mean."""
    before, comma, after = (part.strip() for part in text.rpartition(","))
    if not comma:
        return PrintedName(name=text)
    if before and _SUFFIX.fullmatch(after):
        who = _around_comma(before)
        return replace(who, name=f"{who.name}, {after}")
    unclear = PrintedName(name=text, unclear=True)
    last = [word for word in before.split() if word not in PARTICLES]
    nation = printed_nation(after) if len(after) > CODE_OF_A_STATE else None
    if nation or after in STATES:
        is_code = len(after) <= CODE_OF_A_NATION
        who = _around_comma(before)
        has_place = who.nation or who.origin or not who.name
        # LEE, SAM is a name, or somebody of Samoa; Smith, Georgia as well
        alone = len(last) < len(("Li", "Wei")) and (text.isupper() or not is_code)
        if has_place or alone:
            return unclear
        return replace(who, nation=nation, origin=None if nation else after)
    first = after.split()
    is_name = all(char.isalpha() or char in " .'\u2019-" for char in before + after)
    if len(last) == 1 and 0 < len(first) <= LONGEST_FIRST_NAMES and is_name:
        return PrintedName(name=f"{after} {before}", last_name_first=True)
    return unclear


def _nation_behind(text: str) -> PrintedName:
    """A name without a comma; the code of a nation may stand behind it or, before two words, first.

    ``Ada Novak CZE``, ``CZE Ada Novak``.
    """
    country = _COUNTRY_BEHIND.fullmatch(text)
    if country and (nation := printed_nation(country[2])):
        return PrintedName(name=country[1], nation=nation, nation_behind=True)
    *words, last = text.split() or [""]
    if words and words[-1] in _DASHES:
        words.pop()
    first, *others = text.split() or [""]
    for code, name in ((last, words), (first, others)):
        is_code = len(code) == CODE_OF_A_NATION and code.isupper() and printed_nation(code)
        if name is others and code == "VAN":  # of VAN DER BERG Jan
            continue
        if is_code and len(name) >= LEAST_WORDS and not "".join(name).isupper():
            nation = printed_nation(code)
            return PrintedName(name=" ".join(name), nation=nation, nation_behind=True)
    return PrintedName(name=text)


def is_place(text: str) -> bool:
    """Whether a text in brackets is a nation or a state of the United States."""
    return text in STATES or (len(text) > CODE_OF_A_STATE and printed_nation(text) is not None)


def place_inside(name: str) -> str | None:
    """A nation or a state that stands in brackets in the middle of a name."""
    if " & " in name:
        return None
    return next((inside for inside in _INSIDE.findall(name) if is_place(inside.strip())), None)


@lru_cache(maxsize=4096)
def printed_nation(text: str) -> str | None:
    """The nation of a code with capitals, or of the name of a country; none if it is neither."""
    if sum(char.isupper() for char in text) >= CAPITALS_OF_A_CODE and (code := codes.nation(text)):
        return code
    return codes.country(text) if len(text) > CODE_OF_A_NATION else None


# ── whom a name means ────────────────────────────────────────────────────────────────────────────


def find_player_id(players: pl.DataFrame, wanted: str) -> str:
    """The id of a player given by id, by name, or by name and nation in any spelling.

    Args:
        players: player_id, name and nation of each; those without a name are found by id only.
        wanted: what was typed.

    Raises:
        Refused: no player fits, or several; names similar ones.
    """
    wanted = normalize("NFC", wanted.strip())
    if not wanted:
        raise Refused(msg("Name a player, by id or by name."))
    written, name = parse_name(wanted).written, pl.col("name")
    for key in (wanted, written):
        if key in players["player_id"]:
            return key
    form = pl.concat_str("name", pl.format(" ({})", "nation"), ignore_nulls=True)
    players = players.select("player_id", "name", form=form).drop_nulls("name")
    for fit in (
        name == wanted,
        pl.col("form") == written,
        name.str.to_lowercase() == wanted.lower(),
    ):
        fits = players.filter(fit).sort("player_id")
        if len(fits) == 1:
            return str(fits["player_id"][0])
        if len(fits):
            lines = "\n".join(f"    {row[0]}  {row[2]}" for row in fits.head(MOST_NAMESAKES).rows())
            raise Refused(
                msg(
                    "%(many)s players are called %(name)s. Say the id:\n%(players)s",
                    many=len(fits),
                    name=printable(wanted),
                    players=lines,
                )
            )
    from rapidfuzz import process

    close = process.extract(wanted, players["name"].to_list(), limit=3, score_cutoff=60)
    unknown = msg("No player has the id or the name %(name)s.", name=printable(wanted))
    raise Refused(did_you_mean(unknown, [found for found, *_ in close]))


def did_you_mean(unknown: str, close: Sequence[str]) -> str:
    """A sentence on something unknown, and similar names if there are any."""
    if not close:
        return unknown
    question = msg("Did you mean %(word)s?", word=", ".join(map(printable, close)))
    return msg("%(one)s %(other)s", one=unknown, other=question)
