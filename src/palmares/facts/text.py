"""
Text that comes in from outside: names, ids and free words.

Names keep their letters. They are brought to one spelling by the OpaqueString profile of
RFC 8265 (package precis-i18n): NFC, every kind of space an ordinary one; control characters, bidi
controls, other invisible and unassigned characters are refused. The profile also knows the joiners
that Persian and Hindi need. Common Latin and Cyrillic letters take a short cut.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from typing import Any

import polars as pl

from palmares.core.messages import msg

LONGEST = 200
_MOST_PRINTED = 60
_PADDING = dict.fromkeys(
    (0xAD, 0x200B, 0x200E, 0x200F, 0x202A, 0x202B, 0x202C, 0x2060, *range(0x2066, 0x206A), 0xFEFF)
)
"""What web pages and telephones put between and around words: nobody sees it."""
_DIGITS = 8  # of a hash, which tell long ids apart that begin alike
# No character here is changed by NFC, and none is invisible (U+00AD, a soft hyphen, is).
_PLAIN = "^[ -~\xa1-\xac\xae-\u0148\u014a-\u02af\u0400-\u0482\u1e00-\u1e99]*$"


def cleaned(text: pl.Series) -> tuple[pl.Series, dict[str, str]]:
    """One spelling for each text, and why some are not acceptable.

    Args:
        text: a String column, stripped, empty cells null.

    Returns:
        The column with the unacceptable ones null, and what is wrong by the text as it came.
    """
    word = pl.first().str
    plain = (
        text.to_frame().select(word.contains(_PLAIN) & (word.len_chars() <= LONGEST)).to_series()
    )
    if plain.all():
        return text, {}
    special = text.filter(~plain.fill_null(value=True)).unique().to_list()
    judged = {word: _judged(word) for word in special}
    wrong = {word: why for word, (_, why) in judged.items() if why}
    changed = {word: new for word, (new, why) in judged.items() if why or new != word}
    if changed:
        text = text.replace(list(changed), pl.Series(list(changed.values()), dtype=pl.String))
    return text, wrong


@lru_cache(maxsize=1)
def _profile() -> Any:
    from precis_i18n import get_profile

    return get_profile("OpaqueString")


def _judged(text: str) -> tuple[str | None, str]:
    """The text in one spelling, or nothing and what is wrong with it."""
    if len(text) > LONGEST:
        return None, msg(
            "is %(long)s characters long; %(most)s is the limit", long=len(text), most=LONGEST
        )
    try:
        return _profile().enforce(text).strip() or None, ""
    except UnicodeEncodeError as error:
        return None, _describe(str(error.object)[error.start])


def _describe(character: str) -> str:
    if character in "\r\n\u2028\u2029\x85\x0b\x0c":
        return msg("contains a line break")
    code = f"U+{ord(character):04X} {unicodedata.name(character, '')}".strip()
    if character.isprintable():
        return msg("contains the character %(code)s, which has no place in a name", code=code)
    return msg("contains the invisible character %(code)s", code=code)


def printable(text: object) -> str:
    """Text as a message may show it: at most 60 characters, invisible ones by their codes.

    An empty one is a pair of quotes.
    """
    value = str(text)
    if len(value) > _MOST_PRINTED:
        value = value[: _MOST_PRINTED - 1] + "…"
    return visible(value) or "''"


def visible(text: str, keep: str = "") -> str:
    """The whole text, invisible characters by their codes, except some."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode()
        for char in text
    )


def as_id(text: str) -> str:
    """A text as an id that is always acceptable: itself, or shown as a message would, and cut."""
    if len(text) <= LONGEST and (re.fullmatch(_PLAIN, text) or not _judged(text)[1]):
        return text
    digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    return f"{visible(text)[: LONGEST - _DIGITS - 1].rstrip()}-{digest}"


def without_padding(text: str) -> str:
    """Text without invisible padding; what would change how other letters are shown stays."""
    return text.translate(_PADDING)


def squeezed(text: str) -> str:
    """Text with composed letters (NFC), without spaces around, single spaces inside."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def plain(names: pl.Series) -> pl.Series:
    """Names in small plain letters, words with one space between.

    Letters of every script become those of English that stand for them, accents go: so Новак, Novák
    and NOVAK are compared as one. Syllables of scripts without spaces become words.
    """
    small = names.str.to_lowercase()
    special = (small.str.len_bytes() != small.str.len_chars()).arg_true()
    if len(special):
        from anyascii import anyascii

        texts = small.gather(special)
        letters = sorted({char for text in texts for char in text if not char.isascii()})
        latin = texts.str.replace_many(letters, [_latin(anyascii, letter) for letter in letters])
        syllables = latin.str.replace_all(r"([A-Z])", " $1").str.to_lowercase()
        small = small.scatter(special, syllables)
    return small.str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()


def _latin(written: Callable[[str], str], letter: str) -> str:
    """A letter in those of English; a sign that softens one is none, and parts no word."""
    return written(letter).replace("'", "") if letter.isalpha() else written(letter)


_SOUNDS = {
    "dzh": "j", "zh": "j", "dj": "j", "y": "j", "w": "v", "ts": "c", "tz": "c", "z": "c",
    "kh": "h", "ks": "x", "ph": "f", "ae": "a", "oe": "o", "ue": "u",
}  # fmt: skip
_DOUBLE = {letter * 2: letter for letter in "abcdefghijklmnopqrstuvwxyz"}


def sounds(words: pl.Series) -> pl.Series:
    """Words in small plain letters with one letter for a sound: zheppe and Yeppe are jepe.

    Jaerv is as Järv, Delfin as Delphin.
    """
    letters = words.str.replace_many(_SOUNDS, leftmost=True).str.replace_all(r"\Bh", "")
    return letters.str.replace_many(_DOUBLE)


def consonants(words: pl.Series) -> pl.Series:
    """Words in small plain letters as Arabic and Hebrew write them: without vowels."""
    return words.str.replace_all(r"[aeiou]|\B[wy]", "").str.replace_many(_DOUBLE)
